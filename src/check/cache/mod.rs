//! What a run keeps for the next one: facts of parts, shapes, answers of pairs. Every entry is named by a hash of all that it
//! follows from, so that what is found is what would be computed; an entry that is damaged, or of another version, is not found.

pub(crate) mod answer;
pub(crate) mod frame;
pub(crate) mod key;
pub(crate) mod pairs;
pub(crate) mod part;
pub(crate) mod shape;
pub mod store;

use crate::check::cache::store::Store;
use crate::error::Warning;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use crate::check::cache::frame::Name;
pub(crate) use crate::check::cache::key::{Key, KeyHasher};
pub(crate) use crate::check::cache::pairs::{PairCache, PairKey};
pub(crate) use crate::check::cache::part::{StoredPart, part_key};
pub(crate) use crate::check::cache::shape::{StoredShape, shape_key};

/// How often something was found in the cache, and how often not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// Taken from the cache.
    pub hits: u64,
    /// Computed.
    pub misses: u64,
}

/// What a run took from its cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Mesh files, or meshes handed in by the caller: read, joined and judged.
    pub parts: Hits,
    /// Hulls, boxes and convex pieces.
    pub shapes: Hits,
    /// Distinct pairs among those that survived the axis-aligned boxes.
    pub pairs: Hits,
    /// What was asked to find out what a [`Fix`](super::Fix) does to other pairs.
    pub fixes: Hits,
}

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Parts,
    Shapes,
    Pairs,
    Fixes,
}

/// The cache of one run.
#[derive(Debug)]
pub(crate) struct Session<'s> {
    store: &'s dyn Store,
    /// Of each kind hits and misses.
    counts: [[AtomicU64; 2]; 4],
    /// Why an entry could not be written: then no other is tried.
    problem: OnceLock<String>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(store: &'s dyn Store) -> Self {
        Self { store, counts: Default::default(), problem: OnceLock::new() }
    }

    /// The entry of that name, if it is whole.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &Name) -> Option<T> {
        let bytes = self.store.read(&name.path())?;
        let (value, rest) = postcard::take_from_bytes(crate::check::cache::frame::content(&bytes, name)?).ok()?;
        rest.is_empty().then_some(value)
    }

    pub(crate) fn put(&self, name: &Name, value: &impl Serialize) {
        if self.problem.get().is_some() {
            return;
        }
        // What cannot be written as bytes is not kept: there is no such value.
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
        CacheUse { parts: of(Kind::Parts), shapes: of(Kind::Shapes), pairs: of(Kind::Pairs), fixes: of(Kind::Fixes) }
    }

    /// That the next run will not find what this one computed, and why.
    pub(crate) fn not_kept(&self) -> Option<Warning> {
        let why = self.problem.get()?;
        let message =
            format!("results were not kept for the next run: {why}; name another folder with --cache or leave it out");
        Some(Warning::new("cache-not-written", message))
    }
}

/// The place of a value in a list, as it is stored.
fn code<T: PartialEq>(all: &[T], value: &T) -> Option<u8> {
    all.iter().position(|v| v == value).map(|place| place as u8)
}

/// The value at a place.
fn decoded<T: Copy>(all: &[T], code: u8) -> Option<T> {
    all.get(usize::from(code)).copied()
}
