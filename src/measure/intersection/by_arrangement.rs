//! Computes the mesh of the common solid by an arrangement of all triangles: for solids with winding numbers above 1,
//! outside the scope of the sums over the crossings, and for callers of [`solid`]. The mesh is checked against the
//! winding numbers of both solids.

use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::triangle::intersects;
use crate::geom::union_find::UnionFind;
use crate::geom::{Aabb, Pose, Vec3};
use crate::measure::intersection::bounding_box::boxes;
use crate::measure::intersection::perturbed_signs::Solid;
use crate::measure::intersection::{
    Boundary, BoundarySums, CrossingCandidates, Intersection, IntersectionInput, NOISE_MARGINS, boundary, volume,
};
use crate::mesh::{TriMesh, intersection};
use crate::query::triangles::bvh_traversal::{DualTraversal, SearchRadius};
use crate::query::triangles::pairing::Pairing;
use crate::shape::self_union::verify::{
    CUT_IN_ROUNDOFFS, SAMPLES, TEST_POINT_OFFSET, is_small, middle, van_der_corput,
};
use crate::shape::self_union::{MEETING_COST, SelfUnion, count_self_intersections};
use crate::shape::surface::winding_number::{winding, winding_in_front};
use crate::shape::surface::{Inside, Surface};

/// Maximum number of triangles in an arrangement, each intersecting pair counted as [`MEETING_COST`]: some seconds.
const MAX_TRIANGLES: usize = 100_000;

/// Relative tolerance between the volume of a mesh and the sums over the crossings, on top of rounding.
const SAME_VOLUME: f64 = 1e-6;

/// Reason for the absence of a common solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCommonSolid {
    /// A surface is not closed or has no inside.
    NoInside,
    /// The solids share nothing thicker than rounding.
    NothingShared,
    /// The arrangement has too many triangles: 100 000, an intersecting pair counts as 20.
    TooManyTriangles,
    /// A check fails: of the mesh against both winding numbers, or of its volume against the sums of
    /// [`intersection`](super::intersection()).
    Unconfirmed,
}

/// Computes the boundary of the common solid of two placed solids, as an outward mesh in A's frame (mm); `b_in_a`
/// places B. Overlapping shells of one part count once. Cost: some thirty microseconds a triangle.
///
/// Source: Q. Zhou, E. Grinspun, D. Zorin & A. Jacobson, "Mesh Arrangements for Solid Geometry", 2016.
///
/// # Errors
/// Returns the reason for the absence of the mesh.
pub fn solid(a: &Surface, b: &Surface, b_in_a: &Pose) -> Result<TriMesh, NoCommonSolid> {
    if a.inside != Inside::Solid || b.inside != Inside::Solid {
        return Err(NoCommonSolid::NoInside);
    }
    let p = Pairing { a: a.solid(), b: b.solid(), b_in_a };
    let mesh = arranged_intersection(&p)?;
    let size = size(&p);
    let margin = roundoff_mm(size, size, 0.0);
    let witness = Aabb::of_points(&mesh.vertices).center();
    let as_given = [a, b].map(|s| !s.is_known_boundary());
    let known = IntersectionInput {
        margin,
        rounding: margin,
        witness,
        depth: 0.0,
        deepest: f64::INFINITY,
        turns: &[],
        as_given,
    };
    let own = mesh_sums(&known, &mesh);
    let found = volume(&p, &known, &own).ok_or(NoCommonSolid::Unconfirmed)?;
    if found <= 0.0 {
        return Err(NoCommonSolid::NothingShared);
    }
    let by_sums = || {
        let near = CrossingCandidates::new(&p, 0.0, None);
        [Solid::B, Solid::A].into_iter().find_map(|moved| boundary(&p, &known, &near, moved).ok())
    };
    if no_union_failed(&p)
        && let Some(sums) = by_sums()
    {
        let noise = NOISE_MARGINS * margin * 0.5 * own.sums.twice_area.max(sums.sums.twice_area);
        if (sums.sums.six / 6.0 - found).abs() > SAME_VOLUME * found + noise {
            return Err(NoCommonSolid::Unconfirmed);
        }
    }
    Ok(mesh)
}

/// Returns true unless the self-union of a surface is known to have failed.
pub(crate) fn no_union_failed(p: &Pairing) -> bool {
    [p.a, p.b].iter().all(|s| !matches!(s.known_overlaps(), Some(SelfUnion::Unresolved(_))))
}

/// Computes volume and box of the common solid from its mesh. There is no box for a volume of 0: the place of contact
/// is unknown.
pub(crate) fn intersection_by_mesh(p: &Pairing, known: &IntersectionInput) -> Option<Intersection> {
    let found = mesh_sums(known, &arranged_intersection(p).ok()?);
    let volume = volume(p, known, &found)?;
    if volume == 0.0 {
        return Some(Intersection { volume, area: 0.0, one_sidedness: None, boxes: Vec::new() });
    }
    let again = |there: &Pairing| Some(mesh_sums(known, &arranged_intersection(there).ok()?).points);
    // The mesh does not tell whose surface a triangle is.
    let (area, one_sidedness) = (found.sums.area(), None);
    Some(Intersection { volume, area, one_sidedness, boxes: boxes(p, known, &found.points, again) })
}

/// Computes the sums of a mesh, with its vertices relative to the witness.
fn mesh_sums(known: &IntersectionInput, mesh: &TriMesh) -> Boundary {
    let points: Vec<Vec3> = mesh.vertices.iter().map(|v| v - known.witness).collect();
    let mut sums = BoundarySums::default();
    for t in &mesh.triangles {
        sums.add(&t.map(|v| points[v as usize]));
    }
    Boundary { sums, points, inside: Default::default() }
}

/// Computes an upper bound of the coordinates (mm).
fn size(p: &Pairing) -> f64 {
    p.a.bounds.max_abs() + 2.0 * p.b.bounds.max_abs() + norm1(&p.b_in_a.translation)
}

/// Computes the boundary of the common solid and checks it; a mesh without triangles if nothing is shared.
fn arranged_intersection(p: &Pairing) -> Result<TriMesh, NoCommonSolid> {
    if ![p.a, p.b].iter().all(|s| s.inside == Inside::Solid && s.is_closed()) {
        return Err(NoCommonSolid::NoInside);
    }
    let of_b: Vec<Vec3> = p.b.vertices.iter().map(|v| p.b_in_a.point(v)).collect();
    let a = shells_near(p.a, &p.a.vertices, &of_b);
    let b = shells_near(p.b, &of_b, &p.a.vertices);
    if a.is_empty() || b.is_empty() {
        return Ok(TriMesh::default());
    }
    if !is_affordable(&a, &p.a.vertices, &b, &of_b) {
        return Err(NoCommonSolid::TooManyTriangles);
    }
    let corners = |t: &[[u32; 3]], v: &[Vec3]| t.iter().map(|t| t.map(|i| v[i as usize])).collect::<Vec<_>>();
    let mesh = intersection(&corners(&a, &p.a.vertices), &corners(&b, &of_b)).ok_or(NoCommonSolid::Unconfirmed)?;
    let confirmed = is_common(&Surface::of(mesh.vertices.clone(), &mesh.triangles, Inside::Solid), p);
    if confirmed { Ok(mesh) } else { Err(NoCommonSolid::Unconfirmed) }
}

/// Lists the triangles of all shells with boxes overlapping the box of the other's points. Each shell is closed, so the
/// others wind around nothing there.
fn shells_near(s: &Surface, vertices: &[Vec3], other: &[Vec3]) -> Vec<[u32; 3]> {
    let all = Aabb::of_points(other);
    let mut sets = UnionFind::new(vertices.len());
    for t in s.all_triangles() {
        sets.union(t[0], t[1], false);
        sets.union(t[1], t[2], false);
    }
    let mut bounds = vec![Aabb::EMPTY; vertices.len()];
    for t in s.all_triangles() {
        let root = sets.find(t[0]).0 as usize;
        for v in t {
            let x = vertices[*v as usize];
            bounds[root] = Aabb { min: bounds[root].min.inf(&x), max: bounds[root].max.sup(&x) };
        }
    }
    let meets = |b: &Aabb| (0..3).all(|k| b.min[k] <= all.max[k] && all.min[k] <= b.max[k]);
    s.all_triangles().filter(|t| meets(&bounds[sets.find(t[0]).0 as usize])).copied().collect()
}

/// Returns true if the triangles and their intersecting pairs are within the budget.
fn is_affordable(a: &[[u32; 3]], of_a: &[Vec3], b: &[[u32; 3]], of_b: &[Vec3]) -> bool {
    let Some(most) = MAX_TRIANGLES.checked_sub(a.len() + b.len()).map(|left| left / MEETING_COST) else { return false };
    let a = Surface::of(of_a.to_vec(), a, Inside::Solid);
    let b = Surface::of(of_b.to_vec(), b, Inside::Solid);
    let mut count = count_self_intersections(&a, most + 1) + count_self_intersections(&b, most + 1);
    let p = Pairing { a: &a, b: &b, b_in_a: &Pose::identity() };
    DualTraversal::new(&p, 0.0).run(
        &mut SearchRadius::new(0.0),
        |i| a.triangle(i),
        |j| b.triangle(j),
        |_, _, (_, f), (_, g)| {
            count += usize::from(intersects(&f.corners, &g.corners));
            count <= most
        },
    );
    count <= most
}

/// Checks a mesh as the boundary of the common solid: the mesh is closed; both solids lie behind every triangle and at
/// most one in front; no bounding triangle of either solid is missing; and all agree on sample points.
pub(crate) fn is_common(found: &Surface, p: &Pairing) -> bool {
    let near = CUT_IN_ROUNDOFFS * UNIT_ROUNDOFF * size(p);
    let both = ArrangedPair { p, back: p.b_in_a.inverse(), near };
    found.is_closed()
        && (0..found.triangles.len() as u32).all(|t| {
            let (x, aside) = (middle(found, t), found.normal(t) * (TEST_POINT_OFFSET * near));
            is_small(found, t, near)
                || both.inside(&(x - aside)) == Some(true) && both.inside(&(x + aside)) == Some(false)
                || both.has_close_triangles(&x)
        })
        && both.has_all(found)
        && both.agree(found)
}

/// Both solids, by their winding numbers.
struct ArrangedPair<'a> {
    p: &'a Pairing<'a>,
    back: Pose,
    /// Bound of the rounding error in a point (mm).
    near: f64,
}

impl ArrangedPair<'_> {
    /// Returns true if both solids wind around a point.
    fn inside(&self, x: &Vec3) -> Option<bool> {
        let of_a = winding(self.p.a, None, x).map(|w| w >= 1);
        if of_a == Some(false) {
            return of_a;
        }
        let of_b = winding(self.p.b, Some(self.p.b_in_a), x).map(|w| w >= 1);
        if of_b == Some(false) { of_b } else { of_a.and(of_b) }
    }

    /// Returns true if two triangles are so close that rounding blurs the sides of either.
    fn has_close_triangles(&self, x: &Vec3) -> bool {
        let mut count = 0;
        for (s, x) in [(self.p.a, *x), (self.p.b, self.back.point(x))] {
            s.within(&x, 4.0 * TEST_POINT_OFFSET * self.near, |_| {
                count += 1;
                count < 2
            });
        }
        count >= 2
    }

    /// Returns true if the mesh has every triangle with its own solid behind, nothing of it in front, and the other
    /// solid around it.
    fn has_all(&self, found: &Surface) -> bool {
        let has = |s: &Surface, t: u32, x: &Vec3, other: Option<i32>| {
            other.is_none_or(|w| w < 1)
                || winding_in_front(s, t) != Some(0)
                || found.nearest(x, 2.0 * self.near).is_some()
                || is_small(s, t, self.near)
                || self.has_close_triangles(x)
        };
        let Pairing { a, b, b_in_a } = self.p;
        (0..a.triangles.len() as u32).all(|t| {
            let x = middle(a, t);
            has(a, t, &x, winding(b, Some(b_in_a), &x))
        }) && (0..b.triangles.len() as u32).all(|t| {
            let x = b_in_a.point(&middle(b, t));
            has(b, t, &x, winding(a, None, &x))
        })
    }

    /// Returns true if the mesh winds once around exactly the points inside both solids, tested at sample points.
    fn agree(&self, found: &Surface) -> bool {
        let of_b: Vec<Vec3> = self.p.b.vertices.iter().map(|v| self.p.b_in_a.point(v)).collect();
        let (a, b) = (self.p.a.bounds, Aabb::of_points(&of_b));
        let low = a.min.sup(&b.min);
        let size = a.max.inf(&b.max) - low;
        (1..=SAMPLES).all(|k| {
            let x =
                low + Vec3::new(van_der_corput(k, 2), van_der_corput(k, 3), van_der_corput(k, 5)).component_mul(&size);
            let same = winding(found, None, &x).zip(self.inside(&x)).is_none_or(|(is, should)| is == i32::from(should));
            let near = 2.0 * self.near;
            same || self.p.a.nearest(&x, near).is_some() || self.p.b.nearest(&self.back.point(&x), near).is_some()
        })
    }
}
