//! Outlines of facets: the corners of each facet's convex hull in its plane, for measuring widths.

use crate::geom::Vec3;
use crate::geom::rows::Rows;
use crate::mesh::TriMesh;
use crate::mesh::facets::Plane;
use crate::parallel;

/// Upper limit of corners of an outline, to bound the cost per edge. Thinning an outline can only reduce widths.
const OUTLINE: usize = 512;

/// Outline corners of the facets with at least two triangles.
#[derive(Default)]
pub(crate) struct Outlines {
    /// Facet `f` has `corners[starts[f]..starts[f + 1]]`, empty for single triangles. Empty if every facet is a single
    /// triangle.
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Outlines {
    /// Finds the outlines of `count` facets, on up to `threads` threads; `facet` is the facet of each triangle. O(n), plus
    /// a sort of the corners of each facet.
    pub(crate) fn of(
        mesh: &TriMesh,
        facet: &[u32],
        count: u32,
        threads: usize,
        plane: impl Fn(u32) -> Plane + Sync,
    ) -> Self {
        let groups = Rows::of(count as usize, facet.iter().zip(0..facet.len() as u32).map(|(f, t)| (*f, t)));
        let parts = parallel::map_ranges(threads, count as usize, parallel::LEAST_SHARE, |facets| {
            let mut part = Self { starts: Vec::with_capacity(facets.len() + 1), corners: Vec::new() };
            for f in facets {
                part.starts.push(part.corners.len() as u32);
                let members = groups.row(f);
                if members.len() > 1 {
                    let mut corners: Vec<u32> = members.iter().flat_map(|t| mesh.triangles[*t as usize]).collect();
                    corners.sort_unstable();
                    corners.dedup();
                    part.corners.extend(convex_outline(mesh, corners, &plane(members[0]).normal));
                }
            }
            part
        });
        let mut outlines = Self { starts: Vec::with_capacity(count as usize + 1), corners: Vec::new() };
        for part in parts {
            let before = outlines.corners.len() as u32;
            outlines.starts.extend(part.starts.iter().map(|start| before + start));
            outlines.corners.extend(part.corners);
        }
        outlines.starts.push(outlines.corners.len() as u32);
        outlines
    }

    pub(crate) fn of_facet(&self, f: u32) -> &[u32] {
        match self.starts.get(f as usize..f as usize + 2) {
            Some(&[from, to]) => &self.corners[from as usize..to as usize],
            _ => &[],
        }
    }
}

/// Computes the convex hull of nearly coplanar points, projected along the largest axis of `normal` (A. M. Andrew,
/// "Another efficient algorithm for convex hulls in two dimensions", 1979), thinned to [`OUTLINE`] corners. Returns up
/// to 8 points unchanged. Rounding may drop a corner that lies on a side within rounding.
fn convex_outline(mesh: &TriMesh, mut points: Vec<u32>, normal: &[f64; 3]) -> Vec<u32> {
    if points.len() <= 8 {
        return points;
    }
    let axis = Vec3::from(*normal).iamax();
    let flat = |i: u32| [mesh.vertices[i as usize][(axis + 1) % 3], mesh.vertices[i as usize][(axis + 2) % 3]];
    points.sort_unstable_by(|&a, &b| {
        let (a, b) = (flat(a), flat(b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    let turn = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(flat);
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let mut hull: Vec<u32> = Vec::new();
    for pass in 0..2 {
        let first = hull.len();
        for k in 0..points.len() {
            let p = if pass == 0 { points[k] } else { points[points.len() - 1 - k] };
            while hull.len() >= first + 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0 {
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
    }
    let step = hull.len().div_ceil(OUTLINE).max(1);
    hull.into_iter().step_by(step).collect()
}
