//! Result of the self-union of a surface; `self_union` computes it.

use crate::shape::surface::Surface;

/// Tells if parts of a surface lie inside its solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfUnion {
    /// No part does.
    None,
    /// Some did and were dropped.
    Resolved,
    /// Some may; the reason for not dropping them.
    Unresolved(&'static str),
}

/// Result of the self-union.
#[derive(Debug)]
pub(crate) enum Resolution {
    /// The surface is the boundary of its solid.
    Clean,
    /// The new surface is the boundary of the solid.
    Into {
        surface: Box<Surface>,
        /// True if the new surface is smaller; false if the surface was only cut along its contacts.
        dropped: bool,
    },
    /// The self-union failed, for this reason. Only the winding number tells inside from outside.
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

/// Triangles of a surface with common points besides their shared corners and edges.
#[derive(Debug)]
pub(crate) struct SelfIntersections {
    /// Number of pairs, up to the limit of the search.
    pub pairs: usize,
    /// True for each triangle of a pair; incomplete at the limit.
    pub crosses: Vec<bool>,
}
