//! Runs `interfere import`: writes an assembly folder for a file of CAD or of a robot.

use crate::assembly::Geometry;
use crate::cli::baseline_flags::slashes;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, GEOMETRY, INPUT, PERFORMANCE, REPORT, TextChoice, unit};
use crate::cli::import_folder::up_to_date;
use crate::cli::import_folder::{replace, source_path};
use crate::cli::importer::{Importer, ImporterSettings};
use crate::cli::target::Target;
use crate::error::{Error, Location, Warning};
use crate::geom::LengthUnit;
use crate::import::folder::{ASSEMBLY, Folder, Summary, generate};
use crate::import::recognise::{Kind, kind_of};
use crate::import::{ImportOptions, Up, counted, import_content};
use crate::io::{FsLoader, Loader};
use crate::report::number::count;
use clap::{Args as ClapArgs, ValueEnum};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Imports a file and writes its folder.
///
/// # Errors
/// Refuses a file that cannot become an assembly, and a folder with other files.
pub fn run(args: &ImportArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let options = args.options();
    let written = slashes(&args.output.join(ASSEMBLY));
    let bytes = content(&args.file)?;
    let folder = match kind_of(&bytes) {
        Ok(kind) if kind.needs_program() => {
            drop(bytes);
            args.source.refuse_for_program(&args.file, kind)?;
            let shown = slashes(&args.file);
            let input = std::fs::canonicalize(&args.file).unwrap_or_else(|_| args.file.clone());
            let importer = Importer::find(&shown, &options, args.source.importer())?;
            let key = importer.key(&input, &shown)?;
            if up_to_date(&args.output, &key) {
                Target::Stdout.write(console.stdout, |out| writeln!(out, "up to date: {written}"))?;
                return Ok(Exit::Pass);
            }
            importer.import(&input, &shown)?
        }
        // The import words the error of an unknown kind.
        kind => {
            if let Ok(kind) = kind {
                args.source.refuse_without_meaning(&args.file, kind)?;
            }
            let imported = import_content(&args.file, &bytes, &FsLoader, &options)?;
            drop(bytes);
            generate(&imported, &options, &source_path(&args.file))?
        }
    };
    replace(&args.output, &folder.files, args.force)?;
    if !quiet {
        let colour = console.terminal.paints(color, console.terminal.stderr);
        let told: Vec<Warning> = folder.warnings.iter().filter(|w| w.code.name() != "left-out").cloned().collect();
        console.warnings(&told, colour);
    }
    let text = match args.format {
        TextChoice::Text => as_text(&slashes(&args.file), &written, &folder.summary),
        TextChoice::Json => as_json(&written, &folder)?,
    };
    Target::Stdout.write(console.stdout, |out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Pass)
}

fn content(file: &Path) -> Result<Vec<u8>, Failure> {
    FsLoader.read(file).map_err(|e| {
        let what = if e.kind() == std::io::ErrorKind::NotFound {
            "no such file".to_owned()
        } else {
            format!("cannot read the file: {e}")
        };
        Failure::Input(Error::one(Location::file(slashes(file)), what, "check the path"))
    })
}

/// The summary for people: a line a fact.
fn as_text(source: &str, written: &str, summary: &Summary) -> String {
    let mut text = format!(
        "{source} ({})\n  parts        {}\n  instances    {}\n  triangles    {}\n",
        summary.format, summary.parts, summary.instances, summary.triangles
    );
    let deflection = summary.deflection.map_or("not known".to_owned(), |d| LengthUnit::Mm.format_length(d));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  deflection   {deflection}");
    if summary.rules > 0 {
        let _ = writeln!(text, "  rules        {}", summary.rules);
    }
    if summary.open_parts > 0 {
        let _ = writeln!(text, "  not closed   {}", count(summary.open_parts, "part"));
    }
    for (k, left) in summary.left_out.iter().enumerate() {
        let head = if k == 0 { "left out" } else { "" };
        let places = if left.places.is_empty() { String::new() } else { format!(" ({})", left.places.join(", ")) };
        let _ = writeln!(
            text,
            "  {head:<10}   {}{}",
            counted(left.count, &left.what),
            crate::json::wording::one_line_of(&places, 200)
        );
    }
    let _ = writeln!(text, "  written      {written}");
    text
}

#[derive(Serialize)]
struct ImportReport<'a> {
    version: u32,
    written: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
    warnings: &'a [Warning],
}

fn as_json(written: &str, folder: &Folder) -> Result<String, Failure> {
    let report = ImportReport { version: 1, written, summary: &folder.summary, warnings: &folder.warnings };
    crate::json::write::to_exact_json(&report).map_err(|source| Failure::Output { file: "stdout".to_owned(), source })
}

const END: &str = "\
Exit codes:
  0  the folder is written
  2  no folder written: usage, a file that cannot become an assembly, output not written

Examples:
  interfere import gripper.glb -o design            write design/assembly.json and its parts
  interfere import arm.urdf -o design --pose home   place the links of a robot in a named pose
  interfere import plate.glb -o design --units mm   read numbers in millimetres";

/// The flags of `import`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct ImportArgs {
    /// File: glTF 2.0 or GLB, 3MF, URDF, MJCF, SDF, STEP; or a mesh as one part.
    ///
    /// The content decides the format; the file name has no influence.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Folder to write.
    ///
    /// The folder must be new, empty, or written by an earlier import.
    #[arg(long, short, value_name = "DIR", help_heading = REPORT)]
    pub output: PathBuf,

    /// Keep other files in the folder, and replace files of equal names.
    #[arg(long, help_heading = REPORT)]
    pub force: bool,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,

    /// Flags about the file.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// Flags about a file that becomes an assembly.
#[derive(Debug, Clone, ClapArgs)]
pub struct SourceArgs {
    /// Unit of the numbers in the file [default: its own].
    ///
    /// One of um, mm, cm, m, inch and ft.
    #[arg(long, value_name = "UNIT", value_parser = unit, help_heading = INPUT)]
    pub units: Option<LengthUnit>,

    /// Axis that points up in the file: y or z [default: z].
    ///
    /// `y` turns the assembly by 90° about x, so that z points up.
    #[arg(long, value_enum, value_name = "AXIS", hide_possible_values = true, help_heading = INPUT)]
    pub up: Option<UpChoice>,

    /// Largest distance of facets, in mm [default: 0.05].
    ///
    /// The distance of a facet from the surface that it approximates.
    #[arg(long, value_name = "MM", value_parser = positive, help_heading = GEOMETRY)]
    pub deflection: Option<f64>,

    /// Largest angle between facets, in rad [default: 0.3].
    #[arg(long, value_name = "RAD", value_parser = positive, help_heading = GEOMETRY)]
    pub angle: Option<f64>,

    /// Named pose of a robot, from its SRDF or keyframes [default: zero].
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub pose: Option<String>,

    /// Value of a joint in rad or m; after --pose, repeatable.
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint, help_heading = INPUT)]
    pub joints: Vec<(String, f64)>,

    /// SRDF of a robot [default: the one beside it].
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub srdf: Option<PathBuf>,

    /// Folder of a ROS package; repeatable.
    ///
    /// Files of this folder may lie outside the version-controlled tree.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package, help_heading = INPUT)]
    pub packages: Vec<(String, PathBuf)>,

    /// Read the visual geometry of a robot's links.
    #[arg(long, help_heading = GEOMETRY)]
    pub visual: bool,

    /// Check parts as decomposition or hull [default: exact].
    #[arg(long, value_enum, value_name = "GEOMETRY", hide_possible_values = true, help_heading = GEOMETRY)]
    pub parts_as: Option<PartsAs>,

    /// Read files from outside the version-controlled tree.
    #[arg(long, help_heading = INPUT)]
    pub allow_outside: bool,

    /// Take surfaces without a volume as parts, from STEP.
    #[arg(long, help_heading = GEOMETRY)]
    pub open_shells: bool,

    /// Time for the program that reads STEP, in s [default: 600].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = PERFORMANCE)]
    pub import_timeout: Option<u64>,
}

impl SourceArgs {
    fn importer(&self) -> ImporterSettings {
        let defaults = ImporterSettings::default();
        let timeout = self.import_timeout.map_or(defaults.timeout, Duration::from_secs);
        ImporterSettings { open_shells: self.open_shells, timeout }
    }

    /// Refuses flags without a meaning for a format. The lengths of a robot are metres, and its meshes have scales;
    /// other files have no joints.
    fn refuse_without_meaning(&self, file: &Path, kind: Kind) -> Result<(), Error> {
        let refused = |what: String, fix| Err(Error::one(Location::file(slashes(file)), what, fix));
        if self.units.is_some() && kind.is_robot() {
            let what = format!("--units has no meaning for {}: its lengths are metres", kind.name());
            return refused(what, "remove the flag; give meshes a scale in the file");
        }
        let of_robots =
            [(self.pose.is_some(), "--pose"), (!self.joints.is_empty(), "--joint"), (self.visual, "--visual")];
        let given = of_robots.into_iter().filter(|_| !kind.is_robot());
        let srdf = (self.srdf.is_some() && kind != Kind::Urdf, "--srdf");
        match given.chain([srdf]).find(|(is_given, _)| *is_given) {
            Some((_, flag)) => refused(format!("{flag} has no meaning for {}", kind.name()), "remove the flag"),
            None => Ok(()),
        }
    }

    /// Refuses flags that have no meaning for a format of another program.
    fn refuse_for_program(&self, file: &Path, kind: Kind) -> Result<(), Error> {
        let given = [
            (self.units.is_some(), "--units"),
            (self.up.is_some(), "--up"),
            (self.pose.is_some(), "--pose"),
            (!self.joints.is_empty(), "--joint"),
            (self.srdf.is_some(), "--srdf"),
            (self.visual, "--visual"),
            (self.parts_as.is_some(), "--parts-as"),
        ];
        match given.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, flag)) => {
                let what = format!("{flag} has no meaning for {}", kind.name());
                Err(Error::one(Location::file(slashes(file)), what, "remove the flag"))
            }
            None => Ok(()),
        }
    }
}

/// Values of `--up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UpChoice {
    /// The second axis
    Y,
    /// The third axis
    Z,
}

/// Values of `--parts-as`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PartsAs {
    /// Convex pieces that cover the part
    Decomposition,
    /// The convex hull of the part's vertices
    Hull,
}

/// Options without flags, with the folders of packages of the environment.
pub(crate) fn defaults() -> ImportOptions {
    let paths = std::env::var_os("ROS_PACKAGE_PATH").unwrap_or_default();
    let package_folders = std::env::split_paths(&paths).filter(|p| !p.as_os_str().is_empty()).collect();
    ImportOptions { package_folders, ..ImportOptions::default() }
}

impl ImportArgs {
    fn options(&self) -> ImportOptions {
        let args = &self.source;
        let defaults = defaults();
        ImportOptions {
            units: args.units,
            up: if args.up == Some(UpChoice::Y) { Up::Y } else { Up::Z },
            deflection: args.deflection.unwrap_or(defaults.deflection),
            angle: args.angle.unwrap_or(defaults.angle),
            pose: args.pose.clone(),
            joints: args.joints.clone(),
            packages: args.packages.clone(),
            package_folders: defaults.package_folders,
            srdf: args.srdf.clone(),
            visual: args.visual,
            parts_as: args.parts_as.map(|choice| match choice {
                PartsAs::Decomposition => Geometry::Decomposition,
                PartsAs::Hull => Geometry::Hull,
            }),
            allow_outside: args.allow_outside,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|x| x.is_finite() && *x > 0.0).ok_or_else(|| "expected a number above 0".to_owned())
}

fn joint(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value: f64 = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    if value.is_finite() { Ok((name.to_owned(), value)) } else { Err("expected a finite number".to_owned()) }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("expected NAME=DIR")?;
    Ok((name.to_owned(), PathBuf::from(folder)))
}
