//! Parts that are taken as convex pieces.

use crate::assembly::{Assembly, RuleAction};
use crate::check::prepare::shape::Shape;
use crate::check::{EPSILON_OF_DIAGONAL, Settings};
use crate::shape::decompose::piece_set::Pieces;
use crate::shape::decompose::verify::{covered_within, covers};
use crate::shape::decompose::{Limits, decompose};
use crate::shape::surface::{Inside, Surface};

const NO_INSIDE: &str = "it has no definite inside, so it cannot be covered by convex pieces";
const TOO_LITTLE: &str = "it encloses too little to be covered by convex pieces";
const NOT_COVERED: &str =
    "its convex pieces failed the check that they cover it (an error of this program: please report it)";

/// Why a part is not taken as pieces: every reason that [`Covered::Not`] gives.
pub(crate) const REASONS: [&str; 3] = [NO_INSIDE, TOO_LITTLE, NOT_COVERED];

/// What became of a part that is to be taken as pieces.
#[derive(Debug)]
pub(crate) enum Covered {
    /// It is convex: its own piece.
    Convex,
    /// By pieces.
    By {
        /// What stands for it.
        pieces: Box<Pieces>,
        /// How far they reach beyond it at most (mm).
        epsilon: f64,
        /// How far they were to reach at most (mm).
        asked: f64,
        /// Any ball of this diameter in the part lies in a single piece (mm).
        ball: f64,
    },
    /// It could not be: why.
    Not(&'static str),
}

impl Covered {
    pub(crate) fn pieces(&self) -> Option<&Pieces> {
        match self {
            Self::By { pieces, .. } => Some(pieces),
            Self::Convex | Self::Not(_) => None,
        }
    }

    /// A ball in the part that is no thicker than this lies in a single piece (mm).
    pub(crate) fn ball_in_one_piece(&self) -> f64 {
        match self {
            Self::By { ball, .. } => *ball,
            Self::Convex | Self::Not(_) => f64::INFINITY,
        }
    }

    /// How many, and how far they reach beyond the part (mm).
    pub(crate) fn pieces_and_epsilon(&self) -> Option<(u64, f64)> {
        match self {
            Self::Convex => Some((1, 0.0)),
            Self::By { pieces, epsilon, .. } => Some((pieces.all.len() as u64, *epsilon)),
            Self::Not(_) => None,
        }
    }
}

/// The deepest overlap that the run's tolerance or any of its rules lets pass (mm).
pub(crate) fn deepest_threshold(assembly: &Assembly, settings: &Settings) -> f64 {
    let allowed =
        assembly.rules.iter().filter_map(|r| if let RuleAction::AllowDepth(d) = r.verb { Some(d) } else { None });
    allowed.fold(settings.tolerance, f64::max)
}

/// Covers a shape by pieces and checks that they do. `deepest` (mm) is the largest threshold of a depth in the run: cells overlap by
/// that, so that a ball of that diameter in the part lies in a single piece.
pub(crate) fn cover(shape: &Shape, settings: &Settings, deepest: f64) -> Covered {
    if shape.is_hull {
        return Covered::Convex;
    }
    if !shape.is_solid() {
        return Covered::Not(NO_INSIDE);
    }
    let surface = Surface::new(&shape.mesh(), &shape.convex.origin, Inside::Solid);
    let asked = settings.epsilon.unwrap_or(EPSILON_OF_DIAGONAL * shape.convex.diameter);
    // Equality keeps a threshold, to rounding.
    let ball = deepest.max(shape.tolerance_floor()) + 8.0 * shape.rounding();
    let limits = Limits { epsilon: asked, max_pieces: settings.max_pieces, inflation: 0.5 * ball };
    match decompose(&surface, &limits) {
        None => Covered::Not(TOO_LITTLE),
        Some(found) if !covers(&surface, &found) => Covered::Not(NOT_COVERED),
        Some(found) => {
            Covered::By { pieces: Box::new(Pieces::new(&found.pieces)), epsilon: found.epsilon, asked, ball }
        }
    }
}

impl Shape {
    /// The margin of a pair of this shape with one of its size that is near to it (mm).
    fn rounding(&self) -> f64 {
        crate::geom::tolerance::roundoff_mm(self.convex.diameter, self.max_abs, 0.0)
            + covered_within(self.convex.aabb.max_abs())
    }
}
