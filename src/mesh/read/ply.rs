//! Reads PLY, ASCII and binary in both byte orders: `x`, `y` and `z` of the element `vertex`, the list `vertex_indices`
//! or `vertex_index` of the element `face`. Skips other elements and properties: normals, colours, texture
//! coordinates.

use crate::geom::Vec3;
use crate::mesh::read::coordinate_range::{accept, refusal};
use crate::mesh::read::faces::Faces;
use crate::mesh::read::lexer::{error_at, is_blank, line_end, next_word, shown_word};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parse_float;
use crate::mesh::read::parsed::Parsed;
use crate::mesh::read::ply_header::{self, Element, Encoding, Header, Kind, Property};

const EXPORT_AGAIN: &str = "export the mesh again";
const TRIANGULATE: &str = "triangulate the mesh on export";

/// Reads the faces of a PLY.
///
/// # Errors
/// Refuses a broken header, a file shorter than its counts, a coordinate out of range, an index without a vertex, a
/// face of fewer than three corners, triangle strips, with the place in the file; too many triangles.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let header = ply_header::read(bytes)?;
    if let Some(strips) = header.elements.iter().find(|e| e.name == b"tristrips" && e.count > 0) {
        return Err(error_at(bytes, strips.at, "triangle strips in a PLY", TRIANGULATE));
    }
    let Header { encoding, elements, end } = header;
    let mut reader = Reader {
        values: Values { bytes, at: end, encoding },
        points: Vec::new(),
        faces: Faces::default(),
        largest: None,
        single_precision: false,
    };
    for element in &elements {
        match element.name.as_slice() {
            b"vertex" => reader.vertices(element)?,
            b"face" => reader.faces(element)?,
            _ => reader.skip(element)?,
        }
    }
    let Reader { values, points, faces, largest, single_precision } = reader;
    if let Some((index, at)) = largest.filter(|(index, _)| *index >= points.len() as u64) {
        let what = format!("face index {index}, but only {} vertices", points.len());
        return Err(values.error(at, what, EXPORT_AGAIN));
    }
    let mut warnings = Vec::new();
    let mesh = faces.into_mesh(&points, &mut warnings, |at, what| values.error(at, what, TRIANGULATE))?;
    Ok(Parsed { format: MeshFormat::Ply, solids: 1, mesh, warnings, single_precision })
}

struct Reader<'a> {
    values: Values<'a>,
    points: Vec<Vec3>,
    faces: Faces,
    /// Largest vertex index of a face, and its byte offset. Faces may come before the vertices.
    largest: Option<(u64, usize)>,
    single_precision: bool,
}

impl Reader<'_> {
    fn vertices(&mut self, element: &Element) -> Result<(), MeshError> {
        let [x, y, z] = [b"x", b"y", b"z"].map(|name| element.position(name));
        let (Some(x), Some(y), Some(z)) = (x, y, z) else {
            return Err(error_at(self.values.bytes, element.at, "vertices without x, y and z", EXPORT_AGAIN));
        };
        let axes = [x, y, z];
        if let Some(list) = axes.iter().find(|k| element.properties[**k].length.is_some()) {
            let name = String::from_utf8_lossy(&element.properties[*list].name).into_owned();
            let what = format!("the coordinate {name} is a list");
            return Err(error_at(self.values.bytes, element.at, what, EXPORT_AGAIN));
        }
        self.single_precision = axes.iter().all(|k| element.properties[*k].kind == Kind::F32);
        self.points.reserve(self.values.expected_rows(element));
        for _ in 0..element.count {
            let mut p = [0.0; 3];
            for (k, property) in element.properties.iter().enumerate() {
                let Some(axis) = axes.iter().position(|axis| *axis == k) else {
                    self.values.skip(property)?;
                    continue;
                };
                let (value, at) = self.values.number(property.kind)?;
                let Some(accepted) = accept(value) else {
                    let (what, fix) = refusal(value);
                    return Err(self.values.error(at, what, fix));
                };
                p[axis] = accepted;
            }
            if self.points.len() >= 3 * MAX_TRIANGLES {
                return Err(MeshError::too_many());
            }
            self.points.push(Vec3::new(p[0], p[1], p[2]));
            self.values.end_row();
        }
        Ok(())
    }

    fn faces(&mut self, element: &Element) -> Result<(), MeshError> {
        let corners = element.position(b"vertex_indices").or_else(|| element.position(b"vertex_index"));
        let corners = corners.filter(|k| {
            let property = &element.properties[*k];
            property.length.is_some() && property.kind.is_whole()
        });
        let Some(corners) = corners else {
            if element.count == 0 {
                return Ok(());
            }
            return Err(error_at(self.values.bytes, element.at, "faces without a list `vertex_indices`", EXPORT_AGAIN));
        };
        for _ in 0..element.count {
            let face = self.values.at;
            for (k, property) in element.properties.iter().enumerate() {
                match property.length {
                    Some(length) if k == corners => self.corners(length, property.kind, face)?,
                    _ => self.values.skip(property)?,
                }
            }
            self.values.end_row();
        }
        Ok(())
    }

    /// Reads the corners of one face.
    fn corners(&mut self, length: Kind, kind: Kind, face: usize) -> Result<(), MeshError> {
        let count = self.values.count(length)?;
        for _ in 0..count {
            let (value, at) = self.values.number(kind)?;
            if value < 0.0 || value.fract() != 0.0 || value >= (3 * MAX_TRIANGLES) as f64 {
                return Err(self.values.error(at, format!("face index {value}"), EXPORT_AGAIN));
            }
            let index = value as u64;
            if self.largest.is_none_or(|(largest, _)| largest < index) {
                self.largest = Some((index, at));
            }
            self.faces.corner(index as u32);
        }
        self.faces.end_face(face).map_err(|e| self.values.error(face, e.what, e.fix))
    }

    fn skip(&mut self, element: &Element) -> Result<(), MeshError> {
        if element.properties.is_empty() {
            return Ok(());
        }
        if let (Some(size), true) = (element.row_size(), self.values.encoding != Encoding::Ascii) {
            let rows = usize::try_from(element.count).ok().and_then(|count| count.checked_mul(size));
            return self.values.skip_bytes(rows.unwrap_or(usize::MAX));
        }
        for _ in 0..element.count {
            for property in &element.properties {
                self.values.skip(property)?;
            }
            self.values.end_row();
        }
        Ok(())
    }
}

/// Numbers after the header, one after the other.
struct Values<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl Values<'_> {
    /// Number of rows to reserve memory for: no more than the rest of the file can hold.
    fn expected_rows(&self, element: &Element) -> usize {
        // A text value takes two bytes at least: a digit and a blank.
        let least: usize = match self.encoding {
            Encoding::Ascii => 2 * element.properties.len(),
            _ => element.properties.iter().map(|p| p.length.unwrap_or(p.kind).size()).sum(),
        };
        let room = (self.bytes.len() - self.at) / least.max(1);
        usize::try_from(element.count).unwrap_or(usize::MAX).min(room)
    }

    /// Reads a number; returns it with its byte offset.
    fn number(&mut self, kind: Kind) -> Result<(f64, usize), MeshError> {
        if self.encoding == Encoding::Ascii {
            return self.word();
        }
        let at = self.at;
        let big = self.encoding == Encoding::BigEndian;
        let value = match kind {
            Kind::I8 => i8::from_le_bytes(self.take()?).into(),
            Kind::U8 => u8::from_le_bytes(self.take()?).into(),
            Kind::I16 => i16::from_le_bytes(ordered(self.take()?, big)).into(),
            Kind::U16 => u16::from_le_bytes(ordered(self.take()?, big)).into(),
            Kind::I32 => i32::from_le_bytes(ordered(self.take()?, big)).into(),
            Kind::U32 => u32::from_le_bytes(ordered(self.take()?, big)).into(),
            Kind::F32 => f32::from_le_bytes(ordered(self.take()?, big)).into(),
            Kind::F64 => f64::from_le_bytes(ordered(self.take()?, big)),
        };
        Ok((value, at))
    }

    /// Reads the length of a list.
    fn count(&mut self, kind: Kind) -> Result<u64, MeshError> {
        let (value, at) = self.number(kind)?;
        if value < 0.0 || value.fract() != 0.0 || value > u32::MAX.into() {
            return Err(self.error(at, format!("a list of {value} values"), EXPORT_AGAIN));
        }
        Ok(value as u64)
    }

    fn skip(&mut self, property: &Property) -> Result<(), MeshError> {
        let count = property.length.map_or(Ok(1), |length| self.count(length))?;
        if self.encoding != Encoding::Ascii {
            return self.skip_bytes((count as usize).saturating_mul(property.kind.size()));
        }
        for _ in 0..count {
            let (start, end) = next_word(self.bytes, self.at);
            if start == end {
                return Err(self.truncated());
            }
            self.at = end;
        }
        Ok(())
    }

    /// Skips the rest of a line of text. A row has a line of its own, and MeshLab writes more values than its header
    /// announces.
    fn end_row(&mut self) {
        if self.encoding == Encoding::Ascii {
            self.at = line_end(self.bytes, self.at);
        }
    }

    fn skip_bytes(&mut self, count: usize) -> Result<(), MeshError> {
        if count > self.bytes.len() - self.at {
            return Err(self.truncated());
        }
        self.at += count;
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], MeshError> {
        let Some(value) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) else {
            return Err(self.truncated());
        };
        self.at += N;
        Ok(*value)
    }

    fn word(&mut self) -> Result<(f64, usize), MeshError> {
        let (start, end) = next_word(self.bytes, self.at);
        if start == end {
            return Err(self.truncated());
        }
        let number =
            parse_float::parse(self.bytes, start).filter(|n| self.bytes.get(n.end).is_none_or(|b| is_blank(*b)));
        let Some(number) = number else {
            let what = format!("expected a number, found {}", shown_word(self.bytes, start));
            return Err(self.error(start, what, EXPORT_AGAIN));
        };
        self.at = number.end;
        Ok((number.value, start))
    }

    fn truncated(&self) -> MeshError {
        let what = "truncated PLY: the file ends before the counts of its header";
        self.error(self.bytes.len(), what, "copy or export the file again")
    }

    /// Builds an error at a byte: with line and column for text.
    fn error(&self, at: usize, what: impl Into<String>, fix: impl Into<String>) -> MeshError {
        match self.encoding {
            Encoding::Ascii => error_at(self.bytes, at, what, fix),
            _ => MeshError { byte: Some(at as u64), ..MeshError::new(what, fix) },
        }
    }
}

/// Bytes of a value in little-endian order.
fn ordered<const N: usize>(mut bytes: [u8; N], big_endian: bool) -> [u8; N] {
    if big_endian {
        bytes.reverse();
    }
    bytes
}
