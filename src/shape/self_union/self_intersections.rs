//! Finds triangles of one surface with common points besides their shared corners and edges.

use crate::geom::math::UNIT_ROUNDOFF;
use crate::parallel;
use crate::shape::self_union::triangle_pair::{Element, bounds, boxes_meet, intersects_beyond_shared};
use crate::shape::self_union::unfolded::unfolded_vertices;
use crate::shape::surface::adjacency::Adjacency;
use crate::shape::surface::{Below, PlacedObb, SelfIntersections, Surface};
use std::ops::Range;
use wide::f32x4;

/// Rounding errors of a distance between two boxes, in units of 2⁻⁵³ of the surface's size.
const ROUNDOFFS_PER_PLANE: f64 = 128.0;

/// Number of pairs of nodes that the threads share: enough that none waits long for the last ones.
const STEPS: usize = 1024;

/// Counts the pairs of triangles with common points besides their shared corners and edges, exactly, up to `most`.
/// Cost: about as much as building the surface's tree.
pub(crate) fn count_self_intersections(s: &Surface, most: usize) -> usize {
    self_intersections(s, most).pairs
}

/// Finds the pairs of [`count_self_intersections`], at the same cost; incomplete if there are `most`. A large surface
/// is searched on all threads of the pool, with the same result unless there are `most`.
pub(crate) fn self_intersections(s: &Surface, most: usize) -> SelfIntersections {
    let threads = if s.triangles.len() < parallel::LARGE { 1 } else { parallel::threads() };
    self_intersections_on(threads, s, most)
}

pub(crate) fn self_intersections_on(threads: usize, s: &Surface, most: usize) -> SelfIntersections {
    let items = elements(s, threads);
    let unfolded = unfolded_vertices(s, &s.adjacency_for_a_pass(), &items, |_| true, threads);
    let boxes = boxes_of_nodes(s, &items);
    let search = Search { s, items, boxes, unfolded, chosen: None, rounding: rounding(s), most };
    let shares = search.run_on(threads);
    let mut crosses = vec![false; s.triangles.len()];
    for &t in shares.iter().flat_map(|found| &found.triangles) {
        crosses[t as usize] = true;
    }
    let pairs: usize = shares.iter().map(|found| found.pairs).sum();
    SelfIntersections { pairs: pairs.min(most), crosses }
}

/// Elements of all triangles.
pub(super) fn elements(s: &Surface, threads: usize) -> Vec<Element> {
    parallel::list(threads, s.triangles.len(), Element::EMPTY, |t| Element::of(s, t as u32))
}

/// Box of each node of the tree around its triangles, along the axes. Empty without data of the triangles, and for a
/// large surface: the boxes of millions of triangles would add to the peak of memory.
fn boxes_of_nodes(s: &Surface, items: &[Element]) -> Vec<(f32x4, f32x4)> {
    if items.is_empty() || s.triangles.len() >= parallel::LARGE {
        return Vec::new();
    }
    let nodes = &s.tree().nodes;
    let mut boxes = vec![(f32x4::ZERO, f32x4::ZERO); nodes.len()];
    let around = |x: (f32x4, f32x4), y: (f32x4, f32x4)| (x.0.fast_min(y.0), x.1.fast_max(y.1));
    // Children come after their parents.
    for (i, node) in nodes.iter().enumerate().rev() {
        boxes[i] = match node.below() {
            Below::Children([l, r]) => around(boxes[l as usize], boxes[r as usize]),
            Below::Triangles(range) => {
                let own = items[range.start as usize..range.end as usize].iter().map(|item| (item.min, item.max));
                own.reduce(around).unwrap_or_default()
            }
        };
    }
    boxes
}

/// True if a chosen triangle has common points with any other besides their shared corners and edges, exactly. Cost:
/// one pass over the tree, and a search near the chosen triangles. With `adjacency`, it lists the data of all triangles.
pub(crate) fn any_intersects(s: &Surface, chosen: &[bool], adjacency: Option<&Adjacency>) -> bool {
    let nodes = &s.tree().nodes;
    let mut near = vec![false; nodes.len()];
    // Children come after their parents.
    for (i, node) in nodes.iter().enumerate().rev() {
        near[i] = match node.below() {
            Below::Children([l, r]) => near[l as usize] || near[r as usize],
            Below::Triangles(range) => chosen[range.start as usize..range.end as usize].contains(&true),
        };
    }
    let count = chosen.iter().filter(|chosen| **chosen).count();
    let threads = if count < parallel::LARGE { 1 } else { parallel::threads() };
    let items = adjacency.map(|_| elements(s, threads)).unwrap_or_default();
    let unfolded = adjacency.map(|a| unfolded_vertices(s, a, &items, |t| chosen[t as usize], threads));
    let unfolded = unfolded.unwrap_or_default();
    let boxes = boxes_of_nodes(s, &items);
    let search = Search { s, items, boxes, unfolded, chosen: Some((chosen, near)), rounding: rounding(s), most: 1 };
    search.run_on(threads).iter().any(|found| found.pairs > 0)
}

/// True if a triangle has common points with any other besides their shared corners and edges, exactly. `leaf` is the
/// node above the triangle. Cost: a search of the tree near this leaf.
pub(crate) fn intersects_another(s: &Surface, t: u32, leaf: u32) -> bool {
    let nodes = &s.tree().nodes;
    let (one, rounding) = (Element::of(s, t), rounding(s));
    let near = PlacedObb::of(&nodes[leaf as usize]);
    let meets = |l: u32| {
        l != t && boxes_meet((one.min, one.max), bounds(&s.triangle(l))) && {
            intersects_beyond_shared(s, (t, &one), (l, &Element::of(s, l)))
        }
    };
    let mut open = vec![0];
    while let Some(i) = open.pop() {
        let node = &nodes[i as usize];
        if near.distance_bound(&PlacedObb::of(node), rounding) > rounding {
            continue;
        }
        match node.below() {
            Below::Children(children) => open.extend(children),
            Below::Triangles(range) => {
                if range.clone().any(meets) {
                    return true;
                }
            }
        }
    }
    false
}

/// Bound of the rounding error of a distance of two boxes (mm).
fn rounding(s: &Surface) -> f32 {
    (ROUNDOFFS_PER_PLANE * UNIT_ROUNDOFF * s.bounds.max_abs()) as f32
}

/// Search for the intersecting pairs of a surface: descends its tree beside itself.
struct Search<'a> {
    s: &'a Surface,
    /// Data of each triangle; empty to compute them when needed.
    items: Vec<Element>,
    /// Box of each node along the axes, by [`boxes_of_nodes`]; empty to test the oriented boxes of the tree.
    boxes: Vec<(f32x4, f32x4)>,
    /// True for each vertex with triangles that meet only in shared corners and edges; empty if not known.
    unfolded: Vec<bool>,
    /// True for each chosen triangle, and for each node above one: every pair has one. `None` if all are chosen.
    chosen: Option<(&'a [bool], Vec<bool>)>,
    /// Bound of the rounding error of a distance of two boxes (mm).
    rounding: f32,
    /// Number of pairs that ends the search.
    most: usize,
}

/// Intersecting pairs: their number and their triangles.
#[derive(Default)]
struct Found {
    pairs: usize,
    triangles: Vec<u32>,
}

impl Search<'_> {
    /// The root beside itself; empty without triangles.
    fn roots(&self) -> Vec<(u32, u32)> {
        if self.s.tree().nodes.is_empty() { Vec::new() } else { vec![(0, 0)] }
    }

    /// True if one of two nodes is above a chosen triangle.
    fn has_chosen(&self, (i, j): (u32, u32)) -> bool {
        self.chosen.as_ref().is_none_or(|(_, nodes)| nodes[i as usize] || nodes[j as usize])
    }

    /// True if one of two triangles is chosen.
    fn is_chosen(&self, (k, l): (u32, u32)) -> bool {
        self.chosen.as_ref().is_none_or(|(triangles, _)| triangles[k as usize] || triangles[l as usize])
    }

    /// True if two triangles meet only in shared corners and edges because they are at one unfolded vertex.
    fn share_unfolded(&self, (k, l): (u32, u32)) -> bool {
        let (own, theirs) = (self.s.triangles[k as usize], self.s.triangles[l as usize]);
        own.iter().any(|v| theirs.contains(v) && self.unfolded.get(*v as usize) == Some(&true))
    }

    /// Finds the intersecting pairs on several threads, in some shares.
    fn run_on(&self, threads: usize) -> Vec<Found> {
        let mut all = Found::default();
        let first = self.divided(if threads > 1 { STEPS } else { 1 }, &mut all);
        let mut shares = parallel::map_ranges(threads, first.len(), 1, |range| self.run(first[range].to_vec()));
        shares.push(all);
        shares
    }

    /// Divides the search into at least `count` pairs of nodes, if there are as many. Adds the intersecting pairs on
    /// the way to `found`.
    fn divided(&self, count: usize, found: &mut Found) -> Vec<(u32, u32)> {
        let mut open = self.roots();
        while !open.is_empty() && open.len() < count {
            let mut next = Vec::with_capacity(4 * open.len());
            for pair in open {
                self.step(pair, &mut next, found);
            }
            open = next;
        }
        open
    }

    /// Finds the intersecting pairs below some pairs of nodes; ends at `most`.
    fn run(&self, mut open: Vec<(u32, u32)>) -> Found {
        let mut found = Found::default();
        while let Some(pair) = open.pop()
            && found.pairs < self.most
        {
            self.step(pair, &mut open, &mut found);
        }
        found
    }

    /// True if the boxes of two nodes meet: boxes along the axes if they are known. These cost less, and most triangles
    /// near each other are neighbours, which no box separates.
    fn may_meet(&self, (i, j): (u32, u32)) -> bool {
        if !self.boxes.is_empty() {
            return boxes_meet(self.boxes[i as usize], self.boxes[j as usize]);
        }
        let [a, b] = [i, j].map(|k| PlacedObb::of(&self.s.tree().nodes[k as usize]));
        a.distance_bound(&b, self.rounding) <= self.rounding
    }

    /// Divides a pair of nodes, or tests the triangles of two leaves.
    fn step(&self, (i, j): (u32, u32), open: &mut Vec<(u32, u32)>, found: &mut Found) {
        let nodes = &self.s.tree().nodes;
        if !self.has_chosen((i, j)) {
            return;
        }
        let (a, b) = (&nodes[i as usize], &nodes[j as usize]);
        if i == j {
            match a.below() {
                Below::Children([l, r]) => open.extend([(l, r), (r, r), (l, l)]),
                Below::Triangles(range) => range.clone().for_each(|k| self.test(k, range.start..k, found)),
            }
        } else if self.may_meet((i, j)) {
            match (a.below(), b.below()) {
                (Below::Triangles(ra), Below::Triangles(rb)) => ra.for_each(|k| self.test(k, rb.clone(), found)),
                (Below::Children([l, r]), other) if matches!(other, Below::Triangles(_)) || a.size() >= b.size() => {
                    open.extend([(r, j), (l, j)]);
                }
                (_, Below::Children([l, r])) => open.extend([(i, r), (i, l)]),
                // The second arm covers this case.
                (Below::Children(_), Below::Triangles(_)) => {}
            }
        }
    }

    /// Tests triangle `k` with each triangle of a range.
    fn test(&self, k: u32, others: Range<u32>, found: &mut Found) {
        let one = self.items.get(k as usize).copied().unwrap_or_else(|| Element::of(self.s, k));
        let mut test = |l: u32, other: &Element| {
            if boxes_meet((one.min, one.max), (other.min, other.max))
                && self.is_chosen((k, l))
                && !self.share_unfolded((k, l))
                && intersects_beyond_shared(self.s, (k, &one), (l, other))
            {
                found.pairs += 1;
                found.triangles.extend([k, l]);
            }
        };
        match self.items.get(others.start as usize..others.end as usize) {
            Some(known) => others.zip(known).for_each(|(l, other)| test(l, other)),
            None => others.for_each(|l| test(l, &Element::of(self.s, l))),
        }
    }
}
