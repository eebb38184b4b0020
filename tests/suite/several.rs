//! Several assemblies in one run: worst exit code, one summary, and every format with all of them.

use crate::support::command::{Ran, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use serde_json::Value;

/// Two cubes of side 10 mm at a distance along x (mm).
fn cubes(distance: f64) -> String {
    format!(
        r#"{{ "version": 1, "parts": {{ "cube": {{ "mesh": "../cube.obj" }} }},
  "instances": [
    {{ "id": "one", "part": "cube" }},
    {{ "id": "two", "part": "cube", "placement": {{ "translation": [{distance}, 0, 0] }} }} ] }}"#
    )
}

/// Three green assemblies, a red one and a broken one.
fn designs() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("designs/cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    for (name, distance) in [("a", 12.0), ("b", 13.0), ("c", 14.0), ("red", 9.0)] {
        scratch.write(&format!("designs/{name}/assembly.json"), cubes(distance));
    }
    scratch.write("designs/torn/assembly.json", cubes(12.0).replace("\"version\": 1", "\"version\": 1, \"unts\": 1"));
    scratch
}

const PATHS: [&str; 5] = ["a", "b", "c", "red", "torn"];

fn check(scratch: &Scratch, flags: &[&str]) -> Ran {
    interfere_in(scratch.path(), &[&["check", "designs/*/assembly.json"], flags].concat())
}

#[test]
fn worst_exit_code_and_one_summary() {
    let scratch = designs();
    let ran = check(&scratch, &[]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let summary: Vec<&str> = ran.stdout.lines().rev().take(6).collect::<Vec<_>>().into_iter().rev().collect();
    insta::assert_snapshot!(summary.join("\n"), @r#"
    PASS   designs/a/assembly.json
    PASS   designs/b/assembly.json
    PASS   designs/c/assembly.json
    FAIL   designs/red/assembly.json: 1 pair fails
    ERROR  designs/torn/assembly.json: designs/torn/assembly.json:1:17: unts: unknown key `unts`; did you mean `units`?
    5 assemblies: 3 pass, 1 fail, 1 error
    "#);
    insta::assert_snapshot!(ran.stderr, @"error: designs/torn/assembly.json:1:17: unts: unknown key `unts`; did you mean `units`?");
    assert!(ran.took.is_some_and(|took| took.starts_with("checked 5 assemblies in ")));
    // Without the broken one, the failing pair decides; without both, all pass.
    let code = |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|name| format!("designs/{name}")).collect();
        let words: Vec<&str> = std::iter::once("check").chain(paths.iter().map(String::as_str)).collect();
        interfere_in(scratch.path(), &words).code
    };
    assert_eq!((code(&["a", "red", "b"]), code(&["a", "b"])), (1, 0));
}

#[test]
fn json_has_an_entry_for_each_assembly() {
    let scratch = designs();
    let ran = check(&scratch, &["--format", "json"]);
    let report = parsed(&ran.stdout);
    assert_eq!((ran.code, &report["verdict"]), (2, &"error".into()));
    let all = report["assemblies"].as_array().expect("assemblies");
    let paths: Vec<_> = all.iter().map(|one| one["path"].as_str().expect("a path").to_owned()).collect();
    assert_eq!(paths, PATHS.map(|name| format!("designs/{name}/assembly.json")));
    let verdicts: Vec<_> = all.iter().map(|one| one["verdict"].as_str().expect("a verdict")).collect();
    assert_eq!(verdicts, ["pass", "pass", "pass", "fail", "error"]);
    assert!(all[4]["problems"][0]["message"].as_str().expect("a message").contains("did you mean `units`?"));
    // The report of one assembly is that of its own run.
    let own = interfere_in(scratch.path(), &["check", "designs/red/assembly.json", "--format", "json"]);
    assert_eq!(all[3]["report"], parsed(&own.stdout));
    let schema = interfere_in(scratch.path(), &["schema", "reports"]).stdout;
    let schema = jsonschema::validator_for(&parsed(&schema)).expect("a schema");
    assert!(schema.is_valid(&report), "{:?}", schema.iter_errors(&report).map(|e| e.to_string()).collect::<Vec<_>>());
    // The bytes are equal for every number of threads; the summary goes to stderr.
    assert_eq!(check(&scratch, &["--format", "json", "-j", "1"]).stdout, ran.stdout);
    assert!(ran.stderr.contains("\n5 assemblies: 3 pass, 1 fail, 1 error\n"), "{ran:?}");
    assert!(!check(&scratch, &["--format", "json", "-q"]).stderr.contains("assemblies"));
}

#[test]
fn sarif_has_a_run_for_each_assembly() {
    let scratch = designs();
    let log = parsed(&check(&scratch, &["--format", "sarif"]).stdout);
    let runs = log["runs"].as_array().expect("runs");
    let ids: Vec<_> = runs.iter().map(|r| r["automationDetails"]["id"].as_str().expect("an id").to_owned()).collect();
    assert_eq!(ids, PATHS.map(|name| format!("interfere/designs/{name}/assembly.json/")));
    let results: Vec<_> = runs.iter().map(|r| r["results"].as_array().map_or(9, Vec::len)).collect();
    assert_eq!(results, [0, 0, 0, 1, 0]);
    let invocation = &runs[4]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    let told = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().expect("a text");
    assert!(told.contains("designs/torn/assembly.json:1:"), "{told}");
    // A log of one run has no name of a run.
    let own = interfere_in(scratch.path(), &["check", "designs/a", "--format", "sarif"]);
    assert_eq!(parsed(&own.stdout)["runs"][0]["automationDetails"], Value::Null);
}

#[test]
fn junit_has_a_suite_for_each_assembly() {
    let text = check(&designs(), &["--format", "junit"]).stdout;
    let document = roxmltree::Document::parse(&text).expect("XML");
    let root = document.root_element();
    let suites: Vec<_> = root.children().filter(|n| n.has_tag_name("testsuite")).collect();
    assert_eq!(suites.len(), 5);
    let count = |node: roxmltree::Node<'_, '_>, key: &str| -> usize {
        node.attribute(key).expect("a count").parse().expect("a number")
    };
    for key in ["tests", "failures", "errors"] {
        assert_eq!(count(root, key), suites.iter().map(|s| count(*s, key)).sum::<usize>(), "{key}");
    }
    assert_eq!((count(root, "failures"), count(root, "errors")), (1, 1));
    // All files have one name: viewers merge suites of one name.
    let names: Vec<_> = suites.iter().map(|s| s.attribute("name").expect("a name")).collect();
    let expected = PATHS.map(|name| {
        let path = format!("designs/{name}/assembly.json");
        if name == "torn" { path } else { format!("assembly ({path})") }
    });
    assert_eq!(names, expected);
    assert!(text.contains("did you mean `units`?"), "{text}");
}

#[test]
fn csv_github_and_markdown_hold_every_assembly() {
    let scratch = designs();
    let csv = check(&scratch, &["--format", "csv"]).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("assembly,id,status,"), "{csv}");
    assert!(lines[1].starts_with("designs/red/assembly.json,"), "{csv}");
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
    let github = check(&scratch, &["--format", "github"]).stdout;
    assert!(github.contains("::error file=designs/torn/assembly.json,line=1,"), "{github}");
    assert!(github.ends_with("::notice title=interfere::5 assemblies: 3 pass, 1 fail, 1 error\n"), "{github}");
    let markdown = check(&scratch, &["--format", "markdown"]).stdout;
    assert!(markdown.starts_with("## interfere: 5 assemblies: 3 pass, 1 fail, 1 error\n"), "{markdown}");
    assert!(PATHS.iter().all(|name| markdown.contains(&format!("designs/{name}/assembly.json"))), "{markdown}");
    assert!(markdown.len() < 65_536);
}

#[test]
fn flags_for_one_assembly_are_refused() {
    let scratch = designs();
    for flags in [&["--baseline", "b.json"][..], &["--timings", "t.json"], &["--shard", "1/2", "-o", "s.json"]] {
        let ran = check(&scratch, flags);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: {} is for one assembly; ", flags[0])), "{ran:?}");
    }
    let none = interfere_in(scratch.path(), &["check", "nothing/**/assembly.json"]);
    insta::assert_snapshot!(none.stderr, @"error: nothing/**/assembly.json: no assembly file matches; check the path; `**` stands for any number of folders");
}

#[test]
fn each_assembly_has_its_own_baseline_and_warnings() {
    let scratch = designs();
    assert_eq!(interfere_in(scratch.path(), &["accept", "designs/red"]).code, 0);
    let ran = interfere_in(scratch.path(), &["check", "designs/a", "designs/red"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("PASS   designs/red/assembly.json: 1 accepted finding\n"), "{ran:?}");
    let mut open = block([0.0; 3], [10.0; 3]);
    open.triangles.truncate(10);
    scratch.write("designs/cube.obj", obj(&open));
    let ran = interfere_in(scratch.path(), &["check", "designs/a", "designs/b", "--strict"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("note: designs/a/assembly.json: 1 warning\nerror: part cube: "), "{ran:?}");
}

#[test]
fn an_output_over_a_mesh_of_any_assembly_is_refused_before_the_first_run() {
    let scratch = designs();
    let cube = scratch.path().join("designs/cube.obj");
    let before = std::fs::read(&cube).unwrap();
    for flags in [["-o", "designs/cube.obj"], ["--format", "csv=designs/cube.obj"]] {
        let ran = check(&scratch, &flags);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains("would replace a mesh of the assembly; name another file"), "{ran:?}");
        assert_eq!(std::fs::read(&cube).unwrap(), before, "{flags:?}");
    }
}

#[test]
fn a_glob_leaves_hidden_folders_out_unless_it_names_them() {
    let scratch = designs();
    scratch.write("designs/.old/assembly.json", cubes(1.0));
    let listed = |glob: &str| {
        let ran = interfere_in(scratch.path(), &["check", glob]);
        ran.stdout.lines().rev().find(|line| line.contains("assembl")).unwrap_or_default().to_owned()
    };
    assert_eq!(listed("designs/*/assembly.json"), "5 assemblies: 3 pass, 1 fail, 1 error");
    assert_eq!(listed("designs/**/assembly.json"), "5 assemblies: 3 pass, 1 fail, 1 error");
    assert_eq!(listed("designs/.*/assembly.json"), "1 assembly: 1 fail");
}
