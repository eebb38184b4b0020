//! Names the stages, counts the pairs that each one clears, and records the trace of one pair for `explain`.

use crate::geom::Bounds;
use crate::query::depth::Event;
use serde::{Deserialize, Serialize};

/// Exit stage of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStage {
    /// Cleared by its oriented boxes.
    Obb,
    /// Cleared by its hulls.
    Hull,
    /// Settled by its hulls: they are the solids.
    HullMeasured,
    /// Settled by its convex pieces.
    Pieces,
    /// Settled by its triangles.
    Exact,
}

impl ExitStage {
    /// Every stage.
    pub(crate) const ALL: [Self; 5] = [Self::Obb, Self::Hull, Self::HullMeasured, Self::Pieces, Self::Exact];
}

/// Number of pairs cleared by each stage; the sum is `counts.clear`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearedBy {
    /// By axis-aligned boxes.
    pub aabb: u64,
    /// By oriented boxes.
    pub obb: u64,
    /// By hulls.
    pub hull: u64,
    /// By convex pieces.
    pub pieces: u64,
    /// By triangles.
    pub exact: u64,
}

impl ClearedBy {
    /// Name and count of each stage, in the order of the stages.
    pub fn named(&self) -> [(&'static str, u64); 5] {
        let Self { aabb, obb, hull, pieces, exact } = *self;
        [("aabb", aabb), ("obb", obb), ("hull", hull), ("pieces", pieces), ("exact", exact)]
    }

    /// Adds the counts of another share of the pairs. Saturates, since a damaged file may have a huge count.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self { aabb, obb, hull, pieces, exact } = self;
        for (n, (_, more)) in [aabb, obb, hull, pieces, exact].into_iter().zip(other.named()) {
            *n = n.saturating_add(more);
        }
    }

    /// Counter of an exit stage.
    pub(crate) fn of_mut(&mut self, stage: ExitStage) -> &mut u64 {
        match stage {
            ExitStage::Obb => &mut self.obb,
            ExitStage::Hull | ExitStage::HullMeasured => &mut self.hull,
            ExitStage::Pieces => &mut self.pieces,
            ExitStage::Exact => &mut self.exact,
        }
    }
}

/// Finding of one stage. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Axis-aligned boxes in the root frame.
    Aabb {
        /// Distance of the two boxes; 0 if they meet.
        distance: f64,
        /// True if the boxes, each grown by half of the run's largest distance, are separate.
        cleared: bool,
    },
    /// Oriented boxes.
    Obb {
        /// Lower bound of the distance, negative without a separating axis. `None` if the inscribed balls of the hulls
        /// are so close that no box test can clear the pair.
        distance: Option<f64>,
        /// True if the bound clears the pair.
        cleared: bool,
    },
    /// Convex hulls.
    Hull {
        /// Certified bounds of the hulls' gap: their distance, minus the thickness of their intersection.
        gap: Bounds,
        /// True if the gap clears the pair.
        cleared: bool,
    },
    /// Convex pieces of decomposed parts; the hull of other parts.
    Pieces {
        /// Bounds of the distance of the two sets; `None` if two pieces meet. An infinite upper bound was not computed.
        distance: Option<Bounds>,
        /// Lower bound of the overlap depth: the thickest intersection of two pieces. `None` for separate pieces, and
        /// if the hull of a part gives no bound.
        depth: Option<f64>,
        /// True if the pair is clear.
        cleared: bool,
    },
    /// Triangles of separate solids.
    Triangles {
        /// Distance of the two surfaces.
        distance: f64,
        /// True if the distance is only a lower bound.
        at_least: bool,
        /// True if the pair is clear.
        cleared: bool,
    },
    /// Hulls of solids that may meet: the intersection of the hulls bounds the depth.
    HullDepth {
        /// Upper bound of the overlap depth.
        most: f64,
    },
    /// Ball in the middle of the hulls' intersection.
    Ball {
        /// Diameter of the ball, a lower bound of the overlap depth; negative if its centre is outside one part.
        depth: f64,
    },
    /// Best ball after an ascent from points where the inset surfaces still met.
    Ascent {
        /// Diameter of the ball, a lower bound of the overlap depth; at most 0 without a ball.
        depth: f64,
    },
    /// Surfaces of solids that meet.
    Surfaces {
        /// Distance of the surfaces; 0 if they cross or touch.
        distance: f64,
    },
    /// The surfaces are separate, and one part lies inside the other.
    Nested,
    /// Inset certificate: both surfaces are inset by half of `depth`.
    Inset {
        /// Tested upper bound of the depth.
        depth: f64,
        /// True if the inset surfaces are disjoint, so that `depth` is an upper bound.
        shown: bool,
    },
    /// Remaining boxes: the inset surfaces still meet in them.
    RemainingBoxes {
        /// Upper bound of the depth outside the boxes.
        depth: f64,
        /// Number of boxes.
        boxes: usize,
    },
    /// Largest balls in the hulls of the lumps of the common solid.
    Lumps {
        /// Upper bound of the depth.
        depth: f64,
        /// Number of lumps.
        lumps: usize,
    },
    /// Branch and bound.
    BranchAndBound {
        /// Number of cells evaluated so far.
        cells: u32,
        /// Certified bounds of the gap after them.
        gap: Bounds,
    },
    /// Facet allowance.
    Facets {
        /// Depth explained by the facets.
        allowance: f64,
        /// Largest allowance of parts of this size.
        cap: f64,
        /// True if B's facets explain most, false if A's do; `None` if none explain anything.
        of_b: Option<bool>,
        /// True if the run grants the allowance.
        granted: bool,
    },
}

impl Step {
    /// Step of the depth search.
    pub(crate) fn of(event: &Event) -> Self {
        match *event {
            Event::HullBound(most) => Self::HullDepth { most },
            Event::Middle(depth) => Self::Ball { depth },
            Event::Surfaces(distance) => Self::Surfaces { distance },
            Event::Nested => Self::Nested,
            Event::Inset(depth, shown) => Self::Inset { depth, shown },
            Event::RemainingBoxes(depth, boxes) => Self::RemainingBoxes { depth, boxes },
            Event::LumpBound(depth, lumps) => Self::Lumps { depth, lumps },
            Event::Ascent(depth) => Self::Ascent { depth },
            Event::BranchAndBound(cells, gap) => Self::BranchAndBound { cells, gap },
        }
    }

    /// Name of the step's stage.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Aabb { .. } => "aabb",
            Self::Obb { .. } => "obb",
            Self::Hull { .. } => "hull",
            Self::Pieces { .. } => "pieces",
            Self::Facets { .. } => "facets",
            _ => "exact",
        }
    }
}

/// Trace of a pair; empty if it is not recorded.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<Vec<Step>>);

impl Trace {
    /// Starts a recorded trace.
    pub(crate) fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    pub(crate) fn on(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn note(&mut self, step: Step) {
        if let Some(steps) = &mut self.0 {
            steps.push(step);
        }
    }

    /// Exchanges A and B in the trace.
    pub(crate) fn swap(&mut self) {
        for step in self.0.iter_mut().flatten() {
            if let Step::Facets { of_b: Some(of_b), .. } = step {
                *of_b = !*of_b;
            }
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
