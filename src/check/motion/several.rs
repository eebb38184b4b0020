//! Answers one pair over every combination of several parameters by the triangles (`query::sweep::BoxSweep`).

use crate::check::motion::facets::FACETS;
use crate::check::motion::segment::{SegmentAnswer, largest_gap, parameters, recentring, still_at, sweep_limits};
use crate::check::motion::sweep::{NO_PROOF, SweepQuery};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::body;
use crate::check::stages::limits::Limits;
use crate::check::{Measure, Status};
use crate::geom::Bounds;
use crate::geom::math::{greater, lesser};
use crate::motion::{Cell, Chain, ChainJoint, Law, Segment};
use crate::query::sweep::{BoxAnswer, BoxSweep, SweepLimits, SweepStatus};

/// A motion of several parameters.
pub(crate) struct SeveralParameters {
    /// Indices of the parameters in their segment.
    pub parameters: Vec<usize>,
    pub chain: Chain,
    pub ranges: Vec<[f64; 2]>,
}

impl SeveralParameters {
    /// The chain as a motion of the parameters that it depends on.
    pub(crate) fn of(chain: &Chain, ranges: &[[f64; 2]]) -> Self {
        let parameters = parameters(chain, ranges);
        let rest: Vec<f64> = ranges.iter().map(|range| range[0]).collect();
        let law = |law: &Law| law.restricted(&parameters, &rest);
        let joints = chain.joints.iter().map(|j| ChainJoint { law: law(&j.law), ..j.clone() }).collect();
        let chain = Chain { joints, ..chain.clone() }.without_constants();
        let ranges = parameters.iter().map(|p| ranges[*p]).collect();
        Self { parameters, chain, ranges }
    }

    /// Values of all parameters of the segment; the others stay at their start.
    fn all(&self, q: &[f64], segment: &Segment) -> Vec<f64> {
        let mut all: Vec<f64> = segment.ranges.iter().map(|range| range[0]).collect();
        self.parameters.iter().zip(q).for_each(|(p, value)| all[*p] = *value);
        all
    }
}

/// Answers a segment that moves the pair by several parameters, with a budget of `tests`. It has no failing intervals.
pub(crate) fn box_answer(
    query: &SweepQuery<'_>,
    limits: &Limits,
    (chain, segment): (&Chain, &Segment),
    tests: u64,
) -> SegmentAnswer {
    let several = SeveralParameters::of(chain, &segment.ranges);
    let swept_limits = sweep_limits(limits);
    let answer = BoxSweep {
        a: body(query.first),
        b: body(query.second),
        chain: &several.chain,
        ranges: &several.ranges,
        limits: swept_limits,
        quantum: query.first.quantum + query.second.quantum,
        residual: query.residual + recentring(query),
        tests,
    }
    .answer();
    let (status, why) = status(query, &several, &answer);
    let SweepLimits { tolerance, min_clearance, .. } = swept_limits;
    let deepest = swept_limits.deepest();
    let least = match status {
        Status::Clear => greater(tolerance, min_clearance.unwrap_or(0.0)) - answer.slack,
        Status::Contact => -(tolerance + answer.slack),
        Status::Allowed | Status::TooClose | Status::Loose => -(deepest + answer.slack),
        _ => -lesser(thinnest(query.first), thinnest(query.second)),
    };
    let end = |cell: &Cell, sign: f64| {
        let q: Vec<f64> = cell.center.iter().zip(&cell.half).map(|(c, h)| c + sign * h).collect();
        several.all(&q, segment)
    };
    let open = answer.open.iter().map(|cell| [end(cell, -1.0), end(cell, 1.0)]).collect();
    let bounds = |gap: Bounds| match status {
        Status::Loose => gap,
        _ => Bounds { lower: lesser(least, gap.lower), upper: gap.upper },
    };
    let most = largest_gap(limits, status, answer.worst.as_ref().map(|w| w.gap), answer.slack);
    SegmentAnswer {
        status,
        why,
        within_facet_error: false,
        proved: if why == Some(FACETS) { 0.0 } else { answer.proved },
        worst: answer.worst.map(|w| (several.all(&w.at, segment), bounds(w.gap))),
        least,
        most,
        parameters: several.parameters,
        first: None,
        failing: None,
        wide_ends: false,
        open,
        tests: answer.tests,
        cells: answer.frames as u64,
        slack: answer.slack,
        no_inside: answer.no_inside,
        by_hulls: false,
    }
}

/// Status of the pair, with the reason of an undecided one. A static check confirms an interference: facets may explain
/// its overlap.
fn status(query: &SweepQuery<'_>, several: &SeveralParameters, answer: &BoxAnswer) -> (Status, Option<&'static str>) {
    let confirmed =
        |q: &[f64]| still_at(query, &query.limits, &several.chain, q, Measure::None).status == Status::Interference;
    match answer.status {
        SweepStatus::Clear => (Status::Clear, None),
        SweepStatus::TooClose => (Status::TooClose, None),
        SweepStatus::Loose => (Status::Loose, None),
        SweepStatus::Contact => (Status::Contact, None),
        SweepStatus::Allowed => (Status::Allowed, None),
        SweepStatus::Undecided => (Status::Undecided, Some(NO_PROOF)),
        SweepStatus::Interference if answer.worst.as_ref().is_some_and(|w| confirmed(&w.at)) => {
            (Status::Interference, None)
        }
        SweepStatus::Interference => (Status::Undecided, Some(FACETS)),
    }
}

/// Smallest side of the box around a shape (mm): no ball in the shape has a larger diameter.
fn thinnest(shape: &Shape) -> f64 {
    let size = shape.inner().aabb.max - shape.inner().aabb.min;
    lesser(lesser(size.x, size.y), size.z)
}
