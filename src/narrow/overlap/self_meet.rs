//! Triangles of one surface that meet elsewhere than they share corners.

use crate::geom::Vec3;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::predicates::{orient2d, orient3d};
use crate::narrow::facet::Facet;
use crate::narrow::surface::{Below, PlacedBox, Surface};
use crate::narrow::tri_tri::{Triangle, meet};

/// A triple product of differences is certain of its sign above this share of the product of their lengths.
const CERTAIN: f64 = 64.0 * UNIT_ROUNDOFF;

/// Rounding errors of a distance of two triangles, in units of 2⁻⁵³ of the surface's size.
const ROUNDINGS: f64 = 128.0;

/// How many pairs of triangles meet elsewhere than they share corners, exactly; counted up to `most`. Cost: about that of the
/// surface's tree.
pub(super) fn meetings(s: &Surface, most: usize) -> usize {
    let nodes = &s.tree().nodes;
    let rounding = ROUNDINGS * UNIT_ROUNDOFF * s.bounds.max_abs();
    let (mut first, mut second) = (Leaf::default(), Leaf::default());
    let mut count = 0;
    let mut stack: Vec<(u32, u32)> = Vec::with_capacity(128);
    stack.extend((!nodes.is_empty()).then_some((0, 0)));
    while let Some((i, j)) = stack.pop() {
        let (a, b) = (&nodes[i as usize], &nodes[j as usize]);
        if i == j {
            match a.below() {
                Below::Children([l, r]) => stack.extend([(l, r), (r, r), (l, l)]),
                Below::Triangles(range) => {
                    first.take(s, range.start, range.len());
                    for k in 0..range.len() {
                        for l in 0..k {
                            count += usize::from(touch(s, &first.facets[k], &first.facets[l], rounding));
                        }
                    }
                }
            }
        } else if PlacedBox::of(a).apart(&PlacedBox::of(b), rounding as f32) <= rounding as f32 {
            match (a.below(), b.below()) {
                (Below::Triangles(ra), Below::Triangles(rb)) => {
                    first.take(s, ra.start, ra.len());
                    second.take(s, rb.start, rb.len());
                    for f in &first.facets {
                        for g in &second.facets {
                            count += usize::from(touch(s, f, g, rounding));
                        }
                    }
                }
                (Below::Children([l, r]), other) if matches!(other, Below::Triangles(_)) || a.size() >= b.size() => {
                    stack.extend([(r, j), (l, j)]);
                }
                (_, Below::Children([l, r])) => stack.extend([(i, r), (i, l)]),
                // Covered above.
                (Below::Children(_), Below::Triangles(_)) => {}
            }
        }
        if count >= most {
            return most;
        }
    }
    count
}

/// The triangles of a leaf.
#[derive(Default)]
struct Leaf {
    start: Option<u32>,
    facets: Vec<Item>,
}

struct Item {
    corners: [u32; 3],
    facet: Facet,
}

impl Leaf {
    fn take(&mut self, s: &Surface, start: u32, count: usize) {
        if self.start != Some(start) {
            self.start = Some(start);
            self.facets.clear();
            self.facets.extend(
                (start..start + count as u32)
                    .map(|t| Item { corners: s.triangles[t as usize], facet: Facet::new(s.triangle(t)) }),
            );
        }
    }
}

/// Whether two triangles have a point in common that is not on what they share.
fn touch(s: &Surface, f: &Item, g: &Item, rounding: f64) -> bool {
    let shares = |v: &u32| g.corners.contains(v);
    let shared = f.corners.iter().filter(|v| shares(v)).count();
    // Turned so that the shared corners of the one come first, or the single one does.
    let place = |x: &Item, y: &Item, shared: usize| {
        let has = |k: usize| y.corners.contains(&x.corners[k % 3]);
        let first = (0..3).find(|&k| has(k) && (shared == 1 || has(k + 1))).unwrap_or(0);
        [0, 1, 2].map(|k| s.vertices[x.corners[(first + k) % 3] as usize])
    };
    match shared {
        0 => f.facet.apart(&g.facet, rounding) <= rounding && meet(&f.facet.corners, &g.facet.corners),
        1 => fans_meet(&place(f, g, 1), &place(g, f, 1)),
        2 => folded(&place(f, g, 2), &place(g, f, 2)),
        _ => true,
    }
}

/// Two triangles that share the first corner: whether anything else of them meets.
fn fans_meet(t: &Triangle, u: &Triangle) -> bool {
    let [e, f, g, h] = [t[1] - t[0], t[2] - t[0], u[1] - u[0], u[2] - u[0]];
    let lengths = [e.norm(), f.norm(), g.norm(), h.norm()];
    // Whether a plane through the corner keeps both directions strictly on its far side. `size` bounds the normal's terms.
    let beyond = |n: &Vec3, size: f64, p: &Vec3, q: &Vec3, lp: f64, lq: f64| {
        n.dot(p) < -CERTAIN * size * lp && n.dot(q) < -CERTAIN * size * lq
    };
    let clear = |e: &Vec3, f: &Vec3, g: &Vec3, h: &Vec3, [le, lf, lg, lh]: [f64; 4]| {
        let n = e.cross(f);
        let size = le * lf;
        beyond(&n, size, g, h, lg, lh)
            || beyond(&-n, size, g, h, lg, lh)
            // The triangle's own plane may hold both: planes upright on its sides.
            || beyond(&n.cross(e), size * le, g, h, lg, lh)
            || beyond(&f.cross(&n), size * lf, g, h, lg, lh)
    };
    let [le, lf, lg, lh] = lengths;
    if clear(&e, &f, &g, &h, lengths) || clear(&g, &h, &e, &f, [lg, lh, le, lf]) {
        return false;
    }
    // What they have in common beside the corner reaches a far side of one.
    meet(&[t[1], t[2], t[2]], u) || meet(&[u[1], u[2], u[2]], t)
}

/// Two triangles that share the first two corners, in whatever order: whether they lie on each other.
fn folded(t: &Triangle, u: &Triangle) -> bool {
    let (along, mine, theirs) = (t[1] - t[0], t[2] - t[0], u[2] - t[0]);
    let n = along.cross(&mine);
    let (size, length) = (along.norm() * mine.norm(), theirs.norm());
    if n.dot(&theirs).abs() > CERTAIN * size * length {
        return false;
    }
    // Away from the first triangle within its plane.
    if n.cross(&along).dot(&theirs) < -CERTAIN * size * along.norm() * length {
        return false;
    }
    let side = |x: &Vec3, (i, j): (usize, usize)| orient2d([t[0][i], t[0][j]], [t[1][i], t[1][j]], [x[i], x[j]]);
    orient3d(&t[0], &t[1], &t[2], &u[2]) == 0.0
        && [(1, 2), (2, 0), (0, 1)].into_iter().any(|view| side(&t[2], view) * side(&u[2], view) > 0.0)
}
