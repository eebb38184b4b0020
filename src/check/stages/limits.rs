//! Derives the status of a pair from the bracket of its gap (docs/explanation/gap.md).

use crate::assembly::Facets;
use crate::check::{Certainty, Status};
use crate::geom::Bounds;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::query::convex::common_ball_lp::Goal;

/// Limits of a pair; lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// Largest depth of a contact.
    pub tolerance: f64,
    /// Largest depth allowed by a rule.
    pub allow_depth: Option<f64>,
    /// Smallest gap required by a rule.
    pub min_clearance: Option<f64>,
    /// Largest gap allowed by a rule.
    pub max_gap: Option<f64>,
    /// Largest gap of a listed clear pair.
    pub report_within: Option<f64>,
    /// Largest width of the bracket of a least gap over a sweep.
    pub gap_width: Option<f64>,
    /// Facet policy: grants or refuses the facet allowance.
    pub facets: Facets,
}

/// Distance beyond every pair (mm): coordinates reach [`MAX_COORDINATE`] from the origin, and the diagonal of their box
/// is below four times that.
const BEYOND_ALL: f64 = 4.0 * MAX_COORDINATE;

impl Limits {
    /// Limits under which a pair interferes if it is certainly deeper than `depth` (mm, >= 0).
    pub(crate) fn deeper_than(depth: f64) -> Self {
        Self {
            tolerance: depth,
            allow_depth: None,
            min_clearance: None,
            max_gap: None,
            report_within: None,
            gap_width: None,
            facets: Facets::Strict,
        }
    }

    /// Distance beyond which the pair is clear and unlisted (mm); beyond every pair if a rule limits the gap.
    pub(crate) fn max_distance(&self) -> f64 {
        if self.max_gap.is_some() {
            return BEYOND_ALL;
        }
        [self.min_clearance, self.report_within].into_iter().flatten().fold(self.tolerance, f64::max)
    }

    /// Depth beyond which the pair interferes (mm). `facets` is the granted facet allowance (mm, >= 0).
    pub(crate) fn deepest(&self, facets: f64) -> f64 {
        self.allow_depth.unwrap_or(0.0).max(self.tolerance + facets)
    }

    /// Precision of the thickness, sufficient for the status.
    pub(crate) fn goal(&self, margin: f64) -> Goal {
        // Between tolerance and allowed depth, the two passing statuses differ: this needs the value itself.
        let deepest = self.deepest(0.0);
        let at_most = if self.allow_depth.is_some() { f64::NEG_INFINITY } else { deepest + margin };
        Goal { above: deepest + margin, at_most }
    }

    /// Status of a gap inside `bracket` (mm, signed). `margin` is the pair's rounding margin: a value within it of a
    /// threshold counts as equal, and an equal value passes. `facets` is the granted allowance (mm, >= 0).
    pub(crate) fn status(&self, bracket: Bounds, margin: f64, facets: f64) -> Status {
        let Bounds { lower: low, upper: high } = bracket;
        let [least, most] = bracket.to_depth();
        let (deepest, t) = (self.deepest(facets), self.tolerance);
        // The ends of the bracket are uncertain by a margin: an excess of up to twice the margin is a tie.
        let tie = 2.0 * margin;
        if least > deepest + margin {
            return Status::Interference;
        }
        if most > deepest + tie {
            return Status::Undecided;
        }
        // A depth beyond the rule's allowance passes as a contact, within tolerance and facet allowance.
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
        if let Some(largest) = self.max_gap {
            if low > largest + margin {
                return Status::Loose;
            }
            if high > largest + tie {
                return Status::Undecided;
            }
        }
        if low > t + margin { Status::Clear } else { Status::Contact }
    }

    /// Returns true if a depth of up to `most` (mm) passes only by the facet allowance.
    pub(crate) fn needs_facets(&self, most: f64, margin: f64) -> bool {
        most > self.deepest(0.0) + 2.0 * margin
    }

    /// Width of the bracket promised for a small depth (mm): a tenth of the tolerance, and at least 16 margins. For a
    /// larger depth, 1 % of it is promised.
    pub(crate) fn width(&self, margin: f64) -> f64 {
        (0.1 * self.tolerance).max(16.0 * margin)
    }

    /// Certified if the bracket is as narrow as the report promises.
    pub(crate) fn certainty(&self, bracket: Bounds, margin: f64) -> Certainty {
        let Bounds { lower: low, upper: high } = bracket;
        // At a tolerance of 0, the width covers depths within rounding.
        let promised = (0.01 * low.abs().min(high.abs())).max(self.width(margin));
        // The report widens the bracket by the margin on either side.
        if bracket.width() + 2.0 * margin <= promised { Certainty::Certified } else { Certainty::Bracketed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGIN: f64 = 1e-12;

    fn limits() -> Limits {
        Limits {
            tolerance: 0.01,
            allow_depth: None,
            min_clearance: None,
            max_gap: None,
            report_within: None,
            gap_width: None,
            facets: Facets::Allow,
        }
    }

    fn at(l: Limits, gap: f64) -> Status {
        l.status(Bounds::exact(gap), MARGIN, 0.0)
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
    fn allowance_names_its_limit() {
        let l = Limits { allow_depth: Some(0.3), ..limits() };
        assert_eq!(at(l, -0.3), Status::Allowed);
        assert_eq!(at(l, -0.005), Status::Contact);
        assert_eq!(at(l, -0.3 - 1e-9), Status::Interference);
        // An allowance below the tolerance leaves the tolerance unchanged.
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
    fn a_largest_gap_is_kept_by_equality_and_broken_above() {
        let l = Limits { max_gap: Some(2.0), ..limits() };
        assert_eq!([2.0, 2.0 + 0.5 * MARGIN, 0.005, -0.005].map(|gap| at(l, gap)), {
            [Status::Clear, Status::Clear, Status::Contact, Status::Contact]
        });
        assert_eq!(at(l, 2.000_001), Status::Loose);
        assert_eq!(at(l, -0.5), Status::Interference);
        assert_eq!(l.status([1.9, 2.1].into(), MARGIN, 0.0), Status::Undecided);
        let both = Limits { min_clearance: Some(1.0), ..l };
        assert_eq!([0.9, 1.5, 2.1].map(|gap| at(both, gap)), [Status::TooClose, Status::Clear, Status::Loose]);
    }

    #[test]
    fn a_threshold_inside_the_bracket_is_undecided() {
        assert_eq!(limits().status([-0.02, -0.005].into(), MARGIN, 0.0), Status::Undecided);
        let l = Limits { min_clearance: Some(2.0), ..limits() };
        assert_eq!(l.status([1.9, 2.1].into(), MARGIN, 0.0), Status::Undecided);
        // Contact and clear both pass: the pair is decided.
        assert_eq!(limits().status([0.005, 0.02].into(), MARGIN, 0.0), Status::Contact);
    }

    #[test]
    fn rule_takes_precedence_over_facet_allowance() {
        let with = |l: Limits, depth: f64| l.status(Bounds::from_depth(depth, depth), MARGIN, 0.02);
        assert_eq!(with(limits(), 0.03), Status::Contact);
        assert!(limits().needs_facets(0.03, MARGIN) && !limits().needs_facets(0.01 + MARGIN, MARGIN));
        assert_eq!(with(limits(), 0.03 + 1e-9), Status::Interference);
        let l = Limits { allow_depth: Some(0.02), ..limits() };
        assert_eq!(
            [0.01, 0.02, 0.025, 0.031].map(|d| with(l, d)),
            [Status::Contact, Status::Allowed, Status::Contact, Status::Interference]
        );
        // By the rule or by its facets, the pair passes.
        assert_eq!(l.status([-0.025, -0.015].into(), MARGIN, 0.02), Status::Contact);
        let l = Limits { min_clearance: Some(1.0), ..limits() };
        assert_eq!([0.02, 0.04].map(|d| with(l, d)), [Status::TooClose, Status::Interference]);
    }

    #[test]
    fn wide_brackets_are_not_certified() {
        assert_eq!(limits().certainty([-1.0, -0.995].into(), MARGIN), Certainty::Certified);
        assert_eq!(limits().certainty([-1.0, -0.9].into(), MARGIN), Certainty::Bracketed);
        assert_eq!(limits().certainty([-0.000_499, 0.000_5].into(), MARGIN), Certainty::Certified);
    }
}
