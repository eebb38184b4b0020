//! Planes beyond which two intersecting triangles are apart, for B leaving A.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::geom::triangle::Triangle;
use crate::measure::separation::directions::SAME_DIRECTION_COSINE;
use crate::measure::separation::inset_pair::{ContactPair, Edge};
use crate::measure::separation::min_norm::{Plane, min_norm_point};

/// Maximum number of planes for pushing.
const MAX_PUSHED: usize = 64;

/// Maximum number of face directions tried at one node.
const MAX_DIRECTIONS: usize = 8;

/// Sine of the angle below which two edges define no face.
const PARALLEL_EDGES: f64 = 1e-6;

/// Finds the shortest translation beyond `planes` and all of `more`. Adds the worst violated plane of `more` until all
/// are satisfied: there may be many, and few decide.
pub(crate) fn beyond(planes: &mut Vec<Plane>, more: &[Plane], lacking: f64) -> Option<Vec3> {
    let mut x = min_norm_point(planes, lacking)?;
    loop {
        let left = |p: &Plane| p.least - p.normal.dot(&x);
        let Some(worst) = more.iter().max_by(|p, q| left(p).total_cmp(&left(q))) else { return Some(x) };
        if left(worst) <= lacking {
            return Some(x);
        }
        if planes.len() >= MAX_PUSHED {
            return None;
        }
        planes.push(*worst);
        x = min_norm_point(planes, lacking)?;
    }
}

/// Lists candidate planes, each separating some of the intersecting triangles within `limit` (mm): the nearest and the
/// farthest plane of each direction, in the order of the nearest ones. A pair deep inside a face asks for more than the
/// face does, so the nearest planes come first.
pub(crate) fn exit_directions<'m>(met: impl Iterator<Item = &'m ContactPair>, by: &Vec3, limit: f64) -> Vec<Plane> {
    let lacking = |p: &Plane| p.least - p.normal.dot(by);
    let mut near: Vec<Plane> = met.filter_map(|m| nearest_face(m, by)).filter(|p| p.least < limit).collect();
    near.sort_by(|x, y| lacking(x).total_cmp(&lacking(y)));
    let mut groups: Vec<[Plane; 2]> = Vec::new();
    for plane in near {
        let known = groups.iter_mut().find(|g| g[0].normal.dot(&plane.normal) > SAME_DIRECTION_COSINE);
        if let Some([_, far]) = known {
            far.least = greater(far.least, plane.least);
        } else if groups.len() < MAX_DIRECTIONS {
            groups.push([plane; 2]);
        }
    }
    groups.into_iter().flatten().collect()
}

/// Lists all sets of two and of three planes, in order.
pub(crate) fn twos_and_threes(planes: &[Plane]) -> Vec<Vec<Plane>> {
    let mut sets = Vec::new();
    for (i, first) in planes.iter().enumerate() {
        for (j, second) in planes.iter().enumerate().skip(i + 1) {
            sets.push(vec![*first, *second]);
            sets.extend(planes[j + 1..].iter().map(|third| vec![*first, *second, *third]));
        }
    }
    sets
}

/// Finds the nearest plane separating two triangles.
pub(crate) fn nearest_face(met: &ContactPair, by: &Vec3) -> Option<Plane> {
    let lacking = |p: &Plane| p.least - p.normal.dot(by);
    met.faces.iter().copied().min_by(|x, y| lacking(x).total_cmp(&lacking(y)))
}

/// Lists the faces of the Minkowski difference of two triangles for B leaving A outward: the normals of the triangles,
/// and the cross products of their convex edges.
pub(crate) fn faces([a, b]: &[Triangle; 2], edges: &[[Option<Edge>; 3]; 2]) -> Vec<Plane> {
    let normal = |t: &Triangle| (t[1] - t[0]).cross(&(t[2] - t[0])).try_normalize(0.0);
    let of_edges = edges[0].iter().flatten().flat_map(|e| {
        edges[1].iter().flatten().filter_map(|f| {
            let d = e.way.cross(&f.way).try_normalize(PARALLEL_EDGES * e.way.norm() * f.way.norm())?;
            let out = |d: &Vec3| e.is_outermost(d) && f.is_outermost(&-d);
            if out(&d) { Some(d) } else { out(&-d).then_some(-d) }
        })
    });
    let most = |d: &Vec3, t: &Triangle| t.iter().map(|x| d.dot(x)).fold(f64::NEG_INFINITY, greater);
    let faces = normal(a).into_iter().chain(normal(b).map(|n| -n)).chain(of_edges);
    faces.map(|n| Plane { normal: n, least: most(&n, a) + most(&-n, b) }).collect()
}
