//! Covers decomposed parts with convex pieces.

use crate::assembly::{Assembly, RuleAction};
use crate::check::prepare::shape::Shape;
use crate::check::{EPSILON_OF_DIAGONAL, Settings};
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::verify::{covered_within, covers};
use crate::shape::decompose::{Limits, decompose};
use crate::shape::surface::{Inside, Surface};

const NO_INSIDE: &str = "the mesh has no definite inside, so convex pieces cannot cover it";
const TOO_LITTLE: &str = "the mesh encloses too little volume for convex pieces";
const NOT_COVERED: &str =
    "the convex pieces do not pass the check that they cover the part (an error of the program: please report it)";

/// Reasons of a failed decomposition, all values of [`Covered::Not`].
pub(crate) const REASONS: [&str; 3] = [NO_INSIDE, TOO_LITTLE, NOT_COVERED];

/// Result of decomposing a part.
#[derive(Debug)]
pub(crate) enum Covered {
    /// The part is convex: its hull is its only piece.
    Convex,
    /// Pieces cover the part.
    By {
        /// Pieces in place of the part.
        pieces: Box<Pieces>,
        /// Overshoot of the pieces (mm, >= 0).
        epsilon: f64,
        /// Requested overshoot (mm, >= 0).
        asked: f64,
        /// Any ball of this diameter inside the part lies in a single piece (mm).
        ball: f64,
    },
    /// The decomposition failed, with the reason.
    Not(&'static str),
}

impl Covered {
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        match self {
            Self::By { pieces, .. } => Some(pieces),
            Self::Convex | Self::Not(_) => None,
        }
    }

    /// Largest diameter of balls certain to lie in a single piece (mm); infinite for a hull.
    pub(crate) fn ball_in_one_piece(&self) -> f64 {
        match self {
            Self::By { ball, .. } => *ball,
            Self::Convex | Self::Not(_) => f64::INFINITY,
        }
    }

    /// Number of pieces and overshoot (mm).
    pub(crate) fn pieces_and_epsilon(&self) -> Option<(u64, f64)> {
        match self {
            Self::Convex => Some((1, 0.0)),
            Self::By { pieces, epsilon, .. } => Some((pieces.all.len() as u64, *epsilon)),
            Self::Not(_) => None,
        }
    }
}

/// Largest depth passed by the tolerance or a rule of the run (mm).
pub(crate) fn deepest_threshold(assembly: &Assembly, settings: &Settings) -> f64 {
    let allowed =
        assembly.rules.iter().filter_map(|r| if let RuleAction::AllowDepth(d) = r.verb { Some(d) } else { None });
    allowed.fold(settings.tolerance, f64::max)
}

/// Covers a shape with pieces and verifies the cover. `deepest` is the largest depth threshold of the run (mm):
/// neighbouring cells overlap by it, so that any ball of that diameter inside the part lies in a single piece.
pub(crate) fn cover(shape: &Shape, settings: &Settings, deepest: f64) -> Covered {
    if shape.is_hull {
        return Covered::Convex;
    }
    if !shape.is_solid() {
        return Covered::Not(NO_INSIDE);
    }
    let surface = Surface::new(&shape.mesh(), &shape.inner().origin, Inside::Solid);
    // Shells inside the solid need no pieces of their own.
    let surface = surface.solid();
    let asked = settings.epsilon.unwrap_or(EPSILON_OF_DIAGONAL * shape.inner().diameter);
    // Add the rounding margin: a depth equal to a threshold passes.
    let ball = deepest.max(shape.tolerance_floor()) + 8.0 * shape.rounding();
    let limits = Limits { epsilon: asked, max_pieces: settings.max_pieces, inflation: 0.5 * ball };
    match decompose(surface, &limits) {
        None => Covered::Not(TOO_LITTLE),
        Some(found) if !covers(surface, &found) => Covered::Not(NOT_COVERED),
        Some(found) => {
            Covered::By { pieces: Box::new(Pieces::new(&found.pieces)), epsilon: found.epsilon, asked, ball }
        }
    }
}

impl Shape {
    /// Rounding margin of this shape against a close shape of the same size (mm).
    fn rounding(&self) -> f64 {
        crate::geom::tolerance::roundoff_mm(self.inner().diameter, self.max_abs, 0.0)
            + covered_within(self.inner().aabb.max_abs())
    }
}
