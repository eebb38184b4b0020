//! Linear-time sorting by counting: Morton keys, and pairs by their first number.

/// Minimum length of a counting sort; shorter lists take a comparison sort.
const COUNTING_SORT_MIN: usize = 1024;

/// Bits of the key sorted in one pass.
const DIGIT_BITS: u32 = 11;

/// Merges several lists of pairs into one sorted list. The first number of each pair is below `count`. O(pairs +
/// count), plus the comparison sort among the pairs of one first number.
pub fn sorted_pairs(lists: Vec<Vec<(u32, u32)>>, count: usize) -> Vec<(u32, u32)> {
    let mut ends = vec![0_usize; count];
    for (a, _) in lists.iter().flatten() {
        ends[*a as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    let mut sorted = vec![(0, 0); sum];
    // Frees each list right after copying it (peak memory).
    for (a, b) in lists.into_iter().flatten() {
        let at = &mut ends[a as usize];
        sorted[*at] = (a, b);
        *at += 1;
    }
    let mut start = 0;
    for end in ends {
        if end - start > 1 {
            sorted[start..end].sort_unstable_by_key(|p| p.1);
        }
        start = end;
    }
    sorted
}

/// Sorts `(key, number)` entries by key, then by number. The numbers must come in increasing order: the sort is stable.
pub(crate) fn sort_keyed(keyed: &mut Vec<(u64, u32)>) {
    if keyed.len() < COUNTING_SORT_MIN {
        keyed.sort_unstable();
        return;
    }
    let mut other = vec![(0, 0); keyed.len()];
    // Skips the digits common to all keys.
    let (all, any) = keyed.iter().fold((u64::MAX, 0), |(all, any), (key, _)| (all & key, any | key));
    let mask = (1 << DIGIT_BITS) - 1;
    for shift in (0..u64::BITS).step_by(DIGIT_BITS as usize).filter(|shift| (all ^ any) >> shift & mask != 0) {
        let digit = |key: u64| (key >> shift & mask) as usize;
        let mut ends = [0_usize; 1 << DIGIT_BITS];
        for (key, _) in keyed.iter() {
            ends[digit(*key)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        for &entry in keyed.iter() {
            let at = &mut ends[digit(entry.0)];
            other[*at] = entry;
            *at += 1;
        }
        std::mem::swap(keyed, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    #[test]
    fn counting_sorts_as_comparing_does() {
        let mut rng = Rng::new(3);
        for (n, bits) in
            [(0, 1), (1, 9), (COUNTING_SORT_MIN - 1, 9), (COUNTING_SORT_MIN, 3), (5000, 12), (5000, 44), (70_000, 30)]
        {
            let keys = (0..n).map(|_| rng.bits() >> (64 - bits));
            let mut keyed: Vec<(u64, u32)> = keys.zip(0..).collect();
            let mut expected = keyed.clone();
            expected.sort_unstable();
            sort_keyed(&mut keyed);
            assert_eq!(keyed, expected, "{n} keys of {bits} bits");
        }
    }

    #[test]
    fn pairs_of_all_lists_come_out_in_order() {
        let mut rng = Rng::new(5);
        for (lists, each, count) in [(0, 0, 0), (3, 0, 7), (4, 100, 1), (7, 900, 1300)] {
            let mut pair = || (rng.below(count) as u32, rng.below(5000) as u32);
            let lists: Vec<Vec<(u32, u32)>> = (0..lists).map(|_| (0..each).map(|_| pair()).collect()).collect();
            let mut expected = lists.concat();
            expected.sort_unstable();
            assert_eq!(sorted_pairs(lists, count), expected);
        }
    }
}
