//! Computes the common solid of two placed solids: volume and box by sums over the crossings, or the mesh
//! (`by_arrangement`) if the sums fail or a caller needs it.
//!
//! ```text
//! pairs of triangles ─► segments in which they cross (exact signs) ─► vertices inside ─► sums ─► checks
//! ```
//!
//! The boundary of the common solid consists of each surface's part inside the other solid. By the divergence theorem a
//! face clipped to the other solid contributes by its area vector. The area vector is a sum over the directed pieces of
//! the face's outline: the inside parts of its edges, and the segments in which it crosses faces of the other surface.
//! The sums need no polygon in full.
//!
//! - `crossing_candidates`: triangles possibly crossing, for B within a short distance of its pose
//! - `perturbed_signs`: crossings without ties, by simulation of simplicity
//! - `inside_part`: the sums over one surface's part inside the other solid
//! - `bounding_box`: box of the common solid, without coincident faces
//! - `lumps`: corners of each lump of the common solid, for bounds of the depth
//! - `by_arrangement`: mesh of the common solid, for self-intersecting parts and for callers
//! - `crossing_line`: segments in which two surfaces cross, open ones too, for pictures

pub(crate) mod bounding_box;
pub(crate) mod by_arrangement;
#[cfg(test)]
mod by_arrangement_tests;
pub(crate) mod crossing_candidates;
pub(crate) mod crossing_line;
pub(crate) mod inside_part;
pub(crate) mod lumps;
#[cfg(test)]
mod lumps_tests;
pub(crate) mod perturbed_signs;
#[cfg(test)]
pub(crate) mod tests;

use crate::geom::{Aabb, Mat3, Vec3};
use crate::measure::intersection::bounding_box::{boxes, max_shift, turned_box};
pub use crate::measure::intersection::by_arrangement::{NoCommonSolid, solid};
use crate::measure::intersection::by_arrangement::{intersection_by_mesh, no_union_failed};
use crate::measure::intersection::crossing_candidates::CrossingCandidates;
pub use crate::measure::intersection::crossing_line::crossing_line;
use crate::measure::intersection::inside_part::{BoundarySums, End, Inconsistent, InsidePart, Segment};
use crate::measure::intersection::perturbed_signs::{Crossing, Cut, Plane, Solid, cut};
use crate::query::triangles::bvh_traversal::LeafPairs;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::per_triangle::PerTriangle;
use crate::shape::surface::Surface;

/// Common solid of a pair: volume, surface and boxes.
#[derive(Debug, Clone, PartialEq)]
pub struct Intersection {
    /// Volume (mm³, >= 0); 0 up to rounding.
    pub volume: f64,
    /// Area of its surface (mm², >= 0); 0 if the volume is 0.
    pub area: f64,
    /// Share in which its surface faces one direction and its opposite only (0 to 1), see
    /// [`BoundarySums::one_sidedness`]; `None` if unknown.
    pub one_sidedness: Option<f64>,
    /// Box of the common solid after each requested rotation about the origin of A's frame (mm). Empty if the volume is
    /// 0 and the place of contact is unknown.
    pub boxes: Vec<Aabb>,
}

/// Prior knowledge about a pair, and the requested rotations.
#[derive(Debug, Clone, Copy)]
pub struct IntersectionInput<'a> {
    /// The pair's rounding margin η (mm).
    pub margin: f64,
    /// Bound of the distance of surfaces coinciding by design (mm), at least the margin.
    pub rounding: f64,
    /// Point at or near a contact of the surfaces (A's frame, mm).
    pub witness: Vec3,
    /// Certified lower bound of the overlap depth (mm).
    pub depth: f64,
    /// Certified upper bound of the overlap depth (mm).
    pub deepest: f64,
    /// Rotations of the requested boxes.
    pub turns: &'a [Mat3],
    /// True for each surface whose shells may overlap away from the other solid.
    pub as_given: [bool; 2],
}

/// Relative tolerance of a volume's bounds: rounding of sums over a million triangles.
const ROUNDING: f64 = 1e-9;

/// Thickness of the boundary layer counted as rounding, in margins.
const NOISE_MARGINS: f64 = 4.0;

/// Computes volume and box of the common solid of two closed surfaces. Returns `None` if a check fails. Cost: a BVH
/// traversal, and time proportional to the number of triangles crossing or inside. If a self-union is known to have
/// failed, or if signs contradict each other, the cost is that of [`solid`].
///
/// Shells of one surface may overlap only away from the other solid: farther from it than [`max_shift`].
///
/// Source: by the divergence theorem over the faces; ties by simulation of simplicity (`perturbed_signs`).
pub fn intersection(p: &Pairing, known: &IntersectionInput) -> Option<Intersection> {
    intersection_from(p, known, Crossings::of(p, known))
}

/// Computes volume and box as [`intersection`] does; `crossings` are those of the same surfaces, pose, witness and
/// rotations.
pub(crate) fn intersection_from(
    p: &Pairing,
    known: &IntersectionInput,
    crossings: Option<Crossings>,
) -> Option<Intersection> {
    crossings.and_then(|c| intersection_by_sums(p, known, c)).or_else(|| intersection_by_mesh(p, known))
}

/// Crossings of the surfaces of a pair, and the part of each surface inside the other solid. The bounds of the depth
/// and the measures of the common solid share them.
pub(crate) struct Crossings {
    near: CrossingCandidates,
    segments: CrossingSegments,
    boundary: Boundary,
}

impl Crossings {
    /// Finds the crossings. `None` if signs contradict each other, or if a self-union is known to have failed.
    pub(crate) fn of(p: &Pairing, known: &IntersectionInput) -> Option<Self> {
        Self::among(p, known, None)
    }

    /// The same from known pairs of leaves of surfaces at the same pose.
    pub(crate) fn among(p: &Pairing, known: &IntersectionInput, leaves: Option<&LeafPairs>) -> Option<Self> {
        if !no_union_failed(p) {
            return None;
        }
        // The boxes need small translations of B: the candidates are collected once for all of them.
        let near = CrossingCandidates::new(p, max_shift(known), leaves);
        // Coincident faces may overlap for one choice of the perturbed solid only. Overlaps under either choice are
        // contacts.
        let segments = CrossingSegments::of(p, known.witness, &near.pairs, Solid::B).ok()?;
        let boundary = boundary_from(p, known, &near, &segments.all(), Solid::B).ok()?;
        Some(Self { near, segments, boundary })
    }

    /// Pairs of triangles that cross.
    pub(crate) fn pairs(&self) -> Vec<[u32; 2]> {
        self.segments.sure.iter().chain(&self.segments.others).map(|segment| segment.triangles).collect()
    }
}

/// Computes the common solid by sums over the crossings.
fn intersection_by_sums(p: &Pairing, known: &IntersectionInput, crossings: Crossings) -> Option<Intersection> {
    let Crossings { near, segments: crossed, boundary: first } = crossings;
    let volume = volume(p, known, &first)?;
    if volume > 0.0 {
        let again = |there: &Pairing| Some(boundary(there, known, &near, Solid::B).ok()?.points);
        let (area, one_sidedness) = (first.sums.area(), first.sums.one_sidedness());
        return Some(Intersection { volume, area, one_sidedness, boxes: boxes(p, known, &first.points, again) });
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
    Some(Intersection { volume, area: 0.0, one_sidedness: None, boxes })
}

/// Boundary of the common solid, as sums.
struct Boundary {
    sums: BoundarySums,
    /// Vertices relative to the witness (mm), some repeated.
    points: Vec<Vec3>,
    /// Vertices of A inside B and of B inside A.
    inside: [Vec<u32>; 2],
}

/// Computes the boundary; `moved` is the solid perturbed to break ties.
fn boundary(
    p: &Pairing,
    known: &IntersectionInput,
    near: &CrossingCandidates,
    moved: Solid,
) -> Result<Boundary, Inconsistent> {
    let segments = CrossingSegments::of(p, known.witness, &near.pairs, moved)?.all();
    boundary_from(p, known, near, &segments, moved)
}

/// Computes the boundary from all segments in which triangles cross.
fn boundary_from(
    p: &Pairing,
    known: &IntersectionInput,
    near: &CrossingCandidates,
    segments: &[Segment],
    moved: Solid,
) -> Result<Boundary, Inconsistent> {
    let mut sums = BoundarySums::default();
    let mut points: Vec<Vec3> = segments.iter().flat_map(|s| s.ends.iter().map(|e| e.at)).collect();
    let mut inside: [Vec<u32>; 2] = Default::default();
    for solid in [Solid::A, Solid::B] {
        sums.side = solid as usize;
        let [own, other] = [solid, solid.other()].map(|s| p.sides()[s as usize]);
        let may_overlap = known.as_given[solid.other() as usize];
        let half = InsidePart { own, other, solid, moved, origin: known.witness, near: near.of(solid), may_overlap };
        half.add_inside(segments, &mut sums, &mut |v, at| {
            points.push(at);
            inside[solid as usize].push(v);
        })?;
    }
    Ok(Boundary { sums, points, inside })
}

/// Segments in which triangles cross.
#[derive(Default)]
struct CrossingSegments {
    /// Segments independent of the choice of the perturbed solid.
    sure: Vec<Segment>,
    /// Segments depending on the choice.
    others: Vec<Segment>,
    /// Pairs of triangles with a crossing depending on the choice of the perturbed solid.
    tied: Vec<[u32; 2]>,
}

impl CrossingSegments {
    /// Intersects pairs of triangles, those of one triangle of A mostly adjacent in `pairs`. `moved` is the solid
    /// perturbed to break ties.
    fn of(p: &Pairing, origin: Vec3, pairs: &[[u32; 2]], moved: Solid) -> Result<Self, Inconsistent> {
        let mut found = Self::default();
        let [_, b] = p.sides();
        let mut planes = PerTriangle::new(p.b.triangles.len());
        for of_one in pairs.chunk_by(|x, y| x[0] == y[0]) {
            let of_f = Plane::new(&p.a.triangle(of_one[0][0]));
            for &[i, j] in of_one {
                let of_g = planes.of(j, || Plane::new(&b.corners(j)));
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

/// Computes the point of an edge crossing: the same point from either triangle of the edge.
pub(crate) fn crossing_point(surface: &Surface, t: u32, corners: &[Vec3; 3], c: &Crossing) -> Vec3 {
    let (k, l) = (c.edge, (c.edge + 1) % 3);
    let ids = surface.triangles[t as usize];
    let [mut from, mut to] = [(&corners[k], c.ends[0]), (&corners[l], c.ends[1])];
    if ids[l] < ids[k] {
        (from, to) = (to, from);
    }
    from.0 + (to.0 - from.0) * (from.1 / (from.1 - to.1))
}

/// Returns the volume if it lies within its bounds.
fn volume(p: &Pairing, known: &IntersectionInput, found: &Boundary) -> Option<f64> {
    let bounds = Aabb::of_points(&found.points);
    let volume = found.sums.six / 6.0;
    let noise = NOISE_MARGINS * known.margin * 0.5 * found.sums.twice_area;
    let size = if found.points.is_empty() { Vec3::zeros() } else { bounds.max - bounds.min };
    let at_most = |(s, as_given): (&Surface, bool)| {
        if s.is_known_boundary() && !as_given { s.volume() } else { f64::INFINITY }
    };
    let [a, b] = known.as_given;
    let most = at_most((p.a, a)).min(at_most((p.b, b))).min(size.x * size.y * size.z);
    let ball = std::f64::consts::PI / 6.0 * known.depth.max(0.0).powi(3);
    let sound = volume.is_finite()
        && volume >= -noise
        && volume <= most * (1.0 + ROUNDING) + noise
        && volume >= ball * (1.0 - ROUNDING) - noise;
    sound.then_some(if volume <= noise { 0.0 } else { volume })
}
