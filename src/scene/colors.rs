//! Holds the colours of pictures and models (sRGB, 0 to 255).

/// Red, green and blue.
pub type Color = [u8; 3];

/// Colours of A and B.
pub const PARTS: [Color; 2] = [[66, 120, 206], [236, 165, 38]];

/// Colours of outlines of A and B, and of the arrow of a moving part.
pub const OUTLINES: [Color; 2] = [[20, 52, 116], [128, 74, 0]];

/// Colour of the overlap.
pub const OVERLAP: Color = [218, 14, 32];

/// Colour of the other parts.
pub const CONTEXT: Color = [206, 210, 217];
