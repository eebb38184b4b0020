//! The outcome of a run. Lengths in mm, volumes in mm³, points and vectors in root assembly coordinates.
pub(crate) mod counts;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod pair_rows;
pub(crate) mod part_rows;
pub(crate) mod standing;
pub(crate) mod status;
pub(crate) mod warnings;

use crate::assembly::{Facets, FileLine, Geometry, InstanceIx, PartIx, Rule, RuleCoverage};
use crate::check::outcome::status::{Certainty, Counts, Relation, Status};
use crate::check::{Accepted, BaselineOutcome, BaselineStatus, CacheUse, FailOn, Fix};
use crate::error::Warning;
use crate::geom::{Aabb, LengthUnit, Vec3};
use serde::{Deserialize, Serialize};

/// One listed pair. What was not computed is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairOutcome {
    /// The instance whose id comes first in byte order.
    pub a: InstanceIx,
    /// The other one.
    pub b: InstanceIx,
    /// Where it ended.
    pub status: Status,
    /// How the solids lie to each other.
    pub relation: Option<Relation>,
    /// How far the numbers can be trusted.
    pub certainty: Certainty,
    /// The coarser geometry of the two parts.
    pub geometry: Geometry,
    /// Clearance where positive, minus the overlap depth where negative.
    pub gap: Option<f64>,
    /// Certified bounds of the gap; infinite where there is none.
    #[serde(with = "crate::geom::serde_infinity::bounds")]
    pub gap_bracket: Option<[f64; 2]>,
    /// Diameter of the largest common ball, ≥ 0.
    pub overlap_depth: Option<f64>,
    /// Length of `separating_translation`, ≥ 0.
    pub penetration_depth: Option<f64>,
    /// Applied to B it separates the pair.
    pub separating_translation: Option<Vec3>,
    /// Of A and of B (report-format.md).
    pub closest_points: Option<[Vec3; 2]>,
    /// Unit, from A to B.
    pub normal: Option<Vec3>,
    /// Volume of the common solid.
    pub overlap_volume: Option<f64>,
    /// By how much the volume may differ between two runs with the same meshes and no part moved by more than the tolerance, half of it
    /// for each run (mm³).
    pub overlap_volume_slack: Option<f64>,
    /// By how much it may be off for the facets of both parts (mm³), which other meshes of the same parts do not have.
    pub overlap_volume_facets: Option<f64>,
    /// Box of the common solid.
    pub overlap_box: Option<Aabb>,
    /// What the concave facets at the overlap allow.
    pub facet_allowance: Option<f64>,
    /// Deeper than the tolerance, not deeper than tolerance and allowance.
    pub within_facet_error: bool,
    /// Index in [`Outcome::rules`] of the rule that matched.
    pub rule: Option<u32>,
    /// Of a pair that fails and has no gap, and of every undecided one: a hash of both solids, what they are taken to be, and
    /// how they lie to each other.
    pub inputs: Option<u64>,
    /// How it compares with the baseline; `None` without one, and of a pair that is no finding.
    #[serde(skip)]
    pub standing: Option<BaselineStatus>,
    /// What the baseline has of it; `None` where it has nothing.
    #[serde(skip)]
    pub accepted: Option<Accepted>,
    /// Equal for pairs of the same two parts in the same relative pose, whatever their names and their order: a hash of the
    /// meshes' content and the pose.
    pub alike: u64,
}

impl PairOutcome {
    /// A pair of which nothing but the status is known.
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
            closest_points: None,
            normal: None,
            overlap_volume: None,
            overlap_volume_slack: None,
            overlap_volume_facets: None,
            overlap_box: None,
            facet_allowance: None,
            within_facet_error: false,
            rule: None,
            inputs: None,
            standing: None,
            accepted: None,
            alike: 0,
        }
    }
}

/// How many clear pairs each stage proved clear; adds up to `counts.clear`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearedBy {
    /// Axis-aligned boxes.
    pub aabb: u64,
    /// Oriented boxes.
    pub obb: u64,
    /// Hull against hull.
    pub hull: u64,
    /// Convex pieces.
    pub pieces: u64,
    /// Triangles.
    pub exact: u64,
}

/// What a run says of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOutcome {
    /// Name, `PATH#name` in sub-assemblies.
    pub key: String,
    /// The mesh file as reports name it; empty for a mesh handed in by the caller.
    pub mesh: String,
    /// Triangles of the file.
    pub triangles: u64,
    /// Whether every edge is shared by two triangles in opposite directions.
    pub closed: bool,
    /// Largest sagitta of its facets, mm.
    pub facet_error: Option<f64>,
    /// How many instances place it.
    pub instances: u64,
    /// Convex pieces (decomposition).
    pub pieces: Option<u64>,
    /// How far the pieces reach beyond the solid, mm (decomposition).
    pub epsilon: Option<f64>,
    /// Hash of the mesh's content and units, hexadecimal.
    pub hash: String,
}

/// What a run says of one instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceOutcome {
    /// Full id.
    pub id: String,
    /// Its part.
    pub part: PartIx,
    /// Hash of the part-to-root transform, hexadecimal.
    pub placement: String,
    /// Where it is written, an index in [`Outcome::files`] and a line; `None` for one handed in by the caller.
    pub at: Option<FileLine>,
    /// Bytes of its id that are the id of the `as_unit` sub-assembly it lies in, if it lies in one.
    pub unit: Option<u32>,
}

impl InstanceOutcome {
    /// The id of the `as_unit` sub-assembly it lies in.
    pub fn unit_id(&self) -> Option<&str> {
        self.id.get(..self.unit? as usize)
    }
}

/// The options as the run settled them, every one that influences the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// mm.
    pub tolerance: f64,
    /// The run's geometry; parts may have their own.
    pub geometry: Geometry,
    /// Whether facet allowances are granted.
    pub facets: Facets,
    /// mm.
    pub report_within: Option<f64>,
    /// How far pieces of decomposed parts may reach beyond them (mm); `None` for a part of each one's size.
    pub epsilon: Option<f64>,
    /// No part is covered by more pieces than this.
    pub max_pieces: usize,
    /// Whether measures were left out.
    pub verdict_only: bool,
}

/// Seconds of one kind of clock per stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageSeconds {
    /// Reading and joining.
    pub load: f64,
    /// Hulls, boxes and trees.
    pub shape: f64,
    /// Candidate pairs.
    pub broad: f64,
    /// Everything per pair after that.
    pub narrow: f64,
    /// Sorting, rendering, writing.
    pub report: f64,
}

/// How many pairs entered `confirm` and survived each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairFunnel {
    /// All pairs that are not ignored.
    pub possible: u64,
    /// Survived the axis-aligned boxes.
    pub aabb: u64,
    /// Survived the oriented boxes.
    pub obb: u64,
    /// Survived the hulls.
    pub hull: u64,
    /// Ended in another status than clear.
    pub confirmed: u64,
    /// Distinct (part, part, relative pose) among those that survived the boxes.
    pub distinct: u64,
}

/// Where the time of a run went. Never part of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    /// Threads of the pool.
    pub threads: usize,
    /// Elapsed.
    pub wall: StageSeconds,
    /// Process CPU, all threads.
    pub cpu: StageSeconds,
    /// Pairs in and out.
    pub pairs: PairFunnel,
    /// What was found in the cache, where there is one.
    pub cache: Option<CacheUse>,
}

/// Everything a run found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The assembly's name.
    pub name: String,
    /// Its path as given.
    pub path: String,
    /// The assembly files, as the user would name them; the root first. Empty where there is no file.
    pub files: Vec<String>,
    /// Unit of the report.
    pub units: LengthUnit,
    /// The options as settled.
    pub settings: Settings,
    /// All pairs of instances, n·(n−1)/2.
    pub possible_pairs: u64,
    /// Add up to `possible_pairs`.
    pub counts: Counts,
    /// Add up to `counts.clear`.
    pub cleared_by: ClearedBy,
    /// Every pair that is not clear or ignored, and the clear ones within `report_within`; sorted by id of a, then b.
    pub pairs: Vec<PairOutcome>,
    /// Of some interferences, as many as were asked for, how to mend them; the deepest first.
    pub fixes: Vec<Fix>,
    /// Sorted by key; indexed by [`PartIx`].
    pub parts: Vec<PartOutcome>,
    /// In the assembly's order; indexed by [`InstanceIx`].
    pub instances: Vec<InstanceOutcome>,
    /// As read.
    pub rules: Vec<Rule>,
    /// Of each of the rules: what it is there for among the others.
    pub rule_uses: Vec<RuleCoverage>,
    /// In a fixed order.
    pub warnings: Vec<Warning>,
    /// What the baseline makes of it; `None` where there is none.
    #[serde(skip)]
    pub baseline: Option<BaselineOutcome>,
    /// What makes the gate fail.
    #[serde(skip)]
    pub fail_on: FailOn,
    /// Where the time went.
    #[serde(skip)]
    pub timings: Timings,
    /// Why the cache could not be written to, so that the next run finds less than it might. Never part of the report.
    #[serde(skip)]
    pub not_kept: Option<Warning>,
}

impl Outcome {
    /// Whether the gate fails.
    pub fn fails(&self) -> bool {
        self.failing() > 0
    }

    /// How many pairs make the gate fail.
    pub fn failing(&self) -> u64 {
        match (self.fail_on, &self.baseline) {
            (FailOn::Never, _) => 0,
            (FailOn::New, Some(baseline)) => baseline.counts.failing(),
            (FailOn::New, None) | (FailOn::Any, _) => self.findings(),
        }
    }

    /// How many pairs have a status that can fail.
    pub fn findings(&self) -> u64 {
        Status::ALL.into_iter().filter(|s| s.fails()).map(|s| self.counts.of(s)).sum()
    }

    /// The id of an instance.
    pub fn id(&self, instance: InstanceIx) -> &str {
        &self.instances[instance.0 as usize].id
    }
}

/// The stable id of a pair, 12 hexadecimal digits: a BLAKE3 hash of the two full ids, the lesser first.
pub fn pair_id(a: &str, b: &str) -> String {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    let mut hasher = blake3::Hasher::new();
    // The length in front keeps ("ab","c") and ("a","bc") apart.
    hasher.update(&(first.len() as u64).to_le_bytes()).update(first.as_bytes()).update(second.as_bytes());
    hasher.finalize().to_hex().as_str()[..12].to_owned()
}
