//! Tells which triangles of a closed surface bound its solid.
//!
//! A query asks about the triangles near the other part alone. Each result is found when a query first needs it, and is
//! kept with the surface.

use crate::shape::self_union::patches::Patches;
use crate::shape::self_union::self_intersections::{any_intersects, intersects_another};
use crate::shape::surface::winding_number::winding_in_front;
use crate::shape::surface::{Below, Inside, Surface};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const BOUNDS: u8 = 1;
const IS_INNER: u8 = 2;

/// Share of chosen triangles above which the data of all triangles are listed: their elements and their neighbours.
const LISTED_SHARE: f64 = 0.0625;

/// Results for the triangles of one surface.
#[derive(Debug)]
pub(crate) struct BoundingTriangles {
    /// `UNKNOWN`, `BOUNDS` or `IS_INNER` for each triangle.
    states: Vec<AtomicU8>,
    /// Leaf of the tree above each triangle.
    leaves: OnceLock<Vec<u32>>,
}

impl BoundingTriangles {
    fn unknown(count: usize) -> Self {
        Self { states: (0..count).map(|_| AtomicU8::new(UNKNOWN)).collect(), leaves: OnceLock::new() }
    }

    // A state follows from the surface alone, unless no ray decides, and no other data depends on it: threads need no
    // order.
    fn get(&self, t: u32) -> u8 {
        self.states[t as usize].load(Ordering::Relaxed)
    }

    fn set(&self, t: u32, bounds: bool) {
        self.states[t as usize].store(if bounds { BOUNDS } else { IS_INNER }, Ordering::Relaxed);
    }

    fn leaf(&self, s: &Surface, t: u32) -> u32 {
        self.leaves.get_or_init(|| leaves(s))[t as usize]
    }
}

/// Number of chosen triangles.
fn count(chosen: &[bool]) -> usize {
    chosen.iter().filter(|chosen| **chosen).count()
}

/// Index of the leaf above each triangle.
fn leaves(s: &Surface) -> Vec<u32> {
    let mut out = vec![0; s.triangles.len()];
    for (i, node) in (0..).zip(&s.tree().nodes) {
        if let Below::Triangles(range) = node.below() {
            out[range.start as usize..range.end as usize].fill(i);
        }
    }
    out
}

impl Surface {
    fn bounding_triangles(&self) -> &BoundingTriangles {
        self.bounding.get_or_init(|| BoundingTriangles::unknown(self.triangles.len()))
    }

    /// True if a triangle of a closed surface bounds the solid: it meets no other triangle besides shared corners and
    /// edges, the outside is in front and the solid behind. The first call for a triangle costs a search of the tree
    /// near it, and a ray if no neighbour is known to bound the solid. The first call of all is O(n).
    pub(crate) fn is_bounding(&self, t: u32) -> bool {
        if self.is_known_boundary() {
            return true;
        }
        let known = self.bounding_triangles();
        if known.get(t) == UNKNOWN {
            known.set(t, self.finds_bounding(known, t));
        }
        known.get(t) == BOUNDS
    }

    /// True if a triangle of a closed surface bounds the solid, and an earlier call of [`Self::is_bounding`] or
    /// [`Self::are_bounding`] has shown it.
    pub(crate) fn is_known_to_bound(&self, t: u32) -> bool {
        self.inside == Inside::Solid
            && (self.is_known_boundary() || self.bounding.get().is_some_and(|known| known.get(t) == BOUNDS))
    }

    fn finds_bounding(&self, known: &BoundingTriangles, t: u32) -> bool {
        // No triangle crosses two neighbours without crossings, so the winding number in front of them is the same.
        let continues = |k: usize| {
            let other = self.neighbor_of(t, k);
            other != u32::MAX && known.get(other) == BOUNDS
        };
        !intersects_another(self, t, known.leaf(self, t))
            && ((0..3).any(continues) || winding_in_front(self, t) == Some(0))
    }

    /// True if each of the chosen triangles of a closed surface bounds the solid, as by [`Self::is_bounding`]. Costs a
    /// search of the tree near those that are not known yet, and a ray for each connected set of them. The first call
    /// is O(n).
    pub(crate) fn are_bounding(&self, chosen: &[bool]) -> bool {
        if self.is_known_boundary() {
            return true;
        }
        let known = self.bounding_triangles();
        let mut unknown = chosen.to_vec();
        for (t, is_unknown) in (0..).zip(&mut unknown).filter(|(_, chosen)| **chosen) {
            match known.get(t) {
                IS_INNER => return false,
                state => *is_unknown = state == UNKNOWN,
            }
        }
        let open = count(&unknown);
        if open == 0 {
            return true;
        }
        let is_listed = open as f64 > LISTED_SHARE * unknown.len() as f64;
        let adjacency = is_listed.then(|| self.adjacency_for_a_pass());
        let bound = !any_intersects(self, &unknown, adjacency.as_deref())
            && Patches::among(self, &unknown, adjacency.as_deref())
                .in_front(self)
                .iter()
                .all(|front| *front == Some(0));
        if bound {
            (0..).zip(&unknown).filter(|(_, new)| **new).for_each(|(t, _)| known.set(t, true));
        }
        bound
    }

    /// Number of chosen triangles that no call of [`Self::is_bounding`] or [`Self::are_bounding`] has decided.
    pub(crate) fn count_unknown(&self, chosen: &[bool]) -> usize {
        let known = self.bounding_triangles();
        (0..).zip(chosen).filter(|(t, chosen)| **chosen && known.get(*t) == UNKNOWN).count()
    }

    /// Share of triangles that do not bound the solid, among at most `samples` evenly spaced ones (0 to 1).
    pub(crate) fn inner_share(&self, samples: usize) -> f64 {
        let n = self.triangles.len();
        if n == 0 || self.is_known_boundary() {
            return 0.0;
        }
        let count = n.min(samples);
        let inner = (0..count).filter(|k| !self.is_bounding((k * n / count) as u32)).count();
        inner as f64 / count as f64
    }
}
