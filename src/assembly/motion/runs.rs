//! Poses and sweeps of the root file: names to joints, values within their ranges.

use crate::assembly::file::Located;
use crate::assembly::file::joints::{in_own_unit, is_outside, shown_value};
use crate::assembly::file::runs::{RawConfiguration, RawSweep, RawTravel, RawValues};
use crate::assembly::file::tree::File;
use crate::assembly::motion::NamedRun;
use crate::assembly::motion::joints::JointTree;
use crate::assembly::motion::loops::driven_too_far;
use crate::assembly::motion::scope::Report;
use crate::assembly::rules::glob::Glob;
use crate::error::Location;
use crate::geom::LengthUnit;
use crate::geom::math::{greater, lesser};
use crate::json::wording::{join_or, nearest, quoted};
use crate::motion::{ALL_JOINTS, AS_DRAWN, JointIx, JointKind, Mechanism, RunKind};
use std::collections::BTreeMap;

/// Values of joints, found.
type Values = Vec<(JointIx, f64)>;

/// Returns the poses and sweeps of the root file.
pub(crate) fn runs(
    files: &[File],
    tree: &JointTree,
    mechanism: Option<&Mechanism>,
    report: &mut Report,
) -> Vec<NamedRun> {
    let raw = &files[0].raw;
    let unit = raw.units.unwrap_or(LengthUnit::Mm);
    let mut reader = RunReader { tree, mechanism, unit, report, poses: BTreeMap::new() };
    let mut runs = Vec::new();
    for pose in &raw.runs.poses {
        let set = reader.values(&pose.values);
        if let Some(set) = &set {
            let kind = RunKind::Pose { set: set.clone() };
            runs.push(NamedRun { name: pose.name.clone(), at: pose.at.clone(), kind });
        }
        reader.poses.insert(&pose.name, set);
    }
    for name in &raw.runs.pose_names {
        reader.poses.entry(name).or_insert(None);
    }
    for sweep in &raw.runs.sweeps {
        if let Some(kind) = reader.sweep(sweep) {
            runs.push(NamedRun { name: sweep.name.clone(), at: sweep.at.clone(), kind });
        }
    }
    if let Some(mechanism) = mechanism {
        for run in &runs {
            reader.check_driven(run, mechanism);
        }
    }
    check_during(&files[0], report);
    runs
}

/// Reads the runs of the root file.
struct RunReader<'f, 'r> {
    tree: &'f JointTree,
    mechanism: Option<&'f Mechanism>,
    unit: LengthUnit,
    report: &'r mut Report,
    /// Poses by name; `None` for a pose with a problem.
    poses: BTreeMap<&'f str, Option<Values>>,
}

impl<'f> RunReader<'f, '_> {
    fn problem(&mut self, at: &Location, what: String, fix: impl Into<String>) {
        self.report.add(0, at, what, fix);
    }

    /// Finds a joint with a value of its own.
    fn joint(&mut self, name: &Located<String>) -> Option<JointIx> {
        let joint = self.tree.find(0, "", name, self.report)?;
        let what = quoted(&name.value);
        if let Some(follow) = self.tree.joints[joint.0 as usize].joint.follows {
            let leader = quoted(self.tree.name(follow.leader));
            self.problem(
                &name.at,
                format!("{what} follows {leader}: it has no value of its own"),
                format!("set {leader}"),
            );
            return None;
        }
        if self.mechanism.is_some_and(|m| m.is_solved(joint)) {
            let fix = "set the joints that drive the loop";
            self.problem(&name.at, format!("{what} closes a loop: it has no value of its own"), fix);
            return None;
        }
        if self.tree.kind(joint) == JointKind::Fixed {
            self.problem(&name.at, format!("{what} is a fixed joint: it has no value"), "remove it");
            return None;
        }
        Some(joint)
    }

    /// Value of a joint in its own unit, within its range.
    fn value(&mut self, joint: JointIx, name: &Located<String>, value: f64) -> Option<f64> {
        let own = in_own_unit(self.tree.kind(joint), value, self.unit);
        let range = self.tree.joints[joint.0 as usize].joint.range;
        if range.is_some_and(|range| is_outside(own, range)) {
            let what = format!("{value} is outside the range of {}, {}", quoted(&name.value), self.shown_range(joint));
            self.problem(&name.at, what, "give a value within the range");
            return None;
        }
        Some(range.map_or(own, |[from, to]| lesser(greater(own, from), to)))
    }

    fn shown_range(&self, joint: JointIx) -> String {
        let kind = self.tree.kind(joint);
        let shown = |value: f64| shown_value(kind, value, self.unit);
        let range = self.tree.joints[joint.0 as usize].joint.range;
        range.map_or_else(|| "without limits".to_owned(), |[from, to]| format!("{} to {}", shown(from), shown(to)))
    }

    fn values(&mut self, raw: &RawValues) -> Option<Values> {
        let mut whole = true;
        let mut set = Vec::with_capacity(raw.len());
        for (name, value) in raw {
            let found = self.joint(name).and_then(|joint| Some((joint, self.value(joint, name, *value)?)));
            whole &= found.is_some();
            set.extend(found);
        }
        whole.then_some(set)
    }

    fn pose(&mut self, name: &Located<String>) -> Option<Values> {
        if let Some(known) = self.poses.get(name.value.as_str()) {
            return known.clone();
        }
        let known: Vec<&str> = self.poses.keys().copied().collect();
        let fix = match nearest(&name.value, known.iter().copied()) {
            Some(near) => format!("did you mean {}?", quoted(near)),
            None if known.is_empty() => "this file has no `poses`: add it there".to_owned(),
            None => format!("known here: {}", join_or(&known)),
        };
        self.problem(&name.at, format!("unknown pose {}", quoted(&name.value)), fix);
        None
    }

    fn sweep(&mut self, raw: &'f RawSweep) -> Option<RunKind> {
        let rest = match &raw.rest {
            Some(name) => self.pose(name),
            None => Some(Vec::new()),
        };
        match &raw.travel {
            RawTravel::Joints(ranges) => {
                let swept: Vec<Option<(JointIx, [f64; 2])>> =
                    ranges.iter().map(|(name, range)| self.swept(name, *range)).collect();
                let swept: Vec<(JointIx, [f64; 2])> = swept.into_iter().collect::<Option<_>>()?;
                let mut rest = rest?;
                rest.retain(|(joint, _)| swept.iter().all(|(s, _)| s != joint));
                Some(RunKind::Box { swept, rest })
            }
            RawTravel::Path(raw) => {
                let all: Vec<Option<Values>> = raw
                    .iter()
                    .map(|configuration| match configuration {
                        RawConfiguration::Pose(name) => self.pose(name),
                        RawConfiguration::Values(values) => self.values(values),
                    })
                    .collect();
                let (rest, all) = (rest?, all.into_iter().collect::<Option<Vec<Values>>>()?);
                let held = |set: Values| {
                    let others = rest.iter().filter(|(joint, _)| set.iter().all(|(s, _)| s != joint));
                    others.chain(&set).copied().collect()
                };
                Some(RunKind::Path { configurations: all.into_iter().map(held).collect() })
            }
        }
    }

    /// Range of a swept joint: the given one, its own, or a turn from its value as drawn.
    fn swept(&mut self, name: &Located<String>, range: Option<[f64; 2]>) -> Option<(JointIx, [f64; 2])> {
        let joint = self.joint(name)?;
        let own = &self.tree.joints[joint.0 as usize].joint;
        let range = match range {
            None => own.whole_range(),
            Some([from, to]) => {
                let [from, to] = [self.value(joint, name, from), self.value(joint, name, to)];
                [from?, to?]
            }
        };
        Some((joint, range))
    }

    /// Reports a loop that a run drives beyond its motion, and joints that it drives out of their own range.
    fn check_driven(&mut self, run: &NamedRun, mechanism: &Mechanism) {
        let names: Vec<&str> = self.tree.joints.iter().map(|j| j.name.as_str()).collect();
        for (what, fix) in driven_too_far(&names, mechanism, &run.kind, self.unit) {
            self.problem(&run.at, what, fix);
        }
    }
}

/// Reports globs of `during` in the root's rules that match no run.
fn check_during(root: &File, report: &mut Report) {
    let runs = &root.raw.runs;
    let of_runs = runs.pose_names.iter().chain(&runs.sweep_names).map(String::as_str);
    let names: Vec<&str> = [AS_DRAWN, ALL_JOINTS].into_iter().chain(of_runs).collect();
    for glob in root.raw.rules.iter().flat_map(|rule| rule.during.iter().flatten()) {
        if Glob::new(&glob.value).is_ok_and(|g| !names.iter().any(|name| g.matches(name))) {
            let fix = nearest(&glob.value, names.iter().copied()).map_or_else(
                || format!("known here: {}", join_or(&names)),
                |near| format!("did you mean {}?", quoted(near)),
            );
            report.add(0, &glob.at, format!("{} matches no run", quoted(&glob.value)), fix);
        }
    }
}
