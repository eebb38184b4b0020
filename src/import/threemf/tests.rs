//! Traps of 3MF: row vectors, units, components, production paths, hostile archives.

use crate::error::Error;
use crate::geom::{LengthUnit, Mat3, Vec3};
use crate::import::collect::Collector;
use crate::import::recognise::Kind;
use crate::import::{ImportOptions, Imported};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const TETRAHEDRON: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="10" y="0" z="0"/><vertex x="0" y="10" z="0"/>
<vertex x="0" y="0" z="10"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/>
<triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh>"#;

const CORE: &str = r#"xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02""#;

const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/Main.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive with this main model; its name differs in case from its relation.
fn package(attributes: &str, resources: &str, build: &str) -> Vec<u8> {
    let model = format!(
        "<?xml version=\"1.0\"?><model {CORE} {attributes}><resources>{resources}</resources><build>{build}</build></model>"
    );
    archive(&[("_rels/.rels", RELATIONS.as_bytes()), ("3d/main.MODEL", model.as_bytes())])
}

fn read(bytes: &[u8]) -> Result<Imported, Error> {
    let options = ImportOptions::default();
    let mut collector = Collector::new(&options);
    let facts = super::read(bytes, "a.3mf", &options, &mut collector)?;
    collector.finish(Kind::ThreeMf, bytes, "a.3mf", "a", facts)
}

fn error(bytes: &[u8]) -> String {
    read(bytes).expect_err("hostile").to_string()
}

fn object(id: u32, attributes: &str, content: &str) -> String {
    format!("<object id=\"{id}\" {attributes}>{content}</object>")
}

#[test]
fn transforms_are_row_vectors_and_units_count() {
    let resources = object(1, "name=\"tet\"", TETRAHEDRON);
    // x to y, y to -x; then a move.
    let item = r#"<item objectid="1" partnumber="A/1" transform="0 1 0 -1 0 0 0 0 1 5 6 7"/>"#;
    for (unit, expected) in [
        ("", LengthUnit::Mm),
        ("unit=\"micron\"", LengthUnit::Um),
        ("unit=\"centimeter\"", LengthUnit::Cm),
        ("unit=\"inch\"", LengthUnit::Inch),
        ("unit=\"foot\"", LengthUnit::Ft),
        ("unit=\"meter\"", LengthUnit::M),
    ] {
        let imported = read(&package(unit, &resources, item)).unwrap();
        let placed = &imported.instances[0].placement;
        assert_eq!((imported.parts[0].units, imported.instances[0].id.as_str()), (expected, "A_1"));
        assert_eq!(placed.translation, Vec3::new(5.0, 6.0, 7.0) * expected.mm());
        assert_eq!(placed.linear * Vec3::x(), Vec3::y());
    }
    assert!(error(&package("unit=\"parsec\"", &resources, item)).contains("unknown unit `parsec`"));
}

#[test]
fn components_nest_and_objects_without_an_item_are_no_instances() {
    let resources = [
        object(1, "name=\"tet\"", TETRAHEDRON),
        object(2, "name=\"pair\"", r#"<components><component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 20 0 0"/></components>"#),
        object(3, "name=\"top\"", r#"<components><component objectid="2" transform="-1 0 0 0 1 0 0 0 1 0 3 0"/></components>"#),
        object(9, "name=\"unused\"", TETRAHEDRON),
        object(4, "type=\"support\" name=\"prop\"", TETRAHEDRON),
    ]
    .concat();
    let imported = read(&package("", &resources, r#"<item objectid="3"/><item objectid="4"/>"#)).unwrap();
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!(ids, ["top.pair.tet", "top.pair.tet-2"]);
    let placed = &imported.instances[1].placement;
    assert_eq!(placed.translation, Vec3::new(-20.0, 3.0, 0.0));
    assert_eq!(placed.linear, Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0)));
    assert_eq!((imported.parts.len(), imported.left_out[0].what.as_str()), (1, "objects of type support"));
}

#[test]
fn objects_of_other_model_files_are_found() {
    let main = format!(
        r#"<model {CORE} xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p">
        <resources><object id="1"><components><component p:path="/3D/other.model" objectid="1"/></components></object></resources>
        <build><item objectid="1"/><item objectid="7" p:path="/3D/Other.model"/></build></model>"#
    );
    let other = format!(
        "<model {CORE} unit=\"inch\"><resources>{}{}</resources><build/></model>",
        object(1, "name=\"tet\"", TETRAHEDRON),
        object(7, "name=\"again\"", TETRAHEDRON)
    );
    let entries = [
        ("_rels/.rels", RELATIONS.as_bytes()),
        ("3D/main.model", main.as_bytes()),
        ("3D/other.model", other.as_bytes()),
    ];
    let imported = read(&archive(&entries)).unwrap();
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!((ids, imported.parts.len()), (vec!["object-1.tet", "again"], 1));
    assert_eq!(imported.parts[0].units, LengthUnit::Inch);
    assert!(error(&archive(&entries[..2])).contains("no entry `3d/other.model` in the archive [reference-missing]"));
}

#[test]
fn geometry_of_extensions_is_refused() {
    let resources = object(1, "", TETRAHEDRON);
    let item = r#"<item objectid="1"/>"#;
    let secure =
        r#"xmlns:sc="http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04" requiredextensions="sc""#;
    assert!(error(&package(secure, &resources, item)).contains("securecontent/2019/04` [unsupported]"));
    let lattice = TETRAHEDRON.replace("</mesh>", "<b:beamlattice xmlns:b=\"x\"/></mesh>");
    assert!(error(&package("", &object(1, "", &lattice), item)).contains("`beamlattice` [unsupported]"));
    let boolean = object(2, "", "<bo:booleanshape xmlns:bo=\"x\" objectid=\"1\"/>");
    assert!(error(&package("", &[resources.clone(), boolean].concat(), item)).contains("`booleanshape` [unsupported]"));
    let rough = object(1, "meshresolution=\"lowres\"", TETRAHEDRON);
    assert!(error(&package("", &rough, item)).contains("[unsupported]"));
}

#[test]
fn damaged_models_have_a_place() {
    let item = r#"<item objectid="1"/>"#;
    let with = |from: &str, to: &str| error(&package("", &object(1, "", &TETRAHEDRON.replacen(from, to, 1)), item));
    for (from, to, says) in [
        ("v1=\"0\"", "v1=\"4\"", "object 1 names vertex 4 of 4"),
        ("v1=\"0\"", "v1=\"-1\"", "a triangle without three vertices"),
        ("x=\"10\"", "x=\"nan\"", "`x` is no number"),
        ("x=\"10\"", "x=\"1e300\"", "too large"),
        ("</mesh>", "", "not valid XML"),
        ("<mesh>", "<!DOCTYPE a><mesh>", "a document type"),
    ] {
        let found = with(from, to);
        assert!(found.contains(says) && found.contains("byte"), "{from}: {found}");
    }
    let missing = package("", &object(1, "", TETRAHEDRON), r#"<item objectid="5"/>"#);
    assert!(error(&missing).contains("no object 5 in `3d/main.model`"));
    let flat = package("", &object(1, "", TETRAHEDRON), r#"<item objectid="1" transform="0 0 0 0 0 0 0 0 0 0 0 0"/>"#);
    assert!(error(&flat).contains("singular"));
    assert!(error(&package("", &object(1, "", ""), item)).contains("[no-geometry]"));
    assert!(error(&package("", "", "")).contains("[no-geometry]"));
    let twice = [object(1, "", TETRAHEDRON), object(1, "", TETRAHEDRON)].concat();
    assert!(error(&package("", &twice, item)).contains("two objects with the number 1"));
}

#[test]
fn cycles_and_expansions_are_refused() {
    let circle = [
        object(1, "", r#"<components><component objectid="2"/></components>"#),
        object(2, "", r#"<components><component objectid="1"/></components>"#),
    ]
    .concat();
    assert!(error(&package("", &circle, r#"<item objectid="1"/>"#)).contains("component cycle: 1 → 2 → 1"));
    // Each level doubles the last.
    let mut doubled = object(1, "", TETRAHEDRON);
    for k in 2..40 {
        let component = format!(r#"<component objectid="{}"/>"#, k - 1);
        doubled += &object(k, "", &format!("<components>{component}{component}</components>"));
    }
    let found = error(&package("", &doubled, r#"<item objectid="39"/>"#));
    assert!(found.contains("expands to 549755813887 objects"), "{found}");
    let mut deep = object(1, "", TETRAHEDRON);
    for k in 2..100 {
        let inner = format!(r#"<components><component objectid="{}"/></components>"#, k - 1);
        deep += &object(k, "", &inner);
    }
    assert!(error(&package("", &deep, r#"<item objectid="99"/>"#)).contains("nested deeper than 64"));
    let mut nested = String::new();
    (0..100_000).for_each(|_| write!(nested, "<x>").unwrap());
    assert!(error(&package("", &nested, "")).contains("nested deeper than 256"));
}

#[test]
fn hostile_archives_are_refused() {
    // Zeros pack by a factor of a thousand.
    let bomb = archive(&[("_rels/.rels", RELATIONS.as_bytes()), ("3D/main.model", &vec![b' '; 80 << 20])]);
    assert!(bomb.len() < 200_000);
    let found = error(&bomb);
    assert!(found.contains("inflates from") && found.contains("[too-large]"), "{found}");
    let good = package("", &object(1, "", TETRAHEDRON), r#"<item objectid="1"/>"#);
    for end in [4, 30, good.len() / 2, good.len() - 1] {
        assert!(error(&good[..end]).contains("not a valid zip archive"), "{end}");
    }
    // The directory names one range twice.
    let names = ["3D/a.model", "3D/b.model"].map(|n| (n, TETRAHEDRON.as_bytes()));
    let mut overlapping = archive(&names);
    let directory: Vec<usize> =
        (0..overlapping.len() - 4).filter(|k| overlapping[*k..].starts_with(b"PK\x01\x02")).collect();
    let second = directory[1] + 42;
    overlapping[second..second + 4].copy_from_slice(&[0; 4]);
    let found = error(&overlapping);
    assert!(found.contains("overlap") || found.contains("not a valid zip"), "{found}");
    assert!(
        error(&archive(&[("3D/a.model", b"<model/>"), ("3D/b.model", b"<model/>")])).contains("without a relation")
    );
}

#[test]
fn a_transform_has_the_unit_of_the_model_that_names_the_object() {
    let production = r#"xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06""#;
    let part = format!(
        "<?xml version=\"1.0\"?><model {CORE} unit=\"inch\"><resources>{}</resources><build/></model>",
        object(1, "", TETRAHEDRON)
    );
    let component = r#"<components><component p:path="/3D/o.model" objectid="1" transform="1 0 0 0 1 0 0 0 1 7 0 0"/></components>"#;
    let main = format!(
        "<?xml version=\"1.0\"?><model {CORE} {production}><resources>{}</resources><build><item objectid=\"2\"/></build></model>",
        object(2, "", component)
    );
    let bytes = archive(&[
        ("_rels/.rels", RELATIONS.as_bytes()),
        ("3d/main.MODEL", main.as_bytes()),
        ("3D/o.model", part.as_bytes()),
    ]);
    let imported = read(&bytes).unwrap();
    assert_eq!((imported.parts[0].units, imported.instances[0].placement.translation.x), (LengthUnit::Inch, 7.0));
}

#[test]
fn an_attribute_of_another_name_space_replaces_none() {
    let item = r#"<item objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0" q:transform="1 0 0 0 1 0 0 0 1 9 0 0"/>"#;
    let imported = read(&package(r#"xmlns:q="http://example.org/q""#, &object(1, "", TETRAHEDRON), item)).unwrap();
    assert_eq!(imported.instances[0].placement.translation.x, 5.0);
}

#[test]
fn nested_empty_objects_are_counted_before_they_expand() {
    let mut resources = object(1, "", "<mesh><vertices/><triangles/></mesh>");
    for k in 2..40 {
        let component = format!(r#"<component objectid="{}"/>"#, k - 1);
        resources += &object(k, "", &format!("<components>{}</components>", component.repeat(10)));
    }
    assert!(error(&package("", &resources, r#"<item objectid="39"/>"#)).contains("the build expands to"));
}

#[test]
fn the_type_of_an_object_with_components_does_not_count() {
    let inner = object(1, "", TETRAHEDRON) + &object(3, "type=\"support\"", TETRAHEDRON);
    let outer =
        object(2, "type=\"support\"", r#"<components><component objectid="1"/><component objectid="3"/></components>"#);
    let imported = read(&package("", &(inner + &outer), r#"<item objectid="2"/>"#)).unwrap();
    assert_eq!((imported.instances.len(), imported.left_out[0].count), (1, 1));
}
