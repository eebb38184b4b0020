//! The first free place along a line of translations.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::Triangle;
use crate::query::separation::blocked_interval::{Blocked, Line, blocked_interval};
use crate::query::separation::inset_pair::{InsetPair, SharedPoint};

/// Pairs of triangles that are asked for at one place before the search goes on.
const PAIRS_PER_STEP: usize = 12;

/// Of so many of them the ray tells how far what meets is stuck.
const RAYS_PER_STEP: usize = 3;

/// Pairs of triangles that are kept for other lines.
const MAX_KEPT: usize = 192;

/// Places asked along one line, at most.
const MAX_STEPS: u32 = 96;

/// From this many on leaps grow by a share of the way that is left.
const GROWTH_START: u32 = 32;

/// By that share.
const GROWTH_SHARE: f64 = 0.02;

/// What is known to block.
pub(crate) struct KnownBlockers {
    /// Corners, B's as they are without a translation.
    pairs: Vec<[Triangle; 2]>,
    /// Where the surfaces meet without a translation.
    places: Vec<SharedPoint>,
    /// Places that may still be asked for this pair.
    pub budget: u32,
}

/// Where a line became free, or how far it is known not to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineEnd {
    pub at: f64,
    /// Of what blocked it last.
    pub normal: Vec3,
    pub free: bool,
}

/// The search along one line.
struct LineSearch<'l> {
    line: &'l Line,
    /// What is known to block the line, in order of where that begins.
    known: Vec<Blocked>,
    next: usize,
    end: LineEnd,
    hair: f64,
}

impl LineSearch<'_> {
    /// Beyond an interval that begins here or before.
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
    /// Of what meets without a translation.
    pub(crate) fn new(pairs: Vec<[Triangle; 2]>, places: Vec<SharedPoint>, budget: u32) -> Self {
        Self { pairs, places, budget }
    }

    /// How far the line is blocked from its beginning on, as far as is known, and no farther than `limit` is asked.
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
            if let Some(b) = blocked_interval(a, b, line).filter(|b| b.from <= to) {
                to = greater(to, b.to);
            }
            if to >= limit {
                // What blocks one line blocks the next one, too.
                self.pairs.swap(k, k / 2);
                return to;
            }
        }
        to
    }

    /// The first free place from `from` on along the line, before `limit`; `hair` is what is added to every leap.
    pub(crate) fn walk(&mut self, slim: &InsetPair, line: &Line, [from, limit]: [f64; 2], hair: f64) -> LineEnd {
        let mut known: Vec<_> = self.pairs.iter().filter_map(|[a, b]| blocked_interval(a, b, line)).collect();
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
                // Rounding: what meets here ends here.
                walk.end.at = before + hair * f64::from(1_u32 << leap.min(20));
            }
        }
        walk.end
    }

    /// Whether nothing meets at the place where the walk stands; otherwise it goes on.
    fn test(&mut self, slim: &InsetPair, walk: &mut LineSearch, limit: f64) -> bool {
        let at = walk.end.at;
        let by = walk.line.along * at;
        let mut found = 0;
        slim.crossings(&by, |crossing| {
            found += 1;
            let [a, b] = crossing.corners;
            if let Some(blocked) = blocked_interval(&a, &b, walk.line) {
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
            found < PAIRS_PER_STEP && walk.end.at < limit
        });
        if found > 0 {
            return false;
        }
        let Some(nested) = slim.nested(&by) else { return true };
        walk.end.at += slim.exit_distance(&by, &nested, &walk.line.along, limit - at) + walk.hair;
        false
    }
}
