//! Joints of all files, in the coordinates of the root.

use crate::assembly::file::Located;
use crate::assembly::file::joints::{RawFollow, RawJoint, in_own_unit};
use crate::assembly::file::rotation::unit_vector;
use crate::assembly::file::tree::File;
use crate::assembly::motion::scope::{Report, Scope, Use};
use crate::error::Location;
use crate::geom::LengthUnit;
use crate::json::wording::{join_or, nearest, quoted};
use crate::motion::mechanism::sources_first;
use crate::motion::{Follow, Joint, JointIx, JointKind, Mechanism, MechanismJoint};
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of joints after expanding sub-assemblies.
const MAX_JOINTS: usize = 10_000;

/// A joint with its name and its file.
pub(crate) struct PlacedJoint {
    pub name: String,
    pub at: Location,
    /// Index in [`Scope::uses`].
    pub used: usize,
    /// Index in the joints of the file.
    pub index: usize,
    pub joint: MechanismJoint,
}

/// The joints of all uses of files.
#[derive(Default)]
pub(crate) struct JointTree {
    /// Joints, those of a file together and before those of the files inside it.
    pub joints: Vec<PlacedJoint>,
    by_name: BTreeMap<String, JointIx>,
    /// Full names of joints with a problem of their own.
    broken: BTreeSet<String>,
    /// File of each use.
    pub file_of: Vec<usize>,
}

impl JointTree {
    pub(crate) fn of(files: &[File], scope: &Scope, report: &mut Report) -> Self {
        let mut tree = Self { file_of: scope.uses.iter().map(|u| u.file).collect(), ..Self::default() };
        let total: usize = scope.uses.iter().map(|u| files[u.file].raw.joint_names.len()).sum();
        if total > MAX_JOINTS {
            let what = format!("sub-assemblies expand to {total} joints, more than {MAX_JOINTS}");
            report.add(0, &files[0].raw.instances_at, what, "split the assembly");
            return tree;
        }
        for (used, place) in scope.uses.iter().enumerate() {
            let raw = &files[place.file].raw;
            if let (false, false, Some((file, at))) = (raw.joint_names.is_empty(), place.rigid, &place.placed_at) {
                let what = "a scaled or sheared placement of a sub-assembly with joints";
                report.add(*file, at, what, "give a rotation and a translation: joints keep lengths");
            }
            tree.broken.extend(raw.joint_names.iter().map(|name| format!("{}{name}", place.prefix)));
            for (index, joint) in raw.joints.iter().enumerate() {
                let name = format!("{}{}", place.prefix, joint.name);
                tree.broken.remove(&name);
                tree.by_name.insert(name.clone(), JointIx(tree.joints.len() as u32));
                let at = joint.at.clone();
                let joint = MechanismJoint {
                    joint: placed(&joint.joint, place),
                    home: joint.home,
                    range: joint.range,
                    on: None,
                    follows: None,
                };
                tree.joints.push(PlacedJoint { name, at, used, index, joint });
            }
        }
        tree.connect(files, scope, report);
        tree
    }

    /// Finds the joints that others stand on and follow.
    fn connect(&mut self, files: &[File], scope: &Scope, report: &mut Report) {
        for k in 0..self.joints.len() {
            let PlacedJoint { used, index, ref joint, .. } = self.joints[k];
            let place = &scope.uses[used];
            let RawFileUnits { raw, unit } = raw_joint(files, place.file, index);
            let kind = joint.joint.kind;
            let on = raw.on.as_ref().and_then(|on| self.find(place.file, &place.prefix, on, report));
            let follows = raw.follows.as_ref().and_then(|f| self.follow(place, f, kind, unit, report));
            self.joints[k].joint.on = on;
            self.joints[k].joint.follows = follows;
        }
    }

    fn follow(
        &self,
        place: &Use,
        raw: &RawFollow,
        kind: JointKind,
        unit: LengthUnit,
        report: &mut Report,
    ) -> Option<Follow> {
        let leader = self.find(place.file, &place.prefix, &raw.joint, report)?;
        let leading = self.kind(leader);
        if leading == JointKind::Fixed {
            let what = format!("{} is a fixed joint: it leads no other one", quoted(&raw.joint.value));
            report.add(place.file, &raw.joint.at, what, "follow a joint that moves");
            return None;
        }
        // One unit of the leader, in the units of the file, over one unit of its own.
        let ratio = in_own_unit(kind, raw.ratio, unit) / in_own_unit(leading, 1.0, unit);
        Some(Follow { leader, ratio, offset: in_own_unit(kind, raw.offset, unit) })
    }

    /// Finds a joint by its name inside a file; reports an unknown one.
    pub(crate) fn find(
        &self,
        file: usize,
        prefix: &str,
        name: &Located<String>,
        report: &mut Report,
    ) -> Option<JointIx> {
        let full = format!("{prefix}{}", name.value);
        if let Some(found) = self.by_name.get(&full) {
            return Some(*found);
        }
        if !self.broken.contains(&full) {
            let known: Vec<&str> =
                self.by_name.keys().chain(&self.broken).filter_map(|known| known.strip_prefix(prefix)).collect();
            let fix = match nearest(&name.value, known.iter().copied()) {
                Some(near) => format!("did you mean {}?", quoted(near)),
                None if known.is_empty() => "this file has no `joints`: add it there".to_owned(),
                None if known.len() <= 8 => format!("known here: {}", join_or(&known)),
                None => "add it to `joints`".to_owned(),
            };
            report.add(file, &name.at, format!("unknown joint {}", quoted(&name.value)), fix);
        }
        None
    }

    pub(crate) fn kind(&self, joint: JointIx) -> JointKind {
        self.joints[joint.0 as usize].joint.joint.kind
    }

    pub(crate) fn name(&self, joint: JointIx) -> &str {
        &self.joints[joint.0 as usize].name
    }

    /// Builds the mechanism; reports cycles.
    pub(crate) fn mechanism(&self, files: &[File], report: &mut Report) -> Option<Mechanism> {
        let on: Vec<Option<u32>> = self.joints.iter().map(|j| j.joint.on.map(|on| on.0)).collect();
        let leads: Vec<Option<u32>> = self.joints.iter().map(|j| j.joint.follows.map(|f| f.leader.0)).collect();
        for (next, key) in [(on, "on"), (leads, "follows")] {
            for cycle in sources_first(&next).err().unwrap_or_default() {
                let Some(first) = cycle.first().map(|j| &self.joints[*j as usize]) else { continue };
                let file = self.file_of[first.used];
                let raw = raw_joint(files, file, first.index).raw;
                let at = match key {
                    "on" => raw.on.as_ref().map(|on| &on.at),
                    _ => raw.follows.as_ref().map(|f| &f.joint.at),
                };
                let names: Vec<&str> = cycle.iter().chain(&cycle[..1]).map(|j| self.name(JointIx(*j))).collect();
                let what = format!("cycle of `{key}`: {}", crate::json::wording::one_line_of(&names.join(" → "), 1000));
                let fix = if key == "on" { "let one of them stand on the ground" } else { "let one of them lead" };
                report.add(file, at.unwrap_or(&first.at), what, fix);
            }
        }
        Mechanism::new(self.joints.iter().map(|j| j.joint).collect()).ok()
    }
}

/// A joint as written, with the unit of its file.
pub(crate) struct RawFileUnits<'f> {
    pub raw: &'f RawJoint,
    pub unit: LengthUnit,
}

pub(crate) fn raw_joint(files: &[File], file: usize, index: usize) -> RawFileUnits<'_> {
    let raw = &files[file].raw;
    RawFileUnits { raw: &raw.joints[index], unit: raw.units.unwrap_or(LengthUnit::Mm) }
}

/// A joint of a file in the coordinates of the root. A mirror image turns the other way: its axis is reversed, and the
/// travel of a screw keeps its direction in space.
fn placed(joint: &Joint, place: &Use) -> Joint {
    if place.prefix.is_empty() {
        return *joint;
    }
    let linear = &place.placement.linear;
    let along = unit_vector(&(linear * joint.axis)).unwrap_or(joint.axis);
    let at = linear * joint.at + place.placement.translation;
    match joint.kind {
        JointKind::Screw { lead } if linear.determinant() < 0.0 => {
            Joint { kind: JointKind::Screw { lead: -lead }, axis: -along, at }
        }
        JointKind::Revolute if linear.determinant() < 0.0 => Joint { axis: -along, at, ..*joint },
        _ => Joint { axis: along, at, ..*joint },
    }
}
