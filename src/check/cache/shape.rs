//! Stores hull, box and pieces of a shape.

use crate::assembly::Geometry;
use crate::check::Settings;
use crate::check::cache::{Key, KeyHasher, code, decoded};
use crate::check::prepare::decompose::{Covered, REASONS};
use crate::check::prepare::load::{self, PartMesh};
use crate::check::prepare::part_hull::PreparedHull;
use crate::check::prepare::shape::{ShapeData, ShapeRequest};
use crate::geom::Obb;
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::stored::StoredPieces;
use crate::shape::polytope::{Convex, StoredConvex};
use serde::{Deserialize, Serialize};

/// Geometries by code.
pub(crate) const GEOMETRIES: [Geometry; 3] = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];

/// Stored form of [`ShapeData`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredShape {
    geometry: u8,
    is_hull: bool,
    convex: StoredConvex,
    /// Centre, axes (columns), half extents (mm).
    obb: ([f64; 3], [[f64; 3]; 3], [f64; 3]),
    max_abs: f64,
    covered: Option<StoredCover>,
}

#[derive(Debug, Serialize, Deserialize)]
enum StoredCover {
    Convex,
    By { pieces: StoredPieces, epsilon: f64, asked: f64, ball: f64 },
    Not(u8),
}

/// Key of a shape and of all its pair queries: mesh, mesh facts, stretch, geometry and options of the pieces. `deepest`
/// is the largest depth threshold of the run (mm).
pub(crate) fn shape_key(
    part: &PartMesh,
    wanted: &ShapeRequest,
    deflection: Option<f64>,
    settings: &Settings,
    deepest: f64,
) -> Key {
    let load::PartMesh { hash, enclosed, shells, rounding, concave_error, .. } = part;
    let keyed = KeyHasher::new("shape")
        .bytes(hash.as_bytes())
        .optional(*enclosed)
        .count(u64::from(*shells))
        .numbers([rounding, concave_error])
        .bytes(wanted.geometry.name().as_bytes())
        .optional(deflection)
        .matrix(&wanted.stretch);
    if wanted.geometry == Geometry::Decomposition {
        keyed.optional(settings.epsilon).count(settings.max_pieces as u64).number(deepest).key()
    } else {
        keyed.key()
    }
}

impl StoredShape {
    pub(crate) fn of(made: &ShapeData) -> Option<Self> {
        let covered = match &made.covered {
            None => None,
            Some(Covered::Convex) => Some(StoredCover::Convex),
            Some(Covered::By { pieces, epsilon, asked, ball }) => {
                let pieces = pieces.to_stored();
                Some(StoredCover::By { pieces, epsilon: *epsilon, asked: *asked, ball: *ball })
            }
            Some(Covered::Not(why)) => Some(StoredCover::Not(code(&REASONS, why)?)),
        };
        // A deferred hull is not stored: runs with a cache defer none.
        let hull = made.hull.built()?;
        Some(Self {
            geometry: code(&GEOMETRIES, &made.geometry)?,
            is_hull: made.is_hull,
            convex: hull.convex.to_stored(),
            obb: (hull.obb.center.into(), hull.obb.axes.into(), hull.obb.half_extents.into()),
            max_abs: made.max_abs,
            covered,
        })
    }

    /// Decodes the shape, bit for bit.
    pub(crate) fn restored(self) -> Option<ShapeData> {
        let covered = match self.covered {
            None => None,
            Some(StoredCover::Convex) => Some(Covered::Convex),
            Some(StoredCover::By { pieces, epsilon, asked, ball }) => {
                Some(Covered::By { pieces: Box::new(Pieces::from_stored(pieces)?), epsilon, asked, ball })
            }
            Some(StoredCover::Not(why)) => Some(Covered::Not(decoded(&REASONS, why)?)),
        };
        let (center, axes, half_extents) = self.obb;
        let obb = Obb { center: center.into(), axes: axes.into(), half_extents: half_extents.into() };
        let hull = PreparedHull { convex: Convex::from_stored(self.convex)?, obb };
        Some(ShapeData {
            geometry: decoded(&GEOMETRIES, self.geometry)?,
            is_hull: self.is_hull,
            hull: hull.into(),
            max_abs: self.max_abs,
            covered,
        })
    }
}
