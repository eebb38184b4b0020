//! Draws the findings of a run: builds the scene once, writes the pictures, and keeps both for the other outputs.

use crate::assembly::InstanceIx;
use crate::check::{Drawn, Progress, Stage, Stopwatch, Timings, pair_id};
use crate::cli::drawing_flags::{DrawingSettings, SceneSettings};
use crate::cli::exit::Failure;
use crate::cli::models;
use crate::cli::picture_folder::{PictureFolder, picture_name};
use crate::cli::report_flags::OutputFormat;
use crate::findings::Judged;
use crate::page;
use crate::picture;
use crate::report::PictureFiles;
use crate::report::number::count;
use crate::scene::{Overlaps, RunFinding, Scene, SceneFinding, findings, run_findings};
use rayon::prelude::*;

/// Everything drawn of a run.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// The placed shapes.
    pub(crate) scene: Scene,
    /// Lines of the report, worst first.
    pub(crate) findings: Vec<SceneFinding>,
    /// Lines of the poses and sweeps.
    pub(crate) run_findings: Vec<RunFinding>,
    /// Poses and sweeps as outcomes of their own.
    runs: Vec<Judged>,
    /// Pictures in the folder, by row.
    pub(crate) pictures: PictureFiles,
    /// Common solids and crossing lines, if an output needs them.
    overlaps: Overlaps,
    /// Bytes of the outputs that show the scene.
    pub(crate) files: Vec<(OutputFormat, Vec<u8>)>,
    /// Notes for the user about findings without a picture or a solid.
    pub(crate) notes: Vec<String>,
}

impl Drawing {
    /// Builds the scene of a judged run and writes its pictures; call it in the thread pool of the run. `judged` comes
    /// from a report or from [`crate::findings::as_reported`], so that both give the same bytes. `assembly` is the path
    /// of the assembly in a run over several.
    ///
    /// # Errors
    /// Returns the error of a picture or a model that cannot be written.
    pub(crate) fn new(
        judged: &Judged,
        drawn: Drawn,
        settings: &DrawingSettings,
        assembly: Option<&str>,
        timings: &mut Timings,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let mut watch = Stopwatch::start();
        progress.begin(Stage::Scene, 1);
        let scene = Scene::new(drawn);
        let findings = findings(&scene, judged);
        let runs = judged.runs();
        let run_findings = run_findings(&scene, judged, &runs);
        watch.stop(Stage::Scene, timings);
        let mut drawing = Self {
            scene,
            findings,
            run_findings,
            runs,
            pictures: PictureFiles::new(),
            overlaps: Overlaps::default(),
            files: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(folder) = &settings.pictures {
            drawing.write_pictures(judged, folder, &settings.scene, assembly, progress)?;
        }
        if settings.outputs.iter().any(|output| output.needs_overlaps()) {
            drawing.overlaps = Overlaps::new(&drawing.scene, &drawing.findings);
        }
        for output in &settings.outputs {
            drawing.write_file(judged, *output, &settings.scene, progress)?;
        }
        watch.stop(Stage::Draw, timings);
        Ok(drawing)
    }

    /// Bytes of an output that shows the scene; empty for other outputs.
    pub(crate) fn file(&self, output: OutputFormat) -> &[u8] {
        self.files.iter().find(|(of, _)| *of == output).map_or(&[], |(_, bytes)| bytes)
    }

    fn write_file(
        &mut self,
        judged: &Judged,
        output: OutputFormat,
        settings: &SceneSettings,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let bytes = match output {
            OutputFormat::Report(_) => return Ok(()),
            OutputFormat::Glb => models::glb(&self.scene, judged, &self.findings, &self.overlaps, settings)?,
            OutputFormat::Stl => {
                let (bytes, missing) = models::stl(judged, &self.overlaps)?;
                if missing > 0 {
                    let lines = count(missing as u64, "finding");
                    self.notes.push(format!("{lines} without a common solid; --format glb shows the crossing lines"));
                }
                bytes
            }
            OutputFormat::Html => {
                let options = page::Options {
                    up: settings.format.up,
                    selection: settings.selection,
                    max_bytes: settings.max_page,
                    ..page::Options::default()
                };
                let found =
                    page::Found { findings: &self.findings, run_findings: &self.run_findings, runs: &self.runs };
                let page = page::write(&self.scene, judged, &found, &options, progress);
                self.notes.extend(page.notes);
                page.bytes
            }
        };
        self.files.push((output, bytes));
        Ok(())
    }

    /// Draws the worst findings, one task for each picture.
    fn write_pictures(
        &mut self,
        judged: &Judged,
        folder: &PictureFolder,
        settings: &SceneSettings,
        assembly: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        folder.make()?;
        let o = &judged.outcome;
        let kept = &self.findings[..self.findings.len().min(settings.max_pictures)];
        let room = settings.max_pictures - kept.len();
        let of_runs = &self.run_findings[..self.run_findings.len().min(room)];
        progress.begin(Stage::Draw, (kept.len() + of_runs.len()) as u64);
        let name = |finding: &SceneFinding, run: Option<&str>| {
            let [a, b] = finding.pair.map(|i: InstanceIx| o.id(i));
            picture_name(&pair_id(a, b), run, assembly)
        };
        let write = |name: String, bytes: &[u8]| {
            folder.write(&name, bytes)?;
            progress.advance(1);
            Ok::<String, Failure>(name)
        };
        let written = kept.par_iter().map(|finding| {
            let bytes = picture::of_finding(&self.scene, judged, finding, &settings.format);
            Ok(((0, finding.row), write(name(finding, None), &bytes)?))
        });
        self.pictures = written.collect::<Result<_, Failure>>()?;
        let written = of_runs.par_iter().map(|found| {
            let one = &self.runs[found.run];
            let bytes = picture::of_run_finding(&self.scene, judged, one, found, &settings.format);
            let name = name(&found.finding, Some(&o.runs()[found.run].name));
            Ok(((found.run + 1, found.finding.row), write(name, &bytes)?))
        });
        let written: PictureFiles = written.collect::<Result<_, Failure>>()?;
        let all = self.findings.len() + self.run_findings.len();
        let rest = all - kept.len() - of_runs.len();
        self.pictures.extend(written);
        if rest > 0 {
            let lines = count(rest as u64, "finding");
            self.notes.push(format!("{lines} without a picture; --max-pictures {all} draws all"));
        }
        Ok(())
    }
}
