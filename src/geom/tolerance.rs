//! Shared tolerances, limits and margins: unit, reason, and the effect of a change. Constants of a single algorithm
//! stand beside it.

use crate::geom::math::UNIT_ROUNDOFF;

/// Default tolerance: overlap up to this depth counts as contact (mm). The assembly file or `--tolerance` replaces it.
pub const DEFAULT_TOLERANCE_MM: f64 = 0.01;

/// Rounding margin η of a pair (mm, >= 0): bounds and witnesses are trusted up to this margin. `32·u·(diam A + diam B +
/// |t_rel|)` covers the rotation of a vertex into the other frame (3 products and sums a coordinate), the difference of
/// two vertices and one dot product, with a spare factor of about four (docs/explanation/numerics.md). Smaller: a bound
/// could lie above the truth by rounding. Larger: contacts at tight tolerances become undecided.
pub fn roundoff_mm(diameter_a: f64, diameter_b: f64, distance: f64) -> f64 {
    32.0 * UNIT_ROUNDOFF * (diameter_a + diameter_b + distance)
}

/// Largest displacement of a point by the rounding of its part's relative pose (mm, >= 0), a share of η. Rounding lets
/// equal placements, written and rounded at different places of an assembly, share one answer
/// (`check/pairs/canonical_pose.rs`). About 10⁻¹¹ mm for parts of 100 mm.
pub fn shared_pose_mm(diameter_a: f64, diameter_b: f64, distance: f64) -> f64 {
    512.0 * UNIT_ROUNDOFF * (diameter_a + diameter_b + distance)
}

/// Single-precision quantum of a coordinate: STL stores 24 bits of it.
pub fn f32_quantum(max_abs_coordinate: f64) -> f64 {
    f64::from(f32::EPSILON) * max_abs_coordinate
}

/// Least tolerance of a pair, in single-precision quanta of its largest coordinate (docs/explanation/gap.md): two faces
/// designed flush differ by this much after the export of each part.
pub const TOLERANCE_IN_F32_QUANTA: f64 = 8.0;

/// Distance for welding vertices to close open edges, in single-precision quanta of the part's largest coordinate.
/// Larger would close design gaps; smaller leaves rounding cracks open.
pub const WELD_IN_F32_QUANTA: f64 = 8.0;

/// Largest accepted coordinate, in the file's own unit: products of three differences stay finite and exact predicates
/// cannot overflow. 1e15 mm is six times the distance to the sun.
pub const MAX_COORDINATE: f64 = 1e15;

/// GJK stops after this many support points and then returns a valid, wider interval; it needs four to ten.
pub const GJK_MAX_ITERATIONS: usize = 64;

/// GJK stops as soon as its lower and upper bound agree to this fraction.
pub const GJK_RELATIVE: f64 = 1e-12;

/// Above this many vertices, a hill climb along the hull's edges finds support points, instead of a scan of all
/// vertices.
pub const HILL_CLIMB_ABOVE_VERTICES: usize = 600;

/// A penetration depth is exact if its bounds agree to this fraction of the two parts' diameters.
pub const PENETRATION_WIDTH: f64 = 1e-9;

/// An allowance above this multiple of its deepest overlap is far too generous. A fit needs about twice its overlap for
/// tolerances. Smaller would warn about fits; larger would miss an allowance that hides a second fault.
pub const EXCESSIVE_ALLOWANCE_RATIO: f64 = 4.0;

/// Overlaps up to this depth may be a press fit or a seat (mm): interference fits up to 100 mm of diameter seldom
/// exceed it. `suggest` proposes no allowance for deeper ones.
pub const FIT_DEPTH_MM: f64 = 0.25;

/// Overlap depth of fasteners without modelled threads (mm): the depth of the thread, 0.61 of the pitch, is 1.5 mm for
/// M20. `suggest` proposes no allowance for deeper ones.
pub const FASTENER_DEPTH_MM: f64 = 2.0;
