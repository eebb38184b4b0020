//! Tells if one hull lies inside another: no vertex beyond a facet.

use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Pose, Vec3};
use crate::shape::polytope::Convex;
use std::ops::Range;

/// Bound of the rounding error in the dot product of a unit vector and a vertex of the centred frame, in diameters: a
/// few round-offs of 1.1·10⁻¹⁶ each.
const SUPPORT_ROUNDING: f64 = 1e-12;

/// Number of facets, evenly spaced, tested by a pass over all vertices before these go into a tree. Few hulls lie inside
/// another one, and a facet in one of these places mostly shows it.
const SCANNED: usize = 16;

/// Returns true if every vertex of `inner` lies in `outer` grown by `slack` (mm); `pose` places `inner` in the frame of
/// `outer`. Cost: [`SCANNED`] passes over the vertices, then a logarithm of their number for each facet, and more for
/// facets that nearly touch.
pub fn contains(outer: &Convex, inner: &Convex, pose: &Pose, slack: f64) -> bool {
    if outer.rank < 3 {
        return false;
    }
    let rounding = SUPPORT_ROUNDING * inner.diameter;
    let radius = inner.vertices.iter().map(Vec3::norm_squared).fold(0.0, greater).sqrt();
    // Direction of a facet in the inner frame, and its test of a distance along it; `None` if all vertices clearly pass.
    let open = |(n, offset): (Vec3, f64)| {
        let local = pose.rotation.tr_mul(&n);
        let (shift, limit) = (n.dot(&pose.translation), offset + slack);
        let is_beyond = move |distance: f64| distance + shift > limit;
        is_beyond(lesser(radius, reach(&inner.aabb, &local)) + rounding).then_some((local, is_beyond))
    };
    let step = outer.facet_count().div_ceil(SCANNED).max(1);
    let mut some = outer.planes().step_by(step).filter_map(open);
    if some.any(|(local, is_beyond)| inner.vertices.iter().any(|v| is_beyond(local.dot(v)))) {
        return false;
    }
    let mut tree: Option<PointTree> = None;
    !outer.planes().filter_map(open).any(|(local, is_beyond)| {
        let tree = tree.get_or_insert_with(|| PointTree::new(inner.vertices.clone()));
        tree.any(0, &|bounds| is_beyond(reach(bounds, &local) + rounding), &|v| is_beyond(local.dot(v)))
    })
}

/// Largest extent of a box along a direction from the origin.
fn reach(bounds: &Aabb, n: &Vec3) -> f64 {
    n.dot(&bounds.center()) + n.abs().dot(&((bounds.max - bounds.min) * 0.5))
}

/// Points in a binary tree of boxes, to find one beyond a plane.
struct PointTree {
    /// Points, those below each node side by side.
    points: Vec<Vec3>,
    /// Root first; after each node everything below its first child, then everything below its second child.
    nodes: Vec<PointNode>,
}

struct PointNode {
    bounds: Aabb,
    points: Range<usize>,
    /// Index of the second child; `None` for a leaf. The first child follows its parent.
    second: Option<usize>,
}

impl PointTree {
    /// Largest number of points of a leaf.
    const LEAF: usize = 8;

    fn new(points: Vec<Vec3>) -> Self {
        let count = points.len();
        let mut tree = Self { points, nodes: Vec::new() };
        tree.build(0..count);
        tree
    }

    fn build(&mut self, range: Range<usize>) {
        let points = &mut self.points[range.clone()];
        let bounds = Aabb::of_points(&*points);
        let at = self.nodes.len();
        self.nodes.push(PointNode { bounds, points: range.clone(), second: None });
        if range.len() > Self::LEAF {
            let axis = (bounds.max - bounds.min).imax();
            let half = range.len() / 2;
            points.select_nth_unstable_by(half, |a, b| a[axis].total_cmp(&b[axis]));
            self.build(range.start..range.start + half);
            self.nodes[at].second = Some(self.nodes.len());
            self.build(range.start + half..range.end);
        }
    }

    /// True if `wanted` holds for some point below a node. It skips the boxes without `may_hold`.
    fn any(&self, at: usize, may_hold: &impl Fn(&Aabb) -> bool, wanted: &impl Fn(&Vec3) -> bool) -> bool {
        let node = &self.nodes[at];
        may_hold(&node.bounds)
            && match node.second {
                Some(second) => self.any(at + 1, may_hold, wanted) || self.any(second, may_hold, wanted),
                None => self.points[node.points.clone()].iter().any(wanted),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::shape::hull::{convex_hull, facets};
    use crate::testkit::rng::Rng;

    fn ball(rng: &mut Rng, radius: f64, count: usize) -> Convex {
        let points: Vec<Vec3> = (0..count).map(|_| rng.direction() * radius).collect();
        let hull = convex_hull(&points);
        let facets = facets(&hull);
        Convex::new(&hull, &facets)
    }

    #[test]
    fn the_tree_gives_the_answer_of_all_vertices() {
        let mut rng = Rng::new(11);
        let mut counts = [0, 0];
        for k in 0..200 {
            let (outer, inner) = (ball(&mut rng, 10.0, 60), ball(&mut rng, 5.0 + 0.02 * f64::from(k), 300));
            let pose = Pose { translation: rng.direction() * (4.0 * rng.unit()), ..Pose::identity() };
            let below = |v: &Vec3| {
                let x = pose.point(v);
                outer.planes().all(|(n, offset)| n.dot(&x) <= offset)
            };
            let expected = inner.vertices.iter().all(below);
            assert_eq!(contains(&outer, &inner, &pose, 0.0), expected);
            counts[usize::from(expected)] += 1;
        }
        assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
    }
}
