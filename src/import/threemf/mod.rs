//! Reads 3MF (3MF Consortium, "3MF Core Specification" 1.3, "Production Extension" 1.1): the items of the build,
//! their components, the meshes of their objects.
//!
//! - `package`: entries of the archive, with limits against archive bombs
//! - `model`: one model file: objects, components, items
//! - `build`: places the items
//!
//! The reader is our own (docs/decisions/0023-import.md).

pub(crate) mod build;
pub(crate) mod model;
pub(crate) mod package;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::threemf::build::Build;
use crate::import::threemf::package::Package;
use crate::import::{FileFacts, ImportOptions};

/// Reads a file.
///
/// # Errors
/// Refuses a damaged or hostile archive, extensions that change geometry, missing objects, cycles.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let mut package = Package::open(bytes, file)?;
    let root = package.root_model()?;
    let mut build = Build::new(&mut package, file, options.units);
    let facts = build.place(&root, collector)?;
    Ok(facts)
}
