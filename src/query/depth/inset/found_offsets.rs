//! Offsets found for one surface and one inset distance, shared by all insets that use them.
//!
//! They are in the solid's frame and depend on the surface, τ and the flat distance alone. A pair leaves them with the
//! surface, and a later pair of the same part takes them up if its τ is the same.

use crate::geom::Vec3;
use crate::query::depth::inset::surface::Continuation;
use crate::query::depth::inset::vertex_offset::{Known, Wish};
use crate::shape::surface::Surface;
use crate::shape::surface::kept_results::ResultKey;

/// Largest number of vertices with offsets to be kept: some megabytes.
const MAX_KEPT_VERTICES: usize = 10_000;

/// Move of a vertex with a split offset.
#[derive(Clone, Copy)]
pub(super) enum SplitMove {
    /// All positions, scaled back by this share.
    Scaled(f64),
    /// One position for all triangles: the displacement (mm).
    Unsplit(Vec3),
}

/// Limits of offsets found so far.
#[derive(Default)]
pub(super) struct Limits {
    /// Displacement of each unsplit vertex (mm).
    pub ways: Known<Vec3>,
    /// Move of each vertex with a split offset.
    pub splits: Known<SplitMove>,
    /// Continuation in plane beyond each triangle.
    pub on: Known<Option<Continuation>>,
}

/// Offsets and their limits.
#[derive(Default)]
struct Offsets {
    /// Offset of each vertex that its planes demand.
    wishes: Known<Wish>,
    /// Limits of triangles without an edge to divide, and of the others.
    limits: [Limits; 2],
}

/// Offsets found so far. They return to the surface that keeps them when the last inset drops them.
#[derive(Default)]
pub(crate) struct FoundOffsets<'a> {
    offsets: Offsets,
    /// Surface that keeps them, with their key; `None` for those of one pair alone.
    keeper: Option<(&'a Surface, ResultKey)>,
}

impl<'a> FoundOffsets<'a> {
    /// Takes up the offsets that the surface keeps for these distances (mm), and returns them to it later.
    pub(super) fn kept_by(surface: &'a Surface, tau: f64, flat: f64) -> Self {
        let key = [tau.to_bits(), flat.to_bits()];
        Self { offsets: surface.kept.take(&key), keeper: Some((surface, key)) }
    }

    /// See [`Offsets::wishes`].
    pub(super) fn wishes(&self) -> &Known<Wish> {
        &self.offsets.wishes
    }

    /// Limits of triangles without an edge to divide, or of the others.
    pub(super) fn limits(&self, divides: bool) -> &Limits {
        &self.offsets.limits[usize::from(divides)]
    }
}

impl Drop for FoundOffsets<'_> {
    fn drop(&mut self) {
        if let Some((surface, key)) = self.keeper
            && self.offsets.wishes.borrow().len() <= MAX_KEPT_VERTICES
        {
            surface.kept.keep(key, std::mem::take(&mut self.offsets));
        }
    }
}
