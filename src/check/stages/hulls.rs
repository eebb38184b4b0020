//! Answers and measures a pair whose hulls are the solids.

use crate::check::stages::limits::Limits;
use crate::check::stages::trace::ExitStage;
use crate::check::stages::trace::{Step, Trace};
use crate::check::stages::{Answer, AsGiven, Measured, PairQuery};
use crate::check::{Certainty, Measure, Relation, Status};
use crate::geom::Bounds;
use crate::geom::tolerance::PENETRATION_WIDTH;
use crate::query::convex::common_ball_lp::Goal;
use crate::query::convex::epa::EpaScratch;
use crate::query::convex::gjk::HullPair;
use crate::query::convex::{Gap, HullAnswer, HullLimits, contains, hull_gap};

impl PairQuery<'_> {
    /// Answers a pair whose hulls are the solids.
    pub(crate) fn by_hulls(
        &self,
        q: &HullPair,
        limits: &Limits,
        margin: f64,
        scratch: &mut EpaScratch,
        steps: &mut Trace,
    ) -> Answer {
        let goal = if self.verdict_only() { limits.goal(margin) } else { Goal::VALUE };
        match hull_gap(q, &HullLimits { reach: limits.max_distance(), goal, margin }) {
            HullAnswer::Beyond(distance) => {
                steps.note(Step::Hull { gap: Bounds { lower: distance, upper: f64::INFINITY }, cleared: true });
                Answer {
                    exit_stage: ExitStage::Hull,
                    ..Answer::bare(Status::Clear, Certainty::Certified, self.geometry())
                }
            }
            HullAnswer::Gap(gap) => {
                let gap = if self.verdict_only() { gap } else { self.refine_gap(gap, margin) };
                let status = limits.status(gap.bracket, margin, 0.0);
                steps.note(Step::Hull { gap: gap.bracket, cleared: status == Status::Clear });
                if self.verdict_only() {
                    Answer::bare(status, Certainty::Certified, self.geometry())
                } else {
                    self.measured(q, limits, &gap, status, margin, scratch)
                }
            }
        }
    }

    fn measured(
        &self,
        q: &HullPair,
        limits: &Limits,
        gap: &Gap,
        status: Status,
        margin: f64,
        scratch: &mut EpaScratch,
    ) -> Answer {
        let mut used_self_union = [false; 2];
        let mut certainty = limits.certainty(gap.bracket, margin);
        let mut measured = Measured {
            relation: Some(self.relation(gap, margin)),
            gap: Some(gap.value),
            bracket: gap.bracket.widened(margin),
            witness: gap.witness,
            deepest_point: gap.ball_center,
            normal: gap.normal,
            penetration: None,
            common: None,
        };
        if gap.value <= 0.0 {
            (measured.common, used_self_union) = self.common(&measured, margin, &AsGiven::NONE, None, None);
        }
        if gap.value < 0.0
            && self.measure == Measure::All
            && let Some(found) = gap.penetration(q, margin, scratch)
        {
            measured.penetration = Some((found.axis * found.upper, found.upper));
            measured.normal = Some(found.axis);
            if found.upper - found.lower > (PENETRATION_WIDTH * (q.a.diameter + q.b.diameter)).max(4.0 * margin) {
                certainty = Certainty::Bracketed;
            }
        }
        Answer {
            // A convex solid has no concave edge: the allowance is 0.
            facet_allowance: (gap.value < 0.0).then_some(0.0),
            used_self_union,
            measured: Some(Box::new(measured)),
            ..Answer::bare(status, certainty, self.geometry())
        }
    }

    fn relation(&self, gap: &Gap, margin: f64) -> Relation {
        let (a, b) = (self.first.convex(), self.second.convex());
        let rounding = self.rounding(margin);
        if gap.value > rounding {
            return Relation::Apart;
        }
        // A contained part shares its whole thickness: this test excludes containment of most pairs.
        let thickness = 2.0 * (rounding + margin) - gap.bracket.lower;
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
