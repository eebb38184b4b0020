//! Writes the run time of each stage (`--timings`).

use crate::check::{CacheUse, Hits, StageSeconds, Timings};
use crate::json::write::write_json;
use serde::Serialize;
use std::io;

/// Time of the whole process (s); more than the sum of the stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Total {
    /// Elapsed time (s).
    pub wall: f64,
    /// CPU time of all threads (s); `None` if the system has none.
    pub cpu: Option<f64>,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    threads: usize,
    wall_s: Seconds,
    cpu_s: Seconds,
    pairs: Pairs,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheFound>,
}

#[derive(Serialize)]
struct CacheFound {
    parts: Found,
    shapes: Found,
    pairs: Found,
    fixes: Found,
    sweeps: Found,
}

#[derive(Serialize)]
struct Found {
    hits: u64,
    misses: u64,
}

impl CacheFound {
    fn new(used: &CacheUse) -> Self {
        let of = |h: Hits| Found { hits: h.hits, misses: h.misses };
        Self {
            parts: of(used.parts),
            shapes: of(used.shapes),
            pairs: of(used.pairs),
            fixes: of(used.fixes),
            sweeps: of(used.sweeps),
        }
    }
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    shape: f64,
    broad: f64,
    narrow: f64,
    runs: f64,
    scene: f64,
    draw: f64,
    report: f64,
    total: Option<f64>,
}

#[derive(Serialize)]
struct Pairs {
    possible: u64,
    aabb: u64,
    obb: u64,
    hull: u64,
    confirmed: u64,
    distinct: u64,
}

/// Rounds seconds to the microsecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

impl Seconds {
    fn new(stages: &StageSeconds, total: Option<f64>) -> Self {
        Self {
            load: rounded(stages.load),
            shape: rounded(stages.shape),
            broad: rounded(stages.broad),
            narrow: rounded(stages.narrow),
            runs: rounded(stages.runs),
            scene: rounded(stages.scene),
            draw: rounded(stages.draw),
            report: rounded(stages.report),
            total: total.map(rounded),
        }
    }
}

/// Writes the timings of a run.
///
/// # Errors
/// Returns the writer's error.
pub fn render(timings: &Timings, total: Total, out: &mut dyn io::Write) -> io::Result<()> {
    let p = timings.pairs;
    let document = Document {
        version: 1,
        threads: timings.threads,
        wall_s: Seconds::new(&timings.wall, Some(total.wall)),
        cpu_s: Seconds::new(&timings.cpu, total.cpu),
        pairs: Pairs {
            possible: p.possible,
            aabb: p.aabb,
            obb: p.obb,
            hull: p.hull,
            confirmed: p.confirmed,
            distinct: p.distinct,
        },
        cache: timings.cache.as_ref().map(CacheFound::new),
    };
    write_json(&document, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::PairFunnel;

    #[test]
    fn stages_and_totals() {
        let timings = Timings {
            threads: 2,
            wall: StageSeconds { load: 0.1, shape: 0.2, broad: 0.01, narrow: 0.300_000_04, ..StageSeconds::default() },
            cpu: StageSeconds {
                load: 0.1,
                shape: 0.4,
                broad: 0.01,
                narrow: 0.6,
                runs: 0.05,
                scene: 0.002,
                draw: 1.5,
                report: 0.001,
            },
            pairs: PairFunnel { possible: 1596, aabb: 83, obb: 61, hull: 40, confirmed: 16, distinct: 12 },
            cache: Some(CacheUse { pairs: Hits { hits: 9, misses: 3 }, ..CacheUse::default() }),
        };
        let mut out = Vec::new();
        render(&timings, Total { wall: 0.62, cpu: None }, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        {
          "version": 1,
          "threads": 2,
          "wall_s": {
            "load": 0.1,
            "shape": 0.2,
            "broad": 0.01,
            "narrow": 0.3,
            "runs": 0,
            "scene": 0,
            "draw": 0,
            "report": 0,
            "total": 0.62
          },
          "cpu_s": {
            "load": 0.1,
            "shape": 0.4,
            "broad": 0.01,
            "narrow": 0.6,
            "runs": 0.05,
            "scene": 0.002,
            "draw": 1.5,
            "report": 0.001,
            "total": null
          },
          "pairs": {
            "possible": 1596,
            "aabb": 83,
            "obb": 61,
            "hull": 40,
            "confirmed": 16,
            "distinct": 12
          },
          "cache": {
            "parts": {"hits": 0, "misses": 0},
            "shapes": {"hits": 0, "misses": 0},
            "pairs": {"hits": 9, "misses": 3},
            "fixes": {"hits": 0, "misses": 0},
            "sweeps": {"hits": 0, "misses": 0}
          }
        }
        "#);
    }
}
