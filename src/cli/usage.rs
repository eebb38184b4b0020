//! Improves the messages about unknown commands and flags.

use crate::cli::exit::Failure;
use crate::cli::init::MESH_ENDINGS;
use crate::error::{Error, Location};
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// Flags of other programs, with the flag here.
const OTHER_NAMES: [(&str, &str); 13] = [
    ("--json", "--format json"),
    ("--sarif", "--format sarif"),
    ("--junit", "--format junit"),
    ("--csv", "--format csv"),
    ("--markdown", "--format markdown"),
    ("--output-format", "--format"),
    ("-f", "--format"),
    ("--jobs", "--threads"),
    ("-t", "--threads"),
    ("--out", "--output"),
    ("--silent", "--quiet"),
    ("-s", "--quiet"),
    ("--colour", "--color"),
];

/// Replaces advice that misleads: a path in place of a command, and a flag with another name here.
pub(crate) fn advised(mut error: clap::Error, arguments: &[OsString]) -> Failure {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
                && let Some(command) = command_for(word, arguments)
            {
                let what = format!("`{word}` is not a command");
                return Error::one(Location::default(), what, format!("did you mean `{command}`?")).into();
            }
        }
        ErrorKind::UnknownArgument => {
            let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error.into() };
            let flag = flag.split(['=', ' ']).next().unwrap_or_default().to_owned();
            if flag.starts_with('-') {
                // A file may begin with a dash; nearly every unknown flag is a slip.
                error.remove(ContextKind::Suggested);
            }
            if let Some((_, here)) = OTHER_NAMES.iter().find(|(other, _)| *other == flag) {
                error.remove(ContextKind::SuggestedArg);
                let tip = StyledStr::from(format!("did you mean `{here}`?"));
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
        }
        _ => {}
    }
    error.into()
}

/// Command line for a path in place of a command; `None` for another word.
fn command_for(word: &str, arguments: &[OsString]) -> Option<String> {
    let path = Path::new(word);
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let rest = || {
        let words = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    };
    if MESH_ENDINGS.contains(&ending.as_str()) {
        Some(format!("interfere inspect {}", rest()))
    } else if path.is_dir() && !path.join("assembly.json").exists() {
        Some(format!("interfere init {word}"))
    } else if ending == "json" || path.exists() || word.contains(['/', '*']) {
        Some(format!("interfere check {}", rest()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;
    use clap::Parser;

    fn message(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        match advised(Args::try_parse_from(&arguments).expect_err(line), &arguments) {
            Failure::Input(error) => error.to_string(),
            Failure::Arguments(error) => error.to_string(),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_path_in_place_of_a_command_gets_its_command() {
        for (line, says) in [
            ("interfere x/assembly.json --strict", "did you mean `interfere check x/assembly.json --strict`?"),
            ("interfere designs/*", "did you mean `interfere check designs/*`?"),
            ("interfere bolt.STL", "did you mean `interfere inspect bolt.STL`?"),
            ("interfere src", "did you mean `interfere init src`?"),
            ("interfere chek a.json", "'check'"),
        ] {
            assert!(message(line).contains(says), "{}", message(line));
        }
    }

    #[test]
    fn a_flag_of_another_program_gets_the_flag_here() {
        for (flag, says) in [
            ("--json", "tip: did you mean `--format json`?"),
            ("-f", "tip: did you mean `--format`?"),
            ("--jobs=4", "tip: did you mean `--threads`?"),
            ("--formt", "tip: a similar argument exists: '--format'"),
        ] {
            let text = message(&format!("interfere check a.json {flag}"));
            assert!(text.contains(says) && !text.contains("as a value"), "{text}");
        }
        assert!(!message("interfere check a.json --zzz").contains("tip:"));
    }
}
