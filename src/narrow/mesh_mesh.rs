//! Two placed surfaces: how far they are apart, and which of their triangles meet.

use super::surface::{Node, Surface};
use super::tri_tri::{Triangle, closest, meet};
use crate::geom::math::{UNIT_ROUNDOFF, norm1};
use crate::geom::{Aabb, Mat3, Obb, Pose, Vec3};
use crate::narrow::sat::obb_obb;
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
    search.run(&mut reach, &mut beyond, |reach, beyond, ra, rb| {
        for i in ra {
            let s = p.a.triangle(i);
            for j in rb.clone() {
                let t = placed(p, j);
                let (value, points, meets) = if meet(&s, &t) {
                    (0.0, common_point(&s, &t), true)
                } else {
                    let c = closest(&s, &t);
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
pub fn crossings(p: &Pairing, mut visit: impl FnMut(u32, u32) -> bool) {
    let (mut reach, mut beyond) = (0.0, f64::INFINITY);
    Search::new(p, 0.0).run(&mut reach, &mut beyond, |_, _, ra, rb| {
        for i in ra {
            let s = p.a.triangle(i);
            for j in rb.clone() {
                if meet(&s, &placed(p, j)) && !visit(i, j) {
                    return false;
                }
            }
        }
        true
    });
}

/// Whether triangles meet when vertices are moved: `moved_a` and `moved_b` say where a vertex is then, in A's frame, no
/// farther than `slack` (mm) from where it was.
pub fn any_crossing_moved(
    p: &Pairing,
    slack: f64,
    mut moved_a: impl FnMut(u32) -> Vec3,
    mut moved_b: impl FnMut(u32) -> Vec3,
) -> bool {
    let (mut reach, mut beyond) = (0.0, f64::INFINITY);
    let mut found = false;
    Search::new(p, 2.0 * slack).run(&mut reach, &mut beyond, |_, _, ra, rb| {
        for i in ra {
            let s = p.a.triangles[i as usize].map(&mut moved_a);
            for j in rb.clone() {
                if meet(&s, &p.b.triangles[j as usize].map(&mut moved_b)) {
                    found = true;
                    return false;
                }
            }
        }
        true
    });
    found
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
    /// Bounds are lowered by this.
    allowance: f64,
}

impl<'a> Search<'a> {
    fn new(p: &'a Pairing<'a>, allowance: f64) -> Self {
        let size = p.a.bounds.max_abs() + p.b.bounds.max_abs() + norm1(&p.b_in_a.translation);
        Self { p, allowance: allowance + ROUNDINGS * UNIT_ROUNDOFF * size }
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
            obb_obb(&boxed(&na[i as usize]), &boxed(&nb[j as usize]), self.p.b_in_a, limit + self.allowance)
                - self.allowance
        };
        let mut stack = vec![(0, 0, bound(0, 0, *reach))];
        while let Some((i, j, least)) = stack.pop() {
            if least > *reach {
                *beyond = beyond.min(least);
                continue;
            }
            let (a, b) = (&na[i as usize], &nb[j as usize]);
            let split_a = match (a.triangles(), b.triangles()) {
                (Some(ra), Some(rb)) => {
                    if !leaves(reach, beyond, ra, rb) {
                        return;
                    }
                    continue;
                }
                (Some(_), None) => false,
                (None, Some(_)) => true,
                (None, None) => a.bounds().diagonal() >= b.bounds().diagonal(),
            };
            let children = if split_a { a.children() } else { b.children() };
            let [near, far] = children.map(|c| {
                let (i, j) = if split_a { (c, j) } else { (i, c) };
                (i, j, bound(i, j, *reach))
            });
            stack.extend(if near.2 <= far.2 { [far, near] } else { [near, far] });
        }
    }
}

fn boxed(n: &Node) -> Obb {
    let b: Aabb = n.bounds();
    Obb { center: b.center(), axes: Mat3::identity(), half_extents: (b.max - b.min) * 0.5 }
}
