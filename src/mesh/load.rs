//! A repaired mesh with its health: counts, measures, closedness.

use crate::error::WarningCode;
use crate::geom::Aabb;
use crate::geom::tolerance::f32_quantum;
use crate::mesh::TriMesh;
use crate::mesh::measure::Measures;
use crate::mesh::read::coordinate_range::{accept, accept_point, refusal};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parsed::{MeshWarning, Parsed};
use crate::mesh::repair::merge_vertices::VertexMerger;
use crate::mesh::repair::orient::{Oriented, orient};
use crate::mesh::repair::weld::weld;
use crate::mesh::topology::{Components, HalfEdges, duplicate_count};

/// A mesh after reading and vertex merging; if closed, oriented outward.
#[derive(Debug, Clone)]
pub struct LoadedMesh {
    /// Format of its source.
    pub format: MeshFormat,
    /// Number of `solid` blocks of an ASCII STL; 1 for other formats.
    pub solids: u32,
    /// All faces of the file in file order, degenerate ones included; vertices merged by position; faces turned as
    /// listed in `warnings`. Every vertex is used (file's unit).
    pub mesh: TriMesh,
    /// Health of the file after merging vertices, before turning faces.
    pub health: Health,
    /// Findings and repairs.
    pub warnings: Vec<MeshWarning>,
    /// True if the coordinates have single precision only: binary STL, and ASCII STL without evidence of more.
    pub single_precision: bool,
    /// Half-edges of `mesh`.
    pub(crate) half_edges: HalfEdges,
}

impl LoadedMesh {
    /// Upper bound of the rounding of coordinates (file's unit, >= 0): the single-precision quantum of the largest one,
    /// or 0.
    pub fn rounding(&self) -> f64 {
        if self.single_precision { f32_quantum(self.health.bounds.max_abs()) } else { 0.0 }
    }
}

/// Counts and measures of a mesh as given by its file, vertices merged. Lengths in the file's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Health {
    /// Number of faces after triangulation.
    pub triangles: u64,
    /// Number of distinct positions in use.
    pub vertices: u64,
    /// Number of components connected over shared vertices.
    pub shells: u32,
    /// True if every edge is used equally often in both directions, with the winding of the file.
    pub closed: bool,
    /// Number of edges of one face.
    pub open_edges: u64,
    /// Number of edges of more than two faces.
    pub non_manifold_edges: u64,
    /// Number of edges of two faces in the same direction.
    pub misoriented_edges: u64,
    /// Number of faces without area in the file: height of at most 10⁻⁸ of the longest side, or equal corners.
    pub degenerate_triangles: u64,
    /// Number of faces in the file with the three distinct corners of an earlier face, in any order.
    pub duplicate_triangles: u64,
    /// True if the file is closed and an outermost shell of it is wound inside out.
    pub inside_out: bool,
    /// Enclosed volume, cavities subtracted (cubed file unit, >= 0); `None` for an open file.
    pub volume: Option<f64>,
    /// Total area of the faces (squared file unit).
    pub area: f64,
    /// Box of the vertices in use (file's unit).
    pub bounds: Aabb,
    /// True if the repaired `mesh` has an inside: every edge balanced, outermost shells outward, volume above rounding.
    pub enclosing: bool,
    /// Volume of the repaired `mesh` (cubed file unit); `None` unless `enclosing`.
    pub enclosed_volume: Option<f64>,
}

impl LoadedMesh {
    /// Takes triangles from memory. Merges vertices by position and drops unused ones, as for a file.
    ///
    /// # Errors
    /// Refuses a mesh without triangles, an index beyond the vertices, a coordinate that is not finite or too large.
    pub fn from_tri_mesh(mesh: TriMesh) -> Result<Self, MeshError> {
        if mesh.triangles.is_empty() {
            return Err(MeshError::new("no triangles", "give at least one"));
        }
        if mesh.triangles.len() > MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        let mut joiner = VertexMerger::with_expected(mesh.vertices.len().min(3 * mesh.triangles.len()));
        let mut triangles = mesh.triangles;
        for (k, t) in triangles.iter_mut().enumerate() {
            for corner in t {
                let Some(p) = mesh.vertices.get(*corner as usize) else {
                    let what = format!("triangle {k} names vertex {corner} of {}", mesh.vertices.len());
                    return Err(MeshError::new(what, "indices count from 0"));
                };
                let Some(p) = accept_point(p) else {
                    let bad = p.iter().copied().find(|x| accept(*x).is_none()).unwrap_or(f64::NAN);
                    let (what, fix) = refusal(bad);
                    return Err(MeshError::new(format!("vertex {corner}: {what}"), fix));
                };
                *corner = joiner.add(p);
            }
        }
        Ok(finish(Parsed {
            format: MeshFormat::Memory,
            solids: 1,
            mesh: TriMesh { vertices: joiner.into_vertices(), triangles },
            warnings: Vec::new(),
            single_precision: false,
        }))
    }
}

/// Welds cracks, counts edges, makes faces agree and orients them outward. `parsed` has triangles and uses all its
/// vertices.
pub(crate) fn finish(parsed: Parsed) -> LoadedMesh {
    let Parsed { format, solids, mut mesh, mut warnings, single_precision } = parsed;
    let mut measures = Measures::of(&mesh);
    let degenerate_triangles = measures.degenerate;
    let mut edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
    let (mut components, mut counts) = Components::counted(&mesh.triangles, mesh.vertices.len(), &edges);
    let duplicate_triangles = duplicate_count(&mesh.triangles, mesh.vertices.len(), &counts, &components);
    if counts.odd > 0
        && let Some(steps) = weld(&mut mesh, &edges)
    {
        let before = counts.open;
        drop_unused(&mut mesh);
        edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        (components, counts) = Components::counted(&mesh.triangles, mesh.vertices.len(), &edges);
        measures = Measures::of(&mesh);
        let closed = before.saturating_sub(counts.open);
        let message = format!("{closed} edges closed by merging vertices within {steps} float32 steps");
        warnings.push(MeshWarning { code: WarningCode::Welded, message });
    }
    let done = orient(&mut mesh, &mut edges, &counts, &components, measures.volume);
    warn(&done, &mut warnings);
    let closed = counts.unbalanced == 0 && !edges.is_empty();
    let enclosing = done.balanced && !done.undecided && done.volume.sign() > 0;
    let enclosed = done.volume.signed.max(0.0);
    let health = Health {
        triangles: mesh.triangles.len() as u64,
        vertices: mesh.vertices.len() as u64,
        shells: components.by_vertex,
        closed,
        open_edges: counts.open,
        non_manifold_edges: counts.non_manifold,
        misoriented_edges: counts.misoriented,
        degenerate_triangles,
        duplicate_triangles,
        inside_out: closed && done.outer_turned,
        volume: closed.then_some(enclosed),
        area: measures.area,
        bounds: measures.bounds,
        enclosing,
        enclosed_volume: enclosing.then_some(enclosed),
    };
    LoadedMesh { format, solids, mesh, health, warnings, single_precision, half_edges: edges }
}

fn warn(done: &Oriented, warnings: &mut Vec<MeshWarning>) {
    let mut say = |code, message: String| warnings.push(MeshWarning { code, message });
    if done.reoriented > 0 {
        say(
            WarningCode::Reoriented,
            format!("{} triangles wound against the rest of their shell were turned", done.reoriented),
        );
    }
    if done.turned > 0 {
        say(WarningCode::InsideOut, format!("{} triangles of shells wound inside out were turned", done.turned));
    }
    if done.one_sided {
        say(WarningCode::OneSided, "the triangles have no consistent orientation: the surface has one side".into());
    }
    if done.undecided {
        say(
            WarningCode::NestingUndecided,
            "too many shells to find their nesting; the triangles keep their winding".into(),
        );
    }
}

/// Drops unused vertices and renumbers the rest in order.
fn drop_unused(mesh: &mut TriMesh) {
    let mut used = vec![false; mesh.vertices.len()];
    for &i in mesh.triangles.iter().flatten() {
        used[i as usize] = true;
    }
    let mut number = vec![0u32; used.len()];
    let mut count = 0;
    for (n, u) in number.iter_mut().zip(&used) {
        *n = count;
        count += u32::from(*u);
    }
    let mut keep = used.iter();
    mesh.vertices.retain(|_| *keep.next().unwrap_or(&true));
    for t in &mut mesh.triangles {
        *t = t.map(|i| number[i as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::testkit::solids::{block, joined, reversed, translated};

    fn codes(loaded: &LoadedMesh) -> Vec<&'static str> {
        loaded.warnings.iter().map(|w| w.code.name()).collect()
    }

    #[test]
    fn a_block_from_memory_is_a_solid() {
        let loaded = LoadedMesh::from_tri_mesh(block([0.0; 3], [1.0, 2.0, 3.0])).unwrap();
        let h = loaded.health;
        assert!(h.closed && h.enclosing && !h.inside_out && loaded.warnings.is_empty());
        assert_eq!((h.triangles, h.vertices, h.shells, h.volume), (12, 8, 1, Some(6.0)));
        assert_eq!((h.area, h.bounds.max), (22.0, Vec3::new(1.0, 2.0, 3.0)));
    }

    #[test]
    fn health_describes_file_and_mesh_is_repaired() {
        let mut one_flipped = block([0.0; 3], [1.0; 3]);
        one_flipped.triangles[4].swap(0, 1);
        let loaded = LoadedMesh::from_tri_mesh(one_flipped).unwrap();
        let h = loaded.health;
        assert_eq!((h.closed, h.misoriented_edges, h.volume, h.enclosing), (false, 3, None, true));
        assert_eq!((h.enclosed_volume, codes(&loaded)), (Some(1.0), vec!["reoriented"]));

        let loaded = LoadedMesh::from_tri_mesh(reversed(&block([0.0; 3], [1.0; 3]))).unwrap();
        assert_eq!((loaded.health.inside_out, loaded.health.volume), (true, Some(1.0)));
        assert_eq!(codes(&loaded), ["inside-out"]);
    }

    #[test]
    fn half_edges_belong_to_repaired_mesh() {
        let mut one_flipped = block([0.0; 3], [1.0; 3]);
        one_flipped.triangles[4].swap(0, 1);
        let mut cracked = block([0.0; 3], [1.0; 3]);
        cracked.vertices.push(cracked.vertices[7] + Vec3::new(1e-7, 0.0, 0.0));
        cracked.triangles[11] = cracked.triangles[11].map(|i| if i == 7 { 8 } else { i });
        let mut open = reversed(&block([0.0; 3], [1.0; 3]));
        open.triangles.truncate(9);
        let two = joined(&[block([0.0; 3], [9.0; 3]), translated(&block([0.0; 3], [1.0; 3]), Vec3::repeat(2.0))]);
        for mesh in [one_flipped, cracked, open, reversed(&two), two] {
            let LoadedMesh { mesh, half_edges, .. } = LoadedMesh::from_tri_mesh(mesh).unwrap();
            assert_eq!(half_edges, HalfEdges::of(&mesh.triangles, mesh.vertices.len()));
        }
    }

    #[test]
    fn inside_out_island_is_flipped_and_file_is_not() {
        let at = |m: &TriMesh, x: f64| translated(m, Vec3::repeat(x));
        let cavity = reversed(&at(&block([0.0; 3], [4.0; 3]), 3.0));
        let island = reversed(&at(&block([0.0; 3], [1.0; 3]), 4.5));
        let loaded = LoadedMesh::from_tri_mesh(joined(&[block([0.0; 3], [10.0; 3]), cavity, island])).unwrap();
        assert_eq!((loaded.health.inside_out, loaded.health.shells), (false, 3));
        assert!((loaded.health.volume.unwrap() - 937.0).abs() < 1e-9);
    }

    #[test]
    fn bad_indices_are_refused_and_unused_vertices_dropped() {
        let mut mesh = block([0.0; 3], [1.0; 3]);
        mesh.vertices.push(Vec3::new(f64::NAN, 0.0, 0.0));
        assert_eq!(LoadedMesh::from_tri_mesh(mesh.clone()).unwrap().health.vertices, 8);
        mesh.triangles[3][1] = 8;
        assert!(LoadedMesh::from_tri_mesh(mesh.clone()).unwrap_err().what.contains("vertex 8: a coordinate is NaN"));
        mesh.triangles[3][1] = 9;
        assert_eq!(LoadedMesh::from_tri_mesh(mesh).unwrap_err().what, "triangle 3 names vertex 9 of 9");
        assert!(LoadedMesh::from_tri_mesh(TriMesh::default()).is_err());
    }
}
