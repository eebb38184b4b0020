//! Chooses the plane to cut a cell by.

use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::shape::decompose::Limits;
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::kdop::{Directions, KDop};
use crate::shape::decompose::polygon_sample::PolygonSample;
use crate::shape::decompose::void_samples::VoidRay;
use rayon::prelude::*;

/// Number of cuts tried along each axis of the solid's box, evenly spaced.
const POSITIONS: usize = 7;

/// Number of void rays with cuts through them.
const DEEPEST: usize = 6;

/// Distance below which two void rays with similar directions count as one, relative to the cell's size.
const SAME_RAY_DISTANCE: f64 = 0.15;

/// Least cosine between similar directions.
const SAME_DIRECTION_COSINE: f64 = 0.9;

/// Relative difference of excess up to which two cuts count as equal; the more even one wins.
const EQUAL: f64 = 0.02;

/// Ratio of mean squares up to which all void rays count as perpendicular to a direction: their component along it,
/// against the largest component.
const ACROSS_ALL: f64 = 1e-3;

/// Largest cosine between that direction and the normal of a cut; other cuts are left out.
const MAX_COSINE_TO_EDGE: f64 = 0.9;

/// Least share of a cell's height on either side of a cut away from faces: a thin slice would hide between the samples.
const THIN_SHARE: f64 = 0.08;

/// Least thickness of a slice, as a share of ε: thinner ones have no effect on the overshoot.
const MIN_SLICE_OF_EPSILON: f64 = 0.5;

/// Least sine between an axis and a void ray for a cut along both, and least cosine for a cut perpendicular to the
/// axis.
const MIN_SINE: f64 = 0.3;

/// Budget of points for comparing the best cuts by the hulls of their sides as well: it sets the number of such cuts.
const CUTS_SCORED: usize = 2000;

/// Largest number of such cuts.
const MAX_CUTS_SCORED: usize = 5;

/// Distance of a cut along a face from the face, relative to the cell's size.
const FLUSH_SHARE: f64 = 1e-7;

/// Score of a cut.
#[derive(Debug, Clone, Copy)]
struct CutScore {
    /// Overshoot beyond ε, summed over void rays and both sides (mm).
    excess: f64,
    /// Excess of the worse side (mm).
    uneven: f64,
}

/// Returns the best cuts, the best first. Candidates are planes perpendicular to the axes of the solid's box, and
/// planes along and across the surface at the void rays of largest overshoot. `reached` pairs each relevant void ray
/// with its overshoot (mm). Planes leaving nearly everything on one side are excluded.
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
    // Nearly best cuts count as equally good; the more even one then wins.
    let excess = |o: &CutScore| greater(o.excess, least * (1.0 + EQUAL));
    ranked.sort_by(|(a, _), (b, _)| excess(a).total_cmp(&excess(b)).then(a.uneven.total_cmp(&b.uneven)));
    ranked.truncate((CUTS_SCORED / soup.points.len().max(1)).clamp(1, MAX_CUTS_SCORED));
    ranked.into_iter().map(|r| r.1).collect()
}

/// Plane through the middle of the longest axis, perpendicular to it.
pub(crate) fn middle_cut(extent: &KDop, lines: &Directions) -> Plane {
    let length = |k: &usize| extent.high[*k] - extent.low[*k];
    let k = (0..3).max_by(|i, j| length(i).total_cmp(&length(j))).unwrap_or(0);
    Plane { normal: lines.0[k], offset: 0.5 * (extent.low[k] + extent.high[k]) }
}

/// Candidate planes, each with the least share of the cell's height required on either side.
fn candidates(
    extent: &KDop,
    lines: &Directions,
    gaps: &[VoidRay],
    reached: &[(u32, f64)],
    limits: &Limits,
) -> Vec<(Plane, f64)> {
    // The cell in front grows backward: without this distance it would include a slice of the material behind the face.
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

/// Direction perpendicular to all void rays, if there is one: a cut perpendicular to it has the same rays on both
/// sides.
fn common_edge(gaps: &[VoidRay], reached: &[(u32, f64)]) -> Option<Vec3> {
    let square = |way: Vec3| way * way.transpose();
    let spread = reached.iter().fold(Mat3::zeros(), |m, r| m + square(gaps[r.0 as usize].way));
    let eigen = spread.symmetric_eigen();
    let least = eigen.eigenvalues.imin();
    let across = eigen.eigenvalues[least] <= ACROSS_ALL * eigen.eigenvalues.max();
    across.then(|| eigen.eigenvectors.column(least).into_owned())
}

/// Void rays of largest overshoot, apart from each other.
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
    // The overlap of the two cells is negligible here.
    let excess = soup.extents(plane, heights).map(|extent| {
        let of = |(g, most): &(u32, f64)| lesser(gaps[*g as usize].reached_within(&extent), *most) - limits.epsilon;
        reached.iter().map(of).filter(|e| *e > 0.0).sum::<f64>()
    });
    let total = excess[0] + excess[1];
    Some(CutScore { excess: total, uneven: excess[0].max(excess[1]) })
}
