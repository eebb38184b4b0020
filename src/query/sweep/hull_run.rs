//! Proves that two convex solids never come within a distance during a run of one parameter.
//!
//! The search of `prove` with one test for each interval, since the hulls stand for all triangles. An interval without
//! a proof is divided where its bounds predict the distance, so a first contact takes a dozen intervals instead of one
//! for each bit of its value. docs/explanation/motion.md, claim 5.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::query::sweep::cells::{Interval, RunPart};
use crate::query::sweep::hulls::{HullMotion, HullsTested, MovingHulls};
use crate::query::sweep::prove::{Budget, Judgement, Proof, Search};

/// Smallest part of an interval, as a share of its half, that is worth a division of its own: intervals with smaller
/// parts are halved.
const WORTHWHILE: f64 = 0.125;

/// Largest ratio of the longer side of a part to the shorter one, from the middle of the interval. The remainder of the
/// part counts from its own middle, with the square of (1 + 1.8)/2: it stays below twice the remainder on the shorter
/// side, which the prediction keeps free.
const LONGER_SIDE: f64 = 1.8;

/// Number of intervals after which the orbits of the triangles are examined: they may keep all apart.
const ORBITS_AFTER: usize = 24;

/// An interval that remains.
struct Piece {
    range: [f64; 2],
    /// True if it was predicted to stay apart: without a proof it is halved, so every second division halves.
    predicted: bool,
}

/// Two hulls on their way, with the margins of every proof.
pub(crate) struct HullCourse<'a> {
    pub hulls: &'a MovingHulls<'a>,
    /// Distance up to which a pose is judged (mm, >= 0), at least that of the proof.
    pub judged_within: f64,
    /// Rounding margin of every bound (mm, > 0).
    pub margin: f64,
    /// Displacement within an interval below which it is not split further (mm, > 0).
    pub floor: f64,
    /// Number of open intervals after which the whole run counts as open; unlimited without one.
    pub patience: Option<u32>,
}

impl HullCourse<'_> {
    /// Tries to prove that two hulls never come within `distance` (mm, >= 0), as [`Course::prove`] does for triangles.
    /// Returns the number of intervals, too. `by_orbits` tries a proof by the orbits of the triangles.
    ///
    /// [`Course::prove`]: crate::query::sweep::prove::Course::prove
    pub(crate) fn prove(
        &self,
        run: &RunPart,
        distance: f64,
        budget: &mut Budget,
        by_orbits: impl Fn(&mut Budget) -> Option<Proof>,
        mut judge: impl FnMut(&Interval, [Vec3; 2], &mut Budget) -> Judgement,
    ) -> (Proof, usize) {
        let enough = distance + self.margin;
        let mut search = Search::new(Piece { range: run.range, predicted: false });
        let mut count = 0;
        while let Some(Piece { range: [from, to], predicted }) = search.stack.pop() {
            if search.violation.is_some_and(|v| from >= v.at) {
                continue;
            }
            if !budget.take(1) {
                search.open.push([from, to]);
                continue;
            }
            if count == ORBITS_AFTER
                && search.violation.is_none()
                && let Some(proof) = by_orbits(budget)
            {
                return (proof, count);
            }
            let interval = Interval::new(run.chain, [from, to], &run.spans);
            count += 1;
            let HullsTested::Near { near, motions, .. } = self.hulls.test(&interval.frame, enough, self.margin) else {
                continue;
            };
            let middle = interval.middle;
            let splits = interval.displacement > search.floor(self.floor) && from < middle && middle < to;
            if near.is_within(self.judged_within, self.margin) {
                match judge(&interval, near.points, budget) {
                    Judgement::Holds => continue,
                    Judgement::Broken => {
                        search.record(middle, near.points);
                        if splits {
                            search.stack.push(Piece { range: [from, middle], predicted: false });
                        } else {
                            search.open.push([from, middle]);
                        }
                        continue;
                    }
                    Judgement::Final => {
                        search.end_at(middle, near.points, run.range);
                        break;
                    }
                    Judgement::Open => {}
                }
            }
            if splits {
                let motions = motions.as_ref().filter(|_| !predicted);
                let pieces = self.pieces(&interval, motions, enough);
                search.stack.extend(pieces.into_iter().rev());
            } else if search.gives_up([from, to], true, self.patience) {
                search.open.push(run.range);
                break;
            }
        }
        (search.finish(), count)
    }

    /// Divides an interval about the part that is predicted to stay farther apart than `enough` (mm), and about the
    /// ends of that part; into halves if there is none, and without the motions of the hulls.
    fn pieces(&self, whole: &Interval, by: Option<&[HullMotion; 2]>, enough: f64) -> Vec<Piece> {
        let Interval { from, to, middle, .. } = *whole;
        // Half the length of an interval at the floor, as a share of half of this one.
        let least = 0.5 * self.floor / whole.displacement;
        let crossing = |end| by.map_or([0.0; 2], |by| self.hulls.crossing(&whole.frame, by, end, enough, least));
        let [before, after] = [crossing(0), crossing(1)];
        let mut cuts = vec![middle];
        if before[0] + after[0] >= WORTHWHILE {
            let (back, ahead) = (middle - from, to - middle);
            let start = lesser(before[0], LONGER_SIDE * after[0]);
            let end = lesser(after[0], LONGER_SIDE * before[0]);
            cuts = [before[1], before[0], start].map(|share| middle - share * back).to_vec();
            cuts.extend([end, after[0], after[1]].map(|share| middle + share * ahead));
        }
        let mut ends = vec![from];
        for cut in cuts {
            if cut > ends[ends.len() - 1] && cut < to {
                ends.push(cut);
            }
        }
        if ends.len() == 1 {
            ends.push(middle);
        }
        ends.push(to);
        let piece = |range: [f64; 2]| Piece { range, predicted: range[0] < middle && middle < range[1] };
        ends.windows(2).map(|pair| piece([pair[0], pair[1]])).collect()
    }
}
