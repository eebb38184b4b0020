//! Defines a shape: a part with the stretch of a placement baked in.

use crate::assembly::Geometry;
use crate::check::prepare::convexity::is_convex;
use crate::check::prepare::decompose::Covered;
use crate::check::prepare::load::PartMesh;
use crate::check::prepare::part_hull::{PartHull, PreparedHull, turned_box_of};
use crate::check::prepare::solid::PreparedTriangles;
use crate::geom::math::lesser;
use crate::geom::tolerance::TOLERANCE_IN_F32_QUANTA;
use crate::geom::{Aabb, Mat3, Obb, Pose};
use crate::mesh::TriMesh;
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::verify::covered_within;
use crate::shape::hull;
use crate::shape::polytope::Convex;
use crate::shape::self_union::SelfUnion;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Hull, box and triangles of a part, ready for queries; the triangles are prepared on first use, and hulls of some
/// large parts as well. All rigid placements of a mesh share one shape; each mirror image, scale or shear has its own.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Geometry of its solid.
    pub geometry: Geometry,
    /// True if the solid is its hull: by choice, or for a convex mesh.
    pub is_hull: bool,
    hull: PartHull,
    /// Single-precision quantum of the mesh's largest coordinate (mm); 0 for double-precision meshes.
    pub quantum: f64,
    /// Largest absolute coordinate before recentring (mm).
    pub max_abs: f64,
    part: Arc<PartMesh>,
    stretch: Mat3,
    /// Stated chordal deflection of the export, scaled with the stretch (mm).
    deflection: Option<f64>,
    /// Result of the decomposition, if requested.
    covered: Option<Covered>,
    exact: OnceLock<PreparedTriangles>,
    hull_deviation: OnceLock<Option<f64>>,
    /// Self-union result from an earlier run, for a pair of this run.
    stored_self_union: OnceLock<SelfUnion>,
}

/// Request for a shape.
#[derive(Clone, Copy)]
pub(crate) struct ShapeRequest {
    /// Index of the part in the assembly.
    pub part: u32,
    pub geometry: Geometry,
    pub stretch: Mat3,
    /// Number of instances.
    pub instances: u32,
}

/// Expensive data of a shape, kept in the cache.
#[derive(Debug)]
pub(crate) struct ShapeData {
    pub geometry: Geometry,
    pub is_hull: bool,
    pub hull: PartHull,
    pub max_abs: f64,
    pub covered: Option<Covered>,
}

impl Shape {
    /// Convex hull of the part. The first call builds it if it was deferred.
    pub(crate) fn convex(&self) -> &Convex {
        &self.whole_hull().convex
    }

    /// Oriented box of the part, in the hull's centred frame. The first call builds a deferred hull.
    pub(crate) fn obb(&self) -> &Obb {
        &self.whole_hull().obb
    }

    fn whole_hull(&self) -> &PreparedHull {
        self.hull.whole(|| PreparedHull::new(hull::convex_hull(&self.mesh().vertices)))
    }

    /// Hull, or an inner hull in its place if the hull is deferred: with the same centred frame and bounding box.
    pub(crate) fn inner(&self) -> &Convex {
        self.hull.inner().unwrap_or_else(|| self.convex())
    }

    /// Hull of the part, if built.
    #[cfg(test)]
    pub(crate) fn hull_if_built(&self) -> Option<&Convex> {
        self.hull.built().map(|hull| &hull.convex)
    }

    /// Box of the part about its centred origin, rotated by a pose (mm); `None` if its hull gives the box faster.
    pub(crate) fn turned_box_without_hull(&self, pose: &Pose) -> Option<Aabb> {
        self.hull.inner().map(|inner| turned_box_of(&self.mesh().vertices, &inner.origin, pose))
    }

    /// True if the hull is deferred to its first use, built or not.
    pub(crate) fn defers_hull(&self) -> bool {
        self.hull.inner().is_some()
    }

    /// Result of the decomposition, if requested.
    pub(crate) fn covered(&self) -> Option<&Covered> {
        self.covered.as_ref()
    }

    /// Pieces in place of the solid; `None` for a convex part, which is its own piece.
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        self.covered.as_ref().and_then(Covered::pieces)
    }

    /// Largest distance of the solid beyond its pieces, from rounding (mm, >= 0).
    pub(crate) fn outside_pieces(&self) -> f64 {
        if self.pieces().is_some() { covered_within(self.inner().aabb.max_abs()) } else { 0.0 }
    }

    /// Triangles prepared for exact queries, on the first call.
    pub(crate) fn exact(&self) -> &PreparedTriangles {
        self.exact.get_or_init(|| PreparedTriangles::new(self))
    }

    /// True for a solid that lies in its hull, without pieces that stand for it.
    pub(crate) fn is_in_hull(&self) -> bool {
        self.is_solid() && self.pieces().is_none() && self.inner().rank == 3
    }

    /// Largest distance of the solid's surface from the boundary of its hull (mm, up to rounding): 0 for a solid that
    /// is its hull. `None` for a solid that is not known to be convex.
    pub(crate) fn hull_deviation(&self) -> Option<f64> {
        if self.is_hull {
            return self.is_in_hull().then_some(0.0);
        }
        *self.hull_deviation.get_or_init(|| {
            let volume = self.part.enclosed.filter(|_| self.is_in_hull())? * self.stretch.determinant().abs();
            let mesh = self.mesh();
            let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices[v as usize] - self.inner().origin);
            self.convex().deviation(volume, mesh.triangles.len(), mesh.triangles.iter().map(corners))
        })
    }

    /// True if the triangles are prepared already.
    pub(crate) fn is_prepared(&self) -> bool {
        self.exact.get().is_some()
    }

    /// Self-union result; `None` if no pair needed it.
    pub(crate) fn overlaps(&self) -> Option<SelfUnion> {
        self.exact.get().and_then(PreparedTriangles::overlaps).or_else(|| self.stored_self_union.get().copied())
    }

    /// Records the self-union result of an earlier run for a pair of this run.
    pub(crate) fn learn(&self, overlaps: SelfUnion) {
        self.stored_self_union.get_or_init(|| overlaps);
    }

    /// Triangles of the solid in the part's frame, with the stretch baked in; faces of a solid look outward.
    pub(crate) fn mesh(&self) -> Cow<'_, TriMesh> {
        stretched(self.part.mesh.get(), &self.stretch)
    }

    /// True if the part's mesh is one shell; it uses all its vertices.
    pub(crate) fn has_one_shell(&self) -> bool {
        self.part.shells == 1
    }

    /// Number of triangles of the part's mesh.
    pub(crate) fn triangle_count(&self) -> u64 {
        self.part.triangles
    }

    /// Hash of the mesh as read and of the stretch.
    pub(crate) fn content(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.part.hash.as_bytes());
        self.stretch.iter().for_each(|e| {
            hasher.update(&(e + 0.0).to_le_bytes());
        });
        hasher.finalize()
    }

    /// Returns true if the shape has a definite inside.
    pub(crate) fn is_solid(&self) -> bool {
        match self.geometry {
            Geometry::Hull => self.inner().rank == 3,
            _ => self.part.enclosed.is_some(),
        }
    }

    /// Stated chordal deflection of the export (mm).
    pub(crate) fn deflection(&self) -> Option<f64> {
        self.deflection
    }

    /// Largest sagitta at a concave edge (mm), if known without the facet table; a stretch changes it.
    pub(crate) fn concave_error(&self) -> Option<f64> {
        if self.geometry == Geometry::Hull || self.pieces().is_some() {
            return Some(0.0);
        }
        let known = self.stretch == Mat3::identity();
        known.then(|| self.deflection.map_or(self.part.concave_error, |d| lesser(d, self.part.concave_error)))
    }

    /// Longest side of the part's own bounding box (mm).
    pub(crate) fn longest_side(&self) -> f64 {
        let bounds = &self.inner().aabb;
        (bounds.max - bounds.min).max()
    }

    /// Largest distance between the surface and the intended one (mm): facet error plus overshoot of the pieces.
    pub(crate) fn surface_error(&self) -> f64 {
        let pieces = self.covered().and_then(Covered::pieces_and_epsilon).map_or(0.0, |(_, epsilon)| epsilon);
        self.part.facet_error.unwrap_or(0.0) * self.max_stretch() + pieces
    }

    /// Largest factor of the stretch on any length.
    fn max_stretch(&self) -> f64 {
        if self.stretch == Mat3::identity() { 1.0 } else { self.stretch.singular_values().max() }
    }

    /// Feeds mesh, geometry and stretch to a hasher.
    pub(crate) fn identify(&self, hasher: &mut blake3::Hasher) {
        hasher.update(self.part.hash.as_bytes()).update(self.geometry.name().as_bytes());
        for e in &self.stretch {
            hasher.update(&(e + 0.0).to_le_bytes());
        }
    }

    /// Smallest tolerance above the rounding of the mesh's coordinates (mm).
    pub(crate) fn tolerance_floor(&self) -> f64 {
        TOLERANCE_IN_F32_QUANTA * self.quantum
    }
}

/// Applies a stretch to a mesh; a mirror image reverses the winding.
fn stretched<'m>(mesh: &'m TriMesh, stretch: &Mat3) -> Cow<'m, TriMesh> {
    if *stretch == Mat3::identity() {
        return Cow::Borrowed(mesh);
    }
    let mirrored = stretch.determinant() < 0.0;
    Cow::Owned(TriMesh {
        vertices: mesh.vertices.iter().map(|v| stretch * v).collect(),
        triangles: mesh.triangles.iter().map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] }).collect(),
    })
}

/// Builds the data of a shape. With `may_defer`, the hull of a large part may be deferred to its first use.
pub(crate) fn build_shape_data(part: &PartMesh, wanted: &ShapeRequest, may_defer: bool) -> ShapeData {
    let stretch = &wanted.stretch;
    let mesh = stretched(part.mesh.get(), stretch);
    let made = |is_hull: bool, hull: PartHull, max_abs: f64| ShapeData {
        geometry: wanted.geometry,
        is_hull,
        hull,
        max_abs,
        covered: None,
    };
    if let Some(hull) = may_defer.then(|| PartHull::deferred(part, &mesh)).flatten() {
        return made(false, hull, Aabb::of_points(&mesh.vertices).max_abs());
    }
    let hull = hull::convex_hull(&mesh.vertices);
    let rigid = matches!(mesh, Cow::Borrowed(_));
    let is_convex = || {
        let volume = part.enclosed.map(|v| if rigid { v } else { v * stretch.determinant().abs() });
        part.shells == 1 && volume.is_some_and(|v| is_convex(&mesh, v, hull::measure(&hull).volume))
    };
    let is_hull = wanted.geometry == Geometry::Hull || is_convex();
    let max_abs = Aabb::of_points(&hull.vertices).max_abs();
    made(is_hull, PreparedHull::new(hull).into(), max_abs)
}

impl Shape {
    /// Data of the shape without its cover.
    pub(crate) fn into_data(self) -> ShapeData {
        let Self { geometry, is_hull, hull, max_abs, .. } = self;
        ShapeData { geometry, is_hull, hull, max_abs, covered: None }
    }

    pub(crate) fn of(part: &Arc<PartMesh>, wanted: &ShapeRequest, deflection: Option<f64>, made: ShapeData) -> Self {
        let stretch = wanted.stretch;
        let rigid = stretch == Mat3::identity();
        // A stretch scales the quantum of the coordinates.
        let scale = if rigid { 1.0 } else { stretch.abs().max() };
        // Scale the deflection by the smallest factor of the stretch, so the allowance is safe in every direction.
        let least = if rigid { 1.0 } else { stretch.singular_values().min() };
        let ShapeData { geometry, is_hull, hull, max_abs, covered } = made;
        Self {
            geometry,
            is_hull,
            hull,
            quantum: part.rounding * scale,
            max_abs,
            part: Arc::clone(part),
            stretch,
            deflection: deflection.map(|d| d * least),
            covered,
            exact: OnceLock::new(),
            hull_deviation: OnceLock::new(),
            stored_self_union: OnceLock::new(),
        }
    }
}
