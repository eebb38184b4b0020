//! Computes what the parts of the findings share: the mesh of the common solid, and the line in which the surfaces
//! cross.

use crate::assembly::InstanceIx;
use crate::check::DrawnShape;
use crate::check::pairs::canonical_pose::{numbers, relative, rounded};
use crate::geom::{Aabb, Pose, Vec3};
use crate::measure::intersection::{NoCommonSolid, crossing_line, solid};
use crate::mesh::TriMesh;
use crate::query::triangles::pairing::Pairing;
use crate::scene::{Scene, SceneFinding, SceneInstance};
use crate::shape::surface::{Inside, Surface};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of unique pairs with an overlap: some seconds each at worst.
pub const MAX_OVERLAPS: usize = 500;

/// Overlaps of the findings of a scene. Findings with the same two shapes in the same relative pose share one.
#[derive(Debug, Default)]
pub struct Overlaps {
    /// Overlaps of the unique pairs, in the order of their first findings.
    pub unique: Vec<Overlap>,
    /// Overlap of each finding.
    pub of: Vec<Result<PlacedOverlap, NoOverlap>>,
}

/// Overlap of a unique pair, in the frame of its first shape (mm): the shape with the lesser index in
/// [`Scene::shapes`].
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Boundary of the common solid: closed, counter-clockwise seen from outside.
    pub solid: Result<TriMesh, NoCommonSolid>,
    /// Segments in which the two surfaces cross, in no order along the line.
    pub crossing: Vec<[Vec3; 2]>,
}

/// Overlap of a finding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedOverlap {
    /// Index in [`Overlaps::unique`].
    pub unique: usize,
    /// Map from the frame of the overlap to the root frame: the placement of one instance of the pair.
    pub pose: Pose,
}

/// Reason for the absence of an overlap, or of its solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoOverlap {
    /// The parts are apart.
    Apart,
    /// The finding lies beyond the worst [`MAX_OVERLAPS`] unique pairs.
    BeyondLimit,
    /// The crossing line exists without a common solid.
    NoSolid(NoCommonSolid),
}

impl NoOverlap {
    /// The reason as a clause.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Apart => "the parts are apart",
            Self::BeyondLimit => "the finding lies beyond the 500 worst",
            Self::NoSolid(NoCommonSolid::NoInside) => "a mesh has no definite inside",
            Self::NoSolid(NoCommonSolid::NothingShared) => "the parts share nothing thicker than rounding",
            Self::NoSolid(NoCommonSolid::TooManyTriangles) => "the two meshes have too many triangles at the overlap",
            Self::NoSolid(NoCommonSolid::Unconfirmed) => "the check of the computed solid failed",
        }
    }
}

impl Overlaps {
    /// Computes the overlaps of findings, worst first, on the current thread pool. The result is independent of the
    /// number of threads.
    ///
    /// Cost: a BVH for each shape of the findings; for each unique pair, some thirty microseconds a triangle.
    pub fn new(scene: &Scene, findings: &[SceneFinding]) -> Self {
        let diameters: Vec<f64> =
            scene.shapes.par_iter().map(|s| Aabb::of_points(&s.mesh.vertices).diagonal()).collect();
        let mut index = BTreeMap::new();
        let mut pairs: Vec<UniquePair> = Vec::new();
        let of = findings.iter().map(|finding| {
            if finding.focus.apart.is_some() {
                return Err(NoOverlap::Apart);
            }
            let (pair, pose) = UniquePair::of(scene, &diameters, finding);
            let next = pairs.len();
            let unique = *index.entry(pair.key()).or_insert(next);
            if unique == next {
                pairs.push(pair);
            }
            if unique < MAX_OVERLAPS { Ok(PlacedOverlap { unique, pose }) } else { Err(NoOverlap::BeyondLimit) }
        });
        let of = of.collect();
        pairs.truncate(MAX_OVERLAPS);
        let surfaces = surfaces(scene, &pairs);
        let unique = pairs.par_iter().map(|pair| pair.overlap(&surfaces)).collect();
        Self { unique, of }
    }

    /// Common solid of a finding, in the root frame (mm).
    ///
    /// # Errors
    /// Returns the reason for the absence of the mesh.
    pub fn solid(&self, finding: usize) -> Result<TriMesh, NoOverlap> {
        let placed = self.of[finding]?;
        let mut mesh = self.unique[placed.unique].solid.clone().map_err(NoOverlap::NoSolid)?;
        mesh.vertices.iter_mut().for_each(|v| *v = placed.pose.point(v));
        Ok(mesh)
    }

    /// Reason for a missing common solid of a finding; `None` if the solid exists.
    pub fn missing_solid(&self, finding: usize) -> Option<NoOverlap> {
        match self.of[finding] {
            Ok(placed) => self.unique[placed.unique].solid.as_ref().err().copied().map(NoOverlap::NoSolid),
            Err(reason) => Some(reason),
        }
    }

    /// Segments in which the surfaces of a finding cross (root frame, mm); empty without an overlap.
    pub fn crossing(&self, finding: usize) -> Vec<[Vec3; 2]> {
        let Ok(placed) = &self.of[finding] else { return Vec::new() };
        self.unique[placed.unique].crossing.iter().map(|s| s.each_ref().map(|p| placed.pose.point(p))).collect()
    }
}

/// Segments in which the surfaces of two instances cross (root frame, mm).
pub(crate) fn crossing_of(scene: &Scene, pair: [InstanceIx; 2]) -> Vec<[Vec3; 2]> {
    let [a, b] = pair.map(|i| &scene.instances[i.0 as usize]);
    let surface = |i: &SceneInstance| {
        let DrawnShape { mesh, solid } = &scene.shapes[i.shape];
        Surface::new(mesh, &Vec3::zeros(), if *solid { Inside::Solid } else { Inside::Undefined })
    };
    let [first, second] = [a, b].map(surface);
    let b_in_a = relative(&a.pose, &Vec3::zeros(), &b.pose, &Vec3::zeros());
    let line = crossing_line(&Pairing { a: &first, b: &second, b_in_a: &b_in_a });
    line.into_iter().map(|segment| segment.map(|p| a.pose.point(&p))).collect()
}

/// Two shapes in a relative pose.
struct UniquePair {
    shapes: [usize; 2],
    /// Pose of the second shape in the frame of the first, rounded as in the check.
    pose: Pose,
}

impl UniquePair {
    /// Unique pair of a finding, and the placement of its first shape. The order of two equal shapes depends on their
    /// poses alone.
    fn of(scene: &Scene, diameters: &[f64], finding: &SceneFinding) -> (Self, Pose) {
        let [a, b] = finding.pair.map(|i| &scene.instances[i.0 as usize]);
        let size = diameters[a.shape] + diameters[b.shape];
        let between =
            |first: &Pose, second: &Pose| rounded(&relative(first, &Vec3::zeros(), second, &Vec3::zeros()), size);
        let [forward, backward] = [between(&a.pose, &b.pose), between(&b.pose, &a.pose)];
        let swapped = b.shape < a.shape || b.shape == a.shape && numbers(&backward) < numbers(&forward);
        if swapped {
            (Self { shapes: [b.shape, a.shape], pose: backward }, b.pose)
        } else {
            (Self { shapes: [a.shape, b.shape], pose: forward }, a.pose)
        }
    }

    /// Equal for equal pairs.
    fn key(&self) -> ([usize; 2], [u64; 12]) {
        (self.shapes, numbers(&self.pose).map(f64::to_bits))
    }

    fn overlap(&self, surfaces: &BTreeMap<usize, Surface>) -> Overlap {
        let [a, b] = self.shapes.map(|k| &surfaces[&k]);
        let crossing = crossing_line(&Pairing { a, b, b_in_a: &self.pose });
        Overlap { solid: solid(a, b, &self.pose), crossing }
    }
}

/// Prepares the shapes of the pairs.
fn surfaces(scene: &Scene, pairs: &[UniquePair]) -> BTreeMap<usize, Surface> {
    let used: BTreeSet<usize> = pairs.iter().flat_map(|pair| pair.shapes).collect();
    let prepare = |k: usize| {
        let DrawnShape { mesh, solid } = &scene.shapes[k];
        let inside = if *solid { Inside::Solid } else { Inside::Undefined };
        (k, Surface::new(mesh, &Vec3::zeros(), inside))
    };
    used.into_par_iter().map(prepare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Drawn, Kinematics};
    use crate::scene::Focus;
    use crate::testkit::poses::at;
    use crate::testkit::solids::block;

    /// Two cubes of 2 mm at each place, the second 1.5 mm along a turned axis; the last two cubes have an open face.
    fn scene() -> Scene {
        let cube = block([-1.0; 3], [1.0; 3]);
        let mut open = cube.clone();
        open.triangles.pop();
        let turned = |deg: f64, from: &Vec3| {
            let (s, c) = crate::geom::math::sin_cos_deg(deg);
            let rotation = crate::geom::Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
            [
                Pose { rotation, translation: *from },
                Pose { rotation, translation: from + rotation * Vec3::new(1.5, 0.25, 0.5) },
            ]
        };
        let far = Vec3::new(1e6, -2e6, 3e5);
        let places = [turned(0.0, &Vec3::zeros()), turned(90.0, &far), turned(180.0, &-far)];
        let mut instances: Vec<(usize, Pose)> = places.into_iter().flatten().map(|p| (0, p)).collect();
        instances.extend([(0, at(50.0, 0.0, 0.0)), (1, at(51.0, 0.25, 0.25)), (0, at(90.0, 0.0, 0.0))]);
        let shape = |mesh, solid| DrawnShape { mesh, solid };
        let shapes = vec![shape(cube, true), shape(open, false)];
        Scene::new(Drawn { shapes, instances, kinematics: Kinematics::default() })
    }

    fn finding(scene: &Scene, pair: [u32; 2]) -> SceneFinding {
        let pair = pair.map(InstanceIx);
        let point = scene.bounds_of(pair).center();
        let focus = Focus { point, thin: None, depth: Some(0.5), apart: None, overlap: None, section: None };
        SceneFinding { row: 0, rows: 1, pair, focus, way_out: None, demanded: None }
    }

    #[test]
    fn alike_pairs_share_a_solid_and_open_meshes_have_a_line() {
        let scene = scene();
        let findings: Vec<_> = [[0, 1], [3, 2], [4, 5], [6, 7], [6, 8]].map(|p| finding(&scene, p)).into();
        let overlaps = Overlaps::new(&scene, &findings);
        let unique: Vec<_> = overlaps.of.iter().map(|o| o.map(|o| o.unique)).collect();
        assert_eq!(unique, [Ok(0), Ok(0), Ok(0), Ok(1), Ok(2)]);
        for (k, finding) in findings.iter().enumerate().take(3) {
            let mesh = overlaps.solid(k).unwrap();
            let volume = Surface::new(&mesh, &mesh.vertices[0], Inside::Solid).volume();
            assert!((volume - 0.5 * 1.75 * 1.5).abs() < 1e-9, "{volume}");
            let bounds = [0, 1].map(|side| scene.instances[finding.pair[side].0 as usize].bounds);
            for v in &mesh.vertices {
                for b in &bounds {
                    assert!((0..3).all(|x| v[x] > b.min[x] - 1e-8 && v[x] < b.max[x] + 1e-8), "{v:?} {b:?}");
                }
            }
        }
        assert_eq!(overlaps.solid(3), Err(NoOverlap::NoSolid(NoCommonSolid::NoInside)));
        assert!(!overlaps.crossing(3).is_empty());
        assert!(overlaps.crossing(3).iter().flatten().all(|p| (50.0..=51.0).contains(&p.x)));
        assert_eq!(overlaps.solid(4), Err(NoOverlap::NoSolid(NoCommonSolid::NothingShared)));
        assert_eq!(overlaps.crossing(4).len(), 0);
    }

    #[test]
    fn separate_parts_have_no_overlap_and_threads_leave_the_result() {
        let scene = scene();
        let mut apart = finding(&scene, [0, 6]);
        apart.focus.apart = Some([Vec3::x(), Vec3::y()]);
        let findings = [finding(&scene, [0, 1]), apart, finding(&scene, [6, 7])];
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Overlaps::new(&scene, &findings))
        };
        let (one, eight) = (run(1), run(8));
        assert_eq!(one.of[1], Err(NoOverlap::Apart));
        assert_eq!((&one.unique, &one.of), (&eight.unique, &eight.of));
    }
}
