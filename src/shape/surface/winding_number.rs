//! Computes the winding number of a closed surface about a point.
//!
//! The method: a ray from the point counts signed crossings by exact predicates. A ray through an edge is discarded,
//! and the next of a fixed list of directions is tried.

use crate::geom::math::{UNIT_ROUNDOFF, lesser, norm1};
use crate::geom::predicates::orient3d;
use crate::geom::triangle::Triangle;
use crate::geom::{Pose, Vec3};
use crate::shape::surface::{Below, Node, SKEW, Surface};
use smallvec::SmallVec;

/// Ray directions of no special slope, two each way near the axes. The shortest way out is tried first, until one ray
/// meets no edge.
pub(crate) const DIRECTIONS: [[f64; 3]; 12] = [
    [1.0, 0.003_1, 0.007_3],
    [-1.0, -0.005_9, 0.002_7],
    [0.011_3, 1.0, -0.004_3],
    [-0.017_9, -1.0, -0.013_7],
    [0.002_3, 0.008_9, 1.0],
    [-0.006_7, 0.004_1, -1.0],
    [1.0, 0.618_034, 0.414_214],
    [-1.0, 0.236_068, -0.557_281],
    [0.071, 1.0, 0.053],
    [-0.732_051, -1.0, 0.302_776],
    [0.13, -0.19, 1.0],
    [-0.449_49, -0.645_751, -1.0],
];

/// Rounding errors of a ray in the other frame, in units of 2⁻⁵³ of the sizes. Boxes are widened by this margin.
const ROUNDOFFS_PER_RAY: f64 = 128.0;

/// Largest distance between two points for a count along their segment, relative to the surface's diagonal.
const NEAR_IN_ROUNDOFFS: f64 = 0.1;

/// Smallest slope (sine) of a usable ray against its starting triangle. At a smaller slope, rounding would decide on
/// which side the ray runs.
const GRAZING_SINE: f64 = 0.1;

/// Winding number of the placed surface about `x` (A's frame, mm): 1 inside a solid, 0 outside. Exact on the vertices
/// as rounded by `pose`. `None` if `x` lies on the surface, or if every ray of a fixed list meets an edge.
pub fn winding(s: &Surface, pose: Option<&Pose>, x: &Vec3) -> Option<i32> {
    match pose {
        None => winding_moved(s, None, x, 0.0, |v| s.vertices[v as usize]),
        Some(pose) => winding_moved(s, Some(pose), x, 0.0, |v| pose.point(&s.vertices[v as usize])),
    }
}

/// Winding number about `x` in the surface's own frame. From a nearby point of known winding number, it only counts the
/// crossings of the segment between them: fewer than those of a ray.
pub(crate) fn winding_from(s: &Surface, known: Option<(&Vec3, i32)>, x: &Vec3) -> Option<i32> {
    let along_segment = |(from, winding): (&Vec3, i32)| {
        let way = from - x;
        let size = norm1(x) + norm1(from) + s.bounds.max_abs();
        if way.norm() > NEAR_IN_ROUNDOFFS * s.bounds.diagonal() {
            return None;
        }
        let through = &mut |t: u32, x: &Vec3, far: &Vec3| crossing(&s.triangle(t), x, far);
        Some(winding + count(s, (x, &way, ROUNDOFFS_PER_RAY * UNIT_ROUNDOFF * size), (x, from), u32::MAX, through)?)
    };
    known.and_then(along_segment).or_else(|| winding(s, None, x))
}

/// Winding number of a surface with moved vertices: `moved` returns the position of a vertex (A's frame, mm), at most
/// `slack` (mm) from its old one.
pub fn winding_moved(
    s: &Surface,
    pose: Option<&Pose>,
    x: &Vec3,
    slack: f64,
    mut moved: impl FnMut(u32) -> Vec3,
) -> Option<i32> {
    winding_of_pieces(s, pose, x, slack, |t| [s.triangles[t as usize].map(&mut moved)])
}

/// Winding number of a surface moved piecewise: `pieces` returns the pieces of a triangle, at most `slack` (mm) from
/// its old position. Together the pieces are closed.
pub(crate) fn winding_of_pieces<P: AsRef<[Triangle]>>(
    s: &Surface,
    pose: Option<&Pose>,
    x: &Vec3,
    slack: f64,
    mut pieces: impl FnMut(u32) -> P,
) -> Option<i32> {
    let Some(mut out) = RayCrossings::new(s, pose, x, slack) else { return Some(0) };
    out.sort();
    out.ways.iter().find_map(|way| {
        let mut through = |t: u32, x: &Vec3, far: &Vec3| {
            pieces(t).as_ref().iter().try_fold(0, |sum, piece| Some(sum + crossing(piece, x, far)?))
        };
        out.count(way, &mut through)
    })
}

/// Winding number of a surface about `x` (A's frame) by a single ray, for callers able to decide every ray. `through`
/// returns the count of a triangle on the segment between two points of A's frame: 1 leaving, −1 entering.
pub(crate) fn winding_by(
    s: &Surface,
    pose: Option<&Pose>,
    x: &Vec3,
    mut through: impl FnMut(u32, &Vec3, &Vec3) -> i32,
) -> i32 {
    let Some(mut out) = RayCrossings::new(s, pose, x, 0.0) else { return 0 };
    out.sort();
    out.count(&out.ways[0], &mut |t, x, far| Some(through(t, x, far))).unwrap_or(0)
}

/// Rays from a point to the outside of a surface's box.
struct RayCrossings<'a> {
    surface: &'a Surface,
    back: Pose,
    x: &'a Vec3,
    /// Point in the surface's frame (mm).
    local: Vec3,
    widen: f64,
    /// Length (mm) and direction in A's frame. The ray ends outside, at a point of A's frame: all predicates see the
    /// same segment.
    ways: [(f64, Vec3); DIRECTIONS.len()],
}

impl<'a> RayCrossings<'a> {
    /// Sets up the rays; `None` if the point is outside the box.
    fn new(surface: &'a Surface, pose: Option<&Pose>, x: &'a Vec3, slack: f64) -> Option<Self> {
        let back = pose.map_or_else(Pose::identity, Pose::inverse);
        let local = back.point(x);
        let size = norm1(x) + surface.bounds.max_abs() + pose.map_or(0.0, |p| norm1(&p.translation));
        let widen = slack + ROUNDOFFS_PER_RAY * UNIT_ROUNDOFF * size;
        let reach = Vec3::repeat(widen);
        let (low, high) = (surface.bounds.min - reach, surface.bounds.max + reach);
        if !(0..3).all(|k| low[k] <= local[k] && local[k] <= high[k]) {
            return None;
        }
        let ways = DIRECTIONS.map(|d| {
            let d = Vec3::from(d);
            let away = back.direction(&d);
            let out =
                (0..3).map(|k| (if away[k] > 0.0 { high[k] - local[k] } else { local[k] - low[k] }) / away[k].abs());
            // Longer than needed: the direction survives rounding even if the way out is short.
            (2.0 * out.fold(f64::INFINITY, lesser) + size / 64.0, d)
        });
        Some(Self { surface, back, x, local, widen, ways })
    }

    /// Sorts the rays near the axes, the shortest first.
    fn sort(&mut self) {
        self.ways[..DIRECTIONS.len() / 2].sort_by(|p, q| p.0.total_cmp(&q.0));
    }

    fn count(
        &self,
        &(length, d): &(f64, Vec3),
        through: &mut impl FnMut(u32, &Vec3, &Vec3) -> Option<i32>,
    ) -> Option<i32> {
        let far = self.x + d * length;
        let way = self.back.point(&far) - self.local;
        count(self.surface, (&self.local, &way, self.widen), (self.x, &far), u32::MAX, through)
    }
}

/// Winding number of a closed surface just in front of the middle of a triangle, on the side of its normal; just
/// behind, it is one more. Exact except for the rounding of the middle: choose a triangle of some size. `None` if every
/// ray of a fixed list meets an edge.
pub(crate) fn winding_in_front(s: &Surface, t: u32) -> Option<i32> {
    let [a, b, c] = s.triangle(t);
    let middle = (a + b + c) / 3.0;
    let normal = s.normal(t);
    let rays = Rays::new(s, None, &middle, 0.0);
    DIRECTIONS.iter().find_map(|d| {
        let slope = normal.dot(&Vec3::from(*d));
        if slope.abs() < GRAZING_SINE {
            return None;
        }
        let crossings = rays.along_without(t, d, &mut |v| s.vertices[v as usize]).0?;
        // A ray from behind has left through the triangle itself, so its count is one higher.
        Some(if slope > 0.0 { crossings } else { crossings - 1 })
    })
}

/// Rays from a point against a placed surface.
pub(crate) struct Rays<'a> {
    surface: &'a Surface,
    back: Pose,
    x: &'a Vec3,
    /// Point in the surface's frame (mm).
    pub local: Vec3,
    /// Sum of the magnitudes involved in computing `local` (mm).
    pub size: f64,
    slack: f64,
}

impl<'a> Rays<'a> {
    pub(crate) fn new(surface: &'a Surface, pose: Option<&Pose>, x: &'a Vec3, slack: f64) -> Self {
        let back = pose.map_or_else(Pose::identity, Pose::inverse);
        let size = norm1(x) + surface.bounds.max_abs() + pose.map_or(0.0, |p| norm1(&p.translation));
        Self { surface, local: back.point(x), back, x, size, slack }
    }

    /// Returns the signed crossings along a direction of A's frame, `None` if the ray touches an edge; and the ray in
    /// the surface's frame.
    pub(crate) fn along(&self, d: &[f64; 3], moved: &mut impl FnMut(u32) -> Vec3) -> (Option<i32>, Vec3) {
        self.along_without(u32::MAX, d, moved)
    }

    /// Does the same as [`Self::along`], without the triangle `skip`.
    fn along_without(&self, skip: u32, d: &[f64; 3], moved: &mut impl FnMut(u32) -> Vec3) -> (Option<i32>, Vec3) {
        // Long enough to end outside. The far end is a point of A's frame: all predicates see one ray.
        let length = 4.0 * (self.size + self.slack);
        let far = self.x + Vec3::from(*d) * length;
        let widen = self.slack + ROUNDOFFS_PER_RAY * UNIT_ROUNDOFF * (self.size + length);
        let way = self.back.point(&far) - self.local;
        let through =
            &mut |t: u32, x: &Vec3, far: &Vec3| crossing(&self.surface.triangles[t as usize].map(&mut *moved), x, far);
        (count(self.surface, (&self.local, &way, widen), (self.x, &far), skip, through), way)
    }
}

/// Counts the signed crossings of one ray with all triangles except `skip`; `None` if it touches an edge.
fn count(
    s: &Surface,
    (from, way, widen): (&Vec3, &Vec3, f64),
    (x, far): (&Vec3, &Vec3),
    skip: u32,
    through: &mut impl FnMut(u32, &Vec3, &Vec3) -> Option<i32>,
) -> Option<i32> {
    let nodes = &s.tree().nodes;
    let mut winding = 0;
    let mut stack: SmallVec<[u32; 64]> = SmallVec::new();
    stack.extend((!nodes.is_empty()).then_some(0_u32));
    while let Some(at) = stack.pop() {
        let node = &nodes[at as usize];
        if !ray_meets(node, from, way, widen) {
            continue;
        }
        let range = match node.below() {
            Below::Children(children) => {
                stack.extend(children);
                continue;
            }
            Below::Triangles(range) => range,
        };
        for t in range.filter(|t| *t != skip) {
            winding += through(t, x, far)?;
        }
    }
    Some(winding)
}

/// Returns 1 if the ray leaves through the triangle, −1 if it enters, 0 if it misses; `None` if it meets the rim or
/// starts or ends on the triangle.
pub(crate) fn crossing(t: &Triangle, x: &Vec3, far: &Vec3) -> Option<i32> {
    let [a, b, c] = t;
    let (from, to) = (orient3d(a, b, c, x), orient3d(a, b, c, far));
    if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) {
        return Some(0);
    }
    let around = [orient3d(x, far, a, b), orient3d(x, far, b, c), orient3d(x, far, c, a)];
    if around.iter().any(|&s| s > 0.0) && around.iter().any(|&s| s < 0.0) {
        return Some(0);
    }
    if from == 0.0 || to == 0.0 || around.contains(&0.0) {
        return None;
    }
    Some(if from < 0.0 { 1 } else { -1 })
}

/// True if the ray may meet the widened box.
fn ray_meets(node: &Node, from: &Vec3, way: &Vec3, widen: f64) -> bool {
    let (axes, half) = (node.axes(), node.half());
    // The segment's centre and half length: separating axes of a segment and a box.
    let reach = axes.tr_mul(way) * 0.5;
    let c = axes.tr_mul(&(from - node.center())) + reach;
    let r = reach.abs();
    let widen = widen + SKEW * (norm1(&c) + norm1(&r) + f64::from(node.size()));
    let h = Vec3::new(f64::from(half[0]), f64::from(half[1]), f64::from(half[2])) + Vec3::repeat(widen);
    // The cross axes are as long as the ray, and their rounding is proportional.
    let rest = widen * norm1(&r);
    (0..3).all(|k| c[k].abs() <= h[k] + r[k])
        && (0..3).all(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            (c[i] * reach[j] - c[j] * reach[i]).abs() <= h[i] * r[j] + h[j] * r[i] + rest
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::surface::Inside;
    use crate::testkit::solids::block;

    fn cube() -> Surface {
        Surface::new(&block([0.0; 3], [1.0; 3]), &Vec3::zeros(), Inside::Solid)
    }

    #[test]
    fn inside_outside_and_on_the_surface() {
        let s = cube();
        assert_eq!(winding(&s, None, &Vec3::repeat(0.5)), Some(1));
        assert_eq!(winding(&s, None, &Vec3::new(0.5, 0.5, 1.0 - 1e-15)), Some(1));
        assert_eq!(winding(&s, None, &Vec3::new(0.5, 0.5, 1.0 + 1e-15)), Some(0));
        assert_eq!(winding(&s, None, &Vec3::new(0.5, 0.4, 1.0)), None);
        assert_eq!(winding(&s, None, &Vec3::zeros()), None);
        let pose = Pose { translation: Vec3::new(10.0, 0.0, 0.0), ..Pose::identity() };
        assert_eq!(winding(&s, Some(&pose), &Vec3::repeat(0.5)), Some(0));
        assert_eq!(winding(&s, Some(&pose), &Vec3::new(10.5, 0.5, 0.5)), Some(1));
    }

    #[test]
    fn winding_follows_a_moved_surface() {
        let s = cube();
        let lifted = |v: u32| s.vertices[v as usize] + Vec3::new(0.0, 0.0, 0.25);
        assert_eq!(winding_moved(&s, None, &Vec3::new(0.5, 0.4, 1.2), 0.25, lifted), Some(1));
        assert_eq!(winding_moved(&s, None, &Vec3::new(0.5, 0.4, 0.2), 0.25, lifted), Some(0));
    }
}
