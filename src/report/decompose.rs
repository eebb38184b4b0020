//! Writes the report of `decompose` and its piece files. Lengths in the mesh's own unit.

use crate::error::Warning;
use crate::geom::Vec3;
use crate::geom::unit::format_number;
use crate::json::write::write_json;
use crate::report::number::count;
use crate::report::text::shown;
use crate::report::{Format, json};
use serde::Serialize;
use std::io::{self, Write};

/// Result of the decomposition of one mesh. Lengths and volumes in the mesh's own unit.
#[derive(Debug, Clone, PartialEq)]
pub struct DecomposeReport {
    /// Path of the mesh as given by the user, with `/`.
    pub mesh: String,
    /// Path of the pieces, with `/`.
    pub output: String,
    /// Faces of the file after triangulation.
    pub triangles: u64,
    /// Number of convex pieces.
    pub pieces: u64,
    /// Largest overshoot of the pieces (>= 0); `None` for the hull of a mesh without an inside.
    pub epsilon: Option<f64>,
    /// Requested overshoot (>= 0).
    pub asked: f64,
    /// Volume of the mesh; `None` without an inside, or if its self-union failed.
    pub volume: Option<f64>,
    /// Sum of the volumes of the pieces; their intersections count more than once.
    pub pieces_volume: f64,
    /// Volume of the union of all pieces; `None` if its computation failed.
    pub union_volume: Option<f64>,
    /// Largest growth of a piece to make up for single precision (>= 0); `None` without rounding.
    pub grown: Option<f64>,
    /// Time for finding and checking the pieces, without reading the mesh (s). Only this entry differs between runs.
    pub seconds: f64,
    /// Warnings about repairs, defects and overshoot.
    pub warnings: Vec<Warning>,
}

impl DecomposeReport {
    /// Ratio of a volume to the volume of the mesh.
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
/// Returns the writer's error.
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

/// Mesh of one piece.
#[derive(Debug, Clone, Copy)]
pub struct PieceMesh<'a> {
    /// Vertices (mesh's own unit).
    pub vertices: &'a [Vec3],
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
}

/// Name of a piece, counted from 1: `piece-001`.
pub fn piece_name(number: usize) -> String {
    format!("piece-{number:03}")
}

/// Writes all pieces as one OBJ file: an object each, coordinates with every digit.
///
/// # Errors
/// Returns the writer's error.
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

/// Writes one piece as binary STL. Vertices are rounded to single precision: grow the piece first ([`f32_growth`]).
///
/// # Errors
/// Returns the writer's error; refuses a coordinate beyond single precision.
pub fn write_stl(piece: PieceMesh<'_>, mut out: &mut dyn Write) -> io::Result<()> {
    u32::try_from(piece.triangles.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    let single = |v: &Vec3| [v.x as f32, v.y as f32, v.z as f32];
    if !piece.vertices.iter().all(|v| single(v).iter().all(|x| x.is_finite())) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a coordinate is beyond single precision"));
    }
    let facets = piece.triangles.iter().map(|t| {
        let corners = t.map(|v| piece.vertices[v as usize]);
        let [a, b, c] = &corners;
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        stl_io::Triangle {
            normal: stl_io::Normal::new(single(&normal)),
            vertices: corners.map(|v| stl_io::Vertex::new(single(&v))),
        }
    });
    stl_io::write_stl(&mut out, facets)
}

/// Growth factor k of a piece against rounding (0 < k < 1). Scaled by 1 + k about the centre of an inner ball and then
/// rounded to single precision, the piece contains its original. `max_abs` is its largest coordinate, `radius` that of
/// the ball; `None` if the ball is too small.
///
/// Rounding moves a vertex by at most δ = √3 · 2⁻²⁴ · the largest coordinate. A convex piece with an inner ball of
/// radius r, scaled by 1 + k, contains every point within k·r of the original.
pub fn f32_growth(max_abs: f64, radius: f64) -> Option<f64> {
    // Upper bound of δ: 2 instead of √3, and times 3, since grown coordinates stay below 3 times the largest.
    let moved = 6.0 * 0.5 * f64::from(f32::EPSILON) * max_abs + f64::from(f32::MIN_POSITIVE);
    Some(moved / radius).filter(|k| *k < 1.0)
}
