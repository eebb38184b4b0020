//! Writes one step of an explanation, in words and as JSON.

use crate::check::Step;
use crate::geom::unit::format_number;
use crate::geom::{Bounds, LengthUnit};
use crate::report::number::{count, length, length_text};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// Describes a step in words.
pub(crate) fn step_text(step: &Step, units: LengthUnit) -> String {
    let text = |mm| length_text(mm, units);
    let end = |cleared: &bool| if *cleared { ": clear" } else { ": kept" };
    match step {
        Step::Aabb { distance, cleared } if *distance > 0.0 => {
            format!("the boxes along the axes are {} apart{}", text(*distance), end(cleared))
        }
        Step::Aabb { cleared, .. } => format!("the boxes along the axes meet{}", end(cleared)),
        Step::Obb { distance: None, .. } => {
            "skipped: the inscribed balls are nearer than the limits, so no box test can clear the pair".to_owned()
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
        Step::Facets { allowance, cap, of_b, granted } => {
            let facets = of_b.map_or("no concave facets", |b| if b { "facets of b" } else { "facets of a" });
            let granted = if *granted { "granted" } else { "not granted (strict)" };
            let (allowance, cap) = (text(*allowance), text(*cap));
            format!("facet allowance: {allowance} ({facets}; cap {cap}), {granted}")
        }
        _ => exact_step_text(step, units),
    }
}

/// Describes a step of the exact stage in words, beside [`Step::Triangles`].
fn exact_step_text(step: &Step, units: LengthUnit) -> String {
    let text = |mm| length_text(mm, units);
    match step {
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
        Step::Lumps { depth, lumps } => {
            let lumps = if *lumps == 1 { "one lump".to_owned() } else { format!("{lumps} separate lumps") };
            format!("the common solid has {lumps}: the largest ball in a hull shows depth ≤ {}", text(*depth))
        }
        Step::BranchAndBound { cells, gap } => {
            let [least, most] = gap.to_depth();
            let cells = count(u64::from(*cells), "cell");
            format!("branch and bound, {cells}: the overlap is {} deep", range_text(least.max(0.0), most, units))
        }
        // `step_text` describes these.
        Step::Aabb { .. }
        | Step::Obb { .. }
        | Step::Hull { .. }
        | Step::Pieces { .. }
        | Step::Triangles { .. }
        | Step::Facets { .. } => String::new(),
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

/// One step: its stage and the keys of its kind.
pub(crate) struct StepRow<'a> {
    pub step: &'a Step,
    pub units: LengthUnit,
}

impl Serialize for StepRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = |mm: f64| length(mm, self.units);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("stage", self.step.stage())?;
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
            Step::Lumps { depth, lumps } => {
                map.serialize_entry("depth_at_most", &of(depth))?;
                map.serialize_entry("lumps", &lumps)?;
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
        Step::Lumps { .. } => Some("lumps"),
        Step::BranchAndBound { .. } => Some("branch_and_bound"),
        Step::Aabb { .. } | Step::Obb { .. } | Step::Hull { .. } | Step::Pieces { .. } | Step::Facets { .. } => None,
    }
}
