//! Whether convex pieces cover a solid: checked by other means than those that made them.
//!
//! Two things are asked. Every triangle of the solid's surface must lie in the pieces: what of it is outside of one piece is cut
//! off and asked of the others, until nothing is left; each cut-out that stays in a piece is convex, and so is the distance to
//! the piece, so that its corners tell for all of it. And the pieces must leave no hollow inside: what of a piece's faces lies
//! in no other piece bounds their union, and just beyond it must be outside of the solid. The first is proven up to
//! [`covered_within`], the second is looked at in some points of every face that is left.

use super::decompose::Decomposition;
use super::surface::Surface;
use super::tri_tri::{Triangle, point_triangle};
use super::winding::winding;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::predicates::{accurate_normal, orient3d};
use crate::geom::{Aabb, Vec3};
use crate::hull::{Hull, facets};

/// No point of a covered solid is farther from its pieces than this many roundings of its size: cuts are rounded, and where faces
/// meet at a sharp edge a rounding across them is many along them. Larger: pairs of covered parts get a wider margin.
const WITHIN_IN_ROUNDOFFS: f64 = 1024.0;

/// What a plane is off by counts as on it, in roundings of the part's size.
const PLANE_IN_ROUNDOFFS: f64 = 32.0;

/// Cuts of one triangle, at most; beyond, it counts as not covered.
const MAX_CUTS: usize = 20_000;

/// Of a face that is left, points this part of the way from its corners to its middle are looked at, and the middle.
const NEAR_CORNER: f64 = 0.02;

/// How far points of a solid of this size, the largest magnitude of its coordinates, may lie outside of pieces that were
/// found to cover it (mm). The margin of its pairs is wider by that.
pub fn covered_within(size: f64) -> f64 {
    WITHIN_IN_ROUNDOFFS * UNIT_ROUNDOFF * size
}

/// Whether the pieces cover the solid that the surface bounds. Cost: a few microseconds for each triangle and each face of a
/// piece, more where they are cut.
pub fn covers(surface: &Surface, d: &Decomposition) -> bool {
    let size = surface.bounds.max_abs();
    let all = All {
        pieces: d.pieces.iter().map(|hull| Piece::new(hull, size)).collect(),
        within: covered_within(size),
        on_plane: PLANE_IN_ROUNDOFFS * UNIT_ROUNDOFF * size,
    };
    let covered = (0..surface.triangles.len() as u32)
        .all(|t| all.rest(&surface.triangle(t), None).is_some_and(|rest| rest.is_empty()));
    covered && !all.leaves_hollow(surface)
}

/// A piece with the planes that bound it.
struct Piece<'a> {
    hull: &'a Hull,
    /// Outward unit normals and offsets; all of the hull is below each.
    planes: Vec<(Vec3, f64)>,
    /// Triangles too thin to be among the planes.
    slivers: Vec<Triangle>,
    /// The bits of its vertices, in increasing order.
    vertices: Vec<[u64; 3]>,
    bounds: Aabb,
}

fn bits(v: &Vec3) -> [u64; 3] {
    [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())
}

impl<'a> Piece<'a> {
    fn new(hull: &'a Hull, size: f64) -> Self {
        let facets = facets(hull);
        let mut is_facet = vec![false; hull.triangles.len()];
        facets.iter().flat_map(|f| f.triangles.iter()).for_each(|&t| is_facet[t as usize] = true);
        let corners = |t: &[u32; 3]| t.map(|v| hull.vertices[v as usize]);
        let slivers = hull.triangles.iter().zip(&is_facet).filter(|(_, is)| !**is).map(|(t, _)| corners(t)).collect();
        let mut vertices: Vec<_> = hull.vertices.iter().map(bits).collect();
        vertices.sort_unstable();
        let bounds = Aabb::of_points(&hull.vertices).inflated(covered_within(size));
        Self { hull, planes: facets.iter().map(|f| (f.normal, f.offset)).collect(), slivers, vertices, bounds }
    }

    fn triangles(&self) -> impl Iterator<Item = Triangle> + '_ {
        self.hull.triangles.iter().map(|t| t.map(|v| self.hull.vertices[v as usize]))
    }

    /// Whether a point is in the piece or no farther than `within` from it; `on_plane` is what rounding does to a height.
    fn holds(&self, x: &Vec3, within: f64, on_plane: f64) -> bool {
        let deep = self.planes.iter().all(|(n, d)| n.dot(x) - d < -on_plane);
        deep && self.slivers.iter().all(|[a, b, c]| orient3d(a, b, c, x) <= 0.0)
            || self.vertices.binary_search(&bits(x)).is_ok()
            || self.triangles().any(|t| point_triangle(x, &t).squared <= within * within)
    }
}

struct All<'a> {
    pieces: Vec<Piece<'a>>,
    within: f64,
    on_plane: f64,
}

/// A convex polygon.
type Polygon = Vec<Vec3>;

impl All<'_> {
    /// What of a triangle is in no piece but, perhaps, `except`; `None` where that takes too many cuts.
    fn rest(&self, t: &Triangle, except: Option<usize>) -> Option<Vec<Polygon>> {
        let bounds = Aabb::of_points(t);
        let near: Vec<&Piece> = (0..self.pieces.len())
            .filter(|k| Some(*k) != except)
            .map(|k| &self.pieces[k])
            .filter(|p| p.bounds.meets(&bounds))
            .collect();
        let whole = |p: &&Piece| t.iter().all(|x| self.is_below_planes(p, x)) && self.holds_all(p, t);
        if near.iter().any(whole) {
            return Some(Vec::new());
        }
        let mut left = Vec::new();
        let mut open: Vec<(Polygon, usize)> = vec![(t.to_vec(), 0)];
        let mut cuts = 0;
        while let Some((polygon, k)) = open.pop() {
            let Some(piece) = near.get(k) else {
                left.push(polygon);
                continue;
            };
            cuts += 1;
            if cuts > MAX_CUTS {
                return None;
            }
            match self.outside(piece, &polygon) {
                Some(outside) => open.extend(outside.into_iter().map(|p| (p, k + 1))),
                None => open.push((polygon, k + 1)),
            }
        }
        Some(left)
    }

    fn is_below_planes(&self, p: &Piece, x: &Vec3) -> bool {
        p.planes.iter().all(|(n, d)| n.dot(x) - d <= self.on_plane)
    }

    fn holds_all(&self, p: &Piece, polygon: &[Vec3]) -> bool {
        polygon.iter().all(|x| p.holds(x, self.within, self.on_plane))
    }

    /// A polygon less what lies in a piece; `None` where nothing of it does.
    fn outside(&self, p: &Piece, polygon: &Polygon) -> Option<Vec<Polygon>> {
        let mut outside = Vec::new();
        let mut inside = polygon.clone();
        for (n, d) in &p.planes {
            let heights: Vec<f64> = inside.iter().map(|x| n.dot(x) - d).collect();
            if heights.iter().all(|h| *h <= self.on_plane) {
                continue;
            }
            let (above, below) = split(&inside, &heights, self.on_plane);
            outside.push(above);
            inside = below;
            if inside.len() < 3 {
                return None;
            }
        }
        if !self.holds_all(p, &inside) {
            return None;
        }
        // Rounding leaves strips along the cuts.
        outside.retain(|polygon| polygon.len() >= 3 && !self.holds_all(p, polygon));
        Some(outside)
    }

    /// Whether the union of the pieces leaves something out inside the solid.
    fn leaves_hollow(&self, surface: &Surface) -> bool {
        (0..self.pieces.len()).any(|k| {
            let piece = &self.pieces[k];
            let mut faces = piece.triangles();
            faces.any(|t| {
                let normal = accurate_normal(&t[0], &t[1], &t[2]);
                let beyond = normal / normal.norm() * self.within;
                if beyond.iter().any(|x| !x.is_finite()) {
                    // Of a face that is a line the neighbours tell.
                    return false;
                }
                self.rest(&t, Some(k)).is_none_or(|rest| {
                    rest.iter().any(|polygon| samples(polygon).any(|x| self.is_hollow(surface, &(x + beyond))))
                })
            })
        })
    }

    /// Whether a point just beyond a piece is inside the solid, and not for rounding alone.
    fn is_hollow(&self, surface: &Surface, x: &Vec3) -> bool {
        winding(surface, None, x).is_some_and(|w| w >= 1)
            && surface.nearest(x, 4.0 * self.within).is_none()
            && !self.pieces.iter().any(|p| p.holds(x, 0.0, self.on_plane))
    }
}

/// The middle of a polygon and points near its corners.
fn samples(polygon: &Polygon) -> impl Iterator<Item = Vec3> + '_ {
    let middle = polygon.iter().sum::<Vec3>() / polygon.len() as f64;
    std::iter::once(middle).chain(polygon.iter().map(move |x| x + (middle - x) * NEAR_CORNER))
}

/// A convex polygon cut by a plane: what is above and what is below, given the heights of its corners; heights up to `on_plane`
/// count as below.
fn split(polygon: &[Vec3], heights: &[f64], on_plane: f64) -> (Polygon, Polygon) {
    let (mut above, mut below) = (Polygon::new(), Polygon::new());
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        let (from, to) = (heights[i], heights[j]);
        if from > on_plane {
            above.push(polygon[i]);
        } else {
            below.push(polygon[i]);
        }
        if (from > on_plane) != (to > on_plane) {
            // From the lower end, so that it is the same point from either side.
            let (low, high, p, q) =
                if from < to { (from, to, polygon[i], polygon[j]) } else { (to, from, polygon[j], polygon[i]) };
            let cut = p + (q - p) * (lesser(-low, high - low).max(0.0) / (high - low));
            above.push(cut);
            below.push(cut);
        }
    }
    (above, below)
}
