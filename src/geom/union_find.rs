//! Disjoint sets (union-find) with a parity per member: same or opposite orientation.

/// Disjoint sets of `0..n`; each member has a parity relative to the root of its set. With parity 0 throughout this is
/// the plain structure. `n` must stay below 2³¹.
#[derive(Debug, Clone)]
pub(crate) struct UnionFind {
    /// Parent in the upper 31 bits; parity relative to the parent in the lowest bit.
    link: Vec<u32>,
}

impl UnionFind {
    /// Makes `n` sets of one member each.
    pub(crate) fn new(n: usize) -> Self {
        Self { link: (0..n as u32).map(|i| i << 1).collect() }
    }

    /// Finds the root of the set of `i`, and true if `i` has the opposite orientation to the root.
    #[inline]
    pub(crate) fn find(&mut self, i: u32) -> (u32, bool) {
        let (mut at, mut parity) = (i, 0);
        loop {
            let up = self.link[at as usize];
            let parent = up >> 1;
            if parent == at {
                return (at, parity == 1);
            }
            // Path halving links the member to its grandparent and keeps the parity towards it.
            let over = self.link[parent as usize];
            let skipped = over ^ (up & 1);
            self.link[at as usize] = skipped;
            parity ^= skipped & 1;
            at = skipped >> 1;
        }
    }

    /// Joins the sets of `a` and `b`, with opposite orientations if `opposite`. False if both are in one set already
    /// with the other relative orientation.
    #[inline]
    pub(crate) fn union(&mut self, a: u32, b: u32, opposite: bool) -> bool {
        let ((ra, pa), (rb, pb)) = (self.find(a), self.find(b));
        let parity = pa ^ pb ^ opposite;
        if ra == rb {
            return !parity;
        }
        // The smaller number becomes the root, for a result independent of the order of unions.
        let (root, child) = if ra < rb { (ra, rb) } else { (rb, ra) };
        self.link[child as usize] = (root << 1) | u32::from(parity);
        true
    }

    /// Numbers the sets in order of their smallest member. Returns the set of each member and the number of sets.
    pub(crate) fn label(&mut self) -> (Vec<u32>, u32) {
        let mut label = vec![0; self.link.len()];
        let mut sets = 0;
        for i in 0..self.link.len() {
            let (root, _) = self.find(i as u32);
            if root as usize == i {
                label[i] = sets;
                sets += 1;
            } else {
                label[i] = label[root as usize];
            }
        }
        (label, sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parities_add_along_chains_and_expose_contradictions() {
        let mut sets = UnionFind::new(6);
        assert!(sets.union(4, 5, true) && sets.union(3, 4, true) && sets.union(0, 3, false));
        assert_eq!(sets.find(0), (0, false));
        assert_eq!(sets.find(4), (0, true));
        assert_eq!(sets.find(5), (0, false));
        assert!(sets.union(5, 0, false));
        assert!(!sets.union(5, 0, true));
        assert_eq!(sets.label(), (vec![0, 1, 2, 0, 0, 0], 3));
    }
}
