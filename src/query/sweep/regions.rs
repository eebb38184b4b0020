//! Cells of several parameters: boxes of joint values, halved on demand, each with its frame.

use crate::geom::Vec3;
use crate::motion::{Cell, Chain, Frame};
use crate::query::sweep::cells::displacement;
use crate::query::sweep::prove::Judgement;

/// A box of parameter values with the chain at its middle.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// Least and largest value of each parameter.
    pub ends: Vec<[f64; 2]>,
    /// The box as a cell.
    pub cell: Cell,
    /// Chain at the middle.
    pub frame: Frame,
    /// Largest displacement of any point of B within the box, from its place at the middle, or of A seen from B: the
    /// smaller one (mm).
    pub displacement: f64,
    /// Judgement of the pose in the middle, once made.
    pub judged: Option<Judgement>,
    /// First of the two halves along each parameter, once made.
    halves: Vec<Option<u32>>,
    parent: Option<u32>,
}

/// All boxes of a run made so far.
pub(crate) struct Regions<'a> {
    chain: &'a Chain,
    /// Spans of A and B ([`spans`](crate::query::sweep::work::spans)).
    spans: [(Vec3, f64); 2],
    all: Vec<Region>,
}

impl<'a> Regions<'a> {
    /// Starts with the ranges of all parameters as box 0.
    pub(crate) fn new(chain: &'a Chain, ranges: &[[f64; 2]], spans: [(Vec3, f64); 2]) -> Self {
        let mut regions = Self { chain, spans, all: Vec::new() };
        let root = regions.region(ranges.to_vec(), None);
        regions.all.push(root);
        regions
    }

    fn region(&self, ends: Vec<[f64; 2]>, parent: Option<u32>) -> Region {
        let cell = cell_of(&ends);
        let frame = Frame::new(self.chain, &cell);
        let displacement = displacement(&frame, &self.spans);
        let halves = vec![None; ends.len()];
        Region { ends, cell, frame, displacement, judged: None, halves, parent }
    }

    pub(crate) fn get(&self, id: u32) -> &Region {
        &self.all[id as usize]
    }

    /// Number of boxes, each with one frame.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// The parameter with the largest share of the motion of a ball about `center` (A's frame, mm); `None` if no
    /// number lies between the ends of any.
    pub(crate) fn widest(&self, id: u32, center: &Vec3, radius: f64) -> Option<usize> {
        let region = self.get(id);
        let motion =
            |p: usize| region.frame.drifts.get(p).map_or(0.0, |t| t.of(center).norm() + t.turn.norm() * radius);
        let splits = |p: &usize| middle(region.ends[*p]).is_some();
        (0..region.ends.len()).filter(splits).max_by(|x, y| motion(*x).total_cmp(&motion(*y)).then(y.cmp(x)))
    }

    /// Both halves of a box along a parameter; `None` if no number lies between the ends.
    pub(crate) fn halves(&mut self, id: u32, parameter: usize) -> Option<[u32; 2]> {
        let region = self.get(id);
        let middle = middle(region.ends[parameter])?;
        if let Some(first) = region.halves[parameter] {
            return Some([first, first + 1]);
        }
        let first = self.all.len() as u32;
        let [mut low, mut high] = [region.ends.clone(), region.ends.clone()];
        low[parameter][1] = middle;
        high[parameter][0] = middle;
        for ends in [low, high] {
            let half = self.region(ends, Some(id));
            self.all.push(half);
        }
        self.all[id as usize].halves[parameter] = Some(first);
        Some([first, first + 1])
    }

    /// Records the judgement of a box.
    pub(crate) fn judge(&mut self, id: u32, judgement: Judgement) {
        self.all[id as usize].judged = Some(judgement);
    }

    /// True if the rule is known to hold on the whole box, or on one that contains it.
    pub(crate) fn is_settled(&self, id: u32) -> bool {
        let holds = |id: &u32| self.get(*id).judged == Some(Judgement::Holds);
        std::iter::successors(Some(id), |id| self.get(*id).parent).any(|id| holds(&id))
    }
}

/// The middle of a range; `None` if it equals an end.
pub(crate) fn middle([from, to]: [f64; 2]) -> Option<f64> {
    let middle = from + 0.5 * (to - from);
    (middle > from && middle < to).then_some(middle)
}

/// The box between the ends of each parameter.
pub(crate) fn cell_of(ends: &[[f64; 2]]) -> Cell {
    let each = ends.iter().map(|[from, to]| Cell::between(*from, *to));
    let (center, half) = each.map(|c| (c.center[0], c.half[0])).unzip();
    Cell { center, half }
}
