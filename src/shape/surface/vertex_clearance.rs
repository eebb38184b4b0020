//! Keeps for each vertex how far the surface in front of it is away: most vertices of a part have nothing close by.

use crate::shape::surface::Surface;
use std::sync::atomic::{AtomicU32, Ordering};

/// Radius of a search (multiples of the radius of the question): insets of one part ask with growing radii.
const SEARCH_SHARE: f64 = 4.0;

/// Rounding of a stored distance to single precision (share of the distance).
const STORED_SHARE: f64 = 1.0 - 1e-6;

/// Distance of each vertex from the triangles in front of it. Filled on demand.
#[derive(Debug)]
pub(crate) struct VertexClearances(Vec<AtomicU32>);

impl Surface {
    /// True if no triangle within `radius` (mm) of a vertex has the vertex behind its plane, apart from triangles at
    /// the vertex. Never true for one that [`Self::within`] visits. The first question about a vertex, or one with a
    /// far larger radius, searches the tree; the result does not depend on earlier questions, except by rounding where
    /// it is false.
    pub(crate) fn is_clear_in_front(&self, v: u32, radius: f64) -> bool {
        let x = &self.vertices[v as usize];
        let reach = radius + 2.0 * self.margin(x);
        let known = &self.clearances.get_or_init(|| {
            VertexClearances(self.vertices.iter().map(|_| AtomicU32::new(0)).collect())
        });
        let cell = &known.0[v as usize];
        // A distance without a triangle is a lower bound; that of a triangle has its sign changed.
        let stored = f64::from(f32::from_bits(cell.load(Ordering::Relaxed)));
        if reach < stored.abs() {
            return true;
        }
        if stored.is_sign_negative() {
            return false;
        }
        let limit = SEARCH_SHARE * reach;
        let is_in_front = |t: u32| {
            !self.triangles[t as usize].contains(&v) && self.normal_if_cheap(t).dot(&(x - self.triangle(t)[0])) < 0.0
        };
        let nearest = self.nearest_where(x, limit, is_in_front);
        let distance = nearest.map_or(limit, |found| found.distance);
        let rounded = (distance * STORED_SHARE) as f32;
        cell.store(if nearest.is_some() { -rounded } else { rounded }.to_bits(), Ordering::Relaxed);
        reach < distance * STORED_SHARE
    }
}
