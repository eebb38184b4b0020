//! Boxes that hold the instances over the cells of a run: the pairs whose boxes never meet are clear.

use crate::assembly::{Assembly, RuleTable};
use crate::broad::BoxTree;
use crate::check::motion::sweep::radius;
use crate::check::pairs::candidates::{Candidate, close_pairs, with_rules};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::Shapes;
use crate::geom::math::{UNIT_ROUNDOFF, lesser};
use crate::geom::{Aabb, Pose, Vec3};
use crate::motion::{Cell, Chain, Frame, Segment};
use rayon::prelude::*;
use std::cell::OnceCell;
use std::ops::Range;

/// Boxes of a segment for each instance: neighbouring cells share a box.
const BOXES: usize = 16;

/// Largest number of instances whose boxes are made on demand, by one thread.
const FEW: usize = 8;

/// Angle from the centre of neighbouring cells (radians) up to which one box for all of them is about as tight as the
/// union of their boxes: the remainder grows with its square.
const WIDE_TURN: f64 = 0.25;

/// Boxes of all instances over a run (mm, root frame).
pub(crate) struct SweptBoxes {
    /// Boxes of each instance in the order of the run; one for an instance that the run leaves at rest.
    of: Vec<Vec<Aabb>>,
}

impl SweptBoxes {
    /// Boxes over the cells of all segments, grown by `by` (mm) and the rounding bound. Cost: one configuration of its
    /// joints for each moving instance and cell.
    pub(crate) fn of(assembly: &Assembly, shapes: &Shapes, segments: &[Segment], by: f64) -> Self {
        let instances = (0..assembly.instances.len()).into_par_iter();
        Self { of: instances.map(|k| Way::of(assembly, shapes, segments, by, k).boxes()).collect() }
    }

    /// Pairs with boxes that meet somewhere in the run, as ascending indices, sorted; without the ignored ones, and
    /// with those under a largest gap.
    pub(crate) fn candidates(&self, rules: &RuleTable) -> Vec<Candidate> {
        let whole: Vec<Aabb> = self.of.iter().map(|own| own.iter().fold(Aabb::EMPTY, |all, b| all.union(b))).collect();
        let mut pairs = close_pairs(&BoxTree::new(&whole), whole.len());
        pairs.retain(|(a, b)| self.meet(*a as usize, *b as usize));
        with_rules(pairs, rules)
    }

    /// True if the boxes of two instances meet in a part of the run.
    fn meet(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.of[a], &self.of[b]);
        let of = |boxes: &[Aabb], k: usize| boxes[if boxes.len() == 1 { 0 } else { k }];
        (0..a.len().max(b.len())).any(|k| of(a, k).meets(&of(b, k)))
    }
}

/// An instance on its way over a run.
struct Way<'a> {
    shape: &'a Shape,
    segments: &'a [Segment],
    /// Motion over each segment.
    chains: Vec<Chain>,
    /// Segment and cells of each box, in the order of the run; one box for an instance that the run leaves at rest.
    parts: Vec<(usize, Range<usize>)>,
    /// Length by which the boxes grow (mm, >= 0).
    by: f64,
}

impl<'a> Way<'a> {
    /// The way of an instance; its boxes grow by `by` (mm) and the rounding bound.
    fn of(assembly: &Assembly, shapes: &'a Shapes, segments: &'a [Segment], by: f64, instance: usize) -> Self {
        let placed = &shapes.placed[instance];
        let shape = &shapes.all[placed.shape as usize];
        let drawn = Pose { rotation: placed.pose.rotation, translation: placed.pose.point(&shape.inner().origin) };
        let root = Pose::identity();
        let joint = assembly.instances[instance].joint;
        let mechanism = &assembly.motion.mechanism;
        let chain_of = |segment: &Segment| mechanism.chain_between(None, joint, [&root, &drawn], &segment.laws);
        let chains: Vec<Chain> = segments.iter().map(chain_of).collect();
        let counts = segments.iter().map(Segment::cell_count).enumerate().filter(|(_, count)| *count > 0);
        let parts = if chains.iter().all(Chain::is_static) {
            // The box is the same in all cells.
            counts.take(1).map(|(segment, _)| (segment, 0..1)).collect()
        } else {
            let parts_of = |(segment, count): (usize, usize)| {
                let together = count.div_ceil(BOXES);
                (0..count).step_by(together).map(move |first| (segment, first..count.min(first + together)))
            };
            counts.flat_map(parts_of).collect()
        };
        Self { shape, segments, chains, parts, by: by + placed.residual }
    }

    /// Box of one part of the way.
    fn part(&self, k: usize) -> Aabb {
        let (segment, cells) = &self.parts[k];
        over_cells(self.shape, &self.chains[*segment], &self.segments[*segment], cells.clone(), self.by)
    }

    fn boxes(&self) -> Vec<Aabb> {
        (0..self.parts.len()).map(|k| self.part(k)).collect()
    }
}

/// Boxes of a few instances over a run, made on demand: the first parts of a pair that meet end its search.
pub(crate) struct BoxesOnDemand<'a> {
    ways: Vec<Way<'a>>,
    /// Boxes made so far of each instance.
    made: Vec<Vec<OnceCell<Aabb>>>,
}

impl<'a> BoxesOnDemand<'a> {
    pub(crate) fn of(assembly: &Assembly, shapes: &'a Shapes, segments: &'a [Segment], by: f64) -> Self {
        let ways: Vec<Way> =
            (0..assembly.instances.len()).map(|k| Way::of(assembly, shapes, segments, by, k)).collect();
        let made = ways.iter().map(|way| vec![OnceCell::new(); way.parts.len()]).collect();
        Self { ways, made }
    }

    /// The pairs of [`SweptBoxes::candidates`].
    pub(crate) fn candidates(&self, rules: &RuleTable) -> Vec<Candidate> {
        let count = self.ways.len();
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        with_rules(all.filter(|(a, b)| self.meet(*a, *b)).map(|(a, b)| (a as u32, b as u32)).collect(), rules)
    }

    fn meet(&self, a: usize, b: usize) -> bool {
        let (of_a, of_b) = (self.made[a].len(), self.made[b].len());
        let at = |instance: usize, k: usize| {
            let k = if self.made[instance].len() == 1 { 0 } else { k };
            *self.made[instance][k].get_or_init(|| self.ways[instance].part(k))
        };
        from_the_end(if of_a.min(of_b) == 0 { 0 } else { of_a.max(of_b) }).any(|k| at(a, k).meets(&at(b, k)))
    }
}

/// All numbers below `count`, evenly spread from the last one on: a run often ends where parts meet.
fn from_the_end(count: usize) -> impl Iterator<Item = usize> {
    let all = count.next_power_of_two();
    let spread = move |k: usize| k.reverse_bits().checked_shr(usize::BITS - all.ilog2()).unwrap_or(0);
    (0..all).map(spread).filter(move |k| *k < count).map(move |k| count - 1 - k)
}

/// The pairs of instances that come close over a run by their boxes, grown by `by` (mm) and the rounding bound: as
/// ascending indices, sorted; without the ignored ones, and with those under a largest gap.
pub(crate) fn close_candidates(
    assembly: &Assembly,
    shapes: &Shapes,
    segments: &[Segment],
    by: f64,
    rules: &RuleTable,
) -> Vec<Candidate> {
    if assembly.instances.len() <= FEW {
        return BoxesOnDemand::of(assembly, shapes, segments, by).candidates(rules);
    }
    SweptBoxes::of(assembly, shapes, segments, by).candidates(rules)
}

/// Box of a shape over neighbouring cells, grown by `by` (mm): that of the cell around them, or the union of theirs if
/// the shape turns far.
fn over_cells(shape: &Shape, chain: &Chain, segment: &Segment, cells: Range<usize>, by: f64) -> Aabb {
    let around = segment.cell(cells.clone());
    let frame = Frame::new(chain, &around);
    let angle: f64 = frame.axes.iter().map(|axis| axis.angle).sum();
    if angle <= WIDE_TURN || cells.len() < 2 {
        return over_frame(shape, chain, (&around, &frame), by);
    }
    cells.map(|k| over_cell(shape, chain, &segment.cell(k..k + 1), by)).fold(Aabb::EMPTY, |all, b| all.union(&b))
}

fn over_cell(shape: &Shape, chain: &Chain, cell: &Cell, by: f64) -> Aabb {
    over_frame(shape, chain, (cell, &Frame::new(chain, cell)), by)
}

/// Box of a shape over a cell with its frame (mm, root frame), grown by `by` (mm) and the rounding bound.
///
/// The first-order motion moves the box of each direction by its own largest change (docs/explanation/motion.md, claim
/// 3); no point leaves that by more than the remainder, nor its position at the centre by more than the displacement.
fn over_frame(shape: &Shape, chain: &Chain, (cell, frame): (&Cell, &Frame), by: f64) -> Aabb {
    let at = frame.pose.translation;
    let spread = frame.spread_of_ball(&at, radius(shape));
    let size = at.amax() + shape.max_abs + shape.inner().diameter;
    let rounding = 32.0 * UNIT_ROUNDOFF * size + 2.0 * chain.rounding(cell, size) + by;
    let mut out = Aabb::EMPTY;
    for k in 0..3 {
        let high = |sign: f64| {
            let n = Vec3::ith(k, sign);
            let still = largest(shape, &frame.pose, &n) + spread.displacement;
            if spread.remainder >= spread.displacement {
                return still;
            }
            let moved = frame.first_order_high(&n, |m| largest(shape, &frame.pose, m));
            lesser(still, moved + spread.remainder)
        };
        (out.min[k], out.max[k]) = (-high(-1.0), high(1.0));
    }
    out.inflated(rounding)
}

/// Largest value of n · x over the hull of a shape whose centred frame is placed (mm).
fn largest(shape: &Shape, pose: &Pose, n: &Vec3) -> f64 {
    shape.convex().scan(&pose.rotation.tr_mul(n)).1 + n.dot(&pose.translation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_visited_once_and_the_last_one_first() {
        for count in [0, 1, 2, 3, 16, 21, 64] {
            let visited: Vec<usize> = from_the_end(count).collect();
            let mut sorted = visited.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..count).collect::<Vec<_>>());
            assert_eq!(visited.first().copied(), count.checked_sub(1));
        }
        assert_eq!(from_the_end(16).take(4).collect::<Vec<_>>(), [15, 7, 11, 3]);
    }
}
