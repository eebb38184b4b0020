//! Finds the first free translation along a line.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::Triangle;
use crate::measure::separation::blocked_interval::{Blocked, EVERYWHERE, Line, blocked_interval};
use crate::measure::separation::inset_pair::{InsetPair, SharedPoint};

/// Maximum number of intersecting pairs of triangles collected at one trial.
const PAIRS_PER_STEP: usize = 4;

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

/// Known blocker of a line, its interval not yet computed.
#[derive(Clone, Copy)]
struct Blocker {
    /// Bounds of its blocked interval (mm along the line). The lower one is infinite once the interval is computed.
    within: [f64; 2],
    /// Index of its pair of triangles.
    pair: usize,
}

/// Search along one line.
struct LineSearch<'l> {
    line: &'l Line,
    /// Known blockers that may end after the translation, the farthest bound first.
    known: Vec<Blocker>,
    /// Computed intervals that begin after the translation.
    later: Vec<Blocked>,
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

    /// Steps over all known intervals beginning here or before. Computes an interval only if it may end after the
    /// translation.
    fn pass_known(&mut self, pairs: &[[Triangle; 2]]) {
        loop {
            let at = self.end.at;
            if let Some(k) = self.later.iter().position(|b| b.from <= at) {
                let reached = self.later.swap_remove(k);
                self.step_over(&reached);
                continue;
            }
            self.known.truncate(self.known.partition_point(|b| b.within[1] + self.hair > at));
            let Some(next) = self.known.iter_mut().find(|b| b.within[0] <= at) else { return };
            next.within[0] = f64::INFINITY;
            let [a, b] = &pairs[next.pair];
            self.later.extend(blocked_interval(a, b, self.line, EVERYWHERE));
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
        let blocker = |(pair, corners): (usize, &[Triangle; 2])| {
            let within = line.bounds(corners);
            let counts = within[1] >= from - hair && within[0] <= limit;
            counts.then_some(Blocker { within, pair })
        };
        let mut known: Vec<_> = self.pairs.iter().enumerate().filter_map(blocker).collect();
        known.sort_by(|x, y| y.within[1].total_cmp(&x.within[1]));
        let end = LineEnd { at: from, normal: line.along, free: false };
        let mut walk = LineSearch { line, known, later: Vec::new(), end, hair };
        for leap in 0..MAX_STEPS {
            walk.pass_known(&self.pairs);
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
