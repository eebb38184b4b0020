//! Proofs of the passing pairs of sweeps, for another program to check (docs/reference/proof-file.md).

use crate::assembly::{Assembly, InstanceIx, NamedRun, PairRule, RuleTable};
use crate::check::motion::RunChecker;
use crate::check::motion::plan::RunPlan;
use crate::check::motion::proof_shapes::{ProofShape, ProofShapes};
use crate::check::motion::segment::{recentring, sweep_limits};
use crate::check::motion::several::SeveralParameters;
use crate::check::motion::sweep::{Effort, SweepQuery, raised};
use crate::check::motion::swept::Sweeps;
use crate::check::pairs::shard::SweptShare;
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shapes;
use crate::check::prepare::solid::body;
use crate::check::run::resolve_settings;
use crate::check::stages::answers::Checker;
use crate::check::{Curves, Measure, Options, Outcome, PairOutcome, Progress, Stage, Status};
use crate::error::Error;
use crate::geom::{Pose, Vec3};
use crate::io::Loader;
use crate::motion::{AS_DRAWN, Chain, ChainJoint, JointKind};
use crate::query::sweep::{BoxSweep, Certificate, ProofClaim, ProofStep, SweepStatus, Unproved};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Proofs of the sweeps of a check.
#[derive(Debug)]
pub struct SweepProofs {
    /// Surfaces that the proofs name by their index.
    pub shapes: Vec<ProofShape>,
    /// Proofs in the order of the runs, then by ids.
    pub proofs: Vec<PairProof>,
    /// Rows and runs without a proof, in the same order.
    pub left_out: Vec<LeftOut>,
}

/// Proof of one claim about a pair over a segment of a sweep.
#[derive(Debug)]
pub struct PairProof {
    /// Name of the run.
    pub run: String,
    /// Segment of a path from 0; 0 for a sweep of joints.
    pub segment: u32,
    /// Instances A and B, lesser id first.
    pub pair: [InstanceIx; 2],
    /// Status of the pair over the run.
    pub status: Status,
    /// Claim of the proof.
    pub claim: ProofClaim,
    /// Indices of both surfaces in [`SweepProofs::shapes`].
    pub shapes: [u32; 2],
    /// Pose of B's frame in A's frame with all joint values 0.
    pub drawn: Pose,
    /// Joints between A and B in A's frame, nearest B first.
    pub joints: Vec<ProofJoint>,
    /// First and last value of each parameter.
    pub ranges: Vec<[f64; 2]>,
    /// The walk.
    pub steps: Vec<ProofStep>,
}

/// A joint between two parts, with the law of its value: Σ rates · parameters + offset.
#[derive(Debug, Clone)]
pub struct ProofJoint {
    /// Type as in the assembly file.
    pub kind: &'static str,
    /// Direction of the axis, of length 1 (A's frame, all values 0).
    pub axis: Vec3,
    /// A point of the axis (A's frame, mm).
    pub at: Vec3,
    /// Travel for one turn (mm, signed); `None` unless it is a screw.
    pub lead: Option<f64>,
    /// Change of the value (degrees, or mm for a slide) for a unit of each parameter.
    pub rates: Vec<f64>,
    /// Value with all parameters 0.
    pub offset: f64,
}

impl ProofJoint {
    fn of(j: &ChainJoint, parameters: usize) -> Self {
        let (kind, lead) = match j.joint.kind {
            JointKind::Revolute => ("revolute", None),
            JointKind::Prismatic => ("prismatic", None),
            JointKind::Screw { lead } => ("screw", Some(lead)),
            JointKind::Fixed => ("fixed", None),
        };
        let rates = (0..parameters).map(|p| j.law.rates.get(p).copied().unwrap_or(0.0)).collect();
        Self { kind, axis: j.joint.axis, at: j.joint.at, lead, rates, offset: j.law.offset }
    }
}

/// Rows without a proof in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// Name of the run.
    pub run: String,
    /// The pair; `None` for several pairs of the run.
    pub pair: Option<[InstanceIx; 2]>,
    /// Status of the pair.
    pub status: Option<Status>,
    /// Number of pairs; `None` if unknown.
    pub pairs: Option<u64>,
    /// Reason.
    pub reason: &'static str,
}

/// Reasons for a row without a proof.
const FAILS: &str = "the pair does not pass";
const LOOPS: &str = "a joint of a loop moves the pair: it has no linear law";
const FACETS: &str = "the facets of the meshes explain an overlap";
const MAX_GAP: &str = "the rule's largest gap has no steps";
const NO_INSIDE: &str = "a surface has no definite inside";
const SEARCH: &str = "no plane or orbit separates some triangles, or the budget ended";
const NESTED: &str = "one part may lie in the other";

/// Reasons for runs and groups of pairs.
const POSE: &str = "one configuration: judged by a static check";
const AT_REST: &str = "the sweep leaves these pairs at rest: judged by a static check";
const IGNORED: &str = "rules or `as_unit` ignore these pairs";
const NOT_CHECKED: &str = "this check leaves the run out";

/// Finds the proofs of the passing pairs that sweeps move past each other, given the outcome of the check with the same
/// options. Reads the meshes again.
///
/// Cost: for each pair up to the budget of the check, parallel over the pairs.
///
/// # Errors
/// Returns the errors of [`check()`](crate::check::check()).
pub fn sweep_proofs(
    assembly: &Assembly,
    options: &Options,
    outcome: &Outcome,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<SweepProofs, Error> {
    let settings = resolve_settings(assembly, options)?;
    let chosen = assembly.motion.choose(&options.runs)?;
    let meshes = load_meshes(assembly, loader, None, Measure::None, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    let drawn_rules = RuleTable::of_drawing(assembly);
    let run_checker = RunChecker {
        assembly,
        settings: &settings,
        shapes: &shapes,
        cache: None,
        drawn_rules: &drawn_rules,
        sweep_cells: options.sweep_cells,
        curves: Curves::None,
        shard: None,
    };
    let checker = Checker { assembly, settings: &settings, shapes: &shapes, cache: None, neighbours: &[] };
    let mut writer = ProofWriter { shapes: ProofShapes::new(assembly), proofs: Vec::new(), left_out: Vec::new() };
    if chosen.drawing {
        writer.leave_out(AS_DRAWN, Some(outcome.possible_pairs), POSE);
    }
    chosen.left_out.iter().for_each(|name| writer.leave_out(name, None, NOT_CHECKED));
    for run in &chosen.runs {
        let rows = outcome.motion.iter().flat_map(|m| &m.runs).find(|r| r.name == run.name);
        let rows = rows.map(|r| r.rows.as_slice()).unwrap_or_default();
        let plan = RunPlan::of(assembly, run)?;
        let rules = RuleTable::of_run(assembly, &run.name);
        let (rank, share) = (checker.ranks(), SweptShare::all(assembly, &shapes));
        let sweeps = plan.sweeps(&run_checker, &checker, &rules, (&rank, share), Effort::Status);
        writer.add_run(&sweeps, run, rows, progress);
    }
    Ok(SweepProofs { shapes: writer.shapes.all, proofs: writer.proofs, left_out: writer.left_out })
}

/// The proofs found so far.
struct ProofWriter<'a> {
    shapes: ProofShapes<'a>,
    proofs: Vec<PairProof>,
    left_out: Vec<LeftOut>,
}

/// Certificates of one segment, or the reason of none.
struct SegmentProof {
    chain: Chain,
    ranges: Vec<[f64; 2]>,
    found: Result<Vec<Certificate>, &'static str>,
}

impl ProofWriter<'_> {
    fn leave_out(&mut self, run: &str, pairs: Option<u64>, reason: &'static str) {
        if pairs != Some(0) {
            self.left_out.push(LeftOut { run: run.to_owned(), pair: None, status: None, pairs, reason });
        }
    }

    fn add_run(&mut self, sweeps: &Sweeps, run: &NamedRun, rows: &[PairOutcome], progress: &dyn Progress) {
        let n = sweeps.run.assembly.instances.len() as u32;
        let ignored = |a, b| matches!(sweeps.rules.of(InstanceIx(a), InstanceIx(b)), PairRule::Ignored { .. });
        let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let (kept, skipped): (Vec<_>, Vec<_>) = all.partition(|[a, b]| !ignored(*a, *b));
        let (mut moved, resting): (Vec<_>, Vec<_>) = kept.into_iter().partition(|[a, b]| sweeps.swept.differ(*a, *b));
        let still = if sweeps.segments.iter().all(|s| s.ranges.is_empty()) { POSE } else { AT_REST };
        self.leave_out(&run.name, Some(skipped.len() as u64), IGNORED);
        self.leave_out(&run.name, Some(resting.len() as u64), still);
        for pair in &mut moved {
            *pair = sweeps.by_id(*pair);
        }
        moved.sort_by_key(|pair| pair.map(|i| sweeps.rank[i as usize]));
        let listed: BTreeMap<[u32; 2], &PairOutcome> = rows.iter().map(|row| ([row.a.0, row.b.0], row)).collect();
        progress.begin(Stage::Narrow, moved.len() as u64);
        // A block of pairs at a time bounds the memory of the surfaces moved inward.
        for block in moved.chunks(BLOCK) {
            let prove = |pair: &[u32; 2]| {
                let found = prove_pair(sweeps, *pair, listed.get(pair).copied());
                progress.advance(1);
                found
            };
            let found: Vec<_> = block.par_iter().map(prove).collect();
            for (pair, (status, segments, left)) in block.iter().zip(found) {
                self.add_pair(sweeps, run, (*pair, status), segments, left);
            }
        }
    }

    fn add_pair(
        &mut self,
        sweeps: &Sweeps,
        run: &NamedRun,
        (pair, status): ([u32; 2], Status),
        segments: Vec<SegmentProof>,
        left: Option<&'static str>,
    ) {
        let instances = pair.map(InstanceIx);
        let mut reasons: Vec<&'static str> = left.into_iter().collect();
        for (k, SegmentProof { chain, ranges, found }) in segments.into_iter().enumerate() {
            let certificates = match found {
                Ok(all) => all,
                Err(why) => {
                    reasons.push(why);
                    continue;
                }
            };
            for Certificate { claim, insets, steps } in certificates {
                let shapes = self.shapes.of_pair(sweeps.run.shapes, pair, insets);
                self.proofs.push(PairProof {
                    run: run.name.clone(),
                    segment: k as u32,
                    pair: instances,
                    status,
                    claim,
                    shapes,
                    drawn: chain.drawn,
                    joints: chain.joints.iter().map(|j| ProofJoint::of(j, ranges.len())).collect(),
                    ranges: ranges.clone(),
                    steps,
                });
            }
        }
        reasons.dedup();
        let row = |reason| LeftOut {
            run: run.name.clone(),
            pair: Some(instances),
            status: Some(status),
            pairs: None,
            reason,
        };
        self.left_out.extend(reasons.into_iter().map(row));
    }
}

/// Number of pairs proved before their results are stored.
const BLOCK: usize = 256;

/// Proves a pair over all segments of a sweep: its status, the segments, and the reason of a claim without a proof.
fn prove_pair(
    sweeps: &Sweeps,
    pair: [u32; 2],
    row: Option<&PairOutcome>,
) -> (Status, Vec<SegmentProof>, Option<&'static str>) {
    // The report lists all pairs but clear ones.
    let status = row.map_or(Status::Clear, |row| row.status);
    let claimed = match status {
        Status::Clear => SweepStatus::Clear,
        Status::Contact => SweepStatus::Contact,
        Status::Allowed => SweepStatus::Allowed,
        _ => return (status, Vec::new(), Some(FAILS)),
    };
    if row.is_some_and(|row| row.within_facet_error) {
        return (status, Vec::new(), Some(FACETS));
    }
    let rule = match sweeps.rules.of(InstanceIx(pair[0]), InstanceIx(pair[1])) {
        PairRule::Rule(rule) => Some(rule),
        PairRule::None | PairRule::Ignored { .. } => None,
    };
    let query = sweeps.query(pair, rule);
    let left = query.limits.max_gap.map(|_| MAX_GAP);
    let segments = (0..query.segments.len()).map(|k| prove_segment(&query, k, claimed)).collect();
    (status, segments, left)
}

fn prove_segment(query: &SweepQuery<'_>, segment: usize, claimed: SweepStatus) -> SegmentProof {
    let (chain, of_run) = &query.segments[segment];
    let SeveralParameters { chain, ranges, .. } = SeveralParameters::of(chain, &of_run.ranges);
    if chain.joints.iter().any(|j| j.law.solved.is_some()) {
        return SegmentProof { chain, ranges, found: Err(LOOPS) };
    }
    let sweep = BoxSweep {
        a: body(query.first),
        b: body(query.second),
        chain: &chain,
        ranges: &ranges,
        limits: sweep_limits(&raised(query)),
        quantum: query.first.quantum + query.second.quantum,
        residual: query.residual + recentring(query),
        tests: query.tests,
    };
    let found = sweep.certificates(claimed).map_err(|why| match why {
        Unproved::NoInside => NO_INSIDE,
        Unproved::Search => SEARCH,
        Unproved::Nested => NESTED,
    });
    SegmentProof { chain, ranges, found }
}
