//! Closes rounding cracks: welds vertices on open edges at a distance of a few single-precision quanta.

use crate::geom::tolerance::{WELD_IN_F32_QUANTA, f32_quantum};
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::repair::merge_vertices::VertexMerger;
use crate::mesh::topology::HalfEdges;

/// Width of a cell of the search grid, in multiples of the largest welding distance: nearly every vertex then searches
/// one cell.
const CELL_PER_WELD_DISTANCE: f64 = 64.0;

/// Upper limit of close pairs per vertex on an open edge (plus a constant). More means noise below the file's
/// resolution instead of a crack; the mesh stays as it is.
const PAIRS_PER_VERTEX: usize = 64;

/// An edge with unequal numbers of uses in the two directions; `net` is the difference.
struct Unbalanced {
    lo: u32,
    hi: u32,
    net: i64,
}

/// Two close vertices on open edges.
struct ClosePair {
    a: u32,
    b: u32,
    distance_sq: f64,
}

/// Welds vertices within 1, 2, 4, … up to [`WELD_IN_F32_QUANTA`] single-precision quanta of the largest coordinate.
/// Uses the smallest distance with the largest number of balanced edges. Welds only vertices on edges with an odd
/// number of uses, and only if the weld balances an edge of theirs: a mesh without open edges stays as it is, and faces
/// collapse only to close a crack. The vertex with the smallest number keeps its position. Returns the distance
/// (quanta), `None` without a weld. Welded vertices become unused.
pub(crate) fn weld(mesh: &mut TriMesh, edges: &HalfEdges) -> Option<f64> {
    let mut unbalanced = Vec::new();
    let mut on_open = Vec::new();
    for e in edges.edges().filter(|e| e.net() != 0) {
        unbalanced.push(Unbalanced { lo: e.lo, hi: e.hi, net: e.net() });
        if e.uses.len() % 2 == 1 {
            on_open.extend([e.lo, e.hi]);
        }
    }
    on_open.sort_unstable();
    on_open.dedup();
    let quantum = f32_quantum(Aabb::of_points(&mesh.vertices).max_abs());
    let close = close_pairs(&mesh.vertices, &on_open, WELD_IN_F32_QUANTA * quantum)?;
    if close.is_empty() {
        return None;
    }
    let mut best: Option<(usize, f64, Vec<u32>)> = None;
    let mut steps = 1.0;
    while steps <= WELD_IN_F32_QUANTA {
        let reach = steps * quantum;
        let mut sets = UnionFind::new(mesh.vertices.len());
        for c in close.iter().filter(|c| c.distance_sq <= reach * reach) {
            sets.union(c.a, c.b, false);
        }
        let (healed, keep) = healed_edges(&unbalanced, &mut sets);
        if healed > best.as_ref().map_or(0, |b| b.0) {
            best = Some((healed, steps, keep));
        }
        steps *= 2.0;
    }
    let (_, steps, target) = best?;
    for t in &mut mesh.triangles {
        *t = t.map(|i| target[i as usize]);
    }
    Some(steps)
}

/// Counts the edges balanced by joining the sets, and gives the new number of each vertex. Sets without a member on a
/// balanced edge stay apart.
fn healed_edges(unbalanced: &[Unbalanced], sets: &mut UnionFind) -> (usize, Vec<u32>) {
    let mut moved: Vec<(u32, u32, i64)> = Vec::with_capacity(unbalanced.len());
    for e in unbalanced {
        let (a, b) = (sets.find(e.lo).0, sets.find(e.hi).0);
        // An edge collapsed to a point is gone, not closed.
        if a != b {
            moved.push(if a < b { (a, b, e.net) } else { (b, a, -e.net) });
        }
    }
    moved.sort_unstable();
    let (vertices, _) = sets.label();
    let mut useful = vec![false; vertices.len()];
    let mut healed = 0;
    for group in moved.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        if group.iter().map(|e| e.2).sum::<i64>() == 0 {
            healed += group.len();
            useful[group[0].0 as usize] = true;
            useful[group[0].1 as usize] = true;
        }
    }
    let target = (0..vertices.len() as u32)
        .map(|i| {
            let root = sets.find(i).0;
            if useful[root as usize] { root } else { i }
        })
        .collect();
    (healed, target)
}

/// Finds pairs of the listed vertices within `reach` of each other; `None` if there are too many.
fn close_pairs(vertices: &[Vec3], listed: &[u32], reach: f64) -> Option<Vec<ClosePair>> {
    let mut close = Vec::new();
    if reach <= 0.0 {
        return Some(close);
    }
    let cell = CELL_PER_WELD_DISTANCE * reach;
    let cell_of = |x: f64| (x / cell).floor();
    // A table of cells; each cell has a chain of the vertices found in it.
    let mut cells = VertexMerger::with_expected(listed.len());
    let mut last: Vec<u32> = Vec::with_capacity(listed.len());
    let mut before: Vec<u32> = vec![u32::MAX; listed.len()];
    let mut budget = PAIRS_PER_VERTEX * listed.len() + 100_000;
    for (k, &i) in listed.iter().enumerate() {
        let p = vertices[i as usize];
        let (from, to) = (p.map(|x| cell_of(x - reach)), p.map(|x| cell_of(x + reach)));
        for near in corners(from, to) {
            let Some(found) = cells.find(near) else { continue };
            let mut at = last[found as usize];
            while at != u32::MAX {
                budget = budget.checked_sub(1)?;
                let j = listed[at as usize];
                let distance_sq = (vertices[j as usize] - p).norm_squared();
                if distance_sq <= reach * reach {
                    close.push(ClosePair { a: j, b: i, distance_sq });
                }
                at = before[at as usize];
            }
        }
        let own = cells.add(p.map(cell_of)) as usize;
        if own == last.len() {
            last.push(u32::MAX);
        }
        before[k] = last[own];
        last[own] = k as u32;
    }
    Some(close)
}

/// Iterates over the distinct cells of the box between two cells, equal or neighbours along each axis.
fn corners(from: Vec3, to: Vec3) -> impl Iterator<Item = Vec3> {
    (0..8u8).filter_map(move |k| {
        let pick = |axis: usize| if k >> axis & 1 == 1 { to[axis] } else { from[axis] };
        let doubled = (0..3).any(|axis| k >> axis & 1 == 1 && to[axis] == from[axis]);
        (!doubled).then(|| Vec3::new(pick(0), pick(1), pick(2)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids::block;

    /// A block with a second vertex at corner 7, `by` away, for some of its faces.
    fn cracked(by: f64) -> TriMesh {
        let mut mesh = block([0.0; 3], [100.0; 3]);
        mesh.vertices.push(mesh.vertices[7] + Vec3::new(by, 0.0, 0.0));
        for t in mesh.triangles.iter_mut().skip(10) {
            *t = t.map(|i| if i == 7 { 8 } else { i });
        }
        mesh
    }

    fn open_after_weld(mesh: &mut TriMesh) -> (u64, Option<f64>) {
        let steps = weld(mesh, &HalfEdges::of(&mesh.triangles, mesh.vertices.len()));
        (HalfEdges::of(&mesh.triangles, mesh.vertices.len()).counts().open, steps)
    }

    #[test]
    fn a_crack_of_two_steps_is_closed_at_two_steps() {
        let q = f32_quantum(100.0);
        assert_eq!(open_after_weld(&mut cracked(1.5 * q)), (0, Some(2.0)));
        assert_eq!(open_after_weld(&mut cracked(0.5 * q)), (0, Some(1.0)));
    }

    #[test]
    fn a_design_gap_stays_open() {
        let q = f32_quantum(100.0);
        assert_eq!(open_after_weld(&mut cracked((WELD_IN_F32_QUANTA + 1.0) * q)).1, None);
        assert_eq!(open_after_weld(&mut cracked(0.17)), (4, None));
    }

    #[test]
    fn a_small_free_triangle_is_not_collapsed() {
        let e = 1e-6;
        let mut mesh = TriMesh {
            vertices: vec![Vec3::x(), Vec3::new(1.0 + e * 1e-2, 0.0, 0.0), Vec3::new(1.0, e * 1e-2, 0.0)],
            triangles: vec![[0, 1, 2]],
        };
        assert_eq!(open_after_weld(&mut mesh), (3, None));
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn cells_on_both_sides_of_a_border_are_searched() {
        let reach = 1.0;
        let v: Vec<Vec3> = [-0.2, 0.3, 64.1, 63.9, 500.0].iter().map(|&x| Vec3::new(x, -x, 64.0)).collect();
        let pairs = close_pairs(&v, &[0, 1, 2, 3, 4], reach).unwrap();
        let mut found: Vec<_> = pairs.iter().map(|c| (c.a, c.b)).collect();
        found.sort_unstable();
        assert_eq!(found, [(0, 1), (2, 3)]);
    }
}
