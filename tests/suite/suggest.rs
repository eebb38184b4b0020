//! Do the rules proposed by `interfere suggest` allow the intended pairs only?

use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj, prism, tube};
use interfere::internals::mesh::TriMesh;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Unit cubes by id, part and position, in a folder of their own.
struct Cubes {
    scratch: Scratch,
    file: Value,
}

impl Cubes {
    fn new(cubes: &[(&str, &str, [f64; 3])]) -> Self {
        let scratch = Scratch::new();
        scratch.write("cube.obj", obj(&block([0.0; 3], [1.0; 3])));
        let mut file = json!({ "version": 1, "parts": {}, "instances": [], "rules": [] });
        for (id, part, at) in cubes {
            file["parts"][*part] = json!({ "mesh": "cube.obj" });
            let instance = json!({ "id": id, "part": part, "placement": { "translation": at } });
            file["instances"].as_array_mut().expect("a list").push(instance);
        }
        Self { scratch, file }
    }

    fn run(&self, command: &str, flags: &[&str]) -> (i32, String) {
        let at = self.scratch.write("assembly.json", self.file.to_string());
        let ran = interfere(&[&[command, at.to_str().expect("UTF-8")], flags].concat());
        assert!(ran.code != 2, "{ran:?}");
        (ran.code, ran.stdout)
    }

    fn suggest(&self) -> Value {
        let (code, text) = self.run("suggest", &["--format", "json"]);
        assert_eq!(code, 0);
        parsed(&text)
    }

    fn report(&self) -> Value {
        parsed(&self.run("check", &["--format", "json"]).1)
    }

    /// Appends the proposed rules.
    fn paste(&mut self, suggestions: &Value) {
        let rules = suggestions["rules"].as_array().expect("rules").iter().map(|r| r["rule"].clone());
        self.file["rules"].as_array_mut().expect("a list").extend(rules);
    }
}

/// Four bolts seated in one plate, two pins in a jaw each.
fn machine() -> Cubes {
    Cubes::new(&[
        ("plate", "plate", [0.0, 0.0, 0.0]),
        ("bolt-1", "bolt", [0.8, 0.0, 0.0]),
        ("bolt-2", "bolt", [-0.8, 0.0, 0.0]),
        ("bolt-10", "bolt", [0.0, 0.8, 0.0]),
        ("bolt-11", "bolt", [0.0, -0.8, 0.0]),
        ("bracket", "plate", [30.0, 0.0, 0.0]),
        ("jaw-1", "jaw", [50.0, 0.0, 0.0]),
        ("pin-1", "pin", [50.98, 0.0, 0.0]),
        ("jaw-2", "jaw", [60.0, 0.0, 0.0]),
        ("pin-2", "pin", [60.97, 0.0, 0.0]),
    ])
}

#[test]
fn proposed_rules_make_the_run_pass() {
    let mut machine = machine();
    let suggestions = machine.suggest();
    let rules = suggestions["rules"].as_array().expect("rules").clone();
    let betweens: Vec<&Value> = rules.iter().map(|r| &r["rule"]["between"]).collect();
    // Two neighbouring bolts share a corner.
    assert_eq!(suggestions["left_out"], json!([]));
    assert!(betweens.contains(&&json!(["bolt-*", "plate"])), "{betweens:?}");
    assert!(
        betweens.contains(&&json!(["jaw-1", "pin-1"])) && betweens.contains(&&json!(["jaw-2", "pin-2"])),
        "{betweens:?}"
    );
    assert!(rules.iter().all(|r| r["fit"] == "press fit or seat"), "the name of a bolt is no reason");
    assert!(rules.iter().all(|r| r["rule"]["reason"].as_str().expect("a reason").starts_with("REVIEW: ")));
    assert!(rules.iter().all(|r| r["others"] == 0));
    let failing = |counts: &Value| {
        ["interference", "too_close", "undecided"].iter().map(|s| counts[s].as_u64().expect("a count")).sum::<u64>()
    };
    let before = machine.report();
    let proposed: u64 = rules.iter().map(|r| r["pairs"].as_u64().expect("a count")).sum();
    assert_eq!(failing(&before["summary"]["counts"]), proposed);
    machine.paste(&suggestions);
    let (code, report) = machine.run("check", &["--format", "json", "--strict"]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(parsed(&report)["summary"]["counts"]["allowed"], proposed);
    assert_eq!(machine.suggest()["rules"], json!([]));
    // The text output has the same lines, ready to paste.
    let (_, text) = self::machine().run("suggest", &[]);
    let lines: String = text.lines().filter(|l| l.starts_with("      {")).collect();
    let pasted = parsed(&format!("[{lines}]"));
    assert_eq!(pasted, rules.iter().map(|r| r["rule"].clone()).collect::<Value>());
}

#[test]
fn likely_faults_are_left_out_and_listed() {
    let mut cubes = Cubes::new(&[
        ("frame", "frame", [0.0, 0.0, 0.0]),
        ("motor", "motor", [0.5, 0.0, 0.0]),
        ("twin", "frame", [9.0, 0.0, 0.0]),
        ("twin-again", "frame", [9.0, 0.0, 0.0]),
        ("key", "key", [20.0, 0.0, 0.0]),
        ("slot", "slot", [20.95, 0.0, 0.0]),
        ("fan", "fan", [30.0, 0.0, 0.0]),
        ("grille", "grille", [32.0, 0.0, 0.0]),
    ]);
    cubes.file["rules"] = json!([
        { "between": ["key", "slot"], "allow_depth": 0.02, "reason": "press fit" },
        { "between": ["fan", "*"], "min_clearance": 2 }
    ]);
    let suggestions = cubes.suggest();
    assert_eq!(suggestions["rules"], json!([]));
    let left: Vec<(&str, &str)> = suggestions["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|l| (l["a"].as_str().expect("an id"), l["why"].as_str().expect("a reason")))
        .collect();
    for (id, why) in [
        ("frame", "probably a fault"),
        ("twin", "in the same place"),
        ("key", "deeper than a rule allows"),
        ("fan", "below the `min_clearance` of a rule"),
    ] {
        assert!(left.iter().any(|(a, w)| *a == id && w.contains(why)), "{id}: {left:?}");
    }
    assert_eq!(left.len(), 4);
    let (code, text) = cubes.run("suggest", &[]);
    assert_eq!(code, 0);
    assert!(
        text.starts_with("No rule is proposed for the 4 pairs that fail.")
            && text.contains("frame and motor: interference, "),
        "{text}"
    );
}

#[test]
fn repeated_fits_share_a_rule_unless_hiding_a_fault() {
    let ids: Vec<(String, String)> = (0..9).map(|k| (format!("jaw-{k}"), format!("pin-{k}"))).collect();
    let mut cubes = Vec::new();
    for (k, (jaw, pin)) in ids.iter().enumerate() {
        cubes.push((jaw.as_str(), "jaw", [10.0 * k as f64, 0.0, 0.0]));
        cubes.push((pin.as_str(), "pin", [10.0 * k as f64 + 0.98, 0.0, 0.0]));
    }
    let mut many = Cubes::new(&cubes);
    let suggestions = many.suggest();
    let rules = suggestions["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 1, "{rules:?}");
    assert_eq!(
        (&rules[0]["rule"]["between"], &rules[0]["pairs"], &rules[0]["others"]),
        (&json!(["jaw-*", "pin-*"]), &9.into(), &72.into())
    );
    many.paste(&suggestions);
    assert_eq!(many.run("check", &["--strict"]).0, 0);
    // One pin stands half in the jaw of another: the proposed rule must leave its pair failing.
    cubes.push(("pin-9", "pin", [0.0, 0.5, 0.0]));
    let mut faulty = Cubes::new(&cubes);
    let suggestions = faulty.suggest();
    assert!(suggestions["left_out"].as_array().expect("a list").iter().any(|l| l["b"] == "pin-9"), "{suggestions}");
    faulty.paste(&suggestions);
    let report = faulty.report();
    let failing: Vec<&Value> =
        report["pairs"].as_array().expect("pairs").iter().filter(|p| p["status"] == "interference").collect();
    assert!(!failing.is_empty() && failing.iter().all(|p| p["a"] == "pin-9" || p["b"] == "pin-9"), "{failing:?}");
}

/// Writes screws and holes with names that say nothing or the wrong thing; returns the text of the assembly file.
fn screws(scratch: &Scratch) -> String {
    let shifted = |mut mesh: TriMesh, x: f64| {
        mesh.vertices.iter_mut().for_each(|v| v.x += x);
        obj(&mesh)
    };
    // A thread of 0.5 mm on a screw of 3 mm.
    scratch.write("plate.obj", shifted(tube(16, 10.0, 1.0, [0.0, 5.0]), 0.0));
    scratch.write("rod.obj", shifted(prism(16, 1.5, [-5.0, 8.0]), 0.0));
    // A hole much too narrow for its screw.
    scratch.write("narrow.obj", shifted(tube(16, 10.0, 0.3, [0.0, 5.0]), 50.0));
    scratch.write("screw.obj", shifted(prism(16, 1.5, [-5.0, 8.0]), 50.0));
    // A bolt through a sheet without a hole.
    scratch.write("sheet.obj", obj(&block([90.0, -10.0, 0.0], [110.0, 10.0, 1.5])));
    scratch.write("bolt.obj", shifted(prism(16, 5.0, [-5.0, 8.0]), 100.0));
    // A slot named "Nut", as in German, with a slide 1.3 mm deep in its floor.
    scratch.write("Nut.obj", obj(&block([140.0, 0.0, 0.0], [160.0, 20.0, 5.0])));
    scratch.write("slide.obj", obj(&block([145.0, -5.0, 3.7], [155.0, 25.0, 9.0])));
    let names = ["plate", "rod", "narrow", "screw", "sheet", "bolt", "Nut", "slide"];
    let parts: Vec<_> = names.iter().map(|n| format!("    \"{n}\": {{\"mesh\": \"{n}.obj\"}}")).collect();
    let instances: Vec<_> = names.iter().map(|n| format!("    {{\"id\": \"{n}\", \"part\": \"{n}\"}}")).collect();
    format!(
        "{{\n  \"version\": 1,\n  \"parts\": {{\n{}\n  }},\n  \"instances\": [\n{}\n  ]\n}}\n",
        parts.join(",\n"),
        instances.join(",\n")
    )
}

#[test]
fn shape_and_contact_decide_about_fasteners_not_names() {
    let scratch = Scratch::new();
    let path = scratch.write("assembly.json", screws(&scratch));
    let ran = interfere(&["suggest", path.to_str().expect("UTF-8"), "--format", "json"]);
    let suggestions = parsed(&ran.stdout);
    let rules = suggestions["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 1, "{rules:?}");
    assert_eq!((&rules[0]["fit"], &rules[0]["rule"]["between"]), (&"fastener".into(), &json!(["plate", "rod"])));
    let left = suggestions["left_out"].as_array().expect("a list");
    for (a, why) in
        [("Nut", "deeper than a press fit"), ("bolt", "deeper than a press fit"), ("narrow", "the hole is too narrow")]
    {
        assert!(
            left.iter().any(|l| l["a"] == a && l["why"].as_str().is_some_and(|w| w.contains(why))),
            "{a}: {left:?}"
        );
    }
    assert_eq!(left.len(), 3);
}

#[test]
fn written_rules_keep_the_layout() {
    let scratch = Scratch::new();
    let plain = screws(&scratch);
    let with_rules = plain.replace(
        "  \"parts\"",
        "  \"rules\": [\n      {\"between\": [\"Nut\", \"slide\"],\n       \"ignore\": true, \"reason\": \"ok\"}\n  ],\n  \"parts\"",
    );
    let line = |text: &str| text.lines().find(|l| l.contains("REVIEW")).expect("a rule").to_owned();
    for (before, indent) in
        [(plain.clone(), "    {"), (with_rules.clone(), "      {"), (with_rules.replace('\n', "\r\n"), "      {")]
    {
        let path = scratch.write("assembly.json", &before);
        let ran = interfere(&["suggest", path.to_str().expect("UTF-8"), "--write"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains("Now in ") && ran.stdout.contains("Review each"), "{ran:?}");
        let after = fs::read_to_string(&path).expect("the file");
        let added = line(&after);
        assert!(added.starts_with(indent), "{after}");
        assert!(ran.stdout.contains(added.trim()), "the printed line is the written one");
        // Every old line is there, in the old order; at most a comma follows one of them.
        let mut lines = after.lines();
        for old in before.lines() {
            assert!(lines.any(|new| new == old || new == format!("{old},")), "{old} in {after}");
        }
        assert_eq!(before.contains('\r'), !after.replace("\r\n", "").contains('\n'));
        let report = interfere(&["check", path.to_str().expect("UTF-8"), "--format", "json"]);
        let report = parsed(&report.stdout);
        let status = report["pairs"].as_array().expect("pairs").iter().find(|p| p["a"] == "plate").expect("a row");
        assert_eq!(status["status"], "allowed");
        // Without a further proposal, the file stays as it is.
        assert_eq!(interfere(&["suggest", path.to_str().expect("UTF-8"), "--write"]).code, 0);
        assert_eq!(fs::read_to_string(&path).expect("the file"), after);
    }
}

/// The lines are printed as they belong into the file.
#[test]
fn lines_for_a_file_without_rules_come_with_the_key() {
    let mut machine = machine();
    machine.file["rules"] = json!([{ "between": ["bracket", "jaw-1"], "allow_depth": 1, "reason": "r" }]);
    let with_rules = machine.run("suggest", &[]).1;
    assert!(with_rules.contains("then add it after the rules of ") && !with_rules.contains("\"rules\": ["));
    machine.file.as_object_mut().expect("an object").remove("rules");
    let (_, text) = machine.run("suggest", &[]);
    assert!(text.contains("Review each, then add this to "), "{text}");
    let key = text.lines().skip_while(|line| !line.contains("\"rules\": [")).take_while(|line| !line.is_empty());
    let pasted: Value = serde_json::from_str(&format!("{{{}}}", key.collect::<String>())).expect("a member");
    machine.file["rules"] = pasted["rules"].clone();
    assert_eq!(machine.run("check", &[]).0, 0);
}

/// An import writes its folder anew, and would drop the rules.
#[test]
fn rules_are_not_written_into_an_imported_folder() {
    let machine = machine();
    let (path, before) = (machine.scratch.path().join("assembly.json"), machine.file.to_string());
    machine.scratch.write("assembly.json", &before);
    machine.scratch.write("import.json", "{}");
    let ran = interfere(&["suggest", path.to_str().expect("UTF-8"), "--write"]);
    assert!(ran.code == 2 && ran.stderr.contains("an import wrote the file"), "{ran:?}");
    assert!(ran.stderr.contains("assembly.json -o cell.json` writes a file above it"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), before);
}

#[test]
fn a_rule_names_at_most_three_globs() {
    let ids: Vec<String> = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu"].iter().map(|s| (*s).to_owned()).collect();
    // Seven unlike names, each seated on one rail; the rails are one part.
    let mut cubes = vec![("rail", "rail", [0.0, 0.0, 0.0])];
    cubes.extend(ids.iter().zip(0..).map(|(id, k)| (id.as_str(), "foot", [0.1 * f64::from(k), 0.0, 0.9])));
    cubes.push(("hen", "foot", [70.0, 0.0, 0.0]));
    let suggestions = Cubes::new(&cubes).suggest();
    let rules = suggestions["rules"].as_array().expect("rules");
    let globs = |rule: &Value| -> usize {
        let sides = rule["rule"]["between"].as_array().expect("two").iter();
        sides.map(|s| s.as_str().expect("a glob").matches(',').count() + 1).sum()
    };
    let most = rules.iter().map(globs).max().expect("a rule");
    assert!(rules.len() > 3 && most == 3, "{rules:?}");
}

#[test]
fn each_rule_decides_the_pairs_that_it_counts() {
    // Two rows of pins of one part: rules for all of them match some pairs twice.
    let scratch = Scratch::new();
    scratch.write("pin.obj", obj(&block([0.0; 3], [10.0; 3])));
    let pins = [("pin-2", 9.8), ("pin-10", 19.7), ("pin-1", 29.6), ("ab", 39.4), ("bb", 59.4), ("rib", 79.4)];
    let instance =
        |(id, x): &(&str, f64)| json!({ "id": id, "part": "pin", "placement": { "translation": [x, 0, 0] } });
    let row = json!({
        "version": 1, "parts": { "pin": { "mesh": "pin.obj" } },
        "instances": pins.iter().map(instance).collect::<Vec<_>>()
    });
    scratch.write("row.json", row.to_string());
    let rows = [("s", 0.0), ("t", 9.95)]
        .map(|(id, y)| json!({ "id": id, "assembly": "row.json", "placement": { "translation": [0, y, 0] } }));
    let file = json!({ "version": 1, "instances": rows }).to_string();
    let path = scratch.write("assembly.json", file);
    let path = path.to_str().expect("UTF-8");
    let before = parsed(&interfere(&["check", path, "--format", "json"]).stdout);
    let suggestions = parsed(&interfere(&["suggest", path, "--write", "--format", "json"]).stdout);
    let ran = interfere(&["check", path, "--strict", "--format", "json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rules = suggestions["rules"].as_array().expect("rules");
    assert_eq!((rules.len(), &suggestions["left_out"]), (8, &json!([])), "{rules:?}");
    let counted: u64 = rules.iter().map(|r| r["pairs"].as_u64().expect("a count")).sum();
    assert_eq!(before["summary"]["counts"]["interference"], counted);
    let report = parsed(&ran.stdout);
    for (k, rule) in rules.iter().enumerate() {
        let decided = report["pairs"]
            .as_array()
            .expect("pairs")
            .iter()
            .filter(|p| p["rule"]["index"] == k && p["status"] == "allowed");
        assert_eq!(rule["pairs"], decided.count(), "{rule}");
    }
}

#[test]
fn passing_assembly_needs_no_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/flush-boxes/assembly.json");
    let ran = interfere(&["suggest", path.to_str().expect("UTF-8")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "No pair fails as drawn, so no rule is proposed.\n"));
}
