//! Two placed surfaces: how far they are apart, and which of their triangles meet.

use super::facet::Facet;
use super::surface::{Below, Oriented, Surface};
use super::tri_tri::{Triangle, closest, meet};
use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::{Pose, Vec3};
use std::ops::Range;

/// Two surfaces, B placed in A's frame. Everything is answered in A's frame, on B's vertices as `b_in_a` rounds them.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// The first surface.
    pub a: &'a Surface,
    /// The second one.
    pub b: &'a Surface,
    /// Where it stands.
    pub b_in_a: &'a Pose,
}

/// How far two surfaces are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// Farther than asked for: a lower bound (mm), above the limit; infinite where a surface has no triangle.
    Beyond(f64),
    /// Not farther than asked for.
    Within(Gap),
}

/// The closest points of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Their distance (mm), 0 where triangles meet.
    pub value: f64,
    /// On A and on B (A's frame, mm).
    pub points: [Vec3; 2],
    /// Of A and of B.
    pub triangles: [u32; 2],
    /// Whether these two triangles meet, by exact test.
    pub meets: bool,
    /// Whether nothing is closer; otherwise the search ended as soon as it was close enough.
    pub exact: bool,
}

/// Rounding errors of a bound, in units of 2⁻⁵³ of both sizes and their distance. Bounds are lowered by this: it only prunes
/// less.
const ROUNDINGS: f64 = 128.0;

/// Smallest distance of two surfaces, to rounding. Boxes farther than `limit` (mm) are left out; the search ends as soon as a
/// distance of at most `enough` (mm) is found. A 0 is only claimed for triangles that meet by exact test.
pub fn separation(p: &Pairing, limit: f64, enough: f64) -> Distance {
    let mut best: Option<Gap> = None;
    let mut reach = limit;
    let mut beyond = f64::INFINITY;
    let search = Search::new(p, 0.0);
    let mut facets = Facets::default();
    search.run(&mut reach, &mut beyond, |reach, beyond, ra, rb| {
        facets.take(ra, rb, |i| p.a.triangle(i), |j| placed(p, j));
        for (i, f) in facets.a() {
            for (j, g) in facets.b() {
                let least = f.apart(g, *reach + search.allowance) - search.allowance;
                if least > *reach {
                    *beyond = beyond.min(least);
                    continue;
                }
                let (s, t) = (&f.corners, &g.corners);
                let (value, points, meets) = if least <= 0.0 && meet(s, t) {
                    (0.0, common_point(s, t), true)
                } else {
                    let c = closest(s, t);
                    (c.squared.sqrt(), c.points, false)
                };
                if value > *reach {
                    *beyond = beyond.min(value);
                } else if best.is_none_or(|b| value < b.value) {
                    *reach = value;
                    best = Some(Gap { value, points, triangles: [i, j], meets, exact: true });
                    if value <= enough {
                        return false;
                    }
                }
            }
        }
        true
    });
    match best {
        Some(gap) => Distance::Within(Gap { exact: gap.meets || gap.value > enough, ..gap }),
        None => Distance::Beyond(beyond),
    }
}

/// Visits the pairs of triangles that meet, touching ones too, exactly, each pair once; ends when `visit` returns false.
pub fn crossings(p: &Pairing, visit: impl FnMut(u32, u32) -> bool) {
    crossings_of(p, 0.0, |i| p.a.triangle(i), |j| placed(p, j), visit);
}

/// Whether triangles meet when vertices are moved: `moved_a` and `moved_b` say where a vertex is then, in A's frame, no
/// farther than `slack` (mm) from where it was.
pub fn any_crossing_moved(
    p: &Pairing,
    slack: f64,
    mut moved_a: impl FnMut(u32) -> Vec3,
    mut moved_b: impl FnMut(u32) -> Vec3,
) -> bool {
    let mut found = false;
    crossings_of(
        p,
        2.0 * slack,
        |i| p.a.triangles[i as usize].map(&mut moved_a),
        |j| p.b.triangles[j as usize].map(&mut moved_b),
        |_, _| {
            found = true;
            false
        },
    );
    found
}

/// The pairs of triangles that meet, their corners given, where boxes are no farther apart than `slack`.
fn crossings_of(
    p: &Pairing,
    slack: f64,
    mut corners_a: impl FnMut(u32) -> Triangle,
    mut corners_b: impl FnMut(u32) -> Triangle,
    mut visit: impl FnMut(u32, u32) -> bool,
) {
    let search = Search::new(p, slack);
    let rounding = search.rounding;
    let mut facets = Facets::default();
    search.run(&mut 0.0, &mut f64::INFINITY, |_, _, ra, rb| {
        facets.take(ra, rb, &mut corners_a, &mut corners_b);
        for (i, f) in facets.a() {
            for (j, g) in facets.b() {
                if f.apart(g, rounding) <= rounding && meet(&f.corners, &g.corners) && !visit(i, j) {
                    return false;
                }
            }
        }
        true
    });
}

/// The triangles of two leaves. A leaf is met with several of the other surface, one after the other.
#[derive(Default)]
struct Facets {
    first: [Option<u32>; 2],
    a: Vec<Facet>,
    b: Vec<Facet>,
}

impl Facets {
    fn take(
        &mut self,
        ra: Range<u32>,
        rb: Range<u32>,
        corners_a: impl FnMut(u32) -> Triangle,
        corners_b: impl FnMut(u32) -> Triangle,
    ) {
        if self.first[0] != Some(ra.start) {
            self.first[0] = Some(ra.start);
            self.a.clear();
            self.a.extend(ra.map(corners_a).map(Facet::new));
        }
        if self.first[1] != Some(rb.start) {
            self.first[1] = Some(rb.start);
            self.b.clear();
            self.b.extend(rb.map(corners_b).map(Facet::new));
        }
    }

    fn a(&self) -> impl Iterator<Item = (u32, &Facet)> {
        (self.first[0].unwrap_or(0)..).zip(&self.a)
    }

    fn b(&self) -> impl Iterator<Item = (u32, &Facet)> {
        (self.first[1].unwrap_or(0)..).zip(&self.b)
    }
}

/// The corners of a triangle of B, in A's frame.
fn placed(p: &Pairing, t: u32) -> Triangle {
    p.b.triangle(t).map(|v| p.b_in_a.point(&v))
}

/// A point near what two meeting triangles have in common, on each.
fn common_point(s: &Triangle, t: &Triangle) -> [Vec3; 2] {
    // Edges that pierce the other triangle bring the closest points together.
    let mut best = closest(s, t);
    for (of, other, flip) in [(s, t, false), (t, s, true)] {
        let n = (other[1] - other[0]).cross(&(other[2] - other[0]));
        for k in 0..3 {
            let (p, q) = (of[k], of[(k + 1) % 3]);
            let (from, to) = (n.dot(&(p - other[0])), n.dot(&(q - other[0])));
            if from * to < 0.0 {
                let x = p + (q - p) * (from / (from - to));
                let foot = super::tri_tri::point_triangle(&x, other);
                if foot.squared < best.squared {
                    best.squared = foot.squared;
                    best.points = if flip { [foot.point, x] } else { [x, foot.point] };
                }
            }
        }
    }
    best.points
}

/// Descends both trees at once.
struct Search<'a> {
    p: &'a Pairing<'a>,
    /// What rounding may add to a bound (mm).
    rounding: f64,
    /// Bounds of boxes are lowered by this.
    allowance: f64,
}

impl<'a> Search<'a> {
    fn new(p: &'a Pairing<'a>, allowance: f64) -> Self {
        let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
        let rounding = ROUNDINGS * UNIT_ROUNDOFF * size;
        Self { p, rounding, allowance: allowance + rounding }
    }

    /// Calls `leaves` on all pairs of leaves that are not farther apart than `reach`, until it returns false; `beyond` becomes
    /// the least bound of what was left out.
    fn run(
        &self,
        reach: &mut f64,
        beyond: &mut f64,
        mut leaves: impl FnMut(&mut f64, &mut f64, Range<u32>, Range<u32>) -> bool,
    ) {
        let (na, nb) = (&self.p.a.tree().nodes, &self.p.b.tree().nodes);
        if na.is_empty() || nb.is_empty() {
            return;
        }
        let bound = |i: u32, j: u32, limit: f64| {
            let (a, b) = (na[i as usize].oriented(), nb[j as usize].oriented());
            boxes_apart(&a, &b, self.p.b_in_a, limit + self.allowance) - self.allowance
        };
        let mut stack = vec![(0, 0, bound(0, 0, *reach))];
        while let Some((i, j, least)) = stack.pop() {
            if least > *reach {
                *beyond = beyond.min(least);
                continue;
            }
            let (a, b) = (&na[i as usize], &nb[j as usize]);
            let (split_a, children) = match (a.below(), b.below()) {
                (Below::Triangles(ra), Below::Triangles(rb)) => {
                    if !leaves(reach, beyond, ra, rb) {
                        return;
                    }
                    continue;
                }
                (Below::Children(ca), Below::Children(cb)) => {
                    if a.size() >= b.size() {
                        (true, ca)
                    } else {
                        (false, cb)
                    }
                }
                (Below::Children(ca), _) => (true, ca),
                (_, Below::Children(cb)) => (false, cb),
            };
            let [near, far] = children.map(|c| {
                let (i, j) = if split_a { (c, j) } else { (i, c) };
                (i, j, bound(i, j, *reach))
            });
            stack.extend(if near.2 <= far.2 { [far, near] } else { [near, far] });
        }
    }
}

/// A lower bound of the distance of two boxes (mm), with B placed at `b_in_a`; not above 0 where none of the axes separates
/// them. Ends at the first one that separates by more than `limit`.
fn boxes_apart(a: &Oriented, b: &Oriented, b_in_a: &Pose, limit: f64) -> f64 {
    let center = b_in_a.point(&b.center) - a.center;
    let r = a.axes.tr_mul(&(b_in_a.rotation * b.axes));
    let t = a.axes.tr_mul(&center);
    let abs = r.abs();
    let (ha, hb) = (&a.half, &b.half);
    // Along A's axes, the thinnest first; then all three at once, as B lies in a box along them.
    let along_a = |i: usize| {
        let s = t[i].abs() - ha[i] - (hb[0] * abs[(i, 0)] + hb[1] * abs[(i, 1)] + hb[2] * abs[(i, 2)]);
        if s > 0.0 { s } else { 0.0 }
    };
    let s2 = along_a(2);
    if s2 > limit {
        return s2;
    }
    let (s0, s1) = (along_a(0), along_a(1));
    let best_a = s0 * s0 + s1 * s1 + s2 * s2;
    if best_a > limit * limit {
        return best_a.sqrt();
    }
    let along_b = |j: usize| {
        let along = r[(0, j)] * t[0] + r[(1, j)] * t[1] + r[(2, j)] * t[2];
        let s = along.abs() - hb[j] - (ha[0] * abs[(0, j)] + ha[1] * abs[(1, j)] + ha[2] * abs[(2, j)]);
        if s > 0.0 { s } else { 0.0 }
    };
    let (s0, s1, s2) = (along_b(0), along_b(1), along_b(2));
    let best_b = s0 * s0 + s1 * s1 + s2 * s2;
    if best_a > best_b { best_a.sqrt() } else { best_b.sqrt() }
}
