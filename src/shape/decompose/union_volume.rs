//! Computes the boundary of a union of convex pieces, and from it the volume.
//!
//! The boundary is the part of each face outside all other pieces. Of coincident faces exactly one must count.
//! Therefore the faces of each piece are treated as if they were slightly farther out, those of the first piece
//! farthest (`STEP_IN_ROUNDOFFS`): coincident faces then lie inside one another. By the divergence theorem, the volume
//! is a third of the sum of area times plane height over the boundary. As a check, the area vectors must add up to 0.

use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::triangle::Triangle;
use crate::geom::{Aabb, Vec3};
use crate::shape::hull::{Facet, Hull, facets};
use crate::shape::polytope::simd_max_dot::PointRows;
use rayon::prelude::*;

/// Difference of outward shift between the faces of consecutive pieces, in roundings of the largest coordinate: more
/// than the growth of pieces for rounding. A larger value makes the volume wrong by the area times it.
const STEP_IN_ROUNDOFFS: f64 = 16384.0;

/// Limit of cuts of one triangle; beyond it, the result is unknown.
const MAX_CUTS: usize = 20_000;

/// Largest length of the summed area vectors, relative to the area; beyond it, there is no volume.
const OPEN_PLANE: f64 = 1e-6;

/// Convex polygon.
pub(crate) type Polygon = Vec<Vec3>;

/// Part of a face triangle outside all other pieces.
#[derive(Debug)]
pub(crate) struct RemainingFace {
    pub piece: u32,
    /// Outward unit normal.
    pub normal: Vec3,
    pub polygons: Vec<Polygon>,
}

/// Boundary of the union of convex pieces.
#[derive(Debug)]
pub struct Boundary {
    /// Remaining parts, piece by piece, without faces too thin for a plane.
    pub(crate) left: Vec<RemainingFace>,
}

/// Plane of a piece: outward unit normal and offset (mm).
type Plane = (Vec3, f64);

/// Piece with its bounding planes.
struct Piece<'a> {
    hull: &'a Hull,
    vertices: PointRows,
    facets: Vec<Facet>,
    /// Assumed outward shift of its faces (mm).
    out: f64,
    bounds: Aabb,
}

/// Piece possibly containing something, with those of its planes still to be tested: some of that something may be in
/// front of them.
struct NearbyPieces {
    planes: Vec<Plane>,
    out: f64,
    bounds: Aabb,
}

impl<'a> Piece<'a> {
    fn new(hull: &'a Hull, out: f64) -> Self {
        let bounds = Aabb::of_points(&hull.vertices).inflated(out);
        Self { hull, vertices: PointRows::new(&hull.vertices, &[]), facets: facets(hull), out, bounds }
    }
}

impl NearbyPieces {
    /// Prepares `other` for the faces of `own`; `None` if the pieces are apart.
    fn of(own: &Piece, other: &Piece) -> Option<Self> {
        if !own.bounds.meets(&other.bounds) {
            return None;
        }
        let mut planes = Vec::new();
        for f in &other.facets {
            let highest = |d: &Vec3| own.vertices.largest(d).1;
            let (low, high) = (-highest(&-f.normal) - f.offset, highest(&f.normal) - f.offset);
            if low - own.out > other.out {
                return None;
            }
            if high + own.out > other.out {
                planes.push((f.normal, f.offset));
            }
        }
        Some(Self { planes, out: other.out, bounds: other.bounds })
    }
}

impl Boundary {
    /// Computes the boundary face by face; `None` if that takes too many cuts. Cost: some microseconds for each
    /// triangle of a piece, more for cut ones.
    pub fn of(hulls: &[Hull]) -> Option<Self> {
        let size = hulls.iter().map(|h| Aabb::of_points(&h.vertices).max_abs()).fold(0.0, f64::max);
        let step = STEP_IN_ROUNDOFFS * UNIT_ROUNDOFF * size;
        let piece = |(k, hull)| Piece::new(hull, step * (hulls.len() - k) as f64);
        let pieces: Vec<Piece> = hulls.par_iter().enumerate().map(piece).collect();
        let left_of = |(k, own): (usize, &Piece)| {
            let mut left = Vec::new();
            let others = pieces.iter().enumerate().filter(|(j, _)| *j != k);
            let near: Vec<NearbyPieces> = others.filter_map(|(_, other)| NearbyPieces::of(own, other)).collect();
            for f in &own.facets {
                for &triangle in f.triangles.iter() {
                    let corners = own.hull.triangles[triangle as usize].map(|v| own.hull.vertices[v as usize]);
                    let polygons = outside_all(&corners, &f.normal, own.out, &near)?;
                    left.push(RemainingFace { piece: k as u32, normal: f.normal, polygons });
                }
            }
            Some(left)
        };
        let left: Option<Vec<Vec<RemainingFace>>> = pieces.par_iter().enumerate().map(left_of).collect();
        Some(Self { left: left?.into_iter().flatten().collect() })
    }

    /// Volume enclosed by the boundary (mm³), accurate to about 10⁻⁸; `None` if the boundary is not closed.
    pub fn volume(&self) -> Option<f64> {
        let polygons = || self.left.iter().flat_map(|l| l.polygons.iter().map(|polygon| (polygon, &l.normal)));
        let middle = Aabb::of_points(polygons().map(|(polygon, _)| &polygon[0])).center();
        let (mut three, mut area, mut open) = (0.0, 0.0, Vec3::zeros());
        for (polygon, normal) in polygons() {
            let first = polygon[0];
            let twice: Vec3 = polygon.windows(2).map(|pair| (pair[0] - first).cross(&(pair[1] - first))).sum();
            let own = 0.5 * normal.dot(&twice);
            three += normal.dot(&(first - middle)) * own;
            area += own;
            open += normal * own;
        }
        let volume = three / 3.0;
        (volume.is_finite() && open.norm() <= OPEN_PLANE * area).then_some(volume)
    }
}

/// Part of a triangle outside all of some pieces, with the triangle's plane treated as `out` (mm) farther out.
fn outside_all(t: &Triangle, normal: &Vec3, out: f64, pieces: &[NearbyPieces]) -> Option<Vec<Polygon>> {
    let bounds = Aabb::of_points(t);
    let near: Vec<&NearbyPieces> = pieces.iter().filter(|p| p.bounds.meets(&bounds)).collect();
    let mut cutting = Vec::new();
    rest_of(t, &near, |piece, polygon, outside| {
        cutting_planes(polygon, piece, normal, out, &mut cutting)
            && cut_off(polygon, &cutting, |above| outside.push(above))
    })
}

/// Part of a triangle outside all of some pieces; `None` if that takes too many cuts. `cut` returns true if some of a
/// polygon lies in a piece, and adds the part outside it.
pub(crate) fn rest_of<P>(
    t: &Triangle,
    pieces: &[P],
    mut cut: impl FnMut(&P, &Polygon, &mut Vec<Polygon>) -> bool,
) -> Option<Vec<Polygon>> {
    let mut left = Vec::new();
    let mut open: Vec<(Polygon, usize)> = vec![(t.to_vec(), 0)];
    let (mut cuts, mut outside) = (0, Vec::new());
    while let Some((polygon, k)) = open.pop() {
        let Some(piece) = pieces.get(k) else {
            left.push(polygon);
            continue;
        };
        cuts += 1;
        if cuts > MAX_CUTS {
            return None;
        }
        outside.clear();
        if cut(piece, &polygon, &mut outside) {
            open.extend(outside.drain(..).map(|p| (p, k + 1)));
        } else {
            open.push((polygon, k + 1));
        }
    }
    Some(left)
}

/// Collects the planes cutting a polygon, with their assumed shift. Returns false if the polygon is in front of one of
/// them.
fn cutting_planes(polygon: &Polygon, piece: &NearbyPieces, normal: &Vec3, out: f64, cutting: &mut Vec<Plane>) -> bool {
    cutting.clear();
    for (n, d) in &piece.planes {
        let d = d + piece.out - n.dot(normal) * out;
        let above = polygon.iter().filter(|x| n.dot(x) > d).count();
        if above == polygon.len() {
            return false;
        }
        if above > 0 {
            cutting.push((*n, d));
        }
    }
    true
}

/// Cuts a polygon along planes and passes the parts in front to `front`. Returns true if a part behind all of them is
/// left.
fn cut_off(polygon: &Polygon, planes: &[Plane], mut front: impl FnMut(Polygon)) -> bool {
    let mut inside = polygon.clone();
    for (n, d) in planes {
        let heights: Vec<f64> = inside.iter().map(|x| n.dot(x) - d).collect();
        if heights.iter().all(|h| *h <= 0.0) {
            continue;
        }
        let (above, below) = split(&inside, &heights, 0.0);
        front(above);
        inside = below;
        if inside.len() < 3 {
            return false;
        }
    }
    true
}

/// Cuts a convex polygon by a plane into the part above and the part below, given the heights of its corners. Heights
/// up to `on_plane` count as below.
pub(crate) fn split(polygon: &[Vec3], heights: &[f64], on_plane: f64) -> (Polygon, Polygon) {
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
            // Interpolate from the lower end: both sides then compute the same point.
            let (low, high, p, q) =
                if from < to { (from, to, polygon[i], polygon[j]) } else { (to, from, polygon[j], polygon[i]) };
            let cut = p + (q - p) * (lesser(-low, high - low).max(0.0) / (high - low));
            above.push(cut);
            below.push(cut);
        }
    }
    (above, below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::hull::{convex_hull, measure};
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::block;

    fn hull_block(low: [f64; 3], high: [f64; 3]) -> Hull {
        convex_hull(&block(low, high).vertices)
    }

    fn volume(hulls: &[Hull]) -> f64 {
        Boundary::of(hulls).unwrap().volume().unwrap()
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-8 * expected, "{found}, not {expected}");
    }

    #[test]
    fn blocks_count_once_where_they_overlap_touch_or_coincide() {
        let a = hull_block([0.0; 3], [4.0, 3.0, 2.0]);
        assert_near(volume(std::slice::from_ref(&a)), 24.0);
        assert_near(volume(&[a.clone(), a.clone(), a.clone()]), 24.0);
        // Flush on four sides, and in the other order.
        let b = hull_block([3.0, 0.0, 0.0], [6.0, 3.0, 2.0]);
        assert_near(volume(&[a.clone(), b.clone()]), 36.0);
        assert_near(volume(&[b, a.clone()]), 36.0);
        // Side by side, one inside, one across, one apart.
        assert_near(volume(&[a.clone(), hull_block([4.0, 0.0, 0.0], [5.0, 3.0, 2.0])]), 30.0);
        assert_near(volume(&[a.clone(), hull_block([1.0; 3], [2.0, 2.0, 1.5])]), 24.0);
        assert_near(volume(&[a.clone(), hull_block([1.0, 1.0, -5.0], [2.0, 2.0, 5.0])]), 24.0 + 8.0);
        assert_near(volume(&[a, hull_block([10.0; 3], [11.0; 3])]), 25.0);
    }

    #[test]
    fn union_volume_of_many_hulls_matches_sampling() {
        let rng = &mut Rng::new(5);
        for round in 0..6 {
            let mut hull = |spread: f64| {
                let middle = rng.in_cube() * spread;
                let points: Vec<Vec3> = (0..20).map(|_| middle + rng.in_cube()).collect();
                convex_hull(&points)
            };
            let hulls: Vec<Hull> = (0..12).map(|_| hull(0.3 + 0.4 * f64::from(round))).collect();
            let found = volume(&hulls);
            let largest = hulls.iter().map(|h| measure(h).volume).fold(0.0, f64::max);
            let sum: f64 = hulls.iter().map(|h| measure(h).volume).sum();
            assert!(largest < found && found <= sum * (1.0 + 1e-8), "{found} of {sum}");
            let planes: Vec<Vec<Facet>> = hulls.iter().map(facets).collect();
            let bounds = Aabb::of_points(hulls.iter().flat_map(|h| &h.vertices));
            let (size, n) = (bounds.max - bounds.min, 20_000);
            let hits = (0..n).filter(|_| {
                let share = rng.in_unit_cube();
                let x = bounds.min + share.component_mul(&size);
                planes.iter().any(|p| p.iter().all(|f| f.normal.dot(&x) <= f.offset))
            });
            let (all, part) = (size.x * size.y * size.z, hits.count() as f64 / f64::from(n));
            let deviation = all * (part * (1.0 - part) / f64::from(n)).sqrt();
            assert!((found - all * part).abs() < 5.0 * deviation, "{found}, points say {}", all * part);
        }
    }
}
