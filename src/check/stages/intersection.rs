//! Computes the intersection of a pair: its volume, and its box for every row of the answer.

use crate::check::Measure;
use crate::check::pairs::rotations::order;
use crate::check::prepare::shape::Shape;
use crate::check::stages::{AsGiven, Measured, PairQuery};
use crate::geom::{Aabb, Mat3, Vec3};
use crate::measure::intersection::bounding_box::max_shift;
use crate::measure::intersection::{Crossings, Intersection, IntersectionInput, intersection_from};
use crate::query::triangles::bvh_traversal::LeafPairs;
use crate::query::triangles::pairing::Pairing;
use crate::shape::surface::Surface;

/// Intersection of a pair; lengths in mm, in the first shape's centred frame.
#[derive(Debug, Clone)]
pub(crate) struct CommonSolid {
    pub volume: f64,
    /// Area of its surface (mm², >= 0).
    pub area: f64,
    /// Share of the surface that faces one way (0 to 1), if known.
    pub one_sidedness: Option<f64>,
    /// Boxes of the intersection, one for each rotation of the first shape in a row; sorted by rotation.
    pub(crate) boxes: Vec<(Mat3, Aabb)>,
}

impl CommonSolid {
    /// Box in root coordinates (mm), with the first shape's centred origin at `at`.
    pub(crate) fn root_box(&self, rotation: &Mat3, at: &Vec3) -> Option<Aabb> {
        let place = self.boxes.binary_search_by(|b| order(&b.0, rotation)).ok()?;
        let local = &self.boxes[place].1;
        Some(Aabb { min: local.min + at, max: local.max + at })
    }
}

/// Crossings of the two surfaces of a pair, found before its measures.
pub(crate) struct KnownCrossings<'s> {
    /// The surfaces that cross.
    surfaces: [&'s Surface; 2],
    /// Local origin of the points (first shape's centred frame, mm).
    origin: Vec3,
    pub(crate) crossings: Crossings,
}

impl PairQuery<'_> {
    /// Finds the crossings of two surfaces of the pair, for the lumps of their common solid; `origin` is a point near
    /// it. Uses pairs of leaves, if known. `None` on failure.
    pub(crate) fn crossings<'s>(
        &self,
        pairing: &Pairing<'s>,
        origin: Vec3,
        margin: f64,
        given: &AsGiven,
        leaves: Option<&LeafPairs>,
    ) -> Option<KnownCrossings<'s>> {
        let turns = self.turns.distinct();
        let crossings = Crossings::among(pairing, &self.intersection_input(origin, margin, given, &turns), leaves)?;
        Some(KnownCrossings { surfaces: [pairing.a, pairing.b], origin, crossings })
    }

    /// Prior knowledge about the pair, without its depth.
    fn intersection_input<'t>(
        &self,
        witness: Vec3,
        margin: f64,
        given: &AsGiven,
        turns: &'t [Mat3],
    ) -> IntersectionInput<'t> {
        let known = IntersectionInput {
            margin,
            rounding: self.rounding(margin),
            witness,
            depth: 0.0,
            deepest: f64::INFINITY,
            turns,
            as_given: [false; 2],
        };
        // The boxes need small translations. The surface of a convex solid is its boundary in any case.
        let is_near = max_shift(&known) + margin <= given.reach;
        let is_given = |shape: &Shape, given: bool| is_near && given && !shape.is_hull;
        let as_given = [is_given(self.first, given.parts[0]), is_given(self.second, given.parts[1])];
        IntersectionInput { as_given, ..known }
    }

    /// Volume and box of the intersection; `None` if not wanted, without a definite inside, or on failure. Also tells
    /// for each shape if the computation used its self-union. Uses crossings of the same surfaces, or pairs of leaves, if
    /// known.
    pub(crate) fn common(
        &self,
        measured: &Measured,
        margin: f64,
        given: &AsGiven,
        crossings: Option<KnownCrossings>,
        leaves: Option<&LeafPairs>,
    ) -> (Option<CommonSolid>, [bool; 2]) {
        if self.measure != Measure::All || !(self.first.is_solid() && self.second.is_solid()) {
            return (None, [false; 2]);
        }
        let turns = self.turns.distinct();
        let mut known = self.intersection_input(measured.witness[0], margin, given, &turns);
        let [least, most] = measured.bracket.to_depth();
        (known.depth, known.deepest) = (least - 2.0 * margin, most);
        let (a, of_a) = solid(self.first, known.as_given[0]);
        let (b, of_b) = solid(self.second, known.as_given[1]);
        let pairing = Pairing { a, b, b_in_a: self.pose };
        let is_same = |found: &KnownCrossings| std::ptr::eq(found.surfaces[0], a) && std::ptr::eq(found.surfaces[1], b);
        let crossings = match crossings.filter(is_same) {
            Some(found) => {
                known.witness = found.origin;
                Some(found.crossings)
            }
            None => Crossings::among(&pairing, &known, leaves),
        };
        let found = intersection_from(&pairing, &known, crossings);
        let boxes = |found: Vec<Aabb>| turns.iter().copied().zip(found).collect();
        let found = found.map(|f| {
            let Intersection { volume, area, one_sidedness, boxes: found } = f;
            CommonSolid { volume, area, one_sidedness, boxes: boxes(found) }
        });
        (found, [of_a, of_b])
    }
}

/// Boundary of a shape's solid, or its surface as given, and true if it comes from the self-union.
fn solid(shape: &Shape, as_given: bool) -> (&Surface, bool) {
    let surface = &shape.exact().surface;
    // The surface of a convex solid needs no self-union.
    if as_given || shape.is_hull { (surface, false) } else { (surface.solid(), true) }
}
