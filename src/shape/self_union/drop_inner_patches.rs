//! Drops the inner patches of a surface with triangles meeting along shared edges and at shared vertices only.

use crate::geom::Vec3;
use crate::shape::self_union::patches::Patches;
use crate::shape::self_union::{NO_BOUNDARY, NO_RAY};
use crate::shape::surface::{Resolution, Surface};

/// Keeps the patches with outside in front and the solid behind.
pub(crate) fn keep_boundary(s: &Surface) -> Resolution {
    let patches = Patches::of(s, &vec![false; s.triangles.len()]);
    if patches.is_one_without_crossings() {
        return Resolution::Clean;
    }
    let Some(keep) = patches.in_front(s).into_iter().map(|front| Some(front? == 0)).collect::<Option<Vec<bool>>>()
    else {
        return Resolution::Failed(NO_RAY);
    };
    let patch_of = patches.patch_of;
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
