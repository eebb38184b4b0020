//! Computes the segments in which two surfaces cross. Pictures draw them where there is no common solid.

use crate::geom::Vec3;
use crate::measure::intersection::crossing_point;
use crate::measure::intersection::perturbed_signs::{Cut, Plane, Solid, cut};
use crate::query::triangles::intersecting_pairs;
use crate::query::triangles::pairing::Pairing;

/// Computes the segments in which triangles of A and B cross (A's frame, mm): one for each crossing pair of triangles,
/// of nonzero length, in no order along the line. Open surfaces are allowed.
///
/// Touching triangles count as for B moved by an infinitesimal vector. A pair of contradictory signs, from triangles
/// thinner than rounding, has no segment. Cost: a BVH traversal and time linear in the crossing pairs.
pub fn crossing_line(p: &Pairing) -> Vec<[Vec3; 2]> {
    let [_, b] = p.sides();
    let mut segments = Vec::new();
    intersecting_pairs(p, |i, j| {
        let (of_f, of_g) = (Plane::new(&p.a.triangle(i)), Plane::new(&b.corners(j)));
        if let (Cut::Segment(ends), _) = cut(&of_f, &of_g, Solid::B) {
            let ends = ends.map(|crossing| {
                let (surface, t, plane) = if crossing.of == Solid::A { (p.a, i, &of_f) } else { (p.b, j, &of_g) };
                crossing_point(surface, t, &plane.corners, &crossing)
            });
            if ends[0] != ends[1] {
                segments.push(ends);
            }
        }
        true
    });
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::shape::surface::{Inside, Surface};
    use crate::testkit::poses::at;
    use crate::testkit::solids::block;

    fn line(of_a: &Surface, of_b: &Surface, b_in_a: &Pose) -> Vec<[Vec3; 2]> {
        crossing_line(&Pairing { a: of_a, b: of_b, b_in_a })
    }

    fn length(segments: &[[Vec3; 2]]) -> f64 {
        segments.iter().map(|[p, q]| (q - p).norm()).sum()
    }

    #[test]
    fn a_bar_through_a_plate_crosses_in_two_rectangles() {
        let plate = Surface::new(&block([-5.0, -5.0, 0.0], [5.0, 5.0, 1.0]), &Vec3::zeros(), Inside::Solid);
        let bar = block([-1.0, -0.5, -4.0], [1.0, 0.5, 4.0]);
        for inside in [Inside::Solid, Inside::Undefined] {
            let bar = Surface::new(&bar, &Vec3::zeros(), inside);
            let found = line(&plate, &bar, &at(0.25, 0.125, 0.0));
            assert!((length(&found) - 12.0).abs() < 1e-12, "{found:?}");
            assert!(found.iter().flatten().all(|p| p.z == 0.0 || p.z == 1.0));
            // Each rectangle is a closed curve: every point ends two segments.
            let ends: Vec<&Vec3> = found.iter().flatten().collect();
            assert!(ends.iter().all(|p| ends.iter().filter(|q| (**q - **p).norm() < 1e-12).count() == 2));
        }
    }

    #[test]
    fn an_open_surface_ends_the_line_at_its_edge() {
        let plate = Surface::new(&block([-5.0, -5.0, 0.0], [5.0, 5.0, 1.0]), &Vec3::zeros(), Inside::Solid);
        let mut sheet = block([0.0, 0.0, -4.0], [2.0, 1.0, 4.0]);
        sheet.triangles.retain(|t| t.iter().all(|v| sheet.vertices[*v as usize].x == 2.0));
        let sheet = Surface::new(&sheet, &Vec3::zeros(), Inside::Undefined);
        let found = line(&plate, &sheet, &Pose::identity());
        assert!((length(&found) - 2.0).abs() < 1e-12, "{found:?}");
        assert!(found.iter().flatten().all(|p| p.x == 2.0 && (0.0..=1.0).contains(&p.y)));
    }

    #[test]
    fn separate_surfaces_have_no_line() {
        let cube = Surface::new(&block([0.0; 3], [1.0; 3]), &Vec3::zeros(), Inside::Solid);
        assert_eq!(line(&cube, &cube, &at(1.5, 0.0, 0.0)), Vec::<[Vec3; 2]>::new());
    }
}
