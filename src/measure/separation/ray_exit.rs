//! Computes the distance from a point inside a solid to the surface along a ray.

use crate::geom::Vec3;
use crate::geom::math::{lesser, norm1};
use crate::shape::surface::{Below, Node, Surface};
use smallvec::SmallVec;
use wide::f32x4;

/// Widening of a box for a ray in single precision (share of its size and distance).
const BOX_ROUNDING: f32 = 1e-6;

/// Computes the distance from `x` along `d` (the surface's frame, unit) to the nearest triangle passed from behind
/// (mm); `limit` if there is none before. Plain arithmetic suffices: the result only proposes a translation.
pub(crate) fn exit(s: &Surface, x: &Vec3, d: &Vec3, limit: f64) -> f64 {
    let nodes = &s.tree().nodes;
    let mut best = limit;
    let mut stack: SmallVec<[u32; 64]> = SmallVec::new();
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

/// Tests a ray against a box by slabs, in single precision; the box is widened by more than the rounding.
fn may_meet(node: &Node, x: &Vec3, d: &Vec3, best: f64) -> bool {
    let [rx, ry, rz] = node.rows().map(f32x4::new);
    let along_axes =
        |v: &Vec3| rx * f32x4::splat(v.x as f32) + ry * f32x4::splat(v.y as f32) + rz * f32x4::splat(v.z as f32);
    let from_center = x - node.center();
    let (c, w) = (along_axes(&from_center), along_axes(d));
    let [h, k, l] = node.half();
    let half = f32x4::new([h, k, l, 0.0]) + f32x4::splat(BOX_ROUNDING * (norm1(&from_center) as f32 + h + k + l));
    let (near, far) = (((-half - c) / w).to_array(), ((half - c) / w).to_array());
    let (mut from, mut to) = (0.0, best as f32 * (1.0 + BOX_ROUNDING));
    for (near, far) in near.into_iter().zip(far).take(3) {
        let (near, far) = if near < far { (near, far) } else { (far, near) };
        // For a ray parallel to the slab these are NaN or infinite, and the comparisons leave the interval unchanged.
        if near > from {
            from = near;
        }
        if far < to {
            to = far;
        }
    }
    from <= to * (1.0 + BOX_ROUNDING)
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
