//! Pieces of an inset surface: the moved faces, and the strips and caps that close it at split vertices.

use crate::geom::Vec3;
use crate::geom::triangle::Triangle;
use crate::query::depth::inset::edge_cut::divided_face;
use crate::query::depth::inset::surface::{InsetSurface, VertexPosition};
use crate::query::depth::inset::vertex_offset::known;
use crate::query::triangles::Pieces;

impl InsetSurface<'_> {
    /// Pieces of a triangle (A's frame, mm): the offset triangle and the strips and caps at split vertices. Each strip
    /// and cap belongs to exactly one triangle.
    pub(crate) fn pieces(&self, t: u32) -> Pieces {
        known(&self.pieces, t, || {
            let ids = self.surface.triangles[t as usize];
            let mut out: Vec<Triangle> = Vec::with_capacity(8);
            let cuts = [0, 1, 2].map(|k| self.edge_cut(t, k));
            divided_face(&self.triangle(t), &cuts.each_ref().map(|c| c.as_ref().map(|c| c.seen_from(t))), &mut out);
            for (k, &v) in ids.iter().enumerate() {
                self.add_strips(t, k, cuts[k].as_ref().map(|cut| &cut.places), &mut out);
                if let VertexPosition::Split(split) = self.place(v)
                    && split.sectors.around.iter().all(|r| t <= r.0)
                {
                    out.extend(split.cap());
                }
            }
            out.into()
        })
    }

    /// Adds the strips along the edge after corner `k`, unless they belong to the other triangle; `cut` has the
    /// positions on a divided edge.
    fn add_strips(&self, t: u32, k: usize, cut: Option<&[Vec<Vec3>; 2]>, out: &mut Vec<Triangle>) {
        let ids = self.surface.triangles[t as usize];
        let (v, end, other) = (ids[k], ids[(k + 1) % 3], self.surface.neighbor_of(t, k));
        let (near, far) = (self.strip(v, end), self.strip(end, v));
        if t >= other || (near.is_none() && far.is_none() && cut.is_none()) {
            return;
        }
        let mut near = near.unwrap_or_else(|| vec![self.corner(t, v)]);
        let far = far.unwrap_or_else(|| vec![self.corner(t, end)]);
        // From the near end, the strip starts at the other triangle.
        near.reverse();
        let Some(cut) = cut else {
            // Each triangle of the strip must lie behind one face: both near positions behind the first, both far ones
            // behind the second.
            let crosses = self.shared_at(v, end) == Some(t) && self.shared_at(end, v) == Some(other);
            return if crosses { crossed_strip(&near, &far, out) } else { strip(&near, &far, out) };
        };
        strip(&near, &cut[0], out);
        strip(&cut[0], &cut[1], out);
        strip(&cut[1], &far, out);
    }

    /// Positions of a split vertex along the edge to `end`; `None` if it has one position there.
    fn strip(&self, v: u32, end: u32) -> Option<Vec<Vec3>> {
        match self.place(v) {
            VertexPosition::One(_) => None,
            VertexPosition::Split(split) => split.strip(end).map(<[Vec3]>::to_vec),
        }
    }

    /// Triangle whose face both positions of a split convex vertex at the edge to `end` lie behind.
    fn shared_at(&self, v: u32, end: u32) -> Option<u32> {
        match self.place(v) {
            VertexPosition::One(_) => None,
            VertexPosition::Split(split) => split.sectors.shared_at(end),
        }
    }
}

/// Triangles of a strip between the positions at both ends of an edge, facing outward. Both lists begin at the triangle
/// containing the edge in the direction from near to far, and end at the other triangle.
fn strip(near: &[Vec3], far: &[Vec3], out: &mut Vec<Triangle>) {
    let steps = near.len().max(far.len());
    // An unsplit end has a single position.
    let at = |list: &[Vec3], k: usize| list[k.min(list.len() - 1)];
    for k in 1..steps {
        let (a, b) = (at(near, k - 1), at(near, k));
        let (c, d) = (at(far, k), at(far, k - 1));
        if a != b {
            out.push([a, b, c]);
        }
        if c != d {
            out.push([a, c, d]);
        }
    }
}

/// The same for two positions at both ends, with the other diagonals.
fn crossed_strip(near: &[Vec3], far: &[Vec3], out: &mut Vec<Triangle>) {
    for (n, f) in near.windows(2).zip(far.windows(2)) {
        out.extend([[n[0], n[1], f[0]], [n[1], f[1], f[0]]]);
    }
}
