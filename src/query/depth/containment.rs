//! Decides if one solid of a pair lies inside the other.

use crate::query::convex::contains;
use crate::query::depth::bracket::OverlapSearch;
use crate::query::depth::inset::certificate::{InsetResult, InsetSurfaces};
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::triangles::pairing::Pairing;

/// Inclusion of the two solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// B lies inside A.
    BInsideA,
    /// A lies inside B.
    AInsideB,
    /// Both inclusions hold: the two solids coincide.
    Coincident,
    /// Neither inclusion holds or is certified.
    None,
}

impl OverlapSearch<'_> {
    /// Decides the inclusion of the solids, to the rounding of both files' coordinates. Requires narrowed bounds; pairs
    /// without known solids count as not included.
    pub fn containment(&self) -> Containment {
        if !self.is_solid() {
            return Containment::None;
        }
        let [a, b] = self.bodies;
        debug_assert!(!a.has_inner_hull && !b.has_inner_hull, "an inner hull does not contain its part");
        let back = self.b_in_a.inverse();
        let rounding = self.ask.rounding;
        let slack = rounding + self.ask.margin;
        let tau = rounding + 16.0 * self.ask.margin;
        // All triangles of a solid inside another one reach it.
        let bounds = |k: usize| {
            let surface = self.bodies[k].surface;
            !self.holds_as_given()[k] || surface.are_bounding(&vec![true; surface.triangles.len()])
        };
        let b_in_a = contains(a.convex, b.convex, self.b_in_a, slack)
            && {
                let turned = Pairing { a: b.surface, b: a.surface, b_in_a: &back };
                InsetSurfaces::new(turned, SolidSide::Outside, tau, 0.0, false).certify() == InsetResult::Apart
            }
            && bounds(1);
        let a_in_b = contains(b.convex, a.convex, &back, slack)
            && InsetSurfaces::new(self.pairing(), SolidSide::Outside, tau, 0.0, false).certify() == InsetResult::Apart
            && bounds(0);
        match (b_in_a, a_in_b) {
            (true, true) => Containment::Coincident,
            (true, false) => Containment::BInsideA,
            (false, true) => Containment::AInsideB,
            (false, false) => Containment::None,
        }
    }
}
