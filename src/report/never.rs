//! Writes which pairs never meet: as text, as JSON (docs/reference/report.md), or as SRDF.

use crate::check::{JointTravel, Meeting, MeetingVerdict, Meetings};
use crate::json::write::write_json;
use crate::report::Format;
use crate::report::json;
use crate::report::motion::in_units;
use crate::report::motion::span::value_text;
use crate::report::number::{count, length, length_text};
use crate::report::text::shown;
use crate::report::xml::escaped;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the pairs; [`Format::Table`] is the text.
///
/// # Errors
/// Returns the writer's error.
pub fn render(found: &Meetings, format: Format, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(&Document::new(found), out);
    }
    let mut out = io::BufWriter::new(out);
    let travel = |t: &JointTravel| {
        let joint = found.motion.joints.get(t.joint as usize)?;
        let [from, to] = [t.from, t.to].map(|value| value_text(in_units(joint, value, found.units), 0.0));
        Some(format!("{} {from} to {to}", shown(&joint.name)))
    };
    let joints: Vec<String> = found.joints.iter().filter_map(travel).collect();
    writeln!(out, "{} ({}): every combination of {}", shown(&found.name), shown(&found.path), joints.join(", "))?;
    writeln!(out)?;
    for verdict in MeetingVerdict::ALL {
        for meeting in found.pairs.iter().filter(|m| m.verdict == verdict) {
            let [a, b] = meeting.pair.map(|i| shown(&found.ids[i.0 as usize]));
            writeln!(out, "{:<9}  {a}, {b}{}", verdict.name(), detail(found, meeting))?;
        }
    }
    let counts = MeetingVerdict::ALL.map(|v| format!("{} {}", of(found, v), v.name()));
    let all = count(found.pairs.len() as u64 + found.ignored, "pair");
    writeln!(out, "\n{all}: {}, {} ignored", counts.join(", "), found.ignored)?;
    out.flush()
}

fn of(found: &Meetings, verdict: MeetingVerdict) -> usize {
    found.pairs.iter().filter(|m| m.verdict == verdict).count()
}

fn detail(found: &Meetings, meeting: &Meeting) -> String {
    if let Some(clearance) = meeting.clearance {
        return format!(": at least {} apart", length_text(clearance, found.units));
    }
    let value = |t: &JointTravel| {
        let joint = found.motion.joints.get(t.joint as usize).filter(|joint| joint.has_own_value())?;
        Some(format!("{} {}", shown(&joint.name), value_text(in_units(joint, t.from, found.units), 0.0)))
    };
    let values: Vec<String> = meeting.at.iter().filter_map(value).collect();
    match meeting.verdict {
        MeetingVerdict::Meets if values.is_empty() => ": as drawn".to_owned(),
        MeetingVerdict::Meets => format!(": at {}", values.join(", ")),
        MeetingVerdict::Never => ": apart by more than the tolerance".to_owned(),
        MeetingVerdict::Touches | MeetingVerdict::Undecided => String::new(),
    }
}

/// A link of a robot, for its SRDF file.
#[derive(Debug, Clone, Copy)]
pub struct SrdfLink<'a> {
    /// Name in the file of the robot.
    pub name: &'a str,
    /// Ids of its instances.
    pub instances: &'a [String],
    /// True if every geometry of the link has an instance.
    pub is_complete: bool,
}

/// Second line of an SRDF file of this program.
const SRDF_MARK: &str = "<!-- written by interfere never -->";

/// True for the text of an SRDF file that [`render_srdf`] wrote.
pub fn is_own_srdf(text: &str) -> bool {
    text.lines().nth(1) == Some(SRDF_MARK)
}

/// Writes an SRDF file: `disable_collisions` with the reason `Never` for each pair of links with a proof. `links` are
/// those of the robot; without them, the link of an instance is its id without the number of its geometry, as the
/// import of URDF names them. A link with a geometry that no instance stands for has no proof.
///
/// # Errors
/// Returns the writer's error.
pub fn render_srdf(found: &Meetings, links: &[SrdfLink], out: &mut dyn Write) -> io::Result<()> {
    let of_id = |id: &String| links.iter().position(|link| link.instances.contains(id));
    let names: Vec<&str> = match links {
        [] => found.ids.iter().map(|id| link_of(id, &found.ids)).collect(),
        _ => found.ids.iter().map(|id| of_id(id).map_or(id.as_str(), |k| links[k].name)).collect(),
    };
    // A pair of links counts if all their pairs of instances are proved; ignored pairs are not.
    let mut proved: BTreeMap<[&str; 2], u64> = BTreeMap::new();
    for meeting in found.pairs.iter().filter(|m| m.verdict == MeetingVerdict::Never) {
        *proved.entry(sorted(meeting.pair.map(|i| names[i.0 as usize]))).or_default() += 1;
    }
    let mut geometries: BTreeMap<&str, u64> = BTreeMap::new();
    for name in &names {
        *geometries.entry(name).or_default() += 1;
    }
    let is_complete = |name: &str| links.iter().all(|link| link.is_complete || link.name != name);
    writeln!(out, "<?xml version=\"1.0\"?>\n{SRDF_MARK}\n<robot name=\"{}\">", escaped(&found.name))?;
    for ([a, b], n) in proved {
        if a != b && n == geometries[a] * geometries[b] && is_complete(a) && is_complete(b) {
            let [a, b] = [a, b].map(escaped);
            writeln!(out, "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"Never\"/>")?;
        }
    }
    writeln!(out, "</robot>")
}

fn sorted([a, b]: [&str; 2]) -> [&str; 2] {
    if b < a { [b, a] } else { [a, b] }
}

/// Id without the number of a further geometry, `arm.2`, if the first geometry exists.
fn link_of<'a>(id: &'a str, ids: &[String]) -> &'a str {
    match id.rsplit_once('.') {
        Some((link, number))
            if !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit())
                && ids.iter().any(|other| other == link) =>
        {
            link
        }
        _ => id,
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    assembly: json::Assembly<'a>,
    settings: json::Settings<'a>,
    joints: BTreeMap<&'a str, [f64; 2]>,
    counts: BTreeMap<&'static str, u64>,
    pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    verdict: &'static str,
    clearance: Option<f64>,
    at: Option<BTreeMap<&'a str, f64>>,
}

impl<'a> Document<'a> {
    fn new(found: &'a Meetings) -> Self {
        let units = found.units;
        let name = |t: &JointTravel| found.motion.joints[t.joint as usize].name.as_str();
        let value = |t: &JointTravel, value: f64| in_units(&found.motion.joints[t.joint as usize], value, units);
        let pair = |meeting: &Meeting| Pair {
            a: &found.ids[meeting.pair[0].0 as usize],
            b: &found.ids[meeting.pair[1].0 as usize],
            verdict: meeting.verdict.name(),
            clearance: meeting.clearance.map(|mm| length(mm, units)),
            at: (meeting.verdict == MeetingVerdict::Meets)
                .then(|| meeting.at.iter().map(|t| (name(t), value(t, t.from))).collect()),
        };
        let counts = MeetingVerdict::ALL.map(|v| (v.name(), of(found, v) as u64));
        Self {
            version: 1,
            assembly: json::Assembly { name: &found.name, path: &found.path, units: units.name() },
            settings: json::Settings::new(&found.settings, units, None),
            joints: found.joints.iter().map(|t| (name(t), [value(t, t.from), value(t, t.to)])).collect(),
            counts: counts.into_iter().chain([("ignored", found.ignored)]).collect(),
            pairs: found.pairs.iter().map(pair).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_geometry_belongs_to_no_link() {
        let ids = ["arm", "arm.2", "v1.5", "hand.x"].map(str::to_owned);
        let links: Vec<&str> = ids.iter().map(|id| link_of(id, &ids)).collect();
        assert_eq!(links, ["arm", "arm", "v1.5", "hand.x"]);
    }
}
