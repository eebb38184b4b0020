//! Selects the pairs of a shard.
//!
//! The content of the two shapes and their relative pose decide the shard of a pair, in each run anew. Equal pairs are
//! thus in one shard, and no answer is computed twice. Names, rules and settings leave the selection unchanged, so the
//! cache of a shard stays useful.

use crate::assembly::Assembly;
use crate::check::outcome::warnings::PlacedWarning;
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::canonical_pose;
use crate::check::pairs::distinct::{UniquePair, UniquePairs, canonical};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::Shapes;
use crate::check::{Outcome, RunStats};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One of N parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Number of the shard (1 to `of`).
    pub index: u32,
    /// Number of shards.
    pub of: u32,
}

impl Shard {
    /// Upper limit of N.
    pub const MAX_COUNT: u32 = 100_000;

    /// Returns true for an existing shard.
    pub fn is_valid(self) -> bool {
        (1..=self.of).contains(&self.index) && self.of <= Self::MAX_COUNT
    }

    /// Returns true if a pair with this hash belongs to the shard. The range of hashes is cut into N equal intervals.
    fn contains(self, hash: u64) -> bool {
        (u128::from(hash) * u128::from(self.of)) >> 64 == u128::from(self.index) - 1
    }
}

/// Candidate pairs of a whole run, with those of its poses and sweeps: their grown boxes meet, in a sweep somewhere on
/// the way, and no rule ignores them. Equal in all shards of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// Number of candidates.
    pub count: u64,
    /// Hash of the candidates and of their shard hashes (32 hexadecimal digits).
    pub hash: String,
}

impl Candidates {
    /// Describes pairs: two indices and the shard hash of each.
    fn describing(pairs: impl ExactSizeIterator<Item = (u32, u32, u64)>) -> Self {
        let count = pairs.len() as u64;
        let mut hasher = blake3::Hasher::new();
        let mut block = Vec::with_capacity(1 << 16);
        for (a, b, hash) in pairs {
            block.extend_from_slice(&a.to_le_bytes());
            block.extend_from_slice(&b.to_le_bytes());
            block.extend_from_slice(&hash.to_le_bytes());
            if block.len() >= 1 << 16 {
                hasher.update(&block);
                block.clear();
            }
        }
        hasher.update(&block);
        Self { count, hash: hasher.finalize().to_hex().as_str()[..32].to_owned() }
    }

    /// Candidates of the drawing and of a pose or sweep; of those before, and of one more.
    pub(crate) fn and(self, more: &Self) -> Self {
        let hash = blake3::hash([self.hash.as_bytes(), b" ", more.hash.as_bytes()].concat().as_slice());
        Self { count: self.count + more.count, hash: hash.to_hex().as_str()[..32].to_owned() }
    }
}

/// Result of one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardOutcome {
    /// The shard.
    pub shard: Shard,
    /// Candidates of all shards.
    pub candidates: Candidates,
    /// Warnings found by the shard; other shards share some of them.
    pub warnings: Vec<PlacedWarning>,
    /// Pairs, fixes, `counts` and `cleared_by` of the shard; all other fields are those of the whole run. Shard 1
    /// counts the pairs ignored or cleared by their axis-aligned boxes. Without warnings.
    pub outcome: Outcome,
    /// Statistics of the run. The partial report omits them.
    pub stats: RunStats,
}

impl UniquePairs {
    /// Selects the pairs of a shard, or all without one; the hash of the candidates is then empty.
    pub(crate) fn share_of(self, shapes: &Shapes, shard: Option<Shard>) -> (Self, Candidates) {
        let all = Candidates { count: self.candidates.len() as u64, hash: String::new() };
        match shard {
            Some(shard) => self.of_shard(shapes, shard),
            None => (self, all),
        }
    }

    /// Selects the pairs of a shard and describes the candidates of the whole run.
    pub(crate) fn of_shard(self, shapes: &Shapes, shard: Shard) -> (Self, Candidates) {
        let content: Vec<blake3::Hash> = shapes.all.iter().map(Shape::content).collect();
        let hashes: Vec<u64> = self.distinct.par_iter().map(|d| hash(d, &content)).collect();
        let candidates = Candidates::describing(self.candidates.iter().map(|m| (m.a, m.b, hashes[m.group as usize])));
        let mut kept = 0;
        // Index of each unique pair within the shard.
        let places: Vec<Option<u32>> = hashes
            .iter()
            .map(|hash| {
                let place = shard.contains(*hash).then_some(kept);
                kept += u32::from(place.is_some());
                place
            })
            .collect();
        let members = self.candidates.into_iter().filter_map(|mut member| {
            member.group = places[member.group as usize]?;
            Some(member)
        });
        let distinct = self.distinct.into_iter().zip(&places).filter_map(|(d, place)| place.map(|_| d));
        (Self { candidates: members.collect(), distinct: distinct.collect() }, candidates)
    }
}

/// Pairs of a sweep that belong to a shard.
pub(crate) struct SweptShare<'a> {
    shard: Option<Shard>,
    assembly: &'a Assembly,
    shapes: &'a Shapes,
    /// Content of each shape; empty without a shard.
    content: Vec<blake3::Hash>,
    /// Hash of the joint values of the sweep.
    definition: u64,
}

impl<'a> SweptShare<'a> {
    /// All pairs of a sweep.
    pub(crate) fn all(assembly: &'a Assembly, shapes: &'a Shapes) -> Self {
        Self { shard: None, assembly, shapes, content: Vec::new(), definition: 0 }
    }

    /// The share of a shard; all pairs without one.
    pub(crate) fn of(shard: Option<Shard>, assembly: &'a Assembly, shapes: &'a Shapes, definition: u64) -> Self {
        let content = shard.map(|_| shapes.all.iter().map(Shape::content).collect());
        Self { shard, assembly, shapes, content: content.unwrap_or_default(), definition }
    }

    /// True if the pair of two instances belongs to the shard.
    pub(crate) fn contains(&self, a: u32, b: u32) -> bool {
        self.shard.is_none_or(|shard| shard.contains(self.hash(a, b)))
    }

    /// Describes the pairs of the whole sweep; without a shard, the hash is empty.
    pub(crate) fn describe(&self, pairs: &[Candidate]) -> Candidates {
        if self.shard.is_none() {
            return Candidates { count: pairs.len() as u64, hash: String::new() };
        }
        let hashes: Vec<u64> = pairs.par_iter().map(|c| self.hash(c.a, c.b)).collect();
        Candidates::describing(pairs.iter().zip(hashes).map(|(c, hash)| (c.a, c.b, hash)))
    }

    /// Hash of the two shapes of a pair, their relative pose as drawn and the joint values of the sweep, equal on every
    /// machine.
    fn hash(&self, a: u32, b: u32) -> u64 {
        let (_, pair) = canonical(self.assembly, self.shapes, &Candidate { a, b, rule: None });
        let [low, high] = [hash(&pair, &self.content), self.definition].map(u64::to_le_bytes);
        first_bytes(&blake3::hash(&[low, high].concat()))
    }
}

/// Hash of two shapes and their relative pose, equal on every machine.
fn hash(pair: &UniquePair, content: &[blake3::Hash]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"interfere shard 1\0");
    for shape in [pair.first, pair.second] {
        hasher.update(content[shape as usize].as_bytes());
    }
    for number in canonical_pose::numbers(&pair.pose) {
        hasher.update(&number.to_le_bytes());
    }
    first_bytes(&hasher.finalize())
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_belongs_to_one_shard() {
        for of in [1, 2, 3, 7, 100, Shard::MAX_COUNT] {
            for hash in [0, 1, u64::MAX, u64::MAX / 2, u64::MAX / 7, 0x1234_5678_9abc_def0] {
                let holders: Vec<u32> = (1..=of).filter(|&index| Shard { index, of }.contains(hash)).collect();
                assert_eq!(holders.len(), 1, "{hash:x} of {of}: {holders:?}");
            }
        }
    }

    #[test]
    fn shard_index_must_be_within_count() {
        for (index, of, valid) in [(1, 1, true), (7, 7, true), (0, 7, false), (8, 7, false), (1, 0, false)] {
            assert_eq!(Shard { index, of }.is_valid(), valid, "{index}/{of}");
        }
        assert!(!Shard { index: 1, of: Shard::MAX_COUNT + 1 }.is_valid());
    }
}
