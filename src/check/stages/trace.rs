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
    /// Convex pieces: of decomposed parts theirs, of others the hull.
    Pieces {
        /// Bounds of the distance of the two sets; `None` where two pieces meet. An infinite upper bound was not asked for.
        distance: Option<[f64; 2]>,
        /// The thickest that a piece of each has in common: a lower bound of the overlap depth. `None` where the pieces are apart, or
        /// where the hull of one part says nothing of it.
        depth: Option<f64>,
        /// Whether the pair is clear.
        cleared: bool,
    },
    /// The triangles, of solids that do not meet.
    Triangles {
        /// Of the two surfaces.
        distance: f64,
        /// Whether that is a lower bound, no more being asked.
        at_least: bool,
        /// Whether the pair is clear.
        cleared: bool,
    },
    /// The hulls of solids that may meet: nothing that both have in common is thicker than what the hulls have.
    HullDepth {
        /// An upper bound of the overlap depth.
        most: f64,
    },
    /// The first ball that was looked at, in the middle of what the hulls have in common.
    Ball {
        /// Its diameter, a lower bound of the overlap depth; negative where its centre is not in both.
        depth: f64,
    },
    /// The best ball after a climb from where the surfaces, moved inward, still met.
    Climb {
        /// Its diameter, a lower bound of the overlap depth; not above 0 where none was found.
        depth: f64,
    },
    /// The surfaces of solids that meet.
    Surfaces {
        /// 0 where they cross or touch.
        distance: f64,
    },
    /// The surfaces keep apart, and one part lies in the other.
    Nested,
    /// A shrink certificate: with both surfaces moved inward by half of this, nothing is left in common.
    Shrink {
        /// The depth that was to be shown to be the largest.
        depth: f64,
        /// Whether it was.
        shown: bool,
    },
    /// Where the surfaces moved inward meet: boxes outside of which nothing is deeper.
    Confined {
        /// The depth that nothing outside exceeds.
        depth: f64,
        /// How many boxes.
        boxes: usize,
    },
    /// Branch and bound.
    Cells {
        /// Boxes looked at so far.
        cells: u32,
        /// Certified bounds of the overlap depth after them.
        depth: [f64; 2],
    },
    /// The facet allowance.
    Facets {
        /// What is allowed for.
        allowance: f64,
        /// The most that could be.
        cap: f64,
        /// Whether it is B's facets that explain most, not A's; `None` where none explain anything.
        of_b: Option<bool>,
        /// Whether it is granted.
        granted: bool,
    },
}

/// Keeps steps, or none.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<Vec<Step>>);

impl Trace {
    /// Keeps every step.
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

    /// Takes A for B in what was noted.
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
