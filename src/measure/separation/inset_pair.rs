//! Tests two slightly inset solids for collision under a translation of B.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::{Triangle, intersects};
use crate::geom::{Pose, Vec3};
use crate::measure::separation::contact_planes::faces;
use crate::measure::separation::min_norm::Plane;
use crate::measure::separation::ray_exit::exit;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{LastShare, displaced_intersections, middle_of_crossing, some_displaced_intersections};
use crate::shape::surface::Surface;
use crate::shape::surface::winding_number::winding_of_pieces;

/// Sine of the angle below which an edge counts as flat.
const DEGENERATE_SINE: f64 = 1e-3;

/// Tolerance of the normal cone of an edge, as a share of its angle: a direction may equal one of the two normals.
const EDGE_ROUNDING: f64 = 1e-6;

/// Sine of the angle below which a direction counts as parallel to a face: the face neither enters nor leaves along it.
const GRAZING: f64 = 1e-9;

/// Two surfaces, B placed, every vertex moved inward by at most half of the rounding margin. Touching solids are then
/// disjoint. Disjoint inset surfaces share nothing thicker than the margin (the inset certificate, see
/// docs/explanation/numerics.md).
pub(crate) struct InsetPair<'a> {
    a: &'a Surface,
    b: &'a Surface,
    b_in_a: &'a Pose,
    /// Inward direction of each vertex of both surfaces, by [`Surface::inward`].
    inward: [&'a [[f32; 3]]; 2],
    /// Displacement of the vertices (mm).
    tau: f64,
    /// Share with which a crossing test of a large pair begins.
    last: LastShare,
}

/// Pair of triangles intersecting after a translation of B.
pub(crate) struct Crossing {
    pub triangles: [u32; 2],
    /// Corners of both triangles; B's before the translation (A's frame, mm).
    pub corners: [Triangle; 2],
}

/// Pair of triangles intersecting after a translation of B, with the faces beyond which they are apart.
pub(crate) struct ContactPair {
    /// Corners of both triangles; B's before the translation (A's frame, mm).
    corners: [Triangle; 2],
    /// Faces of their Minkowski difference, by [`faces`].
    pub faces: Vec<Plane>,
}

impl ContactPair {
    /// True if the triangles intersect after another translation of B.
    pub(crate) fn intersects(&self, by: &Vec3) -> bool {
        let [a, b] = &self.corners;
        // A face that is left behind separates the triangles. Most pairs of a search end here.
        self.faces.iter().all(|face| face.normal.dot(by) <= face.least) && intersects(a, &b.map(|x| x + by))
    }
}

/// Edge of a convex bend of the surface.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    pub way: Vec3,
    normals: [Vec3; 2],
}

impl Edge {
    /// Returns true if neither triangle at the edge extends farther along `d`, a direction at a right angle to the
    /// edge.
    pub(crate) fn is_outermost(&self, d: &Vec3) -> bool {
        let [n, m] = &self.normals;
        let turn = n.cross(m);
        let least = -EDGE_ROUNDING * turn.norm_squared();
        d.dot(&(n + m)) > 0.0 && n.cross(d).dot(&turn) >= least && d.cross(m).dot(&turn) >= least
    }
}

/// Finds the convex edges of a triangle; an edge between nearly coplanar triangles is none.
fn edges(s: &Surface, t: u32) -> [Option<Edge>; 3] {
    let ids = s.triangles[t as usize];
    let normal = s.normal_if_cheap(t);
    std::array::from_fn(|k| {
        let other = s.neighbor_of(t, k);
        if other == u32::MAX {
            return None;
        }
        let (p, q) = (s.vertices[ids[k] as usize], s.vertices[ids[(k + 1) % 3] as usize]);
        let (way, beyond) = (q - p, s.normal_if_cheap(other));
        // Seen along a convex edge, the next triangle turns left, away from the outside.
        let convex = normal.cross(&beyond).dot(&way) > DEGENERATE_SINE * way.norm();
        convex.then_some(Edge { way, normals: [normal, beyond] })
    })
}

/// Contact of the surfaces: a point and both normals (A's frame).
#[derive(Clone, Copy)]
pub(crate) struct SharedPoint {
    at: Vec3,
    normals: [Vec3; 2],
}

/// Shell inside the other solid, by a point of it (A's frame, B moved).
pub(crate) enum Nested {
    /// A's shell with this vertex lies in B.
    A(Vec3),
    B(Vec3),
}

impl<'a> InsetPair<'a> {
    /// Prepares two closed surfaces. A translation may leave at most a thickness of `margin` (mm) in common.
    pub(crate) fn new(a: &'a Surface, b: &'a Surface, b_in_a: &'a Pose, margin: f64) -> Self {
        let (of_a, of_b) = rayon::join(|| a.inward(), || b.inward());
        Self { a, b, b_in_a, inward: [of_a, of_b], tau: 0.5 * margin, last: LastShare::default() }
    }

    fn moved_by(&self, by: &Vec3) -> Pose {
        Pose { rotation: self.b_in_a.rotation, translation: self.b_in_a.translation + by }
    }

    fn inward(&self, side: usize, v: u32) -> Vec3 {
        Vec3::from(self.inward[side][v as usize].map(f64::from))
    }

    fn vertex_a(&self, v: u32) -> Vec3 {
        self.a.vertices[v as usize] + self.inward(0, v) * self.tau
    }

    fn vertex_b(&self, v: u32) -> Vec3 {
        self.b_in_a.point(&(self.b.vertices[v as usize] + self.inward(1, v) * self.tau))
    }

    fn triangle_a(&self, t: u32) -> Triangle {
        self.a.triangles[t as usize].map(|v| self.vertex_a(v))
    }

    fn triangle_b(&self, t: u32) -> Triangle {
        self.b.triangles[t as usize].map(|v| self.vertex_b(v))
    }

    /// Visits at most `most` pairs of triangles intersecting after a translation of B, until `visit` returns false.
    pub(crate) fn crossings(&self, by: &Vec3, most: usize, mut visit: impl FnMut(Crossing) -> bool) {
        let pose = self.moved_by(by);
        let pairing = Pairing { a: self.a, b: self.b, b_in_a: &pose };
        let (a, b) = (|i| self.triangle_a(i), |j| self.triangle_b(j).map(|x| x + by));
        let crossing = |i, j| Crossing { triangles: [i, j], corners: [self.triangle_a(i), self.triangle_b(j)] };
        if pairing.is_large() {
            let pairs = some_displaced_intersections(&pairing, 2.0 * self.tau, a, b, most, &self.last);
            pairs.into_iter().all(|(i, j)| visit(crossing(i, j)));
            return;
        }
        let mut visited = 0;
        displaced_intersections(&pairing, 2.0 * self.tau, a, b, |i, j| {
            visited += 1;
            visit(crossing(i, j)) && visited < most
        });
    }

    /// Collects up to `most` intersecting pairs of triangles: some of the `known` ones, or any if none is known.
    pub(crate) fn first_crossings(&self, known: &[[u32; 2]], most: usize) -> Vec<Crossing> {
        let spread = known.iter().step_by(known.len().div_ceil(most).max(1));
        let crossing =
            |&[i, j]: &[u32; 2]| Crossing { triangles: [i, j], corners: [self.triangle_a(i), self.triangle_b(j)] };
        let mut pairs: Vec<Crossing> =
            spread.map(crossing).filter(|c| intersects(&c.corners[0], &c.corners[1])).collect();
        if pairs.is_empty() {
            self.crossings(&Vec3::zeros(), most, |crossing| {
                pairs.push(crossing);
                true
            });
        }
        pairs
    }

    /// Collects up to `most` pairs of triangles intersecting after a translation of B.
    pub(crate) fn met(&self, by: &Vec3, most: usize) -> Vec<ContactPair> {
        let mut out = Vec::new();
        self.crossings(by, most, |crossing| {
            out.push(self.with_faces(&crossing));
            true
        });
        out
    }

    /// True if the insets are certainly disjoint with B moved: no triangles meet, and no shell lies inside.
    pub(crate) fn is_free(&self, by: &Vec3) -> bool {
        let mut meets = false;
        self.crossings(by, 1, |_| {
            meets = true;
            true
        });
        !meets && self.nested(by).is_none()
    }

    /// Adds the faces to a pair of triangles.
    pub(crate) fn with_faces(&self, crossing: &Crossing) -> ContactPair {
        let [i, j] = crossing.triangles;
        let turn = |e: Edge| Edge {
            way: self.b_in_a.direction(&e.way),
            normals: e.normals.map(|n| self.b_in_a.direction(&n)),
        };
        let edges = [edges(self.a, i), edges(self.b, j).map(|e| e.map(turn))];
        ContactPair { corners: crossing.corners, faces: faces(&crossing.corners, &edges) }
    }

    /// Finds a shell certainly or possibly inside the other solid, given disjoint inset surfaces.
    pub(crate) fn nested(&self, by: &Vec3) -> Option<Nested> {
        let pose = self.moved_by(by);
        let slack = 2.0 * self.tau;
        let outside = |w: Option<i32>| w.is_some_and(|w| w < 1);
        let of_a = self.a.shells.iter().map(|&v| self.vertex_a(v)).find(|x| {
            let pieces = |j| [self.triangle_b(j).map(|y| y + by)];
            !outside(winding_of_pieces(self.b, Some(&pose), x, slack, pieces))
        });
        if let Some(x) = of_a {
            return Some(Nested::A(x));
        }
        let mut of_b = self.b.shells.iter().map(|&v| self.vertex_b(v) + by);
        of_b.find(|x| !outside(winding_of_pieces(self.a, None, x, slack, |i| [self.triangle_a(i)]))).map(Nested::B)
    }

    /// Computes the additional translation of B along `d` for a nested shell to come out: a lower bound, searched up to
    /// `limit` (mm).
    pub(crate) fn exit_distance(&self, by: &Vec3, nested: &Nested, d: &Vec3, limit: f64) -> f64 {
        match nested {
            Nested::A(x) => self.out_of_b(by, x, d, limit),
            Nested::B(x) => exit(self.a, x, d, limit),
        }
    }

    fn out_of_b(&self, by: &Vec3, x: &Vec3, d: &Vec3, limit: f64) -> f64 {
        let x = self.b_in_a.rotation.tr_mul(&(x - by - self.b_in_a.translation));
        exit(self.b, &x, &-self.b_in_a.rotation.tr_mul(d), limit)
    }

    /// Computes the contact of two intersecting triangles.
    pub(crate) fn common(&self, by: &Vec3, crossing: &Crossing) -> SharedPoint {
        let ([a, b], [i, j]) = (&crossing.corners, crossing.triangles);
        let at = middle_of_crossing(a, &b.map(|x| x + by));
        SharedPoint { at, normals: [self.a.normal_if_cheap(i), self.b_in_a.direction(&self.b.normal_if_cheap(j))] }
    }

    /// Computes a lower bound of the additional translation of B along `d` for the contact to end: a point entering the
    /// other solid must leave it. Searches up to `limit` (mm).
    pub(crate) fn is_blocked(&self, by: &Vec3, common: &SharedPoint, d: &Vec3, limit: f64) -> f64 {
        let [a, b] = common.normals.map(|n| n.dot(d));
        let mut way = 0.0;
        // Exits are searched up to the limit, so an infinite distance counts as the limit.
        if a < -GRAZING {
            way = lesser(exit(self.a, &common.at, d, limit), limit);
        }
        if b > GRAZING && way < limit {
            way = greater(way, lesser(self.out_of_b(by, &common.at, d, limit), limit));
        }
        way
    }
}
