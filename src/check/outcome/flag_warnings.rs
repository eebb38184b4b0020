//! Warns about options without an effect on the run.

use crate::assembly::{Assembly, Geometry};
use crate::check::options::{DEFAULT_MAX_PIECES, Measure, Options};
use crate::error::{Warning, WarningCode};
use crate::motion::RunKind;

/// Warnings about options that this run cannot use, in a fixed order.
pub(crate) fn flag_warnings(assembly: &Assembly, options: &Options) -> Vec<Warning> {
    let run = options.geometry.or(assembly.settings.geometry).unwrap_or(Geometry::Exact);
    let own: Vec<Option<Geometry>> =
        assembly.instances.iter().map(|i| assembly.parts[i.part.0 as usize].geometry).collect();
    let is_all = |geometry: Geometry| own.iter().all(|g| g.unwrap_or(run) == geometry);
    let has_pieces = own.iter().any(|g| g.unwrap_or(run) == Geometry::Decomposition);
    let has_sweeps = assembly.motion.runs.iter().any(|run| !matches!(run.kind, RunKind::Pose { .. }));
    let no_pieces = "no part is taken as convex pieces; remove it, or add --geometry decomposition";
    let cases = [
        (
            "--geometry",
            options.geometry.is_some() && own.iter().all(Option::is_some),
            "each placed part has a `geometry` of its own; remove it",
        ),
        (
            "--facets",
            options.facets.is_some() && is_all(Geometry::Hull),
            "convex hulls have no concave facets; remove it",
        ),
        ("--epsilon", options.epsilon.is_some() && !has_pieces, no_pieces),
        (
            "--report-within",
            options.report_within.is_some() && options.measure == Measure::None,
            "--measure none (--verdict-only) measures no gaps; remove one of them",
        ),
        (
            "--gap-width",
            options.gap_width.is_some() && options.measure == Measure::None,
            "--measure none (--verdict-only) measures no gaps; remove one of them",
        ),
        (
            "--gap-width",
            options.gap_width.is_some() && options.measure != Measure::None && !has_sweeps,
            "the assembly has no sweep; remove it",
        ),
        ("--max-pieces", options.max_pieces != DEFAULT_MAX_PIECES && !has_pieces, no_pieces),
    ];
    let warn = |(flag, _, why): (&str, bool, &str)| {
        Warning::new(WarningCode::FlagWithoutEffect, format!("{flag} has no effect: {why}"))
    };
    cases.into_iter().filter(|(_, is, _)| *is).map(warn).collect()
}
