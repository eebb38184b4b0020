//! Reads the baseline flags: the baseline of a run and its condition of failure.

use crate::assembly::Level;
use crate::check::{AcceptedTranslation, Outcome, Status};
use crate::cli::exit::Failure;
use crate::cli::flags::GATE;
use crate::error::{Error, Location, Warning, WarningCode};
use crate::findings::baseline::{self, FILE_NAME};
use crate::findings::{Baseline, FailOn, Judged, Severities};
use crate::io::{FsLoader, Loader};
use clap::{Args as ClapArgs, ValueEnum};
use std::io;
use std::path::{Path, PathBuf};

/// Flags for the baseline and the condition of failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub struct GateArgs {
    /// Let findings accepted in this file pass until they get worse.
    ///
    /// Compares the findings with this baseline; accepted findings fail only if they get worse [default:
    /// interfere-baseline.json beside the assembly, if it exists].
    #[arg(long, value_name = "FILE", conflicts_with = "no_baseline", help_heading = GATE)]
    pub baseline: Option<PathBuf>,

    /// Use no baseline, even if one exists.
    #[arg(long, help_heading = GATE)]
    pub no_baseline: bool,

    /// Findings that fail: new, any, never [default: new with a baseline].
    ///
    /// `new`: findings outside the baseline. `any`: all findings, the default without a baseline. `never`: none.
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true, help_heading = GATE)]
    pub fail_on: Option<FailOnChoice>,

    /// Severity of a status, as in undecided=warning.
    ///
    /// Takes the place of the severities of rules: `error` fails, `warning` is listed and passes. The statuses are
    /// `interference`, `too_close`, `loose` and `undecided`; repeat the flag for several.
    #[arg(long, value_name = "STATUS=WORD", value_parser = severity, help_heading = GATE)]
    pub severity: Vec<(Status, Level)>,
}

/// Parses `STATUS=SEVERITY`.
fn severity(text: &str) -> Result<(Status, Level), String> {
    let (status, level) = text.split_once('=').ok_or("write STATUS=SEVERITY, as in too_close=warning")?;
    let names: Vec<&str> = Status::ALL.into_iter().filter(|s| s.fails()).map(Status::name).collect();
    let status = Status::ALL.into_iter().find(|s| s.fails() && s.name() == status);
    let status = status.ok_or_else(|| format!("the status is one of {}", names.join(", ")))?;
    let level = Level::from_name(level).ok_or("the severity is `error` or `warning`")?;
    Ok((status, level))
}

/// Values of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOnChoice {
    /// Findings outside the baseline
    New,
    /// Every finding
    Any,
    /// No finding
    Never,
}

/// Baseline and condition of failure of a run, after reading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gate {
    /// The baseline and its name in reports.
    pub baseline: Option<(Baseline, String)>,
    /// Value of `--fail-on`.
    pub fail_on: Option<FailOn>,
    /// Values of `--severity`.
    pub severities: Severities,
    /// Warnings found on the way.
    pub warnings: Vec<Warning>,
}

impl GateArgs {
    /// Path of the assembly's baseline; the file may be missing.
    pub fn place(&self, assembly: &Path) -> PathBuf {
        Place::new(self.baseline.as_deref(), assembly).path
    }

    /// Reads the baseline of an assembly, if it exists. A file beside the assembly with the baseline of another
    /// assembly gives a warning and is skipped.
    ///
    /// # Errors
    /// Refuses a damaged or unreadable baseline, and a missing file under `--baseline`.
    pub fn read(&self, assembly: &Path) -> Result<Gate, Failure> {
        let fail_on = self.fail_on.map(|choice| match choice {
            FailOnChoice::New => FailOn::New,
            FailOnChoice::Any => FailOn::Any,
            FailOnChoice::Never => FailOn::Never,
        });
        let mut gate = Gate { fail_on, ..Gate::default() };
        self.severity.iter().for_each(|(status, level)| gate.severities.set(*status, *level));
        if self.no_baseline {
            return Ok(gate);
        }
        let place = Place::new(self.baseline.as_deref(), assembly);
        match place.read()? {
            Some(found) if place.is_of_another(&found) => {
                let message = format!(
                    "the baseline belongs to {}, so the run does not use it for {}; name it with --baseline, or pass --no-baseline",
                    found.assembly, place.assembly
                );
                let at = Some(Location::file(&place.shown));
                gate.warnings.push(Warning { at, ..Warning::new(WarningCode::OtherBaseline, message) });
            }
            Some(found) => gate.baseline = Some((found, place.shown)),
            None if place.named => {
                let fix = format!("write it with `interfere accept {} --baseline {}`", slashes(assembly), place.shown);
                return Err(Error::one(Location::file(place.shown), "the baseline does not exist", fix).into());
            }
            None => {}
        }
        Ok(gate)
    }
}

impl GateArgs {
    /// Accepted separating translations of an assembly's baseline. Empty without a baseline for this assembly, and for
    /// an unreadable one: [`Self::read`] reports it.
    pub(crate) fn translations(&self, assembly: &Path) -> Vec<AcceptedTranslation> {
        let gate = self.read(assembly).unwrap_or_default();
        gate.baseline.map(|(baseline, _)| baseline.translations()).unwrap_or_default()
    }
}

impl Gate {
    /// Compares a run with the baseline and decides which findings fail; with `strict`, warnings fail, too. Adds the
    /// warnings of the gate to the run.
    pub fn judge(&self, mut outcome: Outcome, strict: bool) -> Judged {
        outcome.warnings.extend(self.warnings.iter().cloned());
        let compare = |(baseline, file): &(Baseline, String)| baseline::compare(baseline, file.clone(), &outcome);
        let baseline = self.baseline.as_ref().map(compare);
        let default = if baseline.is_some() { FailOn::New } else { FailOn::Any };
        let fail_on = self.fail_on.unwrap_or(default);
        Judged { outcome, baseline, fail_on, strict, severities: self.severities }
    }
}

/// Path of an assembly's baseline, with names for messages.
pub(crate) struct Place {
    pub path: PathBuf,
    /// Path as in reports and messages.
    pub shown: String,
    /// Name of the assembly file.
    pub assembly: String,
    /// True if a flag names the path.
    pub named: bool,
}

impl Place {
    /// Takes the named path, or the default name beside the assembly.
    pub fn new(named: Option<&Path>, assembly: &Path) -> Self {
        let path = named.map_or_else(|| assembly.with_file_name(FILE_NAME), Path::to_owned);
        let name = assembly.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Self { shown: slashes(&path), path, assembly: name, named: named.is_some() }
    }

    /// Reads the baseline; `None` if the file is missing.
    pub fn read(&self) -> Result<Option<Baseline>, Failure> {
        match FsLoader.read(&self.path) {
            Ok(bytes) => Ok(Some(baseline::read(&self.shown, bytes)?)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => {
                let what = format!("cannot read the baseline: {e}");
                Err(Error::one(Location::file(&self.shown), what, "check the path").into())
            }
        }
    }

    /// Returns true if a baseline found without a flag belongs to another assembly.
    pub fn is_of_another(&self, baseline: &Baseline) -> bool {
        !self.named && baseline.assembly != self.assembly
    }
}

/// Path with `/` as separator, for messages.
pub(crate) fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
