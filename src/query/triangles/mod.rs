//! Answers for two placed surfaces: their distance, and their intersecting triangles.
//!
//! - `pairing`: the two surfaces and B's pose
//! - `bvh_traversal`: descends both bounding volume hierarchies (BVH) at once, to pairs of close triangles
//! - `pieces`: pairs of intersecting pieces of displaced triangles
//! - `per_triangle`: values of some triangles, each computed once
//! - `shares`: divides a search among threads
//! - `triangle_bounds`: cheap lower bounds of the distance of two triangles
//! - `transversal_crossing`: tells crossing surfaces from touching ones
pub(crate) mod bvh_traversal;
pub mod pairing;
pub(crate) mod per_triangle;
mod pieces;
mod shares;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transversal_crossing;
pub(crate) mod triangle_bounds;

use crate::geom::Vec3;
use crate::geom::triangle::{Triangle, closest, intersects, point_triangle};
use crate::query::triangles::bvh_traversal::{DualTraversal, LeafPairs, NodePair, SearchRadius};
use crate::query::triangles::pairing::Pairing;
pub(crate) use crate::query::triangles::pieces::{Piece, Pieces, intersections_of_pieces, visit_crossing_pieces};
pub(crate) use crate::query::triangles::shares::LastShare;
use crate::query::triangles::shares::{first_in_shares, some_in_shares, spread_order};
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use rayon::prelude::*;

/// Number of shares of a parallel descent: enough for many threads, and few enough that the shares seldom need the same
/// vertices.
const SHARES: usize = 256;

/// Distance of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// Lower bound of a distance above the limit (mm); infinite if a surface has no triangle.
    Beyond(f64),
    /// Closest points of surfaces within the limit.
    Within(Gap),
}

/// Closest points of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Distance of the points (mm, >= 0); 0 if the triangles intersect.
    pub value: f64,
    /// Point of A and point of B (A's frame, mm).
    pub points: [Vec3; 2],
    /// Triangle of A and triangle of B.
    pub triangles: [u32; 2],
    /// True if the two triangles intersect, by the exact test.
    pub meets: bool,
    /// True if no other points are closer; false if the search ended early at a distance of at most `enough`.
    pub exact: bool,
}

/// Finds the smallest distance of two surfaces, to rounding, if it is at most `limit` (mm). Stops early at a distance
/// of at most `enough` (mm). A distance of 0 always comes from the exact intersection test.
pub fn separation(p: &Pairing, limit: f64, enough: f64) -> Distance {
    let mut best: Option<Gap> = None;
    let mut reach = SearchRadius::new(limit);
    let mut descent = DualTraversal::new(p, 0.0);
    let rounding = descent.rounding;
    let mut way: Option<Vec3> = None;
    let [_, b] = p.sides();
    descent.run(
        &mut reach,
        |i| p.a.triangle(i),
        |j| b.corners(j),
        |reach, bound, (i, f), (j, g)| {
            // Triangles separated along the direction of the closest points so far are seldom closer.
            if way.is_some_and(|way| reach.excludes(f.apart_along(g, &way) - rounding)) {
                return true;
            }
            let (s, t) = (&f.corners, &g.corners);
            let gap = if bound <= 0.0 && intersects(s, t) {
                Gap { value: 0.0, points: common_points(s, t), triangles: [i, j], meets: true, exact: true }
            } else {
                let c = closest(s, t);
                Gap { value: c.squared.sqrt(), points: c.points, triangles: [i, j], meets: false, exact: true }
            };
            if !reach.excludes(gap.value) && best.is_none_or(|b| gap.value < b.value || gap.meets) {
                reach.reach = gap.value;
                way = (gap.value > 0.0).then(|| (gap.points[1] - gap.points[0]) / gap.value);
                best = Some(gap);
            }
            reach.reach > enough || best.is_none()
        },
    );
    match best {
        Some(gap) => Distance::Within(Gap { exact: gap.meets || gap.value > enough, ..gap }),
        None => Distance::Beyond(reach.beyond),
    }
}

/// Visits every pair of intersecting or touching triangles once, by exact tests, until `visit` returns false.
pub fn intersecting_pairs(p: &Pairing, visit: impl FnMut(u32, u32) -> bool) {
    let [_, b] = p.sides();
    crossings_of(p, 0.0, |i| p.a.triangle(i), |j| b.corners(j), visit);
}

/// Finds a point (A's frame) near an intersection of displaced triangles, or `None` if they are disjoint. `moved_a` and
/// `moved_b` give the displaced corners of a triangle in A's frame, each at most `slack` (mm) from its original
/// position.
pub fn displaced_intersection(
    p: &Pairing,
    slack: f64,
    moved_a: impl FnMut(u32) -> Triangle,
    moved_b: impl FnMut(u32) -> Triangle,
) -> Option<Vec3> {
    leaves_of_disjoint(p, slack, moved_a, moved_b).err()
}

/// Pairs of leaves at most `2 slack` apart, if the displaced triangles are disjoint; otherwise the point that
/// [`displaced_intersection`] finds. The arguments are the same.
pub(crate) fn leaves_of_disjoint<'a>(
    p: &Pairing<'a>,
    slack: f64,
    moved_a: impl FnMut(u32) -> Triangle,
    moved_b: impl FnMut(u32) -> Triangle,
) -> Result<LeafPairs<'a>, Vec3> {
    let mut descent = DualTraversal::new(p, 2.0 * slack).listing_leaves();
    let mut met = None;
    descent.run(&mut SearchRadius::new(0.0), moved_a, moved_b, |_, _, (_, f), (_, g)| {
        if intersects(&f.corners, &g.corners) {
            met = Some(middle_of_crossing(&f.corners, &g.corners));
        }
        met.is_none()
    });
    met.map_or_else(|| Ok(descent.into_leaf_pairs(p, 0.0)), Err)
}

/// Does the same as [`displaced_intersection`] for large surfaces, in parallel, with the same result for every number of
/// threads. `prepare` makes the state of a thread, which `moved_a` and `moved_b` use. A state for which `is_full` is true
/// ends with its share.
pub(crate) fn displaced_intersection_in_parallel<S>(
    p: &Pairing,
    slack: f64,
    prepare: impl Fn() -> S + Sync + Send,
    is_full: impl Fn(&S) -> bool + Sync + Send,
    moved_a: impl Fn(&S, u32) -> Triangle + Sync + Send,
    moved_b: impl Fn(&S, u32) -> Triangle + Sync + Send,
) -> Option<Vec3> {
    let shares = spread_shares(p, slack);
    first_in_shares(shares.len(), &prepare, |state, k| {
        if is_full(state) {
            *state = prepare();
        }
        let state = &*state;
        displaced_intersection_below(p, slack, shares[k], |i| moved_a(state, i), |j| moved_b(state, j))
    })
}

/// The same on one thread.
pub(crate) fn displaced_intersection_in_shares(
    p: &Pairing,
    slack: f64,
    moved_a: impl Fn(u32) -> Triangle,
    moved_b: impl Fn(u32) -> Triangle,
) -> Option<Vec3> {
    spread_shares(p, slack)
        .into_iter()
        .find_map(|share| displaced_intersection_below(p, slack, share, &moved_a, &moved_b))
}

/// The same below a pair of nodes.
fn displaced_intersection_below(
    p: &Pairing,
    slack: f64,
    share: NodePair,
    moved_a: impl Fn(u32) -> Triangle,
    moved_b: impl Fn(u32) -> Triangle,
) -> Option<Vec3> {
    let mut found = None;
    let mut descent = DualTraversal::new(p, 2.0 * slack);
    descent.run_below(vec![share], &mut SearchRadius::new(0.0), &moved_a, &moved_b, |_, _, (i, f), (j, g)| {
        let met = intersects(&f.corners, &g.corners);
        if met {
            found = Some((i, j));
        }
        !met
    });
    found.map(|(i, j)| middle_of_crossing(&moved_a(i), &moved_b(j)))
}

/// Shares of a crossing test, for corners at most `slack` (mm) from their original positions. Those that follow each
/// other lie far apart.
fn spread_shares(p: &Pairing, slack: f64) -> Vec<NodePair> {
    shares_within(p, 2.0 * slack, 0.0)
}

/// Shares of a descent with each vertex displaced by at most half of `slack`, within a search radius (both in mm). Those
/// that follow each other lie far apart.
fn shares_within(p: &Pairing, slack: f64, reach: f64) -> Vec<NodePair> {
    let shares = DualTraversal::new(p, slack).divided(&mut SearchRadius::new(reach), SHARES);
    spread_order(shares.len()).into_iter().map(|k| shares[k]).collect()
}

/// Visits all pairs of triangles possibly within `reach` (mm), those of a large pair in parallel and in any order.
/// For a smaller pair, it returns the pairs of leaves within `reach`.
pub(crate) fn visit_near<'a>(
    p: &Pairing<'a>,
    reach: f64,
    visit: impl Fn((u32, &BoundedTriangle), (u32, &BoundedTriangle)) + Sync,
) -> Option<LeafPairs<'a>> {
    let [_, b] = p.sides();
    let run = |descent: &mut DualTraversal, shares: Vec<NodePair>| {
        let mut visit_all = |_: &mut SearchRadius, _, f: (u32, &_), g: (u32, &_)| {
            visit(f, g);
            true
        };
        let mut reach = SearchRadius::new(reach);
        descent.run_below(shares, &mut reach, |i| p.a.triangle(i), |j| b.corners(j), &mut visit_all);
    };
    if p.is_large() {
        let shares = shares_within(p, 0.0, reach);
        shares.par_iter().for_each_init(|| DualTraversal::new(p, 0.0), |descent, share| run(descent, vec![*share]));
        return None;
    }
    let mut descent = DualTraversal::new(p, 0.0).listing_leaves();
    let roots = descent.roots(&SearchRadius::new(reach));
    run(&mut descent, roots);
    Some(descent.into_leaf_pairs(p, reach))
}

/// Visits the pairs of intersecting displaced triangles, displaced as in [`displaced_intersection`], until `visit`
/// returns false.
pub(crate) fn displaced_intersections(
    p: &Pairing,
    slack: f64,
    moved_a: impl FnMut(u32) -> Triangle,
    moved_b: impl FnMut(u32) -> Triangle,
    visit: impl FnMut(u32, u32) -> bool,
) {
    crossings_of(p, 2.0 * slack, moved_a, moved_b, visit);
}

/// Some of the pairs that [`displaced_intersections`] visits, at most `count`, for large surfaces: in parallel, and
/// spread over the surfaces. Empty only if no triangles intersect. The share `last` comes first. The work grows with
/// the number of shares needed. The result is the same for every number of threads.
pub(crate) fn some_displaced_intersections(
    p: &Pairing,
    slack: f64,
    moved_a: impl Fn(u32) -> Triangle + Sync + Send,
    moved_b: impl Fn(u32) -> Triangle + Sync + Send,
    count: usize,
    last: &LastShare,
) -> Vec<(u32, u32)> {
    let mut shares = spread_shares(p, slack);
    let known = last.get().and_then(|nodes| shares.iter().position(|share| share.nodes() == nodes));
    if let Some(k) = known {
        shares[..=k].rotate_right(1);
    }
    let visit_share = |descent: &mut DualTraversal, k: usize| {
        let mut met = Vec::new();
        descent.run_below(vec![shares[k]], &mut SearchRadius::new(0.0), &moved_a, &moved_b, |_, _, (i, f), (j, g)| {
            if intersects(&f.corners, &g.corners) {
                met.push((i, j));
            }
            met.len() < count
        });
        met
    };
    let prepare = || DualTraversal::new(p, 2.0 * slack);
    // The share that found crossings last often finds enough alone.
    let first = usize::from(known.is_some());
    let mut pairs = if first > 0 { visit_share(&mut prepare(), 0) } else { Vec::new() };
    let more = |descent: &mut DualTraversal, k: usize| visit_share(descent, first + k);
    let found = some_in_shares(shares.len() - first, count.saturating_sub(pairs.len()), prepare, more);
    if pairs.is_empty()
        && let Some((k, _)) = found.first()
    {
        last.set(&shares[first + k]);
    }
    pairs.extend(found.into_iter().map(|(_, pair)| pair));
    pairs
}

/// Computes a point close to the intersection of two intersecting triangles.
pub(crate) fn middle_of_crossing(s: &Triangle, t: &Triangle) -> Vec3 {
    let [x, y] = common_points(s, t);
    (x + y) * 0.5
}

/// Visits the pairs of intersecting triangles with the given corners, among boxes at most `slack` (mm) apart.
fn crossings_of(
    p: &Pairing,
    slack: f64,
    corners_a: impl FnMut(u32) -> Triangle,
    corners_b: impl FnMut(u32) -> Triangle,
    mut visit: impl FnMut(u32, u32) -> bool,
) {
    DualTraversal::new(p, slack).run(&mut SearchRadius::new(0.0), corners_a, corners_b, |_, _, (i, f), (j, g)| {
        !intersects(&f.corners, &g.corners) || visit(i, j)
    });
}

/// Computes a point of each of two intersecting triangles, both close to the intersection.
fn common_points(s: &Triangle, t: &Triangle) -> [Vec3; 2] {
    let mut best = closest(s, t);
    for (of, other, turned) in [(s, t, false), (t, s, true)] {
        let n = (other[1] - other[0]).cross(&(other[2] - other[0]));
        for k in 0..3 {
            let (p, q) = (of[k], of[(k + 1) % 3]);
            let (from, to) = (n.dot(&(p - other[0])), n.dot(&(q - other[0])));
            if from * to < 0.0 {
                let x = p + (q - p) * (from / (from - to));
                let foot = point_triangle(&x, other);
                if foot.squared < best.squared {
                    best.squared = foot.squared;
                    best.points = if turned { [foot.point, x] } else { [x, foot.point] };
                }
            }
        }
    }
    best.points
}
