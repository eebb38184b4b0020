//! A binary tree of boxes over the triangles of a surface.

use crate::geom::{Aabb, Vec3};

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// A box of the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    min: [f32; 3],
    max: [f32; 3],
    /// First triangle of a leaf; otherwise the first child, which the second follows.
    first: u32,
    /// Triangles of a leaf; 0 of other nodes.
    count: u32,
}

impl Node {
    /// The box, in the surface's frame (mm); holds the triangles for certain.
    #[inline]
    pub(crate) fn bounds(&self) -> Aabb {
        let wide = |v: [f32; 3]| Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        Aabb { min: wide(self.min), max: wide(self.max) }
    }

    /// The triangles of a leaf.
    #[inline]
    pub(crate) fn triangles(&self) -> Option<std::ops::Range<u32>> {
        (self.count > 0).then(|| self.first..self.first + self.count)
    }

    /// The children of a node that is no leaf.
    #[inline]
    pub(crate) fn children(&self) -> [u32; 2] {
        [self.first, self.first + 1]
    }
}

/// A binary tree. Node 0 is the root; a tree over nothing has no node.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Children follow their parent.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// Over the triangles that `order` lists; sorts `order` so that leaves are ranges of it.
    pub(super) fn new(vertices: &[Vec3], triangles: &[[u32; 3]], order: &mut [u32]) -> Self {
        let mut nodes = Vec::new();
        if order.is_empty() {
            return Self { nodes };
        }
        let sum = |t: u32| triangles[t as usize].iter().fold(Vec3::zeros(), |s, &v| s + vertices[v as usize]);
        nodes.push(Node { min: [0.0; 3], max: [0.0; 3], first: 0, count: order.len() as u32 });
        let mut next = 0;
        while next < nodes.len() {
            let (first, count) = (nodes[next].first as usize, nodes[next].count as usize);
            let range = &mut order[first..first + count];
            let corners = range.iter().flat_map(|&t| triangles[t as usize]);
            let bounds = Aabb::of_points(corners.map(|v| &vertices[v as usize]));
            nodes[next].min = [0, 1, 2].map(|k| down(bounds.min[k]));
            nodes[next].max = [0, 1, 2].map(|k| -down(-bounds.max[k]));
            if count > LEAF {
                let axis = (bounds.max - bounds.min).imax();
                let middle = count / 2;
                range.select_nth_unstable_by(middle, |&s, &t| sum(s)[axis].total_cmp(&sum(t)[axis]).then(s.cmp(&t)));
                let child = |first: usize, count: usize| Node {
                    min: [0.0; 3],
                    max: [0.0; 3],
                    first: first as u32,
                    count: count as u32,
                };
                nodes[next].first = nodes.len() as u32;
                nodes[next].count = 0;
                nodes.push(child(first, middle));
                nodes.push(child(first + middle, count - middle));
            }
            next += 1;
        }
        Self { nodes }
    }
}

/// The largest single-precision number that is not above `x`.
fn down(x: f64) -> f32 {
    let f = x as f32;
    if f64::from(f) > x { f.next_down() } else { f }
}
