//! The flags as typed. What they mean together is settled in [`super::settings`].

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

/// The design-rule check for mechanical assemblies: finds the parts that share space, says how deep and how close.
#[derive(Debug, Parser)]
#[command(name = "interfere", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Say nothing on stderr but errors: no progress, no warnings.
    #[arg(long, global = true, display_order = 900)]
    pub quiet: bool,

    /// When to use colour; `auto` heeds the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        display_order = 901
    )]
    #[arg(help = "When to use colour: auto, always or never; auto heeds the terminal, NO_COLOR and CLICOLOR_FORCE")]
    pub color: ColorChoice,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  every pair was decided and none fails
  1  a pair fails: interference, clearance or undecided, and not accepted in a baseline
  2  nothing was decided: usage, unreadable or invalid input, no pair to check, output not written";

pub(crate) const EXIT_CODES_OF_WRITERS: &str = "\
Exit codes:
  0  it is written
  2  nothing is written: usage, unreadable or invalid input, output not written";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check every pair of parts of an assembly; the exit code is the verdict.
    Check(CheckArgs),
    /// Accept the findings there are: from now on they fail only when they get worse.
    Accept(AcceptArgs),
    /// Say what changed from one JSON report to another.
    Diff(DiffArgs),
    /// Join the partial reports of all shards of a run into its report; the exit code is the verdict.
    Merge(MergeArgs),
    /// Say how one pair came to its verdict: each stage, what it found, and which limit decided.
    Explain(ExplainArgs),
    /// Say what is in mesh files: size, volume, hull and defects.
    Inspect(InspectArgs),
    /// Cover a mesh by convex pieces and write them.
    Decompose(DecomposeArgs),
    /// Write an assembly file for a folder of meshes.
    Init(InitArgs),
    /// Propose rules for the overlaps that look as if they were meant.
    Suggest(SuggestArgs),
    /// Print the JSON Schema of a file format.
    Schema(SchemaArgs),
    /// Print what completes commands and flags in a shell.
    Completions(CompletionsArgs),
    /// Print the man page, or write one for each command.
    Man(ManArgs),
}
