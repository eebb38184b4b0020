//! An explanation as JSON: docs/reference/report.md.

use crate::assembly::Rule;
use crate::check::{ExplainedInstance, Explanation, Step};
use crate::geom::LengthUnit;
use crate::report::explain::{stage, text};
use crate::report::json::{Assembly, Pair, Part, RuleAsRead, Settings, Warnings};
use crate::report::number::{as_given, length, vector};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

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

/// One step: its stage and the keys of its kind.
struct StepRow<'a> {
    step: &'a Step,
    units: LengthUnit,
}

impl Serialize for StepRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = |mm: f64| length(mm, self.units);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("stage", stage(self.step))?;
        if let Some(by) = means(self.step) {
            map.serialize_entry("by", by)?;
        }
        let cleared = match *self.step {
            Step::Aabb { distance, cleared } => {
                map.serialize_entry("distance", &of(distance))?;
                Some(cleared)
            }
            Step::Obb { distance, cleared } => {
                map.serialize_entry("distance_at_least", &distance.map(of))?;
                Some(cleared)
            }
            Step::Hull { gap, cleared } => {
                // Infinity (no upper bound was requested) becomes null.
                map.serialize_entry("gap_bracket", &gap.map(of))?;
                Some(cleared)
            }
            Step::Pieces { distance, depth, cleared } => {
                // Infinity becomes null; the whole bracket is null if two pieces intersect.
                map.serialize_entry("distance_bracket", &distance.map(|d| d.map(of)))?;
                map.serialize_entry("depth_at_least", &depth.map(of))?;
                Some(cleared)
            }
            Step::Triangles { distance, at_least, cleared } => {
                map.serialize_entry(if at_least { "distance_at_least" } else { "distance" }, &of(distance))?;
                Some(cleared)
            }
            Step::HullDepth { most } => {
                map.serialize_entry("depth_bracket", &[0.0, of(most)])?;
                None
            }
            Step::Ball { depth } | Step::Ascent { depth } => {
                map.serialize_entry("depth_at_least", &of(depth.max(0.0)))?;
                None
            }
            Step::Surfaces { distance } => {
                map.serialize_entry("distance", &of(distance))?;
                None
            }
            Step::Nested => None,
            Step::Inset { depth, shown } => {
                map.serialize_entry("depth_at_most", &of(depth))?;
                map.serialize_entry("shown", &shown)?;
                None
            }
            Step::RemainingBoxes { depth, boxes } => {
                map.serialize_entry("depth_at_most", &of(depth))?;
                map.serialize_entry("outside_boxes", &boxes)?;
                None
            }
            Step::BranchAndBound { cells, gap } => {
                let [least, most] = gap.to_depth();
                map.serialize_entry("depth_bracket", &[of(least.max(0.0)), of(most)])?;
                map.serialize_entry("cells", &cells)?;
                None
            }
            Step::Facets { allowance, cap, of_b, granted } => {
                map.serialize_entry("facet_allowance", &of(allowance))?;
                map.serialize_entry("of", &of_b.map(|b| if b { "b" } else { "a" }))?;
                map.serialize_entry("cap", &of(cap))?;
                map.serialize_entry("granted", &granted)?;
                None
            }
        };
        if let Some(cleared) = cleared {
            map.serialize_entry("cleared", &cleared)?;
        }
        map.end()
    }
}

/// Method of a step of the exact stage.
fn means(step: &Step) -> Option<&'static str> {
    match step {
        Step::HullDepth { .. } => Some("hulls"),
        Step::Ball { .. } => Some("ball"),
        Step::Ascent { .. } => Some("ascent"),
        Step::Triangles { .. } | Step::Surfaces { .. } => Some("surfaces"),
        Step::Nested => Some("containment"),
        Step::Inset { .. } => Some("inset"),
        Step::RemainingBoxes { .. } => Some("remaining_boxes"),
        Step::BranchAndBound { .. } => Some("branch_and_bound"),
        Step::Aabb { .. } | Step::Obb { .. } | Step::Hull { .. } | Step::Pieces { .. } | Step::Facets { .. } => None,
    }
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
        }
    }
}
