//! Generates the meshes of `fixtures/cases`, and the most regular assemblies. `INTERFERE_WRITE_FIXTURES=1` writes the
//! files; otherwise the test compares them with the generated ones.

use crate::support::solids::{block, extruded, finer, hull_of, joined, obj, prism, reversed, stl, translated, tube};
use interfere::internals::geom::Vec3;
use interfere::internals::mesh::TriMesh;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the cases.
pub fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases")
}

/// Folders of all cases.
pub fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(cases()).expect("fixtures/cases is there");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("a folder").path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}

/// A cube of side `s` with a corner at the origin.
fn cube(s: f64) -> TriMesh {
    block([0.0; 3], [s; 3])
}

/// A cube of side `s` about the origin.
fn centred(s: f64) -> TriMesh {
    block([-0.5 * s; 3], [0.5 * s; 3])
}

/// The right-angled 3-4-5 prism of height 5.
fn wedge() -> TriMesh {
    extruded(&[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]], [0.0, 5.0])
}

/// An L of 40 × 40 with legs of 10, between two heights.
fn bracket(z: [f64; 2]) -> TriMesh {
    // The first corner sees all others, so fans from it are valid.
    let outline = [[0.0, 0.0], [40.0, 0.0], [40.0, 10.0], [10.0, 10.0], [10.0, 40.0], [0.0, 40.0]];
    extruded(&outline, z)
}

/// A cube of 40 about the origin with a closed cavity of 30.
fn hollow() -> TriMesh {
    joined(&[centred(40.0), reversed(&centred(30.0))])
}

/// Rectangles of two triangles each, with shared corners joined.
fn sheets(rectangles: &[[[f64; 3]; 4]]) -> TriMesh {
    let mut mesh = TriMesh::default();
    for rectangle in rectangles {
        let [a, b, c, d] = rectangle.map(|p| {
            let p = Vec3::from(p);
            let known = mesh.vertices.iter().position(|v| *v == p);
            known.unwrap_or_else(|| {
                mesh.vertices.push(p);
                mesh.vertices.len() - 1
            }) as u32
        });
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}

/// A sheet at z = 10 facing up, and a flap rising from its edge at x = 40.
fn cover() -> TriMesh {
    sheets(&[
        [[0.0, 0.0, 10.0], [40.0, 0.0, 10.0], [40.0, 40.0, 10.0], [0.0, 40.0, 10.0]],
        [[40.0, 40.0, 10.0], [40.0, 0.0, 10.0], [40.0, 0.0, 10.5], [40.0, 40.0, 10.5]],
    ])
}

/// Ten by ten flush cubes.
fn grid() -> String {
    let mut out = String::from(
        "{\n  \"version\": 1,\n  \"parts\": { \"cube\": { \"mesh\": \"parts/cube.stl\" } },\n  \"instances\": [\n",
    );
    for k in 0..100 {
        let (x, y) = (10 * (k % 10), 10 * (k / 10));
        let comma = if k < 99 { "," } else { "" };
        writeln!(
            out,
            "    {{ \"id\": \"cube-{k:02}\", \"part\": \"cube\", \"placement\": {{ \"translation\": [{x}, {y}, 0] }} }}{comma}"
        )
        .expect("text grows");
    }
    out.push_str("  ]\n}\n");
    out
}

/// Every generated file by its path below `fixtures/cases`.
fn generated() -> BTreeMap<&'static str, Vec<u8>> {
    let far = Vec3::repeat(1e6);
    let tetrahedron = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
    let welded = [block([0.0; 3], [12.0, 10.0, 10.0]), block([8.0, 0.0, 0.0], [20.0, 10.0, 10.0])];
    let texts = [
        ("bolt-in-hole/parts/bolt.obj", obj(&prism(32, 4.0, [-12.0, 20.0]))),
        ("bolt-in-hole/parts/plate.obj", obj(&tube(32, 20.0, 4.5, [-5.0, 5.0]))),
        ("clearance-kept-by-equality/parts/left.obj", obj(&block([0.0; 3], [0.3, 1.0, 1.0]))),
        ("clearance-kept-by-equality/parts/right.obj", obj(&block([2.3, 0.0, 0.0], [3.0, 1.0, 1.0]))),
        ("coincident/parts/block.obj", obj(&block([-5.0, -10.0, -15.0], [5.0, 10.0, 15.0]))),
        ("coincident/parts/finer.obj", obj(&finer(&block([-5.0, -10.0, -15.0], [5.0, 10.0, 15.0])))),
        ("facet-contact/parts/hub.obj", obj(&tube(32, 20.0, 10.0, [0.0, 10.0]))),
        ("facet-contact/parts/pin.obj", obj(&prism(32, 10.0, [-10.0, 30.0]))),
        ("fan-clearance/parts/fan.obj", obj(&prism(24, 40.0, [0.0, 8.0]))),
        ("fan-clearance/parts/wall.obj", obj(&block([41.5, -30.0, -10.0], [45.0, 30.0, 20.0]))),
        ("fan-clearance/parts/grille.obj", obj(&block([-50.0, -50.0, 10.5], [50.0, 50.0, 12.0]))),
        ("far-from-origin/parts/far-cube.obj", obj(&translated(&cube(10.0), far))),
        ("far-from-origin/parts/cube.obj", obj(&cube(10.0))),
        ("hinged-box/parts/case.obj", obj(&block([0.0; 3], [60.0, 40.0, 20.0]))),
        ("hinged-box/parts/lid.obj", obj(&block([0.0, 0.0, 20.0], [60.0, 40.0, 24.0]))),
        ("hinged-box/parts/post.obj", obj(&block([-30.0, 10.0, 0.0], [-10.0, 30.0, 40.0]))),
        ("ignored-cable/parts/housing.obj", obj(&block([0.0; 3], [50.0, 50.0, 10.0]))),
        ("ignored-cable/parts/cable.obj", obj(&prism(8, 2.0, [0.0, 60.0]))),
        ("ignored-cable/motor/parts/stator.obj", obj(&tube(16, 10.0, 6.0, [0.0, 20.0]))),
        ("ignored-cable/motor/parts/rotor.obj", obj(&prism(16, 5.5, [-5.0, 25.0]))),
        ("kissing-edges/parts/cube.obj", obj(&centred(10.0))),
        ("kissing-edges/parts/plate.obj", obj(&block([-20.0, -20.0, -5.0], [20.0, 20.0, 0.0]))),
        ("kissing-edges/parts/tetrahedron.obj", obj(&hull_of(&tetrahedron).expect("a solid"))),
        ("mirrored-and-scaled/parts/wedge.obj", obj(&wedge())),
        ("mirrored-and-scaled/parts/cube.obj", obj(&cube(4.0))),
        ("mixed-geometry/parts/clip.obj", obj(&bracket([0.0, 6.0]))),
        ("nested-gearbox/parts/housing.obj", obj(&block([-50.0, -50.0, -10.0], [50.0, 50.0, 0.0]))),
        ("nested-gearbox/stage/parts/gear.obj", obj(&cube(1.0))),
        ("nested-gearbox/stage/parts/shaft.obj", obj(&cube(25.4))),
        ("nested-gearbox/stage/bearing/ring.obj", obj(&cube(1.0))),
        ("open-mesh/parts/cover.obj", obj(&cover())),
        ("open-mesh/parts/cube.obj", obj(&cube(4.0))),
        (
            "open-mesh/parts/sheet.obj",
            obj(&sheets(&[[[-3.0, -3.0, 0.0], [7.0, -3.0, 0.0], [7.0, 7.0, 0.0], [-3.0, 7.0, 0.0]]])),
        ),
        ("overlap-0.2/parts/large.obj", obj(&cube(10.0))),
        ("overlap-0.2/parts/small.obj", obj(&block([9.8, 3.0, 3.0], [13.8, 7.0, 7.0]))),
        ("overlap-equal-to-tolerance/parts/cube.obj", obj(&cube(10.0))),
        ("part-in-cavity/parts/board.obj", obj(&block([-11.0, -11.0, -1.0], [11.0, 11.0, 1.0]))),
        ("part-in-cavity/parts/case.obj", obj(&hollow())),
        ("pin-inside-block/parts/block.obj", obj(&centred(40.0))),
        ("pin-inside-block/parts/pin.obj", obj(&block([-2.0, -2.0, -10.0], [2.0, 2.0, 10.0]))),
        ("pin-inside-block/parts/plug.obj", obj(&block([10.0, 10.0, 16.0], [14.0, 14.0, 20.0]))),
        ("pivot/parts/lever.obj", obj(&tube(32, 30.0, 8.0, [0.0, 10.0]))),
        ("pivot/parts/bush.obj", obj(&tube(32, 8.02, 5.1, [0.0, 10.0]))),
        ("pivot/parts/peg.obj", obj(&prism(32, 5.0, [-10.0, 30.0]))),
        ("pivot/parts/stop.obj", obj(&block([0.0, -3.0, 0.0], [9.0, 3.0, 6.0]))),
        ("press-fit/parts/jaw.obj", obj(&cube(20.0))),
        ("press-fit/parts/key.obj", obj(&block([-0.03, 0.0, 0.0], [10.015, 10.0, 10.0]))),
        ("press-fit-in-bore/parts/hub.obj", obj(&tube(32, 20.0, 9.98, [0.0, 10.0]))),
        ("press-fit-in-bore/parts/pin.obj", obj(&prism(32, 10.0, [-10.0, 30.0]))),
        ("ring-inside-block/parts/block.obj", obj(&centred(40.0))),
        ("ring-inside-block/parts/ring.obj", obj(&tube(32, 12.0, 8.0, [-10.0, 10.0]))),
        ("press-fit-too-deep/parts/jaw.obj", obj(&cube(20.0))),
        ("press-fit-too-deep/parts/key.obj", obj(&block([-0.03, 0.0, 0.0], [10.0, 10.0, 10.0]))),
        ("thin-pierce/parts/bracket.obj", obj(&bracket([0.0, 10.0]))),
        ("thin-pierce/parts/needle.obj", obj(&block([25.0, -25.0, 5.0], [25.05, 35.0, 5.05]))),
        ("welded-bar/parts/bar.obj", obj(&joined(&welded))),
        ("welded-bar/parts/plug.obj", obj(&block([-3.0; 3], [3.0; 3]))),
        ("welded-bar/parts/lid.obj", obj(&block([0.0, 0.0, 10.0], [4.0, 10.0, 12.0]))),
        ("slider-crank/parts/crank.obj", obj(&block([-35.0, -5.0, 0.0], [5.0, 5.0, 4.0]))),
        ("slider-crank/parts/rod.obj", obj(&block([-35.0, -4.0, 5.0], [60.0, 4.0, 9.0]))),
        ("slider-crank/parts/piston.obj", obj(&block([45.0, -15.0, 10.0], [65.0, 15.0, 30.0]))),
        ("slider-crank/parts/head.obj", obj(&block([125.5, -20.0, 10.0], [135.0, 20.0, 30.0]))),
        ("sliding-doors/parts/left.obj", obj(&block([-20.0, -1.0, 0.0], [0.0, 1.0, 40.0]))),
        ("sliding-doors/parts/right.obj", obj(&block([0.0, -1.0, 0.0], [20.0, 1.0, 40.0]))),
        ("sliding-doors/parts/stop.obj", obj(&block([38.0, -2.0, 10.0], [42.0, 2.0, 14.0]))),
        ("thin-part/parts/block.obj", obj(&cube(10.0))),
        ("thin-part/parts/foil.obj", obj(&block([-5.0, -5.0, 5.0], [15.0, 15.0, 5.005]))),
    ];
    let mut files: BTreeMap<_, _> = texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    files.insert("far-from-origin/parts/rounded-cube.stl", stl(&translated(&cube(10.0), far)));
    files.insert("flush-boxes/parts/cube.stl", stl(&cube(10.0)));
    files.insert("many-copies/parts/cube.stl", stl(&cube(10.0)));
    files.insert("many-copies/assembly.json", grid().into_bytes());
    files
}

#[test]
fn fixture_files_match_the_generator() {
    let write = std::env::var_os("INTERFERE_WRITE_FIXTURES").is_some();
    let files = generated();
    for (path, made) in &files {
        let path = cases().join(path);
        if write {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, made).unwrap();
        }
        let found = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(found == *made, "{}: not what the generator makes", path.display());
    }
    assert!(files.len() > 30);
}

#[test]
fn every_case_mesh_is_generated_and_every_file_expected() {
    let files = generated();
    let mut pending = folders();
    let mut meshes = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let below = path.strip_prefix(cases()).unwrap().to_str().unwrap().replace('\\', "/");
            match path.extension().and_then(|e| e.to_str()) {
                Some("obj" | "stl") => {
                    assert!(files.contains_key(below.as_str()), "{below} is not generated");
                    meshes += 1;
                }
                Some("json" | "md") => {}
                _ => panic!("{below} is neither a mesh, nor JSON, nor prose"),
            }
        }
    }
    assert_eq!(meshes, files.keys().filter(|f| Path::new(f).extension().is_none_or(|e| e != "json")).count());
}
