//! Reads ASCII STL. Accepts words in any case, any blanks and line ends between them, and several `solid` blocks.
//! Ignores stored normals in any form. Reads coordinates as `f64`.

use crate::error::WarningCode;
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::{accept, refusal};
use crate::mesh::read::lexer::{error_at, is_blank, is_line_end, next_word, shown_word, word_end};
use crate::mesh::read::mesh_error::{MAX_TRIANGLES, MeshError};
use crate::mesh::read::mesh_format::MeshFormat;
use crate::mesh::read::parse_float;
use crate::mesh::read::parsed::{MeshWarning, Parsed};
use crate::mesh::repair::merge_vertices::{BLOCK, VertexMerger};

/// Least relative difference from the nearest `f32`, for a coordinate of more than nine digits, as evidence of more
/// than single precision.
const DOUBLE_EVIDENCE: f64 = 1e-9;

/// Typical size of a vertex and its two triangles in a file (bytes): first guess for the number of vertices.
const BYTES_PER_VERTEX: usize = 448;

const EXPORT_AGAIN: &str = "export the mesh again";

/// Reads the facets of an ASCII STL.
///
/// # Errors
/// Refuses an unexpected word, a facet without exactly 3 corners, a coordinate out of range, with line and column; too
/// many triangles.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed, MeshError> {
    let mut reader = Reader {
        bytes,
        at: if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 },
        joiner: VertexMerger::with_expected(bytes.len() / BYTES_PER_VERTEX),
        pending: Vec::with_capacity(BLOCK),
        numbers: Vec::with_capacity(BLOCK),
        triangles: Vec::with_capacity(2 * bytes.len() / BYTES_PER_VERTEX),
        single_precision: true,
        solids: 0,
        warnings: Vec::new(),
    };
    reader.solids()?;
    reader.flush()?;
    Ok(Parsed {
        format: MeshFormat::StlAscii,
        solids: reader.solids.max(1),
        mesh: TriMesh { vertices: reader.joiner.into_vertices(), triangles: reader.triangles },
        warnings: reader.warnings,
        single_precision: reader.single_precision,
    })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    joiner: VertexMerger,
    /// Corners waiting for their merge: less than a block.
    pending: Vec<Vec3>,
    /// Vertex numbers of these corners during the merge.
    numbers: Vec<u32>,
    /// Triangles of the corners merged before.
    triangles: Vec<[u32; 3]>,
    single_precision: bool,
    solids: u32,
    warnings: Vec<MeshWarning>,
}

impl Reader<'_> {
    /// Reads all blocks from `solid` to `endsolid`. A file may also begin with a facet.
    fn solids(&mut self) -> Result<(), MeshError> {
        let mut open = false;
        loop {
            if open {
                // Nearly every word here is a `facet`.
                let start = self.skip_blanks();
                if self.take(b"facet") {
                    self.facet(start)?;
                    continue;
                }
            }
            let (start, end) = self.word();
            let word = &self.bytes[start..end];
            if is(word, b"facet") && (open || self.solids == 0) {
                self.facet(start)?;
                open = true;
            } else if is(word, b"solid") {
                if open {
                    self.missing_end();
                }
                open = true;
                self.solids = self.solids.saturating_add(1);
                self.skip_name(false);
            } else if is(word, b"endsolid") && open {
                open = false;
                self.skip_name(true);
            } else if word.is_empty() {
                if open {
                    self.missing_end();
                }
                return Ok(());
            } else if !open && !self.has_facet_from(start) {
                self.trailing(start);
                return Ok(());
            } else if is(word, b"vertex") || is(word, b"outer") {
                let what = format!("{} outside a facet", shown_word(self.bytes, start));
                return Err(error_at(self.bytes, start, what, EXPORT_AGAIN));
            } else {
                let wanted = if open { "`facet` or `endsolid`" } else { "`solid`" };
                return Err(self.unexpected(start, wanted));
            }
        }
    }

    /// Reads a facet after its first word; skips the normal up to `outer loop`.
    fn facet(&mut self, facet: usize) -> Result<(), MeshError> {
        self.normal()?;
        self.expect(b"loop", "`loop`")?;
        for k in 0..3 {
            if !self.take(b"vertex") {
                return Err(self.not_a_corner(facet, k));
            }
            let (x, y, z) = (self.coordinate()?, self.coordinate()?, self.coordinate()?);
            self.pending.push(Vec3::new(x, y, z));
        }
        if !self.take(b"endloop") {
            let (start, end) = self.word();
            if is(&self.bytes[start..end], b"vertex") {
                let fix = "export the mesh with triangles only";
                return Err(error_at(self.bytes, facet, "a facet with more than 3 corners", fix));
            }
            return Err(self.unexpected(start, "`endloop`"));
        }
        self.words_before_endfacet()?;
        self.rest_of_line();
        if self.pending.len() >= BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    /// Skips words of other programs between `endloop` and `endfacet`.
    fn words_before_endfacet(&mut self) -> Result<(), MeshError> {
        while !self.take(b"endfacet") {
            let (start, end) = self.word();
            let word = &self.bytes[start..end];
            if word.is_empty() || is_structure(word) {
                return Err(self.unexpected(start, "`endfacet`"));
            }
        }
        Ok(())
    }

    /// Skips words of other programs after `endfacet`, on the same line.
    fn rest_of_line(&mut self) {
        loop {
            let mut at = self.at;
            while self.bytes.get(at).is_some_and(|b| is_blank(*b) && !is_line_end(*b)) {
                at += 1;
            }
            let (start, end) = next_word(self.bytes, at);
            if start != at || start == end || is_structure(&self.bytes[start..end]) {
                return;
            }
            self.at = end;
        }
    }

    /// Skips everything up to `outer`.
    fn normal(&mut self) -> Result<(), MeshError> {
        while !self.take(b"outer") {
            let start = self.skip_blanks();
            if self.bytes.get(start).is_some_and(|b| !b.is_ascii_alphabetic()) {
                self.at = word_end(self.bytes, start);
                continue;
            }
            let (start, end) = self.word();
            let word = &self.bytes[start..end];
            if word.is_empty() || is_structure(word) {
                return Err(self.unexpected(start, "`outer loop`"));
            }
        }
        Ok(())
    }

    /// Builds the error for a word in place of `vertex`, after `k` corners.
    #[cold]
    fn not_a_corner(&mut self, facet: usize, k: usize) -> MeshError {
        let (start, end) = self.word();
        if is(&self.bytes[start..end], b"endloop") {
            error_at(self.bytes, facet, format!("a facet with {k} corners"), EXPORT_AGAIN)
        } else {
            self.unexpected(start, "`vertex`")
        }
    }

    /// Merges the pending corners.
    fn flush(&mut self) -> Result<(), MeshError> {
        if self.triangles.len() + self.pending.len() / 3 > MAX_TRIANGLES {
            return Err(MeshError::too_many());
        }
        self.numbers.clear();
        self.joiner.add_all(&self.pending, &mut self.numbers);
        self.pending.clear();
        self.triangles.extend_from_slice(self.numbers.as_chunks::<3>().0);
        Ok(())
    }

    #[inline]
    fn coordinate(&mut self) -> Result<f64, MeshError> {
        let start = self.skip_blanks();
        let parsed = parse_float::parse(self.bytes, start);
        let Some(n) = parsed.filter(|n| self.bytes.get(n.end).is_none_or(|b| is_blank(*b))) else {
            return Err(not_a_number(self.bytes, start));
        };
        self.at = n.end;
        if n.long && self.single_precision {
            let nearest = f64::from(n.value as f32);
            self.single_precision = (n.value - nearest).abs() <= DOUBLE_EVIDENCE * n.value.abs();
        }
        accept(n.value).ok_or_else(|| {
            let (what, fix) = refusal(n.value);
            error_at(self.bytes, start, what, fix)
        })
    }

    #[inline]
    fn word(&mut self) -> (usize, usize) {
        let (start, end) = next_word(self.bytes, self.at);
        self.at = end;
        (start, end)
    }

    /// Moves to the next word and returns its position.
    #[inline]
    fn skip_blanks(&mut self) -> usize {
        while self.bytes.get(self.at).is_some_and(|b| is_blank(*b)) {
            self.at += 1;
        }
        self.at
    }

    /// Skips the next word if it is `keyword`.
    #[inline]
    fn take<const N: usize>(&mut self, keyword: &[u8; N]) -> bool {
        let start = self.skip_blanks();
        let Some(found) = self.bytes.get(start..start + N) else { return false };
        if !self.bytes.get(start + N).is_none_or(|b| is_blank(*b)) || (found != keyword && !is(found, keyword)) {
            return false;
        }
        self.at = start + N;
        true
    }

    #[inline]
    fn expect<const N: usize>(&mut self, keyword: &[u8; N], shown: &str) -> Result<(), MeshError> {
        if self.take(keyword) {
            return Ok(());
        }
        let start = self.skip_blanks();
        Err(self.unexpected(start, shown))
    }

    fn unexpected(&self, at: usize, wanted: &str) -> MeshError {
        let found = shown_word(self.bytes, at);
        let fix = if at >= self.bytes.len() { "the file is truncated: copy or export it again" } else { EXPORT_AGAIN };
        error_at(self.bytes, at, format!("expected {wanted}, found {found}"), fix)
    }

    /// Skips a name: the rest of the line. In a file of a single line, the name ends at the first facet; after an
    /// `endsolid` at the first `solid` before this facet. Reads each byte twice at most.
    fn skip_name(&mut self, after_end: bool) {
        let (mut at, mut facet, mut solid) = (self.at, None, None);
        loop {
            let (start, end) = next_word(self.bytes, at);
            if start == end || self.bytes[at..start].iter().any(|b| is_line_end(*b)) {
                self.at = start;
                return;
            }
            let word = &self.bytes[start..end];
            if is(word, b"normal")
                && let Some(facet) = facet
            {
                self.at = solid.unwrap_or(facet);
                return;
            }
            facet = is(word, b"facet").then_some(start);
            if after_end && solid.is_none() && is(word, b"solid") {
                solid = Some(start);
            }
            at = end;
        }
    }

    /// True if a facet or a vertex follows anywhere.
    fn has_facet_from(&self, from: usize) -> bool {
        let mut at = from;
        loop {
            let (start, end) = next_word(self.bytes, at);
            if start == end {
                return false;
            }
            if is(&self.bytes[start..end], b"facet") || is(&self.bytes[start..end], b"vertex") {
                return true;
            }
            at = end;
        }
    }

    fn missing_end(&mut self) {
        if !self.warnings.iter().any(|w| w.code == WarningCode::MissingEndsolid) {
            let message = "a solid ends without `endsolid`; its facets are complete".into();
            self.warnings.push(MeshWarning { code: WarningCode::MissingEndsolid, message });
        }
    }

    fn trailing(&mut self, at: usize) {
        let message = format!("{} bytes after the last `endsolid` are ignored", self.bytes.len() - at);
        self.warnings.push(MeshWarning { code: WarningCode::TrailingBytes, message });
    }
}

/// Builds the error for a word in place of a number.
pub(crate) fn not_a_number(bytes: &[u8], at: usize) -> MeshError {
    let word = shown_word(bytes, at);
    let fix = if word.contains(',') { "export the mesh with decimal points" } else { EXPORT_AGAIN };
    error_at(bytes, at, format!("expected a coordinate, found {word}"), fix)
}

#[inline]
fn is(word: &[u8], keyword: &[u8]) -> bool {
    word.eq_ignore_ascii_case(keyword)
}

/// True for words outside a normal.
fn is_structure(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] = [b"facet", b"endfacet", b"loop", b"endloop", b"vertex", b"solid", b"endsolid"];
    WORDS.iter().any(|k| is(word, k))
}
