//! The patches of a surface that come into the reach of a box, and how they lie to each other.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::triangle::point_triangle;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::local_bounds::{BoundBuilder, SAME_SHEET, Scratch};
use crate::shape::surface::winding_number::crossing;

impl BoundBuilder<'_> {
    /// Gives every candidate the number of its patch, which is its first candidate.
    pub(crate) fn label(&self, s: &mut Scratch) -> bool {
        let n = s.candidates.len();
        s.patch_of.clear();
        s.patch_of.resize(n, u32::MAX);
        for seed in 0..n {
            if s.patch_of[seed] != u32::MAX {
                continue;
            }
            s.patch_of[seed] = seed as u32;
            s.stack.clear();
            s.stack.push(seed as u32);
            while let Some(i) = s.stack.pop() {
                let t = s.candidates[i as usize];
                let corners = self.surface.triangle(t);
                for k in 0..3 {
                    let other = self.surface.neighbor(t, k);
                    let place = s.candidates.binary_search(&other).ok().filter(|j| s.patch_of[*j] == u32::MAX);
                    // Cheap first: most neighbours are no candidates, or are known to be of the patch.
                    if (other != u32::MAX && place.is_none()) || !self.reaches(&corners[k], &corners[(k + 1) % 3]) {
                        continue;
                    }
                    let Some(j) = place else { return false };
                    s.patch_of[j] = seed as u32;
                    s.stack.push(j as u32);
                }
            }
        }
        true
    }

    /// The patch nearest to the centre, if all others are on its inner side: then nothing of the solid is on its outer side in N, and
    /// its own features bound all points of the cell.
    pub(crate) fn enclosing_patch(&self, s: &Scratch) -> Option<u32> {
        let nearest = s.candidates.binary_search(&self.region.nearest).ok()?;
        let patch = s.patch_of[nearest];
        // Rounding may have put a centre this close on the other side.
        if self.region.depth.abs() <= SAME_SHEET * self.region.rounding {
            return None;
        }
        // A vertex that both patches have may be the nearest point, with the other one's solid around the centre.
        let near = self.region.depth.abs() + SAME_SHEET * self.region.rounding;
        let close = |x: &Vec3, i: usize, limit: f64| {
            let corners = self.surface.triangle(s.candidates[i]);
            s.normals[i].dot(&(x - corners[0])).abs() <= limit && point_triangle(x, &corners).squared <= limit * limit
        };
        let is_other = |i: usize| s.patch_of[i] != patch;
        if (0..s.candidates.len()).any(|i| is_other(i) && close(&self.center, i, near)) {
            return None;
        }
        let mut last = patch;
        for (i, &of) in s.patch_of.iter().enumerate() {
            // Of each patch its first triangle will do.
            if of == patch || of as usize != i {
                continue;
            }
            last = of;
            let there = point_triangle(&self.center, &self.surface.triangle(s.candidates[i])).point;
            let mut crossed = false;
            for j in (0..s.candidates.len()).filter(|j| !is_other(*j)) {
                // On which side of a sheet this close it is rounding does not tell.
                if close(&there, j, SAME_SHEET * self.region.rounding) {
                    return None;
                }
                crossed ^= crossing(&self.surface.triangle(s.candidates[j]), &self.center, &there)? != 0;
            }
            if (self.region.depth > 0.0) == crossed {
                return None;
            }
        }
        (last != patch).then_some(patch)
    }

    /// Of the planes that hold a patch keeps those that hold all others, too: nothing of the solid lies beyond them in N.
    pub(crate) fn common_planes(&mut self, s: &Scratch) {
        if s.patch_of.iter().all(|p| *p == 0) {
            return;
        }
        let planes = std::mem::take(&mut self.out.planes);
        let mut highest = f64::INFINITY;
        for &(n, offset, patch) in &planes {
            let others = s.candidates.iter().zip(&s.patch_of).filter(|(_, p)| **p != patch);
            if others.into_iter().any(|(&t, _)| self.comes_beyond(t, &n, offset)) {
                continue;
            }
            let row = Row::bound(self.turn * -n, offset);
            let value = row.highest(&self.region.half);
            highest = lesser(highest, value);
            if row.value - (value - row.value) < self.region.ceiling {
                self.out.common.push(row);
            }
        }
        self.out.planes = planes;
        if highest <= self.region.floor {
            self.out.items.clear();
        }
        for item in &mut self.out.items {
            item.highest = lesser(item.highest, highest);
        }
    }

    /// Whether a triangle has points in the ball beyond a plane.
    fn comes_beyond(&self, t: u32, n: &Vec3, offset: f64) -> bool {
        let corners = self.surface.triangle(t);
        // What faces the plane from within rounding may be the far side of a slit.
        let slit =
            if self.surface.cached_normal(t).dot(n) < 0.0 { 2.0 * SAME_SHEET * self.region.rounding } else { 0.0 };
        let over = corners.map(|p| n.dot(&(p - self.center)) - offset + slit);
        if over.iter().all(|o| *o <= 0.0) {
            return false;
        }
        // What is beyond, corner by corner.
        let mut beyond: Vec<Vec3> = Vec::with_capacity(4);
        for k in 0..3 {
            let (p, q) = (k, (k + 1) % 3);
            if over[p] > 0.0 {
                beyond.push(corners[p]);
            }
            if (over[p] > 0.0) != (over[q] > 0.0) {
                beyond.push(corners[p] + (corners[q] - corners[p]) * (over[p] / (over[p] - over[q])));
            }
        }
        let reach = self.region.reach * (1.0 + 1e-9) + self.region.rounding;
        (2..beyond.len())
            .any(|k| point_triangle(&self.center, &[beyond[0], beyond[k - 1], beyond[k]]).squared <= reach * reach)
    }
}
