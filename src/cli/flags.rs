//! Flags that several commands share, and the parsers of their values.

use crate::assembly::Assembly;
use crate::check::{DEFAULT_MAX_PIECES, Shard};
use crate::error::{Warning, WarningCode};
use crate::geom::LengthUnit;
use crate::geom::length::{Length, LengthError};
use crate::json::length_problem::length_problem;
use crate::report::Format;
use clap::{Args as ClapArgs, ValueEnum};

/// Default of `--max-pieces`.
pub(crate) const MAX_PIECES: u32 = DEFAULT_MAX_PIECES as u32;

/// Largest value of `--max-pieces`. Beyond it, queries of piece pairs take longer than queries of triangles.
pub(crate) const MOST_PIECES: i64 = 10_000;

/// Heading of the input flags in the help.
pub(crate) const INPUT: &str = "Input";
/// Heading of the flags about solids and limits.
pub(crate) const GEOMETRY: &str = "Geometry";
/// Heading of the flags about outputs.
pub(crate) const REPORT: &str = "Report";
/// Heading of the flags about the verdict.
pub(crate) const GATE: &str = "Gate";
/// Heading of the flags about time and machines.
pub(crate) const PERFORMANCE: &str = "Performance";
/// Heading of the flags of every command.
pub(crate) const GENERAL: &str = "General";

/// Flags of the pair queries: geometry, limits, pieces, threads.
#[derive(Debug, ClapArgs)]
pub struct Question {
    /// Read meshes from outside the version-controlled tree.
    ///
    /// Without this flag, meshes and sub-assemblies must lie in the version-controlled tree of the assembly.
    #[arg(long, help_heading = INPUT)]
    pub allow_outside: bool,

    /// Solid of a part: exact, decomposition or hull [default: exact].
    ///
    /// `exact`: the space enclosed by its triangles. `decomposition`: convex pieces that cover the part and overshoot
    /// it by at most
    /// --epsilon; the run misses no overlap, and reports no pair that is farther apart than the overshoot of both
    /// parts. `hull`: the convex hull; the run misses no overlap, but concavities count as solid, so a pin in a bore
    /// interferes. A part's own `geometry` takes precedence. Overrides the file.
    #[arg(long, value_enum, hide_possible_values = true, help_heading = GEOMETRY)]
    pub geometry: Option<GeometryChoice>,

    /// Overlap within the facet error: allow or strict [default: allow].
    ///
    /// Status of an overlap within the tessellation error of curved surfaces: contact (`allow`) or interference
    /// (`strict`). Overrides the file.
    #[arg(long, value_enum, hide_possible_values = true, help_heading = GEOMETRY)]
    pub facets: Option<FacetsChoice>,

    /// Overlap depth that counts as contact [default: 0.01 mm].
    ///
    /// A length in the assembly's units or with a unit (0.5thou). Overrides the file.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true, help_heading = GEOMETRY)]
    pub tolerance: Option<Length>,

    /// Overshoot of convex pieces [default: 2 % of the part's diagonal].
    ///
    /// The largest distance of a piece from its part, for --geometry decomposition. A length in the assembly's units or
    /// with a unit (0.2mm). The diagonal is that of the part's own box. Overrides the file.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true, help_heading = GEOMETRY)]
    pub epsilon: Option<Length>,

    /// Number of convex pieces per part, at most [default: 64].
    ///
    /// If the pieces overshoot the part by more than --epsilon, a warning gives the distance.
    #[arg(long, value_name = "N", default_value_t = MAX_PIECES, value_parser = clap::value_parser!(u32).range(1..=MOST_PIECES))]
    #[arg(hide_default_value = true, help_heading = GEOMETRY)]
    pub max_pieces: u32,

    /// List clear pairs up to this gap, too.
    ///
    /// A length in the assembly's units or with a unit (1mm). Overrides the file.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true, help_heading = REPORT)]
    pub report_within: Option<Length>,

    /// Number of threads [default: one per core].
    ///
    /// The report has the same bytes for every number.
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = PERFORMANCE)]
    pub threads: Option<u16>,
}

/// Sweeps beyond those of the assembly file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ClapArgs)]
pub struct MoreSweeps {
    /// Sweep all joints at once, too: every combination of their values.
    ///
    /// Adds the run `all-joints` to those of the assembly file. A pair takes the joints between its parts; the proof
    /// ends after
    /// --sweep-cells tests, and what remains is `undecided`.
    #[arg(long, hide_short_help = true, help_heading = REPORT)]
    pub sweep_all: bool,
}

impl MoreSweeps {
    /// Adds the sweep of all joints to an assembly; warns if it has no joint.
    pub(crate) fn add_to(self, assembly: &mut Assembly) {
        if self.sweep_all && !assembly.motion.sweep_all() {
            let message = "--sweep-all has no effect: the assembly has no joint with a value of its own; remove it";
            assembly.warnings.push(Warning::new(WarningCode::FlagWithoutEffect, message.to_owned()));
        }
    }
}

/// Reads the value of `--units`, in any spelling of a unit.
pub(crate) fn unit(text: &str) -> Result<LengthUnit, String> {
    LengthUnit::from_spelling(text).ok_or_else(|| "expected um, mm, cm, m, inch or ft".to_owned())
}

/// Values of `--geometry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GeometryChoice {
    /// The space enclosed by the part's triangles
    Exact,
    /// Convex pieces that cover the part
    Decomposition,
    /// The convex hull of the part's vertices
    Hull,
}

/// Values of `--facets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FacetsChoice {
    /// Contact
    Allow,
    /// Interference
    Strict,
}

/// Values of `--measure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureChoice {
    /// Gaps, depths, separating translations, volume and box of the common solid
    All,
    /// Gaps and depths with their bounds
    Depth,
    /// Nothing
    None,
}

/// Values of `--format` of `explain`, `suggest` and `decompose`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextChoice {
    /// For people: lines of text
    Text,
    /// For programs: the same content with every digit
    Json,
}

impl TextChoice {
    /// Format of the output: the text is the table.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Text => Format::Table,
            Self::Json => Format::Json,
        }
    }
}

/// Values of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal only
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Parses a length: a number in the assembly's units, or a number with a unit.
pub(crate) fn length(text: &str) -> Result<Length, String> {
    Length::parse(text).map_err(|error| fault(text, &error))
}

/// Parses a length in the unit of a mesh: a number alone.
pub(crate) fn mesh_length(text: &str) -> Result<f64, String> {
    match Length::parse(text) {
        Ok(Length::Bare(x)) => Ok(x),
        Ok(Length::WithUnit { .. }) | Err(LengthError::UnknownUnit(_) | LengthError::Spaces) => {
            Err("a mesh file names no unit; write a number alone, in the mesh's own unit".to_owned())
        }
        Err(LengthError::NoNumber) => Err("not a number".to_owned()),
        Err(error) => Err(fault(text, &error)),
    }
}

fn fault(text: &str, error: &LengthError<'_>) -> String {
    match error {
        LengthError::NotFinite => "must be finite".to_owned(),
        LengthError::Negative => "must not be negative".to_owned(),
        _ => {
            let (what, fix) = length_problem(text, error);
            format!("{what}; {fix}")
        }
    }
}

/// Largest value of `--sweep-cells`: days of one thread.
const MOST_SWEEP_CELLS: u64 = 1_000_000_000_000;

/// Parses a budget in tests.
pub(crate) fn sweep_cells(text: &str) -> Result<u64, String> {
    let known = text.parse().ok().filter(|n| (1..=MOST_SWEEP_CELLS).contains(n));
    known.ok_or_else(|| format!("must be a whole number from 1 to {MOST_SWEEP_CELLS}"))
}

/// Parses a shard `I/N`.
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok()).flatten();
    let shard = text.split_once('/').and_then(|(i, n)| Some(Shard { index: number(i)?, of: number(n)? }));
    let valid = shard.filter(|s| s.is_valid());
    valid.ok_or_else(|| format!("must be I/N with I from 1 to N, and N at most {}", Shard::MAX_COUNT))
}
