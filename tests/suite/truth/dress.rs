//! The same pair in many guises: moved, subdivided, rounded, written to files, far from any origin.

use super::known::Known;
use crate::support::Rng;
use crate::support::solids::{obj, reversed, stl};
use crate::support::tessellate::{irregular, refined};
use crate::support::two::placed;
use interfere::internals::assembly::{Assembly, Facets, Geometry, MeshSource, RuleAction};
use interfere::internals::check::{NoProgress, Options, Outcome, check};
use interfere::internals::geom::math::UNIT_ROUNDOFF;
use interfere::internals::geom::{Affine, LengthUnit, Mat3, Vec3};
use interfere::internals::io::Loader;
use interfere::internals::mesh::TriMesh;
use std::io;
use std::path::{Path, PathBuf};

/// Form of a part's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    Memory,
    Obj,
    /// Rounds coordinates to single precision.
    Stl,
}

/// A pair in one guise, ready for the check.
pub struct Dressed {
    pub meshes: [TriMesh; 2],
    pub forms: [Form; 2],
    pub placements: [Affine; 2],
    /// The family's frame in root coordinates.
    pub frame: Affine,
    /// Largest displacement of a surface point from its drawn position (mm).
    pub moved: f64,
    /// Short description for messages.
    pub describe: String,
}

/// Inverse of a rigid placement.
fn undo(a: &Affine) -> Affine {
    let back = a.linear.transpose();
    placed(back, -(back * a.translation))
}

fn largest(mesh: &TriMesh) -> f64 {
    mesh.vertices.iter().map(Vec3::amax).fold(0.0, f64::max)
}

/// A random motion by at most `far`, sometimes with a mirror.
fn motion(rng: &mut Rng, far: f64) -> Affine {
    let mirror = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, if rng.below(12) == 0 { -1.0 } else { 1.0 }));
    let to = rng.direction() * rng.scale(0.1, far);
    match rng.below(4) {
        0 => placed(Mat3::identity(), to),
        1 => placed(rng.rotation() * mirror, Vec3::zeros()),
        _ => placed(rng.rotation() * mirror, to),
    }
}

/// Frame of a part's own coordinates: the family's, turned, or far from the origin.
fn own_frame(rng: &mut Rng, far: f64) -> Affine {
    match rng.below(4) {
        0 | 1 => Affine::identity(),
        2 => placed(rng.rotation(), Vec3::zeros()),
        _ => placed(rng.rotation(), rng.direction() * rng.scale(1.0, far)),
    }
}

/// The moved mesh and the largest displacement by rounding.
fn carried(mesh: &TriMesh, by: &Affine, form: Form) -> (TriMesh, f64) {
    let mut out = mesh.clone();
    out.vertices.iter_mut().for_each(|v| *v = by.linear * *v + by.translation);
    let mut moved = if *by == Affine::identity() { 0.0 } else { 8.0 * UNIT_ROUNDOFF * largest(&out) };
    if form == Form::Stl {
        let before = largest(&out);
        out.vertices.iter_mut().for_each(|v| *v = v.map(|x| f64::from(x as f32)));
        moved += 3.0_f64.sqrt() * 0.5 * f64::from(f32::EPSILON) * before;
    }
    (out, moved)
}

impl Dressed {
    /// The pair as drawn by the family.
    pub fn plain(known: &Known) -> Self {
        let placements = [Affine::identity(), known.b_in_a];
        let frame = Affine::identity();
        let moved = if known.exact { 0.0 } else { 8.0 * UNIT_ROUNDOFF * known.parts.iter().map(largest).sum::<f64>() };
        let describe = "as drawn".to_owned();
        Self { meshes: known.parts.clone(), forms: [Form::Memory; 2], placements, frame, moved, describe }
    }

    /// A random guise; parts have `most` triangles or slightly more.
    pub fn some(known: &Known, rng: &mut Rng, most: usize) -> Self {
        let levels = [0, 1].map(|_| rng.below(4));
        let cuts = [0, 1].map(|_| if rng.below(2) == 0 { rng.below(40) } else { 0 });
        if known.exact || known.flush {
            return Self::exact(known, rng, levels, most);
        }
        let meshes = [0, 1].map(|k| irregular(&refined(&known.parts[k], levels[k], most), cuts[k], rng));
        let meshes = meshes.map(|m| if rng.below(12) == 0 { reversed(&m) } else { m });
        let forms = [0, 1].map(|_| [Form::Memory, Form::Obj, Form::Stl][rng.below(3)]);
        let far = 1e6;
        // A rounded part stays close enough to the origin to keep its features.
        let own_far = if forms.contains(&Form::Stl) { 3e3 } else { far };
        let own = [0, 1].map(|_| own_frame(rng, own_far));
        let m = motion(rng, far);
        let poses = [Affine::identity(), known.b_in_a];
        let together = rng.below(3) == 0;
        let mut moved = 4.0 * UNIT_ROUNDOFF * known.parts.iter().map(largest).sum::<f64>();
        let mut placements = [m; 2];
        let meshes = [0, 1].map(|k| {
            // Drawn in place, or drawn anywhere and placed.
            let by = if together { own[0].after(&poses[k]) } else { own[k] };
            if !together {
                placements[k] = m.after(&poses[k]).after(&undo(&own[k]));
            }
            let (mesh, lost) = carried(&meshes[k], &by, forms[k]);
            let far = largest(&mesh) + if together { 0.0 } else { placements[k].translation.norm() };
            moved += lost + 16.0 * UNIT_ROUNDOFF * far;
            mesh
        });
        let frame = if together { m.after(&own[0]) } else { m };
        let describe = format!("levels {levels:?}, cuts {cuts:?}, {forms:?}, together {together}, moved {moved:e}");
        Self { meshes, forms, placements, frame, moved, describe }
    }

    /// A guise without rounding, or with equal rounding of each plane: all digits in files, halved triangles, integer
    /// translations.
    fn exact(known: &Known, rng: &mut Rng, levels: [usize; 2], most: usize) -> Self {
        let meshes = [0, 1].map(|k| refined(&known.parts[k], levels[k], most));
        let forms = [0, 1].map(|_| [Form::Memory, Form::Obj][rng.below(2)]);
        let frame = placed(Mat3::identity(), (rng.direction() * rng.scale(1.0, 1e6)).map(f64::round));
        let describe = format!("levels {levels:?}, {forms:?}, exact");
        let far = known.parts.iter().map(largest).sum::<f64>() + frame.translation.norm();
        let moved = if known.exact { 0.0 } else { 16.0 * UNIT_ROUNDOFF * far };
        Self { meshes, forms, placements: [frame, frame.after(&known.b_in_a)], frame, moved, describe }
    }

    /// Lower limit of the pair's tolerance set by single precision.
    pub fn floor(&self) -> f64 {
        8.0 * self.quanta().iter().fold(0.0, |m: f64, q| m.max(*q))
    }

    /// Step of single precision at each part's largest coordinate; 0 for parts in double precision.
    pub fn quanta(&self) -> [f64; 2] {
        [0, 1].map(
            |k| {
                if self.forms[k] == Form::Stl { f64::from(f32::EPSILON) * largest(&self.meshes[k]) } else { 0.0 }
            },
        )
    }

    /// Largest own coordinate of each part.
    pub fn reach(&self) -> [f64; 2] {
        [0, 1].map(|k| largest(&self.meshes[k]))
    }

    /// Sides of each part's own box.
    pub fn sides(&self) -> [Vec3; 2] {
        [0, 1].map(|k| {
            let v = &self.meshes[k].vertices;
            let (low, high) = v.iter().fold((v[0], v[0]), |(l, h), p| (l.inf(p), h.sup(p)));
            high - low
        })
    }

    /// Maps a point of the root frame to the family's frame.
    pub fn in_family(&self, p: &Vec3) -> Vec3 {
        self.frame.linear.transpose() * (p - self.frame.translation)
    }

    fn bytes(&self, k: usize) -> Vec<u8> {
        if self.forms[k] == Form::Stl { stl(&self.meshes[k]) } else { obj(&self.meshes[k]).into_bytes() }
    }

    /// Assembly of the pair; the first part's instance is `ids[0]`.
    fn assembly(&self, known: &Known, ids: [&str; 2]) -> Assembly {
        let mut builder = Assembly::builder("two", LengthUnit::Mm);
        for (k, name) in ["first", "second"].into_iter().enumerate() {
            builder = builder.part(name, self.meshes[k].clone()).instance(ids[k], name, self.placements[k]);
        }
        if let Some(verb) = known.verb {
            builder = builder.rule("a", "b", verb, None);
        }
        let mut assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
        assembly.parts[0].deflection = known.bore.and_then(|b| b.deflection);
        for (k, part) in assembly.parts.iter_mut().enumerate() {
            if self.forms[k] != Form::Memory {
                let name = ["first.mesh", "second.mesh"][k];
                part.source = MeshSource::File { path: name.into(), shown: name.into() };
            }
        }
        assembly
    }

    /// Checks the pair.
    pub fn check(&self, known: &Known, ids: [&str; 2], asked: &Asked) -> Outcome {
        let options = Options {
            geometry: Some(Geometry::Exact),
            tolerance: Some(asked.tolerance),
            facets: Some(asked.facets),
            report_within: Some(2.0 * known.gap.abs() + 100.0 * asked.tolerance + 16.0 * self.moved),
            ..Options::default()
        };
        let files = Files([0, 1].map(|k| self.bytes(k)));
        check(&self.assembly(known, ids), &options, &files, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Writes the pair as an assembly on disk.
    pub fn write(&self, known: &Known, asked: &Asked, folder: &Path) {
        use serde_json::json;
        std::fs::create_dir_all(folder).expect("a folder");
        let mut parts = json!({});
        let mut instances = Vec::new();
        for (k, name) in ["first", "second"].into_iter().enumerate() {
            let file = format!("{name}.{}", if self.forms[k] == Form::Stl { "stl" } else { "obj" });
            std::fs::write(folder.join(&file), self.bytes(k)).expect("a file");
            parts[name] = json!({ "mesh": file });
            let p = &self.placements[k];
            let row = |r: usize| json!([p.linear[(r, 0)], p.linear[(r, 1)], p.linear[(r, 2)], p.translation[r]]);
            let matrix = [row(0), row(1), row(2), json!([0, 0, 0, 1])];
            let id = ["a", "b"][k];
            instances.push(json!({ "id": id, "part": name, "placement": { "matrix": matrix } }));
        }
        if let Some(deflection) = known.bore.and_then(|b| b.deflection) {
            parts["first"]["deflection"] = json!(deflection);
        }
        let facets = if asked.facets == Facets::Strict { "strict" } else { "allow" };
        let rules: Vec<_> = known
            .verb
            .map(|verb| match verb {
                RuleAction::Ignore => json!({ "between": ["a", "b"], "ignore": true }),
                RuleAction::AllowDepth(mm) => json!({ "between": ["a", "b"], "allow_depth": mm }),
                RuleAction::Grade => json!({ "between": ["a", "b"], "severity": "error" }),
                RuleAction::MinClearance(mm) => json!({ "between": ["a", "b"], "min_clearance": mm }),
            })
            .into_iter()
            .collect();
        let assembly = json!({ "version": 1, "tolerance": asked.tolerance, "facets": facets, "parts": parts,
            "instances": instances, "rules": rules });
        std::fs::write(folder.join("assembly.json"), format!("{assembly:#}\n")).expect("a file");
    }
}

/// Options of a pair's check.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub tolerance: f64,
    pub facets: Facets,
}

/// Two meshes as files.
struct Files([Vec<u8>; 2]);

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0[usize::from(path == Path::new("second.mesh"))].clone())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn exists(&self, _: &Path) -> bool {
        true
    }
}
