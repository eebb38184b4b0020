//! Runs `interfere render`: draws one pair.

use crate::check;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, EXIT_CODES_OF_WRITERS, Question};
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::{Error, Location};
use crate::geom::Vec3;
use crate::io::FsLoader;
use crate::picture::{self, Caption, Format, Subject};
use crate::report;
use crate::scene::{Focus, Scene};
use clap::{Args as ClapArgs, ValueEnum};
use std::path::{Path, PathBuf};

/// The flags of `render`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXIT_CODES_OF_WRITERS)]
pub struct RenderArgs {
    /// The assembly file (JSON).
    #[arg(value_name = "ASSEMBLY.json")]
    pub assembly: PathBuf,

    /// The full id of one instance.
    #[arg(value_name = "A")]
    pub a: String,

    /// The full id of the other instance.
    #[arg(value_name = "B")]
    pub b: String,

    /// Write the picture to this file; its name ends in `.png`.
    #[arg(long, short, value_name = "FILE.png")]
    pub output: PathBuf,

    /// Size of the picture in pixels, from 320x160 to 4096x2048.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x640", value_parser = size)]
    pub size: [usize; 2],

    /// Axis of the assembly that points up in the picture.
    #[arg(long, value_enum, default_value = "z")]
    pub up: UpAxis,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,
}

/// Values of `--up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UpAxis {
    /// The x axis
    X,
    /// The y axis
    Y,
    /// The z axis
    Z,
}

impl UpAxis {
    /// Unit vector of the axis.
    pub fn vector(self) -> Vec3 {
        match self {
            Self::X => Vec3::x(),
            Self::Y => Vec3::y(),
            Self::Z => Vec3::z(),
        }
    }
}

/// Parses a size `WIDTHxHEIGHT`.
fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|[w, h]| (320..=4096).contains(w) && (160..=2048).contains(h))
        .ok_or_else(|| "must be WIDTHxHEIGHT in pixels, from 320x160 to 4096x2048".to_owned())
}

/// Draws the pair and writes the picture.
///
/// # Errors
/// Returns the errors of the assembly, of unknown ids, and of an unwritable file.
pub fn run(args: &RenderArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    refuse_other_endings(&args.output)?;
    let target = Target::of_argument(args.output.clone());
    let terminal = console.terminal;
    let settings = QuestionSettings::new(args.assembly.clone(), &args.question, false);
    let progress = Bar::new(terminal.stderr && !quiet);
    let (bytes, warnings) = pool(settings.threads)?.install(|| draw(args, &settings, &progress))?;
    drop(progress);
    if !quiet {
        console.warnings(&warnings, terminal.paints(color, terminal.stderr));
    }
    target.write(console.stdout, |out| out.write_all(&bytes))?;
    Ok(Exit::Pass)
}

fn draw(
    args: &RenderArgs,
    settings: &QuestionSettings,
    progress: &dyn check::Progress,
) -> Result<(Vec<u8>, Vec<crate::error::Warning>), Error> {
    let assembly = settings.load(&FsLoader)?;
    let options = settings.options(assembly.units)?;
    let e = check::explain(&assembly, &options, [&args.a, &args.b], &FsLoader, progress)?;
    let scene = Scene::new(check::drawn(&assembly, &options, &FsLoader, progress)?);
    let pair = [e.pair.a, e.pair.b];
    let subject = Subject {
        pair,
        focus: Focus::new(&e.pair, &scene.bounds_of(pair)),
        way_out: e.pair.separating_translation,
        demanded: e.rule.as_ref().and_then(|r| r.verb.min_clearance()),
    };
    let caption = Caption {
        id: check::pair_id(&e.sides[0].id, &e.sides[1].id),
        names: e.sides.each_ref().map(|s| s.id.clone()),
        lines: report::explain::summary(&e),
        units: e.units,
    };
    let format = Format { width: args.size[0], height: args.size[1], up: args.up.vector() };
    Ok((picture::draw(&scene, &subject, &caption, &format), e.warnings))
}

/// Refuses a picture under another name than `*.png`.
fn refuse_other_endings(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let at = Location::file(path.display().to_string());
    Err(Error::one(at, "the name does not end in `.png`", "name a PNG file, as in -o clash.png"))
}
