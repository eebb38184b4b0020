//! Rounds a run to the numbers of its report, so that a drawing of the run and one of its report are equal.

use crate::assembly::RuleAction;
use crate::check::PairOutcome;
use crate::findings::judged::Judged;
use crate::geom::{Aabb, LengthUnit, Vec3};
use std::borrow::Cow;

/// Judged run with the lengths that a reader of its report computes: divided by the unit, then multiplied. In
/// millimetres it is the run itself.
pub fn as_reported(judged: &Judged) -> Cow<'_, Judged> {
    let units = judged.outcome.units;
    if units == LengthUnit::Mm {
        return Cow::Borrowed(judged);
    }
    let mut judged = judged.clone();
    judged.outcome.pairs.iter_mut().for_each(|p| round(p, units));
    let comparisons = judged.baseline.iter_mut().flat_map(|b| &mut b.comparisons).flatten();
    for accepted in comparisons.filter_map(|c| c.accepted.as_mut()) {
        accepted.extent = accepted.extent.map(|e| e.scaled(|mm| length(mm, units), |mm3| volume(mm3, units)));
        accepted.penetration_depth = accepted.penetration_depth.map(|mm| length(mm, units));
    }
    for rule in &mut judged.outcome.rules {
        let mm = rule.verb.length().map(|mm| units.as_given(mm) * units.mm());
        if let Some(mm) = mm {
            rule.verb = RuleAction::of_key(rule.verb.key(), Some(mm));
        }
    }
    Cow::Owned(judged)
}

fn length(mm: f64, units: LengthUnit) -> f64 {
    mm / units.mm() * units.mm()
}

fn volume(mm3: f64, units: LengthUnit) -> f64 {
    mm3 / units.mm3() * units.mm3()
}

fn round(p: &mut PairOutcome, units: LengthUnit) {
    let length = |mm: f64| length(mm, units);
    let volume = |mm3: f64| volume(mm3, units);
    let point = |v: Vec3| v.map(length);
    for x in [&mut p.gap, &mut p.overlap_depth, &mut p.penetration_depth, &mut p.facet_allowance].into_iter().flatten()
    {
        *x = length(*x);
    }
    p.gap_bracket = p.gap_bracket.map(|b| b.map(length));
    p.separating_translation = p.separating_translation.map(point);
    p.closest_points = p.closest_points.map(|points| points.map(point));
    p.deepest_point = p.deepest_point.map(point);
    p.overlap_volume = p.overlap_volume.map(volume);
    p.overlap_volume_slack = p.overlap_volume_slack.map(volume);
    p.overlap_volume_facets = p.overlap_volume_facets.map(volume);
    p.overlap_box = p.overlap_box.map(|b| Aabb { min: point(b.min), max: point(b.max) });
}
