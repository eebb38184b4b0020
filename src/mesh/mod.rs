//! Floor 1: triangle meshes: reading, joining, health, measures.
//!
//! - What is in these bytes? [`load`]
//! - Is it a solid? [`Health`]
//! - How far are its facets from the surface that was meant? [`facet_error`], [`Facets`]

mod facets;
#[cfg(test)]
mod facets_tests;
mod join;
mod join_single;
mod loaded;
mod measure;
mod nesting;
mod orient;
pub mod read;
#[cfg(test)]
pub(crate) mod samples;
mod topology;
pub mod tri_mesh;
mod union;
mod union_find;
mod weld;

pub(crate) use facets::facet_errors_over;
pub use facets::{ConcaveFacets, FacetEdge, FacetErrors, Facets, LARGEST_ANGLE, LEAST_ANGLE, facet_error, sagitta};
pub use loaded::{Health, LoadedMesh};
pub use read::{MeshError, MeshFormat, MeshWarning, load, load_owned, recognise};
pub use tri_mesh::TriMesh;
pub(crate) use union::{Pieces, intersection, union};
pub(crate) use union_find::UnionFind;
