//! Finds the edges where a surface ends or flips its orientation.

/// Boundary edge: triangles run from `from` to `to` `net` times more often than back (`net` is not 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BoundaryEdge {
    pub from: u32,
    pub to: u32,
    pub net: i32,
}

/// Computes the boundary of the triangles as a chain, in the order of its vertices; empty for a closed surface.
pub(crate) fn boundary_edges<'t>(triangles: impl IntoIterator<Item = &'t [u32; 3]>) -> Vec<BoundaryEdge> {
    let mut uses: Vec<(u32, u32, bool)> = triangles
        .into_iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(p, q)| (p.min(q), p.max(q), p > q))
        .collect();
    uses.sort_unstable();
    let edges = uses.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1));
    edges
        .map(|uses| {
            let net = uses.iter().map(|u| if u.2 { -1 } else { 1 }).sum();
            BoundaryEdge { from: uses[0].0, to: uses[0].1, net }
        })
        .filter(|e| e.net != 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundary_is_the_sum_of_uncancelled_edges() {
        assert_eq!(boundary_edges(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]), []);
        let open = boundary_edges(&[[0, 2, 1], [0, 1, 3], [1, 2, 3]]);
        let edges = [(0, 2, 1), (0, 3, -1), (2, 3, 1)].map(|(from, to, net)| BoundaryEdge { from, to, net });
        assert_eq!(open, edges);
        // Two triangles running along an edge in the same direction.
        assert!(boundary_edges(&[[0, 1, 2], [0, 1, 3]]).contains(&BoundaryEdge { from: 0, to: 1, net: 2 }));
    }
}
