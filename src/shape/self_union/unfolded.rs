//! Finds vertices with triangles that meet only in shared corners and edges.
//!
//! Seen along a mean of their normals, the triangles around a vertex of a closed surface are sectors of one turn about
//! the vertex. Sectors do not overlap, so no two of these triangles have any other common point. Few vertices fail this
//! test, and it replaces the exact tests of all pairs of triangles at the others. Normals within a half-space rule out
//! self-intersections: P. Volino & N. Magnenat-Thalmann, "Efficient self-collision detection on smoothly discretized
//! surface animations using geometrical shape regularity", Computer Graphics Forum 13 (1994), section 3.

use crate::geom::Vec3;
use crate::geom::math::norm1;
use crate::parallel;
use crate::shape::self_union::triangle_pair::{Element, SIGN_ERROR};
use crate::shape::surface::Surface;
use crate::shape::surface::adjacency::Adjacency;

/// Direction in which few edges of a part run: at odd angles to all axes.
const ODD_DIRECTION: Vec3 = Vec3::new(0.447, 0.283, 0.849);

/// Largest number of triangles around a vertex that is tested: the test of their order is O(n²).
const MOST_AROUND: usize = 24;

/// True for each vertex with triangles that certainly have no common points besides shared corners and edges. Looks
/// only at vertices of `wanted` triangles. `elements` are those of all triangles. O(n).
pub(super) fn unfolded_vertices(
    s: &Surface,
    adjacency: &Adjacency,
    elements: &[Element],
    wanted: impl Fn(u32) -> bool + Sync,
    threads: usize,
) -> Vec<bool> {
    parallel::list(threads, s.vertices.len(), false, |v| {
        let around = adjacency.around(v as u32);
        around.iter().any(|&t| wanted(t)) && is_unfolded(s, v as u32, around, elements)
    })
}

/// True if the triangles around a vertex certainly have no common points besides shared corners and edges.
fn is_unfolded(s: &Surface, v: u32, around: &[u32], elements: &[Element]) -> bool {
    if around.len() > MOST_AROUND {
        return false;
    }
    let normals = around.iter().map(|&t| elements[t as usize].normal);
    let mean: Vec3 = normals.map(|n| Vec3::from(n.map(f64::from))).sum();
    if around.iter().any(|&t| elements[t as usize].side(&mean) <= 0) {
        return false;
    }
    // Each triangle turns counter-clockwise about the vertex, by less than half a turn.
    let mut sectors = [[0_u32; 2]; MOST_AROUND];
    for (sector, &t) in sectors.iter_mut().zip(around) {
        let [a, b, c] = s.triangles[t as usize];
        *sector = if a == v {
            [b, c]
        } else if b == v {
            [c, a]
        } else {
            [a, b]
        };
    }
    let sectors = &sectors[..around.len()];
    // If each one continues in exactly one other, they form closed turns.
    let continues = |end: u32| sectors.iter().filter(|[start, _]| *start == end).count() == 1;
    if !sectors.iter().all(|[_, end]| continues(*end)) {
        return false;
    }
    // Every turn passes once from the negative to the positive side of a plane along `mean`.
    let normal = mean.cross(&ODD_DIRECTION);
    let certain = SIGN_ERROR * norm1(&mean) * norm1(&ODD_DIRECTION);
    let origin = s.vertices[v as usize];
    let mut passes = 0;
    for [start, end] in sectors {
        let [from, to] = [start, end].map(|&p| s.vertices[p as usize] - origin);
        let [low, high] = [&from, &to].map(|d| normal.dot(d));
        if low.abs() <= certain * norm1(&from) {
            return false;
        }
        // The end of this sector is the start of another one, so its sign is certain, too.
        passes += u32::from(low < 0.0 && high > 0.0);
    }
    passes == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::self_union::self_intersections::{elements, self_intersections_on};
    use crate::shape::self_union::triangle_pair::intersects_beyond_shared;
    use crate::shape::surface::Inside;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::squared_box;

    fn unfolded(s: &Surface, elements: &[Element]) -> Vec<bool> {
        unfolded_vertices(s, &s.adjacency_for_a_pass(), elements, |_| true, 1)
    }

    /// Two pyramids on one star-shaped base: its corners are `step` fifths of a turn apart.
    fn bipyramid(step: usize) -> Surface {
        let corner = |k: usize| {
            let (y, x) = crate::geom::math::sin_cos_deg(72.0 * (k * step) as f64);
            Vec3::new(x, y, 0.0)
        };
        let mut vertices: Vec<Vec3> = (0..5).map(corner).collect();
        vertices.extend([Vec3::new(0.01, 0.02, 1.0), Vec3::new(0.01, 0.02, -1.0)]);
        let sides = |k: u32| [[5, k, (k + 1) % 5], [6, (k + 1) % 5, k]];
        Surface::of(vertices, &(0..5).flat_map(sides).collect::<Vec<_>>(), Inside::Solid)
    }

    #[test]
    fn triangles_that_turn_twice_around_a_vertex_are_not_unfolded() {
        for (step, expected) in [(1, true), (2, false), (3, false)] {
            let s = bipyramid(step);
            assert_eq!(unfolded(&s, &elements(&s, 1))[5..], [expected; 2], "{step} fifths of a turn");
        }
    }

    #[test]
    fn triangles_around_unfolded_vertices_never_intersect() {
        let mut rng = Rng::new(71);
        let (mut free, mut folded, mut crossing) = (0, 0, 0);
        for k in 0..60 {
            let noise = 0.04 * f64::from(k);
            let s = squared_box(5, |x| x.normalize() * 5.0);
            let vertices = s.vertices.iter().map(|x| x + rng.in_cube() * noise).collect();
            let s = Surface::of(vertices, &s.triangles, Inside::Solid);
            let elements = elements(&s, 1);
            let meet =
                |t: u32, u: u32| intersects_beyond_shared(&s, (t, &elements[t as usize]), (u, &elements[u as usize]));
            for (v, unfolded) in (0..).zip(unfolded(&s, &elements)) {
                let around = s.triangles_around(v);
                let meets = around.iter().any(|&t| around.iter().any(|&u| t < u && meet(t, u)));
                assert!(!(unfolded && meets), "vertex {v}, noise {noise}");
                free += usize::from(unfolded);
                folded += usize::from(meets);
            }
            let n = s.triangles.len() as u32;
            let all = (0..n).map(|t| (0..t).filter(|&u| meet(t, u)).count()).sum::<usize>();
            assert_eq!(self_intersections_on(1, &s, usize::MAX).pairs, all, "noise {noise}");
            crossing += all;
        }
        assert!(free > 2000 && folded > 200 && crossing > 1000, "{free} {folded} {crossing}");
    }
}
