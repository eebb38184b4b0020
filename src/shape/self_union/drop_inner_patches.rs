//! Finds the patches of a surface, and drops the inner ones of a surface with triangles meeting along shared edges and
//! at shared vertices only.

use crate::geom::Vec3;
use crate::shape::self_union::{NO_BOUNDARY, NO_RAY};
use crate::shape::surface::winding_number::winding_in_front;
use crate::shape::surface::{Resolution, Surface};

/// Keeps the patches with outside in front and the solid behind.
pub(crate) fn keep_boundary(s: &Surface) -> Resolution {
    let patches = Patches::of(s, &vec![false; s.triangles.len()]);
    // A single patch without crossings is a sphere with handles, wound outward.
    if patches.largest.len() <= 1 {
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

/// Patches of a surface: triangles without crossings, connected across edges of exactly two such triangles in opposite
/// directions. The winding number is constant along either side of a patch: nothing crosses it, and it ends at edges
/// of more than two triangles.
pub(crate) struct Patches {
    /// Patch of each triangle, numbered by first triangle; `u32::MAX` for a triangle with crossings.
    patch_of: Vec<u32>,
    /// Largest triangle of each patch.
    largest: Vec<u32>,
}

impl Patches {
    /// Finds the patches, O(n). `crosses` is true for each triangle with crossings.
    pub(crate) fn of(s: &Surface, crosses: &[bool]) -> Self {
        let n = s.triangles.len();
        let mut out = Self { patch_of: vec![u32::MAX; n], largest: Vec::new() };
        let mut stack = Vec::new();
        for seed in 0..n as u32 {
            if crosses[seed as usize] || out.patch_of[seed as usize] != u32::MAX {
                continue;
            }
            let patch = out.largest.len() as u32;
            let mut largest = (f64::NEG_INFINITY, seed);
            out.patch_of[seed as usize] = patch;
            stack.push(seed);
            while let Some(t) = stack.pop() {
                let [a, b, c] = s.triangle(t);
                let area = (b - a).cross(&(c - a)).norm_squared();
                // A tie goes to the first triangle, independent of the order of visits.
                if area > largest.0 || (area == largest.0 && t < largest.1) {
                    largest = (area, t);
                }
                for other in (0..3).map(|k| s.neighbor(t, k)).filter(|o| *o != u32::MAX) {
                    if !crosses[other as usize] && out.patch_of[other as usize] == u32::MAX {
                        out.patch_of[other as usize] = patch;
                        stack.push(other);
                    }
                }
            }
            out.largest.push(largest.1);
        }
        out
    }

    /// Computes the winding number in front of each patch, exactly, by one ray; `None` if no ray decides.
    pub(crate) fn in_front(&self, s: &Surface) -> Vec<Option<i32>> {
        self.largest.iter().map(|&t| winding_in_front(s, t)).collect()
    }

    /// Computes the winding number in front of each triangle; `None` for a triangle with crossings, or if no ray
    /// decides.
    pub(crate) fn in_front_of_triangles(&self, s: &Surface) -> Vec<Option<i32>> {
        let fronts = self.in_front(s);
        self.patch_of.iter().map(|&p| *fronts.get(p as usize)?).collect()
    }
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
