//! Descends the trees of two placed surfaces at once, down to the pairs of triangles that may be close.

use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::triangle::Triangle;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::shape::surface::{Below, Motion, Node, PlacedObb};
use std::ops::Range;

/// Rounding errors of a bound, in units of 2⁻⁵³ of both sizes and their distance. Bounds are lowered by this: it only prunes
/// less.
const ROUNDOFFS_PER_DISTANCE: f64 = 128.0;

/// Nodes whose sizes differ by less than this factor are split at once.
const SIMILAR_SIZE: f32 = 2.0;

/// What a search is bounded by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchRadius {
    /// What is certainly farther than this is left out (mm).
    pub reach: f64,
    /// The least lower bound of what was left out (mm).
    pub beyond: f64,
}

impl SearchRadius {
    pub(crate) fn new(reach: f64) -> Self {
        Self { reach, beyond: f64::INFINITY }
    }

    /// Whether something with this lower bound is left out.
    #[inline]
    pub(crate) fn excludes(&mut self, bound: f64) -> bool {
        if bound > self.reach {
            self.beyond = if bound < self.beyond { bound } else { self.beyond };
            true
        } else {
            false
        }
    }
}

/// Whether two nodes are split at once: four pairs cost less than twice two.
fn similar_size(a: &Node, b: &Node) -> bool {
    let (a, b) = (a.size(), b.size());
    a < SIMILAR_SIZE * b && b < SIMILAR_SIZE * a
}

/// A descent into two trees.
pub(crate) struct DualTraversal<'a> {
    nodes: [&'a [Node]; 2],
    motion: Motion<'a>,
    /// What rounding may add to a bound (mm).
    pub rounding: f64,
    /// Bounds of boxes are lowered by this: rounding, and what vertices may have moved.
    allowance: f64,
    facets: [LeafCache; 2],
}

/// Leaves whose triangles are kept, of one surface.
const MAX_KEPT_LEAVES: usize = 16;

/// The leaves last met, of one surface: each is met with several of the other, and again soon.
#[derive(Default)]
struct LeafCache([CachedLeaf; MAX_KEPT_LEAVES]);

impl LeafCache {
    fn take(&mut self, range: Range<u32>, corners: impl FnMut(u32) -> Triangle) -> &mut CachedLeaf {
        // Leaves side by side get places of their own: most have two triangles or more.
        let leaf = &mut self.0[range.start as usize / 2 % MAX_KEPT_LEAVES];
        leaf.take(range, corners);
        leaf
    }
}

/// The triangles of a leaf.
#[derive(Default)]
struct CachedLeaf {
    first: Option<u32>,
    facets: Vec<BoundedTriangle>,
    /// Places in `facets` of those near the other leaf.
    near: Vec<u32>,
}

impl CachedLeaf {
    fn take(&mut self, range: Range<u32>, corners: impl FnMut(u32) -> Triangle) {
        if self.first != Some(range.start) {
            self.first = Some(range.start);
            self.facets.clear();
            self.facets.extend(range.map(corners).map(BoundedTriangle::new));
        }
    }

    fn keep_near(&mut self, other: &PlacedObb, allowance: f64, reach: &mut SearchRadius) {
        self.near.clear();
        for (k, f) in (0..).zip(&self.facets) {
            if !reach.excludes(f.box_distance_bound(other) - allowance) {
                self.near.push(k);
            }
        }
    }

    fn near(&self) -> impl Iterator<Item = (u32, &BoundedTriangle)> {
        let first = self.first.unwrap_or(0);
        self.near.iter().map(move |&k| (first + k, &self.facets[k as usize]))
    }
}

impl<'a> DualTraversal<'a> {
    /// Of a pair whose vertices may each have moved by half of `slack` (mm) from where the surfaces have them.
    pub(crate) fn new(p: &Pairing<'a>, slack: f64) -> Self {
        let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
        let rounding = if size.is_finite() { ROUNDOFFS_PER_DISTANCE * UNIT_ROUNDOFF * size } else { 0.0 };
        Self {
            nodes: [&p.a.tree().nodes, &p.b.tree().nodes],
            motion: Motion::new(p.b_in_a),
            rounding,
            allowance: slack + rounding,
            facets: Default::default(),
        }
    }

    /// Calls `visit` on all pairs of triangles that may be within reach, with a lower bound of their distance (mm), until it
    /// returns false. Corners are asked for once per leaf met, or a few times.
    pub(crate) fn run(
        &mut self,
        reach: &mut SearchRadius,
        mut corners_a: impl FnMut(u32) -> Triangle,
        mut corners_b: impl FnMut(u32) -> Triangle,
        mut visit: impl FnMut(&mut SearchRadius, f64, (u32, &BoundedTriangle), (u32, &BoundedTriangle)) -> bool,
    ) {
        let [na, nb] = self.nodes;
        if na.is_empty() || nb.is_empty() {
            return;
        }
        let allowance = self.allowance;
        let mut stack: Vec<(u32, u32, f64)> = Vec::with_capacity(128);
        stack.push((0, 0, self.apart(&self.in_a(0), &self.in_b(0), reach.reach)));
        while let Some((i, j, bound)) = stack.pop() {
            if reach.excludes(bound) {
                continue;
            }
            let (a, b) = (&na[i as usize], &nb[j as usize]);
            match (a.below(), b.below()) {
                (Below::Triangles(ra), Below::Triangles(rb)) => {
                    let [leaves_a, leaves_b] = &mut self.facets;
                    let leaf_a = leaves_a.take(ra, &mut corners_a);
                    let leaf_b = leaves_b.take(rb, &mut corners_b);
                    leaf_a.keep_near(&PlacedObb::of(b).moved(&self.motion), allowance, reach);
                    leaf_b.keep_near(&PlacedObb::of(a), allowance, reach);
                    if !visit_near(leaf_a, leaf_b, self.rounding, reach, &mut visit) {
                        return;
                    }
                }
                (Below::Children(ca), Below::Children(cb)) if similar_size(a, b) => {
                    push(&mut stack, reach, self.four(ca, cb, reach.reach));
                }
                (Below::Children(ca), other) if matches!(other, Below::Triangles(_)) || a.size() >= b.size() => {
                    let fixed = self.in_b(j);
                    let next = ca.map(|c| (c, j, self.apart(&self.in_a(c), &fixed, reach.reach)));
                    push(&mut stack, reach, next);
                }
                (_, Below::Children(cb)) => {
                    let fixed = self.in_a(i);
                    let next = cb.map(|c| (i, c, self.apart(&fixed, &self.in_b(c), reach.reach)));
                    push(&mut stack, reach, next);
                }
                // Covered above.
                (Below::Children(_), Below::Triangles(_)) => {}
            }
        }
    }

    /// All pairs of two nodes' children, with bounds of their distances.
    #[inline]
    fn four(&self, ca: [u32; 2], cb: [u32; 2], reach: f64) -> [(u32, u32, f64); 4] {
        let (first, second) = (ca.map(|c| self.in_a(c)), cb.map(|c| self.in_b(c)));
        std::array::from_fn(|k| {
            let (i, j) = (k >> 1, k & 1);
            (ca[i], cb[j], self.apart(&first[i], &second[j], reach))
        })
    }

    #[inline]
    fn in_a(&self, i: u32) -> PlacedObb {
        PlacedObb::of(&self.nodes[0][i as usize])
    }

    #[inline]
    fn in_b(&self, j: u32) -> PlacedObb {
        PlacedObb::of(&self.nodes[1][j as usize]).moved(&self.motion)
    }

    /// A lower bound of the distance (mm); may end at the first that is out of reach.
    #[inline]
    fn apart(&self, a: &PlacedObb, b: &PlacedObb, reach: f64) -> f64 {
        f64::from(a.distance_bound(b, (reach + self.allowance) as f32)) - self.allowance
    }
}

/// Visits the pairs of triangles near the other's leaf, of two leaves; false when `visit` says so.
#[inline]
fn visit_near(
    a: &CachedLeaf,
    b: &CachedLeaf,
    rounding: f64,
    reach: &mut SearchRadius,
    visit: &mut impl FnMut(&mut SearchRadius, f64, (u32, &BoundedTriangle), (u32, &BoundedTriangle)) -> bool,
) -> bool {
    for (i, f) in a.near() {
        for (j, g) in b.near() {
            let bound = f.distance_bound(g, reach.reach + rounding) - rounding;
            if !reach.excludes(bound) && !visit(reach, bound, (i, f), (j, g)) {
                return false;
            }
        }
    }
    true
}

/// Puts pairs of nodes on the stack, the nearest on top.
#[inline]
fn push<const N: usize>(stack: &mut Vec<(u32, u32, f64)>, reach: &mut SearchRadius, next: [(u32, u32, f64); N]) {
    let first = stack.len();
    for n in next {
        if reach.excludes(n.2) {
            continue;
        }
        let mut at = stack.len();
        stack.push(n);
        while at > first && stack[at - 1].2 < n.2 {
            stack.swap(at - 1, at);
            at -= 1;
        }
    }
}
