//! Writes the measures of mesh files, in the unit of each file.

use crate::error::WarningCode;
use crate::geom::unit::format_number;
use crate::geom::{Aabb, LengthUnit, Obb};
use crate::json::write::write_json;
use crate::report::json::MinMax;
use crate::report::number::count;
use crate::report::text::{Paint, painted, shown};
use crate::report::{Format, table};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Measures of one mesh file. Lengths, areas and volumes in the file's own unit.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Path as given by the user, with `/`.
    pub path: String,
    /// Name of the format, as in `stl-binary`.
    pub format: String,
    /// Number of `solid` blocks of an ASCII STL; 1 for other formats.
    pub solids: u64,
    /// Number of triangles, after triangulation of the file's faces.
    pub triangles: u64,
    /// Number of vertices, after merging.
    pub vertices: u64,
    /// Number of shells: connected pieces of surface.
    pub shells: u64,
    /// True if every edge has as many triangles in one direction as in the other.
    pub closed: bool,
    /// Number of edges of one triangle.
    pub open_edges: u64,
    /// Number of edges of more than two triangles.
    pub non_manifold_edges: u64,
    /// Number of edges of two triangles in the same direction.
    pub misoriented_edges: u64,
    /// Number of triangles without area.
    pub degenerate_triangles: u64,
    /// Number of triangles with the three corners of an earlier one.
    pub duplicate_triangles: u64,
    /// True if the mesh is closed and an outermost shell is wound inside out.
    pub inside_out: bool,
    /// Enclosed volume; `None` for an open mesh.
    pub volume: Option<f64>,
    /// Sum of the areas of the triangles.
    pub area: f64,
    /// Axis-aligned box.
    pub bounds: Aabb,
    /// Oriented box.
    pub obb: Obb,
    /// Convex hull.
    pub hull: HullReport,
    /// Ratio of the volume to the hull's volume; `None` without a volume or for a flat hull.
    pub convexity: Option<f64>,
    /// Largest sagitta of the facets.
    pub facet_error: f64,
    /// Repairs and defects: code and message.
    pub warnings: Vec<(WarningCode, String)>,
}

/// Measures of the convex hull of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct HullReport {
    /// Number of extreme points.
    pub vertices: u64,
    /// Number of flat faces, with any number of corners; 0 for a flat mesh.
    pub facets: u64,
    /// Volume; 0 for a flat mesh.
    pub volume: f64,
}

/// Writes the measures, one mesh after the other.
///
/// # Errors
/// Returns the writer's error.
pub fn render(meshes: &[MeshReport], format: Format, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&Document { version: 1, meshes: Meshes(meshes) }, out),
        _ => render_table(meshes, colour, out),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    meshes: Meshes<'a>,
}

struct Meshes<'a>(&'a [MeshReport]);

impl Serialize for Meshes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Row::new))
    }
}

#[derive(Serialize)]
struct Row<'a> {
    path: &'a str,
    format: &'a str,
    solids: u64,
    triangles: u64,
    vertices: u64,
    shells: u64,
    closed: bool,
    open_edges: u64,
    non_manifold_edges: u64,
    misoriented_edges: u64,
    degenerate_triangles: u64,
    duplicate_triangles: u64,
    inside_out: bool,
    volume: Option<f64>,
    area: f64,
    bounds: MinMax,
    obb: ObbRow,
    hull: HullReport,
    convexity: Option<f64>,
    facet_error: f64,
    warnings: Vec<WarningRow<'a>>,
}

#[derive(Serialize)]
struct ObbRow {
    center: [f64; 3],
    axes: [[f64; 3]; 3],
    half_extents: [f64; 3],
}

#[derive(Serialize)]
struct WarningRow<'a> {
    code: WarningCode,
    message: &'a str,
}

impl<'a> Row<'a> {
    fn new(m: &'a MeshReport) -> Self {
        Self {
            path: &m.path,
            format: &m.format,
            solids: m.solids,
            triangles: m.triangles,
            vertices: m.vertices,
            shells: m.shells,
            closed: m.closed,
            open_edges: m.open_edges,
            non_manifold_edges: m.non_manifold_edges,
            misoriented_edges: m.misoriented_edges,
            degenerate_triangles: m.degenerate_triangles,
            duplicate_triangles: m.duplicate_triangles,
            inside_out: m.inside_out,
            volume: m.volume,
            area: m.area,
            // The box is already in the file's unit: `Mm` keeps its numbers.
            bounds: MinMax::new(&m.bounds, LengthUnit::Mm),
            obb: ObbRow {
                center: m.obb.center.into(),
                axes: [0, 1, 2].map(|k| m.obb.axes.column(k).into_owned().into()),
                half_extents: m.obb.half_extents.into(),
            },
            hull: m.hull,
            convexity: m.convexity,
            facet_error: m.facet_error,
            warnings: m.warnings.iter().map(|(code, message)| WarningRow { code: *code, message }).collect(),
        }
    }
}

fn render_table(meshes: &[MeshReport], colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    if !meshes.is_empty() {
        let mut grid = table::grid(&HEADINGS, &[2, 3, 5, 7]);
        for m in meshes {
            grid.add_row(cells(m));
        }
        for (line, text) in grid.lines().enumerate() {
            let text = text.trim_end();
            if line == 0 {
                writeln!(out, "{}", painted(text, Paint::Bold, colour))?;
            } else {
                writeln!(out, "{text}")?;
            }
        }
    }
    let warnings = || meshes.iter().flat_map(|m| m.warnings.iter().map(move |w| (m, w)));
    if warnings().next().is_some() {
        writeln!(out)?;
    }
    for (m, (code, message)) in warnings() {
        let word = painted("warning:", Paint::Warn, colour);
        writeln!(out, "{word} {}: {} [{code}]", shown(&m.path), shown(message))?;
    }
    out.flush()
}

const HEADINGS: [&str; 9] =
    ["mesh", "format", "triangles", "shells", "size", "volume", "inside", "convexity", "defects"];

fn cells(m: &MeshReport) -> [String; 9] {
    let size = m.bounds.max - m.bounds.min;
    let inside = match (m.closed, m.inside_out) {
        (true, false) => "closed",
        (true, true) => "closed, inside out",
        (false, _) if m.open_edges > 0 => "open",
        // Every edge has two triangles or more, with conflicting directions or numbers.
        (false, _) => "not closed",
    };
    [
        shown(&m.path).into_owned(),
        m.format.clone(),
        m.triangles.to_string(),
        m.shells.to_string(),
        format!("{} x {} x {}", format_number(size.x), format_number(size.y), format_number(size.z)),
        m.volume.map(format_number).unwrap_or_default(),
        inside.to_owned(),
        m.convexity.map(format_number).unwrap_or_default(),
        defects(m),
    ]
}

fn defects(m: &MeshReport) -> String {
    let kinds = [
        (m.open_edges, "open edge"),
        (m.non_manifold_edges, "non-manifold edge"),
        (m.misoriented_edges, "misoriented edge"),
        (m.degenerate_triangles, "degenerate triangle"),
        (m.duplicate_triangles, "duplicate triangle"),
    ];
    let found: Vec<_> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| count(*n, noun)).collect();
    if found.is_empty() { "none".to_owned() } else { found.join(", ") }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::geom::{Mat3, Vec3};

    pub(crate) fn bracket() -> MeshReport {
        MeshReport {
            path: "parts/bracket.stl".to_owned(),
            format: "stl-binary".to_owned(),
            solids: 1,
            triangles: 1200,
            vertices: 598,
            shells: 1,
            closed: true,
            open_edges: 0,
            non_manifold_edges: 0,
            misoriented_edges: 0,
            degenerate_triangles: 0,
            duplicate_triangles: 0,
            inside_out: false,
            volume: Some(5123.4),
            area: 2210.9,
            bounds: Aabb { min: Vec3::zeros(), max: Vec3::new(40.0, 25.0, 12.0) },
            obb: Obb {
                center: Vec3::new(20.0, 12.5, 6.0),
                axes: Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, -0.0, 0.0, 0.0, 1.0),
                half_extents: Vec3::new(12.5, 20.0, 6.0),
            },
            hull: HullReport { vertices: 84, facets: 122, volume: 8011.2 },
            convexity: Some(0.6395),
            facet_error: 0.004,
            warnings: vec![(
                WarningCode::Welded,
                "166 edges closed by merging vertices within 4 float32 steps".to_owned(),
            )],
        }
    }

    fn sheet() -> MeshReport {
        MeshReport {
            path: "sheet\u{1b}[2J.obj".to_owned(),
            format: "obj".to_owned(),
            closed: false,
            open_edges: 4,
            duplicate_triangles: 1,
            volume: None,
            hull: HullReport::default(),
            convexity: None,
            facet_error: 0.0,
            warnings: Vec::new(),
            ..bracket()
        }
    }

    fn text(meshes: &[MeshReport], format: Format) -> String {
        let mut out = Vec::new();
        render(meshes, format, false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_has_every_key_and_columns_as_axes() {
        let text = text(&[bracket(), sheet()], Format::Json);
        insta::assert_snapshot!(text, @r#"
        {
          "version": 1,
          "meshes": [
            {"path": "parts/bracket.stl", "format": "stl-binary", "solids": 1, "triangles": 1200, "vertices": 598, "shells": 1, "closed": true, "open_edges": 0, "non_manifold_edges": 0, "misoriented_edges": 0, "degenerate_triangles": 0, "duplicate_triangles": 0, "inside_out": false, "volume": 5123.4, "area": 2210.9, "bounds": {"min": [0, 0, 0], "max": [40, 25, 12]}, "obb": {"center": [20, 12.5, 6], "axes": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], "half_extents": [12.5, 20, 6]}, "hull": {"vertices": 84, "facets": 122, "volume": 8011.2}, "convexity": 0.6395, "facet_error": 0.004, "warnings": [{"code": "welded", "message": "166 edges closed by merging vertices within 4 float32 steps"}]},
            {"path": "sheet\u001b[2J.obj", "format": "obj", "solids": 1, "triangles": 1200, "vertices": 598, "shells": 1, "closed": false, "open_edges": 4, "non_manifold_edges": 0, "misoriented_edges": 0, "degenerate_triangles": 0, "duplicate_triangles": 1, "inside_out": false, "volume": null, "area": 2210.9, "bounds": {"min": [0, 0, 0], "max": [40, 25, 12]}, "obb": {"center": [20, 12.5, 6], "axes": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], "half_extents": [12.5, 20, 6]}, "hull": {"vertices": 0, "facets": 0, "volume": 0}, "convexity": null, "facet_error": 0, "warnings": []}
          ]
        }
        "#);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["meshes"][0]["obb"]["axes"][0], serde_json::json!([0, 1, 0]));
        assert_eq!(json["meshes"][1]["volume"], serde_json::Value::Null);
    }

    #[test]
    fn table_names_size_and_defects() {
        insta::assert_snapshot!(text(&[bracket(), sheet()], Format::Table), @r#"
        mesh                format      triangles  shells  size          volume  inside  convexity  defects
        parts/bracket.stl   stl-binary       1200       1  40 x 25 x 12    5123  closed     0.6395  none
        sheet\u{1b}[2J.obj  obj              1200       1  40 x 25 x 12          open               4 open edges, 1 duplicate triangle

        warning: parts/bracket.stl: 166 edges closed by merging vertices within 4 float32 steps [welded]
        "#);
    }

    #[test]
    fn no_mesh_is_an_empty_list() {
        assert_eq!(text(&[], Format::Json), "{\n  \"version\": 1,\n  \"meshes\": []\n}\n");
        assert_eq!(text(&[], Format::Table), "");
    }
}
