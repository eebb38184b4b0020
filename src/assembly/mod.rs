//! Floor 3: what is placed where, and what is allowed between.
pub mod model;
pub use model::*;
