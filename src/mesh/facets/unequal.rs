//! Sagittas of facets that are wider than their neighbours on one hollow cylinder (docs/explanation/gap.md, Facets).
//!
//! Two chords of one circle, of the widths w₁ and w₂ at the angle θ, give its radius: r = (w₁ + w₂) / (2θ). The sagitta
//! of the wider one is w² / (8r). A flat face beside a fillet gives a radius, too, and a wrong one: a second edge of
//! each of the two facets must confirm it.

use crate::geom::math::greater;

/// Largest ratio of the widths of two facets of one curved surface; beyond it, the wider one is flat by design.
const LARGEST_RATIO: f64 = 2.0;

/// Least ratio of the widths; below it, one and a half sagittas of the narrower facet are more than one of the wider.
const LEAST_RATIO: f64 = 1.25;

/// Largest ratio of a sagitta found here to that of the narrower facet at the same edge: 2w² / ((w + n)·n) for the
/// widths w = 2n.
pub const LARGEST_GAIN: f64 = 2.0 * LARGEST_RATIO * LARGEST_RATIO / (LARGEST_RATIO + 1.0);

/// Largest relative difference of two radii of one circle. The formula is for small angles: at [`super::LARGEST_ANGLE`]
/// it is 3 % too small.
const SAME_RADIUS: f64 = 0.1;

/// A concave edge between two facets of at least two triangles each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StripEdge {
    pub facets: [u32; 2],
    /// Width of each facet across the edge (mesh unit).
    pub widths: [f64; 2],
    /// Angle between the facets (radians, > 0).
    pub theta: f64,
}

impl StripEdge {
    /// Radius of the circle through both chords (mesh unit).
    fn radius(&self) -> f64 {
        (self.widths[0] + self.widths[1]) / (2.0 * self.theta)
    }
}

/// Computes the largest confirmed sagitta of each of `count` facets at an edge to a narrower one (mesh unit, >= 0); 0
/// without such an edge, and an empty list without any edge. O(n log n).
pub(crate) fn wide_sagittas(edges: &[StripEdge], count: u32) -> Vec<f64> {
    if edges.is_empty() {
        return Vec::new();
    }
    let mut of_facets: Vec<(u32, u32)> =
        (0..).zip(edges).flat_map(|(k, edge)| edge.facets.map(|facet| (facet, k))).collect();
    of_facets.sort_unstable();
    // Another edge of a facet, to a third facet, confirms the radius.
    let confirms = |facet: u32, edge: &StripEdge| {
        let radius = edge.radius();
        let first = of_facets.partition_point(|(f, _)| *f < facet);
        let own = of_facets[first..].iter().take_while(|(f, _)| *f == facet);
        own.map(|(_, k)| &edges[*k as usize]).any(|other| {
            let is_third = other.facets.iter().all(|f| *f == facet || !edge.facets.contains(f));
            is_third && (other.radius() - radius).abs() <= SAME_RADIUS * radius
        })
    };
    let mut sagittas = vec![0.0; count as usize];
    for edge in edges {
        let wide = usize::from(edge.widths[1] > edge.widths[0]);
        let [width, narrow] = [edge.widths[wide], edge.widths[1 - wide]];
        if width < LEAST_RATIO * narrow || width > LARGEST_RATIO * narrow {
            continue;
        }
        if edge.facets.iter().all(|facet| confirms(*facet, edge)) {
            let s = &mut sagittas[edge.facets[wide] as usize];
            *s = greater(*s, width * width / (8.0 * edge.radius()));
        }
    }
    sagittas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::lesser;
    use crate::mesh::{ConcaveFacets, TriMesh};
    use crate::testkit::solids::{extruded, reversed};
    use std::f64::consts::PI;

    /// Bore of radius `radius`: pairs of chords over the angles of `split` and `1 − split` of `2π / pairs`.
    fn bore(radius: f64, pairs: usize, split: f64) -> TriMesh {
        let step = 2.0 * PI / pairs as f64;
        let at = |angle: f64| [radius * libm::cos(angle), radius * libm::sin(angle)];
        let outline: Vec<[f64; 2]> =
            (0..pairs).flat_map(|k| [at(step * k as f64), at(step * (k as f64 + split))]).collect();
        reversed(&extruded(&outline, [0.0, 5.0]))
    }

    /// Largest sagitta of a wide facet, and the largest by the narrower facet.
    fn largest(mesh: &TriMesh) -> [f64; 2] {
        let found = ConcaveFacets::of(mesh, 0.0, 1);
        [found.wide, found.sagitta].map(|all| all.into_iter().fold(0.0, greater))
    }

    #[test]
    fn unequal_facets_of_a_bore_have_the_sagitta_of_the_wide_one() {
        for (pairs, split) in [(12, 0.39), (24, 0.42), (40, 0.36)] {
            let [wide, narrow] = largest(&bore(10.0, pairs, split));
            let share = lesser(split, 1.0 - split);
            let exact = 10.0 * (1.0 - libm::cos((1.0 - share) * PI / pairs as f64));
            assert!((wide - exact).abs() < 0.03 * exact, "{pairs} {split}: {wide} instead of {exact}");
            assert!(wide > narrow && wide <= LARGEST_GAIN * narrow, "{wide} {narrow}");
        }
    }

    #[test]
    fn equal_facets_and_far_too_wide_ones_gain_nothing() {
        assert_eq!(largest(&bore(10.0, 24, 0.5))[0], 0.0);
        assert_eq!(largest(&bore(10.0, 24, 0.3))[0], 0.0);
    }

    /// Pocket in the form of a trough: walls and a floor of a width, and between them fillets of radius 2 in `steps`
    /// chords, tangent to both.
    fn trough(floor: f64, steps: usize) -> TriMesh {
        let mut outline = vec![[-0.5 * floor - 2.0, 12.0]];
        for (side, from) in [(-1.0, PI), (1.0, 1.5 * PI)] {
            for k in 0..=steps {
                let angle = from + 0.5 * PI * k as f64 / steps as f64;
                outline.push([side * 0.5 * floor + 2.0 * libm::cos(angle), 2.0 + 2.0 * libm::sin(angle)]);
            }
        }
        outline.push([0.5 * floor + 2.0, 12.0]);
        reversed(&extruded(&outline, [0.0, 5.0]))
    }

    #[test]
    fn flat_face_tangent_to_a_fillet_gains_nothing() {
        for steps in [3, 4, 6, 8] {
            let chord = 4.0 * libm::sin(0.25 * PI / steps as f64);
            // From a floor as wide as a chord to a plate.
            for ratio in [1.1, 1.3, 1.5, 1.8, 2.0, 5.0, 30.0] {
                let [wide, narrow] = largest(&trough(ratio * chord, steps));
                assert!(narrow > 0.0);
                assert_eq!(wide, 0.0, "{steps} chords, a floor of {ratio} chords");
            }
        }
    }
}
