//! Meshes of boxes, cylinders, capsules, cones, spheres and ellipsoids, about the origin (m). A box is exact. The
//! vertices of the others lie on the surface, so the facets lie inside of it, within the deflection.

use crate::geom::Vec3;
use crate::geom::math::{greater, sin_cos_deg};
use crate::mesh::TriMesh;

/// Least and largest number of sides around an axis.
const SIDES: std::ops::RangeInclusive<usize> = 12..=4096;

/// Largest number of meridians of a sphere; its triangles grow with the square.
const MAX_MERIDIANS: usize = 512;

/// A mesh and the largest distance of its facets from the surface (m, >= 0).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Primitive {
    pub(crate) mesh: TriMesh,
    pub(crate) deflection: f64,
}

/// Fineness of facets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fineness {
    /// Largest distance from the surface (m, > 0).
    pub(crate) deflection: f64,
    /// Largest angle between neighbouring facets (rad, > 0).
    pub(crate) angle: f64,
}

/// A box of these edge lengths.
pub(crate) fn cuboid(size: [f64; 3]) -> Primitive {
    let h = size.map(|s| 0.5 * s);
    let at = |k: usize, axis: usize| if k >> axis & 1 == 0 { -h[axis] } else { h[axis] };
    let vertices = (0..8).map(|k| Vec3::new(at(k, 0), at(k, 1), at(k, 2))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Primitive { mesh: TriMesh { vertices, triangles }, deflection: 0.0 }
}

/// Number of sides of a polygon within the fineness of its circle, a multiple of 4.
fn sides(radius: f64, fineness: Fineness) -> usize {
    let by_angle = std::f64::consts::TAU / fineness.angle;
    let cosine = 1.0 - fineness.deflection / radius;
    let by_deflection = if cosine > 0.0 { std::f64::consts::PI / libm::acos(cosine) } else { 0.0 };
    let wanted = by_angle.max(by_deflection).min(*SIDES.end() as f64);
    ((libm::ceil(wanted) as usize).max(*SIDES.start()).div_ceil(4) * 4).min(*SIDES.end())
}

/// Distance between a circle and the sides of a regular polygon in it.
fn sagitta(radius: f64, sides: usize) -> f64 {
    radius * (1.0 - libm::cos(std::f64::consts::PI / sides as f64))
}

/// Points of a circle in the plane at height `z`; exact at quarter turns.
fn circle(radius: f64, z: f64, sides: usize) -> impl Iterator<Item = Vec3> {
    (0..sides).map(move |k| {
        let (s, c) = sin_cos_deg(360.0 * k as f64 / sides as f64);
        Vec3::new(radius * c, radius * s, z)
    })
}

/// A cylinder about the z axis.
pub(crate) fn cylinder(radius: f64, length: f64, fineness: Fineness) -> Primitive {
    let n = sides(radius, fineness);
    let mut vertices: Vec<Vec3> = circle(radius, -0.5 * length, n).chain(circle(radius, 0.5 * length, n)).collect();
    vertices.push(Vec3::new(0.0, 0.0, -0.5 * length));
    vertices.push(Vec3::new(0.0, 0.0, 0.5 * length));
    let (low, high) = (2 * n as u32, 2 * n as u32 + 1);
    let mut triangles = Vec::with_capacity(4 * n);
    for k in 0..n as u32 {
        let next = (k + 1) % n as u32;
        let (above, above_next) = (k + n as u32, next + n as u32);
        triangles.extend([[k, next, above_next], [k, above_next, above], [low, next, k], [high, above, above_next]]);
    }
    Primitive { mesh: TriMesh { vertices, triangles }, deflection: sagitta(radius, n) }
}

/// A surface of revolution about the z axis: circles (radius, height) from low to high, between two poles.
fn revolved(low: f64, circles: &[(f64, f64)], high: f64, n: usize) -> TriMesh {
    let mut vertices = vec![Vec3::new(0.0, 0.0, low)];
    for (radius, z) in circles {
        vertices.extend(circle(*radius, *z, n));
    }
    vertices.push(Vec3::new(0.0, 0.0, high));
    let last = vertices.len() as u32 - 1;
    let rings = circles.len() + 1;
    let at = |ring: usize, k: usize| 1 + ((ring - 1) * n + k % n) as u32;
    let mut triangles = Vec::with_capacity(2 * n * rings);
    for k in 0..n {
        triangles.push([0, at(1, k + 1), at(1, k)]);
        for ring in 1..rings - 1 {
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([at(rings - 1, k), at(rings - 1, k + 1), last]);
    }
    TriMesh { vertices, triangles }
}

/// Number of meridians of a ball. A facet between two meridians and two circles of latitude is off by the sagittas of
/// both.
fn meridians(radius: f64, fineness: Fineness) -> usize {
    let half = Fineness { deflection: 0.5 * fineness.deflection, ..fineness };
    sides(radius, half).min(MAX_MERIDIANS)
}

/// A sphere: circles of latitude between two poles.
pub(crate) fn sphere(radius: f64, fineness: Fineness) -> Primitive {
    let n = meridians(radius, fineness);
    let rings = n / 2;
    let latitude = |ring: usize| {
        let (s, c) = sin_cos_deg(180.0 * ring as f64 / rings as f64);
        (radius * s, -radius * c)
    };
    let mesh = revolved(-radius, &(1..rings).map(latitude).collect::<Vec<_>>(), radius, n);
    Primitive { mesh, deflection: sagitta(radius, n) + sagitta(radius, 2 * rings) }
}

/// A cylinder about the z axis between two half balls; `length` without the balls.
pub(crate) fn capsule(radius: f64, length: f64, fineness: Fineness) -> Primitive {
    // A multiple of 4, so that the equator is a circle of latitude.
    let n = meridians(radius, fineness);
    let rings = n / 2;
    let circle = |ring: usize, shift: f64| {
        let (s, c) = sin_cos_deg(180.0 * ring as f64 / rings as f64);
        (radius * s, shift - radius * c)
    };
    let low = (1..=rings / 2).map(|ring| circle(ring, -0.5 * length));
    let high = (rings / 2..rings).map(|ring| circle(ring, 0.5 * length));
    let end = 0.5 * length + radius;
    let mesh = revolved(-end, &low.chain(high).collect::<Vec<_>>(), end, n);
    Primitive { mesh, deflection: sagitta(radius, n) + sagitta(radius, 2 * rings) }
}

/// A cone about the z axis, its base at `-length / 2`, its tip at `length / 2`.
pub(crate) fn cone(radius: f64, length: f64, fineness: Fineness) -> Primitive {
    let n = sides(radius, fineness);
    let mesh = revolved(-0.5 * length, &[(radius, -0.5 * length)], 0.5 * length, n);
    Primitive { mesh, deflection: sagitta(radius, n) }
}

/// An ellipsoid with these radii along the axes: a stretched unit sphere. The largest radius bounds the stretch of the
/// sphere's deflection.
pub(crate) fn ellipsoid(radii: [f64; 3], fineness: Fineness) -> Primitive {
    let [x, y, z] = radii;
    let largest = greater(x, greater(y, z));
    let unit = sphere(1.0, Fineness { deflection: fineness.deflection / largest, ..fineness });
    let mut mesh = unit.mesh;
    mesh.vertices.iter_mut().for_each(|v| *v = Vec3::new(x * v.x, y * v.y, z * v.z));
    Primitive { mesh, deflection: largest * unit.deflection }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::LoadedMesh;

    const FINE: Fineness = Fineness { deflection: 5e-5, angle: 0.3 };

    /// Points of every triangle: corners, middles of edges, centre.
    fn samples(mesh: &TriMesh) -> Vec<Vec3> {
        let mut points = Vec::new();
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
            points.extend([a, (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0, (a + b + c) / 3.0]);
        }
        points
    }

    #[test]
    fn primitives_are_closed_and_outward() {
        let tau = std::f64::consts::TAU;
        for (primitive, volume) in [
            (cuboid([1.0, 2.0, 3.0]), 6.0),
            (cylinder(0.1, 0.5, FINE), tau / 2.0 * 0.01 * 0.5),
            (sphere(0.1, FINE), tau * 2.0 / 3.0 * 0.001),
            (sphere(1e-6, FINE), tau * 2.0 / 3.0 * 1e-18),
            (capsule(0.1, 0.5, FINE), tau / 2.0 * 0.01 * 0.5 + tau * 2.0 / 3.0 * 0.001),
            (cone(0.1, 0.5, FINE), tau / 2.0 * 0.01 * 0.5 / 3.0),
            (ellipsoid([0.1, 0.2, 0.3], FINE), tau * 2.0 / 3.0 * 0.006),
        ] {
            let loaded = LoadedMesh::from_tri_mesh(primitive.mesh).unwrap();
            assert!(loaded.health.closed && !loaded.health.inside_out, "{volume}");
            let found = loaded.health.volume.unwrap();
            let expected_loss = if volume > 1.0 { 1e-15 } else { 0.15 };
            assert!(found <= volume * (1.0 + 1e-14) && found > volume * (1.0 - expected_loss), "{found} {volume}");
        }
    }

    #[test]
    fn facets_lie_within_their_deflection() {
        for radius in [0.001, 0.05, 1.0, 3.0] {
            let ball = sphere(radius, FINE);
            let far = samples(&ball.mesh).iter().map(|p| radius - p.norm()).fold(0.0, f64::max);
            assert!(far <= ball.deflection * (1.0 + 1e-9), "{radius}: {far} {}", ball.deflection);
            let pin = cylinder(radius, 1.0, FINE);
            assert!(pin.deflection <= FINE.deflection || radius > 1.0, "{radius}: {}", pin.deflection);
            let side = samples(&pin.mesh).into_iter().filter(|p| p.z.abs() < 0.5);
            let far = side.map(|p| radius - libm::hypot(p.x, p.y)).fold(0.0, f64::max);
            assert!(far <= pin.deflection * (1.0 + 1e-9), "{radius}: {far} {}", pin.deflection);
        }
        assert!(sphere(0.05, FINE).deflection <= FINE.deflection);
    }

    #[test]
    fn facets_of_capsules_cones_and_ellipsoids_lie_within_their_deflection() {
        let pill = capsule(0.05, 0.2, FINE);
        // Distance from the axis of the capsule, a segment.
        let inside = |p: &Vec3| 0.05 - libm::hypot(libm::hypot(p.x, p.y), greater(p.z.abs() - 0.1, 0.0));
        let far = samples(&pill.mesh).iter().map(inside).fold(0.0, f64::max);
        assert!(far <= pill.deflection * (1.0 + 1e-9) && pill.deflection <= FINE.deflection, "{far}");
        let tip = cone(0.05, 0.2, FINE);
        let slope = libm::hypot(0.05, 0.2);
        let side = samples(&tip.mesh).into_iter().filter(|p| p.z > -0.1);
        let far = side.map(|p| (0.05 * (0.1 - p.z) - 0.2 * libm::hypot(p.x, p.y)) / slope).fold(0.0, f64::max);
        assert!(far <= tip.deflection * (1.0 + 1e-9) && far > 0.0, "{far} {}", tip.deflection);
        let egg = ellipsoid([0.02, 0.03, 0.05], FINE);
        // The level function bounds the distance: within 1 − f, times the largest radius.
        let level = |p: &Vec3| libm::sqrt((p.x / 0.02).powi(2) + (p.y / 0.03).powi(2) + (p.z / 0.05).powi(2));
        let far = samples(&egg.mesh).iter().map(|p| 0.05 * (1.0 - level(p))).fold(0.0, f64::max);
        assert!(far <= egg.deflection * (1.0 + 1e-9) && egg.deflection <= FINE.deflection, "{far}");
    }
}
