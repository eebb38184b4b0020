//! Caches the answers of pairs: in one relative pose, and over sweeps.

use crate::assembly::Facets;
use crate::check::Settings;
use crate::check::cache::answer::StoredAnswer;
use crate::check::cache::bucket::Bucket;
use crate::check::cache::sweep::StoredSweep;
use crate::check::cache::{Key, KeyHasher, Kind, Name, Session};
use crate::check::motion::motion_key::numbers_of;
use crate::check::motion::sweep::{SweepAnswer, SweepQuery};
use crate::check::pairs::canonical_pose;
use crate::check::prepare::shapes::Shapes;
use crate::check::stages::limits::Limits;
use crate::check::stages::{Answer, PairQuery};
use crate::motion::{Chain, Segment};
use crate::shape::self_union::SelfUnion;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Lookup key of a pair.
pub(crate) struct PairKey<'q> {
    /// Indices of its shapes.
    pub shapes: [u32; 2],
    pub query: &'q PairQuery<'q>,
    /// [`Kind::Pairs`] for a row of the report, [`Kind::Sweeps`] for the worst pose of a sweep. [`Kind::Fixes`] for a
    /// query of a fix, without boxes.
    pub kind: Kind,
}

/// Cached answers of a run.
#[derive(Debug)]
pub(crate) struct PairCache<'s> {
    session: &'s Session<'s>,
    shapes: &'s Shapes,
    /// Key of the options shared by all pairs.
    common: KeyHasher,
    /// One bucket a shape, read on first use.
    buckets: Vec<OnceLock<Bucket<StoredAnswer>>>,
    /// The same for answers over sweeps.
    sweeps: Vec<OnceLock<Bucket<StoredSweep>>>,
}

impl<'s> PairCache<'s> {
    pub(crate) fn new(session: &'s Session<'s>, shapes: &'s Shapes, settings: &Settings) -> Self {
        let common = KeyHasher::new("pairs")
            .number(settings.tolerance)
            .optional(settings.report_within)
            .count(u64::from(settings.facets == Facets::Allow))
            .count(settings.measure as u64);
        let buckets = shapes.all.iter().map(|_| OnceLock::new()).collect();
        let sweeps = shapes.all.iter().map(|_| OnceLock::new()).collect();
        Self { session, shapes, common, buckets, sweeps }
    }

    fn bucket(&self, first: u32) -> &Bucket<StoredAnswer> {
        self.buckets[first as usize].get_or_init(|| Bucket::read(self.session, self.name("pairs", first)))
    }

    fn sweeps_of(&self, first: u32) -> &Bucket<StoredSweep> {
        self.sweeps[first as usize].get_or_init(|| Bucket::read(self.session, self.name("sweeps", first)))
    }

    /// Name of the entry of a first shape.
    fn name(&self, kind: &'static str, first: u32) -> Name {
        Name { kind, key: self.common.clone().bytes(&self.shapes.keys[first as usize]).key() }
    }

    /// Key of a pair within its first shape's bucket, without the rotations of the first shape.
    fn pair_key(&self, wish: &PairKey) -> [u8; 16] {
        let PairQuery { first: _, second: _, pose, limits, residual, turns: _, measure } = wish.query;
        let second: &Key = &self.shapes.keys[wish.shapes[1] as usize];
        // The bucket's own key contains the version and the first shape.
        let keyed = KeyHasher::default().bytes(second).numbers(&canonical_pose::numbers(pose)).number(*residual);
        limits_key(keyed, limits).count(*measure as u64).short()
    }

    /// Finds the answer of an earlier run. Also records the self-union results of that answer in the shapes.
    pub(crate) fn find(&self, wish: &PairKey) -> Option<Answer> {
        let found = self.look_up(wish);
        self.session.count(wish.kind, found.is_some());
        found
    }

    fn look_up(&self, wish: &PairKey) -> Option<Answer> {
        let bucket = self.bucket(wish.shapes[0]);
        let question = self.pair_key(wish);
        let (place, stored) = bucket.find(question)?;
        if wish.kind != Kind::Fixes && stored.turns().is_some_and(|t| *t != turns_hash(wish.query)) {
            return None;
        }
        let (answer, overlaps) = stored.restored()?;
        bucket.mark_used(place);
        self.learn(wish.shapes, overlaps);
        Some(answer)
    }

    /// Keeps an answer, with the self-union results that its computation used.
    pub(crate) fn store(&self, wish: &PairKey, answer: &Answer) {
        let of_shape = |shape: u32| self.shapes.all[shape as usize].overlaps();
        let overlaps = [0, 1].map(|k| if answer.used_self_union[k] { of_shape(wish.shapes[k]) } else { None });
        if let Some(answer) = StoredAnswer::of(answer, overlaps, || turns_hash(wish.query)) {
            self.bucket(wish.shapes[0]).add(self.pair_key(wish), answer);
        }
    }

    /// Records the self-union results of an earlier run in the shapes.
    fn learn(&self, shapes: [u32; 2], overlaps: [Option<SelfUnion>; 2]) {
        for (shape, overlaps) in shapes.iter().zip(overlaps) {
            if let Some(overlaps) = overlaps {
                self.shapes.all[*shape as usize].learn(overlaps);
            }
        }
    }

    /// Finds the answer of an earlier run over a sweep, as by [`Self::find`].
    pub(crate) fn find_sweep(&self, shapes: [u32; 2], query: &SweepQuery<'_>) -> Option<SweepAnswer> {
        let found = self.look_up_sweep(shapes, query);
        self.session.count(Kind::Sweeps, found.is_some());
        found
    }

    fn look_up_sweep(&self, shapes: [u32; 2], query: &SweepQuery<'_>) -> Option<SweepAnswer> {
        let bucket = self.sweeps_of(shapes[0]);
        let (place, stored) = bucket.find(self.sweep_key(shapes, query))?;
        let (answer, overlaps) = stored.restored()?;
        bucket.mark_used(place);
        self.learn(shapes, overlaps);
        Some(answer)
    }

    /// Keeps an answer over a sweep. Skips an answer without the self-union results that it depends on.
    pub(crate) fn store_sweep(&self, shapes: [u32; 2], query: &SweepQuery<'_>, answer: &SweepAnswer) {
        let [a, b] = shapes.map(|shape| self.shapes.all[shape as usize].overlaps());
        let overlaps = a.zip(b).map(|(a, b)| [a, b]);
        let stored = if answer.used_self_unions() {
            overlaps.and_then(|overlaps| StoredSweep::of(answer, Some(overlaps)))
        } else {
            StoredSweep::of(answer, None)
        };
        if let Some(stored) = stored {
            self.sweeps_of(shapes[0]).add(self.sweep_key(shapes, query), stored);
        }
    }

    /// Key of a pair over a sweep within its first shape's bucket.
    fn sweep_key(&self, shapes: [u32; 2], query: &SweepQuery<'_>) -> [u8; 16] {
        let SweepQuery { first: _, second: _, segments, limits, residual, tests, effort, curves } = query;
        let second: &Key = &self.shapes.keys[shapes[1] as usize];
        let keyed = limits_key(KeyHasher::default().bytes(second), limits)
            .number(*residual)
            .count(*tests)
            .count(*effort as u64)
            .count(*curves as u64)
            .count(segments.len() as u64);
        let add = |keyed: KeyHasher, (chain, segment): &(Chain, &Segment)| {
            let numbers = numbers_of(&chain.drawn, &chain.joints, |x| x);
            let ranges = segment.ranges.iter().flatten();
            let keyed = keyed.count(numbers.len() as u64).numbers(&numbers);
            keyed.count(segment.ranges.len() as u64).numbers(ranges)
        };
        segments.iter().fold(keyed, add).short()
    }

    /// Writes all new answers.
    pub(crate) fn write(self) {
        let session = self.session;
        self.buckets.into_par_iter().filter_map(OnceLock::into_inner).for_each(|bucket| bucket.write(session));
        self.sweeps.into_par_iter().filter_map(OnceLock::into_inner).for_each(|bucket| bucket.write(session));
    }
}

/// Adds the limits of a pair to its key.
fn limits_key(keyed: KeyHasher, limits: &Limits) -> KeyHasher {
    let Limits { tolerance, allow_depth, min_clearance, max_gap, report_within, gap_width, facets } = limits;
    keyed
        .number(*tolerance)
        .optional(*allow_depth)
        .optional(*min_clearance)
        .optional(*max_gap)
        .optional(*report_within)
        .optional(*gap_width)
        .count(u64::from(*facets == Facets::Allow))
}

fn turns_hash(query: &PairQuery) -> [u8; 16] {
    let turns = query.turns.distinct();
    let keyed = KeyHasher::new("turns").count(turns.len() as u64);
    turns.iter().fold(keyed, KeyHasher::matrix).short()
}
