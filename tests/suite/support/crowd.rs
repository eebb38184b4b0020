//! Two dozen placed solids in a crowd: the check of all pairs, compared with their true distances.

use super::Rng;
use super::two::placed;
use interfere::assembly::{Assembly, RuleAction};
use interfere::check::{NoProgress, Options, Outcome, PairOutcome, Status, check};
use interfere::geom::{Affine, LengthUnit, Vec3};
use interfere::io::FsLoader;
use interfere::mesh::TriMesh;

/// Rounding of the placements and of the brute force (mm), for placements up to 1e6 mm from the origin.
pub const MARGIN: f64 = 1e-9;

/// Instances of four meshes (mm), in turn.
pub struct Crowd {
    meshes: [TriMesh; 4],
    places: Vec<Affine>,
}

/// The same crowd checked twice.
pub struct Checked {
    /// Lists every pair within reach.
    pub listed: Outcome,
    /// Requires a clearance of the reach of every pair.
    pub gated: Outcome,
}

/// The true relation of two solids.
pub enum Truth {
    Meet,
    /// One solid lies inside the other, without contact.
    Nested,
    /// Distance (mm, > 0).
    Apart(f64),
}

/// Counts the compared pairs.
#[derive(Default)]
pub struct Compared {
    pub meeting: usize,
    pub within: usize,
    pub beyond: usize,
}

impl Crowd {
    /// Places 24 instances at random rotations within 28 mm of `center`.
    pub fn new(rng: &mut Rng, meshes: [TriMesh; 4], center: Vec3) -> Self {
        let places = (0..24).map(|_| placed(rng.rotation(), center + rng.in_ball() * 28.0)).collect();
        Self { meshes, places }
    }

    /// Converts every instance, in order.
    pub fn map<S>(&self, solid: impl Fn(&TriMesh, &Affine) -> S) -> Vec<S> {
        self.places.iter().enumerate().map(|(k, place)| solid(&self.meshes[k % 4], place)).collect()
    }

    fn assembly(&self, verb: Option<RuleAction>) -> Assembly {
        let mut builder = Assembly::builder("crowd", LengthUnit::Mm);
        for (k, mesh) in self.meshes.iter().enumerate() {
            builder = builder.part(format!("part-{k}"), mesh.clone());
        }
        for (k, place) in self.places.iter().enumerate() {
            builder = builder.instance(format!("{k:02}"), format!("part-{}", k % 4), *place);
        }
        if let Some(verb) = verb {
            builder = builder.rule("*", "*", verb, None);
        }
        builder.build().unwrap_or_else(|e| panic!("{e}"))
    }

    /// Checks the crowd with a reach (mm, > 0).
    pub fn check(&self, reach: f64) -> Checked {
        let run = |assembly: &Assembly, options: &Options| {
            check(assembly, options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
        };
        let options = Options { report_within: Some(reach), ..Options::default() };
        let listed = run(&self.assembly(None), &options);
        let gated = run(&self.assembly(Some(RuleAction::MinClearance(reach))), &Options::default());
        Checked { listed, gated }
    }
}

impl Compared {
    /// Asserts the rows of every pair against the truth; `truth` takes two instances and the pair's listed row.
    pub fn compare(
        &mut self,
        checked: &Checked,
        reach: f64,
        truth: impl Fn([usize; 2], Option<&PairOutcome>) -> Truth,
    ) {
        let count = checked.listed.instances.len();
        for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
            let row = |o: &Outcome| o.pairs.iter().find(|p| (p.a.0, p.b.0) == (i as u32, j as u32)).cloned();
            let (row, gated) = (row(&checked.listed), row(&checked.gated));
            match truth([i, j], row.as_ref()) {
                Truth::Meet => {
                    self.meeting += 1;
                    let row = row.expect("a pair that meets is listed");
                    assert!(row.gap <= Some(MARGIN), "brute force finds no gap: {row:?}");
                    assert_ne!(gated.map(|g| g.status), Some(Status::Clear));
                }
                Truth::Nested => assert_eq!(row.expect("listed").status, Status::Interference),
                Truth::Apart(distance) if distance < reach - MARGIN => {
                    self.within += 1;
                    let gap = row.expect("a pair within reach is listed").gap.expect("a gap");
                    assert!((gap - distance).abs() <= MARGIN, "{gap}, brute force {distance}");
                    assert_eq!(gated.expect("and judged").status, Status::TooClose);
                }
                Truth::Apart(distance) if distance > reach + MARGIN => {
                    self.beyond += 1;
                    assert!(row.is_none() && gated.is_none(), "{distance} is beyond {reach}: {row:?}");
                }
                Truth::Apart(_) => {}
            }
        }
    }
}
