//! Follows the pairs of a run: the longest one under way, and the slowest so far.

use crate::check::Measure;
use crate::report::text::shown;
use std::cmp::Reverse;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Number of slowest pairs kept.
const SLOWEST: usize = 3;

/// Shortest time of a finished pair among the slowest.
const SLOW: Duration = Duration::from_millis(50);

/// Pair under way on one worker; the texts keep their memory from pair to pair.
#[derive(Debug, Default)]
struct Running {
    ids: [String; 2],
    since: Option<Instant>,
}

/// A pair and its time so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairTime {
    pub ids: [String; 2],
    pub time: Duration,
    /// True if the pair is still under way.
    pub runs: bool,
}

/// Times of the pairs of a run.
#[derive(Debug, Default)]
pub(crate) struct PairWatch {
    /// One entry a worker, from the beginning of the stage.
    workers: OnceLock<Vec<Mutex<Running>>>,
    /// Slowest finished pairs, longest first.
    finished: Mutex<Vec<PairTime>>,
}

impl PairWatch {
    /// Prepares for the workers of the current thread pool.
    pub(crate) fn start(&self) {
        self.workers.get_or_init(|| (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect());
    }

    /// Begins a pair on a worker.
    pub(crate) fn begin(&self, worker: usize, ids: [&str; 2]) {
        if let Some(slot) = self.workers.get().and_then(|w| w.get(worker)) {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            for (kept, id) in slot.ids.iter_mut().zip(ids) {
                kept.clear();
                kept.push_str(id);
            }
            slot.since = Some(Instant::now());
        }
    }

    /// Ends the pair of a worker.
    pub(crate) fn end(&self, worker: usize) {
        let Some(slot) = self.workers.get().and_then(|w| w.get(worker)) else { return };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(time) = slot.since.take().map(|since| since.elapsed()).filter(|t| *t >= SLOW) {
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            finished.push(PairTime { ids: slot.ids.clone(), time, runs: false });
            keep_slowest(&mut finished);
        }
    }

    /// Pairs under way.
    fn running(&self) -> Vec<PairTime> {
        let workers = self.workers.get().map_or(&[][..], Vec::as_slice);
        let running = workers.iter().filter_map(|slot| {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.since.map(|since| PairTime { ids: slot.ids.clone(), time: since.elapsed(), runs: true })
        });
        running.collect()
    }

    /// Pair that has been under way for the longest time.
    pub(crate) fn longest(&self) -> Option<PairTime> {
        self.running().into_iter().max_by_key(|pair| pair.time)
    }

    /// Slowest pairs so far, longest first, those under way included.
    pub(crate) fn slowest(&self) -> Vec<PairTime> {
        let mut all = self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.extend(self.running());
        keep_slowest(&mut all);
        all
    }
}

/// Keeps the slowest of all pairs, longest first.
fn keep_slowest(pairs: &mut Vec<PairTime>) {
    pairs.sort_by_key(|pair| Reverse(pair.time));
    pairs.truncate(SLOWEST);
}

/// Note of a long run: its slowest pairs, and the flag that measures less; `None` if the run measures nothing anyway.
pub(crate) fn hint(elapsed: Duration, slowest: &[PairTime], measure: Measure) -> Option<String> {
    let less = match measure {
        Measure::All => {
            "--measure depth omits translations, volumes and fixes; --measure none decides and measures nothing"
        }
        Measure::Depth => "--measure none decides and measures nothing",
        Measure::None => return None,
    };
    let pair = |p: &PairTime| {
        let [a, b] = [0, 1].map(|k| shown(&p.ids[k]));
        let runs = if p.runs { ", under way" } else { "" };
        format!("{a} and {b} ({:.1} s{runs})", p.time.as_secs_f64())
    };
    let pairs: Vec<String> = slowest.iter().map(pair).collect();
    let pairs = if pairs.is_empty() { String::new() } else { format!("slowest pairs so far: {}; ", pairs.join(", ")) };
    Some(format!("{:.0} s: {pairs}{less}", elapsed.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(k: u64, runs: bool) -> PairTime {
        PairTime { ids: [format!("a{k}"), "b".to_owned()], time: Duration::from_secs(k), runs }
    }

    #[test]
    fn three_slowest_pairs_are_kept_longest_first() {
        let mut pairs: Vec<PairTime> = [2, 5, 1, 4, 3].map(|k| pair(k, false)).into();
        keep_slowest(&mut pairs);
        assert_eq!(pairs, [5, 4, 3].map(|k| pair(k, false)));
    }

    #[test]
    fn hint_names_pairs_and_flag() {
        let ten = Duration::from_secs(10);
        assert_eq!(
            hint(ten, &[pair(6, true), pair(2, false)], Measure::Depth).unwrap(),
            "10 s: slowest pairs so far: a6 and b (6.0 s, under way), a2 and b (2.0 s); \
             --measure none decides and measures nothing"
        );
        assert!(hint(ten, &[], Measure::All).unwrap().starts_with("10 s: --measure depth omits"));
        assert_eq!(hint(ten, &[pair(6, true)], Measure::None), None);
    }

    #[test]
    fn pair_under_way_is_the_longest_until_it_ends() {
        let watch = PairWatch::default();
        watch.begin(0, ["early", "b"]);
        assert_eq!(watch.longest(), None, "no stage has begun");
        watch.start();
        watch.begin(0, ["motor", "housing"]);
        assert_eq!(watch.longest().unwrap().ids, ["motor", "housing"]);
        assert!(watch.slowest()[0].runs);
        watch.end(0);
        assert_eq!(watch.longest(), None);
    }
}
