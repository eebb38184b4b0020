//! Warns about motion without a proof: joints that no sweep moves. Warns about sweeps that prove nothing new.

use crate::assembly::{Assembly, NamedRun};
use crate::check::motion::bodies::Travel;
use crate::error::{Location, Warning, WarningCode};
use crate::json::wording::{is_json_path, quoted};
use crate::motion::{ALL_JOINTS, AS_DRAWN, JointIx, RunKind, Segment, sweep_name};
use std::collections::BTreeSet;

/// Number of joints that a warning names.
const MAX_NAMED: usize = 5;

/// Warnings about the sweeps of an assembly, chosen for a run or not.
pub(crate) fn coverage_warnings(assembly: &Assembly) -> Vec<Warning> {
    let motion = &assembly.motion;
    let is_sweep = |run: &&NamedRun| !matches!(run.kind, RunKind::Pose { .. });
    let sweeps: Vec<Sweep<'_>> =
        motion.runs.iter().filter(is_sweep).filter_map(|run| Sweep::of(assembly, run)).collect();
    let unswept = unswept(assembly, &sweeps);
    // A flag adds the sweep of all joints: there is nothing to remove from the file.
    let written: Vec<Sweep<'_>> = sweeps.into_iter().filter(|sweep| sweep.run.name != ALL_JOINTS).collect();
    unswept.into_iter().chain(repeats(assembly, &written)).collect()
}

/// Warning about joints that move a part, but take part in no sweep.
fn unswept(assembly: &Assembly, sweeps: &[Sweep<'_>]) -> Option<Warning> {
    let motion = &assembly.motion;
    let is_swept = |ix: &JointIx| sweeps.iter().any(|sweep| sweep.travel.swept[ix.0 as usize]);
    let left: Vec<JointIx> = assembly.joints_to_sweep().into_iter().filter(|ix| !is_swept(ix)).collect();
    let joints: Vec<_> = left.iter().take(MAX_NAMED).map(|ix| &motion.joints[ix.0 as usize]).collect();
    let names: Vec<String> = joints.iter().map(|joint| quoted(&joint.name)).collect();
    let more = if left.len() > MAX_NAMED { ", …" } else { "" };
    let advice = if is_json_path(&assembly.path) {
        format!("add to `sweeps`: {}", entries(assembly, joints.iter().map(|joint| joint.name.as_str())))
    } else {
        let path = quoted(&format!("interfere init {}", assembly.path));
        format!("{path} writes an assembly file above it, with a sweep for each joint")
    };
    let message = format!(
        "no sweep moves {} {}{more}: {} motion is not checked; {advice}",
        if left.len() == 1 { "the joint".to_owned() } else { format!("{} joints,", left.len()) },
        names.join(", "),
        if left.len() == 1 { "its" } else { "their" },
    );
    let first = joints.first()?;
    // The sweeps of another file have no effect.
    let is_in_root = assembly.files.first().is_none_or(|root| first.at.file == *root);
    let at = if is_in_root { first.at.clone() } else { Location::file(&assembly.path) };
    Some(Warning { at: Some(at), ..Warning::new(WarningCode::UnsweptJoint, message) })
}

/// Entries of `sweeps`, each with one of these joints.
fn entries<'a>(assembly: &Assembly, joints: impl Iterator<Item = &'a str>) -> String {
    let runs = assembly.motion.runs.iter().map(|run| run.name.clone());
    let mut taken: BTreeSet<String> = runs.chain([AS_DRAWN.to_owned()]).collect();
    let entry = |joint: &str| {
        let name = sweep_name(joint, |name| taken.contains(name));
        taken.insert(name.clone());
        let text = |t: &str| serde_json::Value::from(t);
        format!("{}: {{ \"joints\": {{ {}: \"range\" }} }}", text(&name), text(joint))
    };
    joints.map(entry).collect::<Vec<_>>().join(", ")
}

/// Warnings about sweeps within others under the same rules. Of two equal ones, the later repeats the earlier.
fn repeats(assembly: &Assembly, sweeps: &[Sweep<'_>]) -> Vec<Warning> {
    let same_rules = |a: &Sweep<'_>, b: &Sweep<'_>| {
        assembly.rules.iter().all(|rule| rule.applies_in(&a.run.name) == rule.applies_in(&b.run.name))
    };
    let repeat = |(k, own): (usize, &Sweep<'_>)| {
        let mut others = sweeps.iter().enumerate().filter(|(other, _)| *other != k);
        let (_, other) = others.find(|(j, other)| {
            own.is_within(other, assembly) && same_rules(own, other) && (*j < k || !other.is_within(own, assembly))
        })?;
        let message = format!(
            "the sweep {} lies within {}, under the same rules; remove it, or give it rules with `during`",
            quoted(&own.run.name),
            quoted(&other.run.name)
        );
        Some(Warning { at: Some(own.run.at.clone()), ..Warning::new(WarningCode::SweepRepeats, message) })
    };
    sweeps.iter().enumerate().filter_map(repeat).collect()
}

/// A sweep with the values of all joints over it.
struct Sweep<'a> {
    run: &'a NamedRun,
    segments: Vec<Segment>,
    travel: Travel,
}

impl<'a> Sweep<'a> {
    /// Values over a run; `None` if it drives a loop beyond its motion, which the check refuses.
    fn of(assembly: &Assembly, run: &'a NamedRun) -> Option<Self> {
        let mechanism = &assembly.motion.mechanism;
        let segments = mechanism.segments(&run.kind).ok()?;
        Some(Self { run, travel: Travel::of(mechanism, &segments), segments })
    }

    /// Largest number of parameters of a segment.
    fn parameters(&self) -> usize {
        self.segments.iter().map(|segment| segment.ranges.len()).max().unwrap_or(0)
    }

    /// True if every configuration of this sweep is one of `other`, and `other` answers at least as much: it has no
    /// more parameters. Within a path, only segments with the same ends count.
    fn is_within(&self, other: &Self, assembly: &Assembly) -> bool {
        if other.parameters() > self.parameters() {
            return false;
        }
        if let RunKind::Box { .. } = other.run.kind {
            let (own, others) = (&self.travel, &other.travel);
            let inside = |k: usize| others.from[k] <= own.from[k] && own.to[k] <= others.to[k];
            return assembly.motion.mechanism.free().all(|(ix, _)| inside(ix.0 as usize));
        }
        let same_ends = |own: &Segment, other: &Segment| match (ends(own), ends(other)) {
            (Some([a, b]), Some([c, d])) => (a == c && b == d) || (a == d && b == c),
            _ => false,
        };
        self.segments.iter().all(|own| other.segments.iter().any(|segment| same_ends(own, segment)))
    }
}

/// Values of all joints at both ends of a segment with one parameter.
fn ends(segment: &Segment) -> Option<[Vec<f64>; 2]> {
    let [range] = segment.ranges.as_slice() else { return None };
    Some(range.map(|q| segment.laws.iter().map(|law| law.value(&[q])).collect()))
}
