//! Computes the distance from a point inside a solid to the surface along a ray.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::shape::surface::{Below, Node, Surface};

/// Computes the distance from `x` along `d` (the surface's frame, unit) to the nearest triangle passed from behind
/// (mm); `limit` if there is none before. Plain arithmetic suffices: the result only proposes a translation.
pub(crate) fn exit(s: &Surface, x: &Vec3, d: &Vec3, limit: f64) -> f64 {
    let nodes = &s.tree().nodes;
    let mut best = limit;
    let mut stack = vec![];
    stack.extend((!nodes.is_empty()).then_some(0_u32));
    while let Some(at) = stack.pop() {
        let node = &nodes[at as usize];
        if !may_meet(node, x, d, best) {
            continue;
        }
        match node.below() {
            Below::Children(children) => stack.extend(children),
            Below::Triangles(range) => {
                for t in range {
                    best = lesser(best, leaves_through(&s.triangle(t), x, d));
                }
            }
        }
    }
    best
}

/// Tests a ray against a box by slabs, slightly wider than the box in single precision.
fn may_meet(node: &Node, x: &Vec3, d: &Vec3, best: f64) -> bool {
    let axes = node.axes();
    let (c, w) = (axes.tr_mul(&(x - node.center())), axes.tr_mul(d));
    let (mut from, mut to) = (0.0, best);
    for k in 0..3 {
        let half = f64::from(node.half()[k]) * (1.0 + 1e-6);
        let (near, far) = ((-half - c[k]) / w[k], (half - c[k]) / w[k]);
        let (near, far) = if near < far { (near, far) } else { (far, near) };
        // For a ray parallel to the slab these are NaN or infinite, and the comparisons leave the interval unchanged.
        if near > from {
            from = near;
        }
        if far < to {
            to = far;
        }
    }
    from <= to
}

fn leaves_through([a, b, c]: &[Vec3; 3], x: &Vec3, d: &Vec3) -> f64 {
    let (e, f) = (b - a, c - a);
    let n = e.cross(&f);
    let slope = n.dot(d);
    if slope <= 0.0 {
        return f64::INFINITY;
    }
    let from = x - a;
    let way = -n.dot(&from) / slope;
    let turned = from.cross(d);
    let (v, w) = (-f.dot(&turned) / slope, e.dot(&turned) / slope);
    if way >= 0.0 && v >= 0.0 && w >= 0.0 && v + w <= 1.0 { way } else { f64::INFINITY }
}
