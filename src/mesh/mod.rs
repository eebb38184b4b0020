//! Floor 1: triangle meshes: reading, repair, health, measures.
//!
//! - `read`: bytes to triangles, [`load()`]
//! - `repair`: merges vertices, welds cracks, orients faces
//! - `load`: the repaired mesh with its [`Health`]
//! - `topology`, `measure`: edges and components; area and volume
//! - `facets`: error of the facets against the intended surface, [`facet_error`], [`Facets`]
//! - `arrangement`: union and intersection of closed meshes

pub(crate) mod arrangement;
pub(crate) mod facets;
pub(crate) mod load;
pub(crate) mod measure;
pub mod read;
pub mod repair;
pub(crate) mod topology;
pub mod tri_mesh;

pub(crate) use crate::mesh::arrangement::{Known, Pieces, intersection, union};
pub use crate::mesh::facets::errors::{FacetErrors, facet_error};
pub(crate) use crate::mesh::facets::errors::{concave_error_over, facet_errors_over};
pub use crate::mesh::facets::{ConcaveFacets, FacetEdge, Facets, LARGEST_ANGLE, LEAST_ANGLE, sagitta};
pub use crate::mesh::load::{Health, LoadedMesh};
pub(crate) use crate::mesh::read::load_streamed;
pub use crate::mesh::read::{MeshError, MeshFormat, MeshWarning, detect, load, load_owned};
pub use crate::mesh::tri_mesh::TriMesh;
