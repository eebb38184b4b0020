//! Derives the place of a pair and the direction in which its overlap or gap is thin.

use crate::check::{PairOutcome, Relation};
use crate::geom::{Aabb, Vec3};

/// Place of a pair. Points in the root frame, lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Focus {
    /// Centre of the largest common ball; for separate parts the middle between the closest points.
    pub point: Vec3,
    /// Unit direction of the least extent at the point; `None` if unknown.
    pub thin: Option<Vec3>,
    /// Overlap depth (> 0), if there is an overlap.
    pub depth: Option<f64>,
    /// Closest points, if the pair is apart.
    pub apart: Option<[Vec3; 2]>,
    /// Box of the overlap.
    pub overlap: Option<Aabb>,
}

impl Focus {
    /// Focus of a row; `bounds` is the box of both parts, for a row without any point.
    pub fn new(p: &PairOutcome, bounds: &Aabb) -> Self {
        let depth = p.overlap_depth.filter(|d| *d > 0.0);
        let unit = |v: Vec3| v.try_normalize(0.0);
        if let (Some(point), Some(depth)) = (p.deepest_point, depth) {
            let distance = |q: &Vec3| (q - point).norm();
            let thin = p.closest_points.and_then(|[a, b]| {
                let (near, far) = if distance(&a) <= distance(&b) { (a, b) } else { (b, a) };
                unit(near - point).or_else(|| unit(far - point))
            });
            return Self { point, thin: thin.or(p.normal), depth: Some(depth), apart: None, overlap: p.overlap_box };
        }
        let Some([a, b]) = p.closest_points else {
            return Self { point: bounds.center(), thin: None, depth: None, apart: None, overlap: p.overlap_box };
        };
        let apart = (p.relation == Some(Relation::Apart)).then_some([a, b]);
        Self { point: (a + b) * 0.5, thin: unit(b - a).or(p.normal), depth: None, apart, overlap: p.overlap_box }
    }

    /// Corners of the box that a picture must show: the overlap, or the closest points.
    pub fn corners(&self) -> Vec<Vec3> {
        let Some(b) = self.overlap else {
            return self.apart.map_or_else(|| vec![self.point], |points| points.to_vec());
        };
        let pick = |k: usize, axis: usize| if k >> axis & 1 == 0 { b.min[axis] } else { b.max[axis] };
        (0..8).map(|k| Vec3::new(pick(k, 0), pick(k, 1), pick(k, 2))).collect()
    }
}
