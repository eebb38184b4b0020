//! Which faces meet at which edge.

use crate::geom::union_find::UnionFind;

/// The half-edges of a mesh, grouped by edge. A counting sort by the smaller end makes buckets of about six, which are
/// sorted by the larger end: linear time. Faces with two equal corners have no half-edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HalfEdges {
    /// `uses[starts[v]..starts[v + 1]]` belong to the edges whose smaller end is `v`.
    starts: Vec<u32>,
    uses: Vec<HalfEdge>,
}

/// One face's use of an edge: larger end in the upper half; below it the face, and in the lowest bit whether the face
/// runs from the larger to the smaller end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge(u64);

impl HalfEdge {
    fn new(hi: u32, face: u32, reversed: bool) -> Self {
        Self((u64::from(hi) << 32) | (u64::from(face) << 1) | u64::from(reversed))
    }

    fn hi(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The face.
    pub(crate) fn face(self) -> u32 {
        (self.0 as u32) >> 1
    }

    /// Whether the face runs from the edge's larger end to its smaller one.
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
    /// At least one.
    pub uses: &'a [HalfEdge],
}

impl Edge<'_> {
    /// Uses from the smaller to the larger end minus those the other way: 0 where each use has its reverse.
    pub(crate) fn net(&self) -> i64 {
        self.uses.iter().map(|u| if u.reversed() { -1 } else { 1 }).sum()
    }
}

/// How the edges of a mesh are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// Used by one face.
    pub open: u64,
    /// Used by more than two faces.
    pub non_manifold: u64,
    /// Used by two faces in one direction.
    pub misoriented: u64,
    /// Whose uses in one direction do not outnumber nor fall short of those in the other: 0 of a closed mesh. Counts
    /// the edges where they do.
    pub unbalanced: u64,
    /// Used by an odd number of faces: no orientation of the faces balances these.
    pub odd: u64,
}

impl HalfEdges {
    /// The half-edges of triangles over `vertex_count` vertices.
    pub(crate) fn of(triangles: &[[u32; 3]], vertex_count: usize) -> Self {
        let mut starts = vec![0u32; vertex_count + 1];
        for t in triangles.iter().filter(|t| !is_collapsed(t)) {
            for (a, b) in sides(t) {
                starts[a.min(b) as usize] += 1;
            }
        }
        let mut sum = 0;
        for s in &mut starts {
            sum += *s;
            *s = sum;
        }
        // Filled from the back of each bucket, which leaves its start behind.
        let mut uses = vec![HalfEdge(0); sum as usize];
        for (face, t) in triangles.iter().enumerate().rev().filter(|(_, t)| !is_collapsed(t)) {
            for (a, b) in sides(t) {
                let (lo, hi) = if a < b { (a, b) } else { (b, a) };
                let slot = &mut starts[lo as usize];
                *slot -= 1;
                uses[*slot as usize] = HalfEdge::new(hi, face as u32, a > b);
            }
        }
        for v in 0..vertex_count {
            uses[starts[v] as usize..starts[v + 1] as usize].sort_unstable();
        }
        Self { starts, uses }
    }

    /// Whether there is no edge: no face, or only faces with two equal corners.
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// Every edge, in order of its ends.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge<'_>> {
        (0..self.starts.len() - 1).flat_map(|v| {
            let bucket = &self.uses[self.starts[v] as usize..self.starts[v + 1] as usize];
            bucket.chunk_by(|a, b| a.hi() == b.hi()).map(move |uses| Edge { lo: v as u32, hi: uses[0].hi(), uses })
        })
    }

    /// Counts of every kind of edge.
    pub(crate) fn counts(&self) -> EdgeCounts {
        let mut counts = EdgeCounts::default();
        for edge in self.edges() {
            let n = edge.uses.len();
            // The common case first: two faces, one each way.
            if n == 2 && edge.uses[0].reversed() != edge.uses[1].reversed() {
                continue;
            }
            counts.open += u64::from(n == 1);
            counts.non_manifold += u64::from(n > 2);
            counts.misoriented += u64::from(n == 2);
            counts.unbalanced += u64::from(edge.net() != 0);
            counts.odd += u64::from(n % 2 == 1);
        }
        counts
    }

    /// Brings the uses up to date after the faces of `flipped` were turned over.
    pub(crate) fn flip(&mut self, flipped: &[bool]) {
        for u in &mut self.uses {
            u.0 ^= u64::from(flipped[u.face() as usize]);
        }
    }
}

/// Connected sets of faces.
#[derive(Debug)]
pub(crate) struct Components {
    /// The set of each face: connected over edges, whatever their number of faces. A face with two equal corners is a set
    /// of its own.
    pub of_face: Vec<u32>,
    /// How many sets there are.
    pub by_edge: u32,
    /// How many there are when faces that share a vertex count as connected.
    pub by_vertex: u32,
}

impl Components {
    /// The connected sets of a mesh.
    pub(crate) fn of(triangles: &[[u32; 3]], vertex_count: usize, edges: &HalfEdges) -> Self {
        let mut sets = UnionFind::new(triangles.len());
        for e in edges.edges() {
            for u in &e.uses[1..] {
                sets.union(e.uses[0].face(), u.face(), false);
            }
        }
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

    /// Whether some set has at most two faces.
    fn has_tiny(&self) -> bool {
        let mut sizes = vec![0u32; self.by_edge as usize];
        for &set in &self.of_face {
            sizes[set as usize] += 1;
        }
        sizes.iter().any(|&s| s <= 2)
    }
}

/// Whether a face has two equal corners.
#[inline]
pub(crate) fn is_collapsed(t: &[u32; 3]) -> bool {
    t[0] == t[1] || t[1] == t[2] || t[2] == t[0]
}

/// The three directed sides of a face.
#[inline]
fn sides(t: &[u32; 3]) -> [(u32, u32); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

/// How many faces have the corners of an earlier one, in whatever order. Faces with two equal corners do not
/// count.
pub(crate) fn duplicate_count(
    triangles: &[[u32; 3]],
    vertex_count: usize,
    counts: &EdgeCounts,
    components: &Components,
) -> u64 {
    // Two faces of the same corners share three edges. Unless a third face does so too, nothing else is connected to
    // them.
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
        assert_eq!(Components::of(&TETRAHEDRON, 4, &edges).by_edge, 1);
    }

    #[test]
    fn a_missing_face_leaves_three_open_edges_and_a_turned_one_three_misoriented() {
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
    fn duplicates_count_in_any_corner_order_and_collapsed_faces_have_no_edges() {
        let faces = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 2, 3], [0, 0, 1], [0, 1, 0]];
        let edges = HalfEdges::of(&faces, 4);
        let (counts, components) = (edges.counts(), Components::of(&faces, 4, &edges));
        assert_eq!(duplicate_count(&faces, 4, &counts, &components), 2);
        assert_eq!((counts.open, counts.non_manifold), (2, 3));
        assert_eq!((components.by_edge, components.by_vertex), (3, 1));
    }

    #[test]
    fn a_pair_of_equal_faces_apart_from_the_rest_is_found() {
        let faces = [TETRAHEDRON[0], TETRAHEDRON[1], TETRAHEDRON[2], TETRAHEDRON[3], [4, 5, 6], [6, 5, 4]];
        let edges = HalfEdges::of(&faces, 7);
        let components = Components::of(&faces, 7, &edges);
        assert_eq!(duplicate_count(&faces, 7, &edges.counts(), &components), 1);
        assert_eq!((components.by_edge, components.by_vertex), (2, 2));
    }
}
