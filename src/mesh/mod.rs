//! Floor 1: triangle meshes: reading, joining, health, measures.
//!
//! - What is in these bytes? [`load`]
//! - Is it a solid? [`Health`]
//! - How far are its facets from the surface that was meant? [`facet_error`], [`Facets`]

pub(crate) mod arrangement;
pub(crate) mod facets;
pub(crate) mod load;
pub(crate) mod measure;
pub mod read;
pub mod repair;
pub(crate) mod topology;
pub mod tri_mesh;

pub(crate) use crate::mesh::arrangement::{Pieces, intersection, union};
pub(crate) use crate::mesh::facets::facet_errors_over;
pub use crate::mesh::facets::{
    ConcaveFacets, FacetEdge, FacetErrors, Facets, LARGEST_ANGLE, LEAST_ANGLE, facet_error, sagitta,
};
pub use crate::mesh::load::{Health, LoadedMesh};
pub use crate::mesh::read::{MeshError, MeshFormat, MeshWarning, detect, load, load_owned};
pub use crate::mesh::tri_mesh::TriMesh;
