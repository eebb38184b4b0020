//! Declares the commands and their flags as typed; [`super::settings`] combines the flags.

use crate::cli::accept::AcceptArgs;
use crate::cli::check::CheckArgs;
use crate::cli::decompose::DecomposeArgs;
use crate::cli::diff::DiffArgs;
use crate::cli::explain::ExplainArgs;
use crate::cli::flags::ColorChoice;
use crate::cli::init::InitArgs;
use crate::cli::inspect::InspectArgs;
use crate::cli::merge::MergeArgs;
use crate::cli::schema::{CompletionsArgs, ManArgs, SchemaArgs};
use crate::cli::suggest::SuggestArgs;
use clap::{Parser, Subcommand};

/// The design-rule check for mechanical assemblies: finds overlapping parts, measures overlaps and gaps.
#[derive(Debug, Parser)]
#[command(name = "interfere", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Args {
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,

    /// Print only errors on stderr: no progress, no warnings.
    #[arg(long, global = true, display_order = 900)]
    pub quiet: bool,

    /// Use of colour; `auto` follows the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        display_order = 901
    )]
    #[arg(help = "Use colour: auto, always or never; auto follows the terminal, NO_COLOR and CLICOLOR_FORCE")]
    pub color: ColorChoice,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  every pair was decided and none fails
  1  a pair fails: interference, too_close or undecided, and not accepted in a baseline
  2  no verdict: usage, unreadable or invalid input, no pair to check, output not written";

/// Command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check every pair of parts of an assembly; the exit code is the verdict.
    Check(CheckArgs),
    /// Record current findings in a baseline; they fail again only if they get worse.
    Accept(AcceptArgs),
    /// Compare two JSON reports.
    Diff(DiffArgs),
    /// Merge the partial reports of all shards of a run into its report; the exit code is the verdict.
    Merge(MergeArgs),
    /// Explain the verdict of one pair: the result of each stage and the deciding limit.
    Explain(ExplainArgs),
    /// Describe mesh files: size, volume, hull and defects.
    Inspect(InspectArgs),
    /// Cover a mesh with convex pieces and write them to files.
    Decompose(DecomposeArgs),
    /// Write an assembly file for a folder of meshes.
    Init(InitArgs),
    /// Propose rules for overlaps that look intended.
    Suggest(SuggestArgs),
    /// Print the JSON Schema of a file format.
    Schema(SchemaArgs),
    /// Print the completion script of a shell.
    Completions(CompletionsArgs),
    /// Print the man page, or write one for each command.
    Man(ManArgs),
}
