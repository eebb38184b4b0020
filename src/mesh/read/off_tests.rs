//! Tests of the reader of OFF.

use crate::mesh::read::off::keyword;
use crate::mesh::read::{MeshFormat, load};

const TETRAHEDRON: &str = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

fn error(text: &str) -> String {
    load(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn variants_give_the_same_solid() {
    let expected = load(TETRAHEDRON.as_bytes()).unwrap();
    assert_eq!((expected.format, expected.health.volume.map(|v| 6.0 * v)), (MeshFormat::Off, Some(1.0)));
    let colours =
        TETRAHEDRON.replace("OFF", "COFF").replace(" 0 0\n", " 0 0 1 0 0 1\n").replace(" 2 1\n", " 2 1 0.5\n");
    for text in [
        TETRAHEDRON.replace('\n', "\r\n"),
        TETRAHEDRON.replacen("OFF\n", "OFF # a solid\n#\n\n", 1).replace("1 0 0\n", "1 0 0 # corner\n"),
        TETRAHEDRON.replacen("OFF\n", " \t OFF", 1),
        TETRAHEDRON.replacen("OFF\n", "NOFF ", 1),
        TETRAHEDRON.replacen("OFF", "STCNOFF", 1),
        colours,
    ] {
        assert_eq!(load(text.as_bytes()).unwrap().mesh, expected.mesh, "{text}");
    }
}

#[test]
fn polygons_become_triangles() {
    let pyramid =
        "OFF 5 5 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 3\n4 3 2 1 0 255 0 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
    let loaded = load(pyramid.as_bytes()).unwrap();
    assert_eq!((loaded.health.triangles, loaded.health.volume), (6, Some(1.0)));
}

#[test]
fn errors_have_a_place_and_a_fix() {
    for (from, to, says) in [
        ("4 4 6", "-4 4 6", "2:1: expected a whole number, found `-4`"),
        ("4 4 6", "4 many 6", "2:3: expected a whole number, found `many`"),
        ("1 0 0", "1 x 0", "4:3: expected a coordinate, found `x`"),
        ("1 0 0", "1 1e99 0", "4:3: the coordinate 1e99 is beyond"),
        ("3 0 2 1", "3 0 2 4", "7:7: face index 4, but only 4 vertices"),
        ("3 0 2 1", "2 0 2", "7:1: a face with 2 corners"),
        ("4 4 6", "4 5 6", "truncated OFF"),
        ("4 4 6", "4294967295 4 6", "expected a coordinate"),
        ("4 4 6", "4 4294967295 6", "truncated OFF"),
        ("OFF\n", "OFF BINARY\n", "1:5: a binary OFF file; export it as text"),
        ("OFF\n", "4OFF\n", "more than 3 dimensions"),
    ] {
        let found = error(&TETRAHEDRON.replacen(from, to, 1));
        assert!(found.contains(says), "{from}: {found}");
    }
    assert!(error("OFF\n0 0 0\n").contains("no triangles"));
}

#[test]
fn other_words_are_no_off() {
    for text in ["off", "OFFSET 1", "XOFF", "COFFEE", "v OFF", ""] {
        assert_eq!(keyword(text.as_bytes()), None, "{text}");
    }
}
