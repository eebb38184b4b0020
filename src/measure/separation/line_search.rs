//! Finds the first free translation along a line.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::Triangle;
use crate::measure::separation::blocked_interval::{Blocked, EVERYWHERE, Line, blocked_interval};
use crate::measure::separation::inset_pair::{InsetPair, SharedPoint};

/// Maximum number of intersecting pairs of triangles collected at one trial.
const PAIRS_PER_STEP: usize = 12;

/// Number of these pairs with exit distances by rays.
const RAYS_PER_STEP: usize = 3;

/// Maximum number of pairs of triangles kept for other lines.
const MAX_KEPT: usize = 192;

/// Maximum number of trials along one line.
const MAX_STEPS: u32 = 96;

/// Trial from which steps grow by a share of the remaining length.
const GROWTH_START: u32 = 32;

/// Share of the remaining length added to a late step.
const GROWTH_SHARE: f64 = 0.02;

/// Known blockers of a pair.
pub(crate) struct KnownBlockers {
    /// Corners of intersecting pairs of triangles, B's without a translation (A's frame).
    pairs: Vec<[Triangle; 2]>,
    /// Contacts of the surfaces without a translation.
    places: Vec<SharedPoint>,
    /// Number of trials left for this pair.
    pub budget: u32,
}

/// End of a line search: the free translation, or the length known to be blocked (mm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineEnd {
    pub at: f64,
    /// Contact normal of the last blocker.
    pub normal: Vec3,
    pub free: bool,
}

/// Search along one line.
struct LineSearch<'l> {
    line: &'l Line,
    /// Known blocked intervals of the line, sorted by their beginning.
    known: Vec<Blocked>,
    next: usize,
    end: LineEnd,
    hair: f64,
}

impl LineSearch<'_> {
    /// Steps over an interval beginning here or before.
    fn step_over(&mut self, b: &Blocked) {
        if b.to + self.hair > self.end.at {
            self.end = LineEnd { at: b.to + self.hair, normal: b.normal, free: false };
        }
    }

    fn pass_known(&mut self) {
        while let Some(b) = self.known.get(self.next).copied().filter(|b| b.from <= self.end.at) {
            self.step_over(&b);
            self.next += 1;
        }
    }
}

impl KnownBlockers {
    /// Creates the blockers from the contacts without a translation.
    pub(crate) fn new(pairs: Vec<[Triangle; 2]>, places: Vec<SharedPoint>, budget: u32) -> Self {
        Self { pairs, places, budget }
    }

    /// Computes the blocked length from the beginning of the line, by the known blockers, at most about `limit` (mm).
    pub(crate) fn first(&mut self, slim: &InsetPair, line: &Line, limit: f64) -> f64 {
        let mut to = 0.0;
        for k in 0..self.places.len() {
            to = greater(to, slim.is_blocked(&Vec3::zeros(), &self.places[k], &line.along, limit));
            if to >= limit {
                self.places.swap(k, k / 2);
                return to;
            }
        }
        for k in 0..self.pairs.len() {
            let [a, b] = &self.pairs[k];
            if let Some(b) = blocked_interval(a, b, line, [to, to]).filter(|b| b.from <= to) {
                to = greater(to, b.to);
            }
            if to >= limit {
                // A blocker of one line often blocks the next one: move it forward.
                self.pairs.swap(k, k / 2);
                return to;
            }
        }
        to
    }

    /// Finds the first free translation along the line from `from` on and before `limit` (mm); `hair` is added to every
    /// step (mm).
    pub(crate) fn walk(&mut self, slim: &InsetPair, line: &Line, [from, limit]: [f64; 2], hair: f64) -> LineEnd {
        let blocked = |[a, b]: &[Triangle; 2]| blocked_interval(a, b, line, [from - hair, limit]);
        let mut known: Vec<_> = self.pairs.iter().filter_map(blocked).collect();
        known.sort_by(|x, y| x.from.total_cmp(&y.from));
        let end = LineEnd { at: from, normal: line.along, free: false };
        let mut walk = LineSearch { line, known, next: 0, end, hair };
        for leap in 0..MAX_STEPS {
            walk.pass_known();
            if walk.end.at >= limit || self.budget == 0 {
                return walk.end;
            }
            self.budget -= 1;
            let before = walk.end.at;
            if self.test(slim, &mut walk, limit) {
                walk.end.free = true;
                return walk.end;
            }
            if leap >= GROWTH_START {
                walk.end.at += GROWTH_SHARE * (limit - walk.end.at);
            } else if walk.end.at <= before {
                // Rounding prevented a step: the contact here ends here, so step on by a growing minimum.
                walk.end.at = before + hair * f64::from(1_u32 << leap.min(20));
            }
        }
        walk.end
    }

    /// Tests the current translation. Returns true if it is free; otherwise steps over the blockers found.
    fn test(&mut self, slim: &InsetPair, walk: &mut LineSearch, limit: f64) -> bool {
        let at = walk.end.at;
        let by = walk.line.along * at;
        let mut found = 0;
        slim.crossings(&by, PAIRS_PER_STEP, |crossing| {
            found += 1;
            let [a, b] = crossing.corners;
            if let Some(blocked) = blocked_interval(&a, &b, walk.line, EVERYWHERE) {
                walk.step_over(&blocked);
            }
            if self.pairs.len() < MAX_KEPT {
                self.pairs.push([a, b]);
            }
            if found <= RAYS_PER_STEP {
                let more = slim.is_blocked(&by, &slim.common(&by, &crossing), &walk.line.along, limit - at);
                if at + more > walk.end.at {
                    walk.end.at = at + more;
                }
            }
            walk.end.at < limit
        });
        if found > 0 {
            return false;
        }
        let Some(nested) = slim.nested(&by) else { return true };
        walk.end.at += slim.exit_distance(&by, &nested, &walk.line.along, limit - at) + walk.hair;
        false
    }
}
