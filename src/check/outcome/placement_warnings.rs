//! Warns about placements that are probably mistakes: scaled or sheared parts, parts in another unit.

use crate::assembly::{Assembly, Instance};
use crate::broad::BoxTree;
use crate::check::pairs::candidates::instance_boxes;
use crate::check::prepare::shapes::Shapes;
use crate::error::{Location, Warning, WarningCode};
use crate::geom::unit::format_number;
use crate::geom::{Aabb, Mat3};
use std::collections::BTreeMap;

/// Largest difference between `RᵀR` and the identity without a warning. The rounding of a rotation matrix to four
/// digits changes `RᵀR` by less; a scale of 0.1 % changes it by twice as much. A larger value would hide a small scale.
const RIGID_ENOUGH: f64 = 1e-3;

/// Largest number of instances for the search for parts in another unit. It joins all boxes once more; boxes that all
/// meet take 100 MB here.
const MAX_INSTANCES: usize = 5000;

/// Smallest number of other parts that touch each other, for a comparison of sizes.
const MIN_NEIGHBOURS: usize = 3;

/// Smallest ratio between the size of a suspect and the sizes of all parts that touch. The smallest ratio of two units
/// is 10; a part exactly as small as the smallest neighbour would then be 10 times smaller. Half of this keeps a margin
/// for a part that is smaller than its neighbours anyway; a smaller value would suspect single small parts.
const OTHER_SIZE: f64 = 5.0;

/// Largest ratio between the size of a scaled suspect and the sizes of its neighbours. A part may be somewhat larger or
/// smaller than all others; more would explain any small part by a unit.
const USUAL_SIZE: f64 = 2.0;

/// Ratios of two units: mm and cm, mm and inch, mm and m.
const RATIOS: [f64; 3] = [10.0, 25.4, 1000.0];

/// Largest number of suspects, and of their instances, that are compared with all boxes. More suspects in one assembly
/// have another cause.
const MAX_SUSPECTS: usize = 20;

/// Largest number of tried instances of a suspect.
const MAX_TRIED: usize = 4;

/// Warnings about the placements of an assembly, in a fixed order.
pub(crate) fn placement_warnings(assembly: &Assembly, shapes: &Shapes, tolerance: f64) -> Vec<Warning> {
    let mut warnings = non_rigid(assembly);
    if assembly.instances.len() <= MAX_INSTANCES {
        let boxes = instance_boxes(shapes, 0.5 * tolerance);
        warnings.extend(unit_suspects(assembly, &boxes, &meeting(&boxes)));
    }
    warnings
}

/// Pairs of boxes that meet.
fn meeting(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let tree = BoxTree::new(boxes);
    let mut pairs = Vec::new();
    tree.tasks(1).into_iter().for_each(|task| tree.join(task, &mut pairs));
    pairs
}

/// Line of an instance in its file.
fn line_of(assembly: &Assembly, instance: &Instance) -> Option<Location> {
    let at = instance.at?;
    Some(Location { line: Some(at.line), ..Location::file(assembly.files.get(at.file as usize)?) })
}

/// Names the first instance of several.
fn first_of(ids: &[&Instance]) -> String {
    match ids {
        [] => String::new(),
        [one] => format!("`{}`", one.id),
        [first, rest @ ..] => format!("`{}` and {} more", first.id, rest.len()),
    }
}

/// Warnings about scaled and sheared parts, one for each part.
fn non_rigid(assembly: &Assembly) -> Vec<Warning> {
    let mut by_part: BTreeMap<u32, Vec<&Instance>> = BTreeMap::new();
    for instance in &assembly.instances {
        let linear = &instance.placement.linear;
        if (linear.transpose() * linear - Mat3::identity()).abs().max() > RIGID_ENOUGH {
            by_part.entry(instance.part.0).or_default().push(instance);
        }
    }
    // The lesser id comes first, in every order of the file.
    for all in by_part.values_mut() {
        all.sort_by(|x, y| x.id.cmp(&y.id));
    }
    let warn = |(part, instances): (u32, Vec<&Instance>)| {
        let message = format!(
            "the placement of {} {}; export the part in its true size, and give a rotation and a translation",
            first_of(&instances),
            change_of_shape(&instances[0].placement.linear)
        );
        Warning {
            part: Some(assembly.parts[part as usize].key.clone()),
            at: line_of(assembly, instances[0]),
            ..Warning::new(WarningCode::NonRigidPlacement, message)
        }
    };
    by_part.into_iter().map(warn).collect()
}

/// Describes the scale or shear of a linear map.
fn change_of_shape(linear: &Mat3) -> String {
    let products = linear.transpose() * linear;
    let scales = [0, 1, 2].map(|k: usize| libm::sqrt(products[(k, k)]));
    let largest = scales.into_iter().fold(0.0, f64::max);
    let is_sheared = [(0, 1), (0, 2), (1, 2)].iter().any(|at| products[*at].abs() > RIGID_ENOUGH * largest * largest);
    if is_sheared {
        return "shears the part".to_owned();
    }
    let [x, y, z] = scales.map(format_number);
    if x == y && y == z {
        format!("scales the part by {x}; set `units` of the part if its mesh is in another unit")
    } else {
        format!("scales the part by {x}, {y} and {z} along its axes")
    }
}

/// A part whose instances all stand apart from every other instance.
struct Apart<'a> {
    part: u32,
    instances: Vec<usize>,
    /// Diagonal of the box of its first instance (mm).
    size: f64,
    assembly: &'a Assembly,
}

/// Warnings about parts in another unit than their neighbours. Such a part touches nothing, and every part that touches
/// another is much larger, or much smaller. Scaled by the ratio of two units about its own origin, it has the size of
/// the others and touches one of them.
fn unit_suspects(assembly: &Assembly, boxes: &[Aabb], pairs: &[(u32, u32)]) -> Vec<Warning> {
    let mut touches = vec![false; boxes.len()];
    for (a, b) in pairs {
        touches[*a as usize] = true;
        touches[*b as usize] = true;
    }
    let mut by_part: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (k, instance) in assembly.instances.iter().enumerate() {
        by_part.entry(instance.part.0).or_default().push(k);
    }
    let (mut sizes, mut apart) = (Vec::new(), Vec::new());
    for (part, mut instances) in by_part {
        instances.sort_by(|x, y| assembly.instances[*x].id.cmp(&assembly.instances[*y].id));
        let size = boxes[instances[0]].diagonal();
        if instances.iter().any(|k| touches[*k]) {
            sizes.push(size);
        } else {
            apart.push(Apart { part, instances, size, assembly });
        }
    }
    sizes.sort_by(f64::total_cmp);
    let (Some(smallest), Some(largest)) = (sizes.first(), sizes.last()) else { return Vec::new() };
    if sizes.len() < MIN_NEIGHBOURS {
        return Vec::new();
    }
    let is_other_size = |a: &&Apart<'_>| a.size < smallest / OTHER_SIZE || a.size > largest * OTHER_SIZE;
    let suspects = apart.iter().filter(is_other_size).take(MAX_SUSPECTS);
    suspects.filter_map(|a| a.warning([*smallest, sizes[sizes.len() / 2], *largest], boxes)).collect()
}

impl Apart<'_> {
    /// Warning about the part, if a ratio of two units brings it to its neighbours; `sizes` are the smallest, the
    /// median and the largest size of these (mm).
    fn warning(&self, [smallest, median, largest]: [f64; 3], boxes: &[Aabb]) -> Option<Warning> {
        let off = |scale: f64| libm::fabs(libm::log(scale * self.size / median));
        let scales = RATIOS.into_iter().flat_map(|ratio| [ratio, 1.0 / ratio]);
        let usual = smallest / USUAL_SIZE..=largest * USUAL_SIZE;
        let fits = |scale: &f64| usual.contains(&(scale * self.size)) && self.touches_at(*scale, boxes);
        let scale = scales.filter(fits).min_by(|x, y| off(*x).total_cmp(&off(*y)))?;
        let (word, ratio) = if scale > 1.0 { ("larger", scale) } else { ("smaller", 1.0 / scale) };
        let part = &self.assembly.parts[self.part as usize];
        let first = &self.assembly.instances[self.instances[0]];
        let message = format!(
            "the part touches no other one, and fits its neighbours if it is {} times {word}; check its `units`, now {}",
            format_number(ratio),
            part.units.name()
        );
        let at = line_of(self.assembly, first);
        Some(Warning { part: Some(part.key.clone()), at, ..Warning::new(WarningCode::UnitSuspect, message) })
    }

    /// Returns true if the first instances, scaled about the origin of the part, meet the box of another part.
    fn touches_at(&self, scale: f64, boxes: &[Aabb]) -> bool {
        self.instances.iter().take(MAX_TRIED).all(|k| {
            let own = &boxes[*k];
            let origin = self.assembly.instances[*k].placement.translation;
            let scaled = Aabb { min: origin + (own.min - origin) * scale, max: origin + (own.max - origin) * scale };
            let is_other = |(j, _): &(usize, &Aabb)| !self.instances.contains(j);
            let mut others = boxes.iter().enumerate().filter(is_other);
            others.any(|(_, other)| scaled.meets(other))
        })
    }
}
