//! Reads the `poses` and `sweeps` of a file, with numbers as written: their joints are found later.

use crate::assembly::file::joints::{bad_name, read_interval, read_name};
use crate::assembly::file::{Located, read_comment};
use crate::error::Location;
use crate::json::document::{Json, Member, Value};
use crate::json::position::JsonPath;
use crate::json::reader::{Fields, Reader};
use crate::json::wording::quoted;
use crate::motion::AS_DRAWN;

/// Values of joints by name, as written.
pub(crate) type RawValues = Vec<(Located<String>, f64)>;

/// An entry of `poses`.
#[derive(Debug)]
pub(crate) struct RawPose {
    pub name: String,
    pub at: Location,
    pub values: RawValues,
}

/// An entry of `sweeps`.
#[derive(Debug)]
pub(crate) struct RawSweep {
    pub name: String,
    pub at: Location,
    pub travel: RawTravel,
    /// Pose of the joints that the sweep leaves.
    pub rest: Option<Located<String>>,
}

/// Joint values of a sweep.
#[derive(Debug)]
pub(crate) enum RawTravel {
    /// All combinations; `None` is the whole range of a joint.
    Joints(Vec<(Located<String>, Option<[f64; 2]>)>),
    /// Configurations, joints linear between them.
    Path(Vec<RawConfiguration>),
}

/// A configuration of a path.
#[derive(Debug)]
pub(crate) enum RawConfiguration {
    Pose(Located<String>),
    Values(RawValues),
}

/// Poses and sweeps without a problem, and the names of all.
#[derive(Debug, Default)]
pub(crate) struct RawRuns {
    pub poses: Vec<RawPose>,
    pub sweeps: Vec<RawSweep>,
    pub pose_names: Vec<String>,
    pub sweep_names: Vec<String>,
}

impl RawRuns {
    /// True without a pose and without a sweep, not even one with a problem.
    pub fn is_empty(&self) -> bool {
        self.pose_names.is_empty() && self.sweep_names.is_empty()
    }
}

const SWEEP_KEYS: [&str; 4] = ["joints", "path", "rest", "comment"];

pub(crate) fn read_runs(reader: &mut Reader<'_>, fields: &Fields<'_>) -> RawRuns {
    let root = JsonPath::Root;
    let mut runs = RawRuns::default();
    let trail = JsonPath::Key(&root, "poses");
    let poses = fields.get("poses").and_then(|v| reader.entries(v, &trail, "an object of poses by name"));
    for entry in poses.into_iter().flatten() {
        runs.pose_names.push(entry.key.to_owned());
        let trail = JsonPath::Key(&trail, entry.key);
        check_name(reader, &entry, &trail, "pose");
        if let Some(values) = read_values(reader, entry.value, &trail) {
            let at = reader.source.at(entry.start, &trail);
            runs.poses.push(RawPose { name: entry.key.to_owned(), at, values });
        }
    }
    let trail = JsonPath::Key(&root, "sweeps");
    let sweeps = fields.get("sweeps").and_then(|v| reader.entries(v, &trail, "an object of sweeps by name"));
    for entry in sweeps.into_iter().flatten() {
        let trail = JsonPath::Key(&trail, entry.key);
        check_name(reader, &entry, &trail, "sweep");
        if runs.pose_names.iter().any(|pose| pose == entry.key) {
            let what = format!("{} is also the name of a pose", quoted(entry.key));
            reader.problem(entry.start, &trail, what, "rename one of them");
        }
        runs.sweep_names.push(entry.key.to_owned());
        runs.sweeps.extend(read_sweep(reader, &entry, &trail));
    }
    runs
}

fn check_name(reader: &mut Reader<'_>, entry: &Member<'_>, trail: &JsonPath<'_>, of: &str) {
    if let Some((what, fix)) = bad_name(entry.key, of) {
        reader.problem(entry.start, trail, what, fix);
    } else if entry.key == AS_DRAWN {
        let what = format!("a {of} with the name `{AS_DRAWN}`");
        reader.problem(entry.start, trail, what, "rename it: this is the name of the drawing");
    }
}

fn read_values(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<RawValues> {
    let entries = reader.entries(value, trail, "an object of joint values by joint")?;
    let noted = reader.problems.len();
    let read = |entry: Member<'_>| {
        let trail = JsonPath::Key(trail, entry.key);
        let value = reader.number(entry.value, &trail, "the value of the joint as a number")?;
        Some((Located { value: entry.key.to_owned(), at: reader.source.at(entry.start, &trail) }, value))
    };
    let values = entries.into_iter().filter_map(read).collect();
    (reader.problems.len() == noted).then_some(values)
}

fn read_sweep(reader: &mut Reader<'_>, entry: &Member<'_>, trail: &JsonPath<'_>) -> Option<RawSweep> {
    let fields = reader.fields(entry.value, trail, &SWEEP_KEYS, "an object with `joints` or `path`")?;
    read_comment(reader, &fields, trail);
    let rest = fields.get("rest").map(|v| read_name(reader, v, &JsonPath::Key(trail, "rest")));
    let travel = match (fields.get("joints"), fields.get("path")) {
        (Some(value), None) => read_joint_ranges(reader, value, &JsonPath::Key(trail, "joints")),
        (None, Some(value)) => read_path(reader, value, &JsonPath::Key(trail, "path")),
        (None, None) => {
            let fix = "add \"joints\" with ranges, or \"path\" with configurations";
            reader.problem(entry.value.start(), trail, "neither `joints` nor `path`", fix);
            None
        }
        (Some(_), Some(value)) => {
            reader.problem(value.start(), trail, "both `joints` and `path`", "keep one of them");
            None
        }
    };
    let at = reader.source.at(entry.start, trail);
    Some(RawSweep { name: entry.key.to_owned(), at, travel: travel?, rest: rest.flatten() })
}

fn read_joint_ranges(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<RawTravel> {
    let entries = reader.entries(value, trail, "an object of joint ranges by joint")?;
    if entries.is_empty() {
        reader.problem(value.start(), trail, "a sweep without a joint", "add a joint with \"range\" or [from, to]");
    }
    let noted = reader.problems.len();
    let mut ranges = Vec::new();
    for entry in entries {
        let trail = JsonPath::Key(trail, entry.key);
        let range = if let Json::Text("range") = entry.value.json() {
            None
        } else {
            let number = |reader: &mut Reader<'_>, v: Value<'_>, t: &JsonPath<'_>| reader.number(v, t, "a number");
            let expected = "\"range\", the whole range of the joint, or [from, to]";
            let Some(range) = read_interval(reader, entry.value, &trail, expected, number) else { continue };
            Some(range)
        };
        ranges.push((Located { value: entry.key.to_owned(), at: reader.source.at(entry.start, &trail) }, range));
    }
    (reader.problems.len() == noted && !ranges.is_empty()).then_some(RawTravel::Joints(ranges))
}

fn read_path(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<RawTravel> {
    let Json::List(items) = value.json() else {
        reader.wrong_kind(value, trail, "a list of two or more configurations");
        return None;
    };
    let items: Vec<Value<'_>> = items.collect();
    if items.len() < 2 {
        let what = format!("{} configuration{} in a path", items.len(), if items.len() == 1 { "" } else { "s" });
        reader.problem(value.start(), trail, what, "give two or more: joints move linearly between them");
        return None;
    }
    let mut all = Vec::with_capacity(items.len());
    for (k, item) in items.iter().enumerate() {
        let trail = JsonPath::Index(trail, k);
        all.push(match item.json() {
            Json::Text(_) => read_name(reader, *item, &trail).map(RawConfiguration::Pose),
            Json::Object(_) => read_values(reader, *item, &trail).map(RawConfiguration::Values),
            _ => {
                reader.wrong_kind(*item, &trail, "the name of a pose, or an object of joint values by joint");
                None
            }
        });
    }
    all.into_iter().collect::<Option<_>>().map(RawTravel::Path)
}
