//! Relates two triangle meshes: separate, or with certified bounds (a bracket) of their overlap depth.
//!
//! [`meet`] measures the distance of the surfaces first. Pairs in contact become a [`OverlapSearch`] and start with the
//! cheap bounds of their hulls. [`super::refine`] then narrows this bracket on demand. Upper bounds hold for the
//! boundaries of solids only, so `resolve` replaces self-intersecting surfaces by the boundaries of their solids before
//! the first upper bound.

use crate::geom::math::greater;
use crate::geom::{Aabb, Bounds, Pose, Vec3};
use crate::query::depth::inset::certificate::InsetSurfaces;
use crate::query::depth::lump_bounds::OpenLumps;
use crate::query::depth::open_surface::{BallSearch, interpenetrates};
use crate::query::depth::search::BranchAndBound;
use crate::query::depth::search::evaluator::Witness;
use crate::query::triangles::bvh_traversal::LeafPairs;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Distance, Gap, separation};
use crate::shape::polytope::Convex;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};

/// One part of a pair: its hull and its triangles, both in the hull's centred frame.
#[derive(Clone, Copy)]
pub struct SolidRef<'a> {
    /// Convex hull of all triangles.
    pub convex: &'a Convex,
    /// True if `convex` is the hull of some vertices only, with the bounding box of all. The bounds of the depth then
    /// come from bounding boxes.
    pub has_inner_hull: bool,
    /// Prepared triangles.
    pub surface: &'a Surface,
    /// True if the solid is known to be its hull.
    pub is_hull: bool,
}

/// Margins and limits of the query for one pair (mm).
#[derive(Debug, Clone, Copy)]
pub struct OverlapQuery {
    /// Rounding margin η of the pair (mm, > 0).
    pub margin: f64,
    /// Distance up to which surfaces, coincident by design, may miss each other (mm, at least `margin`). Overlaps up to
    /// this depth count as contact, and triangles this close to one plane may count as one face.
    pub rounding: f64,
    /// Largest distance of interest (mm): beyond it a lower bound suffices.
    pub reach: f64,
    /// Depth above which a common ball ends the query (mm); `None` for no such limit.
    pub deep: Option<f64>,
}

/// Relation of two meshes.
pub enum PairRelation<'a> {
    /// Separate by more than the distance of interest: lower bound of the distance (mm).
    Beyond(f64),
    /// Separate, with neither part in the other. Surfaces without a definite inside may touch (distance 0).
    Apart(Apart),
    /// In contact or overlapping, or one part contains the other.
    Meets(Box<OverlapSearch<'a>>),
}

/// Result of [`classify`].
pub struct Classified<'a> {
    /// Relation of the two meshes.
    pub relation: PairRelation<'a>,
    /// True if the relation depends on the self-unions of the two surfaces. Later steps of the search may use them,
    /// too: [`OverlapSearch::used_self_unions`].
    pub used_self_union: bool,
}

/// Distance of two separate meshes.
#[derive(Debug, Clone, Copy)]
pub struct Apart {
    /// Distance of the surfaces, exact to rounding (mm, >= 0).
    pub distance: f64,
    /// Closest points on A and on B (A's frame, mm).
    pub points: [Vec3; 2],
}

/// Steps done for a pair, in order (lengths in mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// Upper bound of the depth from the hulls' overlap.
    HullBound(f64),
    /// Lower bound of the depth after evaluating the centre of the hulls' overlap.
    Middle(f64),
    /// Distance of the surfaces; 0 if they cross.
    Surfaces(f64),
    /// The surfaces are disjoint and one reaches into the other's inside.
    Nested,
    /// Certificate by inset: a depth, and true if the inset surfaces prove that nothing is deeper.
    Inset(f64, bool),
    /// Number of boxes around the intersections of the inset surfaces: outside of them nothing exceeds this depth.
    RemainingBoxes(f64, usize),
    /// Upper bound of the depth from the hulls of the lumps of the common solid, and the number of lumps.
    LumpBound(f64, usize),
    /// Lower bound of the depth after an ascent, or from balls in the hulls of lumps.
    Ascent(f64),
    /// Number of cells of branch and bound so far, and the bounds of the gap after them.
    BranchAndBound(u32, Bounds),
}

/// A pair in contact, with certified bounds of the overlap depth (mm).
pub struct OverlapSearch<'a> {
    pub(crate) bodies: [SolidRef<'a>; 2],
    pub(crate) b_in_a: &'a Pose,
    pub(crate) ask: OverlapQuery,
    /// True if upper bounds hold: the surfaces are the complete boundaries of the solids, or as given. `None` until
    /// determined.
    pub(crate) solid: Option<bool>,
    /// True for each surface that upper bounds take as given, without a self-union.
    pub(crate) as_given: [bool; 2],
    /// True for each surface of which only triangles that bound their solid reach the other one; `None` until
    /// determined.
    pub(crate) only_boundaries_reach: Option<[bool; 2]>,
    pub(crate) looked_at_middle: bool,
    /// Bounds of the overlap depth (mm).
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) depth: BranchAndBound<'a>,
    /// Box around all common points (A's frame).
    pub(crate) region: Aabb,
    /// Ball search in place of `depth` if upper bounds do not apply: a mesh has no definite inside, or its self-union
    /// failed.
    pub(crate) search: Option<Box<BallSearch<'a>>>,
    /// Closest points of the surfaces, if measured.
    pub(crate) surfaces: Option<Apart>,
    /// Largest depth without a certificate by inset, for each effort (mm).
    pub(crate) failed: [f64; 3],
    /// Last inset surfaces of much effort, without and with divided edges: a certificate and the boxes around what it
    /// leaves share them.
    pub(crate) insets: [Option<Box<InsetSurfaces<'a>>>; 2],
    /// Lumps of the common solid that may hold the deepest point; `None` before they are found, or if they are no
    /// smaller than the whole.
    pub(crate) lumps: Option<OpenLumps>,
    /// Pairs of leaves of the surfaces close to each other, if a step has listed them.
    pub(crate) leaf_pairs: Option<LeafPairs<'a>>,
    /// Depth of the last request for remaining boxes (mm).
    pub(crate) confined: Option<f64>,
    pub(crate) events: Vec<Event>,
}

/// Separates disjoint pairs from pairs in contact. Lengths are in mm, points in A's frame. Cost: one traversal of the
/// two BVHs, microseconds for some hundred triangles, milliseconds for a million nearly touching ones.
pub fn classify<'a>(a: SolidRef<'a>, b: SolidRef<'a>, b_in_a: &'a Pose, ask: &OverlapQuery) -> Classified<'a> {
    let relation = classify_as_given(a, b, b_in_a, ask);
    // Surfaces without a definite inside are compared again on the boundaries of their solids. Disjoint surfaces skip
    // this step: the distance is the same.
    if let PairRelation::Meets(meeting) = &relation
        && meeting.is_surface()
    {
        let boundaries = meeting.boundaries([false; 2]);
        let relation = boundaries.map_or(relation, |[a, b]| classify_as_given(a, b, b_in_a, ask));
        return Classified { relation, used_self_union: true };
    }
    Classified { relation, used_self_union: false }
}

/// Relates the surfaces as they are, without self-union.
fn classify_as_given<'a>(a: SolidRef<'a>, b: SolidRef<'a>, b_in_a: &'a Pose, ask: &OverlapQuery) -> PairRelation<'a> {
    let mut meeting = OverlapSearch::new(a, b, b_in_a, *ask);
    if let Some(deep) = ask.deep
        && !meeting.is_surface()
        && meeting.finds_ball_above(deep)
    {
        return PairRelation::Meets(Box::new(meeting));
    }
    match separation(&meeting.pairing(), ask.reach + ask.margin, ask.margin) {
        Distance::Beyond(least) => {
            if !meeting.is_nested() {
                return PairRelation::Beyond(least);
            }
            if meeting.is_surface() {
                if let Distance::Within(Gap { value, points, .. }) =
                    separation(&meeting.pairing(), f64::INFINITY, ask.margin)
                {
                    meeting.record_contact(Apart { distance: value, points });
                }
                return PairRelation::Meets(Box::new(meeting.into_interpenetrating().bounded_by_hulls()));
            }
        }
        Distance::Within(Gap { value, points, .. }) => {
            let apart = Apart { distance: value, points };
            meeting.events.push(Event::Surfaces(value));
            if meeting.is_surface() {
                return meeting.surfaces_within(apart);
            }
            if value <= ask.margin {
                meeting.record_contact(apart);
                return PairRelation::Meets(Box::new(meeting.bounded_by_hulls()));
            }
            if !meeting.is_nested() {
                return PairRelation::Apart(apart);
            }
            meeting.surfaces = Some(apart);
        }
    }
    PairRelation::Meets(Box::new(meeting.into_nested().bounded_by_hulls()))
}

impl<'a> OverlapSearch<'a> {
    /// Starts without the hulls' bounds: they cost more than separating most pairs.
    fn new(a: SolidRef<'a>, b: SolidRef<'a>, b_in_a: &'a Pose, ask: OverlapQuery) -> Self {
        let sides = Pairing { a: a.surface, b: b.surface, b_in_a }.sides();
        let around = Vec3::repeat(0.5 * b.convex.aabb.diagonal());
        let center = b_in_a.point(&b.convex.aabb.center());
        let placed = Aabb { min: center - around, max: center + around };
        let region = a.convex.aabb.intersection(&placed).inflated(2.0 * ask.margin);
        Self {
            bodies: [a, b],
            b_in_a,
            ask,
            solid: None,
            as_given: [false; 2],
            only_boundaries_reach: None,
            looked_at_middle: false,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            depth: BranchAndBound::new(sides, &region, [f64::NEG_INFINITY, f64::INFINITY], ask.margin),
            region,
            search: None,
            surfaces: None,
            failed: [0.0; 3],
            insets: [None, None],
            lumps: None,
            leaf_pairs: None,
            confined: None,
            events: Vec::new(),
        }
    }

    pub(crate) fn pairing(&self) -> Pairing<'a> {
        Pairing { a: self.bodies[0].surface, b: self.bodies[1].surface, b_in_a: self.b_in_a }
    }

    pub(super) fn sides(&self) -> [PlacedSurface<'a>; 2] {
        self.depth.sides()
    }

    /// True if a mesh of the pair has no definite inside.
    pub fn is_surface(&self) -> bool {
        self.bodies.iter().any(|b| b.surface.inside == Inside::Undefined)
    }

    /// True if upper bounds are known to hold: the surfaces are the complete boundaries of the two solids, or only such
    /// triangles reach the other solid.
    pub(crate) fn is_solid(&self) -> bool {
        self.solid == Some(true)
    }

    /// True for each surface of which the search has used the self-union.
    pub fn used_self_unions(&self) -> [bool; 2] {
        self.as_given.map(|as_given| self.solid.is_some() && !as_given)
    }

    /// True for each surface that upper bounds take as given, without a self-union.
    pub(crate) fn holds_as_given(&self) -> [bool; 2] {
        self.as_given
    }

    /// Boundaries of the two solids after self-union, except for surfaces taken as given; `None` if they equal the
    /// surfaces. Overlapping shells of one part form one solid.
    fn boundaries(&self, as_given: [bool; 2]) -> Option<[SolidRef<'a>; 2]> {
        let [a, b] = self.bodies.map(|body| body.surface);
        let solid = |s: &'a Surface, as_given: bool| if as_given { s } else { s.solid() };
        let (of_a, of_b) = (|| solid(a, as_given[0]), || solid(b, as_given[1]));
        // Each of the two is long for a large surface; most surfaces are known.
        let surfaces = if a.known_overlaps().is_some() || b.known_overlaps().is_some() {
            (of_a(), of_b())
        } else {
            rayon::join(of_a, of_b)
        };
        let solids = [(0, surfaces.0), (1, surfaces.1)].map(|(k, surface)| SolidRef { surface, ..self.bodies[k] });
        let differs = |(given, solid): (&SolidRef, &SolidRef)| !std::ptr::eq(given.surface, solid.surface);
        self.bodies.iter().zip(&solids).any(differs).then_some(solids)
    }

    /// Prepares upper bounds: keeps each surface as given if only triangles that bound its solid reach the other one,
    /// else replaces it by the boundary of its solid. This step comes late because a common ball is valid without it.
    /// Earlier results are kept. Returns true if a surface was replaced.
    pub(crate) fn resolve(&mut self) -> bool {
        if self.solid.is_some() {
            return false;
        }
        let as_given = self.only_boundaries_reach();
        self.as_given = as_given;
        self.solid = Some(false);
        let boundaries = self.boundaries(as_given);
        if let Some([a, b]) = boundaries {
            let ask = OverlapQuery { deep: None, ..self.ask };
            // Rounding may separate touching boundaries. The earlier bounds then stay as they are.
            let PairRelation::Meets(mut found) = classify_as_given(a, b, self.b_in_a, &ask) else { return false };
            // The ball around the same centre may grow: the surface it touched may lie inside the solid.
            if let Some(ball) = self.ball() {
                found.depth.evaluate(&ball.0);
                found.take_bounds();
            }
            found.lower = greater(found.lower, self.lower);
            found.events = std::mem::take(&mut self.events);
            *self = *found;
            self.as_given = as_given;
        }
        self.skip_inner_triangles();
        let bounds = |b: &SolidRef| b.surface.inside == Inside::Solid && b.surface.overlaps() == SelfUnion::None;
        self.solid = Some(self.bodies.iter().zip(as_given).all(|(body, as_given)| as_given || bounds(body)));
        boundaries.is_some()
    }

    /// Evaluates a common ball around a point (A's frame, mm).
    pub fn evaluate_at(&mut self, x: &Vec3) {
        self.depth.evaluate(x);
        self.take_bounds();
    }

    /// Evaluates the centre of the hulls' overlap; returns the lower bound of the depth after it (mm).
    pub(crate) fn evaluate_centre(&mut self) -> f64 {
        self.looked_at_middle = true;
        let middle = self.depth.start();
        self.depth.evaluate(&middle);
        self.take_bounds();
        self.events.push(Event::Middle(self.lower));
        self.lower
    }

    fn record_contact(&mut self, apart: Apart) {
        self.lower = greater(self.lower, -apart.distance);
        self.depth.raise_floor(0.5 * self.lower);
        self.surfaces = Some(apart);
    }

    fn into_nested(mut self) -> Self {
        self.lower = greater(self.lower, 0.0);
        self.depth.raise_floor(0.0);
        self.events.push(Event::Nested);
        self
    }

    /// For disjoint surfaces: tests one vertex of each shell for being inside the other part. Pairs without a definite
    /// inside use the test of `open_surface`.
    fn is_nested(&self) -> bool {
        let [a, b] = self.sides();
        if self.is_surface() {
            return interpenetrates(&self.pairing(), &[a, b], self.ask.rounding, false);
        }
        let inside = |of: &PlacedSurface, vertices: &Surface, pose: Option<&Pose>| {
            vertices.shells.iter().any(|&v| {
                let p = vertices.vertices[v as usize];
                of.may_contain(&pose.map_or(p, |q| q.point(&p)))
            })
        };
        inside(&b, a.surface, None) || inside(&a, b.surface, b.pose)
    }

    /// Relates close surfaces without a definite inside: the distance decides unless they interpenetrate.
    fn surfaces_within(mut self, apart: Apart) -> PairRelation<'a> {
        let meet = apart.distance <= self.ask.margin;
        if !interpenetrates(&self.pairing(), &self.sides(), self.ask.rounding, meet) {
            return PairRelation::Apart(apart);
        }
        self.record_contact(apart);
        PairRelation::Meets(Box::new(if meet { self } else { self.into_interpenetrating() }.bounded_by_hulls()))
    }

    /// Records the nesting without a lower bound: a vertex inside a surface without a definite inside proves no
    /// overlap.
    fn into_interpenetrating(mut self) -> Self {
        self.events.push(Event::Nested);
        self
    }

    /// Certified bounds of the gap, minus those of the overlap depth (mm, without the rounding margin). For pairs
    /// without a definite inside, or with unresolved self-unions, only the hulls bound the depth from above.
    pub fn gap_bounds(&self) -> Bounds {
        Bounds::from_depth(self.lower, greater(self.upper, self.lower))
    }

    /// Steps done so far, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Best common ball: centre, radius (mm, > 0) and the closest point of each surface to the centre (A's frame).
    /// `None` before a ball is found.
    pub fn ball(&self) -> Option<(Vec3, f64, [Vec3; 2])> {
        self.depth
            .evaluator
            .best
            .filter(|w| w.radius > 0.0)
            .map(|Witness { center, radius, points }| (center, radius, points))
    }

    /// The two parts; after narrowing, with the boundaries of their solids if self-union succeeded.
    pub fn bodies(&self) -> [SolidRef<'_>; 2] {
        self.bodies
    }

    /// Closest points of the two surfaces, if measured.
    pub fn surfaces(&self) -> Option<Apart> {
        self.surfaces
    }
}
