//! Combines the flags: finds conflicts and fills in defaults. Lengths stay in the assembly's unit until the assembly is
//! read.

use crate::assembly::{self, Assembly, Facets, Geometry, LoadOptions};
use crate::check::{Curves, DEFAULT_SWEEP_CELLS, Measure, Options, Shard};
use crate::cli::assembly_files::{assembly_file, with_advice};
use crate::cli::baseline_flags::GateArgs;
use crate::cli::cache_flag::CacheFolder;
use crate::cli::decompose::FormatChoice;
use crate::cli::drawing_flags::DrawingSettings;
use crate::cli::flags::{FacetsChoice, GeometryChoice, MoreSweeps, Question};
use crate::cli::input_files::InputFiles;
use crate::cli::pair_handle::PairArgs;
use crate::cli::report_flags::Outputs;
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::geom::length::Length;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::motion::AS_DRAWN;
use crate::report::Format;
use std::path::PathBuf;

/// Settings of the pair queries.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSettings {
    /// The assembly file.
    pub assembly: PathBuf,
    /// Geometry of parts without a choice of their own, in place of the file's.
    pub geometry: Option<Geometry>,
    /// Facet policy in place of the file's.
    pub facets: Option<Facets>,
    /// As written, over the file's.
    pub tolerance: Option<Length>,
    /// As written.
    pub report_within: Option<Length>,
    /// As written.
    pub epsilon: Option<Length>,
    /// Largest number of pieces of a part (>= 1).
    pub max_pieces: usize,
    /// Values beyond the statuses.
    pub measure: Measure,
    /// True if meshes may lie anywhere.
    pub allow_outside: bool,
    /// Number of threads; 0 for one per core.
    pub threads: usize,
}

/// Settings of `check`.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckSettings {
    /// Settings of the pair queries.
    pub question: QuestionSettings,
    /// Report outputs.
    pub outputs: Outputs,
    /// Pictures.
    pub(crate) drawing: DrawingSettings,
    /// Conditions of failure.
    pub gate: GateArgs,
    /// True if warnings are errors, false if not; `None` leaves it to the file.
    pub strict: Option<bool>,
    /// Cache folder, if any.
    pub cache: Option<CacheFolder>,
    /// Globs over the names of the runs to check; empty for all.
    pub runs: Vec<String>,
    /// Sweeps beyond those of the file.
    pub more_sweeps: MoreSweeps,
    /// Largest number of tests for each pair of a sweep.
    pub sweep_cells: u64,
    /// Largest width of the bracket of a least gap over a sweep, as written.
    pub gap_width: Option<Length>,
    /// Rows of sweeps with a staircase of the gap.
    pub curves: Curves,
    /// Shard to check; `None` for all pairs.
    pub shard: Option<Shard>,
    /// True if the command line names several assemblies: the report holds each.
    pub several: bool,
}

/// Settings of `explain`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainSettings {
    /// Settings of the pair queries.
    pub question: QuestionSettings,
    /// Names of the pair.
    pub pair: PairArgs,
    /// Pose or sweep; `None` for the drawing.
    pub run: Option<String>,
    /// Sweeps beyond those of the file.
    pub more_sweeps: MoreSweeps,
    /// Largest number of tests for the pair over a sweep.
    pub sweep_cells: u64,
    /// Format of the explanation.
    pub format: Format,
}

impl QuestionSettings {
    /// Combines the flags; a folder means the `assembly.json` in it.
    pub fn new(assembly: PathBuf, args: &Question, measure: Measure) -> Self {
        Self {
            assembly: assembly_file(assembly),
            geometry: args.geometry.map(geometry),
            facets: args.facets.map(facets),
            tolerance: args.tolerance.clone(),
            report_within: args.report_within.clone(),
            epsilon: args.epsilon.clone(),
            max_pieces: args.max_pieces as usize,
            measure,
            allow_outside: args.allow_outside,
            threads: args.threads.map_or(0, usize::from),
        }
    }

    /// Reads the assembly and locates its meshes without reading them.
    ///
    /// # Errors
    /// Returns every problem of its files.
    pub(crate) fn load(&self, files: &InputFiles) -> Result<Assembly, Error> {
        let mut assembly = assembly::load(&self.assembly, files, &LoadOptions { allow_outside: self.allow_outside })
            .map_err(|error| with_advice(&self.assembly, files, error))?;
        assembly.warnings.extend(files.take_warnings());
        Ok(assembly)
    }

    /// Loader for the files of the assembly; imports files of other programs.
    pub(crate) fn files(&self, cache: Option<&CacheFolder>) -> InputFiles {
        InputFiles::new(self.allow_outside, cache)
    }

    /// Options of a check of the drawing alone, without poses and sweeps, as [`Self::options`].
    ///
    /// # Errors
    /// Returns the errors of [`Self::options`].
    pub fn options_as_drawn(&self, units: LengthUnit) -> Result<Options, Error> {
        Ok(Options { runs: vec![AS_DRAWN.to_owned()], ..self.options(units)? })
    }

    /// Options of the check, with lengths converted from `units` to mm.
    ///
    /// # Errors
    /// Refuses a length beyond [`MAX_COORDINATE`].
    pub fn options(&self, units: LengthUnit) -> Result<Options, Error> {
        let mm = |flag: &str, length: &Option<Length>| in_mm(flag, length.as_ref(), units);
        Ok(Options {
            geometry: self.geometry,
            tolerance: mm("--tolerance", &self.tolerance)?,
            facets: self.facets,
            report_within: mm("--report-within", &self.report_within)?,
            epsilon: mm("--epsilon", &self.epsilon)?,
            max_pieces: self.max_pieces,
            measure: self.measure,
            runs: Vec::new(),
            sweep_cells: DEFAULT_SWEEP_CELLS,
            gap_width: None,
            curves: Curves::None,
            fixes: 0,
            accepted: Vec::new(),
            cache: None,
        })
    }
}

/// Length of a flag in mm.
///
/// # Errors
/// Refuses a length beyond [`MAX_COORDINATE`].
pub(crate) fn in_mm(flag: &str, length: Option<&Length>, units: LengthUnit) -> Result<Option<f64>, Error> {
    match length.map(|l| l.to_mm(units)) {
        Some(mm) if mm > MAX_COORDINATE => {
            let what = format!("{flag} is beyond {MAX_COORDINATE:e} mm");
            Err(Error::one(Location::default(), what, "write a smaller length"))
        }
        mm => Ok(mm),
    }
}

/// Report format of a flag value.
pub fn format(choice: FormatChoice) -> Format {
    match choice {
        FormatChoice::Table => Format::Table,
        FormatChoice::Json => Format::Json,
    }
}

fn facets(choice: FacetsChoice) -> Facets {
    match choice {
        FacetsChoice::Allow => Facets::Allow,
        FacetsChoice::Strict => Facets::Strict,
    }
}

fn geometry(choice: GeometryChoice) -> Geometry {
    match choice {
        GeometryChoice::Exact => Geometry::Exact,
        GeometryChoice::Decomposition => Geometry::Decomposition,
        GeometryChoice::Hull => Geometry::Hull,
    }
}
