//! Certified intervals of the gap.

use serde::{Deserialize, Serialize};

/// Certified bounds of the gap of a pair (mm, signed): positive for clearance, minus the depth for overlap. Serialised
/// as the pair `[lower, upper]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct Bounds {
    /// Largest known number below or equal to the gap (mm); negative infinity without a bound.
    pub lower: f64,
    /// Smallest known number above or equal to the gap (mm); infinity without a bound.
    pub upper: f64,
}

impl Bounds {
    /// Bounds of a gap known exactly (mm).
    pub fn exact(gap: f64) -> Self {
        Self { lower: gap, upper: gap }
    }

    /// Converts bounds of the overlap depth (mm, negative for a distance): negates and swaps them.
    pub fn from_depth(lower: f64, upper: f64) -> Self {
        Self { lower: -upper, upper: -lower }
    }

    /// Lower and upper bound of the overlap depth (mm, negative for a distance).
    pub fn to_depth(self) -> [f64; 2] {
        [-self.upper, -self.lower]
    }

    /// Difference of the bounds (mm, >= 0).
    pub fn width(self) -> f64 {
        self.upper - self.lower
    }

    /// Moves both bounds outward by `margin` (mm).
    #[must_use]
    pub fn widened(self, margin: f64) -> Self {
        Self { lower: self.lower - margin, upper: self.upper + margin }
    }

    /// Converts both bounds, for example to another unit.
    #[must_use]
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Self {
        Self { lower: convert(self.lower), upper: convert(self.upper) }
    }
}

impl From<[f64; 2]> for Bounds {
    fn from([lower, upper]: [f64; 2]) -> Self {
        Self { lower, upper }
    }
}

impl From<Bounds> for [f64; 2] {
    fn from(Bounds { lower, upper }: Bounds) -> Self {
        [lower, upper]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_becomes_a_gap_and_comes_back_bit_for_bit() {
        assert_eq!(Bounds::from_depth(0.25, 0.5), Bounds { lower: -0.5, upper: -0.25 });
        for depth in [[0.1, 0.3], [-0.0, 0.0], [0.0, 5e-324], [f64::NEG_INFINITY, f64::INFINITY]] {
            let back = Bounds::from_depth(depth[0], depth[1]).to_depth();
            assert_eq!(back.map(f64::to_bits), depth.map(f64::to_bits), "{depth:?}");
        }
    }

    #[test]
    fn bounds_are_serialised_as_a_pair() {
        let bounds = Bounds { lower: -0.5, upper: 0.25 };
        assert_eq!(serde_json::to_string(&bounds).unwrap(), "[-0.5,0.25]");
        assert_eq!(serde_json::from_str::<Bounds>("[-0.5, 0.25]").unwrap(), bounds);
        assert!(serde_json::from_str::<Bounds>("[-0.5]").is_err());
        assert_eq!(postcard::to_allocvec(&bounds).unwrap(), postcard::to_allocvec(&[-0.5, 0.25]).unwrap());
    }
}
