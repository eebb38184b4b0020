//! `interfere schema`, `completions` and `man`: what this program tells of itself.

use crate::cli::args::Args;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::target::Target;
use crate::error::{Error, Location};
use clap::{Args as ClapArgs, Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use std::fs;
use std::path::PathBuf;

/// The flags of `schema`.
#[derive(Debug, ClapArgs)]
pub struct SchemaArgs {
    /// Of which file.
    #[arg(value_enum, value_name = "FORMAT")]
    pub of: SchemaChoice,
}

/// A format that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaChoice {
    /// The assembly file
    Assembly,
    /// What `check --format json` writes
    Report,
    /// What `check --shard` writes
    Partial,
    /// The baseline file
    Baseline,
    /// What `diff --format json` writes
    Diff,
    /// What `explain --format json` writes
    Explain,
    /// What `suggest --format json` writes
    Suggest,
    /// What `inspect --format json` writes
    Inspect,
    /// What `decompose --format json` writes
    Decompose,
}

impl SchemaChoice {
    /// The schema, as it lies in the sources.
    fn text(self) -> &'static str {
        match self {
            Self::Assembly => include_str!("../../docs/schema/assembly.json"),
            Self::Report => include_str!("../../docs/schema/report.json"),
            Self::Partial => include_str!("../../docs/schema/partial.json"),
            Self::Baseline => include_str!("../../docs/schema/baseline.json"),
            Self::Diff => include_str!("../../docs/schema/diff.json"),
            Self::Explain => include_str!("../../docs/schema/explain.json"),
            Self::Suggest => include_str!("../../docs/schema/suggest.json"),
            Self::Inspect => include_str!("../../docs/schema/inspect.json"),
            Self::Decompose => include_str!("../../docs/schema/decompose.json"),
        }
    }
}

/// The flags of `completions`.
#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// For which shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The flags of `man`.
#[derive(Debug, ClapArgs)]
pub struct ManArgs {
    /// Write a page for the program and one for each command to this folder instead of the program's to stdout; pages that are
    /// there are replaced.
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Prints a JSON Schema.
///
/// # Errors
/// Where it cannot be written.
pub fn schema(args: &SchemaArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    print(args.of.text().as_bytes(), console)
}

/// Prints what completes commands and flags in a shell.
///
/// # Errors
/// Where it cannot be written.
pub fn completions(shell: Shell, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "interfere", &mut text);
    print(&text, console)
}

/// Prints the man page of the program, or writes one for it and for each command to a folder.
///
/// # Errors
/// Where they cannot be written.
pub fn man(args: &ManArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let Some(folder) = &args.output else {
        return print(&page(&program).1, console);
    };
    let shown = folder.display().to_string();
    if folder.exists() && !folder.is_dir() {
        return Err(Error::one(Location::file(shown), "the path is a file", "name a folder").into());
    }
    fs::create_dir_all(folder).map_err(|source| Failure::Output { file: shown, source })?;
    let pages = std::iter::once(&program).chain(program.get_subcommands()).map(page);
    for (name, text) in pages {
        let path: PathBuf = folder.join(name);
        Target::File(path).write(console.stdout, |out| out.write_all(&text))?;
    }
    Ok(Exit::Pass)
}

/// The name of a page's file and the page.
fn page(command: &Command) -> (String, Vec<u8>) {
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    // Memory takes all.
    let _ = man.render(&mut text);
    (man.get_filename(), text)
}

fn print(text: &[u8], console: &mut Console<'_>) -> Result<Exit, Failure> {
    Target::Stdout.write(console.stdout, |out| out.write_all(text))?;
    Ok(Exit::Pass)
}
