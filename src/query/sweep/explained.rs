//! Facets of curved surfaces that explain the overlap of a run, as the facet allowance explains that of a pose.
//!
//! At every pose, either the depth is within the tolerance, or a concave facet has a point deep enough in the other
//! part to bound the common solid. docs/explanation/motion.md, claim 10.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::depth::SolidRef;
use crate::query::facet_allowance::{FacetTable, SAGITTAS};
use crate::query::sweep::cells::{Interval, RunPart, merged};
use crate::query::sweep::deep_points::{Deep, NEARLY, deep_points};
use crate::query::sweep::inset::{WHOLE, boundary, insets};
use crate::query::sweep::judge::{QUERY_MARGINS, price};
use crate::query::sweep::level::Level;
use crate::query::sweep::prove::Proof;
use crate::query::sweep::run::{Sweep, Worst};
use crate::query::sweep::work::Work;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};

/// Depth of a point of a facet in the other part, in roundings of the pair. The static allowance finds each facet with
/// a point two roundings deep, once it has moved by two.
const DEEP_ENOUGH: f64 = 4.0;

/// Size of the piece of a facet that stands for it, as a share of the depth.
const PIECE: f64 = 0.05;

/// Largest number of facets and scans of one run.
const MAX_STEPS: usize = 20_000;

/// Floor of the first proof that the limits are kept, in floors of the run: a facet explains the poses shortly before
/// they are broken, too.
const COARSE: f64 = 100.0;

/// Depth from which any facet serves, as a share of the largest depth: a proof that the limits are kept would end soon.
/// At a smaller depth, a facet must explain the whole short part, with nearly the largest allowance so far.
const SHALLOW: f64 = 0.5;

/// Displacement within a short part, which one static query settles: a share of the limit less the depth at the start.
/// The query then has to show no more than three quarters of the limit.
const SHORT: f64 = 0.25;

/// Length of a long part, in lengths of a short part.
const LONG: f64 = 8.0;

/// Largest number of parts in a row that are not long. A proof that the limits are kept follows: it may cover many of
/// them at once.
const MAX_SHORT: u32 = 9;

/// Ratio of allowances that share the insets of a proof.
const CLASS: f64 = 1.25;

/// Length of the next part of a run, in lengths of the explained one before it.
const GROWTH: f64 = 8.0;

/// Number of poses in the part before that may have a facet for a part without one.
const STEPS_BACK: i32 = 6;

/// Poses among which the deepest one is shown.
const POSES: usize = 61;

/// Concave facets of both parts.
#[derive(Clone, Copy)]
pub struct ConcaveSurfaces<'a> {
    /// Sagittas of the facets of both parts.
    pub tables: [&'a FacetTable; 2],
    /// Largest allowance of the pair (mm, >= 0).
    pub most: f64,
}

/// Overlap of a run that facets explain.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Parts of the run, in order and without gaps.
    pub parts: Vec<ExplainedPart>,
    /// The deepest of some poses; the lower end of its gap is unknown.
    pub deepest: Worst,
}

/// Part of a run that one facet explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplainedPart {
    /// First and last value.
    pub range: [f64; 2],
    /// The static facet allowance reaches this at every pose (mm, >= 0); `None` where all poses keep the limits.
    pub allowance: Option<f64>,
}

/// Reason why a part of a run is explained.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// A proof that the limits are kept.
    Proof,
    /// A static query in the middle, for the same.
    Query,
    /// A facet with an allowance (mm), which `ends` before the part or lasts to its end.
    Facet { allowance: f64, ends: bool },
}

/// State on the way along a run.
struct Walk {
    /// The step before.
    before: Step,
    /// Largest allowance so far (mm).
    largest: Option<f64>,
    /// Number of steps in a row that are not long.
    short: u32,
}

impl Step {
    fn allowance(self) -> Option<f64> {
        if let Self::Facet { allowance, .. } = self { Some(allowance) } else { None }
    }
}

impl Explained {
    /// Least and largest allowance of the parts (mm); `None` if all poses keep the limits.
    pub fn allowances(&self) -> Option<[f64; 2]> {
        let all = self.parts.iter().filter_map(|p| p.allowance);
        all.map(|f| [f, f]).reduce(|x, y| [lesser(x[0], y[0]), greater(x[1], y[1])])
    }
}

impl Sweep<'_> {
    /// Finds allowances that the static facet allowance reaches at every pose of the run with a depth beyond the limits
    /// (and the slack of a run). `None` if none is shown, and for surfaces without a certain inside. Cost: some static
    /// queries for each facet that bounds the common solid in turn; adds its tests to `tests`.
    pub fn explained(&self, facets: ConcaveSurfaces, tests: &mut u64) -> Option<Explained> {
        let mut work = self.work();
        let found = self.explained_by(&mut work, &facets);
        *tests += work.budget.used;
        found
    }

    fn explained_by(&self, work: &mut Work, facets: &ConcaveSurfaces) -> Option<Explained> {
        [self.a, self.b].into_iter().try_for_each(|s| boundary(s.surface).map(|_| ()))?;
        let within = insets(&work.still, self.limits.deepest() + work.slack, WHOLE)?;
        let level = Level::depth([&within[0], &within[1]], self.chain, self.limits.deepest() + work.slack);
        let end = self.range[1];
        let mut part = self.range;
        let mut walk = Walk { before: Step::Proof, largest: None, short: 0 };
        let mut parts = Vec::new();
        for _ in 0..MAX_STEPS {
            let found = self.explained_part(work, &level, facets, part, &mut walk);
            let (step, until) = found.or_else(|| self.explained_before(work, facets, part, &parts))?;
            let allowance = step.allowance();
            walk.before = step;
            walk.largest = walk.largest.into_iter().chain(allowance).reduce(greater);
            parts.push(ExplainedPart { range: [part[0], until], allowance });
            if until >= end {
                return Some(Explained { parts, deepest: self.deepest_of_some(work)? });
            }
            if work.budget.remaining == 0 {
                return None;
            }
            part = [until, lesser(until + GROWTH * (until - part[0]), end)];
        }
        None
    }

    /// True if each explained part is shown to be no deeper than the tolerance and its own allowance (and the slack of
    /// a run). Cost: insets and proofs for each of a few allowances; adds its tests to `tests`.
    pub fn keeps_allowances(&self, explained: &Explained, tests: &mut u64) -> bool {
        let mut work = self.work();
        let class = |part: &ExplainedPart| part.allowance.map(|f| libm::floor(libm::log(f) / libm::log(CLASS)) as i64);
        let mut classes: Vec<i64> = explained.parts.iter().filter_map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        let kept = classes.into_iter().all(|k| {
            let parts: Vec<&ExplainedPart> = explained.parts.iter().filter(|p| class(p) == Some(k)).collect();
            let least = parts.iter().filter_map(|p| p.allowance).reduce(lesser).unwrap_or(0.0);
            let depth = greater(self.limits.tolerance + least, self.limits.deepest()) + work.slack;
            let Some(surfaces) = insets(&work.still, depth, WHOLE) else { return false };
            let level = work.level_of_insets(&surfaces, self.chain, depth);
            let ranges = merged(parts.iter().map(|p| p.range).collect());
            ranges.into_iter().all(|range| self.scan(&level, &mut work, range, false).is_complete())
        });
        *tests += work.budget.used;
        kept
    }

    /// Explains the start of a part of the run, behind a step before it: the step, and the value up to which it holds,
    /// behind the start. `None` if nothing is shown.
    fn explained_part(
        &self,
        work: &mut Work,
        level: &Level,
        facets: &ConcaveSurfaces,
        part: [f64; 2],
        walk: &mut Walk,
    ) -> Option<(Step, f64)> {
        work.budget.charge(price([self.a.surface, self.b.surface]));
        let pose = self.chain.pose(&[part[0]]);
        let ball = work.still.ball(&pose, None, f64::INFINITY).map(|(depth, [x, y])| (depth, (x + y) * 0.5));
        let deepest = self.limits.deepest() + work.slack;
        let (depth, middle) = ball.unwrap_or((0.0, pose.point(&self.b.convex.inner_center)));
        let is_deep = depth > SHALLOW * deepest;
        let short = self.short_part(work, part, deepest - depth);
        // A facet of lower sagitta may explain a small depth here, and not the larger one behind it.
        let wanted = NEARLY * walk.largest.unwrap_or(facets.most);
        let serves = |step: &Step, until: f64| until >= short.to && step.allowance().is_some_and(|f| f >= wanted);
        let by_facet = |work: &mut Work| {
            self.bounding(work, facets, part, &middle).filter(|(step, until)| is_deep || serves(step, *until))
        };
        let by_query = |work: &mut Work| {
            let is_kept = self.is_bounded_at(work, facets, short.to, &middle) && self.is_within(work, &short, deepest);
            is_kept.then_some((Step::Query, short.to))
        };
        let found = match walk.before {
            _ if walk.short >= MAX_SHORT && !is_deep => None,
            Step::Facet { ends: true, .. } if !is_deep => by_query(work).or_else(|| by_facet(work)),
            _ => by_facet(work).or_else(|| by_query(work)),
        };
        let is_long = found.is_none_or(|(_, until)| until - part[0] >= LONG * (short.to - part[0]));
        walk.short = if is_long { 0 } else { walk.short + 1 };
        if found.is_some() || depth > deepest {
            return found;
        }
        let (coarse, fine) = (COARSE * work.floor, work.floor);
        let near = match self.within_limits(work, level, part, coarse) {
            Ok(until) => return Some((Step::Proof, until)),
            Err(near) => near.unwrap_or(middle),
        };
        let found = self.bounding(work, facets, part, &near);
        found.or_else(|| Some((Step::Proof, self.within_limits(work, level, part, fine).ok()?)))
    }

    /// Explains the start of a part by a facet that bounds the common solid in the part before it already: all facets may
    /// end or begin at the same value.
    fn explained_before(
        &self,
        work: &mut Work,
        facets: &ConcaveSurfaces,
        part: [f64; 2],
        before: &[ExplainedPart],
    ) -> Option<(Step, f64)> {
        let [from, to] = before.last()?.range;
        (1..=STEPS_BACK).find_map(|k| {
            let at = to - (to - from) * f64::from(-k).exp2();
            let (_, [x, y]) = work.still.ball(&self.chain.pose(&[at]), None, f64::INFINITY)?;
            self.bounding(work, facets, [at, part[1]], &((x + y) * 0.5)).filter(|(_, until)| *until > to)
        })
    }

    /// The start of a part over which the depth grows by a share of what is left of the limit (mm, > 0).
    fn short_part(&self, work: &mut Work, [from, to]: [f64; 2], left: f64) -> Interval {
        let spans = self.spans();
        let mut until = to;
        loop {
            let interval = Interval::new(self.chain, [from, until], &spans);
            work.frames += 1;
            let middle = interval.middle;
            if left <= 0.0 || interval.displacement <= SHORT * left || middle <= from || middle >= until {
                return interval;
            }
            until = middle;
        }
    }

    /// True if a static query shows that no pose of an interval is deeper than `deepest` (mm).
    fn is_within(&self, work: &mut Work, interval: &Interval, deepest: f64) -> bool {
        let wanted = deepest - interval.displacement - QUERY_MARGINS * work.still.margin;
        if wanted <= 0.0 || !work.budget.charge(price([self.a.surface, self.b.surface])) {
            return false;
        }
        let [_, most] = work.still.gap(&interval.frame.pose, wanted, None).gap.to_depth();
        most + interval.displacement <= deepest
    }

    /// True if a concave facet near a common ball of a pose, else near a point (A's frame), has a point deep enough in
    /// the other part.
    fn is_bounded_at(&self, work: &Work, facets: &ConcaveSurfaces, at: f64, near: &Vec3) -> bool {
        let pose = self.chain.pose(&[at]);
        let ball = work.still.ball(&pose, None, f64::INFINITY);
        let near = ball.map_or(*near, |(_, [x, y])| (x + y) * 0.5);
        [0, 1].into_iter().any(|side| !self.pieces(work, facets, &pose, side, &near).is_empty())
    }

    /// The deepest of some poses.
    fn deepest_of_some(&self, work: &Work) -> Option<Worst> {
        let [from, to] = self.range;
        let values = (0..POSES).map(|k| from + (to - from) * k as f64 / (POSES - 1) as f64);
        let balls = values.filter_map(|at| {
            let (depth, points) = work.still.ball(&self.chain.pose(&[at]), None, f64::INFINITY)?;
            Some(Worst { at, gap: Bounds { lower: f64::NEG_INFINITY, upper: -depth }, points })
        });
        balls.min_by(|x, y| x.gap.upper.total_cmp(&y.gap.upper))
    }

    /// The value up to which the depth stays within the level from the start of a part on. No interval with a
    /// displacement below `floor` (mm) is split.
    ///
    /// # Errors
    /// If nothing is shown: a point near which the insets meet, if one is known (A's frame).
    fn within_limits(&self, work: &mut Work, level: &Level, part: [f64; 2], floor: f64) -> Result<f64, Option<Vec3>> {
        let proof = self.proof_from(work, level, part, floor);
        let near = proof.violation.map(|v| (v.points[0] + v.points[1]) * 0.5);
        let until = proved_until(&proof, part).ok_or(near)?;
        let middle = self.chain.pose(&[part[0] + 0.5 * (until - part[0])]);
        if level.is_nested(&work.still, &middle) { Err(near) } else { Ok(until) }
    }

    /// Step by a facet near a point (A's frame) that bounds the common solid at the start of a part, and the value up to
    /// which it certainly does.
    fn bounding(&self, work: &mut Work, facets: &ConcaveSurfaces, part: [f64; 2], near: &Vec3) -> Option<(Step, f64)> {
        let pose = self.chain.pose(&[part[0]]);
        let of_side = [0, 1].into_iter().filter_map(|side| {
            let pieces = self.pieces(work, facets, &pose, side, near);
            pieces
                .into_iter()
                .find_map(|(allowance, piece)| Some((allowance, self.deep_until(work, side, &piece, part)?)))
        });
        let (allowance, until) = of_side.max_by(|(x, _), (y, _)| x.total_cmp(y))?;
        Some((Step::Facet { allowance, ends: until < part[1] }, until))
    }

    /// Small pieces of concave facets of one part, near a point (A's frame), that lie deep enough in the other part:
    /// the allowance of each facet (mm), and the piece in the frame of its own part. The best one comes first.
    fn pieces(
        &self,
        work: &Work,
        facets: &ConcaveSurfaces,
        pose: &Pose,
        side: usize,
        point: &Vec3,
    ) -> Vec<(f64, Surface)> {
        let [a, b] = [self.a, self.b].map(|s: SolidRef| s.surface.solid());
        let placed = [PlacedSurface { surface: a, pose: None }, PlacedSurface { surface: b, pose: Some(pose) }];
        let (own, other) = (&placed[side], &placed[1 - side]);
        let table = facets.tables[side];
        let enough = 2.0 * DEEP_ENOUGH * work.still.rounding;
        let piece = |Deep { triangle, middle, depth }| {
            let corners = own.surface.triangle(triangle);
            let size = corners.iter().map(|c| (c - middle).norm()).fold(0.0, greater);
            let share = lesser(PIECE * depth / size, 1.0);
            let vertices = corners.map(|c| middle + (c - middle) * share).to_vec();
            let allowance = lesser(SAGITTAS * table.sagitta(triangle), facets.most);
            (allowance, Surface::of(vertices, &[[0, 1, 2]], Inside::Undefined))
        };
        deep_points([own, other], table, &own.local(point), enough).into_iter().map(piece).collect()
    }

    /// The value up to which a piece of one part stays deep enough in the other part; `None` if nothing is shown.
    fn deep_until(&self, work: &mut Work, side: usize, piece: &Surface, part: [f64; 2]) -> Option<f64> {
        let [a, b] = [self.a, self.b].map(|s: SolidRef| s.surface.solid());
        let surfaces = if side == 0 { [piece, b] } else { [a, piece] };
        let level = Level::apart(surfaces, self.chain, DEEP_ENOUGH * work.still.rounding);
        let floor = work.floor;
        proved_until(&self.proof_from(work, &level, part, floor), part)
    }

    /// Proof of a level over a part of the run.
    fn proof_from(&self, work: &mut Work, level: &Level, part: [f64; 2], floor: f64) -> Proof {
        let run = RunPart { chain: self.chain, range: part, spans: self.spans() };
        let (proof, frames) = level.strict_proof(&run, &work.still, floor, &mut work.budget);
        work.frames += frames;
        proof
    }
}

/// The value up to which a proof holds from the start of a part on; `None` if nothing is shown.
fn proved_until(proof: &Proof, part: [f64; 2]) -> Option<f64> {
    let first = proof.open.first().map(|o| o[0]).into_iter().chain(proof.violation.map(|v| v.at)).reduce(lesser);
    first.map_or(Some(part[1]), |until| (until > part[0]).then_some(until))
}
