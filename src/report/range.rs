//! Writes how far joints can move from the drawing: as text, or as JSON (docs/reference/report.md).

use crate::check::{JointOutcome, JointRange, JointRanges, JointSide, Status};
use crate::geom::LengthUnit;
use crate::geom::math::greater;
use crate::json::write::write_json;
use crate::report::Format;
use crate::report::json;
use crate::report::motion::in_units;
use crate::report::motion::span::value_text;
use crate::report::text::shown;
use serde::Serialize;
use std::io::{self, Write};

/// Significant digits of a free value; rounding towards the drawing keeps it free.
const DIGITS: i32 = 6;

/// Difference within which a value counts as a limit (share of the value): units and followers round it.
const ROUNDING: f64 = 1e-9;

/// Writes the ranges; [`Format::Table`] is the text.
///
/// # Errors
/// Returns the writer's error.
pub fn render(found: &JointRanges, format: Format, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(&Document::new(found), out);
    }
    let mut out = io::BufWriter::new(out);
    writeln!(out, "{} ({})", shown(&found.name), shown(&found.path))?;
    for range in &found.ranges {
        text(found, range, found.units, &mut out)?;
    }
    out.flush()
}

fn text(found: &JointRanges, range: &JointRange, units: LengthUnit, out: &mut impl Write) -> io::Result<()> {
    let joint = &found.motion.joints[range.joint as usize];
    let value = |value: f64| value_text(in_units(joint, value, units), 0.0);
    let limits = match joint.range {
        Some([low, high]) => format!("limits {} to {}", value(low), value(high)),
        None => "no limits".to_owned(),
    };
    writeln!(out, "\n{}: drawn at {}, {limits}", shown(&joint.name), value(joint.home))?;
    for (side, head) in range.sides.iter().zip(["down", "up"]) {
        writeln!(out, "{head:>6}  {}", side_text(found, joint, side, units))?;
    }
    let (is_elsewhere, is_slide) = (joint.name.contains('/'), joint.kind == "prismatic");
    // Another file may have other units.
    let unit = if is_elsewhere && is_slide { format!(", in {}", units.name()) } else { String::new() };
    let in_sweep = match span(joint, range, units) {
        Some(span) if is_elsewhere && span != FULL => {
            format!("; in a sweep of this file: {}: {span}", serde_json::Value::from(joint.name.as_str()))
        }
        _ => String::new(),
    };
    match line(joint, range, units) {
        Some(line) => writeln!(out, "  {line}{unit}{}", shown(&in_sweep)),
        None => writeln!(out, "  no range: a pair fails as drawn"),
    }
}

/// True if a side ends at a limit of its joint, up to rounding.
fn ends_at_limit(joint: &JointOutcome, side: &JointSide) -> bool {
    let same = |limit: f64| (side.free - limit).abs() <= ROUNDING * greater(side.free.abs(), limit.abs());
    joint.range.is_some_and(|range| range.into_iter().any(same))
}

/// Describes one direction: `to 106.289; lid and post interfere from 106.289 on`.
fn side_text(found: &JointRanges, joint: &JointOutcome, side: &JointSide, units: LengthUnit) -> String {
    let free = free_text(joint, side, units);
    let Some(stop) = side.stop else {
        return match joint.range {
            _ if ends_at_limit(joint, side) => format!("to {free}, the limit"),
            None if side.is_turn(joint.home) => format!("to {free}, one turn"),
            _ => format!("to {free}, where a follower or a loop ends"),
        };
    };
    let [a, b] = stop.pair.map(|i| shown(&found.ids[i.0 as usize]));
    let [from, to] = stop.bracket.map(|value| in_units(joint, value, units));
    let on = value_text(to, to - from);
    match stop.status {
        Status::Undecided => format!("to {free}; beyond, {a} and {b} are undecided"),
        Status::TooClose => format!("to {free}; {a} and {b} are too close from {on} on"),
        Status::Loose => format!("to {free}; {a} and {b} are too far apart from {on} on"),
        _ if side.free == joint.home => format!("to {free}; {a} and {b} fail as drawn: {}", stop.status.name()),
        _ => format!("to {free}; {a} and {b} interfere from {on} on"),
    }
}

/// A free value, rounded towards the drawing.
fn free_text(joint: &JointOutcome, side: &JointSide, units: LengthUnit) -> String {
    free_value(joint, side, units).to_string()
}

fn free_value(joint: &JointOutcome, side: &JointSide, units: LengthUnit) -> f64 {
    let [free, home] = [side.free, joint.home].map(|value| in_units(joint, value, units));
    if side.stop.is_none() || free == home {
        return free + 0.0;
    }
    let size = if free == 0.0 { 0 } else { libm::floor(libm::log10(free.abs())) as i32 };
    let step = libm::pow(10.0, f64::from((DIGITS - 1 - size).clamp(0, 12)));
    let rounded = if free > home { libm::floor(free * step) / step } else { libm::ceil(free * step) / step };
    // Never beyond the drawing.
    if (rounded - home) * (free - home) < 0.0 { home } else { rounded + 0.0 }
}

/// The line for the assembly file: `"range_deg": [0, 106.289]`. `None` for a joint without a free value beside the
/// drawing.
fn line(joint: &JointOutcome, range: &JointRange, units: LengthUnit) -> Option<String> {
    let key = if joint.kind == "prismatic" { "range" } else { "range_deg" };
    span(joint, range, units).map(|span| format!("\"{key}\": {span}"))
}

/// Range of one turn.
const FULL: &str = "\"full\"";

/// The range in this line.
fn span(joint: &JointOutcome, range: &JointRange, units: LengthUnit) -> Option<String> {
    if joint.range.is_none() && range.sides.iter().all(|side| side.stop.is_none() && side.is_turn(joint.home)) {
        return Some(FULL.to_owned());
    }
    let [low, high] = [0, 1].map(|k| free_value(joint, &range.sides[k], units));
    (low < high).then(|| format!("[{low}, {high}]"))
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    assembly: json::Assembly<'a>,
    settings: json::Settings<'a>,
    joints: Vec<Joint<'a>>,
}

#[derive(Serialize)]
struct Joint<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    home: f64,
    limits: Option<[f64; 2]>,
    down: Side<'a>,
    up: Side<'a>,
    line: Option<String>,
}

#[derive(Serialize)]
struct Side<'a> {
    limit: f64,
    free: f64,
    stop: Option<StopRow<'a>>,
}

#[derive(Serialize)]
struct StopRow<'a> {
    a: &'a str,
    b: &'a str,
    status: &'static str,
    bracket: [f64; 2],
}

impl<'a> Document<'a> {
    fn new(found: &'a JointRanges) -> Self {
        let units = found.units;
        let joint = |range: &JointRange| {
            let joint = &found.motion.joints[range.joint as usize];
            let value = |value: f64| in_units(joint, value, units);
            let side = |side: &JointSide| Side {
                limit: value(side.limit),
                free: value(side.free),
                stop: side.stop.map(|stop| StopRow {
                    a: &found.ids[stop.pair[0].0 as usize],
                    b: &found.ids[stop.pair[1].0 as usize],
                    status: stop.status.name(),
                    bracket: stop.bracket.map(value),
                }),
            };
            Joint {
                name: &joint.name,
                kind: &joint.kind,
                home: value(joint.home),
                limits: joint.range.map(|ends| ends.map(value)),
                down: side(&range.sides[0]),
                up: side(&range.sides[1]),
                line: line(joint, range, units),
            }
        };
        Self {
            version: 1,
            assembly: json::Assembly { name: &found.name, path: &found.path, units: units.name() },
            settings: json::Settings::new(&found.settings, units, None),
            joints: found.ranges.iter().map(joint).collect(),
        }
    }
}
