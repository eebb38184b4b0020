//! Floor 7: the command line. Arguments, output files, stdout, stderr, exit code and thread count are dealt with here and
//! nowhere else.

pub mod args;
pub mod console;
pub mod decompose;
pub mod exit;
mod finish;
mod init;
pub mod inspect;
mod merge;
pub mod output;
pub mod progress;
pub mod run;
mod schema;
pub mod settings;
mod shard;
mod suggest;

pub use console::{Console, Terminal};
pub use exit::Exit;
pub use run::run;
