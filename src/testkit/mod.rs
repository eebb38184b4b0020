//! Helpers of tests: random numbers, small solids, a sample outcome.
pub(crate) mod sample_outcome;
pub(crate) mod solids;
