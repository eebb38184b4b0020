//! Every tolerance, cap and margin of the project, with its unit, its reason and what breaks when it moves. Nothing else
//! in the crate compares against a number of its own.

use crate::geom::math::UNIT_ROUNDOFF;

/// Default overlap that counts as contact, in mm. The file or `--tolerance` replaces it.
pub const DEFAULT_TOLERANCE_MM: f64 = 0.01;

/// The rounding margin η of a pair, in mm: no prune and no witness is believed closer than this. `32·u·(diam A + diam B +
/// |t_rel|)` covers the rotation of a vertex into the other frame (3 products and sums a coordinate), the difference of
/// two of them and one dot product, with a factor of about four to spare (docs/numerics.md). Smaller: a bound could lie
/// above the truth by rounding. Larger: contacts at tight tolerances become undecided.
pub fn roundoff_mm(diameter_a: f64, diameter_b: f64, distance: f64) -> f64 {
    32.0 * UNIT_ROUNDOFF * (diameter_a + diameter_b + distance)
}

/// By how much points of a part may move where its pose beside another is rounded, so that placements which were written elsewhere
/// in an assembly, and rounded there, share an answer (`check/pose_key.rs`): part of η. About 10⁻¹¹ mm for parts of 100 mm.
pub fn shared_pose_mm(diameter_a: f64, diameter_b: f64, distance: f64) -> f64 {
    512.0 * UNIT_ROUNDOFF * (diameter_a + diameter_b + distance)
}

/// Single-precision quantum of a coordinate: STL stores 24 bits of it.
pub fn f32_quantum(max_abs_coordinate: f64) -> f64 {
    f64::from(f32::EPSILON) * max_abs_coordinate
}

/// The tolerance of a pair is never below this many single-precision quanta of its largest coordinate (concept.md,
/// Verdicts): two faces that a design lays flush differ by that much after each part was exported.
pub const TOLERANCE_IN_F32_QUANTA: f64 = 8.0;

/// Vertices closer than this many single-precision quanta of the part's largest coordinate may be joined where that
/// closes open edges. Larger would close design gaps, smaller leaves rounding cracks open.
pub const WELD_IN_F32_QUANTA: f64 = 8.0;

/// Coordinates beyond this, in the file's own unit, are refused: products of three differences stay finite and exact
/// predicates do not overflow. 1e15 mm is six times the distance to the sun.
pub const MAX_COORDINATE: f64 = 1e15;

/// GJK gives up after this many support points; it needs four to ten. Giving up leaves a valid, wider interval.
pub const GJK_MAX_ITERATIONS: usize = 64;

/// GJK stops when upper and lower bound agree to this fraction.
pub const GJK_RELATIVE: f64 = 1e-12;

/// Above this many vertices, support points are found by climbing the hull's edges instead of scanning all vertices.
pub const HILL_CLIMB_ABOVE_VERTICES: usize = 600;

/// A penetration depth is exact when its bounds agree to this fraction of the two parts' size.
pub const PENETRATION_WIDTH: f64 = 1e-9;

/// An allowance is far more than is needed where it is more than so many times the deepest overlap it is for. Fits are given with room
/// for their tolerances, about twice; smaller would complain of those, larger would miss an allowance that hides a second fault.
pub const EXCESSIVE_ALLOWANCE_RATIO: f64 = 4.0;

/// Overlaps up to this (mm) may be a press fit or a seat: interference fits up to 100 mm of diameter are seldom tighter. Deeper ones are
/// not proposed to be allowed.
pub const FIT_DEPTH_MM: f64 = 0.25;

/// Fasteners drawn without their threads overlap their holes by the depth of the thread: 0.61 of the pitch, which for M20 is 1.5 mm.
/// Deeper ones (mm) are not proposed to be allowed.
pub const FASTENER_DEPTH_MM: f64 = 2.0;
