//! Fits the meshes of a page into a number of bytes: fewer triangles first, then fewer parts.
//!
//! 1. Parts without a finding lose detail.
//! 2. Parts of findings lose detail away from the overlaps.
//! 3. The instances farthest from any finding are left out.

use crate::assembly::InstanceIx;
use crate::geom::math::{greater, lesser};
use crate::geom::{Aabb, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::page::encode::{self, Encoded};
use crate::report::number::count;
use crate::scene::{Scene, SceneFinding, cluster};
use rayon::prelude::*;

/// Cells across a part at the levels of detail.
const CELLS: [f64; 6] = [512.0, 256.0, 128.0, 64.0, 32.0, 16.0];

/// Parts with fewer triangles keep all of them.
const FEW_TRIANGLES: usize = 1_000;

/// Radius around a finding where its parts keep all triangles: overlap depths, and share of the part's diagonal.
const KEPT_DEPTHS: f64 = 10.0;
const KEPT_SHARE: f64 = 0.02;

/// Meshes of a page within its limit.
pub(crate) struct Fitted {
    /// Meshes of all shapes; an unused shape has an empty one.
    pub meshes: Vec<Encoded>,
    /// True for each instance that the page shows.
    pub shown: Vec<bool>,
    /// Sentences about missing detail and missing parts.
    pub notes: Vec<String>,
}

/// A shape in the page.
struct Shape {
    mesh: Encoded,
    /// Largest distance that a vertex moved (mm).
    error: f64,
    /// True if some vertices stayed for a finding.
    pinned: bool,
}

/// Scene, findings and limit of a page.
struct Fit<'a> {
    scene: &'a Scene,
    findings: &'a [SceneFinding],
    tolerance: f64,
    limit: usize,
}

/// Returns the meshes as they are if they fit into `limit` bytes. Cost: encodes each shape at most seven times, with
/// fewer triangles each time.
pub(crate) fn fit(
    scene: &Scene,
    findings: &[SceneFinding],
    tolerance: f64,
    (meshes, mut shown): (Vec<Encoded>, Vec<bool>),
    limit: usize,
) -> Fitted {
    let fit = Fit { scene, findings, tolerance, limit };
    let mut shapes: Vec<Shape> = meshes.into_iter().map(|mesh| Shape { mesh, error: 0.0, pinned: false }).collect();
    let mut of_finding = vec![false; shapes.len()];
    for i in findings.iter().flat_map(|f| f.pair) {
        of_finding[scene.instances[i.0 as usize].shape] = true;
    }
    for side in [false, true] {
        for cells in CELLS {
            if bytes(&shapes) <= limit {
                break;
            }
            let chosen = shapes.par_iter_mut().enumerate().filter(|(k, _)| of_finding[*k] == side);
            chosen.for_each(|(k, shape)| fit.simplify(k, shape, cells));
        }
    }
    let left_out = fit.leave_out(&mut shown, &mut shapes);
    let mut notes = Vec::new();
    let parts = shapes.iter().filter(|s| s.error > 0.0).count();
    if parts > 0 {
        let error = shapes.iter().map(|s| s.error).fold(0.0, greater);
        let near = if shapes.iter().any(|s| s.pinned) { "; the surroundings of the findings keep all" } else { "" };
        let parts = count(parts as u64, "part");
        notes.push(format!("{parts} with fewer triangles in the page: vertices moved by up to {error:.2} mm{near}"));
    }
    if left_out > 0 {
        notes.push(format!("{} left out of the page", count(left_out as u64, "instance")));
    }
    Fitted { meshes: shapes.into_iter().map(|s| s.mesh).collect(), shown, notes }
}

impl Fit<'_> {
    /// Simplifies a shape to a number of cells across.
    fn simplify(&self, k: usize, shape: &mut Shape, cells: f64) {
        let mesh = &self.scene.shapes[k].mesh;
        if shape.mesh.triangles < FEW_TRIANGLES {
            return;
        }
        let pinned = self.pinned(k);
        let simple = cluster::cluster(mesh, Aabb::of_points(&mesh.vertices).diagonal() / cells, &pinned);
        let encoded = encode::mesh(&simple.mesh, self.tolerance);
        if encoded.text.len() < shape.mesh.text.len() {
            *shape = Shape { mesh: encoded, error: simple.error, pinned: pinned.contains(&true) };
        }
    }

    /// True for each vertex of a triangle near an overlap.
    fn pinned(&self, shape: usize) -> Vec<bool> {
        let mesh = &self.scene.shapes[shape].mesh;
        let mut pinned = vec![false; mesh.vertices.len()];
        let margin = KEPT_SHARE * Aabb::of_points(&mesh.vertices).diagonal();
        for f in self.findings {
            for i in f.pair.iter().filter(|i| self.scene.instances[i.0 as usize].shape == shape) {
                let reach = greater(margin, KEPT_DEPTHS * f.focus.depth.unwrap_or(0.0));
                let points = f.focus.apart.map_or(vec![f.focus.point], |ends| ends.to_vec());
                let place = f.focus.overlap.unwrap_or_else(|| Aabb::of_points(&points)).inflated(reach);
                pin(mesh, &self.scene.instances[i.0 as usize].pose, &place, &mut pinned);
            }
        }
        pinned
    }

    /// Leaves out instances, farthest from any finding first, until the shapes of the rest fit. Returns their number.
    fn leave_out(&self, shown: &mut [bool], shapes: &mut [Shape]) -> usize {
        let mut users = vec![0_usize; shapes.len()];
        let instances = self.scene.instances.iter().enumerate().filter(|(k, _)| shown[*k]);
        let mut order: Vec<(usize, f64)> = instances.map(|(k, _)| (k, self.distance(k))).collect();
        for (k, _) in &order {
            users[self.scene.instances[*k].shape] += 1;
        }
        order.sort_by(|(i, a), (j, b)| b.total_cmp(a).then(j.cmp(i)));
        let mut left_out = 0;
        for (k, _) in order {
            if bytes(shapes) <= self.limit {
                break;
            }
            let shape = self.scene.instances[k].shape;
            shown[k] = false;
            left_out += 1;
            users[shape] -= 1;
            if users[shape] == 0 {
                let empty = TriMesh { vertices: Vec::new(), triangles: Vec::new() };
                let mesh = encode::mesh(&empty, self.tolerance);
                shapes[shape] = Shape { mesh, error: 0.0, pinned: false };
            }
        }
        left_out
    }

    /// Distance of an instance's box from the nearest finding (mm). Instances of findings come after all others, the
    /// worst finding last.
    fn distance(&self, instance: usize) -> f64 {
        let ix = InstanceIx(instance as u32);
        if let Some(rank) = self.findings.iter().position(|f| f.pair.contains(&ix)) {
            return rank as f64 - self.findings.len() as f64;
        }
        let b = &self.scene.instances[instance].bounds;
        let far = |p: &Vec3| (p - p.sup(&b.min).inf(&b.max)).norm();
        self.findings.iter().map(|f| far(&f.focus.point)).fold(f64::INFINITY, lesser)
    }
}

/// Bytes of all shapes.
fn bytes(shapes: &[Shape]) -> usize {
    shapes.iter().map(|s| s.mesh.text.len()).sum()
}

/// Marks the vertices of the triangles with a box that meets `place` (root frame, mm).
fn pin(mesh: &TriMesh, pose: &Pose, place: &Aabb, pinned: &mut [bool]) {
    let placed: Vec<Vec3> = mesh.vertices.iter().map(|v| pose.point(v)).collect();
    for t in &mesh.triangles {
        if Aabb::of_points(&t.map(|v| placed[v as usize])).meets(place) {
            for v in t {
                pinned[*v as usize] = true;
            }
        }
    }
}
