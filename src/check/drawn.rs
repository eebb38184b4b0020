//! Gives pictures the shapes that the check judges: meshes, hulls or pieces, placed.

use crate::assembly::{Assembly, Geometry};
use crate::check::prepare::load::load_meshes;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes;
use crate::check::prepare::solid::hull_mesh;
use crate::check::run::resolve_settings;
use crate::check::{Options, Progress};
use crate::error::Error;
use crate::geom::Pose;
use crate::io::Loader;
use crate::mesh::TriMesh;

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
}

/// Builds the shapes that [`crate::check::check()`] judges with these options.
///
/// # Errors
/// Returns the errors of the assembly's meshes and of options out of range.
pub fn drawn(
    assembly: &Assembly,
    options: &Options,
    loader: &dyn Loader,
    progress: &dyn Progress,
) -> Result<Drawn, Error> {
    let settings = resolve_settings(assembly, options)?;
    let meshes = load_meshes(assembly, loader, None, true, progress)?;
    let shapes = shapes::build(assembly, &meshes, &settings, None, progress)?;
    let instances = shapes.placed.iter().map(|p| {
        let origin = &shapes.all[p.shape as usize].convex.origin;
        (p.shape as usize, Pose { rotation: p.pose.rotation, translation: p.pose.point(origin) })
    });
    Ok(Drawn { instances: instances.collect(), shapes: shapes.all.iter().map(drawn_shape).collect() })
}

fn drawn_shape(shape: &Shape) -> DrawnShape {
    let mesh = if let Some(pieces) = shape.pieces() {
        let surface = pieces.surface();
        TriMesh { vertices: surface.vertices, triangles: surface.triangles }
    } else if shape.geometry == Geometry::Hull {
        hull_mesh(shape)
    } else {
        let mut mesh = shape.mesh().into_owned();
        mesh.vertices.iter_mut().for_each(|v| *v -= shape.convex.origin);
        mesh
    };
    DrawnShape { mesh, solid: shape.is_solid() }
}
