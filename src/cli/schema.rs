//! Prints JSON Schemas, shell completions and man pages.

use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::REPORT;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use clap::{Args as ClapArgs, Command, ValueEnum};
use clap_complete::Shell;
use std::fs;
use std::io;
use std::path::PathBuf;

/// The flags of `schema`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  interfere schema assembly > assembly.schema.json")]
pub struct SchemaArgs {
    /// assembly, report, baseline, diff, explain, page, ...; --help lists all.
    ///
    /// assembly, report, reports, partial, proof, baseline, diff, explain, never, range, suggest, inspect, decompose,
    /// page: the assembly file, the baseline, or the JSON output of a command. `report` is that of `check`, `reports`
    /// that of `check` for several assemblies, `partial` that of `check --shard`, `proof` that of `check --proof`,
    /// `page` the data inside the page.
    #[arg(value_enum, value_name = "FORMAT", hide_possible_values = true)]
    pub of: SchemaChoice,
}

/// File format with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaChoice {
    /// The assembly file
    Assembly,
    /// The report of `check --format json`
    Report,
    /// The partial report of `check --shard`
    Partial,
    /// The proofs of `check --proof`
    Proof,
    /// The baseline file
    Baseline,
    /// The report of `check --format json` for several assemblies
    Reports,
    /// The comparison of `diff --format json`
    Diff,
    /// The explanation of `explain --format json`
    Explain,
    /// The pairs of `never --format json`
    Never,
    /// The ranges of `range --format json`
    Range,
    /// The proposals of `suggest --format json`
    Suggest,
    /// The report of `inspect --format json`
    Inspect,
    /// The report of `decompose --format json`
    Decompose,
    /// The data in the page of `check --format html`
    Page,
}

impl SchemaChoice {
    /// Text of the schema, from docs/schema.
    fn text(self) -> &'static str {
        match self {
            Self::Assembly => include_str!("../../docs/schema/assembly.json"),
            Self::Report => include_str!("../../docs/schema/report.json"),
            Self::Partial => include_str!("../../docs/schema/partial.json"),
            Self::Proof => include_str!("../../docs/schema/proof.json"),
            Self::Baseline => include_str!("../../docs/schema/baseline.json"),
            Self::Reports => include_str!("../../docs/schema/reports.json"),
            Self::Diff => include_str!("../../docs/schema/diff.json"),
            Self::Explain => include_str!("../../docs/schema/explain.json"),
            Self::Never => include_str!("../../docs/schema/never.json"),
            Self::Range => include_str!("../../docs/schema/range.json"),
            Self::Suggest => include_str!("../../docs/schema/suggest.json"),
            Self::Inspect => include_str!("../../docs/schema/inspect.json"),
            Self::Decompose => include_str!("../../docs/schema/decompose.json"),
            Self::Page => include_str!("../../docs/schema/page.json"),
        }
    }
}

/// The flags of `completions`.
#[derive(Debug, ClapArgs)]
#[command(
    after_long_help = "Examples:\n  interfere completions bash > ~/.local/share/bash-completion/completions/interfere"
)]
pub struct CompletionsArgs {
    /// Shell of the completion script.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The flags of `man`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  interfere man --output ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write all pages to this folder [default: print the program's page].
    ///
    /// Writes the pages of the program and of each command; replaces existing pages.
    #[arg(long, short, value_name = "DIR", help_heading = REPORT)]
    pub output: Option<PathBuf>,
}

/// Prints a JSON Schema.
///
/// # Errors
/// Returns the error of a failed write.
pub fn schema(args: &SchemaArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    print(args.of.text().as_bytes(), console)
}

/// Prints the completion script of a shell.
///
/// # Errors
/// Returns the error of a failed write.
pub fn completions(shell: Shell, mut program: Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program, "interfere", &mut text);
    print(&text, console)
}

/// Prints the man page of the program, or writes one for it and for each command to a folder.
///
/// # Errors
/// Refuses a file in place of the folder; returns the error of a failed write.
pub fn man(args: &ManArgs, program: Command, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let mut program = program.disable_help_subcommand(true);
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

/// File name and text of a command's man page.
fn page(command: &Command) -> (String, Vec<u8>) {
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = sections(&man, command, &mut text);
    (man.get_filename(), text)
}

fn sections(man: &clap_mangen::Man, command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(out)?;
    man.render_name_section(out)?;
    // Shows the values of the arguments, as the help does.
    let usage = command.clone().render_usage().to_string();
    section("SYNOPSIS", &[usage.trim_start_matches("Usage: ")], out);
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let end = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    for (heading, lines) in blocks(&end) {
        section(heading, &lines, out);
    }
    if command.get_version().is_some() {
        man.render_version_section(out)?;
    }
    Ok(())
}

/// Blocks of a help's end, each with its heading in man pages.
fn blocks(end: &str) -> Vec<(&'static str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in end.lines() {
        match (line, blocks.last_mut()) {
            ("Exit codes:", _) => blocks.push(("EXIT STATUS", Vec::new())),
            ("Examples:", _) => blocks.push(("EXAMPLES", Vec::new())),
            (line, Some((_, lines))) if !line.is_empty() => lines.push(line),
            _ => {}
        }
    }
    blocks
}

/// Writes a section whose lines keep their layout.
fn section(heading: &str, lines: &[&str], out: &mut Vec<u8>) {
    let escaped = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
    out.extend_from_slice(format!(".SH \"{heading}\"\n.nf\n{}\n.fi\n", lines.join("\n")).as_bytes());
}

fn print(text: &[u8], console: &mut Console<'_>) -> Result<Exit, Failure> {
    Target::Stdout.write(console.stdout, |out| out.write_all(text))?;
    Ok(Exit::Pass)
}
