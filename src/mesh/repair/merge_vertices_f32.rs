//! Merges single-precision vertices by position, like `merge_vertices` in double precision: equal bits, with −0.0 equal
//! to 0.0; numbers in order of first appearance. The table contains the positions, so a look-up touches one cache line.
//! The look-ups of a block of corners overlap: in a large mesh nearly every one misses the caches.

use crate::geom::Vec3;

/// Bits of a single-precision position, −0.0 as 0.0: equal positions have equal keys.
pub(crate) type Key = [u32; 3];

/// Number of corners looked up together.
pub(crate) const BLOCK: usize = 192;

/// Least size of a memory page (bytes).
const PAGE: usize = 4096;

/// Least length of a table (log2).
const MIN_TABLE_BITS: u32 = 8;

/// An open-addressing table with linear probing. A slot contains a key and the vertex number plus one; 0 marks an empty
/// slot.
#[derive(Debug)]
pub(crate) struct VertexMergerF32 {
    vertices: Vec<Vec3>,
    table: Vec<[u32; 4]>,
    /// Length of the table (log2).
    bits: u32,
}

impl VertexMergerF32 {
    /// Creates a table for about `expected` distinct positions; it grows on demand. The caller bounds `expected` by the
    /// size of its input.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let slots = (expected.max(1) * 2).next_power_of_two();
        let bits = slots.trailing_zeros().clamp(MIN_TABLE_BITS, 32);
        let mut table = vec![[0; 4]; 1 << bits];
        // Writing to each page once maps fresh memory in one step; a read followed by a write would map it twice.
        for page in table.chunks_mut(PAGE / size_of::<[u32; 4]>()) {
            page[0] = std::hint::black_box([0; 4]);
        }
        Self { vertices: Vec::with_capacity(expected + expected / 16), table, bits }
    }

    /// Appends triangles to `triangles`, three keys each, at most [`BLOCK`] keys.
    #[inline]
    pub(crate) fn join(&mut self, keys: &[Key], triangles: &mut Vec<[u32; 3]>) {
        let mut hashes = [0; BLOCK];
        for (h, key) in hashes.iter_mut().zip(keys) {
            *h = hash(*key);
        }
        // Independent loads in a tight loop, so that many run at the same time.
        let touched = hashes[..keys.len()].iter().fold(0, |x, h| x ^ self.table[first_slot(*h, self.bits)][3]);
        std::hint::black_box(touched);
        triangles.extend(keys.chunks_exact(3).zip(hashes.chunks_exact(3)).map(|(k, h)| {
            let (a, b) = (self.add(k[0], h[0]), self.add(k[1], h[1]));
            [a, b, self.add(k[2], h[2])]
        }));
    }

    /// Returns the distinct positions, in order of first appearance.
    pub(crate) fn into_vertices(self) -> Vec<Vec3> {
        self.vertices
    }

    #[inline]
    fn add(&mut self, key: Key, hash: u32) -> u32 {
        let mask = self.table.len() - 1;
        let mut slot = first_slot(hash, self.bits);
        loop {
            let [x, y, z, number] = self.table[slot];
            if number == 0 {
                return self.insert(key, slot);
            }
            if (x ^ key[0]) | (y ^ key[1]) | (z ^ key[2]) == 0 {
                return number - 1;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn insert(&mut self, key: Key, slot: usize) -> u32 {
        let [x, y, z] = key.map(|bits| f64::from(f32::from_bits(bits)));
        self.vertices.push(Vec3::new(x, y, z));
        let number = self.vertices.len() as u32;
        self.table[slot] = [key[0], key[1], key[2], number];
        if self.vertices.len() > self.table.len() / 8 * 5 && self.bits < 32 {
            self.grow();
        }
        number - 1
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.bits += 1;
        let old = std::mem::replace(&mut self.table, vec![[0; 4]; 1 << self.bits]);
        let mask = self.table.len() - 1;
        for entry in old.into_iter().filter(|e| e[3] != 0) {
            let mut slot = first_slot(hash([entry[0], entry[1], entry[2]]), self.bits);
            while self.table[slot][3] != 0 {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = entry;
        }
    }
}

#[inline]
fn first_slot(hash: u32, bits: u32) -> usize {
    (u64::from(hash) >> (32 - bits)) as usize
}

#[inline]
fn hash(key: Key) -> u32 {
    let front = u64::from(key[0]) | u64::from(key[1]) << 32;
    let product = u128::from(front ^ 0x9e37_79b9_7f4a_7c15) * u128::from(u64::from(key[2]) ^ 0xd1b5_4a32_d192_ed03);
    let folded = (product as u64) ^ ((product >> 64) as u64);
    (folded.wrapping_mul(0x8cb9_2ba7_2f3d_8dd7) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(points: impl Iterator<Item = u32>) -> Vec<Key> {
        points.map(|i| [i % 17, i / 17, i].map(|x| (x as f32 * 0.1).to_bits())).collect()
    }

    #[test]
    fn numbers_follow_first_appearance_and_survive_growing() {
        let mut joiner = VertexMergerF32::with_expected(3);
        let mut triangles = Vec::new();
        let all = keys((0..20_001).chain((0..20_001).rev()));
        for block in all.chunks(BLOCK) {
            joiner.join(block, &mut triangles);
        }
        let numbers: Vec<u32> = triangles.into_iter().flatten().collect();
        assert!(numbers.into_iter().eq((0..20_001).chain((0..20_001).rev())));
        let vertices = joiner.into_vertices();
        assert_eq!((vertices.len(), vertices[10].x), (20_001, f64::from(1.0_f32)));
    }

    #[test]
    fn both_precisions_merge_equally() {
        use crate::mesh::repair::merge_vertices::VertexMerger;
        let (mut single, mut double) = (VertexMergerF32::with_expected(0), VertexMerger::with_expected(0));
        let (mut triangles, mut numbers) = (Vec::new(), Vec::new());
        let all = keys((0..30_000_u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20));
        for block in all.chunks(BLOCK) {
            single.join(block, &mut triangles);
            let points: Vec<Vec3> =
                block.iter().map(|k| Vec3::from(k.map(|bits| f64::from(f32::from_bits(bits))))).collect();
            double.add_all(&points, &mut numbers);
        }
        assert_eq!(triangles.as_flattened(), numbers);
        assert_eq!(single.into_vertices(), double.into_vertices());
    }

    #[test]
    fn corners_of_one_triangle_may_be_one_vertex() {
        let mut joiner = VertexMergerF32::with_expected(0);
        let mut triangles = Vec::new();
        joiner.join(&keys([5, 5, 7, 7, 5, 9].into_iter()), &mut triangles);
        assert_eq!(triangles, [[0, 0, 1], [1, 0, 2]]);
    }
}
