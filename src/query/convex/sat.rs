//! Bounds the distance of two oriented boxes by separating axes.

use crate::geom::math::{UNIT_ROUNDOFF, lesser, norm1};
use crate::geom::{Mat3, Obb, Pose, Vec3};

/// Squared length below which a cross axis is skipped: rounding dominates the axis of two nearly parallel edges.
/// Skipping an axis can only separate fewer boxes.
const PARALLEL_SQ: f64 = 1e-6;

/// Overlap along every face axis, in halves of the smallest side, above which the cross axes are skipped. Skipping axes
/// can only separate fewer boxes.
const DEEP_SHARE: f64 = 0.75;

/// Computes a lower bound of the distance of two boxes, B placed at `b_in_a` (mm): the largest separation over the 15
/// axes (Gottschalk, Lin & Manocha, "`OBBTree`: A Hierarchical Structure for Rapid Interference Detection", 1996, §5);
/// negative if no axis separates them. The bound is exact up to the pair's rounding margin, to be added by the caller.
/// Stops after the first group of axes with a separation above `limit`.
pub fn obb_obb(a: &Obb, b: &Obb, b_in_a: &Pose, limit: f64) -> f64 {
    let (ha, hb) = (&a.half_extents, &b.half_extents);
    let a_axes_t = a.axes.transpose();
    // B's axes and centre in the frame of A's box.
    let r: Mat3 = a_axes_t * (b_in_a.rotation * b.axes);
    let t: Vec3 = a_axes_t * (b_in_a.point(&b.center) - a.center);
    let abs = r.abs();
    let mut best = f64::NEG_INFINITY;
    // A0, A1, A2
    for i in 0..3 {
        let s = t[i].abs() - ha[i] - (hb[0] * abs[(i, 0)] + hb[1] * abs[(i, 1)] + hb[2] * abs[(i, 2)]);
        best = if s > best { s } else { best };
    }
    if best > limit {
        return best;
    }
    // B0, B1, B2
    for j in 0..3 {
        let along = r[(0, j)] * t[0] + r[(1, j)] * t[1] + r[(2, j)] * t[2];
        let s = along.abs() - hb[j] - (ha[0] * abs[(0, j)] + ha[1] * abs[(1, j)] + ha[2] * abs[(2, j)]);
        best = if s > best { s } else { best };
    }
    if best > limit {
        return best;
    }
    // Boxes overlapping deeply along every face axis are seldom separated by a cross axis, and the nine cross axes cost
    // most. GJK decides such pairs.
    if best < -DEEP_SHARE * lesser(ha.min(), hb.min()) {
        return best;
    }
    // Ai × Bj. The separation is a sum of products of rounded rotation entries. Its error is subtracted before the
    // division by the axis's length, since the division magnifies the error up to a thousandfold.
    let rounding = 16.0 * UNIT_ROUNDOFF * (norm1(&t) + norm1(ha) + norm1(hb));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let length_sq = r[(i1, j)] * r[(i1, j)] + r[(i2, j)] * r[(i2, j)];
            if length_sq < PARALLEL_SQ {
                continue;
            }
            let along = t[i2] * r[(i1, j)] - t[i1] * r[(i2, j)];
            let ra = ha[i1] * abs[(i2, j)] + ha[i2] * abs[(i1, j)];
            let rb = hb[j1] * abs[(i, j2)] + hb[j2] * abs[(i, j1)];
            let s = along.abs() - ra - rb - rounding;
            if s > 0.0 {
                let s = s / length_sq.sqrt();
                best = if s > best { s } else { best };
            } else if s > best {
                // Dividing a negative separation by a length below 1 would lower it. The undivided value claims less
                // overlap.
                best = s;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::poses::{about_axis, about_z, at};

    fn cube(center: Vec3) -> Obb {
        Obb { center, axes: Mat3::identity(), half_extents: Vec3::repeat(0.5) }
    }

    #[test]
    fn face_to_face_the_bound_is_the_distance() {
        let d = obb_obb(&cube(Vec3::zeros()), &cube(Vec3::zeros()), &at(3.0, 0.2, 0.0), 10.0);
        assert_eq!(d, 2.0);
    }

    #[test]
    fn overlapping_boxes_have_no_separating_axis() {
        let pose = Pose { rotation: about_z(30.0), translation: Vec3::new(0.8, 0.2, 0.1) };
        let d = obb_obb(&cube(Vec3::zeros()), &cube(Vec3::zeros()), &pose, 10.0);
        assert!(d < 0.0);
    }

    #[test]
    fn edge_to_edge_needs_a_cross_axis() {
        // Two cubes rotated by 45° about different axes, edge against crossing edge: they touch at √2 between the
        // centres.
        let a = Obb { axes: about_z(45.0), ..cube(Vec3::zeros()) };
        let b = Obb { axes: about_axis(1, 45.0), ..cube(Vec3::zeros()) };
        let gap = 0.01;
        let d = obb_obb(&a, &b, &at(2.0_f64.sqrt() + gap, 0.0, 0.0), 10.0);
        assert!((d - gap).abs() < 1e-12, "{d}");
    }
}
