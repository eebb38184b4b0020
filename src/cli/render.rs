//! Runs `interfere render`: draws a pair, or the findings of a run or of a report.

use crate::check::{Measure, Timings};
use crate::cli::baseline_flags::GateArgs;
use crate::cli::console::Console;
use crate::cli::drawing::Drawing;
use crate::cli::drawing_flags::{DrawingSettings, SceneArgs, SceneSettings};
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, INPUT, PERFORMANCE, Question, REPORT};
use crate::cli::models;
use crate::cli::picture_folder::PictureFolder;
use crate::cli::progress::Bar;
use crate::cli::render_source::Source;
use crate::cli::report_flags::OutputFormat;
use crate::cli::settings::QuestionSettings;
use crate::cli::spared::check_places;
use crate::cli::target::Target;
use crate::cli::threads::pool;
use crate::error::{Error, Location};
use crate::findings::Judged;
use crate::picture::{self, Format};
use crate::scene::{RunFinding, SceneFinding};
use clap::Args as ClapArgs;
use std::path::{Path, PathBuf};

const END: &str = "\
Exit codes:
  0  everything is written, whatever it shows
  2  nothing is drawn: usage, unreadable or invalid input, an unknown pair, no common solid for STL, output not written

Examples:
  interfere render a.json bolt plate -o clash.png             check and draw a pair
  interfere render a.json bolt plate -o clash.glb             the same for 3D viewers
  interfere render a.json lid post --run travel -o worst.png  draw them at the worst pose of a sweep
  interfere render a.json -o clashes.html                     the page of all findings
  interfere render a.json bolt plate -o overlap.stl           the overlap for CAD programs
  interfere render a.json -o pictures                         check and draw each finding
  interfere render a.json --report report.json -o pictures    draw the findings of a report
  interfere render a.json '#3' --report report.json -o clash.png --size 1920x960
  interfere render a.json lid post --run travel --report report.json -o worst.png";

/// The flags of `render`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct RenderArgs {
    /// The assembly file (JSON), or its folder.
    #[arg(value_name = "ASSEMBLY")]
    pub assembly: PathBuf,

    /// The pair: A B, A,B, its id, or '#3' of --report [default: all findings].
    ///
    /// Names the pair by the full ids of its two instances, by its id in the reports, or by its row in --report.
    #[arg(value_name = "PAIR", num_args = 0..=2)]
    pub pair: Vec<String>,

    /// Draw the findings of this JSON report, without a check.
    ///
    /// The report comes from `check` or `merge`. The meshes and placements must be those of the report, and its
    /// settings apply.
    #[arg(long, value_name = "FILE.json", help_heading = INPUT)]
    #[arg(conflicts_with_all = ["geometry", "facets", "tolerance", "epsilon", "max_pieces", "report_within", "cache"])]
    #[arg(conflicts_with_all = ["baseline", "no_baseline", "fail_on", "severity"])]
    pub report: Option<PathBuf>,

    /// Draw the pair at the worst pose of a run [default: as drawn].
    ///
    /// With --report, the row of the pair in this run of the report.
    #[arg(long, value_name = "NAME", requires = "pair", help_heading = INPUT)]
    pub run: Option<String>,

    /// Write FILE.png, .html, .glb, .stl, or pictures to a folder.
    ///
    /// A picture (.png) shows one pair, the page (.html) all findings. A model holds the pair, or all findings: the
    /// assembly and the overlaps for 3D viewers (.glb), or the overlaps for CAD programs (.stl). A folder holds one
    /// picture for each line of the table, as with `check --pictures`.
    #[arg(long, short, value_name = "OUT", help_heading = REPORT)]
    pub output: PathBuf,

    /// Size of a picture in pixels [default: 1280x640].
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

    /// Reuse results of earlier runs from this folder.
    #[arg(long, value_name = "DIR", help_heading = PERFORMANCE)]
    pub cache: Option<PathBuf>,

    /// Baseline of the findings.
    #[command(flatten)]
    pub gate: GateArgs,
}

/// Parses a size `WIDTHxHEIGHT`.
fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides
        .filter(|[w, h]| (320..=4096).contains(w) && (160..=2048).contains(h))
        .ok_or_else(|| "must be WIDTHxHEIGHT in pixels, from 320x160 to 4096x2048".to_owned())
}

/// Output of `render`, by the name of `--output`.
enum Output {
    /// Picture of one pair.
    Picture(Target),
    /// Pictures of all findings.
    Folder(PictureFolder),
    /// Model of one pair or of all findings, or page of all findings.
    File(OutputFormat, Target),
}

impl Output {
    /// Output of a path; `has_pair` is true if the command line names a pair.
    ///
    /// # Errors
    /// Refuses a picture without a pair, a folder or a page with one, and a folder with other files.
    fn of(path: &Path, has_pair: bool) -> Result<Self, Error> {
        let at = || Location::file(path.display().to_string());
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let files = [OutputFormat::Glb, OutputFormat::Stl, OutputFormat::Html];
        if let Some(format) = files.into_iter().find(|f| ending.as_deref() == Some(f.name())) {
            if format == OutputFormat::Html && has_pair {
                return Err(Error::one(at(), "a page shows all findings, and a pair is named", "remove the pair"));
            }
            return Ok(Self::File(format, Target::File(path.to_owned())));
        }
        match (ending.as_deref() == Some("png"), has_pair) {
            (true, true) => Ok(Self::Picture(Target::File(path.to_owned()))),
            (true, false) => {
                Err(Error::one(at(), "a picture shows one pair, and no pair is named", "name the pair, as in A B"))
            }
            (false, true) => {
                let what = "the name ends in none of `.png`, `.glb` and `.stl`";
                Err(Error::one(at(), what, "name such a file, as in -o clash.png"))
            }
            (false, false) if path.extension().is_some() && !path.is_dir() => {
                Err(Error::one(at(), "a folder of pictures has no ending", "name a folder, as in -o pictures"))
            }
            (false, false) => PictureFolder::new(path).map(Self::Folder),
        }
    }
}

/// Draws a row of a pose or sweep at its worst pose; both by index.
fn in_run(
    output: &Output,
    drawing: &Drawing,
    judged: &Judged,
    [run, row]: [usize; 2],
    scene: &SceneSettings,
) -> Result<Vec<u8>, Error> {
    let runs = judged.runs();
    let one = &runs[run];
    let listed = drawing.run_findings.iter().find(|f| f.run == run && f.finding.row == row).cloned();
    let found = listed.unwrap_or_else(|| RunFinding::of_row(&drawing.scene, judged, one, run, row));
    match output {
        Output::File(format, _) => {
            models::of_pair(*format, &drawing.scene.at(&found.values), one, &found.finding, scene)
        }
        _ => Ok(picture::of_run_finding(&drawing.scene, judged, one, &found, &scene.format)),
    }
}

/// Draws and writes the output.
///
/// # Errors
/// Returns the errors of the assembly, of the report, of unknown ids, and of an unwritable output.
pub fn run(args: &RenderArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let output = Output::of(&args.output, !args.pair.is_empty())?;
    let settings = QuestionSettings::new(args.assembly.clone(), &args.question, Measure::All);
    let gate = args.gate.read(&settings.assembly)?;
    let terminal = console.terminal;
    let colour = terminal.paints(color, terminal.stderr);
    let pool = pool(settings.threads)?;
    let progress = Bar::new(terminal.stderr && !quiet);
    let (folder, file) = match &output {
        Output::Folder(folder) => (Some(folder.clone()), None),
        Output::Picture(target) | Output::File(_, target) => (None, Some(target)),
    };
    check_places(file.map(|target| ("--output", target)))?;
    let source = pool.install(|| Source::new(args, &settings, &gate, file, &progress))?;
    let outputs = match &output {
        Output::File(format, _) if args.pair.is_empty() => vec![*format],
        _ => Vec::new(),
    };
    let [width, height] = args.size;
    let scene = SceneSettings::from(&args.scene);
    let scene = SceneSettings { format: Format { width, height, ..scene.format }, ..scene };
    let drawing_settings = DrawingSettings { pictures: folder, picture_url: None, outputs, open: false, scene };
    let Source { judged, drawn, row, warnings } = source;
    let mut timings = Timings::default();
    let drawing = pool.install(|| Drawing::new(&judged, drawn, &drawing_settings, None, &mut timings, &progress))?;
    let of_pair = row.map(|(run, row)| {
        if let Some(run) = run {
            return pool.install(|| in_run(&output, &drawing, &judged, [run, row], &scene));
        }
        // A finding of the run has its group; any other pair is drawn alone.
        let listed = drawing.findings.iter().find(|f| f.row == row).cloned();
        let finding = listed.unwrap_or_else(|| SceneFinding::of_row(&drawing.scene, &judged.outcome, row));
        pool.install(|| match &output {
            Output::File(format, _) => models::of_pair(*format, &drawing.scene, &judged, &finding, &scene),
            _ => Ok(picture::of_finding(&drawing.scene, &judged, &finding, &scene.format)),
        })
    });
    let of_pair = of_pair.transpose()?;
    drop(progress);
    if !quiet {
        console.warnings(&warnings, colour);
        drawing.notes.iter().for_each(|note| console.note(note, colour));
    }
    match output {
        Output::Picture(target) => {
            target.write(console.stdout, |out| out.write_all(&of_pair.unwrap_or_default()))?;
        }
        Output::File(format, target) => {
            let bytes = of_pair.as_deref().unwrap_or(drawing.file(format));
            target.write(console.stdout, |out| out.write_all(bytes))?;
        }
        Output::Folder(folder) => folder.sweep(drawing.pictures.values())?,
    }
    Ok(Exit::Pass)
}
