//! Caches the answers of pairs. All pairs with the same first shape share one entry, since an answer is smaller than a
//! file block.

use crate::assembly::Facets;
use crate::check::Settings;
use crate::check::cache::answer::StoredAnswer;
use crate::check::cache::{Key, KeyHasher, Kind, Name, Session};
use crate::check::pairs::canonical_pose;
use crate::check::prepare::shapes::Shapes;
use crate::check::stages::limits::Limits;
use crate::check::stages::{Answer, PairQuery};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Largest number of rewrites of an entry that keep an unused answer.
const MAX_UNUSED: u8 = 8;

/// An answer and the key of its pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Record {
    question: [u8; 16],
    /// Number of writes of the entry since the last use of the answer.
    unused: u8,
    answer: StoredAnswer,
}

/// Answers of all pairs with the same first shape.
#[derive(Debug)]
struct Bucket {
    name: Name,
    /// Records sorted by `question`.
    records: Vec<Record>,
    used: Vec<AtomicBool>,
    new: Mutex<Vec<Record>>,
}

impl Bucket {
    fn read(session: &Session, name: Name) -> Self {
        let records: Vec<Record> = session.get(&name).filter(|r: &Vec<Record>| is_sorted(r)).unwrap_or_default();
        let used = records.iter().map(|_| AtomicBool::new(false)).collect();
        Self { name, records, used, new: Mutex::new(Vec::new()) }
    }

    /// Writes the new records, the old ones, and those written by another run meanwhile.
    fn write(self, session: &Session) {
        let mut records = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        if records.is_empty() {
            return;
        }
        let there = session.get::<Vec<Record>>(&self.name).unwrap_or_default();
        let read = |r: &Record| self.records.binary_search_by_key(&r.question, |old| old.question).is_ok();
        records.extend(there.into_iter().filter(|r| !read(r)));
        for (mut record, used) in self.records.into_iter().zip(self.used) {
            record.unused = if used.into_inner() { 0 } else { record.unused.saturating_add(1) };
            if record.unused <= MAX_UNUSED {
                records.push(record);
            }
        }
        // The first of equal keys is the new record: keep it.
        records.sort_by_key(|r| r.question);
        records.dedup_by_key(|r| r.question);
        session.put(&self.name, &records);
    }
}

fn is_sorted(records: &[Record]) -> bool {
    records.windows(2).all(|w| w[0].question < w[1].question)
}

/// Lookup key of a pair.
pub(crate) struct PairKey<'q> {
    /// Indices of its shapes.
    pub shapes: [u32; 2],
    pub query: &'q PairQuery<'q>,
    /// [`Kind::Pairs`] for a row of the report. [`Kind::Fixes`] for a query of a fix, without boxes.
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
    buckets: Vec<OnceLock<Bucket>>,
}

impl<'s> PairCache<'s> {
    pub(crate) fn new(session: &'s Session<'s>, shapes: &'s Shapes, settings: &Settings) -> Self {
        let common = KeyHasher::new("pairs")
            .number(settings.tolerance)
            .optional(settings.report_within)
            .count(u64::from(settings.facets == Facets::Allow))
            .count(settings.measure as u64);
        Self { session, shapes, common, buckets: shapes.all.iter().map(|_| OnceLock::new()).collect() }
    }

    fn bucket(&self, first: u32) -> &Bucket {
        self.buckets[first as usize].get_or_init(|| {
            let key = self.common.clone().bytes(&self.shapes.keys[first as usize]).key();
            Bucket::read(self.session, Name { kind: "pairs", key })
        })
    }

    /// Key of a pair within its first shape's bucket, without the rotations of the first shape.
    fn pair_key(&self, wish: &PairKey) -> [u8; 16] {
        let PairQuery { first: _, second: _, pose, limits, residual, turns: _, measure } = wish.query;
        let Limits { tolerance, allow_depth, min_clearance, max_gap, report_within, facets } = limits;
        let second: &Key = &self.shapes.keys[wish.shapes[1] as usize];
        // The bucket's own key contains the version and the first shape.
        KeyHasher::default()
            .bytes(second)
            .numbers(&canonical_pose::numbers(pose))
            .numbers([tolerance, residual])
            .optional(*allow_depth)
            .optional(*min_clearance)
            .optional(*max_gap)
            .optional(*report_within)
            .count(u64::from(*facets == Facets::Allow))
            .count(*measure as u64)
            .short()
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
        let place = bucket.records.binary_search_by_key(&question, |r| r.question).ok()?;
        let stored = &bucket.records[place].answer;
        if wish.kind == Kind::Pairs && stored.turns().is_some_and(|t| *t != turns_hash(wish.query)) {
            return None;
        }
        let (answer, overlaps) = stored.restored()?;
        bucket.used[place].store(true, Ordering::Relaxed);
        for (shape, overlaps) in wish.shapes.iter().zip(overlaps) {
            if let Some(overlaps) = overlaps {
                self.shapes.all[*shape as usize].learn(overlaps);
            }
        }
        Some(answer)
    }

    /// Keeps an answer, with the self-union results that its computation used.
    pub(crate) fn store(&self, wish: &PairKey, answer: &Answer) {
        let of_shape = |shape: u32| self.shapes.all[shape as usize].overlaps();
        let overlaps = [0, 1].map(|k| if answer.used_self_union[k] { of_shape(wish.shapes[k]) } else { None });
        if let Some(answer) = StoredAnswer::of(answer, overlaps, || turns_hash(wish.query)) {
            let record = Record { question: self.pair_key(wish), unused: 0, answer };
            let mut new = self.bucket(wish.shapes[0]).new.lock().unwrap_or_else(PoisonError::into_inner);
            new.push(record);
        }
    }

    /// Writes all new answers.
    pub(crate) fn write(self) {
        let session = self.session;
        self.buckets.into_par_iter().filter_map(OnceLock::into_inner).for_each(|bucket| bucket.write(session));
    }
}

fn turns_hash(query: &PairQuery) -> [u8; 16] {
    let turns = query.turns.distinct();
    let keyed = KeyHasher::new("turns").count(turns.len() as u64);
    turns.iter().fold(keyed, KeyHasher::matrix).short()
}
