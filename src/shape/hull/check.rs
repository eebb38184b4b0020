//! Checks the invariants of a hull, slowly and plainly.

use crate::geom::Vec3;
use crate::geom::predicates::{collinear, orient2d, orient3d};
use crate::shape::hull::Hull;

/// Lists in words everything wrong with a hull of these points; empty for a sound hull. Exact, O(points × triangles):
/// for tests.
pub fn violations(hull: &Hull, points: &[Vec3]) -> Vec<String> {
    let mut found = structural_violations(hull);
    if !found.is_empty() {
        return found;
    }
    let bits = |p: &Vec3| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()];
    let mut known: Vec<_> = points.iter().map(bits).collect();
    known.sort_unstable();
    for (i, v) in hull.vertices.iter().enumerate() {
        if known.binary_search(&bits(v)).is_err() {
            found.push(format!("vertex {i} is not an input point"));
        }
    }
    let outside = points.iter().filter(|p| !contains(hull, p)).count();
    if outside > 0 {
        found.push(format!("{outside} of {} points are outside", points.len()));
    }
    found
}

/// True if every point lies inside or on the hull, exactly. Cost O(points × triangles), less for points outside.
pub fn encloses(hull: &Hull, points: &[Vec3]) -> bool {
    points.iter().all(|p| contains(hull, p))
}

/// True if the point lies inside or on the hull, exactly.
fn contains(hull: &Hull, p: &Vec3) -> bool {
    let v = &hull.vertices;
    match (hull.rank, v.as_slice()) {
        (0, [a]) => a == p,
        (1, [a, b]) => collinear(a, b, p) && (0..3).all(|k| a[k].min(b[k]) <= p[k] && p[k] <= a[k].max(b[k])),
        (2, [a, b, c, ..]) => {
            orient3d(a, b, c, p) == 0.0 && {
                let (i, j) = flat_axes(v);
                (0..v.len()).all(|k| turn(&v[k], &v[(k + 1) % v.len()], p, i, j) >= 0.0)
            }
        }
        (3, _) => hull.triangles.iter().all(|t| {
            let [a, b, c] = t.map(|i| &v[i as usize]);
            orient3d(a, b, c, p) <= 0.0
        }),
        _ => false,
    }
}

/// True if a half-edge and its opposite join the same vertices in the two directions.
fn are_opposite(hull: &Hull, h: usize) -> bool {
    let ends = |h: usize| hull.triangles.get(h / 3).map(|t| [t[h % 3], t[(h + 1) % 3]]);
    ends(h) == ends(hull.twins[h] as usize).map(|[a, b]| [b, a])
}

/// Exact orientation of three points projected to two axes.
fn turn(a: &Vec3, b: &Vec3, c: &Vec3, i: usize, j: usize) -> f64 {
    orient2d([a[i], a[j]], [b[i], b[j]], [c[i], c[j]])
}

/// Two axes with a counter-clockwise projection of a flat hull onto them.
fn flat_axes(v: &[Vec3]) -> (usize, usize) {
    let pairs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)];
    pairs.into_iter().find(|&(i, j)| turn(&v[0], &v[1], &v[2], i, j) > 0.0).unwrap_or((0, 1))
}

/// Runs the checks without input points: counts, indices, closedness, neighbour lists. Cost O(triangles · log).
pub(crate) fn structural_violations(hull: &Hull) -> Vec<String> {
    let mut found = Vec::new();
    let n = hull.vertices.len();
    let counts = match hull.rank {
        0 => n <= 1,
        1 => n == 2,
        2 => n >= 3,
        3 => n >= 4 && hull.triangles.len() + 4 == 2 * n,
        _ => false,
    };
    if !counts || (hull.rank < 3 && !hull.triangles.is_empty()) {
        found.push(format!("rank {} with {n} vertices and {} triangles", hull.rank, hull.triangles.len()));
    }
    if hull.triangles.iter().flatten().any(|&v| v as usize >= n) {
        found.push("a triangle names a vertex that is not there".to_owned());
        return found;
    }
    let mut edges: Vec<(u32, u32)> =
        hull.triangles.iter().flat_map(|t| (0..3).map(|k| (t[k], t[(k + 1) % 3]))).collect();
    edges.sort_unstable();
    let total = edges.len();
    edges.dedup();
    if edges.len() != total || edges.iter().any(|&(a, b)| edges.binary_search(&(b, a)).is_err()) {
        found.push("the surface is not closed and oriented".to_owned());
    }
    if hull.twins.len() != total || (0..total).any(|h| !are_opposite(hull, h)) {
        found.push("a half-edge has the wrong opposite".to_owned());
    }
    for (i, t) in hull.triangles.iter().enumerate() {
        let [a, b, c] = t.map(|i| &hull.vertices[i as usize]);
        if collinear(a, b, c) {
            found.push(format!("triangle {i} has no area"));
        }
    }
    if hull.rank == 2 {
        let (i, j) = flat_axes(&hull.vertices);
        let v = |k: usize| &hull.vertices[k % n];
        if (0..n).any(|k| turn(v(k), v(k + 1), v(k + 2), i, j) <= 0.0) {
            found.push("the boundary of the flat hull is not strictly convex".to_owned());
        }
    }
    found.extend(neighbor_violations(hull, &edges));
    found
}

/// Compares the neighbour lists with the edges of the triangles (rank 3) or of the boundary.
fn neighbor_violations(hull: &Hull, edges: &[(u32, u32)]) -> Option<String> {
    let n = hull.vertices.len();
    let starts = &hull.neighbor_starts;
    let sound = starts.len() == n + 1
        && starts.first() == Some(&0)
        && starts.last().is_some_and(|&e| e as usize == hull.neighbors.len())
        && starts.windows(2).all(|w| w[0] <= w[1]);
    if !sound {
        return Some("the rows of the neighbour lists do not fit".to_owned());
    }
    let mut listed: Vec<(u32, u32)> =
        (0..n).flat_map(|i| (starts[i]..starts[i + 1]).map(move |k| (i as u32, hull.neighbors[k as usize]))).collect();
    listed.sort_unstable();
    let m = n as u32;
    let mut expected = match hull.rank {
        1 => vec![(0, 1), (1, 0)],
        2 => (0..m).flat_map(|i| [(i, (i + 1) % m), ((i + 1) % m, i)]).collect(),
        _ => edges.to_vec(),
    };
    expected.sort_unstable();
    (listed != expected).then(|| "the neighbour lists differ from the edges".to_owned())
}
