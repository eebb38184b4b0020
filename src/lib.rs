#![doc = include_str!("../README.md")]

pub mod assembly;
pub mod broad;
pub mod check;
pub mod cli;
pub mod error;
pub mod gate;
pub mod geom;
pub mod hull;
pub mod load;
pub mod mesh;
pub mod narrow;
#[doc(hidden)]
pub mod replay;
pub mod report;
pub mod store;

pub use assembly::{Assembly, AssemblyBuilder, Facets, Geometry, LoadOptions, Verb};
pub use check::{Certainty, Options, Outcome, PairOutcome, Relation, Status};
pub use error::{Error, Warning};
pub use geom::{Affine, LengthUnit, Vec3};
pub use mesh::TriMesh;

use std::path::Path;

/// Reads an assembly file and every file below it from the file system. Meshes are looked for, not read yet.
///
/// [`assembly::load()`] takes files from elsewhere.
///
/// # Errors
/// Every problem of every file at once, each with file, line, column, JSON path and what would fix it.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Assembly, Error> {
    assembly::load(path.as_ref(), &load::FsLoader, options)
}

/// Checks every pair of an assembly's instances, on the ambient rayon pool.
///
/// [`check::check()`] takes meshes from elsewhere and tells of its progress.
///
/// # Errors
/// What [`check::check()`] refuses: then nothing was decided.
pub fn check(assembly: &Assembly, options: &Options) -> Result<Outcome, Error> {
    check::check(assembly, options, &load::FsLoader, &check::NoProgress)
}
