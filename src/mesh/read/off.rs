//! Reads OFF as text: vertices and faces. Skips colours, normals, texture coordinates and comments.
//!
//! The first word tells what follows the coordinates of a vertex: `OFF`, `COFF`, `NOFF`, `STOFF` (Geomview, "OFF
//! Files", 2000).

use crate::geom::Vec3;
use crate::mesh::read::coordinate_range::{accept, refusal};
use crate::mesh::read::faces::Faces;
use crate::mesh::read::lexer::{error_at, is_blank, is_line_end, shown_word, word_end};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parse_float;
use crate::mesh::read::parsed::Parsed;

const EXPORT_AGAIN: &str = "export the mesh again";

/// Least length of a line of a vertex or a face (bytes), to limit reserved memory.
const LEAST_LINE: usize = 6;

/// Bounds of the first word of a text that begins like an OFF file: blanks, then `OFF` with letters for the data of a
/// vertex before it. A count may follow without a blank. `None` for other texts.
pub(crate) fn keyword(bytes: &[u8]) -> Option<(usize, usize)> {
    let start = bytes.iter().position(|b| !is_blank(*b))?;
    let word = &bytes[start..word_end(bytes, start)];
    let length = word.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'4').count();
    let length = if length < word.len() && !word[length].is_ascii_digit() { return None } else { length };
    // The letter 4 belongs to the word only before the last letters.
    let name = &word[..length];
    let end = name.windows(3).position(|w| w == b"OFF").map(|k| k + 3)?;
    let rest = &word[end..];
    let prefix = &name[..end - 3];
    let known = prefix.strip_prefix(b"ST").unwrap_or(prefix);
    let known = known.strip_prefix(b"C").unwrap_or(known);
    let known = known.strip_prefix(b"N").unwrap_or(known);
    let known = known.strip_prefix(b"4").unwrap_or(known);
    let known = known.strip_prefix(b"n").unwrap_or(known);
    (known.is_empty() && rest.iter().all(u8::is_ascii_digit)).then_some((start, start + end))
}

/// Reads the faces of an OFF.
///
/// # Errors
/// Refuses binary OFF and more than three dimensions, a file shorter than its counts, a coordinate out of range, an
/// index without a vertex, a face of fewer than three corners, with line and column; too many triangles.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let (start, end) = keyword(bytes).unwrap_or((0, 0));
    if bytes[start..end].iter().any(|b| *b == b'4' || *b == b'n') {
        return Err(error_at(bytes, start, "an OFF file with more than 3 dimensions", EXPORT_AGAIN));
    }
    let mut words = Words { bytes, at: end };
    if bytes[words.next()..].starts_with(b"BINARY") {
        return Err(error_at(bytes, words.at, "a binary OFF file", "export it as text"));
    }
    let [vertices, faces, _edges] = [words.count()?, words.count()?, words.count()?];
    let room = (bytes.len() - words.at) / LEAST_LINE + 1;
    let mut points = Vec::with_capacity((vertices as usize).min(room));
    for _ in 0..vertices {
        let (x, y, z) = (words.coordinate()?, words.coordinate()?, words.coordinate()?);
        if points.len() >= 3 * MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        points.push(Vec3::new(x, y, z));
        words.skip_line();
    }
    let mut read = Faces::default();
    for _ in 0..faces {
        let face = words.next();
        for _ in 0..words.count()? {
            let at = words.next();
            let index = words.count()?;
            if index >= points.len() as u64 {
                let what = format!("face index {index}, but only {} vertices", points.len());
                return Err(error_at(bytes, at, what, EXPORT_AGAIN));
            }
            read.corner(index as u32);
        }
        read.end_face(face).map_err(|e| error_at(bytes, face, e.what, e.fix))?;
        words.skip_line();
    }
    let mut warnings = Vec::new();
    let mesh =
        read.into_mesh(&points, &mut warnings, |at, what| error_at(bytes, at, what, "triangulate the mesh on export"))?;
    Ok(Parsed { format: MeshFormat::Off, solids: 1, mesh, warnings, single_precision: false })
}

/// Words of the text, without comments.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    /// Moves to the next word and returns its position; a comment runs from `#` to the end of its line.
    fn next(&mut self) -> usize {
        while let Some(&b) = self.bytes.get(self.at) {
            if b == b'#' {
                self.skip_line();
            } else if is_blank(b) {
                self.at += 1;
            } else {
                break;
            }
        }
        self.at
    }

    /// Skips the rest of the line.
    fn skip_line(&mut self) {
        while self.bytes.get(self.at).is_some_and(|b| !is_line_end(*b)) {
            self.at += 1;
        }
    }

    fn number(&mut self, wanted: &str) -> Result<f64, MeshError> {
        let start = self.next();
        if start >= self.bytes.len() {
            let what = format!("truncated OFF: expected {wanted}, found the end of the file");
            return Err(error_at(self.bytes, start, what, "copy or export the file again"));
        }
        let number = parse_float::parse(self.bytes, start)
            .filter(|n| self.bytes.get(n.end).is_none_or(|b| is_blank(*b) || *b == b'#'));
        let Some(number) = number else {
            let what = format!("expected {wanted}, found {}", shown_word(self.bytes, start));
            return Err(error_at(self.bytes, start, what, EXPORT_AGAIN));
        };
        self.at = number.end;
        Ok(number.value)
    }

    /// Reads a whole number from 0 to 2³² − 1.
    fn count(&mut self) -> Result<u64, MeshError> {
        let start = self.next();
        let value = self.number("a whole number")?;
        if value < 0.0 || value.fract() != 0.0 || value > u32::MAX.into() {
            let what = format!("expected a whole number, found {}", shown_word(self.bytes, start));
            return Err(error_at(self.bytes, start, what, EXPORT_AGAIN));
        }
        Ok(value as u64)
    }

    fn coordinate(&mut self) -> Result<f64, MeshError> {
        let start = self.next();
        let value = self.number("a coordinate")?;
        accept(value).ok_or_else(|| {
            let (what, fix) = refusal(value);
            error_at(self.bytes, start, what, fix)
        })
    }
}
