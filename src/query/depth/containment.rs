//! Whether one solid of a pair lies in the other.

use crate::query::convex::contains;
use crate::query::depth::bracket::OverlapSearch;
use crate::query::depth::inset::certificate::{InsetResult, certify_by_inset};
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::triangles::pairing::Pairing;

/// How one solid lies in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// Nothing of B outside A.
    BInsideA,
    /// Nothing of A outside B.
    AInsideB,
    /// The same solid.
    Coincident,
    /// Neither.
    None,
}

impl OverlapSearch<'_> {
    /// Whether one solid lies in the other, to the rounding of both files' coordinates; after the bounds were narrowed.
    pub fn containment(&self) -> Containment {
        if !self.is_solid() {
            return Containment::None;
        }
        let [a, b] = self.bodies;
        let back = self.b_in_a.inverse();
        let rounding = self.ask.rounding;
        let slack = rounding + self.ask.margin;
        let tau = rounding + 16.0 * self.ask.margin;
        let b_in_a = contains(a.convex, b.convex, self.b_in_a, slack) && {
            let turned = Pairing { a: b.surface, b: a.surface, b_in_a: &back };
            certify_by_inset(&turned, SolidSide::Outside, tau, 0.0) == InsetResult::Apart
        };
        let a_in_b = contains(b.convex, a.convex, &back, slack)
            && certify_by_inset(&self.pairing(), SolidSide::Outside, tau, 0.0) == InsetResult::Apart;
        match (b_in_a, a_in_b) {
            (true, true) => Containment::Coincident,
            (true, false) => Containment::BInsideA,
            (false, true) => Containment::AInsideB,
            (false, false) => Containment::None,
        }
    }
}
