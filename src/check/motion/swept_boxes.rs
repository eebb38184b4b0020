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
use std::ops::Range;

/// Boxes of a segment for each instance: neighbouring cells share a box.
const BOXES: usize = 16;

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
        Self { of: instances.map(|k| boxes(assembly, shapes, segments, by, k)).collect() }
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

/// Boxes of one instance.
fn boxes(assembly: &Assembly, shapes: &Shapes, segments: &[Segment], by: f64, k: usize) -> Vec<Aabb> {
    let placed = &shapes.placed[k];
    let shape = &shapes.all[placed.shape as usize];
    let drawn = Pose { rotation: placed.pose.rotation, translation: placed.pose.point(&shape.convex.origin) };
    let root = Pose::identity();
    let joint = assembly.instances[k].joint;
    let mechanism = &assembly.motion.mechanism;
    let chain_of = |segment: &Segment| mechanism.chain_between(None, joint, [&root, &drawn], &segment.laws);
    let chains: Vec<Chain> = segments.iter().map(chain_of).collect();
    let grown = by + placed.residual;
    let mut of_segments = chains.iter().zip(segments).filter(|(_, segment)| segment.cell_count() > 0);
    if chains.iter().all(Chain::is_static) {
        // The box is the same in all cells.
        let over_first = |(chain, segment): (&Chain, &Segment)| over_cell(shape, chain, &segment.cell(0..1), grown);
        return of_segments.next().map(over_first).into_iter().collect();
    }
    let mut out = Vec::new();
    for (chain, segment) in of_segments {
        let count = segment.cell_count();
        let together = count.div_ceil(BOXES);
        let parts = (0..count).step_by(together).map(|first| first..count.min(first + together));
        out.extend(parts.map(|part| over_cells(shape, chain, segment, part, grown)));
    }
    out
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
    let size = at.amax() + shape.max_abs + shape.convex.diameter;
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
    shape.convex.scan(&pose.rotation.tr_mul(n)).1 + n.dot(&pose.translation)
}
