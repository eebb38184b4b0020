//! Floor 7: the command line. Arguments, output files, stdout, stderr, exit code and thread count are dealt with here and
//! nowhere else.

pub mod accept;
pub mod args;
#[cfg(test)]
mod args_tests;
pub mod baseline_flags;
pub mod check;
#[cfg(test)]
mod check_tests;
pub mod console;
pub mod decompose;
pub mod diff;
pub mod exit;
pub(crate) mod finish;
pub(crate) mod init;
pub mod inspect;
pub(crate) mod merge;
pub mod progress;
pub mod report_flags;
pub(crate) mod schema;
pub mod settings;
pub(crate) mod shard;
pub(crate) mod suggest;
pub mod target;

pub use crate::cli::check::run;
pub use crate::cli::console::{Console, Terminal};
pub use crate::cli::exit::Exit;
