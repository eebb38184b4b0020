//! Two covered solids.

use crate::geom::math::{greater, lesser};
use crate::geom::{Pose, Vec3};
use crate::query::convex::common_ball_lp::{self, Goal};
use crate::query::convex::gjk::{self, GjkEnd, HullPair};
use crate::query::convex::sat::obb_obb;
use crate::shape::decompose::piece_set::Cover;
use crate::shape::decompose::piece_tree::{Below, Node};

/// Two covers, B placed in A's centred frame. Everything is answered in A's frame.
#[derive(Debug, Clone, Copy)]
pub struct PiecePair<'a> {
    /// Of the first solid.
    pub a: Cover<'a>,
    /// Of the second one.
    pub b: Cover<'a>,
    /// Where it stands.
    pub b_in_a: &'a Pose,
}

/// How far two covers are apart (mm), up to the pair's rounding margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceDistance {
    /// Farther than asked for: a lower bound, above the limit.
    Beyond(f64),
    /// Apart: the smallest distance of two pieces lies between the bounds.
    Apart {
        /// Certified.
        bounds: [f64; 2],
        /// On A and on B, as far apart as the upper bound says.
        points: [Vec3; 2],
    },
    /// Two pieces meet, as far as this can tell.
    Meet {
        /// Their distance is no more than this (mm): rounding.
        at_most: f64,
        /// On A and on B, as far apart.
        points: [Vec3; 2],
    },
}

/// The thickest that a piece of each has in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThickestOverlap {
    /// Certified bounds of its thickness (mm), up to the pair's rounding margin; where no two pieces overlap, 0 and what rounding
    /// leaves open. The lower one belongs to the ball, the upper one to all pairs of pieces, unless the search ended early.
    pub bounds: [f64; 2],
    /// The thickest ball that was found, if there is one.
    pub ball: Option<CommonBall>,
}

/// A ball in a piece of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonBall {
    /// Its middle.
    pub center: Vec3,
    /// The nearest point to that of the surface of either piece.
    pub points: [Vec3; 2],
}

impl PiecePair<'_> {
    /// Smallest distance over all pairs of pieces; what is farther than `limit` (mm) by more than `margin`, the pair's rounding
    /// margin, is not looked into. Ends at the first pair that meets. Cost: GJK for each pair of pieces nearer than the
    /// nearest found before.
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
            // What is farther than points that are known changes nothing.
            if bound > upper + margin {
                continue;
            }
            if let Some(pairs) = self.below(i, j) {
                let [x, y] = pairs.map(|pair| (self.apart(pair, limit), pair));
                // The nearer first.
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
            // Pairs that were left out are farther than the upper bound, or than the limit.
            PieceDistance::Apart { bounds: [lesser(lower, upper), upper], points }
        } else {
            PieceDistance::Beyond(beyond)
        }
    }

    /// How thick the thickest is that one piece of each has in common; ends at the first that is thicker than `above` (mm). The
    /// unions of both covers have at least that in common. Cost: a linear programme for each pair of pieces whose boxes overlap
    /// by more than the thickest found before.
    pub fn thickest_overlap(&self, above: f64) -> ThickestOverlap {
        let mut best = ThickestOverlap { bounds: [0.0; 2], ball: None };
        let mut stack: Vec<(f64, (u32, u32))> = Vec::with_capacity(64);
        stack.extend(self.roots().map(|pair| (self.depth_upper(pair), pair)));
        while let Some((bound, (i, j))) = stack.pop() {
            let [known, most] = best.bounds;
            if bound <= known {
                continue;
            }
            if let Some(pairs) = self.below(i, j) {
                let [x, y] = pairs.map(|pair| (self.depth_upper(pair), pair));
                // The thicker first.
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
            best.bounds[1] = greater(most, lesser(found.upper, bound));
            if found.lower > known {
                best.bounds = [found.lower, greater(best.bounds[1], found.lower)];
                let [(f, deep_a), (g, deep_b)] = found.nearest;
                let center = origin + found.center;
                let points = [
                    center + query.a.normals[f] * deep_a,
                    center + self.b_in_a.direction(&query.b.normals[g]) * deep_b,
                ];
                best.ball = Some(CommonBall { center, points });
                if found.lower > above {
                    break;
                }
            }
        }
        best
    }

    /// Where piece `q` of B stands in the centred frame of piece `p` of A, and where that lies in A's.
    fn placed(&self, p: u32, q: u32) -> (Pose, Vec3) {
        let (from, to) = (self.a.piece(p).1, self.b.piece(q).1);
        let translation = self.b_in_a.point(&to) - from;
        (Pose { rotation: self.b_in_a.rotation, translation }, from)
    }

    /// Whether there is anything to look at: the two roots.
    fn roots(&self) -> Option<(u32, u32)> {
        self.a.root().zip(self.b.root())
    }

    /// The two pairs below a pair of nodes, of which the larger is opened; `None` of two pieces.
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

    /// A lower bound of the distance of two boxes (mm); not above 0 where none was found.
    fn apart(&self, (i, j): (u32, u32), limit: f64) -> f64 {
        obb_obb(&self.a.node(i).bounds, &self.b.node(j).bounds, self.b_in_a, limit)
    }

    /// How thick it can be at most, what two boxes have in common (mm): what they share along each of A's axes.
    fn depth_upper(&self, (i, j): (u32, u32)) -> f64 {
        let (a, b) = (self.a.node(i).bounds, self.b.node(j).bounds);
        let half = self.b_in_a.rotation.abs() * b.half_extents;
        let off = self.b_in_a.point(&b.center) - a.center;
        (0..3).fold(f64::INFINITY, |most, k| {
            let shared = a.half_extents[k] + half[k] - off[k].abs();
            lesser(most, lesser(shared, 2.0 * lesser(a.half_extents[k], half[k])))
        })
    }

    /// The pieces of a pair of leaves.
    fn pieces(&self, i: u32, j: u32) -> (u32, u32) {
        let of = |below: Below| if let Below::Piece(p) = below { p } else { 0 };
        (of(self.a.node(i).below), of(self.b.node(j).below))
    }
}
