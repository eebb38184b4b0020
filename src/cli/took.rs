//! Describes the time of a run, for stderr. Reports never hold times.

use crate::check::Timings;
use crate::cli::finish::Clocks;
use crate::report::number::count;
use std::fmt::Write as _;

/// Line with the time of a check: `checked 3655 pairs in 4.21 s`.
pub(crate) fn line(what: &str, clocks: &Clocks) -> String {
    format!("checked {what} in {}\n", seconds(clocks.elapsed().wall))
}

/// Lines of `--verbose`: the pairs left after each stage, the time of each stage, the use of the cache.
pub(crate) fn stages(spent: &Timings) -> String {
    let p = &spent.pairs;
    let mut text = format!(
        "pairs: {} possible, {} after boxes, {} after oriented boxes, {} after hulls, {} not clear; {}\n",
        p.possible,
        p.aabb,
        p.obb,
        p.hull,
        p.confirmed,
        count(p.distinct, "unique pair")
    );
    let w = &spent.wall;
    let mut stages = vec![("load", w.load), ("shapes", w.shape), ("boxes", w.broad), ("pairs", w.narrow)];
    if w.runs > 0.0 {
        stages.push(("runs", w.runs));
    }
    if w.draw > 0.0 {
        stages.extend([("scene", w.scene), ("pictures", w.draw)]);
    }
    stages.push(("report", w.report));
    let stages: Vec<_> = stages.iter().map(|(name, s)| format!("{name} {}", seconds(*s))).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "time: {} ({})", stages.join(", "), count(spent.threads as u64, "thread"));
    if let Some(cache) = &spent.cache {
        let mut kinds =
            vec![("parts", cache.parts), ("shapes", cache.shapes), ("pairs", cache.pairs), ("fixes", cache.fixes)];
        if cache.sweeps.hits + cache.sweeps.misses > 0 {
            kinds.push(("sweeps", cache.sweeps));
        }
        let kinds: Vec<_> =
            kinds.iter().map(|(name, hits)| format!("{} of {} {name}", hits.hits, hits.hits + hits.misses)).collect();
        let _ = writeln!(text, "cache: {} known", kinds.join(", "));
    }
    text
}

/// Seconds with two decimals, or minutes and seconds.
fn seconds(s: f64) -> String {
    if s < 60.0 { format!("{s:.2} s") } else { format!("{:.0} min {:.0} s", (s / 60.0).floor(), (s % 60.0).floor()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_minutes() {
        assert_eq!([0.0, 4.213, 59.99, 61.7].map(seconds), ["0.00 s", "4.21 s", "59.99 s", "1 min 1 s"]);
    }
}
