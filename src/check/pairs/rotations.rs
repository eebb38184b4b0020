//! Lists the rotations of a unique pair's first shape over all rows with its answer.

use crate::check::pairs::distinct::{PairRef, UniquePairs};
use crate::check::prepare::shapes::PlacedInstance;
use crate::geom::Mat3;
use std::cmp::Ordering;

pub(crate) fn order(a: &Mat3, b: &Mat3) -> Ordering {
    a.iter().zip(b.iter()).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// Rotations of the first shape in the rows of a pair.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rotations<'a> {
    placed: &'a [PlacedInstance],
    /// Instances with the first shape.
    firsts: &'a [u32],
}

impl Rotations<'_> {
    /// Unique rotations, in a fixed order.
    pub(crate) fn distinct(&self) -> Vec<Mat3> {
        let mut all: Vec<Mat3> = self.firsts.iter().map(|&i| self.placed[i as usize].pose.rotation).collect();
        all.sort_unstable_by(order);
        all.dedup_by(|a, b| order(a, b).is_eq());
        all
    }
}

/// Instances of the first shape, for every unique pair.
pub(crate) struct RotationIndex {
    starts: Vec<u32>,
    instances: Vec<u32>,
}

impl RotationIndex {
    /// Sorts the instances by counting.
    pub(crate) fn of(groups: &UniquePairs) -> Self {
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
            instances[*at as usize] = PairRef::first(member);
            *at += 1;
        }
        Self { starts, instances }
    }

    /// Rotations of a unique pair.
    pub(crate) fn rotations_of<'a>(&'a self, group: usize, placed: &'a [PlacedInstance]) -> Rotations<'a> {
        Rotations { placed, firsts: &self.instances[self.starts[group] as usize..self.starts[group + 1] as usize] }
    }
}
