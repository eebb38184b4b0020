//! Tests of reading binary STL piece by piece.

use crate::mesh::read::tests::{TETRAHEDRON, ascii, binary};
use crate::mesh::read::{load, load_streamed};

#[test]
fn pieces_of_a_file_give_the_same_mesh() {
    let shifted = |k: u16| TETRAHEDRON.map(|facet| facet.map(|p| [p[0] + f32::from(k), p[1], p[2]]));
    let many: Vec<_> = (0..2500).flat_map(shifted).collect();
    for facets in [&many[..], &many[..1], &many[..4096], &many[..4097]] {
        let bytes = binary(b"solid in pieces", facets);
        let streamed = load_streamed(&mut bytes.as_slice(), bytes.len() as u64).unwrap();
        let whole = load(&bytes).unwrap();
        assert_eq!((streamed.mesh, streamed.health), (whole.mesh, whole.health));
        assert_eq!((streamed.half_edges, streamed.format), (whole.half_edges, whole.format));
        assert!(streamed.single_precision && streamed.warnings == whole.warnings);
    }
}

#[test]
fn other_files_are_not_read_in_pieces() {
    let good = binary(b"", &TETRAHEDRON);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        bytes
    };
    let refused = [
        with(&|b| b.truncate(200)),
        with(&|b| b.push(0)),
        with(&|b| b[96..100].copy_from_slice(&f32::NAN.to_le_bytes())),
        with(&|b| b[..4].copy_from_slice(b"ply\n")),
        binary(b"", &[]),
        ascii(&TETRAHEDRON, "\n").into_bytes(),
        Vec::new(),
    ];
    for bytes in refused {
        assert!(load_streamed(&mut bytes.as_slice(), bytes.len() as u64).is_none());
    }
    // A file that grew shorter after its length was taken.
    assert!(load_streamed(&mut &good[..200], good.len() as u64).is_none());
}
