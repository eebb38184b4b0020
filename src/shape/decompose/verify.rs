//! Checks independently that convex pieces cover a solid.
//!
//! The check has two parts. First, every triangle of the solid's surface must lie in the pieces: the part outside one
//! piece is cut off and tested against the others, until nothing is left. Each part kept in a piece is convex, and so
//! is the distance to the piece, so its corners decide for all of it. This part is proven up to [`covered_within`].
//!
//! Second, the pieces must leave no hollow inside. The faces of a piece outside all other pieces bound the union, and
//! the space just beyond them must be outside the solid. The surface lies in the pieces, so each connected component of
//! these faces is entirely inside the solid or entirely outside: one test point decides.

use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::predicates::orient3d;
use crate::geom::triangle::{Triangle, point_triangle};
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Vec3};
use crate::shape::decompose::Decomposition;
use crate::shape::decompose::union_volume::{Boundary, Polygon, RemainingFace, rest_of, split};
use crate::shape::hull::{Hull, TriangleList, facets};
use crate::shape::surface::winding_number::winding_from;
use crate::shape::surface::{Below, SKEW, Surface};
use rayon::prelude::*;
use std::ops::Range;

/// Largest distance of points of a covered solid from its pieces, in roundings of its size. Cuts are rounded, and at a
/// sharp edge one rounding across the faces is many along them. A larger value widens the margin of pairs of covered
/// parts.
const WITHIN_IN_ROUNDOFFS: f64 = 1024.0;

/// Largest height above a plane counting as on it, in roundings of the part's size.
const PLANE_IN_ROUNDOFFS: f64 = 32.0;

/// Number of triangles above which a surface is examined in parallel shares, and the number of shares.
const SHARED_FROM: usize = 2000;
const SHARES: usize = 16;

/// Largest distance of points of a covered solid outside its pieces (mm), for the largest magnitude `size` of its
/// coordinates (mm). The margin of its pairs is wider by this.
pub fn covered_within(size: f64) -> f64 {
    WITHIN_IN_ROUNDOFFS * UNIT_ROUNDOFF * size
}

/// True if the pieces cover the solid of the surface. Cost: less than a microsecond for each triangle, some
/// microseconds for each face of a piece, more for cut ones.
pub fn covers(surface: &Surface, d: &Decomposition) -> bool {
    boundary_of_cover(surface, d).is_some()
}

/// Computes the boundary of the union of the pieces, if they cover the solid.
pub fn boundary_of_cover(surface: &Surface, d: &Decomposition) -> Option<Boundary> {
    let size = surface.bounds.max_abs();
    let all = CoverCheck {
        pieces: d.pieces.par_iter().map(Piece::new).collect(),
        within: covered_within(size),
        on_plane: PLANE_IN_ROUNDOFFS * UNIT_ROUNDOFF * size,
    };
    let boundary = all.cover(surface).then(|| Boundary::of(&d.pieces))??;
    (!all.leaves_hollow(surface, &boundary)).then_some(boundary)
}

/// Piece with its bounding planes.
struct Piece<'a> {
    hull: &'a Hull,
    bounds: Aabb,
    /// Outward unit normals and offsets (mm); the whole hull is below each plane.
    planes: Vec<(Vec3, f64)>,
    /// Triangles in each of the planes.
    faces: Vec<TriangleList>,
    /// Triangles too thin for any plane.
    slivers: Vec<Triangle>,
    /// Bits of its vertices, in increasing order.
    vertices: Vec<[u64; 3]>,
}

fn bits(v: &Vec3) -> [u64; 3] {
    [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())
}

impl<'a> Piece<'a> {
    fn new(hull: &'a Hull) -> Self {
        let facets = facets(hull);
        let mut is_facet = vec![false; hull.triangles.len()];
        facets.iter().flat_map(|f| f.triangles.iter()).for_each(|&t| is_facet[t as usize] = true);
        let corners = |t: &[u32; 3]| t.map(|v| hull.vertices[v as usize]);
        let slivers = hull.triangles.iter().zip(&is_facet).filter(|(_, is)| !**is).map(|(t, _)| corners(t)).collect();
        let mut vertices: Vec<_> = hull.vertices.iter().map(bits).collect();
        vertices.sort_unstable();
        let (planes, faces) = facets.into_iter().map(|f| ((f.normal, f.offset), f.triangles)).unzip();
        Self { hull, bounds: Aabb::of_points(&hull.vertices), planes, faces, slivers, vertices }
    }

    fn triangle(&self, t: u32) -> Triangle {
        self.hull.triangles[t as usize].map(|v| self.hull.vertices[v as usize])
    }

    fn height(&self, plane: u32, x: &Vec3) -> f64 {
        let (n, d) = &self.planes[plane as usize];
        n.dot(x) - d
    }

    /// True if a point behind all other planes is in the piece or at most `within` (mm) from it. `on_plane` is the
    /// rounding error of a height (mm).
    fn contains_point(&self, x: &Vec3, planes: &[u32], within: f64, on_plane: f64) -> bool {
        let mut top = f64::NEG_INFINITY;
        for &k in planes {
            top = greater(top, self.height(k, x));
            // Every point of the piece is at least this far away.
            if top > within + on_plane {
                return false;
            }
        }
        if top < -on_plane && self.slivers.iter().all(|[a, b, c]| orient3d(a, b, c, x) <= 0.0) {
            return true;
        }
        let is_near = |t: &Triangle| point_triangle(x, t).squared <= within * within;
        // If a face is near, so is its plane.
        let mut level = planes.iter().filter(|&&k| self.height(k, x).abs() <= within + on_plane);
        self.vertices.binary_search(&bits(x)).is_ok()
            || level.any(|&k| self.faces[k as usize].iter().any(|&t| is_near(&self.triangle(t))))
            || self.slivers.iter().any(is_near)
    }
}

struct CoverCheck<'a> {
    pieces: Vec<Piece<'a>>,
    within: f64,
    on_plane: f64,
}

/// Piece with those of its planes still to be tested: something may be in front of them.
type PieceToTest<'a> = (&'a Piece<'a>, &'a [u32]);

/// Piece possibly containing some triangles, with the range in [`Descent::planes`] of its planes still to be tested.
#[derive(Clone, Copy)]
struct NearPiece {
    piece: u32,
    planes: [u32; 2],
}

/// State of a descent in the tree of a surface.
struct Descent<'a> {
    surface: &'a Surface,
    /// Pieces near each node on the path, a subset of those of its parent; the current node comes last.
    near: Vec<NearPiece>,
    planes: Vec<u32>,
}

impl CoverCheck<'_> {
    /// True if every triangle of a surface lies in the pieces.
    fn cover(&self, surface: &Surface) -> bool {
        let nodes = shares(surface);
        surface.triangles.is_empty()
            || nodes.par_iter().all(|&node| {
                let mut down = Descent { surface, near: Vec::new(), planes: Vec::new() };
                for (k, piece) in (0..).zip(&self.pieces) {
                    let start = down.planes.len() as u32;
                    down.planes.extend(0..piece.planes.len() as u32);
                    down.near.push(NearPiece { piece: k, planes: [start, down.planes.len() as u32] });
                }
                let count = down.near.len();
                self.cover_node(&mut down, node, 0..count)
            })
    }

    /// True if every triangle below a node lies in the pieces near it. A tree is some dozen nodes deep.
    fn cover_node(&self, down: &mut Descent, node: u32, near: Range<usize>) -> bool {
        let at = &down.surface.tree().nodes[node as usize];
        let (axes, half, center) = (at.axes(), at.half().map(f64::from), at.center());
        let skew = SKEW * f64::from(at.size()) + self.within + self.on_plane;
        let radius = Vec3::from(half).norm() + skew;
        let around = Aabb { min: center, max: center }.inflated(radius);
        let (first, first_plane) = (down.near.len(), down.planes.len());
        let mut whole = false;
        for k in near.clone() {
            let NearPiece { piece, planes } = down.near[k];
            if !self.pieces[piece as usize].bounds.meets(&around) {
                continue;
            }
            let start = down.planes.len() as u32;
            let mut meets = true;
            for i in planes[0]..planes[1] {
                let which = down.planes[i as usize];
                let p = &self.pieces[piece as usize];
                let height = p.height(which, &center);
                if height < -radius {
                    continue;
                }
                let along = axes.tr_mul(&p.planes[which as usize].0).abs();
                let reach = along.x * half[0] + along.y * half[1] + along.z * half[2] + skew;
                if height > reach {
                    meets = false;
                    break;
                }
                if height >= -reach {
                    down.planes.push(which);
                }
            }
            let end = down.planes.len() as u32;
            if !meets {
                down.planes.truncate(start as usize);
                continue;
            }
            whole = end == start && self.pieces[piece as usize].slivers.is_empty();
            if whole {
                // Neighbouring nodes mostly lie in the same piece.
                down.near.swap(near.start, k);
                break;
            }
            down.near.push(NearPiece { piece, planes: [start, end] });
        }
        let last = down.near.len();
        let covered = whole
            || match at.below() {
                Below::Children(children) => children.into_iter().all(|c| self.cover_node(down, c, first..last)),
                Below::Triangles(mut range) => range.all(|t| self.covers_triangle(down, t, first..last)),
            };
        down.near.truncate(first);
        down.planes.truncate(first_plane);
        covered
    }

    fn covers_triangle(&self, down: &Descent, t: u32, near: Range<usize>) -> bool {
        let corners = down.surface.triangle(t);
        let asked =
            |n: &NearPiece| (&self.pieces[n.piece as usize], &down.planes[n.planes[0] as usize..n.planes[1] as usize]);
        let deep = |n: &NearPiece| {
            let (piece, planes) = asked(n);
            piece.slivers.is_empty()
                && planes.iter().all(|&k| corners.iter().all(|x| piece.height(k, x) < -self.on_plane))
        };
        let near = &down.near[near];
        near.iter().any(deep) || {
            let near: Vec<PieceToTest> = near.iter().map(asked).collect();
            self.rest(&corners, &near).is_some_and(|rest| rest.is_empty())
        }
    }

    /// Part of a triangle outside all of some pieces; `None` if that takes too many cuts.
    fn rest(&self, t: &Triangle, near: &[PieceToTest]) -> Option<Vec<Polygon>> {
        let is_behind = |(p, planes): &PieceToTest, x: &Vec3| planes.iter().all(|&k| p.height(k, x) <= self.on_plane);
        let whole = |asked: &PieceToTest| t.iter().all(|x| is_behind(asked, x)) && self.contains_all(asked, t);
        if near.iter().any(whole) {
            return Some(Vec::new());
        }
        rest_of(t, near, |piece, polygon, outside| self.outside(piece, polygon).map(|of| outside.extend(of)).is_some())
    }

    fn contains_all(&self, (p, planes): &PieceToTest, polygon: &[Vec3]) -> bool {
        polygon.iter().all(|x| p.contains_point(x, planes, self.within, self.on_plane))
    }

    /// Part of a polygon outside a piece; `None` if nothing of the polygon lies in the piece.
    fn outside(&self, asked: &PieceToTest, polygon: &Polygon) -> Option<Vec<Polygon>> {
        let (p, planes) = asked;
        let mut cutting = Vec::new();
        for &k in *planes {
            let is_above = |x: &Vec3| p.height(k, x) > self.on_plane;
            if polygon.iter().all(is_above) {
                return None;
            }
            if polygon.iter().any(is_above) {
                cutting.push(k);
            }
        }
        let mut outside = Vec::new();
        let mut inside = polygon.clone();
        for k in cutting {
            let heights: Vec<f64> = inside.iter().map(|x| p.height(k, x)).collect();
            if heights.iter().all(|h| *h <= self.on_plane) {
                continue;
            }
            let (above, below) = split(&inside, &heights, self.on_plane);
            // Rounding leaves strips along the cuts.
            let is_far = heights.iter().any(|h| *h > self.within + self.on_plane);
            if is_far || above.len() >= 3 && !self.contains_all(asked, &above) {
                outside.push(above);
            }
            inside = below;
            if inside.len() < 3 {
                return None;
            }
        }
        self.contains_all(asked, &inside).then_some(outside)
    }

    /// True if the union of the pieces leaves a hollow inside the solid. The surface lies in the pieces and so never
    /// divides a connected component of the remaining faces: one point decides for it.
    fn leaves_hollow(&self, surface: &Surface, boundary: &Boundary) -> bool {
        let of_pieces: Vec<&[RemainingFace]> = boundary.left.chunk_by(|p, q| p.piece == q.piece).collect();
        of_pieces.into_par_iter().any(|left| {
            let polygons: Vec<(&Polygon, &Vec3)> =
                left.iter().flat_map(|of| of.polygons.iter().map(|polygon| (polygon, &of.normal))).collect();
            let mut sets = connected_components(&polygons);
            let mut is_known = vec![false; polygons.len()];
            let mut last = None;
            (0_u32..).zip(&polygons).any(|(k, (polygon, normal))| {
                let root = sets.find(k).0 as usize;
                if is_known[root] {
                    return false;
                }
                let told = self.is_hollow(surface, &(middle(polygon) + *normal * self.within), &mut last);
                is_known[root] = told.is_some();
                told == Some(true)
            })
        })
    }

    /// True if a point just beyond a piece is inside the solid. `None` if the surface is too near for a decision, or if
    /// another piece contains the point up to rounding. `last` is a point with known winding number.
    fn is_hollow(&self, surface: &Surface, x: &Vec3, last: &mut Option<(Vec3, i32)>) -> Option<bool> {
        if surface.nearest(x, 4.0 * self.within).is_some() {
            return None;
        }
        let winding = winding_from(surface, last.as_ref().map(|(at, winding)| (at, *winding)), x)?;
        *last = Some((*x, winding));
        let is_inside = winding >= 1;
        let holds = |p: &Piece| (0..p.planes.len() as u32).all(|k| p.height(k, x) <= self.on_plane);
        (!(is_inside && self.pieces.iter().any(holds))).then_some(is_inside)
    }
}

/// Finds the connected components of polygons by shared edges; cuts have the same points on either side. Two polygons
/// with only a corner in common may face different sides of the solid.
fn connected_components(polygons: &[(&Polygon, &Vec3)]) -> UnionFind {
    let mut edges: Vec<([[u64; 3]; 2], u32)> = Vec::new();
    for (k, (polygon, _)) in (0..).zip(polygons) {
        let mut last = polygon.last().map(bits);
        for end in polygon.iter().map(bits) {
            if let Some(start) = last.replace(end).filter(|start| *start != end) {
                edges.push((if start < end { [start, end] } else { [end, start] }, k));
            }
        }
    }
    edges.sort_unstable();
    let mut sets = UnionFind::new(polygons.len());
    for pair in edges.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.union(pair[0].1, pair[1].1, false);
    }
    sets
}

/// Nodes of a surface's tree that together contain all of it.
fn shares(surface: &Surface) -> Vec<u32> {
    let mut nodes = vec![0];
    while surface.triangles.len() > SHARED_FROM && nodes.len() < SHARES {
        let below = |&node: &u32| match surface.tree().nodes[node as usize].below() {
            Below::Children(children) => children.to_vec(),
            Below::Triangles(_) => vec![node],
        };
        nodes = nodes.iter().flat_map(below).collect();
    }
    nodes
}

fn middle(polygon: &Polygon) -> Vec3 {
    polygon.iter().sum::<Vec3>() / polygon.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_with_a_common_edge_are_connected() {
        let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        // Two on either side of an edge, one touching both at a corner.
        let polygons: [Polygon; 3] = [
            vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0)],
            vec![at(1.0, 1.0), at(0.0, 1.0), at(0.0, 0.0)],
            vec![at(1.0, 1.0), at(2.0, 1.0), at(2.0, 2.0)],
        ];
        let up = Vec3::z();
        let mut sets = connected_components(&polygons.each_ref().map(|p| (p, &up)));
        assert_eq!(sets.find(0).0, sets.find(1).0);
        assert_ne!(sets.find(0).0, sets.find(2).0);
    }
}
