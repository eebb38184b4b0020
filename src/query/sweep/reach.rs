//! Vertices of two surfaces that may come near the other surface during a run. All others need no inset.
//!
//! The marks claim nothing: an inset is valid with any of its vertices left in place.

use crate::geom::math::{greater, lesser};
use crate::query::sweep::body::MovingPair;
use crate::query::sweep::cells::Cells;
use crate::query::sweep::prove::SPLIT_INTERVAL_ABOVE;
use crate::query::sweep::tree::SweepTree;
use crate::shape::surface::Surface;

/// Radius of the smallest nodes that are tested (share of the radius of the smaller surface).
const SMALLEST: f64 = 0.12;

/// Largest number of tests; beyond it, all vertices count as near. Some milliseconds.
const MAX_TESTS: usize = 50_000;

/// Marks the vertices of both surfaces below nodes that come within `enough` (mm) of each other; `None` if that takes
/// too many tests. `cells` covers the run.
pub(crate) fn vertices_in_reach(surfaces: [&Surface; 2], cells: &mut Cells, enough: f64) -> Option<[Vec<bool>; 2]> {
    let trees = surfaces.map(SweepTree::new);
    if trees.iter().any(SweepTree::is_empty) {
        return None;
    }
    let smallest = SMALLEST * lesser(trees[0].radius(0), trees[1].radius(0));
    let mut near = trees.each_ref().map(|tree| vec![false; tree.count()]);
    let mut stack = vec![([0_u32; 2], 0_u32)];
    let mut tests = 0;
    while let Some((ids, id)) = stack.pop() {
        let [i, j] = ids;
        if near[0][i as usize] && near[1][j as usize] {
            continue;
        }
        tests += 1;
        if tests > MAX_TESTS {
            return None;
        }
        let moving = MovingPair::new(trees[0].body(i), trees[1].body(j), &cells.get(id).frame);
        if moving.distance_bound(enough, None) > enough {
            continue;
        }
        let radii = [trees[0].radius(i), trees[1].radius(j)];
        if moving.displacement() > SPLIT_INTERVAL_ABOVE * greater(greater(radii[0], radii[1]), smallest)
            && let Some(halves) = cells.halves(id)
        {
            stack.extend(halves.map(|half| (ids, half)));
            continue;
        }
        let splits = [0, 1].map(|k| radii[k] > smallest && trees[k].triangle(ids[k]).is_none());
        match splits {
            [false, false] => (near[0][i as usize], near[1][j as usize]) = (true, true),
            [true, of_b] if !of_b || radii[0] >= radii[1] => {
                stack.extend(trees[0].children(i).map(|child| ([child, j], id)));
            }
            _ => stack.extend(trees[1].children(j).map(|child| ([i, child], id))),
        }
    }
    Some([0, 1].map(|k| vertices_below(&trees[k], &mut near[k])))
}

/// Vertices of the triangles below marked nodes.
fn vertices_below(tree: &SweepTree, near: &mut [bool]) -> Vec<bool> {
    let surface = tree.surface();
    let mut vertices = vec![false; surface.vertices.len()];
    // Children follow their parents.
    for id in 0..near.len() as u32 {
        if !near[id as usize] {
            continue;
        }
        tree.children(id).for_each(|child| near[child as usize] = true);
        if tree.triangle(id).is_some() {
            for v in surface.triangles[tree.first_triangle(id) as usize] {
                vertices[v as usize] = true;
            }
        }
    }
    vertices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Pose, Vec3};
    use crate::motion::{Chain, ChainJoint, Joint, JointKind, Law};
    use crate::query::depth::tests::part_with;
    use crate::query::sweep::work::balls;
    use crate::shape::surface::Inside;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::{block, refined};

    #[test]
    fn vertices_that_a_pose_brings_near_are_marked_and_most_others_are_not() {
        let mut rng = Rng::new(7);
        // A long bar, and a block that slides a little along it.
        let bar = part_with(&refined(&block([-50.0, -1.0, -1.0], [50.0, 1.0, 1.0]), &mut rng, 1200), Inside::Solid);
        let slider = part_with(&block([-2.0; 3], [2.0; 3]), Inside::Solid);
        let joint = Joint { kind: JointKind::Prismatic, axis: Vec3::x(), at: Vec3::zeros() };
        let [center_of_bar, center_of_slider] = [&bar, &slider].map(|part| part.convex.origin);
        let translation = Vec3::new(-30.0, 2.5, 0.0) + center_of_slider - center_of_bar;
        let drawn = Pose { translation, ..Pose::identity() };
        let chain = Chain { drawn, joints: vec![ChainJoint { joint, law: Law::linear(1.0, 0.0) }] };
        let mut cells = Cells::new(&chain, [0.0, 2.0], balls([bar.body(), slider.body()]));
        let [a, b] = [bar.body().surface, slider.body().surface];
        let [of_bar, _] = vertices_in_reach([a, b], &mut cells, 0.1).expect("few tests");
        let (mut near, mut far, mut left) = (0, 0, 0);
        for (x, marked) in a.vertices.iter().zip(&of_bar) {
            let x = x + center_of_bar;
            let along = greater(greater(-32.0 - x.x, x.x + 26.0), 0.0);
            if along <= 0.0 && x.y >= 0.4 {
                assert!(marked, "{x:?}");
                near += 1;
            }
            // Long triangles may have far corners.
            far += usize::from(along >= 8.0);
            left += usize::from(along >= 8.0 && !marked);
        }
        assert!(near > 5 && far > 100 && left * 10 > far * 9, "{near} {far} {left}");
    }
}
