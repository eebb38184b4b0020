//! Links, geometries and joints of a robot, independent of the language of its description.

use crate::error::{Error, Location};
use crate::geom::{Affine, Vec3};
use crate::import::refusal::{Refusal, refuse};
use crate::json::wording::quoted;
use crate::mesh::TriMesh;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// A robot: a tree of links.
#[derive(Debug)]
pub(crate) struct Robot {
    pub(crate) name: Option<String>,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) link_of: BTreeMap<String, usize>,
    /// Joints with a name.
    pub(crate) joint_of: BTreeMap<String, usize>,
    /// Word of the language for a link.
    pub(crate) word: &'static str,
    /// Link of the ground: its pairs with the links on it get no rule.
    pub(crate) ground: Option<usize>,
    /// Links fixed to the ground, by index, that count as ground for moving links on them; may be shorter than the
    /// links.
    pub(crate) grounded: Vec<bool>,
    /// True if links of one joint are checked against each other, too.
    pub(crate) checks_neighbours: bool,
}

impl Robot {
    pub(crate) fn new(name: Option<String>, word: &'static str) -> Self {
        Self {
            name,
            links: Vec::new(),
            joints: Vec::new(),
            link_of: BTreeMap::new(),
            joint_of: BTreeMap::new(),
            word,
            ground: None,
            grounded: Vec::new(),
            checks_neighbours: false,
        }
    }
}

/// Named poses: values of joints (rad or m) by their names.
pub(crate) type Poses = BTreeMap<String, BTreeMap<String, f64>>;

/// A link and its geometries.
#[derive(Debug, Default)]
pub(crate) struct Link {
    /// Name for messages.
    pub(crate) name: String,
    /// Names from the top to the link; the id joins them with dots.
    pub(crate) path: Vec<String>,
    pub(crate) collisions: Vec<Geometry>,
    pub(crate) visuals: Vec<Geometry>,
    /// True for a link that only joins two joints.
    pub(crate) is_frame: bool,
}

impl Link {
    /// Geometries of one kind; of the other kind without one.
    pub(crate) fn geometries(&self, visual: bool) -> &[Geometry] {
        let (first, second) =
            if visual { (&self.visuals, &self.collisions) } else { (&self.collisions, &self.visuals) };
        if first.is_empty() { second } else { first }
    }
}

/// A collision or visual geometry of a link.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Name of its part.
    pub(crate) name: Option<String>,
    /// Last level of the id; `None` for a number.
    pub(crate) level: Option<String>,
    /// Map to the frame of the link (mm).
    pub(crate) origin: Affine,
    pub(crate) shape: Shape,
    pub(crate) at: Location,
}

/// Shape of a geometry (m), about the origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Box([f64; 3]),
    /// About the z axis.
    Cylinder {
        radius: f64,
        length: f64,
    },
    /// A cylinder about the z axis between two half balls.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// A cone about the z axis, with its tip at half its length.
    Cone {
        radius: f64,
        length: f64,
    },
    Sphere(f64),
    /// By its radii.
    Ellipsoid([f64; 3]),
    Mesh {
        file: Address,
        /// Map of the points of the file (m).
        map: Affine,
    },
    /// Triangles of the description itself.
    Triangles(Rc<TriMesh>),
    /// Another element, by name.
    Other(String),
}

/// Place of a mesh file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    /// An address with `%20` and packages.
    Uri(String),
    /// A path from the folder of the description.
    Path(String),
    /// A path from another folder.
    Beside(PathBuf, String),
}

/// Motion that a joint allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Motion {
    Turn,
    Slide,
    /// A turn with a slide along its axis (m for one turn).
    Screw(f64),
    /// No motion, or one without a single value: the child stays at the joint's origin.
    None,
}

/// A joint. The child's frame is the joint's frame after the motion by its value.
#[derive(Debug)]
pub(crate) struct Joint {
    /// Empty for a fixed joint without a name.
    pub(crate) name: String,
    pub(crate) motion: Motion,
    pub(crate) parent: usize,
    pub(crate) child: usize,
    /// Map from the joint's frame to the frame of the parent link (mm).
    pub(crate) origin: Affine,
    /// Unit vector.
    pub(crate) axis: Vec3,
    /// Value without a motion (rad or m).
    pub(crate) reference: f64,
    /// Least and greatest value (rad or m).
    pub(crate) limits: Option<[f64; 2]>,
    /// Another joint with a factor and an offset.
    pub(crate) mimic: Option<(String, f64, f64)>,
}

impl Joint {
    /// A joint without a motion.
    pub(crate) fn fixed(name: String, parent: usize, child: usize, origin: Affine) -> Self {
        let (motion, axis) = (Motion::None, Vec3::x());
        Self { name, motion, parent, child, origin, axis, reference: 0.0, limits: None, mimic: None }
    }
}

/// Error of a name that the robot does not have, with the nearest one.
pub(crate) fn unknown<'n>(
    file: &str,
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'n String> + Clone,
) -> Error {
    let near = crate::json::wording::nearest(name, known.clone().into_iter().map(String::as_str));
    let fix = if let Some(near) = near {
        format!("did you mean {}?", quoted(near))
    } else {
        let names: Vec<&str> = known.into_iter().map(String::as_str).take(20).collect();
        if names.is_empty() { format!("there is no {kind}") } else { format!("known: {}", names.join(", ")) }
    };
    refuse(file, Refusal::UnknownName, format!("no {kind} {}", quoted(name)), fix)
}
