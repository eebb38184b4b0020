//! Writes models of the findings for other programs: the scene as GLB, the common solids as STL.
//!
//! - `glb`: the document: root, instances, findings; the container
//! - `geometry`: vertices and indices in the binary buffer
//! - `materials`: colours of the parts and of the overlap
//! - `arrow`: mesh and placement of the arrow of a proposed move
//! - `stl`: common solids as one binary STL file

pub(crate) mod arrow;
pub(crate) mod geometry;
pub(crate) mod glb;
pub(crate) mod materials;
pub(crate) mod stl;

use crate::findings::Judged;
use crate::geom::Vec3;
use crate::scene::{Overlaps, Scene, SceneFinding, Selection};

pub use crate::model::glb::{TooLarge, glb};
pub use crate::model::stl::stl;

/// Contents of a model.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    /// The placed shapes.
    pub scene: &'a Scene,
    /// The run.
    pub judged: &'a Judged,
    /// Findings, worst first.
    pub findings: &'a [SceneFinding],
    /// Overlaps of the findings.
    pub overlaps: &'a Overlaps,
    /// Upward direction of the assembly: a unit vector along an axis.
    pub up: Vec3,
    /// Instances in the model.
    pub selection: Selection,
}
