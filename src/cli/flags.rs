//! Flags that several commands share, and the parsers of their values.

use crate::check::{DEFAULT_MAX_PIECES, Shard};
use clap::{Args as ClapArgs, ValueEnum};

/// As many pieces as a part is covered by without `--max-pieces`.
pub(crate) const MAX_PIECES: u32 = DEFAULT_MAX_PIECES as u32;

/// More than this many pieces are no help: asking pairs of them takes longer than asking triangles.
pub(crate) const MOST_PIECES: i64 = 10_000;

/// The flags that decide what is asked of pairs, and how.
#[derive(Debug, ClapArgs)]
pub struct Question {
    /// Solid of each part. `exact`: the space enclosed by its triangles. `decomposition`: convex pieces that cover the part and
    /// overshoot it by at most --epsilon; the run misses no overlap, and reports no pair that is farther apart than the overshoot
    /// of both parts. `hull`: the convex hull; the run misses no overlap, but concavities count as solid, so a pin in a bore
    /// interferes. A part's own `geometry` takes precedence.
    #[arg(long, value_enum, default_value = "exact")]
    pub geometry: GeometryChoice,

    /// Status of an overlap within the tessellation error of curved surfaces; overrides the file [default: the file's, else
    /// allow].
    #[arg(long, value_enum)]
    pub facets: Option<FacetsChoice>,

    /// Largest overlap depth that counts as contact, in the assembly's units; overrides the file [default: the file's, else
    /// 0.01 mm].
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,

    /// List clear pairs up to this gap, too, in the assembly's units.
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub report_within: Option<f64>,

    /// Largest overshoot of convex pieces, in the assembly's units [default: 2 % of the diagonal of the part's own box].
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
    pub epsilon: Option<f64>,

    /// Largest number of convex pieces per part; if they overshoot the part by more than --epsilon, a warning gives the
    /// distance.
    #[arg(long, value_name = "N", default_value_t = MAX_PIECES, value_parser = clap::value_parser!(u32).range(1..=MOST_PIECES))]
    pub max_pieces: u32,

    /// Read meshes and sub-assemblies from outside the assembly's version-controlled tree.
    #[arg(long)]
    pub allow_outside: bool,

    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// `--geometry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GeometryChoice {
    /// The space enclosed by the part's triangles
    Exact,
    /// Convex pieces that cover the part
    Decomposition,
    /// The convex hull of the part's vertices
    Hull,
}

/// `--facets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FacetsChoice {
    /// Contact
    Allow,
    /// Interference
    Strict,
}

/// `--format` of `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextChoice {
    /// For people: a line per stage
    Text,
    /// For programs: the same content with every digit
    Json,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal only
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A length: a number that is finite and not negative. Its unit is known once the assembly is read.
pub(crate) fn length(text: &str) -> Result<f64, String> {
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
pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok()).flatten();
    let shard = text.split_once('/').and_then(|(i, n)| Some(Shard { index: number(i)?, of: number(n)? }));
    let valid = shard.filter(|s| s.is_valid());
    valid.ok_or_else(|| format!("must be I/N with I from 1 to N, and N at most {}", Shard::MAX_COUNT))
}
