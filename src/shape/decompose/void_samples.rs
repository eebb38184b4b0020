//! Samples the free space in front of the surface, to be kept clear by the convex pieces.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::kdop::{DIRECTIONS, Directions, KDop};
use crate::shape::surface::Surface;
use rayon::prelude::*;

/// Number of samples of a surface, spread by area.
const SAMPLES: usize = 1000;

/// Number of additional samples in a cell, if those of the whole surface missed a void.
const SAMPLES_MORE: usize = 200;

/// Number of steps to find the largest free ball at a sample; more steps change its radius little.
const BALL_STEPS: usize = 8;

/// Replaces the inverse of zero: beyond any coordinate.
const FAR_SHARE: f64 = 1e200;

/// Void ray: free space in front of a surface point. For t up to `depth`, the point `at + t·way` lies t away from the
/// solid. A piece containing it overshoots the solid by t.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VoidRay {
    /// Point on the surface (mm).
    pub at: Vec3,
    /// Unit direction away from the solid.
    pub way: Vec3,
    /// Length of the ray (mm, > 0).
    pub depth: f64,
    along: [f64; DIRECTIONS],
    inverse: [f64; DIRECTIONS],
}

impl VoidRay {
    /// Makes the ray from a surface point to an outside point with this closest surface point.
    pub fn new(at: Vec3, way: Vec3, depth: f64, lines: &Directions) -> Self {
        let inverse = lines.along(&way).map(|w| if w == 0.0 { FAR_SHARE } else { 1.0 / w });
        Self { at, way, depth, along: lines.along(&at), inverse }
    }

    /// Overshoot of a convex polytope along this ray (mm); 0 if it misses the ray.
    pub fn reached(&self, planes: &[Plane]) -> f64 {
        let (mut low, mut high) = (0.0, self.depth);
        for plane in planes {
            let (height, slope) = (plane.height(&self.at), plane.normal.dot(&self.way));
            if slope > 0.0 {
                high = lesser(high, -height / slope);
            } else if slope < 0.0 {
                low = greater(low, -height / slope);
            } else if height > 0.0 {
                return 0.0;
            }
            if low > high {
                return 0.0;
            }
        }
        high
    }

    /// Overshoot of a k-DOP along this ray (mm); at least the overshoot of the hull of its points.
    pub fn reached_within(&self, extent: &KDop) -> f64 {
        let (mut low, mut high) = (0.0, self.depth);
        for k in 0..DIRECTIONS {
            let from = (extent.low[k] - self.along[k]) * self.inverse[k];
            let to = (extent.high[k] - self.along[k]) * self.inverse[k];
            low = greater(low, lesser(from, to));
            high = lesser(high, greater(from, to));
        }
        if low > high { 0.0 } else { high }
    }
}

/// Samples the void rays along which the solid's hull overshoots by more than `floor` (mm). Each is the axis of the
/// largest free ball at a sample. Samples are spread evenly by area, the same for the same surface. Source of the ball:
/// J. Ma, S. W. Bae & S. Choi, "3D medial axis point approximation using nearest neighbors and the normal field", 2012,
/// §3.
pub(crate) fn sample(surface: &Surface, hull: &[Plane], lines: &Directions, floor: f64) -> Vec<VoidRay> {
    let all: Vec<u32> = (0..surface.triangles.len() as u32).collect();
    sample_of(surface, &all, SAMPLES, hull, lines, floor)
}

/// Samples void rays in front of some triangles only.
pub(crate) fn sample_more(
    surface: &Surface,
    of: &[u32],
    hull: &[Plane],
    lines: &Directions,
    floor: f64,
) -> Vec<VoidRay> {
    sample_of(surface, of, SAMPLES_MORE, hull, lines, floor)
}

fn sample_of(
    surface: &Surface,
    of: &[u32],
    samples: usize,
    hull: &[Plane],
    lines: &Directions,
    floor: f64,
) -> Vec<VoidRay> {
    let area = |t: u32| {
        let [a, b, c] = surface.triangle(t);
        (b - a).cross(&(c - a)).norm()
    };
    let areas: Vec<f64> = of.par_iter().map(|&t| area(t)).collect();
    let step = areas.iter().sum::<f64>() / samples as f64;
    let (mut at, mut passed, mut count) = (Vec::new(), 0.0, 0);
    for (&t, area) in of.iter().zip(areas) {
        passed += area;
        while (count as f64 + 0.5) * step < passed && count < samples {
            count += 1;
            at.push((t, point_in(&surface.triangle(t), count as f64)));
        }
    }
    let gap = |(t, at): (u32, Vec3)| {
        let way = surface.normal(t);
        let exit = VoidRay { at, way, depth: f64::INFINITY, along: [0.0; DIRECTIONS], inverse: [0.0; DIRECTIONS] }
            .reached(hull);
        free_depth(surface, &at, &way, exit, floor).map(|depth| VoidRay::new(at, way, depth, lines))
    };
    at.into_par_iter().filter_map(gap).collect()
}

/// Point `k` of a golden-step sequence in a triangle.
fn point_in(t: &[Vec3; 3], k: f64) -> Vec3 {
    let (u, v) = (k * 0.754_877_666_2, k * 0.569_840_290_9);
    let (u, v) = (u - u.floor(), v - v.floor());
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v
}

/// Radius of the largest free ball touching the surface here, at most `most` (mm); `None` if it is at most `floor`
/// (mm).
fn free_depth(surface: &Surface, at: &Vec3, way: &Vec3, most: f64, floor: f64) -> Option<f64> {
    let mut radius = most;
    if !radius.is_finite() {
        return None;
    }
    for _ in 0..BALL_STEPS {
        if radius <= floor {
            return None;
        }
        let Some(near) = surface.nearest(&(at + way * radius), radius * (1.0 - 1e-6)) else { break };
        let to = near.point - at;
        let touching = 0.5 * to.norm_squared() / way.dot(&to);
        if !(touching > 0.0 && touching < radius) {
            break;
        }
        radius = touching;
    }
    (radius > floor).then_some(radius)
}
