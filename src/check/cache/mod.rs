//! Keeps facts of parts, shapes and answers of pairs for the next run.
//!
//! A hash of all inputs of an entry is its name. An entry found is therefore equal to a computed one. A damaged entry
//! or an entry of another version counts as missing.
//!
//! - `key`: names of entries
//! - `frame`: bytes of an entry, with their hash
//! - `part`, `shape`, `answer`: stored forms
//! - `bucket`: one entry for all pairs of a first shape
//! - `sweep`: stored form of an answer over a sweep
//! - `pairs`: answers of pairs
//! - `store`: folder of entries

pub(crate) mod answer;
pub(crate) mod bucket;
pub(crate) mod frame;
pub(crate) mod key;
pub(crate) mod pairs;
pub(crate) mod part;
pub(crate) mod shape;
pub mod store;
pub(crate) mod sweep;

use crate::check::cache::store::Store;
use crate::error::{Warning, WarningCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use crate::check::cache::frame::Name;
pub(crate) use crate::check::cache::key::{Key, KeyHasher};
pub(crate) use crate::check::cache::pairs::{PairCache, PairKey};
pub(crate) use crate::check::cache::part::{StoredPart, part_key};
pub(crate) use crate::check::cache::shape::{StoredShape, shape_key};

/// Number of entries found and not found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// Results taken from the cache.
    pub hits: u64,
    /// Results computed.
    pub misses: u64,
}

/// Use of the cache by a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Meshes of files or of the caller: read, repaired and measured.
    pub parts: Hits,
    /// Hulls, boxes and convex pieces.
    pub shapes: Hits,
    /// Unique pairs among the candidates.
    pub pairs: Hits,
    /// Queries about the effect of a [`Fix`](super::Fix) on other pairs.
    pub fixes: Hits,
    /// Pairs over a sweep beyond their balls, and worst poses of sweeps.
    pub sweeps: Hits,
}

/// Kind of a cached result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Parts,
    Shapes,
    Pairs,
    Fixes,
    Sweeps,
}

/// The cache during one run.
#[derive(Debug)]
pub(crate) struct Session<'s> {
    store: &'s dyn Store,
    /// Hits and misses of each kind.
    counts: [[AtomicU64; 2]; 5],
    /// First error of a write; further writes are skipped.
    problem: OnceLock<String>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(store: &'s dyn Store) -> Self {
        Self { store, counts: Default::default(), problem: OnceLock::new() }
    }

    /// Reads the entry of a name, if it is intact.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &Name) -> Option<T> {
        let bytes = self.store.read(&name.path())?;
        let (value, rest) = postcard::take_from_bytes(crate::check::cache::frame::content(&bytes, name)?).ok()?;
        rest.is_empty().then_some(value)
    }

    pub(crate) fn put(&self, name: &Name, value: &impl Serialize) {
        if self.problem.get().is_some() {
            return;
        }
        // Every stored value has bytes; skip the entry if a later type has none.
        let Ok(content) = postcard::to_allocvec(value) else { return };
        if let Err(e) = self.store.write(&name.path(), &crate::check::cache::frame::framed(&content, name)) {
            self.problem.get_or_init(|| e.to_string());
        }
    }

    pub(crate) fn count(&self, kind: Kind, hit: bool) {
        self.counts[kind as usize][usize::from(!hit)].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> CacheUse {
        let of = |kind: Kind| {
            let [hits, misses] = &self.counts[kind as usize];
            Hits { hits: hits.load(Ordering::Relaxed), misses: misses.load(Ordering::Relaxed) }
        };
        CacheUse {
            parts: of(Kind::Parts),
            shapes: of(Kind::Shapes),
            pairs: of(Kind::Pairs),
            fixes: of(Kind::Fixes),
            sweeps: of(Kind::Sweeps),
        }
    }

    /// Warning with the reason if the cache was not written.
    pub(crate) fn cache_warning(&self) -> Option<Warning> {
        let why = self.problem.get()?;
        let message = format!(
            "the run did not write its cache: {why}; name an empty or a new folder with --cache, or use --no-cache"
        );
        Some(Warning::new(WarningCode::CacheNotWritten, message))
    }
}

/// Code of a value: its index in the list.
fn code<T: PartialEq>(all: &[T], value: &T) -> Option<u8> {
    all.iter().position(|v| v == value).map(|place| place as u8)
}

/// Value of a code.
fn decoded<T: Copy>(all: &[T], code: u8) -> Option<T> {
    all.get(usize::from(code)).copied()
}
