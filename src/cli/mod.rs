//! Floor 8: the command line. Arguments, output files, stdout, stderr, exit code and thread count are dealt with here
//! and nowhere else.

pub mod accept;
pub mod args;
#[cfg(test)]
mod args_tests;
pub(crate) mod assembly_files;
#[cfg(test)]
mod assembly_files_tests;
pub mod baseline_flags;
pub(crate) mod cache_flag;
pub(crate) mod cad_files;
pub mod check;
pub mod check_args;
pub mod console;
pub mod decompose;
pub mod diff;
pub(crate) mod drawing;
pub(crate) mod drawing_flags;
pub mod exit;
pub(crate) mod explain;
pub(crate) mod finish;
pub(crate) mod flags;
pub mod import;
pub(crate) mod import_folder;
pub(crate) mod importer;
pub(crate) mod importer_folder;
pub(crate) mod init;
pub(crate) mod init_above;
pub(crate) mod input_files;
pub mod inspect;
pub(crate) mod merge;
pub(crate) mod models;
pub(crate) mod never;
pub(crate) mod open_page;
pub(crate) mod pair_handle;
pub(crate) mod pair_watch;
pub(crate) mod picture_folder;
pub(crate) mod picture_prefix;
pub mod progress;
pub(crate) mod range;
pub(crate) mod render;
pub(crate) mod render_source;
pub mod report_flags;
pub(crate) mod rule;
pub(crate) mod run;
#[cfg(test)]
mod run_tests;
pub(crate) mod schema;
pub mod settings;
#[cfg(test)]
mod settings_tests;
pub(crate) mod several;
pub(crate) mod shard;
mod spared;
pub(crate) mod suggest;
pub mod target;
pub(crate) mod threads;
pub(crate) mod took;
pub(crate) mod usage;
pub(crate) mod work;

pub use crate::cli::console::{Console, Terminal};
pub use crate::cli::exit::Exit;
pub use crate::cli::run::run;
