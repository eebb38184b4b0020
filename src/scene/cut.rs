//! Computes which solids contain the samples of a section plane.
//!
//! The plane goes through the centre of the view, across the sight. Faces before the plane that show their outer side
//! count +1, the others −1: the sum along a sample is the winding number of its point in the plane. A point lies in a
//! solid if its winding number is at least 1. No mesh of the cut is needed.

use crate::assembly::InstanceIx;
use crate::geom::Vec3;
use crate::scene::Scene;
use crate::scene::raster::Raster;

/// Winding numbers of the samples in the plane, row by row, summed over some instances.
///
/// Cost: linear in the triangles and in the samples that they cover.
pub fn windings(scene: &Scene, raster: &Raster, instances: impl IntoIterator<Item = InstanceIx>) -> Vec<i16> {
    let mut sums = vec![0_i16; raster.width * raster.height];
    for i in instances {
        scene.for_each_shown(i, raster, |_, corners| {
            if corners.iter().all(|p| p[2] > 0.0) {
                return;
            }
            raster.triangle(corners, 0..raster.height, &mut |hit| {
                if hit.z < 0.0 {
                    let sum = &mut sums[hit.y * raster.width + hit.x];
                    *sum = sum.saturating_add(if hit.front { 1 } else { -1 });
                }
            });
        });
    }
    sums
}

/// Marks the samples on the lines in which a surface crosses the plane, for surfaces without an inside.
///
/// Cost: linear in the triangles and in the marked samples.
pub fn lines(scene: &Scene, raster: &Raster, instance: InstanceIx) -> Vec<bool> {
    let mut marks = vec![false; raster.width * raster.height];
    scene.for_each_face(instance, |corners| {
        for k in 0..3 {
            mark_crossing(raster, corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3], &mut marks);
        }
    });
    marks
}

/// Marks the samples on the segment of a triangle in the plane; `apex` is alone on its side.
fn mark_crossing(raster: &Raster, apex: Vec3, b: Vec3, c: Vec3, marks: &mut [bool]) {
    let z = [apex, b, c].map(|p| raster.view.coordinates(&p)[2]);
    let alone = z[0] > 0.0 && z[1] <= 0.0 && z[2] <= 0.0 || z[0] <= 0.0 && z[1] > 0.0 && z[2] > 0.0;
    if !alone {
        return;
    }
    let at = |p: Vec3, zp: f64| raster.project(&(apex + (p - apex) * (z[0] / (z[0] - zp))));
    let Some([from, to]) = inside([at(b, z[1]), at(c, z[2])], raster) else { return };
    let n = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()) as usize + 1;
    for k in 0..=n {
        let t = k as f64 / n as f64;
        let (x, y) = (from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t);
        if x >= 0.0 && y >= 0.0 && x < raster.width as f64 && y < raster.height as f64 {
            marks[y as usize * raster.width + x as usize] = true;
        }
    }
}

/// Part of a segment inside the view (Liang and Barsky, "A New Concept and Method for Line Clipping", 1984); `None` if
/// there is none. A segment of a near view may be a million times longer than the view.
fn inside([from, to]: [[f64; 3]; 2], raster: &Raster) -> Option<[[f64; 2]; 2]> {
    let d = [to[0] - from[0], to[1] - from[1]];
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (k, size) in [raster.width as f64, raster.height as f64].into_iter().enumerate() {
        for (step, room) in [(-d[k], from[k]), (d[k], size - from[k])] {
            if step == 0.0 && room < 0.0 {
                return None;
            }
            if step < 0.0 {
                first = first.max(room / step);
            } else if step > 0.0 {
                last = last.min(room / step);
            }
        }
    }
    let at = |t: f64| [from[0] + d[0] * t, from[1] + d[1] * t];
    (first <= last).then(|| [at(first), at(last)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::View;

    #[test]
    fn a_far_longer_segment_keeps_its_part_in_the_view() {
        let view = View::new(-Vec3::z(), Vec3::y(), Vec3::zeros(), [1.0, 1.0]);
        let raster = Raster { view, width: 100, height: 50 };
        let [from, to] = inside([[-1e9, 25.0, 0.0], [1e9, 25.0, 0.0]], &raster).expect("it crosses the view");
        assert!(from[0].abs() < 1e-3 && (to[0] - 100.0).abs() < 1e-3 && from[1] == 25.0, "{from:?} {to:?}");
        assert_eq!(inside([[-5.0, 60.0, 0.0], [5.0, 60.0, 0.0]], &raster), None);
    }
}
