//! Draws the pair in space: the other parts faint, A and B half transparent, the overlap in front of both.

use crate::assembly::InstanceIx;
use crate::picture::canvas::{BLACK, Canvas, Color, GREY, Rect, WHITE, mixed};
use crate::picture::shade::{CONTEXT, OVERLAP, OVERLAP_EDGE, PARTS, lines, shaded, widened};
use crate::scene::layers::{self, Face};
use crate::scene::{Raster, Scene, View};

/// Samples per pixel in each direction.
pub(crate) const PER_PIXEL: usize = 2;

/// Share of the other parts in the picture, of 256.
const FAINT: u32 = 115;

/// Share of A and B, of 256.
const HALF: u32 = 140;

/// Share of A and B behind other parts in the view of the whole assembly, of 256.
const BEHIND: u32 = 170;

/// Depth step between neighbouring samples of one face, at most (samples).
const LEVEL: f64 = 6.0;

/// Draws the panel. Returns the number of pixels that show the overlap.
pub(crate) fn draw(canvas: &mut Canvas, rect: Rect, scene: &Scene, pair: [InstanceIx; 2], view: &View) -> usize {
    let raster = Raster { view: *view, width: rect.width * PER_PIXEL, height: rect.height * PER_PIXEL };
    let others = scene.visible(view).filter(|i| !pair.contains(i));
    let (context, owner) = layers::nearest(scene, &raster, others);
    let found = layers::of_pair(scene, &raster, pair);
    let mut colors = vec![WHITE; context.len()];
    let mm = 1.0 / raster.scale();
    add(&mut colors, &context, CONTEXT, FAINT);
    mark(&mut colors, &lines(&context, raster.width, mm, |p, q| owner[p] == owner[q]), GREY, 110);
    let [a, b] = [lines(&found.a, raster.width, mm, |_, _| true), lines(&found.b, raster.width, mm, |_, _| true)];
    for (k, color) in colors.iter_mut().enumerate() {
        // The farther of the two first.
        let mut faces = [(&found.a[k], PARTS[0], a[k]), (&found.b[k], PARTS[1], b[k])];
        if found.a[k].z < found.b[k].z {
            faces.swap(0, 1);
        }
        for (face, own, line) in faces.into_iter().filter(|(face, _, _)| face.is_some()) {
            *color = mixed(*color, shaded(own, face), HALF);
            if line {
                *color = mixed(*color, BLACK, 120);
            }
        }
    }
    add(&mut colors, &found.overlap, OVERLAP, 256);
    let edges: Vec<bool> = lines(&found.overlap, raster.width, f64::INFINITY, |_, _| true);
    mark(&mut colors, &widened(&edges, raster.width), OVERLAP_EDGE, 200);
    if pair.iter().any(|i| !scene.shape_of(*i).solid) {
        let line = widened(&crossings(&found.a, &found.b, raster.width, mm), raster.width);
        mark(&mut colors, &line, BLACK, 256);
    }
    canvas.copy_samples(rect, &colors, PER_PIXEL);
    found.overlap.iter().filter(|f| f.is_some()).count() / (PER_PIXEL * PER_PIXEL)
}

/// Draws the whole assembly, small: the pair in its colours in front of all other parts.
pub(crate) fn draw_whole(canvas: &mut Canvas, rect: Rect, scene: &Scene, pair: [InstanceIx; 2], view: &View) {
    let raster = Raster { view: *view, width: rect.width * PER_PIXEL, height: rect.height * PER_PIXEL };
    let others = scene.visible(view).filter(|i| !pair.contains(i));
    let (context, context_owner) = layers::nearest(scene, &raster, others);
    let (faces, owner) = layers::nearest(scene, &raster, pair);
    let mm = 1.0 / raster.scale();
    let mut colors = vec![WHITE; context.len()];
    add(&mut colors, &context, CONTEXT, 200);
    let edges = lines(&context, raster.width, mm, |p, q| context_owner[p] == context_owner[q]);
    mark(&mut colors, &edges, GREY, 90);
    for (k, color) in colors.iter_mut().enumerate().filter(|(k, _)| faces[*k].is_some()) {
        let own = shaded(PARTS[usize::from(owner[k] == pair[1].0)], &faces[k]);
        // A pair behind other parts shines through.
        *color = if faces[k].z <= context[k].z { own } else { mixed(*color, own, BEHIND) };
    }
    canvas.copy_samples(rect, &colors, PER_PIXEL);
}

/// Marks the samples at which the nearest faces of A and B cross.
fn crossings(a: &[Face], b: &[Face], width: usize, mm: f64) -> Vec<bool> {
    let crosses = |p: usize, q: usize| {
        let all = [a[p], b[p], a[q], b[q]].iter().all(Face::is_some);
        let level = |f: &[Face]| (f[p].z - f[q].z).abs() < LEVEL * mm;
        all && level(a) && level(b) && (a[p].z < b[p].z) != (a[q].z < b[q].z)
    };
    let inside = |k: usize, step: usize| k + step < a.len() && (step > 1 || k % width + 1 < width);
    (0..a.len()).map(|k| [1, width].into_iter().any(|step| inside(k, step) && crosses(k, k + step))).collect()
}

fn add(colors: &mut [Color], faces: &[Face], color: Color, alpha: u32) {
    for (under, face) in colors.iter_mut().zip(faces).filter(|(_, face)| face.is_some()) {
        *under = mixed(*under, shaded(color, face), alpha);
    }
}

fn mark(colors: &mut [Color], marks: &[bool], color: Color, alpha: u32) {
    for (under, _) in colors.iter_mut().zip(marks).filter(|(_, m)| **m) {
        *under = mixed(*under, color, alpha);
    }
}
