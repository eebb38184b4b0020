//! Keeps for each vertex its distance from the surface in front of it: most vertices have nothing close by.

use crate::shape::surface::Surface;
use std::sync::atomic::{AtomicU32, Ordering};

/// Radius of a search (multiples of the radius in question): insets of one part ask with growing radii.
const SEARCH_MULTIPLE: f64 = 2.0;

/// Stored part of a distance: less than the distance after rounding to single precision.
const STORED_SHARE: f64 = 1.0 - 1e-6;

/// Distance of each vertex from the triangles in front of it (mm), filled on demand.
#[derive(Debug)]
pub(crate) struct VertexClearances(Vec<AtomicU32>);

impl Surface {
    /// True if no triangle within `radius` (mm) of a vertex has the vertex behind its plane, apart from triangles at
    /// the vertex. [`Self::within`] then visits no such triangle. The result may be false if the nearest one lies
    /// within rounding of the radius. The first call makes the list, O(n). The first question about a vertex searches
    /// the tree. Later ones search again only beyond the radius of the last search, until a triangle is found.
    pub(crate) fn is_clear_in_front(&self, v: u32, radius: f64) -> bool {
        let x = &self.vertices[v as usize];
        let reach = radius + 2.0 * self.margin(x);
        let none_yet = || VertexClearances(self.vertices.iter().map(|_| AtomicU32::new(0)).collect());
        let cell = &self.clearances.get_or_init(none_yet).0[v as usize];
        // A positive number is the radius of a search without a triangle. A negative one is the distance of the nearest
        // triangle, with its sign changed. Both are slightly lower.
        let stored = f64::from(f32::from_bits(cell.load(Ordering::Relaxed)));
        if reach < stored.abs() {
            return true;
        }
        if stored.is_sign_negative() {
            return false;
        }
        let limit = SEARCH_MULTIPLE * reach;
        let is_in_front = |t: u32| {
            !self.triangles[t as usize].contains(&v) && self.normal_if_cheap(t).dot(&(x - self.triangle(t)[0])) < 0.0
        };
        let nearest = self.nearest_where(x, limit, is_in_front);
        let distance = nearest.map_or(limit, |found| found.distance);
        let lower = ((distance * STORED_SHARE) as f32).next_down().max(0.0);
        cell.store(if nearest.is_some() { -lower } else { lower }.to_bits(), Ordering::Relaxed);
        reach < f64::from(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::shape::surface::Inside;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::{ball, joined, refined, translated, tube};

    #[test]
    fn clear_vertices_have_no_plane_in_front_within_the_radius() {
        let rng = &mut Rng::new(11);
        let shells = [refined(&tube(9, 2.0, 1.5, [0.0, 3.0]), rng, 40), translated(&ball(0.4, 2), Vec3::z() * 1.5)];
        let s = Surface::new(&joined(&shells), &Vec3::zeros(), Inside::Solid);
        let (mut clear, mut blocked) = (0, 0);
        for _ in 0..20_000 {
            let v = s.triangles[rng.below(s.triangles.len())][rng.below(3)];
            let radius = 1e-3 * libm::pow(2000.0, rng.unit());
            let x = &s.vertices[v as usize];
            let mut in_front = false;
            s.within(x, radius, |t| {
                let height = s.normal(t).dot(&(x - s.triangle(t)[0]));
                in_front |= height < 0.0 && !s.triangles[t as usize].contains(&v);
                true
            });
            let found = s.is_clear_in_front(v, radius);
            assert!(!(found && in_front), "{v} {radius}");
            // Only rounding may hide that a vertex is clear.
            assert!(found || in_front || s.is_clear_in_front(v, 0.99 * radius), "{v} {radius}");
            clear += u32::from(found);
            blocked += u32::from(in_front);
        }
        assert!(clear > 3000 && blocked > 3000, "{clear} {blocked}");
    }
}
