//! Helpers of the unit tests.
//!
//! - `solids`: small meshes with known measures, and random numbers
//! - `sample_outcome`: fixed outcomes for the tests of formats
pub(crate) mod sample_outcome;
pub(crate) mod solids;
