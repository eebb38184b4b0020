//! Two parts in memory and the library's answer.

use interfere::Measure;
use interfere::internals::assembly::{Assembly, RuleAction};
use interfere::internals::check::{NoProgress, Options, Outcome, PairOutcome, check};
use interfere::internals::geom::{Affine, LengthUnit, Mat3, Pose, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;
pub use interfere::testkit::poses::about_z;

/// Two placed parts and their options; lengths in mm, except the meshes' in `units`.
#[derive(Clone, Debug)]
pub struct Two {
    pub ids: [&'static str; 2],
    pub meshes: [TriMesh; 2],
    pub placements: [Affine; 2],
    pub units: LengthUnit,
    pub tolerance: f64,
    pub report_within: Option<f64>,
    pub verb: Option<RuleAction>,
}

impl Two {
    pub fn new(a: TriMesh, b: TriMesh) -> Self {
        Self {
            ids: ["a", "b"],
            meshes: [a, b],
            placements: [Affine::identity(), Affine::identity()],
            units: LengthUnit::Mm,
            tolerance: 0.0,
            report_within: None,
            verb: None,
        }
    }

    pub fn check(&self) -> Outcome {
        self.run(&Options { report_within: self.report_within, ..Options::default() })
    }

    /// Checks for the statuses alone.
    pub fn verdict(&self) -> Outcome {
        self.run(&Options { measure: Measure::None, ..Options::default() })
    }

    fn run(&self, options: &Options) -> Outcome {
        let [a, b] = &self.meshes;
        let [first, second] = self.ids;
        let mut builder = Assembly::builder("two", self.units)
            .part("first", a.clone())
            .part("second", b.clone())
            .instance(first, "first", self.placements[0])
            .instance(second, "second", self.placements[1])
            .tolerance(self.tolerance);
        if let Some(verb) = self.verb {
            builder = builder.rule(first, second, verb, None);
        }
        let assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
        check(&assembly, options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The pair's row; asserts its presence.
    pub fn row(&self) -> PairOutcome {
        let outcome = self.check();
        assert_eq!(outcome.pairs.len(), 1, "the pair is listed: {:?}", outcome.counts);
        outcome.pairs[0].clone()
    }

    /// The same pair, moved as a whole by a rigid motion.
    pub fn moved(&self, by: &Pose) -> Self {
        let by = Affine { linear: by.rotation, translation: by.translation };
        Self { placements: self.placements.map(|p| by.after(&p)), ..self.clone() }
    }

    /// The same pair with the second part moved.
    pub fn with_second_moved(&self, by: Vec3) -> Self {
        let mut two = self.clone();
        two.placements[1].translation += by;
        two
    }

    /// Sum of the half diagonals of the two parts' boxes (mm).
    pub fn size(&self) -> f64 {
        self.meshes.iter().map(|m| radius(m) * self.units.mm()).sum()
    }
}

/// Half the diagonal of a mesh's box.
pub fn radius(mesh: &TriMesh) -> f64 {
    let (mut low, mut high) = (mesh.vertices[0], mesh.vertices[0]);
    for v in &mesh.vertices {
        (low, high) = (low.inf(v), high.sup(v));
    }
    0.5 * (high - low).norm()
}

/// A rigid placement.
pub fn placed(rotation: Mat3, translation: Vec3) -> Affine {
    Affine { linear: rotation, translation }
}

/// Counts pairs with and without an overlap.
#[derive(Default, Debug)]
pub struct Mix {
    apart: usize,
    overlapping: usize,
}

impl Mix {
    pub fn count(&mut self, row: &PairOutcome) {
        *if row.gap > Some(0.0) { &mut self.apart } else { &mut self.overlapping } += 1;
    }

    /// Asserts more than `each` pairs of both kinds.
    #[track_caller]
    pub fn assert_both(&self, each: usize) {
        assert!(self.apart > each && self.overlapping > each, "{self:?}");
    }
}
