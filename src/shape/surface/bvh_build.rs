//! Builds a binary tree of oriented boxes over the triangles of a surface.
//!
//! The order of steps: axis-parallel boxes and the surface area heuristic divide the triangles from the top, by bins
//! (I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007), or at every position of a short
//! list. Then `fit` computes the oriented boxes from the leaves up.

use crate::geom::Vec3;
use crate::parallel;
use crate::shape::surface::bvh_entry::{Entry, Extent, Triangles};
use crate::shape::surface::bvh_fit::{self, LeafTriangles, Moments};
use crate::shape::surface::bvh_node::{LEAF, Link, MAX_TRIANGLES, Node};

/// Number of bins of the heuristic.
const BINS: usize = 16;

/// Largest number of triangles for which every position of the sorted list is tried instead of bins: cheaper, and a
/// better cut.
const SWEEP_UP_TO: usize = 16;

/// Largest number of triangles for which all three axes are tried. Larger surfaces use the longest axis only, to save
/// time.
pub(crate) const SMALL_NODE: usize = 20_000;

/// Cost of testing a box, in units of one triangle test. It decides the splitting of leaves on small surfaces.
const BOX_COST: f32 = 0.5;

/// Depth from which lists are split in the middle: it bounds the depth of the tree for any input.
pub(crate) const MAX_DEPTH: u32 = 64;

/// Binary tree. Node 0 is the root; an empty tree has no node.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Nodes. The children of a node are adjacent and come after it; all descendants of the first child precede those
    /// of the second.
    pub nodes: Vec<Node>,
}

/// Effort of splitting.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SplitEffort {
    /// Tries all three axes and splits down to single triangles if that pays.
    High,
    /// Uses the longest axis and fills the leaves as far as possible.
    Low,
}

impl SplitEffort {
    /// Expected cost of `count` triangles in the box.
    #[inline]
    fn price(self, count: usize, extent: &Extent) -> f32 {
        extent.area() * if self == Self::High { count } else { count.div_ceil(LEAF) } as f32
    }
}

/// Range of entries, to become node `at`.
struct OpenNode {
    at: usize,
    first: usize,
    count: usize,
    depth: u32,
    /// Range of the doubled centres.
    centers: Extent,
}

impl Tree {
    /// Builds the tree over the triangles listed in `order`, and sorts `order` to make each leaf a range of it.
    /// Triangles beyond the first 2²⁹ are left out; the readers refuse such meshes. A large tree is built on up to
    /// `threads` threads, with the same result.
    pub(crate) fn new(vertices: &[Vec3], triangles: &[[u32; 3]], order: &mut Vec<u32>, threads: usize) -> Self {
        order.truncate(MAX_TRIANGLES);
        let mesh = Triangles { vertices, indices: triangles };
        let mut entries = parallel::list(threads, order.len(), Entry::EMPTY, |k| mesh.entry(order[k]));
        let care = if entries.len() <= SMALL_NODE { SplitEffort::High } else { SplitEffort::Low };
        let shares =
            parallel::map_ranges(threads, entries.len(), parallel::LEAST_SHARE, |range| around(&entries[range]));
        let centers = shares.iter().fold(Extent::EMPTY, Extent::joined);
        let open = OpenNode { at: 0, first: 0, count: entries.len(), depth: 0, centers };
        let (nodes, _) = subtree(&mut entries, open, care, mesh, threads);
        parallel::fill(threads, parallel::LEAST_SHARE, order, |k| entries[k].triangle());
        Self { nodes }
    }
}

/// Builds the nodes over some entries, numbered from 0, and fits their boxes. `open` is the root. Returns the moments of the root, `None` without entries.
fn subtree(
    entries: &mut [Entry],
    open: OpenNode,
    care: SplitEffort,
    mesh: Triangles<'_>,
    threads: usize,
) -> (Vec<Node>, Option<Moments>) {
    let first = open.first;
    if threads < 2 || entries.len() < parallel::LARGE {
        // The final list takes its exact size at once: it is too long to be copied.
        let mut nodes: Vec<Node> = split_all(entries, open, care).into_iter().map(Node::new).collect();
        let moments = bvh_fit::fit_all(&mut nodes, &mut LeafTriangles::new(mesh, entries, first));
        return (nodes, moments);
    }
    let (left, centers) = split(entries, &open.centers, care, open.depth, threads);
    let (ahead, behind) = entries.split_at_mut(left);
    let child =
        |first: usize, count: usize, centers: Extent| OpenNode { at: 0, first, count, depth: open.depth + 1, centers };
    let [a, b] = [child(first, left, centers[0]), child(first + left, behind.len(), centers[1])];
    let share = threads.div_ceil(2);
    let ((left, of_left), (right, of_right)) =
        parallel::both(threads, || subtree(ahead, a, care, mesh, share), || subtree(behind, b, care, mesh, share));
    let (of_all, after_left) = (left.len() + right.len() + 1, 1 + left.len());
    let mut nodes = Vec::with_capacity(of_all);
    nodes.push(Node::new(Link::to_children(1)));
    // Children come side by side, then all below the first one, then all below the second one. The list of the first
    // part is freed before that of the second part is copied.
    nodes.extend([left[0].with_children_moved(2), right[0].with_children_moved(after_left)]);
    nodes.extend(left.into_iter().skip(1).map(|n| n.with_children_moved(2)));
    nodes.extend(right.into_iter().skip(1).map(|n| n.with_children_moved(after_left)));
    let moments = of_left.zip(of_right).map(|(l, r)| l.plus(&r));
    if let Some(moments) = &moments {
        bvh_fit::fit(&mut nodes, 0, moments, &mut LeafTriangles::new(mesh, entries, first));
    }
    (nodes, moments)
}

/// Sorts the entries and lays out the nodes below the open one.
fn split_all(entries: &mut [Entry], open: OpenNode, care: SplitEffort) -> Vec<Link> {
    let mut links = Vec::with_capacity(entries.len());
    if entries.is_empty() {
        return links;
    }
    let start = open.first;
    let unknown = Link::to_children(0);
    links.push(unknown);
    let mut stack = vec![open];
    while let Some(OpenNode { at, first, count, depth, centers }) = stack.pop() {
        let range = &mut entries[first - start..first - start + count];
        if count <= LEAF && (care == SplitEffort::Low || depth >= MAX_DEPTH || stays_whole(range, &centers)) {
            links[at] = Link::to_triangles(first, count);
            continue;
        }
        let (left, parts) =
            if count <= SWEEP_UP_TO { sweep(range, &centers, care) } else { split(range, &centers, care, depth, 1) };
        let child = links.len();
        links[at] = Link::to_children(child);
        links.extend([unknown; 2]);
        let depth = depth + 1;
        stack.push(OpenNode { at: child + 1, first: first + left, count: count - left, depth, centers: parts[1] });
        stack.push(OpenNode { at: child, first, count: left, depth, centers: parts[0] });
    }
    links
}

/// Sorts a short list of entries along the best axis and cuts it at the cheapest position. Returns the length of the
/// first part and the range of centres of each.
fn sweep(entries: &mut [Entry], centers: &Extent, care: SplitEffort) -> (usize, [Extent; 2]) {
    let longest = centers.longest();
    let axes = [(longest + 1) % 3, (longest + 2) % 3, longest];
    if let [x, y] = entries {
        // One cut, at the same cost along every axis. Each sort decides the ties of the next one.
        let cost: f32 = [x, y].map(|e| care.price(1, &extent(&[*e]))).iter().sum();
        let has_choice = care == SplitEffort::High && cost < f32::INFINITY;
        let sorts = if has_choice { [axes[1], axes[2], axes[0]] } else { [longest; 3] };
        for k in sorts {
            sort_along(entries, k);
        }
        return (1, [around(&entries[..1]), around(&entries[1..])]);
    }
    let mut best = (f32::INFINITY, longest, entries.len() / 2);
    let mut sorted = longest;
    for k in axes {
        if care == SplitEffort::Low && k != longest {
            continue;
        }
        sort_along(entries, k);
        sorted = k;
        let n = entries.len();
        let mut behind = [0.0_f32; SWEEP_UP_TO];
        let mut extent = Extent::EMPTY;
        for i in (1..n).rev() {
            extent.add(entries[i].min, entries[i].max);
            behind[i] = care.price(n - i, &extent);
        }
        let mut extent = Extent::EMPTY;
        for i in 1..n {
            extent.add(entries[i - 1].min, entries[i - 1].max);
            let cost = care.price(i, &extent) + behind[i];
            if cost < best.0 {
                best = (cost, k, i);
            }
        }
    }
    let (_, k, left) = best;
    if k != sorted {
        sort_along(entries, k);
    }
    (left, [around(&entries[..left]), around(&entries[left..])])
}

/// True if splitting a short list further costs more than it saves.
fn stays_whole(entries: &mut [Entry], centers: &Extent) -> bool {
    let count = entries.len();
    if count == 1 {
        return true;
    }
    let whole = extent(entries);
    let (left, _) = sweep(entries, centers, SplitEffort::High);
    let (first, second) = entries.split_at(left);
    let parts = SplitEffort::High.price(left, &extent(first)) + SplitEffort::High.price(count - left, &extent(second));
    parts + BOX_COST * whole.area() >= SplitEffort::High.price(count, &whole)
}

fn extent(entries: &[Entry]) -> Extent {
    let mut extent = Extent::EMPTY;
    for e in entries {
        extent.add(e.min, e.max);
    }
    extent
}

/// Sorts a short list by insertion; stable.
fn sort_along(entries: &mut [Entry], k: usize) {
    for i in 1..entries.len() {
        let e = entries[i];
        let mut j = i;
        while j > 0 && entries[j - 1].at(k) > e.at(k) {
            entries[j] = entries[j - 1];
            j -= 1;
        }
        entries[j] = e;
    }
}

fn around(entries: &[Entry]) -> Extent {
    let mut centers = Extent::EMPTY;
    for e in entries {
        centers.add(e.center(), e.center());
    }
    centers
}

/// Entries with their centres in one bin.
#[derive(Clone, Copy)]
struct Bin {
    extent: Extent,
    centers: Extent,
    count: u32,
}

impl Bin {
    const EMPTY: Self = Self { extent: Extent::EMPTY, centers: Extent::EMPTY, count: 0 };

    fn join(&mut self, o: &Self) {
        self.extent.add(o.extent.min, o.extent.max);
        self.centers.add(o.centers.min, o.centers.max);
        self.count += o.count;
    }
}

/// Position of a cut.
struct Cut {
    cost: f32,
    axis: usize,
    /// Ranges of the centres of both parts; along the axis, they have no number in common.
    centers: [Extent; 2],
}

/// Cuts between two bins. Cuts the list in the middle if all centres coincide or the tree is deep. Fills the bins on up
/// to `threads` threads.
fn split(
    entries: &mut [Entry],
    centers: &Extent,
    care: SplitEffort,
    depth: u32,
    threads: usize,
) -> (usize, [Extent; 2]) {
    let longest = centers.longest();
    let mut best: Option<Cut> = None;
    for k in [longest, (longest + 1) % 3, (longest + 2) % 3] {
        if depth < MAX_DEPTH && (care == SplitEffort::High || k == longest) {
            best = best_cut(entries, centers, k, care, best, threads);
        }
    }
    let Some(cut) = best else {
        let middle = entries.len() / 2;
        return (middle, [around(&entries[..middle]), around(&entries[middle..])]);
    };
    // The least number of the second part: a number has one bin, and larger ones have no lower bin.
    let limit = cut.centers[1].min[cut.axis];
    let mut left = 0;
    for j in 0..entries.len() {
        // Partitions without a branch: the side of an entry is unpredictable.
        let first = entries[j].at(cut.axis) < limit;
        entries.swap(j, left);
        left += usize::from(first);
    }
    (left, cut.centers)
}

#[inline]
fn bin_of(at: f32, low: f32, scale: f32) -> usize {
    // The conversion to a byte takes fewer instructions than the one to `usize`. The product is below the number of
    // bins; the mask only shows that to the compiler.
    usize::from(((at - low) * scale) as u8) & (BINS - 1)
}

/// Puts entries into bins along one axis.
#[inline]
fn filled_bins(entries: &[Entry], axis: usize, low: f32, scale: f32) -> [Bin; BINS] {
    let mut bins = [Bin::EMPTY; BINS];
    for e in entries {
        let (bin, center) = (&mut bins[bin_of(e.at(axis), low, scale)], e.center());
        bin.extent.add(e.min, e.max);
        bin.centers.add(center, center);
        bin.count += 1;
    }
    bins
}

/// Returns the cheapest cut along one axis, or `best` if that is at least as cheap. Fills the bins on up to `threads`
/// threads.
fn best_cut(
    entries: &[Entry],
    centers: &Extent,
    axis: usize,
    care: SplitEffort,
    best: Option<Cut>,
    threads: usize,
) -> Option<Cut> {
    let low = centers.min[axis];
    let width = centers.max[axis] - low;
    // The scale is infinite for a range too narrow for single precision.
    let scale = BINS as f32 * 0.999_99 / width;
    if !(width > 0.0 && scale.is_finite()) {
        return best;
    }
    let bins = if threads < 2 {
        filled_bins(entries, axis, low, scale)
    } else {
        let fill = |range| filled_bins(&entries[range], axis, low, scale);
        let shares = parallel::map_ranges(threads, entries.len(), parallel::LEAST_SHARE, fill);
        let mut all = [Bin::EMPTY; BINS];
        for share in &shares {
            all.iter_mut().zip(share).for_each(|(bin, part)| bin.join(part));
        }
        all
    };
    let mut behind = [Bin::EMPTY; BINS];
    let mut part = Bin::EMPTY;
    for k in (1..BINS).rev() {
        part.join(&bins[k]);
        behind[k] = part;
    }
    let mut part = Bin::EMPTY;
    let mut best = best;
    for k in 0..BINS - 1 {
        part.join(&bins[k]);
        let rest = &behind[k + 1];
        if part.count == 0 || rest.count == 0 {
            continue;
        }
        let cost = care.price(part.count as usize, &part.extent) + care.price(rest.count as usize, &rest.extent);
        if best.as_ref().is_none_or(|b| cost < b.cost) {
            best = Some(Cut { cost, axis, centers: [part.centers, rest.centers] });
        }
    }
    best
}
