//! The built program, run as a user would.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code and streams of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    /// Without the line about the time, which differs from run to run.
    pub stderr: String,
    /// The line about the time of a check, if printed.
    pub took: Option<String>,
}

/// The program with piped streams, without colour settings and `CI` in its environment, and without a cache of the
/// user.
pub fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interfere"));
    command.args(arguments).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "COLUMNS", "RAYON_NUM_THREADS", "CI"] {
        command.env_remove(name);
    }
    command.env("INTERFERE_CACHE", "off");
    command
}

/// Runs a command to its end.
pub fn finish(mut command: Command) -> Ran {
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
    let (stderr, took) = without_time(&text(output.stderr));
    Ran { code: output.status.code().expect("the program ends by itself"), stdout: text(output.stdout), stderr, took }
}

/// Splits the last line off if it is the one about the time: `checked 3 pairs in 0.12 s`.
pub fn without_time(stderr: &str) -> (String, Option<String>) {
    let (before, last) = match stderr.trim_end_matches('\n').rsplit_once('\n') {
        Some((before, last)) => (format!("{before}\n"), last),
        None => (String::new(), stderr.trim_end_matches('\n')),
    };
    let is_time = last.starts_with("checked ") && last.contains(" in ") && last.ends_with(" s");
    if is_time { (before, Some(last.to_owned())) } else { (stderr.to_owned(), None) }
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
