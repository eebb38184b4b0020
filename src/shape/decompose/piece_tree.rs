//! Builds a tree over the boxes of pieces.

use crate::geom::{Aabb, Mat3, Obb, Vec3};

/// Content below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Below {
    /// Index of a piece.
    Piece(u32),
    /// Indices of two nodes.
    Children([u32; 2]),
}

/// Axis-parallel box around some pieces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Box in the part's centred frame (mm).
    pub bounds: Obb,
    pub below: Below,
}

/// Converts an axis-parallel box to an oriented one. The pair's margin covers its rounding, a unit in the last place.
pub(crate) fn as_obb(b: &Aabb) -> Obb {
    Obb { center: b.center(), axes: Mat3::identity(), half_extents: (b.max - b.min) * 0.5 }
}

/// Builds the nodes over some boxes, the root last; empty without boxes. Splits at the median along the longest side of
/// the centres' box, ties by index. O(n log² n).
pub(crate) fn build(boxes: &[Aabb]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * boxes.len());
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    if !order.is_empty() {
        add(boxes, &mut order, &mut nodes);
    }
    nodes
}

/// Adds the nodes over some of the boxes; returns the index of the topmost.
fn add(boxes: &[Aabb], order: &mut [u32], nodes: &mut Vec<Node>) -> u32 {
    let bounds = order.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
    let below = if let [one] = order {
        Below::Piece(*one)
    } else {
        let centers: Vec<Vec3> = order.iter().map(|&i| boxes[i as usize].center()).collect();
        let spread = Aabb::of_points(&centers);
        let axis = (spread.max - spread.min).imax();
        let along = |i: u32| boxes[i as usize].center()[axis];
        order.sort_unstable_by(|&i, &j| along(i).total_cmp(&along(j)).then(i.cmp(&j)));
        let (left, right) = order.split_at_mut(order.len() / 2);
        Below::Children([add(boxes, left, nodes), add(boxes, right, nodes)])
    };
    nodes.push(Node { bounds: as_obb(&bounds), below });
    nodes.len() as u32 - 1
}
