//! Divides the work on one large value among threads of its own.
//!
//! Lists that a `OnceLock` holds are computed while other threads wait for them. The pool of rayon must not compute
//! them: a thread of the pool that waits for its share takes up other work, and this work may wait for the same list.
//! The threads here take up nothing else.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{ScopedJoinHandle, scope};

/// Number of triangles from which several threads work on one surface: below, starting them costs more than it saves.
pub(crate) const LARGE: usize = 50_000;

/// Least number of vertices or triangles of a share.
pub(crate) const LEAST_SHARE: usize = 20_000;

/// Number of shares for each thread. More shares balance the threads better, and each has a cost.
const SHARES_PER_THREAD: usize = 8;

/// The threads of this module in the whole process.
static HELPERS: Helpers = Helpers::new();

/// Number of threads of the caller's pool. Call it on a thread of the pool: elsewhere it is the number of cores.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Calls `work` for ranges that cover `0..count`, on up to `threads` threads. Returns the results in the order of the
/// ranges. A range has at least `least` numbers, except for a single range that covers all.
pub(crate) fn map_ranges<T: Send>(
    threads: usize,
    count: usize,
    least: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    HELPERS.map_ranges(threads, count, least, work)
}

/// Calls both functions, at once if a thread is free. `threads` is the number of threads of the pool.
pub(crate) fn both<A: Send, B>(threads: usize, first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    HELPERS.both(threads, first, second)
}

/// Joins the lists of several ranges. A single list is not copied.
pub(crate) fn joined_lists<T: Clone>(mut lists: Vec<Vec<T>>) -> Vec<T> {
    if lists.len() == 1 { lists.swap_remove(0) } else { lists.concat() }
}

/// Lists `value` of each index below `count`, on up to `threads` threads; `blank` is any value.
pub(crate) fn list<T: Clone + Send>(
    threads: usize,
    count: usize,
    blank: T,
    value: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if threads < 2 || count < 2 * LEAST_SHARE {
        return (0..count).map(value).collect();
    }
    let mut values = vec![blank; count];
    fill(threads, LEAST_SHARE, &mut values, value);
    values
}

/// Sets each value of a list to `value` of its index, on up to `threads` threads. A thread takes at least `least`
/// values at once.
pub(crate) fn fill<T: Send>(threads: usize, least: usize, values: &mut [T], value: impl Fn(usize) -> T + Sync) {
    let count = values.len();
    let ends: Vec<usize> = shares(threads, least, count).map(|range| range.end).collect();
    each_part(threads, values, &ends, |start, part| {
        for (v, index) in part.iter_mut().zip(start..) {
            *v = value(index);
        }
    });
}

/// Divides `0..count` into ranges. A range has at least `least` numbers, except for a single range that covers all.
pub(crate) fn shares(threads: usize, least: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let shares = (count / least.max(1)).clamp(1, threads.max(1) * SHARES_PER_THREAD);
    (0..shares).map(move |k| k * count / shares..(k + 1) * count / shares)
}

/// Calls `work` for the parts of a list that end at `ends` (increasing), on up to `threads` threads, with the index of
/// the first value of the part.
pub(crate) fn each_part<T: Send>(
    threads: usize,
    values: &mut [T],
    ends: &[usize],
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let (mut rest, mut start) = (values, 0);
    let parts = ends.iter().map(|&end| {
        let (part, after) = std::mem::take(&mut rest).split_at_mut(end - start);
        rest = after;
        Mutex::new((std::mem::replace(&mut start, end), part))
    });
    let parts: Vec<_> = parts.collect();
    map_ranges(threads, parts.len(), 1, |range| {
        for part in &parts[range] {
            // Each part is taken once.
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            work(part.0, part.1);
        }
    });
}

/// Count of threads beside the pool. Several large parts at once share as many as the pool has.
struct Helpers {
    busy: AtomicUsize,
}

/// Helpers of one call; they are free again when it is dropped.
struct Taken<'h> {
    helpers: &'h Helpers,
    count: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.helpers.busy.fetch_sub(self.count, Ordering::Relaxed);
    }
}

impl Helpers {
    const fn new() -> Self {
        Self { busy: AtomicUsize::new(0) }
    }

    /// Takes up to `wanted` helpers, so that at most `most` are busy in all.
    fn take(&self, wanted: usize, most: usize) -> Taken<'_> {
        let free = |busy: usize| wanted.min(most.saturating_sub(busy));
        let taken = self.busy.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |busy| Some(busy + free(busy)));
        let (Ok(before) | Err(before)) = taken;
        Taken { helpers: self, count: free(before) }
    }

    fn map_ranges<T: Send>(
        &self,
        threads: usize,
        count: usize,
        least: usize,
        work: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let shares: Vec<_> = shares(threads, least, count).collect();
        if threads < 2 || shares.len() < 2 {
            return vec![work(0..count)];
        }
        let next = AtomicUsize::new(0);
        let take_shares = || {
            let mut done = Vec::new();
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(share) = shares.get(k) else { return done };
                done.push((k, work(share.clone())));
            }
        };
        let taken = self.take(threads.min(shares.len()) - 1, threads);
        let mut all = scope(|s| {
            let others: Vec<_> = (0..taken.count).map(|_| s.spawn(take_shares)).collect();
            let mut all = take_shares();
            for other in others {
                all.extend(joined(other));
            }
            all
        });
        all.sort_unstable_by_key(|(k, _)| *k);
        all.into_iter().map(|(_, value)| value).collect()
    }

    fn both<A: Send, B>(&self, threads: usize, first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
        let taken = self.take(usize::from(threads > 1), threads);
        if taken.count == 0 {
            return (first(), second());
        }
        scope(|s| {
            let other = s.spawn(first);
            let b = second();
            (joined(other), b)
        })
    }
}

/// Waits for a thread. A panic of the thread goes on in the caller.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_numbers_in_order() {
        for (threads, count, least) in [(1, 10, 1), (2, 10, 1), (3, 1000, 7), (4, 3, 2), (7, 0, 1), (2, 100, 60)] {
            let ranges = map_ranges(threads, count, least, |range| range);
            assert_eq!(ranges.iter().cloned().flatten().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            assert!(ranges.len() == 1 || ranges.iter().all(|r| r.len() >= least), "{ranges:?}");
            assert_eq!(ranges.len() > 1, threads > 1 && count >= 2 * least, "{ranges:?}");
        }
    }

    #[test]
    fn every_value_is_filled() {
        for (threads, count) in [(1, 10), (2, 1000), (3, 7), (4, 0), (2, 1)] {
            let mut values = vec![usize::MAX; count];
            fill(threads, 2, &mut values, |k| k * k);
            assert!(values.iter().enumerate().all(|(k, v)| *v == k * k), "{threads} {count}");
        }
    }

    #[test]
    fn a_list_has_the_value_of_each_index() {
        for (threads, count) in [(1, 10), (2, 3 * LEAST_SHARE), (3, 2 * LEAST_SHARE + 1), (4, 0)] {
            let values = list(threads, count, usize::MAX, |k| k + 1);
            assert!(values.into_iter().eq(1..=count), "{threads} {count}");
        }
    }

    #[test]
    fn every_part_is_visited_once() {
        for threads in [1, 3] {
            let mut values = vec![0; 10];
            each_part(threads, &mut values, &[3, 3, 10], |start, part| {
                let value = 100 * start + part.len();
                for v in part {
                    *v += value;
                }
            });
            assert_eq!(values, [3, 3, 3, 307, 307, 307, 307, 307, 307, 307]);
        }
    }

    #[test]
    fn shares_run_on_several_threads() {
        let helpers = Helpers::new();
        let id = || std::thread::current().id();
        let (first, second) = helpers.both(2, id, id);
        assert!(first != id() && second == id());
        // Each share waits for the other one.
        let barrier = std::sync::Barrier::new(2);
        helpers.map_ranges(2, 2, 1, |_| barrier.wait());
        assert_eq!(helpers.busy.into_inner(), 0);
    }

    #[test]
    fn no_more_threads_than_the_pool_has_are_busy() {
        let helpers = Helpers::new();
        let first = helpers.take(3, 4);
        let second = helpers.take(3, 4);
        assert_eq!((first.count, second.count, helpers.take(1, 4).count), (3, 1, 0));
        // Without a free thread the caller does all.
        let here = std::thread::current().id();
        assert_eq!(helpers.both(4, || std::thread::current().id(), || 7), (here, 7));
        assert_eq!(helpers.map_ranges(4, 10, 1, |range| range.len()).iter().sum::<usize>(), 10);
        drop(first);
        assert_eq!(helpers.take(9, 4).count, 3);
    }

    #[test]
    #[should_panic(expected = "of the share")]
    fn a_panic_reaches_the_caller() {
        Helpers::new().both(2, || panic!("of the share"), || ());
    }
}
