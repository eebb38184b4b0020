//! Reads robots: URDF (ROS, "urdf/XML"), the poses and disabled pairs of its SRDF, the meshes of its links. Lengths are
//! metres, angles radians.
//!
//! - `links`: links and joints
//! - `semantics`: disabled pairs and poses of an SRDF
//!
//! The reader is our own (docs/decisions/0023-import.md).

pub(crate) mod links;
pub(crate) mod semantics;
#[cfg(test)]
mod states_tests;
#[cfg(test)]
pub(crate) mod tests;

use crate::error::Error;
use crate::import::collect::Collector;
use crate::import::references::References;
use crate::import::robot::build;
use crate::import::urdf::semantics::Semantics;
use crate::import::{FileFacts, ImportOptions};

/// Reads a robot, its SRDF and its meshes.
///
/// # Errors
/// Refuses xacro, a robot without exactly one root, a cycle, unknown names of joints and poses, missing meshes.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &mut References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let (robot, left_out) = links::parse(bytes, file)?;
    for (what, place) in &left_out {
        collector.leave_out(what, 1, place);
    }
    let semantics = Semantics::find(&robot, references, options, collector)?;
    let apart = semantics.pairs(&robot);
    let built = build(&robot, &semantics.poses, &apart, file, references, options, collector)?;
    Ok(FileFacts { sources: semantics.shown.into_iter().collect(), ..built.facts })
}
