//! Prepares the parts of an assembly: from meshes to placed shapes.
//!
//! - `load`: reads each mesh once
//! - `shape`: one shape, a part with a stretch baked in
//! - `shapes`: all shapes of an assembly and the poses of its instances
//! - `part_hull`: hull of a shape, built at once or on first use
//! - `convexity`: detects convex meshes
//! - `decompose`: covers a part with convex pieces
//! - `solid`: triangles of a shape, prepared for exact queries
//! - `placement_cache`: splits placements into pose and stretch
pub(crate) mod convexity;
pub(crate) mod decompose;
pub(crate) mod load;
pub(crate) mod part_hull;
pub(crate) mod placement_cache;
pub(crate) mod shape;
pub(crate) mod shapes;
pub(crate) mod solid;
