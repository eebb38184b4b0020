//! Floor 2: one part made ready for queries: hull, polytope, surface, self-union, convex pieces.
pub mod decompose;
pub mod hull;
pub mod polytope;
pub mod self_union;
pub mod surface;
