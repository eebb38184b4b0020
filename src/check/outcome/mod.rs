//! Holds the outcome of a run. Lengths in mm, volumes in mm³, points and vectors in the root frame.
//!
//! - `status`: statuses, relations, certainties and their counts
//! - `counts`: counters of a run
//! - `part_rows`, `pair_rows`: rows of parts, instances and pairs
//! - `warnings`: warnings about parts and shapes
//! - `placement_warnings`, `flag_warnings`: warnings about placements and options
//! - `fix`: fixes of interferences and their effect on other pairs
//! - `explain`: trace of one pair
pub(crate) mod counts;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod flag_warnings;
pub(crate) mod pair_rows;
pub(crate) mod part_rows;
pub(crate) mod placement_warnings;
pub(crate) mod status;
pub(crate) mod warnings;

use crate::assembly::{FileLine, Geometry, InstanceIx, PartIx, Rule, RuleCoverage};
use crate::check::options::Settings;
use crate::check::outcome::status::{Certainty, Counts, Relation, Status};
use crate::check::{ClearedBy, Fix, MotionOutcome, Mover, RunOutcome, SweptPair};
use crate::error::Warning;
use crate::geom::{Aabb, Bounds, LengthUnit, Vec3};
use crate::motion::{ALL_JOINTS, AS_DRAWN};
use serde::{Deserialize, Serialize};

/// A listed pair. `None` marks a missing value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairOutcome {
    /// Instance A: its id comes first in byte order.
    pub a: InstanceIx,
    /// Instance B.
    pub b: InstanceIx,
    /// Status of the pair.
    pub status: Status,
    /// Relation of the two solids.
    pub relation: Option<Relation>,
    /// Certainty of the numbers.
    pub certainty: Certainty,
    /// Coarser geometry of the two parts.
    pub geometry: Geometry,
    /// Signed gap (mm): distance if positive, minus the overlap depth if negative.
    pub gap: Option<f64>,
    /// Certified bounds of the gap (mm, signed); infinite without a bound.
    #[serde(with = "crate::geom::serde_infinity::bounds")]
    pub gap_bracket: Option<Bounds>,
    /// Diameter of the largest common ball (mm, >= 0).
    pub overlap_depth: Option<f64>,
    /// Length of `separating_translation` (mm, >= 0).
    pub penetration_depth: Option<f64>,
    /// Translation of B out of A (mm, root frame).
    pub separating_translation: Option<Vec3>,
    /// Instance that moves in a proposal; `None` without a translation.
    pub mover: Option<Mover>,
    /// `separating_translation` in A's frame (mm).
    pub translation_in_a: Option<Vec3>,
    /// Uncertainty of `penetration_depth` from the facets of both parts (mm, >= 0); applies between runs with different
    /// meshes.
    pub translation_facets: Option<f64>,
    /// Overlap after the accepted translation, if this run measured it (see
    /// [`Options::accepted`](crate::check::Options::accepted)).
    pub remaining: Option<RemainingOverlap>,
    /// Point of A and point of B (mm, root frame), see docs/reference/report.md.
    pub closest_points: Option<[Vec3; 2]>,
    /// Centre of the largest common ball found (mm, root frame); `None` without a common ball.
    pub deepest_point: Option<Vec3>,
    /// Unit vector from A to B (root frame).
    pub normal: Option<Vec3>,
    /// Volume of the intersection (mm³, >= 0).
    pub overlap_volume: Option<f64>,
    /// Uncertainty of `overlap_volume` in one run (mm³, >= 0). Two runs with the same meshes and parts moved by at most
    /// the tolerance differ by at most the sum of both values.
    pub overlap_volume_slack: Option<f64>,
    /// Uncertainty of `overlap_volume` from the facets of both parts (mm³, >= 0); applies between runs with different
    /// meshes.
    pub overlap_volume_facets: Option<f64>,
    /// Share in which the surfaces inside each other face one direction and its opposite only (0 to 1): 1 for a flat
    /// contact and for a pin through a plate without a hole, 0 for a ring, as of a thread in its hole.
    pub one_sidedness: Option<f64>,
    /// Box of the intersection (mm, root frame).
    pub overlap_box: Option<Aabb>,
    /// Depth explained by the concave facets at the overlap (mm, >= 0).
    pub facet_allowance: Option<f64>,
    /// True if the depth exceeds tolerance and allowed depth by no more than the facet allowance.
    pub within_facet_error: bool,
    /// Index in [`Outcome::rules`] of the first matching rule.
    pub rule: Option<u32>,
    /// Hash of both solids, their geometry and their relative pose: for an undecided pair, and for a failing pair
    /// without a gap.
    pub inputs: Option<u64>,
    /// Fingerprint of the pair: a hash of both shapes and their relative pose. Equal for pairs of the same two parts in
    /// the same relative pose, independent of names and order. Over a sweep, a hash of both shapes and their relative
    /// motion.
    pub alike: u64,
    /// Results over a sweep; `None` in the drawing and in a pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swept: Option<Box<SweptPair>>,
}

/// Overlap of a pair after a translation of B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemainingOverlap {
    /// Translation of B (mm, A's frame).
    pub translation: Vec3,
    /// Overlap depth after the translation (mm, >= 0); the upper bound of an undecided depth, `None` without one.
    pub depth: Option<f64>,
}

impl PairOutcome {
    /// Position of the pair (mm, root frame): the centre of the box of the intersection; without one, the middle
    /// between the closest points. `None` without either.
    pub fn at(&self) -> Option<Vec3> {
        let middle = |a: &Vec3, b: &Vec3| a * 0.5 + b * 0.5;
        let of_box = self.overlap_box.as_ref().map(|b| middle(&b.min, &b.max));
        of_box.or_else(|| self.closest_points.as_ref().map(|[a, b]| middle(a, b)))
    }

    /// Row with a status only.
    pub(crate) fn bare([a, b]: [InstanceIx; 2], status: Status, geometry: Geometry) -> Self {
        Self {
            a,
            b,
            status,
            relation: None,
            certainty: Certainty::Certified,
            geometry,
            gap: None,
            gap_bracket: None,
            overlap_depth: None,
            penetration_depth: None,
            separating_translation: None,
            mover: None,
            translation_in_a: None,
            translation_facets: None,
            remaining: None,
            closest_points: None,
            deepest_point: None,
            normal: None,
            overlap_volume: None,
            overlap_volume_slack: None,
            overlap_volume_facets: None,
            one_sidedness: None,
            overlap_box: None,
            facet_allowance: None,
            within_facet_error: false,
            rule: None,
            inputs: None,
            alike: 0,
            swept: None,
        }
    }
}

/// A part in the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOutcome {
    /// Name; `PATH#name` in sub-assemblies.
    pub key: String,
    /// Mesh file as named in reports; empty for a mesh of the caller.
    pub mesh: String,
    /// Number of triangles.
    pub triangles: u64,
    /// True if every edge is shared by two triangles in opposite directions.
    pub closed: bool,
    /// Largest sagitta of the facets (mm, >= 0).
    pub facet_error: Option<f64>,
    /// Number of instances.
    pub instances: u64,
    /// Number of convex pieces, for decomposition.
    pub pieces: Option<u64>,
    /// Overshoot of the pieces beyond the solid (mm, >= 0), for decomposition.
    pub epsilon: Option<f64>,
    /// Hash of mesh content and units (32 hexadecimal digits).
    pub hash: String,
}

/// An instance in the outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceOutcome {
    /// Full id.
    pub id: String,
    /// Part of the instance.
    pub part: PartIx,
    /// Hash of the part-to-root transform (16 hexadecimal digits).
    pub placement: String,
    /// Index in [`Outcome::files`] and line of the definition; `None` for an instance of the caller.
    pub at: Option<FileLine>,
    /// Length of the id of its `as_unit` sub-assembly, a prefix of `id` (bytes); `None` outside of one.
    pub unit: Option<u32>,
}

impl InstanceOutcome {
    /// Id of its `as_unit` sub-assembly.
    pub fn unit_id(&self) -> Option<&str> {
        self.id.get(..self.unit? as usize)
    }
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Name of the assembly.
    pub name: String,
    /// Path of the assembly as given.
    pub path: String,
    /// Assembly files as named in reports, root first. Empty for an assembly without files.
    pub files: Vec<String>,
    /// Unit of the report.
    pub units: LengthUnit,
    /// True if the assembly file makes warnings errors.
    pub strict: bool,
    /// True if `alike` of each row is the number of its group in a report, and no fingerprint.
    #[serde(skip)]
    pub alike_by_group: bool,
    /// Settings of the run.
    pub settings: Settings,
    /// Number of all pairs of instances, n·(n−1)/2.
    pub possible_pairs: u64,
    /// Pairs by status; the sum is `possible_pairs`.
    pub counts: Counts,
    /// Clear pairs by stage; the sum is `counts.clear`.
    pub cleared_by: ClearedBy,
    /// Rows of all pairs except clear and ignored ones, and of clear pairs within `report_within`; sorted by id of a,
    /// then b.
    pub pairs: Vec<PairOutcome>,
    /// Fixes of the deepest interferences, deepest first.
    pub fixes: Vec<Fix>,
    /// Parts sorted by key; indexed by [`PartIx`].
    pub parts: Vec<PartOutcome>,
    /// Instances in the assembly's order; indexed by [`InstanceIx`].
    pub instances: Vec<InstanceOutcome>,
    /// Rules in the order of the files.
    pub rules: Vec<Rule>,
    /// Use of each rule among the others.
    pub rule_uses: Vec<RuleCoverage>,
    /// Warnings in a fixed order.
    pub warnings: Vec<Warning>,
    /// Joints, poses and sweeps; `None` for an assembly without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionOutcome>,
}

impl Outcome {
    /// Returns true if any pair has a failing status, in the drawing or in a run.
    pub fn fails(&self) -> bool {
        self.findings() > 0
    }

    /// Number of findings: pairs with a failing status, in the drawing and in each run.
    pub fn findings(&self) -> u64 {
        let of = |counts: &Counts| Status::ALL.into_iter().filter(|s| s.fails()).map(|s| counts.of(s)).sum::<u64>();
        of(&self.counts) + self.runs().iter().map(|run| of(&run.counts)).sum::<u64>()
    }

    /// Number of checked pairs, in the drawing and in all runs.
    pub fn checked_pairs(&self) -> u64 {
        self.possible_pairs + self.runs().iter().map(|run| run.pairs).sum::<u64>()
    }

    /// True if this check leaves the drawing out.
    pub fn is_without_drawing(&self) -> bool {
        self.motion.as_ref().is_some_and(MotionOutcome::is_without_drawing)
    }

    /// Checked poses and sweeps.
    pub fn runs(&self) -> &[RunOutcome] {
        self.motion.as_ref().map_or(&[], |motion| &motion.runs)
    }

    /// True if this check leaves out a run of a rule. The sweep of all joints counts for a rule limited to some runs.
    pub fn leaves_out_run_of(&self, rule: &Rule) -> bool {
        let left_out = self.motion.iter().flat_map(|motion| &motion.left_out).map(String::as_str);
        let mut checked = self.runs().iter().map(|run| run.name.as_str());
        let has_swept_all = checked.clone().any(|run| run == ALL_JOINTS);
        let is_limited = !rule.applies_in(AS_DRAWN) || checked.any(|run| !rule.applies_in(run));
        let all_joints = (is_limited && !has_swept_all).then_some(ALL_JOINTS);
        left_out.chain(all_joints).any(|run| rule.applies_in(run))
    }

    /// First matching rule of a row.
    pub fn rule_of(&self, row: &PairOutcome) -> Option<&Rule> {
        row.rule.and_then(|rule| self.rules.get(rule as usize))
    }

    /// Id of an instance.
    pub fn id(&self, instance: InstanceIx) -> &str {
        &self.instances[instance.0 as usize].id
    }
}

/// Stable id of a pair, 12 hexadecimal digits: a BLAKE3 hash of the two full ids, lesser first.
pub fn pair_id(a: &str, b: &str) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let mut hasher = blake3::Hasher::new();
    // The length prefix distinguishes ("ab","c") from ("a","bc").
    hasher.update(&(first.len() as u64).to_le_bytes()).update(first.as_bytes()).update(second.as_bytes());
    hasher.finalize().to_hex().as_str()[..12].to_owned()
}
