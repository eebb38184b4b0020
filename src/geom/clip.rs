//! Clips polygons.

use crate::geom::Vec3;

/// Clips a convex polygon to the half-space of points with a height of at most 0; `out` receives the result, empty
/// outside. Source: I. E. Sutherland, G. W. Hodgman, "Reentrant Polygon Clipping", 1974.
pub(crate) fn clip(polygon: &[Vec3], height: impl Fn(&Vec3) -> f64, out: &mut Vec<Vec3>) {
    out.clear();
    let Some(mut last) = polygon.last() else { return };
    for next in polygon {
        let (h, g) = (height(last), height(next));
        if h * g < 0.0 {
            out.push(last + (next - last) * (h / (h - g)));
        }
        if g <= 0.0 {
            out.push(*next);
        }
        last = next;
    }
}
