//! Rows of the pairs that a sweep moves past each other.

use crate::assembly::{InstanceIx, RuleTable};
use crate::check::motion::RunChecker;
use crate::check::motion::bodies::Bodies;
use crate::check::motion::curve::{CurveStep, has_curve, staircase};
use crate::check::motion::motion_key::{failing_travel, fingerprint};
use crate::check::motion::outcome::{CurvePart, FailingPart, JointSpan, JointTravel, SweptPair};
use crate::check::motion::place;
use crate::check::motion::segment::{SegmentAnswer, Span};
use crate::check::motion::sweep::{Effort, SweepAnswer, SweepQuery, by_balls, by_triangles};
use crate::check::motion::swept_boxes::close_candidates;
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::shard::SweptShare;
use crate::check::prepare::shapes::Shapes;
use crate::check::run::max_distance;
use crate::check::stages::answers::Checker;
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::Trace;
use crate::check::{Certainty, PairOutcome, Progress, Stage, Status};
use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Pose};
use crate::motion::{JointIx, JointKind, Segment};
use crate::query::depth::SAME_WIDTH;
use rayon::prelude::*;

/// Promised width of a bracket over a run: a share of the depth of an interference, a share of another gap, and the
/// least width as a share of the tolerance for each (docs/explanation/motion.md).
const PROMISED: [[f64; 2]; 2] = [[0.05, 1.0], [0.01, 0.1]];

/// Pairs of a run that sweep past each other.
pub(crate) struct Sweeps<'a> {
    pub run: &'a RunChecker<'a>,
    pub checker: &'a Checker<'a>,
    pub rules: &'a RuleTable,
    pub swept: &'a Bodies,
    /// Segments of the run.
    pub segments: &'a [Segment],
    /// Joints of the run away from home.
    pub joints: &'a [JointTravel],
    /// Rank of every instance by id.
    pub rank: &'a [u32],
    pub effort: Effort,
    /// Pairs of this check.
    pub share: SweptShare<'a>,
}

impl Sweeps<'_> {
    /// The pairs that come close, by the boxes of their instances over the run; sorted by index. All other pairs that
    /// sweep past each other are clear.
    pub(crate) fn close(&self) -> Vec<Candidate> {
        let RunChecker { assembly, shapes, settings, .. } = self.run;
        let reach = max_distance(settings, self.rules, shapes);
        let mut pairs = close_candidates(assembly, shapes, self.segments, 0.5 * reach, self.rules);
        pairs.retain(|c| self.swept.differ(c.a, c.b));
        pairs
    }

    /// Answers those of some pairs that belong to the share. Cost: parallel over the pairs.
    pub(crate) fn answers(&self, pairs: &[Candidate], progress: &dyn Progress) -> Vec<(PairOutcome, SweepAnswer)> {
        let asked: Vec<&Candidate> = pairs.iter().filter(|c| self.share.contains(c.a, c.b)).collect();
        progress.begin(Stage::Runs, asked.len() as u64);
        let answer = |c: &&Candidate| {
            let found = self.answer([c.a, c.b], c.rule);
            progress.advance(1);
            found
        };
        asked.par_iter().map(answer).collect()
    }

    /// True for a row of the report: every pair except the clear ones beyond `report_within`.
    pub(crate) fn is_listed(&self, row: &PairOutcome) -> bool {
        let within = self.run.settings.report_within.unwrap_or(f64::NEG_INFINITY);
        row.status != Status::Clear || row.gap_bracket.is_some_and(|gap| gap.lower <= within)
    }

    /// Ranks of both instances by id: the order of the rows.
    pub(crate) fn rank_of(&self, row: &PairOutcome) -> [u32; 2] {
        [row.a, row.b].map(|i| self.rank[i.0 as usize])
    }

    fn answer(&self, pair: [u32; 2], rule: Option<u32>) -> (PairOutcome, SweepAnswer) {
        // The order of the file must not change a bound.
        let pair = self.by_id(pair);
        let query = self.query(pair, rule);
        let answer = by_balls(&query).unwrap_or_else(|| self.by_triangles(pair, &query));
        let row = self.row(pair, rule, &query, &answer);
        (row, answer)
    }

    /// Finds the answer in the cache, or computes it.
    fn by_triangles(&self, pair: [u32; 2], query: &SweepQuery<'_>) -> SweepAnswer {
        let shapes = pair.map(|i| self.run.shapes.placed[i as usize].shape);
        let asked = || {
            let answer = by_triangles(query);
            let curve = if has_curve(query, &answer) { staircase(query, &answer) } else { None };
            SweepAnswer { curve, ..answer }
        };
        let Some(cache) = self.run.cache else { return asked() };
        cache.find_sweep(shapes, query).unwrap_or_else(|| {
            let answer = asked();
            cache.store_sweep(shapes, query, &answer);
            answer
        })
    }

    pub(crate) fn query(&self, pair: [u32; 2], rule: Option<u32>) -> SweepQuery<'_> {
        let RunChecker { assembly, shapes, sweep_cells, curves, .. } = self.run;
        let drawn = pair.map(|i| &shapes.placed[i as usize]);
        let [first, second] = drawn.map(|placed| &shapes.all[placed.shape as usize]);
        let [of_a, of_b] = pair.map(|i| assembly.instances[i as usize].joint);
        // Queries take the frames at the centres of the hulls.
        let [p, q] = [(drawn[0], first), (drawn[1], second)].map(|(placed, shape)| Pose {
            rotation: placed.pose.rotation,
            translation: placed.pose.point(&shape.inner().origin),
        });
        let chain = |segment: &Segment| assembly.motion.mechanism.chain_between(of_a, of_b, [&p, &q], &segment.laws);
        let segments = self.segments.iter().map(|segment| (chain(segment), segment));
        SweepQuery {
            first,
            second,
            segments: segments.collect(),
            limits: self.checker.limits(rule),
            residual: drawn[0].residual + drawn[1].residual,
            tests: *sweep_cells,
            effort: self.effort,
            curves: *curves,
        }
    }

    /// Row of a pair, with the measures of its worst pose.
    pub(crate) fn row(
        &self,
        pair: [u32; 2],
        rule: Option<u32>,
        query: &SweepQuery<'_>,
        answer: &SweepAnswer,
    ) -> PairOutcome {
        let worst = self.worst(answer);
        let measured = worst.as_ref().and_then(|(_, values, gap)| {
            let mut row = self.at_worst(pair, rule, values)?;
            bound_by_run(&mut row, *gap, answer.status);
            Some(row)
        });
        let mut row = measured.unwrap_or_else(|| self.bare(pair, rule));
        row.status = answer.status;
        row.alike = fingerprint(query);
        row.within_facet_error =
            answer.status == Status::Contact && answer.segments.iter().any(|s| s.within_facet_error);
        row.certainty = certainty(&row, &query.limits, answer);
        if row.status == Status::Undecided || row.status.fails() && row.gap.is_none() {
            row.inputs = Some(row.alike);
        }
        row.swept = Some(Box::new(self.swept_pair(
            query,
            answer,
            worst.as_ref().map(|(segment, values, _)| (*segment, values)),
        )));
        row
    }

    /// The lesser id first.
    pub(crate) fn by_id(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        if self.rank[b as usize] < self.rank[a as usize] { [b, a] } else { [a, b] }
    }

    /// Row without measures, lesser id first.
    fn bare(&self, [a, b]: [u32; 2], rule: Option<u32>) -> PairOutcome {
        let shape = |i: u32| &self.run.shapes.all[self.run.shapes.placed[i as usize].shape as usize];
        let geometry = shape(a).geometry.max(shape(b).geometry);
        let pair = self.by_id([a, b]);
        PairOutcome { rule, ..PairOutcome::bare(pair.map(InstanceIx), Status::Undecided, geometry) }
    }

    /// The worst pose known: its segment, the values of all joints, and bounds of the least gap of the run (mm,
    /// signed); of the largest gap for [`Status::Loose`].
    pub(crate) fn worst(&self, answer: &SweepAnswer) -> Option<(u32, Vec<f64>, Bounds)> {
        let known = answer.segments.iter().zip(0u32..).filter_map(|(s, k)| s.worst.as_ref().map(|w| (s.status, k, w)));
        let (segment, (q, gap)) = if answer.status == Status::Loose {
            let loose = known.filter(|(status, _, _)| *status == Status::Loose).map(|(_, k, w)| (k, w));
            loose.max_by(|(_, (_, x)), (_, (_, y))| x.lower.total_cmp(&y.lower))?
        } else {
            let all = known.map(|(_, k, w)| (k, w));
            all.min_by(|(_, (_, x)), (_, (_, y))| x.upper.total_cmp(&y.upper))?
        };
        let values = self.segments[segment as usize].laws.iter().map(|law| law.value(q)).collect();
        let bounds = if answer.status == Status::Loose {
            Bounds { lower: gap.lower, upper: answer.segments.iter().map(|s| s.most).fold(gap.upper, greater) }
        } else {
            Bounds { lower: answer.segments.iter().map(|s| s.least).fold(gap.lower, lesser), upper: gap.upper }
        };
        Some((segment, values, bounds))
    }

    /// Row of a static check at joint values.
    fn at_worst(&self, [a, b]: [u32; 2], rule: Option<u32>, values: &[f64]) -> Option<PairOutcome> {
        let RunChecker { assembly, shapes, settings, .. } = self.run;
        let moved = Shapes { placed: place::pair_at(assembly, shapes, values, [a, b])?, ..(*shapes).clone() };
        let cache = self.run.cache;
        let checker = Checker { assembly, settings, shapes: &moved, cache, neighbours: self.checker.neighbours };
        let candidate = Candidate { a: a.min(b), b: a.max(b), rule };
        Some(checker.row(&candidate, self.rank, &mut Trace::default()))
    }

    fn swept_pair(&self, query: &SweepQuery<'_>, answer: &SweepAnswer, worst: Option<(u32, &Vec<f64>)>) -> SweptPair {
        let segments = || answer.segments.iter().zip(0u32..);
        let open: Vec<JointSpan> =
            segments().flat_map(|(s, k)| s.open.iter().map(move |span| self.span(k, s, span))).collect();
        let failing = |s: &SegmentAnswer, k: u32| -> Option<Vec<FailingPart>> {
            let parts = s.failing.as_ref()?.iter();
            let part = |f: &super::segment::FailingSpan| FailingPart {
                status: f.status,
                from: self.span(k, s, &f.from),
                to: self.span(k, s, &f.to),
                throughout: f.throughout,
            };
            Some(parts.map(part).collect())
        };
        let parts: Option<Vec<Vec<FailingPart>>> = segments().map(|(s, k)| failing(s, k)).collect();
        let at = |(segment, values): (u32, &Vec<f64>)| JointSpan {
            segment,
            joints: self.joints.iter().map(|t| joint_at(t.joint, [values[t.joint as usize]; 2])).collect(),
        };
        SweptPair {
            proved: answer.proved,
            worst: worst.map(at),
            first: self.first(answer),
            failing: parts.map(|parts| parts.concat()).filter(|_| answer.by_balls || !answer.segments.is_empty()),
            open_count: open.len() as u64,
            open: open.into_iter().take(SweptPair::MAX_OPEN).collect(),
            tests: answer.segments.iter().map(|s| s.tests).sum(),
            cells: answer.segments.iter().map(|s| s.cells).sum(),
            margin: answer.slack(),
            segments: self.segments.len() as u32,
            failing_travel: failing_travel(query, answer),
            curve: answer.curve.as_ref().map(|steps| self.curve(answer, steps)),
        }
    }

    /// Staircase of the gap by the values of the joints that vary.
    fn curve(&self, answer: &SweepAnswer, steps: &[CurveStep]) -> Vec<CurvePart> {
        let part = |step: &CurveStep| {
            let segment = answer.segments.get(step.segment as usize)?;
            let [lower, upper] = <[f64; 2]>::from(step.gap).map(|bound| bound.is_finite().then_some(bound));
            Some(CurvePart { span: self.span(step.segment, segment, &step.span), lower, upper })
        };
        steps.iter().filter_map(part).collect()
    }

    /// Bracket of the first pose within tolerance and clearance, unless an earlier segment may have one; of the first
    /// pose above the largest gap of a rule for [`Status::Loose`].
    fn first(&self, answer: &SweepAnswer) -> Option<JointSpan> {
        let differs = |s: &SegmentAnswer| match answer.status {
            Status::Loose => s.status == Status::Loose,
            _ => s.status != Status::Clear,
        };
        let (segment, k) = answer.segments.iter().zip(0..).find(|(s, _)| differs(s))?;
        segment.first.as_ref().map(|span| self.span(k, segment, span))
    }

    /// Values of the joints that vary with the motion of a pair.
    fn span(&self, segment: u32, answer: &SegmentAnswer, [from, to]: &Span) -> JointSpan {
        let laws = &self.segments[segment as usize].laws;
        let joints = self.run.assembly.motion.mechanism.joints();
        let varies = |j: &usize| {
            joints[*j].joint.kind != JointKind::Fixed && answer.parameters.iter().any(|p| laws[*j].depends_on(*p))
        };
        let travel = |j: usize| joint_at(JointIx(j as u32).0, [laws[j].value(from), laws[j].value(to)]);
        JointSpan { segment, joints: (0..laws.len()).filter(varies).map(travel).collect() }
    }
}

/// Bounds the row of the worst pose by the gaps of the run (mm, signed): the least gaps, or the largest ones for
/// [`Status::Loose`].
fn bound_by_run(row: &mut PairOutcome, gap: Bounds, status: Status) {
    let still = row.gap_bracket.unwrap_or(Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY });
    if status == Status::Loose {
        let lower = greater(gap.lower, still.lower);
        row.gap_bracket = Some(Bounds { lower, upper: greater(gap.upper, lower) });
        return;
    }
    let upper = lesser(gap.upper, still.upper);
    row.gap_bracket = Some(Bounds { lower: lesser(gap.lower, upper), upper });
    // A ball of the run may be better than that of the static check.
    row.gap = row.gap.map(|gap| lesser(gap, upper));
    row.overlap_depth = row.gap.map(|gap| greater(-gap, 0.0));
}

fn joint_at(joint: u32, [from, to]: [f64; 2]) -> JointTravel {
    JointTravel { joint, from, to }
}

/// Certified if all brackets are as narrow as promised. A contact is certified by its proof; the depth of an allowed
/// pair has the promise of an interference.
fn certainty(row: &PairOutcome, limits: &Limits, answer: &SweepAnswer) -> Certainty {
    if answer.segments.iter().any(|s| s.no_inside) {
        return Certainty::NoInside;
    }
    let is_deep = matches!(row.status, Status::Interference | Status::Allowed);
    let [share, least] = PROMISED[usize::from(!is_deep)];
    let promised = |gap: Bounds| {
        let size = match row.status {
            _ if is_deep => lesser(gap.lower.abs(), gap.upper.abs()),
            // The search compares with the gap at the pose of the row.
            Status::Loose => gap.lower.abs(),
            _ => gap.upper.abs(),
        };
        let asked = limits.gap_width.filter(|_| !is_deep);
        let usual = greater(share * size, least * limits.tolerance) + 4.0 * answer.slack();
        gap.width() <= asked.map_or(usual, |asked| lesser(asked * (1.0 + SAME_WIDTH), usual))
    };
    match row.status {
        Status::Undecided => Certainty::Bracketed,
        Status::Contact => Certainty::Certified,
        _ if answer.segments.iter().any(|s| s.wide_ends) => Certainty::Bracketed,
        _ if row.gap_bracket.is_none_or(promised) => Certainty::Certified,
        _ => Certainty::Bracketed,
    }
}
