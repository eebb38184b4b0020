//! Computes the box of the common solid. Next to coincident faces the intersection contains slivers without thickness;
//! the box excludes them.
//!
//! Let s be a short vector. A ball of radius |s| in both solids has its centre in A and in B moved by s. *So the box of
//! the intersection of A and the moved B contains everything thicker than that, up to |s|*, for any s. If the outermost
//! points seem to lie on coincident faces, s is chosen to separate these faces. Every box found so is valid. The
//! smallest one is taken, its sides moved out to the next vertex of the intersection for s = 0.
//!
//! A pair in mere contact has nothing thicker. Its box holds all contact places.

use crate::geom::math::{lesser, max3, min3};
use crate::geom::{Aabb, Mat3, Pose, Vec3};
use crate::measure::intersection::{IntersectionInput, ROUNDING};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;

/// Distance from a point, in roundings of the pair, at which a face may still pass through the point; also the step for
/// separating coincident faces.
const COINCIDENT_ROUNDINGS: f64 = 2.0;

/// Sine of a cone's width: planes with at most so narrow a cone on their inner sides may be coincident faces.
const NARROW_CONE_SINE: f64 = 1e-4;

/// Difference of normals (one minus the cosine) below which they count as equal.
const SAME_DIRECTION_COSINE: f64 = 1e-9;

/// Maximum number of steps towards the direction deepest behind all faces through a point.
const MAX_GILBERT_STEPS: usize = 48;

/// Maximum number of rounds; each round separates the faces still seeming to coincide.
const ROUNDS: usize = 8;

/// Largest coordinate of the points along each row of a rotation, up and down, with the index of the point.
type DirectionExtent = [(f64, u32); 6];

/// Computes the box of points after a rotation; the points are relative to `origin`, and `origin` rotates along.
/// Without points, the box is `origin` alone.
pub(crate) fn turned_box(turn: &Mat3, points: &[Vec3], origin: &Vec3) -> Aabb {
    let at = turn * origin;
    let mut out = if points.is_empty() { Aabb::of_points([&Vec3::zeros()]) } else { Aabb::EMPTY };
    for p in points {
        let q = turn * p;
        out = Aabb { min: min3(out.min, q), max: max3(out.max, q) };
    }
    Aabb { min: out.min + at, max: out.max + at }
}

/// Bounds the translation of B for the boxes (mm). There are at most [`ROUNDS`] times six steps for each rotation. A
/// step is taken only if the sum of the previous steps has a component along it shorter than one step, so it adds at
/// most three squared steps to the squared sum.
pub(crate) fn max_shift(known: &IntersectionInput) -> f64 {
    if is_contact(known) {
        return 0.0;
    }
    let steps = ROUNDS * 6 * known.turns.len();
    COINCIDENT_ROUNDINGS * known.rounding * (3.0 * steps as f64).sqrt() * (1.0 + ROUNDING)
}

/// True if the common solid is no thicker than coincident faces. Its boxes then hold all contact places.
fn is_contact(known: &IntersectionInput) -> bool {
    known.deepest <= COINCIDENT_ROUNDINGS * known.rounding
}

/// Computes the box of the common solid after each requested rotation. `points` are its vertices relative to the
/// witness, possibly with some points next to it. `again` finds the vertices for another pose of B, at most
/// [`max_shift`] away.
pub(crate) fn boxes(
    p: &Pairing,
    known: &IntersectionInput,
    points: &[Vec3],
    again: impl Fn(&Pairing) -> Option<Vec<Vec3>>,
) -> Vec<Aabb> {
    if is_contact(known) {
        return known.turns.iter().map(|turn| turned_box(turn, points, &known.witness)).collect();
    }
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

/// Computes a box after a rotation, each side through the first point beyond `reach`.
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

/// Computes the next translation of B, to separate coincident faces at outermost points; 0 if there are none.
fn separating_step(
    b_in_a: &Pose,
    p: &Pairing,
    known: &IntersectionInput,
    points: &[Vec3],
    outermost: &[DirectionExtent],
    shift: &Vec3,
) -> Vec3 {
    let step = COINCIDENT_ROUNDINGS * known.rounding;
    // Coincident faces may overlap by the length of the previous translations.
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

/// Computes the direction in which B leaves A at a point (A's frame) of seemingly coincident faces.
fn separating_shift(p: &Pairing, b_in_a: &Pose, back: &Pose, x: &Vec3, near: f64) -> Option<Vec3> {
    let of_a = normals(p.a, x, near);
    let of_b = normals(p.b, &back.point(x), near);
    if of_a.is_empty() || of_b.is_empty() {
        // The point lies inside one solid, and the other has an interior next to every point of its boundary: no
        // sliver.
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

/// Lists the distinct normals of the triangles within `near` of a point (mm).
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

/// Returns true if some direction lies behind all planes by more than a narrow angle. Near the point, such a direction
/// leads into both solids. Source: E. G. Gilbert, "An iterative procedure for computing the minimum of a quadratic form
/// on a convex set", 1966: the point of the normals' hull nearest to the origin.
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
