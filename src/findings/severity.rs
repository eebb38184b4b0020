//! When a finding is worse than it was: the one rule of baselines and of comparisons.

use crate::check::{CommonVolume, Metric, Severity};
use crate::geom::LengthUnit;

/// A number that was written in another unit and read again is off by this much of itself, at most.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Lengths that differ by no more (mm) are equal: the rounding margin of a pair that measures 16 metres in all. A placement that is written
/// otherwise moves a part by as much.
const SAME_LENGTH_MM: f64 = 1e-9;

/// A volume is a sum over many triangles, which is off by this much of itself where these stand otherwise.
const VOLUME_ROUNDING: f64 = 1e-9;

/// Whether a length `x` is more than `limit` (mm), rounding aside.
pub(crate) fn exceeds(x: f64, limit: f64) -> bool {
    exceeds_by(x - SAME_LENGTH_MM, limit, ROUNDING)
}

fn exceeds_by(x: f64, limit: f64, rounding: f64) -> bool {
    x - limit > rounding * x.abs().max(limit.abs())
}

/// From mm to a unit.
pub(crate) fn in_units(extent: Severity, units: LengthUnit) -> Severity {
    extent.scaled(|mm| mm / units.mm(), |mm3| mm3 / units.mm3())
}

/// From a unit to mm.
pub(crate) fn in_mm(extent: Severity, units: LengthUnit) -> Severity {
    extent.scaled(|x| x * units.mm(), |v| v * units.mm3())
}

/// What two runs leave open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slack {
    /// Of depths and gaps (mm).
    pub length: f64,
    /// Whether both parts have the meshes they had: their facets are the same then, and explain nothing.
    pub same_meshes: bool,
}

/// In what a finding is worse than `before`: by more than the slack in depth or gap (of brackets, in the lower end), and by more
/// than both runs leave open in the common volume, where both have one. `None` where the two are not of one kind.
///
/// The volume tells what a depth cannot, which grows no further than the thinner part. What tolerance and facets explain is
/// bounded by the surfaces they act on, not by a share of the volume: where most of what is shared is a
/// film, a small part of its thickness is a large part of its volume.
pub(crate) fn worse_in(now: Severity, before: Severity, slack: Slack) -> Option<Vec<Metric>> {
    let (measure, worse) = match (before, now) {
        (Severity::Depth(before, was), Severity::Depth(now, is)) => {
            let depth = exceeds(now, before + slack.length).then_some(Metric::Depth);
            let volume =
                was.zip(is).filter(|(was, is)| has_grown(*was, *is, slack.same_meshes)).map(|_| Metric::Volume);
            return Some(depth.into_iter().chain(volume).collect());
        }
        (Severity::Gap(before), Severity::Gap(now)) => (Metric::Gap, exceeds(before - slack.length, now)),
        (Severity::Bracket([before, _]), Severity::Bracket([now, _])) => {
            (Metric::Bracket, exceeds(before - slack.length, now))
        }
        _ => return None,
    };
    Some(worse.then_some(measure).into_iter().collect())
}

fn has_grown(was: CommonVolume, is: CommonVolume, same_meshes: bool) -> bool {
    let facets = if same_meshes { 0.0 } else { was.facets + is.facets };
    exceeds_by(is.volume, was.volume + was.slack + is.slack + facets, VOLUME_ROUNDING)
}

/// Whether both ends of two brackets are the same within `slack`.
pub(crate) fn is_same_bracket(now: Severity, before: Severity, slack: f64) -> bool {
    let (Severity::Bracket(before), Severity::Bracket(now)) = (before, now) else { return false };
    before.iter().zip(now).all(|(b, n)| !exceeds(n, b + slack) && !exceeds(b - slack, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slack(length: f64) -> Slack {
        Slack { length, same_meshes: true }
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
    fn deeper_and_nearer_are_worse_and_equality_is_not() {
        let worse = |now: Severity, before| is_worse(now, before, 0.01);
        assert_eq!(worse(depth(0.31), depth(0.3)), Some(false));
        assert_eq!(worse(depth(0.311), depth(0.3)), Some(true));
        assert_eq!(worse(Severity::Gap(1.24), Severity::Gap(1.25)), Some(false));
        assert_eq!(worse(Severity::Gap(1.239), Severity::Gap(1.25)), Some(true));
        assert_eq!(worse(Severity::Gap(1.0), depth(1.0)), None);
        assert_eq!(worse(Severity::Bracket([-0.5, 9.0]), Severity::Bracket([-0.4, 0.0])), Some(true));
    }

    #[test]
    fn more_volume_than_both_runs_leave_open_is_worse() {
        let worse = |now, before| worse_in(now, before, slack(0.01));
        assert_eq!(worse(shared(2.0, 25.0, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![]));
        assert_eq!(worse(shared(2.0, 25.1, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Volume]));
        assert_eq!(worse(shared(2.1, 25.1, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Depth, Metric::Volume]));
        // Less deep, and more of it.
        assert_eq!(worse(shared(1.0, 99.0, 1.0), shared(2.0, 22.0, 2.0)), Some(vec![Metric::Volume]));
        assert_eq!(worse(shared(2.0, 99.0, 1.0), depth(2.0)), Some(vec![]), "nothing to compare with");
        assert_eq!(worse(depth(2.0), shared(2.0, 22.0, 2.0)), Some(vec![]), "nothing to compare");
        // Facets explain something where they are others.
        let others = Slack { length: 0.01, same_meshes: false };
        assert_eq!(worse_in(shared(2.0, 34.9, 1.0), shared(2.0, 22.0, 2.0), others), Some(vec![]));
        assert_eq!(worse_in(shared(2.0, 35.1, 1.0), shared(2.0, 22.0, 2.0), others), Some(vec![Metric::Volume]));
    }

    #[test]
    fn a_unit_and_back_is_not_worse() {
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
    fn a_bracket_is_the_same_when_both_ends_are() {
        let before = Severity::Bracket([-0.5, 0.5]);
        assert!(is_same_bracket(Severity::Bracket([-0.49, 0.51]), before, 0.01));
        assert!(!is_same_bracket(Severity::Bracket([-0.4, 0.5]), before, 0.01));
        assert!(!is_same_bracket(Severity::Bracket([-0.5, 0.6]), before, 0.01));
        assert!(!is_same_bracket(depth(0.5), before, 1.0));
    }
}
