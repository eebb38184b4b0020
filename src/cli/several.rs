//! Runs `interfere check` on several assemblies: checks each, writes their reports together, ends in the worst exit.

use crate::cli::baseline_flags::slashes;
use crate::cli::check::Check;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::finish::{Clocks, style_of};
use crate::cli::picture_prefix::link_prefix;
use crate::cli::report_flags::OutputFormat;
use crate::cli::target::Target;
use crate::cli::took;
use crate::cli::work::Work;
use crate::report::several::{self, Checked};
use crate::report::{Format, PictureFiles};

/// Checks each assembly; one without a verdict leaves the others their verdicts.
///
/// # Errors
/// Returns the error of a failed write, and of the system.
pub(crate) fn run(checks: &[Check], work: &Work<'_>, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let Some(Check { settings, quiet, color, .. }) = checks.first() else { return Ok(Exit::NotDecided) };
    for check in checks {
        check.settings.spare_inputs().map_err(Failure::Input)?;
    }
    let clocks = Clocks::start();
    let colour = console.terminal.paints(*color, console.terminal.stderr);
    let mut all = Vec::with_capacity(checks.len());
    for check in checks {
        let path = slashes(&check.settings.question.assembly);
        let (result, pictures) = match check.judge(&path, work, console) {
            Ok((judged, pictures)) => (Ok(judged), pictures),
            Err(Failure::Input(error)) => {
                console.errors(&error, colour);
                (Err(error), PictureFiles::new())
            }
            Err(other) => return Err(other),
        };
        all.push(Checked { path, result, pictures });
    }
    if let Some(folder) = &settings.drawing.pictures {
        folder.sweep(all.iter().flat_map(|one| one.pictures.values()))?;
    }
    let outputs = &settings.outputs;
    for report in &outputs.reports {
        let style = style_of(report, outputs, *color, console.terminal);
        let prefix = link_prefix(report, &settings.drawing);
        // An output that shows the scene is for one assembly: the flags refuse it here.
        let OutputFormat::Report(format) = report.format else { continue };
        report.target.write(console.stdout, |out| several::render(&all, format, style, prefix.as_deref(), out))?;
    }
    if !quiet {
        let is_printed = outputs
            .reports
            .iter()
            .any(|r| r.format == OutputFormat::Report(Format::Table) && r.target == Target::Stdout);
        if !is_printed {
            let mut text = Vec::new();
            // Writing to a Vec cannot fail.
            let _ = several::summary(&all, colour, &mut text);
            console.on_stderr(&String::from_utf8_lossy(&text));
        }
        let assemblies = crate::report::number::count_of(all.len() as u64, "assembly", "assemblies");
        console.on_stderr(&took::line(&assemblies, &clocks));
    }
    let worst = all.iter().map(|one| match &one.result {
        Ok(judged) => Exit::of_judged(judged),
        Err(_) => Exit::NotDecided,
    });
    Ok(worst.max_by_key(|exit| exit.code()).unwrap_or(Exit::NotDecided))
}
