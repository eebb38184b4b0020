//! Floor 3: candidate pairs from boxes.
