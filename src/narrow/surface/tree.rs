//! A binary tree of oriented boxes over the triangles of a surface.
//!
//! Which triangles stand together is decided from the top by axis-parallel boxes and the surface area heuristic in bins
//! (I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007), for few triangles along all three axes.
//! The boxes are fitted afterwards, from the leaves up (`fit`).

use super::fit;
use super::node::{LEAF, MAX_TRIANGLES, Node};
use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};

/// Bins of the heuristic.
const BINS: usize = 16;

/// Up to this many triangles, splits along all three axes are compared; above, the longest alone. One axis costs a third.
const ALL_AXES_BELOW: usize = 256;

/// From this depth on, the middle one splits: no input makes the tree much deeper.
const MAX_DEPTH: u32 = 64;

/// A binary tree. Node 0 is the root; a tree over nothing has no node.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The children of a node stand side by side behind it, those of the second child behind those of the first.
    pub nodes: Vec<Node>,
}

/// A triangle while the tree is built.
#[derive(Debug, Clone, Copy)]
struct Entry {
    min: [f32; 3],
    max: [f32; 3],
    triangle: u32,
}

impl Entry {
    /// Twice the centre along an axis.
    #[inline]
    fn at(&self, k: usize) -> f32 {
        self.min[k] + self.max[k]
    }
}

/// An axis-parallel box, or a range of doubled centres.
#[derive(Debug, Clone, Copy)]
struct Extent {
    min: [f32; 3],
    max: [f32; 3],
}

impl Extent {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    fn add(&mut self, min: &[f32; 3], max: &[f32; 3]) {
        for k in 0..3 {
            self.min[k] = if min[k] < self.min[k] { min[k] } else { self.min[k] };
            self.max[k] = if max[k] > self.max[k] { max[k] } else { self.max[k] };
        }
    }

    /// Half the surface; 0 of an empty one.
    #[inline]
    fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.max[k] - self.min[k]);
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }
}

impl Tree {
    /// Over the triangles that `order` lists; sorts `order` so that leaves are ranges of it. What does not fit is left out:
    /// more than 2²⁹ triangles are refused on reading.
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]], order: &mut Vec<u32>) -> Self {
        order.truncate(MAX_TRIANGLES);
        let mut entries: Vec<Entry> = order
            .iter()
            .map(|&t| {
                let [a, b, c] = triangles[t as usize].map(|v| &vertices[v as usize]);
                Entry {
                    min: [0, 1, 2].map(|k| lesser(lesser(a[k], b[k]), c[k]) as f32),
                    max: [0, 1, 2].map(|k| greater(greater(a[k], b[k]), c[k]) as f32),
                    triangle: t,
                }
            })
            .collect();
        let mut nodes = Vec::with_capacity(entries.len());
        split_all(&mut entries, &mut nodes);
        nodes.shrink_to_fit();
        for (o, e) in order.iter_mut().zip(&entries) {
            *o = e.triangle;
        }
        drop(entries);
        fit::fit_all(&mut nodes, |t| triangles[order[t as usize] as usize].map(|v| vertices[v as usize]));
        Self { nodes }
    }
}

/// Sorts the entries and lays out the nodes, without boxes.
fn split_all(entries: &mut [Entry], nodes: &mut Vec<Node>) {
    if entries.is_empty() {
        return;
    }
    nodes.push(Node::leaf(0, 0));
    let mut stack = vec![(0_usize, 0_usize, entries.len(), 0_u32)];
    while let Some((at, first, count, depth)) = stack.pop() {
        if count <= LEAF {
            nodes[at] = Node::leaf(first, count);
            continue;
        }
        let range = &mut entries[first..first + count];
        let left = if depth < MAX_DEPTH { split(range) } else { None }.unwrap_or(count / 2);
        let child = nodes.len();
        nodes[at] = Node::inner(child);
        nodes.push(Node::leaf(0, 0));
        nodes.push(Node::leaf(0, 0));
        stack.push((child + 1, first + left, count - left, depth + 1));
        stack.push((child, first, left, depth + 1));
    }
}

/// Where the entries come apart best: sorts them in two, and says how many are in the first part. `None` where all centres
/// fall together.
fn split(entries: &mut [Entry]) -> Option<usize> {
    let mut centers = Extent::EMPTY;
    for e in entries.iter() {
        let c = [e.at(0), e.at(1), e.at(2)];
        centers.add(&c, &c);
    }
    let width = [0, 1, 2].map(|k| centers.max[k] - centers.min[k]);
    let longest = (0..3).fold(0, |l, k| if width[k] > width[l] { k } else { l });
    let axes = if entries.len() < ALL_AXES_BELOW { 0..3 } else { longest..longest + 1 };
    let mut best: Option<(f32, usize, usize, f32)> = None;
    for k in axes {
        // A range too narrow for single precision makes an infinite scale.
        let scale = BINS as f32 * 0.999_99 / width[k];
        if !(width[k] > 0.0 && scale.is_finite()) {
            continue;
        }
        if let Some((cost, bin)) = best_bin(entries, k, centers.min[k], scale)
            && best.is_none_or(|b| cost < b.0)
        {
            best = Some((cost, k, bin, scale));
        }
    }
    let (_, k, bin, scale) = best?;
    let low = centers.min[k];
    let in_first = |e: &Entry| bin_of(e.at(k), low, scale) <= bin;
    let (mut i, mut j) = (0, entries.len());
    while i < j {
        if in_first(&entries[i]) {
            i += 1;
        } else {
            j -= 1;
            entries.swap(i, j);
        }
    }
    Some(i)
}

#[inline]
fn bin_of(at: f32, low: f32, scale: f32) -> usize {
    (((at - low) * scale) as usize).min(BINS - 1)
}

/// The cheapest split along one axis: its cost, and the last bin of the first part.
fn best_bin(entries: &[Entry], k: usize, low: f32, scale: f32) -> Option<(f32, usize)> {
    let mut counts = [0_u32; BINS];
    let mut boxes = [Extent::EMPTY; BINS];
    for e in entries {
        let bin = bin_of(e.at(k), low, scale);
        counts[bin] += 1;
        boxes[bin].add(&e.min, &e.max);
    }
    // Whole leaves are what is paid for.
    let price = |count: u32, extent: &Extent| extent.area() * count.div_ceil(LEAF as u32) as f32;
    let mut behind = [0.0_f32; BINS];
    let (mut count, mut extent) = (0, Extent::EMPTY);
    for bin in (1..BINS).rev() {
        count += counts[bin];
        extent.add(&boxes[bin].min, &boxes[bin].max);
        behind[bin] = price(count, &extent);
    }
    let total = entries.len() as u32;
    let (mut count, mut extent) = (0, Extent::EMPTY);
    let mut best = None;
    for bin in 0..BINS - 1 {
        count += counts[bin];
        extent.add(&boxes[bin].min, &boxes[bin].max);
        if count == 0 || count == total {
            continue;
        }
        let cost = price(count, &extent) + behind[bin + 1];
        if best.is_none_or(|b: (f32, usize)| cost < b.0) {
            best = Some((cost, bin));
        }
    }
    best
}
