//! Whether one solid of a pair lies in the other.

use crate::query::convex::contains;
use crate::query::depth::bracket::Meeting;
use crate::query::depth::inset::certificate::{Shrunk, shrink};
use crate::query::depth::inset::vertex_offset::Taken;
use crate::query::triangles::pairing::Pairing;

/// How one solid lies in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// Nothing of B outside A.
    AHoldsB,
    /// Nothing of A outside B.
    BHoldsA,
    /// The same solid.
    Coincident,
    /// Neither.
    None,
}

impl Meeting<'_> {
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
            shrink(&turned, Taken::Outside, tau, 0.0) == Shrunk::Apart
        };
        let a_in_b = contains(b.convex, a.convex, &back, slack)
            && shrink(&self.pairing(), Taken::Outside, tau, 0.0) == Shrunk::Apart;
        match (b_in_a, a_in_b) {
            (true, true) => Containment::Coincident,
            (true, false) => Containment::AHoldsB,
            (false, true) => Containment::BHoldsA,
            (false, false) => Containment::None,
        }
    }
}
