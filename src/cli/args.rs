//! The flags as typed. What they mean together is settled in [`super::settings`].

use crate::check::{DEFAULT_MAX_PIECES, Shard};
use crate::cli::accept::AcceptArgs;
use crate::cli::baseline_flags::GateArgs;
use crate::cli::diff::DiffArgs;
use crate::cli::report_flags::OutputArgs;
use crate::cli::schema::{CompletionsArgs, ManArgs, SchemaArgs};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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

const EXIT_CODES_OF_CHECK: &str = "\
Exit codes:
  0  every pair was decided and none fails; with --shard: the partial report is written, which is no verdict
  1  a pair fails: interference, clearance or undecided; never with --shard
  2  nothing was decided: usage, unreadable or invalid input, no pair to check, output not written";

const EXIT_CODES_OF_MERGE: &str = "\
Exit codes:
  0  every pair was decided and none fails
  1  a pair fails: interference, clearance or undecided
  2  nothing was decided: usage, a file that is no partial report, shards that are missing, given twice or of different runs, \
output not written";

const EXIT_CODES_OF_EXPLAIN: &str = "\
Exit codes:
  0  the pair does not fail
  1  the pair fails: interference, clearance or undecided
  2  nothing was decided: usage, unreadable or invalid input, an id that no instance has";

const EXIT_CODES_OF_DECOMPOSE: &str = "\
Exit codes:
  0  the pieces are written
  2  nothing is written: usage, not a mesh, a mesh without an inside, output not written";

const EXIT_CODES_OF_WRITERS: &str = "\
Exit codes:
  0  it is written
  2  nothing is written: usage, unreadable or invalid input, output not written";

/// As many pieces as a part is covered by without `--max-pieces`.
const MAX_PIECES: u32 = DEFAULT_MAX_PIECES as u32;

/// More than this many pieces are no help: asking pairs of them takes longer than asking triangles.
const MOST_PIECES: i64 = 10_000;

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

/// The flags of `check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_CHECK)]
pub struct CheckArgs {
    /// The assembly file (JSON).
    #[arg(value_name = "ASSEMBLY.json")]
    pub assembly: PathBuf,

    /// What is asked of the pairs.
    #[command(flatten)]
    pub question: Question,

    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,

    /// What makes it fail.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Decide which pairs fail and measure nothing; depths and translations stay empty.
    #[arg(long)]
    pub verdict_only: bool,

    /// Treat warnings as errors: exit 2, no report.
    #[arg(long)]
    pub strict: bool,

    /// Keep results in this folder and take from it what an earlier run has found: only what changed is checked again. The report
    /// is the same with and without. Made where it does not exist; may be deleted at any time.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Write where the time went to this file (JSON).
    #[arg(long, value_name = "FILE")]
    pub timings: Option<PathBuf>,

    /// Check the I-th of N shares of the pairs alone and write a partial report to --output; `interfere merge` makes the report and
    /// the verdict of all N.
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "output", conflicts_with_all = ["format", "expand", "strict", "baseline", "no_baseline", "fail_on"])]
    pub shard: Option<Shard>,
}

/// The flags of `merge`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_MERGE)]
pub struct MergeArgs {
    /// The partial reports of all shards of one run, in any order.
    #[arg(value_name = "PARTIAL.json", required = true)]
    pub partials: Vec<PathBuf>,

    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,

    /// What makes the gate fail.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Treat warnings as errors: exit 2, no report.
    #[arg(long)]
    pub strict: bool,
}

/// The flags that decide what is asked of pairs, and how.
#[derive(Debug, ClapArgs)]
pub struct Question {
    /// What a part's solid is taken to be. `exact`: what its triangles enclose. `decomposition`: convex pieces that cover it and
    /// reach little beyond it (--epsilon); no overlap is missed, and nothing is reported of parts farther apart than what
    /// their pieces reach. `hull`: the convex hull of its vertices; no overlap is missed, but concavities count as solid, so
    /// that a pin in a bore interferes. A part's own `geometry` wins.
    #[arg(long, value_enum, default_value = "exact")]
    pub geometry: GeometryChoice,

    /// Whether an overlap that the facets of curved surfaces explain counts as contact; wins over the file [default: the
    /// file's, else allow].
    #[arg(long, value_enum)]
    pub facets: Option<FacetsChoice>,

    /// Overlap no deeper than this is contact, in the assembly's units; wins over the file [default: the file's, else
    /// 0.01 mm].
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,

    /// List clear pairs, too, that are no further apart than this, in the assembly's units.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub report_within: Option<f64>,

    /// How far the convex pieces of a decomposed part may reach beyond it, in the assembly's units [default: 2 % of the diagonal
    /// of the part's own box].
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub epsilon: Option<f64>,

    /// Cover no part by more convex pieces than this; where that is not enough for --epsilon, they reach farther, and a warning
    /// says how far.
    #[arg(long, value_name = "N", default_value_t = MAX_PIECES, value_parser = clap::value_parser!(u32).range(1..=MOST_PIECES))]
    pub max_pieces: u32,

    /// Read meshes and sub-assemblies from outside the assembly's version-controlled tree.
    #[arg(long)]
    pub allow_outside: bool,

    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// The flags of `explain`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_EXPLAIN)]
pub struct ExplainArgs {
    /// The assembly file (JSON).
    #[arg(value_name = "ASSEMBLY.json")]
    pub assembly: PathBuf,

    /// The full id of one instance.
    #[arg(value_name = "A")]
    pub a: String,

    /// The full id of another one.
    #[arg(value_name = "B")]
    pub b: String,

    /// What is asked of the pair.
    #[command(flatten)]
    pub question: Question,

    /// `text` for people, `json` for programs.
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextChoice,
}

/// The flags of `inspect`.
#[derive(Debug, ClapArgs)]
pub struct InspectArgs {
    /// Mesh files: STL (binary or ASCII) or OBJ.
    #[arg(value_name = "MESH", required = true)]
    pub meshes: Vec<PathBuf>,

    /// Form of the report: `table` for people, `json` for programs.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FormatChoice,
}

/// The flags of `decompose`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_DECOMPOSE)]
pub struct DecomposeArgs {
    /// A mesh file: STL (binary or ASCII) or OBJ.
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,

    /// Where the pieces go: a file that ends in `.obj` takes them all, an object each; anything else is a folder, which gets a
    /// binary STL file each. What is there under these names is replaced.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,

    /// How far the pieces may reach beyond the mesh, in its own unit [default: 2 % of the diagonal of its box].
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub epsilon: Option<f64>,

    /// No more pieces than this; where that is not enough for --epsilon, they reach farther, and a warning says how far.
    #[arg(long, value_name = "N", default_value_t = MAX_PIECES, value_parser = clap::value_parser!(u32).range(1..=MOST_PIECES))]
    pub max_pieces: u32,

    /// Write the convex hull, as a single piece, of a mesh without a definite inside.
    #[arg(long)]
    pub hull: bool,

    /// `text` for people, `json` for programs.
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextChoice,
}

/// The flags of `init`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_WRITERS)]
pub struct InitArgs {
    /// Where the meshes lie: every STL and OBJ file of the folder and of those below it.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The assembly file to write, `-` for stdout; a file that is there is kept, and that is an error [default:
    /// FOLDER/assembly.json].
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The unit of the meshes' coordinates.
    #[arg(long, value_name = "UNIT", default_value = "mm", value_parser = ["mm", "cm", "m", "inch", "ft"])]
    pub units: String,
}

/// The flags of `suggest`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_WRITERS)]
pub struct SuggestArgs {
    /// The assembly file (JSON).
    #[arg(value_name = "ASSEMBLY.json")]
    pub assembly: PathBuf,

    /// What is asked of the pairs.
    #[command(flatten)]
    pub question: Question,

    /// `text` for people, `json` for programs.
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextChoice,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    /// For people: what fails, worst first
    Table,
    /// For programs: everything, in a stable order
    Json,
}

/// `--geometry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GeometryChoice {
    /// What the part's triangles enclose
    Exact,
    /// Convex pieces that cover the part
    Decomposition,
    /// The convex hull of the part's vertices
    Hull,
}

/// `--facets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FacetsChoice {
    /// It is contact
    Allow,
    /// It is interference like any other
    Strict,
}

/// `--format` of `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextChoice {
    /// For people: a line per stage
    Text,
    /// For programs: the same with every digit
    Json,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// A length: a number that is finite and not negative. Its unit is known once the assembly is read.
fn length(text: &str) -> Result<f64, String> {
    let x: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if !x.is_finite() {
        return Err("must be finite".to_owned());
    }
    if x < 0.0 {
        return Err("must not be negative".to_owned());
    }
    // Without the sign of -0.
    Ok(x + 0.0)
}

/// A shard as `I/N`.
fn shard(text: &str) -> Result<Shard, String> {
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok()).flatten();
    let shard = text.split_once('/').and_then(|(i, n)| Some(Shard { index: number(i)?, of: number(n)? }));
    let valid = shard.filter(|s| s.is_valid());
    valid.ok_or_else(|| format!("must be I/N with I from 1 to N, and N at most {}", Shard::MOST))
}
