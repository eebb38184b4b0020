//! Finds the triangles of two surfaces possibly crossing, and those certainly clear of the other surface, for all poses
//! of B within a short distance.

use crate::measure::intersection::perturbed_signs::Solid;
use crate::query::triangles::bvh_traversal::{DualTraversal, LeafPairs, SearchRadius};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::per_triangle::PerTriangle;
use crate::query::triangles::triangle_bounds::SidePlanes;
use crate::shape::surface::{Below, Motion, Node, PlacedObb};
use std::ops::Range;

/// Number of triangles above which a node is tested as a whole. If the other surface is clear of the node, one point
/// decides for all its triangles. Smaller nodes are cheaper triangle by triangle.
const MAX_CANDIDATES: u32 = 256;

/// Candidates of both surfaces, valid for all poses of B within a short distance.
pub(crate) struct CrossingCandidates {
    /// Pairs of triangles of A and B, those of one triangle of A mostly adjacent.
    pub pairs: Vec<[u32; 2]>,
    pub of_a: Triangles,
    pub of_b: Triangles,
}

/// Triangles of a surface, without those certainly outside the other solid.
#[derive(Default)]
pub(crate) struct Triangles {
    /// Triangles tested one by one, near the other surface or in small nodes, in increasing order.
    pub single: Vec<u32>,
    /// Ranges of other triangles, each range clear of the other surface.
    pub free: Vec<Range<u32>>,
}

impl CrossingCandidates {
    /// Collects the candidates for B's pose and for translations of B by at most `way` (mm). Known pairs of leaves of the
    /// same surfaces at the same pose save a descent, if they are listed far enough.
    pub(crate) fn new(p: &Pairing, way: f64, leaves: Option<&LeafPairs>) -> Self {
        let mut descent = DualTraversal::new(p, 0.0);
        let far = descent.rounding + way;
        let mut pairs = Vec::new();
        let [_, b] = p.sides();
        let mut sides = [p.a, p.b].map(|s| PerTriangle::new(s.triangles.len()));
        let mut reach = SearchRadius::new(way);
        let roots = descent.roots_among(leaves.filter(|leaves| leaves.are_of(p)), &reach);
        descent.run_below(
            roots,
            &mut reach,
            |i| p.a.triangle(i),
            |j| b.corners(j),
            |_, _, (i, s), (j, t)| {
                let [of_a, of_b] = &mut sides;
                let (of_s, of_t) = (|| SidePlanes::new(s), || SidePlanes::new(t));
                if !(of_a.of(i, of_s).exclude(t, far) || of_b.of(j, of_t).exclude(s, far)) {
                    pairs.push([i, j]);
                }
                true
            },
        );
        let [of_a, of_b] = [Solid::A, Solid::B].map(|solid| Triangles::of(p, solid, &pairs, far));
        Self { pairs, of_a, of_b }
    }

    pub(crate) fn of(&self, solid: Solid) -> &Triangles {
        if solid == Solid::A { &self.of_a } else { &self.of_b }
    }
}

impl Triangles {
    /// Collects the triangles of one surface: `pairs` are the pairs possibly crossing; boxes more than `far` (mm) apart
    /// are clear of each other.
    fn of(p: &Pairing, solid: Solid, pairs: &[[u32; 2]], far: f64) -> Self {
        let trees = Trees { nodes: [&p.a.tree().nodes, &p.b.tree().nodes], motion: Motion::new(p.b_in_a), far };
        let [mine, theirs] = [solid, solid.other()].map(|s| trees.nodes[s as usize]);
        let mut found = Self::default();
        if mine.is_empty() || theirs.is_empty() {
            return found;
        }
        let is_large = mine.len() as u32 > MAX_CANDIDATES;
        let mut paired: Vec<u32> =
            if is_large { pairs.iter().map(|pair| pair[solid as usize]).collect() } else { Vec::new() };
        paired.sort_unstable();
        let all = trees.place(solid.other(), 0);
        let mut stack = vec![0_u32];
        while let Some(i) = stack.pop() {
            let node = trees.place(solid, i);
            if trees.apart(&node, &all) {
                continue;
            }
            let [left, right] = match mine[i as usize].below() {
                Below::Triangles(range) => {
                    found.single.extend(range);
                    continue;
                }
                Below::Children(children) => children,
            };
            if is_large {
                let range = range_below(mine, i);
                let is_paired = || {
                    let first = paired.partition_point(|t| *t < range.start);
                    paired.get(first).is_some_and(|t| *t < range.end)
                };
                if range.end - range.start > MAX_CANDIDATES && !is_paired() && trees.is_clear_of(solid.other(), &node) {
                    found.free.push(range);
                    continue;
                }
            }
            stack.push(right);
            stack.push(left);
        }
        found
    }
}

/// Trees of both surfaces.
struct Trees<'a> {
    nodes: [&'a [Node]; 2],
    motion: Motion<'a>,
    /// Distance of boxes clear of each other (mm).
    far: f64,
}

impl Trees<'_> {
    /// Returns the box of a node in A's frame.
    fn place(&self, of: Solid, i: u32) -> PlacedObb {
        let place = PlacedObb::of(&self.nodes[of as usize][i as usize]);
        if of == Solid::A { place } else { place.moved(&self.motion) }
    }

    fn apart(&self, p: &PlacedObb, q: &PlacedObb) -> bool {
        f64::from(p.distance_bound(q, self.far as f32)) > self.far
    }

    /// Returns true if a surface is clear of a box of the other surface.
    fn is_clear_of(&self, surface: Solid, from: &PlacedObb) -> bool {
        let mut stack = vec![0];
        while let Some(j) = stack.pop() {
            if !self.apart(from, &self.place(surface, j)) {
                match self.nodes[surface as usize][j as usize].below() {
                    Below::Children(children) => stack.extend(children),
                    Below::Triangles(_) => return false,
                }
            }
        }
        true
    }
}

/// Returns the range of triangles below a node: the leaves are in increasing order.
fn range_below(nodes: &[Node], i: u32) -> Range<u32> {
    let end = |second: usize| {
        let mut at = i;
        loop {
            match nodes[at as usize].below() {
                Below::Children(children) => at = children[second],
                Below::Triangles(range) => return range,
            }
        }
    };
    end(0).start..end(1).end
}
