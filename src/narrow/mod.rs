//! Floor 3: pairs of shapes.
