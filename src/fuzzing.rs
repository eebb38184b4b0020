//! Code of the fuzz targets, in the library so that the test suite replays their corpus on a stable compiler. Each
//! function runs all stages on hostile input and must end in a value or an error, never in a panic.
//!
//! Not part of the public interface.

use crate::assembly::{self, Assembly, LoadOptions};
use crate::check::{self, Measure, NoProgress, Options, Status};
use crate::geom::math::sin_cos_deg;
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::import::folder::{ASSEMBLY, generate};
use crate::import::{self, ImportOptions};
use crate::io::{FsLoader, Loader};
use crate::mesh::{self, TriMesh};
use crate::shape::hull;
use crate::shape::polytope::Convex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Largest number of triangles for the exact stage: fuzzing wants many short inputs.
const MAX_EXACT_TRIANGLES: usize = 32;

/// Runs a mesh file through reading, vertex merging, measures, hull, facets, box and inner ball. Checks a small mesh
/// against rotated and moved copies of itself with the exact stage.
///
/// # Panics
/// Panics for a broken guarantee: a point outside its hull, a number that is not finite, counts with a wrong sum.
pub fn mesh(data: &[u8]) {
    let Ok(loaded) = mesh::load(data) else { return };
    let points = &loaded.mesh.vertices;
    assert!(loaded.health.triangles == loaded.mesh.triangles.len() as u64, "faces were lost");
    assert!(mesh::facet_error(&loaded.mesh, loaded.rounding()).is_finite(), "the facet error is not finite");
    if points.len() > 4000 {
        return;
    }
    let hull = hull::convex_hull(points);
    assert!(hull::encloses(&hull, points), "a point lies outside of its hull");
    let facets = hull::facets(&hull);
    let obb = hull::fit_obb(&hull, &facets, hull::Tried::Large);
    assert!(obb.half_extents.iter().all(|h| h.is_finite() && *h >= 0.0), "the box is not a box");
    assert!(Convex::new(&hull, &facets).inner_radius.is_finite(), "the inner ball has no radius");
    if loaded.mesh.triangles.len() <= MAX_EXACT_TRIANGLES {
        against_itself(loaded.mesh, loaded.health.bounds.diagonal());
    }
}

/// Checks a mesh in place against a rotated copy close by and a copy moved by its size.
fn against_itself(mesh: TriMesh, size: f64) {
    let (s, c) = sin_cos_deg(33.0);
    let turned = Affine {
        linear: Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0),
        translation: Vec3::new(0.1 * size, 0.0, 0.05 * size),
    };
    let beside = Affine { translation: Vec3::new(size, 0.0, 0.0), ..Affine::identity() };
    let built = Assembly::builder("replayed", LengthUnit::Mm)
        .part("mesh", mesh)
        .instance("here", "mesh", Affine::identity())
        .instance("turned", "mesh", turned)
        .instance("beside", "mesh", beside)
        .tolerance(1e-3 * size)
        .build();
    let Ok(assembly) = built else { return };
    let options = Options { measure: Measure::None, ..Options::default() };
    if let Ok(outcome) = check::check(&assembly, &options, &FsLoader, &NoProgress) {
        let counted: u64 = Status::ALL.into_iter().map(|s| outcome.counts.of(s)).sum();
        assert!(counted == outcome.possible_pairs, "pairs were lost");
    }
}

/// Loads and checks a root assembly file, with two meshes (`a.obj`, `b.obj`) and a sub-assembly (`sub.json`) beside it.
/// True for an outcome.
pub fn assembly(data: &[u8]) -> bool {
    let files = Memory { root: data };
    let options = LoadOptions { allow_outside: true };
    assembly::load(Path::new("/assembly.json"), &files, &options)
        .ok()
        .filter(|found| found.instances.len() <= 64)
        .is_some_and(|found| check::check(&found, &Options::default(), &files, &NoProgress).is_ok())
}

/// Imports a file of another program and reads its generated assembly again. Beside it lie cubes, as every name that
/// ends in `.obj`. True for a folder.
///
/// # Panics
/// Panics for a generated folder that the checker refuses.
pub fn import(data: &[u8]) -> bool {
    let files = OneFile(data);
    let options = ImportOptions { deflection: 5.0, ..ImportOptions::default() };
    let Ok(imported) = import::import(Path::new("/file"), &files, &options) else { return false };
    let Ok(folder) = generate(&imported, &options, "file") else { return false };
    let text = folder.files.get(ASSEMBLY).map(Vec::as_slice).unwrap_or_default();
    let generated = Generated(&folder.files);
    let loaded = assembly::load(Path::new("/assembly.json"), &generated, &LoadOptions::default());
    let placed = loaded.map(|assembly| assembly.instances.len());
    assert!(placed == Ok(imported.instances.len()), "{placed:?}: {}", String::from_utf8_lossy(text));
    true
}

/// The file `/file`, with cubes beside it.
struct OneFile<'a>(&'a [u8]);

impl Loader for OneFile<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.canonical(path).map(|path| if path == Path::new("/file") { self.0.to_vec() } else { CUBE.to_vec() })
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        match path.file_name() {
            None => Ok(PathBuf::from("/")),
            Some(_) if self.exists(path) => Ok(path.to_owned()),
            Some(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new("/file") || path.extension().is_some_and(|e| e == "obj")
    }
}

/// The files of a generated folder, below `/`.
struct Generated<'a>(&'a BTreeMap<String, Vec<u8>>);

impl Generated<'_> {
    fn get(&self, path: &Path) -> io::Result<&Vec<u8>> {
        let name = path.strip_prefix("/").ok().and_then(Path::to_str);
        name.and_then(|name| self.0.get(name)).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Loader for Generated<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.get(path).cloned()
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        if path == Path::new("/") { Ok(path.to_owned()) } else { self.get(path).map(|_| path.to_owned()) }
    }

    fn exists(&self, path: &Path) -> bool {
        self.get(path).is_ok()
    }
}

/// The root folder, with files of these names at any depth.
struct Memory<'a> {
    root: &'a [u8],
}

const CUBE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
const TETRAHEDRON: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const SUB: &[u8] =
    br#"{"version": 1, "units": "inch", "parts": {"t": {"mesh": "t.obj"}}, "instances": [{"id": "t", "part": "t"}]}"#;

impl Loader for Memory<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.file_name().and_then(|n| n.to_str()) {
            Some("assembly.json") => Ok(self.root.to_vec()),
            Some("sub.json") => Ok(SUB.to_vec()),
            Some("box.obj" | "a.obj") => Ok(CUBE.to_vec()),
            Some("t.obj" | "b.obj") => Ok(TETRAHEDRON.to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let root = || PathBuf::from("/");
        match path.file_name() {
            None => Ok(root()),
            Some(name) if self.exists(path) => Ok(root().join(name)),
            Some(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        matches!(
            path.file_name().and_then(|n| n.to_str()),
            Some("assembly.json" | "sub.json" | "box.obj" | "a.obj" | "t.obj" | "b.obj")
        )
    }
}
