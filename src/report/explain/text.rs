//! Writes an explanation for people: a line for each stage, then the verdict and its reason.

use crate::assembly::{Facets, Geometry, Level};
use crate::check::{Certainty, ExplainedInstance, Explanation, Fix, Mover, MoverReason, PairLimits, Side, Status};
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit, Vec3};
use crate::report::explain::steps::step_text;
use crate::report::number::{count, direction, length, length_text, move_text};
use crate::report::rows::{rule_text, some_of};
use crate::report::sentence::moving_text;
use crate::report::text::{Paint, painted, shown};
use std::io::{self, Write};

pub(crate) fn text(e: &Explanation, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let [a, b] = &e.sides;
    writeln!(out, "{} and {} in {} ({})", shown(&a.id), shown(&b.id), shown(&e.name), shown(&e.path))?;
    writeln!(out)?;
    let mut lines = vec![("a", side_text(a, e.units)), ("b", side_text(b, e.units)), ("rule", rule_line(e))];
    if let Some(asked) = &e.asked {
        lines.push(("limits", limits_text(e, asked)));
    }
    lines.extend(e.steps.iter().map(|s| (s.stage(), step_text(s, e.units))));
    for (head, line) in lines {
        writeln!(out, "{}  {line}", painted(&format!("{head:>9}"), Paint::Bold, colour))?;
    }
    writeln!(out)?;
    let (paint, level) = match e.severity() {
        Some(Level::Error) => (Paint::Bad, ""),
        Some(Level::Warning) => (Paint::Warn, " (warning)"),
        None => (Paint::Good, ""),
    };
    writeln!(out, "{}{level}: {}", painted(e.pair.status.name(), paint, colour), why(e))?;
    if let Some(fix) = &e.fix {
        writeln!(out, "{}: {}", painted("fix", Paint::Bold, colour), fix_text(e, fix))?;
    }
    out.flush()
}

fn side_text(s: &ExplainedInstance, units: LengthUnit) -> String {
    let kind = match (s.solid, s.convex) {
        (_, true) => "convex",
        (true, false) if s.part.closed => "closed",
        (true, false) => "closed after repair",
        (false, false) => "no definite inside",
    };
    let facets = s.part.facet_error.filter(|f| *f > 0.0);
    let facets = facets.map(|f| format!(", facet error up to {}", length_text(f, units))).unwrap_or_default();
    let mesh = if s.part.mesh.is_empty() { String::new() } else { format!(" ({})", shown(&s.part.mesh)) };
    let triangles = count(s.part.triangles, "triangle");
    format!(
        "{}: part {}{mesh}, {triangles}, {kind}{facets}; geometry {}{}",
        shown(&s.id),
        shown(&s.part.key),
        s.geometry.name(),
        if s.geometry == Geometry::Decomposition { pieces_text(s, units) } else { String::new() }
    )
}

fn pieces_text(s: &ExplainedInstance, units: LengthUnit) -> String {
    match (s.part.pieces, s.part.epsilon) {
        (Some(n), Some(mm)) => format!(": {}, overshoot up to {}", count(n, "convex piece"), length_text(mm, units)),
        _ => String::new(),
    }
}

fn rule_line(e: &Explanation) -> String {
    match &e.rule {
        Some(rule) => rule_text(rule, e.units),
        None if e.in_one_unit => "both instances are in one `as_unit` sub-assembly".to_owned(),
        None => "none matches".to_owned(),
    }
}

fn limits_text(e: &Explanation, asked: &PairLimits) -> String {
    let length = |mm| length_text(mm, e.units);
    let raised = if asked.tolerance > e.settings.tolerance {
        format!(", raised from {} to cover the rounding of the coordinates", length(e.settings.tolerance))
    } else {
        String::new()
    };
    let beyond = match e.rule.as_ref().and_then(|rule| rule.max_gap) {
        Some(largest) => format!("{} apart are loose", length(largest)),
        None => format!("{} apart are clear", length(asked.reach)),
    };
    format!(
        "tolerance {}{raised}; pairs more than {beyond}; rounding {}",
        length(asked.tolerance),
        length(asked.margin)
    )
}

/// Describes the fix of the pair and its effect on other pairs.
pub(crate) fn fix_text(e: &Explanation, fix: &Fix) -> String {
    let mover = e.pair.mover.unwrap_or(Mover { moves: Side::B, why: MoverReason::Equal });
    let [a, b] = [&e.sides[0].id, &e.sides[1].id].map(|id| format!("`{}`", shown(id)));
    let length = fix.translation.norm();
    let along = fix.translation / length;
    let (name, other, along) = match mover.moves {
        Side::A => (a, b, Vec3::zeros() - along),
        Side::B => (b, a, along),
    };
    let others = match &fix.moves_into {
        None => "too many parts are near: the effect on other pairs was not checked".to_owned(),
        Some(into) if into.is_empty() => "no other pair gets measurably worse".to_owned(),
        Some(_) => {
            let names: Vec<_> = e.moves_into.iter().map(|id| format!("`{}`", shown(id))).collect();
            format!("the move causes a new or worse failure with {}", some_of(&names))
        }
    };
    let by = move_text(length, e.units);
    format!("{}; {others}", moving_text(&name, &other, mover.why, &by, &direction(&along)))
}

/// Explains the status of the pair.
pub(crate) fn why(e: &Explanation) -> String {
    let tolerance = e.asked.map_or(e.settings.tolerance, |a| a.tolerance);
    let allowed = e.rule.as_ref().and_then(|r| r.verb.allow_depth());
    let demanded = e.rule.as_ref().and_then(|r| r.verb.min_clearance());
    let largest = e.rule.as_ref().and_then(|r| r.max_gap);
    let depth = e.pair.overlap_depth.filter(|d| *d > 0.0);
    // Lengths that differ are shown as different: their comparison is the reason.
    let measured = e.pair.gap.filter(|gap| *gap > 0.0).or(depth);
    let all: Vec<f64> = [Some(tolerance), allowed, demanded, largest, measured].into_iter().flatten().collect();
    let digits = e.units.digits_to_tell(&all);
    let length = |mm| e.units.format_length_to(mm, digits);
    let tolerance = length(tolerance);
    let depth = depth.map(&length);
    let overlap = depth.map_or("the overlap".to_owned(), |d| format!("the overlap of {d}"));
    match e.pair.status {
        Status::Ignored if e.in_one_unit => {
            "both instances are in one `as_unit` sub-assembly, whose inner pairs are not checked".to_owned()
        }
        Status::Ignored => "the rule ignores the pair".to_owned(),
        Status::Clear => {
            if let Some(gap) = e.pair.gap {
                format!("the gap of {} exceeds the tolerance of {tolerance}", length(gap))
            } else {
                let prover = match e.cleared_by() {
                    Some("aabb") => "the boxes along the axes show",
                    Some("obb") => "the oriented boxes show",
                    Some("hull") => "the hulls show",
                    Some("pieces") => "the convex pieces show",
                    _ => "the triangles show",
                };
                format!("{prover} that the gap exceeds every limit of the pair")
            }
        }
        Status::Contact if e.pair.within_facet_error => format!(
            "{overlap} is deeper than the tolerance of {tolerance}, but at most the tolerance plus the facet allowance of {}",
            length(e.pair.facet_allowance.unwrap_or(0.0))
        ),
        Status::Contact => match e.pair.gap {
            Some(gap) if gap > 0.0 => {
                format!("the gap of {} is at most the tolerance of {tolerance}", length(gap))
            }
            _ => format!("{overlap} is at most the tolerance of {tolerance}"),
        },
        Status::Allowed => format!(
            "{overlap} is deeper than the tolerance of {tolerance}, and the rule allows {}",
            length(allowed.unwrap_or(0.0))
        ),
        Status::TooClose => {
            let gap = e.pair.gap.filter(|g| *g > 0.0).map(&length);
            let gap = gap.map_or("the parts touch or overlap".to_owned(), |g| format!("the gap is {g}"));
            format!("{gap}, and the rule requires {}", length(demanded.unwrap_or(0.0)))
        }
        Status::Loose => {
            let gap = e.pair.gap.map_or("the gap is too large".to_owned(), |g| format!("the gap is {}", length(g)));
            format!("{gap}, and the rule allows {}", length(largest.unwrap_or(0.0)))
        }
        Status::Interference => {
            let mut beyond = format!("the tolerance of {tolerance}");
            let facets = e.pair.facet_allowance.filter(|f| *f > 0.0 && e.settings.facets == Facets::Allow);
            if let Some(f) = facets {
                beyond = format!("{beyond} plus the facet allowance of {}", length(f));
            }
            if let Some(d) = allowed {
                beyond = format!("{beyond}, and deeper than the {} that the rule allows", length(d));
            }
            format!("{overlap} is deeper than {beyond}")
        }
        Status::Undecided => undecided(e, &tolerance),
    }
}

fn undecided(e: &Explanation, tolerance: &str) -> String {
    if e.pair.certainty == Certainty::NoInside {
        return format!(
            "the surfaces meet and one has no definite inside; no common ball proves a depth beyond the limits, and the hulls overlap by more than the tolerance of {tolerance}"
        );
    }
    let range = e.pair.gap_bracket.map_or(String::new(), |Bounds { lower: low, upper: high }| {
        format!(" (between {} and {})", format_number(length(low, e.units)), length_text(high, e.units))
    });
    format!("the search budget ended before the gap{range} could be placed on one side of a limit")
}
