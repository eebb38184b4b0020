//! A pair of which a part is taken as convex pieces: what they say before anyone asks for triangles.

use super::judge::Limits;
use super::pair::{Answer, Left, PairQuery};
use super::shape::Shape;
use super::steps::{Step, Steps};
use super::{Certainty, Status};
use crate::geom::Vec3;
use crate::narrow::pieces::{Cover, PieceDistance, PiecePair};

/// What the pieces of a pair say.
pub(super) enum ByPieces {
    /// All there is to know.
    Settled(Box<Answer>),
    /// They meet, or it takes triangles to measure how far they are apart; the centre of the largest ball that two of them have in
    /// common, where that is one in both solids.
    Meet(Option<Vec3>),
}

fn cover(shape: &Shape) -> Cover<'_> {
    shape.pieces().map_or(Cover::Whole(&shape.convex), Cover::Pieces)
}

/// Whether a shape's cover is the solid itself, not only something that holds it.
fn is_solid(shape: &Shape) -> bool {
    shape.pieces().is_some() || shape.is_hull
}

impl PairQuery<'_> {
    /// The answer of the pieces, of a part that has none of its hull.
    pub(super) fn by_pieces(&self, limits: &Limits, margin: f64, steps: &mut Steps) -> ByPieces {
        let pair = PiecePair { a: cover(self.first), b: cover(self.second), b_in_a: self.pose };
        let of_solids = is_solid(self.first) && is_solid(self.second);
        match pair.distance(limits.reach(), margin) {
            PieceDistance::Beyond(least) => {
                steps.note(Step::Pieces { distance: Some([least, f64::INFINITY]), depth: None, cleared: true });
                self.settled(Status::Clear)
            }
            PieceDistance::Apart { bounds, points } => {
                let status = limits.status(bounds, margin, 0.0);
                // As narrow as rounding lets it be, or narrow enough for who asks for no number.
                let enough = if self.verdict_only {
                    status != Status::Undecided
                } else {
                    bounds[1] - bounds[0] <= 2.0 * margin
                };
                let cleared = of_solids && enough && status == Status::Clear;
                steps.note(Step::Pieces { distance: Some(bounds), depth: None, cleared });
                if !(of_solids && enough) {
                    return ByPieces::Meet(None);
                }
                let ByPieces::Settled(mut answer) = self.settled(status) else { return ByPieces::Meet(None) };
                if !self.verdict_only {
                    answer.measured = Some(Box::new(self.measured_apart(bounds[1], points, margin)));
                }
                ByPieces::Settled(answer)
            }
            PieceDistance::Meet => self.pieces_meet(&pair, of_solids, limits, margin, steps),
        }
    }

    fn pieces_meet(
        &self,
        pair: &PiecePair,
        of_solids: bool,
        limits: &Limits,
        margin: f64,
        steps: &mut Steps,
    ) -> ByPieces {
        // For a verdict a ball thicker than anything that passes is all there is to know.
        let enough = if self.verdict_only { limits.deepest(0.0) + margin } else { f64::INFINITY };
        let thickest = if of_solids { pair.thickest(enough) } else { None };
        let depth = thickest.map(|t| t.depth);
        steps.note(Step::Pieces { distance: None, depth, cleared: false });
        if self.verdict_only && depth.is_some_and(|d| d > enough) {
            return self.settled(Status::Interference);
        }
        ByPieces::Meet(thickest.map(|t| t.center))
    }

    fn settled(&self, status: Status) -> ByPieces {
        let answer = Answer::bare(status, Certainty::Certified, self.geometry());
        ByPieces::Settled(Box::new(Answer { left: Left::Pieces, ..answer }))
    }
}
