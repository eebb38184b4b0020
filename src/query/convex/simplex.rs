//! Finds the point of a simplex closest to the origin: the distance sub-algorithm of GJK.

use crate::geom::Vec3;
use crate::geom::predicates::orient3d;

/// Point of the Minkowski difference A ⊖ B and its two source vertices, for the witness points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MinkowskiPoint {
    /// `a − b` in A's frame.
    pub w: Vec3,
    /// Vertex of A.
    pub a: u32,
    /// Vertex of B.
    pub b: u32,
}

/// Simplex of up to four points, weighted to combine to its point closest to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Simplex {
    points: [MinkowskiPoint; 4],
    weights: [f64; 4],
    len: usize,
}

/// Closest point of a sub-simplex, and the weights of the four points in it (0 for points outside the sub-simplex).
#[derive(Clone, Copy)]
struct Closest {
    weights: [f64; 4],
    v: Vec3,
}

impl Closest {
    fn better(self, other: Self) -> Self {
        if other.v.norm_squared() < self.v.norm_squared() { other } else { self }
    }
}

/// Result of reducing a simplex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reduced {
    /// Closest point. The simplex keeps only the points supporting it.
    Outside(Vec3),
    /// The tetrahedron contains the origin, by exact signs. The simplex keeps all four points, weighted to combine to
    /// the origin.
    Enclosed,
}

impl Simplex {
    /// Creates a simplex of one point.
    pub fn new(p: MinkowskiPoint) -> Self {
        Self { points: [p; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    /// Returns the points of the simplex.
    pub fn points(&self) -> &[MinkowskiPoint] {
        &self.points[..self.len]
    }

    /// Returns the weights of the points (>= 0), not normalised; [`Self::combine`] normalises them.
    pub fn weights(&self) -> &[f64] {
        &self.weights[..self.len]
    }

    /// True if the simplex contains the point of the same two vertices.
    pub fn contains(&self, p: &MinkowskiPoint) -> bool {
        self.points().iter().any(|q| q.a == p.a && q.b == p.b)
    }

    /// Adds a point and reduces the simplex to the points supporting the closest point. At most four points fit.
    ///
    /// Takes the best of all sub-simplices (Johnson's idea: Gilbert, Johnson & Keerthi, "A Fast Procedure for Computing
    /// the Distance Between Complex Objects in Three-Dimensional Space", 1988, §4). A face is tested by its normal, an
    /// edge by clamping, because Johnson's cofactor recursion loses digits on thin simplices.
    pub fn push(&mut self, p: MinkowskiPoint) -> Reduced {
        let at = self.len.min(3);
        self.points[at] = p;
        self.len = at + 1;
        let w: [Vec3; 4] = std::array::from_fn(|i| self.points[i].w);
        let best = match self.len {
            1 => Closest { weights: [1.0, 0.0, 0.0, 0.0], v: w[0] },
            2 => edge(&w, 0, 1),
            3 => face(&w, 0, 1, 2),
            _ => {
                let Some(best) = tetrahedron(&w) else {
                    self.weights = barycentric(&w);
                    return Reduced::Enclosed;
                };
                best
            }
        };
        let mut kept = 0;
        for i in 0..self.len {
            if best.weights[i] > 0.0 {
                self.points[kept] = self.points[i];
                self.weights[kept] = best.weights[i];
                kept += 1;
            }
        }
        self.len = kept;
        Reduced::Outside(best.v)
    }

    /// Computes the normal of a simplex of three points, not normalised; `None` for other sizes and for collinear
    /// points.
    pub fn normal(&self) -> Option<Vec3> {
        let [a, b, c] = self.points() else { return None };
        let n = (b.w - a.w).cross(&(c.w - a.w));
        (n.norm_squared() > 0.0).then_some(n)
    }

    /// Combines a source position of each point with the weights (a convex combination).
    pub fn combine(&self, of: impl Fn(&MinkowskiPoint) -> Vec3) -> Vec3 {
        let sum: f64 = self.weights().iter().sum();
        self.points().iter().zip(self.weights()).map(|(p, l)| of(p) * (l / sum)).sum()
    }
}

/// Computes the point of a triangle closest to the origin. The result is well-conditioned for thin triangles: if the
/// foot is inside, the normal's error is largest across the thin side, and along that side the foot is at most one side
/// length away.
pub fn closest_on_triangle(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    face(&[*a, *b, *c, *a], 0, 1, 2).v
}

fn edge(w: &[Vec3; 4], i: usize, j: usize) -> Closest {
    let d = w[j] - w[i];
    let length_sq = d.norm_squared();
    let s = if length_sq > 0.0 { (-w[i].dot(&d) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    let mut weights = [0.0; 4];
    weights[i] = 1.0 - s;
    weights[j] = s;
    let v = if s <= 0.0 {
        w[i]
    } else if s >= 1.0 {
        w[j]
    } else {
        w[i] + d * s
    };
    Closest { weights, v }
}

fn face(w: &[Vec3; 4], i: usize, j: usize, k: usize) -> Closest {
    let (ab, ac, ap) = (w[j] - w[i], w[k] - w[i], -w[i]);
    let n = ab.cross(&ac);
    let nn = n.norm_squared();
    if nn > 0.0 {
        let lj = ap.cross(&ac).dot(&n) / nn;
        let lk = ab.cross(&ap).dot(&n) / nn;
        let li = 1.0 - lj - lk;
        if li > 0.0 && lj > 0.0 && lk > 0.0 {
            let mut weights = [0.0; 4];
            (weights[i], weights[j], weights[k]) = (li, lj, lk);
            // The product with the normal keeps all digits of the direction, however close the origin is.
            return Closest { weights, v: n * (w[i].dot(&n) / nn) };
        }
    }
    edge(w, i, j).better(edge(w, j, k)).better(edge(w, i, k))
}

/// Weights of the origin in a tetrahedron containing it, not normalised.
fn barycentric(w: &[Vec3; 4]) -> [f64; 4] {
    let volume = |a: &Vec3, b: &Vec3, c: &Vec3| a.cross(b).dot(c).abs();
    [volume(&w[1], &w[2], &w[3]), volume(&w[0], &w[2], &w[3]), volume(&w[0], &w[1], &w[3]), volume(&w[0], &w[1], &w[2])]
}

/// Finds the closest point of a tetrahedron; `None` if the closed tetrahedron contains the origin. The signs are exact:
/// a thin tetrahedron wrongly taken to enclose the origin would end the search far from the closest point.
fn tetrahedron(w: &[Vec3; 4]) -> Option<Closest> {
    let zero = Vec3::zeros();
    let volume = orient3d(&w[0], &w[1], &w[2], &w[3]);
    // Volume after replacing each vertex by the origin. A sign opposite to the whole volume means: the face opposite to
    // the vertex separates the vertex from the origin.
    let parts = [
        orient3d(&zero, &w[1], &w[2], &w[3]),
        orient3d(&w[0], &zero, &w[2], &w[3]),
        orient3d(&w[0], &w[1], &zero, &w[3]),
        orient3d(&w[0], &w[1], &w[2], &zero),
    ];
    let mut best: Option<Closest> = None;
    for (opposite, (i, j, k)) in [(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)].into_iter().enumerate() {
        // A flat tetrahedron encloses nothing, so all its faces are candidates.
        if volume == 0.0 || (parts[opposite] > 0.0) != (volume > 0.0) && parts[opposite] != 0.0 {
            let c = face(w, i, j, k);
            best = Some(best.map_or(c, |b| b.better(c)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(x: f64, y: f64, z: f64) -> MinkowskiPoint {
        MinkowskiPoint { w: Vec3::new(x, y, z), a: 0, b: 0 }
    }

    #[test]
    fn a_face_is_met_along_its_normal() {
        let mut s = Simplex::new(p(-1.0, -1.0, 2.0));
        s.push(p(2.0, -1.0, 2.0));
        let Reduced::Outside(v) = s.push(p(-1.0, 2.0, 2.0)) else { panic!("a triangle cannot enclose") };
        assert_eq!(v, Vec3::new(0.0, 0.0, 2.0));
        assert_eq!(s.points().len(), 3);
        assert!((s.combine(|q| q.w) - v).norm() < 1e-15);
    }

    #[test]
    fn irrelevant_points_are_dropped() {
        let mut s = Simplex::new(p(5.0, 5.0, 5.0));
        s.push(p(6.0, 5.0, 5.0));
        let Reduced::Outside(v) = s.push(p(1.0, 0.0, 0.0)) else { panic!("a triangle cannot enclose") };
        assert_eq!(v, Vec3::new(1.0, 0.0, 0.0));
        assert_eq!(s.points().len(), 1);
    }

    #[test]
    fn a_tetrahedron_around_the_origin_encloses_it() {
        let mut s = Simplex::new(p(1.0, 1.0, 1.0));
        s.push(p(-1.0, -1.0, 1.0));
        s.push(p(-1.0, 1.0, -1.0));
        assert_eq!(s.push(p(1.0, -1.0, -1.0)), Reduced::Enclosed);
    }
}
