//! The search: from the hulls' translation to shorter ones.

use super::super::epa::{self, EpaScratch};
use super::super::exact::Body;
use super::super::gjk::{self, Query};
use super::cell::Line;
use super::directions::Directions;
use super::leap::{Blockers, End};
use super::planes::{Plane, nearest};
use super::slim::Slim;
use crate::geom::math::{UNIT_ROUNDOFF, greater};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};

/// A translation is longer than it need be by this many rounding margins.
const HAIR_IN_MARGINS: f64 = 4.0;

/// Triangles that miss each other, seen along a line, by this share of the rounding margin count as meeting.
const LINE_SLACK: f64 = 0.0625;

/// Pairs of meeting triangles that directions are taken from.
const MAX_MET: usize = 512;

/// Every so many of these are the first blockers.
const FIRST_BLOCKERS: usize = 48;

/// Places at which a pair is asked whether it is free.
const MAX_PLACES: u32 = 400;

/// Planes along which the best place slides, at most.
const MAX_PLANES: usize = 8;

/// A translation that is longer than the least by no more than this share of it ends the search.
const GOOD_ENOUGH: f64 = 1e-3;

/// A shorter one is worth a look only where it saves this share.
const WORTH: f64 = 1e-6;

/// What is known of a pair before.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The pair's rounding margin η (mm).
    pub margin: f64,
    /// No translation shorter than this separates (mm): the depth of a common ball.
    pub least: f64,
    /// In which direction B leaves A where they touch, unit (A's frame).
    pub normal: Option<Vec3>,
    /// Axes of both parts' own boxes as columns (A's frame).
    pub axes: [Mat3; 2],
}

/// A translation of B (mm, A's frame) after which no more than the rounding margin of the two solids is in common, as short as the
/// search finds; never shorter than `least`. `None` where the hulls are flat.
///
/// Both surfaces must be closed. Cost: some hundred crossing tests at most, most of which end at the first triangles that meet.
pub fn separate(a: Body, b: Body, b_in_a: &Pose, wanted: &Wanted, scratch: &mut EpaScratch) -> Option<Vec3> {
    let q = Query { a: a.convex, b: b.convex, b_in_a };
    let seed = gjk::separation(&q, 0.0, wanted.margin).simplex;
    let hulls = epa::penetration(&q, &seed, wanted.margin, scratch)?;
    let margin = wanted.margin + roundoff_mm(0.0, 0.0, hulls.upper);
    let hair = HAIR_IN_MARGINS * margin;
    let least = greater(wanted.least, 0.0);
    let best = hulls.axis * (greater(hulls.upper, least) + hair);
    if best.norm() <= least * (1.0 + GOOD_ENOUGH) + 2.0 * hair {
        return Some(best);
    }
    let slim = Slim::new(a.surface, b.surface, b_in_a, margin);
    let mut met: [Vec<u32>; 2] = Default::default();
    let mut pairs = Vec::new();
    slim.crossings(&Vec3::zeros(), |ids, corners| {
        for (list, id) in met.iter_mut().zip(ids) {
            list.push(id);
        }
        pairs.push(corners);
        pairs.len() < MAX_MET
    });
    for list in &mut met {
        list.sort_unstable();
        list.dedup();
    }
    let step = pairs.len().div_ceil(FIRST_BLOCKERS).max(1);
    let blockers = Blockers::new(pairs.into_iter().step_by(step).collect(), MAX_PLACES);
    let mut directions = Directions::default();
    if let Some(n) = &wanted.normal {
        directions.add(n);
    }
    directions.add(&hulls.axis);
    directions.add_faces([a.surface, b.surface], b_in_a, &met);
    directions.add_axes(&wanted.axes);
    let mut search = Search { slim, blockers, directions, best, least, hair, slack: LINE_SLACK * margin };
    search.run();
    Some(search.best)
}

struct Search<'a> {
    slim: Slim<'a>,
    blockers: Blockers,
    directions: Directions,
    /// The shortest that was verified.
    best: Vec3,
    least: f64,
    hair: f64,
    slack: f64,
}

impl Search<'_> {
    fn line(&self, d: &Vec3) -> Line {
        Line::new(d, self.slack)
    }

    fn limit(&self) -> f64 {
        self.best.norm() * (1.0 - WORTH)
    }

    /// Whether nothing shorter is worth looking for.
    fn done(&self) -> bool {
        self.best.norm() <= self.least * (1.0 + GOOD_ENOUGH) + 2.0 * self.hair
    }

    /// Line by line, those first that are known to be blocked least far.
    fn run(&mut self) {
        let mut tried = 0;
        // A slide may find new directions.
        while tried < self.directions.all.len() {
            let mut order = Vec::new();
            for (k, d) in self.directions.all.iter().enumerate().skip(tried) {
                let limit = self.best.norm() * (1.0 - WORTH);
                let first = self.blockers.first(&Line::new(d, self.slack), limit);
                if first < limit {
                    order.push((first, k));
                }
            }
            tried = self.directions.all.len();
            order.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            for (first, k) in order {
                if self.done() || self.blockers.budget == 0 {
                    return;
                }
                if first < self.limit() {
                    let d = self.directions.all[k];
                    let end = self.walk(&d, greater(self.least, self.hair));
                    self.slide(&d, &end);
                }
            }
        }
    }

    /// Takes the first free place along a direction from `from` (mm) on, if it is nearer than the best.
    fn walk(&mut self, d: &Vec3, from: f64) -> End {
        let line = self.line(d);
        let limit = self.limit();
        let end = self.blockers.walk(&self.slim, &line, [from, limit], self.hair);
        if end.free && end.at < limit {
            self.best = d * end.at;
        }
        end
    }

    /// From where a line ended along the planes that block: to the shortest translation beyond all of them, as long as
    /// something else is in the way there.
    fn slide(&mut self, d: &Vec3, end: &End) {
        let (mut d, mut end) = (*d, *end);
        let mut planes: Vec<Plane> = Vec::new();
        while planes.len() < MAX_PLANES && !self.done() && self.blockers.budget > 0 {
            planes.push(Plane { normal: end.normal, least: end.normal.dot(&d) * end.at });
            let Some(next) = nearest(&planes) else { return };
            let length = next.norm();
            if !(length < self.limit() && length > 8.0 * UNIT_ROUNDOFF) {
                return;
            }
            d = next / length;
            let from = greater(length, greater(self.least, self.hair));
            end = self.walk(&d, from);
            if end.free && end.at <= from + 2.0 * self.hair {
                return;
            }
        }
    }
}
