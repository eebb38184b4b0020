//! Upper bound of the overlap depth: both surfaces move inward; disjoint inset surfaces bound the depth.
pub(crate) mod certificate;
mod convex_split;
pub(crate) mod coplanar_extent;
pub(crate) mod edge_cut;
mod found_offsets;
pub(crate) mod inset_box;
#[cfg(test)]
mod inset_box_tests;
mod pieces;
pub(crate) mod remaining_boxes;
#[cfg(test)]
mod remaining_boxes_tests;
mod sheets;
pub(crate) mod surface;
#[cfg(test)]
mod surface_tests;
pub(crate) mod vertex_offset;
pub(crate) mod vertex_split;
