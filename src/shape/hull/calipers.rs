//! Finds the rectangle around projected points with the smallest resulting box.

use crate::geom::Vec3;
use crate::geom::math::basis;

/// Returns the direction along one side of the best rectangle around the points projected along the unit vector
/// `normal`, or `None` if they project to one point.
///
/// "Best" is the smallest `w·d + h·(w + d)` for sides `w`, `d` and the points' height `h` along `normal`: half the
/// surface area of the box. One side lies along a side of the projected hull (H. Freeman, R. Shapira, "Determining the
/// minimum-area encasing rectangle for an arbitrary closed curve", 1975). Cost O(n log n + m²) for m corners of the
/// projected hull.
pub(crate) fn best_side(points: &[Vec3], normal: &Vec3) -> Option<Vec3> {
    let (x, y) = basis(normal);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut flat: Vec<[f64; 2]> = Vec::with_capacity(points.len());
    for p in points {
        let h = normal.dot(p);
        (low, high) = (low.min(h), high.max(h));
        flat.push([x.dot(p), y.dot(p)]);
    }
    let corners = rounded_hull(flat);
    let height = high - low;
    let mut best: Option<(f64, [f64; 2])> = None;
    for (i, a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let side = [b[0] - a[0], b[1] - a[1]];
        let length = (side[0] * side[0] + side[1] * side[1]).sqrt();
        if length <= 0.0 {
            continue;
        }
        let side = [side[0] / length, side[1] / length];
        let w = spread(&corners, side);
        let d = spread(&corners, [-side[1], side[0]]);
        let half_area = w * d + height * (w + d);
        if best.is_none_or(|(smallest, _)| half_area < smallest) {
            best = Some((half_area, side));
        }
    }
    best.map(|(_, s)| x * s[0] + y * s[1])
}

/// Extent of the points along a direction.
fn spread(points: &[[f64; 2]], along: [f64; 2]) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in points {
        let t = p[0] * along[0] + p[1] * along[1];
        (low, high) = (low.min(t), high.max(t));
    }
    high - low
}

/// Computes the hull by a monotone chain in plain arithmetic. Rounding is harmless: the hull only proposes directions,
/// and the extents along them are computed anew later.
fn rounded_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for backward in [false, true] {
        let start = corners.len();
        for i in 0..points.len() {
            let p = points[if backward { points.len() - 1 - i } else { i }];
            while let [.., a, b] = corners[start..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                corners.pop();
            }
            corners.push(p);
        }
        corners.pop();
    }
    corners
}
