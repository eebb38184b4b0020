//! Floor 3: gap and overlap depth of two placed shapes, everything that a verdict needs. Pure: no rules, no budgets of
//! a run.
//!
//! | question | module |
//! | --- | --- |
//! | Can two boxes be apart? What are the gap and the penetration depth of two hulls? | `convex` |
//! | How far are two surfaces apart? Do their triangles intersect? | `triangles` |
//! | How far are two solids apart, or how deep do they overlap, each covered by convex pieces? | `pieces` |
//! | How deep do two solids overlap (diameter of the largest common ball)? | `depth` |
//! | What is the gap over a whole motion? Which poses break a rule? | `sweep` |
//! | How much of an overlap do the facets of curved faces explain? | `facet_allowance` |
//!
//! Every query takes B's pose in A's frame (`b_in_a`) and answers in A's frame. Queries on hulls, pieces and depth
//! return certified intervals: a stalled iteration widens its interval, and the interval still contains the true value.

pub mod convex;
pub mod depth;
pub mod facet_allowance;
#[cfg(test)]
mod facet_allowance_tests;
pub(crate) mod pieces;
#[cfg(test)]
mod pieces_tests;
pub mod sweep;
pub mod triangles;
