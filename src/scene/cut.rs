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
        scene.for_each_face(i, |corners| {
            if corners.iter().all(|p| raster.view.coordinates(p)[2] > 0.0) {
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

/// Samples of the lines in which surfaces cross the plane, for surfaces without an inside. A sample belongs to a line
/// if the face passes from before the plane to behind it between two neighbours.
pub fn lines(scene: &Scene, raster: &Raster, instance: InstanceIx) -> Vec<bool> {
    let mut marks = vec![false; raster.width * raster.height];
    let reach = 0.75 / raster.scale();
    scene.for_each_face(instance, |corners| {
        let depths = corners.map(|p| raster.view.coordinates(&p)[2]);
        if depths.iter().all(|z| *z > reach) || depths.iter().all(|z| *z < -reach) {
            return;
        }
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
    let (from, to) = (at(b, z[1]), at(c, z[2]));
    let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).min(4096.0);
    let n = steps as usize + 1;
    for k in 0..=n {
        let t = k as f64 / n as f64;
        let (x, y) = (from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t);
        if x >= 0.0 && y >= 0.0 && x < raster.width as f64 && y < raster.height as f64 {
            marks[y as usize * raster.width + x as usize] = true;
        }
    }
}
