//! Encodes a picture as PNG, with a text chunk that states the scale of each panel.

use crate::picture::canvas::Canvas;
use crate::picture::{Caption, Panel};
use serde_json::{Value, json};

/// Keyword of the text chunk.
pub(crate) const KEYWORD: &str = "interfere";

/// Encodes the picture. The chunk `interfere` lets programs measure in it: for each panel its rectangle (pixels), the
/// centre (mm) and the directions of its view, and the millimetres per pixel.
pub(crate) fn png(canvas: &Canvas, caption: &Caption, panels: &[Panel]) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to a Vec cannot fail, and the header is valid by construction.
    let _ = write(canvas, &chunk(caption, panels), &mut bytes);
    bytes
}

fn write(canvas: &Canvas, text: &str, bytes: &mut Vec<u8>) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(bytes, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.add_itxt_chunk(KEYWORD.to_owned(), text.to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(canvas.pixels.as_flattened())?;
    writer.finish()
}

fn chunk(caption: &Caption, panels: &[Panel]) -> String {
    let panel = |p: &Panel| -> Value {
        let vector = |v: &crate::geom::Vec3| [v.x, v.y, v.z];
        json!({
            "name": p.name,
            "x": p.rect.x, "y": p.rect.y, "width": p.rect.width, "height": p.rect.height,
            "centre": vector(&p.view.centre), "right": vector(&p.view.right), "up": vector(&p.view.up),
            "mm_per_pixel": 1.0 / p.scale(),
        })
    };
    let panels: Vec<Value> = panels.iter().map(panel).collect();
    json!({ "version": 1, "id": caption.id, "panels": panels }).to_string()
}
