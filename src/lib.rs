#![doc = include_str!("../README.md")]

pub mod assembly;
pub mod broad;
pub mod check;
pub mod cli;
pub mod error;
pub mod findings;
pub mod fuzzing;
pub mod geom;
pub mod io;
pub mod json;
pub mod measure;
pub mod mesh;
pub mod query;
pub mod report;
pub mod shape;
#[doc(hidden)]
pub mod testkit;

pub use crate::assembly::{Assembly, AssemblyBuilder, Facets, Geometry, LoadOptions, RuleAction};
pub use crate::check::{Certainty, Options, Outcome, PairOutcome, Relation, Status};
pub use crate::error::{Error, Warning, WarningCode};
pub use crate::findings::Judged;
pub use crate::geom::{Affine, LengthUnit, Vec3};
pub use crate::mesh::TriMesh;

use std::path::Path;

/// Reads an assembly file and every file below it from the file system. Resolves mesh paths; [`check()`] reads the
/// meshes.
///
/// [`assembly::load()`] reads files from another source.
///
/// # Errors
/// Returns every problem of every file at once, each with file, line, column, JSON path and fix.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Assembly, Error> {
    crate::assembly::load(path.as_ref(), &crate::io::FsLoader, options)
}

/// Checks every pair of an assembly's instances, on the ambient rayon pool.
///
/// [`check::check()`] reads meshes from another source and reports its progress.
///
/// # Errors
/// Returns the problems found by [`check::check()`], in place of any verdict.
pub fn check(assembly: &Assembly, options: &Options) -> Result<Outcome, Error> {
    crate::check::check(assembly, options, &crate::io::FsLoader, &crate::check::NoProgress)
}
