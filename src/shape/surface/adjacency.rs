//! Finds the triangles sharing an edge or a vertex.

use crate::geom::rows::Rows;
use crate::parallel;
use std::borrow::Cow;

/// Largest number of triangles with a list of the neighbours across their edges. The list of a larger surface would
/// take much memory; a search around a vertex takes its place.
pub(super) const LISTED_UP_TO: usize = 200_000;

/// Neighbour of an edge before its search.
const NOT_SEARCHED: u32 = u32::MAX - 1;

/// Neighbours over edges and around vertices.
#[derive(Debug, Clone)]
pub(crate) struct Adjacency {
    /// Neighbour across each edge of each triangle, `u32::MAX` for none; empty for a large surface.
    across: Vec<[u32; 3]>,
    /// Triangles around each vertex.
    around: Rows,
}

impl Adjacency {
    /// Builds the adjacency of triangles over this many vertices.
    pub(crate) fn of(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let corners = triangles.iter().zip(0..triangles.len() as u32).flat_map(|(ids, t)| ids.map(|v| (v, t)));
        let mut adjacency = Self { across: Vec::new(), around: Rows::of(vertices, corners) };
        if triangles.len() <= LISTED_UP_TO {
            adjacency.across = adjacency.across_all(triangles, 1);
        }
        adjacency
    }

    /// Neighbour across edge `k` of a triangle, `u32::MAX` for none.
    pub(crate) fn neighbor(&self, triangles: &[[u32; 3]], t: u32, k: usize) -> u32 {
        match self.across.get(t as usize) {
            Some(across) => across[k],
            None => self.search(triangles, t as usize, k),
        }
    }

    /// Neighbours across all edges of all triangles, `u32::MAX` for none. Computes them on up to `threads` threads if
    /// they are not listed.
    pub(crate) fn neighbors(&self, triangles: &[[u32; 3]], threads: usize) -> Cow<'_, [[u32; 3]]> {
        if self.across.len() == triangles.len() {
            return Cow::Borrowed(&self.across);
        }
        Cow::Owned(self.across_all(triangles, threads))
    }

    fn across_all(&self, triangles: &[[u32; 3]], threads: usize) -> Vec<[u32; 3]> {
        if threads > 1 {
            let across = |t| [0, 1, 2].map(|k| self.search(triangles, t, k));
            return parallel::list(threads, triangles.len(), [u32::MAX; 3], across);
        }
        let mut all = vec![[NOT_SEARCHED; 3]; triangles.len()];
        for (t, ids) in triangles.iter().enumerate() {
            for k in 0..3 {
                if all[t][k] != NOT_SEARCHED {
                    continue;
                }
                let other = self.search(triangles, t, k);
                all[t][k] = other;
                // The neighbour's neighbour is this triangle: no third one has this edge.
                let theirs = triangles.get(other as usize);
                if let Some(back) = theirs.and_then(|theirs| theirs.iter().position(|v| *v == ids[(k + 1) % 3])) {
                    all[other as usize][back] = t as u32;
                }
            }
        }
        all
    }

    fn search(&self, triangles: &[[u32; 3]], t: usize, k: usize) -> u32 {
        let (from, to) = (triangles[t][k], triangles[t][(k + 1) % 3]);
        self.other(triangles, t as u32, from, to).unwrap_or(u32::MAX)
    }

    pub(crate) fn around(&self, v: u32) -> &[u32] {
        self.around.row(v as usize)
    }

    /// Returns the only other triangle at this edge of `t`, if it runs along the edge in the opposite direction.
    fn other(&self, triangles: &[[u32; 3]], t: u32, from: u32, to: u32) -> Option<u32> {
        // Search at the end with fewer triangles: the centre of a fan may have all of them.
        let (first, second) = (self.around(from), self.around(to));
        across(triangles, if first.len() <= second.len() { first } else { second }, t, from, to)
    }
}

/// Finds the only other triangle at an edge of `t`, among those around one end of it; `None` if there are more, or if
/// it runs along the edge in the same direction.
pub(crate) fn across(triangles: &[[u32; 3]], around: &[u32], t: u32, from: u32, to: u32) -> Option<u32> {
    let mut found = None;
    for &f in around {
        let c = &triangles[f as usize];
        if f == t || !c.contains(&from) || !c.contains(&to) {
            continue;
        }
        if found.is_some() || (0..3).any(|k| c[k] == from && c[(k + 1) % 3] == to) {
            return None;
        }
        found = Some(f);
    }
    found
}

/// Smallest vertex of every shell, a set of triangles connected by shared vertices, in increasing order.
pub(crate) fn shells(triangles: &[[u32; 3]], vertices: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    let mut used = vec![false; vertices];
    for &[a, b, c] in triangles {
        for v in [a, b, c] {
            used[v as usize] = true;
        }
        union(&mut parent, a, b);
        union(&mut parent, a, c);
    }
    (0..vertices as u32).filter(|&v| used[v as usize] && parent[v as usize] == v).collect()
}

/// Joins two sets; the smaller root stays root.
fn union(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    parent[high as usize] = low;
}

/// Returns the root of a set and halves the path to it.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        let up = parent[parent[v as usize] as usize];
        parent[v as usize] = up;
        v = up;
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::shape::surface::{Inside, Surface};

    #[test]
    fn large_triangle_fan_is_handled() {
        let n = 50_000;
        let triangles: Vec<[u32; 3]> = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
        let adjacency = Adjacency::of(&triangles, n as usize + 1);
        assert_eq!(adjacency.around(0).len(), n as usize);
        assert_eq!(adjacency.neighbors(&triangles, 1)[7], [6, u32::MAX, 8]);
        assert_eq!(shells(&triangles, n as usize + 1), [0]);
    }

    #[test]
    fn non_manifold_edges_have_no_neighbour() {
        let triangles = [[0, 1, 2], [1, 0, 3], [1, 0, 4], [2, 1, 5], [3, 1, 5], [8, 7, 6]];
        let across = Adjacency::of(&triangles, 9).across;
        assert_eq!(across[0], [u32::MAX, 3, u32::MAX]);
        assert_eq!(across[3], [0, u32::MAX, u32::MAX]);
        assert_eq!(across[4], [u32::MAX; 3]);
        assert_eq!(shells(&triangles, 9), [0, 6]);
    }

    #[test]
    fn large_surfaces_keep_no_adjacency_after_a_pass() {
        // A flat strip of triangles.
        for (count, keeps) in [(50, true), (LISTED_UP_TO as u32 + 10, false)] {
            let vertices = (0..count + 2).map(|k| Vec3::new(f64::from(k), f64::from(k % 2), 0.0)).collect();
            let triangles: Vec<[u32; 3]> =
                (0..count).map(|k| if k % 2 == 0 { [k, k + 2, k + 1] } else { [k + 1, k + 2, k] }).collect();
            let s = Surface::of(vertices, &triangles, Inside::Undefined);
            let adjacency = s.adjacency_for_a_pass();
            assert_eq!(s.adjacency.get().is_some(), keeps);
            let mut around = Vec::new();
            for v in [0, 1, 7, count / 2, count + 1] {
                s.around_into(v, &mut around);
                assert_eq!(adjacency.around(v), around);
            }
        }
    }

    #[test]
    fn large_surfaces_search_for_the_same_neighbours() {
        // A strip that ends in a fin of three triangles at one edge.
        let mut triangles: Vec<[u32; 3]> = (0..LISTED_UP_TO as u32 + 10)
            .map(|k| if k % 2 == 0 { [k, k + 1, k + 2] } else { [k + 1, k, k + 2] })
            .collect();
        triangles.extend([[4, 5, 1], [5, 4, 2]]);
        let vertices = LISTED_UP_TO + 12;
        let large = Adjacency::of(&triangles, vertices);
        assert!(large.across.is_empty());
        let listed = large.neighbors(&triangles, 3);
        assert_eq!(large.across_all(&triangles, 1), *listed);
        for t in (0..200).chain(LISTED_UP_TO as u32..LISTED_UP_TO as u32 + 12) {
            let found = [0, 1, 2].map(|k| large.neighbor(&triangles, t, k));
            assert_eq!(found, listed[t as usize]);
            let [near, far] = [t.wrapping_sub(1), t + 1].map(|n| found.contains(&n));
            let is_inner = (1..LISTED_UP_TO as u32).contains(&t);
            assert!(!is_inner || (3..6).contains(&t) || near && far, "{t}: {found:?}");
        }
    }
}
