//! Cells of one parameter: intervals of a run, split in the middle on demand, each with its frame.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::motion::{Cell, Chain, Frame};
use crate::query::sweep::prove::Judgement;

/// An interval of the parameter with the chain at its middle.
#[derive(Debug, Clone)]
pub(crate) struct Interval {
    /// Start of the interval.
    pub from: f64,
    /// End of the interval.
    pub to: f64,
    /// Value of the parameter in the middle.
    pub middle: f64,
    /// Chain at the middle.
    pub frame: Frame,
    /// Largest displacement of any point of B within the interval, from its place at the middle, or of A seen from B:
    /// the smaller one (mm).
    pub displacement: f64,
    /// Judgement of the pose in the middle, once made.
    pub judged: Option<Judgement>,
    /// True once the interval counts as open.
    pub is_open: bool,
    halves: Option<u32>,
    parent: Option<u32>,
}

impl Interval {
    /// Evaluates a chain in the middle of an interval. `spans` are those of A and B.
    pub(crate) fn new(chain: &Chain, [from, to]: [f64; 2], spans: &[(Vec3, f64); 2]) -> Self {
        let cell = Cell::between(from, to);
        let frame = Frame::new(chain, &cell);
        let displacement = displacement(&frame, spans);
        Self {
            from,
            to,
            middle: cell.center[0],
            frame,
            displacement,
            judged: None,
            is_open: false,
            halves: None,
            parent: None,
        }
    }
}

/// A part of a run of one parameter, and the spans of A and B ([`spans`](crate::query::sweep::work::spans)).
pub(crate) struct RunPart<'a> {
    pub chain: &'a Chain,
    pub range: [f64; 2],
    pub spans: [(Vec3, f64); 2],
}

/// All intervals of a run made so far. Each is made once.
pub(crate) struct Cells<'a> {
    chain: &'a Chain,
    /// Spans of A and B.
    spans: [(Vec3, f64); 2],
    all: Vec<Interval>,
}

impl<'a> Cells<'a> {
    /// Starts with the whole range of a run as interval 0.
    pub(crate) fn new(chain: &'a Chain, range: [f64; 2], spans: [(Vec3, f64); 2]) -> Self {
        let mut cells = Self { chain, spans, all: Vec::new() };
        let root = cells.interval(range[0], range[1], None);
        cells.all.push(root);
        cells
    }

    fn interval(&self, from: f64, to: f64, parent: Option<u32>) -> Interval {
        Interval { parent, ..Interval::new(self.chain, [from, to], &self.spans) }
    }

    pub(crate) fn get(&self, id: u32) -> &Interval {
        &self.all[id as usize]
    }

    /// Number of intervals, each with one frame.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The earlier and the later half; `None` if no number lies between the ends.
    pub(crate) fn halves(&mut self, id: u32) -> Option<[u32; 2]> {
        let Interval { from, to, middle, halves, .. } = self.all[id as usize];
        if middle <= from || middle >= to {
            return None;
        }
        if let Some(first) = halves {
            return Some([first, first + 1]);
        }
        let first = self.all.len() as u32;
        let (early, late) = (self.interval(from, middle, Some(id)), self.interval(middle, to, Some(id)));
        self.all.extend([early, late]);
        self.all[id as usize].halves = Some(first);
        Some([first, first + 1])
    }

    /// Records the judgement of an interval.
    pub(crate) fn judge(&mut self, id: u32, judgement: Judgement) {
        self.all[id as usize].judged = Some(judgement);
    }

    /// Counts an interval as open; false if it did already.
    pub(crate) fn open(&mut self, id: u32) -> bool {
        !std::mem::replace(&mut self.all[id as usize].is_open, true)
    }

    /// True if the rule is known to hold on the whole interval, or on one that contains it.
    pub(crate) fn is_settled(&self, id: u32) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            let cell = &self.all[id as usize];
            if cell.judged == Some(Judgement::Holds) {
                return true;
            }
            at = cell.parent;
        }
        false
    }
}

/// Largest displacement of B over a cell, or of A seen from B: the smaller one (mm). The spans are those of
/// A and B ([`spans`](crate::query::sweep::work::spans)).
pub(crate) fn displacement(frame: &Frame, [a, b]: &[(Vec3, f64); 2]) -> f64 {
    let center = frame.pose.point(&b.0);
    let of_b = frame.spread(|axis| axis.distance(&center) + b.1).displacement;
    let of_a = frame.spread_of_a(|axis| axis.distance(&a.0) + a.1).displacement;
    lesser(of_a, of_b)
}

/// Sorts intervals and joins those that touch or overlap.
pub(crate) fn merged(mut intervals: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    intervals.sort_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
    let mut out: Vec<[f64; 2]> = Vec::new();
    for next in intervals {
        match out.last_mut() {
            Some(last) if next[0] <= last[1] => last[1] = last[1].max(next[1]),
            _ => out.push(next),
        }
    }
    out
}

/// The parts of a range outside some sorted, separate intervals.
pub(crate) fn outside(range: [f64; 2], intervals: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut out = Vec::new();
    let mut from = range[0];
    for i in intervals {
        if i[0] > from {
            out.push([from, i[0].min(range[1])]);
        }
        from = from.max(i[1]);
    }
    if from < range[1] || (intervals.is_empty() && from <= range[1]) {
        out.push([from, range[1]]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_intervals_join_and_the_rest_is_outside() {
        let joined = merged(vec![[3.0, 4.0], [0.5, 1.0], [1.0, 2.0], [3.5, 3.75]]);
        assert_eq!(joined, [[0.5, 2.0], [3.0, 4.0]]);
        assert_eq!(outside([0.0, 5.0], &joined), [[0.0, 0.5], [2.0, 3.0], [4.0, 5.0]]);
        assert_eq!(outside([0.0, 1.0], &[]), [[0.0, 1.0]]);
        assert_eq!(outside([0.0, 1.0], &[[0.0, 1.0]]), Vec::<[f64; 2]>::new());
    }
}
