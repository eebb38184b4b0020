//! Finds the nearest faces of a pair along each sample, and the faces where the overlap begins.
//!
//! The faces of both solids along a sample are sorted by depth. The overlap begins where both winding numbers become
//! positive. No mesh of the common solid is needed, so there is no limit of triangles.

use crate::assembly::InstanceIx;
use crate::geom::Vec3;
use crate::scene::Scene;
use crate::scene::raster::{Corner, Raster, View};

/// Number of rows with sorted faces in memory.
const BAND: usize = 64;

/// Visible point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Depth (mm); infinite without a face.
    pub z: f64,
    /// Unit normal towards the viewer in view coordinates, in steps of 1/127.
    pub normal: [i8; 3],
}

impl Face {
    /// No face.
    pub const NONE: Self = Self { z: f64::INFINITY, normal: [0; 3] };

    /// True if there is a face.
    pub fn is_some(&self) -> bool {
        self.z < f64::INFINITY
    }
}

/// Nearest faces along each sample, row by row.
#[derive(Debug)]
pub struct Layers {
    /// Nearest face of A.
    pub a: Vec<Face>,
    /// Nearest face of B.
    pub b: Vec<Face>,
    /// Face where the overlap begins.
    pub overlap: Vec<Face>,
}

/// A face along a sample.
struct Crossing {
    /// Index in the band.
    sample: u32,
    z: f64,
    of_b: bool,
    front: bool,
    normal: [i8; 3],
}

/// Finds the layers of a pair.
///
/// Cost: linear in the triangles, `n log n` in the faces along a sample.
pub fn of_pair(scene: &Scene, raster: &Raster, pair: [InstanceIx; 2]) -> Layers {
    let n = raster.width * raster.height;
    let mut layers = Layers { a: vec![Face::NONE; n], b: vec![Face::NONE; n], overlap: vec![Face::NONE; n] };
    let solid = pair.map(|i| scene.shape_of(i).solid);
    let faces = collect(scene, raster, pair);
    let (mut crossings, mut starts, mut order) = (Vec::new(), Vec::new(), Vec::new());
    for band in 0..raster.height.div_ceil(BAND) {
        let rows = band * BAND..((band + 1) * BAND).min(raster.height);
        crossings.clear();
        for face in faces.iter().filter(|f| f.rows[0] < rows.end as f64 && f.rows[1] >= rows.start as f64) {
            let normal = face.normal;
            raster.triangle(face.corners, rows.clone(), &mut |hit| {
                crossings.push(Crossing {
                    sample: ((hit.y - rows.start) * raster.width + hit.x) as u32,
                    z: hit.z,
                    of_b: face.of_b,
                    front: hit.front,
                    normal,
                });
            });
        }
        let first = rows.start * raster.width;
        by_sample(&crossings, rows.len() * raster.width, &mut starts, &mut order);
        for (k, bounds) in starts.windows(2).enumerate() {
            let along = &mut order[bounds[0] as usize..bounds[1] as usize];
            along.sort_by(|x, y| {
                let (x, y) = (&crossings[*x as usize], &crossings[*y as usize]);
                x.z.total_cmp(&y.z).then(y.front.cmp(&x.front))
            });
            layers.enter(first + k, along.iter().map(|c| &crossings[*c as usize]), solid);
        }
    }
    layers
}

/// Groups the faces of a band by sample, in their order: those of sample k are `order[starts[k]..starts[k + 1]]`.
fn by_sample(crossings: &[Crossing], samples: usize, starts: &mut Vec<u32>, order: &mut Vec<u32>) {
    starts.clear();
    starts.resize(samples + 1, 0);
    for c in crossings {
        starts[c.sample as usize + 1] += 1;
    }
    for k in 0..samples {
        starts[k + 1] += starts[k];
    }
    order.clear();
    order.resize(crossings.len(), 0);
    let mut next = starts.clone();
    for (c, k) in crossings.iter().zip(0..) {
        let place = &mut next[c.sample as usize];
        order[*place as usize] = k;
        *place += 1;
    }
}

impl Layers {
    /// Enters the sorted faces along one sample.
    fn enter<'c>(&mut self, sample: usize, along: impl Iterator<Item = &'c Crossing>, solid: [bool; 2]) {
        let mut windings = [0_i32; 2];
        for c in along {
            let own = if c.of_b { &mut self.b[sample] } else { &mut self.a[sample] };
            let face = Face { z: c.z, normal: c.normal };
            if !own.is_some() {
                *own = face;
            }
            windings[usize::from(c.of_b)] += if c.front { 1 } else { -1 };
            let overlap = &mut self.overlap[sample];
            if solid == [true; 2] && windings[0] > 0 && windings[1] > 0 && !overlap.is_some() {
                *overlap = face;
            }
        }
    }
}

/// A triangle of the pair and its rows.
struct PairFace {
    corners: [Corner; 3],
    of_b: bool,
    rows: [f64; 2],
    normal: [i8; 3],
}

fn collect(scene: &Scene, raster: &Raster, pair: [InstanceIx; 2]) -> Vec<PairFace> {
    let mut faces = Vec::new();
    for (k, i) in pair.into_iter().enumerate() {
        scene.for_each_shown(i, raster, |placed, corners| {
            let [a, b, c] = corners.map(|c| c[1]);
            let rows = [a.min(b).min(c), a.max(b).max(c)];
            faces.push(PairFace { corners, of_b: k == 1, rows, normal: in_view(&raster.view, placed) });
        });
    }
    faces
}

/// Nearest face of other instances along each sample, with the index of the instance.
pub fn nearest(
    scene: &Scene,
    raster: &Raster,
    instances: impl IntoIterator<Item = InstanceIx>,
) -> (Vec<Face>, Vec<u32>) {
    let n = raster.width * raster.height;
    let (mut faces, mut ids) = (vec![Face::NONE; n], vec![u32::MAX; n]);
    for i in instances {
        scene.for_each_shown(i, raster, |corners, projected| {
            let mut normal = None;
            raster.triangle(projected, 0..raster.height, &mut |hit| {
                let k = hit.y * raster.width + hit.x;
                // Equally near faces: the lesser instance wins, in every order of drawing.
                if hit.z < faces[k].z || hit.z == faces[k].z && i.0 < ids[k] {
                    // Most triangles are hidden, or miss every sample.
                    let normal = *normal.get_or_insert_with(|| in_view(&raster.view, corners));
                    faces[k] = Face { z: hit.z, normal };
                    ids[k] = i.0;
                }
            });
        });
    }
    (faces, ids)
}

/// Normal of a triangle in view coordinates, turned towards the viewer.
fn in_view(view: &View, [a, b, c]: [Vec3; 3]) -> [i8; 3] {
    let normal = (b - a).cross(&(c - a));
    let length = normal.norm();
    if length <= 0.0 {
        return [0, 0, -127];
    }
    let toward = if normal.dot(&view.into) > 0.0 { -127.0 } else { 127.0 };
    let part = |axis: &Vec3| libm::round(normal.dot(axis) / length * toward) as i8;
    [part(&view.right), part(&view.up), part(&view.into)]
}
