//! The flags settled: conflicts found, defaults filled in, what needs the assembly's unit kept until it is known.

use super::args::{
    CheckArgs, ExplainArgs, FacetsChoice, FormatChoice, GeometryChoice, OutputArgs, Question, ReportArg, ReportChoice,
    TextChoice,
};
use super::gate::GateArgs;
use super::output::Target;
use crate::assembly::{Facets, Geometry};
use crate::check::{Options, Shard};
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::report::Format;
use std::path::{Path, PathBuf};

/// What is asked of pairs, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSettings {
    /// The assembly file.
    pub assembly: PathBuf,
    /// What parts are taken to be.
    pub geometry: Geometry,
    /// Over the file's.
    pub facets: Option<Facets>,
    /// In the assembly's unit, over the file's.
    pub tolerance: Option<f64>,
    /// In the assembly's unit.
    pub report_within: Option<f64>,
    /// In the assembly's unit.
    pub epsilon: Option<f64>,
    /// Of a part.
    pub max_pieces: usize,
    /// Measure nothing.
    pub verdict_only: bool,
    /// Meshes may lie anywhere.
    pub allow_outside: bool,
    /// 0 for one per core.
    pub threads: usize,
}

/// A check as asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckSettings {
    /// What is asked.
    pub question: QuestionSettings,
    /// Which reports are written, and where.
    pub outputs: Outputs,
    /// What makes it fail.
    pub gate: GateArgs,
    /// Where the timings go, if anywhere.
    pub timings: Option<Target>,
    /// Warnings are errors.
    pub strict: bool,
    /// Where results are kept, if anywhere.
    pub cache: Option<PathBuf>,
    /// The share of the pairs that is checked, where it is not all of them.
    pub shard: Option<Shard>,
}

/// Which reports are written, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// The reports, in the order in which they were asked for; at least one, at most one to stdout.
    pub reports: Vec<Report>,
    /// The table has a row per pair.
    pub expand: bool,
}

/// A report that is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Its form.
    pub format: Format,
    /// Where it goes.
    pub target: Target,
    /// The flag that said so.
    flag: &'static str,
}

/// An explanation as asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainSettings {
    /// What is asked.
    pub question: QuestionSettings,
    /// Of which two instances.
    pub ids: [String; 2],
    /// Form of the explanation.
    pub format: Format,
}

impl CheckSettings {
    /// Settles the flags.
    ///
    /// # Errors
    /// Where two outputs are one file, or one would replace the input or cannot be written at all: better known before a
    /// long run than after it.
    pub fn new(args: CheckArgs) -> Result<Self, Error> {
        let timings = args.timings.map(Target::of_argument);
        let outputs = Outputs::new(args.outputs)?;
        outputs.check(timings.as_ref(), &[&args.assembly], "the assembly")?;
        Ok(Self {
            question: QuestionSettings::new(args.assembly, &args.question, args.verdict_only),
            outputs,
            gate: args.gate,
            timings,
            strict: args.strict,
            cache: args.cache,
            shard: args.shard,
        })
    }
}

impl Outputs {
    /// Settles the flags.
    ///
    /// # Errors
    /// Two reports that name no file, and a file for a report that there is not.
    pub fn new(args: OutputArgs) -> Result<Self, Error> {
        let refuse = |what: String, fix: &str| Err(Error::one(Location::default(), what, fix));
        let asked = if args.format.is_empty() {
            vec![ReportArg { format: ReportChoice::Table, file: None }]
        } else {
            args.format
        };
        let without: Vec<&str> = asked.iter().filter(|r| r.file.is_none()).map(|r| report_name(r.format)).collect();
        if let [first, second, ..] = without[..] {
            let what = format!("--format {first} and --format {second} both name no file");
            return refuse(what, &format!("give one of them a file, as in --format {second}=FILE"));
        }
        if without.is_empty() && args.output.is_some() {
            let what = "--output is for a --format without a file, and there is none".to_owned();
            return refuse(what, "leave it out, or add such a --format");
        }
        let output = args.output.map_or(Target::Stdout, Target::of_argument);
        let settle = |r: ReportArg| match r.file {
            Some(file) => Report { format: format_of(r.format), target: Target::of_argument(file), flag: "--format" },
            None => Report { format: format_of(r.format), target: output.clone(), flag: "--output" },
        };
        Ok(Self { reports: asked.into_iter().map(settle).collect(), expand: args.expand })
    }

    /// Where the one report goes.
    ///
    /// # Errors
    /// Where there are several.
    pub(super) fn one(&self) -> Result<&Target, Error> {
        match self.reports.as_slice() {
            [report] => Ok(&report.target),
            _ => Err(Error::one(Location::default(), "one report is written here", "name one output")),
        }
    }

    /// Whether a report says what mending a pair does to others.
    pub fn shows_fixes(&self) -> bool {
        self.reports.iter().any(|r| r.format.shows_fixes())
    }

    /// Refuses outputs that are one file, that would replace one of the inputs (`what` they are), or that cannot be written at all: better known before a
    /// long run than after it.
    ///
    /// # Errors
    /// The first of these.
    pub fn check(&self, timings: Option<&Target>, inputs: &[&Path], what: &str) -> Result<(), Error> {
        let mut outputs: Vec<(&str, &Target)> = self.reports.iter().map(|r| (r.flag, &r.target)).collect();
        outputs.extend(timings.map(|target| ("--timings", target)));
        for (k, (flag, target)) in outputs.iter().enumerate() {
            if let Some((other, _)) = outputs[..k].iter().find(|(_, t)| t.is_same(target)) {
                return Err(same_place(other, flag, target));
            }
        }
        for (flag, target) in outputs {
            let Target::File(path) = target else { continue };
            let refuse = |what: &str, fix: &str| Err(Error::one(Location::file(path.display().to_string()), what, fix));
            if let Some(obstacle) = Target::obstacle(path) {
                return refuse(&format!("{flag}: {obstacle}"), "");
            }
            if inputs.iter().any(|input| Target::File(input.to_path_buf()).is_same(target)) {
                return refuse(&format!("{flag} would replace {what}"), "");
            }
            if let Err(e) = target.try_out() {
                return refuse(&format!("{flag}: cannot write there: {e}"), "choose a folder that can be written to");
            }
        }
        Ok(())
    }
}

/// The error of two outputs to one place.
fn same_place(first: &str, second: &str, target: &Target) -> Error {
    let at = match target {
        Target::Stdout => Location::file("stdout"),
        Target::File(path) => Location::file(path.display().to_string()),
    };
    let what = if first == second {
        format!("two {first} write there")
    } else {
        format!("{first} and {second} both write there")
    };
    Error::one(at, what, "choose two places")
}

impl ExplainSettings {
    /// Settles the flags.
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
    /// Settles the flags.
    pub fn new(assembly: PathBuf, args: &Question, verdict_only: bool) -> Self {
        Self {
            assembly,
            geometry: geometry(args.geometry),
            facets: args.facets.map(facets),
            tolerance: args.tolerance,
            report_within: args.report_within,
            epsilon: args.epsilon,
            max_pieces: args.max_pieces as usize,
            verdict_only,
            allow_outside: args.allow_outside,
            threads: args.threads.map_or(0, usize::from),
        }
    }

    /// The options of the check, for an assembly of that unit.
    ///
    /// # Errors
    /// Where a length is finite in the assembly's unit and not in millimetres.
    pub fn options(&self, units: LengthUnit) -> Result<Options, Error> {
        let mm = |flag: &str, length: Option<f64>| match length.map(|x| x * units.mm()) {
            Some(mm) if !mm.is_finite() => Err(Error::one(Location::default(), format!("{flag} is too large"), "")),
            mm => Ok(mm),
        };
        Ok(Options {
            geometry: self.geometry,
            tolerance: mm("--tolerance", self.tolerance)?,
            facets: self.facets,
            report_within: mm("--report-within", self.report_within)?,
            epsilon: mm("--epsilon", self.epsilon)?,
            max_pieces: self.max_pieces,
            verdict_only: self.verdict_only,
            fixes: 0,
            cache: None,
        })
    }
}

/// The format of that name.
pub fn format(choice: FormatChoice) -> Format {
    match choice {
        FormatChoice::Table => Format::Table,
        FormatChoice::Json => Format::Json,
    }
}

fn format_of(choice: ReportChoice) -> Format {
    match choice {
        ReportChoice::Table => Format::Table,
        ReportChoice::Json => Format::Json,
        ReportChoice::Sarif => Format::Sarif,
        ReportChoice::Junit => Format::Junit,
        ReportChoice::Github => Format::Github,
        ReportChoice::Markdown => Format::Markdown,
        ReportChoice::Csv => Format::Csv,
    }
}

/// The name of a format, as it is typed.
fn report_name(choice: ReportChoice) -> &'static str {
    match choice {
        ReportChoice::Table => "table",
        ReportChoice::Json => "json",
        ReportChoice::Sarif => "sarif",
        ReportChoice::Junit => "junit",
        ReportChoice::Github => "github",
        ReportChoice::Markdown => "markdown",
        ReportChoice::Csv => "csv",
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
        assert_eq!(s.timings, None);
        assert_eq!(s.question.options(LengthUnit::M).unwrap(), Options::default());
    }

    #[test]
    fn lengths_are_in_the_assembly_s_unit() {
        let s = settings("interfere check a.json --tolerance 0.5 --report-within 2 --verdict-only").unwrap();
        let options = s.question.options(LengthUnit::Inch).unwrap();
        assert_eq!((options.tolerance, options.report_within, options.verdict_only), (Some(12.7), Some(50.8), true));
    }

    #[test]
    fn the_flags_of_a_question_are_the_same_in_explain() {
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
    fn a_length_beyond_the_numbers_is_an_error() {
        let s = settings("interfere check a.json --report-within 1e308").unwrap();
        assert!(s.question.options(LengthUnit::Mm).is_ok());
        assert_eq!(s.question.options(LengthUnit::M).unwrap_err().to_string(), "--report-within is too large");
    }

    #[test]
    fn outputs_that_cannot_be_are_refused_before_the_run() {
        for (line, error) in [
            ("--output /no/such/folder/r.json", "/no/such/folder/r.json: --output: its folder does not exist"),
            ("--timings src", "src: --timings: it is a folder"),
            ("--output Cargo.toml", "Cargo.toml: --output would replace the assembly"),
            ("--output x --timings x", "x: --output and --timings both write there; choose two places"),
            ("--timings -", "stdout: --output and --timings both write there; choose two places"),
            (
                "--format json --format csv",
                "--format json and --format csv both name no file; give one of them a file, as in --format csv=FILE",
            ),
            ("--format table --format json=-", "stdout: --output and --format both write there; choose two places"),
            ("--format junit=x --format csv=./x", "./x: two --format write there; choose two places"),
            (
                "--format csv=x -o y",
                "--output is for a --format without a file, and there is none; leave it out, or add such a --format",
            ),
            ("--format sarif=src", "src: --format: it is a folder"),
            ("--format sarif=/no/such/folder/s", "/no/such/folder/s: --format: its folder does not exist"),
            ("--format markdown=src/../Cargo.toml", "src/../Cargo.toml: --format would replace the assembly"),
        ] {
            let e = settings(&format!("interfere check Cargo.toml {line}")).unwrap_err();
            assert_eq!(e.to_string(), error);
        }
        let stdout = settings("interfere check Cargo.toml --output -").unwrap();
        assert_eq!(places(&stdout), [(Format::Table, Target::Stdout)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_that_cannot_be_written_to_are_refused_before_the_run() {
        let e = settings("interfere check Cargo.toml --format json=/proc/report.json").unwrap_err().to_string();
        assert!(e.starts_with("/proc/report.json: --format: cannot write there: "), "{e}");
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
