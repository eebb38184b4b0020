//! Floor 7: the command line. Arguments, output files, stdout, stderr, exit code and thread count are dealt with here and
//! nowhere else.

pub mod accept;
pub mod args;
pub mod console;
pub mod decompose;
pub mod diff;
pub mod exit;
mod finish;
pub mod gate;
mod init;
pub mod inspect;
mod merge;
pub mod output;
pub mod outputs;
pub mod progress;
pub mod run;
mod schema;
pub mod settings;
mod shard;
mod suggest;

pub use console::{Console, Terminal};
pub use exit::Exit;
pub use run::run;
