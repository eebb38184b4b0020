//! One joint: an axis, and the rigid motion of what it moves.

use crate::geom::math::{Mat3, Vec3, sin_cos_deg};
use crate::geom::pose::Pose;

/// Kind of a joint, and the unit of its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Turns about its axis, right-handed; the value is an angle (degrees).
    Revolute,
    /// Slides along its axis; the value is a length (mm).
    Prismatic,
    /// Turns about its axis and slides along it; the value is an angle (degrees).
    Screw {
        /// Travel along the axis in one turn, signed (mm).
        lead: f64,
    },
    /// Never moves; every value is the drawing.
    Fixed,
}

/// A joint as drawn: its axis lies in the coordinates of the assembly at the home values of all joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Kind of the joint.
    pub kind: JointKind,
    /// Direction of the axis, of length 1.
    pub axis: Vec3,
    /// A point of the axis (mm); a prismatic joint does not use it.
    pub at: Vec3,
}

impl Joint {
    /// Computes the motion from the drawing to `value`, measured from home: exp(ξ·value) of the joint's twist ξ
    /// (Murray, Li & Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, §2.3).
    ///
    /// The result maps points of the assembly as drawn to points after the motion. Multiples of 90° are exact.
    pub fn motion(&self, value: f64) -> Pose {
        match self.kind {
            JointKind::Fixed => Pose::identity(),
            JointKind::Prismatic => Pose { rotation: Mat3::identity(), translation: self.axis * value },
            JointKind::Revolute => self.turn(value, 0.0),
            JointKind::Screw { lead } => self.turn(value, lead * (value / 360.0)),
        }
    }

    /// Turns by an angle (degrees) about the axis and slides by a length (mm) along it.
    fn turn(&self, angle_deg: f64, travel: f64) -> Pose {
        let (sin, cos) = sin_cos_deg(angle_deg);
        let n = self.axis;
        let rotation = Mat3::identity() * cos + n.cross_matrix() * sin + n * n.transpose() * (1.0 - cos);
        Pose { rotation, translation: self.at - rotation * self.at + n * travel }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::UNIT_ROUNDOFF;

    fn joint(kind: JointKind) -> Joint {
        Joint { kind, axis: Vec3::z(), at: Vec3::new(10.0, 0.0, 3.0) }
    }

    #[test]
    fn a_quarter_turn_is_exact() {
        let motion = joint(JointKind::Revolute).motion(90.0);
        assert_eq!(motion.point(&Vec3::new(11.0, 0.0, 5.0)), Vec3::new(10.0, 1.0, 5.0));
    }

    #[test]
    fn a_slide_moves_every_point_along_the_axis() {
        let motion = joint(JointKind::Prismatic).motion(-2.5);
        assert_eq!(motion.point(&Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, 2.0, 0.5));
    }

    #[test]
    fn a_screw_travels_its_lead_in_one_turn() {
        let motion = joint(JointKind::Screw { lead: 1.25 }).motion(-720.0);
        assert_eq!(motion.point(&Vec3::new(11.0, 0.0, 0.0)), Vec3::new(11.0, 0.0, -2.5));
    }

    #[test]
    fn a_fixed_joint_never_moves() {
        assert_eq!(joint(JointKind::Fixed).motion(5.0), Pose::identity());
    }

    #[test]
    fn turns_keep_distances_and_the_axis() {
        let joint =
            Joint { axis: Vec3::new(2.0, -1.0, 2.0) / 3.0, at: Vec3::new(7.0, 8.0, -9.0), kind: JointKind::Revolute };
        for angle in [0.1, 33.0, 179.0, -1234.5] {
            let motion = joint.motion(angle);
            let on_axis = joint.at + joint.axis * 4.0;
            assert!((motion.point(&on_axis) - on_axis).norm() < 100.0 * UNIT_ROUNDOFF * on_axis.norm());
            let error = motion.rotation.transpose() * motion.rotation - Mat3::identity();
            assert!(error.norm() < 8.0 * UNIT_ROUNDOFF, "{angle}: {error}");
        }
    }
}
