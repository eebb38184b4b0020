//! Is a part found that was driven on, so that it takes a longer translation to separate? A plate in a block is as deep
//! as it is thick, however far it goes in. And does an unchanged assembly stay accepted: turned, in another unit, with
//! other meshes? `INTERFERE_FULL=1` moves every finding of the fixtures and more of a real assembly.

use crate::baseline::{FILE, accept, baseline, check, run, standing};
use crate::generate::cases;
use crate::shared::shared;
use crate::support::command::interfere_in;
use crate::support::report::{length, number, parsed, row, vector};
use crate::support::scratch::Scratch;
use crate::support::skipped;
use crate::support::solids::{block, obj, prism, stl, tube};
use interfere::internals::mesh::TriMesh;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Tolerance of the assemblies here (mm).
const TOLERANCE: f64 = 0.01;

/// Lengths of the further moves of a part (mm).
const MOVES: [f64; 4] = [0.3, 0.5, 1.0, 5.0];

/// Another form of the same assembly.
#[derive(Debug, Clone, Copy)]
struct Form {
    unit: &'static str,
    /// Length of one unit (mm).
    mm: f64,
    axis: [f64; 3],
    angle_deg: f64,
    /// True if each triangle is cut into four, and the meshes are binary STL.
    refined: bool,
}

const PLAIN: Form = Form { unit: "mm", mm: 1.0, axis: [0.0, 0.0, 1.0], angle_deg: 0.0, refined: false };

const FORMS: [Form; 6] = [
    PLAIN,
    Form { axis: [1.0, 2.0, 3.0], angle_deg: 77.7, ..PLAIN },
    Form { axis: [0.0, 1.0, 0.0], angle_deg: 90.0, ..PLAIN },
    Form { unit: "inch", mm: 25.4, ..PLAIN },
    Form { refined: true, ..PLAIN },
    Form { unit: "m", mm: 1000.0, axis: [-1.0, 0.4, 0.2], angle_deg: 201.0, refined: true },
];

/// Cuts each triangle into four.
fn refined(mesh: &TriMesh) -> TriMesh {
    let mut out = TriMesh { vertices: mesh.vertices.clone(), triangles: Vec::new() };
    for [a, b, c] in mesh.triangles.iter().copied() {
        let first = out.vertices.len() as u32;
        for (i, j) in [(a, b), (b, c), (c, a)] {
            out.vertices.push((mesh.vertices[i as usize] + mesh.vertices[j as usize]) * 0.5);
        }
        let [ab, bc, ca] = [first, first + 1, first + 2];
        out.triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    out
}

/// Writes two parts, the second moved by `by` (mm) in the frame of the first, which is turned in the assembly.
fn write(scratch: &Scratch, [a, b]: [&TriMesh; 2], by: [f64; 3], form: Form) {
    let end = if form.refined { "stl" } else { "obj" };
    for (name, mesh) in [("base", a), ("part", b)] {
        let content = if form.refined { stl(&refined(mesh)) } else { obj(mesh).into_bytes() };
        scratch.write(&format!("{name}.{end}"), content);
    }
    let mesh = |name: &str| json!({ "mesh": format!("{name}.{end}"), "units": "mm" });
    let mut file = json!({ "version": 1, "units": form.unit, "tolerance": TOLERANCE / form.mm });
    let by = by.map(|x| x / form.mm);
    let inner = json!({ "version": 1, "units": form.unit,
        "parts": { "base": mesh("base"), "part": mesh("part") },
        "instances": [ { "id": "base", "part": "base" },
            { "id": "part", "part": "part", "placement": { "translation": by } } ] });
    scratch.write("inner.json", inner.to_string());
    let at = [3.0, 1.0, 4.0].map(|x| x / form.mm);
    let tilt = json!({ "rotation": { "axis": [2, -1, 0.5], "angle_deg": 33 }, "translation": at });
    scratch.write(
        "tilted.json",
        json!({ "version": 1, "units": form.unit,
            "instances": [ { "id": "in", "assembly": "inner.json", "placement": tilt } ] })
        .to_string(),
    );
    let turn = json!({ "rotation": { "axis": form.axis, "angle_deg": form.angle_deg } });
    file["instances"] = json!([ { "id": "all", "assembly": "tilted.json", "placement": turn } ]);
    scratch.write("assembly.json", file.to_string());
}

/// Baseline status and worse metrics of the pair.
fn judged(scratch: &Scratch) -> (i32, String, Vec<String>) {
    let (code, report) = check(scratch, &[]);
    let worse = row(&report, "all/in/base", "all/in/part").and_then(|r| r["accepted"]["worse_in"].as_array().cloned());
    let worse = worse.unwrap_or_default().iter().map(|m| m.as_str().expect("a name").to_owned()).collect();
    (code, standing(&report, "all/in/base", "all/in/part").to_owned(), worse)
}

/// A plate of 2 mm, 10 mm deep in a block.
fn plate() -> [TriMesh; 2] {
    [block([-50.0, -50.0, -50.0], [50.0, 50.0, 0.0]), block([-1.0, -15.0, -10.0], [1.0, 15.0, 50.0])]
}

#[test]
fn a_part_driven_on_at_equal_depth_is_worse_in_every_form() {
    let [base, part] = plate();
    let scratch = Scratch::new();
    write(&scratch, [&base, &part], [0.0; 3], PLAIN);
    accept(&scratch, &["--reason", "old"]);
    let entry = &baseline(&scratch)["accepted"][0];
    let way = vector(&entry["translation_in_a"]).expect("a translation");
    assert!(
        way[0].abs() < 1e-6 && way[1].abs() < 1e-6 && (way[2] - 10.0).abs() < 1e-6,
        "in the frame of the block: {way:?}"
    );
    assert_eq!(number(&entry["translation_facets"]), Some(0.0));
    let penetration = "penetration_depth".to_owned();
    for form in FORMS {
        for by in MOVES.into_iter().chain([0.02]) {
            write(&scratch, [&base, &part], [0.0, 0.0, -by], form);
            let (code, says, worse) = judged(&scratch);
            assert_eq!((code, says.as_str()), (1, "worse"), "{by} {form:?}");
            assert!(worse.contains(&penetration) && !worse.contains(&"overlap_depth".to_owned()), "{worse:?}");
        }
        // Out, along the slot, across it, and within the tolerance.
        for by in [[0.0; 3], [0.0, 0.0, 0.3], [0.0, 0.0, 5.0], [0.0, 5.0, 0.0], [-3.0, 0.3, 0.0], [0.0, 0.0, -0.0099]] {
            write(&scratch, [&base, &part], by, form);
            assert_eq!(judged(&scratch), (0, "accepted".to_owned(), Vec::new()), "{by:?} {form:?}");
        }
    }
    // The reports show both lengths.
    write(&scratch, [&base, &part], [0.0, 0.0, -0.5], PLAIN);
    let said = |format: &str| run(&scratch, &["check", "assembly.json", "--format", format]).stdout;
    for says in ["by 10.5 mm along", "separates them (10 mm accepted)"] {
        assert!(said("sarif").contains(says), "{}", said("sarif"));
    }
    let (_, report) = check(&scratch, &[]);
    let accepted = &row(&report, "all/in/base", "all/in/part").expect("a row")["accepted"];
    assert!((number(&accepted["penetration_depth"]).expect("a length") - 10.0).abs() < 1e-6);
}

#[test]
fn growth_elsewhere_than_at_the_overlap_has_no_slack() {
    // The volume's slack counts the surface of the common solid: 10 mm of the plate, not all of it.
    let [base, part] = plate();
    let scratch = Scratch::new();
    write(&scratch, [&base, &part], [0.0; 3], PLAIN);
    let (_, report) = check(&scratch, &[]);
    let pair = row(&report, "all/in/base", "all/in/part").expect("a row");
    // 2 × (2 × 30 + 2 × 10 + 30 × 10) mm², half the tolerance.
    let slack = number(&pair["overlap_volume_slack"]).expect("a slack");
    assert!((slack - 760.0 * 0.5 * TOLERANCE).abs() < 1e-3, "{slack}");
}

#[test]
fn other_facets_are_no_longer_way() {
    // A pin in a hole too narrow for it: 20 mm deep, the overlap is a ring.
    let bush = |sides| tube(sides, 20.0, 5.0, [0.0, 30.0]);
    let pin = |sides| prism(sides, 5.2, [10.0, 60.0]);
    let scratch = Scratch::new();
    write(&scratch, [&bush(64), &pin(64)], [0.0; 3], PLAIN);
    accept(&scratch, &["--reason", "old"]);
    for sides in [48, 64, 80, 128] {
        for form in FORMS {
            write(&scratch, [&bush(sides), &pin(sides)], [0.0; 3], form);
            let (code, says, worse) = judged(&scratch);
            assert_eq!((code, says.as_str()), (0, "accepted"), "{sides} {form:?} {worse:?}");
        }
        for by in MOVES {
            write(&scratch, [&bush(sides), &pin(sides)], [0.0, 0.0, -by], PLAIN);
            let (code, _, worse) = judged(&scratch);
            assert_eq!(code, 1, "{sides} {by}");
            assert!(worse.contains(&"penetration_depth".to_owned()), "{sides} {by} {worse:?}");
        }
    }
}

#[test]
fn an_older_baseline_compares_by_depth_and_volume() {
    let [base, part] = plate();
    let scratch = Scratch::new();
    write(&scratch, [&base, &part], [0.0; 3], PLAIN);
    accept(&scratch, &["--reason", "old"]);
    let whole = fs::read_to_string(scratch.path().join(FILE)).expect("a baseline");
    let (head, tail) = whole.split_once(", \"translation_in_a\"").expect("a translation");
    let older = format!("{head}{}", &tail[tail.find(", \"meshes\"").expect("a hash")..]);
    scratch.write(FILE, &older);
    for (by, says) in [(0.0, "accepted"), (0.05, "accepted"), (0.5, "worse")] {
        write(&scratch, [&base, &part], [0.0, 0.0, -by], PLAIN);
        assert_eq!(judged(&scratch).1, says, "{by}");
    }
    // Half a translation is an error with its place.
    let (head, tail) = whole.split_once(", \"translation_facets\"").expect("a number");
    scratch.write(FILE, format!("{head}{}", &tail[tail.find(", \"meshes\"").expect("a hash")..]));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("`translation_in_a` without `translation_facets`"), "{ran:?}");
    // Accepting again adds the translation.
    scratch.write(FILE, &older);
    write(&scratch, [&base, &part], [0.0; 3], PLAIN);
    accept(&scratch, &[]);
    assert_eq!(fs::read_to_string(scratch.path().join(FILE)).expect("a baseline"), whole);
}

#[test]
fn shards_find_the_longer_way_too() {
    let [base, part] = plate();
    let scratch = Scratch::new();
    write(&scratch, [&base, &part], [0.0; 3], PLAIN);
    accept(&scratch, &["--reason", "old"]);
    for (by, code) in [(0.0, 0), (-0.5, 1)] {
        write(&scratch, [&base, &part], [0.0, 0.0, by], FORMS[1]);
        for shard in ["1", "2"] {
            let flags = ["--shard", &format!("{shard}/2"), "-o", &format!("{shard}.json"), "--quiet"];
            assert_eq!(run(&scratch, &[&["check", "assembly.json"], &flags[..]].concat()).code, 0);
        }
        let merged = run(&scratch, &["merge", "1.json", "2.json", "--format", "json", "--quiet"]);
        let whole = run(&scratch, &["check", "assembly.json", "--format", "json", "--quiet"]);
        assert_eq!((merged.code, &merged.stdout), (code, &whole.stdout), "{by}");
    }
}

#[test]
fn diff_compares_the_lengths_of_equal_meshes() {
    let [base, part] = plate();
    let scratch = Scratch::new();
    let report = |name: &str, by: f64, form: Form| {
        write(&scratch, [&base, &part], [0.0, 0.0, by], form);
        run(&scratch, &["check", "assembly.json", "--format", "json", "-o", name]);
    };
    report("old.json", 0.0, PLAIN);
    report("new.json", -0.02, PLAIN);
    let ran = run(&scratch, &["diff", "old.json", "new.json", "--format", "json"]);
    let pair = &parsed(&ran.stdout)["pairs"][0];
    assert_eq!((ran.code, &pair["change"], &pair["measures"]), (1, &"worse".into(), &json!(["penetration_depth"])));
    let said = run(&scratch, &["diff", "old.json", "new.json"]).stdout;
    assert!(said.contains("separated by 10.02 mm"), "{said}");
    report("turned.json", 0.0, FORMS[1]);
    report("refined.json", 0.0, FORMS[4]);
    for other in ["turned.json", "refined.json"] {
        assert_eq!(run(&scratch, &["diff", "old.json", other]).code, 0, "{other}");
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (path, there) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &there);
        } else {
            fs::copy(&path, &there).expect("copied");
        }
    }
}

/// Moves an instance of the assembly file by a vector (the file's unit). Returns false for an instance of a
/// sub-assembly.
fn moved(file: &mut Value, id: &str, by: [f64; 3]) -> bool {
    let instances = file["instances"].as_array_mut().expect("a list");
    let Some(instance) = instances.iter_mut().find(|i| i["id"] == id && i["part"].is_string()) else { return false };
    if !instance["placement"].is_object() {
        instance["placement"] = json!({});
    }
    let placement = &mut instance["placement"];
    if placement["matrix"].is_array() {
        for (k, x) in by.into_iter().enumerate() {
            placement["matrix"][k][3] = (number(&placement["matrix"][k][3]).expect("a number") + x).into();
        }
    } else {
        let before = vector(&placement["translation"]).unwrap_or_default();
        let at = [0, 1, 2].map(|k| before[k] + by[k]);
        placement["translation"] = json!(at);
    }
    true
}

/// Unit vectors along a translation, against it, and two across.
fn directions(t: [f64; 3]) -> [[f64; 3]; 4] {
    let d = t.map(|x| x / length(t));
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let aside = cross(d, if d[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] });
    let aside = aside.map(|x| x / length(aside));
    [d, d.map(|x| -x), aside, cross(d, aside)]
}

/// Counts of a test.
#[derive(Debug, Default)]
struct Seen {
    pairs: usize,
    longer: usize,
    missed: Vec<String>,
}

/// Drives the second part of a finding in every direction. Every move with a translation longer by more than the
/// tolerance must fail, unless the accepted translation still separates the parts up to the tolerance.
fn drive(scratch: &Scratch, file: &Value, pair: &Value, moves: &[f64], seen: &mut Seen) {
    let (a, b) = (pair["a"].as_str().expect("an id"), pair["b"].as_str().expect("an id"));
    let (Some(before), Some(way)) = (number(&pair["penetration_depth"]), vector(&pair["separating_translation"]))
    else {
        return;
    };
    let flags = ["check", "assembly.json", "--quiet", "--format", "json", "--threads", "1"];
    let checked = |file: &Value| {
        scratch.write("assembly.json", file.to_string());
        let ran = interfere_in(scratch.path(), &flags);
        assert!(ran.code < 2, "{ran:?}");
        parsed(&ran.stdout)
    };
    for by in moves.iter().flat_map(|by| directions(way).map(|d| d.map(|x| x * by))) {
        let mut there = file.clone();
        if !moved(&mut there, b, by) {
            return;
        }
        let report = checked(&there);
        let Some(now) = row(&report, a, b) else { continue };
        let tolerance = number(&report["settings"]["tolerance"]).expect("a tolerance");
        let longer = number(&now["penetration_depth"]).is_some_and(|now| now > before + 1.001 * tolerance);
        if now["status"] != "interference" || !longer {
            continue;
        }
        seen.longer += 1;
        if now["baseline"] == "accepted" {
            // The accepted translation must leave no interference.
            moved(&mut there, b, way);
            let after = checked(&there);
            let separated = row(&after, a, b).is_none_or(|r| r["status"] != "interference");
            if !separated {
                seen.missed.push(format!("{a} and {b} moved by {by:?}: {now}"));
            }
        }
    }
    seen.pairs += 1;
}

#[test]
fn fixtures_driven_on_fail() {
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut seen = Seen::default();
    for entry in fs::read_dir(cases()).expect("the cases") {
        let path = entry.expect("an entry").path();
        // Each run of this case takes seconds.
        if !full && path.ends_with("ring-inside-block") {
            continue;
        }
        let scratch = Scratch::new();
        copy(&path, scratch.path());
        let flags = ["accept", "assembly.json", "--quiet", "--reason", "old"];
        if interfere_in(scratch.path(), &flags).code != 0 || !scratch.path().join(FILE).exists() {
            continue;
        }
        let file = parsed(&fs::read_to_string(scratch.path().join("assembly.json")).expect("an assembly"));
        let (_, report) = check(&scratch, &[]);
        let findings = report["pairs"].as_array().expect("pairs").iter().filter(|p| p["status"] == "interference");
        let (pairs, moves) = if full { (usize::MAX, &MOVES[..]) } else { (2, &MOVES[2..3]) };
        for pair in findings.take(pairs) {
            drive(&scratch, &file, pair, moves, &mut seen);
        }
    }
    assert!(seen.missed.is_empty(), "{:#?}", seen.missed);
    assert!(seen.pairs >= 8 && seen.longer >= 8, "{seen:?}");
}

/// Assembly of two instances of a real case, with absolute paths of its meshes.
fn pair_of(case: &Path, meshes: &Path, [a, b]: [&str; 2]) -> Value {
    let read = |folder: &Path| parsed(&fs::read_to_string(folder.join("assembly.json")).expect("an assembly"));
    let (whole, of_parts) = (read(case), read(meshes));
    let all = whole["instances"].as_array().expect("a list");
    let both: Vec<Value> =
        [a, b].iter().map(|id| all.iter().find(|i| i["id"] == **id).expect("an instance").clone()).collect();
    let mut parts = json!({});
    for instance in &both {
        let name = instance["part"].as_str().expect("a part");
        let mut part = of_parts["parts"][name].clone();
        let mesh = part["mesh"].as_str().expect("a path");
        let file = mesh.rsplit('/').next().expect("a name").to_owned();
        part["mesh"] = file.into();
        parts[name] = part;
    }
    json!({ "version": 1, "units": whole["units"], "parts": parts, "instances": both })
}

/// Pairs of the gripper (real STEP assembly): screws in plates, nuts in slots, levers on axes.
const GRIPPER: [[&str; 2]; 3] = [
    ["Gripper.Laserteil_1", "Gripper.Nuts_and_Bolts.M3x12"],
    ["Gripper.Laserteil_1", "Gripper.Nuts_and_Bolts.M3x16"],
    ["Gripper.Laserteil_2", "Gripper.Nuts_and_Bolts.M3x20-6"],
];

#[test]
fn a_real_screw_driven_on_fails_and_its_coarse_copy_does_not() {
    let Some(shared) = shared() else { return skipped("no ../shared beside the project") };
    let (case, coarse) = (shared.join("cases/gripper"), shared.join("cases/gripper-coarse"));
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut seen = Seen::default();
    for ids in GRIPPER.iter().take(if full { GRIPPER.len() } else { 1 }) {
        let scratch = Scratch::new();
        let with_meshes_of = |folder: &Path| {
            let file = pair_of(&case, folder, *ids);
            for part in file["parts"].as_object().expect("parts").values() {
                let name = part["mesh"].as_str().expect("a name");
                scratch.write(name, fs::read(folder.join("parts").join(name)).expect("a mesh"));
            }
            scratch.write("assembly.json", file.to_string());
            file
        };
        with_meshes_of(&case);
        accept(&scratch, &["--reason", "old"]);
        // Other meshes of the same parts.
        with_meshes_of(&coarse);
        let (_, report) = check(&scratch, &[]);
        let now = row(&report, ids[0], ids[1]);
        assert!(now.is_none_or(|r| r["status"] != "interference" || r["baseline"] == "accepted"), "{now:?}");
        let file = with_meshes_of(&case);
        let (code, report) = check(&scratch, &[]);
        assert_eq!(code, 0);
        let pair = row(&report, ids[0], ids[1]).expect("a finding").clone();
        drive(&scratch, &file, &pair, if full { &MOVES } else { &[0.3, 5.0] }, &mut seen);
    }
    assert!(seen.missed.is_empty(), "{:#?}", seen.missed);
    assert!(seen.longer > seen.pairs, "{seen:?}");
}
