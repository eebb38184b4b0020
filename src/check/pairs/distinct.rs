//! Finds the unique pairs among the candidates: equal pairs share one answer.

use crate::assembly::Assembly;
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::canonical_pose;
use crate::check::prepare::shapes::{PlacedInstance, Shapes};
use crate::geom::Pose;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Candidates and their unique pairs.
pub(crate) struct UniquePairs {
    pub candidates: Vec<PairRef>,
    pub distinct: Vec<UniquePair>,
}

pub(crate) struct PairRef {
    pub a: u32,
    pub b: u32,
    pub(crate) rule: Option<u32>,
    pub group: u32,
    /// True if the first shape of the unique pair is that of `b`.
    pub(crate) swapped: bool,
}

impl PairRef {
    /// Instance with the first shape of the unique pair.
    pub(crate) fn first(&self) -> u32 {
        if self.swapped { self.b } else { self.a }
    }
}

/// A unique pair: shape, shape, relative pose and rule.
pub(crate) struct UniquePair {
    pub first: u32,
    pub second: u32,
    pub pose: Pose,
    pub(crate) rule: Option<u32>,
    pub(crate) residual: f64,
}

impl UniquePair {
    /// Returns true if both pairs have the same answer: equal shapes, pose, rule and residual.
    fn equals(&self, o: &Self) -> bool {
        self.first == o.first
            && self.second == o.second
            && self.rule == o.rule
            && self.residual == o.residual
            && self.pose == o.pose
    }

    /// Hash for the table; only the distribution over slots depends on it.
    fn hash(&self) -> u64 {
        let names = u64::from(self.first) << 32 | u64::from(self.second);
        let seed = mix(names, u64::from(self.rule.unwrap_or(u32::MAX)));
        canonical_pose::numbers(&self.pose).into_iter().fold(seed, |h, e| mix(h, e.to_bits()))
    }

    /// Computes the fingerprint of [`PairOutcome::alike`](crate::check::PairOutcome::alike); `stamps` are those of the
    /// shapes.
    pub(crate) fn pose_fingerprint(&self, stamps: &[u64]) -> u64 {
        let seed = mix(mix(0, stamps[self.first as usize]), stamps[self.second as usize].rotate_left(1));
        canonical_pose::numbers(&self.pose).into_iter().fold(seed, |h, e| mix(h.rotate_left(7), e.to_bits()))
    }
}

/// Multiplies and folds one word into a hash.
fn mix(h: u64, word: u64) -> u64 {
    let product = u128::from(h ^ word) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

/// Hash table of unique pairs: open addressing over indices, linear probing, at most half full. It is never iterated,
/// so results are independent of its order.
struct UniquePairTable {
    slots: Vec<u32>,
}

impl UniquePairTable {
    const FREE: u32 = u32::MAX;

    fn with_room(n: usize) -> Self {
        Self { slots: vec![Self::FREE; (2 * n).next_power_of_two()] }
    }

    /// Finds the index of the equal pair; adds a missing pair.
    fn find(&mut self, pair: UniquePair, distinct: &mut Vec<UniquePair>) -> u32 {
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

/// Brings a pair into canonical order and pose, independent of names and file order. Returns true if the order is
/// swapped.
pub(crate) fn canonical(assembly: &Assembly, shapes: &Shapes, c: &Candidate) -> (bool, UniquePair) {
    canonical_at(assembly, shapes, c, &shapes.placed[c.a as usize])
}

/// Canonical pair with `a` placed at `pa`.
pub(crate) fn canonical_at(
    assembly: &Assembly,
    shapes: &Shapes,
    c: &Candidate,
    pa: &PlacedInstance,
) -> (bool, UniquePair) {
    let pb = &shapes.placed[c.b as usize];
    let (oa, ob) = (&shapes.origins[pa.shape as usize], &shapes.origins[pb.shape as usize]);
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
            let id = |i: u32| assembly.instances[i as usize].id.as_str();
            // Both views may have equal poses: then the ids decide, independent of the file order.
            let swapped = match canonical_pose::numbers(&b).partial_cmp(&canonical_pose::numbers(&f)) {
                Some(Ordering::Equal) => id(c.b) < id(c.a),
                order => order == Some(Ordering::Less),
            };
            (swapped, pa.shape, pa.shape, if swapped { b } else { f })
        }
    };
    let residual = canonical_pose::residual(pa.residual + pb.residual, &pose, size);
    (swapped, UniquePair { first, second, pose, rule: c.rule, residual })
}

/// Finds the unique pairs among the candidates.
pub(crate) fn unique_pairs(assembly: &Assembly, shapes: &Shapes, candidates: &[Candidate]) -> UniquePairs {
    let mut finder = UniquePairTable::with_room(candidates.len());
    let mut distinct = Vec::with_capacity(candidates.len().min(1 << 16));
    let mut members = Vec::with_capacity(candidates.len());
    // Work in blocks: the poses of most pairs stay in the CPU cache.
    let mut block_pairs: Vec<(bool, UniquePair)> = Vec::new();
    for block in candidates.chunks(4096) {
        block.par_iter().map(|c| canonical(assembly, shapes, c)).collect_into_vec(&mut block_pairs);
        for (c, (swapped, pair)) in block.iter().zip(block_pairs.drain(..)) {
            let group = finder.find(pair, &mut distinct);
            members.push(PairRef { a: c.a, b: c.b, rule: c.rule, group, swapped });
        }
    }
    UniquePairs { candidates: members, distinct }
}
