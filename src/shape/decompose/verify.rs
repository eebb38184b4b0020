//! Whether convex pieces cover a solid: checked by other means than those that made them.
//!
//! Two things are asked. Every triangle of the solid's surface must lie in the pieces: what of it is outside of one piece is cut
//! off and asked of the others, until nothing is left; each cut-out that stays in a piece is convex, and so is the distance to
//! the piece, so that its corners tell for all of it. And the pieces must leave no hollow inside: what of a piece's faces lies
//! in no other piece bounds their union, and just beyond it must be outside of the solid. The first is proven up to
//! [`covered_within`], the second is looked at in a point of whatever hangs together of the faces that are left: it is wholly inside of the
//! solid or wholly outside, as the surface lies in the pieces.

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

/// No point of a covered solid is farther from its pieces than this many roundings of its size: cuts are rounded, and where faces
/// meet at a sharp edge a rounding across them is many along them. Larger: pairs of covered parts get a wider margin.
const WITHIN_IN_ROUNDOFFS: f64 = 1024.0;

/// What a plane is off by counts as on it, in roundings of the part's size.
const PLANE_IN_ROUNDOFFS: f64 = 32.0;

/// Surfaces of more triangles than this are looked at in shares, as many as this.
const SHARED_FROM: usize = 2000;
const SHARES: usize = 16;

/// How far points of a solid of this size, the largest magnitude of its coordinates, may lie outside of pieces that were
/// found to cover it (mm). The margin of its pairs is wider by that.
pub fn covered_within(size: f64) -> f64 {
    WITHIN_IN_ROUNDOFFS * UNIT_ROUNDOFF * size
}

/// Whether the pieces cover the solid that the surface bounds. Cost: less than a microsecond for each triangle, some for each face of
/// a piece, more where they are cut.
pub fn covers(surface: &Surface, d: &Decomposition) -> bool {
    boundary_of_cover(surface, d).is_some()
}

/// The boundary of what the pieces cover, if they cover the solid.
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

/// A piece with the planes that bound it.
struct Piece<'a> {
    hull: &'a Hull,
    bounds: Aabb,
    /// Outward unit normals and offsets; all of the hull is below each.
    planes: Vec<(Vec3, f64)>,
    /// The triangles in each of the planes.
    faces: Vec<TriangleList>,
    /// Triangles too thin to be in any.
    slivers: Vec<Triangle>,
    /// The bits of its vertices, in increasing order.
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

    /// Whether a point that is behind all other planes is in the piece or no farther than `within` from it; `on_plane` is what rounding
    /// does to a height.
    fn contains_point(&self, x: &Vec3, planes: &[u32], within: f64, on_plane: f64) -> bool {
        let mut top = f64::NEG_INFINITY;
        for &k in planes {
            top = greater(top, self.height(k, x));
            // No point of the piece is nearer than that.
            if top > within + on_plane {
                return false;
            }
        }
        if top < -on_plane && self.slivers.iter().all(|[a, b, c]| orient3d(a, b, c, x) <= 0.0) {
            return true;
        }
        let is_near = |t: &Triangle| point_triangle(x, t).squared <= within * within;
        // The plane of a face within reach is, too.
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

/// A piece, and those of its planes that not everything asked about is behind.
type PieceToTest<'a> = (&'a Piece<'a>, &'a [u32]);

/// A piece that some triangles may lie in, and where in [`Descent::planes`] those of its planes stand that do not have all of them behind.
#[derive(Clone, Copy)]
struct NearPiece {
    piece: u32,
    planes: [u32; 2],
}

/// The way down the tree of a surface.
struct Descent<'a> {
    surface: &'a Surface,
    /// Of a node, those of the node above cut down; of the last node last.
    near: Vec<NearPiece>,
    planes: Vec<u32>,
}

impl CoverCheck<'_> {
    /// Whether every triangle of a surface lies in the pieces.
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

    /// The same of what is below a node: it cannot be outside of any piece but those near to it. A tree is some dozen nodes deep.
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
                // What is next to it lies in the same piece mostly.
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

    /// What of a triangle is in none of some pieces; `None` where that takes too many cuts.
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

    /// A polygon less what lies in a piece; `None` where nothing of it does.
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

    /// Whether the union of the pieces leaves something out inside the solid. The surface lies in the pieces, so that it parts nothing of
    /// what of their faces is left and hangs together: one point tells for it.
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

    /// Whether a point just beyond a piece is inside the solid; `None` where the surface is too near for that to tell, or another piece
    /// holds it for rounding. `last` is a point about which the winding number is known.
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

/// Sets of polygons that share edges: cuts are the same points from either side. Two that share a corner alone may have different sides of
/// the solid before them.
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

/// Nodes of a surface's tree that together hold all of it.
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
        // Two on either side of an edge, one that touches both in a corner.
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
