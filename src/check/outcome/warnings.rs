//! Collects the warnings of a run about meshes, thickness, pieces and self-unions.

use crate::assembly::Assembly;
use crate::check::Settings;
use crate::check::outcome::placement_warnings::placement_warnings;
use crate::check::prepare::decompose::Covered;
use crate::check::prepare::load::PartMesh;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::Shapes;
use crate::error::{Warning, WarningCode};
use crate::geom::LengthUnit;
use crate::shape::self_union::SelfUnion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A warning and its position among all warnings of the whole run. Shards share some of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedWarning {
    /// Sort key of the warnings.
    pub place: [u32; 3],
    /// The warning itself.
    pub warning: Warning,
}

/// Collects the warnings of the assembly, of each mesh, of each shape and of the placements, in this order.
pub(crate) fn collect_warnings(
    assembly: &Assembly,
    meshes: &[Arc<PartMesh>],
    shapes: &Shapes,
    settings: &Settings,
) -> Vec<PlacedWarning> {
    let mut placed = Vec::new();
    let mut add = |of: u32, index: usize, warnings: Vec<(u32, Warning)>| {
        let place = |k| [of, index as u32, k];
        placed.extend(warnings.into_iter().map(|(k, warning)| PlacedWarning { place: place(k), warning }));
    };
    add(0, 0, (0..).zip(assembly.warnings.iter().cloned()).collect());
    // Parts of one file share its mesh: warn once.
    let mut told = BTreeSet::new();
    for (index, mesh) in meshes.iter().enumerate() {
        if told.insert(Arc::as_ptr(mesh)) {
            add(1, index, (0..).zip(mesh.warnings.iter().cloned()).collect());
        }
    }
    for (index, (shape, part)) in shapes.all.iter().zip(&shapes.part_of).enumerate() {
        let part = &assembly.parts[*part as usize].key;
        let told = |(k, (code, message))| (k, Warning { part: Some(part.clone()), ..Warning::new(code, message) });
        let notes = (0..).zip(shape_notes(shape, assembly.units, settings.tolerance));
        add(2, index, notes.filter_map(|(k, note)| note.map(|note| told((k, note)))).collect());
    }
    add(3, 0, (0..).zip(placement_warnings(assembly, shapes, settings.tolerance)).collect());
    placed
}

/// Code and message of a warning.
type CodedMessage = (WarningCode, String);

/// Warnings of a shape about the tolerance (mm), the pieces, the self-union and the thickness; each has a fixed
/// position.
fn shape_notes(shape: &Shape, unit: LengthUnit, tolerance: f64) -> [Option<CodedMessage>; 4] {
    let floor = shape.tolerance_floor();
    let coarse = if floor > tolerance {
        let message = format!(
            "the file stores coordinates in single precision, rounded by up to {}, so the tolerance of its pairs is {}, not {}; \
             export the part nearer to its own origin or raise the tolerance",
            unit.format_length(shape.quantum),
            unit.format_length(floor),
            unit.format_length(tolerance)
        );
        Some((WarningCode::ToleranceBelowRoundoff, message))
    } else {
        None
    };
    let limit = tolerance.max(floor);
    // An inner hull that is thick enough spares the whole one.
    let is_thin = 2.0 * shape.inner().inner_radius <= limit;
    let thickness = if is_thin { 2.0 * shape.convex().inner_radius } else { f64::INFINITY };
    let thin = if thickness <= limit {
        let message = format!(
            "thinner ({}) than the tolerance, so it can never be reported; lower the tolerance",
            unit.format_length(thickness)
        );
        Some((WarningCode::ThinnerThanTolerance, message))
    } else {
        None
    };
    [coarse, cover_warning(shape, unit), self_union_warning(shape), thin]
}

/// Warning about the pieces of a shape.
fn cover_warning(shape: &Shape, unit: LengthUnit) -> Option<CodedMessage> {
    match shape.covered()? {
        Covered::Not(why) => Some((WarningCode::NotDecomposed, format!("{why}; the triangles decide for this part"))),
        Covered::By { pieces, epsilon, asked, ball } if epsilon > asked => {
            let n = pieces.all.len();
            // Neighbouring pieces overlap by the diameter of a ball that must lie in one piece.
            let fix = if 0.5 * ball > *asked {
                let ball = unit.format_length(*ball);
                format!(
                    "overlaps of {ball} pass in this run, so pieces overlap by as much; lower the allowance or raise --epsilon"
                )
            } else {
                "raise --max-pieces or --epsilon".to_owned()
            };
            let message = format!(
                "{n} convex piece{} the part by up to {}, more than the requested {}; {fix}",
                if n == 1 { " overshoots" } else { "s overshoot" },
                unit.format_length(*epsilon),
                unit.format_length(*asked)
            );
            Some((WarningCode::EpsilonNotReached, message))
        }
        Covered::By { .. } | Covered::Convex => None,
    }
}

/// Warning about overlapping shells of a shape; for pieces only if the self-union failed.
fn self_union_warning(shape: &Shape) -> Option<CodedMessage> {
    let pieces = shape.pieces().is_some();
    match shape.overlaps()? {
        SelfUnion::None => None,
        SelfUnion::Resolved if pieces => None,
        SelfUnion::Resolved => Some((
            WarningCode::OverlappingShells,
            "the mesh self-intersects; its pairs are checked against the union of its shells".to_owned(),
        )),
        SelfUnion::Unresolved(why) => {
            let what = if pieces { "the convex pieces" } else { "the mesh self-intersects, and the shells" };
            let message = format!("{what} were not united ({why}), so only the hull bounds the depth of overlaps");
            Some((WarningCode::OverlappingShells, message))
        }
    }
}
