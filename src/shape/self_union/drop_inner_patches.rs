//! Drops the inner patches of a surface with triangles meeting along shared edges and at shared vertices only.

use crate::geom::Vec3;
use crate::shape::self_union::{NO_BOUNDARY, NO_RAY};
use crate::shape::surface::winding_number::winding_in_front;
use crate::shape::surface::{Resolution, Surface};

/// Keeps the patches with outside in front and the solid behind. The winding number is constant along either side of a
/// patch: nothing crosses it, and it ends at edges of more than two triangles.
pub(crate) fn keep_boundary(s: &Surface) -> Resolution {
    let patch_of = label(s);
    let mut largest: Vec<(f64, u32)> = Vec::new();
    for (t, &p) in (0..).zip(&patch_of) {
        let [a, b, c] = s.triangle(t);
        let area = (b - a).cross(&(c - a)).norm_squared();
        if p as usize == largest.len() {
            largest.push((area, t));
        } else if area > largest[p as usize].0 {
            largest[p as usize] = (area, t);
        }
    }
    // A single patch without crossings is a sphere with handles, wound outward.
    if largest.len() <= 1 {
        return Resolution::Clean;
    }
    let Some(keep) = largest.iter().map(|&(_, t)| Some(winding_in_front(s, t)? == 0)).collect::<Option<Vec<bool>>>()
    else {
        return Resolution::Failed(NO_RAY);
    };
    if keep.iter().all(|k| *k) {
        return Resolution::Clean;
    }
    let kept: Vec<usize> = (0..s.triangles.len()).filter(|t| keep[patch_of[*t] as usize]).collect();
    if kept.is_empty() {
        return Resolution::Failed(NO_BOUNDARY);
    }
    let triangles: Vec<[u32; 3]> = kept.iter().map(|&t| s.triangles[t]).collect();
    let (vertices, triangles) = used(&s.vertices, &triangles);
    let kept = Surface::of(vertices, &triangles, s.inside).into_self_union(|t| s.source[kept[t as usize]]);
    Resolution::Into { surface: Box::new(kept), dropped: true }
}

/// Labels every triangle with its patch, numbered by first triangle. Patches are connected across edges of exactly two
/// triangles in opposite directions.
fn label(s: &Surface) -> Vec<u32> {
    let n = s.triangles.len();
    let mut patch_of = vec![u32::MAX; n];
    let mut stack = Vec::new();
    let mut count = 0;
    for seed in 0..n as u32 {
        if patch_of[seed as usize] != u32::MAX {
            continue;
        }
        patch_of[seed as usize] = count;
        stack.push(seed);
        while let Some(t) = stack.pop() {
            for other in (0..3).map(|k| s.neighbor(t, k)).filter(|o| *o != u32::MAX) {
                if patch_of[other as usize] == u32::MAX {
                    patch_of[other as usize] = count;
                    stack.push(other);
                }
            }
        }
        count += 1;
    }
    patch_of
}

/// Keeps the used vertices only.
fn used(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut number = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    let renumbered = triangles.iter().map(|t| {
        t.map(|v| {
            let n = &mut number[v as usize];
            if *n == u32::MAX {
                *n = kept.len() as u32;
                kept.push(vertices[v as usize]);
            }
            *n
        })
    });
    let renumbered = renumbered.collect();
    (kept, renumbered)
}
