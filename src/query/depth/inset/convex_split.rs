//! Splits a convex vertex of four faces, where no single position lets all of them move by τ.
//!
//! Three planes have a common point; a fourth one misses it in general. The moved faces then meet in two points with an
//! edge between them, as four slopes of a roof meet at the two ends of its ridge. Two opposite faces, the shared ones,
//! hold both points. Each of the other two holds one.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::query::depth::inset::vertex_offset::{PlaneConstraint, VertexOffset, VertexOffsets};
use crate::query::depth::inset::vertex_split::{Ring, Sectors, VertexSplit, coplanar};

/// Least lag of a face at a single position to split a convex vertex (share of τ).
const LEAST_LAG: f64 = 0.002;

/// Largest lag of a face at a split vertex (share of the lag at a single position): the length limit may leave some.
const LAG_LEFT: f64 = 0.25;

impl VertexOffsets<'_> {
    /// Splits a vertex with four faces and without reflex edges, if `one`, its single position, leaves a face behind by
    /// more than [`LEAST_LAG`] and two positions leave less than [`LAG_LEFT`] of that. Cost: up to four solved
    /// positions.
    pub(super) fn convex_split(&self, v: u32, around: &[u32], one: &VertexOffset) -> Option<VertexSplit> {
        let s = self.surface;
        let lag = -one.needs.iter().filter(|n| n.own).map(|n| n.over(&one.wish)).fold(0.0, lesser);
        if lag <= LEAST_LAG * self.tau {
            return None;
        }
        let ring = Ring::of(s, v, around)?;
        let edges: [usize; 4] = self.edges_between_faces(&ring).try_into().ok()?;
        if (0..ring.len()).any(|i| ring.bend(s, v, i).is_some()) {
            return None;
        }
        // The ridge joins faces 1 and 3, or faces 0 and 2.
        let mut best = (LAG_LEFT * lag, None);
        for k in [0, 1] {
            let shared = [edges[k], edges[k + 2]].map(|i| (i, ring.triangle(i + 1)));
            let sectors = Sectors::of_convex(&ring, shared);
            let found = [0, 1].map(|sector| self.behind(&sectors.faces(sector), one));
            let off = greater(found[0].1, found[1].1);
            if off < best.0 {
                best = (off, Some((sectors, found.map(|f| f.0))));
            }
        }
        let (sectors, places) = best.1?;
        VertexSplit::new(s, v, sectors, places.to_vec(), self.tau)
    }

    /// Triangles of a ring before the edges between two faces.
    fn edges_between_faces(&self, ring: &Ring) -> Vec<usize> {
        let is_between =
            |i: &usize| coplanar(self.surface, [ring.triangle(*i), ring.triangle(i + 1)], self.flat).is_none();
        (0..ring.len()).filter(is_between).collect()
    }

    /// Position τ behind the planes of some triangles at a vertex, and at least τ behind the other planes. Also returns
    /// the largest deviation from it (mm).
    fn behind(&self, of: &[u32], one: &VertexOffset) -> (Vec3, f64) {
        let s = self.surface;
        let is_of = |n: &PlaneConstraint| of.iter().any(|&t| n.has_normal(&s.normal_if_cheap(t)));
        let needs: Vec<PlaneConstraint> = one.needs.iter().map(|n| PlaneConstraint { own: is_of(n), ..*n }).collect();
        let d = self.solve_planes(one.wish, &needs, self.farthest_of_ridge);
        let off = needs.iter().map(|n| if n.own { n.over(&d).abs() } else { -n.over(&d) });
        (d, off.fold(0.0, greater))
    }
}
