//! Two convex solids over one cell of a sweep: their hulls stand for all triangles.
//!
//! A plane that separates the hulls keeps all triangles apart. The hulls of convex solids meet only where their
//! surfaces do, so no cell needs smaller pieces. docs/explanation/motion.md, claim 4.

use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::motion::{Frame, MovingAxis, Spread, Twist};
use crate::query::convex::gjk::{GjkEnd, HullPair, separation};
use crate::query::depth::SolidRef;
use crate::query::sweep::prove::Near;
use crate::shape::hull::{convex_hull, facets};
use crate::shape::polytope::Convex;
use crate::shape::surface::{Inside, Surface};
use std::borrow::Cow;

/// Largest number of steps of a prediction; the nearest vertex changes from one to the next.
pub(super) const MAX_STEPS: usize = 16;

/// Hulls of two convex solids, or of their insets.
pub(crate) struct MovingHulls<'a> {
    pub(super) hulls: [Cow<'a, Convex>; 2],
    /// Origin of each hull's frame in the frame of its surface (mm).
    origins: [Vec3; 2],
}

/// Result of a test over one cell.
pub(crate) enum HullsTested {
    /// The hulls stay farther apart than asked.
    Apart,
    /// They may come closer.
    Near {
        /// Closest points in the middle of the cell.
        near: Near,
        /// Lower bound of the distance over the cell (mm), up to rounding.
        bound: f64,
        /// Motion of either hull along the direction of the bound; `None` for hulls that overlap in the middle.
        motions: Option<[HullMotion; 2]>,
    },
}

/// Motion of one hull over a cell, seen from the other one, along the direction of a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HullMotion {
    /// Side that moves, 0 or 1; the other one stands still.
    pub(super) moving: usize,
    /// Unit vector from the standing hull to the moving one (A's frame).
    pub(super) n: Vec3,
    /// Largest coordinate of the standing hull along it (mm).
    pub(super) standing: f64,
    /// Largest motion of the moving hull.
    pub(super) spread: Spread,
}

impl<'a> MovingHulls<'a> {
    /// The hulls of two convex solids, whose frames are those of the hulls.
    pub(crate) fn new(hulls: [&'a Convex; 2]) -> Self {
        Self { hulls: hulls.map(Cow::Borrowed), origins: [Vec3::zeros(); 2] }
    }

    /// The hulls of the insets of two convex solids; `None` for flat ones.
    pub(crate) fn of_insets(insets: [&Surface; 2]) -> Option<Self> {
        let hulls = insets.map(|surface| {
            let hull = convex_hull(&surface.vertices);
            Convex::new(&hull, &facets(&hull))
        });
        let origins = hulls.each_ref().map(|hull| hull.origin);
        hulls.iter().all(|hull| hull.rank == 3).then(|| Self { hulls: hulls.map(Cow::Owned), origins })
    }

    /// Bounds the distance over a cell from below; ends at a bound above `enough` (mm). `margin` is the rounding margin
    /// of the pair (mm).
    pub(crate) fn test(&self, frame: &Frame, enough: f64, margin: f64) -> HullsTested {
        let [a, b] = self.hulls.each_ref().map(AsRef::as_ref);
        let spreads = self.spreads(frame);
        let displacement = lesser(spreads[0].displacement, spreads[1].displacement);
        let b_in_a = self.b_in_a(&frame.pose);
        let found = separation(&HullPair { a, b, b_in_a: &b_in_a }, enough + displacement, margin);
        if found.ending == GjkEnd::BeyondLimit {
            return HullsTested::Apart;
        }
        let points = [
            found.simplex.combine(|p| a.vertices[p.a as usize]) + self.origins[0],
            found.simplex.combine(|p| b_in_a.point(&b.vertices[p.b as usize])) + self.origins[0],
        ];
        let near = Near { distance: found.upper, points };
        if found.axis == Vec3::zeros() {
            return HullsTested::Near { near, bound: f64::NEG_INFINITY, motions: None };
        }
        let motions = self.motions(frame, spreads, &found.axis);
        let still = -self.high(1, &frame.pose, &-motions[1].n) - motions[1].standing;
        let mut bound = still - displacement;
        for motion in &motions {
            if bound > enough {
                break;
            }
            bound = greater(bound, self.low(frame, motion) - motion.spread.remainder - motion.standing);
        }
        if bound > enough { HullsTested::Apart } else { HullsTested::Near { near, bound, motions: Some(motions) } }
    }

    /// Largest motion of the points of A and of B over a cell.
    pub(super) fn spreads(&self, frame: &Frame) -> [Spread; 2] {
        let [a, b] = self.hulls.each_ref().map(AsRef::as_ref);
        let center_of_a = a.aabb.center() + self.origins[0];
        let center_of_b = frame.pose.point(&(b.aabb.center() + self.origins[1]));
        [
            frame.spread_of_a(|axis| reach(a, None, &center_of_a, axis)),
            frame.spread(|axis| reach(b, Some(&frame.pose), &center_of_b, axis)),
        ]
    }

    /// Pose of the frame of B's hull in that of A's, for the pose of both solids.
    pub(super) fn b_in_a(&self, pose: &Pose) -> Pose {
        Pose { rotation: pose.rotation, translation: pose.point(&self.origins[1]) - self.origins[0] }
    }

    /// Motions of both hulls over a cell along a unit vector from A to B (A's frame).
    pub(super) fn motions(&self, frame: &Frame, spreads: [Spread; 2], axis: &Vec3) -> [HullMotion; 2] {
        [0, 1].map(|moving| {
            // The direction points from the standing solid to the moving one.
            let n = if moving == 1 { *axis } else { -axis };
            let standing = self.high(1 - moving, &frame.pose, &n);
            let spread = spreads[moving];
            let remainder = spread.remainder * frame.remainder_share(&n);
            HullMotion { moving, n, standing, spread: Spread { remainder, ..spread } }
        })
    }

    /// Largest value of n · x over a hull, with B placed (A's frame).
    fn high(&self, side: usize, pose: &Pose, n: &Vec3) -> f64 {
        let (local, offset) = match side {
            0 => (*n, 0.0),
            _ => (pose.rotation.tr_mul(n), n.dot(&pose.translation)),
        };
        self.hulls[side].scan(&local).1 + local.dot(&self.origins[side]) + offset
    }

    /// Lower bound of n · x over the moving hull and the cell, but for the remainder.
    fn low(&self, frame: &Frame, &HullMotion { moving, n, .. }: &HullMotion) -> f64 {
        // A moves against the drift, seen from B: over a whole cell, the bound is the same.
        -frame.first_order_high(&-n, |m| self.high(moving, &frame.pose, m))
    }

    /// Predicts the crossing of a level (mm) on the way from the middle of a cell of one parameter to its start (`end`
    /// 0) or its end (1): the shares of the way between which the distance falls to the level, with `margin` more on
    /// either side. Both are 1 if the distance stays above, 0 if it is below in the middle. A prediction, and no bound.
    pub(crate) fn crossing(
        &self,
        frame: &Frame,
        by: &[HullMotion; 2],
        end: usize,
        level: f64,
        margin: f64,
    ) -> [f64; 2] {
        let [a, b] = by.each_ref().map(|motion| self.crossing_by(frame, motion, end, level, margin));
        if b[0] > a[0] { b } else { a }
    }

    /// The prediction by the motion of one hull; [0, 0] without one.
    fn crossing_by(&self, frame: &Frame, by: &HullMotion, end: usize, level: f64, margin: f64) -> [f64; 2] {
        let HullMotion { moving, n, standing, spread } = by;
        let (m, c) = frame.drifts.first().unwrap_or(&Twist::ZERO).along(n);
        // A moves against the drift, seen from B.
        let (m, c) = if end == *moving { (m, c) } else { (-m, -c) };
        let mut share = 1.0;
        for _ in 0..MAX_STEPS {
            // The nearest vertex at this share; its coordinate is linear in the share.
            let x = self.lowest(*moving, &frame.pose, &(n + m * share));
            let (above, fall) = (n.dot(&x) - standing - level, -(m.dot(&x) + c));
            if above <= 0.0 {
                break;
            }
            let next = if fall * share > above { above / fall } else { share };
            if next >= share {
                // No vertex reaches the level before. The remainder grows with the square of the share.
                let root = |bend: f64| 2.0 * above / (fall + (fall * fall + 4.0 * bend * above).sqrt());
                let [first, second] = [2.0, -2.0].map(|twice| root(twice * spread.remainder));
                let first = if first < 1.0 { greater(first - margin, 0.0) } else { 1.0 };
                return [first, if second > 0.0 { lesser(1.0, second + margin) } else { 1.0 }];
            }
            share = next;
        }
        [0.0; 2]
    }

    /// Point of a hull with the least n · x, with B placed (A's frame).
    pub(super) fn lowest(&self, side: usize, pose: &Pose, n: &Vec3) -> Vec3 {
        let local = if side == 0 { -n } else { -pose.rotation.tr_mul(n) };
        let hull = &self.hulls[side];
        let x = hull.vertices[hull.scan(&local).0] + self.origins[side];
        if side == 0 { x } else { pose.point(&x) }
    }
}

/// Upper bound of the distance of a hull's points from an axis (mm): the hull lies in its box about `center`, turned by
/// `pose`.
fn reach(hull: &Convex, pose: Option<&Pose>, center: &Vec3, axis: &MovingAxis) -> f64 {
    let half = (hull.aabb.max - hull.aabb.min) * 0.5;
    let along = pose.map_or(axis.axis, |pose| pose.rotation.tr_mul(&axis.axis));
    let across: f64 = (0..3).map(|k| along.cross(&(Vec3::ith(k, half[k]))).norm()).sum();
    axis.distance(center) + lesser(across, half.norm())
}

/// True if two solids are convex, up to `margin` (mm).
pub(crate) fn are_convex(solids: [SolidRef; 2], margin: f64) -> bool {
    solids.iter().all(|solid| is_convex(solid, margin))
}

/// True if a solid is the hull of its vertices: every triangle lies in a facet of the hull, up to `margin` (mm), and
/// the triangles cover the hull once. The exact signs behind `is_hull` refuse most solids whose rounded vertices are
/// turned.
fn is_convex(solid: &SolidRef, margin: f64) -> bool {
    let (hull, surface) = (solid.convex, solid.surface);
    let is_solid = hull.rank == 3 && surface.inside == Inside::Solid;
    hull.rank == 3 && solid.is_hull || is_solid && surface.deviation_from(hull).is_some_and(|by| by <= margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::motion::Cell;
    use crate::query::depth::tests::part_with;
    use crate::query::sweep::body_tests::random_chain;
    use crate::query::sweep::still::Still;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::{ball, block, hull_of, joined, prism, refined, reversed, ring};

    /// Distance of two solids at one pose (mm), 0 for an overlap.
    fn distance([a, b]: [SolidRef; 2], pose: &Pose) -> f64 {
        greater(Still { a, b, margin: 1e-10, rounding: 1e-10 }.gap(pose, 0.0, None).gap.upper, 0.0)
    }

    #[test]
    fn no_pose_of_a_cell_beats_the_bounds_of_hulls() {
        let full = std::env::var_os("INTERFERE_FULL").is_some();
        let mut rng = Rng::new(63);
        let (mut sharpest, mut apart, mut near) = (0.0_f64, 0, 0);
        for _ in 0..if full { 400_000 } else { 600 } {
            let mut cloud = |n: usize| {
                let size = rng.scale(2.0, 30.0);
                let at = rng.in_cube() * 5.0;
                hull_of(&(0..n).map(|_| at + rng.in_ball() * size).collect::<Vec<Vec3>>())
            };
            let (Some(a), Some(b)) = (cloud(12), cloud(40)) else { continue };
            let (a, b) = (part_with(&a, Inside::Solid), part_with(&b, Inside::Solid));
            // Hulls of the surfaces' vertices, in frames of their own, as those of insets.
            let hulls = if rng.below(2) == 0 {
                assert!(are_convex([a.body(), b.body()], 1e-9));
                MovingHulls::new([&a.convex, &b.convex])
            } else {
                MovingHulls::of_insets([&a.surface, &b.surface]).expect("solids")
            };
            let chain = random_chain(&mut rng);
            let parameters = chain.parameters();
            let center: Vec<f64> = (0..parameters).map(|_| rng.signed()).collect();
            let half: Vec<f64> = (0..parameters).map(|_| rng.scale(1e-3, 1.0) / parameters as f64).collect();
            let frame = Frame::new(&chain, &Cell { center: center.clone(), half: half.clone() });
            let at_center = distance([a.body(), b.body()], &frame.pose);
            let HullsTested::Near { near: found, bound, .. } = hulls.test(&frame, f64::INFINITY, 1e-10) else {
                unreachable!("nothing is farther apart than infinity")
            };
            assert!((found.distance - at_center).abs() < 1e-9, "{} {at_center}", found.distance);
            let between = (found.points[1] - found.points[0]).norm();
            assert!((between - found.distance).abs() < 1e-9, "{between} {}", found.distance);
            let asked = rng.range(0.0, 5.0);
            let is_apart = matches!(hulls.test(&frame, asked, 1e-10), HullsTested::Apart);
            apart += usize::from(is_apart);
            near += usize::from(bound <= 0.0);
            for _ in 0..6 {
                let mut step = || if rng.below(2) == 0 { rng.signed() } else { 1.0 };
                let q: Vec<f64> = center.iter().zip(&half).map(|(c, h)| c + h * step()).collect();
                let d = distance([a.body(), b.body()], &chain.pose(&q));
                assert!(d >= bound - 1e-9, "{d} {bound}");
                assert!(!is_apart || d > asked - 1e-9, "{d} {asked}");
                sharpest = sharpest.max(bound / d);
            }
        }
        assert!(sharpest > 0.98 && apart > 50 && near > 50, "{sharpest} {apart} {near}");
    }

    #[test]
    fn a_solid_with_a_dent_or_a_second_shell_is_not_convex() {
        let mut rng = Rng::new(5);
        let cube = block([0.0; 3], [10.0; 3]);
        let mut dented = refined(&cube, &mut rng, 60);
        // A vertex within a face, pushed in by a little.
        let k = dented.vertices.iter().position(|v| v.z == 0.0 && v.x.min(v.y) > 1.0 && v.x.max(v.y) < 9.0);
        dented.vertices[k.expect("a vertex within the face")].z = 1e-6;
        let hollow = joined(&[cube.clone(), reversed(&block([4.0; 3], [6.0; 3]))]);
        let groove = ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 3.0], [5.0, 3.0]], 24);
        let convex = |mesh: &TriMesh| {
            let part = part_with(mesh, Inside::Solid);
            is_convex(&part.body(), 1e-9)
        };
        let finer = refined(&cube, &mut rng, 60);
        let ball = hull_of(&ball(3.0, 3).vertices).expect("a solid");
        for (k, mesh) in [cube, finer, ball, prism(512, 20.0, [0.0, 1.0])].iter().enumerate() {
            assert!(convex(mesh), "{k}");
        }
        for (k, mesh) in [dented, hollow, groove].iter().enumerate() {
            assert!(!convex(mesh), "{k}");
        }
    }

    #[test]
    fn flat_insets_have_no_hulls() {
        let cube = part_with(&block([0.0; 3], [10.0; 3]), Inside::Solid);
        let sheet = Surface::of(vec![Vec3::zeros(), Vec3::x(), Vec3::y()], &[[0, 1, 2]], Inside::Undefined);
        let empty = Surface::of(Vec::new(), &[], Inside::Undefined);
        for flat in [&sheet, &empty] {
            assert!(MovingHulls::of_insets([&cube.surface, flat]).is_none());
            assert!(MovingHulls::of_insets([flat, &cube.surface]).is_none());
        }
    }
}
