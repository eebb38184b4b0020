//! Where to cut a cell.

use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::shape::decompose::Limits;
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::kdop::{Directions, KDop};
use crate::shape::decompose::polygon_sample::PolygonSample;
use crate::shape::decompose::void_samples::VoidRay;
use rayon::prelude::*;

/// Positions along each axis of the solid's box at which a cut is tried: so many, evenly.
const POSITIONS: usize = 7;

/// Gaps through which cuts are tried.
const DEEPEST: usize = 6;

/// Gaps nearer to each other than this part of the cell's size that look the same way are one.
const SAME_RAY_DISTANCE: f64 = 0.15;

/// Ways with a larger cosine look the same way.
const SAME_DIRECTION_COSINE: f64 = 0.9;

/// Two cuts that leave no more than this part of each other's are equal; then the more even one is taken.
const EQUAL: f64 = 0.02;

/// All gaps look across a direction when the mean square of their ways along it is this part of that across it at most;
const ACROSS_ALL: f64 = 1e-3;

/// then cuts whose normal has at least this cosine with it are left out.
const MAX_COSINE_TO_EDGE: f64 = 0.9;

/// Cuts that follow no face leave this part of a cell's height on either side: a thin slice hides between the samples.
const THIN_SHARE: f64 = 0.08;

/// A slice thinner than this part of ε changes nothing that ε would notice.
const MIN_SLICE_OF_EPSILON: f64 = 0.5;

/// Axes nearer to a gap's way than this sine make no plane along it.
const MIN_SINE: f64 = 0.3;

/// Cuts are compared by the hulls of their sides, too: as many as make this many points,
const CUTS_SCORED: usize = 2000;

/// but no more than these.
const MAX_CUTS_SCORED: usize = 5;

/// Cuts along a face keep this part of the cell's size clear of it.
const FLUSH_SHARE: f64 = 1e-7;

/// What a cut leaves to do.
#[derive(Debug, Clone, Copy)]
struct CutScore {
    /// By how much gaps are reached too far, summed over gaps and both sides (mm).
    excess: f64,
    /// The larger side's share of the excess.
    uneven: f64,
}

/// The planes that leave least to do, the best first: of the planes across the axes of the solid's box, and of those along and across
/// the surface at the gaps that are reached farthest. `reached` pairs each gap that matters with how far it is reached (mm). No plane is
/// among them that leaves nearly everything on one side.
pub(crate) fn best_cuts(
    soup: &PolygonSample,
    extent: &KDop,
    lines: &Directions,
    gaps: &[VoidRay],
    reached: &[(u32, f64)],
    limits: &Limits,
) -> Vec<Plane> {
    let planes = candidates(extent, lines, gaps, reached, limits).into_par_iter();
    let ranked = planes.map_init(Vec::new, |heights, (plane, thin)| {
        Some((score_cut(soup, (&plane, thin), gaps, reached, limits, heights)?, plane))
    });
    let mut ranked: Vec<(CutScore, Plane)> = ranked.flatten().collect();
    let least = ranked.iter().map(|r| r.0.excess).fold(f64::INFINITY, lesser);
    // What is nearly the best counts as such; then the more even one is better.
    let excess = |o: &CutScore| greater(o.excess, least * (1.0 + EQUAL));
    ranked.sort_by(|(a, _), (b, _)| excess(a).total_cmp(&excess(b)).then(a.uneven.total_cmp(&b.uneven)));
    ranked.truncate((CUTS_SCORED / soup.points.len().max(1)).clamp(1, MAX_CUTS_SCORED));
    ranked.into_iter().map(|r| r.1).collect()
}

/// The plane across the middle of the longest axis.
pub(crate) fn middle_cut(extent: &KDop, lines: &Directions) -> Plane {
    let length = |k: &usize| extent.high[*k] - extent.low[*k];
    let k = (0..3).max_by(|i, j| length(i).total_cmp(&length(j))).unwrap_or(0);
    Plane { normal: lines.0[k], offset: 0.5 * (extent.low[k] + extent.high[k]) }
}

/// Each with the part of the cell's height across it that is left on either side at least.
fn candidates(
    extent: &KDop,
    lines: &Directions,
    gaps: &[VoidRay],
    reached: &[(u32, f64)],
    limits: &Limits,
) -> Vec<(Plane, f64)> {
    // The cell in front is grown backward: without this it would take in a slice of what the face bounds.
    let clear = limits.inflation + FLUSH_SHARE * (0..3).map(|k| extent.high[k] - extent.low[k]).fold(0.0, f64::max);
    let mut planes = Vec::new();
    for k in 0..3 {
        let (low, high) = (extent.low[k], extent.high[k]);
        let at = |i: usize| low + (high - low) * i as f64 / (POSITIONS + 1) as f64;
        planes.extend((1..=POSITIONS).map(|i| (Plane { normal: lines.0[k], offset: at(i) }, THIN_SHARE)));
    }
    for gap in deepest(extent, gaps, reached) {
        let through = |normal: Vec3, x: &Vec3| Plane { normal, offset: normal.dot(x) };
        let middle = gap.at + gap.way * gap.depth;
        let towards = lines.0[..3].iter().filter(|axis| axis.dot(&gap.way).abs() > MIN_SINE);
        planes.extend(towards.map(|axis| (through(*axis, &middle), THIN_SHARE)));
        planes.push((through(gap.way, &gap.at).moved(clear), 0.0));
        planes.push((through(gap.way, &middle), THIN_SHARE));
        for axis in &lines.0[..3] {
            let across = gap.way.cross(axis);
            if across.norm() > MIN_SINE {
                planes.push((through(across.normalize(), &gap.at), THIN_SHARE));
            }
        }
    }
    if let Some(along) = common_edge(gaps, reached) {
        planes.retain(|(p, _)| p.normal.dot(&along).abs() < MAX_COSINE_TO_EDGE);
    }
    planes
}

/// The direction across which all gaps look, if there is one: what is cut along it has the same gaps on both sides.
fn common_edge(gaps: &[VoidRay], reached: &[(u32, f64)]) -> Option<Vec3> {
    let square = |way: Vec3| way * way.transpose();
    let spread = reached.iter().fold(Mat3::zeros(), |m, r| m + square(gaps[r.0 as usize].way));
    let eigen = spread.symmetric_eigen();
    let least = eigen.eigenvalues.imin();
    let across = eigen.eigenvalues[least] <= ACROSS_ALL * eigen.eigenvalues.max();
    across.then(|| eigen.eigenvectors.column(least).into_owned())
}

/// The gaps that are reached farthest, apart from each other.
fn deepest<'g>(extent: &KDop, gaps: &'g [VoidRay], reached: &[(u32, f64)]) -> Vec<&'g VoidRay> {
    let mut order: Vec<&(u32, f64)> = reached.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let size = (0..3).map(|k| extent.high[k] - extent.low[k]).fold(0.0, f64::max);
    let mut chosen: Vec<&VoidRay> = Vec::new();
    for (g, _) in order {
        let gap = &gaps[*g as usize];
        let same = |c: &&VoidRay| {
            (c.at - gap.at).norm() < SAME_RAY_DISTANCE * size && c.way.dot(&gap.way) > SAME_DIRECTION_COSINE
        };
        if !chosen.iter().any(same) {
            chosen.push(gap);
            if chosen.len() == DEEPEST {
                break;
            }
        }
    }
    chosen
}

fn score_cut(
    soup: &PolygonSample,
    (plane, thin): (&Plane, f64),
    gaps: &[VoidRay],
    reached: &[(u32, f64)],
    limits: &Limits,
    heights: &mut Vec<f64>,
) -> Option<CutScore> {
    let [behind, before] = soup.overshoot(plane);
    if lesser(behind, before) <= greater(MIN_SLICE_OF_EPSILON * limits.epsilon, thin * (behind + before)) {
        return None;
    }
    // What cells have in common is too little to matter here.
    let excess = soup.extents(plane, heights).map(|extent| {
        let of = |(g, most): &(u32, f64)| lesser(gaps[*g as usize].reached_within(&extent), *most) - limits.epsilon;
        reached.iter().map(of).filter(|e| *e > 0.0).sum::<f64>()
    });
    let total = excess[0] + excess[1];
    Some(CutScore { excess: total, uneven: excess[0].max(excess[1]) })
}
