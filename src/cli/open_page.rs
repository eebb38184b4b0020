//! Shows the page of a run in the system's browser (`check --open`).

use crate::cli::console::Terminal;
use crate::cli::exit::Failure;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// Programs that open a file in the browser, with the arguments before the file.
#[cfg(target_os = "macos")]
const OPENER: (&str, &[&str]) = ("open", &[]);
#[cfg(target_os = "windows")]
const OPENER: (&str, &[&str]) = ("explorer", &[]);
#[cfg(not(any(target_os = "macos", target_os = "windows")))]
const OPENER: (&str, &[&str]) = ("xdg-open", &[]);

/// Refuses a browser where nobody looks: without a terminal, and in CI. `ci` is the value of the variable `CI`.
///
/// # Errors
/// Returns the refusal.
pub(crate) fn refuse_unseen(terminal: Terminal, ci: Option<&OsStr>) -> Result<(), Error> {
    let why = if ci.is_some_and(|v| !v.is_empty()) {
        "the variable CI is set"
    } else if terminal.stdout || terminal.stderr {
        return Ok(());
    } else {
        "the output is no terminal"
    };
    let fix = "write the page to a file: --format html=FILE.html";
    Err(Error::one(Location::default(), format!("--open starts a browser, and {why}"), fix))
}

/// Writes the page to a new temporary folder and opens it. Returns its path, and true if a browser started.
///
/// # Errors
/// Returns the error of a page that cannot be written.
pub(crate) fn open(page: &[u8], name: &str) -> Result<(PathBuf, bool), Failure> {
    let path = write(page, name)?;
    let started = start(OPENER.0, OPENER.1, &path);
    Ok((path, started))
}

/// Writes the page into a folder of its own, which nobody else may enter.
fn write(page: &[u8], name: &str) -> Result<PathBuf, Failure> {
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let folder = std::env::temp_dir().join(format!("interfere-{}-{moment}", std::process::id()));
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).map_err(|source| Failure::Output { file: folder.display().to_string(), source })?;
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().take(80).map(plain).collect();
    let path = folder.join(format!("interfere-{name}.html"));
    Target::File(path.clone()).write(&mut io::sink(), |out| out.write_all(page))?;
    Ok(path)
}

/// Starts a program with the page; true if it started.
fn start(program: &str, arguments: &[&str], page: &Path) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_outside_of_ci_gets_a_browser() {
        let terminal = Terminal { stdout: true, ..Terminal::default() };
        assert!(refuse_unseen(terminal, None).is_ok() && refuse_unseen(terminal, Some(OsStr::new(""))).is_ok());
        let said = |terminal, ci: Option<&str>| refuse_unseen(terminal, ci.map(OsStr::new)).unwrap_err().to_string();
        assert!(said(terminal, Some("true")).contains("the variable CI is set"));
        assert!(said(Terminal::default(), None).contains("no terminal; write the page to a file"));
    }

    #[test]
    fn a_page_has_a_folder_of_its_own_and_a_missing_browser_is_no_error() {
        let path = write(b"<!doctype html>", "a/../b c").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"<!doctype html>");
        assert!(path.ends_with("interfere-a-..-b-c.html"), "{}", path.display());
        assert!(!start("interfere-has-no-such-browser", &[], &path));
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
