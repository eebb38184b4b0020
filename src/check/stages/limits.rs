//! From a bracket of the gap to a status (concept.md, Verdicts).

use crate::assembly::Facets;
use crate::check::{Certainty, Status};
use crate::query::convex::common_ball_lp::Goal;

/// What is held against a pair, lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// Overlap no deeper than this is contact.
    pub tolerance: f64,
    /// Overlap no deeper than this is allowed by a rule.
    pub allow_depth: Option<f64>,
    /// The gap a rule demands.
    pub min_clearance: Option<f64>,
    /// Clear pairs up to this gap are listed.
    pub report_within: Option<f64>,
    /// Whether the pair's facet allowance is granted.
    pub facets: Facets,
}

impl Limits {
    /// Nothing is asked of a pair farther apart than this.
    pub(crate) fn max_distance(&self) -> f64 {
        [self.min_clearance, self.report_within].into_iter().flatten().fold(self.tolerance, f64::max)
    }

    /// The depth beyond which the pair interferes where its facets explain `facets` (mm; 0 where that is not granted).
    pub(crate) fn deepest(&self, facets: f64) -> f64 {
        self.allow_depth.unwrap_or(0.0).max(self.tolerance + facets)
    }

    /// How well the thickness must be known to decide the status.
    pub(crate) fn goal(&self, margin: f64) -> Goal {
        // Between tolerance and allowance the two passing statuses differ, so the value itself is needed.
        let deepest = self.deepest(0.0);
        let at_most = if self.allow_depth.is_some() { f64::NEG_INFINITY } else { deepest + margin };
        Goal { above: deepest + margin, at_most }
    }

    /// The status that a gap inside `bracket` has, where `margin` is the pair's rounding margin: a value that near to a
    /// threshold counts as equal to it, and equality keeps the threshold. `facets` is the allowance that is granted (mm).
    pub(crate) fn status(&self, bracket: [f64; 2], margin: f64, facets: f64) -> Status {
        let [low, high] = bracket;
        let (least, most) = (-high, -low);
        let (deepest, t) = (self.deepest(facets), self.tolerance);
        // The bracket itself is uncertain by a margin: what it straddles by no more than that is a tie.
        let tie = 2.0 * margin;
        if least > deepest + margin {
            return Status::Interference;
        }
        if most > deepest + tie {
            return Status::Undecided;
        }
        // Deeper than the rule allows, it passes by its facets or as contact.
        if self.allow_depth.is_some_and(|a| most <= a + tie) && least > t + margin {
            return Status::Allowed;
        }
        if let Some(clearance) = self.min_clearance {
            if high < clearance - margin {
                return Status::TooClose;
            }
            if low < clearance - tie {
                return Status::Undecided;
            }
        }
        if low > t + margin { Status::Clear } else { Status::Contact }
    }

    /// Whether a pair that may be this deep (mm) passes by nothing but its facets.
    pub(crate) fn needs_facets(&self, most: f64, margin: f64) -> bool {
        most > self.deepest(0.0) + 2.0 * margin
    }

    /// How wide the bracket of a listed pair may be beside 1 % of the depth (mm): a tenth of the tolerance, and never so
    /// narrow that rounding alone is wider.
    pub(crate) fn width(&self, margin: f64) -> f64 {
        (0.1 * self.tolerance).max(16.0 * margin)
    }

    /// Whether the bracket is as narrow as the report promises.
    pub(crate) fn certainty(&self, bracket: [f64; 2], margin: f64) -> Certainty {
        let [low, high] = bracket;
        // Of a depth that is rounding, at a tolerance of 0, rounding is all that can be said.
        let promised = (0.01 * low.abs().min(high.abs())).max(self.width(margin));
        // What is reported is wider by the margin on either side.
        if high - low + 2.0 * margin <= promised { Certainty::Certified } else { Certainty::Bracketed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGIN: f64 = 1e-12;

    fn limits() -> Limits {
        Limits { tolerance: 0.01, allow_depth: None, min_clearance: None, report_within: None, facets: Facets::Allow }
    }

    fn at(l: Limits, gap: f64) -> Status {
        l.status([gap, gap], MARGIN, 0.0)
    }

    #[test]
    fn equality_keeps_the_tolerance() {
        assert_eq!(at(limits(), -0.01), Status::Contact);
        assert_eq!(at(limits(), -0.01 - 0.5 * MARGIN), Status::Contact);
        assert_eq!(at(limits(), -0.01 - 1e-9), Status::Interference);
        assert_eq!(at(limits(), 0.01), Status::Contact);
        assert_eq!(at(limits(), 0.01 + 1e-9), Status::Clear);
    }

    #[test]
    fn an_allowance_names_what_it_allows() {
        let l = Limits { allow_depth: Some(0.3), ..limits() };
        assert_eq!(at(l, -0.3), Status::Allowed);
        assert_eq!(at(l, -0.005), Status::Contact);
        assert_eq!(at(l, -0.3 - 1e-9), Status::Interference);
        // An allowance below the tolerance takes nothing away from the tolerance.
        assert_eq!(at(Limits { allow_depth: Some(0.001), ..limits() }, -0.01), Status::Contact);
    }

    #[test]
    fn a_clearance_is_kept_by_equality_and_broken_below() {
        let l = Limits { min_clearance: Some(2.0), ..limits() };
        assert_eq!(at(l, 2.0), Status::Clear);
        assert_eq!(at(l, 2.0 - 0.5 * MARGIN), Status::Clear);
        assert_eq!(at(l, 1.999_999), Status::TooClose);
        assert_eq!(at(l, -0.005), Status::TooClose);
        assert_eq!(at(l, -0.5), Status::Interference);
        assert_eq!(at(Limits { min_clearance: Some(0.0), ..limits() }, 0.0), Status::Contact);
    }

    #[test]
    fn a_threshold_inside_the_bracket_is_undecided() {
        assert_eq!(limits().status([-0.02, -0.005], MARGIN, 0.0), Status::Undecided);
        let l = Limits { min_clearance: Some(2.0), ..limits() };
        assert_eq!(l.status([1.9, 2.1], MARGIN, 0.0), Status::Undecided);
        // Contact or clear: both pass, so nothing is left undecided.
        assert_eq!(limits().status([0.005, 0.02], MARGIN, 0.0), Status::Contact);
    }

    #[test]
    fn facets_explain_an_overlap_and_a_rule_comes_before_them() {
        let with = |l: Limits, depth: f64| l.status([-depth, -depth], MARGIN, 0.02);
        assert_eq!(with(limits(), 0.03), Status::Contact);
        assert!(limits().needs_facets(0.03, MARGIN) && !limits().needs_facets(0.01 + MARGIN, MARGIN));
        assert_eq!(with(limits(), 0.03 + 1e-9), Status::Interference);
        let l = Limits { allow_depth: Some(0.02), ..limits() };
        assert_eq!(
            [0.01, 0.02, 0.025, 0.031].map(|d| with(l, d)),
            [Status::Contact, Status::Allowed, Status::Contact, Status::Interference]
        );
        // Allowed or by its facets: it passes either way.
        assert_eq!(l.status([-0.025, -0.015], MARGIN, 0.02), Status::Contact);
        let l = Limits { min_clearance: Some(1.0), ..limits() };
        assert_eq!([0.02, 0.04].map(|d| with(l, d)), [Status::TooClose, Status::Interference]);
    }

    #[test]
    fn wide_brackets_are_said_to_be_wide() {
        assert_eq!(limits().certainty([-1.0, -0.995], MARGIN), Certainty::Certified);
        assert_eq!(limits().certainty([-1.0, -0.9], MARGIN), Certainty::Bracketed);
        assert_eq!(limits().certainty([-0.000_499, 0.000_5], MARGIN), Certainty::Certified);
    }
}
