//! Values of some triangles of a surface, each computed once.

/// Place of a triangle without a value so far.
const UNKNOWN: u32 = u32::MAX;

/// Values of some triangles of one surface: most of these are in several pairs.
pub(crate) struct PerTriangle<T> {
    /// Place of each triangle in the list; [`UNKNOWN`] before it is needed.
    places: Vec<u32>,
    list: Vec<T>,
}

impl<T> PerTriangle<T> {
    /// No values yet for a surface of `count` triangles.
    pub(crate) fn new(count: usize) -> Self {
        Self { places: vec![UNKNOWN; count], list: Vec::new() }
    }

    /// Value of a triangle; computed if it is unknown.
    pub(crate) fn of(&mut self, t: u32, value: impl FnOnce() -> T) -> &T {
        let place = &mut self.places[t as usize];
        if *place == UNKNOWN {
            *place = self.list.len() as u32;
            self.list.push(value());
        }
        &self.list[*place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_computed_once() {
        let (mut known, mut count) = (PerTriangle::new(5), 0);
        for t in [3, 0, 3, 4, 0, 3] {
            let value = *known.of(t, || {
                count += 1;
                10 * t
            });
            assert_eq!(value, 10 * t);
        }
        assert_eq!(count, 3);
    }
}
