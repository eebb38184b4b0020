//! Reads the `loops` of a file: pins that hold two links together.

use crate::assembly::file::joints::read_name;
use crate::assembly::file::rotation::read_axis;
use crate::assembly::file::{Located, placement, read_comment};
use crate::error::Location;
use crate::geom::{LengthUnit, Vec3};
use crate::json::document::{Json, Value};
use crate::json::position::JsonPath;
use crate::json::reader::{Fields, Reader};

/// An entry of `loops`, in the coordinates of its file, lengths in mm.
#[derive(Debug)]
pub(crate) struct RawLoop {
    pub at: Location,
    /// Names of the joints that carry the two links.
    pub pin: [Located<String>; 2],
    /// A point of the pin's axis.
    pub point: Vec3,
    /// Direction of the pin's axis, of length 1.
    pub axis: Vec3,
    /// Names of the joints that the loop solves; `None` for those without a range.
    pub solves: Option<[Located<String>; 2]>,
}

const LOOP_KEYS: [&str; 5] = ["pin", "at", "axis", "solves", "comment"];

/// Loops without a problem.
#[derive(Debug, Default)]
pub(crate) struct RawLoops {
    pub read: Vec<RawLoop>,
    /// True if others have a problem.
    pub broken: bool,
}

impl RawLoops {
    /// True without a loop, not even one with a problem.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && !self.broken
    }
}

/// Reads the loops.
pub(crate) fn read_loops(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> RawLoops {
    let root = JsonPath::Root;
    let trail = JsonPath::Key(&root, "loops");
    let Some(value) = fields.get("loops") else { return RawLoops::default() };
    let Json::List(items) = value.json() else {
        reader.wrong_kind(value, &trail, "a list of loops");
        return RawLoops { read: Vec::new(), broken: true };
    };
    let all: Vec<Option<RawLoop>> =
        items.enumerate().map(|(k, item)| read_loop(reader, item, &JsonPath::Index(&trail, k), unit)).collect();
    RawLoops { broken: all.iter().any(Option::is_none), read: all.into_iter().flatten().collect() }
}

fn read_loop(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>, unit: LengthUnit) -> Option<RawLoop> {
    let fields = reader.fields(value, trail, &LOOP_KEYS, "an object with `pin`, `at` and `axis`")?;
    read_comment(reader, &fields, trail);
    let mut needed = |key: &str, fix: &str| {
        let found = fields.get(key);
        if found.is_none() {
            reader.problem(value.start(), trail, format!("no `{key}`"), fix);
        }
        found
    };
    let pin = needed("pin", "add \"pin\" with the two joints that carry the pinned parts");
    let at = needed("at", "add \"at\" with a point of the pin's axis");
    let axis = needed("axis", "add \"axis\" with the direction of the pin");
    let pin = pin.and_then(|pin| read_two(reader, pin, &JsonPath::Key(trail, "pin")));
    let solves = fields.get("solves").map(|names| read_two(reader, names, &JsonPath::Key(trail, "solves")));
    let point = at.and_then(|at| placement::read_point(reader, at, &JsonPath::Key(trail, "at"), unit));
    let axis = axis.and_then(|axis| read_axis(reader, axis, &JsonPath::Key(trail, "axis")));
    // A damaged list leaves no loop.
    let solves = solves.map_or(Some(None), |names| names.map(Some));
    Some(RawLoop { at: reader.source.at(value.start(), trail), pin: pin?, point: point?, axis: axis?, solves: solves? })
}

/// Reads two names of joints.
fn read_two(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<[Located<String>; 2]> {
    let names = reader.list::<2>(value, trail, "a list of two joints")?;
    let [first, second] = [0, 1].map(|k: usize| read_name(reader, names[k], &JsonPath::Index(trail, k)));
    Some([first?, second?])
}
