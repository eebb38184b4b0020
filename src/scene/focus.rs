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
    /// Box of the overlap; of an undecided pair, the box of the line in which the surfaces cross.
    pub overlap: Option<Aabb>,
    /// Unit normal of the plane that shows most: through the ball's centre and its points on both surfaces; of an
    /// undecided pair, across the crossing line. `None` if many planes do.
    pub section: Option<Vec3>,
}

/// Sine of the least angle between the directions to both surfaces that define a plane: 17°.
const LEAST_ANGLE: f64 = 0.3;

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
            let section = p.closest_points.and_then(|[a, b]| {
                let normal = unit(a - point)?.cross(&unit(b - point)?);
                if normal.norm() > LEAST_ANGLE { unit(normal) } else { None }
            });
            let thin = thin.or(p.normal);
            return Self { point, thin, depth: Some(depth), apart: None, overlap: p.overlap_box, section };
        }
        let Some([a, b]) = p.closest_points else {
            let overlap = p.overlap_box;
            return Self { point: bounds.center(), thin: None, depth: None, apart: None, overlap, section: None };
        };
        let apart = (p.relation == Some(Relation::Apart)).then_some([a, b]);
        let thin = unit(b - a).or(p.normal);
        Self { point: (a + b) * 0.5, thin, depth: None, apart, overlap: p.overlap_box, section: None }
    }

    /// Focus of an undecided pair, whose surfaces cross in these segments: the segment nearest to the middle of the
    /// line. It claims no depth. `None` without a segment.
    pub(crate) fn of_crossing(segments: &[[Vec3; 2]]) -> Option<Self> {
        let mut bounds = Aabb::EMPTY;
        let (mut sum, mut length) = (Vec3::zeros(), 0.0);
        for [a, b] in segments {
            bounds = bounds.union(&Aabb::of_points(&[*a, *b]));
            sum += (a + b) * (0.5 * (b - a).norm());
            length += (b - a).norm();
        }
        let middle = if length > 0.0 { sum / length } else { bounds.center() };
        let distance = |[a, b]: &&[Vec3; 2]| ((a + b) * 0.5 - middle).norm();
        let [a, b] = segments.iter().min_by(|x, y| distance(x).total_cmp(&distance(y)))?;
        let section = (b - a).try_normalize(0.0);
        let point = (a + b) * 0.5;
        Some(Self { point, thin: None, depth: None, apart: None, overlap: Some(bounds), section })
    }

    /// Corners of the box that a picture must show: the overlap, or the closest points.
    pub fn corners(&self) -> Vec<Vec3> {
        let Some(b) = self.overlap else {
            return self.apart.map_or_else(|| vec![self.point], |points| points.to_vec());
        };
        b.corners().to_vec()
    }
}
