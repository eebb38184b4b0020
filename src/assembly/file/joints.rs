//! Reads the `joints` of a file: kind, axis, range, and the instances that each moves.

use crate::assembly::file::rotation::read_axis;
use crate::assembly::file::{Located, placement, read_comment};
use crate::assembly::rules::glob::Glob;
use crate::error::Location;
use crate::geom::math::greater;
use crate::geom::{LengthUnit, Vec3};
use crate::json::document::{Json, Member, Value};
use crate::json::position::JsonPath;
use crate::json::reader::{Fields, Reader};
use crate::json::wording::quoted;
use crate::motion::{Joint, JointKind};

/// An entry of `joints`, in the coordinates of its file, lengths in mm.
#[derive(Debug)]
pub(crate) struct RawJoint {
    pub name: String,
    pub at: Location,
    pub joint: Joint,
    /// Globs over the ids of instances.
    pub moves: Vec<Located<String>>,
    pub on: Option<Located<String>>,
    /// Least and largest value; `None` for a full turn and for a joint without a range.
    pub range: Option<[f64; 2]>,
    /// True without a range and without a leader: a loop must solve the joint.
    pub without_range: bool,
    pub home: f64,
    pub follows: Option<RawFollow>,
}

/// Coupling to a leading joint, with numbers as written.
#[derive(Debug)]
pub(crate) struct RawFollow {
    pub joint: Located<String>,
    pub ratio: f64,
    pub offset: f64,
}

const JOINT_KEYS: [&str; 11] =
    ["type", "axis", "at", "moves", "on", "range", "range_deg", "home", "lead", "follows", "comment"];
/// Keys that give a joint its values.
const LIMITS: [&str; 3] = ["range", "range_deg", "follows"];
const TYPES: [&str; 4] = ["revolute", "prismatic", "screw", "fixed"];
const FOLLOW_KEYS: [&str; 3] = ["joint", "ratio", "offset"];

/// Reads the joints without a problem, and the names of all.
pub(crate) fn read_joints(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    unit: LengthUnit,
) -> (Vec<RawJoint>, Vec<String>) {
    let root = JsonPath::Root;
    let trail = JsonPath::Key(&root, "joints");
    let Some(entries) = fields.get("joints").and_then(|v| reader.entries(v, &trail, "an object of joints by name"))
    else {
        return Default::default();
    };
    let names = entries.iter().map(|entry| entry.key.to_owned()).collect();
    let has_loops = fields.has("loops");
    let joints = entries.into_iter().filter_map(|entry| read_joint(reader, entry, &trail, unit, has_loops)).collect();
    (joints, names)
}

/// Explains an invalid name of a joint or a run, with the fix; `None` for a valid one.
pub(crate) fn bad_name(name: &str, of: &str) -> Option<(String, String)> {
    if name.is_empty() {
        return Some((format!("an empty name of a {of}"), format!("name the {of}")));
    }
    let fix = "`/` is reserved for joints inside sub-assemblies: use another character";
    name.contains('/').then(|| (format!("`/` in the name {}", quoted(name)), fix.to_owned()))
}

/// Reads a joint; in a file with loops, it may be without a range.
fn read_joint(
    reader: &mut Reader<'_>,
    entry: Member<'_>,
    joints: &JsonPath<'_>,
    unit: LengthUnit,
    has_loops: bool,
) -> Option<RawJoint> {
    let (name, value) = (entry.key, entry.value);
    let trail = JsonPath::Key(joints, name);
    let noted = reader.problems.len();
    if let Some((what, fix)) = bad_name(name, "joint") {
        reader.problem(entry.start, &trail, what, fix);
    }
    let fields = reader.fields(value, &trail, &JOINT_KEYS, "an object with `type`, `axis` and `moves`")?;
    read_comment(reader, &fields, &trail);
    let kind = read_kind(reader, &fields, value, &trail, unit);
    let axis = match fields.get("axis") {
        Some(axis) => read_axis(reader, axis, &JsonPath::Key(&trail, "axis")),
        None if matches!(kind, Some(JointKind::Fixed) | None) => Some(Vec3::z()),
        None => {
            reader.problem(value.start(), &trail, "no `axis`", "add \"axis\" with the direction of the joint");
            None
        }
    };
    let at = fields.get("at").map(|v| placement::read_point(reader, v, &JsonPath::Key(&trail, "at"), unit));
    let moves = read_moves(reader, &fields, value, &trail);
    let on = fields.get("on").map(|v| read_name(reader, v, &JsonPath::Key(&trail, "on")));
    let follows = fields.get("follows").map(|v| read_follow(reader, v, &JsonPath::Key(&trail, "follows")));
    let kind = kind?;
    refuse_foreign_keys(reader, &fields, kind, &trail);
    if at.is_none() && matches!(kind, JointKind::Revolute | JointKind::Screw { .. }) {
        reader.problem(value.start(), &trail, "no `at`", "add \"at\" with a point of the axis");
    }
    let without_range = kind != JointKind::Fixed && !LIMITS.iter().any(|key| fields.has(key));
    let range =
        if without_range && has_loops { Some(None) } else { read_range(reader, &fields, kind, value, &trail, unit) };
    let home = fields.get("home").map(|v| read_value(reader, v, &JsonPath::Key(&trail, "home"), kind, unit));
    if let (Some(Some([from, to])), home) = (range, home.unwrap_or(Some(0.0)).unwrap_or(f64::NAN))
        && (home < from || home > to)
    {
        let shown = |x: f64| shown_value(kind, x, unit);
        let what = format!("home is {}, outside the range {} to {}", shown(home), shown(from), shown(to));
        let fix = "give `home`, the value as drawn, within the range";
        match fields.get("home") {
            Some(home) => reader.problem(home.start(), &JsonPath::Key(&trail, "home"), what, fix),
            None => reader.problem(value.start(), &trail, what, fix),
        }
    }
    (reader.problems.len() == noted).then_some(())?;
    Some(RawJoint {
        name: name.to_owned(),
        at: reader.source.at(value.start(), &trail),
        joint: Joint { kind, axis: axis?, at: at.flatten().unwrap_or_else(Vec3::zeros) },
        moves,
        on: on.flatten(),
        range: range?,
        without_range,
        home: home.flatten().unwrap_or(0.0),
        follows: follows.flatten(),
    })
}

/// Formats a value of a joint (mm or degrees) in the units of a file.
pub(crate) fn shown_value(kind: JointKind, value: f64, unit: LengthUnit) -> String {
    if kind == JointKind::Prismatic { unit.as_given(value).to_string() } else { value.to_string() }
}

/// Rounding of a joint value by units, ratios and offsets (share of the numbers): a value this close to a limit keeps
/// it.
const ON_LIMIT: f64 = 1e-12;

/// True if a value lies outside a range by more than rounding.
pub(crate) fn is_outside(value: f64, [from, to]: [f64; 2]) -> bool {
    let slack = ON_LIMIT * greater(value.abs(), greater(from.abs(), to.abs()));
    value < from - slack || value > to + slack
}

/// Value of a joint, given in the units of a file: millimetres for slides, degrees for turns.
pub(crate) fn in_own_unit(kind: JointKind, value: f64, unit: LengthUnit) -> f64 {
    if kind == JointKind::Prismatic { value * unit.mm() } else { value }
}

fn read_kind(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    joint: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<JointKind> {
    let Some(value) = fields.get("type") else {
        let fix = "add \"type\" with `revolute`, `prismatic`, `screw` or `fixed`";
        reader.problem(joint.start(), trail, "no `type`", fix);
        return None;
    };
    let name = reader.word(value, &JsonPath::Key(trail, "type"), &TYPES, |word| TYPES.into_iter().find(|t| *t == word));
    match name? {
        "revolute" => Some(JointKind::Revolute),
        "prismatic" => Some(JointKind::Prismatic),
        "fixed" => Some(JointKind::Fixed),
        _ => {
            let Some(lead) = fields.get("lead") else {
                reader.problem(joint.start(), trail, "a screw without `lead`", "add \"lead\", the travel for one turn");
                return None;
            };
            reader.coordinate(lead, &JsonPath::Key(trail, "lead"), unit).map(|lead| JointKind::Screw { lead })
        }
    }
}

/// Refuses keys without an effect for a kind of joint.
fn refuse_foreign_keys(reader: &mut Reader<'_>, fields: &Fields<'_>, kind: JointKind, trail: &JsonPath<'_>) {
    let (name, foreign): (_, &[(&str, &str)]) = match kind {
        JointKind::Revolute => ("a revolute joint", &[("range", "write `range_deg`"), ("lead", "remove it")]),
        JointKind::Prismatic => (
            "a prismatic joint",
            &[
                ("range_deg", "write `range`"),
                ("lead", "remove it"),
                ("at", "remove it: a slide is the same along every parallel axis"),
            ],
        ),
        JointKind::Screw { .. } => ("a screw", &[("range", "write `range_deg`")]),
        JointKind::Fixed => (
            "a fixed joint",
            &[
                ("range", "remove it"),
                ("range_deg", "remove it"),
                ("home", "remove it"),
                ("follows", "remove it"),
                ("lead", "remove it"),
            ],
        ),
    };
    for (key, fix) in foreign {
        if let Some(value) = fields.get(key) {
            reader.problem(value.start(), &JsonPath::Key(trail, key), format!("`{key}` of {name}"), *fix);
        }
    }
}

/// Reads a range: `None` after a problem, `Some(None)` without limits.
#[expect(clippy::option_option, reason = "the outer one is a problem, the inner one a joint without limits")]
fn read_range(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    kind: JointKind,
    joint: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<Option<[f64; 2]>> {
    let key = match kind {
        JointKind::Fixed => return Some(None),
        JointKind::Prismatic => "range",
        JointKind::Revolute | JointKind::Screw { .. } => "range_deg",
    };
    let Some(value) = fields.get(key) else {
        let other = if key == "range" { "range_deg" } else { "range" };
        if fields.has("follows") || fields.has(other) {
            return Some(None);
        }
        let full = if kind == JointKind::Revolute { " or \"full\"" } else { "" };
        let fix = format!("add \"{key}\": [from, to]{full}, the limits of the joint");
        reader.problem(joint.start(), trail, format!("no `{key}`"), fix);
        return None;
    };
    let trail = JsonPath::Key(trail, key);
    if let Json::Text("full") = value.json() {
        if kind == JointKind::Revolute {
            return Some(None);
        }
        let what = "a joint that slides has no full turn";
        reader.problem(value.start(), &trail, what, "give the limits as [from, to]");
        return None;
    }
    let expected = if kind == JointKind::Revolute {
        "[from, to] in degrees, or \"full\""
    } else {
        "a list of two numbers: [from, to]"
    };
    read_interval(reader, value, &trail, expected, |reader, v, trail| read_value(reader, v, trail, kind, unit))
        .map(Some)
}

/// Reads an interval [from, to] with from < to.
pub(crate) fn read_interval(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    expected: &str,
    read: impl Fn(&mut Reader<'_>, Value<'_>, &JsonPath<'_>) -> Option<f64>,
) -> Option<[f64; 2]> {
    let ends = reader.list::<2>(value, trail, expected)?;
    let [from, to] = [0, 1].map(|k: usize| read(reader, ends[k], &JsonPath::Index(trail, k)));
    let (from, to) = (from?, to?);
    if from < to {
        return Some([from, to]);
    }
    reader.problem(value.start(), trail, "an empty range", "give the lesser value first, and two different values");
    None
}

fn read_value(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    kind: JointKind,
    unit: LengthUnit,
) -> Option<f64> {
    if kind == JointKind::Prismatic {
        reader.coordinate(value, trail, unit)
    } else {
        reader.number(value, trail, "an angle in degrees")
    }
}

fn read_moves(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    joint: Value<'_>,
    trail: &JsonPath<'_>,
) -> Vec<Located<String>> {
    let Some(value) = fields.get("moves") else {
        let fix = "add \"moves\" with globs over instance ids; [] for a joint without a part";
        reader.problem(joint.start(), trail, "no `moves`", fix);
        return Vec::new();
    };
    read_globs(reader, value, &JsonPath::Key(trail, "moves"), "a list of globs over instance ids")
}

/// Reads a list of globs; leaves out invalid ones.
pub(crate) fn read_globs(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    expected: &str,
) -> Vec<Located<String>> {
    let Json::List(items) = value.json() else {
        reader.wrong_kind(value, trail, expected);
        return Vec::new();
    };
    let read = |(k, item): (usize, Value<'_>)| {
        let trail = JsonPath::Index(trail, k);
        let glob = read_name(reader, item, &trail)?;
        if let Err(why) = Glob::new(&glob.value) {
            reader.problem(item.start(), &trail, format!("{} is not a glob", quoted(&glob.value)), why);
            return None;
        }
        Some(glob)
    };
    items.enumerate().filter_map(read).collect()
}

/// Reads a name with its location.
pub(crate) fn read_name(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Located<String>> {
    let text = reader.text(value, trail, "a name as a text")?;
    Some(Located { value: text.to_owned(), at: reader.source.at(value.start(), trail) })
}

fn read_follow(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<RawFollow> {
    let fields = reader.fields(value, trail, &FOLLOW_KEYS, "an object with `joint` and `ratio`")?;
    let mut number = |key: &str, default: Option<f64>| match fields.get(key) {
        Some(v) => reader.number(v, &JsonPath::Key(trail, key), "a number"),
        None if default.is_some() => default,
        None => {
            reader.problem(value.start(), trail, format!("no `{key}`"), format!("add \"{key}\": a number"));
            None
        }
    };
    let (ratio, offset) = (number("ratio", None), number("offset", Some(0.0)));
    let Some(joint) = fields.get("joint") else {
        reader.problem(value.start(), trail, "no `joint`", "add \"joint\" with the name of the leading joint");
        return None;
    };
    let joint = read_name(reader, joint, &JsonPath::Key(trail, "joint"));
    Some(RawFollow { joint: joint?, ratio: ratio?, offset: offset? })
}
