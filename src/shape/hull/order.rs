//! Orders points so neighbours in space are near each other in memory.

use crate::geom::{Aabb, Vec3};

/// Bits of each coordinate in the sort key.
const BITS: u32 = 10;

/// Sorts the indices by the Morton code of their points in the box (G. M. Morton, "A computer oriented geodetic data
/// base and a new technique in file sequencing", 1966); equal codes keep their order. The order only improves locality:
/// no result depends on its quality. Cost O(n).
pub(crate) fn spatial_order(points: &[Vec3], indices: Vec<u32>, bounds: &Aabb) -> Vec<u32> {
    let size = bounds.max - bounds.min;
    let scale = size.map(|s| if s > 0.0 { f64::from(1_u32 << BITS) / s } else { 0.0 });
    let cell = |x: f64| (x as u32).min((1 << BITS) - 1);
    let mut keyed: Vec<(u32, u32)> = indices
        .into_iter()
        .map(|i| {
            let q = (points[i as usize] - bounds.min).component_mul(&scale);
            (spread(cell(q.x)) | spread(cell(q.y)) << 1 | spread(cell(q.z)) << 2, i)
        })
        .collect();
    let mut other = vec![(0, 0); keyed.len()];
    for shift in [0, BITS, 2 * BITS] {
        radix_pass(&keyed, &mut other, shift);
        std::mem::swap(&mut keyed, &mut other);
    }
    keyed.into_iter().map(|(_, i)| i).collect()
}

/// Runs one stable counting pass over `BITS` bits of the keys.
fn radix_pass(from: &[(u32, u32)], to: &mut [(u32, u32)], shift: u32) {
    let digit = |key: u32| (key >> shift) as usize & ((1 << BITS) - 1);
    let mut at = [0_u32; 1 << BITS];
    for &(key, _) in from {
        at[digit(key)] += 1;
    }
    let mut sum = 0;
    for a in &mut at {
        (*a, sum) = (sum, sum + *a);
    }
    for &entry in from {
        let slot = &mut at[digit(entry.0)];
        to[*slot as usize] = entry;
        *slot += 1;
    }
}

/// Spreads ten bits to every third place.
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_leaves_two_zero_bits_between_bits() {
        for bit in 0..BITS {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }

    #[test]
    fn an_order_is_a_permutation_and_octants_stay_together() {
        let points: Vec<Vec3> =
            (0..64).map(|i| Vec3::new(f64::from(i * 37 % 64), f64::from(i * 11 % 64), f64::from(i * 5 % 64))).collect();
        let bounds = Aabb::of_points(&points);
        let order = spatial_order(&points, (0..64).collect(), &bounds);
        let octant = |i: u32| points[i as usize].map(|x| u8::from(x >= 31.5));
        let changes = order.windows(2).filter(|w| octant(w[0]) != octant(w[1])).count();
        assert!(changes <= 7, "{changes}");
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..64).collect::<Vec<_>>());
    }
}
