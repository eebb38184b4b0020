//! Floor 4: the check.
pub mod options;
pub mod outcome;
pub use options::*;
pub use outcome::*;
