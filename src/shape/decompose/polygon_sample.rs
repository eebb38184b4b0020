//! Samples the surface in a cell as convex polygons, to compare cuts on.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::kdop::{DIRECTIONS, Directions, KDop};
use crate::shape::surface::Surface;
use rayon::prelude::*;

/// Approximate number of triangles in a sample; larger surfaces are thinned to it.
const MAX_POLYGONS: usize = 800;

/// Thinning ratio (triangles per kept triangle) from which corners replace the short ones.
const SPARSE_SHARE: usize = 3;

/// Relative length, in units of the surface's size, above which a triangle is always kept.
const LONG_EDGE_SHARE: f64 = 0.025;

const NONE: u32 = u32::MAX;

/// Sample of convex polygons.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolygonSample {
    /// Corners of all polygons (mm).
    pub points: Vec<Vec3>,
    along: Vec<[f64; DIRECTIONS]>,
    corners: Vec<u32>,
    /// End of each polygon in `corners`.
    ends: Vec<u32>,
    thinned: bool,
}

impl PolygonSample {
    /// True if nothing was left out.
    pub fn is_whole(&self) -> bool {
        !self.thinned
    }

    /// Samples triangles of a surface: many are thinned, but the `long` ones are kept. At a high thinning ratio, one
    /// corner replaces each triangle without a side longer than `short` (mm), if the corner is behind all planes.
    pub fn of(
        surface: &Surface,
        triangles: &[u32],
        (long, short): (&[bool], f64),
        planes: &[Plane],
        lines: &Directions,
    ) -> Self {
        let some = thinned(triangles, long);
        if triangles.len() < SPARSE_SHARE * some.len() {
            return Self { thinned: some.len() < triangles.len(), ..Self::all(surface, &some, lines) };
        }
        let (large, small): (Vec<u32>, Vec<u32>) = some.into_iter().partition(|&t| is_longer(surface, t, short));
        let mut soup = Self { thinned: true, ..Self::all(surface, &large, lines) };
        let mut corners: Vec<Vec3> = small.into_iter().map(|t| surface.triangle(t)[0]).collect();
        corners.retain(|x| planes.iter().all(|p| p.height(x) <= 0.0));
        soup.add_points(&corners, lines);
        soup
    }

    /// Takes all of the given triangles.
    pub fn all(surface: &Surface, triangles: &[u32], lines: &Directions) -> Self {
        let mut soup = Self::default();
        let mut number = vec![NONE; surface.vertices.len()];
        for &t in triangles {
            for v in surface.triangles[t as usize] {
                let slot = &mut number[v as usize];
                if *slot == NONE {
                    *slot = soup.add(surface.vertices[v as usize], lines);
                }
                soup.corners.push(*slot);
            }
            soup.ends.push(soup.corners.len() as u32);
        }
        soup
    }

    fn add(&mut self, x: Vec3, lines: &Directions) -> u32 {
        self.points.push(x);
        self.along.push(lines.along(&x));
        (self.points.len() - 1) as u32
    }

    /// Adds single points.
    pub fn add_points(&mut self, points: &[Vec3], lines: &Directions) {
        for x in points {
            let at = self.add(*x, lines);
            self.corners.push(at);
            self.ends.push(self.corners.len() as u32);
        }
    }

    fn polygons(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(s, e)| &self.corners[s as usize..*e as usize])
    }

    /// Largest distances of the points behind a plane and in front of it (mm, >= 0).
    pub fn overshoot(&self, plane: &Plane) -> [f64; 2] {
        let mut ends = [0.0_f64; 2];
        for x in &self.points {
            let h = plane.height(x);
            ends = [lesser(ends[0], h), greater(ends[1], h)];
        }
        [-ends[0], ends[1]]
    }

    /// Extents of the parts behind a plane and in front of it.
    pub fn extents(&self, plane: &Plane, heights: &mut Vec<f64>) -> [KDop; 2] {
        heights.clear();
        heights.extend(self.points.iter().map(|x| plane.height(x)));
        let mut extents = [KDop::NONE; 2];
        for (h, along) in heights.iter().zip(&self.along) {
            if *h <= 0.0 {
                extents[0].add(along);
            }
            if *h >= 0.0 {
                extents[1].add(along);
            }
        }
        for polygon in self.polygons() {
            let mut last = polygon[polygon.len() - 1] as usize;
            for &next in polygon {
                let next = next as usize;
                let (h, g) = (heights[last], heights[next]);
                if h * g < 0.0 {
                    let t = h / (h - g);
                    let (p, q) = (&self.along[last], &self.along[next]);
                    let mut cut = *p;
                    for k in 0..DIRECTIONS {
                        cut[k] += (q[k] - p[k]) * t;
                    }
                    for extent in &mut extents {
                        extent.add(&cut);
                    }
                }
                last = next;
            }
        }
        extents
    }

    /// Clips the sample to half-spaces.
    pub fn clipped(self, planes: &[Plane], lines: &Directions) -> Self {
        let clip = |soup: Self, plane: &Plane| {
            let is_behind = soup.points.iter().all(|x| plane.height(x) <= 0.0);
            if is_behind { soup } else { soup.behind(plane, lines) }
        };
        planes.iter().fold(self, clip)
    }

    /// Clips the sample to a half-space (I. Sutherland & G. Hodgman, "Reentrant Polygon Clipping", 1974).
    pub fn behind(&self, plane: &Plane, lines: &Directions) -> Self {
        let heights: Vec<f64> = self.points.iter().map(|x| plane.height(x)).collect();
        let mut part = Self {
            points: Vec::with_capacity(self.points.len()),
            along: Vec::with_capacity(self.points.len()),
            corners: Vec::with_capacity(self.corners.len()),
            ends: Vec::with_capacity(self.ends.len()),
            thinned: self.thinned,
        };
        let mut number = vec![NONE; self.points.len()];
        for polygon in self.polygons().filter(|p| p.iter().any(|&v| heights[v as usize] < 0.0)) {
            let mut last = polygon[polygon.len() - 1] as usize;
            for &next in polygon {
                let next = next as usize;
                let (h, g) = (heights[last], heights[next]);
                if h * g < 0.0 {
                    let cut = self.points[last] + (self.points[next] - self.points[last]) * (h / (h - g));
                    let cut = part.add(cut, lines);
                    part.corners.push(cut);
                }
                if g <= 0.0 {
                    if number[next] == NONE {
                        number[next] = part.points.len() as u32;
                        part.points.push(self.points[next]);
                        part.along.push(self.along[next]);
                    }
                    part.corners.push(number[next]);
                }
                last = next;
            }
            part.ends.push(part.corners.len() as u32);
        }
        part
    }
}

/// Marks the triangles to be always kept.
pub(crate) fn long(surface: &Surface) -> Vec<bool> {
    let long = LONG_EDGE_SHARE * surface.bounds.diagonal();
    (0..surface.triangles.len() as u32).into_par_iter().map(|t| is_longer(surface, t, long)).collect()
}

/// True if the triangle has a side longer than `than` (mm).
fn is_longer(surface: &Surface, t: u32, than: f64) -> bool {
    let [a, b, c] = surface.triangle(t);
    [(a, b), (b, c), (c, a)].iter().any(|(p, q)| (p - q).norm_squared() > than * than)
}

/// Thins triangles for comparing cuts: keeps every n-th and all `long` ones; all if there are few.
pub(crate) fn thinned(triangles: &[u32], long: &[bool]) -> Vec<u32> {
    let stride = triangles.len().div_ceil(MAX_POLYGONS).max(1);
    let kept = triangles.iter().enumerate().filter(|(k, t)| k % stride == 0 || long[**t as usize]);
    kept.map(|(_, t)| *t).collect()
}
