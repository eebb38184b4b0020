//! Families of parts of several shells: apart, nested, overlapping each other, touching, duplicated.

use super::known::{Draw, Known, Lie};
use crate::support::solids::{block, joined, reversed};
use interfere::internals::geom::Vec3;
use interfere::internals::mesh::TriMesh;

/// A bar along x from 0 to `long`: as one shell, and as several shells of the same solid. Returns also the x of their
/// inner seam, and true if they only touch there: rounding then opens a slit, and the solid changes.
fn bar(d: &mut Draw, long: f64, [wide, high]: [f64; 2]) -> ([TriMesh; 2], f64, bool) {
    let piece = |from: f64, to: f64| block([from, 0.0, 0.0], [to, wide, high]);
    let (p, q) = (long * d.rng.range(0.3, 0.45), long * d.rng.range(0.55, 0.7));
    let whole = piece(0.0, long);
    let kind = d.rng.below(4);
    let pieces = match kind {
        // Overlapping, flush, one inside the other, duplicated.
        0 => vec![piece(0.0, q), piece(p, long)],
        1 => vec![piece(0.0, p), piece(p, long)],
        2 => vec![whole.clone(), block([p, 0.2 * wide, 0.2 * high], [q, 0.7 * wide, 0.6 * high])],
        _ => vec![whole.clone(), whole.clone()],
    };
    ([whole, joined(&pieces)], if d.chance(2) { p } else { q }, kind == 1)
}

/// A block in, on or above a bar of several shells, near their seam.
pub fn inner_sheets(d: &mut Draw) -> Known {
    let (long, wide, high) = (d.length(1.0, 3.0), d.length(0.3, 1.0), d.length(0.3, 1.0));
    let ([plain, pieces], seam, touching) = bar(d, long, [wide, high]);
    let mut known = if d.chance(2) {
        // Up to a third of the bar, so it stays inside at any rotation; or as thin as a tolerance.
        let thick = if d.chance(2) { d.depth(0.1 * d.size) } else { 0.3 * wide.min(high) * d.rng.range(0.2, 1.0) };
        let half = [0.5 * thick * d.rng.range(1.0, 1.5), 0.5 * thick, 0.5 * thick];
        let block = block(half.map(|h| -h), half);
        let at = Vec3::new(if d.chance(2) { seam } else { long * d.rng.range(0.3, 0.7) }, 0.5 * wide, 0.5 * high);
        Known::new(pieces, block, -thick).at(d.rng.rotation(), at).lying(Lie::Within)
    } else {
        let gap = d.gap(0.05 * d.size);
        let block = block([-0.3 * wide, -0.3 * wide, 0.0], [0.3 * wide, 0.3 * wide, d.size]);
        let at = Vec3::new(if d.chance(2) { seam } else { 0.5 * long }, 0.5 * wide, high + gap);
        let turn = d.spin();
        Known::new(pieces, block, gap).at(turn, at)
    };
    known.plain = Some(plain);
    known.flush = touching;
    known
}

/// A block between, on or in the separate shells of one part; or in the hollow around an island of it.
pub fn separate(d: &mut Draw) -> Known {
    let (wide, high) = (d.length(0.3, 1.0), d.length(0.3, 1.0));
    let gap = d.gap(0.2 * wide.min(high));
    let other = gap.max(0.0) + d.length(0.01, 0.3);
    if d.chance(2) {
        let slab = |from: f64| block([from, 0.0, 0.0], [from + wide, wide, high]);
        let block = block([wide + gap, 0.1 * wide, 0.1 * high], [2.0 * wide, 0.9 * wide, 2.0 * high]);
        return Known::new(joined(&[slab(0.0), slab(2.0 * wide + other)]), block, gap);
    }
    // A hollow box with an island in its middle; the block beside the island.
    let cube = |h: f64| block([-h; 3], [h; 3]);
    let outer = 2.0 * wide + gap + other;
    let hollow = joined(&[cube(outer + wide), reversed(&cube(outer)), cube(wide)]);
    let low = 0.8 * wide;
    let block = block([wide + gap, -low, -low], [2.0 * wide + gap, low, low]);
    Known::new(hollow, block, gap)
}
