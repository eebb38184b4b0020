//! `interfere schema`, `completions` and `man`: what this program tells of itself.

use super::args::{Args, ManArgs, SchemaArgs, SchemaChoice};
use super::console::Console;
use super::exit::{Exit, Failure};
use super::output::Target;
use crate::error::{Error, Location};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::fs;
use std::path::PathBuf;

const ASSEMBLY: &str = include_str!("../../docs/schema/assembly.json");
const REPORT: &str = include_str!("../../docs/schema/report.json");

/// Prints a JSON Schema.
///
/// # Errors
/// Where it cannot be written.
pub fn schema(args: &SchemaArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let text = match args.of {
        SchemaChoice::Assembly => ASSEMBLY,
        SchemaChoice::Report => REPORT,
    };
    print(text.as_bytes(), console)
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
        return Err(Error::one(Location::file(shown), "it is a file", "name a folder").into());
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
