//! One distinct pair of shapes: the stages in order, the measures, the status.

use super::judge::Limits;
use super::shape::Shape;
use super::{Certainty, Relation, Status};
use crate::geom::tolerance::{PENETRATION_WIDTH, roundoff_mm};
use crate::geom::{Pose, Vec3};
use crate::narrow::epa::EpaScratch;
use crate::narrow::gjk::Query;
use crate::narrow::pair::{Ask, Gap, HullAnswer, InnerBalls, contains, hull_gap};
use crate::narrow::sat::obb_obb;
use crate::narrow::thickness::Goal;

/// The stage that proved a pair clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClearStage {
    Obb,
    Hull,
}

/// What is known of a pair.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub status: Status,
    /// Set where the pair was proved to lie beyond everything asked of it; nothing else is then.
    pub cleared_by: Option<ClearStage>,
    pub certainty: Certainty,
    /// Absent where the pair was cleared or only a verdict was asked for: most answers are small.
    pub measured: Option<Box<Measured>>,
}

/// The numbers of a pair; lengths in mm, points and directions in the first shape's centred frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub relation: Relation,
    pub gap: f64,
    pub bracket: [f64; 2],
    pub witness: [Vec3; 2],
    pub normal: Option<Vec3>,
    /// Shortest translation of the second shape that separates the two, and its length.
    pub penetration: Option<(Vec3, f64)>,
}

impl Answer {
    fn status_only(status: Status, certainty: Certainty) -> Self {
        Self { status, cleared_by: None, certainty, measured: None }
    }

    fn cleared(stage: ClearStage) -> Self {
        Self { cleared_by: Some(stage), ..Self::status_only(Status::Clear, Certainty::Certified) }
    }
}

/// A pair to be answered: two shapes, the second one's centred frame in the first one's, and what is asked.
#[derive(Clone, Copy)]
pub(super) struct PairQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    pub pose: &'a Pose,
    pub limits: &'a Limits,
    /// How far rounding of the placements may have moved points (mm).
    pub residual: f64,
    pub verdict_only: bool,
}

impl PairQuery<'_> {
    /// The rounding margin η of the pair (mm).
    fn margin(&self) -> f64 {
        let (a, b) = (&self.first.convex, &self.second.convex);
        roundoff_mm(a.diameter, b.diameter, self.pose.translation.norm())
            // Recentring cancels what the part's own frame put far out.
            + roundoff_mm(self.first.max_abs, self.second.max_abs, 0.0) * 0.25
            + self.residual
    }

    /// Runs the stages.
    pub(super) fn answer(&self, scratch: &mut EpaScratch) -> Answer {
        let margin = self.margin();
        let (a, b) = (&self.first.convex, &self.second.convex);
        let limits = Limits { tolerance: self.tolerance(), ..*self.limits };
        let reach = limits.reach();
        let q = Query { a, b, b_in_a: self.pose };
        // What lies deep in both is found quickest, where only the verdict is asked for.
        let deep = limits.goal(margin).above + margin;
        let balls = InnerBalls::of(&q);
        if self.verdict_only && balls.thickness > deep {
            return Answer::status_only(Status::Interference, Certainty::Certified);
        }
        // Boxes hold the inner balls: where those nearly meet, no box test separates.
        if !balls.near && obb_obb(&self.first.obb, &self.second.obb, self.pose, reach + margin) > reach + margin {
            return Answer::cleared(ClearStage::Obb);
        }
        if self.verdict_only && balls.near && balls.common_ball(&q) > deep {
            return Answer::status_only(Status::Interference, Certainty::Certified);
        }
        let goal = if self.verdict_only { limits.goal(margin) } else { Goal::VALUE };
        match hull_gap(&q, &Ask { reach, goal, margin }) {
            HullAnswer::Beyond(_) => Answer::cleared(ClearStage::Hull),
            HullAnswer::Gap(gap) => {
                let status = limits.status(gap.bracket, margin);
                if self.verdict_only {
                    Answer::status_only(status, Certainty::Certified)
                } else {
                    self.measured(&q, &limits, &gap, status, margin, scratch)
                }
            }
        }
    }

    /// Never below the rounding of the coordinates of either mesh.
    fn tolerance(&self) -> f64 {
        self.limits.tolerance.max(self.first.tolerance_floor()).max(self.second.tolerance_floor())
    }

    fn measured(
        &self,
        q: &Query,
        limits: &Limits,
        gap: &Gap,
        status: Status,
        margin: f64,
        scratch: &mut EpaScratch,
    ) -> Answer {
        let mut certainty = limits.certainty(gap.bracket, margin);
        let mut measured = Measured {
            relation: self.relation(gap, margin),
            gap: gap.value,
            bracket: [gap.bracket[0] - margin, gap.bracket[1] + margin],
            witness: gap.witness,
            normal: gap.normal,
            penetration: None,
        };
        if gap.value < 0.0
            && let Some(found) = gap.penetration(q, margin, scratch)
        {
            measured.penetration = Some((found.axis * found.upper, found.upper));
            measured.normal = Some(found.axis);
            if found.upper - found.lower > (PENETRATION_WIDTH * (q.a.diameter + q.b.diameter)).max(4.0 * margin) {
                certainty = Certainty::Bracketed;
            }
        }
        Answer { measured: Some(Box::new(measured)), ..Answer::status_only(status, certainty) }
    }

    fn relation(&self, gap: &Gap, margin: f64) -> Relation {
        let (a, b) = (&self.first.convex, &self.second.convex);
        // Two surfaces that coincide by design differ by the rounding of both files.
        let rounding = margin + self.first.quantum + self.second.quantum;
        if gap.value > rounding {
            return Relation::Apart;
        }
        // A part inside another has all of its own thickness in common with it: most pairs are told apart by that.
        let thickness = 2.0 * (rounding + margin) - gap.bracket[0];
        let a_holds_b = thickness >= 2.0 * b.inner_radius && contains(a, b, self.pose, rounding);
        let b_holds_a = thickness >= 2.0 * a.inner_radius && contains(b, a, &self.pose.inverse(), rounding);
        match (a_holds_b, b_holds_a) {
            (true, true) => Relation::Coincident,
            (true, false) => Relation::AContainsB,
            (false, true) => Relation::BContainsA,
            (false, false) if -gap.value > rounding => Relation::Overlap,
            (false, false) => Relation::Touch,
        }
    }
}
