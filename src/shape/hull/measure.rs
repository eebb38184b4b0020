//! Measures volume, area and centroid of a hull.

use crate::geom::Vec3;
use crate::shape::hull::Hull;

/// Size and centroid of a hull.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Volume (mm³); 0 below rank 3.
    pub volume: f64,
    /// Area of the surface (mm²): both sides of a flat hull; 0 below rank 2.
    pub area: f64,
    /// Centroid of the solid, polygon, segment or point, in the hull's frame (mm); the origin for an empty hull.
    pub centroid: Vec3,
}

/// Measures a hull by sums of tetrahedra (rank 3) or triangles (rank 2). The local origin is the mean of the vertices:
/// a hull far from the frame's origin loses no digits. Cost O(triangles).
pub fn measure(hull: &Hull) -> Measure {
    let v = &hull.vertices;
    let Some(first) = v.first() else {
        return Measure { volume: 0.0, area: 0.0, centroid: Vec3::zeros() };
    };
    let shift: Vec3 = v.iter().map(|p| p - first).sum::<Vec3>() / v.len() as f64;
    let origin = first + shift;
    let (mut volume, mut area, mut moment) = (0.0, 0.0, Vec3::zeros());
    if hull.rank == 2 {
        for i in 1..v.len().saturating_sub(1) {
            let [a, b, c] = [v[0], v[i], v[i + 1]].map(|p| p - origin);
            let one = 0.5 * (b - a).cross(&(c - a)).norm();
            area += 2.0 * one;
            moment += (a + b + c) * (2.0 / 3.0 * one);
        }
        return Measure { volume, area, centroid: if area > 0.0 { origin + moment / area } else { origin } };
    }
    for t in &hull.triangles {
        let [a, b, c] = t.map(|i| v[i as usize] - origin);
        let normal = (b - a).cross(&(c - a));
        area += 0.5 * normal.norm();
        let one = a.dot(&normal) / 6.0;
        volume += one;
        moment += (a + b + c) * (0.25 * one);
    }
    Measure { volume: volume.max(0.0), area, centroid: if volume > 0.0 { origin + moment / volume } else { origin } }
}
