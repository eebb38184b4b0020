//! Reads the meshes of an assembly, each file once.

use crate::assembly::{Assembly, MeshSource, Part};
use crate::check::cache::{Kind, Name, Session, StoredPart, part_key};
use crate::check::{Measure, Progress, Stage};
use crate::error::{Error, Location, Problem, Warning, WarningCode};
use crate::geom::{Aabb, LengthUnit, Vec3};
use crate::io::Loader;
use crate::mesh::{self, Health, LoadedMesh, MeshError, TriMesh};
use crate::parallel;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A part's mesh and its facts; coordinates in mm, in the part's frame.
#[derive(Debug)]
pub(crate) struct PartMesh {
    /// Hash of content and units.
    pub hash: blake3::Hash,
    pub mesh: LazyMesh,
    pub bounds: Aabb,
    pub triangles: u64,
    pub closed: bool,
    /// Volume enclosed by the repaired mesh (mm³); `None` without a definite inside.
    pub enclosed: Option<f64>,
    /// Number of shells, connected over shared vertices.
    pub shells: u32,
    /// Largest rounding of its coordinates (mm); 0 for double-precision meshes.
    pub rounding: f64,
    /// Largest sagitta of its facets (mm); `None` for a run that measures nothing.
    pub facet_error: Option<f64>,
    /// Largest sagitta at concave edges (mm).
    pub concave_error: f64,
    pub warnings: Vec<Warning>,
}

/// Source of a mesh.
#[derive(Debug)]
pub(crate) enum Source {
    /// Content of a file.
    File(Vec<u8>),
    /// Mesh of the caller.
    Memory(Arc<TriMesh>),
}

impl Source {
    fn load(self) -> Result<LoadedMesh, MeshError> {
        match self {
            Self::File(bytes) => mesh::load_owned(bytes),
            Self::Memory(mesh) => LoadedMesh::from_tri_mesh(Arc::unwrap_or_clone(mesh)),
        }
    }

    /// Defers reading until first use.
    pub(crate) fn deferred(self, units: LengthUnit) -> LazyMesh {
        LazyMesh { mesh: OnceLock::new(), source: Mutex::new(Some((self, units))) }
    }
}

/// A part's triangles (mm), read on first use.
#[derive(Debug)]
pub(crate) struct LazyMesh {
    mesh: OnceLock<TriMesh>,
    source: Mutex<Option<(Source, LengthUnit)>>,
}

impl LazyMesh {
    /// Mesh, read on the first call. An earlier read of the same source succeeded, so this one does, too.
    pub(crate) fn get(&self) -> &TriMesh {
        self.mesh.get_or_init(|| {
            let source = self.source.lock().unwrap_or_else(PoisonError::into_inner).take();
            let loaded = source.and_then(|(source, units)| Some((source.load().ok()?.mesh, units)));
            loaded.map(|(mesh, units)| scaled(mesh, units)).unwrap_or_default()
        })
    }
}

impl From<TriMesh> for LazyMesh {
    fn from(mesh: TriMesh) -> Self {
        Self { mesh: mesh.into(), source: Mutex::new(None) }
    }
}

/// Scales a mesh to millimetres.
fn scaled(mut mesh: TriMesh, units: LengthUnit) -> TriMesh {
    let mm = units.mm();
    // The mesh lives until the end of the run: free the spare capacity.
    mesh.vertices.shrink_to_fit();
    mesh.triangles.shrink_to_fit();
    if mm != 1.0 {
        mesh.vertices.iter_mut().for_each(|v: &mut Vec3| *v *= mm);
    }
    mesh
}

/// Loads the mesh of every part, in the order of `assembly.parts`. Parts of the same file and unit share a mesh.
/// Omits the facet error if `measure` is none.
///
/// # Errors
/// Refuses all files that are unreadable or no mesh, in one error.
pub(crate) fn load_meshes(
    assembly: &Assembly,
    loader: &dyn Loader,
    session: Option<&Session>,
    measure: Measure,
    progress: &dyn Progress,
) -> Result<Vec<Arc<PartMesh>>, Error> {
    let mut first_of = BTreeMap::new();
    let sources: Vec<usize> = assembly
        .parts
        .iter()
        .enumerate()
        .map(|(i, part)| match &part.source {
            MeshSource::File { path, .. } => *first_of.entry((path, part.units.name())).or_insert(i),
            MeshSource::Memory(_) => i,
        })
        .collect();
    let distinct: Vec<usize> = sources.iter().enumerate().filter(|(i, s)| i == *s).map(|(i, _)| i).collect();
    progress.begin(Stage::Load, distinct.len() as u64);
    let loaded: Vec<Result<Arc<PartMesh>, Error>> = distinct
        .par_iter()
        .map(|&i| {
            let part = &assembly.parts[i];
            let mesh = load_part(part, loader, session, measure).map(|mesh| of_part(mesh, part, measure));
            progress.advance(1);
            mesh.map(Arc::new)
        })
        .collect();
    let mut problems = Vec::new();
    let mut by_index = BTreeMap::new();
    for (i, result) in distinct.iter().zip(loaded) {
        match result {
            Ok(mesh) => {
                by_index.insert(*i, mesh);
            }
            Err(error) => problems.extend(error.problems),
        }
    }
    if problems.is_empty() {
        Ok(sources.iter().filter_map(|s| by_index.get(s).cloned()).collect())
    } else {
        Err(Error { problems })
    }
}

/// Loads the mesh of a part. A mesh known to the cache defers its triangles.
fn load_part(part: &Part, loader: &dyn Loader, session: Option<&Session>, measure: Measure) -> Result<PartMesh, Error> {
    // The cache serves runs of every measure.
    let wants_facets = session.is_some() || measure != Measure::None;
    let (source, shown) = match &part.source {
        MeshSource::File { path, shown } => {
            // The key of a cache needs all bytes of the file at once.
            let open = if session.is_none() { loader.open(path) } else { None };
            if let Some(loaded) = open.and_then(|mut file| mesh::load_streamed(&mut file.content, file.length)) {
                return Ok(part_mesh(part.units, loaded, wants_facets));
            }
            let bytes = loader.read(path).map_err(|e| unreadable(part, shown, &e))?;
            (Source::File(bytes), shown.clone())
        }
        MeshSource::Memory(mesh) => (Source::Memory(Arc::clone(mesh)), format!("part `{}`", part.key)),
    };
    let read = |source: Source| -> Result<PartMesh, Error> {
        let loaded = source.load().map_err(|e| of_assembly(locate(e, &shown), part))?;
        Ok(part_mesh(part.units, loaded, wants_facets))
    };
    let Some(session) = session else { return read(source) };
    let name = Name { kind: "parts", key: part_key(&source, part.units) };
    let known = session.get(&name).map(StoredPart::restored);
    session.count(Kind::Parts, known.is_some());
    if let Some(mut known) = known {
        known.mesh = source.deferred(part.units);
        return Ok(known);
    }
    let mesh = read(source)?;
    session.put(&name, &StoredPart::of(&mesh));
    Ok(mesh)
}

/// Builds the problem of a mesh that cannot be read, at its line of the assembly file.
fn unreadable(part: &Part, shown: &str, e: &io::Error) -> Problem {
    let (why, fix) = match e.kind() {
        io::ErrorKind::IsADirectory => ("it is a folder".to_owned(), "name a mesh file in it"),
        io::ErrorKind::NotFound => ("no such file".to_owned(), "check the path"),
        io::ErrorKind::PermissionDenied => ("permission denied".to_owned(), "check the path and its permissions"),
        _ => (e.to_string(), "check the path and its permissions"),
    };
    let what = format!("cannot read the mesh `{shown}`: {why}");
    if part.at == Location::default() {
        Problem::new(Location::file(shown), format!("{what} (part `{}`)", part.key), fix)
    } else {
        Problem::new(part.at.clone(), what, fix)
    }
}

/// Adds the part of a mesh to its problem, and the line of the assembly file.
fn of_assembly(problem: Problem, part: &Part) -> Problem {
    let Location { file, line, .. } = &part.at;
    let line = line.filter(|_| !file.is_empty()).map(|line| format!(", {file}:{line}")).unwrap_or_default();
    Problem { what: format!("{} (part `{}`{line})", problem.what, part.key), ..problem }
}

/// Attributes the mesh's warnings to `part`.
fn of_part(mut mesh: PartMesh, part: &Part, measure: Measure) -> PartMesh {
    mesh.facet_error = mesh.facet_error.filter(|_| measure != Measure::None);
    for w in &mut mesh.warnings {
        w.part = Some(part.key.clone());
    }
    mesh
}

/// Location of a mesh error in the file as the user knows it.
pub(crate) fn locate(e: MeshError, file: &str) -> Problem {
    let at = Location { file: file.to_owned(), line: e.line, column: e.column, byte: e.byte, json_path: None };
    Problem::new(at, e.what, e.fix)
}

/// Describes the open and non-manifold edges that leave a surface without an inside; the reader reports one-sided
/// surfaces.
fn open_mesh(health: &Health) -> Option<String> {
    let count = |n: u64, kind| format!("{n} {kind} edge{}", if n == 1 { "" } else { "s" });
    let (open, crowded) = (health.open_edges, health.non_manifold_edges);
    match (open > 0, crowded > 0 && !health.closed && !health.enclosing) {
        (true, true) => Some(format!("{}, {}", count(open, "open"), count(crowded, "non-manifold"))),
        (true, false) => Some(count(open, "open")),
        (false, true) => Some(count(crowded, "non-manifold")),
        (false, false) => None,
    }
}

/// Hash of a mesh in its file's unit, and of the unit.
fn content_hash(units: LengthUnit, mesh: &TriMesh) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"interfere part 1\0").update(units.name().as_bytes());
    hasher.update(&(mesh.vertices.len() as u64).to_le_bytes());
    let mut numbers = Vec::with_capacity(mesh.vertices.len().min(HASHED_AT_ONCE));
    for vertices in mesh.vertices.chunks(HASHED_AT_ONCE) {
        numbers.clear();
        numbers.extend(vertices.iter().map(|v| [v.x.to_le_bytes(), v.y.to_le_bytes(), v.z.to_le_bytes()]));
        hasher.update(numbers.as_flattened().as_flattened());
    }
    let mut indices = Vec::with_capacity(mesh.triangles.len().min(HASHED_AT_ONCE));
    for triangles in mesh.triangles.chunks(HASHED_AT_ONCE) {
        indices.clear();
        indices.extend(triangles.iter().map(|t| t.map(u32::to_le_bytes)));
        hasher.update(indices.as_flattened().as_flattened());
    }
    hasher.finalize()
}

/// Number of vertices or triangles hashed together: many, as the hash takes the ends of each list block by block.
const HASHED_AT_ONCE: usize = 1 << 14;

/// Computes the facts of a mesh as read. Omits the largest sagitta over all edges unless `wants_facets`.
fn part_mesh(units: LengthUnit, loaded: LoadedMesh, wants_facets: bool) -> PartMesh {
    let mm = units.mm();
    let rounding = loaded.rounding() * mm;
    let hash = content_hash(units, &loaded.mesh);
    let mesh = scaled(loaded.mesh, units);
    let (edges, threads) = (loaded.half_edges, parallel::threads());
    let (facet_error, concave_error) = if wants_facets {
        let errors = mesh::facet_errors_over(&mesh, &edges, rounding, threads);
        (Some(errors.largest), errors.concave)
    } else {
        (None, mesh::concave_error_over(&mesh, &edges, rounding, threads))
    };
    drop(edges);
    let mut warnings: Vec<Warning> = loaded.warnings.iter().map(|w| Warning::new(w.code, w.message.clone())).collect();
    warnings.extend(open_mesh(&loaded.health).map(|message| Warning::new(WarningCode::OpenMesh, message)));
    PartMesh {
        hash,
        bounds: Aabb::of_points(&mesh.vertices),
        mesh: mesh.into(),
        triangles: loaded.health.triangles,
        closed: loaded.health.closed,
        enclosed: loaded.health.enclosed_volume.map(|v| v * mm * mm * mm),
        shells: loaded.health.shells,
        rounding,
        facet_error,
        concave_error,
        warnings,
    }
}
