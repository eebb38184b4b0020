//! Do `check` and `render` write models to files, the same from a run and from its report?

use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, stl};
use interfere::internals::mesh;
use std::path::{Path, PathBuf};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name).join("assembly.json")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Names of the nodes of a GLB file.
fn names(file: &Path) -> Vec<String> {
    let read = gltf::Gltf::from_slice(&std::fs::read(file).expect("a file")).expect("a valid model");
    read.nodes().map(|n| n.name().expect("a name").to_owned()).collect()
}

fn volume(file: &Path) -> f64 {
    let read = mesh::load(&std::fs::read(file).expect("a file")).expect("a mesh");
    let corners = read.mesh.triangles.iter().map(|t| t.map(|v| read.mesh.vertices[v as usize]));
    corners.map(|[p, q, r]| p.dot(&q.cross(&r))).sum::<f64>() / 6.0
}

#[test]
fn a_run_writes_models_beside_its_reports() {
    let folder = Scratch::new();
    let at = |name: &str| folder.path().join(name);
    let assembly = case("pivot");
    let plain = interfere(&["check", text(&assembly), "--format", "json"]);
    let outputs = [format!("glb={}", text(&at("a.glb"))), format!("stl={}", text(&at("a.stl")))];
    let flags = ["--format", &outputs[0], "--format", &outputs[1], "--format", "json"];
    let ran = interfere(&[&["check", text(&assembly)][..], &flags].concat());
    assert_eq!((ran.code, &ran.stdout), (1, &plain.stdout), "the report stays as it is");
    let report = parsed(&ran.stdout);
    let expected: f64 = report["pairs"]
        .as_array()
        .expect("pairs")
        .iter()
        .filter(|p| p["status"] == "interference")
        .map(|p| p["overlap_volume"].as_f64().expect("a volume"))
        .sum();
    assert!((volume(&at("a.stl")) - expected).abs() <= 1e-5 * expected);
    assert!(names(&at("a.glb")).contains(&"overlap".to_owned()));

    let json = folder.write("r.json", &ran.stdout);
    for (name, flags) in [("b", vec![]), ("c", vec!["--report", text(&json)])] {
        for ending in ["glb", "stl"] {
            let file = at(&format!("{name}.{ending}"));
            let ran = interfere(&[&["render", text(&assembly), "-o", text(&file)][..], &flags].concat());
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            assert!(
                std::fs::read(&file).unwrap() == std::fs::read(at(&format!("a.{ending}"))).unwrap(),
                "{name}.{ending}"
            );
        }
    }
}

#[test]
fn one_pair_has_its_own_model() {
    let folder = Scratch::new();
    let at = |name: &str| folder.path().join(name);
    let assembly = case("pivot");
    for (file, scene) in [("all.glb", "all"), ("pairs.glb", "pairs")] {
        let ran = interfere(&["render", text(&assembly), "peg", "stop", "-o", text(&at(file)), "--scene", scene]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let count = |file: &str, name: &str| names(&at(file)).iter().filter(|n| *n == name).count();
    assert_eq!([count("all.glb", "overlap"), count("pairs.glb", "overlap")], [1, 1]);
    assert_eq!([count("all.glb", "peg"), count("pairs.glb", "peg")], [1, 1]);
    let others = |file: &str| names(&at(file)).len();
    assert!(others("all.glb") > others("pairs.glb"));
    let ran = interfere(&["render", text(&assembly), "peg", "stop", "-o", text(&at("o.stl"))]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(volume(&at("o.stl")) > 0.0);
}

#[test]
fn a_pair_without_a_common_solid_has_no_stl() {
    let folder = Scratch::new();
    let file = folder.path().join("o.stl");
    for (name, pair, says) in [
        (
            "open-mesh",
            ["cover", "through"],
            "`cover` and `through` have no common solid: a mesh has no definite inside",
        ),
        ("fan-clearance", ["fan", "wall"], "`fan` and `wall` have no common solid: the parts are apart"),
    ] {
        let [a, b] = pair;
        let ran = interfere(&["render", text(&case(name)), a, b, "-o", text(&file)]);
        assert_eq!((ran.code, ran.stderr.contains(says)), (2, true), "{}", ran.stderr);
    }
    assert!(!file.exists());
    // A run notes the findings without a solid, and keeps its verdict.
    let output = format!("stl={}", text(&file));
    let ran = interfere(&["check", text(&case("open-mesh")), "--format", &output, "--format", "json"]);
    let says = "without a common solid; --format glb shows the crossing lines";
    assert_eq!((ran.code, ran.stderr.contains(says)), (1, true), "{}", ran.stderr);
}

#[test]
fn a_model_never_replaces_a_mesh_of_the_assembly() {
    let folder = Scratch::new();
    let mesh = folder.path().join("cube.stl");
    std::fs::write(&mesh, stl(&block([0.0; 3], [10.0; 3]))).expect("written");
    let instances = r#"[{ "id": "a", "part": "cube" }, { "id": "b", "part": "cube" }]"#;
    folder.write(
        "assembly.json",
        format!(r#"{{ "version": 1, "parts": {{ "cube": "cube.stl" }}, "instances": {instances} }}"#),
    );
    let before = std::fs::read(&mesh).expect("a file");
    let ran = interfere(&["render", text(&folder.path().join("assembly.json")), "-o", text(&mesh)]);
    assert!(ran.code == 2 && ran.stderr.contains("--output would replace a mesh of the assembly; name"), "{ran:?}");
    assert_eq!(std::fs::read(&mesh).expect("a file"), before);
}
