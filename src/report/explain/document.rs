//! An explanation as JSON: docs/reference/report.md.

use crate::assembly::Rule;
use crate::check::{ExplainedInstance, Explanation};
use crate::report::explain::steps::StepRow;
use crate::report::explain::text;
use crate::report::json::{Assembly, Pair, Part, RuleAsRead, Settings, Warnings};
use crate::report::motion::json::RunOfPair;
use crate::report::number::{as_given, length, vector};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Document<'a> {
    version: u32,
    assembly: Assembly<'a>,
    settings: Settings<'a>,
    a: SideRow<'a>,
    b: SideRow<'a>,
    in_one_unit: bool,
    rule: Option<RuleAsRead<'a>>,
    asked: Option<AskedRow>,
    steps: Vec<StepRow<'a>>,
    cleared_by: Option<&'static str>,
    pair: Pair<'a>,
    why: String,
    fix: Option<FixRow<'a>>,
    warnings: Warnings<'a>,
    /// The pair over a run; omitted for the drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunOfPair<'a>>,
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

/// Translation of `b` that fixes the pair, and the other instances with new or worse failures; null if unchecked.
#[derive(Serialize)]
struct FixRow<'a> {
    translation: [f64; 3],
    moves_into: Option<&'a [String]>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(e: &'a Explanation) -> Self {
        let side = |s: &'a ExplainedInstance| SideRow {
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
            steps: e.steps.iter().map(|step| StepRow { step, units: e.units }).collect(),
            cleared_by: e.cleared_by(),
            pair: Pair::new([&a.id, &b.id], e.units, rule, &e.pair),
            why: text::why(e),
            fix: e.fix.as_ref().map(|fix| FixRow {
                translation: vector(&fix.translation, e.units),
                moves_into: fix.moves_into.is_some().then_some(&e.moves_into[..]),
            }),
            warnings: Warnings(&e.warnings),
            run: None,
        }
    }
}
