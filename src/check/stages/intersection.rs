//! What the solids of a pair have in common, and its box in the rotation of every row that shares the answer.

use crate::check::pairs::distinct::{Groups, Member};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::Placed;
use crate::check::stages::{Measured, PairQuery};
use crate::geom::{Aabb, Mat3, Vec3};
use crate::query::intersection::{Known, common};
use crate::query::triangles::Pairing;
use crate::shape::surface::Surface;
use std::cmp::Ordering;

/// The common solid of a pair; lengths in mm, in the first shape's centred frame.
#[derive(Debug, Clone)]
pub(crate) struct CommonSolid {
    pub volume: f64,
    /// The box, turned by every rotation that the first shape has in a row with this answer; sorted.
    pub(crate) boxes: Vec<(Mat3, Aabb)>,
}

impl CommonSolid {
    /// The box in root coordinates, where the first shape's centred origin stands at `at`.
    pub(crate) fn root_box(&self, rotation: &Mat3, at: &Vec3) -> Option<Aabb> {
        let place = self.boxes.binary_search_by(|b| order(&b.0, rotation)).ok()?;
        let local = &self.boxes[place].1;
        Some(Aabb { min: local.min + at, max: local.max + at })
    }
}

fn order(a: &Mat3, b: &Mat3) -> Ordering {
    a.iter().zip(b.iter()).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// The rotations in which the first shape of a pair stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct Turns<'a> {
    placed: &'a [Placed],
    /// Instances.
    firsts: &'a [u32],
}

impl Turns<'_> {
    /// Each once, in a fixed order.
    pub(crate) fn distinct(&self) -> Vec<Mat3> {
        let mut all: Vec<Mat3> = self.firsts.iter().map(|&i| self.placed[i as usize].pose.rotation).collect();
        all.sort_unstable_by(order);
        all.dedup_by(|a, b| order(a, b).is_eq());
        all
    }
}

/// The instances that are first in the pairs of every group.
pub(crate) struct Firsts {
    starts: Vec<u32>,
    instances: Vec<u32>,
}

impl Firsts {
    /// By counting.
    pub(crate) fn of(groups: &Groups) -> Self {
        let mut starts = vec![0_u32; groups.distinct.len() + 1];
        for member in &groups.candidates {
            starts[member.group as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut instances = vec![0_u32; groups.candidates.len()];
        for member in &groups.candidates {
            let at = &mut next[member.group as usize];
            instances[*at as usize] = Member::first(member);
            *at += 1;
        }
        Self { starts, instances }
    }

    /// Of a group.
    pub(crate) fn turns<'a>(&'a self, group: usize, placed: &'a [Placed]) -> Turns<'a> {
        Turns { placed, firsts: &self.instances[self.starts[group] as usize..self.starts[group + 1] as usize] }
    }
}

impl PairQuery<'_> {
    /// Volume and box of what the solids have in common; nothing where inside and outside are undefined, or where it fails.
    pub(crate) fn common(&self, measured: &Measured, margin: f64) -> Option<CommonSolid> {
        if !(self.first.is_solid() && self.second.is_solid()) {
            return None;
        }
        let turns = self.turns.distinct();
        let known = Known {
            margin,
            rounding: self.rounding(margin),
            witness: measured.witness[0],
            depth: -measured.bracket[1] - 2.0 * margin,
            turns: &turns,
        };
        let pairing = Pairing { a: solid(self.first), b: solid(self.second), b_in_a: self.pose };
        let found = common(&pairing, &known)?;
        Some(CommonSolid { volume: found.volume, boxes: turns.into_iter().zip(found.boxes).collect() })
    }
}

/// The boundary of a shape's solid.
fn solid(shape: &Shape) -> &Surface {
    // The surface of a convex solid overlaps nothing.
    if shape.is_hull { shape.exact().surface() } else { shape.exact().surface().solid() }
}
