//! Finds the planes bounding a hull: coplanar triangles form one facet, and each plane is shifted outward until it
//! certainly supports the hull.

use crate::geom::math::{UNIT_ROUNDOFF, greater, lesser, norm1};
use crate::geom::predicates::{accurate_normal, orient3d};
use crate::geom::{Aabb, Vec3};
use crate::shape::hull::Hull;

/// Largest distance of the vertices of two facets from the larger one's plane at which they count as one, in round-offs
/// of the largest coordinate. Design planes rotated in `f64` come apart by that much.
const MERGE_IN_ROUNDOFFS: f64 = 8.0;

/// Plane of a hull, in the hull's frame (mm).
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// Outward normal, of length 1 up to rounding.
    pub normal: Vec3,
    /// Offset along the normal (mm): at least `normal · v` for every vertex `v` of the hull, even with the product
    /// computed in `f64`.
    pub offset: f64,
    /// Sum of the areas of the triangles (mm²).
    pub area: f64,
    /// Upper bound of the plane's distance outside the facet's own vertices (mm, >= 0): rounding only.
    pub slack: f64,
    /// Indices of the hull's triangles in this facet, the largest first; empty for a flat hull.
    pub triangles: TriangleList,
}

/// List of triangles. A single triangle, the common case, needs no heap memory.
#[derive(Debug, Clone, PartialEq)]
pub enum TriangleList {
    /// One triangle.
    One(u32),
    /// Any number of triangles.
    Many(Box<[u32]>),
}

impl std::ops::Deref for TriangleList {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::One(t) => std::slice::from_ref(t),
            Self::Many(all) => all,
        }
    }
}

/// Triangle before merging.
#[derive(Debug, Clone, Copy)]
struct Face {
    /// Outward unit normal, accurate to 4u; not finite if the area underflows.
    normal: Vec3,
    area: f64,
    /// True if the triangle is thick enough for a usable normal.
    sound: bool,
}

/// Data shared by all facets of a hull.
struct Context<'a> {
    hull: &'a Hull,
    /// Length of the diagonal of the vertices' box.
    diameter: f64,
    /// Largest sum of coordinate magnitudes of a vertex: bounds the error of a rounded dot product.
    reach: f64,
    merge_within: f64,
}

/// Computes the facets of a hull, merged ones first, then single triangles.
///
/// Neighbours coplanar exactly, or up to the rounding of their coordinates, form one facet. Its plane is the plane of
/// its largest triangle. That plane supports the hull exactly before rounding, so the offset only has to cover the
/// rounding of the normal and of dot products.
///
/// Triangles with an area of at most 16·u·(longest edge)² have no usable normal. Each joins a coplanar neighbour or
/// else is left out; leaving it out only enlarges the polytope bounded by the planes. A flat hull has two facets, back
/// to back; a segment or a point has none. Cost O(n log n).
pub fn facets(hull: &Hull) -> Vec<Facet> {
    let bounds = Aabb::of_points(&hull.vertices);
    if hull.rank < 2 {
        return vec![];
    }
    let context = Context {
        hull,
        diameter: bounds.diagonal(),
        reach: hull.vertices.iter().map(norm1).fold(0.0, f64::max),
        merge_within: MERGE_IN_ROUNDOFFS * UNIT_ROUNDOFF * bounds.max_abs(),
    };
    if hull.rank == 2 { context.flat() } else { context.solid() }
}

/// Computes area, normal and usability of a triangle.
fn face(corners: [&Vec3; 3]) -> Face {
    let [a, b, c] = corners;
    let longest_sq = greater(greater((b - a).norm_squared(), (c - b).norm_squared()), (a - c).norm_squared());
    let normal = accurate_normal(a, b, c);
    let area = 0.5 * normal.norm();
    Face { normal: normal / (2.0 * area), area, sound: area > 16.0 * UNIT_ROUNDOFF * longest_sq }
}

impl Context<'_> {
    fn corners(&self, triangle: u32) -> [&Vec3; 3] {
        self.hull.triangles[triangle as usize].map(|v| &self.hull.vertices[v as usize])
    }

    /// Bounds the rounding of `normal · v`: 3u of the vertex for each of two dot products (here and at the caller), 4u
    /// of the distance between two vertices for the normal, and as much again in reserve.
    fn dot_error(&self) -> f64 {
        32.0 * UNIT_ROUNDOFF * self.reach
    }

    /// Computes the facets of a solid: first groups, each grown from the largest unused triangle, then single
    /// triangles. Single triangles keep the order of the hull, so neighbours stay near each other in memory.
    fn solid(&self) -> Vec<Facet> {
        let count = self.hull.triangles.len() as u32;
        let faces: Vec<Face> = (0..count).map(|t| face(self.corners(t))).collect();
        let twin = &self.hull.twins;
        let single = self.singles(&faces, twin);
        // The bits of positive numbers sort like the numbers.
        let mut seeds: Vec<(u64, u32)> = (0..count)
            .filter(|&t| faces[t as usize].sound && !single[t as usize])
            .map(|t| (!faces[t as usize].area.to_bits(), t))
            .collect();
        seeds.sort_unstable();
        let mut taken = single.clone();
        let mut found = Vec::new();
        for (_, seed) in seeds {
            if !taken[seed as usize] {
                let group = self.grow(seed, &faces, twin, &mut taken);
                let area = group.iter().map(|&t| faces[t as usize].area).sum();
                found.push(self.facet(faces[seed as usize].normal, self.corners(seed)[0], area, group));
            }
        }
        let alone = (0..count).filter(|&t| single[t as usize]);
        found.reserve_exact(alone.clone().count());
        found.extend(alone.map(|t| {
            let face = &faces[t as usize];
            self.facet(face.normal, self.corners(t)[0], face.area, TriangleList::One(t))
        }));
        found
    }

    /// Largest computed depth of a vertex below a plane containing it, exactly or by the merging rule.
    fn shallow(&self) -> f64 {
        self.merge_within.max(32.0 * UNIT_ROUNDOFF * self.diameter)
    }

    /// Marks triangles with a usable normal and no neighbour even nearly coplanar.
    fn singles(&self, faces: &[Face], twin: &[u32]) -> Vec<bool> {
        let mut single: Vec<bool> = faces.iter().map(|f| f.sound).collect();
        for (h, &g) in twin.iter().enumerate() {
            let t = h / 3;
            let flat = !faces[t].sound || {
                let a = self.corners(t as u32)[0];
                faces[t].normal.dot(&(a - self.opposite(g))) <= self.shallow()
            };
            if flat {
                single[t] = false;
                single[g as usize / 3] = false;
            }
        }
        single
    }

    /// Corner across from a half-edge in its triangle.
    fn opposite(&self, half_edge: u32) -> &Vec3 {
        let [p, q, r] = self.corners(half_edge / 3);
        [r, p, q][half_edge as usize % 3]
    }

    /// Collects all triangles connected to `seed` with their vertices in its plane, exactly or up to rounding.
    fn grow(&self, seed: u32, faces: &[Face], twin: &[u32], taken: &mut [bool]) -> TriangleList {
        let [a, b, c] = self.corners(seed);
        let normal = faces[seed as usize].normal;
        let in_plane = |v: &Vec3| {
            let depth = normal.dot(&(a - v));
            depth <= self.merge_within || (depth <= self.shallow() && orient3d(a, b, c, v) == 0.0)
        };
        // Keeps apart the two sides of a plate as thin as rounding.
        let same_side = |t: u32| faces[t as usize].normal.dot(&normal) > 0.0;
        let mut group = vec![seed];
        taken[seed as usize] = true;
        let mut at = 0;
        while let Some(&t) = group.get(at) {
            at += 1;
            for k in 0..3 {
                let h = twin[3 * t as usize + k];
                // The other two corners belong to triangle `t` too: they are in the plane already.
                if !taken[h as usize / 3] && same_side(h / 3) && in_plane(self.opposite(h)) {
                    taken[h as usize / 3] = true;
                    group.push(h / 3);
                }
            }
        }
        if group.len() == 1 { TriangleList::One(seed) } else { TriangleList::Many(group.into()) }
    }

    /// Builds the facet of a rounded plane that supported the hull exactly before rounding. Without triangles, the
    /// slack covers all vertices.
    fn facet(&self, normal: Vec3, on_plane: &Vec3, area: f64, triangles: TriangleList) -> Facet {
        let offset = normal.dot(on_plane) + self.dot_error();
        let height = |v: &Vec3| normal.dot(v);
        let lowest = if triangles.is_empty() {
            self.hull.vertices.iter().map(height).fold(f64::INFINITY, lesser)
        } else {
            triangles.iter().flat_map(|&t| self.corners(t)).map(height).fold(f64::INFINITY, lesser)
        };
        Facet { normal, offset, area, slack: (offset - lowest).max(0.0) + self.dot_error(), triangles }
    }

    /// Computes the two facets of a flat hull; none if the hull is too thin for a normal.
    fn flat(&self) -> Vec<Facet> {
        let v = &self.hull.vertices;
        let fan = (1..v.len().saturating_sub(1)).map(|i| (i, face([&v[0], &v[i], &v[i + 1]])));
        let area = fan.clone().map(|(_, f)| f.area).sum();
        let largest = fan.max_by(|s, t| s.1.area.total_cmp(&t.1.area)).filter(|(_, f)| f.sound);
        let Some((i, face)) = largest else { return vec![] };
        [face.normal, -face.normal].map(|n| self.facet(n, &v[i], area, TriangleList::Many([].into()))).to_vec()
    }
}
