//! Draws the section: the solids hatched as in drawings (ISO 128-3), the overlap in red.

use crate::assembly::InstanceIx;
use crate::picture::canvas::{Canvas, Color, GREY, Rect, WHITE, mixed};
use crate::picture::shade::{CONTEXT, OUTLINES, OVERLAP, OVERLAP_EDGE, PARTS, widened};
use crate::picture::space::PER_PIXEL;
use crate::scene::{Raster, Scene, View, cut};

/// Distance of two hatch lines along a row (pixels).
const HATCH: usize = 9;

/// Solids of a sample, as bits.
const A: u8 = 1;
const B: u8 = 2;
const OTHER: u8 = 4;

/// A drawn section.
pub(crate) struct Section {
    /// Solids of each sample.
    solids: Vec<u8>,
    width: usize,
}

impl Section {
    /// Draws the panel.
    pub(crate) fn draw(canvas: &mut Canvas, rect: Rect, scene: &Scene, pair: [InstanceIx; 2], view: &View) -> Self {
        let raster = Raster { view: *view, width: rect.width * PER_PIXEL, height: rect.height * PER_PIXEL };
        let solid = |i: &InstanceIx| scene.shape_of(*i).solid;
        let others = scene.visible(view).filter(|i| !pair.contains(i)).filter(solid);
        let mut solids = vec![0_u8; raster.width * raster.height];
        let mut enter = |windings: Vec<i16>, bit: u8| {
            solids.iter_mut().zip(windings).filter(|(_, w)| *w > 0).for_each(|(s, _)| *s |= bit);
        };
        enter(cut::windings(scene, &raster, others), OTHER);
        for (i, bit) in pair.into_iter().zip([A, B]).filter(|(i, _)| solid(i)) {
            enter(cut::windings(scene, &raster, [i]), bit);
        }
        let mut colors: Vec<Color> = (0..solids.len()).map(|k| hatched(solids[k], k, raster.width)).collect();
        outline(&mut colors, &solids, raster.width);
        for (i, color) in pair.into_iter().zip(OUTLINES).filter(|(i, _)| !solid(i)) {
            let marks = widened(&cut::lines(scene, &raster, i), raster.width);
            colors.iter_mut().zip(marks).filter(|(_, m)| *m).for_each(|(c, _)| *c = color);
        }
        canvas.copy_samples(rect, &colors, PER_PIXEL);
        Self { solids, width: raster.width }
    }

    /// Number of samples of the overlap in a quarter of the panel: left or right, top or bottom.
    pub(crate) fn red_in(&self, right: bool, bottom: bool) -> usize {
        let height = self.solids.len() / self.width;
        let inside = |k: usize| (k % self.width >= self.width / 2) == right && (k / self.width >= height / 2) == bottom;
        self.solids.iter().enumerate().filter(|(k, s)| **s & (A | B) == A | B && inside(*k)).count()
    }
}

/// Colour of a sample: red for the overlap, else the colour of its part with hatching.
fn hatched(solids: u8, sample: usize, width: usize) -> Color {
    let (x, y) = (sample % width / PER_PIXEL, sample / width / PER_PIXEL);
    let up = (x + y) % HATCH < 2;
    let down = (x + (HATCH - 1) * y) % HATCH < 2;
    match solids & (A | B) {
        0 if solids & OTHER != 0 => mixed(CONTEXT, GREY, if up { 60 } else { 0 }),
        0 => WHITE,
        A => mixed(PARTS[0], WHITE, if up { 20 } else { 90 }),
        B => mixed(PARTS[1], WHITE, if down { 10 } else { 80 }),
        _ => OVERLAP,
    }
}

/// Draws the outline of each solid in its own colour, so that a part inside another one stays visible.
fn outline(colors: &mut [Color], solids: &[u8], width: usize) {
    let changes = |bits: u8| -> Vec<bool> {
        (0..solids.len())
            .map(|k| {
                let differs = |q: usize| (solids[k] ^ solids[q]) & bits != 0;
                (k % width + 1 < width && differs(k + 1)) || (k + width < solids.len() && differs(k + width))
            })
            .collect()
    };
    for (bits, color) in [(OTHER, GREY), (B, OUTLINES[1]), (A, OUTLINES[0])] {
        for (k, _) in widened(&changes(bits), width).into_iter().enumerate().filter(|(_, m)| *m) {
            colors[k] = if bits != OTHER && solids[k] & (A | B) == A | B { OVERLAP_EDGE } else { color };
        }
    }
}
