//! Edges of a mesh: faces at each edge, edge counts, connected components, duplicate faces.

use crate::geom::union_find::UnionFind;
use crate::parallel;
use std::ops::Range;

/// Half-edges of a mesh, grouped by edge. A counting sort by the smaller end makes buckets of about six, each sorted by
/// the larger end: linear time. Faces with two equal corners have no half-edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HalfEdges {
    /// `uses[starts[v]..starts[v + 1]]` belong to the edges with smaller end `v`.
    starts: Vec<u32>,
    uses: Vec<HalfEdge>,
}

/// Use of an edge by one face: the larger end in the upper half, then the face; the lowest bit is 1 if the face runs
/// from the larger to the smaller end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge(u64);

impl HalfEdge {
    fn new(hi: u32, face: u32, reversed: bool) -> Self {
        Self((u64::from(hi) << 32) | (u64::from(face) << 1) | u64::from(reversed))
    }

    fn hi(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Face of the half-edge.
    pub(crate) fn face(self) -> u32 {
        (self.0 as u32) >> 1
    }

    /// True if the face runs from the edge's larger end to its smaller one.
    pub(crate) fn reversed(self) -> bool {
        self.0 & 1 == 1
    }
}

/// An edge and its uses, sorted by face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge<'a> {
    /// Smaller end.
    pub lo: u32,
    /// Larger end.
    pub hi: u32,
    /// Uses of the edge, at least one.
    pub uses: &'a [HalfEdge],
}

impl Edge<'_> {
    /// Uses from the smaller to the larger end minus those in the other direction; 0 for a balanced edge.
    pub(crate) fn net(&self) -> i64 {
        self.uses.iter().map(|u| if u.reversed() { -1 } else { 1 }).sum()
    }
}

/// Edge counts of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Edges of one face.
    pub open: u64,
    /// Edges of more than two faces.
    pub non_manifold: u64,
    /// Edges of two faces in one direction.
    pub misoriented: u64,
    /// Edges with more uses in one direction than in the other; 0 for a closed mesh.
    pub unbalanced: u64,
    /// Edges with an odd number of faces; no orientation of the faces balances them.
    pub odd: u64,
}

impl EdgeCounts {
    #[inline]
    fn add(&mut self, edge: &Edge<'_>) {
        let n = edge.uses.len();
        // Shortcut for the common case: two faces, one in each direction.
        if n == 2 && edge.uses[0].reversed() != edge.uses[1].reversed() {
            return;
        }
        self.open += u64::from(n == 1);
        self.non_manifold += u64::from(n > 2);
        self.misoriented += u64::from(n == 2);
        self.unbalanced += u64::from(edge.net() != 0);
        self.odd += u64::from(n % 2 == 1);
    }
}

impl HalfEdges {
    /// Builds the half-edges of triangles over `vertex_count` vertices.
    pub(crate) fn of(triangles: &[[u32; 3]], vertex_count: usize) -> Self {
        Self::in_parallel(triangles, vertex_count, 1)
    }

    /// Builds the same half-edges on up to `threads` threads.
    pub(crate) fn in_parallel(triangles: &[[u32; 3]], vertex_count: usize, threads: usize) -> Self {
        Self::where_smaller_end(triangles, vertex_count, threads, |_| true)
    }

    /// Builds the half-edges of the edges with their smaller end in a range of vertices, on up to `threads` threads.
    pub(crate) fn with_smaller_ends(
        triangles: &[[u32; 3]],
        vertex_count: usize,
        threads: usize,
        ends: &Range<usize>,
    ) -> Self {
        Self::where_smaller_end(triangles, vertex_count, threads, |lo| ends.contains(&(lo as usize)))
    }

    /// Builds the half-edges of the edges whose smaller end `takes` accepts.
    fn where_smaller_end(
        triangles: &[[u32; 3]],
        vertex_count: usize,
        threads: usize,
        takes: impl Fn(u32) -> bool,
    ) -> Self {
        let mut starts = vec![0u32; vertex_count + 1];
        for t in triangles.iter().filter(|t| !is_collapsed(t)) {
            for (a, b) in sides(t) {
                let lo = a.min(b);
                starts[lo as usize] += u32::from(takes(lo));
            }
        }
        let mut sum = 0;
        for s in &mut starts {
            sum += *s;
            *s = sum;
        }
        // Filling each bucket from its end leaves `starts` at the start of the bucket.
        let mut uses = vec![HalfEdge(0); sum as usize];
        for (face, t) in triangles.iter().enumerate().rev().filter(|(_, t)| !is_collapsed(t)) {
            for (a, b) in sides(t) {
                let (lo, hi) = if a < b { (a, b) } else { (b, a) };
                if !takes(lo) {
                    continue;
                }
                let slot = &mut starts[lo as usize];
                *slot -= 1;
                uses[*slot as usize] = HalfEdge::new(hi, face as u32, a > b);
            }
        }
        let shares = parallel::shares(threads, parallel::LEAST_SHARE, vertex_count);
        let ends: Vec<usize> = shares.map(|vertices| starts[vertices.end] as usize).collect();
        parallel::each_part(threads, &mut uses, &ends, |first, part| {
            let from = starts.partition_point(|&start| (start as usize) < first);
            let mut rest = part;
            for length in starts[from..].windows(2).map(|w| (w[1] - w[0]) as usize) {
                if rest.is_empty() {
                    break;
                }
                let (bucket, after) = rest.split_at_mut(length);
                bucket.sort_unstable();
                rest = after;
            }
        });
        Self { starts, uses }
    }

    /// True if the mesh has no edge: no face, or only faces with two equal corners.
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// Iterates over the edges in order of their ends.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge<'_>> {
        self.edges_of(0..self.vertex_count())
    }

    /// Number of vertices of the mesh.
    pub(crate) fn vertex_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Iterates over the edges with their smaller end in a range of vertices, in order of their ends.
    pub(crate) fn edges_of(&self, smaller_ends: Range<usize>) -> impl Iterator<Item = Edge<'_>> {
        smaller_ends.flat_map(|v| {
            let bucket = &self.uses[self.starts[v] as usize..self.starts[v + 1] as usize];
            bucket.chunk_by(|a, b| a.hi() == b.hi()).map(move |uses| Edge { lo: v as u32, hi: uses[0].hi(), uses })
        })
    }

    /// Counts the edges of each kind.
    pub(crate) fn counts(&self) -> EdgeCounts {
        let mut counts = EdgeCounts::default();
        self.edges().for_each(|edge| counts.add(&edge));
        counts
    }

    /// Updates the uses after reversing the faces of `flipped`.
    pub(crate) fn flip(&mut self, flipped: &[bool]) {
        for u in &mut self.uses {
            u.0 ^= u64::from(flipped[u.face() as usize]);
        }
    }
}

/// Connected components of a mesh.
#[derive(Debug)]
pub(crate) struct Components {
    /// Component of each face: connected over edges with any number of faces. A face with two equal corners is a
    /// component of its own.
    pub of_face: Vec<u32>,
    /// Number of these components.
    pub by_edge: u32,
    /// Number of components if a shared vertex also connects faces.
    pub by_vertex: u32,
}

impl Components {
    /// Computes the components of a mesh, and counts its edges in the same pass.
    pub(crate) fn counted(triangles: &[[u32; 3]], vertex_count: usize, edges: &HalfEdges) -> (Self, EdgeCounts) {
        let (mut sets, mut counts) = (UnionFind::new(triangles.len()), EdgeCounts::default());
        edges.edges().for_each(|e| {
            for u in &e.uses[1..] {
                sets.union(e.uses[0].face(), u.face(), false);
            }
            counts.add(&e);
        });
        (Self::of_sets(&mut sets, triangles, vertex_count), counts)
    }

    /// Numbers the components, given as sets of faces.
    fn of_sets(sets: &mut UnionFind, triangles: &[[u32; 3]], vertex_count: usize) -> Self {
        let (of_face, by_edge) = sets.label();
        let mut by_vertex = by_edge;
        if by_edge > 1 {
            const NONE: u32 = u32::MAX;
            let mut seen = vec![NONE; vertex_count];
            let mut merged = UnionFind::new(by_edge as usize);
            for (t, &set) in triangles.iter().zip(&of_face) {
                for &v in t {
                    let seen = &mut seen[v as usize];
                    if *seen == NONE {
                        *seen = set;
                    } else if *seen != set {
                        merged.union(*seen, set, false);
                    }
                }
            }
            by_vertex = merged.label().1;
        }
        Self { of_face, by_edge, by_vertex }
    }

    /// True if some component has at most two faces.
    fn has_tiny(&self) -> bool {
        if self.by_edge == 1 {
            return self.of_face.len() <= 2;
        }
        let mut sizes = vec![0u32; self.by_edge as usize];
        for &set in &self.of_face {
            sizes[set as usize] += 1;
        }
        sizes.iter().any(|&s| s <= 2)
    }
}

/// True if a face has two equal corners.
#[inline]
pub(crate) fn is_collapsed(t: &[u32; 3]) -> bool {
    t[0] == t[1] || t[1] == t[2] || t[2] == t[0]
}

/// Directed sides of a face.
#[inline]
fn sides(t: &[u32; 3]) -> [(u32, u32); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

/// Counts the faces with the corners of an earlier face, in any order; ignores faces with two equal corners.
pub(crate) fn duplicate_count(
    triangles: &[[u32; 3]],
    vertex_count: usize,
    counts: &EdgeCounts,
    components: &Components,
) -> u64 {
    // Two faces with the same corners share three edges. Unless a third face is at one of them, both form a component
    // by themselves.
    if counts.non_manifold == 0 && !components.has_tiny() {
        return 0;
    }
    let sorted = |t: &[u32; 3]| {
        let mut s = *t;
        s.sort_unstable();
        s
    };
    let mut starts = vec![0u32; vertex_count + 1];
    for t in triangles.iter().filter(|t| !is_collapsed(t)) {
        starts[t[0].min(t[1]).min(t[2]) as usize] += 1;
    }
    let mut sum = 0;
    for s in &mut starts {
        sum += *s;
        *s = sum;
    }
    let mut rest = vec![0u64; sum as usize];
    for t in triangles.iter().filter(|t| !is_collapsed(t)) {
        let [lo, mid, hi] = sorted(t);
        let slot = &mut starts[lo as usize];
        *slot -= 1;
        rest[*slot as usize] = (u64::from(mid) << 32) | u64::from(hi);
    }
    let mut duplicates = 0;
    for v in 0..vertex_count {
        let bucket = &mut rest[starts[v] as usize..starts[v + 1] as usize];
        bucket.sort_unstable();
        duplicates += bucket.windows(2).filter(|w| w[0] == w[1]).count() as u64;
    }
    duplicates
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn every_edge_of_a_tetrahedron_is_used_once_each_way() {
        let edges = HalfEdges::of(&TETRAHEDRON, 4);
        assert_eq!(edges.edges().count(), 6);
        assert_eq!(edges.counts(), EdgeCounts::default());
        assert_eq!(Components::counted(&TETRAHEDRON, 4, &edges).0.by_edge, 1);
    }

    #[test]
    fn missing_and_flipped_faces_give_three_defect_edges() {
        let counts = HalfEdges::of(&TETRAHEDRON[1..], 4).counts();
        assert_eq!((counts.open, counts.misoriented, counts.unbalanced, counts.odd), (3, 0, 3, 3));
        let mut turned = TETRAHEDRON;
        turned[2].swap(0, 1);
        let mut edges = HalfEdges::of(&turned, 4);
        let counts = edges.counts();
        assert_eq!((counts.open, counts.misoriented, counts.unbalanced, counts.odd), (0, 3, 3, 0));
        edges.flip(&[false, false, true, false]);
        assert_eq!(edges.counts(), EdgeCounts::default());
    }

    #[test]
    fn duplicates_match_in_any_corner_order() {
        let faces = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 2, 3], [0, 0, 1], [0, 1, 0]];
        let edges = HalfEdges::of(&faces, 4);
        let (components, counts) = Components::counted(&faces, 4, &edges);
        assert_eq!(duplicate_count(&faces, 4, &counts, &components), 2);
        assert_eq!((counts.open, counts.non_manifold), (2, 3));
        assert_eq!((components.by_edge, components.by_vertex), (3, 1));
    }

    #[test]
    fn isolated_duplicate_faces_are_found() {
        let faces = [TETRAHEDRON[0], TETRAHEDRON[1], TETRAHEDRON[2], TETRAHEDRON[3], [4, 5, 6], [6, 5, 4]];
        let edges = HalfEdges::of(&faces, 7);
        let (components, counts) = Components::counted(&faces, 7, &edges);
        assert_eq!(counts, edges.counts());
        assert_eq!(duplicate_count(&faces, 7, &counts, &components), 1);
        assert_eq!((components.by_edge, components.by_vertex), (2, 2));
    }
}
