//! Measures point sets by their extents along fixed directions (k-DOP), in place of hulls while cuts are compared.

use crate::geom::aabb::BOX_DIRECTIONS;
use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::shape::hull::Facet;

/// Number of directions: more approximate hulls better, at proportional cost.
pub(crate) const DIRECTIONS: usize = 20;

/// Distance (as 1 − |cos|) below which two directions are the same.
const SAME_DIRECTION_COSINE: f64 = 0.004;

/// Directions up to sign; the first three are the axes of the solid's oriented box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Directions(pub [Vec3; DIRECTIONS]);

/// Extent of points along each direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KDop {
    /// Smallest coordinates (mm).
    pub low: [f64; DIRECTIONS],
    /// Largest coordinates (mm); below the smallest without points.
    pub high: [f64; DIRECTIONS],
}

impl Directions {
    /// Chooses the directions: the axes of the box, the normals of the largest facets of the hull, the edge and corner
    /// directions of the box, then evenly spread ones.
    pub fn of(axes: &Mat3, facets: &[Facet]) -> Self {
        let mut chosen: Vec<Vec3> = (0..3).map(|k| axes.column(k).into_owned()).collect();
        let mut order: Vec<usize> = (0..facets.len()).collect();
        order.sort_by(|&i, &j| facets[j].area.total_cmp(&facets[i].area));
        // About half follows the hull, half is spread evenly.
        let by_facets = order.into_iter().map(|i| facets[i].normal).take(4 * DIRECTIONS);
        let spread = BOX_DIRECTIONS[3..].iter().map(|d| (axes * Vec3::from(*d)).normalize());
        let fill = (0..8 * DIRECTIONS).map(|k| spread_direction(k as f64));
        let mut add = |from: &mut dyn Iterator<Item = Vec3>, up_to: usize| {
            for d in from {
                if chosen.len() < up_to && chosen.iter().all(|c| 1.0 - c.dot(&d).abs() > SAME_DIRECTION_COSINE) {
                    chosen.push(d);
                }
            }
        };
        add(&mut by_facets.into_iter(), DIRECTIONS / 2 + 1);
        add(&mut { spread }, DIRECTIONS);
        add(&mut fill.into_iter(), DIRECTIONS);
        let mut lines = [Vec3::x(); DIRECTIONS];
        lines.iter_mut().zip(chosen).for_each(|(l, c)| *l = c);
        Self(lines)
    }

    /// Coordinate of a point along each direction.
    #[inline]
    pub fn along(&self, x: &Vec3) -> [f64; DIRECTIONS] {
        self.0.map(|d| d.dot(x))
    }
}

/// Direction `k` of an even spread over the sphere, in golden steps (R. Roberts' additive recurrence).
pub(crate) fn spread_direction(k: f64) -> Vec3 {
    let cube = Vec3::new(k * 0.819_172_513, k * 0.671_043_607, k * 0.549_700_477);
    let d = cube.map(|t| t - t.floor() - 0.5);
    if d.norm() > 0.1 { d.normalize() } else { Vec3::z() }
}

impl KDop {
    /// Extent of no points.
    pub const NONE: Self = Self { low: [f64::INFINITY; DIRECTIONS], high: [f64::NEG_INFINITY; DIRECTIONS] };

    /// Extends to a point.
    #[inline]
    pub fn add(&mut self, along: &[f64; DIRECTIONS]) {
        for (low, x) in self.low.iter_mut().zip(along) {
            *low = lesser(*low, *x);
        }
        for (high, x) in self.high.iter_mut().zip(along) {
            *high = greater(*high, *x);
        }
    }
}
