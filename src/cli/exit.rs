//! Maps outcomes and failures to the three public exit codes.

use crate::error::Error;
use crate::findings::Judged;
use std::process::ExitCode;

/// Exit of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every pair was decided and none fails. `inspect`: every file is a mesh. A shard: its partial report is written.
    /// Also help and version.
    Pass,
    /// A pair fails the gate; with `--strict`, also a warning.
    Fail,
    /// No verdict. `inspect`: a file is not a mesh.
    NotDecided,
}

impl Exit {
    /// Exit code of the process (0, 1 or 2).
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::NotDecided => 2,
        }
    }

    /// Exit of a check, by its verdict.
    pub fn of_judged(judged: &Judged) -> Self {
        if judged.fails() { Self::Fail } else { Self::Pass }
    }

    /// Exit of a failed run. The match lists every failure, so that a new one needs a code to compile.
    pub fn of_failure(failure: &Failure) -> Self {
        match failure {
            Failure::Arguments(error) if !error.use_stderr() => Self::Pass,
            Failure::Arguments(_) | Failure::Input(_) | Failure::Threads(_) | Failure::Output { .. } => {
                Self::NotDecided
            }
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Failure that ends a run.
#[derive(Debug)]
pub enum Failure {
    /// Invalid arguments, or a request for help or version.
    Arguments(clap::Error),
    /// Unreadable or invalid input.
    Input(Error),
    /// The operating system refused the threads.
    Threads(String),
    /// Failed write of an output.
    Output {
        /// The file, or `stdout`.
        file: String,
        /// The error of the system.
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
    fn every_failure_except_help_and_version_is_undecided() {
        let clap = |line: &str| Failure::Arguments(Args::try_parse_from(line.split(' ')).expect_err(line));
        for (failure, exit) in [
            (clap("interfere --help"), Exit::Pass),
            (clap("interfere check --help"), Exit::Pass),
            (clap("interfere --version"), Exit::Pass),
            (clap("interfere"), Exit::NotDecided),
            (clap("interfere check a.json --frob"), Exit::NotDecided),
            (Failure::Input(Error::one(Location::default(), "no pair to check", "")), Exit::NotDecided),
            (Failure::Threads(String::new()), Exit::NotDecided),
            (Failure::Output { file: "stdout".to_owned(), source: std::io::ErrorKind::Other.into() }, Exit::NotDecided),
        ] {
            assert_eq!(Exit::of_failure(&failure), exit, "{failure:?}");
        }
    }
}
