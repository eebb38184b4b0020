//! Reading the meshes of an assembly, each file once.

use super::{Progress, Stage};
use crate::assembly::{Assembly, MeshSource, Part};
use crate::error::{Error, Location, Problem, Warning};
use crate::geom::{Aabb, Vec3};
use crate::load::Loader;
use crate::mesh::{self, TriMesh};
use crate::mesh::{Health, LoadedMesh, MeshError};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the check keeps of a part's mesh; coordinates in mm, in the part's frame.
#[derive(Debug)]
pub(super) struct PartMesh {
    /// Of content and units.
    pub hash: blake3::Hash,
    pub mesh: TriMesh,
    pub bounds: Aabb,
    pub triangles: u64,
    pub closed: bool,
    /// What the mesh encloses as mended (mm³); `None` where it has no definite inside.
    pub enclosed: Option<f64>,
    /// Connected over shared vertices.
    pub shells: u32,
    /// By how much its coordinates were rounded at most (mm); 0 for double-precision meshes.
    pub rounding: f64,
    /// Largest sagitta of its facets (mm), where it was asked for.
    pub facet_error: Option<f64>,
    /// The same at concave edges alone.
    pub concave_error: f64,
    pub warnings: Vec<Warning>,
}

/// The mesh of every part, in the order of `assembly.parts`; parts of one file and unit share it. `verdict_only` leaves out
/// what no verdict needs.
///
/// # Errors
/// Every file that cannot be read or is not a mesh, at once.
pub(super) fn load_meshes(
    assembly: &Assembly,
    loader: &dyn Loader,
    verdict_only: bool,
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
            let mesh = load_part(&assembly.parts[i], loader, verdict_only);
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

fn load_part(part: &Part, loader: &dyn Loader, verdict_only: bool) -> Result<PartMesh, Error> {
    let loaded = match &part.source {
        MeshSource::File { path, shown } => {
            let bytes = loader.read(path).map_err(|e| {
                Problem::new(
                    Location::file(shown),
                    format!("cannot read the mesh of part `{}`: {e}", part.key),
                    "check the path and its permissions",
                )
            })?;
            mesh::load_owned(bytes).map_err(|e| locate(e, shown))?
        }
        MeshSource::Memory(mesh) => {
            LoadedMesh::from_tri_mesh(mesh.as_ref().clone()).map_err(|e| locate(e, &format!("part `{}`", part.key)))?
        }
    };
    Ok(in_millimetres(part, loaded, verdict_only))
}

/// The place of a mesh error as the user knows it.
pub(crate) fn locate(e: MeshError, file: &str) -> Problem {
    let at = Location { file: file.to_owned(), line: e.line, column: e.column, byte: e.byte, json_path: None };
    Problem::new(at, e.what, e.fix)
}

/// What keeps a surface from having an inside, if edges do; a surface of one side is reported by its reader.
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

fn in_millimetres(part: &Part, loaded: LoadedMesh, verdict_only: bool) -> PartMesh {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"interfere part 1\0").update(part.units.name().as_bytes());
    let rounding = loaded.rounding() * part.units.mm();
    let mut mesh = loaded.mesh;
    // Kept until the end of the run.
    mesh.vertices.shrink_to_fit();
    mesh.triangles.shrink_to_fit();
    let mut buffer = Vec::with_capacity(1 << 16);
    let mut feed = |bytes: &[u8], flush: bool| {
        buffer.extend_from_slice(bytes);
        if flush || buffer.len() >= (1 << 16) - 64 {
            hasher.update(&buffer);
            buffer.clear();
        }
    };
    feed(&(mesh.vertices.len() as u64).to_le_bytes(), false);
    for v in &mesh.vertices {
        for k in 0..3 {
            feed(&v[k].to_le_bytes(), false);
        }
    }
    for t in &mesh.triangles {
        for i in t {
            feed(&i.to_le_bytes(), false);
        }
    }
    feed(&[], true);
    let hash = hasher.finalize();
    let mm = part.units.mm();
    if mm != 1.0 {
        mesh.vertices.iter_mut().for_each(|v: &mut Vec3| *v *= mm);
    }
    let facet_errors = mesh::facet_errors_over(&mesh, &loaded.half_edges, rounding);
    drop(loaded.half_edges);
    let mut warnings: Vec<Warning> = loaded.warnings.iter().map(|w| Warning::new(w.code, w.message.clone())).collect();
    warnings.extend(open_mesh(&loaded.health).map(|message| Warning::new("open-mesh", message)));
    for w in &mut warnings {
        w.part = Some(part.key.clone());
    }
    PartMesh {
        hash,
        bounds: Aabb::of_points(&mesh.vertices),
        mesh,
        triangles: loaded.health.triangles,
        closed: loaded.health.closed,
        enclosed: loaded.health.enclosed_volume.map(|v| v * mm * mm * mm),
        shells: loaded.health.shells,
        rounding,
        facet_error: (!verdict_only).then_some(facet_errors.largest),
        concave_error: facet_errors.concave,
        warnings,
    }
}
