//! Declares the commands and their flags as typed; [`super::settings`] combines the flags.

use crate::cli::accept::AcceptArgs;
use crate::cli::check_args::CheckArgs;
use crate::cli::decompose::DecomposeArgs;
use crate::cli::diff::DiffArgs;
use crate::cli::explain::ExplainArgs;
use crate::cli::flags::{ColorChoice, GENERAL};
use crate::cli::import::ImportArgs;
use crate::cli::init::InitArgs;
use crate::cli::inspect::InspectArgs;
use crate::cli::merge::MergeArgs;
use crate::cli::never::NeverArgs;
use crate::cli::range::RangeArgs;
use crate::cli::render::RenderArgs;
use crate::cli::rule::RuleArgs;
use crate::cli::schema::{CompletionsArgs, ManArgs, SchemaArgs};
use crate::cli::suggest::SuggestArgs;
use clap::{ArgAction, Parser, Subcommand};

/// The design-rule check for mechanical assemblies: finds overlapping parts, measures overlaps and gaps.
#[derive(Debug, Parser)]
#[command(name = "interfere", version = VERSION, max_term_width = 100)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = EXIT_CODES_IN_SHORT, after_long_help = END)]
pub struct Args {
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,

    /// Print only errors on stderr: no progress, no warnings, no time.
    #[arg(long, short, global = true, display_order = 900, help_heading = GENERAL)]
    pub quiet: bool,

    /// Colour: auto, always or never [default: auto].
    ///
    /// `auto` follows the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = GENERAL, display_order = 901)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub color: ColorChoice,

    /// Print the flags, a line each; --help explains them.
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = GENERAL, display_order = 902)]
    pub help: Option<bool>,

    /// Print the version and its commit.
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = GENERAL, display_order = 903)]
    pub version: Option<bool>,
}

/// Version of the program, with the commit of a release build.
pub(crate) const VERSION: &str = env!("INTERFERE_VERSION");

/// Exit codes in one line.
pub(crate) const EXIT_CODES_IN_SHORT: &str = "Exit codes: 0 no pair fails, 1 a pair fails, 2 no verdict";

const END: &str = "\
Exit codes:
  0  every pair was decided and none fails
  1  a pair fails: interference, too_close, loose or undecided, and not accepted in a baseline; with --strict also a warning
  2  no verdict: usage, unreadable or invalid input, no pair to check, output not written

Examples:
  interfere init meshes                         write meshes/assembly.json for a folder of meshes
  interfere check meshes                        check every pair of meshes/assembly.json
  interfere explain meshes/assembly.json A B    explain the verdict of one pair
  interfere rule interference                   explain a status or a warning";

/// Command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check every pair of parts of an assembly; the exit code is the verdict.
    Check(CheckArgs),
    /// Record current findings in a baseline; they fail again only if they get worse.
    Accept(AcceptArgs),
    /// Compare two JSON reports.
    Diff(DiffArgs),
    /// Merge the partial reports of all shards of a run into its report.
    ///
    /// The exit code is the verdict.
    Merge(MergeArgs),
    /// Explain the verdict of one pair: the result of each stage and the deciding limit.
    Explain(ExplainArgs),
    /// Measure how far joints can move from the drawing, and what stops them.
    Range(RangeArgs),
    /// Find the pairs that never meet, over all values of all joints.
    Never(NeverArgs),
    /// Draw a pair or all findings: the parts in space, and a section through the overlap.
    Render(RenderArgs),
    /// Describe mesh files: size, volume, hull and defects.
    Inspect(InspectArgs),
    /// Cover a mesh with convex pieces and write them to files.
    Decompose(DecomposeArgs),
    /// Write an assembly folder for a file of CAD or of a robot.
    Import(ImportArgs),
    /// Write an assembly file for a folder of meshes.
    Init(InitArgs),
    /// Propose rules for overlaps that look intended.
    Suggest(SuggestArgs),
    /// Print the page of a status or a warning.
    Rule(RuleArgs),
    /// Print the JSON Schema of a file format.
    Schema(SchemaArgs),
    /// Print the completion script of a shell.
    Completions(CompletionsArgs),
    /// Print the man page, or write one for each command.
    Man(ManArgs),
}
