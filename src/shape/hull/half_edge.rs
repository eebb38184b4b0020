//! Stores the surface of a growing hull: each triangle is three consecutive half-edges in flat arrays, and slots of
//! removed triangles are reused. Half-edge `h` belongs to triangle `h / 3`, leaves vertex `origin[h]` and runs to
//! `origin[next(h)]`.

/// No triangle, no half-edge, no point.
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// Next half-edge after `h` in its triangle.
#[inline]
pub(crate) fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// Closed triangulated surface under construction.
#[derive(Debug, Default)]
pub(crate) struct HalfEdges {
    /// Start vertex of each half-edge; `NO_INDEX` in removed triangles.
    pub(crate) origin: Vec<u32>,
    /// Opposite half-edge in the neighbouring triangle.
    pub(crate) twin: Vec<u32>,
    free: Vec<u32>,
}

impl HalfEdges {
    /// Number of triangle slots, removed ones included.
    pub(crate) fn slots(&self) -> u32 {
        (self.origin.len() / 3) as u32
    }

    /// Corners of a triangle.
    #[inline]
    pub(crate) fn corners(&self, triangle: u32) -> [u32; 3] {
        let h = 3 * triangle as usize;
        [self.origin[h], self.origin[h + 1], self.origin[h + 2]]
    }

    /// Adds an unlinked triangle, in the slot of a removed one if possible.
    #[inline]
    pub(crate) fn add(&mut self, corners: [u32; 3]) -> u32 {
        if let Some(t) = self.free.pop() {
            let h = 3 * t as usize;
            self.origin[h..h + 3].copy_from_slice(&corners);
            t
        } else {
            self.origin.extend_from_slice(&corners);
            self.twin.extend_from_slice(&[NO_INDEX; 3]);
            self.slots() - 1
        }
    }

    /// Frees the slot of a triangle. The caller fills the hole and relinks the neighbours.
    #[inline]
    pub(crate) fn remove(&mut self, triangle: u32) {
        let h = 3 * triangle as usize;
        self.origin[h..h + 3].fill(NO_INDEX);
        self.free.push(triangle);
    }

    /// Links two half-edges as opposites.
    #[inline]
    pub(crate) fn link(&mut self, h: u32, g: u32) {
        self.twin[h as usize] = g;
        self.twin[g as usize] = h;
    }

    /// Remaining triangles, in slot order.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.origin.chunks_exact(3).filter(|c| c[0] != NO_INDEX).map(|c| [c[0], c[1], c[2]])
    }

    /// Opposite of each half-edge of the remaining triangles, numbered in slot order.
    pub(crate) fn twins(&self) -> Vec<u32> {
        let is_used = |t: usize| self.origin[3 * t] != NO_INDEX;
        let mut count = 0;
        let mut number = vec![NO_INDEX; self.slots() as usize];
        for (_, n) in number.iter_mut().enumerate().filter(|(t, _)| is_used(*t)) {
            *n = count;
            count += 1;
        }
        let mut twins = Vec::with_capacity(3 * count as usize);
        for t in (0..number.len()).filter(|t| is_used(*t)) {
            twins.extend(self.twin[3 * t..3 * t + 3].iter().map(|h| 3 * number[*h as usize / 3] + h % 3));
        }
        twins
    }
}

/// Builds neighbour lists in compressed rows for a closed triangulated surface of `vertex_count` vertices: each
/// vertex's neighbours along edges, in the order of the triangles. Cost O(triangles).
pub(crate) fn neighbor_rows(vertex_count: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; vertex_count + 2];
    for t in triangles {
        for &v in t {
            starts[v as usize + 2] += 1;
        }
    }
    for i in 2..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut neighbors = vec![0_u32; 3 * triangles.len()];
    for t in triangles {
        for k in 0..3 {
            // Every edge runs once in each direction, so the half-edges leaving a vertex name each neighbour once.
            let row = &mut starts[t[k] as usize + 1];
            neighbors[*row as usize] = t[(k + 1) % 3];
            *row += 1;
        }
    }
    starts.pop();
    (starts, neighbors)
}
