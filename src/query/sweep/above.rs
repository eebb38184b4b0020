//! The parts of a run with gaps above a limit, certified from both sides.

use crate::geom::math::{greater, lesser};
use crate::motion::{Cell, Frame};
use crate::query::sweep::cells::displacement;
use crate::query::sweep::judge::price;
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::run::{Failing, PROMISED_FLOORS, Sweep, SweepStatus};
use crate::query::sweep::widest::OverCell;
use crate::query::sweep::work::Work;

/// Number of the shortest cells without an answer after which the gap counts as equal to the limit. Ends of parts leave
/// some.
const MAX_UNKNOWN: u32 = 256;

/// A task of the search, in the order of the run.
enum Task {
    /// An interval to examine.
    Examine([f64; 2]),
    /// An interval with gaps above the limit throughout.
    Above([f64; 2]),
}

impl Sweep<'_> {
    /// Finds the parts with gaps above a limit (mm); only the first one if `first_alone`. Bounds over cells show where
    /// the gap keeps the limit. From a pose above it, proofs that the surfaces stay apart find the ends on both sides.
    /// `None` without a part, beyond the budget, and where the gap nearly equals the limit over some length. Cost: one
    /// static query for each cell, and two proofs for each part.
    pub(super) fn parts_above(&self, work: &mut Work, limit: f64, first_alone: bool) -> Option<Vec<Failing>> {
        let level = work.level(self.chain, limit);
        let query = price([self.a.surface, self.b.surface]);
        let mut found =
            PartsAbove { parts: Vec::new(), kept: self.range[0], current: None, unknown: 0.0, throughout: true };
        let mut tasks = vec![Task::Examine(self.range)];
        let mut unknown = 0;
        while let Some(task) = tasks.pop() {
            let [from, to] = match task {
                Task::Examine(ends) => ends,
                Task::Above([from, to]) => {
                    found.exceed(from, to, PROMISED_FLOORS * work.floor);
                    if first_alone {
                        // The rest of the run is unknown.
                        found.throughout = false;
                        break;
                    }
                    continue;
                }
            };
            if from == to && self.range[0] < self.range[1] {
                continue;
            }
            let cell = Cell::between(from, to);
            let frame = Frame::new(self.chain, &cell);
            let moved = displacement(&frame, &self.spans());
            work.frames += 1;
            if !work.budget.charge(query) || unknown > MAX_UNKNOWN {
                return None;
            }
            let over = OverCell::new(&work.still, &frame, moved, limit);
            let middle = cell.center[0];
            let splits = moved > work.floor && from < middle && middle < to;
            if over.most <= limit {
                found.keep(from, to);
            } else if over.least - moved > limit {
                tasks.push(Task::Above([from, to]));
            } else if splits && over.least > limit {
                let [start, end] = self.above_around(&level, work, middle, [from, to]);
                tasks.extend([Task::Examine([end, to]), Task::Above([start, end]), Task::Examine([from, start])]);
            } else if splits {
                tasks.extend([Task::Examine([middle, to]), Task::Examine([from, middle])]);
            } else {
                found.unknown += moved;
                unknown += 1;
            }
        }
        Some(found.finish(self.range[1])).filter(|parts| !parts.is_empty())
    }

    /// Interval about a pose with a gap above the level, at most `range`, that keeps a gap above it.
    fn above_around(&self, level: &Level, work: &mut Work, middle: f64, [from, to]: [f64; 2]) -> [f64; 2] {
        let late = self.scan(level, work, [middle, to], false);
        let early = self.scan(level, work, [from, middle], true);
        // A scan proves the level up to its first pose without a proof.
        let ends = |scan: &Scan| {
            let parts = scan.open.iter().chain(&scan.nested).chain(&scan.first);
            parts.copied().collect::<Vec<[f64; 2]>>()
        };
        let end = ends(&late).iter().map(|e| e[0]).fold(to, lesser);
        let start = ends(&early).iter().map(|e| e[1]).fold(from, greater);
        [lesser(start, middle), greater(end, middle)]
    }
}

/// Parts of a run with gaps above a limit, in order.
struct PartsAbove {
    parts: Vec<Failing>,
    /// End of the last cell with a gap within the limit.
    kept: f64,
    /// Part that is not closed yet: bracket of its start, and the last value known to be above the limit.
    current: Option<([f64; 2], f64)>,
    /// Displacement over the cells without an answer since the last one with an answer (mm, >= 0).
    unknown: f64,
    throughout: bool,
}

impl PartsAbove {
    /// A cell within the limit.
    fn keep(&mut self, from: f64, to: f64) {
        self.close(from);
        (self.kept, self.unknown) = (to, 0.0);
    }

    /// A cell above the limit at every value; cells without an answer before it join the part if B moves by at most
    /// `joined` (mm) in them.
    fn exceed(&mut self, from: f64, to: f64, joined: f64) {
        match &mut self.current {
            Some((_, end)) => {
                *end = to;
                self.throughout &= self.unknown <= joined;
            }
            None => self.current = Some(([self.kept, from], to)),
        }
        self.unknown = 0.0;
    }

    fn close(&mut self, kept: f64) {
        if let Some((from, end)) = self.current.take() {
            let status = SweepStatus::Loose;
            self.parts.push(Failing { status, from, to: [end, kept], throughout: true });
        }
    }

    fn finish(mut self, end: f64) -> Vec<Failing> {
        self.close(end);
        for part in &mut self.parts {
            part.throughout = self.throughout;
        }
        self.parts
    }
}
