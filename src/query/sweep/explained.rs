//! Facets of curved surfaces that explain the overlap of a run, as the facet allowance explains that of a pose.
//!
//! At every pose, either the depth is within the tolerance, or a concave facet has a point deep enough in the other
//! part to bound the common solid. docs/explanation/motion.md, claim 10.

use crate::geom::math::{greater, lesser};
use crate::geom::triangle::point_triangle;
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::depth::SolidRef;
use crate::query::facet_allowance::{FacetTable, SAGITTAS};
use crate::query::sweep::cells::Cells;
use crate::query::sweep::inset::{WHOLE, boundary, insets};
use crate::query::sweep::judge::price;
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::prove::{Judgement, Proof};
use crate::query::sweep::run::{Sweep, Worst};
use crate::query::sweep::work::Work;
use crate::shape::surface::placed::PlacedSurface;
use crate::shape::surface::{Inside, Surface};

/// Depth of a point of a facet in the other part, in roundings of the pair. The static allowance finds each facet with
/// a point two roundings deep, once it has moved by two.
const DEEP_ENOUGH: f64 = 4.0;

/// Size of the piece of a facet that stands for it, as a share of the depth.
const PIECE: f64 = 0.05;

/// Largest number of facets and scans of one run.
const MAX_STEPS: usize = 20_000;

/// Largest number of facets of a part that are looked at in one pose.
const MAX_FACETS: usize = 64;

/// Points of a triangle that are looked at: weights of its corners.
const SAMPLES: [[f64; 3]; 7] = [
    [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [0.8, 0.1, 0.1],
    [0.1, 0.8, 0.1],
    [0.1, 0.1, 0.8],
];

/// Sagittas of this share of the largest one count as equal.
const NEARLY: f64 = 0.99;

/// Poses among which the deepest one is shown.
const POSES: usize = 61;

/// Concave facets of both parts.
#[derive(Clone, Copy)]
pub struct ConcaveSurfaces<'a> {
    /// Sagittas of the facets of both parts.
    pub tables: [&'a FacetTable; 2],
    /// Largest allowance of the pair (mm, >= 0).
    pub most: f64,
}

/// Overlap of a run that facets explain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained {
    /// The static facet allowance reaches this at every pose with a depth beyond the limits (mm, >= 0).
    pub allowance: f64,
    /// The deepest of some poses; the lower end of its gap is unknown.
    pub deepest: Worst,
}

/// Values from a start on at which something is shown.
struct Shown {
    /// The first value without a proof, or the end of the run.
    until: f64,
    /// True if the end is shown, too.
    complete: bool,
}

impl Shown {
    /// Everything before the first unproved value of a range.
    fn before(first: Option<f64>, end: f64) -> Self {
        Self { until: first.unwrap_or(end), complete: first.is_none() }
    }

    fn advances(&self, at: f64) -> bool {
        self.complete || self.until > at
    }
}

impl Sweep<'_> {
    /// Finds an allowance that the static facet allowance reaches at every pose of the run with a depth beyond the
    /// limits (and the slack of a run). `None` if none is shown, and for surfaces without a certain inside. Cost: some
    /// static queries for each facet that bounds the common solid in turn.
    pub fn explained(&self, facets: ConcaveSurfaces) -> Option<Explained> {
        let mut work = self.work();
        [self.a, self.b].into_iter().try_for_each(|s| boundary(s.surface).map(|_| ()))?;
        let within = insets(&work.still, self.limits.deepest() + work.slack, WHOLE)?;
        let level = Level::depth([&within[0], &within[1]], self.chain, self.limits.deepest() + work.slack);
        let mut at = self.range[0];
        let mut allowance = facets.most;
        for _ in 0..MAX_STEPS {
            let shown = if let Some(shown) = self.within_limits(&mut work, &level, at) {
                shown
            } else {
                let (found, shown) = self.bounding(&mut work, &facets, at)?;
                allowance = lesser(allowance, found);
                shown
            };
            if shown.complete {
                return Some(Explained { allowance, deepest: self.deepest_of_some(&work)? });
            }
            if work.budget.remaining == 0 {
                return None;
            }
            at = shown.until;
        }
        None
    }

    /// The deepest of some poses.
    fn deepest_of_some(&self, work: &Work) -> Option<Worst> {
        let [from, to] = self.range;
        let values = (0..POSES).map(|k| from + (to - from) * k as f64 / (POSES - 1) as f64);
        let balls = values.filter_map(|at| {
            let (depth, points) = work.still.ball(&self.chain.pose(&[at]), None, f64::INFINITY)?;
            Some(Worst { at, gap: Bounds { lower: f64::NEG_INFINITY, upper: -depth }, points })
        });
        balls.min_by(|x, y| x.gap.upper.total_cmp(&y.gap.upper))
    }

    /// Values at which the depth stays within the level; `None` if it does not at the start.
    fn within_limits(&self, work: &mut Work, level: &Level, at: f64) -> Option<Shown> {
        work.budget.charge(price([self.a.surface, self.b.surface]));
        let deepest = self.limits.deepest() + work.slack;
        if work.still.ball(&self.chain.pose(&[at]), None, deepest).is_some_and(|(depth, _)| depth > deepest) {
            return None;
        }
        let Scan { violation, open, nested, .. } = self.scan(level, work, [at, self.range[1]], false);
        let first = open.iter().chain(&nested).map(|i| i[0]).chain(violation.map(|v| v.at)).reduce(lesser);
        Some(Shown::before(first, self.range[1])).filter(|shown| shown.advances(at))
    }

    /// Allowance of a facet that bounds the common solid at a pose (mm), and the values at which it certainly does.
    fn bounding(&self, work: &mut Work, facets: &ConcaveSurfaces, at: f64) -> Option<(f64, Shown)> {
        work.budget.charge(price([self.a.surface, self.b.surface]));
        let pose = self.chain.pose(&[at]);
        let ball = work.still.ball(&pose, None, f64::INFINITY);
        let middle = ball.map_or(pose.point(&self.b.convex.inner_center), |(_, [x, y])| (x + y) * 0.5);
        let candidates = [0, 1].into_iter().filter_map(|side| {
            let (allowance, piece) = self.piece(work, facets, &pose, side, &middle)?;
            let shown = self.deep_until(work, side, &piece, at);
            shown.advances(at).then_some((allowance, shown))
        });
        candidates.max_by(|(x, _), (y, _)| x.total_cmp(y))
    }

    /// A small piece of a concave facet of one part, near a point (A's frame), that lies deep enough in the other part:
    /// the allowance of the facet (mm), and the piece in the frame of its own part.
    fn piece(
        &self,
        work: &Work,
        facets: &ConcaveSurfaces,
        pose: &Pose,
        side: usize,
        point: &Vec3,
    ) -> Option<(f64, Surface)> {
        let [a, b] = [self.a, self.b].map(|s: SolidRef| s.surface.solid());
        let placed = [PlacedSurface { surface: a, pose: None }, PlacedSurface { surface: b, pose: Some(pose) }];
        let (own, other) = (&placed[side], &placed[1 - side]);
        let table = facets.tables[side];
        let enough = 2.0 * DEEP_ENOUGH * work.still.rounding;
        let Deep { triangle, middle, depth } = deepest_point([own, other], table, &own.local(point), enough)?;
        let corners = own.surface.triangle(triangle);
        let size = corners.iter().map(|c| (c - middle).norm()).fold(0.0, greater);
        let share = lesser(PIECE * depth / size, 1.0);
        let vertices = corners.map(|c| middle + (c - middle) * share).to_vec();
        let allowance = lesser(SAGITTAS * table.sagitta(triangle), facets.most);
        Some((allowance, Surface::of(vertices, &[[0, 1, 2]], Inside::Undefined)))
    }

    /// Values at which a piece of one part stays deep enough in the other part.
    fn deep_until(&self, work: &mut Work, side: usize, piece: &Surface, at: f64) -> Shown {
        let [a, b] = [self.a, self.b].map(|s: SolidRef| s.surface.solid());
        let surfaces = if side == 0 { [piece, b] } else { [a, piece] };
        let distance = DEEP_ENOUGH * work.still.rounding;
        let level = Level::apart(surfaces, self.chain, distance);
        let mut cells = Cells::new(self.chain, [at, self.range[1]], self.balls());
        let course = level.course(&work.still, work.floor);
        let Proof { violation, open } =
            course.prove(&mut cells, distance, &mut work.budget, |_, _, _| Judgement::Broken);
        work.frames += cells.count();
        let first = open.first().map(|o| o[0]).into_iter().chain(violation.map(|v| v.at)).reduce(lesser);
        Shown::before(first, self.range[1])
    }
}

/// A point of a concave facet inside the other part.
struct Deep {
    triangle: u32,
    /// The point, in the frame of its own part (mm).
    middle: Vec3,
    /// Distance from the surface of the other part (mm, > 0).
    depth: f64,
}

/// The deepest of some points on the concave facets nearest to a point (own frame, mm), among those with nearly the
/// largest sagitta, if it is deeper than `least` (mm). Cost: a few queries of points for each of these facets.
fn deepest_point([own, other]: [&PlacedSurface; 2], table: &FacetTable, point: &Vec3, least: f64) -> Option<Deep> {
    let concave = (0..own.surface.triangles.len() as u32).filter(|t| table.sagitta(*t) > 0.0);
    let mut near: Vec<(f64, u32)> =
        concave.map(|t| (point_triangle(point, &own.surface.triangle(t)).squared, t)).collect();
    near.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    near.truncate(MAX_FACETS);
    let of_triangle = |t: u32| {
        let corners = own.surface.triangle(t);
        let samples = SAMPLES.iter().map(|w| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2]);
        let depth = |middle: Vec3| {
            let x = own.global(&middle);
            let near = other.nearest(&x, f64::INFINITY).filter(|_| other.contains(&x))?;
            Some(Deep { triangle: t, middle, depth: near.distance })
        };
        samples.chain([point_triangle(point, &corners).point]).filter_map(depth).collect::<Vec<Deep>>()
    };
    let mut found: Vec<Deep> = near.into_iter().flat_map(|(_, t)| of_triangle(t)).filter(|d| d.depth > least).collect();
    let largest = found.iter().map(|d| table.sagitta(d.triangle)).fold(0.0, greater);
    found.retain(|d| table.sagitta(d.triangle) >= NEARLY * largest);
    found.into_iter().max_by(|x, y| x.depth.total_cmp(&y.depth))
}
