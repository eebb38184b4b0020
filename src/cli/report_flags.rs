//! Settles the report outputs: formats, targets, and conflicts before a long run.

use crate::assembly::Assembly;
use crate::cli::flags::REPORT;
use crate::cli::input_files::InputFiles;
use crate::cli::spared::{self, refused};
use crate::cli::target::Target;
use crate::error::{Error, Location};
use crate::report::Format;
use crate::report::table::MAX_ROWS;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args as ClapArgs, Command};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Flags of the report outputs.
#[derive(Debug, ClapArgs)]
pub struct OutputArgs {
    /// table, json, sarif, junit, markdown, html, ...; repeat for more.
    ///
    /// Format of an output: table, json, sarif, junit, github, markdown, csv, html, glb or stl. Repeat it for several
    /// outputs; all but one need a file, as in --format table --format sarif=out.sarif [default: table].
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = ReportParser, hide_possible_values = true, help_heading = REPORT)]
    pub format: Vec<ReportArg>,

    /// Write the report without a file to this file.
    ///
    /// Writes the report of the --format without a file to this file instead of stdout; `-` is stdout.
    #[arg(long, short, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,

    /// Give each pair its own row in the table, without groups.
    #[arg(long, help_heading = REPORT)]
    pub expand: bool,

    /// Rows of the table, 0 for all [default: 50; with --expand: all].
    #[arg(long, value_name = "N", help_heading = REPORT)]
    pub limit: Option<u32>,
}

/// Format of an output of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// A report: made from the outcome alone.
    Report(Format),
    /// The scene with the findings, for 3D viewers.
    Glb,
    /// The common solids, for CAD programs.
    Stl,
    /// The page: one HTML file with a 3D view.
    Html,
}

impl OutputFormat {
    /// All formats, in the order of messages.
    pub fn all() -> impl Iterator<Item = Self> {
        Format::ALL.into_iter().map(Self::Report).chain([Self::Html, Self::Glb, Self::Stl])
    }

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Report(format) => format.name(),
            Self::Glb => "glb",
            Self::Stl => "stl",
            Self::Html => "html",
        }
    }

    /// Description in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Report(format) => format.about(),
            Self::Glb => "assembly and overlaps for 3D viewers",
            Self::Stl => "overlaps for CAD programs",
            Self::Html => "one page with the findings in 3D",
        }
    }

    /// Returns true if the output shows the scene: it needs the meshes, and one assembly.
    pub fn needs_scene(self) -> bool {
        match self {
            Self::Report(_) => false,
            Self::Glb | Self::Stl | Self::Html => true,
        }
    }

    /// Returns true if the output shows common solids or crossing lines.
    pub fn needs_overlaps(self) -> bool {
        matches!(self, Self::Glb | Self::Stl)
    }

    /// Returns true if the output is no text.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Glb | Self::Stl)
    }
}

/// Value of `--format` of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportArg {
    /// Format of the report.
    pub format: OutputFormat,
    /// File of the report, if named; `-` is stdout.
    pub file: Option<PathBuf>,
}

/// Parser of `--format`; completion offers its formats.
#[derive(Debug, Clone, Copy)]
struct ReportParser;

impl TypedValueParser for ReportParser {
    type Value = ReportArg;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<ReportArg, clap::Error> {
        let text = |text: &str| report(text);
        text.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(OutputFormat::all().map(|format| PossibleValue::new(format.name()).help(format.about()))))
    }
}

/// Parses `FORMAT` or `FORMAT=FILE`.
fn report(text: &str) -> Result<ReportArg, String> {
    let (name, file) = text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
    let Some(format) = OutputFormat::all().find(|f| f.name() == name) else {
        let known: Vec<_> = OutputFormat::all().map(OutputFormat::name).collect();
        return Err(format!("known formats: {}", known.join(", ")));
    };
    if file == Some("") {
        return Err(format!("no file after `=`; write {name}=FILE or {name}"));
    }
    Ok(ReportArg { format, file: file.map(PathBuf::from) })
}

/// Report outputs of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Reports in the order of their flags; at least one, at most one to stdout.
    pub reports: Vec<Report>,
    /// True if the table has a row for each pair.
    pub expand: bool,
    /// Largest number of rows of the table; 0 for all.
    pub limit: usize,
    /// Output of the timings, if any.
    pub timings: Option<Target>,
    /// Output of the proofs of sweeps, if any.
    pub proof: Option<Target>,
}

/// Output of one report.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Format of the report.
    pub format: OutputFormat,
    /// File or stream of the report.
    pub target: Target,
    /// Flag with the target, for messages.
    flag: &'static str,
}

impl Outputs {
    /// Combines the flags.
    ///
    /// # Errors
    /// Refuses two reports without a file, `--output` without such a report, and two outputs with the same target.
    pub fn new(args: OutputArgs, timings: Option<PathBuf>, proof: Option<PathBuf>) -> Result<Self, Error> {
        let refuse = |what: String, fix: &str| Err(Error::one(Location::default(), what, fix));
        let asked = if args.format.is_empty() {
            vec![ReportArg { format: OutputFormat::Report(Format::Table), file: None }]
        } else {
            args.format
        };
        let without: Vec<&str> = asked.iter().filter(|r| r.file.is_none()).map(|r| r.format.name()).collect();
        if let [first, second, ..] = without[..] {
            let what = format!("--format {first} and --format {second} both name no file");
            return refuse(what, &format!("give one of them a file, as in --format {second}=FILE"));
        }
        if without.is_empty() && args.output.is_some() {
            let what = "--output needs a --format without a file".to_owned();
            return refuse(what, "remove --output, or add a --format without a file");
        }
        let output = args.output.map_or(Target::Stdout, Target::of_argument);
        let settle = |r: ReportArg| match r.file {
            Some(file) => Report { format: r.format, target: Target::of_argument(file), flag: "--format" },
            None => Report { format: r.format, target: output.clone(), flag: "--output" },
        };
        let reports = asked.into_iter().map(settle).collect();
        let limit = args.limit.map_or(if args.expand { 0 } else { MAX_ROWS }, |n| n as usize);
        let [timings, proof] = [timings, proof].map(|file| file.map(Target::of_argument));
        let outputs = Self { reports, expand: args.expand, limit, timings, proof };
        let all: Vec<(&str, &Target)> = outputs.all().collect();
        for (k, (flag, target)) in all.iter().enumerate() {
            if let Some((other, _)) = all[..k].iter().find(|(_, t)| t.is_same(target)) {
                return Err(same_place(other, flag, target));
            }
        }
        Ok(outputs)
    }

    /// Each output with the name of its flag.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Target)> {
        let others = [("--timings", &self.timings), ("--proof", &self.proof)];
        let others = others.into_iter().filter_map(|(flag, target)| Some((flag, target.as_ref()?)));
        self.reports.iter().map(|r| (r.flag, &r.target)).chain(others)
    }

    /// Target of the only report.
    ///
    /// # Errors
    /// Refuses several reports.
    pub(crate) fn one(&self) -> Result<&Target, Error> {
        match self.reports.as_slice() {
            [report] => Ok(&report.target),
            _ => Err(Error::one(Location::default(), "the command writes one report", "name one output")),
        }
    }

    /// Returns true if a report shows the effect of fixes on other pairs.
    pub fn shows_fixes(&self) -> bool {
        self.reports.iter().any(|r| matches!(r.format, OutputFormat::Report(format) if format.shows_fixes()))
    }

    /// Outputs that show the scene.
    pub(crate) fn scene_outputs(&self) -> impl Iterator<Item = OutputFormat> {
        self.reports.iter().map(|r| r.format).filter(|format| format.needs_scene())
    }

    /// Refuses binary outputs to stdout if that is a terminal.
    ///
    /// # Errors
    /// Returns the refusal.
    pub(crate) fn spare_terminal(&self, terminal: bool) -> Result<(), Error> {
        let binary = |r: &&Report| terminal && r.format.is_binary() && r.target == Target::Stdout;
        self.reports.iter().find(binary).map_or(Ok(()), |r| {
            let name = r.format.name();
            let what = format!("--format {name} writes no text, and stdout is a terminal");
            Err(Error::one(Location::default(), what, format!("name a file, as in --format {name}=FILE")))
        })
    }

    /// First output that shows the scene.
    pub(crate) fn scene_output(&self) -> Option<OutputFormat> {
        self.scene_outputs().next()
    }

    /// Files of all outputs.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.all().filter_map(|(_, target)| match target {
            Target::File(path) => Some(path.as_path()),
            Target::Stdout => None,
        })
    }

    /// Refuses unwritable outputs, and outputs over one of the `inputs` (path and description), before a long run.
    ///
    /// # Errors
    /// Returns the first problem.
    pub fn check(&self, inputs: &[(&Path, &str)]) -> Result<(), Error> {
        spared::check_places(self.all())?;
        self.spare(inputs.iter().copied())?;
        for (flag, target) in self.all() {
            let Target::File(path) = target else { continue };
            if let Err(e) = target.try_out() {
                let what = format!("{flag}: cannot write to this place: {e}");
                return Err(refused(path, what, "choose a writable folder"));
            }
        }
        Ok(())
    }

    /// Refuses outputs over a file or mesh of the assembly, or over another one of the `files` read so far.
    ///
    /// # Errors
    /// Returns the first problem.
    pub(crate) fn spare_files_of(&self, assembly: &Assembly, files: &InputFiles) -> Result<(), Error> {
        spared::spare_files_of(self.all(), assembly, files)
    }

    /// Refuses outputs over one of the `inputs` (path and description).
    ///
    /// # Errors
    /// Returns the first problem.
    pub fn spare<'a>(&self, inputs: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<(), Error> {
        spared::spare(self.all(), inputs)
    }
}

/// Error of two outputs with the same target.
fn same_place(first: &str, second: &str, target: &Target) -> Error {
    let at = match target {
        Target::Stdout => Location::file("stdout"),
        Target::File(path) => Location::file(path.display().to_string()),
    };
    let what = if first == second {
        format!("two {first} write to this place")
    } else {
        format!("{first} and {second} write to this place")
    };
    Error::one(at, what, "choose two places")
}
