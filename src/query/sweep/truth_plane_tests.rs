//! Signed gaps of convex polygons in a plane, and the true answers that they give: a slow and obvious method.

use crate::geom::math::sin_cos_deg;
use crate::query::sweep::truth_cases_tests::{End, TOLERANCE, Truth, fails, passes};
use crate::query::sweep::{SweepLimits, SweepStatus};

/// Corners of a convex polygon, counter-clockwise (mm).
pub(crate) type Outline = Vec<[f64; 2]>;

/// Number of poses that bracket the extremes of a gap.
const POSES: usize = 1000;

pub(crate) fn rectangle(x: [f64; 2], y: [f64; 2]) -> Outline {
    vec![[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
}

/// A regular polygon; `first` is the direction of its first corner (degrees).
pub(crate) fn regular(n: usize, radius: f64, centre: [f64; 2], first: f64) -> Outline {
    let corner = |k: usize| {
        let (s, c) = sin_cos_deg(first + 360.0 * k as f64 / n as f64);
        [centre[0] + radius * c, centre[1] + radius * s]
    };
    (0..n).map(corner).collect()
}

pub(crate) fn turned(o: &[[f64; 2]], deg: f64, about: [f64; 2]) -> Outline {
    let (s, c) = sin_cos_deg(deg);
    let turn = |p: &[f64; 2]| {
        let [x, y] = [p[0] - about[0], p[1] - about[1]];
        [about[0] + c * x - s * y, about[1] + s * x + c * y]
    };
    o.iter().map(turn).collect()
}

pub(crate) fn shifted(o: &[[f64; 2]], by: [f64; 2]) -> Outline {
    o.iter().map(|p| [p[0] + by[0], p[1] + by[1]]).collect()
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn edges(o: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
    (0..o.len()).map(|k| [o[k], o[(k + 1) % o.len()]])
}

/// Outward half-planes n·x <= c of the edges, without edges of length 0.
fn half_planes(o: &[[f64; 2]]) -> Vec<([f64; 2], f64)> {
    let plane = |[p, q]: [[f64; 2]; 2]| {
        let [dx, dy] = minus(q, p);
        let length = dx.hypot(dy);
        let n = [dy / length, -dx / length];
        (length > 1e-13).then(|| (n, dot(n, p)))
    };
    edges(o).filter_map(plane).collect()
}

/// The part of a convex polygon within a half-plane n·x <= c.
fn clipped(o: &[[f64; 2]], (n, c): ([f64; 2], f64)) -> Outline {
    let mut out = Vec::new();
    for [p, q] in edges(o) {
        let [s, t] = [dot(n, p) - c, dot(n, q) - c];
        if s <= 0.0 {
            out.push(p);
        }
        if (s < 0.0 && t > 0.0) || (s > 0.0 && t < 0.0) {
            let share = s / (s - t);
            out.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
        }
    }
    out
}

/// Radius of the largest disc in some half-planes: the best solution that three of them determine.
fn largest_disc(planes: &[([f64; 2], f64)]) -> f64 {
    let mut best: f64 = 0.0;
    let n = planes.len();
    for (i, j, k) in (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| (i, j, k)))) {
        let [(a, x), (b, y), (c, z)] = [planes[i], planes[j], planes[k]];
        // n·p + r = c, by Cramer's rule.
        let cross = |u: [f64; 2], v: [f64; 2]| u[0] * v[1] - u[1] * v[0];
        let det = cross(a, b) + cross(b, c) + cross(c, a);
        if det.abs() < 1e-12 {
            continue;
        }
        let r = (x * cross(b, c) + y * cross(c, a) + z * cross(a, b)) / det;
        let px = (x * (b[1] - c[1]) + y * (c[1] - a[1]) + z * (a[1] - b[1])) / det;
        let py = (x * (c[0] - b[0]) + y * (a[0] - c[0]) + z * (b[0] - a[0])) / det;
        if r > best && planes.iter().all(|(n, c)| dot(*n, [px, py]) + r <= c + 1e-11) {
            best = r;
        }
    }
    best
}

fn distance_to(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let d = minus(b, a);
    let share = (dot(minus(p, a), d) / dot(d, d)).clamp(0.0, 1.0);
    let [x, y] = minus(p, [a[0] + share * d[0], a[1] + share * d[1]]);
    x.hypot(y)
}

/// Distance of two convex polygons, or minus the diameter of their largest common disc (mm).
pub(crate) fn signed_gap(p: &[[f64; 2]], q: &[[f64; 2]]) -> f64 {
    let common = half_planes(q).into_iter().fold(p.to_vec(), |o, plane| clipped(&o, plane));
    if common.len() >= 3 {
        // Only the edges that bound the common polygon count.
        let touches = |(n, c): &([f64; 2], f64)| common.iter().any(|x| dot(*n, *x) > c - 1e-9);
        let planes: Vec<_> = [half_planes(p), half_planes(q)].concat().into_iter().filter(touches).collect();
        let depth = 2.0 * largest_disc(&planes);
        if depth > 0.0 {
            return -depth;
        }
    }
    let one_way = |p: &[[f64; 2]], q: &[[f64; 2]]| {
        p.iter().flat_map(|c| edges(q).map(|e| distance_to(*c, e))).fold(f64::INFINITY, f64::min)
    };
    if common.is_empty() { one_way(p, q).min(one_way(q, p)) } else { 0.0 }
}

/// Signed gap of two unions of convex polygons, if no common disc needs two of them.
pub(crate) fn gap_of_unions(a: &[Outline], b: &[Outline]) -> f64 {
    a.iter().flat_map(|p| b.iter().map(|q| signed_gap(p, q))).fold(f64::INFINITY, f64::min)
}

/// The value between two others with f > 0 on the side of `inside`, to the last digit.
fn boundary(mut outside: f64, mut inside: f64, f: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (outside + inside);
        if f(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// Least value of a function over a range, with its place: the least of many, then a ternary search.
pub(crate) fn least(range: [f64; 2], f: impl Fn(f64) -> f64) -> (f64, f64) {
    let at = |k: usize| range[0] + (range[1] - range[0]) * k as f64 / POSES as f64;
    let values: Vec<f64> = (0..=POSES).map(|k| f(at(k))).collect();
    let mut best = (f64::INFINITY, range[0]);
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    for k in 0..=POSES {
        let around = [k.saturating_sub(1), (k + 1).min(POSES)];
        let is_low = around.iter().all(|j| values[k] <= values[*j]);
        let drop = around.iter().map(|j| (values[k] - values[*j]).abs()).fold(0.0, f64::max);
        if values[k] < best.0 {
            best = (values[k], at(k));
        }
        if !is_low || values[k] > lowest + drop {
            continue;
        }
        let [mut low, mut high] = around.map(at);
        for _ in 0..120 {
            let [u, v] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            if f(u) < f(v) { high = v } else { low = u }
        }
        let found = f(0.5 * (low + high));
        if found < best.0 {
            best = (found, 0.5 * (low + high));
        }
    }
    best
}

/// First part of a range with f below a level.
fn first_below(range: [f64; 2], level: f64, f: impl Fn(f64) -> f64) -> [f64; 2] {
    let lowest = least(range, &f).1;
    let mut at: Vec<f64> = (0..=POSES).map(|k| range[0] + (range[1] - range[0]) * k as f64 / POSES as f64).collect();
    at.push(lowest);
    at.sort_by(f64::total_cmp);
    let broken = |q: f64| f(q) < level;
    let first = at.iter().position(|q| broken(*q)).expect("the lowest value is below the level");
    let after = at[first..].iter().position(|q| !broken(*q)).map(|k| first + k);
    let from = if first == 0 { at[0] } else { boundary(at[first - 1], at[first], broken) };
    let to = after.map_or(range[1], |k| boundary(at[k], at[k - 1], broken));
    [from, to]
}

/// The true answer for a signed gap as a function of the parameter. A gap must keep away from each limit by more than
/// the slack, or meet it with equality.
pub(crate) fn truth_of(range: [f64; 2], limits: &SweepLimits, f: impl Fn(f64) -> f64) -> Truth {
    let slack = 0.02 * TOLERANCE;
    let (lowest, _) = least(range, &f);
    let deepest = limits.tolerance.max(limits.allow_depth.unwrap_or(0.0));
    let clear_of = |limit: f64| {
        let away = lowest - limit;
        assert!(away.abs() > slack || away.abs() < 1e-9, "the lowest gap {lowest} nearly meets {limit}");
        away > -slack
    };
    if !clear_of(-deepest) {
        let [from, to] = first_below(range, -deepest, f);
        return fails(SweepStatus::Interference, Some(lowest), End::At(from), End::At(to));
    }
    if let Some(c) = limits.min_clearance
        && !clear_of(c)
    {
        let [from, to] = first_below(range, c, f);
        return fails(SweepStatus::TooClose, Some(lowest), End::At(from), End::At(to));
    }
    if clear_of(limits.tolerance) {
        passes(SweepStatus::Clear, Some(lowest))
    } else if limits.allow_depth.is_some() && !clear_of(-limits.tolerance) {
        passes(SweepStatus::Allowed, None)
    } else {
        passes(SweepStatus::Contact, None)
    }
}

#[test]
fn gaps_of_polygons_have_their_closed_form() {
    let square = rectangle([0.0, 10.0], [0.0, 10.0]);
    let expect = |q: &Outline, gap: f64| {
        let found = [signed_gap(&square, q), signed_gap(q, &square)];
        assert!(found.iter().all(|g| (g - gap).abs() < 1e-12), "{found:?} {gap}");
    };
    expect(&rectangle([13.0, 20.0], [14.0, 20.0]), 5.0);
    expect(&rectangle([10.0, 20.0], [2.0, 3.0]), 0.0);
    expect(&rectangle([9.5, 20.0], [2.0, 3.0]), -0.5);
    expect(&rectangle([2.0, 5.0], [2.0, 8.0]), -3.0);
    // The corner of a square on its tip, 1 mm deep: the incircle of a right isosceles triangle of height 1.
    let tip = regular(4, 5.0, [14.0, 5.0], 0.0);
    expect(&tip, -2.0 * (2.0_f64.sqrt() - 1.0));
    let (lowest, at) = least([0.0, 10.0], |q| (q - 3.21).abs() - 1.0);
    assert!((lowest + 1.0).abs() < 1e-12 && (at - 3.21).abs() < 1e-12);
    let [from, to] = first_below([0.0, 10.0], -0.5, |q| (q - 3.21).abs() - 1.0);
    assert!((from - 2.71).abs() < 1e-12 && (to - 3.71).abs() < 1e-12);
}
