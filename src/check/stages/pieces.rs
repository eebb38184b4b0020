//! Answers a pair with a decomposed part from its convex pieces, before any triangle query.

use crate::check::prepare::decompose::Covered;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::body;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::ExitStage;
use crate::check::stages::trace::{Step, Trace};
use crate::check::stages::{Answer, AsGiven, Measured, PairQuery};
use crate::check::{Certainty, Measure, Relation, Status};
use crate::geom::{Bounds, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::{OverlapQuery, PairRelation, SolidRef, classify};
use crate::query::pieces::{PieceDistance, PiecePair};
use crate::shape::decompose::piece_set::Cover;
use crate::shape::surface::{Inside, Surface};

/// Result of the pieces of a pair.
pub(crate) enum PiecesAnswer {
    /// Final answer.
    Settled(Box<Answer>),
    /// The pieces meet, or only triangles can measure the distance. The point is the centre of the largest ball in two
    /// pieces, if it lies in both solids.
    Meet(Option<Vec3>),
}

fn cover(shape: &Shape) -> Cover<'_> {
    shape.pieces().map_or(Cover::Whole(shape.convex()), Cover::Pieces)
}

/// Returns true if the cover is the solid itself; otherwise it only encloses the solid.
fn is_solid(shape: &Shape) -> bool {
    shape.pieces().is_some() || shape.is_hull
}

impl PairQuery<'_> {
    /// Answers from the pieces; a part without pieces takes part with its hull.
    pub(crate) fn by_pieces(&self, limits: &Limits, margin: f64, steps: &mut Trace) -> PiecesAnswer {
        let pair = PiecePair { a: cover(self.first), b: cover(self.second), b_in_a: self.pose };
        let of_solids = is_solid(self.first) && is_solid(self.second);
        match pair.distance(limits.max_distance(), margin) {
            PieceDistance::Beyond(least) => {
                steps.note(Step::Pieces {
                    distance: Some(Bounds { lower: least, upper: f64::INFINITY }),
                    depth: None,
                    cleared: true,
                });
                PiecesAnswer::Settled(Box::new(self.answer_without_measures(Status::Clear)))
            }
            PieceDistance::Apart { bounds, points } => {
                let status = limits.status(bounds, margin, 0.0);
                // For numbers, the bracket must be as narrow as rounding allows; for a verdict, it must decide the
                // status.
                let enough =
                    if self.verdict_only() { status != Status::Undecided } else { bounds.width() <= 2.0 * margin };
                let cleared = of_solids && enough && status == Status::Clear;
                steps.note(Step::Pieces { distance: Some(bounds), depth: None, cleared });
                if !(of_solids && enough) {
                    return PiecesAnswer::Meet(None);
                }
                let mut answer = self.answer_without_measures(status);
                if !self.verdict_only() {
                    answer.measured = Some(Box::new(self.measured_apart(bounds.upper, points, margin)));
                }
                PiecesAnswer::Settled(Box::new(answer))
            }
            PieceDistance::Meet { at_most, points } => {
                if of_solids {
                    self.pieces_meet(&pair, (at_most, points), limits, margin, steps)
                } else {
                    steps.note(Step::Pieces { distance: None, depth: None, cleared: false });
                    PiecesAnswer::Meet(None)
                }
            }
        }
    }

    /// Answers two solids with meeting pieces. A ball in both parts lies in one piece of each, up to the diameter by
    /// which cells overlap. If no two pieces overlap by more than the threshold, the parts do not either
    /// (docs/explanation/numerics.md).
    fn pieces_meet(
        &self,
        pair: &PiecePair,
        touch: (f64, [Vec3; 2]),
        limits: &Limits,
        margin: f64,
        steps: &mut Trace,
    ) -> PiecesAnswer {
        // For a verdict, a ball thicker than every threshold settles the pair.
        let deepest = limits.deepest(0.0);
        let enough = if self.verdict_only() { deepest + margin } else { f64::INFINITY };
        let thickest = pair.thickest_overlap(enough);
        let [least, most] = thickest.bounds.to_depth();
        steps.note(Step::Pieces { distance: None, depth: Some(least), cleared: false });
        let high = if thickest.ball.is_some() { thickest.bounds.upper } else { touch.0 };
        let bracket = Bounds { upper: high, ..thickest.bounds };
        let status = limits.status(bracket, margin, 0.0);
        let in_one = [self.first, self.second].map(|s| s.covered().map_or(f64::INFINITY, Covered::ball_in_one_piece));
        let tells = most + 2.0 * margin <= in_one[0].min(in_one[1]) && !matches!(status, Status::Undecided);
        let deeper = least > deepest + margin;
        if !(deeper && self.verdict_only() || !deeper && tells) {
            return PiecesAnswer::Meet(thickest.ball.map(|b| b.center));
        }
        let mut answer = self.answer_without_measures(status);
        if !self.verdict_only() {
            answer.certainty = limits.certainty(bracket, margin);
            answer.facet_allowance = (high < 0.0).then_some(0.0);
            let witness = thickest.ball.map_or(touch.1, |b| b.points);
            let out = witness[0] - witness[1];
            let rounding = self.rounding(margin);
            let normal = if out.norm() > rounding { out.try_normalize(0.0) } else { None };
            let bodies = [body(self.first), body(self.second)];
            let way_out = (least > 0.0 && self.measure == Measure::All)
                .then(|| self.separating_translation(bodies, normal, [least, margin], &[]))
                .flatten();
            let measured = Measured {
                relation: Some(if least > rounding { Relation::Overlap } else { Relation::Touch }),
                gap: Some(high),
                bracket: bracket.widened(margin),
                witness,
                deepest_point: thickest.ball.map(|b| b.center),
                normal: way_out.and_then(|(t, _)| t.try_normalize(0.0)).or(normal),
                penetration: way_out,
                common: None,
            };
            let (common, used_self_union) = self.common(&measured, margin, &AsGiven::NONE, None, None);
            answer.used_self_union = used_self_union;
            answer.measured = Some(Box::new(Measured { common, ..measured }));
        }
        PiecesAnswer::Settled(Box::new(answer))
    }

    /// Answers two solids, one of them with pieces whose self-union failed: piece by piece, with the argument of
    /// `pieces_meet`. Returns `known` if the pieces add nothing. Cost: one triangle query for each piece near the other
    /// solid.
    pub(crate) fn piece_by_piece(&self, limits: &Limits, margin: f64, mut known: Answer, steps: &mut Trace) -> Answer {
        let (first, second) = (self.first.pieces(), self.second.pieces());
        let (pieces, whole, of) = match (first, second) {
            (Some(pieces), None) => (pieces, self.second, self.first),
            (None, Some(pieces)) => (pieces, self.first, self.second),
            _ => return known,
        };
        let whole_index = usize::from(first.is_some());
        if !whole.is_solid() {
            return known;
        }
        let ask = OverlapQuery { margin, rounding: self.rounding(margin), reach: limits.max_distance(), deep: None };
        let [mut least, mut most] = [0.0_f64; 2];
        for convex in &pieces.all {
            let mesh = TriMesh { vertices: convex.vertices.clone(), triangles: convex.triangles.clone() };
            let surface = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
            let piece = SolidRef { convex, has_inner_hull: false, surface: &surface, is_hull: true };
            let at = if first.is_some() { -convex.origin } else { self.pose.direction(&convex.origin) };
            let pose = Pose { translation: self.pose.translation + at, ..*self.pose };
            let found = if first.is_some() {
                classify(piece, body(whole), &pose, &ask)
            } else {
                classify(body(whole), piece, &pose, &ask)
            };
            known.used_self_union[whole_index] |= found.used_self_union;
            if let PairRelation::Meets(mut meeting) = found.relation {
                meeting.decide_threshold(limits.tolerance);
                meeting.decide_threshold(limits.deepest(0.0));
                known.used_self_union[whole_index] |= meeting.used_self_unions()[whole_index];
                let [lower, upper] = meeting.gap_bounds().to_depth();
                (least, most) = (least.max(lower), most.max(upper));
            }
        }
        let bracket = Bounds::from_depth(least, most);
        let status = limits.status(bracket, margin, 0.0);
        let in_one = of.covered().map_or(f64::INFINITY, Covered::ball_in_one_piece);
        let deeper = least > limits.deepest(0.0) + margin;
        if status == Status::Undecided || !(deeper || most + 2.0 * margin <= in_one) {
            return known;
        }
        steps.note(Step::Pieces { distance: None, depth: Some(least), cleared: false });
        let mut answer = Answer { status, certainty: limits.certainty(bracket, margin), ..known };
        if self.verdict_only() {
            answer.certainty = Certainty::Certified;
        } else if let Some(measured) = &mut answer.measured {
            (measured.gap, measured.bracket) = (Some(0.0 - least), bracket.widened(margin));
        }
        answer
    }

    fn answer_without_measures(&self, status: Status) -> Answer {
        Answer { exit_stage: ExitStage::Pieces, ..Answer::bare(status, Certainty::Certified, self.geometry()) }
    }
}
