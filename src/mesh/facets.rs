//! Facets: what a mesh makes of curved surfaces, and how far that is off (docs: concept.md, Facets).

use super::TriMesh;
use super::topology::HalfEdges;
use super::union_find::UnionFind;
use crate::geom::Vec3;
use crate::geom::predicates::orient3d;

/// Facets that meet at a smaller angle than this (radians) count as one: rounding of coordinates alone tilts them more.
pub const LEAST_ANGLE: f64 = 1e-4;

/// Facets that meet at this angle (radians) or more are meant to be an edge: a polygon, a chamfer.
pub const LARGEST_ANGLE: f64 = 0.65;

/// A facet's outline is thinned to this many corners before widths are measured, so that the cost per edge is bounded.
/// Thinning makes widths smaller, never larger.
const OUTLINE: usize = 512;

/// How far a chord of length `width` lies from the arc it stands for, where neighbouring chords meet at the angle `theta`
/// (radians): `width / 2 · tan(theta / 4)`.
pub fn sagitta(width: f64, theta: f64) -> f64 {
    0.5 * width * libm::tan(0.25 * theta)
}

/// An edge between two facets whose angle says that they approximate one curved surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FacetEdge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// The triangles on its two sides.
    pub triangles: [u32; 2],
    /// Between the triangles' normals, radians; within ([`LEAST_ANGLE`], [`LARGEST_ANGLE`]).
    pub theta: f64,
    /// Whether the surface is hollow there, as in a bore; by exact predicate.
    pub concave: bool,
    /// The smaller of the two facets' widths: how far a facet reaches from the edge's line, in the mesh's unit.
    pub width: f64,
}

impl FacetEdge {
    /// How far the surface that was meant may lie from these facets, in the mesh's unit.
    pub fn sagitta(&self) -> f64 {
        sagitta(self.width, self.theta)
    }
}

/// The facets of a mesh: maximal sets of triangles connected over edges at which they are coplanar.
#[derive(Debug, Clone)]
pub struct Facets {
    /// The facet of each triangle.
    pub facet: Vec<u32>,
    /// How many there are.
    pub count: u32,
    /// The edges between facets of one curved surface, in order of their smaller end.
    pub edges: Vec<FacetEdge>,
}

/// The largest sagitta of a mesh, concave or convex, in its unit; 0 where no facets approximate a curved surface.
pub fn facet_error(mesh: &TriMesh) -> f64 {
    Facets::of(mesh).edges.iter().map(FacetEdge::sagitta).fold(0.0, f64::max)
}

impl Facets {
    /// The facets of a mesh whose indices are valid. Only edges of exactly two triangles, one each way, connect or
    /// separate facets; triangles without area belong to no other's facet.
    pub fn of(mesh: &TriMesh) -> Self {
        let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
        let normals: Vec<Vec3> = mesh.triangles.iter().map(|t| normal(mesh, t)).collect();
        let mut sets = UnionFind::new(mesh.triangles.len());
        let mut bends = Vec::new();
        for e in half_edges.edges() {
            let [a, b] = e.uses else { continue };
            if a.reversed() == b.reversed() {
                continue;
            }
            let (na, nb) = (&normals[a.face() as usize], &normals[b.face() as usize]);
            let (sine, cosine) = (na.cross(nb).norm(), na.dot(nb));
            // Cheap first: angles from 90° up, and triangles without a normal.
            if cosine <= 0.0 {
                continue;
            }
            let theta = libm::atan2(sine, cosine);
            if theta <= LEAST_ANGLE {
                sets.union(a.face(), b.face(), false);
            } else if theta < LARGEST_ANGLE {
                bends.push(FacetEdge {
                    vertices: [e.lo, e.hi],
                    triangles: [a.face(), b.face()],
                    theta,
                    concave: is_concave(mesh, a.face(), b.face()),
                    width: 0.0,
                });
            }
        }
        let (facet, count) = sets.label();
        let outlines = Outlines::of(mesh, &facet, count, &normals);
        for bend in &mut bends {
            let widths = bend.triangles.map(|t| outlines.width(mesh, &facet, &normals, t, bend.vertices));
            bend.width = widths[0].min(widths[1]);
        }
        Self { facet, count, edges: bends }
    }
}

/// The unit normal of a triangle; zero where it has none.
fn normal(mesh: &TriMesh, t: &[u32; 3]) -> Vec3 {
    let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// Whether some corner of `b` lies above the plane of `a`.
fn is_concave(mesh: &TriMesh, a: u32, b: u32) -> bool {
    let [p, q, r] = mesh.triangles[a as usize].map(|i| &mesh.vertices[i as usize]);
    mesh.triangles[b as usize].iter().any(|&i| orient3d(p, q, r, &mesh.vertices[i as usize]) > 0.0)
}

/// The extreme corners of facets of more than two triangles.
struct Outlines {
    /// Those of facet `f` are `corners[starts[f]..starts[f + 1]]`; none for small facets.
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Outlines {
    fn of(mesh: &TriMesh, facet: &[u32], count: u32, normals: &[Vec3]) -> Self {
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

    /// How far the facet of triangle `t` reaches from the line of an edge of it, on the triangle's side.
    fn width(&self, mesh: &TriMesh, facet: &[u32], normals: &[Vec3], t: u32, edge: [u32; 2]) -> f64 {
        let [p, q] = edge.map(|i| mesh.vertices[i as usize]);
        let across = normals[t as usize].cross(&(q - p)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let triangle = mesh.triangles[t as usize];
        let reach = |i: u32| across.dot(&(mesh.vertices[i as usize] - p));
        // The edge may run either way along the triangle: its third corner tells the side.
        let own = triangle.iter().map(|&i| reach(i)).fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
        let side = if own < 0.0 { -1.0 } else { 1.0 };
        let f = facet[t as usize] as usize;
        let outline = &self.corners[self.starts[f] as usize..self.starts[f + 1] as usize];
        outline.iter().map(|&i| side * reach(i)).fold(own.abs(), f64::max)
    }
}

/// The corners of the convex hull of nearly coplanar points, along the two axes that `normal` is least inclined to
/// (A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979), thinned to [`OUTLINE`].
/// Rounding may cost a corner that lies on a side within rounding.
fn convex_outline(mesh: &TriMesh, mut points: Vec<u32>, normal: &Vec3) -> Vec<u32> {
    if points.len() <= 8 {
        return points;
    }
    let axis = normal.iamax();
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

#[cfg(test)]
mod tests {
    use super::super::samples::{block, turned};
    use super::*;

    /// A prism over a regular polygon, caps and quads cut into triangles.
    fn prism(sides: u32, radius: f64, height: f64) -> TriMesh {
        let mut vertices = Vec::new();
        for z in [0.0, height] {
            for k in 0..sides {
                let (s, c) = crate::geom::math::sin_cos_deg(360.0 * f64::from(k) / f64::from(sides));
                vertices.push(Vec3::new(radius * c, radius * s, z));
            }
        }
        let mut triangles = Vec::new();
        for k in 0..sides {
            let n = (k + 1) % sides;
            triangles.extend([[k, n, sides + n], [k, sides + n, sides + k]]);
            if k > 0 && n > 0 {
                triangles.extend([[0, n, k], [sides, sides + k, sides + n]]);
            }
        }
        TriMesh { vertices, triangles }
    }

    #[test]
    fn the_sagitta_of_a_cylinder_of_64_facets() {
        // r·(1 − cos(π/64)) = 0.01204 for r = 10; w/2·tan(θ/4) with w = 2·r·sin(π/64), θ = 2π/64 is the same number.
        let exact = 10.0 * (1.0 - libm::cos(std::f64::consts::PI / 64.0));
        let error = facet_error(&prism(64, 10.0, 30.0));
        assert!((error - exact).abs() < 1e-9, "{error} {exact}");
    }

    #[test]
    fn facets_of_a_prism_are_its_sides_and_caps() {
        let facets = Facets::of(&prism(64, 10.0, 30.0));
        assert_eq!((facets.count, facets.edges.len()), (66, 64));
        assert!(facets.edges.iter().all(|e| !e.concave));
        let bore = Facets::of(&turned(&prism(64, 10.0, 30.0)));
        assert!(bore.edges.iter().all(|e| e.concave) && bore.edges.len() == 64);
    }

    #[test]
    fn polygons_by_design_have_no_facet_error() {
        assert_eq!(facet_error(&block(1.0, 2.0, 3.0)), 0.0);
        assert_eq!(facet_error(&prism(8, 10.0, 5.0)), 0.0);
        assert_eq!(Facets::of(&block(1.0, 2.0, 3.0)).count, 6);
    }

    #[test]
    fn of_two_facets_the_narrower_one_counts() {
        // Two strips of width 10 and 1 that meet at 0.1 rad along the y axis.
        let (s, c) = (libm::sin(0.1), libm::cos(0.1));
        let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let mesh = TriMesh {
            vertices: vec![
                v(-10.0, 0.0, 0.0),
                v(0.0, 0.0, 0.0),
                v(0.0, 5.0, 0.0),
                v(-10.0, 5.0, 0.0),
                v(c, 0.0, s),
                v(c, 5.0, s),
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]],
        };
        let facets = Facets::of(&mesh);
        assert_eq!((facets.count, facets.edges.len()), (2, 1));
        let edge = facets.edges[0];
        assert!(edge.concave && (edge.theta - 0.1).abs() < 1e-12 && (edge.width - 1.0).abs() < 1e-12);
    }
}
