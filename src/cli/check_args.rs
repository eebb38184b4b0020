//! The flags of `interfere check`.

use crate::check::{DEFAULT_SWEEP_CELLS, Shard};
use crate::cli::args::EXIT_CODES_IN_SHORT;
use crate::cli::baseline_flags::GateArgs;
use crate::cli::drawing_flags::PictureArgs;
use crate::cli::flags::{
    GATE, GENERAL, MeasureChoice, MoreSweeps, PERFORMANCE, Question, REPORT, length, shard, sweep_cells,
};
use crate::cli::report_flags::OutputArgs;
use crate::geom::length::Length;
use clap::Args as ClapArgs;
use std::path::PathBuf;

const END_OF_CHECK: &str = "\
Exit codes:
  0  every pair was decided and none fails; with --shard: the partial report is written, which is no verdict
  1  a pair fails: interference, too_close, loose or undecided; with --strict also a warning; never with --shard
  2  no verdict: usage, unreadable or invalid input, no pair to check, output not written
  With several assemblies, the worst of their codes.

Examples:
  interfere check                                  check assembly.json in this folder
  interfere check designs/gripper                  check designs/gripper/assembly.json
  interfere check 'designs/**/assembly.json'       check each, with one summary
  interfere check a.json --format json -o r.json   write all numbers for programs
  interfere check a.json --format github --format sarif=out.sarif
                                                   annotate a workflow and feed code scanning
  interfere check a.json --tolerance 0.05mm -j 2   count deeper overlap as contact, on two threads";

/// The flags of `check`.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_IN_SHORT, after_long_help = END_OF_CHECK)]
pub struct CheckArgs {
    /// Assembly files, their folders, or globs [default: assembly.json].
    ///
    /// A folder means the assembly.json in it. A glob such as 'designs/**/assembly.json' means each JSON file that it
    /// matches; `**` stands for any number of folders. With several assemblies, each format holds a report of each.
    #[arg(value_name = "ASSEMBLY")]
    pub assemblies: Vec<PathBuf>,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,

    /// Report outputs.
    #[command(flatten)]
    pub outputs: OutputArgs,

    /// Pictures.
    #[command(flatten)]
    pub pictures: PictureArgs,

    /// Conditions of failure.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Check these poses and sweeps only; `as-drawn` is the drawing.
    ///
    /// A glob over the names of the runs of the assembly file. May be given several times. The last line of the report
    /// names the runs left out.
    #[arg(long = "run", value_name = "GLOB", help_heading = REPORT)]
    pub runs: Vec<String>,

    /// Sweeps beyond those of the file.
    #[command(flatten)]
    pub more_sweeps: MoreSweeps,

    /// Tests for each pair of a sweep, at most [default: 16000000].
    ///
    /// A test asks whether two nodes or triangles stay apart over a range of joint values. A pair without a proof after
    /// this number is `undecided`. A larger number takes longer; the seconds have no effect on the result.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SWEEP_CELLS, value_parser = sweep_cells)]
    #[arg(hide_default_value = true, hide_short_help = true, help_heading = PERFORMANCE)]
    pub sweep_cells: u64,

    /// Width of the bounds of a sweep's least gap, at most [default: 1 % of the gap].
    ///
    /// A length in the assembly's units or with a unit (0.05mm). A row of a sweep has certified bounds of its least
    /// gap; this flag brings them closer together. Overlap depths keep their own width. Clear pairs have such bounds
    /// with --report-within. A row with wider bounds is `bracketed`.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    #[arg(hide_short_help = true, help_heading = REPORT)]
    pub gap_width: Option<Length>,

    /// Bound the gap over each part of a sweep, for the JSON report.
    ///
    /// Each row of a sweep of one parameter receives `curve`: equal parts of the sweep, each with certified bounds of
    /// its least gap. Takes about as long as the sweep once more. The page shows such a curve without this flag.
    #[arg(long, hide_short_help = true, help_heading = REPORT)]
    pub curves: bool,

    /// Write proofs of the sweeps to this file, for another program to check (JSON).
    ///
    /// For each passing pair that a sweep moves: the meshes, the joints, and steps that show the gap at all values. The
    /// file names the rows without a proof. `replay_proof.py` in `python/measure` checks such a file.
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with = "shard", help_heading = REPORT)]
    pub proof: Option<PathBuf>,

    /// Values beyond the statuses: all, depth, none [default: all].
    ///
    /// `all`: gaps, depths, separating translations, and volume and box of the common solid. `depth`: gaps and depths
    /// with their bounds. `none`: nothing. Statuses and counts are the same. A baseline compares all values: a finding
    /// without one of them is `unmeasured` and fails.
    #[arg(long, value_enum, hide_possible_values = true, help_heading = REPORT)]
    pub measure: Option<MeasureChoice>,

    /// Decide each pair and measure nothing: --measure none.
    #[arg(long, help_heading = REPORT)]
    pub verdict_only: bool,

    /// Let warnings fail the run, too: exit 1.
    ///
    /// Prints each warning as an error. The run writes its reports as without the flag.
    #[arg(long, help_heading = GATE)]
    pub strict: bool,

    /// Let warnings pass, even if the file is strict.
    #[arg(long, conflicts_with = "strict", help_heading = GATE)]
    pub no_strict: bool,

    /// Reuse results of earlier runs from this folder.
    ///
    /// The run checks only the changes. The report is the same with and without the cache. The run creates the folder
    /// if needed; you may delete it at any time. Without the flag, a run on a terminal keeps its results in the user's
    /// cache folder, unless `CI` is set; the variable `INTERFERE_CACHE` names another folder, or is `off`.
    #[arg(long, value_name = "DIR", help_heading = PERFORMANCE)]
    pub cache: Option<PathBuf>,

    /// Keep and reuse no results.
    #[arg(long, conflicts_with = "cache", help_heading = PERFORMANCE)]
    pub no_cache: bool,

    /// Write the times of the stages to this file (JSON).
    #[arg(long, value_name = "FILE", help_heading = PERFORMANCE)]
    pub timings: Option<PathBuf>,

    /// Check one of N shares of the pairs; `merge` combines them.
    ///
    /// Checks only the I-th of N shares of the pairs and writes a partial report to --output; `interfere merge`
    /// combines all N into the report and the verdict.
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "output", help_heading = PERFORMANCE)]
    #[arg(conflicts_with_all = ["format", "expand", "limit", "strict", "no_strict", "baseline", "no_baseline", "fail_on", "severity"])]
    pub shard: Option<Shard>,

    /// Print the pairs and the time of each stage on stderr.
    #[arg(long, short, help_heading = GENERAL)]
    pub verbose: bool,
}
