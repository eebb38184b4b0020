//! Poses by the frames that they relate to: a tree of frames below the frame of the world.

use crate::assembly::file::rotation::{from_quaternion, roll_pitch_yaw};
use crate::error::Problem;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::element::Element;

/// A frame and the one that its pose relates to.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Index of the frame that the pose relates to; `None` for the world.
    pub(crate) above: Option<usize>,
    /// Map to the frame above (mm).
    pub(crate) pose: Affine,
    /// Frame of a model that stands at the pose in its place.
    pub(crate) placed_by: Option<usize>,
}

/// Frames by index; the first one is the world.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) all: Vec<Frame>,
    /// Map of each known frame to the world.
    known: Vec<Option<Affine>>,
}

impl Frames {
    pub(crate) fn new() -> Self {
        let world = Frame { above: None, pose: Affine::identity(), placed_by: None };
        Self { all: vec![world], known: vec![Some(Affine::identity())] }
    }

    /// Adds a frame; returns its index.
    pub(crate) fn add(&mut self, above: usize) -> usize {
        self.all.push(Frame { above: Some(above), pose: Affine::identity(), placed_by: None });
        self.known.push(None);
        self.all.len() - 1
    }

    /// Map of a frame to the world; `None` in a cycle.
    pub(crate) fn in_world(&mut self, frame: usize) -> Option<Affine> {
        let mut path = Vec::new();
        let mut at = frame;
        while self.known[at].is_none() {
            path.push(at);
            if path.len() > self.all.len() {
                return None;
            }
            at = self.all[at].above?;
        }
        let mut placement = self.known[at]?;
        for index in path.into_iter().rev() {
            placement = placement.after(&self.local(index, 0)?);
            self.known[index] = Some(placement);
        }
        Some(placement)
    }

    /// Map of a frame to the one above. A model with a placement frame moves so that this frame has the pose.
    fn local(&self, frame: usize, depth: usize) -> Option<Affine> {
        let own = &self.all[frame];
        let Some(by) = own.placed_by else { return Some(own.pose) };
        if depth > 64 {
            return None;
        }
        let (mut inside, mut at, mut steps) = (Affine::identity(), by, 0);
        while at != frame {
            inside = self.local(at, depth + 1)?.after(&inside);
            at = self.all[at].above?;
            steps += 1;
            if steps > self.all.len() {
                return None;
            }
        }
        Some(own.pose.after(&inverse(&inside)))
    }
}

/// Inverse of a rotation with a translation.
pub(crate) fn inverse(of: &Affine) -> Affine {
    let linear = of.linear.transpose();
    Affine { linear, translation: -(linear * of.translation) }
}

/// True for a text that says yes; letters of either case count.
pub(crate) fn is_true(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true")
}

/// Reads a pose (mm): x y z, then roll, pitch and yaw, or a quaternion.
///
/// # Errors
/// Refuses another count of numbers, other words, and a quaternion of length zero.
pub(crate) fn pose(element: &Element) -> Result<Affine, Problem> {
    if element.text.is_empty() {
        return Ok(Affine::identity());
    }
    if element.attribute("rotation_format").is_some_and(|f| f.trim() == "quat_xyzw") {
        let [x, y, z, a, b, c, w] = element.exactly::<7>("pose", &element.text)?;
        let linear = from_quaternion([a, b, c, w]).ok_or_else(|| element.bad("a quaternion of length zero"))?;
        return Ok(Affine { linear, translation: Vec3::new(x, y, z) * 1000.0 });
    }
    let [x, y, z, roll, pitch, yaw] = element.exactly::<6>("pose", &element.text)?;
    let is_degrees = element.attribute("degrees").is_some_and(is_true);
    let angles = [roll, pitch, yaw].map(|a| if is_degrees { a } else { a.to_degrees() });
    let linear = if angles == [0.0; 3] { Mat3::identity() } else { roll_pitch_yaw(&angles) };
    Ok(Affine { linear, translation: Vec3::new(x, y, z) * 1000.0 })
}
