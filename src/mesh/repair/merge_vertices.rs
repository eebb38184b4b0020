//! Merges vertices by position: equal bits, with −0.0 equal to 0.0. Numbers follow the order of first appearance, so
//! the result depends on the input alone and never on the hash.

use crate::geom::Vec3;

/// An open-addressing table from positions to vertex numbers, with linear probing. The upper half of a slot is the
/// hash, the lower half the vertex number plus one; 0 marks an empty slot.
#[derive(Debug)]
pub(crate) struct VertexMerger {
    vertices: Vec<Vec3>,
    table: Vec<u64>,
    /// Length of the table (log2).
    bits: u32,
}

/// Number of positions looked up together.
pub(crate) const BLOCK: usize = 192;

/// Least length of a table (log2).
const MIN_TABLE_BITS: u32 = 8;

impl VertexMerger {
    /// Creates a table for about `expected` distinct positions; it grows on demand. The caller bounds `expected` by the
    /// size of its input.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let slots = (expected.max(1) * 2).next_power_of_two();
        let bits = slots.trailing_zeros().clamp(MIN_TABLE_BITS, 32);
        Self { vertices: Vec::with_capacity(expected + expected / 16), table: vec![0; 1 << bits], bits }
    }

    /// Returns the number of this position, a new one at its first appearance.
    #[inline]
    pub(crate) fn add(&mut self, p: Vec3) -> u32 {
        let p = canonical(p);
        self.add_hashed(p, hash(&p))
    }

    /// Appends the numbers of these positions to `numbers`. Faster than one by one: in a large mesh nearly every
    /// look-up misses the caches, and the look-ups of a block overlap.
    pub(crate) fn add_all(&mut self, points: &[Vec3], numbers: &mut Vec<u32>) {
        let mut hashes = [0; BLOCK];
        for block in points.chunks(BLOCK) {
            for (h, p) in hashes.iter_mut().zip(block) {
                *h = hash(&canonical(*p));
            }
            let slots = hashes[..block.len()].iter().map(|h| (u64::from(*h) >> (32 - self.bits)) as usize);
            std::hint::black_box(slots.fold(0, |touched, slot| touched ^ self.table[slot]));
            numbers.extend(block.iter().zip(&hashes).map(|(p, h)| self.add_hashed(canonical(*p), *h)));
        }
    }

    /// Returns the number of this position if it was added before.
    pub(crate) fn find(&self, p: Vec3) -> Option<u32> {
        let p = canonical(p);
        self.slot(&p, hash(&p)).ok()
    }

    /// Returns the distinct positions, in order of first appearance.
    pub(crate) fn into_vertices(self) -> Vec<Vec3> {
        self.vertices
    }

    #[inline]
    fn add_hashed(&mut self, p: Vec3, hash: u32) -> u32 {
        match self.slot(&p, hash) {
            Ok(index) => index,
            Err(slot) => self.insert(p, hash, slot),
        }
    }

    #[inline]
    fn slot(&self, p: &Vec3, hash: u32) -> Result<u32, usize> {
        let mask = self.table.len() - 1;
        let mut slot = (u64::from(hash) >> (32 - self.bits)) as usize;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                return Err(slot);
            }
            let index = (entry as u32) - 1;
            if (entry >> 32) as u32 == hash && self.vertices[index as usize] == *p {
                return Ok(index);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert(&mut self, p: Vec3, hash: u32, slot: usize) -> u32 {
        let index = self.vertices.len() as u32;
        self.vertices.push(p);
        self.table[slot] = (u64::from(hash) << 32) | u64::from(index + 1);
        if self.vertices.len() * 2 > self.table.len() && self.bits < 32 {
            self.grow();
        }
        index
    }

    #[cold]
    fn grow(&mut self) {
        self.bits += 1;
        let old = std::mem::replace(&mut self.table, vec![0; 1 << self.bits]);
        let mask = self.table.len() - 1;
        for entry in old.into_iter().filter(|&e| e != 0) {
            let mut slot = (entry >> (64 - self.bits)) as usize;
            while self.table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = entry;
        }
    }
}

/// Adding 0.0 turns −0.0 into 0.0 and leaves every other number alone.
#[inline]
fn canonical(p: Vec3) -> Vec3 {
    Vec3::new(p.x + 0.0, p.y + 0.0, p.z + 0.0)
}

#[inline]
fn hash(p: &Vec3) -> u32 {
    let h = fold(p.x.to_bits() ^ 0x9e37_79b9_7f4a_7c15, p.y.to_bits() ^ 0xd1b5_4a32_d192_ed03);
    (fold(h ^ p.z.to_bits(), 0x8cb9_2ba7_2f3d_8dd7) >> 32) as u32
}

/// Folds the two halves of the 128-bit product into one.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_share_a_number_and_both_zeros_are_one() {
        let mut joiner = VertexMerger::with_expected(0);
        assert_eq!(joiner.add(Vec3::new(0.0, 1.0, 2.0)), 0);
        assert_eq!(joiner.add(Vec3::new(-0.0, 1.0, 2.0)), 0);
        assert_eq!(joiner.add(Vec3::new(0.0, 1.0, 2.0 + f64::EPSILON * 2.0)), 1);
        assert_eq!(joiner.find(Vec3::new(0.0, 1.0, 2.0)), Some(0));
        assert_eq!(joiner.find(Vec3::new(5.0, 1.0, 2.0)), None);
        assert!(joiner.into_vertices()[0].x.is_sign_positive());
    }

    #[test]
    fn growing_keeps_every_number() {
        let mut joiner = VertexMerger::with_expected(3);
        let point = |i: u32| Vec3::new(f64::from(i % 17), f64::from(i / 17), f64::from(i) * 0.1);
        for i in 0..20_000 {
            assert_eq!(joiner.add(point(i)), i);
        }
        let (points, mut numbers) = ((0..20_000).map(point).collect::<Vec<_>>(), Vec::new());
        joiner.add_all(&points, &mut numbers);
        assert!(numbers.into_iter().eq(0..20_000));
        assert_eq!(joiner.into_vertices().len(), 20_000);
    }
}
