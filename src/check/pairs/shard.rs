//! Part of a run: which pairs belong to which shard.
//!
//! A pair belongs to a shard by what it is: the content of its two shapes and how they stand to each other. Pairs that share an answer
//! are in one shard, so no answer is computed twice; names, rules and settings change nothing, so a shard's cache stays of use.

use crate::check::Outcome;
use crate::check::outcome::warnings::PlacedWarning;
use crate::check::pairs::canonical_pose;
use crate::check::pairs::distinct::{UniquePair, UniquePairs};
use crate::check::prepare::shapes::Shapes;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One of N parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// Which, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// As many shards as a run may have: more files than this nobody joins.
    pub const MAX_COUNT: u32 = 100_000;

    /// Whether there is such a shard.
    pub fn is_valid(self) -> bool {
        (1..=self.of).contains(&self.index) && self.of <= Self::MAX_COUNT
    }

    /// Whether a pair of that hash belongs to it: hashes are cut into N ranges of one length.
    fn contains(self, hash: u64) -> bool {
        (u128::from(hash) * u128::from(self.of)) >> 64 == u128::from(self.index) - 1
    }
}

/// The pairs of a whole run whose boxes meet and that no rule ignores; equal in all its shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// How many.
    pub count: u64,
    /// Which, and by which hashes they were given to shards: each belongs to one and only one. Hexadecimal.
    pub hash: String,
}

/// What one shard of a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardOutcome {
    /// Which.
    pub shard: Shard,
    /// What all shards together look at.
    pub candidates: Candidates,
    /// What the shard noticed; other shards notice some of it, too.
    pub warnings: Vec<PlacedWarning>,
    /// Pairs, fixes, `counts` and `cleared_by` are those of the shard alone, everything else that of the whole run. Pairs that are
    /// ignored or cleared by boxes along the axes are counted in shard 1. Without warnings.
    pub outcome: Outcome,
}

impl UniquePairs {
    /// What belongs to a shard, and what all shards together look at.
    pub(crate) fn of_shard(self, shapes: &Shapes, shard: Shard) -> (Self, Candidates) {
        let content: Vec<blake3::Hash> = shapes.all.iter().map(crate::check::prepare::shape::Shape::content).collect();
        let hashes: Vec<u64> = self.distinct.par_iter().map(|d| hash(d, &content)).collect();
        let mut hasher = blake3::Hasher::new();
        let mut block = Vec::with_capacity(1 << 16);
        for members in self.candidates.chunks(4096) {
            block.clear();
            for m in members {
                block.extend_from_slice(&m.a.to_le_bytes());
                block.extend_from_slice(&m.b.to_le_bytes());
                block.extend_from_slice(&hashes[m.group as usize].to_le_bytes());
            }
            hasher.update(&block);
        }
        let candidates = Candidates {
            count: self.candidates.len() as u64,
            hash: hasher.finalize().to_hex().as_str()[..32].to_owned(),
        };
        let mut kept = 0;
        // Of each group, its number in the shard.
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

/// Of what two shapes are and how they stand to each other: the same on every machine.
fn hash(pair: &UniquePair, content: &[blake3::Hash]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"interfere shard 1\0");
    for shape in [pair.first, pair.second] {
        hasher.update(content[shape as usize].as_bytes());
    }
    for number in canonical_pose::numbers(&pair.pose) {
        hasher.update(&number.to_le_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
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
    fn a_shard_is_one_of_them() {
        for (index, of, valid) in [(1, 1, true), (7, 7, true), (0, 7, false), (8, 7, false), (1, 0, false)] {
            assert_eq!(Shard { index, of }.is_valid(), valid, "{index}/{of}");
        }
        assert!(!Shard { index: 1, of: Shard::MAX_COUNT + 1 }.is_valid());
    }
}
