//! Places the instances at joint values.

use crate::assembly::{Assembly, NamedRun};
use crate::check::prepare::shapes::{PlacedInstance, Shapes};
use crate::error::{Error, Problem};
use crate::geom::Pose;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::tolerance::MAX_COORDINATE;
use crate::motion::{JointIx, JointKind};

/// Rounding of one joint, in unit roundoffs of the largest coordinate on the way: a product of two poses, a rotation
/// with entries off by a few roundings, a law of three operations. Twice the sum.
const JOINT_ROUNDINGS: f64 = 32.0;

/// Places every instance at the values of all joints. An instance without a joint keeps its place to the last bit.
///
/// # Errors
/// Refuses values that move an instance beyond the largest coordinate.
pub(crate) fn at(
    assembly: &Assembly,
    shapes: &Shapes,
    values: &[f64],
    run: &NamedRun,
) -> Result<Vec<PlacedInstance>, Error> {
    let motions = assembly.motion.mechanism.motions(values);
    let mut problems = Vec::new();
    let mut placed = shapes.placed.clone();
    for (k, place) in placed.iter_mut().enumerate() {
        let reach = move_to(assembly, shapes, values, &motions, k, place);
        let instance = &assembly.instances[k];
        if reach.is_nan() || reach > MAX_COORDINATE {
            let what = format!("instance `{}` reaches {reach:e} mm from the origin", instance.id);
            let fix = format!("the limit is {MAX_COORDINATE:e} mm; check the values of the joints");
            problems.push(Problem::new(run.at.clone(), what, fix));
        }
    }
    if problems.is_empty() { Ok(placed) } else { Err(Error { problems }) }
}

/// Places two instances at the values of all joints, and the others as drawn; `None` beyond the largest coordinate.
pub(crate) fn pair_at(
    assembly: &Assembly,
    shapes: &Shapes,
    values: &[f64],
    pair: [u32; 2],
) -> Option<Vec<PlacedInstance>> {
    let motions = assembly.motion.mechanism.motions(values);
    let mut placed = shapes.placed.clone();
    let near = pair.map(|k| move_to(assembly, shapes, values, &motions, k as usize, &mut placed[k as usize]));
    near.iter().all(|reach| *reach <= MAX_COORDINATE).then_some(placed)
}

/// Moves an instance from its place as drawn; returns its largest coordinate (mm), 0 for an instance without a joint.
fn move_to(
    assembly: &Assembly,
    shapes: &Shapes,
    values: &[f64],
    motions: &[Pose],
    instance: usize,
    place: &mut PlacedInstance,
) -> f64 {
    let Some(joint) = assembly.instances[instance].joint else { return 0.0 };
    let size = shapes.all[place.shape as usize].max_abs;
    place.residual += rounding(assembly, joint, values, place.pose.translation.norm() + size);
    place.pose = motions[joint.0 as usize].after(&place.pose);
    place.pose.translation.amax() + size
}

/// Bounds the rounding of the motion of points at most `reach` (mm) from the origin as drawn (mm, >= 0).
fn rounding(assembly: &Assembly, joint: JointIx, values: &[f64], mut reach: f64) -> f64 {
    let mechanism = &assembly.motion.mechanism;
    let (mut turned, mut roundings) = (0.0, 0.0);
    for j in mechanism.carriers(Some(joint)) {
        let own = &mechanism.joints()[j.0 as usize];
        let value = values[j.0 as usize].abs() + own.home.abs();
        reach += 2.0 * own.joint.at.norm();
        roundings += JOINT_ROUNDINGS;
        match own.joint.kind {
            JointKind::Fixed => {}
            JointKind::Prismatic => reach += value,
            JointKind::Revolute => turned += value.to_radians(),
            JointKind::Screw { lead } => {
                turned += value.to_radians();
                reach += (lead * value / 360.0).abs();
            }
        }
    }
    // The value itself is off by a few roundings of its size.
    (roundings + 8.0 * turned) * UNIT_ROUNDOFF * reach
}
