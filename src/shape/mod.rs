//! Prepares one part for queries (floor 2).
//!
//! - `hull`: exact convex hull, its facets and oriented box.
//! - `polytope`: the hull prepared for convex queries.
//! - `surface`: the triangles prepared for queries: BVH, nearest point, inside test.
//! - `self_union`: union of the part's overlapping shells.
//! - `decompose`: cover of the part by convex pieces.
pub mod decompose;
pub mod hull;
pub mod polytope;
pub mod self_union;
pub mod surface;
