//! What two placed solids have in common: its volume and its box, without cutting a mesh; where that does not do, and for callers
//! that want one, its mesh (`arranged`).
//!
//! ```text
//! pairs of triangles (dual) ─► segments in which they cross (sign, exact) ─► vertices inside (half) ─► sums ─► checks
//! ```
//!
//! The boundary of the common solid is each surface's part inside the other solid. By the divergence theorem a face clipped to
//! the other solid counts with its area vector, and that is a sum over the directed pieces of its outline: parts of its edges
//! that are inside, and the segments in which it crosses faces of the other. No polygon is put together for it.

pub(crate) mod bounding_box;
pub(crate) mod by_arrangement;
#[cfg(test)]
mod by_arrangement_tests;
pub(crate) mod crossing_candidates;
pub(crate) mod inside_part;
pub(crate) mod perturbed_signs;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::{Aabb, Mat3, Vec3};
use crate::query::intersection::bounding_box::{boxes, max_shift, turned_box};
pub use crate::query::intersection::by_arrangement::solid;
use crate::query::intersection::by_arrangement::{intersection_by_mesh, winds_once};
use crate::query::intersection::crossing_candidates::CrossingCandidates;
use crate::query::intersection::inside_part::{BoundarySums, End, Inconsistent, InsidePart, Segment};
use crate::query::intersection::perturbed_signs::{Crossing, Cut, Plane, Solid, cut};
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;

/// What two solids have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Intersection {
    /// mm³, at least 0; 0 where it is no more than rounding.
    pub volume: f64,
    /// For every rotation asked for the box of the common solid, turned by it about the origin of A's frame (mm). None where the
    /// volume is 0 and it is not known where they touch.
    pub boxes: Vec<Aabb>,
}

/// What is known of the pair and wanted.
#[derive(Debug, Clone, Copy)]
pub struct IntersectionInput<'a> {
    /// The pair's rounding margin η (mm).
    pub margin: f64,
    /// By so much surfaces may miss each other that coincide by design (mm); at least the margin.
    pub rounding: f64,
    /// A point where the surfaces meet or near it (A's frame, mm).
    pub witness: Vec3,
    /// Certified lower bound of the overlap depth (mm).
    pub depth: f64,
    /// The boxes are wanted turned by these.
    pub turns: &'a [Mat3],
}

/// Volumes may exceed their bounds by this part: rounding of sums over a million triangles.
const ROUNDING: f64 = 1e-9;

/// The volume within this many margins of the boundary counts as rounding.
const NOISE_MARGINS: f64 = 4.0;

/// Volume and box of what the solids that two closed surfaces bound have in common. `None` where a check fails. Cost: a dual
/// traversal, and time in proportion to the triangles that cross or lie inside; where a surface is known to wind around points more
/// than once, or signs contradict each other, that of [`solid`].
///
/// Source: by the divergence theorem over the faces; ties by simulation of simplicity (`sign`).
pub fn intersection(p: &Pairing, known: &IntersectionInput) -> Option<Intersection> {
    winds_once(p).then(|| intersection_by_sums(p, known)).flatten().or_else(|| intersection_by_mesh(p, known))
}

/// The same of surfaces that wind around no point more than once, by sums over what crosses.
fn intersection_by_sums(p: &Pairing, known: &IntersectionInput) -> Option<Intersection> {
    // For the boxes B moves a little: what it may come to cross is found at once.
    let near = CrossingCandidates::new(p, max_shift(known));
    // Faces that lie on each other overlap or not, whichever solid moves: where they do either way, they touch.
    let crossed = CrossingSegments::of(p, known.witness, &near.pairs, Solid::B).ok()?;
    let first = boundary_from(p, known, &near, &crossed.all(), Solid::B).ok()?;
    let volume = volume(p, known, &first)?;
    if volume > 0.0 {
        let again = |there: &Pairing| Some(boundary(there, known, &near, Solid::B).ok()?.points);
        return Some(Intersection { volume, boxes: boxes(p, known, &first.points, again) });
    }
    let mut points = first.points;
    if known.depth <= 0.0
        && let Ok(other) = CrossingSegments::of(p, known.witness, &crossed.tied, Solid::A)
    {
        let segments = [crossed.sure, other.all()].concat();
        if let Ok(other) = boundary_from(p, known, &near, &segments, Solid::A) {
            points.extend(other.points);
        }
    }
    let boxes = known.turns.iter().map(|turn| turned_box(turn, &points, &known.witness)).collect();
    Some(Intersection { volume, boxes })
}

/// The boundary of the common solid, in sums.
struct Boundary {
    sums: BoundarySums,
    /// Its vertices, seen from the witness; some more than once.
    points: Vec<Vec3>,
}

/// The boundary, `moved` the solid that moves where signs are 0.
fn boundary(
    p: &Pairing,
    known: &IntersectionInput,
    near: &CrossingCandidates,
    moved: Solid,
) -> Result<Boundary, Inconsistent> {
    let segments = CrossingSegments::of(p, known.witness, &near.pairs, moved)?.all();
    boundary_from(p, known, near, &segments, moved)
}

/// The same from all segments in which triangles cross.
fn boundary_from(
    p: &Pairing,
    known: &IntersectionInput,
    near: &CrossingCandidates,
    segments: &[Segment],
    moved: Solid,
) -> Result<Boundary, Inconsistent> {
    let mut sums = BoundarySums::default();
    let mut points: Vec<Vec3> = segments.iter().flat_map(|s| s.ends.iter().map(|e| e.at)).collect();
    for solid in [Solid::A, Solid::B] {
        let half = InsidePart { pairing: p, solid, moved, origin: known.witness, near: near.of(solid) };
        half.add_inside(segments, &mut sums, &mut |at| points.push(at))?;
    }
    Ok(Boundary { sums, points })
}

/// The segments in which triangles cross.
#[derive(Default)]
struct CrossingSegments {
    /// Those that are there whichever solid moves.
    sure: Vec<Segment>,
    /// The others.
    others: Vec<Segment>,
    /// Pairs of triangles that may cross otherwise where the other solid moves.
    tied: Vec<[u32; 2]>,
}

impl CrossingSegments {
    /// Of pairs of triangles, those of one of A mostly side by side; `moved` is the solid that moves where signs are 0.
    fn of(p: &Pairing, origin: Vec3, pairs: &[[u32; 2]], moved: Solid) -> Result<Self, Inconsistent> {
        let mut found = Self::default();
        let mut of_b: Vec<u32> = pairs.iter().map(|pair| pair[1]).collect();
        of_b.sort_unstable();
        of_b.dedup();
        let planes: Vec<Plane> =
            of_b.iter().map(|&j| Plane::new(&p.b.triangle(j).map(|v| p.b_in_a.point(&v)))).collect();
        for of_one in pairs.chunk_by(|x, y| x[0] == y[0]) {
            let of_f = Plane::new(&p.a.triangle(of_one[0][0]));
            for &[i, j] in of_one {
                let of_g = &planes[of_b.partition_point(|k| *k < j)];
                let (cut, is_tied) = cut(&of_f, of_g, moved);
                if is_tied {
                    found.tied.push([i, j]);
                }
                match cut {
                    Cut::None => {}
                    Cut::Broken => return Err(Inconsistent),
                    Cut::Segment(ends) => {
                        let ends = ends.map(|crossing| {
                            let (surface, t, plane) =
                                if crossing.of == Solid::A { (p.a, i, &of_f) } else { (p.b, j, of_g) };
                            End { crossing, at: crossing_point(surface, t, &plane.corners, &crossing) - origin }
                        });
                        let segments = if is_tied { &mut found.others } else { &mut found.sure };
                        segments.push(Segment { triangles: [i, j], ends });
                    }
                }
            }
        }
        Ok(found)
    }

    fn all(&self) -> Vec<Segment> {
        [&self.sure[..], &self.others].concat()
    }
}

/// Where an edge crosses: the same point from whichever of its triangles it is seen.
fn crossing_point(surface: &Surface, t: u32, corners: &[Vec3; 3], c: &Crossing) -> Vec3 {
    let (k, l) = (c.edge, (c.edge + 1) % 3);
    let ids = surface.triangles[t as usize];
    let [mut from, mut to] = [(&corners[k], c.ends[0]), (&corners[l], c.ends[1])];
    if ids[l] < ids[k] {
        (from, to) = (to, from);
    }
    from.0 + (to.0 - from.0) * (from.1 / (from.1 - to.1))
}

/// The volume, if it can be true.
fn volume(p: &Pairing, known: &IntersectionInput, found: &Boundary) -> Option<f64> {
    let bounds = Aabb::of_points(&found.points);
    let volume = found.sums.six / 6.0;
    let noise = NOISE_MARGINS * known.margin * 0.5 * found.sums.twice_area;
    let size = if found.points.is_empty() { Vec3::zeros() } else { bounds.max - bounds.min };
    let most = p.a.volume().min(p.b.volume()).min(size.x * size.y * size.z);
    let ball = std::f64::consts::PI / 6.0 * known.depth.max(0.0).powi(3);
    let sound = volume.is_finite()
        && volume >= -noise
        && volume <= most * (1.0 + ROUNDING) + noise
        && volume >= ball * (1.0 - ROUNDING) - noise;
    sound.then_some(if volume <= noise { 0.0 } else { volume })
}
