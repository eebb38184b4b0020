//! Converts a polytope to and from its form in the cache.

use crate::geom::{Aabb, Vec3};
use crate::shape::polytope::{Convex, PointRows};
use serde::{Deserialize, Serialize};

/// All numbers of a [`Convex`] except derived copies.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredConvex {
    origin: [f64; 3],
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    rank: u8,
    aabb: [[f64; 3]; 2],
    diameter: f64,
    normals: Vec<[f64; 3]>,
    offsets: Vec<f64>,
    slack: f64,
    inner_center: [f64; 3],
    inner_radius: f64,
    tetrahedron: [f64; 4],
    slivers: Vec<[u32; 3]>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Convex {
    pub(crate) fn to_stored(&self) -> StoredConvex {
        let arrays = |v: &[Vec3]| v.iter().map(|&p| p.into()).collect();
        StoredConvex {
            origin: self.origin.into(),
            vertices: arrays(&self.vertices),
            triangles: self.triangles.clone(),
            rank: self.rank,
            aabb: [self.aabb.min.into(), self.aabb.max.into()],
            diameter: self.diameter,
            normals: self.planes().map(|(normal, _)| normal.into()).collect(),
            offsets: self.planes().map(|(_, offset)| offset).collect(),
            slack: self.slack,
            inner_center: self.inner_center.into(),
            inner_radius: self.inner_radius,
            tetrahedron: self.tetrahedron,
            slivers: self.slivers.clone(),
            neighbor_starts: self.neighbor_starts.clone(),
            neighbors: self.neighbors.clone(),
        }
    }

    /// Restores the stored bits exactly; `None` if the data form no hull safe to traverse.
    pub(crate) fn from_stored(s: StoredConvex) -> Option<Self> {
        let n = s.vertices.len();
        let within = |i: &u32| (*i as usize) < n;
        let starts = &s.neighbor_starts;
        let sound = n > 0
            && s.rank <= 3
            && s.triangles.iter().chain(&s.slivers).flatten().all(within)
            && s.neighbors.iter().all(within)
            && s.normals.len() == s.offsets.len()
            && starts.len() == n + 1
            && starts.windows(2).all(|w| w[0] <= w[1])
            && starts[n] as usize == s.neighbors.len();
        let vectors = |v: Vec<[f64; 3]>| -> Vec<Vec3> { v.into_iter().map(Vec3::from).collect() };
        sound.then(|| {
            let (vertices, normals) = (vectors(s.vertices), vectors(s.normals));
            Self {
                origin: s.origin.into(),
                vertex_lanes: PointRows::new(&vertices, &[]),
                vertices,
                triangles: s.triangles,
                rank: s.rank,
                aabb: Aabb { min: s.aabb[0].into(), max: s.aabb[1].into() },
                diameter: s.diameter,
                facet_lanes: PointRows::new(&normals, &s.offsets),
                slack: s.slack,
                inner_center: s.inner_center.into(),
                inner_radius: s.inner_radius,
                tetrahedron: s.tetrahedron,
                slivers: s.slivers,
                neighbor_starts: s.neighbor_starts,
                neighbors: s.neighbors,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::hull::{convex_hull, facets};

    fn of(points: &[Vec3]) -> Convex {
        let hull = convex_hull(points);
        Convex::new(&hull, &facets(&hull))
    }

    #[test]
    fn stored_value_reads_back_unchanged() {
        let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1) / 3.0, f64::from(i >> 2) * 0.1);
        let cube: Vec<Vec3> = (0..8).map(corner).collect();
        for points in [&cube[..], &cube[..4], &cube[..2], &cube[..1]] {
            let convex = of(points);
            let bytes = postcard::to_allocvec(&convex.to_stored()).unwrap();
            let back = Convex::from_stored(postcard::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(format!("{back:?}"), format!("{convex:?}"));
        }
    }

    #[test]
    fn unusable_stored_polytope_is_refused() {
        let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        let stored = || of(&(0..8).map(corner).collect::<Vec<_>>()).to_stored();
        let spoils: [fn(&mut StoredConvex); 6] = [
            |s| s.triangles[0][1] = 8,
            |s| s.neighbors[3] = 8,
            |s| s.neighbor_starts[2] = 9999,
            |s| s.offsets.truncate(2),
            |s| s.vertices.clear(),
            |s| s.neighbor_starts.truncate(3),
        ];
        assert!(Convex::from_stored(stored()).is_some());
        for spoil in spoils {
            let mut s = stored();
            spoil(&mut s);
            assert!(Convex::from_stored(s).is_none());
        }
    }
}
