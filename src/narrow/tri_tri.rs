//! Two triangles in space: whether they meet, exactly, and how far they are apart; and a point and a triangle.

use crate::geom::Vec3;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::predicates::{accurate_normal, collinear, orient2d, orient3d};

/// Corners of a triangle.
pub type Triangle = [Vec3; 3];

/// A cross product shorter than this fraction of its squared longest edge is computed again with
/// [`accurate_normal`]: plainly computed its direction is wrong by more than 2·u over this.
const THIN: f64 = 1e-3;

/// The part of a triangle on which a point lies. Edge `k` runs from corner `k` to corner `k + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Inside of all edges.
    Face,
    /// Between the ends of this edge.
    Edge(u8),
    /// At this corner.
    Vertex(u8),
}

/// The point of a triangle closest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foot {
    /// On the triangle, to rounding (mm).
    pub point: Vec3,
    /// Squared distance (mm²).
    pub squared: f64,
    /// Where on the triangle.
    pub feature: Feature,
}

/// The closest points of two triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Squared distance (mm²).
    pub squared: f64,
    /// On the first and on the second triangle (mm).
    pub points: [Vec3; 2],
}

/// Whether two closed triangles have a point in common; exact. Triangles without area are the segments or points that they
/// are.
///
/// Source: P. Guigue & O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates", 2003.
pub fn meet(a: &Triangle, b: &Triangle) -> bool {
    let to_b = sides(b, a);
    if apart(to_b) {
        return false;
    }
    let to_a = sides(a, b);
    if apart(to_a) {
        return false;
    }
    if to_a == [0.0; 3] || to_b == [0.0; 3] {
        return meet_flat(a, b);
    }
    let [p, q, r] = a;
    // Turned so that the first corner of A is alone on its side of B's plane, and B so that this side is the positive one.
    let (turned, swap) = match lone(to_b) {
        (0, up) => ([p, q, r], !up),
        (1, up) => ([q, r, p], !up),
        (_, up) => ([r, p, q], !up),
    };
    if swap {
        intervals_meet(turned, [&b[0], &b[2], &b[1]], [to_a[0], to_a[2], to_a[1]])
    } else {
        intervals_meet(turned, [&b[0], &b[1], &b[2]], to_a)
    }
}

/// On which side of the plane of `of` each of the points lies.
fn sides(of: &Triangle, points: &Triangle) -> [f64; 3] {
    [0, 1, 2].map(|k| orient3d(&of[0], &of[1], &of[2], &points[k]))
}

fn apart(s: [f64; 3]) -> bool {
    (s[0] > 0.0 && s[1] > 0.0 && s[2] > 0.0) || (s[0] < 0.0 && s[1] < 0.0 && s[2] < 0.0)
}

/// The corner that is alone on its side, and whether this is the positive side; `s` is neither all positive, all negative
/// nor all zero. A corner in the plane goes with whatever leaves one corner alone.
fn lone(s: [f64; 3]) -> (usize, bool) {
    for k in 0..3 {
        let (x, y, z) = (s[k], s[(k + 1) % 3], s[(k + 2) % 3]);
        if x > 0.0 && y <= 0.0 && z <= 0.0 {
            return (k, true);
        }
        if x < 0.0 && y >= 0.0 && z >= 0.0 {
            return (k, false);
        }
    }
    // Two on one side, one in the plane.
    let k = s.iter().position(|&x| x == 0.0).unwrap_or(0);
    (k, s[(k + 1) % 3] < 0.0)
}

/// The last step: where the planes cut, the triangles cover two intervals; whether these meet. `a[0]` is alone on the positive
/// side of the plane of `b`; `s` are the sides of `b`'s corners to A's plane.
fn intervals_meet(a: [&Vec3; 3], b: [&Vec3; 3], s: [f64; 3]) -> bool {
    let [p, q, r] = a;
    let (k, up) = lone(s);
    let [d, e, f] = [b[k], b[(k + 1) % 3], b[(k + 2) % 3]];
    let (q, r) = if up { (q, r) } else { (r, q) };
    orient3d(q, d, p, e) <= 0.0 && orient3d(p, d, r, f) <= 0.0
}

/// Triangles in one plane, or without area.
fn meet_flat(a: &Triangle, b: &Triangle) -> bool {
    match (collinear(&a[0], &a[1], &a[2]), collinear(&b[0], &b[1], &b[2])) {
        (false, false) => coplanar_meet(a, b),
        (false, true) => edges(b).any(|e| segment_meets(a, e)),
        (true, false) => edges(a).any(|e| segment_meets(b, e)),
        (true, true) => edges(a).any(|e| edges(b).any(|f| segments_meet(e, f))),
    }
}

fn edges(t: &Triangle) -> impl Iterator<Item = [&Vec3; 2]> {
    [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]].into_iter()
}

/// The coordinates that are left when each axis is dropped.
const VIEWS: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Two triangles with area in one plane: some edge has the other triangle strictly on its outer side where they are apart.
fn coplanar_meet(a: &Triangle, b: &Triangle) -> bool {
    let Some((i, j)) = view(a) else { return true };
    let flat = |t: &Triangle| [0, 1, 2].map(|k| [t[k][i], t[k][j]]);
    let (a, b) = (flat(a), flat(b));
    let separates = |s: &[[f64; 2]; 3], t: &[[f64; 2]; 3]| {
        let turn = orient2d(s[0], s[1], s[2]);
        (0..3).any(|k| t.iter().all(|&x| orient2d(s[k], s[(k + 1) % 3], x) * turn.signum() < 0.0))
    };
    !separates(&a, &b) && !separates(&b, &a)
}

/// A view along an axis in which the triangle has an area.
fn view(t: &Triangle) -> Option<(usize, usize)> {
    VIEWS.into_iter().find(|&(i, j)| orient2d([t[0][i], t[0][j]], [t[1][i], t[1][j]], [t[2][i], t[2][j]]) != 0.0)
}

/// Whether a closed segment meets a closed triangle with area; exact.
fn segment_meets(t: &Triangle, [p, q]: [&Vec3; 2]) -> bool {
    let (from, to) = (orient3d(&t[0], &t[1], &t[2], p), orient3d(&t[0], &t[1], &t[2], q));
    if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) {
        return false;
    }
    if from == 0.0 && to == 0.0 {
        let Some((i, j)) = view(t) else { return true };
        let flat = |v: &Vec3| [v[i], v[j]];
        let [a, b, c] = [flat(&t[0]), flat(&t[1]), flat(&t[2])];
        let turn = orient2d(a, b, c).signum();
        let inside = |x: [f64; 2]| [(a, b), (b, c), (c, a)].into_iter().all(|(s, e)| orient2d(s, e, x) * turn >= 0.0);
        return inside(flat(p)) || inside(flat(q)) || edges(t).any(|e| segments_meet(e, [p, q]));
    }
    let around = [orient3d(p, q, &t[0], &t[1]), orient3d(p, q, &t[1], &t[2]), orient3d(p, q, &t[2], &t[0])];
    around.iter().all(|&s| s >= 0.0) || around.iter().all(|&s| s <= 0.0)
}

/// Whether two closed segments meet; exact. They do where they lie in one plane and meet in every view along an axis: one
/// view at least shows their plane, or their line, without folding it.
fn segments_meet([a, b]: [&Vec3; 2], [c, d]: [&Vec3; 2]) -> bool {
    orient3d(a, b, c, d) == 0.0
        && VIEWS.into_iter().all(|(i, j)| {
            let flat = |v: &Vec3| [v[i], v[j]];
            flat_segments_meet([flat(a), flat(b)], [flat(c), flat(d)])
        })
}

fn flat_segments_meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let boxes =
        (0..2).all(|k| lesser(a[k], b[k]) <= -lesser(-c[k], -d[k]) && lesser(c[k], d[k]) <= -lesser(-a[k], -b[k]));
    let straddles = |x: f64, y: f64| !((x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0));
    boxes && straddles(orient2d(a, b, c), orient2d(a, b, d)) && straddles(orient2d(c, d, a), orient2d(c, d, b))
}

/// `(b−a)×(c−a)`, accurate in direction whatever the triangle's shape, zero for one without area.
fn direction(t: &Triangle) -> Vec3 {
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let n = e.cross(&f);
    let longest = e.norm_squared().max(f.norm_squared());
    if n.norm_squared() < THIN * THIN * longest * longest { accurate_normal(&t[0], &t[1], &t[2]) } else { n }
}

/// The point of a closed triangle closest to `x`. Right to a few roundings of the coordinates, for slivers too.
pub fn point_triangle(x: &Vec3, t: &Triangle) -> Foot {
    foot(x, t, &direction(t))
}

/// The same with `n` along the triangle's normal.
fn foot(x: &Vec3, t: &Triangle, n: &Vec3) -> Foot {
    let squared = n.norm_squared();
    let mut best = Foot { point: t[0], squared: f64::INFINITY, feature: Feature::Vertex(0) };
    let mut inside = squared > 0.0;
    for k in 0..3 {
        let (p, q) = (&t[k], &t[(k + 1) % 3]);
        let (edge, to) = (q - p, x - p);
        if squared > 0.0 && n.cross(&edge).dot(&to) > 0.0 {
            continue;
        }
        inside = false;
        let (along, length) = (edge.dot(&to), edge.norm_squared());
        let (point, feature) = if along <= 0.0 {
            (*p, Feature::Vertex(k as u8))
        } else if along >= length {
            (*q, Feature::Vertex((k as u8 + 1) % 3))
        } else {
            (p + edge * (along / length), Feature::Edge(k as u8))
        };
        let d = (x - point).norm_squared();
        if d < best.squared {
            best = Foot { point, squared: d, feature };
        }
    }
    if inside {
        let height = n.dot(&(x - t[0]));
        return Foot { point: x - n * (height / squared), squared: height * height / squared, feature: Feature::Face };
    }
    best
}

/// The closest points of two triangles that do not meet: a corner of one and the other, or two edges. Right to a few
/// roundings of the coordinates. For triangles that pierce each other it is some distance of their edges.
pub fn closest(a: &Triangle, b: &Triangle) -> Closest {
    let mut best = Closest { squared: f64::INFINITY, points: [a[0], b[0]] };
    let n = direction(b);
    for v in a {
        let foot = foot(v, b, &n);
        if foot.squared < best.squared {
            best = Closest { squared: foot.squared, points: [*v, foot.point] };
        }
    }
    if separates(&best, a, b) {
        return best;
    }
    let n = direction(a);
    let mut better = false;
    for v in b {
        let foot = foot(v, a, &n);
        if foot.squared < best.squared {
            best = Closest { squared: foot.squared, points: [foot.point, *v] };
            better = true;
        }
    }
    if better && separates(&best, a, b) {
        return best;
    }
    for e in edges(a) {
        for f in edges(b) {
            if let Some(c) = inner_closest(e, f)
                && c.squared < best.squared
            {
                best = c;
                if separates(&best, a, b) {
                    return best;
                }
            }
        }
    }
    best
}

/// Whether both triangles lie beyond the planes through these points, across the way from one to the other: then nothing is
/// closer.
fn separates(c: &Closest, a: &Triangle, b: &Triangle) -> bool {
    let way = c.points[1] - c.points[0];
    a.iter().all(|v| way.dot(&(v - c.points[0])) <= 0.0) && b.iter().all(|v| way.dot(&(v - c.points[1])) >= 0.0)
}

/// The closest points of the lines through two segments where both lie between the ends. From cross products and not from
/// a determinant of dot products: that would lose twice the digits on nearly parallel edges.
fn inner_closest([p, q]: [&Vec3; 2], [r, s]: [&Vec3; 2]) -> Option<Closest> {
    let (d, e, w) = (q - p, s - r, r - p);
    let n = d.cross(&e);
    let squared = n.norm_squared();
    let (first, second) = (w.cross(&e).dot(&n), w.cross(&d).dot(&n));
    // Parallel within rounding: an end is as close.
    let parallel = squared <= 16.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF * d.norm_squared() * e.norm_squared();
    if parallel || !(first > 0.0 && first < squared && second > 0.0 && second < squared) {
        return None;
    }
    let points = [p + d * (first / squared), r + e * (second / squared)];
    Some(Closest { squared: (points[0] - points[1]).norm_squared(), points })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sequence(u64);

    impl Sequence {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }

        fn unit(&mut self) -> f64 {
            self.below(1 << 30) as f64 / f64::from(1 << 30)
        }

        fn triangle(&mut self, grid: Option<u64>) -> Triangle {
            [(); 3].map(|()| {
                Vec3::from_fn(|_, _| match grid {
                    Some(n) => self.below(n) as f64,
                    None => self.unit(),
                })
            })
        }
    }

    /// Some edge of one meets the other.
    fn meet_by_edges(a: &Triangle, b: &Triangle) -> bool {
        let flat = |t: &Triangle| collinear(&t[0], &t[1], &t[2]);
        let against = |a: &Triangle, b: &Triangle| {
            if flat(a) {
                edges(a).any(|e| edges(b).any(|f| segments_meet(e, f)))
            } else {
                edges(b).any(|e| segment_meets(a, e))
            }
        };
        against(a, b) || against(b, a)
    }

    #[test]
    fn meeting_triangles_are_those_of_which_an_edge_meets_the_other() {
        let mut sequence = Sequence(3);
        let (mut met, mut coplanar, mut degenerate) = (0, 0, 0);
        for grid in [Some(2), Some(3), Some(4), Some(7), None] {
            for _ in 0..60_000 {
                let (mut a, b) = (sequence.triangle(grid), sequence.triangle(grid));
                if sequence.below(4) == 0 {
                    // In the plane of the other.
                    for v in &mut a {
                        v.z = 1.0;
                    }
                }
                let expected = meet_by_edges(&a, &b);
                assert_eq!(meet(&a, &b), expected, "{a:?} {b:?}");
                assert_eq!(meet(&b, &a), expected, "{b:?} {a:?}");
                met += u32::from(expected);
                coplanar += u32::from(sides(&a, &b) == [0.0; 3]);
                degenerate += u32::from(collinear(&a[0], &a[1], &a[2]));
            }
        }
        assert!(met > 10_000 && coplanar > 1000 && degenerate > 1000, "{met} {coplanar} {degenerate}");
    }

    #[test]
    fn an_ulp_decides_whether_triangles_meet() {
        let a = [Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)];
        let above = |z: f64| [Vec3::new(0.2, 0.2, z), Vec3::new(0.3, 0.2, 1.0), Vec3::new(0.2, 0.3, 1.0)];
        assert!(meet(&a, &above(0.0)));
        assert!(meet(&a, &above(-1e-300)));
        assert!(!meet(&a, &above(1e-300)));
    }

    #[test]
    fn no_pair_of_points_is_closer_than_the_closest() {
        let mut sequence = Sequence(11);
        let mut tested = 0;
        for round in 0..3000 {
            let mut a = sequence.triangle(None);
            let b = sequence.triangle(None);
            if round % 3 == 0 {
                // A sliver.
                a[2] = a[0] + (a[1] - a[0]) * 0.4 + Vec3::new(1e-9, -1e-9, 3e-9);
            }
            if meet(&a, &b) {
                continue;
            }
            tested += 1;
            let c = closest(&a, &b);
            let d = c.squared.sqrt();
            assert!(((c.points[0] - c.points[1]).norm() - d).abs() < 1e-14, "{a:?} {b:?}");
            assert!(point_triangle(&c.points[0], &a).squared < 1e-28);
            assert!(point_triangle(&c.points[1], &b).squared < 1e-28);
            // Both lie beyond the planes through the points across the way from one to the other: nothing is closer.
            let way = (c.points[1] - c.points[0]) / d;
            let reach = a.iter().map(|v| way.dot(&(v - c.points[0]))).fold(f64::MIN, f64::max);
            let back = b.iter().map(|v| way.dot(&(v - c.points[1]))).fold(f64::MAX, f64::min);
            assert!(reach < 1e-13 / d && back > -1e-13 / d, "{a:?} {b:?} {reach:e} {back:e} {d:e}");
        }
        assert!(tested > 1000);
    }
}
