//! Does `--geometry decomposition` work on whole assemblies, and `decompose` on meshes?

use crate::generate::folders;
use crate::support::command::{Ran, interfere, interfere_in};
use crate::support::report::{assert_sound, number, parsed, row};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj, stl, translated, tube};
use interfere::internals::geom::Vec3;
use interfere::internals::mesh;
use interfere::internals::shape::hull::{convex_hull, encloses};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn check(path: &Path, more: &[&str]) -> (i32, Value) {
    let line = [&["check", path.to_str().expect("UTF-8"), "--format", "json"][..], more].concat();
    let ran = interfere(&line);
    assert!(ran.code < 2, "{}: {}", path.display(), ran.stderr);
    (ran.code, parsed(&ran.stdout))
}

/// Overshoot of a part's pieces in the report's units; `None` if its hull is used.
fn epsilon_of(report: &Value, instance: &str) -> Option<f64> {
    let part = report["instances"][instance]["part"].as_str().expect("a part");
    number(&report["parts"][part]["epsilon"])
}

/// Compares a run by pieces with the exact run of the same assembly; returns the number of overlaps.
fn hold(path: &Path, more: &[&str]) -> usize {
    let within = [more, &["--report-within", "1"]].concat();
    let (_, exact) = check(path, &[&within[..], &["--geometry", "exact"]].concat());
    let (code, pieces) = check(path, &[&within[..], &["--geometry", "decomposition"]].concat());
    let at = path.display();
    assert_sound(&pieces);
    let (verdict, _) = check(path, &[&within[..], &["--geometry", "decomposition", "--verdict-only"]].concat());
    assert_eq!(verdict, code, "{at}");
    let mut overlaps = 0;
    for e in exact["pairs"].as_array().expect("rows") {
        let (a, b) = (e["a"].as_str().expect("an id"), e["b"].as_str().expect("an id"));
        // A part with its own geometry has it in both runs.
        let found = row(&pieces, a, b);
        if e["status"] == "interference" {
            overlaps += 1;
            let status = found.map(|r| &r["status"]);
            assert!(status == Some(&"interference".into()), "{at}: {a} and {b} are {status:?}: {found:?}");
        }
        let (Some(gap), Some(found)) = (number(&e["gap"]), found) else { continue };
        if gap > 0.0 {
            let reported = number(&found["gap"]).expect("a gap");
            assert!(reported <= gap + 1e-9, "{at}: {a} and {b}: pieces {reported} apart, parts {gap}");
        }
    }
    for p in pieces["pairs"].as_array().expect("rows") {
        let (a, b) = (p["a"].as_str().expect("an id"), p["b"].as_str().expect("an id"));
        let reach = epsilon_of(&pieces, a).zip(epsilon_of(&pieces, b)).map(|(a, b)| a + b);
        let gap = row(&exact, a, b).and_then(|e| number(&e["gap"]));
        if let (Some(reach), Some(gap), "interference") = (reach, gap, p["status"].as_str().expect("a status")) {
            assert!(gap <= reach + 1e-9, "{at}: {a} and {b} are {gap} apart and reported; the pieces reach {reach}");
        }
    }
    overlaps
}

#[test]
fn pieces_find_every_overlap_of_the_cases() {
    let mut overlaps = 0;
    for folder in folders() {
        overlaps += hold(&folder.join("assembly.json"), &["--max-pieces", "16"]);
    }
    assert!(overlaps >= 15, "{overlaps}");
}

#[test]
fn pieces_find_every_overlap_of_real_assemblies() {
    let shared = std::env::var_os("INTERFERE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), Into::into);
    if !shared.is_dir() {
        return crate::support::skipped("../shared is not here");
    }
    // Assemblies of small files only; all of them with INTERFERE_FULL=1.
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut overlaps = 0;
    let mut folders: Vec<_> = fs::read_dir(shared.join("cases")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|f| f.join("assembly.json").is_file() && f.join("truth.json").is_file()) {
        let path = folder.join("assembly.json");
        let size: u64 = fs::read_dir(folder.join("parts"))
            .map_or(u64::MAX, |files| files.filter_map(|f| f.ok()?.metadata().ok()).map(|m| m.len()).sum());
        if full || size < 200_000 {
            println!("{}", folder.display());
            overlaps += hold(&path, &["--max-pieces", "16", "--epsilon", "1"]);
        }
    }
    assert!(overlaps > 0 || !full, "{overlaps}");
}

#[test]
fn parts_can_mix_pieces_triangles_and_hulls() {
    let scratch = Scratch::new();
    scratch.write("tube.obj", obj(&tube(24, 10.0, 6.0, [0.0, 8.0])));
    scratch.write("rod.obj", obj(&block([-2.0, -2.0, -5.0], [2.0, 2.0, 15.0])));
    for tube in ["exact", "decomposition", "hull"] {
        for rod in ["exact", "decomposition", "hull"] {
            for (x, meets) in [(0.0, false), (4.5, true), (30.0, false)] {
                let text = format!(
                    r#"{{"version": 1, "parts": {{
                        "tube": {{"mesh": "tube.obj", "geometry": "{tube}"}},
                        "rod": {{"mesh": "rod.obj", "geometry": "{rod}"}}}},
                    "instances": [{{"id": "tube", "part": "tube"}},
                        {{"id": "rod", "part": "rod", "placement": {{"translation": [{x}, 0, 0]}}}}]}}"#
                );
                let path = scratch.write("assembly.json", text);
                let (_, report) = check(&path, &["--report-within", "50"]);
                assert_sound(&report);
                let found = row(&report, "rod", "tube").expect("listed");
                let coarser = [tube, rod]
                    .into_iter()
                    .max_by_key(|g| ["exact", "decomposition", "hull"].iter().position(|x| x == g));
                assert_eq!(found["geometry"], coarser.unwrap(), "{found}");
                if meets {
                    assert_eq!(found["status"], "interference", "{tube}, {rod}: {found}");
                } else if tube == "exact" || x > 20.0 {
                    assert_eq!(found["status"], "clear", "{tube}, {rod}: {found}");
                }
            }
        }
    }
}

#[test]
fn open_part_falls_back_to_its_triangles_with_warning() {
    let path = crate::generate::cases().join("open-mesh/assembly.json");
    let (_, report) = check(&path, &["--geometry", "decomposition"]);
    let warnings = report["warnings"].as_array().expect("warnings");
    let told: Vec<&str> = warnings
        .iter()
        .filter(|w| w["code"] == "not-decomposed")
        .map(|w| w["part"].as_str().expect("a part"))
        .collect();
    assert_eq!(told, ["sheet", "cover"], "{warnings:?}");
    for part in told {
        assert!(report["parts"][part]["pieces"].is_null() && report["parts"][part]["epsilon"].is_null());
    }
    let (_, exact) = check(&path, &["--geometry", "exact"]);
    for (found, wanted) in
        report["pairs"].as_array().expect("rows").iter().zip(exact["pairs"].as_array().expect("rows"))
    {
        for key in ["a", "b", "status", "gap", "certainty", "relation"] {
            assert_eq!(found[key], wanted[key], "{key} of {found}");
        }
    }
}

#[test]
fn a_part_in_the_hollow_of_an_open_mesh_is_clear() {
    // A tray without its underside, and a block far from its walls.
    let scratch = Scratch::new();
    let mut tray = tube(64, 100.0, 98.0, [0.0, 60.0]);
    let open = tray.triangles.len() - 1;
    tray.triangles.truncate(open);
    scratch.write("tray.stl", stl(&tray));
    scratch.write("block.stl", stl(&block([-10.0, -10.0, 20.0], [10.0, 10.0, 40.0])));
    let text = r#"{"version": 1, "parts": {"tray": "tray.stl", "block": "block.stl"},
        "instances": [{"id": "tray", "part": "tray"}, {"id": "block", "part": "block"}]}"#;
    let path = scratch.write("assembly.json", text);
    for geometry in ["exact", "decomposition"] {
        let (code, report) = check(&path, &["--geometry", geometry, "--report-within", "100"]);
        let found = row(&report, "block", "tray").expect("listed");
        assert!(code == 0 && found["status"] == "clear", "{geometry}: {found}");
        let gap = number(&found["gap"]).expect("a gap");
        let wanted = 98.0 * libm::cos(std::f64::consts::PI / 64.0) - 200.0_f64.sqrt();
        assert!((gap - wanted).abs() < 0.2, "{geometry}: {gap} instead of {wanted}");
    }
}

#[test]
fn single_piece_is_the_hull_with_its_overshoot() {
    let scratch = Scratch::new();
    scratch.write("tube.obj", obj(&tube(24, 10.0, 6.0, [0.0, 8.0])));
    let text = r#"{"version": 1, "parts": {"tube": {"mesh": "tube.obj"}}, "instances": [{"id": "a", "part": "tube"},
        {"id": "b", "part": "tube", "placement": {"translation": [50, 0, 0]}}]}"#;
    let path = scratch.write("assembly.json", text);
    let (code, report) = check(&path, &["--geometry", "decomposition", "--max-pieces", "1", "--epsilon", "0.5"]);
    assert_eq!(code, 0);
    let part = &report["parts"]["tube"];
    let epsilon = number(&part["epsilon"]).expect("it is decomposed");
    // The axis is 6 · cos(7.5°) from the bore.
    assert!(part["pieces"] == 1 && epsilon >= 5.94, "{part}");
    let settings = &report["settings"];
    assert_eq!((&settings["epsilon"], &settings["max_pieces"]), (&0.5.into(), &1.into()));
    assert_eq!(report["warnings"][0]["code"], "epsilon-not-reached", "{}", report["warnings"]);
}

#[test]
fn pieces_reports_are_equal_for_any_threads() {
    for case in ["pivot", "press-fit-in-bore", "mixed-geometry"] {
        let path = crate::generate::cases().join(case).join("assembly.json");
        let run = |threads: &str| {
            let path = path.to_str().expect("UTF-8");
            let line =
                ["check", path, "--geometry", "decomposition", "--max-pieces", "12", "--format", "json", "--threads"];
            interfere(&[&line[..], &[threads]].concat()).stdout
        };
        let one = run("1");
        assert!(!one.is_empty() && ["2", "7"].iter().all(|t| run(t) == one), "{case}");
    }
}

#[test]
fn explain_describes_the_pieces() {
    let path = crate::generate::cases().join("press-fit-in-bore/assembly.json");
    let path = path.to_str().expect("UTF-8");
    let line = ["explain", path, "hub", "pin", "--geometry", "decomposition", "--max-pieces", "8"];
    let ran = interfere(&line);
    assert!(ran.stdout.contains("   pieces  two pieces"), "{}", ran.stdout);
    assert!(ran.stdout.contains("overshoot up to"), "{}", ran.stdout);
    let json = parsed(&interfere(&[&line[..], &["--format", "json"]].concat()).stdout);
    let steps = json["steps"].as_array().expect("steps");
    let step = steps.iter().find(|s| s["stage"] == "pieces").expect("a step");
    assert!(number(&step["depth_at_least"]) > Some(0.0) && step["cleared"] == false, "{step}");
}

/// Points of every object of an OBJ.
pub fn objects(text: &str) -> Vec<Vec<Vec3>> {
    let mut objects: Vec<Vec<Vec3>> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("o") => objects.push(Vec::new()),
            Some("v") => {
                let numbers: Vec<f64> = words.map(|w| w.parse().expect("a number")).collect();
                objects.last_mut().expect("an object").push(Vec3::new(numbers[0], numbers[1], numbers[2]));
            }
            _ => {}
        }
    }
    objects
}

fn decompose(folder: &Path, more: &[&str]) -> Ran {
    interfere_in(folder, &[&["decompose"], more].concat())
}

/// Points of the triangles of a mesh: corners, midpoints of sides, centroids.
fn points_of(mesh: &mesh::TriMesh) -> Vec<Vec3> {
    let corner = |v: u32| mesh.vertices[v as usize];
    mesh.triangles
        .iter()
        .flat_map(|t| {
            let [a, b, c] = t.map(corner);
            [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5, (a + b + c) / 3.0]
        })
        .collect()
}

/// True if a point lies in a hull or nearer to it than `within`.
fn holds(points: &[Vec3], x: &Vec3, within: f64) -> bool {
    let middle = points.iter().sum::<Vec3>() / points.len() as f64;
    let toward = (middle - x).try_normalize(0.0).unwrap_or_else(Vec3::zeros) * within;
    encloses(&convex_hull(points), &[x + toward])
}

#[test]
fn obj_pieces_contain_the_mesh() {
    let scratch = Scratch::new();
    let mesh = tube(12, 10.0, 6.0, [0.0, 8.0]);
    scratch.write("tube.obj", obj(&mesh));
    let ran = decompose(
        scratch.path(),
        &["tube.obj", "-o", "out.obj", "--epsilon", "1", "--max-pieces", "40", "--format", "json"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = parsed(&ran.stdout);
    let pieces = objects(&fs::read_to_string(scratch.path().join("out.obj")).unwrap());
    assert_eq!(report["pieces"].as_u64(), Some(pieces.len() as u64), "{report}");
    assert!(number(&report["volume_ratio"]) >= Some(1.0 - 1e-9), "{report}");
    for x in points_of(&mesh) {
        assert!(pieces.iter().any(|p| holds(p, &x, 1e-11)), "{x:?}");
    }
    let loaded = mesh::load(&fs::read(scratch.path().join("out.obj")).unwrap()).expect("a mesh");
    assert!(loaded.health.closed, "{:?}", loaded.health);
}

#[test]
fn stl_pieces_contain_the_mesh_despite_rounding() {
    let scratch = Scratch::new();
    let mesh = translated(&tube(12, 10.0, 6.0, [0.0, 8.0]), Vec3::new(1000.3, -77.7, 0.1));
    scratch.write("tube.obj", obj(&mesh));
    let ran = decompose(scratch.path(), &["tube.obj", "-o", "out/", "--epsilon", "1", "--max-pieces", "40"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut names: Vec<String> = fs::read_dir(scratch.path().join("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names[0], "piece-001.stl");
    let pieces: Vec<Vec<Vec3>> = names
        .iter()
        .map(|n| mesh::load(&fs::read(scratch.path().join("out").join(n)).unwrap()).expect("a mesh").mesh.vertices)
        .collect();
    for x in points_of(&mesh) {
        assert!(pieces.iter().any(|p| holds(p, &x, 0.0)), "{x:?}");
    }
    // A second run with fewer pieces must not mix with files of the first.
    scratch.write("out/piece-999.stl", stl(&mesh));
    let ran = decompose(scratch.path(), &["tube.obj", "-o", "out"]);
    assert!(ran.code == 2 && ran.stderr.contains("out: the folder holds piece-999.stl of an earlier run"), "{ran:?}");
}

/// Replaces the time, the only difference between runs.
fn without_time(text: &str) -> String {
    let line = |l: &str| {
        if l.starts_with("time: ") {
            "time: [time]".to_owned()
        } else if l.trim_start().starts_with("\"seconds\"") {
            "  \"seconds\": [time],".to_owned()
        } else {
            l.to_owned()
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn decompose_prints_its_result() {
    let scratch = Scratch::new();
    scratch.write("cube.obj", obj(&block([0.0; 3], [2.0, 3.0, 4.0])));
    // The achieved epsilon of a convex mesh depends on its triangulation; all other values are known.
    let ran = decompose(scratch.path(), &["cube.obj", "-o", "out.obj", "--epsilon", "100"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let text = without_time(&ran.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "cube.obj: 12 triangles, 1 convex piece in out.obj");
    assert!(lines[1].starts_with("epsilon: ") && lines[1].ends_with("; requested: 100"), "{text}");
    assert_eq!(lines[2..], ["volume: mesh 24; pieces 1× (sum), 1× (union)", "time: [time]"]);
    let line = ["cube.obj", "-o", "out.obj", "--epsilon", "100", "--format", "json"];
    let [one, two] = [0, 1].map(|_| without_time(&decompose(scratch.path(), &line).stdout));
    assert!(one == two && one.contains("\"volume_ratio\": 1"), "{one}\n{two}");
}

#[test]
fn undecomposable_input_is_refused_with_advice() {
    let scratch = Scratch::new();
    let mut open = block([0.0; 3], [2.0; 3]);
    open.triangles.pop();
    scratch.write("open.obj", obj(&open));
    scratch.write("good.obj", obj(&block([0.0; 3], [2.0; 3])));
    scratch.write("none.obj", "nothing");
    scratch.write("pieces/piece-001.stl", stl(&block([0.0; 3], [2.0; 3])));
    for (line, says) in [
        (
            &["open.obj", "-o", "x.obj"][..],
            "open.obj: the mesh has no definite inside (3 open edges), so it has no solid to cover; close it",
        ),
        (&["none.obj", "-o", "x.obj"], "none.obj"),
        (&["missing.obj", "-o", "x.obj"], "missing.obj: cannot read the file"),
        (&["good.obj", "-o", "x.stl"], "x.stl: the name is neither an OBJ file nor a folder; end it in `.obj`"),
        (&["good.obj", "-o", "no/x.obj"], "no/x.obj: its folder does not exist"),
        (&["good.obj", "-o", "good.obj"], "good.obj: the pieces would replace the mesh"),
        (&["good.obj", "-o", "-"], "-: the command writes no pieces to stdout"),
        (&["pieces/piece-001.stl", "-o", "pieces"], "pieces: the pieces would replace the mesh"),
    ] {
        let ran = decompose(scratch.path(), line);
        assert!(ran.code == 2 && ran.stdout.is_empty(), "{ran:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(says), "{line:?}: {}", ran.stderr);
        assert!(!scratch.path().join("x.obj").exists());
    }
    let ran = decompose(scratch.path(), &["open.obj", "-o", "x.obj", "--hull"]);
    assert!(ran.code == 0 && ran.stderr.contains("[not-decomposed]"), "{ran:?}");
    assert!(ran.stdout.contains("epsilon: none"), "{}", ran.stdout);
    assert_eq!(objects(&fs::read_to_string(scratch.path().join("x.obj")).unwrap())[0].len(), 8);
}

#[test]
fn shells_that_overlap_are_measured_as_one() {
    let scratch = Scratch::new();
    let both = joined(&[block([0.0; 3], [4.0, 1.0, 1.0]), block([3.0, 0.0, 0.0], [4.0, 4.0, 1.0])]);
    scratch.write("l.obj", obj(&both));
    let ran = decompose(scratch.path(), &["l.obj", "-o", "out.obj", "--format", "json"]);
    let report = parsed(&ran.stdout);
    assert!((number(&report["volume"]).expect("a volume") - 7.0).abs() < 1e-9, "{report}");
}

#[test]
fn a_shell_inside_the_solid_needs_no_piece() {
    let scratch = Scratch::new();
    scratch.write("nest.obj", obj(&joined(&[block([0.0; 3], [10.0; 3]), block([4.0; 3], [6.0; 3])])));
    let ran = interfere_in(scratch.path(), &["decompose", "nest.obj", "-o", "out.obj", "--format", "json"]);
    assert!(ran.code == 0 && ran.stderr.is_empty(), "{ran:?}");
    let report = parsed(&ran.stdout);
    assert_eq!(report["pieces"], 1, "{report}");
    assert!(number(&report["epsilon"]).is_some_and(|epsilon| epsilon < 1e-9), "{report}");
}
