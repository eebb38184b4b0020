//! Finds the nesting of the shells of a closed mesh, and the shells wound inside out.

use crate::geom::predicates::{collinear, orient3d};
use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::measure::Volume;

/// Upper limit of box comparisons and ray–triangle tests for one mesh: a second or two. Beyond it every shell keeps its
/// orientation.
const BUDGET: u64 = 200_000_000;

/// Slopes of the ray directions against the x axis, tried in turn; small, for few triangles near the ray.
const SLOPES: [[f64; 2]; 6] =
    [[0.003_1, 0.007_3], [-0.005_9, 0.002_7], [0.011_3, -0.004_3], [-0.017_9, -0.013_7], [0.071, 0.053], [-0.13, 0.19]];

/// Cost of a point beside its triangles. It also bounds the list of contained shells, to some ten million.
const POINT_COST: u64 = 20;

/// Number of vertices of a shell tried before it counts as not contained.
const MAX_POINTS: usize = 16;

/// Shells to turn.
pub(crate) enum Nesting {
    /// Turn these shells.
    Turn {
        /// True for each shell to turn.
        turned: Vec<bool>,
        /// True if an outermost shell is among them.
        outer: bool,
    },
    /// The mesh has too many shells and triangles for the test.
    TooMany,
}

/// A shell inside another.
struct Containment {
    inner: u32,
    outer: u32,
}

/// Decides the shells to turn. An outermost shell must be positive; a negative one is turned with every shell inside
/// it, so that cavities stay cavities. After that a negative shell needs surrounding shells with a winding number of at
/// least 1: only material can have a cavity. Without it, the shell is turned, again with every shell inside.
pub(crate) fn turned_shells(mesh: &TriMesh, shell: &[u32], volumes: &[Volume]) -> Nesting {
    let n = volumes.len();
    let mut turned: Vec<bool> = vec![false; n];
    if n == 1 {
        turned[0] = volumes[0].sign() < 0;
        let outer = turned[0];
        return Nesting::Turn { turned, outer };
    }
    let Some(inside) = containments(mesh, shell, n) else { return Nesting::TooMany };
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut within: Vec<Vec<u32>> = vec![Vec::new(); n];
    for i in &inside {
        around[i.inner as usize].push(i.outer);
        within[i.outer as usize].push(i.inner);
    }
    // Outer shells first: they have fewer shells around them.
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&s| (around[s as usize].len(), s));
    for s in order {
        let sign = |k: u32| volumes[k as usize].sign() * if turned[k as usize] { -1 } else { 1 };
        let winding: i32 = around[s as usize].iter().map(|&k| sign(k)).sum();
        if sign(s) < 0 && winding <= 0 {
            turned[s as usize] ^= true;
            for &k in &within[s as usize] {
                turned[k as usize] ^= true;
            }
        }
    }
    let outer = (0..n).any(|s| turned[s] && around[s].is_empty());
    Nesting::Turn { turned, outer }
}

/// Finds all pairs of a shell and a shell around it; `None` beyond the budget. Crossing shells may count as contained
/// or not.
fn containments(mesh: &TriMesh, shell: &[u32], n: usize) -> Option<Vec<Containment>> {
    let (starts, faces) = by_shell(shell, n);
    let faces_of = |s: usize| &faces[starts[s] as usize..starts[s + 1] as usize];
    let boxes: Vec<Aabb> = (0..n)
        .map(|s| {
            let corners = faces_of(s).iter().flat_map(|&f| mesh.triangles[f as usize]);
            Aabb::of_points(corners.map(|i| &mesh.vertices[i as usize]))
        })
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| boxes[a].min.x.total_cmp(&boxes[b].min.x).then(a.cmp(&b)));
    let mut budget = BUDGET;
    let mut inside = Vec::new();
    // Boxes that begin before the current one along x and end after its beginning.
    let mut live: Vec<usize> = Vec::new();
    for &inner in &order {
        budget = budget.checked_sub(live.len() as u64 + 1)?;
        live.retain(|&o| boxes[o].max.x >= boxes[inner].min.x);
        for &other in &live {
            for (i, o) in [(inner, other), (other, inner)] {
                if i != o && contains_box(&boxes[o], &boxes[i]) {
                    let points = faces_of(i).iter().map(|&f| mesh.vertices[mesh.triangles[f as usize][0] as usize]);
                    if contains(mesh, faces_of(o), &boxes[o], points, &mut budget)? {
                        inside.push(Containment { inner: i as u32, outer: o as u32 });
                    }
                }
            }
        }
        live.push(inner);
    }
    inside.sort_unstable_by_key(|i| (i.inner, i.outer));
    Some(inside)
}

/// Sorts the faces by shell.
fn by_shell(shell: &[u32], n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n + 1];
    for &s in shell {
        starts[s as usize] += 1;
    }
    let mut sum = 0;
    for s in &mut starts {
        sum += *s;
        *s = sum;
    }
    let mut faces = vec![0u32; shell.len()];
    for (face, &s) in shell.iter().enumerate().rev() {
        let slot = &mut starts[s as usize];
        *slot -= 1;
        faces[*slot as usize] = face as u32;
    }
    (starts, faces)
}

fn contains_box(outer: &Aabb, inner: &Aabb) -> bool {
    (0..3).all(|k| outer.min[k] <= inner.min[k] && inner.max[k] <= outer.max[k])
}

/// Tests if the first point off the shell's surface lies inside it. `None` beyond the budget.
fn contains(
    mesh: &TriMesh,
    faces: &[u32],
    bounds: &Aabb,
    points: impl Iterator<Item = Vec3>,
    budget: &mut u64,
) -> Option<bool> {
    for p in points.take(MAX_POINTS) {
        for slope in SLOPES {
            *budget = budget.checked_sub(faces.len() as u64 + POINT_COST)?;
            if let Some(winding) = winding_along(mesh, faces, bounds, &p, slope) {
                return Some(winding != 0);
            }
        }
    }
    Some(false)
}

/// Computes the winding number of a closed shell about a point from the signed crossings of a ray; exact. `None` if the
/// ray meets an edge or a vertex, or the point lies on the surface.
fn winding_along(mesh: &TriMesh, faces: &[u32], bounds: &Aabb, p: &Vec3, slope: [f64; 2]) -> Option<i64> {
    let length = 2.0 * (bounds.diagonal() + (bounds.max - p).norm());
    let q = p + Vec3::new(length, length * slope[0], length * slope[1]);
    let ray = Aabb::of_points([p, &q]);
    let mut winding = 0;
    for &f in faces {
        let [a, b, c] = mesh.triangles[f as usize].map(|i| &mesh.vertices[i as usize]);
        if !Aabb::of_points([a, b, c]).meets(&ray) {
            continue;
        }
        let (from, to) = (orient3d(a, b, c, p), orient3d(a, b, c, &q));
        if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) {
            continue;
        }
        let around = [orient3d(p, &q, a, b), orient3d(p, &q, b, c), orient3d(p, &q, c, a)];
        let (some_left, some_right) = (around.iter().any(|&s| s > 0.0), around.iter().any(|&s| s < 0.0));
        if some_left && some_right {
            continue;
        }
        if from == 0.0 || to == 0.0 || around.contains(&0.0) {
            if collinear(a, b, c) {
                continue;
            }
            return None;
        }
        winding += if from < 0.0 { 1 } else { -1 };
    }
    Some(winding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::solids::{block, reversed, translated};

    #[test]
    fn rays_count_a_point_inside_once_and_outside_never() {
        let mesh = block([0.0; 3], [2.0; 3]);
        let faces: Vec<u32> = (0..12).collect();
        let bounds = Aabb::of_points(&mesh.vertices);
        let winding = |x: f64, y: f64, z: f64| winding_along(&mesh, &faces, &bounds, &Vec3::new(x, y, z), SLOPES[0]);
        assert_eq!(winding(1.0, 1.0, 1.0), Some(1));
        assert_eq!(winding(-1.0, 1.0, 1.0), Some(0));
        assert_eq!(winding(3.0, 1.0, 1.0), Some(0));
        assert_eq!(winding(2.0, 0.5, 1.2), None);
        let inward = reversed(&mesh);
        assert_eq!(winding_along(&inward, &faces, &bounds, &Vec3::repeat(0.7), SLOPES[1]), Some(-1));
    }

    #[test]
    fn shells_that_share_a_face_plane_are_not_nested() {
        let mesh = crate::testkit::solids::joined(&[
            block([0.0; 3], [2.0; 3]),
            translated(&block([0.0; 3], [1.0; 3]), Vec3::new(2.0, 0.5, 0.5)),
            translated(&block([0.0; 3], [1.0; 3]), Vec3::new(0.5, 0.5, 0.5)),
        ]);
        let shell: Vec<u32> = (0..36).map(|f| f / 12).collect();
        let inside = containments(&mesh, &shell, 3).unwrap();
        assert_eq!(inside.iter().map(|i| (i.inner, i.outer)).collect::<Vec<_>>(), [(2, 0)]);
    }
}
