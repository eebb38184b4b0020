//! Half-edges of a mesh for the facets: of all edges at once, or of some edges at a time.

use crate::mesh::TriMesh;
use crate::mesh::topology::HalfEdges;
use crate::parallel;
use std::ops::Range;

/// Number of ranges of vertices whose half-edges [`EdgeSource::InTurns`] builds in turn.
const TURNS: usize = 4;

/// Number of these ranges that exist at once, if threads are free.
const AT_ONCE: usize = 2;

/// Source of the half-edges of a mesh.
#[derive(Clone, Copy)]
pub(crate) enum EdgeSource<'h> {
    /// The half-edges of all edges.
    Whole(&'h HalfEdges),
    /// Builds the half-edges of some edges at a time, in each pass anew: at most half of the memory.
    InTurns,
}

impl EdgeSource<'_> {
    /// Calls `work` for ranges of vertices that cover the mesh, with half-edges that contain all edges with their
    /// smaller end in the range. Returns the results in the order of the ranges.
    pub(crate) fn map_ranges<T: Send>(
        self,
        mesh: &TriMesh,
        threads: usize,
        work: impl Fn(&HalfEdges, Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let count = mesh.vertices.len();
        let over = |half_edges: &HalfEdges, ends: Range<usize>, threads: usize| {
            parallel::map_ranges(threads, ends.len(), parallel::LEAST_SHARE, |range| {
                work(half_edges, ends.start + range.start..ends.start + range.end)
            })
        };
        match self {
            Self::Whole(half_edges) => over(half_edges, 0..count, threads),
            Self::InTurns => {
                // Each turn reads all triangles, most of it on one thread.
                let threads_of_turn = threads.div_ceil(AT_ONCE);
                let turn = |k: usize| {
                    let ends = k * count / TURNS..(k + 1) * count / TURNS;
                    let of_ends = HalfEdges::with_smaller_ends(&mesh.triangles, count, threads_of_turn, &ends);
                    over(&of_ends, ends, threads_of_turn)
                };
                let turns = parallel::map_ranges(threads.min(AT_ONCE), TURNS, 1, |turns| {
                    turns.flat_map(turn).collect::<Vec<_>>()
                });
                turns.into_iter().flatten().collect()
            }
        }
    }
}
