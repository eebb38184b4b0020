//! Prints messages on the two streams of a run, and decides on colour.

use crate::cli::flags::ColorChoice;
use crate::error::{Error, Warning};
use crate::report::text::{Paint, painted, shown};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// Largest number of printed errors or warnings; a last line counts the rest.
pub const MAX_MESSAGES: usize = 20;

/// Properties of stdout and stderr, known before the arguments are parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminal {
    /// True if stdout is a terminal.
    pub stdout: bool,
    /// True if stderr is a terminal.
    pub stderr: bool,
    /// Colour choice of the environment, if any: `NO_COLOR`, `CLICOLOR_FORCE`, `TERM`.
    pub colour: Option<bool>,
    /// Width of stdout (columns), by `COLUMNS`, else by the terminal; `None` without either.
    pub columns: Option<usize>,
}

impl Terminal {
    /// Detects the terminals and the environment of this process.
    pub fn detect() -> Self {
        Self {
            stdout: std::io::stdout().is_terminal(),
            stderr: std::io::stderr().is_terminal(),
            colour: colour_of_environment(
                std::env::var_os("NO_COLOR").as_deref(),
                std::env::var_os("CLICOLOR_FORCE").as_deref(),
                std::env::var_os("TERM").as_deref(),
            ),
            columns: columns_of_environment(std::env::var_os("COLUMNS").as_deref()).or_else(columns_of_stdout),
        }
    }

    /// Returns true if text on a stream is coloured.
    pub fn paints(&self, choice: ColorChoice, stream_is_terminal: bool) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => self.colour.unwrap_or(stream_is_terminal),
        }
    }
}

/// Colour choice of the environment. A non-empty `NO_COLOR` forbids colour (no-color.org). Else a non-empty
/// `CLICOLOR_FORCE` other than 0 forces it (bixense.com/clicolors). Else `TERM=dumb` forbids it.
fn colour_of_environment(no: Option<&OsStr>, force: Option<&OsStr>, term: Option<&OsStr>) -> Option<bool> {
    if no.is_some_and(|v| !v.is_empty()) {
        Some(false)
    } else if force.is_some_and(|v| !v.is_empty() && v != "0") {
        Some(true)
    } else if term.is_some_and(|v| v == "dumb") {
        Some(false)
    } else {
        None
    }
}

/// Width in `COLUMNS`; `None` for a text that is no width.
fn columns_of_environment(columns: Option<&OsStr>) -> Option<usize> {
    columns?.to_str()?.parse().ok().filter(|n| *n > 0)
}

/// Width of the terminal on stdout.
fn columns_of_stdout() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0)).filter(|n| *n > 0)
}

/// Output streams of a run.
pub struct Console<'a> {
    /// Reports, help and version.
    pub stdout: &'a mut dyn Write,
    /// Errors and warnings.
    pub stderr: &'a mut dyn Write,
    /// Properties of both streams.
    pub terminal: Terminal,
}

impl Console<'_> {
    /// Prints the problems of an error, a line each.
    pub fn errors(&mut self, error: &Error, colour: bool) {
        self.messages("error", Paint::Bad, &error.problems, colour);
    }

    /// Prints warnings, a line each.
    pub fn warnings(&mut self, warnings: &[Warning], colour: bool) {
        self.messages("warning", Paint::Warn, warnings, colour);
    }

    /// Prints warnings as errors (`--strict`), a line each.
    pub fn strict(&mut self, warnings: &[Warning], colour: bool) {
        self.messages("error", Paint::Bad, warnings, colour);
    }

    /// Prints one error of the environment, such as a failed write.
    pub fn error(&mut self, message: impl Display, colour: bool) {
        self.messages("error", Paint::Bad, &[message], colour);
    }

    /// Prints a note.
    pub fn note(&mut self, message: impl Display, colour: bool) {
        self.messages("note", Paint::Bold, &[message], colour);
    }

    fn messages(&mut self, word: &str, paint: Paint, messages: &[impl Display], colour: bool) {
        let prefix = painted(&format!("{word}:"), paint, colour);
        let lines = messages.iter().take(MAX_MESSAGES).map(|m| shown(&m.to_string()).into_owned());
        let rest = match messages.len().saturating_sub(MAX_MESSAGES) {
            0 => None,
            1 => Some(format!("and 1 more {word}")),
            n => Some(format!("and {n} more {word}s")),
        };
        let text: Vec<_> = lines.chain(rest).map(|line| [&prefix, " ", &line, "\n"].concat()).collect();
        self.on_stderr(&text.concat());
    }

    /// Prints text as it is and ignores a closed stderr.
    pub fn on_stderr(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Location, Problem, WarningCode};

    fn printed(print: impl FnOnce(&mut Console<'_>)) -> String {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        print(&mut Console { stdout: &mut stdout, stderr: &mut stderr, terminal: Terminal::default() });
        assert!(stdout.is_empty());
        String::from_utf8(stderr).unwrap()
    }

    fn problems(n: usize) -> Error {
        let problem = |k| {
            let at = Location { line: Some(k), column: Some(5), ..Location::file("a.json") };
            Problem::new(at, format!("unknown key \"k{k}\""), "did you mean \"id\"?")
        };
        Error { problems: (1..=n as u32).map(problem).collect() }
    }

    #[test]
    fn twenty_errors_and_a_count_of_the_rest() {
        let text = printed(|c| c.errors(&problems(33), false));
        assert_eq!(text.lines().count(), 21);
        assert!(text.starts_with("error: a.json:1:5: unknown key \"k1\"; did you mean \"id\"?\n"), "{text}");
        assert!(text.ends_with("k20\"; did you mean \"id\"?\nerror: and 13 more errors\n"), "{text}");
        assert!(printed(|c| c.errors(&problems(21), false)).ends_with("error: and 1 more error\n"));
        assert_eq!(printed(|c| c.errors(&problems(20), false)).lines().count(), 20);
    }

    #[test]
    fn message_is_one_line_for_any_name() {
        let warning =
            Warning { part: Some("\u{1b}[2Ja\nb".to_owned()), ..Warning::new(WarningCode::OpenMesh, "3 open edges") };
        assert_eq!(
            printed(|c| c.warnings(&[warning], false)),
            "warning: part \\u{1b}[2Ja\\nb: 3 open edges [open-mesh]\n"
        );
        assert_eq!(printed(|c| c.warnings(&[], false)), "");
    }

    #[test]
    fn colour_and_width_follow_flag_then_environment_then_terminal() {
        let set = |v: &'static str| Some(OsStr::new(v));
        for (no, force, term, expected) in [
            (None, None, None, None),
            (set(""), None, set("xterm"), None),
            (set("1"), set("1"), None, Some(false)),
            (None, set("1"), set("dumb"), Some(true)),
            (None, set("0"), None, None),
            (None, None, set("dumb"), Some(false)),
        ] {
            assert_eq!(colour_of_environment(no, force, term), expected, "{no:?} {force:?} {term:?}");
        }
        for (text, expected) in [("132", Some(132)), ("0", None), ("wide", None), ("", None)] {
            assert_eq!(columns_of_environment(set(text)), expected, "{text}");
        }
        assert_eq!(columns_of_environment(None), None);
        let by_environment = |colour| Terminal { colour, ..Terminal::default() };
        assert!(by_environment(Some(false)).paints(ColorChoice::Always, false));
        assert!(!by_environment(Some(true)).paints(ColorChoice::Never, true));
        assert!(by_environment(Some(true)).paints(ColorChoice::Auto, false));
        assert!(by_environment(None).paints(ColorChoice::Auto, true));
        assert!(!by_environment(None).paints(ColorChoice::Auto, false));
    }
}
