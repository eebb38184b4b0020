//! Serialises numbers that may be infinite: JSON has no infinity.

use crate::geom::Bounds;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number; infinity and NaN are written as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Finite(f64),
    Infinite(String),
}

impl Serialize for NumberOrText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Finite(x) => serializer.serialize_f64(*x),
            Self::Infinite(text) => serializer.serialize_str(text),
        }
    }
}

impl NumberOrText {
    fn of(x: f64) -> Self {
        if x.is_finite() { Self::Finite(x) } else { Self::Infinite(x.to_string()) }
    }

    fn number(self) -> Option<f64> {
        match self {
            Self::Finite(x) => Some(x),
            Self::Infinite(text) => match text.as_str() {
                "inf" => Some(f64::INFINITY),
                "-inf" => Some(f64::NEG_INFINITY),
                "NaN" => Some(f64::NAN),
                _ => None,
            },
        }
    }
}

/// Serde functions for `Option<Bounds>`, with possibly infinite ends: `#[serde(with =
/// "crate::geom::serde_infinity::bounds")]`.
pub mod bounds {
    use super::{Bounds, Deserialize, Deserializer, Error, NumberOrText, Serialize, Serializer};

    /// Writes two numbers; infinite ones as `"inf"` and `"-inf"`.
    ///
    /// # Errors
    /// Returns the serializer's error.
    pub fn serialize<S: Serializer>(bounds: &Option<Bounds>, serializer: S) -> Result<S::Ok, S::Error> {
        bounds.map(|b| <[f64; 2]>::from(b).map(NumberOrText::of)).serialize(serializer)
    }

    /// Reads the output of [`serialize`].
    ///
    /// # Errors
    /// Refuses everything but `null` or two elements, each a number, `"inf"`, `"-inf"` or `"NaN"`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Bounds>, D::Error> {
        let Some([low, high]) = Option::<[NumberOrText; 2]>::deserialize(deserializer)? else { return Ok(None) };
        match (low.number(), high.number()) {
            (Some(lower), Some(upper)) => Ok(Some(Bounds { lower, upper })),
            _ => Err(D::Error::custom("neither a number nor infinity")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, bounds};

    #[test]
    fn every_bit_of_a_bound_comes_back() {
        for pair in [[f64::NEG_INFINITY, f64::INFINITY], [-0.0, 5e-324], [0.1 + 0.2, f64::MAX], [-1.0 / 3.0, 1e300]] {
            let mut text = Vec::new();
            bounds::serialize(&Some(Bounds::from(pair)), &mut serde_json::Serializer::new(&mut text)).unwrap();
            let back = bounds::deserialize(&mut serde_json::Deserializer::from_slice(&text)).unwrap();
            assert_eq!(back.map(|b| <[f64; 2]>::from(b).map(f64::to_bits)), Some(pair.map(f64::to_bits)), "{pair:?}");
        }
    }

    #[test]
    fn non_numbers_are_refused() {
        for text in ["[0, \"much\"]", "[0]", "[0, null]", "[0, 1, 2]", "3"] {
            assert!(bounds::deserialize(&mut serde_json::Deserializer::from_str(text)).is_err(), "{text}");
        }
        assert_eq!(bounds::deserialize(&mut serde_json::Deserializer::from_str("null")).unwrap(), None);
    }
}
