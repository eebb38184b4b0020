//! Answers a pair from its triangles: distance, overlap depth and facet allowance.
//!
//! Calls `query::depth` for the bracket of the depth and decides how far to refine it.

use crate::assembly::Facets;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::{Hulls, bodies};
use crate::check::stages::intersection::KnownCrossings;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::ExitStage;
use crate::check::stages::trace::{Step, Trace};
use crate::check::stages::{Answer, AsGiven, Measured, PairQuery};
use crate::check::{Certainty, Measure, Relation, Status};
use crate::geom::{Bounds, Vec3};
use crate::query::convex::Gap;
use crate::query::depth::{
    Apart, Classified, Containment, OverlapQuery, OverlapSearch, PairRelation, Precision, classify,
};
use crate::query::facet_allowance::{FacetTable, LARGEST_GAIN, SAGITTAS, allowance, reach};
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::{Distance, separation};

/// Largest facet allowance (mm). Coarser facets no longer show the intended surface (docs/explanation/gap.md).
const LARGEST_ALLOWANCE: f64 = 0.25;

/// Largest facet allowance, as a share of the longest side of the smaller part's box.
const LARGEST_ALLOWANCE_OF_SIDE: f64 = 0.01;

/// Largest number of triangles of a surface for facet tables of both parts at the same time.
const TABLES_AT_ONCE: usize = 200_000;

/// Width of a listed pair's bracket, as a share of the depth. Slightly below the 1 % of docs/reference/report.md, to
/// leave room for the rounding margin at both ends.
const BRACKET_OF_DEPTH: f64 = 0.0099;

/// Width of the bracket of a depth beyond the tolerance, as a share of the depth, if the budget suffices.
const BEYOND_TOLERANCE: f64 = 0.025;

/// Largest number of triangles of a pair for bounds by the lumps of its common solid. Larger pairs measure the common
/// solid and the separation at the same time.
const LUMPS_UP_TO: usize = 60_000;

impl PairQuery<'_> {
    /// Returns true if both surfaces have triangles with an area; otherwise only the hulls can answer.
    pub(crate) fn has_triangles(&self) -> bool {
        bodies(self.first, self.second, Hulls::Whole).iter().all(|body| !body.surface.triangles.is_empty())
    }

    /// Returns true if a mesh of the pair has no definite inside.
    fn is_surface(&self) -> bool {
        !(self.first.is_solid() && self.second.is_solid())
    }

    /// Answers a pair left by boxes and hulls. `ball` is the centre of a ball known to lie in both parts.
    pub(crate) fn by_triangles(
        &self,
        limits: &Limits,
        margin: f64,
        ball: Option<Vec3>,
        hulls: Hulls,
        steps: &mut Trace,
    ) -> Answer {
        // For a verdict, a ball thicker than every threshold settles the pair.
        let deep = self.verdict_only().then(|| limits.deepest(self.granted_at_most(limits)));
        let ask = OverlapQuery { margin, rounding: self.rounding(margin), reach: limits.max_distance(), deep };
        let [a, b] = bodies(self.first, self.second, hulls);
        let Classified { relation, used_self_union } = classify(a, b, self.pose, &ask);
        match relation {
            PairRelation::Beyond(distance) => {
                steps.note(Step::Triangles { distance, at_least: true, cleared: true });
                Answer { used_self_union: [used_self_union; 2], ..self.apart_answer(Status::Clear) }
            }
            PairRelation::Apart(apart) => {
                Answer { used_self_union: [used_self_union; 2], ..self.apart(limits, &apart, margin, steps) }
            }
            PairRelation::Meets(mut meeting) => {
                if let Some(center) = ball {
                    meeting.evaluate_at(&center);
                }
                let used_self_union = [used_self_union; 2];
                Overlap { query: self, limits, margin, meeting, crossings: None, facets: None, used_self_union }
                    .answer(steps)
            }
        }
    }

    fn apart_answer(&self, status: Status) -> Answer {
        let certainty = if self.is_surface() { Certainty::NoInside } else { Certainty::Certified };
        Answer { exit_stage: ExitStage::Exact, ..Answer::bare(status, certainty, self.geometry()) }
    }

    fn apart(&self, limits: &Limits, apart: &Apart, margin: f64, steps: &mut Trace) -> Answer {
        let d = apart.distance;
        let status = limits.status(Bounds::exact(d), margin, 0.0);
        steps.note(Step::Triangles { distance: d, at_least: false, cleared: status == Status::Clear });
        let answer = self.apart_answer(status);
        if self.verdict_only() {
            return answer;
        }
        Answer { measured: Some(Box::new(self.measured_apart(d, apart.points, margin))), ..answer }
    }

    /// Measures of separate solids: distance `d` and closest points (mm).
    pub(crate) fn measured_apart(&self, d: f64, points: [Vec3; 2], margin: f64) -> Measured {
        let rounding = self.rounding(margin);
        let between = points[1] - points[0];
        Measured {
            relation: Some(if d > rounding { Relation::Apart } else { Relation::Touch }),
            gap: Some(d),
            bracket: Bounds::exact(d).widened(margin),
            witness: points,
            deepest_point: None,
            normal: if d > margin { between.try_normalize(0.0) } else { None },
            penetration: None,
            common: None,
        }
    }

    /// Refines the gap of two convex solids to rounding. Between almost parallel faces, the closest-point search on
    /// hulls stops earlier in double precision; the triangles then give the distance.
    pub(crate) fn refine_gap(&self, mut gap: Gap, margin: f64) -> Gap {
        let Bounds { lower: low, upper: high } = gap.bracket;
        if low <= 0.0 || gap.bracket.width() <= 2.0 * margin {
            return gap;
        }
        let (a, b) = (self.first.exact(), self.second.exact());
        let pairing = Pairing { a: &a.surface, b: &b.surface, b_in_a: self.pose };
        if let Distance::Within(found) = separation(&pairing, high + margin, 0.0)
            && found.value >= low - margin
            && found.value > margin
        {
            (gap.value, gap.bracket, gap.witness) = (found.value, Bounds::exact(found.value), found.points);
            gap.normal = (found.points[1] - found.points[0]).try_normalize(0.0);
        }
        gap
    }

    /// Upper bound of the granted facet allowance (mm).
    fn granted_at_most(&self, limits: &Limits) -> f64 {
        if limits.facets == Facets::Allow { allowance_at_most(self.first, self.second) } else { 0.0 }
    }

    /// Facet allowance from the concave facets around the intersection (mm), of the selected parts. Takes the surfaces
    /// after self-union, or as given.
    fn allowance(&self, asked: [bool; 2], as_given: [bool; 2], margin: f64) -> f64 {
        let shapes = [self.first, self.second];
        let parts = shapes.map(Shape::exact);
        let surface = |k: usize| if as_given[k] { &parts[k].surface } else { parts[k].surface.solid() };
        let (a, b) = (surface(0), surface(1));
        let pairing = Pairing { a, b, b_in_a: self.pose };
        let none = FacetTable::default();
        let table = |k: usize| if asked[k] { parts[k].facets(shapes[k], as_given[k]) } else { &none };
        // A table of a large surface uses all threads, and needs much memory.
        let tables = if a.triangles.len().max(b.triangles.len()) > TABLES_AT_ONCE {
            [0, 1].map(table)
        } else {
            rayon::join(|| table(0), || table(1)).into()
        };
        allowance(&pairing, tables, self.rounding(margin), largest_allowance(self.first, self.second))
    }
}

/// Largest facet allowance for two parts (mm). It is 0 if pieces stand for a part: they meet other facets than the part
/// does.
pub(crate) fn largest_allowance(first: &Shape, second: &Shape) -> f64 {
    if first.pieces().is_some() || second.pieces().is_some() {
        return 0.0;
    }
    let side = first.longest_side().min(second.longest_side());
    LARGEST_ALLOWANCE.min(LARGEST_ALLOWANCE_OF_SIDE * side)
}

/// Upper bound of the facet allowance of two parts, known without locating the facets (mm).
pub(crate) fn allowance_at_most(first: &Shape, second: &Shape) -> f64 {
    let sagitta = |s: &Shape| s.concave_error().unwrap_or(f64::INFINITY);
    let sagitta = sagitta(first).max(sagitta(second));
    largest_allowance(first, second).min(SAGITTAS * LARGEST_GAIN * sagitta)
}

/// True for each part for which one of two facts holds.
fn either(x: [bool; 2], y: [bool; 2]) -> [bool; 2] {
    [x[0] || y[0], x[1] || y[1]]
}

/// A pair with meeting solids, before its status is decided. Depths in mm.
struct Overlap<'p, 'q> {
    query: &'p PairQuery<'q>,
    limits: &'p Limits,
    margin: f64,
    meeting: Box<OverlapSearch<'p>>,
    /// Crossings of the surfaces, if the bounds of the depth needed them.
    crossings: Option<KnownCrossings<'p>>,
    /// Facet allowance, once computed.
    facets: Option<f64>,
    /// True for each part of which a step outside `meeting` has used the self-union.
    used_self_union: [bool; 2],
}

impl Overlap<'_, '_> {
    /// Narrows the bracket of the depth as status and report require.
    fn answer(mut self, steps: &mut Trace) -> Answer {
        let verdict_only = self.query.verdict_only();
        if !verdict_only {
            self.meeting.certify_contact();
        }
        self.decide_without_facets();
        if !verdict_only {
            self.narrow();
        }
        self.decide_with_facets();
        let bracket = self.meeting.gap_bounds();
        let granted = self.facets.filter(|_| self.allows()).unwrap_or(0.0);
        let mut status = self.limits.status(bracket, self.margin, granted);
        let mut within_facet_error =
            status == Status::Contact && self.limits.needs_facets(bracket.to_depth()[1], self.margin);
        if within_facet_error && self.query.is_surface() {
            // The upper bound belongs to the hulls, so the facets do not explain it.
            (status, within_facet_error) = (Status::Undecided, false);
        }
        self.note(steps);
        let measured = (!verdict_only).then(|| Box::new(self.all_measured()));
        Answer {
            exit_stage: ExitStage::Exact,
            facet_allowance: self.facets,
            within_facet_error,
            used_self_union: either(self.used_self_union, self.meeting.used_self_unions()),
            measured,
            ..Answer::bare(status, self.certainty(status), self.query.geometry())
        }
    }

    fn allows(&self) -> bool {
        self.limits.facets == Facets::Allow
    }

    /// Refines until the depth lies on one side of a threshold.
    fn decide(&mut self, threshold: f64) {
        self.meeting.decide_threshold(threshold);
    }

    /// Decides the thresholds independent of facets: first the tolerance, since most meeting pairs are contacts, then
    /// the allowed depth of a rule.
    fn decide_without_facets(&mut self) {
        let limits = self.limits;
        if limits.min_clearance.is_some_and(|c| c <= self.margin) {
            // A clearance of zero passes by touching and fails by overlapping.
            self.decide(0.0);
        }
        self.decide(limits.tolerance);
        if limits.needs_facets(self.meeting.gap_bounds().to_depth()[1], self.margin) {
            self.decide(limits.deepest(0.0));
        }
    }

    /// Narrows the bracket to the promised width, and further for a depth beyond the tolerance: the report prints the
    /// diameter of the largest ball found.
    fn narrow(&mut self) {
        let width = Precision::new(BRACKET_OF_DEPTH, self.limits.width(self.margin));
        let tolerance = self.limits.tolerance;
        let width = width.beyond(tolerance, BEYOND_TOLERANCE, 16.0 * self.margin);
        self.bound_by_common_solid(&width);
        self.meeting.refine_to(&width);
    }

    /// Surfaces that the measures take as given.
    fn given(&self) -> AsGiven {
        AsGiven { parts: self.meeting.holds_as_given(), reach: self.meeting.reach_of_solids() }
    }

    /// Bounds the depth by the lumps of the common solid. The volume needs their crossings, too. Skips large
    /// pairs.
    fn bound_by_common_solid(&mut self, width: &Precision) {
        let has_room = self.meeting.gap_bounds().to_depth()[0] > self.query.rounding(self.margin);
        if !has_room || self.meeting.triangles() > LUMPS_UP_TO || self.meeting.is_narrow(width) {
            return;
        }
        self.meeting.resolve();
        let Some((center, ..)) = self.meeting.ball().filter(|_| self.meeting.is_solid()) else { return };
        let given = self.given();
        let leaves = self.meeting.leaf_pairs.as_ref();
        self.crossings = self.query.crossings(&self.meeting.pairing(), center, self.margin, &given, leaves);
        if let Some(found) = &self.crossings {
            let lumps = found.crossings.lumps(&self.meeting.pairing(), self.margin);
            self.meeting.bound_by_lumps(&lumps, width);
        }
    }

    /// Computes the facet allowance if status or report need it, and decides its threshold.
    fn decide_with_facets(&mut self) {
        let loosest = self.limits.deepest(allowance_at_most(self.query.first, self.query.second));
        let [mut least, most] = self.meeting.gap_bounds().to_depth();
        let matters =
            self.allows() && self.limits.needs_facets(most, self.margin) && loosest > self.limits.deepest(0.0);
        if self.query.verdict_only() {
            if !matters {
                return;
            }
            // A depth beyond any facet allowance is found faster than the allowance itself.
            self.decide(loosest);
            least = self.meeting.gap_bounds().to_depth()[0];
            if least > loosest + self.margin {
                return;
            }
        } else if least <= self.query.rounding(self.margin) && !matters {
            return;
        }
        let as_given = self.has_allowance_as_given();
        let facets = self.query.allowance([true; 2], as_given, self.margin);
        self.facets = Some(facets);
        self.used_self_union = either(self.used_self_union, as_given.map(|as_given| !as_given));
        if matters {
            self.decide(self.limits.deepest(facets));
        }
    }

    /// True for each surface that has the facet allowance of its solid as given: no other triangles are near enough.
    fn has_allowance_as_given(&mut self) -> [bool; 2] {
        let reach = reach(&self.meeting.pairing(), self.query.rounding(self.margin));
        if reach > self.meeting.reach_of_solids() {
            return [false; 2];
        }
        if self.meeting.used_self_unions() != [false; 2] || !self.query.verdict_only() {
            return self.meeting.holds_as_given();
        }
        self.meeting.only_boundaries_reach()
    }

    fn certainty(&self, status: Status) -> Certainty {
        if self.query.is_surface() {
            Certainty::NoInside
        } else if status == Status::Undecided {
            Certainty::Bracketed
        } else if self.query.verdict_only() {
            Certainty::Certified
        } else {
            self.limits.certainty(self.meeting.gap_bounds(), self.margin)
        }
    }

    /// True if the report has a separating translation: the solids share space.
    fn separates(&self) -> bool {
        let [least, _] = self.meeting.gap_bounds().to_depth();
        least > 0.0 && !self.query.is_surface() && self.query.measure == Measure::All
    }

    /// Measures of the pair.
    fn all_measured(&mut self) -> Measured {
        let measured = self.measured();
        let wanted = measured.normal;
        let overlap = self.separates().then(|| (self.meeting.bodies(), self.meeting.gap_bounds().to_depth()[0]));
        let (query, margin) = (self.query, self.margin);
        let given = self.given();
        let crossings = self.crossings.take();
        let leaves = self.meeting.leaf_pairs.as_ref();
        let crossing = crossings.as_ref().map_or_else(Vec::new, |known| known.crossings.pairs());
        let separation =
            || overlap.map(|(bodies, least)| query.separation(bodies, wanted, [least, margin], &given, &crossing));
        // The two longest steps of a deep pair need nothing from each other.
        let (separation, (common, used)) =
            rayon::join(separation, || query.common(&measured, margin, &given, crossings, leaves));
        let (penetration, separated_unions) = separation.unwrap_or_default();
        self.used_self_union = either(self.used_self_union, either(used, separated_unions));
        let normal = penetration.and_then(|(t, _)| t.try_normalize(0.0)).or(wanted);
        Measured { normal, penetration, common, ..measured }
    }

    /// Measures of the pair, without separation and common solid.
    fn measured(&mut self) -> Measured {
        let bracket = self.meeting.gap_bounds();
        let [least, _] = bracket.to_depth();
        let rounding = self.query.rounding(self.margin);
        let (witness, used) = self.meeting.witness();
        self.used_self_union = either(self.used_self_union, used);
        let out = witness[0] - witness[1];
        // Without an inside, a crossing gives no depth; only a common ball does.
        let known = !self.query.is_surface() || least > rounding;
        let normal = if out.norm() > rounding { out.try_normalize(0.0) } else { None };
        Measured {
            relation: known.then(|| self.relation(rounding)),
            gap: known.then_some(0.0 - least.max(0.0)),
            bracket: bracket.widened(self.margin),
            witness,
            deepest_point: self.meeting.ball().map(|(center, _, _)| center),
            normal,
            penetration: None,
            common: None,
        }
    }

    fn relation(&self, rounding: f64) -> Relation {
        match self.meeting.containment() {
            Containment::BInsideA => Relation::AContainsB,
            Containment::AInsideB => Relation::BContainsA,
            Containment::Coincident => Relation::Coincident,
            Containment::None if self.meeting.gap_bounds().to_depth()[0] > rounding => Relation::Overlap,
            Containment::None => Relation::Touch,
        }
    }

    fn note(&mut self, steps: &mut Trace) {
        if !steps.on() {
            return;
        }
        self.meeting.events().iter().for_each(|event| steps.note(Step::of(event)));
        if let Some(allowance) = self.facets {
            let cap = largest_allowance(self.query.first, self.query.second);
            // Repeat the query for one part; only `explain` needs it.
            let as_given = self.has_allowance_as_given();
            let of_first = self.query.allowance([true, false], as_given, self.margin) >= allowance;
            let of_b = (allowance > 0.0).then_some(!of_first);
            steps.note(Step::Facets { allowance, cap, of_b, granted: self.allows() });
        }
    }
}
