//! The `interfere` command.

use interfere::internals::cli::{self, Console, Terminal};
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut console = Console { stdout: &mut io::stdout(), stderr: &mut io::stderr(), terminal: Terminal::detect() };
    cli::run(std::env::args_os(), &mut console).into()
}
