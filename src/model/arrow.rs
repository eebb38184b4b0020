//! Makes the arrow of a proposed move.

use crate::geom::Vec3;
use crate::mesh::TriMesh;
use gltf_json::scene::UnitQuaternion;

/// Sides of the shaft and of the head.
const SIDES: u32 = 12;

/// Radii of shaft and head, and height at which the head begins, for an arrow of length 1.
const SHAFT: f64 = 0.03;
const HEAD: f64 = 0.09;
const NECK: f64 = 0.7;

/// Arrow from the origin to (0, 0, 1): a closed mesh.
pub(crate) fn unit_arrow() -> TriMesh {
    let mut vertices = vec![Vec3::zeros()];
    for (radius, z) in [(SHAFT, 0.0), (SHAFT, NECK), (HEAD, NECK)] {
        vertices.extend((0..SIDES).map(|k| {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
            Vec3::new(radius * libm::cos(turn), radius * libm::sin(turn), z)
        }));
    }
    vertices.push(Vec3::z());
    let tip = 3 * SIDES + 1;
    let mut triangles = Vec::new();
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        let at = |ring: u32, k: u32| 1 + ring * SIDES + k;
        triangles.push([0, at(0, next), at(0, k)]);
        for ring in 0..2 {
            triangles.push([at(ring, k), at(ring, next), at(ring + 1, next)]);
            triangles.push([at(ring, k), at(ring + 1, next), at(ring + 1, k)]);
        }
        triangles.push([at(2, k), at(2, next), tip]);
    }
    TriMesh { vertices, triangles }
}

/// Rotation from the z axis to a unit vector, by the half-way quaternion.
pub(crate) fn from_z(to: &Vec3) -> UnitQuaternion {
    let w = 1.0 + to.z;
    let length = (to.x * to.x + to.y * to.y + w * w).sqrt();
    if length < 1e-6 {
        return UnitQuaternion([1.0, 0.0, 0.0, 0.0]);
    }
    UnitQuaternion([-to.y / length, to.x / length, 0.0, w / length].map(|x| x as f32 + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::surface::{Inside, Surface};
    use nalgebra::{Quaternion, UnitQuaternion as Rotation};

    #[test]
    fn the_arrow_is_closed_and_points_along_z() {
        let mesh = unit_arrow();
        let surface = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
        assert!(surface.is_closed());
        // Area of a 12-gon with radius 1: 3. Prism and pyramid by their closed forms.
        let volume = 3.0 * (SHAFT * SHAFT * NECK + HEAD * HEAD * (1.0 - NECK) / 3.0);
        assert!((surface.volume() - volume).abs() < 1e-12, "{}", surface.volume());
        assert_eq!((surface.bounds.min.z, surface.bounds.max.z), (0.0, 1.0));
    }

    #[test]
    fn the_rotation_takes_z_to_the_direction() {
        for to in [Vec3::z(), -Vec3::z(), Vec3::x(), -Vec3::y(), Vec3::new(0.6, 0.0, -0.8)] {
            let [x, y, z, w] = from_z(&to).0.map(f64::from);
            let turned = Rotation::new_normalize(Quaternion::new(w, x, y, z)) * Vec3::z();
            assert!((turned - to).norm() < 1e-6, "{to:?}: {turned:?}");
        }
    }
}
