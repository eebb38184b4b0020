//! Collects the parts and instances of a file: shares equal meshes, makes ids unique, counts what is left out.

use crate::error::{Error, Warning, WarningCode};
use crate::geom::{Aabb, Affine, LengthUnit, Mat3, Vec3};
use crate::import::names::{Siblings, clean};
use crate::import::near_rotation::nearest_rotation;
use crate::import::recognise::Kind;
use crate::import::refusal::{Refusal, refuse};
use crate::import::{FileFacts, ImportOptions, Imported, ImportedInstance, ImportedPart, LeftOut, Up, turned};
use crate::mesh::TriMesh;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of instances, as for assembly files.
pub(crate) const MAX_INSTANCES: u64 = 10_000_000;

/// Largest nesting depth of a file.
pub(crate) const MAX_DEPTH: usize = 256;

/// Number of places kept for each kind of content that is left out.
const MAX_PLACES: usize = 5;

/// Sizes of an assembly beyond which its unit is doubtful (mm).
const DOUBTFUL_BELOW: f64 = 1.0;
const DOUBTFUL_ABOVE: f64 = 20_000.0;

/// Largest relative difference between a scale and a quotient of two units that counts as rounding.
const SAME_SCALE: f64 = 1e-7;

/// A mesh of the file, before its first instance.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) mesh: TriMesh,
    pub(crate) units: LengthUnit,
    pub(crate) name: String,
    pub(crate) deflection: Option<f64>,
    pub(crate) colour: Option<String>,
}

/// Index of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceIx(usize);

/// Parts and instances of a file while it is read.
#[derive(Debug)]
pub(crate) struct Collector {
    turned: Affine,
    sources: Vec<Source>,
    /// Content of each source, its triangles without regard to the numbers of vertices.
    hashes: Vec<[u8; 32]>,
    /// Part of a content in a unit.
    part_of: BTreeMap<([u8; 32], &'static str), usize>,
    /// Source of each part, and its unit.
    parts: Vec<(SourceIx, LengthUnit)>,
    names: Vec<BTreeSet<String>>,
    colours: Vec<Option<String>>,
    instances: Vec<ImportedInstance>,
    ids: Siblings,
    /// Number of names with a number on lower levels.
    pub(crate) numbered: u64,
    left_out: BTreeMap<String, LeftOut>,
    pub(crate) warnings: Vec<Warning>,
}

impl Collector {
    pub(crate) fn new(options: &ImportOptions) -> Self {
        Self {
            turned: turned(if options.up == Up::Y { Up::Y } else { Up::Z }),
            sources: Vec::new(),
            hashes: Vec::new(),
            part_of: BTreeMap::new(),
            parts: Vec::new(),
            names: Vec::new(),
            colours: Vec::new(),
            instances: Vec::new(),
            ids: Siblings::default(),
            numbered: 0,
            left_out: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Map from the file's axes to the assembly's.
    pub(crate) fn turned(&self) -> &Affine {
        &self.turned
    }

    /// Adds a mesh; it becomes a part with its first instance.
    pub(crate) fn source(&mut self, source: Source) -> SourceIx {
        self.hashes.push(content_of(&source.mesh));
        self.sources.push(source);
        SourceIx(self.sources.len() - 1)
    }

    /// Places a mesh; `placement` maps its frame, with lengths in mm, to the frame of the file. Returns the id.
    pub(crate) fn instance(&mut self, id: String, source: SourceIx, placement: &Affine) -> String {
        let from = &self.sources[source.0];
        let (units, linear) = without_unit_scale(from.units, &placement.linear);
        let key = (self.hashes[source.0], units.name());
        let next = self.parts.len();
        let part = *self.part_of.entry(key).or_insert(next);
        if part == next {
            self.parts.push((source, units));
            self.names.push(BTreeSet::new());
            self.colours.push(None);
        }
        self.names[part].insert(from.name.clone());
        if self.colours[part].is_none() {
            self.colours[part].clone_from(&from.colour);
        }
        let id = self.ids.unique(id);
        let placement = self.turned.after(&Affine { linear, ..*placement });
        self.instances.push(ImportedInstance { id: id.clone(), part, placement });
        id
    }

    /// Adds a name of the part of the last instance: several names can share a mesh.
    pub(crate) fn name_last(&mut self, name: String) {
        if let Some(last) = self.instances.last() {
            self.names[last.part].insert(name);
        }
    }

    /// Counts content without effect; `place` names it.
    pub(crate) fn leave_out(&mut self, what: &str, count: u64, place: &str) {
        if count == 0 {
            return;
        }
        let entry = self.left_out.entry(what.to_owned()).or_insert_with(|| LeftOut {
            what: what.to_owned(),
            count: 0,
            places: Vec::new(),
        });
        entry.count += count;
        if !place.is_empty() && entry.places.len() < MAX_PLACES && !entry.places.iter().any(|p| p == place) {
            entry.places.push(place.to_owned());
        }
    }

    /// Builds the result.
    pub(crate) fn finish(
        mut self,
        kind: Kind,
        bytes: &[u8],
        file: &str,
        stem: &str,
        facts: FileFacts,
    ) -> Result<Imported, Error> {
        if self.instances.is_empty() {
            let left: Vec<String> = self.left_out.values().map(LeftOut::counted).collect();
            let what = if left.is_empty() {
                "no triangles in it".to_owned()
            } else {
                format!("no triangles in it; left out: {}", left.join(", "))
            };
            return Err(refuse(file, Refusal::NoGeometry, what, "export the parts as solids, with their meshes"));
        }
        let numbered = self.numbered + self.ids.numbered;
        if numbered > 0 {
            let share = if numbered == 1 { "instance shares" } else { "instances share" };
            let message = format!(
                "{numbered} {share} the name of another and got a number in file order; name them apart, \
                 so that rules and baselines keep their instances"
            );
            self.warnings.push(Warning::new(WarningCode::IdsByOrder, message));
        }
        let parts = self.build_parts();
        if facts.doubts_unit {
            self.warnings.extend(doubtful_unit(&parts, &self.instances, facts.generator.as_deref()));
        }
        for left in self.left_out.values() {
            let places = if left.places.is_empty() { String::new() } else { format!(": {}", left.places.join(", ")) };
            let more = if left.count > left.places.len() as u64 && !left.places.is_empty() { ", …" } else { "" };
            let message = format!("left out: {}{places}{more}", left.counted());
            self.warnings.push(Warning::new(WarningCode::LeftOut, message));
        }
        Ok(Imported {
            kind,
            hash: blake3::hash(bytes).to_hex().to_string(),
            generator: facts.generator,
            name: facts.name.unwrap_or_else(|| stem.to_owned()),
            parts,
            instances: self.instances,
            rules: facts.rules,
            joints: facts.joints,
            poses: facts.poses,
            links: facts.links,
            left_out: self.left_out.into_values().collect(),
            sources: facts.sources,
            warnings: self.warnings,
        })
    }

    fn build_parts(&mut self) -> Vec<ImportedPart> {
        let mut used = Siblings::default();
        let mut sources: Vec<Option<Source>> = std::mem::take(&mut self.sources).into_iter().map(Some).collect();
        let mut kept: Vec<usize> = vec![0; sources.len()];
        self.parts.iter().for_each(|(source, _)| kept[source.0] += 1);
        let mut parts = Vec::with_capacity(self.parts.len());
        for (k, (source, units)) in self.parts.iter().enumerate() {
            kept[source.0] -= 1;
            // The last part of a source takes its mesh.
            let taken = if kept[source.0] == 0 { sources[source.0].take() } else { sources[source.0].clone() };
            let Some(from) = taken else { continue };
            let clean = clean(&from.name).unwrap_or_else(|| "part".to_owned());
            parts.push(ImportedPart {
                name: used.unique(clean),
                names: self.names[k].iter().cloned().collect(),
                mesh: from.mesh,
                units: *units,
                deflection: from.deflection,
                colour: self.colours[k].take(),
            });
        }
        parts
    }
}

/// Hash of the corners of all triangles.
fn content_of(mesh: &TriMesh) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = Vec::with_capacity(72 * 512);
    for t in &mesh.triangles {
        for corner in t {
            let p = &mesh.vertices[*corner as usize];
            for x in p.iter() {
                // Adding 0.0 turns −0.0 into 0.0.
                buffer.extend((x + 0.0).to_le_bytes());
            }
        }
        if buffer.len() >= 72 * 511 {
            hasher.update(&buffer);
            buffer.clear();
        }
    }
    hasher.update(&buffer);
    *hasher.finalize().as_bytes()
}

/// Takes a scale out of a placement that makes another unit of the mesh's unit, such as 0.001 for a mesh in m.
fn without_unit_scale(units: LengthUnit, linear: &Mat3) -> (LengthUnit, Mat3) {
    let scale = libm::cbrt(linear.determinant().abs());
    if !scale.is_normal() || (scale - 1.0).abs() <= SAME_SCALE {
        return (units, *linear);
    }
    let size = units.mm() * scale;
    let unit = LengthUnit::ALL.into_iter().find(|u| (u.mm() - size).abs() <= SAME_SCALE * u.mm());
    match (unit, nearest_rotation(&(linear / scale))) {
        (Some(unit), Some(rotation)) => (unit, rotation),
        _ => (units, *linear),
    }
}

/// Warns of a size that tells a wrong unit.
fn doubtful_unit(parts: &[ImportedPart], instances: &[ImportedInstance], generator: Option<&str>) -> Option<Warning> {
    let boxes: Vec<Aabb> = parts.iter().map(|p| Aabb::of_points(&p.mesh.vertices)).collect();
    let mut corners = Vec::with_capacity(8 * instances.len());
    for instance in instances {
        let (b, mm) = (&boxes[instance.part], parts[instance.part].units.mm());
        for k in 0..8 {
            let pick = |axis: usize| if k >> axis & 1 == 0 { b.min[axis] } else { b.max[axis] };
            let p = Vec3::new(pick(0), pick(1), pick(2)) * mm;
            corners.push(instance.placement.linear * p + instance.placement.translation);
        }
    }
    let size = Aabb::of_points(&corners).diagonal();
    if (DOUBTFUL_BELOW..=DOUBTFUL_ABOVE).contains(&size) {
        return None;
    }
    let by = generator.map(|g| format!(", written by {}", crate::json::wording::quoted(g))).unwrap_or_default();
    let message = format!(
        "the assembly measures {} across{by}; if its numbers are millimetres, import it with --units mm",
        if size > DOUBTFUL_ABOVE { LengthUnit::M.format_length(size) } else { LengthUnit::Mm.format_length(size) }
    );
    Some(Warning::new(WarningCode::UnitDoubtful, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids::block;

    fn source(mesh: TriMesh, name: &str) -> Source {
        Source { mesh, units: LengthUnit::M, name: name.to_owned(), deflection: None, colour: None }
    }

    fn finished(collector: Collector) -> Imported {
        let facts = FileFacts { doubts_unit: true, ..FileFacts::default() };
        collector.finish(Kind::Gltf, b"", "a.glb", "a", facts).expect("instances")
    }

    #[test]
    fn equal_meshes_become_one_part() {
        let mut collector = Collector::new(&ImportOptions::default());
        let cube = block([0.0; 3], [0.001; 3]);
        let mut renumbered = cube.clone();
        renumbered.vertices.push(Vec3::zeros());
        for (name, mesh) in [("pin", cube), ("pin copy", renumbered), ("cap", block([0.0; 3], [0.002; 3]))] {
            let ix = collector.source(source(mesh, name));
            collector.instance(name.to_owned(), ix, &Affine::identity());
        }
        let imported = finished(collector);
        assert_eq!(imported.instances.iter().map(|i| i.part).collect::<Vec<_>>(), [0, 0, 1]);
        assert_eq!(imported.parts[0].names, ["pin", "pin copy"]);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    }

    #[test]
    fn a_scale_between_units_becomes_the_unit() {
        let mut collector = Collector::new(&ImportOptions::default());
        let ix = collector.source(source(block([0.0; 3], [10.0; 3]), "arm"));
        for (id, scale) in [("mm", 0.001), ("inch", 0.0254), ("none", 0.5), ("mirrored", -0.001)] {
            let linear = Mat3::from_diagonal(&Vec3::new(scale, scale.abs(), scale.abs()));
            collector.instance(id.to_owned(), ix, &Affine { linear, ..Affine::identity() });
        }
        let imported = finished(collector);
        let units: Vec<_> = imported.parts.iter().map(|p| p.units).collect();
        assert_eq!(units, [LengthUnit::Mm, LengthUnit::Inch, LengthUnit::M]);
        let placed: Vec<_> = imported.instances.iter().map(|i| (i.part, i.placement.linear[(0, 0)])).collect();
        assert_eq!(placed, [(0, 1.0), (1, 1.0), (2, 0.5), (0, -1.0)]);
    }

    #[test]
    fn sizes_of_a_wrong_unit_and_content_left_out_are_told() {
        let mut collector = Collector::new(&ImportOptions { up: Up::Y, ..ImportOptions::default() });
        let ix = collector.source(source(block([0.0; 3], [100.0, 1.0, 1.0]), "plate"));
        for _ in 0..2 {
            collector.instance("plate".to_owned(), ix, &Affine { translation: Vec3::y(), ..Affine::identity() });
        }
        (0..9).for_each(|k| collector.leave_out("cameras", 1, &format!("eye{k}")));
        let imported = finished(collector);
        let codes: Vec<_> = imported.warnings.iter().map(|w| w.code.name()).collect();
        assert_eq!(codes, ["ids-by-order", "unit-doubtful", "left-out"]);
        assert!(imported.warnings[1].message.starts_with("the assembly measures 100"), "{}", imported.warnings[1]);
        assert!(imported.warnings[2].message.contains("9 cameras: eye0"), "{}", imported.warnings[2]);
        assert_eq!(imported.instances[1].placement.translation, Vec3::z());
    }
}
