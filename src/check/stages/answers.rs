//! Answers the unique pairs of a run, from the cache or through the stages.

use crate::assembly::{Assembly, InstanceIx, RuleAction};
use crate::check::cache::{Kind, PairCache, PairKey};
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::distinct::canonical;
use crate::check::pairs::distinct::canonical_at;
use crate::check::pairs::distinct::{UniquePair, UniquePairs};
use crate::check::pairs::rotations::{RotationIndex, Rotations};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::{PlacedInstance, Shapes};
use crate::check::stages::limits::Limits;
use crate::check::stages::trace::Trace;
use crate::check::stages::{Answer, PairQuery};
use crate::check::{Measure, PairLimits, Progress, Settings, Stage, Stopwatch, Timings};
use crate::geom::Aabb;
use crate::geom::math::lesser;
use crate::query::convex::epa::EpaScratch;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Checker<'a> {
    pub assembly: &'a Assembly,
    pub settings: &'a Settings,
    pub shapes: &'a Shapes,
    pub cache: Option<&'a PairCache<'a>>,
    /// Number of instances within the tolerance of each instance, by their boxes, in the whole run.
    pub neighbours: &'a [u32],
}

impl Checker<'_> {
    pub(crate) fn limits(&self, rule: Option<u32>) -> Limits {
        let mut limits = Limits {
            tolerance: self.settings.tolerance,
            allow_depth: None,
            min_clearance: None,
            max_gap: rule.and_then(|r| self.assembly.rules[r as usize].max_gap),
            report_within: self.settings.report_within,
            gap_width: self.settings.gap_width,
            facets: self.settings.facets,
        };
        match rule.map(|r| self.assembly.rules[r as usize].verb) {
            Some(RuleAction::AllowDepth(d)) => limits.allow_depth = Some(d),
            Some(RuleAction::MinClearance(c)) => limits.min_clearance = Some(c),
            Some(RuleAction::Ignore | RuleAction::Grade) | None => {}
        }
        limits
    }

    /// Limits of pairs without a rule, then those of each rule.
    fn all_limits(&self) -> Vec<Limits> {
        let rules = self.assembly.rules.len() as u32;
        std::iter::once(None).chain((0..rules).map(Some)).map(|r| self.limits(r)).collect()
    }

    /// Finds the cached answers of the unique pairs.
    pub(crate) fn known(&self, groups: &UniquePairs, firsts: &RotationIndex) -> Vec<Option<Answer>> {
        let Some(cache) = self.cache else { return vec![None; groups.distinct.len()] };
        let limits = self.all_limits();
        let of = |(group, d): (usize, &UniquePair)| {
            let limits = &limits[d.rule.map_or(0, |r| r as usize + 1)];
            let query = self.query(d, limits, firsts.rotations_of(group, &self.shapes.placed));
            cache.find(&pair_key(d, &query, Kind::Pairs))
        };
        groups.distinct.par_iter().enumerate().map(of).collect()
    }

    /// Builds the deferred hulls that pairs without a cached answer need.
    fn build_hulls(&self, groups: &UniquePairs, known: &[Option<Answer>]) {
        let shapes = &self.shapes.all;
        let limits = self.all_limits();
        let mut wanted = vec![false; shapes.len()];
        for (d, _) in groups.distinct.iter().zip(known).filter(|(_, known)| known.is_none()) {
            let [a, b] = [d.first as usize, d.second as usize];
            let waits = |k: usize| shapes[k].defers_hull() && !wanted[k];
            let query = || self.query(d, &limits[d.rule.map_or(0, |r| r as usize + 1)], Rotations::default());
            if (waits(a) || waits(b)) && !query().inner_hulls_meet() {
                (wanted[a], wanted[b]) = (true, true);
            }
        }
        shapes.par_iter().zip(wanted).filter(|(_, wanted)| *wanted).for_each(|(shape, _)| {
            shape.convex();
        });
    }

    /// Prepares the triangle trees of pairs without a cached answer. Skips isolated parts and pairs of two hulls.
    pub(crate) fn prepare_surfaces(&self, groups: &UniquePairs, known: &[Option<Answer>]) {
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

    /// Computes the missing answers; returns one answer for each unique pair.
    pub(crate) fn answers(
        &self,
        groups: &UniquePairs,
        firsts: &RotationIndex,
        known: Vec<Option<Answer>>,
        progress: &dyn Progress,
    ) -> Vec<Answer> {
        let limits = self.all_limits();
        let answers: Vec<OnceLock<Answer>> =
            known.into_iter().map(|a| a.map_or_else(OnceLock::new, OnceLock::from)).collect();
        let compute = |group: usize, scratch: &mut EpaScratch| {
            let d = &groups.distinct[group];
            let limits = &limits[d.rule.map_or(0, |r| r as usize + 1)];
            let query = self.query(d, limits, firsts.rotations_of(group, &self.shapes.placed));
            self.computed(&pair_key(d, &query, Kind::Pairs), scratch)
        };
        let order = self.costliest_first(groups);
        let next = AtomicUsize::new(0);
        let names = if progress.follows_pairs() { self.names(groups) } else { Vec::new() };
        let work = |worker: usize| {
            let mut scratch = EpaScratch::default();
            while let Some(&group) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let group = group as usize;
                answers[group].get_or_init(|| {
                    names.get(group).inspect(|ids| progress.begin_pair(worker, **ids));
                    let answer = compute(group, &mut scratch);
                    names.get(group).inspect(|_| progress.end_pair(worker));
                    answer
                });
                progress.advance(1);
            }
        };
        let work = &work;
        let workers = 0..rayon::current_num_threads();
        rayon::scope(|scope| workers.for_each(|worker| scope.spawn(move |_| work(worker))));
        // Each pair keeps its place, even if a worker left it out.
        let answer = |(group, answer): (usize, OnceLock<Answer>)| {
            answer.into_inner().unwrap_or_else(|| compute(group, &mut EpaScratch::default()))
        };
        answers.into_iter().enumerate().map(answer).collect()
    }

    /// Ids of two instances of each unique pair: its first candidate.
    fn names(&self, groups: &UniquePairs) -> Vec<[&str; 2]> {
        let mut names = vec![["", ""]; groups.distinct.len()];
        for pair in groups.candidates.iter().rev() {
            names[pair.group as usize] = [pair.a, pair.b].map(|i| self.assembly.instances[i as usize].id.as_str());
        }
        names
    }

    /// Indices of the unique pairs by falling expected cost: a long pair begun last would run alone. The cost is the
    /// number of triangles in the common box of both parts, if they spread evenly over their boxes.
    fn costliest_first(&self, groups: &UniquePairs) -> Vec<u32> {
        let cost = |d: &UniquePair| {
            let [a, b] = [d.first, d.second].map(|s| &self.shapes.all[s as usize]);
            if a.is_hull && b.is_hull {
                return 0.0;
            }
            let reach = 0.5 * b.inner().aabb.diagonal();
            let middle = d.pose.point(&b.inner().aabb.center());
            let there = Aabb { min: middle, max: middle }.inflated(reach);
            let common = a.inner().aabb.intersection(&there).diagonal();
            let share = |s: &Shape| lesser(common / s.inner().aabb.diagonal(), 1.0) * s.triangle_count() as f64;
            share(a) + share(b)
        };
        let costs: Vec<f64> = groups.distinct.iter().map(cost).collect();
        let mut order: Vec<u32> = (0..costs.len() as u32).collect();
        order.sort_by(|x, y| costs[*y as usize].total_cmp(&costs[*x as usize]));
        order
    }

    /// Runs the stages and caches the answer.
    pub(crate) fn computed(&self, wish: &PairKey, scratch: &mut EpaScratch) -> Answer {
        self.traced(wish, scratch, &mut Trace::default())
    }

    /// Runs the stages, with their trace, and caches the answer.
    pub(crate) fn traced(&self, wish: &PairKey, scratch: &mut EpaScratch, steps: &mut Trace) -> Answer {
        let answer = wish.query.answer(scratch, steps);
        if let Some(cache) = self.cache {
            cache.store(wish, &answer);
        }
        answer
    }

    pub(crate) fn query<'q>(&'q self, d: &'q UniquePair, limits: &'q Limits, turns: Rotations<'q>) -> PairQuery<'q> {
        PairQuery {
            first: &self.shapes.all[d.first as usize],
            second: &self.shapes.all[d.second as usize],
            pose: &d.pose,
            limits,
            residual: d.residual,
            turns,
            measure: self.settings.measure,
        }
    }

    /// Answers a candidate under other limits, with `a` placed elsewhere.
    pub(crate) fn answer_at(&self, c: &Candidate, a: &PlacedInstance, limits: &Limits, measure: Measure) -> Answer {
        let (_, distinct) = canonical_at(self.assembly, self.shapes, c, a);
        let query = PairQuery { measure, ..self.query(&distinct, limits, Rotations::default()) };
        let wish = pair_key(&distinct, &query, Kind::Fixes);
        let known = self.cache.and_then(|cache| cache.find(&wish));
        known.unwrap_or_else(|| self.computed(&wish, &mut EpaScratch::default()))
    }

    /// Limits of a pair under a rule.
    pub(crate) fn asked(&self, [a, b]: [InstanceIx; 2], rule: Option<u32>) -> PairLimits {
        // The order of the pair does not change its limits.
        let (_, distinct) = canonical(self.assembly, self.shapes, &Candidate { a: a.0, b: b.0, rule });
        let limits = self.limits(rule);
        let query = self.query(&distinct, &limits, Rotations::default());
        let limits = query.own_limits();
        PairLimits { tolerance: limits.tolerance, reach: limits.max_distance(), margin: query.margin() }
    }
}

impl Checker<'_> {
    /// Computes the answer of each unique pair.
    pub(crate) fn answer_groups(
        &self,
        groups: &UniquePairs,
        watch: &mut Stopwatch,
        timings: &mut Timings,
        progress: &dyn Progress,
    ) -> Vec<Answer> {
        let firsts = RotationIndex::of(groups);
        let known = self.known(groups, &firsts);
        watch.stop(Stage::Narrow, timings);
        self.build_hulls(groups, &known);
        self.prepare_surfaces(groups, &known);
        watch.stop(Stage::Shape, timings);
        progress.begin(Stage::Narrow, groups.distinct.len() as u64);
        self.answers(groups, &firsts, known, progress)
    }
}

/// Cache key of a unique pair.
fn pair_key<'q>(pair: &UniquePair, query: &'q PairQuery<'q>, kind: Kind) -> PairKey<'q> {
    PairKey { shapes: [pair.first, pair.second], query, kind }
}
