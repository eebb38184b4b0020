//! Helpers of the unit tests, the integration suite and the benchmarks. The program calls none of them.
//!
//! - `rng`: the one generator of random numbers, points and rotations
//! - `solids`: small meshes with known measures
//! - `poses`: fixed rotations and translations
//! - `sample_outcome`: fixed outcomes for the tests of formats
pub mod poses;
pub mod rng;
#[cfg(test)]
pub(crate) mod sample_outcome;
pub mod solids;
