//! Broken inputs of a newcomer, each with the message that shows the way out.

use crate::support::command::{Ran, interfere_in};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj, stl};
use std::fs;

/// An assembly of two boxes of one mesh file, 12 mm apart.
fn assembly(mesh: &str) -> String {
    format!(
        r#"{{ "version": 1,
  "parts": {{
    "box": {{ "mesh": "{mesh}" }} }},
  "instances": [
    {{ "id": "one", "part": "box" }},
    {{ "id": "two", "part": "box", "placement": {{ "translation": [12, 0, 0] }} }} ] }}"#
    )
}

fn folder(mesh: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("box.stl", stl(&block([0.0; 3], [10.0; 3])));
    scratch.write("assembly.json", assembly(mesh));
    scratch
}

/// Message of a refused run: exit code 2 and an empty stdout.
fn refused(scratch: &Scratch, line: &str) -> String {
    let ran = run(scratch, line);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line}: {ran:?}");
    ran.stderr
}

fn run(scratch: &Scratch, line: &str) -> Ran {
    interfere_in(scratch.path(), &line.split(' ').collect::<Vec<_>>())
}

/// Message about a mesh file with this content.
fn refused_mesh(content: &[u8]) -> String {
    let scratch = folder("part.stl");
    scratch.write("part.stl", content);
    refused(&scratch, "check assembly.json")
}

#[test]
fn mesh_as_assembly_names_init() {
    let scratch = folder("box.stl");
    insta::assert_snapshot!(refused(&scratch, "check box.stl"), @"error: box.stl: an STL mesh, not an assembly file; `interfere init .` writes an assembly file for the meshes of a folder");
    scratch.write("box.obj", obj(&block([0.0; 3], [10.0; 3])));
    insta::assert_snapshot!(refused(&scratch, "explain box.obj one two"), @"error: box.obj: an OBJ mesh, not an assembly file; `interfere init .` writes an assembly file for the meshes of a folder");
}

#[test]
fn folder_means_its_assembly_file() {
    let scratch = folder("box.stl");
    scratch.write("empty/notes.txt", "");
    assert_eq!(run(&scratch, "check .").code, 0);
    assert_eq!(run(&scratch, "check").code, 0);
    insta::assert_snapshot!(refused(&scratch, "check empty"), @"error: empty/assembly.json: no such file; write one with `interfere init empty`, or name another file");
    insta::assert_snapshot!(refused(&scratch, "inspect empty"), @"error: empty: a folder, not a mesh; name the mesh files in it, as in `interfere inspect empty/*.stl`");
    fs::remove_file(scratch.path().join("assembly.json")).expect("removed");
    insta::assert_snapshot!(refused(&scratch, "check"), @"error: no assembly.json in this folder; name an assembly file or its folder, or write a file with `interfere init FOLDER`");
}

#[test]
fn inspect_of_an_assembly_says_so() {
    insta::assert_snapshot!(refused(&folder("box.stl"), "inspect assembly.json"), @"error: assembly.json: an assembly file, not a mesh; name the mesh files of its parts");
}

#[test]
fn init_says_what_to_do_with_each_kind_of_cad_file() {
    let scratch = Scratch::new();
    for name in ["a.step", "b.STP", "c.3mf", "sub/d.glb", "e.sldprt"] {
        scratch.write(&format!("cad/{name}"), "");
    }
    insta::assert_snapshot!(refused(&scratch, "init cad"), @"error: cad: no STL, OBJ, PLY or OFF file in it or below it; 2 STEP files: read with `interfere import`; 1 SolidWorks file: export each part as STL from SolidWorks; 1 3MF file: read with `interfere import`; 1 glTF file: read with `interfere import`; docs/how-to/export-from-cad.md shows the steps");
    scratch.write("cad/box.stl", stl(&block([0.0; 3], [10.0; 3])));
    let ran = run(&scratch, "init cad");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "1 part, 1 instance: cad/assembly.json\n"), "{ran:?}");
    insta::assert_snapshot!(ran.stderr, @r#"
    note: left out: 2 STEP files: read with `interfere import`
    note: left out: 1 SolidWorks file: export each part as STL from SolidWorks
    note: left out: 1 3MF file: read with `interfere import`
    note: left out: 1 glTF file: read with `interfere import`
    "#);
    assert_eq!(run(&scratch, "init cad --quiet --output other.json").stderr, "");
}

#[test]
fn similar_file_names_are_suggested() {
    if fs::metadata(folder("box.stl").path().join("BOX.STL")).is_ok() {
        // The file system ignores case.
        return;
    }
    insta::assert_snapshot!(refused(&folder("Box.STL"), "check assembly.json"), @"error: assembly.json:3:22: parts.box.mesh: `Box.STL`: cannot read the file: no such file; did you mean `box.stl`?");
    insta::assert_snapshot!(refused(&folder("bax.stl"), "check assembly.json"), @"error: assembly.json:3:22: parts.box.mesh: `bax.stl`: cannot read the file: no such file; did you mean `box.stl`?");
    insta::assert_snapshot!(refused(&folder("wheel.stl"), "check assembly.json"), @"error: assembly.json:3:22: parts.box.mesh: `wheel.stl`: cannot read the file: no such file; paths are relative to the file that names them");
    let scratch = folder("Parts/Box.stl");
    scratch.write("parts/box.stl", stl(&block([0.0; 3], [10.0; 3])));
    insta::assert_snapshot!(refused(&scratch, "check assembly.json"), @"error: assembly.json:3:22: parts.box.mesh: `Parts/Box.stl`: cannot read the file: no such file; did you mean `parts/box.stl`?");
}

#[test]
fn other_formats_are_named_with_part_and_line() {
    let ole = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 600]].concat();
    insta::assert_snapshot!(refused_mesh(&ole), @"error: part.stl: an OLE file (SolidWorks, Inventor or Solid Edge?), not a mesh (part `box`, assembly.json:3); export STL or OBJ from CAD");
    let gzip = [&b"\x1f\x8b\x08\0"[..], &[0; 600]].concat();
    insta::assert_snapshot!(refused_mesh(&gzip), @"error: part.stl: a gzip archive, not an STL or OBJ file (part `box`, assembly.json:3); unpack it");
    let zip = [&b"PK\x03\x04"[..], &[0; 26], b"3D/3dmodel.model", &[0; 600]].concat();
    insta::assert_snapshot!(refused_mesh(&zip), @"error: part.stl: a 3MF file, not an STL or OBJ file (part `box`, assembly.json:3); run `interfere import` on it, or name it as the `assembly` of an instance");
    let freecad = [&b"PK\x03\x04"[..], &[0; 26], b"Document.xml", &[0; 600]].concat();
    insta::assert_snapshot!(refused_mesh(&freecad), @"error: part.stl: a FreeCAD document, not a mesh (part `box`, assembly.json:3); export STL or OBJ from FreeCAD");
    insta::assert_snapshot!(refused_mesh(b"ISO-10303-21;\nHEADER;\n"), @"error: part.stl: a STEP file, not a mesh (part `box`, assembly.json:3); run `interfere import` on it, or name it as the `assembly` of an instance");
    insta::assert_snapshot!(refused_mesh(b"{ \"asset\": { \"version\": \"2.0\" } }"), @"error: part.stl: a glTF file, not an STL or OBJ file (part `box`, assembly.json:3); run `interfere import` on it, or name it as the `assembly` of an instance");
    insta::assert_snapshot!(refused_mesh(b"glTF\x02\0\0\0"), @"error: part.stl: a glTF file, not an STL or OBJ file (part `box`, assembly.json:3); run `interfere import` on it, or name it as the `assembly` of an instance");
    insta::assert_snapshot!(refused_mesh(b"#VRML V2.0 utf8\n"), @"error: part.stl: a VRML file, not an STL or OBJ file (part `box`, assembly.json:3); convert it to STL or OBJ");
    insta::assert_snapshot!(refused_mesh(format!("{:72}S      1\n", "IGES").as_bytes()), @"error: part.stl: an IGES file, not a mesh (part `box`, assembly.json:3); run `interfere import` on it, or name it as the `assembly` of an instance");
}

#[cfg(unix)]
#[test]
fn folder_as_mesh_has_the_line_of_its_part() {
    let scratch = folder("parts");
    scratch.write("parts/box.stl", "");
    insta::assert_snapshot!(refused(&scratch, "check assembly.json"), @"error: assembly.json:3:12: parts.box: cannot read the mesh `parts`: it is a folder; name a mesh file in it");
}

#[test]
fn globs_are_neither_parts_nor_regular_expressions() {
    let scratch = folder("box.stl");
    let rules = r#""rules": [
    { "between": ["box", "two"], "ignore": true, "reason": "test" },
    { "between": ["o.*", "two"], "ignore": true, "reason": "test" } ], "instances""#;
    scratch.write("assembly.json", assembly("box.stl").replace("\"instances\"", rules));
    let ran = run(&scratch, "check assembly.json");
    assert_eq!(ran.code, 0, "{ran:?}");
    insta::assert_snapshot!(ran.stderr, @r#"
    warning: assembly.json:5:5: rules[0]: the rule between `box` and `two` matches no pair; `box` matches no instance: it is a part, and globs match the ids of instances, such as `one` [unused-rule]
    warning: assembly.json:6:5: rules[1]: the rule between `o.*` and `two` matches no pair; `o.*` matches no instance: globs are not regular expressions: `*` is any run of characters, `?` is one [unused-rule]
    "#);
}

#[test]
fn flags_of_other_programs_get_the_flag_here() {
    let scratch = folder("box.stl");
    insta::assert_snapshot!(refused(&scratch, "check assembly.json --json"), @r#"
    error: unexpected argument '--json' found

      tip: did you mean `--format json`?

    Usage: interfere check <ASSEMBLY>...

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(refused(&scratch, "check assembly.json -f json"), @r#"
    error: unexpected argument '-f' found

      tip: did you mean `--format`?

    Usage: interfere check [OPTIONS] [ASSEMBLY]...

    For more information, try '--help'.
    "#);
    // Short flags of most programs work.
    let ran = run(&scratch, "check assembly.json -q -j 2");
    assert_eq!((ran.code, ran.stderr.as_str(), ran.took), (0, "", None));
    let ran = run(&scratch, "check assembly.json -v");
    assert!(ran.code == 0 && ran.stderr.starts_with("pairs: 1 possible"), "{ran:?}");
    assert!(ran.took.is_some_and(|took| took.starts_with("checked 1 pair in ")));
}

#[test]
fn path_in_place_of_a_command_names_the_command() {
    let scratch = folder("box.stl");
    insta::assert_snapshot!(refused(&scratch, "assembly.json"), @"error: `assembly.json` is not a command; did you mean `interfere check assembly.json`?");
    insta::assert_snapshot!(refused(&scratch, "box.stl"), @"error: `box.stl` is not a command; did you mean `interfere inspect box.stl`?");
    insta::assert_snapshot!(refused(&scratch, "."), @"error: `.` is not a command; did you mean `interfere check .`?");
}

#[test]
fn two_ids_name_one_pair() {
    let scratch = folder("box.stl");
    let text = assembly("box.stl").replace("[12, 0, 0]", "[9, 0, 0]");
    scratch.write("assembly.json", text);
    let ran = run(&scratch, "accept assembly.json one two --reason fit");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stdout.contains("one and two") && ran.stdout.contains("1 finding newly accepted"), "{ran:?}");
    assert_eq!(run(&scratch, "accept assembly.json one three").code, 2);
}

#[test]
fn ascii_stl_of_other_programs_is_read() {
    let scratch = folder("box.stl");
    let plain = interfere_in(scratch.path(), &["check", "assembly.json", "--report-within", "9"]);
    let mut text = String::from("solid box\n");
    let cube = block([0.0; 3], [10.0; 3]);
    for (k, t) in cube.triangles.iter().enumerate() {
        let normal = ["nan nan nan", "up 0 1", "0 0", "1.#IND 0 0"][k % 4];
        text.extend([format!("facet normal {normal}\n outer loop\n")]);
        for i in t {
            let v = cube.vertices[*i as usize];
            text.extend([format!("  vertex {} {} {}\n", v[0], v[1], v[2])]);
        }
        text += " endloop loop-end colour 3\nendfacet facet-end attribute 17\n";
    }
    scratch.write("box.stl", text + "endsolid box\n");
    let ran = interfere_in(scratch.path(), &["check", "assembly.json", "--report-within", "9"]);
    assert_eq!((ran.code, ran.stdout, ran.stderr), (plain.code, plain.stdout, plain.stderr));
}
