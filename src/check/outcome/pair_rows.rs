//! Builds the rows of the report, one for each listed pair.

use crate::assembly::InstanceIx;
use crate::check::cache::{Kind, PairKey};
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::canonical_pose;
use crate::check::pairs::distinct::{PairRef, UniquePair, UniquePairs, unique_pairs};
use crate::check::pairs::rotations::{RotationIndex, Rotations};
use crate::check::stages::Answer;
use crate::check::stages::answers::Checker;
use crate::check::stages::trace::Trace;
use crate::check::{Mover, PairOutcome, Status};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Aabb, Vec3};
use crate::query::convex::epa::EpaScratch;
use rayon::prelude::*;

/// Components of a unit normal up to this size are 0. Rounding leaves some 1e-16; a normal tilted by 1e-12 moves the
/// end of 1 m by 1e-9 mm. Larger would hide a slope; smaller would print rounding as a slope.
const NORMAL_DUST: f64 = 1e-12;

/// The number, or 0 if it is at most `margin` in size: rounding cannot tell it from 0.
fn zero_within(x: f64, margin: f64) -> f64 {
    if x.abs() <= margin { 0.0 } else { x }
}

/// Vector with [`zero_within`] in each coordinate.
fn without_dust(v: Vec3, margin: f64) -> Vec3 {
    v.map(|x| zero_within(x, margin))
}

impl Checker<'_> {
    /// Row and trace of one candidate, equal to those of a whole run.
    pub(crate) fn explain(&self, candidate: &Candidate, steps: &mut Trace) -> PairOutcome {
        self.row(candidate, &self.ranks(), steps)
    }

    /// Row and trace of one candidate; `rank` is that of each instance by id. An answer from the cache has no trace.
    pub(crate) fn row(&self, candidate: &Candidate, rank: &[u32], steps: &mut Trace) -> PairOutcome {
        let groups = unique_pairs(self.assembly, self.shapes, std::slice::from_ref(candidate));
        let limits = self.limits(candidate.rule);
        let (member, distinct) = (&groups.candidates[0], &groups.distinct[0]);
        let firsts = RotationIndex::of(&groups);
        let turns = firsts.rotations_of(0, &self.shapes.placed);
        let query = self.query(distinct, &limits, turns);
        let wish = PairKey { shapes: [distinct.first, distinct.second], query: &query, kind: Kind::Sweeps };
        let known = self.cache.and_then(|cache| cache.find(&wish));
        let answer = known.unwrap_or_else(|| self.traced(&wish, &mut EpaScratch::default(), steps));
        let row = self.outcome(member, distinct, &answer, rank);
        let first = if member.swapped { member.b } else { member.a };
        if row.a.0 != first {
            steps.swap();
        }
        row
    }

    /// Rows of the report, sorted by id.
    pub(crate) fn outcomes(&self, groups: &UniquePairs, answers: &[Answer]) -> Vec<PairOutcome> {
        let rank = self.ranks();
        let mut listed = Vec::new();
        for member in &groups.candidates {
            let answer = &answers[member.group as usize];
            // The bracket includes the rounding margin, so a gap at the limit within rounding is listed.
            let near = |limit: f64| answer.measured.as_ref().is_some_and(|m| m.bracket.lower <= limit);
            if answer.status != Status::Clear || self.settings.report_within.is_some_and(near) {
                listed.push(self.outcome(member, &groups.distinct[member.group as usize], answer, &rank));
            }
        }
        listed.par_sort_unstable_by_key(|p: &PairOutcome| (rank[p.a.0 as usize], rank[p.b.0 as usize]));
        listed
    }

    /// Rank of every instance by id, in byte order.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let instances = &self.assembly.instances;
        let mut order: Vec<u32> = (0..instances.len() as u32).collect();
        order.par_sort_unstable_by(|&i, &j| instances[i as usize].id.cmp(&instances[j as usize].id));
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&i, r)| rank[i as usize] = r);
        rank
    }

    fn outcome(&self, member: &PairRef, distinct: &UniquePair, answer: &Answer, rank: &[u32]) -> PairOutcome {
        let first = member.first();
        let second = if member.swapped { member.a } else { member.b };
        let placed = &self.shapes.placed[first as usize];
        let origin = &self.shapes.origins[distinct.first as usize].origin;
        let limits = self.limits(None);
        let query = self.query(distinct, &limits, Rotations::default());
        let margin = query.margin();
        let point = |p: Vec3| placed.pose.point(&(p + origin));
        let shown = |p: Vec3| without_dust(p, margin + roundoff_mm(0.0, 0.0, p.norm()));
        // In a row, `a` has the first id.
        let flip = rank[second as usize] < rank[first as usize];
        let turn = |v: Vec3| if flip { -placed.pose.direction(&v) } else { placed.pose.direction(&v) };
        let m = answer.measured.as_deref();
        let penetration = m.and_then(|m| m.penetration);
        let common = m.and_then(|m| m.common.as_ref());
        let slack = common.map(|c| query.volume_slack(c.area));
        let translation = penetration.map(|p| without_dust(turn(p.0), margin));
        let of_a = &self.shapes.placed[if flip { second } else { first } as usize].pose;
        let relation = m.and_then(|m| m.relation);
        let gap = m.and_then(|m| m.gap).map(|g| zero_within(g, margin));
        let [a, b] = if flip { [second, first] } else { [first, second] };
        PairOutcome {
            a: InstanceIx(a),
            b: InstanceIx(b),
            status: answer.status,
            relation: relation.map(|r| if flip { r.swapped() } else { r }),
            certainty: answer.certainty,
            geometry: answer.geometry,
            gap,
            gap_bracket: m.map(|m| m.bracket),
            overlap_depth: gap.map(|g| (-g).max(0.0)),
            penetration_depth: penetration.map(|p| p.1),
            mover: penetration.map(|_| self.mover([a, b])),
            separating_translation: translation,
            translation_in_a: translation.map(|t| of_a.rotation.tr_mul(&t)),
            translation_facets: translation.map(|_| query.surface_error()),
            remaining: None,
            closest_points: m
                .map(|m| if flip { [m.witness[1], m.witness[0]] } else { m.witness }.map(|p| shown(point(p)))),
            deepest_point: m.and_then(|m| m.deepest_point).map(|p| shown(point(p))),
            normal: m.and_then(|m| m.normal).map(|n| without_dust(turn(n), NORMAL_DUST)),
            overlap_volume: common.map(|c| c.volume),
            overlap_volume_slack: slack.map(|s| s[0]),
            overlap_volume_facets: slack.map(|s| s[1]),
            one_sidedness: common.and_then(|c| c.one_sidedness),
            overlap_box: common
                .and_then(|c| c.root_box(&placed.pose.rotation, &point(Vec3::zeros())))
                .map(|b| Aabb { min: shown(b.min), max: shown(b.max) }),
            facet_allowance: answer.facet_allowance,
            within_facet_error: answer.within_facet_error,
            rule: member.rule,
            inputs: (answer.status == Status::Undecided || answer.status.fails() && gap.is_none())
                .then(|| self.inputs(distinct)),
            alike: distinct.pose_fingerprint(&self.shapes.fingerprints),
            swept: None,
        }
    }

    /// Chooses the instance of a pair that moves.
    fn mover(&self, pair: [u32; 2]) -> Mover {
        let volume = |i: u32| {
            let half = self.shapes.all[self.shapes.placed[i as usize].shape as usize].obb().half_extents;
            8.0 * half.x * half.y * half.z
        };
        let neighbours = pair.map(|i| self.neighbours.get(i as usize).copied().unwrap_or(0));
        Mover::choose(pair.map(volume), neighbours, self.shapes.placed.len().saturating_sub(1))
    }

    /// Hash of both shapes and their relative pose.
    fn inputs(&self, pair: &UniquePair) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for shape in [pair.first, pair.second] {
            self.shapes.all[shape as usize].identify(&mut hasher);
        }
        for n in canonical_pose::numbers(&pair.pose) {
            hasher.update(&n.to_le_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_be_bytes(first)
    }
}
