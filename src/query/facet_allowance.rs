//! Computes the facet allowance: the share of an overlap explained by the facets bounding it (docs/explanation/gap.md,
//! Facets).
//!
//! A facet *bounds the common solid* if a piece of it lies inside the other solid, or on its surface facing the same
//! way. A facet touching from outside bounds nothing: neither the flush face of a plate, nor the bore ending on it.
//! Rounding turns one case into the other, so the test uses a small depth. Let r be the rounding of the pair and its
//! files. A triangle bounds the common solid if, moved inward by 2r, it has a piece inside the other surface, moved
//! inward by r. Exact predicates decide this. The test finds every facet supporting a ball of radius 2r in the common
//! solid (docs/explanation/numerics.md). A facet inside another shell of its own part counts like one outside.
//!
//! The search runs best first over the trees of both parts, ordered by the largest sagitta below a node. A box far from
//! every triangle of the other surface lies entirely inside or entirely outside it. The search ends as soon as no node
//! can exceed the best bounding triangle. Cost: some microseconds for each triangle near the other surface with a
//! sagitta above the answer; usually there are few.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser, norm1};
use crate::geom::triangle::{Triangle, closest, crosses, intersects};
use crate::mesh::{ConcaveFacets, TriMesh, facets};
use crate::parallel;
use crate::query::depth::{InsetSurface, MAX_OFFSET, SolidSide};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::winding_number::{winding, winding_moved};
use crate::shape::surface::{Below, Motion, Node, PlacedObb, Surface};
use std::cell::RefCell;
use std::collections::BinaryHeap;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;

/// Allowance in sagittas. The facets of a bore and a shaft of its diameter overlap by one sagitta, and by more if
/// neighbouring facets differ in width, since the sagitta comes from the narrower one. Where the wider one is known to
/// lie on the same cylinder, its own sagitta counts once, if that is more. Measured
/// (docs/explanation/gap.md, Facets).
pub const SAGITTAS: f64 = 1.5;

/// Largest ratio of a value of a [`FacetTable`] to the sagitta of the narrower facet at some concave edge.
pub const LARGEST_GAIN: f64 = facets::unequal::LARGEST_GAIN / SAGITTAS;

/// Inward displacement of a triangle, in roundings; the other surface moves by one rounding. Coplanar faces then end up
/// one rounding inside if they face the same way, three outside if they face opposite ways, and one outside if they
/// stand upright.
const INSET_ROUNDINGS: f64 = 2.0;

/// Shares of the displacement, tried in turn while the moved triangle touches the moved surface without crossing it.
/// Only coincidences of the last bit need the second share.
const INSET_SHARES: [f64; 3] = [1.0, 0.937, 0.871];

/// Rounding errors of a bound, in units of 2⁻⁵³ of both sizes and their distance, as in
/// [`crate::query::triangles::bvh_traversal`]: they only reduce pruning.
const ROUNDOFFS_PER_DISTANCE: f64 = 128.0;

/// Largest sagitta at a concave edge (mm, >= 0), for the facet of each triangle and for each node of the tree. The
/// default is the empty table of a convex solid.
#[derive(Debug, Default)]
pub struct FacetTable {
    /// Sagitta of each triangle's facet (mm); empty without concave edges.
    triangles: Vec<f64>,
    nodes: Vec<f64>,
}

impl FacetTable {
    /// Builds the table of a surface from its source mesh (mm), with coordinates accurate to `rounding` (mm).
    /// `deflection` (mm) is the upper bound of every sagitta. O(n log n), mostly for finding the facets.
    pub fn new(surface: &Surface, mesh: &TriMesh, rounding: f64, deflection: Option<f64>) -> Self {
        let threads = parallel::threads();
        let ConcaveFacets { facet, mut sagitta, wide } = ConcaveFacets::of(mesh, rounding, threads);
        // The factor covers unequal widths; a known width needs one sagitta.
        for (s, wide) in sagitta.iter_mut().zip(wide) {
            *s = greater(*s, wide / SAGITTAS);
        }
        if let Some(stated) = deflection {
            for s in &mut sagitta {
                *s = lesser(*s, stated);
            }
        }
        if sagitta.iter().all(|&s| s <= 0.0) {
            return Self::default();
        }
        let of_triangle = |t: usize| sagitta[facet[surface.source[t] as usize] as usize];
        Self::of_values(surface, parallel::list(threads, surface.source.len(), 0.0, of_triangle))
    }

    /// Sagitta of the facet of a triangle (mm, >= 0).
    pub(crate) fn sagitta(&self, triangle: u32) -> f64 {
        self.triangles.get(triangle as usize).copied().unwrap_or(0.0)
    }

    /// Builds the table from one value for each triangle of the surface.
    pub(crate) fn of_values(surface: &Surface, triangles: Vec<f64>) -> Self {
        let nodes = of_nodes(&surface.tree().nodes, &triangles);
        Self { triangles, nodes }
    }
}

/// Computes the largest value below each node. Children come after their parents.
fn of_nodes(nodes: &[Node], triangles: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        out[i] = match node.below() {
            Below::Children([a, b]) => greater(out[a as usize], out[b as usize]),
            Below::Triangles(range) => {
                triangles[range.start as usize..range.end as usize].iter().copied().fold(0.0, greater)
            }
        };
    }
    out
}

/// Bound of the rounding error of a distance of a pair (mm).
fn noise(p: &Pairing) -> f64 {
    let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
    if size.is_finite() { ROUNDOFFS_PER_DISTANCE * UNIT_ROUNDOFF * size } else { 0.0 }
}

/// Largest distance of triangles that the allowance relates to each other (mm); `rounding` as in [`allowance`].
pub(crate) fn reach(p: &Pairing, rounding: f64) -> f64 {
    (INSET_ROUNDINGS + MAX_OFFSET) * rounding + noise(p)
}

/// Computes the facet allowance of an overlapping pair (mm, >= 0), at most `most` (mm). `rounding` (mm) bounds the
/// distance of surfaces coinciding by design: the pair's margin and the quanta of both files.
pub fn allowance(p: &Pairing, tables: [&FacetTable; 2], rounding: f64, most: f64) -> f64 {
    let enough = most / SAGITTAS;
    if tables.iter().all(|t| t.triangles.is_empty()) || enough <= 0.0 {
        return 0.0;
    }
    let noise = noise(p);
    let placed = p.sides().map(PlacedTree::new);
    let searches = [0, 1].map(|k| Search::new(&placed[k], tables[k], &placed[1 - k], rounding, noise));
    lesser(SAGITTAS * largest(&searches, enough), most)
}

/// Node in the queue of the search.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct QueuedNode {
    /// Bits of the largest sagitta below the node: the sagitta is >= 0, so the bits order like the numbers.
    sagitta: u64,
    /// Number of the push: among equal sagittas the last push, the deepest node, comes first.
    found: u32,
    node: u32,
    side: usize,
}

/// Queue of the nodes with a sagitta above the best one found.
#[derive(Default)]
struct Frontier {
    heap: BinaryHeap<QueuedNode>,
    found: u32,
    /// Largest sagitta found (mm).
    floor: f64,
}

impl Frontier {
    fn push(&mut self, sagitta: f64, side: usize, node: u32) {
        if sagitta > self.floor {
            self.found += 1;
            self.heap.push(QueuedNode { sagitta: sagitta.to_bits(), found: self.found, node, side });
        }
    }
}

/// Finds the largest sagitta of a triangle bounding the common solid, on either surface (mm, >= 0); 0 if no triangle
/// does. Returns `enough` for larger values.
fn largest(searches: &[Search; 2], enough: f64) -> f64 {
    let mut frontier = Frontier::default();
    let sagitta =
        |side: usize, node: u32| searches[side].table.nodes.get(node as usize).map_or(0.0, |&s| lesser(s, enough));
    for side in 0..2 {
        frontier.push(sagitta(side, 0), side, 0);
    }
    let mut near = Vec::new();
    while let Some(QueuedNode { sagitta: bits, node, side, .. }) = frontier.heap.pop() {
        let s = f64::from_bits(bits);
        if s <= frontier.floor {
            break;
        }
        let search = &searches[side];
        let below = search.own.below(node);
        search.leaves_within(&search.own.node(node), matches!(below, Below::Children(_)), &mut near);
        if near.is_empty() {
            if search.lies_inside(search.own.some_triangle(node)) {
                return s;
            }
            continue;
        }
        match below {
            Below::Children(children) => children.into_iter().for_each(|c| frontier.push(sagitta(side, c), side, c)),
            Below::Triangles(range) => {
                for t in range {
                    let s = lesser(search.table.triangles[t as usize], enough);
                    if s > frontier.floor && search.bounds_common_solid(t, &near) {
                        frontier.floor = s;
                    }
                }
            }
        }
    }
    frontier.floor
}

/// Placed surface with its tree of boxes in A's frame.
struct PlacedTree<'a> {
    side: PlacedSurface<'a>,
    motion: Option<Motion<'a>>,
}

impl<'a> PlacedTree<'a> {
    fn new(side: PlacedSurface<'a>) -> Self {
        Self { side, motion: side.pose.map(Motion::new) }
    }

    fn node(&self, i: u32) -> PlacedObb {
        let own = PlacedObb::of(&self.side.surface.tree().nodes[i as usize]);
        self.motion.as_ref().map_or(own, |m| own.moved(m))
    }

    fn below(&self, i: u32) -> Below {
        self.side.surface.tree().nodes[i as usize].below()
    }

    /// Returns a triangle moved inward by `by` (mm).
    fn inset_triangle(&self, t: u32, by: f64) -> Triangle {
        let inward = self.side.turned(&(self.side.surface.normal(t) * -by));
        self.side.corners(t).map(|v| v + inward)
    }

    /// Returns some triangle below a node.
    fn some_triangle(&self, mut node: u32) -> u32 {
        loop {
            match self.below(node) {
                Below::Children([first, _]) => node = first,
                Below::Triangles(range) => return range.start,
            }
        }
    }
}

/// Search of one surface for facets inside the other.
struct Search<'a> {
    own: &'a PlacedTree<'a>,
    table: &'a FacetTable,
    other: &'a PlacedTree<'a>,
    moved: InsetSurface<'a>,
    /// Inward displacement of a triangle (mm).
    lift: f64,
    /// Bound of the displacement of any point of the other surface (mm).
    slack: f64,
    /// Bound of the rounding error of a distance (mm).
    noise: f64,
    /// Cached inside tests by vertex, for triangles far from the other surface: connected triangles share the result.
    #[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
    inside: RefCell<HashMap<u32, bool, rapidhash::fast::RandomState>>,
}

impl<'a> Search<'a> {
    fn new(
        own: &'a PlacedTree<'a>,
        table: &'a FacetTable,
        other: &'a PlacedTree<'a>,
        rounding: f64,
        noise: f64,
    ) -> Self {
        let moved = InsetSurface::new(other.side.surface, other.side.pose, SolidSide::Inside, rounding, 0.0);
        let (lift, slack) = (INSET_ROUNDINGS * rounding, MAX_OFFSET * rounding);
        Self { own, table, other, moved, lift, slack, noise, inside: RefCell::default() }
    }

    /// Distance before any displacement (mm). Two triangles farther apart are independent.
    fn reach(&self) -> f64 {
        self.lift + self.slack + self.noise
    }

    /// Collects the leaves of the other surface possibly near a box after the displacement; stops at the first leaf if
    /// `one` is set.
    fn leaves_within(&self, own: &PlacedObb, one: bool, out: &mut Vec<u32>) {
        out.clear();
        let reach = self.reach();
        let distance = |i: u32| f64::from(own.distance_bound(&self.other.node(i), reach as f32));
        let mut stack = Vec::with_capacity(64);
        if !self.other.side.surface.tree().nodes.is_empty() && distance(0) <= reach {
            stack.push(0);
        }
        while let Some(i) = stack.pop() {
            match self.other.below(i) {
                Below::Triangles(_) => {
                    out.push(i);
                    if one {
                        return;
                    }
                }
                Below::Children([p, q]) => {
                    let (x, y) = (distance(p), distance(q));
                    let ordered = if x <= y { [(q, y), (p, x)] } else { [(p, x), (q, y)] };
                    stack.extend(ordered.into_iter().filter(|n| n.1 <= reach).map(|n| n.0));
                }
            }
        }
    }

    /// Returns true if a triangle far from the other surface lies inside it.
    fn lies_inside(&self, t: u32) -> bool {
        let vertices = self.own.side.surface.triangles[t as usize];
        let mut known = self.inside.borrow_mut();
        let is = vertices.iter().find_map(|v| known.get(v).copied()).unwrap_or_else(|| {
            let corners = self.own.side.corners(t);
            let number = corners.iter().find_map(|x| winding(self.other.side.surface, self.other.side.pose, x));
            number.is_some_and(|w| w >= 1)
        });
        known.extend(vertices.map(|v| (v, is)));
        is
    }

    /// Returns true if a triangle bounds the common solid; `near` are the leaves of the other surface near it.
    fn bounds_common_solid(&self, t: u32, near: &[u32]) -> bool {
        let own = BoundedTriangle::new(self.own.side.corners(t));
        let reach = self.reach();
        let leaves = near.iter().filter(|&&leaf| own.box_distance_bound(&self.other.node(leaf)) <= reach);
        let triangles = leaves.flat_map(|&leaf| match self.other.below(leaf) {
            Below::Triangles(range) => range,
            Below::Children(_) => 0..0,
        });
        let others: Vec<u32> = triangles
            .filter(|&u| {
                let other = BoundedTriangle::new(self.other.side.corners(u));
                let (t, u) = (&own.corners, &other.corners);
                own.distance_bound(&other, reach) <= reach
                    && (intersects(t, u) || closest(t, u).squared <= reach * reach)
            })
            .collect();
        if others.is_empty() {
            return self.lies_inside(t);
        }
        INSET_SHARES.iter().find_map(|share| self.bounds_moved_by(t, self.lift * share, &others)).unwrap_or(false)
    }

    /// Returns true if a triangle moved inward by `lift` has a piece inside the other surface; `others` are the
    /// triangles of that surface near it. Returns `None` for an ambiguous contact.
    fn bounds_moved_by(&self, t: u32, lift: f64, others: &[u32]) -> Option<bool> {
        let corners = self.own.inset_triangle(t, lift);
        let mut touched = false;
        for &u in others {
            let moved = self.other.side.surface.triangles[u as usize].map(|v| self.moved.at(v));
            if crosses(&corners, &moved) {
                return Some(true);
            }
            touched |= intersects(&corners, &moved);
        }
        let inside = |x: &Vec3| {
            let number =
                winding_moved(self.other.side.surface, self.other.side.pose, x, self.slack, |v| self.moved.at(v))?;
            Some(number >= 1)
        };
        if touched {
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            return inside(&middle).filter(|&is| is);
        }
        corners.iter().find_map(inside)
    }
}
