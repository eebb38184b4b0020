//! Gives pictures the shapes that the check judges: meshes, hulls or pieces, placed.

use crate::assembly::{Assembly, Geometry};
use crate::check::outcome::part_rows::{describe_instances, describe_parts};
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::{self, Shapes};
use crate::check::prepare::solid::hull_mesh;
use crate::check::run::resolve_settings;
use crate::check::{InstanceOutcome, JointTravel, Measure, MotionOutcome, Options, PartOutcome, Progress};
use crate::error::Error;
use crate::geom::{Pose, Vec3};
use crate::io::Loader;
use crate::mesh::TriMesh;
use crate::motion::{JointIx, Loop, Mechanism};
use rayon::prelude::*;

/// A judged shape.
#[derive(Debug)]
pub struct DrawnShape {
    /// Triangles in the shape's own frame (mm), counter-clockwise from outside if `solid`.
    pub mesh: TriMesh,
    /// True if the shape has a definite inside.
    pub solid: bool,
}

/// Shapes of an assembly and their placements.
#[derive(Debug)]
pub struct Drawn {
    /// Distinct shapes.
    pub shapes: Vec<DrawnShape>,
    /// Index of the shape, and the map from its frame to the root frame, for each instance of the assembly.
    pub instances: Vec<(usize, Pose)>,
    /// Joints that move the instances.
    pub kinematics: Kinematics,
}

/// A pin that closes a loop, as drawn in the root frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnLoop {
    /// Indices of the joints that carry the pinned links.
    pub links: [u32; 2],
    /// A point of the pin's axis (mm).
    pub at: Vec3,
    /// Direction of the pin's axis, of length 1.
    pub axis: Vec3,
    /// Indices of the solved joints: their values close the loop.
    pub solves: [u32; 2],
}

/// Joints of an assembly and the instances that they move.
#[derive(Debug, Clone, Default)]
pub struct Kinematics {
    mechanism: Mechanism,
    /// Joint of each instance; `None` for one at rest. Empty without joints.
    joint_of: Vec<Option<JointIx>>,
}

impl Kinematics {
    fn of(assembly: &Assembly) -> Self {
        let motion = &assembly.motion;
        let joint_of =
            if motion.joints.is_empty() { Vec::new() } else { assembly.instances.iter().map(|i| i.joint).collect() };
        Self { mechanism: motion.mechanism.clone(), joint_of }
    }

    /// Values of all joints (degrees, or mm for slides): these, and home for the others.
    pub fn values(&self, set: &[JointTravel]) -> Vec<f64> {
        let mut values: Vec<f64> = self.mechanism.joints().iter().map(|j| j.home).collect();
        for travel in set {
            if let Some(value) = values.get_mut(travel.joint as usize) {
                *value = travel.from;
            }
        }
        values
    }

    /// Index of the joint that moves an instance; `None` for one at rest.
    pub fn joint_of(&self, instance: usize) -> Option<u32> {
        self.joint_of.get(instance).copied().flatten().map(|j| j.0)
    }

    /// Loops in the order of their solution.
    pub fn loops(&self) -> Vec<DrawnLoop> {
        let drawn = |one: &Loop| DrawnLoop {
            links: one.links.map(|j| j.0),
            at: one.at,
            axis: one.axis,
            solves: one.solves.map(|j| j.0),
        };
        self.mechanism.closing().map(drawn).collect()
    }

    /// Ratio and offset of a follower: value = ratio · (value of its leader) + offset.
    pub fn follow(&self, joint: u32) -> Option<[f64; 2]> {
        let follows = self.mechanism.joints().get(joint as usize)?.follows?;
        Some([follows.ratio, follows.offset])
    }

    /// Poses of all instances at the values of all joints, from their poses as drawn.
    pub fn placed(&self, drawn: &[Pose], values: &[f64]) -> Vec<Pose> {
        let motions = self.mechanism.motions(values);
        let place = |(k, pose): (usize, &Pose)| match self.joint_of(k) {
            Some(joint) => motions[joint as usize].after(pose),
            None => *pose,
        };
        drawn.iter().enumerate().map(place).collect()
    }
}

/// Shapes of an assembly, with the hashes of its meshes and placements.
#[derive(Debug)]
pub struct DrawnInputs {
    /// The shapes.
    pub drawn: Drawn,
    /// Parts as in an outcome.
    pub parts: Vec<PartOutcome>,
    /// Instances as in an outcome.
    pub instances: Vec<InstanceOutcome>,
    /// Joints as in an outcome, without runs.
    pub motion: MotionOutcome,
}

/// Builds the shapes that [`crate::check::check()`] judges with these options, without a check.
///
/// # Errors
/// Returns the errors of the assembly's meshes and of options out of range.
pub fn drawn(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<DrawnInputs, Error> {
    let settings = resolve_settings(assembly, options)?;
    let meshes = load_meshes(assembly, loader, None, Measure::All, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    Ok(DrawnInputs {
        drawn: drawn_shapes(assembly, &shapes),
        parts: describe_parts(assembly, &meshes, &shapes),
        instances: describe_instances(assembly),
        motion: MotionOutcome::of(assembly),
    })
}

/// Copies the triangles of the prepared shapes.
pub(crate) fn drawn_shapes(assembly: &Assembly, shapes: &Shapes) -> Drawn {
    let instances = shapes.placed.iter().map(|p| {
        let origin = &shapes.all[p.shape as usize].inner().origin;
        (p.shape as usize, Pose { rotation: p.pose.rotation, translation: p.pose.point(origin) })
    });
    Drawn {
        instances: instances.collect(),
        shapes: shapes.all.par_iter().map(drawn_shape).collect(),
        kinematics: Kinematics::of(assembly),
    }
}

fn drawn_shape(shape: &Shape) -> DrawnShape {
    let mesh = if let Some(pieces) = shape.pieces() {
        let surface = pieces.surface();
        TriMesh { vertices: surface.vertices, triangles: surface.triangles }
    } else if shape.geometry == Geometry::Hull {
        hull_mesh(shape)
    } else {
        let mut mesh = shape.mesh().into_owned();
        mesh.vertices.iter_mut().for_each(|v| *v -= shape.inner().origin);
        mesh
    };
    DrawnShape { mesh, solid: shape.is_solid() }
}
