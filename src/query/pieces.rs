//! Computes the gap of two solids from their covers by convex pieces.
//!
//! Both queries descend the trees of pieces at once and stop at pairs of pieces: GJK measures the distance of two
//! pieces, a linear programme the depth of their overlap.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::convex::common_ball_lp::{self, Goal};
use crate::query::convex::gjk::{self, GjkEnd, HullPair};
use crate::query::convex::sat::obb_obb;
use crate::shape::decompose::piece_set::Cover;
use crate::shape::decompose::piece_tree::{Below, Node};

/// Two covers, B placed in A's centred frame. All answers are in A's frame.
#[derive(Debug, Clone, Copy)]
pub struct PiecePair<'a> {
    /// Cover of the first solid.
    pub a: Cover<'a>,
    /// Cover of the second solid.
    pub b: Cover<'a>,
    /// Pose of B in A's centred frame.
    pub b_in_a: &'a Pose,
}

/// Distance of two covers (mm), up to the pair's rounding margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceDistance {
    /// Lower bound of a distance above the limit.
    Beyond(f64),
    /// Distance of covers within the limit: the smallest distance of two pieces.
    Apart {
        /// Certified bounds of the distance (mm).
        bounds: Bounds,
        /// Point of A and point of B, at the distance of the upper bound.
        points: [Vec3; 2],
    },
    /// Two pieces touch or overlap, up to rounding.
    Meet {
        /// Upper bound of their distance (mm): rounding.
        at_most: f64,
        /// Point of A and point of B, at that distance.
        points: [Vec3; 2],
    },
}

/// Largest depth of overlap of a piece of A and a piece of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThickestOverlap {
    /// Minus the certified bounds of the depth (mm, <= 0), up to the pair's rounding margin; without overlap, a bound
    /// of the rounding and 0. The upper bound belongs to `ball`. The lower bound covers all pairs of pieces, unless the
    /// search ended early.
    pub bounds: Bounds,
    /// Largest ball found, if any.
    pub ball: Option<CommonBall>,
}

/// Ball contained in a piece of A and in a piece of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonBall {
    /// Centre of the ball (A's frame, mm).
    pub center: Vec3,
    /// Nearest point to the centre on the surface of either piece (A's frame, mm).
    pub points: [Vec3; 2],
}

impl PiecePair<'_> {
    /// Computes the smallest distance over all pairs of pieces, ignoring pairs farther apart than `limit` (mm) by more
    /// than `margin`, the pair's rounding margin (mm). Stops at the first pair touching or overlapping. Cost: GJK for
    /// each pair of pieces nearer than the nearest pair found before.
    pub fn distance(&self, limit: f64, margin: f64) -> PieceDistance {
        let mut beyond = f64::INFINITY;
        let mut lower = f64::INFINITY;
        let mut upper = f64::INFINITY;
        let mut points = [Vec3::zeros(); 2];
        let mut stack: Vec<(f64, (u32, u32))> = Vec::with_capacity(64);
        stack.extend(self.roots().map(|pair| (self.apart(pair, limit), pair)));
        while let Some((bound, (i, j))) = stack.pop() {
            if bound > limit + margin {
                beyond = lesser(beyond, bound);
                continue;
            }
            // Boxes farther apart than the points found cannot improve the distance.
            if bound > upper + margin {
                continue;
            }
            if let Some(pairs) = self.below(i, j) {
                let [x, y] = pairs.map(|pair| (self.apart(pair, limit), pair));
                // The nearer pair is popped first.
                stack.extend(if x.0 <= y.0 { [y, x] } else { [x, y] });
                continue;
            }
            let (p, q) = self.pieces(i, j);
            let (pose, origin) = self.placed(p, q);
            let query = HullPair { a: self.a.piece(p).0, b: self.b.piece(q).0, b_in_a: &pose };
            let found = gjk::separation(&query, lesser(limit, upper), margin);
            if found.ending == GjkEnd::BeyondLimit {
                beyond = lesser(beyond, found.lower);
                continue;
            }
            let ends = [
                origin + found.simplex.combine(|v| query.a.vertices[v.a as usize]),
                origin + found.simplex.combine(|v| pose.point(&query.b.vertices[v.b as usize])),
            ];
            if found.ending == GjkEnd::Touching || found.lower <= margin {
                return PieceDistance::Meet { at_most: found.upper, points: ends };
            }
            lower = lesser(lower, found.lower);
            if found.upper < upper {
                upper = found.upper;
                points = ends;
            }
        }
        if upper.is_finite() {
            // Every skipped pair is farther apart than the upper bound or the limit.
            PieceDistance::Apart { bounds: Bounds { lower: lesser(lower, upper), upper }, points }
        } else {
            PieceDistance::Beyond(beyond)
        }
    }

    /// Finds the largest depth of overlap over all pairs of pieces; stops at the first depth above `above` (mm). The
    /// depth of the two unions is at least as large. Cost: a linear programme for each pair of pieces with boxes
    /// overlapping by more than the greatest depth found before.
    pub fn thickest_overlap(&self, above: f64) -> ThickestOverlap {
        let (mut known, mut most) = (0.0, 0.0);
        let mut ball = None;
        let mut stack: Vec<(f64, (u32, u32))> = Vec::with_capacity(64);
        stack.extend(self.roots().map(|pair| (self.depth_upper(pair), pair)));
        while let Some((bound, (i, j))) = stack.pop() {
            if bound <= known {
                continue;
            }
            if let Some(pairs) = self.below(i, j) {
                let [x, y] = pairs.map(|pair| (self.depth_upper(pair), pair));
                // The pair with the deeper bound is popped first.
                stack.extend(if x.0 >= y.0 { [y, x] } else { [x, y] });
                continue;
            }
            let (p, q) = self.pieces(i, j);
            let (pose, origin) = self.placed(p, q);
            let query = HullPair { a: self.a.piece(p).0, b: self.b.piece(q).0, b_in_a: &pose };
            if query.a.rank < 3 || query.b.rank < 3 {
                continue;
            }
            let found = common_ball_lp::overlap(&query, None, Goal { above, at_most: known });
            most = greater(most, lesser(found.upper, bound));
            if found.lower > known {
                (known, most) = (found.lower, greater(most, found.lower));
                let [(f, deep_a), (g, deep_b)] = found.nearest;
                let center = origin + found.center;
                let points =
                    [center + query.a.normal(f) * deep_a, center + self.b_in_a.direction(&query.b.normal(g)) * deep_b];
                ball = Some(CommonBall { center, points });
                if found.lower > above {
                    break;
                }
            }
        }
        ThickestOverlap { bounds: Bounds::from_depth(known, most), ball }
    }

    /// Computes the pose of piece `q` of B in the centred frame of piece `p` of A, and the origin of that frame in A's
    /// frame (mm).
    fn placed(&self, p: u32, q: u32) -> (Pose, Vec3) {
        let (from, to) = (self.a.piece(p).1, self.b.piece(q).1);
        let translation = self.b_in_a.point(&to) - from;
        (Pose { rotation: self.b_in_a.rotation, translation }, from)
    }

    /// Returns the two roots; `None` if a cover is empty.
    fn roots(&self) -> Option<(u32, u32)> {
        self.a.root().zip(self.b.root())
    }

    /// Opens the larger of two nodes and returns the two pairs of its children; `None` for two leaves.
    fn below(&self, i: u32, j: u32) -> Option<[(u32, u32); 2]> {
        let (m, n) = (self.a.node(i), self.b.node(j));
        let size = |n: &Node| n.bounds.half_extents.norm_squared();
        match (m.below, n.below) {
            (Below::Piece(_), Below::Piece(_)) => None,
            (Below::Children(c), Below::Piece(_)) => Some(c.map(|c| (c, j))),
            (Below::Children(c), Below::Children(_)) if size(&m) >= size(&n) => Some(c.map(|c| (c, j))),
            (_, Below::Children(c)) => Some(c.map(|c| (i, c))),
        }
    }

    /// Computes a lower bound of the distance of two boxes (mm); <= 0 if no axis separates them.
    fn apart(&self, (i, j): (u32, u32), limit: f64) -> f64 {
        obb_obb(&self.a.node(i).bounds, &self.b.node(j).bounds, self.b_in_a, limit)
    }

    /// Computes an upper bound of the depth of overlap of two boxes (mm): the least overlap along A's axes.
    fn depth_upper(&self, (i, j): (u32, u32)) -> f64 {
        let (a, b) = (self.a.node(i).bounds, self.b.node(j).bounds);
        let half = self.b_in_a.rotation.abs() * b.half_extents;
        let off = self.b_in_a.point(&b.center) - a.center;
        (0..3).fold(f64::INFINITY, |most, k| {
            let shared = a.half_extents[k] + half[k] - off[k].abs();
            lesser(most, lesser(shared, 2.0 * lesser(a.half_extents[k], half[k])))
        })
    }

    /// Returns the pieces of a pair of leaves.
    fn pieces(&self, i: u32, j: u32) -> (u32, u32) {
        let of = |below: Below| if let Below::Piece(p) = below { p } else { 0 };
        (of(self.a.node(i).below), of(self.b.node(j).below))
    }
}
