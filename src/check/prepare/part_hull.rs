//! Hull of a shape, built at once or on first use.
//!
//! The hull of a large mesh takes a sixth of its preparation, and a verdict on a pair seldom needs it. The *inner hull*
//! of at most 26 vertices comes first: where the inner hulls of a pair meet, neither boxes nor hulls can clear the pair.
//! A part that lies mostly in its inner hull gets its hull at once: this hull has few vertices.

use crate::check::prepare::load::PartMesh;
use crate::geom::aabb::BOX_DIRECTIONS;
use crate::geom::math::{max3, min3};
use crate::geom::predicates::orient3d;
use crate::geom::{Aabb, Obb, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::shape::hull;
use crate::shape::polytope::Convex;
use std::sync::OnceLock;

/// Least number of triangles of a part with a deferred hull.
pub(crate) const DEFERRED_FROM: u64 = 50_000;

/// Largest number of instances of a shape with a deferred hull: without the hull, each rotation reads all vertices.
pub(crate) const DEFERRED_INSTANCES: u32 = 16;

/// Number of triangles tested for a vertex above their plane, and number of vertices tested against the inner hull.
const SAMPLES: usize = 256;

/// Least share of vertices outside the inner hull. With fewer, the hull costs little, and its planes show that flush
/// faces only touch.
const OUTSIDE_SHARE: f64 = 1.0 / 16.0;

/// Distance from the inner hull beyond which a vertex counts as outside, as a share of the part's diameter.
const OUTSIDE_BY: f64 = 1e-3;

/// Convex hull and oriented box of a shape, both in the hull's centred frame.
#[derive(Debug)]
pub(crate) struct PreparedHull {
    pub convex: Convex,
    pub obb: Obb,
}

impl PreparedHull {
    /// Prepares the hull of points in the part's frame.
    pub(crate) fn new(hull: hull::Hull) -> Self {
        let facets = hull::facets(&hull);
        let mut obb = hull::fit_obb(&hull, &facets, hull::Tried::Large);
        let convex = Convex::of(hull, &facets);
        obb.center -= convex.origin;
        Self { convex, obb }
    }
}

/// Hull of a shape, and its inner hull if the hull is deferred to its first use.
#[derive(Debug)]
pub(crate) struct PartHull {
    inner: Option<Convex>,
    whole: OnceLock<PreparedHull>,
}

impl From<PreparedHull> for PartHull {
    fn from(hull: PreparedHull) -> Self {
        Self { inner: None, whole: hull.into() }
    }
}

impl PartHull {
    /// Defers the hull of a large solid if the solid is certainly not convex, and if much of it lies outside its inner
    /// hull; `None` for other meshes. `mesh` has the stretch of the shape. Cost: one pass over the vertices.
    pub(crate) fn deferred(part: &PartMesh, mesh: &TriMesh) -> Option<Self> {
        if part.triangles < DEFERRED_FROM || part.enclosed.is_none() {
            return None;
        }
        let tops = extreme_vertices(&mesh.vertices);
        // A curved hollow has an error at its concave edges.
        if part.shells == 1 && part.concave_error <= 0.0 && !is_above_a_face(&tops, mesh) {
            return None;
        }
        let inner = hull::convex_hull(&tops);
        let inner = Convex::new(&inner, &hull::facets(&inner));
        (inner.rank == 3 && is_much_outside(&mesh.vertices, &inner))
            .then(|| Self { inner: Some(inner), whole: OnceLock::new() })
    }

    /// Hull, built by the first call if it was deferred.
    pub(crate) fn whole(&self, build: impl FnOnce() -> PreparedHull) -> &PreparedHull {
        self.whole.get_or_init(build)
    }

    /// Hull of some vertices of the part, in the frame of the whole hull and with its bounding box; `None` if the hull
    /// was not deferred.
    pub(crate) fn inner(&self) -> Option<&Convex> {
        self.inner.as_ref()
    }

    /// Hull, if built.
    pub(crate) fn built(&self) -> Option<&PreparedHull> {
        self.whole.get()
    }
}

/// Farthest vertices along [`BOX_DIRECTIONS`] and against them. The first three directions give the bounding box.
fn extreme_vertices(vertices: &[Vec3]) -> Vec<Vec3> {
    let mut ends = [[(f64::INFINITY, 0), (f64::NEG_INFINITY, 0)]; BOX_DIRECTIONS.len()];
    for (i, v) in vertices.iter().enumerate() {
        for ([least, most], d) in ends.iter_mut().zip(&BOX_DIRECTIONS) {
            let height = d[0] * v.x + d[1] * v.y + d[2] * v.z;
            if height < least.0 {
                *least = (height, i);
            }
            if height > most.0 {
                *most = (height, i);
            }
        }
    }
    ends.as_flattened().iter().map(|&(_, i)| vertices[i]).collect()
}

/// Tests some triangles of a mesh: true if one of its vertices `tops` lies above the plane of one, by exact predicate.
/// The mesh is then not convex.
fn is_above_a_face(tops: &[Vec3], mesh: &TriMesh) -> bool {
    let step = (mesh.triangles.len() / SAMPLES).max(1);
    mesh.triangles.iter().step_by(step).any(|t| {
        let [a, b, c] = t.map(|v| &mesh.vertices[v as usize]);
        tops.iter().any(|x| orient3d(a, b, c, x) > 0.0)
    })
}

/// Tests some vertices of a part: true if many lie outside its inner hull, so the whole hull has many vertices.
fn is_much_outside(vertices: &[Vec3], inner: &Convex) -> bool {
    let step = (vertices.len() / SAMPLES).max(1);
    let tested = vertices.iter().step_by(step);
    let outside = tested.clone().filter(|v| inner.depth(&(*v - inner.origin)).1 < -OUTSIDE_BY * inner.diameter);
    outside.count() as f64 >= OUTSIDE_SHARE * tested.count() as f64
}

/// Box of points about `origin`, rotated by a pose (mm).
pub(crate) fn turned_box_of(vertices: &[Vec3], origin: &Vec3, pose: &Pose) -> Aabb {
    let mut out = Aabb::EMPTY;
    for v in vertices {
        let x = pose.rotation * (v - origin);
        out = Aabb { min: min3(out.min, x), max: max3(out.max, x) };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::Assembly;
    use crate::check::prepare::load::load_meshes;
    use crate::check::prepare::shapes::{self, Shapes};
    use crate::check::run::resolve_settings;
    use crate::check::{Measure, NoProgress, Options};
    use crate::geom::{Affine, LengthUnit};
    use crate::io::FsLoader;
    use crate::testkit::poses::oblique;
    use crate::testkit::solids::squared_box;

    /// A ball of 52 272 triangles, its radius changed by up to `height`.
    fn ball(height: f64) -> TriMesh {
        squared_box(66, |p| {
            let p = p.normalize();
            p * (10.0 + height * libm::sin(9.0 * p.x + 4.0) * libm::sin(7.0 * p.y) * libm::sin(8.0 * p.z))
        })
    }

    /// Shapes of a run with one part, once as drawn and `more` times turned.
    fn shapes_of(mesh: TriMesh, measure: Measure, more: u32) -> Shapes {
        let turned = Affine { linear: oblique(), translation: Vec3::new(50.0, 3.0, 1.0) };
        let mut builder =
            Assembly::builder("balls", LengthUnit::Mm).part("ball", mesh).instance("drawn", "ball", Affine::identity());
        for k in 0..more {
            let translation = turned.translation * f64::from(k + 1);
            builder = builder.instance(format!("turned{k}"), "ball", Affine { translation, ..turned });
        }
        let assembly = builder.build().expect("a valid assembly");
        let settings = resolve_settings(&assembly, &Options { measure, ..Options::default() }).expect("settings");
        let meshes = load_meshes(&assembly, &FsLoader, None, measure, &NoProgress).expect("meshes");
        shapes::build(&assembly, &meshes, &settings, None, &NoProgress).expect("shapes")
    }

    #[test]
    fn only_verdicts_on_large_parts_beyond_their_inner_hulls_defer_hulls() {
        let defers = |height, measure, more| shapes_of(ball(height), measure, more).all[0].defers_hull();
        assert!(defers(0.1, Measure::None, 1));
        assert!(!defers(0.1, Measure::Depth, 1));
        assert!(!defers(0.1, Measure::None, DEFERRED_INSTANCES));
        let small = squared_box(20, |p| p.normalize() * (2.0 + 0.2 * libm::sin(5.0 * p.x)));
        assert!(!shapes_of(small, Measure::None, 1).all[0].defers_hull());
        let step = squared_box(66, |p| Vec3::new(p.x, p.y, if p.x > 0.0 { p.z.min(0.5) } else { p.z }));
        assert!(shapes_of(step, Measure::None, 1).all[0].defers_hull(), "a vertex lies above the lower face");
        let pocket = |p: Vec3| p.z > 1.9 && p.x.abs() < 1.5 && p.y.abs() < 1.5;
        let block = squared_box(66, |p| if pocket(p) { p - Vec3::z() } else { p });
        assert!(!shapes_of(block, Measure::None, 1).all[0].defers_hull(), "the inner hull is the hull");
        // The centred frame rounds the coordinates of this block outward.
        let block = squared_box(66, |p| p.map(|x| 0.4 + (x + 2.0) * 250.0));
        let block = shapes_of(block, Measure::None, 1);
        assert!(!block.all[0].defers_hull() && block.all[0].is_hull);
    }

    #[test]
    fn inner_hull_has_frame_and_box_of_the_whole_hull() {
        let shapes = shapes_of(ball(0.4), Measure::None, 1);
        let shape = &shapes.all[0];
        let pose = &shapes.placed.iter().find(|p| p.pose.translation.norm() > 1.0).expect("a turned instance").pose;
        let turned = shape.turned_box_without_hull(pose).expect("a deferred hull");
        assert!(shape.hull_if_built().is_none(), "nothing so far needs the hull");
        let (inner, whole) = (shape.inner(), shape.convex());
        assert_eq!((inner.origin, inner.aabb, inner.diameter), (whole.origin, whole.aabb, whole.diameter));
        assert!(
            inner.vertices.iter().all(|v| whole.vertices.contains(v)) && inner.vertices.len() < whole.vertices.len()
        );
        assert!(0.9 * whole.inner_radius < inner.inner_radius && inner.inner_radius < whole.inner_radius);
        for k in 0..3 {
            let d: Vec3 = pose.rotation.row(k).transpose();
            let ends = [-whole.scan(&-d).1, whole.scan(&d).1];
            assert!((turned.min[k] - ends[0]).abs() < 1e-14 && (turned.max[k] - ends[1]).abs() < 1e-14);
        }
    }
}
