//! Numbers in the buffers of a glTF file. Every count, stride and offset is checked against its buffer before memory is
//! reserved.

use crate::error::Error;
use crate::geom::Vec3;
use crate::import::gltf::buffers::Buffers;
use crate::import::gltf::document::Document;
use crate::import::refusal::{Refusal, damaged, refuse};

const BYTE: u64 = 5120;
const UNSIGNED_BYTE: u64 = 5121;
const SHORT: u64 = 5122;
const UNSIGNED_SHORT: u64 = 5123;
const UNSIGNED_INT: u64 = 5125;
const FLOAT: u64 = 5126;

/// Values of an accessor: `count` groups of `width` numbers.
pub(crate) struct Values<'b> {
    bytes: &'b [u8],
    pub(crate) count: usize,
    stride: usize,
    kind: u64,
    normalized: bool,
}

/// Finds the bytes of an accessor of `width` numbers a value. `role` names it in messages.
///
/// # Errors
/// Refuses a missing accessor or buffer, another shape, sparse values, values beyond the buffer.
pub(crate) fn values<'b>(
    document: &Document,
    buffers: &'b Buffers<'_>,
    index: usize,
    (shape, width): (&str, usize),
    (file, role): (&str, &str),
) -> Result<Values<'b>, Error> {
    let bad = |what: String| Err(damaged(file, format!("{role}: {what}")));
    let Some(accessor) = document.accessors.get(index) else {
        return bad(format!("accessor {index} of {} does not exist", document.accessors.len()));
    };
    if accessor.shape != shape {
        return bad(format!("accessor {index} is not of type {shape}"));
    }
    if accessor.sparse.is_some() {
        let what = format!("{role}: sparse values");
        return Err(refuse(file, Refusal::Unsupported, what, "export without sparse accessors"));
    }
    let Some(view) = accessor.buffer_view else {
        return bad(format!("accessor {index} has no data"));
    };
    let Some(view) = document.buffer_views.get(view) else {
        return bad(format!("buffer view {view} of {} does not exist", document.buffer_views.len()));
    };
    let Some(buffer) = buffers.get(document, view.buffer) else {
        return bad(format!("buffer {} does not exist", view.buffer));
    };
    let size = match accessor.component_type {
        BYTE | UNSIGNED_BYTE => 1,
        SHORT | UNSIGNED_SHORT => 2,
        UNSIGNED_INT | FLOAT => 4,
        other => return bad(format!("unknown component type {other}")),
    } * width as u64;
    let stride = view.byte_stride.unwrap_or(size);
    if stride < size {
        return bad(format!("a stride of {stride} bytes for values of {size} bytes"));
    }
    let needed = match accessor.count {
        0 => Some(0),
        count => stride.checked_mul(count - 1).and_then(|n| n.checked_add(size)),
    };
    let needed = needed.and_then(|n| n.checked_add(accessor.byte_offset)).filter(|n| *n <= view.byte_length);
    let start = needed.and_then(|_| view.byte_offset.checked_add(accessor.byte_offset));
    let end = view.byte_offset.checked_add(view.byte_length);
    let slice = match (start, end) {
        (Some(start), Some(end)) => buffer.get(start as usize..end as usize),
        _ => None,
    };
    let Some(bytes) = slice else {
        return bad(format!("accessor {index} of {} values passes the end of its buffer", accessor.count));
    };
    Ok(Values {
        bytes,
        count: accessor.count as usize,
        stride: stride as usize,
        kind: accessor.component_type,
        normalized: accessor.normalized,
    })
}

impl Values<'_> {
    /// Positions; coordinates are in single precision or whole numbers (extension `KHR_mesh_quantization`).
    pub(crate) fn positions(&self) -> impl Iterator<Item = Vec3> + '_ {
        (0..self.count).map(|k| {
            let at = |axis: usize| self.number(k * self.stride, axis);
            Vec3::new(at(0), at(1), at(2))
        })
    }

    /// Vertex indices; `None` for a type that indices cannot have.
    pub(crate) fn indices(&self) -> Option<impl Iterator<Item = u32> + '_> {
        let is_index = matches!(self.kind, UNSIGNED_BYTE | UNSIGNED_SHORT | UNSIGNED_INT);
        is_index.then(|| (0..self.count).map(|k| self.number(k * self.stride, 0) as u32))
    }

    fn number(&self, at: usize, component: usize) -> f64 {
        let small = |largest: f64, value: f64| if self.normalized { (value / largest).max(-1.0) } else { value };
        match self.kind {
            BYTE => small(127.0, i8::from_le_bytes(self.bytes_at(at + component)).into()),
            UNSIGNED_BYTE => small(255.0, u8::from_le_bytes(self.bytes_at(at + component)).into()),
            SHORT => small(32767.0, i16::from_le_bytes(self.bytes_at(at + 2 * component)).into()),
            UNSIGNED_SHORT => small(65535.0, u16::from_le_bytes(self.bytes_at(at + 2 * component)).into()),
            UNSIGNED_INT => u32::from_le_bytes(self.bytes_at(at + 4 * component)).into(),
            _ => f32::from_le_bytes(self.bytes_at(at + 4 * component)).into(),
        }
    }

    /// Bytes at an offset; the constructor has checked the range.
    fn bytes_at<const N: usize>(&self, at: usize) -> [u8; N] {
        self.bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
    }
}
