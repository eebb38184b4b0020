//! Cuts polygons into triangles by ear clipping (G. H. Meisters, "Polygons have ears", 1975) with exact predicates,
//! projected along the largest axis of the polygon's Newell normal.
//!
//! Every polygon of n corners yields n − 2 triangles over all its corners, flat ones included, so that neighbours still
//! match edge by edge. The triangles of a simple polygon do not overlap.

use crate::geom::Vec3;
use crate::geom::predicates::orient2d;

/// Upper limit of corner tests for the polygons of one file; a few seconds. A polygon with r inward corners needs about
/// n·r.
const BUDGET: u64 = 500_000_000;

/// Error of an exhausted budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooIntricate;

/// Cuts polygons one after the other, reusing its memory.
#[derive(Debug)]
pub(crate) struct EarClipper {
    budget: u64,
    flat: Vec<[f64; 2]>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Corners that are not convex; only these can lie in an ear.
    blocking: Vec<u32>,
    /// Index of each corner in `blocking`, or `ABSENT`.
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Default for EarClipper {
    fn default() -> Self {
        Self {
            budget: BUDGET,
            flat: Vec::new(),
            next: Vec::new(),
            previous: Vec::new(),
            blocking: Vec::new(),
            place: Vec::new(),
        }
    }
}

impl EarClipper {
    /// Appends the triangles of a polygon of at least three corners. False if the polygon crosses itself or is flat
    /// enough to turn both ways: then some triangle points the other way.
    pub(crate) fn cut(
        &mut self,
        points: &[Vec3],
        corners: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<bool, TooIntricate> {
        let n = corners.len() as u32;
        self.project(points, corners);
        self.link(n);
        let mut emit = |a: u32, b: u32, c: u32| {
            triangles.push([corners[a as usize], corners[b as usize], corners[c as usize]]);
        };
        let mut simple = true;
        let (mut left, mut b, mut passed) = (n, 1, 0);
        while left > 3 {
            self.spend(1)?;
            let mut ear = if self.is_ear(b)? { Some(b) } else { None };
            if ear.is_none() && passed >= left {
                let (forced, clean) = self.forced(b);
                simple &= clean;
                ear = Some(forced);
            }
            let Some(ear) = ear else {
                b = self.next[b as usize];
                passed += 1;
                continue;
            };
            let (a, c) = (self.previous[ear as usize], self.next[ear as usize]);
            emit(a, ear, c);
            self.clip(ear);
            left -= 1;
            passed = 0;
            // Continues after the next corner: cutting around the polygon instead of in a fan makes wider triangles.
            b = self.next[c as usize];
        }
        let (a, c) = (self.previous[b as usize], self.next[b as usize]);
        simple &= self.turn(a, b, c) >= 0.0;
        // A quadrilateral becomes a fan from its first corner if this is correct: (0 1 2) (0 2 3).
        let first = a.min(b).min(c);
        let (second, third) = (self.next[first as usize], self.previous[first as usize]);
        emit(first, second, third);
        Ok(simple)
    }

    /// Drops the largest axis of the Newell normal; the projected polygon runs counter-clockwise.
    fn project(&mut self, points: &[Vec3], corners: &[u32]) {
        let at = |k: usize| points[corners[k] as usize];
        let origin = at(0);
        let mut normal = Vec3::zeros();
        for k in 1..corners.len() - 1 {
            normal += (at(k) - origin).cross(&(at(k + 1) - origin));
        }
        let axis = normal.iamax();
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let (i, j) = if normal[axis] < 0.0 { (j, i) } else { (i, j) };
        self.flat.clear();
        self.flat.extend(corners.iter().map(|&c| [points[c as usize][i], points[c as usize][j]]));
    }

    fn link(&mut self, n: u32) {
        self.next.clear();
        self.next.extend((1..n).chain([0]));
        self.previous.clear();
        self.previous.extend([n - 1].into_iter().chain(0..n - 1));
        self.blocking.clear();
        self.place.clear();
        self.place.resize(n as usize, ABSENT);
        for k in 0..n {
            if !self.is_convex(k) {
                self.place[k as usize] = self.blocking.len() as u32;
                self.blocking.push(k);
            }
        }
    }

    fn turn(&self, a: u32, b: u32, c: u32) -> f64 {
        orient2d(self.flat[a as usize], self.flat[b as usize], self.flat[c as usize])
    }

    fn is_convex(&self, b: u32) -> bool {
        self.turn(self.previous[b as usize], b, self.next[b as usize]) > 0.0
    }

    fn spend(&mut self, tests: u64) -> Result<(), TooIntricate> {
        self.budget = self.budget.checked_sub(tests).ok_or(TooIntricate)?;
        Ok(())
    }

    /// Tests if the corner is convex and its triangle contains no other corner. Ignores corners at the position of one
    /// of the three: a polygon with a hole runs twice along the bridge to it.
    fn is_ear(&mut self, b: u32) -> Result<bool, TooIntricate> {
        if self.place[b as usize] != ABSENT {
            return Ok(false);
        }
        let (a, c) = (self.previous[b as usize], self.next[b as usize]);
        let [pa, pb, pc] = [a, b, c].map(|k| self.flat[k as usize]);
        let low = [0, 1].map(|k| pa[k].min(pb[k]).min(pc[k]));
        let high = [0, 1].map(|k| pa[k].max(pb[k]).max(pc[k]));
        let blocked = self.blocking.iter().position(|&k| {
            let p = self.flat[k as usize];
            let near = p[0] >= low[0] && p[0] <= high[0] && p[1] >= low[1] && p[1] <= high[1];
            near && p != pa
                && p != pb
                && p != pc
                && orient2d(pa, pb, p) >= 0.0
                && orient2d(pb, pc, p) >= 0.0
                && orient2d(pc, pa, p) >= 0.0
        });
        self.spend(blocked.map_or(self.blocking.len(), |tests| tests + 1) as u64)?;
        Ok(blocked.is_none())
    }

    /// Chooses a corner to cut without an ear, in this order: a corner on the line of its neighbours (true: a clean
    /// cut), a convex one, the next one.
    fn forced(&self, from: u32) -> (u32, bool) {
        let (mut convex, mut at) = (None, from);
        loop {
            let turn = self.turn(self.previous[at as usize], at, self.next[at as usize]);
            if turn == 0.0 {
                return (at, true);
            }
            if turn > 0.0 && convex.is_none() {
                convex = Some(at);
            }
            at = self.next[at as usize];
            if at == from {
                return (convex.unwrap_or(from), false);
            }
        }
    }

    fn clip(&mut self, b: u32) {
        let (a, c) = (self.previous[b as usize], self.next[b as usize]);
        self.next[a as usize] = c;
        self.previous[c as usize] = a;
        self.unblock(b);
        for k in [a, c] {
            if self.is_convex(k) {
                self.unblock(k);
            } else if self.place[k as usize] == ABSENT {
                // Happens only in polygons that are not simple.
                self.place[k as usize] = self.blocking.len() as u32;
                self.blocking.push(k);
            }
        }
    }

    fn unblock(&mut self, k: u32) {
        let place = std::mem::replace(&mut self.place[k as usize], ABSENT);
        if place != ABSENT {
            self.blocking.swap_remove(place as usize);
            if let Some(&moved) = self.blocking.get(place as usize) {
                self.place[moved as usize] = place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(flat: &[[f64; 2]]) -> (Vec<[u32; 3]>, bool) {
        let points: Vec<Vec3> = flat.iter().map(|p| Vec3::new(p[0], p[1], 0.5 * p[0] - 0.25 * p[1])).collect();
        let corners: Vec<u32> = (0..flat.len() as u32).collect();
        let mut triangles = Vec::new();
        let simple = EarClipper::default().cut(&points, &corners, &mut triangles).unwrap();
        assert_eq!(triangles.len(), flat.len() - 2);
        (triangles, simple)
    }

    /// Signed and unsigned double area of the triangles, by the plane coordinates.
    fn areas(flat: &[[f64; 2]], triangles: &[[u32; 3]]) -> (f64, f64) {
        triangles.iter().fold((0.0, 0.0), |(signed, gross), t| {
            let [a, b, c] = t.map(|i| flat[i as usize]);
            let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            (signed + twice, gross + twice.abs())
        })
    }

    /// Tests the outline: every side of the polygon is a side of one triangle, in the same direction; every other side
    /// has its reverse.
    fn keeps_its_outline(n: u32, triangles: &[[u32; 3]]) -> bool {
        let mut sides: Vec<(u32, u32)> =
            triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]).collect();
        for k in 0..n {
            sides.push(((k + 1) % n, k));
        }
        sides.sort_unstable();
        let mut reversed: Vec<_> = sides.iter().map(|s| (s.1, s.0)).collect();
        reversed.sort_unstable();
        sides == reversed
    }

    #[test]
    fn square_is_a_fan_and_arrowhead_is_not() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(cut(&square), (vec![[0, 1, 2], [0, 2, 3]], true));
        let arrow = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
        // Corner 2 is inward: the only diagonal runs from it to corner 0; the fan from 1 would leave the outline.
        let arrow_from_one = [arrow[1], arrow[2], arrow[3], arrow[0]];
        let (triangles, simple) = cut(&arrow_from_one);
        let (signed, gross) = areas(&arrow_from_one, &triangles);
        assert!(simple && signed == gross, "{triangles:?}");
    }

    #[test]
    fn a_square_with_a_bridged_hole_is_covered_once() {
        let (o, h) =
            ([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], [[1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 1.0]]);
        let ring = [o[0], o[1], o[2], o[3], o[0], h[0], h[1], h[2], h[3], h[0]];
        for start in 0..ring.len() {
            let mut turned = ring;
            turned.rotate_left(start);
            let (triangles, simple) = cut(&turned);
            let (signed, gross) = areas(&turned, &triangles);
            assert!(simple && signed == gross && signed == 24.0, "{start} {triangles:?}");
        }
    }

    #[test]
    fn corners_on_a_side_keep_edges_without_overlap() {
        let l = [
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.5, 2.0],
            [0.0, 2.0],
            [0.0, 1.0],
        ];
        let (triangles, simple) = cut(&l);
        assert!(simple && areas(&l, &triangles) == (6.0, 6.0));
        assert!(keeps_its_outline(9, &triangles));
    }

    #[test]
    fn a_comb_of_a_thousand_teeth_is_cut_right() {
        let mut comb = vec![[2000.0, -1.0]];
        for k in (0..1000).rev() {
            comb.push([f64::from(2 * k + 1), 5.0]);
            comb.push([f64::from(2 * k), 0.0]);
        }
        comb.push([0.0, -1.0]);
        let (triangles, simple) = cut(&comb);
        let (signed, gross) = areas(&comb, &triangles);
        assert!(simple && signed == gross && keeps_its_outline(comb.len() as u32, &triangles));
    }

    #[test]
    fn huge_comb_exhausts_budget_and_huge_disk_does_not() {
        let mut comb = vec![Vec3::new(2e6, -1.0, 0.0)];
        for k in (0..100_000).rev() {
            comb.push(Vec3::new(f64::from(2 * k + 1), 5.0, 0.0));
            comb.push(Vec3::new(f64::from(2 * k), 0.0, 0.0));
        }
        comb.push(Vec3::new(0.0, -1.0, 0.0));
        let corners: Vec<u32> = (0..comb.len() as u32).collect();
        let mut small = EarClipper { budget: 1_000_000, ..EarClipper::default() };
        assert_eq!(small.cut(&comb, &corners, &mut Vec::new()), Err(TooIntricate));
        let n = 200_000;
        // A parabola is convex and has exact coordinates.
        let disk: Vec<Vec3> = (0..n).map(|k| Vec3::new(f64::from(k), f64::from(k) * f64::from(k), 0.0)).collect();
        let corners: Vec<u32> = (0..n as u32).collect();
        assert_eq!(EarClipper::default().cut(&disk, &corners, &mut Vec::new()), Ok(true));
    }

    proptest! {
        #[test]
        fn any_polygon_yields_all_triangles_and_outline(raw in proptest::collection::vec((0i8..6, 0i8..6), 3..24)) {
            let flat: Vec<[f64; 2]> = raw.iter().map(|p| [f64::from(p.0), f64::from(p.1)]).collect();
            let (triangles, _) = cut(&flat);
            prop_assert!(keeps_its_outline(flat.len() as u32, &triangles));
        }

        #[test]
        fn star_shaped_polygons_are_covered_once(radii in proptest::collection::vec(1u8..100, 3..60)) {
            let n = radii.len() as f64;
            let flat: Vec<[f64; 2]> = radii.iter().enumerate().map(|(k, r)| {
                let angle = k as f64 / n * std::f64::consts::TAU;
                [f64::from(*r) * libm::cos(angle), f64::from(*r) * libm::sin(angle)]
            }).collect();
            let (triangles, simple) = cut(&flat);
            let (signed, gross) = areas(&flat, &triangles);
            prop_assert!(simple && (signed.abs() - gross).abs() <= 1e-9 * gross);
        }
    }
}
