//! Proof by orbits: triangles that a single turn or screw keeps apart at all values.
//!
//! A tree over the orbits of each surface, so that neighbours in (r, z) lie together; neighbours in space have all r and
//! all z. docs/explanation/motion.md, claim 7.

use crate::geom::Vec3;
use crate::motion::{Orbit, OrbitAxis};
use crate::query::sweep::prove::Budget;
use crate::shape::surface::Surface;

/// Largest number of tests for each triangle of both surfaces; beyond it, all triangles count as unresolved.
const TESTS_PER_TRIANGLE: u64 = 64;

/// Binary tree over the orbits of the triangles of a surface.
pub(crate) struct OrbitTree {
    nodes: Vec<OrbitNode>,
}

/// Node over some triangles. The left child follows its parent.
struct OrbitNode {
    orbit: Orbit,
    /// Right child of an inner node; the triangle of a leaf.
    link: u32,
    /// Number of triangles below.
    triangles: u32,
}

impl OrbitTree {
    /// Builds the tree; `placed` maps a point to A's frame at the pose of the axis. O(n log n).
    pub(crate) fn new(surface: &Surface, axis: &OrbitAxis, placed: impl Fn(&Vec3) -> Vec3) -> Self {
        let of = |t: u32| (t, axis.orbit(&surface.triangle(t).each_ref().map(&placed)));
        let mut all: Vec<(u32, Orbit)> = (0..surface.triangles.len() as u32).map(of).collect();
        let mut tree = Self { nodes: Vec::with_capacity(2 * all.len()) };
        tree.add(&mut all);
        tree
    }

    /// Adds a node over some orbits; cuts them at the median of the middles, along the wider direction.
    fn add(&mut self, orbits: &mut [(u32, Orbit)]) {
        let Some(orbit) = orbits.iter().map(|o| o.1).reduce(|x, y| x.union(&y)) else { return };
        let id = self.nodes.len();
        self.nodes.push(OrbitNode { orbit, link: orbits[0].0, triangles: orbits.len() as u32 });
        if orbits.len() == 1 {
            return;
        }
        let width = |k: usize| {
            let at = |o: &(u32, Orbit)| o.1.middle()[k];
            let ends = orbits.iter().map(at).fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
            ends[1] - ends[0]
        };
        let wider = usize::from(width(1) > width(0));
        let half = orbits.len() / 2;
        orbits.select_nth_unstable_by(half, |x, y| {
            x.1.middle()[wider].total_cmp(&y.1.middle()[wider]).then(x.0.cmp(&y.0))
        });
        let (left, right) = orbits.split_at_mut(half);
        self.add(left);
        self.nodes[id].link = self.nodes.len() as u32;
        self.add(right);
    }
}

/// Triangles of both surfaces that come within `enough` (mm) of each other in (r, z); the others stay farther apart at
/// all values. `None` if the orbits separate too few of them. Cost: a test for each pair of nodes.
pub(crate) fn unresolved([a, b]: [&OrbitTree; 2], enough: f64, budget: &mut Budget) -> Option<[Vec<bool>; 2]> {
    let triangles = [a, b].map(|tree| tree.nodes.first().map_or(0, |root| root.triangles as usize));
    let mut out = triangles.map(|n| vec![false; n]);
    let mut allowed = TESTS_PER_TRIANGLE * (triangles[0] + triangles[1]) as u64;
    let mut stack = vec![(0_u32, 0_u32)];
    if triangles.contains(&0) {
        return None;
    }
    while let Some((i, j)) = stack.pop() {
        if allowed == 0 || !budget.take(1) {
            return None;
        }
        allowed -= 1;
        let (x, y) = (&a.nodes[i as usize], &b.nodes[j as usize]);
        if x.orbit.distance_bound(&y.orbit) > enough {
            continue;
        }
        if x.triangles == 1 && y.triangles == 1 {
            out[0][x.link as usize] = true;
            out[1][y.link as usize] = true;
        } else if x.triangles >= y.triangles {
            stack.extend([(x.link, j), (i + 1, j)]);
        } else {
            stack.extend([(i, y.link), (i, j + 1)]);
        }
    }
    Some(out)
}
