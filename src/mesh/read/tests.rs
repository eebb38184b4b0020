//! Tests of the readers on peculiarities of real files; the replaced libraries are the oracles.

use crate::mesh::read::*;
use std::fmt::Write as _;

const ONE_FACET: &str = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

/// A tetrahedron with legs of 1 and a volume of 1/6.
pub(crate) const TETRAHEDRON: [[[f32; 3]; 3]; 4] = {
    const O: [f32; 3] = [0.0, 0.0, 0.0];
    const X: [f32; 3] = [1.0, 0.0, 0.0];
    const Y: [f32; 3] = [0.0, 1.0, 0.0];
    const Z: [f32; 3] = [0.0, 0.0, 1.0];
    [[O, Y, X], [O, X, Z], [X, Y, Z], [Y, O, Z]]
};

const TETRAHEDRON_OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

pub(crate) fn binary(header: &[u8], facets: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend((facets.len() as u32).to_le_bytes());
    for facet in facets {
        bytes.extend([0xff; 12]);
        bytes.extend(facet.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([1, 0x80]);
    }
    bytes
}

pub(crate) fn ascii(facets: &[[[f32; 3]; 3]], end: &str) -> String {
    let mut text = String::new();
    for facet in facets {
        write!(text, "facet normal nan nan nan{end}outer loop{end}").unwrap();
        for p in facet {
            write!(text, " vertex {:e} {} {}{end}", p[0], p[1], p[2]).unwrap();
        }
        write!(text, "endloop{end}endfacet{end}").unwrap();
    }
    text
}

fn codes(loaded: &LoadedMesh) -> Vec<&'static str> {
    loaded.warnings.iter().map(|w| w.code.name()).collect()
}

fn is_tetrahedron(bytes: &[u8]) -> LoadedMesh {
    let loaded = load(bytes).unwrap();
    let h = loaded.health;
    assert_eq!((h.triangles, h.vertices, h.closed, h.shells), (4, 4, true, 1));
    assert!((h.volume.unwrap() - 1.0 / 6.0).abs() < 1e-15);
    loaded
}

fn error(bytes: &[u8]) -> String {
    load(bytes).unwrap_err().to_string()
}

#[test]
fn binary_is_recognised_by_length_for_any_header() {
    for header in [b"solid part".as_slice(), b"", b"COLOR=abcd", b"facet normal", &[0xff; 80]] {
        let loaded = is_tetrahedron(&binary(header, &TETRAHEDRON));
        assert_eq!((loaded.format, loaded.single_precision), (MeshFormat::StlBinary, true));
        assert!(loaded.warnings.is_empty());
    }
}

#[test]
fn trailing_bytes_after_binary_facets_are_reported() {
    let mut bytes = binary(b"solid x", &TETRAHEDRON);
    bytes.push(b'\n');
    let loaded = is_tetrahedron(&bytes);
    assert_eq!(codes(&loaded), ["trailing-bytes"]);
    assert!(loaded.warnings[0].message.starts_with("1 bytes after"));
}

#[test]
fn truncated_binary_error_gives_position() {
    let bytes = binary(b"", &TETRAHEDRON);
    for length in [84, 100, 134, 283] {
        let e = load(&bytes[..length]).unwrap_err();
        assert_eq!(e.byte, Some(length as u64));
        assert!(e.what.starts_with("truncated binary STL: the header announces 4 triangles"), "{}", e.what);
    }
    let mut huge = bytes.clone();
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(error(&huge).contains("announces 4294967295 triangles, the file ends after 4"));
    assert!(error(&bytes[..40]).contains("not an STL, OBJ, PLY or OFF mesh"));
}

#[test]
fn a_binary_file_of_no_triangles_is_an_error() {
    assert!(error(&binary(b"", &[])).contains("no triangles"));
    let mut unpatched = binary(b"", &TETRAHEDRON);
    unpatched[80..84].fill(0);
    assert!(error(&unpatched).contains("announces 0, though 200 bytes follow"));
}

#[test]
fn bad_binary_coordinate_gives_byte_offset() {
    let mut facets = TETRAHEDRON;
    facets[2][1][2] = f32::NAN;
    let e = load(&binary(b"", &facets)).unwrap_err();
    assert_eq!(e.byte, Some(84 + 100 + 24 + 8));
    facets[2][1][2] = 1e20;
    assert!(error(&binary(b"", &facets)).contains("beyond 1e15"));
}

#[test]
fn minus_zero_is_zero() {
    let mut facets = TETRAHEDRON;
    facets[0][0] = [-0.0, 0.0, -0.0];
    facets[3][1] = [0.0, -0.0, 0.0];
    is_tetrahedron(&binary(b"", &facets));
}

#[test]
fn ascii_accepts_any_line_ending_and_keyword_case() {
    for end in ["\n", "\r\n", "\r", " "] {
        let body = ascii(&TETRAHEDRON, end);
        for text in [
            format!("solid name{end}{body}endsolid name{end}"),
            format!("solid{end}{body}endsolid{end}"),
            format!("\u{feff}  solid{end}{body}endsolid"),
            format!("SOLID X{end}{}ENDSOLID X{end}", body.to_uppercase().replace("NAN", "nan")),
        ] {
            let loaded = is_tetrahedron(text.as_bytes());
            assert_eq!((loaded.format, loaded.solids, codes(&loaded)), (MeshFormat::StlAscii, 1, vec![]), "{text}");
        }
    }
}

#[test]
fn every_solid_of_an_ascii_file_counts() {
    for end in ["\n", " "] {
        let (a, b) = (ascii(&TETRAHEDRON[..2], end), ascii(&TETRAHEDRON[2..], end));
        let text = format!("solid a{end}{a}endsolid a{end}solid b{end}{b}endsolid b{end}");
        assert_eq!(is_tetrahedron(text.as_bytes()).solids, 2);
        let loaded = is_tetrahedron(format!("solid a{end}{a}solid b{end}{b}endsolid b{end}").as_bytes());
        assert_eq!((loaded.solids, codes(&loaded)), (2, vec!["missing-endsolid"]));
    }
}

#[test]
fn names_may_hold_keywords_and_bytes_of_any_encoding() {
    let mut bytes = b"solid facet endsolid \xe4\xff solid\n".to_vec();
    bytes.extend(ascii(&TETRAHEDRON, "\n").bytes());
    bytes.extend(b"endsolid facet \xe4\n");
    assert_eq!(is_tetrahedron(&bytes).solids, 1);
}

#[test]
fn missing_endsolid_and_trailing_text_are_reported() {
    let body = ascii(&TETRAHEDRON, "\n");
    assert_eq!(codes(&is_tetrahedron(format!("solid\n{body}").as_bytes())), ["missing-endsolid"]);
    assert_eq!(codes(&is_tetrahedron(format!("solid\n{body}endsolid\nmade by hand").as_bytes())), ["trailing-bytes"]);
    assert!(load(format!("solid\n{body}endsolid\n{body}").as_bytes()).is_err());
}

#[test]
fn ascii_errors_name_line_column_and_word() {
    for (text, start) in [
        (ONE_FACET.replace("1 0 0", "1 blah 0"), "5:10: expected a coordinate, found `blah`"),
        (ONE_FACET.replace("1 0 0", "1 nan 0"), "5:10: expected a coordinate, found `nan`"),
        (ONE_FACET.replace("1 0 0", "1,5 0 0"), "5:8: expected a coordinate, found `1,5`"),
        (ONE_FACET.replace("1 0 0", "1e400 0 0"), "5:8: a coordinate is inf"),
        (ONE_FACET.replace("1 0 0", "1 0"), "6:1: expected a coordinate, found `vertex`"),
        (ONE_FACET.replace("facet normal 0 0 1\n", ""), "2:1: expected `facet` or `endsolid`, found `outer`"),
        (ONE_FACET.replace("outer loop\n", ""), "3:1: expected `outer loop`, found `vertex`"),
        (ONE_FACET.replace("vertex 0 1 0\n", ""), "2:1: a facet with 2 corners"),
        (ONE_FACET.replace("endloop", "vertex 1 1 1\nendloop"), "2:1: a facet with more than 3 corners"),
        (ONE_FACET.replace("endloop\n", ""), "7:1: expected `endloop`, found `endfacet`"),
        (ONE_FACET.replace("endfacet\n", ""), "8:1: expected `endfacet`, found `endsolid`"),
        (
            ONE_FACET.replace("endfacet\n", "endfacet\ncolour red\n"),
            "9:1: expected `facet` or `endsolid`, found `colour`",
        ),
    ] {
        let shown = error(format!("solid\n{text}endsolid\n").as_bytes());
        let start = start.replace("expected `facet` or `endsolid`, found `outer`", "`outer` outside a facet");
        assert!(shown.starts_with(&start), "{shown} / {start}");
    }
    let cut = format!("solid\n{ONE_FACET}facet normal 0 0 1\nouter loop\nvertex 0 0");
    assert!(error(cut.as_bytes()).contains("found the end of the file"));
    assert!(error(b"solid empty\nendsolid empty\n").contains("no triangles"));
}

#[test]
fn ascii_numbers_beyond_single_precision_are_detected() {
    let single = ascii(&[[[0.1, 0.2, 0.3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], "\n");
    let load = |text: &str| load(format!("solid\n{text}endsolid").as_bytes()).unwrap().single_precision;
    assert!(load(&single));
    assert!(load(&single.replace("vertex 1e0", "vertex 1.10000002384185791015625")));
    assert!(!load(&single.replace("vertex 1e0", "vertex 1.1000000000000001")));
}

#[test]
fn git_lfs_pointers_and_other_formats_are_named() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    assert_eq!(error(pointer), "a Git LFS pointer, not a mesh; run `git lfs pull`");
    for (bytes, word) in [
        (b"".as_slice(), "empty"),
        (b"ISO-10303-21;\nHEADER;", "STEP"),
        (b"<!DOCTYPE html><html>", "HTML"),
        (b"ply\nformat ascii 1.0\n", "PLY"),
        (
            b"PK\x03\x04 and some more, long enough to hold a count, that is more than eighty-four bytes in all\0\0",
            "zip",
        ),
        (b"\xff\xfes\0o\0l\0i\0d\0", "UTF-16"),
        (b"hello world", "not an STL, OBJ, PLY or OFF mesh"),
        (b"\0\x01\x02", "not an STL, OBJ, PLY or OFF mesh"),
    ] {
        assert!(error(bytes).contains(word), "{word}: {}", error(bytes));
    }
}

#[test]
fn obj_ignores_statements_except_v_and_f() {
    let text = format!(
        "# a comment \\\nmtllib C:\\x.mtl\no part\ng a b\ns off\nvn 0 0 1\nvt 0.5 0.5\nt 0 0\nusemtl red#1\nl 1 2\np 1\n{TETRAHEDRON_OBJ}"
    );
    assert_eq!(is_tetrahedron(text.as_bytes()).format, MeshFormat::Obj);
    for end in ["\r\n", "\r"] {
        is_tetrahedron(TETRAHEDRON_OBJ.replace('\n', end).as_bytes());
    }
    assert_eq!(
        codes(&is_tetrahedron(format!("{TETRAHEDRON_OBJ}surf 0 1 0 1 1 2\n").as_bytes())),
        ["free-form-ignored"]
    );
}

#[test]
fn obj_numbers_may_be_followed_by_weights_colours_and_comments() {
    for (from, to) in [
        ("v 1 0 0", "v 1 0 0 1.0"),
        ("v 1 0 0", "v 1 0 0 0.5 0.5 0.5"),
        ("v 1 0 0", "v  1.0e0\t0 -0#corner"),
        ("v 1 0 0", "v 1 \\\n 0 0"),
        ("v 1 0 0", "v 1\\\r\n 0 0"),
        ("f 1 2 4", "f 1 2\\\n 4 # face"),
        ("f 1 2 4", "f 1/1/1 2//2 4/7"),
        ("f 1 2 4", "f -4 -3 -1"),
        ("f 1 2 4", "f\t1 2  4  "),
    ] {
        is_tetrahedron(TETRAHEDRON_OBJ.replace(from, to).as_bytes());
    }
}

#[test]
fn obj_vertices_may_follow_faces_and_equal_ones_merge() {
    is_tetrahedron(b"f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    is_tetrahedron(
        TETRAHEDRON_OBJ.replace("v 0 0 1\n", "v 0 0 1\nv 1 0 0\nv 9 9 9\n").replace("f 1 2 4", "f 1 5 4").as_bytes(),
    );
}

#[test]
fn obj_errors_name_line_and_column() {
    for (from, to, start) in [
        ("f 2 3 4", "f 2 3", "7:1: a face with 2 corners"),
        ("f 2 3 4", "f", "7:1: a face with 0 corners"),
        ("f 2 3 4", "f 2 3 0", "7:7: face index 0: indices count from 1"),
        ("f 2 3 4", "f 2 3 5", "7:7: face index 5, but only 4 vertices"),
        ("f 2 3 4", "f 2 -5 4", "7:5: face index -5, but only 4 vertices before it"),
        ("f 2 3 4", "f 2 99999999999999999999999 4", "7:5: face index 99999999999999999999, but only"),
        ("f 2 3 4", "f 2 x 4", "7:5: expected a vertex index, found `x`"),
        ("f 2 3 4", "f 2 1.5 4", "7:5: expected a vertex index, found `1.5`"),
        ("v 0 1 0", "v 0 nan 0", "3:5: expected a coordinate, found `nan`"),
        ("v 0 1 0", "v 0 1", "3:6: a vertex with fewer than 3 numbers"),
        ("v 0 1 0", "v 0 1 # 0", "3:7: a vertex with fewer than 3 numbers"),
        ("v 0 1 0", "v 0 1e16 0", "3:5: the coordinate 1e16 is beyond 1e15"),
    ] {
        let shown = error(TETRAHEDRON_OBJ.replace(from, to).as_bytes());
        assert!(shown.starts_with(start), "{shown} / {start}");
    }
    assert!(error(b"v 0 0 0\nl 1 1\n").contains("no triangles"));
}

#[test]
fn obj_concave_polygons_keep_their_outline() {
    // A prism over a dart with its inward corner after the first: a fan from corner 1 leaves the dart. Area of the
    // dart: 2 − 1.5.
    let dart = [[2.0, -1.0], [0.5, 0.0], [2.0, 1.0], [0.0, 0.0]];
    let mut text = String::new();
    for z in [0, 1] {
        for p in dart {
            writeln!(text, "v {} {} {z}", p[0], p[1]).unwrap();
        }
    }
    text += "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let h = load(text.as_bytes()).unwrap().health;
    assert_eq!((h.triangles, h.closed, h.inside_out), (12, true, false));
    assert!((h.volume.unwrap() - 0.5).abs() < 1e-15);
    // Caps 2 · 0.5, sides 2·√(1 + 1.5²) + 2·√(2² + 1): only a correct triangulation has this area.
    let sides = 2.0 * (3.25f64.sqrt() + 5f64.sqrt());
    assert!((h.area - 1.0 - sides).abs() < 1e-12);
}

#[test]
fn a_crack_of_single_precision_is_closed_with_a_warning() {
    let mut facets = TETRAHEDRON;
    facets[0][2] = [1.0 + f32::EPSILON, 0.0, 0.0];
    let loaded = is_tetrahedron_nearly(&binary(b"", &facets));
    assert_eq!(loaded.warnings[0].message, "4 edges closed by merging vertices within 1 float32 steps");
}

fn is_tetrahedron_nearly(bytes: &[u8]) -> LoadedMesh {
    let loaded = load(bytes).unwrap();
    assert_eq!((codes(&loaded), loaded.health.closed, loaded.health.vertices), (vec!["welded"], true, 4));
    loaded
}

#[test]
fn stl_io_reads_the_same_vertices_in_the_same_order() {
    let bytes = binary(b"", &TETRAHEDRON);
    let theirs = stl_io::read_stl(&mut std::io::Cursor::new(&bytes)).unwrap();
    let ours = load(&bytes).unwrap().mesh;
    let vertices: Vec<[f64; 3]> = theirs.vertices.iter().map(|v| [0, 1, 2].map(|k| f64::from(v[k]))).collect();
    assert_eq!(ours.vertices.iter().map(|v| [v.x, v.y, v.z]).collect::<Vec<_>>(), vertices);
    let faces: Vec<_> = theirs.faces.iter().map(|f| f.vertices.map(|i| i as u32)).collect();
    assert_eq!(ours.triangles, faces);
}

#[test]
fn tobj_reads_the_same_faces() {
    let options = tobj::LoadOptions::default();
    let (models, _) =
        tobj::load_obj_buf(&mut std::io::Cursor::new(TETRAHEDRON_OBJ), &options, |_| Ok(Default::default())).unwrap();
    let ours = load(TETRAHEDRON_OBJ.as_bytes()).unwrap().mesh;
    let theirs = &models[0].mesh;
    let at = |i: u32| &theirs.positions[3 * i as usize..3 * i as usize + 3];
    for (t, face) in ours.triangles.iter().zip(theirs.indices.chunks(3)) {
        for (i, j) in t.iter().zip(face) {
            assert_eq!(ours.vertices[*i as usize].as_slice(), at(*j));
        }
    }
}

proptest::proptest! {
    #[test]
    fn readers_never_panic(start in 0usize..4, cut in 0usize..400, place in 0usize..400, with in proptest::collection::vec(0u8.., 0..6)) {
        let mut bytes = match start {
            0 => binary(b"solid", &TETRAHEDRON),
            1 => format!("solid a\n{}endsolid a\n", ascii(&TETRAHEDRON, "\n")).into_bytes(),
            2 => TETRAHEDRON_OBJ.as_bytes().to_vec(),
            _ => b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\\\n\nf 1/2 2 \\\n3 4 -1 # x\n".to_vec(),
        };
        let place = place.min(bytes.len());
        bytes.splice(place..place, with);
        bytes.truncate(bytes.len().saturating_sub(cut / 4));
        match load(&bytes) {
            Ok(loaded) => proptest::prop_assert!(loaded.health.area.is_finite()),
            Err(e) => proptest::prop_assert_eq!(e.to_string().lines().count(), 1),
        }
    }
}

#[test]
fn a_byte_order_mark_before_a_text_changes_nothing() {
    let off = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
               element face 4\nproperty list uchar int vertex_indices\nend_header\n\
               0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
    for text in [off, ply] {
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(is_tetrahedron(&marked).mesh, is_tetrahedron(text.as_bytes()).mesh);
    }
}
