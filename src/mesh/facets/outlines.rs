//! The outlines of facets: of each the corners of its convex hull in its plane.

use crate::geom::Vec3;
use crate::mesh::TriMesh;

/// A facet's outline is thinned to this many corners before widths are measured, so that the cost per edge is bounded.
/// Thinning makes widths smaller, never larger.
const OUTLINE: usize = 512;

/// The extreme corners of facets of more than two triangles.
#[derive(Default)]
pub(crate) struct Outlines {
    /// Those of facet `f` are `corners[starts[f]..starts[f + 1]]`; none for single triangles. Empty where all are.
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Outlines {
    pub(crate) fn of(mesh: &TriMesh, facet: &[u32], count: u32, normals: &[[f64; 3]]) -> Self {
        let mut sizes = vec![0u32; count as usize];
        for &f in facet {
            sizes[f as usize] += 1;
        }
        let mut members: Vec<(u32, u32)> =
            (0u32..).zip(facet).filter(|(_, f)| sizes[**f as usize] > 1).map(|(t, &f)| (f, t)).collect();
        members.sort_unstable();
        let mut outlines = Self { starts: Vec::with_capacity(sizes.len() + 1), corners: Vec::new() };
        let mut groups = members.chunk_by(|a, b| a.0 == b.0).peekable();
        for f in 0..count {
            outlines.starts.push(outlines.corners.len() as u32);
            if let Some(group) = groups.next_if(|g| g[0].0 == f) {
                let mut corners: Vec<u32> = group.iter().flat_map(|m| mesh.triangles[m.1 as usize]).collect();
                corners.sort_unstable();
                corners.dedup();
                outlines.corners.extend(convex_outline(mesh, corners, &normals[group[0].1 as usize]));
            }
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

/// The corners of the convex hull of nearly coplanar points, along the two axes that `normal` is least inclined to
/// (A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979), thinned to [`OUTLINE`].
/// Rounding may cost a corner that lies on a side within rounding.
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
