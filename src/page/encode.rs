//! Writes meshes as short text: vertices in steps, differences, planes of bytes, deflate, base64.
//!
//! The bytes before deflate are two blocks of numbers of 32 bits. Each block has all lowest bytes first, then all
//! second bytes, and so on.
//!
//! 1. Vertices in the order of their first use: all x, all y, all z, each as the difference to the one before, in
//!    zigzag code (0, −1, 1, −2 … become 0, 1, 2, 3 …).
//! 2. Corners of the triangles: next new vertex minus index; 0 stands for the next new vertex itself.

use crate::check::DrawnShape;
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::scene::Scene;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::DeflateEncoder};
use rayon::prelude::*;
use std::io::Write as _;

/// Steps of a vertex per tolerance.
const STEPS_PER_TOLERANCE: f64 = 16.0;

/// Largest number of steps across a mesh: numbers of 32 bits with a fraction of 24 bits hold each step.
const MOST_STEPS: f64 = 8_388_608.0; // 2^23

/// A mesh as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Encoded {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Length of a step, a power of two (mm).
    pub step: f64,
    /// Position of step 0 on each axis (shape's frame, mm).
    pub origin: Vec3,
    /// Base64 of raw deflate of the two blocks.
    pub text: String,
}

/// Encodes the shapes of a scene; an unused shape becomes an empty mesh.
pub(crate) fn all(scene: &Scene, used: &[bool], tolerance: f64) -> Vec<Encoded> {
    let empty = TriMesh { vertices: Vec::new(), triangles: Vec::new() };
    let shape = |(shape, used): (&DrawnShape, &bool)| mesh(if *used { &shape.mesh } else { &empty }, tolerance);
    scene.shapes.par_iter().zip(used).map(shape).collect()
}

/// Encodes a mesh. A vertex moves by at most half a step along each axis; a step is at most 1/16 of the tolerance (mm),
/// or 2⁻²³ of a mesh with a larger ratio of size to tolerance.
pub(crate) fn mesh(mesh: &TriMesh, tolerance: f64) -> Encoded {
    let bounds = mesh.vertices.iter().fold(Aabb::EMPTY, |b, p| b.union(&Aabb { min: *p, max: *p }));
    let (origin, size) =
        if mesh.vertices.is_empty() { (Vec3::zeros(), 0.0) } else { (bounds.min, (bounds.max - bounds.min).max()) };
    let least = (size / MOST_STEPS).max(f64::MIN_POSITIVE);
    let wanted = (tolerance / STEPS_PER_TOLERANCE).max(least);
    let below = libm::exp2(libm::floor(libm::log2(wanted)));
    let step = if below < least { 2.0 * below } else { below };
    let mut numbers = vec![u32::MAX; mesh.vertices.len()];
    let mut order = Vec::with_capacity(mesh.vertices.len());
    let mut corners = Vec::with_capacity(3 * mesh.triangles.len());
    for &v in mesh.triangles.iter().flatten() {
        let number = &mut numbers[v as usize];
        if *number == u32::MAX {
            *number = order.len() as u32;
            order.push(v);
            corners.push(0);
        } else {
            corners.push(order.len() as u32 - *number);
        }
    }
    let mut places = Vec::with_capacity(3 * order.len());
    for axis in 0..3 {
        let mut before = 0;
        for v in &order {
            let at = libm::round((mesh.vertices[*v as usize][axis] - origin[axis]) / step) as i32;
            places.push(zigzag(at - before));
            before = at;
        }
    }
    let bytes: Vec<u8> = planes(&places).chain(planes(&corners)).collect();
    let text = STANDARD.encode(deflated(&bytes));
    Encoded { vertices: order.len(), triangles: mesh.triangles.len(), step, origin, text }
}

/// Code of a signed number with small results for small numbers of both signs.
fn zigzag(v: i32) -> u32 {
    ((v << 1) ^ (v >> 31)) as u32
}

/// Bytes of numbers: the lowest of all, then the second of all, and so on.
fn planes(numbers: &[u32]) -> impl Iterator<Item = u8> {
    (0..4).flat_map(|k| numbers.iter().map(move |n| n.to_le_bytes()[k]))
}

/// Raw deflate.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids;
    use std::io::Read as _;

    /// Reads a mesh back.
    pub(crate) fn decoded(e: &Encoded) -> TriMesh {
        let bytes = STANDARD.decode(&e.text).expect("base64");
        let mut raw = Vec::new();
        flate2::read::DeflateDecoder::new(bytes.as_slice()).read_to_end(&mut raw).expect("deflate");
        let (n, m) = (3 * e.vertices, 3 * e.triangles);
        assert_eq!(raw.len(), 4 * (n + m));
        let number = |block: &[u8], all: usize, k: usize| {
            u32::from_le_bytes([block[k], block[all + k], block[2 * all + k], block[3 * all + k]])
        };
        let (places, corners) = raw.split_at(4 * n);
        let mut values = Vec::new();
        for axis in 0..3 {
            let mut at = 0_i32;
            for v in 0..e.vertices {
                let z = number(places, n, axis * e.vertices + v);
                at += (z >> 1) as i32 ^ -((z & 1) as i32);
                values.push(f64::from(at) * e.step + e.origin[axis]);
            }
        }
        let vertices = (0..e.vertices).map(|v| Vec3::from([0, 1, 2].map(|axis| values[axis * e.vertices + v])));
        let mut next = 0;
        let corners: Vec<u32> = (0..m)
            .map(|k| match number(corners, m, k) {
                0 => {
                    next += 1;
                    next - 1
                }
                back => next - back,
            })
            .collect();
        TriMesh { vertices: vertices.collect(), triangles: corners.chunks(3).map(|t| [t[0], t[1], t[2]]).collect() }
    }

    #[test]
    fn a_mesh_comes_back_within_half_a_step() {
        let mut mesh = solids::ball(10.0, 3);
        for tolerance in [0.01, 0.5, 0.0, 1e-9] {
            for far in [0.0, 1e6] {
                mesh.vertices.iter_mut().for_each(|v| v.x += far);
                let encoded = super::mesh(&mesh, tolerance);
                assert!(encoded.step <= (tolerance / 16.0).max(20.0 / MOST_STEPS * 2.0), "{}", encoded.step);
                let back = decoded(&encoded);
                for (t, u) in mesh.triangles.iter().zip(&back.triangles) {
                    for k in 0..3 {
                        let d = mesh.vertices[t[k] as usize] - back.vertices[u[k] as usize];
                        assert!(d.amax() <= 0.5001 * encoded.step, "{d}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_mesh_without_triangles_is_empty() {
        let none = TriMesh { vertices: vec![Vec3::x()], triangles: Vec::new() };
        let encoded = super::mesh(&none, 0.01);
        assert_eq!((encoded.vertices, encoded.triangles), (0, 0));
        assert!(decoded(&encoded).triangles.is_empty());
    }
}
