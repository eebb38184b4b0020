//! The box of the common solid. Where faces lie on each other next to it, slivers without thickness belong to what was found; the
//! box does not count them.
//!
//! Let s be a short vector. A ball of radius |s| in both solids has its centre in A and in B moved by s. *So the box of what these
//! two have in common holds all that is thicker than that, to |s|*, whatever s is. Where the outermost points look as if faces lay
//! on each other there, s is chosen to part these; every box so found holds, and the least is taken, its sides moved out to the
//! next vertex of what was found without s.

use crate::geom::math::{lesser, max3, min3};
use crate::geom::{Aabb, Mat3, Pose, Vec3};
use crate::query::intersection::{IntersectionInput, ROUNDING};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;

/// What is within this many roundings of the pair of a point may be a face through it, and faces are parted by that.
const COINCIDENT_ROUNDINGS: f64 = 2.0;

/// Planes that leave a cone no wider than this (sine) on their inner sides may be faces that lie on each other.
const NARROW_CONE_SINE: f64 = 1e-4;

/// Normals that differ by less (one less their cosine) are one.
const SAME_DIRECTION_COSINE: f64 = 1e-9;

/// Steps towards the direction that lies deepest behind all faces through a point.
const MAX_GILBERT_STEPS: usize = 48;

/// How often faces are parted, each time those as well that still seem to lie on each other.
const ROUNDS: usize = 8;

/// How far points reach along the rows of a rotation, up and down each, and which of them does.
type DirectionExtent = [(f64, u32); 6];

/// The box of points after a rotation, `origin`, from which they are seen, turned along; of no points that of `origin`.
pub(crate) fn turned_box(turn: &Mat3, points: &[Vec3], origin: &Vec3) -> Aabb {
    let at = turn * origin;
    let mut out = if points.is_empty() { Aabb::of_points([&Vec3::zeros()]) } else { Aabb::EMPTY };
    for p in points {
        let q = turn * p;
        out = Aabb { min: min3(out.min, q), max: max3(out.max, q) };
    }
    Aabb { min: out.min + at, max: out.max + at }
}

/// B is not moved farther than this (mm) for the boxes: every step is one of [`ROUNDS`] times six for each turn, and taken where those
/// before it add up to less than a step along its direction, so that it adds three squared steps at most to their squared sum.
pub(crate) fn max_shift(known: &IntersectionInput) -> f64 {
    let steps = ROUNDS * 6 * known.turns.len();
    COINCIDENT_ROUNDINGS * known.rounding * (3.0 * steps as f64).sqrt() * (1.0 + ROUNDING)
}

/// The box of the common solid after each of the rotations that are wanted. `points` are its vertices, seen from the witness, and
/// perhaps some next to it; `again` finds them where B stands elsewhere, no farther than [`farthest`].
pub(crate) fn boxes(
    p: &Pairing,
    known: &IntersectionInput,
    points: &[Vec3],
    again: impl Fn(&Pairing) -> Option<Vec<Vec3>>,
) -> Vec<Aabb> {
    let mut reach: Vec<DirectionExtent> = known.turns.iter().map(|turn| reach_of(turn, points)).collect();
    let mut shift = Vec3::zeros();
    let mut moved = None;
    for _ in 0..ROUNDS {
        let seen = moved.as_deref().unwrap_or(points);
        let outermost: Vec<DirectionExtent> = known.turns.iter().map(|turn| reach_of(turn, seen)).collect();
        let more = separating_step(&shifted(p, &shift), p, known, seen, &outermost, &shift);
        if more == Vec3::zeros() {
            break;
        }
        shift += more;
        let pose = shifted(p, &shift);
        let there = Pairing { b_in_a: &pose, ..*p };
        let Some(found) = again(&there).filter(|found| !found.is_empty()) else { break };
        let more = shift.norm() + known.margin;
        for (turn, reach) in known.turns.iter().zip(&mut reach) {
            let after = reach_of(turn, &found);
            for d in 0..6 {
                reach[d].0 = lesser(reach[d].0, after[d].0 - more);
            }
        }
        moved = Some(found);
    }
    known.turns.iter().zip(&reach).map(|(turn, reach)| box_within(turn, reach, points, &known.witness)).collect()
}

fn shifted(p: &Pairing, by: &Vec3) -> Pose {
    Pose { translation: p.b_in_a.translation + by, ..*p.b_in_a }
}

fn along(turn: &Mat3, p: &Vec3) -> [f64; 6] {
    let q = turn * p;
    [q.x, q.y, q.z, -q.x, -q.y, -q.z]
}

fn reach_of(turn: &Mat3, points: &[Vec3]) -> DirectionExtent {
    let mut out = [(f64::NEG_INFINITY, 0); 6];
    for (k, p) in (0..).zip(points) {
        for (out, h) in out.iter_mut().zip(along(turn, p)) {
            if h > out.0 {
                *out = (h, k);
            }
        }
    }
    out
}

/// The box after a rotation whose every side goes through a point: the first one that reaches as far.
fn box_within(turn: &Mat3, reach: &DirectionExtent, points: &[Vec3], origin: &Vec3) -> Aabb {
    let mut out = [f64::INFINITY; 6];
    for p in points {
        for ((out, least), h) in out.iter_mut().zip(reach).zip(along(turn, p)) {
            if h >= least.0 && h < *out {
                *out = h;
            }
        }
    }
    let [x, y, z, low_x, low_y, low_z] = out;
    let at = turn * origin;
    Aabb { min: at - Vec3::new(low_x, low_y, low_z), max: at + Vec3::new(x, y, z) }
}

/// By what B should move further to part faces that lie on each other at outermost points; 0 where none do.
fn separating_step(
    b_in_a: &Pose,
    p: &Pairing,
    known: &IntersectionInput,
    points: &[Vec3],
    outermost: &[DirectionExtent],
    shift: &Vec3,
) -> Vec3 {
    let step = COINCIDENT_ROUNDINGS * known.rounding;
    // Faces that lay on each other may have come to overlap by as much.
    let near = step + shift.norm();
    let back = b_in_a.inverse();
    let mut more = Vec3::zeros();
    let mut asked: Vec<u32> = outermost.iter().flatten().map(|r| r.1).collect();
    asked.sort_unstable();
    asked.dedup();
    for k in asked {
        let Some(point) = points.get(k as usize) else { continue };
        if let Some(out) = separating_shift(p, b_in_a, &back, &(point + known.witness), near)
            && out.dot(&(shift + more)) < step
        {
            more += out * step;
        }
    }
    more
}

/// The direction in which B leaves A at a point (A's frame) at which faces seem to lie on each other.
fn separating_shift(p: &Pairing, b_in_a: &Pose, back: &Pose, x: &Vec3, near: f64) -> Option<Vec3> {
    let of_a = normals(p.a, x, near);
    let of_b = normals(p.b, &back.point(x), near);
    if of_a.is_empty() || of_b.is_empty() {
        // All around is inside of the one; the other has an inside next to every point of its boundary.
        return None;
    }
    let of_b: Vec<Vec3> = of_b.iter().map(|n| b_in_a.direction(n)).collect();
    if leave_a_cone(&of_a.iter().chain(&of_b)) {
        return None;
    }
    let opposite = |n: &&Vec3| of_b.iter().any(|m| (*n + m).norm() <= 2.0 * NARROW_CONE_SINE);
    let mut out: Vec3 = of_a.iter().filter(opposite).sum();
    if out.norm() < NARROW_CONE_SINE {
        out = of_a.iter().sum();
    }
    out.try_normalize(NARROW_CONE_SINE)
}

/// The different normals of the triangles that come within `near` of a point.
fn normals(s: &Surface, x: &Vec3, near: f64) -> Vec<Vec3> {
    let mut found: Vec<Vec3> = Vec::new();
    s.within(x, near, |t| {
        let n = s.normal(t);
        if found.iter().all(|m| m.dot(&n) < 1.0 - SAME_DIRECTION_COSINE) {
            found.push(n);
        }
        true
    });
    found
}

/// Whether a direction lies behind all planes, by more than a narrow angle: all of it is inside of both solids then, close to the
/// point. Source: E. G. Gilbert, "An iterative procedure for computing the minimum of a quadratic form on a convex set", 1966: the
/// point of the normals' hull nearest to the origin.
fn leave_a_cone<'n>(normals: &(impl Iterator<Item = &'n Vec3> + Clone)) -> bool {
    let Some(first) = normals.clone().next() else { return true };
    let mut v = *first;
    for _ in 0..MAX_GILBERT_STEPS {
        let length = v.norm();
        let Some((height, n)) = normals.clone().map(|n| (n.dot(&v), n)).min_by(|p, q| p.0.total_cmp(&q.0)) else {
            return true;
        };
        if height > NARROW_CONE_SINE * length {
            return true;
        }
        let step = n - v;
        let along = -v.dot(&step) / step.norm_squared();
        if length < NARROW_CONE_SINE || along <= 0.0 {
            return false;
        }
        v += step * along.min(1.0);
    }
    false
}
