#![doc = include_str!("../README.md")]

mod assembly;
mod broad;
mod check;
mod cli;
mod error;
mod findings;
mod fuzzing;
mod geom;
mod import;
mod io;
mod json;
mod measure;
mod mesh;
mod model;
mod motion;
mod page;
mod parallel;
mod picture;
mod query;
pub mod report;
mod scene;
mod shape;
#[doc(hidden)]
pub mod testkit;

pub use assembly::{
    Assembly, AssemblyBuilder, Facets, FileLine, FileSettings, FirstMatch, Geometry, Instance, InstanceIx, Level,
    LoadOptions, MeshSource, NewJoint, NewPin, Overlap, Part, PartIx, Rule, RuleAction, RuleCoverage,
};
pub use check::cache::store::{Cache, FsStore, Store};
pub use check::{
    AcceptedTranslation, Certainty, ClearedBy, Counts, Curves, ExplainedInstance, Explanation, Fix, InstanceOutcome,
    Measure, Mover, MoverReason, NoProgress, Options, Outcome, PairLimits, PairOutcome, PartOutcome, Progress,
    Relation, RemainingOverlap, Settings, Side, Stage, Status, Step,
};
pub use error::{Error, Location, Problem, Warning, WarningCode};
pub use findings::{BaselineStatus, FailOn, Judged};
pub use geom::{Aabb, Affine, Bounds, LengthUnit, Pose, Vec3};
pub use io::{FsLoader, Loader, OpenFile};
pub use mesh::{MeshError, TriMesh};
pub use shape::decompose::Decomposition;
pub use shape::hull::Hull;

use std::path::Path;

/// Modules for the project's own tests, benches and program. No part of them is stable.
#[doc(hidden)]
pub mod internals {
    macro_rules! rooms {
        ($($room:ident)*) => { $(pub mod $room { pub use crate::$room::*; })* };
    }
    rooms! { assembly broad check cli error findings fuzzing geom import io json measure mesh model motion page picture query scene shape }

    pub mod report {
        pub mod table {
            pub use crate::report::table::*;
        }
    }
}

/// Reads an assembly file and every file below it from the file system, and finds its meshes.
///
/// [`check`] reads the meshes later. Lengths of the result are in mm.
///
/// # Errors
/// Returns every problem of every file at once, each with file, line, column, JSON path and correction.
///
/// ```
/// # fn main() -> Result<(), interfere::Error> {
/// let assembly = interfere::load("fixtures/cases/pivot/assembly.json", &interfere::LoadOptions::default())?;
/// assert_eq!(assembly.instances.len(), 4);
/// # Ok(())
/// # }
/// ```
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Assembly, Error> {
    assembly::load(path.as_ref(), &FsLoader, options)
}

/// Checks every pair of an assembly's instances, on the ambient rayon pool.
///
/// The outcome does not depend on the number of threads. Lengths are in mm, points in the frame of the root assembly;
/// a gap is negative for an overlap.
///
/// # Errors
/// Returns unreadable meshes, singular placements, options out of range, and an assembly without a pair to check.
/// After an error, no pair is decided.
///
/// ```
/// # fn main() -> Result<(), interfere::Error> {
/// use interfere::{LoadOptions, Options, Status};
///
/// let assembly = interfere::load("fixtures/cases/pivot/assembly.json", &LoadOptions::default())?;
/// let outcome = interfere::check(&assembly, &Options::default())?;
/// assert_eq!(outcome.pairs.iter().filter(|p| p.status == Status::Interference).count(), 1);
/// # Ok(())
/// # }
/// ```
pub fn check(assembly: &Assembly, options: &Options) -> Result<Outcome, Error> {
    check::check(assembly, options, &FsLoader, &NoProgress)
}

/// Follows one pair through the stages. The two ids may be in either order.
///
/// # Errors
/// Returns the errors of [`check`], and ids without an instance.
///
/// ```
/// # fn main() -> Result<(), interfere::Error> {
/// use interfere::{LoadOptions, Options};
///
/// let assembly = interfere::load("fixtures/cases/pivot/assembly.json", &LoadOptions::default())?;
/// let explanation = interfere::explain(&assembly, &Options::default(), ["peg", "stop"])?;
/// assert!(!explanation.steps.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn explain(assembly: &Assembly, options: &Options, ids: [&str; 2]) -> Result<Explanation, Error> {
    check::explain(assembly, options, ids, &FsLoader, &NoProgress)
}

/// Covers a closed solid by convex pieces with a target `epsilon` for their overshoot (mm, > 0).
///
/// The pieces are in the frame of the mesh; a check by exact predicates has shown that they contain it. Returns `None`
/// for a mesh without a definite inside or without volume. The cost is some milliseconds per piece.
///
/// # Errors
/// Returns the reason for a mesh without triangles, or with indices or coordinates out of range.
///
/// ```
/// # fn main() -> Result<(), interfere::MeshError> {
/// use interfere::{TriMesh, Vec3};
///
/// let corner = TriMesh {
///     vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
///     triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// };
/// let cover = interfere::decompose(&corner, 0.01, 64)?.expect("the mesh is closed");
/// assert_eq!(cover.pieces.len(), 1);
/// # Ok(())
/// # }
/// ```
pub fn decompose(mesh: &TriMesh, epsilon: f64, max_pieces: usize) -> Result<Option<Decomposition>, MeshError> {
    let Some(surface) = shape::solid_surface(mesh)? else { return Ok(None) };
    let inflation = geom::tolerance::roundoff_mm(surface.bounds.diagonal(), surface.bounds.max_abs(), 0.0);
    let limits = shape::decompose::Limits { epsilon, max_pieces: max_pieces.max(1), inflation };
    let found = shape::decompose::decompose(&surface, &limits);
    Ok(found.filter(|d| shape::decompose::verify::covers(&surface, d)))
}

/// Computes the boundary of the common solid of two placed solids, as a closed outward mesh in A's frame (mm).
///
/// `b_in_a` maps B's frame to A's. The winding numbers of both solids and the volume confirm the mesh. Returns `None`
/// if the solids share at most rounding, if a mesh has no inside, above 100 000 triangles (a crossing pair counts as
/// 20), and if the confirmation fails. The cost is some 30 µs per triangle.
///
/// # Errors
/// Returns the reason for a mesh without triangles, or with indices or coordinates out of range.
///
/// ```
/// # fn main() -> Result<(), interfere::MeshError> {
/// use interfere::{Pose, TriMesh, Vec3};
///
/// let corner = TriMesh {
///     vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
///     triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// };
/// let shifted = Pose { translation: Vec3::new(0.25, 0.0, 0.0), ..Pose::identity() };
/// let shared = interfere::common_solid(&corner, &corner, &shifted)?.expect("the solids overlap");
/// assert_eq!(shared.vertices.len(), 4);
/// # Ok(())
/// # }
/// ```
pub fn common_solid(a: &TriMesh, b: &TriMesh, b_in_a: &Pose) -> Result<Option<TriMesh>, MeshError> {
    let (Some(a), Some(b)) = (shape::solid_surface(a)?, shape::solid_surface(b)?) else { return Ok(None) };
    Ok(measure::intersection::by_arrangement::solid(&a, &b, b_in_a).ok())
}
