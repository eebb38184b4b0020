//! Entry of all answers of the pairs with one first shape, since an answer is smaller than a file block.

use crate::check::cache::{Name, Session};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Largest number of rewrites of an entry that keep an unused answer.
const MAX_UNUSED: u8 = 8;

/// An answer and the key of its pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Record<A> {
    question: [u8; 16],
    /// Number of writes of the entry since the last use of the answer.
    unused: u8,
    answer: A,
}

/// Answers of all pairs with the same first shape.
#[derive(Debug)]
pub(crate) struct Bucket<A> {
    name: Name,
    /// Records sorted by `question`.
    records: Vec<Record<A>>,
    used: Vec<AtomicBool>,
    new: Mutex<Vec<Record<A>>>,
}

impl<A: Serialize + DeserializeOwned> Bucket<A> {
    pub(crate) fn read(session: &Session<'_>, name: Name) -> Self {
        let records: Vec<Record<A>> = session.get(&name).filter(|r: &Vec<Record<A>>| is_sorted(r)).unwrap_or_default();
        let used = records.iter().map(|_| AtomicBool::new(false)).collect();
        Self { name, records, used, new: Mutex::new(Vec::new()) }
    }

    /// Finds the record of a key, and its place.
    pub(crate) fn find(&self, question: [u8; 16]) -> Option<(usize, &A)> {
        let place = self.records.binary_search_by_key(&question, |r| r.question).ok()?;
        Some((place, &self.records[place].answer))
    }

    /// Marks the record at a place as used.
    pub(crate) fn mark_used(&self, place: usize) {
        self.used[place].store(true, Ordering::Relaxed);
    }

    /// Adds an answer.
    pub(crate) fn add(&self, question: [u8; 16], answer: A) {
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        new.push(Record { question, unused: 0, answer });
    }

    /// Writes the new records, the old ones, and those written by another run meanwhile.
    pub(crate) fn write(self, session: &Session<'_>) {
        let mut records = self.new.into_inner().unwrap_or_else(PoisonError::into_inner);
        if records.is_empty() {
            return;
        }
        let there = session.get::<Vec<Record<A>>>(&self.name).unwrap_or_default();
        let read = |r: &Record<A>| self.records.binary_search_by_key(&r.question, |old| old.question).is_ok();
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

fn is_sorted<A>(records: &[Record<A>]) -> bool {
    records.windows(2).all(|w| w[0].question < w[1].question)
}
