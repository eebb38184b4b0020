//! The way of one pair through the stages, kept for those who ask for it.

/// What one stage found of a pair. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Axis-aligned boxes in root coordinates.
    Aabb {
        /// Between the two boxes; 0 where they meet.
        distance: f64,
        /// Whether the boxes, grown by half of the run's reach each, are apart.
        cleared: bool,
    },
    /// Oriented boxes.
    Obb {
        /// A lower bound of the distance, negative where no axis separates; `None` where the largest balls inside the two hulls
        /// lie so near to each other that no box could clear the pair.
        distance: Option<f64>,
        /// Whether that is beyond everything asked of the pair.
        cleared: bool,
    },
    /// Convex hulls.
    Hull {
        /// Certified bounds of the hulls' gap: their distance, minus the thickness of what they have in common.
        gap: [f64; 2],
        /// Whether that is beyond everything asked of the pair.
        cleared: bool,
    },
    /// The triangles, of solids that do not meet.
    Triangles {
        /// Bounds of their distance; the upper one infinite where it was not asked for.
        gap: [f64; 2],
        /// Whether the pair is clear.
        cleared: bool,
    },
    /// The triangles, of solids that meet: how the bracket of the overlap depth was narrowed.
    Common {
        /// By what.
        by: &'static str,
        /// Certified bounds of the depth after it.
        depth: [f64; 2],
        /// The distance by which both surfaces were moved inward, of a shrink certificate.
        shrunk_by: Option<f64>,
        /// Cells looked at, of branch and bound.
        cells: Option<u64>,
    },
    /// The facet allowance.
    Facets {
        /// What is allowed for.
        allowance: f64,
        /// The most that could be.
        cap: f64,
        /// Whether it is granted.
        granted: bool,
    },
}

/// Keeps steps, or none.
#[derive(Debug, Default)]
pub(super) struct Steps(Option<Vec<Step>>);

impl Steps {
    /// Keeps every step.
    pub(super) fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    pub(super) fn on(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn note(&mut self, step: Step) {
        if let Some(steps) = &mut self.0 {
            steps.push(step);
        }
    }

    pub(super) fn into_vec(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
