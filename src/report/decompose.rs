//! What `decompose` says of the pieces it wrote, and the files of them. Lengths in the mesh's own unit.

use crate::error::Warning;
use crate::geom::Vec3;
use crate::geom::unit::format_number;
use crate::json::write::write_json;
use crate::report::number::count;
use crate::report::text::shown;
use crate::report::{Format, json};
use serde::Serialize;
use std::io::{self, Write};

/// What became of one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct DecomposeReport {
    /// As the user gave it, with `/`.
    pub mesh: String,
    /// Where the pieces were written, with `/`.
    pub output: String,
    /// Faces of the file after triangulation.
    pub triangles: u64,
    /// Convex pieces.
    pub pieces: u64,
    /// How far they reach beyond the mesh at most; `None` of the hull of a mesh without an inside.
    pub epsilon: Option<f64>,
    /// How far they were to reach at most.
    pub asked: f64,
    /// Of what the mesh encloses; `None` where it has no inside or shells of it could not be united.
    pub volume: Option<f64>,
    /// Sum over the pieces; what two of them share counts twice.
    pub pieces_volume: f64,
    /// Of all pieces together; `None` where they could not be united.
    pub union_volume: Option<f64>,
    /// How far single precision made the pieces larger than they are, at most; `None` where nothing was rounded.
    pub grown: Option<f64>,
    /// How long finding and checking the pieces took, reading and volumes apart; the only entry that differs from run to run.
    pub seconds: f64,
    /// What was repaired or is doubtful.
    pub warnings: Vec<Warning>,
}

impl DecomposeReport {
    /// A volume over the mesh's.
    fn ratio(&self, volume: Option<f64>) -> Option<f64> {
        volume.zip(self.volume.filter(|v| *v > 0.0)).map(|(of, own)| of / own)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    mesh: &'a str,
    output: &'a str,
    triangles: u64,
    pieces: u64,
    epsilon: Option<f64>,
    epsilon_asked: f64,
    volume: Option<f64>,
    pieces_volume: f64,
    union_volume: Option<f64>,
    volume_ratio: Option<f64>,
    union_ratio: Option<f64>,
    grown: Option<f64>,
    seconds: f64,
    warnings: json::Warnings<'a>,
}

/// Writes the report; [`Format::Table`] is the text.
///
/// # Errors
/// As the writer says.
pub fn render(r: &DecomposeReport, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let (volume_ratio, union_ratio) = (r.ratio(Some(r.pieces_volume)), r.ratio(r.union_volume));
    if format == Format::Json {
        let document = Document {
            version: 1,
            mesh: &r.mesh,
            output: &r.output,
            triangles: r.triangles,
            pieces: r.pieces,
            epsilon: r.epsilon,
            epsilon_asked: r.asked,
            volume: r.volume,
            pieces_volume: r.pieces_volume,
            union_volume: r.union_volume,
            volume_ratio,
            union_ratio,
            grown: r.grown,
            seconds: r.seconds,
            warnings: json::Warnings(&r.warnings),
        };
        return write_json(&document, out);
    }
    let (pieces, triangles) = (count(r.pieces, "convex piece"), count(r.triangles, "triangle"));
    writeln!(out, "{}: {triangles}, {pieces} in {}", shown(&r.mesh), shown(&r.output))?;
    match r.epsilon {
        Some(epsilon) => {
            writeln!(
                out,
                "epsilon: {}: largest overshoot of a piece; requested: {}",
                format_number(epsilon),
                format_number(r.asked)
            )?;
        }
        None => writeln!(out, "epsilon: none: the mesh has no inside, so the piece is its convex hull")?,
    }
    if let (Some(ratio), Some(volume)) = (volume_ratio, r.volume) {
        let union = union_ratio.map(|u| format!(", {}× (union)", format_number(u))).unwrap_or_default();
        writeln!(out, "volume: mesh {}; pieces {}× (sum){union}", format_number(volume), format_number(ratio))?;
    }
    if let Some(grown) = r.grown {
        writeln!(
            out,
            "single precision: each piece is enlarged by up to {}, so the rounded pieces still cover the mesh",
            format_number(grown)
        )?;
    }
    writeln!(out, "time: {:.2} s", r.seconds)
}

/// A piece to be written.
#[derive(Debug, Clone, Copy)]
pub struct PieceMesh<'a> {
    /// Corners.
    pub vertices: &'a [Vec3],
    /// Counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
}

/// The name of a piece, counted from 1: `piece-001`.
pub fn piece_name(number: usize) -> String {
    format!("piece-{number:03}")
}

/// Writes all pieces as one OBJ, an object each, every digit of every coordinate.
///
/// # Errors
/// As the writer says.
pub fn write_obj<'a>(
    mesh: &str,
    pieces: impl IntoIterator<Item = PieceMesh<'a>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    writeln!(
        out,
        "# {} {}: convex pieces that cover {}",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        shown(mesh)
    )?;
    let mut first = 1;
    for (number, piece) in (1..).zip(pieces) {
        writeln!(out, "o {}", piece_name(number))?;
        for v in piece.vertices {
            writeln!(out, "v {:?} {:?} {:?}", v.x, v.y, v.z)?;
        }
        for t in piece.triangles {
            let [a, b, c] = t.map(|v| first + v as usize);
            writeln!(out, "f {a} {b} {c}")?;
        }
        first += piece.vertices.len();
    }
    out.flush()
}

/// Writes one piece as binary STL. Corners are rounded to single precision: grow the piece before ([`f32_growth`]).
///
/// # Errors
/// As the writer says; a coordinate beyond single precision.
pub fn write_stl(piece: PieceMesh<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    // Not `solid`: many readers would take the file for text.
    let mut header = [b' '; 80];
    let title = concat!("interfere ", env!("CARGO_PKG_VERSION"), ": a convex piece");
    header[..title.len()].copy_from_slice(title.as_bytes());
    out.write_all(&header)?;
    let number = u32::try_from(piece.triangles.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    out.write_all(&number.to_le_bytes())?;
    for t in piece.triangles {
        let [a, b, c] = t.map(|v| piece.vertices[v as usize]);
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        for v in [normal, a, b, c] {
            for x in v.iter() {
                let x = *x as f32;
                if !x.is_finite() {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "a coordinate is beyond single precision"));
                }
                out.write_all(&x.to_le_bytes())?;
            }
        }
        out.write_all(&[0; 2])?;
    }
    out.flush()
}

/// By what factor less 1 a piece has to grow about the centre of a ball inside of it, so that it still holds itself when its
/// corners are rounded to single precision; `None` where the ball is too small for that to be less than 1. A corner moves by no
/// more than δ = √3 · 2⁻²⁴ · the largest coordinate; a convex piece that holds a ball of radius r, grown by the factor 1 + k, holds
/// all that is within k·r of it.
pub fn f32_growth(max_abs: f64, radius: f64) -> Option<f64> {
    // 2 instead of √3, and three times that: grown coordinates are larger, by less than twice the largest.
    let moved = 6.0 * 0.5 * f64::from(f32::EPSILON) * max_abs + f64::from(f32::MIN_POSITIVE);
    Some(moved / radius).filter(|k| *k < 1.0)
}
