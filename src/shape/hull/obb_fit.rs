//! Fits an oriented box to a hull: compares many candidate frames on few points, then the best few on all vertices.

use crate::geom::math::{UNIT_ROUNDOFF, basis, greater, lesser, norm1};
use crate::geom::{Mat3, Obb, Vec3};
use crate::shape::hull::calipers::best_side;
use crate::shape::hull::{Facet, Hull};

/// Largest number of facet directions tried, largest area first.
const FACET_CANDIDATES: usize = 64;
/// Number of facet directions tried whatever their area.
const ALWAYS_TRIED: usize = 8;
/// Least share of the hull's surface for any further facet direction: a smaller facet is one of many on a round hull,
/// where all directions give boxes of nearly one size.
const LEAST_AREA_SHARE: f64 = 1.0 / 64.0;
/// Number of vertices above which support points represent the hull while candidates are compared.
const SUPPORT_POINTS_ABOVE: usize = 128;
/// Number of candidates measured on all vertices.
const FINALISTS: usize = 6;
/// Distance (as 1 − |cos|) below which two directions count as one candidate.
const SAME_DIRECTION: f64 = 1e-9;

/// Facets whose directions are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// The 8 largest facets, and all others with 1/64 of the surface.
    Large,
    /// The 64 largest facets: for cuts along the axes of the box.
    Many,
}

/// Fits a small oriented box containing every vertex of the hull, in the hull's frame (mm). `facets` are the hull's
/// own.
///
/// Candidate frames: the hull's own axes; the directions of the tried facets, each with the best rectangle around the
/// hull projected along it; the principal axes of the surface; DiTO-14 (T. Larsson, L. Källberg, "Fast Computation of
/// Tight-Fitting Oriented Bounding Boxes", 2011, §2). The smallest half area wins, because it governs how often boxes
/// of separate parts overlap; the first wins a tie. Half extents are rounded up, so rounding leaves no vertex outside;
/// they are 0 for a single point. Cost O(vertices) and at most 1 ms for the candidates.
pub fn fit_obb(hull: &Hull, facets: &[Facet], tried: Tried) -> Obb {
    let Some(first) = hull.vertices.first() else {
        return Obb { center: Vec3::zeros(), axes: Mat3::identity(), half_extents: Vec3::zeros() };
    };
    if hull.rank == 0 {
        return Obb { center: *first, axes: Mat3::identity(), half_extents: Vec3::zeros() };
    }
    // Coordinates relative to a vertex: the frame's origin may be far away.
    let few: Vec<Vec3> = representatives(hull).into_iter().map(|i| hull.vertices[i as usize] - first).collect();
    let mut frames = vec![Mat3::identity()];
    frames.extend(facet_directions(facets, tried).iter().filter_map(|n| Some(frame(&best_side(&few, n)?, n))));
    frames.extend(surface_axes(hull, first));
    frames.extend(dito_frames(&few));
    let mut ranked: Vec<(f64, Mat3)> = frames.into_iter().map(|f| (half_area(&spans(&few, &f)), f)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked.truncate(FINALISTS);
    let mut best: Option<(f64, Obb)> = None;
    for (_, axes) in ranked {
        let obb = supported(hull, first, axes);
        let size = obb.half_area();
        if best.as_ref().is_none_or(|(smallest, _)| size < *smallest) {
            best = Some((size, obb));
        }
    }
    best.map_or_else(|| supported(hull, first, Mat3::identity()), |(_, obb)| obb)
}

/// Right-handed orthonormal frame: third axis exactly `z`, first axis as near as possible to `x`.
fn frame(x: &Vec3, z: &Vec3) -> Mat3 {
    let y = z.cross(x).normalize();
    Mat3::from_columns(&[y.cross(z), y, *z])
}

/// Smallest and largest coordinate of the points along each axis of a frame.
fn spans(points: &[Vec3], axes: &Mat3) -> [(f64, f64); 3] {
    let mut found = [(f64::INFINITY, f64::NEG_INFINITY); 3];
    for p in points {
        for (k, span) in found.iter_mut().enumerate() {
            let t = axes.column(k).dot(p);
            *span = (lesser(span.0, t), greater(span.1, t));
        }
    }
    found
}

/// Half the surface area of a box with these spans.
fn half_area(spans: &[(f64, f64); 3]) -> f64 {
    let [a, b, c] = spans.map(|(low, high)| high - low);
    a * b + b * c + c * a
}

/// Builds the box of a frame around all vertices, enlarged by the rounding of axes, products and centre. Each is wrong
/// by a few round-offs of the coordinates' magnitude; 32 of them cover all.
fn supported(hull: &Hull, origin: &Vec3, axes: Mat3) -> Obb {
    let local = hull.vertices.iter().map(|v| v - origin);
    let mut reach = norm1(origin);
    let mut spans = [(f64::INFINITY, f64::NEG_INFINITY); 3];
    for p in local {
        reach = greater(reach, norm1(origin) + norm1(&p));
        for (k, span) in spans.iter_mut().enumerate() {
            let t = axes.column(k).dot(&p);
            *span = (lesser(span.0, t), greater(span.1, t));
        }
    }
    let middle = Vec3::from_fn(|k, _| 0.5 * (spans[k].0 + spans[k].1));
    let rounding = 32.0 * UNIT_ROUNDOFF * reach;
    let half_extents = Vec3::from_fn(|k, _| 0.5 * (spans[k].1 - spans[k].0) + rounding);
    Obb { center: origin + axes * middle, axes, half_extents }
}

/// Returns all vertices of a small hull. For a large hull, returns its support points, found by hill climbing, in the
/// 98 directions from the middle of a 5×5×5 grid to its outer nodes.
fn representatives(hull: &Hull) -> Vec<u32> {
    let n = hull.vertices.len();
    if n <= SUPPORT_POINTS_ABOVE {
        return (0..n as u32).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for (x, y, z) in (-2..=2).flat_map(|x| (-2..=2).flat_map(move |y| (-2..=2).map(move |z| (x, y, z)))) {
        if [x, y, z].iter().any(|c: &i32| c.abs() == 2) {
            at = climb(hull, &Vec3::new(f64::from(x), f64::from(y), f64::from(z)), at);
            found.push(at);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Walks from `from` to ever higher neighbours; returns the highest vertex up to rounding.
fn climb(hull: &Hull, direction: &Vec3, from: u32) -> u32 {
    let (mut at, mut top) = (from, direction.dot(&hull.vertices[from as usize]));
    loop {
        let row = hull.neighbor_starts[at as usize] as usize..hull.neighbor_starts[at as usize + 1] as usize;
        let before = at;
        for &i in &hull.neighbors[row] {
            let height = direction.dot(&hull.vertices[i as usize]);
            if height > top {
                (at, top) = (i, height);
            }
        }
        if at == before {
            return at;
        }
    }
}

/// Normals of the largest facets, without parallel ones.
fn facet_directions(facets: &[Facet], tried: Tried) -> Vec<Vec3> {
    let larger = |a: &u32, b: &u32| facets[*b as usize].area.total_cmp(&facets[*a as usize].area).then(a.cmp(b));
    let mut order: Vec<u32> = (0..facets.len() as u32).collect();
    let looked_at = 2 * FACET_CANDIDATES;
    if order.len() > looked_at {
        order.select_nth_unstable_by(looked_at, larger);
        order.truncate(looked_at);
    }
    order.sort_unstable_by(larger);
    let least = LEAST_AREA_SHARE * facets.iter().map(|f| f.area).sum::<f64>();
    let mut found: Vec<Vec3> = Vec::new();
    for i in order {
        let n = facets[i as usize].normal;
        if tried == Tried::Large && found.len() >= ALWAYS_TRIED && facets[i as usize].area < least {
            break;
        }
        if found.len() < FACET_CANDIDATES && found.iter().all(|m| m.dot(&n).abs() < 1.0 - SAME_DIRECTION) {
            found.push(n);
        }
    }
    found
}

/// Principal axes of the surface, each triangle weighted by its area (S. Gottschalk, "Collision Queries using Oriented
/// Bounding Boxes", 2000, §3.2); `None` without triangles.
fn surface_axes(hull: &Hull, origin: &Vec3) -> Option<Mat3> {
    let (mut area, mut mean, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for t in &hull.triangles {
        let [a, b, c] = t.map(|i| hull.vertices[i as usize] - origin);
        let weight = 0.5 * (b - a).cross(&(c - a)).norm();
        let sum = a + b + c;
        area += weight;
        mean += sum * (weight / 3.0);
        second += (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose()) * (weight / 12.0);
    }
    (area > 0.0).then(|| eigenvectors(second / area - mean * mean.transpose() / (area * area)))
}

/// Computes orthonormal eigenvectors of a symmetric matrix by cyclic Jacobi rotations (C. G. J. Jacobi 1846). It uses
/// basic arithmetic and square roots only, so the bits are the same on every system.
fn eigenvectors(mut m: Mat3) -> Mat3 {
    let mut axes = Mat3::identity();
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = m[(p, q)];
            if off.abs() <= 1e-300 {
                continue;
            }
            let theta = (m[(q, q)] - m[(p, p)]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = Mat3::identity();
            (turn[(p, p)], turn[(q, q)], turn[(p, q)], turn[(q, p)]) = (c, c, s, -s);
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    let z = axes.column(2).normalize();
    frame(&axes.column(0).into_owned(), &z)
}

/// Candidate frames of DiTO-14: the triangles of a large double tetrahedron between extreme points along seven axes,
/// each edge with the normal of its triangle. Collinear points give one frame along the line.
fn dito_frames(points: &[Vec3]) -> Vec<Mat3> {
    let slabs = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];
    let far = |score: &dyn Fn(&Vec3) -> f64| {
        points.iter().fold((f64::NEG_INFINITY, Vec3::zeros()), |best, p| {
            let s = score(p);
            if s > best.0 { (s, *p) } else { best }
        })
    };
    let ends = slabs.map(|s| {
        let d = Vec3::from_fn(|k, _| f64::from(s[k]));
        (far(&|p| d.dot(p)).1, far(&|p| -d.dot(p)).1)
    });
    let (p, q) = ends.into_iter().fold((Vec3::zeros(), Vec3::zeros()), |best, pair| {
        if (pair.0 - pair.1).norm_squared() > (best.0 - best.1).norm_squared() { pair } else { best }
    });
    let Some(along) = (q - p).try_normalize(0.0) else { return vec![] };
    let (x, _) = basis(&along);
    let mut frames = vec![frame(&x, &along)];
    let r = far(&|v| (v - p).cross(&along).norm_squared()).1;
    let normal = (q - p).cross(&(r - p));
    let (top, bottom) = (far(&|v| normal.dot(v)).1, far(&|v| -normal.dot(v)).1);
    for [a, b, c] in [[p, q, r], [p, q, top], [q, r, top], [r, p, top], [p, q, bottom], [q, r, bottom], [r, p, bottom]]
    {
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(&ac);
        // Thin triangles give no useful direction.
        if normal.norm() <= 1e-9 * ab.norm() * ac.norm() {
            continue;
        }
        let z = normal.normalize();
        frames.extend([ab, ac, c - b].iter().filter(|e| e.norm_squared() > 0.0).map(|e| frame(&e.normalize(), &z)));
    }
    frames
}
