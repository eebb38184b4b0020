//! The facet allowance: how much of an overlap the facets that bound it may have made (docs: concept.md, Facets).
//!
//! A facet *bounds the common solid* where a piece of it lies inside the other solid, or on its surface facing the same way. What
//! only touches from outside does not: not the flush face of a plate, nor the bore that ends on it. Rounding turns the one into
//! the other, so that it is asked with a little depth: with r the rounding of the pair and its files, a triangle bounds the
//! common solid when it, moved inward by 2r, has a piece inside the other surface, that one moved inward by r. Exact predicates
//! decide that, and a facet on which a ball of radius 2r in the common solid rests is found for certain (docs/numerics.md).
//! A facet inside another shell of its own part counts like one outside.
//!
//! The search goes best first over the trees of both parts, by the largest sagitta below a node: a box that no triangle of the
//! other surface is near lies inside it or outside as a whole, and the first triangle that bounds is the answer. Cost: some
//! microseconds for each triangle near the other surface whose sagitta is larger than the answer; most often there are few.

use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser, norm1};
use crate::geom::triangle::{Triangle, closest, crosses, intersects};
use crate::geom::{Pose, Vec3};
use crate::mesh::{ConcaveFacets, TriMesh};
use crate::query::depth::{InsetSurface, MAX_OFFSET, SolidSide};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::triangle_bounds::BoundedTriangle;
use crate::shape::surface::winding_number::{winding, winding_moved};
use crate::shape::surface::{Below, Motion, Node, PlacedObb, Surface};
use std::cell::RefCell;
use std::collections::BinaryHeap;
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
use std::collections::HashMap;

/// The allowance in sagittas: a bore's facets and a shaft of its diameter overlap by one, and by more where neighbouring facets
/// are not equally wide, since the narrower is what the sagitta is taken from. Measured (docs: concept.md, Facets).
pub const SAGITTAS: f64 = 1.5;

/// A triangle moves inward by this many roundings and the other surface by one: what faces the same way on one plane lies
/// inside by one then, what faces the other way outside by three, and what stands on it upright outside by one.
const INSET_ROUNDINGS: f64 = 2.0;

/// A moved triangle that touches the moved surface, without crossing it, tells little: it is moved by these shares instead.
/// Only coincidences of the last bit ask for the second.
const INSET_SHARES: [f64; 3] = [1.0, 0.937, 0.871];

/// Rounding errors of a bound, in units of 2⁻⁵³ of both sizes and their distance, as in [`super::dual`]: it only prunes less.
const ROUNDOFFS_PER_DISTANCE: f64 = 128.0;

/// What the facets of a surface stand for: the largest sagitta at a concave edge (mm), of every triangle's facet and of
/// every node of the tree. By default there is none: of a convex solid.
#[derive(Debug, Default)]
pub struct FacetTable {
    /// Empty where there is no concave edge.
    triangles: Vec<f64>,
    nodes: Vec<f64>,
}

impl FacetTable {
    /// Of a surface and the mesh that it was made of (mm), whose coordinates may be off by `rounding` (mm); `deflection` (mm)
    /// takes the place of every sagitta. O(n log n), most of it for finding the facets.
    pub fn new(surface: &Surface, mesh: &TriMesh, rounding: f64, deflection: Option<f64>) -> Self {
        let ConcaveFacets { facet, mut sagitta } = ConcaveFacets::of(mesh, rounding);
        if let Some(stated) = deflection {
            sagitta.iter_mut().filter(|s| **s > 0.0).for_each(|s| *s = stated);
        }
        if sagitta.iter().all(|&s| s <= 0.0) {
            return Self::default();
        }
        let triangles: Vec<f64> = surface.source.iter().map(|&t| sagitta[facet[t as usize] as usize]).collect();
        Self::of_values(surface, triangles)
    }

    /// With a value for every triangle of the surface.
    pub(crate) fn of_values(surface: &Surface, triangles: Vec<f64>) -> Self {
        let nodes = of_nodes(&surface.tree().nodes, &triangles);
        Self { triangles, nodes }
    }
}

/// The largest value below each node. Children stand behind their parents.
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

/// The facet allowance of an overlapping pair, at most `most` (mm). `rounding` (mm) is by how much surfaces may differ that
/// coincide by design: the pair's margin and the quanta of both files.
pub fn allowance(p: &Pairing, tables: [&FacetTable; 2], rounding: f64, most: f64) -> f64 {
    let enough = most / SAGITTAS;
    if tables.iter().all(|t| t.triangles.is_empty()) || enough <= 0.0 {
        return 0.0;
    }
    let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
    let noise = if size.is_finite() { ROUNDOFFS_PER_DISTANCE * UNIT_ROUNDOFF * size } else { 0.0 };
    let placed = [Placed::new(p.a, None), Placed::new(p.b, Some(p.b_in_a))];
    let searches = [0, 1].map(|k| Search::new(&placed[k], tables[k], &placed[1 - k], rounding, noise));
    lesser(SAGITTAS * largest(&searches, enough), most)
}

/// A node to be looked at.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct QueuedNode {
    /// The bits of the largest sagitta below, which is not negative: ordered as the numbers are.
    sagitta: u64,
    /// Of equals the last found comes first: the deepest.
    found: u32,
    node: u32,
    side: usize,
}

/// The nodes that may lead to something larger than what is known.
#[derive(Default)]
struct Frontier {
    heap: BinaryHeap<QueuedNode>,
    found: u32,
    /// The largest known.
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

/// The largest sagitta of a triangle of either surface that bounds the common solid, 0 where there is none; `enough` where it is
/// no less.
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

/// A surface where it stands in A's frame.
struct Placed<'a> {
    surface: &'a Surface,
    pose: Option<&'a Pose>,
    motion: Option<Motion<'a>>,
}

impl<'a> Placed<'a> {
    fn new(surface: &'a Surface, pose: Option<&'a Pose>) -> Self {
        Self { surface, pose, motion: pose.map(Motion::new) }
    }

    fn node(&self, i: u32) -> PlacedObb {
        let own = PlacedObb::of(&self.surface.tree().nodes[i as usize]);
        self.motion.as_ref().map_or(own, |m| own.moved(m))
    }

    fn below(&self, i: u32) -> Below {
        self.surface.tree().nodes[i as usize].below()
    }

    fn triangle(&self, t: u32) -> Triangle {
        self.surface.triangle(t).map(|v| self.pose.map_or(v, |p| p.point(&v)))
    }

    /// A triangle moved inward by `by` (mm).
    fn inset_triangle(&self, t: u32, by: f64) -> Triangle {
        let inward = self.surface.normal(t) * -by;
        let inward = self.pose.map_or(inward, |p| p.direction(&inward));
        self.triangle(t).map(|v| v + inward)
    }

    /// A triangle below a node.
    fn some_triangle(&self, mut node: u32) -> u32 {
        loop {
            match self.below(node) {
                Below::Children([first, _]) => node = first,
                Below::Triangles(range) => return range.start,
            }
        }
    }
}

/// A search of one surface's facets for those that lie in the other.
struct Search<'a> {
    own: &'a Placed<'a>,
    table: &'a FacetTable,
    other: &'a Placed<'a>,
    moved: InsetSurface<'a>,
    /// How far a triangle moves inward (mm).
    lift: f64,
    /// How far anything on the other surface moves, at most (mm).
    slack: f64,
    /// What rounding may add to a distance (mm).
    noise: f64,
    /// Whether a vertex lies inside the other surface, of triangles that it is not near: these hang together.
    #[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
    inside: RefCell<HashMap<u32, bool, rapidhash::fast::RandomState>>,
}

impl<'a> Search<'a> {
    fn new(own: &'a Placed<'a>, table: &'a FacetTable, other: &'a Placed<'a>, rounding: f64, noise: f64) -> Self {
        let moved = InsetSurface::new(other.surface, other.pose, SolidSide::Inside, rounding, 0.0);
        let (lift, slack) = (INSET_ROUNDINGS * rounding, MAX_OFFSET * rounding);
        Self { own, table, other, moved, lift, slack, noise, inside: RefCell::default() }
    }

    /// Farther apart than this before anything moves, two triangles have nothing to do with each other (mm).
    fn reach(&self) -> f64 {
        self.lift + self.slack + self.noise
    }

    /// The leaves of the other surface that may be near a box once triangles have moved; the first alone, where `one` will do.
    fn leaves_within(&self, own: &PlacedObb, one: bool, out: &mut Vec<u32>) {
        out.clear();
        let reach = self.reach();
        let distance = |i: u32| f64::from(own.distance_bound(&self.other.node(i), reach as f32));
        let mut stack = Vec::with_capacity(64);
        if !self.other.surface.tree().nodes.is_empty() && distance(0) <= reach {
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
                Below::Children(children) => {
                    let [(p, x), (q, y)] = children.map(|c| (c, distance(c)));
                    let ordered = if x <= y { [(q, y), (p, x)] } else { [(p, x), (q, y)] };
                    stack.extend(ordered.into_iter().filter(|n| n.1 <= reach).map(|n| n.0));
                }
            }
        }
    }

    /// Whether a triangle that the other surface is not near lies inside it.
    fn lies_inside(&self, t: u32) -> bool {
        let vertices = self.own.surface.triangles[t as usize];
        let mut known = self.inside.borrow_mut();
        let is = vertices.iter().find_map(|v| known.get(v).copied()).unwrap_or_else(|| {
            let corners = self.own.triangle(t);
            let number = corners.iter().find_map(|x| winding(self.other.surface, self.other.pose, x));
            number.is_some_and(|w| w >= 1)
        });
        known.extend(vertices.map(|v| (v, is)));
        is
    }

    /// Whether a triangle bounds the common solid; `near` are the other's leaves near it.
    fn bounds_common_solid(&self, t: u32, near: &[u32]) -> bool {
        let own = BoundedTriangle::new(self.own.triangle(t));
        let reach = self.reach();
        let leaves = near.iter().filter(|&&leaf| own.box_distance_bound(&self.other.node(leaf)) <= reach);
        let triangles = leaves.flat_map(|&leaf| match self.other.below(leaf) {
            Below::Triangles(range) => range,
            Below::Children(_) => 0..0,
        });
        let others: Vec<u32> = triangles
            .filter(|&u| {
                let other = BoundedTriangle::new(self.other.triangle(u));
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

    /// Whether a triangle moved inward by `lift` has a piece inside the other surface, whose triangles near it are given;
    /// `None` where it touches them in a way that does not tell.
    fn bounds_moved_by(&self, t: u32, lift: f64, others: &[u32]) -> Option<bool> {
        let corners = self.own.inset_triangle(t, lift);
        let mut touched = false;
        for &u in others {
            let moved = self.other.surface.triangles[u as usize].map(|v| self.moved.at(v));
            if crosses(&corners, &moved) {
                return Some(true);
            }
            touched |= intersects(&corners, &moved);
        }
        let inside = |x: &Vec3| {
            let number = winding_moved(self.other.surface, self.other.pose, x, self.slack, |v| self.moved.at(v))?;
            Some(number >= 1)
        };
        if touched {
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            return inside(&middle).filter(|&is| is);
        }
        corners.iter().find_map(inside)
    }
}
