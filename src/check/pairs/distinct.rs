//! Pairs that share one answer, the answers, and the rows they make.

use crate::assembly::{Assembly, InstanceIx, Verb};
use crate::check::cache::{Kind, PairCache, Wish};
use crate::check::pairs::canonical_pose;
use crate::check::prepare::shapes::{Placed, Shapes};
use crate::check::run::Candidate;
use crate::check::stages::intersection::{Firsts, Turns};
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::Steps;
use crate::check::stages::{Answer, PairQuery};
use crate::check::{Asked, PairOutcome, Progress, Settings, Status};
use crate::geom::{Pose, Vec3};
use crate::query::convex::epa::EpaScratch;
use crate::shape::self_union::asked;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Pairs that share one answer.
pub(crate) struct Groups {
    pub candidates: Vec<Member>,
    pub distinct: Vec<Distinct>,
}

pub(crate) struct Member {
    pub a: u32,
    pub b: u32,
    rule: Option<u32>,
    pub group: u32,
    /// Whether the group's first shape is that of `b`.
    swapped: bool,
}

impl Member {
    /// The instance of the group's first shape.
    pub(crate) fn first(&self) -> u32 {
        if self.swapped { self.b } else { self.a }
    }
}

/// A distinct (shape, shape, relative pose, rule).
pub(crate) struct Distinct {
    pub first: u32,
    pub second: u32,
    pub pose: Pose,
    rule: Option<u32>,
    residual: f64,
}

impl Distinct {
    /// Whether a pair of these shapes in this pose under this rule has the same answer.
    fn equals(&self, o: &Self) -> bool {
        self.first == o.first
            && self.second == o.second
            && self.rule == o.rule
            && self.residual == o.residual
            && self.pose == o.pose
    }

    fn wish<'q>(&self, query: &'q PairQuery<'q>, kind: Kind) -> Wish<'q> {
        Wish { shapes: [self.first, self.second], query, kind }
    }

    /// Multiplies and folds word by word; only the spread over slots depends on it.
    fn hash(&self) -> u64 {
        let names = u64::from(self.first) << 32 | u64::from(self.second);
        let seed = mix(names, u64::from(self.rule.unwrap_or(u32::MAX)));
        canonical_pose::numbers(&self.pose).into_iter().fold(seed, |h, e| mix(h, e.to_bits()))
    }

    /// See [`PairOutcome::alike`]; `stamps` are those of the shapes.
    fn alike(&self, stamps: &[u64]) -> u64 {
        let seed = mix(mix(0, stamps[self.first as usize]), stamps[self.second as usize].rotate_left(1));
        canonical_pose::numbers(&self.pose).into_iter().fold(seed, |h, e| mix(h.rotate_left(7), e.to_bits()))
    }
}

/// Multiplies and folds one more word into a hash.
fn mix(h: u64, word: u64) -> u64 {
    let product = u128::from(h ^ word) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

/// Finds the distinct pair that equals a given one: open addressing over indices, linear probing, at most half full. Never
/// iterated, so nothing depends on its order.
struct Finder {
    slots: Vec<u32>,
}

impl Finder {
    const FREE: u32 = u32::MAX;

    fn with_room(n: usize) -> Self {
        Self { slots: vec![Self::FREE; (2 * n).next_power_of_two()] }
    }

    /// The index of the equal pair, which is added where there is none.
    fn find(&mut self, pair: Distinct, distinct: &mut Vec<Distinct>) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = pair.hash() as usize & mask;
        loop {
            match self.slots[at] {
                Self::FREE => {
                    let index = distinct.len() as u32;
                    self.slots[at] = index;
                    distinct.push(pair);
                    return index;
                }
                index if distinct[index as usize].equals(&pair) => return index,
                _ => at = (at + 1) & mask,
            }
        }
    }
}

pub(crate) struct Run<'a> {
    pub assembly: &'a Assembly,
    pub settings: &'a Settings,
    pub shapes: &'a Shapes,
    pub cache: Option<&'a PairCache<'a>>,
}

impl Run<'_> {
    fn limits(&self, rule: Option<u32>) -> Limits {
        let mut limits = Limits {
            tolerance: self.settings.tolerance,
            allow_depth: None,
            min_clearance: None,
            report_within: self.settings.report_within,
            facets: self.settings.facets,
        };
        match rule.map(|r| self.assembly.rules[r as usize].verb) {
            Some(Verb::AllowDepth(d)) => limits.allow_depth = Some(d),
            Some(Verb::MinClearance(c)) => limits.min_clearance = Some(c),
            Some(Verb::Ignore) | None => {}
        }
        limits
    }

    /// The pair in the order and pose that its content alone decides, and whether that swaps it.
    fn canonical(&self, c: &Candidate) -> (bool, Distinct) {
        self.canonical_at(c, &self.shapes.placed[c.a as usize])
    }

    /// The same with `a` standing elsewhere.
    fn canonical_at(&self, c: &Candidate, pa: &Placed) -> (bool, Distinct) {
        let pb = &self.shapes.placed[c.b as usize];
        let (oa, ob) = (&self.shapes.origins[pa.shape as usize], &self.shapes.origins[pb.shape as usize]);
        let size = oa.diameter + ob.diameter;
        let forward =
            || canonical_pose::rounded(&canonical_pose::relative(&pa.pose, &oa.origin, &pb.pose, &ob.origin), size);
        let backward =
            || canonical_pose::rounded(&canonical_pose::relative(&pb.pose, &ob.origin, &pa.pose, &oa.origin), size);
        let (swapped, first, second, pose) = match pa.shape.cmp(&pb.shape) {
            Ordering::Less => (false, pa.shape, pb.shape, forward()),
            Ordering::Greater => (true, pb.shape, pa.shape, backward()),
            Ordering::Equal => {
                let (f, b) = (forward(), backward());
                let id = |i: u32| self.assembly.instances[i as usize].id.as_str();
                // Seen from either the pair may look the same; then the ids decide, never the order of the file.
                let swapped = match canonical_pose::numbers(&b).partial_cmp(&canonical_pose::numbers(&f)) {
                    Some(Ordering::Equal) => id(c.b) < id(c.a),
                    order => order == Some(Ordering::Less),
                };
                (swapped, pa.shape, pa.shape, if swapped { b } else { f })
            }
        };
        let residual = canonical_pose::residual(pa.residual + pb.residual, &pose, size);
        (swapped, Distinct { first, second, pose, rule: c.rule, residual })
    }

    pub(crate) fn group(&self, candidates: &[Candidate]) -> Groups {
        let mut finder = Finder::with_room(candidates.len());
        let mut distinct = Vec::with_capacity(candidates.len().min(1 << 16));
        let mut members = Vec::with_capacity(candidates.len());
        // In blocks, so that the poses of most pairs never leave the cache.
        let mut canonical: Vec<(bool, Distinct)> = Vec::new();
        for block in candidates.chunks(4096) {
            block.par_iter().map(|c| self.canonical(c)).collect_into_vec(&mut canonical);
            for (c, (swapped, pair)) in block.iter().zip(canonical.drain(..)) {
                let group = finder.find(pair, &mut distinct);
                members.push(Member { a: c.a, b: c.b, rule: c.rule, group, swapped });
            }
        }
        Groups { candidates: members, distinct }
    }

    /// Of pairs without a rule, then of each rule.
    fn all_limits(&self) -> Vec<Limits> {
        let rules = self.assembly.rules.len() as u32;
        std::iter::once(None).chain((0..rules).map(Some)).map(|r| self.limits(r)).collect()
    }

    /// Of each distinct pair what an earlier run has found.
    pub(crate) fn known(&self, groups: &Groups, firsts: &Firsts) -> Vec<Option<Answer>> {
        let Some(cache) = self.cache else { return vec![None; groups.distinct.len()] };
        let limits = self.all_limits();
        let of = |(group, d): (usize, &Distinct)| {
            let limits = &limits[d.rule.map_or(0, |r| r as usize + 1)];
            let query = self.query(d, limits, firsts.turns(group, &self.shapes.placed));
            cache.find(&d.wish(&query, Kind::Pairs))
        };
        groups.distinct.par_iter().enumerate().map(of).collect()
    }

    /// The trees of the triangles that pairs may ask for whose answers are not known: not of parts that stand alone, nor of those
    /// that only meet others whose hulls say all.
    pub(crate) fn prepare_surfaces(&self, groups: &Groups, known: &[Option<Answer>]) {
        let shapes = &self.shapes.all;
        let mut wanted = vec![false; shapes.len()];
        for (d, _) in groups.distinct.iter().zip(known).filter(|(_, known)| known.is_none()) {
            let [a, b] = [d.first as usize, d.second as usize];
            if !(shapes[a].is_hull && shapes[b].is_hull) {
                (wanted[a], wanted[b]) = (true, true);
            }
        }
        shapes.par_iter().zip(wanted).filter(|(_, wanted)| *wanted).for_each(|(shape, _)| {
            shape.exact();
        });
    }

    /// Of each distinct pair the answer; those that are known stay.
    pub(crate) fn answers(
        &self,
        groups: &Groups,
        firsts: &Firsts,
        known: Vec<Option<Answer>>,
        progress: &dyn Progress,
    ) -> Vec<Answer> {
        let limits = self.all_limits();
        groups
            .distinct
            .par_iter()
            .zip(known)
            .enumerate()
            .map_init(EpaScratch::default, |scratch, (group, (d, known))| {
                let answer = known.unwrap_or_else(|| {
                    let limits = &limits[d.rule.map_or(0, |r| r as usize + 1)];
                    let query = self.query(d, limits, firsts.turns(group, &self.shapes.placed));
                    self.computed(&d.wish(&query, Kind::Pairs), scratch)
                });
                progress.advance(1);
                answer
            })
            .collect()
    }

    /// Runs the stages, and keeps what they say.
    fn computed(&self, wish: &Wish, scratch: &mut EpaScratch) -> Answer {
        let mut answer = || wish.query.answer(scratch, &mut Steps::default());
        let Some(cache) = self.cache else { return answer() };
        let (answer, asked) = asked::listen(answer);
        cache.keep(wish, &answer, &asked);
        answer
    }

    fn query<'q>(&'q self, d: &'q Distinct, limits: &'q Limits, turns: Turns<'q>) -> PairQuery<'q> {
        PairQuery {
            first: &self.shapes.all[d.first as usize],
            second: &self.shapes.all[d.second as usize],
            pose: &d.pose,
            limits,
            residual: d.residual,
            turns,
            verdict_only: self.settings.verdict_only,
        }
    }

    /// The answer of a candidate whose `a` stands elsewhere.
    pub(crate) fn answer_at(&self, c: &Candidate, a: &Placed, verdict_only: bool) -> Answer {
        let (_, distinct) = self.canonical_at(c, a);
        let limits = self.limits(c.rule);
        let query = PairQuery { verdict_only, ..self.query(&distinct, &limits, Turns::default()) };
        let wish = distinct.wish(&query, Kind::Fixes);
        let known = self.cache.and_then(|cache| cache.find(&wish));
        known.unwrap_or_else(|| self.computed(&wish, &mut EpaScratch::default()))
    }

    /// What is held against a pair under a rule.
    pub(crate) fn asked(&self, [a, b]: [InstanceIx; 2], rule: Option<u32>) -> Asked {
        // The order decides nothing here.
        let (_, distinct) = self.canonical(&Candidate { a: a.0, b: b.0, rule });
        let limits = self.limits(rule);
        let query = self.query(&distinct, &limits, Turns::default());
        let tolerance = query.tolerance();
        Asked { tolerance, reach: Limits { tolerance, ..limits }.reach(), margin: query.margin() }
    }

    /// The row of one candidate and the way it came, exactly as a whole run computes it.
    pub(crate) fn explain(&self, candidate: &Candidate, steps: &mut Steps) -> PairOutcome {
        let groups = self.group(std::slice::from_ref(candidate));
        let limits = self.limits(candidate.rule);
        let (member, distinct) = (&groups.candidates[0], &groups.distinct[0]);
        let firsts = Firsts::of(&groups);
        let turns = firsts.turns(0, &self.shapes.placed);
        let answer = self.query(distinct, &limits, turns).answer(&mut EpaScratch::default(), steps);
        let row = self.outcome(member, distinct, &answer, &self.ranks());
        let first = if member.swapped { member.b } else { member.a };
        if row.a.0 != first {
            steps.swap();
        }
        row
    }

    /// The pairs that belong in the report, sorted by id.
    pub(crate) fn outcomes(&self, groups: &Groups, answers: &[Answer]) -> Vec<PairOutcome> {
        let rank = self.ranks();
        let mut listed = Vec::new();
        for member in &groups.candidates {
            let answer = &answers[member.group as usize];
            // The bracket holds the rounding margin: a gap that near to the limit is at the limit.
            let near = |limit: f64| answer.measured.as_ref().is_some_and(|m| m.bracket[0] <= limit);
            if answer.status != Status::Clear || self.settings.report_within.is_some_and(near) {
                listed.push(self.outcome(member, &groups.distinct[member.group as usize], answer, &rank));
            }
        }
        listed.par_sort_unstable_by_key(|p: &PairOutcome| (rank[p.a.0 as usize], rank[p.b.0 as usize]));
        listed
    }

    /// The place of every instance when ids are put in byte order.
    fn ranks(&self) -> Vec<u32> {
        let instances = &self.assembly.instances;
        let mut order: Vec<u32> = (0..instances.len() as u32).collect();
        order.par_sort_unstable_by(|&i, &j| instances[i as usize].id.cmp(&instances[j as usize].id));
        let mut rank = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&i, r)| rank[i as usize] = r);
        rank
    }

    fn outcome(&self, member: &Member, distinct: &Distinct, answer: &Answer, rank: &[u32]) -> PairOutcome {
        let first = member.first();
        let second = if member.swapped { member.a } else { member.b };
        let placed = &self.shapes.placed[first as usize];
        let origin = &self.shapes.origins[distinct.first as usize].origin;
        let point = |p: Vec3| placed.pose.point(&(p + origin));
        // Of the two, `a` is the one whose id comes first.
        let flip = rank[second as usize] < rank[first as usize];
        let turn = |v: Vec3| if flip { -placed.pose.direction(&v) } else { placed.pose.direction(&v) };
        let m = answer.measured.as_deref();
        let penetration = m.and_then(|m| m.penetration);
        let common = m.and_then(|m| m.common.as_ref());
        let slack = common.map(|_| self.query(distinct, &self.limits(None), Turns::default()).volume_slack());
        let relation = m.and_then(|m| m.relation);
        let gap = m.and_then(|m| m.gap);
        PairOutcome {
            a: InstanceIx(if flip { second } else { first }),
            b: InstanceIx(if flip { first } else { second }),
            status: answer.status,
            relation: relation.map(|r| if flip { r.swapped() } else { r }),
            certainty: answer.certainty,
            geometry: answer.geometry,
            gap,
            gap_bracket: m.map(|m| m.bracket),
            overlap_depth: gap.map(|g| (-g).max(0.0)),
            penetration_depth: penetration.map(|p| p.1),
            separating_translation: penetration.map(|p| turn(p.0)),
            closest_points: m.map(|m| if flip { [m.witness[1], m.witness[0]] } else { m.witness }.map(point)),
            normal: m.and_then(|m| m.normal).map(turn),
            overlap_volume: common.map(|c| c.volume),
            overlap_volume_slack: slack.map(|s| s[0]),
            overlap_volume_facets: slack.map(|s| s[1]),
            overlap_box: common.and_then(|c| c.root_box(&placed.pose.rotation, &point(Vec3::zeros()))),
            facet_allowance: answer.facet_allowance,
            within_facet_error: answer.within_facet_error,
            rule: member.rule,
            inputs: (answer.status == Status::Undecided || answer.status.fails() && gap.is_none())
                .then(|| self.inputs(distinct)),
            standing: None,
            accepted: None,
            alike: distinct.alike(&self.shapes.stamps),
        }
    }

    /// A hash of both shapes and how they lie to each other, whatever stands around them.
    fn inputs(&self, pair: &Distinct) -> u64 {
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
