//! Finds the patches of a surface within a cell's search radius, and their relative position.

use crate::geom::Vec3;
use crate::geom::math::lesser;
use crate::geom::triangle::point_triangle;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::local_bounds::{BoundBuilder, SAME_SHEET, Scratch};
use crate::shape::surface::winding_number::crossing;

impl BoundBuilder<'_> {
    /// Labels every candidate with its patch, named by the patch's first candidate. Returns false if an edge in the
    /// ball lacks its second triangle among the candidates.
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
                    // The cheap test first: most neighbours are outside the candidates or already labelled.
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

    /// Patch nearest to the centre, if all other patches lie on its inner side. N then contains no part of the solid on
    /// its outer side, and its own features bound all points of the cell.
    pub(crate) fn enclosing_patch(&self, s: &Scratch) -> Option<u32> {
        let nearest = s.candidates.binary_search(&self.region.nearest).ok()?;
        let patch = s.patch_of[nearest];
        // Rounding may have put a centre this close on the wrong side.
        if self.region.depth.abs() <= SAME_SHEET * self.region.rounding {
            return None;
        }
        // A vertex shared by both patches may be the nearest point, with the solid of the other patch around the
        // centre.
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
            // Tests only the first triangle of each patch.
            if of == patch || of as usize != i {
                continue;
            }
            last = of;
            let there = point_triangle(&self.center, &self.surface.triangle(s.candidates[i])).point;
            let mut crossed = false;
            for j in (0..s.candidates.len()).filter(|j| !is_other(*j)) {
                // Rounding hides the side of a sheet this close.
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

    /// Keeps the supporting planes of one patch valid for all patches: the solid has no point beyond them in N.
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

    /// Tests if a triangle has points in the ball beyond a plane.
    fn comes_beyond(&self, t: u32, n: &Vec3, offset: f64) -> bool {
        let corners = self.surface.triangle(t);
        // An opposed triangle this close to the plane may be the far side of a slit.
        let slit =
            if self.surface.cached_normal(t).dot(n) < 0.0 { 2.0 * SAME_SHEET * self.region.rounding } else { 0.0 };
        let over = corners.map(|p| n.dot(&(p - self.center)) - offset + slit);
        if over.iter().all(|o| *o <= 0.0) {
            return false;
        }
        // Collects the corners of the part beyond the plane.
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
