//! Floor 5: what a gate makes of an outcome. Pure: values in, values out; no clock, no files, no environment.

pub mod baseline;
pub mod diff;
mod extent;
mod gone;
pub mod report_file;
pub mod view;

pub use baseline::Baseline;
pub use diff::{Change, Diff, diff};
pub use extent::Extent;
pub use report_file::Report;
