//! Tests the tree over triangles: its boxes contain them for any input.

use crate::geom::Vec3;
use crate::shape::surface::bvh_build::{MAX_DEPTH, SMALL_NODE, Tree};
use crate::shape::surface::bvh_node::{Below, Node, SKEW};
use crate::testkit::rng::Rng;
use std::collections::BTreeSet;

/// Builds a tree and returns its depth. Checks that every triangle is in one leaf and every box contains all triangles
/// below it.
fn depth_of(vertices: &[Vec3], triangles: &[[u32; 3]]) -> u32 {
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    let tree = Tree::new(vertices, triangles, &mut order, 1);
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), triangles.len());
    let (mut stack, mut deepest, mut covered) = (vec![(0_u32, 0_u32, Vec::new())], 0, 0);
    while let Some((at, depth, mut above)) = stack.pop() {
        let node = &tree.nodes[at as usize];
        above.push(at);
        match node.below() {
            Below::Children(children) => stack.extend(children.map(|c| (c, depth + 1, above.clone()))),
            Below::Triangles(range) => {
                deepest = deepest.max(depth);
                covered += range.len();
                let corners = range.flat_map(|t| triangles[order[t as usize] as usize]);
                for v in corners.map(|v| vertices[v as usize]) {
                    for node in above.iter().map(|&n| &tree.nodes[n as usize]) {
                        let local = node.axes().tr_mul(&(v - node.center()));
                        let slack = SKEW * f64::from(node.size()) + 1e-15 * v.norm();
                        assert!((0..3).all(|k| local[k].abs() <= f64::from(node.half()[k]) + slack));
                    }
                }
            }
        }
    }
    assert_eq!(covered, triangles.len());
    deepest
}

/// Unconnected triangles, corner by corner.
fn loose(count: usize, corner: impl FnMut(usize) -> Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertices = (0..3 * count).map(corner).collect();
    (vertices, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

#[test]
fn boxes_hold_their_triangles_in_trees_of_every_size() {
    for (count, most) in [(1, 0), (3, 3), (5, 4), (17, 8), (400, 16), (SMALL_NODE + 100, 24)] {
        let mut rng = Rng::new(count as u64);
        let (vertices, triangles) = loose(count, |k| {
            let unit = rng.unit();
            // A wavy band.
            let t = (k / 3) as f64 / count as f64 * 30.0;
            Vec3::new(t, libm::sin(t) + 0.1 * unit, (k % 3) as f64 * unit)
        });
        let depth = depth_of(&vertices, &triangles);
        assert!(depth <= most, "{depth} for {count}");
    }
}

/// Single precision measures distances within a box, not positions: neither place nor size adds to its error.
#[test]
fn boxes_hold_their_triangles_at_any_place_and_size() {
    for (place, size) in [(0.0, 1e-30), (0.0, 1e6), (1.0, 1e-12), (1e5, 1e-9), (1e5, 1.0), (3e5, 3e-11)] {
        let mut rng = Rng::new(3);
        let middle = Vec3::new(place, -0.7 * place, 0.3 * place);
        let (vertices, triangles) = loose(600, |k| {
            let along = (k / 3) as f64 / 600.0;
            let wave = Vec3::new(along, 0.1 * libm::sin(20.0 * along), 0.2 * libm::cos(7.0 * along));
            middle + (wave + Vec3::new(rng.unit(), rng.unit(), rng.unit()) * 0.02) * size
        });
        depth_of(&vertices, &triangles);
    }
}

#[test]
fn tree_depth_is_bounded() {
    let same = |k: usize| [Vec3::zeros(), Vec3::x(), Vec3::y()][k % 3];
    // Each triangle is a third as far out as the previous one: every split separates only a few.
    let shrinking = |k: usize| (Vec3::repeat(1.0) + same(k) * 0.1) * libm::pow(3.0, -((k / 3 % 300) as f64));
    let needles = |k: usize| Vec3::new(same(k).x * 1e6, same(k).y * 1e-6, 0.0);
    for count in [600, SMALL_NODE + 1] {
        let (vertices, triangles) = loose(count, same);
        assert!(depth_of(&vertices, &triangles) < 40);
        let (vertices, triangles) = loose(count, shrinking);
        assert!(depth_of(&vertices, &triangles) <= MAX_DEPTH + 20);
        let (vertices, triangles) = loose(count, needles);
        assert!(depth_of(&vertices, &triangles) < 40);
    }
}

#[test]
fn several_threads_build_the_same_tree() {
    let mut rng = Rng::new(7);
    let (vertices, triangles) = loose(250_000, |k| {
        let at = (k / 3) as f64 * 1e-4;
        Vec3::new(at, libm::sin(at), rng.unit()) + Vec3::new(rng.unit(), rng.unit(), rng.unit()) * 1e-3
    });
    let build = |threads: usize| {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let tree = Tree::new(&vertices, &triangles, &mut order, threads);
        (order, tree.nodes)
    };
    let (order, nodes) = build(1);
    for threads in [2, 3, 8] {
        let (other_order, other_nodes) = build(threads);
        assert!(order == other_order, "{threads} threads");
        assert!(nodes.len() == other_nodes.len(), "{threads} threads");
        let differs = |(a, b): &(&Node, &Node)| format!("{a:?}") != format!("{b:?}");
        assert!(nodes.iter().zip(&other_nodes).find(differs).is_none(), "{threads} threads");
    }
}

/// The order of triangles decides between equal answers, and pieces of a decomposition follow it.
#[test]
fn two_triangles_are_sorted_by_all_axes() {
    let mut rng = Rng::new(14);
    let mut tied = 0;
    for _ in 0..2000 {
        // Small whole numbers: the centres often agree along an axis.
        let (vertices, triangles) = loose(2, |_| Vec3::from([(); 3].map(|()| rng.below(3) as f64)));
        let center = |t: usize| {
            let corners = triangles[t].map(|v| vertices[v as usize]);
            let ends = |k: usize| corners.iter().fold([9.0, -9.0_f64], |[l, h], c| [c[k].min(l), c[k].max(h)]);
            [0, 1, 2].map(|k| ends(k).iter().sum::<f64>())
        };
        let [a, b] = [center(0), center(1)];
        let width = [0, 1, 2].map(|k| (a[k] - b[k]).abs());
        let longest = (0..3).fold(0, |l, k| if width[k] > width[l] { k } else { l });
        let axes = [(longest + 1) % 3, longest, (longest + 2) % 3];
        tied += usize::from(width[axes[0]] == 0.0 && width[longest] > 0.0);
        let is_later = axes.iter().find(|k| width[**k] > 0.0).is_some_and(|k| a[*k] > b[*k]);
        let mut order = vec![0, 1];
        Tree::new(&vertices, &triangles, &mut order, 1);
        assert_eq!(order, if is_later { [1, 0] } else { [0, 1] }, "{a:?} {b:?}");
    }
    assert!(tied > 100, "{tied}");
}
