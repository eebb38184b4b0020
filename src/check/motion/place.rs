//! Places the instances at joint values.

use crate::assembly::{Assembly, NamedRun};
use crate::check::prepare::shapes::{PlacedInstance, Shapes};
use crate::error::{Error, Problem};
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
    let motion = &assembly.motion;
    let motions = motion.mechanism.motions(values);
    let mut problems = Vec::new();
    let mut placed = shapes.placed.clone();
    for (instance, place) in assembly.instances.iter().zip(&mut placed) {
        let Some(joint) = instance.joint else { continue };
        let size = shapes.all[place.shape as usize].max_abs;
        place.residual += rounding(assembly, joint, values, place.pose.translation.norm() + size);
        place.pose = motions[joint.0 as usize].after(&place.pose);
        let reach = place.pose.translation.amax() + size;
        if reach.is_nan() || reach > MAX_COORDINATE {
            let what = format!("instance `{}` reaches {reach:e} mm from the origin", instance.id);
            let fix = format!("the limit is {MAX_COORDINATE:e} mm; check the values of the joints");
            problems.push(Problem::new(run.at.clone(), what, fix));
        }
    }
    if problems.is_empty() { Ok(placed) } else { Err(Error { problems }) }
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
