//! Describes the joint values of a row of a sweep.

use crate::check::{FailingPart, JointOutcome, JointSpan, JointTravel, Outcome, PairOutcome, Status, SweptPair};
use crate::report::motion::in_units;
use crate::report::text::shown;

/// Significant digits of a joint value.
const DIGITS: i32 = 6;

/// Joint values at the worst pose of a row: `lid 104.2`. Empty without one.
pub(crate) fn worst_at(o: &Outcome, p: &PairOutcome) -> String {
    let Some((swept, span)) = p.swept.as_ref().and_then(|s| Some((s, s.worst.as_ref()?))) else {
        return String::new();
    };
    let value = |t: &JointTravel| {
        let joint = leader(o, t.joint)?;
        Some(format!("{} {}", shown(&joint.name), value_text(in_units(joint, t.from, o.units), 0.0)))
    };
    let values: Vec<String> = span.joints.iter().filter_map(value).collect();
    segment(swept, span) + &values.join(", ")
}

/// Joint values of the failing parts of a row, or of the parts without a proof: `98.7311 … 110`. Empty without any.
pub(crate) fn parts(o: &Outcome, p: &PairOutcome) -> String {
    let Some(swept) = p.swept.as_deref() else { return String::new() };
    let failing = swept.failing.as_deref().unwrap_or_default();
    // A part of the row's status says more than an earlier one of a lesser status.
    let part = failing.iter().find(|part| part.status == p.status).or(failing.first());
    let (first, n) = match (p.status, part, swept.open.first()) {
        (Status::Undecided, _, Some(open)) => (open_text(o, swept, open), swept.open_count),
        (_, Some(part), _) => (failing_text(o, swept, part), failing.len() as u64),
        _ => return String::new(),
    };
    if n > 1 { format!("{first} and {} more", n - 1) } else { first }
}

/// Joint values at the start of a part, or at its end: `lid 98.7311`.
pub(crate) fn end_of(o: &Outcome, swept: &SweptPair, span: &JointSpan, end: fn(&JointTravel) -> f64) -> String {
    let value = |t: &JointTravel| {
        let joint = leader(o, t.joint)?;
        Some(format!("{} {}", shown(&joint.name), value_text(in_units(joint, end(t), o.units), 0.0)))
    };
    segment(swept, span) + &span.joints.iter().filter_map(value).collect::<Vec<_>>().join(", ")
}

/// A bracket of joint values, by its end: `segment 2: lid 98.7311`.
pub(crate) fn bracket(o: &Outcome, swept: &SweptPair, span: &JointSpan) -> String {
    let value = |t: &JointTravel| {
        let joint = leader(o, t.joint)?;
        let [to, width] = [t.to, t.to - t.from].map(|value| in_units(joint, value, o.units));
        Some(format!("{} {}", shown(&joint.name), value_text(to, width)))
    };
    segment(swept, span) + &span.joints.iter().filter_map(value).collect::<Vec<_>>().join(", ")
}

/// Share of the run with a proof: `all`, or a percentage rounded down. Empty outside of a sweep.
pub(crate) fn proved(p: &PairOutcome) -> String {
    match p.swept.as_ref().map(|s| s.proved) {
        None => String::new(),
        Some(share) if share >= 1.0 => "all".to_owned(),
        Some(share) => format!("{} %", libm::floor(share * 1e4) / 1e2),
    }
}

/// Clause about a row of a sweep, for a sentence: ` at hinge 110; fails from hinge 98.7311 … 110`.
pub(crate) fn clause(o: &Outcome, p: &PairOutcome) -> String {
    let (at, parts) = (worst_at(o, p), parts(o, p));
    let at = if at.is_empty() { at } else { format!(" at {at}") };
    let verb = if p.status == Status::Undecided { "without a proof" } else { "fails" };
    let parts = if parts.is_empty() { parts } else { format!("; {verb}: {parts}") };
    at + &parts
}

/// A joint with a value of its own; `None` for one that follows another one.
fn leader(o: &Outcome, joint: u32) -> Option<&JointOutcome> {
    o.motion.as_ref()?.joints.get(joint as usize).filter(|joint| joint.has_own_value())
}

/// Name of the segment of a path with several, to precede joint values: `segment 2: `.
fn segment(swept: &SweptPair, span: &JointSpan) -> String {
    if swept.segments > 1 { format!("segment {}: ", span.segment + 1) } else { String::new() }
}

/// Joint values of a failing part: `98.7311 … 110`.
pub(crate) fn failing_text(o: &Outcome, swept: &SweptPair, part: &FailingPart) -> String {
    let ends = part.from.joints.iter().zip(&part.to.joints).filter_map(|(from, to)| {
        let joint = leader(o, from.joint)?;
        // The inner sides of the brackets break the limit.
        let [start, end] = [(from.to, from.to - from.from), (to.from, to.to - to.from)]
            .map(|(value, width)| value_text(in_units(joint, value, o.units), in_units(joint, width, o.units)));
        Some((shown(&joint.name).into_owned(), start, end))
    });
    let some = if part.throughout || part.status == Status::Undecided { "" } else { "some of " };
    segment(swept, &part.from) + some + &ranges(ends.collect())
}

fn open_text(o: &Outcome, swept: &SweptPair, span: &JointSpan) -> String {
    let ends = span.joints.iter().filter_map(|t| {
        let joint = leader(o, t.joint)?;
        let width = in_units(joint, t.to - t.from, o.units);
        let [start, end] = [t.from, t.to].map(|value| value_text(in_units(joint, value, o.units), width));
        Some((shown(&joint.name).into_owned(), start, end))
    });
    segment(swept, span) + &ranges(ends.collect())
}

/// Ranges of joints; the name of a single joint is that of the run.
fn ranges(ends: Vec<(String, String, String)>) -> String {
    let one = ends.len() == 1;
    let text = |(name, from, to): (String, String, String)| {
        let name = if one { String::new() } else { format!("{name} ") };
        if from == to { format!("{name}{from}") } else { format!("{name}{from} … {to}") }
    };
    ends.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Formats a joint value with at most six digits, and no digit below the width of its bracket (0 for a known value).
pub(crate) fn value_text(value: f64, width: f64) -> String {
    let size = if value == 0.0 { 0 } else { libm::floor(libm::log10(value.abs())) as i32 };
    let known = if width == 0.0 { i32::MAX } else { 1 - libm::ceil(libm::log10(width.abs())) as i32 };
    let decimals = (DIGITS - 1 - size).min(known).clamp(0, 12) as usize;
    let rounded = format!("{value:.decimals$}");
    // The number loses trailing zeros, and 0 its sign.
    rounded.parse::<f64>().map_or(rounded, |x| (x + 0.0).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_digits_that_its_bracket_shows() {
        for (value, width, text) in [
            (110.0, 0.0, "110"),
            (98.731_123_4, 0.0, "98.7311"),
            (98.731_123_4, 0.003, "98.731"),
            (98.731_123_4, 1e-7, "98.7311"),
            (98.731_123_4, 20.0, "99"),
            (-0.0, 0.0, "0"),
            (0.000_123_456_7, 0.0, "0.000123457"),
            (1_234_567.8, 0.0, "1234568"),
        ] {
            assert_eq!(value_text(value, width), text, "{value} {width}");
        }
    }
}
