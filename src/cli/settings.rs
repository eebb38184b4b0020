//! The flags settled: conflicts found, defaults filled in, what needs the assembly's unit kept until it is known.

use super::args::{CheckArgs, FormatChoice, GeometryChoice};
use super::output::Target;
use crate::assembly::Geometry;
use crate::check::Options;
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::report::Format;
use std::path::PathBuf;

/// A check as asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckSettings {
    /// The assembly file.
    pub assembly: PathBuf,
    /// What parts are taken to be.
    pub geometry: Geometry,
    /// Form of the report.
    pub format: Format,
    /// Where the report goes.
    pub output: Target,
    /// Where the timings go, if anywhere.
    pub timings: Option<Target>,
    /// In the assembly's unit, over the file's.
    pub tolerance: Option<f64>,
    /// In the assembly's unit.
    pub report_within: Option<f64>,
    /// Measure nothing.
    pub verdict_only: bool,
    /// Warnings are errors.
    pub strict: bool,
    /// Meshes may lie anywhere.
    pub allow_outside: bool,
    /// 0 for one per core.
    pub threads: usize,
}

impl CheckSettings {
    /// Settles the flags.
    ///
    /// # Errors
    /// Where two outputs are one file, or one would replace the input or cannot be written at all: better known before a
    /// long run than after it.
    pub fn new(args: CheckArgs) -> Result<Self, Error> {
        let output = args.output.map_or(Target::Stdout, Target::of_argument);
        let timings = args.timings.map(Target::of_argument);
        let outputs = [("--output", Some(&output)), ("--timings", timings.as_ref())];
        for (flag, target) in outputs {
            let Some(Target::File(path)) = target else { continue };
            let refuse = |what: &str| Err(Error::one(Location::file(path.display().to_string()), what, ""));
            if let Some(what) = Target::obstacle(path) {
                return refuse(&format!("{flag}: {what}"));
            }
            if let (Ok(from), Ok(to)) = (args.assembly.canonicalize(), path.canonicalize())
                && from == to
            {
                return refuse(&format!("{flag} would replace the assembly"));
            }
        }
        if timings.as_ref() == Some(&output) {
            return Err(Error::one(Location::default(), "--output and --timings name the same place", "choose two"));
        }
        Ok(Self {
            assembly: args.assembly,
            geometry: geometry(args.geometry),
            format: format(args.format),
            output,
            timings,
            tolerance: args.tolerance,
            report_within: args.report_within,
            verdict_only: args.verdict_only,
            strict: args.strict,
            allow_outside: args.allow_outside,
            threads: args.threads.map_or(0, usize::from),
        })
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
            facets: None,
            report_within: mm("--report-within", self.report_within)?,
            verdict_only: self.verdict_only,
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

fn geometry(choice: GeometryChoice) -> Geometry {
    match choice {
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
            Command::Inspect(_) => panic!("{line}"),
        }
    }

    #[test]
    fn defaults() {
        let s = settings("interfere check a.json").unwrap();
        assert_eq!((s.format, s.geometry, s.threads), (Format::Table, Geometry::Hull, 0));
        assert_eq!((s.output.clone(), s.timings.clone()), (Target::Stdout, None));
        assert_eq!(s.options(LengthUnit::M).unwrap(), Options::default());
    }

    #[test]
    fn lengths_are_in_the_assembly_s_unit() {
        let s = settings("interfere check a.json --tolerance 0.5 --report-within 2 --verdict-only").unwrap();
        let options = s.options(LengthUnit::Inch).unwrap();
        assert_eq!((options.tolerance, options.report_within, options.verdict_only), (Some(12.7), Some(50.8), true));
    }

    #[test]
    fn a_length_beyond_the_numbers_is_an_error() {
        let s = settings("interfere check a.json --report-within 1e308").unwrap();
        assert!(s.options(LengthUnit::Mm).is_ok());
        assert_eq!(s.options(LengthUnit::M).unwrap_err().to_string(), "--report-within is too large");
    }

    #[test]
    fn outputs_that_cannot_be_are_refused_before_the_run() {
        for (line, error) in [
            ("--output /no/such/folder/r.json", "/no/such/folder/r.json: --output: its folder does not exist"),
            ("--timings src", "src: --timings: it is a folder"),
            ("--output Cargo.toml", "Cargo.toml: --output would replace the assembly"),
            ("--output x --timings x", "--output and --timings name the same place; choose two"),
            ("--timings -", "--output and --timings name the same place; choose two"),
        ] {
            let e = settings(&format!("interfere check Cargo.toml {line}")).unwrap_err();
            assert_eq!(e.to_string(), error);
        }
        assert_eq!(settings("interfere check Cargo.toml --output -").unwrap().output, Target::Stdout);
    }
}
