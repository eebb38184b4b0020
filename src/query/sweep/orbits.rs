//! Proof by orbits: triangles that a single turn or screw keeps apart at all values.
//!
//! A tree over the orbits of each surface, so that neighbours in (r, z) lie together; neighbours in space have all r
//! and all z. docs/explanation/motion.md, claim 7.

use crate::motion::Orbit;
use crate::query::sweep::prove::Budget;
use std::ops::Range;

/// Largest number of tests for each triangle of both surfaces; beyond it, all triangles count as unresolved.
const TESTS_PER_TRIANGLE: u64 = 64;

/// Binary tree over the orbits of the triangles of a surface; its nodes are made on demand.
pub(crate) struct OrbitTree<'o> {
    /// Orbit of each triangle.
    orbits: &'o [Orbit],
    /// Triangles in the order of the tree.
    order: Vec<u32>,
    nodes: Vec<OrbitNode>,
}

/// Node over a range of the order.
struct OrbitNode {
    orbit: Orbit,
    range: Range<usize>,
    /// The left child, if the children are made; the right one follows it.
    left: Option<usize>,
}

impl<'o> OrbitTree<'o> {
    /// Makes the root; `None` without orbits. O(n); O(n log n) with all nodes.
    pub(crate) fn new(orbits: &'o [Orbit]) -> Option<Self> {
        if orbits.is_empty() {
            return None;
        }
        let mut tree = Self { orbits, order: (0..orbits.len() as u32).collect(), nodes: Vec::new() };
        tree.add(0..orbits.len());
        Some(tree)
    }

    /// Adds a node over a range, which is not empty.
    fn add(&mut self, range: Range<usize>) {
        let all = self.order[range.clone()].iter().map(|&t| self.orbits[t as usize]);
        let Some(orbit) = all.reduce(|x, y| x.union(&y)) else { return };
        self.nodes.push(OrbitNode { orbit, range, left: None });
    }

    /// Children of a node of several triangles: cuts it at the median of the middles, along the wider direction.
    fn children(&mut self, id: usize) -> [usize; 2] {
        let range = self.nodes[id].range.clone();
        let left = self.nodes[id].left.unwrap_or_else(|| {
            let (orbits, order) = (self.orbits, &mut self.order[range.clone()]);
            let at = |t: u32, k: usize| orbits[t as usize].middle()[k];
            let width = |k: usize| {
                let middles = order.iter().map(|&t| at(t, k));
                let ends = middles.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
                ends[1] - ends[0]
            };
            let wider = usize::from(width(1) > width(0));
            let half = order.len() / 2;
            order.select_nth_unstable_by(half, |&x, &y| at(x, wider).total_cmp(&at(y, wider)).then(x.cmp(&y)));
            let left = self.nodes.len();
            self.add(range.start..range.start + half);
            self.add(range.start + half..range.end);
            left
        });
        self.nodes[id].left = Some(left);
        [left, left + 1]
    }
}

/// Triangles of both surfaces that come within `enough` (mm) of each other in (r, z); the others stay farther apart at
/// all values. `None` if the orbits separate too few of them. Cost: a test for each pair of nodes.
pub(crate) fn unresolved([a, b]: [&mut OrbitTree; 2], enough: f64, budget: &mut Budget) -> Option<[Vec<bool>; 2]> {
    let triangles = [a.orbits.len(), b.orbits.len()];
    let mut out = triangles.map(|n| vec![false; n]);
    let mut allowed = TESTS_PER_TRIANGLE * (triangles[0] + triangles[1]) as u64;
    let mut stack = vec![(0_usize, 0_usize)];
    while let Some((i, j)) = stack.pop() {
        if allowed == 0 || !budget.take(1) {
            return None;
        }
        allowed -= 1;
        let (x, y) = (&a.nodes[i], &b.nodes[j]);
        if x.orbit.distance_bound(&y.orbit) > enough {
            continue;
        }
        let counts = [x.range.len(), y.range.len()];
        if counts == [1, 1] {
            out[0][a.order[x.range.start] as usize] = true;
            out[1][b.order[y.range.start] as usize] = true;
        } else if counts[0] >= counts[1] {
            let [left, right] = a.children(i);
            stack.extend([(right, j), (left, j)]);
        } else {
            let [left, right] = b.children(j);
            stack.extend([(i, right), (i, left)]);
        }
    }
    Some(out)
}
