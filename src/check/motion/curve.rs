//! Staircases of the gap over a sweep of one parameter: bounds of the least gap over each of some equal parts.

use crate::check::motion::segment::{OneParameter, SegmentAnswer, Span, one_parameter, segment_sweep};
use crate::check::motion::sweep::{Effort, SweepAnswer, SweepQuery, raised};
use crate::check::{Curves, Status};
use crate::geom::Bounds;
use crate::geom::math::{greater, lesser};
use crate::motion::Segment;
use crate::query::sweep::Step;
use serde::{Deserialize, Serialize};

/// Number of parts of a run.
const PARTS: usize = 48;

/// Least number of parts of a segment.
const LEAST_PARTS: usize = 4;

/// A part of a run with bounds of its least gap.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CurveStep {
    pub segment: u32,
    /// Parameters of the segment at both ends.
    pub span: Span,
    /// Certified bounds of the least gap (mm, signed); infinite without a bound.
    pub gap: Bounds,
}

/// True if the report of the answer has a staircase.
pub(crate) fn has_curve(query: &SweepQuery<'_>, answer: &SweepAnswer) -> bool {
    let within = query.limits.report_within.unwrap_or(f64::NEG_INFINITY);
    let is_near = || answer.segments.iter().any(|s| s.least <= within);
    let status = answer.status;
    query.effort == Effort::All
        && match query.curves {
            Curves::None => false,
            Curves::Failing => status.fails(),
            Curves::Listed => status != Status::Clear || is_near(),
        }
}

/// Staircase of an answer by the triangles; `None` for a motion of several parameters. Cost: at most the budget of the
/// pair once more, and one static query for each part.
pub(crate) fn staircase(query: &SweepQuery<'_>, answer: &SweepAnswer) -> Option<Vec<CurveStep>> {
    if answer.segments.is_empty() || answer.segments.len() < query.segments.len() {
        return None;
    }
    let limits = raised(query);
    let n = query.segments.len();
    let (count, tests) = ((PARTS / n).max(LEAST_PARTS), query.tests / n as u64);
    let mut steps = Vec::new();
    for (k, ((chain, segment), found)) in (0u32..).zip(query.segments.iter().zip(&answer.segments)) {
        let one = one_parameter(chain, &segment.ranges)?;
        let own = segment_sweep(query, &limits, &one, tests).staircase(count);
        let step =
            |step: &Step| CurveStep { segment: k, span: span(&one, segment, step), gap: with_known(step, &one, found) };
        steps.extend(own.iter().map(step));
    }
    Some(steps)
}

/// Parameters at both ends of a step. A pair at rest has one step: the whole segment.
fn span(one: &OneParameter, segment: &Segment, step: &Step) -> Span {
    let ends = if one.chain.joints.is_empty() {
        segment.ranges.get(one.parameter).copied().unwrap_or([0.0; 2])
    } else {
        [step.from, step.to]
    };
    ends.map(|value| {
        let mut all: Vec<f64> = segment.ranges.iter().map(|range| range[0]).collect();
        if let Some(own) = all.get_mut(one.parameter) {
            *own = value;
        }
        all
    })
}

/// Bounds of a step, with what the answer proves: a lower bound for all poses of the segment, and the gap at its worst
/// pose.
fn with_known(step: &Step, one: &OneParameter, found: &SegmentAnswer) -> Bounds {
    let mut gap = step.gap;
    let at_worst = found.worst.as_ref().filter(|_| found.status != Status::Loose).and_then(|(q, worst)| {
        let at = q.get(one.parameter)?;
        (step.from <= *at && *at <= step.to).then_some(worst.upper)
    });
    gap.upper = lesser(gap.upper, at_worst.unwrap_or(f64::INFINITY));
    // The bound of an undecided row holds for its open parts alone.
    let kept = if found.status == Status::Undecided { f64::NEG_INFINITY } else { found.least };
    gap.lower = lesser(greater(gap.lower, kept), gap.upper);
    gap
}
