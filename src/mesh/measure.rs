//! Measures of a mesh: area, volume, and the number of faces without area.

use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;

/// Largest ratio of height to longest side for a face without area. Single-precision coordinates, or decimals of seven
/// digits, cannot make a flatter face unless its corners were meant to be collinear. Only for counting: later stages
/// drop faces by exact predicate.
const FLAT_BELOW: f64 = 1e-8;

/// Sums over the faces of a mesh, in the mesh's units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measures {
    /// Box of all vertices.
    pub bounds: Aabb,
    /// Total area.
    pub area: f64,
    /// Signed volume, positive for faces counter-clockwise seen from outside. For an open mesh it depends on the centre
    /// of `bounds`.
    pub volume: Volume,
    /// Number of faces with a height of at most [`FLAT_BELOW`] of their longest side, or with coinciding corners.
    pub degenerate: u64,
}

/// A signed volume with the magnitude of its terms, for its rounding error.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Volume {
    /// Sum of signed tetrahedra.
    pub signed: f64,
    /// Sum of their magnitudes.
    pub gross: f64,
    faces: u64,
}

impl Volume {
    /// Adds the tetrahedron of a reference point and a face. `from` is the vector from that point to a corner of the
    /// face; `normal` is the face normal, twice the area long.
    #[inline]
    fn add(&mut self, from: &[f64; 3], normal: &[f64; 3]) {
        let v = dot(from, normal) * (1.0 / 6.0);
        self.signed += v;
        self.gross += v.abs();
        self.faces += 1;
    }

    /// Adds two volumes; negates the second if `turned`.
    pub(crate) fn plus(&self, other: &Self, turned: bool) -> Self {
        let sign = if turned { -1.0 } else { 1.0 };
        Self {
            signed: self.signed + sign * other.signed,
            gross: self.gross + other.gross,
            faces: self.faces + other.faces,
        }
    }

    /// Sign of the volume: −1, 0 or 1. 0 if the sum lies within the rounding of its terms: the faces cancel and enclose
    /// nothing.
    pub(crate) fn sign(&self) -> i32 {
        // A term has a rounding error of about 8u of its own parts, a sum of n terms n·u. The parts of a term can
        // exceed the term if the reference point lies in the face's plane, hence the generous factor.
        let noise = (64.0 + self.faces as f64) * UNIT_ROUNDOFF * self.gross;
        if self.signed.abs() <= noise { 0 } else { self.signed.signum() as i32 }
    }
}

impl Measures {
    /// Measures a mesh in one pass over its faces.
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        let bounds = Aabb::of_points(&mesh.vertices);
        let center = if mesh.vertices.is_empty() { Vec3::zeros() } else { bounds.center() };
        let (mut area, mut volume, mut degenerate) = (0.0, Volume::default(), 0);
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| &mesh.vertices[i as usize]);
            let (ab, ac) = (difference(b, a), difference(c, a));
            let normal = cross(&ab, &ac);
            let twice = dot(&normal, &normal).sqrt();
            area += 0.5 * twice;
            volume.add(&difference(a, &center), &normal);
            let bc = difference(c, b);
            let longest_sq = greater(greater(dot(&ab, &ab), dot(&ac, &ac)), dot(&bc, &bc));
            degenerate += u64::from(twice <= FLAT_BELOW * longest_sq);
        }
        Self { bounds, area, volume, degenerate }
    }
}

// Written out: these run once a face; nalgebra's generic forms take three times as long here.

#[inline]
pub(crate) fn difference(a: &Vec3, b: &Vec3) -> [f64; 3] {
    [a.x - b.x, a.y - b.y, a.z - b.z]
}

#[inline]
pub(crate) fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(crate) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Computes the volume of each group of faces: `group[face] < groups`. The reference point is the centre of the whole
/// mesh's box; for closed groups any point gives the same volume.
pub(crate) fn group_volumes(mesh: &TriMesh, group: &[u32], groups: u32) -> Vec<Volume> {
    let center = Aabb::of_points(&mesh.vertices).center();
    let mut volumes = vec![Volume::default(); groups as usize];
    for (t, &g) in mesh.triangles.iter().zip(group) {
        let [a, b, c] = t.map(|i| &mesh.vertices[i as usize]);
        volumes[g as usize].add(&difference(a, &center), &cross(&difference(b, a), &difference(c, a)));
    }
    volumes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids::{block, translated};

    #[test]
    fn distant_block_keeps_volume_and_area() {
        let far = translated(&block([0.0; 3], [2.0, 3.0, 4.0]), Vec3::new(1e6, -2e6, 3e6));
        let m = Measures::of(&far);
        assert!((m.volume.signed - 24.0).abs() < 1e-12);
        assert!((m.area - 52.0).abs() < 1e-12);
        assert_eq!((m.degenerate, m.volume.sign()), (0, 1));
    }

    #[test]
    fn a_sheet_with_two_sides_encloses_nothing() {
        let p = |x: f64, y: f64| Vec3::new(x + 0.1, y + 0.7, 0.3 * x + 0.9 * y);
        let mesh =
            TriMesh { vertices: vec![p(0.0, 0.0), p(1.0, 0.3), p(0.2, 1.1)], triangles: vec![[0, 1, 2], [0, 2, 1]] };
        assert_eq!(Measures::of(&mesh).volume.sign(), 0);
    }

    #[test]
    fn only_flat_faces_are_degenerate() {
        let p = Vec3::new(0.1, 0.2, 0.3);
        let mesh = TriMesh {
            vertices: vec![
                p,
                p * 2.0,
                p * 4.0,
                p * 4.0 + Vec3::new(0.0, 1e-15, 0.0),
                p * 4.0 + Vec3::new(0.0, 1e-7, 0.0),
            ],
            triangles: vec![[0, 1, 2], [0, 1, 3], [0, 0, 3], [0, 1, 4]],
        };
        assert_eq!(Measures::of(&mesh).degenerate, 3);
    }
}
