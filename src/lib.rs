//! interfere
pub mod assembly;
pub mod broad;
pub mod check;
pub mod cli;
pub mod error;
pub mod geom;
pub mod hull;
pub mod load;
pub mod mesh;
pub mod narrow;
#[doc(hidden)]
pub mod replay;
pub mod report;
