//! Hands out the shares of a search to the threads of the pool.

use crate::query::triangles::bvh_traversal::NodePair;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Share of a crossing test that found crossings last. At another pose close by, it often finds some again.
#[derive(Debug, Default)]
pub(crate) struct LastShare(Mutex<Option<[u32; 2]>>);

impl LastShare {
    pub(super) fn get(&self) -> Option<[u32; 2]> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, share: &NodePair) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(share.nodes());
    }
}

/// Order of the shares of a search: those that follow each other lie far apart (J. G. van der Corput,
/// "Verteilungsfunktionen", 1935). Results often lie close together, and this order soon reaches one of them.
pub(crate) fn spread_order(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by_key(|k| k.reverse_bits());
    order
}

/// Returns the result of the first share, by number, that has one; `None` if no share has. Each thread takes one share
/// at a time, in order, and no share after one with a result. `prepare` makes the state of a thread, for all its
/// shares. The result is the same for every number of threads.
pub(crate) fn first_in_shares<S, T: Send>(
    count: usize,
    prepare: impl Fn() -> S + Sync,
    find: impl Fn(&mut S, usize) -> Option<T> + Sync,
) -> Option<T> {
    let (next, first) = (AtomicUsize::new(0), AtomicUsize::new(count));
    let search = |_| {
        let mut state = prepare();
        loop {
            // All shares before this one are taken. Their threads finish them.
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= first.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(found) = find(&mut state, k) {
                first.fetch_min(k, Ordering::Relaxed);
                return Some((k, found));
            }
        }
    };
    let threads = 0..rayon::current_num_threads();
    let found: Vec<_> = threads.into_par_iter().with_max_len(1).filter_map(search).collect();
    found.into_iter().min_by_key(|(k, _)| *k).map(|(_, found)| found)
}

/// Returns the first `wanted` results of all shares, in their order, each with the number of its share; all results if
/// there are fewer. Each thread takes one share at a time, in order, and none once the shares have `wanted` results.
/// `prepare` makes the state of a thread, for all its shares. The results are the same for every number of threads.
pub(crate) fn some_in_shares<S, T: Send>(
    count: usize,
    wanted: usize,
    prepare: impl Fn() -> S + Sync,
    find: impl Fn(&mut S, usize) -> Vec<T> + Sync,
) -> Vec<(usize, T)> {
    if wanted == 0 {
        // Wakes no other thread.
        return Vec::new();
    }
    let (next, results) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let search = |_| {
        let mut state = prepare();
        let mut own = Vec::new();
        while results.load(Ordering::Relaxed) < wanted {
            // All shares before this one are taken. Their threads finish them.
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count {
                break;
            }
            let found = find(&mut state, k);
            results.fetch_add(found.len(), Ordering::Relaxed);
            own.extend(found.into_iter().map(|result| (k, result)));
        }
        own
    };
    let threads = 0..rayon::current_num_threads();
    let mut found: Vec<_> = threads.into_par_iter().with_max_len(1).flat_map_iter(search).collect();
    // One thread has all results of a share, in order.
    found.sort_by_key(|(k, _)| *k);
    found.truncate(wanted);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    #[test]
    fn first_result_wins_for_every_number_of_threads() {
        for threads in [1, 2, 7] {
            for (count, hits) in [(0, vec![]), (1, vec![0]), (50, vec![]), (50, vec![49]), (256, vec![31, 30, 200])] {
                let find = |(): &mut (), k: usize| hits.contains(&k).then_some(k);
                let found = pool(threads).install(|| first_in_shares(count, || (), find));
                assert_eq!(found, hits.iter().min().copied(), "{threads} {count}");
            }
        }
    }

    #[test]
    fn first_results_of_all_shares_are_the_same_for_every_number_of_threads() {
        // Share k has k % 3 results.
        let find = |(): &mut (), k: usize| (0..k % 3).map(|i| 10 * k + i).collect();
        let all: Vec<(usize, usize)> = (0..40).flat_map(|k| (0..k % 3).map(move |i| (k, 10 * k + i))).collect();
        for threads in [1, 2, 7] {
            for wanted in [0, 1, 5, all.len() - 1, all.len(), 1000] {
                let found = pool(threads).install(|| some_in_shares(40, wanted, || (), find));
                assert_eq!(found, all[..wanted.min(all.len())], "{threads} {wanted}");
            }
        }
    }

    #[test]
    fn shares_after_enough_results_are_not_searched() {
        let searched = Mutex::new(0);
        let find = |(): &mut (), k: usize| {
            *searched.lock().unwrap() += 1;
            vec![k; 4]
        };
        let found = pool(1).install(|| some_in_shares(100, 6, || (), find));
        assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1]);
        assert_eq!(*searched.lock().unwrap(), 2);
    }

    #[test]
    fn shares_in_turn_lie_far_apart() {
        assert_eq!(spread_order(8), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(spread_order(5), [0, 4, 2, 1, 3]);
    }

    #[test]
    fn every_share_before_the_first_result_is_searched_once() {
        for threads in [1, 3] {
            let searched = Mutex::new(Vec::new());
            // The state counts the shares of its thread.
            let find = |seen: &mut usize, k: usize| {
                *seen += 1;
                searched.lock().unwrap().push(k);
                (k == 90).then_some(*seen)
            };
            let seen = pool(threads).install(|| first_in_shares(100, || 0, find)).unwrap();
            assert!(seen <= 91 && (threads > 1 || seen == 91), "{seen}");
            let mut searched = searched.into_inner().unwrap();
            searched.sort_unstable();
            assert!(searched.len() >= 91 && searched[..91].iter().copied().eq(0..91), "{searched:?}");
        }
    }
}
