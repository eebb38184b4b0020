//! The way of one pair through the stages, in words or as JSON.

use super::Format;
use super::json::{Assembly, Pair, Part, RuleAsRead, Settings, Warnings};
use super::layout::write_json;
use super::number::{as_given, count, length, length_text, plain};
use super::table::rule_text;
use super::text::{Paint, painted, shown};
use crate::assembly::{Facets, Rule, Verb};
use crate::check::{Asked, Certainty, Explanation, Side, Status, Step};
use crate::geom::LengthUnit;
use serde::Serialize;
use std::io::{self, Write};

/// Writes the explanation; `Format::Table` is the text.
///
/// # Errors
/// As the writer says.
pub fn render(e: &Explanation, format: Format, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table => text(e, colour, out),
        Format::Json => write_json(&Document::new(e), out),
    }
}

fn text(e: &Explanation, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let [a, b] = &e.sides;
    writeln!(out, "{} and {} in {} ({})", shown(&a.id), shown(&b.id), shown(&e.name), shown(&e.path))?;
    writeln!(out)?;
    let mut lines = vec![("a", side_text(a, e.units)), ("b", side_text(b, e.units)), ("rule", rule_line(e))];
    if let Some(asked) = &e.asked {
        lines.push(("asked", asked_text(e, asked)));
    }
    lines.extend(e.steps.iter().map(|s| (stage(s), step_text(s, e.units))));
    for (head, line) in lines {
        writeln!(out, "{}  {line}", painted(&format!("{head:>9}"), Paint::Bold, colour))?;
    }
    writeln!(out)?;
    let paint = if e.pair.status.fails() { Paint::Bad } else { Paint::Good };
    writeln!(out, "{}: {}", painted(e.pair.status.name(), paint, colour), why(e))?;
    out.flush()
}

fn side_text(s: &Side, units: LengthUnit) -> String {
    let kind = match (s.solid, s.convex) {
        (_, true) => "convex",
        (true, false) if s.part.closed => "closed",
        (true, false) => "closed after mending",
        (false, false) => "without a definite inside",
    };
    let facets = s.part.facet_error.filter(|f| *f > 0.0);
    let facets = facets.map(|f| format!(", its facets off by up to {}", length_text(f, units))).unwrap_or_default();
    let mesh = if s.part.mesh.is_empty() { String::new() } else { format!(" ({})", shown(&s.part.mesh)) };
    let triangles = count(s.part.triangles, "triangle");
    format!(
        "{}: part {}{mesh}, {triangles}, {kind}{facets}; taken as {}",
        shown(&s.id),
        shown(&s.part.key),
        match s.geometry.name() {
            "hull" => "its convex hull",
            "decomposition" => "convex pieces",
            _ => "its triangles",
        }
    )
}

fn rule_line(e: &Explanation) -> String {
    match &e.rule {
        Some(rule) => rule_text(rule, e.units),
        None if e.in_one_unit => "both lie inside one sub-assembly that is taken as a unit".to_owned(),
        None => "none matches".to_owned(),
    }
}

fn asked_text(e: &Explanation, asked: &Asked) -> String {
    let length = |mm| length_text(mm, e.units);
    let raised = if asked.tolerance > e.settings.tolerance {
        format!(", raised from {} by the rounding of its coordinates", length(e.settings.tolerance))
    } else {
        String::new()
    };
    format!(
        "tolerance {}{raised}; nothing of a pair more than {} apart; rounding {}",
        length(asked.tolerance),
        length(asked.reach),
        length(asked.margin)
    )
}

fn stage(step: &Step) -> &'static str {
    match step {
        Step::Aabb { .. } => "aabb",
        Step::Obb { .. } => "obb",
        Step::Hull { .. } => "hull",
        Step::Facets { .. } => "facets",
        _ => "exact",
    }
}

fn step_text(step: &Step, units: LengthUnit) -> String {
    let text = |mm| length_text(mm, units);
    let range = |low, high| format!("{} to {}", plain(length(low, units)), text(high));
    let end = |cleared: &bool| if *cleared { ": clear" } else { ": kept" };
    match step {
        Step::Aabb { distance, cleared } if *distance > 0.0 => {
            format!("the boxes along the axes are {} apart{}", text(*distance), end(cleared))
        }
        Step::Aabb { cleared, .. } => format!("the boxes along the axes meet{}", end(cleared)),
        Step::Obb { distance: None, .. } => {
            "not asked: balls inside the two hulls all but meet, so no box could clear the pair".to_owned()
        }
        Step::Obb { distance: Some(d), cleared } if *d > 0.0 => {
            format!("the oriented boxes are at least {} apart{}", text(*d), end(cleared))
        }
        Step::Obb { cleared, .. } => format!("no axis separates the oriented boxes{}", end(cleared)),
        Step::Hull { gap: [low, high], cleared } => {
            let found = if *low > 0.0 && high.is_finite() {
                format!("the hulls are {} apart", range(*low, *high))
            } else if *low > 0.0 {
                format!("the hulls are at least {} apart", text(*low))
            } else if *high < 0.0 {
                format!("the hulls overlap, {} deep", range(-high, -low))
            } else {
                "the hulls meet".to_owned()
            };
            format!("{found}{}", end(cleared))
        }
        Step::Triangles { distance, at_least, cleared } => {
            let least = if *at_least { "at least " } else { "" };
            format!(
                "the surfaces do not meet and neither part is inside the other; they are {least}{} apart{}",
                text(*distance),
                end(cleared)
            )
        }
        Step::HullDepth { most } => format!("the hulls overlap by at most {}, so the parts do, too", text(*most)),
        Step::Ball { depth } if *depth > 0.0 => {
            format!("in the middle of that a ball of diameter {} lies in both parts", text(*depth))
        }
        Step::Ball { .. } => "the middle of that is not in both parts".to_owned(),
        Step::Surfaces { distance } if *distance > 0.0 => format!("the surfaces are {} apart", text(*distance)),
        Step::Surfaces { .. } => "the surfaces meet".to_owned(),
        Step::Nested => "the surfaces do not meet, and one part lies inside the other".to_owned(),
        Step::Shrink { depth, shown: true } => {
            format!("both surfaces moved inward by half of {} have nothing in common: no deeper", text(*depth))
        }
        Step::Shrink { depth, .. } => {
            format!("both surfaces moved inward by half of {} still meet: no bound", text(*depth))
        }
        Step::Cells { cells, depth: [least, most] } => {
            let cells = count(u64::from(*cells), "cell");
            format!("branch and bound, {cells}: the overlap is {} deep", range(least.max(0.0), *most))
        }
        Step::Facets { allowance, cap, granted } => {
            let granted = if *granted { "granted" } else { "not granted (strict)" };
            format!(
                "the concave facets at the overlap explain {}, at most {} for parts of this size: {granted}",
                text(*allowance),
                text(*cap)
            )
        }
    }
}

/// Why the pair has its status.
fn why(e: &Explanation) -> String {
    let length = |mm| length_text(mm, e.units);
    let tolerance = length(e.asked.map_or(e.settings.tolerance, |a| a.tolerance));
    let allowed = e.rule.as_ref().and_then(|r| if let Verb::AllowDepth(d) = r.verb { Some(d) } else { None });
    let demanded = e.rule.as_ref().and_then(|r| if let Verb::MinClearance(c) = r.verb { Some(c) } else { None });
    let depth = e.pair.overlap_depth.filter(|d| *d > 0.0).map(&length);
    let overlap = depth.map_or("the overlap".to_owned(), |d| format!("the overlap of {d}"));
    match e.pair.status {
        Status::Ignored if e.in_one_unit => "pairs inside a unit are not this assembly's business".to_owned(),
        Status::Ignored => "the rule says so".to_owned(),
        Status::Clear => match e.pair.gap {
            Some(gap) => format!("the gap of {} is more than the tolerance of {tolerance}", length(gap)),
            None => format!(
                "{} proves the parts farther apart than anything asked of them",
                e.cleared_by().unwrap_or("a stage")
            ),
        },
        Status::Contact if e.pair.within_facet_error => format!(
            "{overlap} is deeper than the tolerance of {tolerance}, but no deeper than that and the {} that the facets explain",
            length(e.pair.facet_allowance.unwrap_or(0.0))
        ),
        Status::Contact => match e.pair.gap {
            Some(gap) if gap > 0.0 => {
                format!("the gap of {} is no more than the tolerance of {tolerance}", length(gap))
            }
            _ => format!("{overlap} is no deeper than the tolerance of {tolerance}"),
        },
        Status::Allowed => format!(
            "{overlap} is deeper than the tolerance of {tolerance}, and the rule allows {}",
            length(allowed.unwrap_or(0.0))
        ),
        Status::Clearance => {
            let gap = e.pair.gap.filter(|g| *g > 0.0).map(&length);
            let gap = gap.map_or("they touch or overlap".to_owned(), |g| format!("the gap is {g}"));
            format!("{gap}, and the rule demands {}", length(demanded.unwrap_or(0.0)))
        }
        Status::Interference => {
            let mut beyond = format!("the tolerance of {tolerance}");
            let facets = e.pair.facet_allowance.filter(|f| *f > 0.0 && e.settings.facets == Facets::Allow);
            if let Some(f) = facets {
                beyond = format!("{beyond} and the {} that the facets explain", length(f));
            }
            if let Some(d) = allowed {
                beyond = format!("{beyond}, and than the {} that the rule allows", length(d));
            }
            format!("{overlap} is deeper than {beyond}")
        }
        Status::Undecided => undecided(e, &tolerance),
    }
}

fn undecided(e: &Explanation, tolerance: &str) -> String {
    let range = e.pair.gap_bracket.map_or("its depth".to_owned(), |[low, high]| {
        format!("its gap, between {} and {},", plain(length(low, e.units)), length_text(high, e.units))
    });
    if e.pair.certainty == Certainty::Surface {
        return format!(
            "surfaces without a definite inside meet, no common ball shows a depth beyond the limits, and the hulls share more than the tolerance of {tolerance}"
        );
    }
    format!("{range} could not be told from a limit within the budget")
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    assembly: Assembly<'a>,
    settings: Settings<'a>,
    a: SideRow<'a>,
    b: SideRow<'a>,
    in_one_unit: bool,
    rule: Option<RuleAsRead<'a>>,
    asked: Option<AskedRow>,
    steps: Vec<StepRow>,
    cleared_by: Option<&'static str>,
    pair: Pair<'a>,
    why: String,
    warnings: Warnings<'a>,
}

#[derive(Serialize)]
struct SideRow<'a> {
    id: &'a str,
    part: &'a str,
    geometry: &'static str,
    solid: bool,
    convex: bool,
    #[serde(flatten)]
    row: Part<'a>,
}

#[derive(Serialize)]
struct AskedRow {
    tolerance: f64,
    reach: f64,
    margin: f64,
}

/// One stage; the keys of other stages are left out.
#[derive(Serialize, Default)]
struct StepRow {
    stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cleared: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_at_least: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_bracket: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facet_allowance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    granted: Option<bool>,
}

impl StepRow {
    fn new(step: &Step, units: LengthUnit) -> Self {
        let of = |mm: f64| length(mm, units);
        let row = Self { stage: stage(step), ..Self::default() };
        let by = |by| Self { stage: stage(step), by: Some(by), ..Self::default() };
        match *step {
            Step::Aabb { distance, cleared } => {
                Self { distance_at_least: Some(Some(of(distance))), cleared: Some(cleared), ..row }
            }
            Step::Obb { distance, cleared } => {
                Self { distance_at_least: Some(distance.map(of)), cleared: Some(cleared), ..row }
            }
            Step::Hull { gap, cleared } => Self { gap_bracket: Some(gap.map(of)), cleared: Some(cleared), ..row },
            Step::Triangles { distance, at_least: true, cleared } => {
                Self { distance_at_least: Some(Some(of(distance))), cleared: Some(cleared), ..by("surfaces") }
            }
            Step::Triangles { distance, cleared, .. } => {
                Self { distance: Some(of(distance)), cleared: Some(cleared), ..by("surfaces") }
            }
            Step::HullDepth { most } => Self { depth_at_most: Some(of(most)), ..by("hulls") },
            Step::Ball { depth } => Self { depth_at_least: Some(of(depth.max(0.0))), ..by("ball") },
            Step::Surfaces { distance } => Self { distance: Some(of(distance)), ..by("surfaces") },
            Step::Nested => by("containment"),
            Step::Shrink { depth, shown } => {
                Self { depth_at_most: Some(of(depth)), shown: Some(shown), ..by("shrink") }
            }
            Step::Cells { cells, depth: [least, most] } => Self {
                depth_at_least: Some(of(least.max(0.0))),
                depth_at_most: Some(of(most)),
                cells: Some(cells),
                ..by("cells")
            },
            Step::Facets { allowance, cap, granted } => {
                Self { facet_allowance: Some(of(allowance)), cap: Some(of(cap)), granted: Some(granted), ..row }
            }
        }
    }
}

impl<'a> Document<'a> {
    fn new(e: &'a Explanation) -> Self {
        let side = |s: &'a Side| SideRow {
            id: &s.id,
            part: &s.part.key,
            geometry: s.geometry.name(),
            solid: s.solid,
            convex: s.convex,
            row: Part::new(&s.part, e.units),
        };
        let [a, b] = &e.sides;
        let rule: Option<&Rule> = e.rule.as_ref();
        Self {
            version: 1,
            assembly: Assembly { name: &e.name, path: &e.path, units: e.units.name() },
            settings: Settings::new(&e.settings, e.units, None),
            a: side(a),
            b: side(b),
            in_one_unit: e.in_one_unit,
            rule: rule.map(|rule| RuleAsRead { rule, units: e.units }),
            asked: e.asked.map(|asked| AskedRow {
                tolerance: as_given(asked.tolerance, e.units),
                reach: as_given(asked.reach, e.units),
                margin: length(asked.margin, e.units),
            }),
            steps: e.steps.iter().map(|s| StepRow::new(s, e.units)).collect(),
            cleared_by: e.cleared_by(),
            pair: Pair::new([&a.id, &b.id], e.units, rule, &e.pair),
            why: why(e),
            warnings: Warnings(&e.warnings),
        }
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
pub(crate) mod tests;
