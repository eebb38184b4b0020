//! Reads Wavefront OBJ: `v` and `f` of all groups and objects together. Skips everything else: normals, texture
//! coordinates, materials, groups, lines, points, unknown words.

use crate::error::WarningCode;
use crate::geom::Vec3;
use crate::mesh::read::coordinate_range::{accept, refusal};
use crate::mesh::read::faces::Faces;
use crate::mesh::read::lexer::{error_at, is_blank, is_line_end, shown_word};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parse_float;
use crate::mesh::read::parsed::{MeshWarning, Parsed};
use crate::mesh::read::stl_ascii::not_a_number;

/// Reads the faces of an OBJ.
///
/// # Errors
/// Refuses a `v` without three finite numbers in range, an `f` of fewer than three corners, an index without a vertex,
/// a polygon too intricate to cut, with line and column; too many triangles.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let mut reader = Reader {
        bytes,
        at: if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 },
        points: Vec::new(),
        faces: Faces::default(),
        forward: Vec::new(),
        free_form: 0,
    };
    reader.statements()?;
    reader.check_forward()?;
    let mut warnings = Vec::new();
    if reader.free_form > 0 {
        let message =
            format!("the reader skipped {} free-form curves and surfaces; it reads faces only", reader.free_form);
        warnings.push(MeshWarning { code: WarningCode::FreeFormIgnored, message });
    }
    let Reader { points, faces, .. } = reader;
    let mesh = faces
        .into_mesh(&points, &mut warnings, |at, what| error_at(bytes, at, what, "triangulate the mesh on export"))?;
    Ok(Parsed { format: MeshFormat::Obj, solids: 1, mesh, warnings, single_precision: false })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    points: Vec<Vec3>,
    faces: Faces,
    /// Corners with a forward reference beyond all vertices and all earlier forward references: vertex and byte offset.
    forward: Vec<(u32, usize)>,
    free_form: u64,
}

impl Reader<'_> {
    fn statements(&mut self) -> Result<(), MeshError> {
        while self.at < self.bytes.len() {
            self.skip_blanks();
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|b| !is_blank(*b) && *b != b'#' && *b != b'\\') {
                self.at += 1;
            }
            match &self.bytes[start..self.at] {
                b"v" => self.vertex()?,
                b"f" | b"fo" => self.face(start)?,
                b"surf" | b"curv" => self.free_form += 1,
                _ => {}
            }
            self.skip_statement();
        }
        Ok(())
    }

    fn vertex(&mut self) -> Result<(), MeshError> {
        let mut p = [0.0; 3];
        for x in &mut p {
            self.skip_blanks();
            let start = self.at;
            if self.at_end_of_statement() {
                let what = "a vertex with fewer than 3 numbers";
                return Err(error_at(self.bytes, start, what, "export the mesh again"));
            }
            let n = parse_float::parse(self.bytes, start).filter(|n| self.ends_word(n.end));
            let Some(n) = n else { return Err(not_a_number(self.bytes, start)) };
            let Some(accepted) = accept(n.value) else {
                let (what, fix) = refusal(n.value);
                return Err(error_at(self.bytes, start, what, fix));
            };
            *x = accepted;
            self.at = n.end;
        }
        if self.points.len() >= 3 * MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        self.points.push(Vec3::new(p[0], p[1], p[2]));
        Ok(())
    }

    fn face(&mut self, face: usize) -> Result<(), MeshError> {
        loop {
            self.skip_blanks();
            if self.at_end_of_statement() {
                break;
            }
            let corner = self.corner()?;
            self.faces.corner(corner);
        }
        self.faces.end_face(face).map_err(|e| error_at(self.bytes, face, e.what, e.fix))
    }

    /// Reads a corner, `v`, `v/vt`, `v//vn` or `v/vt/vn`; returns the vertex, from 0.
    fn corner(&mut self) -> Result<u32, MeshError> {
        let start = self.at;
        let negative = self.bytes[start] == b'-';
        let mut at = start + usize::from(negative);
        let first = at;
        let mut value = 0i64;
        while let Some(d) = self.bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value = (value * 10 + i64::from(d)).min(1 << 40);
            at += 1;
        }
        let whole = at > first && (self.bytes.get(at) == Some(&b'/') || self.ends_word(at));
        while !self.ends_word(at) {
            at += 1;
        }
        self.at = at;
        if !whole {
            let what = format!("expected a vertex index, found {}", shown_word(self.bytes, start));
            return Err(error_at(self.bytes, start, what, "export the mesh again"));
        }
        let known = self.points.len() as i64;
        let index = if negative { known - value } else { value - 1 };
        if value == 0 || index < 0 || index >= 3 * MAX_TRIANGLES as i64 {
            return Err(self.no_such_vertex(start, self.points.len()));
        }
        let index = index as u32;
        if i64::from(index) >= known && self.forward.last().is_none_or(|f| f.0 < index) {
            self.forward.push((index, start));
        }
        Ok(index)
    }

    /// Refuses references to missing vertices; references to later vertices are allowed.
    fn check_forward(&self) -> Result<(), MeshError> {
        let known = self.points.len();
        match self.forward.iter().find(|f| f.0 as usize >= known) {
            Some(&(_, at)) => Err(self.no_such_vertex(at, known)),
            None => Ok(()),
        }
    }

    fn no_such_vertex(&self, at: usize, known: usize) -> MeshError {
        let digits = self.bytes[at..].iter().take_while(|b| b.is_ascii_digit() || **b == b'-').count().min(20);
        let index = String::from_utf8_lossy(&self.bytes[at..at + digits]);
        let what = match (index.as_ref(), index.starts_with('-')) {
            ("0", _) => "face index 0: indices count from 1".into(),
            (_, true) => format!("face index {index}, but only {known} vertices before it"),
            _ => format!("face index {index}, but only {known} vertices"),
        };
        error_at(self.bytes, at, what, "export the mesh again")
    }

    /// Skips blanks within a statement, including a backslash with the line end after it.
    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            match self.bytes.get(self.at) {
                Some(b) if is_blank(*b) && !is_line_end(*b) => self.at += 1,
                Some(b'\\') => match continuation(self.bytes, self.at) {
                    Some(next) => self.at = next,
                    None => return,
                },
                _ => return,
            }
        }
    }

    fn at_end_of_statement(&self) -> bool {
        self.bytes.get(self.at).is_none_or(|b| is_line_end(*b) || *b == b'#')
    }

    /// True if a word ends before this byte.
    #[inline]
    fn ends_word(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            None | Some(b'#') => true,
            Some(b'\\') => continuation(self.bytes, at).is_some(),
            Some(b) => is_blank(*b),
        }
    }

    /// Moves to the start of the next statement; a backslash continues a line, except in a comment.
    #[inline]
    fn skip_statement(&mut self) {
        let mut comment = false;
        while let Some(&b) = self.bytes.get(self.at) {
            self.at += 1;
            if is_line_end(b) {
                return;
            }
            if b == b'#' {
                comment = true;
            } else if b == b'\\' && !comment {
                self.at = continuation(self.bytes, self.at - 1).unwrap_or(self.at);
            }
        }
    }
}

/// Returns the position after the line end for a backslash followed by blanks only. The number of blanks is limited, to
/// keep a line of backslashes and blanks cheap.
fn continuation(bytes: &[u8], backslash: usize) -> Option<usize> {
    let mut at = backslash + 1;
    let limit = at + 8;
    while at < limit && bytes.get(at).is_some_and(|b| *b == b' ' || *b == b'\t') {
        at += 1;
    }
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => Some(at + 2),
        (Some(b'\r' | b'\n'), _) => Some(at + 1),
        _ => None,
    }
}
