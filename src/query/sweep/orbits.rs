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
    parent: Option<usize>,
    /// The left child, if the children are made; the right one follows it.
    left: Option<usize>,
    /// Number of its triangles that are not known to be open.
    resolved: usize,
}

impl<'o> OrbitTree<'o> {
    /// Makes the root; `None` without orbits. O(n); O(n log n) with all nodes.
    pub(crate) fn new(orbits: &'o [Orbit]) -> Option<Self> {
        if orbits.is_empty() {
            return None;
        }
        let mut tree = Self { orbits, order: (0..orbits.len() as u32).collect(), nodes: Vec::new() };
        tree.add(0..orbits.len(), None);
        Some(tree)
    }

    /// Adds a node over a range, which is not empty and has no open triangle yet.
    fn add(&mut self, range: Range<usize>, parent: Option<usize>) {
        let all = self.order[range.clone()].iter().map(|&t| self.orbits[t as usize]);
        let Some(orbit) = all.reduce(|x, y| x.union(&y)) else { return };
        let resolved = range.len();
        self.nodes.push(OrbitNode { orbit, range, parent, left: None, resolved });
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
            self.add(range.start..range.start + half, Some(id));
            self.add(range.start + half..range.end, Some(id));
            left
        });
        self.nodes[id].left = Some(left);
        [left, left + 1]
    }

    /// Records that the triangle of a leaf is open. O(depth).
    fn open(&mut self, leaf: usize) {
        let mut at = (self.nodes[leaf].resolved > 0).then_some(leaf);
        while let Some(id) = at {
            self.nodes[id].resolved -= 1;
            at = self.nodes[id].parent;
        }
    }

    /// True for each open triangle.
    fn open_triangles(&self) -> Vec<bool> {
        let mut out = vec![false; self.orbits.len()];
        let leaves = self.nodes.iter().filter(|n| n.range.len() == 1 && n.resolved == 0);
        leaves.for_each(|n| out[self.order[n.range.start] as usize] = true);
        out
    }
}

/// Triangles of both surfaces that come within `enough` (mm) of each other in (r, z); the others stay farther apart at
/// all values. `None` if the orbits separate too few of them. Cost: a test for each pair of nodes with a triangle that
/// is not known to be open.
pub(crate) fn unresolved([a, b]: [&mut OrbitTree; 2], enough: f64, budget: &mut Budget) -> Option<[Vec<bool>; 2]> {
    let mut allowed = TESTS_PER_TRIANGLE * (a.orbits.len() + b.orbits.len()) as u64;
    let mut stack = vec![(0_usize, 0_usize)];
    while let Some((i, j)) = stack.pop() {
        let (x, y) = (&a.nodes[i], &b.nodes[j]);
        if x.resolved == 0 && y.resolved == 0 {
            continue;
        }
        if allowed == 0 || !budget.take(1) {
            return None;
        }
        allowed -= 1;
        if x.orbit.distance_bound(&y.orbit) > enough {
            continue;
        }
        let counts = [x.range.len(), y.range.len()];
        if counts == [1, 1] {
            a.open(i);
            b.open(j);
        } else if counts[0] >= counts[1] {
            let [left, right] = a.children(i);
            stack.extend([(right, j), (left, j)]);
        } else {
            let [left, right] = b.children(j);
            stack.extend([(i, right), (i, left)]);
        }
    }
    Some([a.open_triangles(), b.open_triangles()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Pose, Vec3};
    use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law, OrbitAxis};
    use crate::testkit::rng::Rng;

    const TRIANGLES: usize = 512;

    /// Orbits about z of small triangles at random radii (mm) and heights.
    fn orbits(rng: &mut Rng, radius: impl Fn(&mut Rng) -> f64) -> Vec<Orbit> {
        let joint = Joint { kind: JointKind::Revolute, axis: Vec3::z(), at: Vec3::zeros() };
        let joints = vec![ChainJoint { joint, law: Law::linear(360.0, 0.0) }];
        let axis = OrbitAxis::of(&Chain { drawn: Pose::identity(), joints }).expect("one turn");
        let mut triangle = || {
            let middle = Vec3::new(radius(rng), 0.0, rng.signed());
            axis.orbit(&[0, 1, 2].map(|_| middle + rng.in_cube() * 0.01))
        };
        (0..TRIANGLES).map(|_| triangle()).collect()
    }

    fn open(orbits: &[Vec<Orbit>; 2], enough: f64) -> (Option<[Vec<bool>; 2]>, u64) {
        let mut budget = Budget::new(u64::MAX);
        let [a, b] = orbits.each_ref().map(|o| OrbitTree::new(o));
        let (mut a, mut b) = (a.expect("orbits"), b.expect("orbits"));
        (unresolved([&mut a, &mut b], enough, &mut budget), budget.used)
    }

    #[test]
    fn the_triangles_left_open_are_those_of_all_pairs() {
        let mut rng = Rng::new(11);
        let both = [(); 2].map(|()| orbits(&mut rng, |rng| 5.0 + rng.signed()));
        let near = |x: &Orbit, others: &[Orbit]| others.iter().any(|y| x.distance_bound(y) <= 0.001);
        let wanted = [0, 1].map(|k| both[k].iter().map(|x| near(x, &both[1 - k])).collect::<Vec<bool>>());
        assert!(wanted.iter().all(|w| w.contains(&true) && w.contains(&false)));
        assert_eq!(open(&both, 0.001).0, Some(wanted));
    }

    #[test]
    fn triangles_that_all_share_an_orbit_take_a_few_tests_each() {
        let mut rng = Rng::new(12);
        let both = [(); 2].map(|()| orbits(&mut rng, |_| 5.0));
        let (open, tests) = open(&both, 3.0);
        assert_eq!(open, Some([(); 2].map(|()| vec![true; TRIANGLES])));
        assert!(tests < 8 * TRIANGLES as u64, "{tests}");
    }
}
