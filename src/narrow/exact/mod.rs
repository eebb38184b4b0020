//! Stand-in: brute force, to be replaced as a whole.
#![allow(missing_docs, clippy::pedantic)]

use super::gjk::Query;
use super::thickness::{self, Goal};
use super::Convex;
use crate::geom::{Aabb, Pose, Vec3};
use crate::mesh::TriMesh;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    Solid,
    Undefined,
}

#[derive(Debug, Clone)]
pub struct Surface {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub source: Vec<u32>,
    pub inside: Inside,
}

impl Surface {
    pub fn new(mesh: &TriMesh, origin: &Vec3, inside: Inside) -> Self {
        let vertices: Vec<Vec3> = mesh.vertices.iter().map(|v| v - origin).collect();
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| vertices[i as usize]);
            crate::geom::predicates::collinear(&a, &b, &c)
        };
        let source: Vec<u32> =
            (0u32..).zip(&mesh.triangles).filter(|(_, t)| !flat(t)).map(|(k, _)| k).collect();
        let triangles = source.iter().map(|&k| mesh.triangles[k as usize]).collect();
        Self { vertices, triangles, source, inside }
    }

    fn corners(&self, pose: &Pose) -> Vec<[Vec3; 3]> {
        let at: Vec<Vec3> = self.vertices.iter().map(|v| pose.point(v)).collect();
        self.triangles.iter().map(|t| t.map(|i| at[i as usize])).collect()
    }
}

/// What is known of a part's facets.
#[derive(Debug)]
pub struct FacetTable {
    largest: f64,
}

impl FacetTable {
    pub fn new(mesh: &TriMesh, _surface: &Surface, deflection: Option<f64>) -> Self {
        let facets = crate::mesh::Facets::of(mesh);
        let concave = facets.edges.iter().filter(|e| e.concave);
        Self { largest: concave.map(|e| deflection.unwrap_or(e.sagitta())).fold(0.0, f64::max) }
    }
}

pub fn allowance(_: &Pairing, fa: &FacetTable, fb: &FacetTable) -> f64 {
    1.5 * fa.largest.max(fb.largest)
}

pub struct Pairing<'a> {
    pub a: &'a Surface,
    pub b: &'a Surface,
    pub b_in_a: &'a Pose,
}

#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub convex: &'a Convex,
    pub surface: &'a Surface,
}

pub enum Found<'a> {
    Beyond(f64),
    Apart(Apart),
    Meets(Meeting<'a>),
}

#[derive(Debug, Clone, Copy)]
pub struct Apart {
    pub distance: f64,
    pub exact: bool,
    pub points: [Vec3; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contain {
    Touch,
    Overlap,
    AContainsB,
    BContainsA,
    Coincident,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    pub steps: Vec<(&'static str, [f64; 2], u64)>,
}

pub struct Meeting<'a> {
    a: Vec<[Vec3; 3]>,
    b: Vec<[Vec3; 3]>,
    solid: bool,
    pose: &'a Pose,
    bodies: [Body<'a>; 2],
    lower: f64,
    upper: f64,
    best: Option<Vec3>,
    cells: Vec<(f64, Vec3, Vec3)>,
    evaluated: u64,
    trace: Trace,
}

fn point_triangle(x: &Vec3, [a, b, c]: &[Vec3; 3]) -> Vec3 {
    let n = (b - a).cross(&(c - a));
    let inside = |p: &Vec3, q: &Vec3| n.cross(&(q - p)).dot(&(x - p)) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return x - n * (n.dot(&(x - a)) / n.norm_squared());
    }
    [(a, b), (b, c), (c, a)]
        .into_iter()
        .map(|(p, q)| {
            let d = q - p;
            p + d * ((x - p).dot(&d) / d.norm_squared()).clamp(0.0, 1.0)
        })
        .min_by(|p, q| (p - x).norm().total_cmp(&(q - x).norm()))
        .unwrap_or(*a)
}

fn segments(p1: &Vec3, q1: &Vec3, p2: &Vec3, q2: &Vec3) -> [Vec3; 2] {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f, c, b) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r), d1.dot(&r), d1.dot(&d2));
    let denominator = a * e - b * b;
    let s = if denominator > 0.0 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / e;
    let (s, t) = if t < 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - c) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    };
    [p1 + d1 * s, p2 + d2 * t]
}

/// Whether a segment goes through the inside of a triangle.
fn pierces(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    use crate::geom::predicates::orient3d;
    let (sp, sq) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if sp * sq >= 0.0 {
        return false;
    }
    let sides = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

fn edges(t: &[Vec3; 3]) -> [(Vec3, Vec3); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

fn crosses(s: &[Vec3; 3], t: &[Vec3; 3]) -> bool {
    edges(s).iter().any(|(p, q)| pierces(p, q, t)) || edges(t).iter().any(|(p, q)| pierces(p, q, s))
}

fn closest(s: &[Vec3; 3], t: &[Vec3; 3]) -> [Vec3; 2] {
    let mut best = [s[0], t[0]];
    let mut offer = |x: Vec3, y: Vec3| {
        if (x - y).norm_squared() < (best[0] - best[1]).norm_squared() {
            best = [x, y];
        }
    };
    for x in s {
        offer(*x, point_triangle(x, t));
    }
    for y in t {
        offer(point_triangle(y, s), *y);
    }
    for (p, q) in edges(s) {
        for (u, v) in edges(t) {
            let [x, y] = segments(&p, &q, &u, &v);
            offer(x, y);
        }
    }
    best
}

fn winding(triangles: &[[Vec3; 3]], x: &Vec3) -> f64 {
    let angle = |t: &[Vec3; 3]| {
        let [a, b, c] = t.map(|p| p - x);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let d = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * libm::atan2(a.dot(&b.cross(&c)), d)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

fn nearest(triangles: &[[Vec3; 3]], x: &Vec3) -> Vec3 {
    triangles
        .iter()
        .map(|t| point_triangle(x, t))
        .min_by(|p, q| (p - x).norm().total_cmp(&(q - x).norm()))
        .unwrap_or(*x)
}

fn depth(triangles: &[[Vec3; 3]], x: &Vec3) -> f64 {
    let d = (nearest(triangles, x) - x).norm();
    if winding(triangles, x) > 0.5 { d } else { -d }
}

fn boxed(t: &[Vec3; 3]) -> Aabb {
    Aabb::of_points(t)
}

fn nested(outer: &[[Vec3; 3]], inner: &[[Vec3; 3]]) -> bool {
    inner.iter().any(|t| {
        let x = t[0];
        (nearest(outer, &x) - x).norm() > 1e-9 && winding(outer, &x) > 0.5
    })
}

pub fn meet<'a>(a: Body<'a>, b: Body<'a>, b_in_a: &'a Pose, margin: f64, reach: f64, _enough: f64) -> Found<'a> {
    let ta = a.surface.corners(&Pose::identity());
    let tb = b.surface.corners(b_in_a);
    let solid = a.surface.inside == Inside::Solid && b.surface.inside == Inside::Solid;
    let boxes: Vec<Aabb> = tb.iter().map(boxed).collect();
    let mut best: Option<[Vec3; 2]> = None;
    let mut distance = f64::INFINITY;
    let mut crossing = false;
    for s in &ta {
        let bs = boxed(s);
        for (t, bt) in tb.iter().zip(&boxes) {
            if bs.meets(bt) && crosses(s, t) {
                crossing = true;
            }
            if distance.is_finite() && !bs.inflated(distance).meets(bt) {
                continue;
            }
            let [x, y] = closest(s, t);
            if (x - y).norm() < distance {
                distance = (x - y).norm();
                best = Some([x, y]);
            }
        }
    }
    if crossing {
        distance = 0.0;
    }
    let inside = nested(&ta, &tb) || nested(&tb, &ta);
    let touch = distance <= margin;
    if !crossing && !inside && (!touch || !solid) {
        if distance > reach + margin {
            return Found::Beyond(distance);
        }
        let points = best.unwrap_or([Vec3::zeros(); 2]);
        return Found::Apart(Apart { distance: if touch { 0.0 } else { distance }, exact: true, points });
    }
    let q = Query { a: a.convex, b: b.convex, b_in_a };
    let flat = a.convex.rank < 3 || b.convex.rank < 3;
    let upper = if flat { 0.0 } else { thickness::overlap(&q, None, Goal::VALUE).upper.max(0.0) };
    let (ba, bb) = (Aabb::of_points(ta.iter().flatten()), Aabb::of_points(tb.iter().flatten()));
    let common = ba.intersection(&bb);
    let mut meeting = Meeting {
        a: ta,
        b: tb,
        solid,
        pose: b_in_a,
        bodies: [a, b],
        lower: -distance,
        upper,
        best: None,
        cells: Vec::new(),
        evaluated: 0,
        trace: Trace { steps: Vec::new() },
    };
    meeting.note("crossing");
    meeting.open(common.center(), (common.max - common.min).map(|e| 0.5 * e.max(0.0)));
    Found::Meets(meeting)
}

impl Meeting<'_> {
    fn note(&mut self, by: &'static str) {
        self.trace.steps.push((by, [self.lower, self.upper], self.evaluated));
    }

    fn open(&mut self, c: Vec3, e: Vec3) {
        self.evaluated += 1;
        let f = depth(&self.a, &c).min(depth(&self.b, &c));
        if 2.0 * f > self.lower {
            self.lower = 2.0 * f;
            self.best = Some(c);
        }
        self.cells.push((2.0 * (f + e.norm()), c, e));
    }

    fn refine(&mut self, done: impl Fn(f64, f64) -> bool) {
        if !self.solid {
            return;
        }
        let mut budget = 4000;
        while !done(self.lower, self.upper) && budget > 0 && !self.cells.is_empty() {
            let k = (0..self.cells.len()).max_by(|&i, &j| self.cells[i].0.total_cmp(&self.cells[j].0)).unwrap_or(0);
            let (bound, c, e) = self.cells.swap_remove(k);
            self.upper = self.upper.min(bound).max(self.lower);
            let axis = e.imax();
            let mut half = e;
            half[axis] *= 0.5;
            let mut step = Vec3::zeros();
            step[axis] = half[axis];
            self.open(c - step, half);
            self.open(c + step, half);
            let floor = self.lower;
            self.cells.retain(|cell| cell.0 > floor);
            budget -= 1;
        }
        if self.cells.is_empty() {
            self.upper = self.lower;
        }
        self.note("branch and bound");
    }

    pub fn is_surface(&self) -> bool {
        !self.solid
    }

    pub fn thickness(&self) -> [f64; 2] {
        [self.lower, self.upper]
    }

    pub fn decide(&mut self, threshold: f64) {
        self.refine(|lower, upper| lower > threshold || upper <= threshold);
    }

    pub fn narrow_to(&mut self, relative: f64, absolute: f64) {
        self.refine(|lower, upper| upper - lower <= (relative * lower).max(absolute));
    }

    pub fn ball(&self) -> Option<(Vec3, f64)> {
        self.best.filter(|_| self.lower > 0.0).map(|c| (c, 0.5 * self.lower))
    }

    pub fn nearest_points(&self) -> [Vec3; 2] {
        let x = self.best.unwrap_or_else(|| self.a[0][0]);
        [nearest(&self.a, &x), nearest(&self.b, &x)]
    }

    pub fn relation(&mut self, rounding: f64) -> Contain {
        let within = |outer: &[[Vec3; 3]], inner: &[[Vec3; 3]]| {
            inner.iter().all(|t| {
                let middles = [(t[0] + t[1]) * 0.5, (t[1] + t[2]) * 0.5, (t[2] + t[0]) * 0.5];
                t.iter().chain(&middles).all(|x| depth(outer, x) >= -rounding)
            })
        };
        match (within(&self.a, &self.b), within(&self.b, &self.a)) {
            (true, true) => Contain::Coincident,
            (true, false) => Contain::AContainsB,
            (false, true) => Contain::BContainsA,
            (false, false) if self.lower > rounding => Contain::Overlap,
            (false, false) if self.upper <= rounding => Contain::Touch,
            (false, false) => {
                let _ = (self.pose, self.bodies.len());
                Contain::Overlap
            }
        }
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}
