//! Does `interfere render` draw the findings of a report, of a merge and of a fresh check with the bytes of
//! `check --pictures`?

use crate::support::command::interfere;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, stl};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Names and bytes of the files in a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry"));
    entries
        .map(|e| (e.file_name().into_string().expect("UTF-8"), std::fs::read(e.path()).expect("a picture")))
        .collect()
}

/// Copies a case into a folder; its assembly file passes through `edit`.
fn copied(name: &str, folder: &Scratch, edit: impl Fn(&str) -> String) -> PathBuf {
    for entry in std::fs::read_dir(case(name).join("parts")).expect("parts") {
        let path = entry.expect("an entry").path();
        let file = path.file_name().and_then(|f| f.to_str()).expect("a name");
        folder.write(&format!("parts/{file}"), std::fs::read(&path).expect("a mesh"));
    }
    let source = std::fs::read_to_string(case(name).join("assembly.json")).expect("an assembly");
    folder.write("assembly.json", edit(&source))
}

/// Runs the program; it must end with this code.
fn ran(code: u8, arguments: &[&str]) -> String {
    let ran = interfere(arguments);
    assert_eq!(ran.code, i32::from(code), "{arguments:?}: {}", ran.stderr);
    ran.stderr
}

/// A length in inches has one more rounding in a report than in the run.
#[test]
fn a_report_is_drawn_as_its_run() {
    let folder = Scratch::new();
    let inches =
        copied("press-fit-too-deep", &folder, |s| s.replace("\"version\": 1,", "\"version\": 1, \"units\": \"inch\","));
    let open = case("open-mesh").join("assembly.json");
    for (k, assembly) in [inches, open].iter().enumerate() {
        let path = |name: &str| folder.path().join(format!("{k}/{name}"));
        let [of_check, of_report, of_render] = ["check", "report", "render"].map(path);
        std::fs::create_dir_all(path("")).expect("a folder");
        let report = path("r.json");
        let json = format!("--format=json={}", text(&report));
        ran(1, &["check", text(assembly), &json, "--format=csv=-", "--pictures", text(&of_check), "-j", "1"]);
        ran(0, &["render", text(assembly), "--report", text(&report), "-o", text(&of_report), "-j", "2"]);
        ran(0, &["render", text(assembly), "-o", text(&of_render)]);
        let drawn = files(&of_check);
        assert!(!drawn.is_empty());
        assert!(drawn == files(&of_report) && drawn == files(&of_render), "{}", assembly.display());
        let one = path("one.png");
        ran(0, &["render", text(assembly), "#1", "--report", text(&report), "-o", text(&one)]);
        let bytes = std::fs::read(one).expect("a picture");
        assert!(drawn.values().any(|b| *b == bytes));
    }
}

#[test]
fn a_merged_report_is_drawn_as_its_run() {
    let folder = Scratch::new();
    let assembly = case("pivot").join("assembly.json");
    let path = |name: &str| folder.path().join(name);
    let shards: Vec<PathBuf> = (1..=2).map(|k| path(&format!("{k}.json"))).collect();
    for (k, shard) in shards.iter().enumerate() {
        ran(0, &["check", text(&assembly), "--shard", &format!("{}/2", k + 1), "-o", text(shard)]);
    }
    let report = path("merged.json");
    ran(1, &["merge", text(&shards[0]), text(&shards[1]), "--format", "json", "-o", text(&report)]);
    let [of_check, of_merge] = ["check", "merge"].map(path);
    ran(1, &["check", text(&assembly), "--pictures", text(&of_check)]);
    ran(0, &["render", text(&assembly), "--report", text(&report), "-o", text(&of_merge)]);
    assert!(files(&of_check) == files(&of_merge) && !files(&of_check).is_empty());
}

/// The picture of an accepted finding says so, from the baseline and from the report.
#[test]
fn a_baseline_reaches_the_picture() {
    let folder = Scratch::new();
    let assembly = copied("overlap-0.2", &folder, str::to_owned);
    let path = |name: &str| folder.path().join(name);
    let [new, accepted, of_report] = ["new", "accepted", "of-report"].map(path);
    let report = path("r.json");
    ran(1, &["check", text(&assembly), "--pictures", text(&new)]);
    ran(0, &["accept", text(&assembly), "--reason", "test"]);
    ran(0, &["check", text(&assembly), "--pictures", text(&accepted), "--format", &format!("json={}", text(&report))]);
    ran(0, &["render", text(&assembly), "--report", text(&report), "-o", text(&of_report)]);
    assert!(files(&new) != files(&accepted) && files(&accepted) == files(&of_report));
}

#[test]
fn a_report_of_other_meshes_is_refused() {
    let folder = Scratch::new();
    let assembly = copied("overlap-0.2", &folder, str::to_owned);
    let report = folder.path().join("r.json");
    let out = folder.path().join("pictures");
    let json = format!("json={}", text(&report));
    ran(1, &["check", text(&assembly), "--format", &json]);
    let refused = |says: &str| {
        let stderr = ran(2, &["render", text(&assembly), "--report", text(&report), "-o", text(&out)]);
        assert!(stderr.contains(says) && !out.exists(), "{stderr}");
    };
    let mesh = folder.path().join("parts/small.obj");
    let replace = |file: &Path, old: &str, new: &str| {
        let content = std::fs::read_to_string(file).expect("a text");
        assert!(content.contains(old), "{content}");
        std::fs::write(file, content.replacen(old, new, 1)).expect("written");
    };
    replace(&mesh, "v 9.8 3 3", "v 9.7 3 3");
    refused("the mesh of part `small` changed after the report; check the assembly again");
    replace(&mesh, "v 9.7 3 3", "v 9.8 3 3");
    let small = r#"{ "id": "small", "part": "small" }"#;
    let moved = r#"{ "id": "small", "part": "small", "placement": { "translation": [1, 0, 0] } }"#;
    replace(&assembly, small, moved);
    refused("the placement of `small` changed after the report");
    replace(&assembly, moved, r#"{ "id": "little", "part": "small" }"#);
    refused("the report has no instance `little`");
    let stderr =
        ran(2, &["render", text(&assembly), "--report", text(&report), "--geometry", "hull", "-o", text(&out)]);
    assert!(stderr.contains("--geometry"), "{stderr}");
}

#[test]
fn outputs_of_render_need_their_names() {
    let assembly = case("pivot").join("assembly.json");
    for (args, says) in [
        (vec!["-o", "p.png"], "a picture shows one pair"),
        (vec!["-o", "pictures.zip"], "a folder of pictures has no ending"),
        (vec!["peg", "stop", "-o", "pictures"], "the name ends in none of `.png`, `.glb` and `.stl`"),
    ] {
        let stderr = ran(2, &[&["render", text(&assembly)], &args[..]].concat());
        assert!(stderr.contains(says), "{stderr}");
    }
}

/// Two groups of alike pairs, and a pair that a sweep leaves at rest.
#[test]
fn groups_and_pairs_at_rest_of_a_report_are_those_of_its_run() {
    let folder = Scratch::new();
    folder.write("block.stl", stl(&block([0.0; 3], [10.0; 3])));
    let at = |id: &str, x: f64, y: f64| json!({ "id": id, "part": "block", "placement": { "translation": [x, y, 0] } });
    let assembly = json!({
        "version": 1,
        "parts": { "block": "block.stl" },
        "instances": [at("a", 0.0, 0.0), at("b", 9.0, 0.0), at("c", 50.0, 0.0), at("d", 59.0, 0.0), at("e", 0.0, 15.0)],
        "joints": {
            "s": { "type": "prismatic", "axis": "x", "moves": ["c"], "range": [0, 5] },
            "u": { "type": "prismatic", "axis": "y", "moves": ["e"], "range": [-10, 0] }
        },
        "poses": { "p": { "u": -6 } },
        "sweeps": { "w": { "joints": { "s": "range" }, "rest": "p" } }
    });
    let file = folder.write("assembly.json", assembly.to_string());
    let path = |name: &str| folder.path().join(name);
    let outputs = [("json", "r.json"), ("glb", "check.glb")];
    let outputs = outputs.map(|(format, name)| format!("--format={format}={}", text(&path(name))));
    ran(1, &["check", text(&file), &outputs[0], &outputs[1], "--pictures", text(&path("check"))]);
    let report = path("r.json");
    ran(0, &["render", text(&file), "--report", text(&report), "-o", text(&path("render.glb"))]);
    ran(0, &["render", text(&file), "--report", text(&report), "-o", text(&path("render"))]);
    let bytes = |name: &str| std::fs::read(path(name)).expect("a model");
    assert!(bytes("check.glb") == bytes("render.glb"));
    let drawn = files(&path("check"));
    assert!(drawn.len() > 2 && drawn == files(&path("render")), "{:?}", drawn.keys());
    let json: Value = serde_json::from_slice(&bytes("r.json")).expect("a report");
    assert!(json["groups"].as_array().is_some_and(|groups| !groups.is_empty()), "{}", json["groups"]);
    // The drawing has a name among the runs.
    ran(0, &["render", text(&file), "a", "b", "--run", "as-drawn", "-o", text(&path("one.png"))]);
    ran(0, &["render", text(&file), "a", "b", "-o", text(&path("two.png"))]);
    assert!(bytes("one.png") == bytes("two.png"));
}
