use crate::error::{Warning, WarningCode};
use crate::geom::Vec3;
use crate::report::Format;
use crate::report::decompose::*;

fn report() -> DecomposeReport {
    DecomposeReport {
        mesh: "parts/bracket.stl".to_owned(),
        output: "out.obj".to_owned(),
        triangles: 1200,
        pieces: 12,
        epsilon: Some(0.041_666_666_7),
        asked: 0.05,
        volume: Some(5000.0),
        pieces_volume: 5250.0,
        union_volume: Some(5100.0),
        grown: None,
        seconds: 0.125,
        warnings: vec![Warning::new(WarningCode::Welded, "3 edges closed by merging vertices within 4 float32 steps")],
    }
}

fn text(r: &DecomposeReport, format: Format) -> String {
    let mut out = Vec::new();
    render(r, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn text_describes_output_and_its_quality() {
    insta::assert_snapshot!(text(&report(), Format::Table), @r"
    parts/bracket.stl: 1200 triangles, 12 convex pieces in out.obj
    epsilon: 0.04167: largest overshoot of a piece; requested: 0.05
    volume: mesh 5000; pieces 1.05× (sum), 1.02× (union)
    time: 0.12 s
    ");
    let hull = DecomposeReport {
        epsilon: None,
        volume: None,
        pieces: 1,
        grown: Some(1e-5),
        output: "out/".to_owned(),
        ..report()
    };
    insta::assert_snapshot!(text(&hull, Format::Table), @r"
    parts/bracket.stl: 1200 triangles, 1 convex piece in out/
    epsilon: none: the mesh has no inside, so the piece is its convex hull
    single precision: each piece is enlarged by up to 1e-5, so the rounded pieces still cover the mesh
    time: 0.12 s
    ");
}

#[test]
fn json_has_all_digits_and_null_for_unknown() {
    insta::assert_snapshot!(text(&report(), Format::Json), @r#"
    {
      "version": 1,
      "mesh": "parts/bracket.stl",
      "output": "out.obj",
      "triangles": 1200,
      "pieces": 12,
      "epsilon": 0.0416666667,
      "epsilon_asked": 0.05,
      "volume": 5000,
      "pieces_volume": 5250,
      "union_volume": 5100,
      "volume_ratio": 1.05,
      "union_ratio": 1.02,
      "grown": null,
      "seconds": 0.125,
      "warnings": [
        {"code": "welded", "message": "3 edges closed by merging vertices within 4 float32 steps"}
      ]
    }
    "#);
    let unknown = DecomposeReport { epsilon: None, volume: None, union_volume: None, ..report() };
    let json: serde_json::Value = serde_json::from_str(&text(&unknown, Format::Json)).unwrap();
    for key in ["epsilon", "volume", "union_volume", "volume_ratio", "union_ratio", "grown"] {
        assert!(json.as_object().unwrap().contains_key(key) && json[key].is_null(), "{key}");
    }
}

#[test]
fn growth_exceeds_single_precision_rounding() {
    // A coordinate of 1000 is rounded by up to 2⁻¹⁵ = 3.1e-5, a vertex by √3 times as much.
    let k = f32_growth(1000.0, 0.5).unwrap();
    assert!(k * 0.5 > 3.0_f64.sqrt() * 1000.0 * 2.0_f64.powi(-24) && k * 0.5 < 1e-3, "{k}");
    assert_eq!((f32_growth(1000.0, 0.0), f32_growth(1000.0, 1e-5)), (None, None));
}

#[test]
fn obj_has_one_object_per_piece() {
    let a = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.1, 0.2, 1e-7)];
    let piece = PieceMesh { vertices: &a, triangles: &[[0, 2, 1], [0, 1, 3]] };
    let mut out = Vec::new();
    write_obj("a\nb.stl", [piece, piece], &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# interfere") && lines[0].ends_with("cover a\\nb.stl"), "{}", lines[0]);
    assert_eq!(
        &lines[1..8],
        ["o piece-001", "v 0.0 0.0 0.0", "v 1.0 0.0 0.0", "v 0.0 1.0 0.0", "v 0.1 0.2 1e-7", "f 1 3 2", "f 1 2 4"]
    );
    assert_eq!((lines[8], lines[13], lines.len()), ("o piece-002", "f 5 7 6", 15));
}

#[test]
fn stl_has_triangle_count_and_refuses_float_overflow() {
    let a = [Vec3::zeros(), Vec3::x(), Vec3::y()];
    let mut out = Vec::new();
    write_stl(PieceMesh { vertices: &a, triangles: &[[0, 1, 2]] }, &mut out).unwrap();
    assert_eq!((out.len(), &out[80..84], out[..6] != *b"solid "), (134, &1_u32.to_le_bytes()[..], true));
    assert_eq!(out[84..96], [0_f32, 0.0, 1.0].map(f32::to_le_bytes).concat());
    let far = [Vec3::zeros(), Vec3::x() * 1e39, Vec3::y()];
    assert!(write_stl(PieceMesh { vertices: &far, triangles: &[[0, 1, 2]] }, &mut Vec::new()).is_err());
}
