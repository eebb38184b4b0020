//! Boxes that hold the instances over the cells of a run: the pairs whose boxes never meet are clear.

use crate::assembly::{Assembly, RuleTable};
use crate::broad::BoxTree;
use crate::check::motion::sweep::radius;
use crate::check::pairs::candidates::{Candidate, close_pairs, turned_box, with_rules};
use crate::check::prepare::shapes::Shapes;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::{Aabb, Pose};
use crate::motion::{Cell, Chain, Frame, Segment};
use rayon::prelude::*;

/// Boxes of a segment for each instance: neighbouring cells share a box.
const BOXES: usize = 16;

/// Boxes of all instances over a run (mm, root frame).
pub(crate) struct SweptBoxes {
    /// Boxes of each instance in the order of the run; one for an instance that the run leaves at rest.
    of: Vec<Vec<Aabb>>,
}

impl SweptBoxes {
    /// Boxes over the cells of all segments, grown by `by` (mm) and the rounding bound. Cost: one configuration of its
    /// joints for each moving instance and cell.
    pub(crate) fn of(assembly: &Assembly, shapes: &Shapes, segments: &[(Segment, Vec<Cell>)], by: f64) -> Self {
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
fn boxes(assembly: &Assembly, shapes: &Shapes, segments: &[(Segment, Vec<Cell>)], by: f64, k: usize) -> Vec<Aabb> {
    let placed = &shapes.placed[k];
    let shape = &shapes.all[placed.shape as usize];
    let drawn = Pose { rotation: placed.pose.rotation, translation: placed.pose.point(&shape.convex.origin) };
    let root = Pose::identity();
    let joint = assembly.instances[k].joint;
    let mechanism = &assembly.motion.mechanism;
    let chain_of = |segment: &Segment| mechanism.chain_between(None, joint, [&root, &drawn], &segment.laws);
    let chains: Vec<Chain> = segments.iter().map(|(segment, _)| chain_of(segment)).collect();
    let of_cell = |chain: &Chain, cell: &Cell| {
        let frame = Frame::new(chain, cell);
        let at = frame.pose.translation;
        let moved = frame.spread_of_ball(&at, radius(shape)).displacement;
        let size = at.amax() + shape.max_abs + shape.convex.diameter;
        let rounding = 16.0 * UNIT_ROUNDOFF * size + 2.0 * chain.rounding(cell, size) + placed.residual;
        let local = turned_box(shape, &frame.pose);
        Aabb { min: local.min + at, max: local.max + at }.inflated(by + moved + rounding)
    };
    let mut of_segments = chains.iter().zip(segments).map(|(chain, (_, cells))| (chain, cells));
    if chains.iter().all(Chain::is_static) {
        // The box is the same in all cells.
        let first = of_segments.find_map(|(chain, cells)| cells.first().map(|cell| of_cell(chain, cell)));
        return first.into_iter().collect();
    }
    let of_part = |chain: &Chain, part: &[Cell]| {
        part.iter().map(|cell| of_cell(chain, cell)).fold(Aabb::EMPTY, |all, b| all.union(&b))
    };
    let mut out = Vec::new();
    for (chain, cells) in of_segments {
        let together = cells.len().div_ceil(BOXES).max(1);
        out.extend(cells.chunks(together).map(|part| of_part(chain, part)));
    }
    out
}
