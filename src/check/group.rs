//! Pairs that share one answer, the answers, and the rows they make.

use super::judge::Limits;
use super::pair::{Answer, PairQuery};
use super::pipeline::Candidate;
use super::shape::Shapes;
use super::tally::Tally;
use super::{PairOutcome, Progress, Settings, Status, pose_key};
use crate::assembly::{Assembly, Geometry, InstanceIx, Verb};
use crate::geom::{Pose, Vec3};
use crate::narrow::epa::EpaScratch;
use rayon::prelude::*;

/// Pairs that share one answer.
pub(super) struct Groups {
    pub candidates: Vec<Member>,
    pub distinct: Vec<Distinct>,
}

pub(super) struct Member {
    a: u32,
    b: u32,
    rule: Option<u32>,
    group: u32,
    /// Whether the group's first shape is that of `b`.
    swapped: bool,
}

/// A distinct (shape, shape, relative pose, rule).
pub(super) struct Distinct {
    first: u32,
    second: u32,
    pose: Pose,
    limits: Limits,
    residual: f64,
}

type GroupKey = (u32, u32, [u64; 12], Option<u32>, u64);

pub(super) struct Run<'a> {
    pub assembly: &'a Assembly,
    pub settings: &'a Settings,
    pub shapes: &'a Shapes,
}

impl Run<'_> {
    fn limits(&self, rule: Option<u32>) -> Limits {
        let mut limits = Limits {
            tolerance: self.settings.tolerance,
            allow_depth: None,
            min_clearance: None,
            report_within: self.settings.report_within,
        };
        match rule.map(|r| self.assembly.rules[r as usize].verb) {
            Some(Verb::AllowDepth(d)) => limits.allow_depth = Some(d),
            Some(Verb::MinClearance(c)) => limits.min_clearance = Some(c),
            Some(Verb::Ignore) | None => {}
        }
        limits
    }

    /// The pair in the order and pose that its content alone decides: whether it is swapped, the shapes and the pose.
    fn canonical(&self, c: &Candidate) -> (bool, u32, u32, Pose) {
        let (pa, pb) = (&self.shapes.placed[c.a as usize], &self.shapes.placed[c.b as usize]);
        let (sa, sb) = (&self.shapes.shapes[pa.shape as usize], &self.shapes.shapes[pb.shape as usize]);
        let size = sa.convex.diameter + sb.convex.diameter;
        let forward =
            || pose_key::rounded(&pose_key::relative(&pa.pose, &sa.convex.origin, &pb.pose, &sb.convex.origin), size);
        let backward =
            || pose_key::rounded(&pose_key::relative(&pb.pose, &sb.convex.origin, &pa.pose, &sa.convex.origin), size);
        if pa.shape < pb.shape {
            (false, pa.shape, pb.shape, forward())
        } else if pb.shape < pa.shape {
            (true, pb.shape, pa.shape, backward())
        } else {
            let (f, b) = (forward(), backward());
            let swapped = pose_key::bits(&b) < pose_key::bits(&f);
            (swapped, pa.shape, pa.shape, if swapped { b } else { f })
        }
    }

    #[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
    pub(super) fn group(&self, candidates: Vec<Candidate>) -> Groups {
        let canonical: Vec<_> = candidates.par_iter().map(|c| self.canonical(c)).collect();
        let mut index: std::collections::HashMap<GroupKey, u32, rapidhash::fast::RandomState> =
            std::collections::HashMap::default();
        let mut distinct = Vec::new();
        let members = candidates
            .into_iter()
            .zip(canonical)
            .map(|(c, (swapped, first, second, pose))| {
                let residual = self.shapes.placed[c.a as usize].residual + self.shapes.placed[c.b as usize].residual;
                let key = (first, second, pose_key::bits(&pose), c.rule, residual.to_bits());
                let group = *index.entry(key).or_insert_with(|| {
                    distinct.push(Distinct { first, second, pose, limits: self.limits(c.rule), residual });
                    distinct.len() as u32 - 1
                });
                Member { a: c.a, b: c.b, rule: c.rule, group, swapped }
            })
            .collect();
        Groups { candidates: members, distinct }
    }

    pub(super) fn answers(&self, groups: &Groups, progress: &dyn Progress) -> Vec<Answer> {
        groups
            .distinct
            .par_iter()
            .map_init(EpaScratch::default, |scratch, d| {
                let answer = PairQuery {
                    first: &self.shapes.shapes[d.first as usize],
                    second: &self.shapes.shapes[d.second as usize],
                    pose: &d.pose,
                    limits: &d.limits,
                    residual: d.residual,
                    verdict_only: self.settings.verdict_only,
                }
                .answer(scratch);
                progress.advance(1);
                answer
            })
            .collect()
    }

    /// Counts every pair and lists those that belong in the report, sorted by id.
    pub(super) fn outcomes(&self, groups: &Groups, answers: &[Answer], tally: &mut Tally) -> Vec<PairOutcome> {
        let mut listed = Vec::new();
        for member in &groups.candidates {
            let answer = &answers[member.group as usize];
            tally.add(answer);
            let near = |limit: f64| answer.cleared_by.is_none() && answer.gap.is_some_and(|g| g <= limit);
            if answer.status != Status::Clear || self.settings.report_within.is_some_and(near) {
                listed.push(self.outcome(member, &groups.distinct[member.group as usize], answer));
            }
        }
        let id = |i: InstanceIx| self.assembly.instances[i.0 as usize].id.as_str();
        listed.par_sort_unstable_by(|p, q| id(p.a).cmp(id(q.a)).then_with(|| id(p.b).cmp(id(q.b))));
        listed
    }

    fn outcome(&self, member: &Member, distinct: &Distinct, answer: &Answer) -> PairOutcome {
        let first = if member.swapped { member.b } else { member.a };
        let second = if member.swapped { member.a } else { member.b };
        let placed = &self.shapes.placed[first as usize];
        let origin = &self.shapes.shapes[distinct.first as usize].convex.origin;
        let point = |p: Vec3| placed.pose.point(&(p + origin));
        let instances = &self.assembly.instances;
        // Of the two, `a` is the one whose id comes first.
        let flip = instances[second as usize].id < instances[first as usize].id;
        let turn = |v: Vec3| if flip { -placed.pose.direction(&v) } else { placed.pose.direction(&v) };
        let overlapping = answer.gap.is_some_and(|g| g < 0.0);
        PairOutcome {
            a: InstanceIx(if flip { second } else { first }),
            b: InstanceIx(if flip { first } else { second }),
            status: answer.status,
            relation: answer.relation.map(|r| if flip { r.swapped() } else { r }),
            certainty: answer.certainty,
            geometry: Geometry::Hull,
            gap: answer.gap,
            gap_bracket: answer.bracket,
            overlap_depth: answer.gap.map(|g| (-g).max(0.0)),
            penetration_depth: answer.penetration_depth,
            separating_translation: answer.translation.map(turn),
            closest_points: answer.witness.map(|[p, q]| if flip { [point(q), point(p)] } else { [point(p), point(q)] }),
            normal: answer.normal.map(turn),
            overlap_volume: None,
            overlap_box: None,
            // A convex hull has no concave edge, so nothing is allowed for.
            facet_allowance: overlapping.then_some(0.0),
            within_facet_error: false,
            rule: member.rule,
        }
    }
}
