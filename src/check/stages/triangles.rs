//! One pair through the exact stage: what its triangles say, and how far the question has to be followed.
//!
//! Everything the check knows of [`crate::narrow::exact`] stands in this file.

use crate::assembly::Facets;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::body;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::{Step, Trace};
use crate::check::stages::{Answer, ExitStage, Measured, PairQuery};
use crate::check::{Certainty, Relation, Status};
use crate::geom::Vec3;
use crate::query::convex::Gap;
use crate::query::depth::{Apart, Containment, Event, OverlapQuery, OverlapSearch, PairRelation, Precision, classify};
use crate::query::facet_allowance::{FacetTable, SAGITTAS, allowance};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Distance, separation};

/// No more than this is granted to facets (mm): beyond it they are too coarse to tell what they stand for (concept.md,
/// Facets).
const LARGEST_ALLOWANCE: f64 = 0.25;

/// And no more than this part of the longest side of the smaller part's own box.
const LARGEST_ALLOWANCE_OF_SIDE: f64 = 0.01;

/// The bracket of a listed pair is narrowed to this part of the depth: a hair less than the 1 % of report-format.md, so that
/// the rounding margin that is added to its ends does not break the promise.
const BRACKET_OF_DEPTH: f64 = 0.0099;

/// The bracket of a depth beyond the tolerance is narrowed to this part of the depth, where the budget lasts.
const BEYOND_TOLERANCE: f64 = 0.025;

impl PairQuery<'_> {
    /// Whether both surfaces have triangles of some area; without them there is nothing but the hulls to ask.
    pub(crate) fn has_triangles(&self) -> bool {
        [self.first, self.second].iter().all(|s| !s.exact().surface.triangles.is_empty())
    }

    /// Whether a mesh of the pair has no definite inside.
    fn is_surface(&self) -> bool {
        !(self.first.is_solid() && self.second.is_solid())
    }

    /// The answer of the triangles, for a pair that boxes and hulls leave within reach.
    /// `ball` is the centre of one that is known to lie in both.
    pub(crate) fn by_triangles(&self, limits: &Limits, margin: f64, ball: Option<Vec3>, steps: &mut Trace) -> Answer {
        // For a verdict a ball thicker than anything that passes is all there is to know.
        let deep = self.verdict_only.then(|| limits.deepest(self.granted_at_most(limits)));
        let ask = OverlapQuery { margin, rounding: self.rounding(margin), reach: limits.max_distance(), deep };
        match classify(body(self.first), body(self.second), self.pose, &ask) {
            PairRelation::Beyond(distance) => {
                steps.note(Step::Triangles { distance, at_least: true, cleared: true });
                self.apart_answer(Status::Clear)
            }
            PairRelation::Apart(apart) => self.apart(limits, &apart, margin, steps),
            PairRelation::Meets(mut meeting) => {
                if let Some(center) = ball {
                    meeting.evaluate_at(&center);
                }
                Overlap { query: self, limits, margin, meeting, facets: None }.answer(steps)
            }
        }
    }

    fn apart_answer(&self, status: Status) -> Answer {
        let certainty = if self.is_surface() { Certainty::NoInside } else { Certainty::Certified };
        Answer { exit_stage: ExitStage::Exact, ..Answer::bare(status, certainty, self.geometry()) }
    }

    fn apart(&self, limits: &Limits, apart: &Apart, margin: f64, steps: &mut Trace) -> Answer {
        let d = apart.distance;
        let status = limits.status([d, d], margin, 0.0);
        steps.note(Step::Triangles { distance: d, at_least: false, cleared: status == Status::Clear });
        let answer = self.apart_answer(status);
        if self.verdict_only {
            return answer;
        }
        Answer { measured: Some(Box::new(self.measured_apart(d, apart.points, margin))), ..answer }
    }

    /// The numbers of solids that are apart: their distance and closest points (mm).
    pub(crate) fn measured_apart(&self, d: f64, points: [Vec3; 2], margin: f64) -> Measured {
        let rounding = self.rounding(margin);
        let between = points[1] - points[0];
        Measured {
            relation: Some(if d > rounding { Relation::Apart } else { Relation::Touch }),
            gap: Some(d),
            bracket: [d - margin, d + margin],
            witness: points,
            normal: if d > margin { between.try_normalize(0.0) } else { None },
            penetration: None,
            common: None,
        }
    }

    /// The gap of two convex solids to rounding. Between faces that are all but parallel the closest-point search on hulls ends
    /// short of that, in double precision; then their triangles tell.
    pub(crate) fn refine_gap(&self, mut gap: Gap, margin: f64) -> Gap {
        let [low, high] = gap.bracket;
        if low <= 0.0 || high - low <= 2.0 * margin {
            return gap;
        }
        let (a, b) = (self.first.exact(), self.second.exact());
        let pairing = Pairing { a: &a.surface, b: &b.surface, b_in_a: self.pose };
        if let Distance::Within(found) = separation(&pairing, high + margin, 0.0)
            && found.value >= low - margin
            && found.value > margin
        {
            (gap.value, gap.bracket, gap.witness) = (found.value, [found.value; 2], found.points);
            gap.normal = (found.points[1] - found.points[0]).try_normalize(0.0);
        }
        gap
    }

    /// The most that facets of this pair may explain (mm). Nothing where pieces reach beyond a part: they meet more facets than the
    /// part does, and what those explain is no measure of them.
    fn largest_allowance(&self) -> f64 {
        if self.first.pieces().is_some() || self.second.pieces().is_some() {
            return 0.0;
        }
        let side = self.first.longest_side().min(self.second.longest_side());
        LARGEST_ALLOWANCE.min(LARGEST_ALLOWANCE_OF_SIDE * side)
    }

    /// The most that facets of this pair explain, wherever they are (mm): what is known without looking for them.
    fn allowance_at_most(&self) -> f64 {
        let sagitta = |s: &Shape| s.concave_error().unwrap_or(f64::INFINITY);
        self.largest_allowance().min(SAGITTAS * sagitta(self.first).max(sagitta(self.second)))
    }

    /// The most that is granted to facets (mm).
    fn granted_at_most(&self, limits: &Limits) -> f64 {
        if limits.facets == Facets::Allow { self.allowance_at_most() } else { 0.0 }
    }

    /// What the concave facets that bound the common solid explain (mm); of the parts that are asked.
    fn allowance(&self, asked: [bool; 2], margin: f64) -> f64 {
        let (a, b) = (self.first.exact(), self.second.exact());
        let pairing = Pairing { a: a.surface.solid(), b: b.surface.solid(), b_in_a: self.pose };
        let none = FacetTable::default();
        let tables = [a.facets(self.first), b.facets(self.second)];
        let tables = [0, 1].map(|k| if asked[k] { tables[k] } else { &none });
        allowance(&pairing, tables, self.rounding(margin), self.largest_allowance())
    }
}

/// A pair whose solids meet, on the way to its status. Depths in mm.
struct Overlap<'p, 'q> {
    query: &'p PairQuery<'q>,
    limits: &'p Limits,
    margin: f64,
    meeting: Box<OverlapSearch<'p>>,
    /// The facet allowance, once it was asked for.
    facets: Option<f64>,
}

impl Overlap<'_, '_> {
    /// Closes the bracket of the depth as far as status and report need it.
    fn answer(mut self, steps: &mut Trace) -> Answer {
        let verdict_only = self.query.verdict_only;
        if !verdict_only {
            self.meeting.certify_contact();
        }
        self.decide_without_facets();
        if !verdict_only {
            self.narrow();
        }
        self.decide_with_facets();
        let [least, most] = self.meeting.depth_bounds();
        let granted = self.facets.filter(|_| self.allows()).unwrap_or(0.0);
        let mut status = self.limits.status([-most, -least], self.margin, granted);
        let mut within_facet_error = status == Status::Contact && self.limits.needs_facets(most, self.margin);
        if within_facet_error && self.query.is_surface() {
            // The upper bound is that of the hulls, whose facets are others.
            (status, within_facet_error) = (Status::Undecided, false);
        }
        self.note(steps);
        let measured = (!verdict_only).then(|| {
            let measured = self.measured();
            let common = self.query.common(&measured, self.margin);
            Box::new(Measured { common, ..measured })
        });
        Answer {
            exit_stage: ExitStage::Exact,
            facet_allowance: self.facets,
            within_facet_error,
            measured,
            ..Answer::bare(status, self.certainty(status), self.query.geometry())
        }
    }

    fn allows(&self) -> bool {
        self.limits.facets == Facets::Allow
    }

    /// Refines until the depth is known to lie on one side of a threshold.
    fn decide(&mut self, threshold: f64) {
        self.meeting.decide_threshold(threshold);
    }

    /// The thresholds that hold whatever the facets are: the tolerance first, since most pairs that meet are contacts, then
    /// what a rule allows.
    fn decide_without_facets(&mut self) {
        let limits = self.limits;
        if limits.min_clearance.is_some_and(|c| c <= self.margin) {
            // Touching keeps a clearance of zero, overlapping breaks it.
            self.decide(0.0);
        }
        self.decide(limits.tolerance);
        if limits.needs_facets(self.meeting.depth_bounds()[1], self.margin) {
            self.decide(limits.deepest(0.0));
        }
    }

    /// Closes the bracket as far as the report promises, and further where the depth is what fails or is allowed: the ball
    /// that was found is the depth that people read.
    fn narrow(&mut self) {
        let width = Precision::new(BRACKET_OF_DEPTH, self.limits.width(self.margin));
        let tolerance = self.limits.tolerance;
        self.meeting.refine_to(&width.beyond(tolerance, BEYOND_TOLERANCE, 16.0 * self.margin));
    }

    /// Asks for the facet allowance where the status or the report needs it, and decides the threshold it makes.
    fn decide_with_facets(&mut self) {
        let loosest = self.limits.deepest(self.query.allowance_at_most());
        let [mut least, most] = self.meeting.depth_bounds();
        let matters =
            self.allows() && self.limits.needs_facets(most, self.margin) && loosest > self.limits.deepest(0.0);
        if self.query.verdict_only {
            if !matters {
                return;
            }
            // Deeper than any facets could explain is found sooner than what these do.
            self.decide(loosest);
            least = self.meeting.depth_bounds()[0];
            if least > loosest + self.margin {
                return;
            }
        } else if least <= 0.0 && !matters {
            return;
        }
        let facets = self.query.allowance([true; 2], self.margin);
        self.facets = Some(facets);
        if matters {
            self.decide(self.limits.deepest(facets));
        }
    }

    fn certainty(&self, status: Status) -> Certainty {
        let [least, most] = self.meeting.depth_bounds();
        if self.query.is_surface() {
            Certainty::NoInside
        } else if status == Status::Undecided {
            Certainty::Bracketed
        } else if self.query.verdict_only {
            Certainty::Certified
        } else {
            self.limits.certainty([-most, -least], self.margin)
        }
    }

    fn measured(&self) -> Measured {
        let [least, most] = self.meeting.depth_bounds();
        let rounding = self.query.rounding(self.margin);
        let witness = self.witness();
        let out = witness[0] - witness[1];
        // Without an inside a crossing is no depth: only a common ball is.
        let known = !self.query.is_surface() || least > rounding;
        let normal = if out.norm() > rounding { out.try_normalize(0.0) } else { None };
        let separation = (least > 0.0 && !self.query.is_surface())
            .then(|| self.query.separating_translation(self.meeting.bodies(), normal, least, self.margin))
            .flatten();
        Measured {
            relation: known.then(|| self.relation(rounding)),
            gap: known.then_some(0.0 - least.max(0.0)),
            bracket: [-most - self.margin, -least + self.margin],
            witness,
            normal: separation.and_then(|(t, _)| t.try_normalize(0.0)).or(normal),
            penetration: separation,
            common: None,
        }
    }

    /// The nearest point of each surface to the centre of the largest common ball that was found; where there is none, the
    /// closest points of the surfaces.
    fn witness(&self) -> [Vec3; 2] {
        let of_ball = self.meeting.ball().map(|(_, _, points)| points);
        of_ball.or_else(|| self.meeting.surfaces().map(|s| s.points)).unwrap_or_else(|| [Vec3::zeros(); 2])
    }

    fn relation(&self, rounding: f64) -> Relation {
        match self.meeting.containment() {
            Containment::BInsideA => Relation::AContainsB,
            Containment::AInsideB => Relation::BContainsA,
            Containment::Coincident => Relation::Coincident,
            Containment::None if self.meeting.depth_bounds()[0] > rounding => Relation::Overlap,
            Containment::None => Relation::Touch,
        }
    }

    fn note(&self, steps: &mut Trace) {
        if !steps.on() {
            return;
        }
        self.meeting.events().iter().for_each(|event| steps.note(step(event)));
        if let Some(allowance) = self.facets {
            let cap = self.query.largest_allowance();
            // Which part's, is asked once more: only explanations want to know.
            let of_first = self.query.allowance([true, false], self.margin) >= allowance;
            let of_b = (allowance > 0.0).then_some(!of_first);
            steps.note(Step::Facets { allowance, cap, of_b, granted: self.allows() });
        }
    }
}

/// An event of the exact stage as a step of the pair.
fn step(event: &Event) -> Step {
    match *event {
        Event::HullBound(most) => Step::HullDepth { most },
        Event::Middle(depth) => Step::Ball { depth },
        Event::Surfaces(distance) => Step::Surfaces { distance },
        Event::Nested => Step::Nested,
        Event::Shrink(depth, shown) => Step::Shrink { depth, shown },
        Event::Confined(depth, boxes) => Step::Confined { depth, boxes },
        Event::Climb(depth) => Step::Climb { depth },
        Event::Cells(cells, depth) => Step::Cells { cells, depth },
    }
}
