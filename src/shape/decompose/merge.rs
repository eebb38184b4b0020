//! Joins pieces if their common hull stays within ε.

use crate::geom::{Aabb, Vec3};
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::kdop::{Directions, spread_direction};
use crate::shape::decompose::overshoot::{Goal, Overshoot, overshoot};
use crate::shape::decompose::quads::TrianglePairs;
use crate::shape::decompose::split::{Piece, planes_of};
use crate::shape::decompose::void_samples::VoidRay;
use crate::shape::hull::{Hull, convex_hull, measure};
use crate::shape::polytope::simd_max_dot::PointRows;
use rayon::prelude::*;

/// Number of directions in which a piece keeps its extreme vertices for a first test.
const SUPPORT_DIRECTIONS: u32 = 26;

/// Factor on ε allowing for rounding when overshoots are compared.
const ROUNDING_FACTOR: f64 = 1.0 + 1e-9;

/// Two pieces and their common hull.
struct Pair {
    of: [u32; 2],
    hull: Hull,
    planes: Vec<Plane>,
    /// Volume of the hull less both pieces (mm³).
    growth: f64,
    /// Overshoot of the hull if it was computed ahead.
    found: Option<Overshoot>,
}

/// Joins pairs of pieces while the overshoot of their hull is at most ε (mm), least growth first. The hull contains
/// everything in its pieces.
pub(crate) fn merge(
    patches: &TrianglePairs,
    pieces: &mut Vec<Piece>,
    gaps: &mut Vec<VoidRay>,
    lines: &Directions,
    epsilon: f64,
) {
    let mut slots: Vec<Option<Piece>> = std::mem::take(pieces).into_iter().map(Some).collect();
    let mut pairs: Vec<Pair> = Vec::new();
    for j in 1..slots.len() {
        add_pairs(&mut pairs, &slots, j, gaps, epsilon);
    }
    let mut newest = 0;
    while !pairs.is_empty() {
        // Descending order: `pop` takes the best pair.
        pairs.sort_by(|p, q| q.growth.total_cmp(&p.growth).then(q.of.cmp(&p.of)));
        let known = &gaps[newest..];
        pairs.retain(|p| known.iter().all(|g| g.reached(&p.planes) <= epsilon));
        newest = gaps.len();
        look_ahead(patches, &mut pairs, epsilon);
        let Some(pair) = pairs.pop() else { break };
        let found = pair.found.unwrap_or_else(|| overshoot_of(patches, &pair, epsilon));
        if let Some([near, point]) = found.beyond {
            let depth = (point - near).norm();
            gaps.push(VoidRay::new(near, (point - near) / depth, depth, lines));
        }
        if found.beyond.is_some() || found.upper > epsilon {
            continue;
        }
        pairs.retain(|p| !p.of.iter().any(|k| pair.of.contains(k)));
        pair.of.iter().for_each(|&k| slots[k as usize] = None);
        slots.push(Some(Piece { hull: pair.hull, reach: found.upper }));
        add_pairs(&mut pairs, &slots, slots.len() - 1, gaps, epsilon);
    }
    pieces.extend(slots.into_iter().flatten());
}

/// Computes the overshoot of the next pairs without common pieces in parallel. The results are independent of their
/// number.
fn look_ahead(patches: &TrianglePairs, pairs: &mut [Pair], epsilon: f64) {
    if pairs.last().is_none_or(|next| next.found.is_some()) {
        return;
    }
    let (mut ahead, mut pieces): (Vec<&mut Pair>, Vec<u32>) = (Vec::new(), Vec::new());
    for pair in pairs.iter_mut().rev() {
        if ahead.len() == rayon::current_num_threads() {
            break;
        }
        if !pair.of.iter().any(|k| pieces.contains(k)) {
            pieces.extend(pair.of);
            if pair.found.is_none() {
                ahead.push(pair);
            }
        }
    }
    ahead.into_par_iter().for_each(|pair| pair.found = Some(overshoot_of(patches, pair, epsilon)));
}

fn overshoot_of(patches: &TrianglePairs, pair: &Pair, epsilon: f64) -> Overshoot {
    overshoot(patches, &pair.hull.vertices, &pair.planes, Goal { allowed: epsilon, enough: epsilon })
}

/// Adds the possible pairs of a piece with those before it.
fn add_pairs(pairs: &mut Vec<Pair>, slots: &[Option<Piece>], j: usize, gaps: &[VoidRay], epsilon: f64) {
    let Some(new) = &slots[j] else { return };
    let bounds = |p: &Piece| Aabb::of_points(&p.hull.vertices).inflated(epsilon);
    let around = bounds(new);
    let few_of_new = support_points(&new.hull);
    let pair = |(i, slot): (usize, &Option<Piece>)| {
        let old = slot.as_ref().filter(|old| around.meets(&bounds(old)))?;
        let hull_of = |p: &[Vec3], q: &[Vec3]| convex_hull(&[p, q].concat());
        // The hull of some vertices overshoots at most as far as the hull of all.
        let core = hull_of(&support_points(&old.hull), &few_of_new);
        let planes = planes_of(&core);
        if core.rank == 3 && gaps.iter().any(|g| g.reached(&planes) > epsilon * ROUNDING_FACTOR) {
            return None;
        }
        let hull = hull_of(&old.hull.vertices, &new.hull.vertices);
        let planes = planes_of(&hull);
        gaps.iter().all(|g| g.reached(&planes) <= epsilon).then(|| {
            let growth = measure(&hull).volume - measure(&old.hull).volume - measure(&new.hull).volume;
            Pair { of: [i as u32, j as u32], hull, planes, growth, found: None }
        })
    };
    pairs.par_extend(slots[..j].par_iter().enumerate().filter_map(pair));
}

/// Extreme vertices of a hull in a few directions.
fn support_points(hull: &Hull) -> Vec<Vec3> {
    let all = PointRows::new(&hull.vertices, &[]);
    let mut chosen: Vec<usize> =
        (0..SUPPORT_DIRECTIONS).map(|k| all.largest(&spread_direction(f64::from(k))).0).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|k| hull.vertices[k]).collect()
}
