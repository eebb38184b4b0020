//! Simplifies a mesh: vertices of one cell of a grid become one vertex.

use crate::geom::{Aabb, Mat3, Vec3};
use crate::mesh::TriMesh;

/// Weight of the mean of a cell's vertices beside the planes of its triangles.
const MEAN_WEIGHT: f64 = 1e-3;

/// A simplified mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered {
    /// The mesh, without triangles of fewer than three different vertices.
    pub mesh: TriMesh,
    /// Largest distance that a vertex moved (mm): less than the diagonal of a cell.
    pub error: f64,
}

/// Vertices of a cell, and the planes of their triangles.
struct Cluster {
    sum: Vec3,
    count: f64,
    /// Sum of n·nᵀ over the triangles at the vertices; n has the length of twice the triangle's area.
    normals: Mat3,
    /// Sum of n·(n·p).
    heights: Vec3,
}

/// Number of the cluster of each cell.
#[expect(clippy::disallowed_types, reason = "never iterated")]
type Cells = std::collections::HashMap<[i64; 3], u32, rapidhash::fast::RandomState>;

/// Merges all vertices in one cell of a grid of cubes with edge `cell` (mm). A `pinned` vertex stays as it is.
///
/// The vertex of a cell is nearest to the planes of the triangles around, and inside the cell: edges and corners of the
/// shape stay. A closed mesh stays a cycle: each edge has as many triangles on one side as on the other. Source: J.
/// Rossignac & P. Borrel, "Multi-resolution 3D Approximations for Rendering Complex Scenes", 1993, §3; P. Lindstrom,
/// "Out-of-Core Simplification of Large Polygonal Models", 2000, §3. Cost: linear.
pub fn cluster(mesh: &TriMesh, cell: f64, pinned: &[bool]) -> Clustered {
    let origin = Aabb::of_points(&mesh.vertices).min;
    let key = |p: &Vec3| ((p - origin) / cell).map(|x| libm::floor(x) as i64);
    let mut cells = Cells::default();
    let mut clusters: Vec<Cluster> = Vec::new();
    let place = |(v, p): (usize, &Vec3)| {
        let next = clusters.len() as u32;
        let at = if pinned[v] { next } else { *cells.entry(key(p).into()).or_insert(next) };
        if at == next {
            clusters.push(Cluster { sum: Vec3::zeros(), count: 0.0, normals: Mat3::zeros(), heights: Vec3::zeros() });
        }
        let cluster = &mut clusters[at as usize];
        // Sums relative to the grid: far parts lose no digits.
        cluster.sum += p - origin;
        cluster.count += 1.0;
        at
    };
    let of: Vec<u32> = mesh.vertices.iter().enumerate().map(place).collect();
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.vertices[v as usize] - origin);
        let n = (b - a).cross(&(c - a));
        let (normals, heights) = (n * n.transpose(), n * n.dot(&a));
        for v in t {
            let cluster = &mut clusters[of[*v as usize] as usize];
            cluster.normals += normals;
            cluster.heights += heights;
        }
    }
    let mut vertices: Vec<Vec3> = clusters.iter().map(|c| origin + c.vertex(cell)).collect();
    for ((p, at), _) in mesh.vertices.iter().zip(&of).zip(pinned).filter(|(_, pinned)| **pinned) {
        vertices[*at as usize] = *p;
    }
    let moved = mesh.vertices.iter().zip(&of).map(|(p, at)| (p - vertices[*at as usize]).norm());
    let error = moved.fold(0.0, crate::geom::math::greater);
    let merged = mesh.triangles.iter().map(|t| t.map(|v| of[v as usize]));
    let triangles = merged.filter(|[a, b, c]| a != b && b != c && a != c).collect();
    Clustered { mesh: TriMesh { vertices, triangles }, error }
}

impl Cluster {
    /// Point of the cell that is nearest to the planes (mm, from the grid's origin).
    fn vertex(&self, cell: f64) -> Vec3 {
        let mean = self.sum / self.count;
        let weight = MEAN_WEIGHT * self.normals.trace();
        let planes = self.normals + Mat3::identity() * weight;
        let nearest = planes.try_inverse().map_or(mean, |inverse| inverse * (self.heights + mean * weight));
        // All vertices of the cluster have the cell of their mean.
        let low = (mean / cell).map(libm::floor) * cell;
        let inside = nearest.zip_map(&low, |x, low| x.clamp(low, low + cell));
        if inside.iter().all(|x| x.is_finite()) { inside } else { mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids;
    use std::collections::BTreeMap;

    /// True if each edge has as many triangles in one direction as in the other.
    fn is_cycle(mesh: &TriMesh) -> bool {
        let mut balance: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for [a, b, c] in &mesh.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let (key, by) = if from < to { ([*from, *to], 1) } else { ([*to, *from], -1) };
                *balance.entry(key).or_default() += by;
            }
        }
        balance.values().all(|n| *n == 0)
    }

    /// A ball of radius 10 mm with 12 n² triangles, closed.
    fn ball(n: u32) -> TriMesh {
        solids::squared_box(n, |p| p.normalize() * 10.0)
    }

    #[test]
    fn a_ball_keeps_its_shape_within_the_stated_error() {
        let ball = ball(32);
        let free = vec![false; ball.vertices.len()];
        for cell in [0.5, 1.0, 2.5] {
            let Clustered { mesh, error } = cluster(&ball, cell, &free);
            assert!(is_cycle(&mesh), "cell {cell}");
            assert!(mesh.triangles.len() < ball.triangles.len(), "cell {cell}");
            assert!(error > 0.0 && error <= cell * 3.0_f64.sqrt(), "{error}");
            for v in &mesh.vertices {
                assert!((v.norm() - 10.0).abs() <= error, "{v}");
            }
        }
    }

    #[test]
    fn a_box_keeps_its_corners() {
        let cube = solids::squared_box(20, |p| p * 10.0);
        let Clustered { mesh, error } = cluster(&cube, 7.0, &vec![false; cube.vertices.len()]);
        assert!(error > 0.0 && mesh.triangles.len() < cube.triangles.len() / 10);
        let b = Aabb::of_points(&cube.vertices);
        for k in 0..8_u8 {
            let pick = |axis: usize| if k >> axis & 1 == 0 { b.min[axis] } else { b.max[axis] };
            let corner = Vec3::new(pick(0), pick(1), pick(2));
            let near = mesh.vertices.iter().map(|v| (v - corner).norm()).fold(f64::INFINITY, f64::min);
            assert!(near < 0.1, "{corner}: {near}");
        }
    }

    #[test]
    fn pinned_triangles_stay_as_they_are() {
        let ball = ball(24);
        let pinned: Vec<bool> = ball.vertices.iter().map(|v| v.z > 5.0).collect();
        let Clustered { mesh, .. } = cluster(&ball, 4.0, &pinned);
        let corners = |m: &TriMesh, t: &[u32; 3]| t.map(|v| m.vertices[v as usize]);
        let kept: Vec<_> = mesh.triangles.iter().map(|t| corners(&mesh, t)).collect();
        let mut count = 0;
        for t in ball.triangles.iter().filter(|t| t.iter().all(|v| pinned[*v as usize])) {
            assert!(kept.contains(&corners(&ball, t)));
            count += 1;
        }
        assert!(is_cycle(&mesh), "an edge is open");
        assert!(count > 100 && mesh.triangles.len() < ball.triangles.len() / 2, "{count} of {}", mesh.triangles.len());
    }

    #[test]
    fn a_part_far_away_is_simplified_as_at_the_origin() {
        let ball = ball(24);
        let mut far = ball.clone();
        far.vertices.iter_mut().for_each(|v| v.x += 1_048_576.0);
        let free = vec![false; ball.vertices.len()];
        let (near, far) = (cluster(&ball, 2.0, &free), cluster(&far, 2.0, &free));
        assert!((near.error - far.error).abs() < 1e-6, "{} {}", near.error, far.error);
        assert_eq!(near.mesh.triangles.len(), far.mesh.triangles.len());
    }
}
