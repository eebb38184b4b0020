//! Caches splits of placements: most instances share their linear part with an earlier instance.

use crate::geom::pose::PlacementSplit;
use crate::geom::{Affine, Mat3, Vec3};

/// Number of slots; a new linear part replaces the older one in its slot.
const SLOTS: usize = 1024;

/// Splits placements, with a cache of recent linear parts.
pub(crate) struct Splitter {
    seen: Vec<Option<(Mat3, Option<PlacementSplit>)>>,
}

impl Splitter {
    pub(crate) fn new() -> Self {
        Self { seen: vec![None; SLOTS] }
    }

    /// Splits a placement, equal to [`Affine::split`] bit for bit.
    pub(crate) fn split(&mut self, placement: &Affine) -> Option<PlacementSplit> {
        let seen = &mut self.seen[slot(&placement.linear)];
        let split = match seen {
            Some((linear, split)) if same_bits(linear, &placement.linear) => *split,
            _ => {
                let split = Affine { linear: placement.linear, translation: Vec3::zeros() }.split();
                *seen = Some((placement.linear, split));
                split
            }
        };
        split.map(|mut split| {
            split.pose.translation = placement.translation;
            split
        })
    }
}

fn same_bits(a: &Mat3, b: &Mat3) -> bool {
    a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// Slot of a linear part, by a hash; the split itself is independent of the slot.
fn slot(linear: &Mat3) -> usize {
    let hash = linear.iter().fold(0, |h: u64, e| (h ^ e.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    hash as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::math::sin_cos_deg;

    #[test]
    fn cached_value_equals_computed_value() {
        let mut splitter = Splitter::new();
        for k in 0..6000_i32 {
            let (s, c) = sin_cos_deg(f64::from(k % 2500) * 0.1);
            let size = if k % 7 == 0 { -1.5 } else { 1.0 };
            let mut linear = Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, size);
            if k % 11 == 0 {
                // Singular; zeros of either sign are different keys.
                linear.fill_column(2, if k % 2 == 0 { 0.0 } else { -0.0 });
            }
            let placement = Affine { linear, translation: Vec3::new(f64::from(k), 0.0, -0.0) };
            let (one, other) = (splitter.split(&placement), placement.split());
            assert_eq!(format!("{one:?}"), format!("{other:?}"));
        }
    }
}
