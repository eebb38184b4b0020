//! Describes the poses and sweeps of a check in words.
//!
//! - `span`: joint values of a row
//! - `curve`: the staircase of a row as a line of bars
//! - `json`: their part of the JSON report

pub(crate) mod curve;
pub(crate) mod json;
pub(crate) mod span;

use crate::check::{JointOutcome, JointTravel, Outcome, RunOutcome, Status};
use crate::geom::LengthUnit;
use crate::geom::unit::format_number;
use crate::report::number::{as_given, count, length_text};
use crate::report::text::shown;

/// Size below which a heading shows a joint value as 0 (degrees, or the unit of the report).
const ZERO: f64 = 1e-9;

/// Describes a run: `pose open: lid 110; 3 pairs move`.
pub(crate) fn heading(o: &Outcome, run: &RunOutcome) -> String {
    let verb = if run.moving == 1 { "moves" } else { "move" };
    let kept = if run.margin > 0.0 {
        format!("; limits kept to within {}", length_text(run.margin, o.units))
    } else {
        String::new()
    };
    format!("{}; {} {verb}{kept}", values(o, run), count(run.moving, "pair"))
}

/// Describes the joint values of a run: `pose open: lid 110`.
pub(crate) fn values(o: &Outcome, run: &RunOutcome) -> String {
    let kind = if run.is_sweep() { "sweep" } else { "pose" };
    let joints = o.motion.as_ref().map_or(&[][..], |motion| &motion.joints);
    let value = |joint: &JointOutcome, value: f64| {
        let value = in_units(joint, value, o.units);
        // A solved joint misses 0 by its rounding.
        format_number(if value.abs() < ZERO { 0.0 } else { value })
    };
    let travel = |t: &JointTravel| {
        let joint = joints.get(t.joint as usize)?;
        let (from, to) = (value(joint, t.from), value(joint, t.to));
        let name = shown(&joint.name);
        Some(if t.from == t.to { format!("{name} {from}") } else { format!("{name} {from} to {to}") })
    };
    let values: Vec<String> = run.joints.iter().filter_map(travel).collect();
    let values = if values.is_empty() { "all joints at home".to_owned() } else { values.join(", ") };
    format!("{kind} {}: {values}", shown(&run.name))
}

/// Counts of a run by status.
pub(crate) fn counts(run: &RunOutcome) -> String {
    let counts: Vec<_> = run.counts.named().map(|(status, n)| format!("{n} {}", status.name())).collect();
    format!("{}: {}", count(run.pairs, "pair"), counts.join(", "))
}

/// Findings of the runs, to follow those of the drawing: `; pose open: 1 interference`.
pub(crate) fn findings(o: &Outcome) -> String {
    let of_run = |run: &RunOutcome| {
        let failing = Status::ALL.into_iter().filter(|s| s.fails() && run.counts.of(*s) > 0);
        let counts: Vec<_> = failing.map(|s| format!("{} {}", run.counts.of(s), s.name())).collect();
        let kind = if run.is_sweep() { "sweep" } else { "pose" };
        (!counts.is_empty()).then(|| format!("; {kind} {}: {}", shown(&run.name), counts.join(", ")))
    };
    o.runs().iter().filter_map(of_run).collect()
}

/// Runs that the check leaves out: `; left out: open, closed`. Empty without one.
pub(crate) fn left_out(o: &Outcome) -> String {
    let names: Vec<_> = o.motion.iter().flat_map(|motion| &motion.left_out).map(|name| shown(name)).collect();
    if names.is_empty() { String::new() } else { format!("left out: {}", names.join(", ")) }
}

/// Value of a joint in the units of the report: a length of a slide, an angle in degrees otherwise.
pub(crate) fn in_units(joint: &JointOutcome, value: f64, units: LengthUnit) -> f64 {
    if joint.kind == "prismatic" { as_given(value, units) } else { value }
}
