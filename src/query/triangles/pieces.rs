//! Finds the pairs of intersecting pieces of two displaced surfaces.

use crate::geom::triangle::{Triangle, intersects};
use crate::geom::{Aabb, Vec3};
use crate::query::triangles::bvh_traversal::{DualTraversal, LeafPairs, SearchRadius};
use crate::query::triangles::middle_of_crossing;
use crate::query::triangles::pairing::Pairing;
use crate::query::triangles::per_triangle::PerTriangle;
use std::ops::Deref;
use std::rc::Rc;

/// Piece of a displaced surface: its triangle, and its place among the pieces of this triangle.
pub(crate) type Piece = (u32, u32);

/// Pieces of one displaced triangle (A's frame, mm), with the box around them all.
#[derive(Clone)]
pub(crate) struct Pieces {
    triangles: Rc<[Triangle]>,
    bounds: Aabb,
}

impl From<Vec<Triangle>> for Pieces {
    fn from(triangles: Vec<Triangle>) -> Self {
        Self { bounds: Aabb::of_points(triangles.as_flattened()), triangles: triangles.into() }
    }
}

impl Deref for Pieces {
    type Target = [Triangle];

    fn deref(&self) -> &[Triangle] {
        &self.triangles
    }
}

impl AsRef<[Triangle]> for Pieces {
    fn as_ref(&self) -> &[Triangle] {
        self
    }
}

/// Visits the pairs of intersecting pieces. `pieces_a` and `pieces_b` give the pieces of a triangle, at most `slack`
/// (mm) from it. Known pairs of leaves at most `2 slack` apart save a descent. Skips pairs of triangles with `asked`
/// false. `visit` receives each pair with a point near the intersection, and returns true to continue.
pub(crate) fn intersections_of_pieces(
    p: &Pairing,
    slack: f64,
    leaves: Option<&LeafPairs>,
    mut pieces_a: impl FnMut(u32) -> Pieces,
    mut pieces_b: impl FnMut(u32) -> Pieces,
    asked: impl Fn(&[Triangle], &[Triangle]) -> bool,
    mut visit: impl FnMut(Piece, Piece, Vec3) -> bool,
) {
    let [_, b] = p.sides();
    let mut known = [p.a, p.b].map(|surface| PerTriangle::new(surface.triangles.len()));
    let (mut descent, mut reach) = (DualTraversal::new(p, 0.0), SearchRadius::new(2.0 * slack));
    let roots = descent.roots_among(leaves, &reach);
    descent.run_below(
        roots,
        &mut reach,
        |i| p.a.triangle(i),
        |j| b.corners(j),
        |_, _, (i, _), (j, _)| {
            let [of_a, of_b] = &mut known;
            let (a, b) = (of_a.of(i, || pieces_a(i)), of_b.of(j, || pieces_b(j)));
            !a.bounds.meets(&b.bounds) || !asked(a, b) || visit_crossing_pieces((i, a), (j, b), &mut visit)
        },
    );
}

/// Visits the pairs of intersecting pieces of two triangles, as [`intersections_of_pieces`] does. Returns false if
/// `visit` does.
pub(crate) fn visit_crossing_pieces(
    (i, a): (u32, &Pieces),
    (j, b): (u32, &Pieces),
    visit: &mut impl FnMut(Piece, Piece, Vec3) -> bool,
) -> bool {
    if !a.bounds.meets(&b.bounds) {
        return true;
    }
    for (k, s) in a.iter().enumerate() {
        let of_s = Aabb::of_points(s);
        if !of_s.meets(&b.bounds) {
            continue;
        }
        for (l, t) in b.iter().enumerate() {
            let met = of_s.meets(&Aabb::of_points(t)) && intersects(s, t);
            if met && !visit((i, k as u32), (j, l as u32), middle_of_crossing(s, t)) {
                return false;
            }
        }
    }
    true
}
