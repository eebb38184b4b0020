//! Searches for a short separating translation, starting from that of the hulls.
//!
//! 1. Collect intersecting triangles and candidate directions; the best direction by the hulls is the first answer.
//! 2. Push B out of all intersecting triangles, each along its nearest face.
//! 3. Leave two or three faces at once, each by as much as its pairs of triangles ask.
//! 4. Search along the directions, sliding along the blocking planes.
//! 5. Branch and bound over the faces of single pairs of triangles.
//! 6. Try the hulls' shortest translation, and search along its direction.
//! 7. Tilt the best translation towards the axes of A's box, by smaller and smaller angles.

use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};
use crate::measure::separation::blocked_interval::Line;
use crate::measure::separation::contact_planes::{beyond, exit_directions, nearest_face, twos_and_threes};
use crate::measure::separation::directions::Directions;
use crate::measure::separation::inset_pair::{ContactPair, InsetPair};
use crate::measure::separation::line_search::{KnownBlockers, LineEnd};
use crate::measure::separation::min_norm::{Plane, min_norm_point};
use crate::query::convex::epa::{self, EpaScratch};
use crate::query::convex::gjk::{self, HullPair};
use crate::query::depth::SolidRef;

/// Excess length of every translation, in rounding margins.
const STEP_IN_MARGINS: f64 = 4.0;

/// Distance up to which two triangles count as colliding along a line, as a share of the rounding margin.
const LINE_SLACK: f64 = 0.0625;

/// Maximum number of intersecting pairs of triangles for deriving directions.
const MAX_MET: usize = 512;

/// Number of directions searched before the others are compared.
const AT_ONCE: usize = 3;

/// Maximum number of intersecting pairs kept as first blockers.
const FIRST_BLOCKERS: usize = 48;

/// Maximum number of intersecting pairs with exit distances by rays.
const FIRST_PLACES: usize = 8;

/// Maximum number of trial translations for small and for large pairs.
const MAX_PLACES: [u32; 2] = [400, 100];

/// Maximum number of triangles of a small pair; each trial of a larger pair costs more.
const FEW_TRIANGLES: usize = 1500;

/// Maximum number of planes for sliding, and of a node of the branch and bound.
pub(super) const MAX_PLANES: usize = 10;

/// Tolerance of a plane, as a share of the excess length.
const SHORTFALL: f64 = 1.0 / 16.0;

/// Maximum number of pushes.
const MAX_PUSHES: usize = 8;

/// Maximum number of pairs of triangles in the first push and at the root of the branch and bound.
const FIRST_PUSHED: usize = 128;

/// Maximum number of nodes in the branch and bound, for small and for large pairs.
const MAX_NODES: [usize; 2] = [96, 8];

/// Maximum number of trials to leave two or three faces at once, for small and for large pairs.
const MAX_CORNERS: [usize; 2] = [16, 4];

/// Tangent of the first angle by which the best translation tilts towards an axis at a right angle; less for others.
const FIRST_TILT: f64 = 0.25;

/// Maximum number of rounds of tilts without [`TILT_GAIN`]; each halves the next angle.
const MAX_FAILED_ROUNDS: usize = 3;

/// Minimum relative saving for another round of tilts by the same angle.
const TILT_GAIN: f64 = 1e-3;

/// Sine of the least angle between a translation and the axis towards which it tilts.
const LEAST_TILT_SINE: f64 = 0.3;

/// Maximum number of pairs of triangles in every later push, and at a node of the branch and bound.
pub(super) const PUSHED_PAIRS: usize = 32;

/// Relative excess over the lower bound at which the search ends.
const GOOD_ENOUGH: f64 = 5e-3;

/// Minimum relative saving of a further trial.
const WORTHWHILE_GAIN: f64 = 1e-6;

/// Prior knowledge about a pair.
#[derive(Debug, Clone, Copy)]
pub struct SeparationInput {
    /// The pair's rounding margin η (mm).
    pub margin: f64,
    /// Lower bound of the length of a separating translation (mm): the diameter of a common ball.
    pub least: f64,
    /// Unit direction from A to B at the contact (A's frame).
    pub normal: Option<Vec3>,
    /// Axes of both parts' own boxes as columns (A's frame).
    pub axes: [Mat3; 2],
}

/// Finds a short translation of B separating the solids up to the rounding margin (mm, A's frame), at least `least`
/// long. Returns `None` if the hulls are flat. `crossing` are pairs of triangles that cross; without any, the first
/// step searches them.
///
/// Both surfaces must be closed. Cost: at most some hundred crossing tests, most of them ending at the first
/// intersecting triangles.
pub fn separate(
    a: SolidRef,
    b: SolidRef,
    b_in_a: &Pose,
    wanted: &SeparationInput,
    crossing: &[[u32; 2]],
    scratch: &mut EpaScratch,
) -> Option<Vec3> {
    let q = HullPair { a: a.convex, b: b.convex, b_in_a };
    let least = greater(wanted.least, 0.0);
    let reach = a.convex.diameter + b.convex.diameter;
    let margin = margin_of_positions(wanted.margin, reach);
    let hair = STEP_IN_MARGINS * margin;
    let slim = InsetPair::new(a.surface, b.surface, b_in_a, margin);
    let pairs = slim.first_crossings(crossing, MAX_MET);
    let met = [0, 1].map(|k| {
        let mut list: Vec<u32> = pairs.iter().map(|crossing| crossing.triangles[k]).collect();
        list.sort_unstable();
        list.dedup();
        list
    });
    let size = usize::from(a.surface.triangles.len() + b.surface.triangles.len() > FEW_TRIANGLES);
    let some = |n: usize| pairs.iter().step_by(pairs.len().div_ceil(n).max(1));
    let places = some(FIRST_PLACES).map(|c| slim.common(&Vec3::zeros(), c)).collect();
    let blockers = KnownBlockers::new(some(FIRST_BLOCKERS).map(|c| c.corners).collect(), places, MAX_PLACES[size]);
    let mut directions = Directions::default();
    if let Some(n) = &wanted.normal {
        directions.add(n);
    }
    directions.add_faces([a.surface, b.surface], b_in_a, &met);
    directions.add_axes(&wanted.axes);
    // The hulls separate along any direction.
    let by_hulls = |d: &Vec3| d * (greater(d.dot(&q.scan(d).w), least) + hair);
    let best = directions.all.iter().map(by_hulls).min_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared()))?;
    let mut search = Search { slim, blockers, directions, tried: 0, best, least, hair, slack: LINE_SLACK * margin };
    let step = pairs.len().div_ceil(FIRST_PUSHED).max(1);
    let met: Vec<_> = pairs.iter().step_by(step).map(|c| search.slim.with_faces(c)).collect();
    search.push(&met);
    search.leave_corners(&met, MAX_CORNERS[size]);
    search.run();
    search.branch(met, MAX_NODES[size]);
    // The pushes may have ended too early: continue from the directions added by the branching.
    search.run();
    // No translation is longer than the shortest one of the hulls, even where the search was close enough to end.
    let seed = gjk::separation(&q, 0.0, margin).simplex;
    if let Some(hulls) = epa::penetration_below(&q, &seed, margin, search.limit(), scratch) {
        let found = hulls.axis * (greater(hulls.upper, least) + hair);
        if found.norm() < search.limit() {
            search.best = found;
        }
        search.directions.add(&hulls.axis);
        search.run();
    }
    search.tilt(&wanted.axes[0]);
    Some(search.best)
}

/// True if a translation of B (mm, A's frame) certainly separates the solids up to the rounding margin (mm), as
/// [`separate`] asks. Both surfaces must be closed. Cost: one crossing test.
pub(crate) fn is_separating(a: SolidRef, b: SolidRef, b_in_a: &Pose, margin: f64, by: &Vec3) -> bool {
    let margin = margin_of_positions(margin, a.convex.diameter + b.convex.diameter);
    InsetPair::new(a.surface, b.surface, b_in_a, margin).is_free(by)
}

/// Rounding margin of a pair with B translated by at most `reach` (mm).
fn margin_of_positions(margin: f64, reach: f64) -> f64 {
    margin + roundoff_mm(0.0, 0.0, reach)
}

pub(super) struct Search<'a> {
    pub(super) slim: InsetPair<'a>,
    pub(super) blockers: KnownBlockers,
    pub(super) directions: Directions,
    /// Number of directions already searched.
    pub(super) tried: usize,
    /// Shortest verified translation (mm, A's frame).
    pub(super) best: Vec3,
    /// Lower bound of the length of a separating translation (mm).
    pub(super) least: f64,
    /// Excess length of every translation (mm).
    pub(super) hair: f64,
    /// Distance up to which two triangles count as colliding along a line (mm).
    pub(super) slack: f64,
}

impl Search<'_> {
    fn line(&self, d: &Vec3) -> Line {
        Line::new(d, self.slack)
    }

    /// Tolerance of a plane (mm), covered by the excess length of every translation.
    pub(super) fn shortfall(&self) -> f64 {
        SHORTFALL * self.hair
    }

    pub(super) fn limit(&self) -> f64 {
        self.best.norm() * (1.0 - WORTHWHILE_GAIN)
    }

    /// True if the best translation is close enough to the lower bound.
    pub(super) fn done(&self) -> bool {
        self.best.norm() <= self.least * (1.0 + GOOD_ENOUGH) + 2.0 * self.hair
    }

    /// Searches line by line, in the order of the known blocked length.
    fn run(&mut self) {
        // A short result among the first directions limits the search along the others.
        while self.tried < self.directions.all.len().min(AT_ONCE) {
            let d = self.directions.all[self.tried];
            self.tried += 1;
            let (limit, line) = (self.limit(), self.line(&d));
            if self.blockers.first(&self.slim, &line, limit) < limit {
                self.search_direction(&d);
            }
        }
        let left = self.directions.all[self.tried..].to_vec();
        self.tried = self.directions.all.len();
        self.search_directions(left);
    }

    /// Searches along some directions, in the order of the known blocked length.
    fn search_directions(&mut self, directions: impl IntoIterator<Item = Vec3>) {
        let mut order = Vec::new();
        let limit = self.limit();
        for d in directions {
            let first = self.blockers.first(&self.slim, &self.line(&d), limit);
            if first < limit {
                order.push((first, d));
            }
        }
        order.sort_by(|x, y| x.0.total_cmp(&y.0));
        for (first, d) in order {
            if self.done() || self.blockers.budget == 0 {
                return;
            }
            if first < self.limit() {
                self.search_direction(&d);
            }
        }
    }

    /// Tilts the best translation towards both directions of each axis, repeated while shorter translations result,
    /// then by half the angle. Finds the shortest way to the rim of a plate.
    pub(super) fn tilt(&mut self, axes: &Mat3) {
        let (mut tangent, mut failed) = (FIRST_TILT, 0);
        while failed < MAX_FAILED_ROUNDS && !self.done() && self.blockers.budget > 0 {
            let before = self.best.norm();
            let d = self.best / before;
            let towards = |k: usize| [axes.column(k).into_owned(), -axes.column(k).into_owned()];
            let across = [0, 1, 2].into_iter().flat_map(towards).map(|axis| axis - d * d.dot(&axis));
            let tilted = across.filter(|t| t.norm() >= LEAST_TILT_SINE).map(|t| (d + t * tangent).normalize());
            self.search_directions(tilted);
            let gains = self.best.norm() <= before * (1.0 - TILT_GAIN);
            if !gains {
                failed += 1;
                tangent *= 0.5;
            }
        }
    }

    /// Searches along one direction, then slides on from the result.
    fn search_direction(&mut self, d: &Vec3) {
        if self.done() {
            return;
        }
        let end = self.search_line(d, greater(self.least, self.hair));
        if end.free {
            self.slide(d, &end);
        }
    }

    /// Finds the first free translation along a direction from `from` (mm) on, and keeps it if it is shorter than the
    /// best.
    fn search_line(&mut self, d: &Vec3, from: f64) -> LineEnd {
        let line = self.line(d);
        let limit = self.limit();
        let end = self.blockers.walk(&self.slim, &line, [from, limit], self.hair);
        if end.free && end.at < limit {
            self.best = d * end.at;
        }
        end
    }

    /// Slides from a free translation along the blocking planes: to the shortest translation beyond all of them,
    /// repeated while something else blocks there.
    fn slide(&mut self, d: &Vec3, end: &LineEnd) {
        let (mut d, mut end) = (*d, *end);
        let mut planes: Vec<Plane> = Vec::new();
        while planes.len() < MAX_PLANES && !self.done() && self.blockers.budget > 0 {
            planes.push(Plane { normal: end.normal, least: end.normal.dot(&d) * end.at });
            let Some(next) = min_norm_point(&planes, self.shortfall()) else { return };
            let length = next.norm();
            if !(length < self.limit() && length > 8.0 * UNIT_ROUNDOFF) {
                return;
            }
            d = next / length;
            let from = greater(length, greater(self.least, self.hair));
            end = self.search_line(&d, from);
            if end.free && end.at <= from + 2.0 * self.hair {
                return;
            }
        }
    }

    /// Pushes B out of every intersecting pair of triangles along its nearest face: to the shortest translation beyond
    /// all these faces, repeated while it is shorter than the best. `first` are the pairs intersecting before any
    /// translation.
    fn push(&mut self, first: &[ContactPair]) {
        let mut planes: Vec<Plane> = Vec::new();
        let mut by = Vec3::zeros();
        let mut later: Option<Vec<ContactPair>> = None;
        for _ in 0..MAX_PUSHES {
            let met = later.as_deref().unwrap_or(first);
            let limit = self.limit();
            let near: Vec<Plane> =
                met.iter().filter_map(|m| nearest_face(m, &by)).filter(|p| p.least < limit).collect();
            let Some(next) = beyond(&mut planes, &near, self.shortfall()) else { return };
            let length = greater(next.norm(), self.least);
            let Some(d) = next.try_normalize(0.0) else { return };
            let at = length + self.hair;
            if at >= self.limit() || self.blockers.budget == 0 {
                return;
            }
            by = d * at;
            self.blockers.budget -= 1;
            let met = self.slim.met(&by, PUSHED_PAIRS);
            if met.is_empty() {
                if self.slim.nested(&by).is_none() {
                    self.best = by;
                }
                return;
            }
            later = Some(met);
        }
    }

    /// Tries the shortest translations beyond two and beyond three faces, each far enough for all its pairs of
    /// triangles, and adds their directions. Parts with several walls, such as brackets, leave each other that way.
    fn leave_corners(&mut self, met: &[ContactPair], trials: usize) {
        // Each group has its nearest plane, then its farthest one.
        let far: Vec<Plane> =
            exit_directions(met.iter(), &Vec3::zeros(), self.limit()).into_iter().skip(1).step_by(2).collect();
        let corners = twos_and_threes(&far).into_iter().filter_map(|set| min_norm_point(&set, self.shortfall()));
        let mut corners: Vec<(f64, Vec3)> = corners.map(|x| (x.norm(), x)).collect();
        corners.sort_by(|x, y| x.0.total_cmp(&y.0));
        for (_, at) in &corners {
            self.directions.add(at);
        }
        for (length, at) in corners.into_iter().take(trials) {
            let length = greater(length, self.least) + self.hair;
            let Some(d) = at.try_normalize(0.0).filter(|_| !self.done() && length < self.limit()) else { return };
            let by = d * length;
            if self.slim.is_free(&by) {
                self.best = by;
                return;
            }
        }
    }
}
