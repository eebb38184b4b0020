//! Writes an explanation for people: a line for each stage, then the verdict and its reason.

use crate::assembly::{Facets, Geometry, RuleAction};
use crate::check::{Certainty, ExplainedInstance, Explanation, Fix, PairLimits, Status, Step};
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit};
use crate::report::explain::stage;
use crate::report::number::{count, direction, length, length_text};
use crate::report::rows::{rule_text, some_of};
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
    lines.extend(e.steps.iter().map(|s| (stage(s), step_text(s, e.units))));
    for (head, line) in lines {
        writeln!(out, "{}  {line}", painted(&format!("{head:>9}"), Paint::Bold, colour))?;
    }
    writeln!(out)?;
    let paint = if e.pair.status.fails() { Paint::Bad } else { Paint::Good };
    writeln!(out, "{}: {}", painted(e.pair.status.name(), paint, colour), why(e))?;
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
    format!(
        "tolerance {}{raised}; pairs more than {} apart are clear; rounding {}",
        length(asked.tolerance),
        length(asked.reach),
        length(asked.margin)
    )
}

fn step_text(step: &Step, units: LengthUnit) -> String {
    let text = |mm| length_text(mm, units);
    let end = |cleared: &bool| if *cleared { ": clear" } else { ": kept" };
    match step {
        Step::Aabb { distance, cleared } if *distance > 0.0 => {
            format!("the boxes along the axes are {} apart{}", text(*distance), end(cleared))
        }
        Step::Aabb { cleared, .. } => format!("the boxes along the axes meet{}", end(cleared)),
        Step::Obb { distance: None, .. } => {
            "skipped: the inscribed balls nearly touch, so no box test can separate them".to_owned()
        }
        Step::Obb { distance: Some(d), cleared } if *d > 0.0 => {
            format!("the oriented boxes are at least {} apart{}", text(*d), end(cleared))
        }
        Step::Obb { cleared, .. } => format!("no axis separates the oriented boxes{}", end(cleared)),
        Step::Hull { gap, cleared } => format!("{}{}", hulls_text(*gap, units), end(cleared)),
        Step::Pieces { distance, depth, cleared } => {
            format!("{}{}", nearest_pieces_text(*distance, *depth, units), end(cleared))
        }
        Step::Triangles { distance, at_least, cleared } => {
            let least = if *at_least { "at least " } else { "" };
            format!(
                "the surfaces are disjoint and neither part is inside the other; they are {least}{} apart{}",
                text(*distance),
                end(cleared)
            )
        }
        Step::HullDepth { most } => format!("the hulls overlap by at most {0}: depth ≤ {0}", text(*most)),
        Step::Ball { depth } if *depth > 0.0 => {
            format!(
                "a ball of diameter {0} at the centre of the hull overlap fits in both parts: depth ≥ {0}",
                text(*depth)
            )
        }
        Step::Ascent { depth } if *depth > 0.0 => {
            format!("a ball of diameter {0} fits in both parts: depth ≥ {0}", text(*depth))
        }
        Step::Ascent { .. } => "the ascent found no ball that fits in both parts".to_owned(),
        Step::Ball { .. } => "the centre of the hull overlap is outside one part".to_owned(),
        Step::Surfaces { distance } if *distance > 0.0 => format!("the surfaces are {} apart", text(*distance)),
        Step::Surfaces { .. } => "the surfaces meet".to_owned(),
        Step::Nested => "the surfaces are disjoint, and one part is inside the other".to_owned(),
        Step::Inset { depth, shown: true } => {
            format!("inset by {} each, the surfaces are disjoint: depth ≤ {}", text(0.5 * depth), text(*depth))
        }
        Step::Inset { depth, .. } => {
            format!(
                "inset by {} each, the surfaces still intersect: depth may exceed {}",
                text(0.5 * depth),
                text(*depth)
            )
        }
        Step::RemainingBoxes { depth, boxes } => {
            let boxes = if *boxes == 1 { "one box".to_owned() } else { format!("{boxes} boxes") };
            format!("the insets intersect in {boxes}: outside, depth ≤ {}", text(*depth))
        }
        Step::BranchAndBound { cells, gap } => {
            let [least, most] = gap.to_depth();
            let cells = count(u64::from(*cells), "cell");
            format!("branch and bound, {cells}: the overlap is {} deep", range_text(least.max(0.0), most, units))
        }
        Step::Facets { allowance, cap, of_b, granted } => {
            let facets = of_b.map_or("no concave facets", |b| if b { "facets of b" } else { "facets of a" });
            let granted = if *granted { "granted" } else { "not granted (strict)" };
            let (allowance, cap) = (text(*allowance), text(*cap));
            format!("facet allowance: {allowance} ({facets}; cap {cap}), {granted}")
        }
    }
}

/// Both bounds of a length; the unit follows the upper one.
fn range_text(low: f64, high: f64, units: LengthUnit) -> String {
    format!("{} to {}", format_number(length(low, units)), length_text(high, units))
}

/// Bounds of the hulls' gap (mm, negative for an overlap) in words.
fn hulls_text(gap: Bounds, units: LengthUnit) -> String {
    let Bounds { lower: low, upper: high } = gap;
    let [least, most] = gap.to_depth();
    if low > 0.0 && high.is_finite() {
        format!("the hulls are {} apart", range_text(low, high, units))
    } else if low > 0.0 {
        format!("the hulls are at least {} apart", length_text(low, units))
    } else if high < 0.0 {
        format!("the hulls overlap, {} deep", range_text(least, most, units))
    } else {
        "the hulls meet".to_owned()
    }
}

/// Distance of the nearest two pieces (mm), or the largest common ball of two pieces, in words.
fn nearest_pieces_text(distance: Option<Bounds>, depth: Option<f64>, units: LengthUnit) -> String {
    match (distance, depth) {
        (Some(Bounds { lower: low, upper: high }), _) if high.is_finite() => {
            format!("the nearest two pieces are {} apart", range_text(low, high, units))
        }
        (Some(Bounds { lower: low, .. }), _) => format!("all pieces are at least {} apart", length_text(low, units)),
        (None, Some(depth)) => {
            format!("two pieces contain a common ball of diameter {}", length_text(depth, units))
        }
        (None, None) => "two pieces meet".to_owned(),
    }
}

/// Describes the fix of the pair and its effect on other pairs.
fn fix_text(e: &Explanation, fix: &Fix) -> String {
    let b = shown(&e.sides[1].id);
    let length = fix.translation.norm();
    let others = match &fix.moves_into {
        None => "too many parts are near: the effect on other pairs was not checked".to_owned(),
        Some(into) if into.is_empty() => "no other pair gets worse".to_owned(),
        Some(_) => {
            let names: Vec<_> = e.moves_into.iter().map(|id| format!("`{}`", shown(id))).collect();
            format!("the move causes a new or worse failure with {}", some_of(&names))
        }
    };
    format!("move `{b}` by {} along {}; {others}", length_text(length, e.units), direction(&(fix.translation / length)))
}

/// Explains the status of the pair.
pub(crate) fn why(e: &Explanation) -> String {
    let length = |mm| length_text(mm, e.units);
    let tolerance = length(e.asked.map_or(e.settings.tolerance, |a| a.tolerance));
    let allowed = e.rule.as_ref().and_then(|r| if let RuleAction::AllowDepth(d) = r.verb { Some(d) } else { None });
    let demanded = e.rule.as_ref().and_then(|r| if let RuleAction::MinClearance(c) = r.verb { Some(c) } else { None });
    let depth = e.pair.overlap_depth.filter(|d| *d > 0.0).map(&length);
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
