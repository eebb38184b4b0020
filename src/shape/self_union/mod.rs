//! Computes the self-union of one part: its boundary without the parts of shells inside the solid.
//!
//! CAD exports often contain overlapping shells and self-intersecting surfaces: a welded assembly, or a part with its
//! screws, is one mesh. The solid is the set of points with winding number at least 1. Patches of the surface inside
//! the solid are no boundary, and an upper bound of the depth must not use them as one.
//!
//! `resolve` works in this order:
//!
//! - `self_intersections` finds the intersecting pairs of triangles, by `triangle_pair`. Most pairs at one vertex need no
//!   test (`unfolded`).
//! - `drop_inner_patches`: without such a pair, every patch bounds the solid entirely or not at all, and an exact ray
//!   decides.
//! - Otherwise the mesh union cuts the surface along its crossings, and `verify` checks the result. The other triangles
//!   stay whole, and one ray a patch tells if they bound the solid.

pub(crate) mod bounding;
pub(crate) mod drop_inner_patches;
pub(crate) mod patches;
pub(crate) mod self_intersections;
#[cfg(test)]
pub(crate) mod tests;
mod triangle_pair;
mod unfolded;
pub(crate) mod verify;

use crate::mesh::{Known, Pieces, TriMesh, union};
use crate::shape::self_union::patches::Patches;
pub(crate) use crate::shape::self_union::self_intersections::count_self_intersections;
pub use crate::shape::surface::SelfUnion;
use crate::shape::surface::{Inside, Resolution, SelfIntersections, Surface};

/// Largest number of triangles of a surface to be cut: some seconds.
const MAX_TRIANGLES: usize = 400_000;

/// Share of the area below which a loss by cutting is rounding only, and nothing was dropped.
const AREA_ROUNDING: f64 = 1e-9;

/// Cost of an intersecting pair, in triangles.
pub(crate) const MEETING_COST: usize = 20;

/// Reasons of [`SelfUnion::Unresolved`], complete.
pub(crate) const FAILURE_TEXTS: [&str; 5] = [TOO_MANY, NOT_UNITED, NOT_SOUND, NO_RAY, NO_BOUNDARY];

const TOO_MANY: &str = "too many triangles";
const NOT_UNITED: &str = "the shells could not be united";
const NOT_SOUND: &str = "the united shells failed a check";
const NO_RAY: &str = "no ray shows the nesting of the shells";
const NO_BOUNDARY: &str = "no part of the surface bounds a solid";

impl Surface {
    /// Boundary of the solid: the surface itself, or its self-union if shells overlap and the self-union succeeded. The
    /// first call searches for intersecting triangles, in about the time of building the tree, and computes the
    /// self-union if needed.
    pub fn solid(&self) -> &Self {
        match self.resolved() {
            Resolution::Into { surface, .. } => surface,
            Resolution::Clean | Resolution::Failed(_) => self,
        }
    }

    /// Tells if parts of the surface lie inside the solid. The first call costs as much as [`Self::solid`].
    pub fn overlaps(&self) -> SelfUnion {
        self.resolved().kind()
    }

    /// Result of [`Self::overlaps`] if it is known already.
    pub fn known_overlaps(&self) -> Option<SelfUnion> {
        self.resolved.get().map(Resolution::kind)
    }

    /// True if triangles of a solid intersect each other besides their shared corners and edges.
    #[cfg(test)]
    pub(crate) fn has_self_intersections(&self) -> bool {
        self.inside == Inside::Solid && !self.is_known_boundary() && self.self_intersections().pairs > 0
    }

    /// True if the surface is known to be the boundary of its solid.
    pub(crate) fn is_known_boundary(&self) -> bool {
        matches!(self.resolved.get(), Some(Resolution::Clean))
    }

    fn self_intersections(&self) -> &SelfIntersections {
        self.intersections.get_or_init(|| self_intersections::self_intersections(self, most_pairs(self) + 1))
    }

    fn resolved(&self) -> &Resolution {
        self.resolved.get_or_init(|| if self.inside == Inside::Solid { resolve(self) } else { Resolution::Clean })
    }
}

/// Computes the boundary of all points with a winding number of at least 1 about a closed surface.
pub(crate) fn resolve(s: &Surface) -> Resolution {
    let SelfIntersections { pairs, crosses } = s.self_intersections();
    if *pairs == 0 {
        return drop_inner_patches::keep_boundary(s);
    }
    if *pairs > most_pairs(s) {
        return Resolution::Failed(TOO_MANY);
    }
    let in_front = Patches::of(s, crosses).in_front_of_triangles(s);
    cut(s, &Known { crosses: crosses.clone(), in_front })
        .or_else(|_| cut(s, &Known::nothing(s.triangles.len())))
        .unwrap_or_else(Resolution::Failed)
}

/// Largest number of intersecting pairs of a surface to be cut.
fn most_pairs(s: &Surface) -> usize {
    MAX_TRIANGLES.saturating_sub(s.triangles.len()) / MEETING_COST
}

/// Cuts the surface along its crossings, and keeps the boundary of the solid.
fn cut(s: &Surface, known: &Known) -> Result<Resolution, &'static str> {
    let mesh = TriMesh { vertices: s.vertices.clone(), triangles: s.triangles.clone() };
    let Pieces { mesh, source } = union(&mesh, known).ok_or(NOT_UNITED)?;
    let united = Surface::of(mesh.vertices, &mesh.triangles, Inside::Solid);
    if !verify::is_union(&united, &source, s, &known.in_front) {
        return Err(NOT_SOUND);
    }
    let dropped = area(s) - area(&united) > AREA_ROUNDING * area(s);
    let surface = Box::new(united.into_self_union(|t| s.source[source[t as usize] as usize]));
    Ok(Resolution::Into { surface, dropped })
}

/// Twice the area (mm²).
fn area(s: &Surface) -> f64 {
    (0..s.triangles.len() as u32).map(|t| s.triangle(t)).map(|[a, b, c]| (b - a).cross(&(c - a)).norm()).sum()
}
