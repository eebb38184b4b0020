//! The exit codes: public, three, and mapped in one place.

use crate::check::Outcome;
use crate::error::{Error, Warning};
use std::process::ExitCode;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every pair was decided and none fails; for `inspect`: every file is a mesh; for a shard: its partial report is written. Help and
    /// version.
    Pass,
    /// An interference, `too_close` or undecided pair.
    Fail,
    /// Nothing was decided; for `inspect`: a file is no mesh.
    NotDecided,
}

impl Exit {
    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::NotDecided => 2,
        }
    }

    /// The verdict of a check.
    pub fn of_outcome(outcome: &Outcome) -> Self {
        if outcome.fails() { Self::Fail } else { Self::Pass }
    }

    /// The exit of a run that broke off. Without a wildcard: a new failure does not compile before it has a code.
    pub fn of_failure(failure: &Failure) -> Self {
        match failure {
            Failure::Arguments(error) if !error.use_stderr() => Self::Pass,
            Failure::Arguments(_)
            | Failure::Input(_)
            | Failure::Strict(_)
            | Failure::Threads(_)
            | Failure::Output { .. } => Self::NotDecided,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a run broke off.
#[derive(Debug)]
pub enum Failure {
    /// The arguments, or a request for help or version.
    Arguments(clap::Error),
    /// The input.
    Input(Error),
    /// Warnings under `--strict`; at least one.
    Strict(Vec<Warning>),
    /// The operating system gives no threads.
    Threads(String),
    /// What was found could not be written.
    Output {
        /// The file, or `stdout`.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Input(error)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use crate::error::Location;
    use clap::Parser;

    #[test]
    fn three_codes() {
        assert_eq!([Exit::Pass, Exit::Fail, Exit::NotDecided].map(Exit::code), [0, 1, 2]);
    }

    #[test]
    fn every_failure_is_not_decided_but_help_and_version() {
        let clap = |line: &str| Failure::Arguments(Args::try_parse_from(line.split(' ')).expect_err(line));
        for (failure, exit) in [
            (clap("interfere --help"), Exit::Pass),
            (clap("interfere check --help"), Exit::Pass),
            (clap("interfere --version"), Exit::Pass),
            (clap("interfere"), Exit::NotDecided),
            (clap("interfere check"), Exit::NotDecided),
            (clap("interfere check a.json --frob"), Exit::NotDecided),
            (Failure::Input(Error::one(Location::default(), "no pair to check", "")), Exit::NotDecided),
            (Failure::Strict(Vec::new()), Exit::NotDecided),
            (Failure::Threads(String::new()), Exit::NotDecided),
            (Failure::Output { file: "stdout".to_owned(), source: std::io::ErrorKind::Other.into() }, Exit::NotDecided),
        ] {
            assert_eq!(Exit::of_failure(&failure), exit, "{failure:?}");
        }
    }
}
