//! `assembly.json` of a generated folder.

use crate::error::Error;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::folder::as_bytes;
use crate::import::{Imported, ImportedJoint};
use crate::motion::AS_DRAWN;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
struct AssemblyFile<'a> {
    version: u32,
    name: &'a str,
    units: &'static str,
    parts: BTreeMap<&'a str, PartEntry>,
    instances: Vec<InstanceEntry<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    joints: BTreeMap<&'a str, JointEntry<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    poses: BTreeMap<&'a str, &'a BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sweeps: BTreeMap<String, SweepEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<RuleEntry<'a>>,
}

#[derive(Serialize)]
struct SweepEntry<'a> {
    joints: BTreeMap<&'a str, &'static str>,
}

#[derive(Serialize)]
struct JointEntry<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    axis: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[f64; 3]>,
    moves: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range_deg: Option<RangeEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    home: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follows: Option<FollowEntry<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RangeEntry {
    Limits([f64; 2]),
    Word(&'static str),
}

#[derive(Serialize)]
struct FollowEntry<'a> {
    joint: &'a str,
    ratio: f64,
    #[serde(skip_serializing_if = "is_zero")]
    offset: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl<'a> From<&'a ImportedJoint> for JointEntry<'a> {
    fn from(j: &'a ImportedJoint) -> Self {
        let angles = j.range.map_or(RangeEntry::Word("full"), RangeEntry::Limits);
        Self {
            kind: match (j.lead, j.turns) {
                (Some(_), _) => "screw",
                (None, true) => "revolute",
                (None, false) => "prismatic",
            },
            lead: j.lead,
            axis: j.axis.into(),
            at: j.turns.then(|| j.at.into()),
            moves: &j.moves,
            on: j.on.as_deref(),
            range: j.range.filter(|_| !j.turns),
            range_deg: (j.turns && j.follows.is_none()).then_some(angles),
            home: Some(j.home).filter(|home| *home != 0.0),
            follows: j.follows.as_ref().map(|f| FollowEntry { joint: &f.joint, ratio: f.ratio, offset: f.offset }),
        }
    }
}

/// A part.
#[derive(Serialize)]
pub(crate) struct PartEntry {
    pub(crate) mesh: String,
    pub(crate) units: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deflection: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) geometry: Option<&'static str>,
}

#[derive(Serialize)]
struct InstanceEntry<'a> {
    id: &'a str,
    part: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<PlacementEntry>,
}

#[derive(Serialize)]
struct PlacementEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[[f64; 4]; 4]>,
}

#[derive(Serialize)]
struct RuleEntry<'a> {
    between: &'a [String; 2],
    ignore: bool,
    reason: &'a str,
}

/// Builds the file.
///
/// # Errors
/// Refuses numbers that JSON cannot hold.
pub(crate) fn assembly_file(imported: &Imported, parts: BTreeMap<&str, PartEntry>) -> Result<Vec<u8>, Error> {
    let instances = imported
        .instances
        .iter()
        .map(|instance| InstanceEntry {
            id: &instance.id,
            part: &imported.parts[instance.part].name,
            placement: placement(&instance.placement),
        })
        .collect();
    let rules =
        imported.rules.iter().map(|rule| RuleEntry { between: &rule.between, ignore: true, reason: &rule.reason });
    let file = AssemblyFile {
        version: 1,
        name: &imported.name,
        units: "mm",
        parts,
        instances,
        joints: imported.joints.iter().map(|j| (j.name.as_str(), JointEntry::from(j))).collect(),
        poses: imported.poses.iter().map(|p| (p.name.as_str(), &p.values)).collect(),
        sweeps: sweeps(imported),
        rules: rules.collect(),
    };
    as_bytes(&file)
}

/// A sweep for each joint with a value of its own that moves a part: this joint alone, over its whole range.
fn sweeps(imported: &Imported) -> BTreeMap<String, SweepEntry<'_>> {
    let by_name: BTreeMap<&str, &ImportedJoint> = imported.joints.iter().map(|j| (j.name.as_str(), j)).collect();
    let mut moving = BTreeSet::new();
    let mut waiting: Vec<&ImportedJoint> = imported.joints.iter().filter(|j| !j.moves.is_empty()).collect();
    while let Some(joint) = waiting.pop() {
        if moving.insert(joint.name.as_str()) {
            let leader = joint.follows.as_ref().map(|f| &f.joint);
            waiting.extend(joint.on.iter().chain(leader).filter_map(|name| by_name.get(name.as_str())));
        }
    }
    let runs: BTreeSet<&str> = imported.poses.iter().map(|p| p.name.as_str()).chain([AS_DRAWN]).collect();
    let free = imported.joints.iter().filter(|j| j.follows.is_none() && moving.contains(j.name.as_str()));
    let name_of = |joint: &ImportedJoint| {
        let is_free = |name: &str| !runs.contains(name) && (name == joint.name || !by_name.contains_key(name));
        let mut name = joint.name.clone();
        while !is_free(&name) {
            name.push_str("-range");
        }
        name
    };
    free.map(|j| (name_of(j), SweepEntry { joints: BTreeMap::from([(j.name.as_str(), "range")]) })).collect()
}

fn placement(placement: &Affine) -> Option<PlacementEntry> {
    let (l, t) = (&placement.linear, &placement.translation);
    if *l == Mat3::identity() {
        let moved = *t != Vec3::zeros();
        return moved.then(|| PlacementEntry { translation: Some([t.x, t.y, t.z]), matrix: None });
    }
    let row = |i: usize| [l[(i, 0)], l[(i, 1)], l[(i, 2)], t[i]];
    let matrix = [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]];
    Some(PlacementEntry { translation: None, matrix: Some(matrix) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_short() {
        let text = |affine: Affine| serde_json::to_string(&placement(&affine)).unwrap();
        assert_eq!(text(Affine::identity()), "null");
        let moved = Affine { translation: Vec3::new(1.0, 2.0, 3.0), ..Affine::identity() };
        assert_eq!(text(moved), r#"{"translation":[1.0,2.0,3.0]}"#);
        assert!(text(Affine { linear: -Mat3::identity(), ..moved }).starts_with(r#"{"matrix":[[-1.0"#));
    }
}
