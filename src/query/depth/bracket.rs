//! A pair of meshes and what is known of it.

use crate::geom::math::greater;
use crate::geom::{Aabb, Pose, Vec3};
use crate::query::convex::common_ball_lp::{self, Goal};
use crate::query::convex::gjk::HullPair;
use crate::query::depth::open_surface::{BallSearch, interpenetrates};
use crate::query::depth::search::{BranchAndBound, Witness};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Distance, Gap, separation};
use crate::shape::polytope::Convex;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};

/// One part of a pair: its hull and its triangles, both in the hull's centred frame.
#[derive(Clone, Copy)]
pub struct SolidRef<'a> {
    /// The convex hull, which holds all triangles.
    pub convex: &'a Convex,
    /// The triangles.
    pub surface: &'a Surface,
}

/// What is asked of a pair; lengths in mm.
#[derive(Debug, Clone, Copy)]
pub struct OverlapQuery {
    /// The pair's rounding margin η.
    pub margin: f64,
    /// By so much surfaces may miss each other that coincide by design; at least the margin. What overlaps
    /// no deeper touches, and triangles no farther from one plane may count as one face.
    pub rounding: f64,
    /// Nothing is needed of pairs farther apart.
    pub reach: f64,
    /// Where a ball thicker than this is in both nothing else need be known.
    pub deep: Option<f64>,
}

/// Where two meshes stand to each other.
pub enum PairRelation<'a> {
    /// Apart by more than the reach: at least this far.
    Beyond(f64),
    /// Apart, neither in the other.
    Apart(Apart),
    /// They touch, overlap, or one holds the other.
    Meets(Box<OverlapSearch<'a>>),
}

/// Two meshes apart.
#[derive(Debug, Clone, Copy)]
pub struct Apart {
    /// Of the surfaces, right to rounding (mm).
    pub distance: f64,
    /// The two closest points, in A's frame.
    pub points: [Vec3; 2],
}

/// What was done for a pair, in order; lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// The hulls' overlap bounds that of the parts.
    HullBound(f64),
    /// Depth of the ball around the middle of the hulls' overlap.
    Middle(f64),
    /// Distance of the surfaces; 0 where they cross.
    Surfaces(f64),
    /// The surfaces do not meet and one part lies in the other.
    Nested,
    /// The surfaces, moved inward, tell that nothing is thicker than this, or do not.
    Shrink(f64, bool),
    /// Where the moved surfaces meet: outside of so many boxes nothing is thicker than this.
    Confined(f64, usize),
    /// Depth of the best ball after a climb, from where the moved or the given surfaces meet.
    Climb(f64),
    /// Cells of branch and bound so far, and the bounds of the depth they left.
    Cells(u32, [f64; 2]),
}

/// A pair that touches or overlaps, with certified bounds of the overlap depth.
pub struct OverlapSearch<'a> {
    pub(crate) bodies: [SolidRef<'a>; 2],
    pub(crate) b_in_a: &'a Pose,
    pub(crate) ask: OverlapQuery,
    /// Whether all of the surfaces bounds the solids; `None` until it was asked.
    pub(crate) solid: Option<bool>,
    pub(crate) looked_at_middle: bool,
    /// Of the overlap depth.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) depth: BranchAndBound<'a>,
    /// Holds all common points (A's frame).
    pub(crate) region: Aabb,
    /// Takes the place of `depth` where a mesh has no definite inside.
    pub(crate) search: Option<Box<BallSearch<'a>>>,
    /// The closest points of the surfaces, where that was asked.
    pub(crate) surfaces: Option<Apart>,
    /// The largest depth that a shrink of each care did not certify.
    pub(crate) failed: [f64; 2],
    /// The depth for which boxes were last asked that hold all that is deeper.
    pub(crate) confined: Option<f64>,
    pub(crate) events: Vec<Event>,
}

/// Tells pairs apart from those that meet. Cost: a dual traversal of the two trees; microseconds for parts of some hundred
/// triangles, milliseconds for a million that nearly touch all over.
pub fn classify<'a>(a: SolidRef<'a>, b: SolidRef<'a>, b_in_a: &'a Pose, ask: &OverlapQuery) -> PairRelation<'a> {
    let found = classify_as_given(a, b, b_in_a, ask);
    // Of parts that keep apart the whole surface tells as much as the boundary of the solid does.
    if let PairRelation::Meets(meeting) = &found
        && meeting.is_surface()
        && let Some([a, b]) = meeting.boundaries()
    {
        return classify_as_given(a, b, b_in_a, ask);
    }
    found
}

/// The same, with the surfaces as they are.
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
    /// Without what the hulls say, which takes longer than to tell most pairs apart.
    fn new(a: SolidRef<'a>, b: SolidRef<'a>, b_in_a: &'a Pose, ask: OverlapQuery) -> Self {
        let sides = [
            PlacedSurface { surface: a.surface, pose: None },
            PlacedSurface { surface: b.surface, pose: Some(b_in_a) },
        ];
        let around = Vec3::repeat(0.5 * b.convex.aabb.diagonal());
        let center = b_in_a.point(&b.convex.aabb.center());
        let placed = Aabb { min: center - around, max: center + around };
        let region = a.convex.aabb.intersection(&placed).inflated(2.0 * ask.margin);
        Self {
            bodies: [a, b],
            b_in_a,
            ask,
            solid: None,
            looked_at_middle: false,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            depth: BranchAndBound::new(sides, &region, [f64::NEG_INFINITY, f64::INFINITY], ask.margin),
            region,
            search: None,
            surfaces: None,
            failed: [0.0; 2],
            confined: None,
            events: Vec::new(),
        }
    }

    /// Takes from the hulls how deep the overlap is at most, and where it may be.
    fn bounded_by_hulls(mut self) -> Self {
        let [a, b] = self.bodies.map(|body| body.convex);
        let q = HullPair { a, b, b_in_a: self.b_in_a };
        let (upper, middle) = if a.rank == 3 && b.rank == 3 {
            let thick = common_ball_lp::overlap(&q, None, Goal::VALUE);
            (greater(thick.upper, 0.0), thick.center)
        } else {
            (0.0, a.inner_center)
        };
        let best = self.depth.best;
        self.upper = upper;
        self.region = a.aabb.intersection(&placed_box(b, self.b_in_a)).inflated(self.ask.margin);
        let bounds = [0.5 * self.lower, 0.5 * upper];
        self.depth = BranchAndBound::new(self.sides(), &self.region, bounds, self.ask.margin).starting_at(middle);
        self.depth.best = best;
        self.events.push(Event::HullBound(upper));
        self
    }

    /// Whether a ball thicker than this (mm) is found where it costs next to nothing to look for one: between the balls in the
    /// hulls, as far inside the one as inside the other.
    fn finds_ball_above(&mut self, deep: f64) -> bool {
        let [a, b] = self.bodies.map(|body| body.convex);
        let (from, to) = (a.inner_center, self.b_in_a.point(&b.inner_center));
        let distance = (to - from).norm();
        let share = 0.5 * (distance + a.inner_radius - b.inner_radius) / distance;
        let start = if distance > 0.0 { from + (to - from) * share.clamp(0.0, 1.0) } else { from };
        let above = deep + 2.0 * self.ask.margin;
        self.depth.balance(&start, 0.5 * above);
        self.take_bounds();
        self.lower > above
    }

    pub(crate) fn pairing(&self) -> Pairing<'a> {
        Pairing { a: self.bodies[0].surface, b: self.bodies[1].surface, b_in_a: self.b_in_a }
    }

    fn sides(&self) -> [PlacedSurface<'a>; 2] {
        self.depth.sides()
    }

    /// Whether a mesh has no definite inside.
    pub fn is_surface(&self) -> bool {
        self.bodies.iter().any(|b| b.surface.inside == Inside::Undefined)
    }

    /// Whether the surfaces are known to be the boundaries of the two solids.
    pub(crate) fn is_solid(&self) -> bool {
        self.solid == Some(true)
    }

    /// What bounds the two solids, where that is less than the surfaces: shells that overlap in one part are one solid.
    fn boundaries(&self) -> Option<[SolidRef<'a>; 2]> {
        let solids = self.bodies.map(|b| SolidRef { surface: b.surface.solid(), ..b });
        let differs = |(given, solid): (&SolidRef, &SolidRef)| !std::ptr::eq(given.surface, solid.surface);
        self.bodies.iter().zip(&solids).any(differs).then_some(solids)
    }

    /// Makes sure that bounds from above may be taken: of solids, from their boundaries. A common ball needs none of this, which is
    /// why it comes late. What was found so far stands. Whether other surfaces took the place of these.
    pub(crate) fn resolve(&mut self) -> bool {
        if self.solid.is_some() {
            return false;
        }
        self.solid = Some(false);
        let boundaries = self.boundaries();
        if let Some([a, b]) = boundaries {
            let ask = OverlapQuery { deep: None, ..self.ask };
            // Rounding may part what touches; then no more is claimed than was known before.
            let PairRelation::Meets(mut found) = classify_as_given(a, b, self.b_in_a, &ask) else { return false };
            // Around the same centre the ball may grow: what it touched may lie inside the solid.
            if let Some(ball) = self.ball() {
                found.depth.evaluate(&ball.0);
                found.take_bounds();
            }
            found.lower = greater(found.lower, self.lower);
            found.events = std::mem::take(&mut self.events);
            *self = *found;
        }
        let bounds = |b: &SolidRef| b.surface.inside == Inside::Solid && b.surface.overlaps() == SelfUnion::None;
        self.solid = Some(self.bodies.iter().all(bounds));
        boundaries.is_some()
    }

    /// Looks for a common ball around a point (A's frame).
    pub fn evaluate_at(&mut self, x: &Vec3) {
        self.depth.evaluate(x);
        self.take_bounds();
    }

    /// The depth at the middle of the hulls' overlap.
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

    /// Whether a shell of one lies in the other, surfaces not meeting; without a definite inside, any vertex.
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

    /// What to say of surfaces without a definite inside that are this close: where neither crosses the other nor reaches into
    /// it, their distance.
    fn surfaces_within(mut self, apart: Apart) -> PairRelation<'a> {
        let meet = apart.distance <= self.ask.margin;
        if !interpenetrates(&self.pairing(), &self.sides(), self.ask.rounding, meet) {
            return PairRelation::Apart(apart);
        }
        self.record_contact(apart);
        PairRelation::Meets(Box::new(if meet { self } else { self.into_interpenetrating() }.bounded_by_hulls()))
    }

    /// Without a definite inside a vertex in the other surface is no overlap yet.
    fn into_interpenetrating(mut self) -> Self {
        self.events.push(Event::Nested);
        self
    }

    /// Certified bounds of the overlap depth, without the rounding margin; below 0 where the surfaces may be apart by as much.
    /// Of pairs without a definite inside, or with overlaps that were not resolved, only the hulls bound it from above.
    pub fn depth_bounds(&self) -> [f64; 2] {
        [self.lower, greater(self.upper, self.lower)]
    }

    /// What was done so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The best common ball: centre (A's frame), radius, and the closest point of each surface to the centre. `None` where none
    /// was found.
    pub fn ball(&self) -> Option<(Vec3, f64, [Vec3; 2])> {
        self.depth.best.filter(|w| w.radius > 0.0).map(|Witness { center, radius, points }| (center, radius, points))
    }

    /// The two parts; once the bounds were narrowed, with the boundaries of their solids where these could be told.
    pub fn bodies(&self) -> [SolidRef<'_>; 2] {
        self.bodies
    }

    /// The closest points of the two surfaces, where they were asked for.
    pub fn surfaces(&self) -> Option<Apart> {
        self.surfaces
    }
}

/// The box of a placed hull in A's frame.
fn placed_box(convex: &Convex, pose: &Pose) -> Aabb {
    let mut out = Aabb::EMPTY;
    for k in 0..3 {
        let d: Vec3 = pose.rotation.row(k).transpose();
        out.max[k] = pose.translation[k] + convex.scan(&d).1;
        out.min[k] = pose.translation[k] - convex.scan(&-d).1;
    }
    out
}
