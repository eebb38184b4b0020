//! A picture in RGB with lines, arrows and text. Drawing uses +, −, ×, ÷ and √ only, so that the bytes are the same on
//! every machine.

pub(crate) use crate::scene::colors::Color;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

pub(crate) const WHITE: Color = [255, 255, 255];
pub(crate) const BLACK: Color = [24, 28, 36];
pub(crate) const GREY: Color = [120, 126, 136];

/// Height of a line of text (pixels).
pub(crate) const LINE: usize = 18;

/// Stands for a character without a drawn letter.
const MISSING: char = '?';

/// Rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rect {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

/// A picture, row by row.
pub(crate) struct Canvas {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Color>,
}

/// Mixes a colour into another one; `alpha` from 0 (none) to 256 (all).
pub(crate) fn mixed(under: Color, over: Color, alpha: u32) -> Color {
    [0, 1, 2].map(|k| ((u32::from(under[k]) * (256 - alpha) + u32::from(over[k]) * alpha + 128) >> 8) as u8)
}

/// Width of a text (pixels).
pub(crate) fn text_width(text: &str, bold: bool) -> usize {
    text.chars().count() * get_raster_width(weight(bold), RasterHeight::Size16)
}

fn weight(bold: bool) -> FontWeight {
    if bold { FontWeight::Bold } else { FontWeight::Regular }
}

impl Canvas {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![WHITE; width * height] }
    }

    fn blend(&mut self, x: i64, y: i64, color: Color, alpha: u32) {
        if x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            *pixel = mixed(*pixel, color, alpha);
        }
    }

    /// Copies samples, `per_pixel` × `per_pixel` of them averaged to a pixel.
    pub(crate) fn copy_samples(&mut self, rect: Rect, samples: &[Color], per_pixel: usize) {
        let row = rect.width * per_pixel;
        let n = (per_pixel * per_pixel) as u32;
        for y in 0..rect.height {
            for x in 0..rect.width {
                let mut sum = [n / 2; 3];
                for k in 0..per_pixel * per_pixel {
                    let at = (y * per_pixel + k / per_pixel) * row + x * per_pixel + k % per_pixel;
                    (0..3).for_each(|c| sum[c] += u32::from(samples[at][c]));
                }
                self.pixels[(rect.y + y) * self.width + rect.x + x] = sum.map(|s| (s / n) as u8);
            }
        }
    }

    /// Fills a rectangle; `alpha` from 0 to 256.
    pub(crate) fn fill(&mut self, rect: Rect, color: Color, alpha: u32) {
        for y in rect.y..rect.y + rect.height {
            for x in rect.x..rect.x + rect.width {
                self.blend(x as i64, y as i64, color, alpha);
            }
        }
    }

    /// Draws the outline of a rectangle, one pixel wide.
    pub(crate) fn outline(&mut self, rect: Rect, color: Color) {
        let Rect { x, y, width, height } = rect;
        self.fill(Rect { height: 1, ..rect }, color, 256);
        self.fill(Rect { width: 1, ..rect }, color, 256);
        self.fill(Rect { y: y + height - 1, height: 1, ..rect }, color, 256);
        self.fill(Rect { x: x + width - 1, width: 1, ..rect }, color, 256);
    }

    /// Draws a line inside a rectangle.
    pub(crate) fn line(&mut self, rect: Rect, from: [f64; 2], to: [f64; 2], width: f64, color: Color) {
        let d = [to[0] - from[0], to[1] - from[1]];
        let squared = d[0] * d[0] + d[1] * d[1];
        let distance = |x: f64, y: f64| {
            let p = [x - from[0], y - from[1]];
            let t = if squared > 0.0 { ((p[0] * d[0] + p[1] * d[1]) / squared).clamp(0.0, 1.0) } else { 0.0 };
            let (dx, dy) = (p[0] - t * d[0], p[1] - t * d[1]);
            libm::sqrt(dx * dx + dy * dy)
        };
        let reach = 0.5 * width + 1.0;
        let low = [from[0].min(to[0]) - reach, from[1].min(to[1]) - reach];
        let high = [from[0].max(to[0]) + reach, from[1].max(to[1]) + reach];
        self.paint(rect, low, high, color, |x, y| 0.5 * width + 0.5 - distance(x, y));
    }

    /// Draws a ring inside a rectangle.
    pub(crate) fn ring(&mut self, rect: Rect, centre: [f64; 2], radius: f64, width: f64, color: Color) {
        let reach = radius + width;
        let low = [centre[0] - reach, centre[1] - reach];
        let high = [centre[0] + reach, centre[1] + reach];
        self.paint(rect, low, high, color, |x, y| {
            let (dx, dy) = (x - centre[0], y - centre[1]);
            0.5 * width + 0.5 - (libm::sqrt(dx * dx + dy * dy) - radius).abs()
        });
    }

    /// Mixes a colour into the pixels between two corners, with the share that `share` gives for a pixel's middle.
    fn paint(&mut self, rect: Rect, low: [f64; 2], high: [f64; 2], color: Color, share: impl Fn(f64, f64) -> f64) {
        let clamp = |v: f64, from: usize, size: usize| libm::floor(v.clamp(from as f64, (from + size) as f64)) as usize;
        let (x0, x1) = (clamp(low[0], rect.x, rect.width), clamp(high[0] + 1.0, rect.x, rect.width));
        let (y0, y1) = (clamp(low[1], rect.y, rect.height), clamp(high[1] + 1.0, rect.y, rect.height));
        for y in y0..y1 {
            for x in x0..x1 {
                let alpha = libm::round(share(x as f64 + 0.5, y as f64 + 0.5).clamp(0.0, 1.0) * 256.0) as u32;
                self.blend(x as i64, y as i64, color, alpha);
            }
        }
    }

    /// Draws an arrow inside a rectangle; its head is at `to`.
    pub(crate) fn arrow(&mut self, rect: Rect, from: [f64; 2], to: [f64; 2], color: Color) {
        // A white rim keeps the arrow visible on every colour.
        for (width, color) in [(5.0, WHITE), (2.5, color)] {
            self.line(rect, from, to, width, color);
            self.head(rect, from, to, width, color);
        }
    }

    /// Draws the head of an arrow.
    fn head(&mut self, rect: Rect, from: [f64; 2], to: [f64; 2], width: f64, color: Color) {
        let d = [to[0] - from[0], to[1] - from[1]];
        let length = libm::sqrt(d[0] * d[0] + d[1] * d[1]);
        if length <= 0.0 {
            return;
        }
        let d = [d[0] / length * 9.0, d[1] / length * 9.0];
        for side in [-0.45, 0.45] {
            let back = [to[0] - d[0] + side * d[1], to[1] - d[1] - side * d[0]];
            self.line(rect, to, back, width, color);
        }
    }

    /// Writes a text; `x`, `y` is the top left corner. Returns the right end.
    pub(crate) fn text(&mut self, x: usize, y: usize, text: &str, color: Color, bold: bool) -> usize {
        let width = get_raster_width(weight(bold), RasterHeight::Size16);
        let mut at = x;
        for c in text.chars() {
            let letter = |c: char| get_raster(c, weight(bold), RasterHeight::Size16);
            if let Some(letter) = letter(c).or_else(|| letter(MISSING)) {
                for (dy, row) in letter.rows().enumerate() {
                    for (dx, value) in row.iter().enumerate() {
                        let alpha = u32::from(*value) + u32::from(*value >> 7);
                        self.blend((at + dx) as i64, (y + dy) as i64, color, alpha);
                    }
                }
            }
            at += width;
        }
        at
    }

    /// Writes a text on a white plate, moved into the rectangle.
    pub(crate) fn label(&mut self, rect: Rect, at: [f64; 2], text: &str, color: Color) {
        let width = text_width(text, false);
        let place = |v: f64, from: usize, size: usize, own: usize| {
            let most = (from + size).saturating_sub(own + 2).max(from);
            libm::floor(v.clamp(from as f64, most as f64)) as usize
        };
        let x = place(at[0], rect.x, rect.width, width);
        let y = place(at[1], rect.y, rect.height, LINE);
        self.fill(Rect { x, y, width: width.min(rect.width), height: LINE }, WHITE, 208);
        self.text(x, y + 1, text, color, false);
    }
}
