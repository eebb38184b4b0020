//! Runs `interfere render`: draws one pair.

use crate::check;
use crate::cli::console::Console;
use crate::cli::drawing_flags::{SceneArgs, SceneSettings};
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, Question, REPORT};
use crate::cli::pair_handle::PairArgs;
use crate::cli::progress::Bar;
use crate::cli::settings::QuestionSettings;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::{Error, Location, Warning};
use crate::findings::Judged;
use crate::io::FsLoader;
use crate::picture::{self, Format};
use crate::scene::{Scene, SceneFinding};
use clap::Args as ClapArgs;
use std::path::{Path, PathBuf};

const END: &str = "\
Exit codes:
  0  the picture is written, whatever it shows
  2  no picture: usage, unreadable or invalid input, an unknown pair, output not written

Examples:
  interfere render a.json bolt plate -o clash.png
  interfere render a.json '#3' --report report.json -o clash.png --size 1920x960";

/// The flags of `render`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct RenderArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// The pair.
    #[command(flatten)]
    pub pair: PairArgs,

    /// Write the picture to this PNG file.
    #[arg(long, short, value_name = "FILE.png", help_heading = REPORT)]
    pub output: PathBuf,

    /// Size of the picture in pixels [default: 1280x640].
    ///
    /// From 320x160 to 4096x2048.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x640", value_parser = size, help_heading = REPORT)]
    #[arg(hide_default_value = true)]
    pub size: [usize; 2],

    /// Flags of the scene.
    #[command(flatten)]
    pub scene: SceneArgs,

    /// Settings of the pair queries.
    #[command(flatten)]
    pub question: Question,
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
) -> Result<(Vec<u8>, Vec<Warning>), Error> {
    let assembly = settings.load(&FsLoader)?;
    let options = settings.options(assembly.units)?;
    let [a, b] = &args.pair.ids(&assembly, &FsLoader)?;
    let explained = check::explain_and_draw(&assembly, &options, [a, b], &FsLoader, progress)?;
    let judged = Judged::from(explained.outcome);
    let scene = Scene::new(explained.drawn);
    let finding = SceneFinding::of_row(&scene, &judged.outcome, 0);
    let [width, height] = args.size;
    let format = Format { width, height, ..SceneSettings::from(&args.scene).format };
    Ok((picture::of_finding(&scene, &judged, &finding, &format), explained.explanation.warnings))
}

/// Refuses a picture under another name than `*.png`.
fn refuse_other_endings(path: &Path) -> Result<(), Error> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let at = Location::file(path.display().to_string());
    Err(Error::one(at, "the name does not end in `.png`", "name a PNG file, as in -o clash.png"))
}
