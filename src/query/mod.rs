//! Floor 3: what two placed shapes are to each other. The questions, in the order in which they are asked:
//!
//! - can these two boxes be apart, and by how much at least? [`sat::obb_obb`]
//! - how far are these two hulls apart? [`gjk::separation`], a certified interval
//! - how thick is what two hulls have in common? [`thickness::overlap`], a linear programme, a certified interval
//! - by what shortest translation do they come apart? [`epa::penetration`], a certified interval
//!
//! - by what translation do two solids come apart that are not convex? [`separate()`](separate::separate), verified, not always the shortest
//!
//! Of triangles, not hulls: [`surface::Surface`] answers what is near a point, [`mesh_mesh`] how far two surfaces are apart
//! and which triangles meet, [`winding`](mod@winding) what is inside, [`facet_allowance`] how much of an overlap facets explain; all
//! by exact predicates.
//!
//! Of convex pieces that cover a solid: [`decompose`](mod@decompose) makes them, [`decompose_check`] checks that they do,
//! [`decompose_union`] tells the volume of their union, [`pieces`] asks them.
//!
//! Every answer is an interval that holds the truth whether or not the iteration converged; a stalled iteration shows as
//! a wide interval and never as a verdict. Queries take B's pose in A's frame (`b_in_a`) and answer in A's frame.

pub mod convex;
pub mod depth;
pub mod facet_allowance;
#[cfg(test)]
mod facet_allowance_tests;
pub mod intersection;
pub(crate) mod pieces;
#[cfg(test)]
mod pieces_tests;
pub mod separation;
pub mod triangles;
