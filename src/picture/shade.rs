//! Colours of the parts, their shading, and the lines between faces.

use crate::scene::colors::Color;
pub(crate) use crate::scene::colors::{CONTEXT, OUTLINES, OVERLAP, PARTS};
use crate::scene::layers::Face;

/// Colours of the names of A and B, dark enough to read on white.
pub(crate) const NAMES: [Color; 2] = [[28, 78, 160], [158, 96, 0]];

/// Colour of the outline of the overlap.
pub(crate) const OVERLAP_EDGE: Color = [122, 0, 14];

/// Direction to the light in view coordinates, in steps of 1/127: from the upper left, behind the viewer.
const LIGHT: [i32; 3] = [-48, 60, -101];

/// Square of 127 times the cosine of 30°: faces that meet at a larger angle have a line between them.
const FLAT: i32 = 13_968;

/// Depth step that draws a line, in samples.
const STEP: f64 = 6.0;

/// Colour of a face with its shading.
pub(crate) fn shaded(color: Color, face: &Face) -> Color {
    let towards: i32 = (0..3).map(|k| i32::from(face.normal[k]) * LIGHT[k]).sum();
    // From 150/256 in the shade to 256/256 in the light.
    let light = 150 + (towards.max(0) * 106 / (127 * 127)).min(106);
    color.map(|c| ((i32::from(c) * light) >> 8) as u8)
}

/// True for each sample on a line: where a face ends, turns by more than 30°, or steps back.
///
/// Method: discontinuities of the sample buffers (Saito and Takahashi, "Comprehensible Rendering of 3-D Shapes", 1990,
/// §4). `same` compares the owners of two samples; `mm` is the size of a sample.
pub(crate) fn lines(faces: &[Face], width: usize, mm: f64, same: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut marks = vec![false; faces.len()];
    let height = faces.len() / width.max(1);
    let differ = |p: usize, q: usize| {
        let (a, b) = (&faces[p], &faces[q]);
        if a.is_some() != b.is_some() {
            return true;
        }
        let dot: i32 = (0..3).map(|k| i32::from(a.normal[k]) * i32::from(b.normal[k])).sum();
        a.is_some() && (!same(p, q) || dot < FLAT)
    };
    let steps = |p: usize, q: usize, r: usize| {
        let all = faces[p].is_some() && faces[q].is_some() && faces[r].is_some();
        all && (faces[p].z - 2.0 * faces[q].z + faces[r].z).abs() > STEP * mm
    };
    for y in 0..height {
        for x in 0..width {
            let k = y * width + x;
            let right = x + 1 < width && (differ(k, k + 1) || x > 0 && steps(k - 1, k, k + 1));
            let below = y + 1 < height && (differ(k, k + width) || y > 0 && steps(k - width, k, k + width));
            marks[k] = right || below;
        }
    }
    marks
}

/// Widens marks by one sample on each side.
pub(crate) fn widened(marks: &[bool], width: usize) -> Vec<bool> {
    let mut wide = marks.to_vec();
    for (k, _) in marks.iter().enumerate().filter(|(_, m)| **m) {
        let x = k % width;
        for (inside, at) in [
            (x > 0, k.wrapping_sub(1)),
            (x + 1 < width, k + 1),
            (k >= width, k.wrapping_sub(width)),
            (k + width < marks.len(), k + width),
        ] {
            if inside {
                wide[at] = true;
            }
        }
    }
    wide
}
