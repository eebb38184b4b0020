//! Rows of numbers in one list: the triangles of each facet, or those around each vertex.

/// Rows of numbers, one behind the other.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Row `r` has `items[starts[r]..starts[r + 1]]`.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Sorts items into `count` rows by counting. Each entry is a row and an item; a row keeps the order of its items.
    /// O(n).
    pub(crate) fn of(count: usize, entries: impl DoubleEndedIterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (row, _) in entries.clone() {
            starts[row as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        // Filling from the back leaves the start of each row in `starts`.
        let mut items = vec![0_u32; sum as usize];
        for (row, item) in entries.rev() {
            let place = &mut starts[row as usize];
            *place -= 1;
            items[*place as usize] = item;
        }
        Self { starts, items }
    }

    /// Items of a row.
    #[inline]
    pub(crate) fn row(&self, r: usize) -> &[u32] {
        &self.items[self.starts[r] as usize..self.starts[r + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_order_of_their_items() {
        let entries = [(3, 7), (0, 5), (3, 2), (3, 9), (1, 5)];
        let rows = Rows::of(5, entries.into_iter());
        let wanted: [&[u32]; 5] = [&[5], &[5], &[], &[7, 2, 9], &[]];
        assert_eq!([0, 1, 2, 3, 4].map(|r| rows.row(r)), wanted);
    }
}
