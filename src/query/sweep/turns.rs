//! Runs of more than one turn about a single axis: every turn repeats the first one.
//!
//! The pose of B is the same after each turn, so the first turn decides the run. Its failing parts repeat.

use crate::motion::{Cell, Chain, JointKind};
use crate::query::sweep::cells::merged;
use crate::query::sweep::parts::{BREAKING, in_order};
use crate::query::sweep::run::{Failing, Sweep, SweepAnswer, SweepStatus};
use crate::query::sweep::work::balls;

/// Largest number of turns for which failing or open parts repeat.
const MAX_TURNS: f64 = 1000.0;

/// Degrees of one turn.
const TURN: f64 = 360.0;

impl Sweep<'_> {
    /// The same sweep over its first turn; `None` unless one joint alone moves, turns at a constant rate, and turns by
    /// more than once. The rounding of the other turns enters its margins.
    pub(crate) fn first_turn(&self) -> Option<Self> {
        let [from, to] = self.range;
        let end = from + turn_of(self.chain)?;
        let [_, (center, radius)] = balls([self.a, self.b]);
        let rounding = self.chain.rounding(&Cell::between(from, to), center.norm() + radius);
        (end < to).then_some(Self { range: [from, end], residual: self.residual + rounding, ..*self })
    }
}

impl SweepAnswer {
    /// The answer for all turns of `whole`, given the answer for its first turn. `None` if a bracket leaves open how a
    /// failing part continues in the next turn, or at the end of the run, and for very many turns with such parts.
    pub(crate) fn repeated(mut self, turn: &Sweep, whole: &Sweep) -> Option<Self> {
        if self.failing.is_empty() && self.open.is_empty() {
            return Some(self);
        }
        let ends = whole.range;
        let period = turn.range[1] - turn.range[0];
        if ends[1] - ends[0] > MAX_TURNS * period {
            return None;
        }
        let turns = libm::ceil((ends[1] - ends[0]) / period) as u32;
        let shifts: Vec<f64> = (0..=turns).map(|k| f64::from(k) * period).filter(|s| ends[0] + s < ends[1]).collect();
        let of = |status: SweepStatus| -> Option<Vec<Failing>> {
            let parts: Vec<Failing> = self.failing.iter().filter(|f| f.status == status).copied().collect();
            match parts.as_slice() {
                // The broken pose alone is known.
                [f] if is_open([f.from, f.to], turn.range) || !turn.measured => {
                    Some(vec![Failing { to: [f.to[0], ends[1]], ..*f }])
                }
                parts => repeated_parts(parts, turn.range, &shifts, ends[1]),
            }
        };
        let parts = BREAKING.map(of).into_iter().collect::<Option<Vec<_>>>()?;
        self.failing = in_order(parts.concat());
        let open = shifts.iter().flat_map(|s| self.open.iter().map(move |o| [o[0] + s, (o[1] + s).min(ends[1])]));
        self.open = merged(open.filter(|o| o[0] < ends[1]).collect());
        // A share of 0 says that no part is proved, also outside the open parts.
        if self.proved > 0.0 {
            self.proved = whole.share_without(&self.open);
        }
        self.wide_ends = whole.measured && !whole.wide_ends(&self.failing, whole.work().floor).is_empty();
        Some(self)
    }
}

/// Change of the parameter by which the pose of B repeats.
fn turn_of(chain: &Chain) -> Option<f64> {
    let chain = chain.without_constants();
    let [only] = chain.joints.as_slice() else { return None };
    let [rate] = only.law.rates.as_slice() else { return None };
    (only.joint.kind == JointKind::Revolute && only.law.solved.is_none()).then(|| TURN / rate.abs())
}

/// True if both ends of a part may be anywhere between a broken pose and the ends of the range.
fn is_open([from, to]: [[f64; 2]; 2], range: [f64; 2]) -> bool {
    from[0] == range[0] && from[0] < from[1] && to[1] == range[1] && to[0] < to[1]
}

/// Failing parts of the first turn, shifted to all turns, up to `end`; parts that meet between two turns become one.
fn repeated_parts(parts: &[Failing], range: [f64; 2], shifts: &[f64], end: f64) -> Option<Vec<Failing>> {
    // A bracket that reaches the end of a turn leaves the next turn open.
    let is_unclear =
        |f: &Failing| (f.from[0] == range[0] && f.from[0] < f.from[1]) || (f.to[1] == range[1] && f.to[0] < f.to[1]);
    let at_start = parts.first().is_some_and(|f| f.from == [range[0]; 2]);
    let at_end = parts.last().is_some_and(|f| f.to == [range[1]; 2]);
    if at_start != at_end || parts.iter().any(is_unclear) {
        return None;
    }
    let mut out: Vec<Failing> = Vec::new();
    for (k, shift) in shifts.iter().enumerate() {
        for (i, f) in parts.iter().enumerate() {
            let shifted = |bracket: [f64; 2]| bracket.map(|x| x + shift);
            let next = Failing { from: shifted(f.from), to: shifted(f.to), ..*f };
            if next.from[0] >= end {
                break;
            }
            let next = cut_off(next, end)?;
            match out.last_mut() {
                Some(last) if k > 0 && i == 0 && at_start => {
                    last.to = next.to;
                    last.throughout &= next.throughout;
                }
                _ => out.push(next),
            }
        }
    }
    Some(out)
}

/// The part up to the end of a run; `None` if the pose at that end may keep the rule or break it.
fn cut_off(part: Failing, end: f64) -> Option<Failing> {
    let Failing { status, from, to, throughout } = part;
    if to[1] <= end {
        return Some(part);
    }
    if from[1] > end {
        return None;
    }
    let to = if to[0] > end { [end; 2] } else { [to[0], end] };
    (to[0] < end || throughout).then_some(Failing { status, from, to, throughout })
}
