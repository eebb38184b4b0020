//! Shells of one part that overlap, and surfaces that cross themselves: common in CAD exports, where a welded assembly or a part
//! with its screws is one mesh. The solid is what the surface winds around at least once; parts of the surface that lie inside
//! of it are no boundary, and bounds of the depth from above must not take them for one.
//!
//! `resolve` finds out whether triangles meet that are not neighbours (`self_meet`). If none do, every patch of the surface
//! bounds the solid as a whole or not at all, which a ray tells exactly. If some do, the surface is cut along its crossings, and
//! what is left is checked (`check`).

pub(crate) mod asked;
pub(crate) mod drop_inner_patches;
pub(crate) mod self_intersections;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod verify;

use crate::mesh::{Pieces, TriMesh, union};
pub(crate) use crate::shape::self_union::self_intersections::count_self_intersections;
use crate::shape::surface::{Inside, Surface};

/// Triangles of a surface that is cut, at most: some seconds.
const MAX_TRIANGLES: usize = 400_000;

/// A surface that is cut without losing more than this share of its area loses nothing: what it is short of is rounding.
const AREA_ROUNDING: f64 = 1e-9;

/// What a pair of meeting triangles costs, in triangles.
pub(crate) const MEETING_COST: usize = 20;

/// Why parts of a surface were not dropped: every reason that [`Overlaps::Unresolved`] gives.
pub(crate) const FAILURE_TEXTS: [&str; 5] = [TOO_MANY, NOT_UNITED, NOT_SOUND, NO_RAY, NO_BOUNDARY];

const TOO_MANY: &str = "too many triangles";
const NOT_UNITED: &str = "the shells could not be united";
const NOT_SOUND: &str = "the united shells failed a check";
const NO_RAY: &str = "no ray tells which shells lie in which";
const NO_BOUNDARY: &str = "nothing of the surface bounds a solid";

/// Whether parts of a surface lie inside the solid that it bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfUnion {
    /// None do.
    None,
    /// Some did and were dropped.
    Resolved,
    /// Some may; the reason says why they were not dropped.
    Unresolved(&'static str),
}

/// What became of a surface.
#[derive(Debug)]
pub(crate) enum Resolution {
    /// It is the boundary of its solid.
    Clean,
    /// This is the boundary of its solid.
    Into {
        surface: Box<Surface>,
        /// Less than what was given: not only cut where it touches itself.
        dropped: bool,
    },
    /// What is known of its inside is the winding number.
    Failed(&'static str),
}

impl Resolution {
    pub(crate) fn kind(&self) -> SelfUnion {
        match self {
            Self::Clean | Self::Into { dropped: false, .. } => SelfUnion::None,
            Self::Into { .. } => SelfUnion::Resolved,
            Self::Failed(why) => SelfUnion::Unresolved(why),
        }
    }
}

/// Makes a closed surface the boundary of what it winds around at least once.
pub(crate) fn resolve(s: &Surface) -> Resolution {
    let most = MAX_TRIANGLES.saturating_sub(s.triangles.len()) / MEETING_COST;
    let pairs = count_self_intersections(s, most + 1);
    if pairs == 0 {
        return crate::shape::self_union::drop_inner_patches::keep_boundary(s);
    }
    if pairs > most {
        return Resolution::Failed(TOO_MANY);
    }
    let mesh = TriMesh { vertices: s.vertices.clone(), triangles: s.triangles.clone() };
    let Some(Pieces { mesh, source }) = union(&mesh) else {
        return Resolution::Failed(NOT_UNITED);
    };
    let united = Surface::of(mesh.vertices, &mesh.triangles, Inside::Solid);
    if crate::shape::self_union::verify::is_union(&united, &source, s) {
        let dropped = area(s) - area(&united) > AREA_ROUNDING * area(s);
        let surface = Box::new(united.as_self_union(|t| s.source[source[t as usize] as usize]));
        Resolution::Into { surface, dropped }
    } else {
        Resolution::Failed(NOT_SOUND)
    }
}

/// Twice the area.
fn area(s: &Surface) -> f64 {
    (0..s.triangles.len() as u32).map(|t| s.triangle(t)).map(|[a, b, c]| (b - a).cross(&(c - a)).norm()).sum()
}
