//! Parts of a run made ready: meshes read, shapes built, pieces found.
pub(crate) mod convexity;
pub(crate) mod decompose;
pub(crate) mod load;
pub(crate) mod placement_cache;
pub(crate) mod shape;
pub(crate) mod shapes;
pub(crate) mod solid;
