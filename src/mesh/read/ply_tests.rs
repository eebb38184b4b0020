//! Tests of the reader of PLY.

use crate::mesh::read::{MeshFormat, load};
use std::fmt::Write as _;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// A tetrahedron as text, with other elements and properties around the ones that count.
fn ascii() -> String {
    let mut text = String::from(
        "ply\nformat ascii 1.0\ncomment made by hand\nobj_info none\nelement camera 1\nproperty list uchar float view\n\
         element vertex 4\nproperty uchar red\nproperty float x\nproperty float y\nproperty float z\n\
         element face 4\nproperty float quality\nproperty list uchar uint vertex_indices\n\
         property list uchar float texcoord\nelement edge 1\nproperty int a\nproperty int b\nend_header\n3 1 2 3\n",
    );
    for [x, y, z] in CORNERS {
        writeln!(text, "255 {x} {y} {z}").unwrap();
    }
    for [a, b, c] in FACES {
        writeln!(text, "0.5 3 {a} {b} {c} 2 0.1 0.2").unwrap();
    }
    text + "0 1\n"
}

/// The same tetrahedron in binary. `swap` turns the bytes of a value to the order of the file.
fn binary(format: &str, swap: fn(&mut [u8])) -> Vec<u8> {
    let text = ascii();
    let end = text.find("end_header\n").unwrap() + "end_header\n".len();
    let mut bytes = text[..end].replace("ascii", format).into_bytes();
    let mut put = |value: &[u8]| {
        let mut value = value.to_vec();
        swap(&mut value);
        bytes.extend(value);
    };
    put(&[3]);
    (0..3).for_each(|_| put(&1f32.to_le_bytes()));
    for p in CORNERS {
        put(&[255]);
        for x in p {
            put(&x.to_le_bytes());
        }
    }
    for f in FACES {
        put(&0.5f32.to_le_bytes());
        put(&[3]);
        for i in f {
            put(&i.to_le_bytes());
        }
        put(&[2]);
        (0..2).for_each(|_| put(&0.1f32.to_le_bytes()));
    }
    (0..2).for_each(|_| put(&1i32.to_le_bytes()));
    bytes
}

fn little() -> Vec<u8> {
    binary("binary_little_endian", |_| {})
}

fn error(bytes: impl AsRef<[u8]>) -> String {
    load(bytes.as_ref()).unwrap_err().to_string()
}

#[test]
fn three_encodings_give_the_same_solid() {
    let files = [ascii().into_bytes(), little(), binary("binary_big_endian", <[u8]>::reverse)];
    let meshes = files.map(|bytes| load(&bytes).unwrap());
    for loaded in &meshes {
        assert_eq!((loaded.format, loaded.single_precision), (MeshFormat::Ply, true));
        assert!((loaded.health.volume.unwrap() - 1.0 / 6.0).abs() < 1e-15 && !loaded.health.inside_out);
        assert_eq!(loaded.mesh, meshes[0].mesh);
    }
}

#[test]
fn line_ends_and_element_order_are_free() {
    let expected = load(ascii().as_bytes()).unwrap().mesh;
    for end in ["\r\n", "\r"] {
        assert_eq!(load(ascii().replace('\n', end).as_bytes()).unwrap().mesh, expected);
    }
    let faces_first = "ply\nformat ascii 1.0\nelement face 4\nproperty list uchar int vertex_index\nelement vertex 4\n\
                       property double x\nproperty double y\nproperty double z\nend_header\n3 0 2 1\n3 0 1 3\n3 1 2 3\n\
                       3 2 0 3\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    let loaded = load(faces_first.as_bytes()).unwrap();
    assert_eq!((loaded.mesh, loaded.single_precision), (expected, false));
}

#[test]
fn a_row_may_have_more_values_than_the_header() {
    let expected = load(ascii().as_bytes()).unwrap().mesh;
    let text = ascii().replace(" 0.1 0.2\n", " 0.1 0.2 9 1 1 1 1 1 1 1 1 1 \n");
    assert_eq!(load(text.as_bytes()).unwrap().mesh, expected);
    // Two rows on one line are fewer rows than the header announces.
    assert!(load(ascii().replace("255 1 0 0\n", "255 1 0 0 ").as_bytes()).is_err());
}

#[test]
fn polygons_become_triangles() {
    let pyramid = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 5\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 3\n\
                   4 3 2 1 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n";
    let loaded = load(pyramid.as_bytes()).unwrap();
    assert_eq!((loaded.health.triangles, loaded.health.volume), (6, Some(1.0)));
}

#[test]
fn errors_have_a_place_and_a_fix() {
    let text = ascii();
    for (from, to, says) in [
        ("255 1 0 0", "255 1 nan 0", "22:7: expected a number, found `nan`"),
        ("255 1 0 0", "255 1 1e99 0", "22:7: the coordinate 1e99 is beyond"),
        ("0.5 3 0 2 1", "0.5 3 0 2 4", "25:11: face index 4, but only 4 vertices"),
        ("0.5 3 0 2 1", "0.5 3 0 2 -1", "25:11: face index -1"),
        ("0.5 3 0 2 1", "0.5 2 0 2", "a face with 2 corners"),
        ("ascii", "utf8", "2:8: unknown PLY format `utf8`"),
        ("property float x", "property half x", "9:10: unknown PLY type `half`"),
        ("property float x", "property float r", "vertices without x, y and z"),
        ("vertex_indices", "indices", "faces without a list `vertex_indices`"),
        ("element vertex 4", "element vertex many", "7:16: expected the number of elements"),
        ("element face 4", "element tristrips 4", "triangle strips in a PLY; triangulate the mesh on export"),
        ("end_header", "end", "19:1: expected a word of a PLY header, found `end`"),
        ("list uchar float texcoord", "list float float texcoord", "a list with a length of type `float`"),
    ] {
        let found = error(text.replacen(from, to, 1));
        assert!(found.contains(says), "{from}: {found}");
    }
    let bytes = little();
    assert!(error(&bytes[..bytes.len() - 3]).starts_with(&format!("byte {}: truncated PLY", bytes.len() - 3)));
    assert!(error("ply\nformat ascii 1.0\nelement").contains("number of elements"));
    assert!(error("ply\nformat ascii 1.0\n").contains("without `end_header`"));
    let empty =
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
    assert!(error(empty).contains("no triangles"));
}

#[test]
fn lying_counts_end_at_once() {
    for count in ["4294967296", "18446744073709551615"] {
        for element in ["vertex", "face", "camera", "edge"] {
            for bytes in [ascii().into_bytes(), little()] {
                let text = String::from_utf8_lossy(&bytes[..430]).into_owned();
                let line = format!("element {element} ");
                let at = text.find(&line).unwrap() + line.len();
                let bytes = [&bytes[..at], count.as_bytes(), &bytes[at + 1..]].concat();
                assert!(load(&bytes).is_err(), "{element} {count}");
            }
        }
    }
    // Rows without properties take no bytes.
    let rows = ascii().replace("element edge 1", "element nothing 18446744073709551615\nelement edge 1");
    assert!(load(rows.as_bytes()).is_ok());
}
