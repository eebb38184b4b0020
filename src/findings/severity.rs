//! Defines the severity of a finding. Tests if a finding is worse than before: the one rule of baselines and
//! comparisons.

use crate::geom::{Bounds, LengthUnit};

/// Largest relative error of a number written in another unit and read back.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Difference up to which lengths are equal (mm): the rounding margin of a pair of 16 m in size, or the effect of an
/// equal placement written in another form.
const SAME_LENGTH_MM: f64 = 1e-9;

/// Relative error of a volume, a sum over many triangles, after moving the triangles.
const VOLUME_ROUNDING: f64 = 1e-9;

/// Severity of a finding, compared between runs. Lengths in mm, unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Severity {
    /// Overlap depth of an interference (>= 0), and its common volume if computed. More is worse.
    Depth(f64, Option<CommonVolume>),
    /// Gap of a too small clearance. Less is worse.
    Gap(f64),
    /// Bounds of the gap of an undecided pair. A lower lower end is worse.
    Bracket(Bounds),
    /// Bounds of a gap that is too large. A higher lower end is worse.
    Largest(Bounds),
}

/// Common volume of two solids (mm³, >= 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonVolume {
    /// Volume of the intersection.
    pub volume: f64,
    /// Uncertainty, see [`PairOutcome::overlap_volume_slack`](crate::check::PairOutcome::overlap_volume_slack).
    pub slack: f64,
    /// Uncertainty, see [`PairOutcome::overlap_volume_facets`](crate::check::PairOutcome::overlap_volume_facets).
    pub facets: f64,
}

impl Severity {
    /// Converts lengths and volumes to another unit.
    #[must_use]
    pub fn scaled(self, length: impl Fn(f64) -> f64, volume: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Depth(depth, shared) => {
                let shared = shared.map(|s| CommonVolume {
                    volume: volume(s.volume),
                    slack: volume(s.slack),
                    facets: volume(s.facets),
                });
                Self::Depth(length(depth), shared)
            }
            Self::Gap(gap) => Self::Gap(length(gap)),
            Self::Bracket(bracket) => Self::Bracket(bracket.map(length)),
            Self::Largest(bracket) => Self::Largest(bracket.map(length)),
        }
    }
}

/// Metric of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Overlap depth.
    Depth,
    /// Volume of the intersection.
    Volume,
    /// Length of the separating translation.
    Penetration,
    /// Gap.
    Gap,
    /// Both ends of the gap's bracket.
    Bracket,
    /// Path over the failing parts of a sweep.
    Travel,
}

impl Metric {
    /// Key of the metric in a pair's row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Depth => "overlap_depth",
            Self::Volume => "overlap_volume",
            Self::Penetration => "penetration_depth",
            Self::Gap => "gap",
            Self::Bracket => "gap_bracket",
            Self::Travel => "failing_travel",
        }
    }
}

/// Returns true if the length `x` exceeds `limit` (mm) beyond rounding.
pub(crate) fn exceeds(x: f64, limit: f64) -> bool {
    exceeds_by(x - SAME_LENGTH_MM, limit, ROUNDING)
}

fn exceeds_by(x: f64, limit: f64, rounding: f64) -> bool {
    x - limit > rounding * x.abs().max(limit.abs())
}

/// Converts from mm to a unit.
pub(crate) fn in_units(extent: Severity, units: LengthUnit) -> Severity {
    extent.scaled(|mm| mm / units.mm(), |mm3| mm3 / units.mm3())
}

/// Converts from a unit to mm.
pub(crate) fn in_mm(extent: Severity, units: LengthUnit) -> Severity {
    extent.scaled(|x| x * units.mm(), |v| v * units.mm3())
}

/// Uncertainty between two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slack {
    /// Uncertainty of depths and gaps (mm).
    pub length: f64,
    /// Width of the bracket of the earlier depth or gap (mm, >= 0): the part of a difference that may come from another
    /// search. 0 where equal inputs take the same search.
    pub search: f64,
    /// True if both parts have their old meshes: equal facets explain no difference.
    pub same_meshes: bool,
}

impl Slack {
    /// Slack against an earlier finding: `uncertainty` is the width of its bracket (mm), `is_sweep` tells that it is
    /// one of a sweep.
    pub(crate) fn against(uncertainty: f64, is_sweep: bool, same_meshes: bool, length: f64) -> Self {
        let search = if same_meshes && !is_sweep { 0.0 } else { uncertainty };
        Self { length, search, same_meshes }
    }
}

/// Metrics in which a finding is worse than `before`. Depth and gap (for brackets, the lower end) must change by more
/// than the slack, the common volume by more than the uncertainty of both runs, if both have one. `None` for different
/// kinds.
///
/// A depth or gap is one end of its bracket, and another search may end at another point of it: with other meshes, or
/// for a sweep in another place. There the bracket's width counts as slack.
///
/// The volume shows growth that a depth misses, since a depth ends at the thickness of the thinner part. The effect of
/// tolerance and facets is bounded by the surface areas, not by a share of the volume: in a thin overlap, a small part
/// of the thickness is a large part of the volume.
pub(crate) fn worse_in(now: Severity, before: Severity, slack: Slack) -> Option<Vec<Metric>> {
    let (measure, worse) = match (before, now) {
        (Severity::Depth(before, was), Severity::Depth(now, is)) => {
            let depth = exceeds(now, before + slack.length + slack.search).then_some(Metric::Depth);
            let volume =
                was.zip(is).filter(|(was, is)| has_grown(*was, *is, slack.same_meshes)).map(|_| Metric::Volume);
            return Some(depth.into_iter().chain(volume).collect());
        }
        (Severity::Gap(before), Severity::Gap(now)) => {
            (Metric::Gap, exceeds(before - slack.length - slack.search, now))
        }
        (Severity::Bracket(before), Severity::Bracket(now)) => {
            (Metric::Bracket, exceeds(before.lower - slack.length, now.lower))
        }
        (Severity::Largest(before), Severity::Largest(now)) => {
            (Metric::Bracket, exceeds(now.lower, before.lower + slack.length))
        }
        _ => return None,
    };
    Some(worse.then_some(measure).into_iter().collect())
}

fn has_grown(was: CommonVolume, is: CommonVolume, same_meshes: bool) -> bool {
    let facets = if same_meshes { 0.0 } else { was.facets + is.facets };
    exceeds_by(is.volume, was.volume + was.slack + is.slack + facets, VOLUME_ROUNDING)
}

/// Separating translations of a finding in two runs. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Penetration {
    /// Length of the present translation.
    pub now: f64,
    /// Length of the accepted translation.
    pub before: f64,
    /// Facet errors of both parts in both runs, together.
    pub facets: f64,
    /// Overlap depth that the accepted translation leaves now (infinite without a bound), if measured.
    pub remaining: Option<f64>,
}

/// Returns true if the pair takes a longer translation to separate: the present one is longer by more than tolerance
/// and facets explain, and the accepted one leaves an overlap deeper than that.
///
/// The translation of a run is the shortest found, so its length alone proves nothing. The remaining overlap does.
/// Without it, the lengths decide, for equal meshes only: these give the same search.
pub(crate) fn is_farther_in(p: Penetration, slack: Slack) -> bool {
    let explained = slack.length + if slack.same_meshes { 0.0 } else { p.facets };
    let is_deep = |depth: f64| depth.is_infinite() || exceeds(depth, explained);
    exceeds(p.now, p.before + explained) && p.remaining.map_or(slack.same_meshes, is_deep)
}

/// Width of the bracket of a gap (mm, >= 0); 0 without one, and for an infinite one.
pub(crate) fn width_of(bracket: Option<Bounds>) -> f64 {
    bracket.map(|b| b.upper - b.lower).filter(|width| width.is_finite()).unwrap_or(0.0)
}

/// Returns true if both ends of two brackets agree within `slack`.
pub(crate) fn is_same_bracket(now: Severity, before: Severity, slack: f64) -> bool {
    let (Severity::Bracket(before), Severity::Bracket(now)) = (before, now) else { return false };
    let ends = [(before.lower, now.lower), (before.upper, now.upper)];
    ends.into_iter().all(|(b, n)| !exceeds(n, b + slack) && !exceeds(b - slack, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slack(length: f64) -> Slack {
        Slack { length, search: 0.0, same_meshes: true }
    }

    fn is_worse(now: Severity, before: Severity, length: f64) -> Option<bool> {
        worse_in(now, before, slack(length)).map(|m| !m.is_empty())
    }

    const fn depth(mm: f64) -> Severity {
        Severity::Depth(mm, None)
    }

    fn shared(mm: f64, volume: f64, slack: f64) -> Severity {
        Severity::Depth(mm, Some(CommonVolume { volume, slack, facets: 5.0 }))
    }

    #[test]
    fn deeper_or_nearer_is_worse_and_equal_is_not() {
        let worse = |now: Severity, before| is_worse(now, before, 0.01);
        assert_eq!(worse(depth(0.31), depth(0.3)), Some(false));
        assert_eq!(worse(depth(0.311), depth(0.3)), Some(true));
        assert_eq!(worse(Severity::Gap(1.24), Severity::Gap(1.25)), Some(false));
        assert_eq!(worse(Severity::Gap(1.239), Severity::Gap(1.25)), Some(true));
        assert_eq!(worse(Severity::Gap(1.0), depth(1.0)), None);
        let other_search = Slack { length: 0.01, search: 0.02, same_meshes: true };
        for (now, before) in [(depth(0.33), depth(0.3)), (Severity::Gap(1.22), Severity::Gap(1.25))] {
            assert_eq!(worse(now, before), Some(true));
            assert_eq!(worse_in(now, before, other_search), Some(vec![]));
        }
        assert_eq!(worse_in(depth(0.331), depth(0.3), other_search), Some(vec![Metric::Depth]));
        let largest = |gap: f64| Severity::Largest([gap, gap + 0.1].into());
        assert_eq!(worse(largest(20.009), largest(20.0)), Some(false));
        assert_eq!(worse(largest(20.011), largest(20.0)), Some(true));
        assert_eq!(worse(largest(18.0), largest(20.0)), Some(false));
        assert_eq!(worse(largest(18.0), Severity::Gap(18.0)), None);
        assert_eq!(worse(Severity::Bracket([-0.5, 9.0].into()), Severity::Bracket([-0.4, 0.0].into())), Some(true));
    }

    #[test]
    fn volume_growth_beyond_both_slacks_is_worse() {
        let worse = |now, before| worse_in(now, before, slack(0.01));
        assert_eq!(worse(shared(2.0, 25.0, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![]));
        assert_eq!(worse(shared(2.0, 25.1, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Volume]));
        assert_eq!(worse(shared(2.1, 25.1, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Depth, Metric::Volume]));
        // Less deep, but larger in volume.
        assert_eq!(worse(shared(1.0, 99.0, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Volume]));
        assert_eq!(worse(shared(2.0, 99.0, 1.0), depth(2.0)), Some(vec![]), "nothing to compare with");
        assert_eq!(worse(depth(2.0), shared(2.0, 22.0, 2.0)), Some(vec![]), "nothing to compare");
        // Different facets explain a difference.
        let others = Slack { length: 0.01, search: 0.0, same_meshes: false };
        assert_eq!(worse_in(shared(2.0, 34.9, 1.0), shared(2.0, 22.0, 2.0), others), Some(vec![]));
        assert_eq!(worse_in(shared(2.0, 35.1, 1.0), shared(2.0, 22.0, 2.0), others), Some(vec![Metric::Volume]));
    }

    #[test]
    fn longer_translation_is_worse_if_the_accepted_one_leaves_an_overlap() {
        let longer = |now, remaining, same_meshes| {
            let penetration = Penetration { now, before: 10.0, facets: 0.2, remaining };
            is_farther_in(penetration, Slack { length: 0.01, search: 0.0, same_meshes })
        };
        assert!(longer(10.5, Some(0.5), true) && longer(10.5, Some(0.5), false) && longer(10.5, None, true));
        assert!(!longer(10.01, Some(0.5), true), "within the tolerance");
        assert!(!longer(10.5, Some(0.01), true), "the accepted translation still separates");
        assert!(!longer(10.2, Some(0.5), false) && !longer(10.5, Some(0.2), false), "explained by the facets");
        assert!(!longer(10.5, None, false), "the searches differ");
        assert!(longer(10.5, Some(f64::INFINITY), true));
    }

    #[test]
    fn unit_conversion_roundtrip_is_not_worse() {
        for k in 1..2000 {
            let mm = f64::from(k) * 0.0137;
            for unit in LengthUnit::ALL {
                for extent in [shared(mm, mm * mm, 0.0), Severity::Gap(mm)] {
                    let written = in_mm(in_units(extent, unit), unit);
                    assert_eq!(worse_in(extent, written, slack(0.0)), Some(vec![]), "{mm}");
                    assert_eq!(worse_in(written, extent, slack(0.0)), Some(vec![]), "{mm}");
                }
            }
        }
        assert_eq!(is_worse(depth(1.0 + 1e-10), depth(1.0), 0.0), Some(false));
        assert_eq!(is_worse(depth(1.0 + 1e-8), depth(1.0), 0.0), Some(true));
    }

    #[test]
    fn brackets_are_equal_if_both_ends_are() {
        let before = Severity::Bracket([-0.5, 0.5].into());
        assert!(is_same_bracket(Severity::Bracket([-0.49, 0.51].into()), before, 0.01));
        assert!(!is_same_bracket(Severity::Bracket([-0.4, 0.5].into()), before, 0.01));
        assert!(!is_same_bracket(Severity::Bracket([-0.5, 0.6].into()), before, 0.01));
        assert!(!is_same_bracket(depth(0.5), before, 1.0));
    }
}
