//! Random solids for the searches.

use super::known::blocks;
use crate::support::Rng;
use crate::support::solids::{ball, block, hull_of, joined, prism, reversed, tube};
use crate::support::tessellate::irregular;
use interfere::internals::geom::Vec3;
use interfere::internals::mesh::TriMesh;

/// A solid of about `size` near the origin, of up to some two hundred triangles.
pub fn solid(rng: &mut Rng, size: f64) -> TriMesh {
    let mut length = |low: f64| size * rng.range(low, 1.0);
    let [x, y, z] = [length(0.1), length(0.1), length(0.1)];
    let thin = size * rng.scale(0.02, 0.4);
    let sides = 3 + rng.below(16);
    let mesh = match rng.below(9) {
        0 => block([-x, -y, -z], [x, y, z]),
        1 => prism(sides, x, [-z, z]),
        2 => tube(sides, x, x * rng.range(0.1, 0.97), [-z, z]),
        3 => ball(x, rng.below(3)),
        4 => {
            let (u, v) = (0.8 * x.min(thin), 0.8 * z.min(thin));
            blocks(&[[[0.0, 0.0, 0.0], [x, y, v]], [[0.0, 0.0, v], [u, y, z]]])
        }
        5 => {
            let (teeth, pitch) = (2 + rng.below(4), rng.range(1.2, 3.0));
            let tooth = |k: usize| {
                let from = 0.2 * x * pitch * k as f64;
                [[from, 0.0, 0.0], [from + 0.2 * x, y, z]]
            };
            let spine = [[0.0, 0.0, -thin], [tooth(teeth - 1)[1][0], y, 0.0]];
            blocks(&[vec![spine], (0..teeth).map(tooth).collect()].concat())
        }
        6 => {
            let inner = [x, y, z].map(|h| h * rng.range(0.3, 0.97));
            joined(&[block([-x, -y, -z], [x, y, z]), reversed(&block(inner.map(|h| -h), inner))])
        }
        7 => hull_of(&rng.cloud(size)).unwrap_or_else(|| block([0.0; 3], [x, y, z])),
        _ => {
            // A frame with a window.
            let (u, v) = (0.4 * x.min(thin), 0.4 * y.min(thin));
            let bar = |low: [f64; 2], high: [f64; 2]| [[low[0], low[1], 0.0], [high[0], high[1], z]];
            blocks(&[
                bar([0.0, 0.0], [u, y]),
                bar([x - u, 0.0], [x, y]),
                bar([u, 0.0], [x - u, v]),
                bar([u, y - v], [x - u, y]),
            ])
        }
    };
    let scale = Vec3::new(1.0, rng.scale(0.3, 1.0), rng.scale(0.1, 1.0));
    let mut mesh = if rng.below(3) == 0 { irregular(&mesh, rng.below(10), rng) } else { mesh };
    if rng.below(3) == 0 {
        mesh.vertices.iter_mut().for_each(|v| v.component_mul_assign(&scale));
    }
    mesh
}

/// A random point of the surface.
pub fn on_surface(mesh: &TriMesh, rng: &mut Rng) -> Vec3 {
    let [a, b, c] = mesh.triangles[rng.below(mesh.triangles.len())].map(|i| mesh.vertices[i as usize]);
    match rng.below(3) {
        0 => a,
        1 => a + (b - a) * rng.unit(),
        _ => {
            let (s, t) = (rng.unit(), rng.unit());
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            a + (b - a) * s + (c - a) * t
        }
    }
}
