//! Results of queries at one surface, kept for queries of other pairs.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of results kept for one surface: the pairs of equal parts mostly come one after another.
const MAX_KEPT: usize = 8;

/// Numbers that determine a result together with the surface (bits of floating-point numbers).
pub(crate) type ResultKey = [u64; 2];

/// A key and its result.
type Entry = (ResultKey, Box<dyn Any + Send>);

/// Kept results; the one unused for longest comes first.
#[derive(Debug, Default)]
pub(crate) struct KeptResults(Mutex<Vec<Entry>>);

impl KeptResults {
    /// Takes out the result of a key; the default if there is none, or if another query has it.
    pub(crate) fn take<T: Any + Default>(&self, key: &ResultKey) -> T {
        let found = {
            let mut entries = self.entries();
            entries.iter().position(|(other, _)| other == key).map(|k| entries.remove(k).1)
        };
        found.and_then(|result| result.downcast().ok()).map_or_else(T::default, |result| *result)
    }

    /// Keeps a result, in place of an earlier one of the same key, or of the one unused for longest.
    pub(crate) fn keep<T: Any + Send>(&self, key: ResultKey, result: T) {
        let mut entries = self.entries();
        let same = entries.iter().position(|(other, _)| *other == key);
        if let Some(dropped) = same.or((entries.len() >= MAX_KEPT).then_some(0)) {
            entries.remove(dropped);
        }
        entries.push((key, Box::new(result)));
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_result_is_taken_once() {
        let kept = KeptResults::default();
        kept.keep([1, 2], 3);
        assert_eq!([[1, 3], [1, 2], [1, 2]].map(|key| kept.take::<i32>(&key)), [0, 3, 0]);
    }

    #[test]
    fn the_result_unused_for_longest_gives_way() {
        let kept = KeptResults::default();
        let count = MAX_KEPT as u64;
        for k in 0..count {
            kept.keep([k, 0], k + 1);
        }
        // Its use makes the first one the last used.
        let first: u64 = kept.take(&[0, 0]);
        kept.keep([0, 0], first);
        kept.keep([count, 0], count + 1);
        let left: Vec<u64> = (0..=count).map(|k| kept.take(&[k, 0])).collect();
        assert_eq!(left, (0..=count).map(|k| if k == 1 { 0 } else { k + 1 }).collect::<Vec<_>>());
    }

    #[test]
    fn a_later_result_of_the_same_key_replaces_the_earlier_one() {
        let kept = KeptResults::default();
        kept.keep([7, 7], 1);
        kept.keep([7, 7], 2);
        assert_eq!(kept.take::<i32>(&[7, 7]), 2);
        assert_eq!(kept.take::<i32>(&[7, 7]), 0);
    }
}
