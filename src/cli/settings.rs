//! Combines the flags: finds conflicts and fills in defaults. Lengths stay in the assembly's unit until the assembly is
//! read.

use crate::assembly::{self, Assembly, Facets, Geometry, LoadOptions};
use crate::check::{Options, Shard};
use crate::cli::baseline_flags::GateArgs;
use crate::cli::check::CheckArgs;
use crate::cli::decompose::FormatChoice;
use crate::cli::explain::ExplainArgs;
use crate::cli::flags::{FacetsChoice, GeometryChoice, Question, TextChoice};
use crate::cli::report_flags::Outputs;
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::geom::length::Length;
use crate::io::Loader;
use crate::report::Format;
use std::path::PathBuf;

/// Settings of the pair queries.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSettings {
    /// The assembly file.
    pub assembly: PathBuf,
    /// Geometry of parts without a choice of their own.
    pub geometry: Geometry,
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
    /// True to decide the statuses and measure nothing.
    pub verdict_only: bool,
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
    /// Conditions of failure.
    pub gate: GateArgs,
    /// True if warnings are errors.
    pub strict: bool,
    /// Cache folder, if any.
    pub cache: Option<PathBuf>,
    /// Shard to check; `None` for all pairs.
    pub shard: Option<Shard>,
}

/// Settings of `explain`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainSettings {
    /// Settings of the pair queries.
    pub question: QuestionSettings,
    /// Ids of the two instances.
    pub ids: [String; 2],
    /// Format of the explanation.
    pub format: Format,
}

impl CheckSettings {
    /// Combines the flags.
    ///
    /// # Errors
    /// Refuses two outputs with the same target, an output over an input, and an unwritable output, before a long run.
    pub fn new(args: CheckArgs) -> Result<Self, Error> {
        let outputs = Outputs::new(args.outputs, args.timings)?;
        let baseline = args.gate.place(&args.assembly);
        outputs.check(&[(&args.assembly, "the assembly"), (&baseline, "the baseline")])?;
        Ok(Self {
            question: QuestionSettings::new(args.assembly, &args.question, args.verdict_only),
            outputs,
            gate: args.gate,
            strict: args.strict,
            cache: args.cache,
            shard: args.shard,
        })
    }
}

impl ExplainSettings {
    /// Combines the flags.
    pub fn new(args: ExplainArgs) -> Self {
        Self {
            question: QuestionSettings::new(args.assembly, &args.question, false),
            ids: [args.a, args.b],
            format: match args.format {
                TextChoice::Text => Format::Table,
                TextChoice::Json => Format::Json,
            },
        }
    }
}

impl QuestionSettings {
    /// Combines the flags.
    pub fn new(assembly: PathBuf, args: &Question, verdict_only: bool) -> Self {
        Self {
            assembly,
            geometry: geometry(args.geometry),
            facets: args.facets.map(facets),
            tolerance: args.tolerance.clone(),
            report_within: args.report_within.clone(),
            epsilon: args.epsilon.clone(),
            max_pieces: args.max_pieces as usize,
            verdict_only,
            allow_outside: args.allow_outside,
            threads: args.threads.map_or(0, usize::from),
        }
    }

    /// Reads the assembly and locates its meshes without reading them.
    ///
    /// # Errors
    /// Returns every problem of its files.
    pub fn load(&self, loader: &dyn Loader) -> Result<Assembly, Error> {
        assembly::load(&self.assembly, loader, &LoadOptions { allow_outside: self.allow_outside })
    }

    /// Options of the check, with lengths converted from `units` to mm.
    ///
    /// # Errors
    /// Refuses a length beyond the largest number in mm.
    pub fn options(&self, units: LengthUnit) -> Result<Options, Error> {
        let mm = |flag: &str, length: &Option<Length>| match length.as_ref().map(|l| l.to_mm(units)) {
            Some(mm) if !mm.is_finite() => Err(Error::one(Location::default(), format!("{flag} is too large"), "")),
            mm => Ok(mm),
        };
        Ok(Options {
            geometry: self.geometry,
            tolerance: mm("--tolerance", &self.tolerance)?,
            facets: self.facets,
            report_within: mm("--report-within", &self.report_within)?,
            epsilon: mm("--epsilon", &self.epsilon)?,
            max_pieces: self.max_pieces,
            verdict_only: self.verdict_only,
            fixes: 0,
            cache: None,
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Args, Command};
    use crate::cli::target::Target;
    use clap::Parser;

    fn settings(line: &str) -> Result<CheckSettings, Error> {
        match Args::try_parse_from(line.split(' ')).expect(line).command {
            Command::Check(args) => CheckSettings::new(args),
            _ => panic!("{line}"),
        }
    }

    #[test]
    fn defaults() {
        let s = settings("interfere check a.json").unwrap();
        let q = &s.question;
        assert_eq!((q.geometry, q.facets, q.threads), (Geometry::Exact, None, 0));
        assert_eq!((places(&s), s.outputs.expand), (vec![(Format::Table, Target::Stdout)], false));
        assert_eq!(s.outputs.timings, None);
        assert_eq!(s.question.options(LengthUnit::M).unwrap(), Options::default());
    }

    #[test]
    fn lengths_are_in_the_assembly_s_unit() {
        let s = settings("interfere check a.json --tolerance 0.5 --report-within 2 --verdict-only").unwrap();
        let options = s.question.options(LengthUnit::Inch).unwrap();
        assert_eq!((options.tolerance, options.report_within, options.verdict_only), (Some(12.7), Some(50.8), true));
    }

    #[test]
    fn a_unit_of_a_length_comes_before_the_assembly_s() {
        let s = settings("interfere check a.json --tolerance 25.4mm --report-within 2in --epsilon 10um").unwrap();
        let options = |units| s.question.options(units).unwrap();
        for units in LengthUnit::ALL {
            let o = options(units);
            assert_eq!((o.tolerance, o.report_within, o.epsilon), (Some(25.4), Some(50.8), Some(0.01)), "{units:?}");
        }
    }

    #[test]
    fn explain_shares_the_question_flags() {
        let line = "--geometry hull --facets strict --tolerance 0.5 --report-within 2 --allow-outside --threads 3 --epsilon 0.1 --max-pieces 7";
        let check = settings(&format!("interfere check a.json {line}")).unwrap();
        let args = format!("interfere explain a.json x y {line} --format json");
        let Command::Explain(args) = Args::try_parse_from(args.split(' ')).unwrap().command else { panic!("explain") };
        let explain = ExplainSettings::new(args);
        assert_eq!(explain.question, check.question);
        assert_eq!((explain.ids, explain.format), (["x".to_owned(), "y".to_owned()], Format::Json));
        assert_eq!(check.question.facets, Some(Facets::Strict));
        let options = check.question.options(LengthUnit::Cm).unwrap();
        assert_eq!((options.epsilon, options.max_pieces), (Some(1.0), 7));
    }

    #[test]
    fn length_overflow_is_an_error() {
        let s = settings("interfere check a.json --report-within 1e308").unwrap();
        assert!(s.question.options(LengthUnit::Mm).is_ok());
        assert_eq!(s.question.options(LengthUnit::M).unwrap_err().to_string(), "--report-within is too large");
    }

    #[test]
    fn invalid_outputs_are_refused_before_the_run() {
        for (line, error) in [
            ("--output /no/such/folder/r.json", "/no/such/folder/r.json: --output: its folder does not exist"),
            ("--timings src", "src: --timings: the path is a folder"),
            ("--output Cargo.toml", "Cargo.toml: --output would replace the assembly; name another file"),
            ("--output x --timings x", "x: --output and --timings write to this place; choose two places"),
            ("--timings -", "stdout: --output and --timings write to this place; choose two places"),
            (
                "--format json --format csv",
                "--format json and --format csv both name no file; give one of them a file, as in --format csv=FILE",
            ),
            ("--format table --format json=-", "stdout: --output and --format write to this place; choose two places"),
            ("--format junit=x --format csv=./x", "./x: two --format write to this place; choose two places"),
            (
                "--format csv=x -o y",
                "--output needs a --format without a file; remove --output, or add a --format without a file",
            ),
            ("--format sarif=src", "src: --format: the path is a folder"),
            ("--format sarif=/no/such/folder/s", "/no/such/folder/s: --format: its folder does not exist"),
            (
                "--format markdown=src/../Cargo.toml",
                "src/../Cargo.toml: --format would replace the assembly; name another file",
            ),
        ] {
            let e = settings(&format!("interfere check Cargo.toml {line}")).unwrap_err();
            assert_eq!(e.to_string(), error);
        }
        let stdout = settings("interfere check Cargo.toml --output -").unwrap();
        assert_eq!(places(&stdout), [(Format::Table, Target::Stdout)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn unwritable_folders_are_refused_before_the_run() {
        let e = settings("interfere check Cargo.toml --format json=/proc/report.json").unwrap_err().to_string();
        assert!(e.starts_with("/proc/report.json: --format: cannot write to this place: "), "{e}");
        assert!(settings("interfere check Cargo.toml --format json=/dev/null").is_ok());
    }

    fn places(s: &CheckSettings) -> Vec<(Format, Target)> {
        s.outputs.reports.iter().map(|r| (r.format, r.target.clone())).collect()
    }

    #[test]
    fn several_reports_each_have_their_place() {
        let line = "--format sarif=a.sarif --format github --format junit=a.xml --format markdown=a.md --format csv=a.csv --format \
                    json=a.json --format table=a.txt --expand";
        let s = settings(&format!("interfere check Cargo.toml {line}")).unwrap();
        let file = |name: &str| Target::File(PathBuf::from(name));
        let expected = [
            (Format::Sarif, file("a.sarif")),
            (Format::Github, Target::Stdout),
            (Format::Junit, file("a.xml")),
            (Format::Markdown, file("a.md")),
            (Format::Csv, file("a.csv")),
            (Format::Json, file("a.json")),
            (Format::Table, file("a.txt")),
        ];
        assert_eq!((places(&s), s.outputs.expand), (expected.to_vec(), true));
        let o = settings("interfere check Cargo.toml --format sarif=a.sarif --format json -o b.json").unwrap();
        assert_eq!(places(&o), [(Format::Sarif, file("a.sarif")), (Format::Json, file("b.json"))]);
        let only = settings("interfere check Cargo.toml --format sarif=a.sarif").unwrap();
        assert_eq!((places(&only).len(), only.outputs.shows_fixes()), (1, false));
    }
}
