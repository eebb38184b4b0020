//! Floor 4: numbers of an overlapping pair that no verdict needs. Pure, as `query`.
//!
//! | question | module |
//! | --- | --- |
//! | By how short a translation are two solids separated, convex or not? | `separation` |
//! | How large is the common solid of two solids (volume, bounding box)? | `intersection` |
//!
//! Both take B's pose in A's frame (`b_in_a`) and answer in A's frame (mm).

pub mod intersection;
pub mod separation;
