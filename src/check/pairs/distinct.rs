//! Pairs that share one answer, the answers, and the rows they make.

use crate::check::cache::{Kind, PairKey};
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::canonical_pose;
use crate::check::prepare::shapes::PlacedInstance;
use crate::check::stages::PairQuery;
use crate::check::stages::answers::Checker;
use crate::geom::Pose;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Pairs that share one answer.
pub(crate) struct UniquePairs {
    pub candidates: Vec<PairRef>,
    pub distinct: Vec<UniquePair>,
}

pub(crate) struct PairRef {
    pub a: u32,
    pub b: u32,
    pub(crate) rule: Option<u32>,
    pub group: u32,
    /// Whether the group's first shape is that of `b`.
    pub(crate) swapped: bool,
}

impl PairRef {
    /// The instance of the group's first shape.
    pub(crate) fn first(&self) -> u32 {
        if self.swapped { self.b } else { self.a }
    }
}

/// A distinct (shape, shape, relative pose, rule).
pub(crate) struct UniquePair {
    pub first: u32,
    pub second: u32,
    pub pose: Pose,
    pub(crate) rule: Option<u32>,
    pub(crate) residual: f64,
}

impl UniquePair {
    /// Whether a pair of these shapes in this pose under this rule has the same answer.
    fn equals(&self, o: &Self) -> bool {
        self.first == o.first
            && self.second == o.second
            && self.rule == o.rule
            && self.residual == o.residual
            && self.pose == o.pose
    }

    pub(crate) fn key_with<'q>(&self, query: &'q PairQuery<'q>, kind: Kind) -> PairKey<'q> {
        PairKey { shapes: [self.first, self.second], query, kind }
    }

    /// Multiplies and folds word by word; only the spread over slots depends on it.
    fn hash(&self) -> u64 {
        let names = u64::from(self.first) << 32 | u64::from(self.second);
        let seed = mix(names, u64::from(self.rule.unwrap_or(u32::MAX)));
        canonical_pose::numbers(&self.pose).into_iter().fold(seed, |h, e| mix(h, e.to_bits()))
    }

    /// See [`PairOutcome::alike`]; `stamps` are those of the shapes.
    pub(crate) fn pose_fingerprint(&self, stamps: &[u64]) -> u64 {
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
struct UniquePairTable {
    slots: Vec<u32>,
}

impl UniquePairTable {
    const FREE: u32 = u32::MAX;

    fn with_room(n: usize) -> Self {
        Self { slots: vec![Self::FREE; (2 * n).next_power_of_two()] }
    }

    /// The index of the equal pair, which is added where there is none.
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

impl Checker<'_> {
    /// The pair in the order and pose that its content alone decides, and whether that swaps it.
    pub(crate) fn canonical(&self, c: &Candidate) -> (bool, UniquePair) {
        self.canonical_at(c, &self.shapes.placed[c.a as usize])
    }

    /// The same with `a` standing elsewhere.
    pub(crate) fn canonical_at(&self, c: &Candidate, pa: &PlacedInstance) -> (bool, UniquePair) {
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
        (swapped, UniquePair { first, second, pose, rule: c.rule, residual })
    }

    pub(crate) fn unique_pairs(&self, candidates: &[Candidate]) -> UniquePairs {
        let mut finder = UniquePairTable::with_room(candidates.len());
        let mut distinct = Vec::with_capacity(candidates.len().min(1 << 16));
        let mut members = Vec::with_capacity(candidates.len());
        // In blocks, so that the poses of most pairs never leave the cache.
        let mut canonical: Vec<(bool, UniquePair)> = Vec::new();
        for block in candidates.chunks(4096) {
            block.par_iter().map(|c| self.canonical(c)).collect_into_vec(&mut canonical);
            for (c, (swapped, pair)) in block.iter().zip(canonical.drain(..)) {
                let group = finder.find(pair, &mut distinct);
                members.push(PairRef { a: c.a, b: c.b, rule: c.rule, group, swapped });
            }
        }
        UniquePairs { candidates: members, distinct }
    }
}
