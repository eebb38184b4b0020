//! The built program, run as a user would.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code and streams of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The program with piped streams, and without colour settings in its environment.
pub fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interfere"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS", "RAYON_NUM_THREADS"] {
        command.env_remove(name);
    }
    command
}

/// Runs a command to its end.
pub fn finish(mut command: Command) -> Ran {
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
    Ran {
        code: output.status.code().expect("the program ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs the program.
pub fn interfere<S: AsRef<OsStr>>(arguments: &[S]) -> Ran {
    finish(command(arguments))
}

/// Runs the program in a folder.
pub fn interfere_in(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = command(arguments);
    command.current_dir(folder);
    finish(command)
}
