//! Descends the bounding volume hierarchies (BVH) of two placed surfaces at once, down to the pairs of triangles within
//! a search radius.

use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::triangle::Triangle;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::shape::surface::{Below, Motion, Node, PlacedObb, Surface};
use std::ops::Range;

/// Rounding errors of a bound, in units of 2⁻⁵³ of both sizes and their distance. Every bound is lowered by this error,
/// at the cost of some pruning.
const ROUNDOFFS_PER_DISTANCE: f64 = 128.0;

/// Size ratio of two nodes below which both are split at once.
const SIMILAR_SIZE: f32 = 2.0;

/// Search radius, and a bound for everything outside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchRadius {
    /// Search radius (mm): pairs with a greater lower bound are pruned.
    pub reach: f64,
    /// Least lower bound of all pruned pairs (mm).
    pub beyond: f64,
}

impl SearchRadius {
    pub(crate) fn new(reach: f64) -> Self {
        Self { reach, beyond: f64::INFINITY }
    }

    /// Returns true if a pair with this lower bound is pruned, and records the bound.
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

/// True if both nodes are split at once: four pairs cost less than twice two.
fn similar_size(a: &Node, b: &Node) -> bool {
    let (a, b) = (a.size(), b.size());
    a < SIMILAR_SIZE * b && b < SIMILAR_SIZE * a
}

/// One node of each tree, and a lower bound of their distance (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodePair {
    a: u32,
    b: u32,
    bound: f64,
}

impl NodePair {
    /// Nodes of A's and of B's tree.
    pub(crate) fn nodes(&self) -> [u32; 2] {
        [self.a, self.b]
    }
}

/// Pairs of leaves of two placed surfaces within some distance, for further descents at the same pose.
pub(crate) struct LeafPairs<'a> {
    surfaces: [&'a Surface; 2],
    /// Pairs in the order of the descent.
    pairs: Vec<NodePair>,
    /// Amount that their bounds leave for displaced vertices (mm).
    slack: f64,
    /// Largest distance of the listed pairs, up to rounding (mm).
    within: f64,
}

impl LeafPairs<'_> {
    /// True for the surfaces of this pair.
    pub(crate) fn are_of(&self, p: &Pairing) -> bool {
        std::ptr::eq(self.surfaces[0], p.a) && std::ptr::eq(self.surfaces[1], p.b)
    }
}

/// Simultaneous descent of two trees.
pub(crate) struct DualTraversal<'a> {
    nodes: [&'a [Node]; 2],
    motion: Motion<'a>,
    /// Bound of the rounding error of a distance (mm).
    pub rounding: f64,
    /// Twice the largest displacement of a vertex (mm).
    slack: f64,
    /// Amount subtracted from the distance of two boxes: rounding and `slack` (mm).
    allowance: f64,
    facets: [LeafCache; 2],
    /// Pairs of leaves met so far, if they are listed.
    leaves: Option<Vec<NodePair>>,
}

/// Number of cached leaves a surface.
const MAX_KEPT_LEAVES: usize = 16;

/// Recent leaves of one surface: each is paired with several leaves of the other surface within a short time.
#[derive(Default)]
struct LeafCache([CachedLeaf; MAX_KEPT_LEAVES]);

impl LeafCache {
    fn take(&mut self, range: Range<u32>, corners: impl FnMut(u32) -> Triangle) -> &mut CachedLeaf {
        // Leaves side by side get separate slots: most have two triangles or more.
        let leaf = &mut self.0[range.start as usize / 2 % MAX_KEPT_LEAVES];
        leaf.take(range, corners);
        leaf
    }
}

/// Triangles of a leaf.
#[derive(Default)]
struct CachedLeaf {
    first: Option<u32>,
    facets: Vec<BoundedTriangle>,
    /// Indices in `facets` of the triangles near the other leaf.
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
    /// Prepares the descent of a pair with each vertex displaced by at most half of `slack` (mm).
    pub(crate) fn new(p: &Pairing<'a>, slack: f64) -> Self {
        let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
        let rounding = if size.is_finite() { ROUNDOFFS_PER_DISTANCE * UNIT_ROUNDOFF * size } else { 0.0 };
        Self {
            nodes: [&p.a.tree().nodes, &p.b.tree().nodes],
            motion: Motion::new(p.b_in_a),
            rounding,
            slack,
            allowance: slack + rounding,
            facets: Default::default(),
            leaves: None,
        }
    }

    /// Lists the pairs of leaves that the next descent meets.
    pub(crate) fn listing_leaves(self) -> Self {
        Self { leaves: Some(Vec::new()), ..self }
    }

    /// Pairs of leaves met, after a descent to its end within a search radius (mm).
    pub(crate) fn into_leaf_pairs(self, p: &Pairing<'a>, radius: f64) -> LeafPairs<'a> {
        let pairs = self.leaves.unwrap_or_default();
        LeafPairs { surfaces: [p.a, p.b], pairs, slack: self.slack, within: self.slack + radius }
    }

    /// Pairs of nodes below which [`Self::run_below`] visits the pairs of triangles of [`Self::run`], in the same order:
    /// known pairs of leaves at the same pose if they reach far enough, else the roots. Known leaves may have some more
    /// pairs, all beyond the search radius: boxes above them exclude these in a descent from the roots.
    pub(crate) fn roots_among(&self, known: Option<&LeafPairs>, reach: &SearchRadius) -> Vec<NodePair> {
        known.and_then(|known| self.among(known, reach)).unwrap_or_else(|| self.roots(reach))
    }

    fn among(&self, known: &LeafPairs, reach: &SearchRadius) -> Option<Vec<NodePair>> {
        let less = known.slack - self.slack;
        let placed = |pair: &NodePair| NodePair { bound: pair.bound + less, ..*pair };
        (self.slack + reach.reach <= known.within).then(|| known.pairs.iter().rev().map(placed).collect())
    }

    /// Calls `visit` on all pairs of triangles possibly within the search radius, with a lower bound of their distance
    /// (mm), until `visit` returns false. Requests the corners of a triangle once for each time its leaf enters the
    /// cache.
    pub(crate) fn run(
        &mut self,
        reach: &mut SearchRadius,
        corners_a: impl FnMut(u32) -> Triangle,
        corners_b: impl FnMut(u32) -> Triangle,
        visit: impl FnMut(&mut SearchRadius, f64, (u32, &BoundedTriangle), (u32, &BoundedTriangle)) -> bool,
    ) {
        let roots = self.roots(reach);
        self.run_below(roots, reach, corners_a, corners_b, visit);
    }

    /// The same below some pairs of nodes, the last pair first.
    pub(crate) fn run_below(
        &mut self,
        mut stack: Vec<NodePair>,
        reach: &mut SearchRadius,
        mut corners_a: impl FnMut(u32) -> Triangle,
        mut corners_b: impl FnMut(u32) -> Triangle,
        mut visit: impl FnMut(&mut SearchRadius, f64, (u32, &BoundedTriangle), (u32, &BoundedTriangle)) -> bool,
    ) {
        let [na, nb] = self.nodes;
        let allowance = self.allowance;
        while let Some(pair) = stack.pop() {
            if reach.excludes(pair.bound) {
                continue;
            }
            let (a, b) = (&na[pair.a as usize], &nb[pair.b as usize]);
            if let (Below::Triangles(ra), Below::Triangles(rb)) = (a.below(), b.below()) {
                if let Some(leaves) = &mut self.leaves {
                    leaves.push(pair);
                }
                let [leaves_a, leaves_b] = &mut self.facets;
                let leaf_a = leaves_a.take(ra, &mut corners_a);
                let leaf_b = leaves_b.take(rb, &mut corners_b);
                leaf_a.keep_near(&PlacedObb::of(b).moved(&self.motion), allowance, reach);
                leaf_b.keep_near(&PlacedObb::of(a), allowance, reach);
                if !visit_near(leaf_a, leaf_b, self.rounding, reach, &mut visit) {
                    return;
                }
            } else {
                self.divide(pair, reach, &mut stack);
            }
        }
    }

    /// Divides the descent into at least `count` pairs of nodes, if there are as many. [`Self::run_below`] of one after
    /// the other visits the same pairs of triangles in the same order as [`Self::run`].
    pub(crate) fn divided(&self, reach: &mut SearchRadius, count: usize) -> Vec<NodePair> {
        let is_leaf = |tree: usize, node: u32| matches!(self.nodes[tree][node as usize].below(), Below::Triangles(_));
        let mut pairs = self.roots(reach);
        while pairs.len() < count && !pairs.iter().all(|p| is_leaf(0, p.a) && is_leaf(1, p.b)) {
            let mut next = Vec::new();
            for pair in pairs {
                if is_leaf(0, pair.a) && is_leaf(1, pair.b) {
                    next.push(pair);
                    continue;
                }
                let first = next.len();
                self.divide(pair, reach, &mut next);
                next[first..].reverse();
            }
            pairs = next;
        }
        pairs
    }

    /// The two roots; empty without triangles.
    pub(crate) fn roots(&self, reach: &SearchRadius) -> Vec<NodePair> {
        let mut stack = Vec::with_capacity(128);
        if self.nodes.iter().all(|n| !n.is_empty()) {
            stack.push(NodePair { a: 0, b: 0, bound: self.apart(&self.in_a(0), &self.in_b(0), reach.reach) });
        }
        stack
    }

    /// Pushes the pairs below a pair of nodes on the stack, the nearest on top. Nothing for two leaves.
    #[inline]
    fn divide(&self, NodePair { a: i, b: j, .. }: NodePair, reach: &mut SearchRadius, stack: &mut Vec<NodePair>) {
        let [na, nb] = self.nodes;
        let (a, b) = (&na[i as usize], &nb[j as usize]);
        match (a.below(), b.below()) {
            (Below::Children(ca), Below::Children(cb)) if similar_size(a, b) => {
                push(stack, reach, self.four(ca, cb, reach.reach));
            }
            (Below::Children(ca), other) if matches!(other, Below::Triangles(_)) || a.size() >= b.size() => {
                let fixed = self.in_b(j);
                let pair = |c: u32| NodePair { a: c, b: j, bound: self.apart(&self.in_a(c), &fixed, reach.reach) };
                let next = [pair(ca[0]), pair(ca[1])];
                push(stack, reach, next);
            }
            (_, Below::Children(cb)) => {
                let fixed = self.in_a(i);
                let pair = |c: u32| NodePair { a: i, b: c, bound: self.apart(&fixed, &self.in_b(c), reach.reach) };
                let next = [pair(cb[0]), pair(cb[1])];
                push(stack, reach, next);
            }
            (_, Below::Triangles(_)) => {}
        }
    }

    /// Pairs all children of two nodes, with lower bounds of their distances (mm).
    #[inline]
    fn four(&self, ca: [u32; 2], cb: [u32; 2], reach: f64) -> [NodePair; 4] {
        // Written out: the compiler does not always inline the closure of an array's `map`.
        let (first, second) = ([self.in_a(ca[0]), self.in_a(ca[1])], [self.in_b(cb[0]), self.in_b(cb[1])]);
        let pair =
            |i: usize, j: usize| NodePair { a: ca[i], b: cb[j], bound: self.apart(&first[i], &second[j], reach) };
        [pair(0, 0), pair(0, 1), pair(1, 0), pair(1, 1)]
    }

    #[inline]
    fn in_a(&self, i: u32) -> PlacedObb {
        PlacedObb::of(&self.nodes[0][i as usize])
    }

    #[inline]
    fn in_b(&self, j: u32) -> PlacedObb {
        PlacedObb::of(&self.nodes[1][j as usize]).moved(&self.motion)
    }

    /// Computes a lower bound of the distance of two boxes (mm); stops early at a bound outside the search radius.
    #[inline]
    fn apart(&self, a: &PlacedObb, b: &PlacedObb, reach: f64) -> f64 {
        f64::from(a.distance_bound(b, (reach + self.allowance) as f32)) - self.allowance
    }
}

/// Visits the pairs of triangles of two leaves, each triangle near the other leaf. Returns false if `visit` does.
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

/// Pushes pairs of nodes on the stack, the nearest on top.
#[inline]
fn push<const N: usize>(stack: &mut Vec<NodePair>, reach: &mut SearchRadius, next: [NodePair; N]) {
    let first = stack.len();
    for n in next {
        if reach.excludes(n.bound) {
            continue;
        }
        let mut at = stack.len();
        stack.push(n);
        while at > first && stack[at - 1].bound < n.bound {
            stack.swap(at - 1, at);
            at -= 1;
        }
    }
}
