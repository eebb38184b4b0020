//! Traps of COLLADA: places of the numbers in a source, comments within lists.

use crate::geom::Vec3;
use crate::import::ImportOptions;
use crate::import::collada::read;
use crate::import::collect::Collector;
use crate::mesh::TriMesh;

/// A tetrahedron of edge 1 with these numbers, this accessor and these corners.
fn mesh(numbers: &str, accessor: &str, corners: &str) -> Result<TriMesh, String> {
    let text = format!(
        "<COLLADA><library_geometries><geometry id='g'><mesh><source id='s'><float_array>{numbers}</float_array>\
         <technique_common>{accessor}</technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>\
         <triangles><input semantic='VERTEX' source='#v' offset='0'/><p>{corners}</p></triangles></mesh></geometry></library_geometries></COLLADA>"
    );
    let mut collector = Collector::new(&ImportOptions::default());
    read(text.as_bytes(), "a.dae", &mut collector).map_err(|problem| problem.what)
}

const CORNERS: &str = "0 2 1 0 1 3 1 2 3 2 0 3";
const NAMED: &str = "<param name='X'/><param name='Y'/><param name='Z'/>";

#[test]
fn an_accessor_says_where_the_coordinates_are() {
    let plain = "0 0 0 1 0 0 0 1 0 0 0 1";
    let expected = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    for (numbers, accessor) in [
        (plain.to_owned(), String::new()),
        (plain.to_owned(), format!("<accessor stride='3'>{NAMED}</accessor>")),
        (format!("7 7 7 {plain}"), format!("<accessor stride='3' offset='3'>{NAMED}</accessor>")),
        ("9 0 0 0 9 1 0 0 9 0 1 0 9 0 0 1".to_owned(), format!("<accessor stride='4'><param/>{NAMED}</accessor>")),
        ("0 0 0 9 1 0 0 9 0 1 0 9 0 0 1 9".to_owned(), "<accessor stride='4'/>".to_owned()),
        ("9 0 0 0 9 1 0 0 9 0 1 0 9 0 0 1".to_owned(), format!("<accessor stride='4' offset='1'>{NAMED}</accessor>")),
    ] {
        let found = mesh(&numbers, &accessor, CORNERS).unwrap_or_else(|e| panic!("{accessor}: {e}"));
        assert_eq!((found.vertices, found.triangles.len()), (expected.clone(), 4), "{accessor}");
    }
    for accessor in ["<accessor stride='2'/>", "<accessor stride='3'><param name='X'/><param/><param/></accessor>"] {
        let says = mesh(plain, accessor, CORNERS).expect_err(accessor);
        assert!(says.contains("fewer than 3 numbers"), "{says}");
    }
}

#[test]
fn a_comment_ends_no_list() {
    let found = mesh("0 0 0 1 0 0 <!-- y, z --> 0 1 0 0 0 1", "", "0 2 1 0 1 3 <!-- sides --> 1 2 3 2 0 3").unwrap();
    assert_eq!((found.vertices.len(), found.triangles.len()), (4, 4));
}

#[test]
fn another_unit_and_a_missing_scene_are_refused() {
    let says = |content: &str| {
        let text = format!("<COLLADA><asset><unit meter='1'/></asset>{content}</COLLADA>");
        read(text.as_bytes(), "a.dae", &mut Collector::new(&ImportOptions::default())).expect_err(content).what
    };
    let geometry = |meter: &str| {
        format!("<library_geometries><geometry><asset><unit meter='{meter}'/></asset></geometry></library_geometries>")
    };
    assert!(says(&geometry("0.001")).contains("another unit"));
    assert!(!says(&geometry("1")).contains("another unit"));
    let missing = says("<scene><instance_visual_scene url='#gone'/></scene>");
    assert!(missing.contains("no element `#gone`"), "{missing}");
}
