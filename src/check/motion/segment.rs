//! Answers one pair over a segment of a sweep by the triangles, for motions of one parameter (`query::sweep`).

use crate::assembly::Facets;
use crate::check::motion::facets::{Decided, decide, status_of};
use crate::check::motion::sweep::{Effort, SweepQuery, radius};
use crate::check::pairs::rotations::Rotations;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::body;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::Trace;
use crate::check::stages::triangles::allowance_at_most;
use crate::check::stages::{Answer, PairQuery};
use crate::check::{Measure, Status};
use crate::geom::Bounds;
use crate::geom::math::{greater, lesser};
use crate::geom::tolerance::roundoff_mm;
use crate::motion::{Cell, Chain, ChainJoint, Frame, Law, Segment};
use crate::query::convex::epa::EpaScratch;
use crate::query::sweep::convex_run::ConvexRun;
use crate::query::sweep::{Failing, Sweep, SweepAnswer, SweepLimits};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Largest number of open parts that are measured one by one.
const MAX_OPEN: usize = 16;

/// Answer of a pair over a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of the answer")]
pub(crate) struct SegmentAnswer {
    pub status: Status,
    /// Reason of an undecided pair; the cache drops it.
    #[serde(skip)]
    pub why: Option<&'static str>,
    /// True if the facets explain an overlap of the segment.
    pub within_facet_error: bool,
    /// Share of the segment with a proof (0 to 1).
    pub proved: f64,
    /// Parameters that the motion of the pair depends on.
    pub parameters: Vec<usize>,
    /// Worst parameters known, with bounds of the least gap over the segment (mm, signed); of the largest gap for
    /// [`Status::Loose`].
    pub worst: Option<(Vec<f64>, Bounds)>,
    /// Lower bound of the gap over the segment (mm, signed).
    pub least: f64,
    /// Upper bound of the gap over the segment (mm, signed).
    pub most: f64,
    /// Bracket of the first pose within tolerance and clearance; above the largest gap for [`Status::Loose`].
    pub first: Option<Span>,
    /// Parts that break a limit, and those that may break one beside a worse status of the run; `None` for a motion of
    /// several parameters.
    pub failing: Option<Vec<FailingSpan>>,
    /// True if an end of a failing part has a wider bracket than promised.
    pub wide_ends: bool,
    /// Parts without a proof.
    pub open: Vec<Span>,
    /// Number of tests.
    pub tests: u64,
    /// Number of cells.
    pub cells: u64,
    /// Slack granted to each limit (mm, >= 0).
    pub slack: f64,
    /// True if a surface has no definite inside.
    pub no_inside: bool,
    /// True if the hulls decide the segment, without the triangles.
    pub by_hulls: bool,
}

/// Parameters of a segment at both ends of a cell.
pub(crate) type Span = [Vec<f64>; 2];

/// A part of a segment that breaks a limit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FailingSpan {
    /// Status of the poses inside.
    pub status: Status,
    /// Bracket of its start.
    pub from: Span,
    /// Bracket of its end.
    pub to: Span,
    /// True if every pose in between is shown to break the limit.
    pub throughout: bool,
}

impl SegmentAnswer {
    /// Lists the parts without a proof beside the failing ones, for a run that fails by another segment. Many count as
    /// one.
    pub(crate) fn list_open_parts(&mut self) {
        let (Some(failing), [first, .., last] | [first @ last]) = (&mut self.failing, self.open.as_slice()) else {
            return;
        };
        let whole = [[first[0].clone(), last[1].clone()]];
        let open = if self.open.len() > MAX_OPEN { &whole } else { self.open.as_slice() };
        let part = |[from, to]: &Span| FailingSpan {
            status: Status::Undecided,
            from: [from.clone(), from.clone()],
            to: [to.clone(), to.clone()],
            throughout: false,
        };
        failing.extend(open.iter().map(part));
        failing.sort_by(|x, y| x.from[0].partial_cmp(&y.from[0]).unwrap_or(Ordering::Equal));
    }
}

/// A motion of one parameter.
#[derive(Clone)]
pub(crate) struct OneParameter {
    /// Index of the parameter in its segment.
    pub parameter: usize,
    pub chain: Chain,
    pub range: [f64; 2],
}

/// Answers a segment by the triangles, with a budget of `tests`.
pub(crate) fn segment_answer(
    query: &SweepQuery<'_>,
    limits: &Limits,
    one: &OneParameter,
    segment: &Segment,
    tests: u64,
) -> SegmentAnswer {
    let used = match by_hulls(query, limits, one, tests) {
        Ok(answer) => {
            let found = described(query, limits, one, segment, &Decided::plain(answer));
            return SegmentAnswer { by_hulls: true, ..found };
        }
        Err(used) => used,
    };
    let sweep = segment_sweep(query, limits, one, tests.saturating_sub(used));
    let of_turns = sweep.first_turn().and_then(|turn| {
        let decided = decide(query, limits, &OneParameter { range: turn.range, ..one.clone() }, turn);
        let answer = decided.answer.repeated(&turn, &sweep)?;
        Some(Decided { answer, ..decided })
    });
    let mut decided = of_turns.unwrap_or_else(|| decide(query, limits, one, sweep));
    decided.answer.tests += used;
    described(query, limits, one, segment, &decided)
}

/// Answers a segment of two solids by their hulls alone: a clear one, or an interference of convex parts without
/// measures. Otherwise returns the number of tests used, at most `tests`.
fn by_hulls(query: &SweepQuery<'_>, limits: &Limits, one: &OneParameter, tests: u64) -> Result<SweepAnswer, u64> {
    let [first, second] = [query.first, query.second];
    let measures_clear = query.effort != Effort::Status && limits.report_within.is_some();
    if measures_clear || ![first, second].into_iter().all(Shape::is_in_hull) {
        return Err(0);
    }
    let explained = limits.facets != Facets::Strict && allowance_at_most(first, second) > 0.0;
    let deviation = || Some(greater(first.hull_deviation()?, second.hull_deviation()?));
    let run = ConvexRun {
        hulls: [first.convex(), second.convex()],
        deviation: if explained || query.effort != Effort::Status { None } else { deviation() },
        chain: &one.chain,
        range: one.range,
        limits: sweep_limits(limits),
        residual: query.residual + recentring(query),
        tests,
    };
    run.answer()
}

/// The pair on a segment, for the engine, with a budget of `tests`.
pub(crate) fn segment_sweep<'a>(
    query: &SweepQuery<'a>,
    limits: &Limits,
    one: &'a OneParameter,
    tests: u64,
) -> Sweep<'a> {
    Sweep {
        a: body(query.first),
        b: body(query.second),
        chain: &one.chain,
        range: one.range,
        limits: sweep_limits(limits),
        quantum: query.first.quantum + query.second.quantum,
        residual: query.residual + recentring(query),
        tests,
        measured: query.effort == Effort::All,
        first_failing: query.effort == Effort::First,
        measures_clear: limits.report_within.is_some(),
        tells_allowed: true,
        gap_width: limits.gap_width,
        confirms: None,
    }
}

/// Limits of a pair for the engine.
pub(crate) fn sweep_limits(limits: &Limits) -> SweepLimits {
    let Limits { tolerance, allow_depth, min_clearance, max_gap, report_within: _, gap_width: _, facets: _ } = *limits;
    SweepLimits { tolerance, allow_depth, min_clearance, max_gap }
}

/// Upper bound of the gap over a segment (mm, signed): `worst` bounds the gap of its worst pose.
pub(crate) fn largest_gap(limits: &Limits, status: Status, worst: Option<Bounds>, slack: f64) -> f64 {
    let kept = limits.max_gap.filter(|_| !status.fails()).map(|largest| largest + slack);
    let measured = worst.filter(|_| status == Status::Loose).map(|gap| gap.upper);
    kept.or(measured).unwrap_or(f64::INFINITY)
}

/// The answer of the engine on all parameters of the segment.
fn described(
    query: &SweepQuery<'_>,
    limits: &Limits,
    one: &OneParameter,
    segment: &Segment,
    Decided { status, why, within_facet_error, answer }: &Decided,
) -> SegmentAnswer {
    let status = *status;
    let at = |value: f64| {
        let mut all: Vec<f64> = segment.ranges.iter().map(|range| range[0]).collect();
        if let Some(own) = all.get_mut(one.parameter) {
            *own = value;
        }
        all
    };
    // A pair at rest has one pose: that of the whole segment.
    let whole = segment.ranges.get(one.parameter).filter(|_| one.chain.joints.is_empty());
    let span = |[from, to]: [f64; 2]| whole.unwrap_or(&[from, to]).map(&at);
    let ends = |f: &Failing| whole.map_or([f.from, f.to], |[from, to]| [[*from; 2], [*to; 2]]);
    let part = |f: &Failing| {
        let [from, to] = ends(f).map(|[low, high]| [at(low), at(high)]);
        FailingSpan { status: status_of(f.status), from, to, throughout: f.throughout }
    };
    let deepest = greater(limits.tolerance, limits.allow_depth.unwrap_or(0.0));
    let mut worst = answer.worst.map(|w| (w.at, w.gap));
    if status == Status::Undecided && query.effort == Effort::All {
        worst = worst_open(query, one, &answer.open, -(deepest + answer.slack));
    }
    let shown = match status {
        Status::Clear => greater(limits.tolerance, limits.min_clearance.unwrap_or(0.0)) - answer.slack,
        Status::Contact if *within_facet_error => f64::NEG_INFINITY,
        Status::Contact => -(limits.tolerance + answer.slack),
        Status::Allowed | Status::Loose => -(deepest + answer.slack),
        _ => f64::NEG_INFINITY,
    };
    SegmentAnswer {
        status,
        why: *why,
        within_facet_error: *within_facet_error,
        proved: answer.proved,
        parameters: vec![one.parameter],
        least: worst.filter(|_| status != Status::Loose).map_or(shown, |(_, gap)| gap.lower),
        most: largest_gap(limits, status, worst.map(|(_, gap)| gap), answer.slack),
        worst: worst.map(|(value, gap)| (at(value), gap)),
        first: answer.approach.map(|[from, to]| whole.map_or([from, to], |[start, _]| [*start; 2]).map(&at)),
        failing: Some(answer.failing.iter().map(part).collect()),
        wide_ends: answer.wide_ends,
        open: answer.open.iter().copied().map(span).collect(),
        tests: answer.tests,
        cells: answer.frames as u64,
        slack: answer.slack,
        no_inside: answer.no_inside,
        by_hulls: false,
    }
}

/// The worst of the middles of the open parts, with bounds of the least gap of the run: below, the gap in each middle
/// less the displacement from there; `kept` is a lower bound of the gap elsewhere (mm). More than [`MAX_OPEN`] parts
/// count as one.
fn worst_open(query: &SweepQuery<'_>, one: &OneParameter, open: &[[f64; 2]], kept: f64) -> Option<(f64, Bounds)> {
    let whole = [[open.first()?[0], open.last()?[1]]];
    let open = if open.len() > MAX_OPEN { &whole } else { open };
    let radius = radius(query.second);
    let mut gap = Bounds { lower: kept, upper: f64::INFINITY };
    let mut at = None;
    for &[from, to] in open {
        let cell = Cell::between(from, to);
        let frame = Frame::new(&one.chain, &cell);
        let found = still_gap(query, one, cell.center[0]);
        let moved = frame.spread_of_ball(&frame.pose.translation, radius).displacement;
        gap.lower = lesser(gap.lower, found.lower - moved);
        if at.is_none() || found.upper < gap.upper {
            at = Some(cell.center[0]);
            gap.upper = lesser(gap.upper, found.upper);
        }
    }
    at.map(|at| (at, gap))
}

/// Bounds of the gap at one pose (mm, signed), also beyond all limits.
fn still_gap(query: &SweepQuery<'_>, one: &OneParameter, at: f64) -> Bounds {
    let limits = Limits { report_within: Some(f64::INFINITY), ..query.limits };
    let answer = still_at(query, &limits, &one.chain, &[at], Measure::Depth);
    answer.measured.map_or(Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY }, |m| m.bracket)
}

/// Answers one pose as in a static check.
pub(crate) fn still(query: &SweepQuery<'_>, one: &OneParameter, at: f64, measure: Measure) -> Answer {
    still_at(query, &query.limits, &one.chain, &[at], measure)
}

/// Answers the pose at some parameters as in a static check under limits.
pub(crate) fn still_at(query: &SweepQuery<'_>, limits: &Limits, chain: &Chain, q: &[f64], measure: Measure) -> Answer {
    let cell = Cell::point(q);
    let pair = PairQuery {
        first: query.first,
        second: query.second,
        pose: &chain.pose(q),
        limits,
        residual: query.residual + chain.rounding(&cell, query.first.max_abs + query.second.max_abs),
        turns: Rotations::default(),
        measure,
    };
    pair.answer(&mut EpaScratch::default(), &mut Trace::default())
}

/// Rounding of the change to centred frames, and of pieces in place of a solid (mm), as in [`PairQuery::margin`].
pub(crate) fn recentring(query: &SweepQuery<'_>) -> f64 {
    let (first, second) = (query.first, query.second);
    0.25 * roundoff_mm(first.max_abs, second.max_abs, 0.0) + first.outside_pieces() + second.outside_pieces()
}

/// Parameters that a chain depends on.
pub(crate) fn parameters(chain: &Chain, ranges: &[[f64; 2]]) -> Vec<usize> {
    (0..ranges.len()).filter(|p| chain.joints.iter().any(|j| j.law.depends_on(*p))).collect()
}

/// The chain as a motion of the one parameter that it depends on; `None` if it depends on several.
pub(crate) fn one_parameter(chain: &Chain, ranges: &[[f64; 2]]) -> Option<OneParameter> {
    let (parameter, range) = match parameters(chain, ranges).as_slice() {
        [] => (0, [0.0, 0.0]),
        [one] => (*one, ranges[*one]),
        _ => return None,
    };
    let rest: Vec<f64> = ranges.iter().map(|range| range[0]).collect();
    let law = |law: &Law| law.restricted(&[parameter], &rest);
    let joints = chain.joints.iter().map(|j| ChainJoint { law: law(&j.law), ..j.clone() }).collect();
    Some(OneParameter { parameter, chain: Chain { joints, ..chain.clone() }.without_constants(), range })
}
