//! Collects what pictures show: placed meshes, and the place and the directions of a pair.
//!
//! - `raster`: samples triangles in an orthographic view
//! - `cut`: winding numbers of solids in a section plane
//! - `layers`: nearest faces of a pair, and the faces where the overlap begins
//! - `focus`: place and thin direction of a pair
//! - `finding`: lines of a report, ready to draw
//! - `views`: chooses the views of a pair
//! - `colors`: colours of parts and overlaps
//! - `cluster`: meshes with fewer triangles
//! - `selection`: instances that a page or a model shows
//! - `solids`: common solids and crossing lines of the findings

pub mod cluster;
pub mod colors;
pub mod cut;
pub(crate) mod finding;
pub(crate) mod focus;
pub mod layers;
pub mod raster;
pub(crate) mod selection;
pub(crate) mod solids;
pub(crate) mod views;

use crate::assembly::InstanceIx;
use crate::check::{Drawn, DrawnShape, Kinematics};
use crate::geom::{Aabb, Pose, Vec3};
use std::sync::Arc;

pub use crate::scene::finding::{RunFinding, SceneFinding, findings, run_findings};
pub use crate::scene::focus::Focus;
pub use crate::scene::raster::{Corner, Hit, Raster, View};
pub use crate::scene::selection::Selection;
pub use crate::scene::solids::{MAX_OVERLAPS, NoOverlap, Overlap, Overlaps, PlacedOverlap};
pub use crate::scene::views::{PairViews, choose, half_frame};

/// Placed shapes of an assembly, as judged.
#[derive(Debug)]
pub struct Scene {
    /// Distinct shapes.
    pub shapes: Arc<[DrawnShape]>,
    /// Instances in the order of the assembly.
    pub instances: Vec<SceneInstance>,
    /// Box of all instances (mm, root frame).
    pub bounds: Aabb,
    /// Joints that move the instances.
    pub kinematics: Kinematics,
}

/// A placed shape.
#[derive(Debug, Clone)]
pub struct SceneInstance {
    /// Index in [`Scene::shapes`].
    pub shape: usize,
    /// Map from the shape's frame to the root frame.
    pub pose: Pose,
    /// Box in the root frame (mm).
    pub bounds: Aabb,
}

impl SceneInstance {
    fn new(shapes: &[DrawnShape], shape: usize, pose: Pose) -> Self {
        let placed = shapes[shape].mesh.vertices.iter().map(|v| pose.point(v));
        let bounds = placed.fold(Aabb::EMPTY, |b, p| b.union(&Aabb { min: p, max: p }));
        Self { shape, pose, bounds }
    }
}

fn bounds_of(instances: &[SceneInstance]) -> Aabb {
    instances.iter().fold(Aabb::EMPTY, |all, i| all.union(&i.bounds))
}

impl Scene {
    /// Places the shapes. Cost: linear in the vertices of all instances.
    pub fn new(drawn: Drawn) -> Self {
        let Drawn { shapes, instances, kinematics } = drawn;
        let shapes: Arc<[DrawnShape]> = shapes.into();
        let instances: Vec<_> =
            instances.into_iter().map(|(shape, pose)| SceneInstance::new(&shapes, shape, pose)).collect();
        Self { bounds: bounds_of(&instances), shapes, instances, kinematics }
    }

    /// The scene at the values of all joints (degrees, or mm for slides); `self` is the scene as drawn. Cost: linear in
    /// the vertices of the instances that move.
    #[must_use]
    pub fn at(&self, values: &[f64]) -> Self {
        let drawn: Vec<Pose> = self.instances.iter().map(|i| i.pose).collect();
        let poses = self.kinematics.placed(&drawn, values);
        let place = |(i, pose): (&SceneInstance, Pose)| {
            if pose == i.pose { i.clone() } else { SceneInstance::new(&self.shapes, i.shape, pose) }
        };
        let instances: Vec<_> = self.instances.iter().zip(poses).map(place).collect();
        let (shapes, kinematics) = (Arc::clone(&self.shapes), self.kinematics.clone());
        Self { bounds: bounds_of(&instances), shapes, instances, kinematics }
    }

    /// Shape of an instance.
    pub fn shape_of(&self, i: InstanceIx) -> &DrawnShape {
        &self.shapes[self.instances[i.0 as usize].shape]
    }

    /// Box of two instances (mm, root frame).
    pub fn bounds_of(&self, pair: [InstanceIx; 2]) -> Aabb {
        let [a, b] = pair.map(|i| &self.instances[i.0 as usize].bounds);
        a.union(b)
    }

    /// Calls `face` for each triangle of an instance that reaches into the picture: corners in the root frame, and
    /// projected; counter-clockwise from outside.
    pub fn for_each_shown(&self, i: InstanceIx, raster: &Raster, mut face: impl FnMut([Vec3; 3], [Corner; 3])) {
        let instance = &self.instances[i.0 as usize];
        let mesh = &self.shapes[instance.shape].mesh;
        let placed: Vec<Vec3> = mesh.vertices.iter().map(|v| instance.pose.point(v)).collect();
        let projected: Vec<Corner> = placed.iter().map(|p| raster.project(p)).collect();
        for t in &mesh.triangles {
            let corners = t.map(|v| projected[v as usize]);
            if raster.shows(&corners) {
                face(t.map(|v| placed[v as usize]), corners);
            }
        }
    }

    /// Calls `face` for each triangle of an instance: corners in the root frame, counter-clockwise from outside.
    pub fn for_each_face(&self, i: InstanceIx, mut face: impl FnMut([Vec3; 3])) {
        let instance = &self.instances[i.0 as usize];
        let mesh = &self.shapes[instance.shape].mesh;
        let placed: Vec<Vec3> = mesh.vertices.iter().map(|v| instance.pose.point(v)).collect();
        for t in &mesh.triangles {
            face(t.map(|v| placed[v as usize]));
        }
    }

    /// Instances with a box inside the rectangle of the view.
    pub fn visible(&self, view: &View) -> impl Iterator<Item = InstanceIx> {
        let view = *view;
        let seen = move |b: &Aabb| {
            let [x, y, _] = view.coordinates(&b.center());
            let half = (b.max - b.min) * 0.5;
            let reach = |axis: &Vec3| half.dot(&axis.abs());
            x.abs() <= 0.5 * view.size[0] + reach(&view.right) && y.abs() <= 0.5 * view.size[1] + reach(&view.up)
        };
        (0..).zip(&self.instances).filter(move |(_, i)| seen(&i.bounds)).map(|(k, _)| InstanceIx(k))
    }
}
