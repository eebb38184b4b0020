//! A shape: what a part becomes once a placement's stretch is baked into it.

use crate::assembly::Geometry;
use crate::check::prepare::convexity::is_convex;
use crate::check::prepare::decompose::Covered;
use crate::check::prepare::load::PartMesh;
use crate::check::prepare::solid::PreparedTriangles;
use crate::geom::tolerance::TOLERANCE_IN_F32_QUANTA;
use crate::geom::{Aabb, Mat3, Obb};
use crate::mesh::TriMesh;
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::verify::covered_within;
use crate::shape::hull;
use crate::shape::polytope::Convex;
use crate::shape::self_union::SelfUnion;
use crate::shape::self_union::asked::Asked;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A part's convex hull and box, ready for queries, and its triangles where pairs ask for them; one for all rigid placements
/// of a mesh, one more for each mirror image, scale or shear.
#[derive(Debug)]
pub(crate) struct Shape {
    /// What its solid is taken to be.
    pub geometry: Geometry,
    /// Whether the solid is its hull: by choice, or because the mesh is convex.
    pub is_hull: bool,
    pub convex: Convex,
    /// In the hull's centred frame.
    pub obb: Obb,
    /// Single-precision quantum of the mesh's largest coordinate (mm); 0 for double-precision meshes.
    pub quantum: f64,
    /// Largest magnitude of a coordinate before it was recentred (mm).
    pub max_abs: f64,
    part: Arc<PartMesh>,
    stretch: Mat3,
    /// Chordal deflection of the export where stated, stretched along (mm).
    deflection: Option<f64>,
    /// What became of a part that is to be taken as pieces.
    covered: Option<Covered>,
    exact: OnceLock<PreparedTriangles>,
    /// What an earlier run has found of shells that overlap, where a pair of this one had to know.
    stored_self_union: OnceLock<SelfUnion>,
}

/// A shape to be built.
#[derive(Clone, Copy)]
pub(crate) struct ShapeRequest {
    /// Index in the assembly.
    pub part: u32,
    pub geometry: Geometry,
    pub stretch: Mat3,
}

/// What takes time to find of a shape.
#[derive(Debug)]
pub(crate) struct ShapeData {
    pub geometry: Geometry,
    pub is_hull: bool,
    pub convex: Convex,
    pub obb: Obb,
    pub max_abs: f64,
    pub covered: Option<Covered>,
}

impl Shape {
    /// What covers it, if it is to be taken as pieces.
    pub(crate) fn covered(&self) -> Option<&Covered> {
        self.covered.as_ref()
    }

    /// The pieces that stand for it and reach beyond it; none of a convex part, which is its own piece.
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        self.covered.as_ref().and_then(Covered::pieces)
    }

    /// How far it may lie outside of its pieces (mm): rounding.
    pub(crate) fn outside_pieces(&self) -> f64 {
        if self.pieces().is_some() { covered_within(self.convex.aabb.max_abs()) } else { 0.0 }
    }

    /// The triangles made ready for exact queries: on the first call.
    pub(crate) fn exact(&self) -> &PreparedTriangles {
        self.exact.get_or_init(|| PreparedTriangles::new(self))
    }

    /// What is known of shells that overlap; nothing where no pair had to know.
    pub(crate) fn overlaps(&self) -> Option<SelfUnion> {
        self.exact.get().and_then(PreparedTriangles::overlaps).or_else(|| self.stored_self_union.get().copied())
    }

    /// The same, if it is among what somebody asked.
    pub(crate) fn overlaps_if(&self, asked: &Asked) -> Option<SelfUnion> {
        self.exact.get().filter(|e| asked.holds(e.surface())).and_then(PreparedTriangles::overlaps)
    }

    /// A pair had to know of shells that overlap, and an earlier run has found out.
    pub(crate) fn learn(&self, overlaps: SelfUnion) {
        self.stored_self_union.get_or_init(|| overlaps);
    }

    /// The triangles of the solid in the part's frame, stretch baked in and faces looking outward where there is an outward.
    pub(crate) fn mesh(&self) -> Cow<'_, TriMesh> {
        stretched(self.part.mesh.get(), &self.stretch)
    }

    /// A hash of its vertices and triangles: of the mesh as read, and of the stretch.
    pub(crate) fn content(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.part.hash.as_bytes());
        self.stretch.iter().for_each(|e| {
            hasher.update(&(e + 0.0).to_le_bytes());
        });
        hasher.finalize()
    }

    /// Whether inside and outside are defined.
    pub(crate) fn is_solid(&self) -> bool {
        match self.geometry {
            Geometry::Hull => self.convex.rank == 3,
            _ => self.part.enclosed.is_some(),
        }
    }

    /// Chordal deflection of the export where stated (mm).
    pub(crate) fn deflection(&self) -> Option<f64> {
        self.deflection
    }

    /// The largest sagitta at a concave edge (mm), where that is known without the facets at hand: a stretch changes it.
    pub(crate) fn concave_error(&self) -> Option<f64> {
        if self.geometry == Geometry::Hull || self.pieces().is_some() {
            return Some(0.0);
        }
        let known = self.stretch == Mat3::identity();
        known.then(|| self.deflection.filter(|_| self.part.concave_error > 0.0).unwrap_or(self.part.concave_error))
    }

    /// The longest side of the part's own bounding box (mm).
    pub(crate) fn longest_side(&self) -> f64 {
        (self.convex.aabb.max - self.convex.aabb.min).max()
    }

    /// How far its surface may lie from the one that was meant (mm): what its facets leave of round surfaces, and how far pieces
    /// reach beyond it.
    pub(crate) fn surface_error(&self) -> f64 {
        let pieces = self.covered().and_then(Covered::pieces_and_epsilon).map_or(0.0, |(_, epsilon)| epsilon);
        self.part.facet_error.unwrap_or(0.0) * self.max_stretch() + pieces
    }

    /// The area of its surface, or somewhat more (mm²).
    pub(crate) fn area(&self) -> f64 {
        // Of two convex solids of which one holds the other, that one has the larger surface.
        let boxed = 2.0 * self.obb.half_area();
        if self.is_hull {
            return boxed;
        }
        let stretched = self.part.area * self.max_stretch().powi(2);
        if self.pieces().is_some() { stretched.max(boxed) } else { stretched }
    }

    /// By how much its stretch lengthens any direction, at most.
    fn max_stretch(&self) -> f64 {
        if self.stretch == Mat3::identity() { 1.0 } else { self.stretch.singular_values().max() }
    }

    /// What tells it from other shapes: its mesh, its stretch, and what it is taken to be.
    pub(crate) fn identify(&self, hasher: &mut blake3::Hasher) {
        hasher.update(self.part.hash.as_bytes()).update(self.geometry.name().as_bytes());
        for e in &self.stretch {
            hasher.update(&(e + 0.0).to_le_bytes());
        }
    }

    /// No tolerance below this can be held against the rounding of the mesh's own coordinates (mm).
    pub(crate) fn tolerance_floor(&self) -> f64 {
        TOLERANCE_IN_F32_QUANTA * self.quantum
    }
}

/// A mesh with a stretch baked in; a mirror image is wound the other way.
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

pub(crate) fn build_shape_data(part: &PartMesh, wanted: &ShapeRequest) -> ShapeData {
    let stretch = &wanted.stretch;
    let mesh = stretched(part.mesh.get(), stretch);
    let hull = hull::convex_hull(&mesh.vertices);
    let facets = hull::facets(&hull);
    let mut obb = hull::fit_obb(&hull, &facets);
    let convex = Convex::new(&hull, &facets);
    obb.center -= convex.origin;
    let rigid = matches!(mesh, Cow::Borrowed(_));
    let is_convex = || {
        let volume = part.enclosed.map(|v| if rigid { v } else { v * stretch.determinant().abs() });
        part.shells == 1 && volume.is_some_and(|v| is_convex(&mesh, v, hull::measure(&hull).volume))
    };
    ShapeData {
        geometry: wanted.geometry,
        is_hull: wanted.geometry == Geometry::Hull || is_convex(),
        obb,
        max_abs: Aabb::of_points(&hull.vertices).max_abs(),
        convex,
        covered: None,
    }
}

impl Shape {
    pub(crate) fn of(part: &Arc<PartMesh>, wanted: &ShapeRequest, deflection: Option<f64>, made: ShapeData) -> Self {
        let stretch = wanted.stretch;
        let rigid = stretch == Mat3::identity();
        // A stretch carries the quantum of the file's coordinates along.
        let scale = if rigid { 1.0 } else { stretch.abs().max() };
        // And the deflection by the least it stretches any direction: no more is granted than anywhere on the part.
        let least = if rigid { 1.0 } else { stretch.singular_values().min() };
        let ShapeData { geometry, is_hull, convex, obb, max_abs, covered } = made;
        Self {
            geometry,
            is_hull,
            convex,
            obb,
            quantum: part.rounding * scale,
            max_abs,
            part: Arc::clone(part),
            stretch,
            deflection: deflection.map(|d| d * least),
            covered,
            exact: OnceLock::new(),
            stored_self_union: OnceLock::new(),
        }
    }
}
