//! Union and intersection of closed meshes, by mesh arrangement.

use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::predicates::accurate_normal;
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use manifold_rust::linalg;
use manifold_rust::robust::cells::{CellComplex, VertTables, Windings, build_cells, extract, windings};
use manifold_rust::robust::intersection_graph::{IntersectionGraph, Piece, VertInterner, build_graph};
use manifold_rust::robust::pairing::plan_vertex_splits;
use manifold_rust::types::{OpType, WindingRule};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Largest height of a flat triangle, in round-offs of the largest coordinate: rounding turned a line into this
/// triangle.
const FLAT_IN_ROUNDOFFS: f64 = 4.0;

/// Upper limit of flip rounds: each round halves a row of adjacent flat triangles.
const FLIP_ROUNDS: usize = 16;

/// Pieces of the triangles of one or two solids.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pieces {
    pub mesh: TriMesh,
    /// Triangle of the input with each piece; for two solids, of either.
    pub source: Vec<u32>,
}

/// Facts about the triangles of a mesh.
#[derive(Debug)]
pub(crate) struct Known {
    /// True for each triangle with common points with another one besides their shared corners and edges; also true if
    /// unknown.
    pub crosses: Vec<bool>,
    /// Winding number just in front of each other triangle; `None` if unknown.
    pub in_front: Vec<Option<i32>>,
}

impl Known {
    /// Knows nothing about `n` triangles: all are cut.
    pub(crate) fn nothing(n: usize) -> Self {
        Self { crosses: vec![true; n], in_front: vec![None; n] }
    }
}

/// Computes the boundary of the points with a winding number of at least 1 in a closed mesh: overlapping shells become
/// one, self-intersections become edges. `None` if the library gives up; the caller verifies the result. Crossings are
/// exact; cut vertices are rounded once. Cost: some ten microseconds for each triangle with crossings.
///
/// Source: the arrangement engine of `manifold-rust`, after Q. Zhou, E. Grinspun, D. Zorin & A. Jacobson, "Mesh
/// Arrangements for Solid Geometry", 2016. Calls the steps of the engine one by one, since its import and clean-up move
/// surfaces.
pub(crate) fn union(mesh: &TriMesh, known: &Known) -> Option<Pieces> {
    let triangles: Vec<[linalg::Vec3; 3]> =
        mesh.triangles.iter().map(|t| t.map(|v| to_library(&mesh.vertices[v as usize]))).collect();
    guarded(|| {
        let graph = union_graph(mesh, &triangles, &known.crosses);
        let complex = build_cells(&graph);
        let solids: [&[[linalg::Vec3; 3]]; 2] = [&triangles, &[]];
        let seeded = seeded_windings(&graph, &complex, &known.in_front);
        let winding = if seeded.complete() { seeded } else { windings(&graph, &complex, solids) };
        kept_pieces(&graph, &complex, &winding, OpType::Add)
    })
    .filter(|pieces| !pieces.mesh.triangles.is_empty())
}

fn to_library(p: &Vec3) -> linalg::Vec3 {
    linalg::Vec3::new(p.x, p.y, p.z)
}

/// Cuts the crossing triangles, and leaves the others whole. Triangles with an edge of a crossing one take part: a cut
/// may end on this edge.
fn union_graph(mesh: &TriMesh, triangles: &[[linalg::Vec3; 3]], crosses: &[bool]) -> IntersectionGraph {
    let takes_part = with_neighbors(&mesh.triangles, crosses);
    let chosen: Vec<usize> = (0..triangles.len()).filter(|t| takes_part[*t]).collect();
    let mut graph = build_graph(&chosen.iter().map(|&t| triangles[t]).collect::<Vec<_>>(), &[]);
    for piece in &mut graph.pieces {
        piece.tri = chosen[piece.tri];
    }
    // Numbers the vertices as the graph does, and goes on with those of the other triangles.
    let mut vertices = VertInterner::default();
    for p in &graph.verts {
        vertices.intern(p);
    }
    for t in (0..triangles.len()).filter(|t| !takes_part[*t]) {
        let vi = triangles[t].map(|p| vertices.intern_f64(p));
        graph.pieces.push(Piece { mesh: 0, tri: t, vi, flipped: false });
    }
    graph.pieces.sort_by_key(|piece| piece.tri);
    (graph.verts, graph.verts_f64) = (vertices.verts, vertices.verts_f64);
    graph
}

/// Marks the marked triangles and all with a common edge with one of them.
fn with_neighbors(triangles: &[[u32; 3]], marked: &[bool]) -> Vec<bool> {
    let edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])].map(|(p, q)| (p.min(q), p.max(q)));
    let mut cut: Vec<(u32, u32)> =
        triangles.iter().zip(marked).filter(|(_, marked)| **marked).flat_map(|(t, _)| edges(t)).collect();
    cut.sort_unstable();
    cut.dedup();
    triangles.iter().map(|t| edges(t).iter().any(|e| cut.binary_search(e).is_ok())).collect()
}

/// Computes the winding numbers of all cells connected with a triangle of known winding number.
fn seeded_windings(graph: &IntersectionGraph, complex: &CellComplex, in_front: &[Option<i32>]) -> Windings {
    let mut out = Windings { w: vec![[0; 2]; complex.num_cells], known: vec![false; complex.num_cells] };
    let mut steps = vec![Vec::new(); complex.num_cells];
    for wall in &complex.walls {
        let [front, behind] = [0, 1].map(|side| complex.cell(wall.rep, side));
        steps[front].push((behind, wall.delta[0]));
        steps[behind].push((front, -wall.delta[0]));
    }
    let mut stack = Vec::new();
    for (k, piece) in graph.pieces.iter().enumerate() {
        let Some(front) = in_front[piece.tri] else { continue };
        stack.push((complex.cell(k, 0), front));
        while let Some((cell, winding)) = stack.pop() {
            if !std::mem::replace(&mut out.known[cell], true) {
                out.w[cell][0] = winding;
                stack.extend(steps[cell].iter().map(|(next, step)| (*next, winding + step)));
            }
        }
    }
    out
}

/// Computes the boundary of the points with a winding number of at least 1 in each of two closed sets of triangles;
/// empty without such points. `None`, verification, cost and source as for [`union`].
pub(crate) fn intersection(a: &[[Vec3; 3]], b: &[[Vec3; 3]]) -> Option<TriMesh> {
    arranged([a, b], OpType::Intersect).map(|pieces| pieces.mesh)
}

fn arranged(solids: [&[[Vec3; 3]]; 2], op: OpType) -> Option<Pieces> {
    let solids = solids.map(|s| s.iter().map(|t| t.map(|p| to_library(&p))).collect::<Vec<_>>());
    guarded(|| {
        let graph = build_graph(&solids[0], &solids[1]);
        let complex = build_cells(&graph);
        let winding = windings(&graph, &complex, [&solids[0], &solids[1]]);
        kept_pieces(&graph, &complex, &winding, op)
    })
}

/// Runs steps of the library, which may panic, and removes flat triangles of the result.
fn guarded(pieces: impl FnOnce() -> Option<Pieces>) -> Option<Pieces> {
    let mut pieces = catch_unwind(AssertUnwindSafe(pieces)).ok().flatten()?;
    for _ in 0..FLIP_ROUNDS {
        if !flip_flat(&mut pieces) {
            break;
        }
    }
    Some(pieces)
}

/// Takes the boundary of the wanted solid out of an arrangement; `None` without all winding numbers.
fn kept_pieces(graph: &IntersectionGraph, complex: &CellComplex, winding: &Windings, op: OpType) -> Option<Pieces> {
    if !winding.complete() {
        return None;
    }
    let kept = extract(graph, complex, winding, op, WindingRule::Positive);
    let positions: Vec<Vec3> = graph.verts_f64.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect();
    let at = |v: u32| positions[v as usize];
    // Merges vertices rounded to one position; triangles between them lose their edges.
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let bits = |v: u32| [at(v).x, at(v).y, at(v).z].map(|x| (x + 0.0).to_bits());
    order.sort_unstable_by_key(|v| (bits(*v), *v));
    let mut first: Vec<u32> = (0..positions.len() as u32).collect();
    for pair in order.windows(2).filter(|p| bits(p[0]) == bits(p[1])) {
        first[pair[1] as usize] = first[pair[0] as usize];
    }
    let named: Vec<[u32; 3]> = kept.iter().map(|piece| piece.vi.map(|v| first[v as usize])).collect();
    let joined = merge_short_edges(&named, &positions);
    let mut source = Vec::with_capacity(kept.len());
    let mut corners = Vec::with_capacity(kept.len());
    for (piece, t) in kept.iter().zip(&named) {
        let t = t.map(|v| joined[v as usize]);
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            corners.push(t);
            source.push(u32::try_from(piece.tri).ok()?);
        }
    }
    // At an edge of contact of the solid with itself, each side gets its own vertices.
    let copies = plan_vertex_splits(&corners, VertTables::of(graph));
    let copy = |k: usize| copies.as_ref().map_or(0, |c| c[k]);
    let mut names: Vec<(u32, u32)> = (0..).zip(corners.iter().flatten()).map(|(k, v)| (*v, copy(k))).collect();
    let keys = names.clone();
    names.sort_unstable();
    names.dedup();
    let vertices = names.iter().map(|n| at(n.0)).collect();
    let number = |k: usize| names.binary_search(&keys[k]).map(|i| i as u32);
    let mut triangles = Vec::with_capacity(corners.len());
    for t in 0..corners.len() {
        triangles.push([number(3 * t).ok()?, number(3 * t + 1).ok()?, number(3 * t + 2).ok()?]);
    }
    Some(Pieces { mesh: TriMesh { vertices, triangles }, source })
}

/// Returns a substitute for each vertex: joins the ends of edges within rounding length.
fn merge_short_edges(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<u32> {
    let short = FLAT_IN_ROUNDOFFS * UNIT_ROUNDOFF * Aabb::of_points(positions).max_abs();
    let mut close = UnionFind::new(positions.len());
    for &[a, b, c] in triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            if (positions[p as usize] - positions[q as usize]).norm_squared() <= short * short {
                close.union(p, q, false);
            }
        }
    }
    let mut least: Vec<u32> = (0..positions.len() as u32).collect();
    (0..positions.len() as u32)
        .map(|v| {
            // In increasing order the first of a set is its smallest.
            let root = close.find(v).0 as usize;
            least[root] = least[root].min(v);
            least[root]
        })
        .collect()
}

/// Removes triangles of rounding height, with their middle corner between the others: flips each with its neighbour
/// over the longest side, one flip a triangle. True if there were any.
fn flip_flat(pieces: &mut Pieces) -> bool {
    let mesh = &mut pieces.mesh;
    let low = FLAT_IN_ROUNDOFFS * UNIT_ROUNDOFF * Aabb::of_points(&mesh.vertices).max_abs();
    let flat: Vec<usize> = (0..mesh.triangles.len())
        .filter(|&t| {
            let [a, b, c] = mesh.triangles[t].map(|v| mesh.vertices[v as usize]);
            let longest = greater((b - a).norm(), greater((c - b).norm(), (a - c).norm()));
            accurate_normal(&a, &b, &c).norm() <= low * longest
        })
        .collect();
    if flat.is_empty() {
        return false;
    }
    let mut edges: Vec<(u32, u32, u32)> =
        (0..).zip(&mesh.triangles).flat_map(|(t, &[a, b, c])| [(a, b, t), (b, c, t), (c, a, t)]).collect();
    edges.sort_unstable();
    let mut touched = vec![false; mesh.triangles.len()];
    for t in flat {
        let own = mesh.triangles[t];
        let length =
            |k: usize| (mesh.vertices[own[(k + 1) % 3] as usize] - mesh.vertices[own[k] as usize]).norm_squared();
        let k = (0..3).fold(0, |l, k| if length(k) > length(l) { k } else { l });
        let (p, q, r) = (own[k], own[(k + 1) % 3], own[(k + 2) % 3]);
        let first = edges.partition_point(|e| (e.0, e.1) < (q, p));
        let Some(&(from, to, other)) = edges.get(first) else { continue };
        let other = other as usize;
        if (from, to) != (q, p) || other == t || touched[t] || touched[other] {
            continue;
        }
        let Some(far) = mesh.triangles[other].into_iter().find(|v| *v != p && *v != q) else { continue };
        let normal = |a: u32, b: u32, c: u32| {
            let [a, b, c] = [a, b, c].map(|v| &mesh.vertices[v as usize]);
            accurate_normal(a, b, c)
        };
        let n = normal(q, p, far);
        if normal(p, far, r).dot(&n) <= 0.0 || normal(far, q, r).dot(&n) <= 0.0 {
            continue;
        }
        (touched[t], touched[other]) = (true, true);
        mesh.triangles[t] = [p, far, r];
        mesh.triangles[other] = [far, q, r];
        pieces.source[t] = pieces.source[other];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::Measures;
    use crate::testkit::solids::{block, joined, reversed, translated};

    fn volume(mesh: &TriMesh) -> f64 {
        Measures::of(mesh).volume.signed
    }

    #[test]
    fn two_blocks_become_one() {
        let second = translated(&block([0.0; 3], [2.0; 3]), Vec3::new(1.0, 0.5, 0.25));
        let both = joined(&[block([0.0; 3], [2.0; 3]), second]);
        let one = union(&both, &Known::nothing(both.triangles.len())).unwrap().mesh;
        assert!((volume(&one) - (16.0 - 1.0 * 1.5 * 1.75)).abs() < 1e-12);
    }

    #[test]
    fn union_drops_inner_walls_and_keeps_cavities() {
        let flush =
            joined(&[block([0.0; 3], [2.0; 3]), translated(&block([0.0; 3], [1.0; 3]), Vec3::new(2.0, 0.5, 0.5))]);
        let one = union(&flush, &Known::nothing(flush.triangles.len())).unwrap().mesh;
        assert!((volume(&one) - 9.0).abs() < 1e-12);
        assert!((Measures::of(&one).area - 28.0).abs() < 1e-12);
        let cavity = reversed(&translated(&block([0.0; 3], [1.0; 3]), Vec3::repeat(0.5)));
        let hollow = joined(&[flush, cavity]);
        assert!((volume(&union(&hollow, &Known::nothing(hollow.triangles.len())).unwrap().mesh) - 8.0).abs() < 1e-12);
    }

    #[test]
    fn common_volume_counts_once_for_any_winding() {
        let corners = |m: &TriMesh| m.triangles.iter().map(|t| t.map(|v| m.vertices[v as usize])).collect::<Vec<_>>();
        let twice = joined(&[block([0.0; 3], [2.0; 3]), translated(&block([0.0; 3], [2.0; 3]), Vec3::repeat(0.5))]);
        let other = translated(&block([0.0; 3], [3.0, 1.0, 1.0]), Vec3::new(1.0, 0.75, 0.75));
        let both = intersection(&corners(&twice), &corners(&other)).unwrap();
        assert!((volume(&both) - 1.5).abs() < 1e-12);
        let beside = translated(&other, Vec3::x() * 1.5);
        assert!(intersection(&corners(&twice), &corners(&beside)).unwrap().triangles.is_empty());
    }
}
