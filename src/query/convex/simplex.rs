//! The distance sub-algorithm of GJK: the point of a simplex that is closest to the origin.

use crate::geom::Vec3;
use crate::geom::predicates::orient3d;

/// A point of the Minkowski difference A ⊖ B and the vertices it comes from, so that witness points cost nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MinkowskiPoint {
    /// `a − b` in A's frame.
    pub w: Vec3,
    /// Vertex of A.
    pub a: u32,
    /// Vertex of B.
    pub b: u32,
}

/// Up to four points with the weights of their point closest to the origin.
#[derive(Debug, Clone, Copy)]
pub struct Simplex {
    points: [MinkowskiPoint; 4],
    weights: [f64; 4],
    len: usize,
}

/// Closest point of a sub-simplex: which of the four points, their weights, and the point itself.
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

/// What reducing a simplex ended in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reduced {
    /// The closest point; the simplex now holds just the points it hangs on.
    Outside(Vec3),
    /// The origin lies inside the tetrahedron as far as rounding can tell; all four points are kept, weighted so that
    /// they combine to it.
    Enclosed,
}

impl Simplex {
    /// A simplex of one point.
    pub fn new(p: MinkowskiPoint) -> Self {
        Self { points: [p; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    /// Its points.
    pub fn points(&self) -> &[MinkowskiPoint] {
        &self.points[..self.len]
    }

    /// Their weights, ≥ 0; [`Self::combine`] normalises them.
    pub fn weights(&self) -> &[f64] {
        &self.weights[..self.len]
    }

    /// Whether a pair of vertices is among its points.
    pub fn contains(&self, p: &MinkowskiPoint) -> bool {
        self.points().iter().any(|q| q.a == p.a && q.b == p.b)
    }

    /// Adds a point and reduces to what the closest point hangs on. Has room for four points.
    ///
    /// The best of all sub-simplices (Johnson's idea: Gilbert, Johnson & Keerthi, "A Fast Procedure for Computing the
    /// Distance Between Complex Objects in Three-Dimensional Space", 1988, §4, without its cofactor recursion, which
    /// loses digits on thin simplices): a face counts by its normal, an edge by clamping.
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

    /// The normal of a simplex of three points, not normalised; `None` for any other or a degenerate one.
    pub fn normal(&self) -> Option<Vec3> {
        let [a, b, c] = self.points() else { return None };
        let n = (b.w - a.w).cross(&(c.w - a.w));
        (n.norm_squared() > 0.0).then_some(n)
    }

    /// The convex combination of the points' sources.
    pub fn combine(&self, of: impl Fn(&MinkowskiPoint) -> Vec3) -> Vec3 {
        let sum: f64 = self.weights().iter().sum();
        self.points().iter().zip(self.weights()).map(|(p, l)| of(p) * (l / sum)).sum()
    }
}

/// The point of a triangle closest to the origin. Well-conditioned for thin triangles: where the foot lies inside, the
/// normal's error is largest across the thin side, along which the foot is at most that side away.
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
            // Along the normal, so that its direction keeps all its digits however close the origin is.
            return Closest { weights, v: n * (w[i].dot(&n) / nn) };
        }
    }
    edge(w, i, j).better(edge(w, j, k)).better(edge(w, i, k))
}

/// Weights of the origin in a tetrahedron that holds it.
fn barycentric(w: &[Vec3; 4]) -> [f64; 4] {
    let volume = |a: &Vec3, b: &Vec3, c: &Vec3| a.cross(b).dot(c).abs();
    [volume(&w[1], &w[2], &w[3]), volume(&w[0], &w[2], &w[3]), volume(&w[0], &w[1], &w[3]), volume(&w[0], &w[1], &w[2])]
}

/// `None` where the origin lies in the closed tetrahedron. Exact signs: a thin tetrahedron that is wrongly said to enclose
/// the origin would end the search far from the closest point.
fn tetrahedron(w: &[Vec3; 4]) -> Option<Closest> {
    let zero = Vec3::zeros();
    let volume = orient3d(&w[0], &w[1], &w[2], &w[3]);
    // The volume with each vertex in turn replaced by the origin: negative against the whole where the face opposite of it
    // parts the two.
    let parts = [
        orient3d(&zero, &w[1], &w[2], &w[3]),
        orient3d(&w[0], &zero, &w[2], &w[3]),
        orient3d(&w[0], &w[1], &zero, &w[3]),
        orient3d(&w[0], &w[1], &w[2], &zero),
    ];
    let mut best: Option<Closest> = None;
    for (opposite, (i, j, k)) in [(1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2)].into_iter().enumerate() {
        // A flat tetrahedron encloses nothing: its faces all count.
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
    fn points_that_do_not_matter_are_dropped() {
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
