//! Do all report formats show the same pairs? Files and streams, through the program.

use crate::support::command::{command, finish, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use std::fs;
use std::path::Path;

/// Writes a plate with five ribs through it, and four equal peg-and-socket pairs, one of them in a sub-assembly. The
/// files lie in a folder below the scratch folder.
fn write_assembly(folder: &Scratch) {
    folder.write("models/cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    folder.write("models/rod.obj", obj(&block([0.0; 3], [2.0, 2.0, 40.0])));
    let part = r#""parts": { "cube": { "mesh": "cube.obj" }, "rod": { "mesh": "rod.obj" } }"#;
    let peg = |k: usize, x: f64| {
        format!(
            "{{ \"id\": \"socket-{k}\", \"part\": \"cube\", \"placement\": {{ \"translation\": [{x}, 0, 0] }} }},\n    \
             {{ \"id\": \"peg-{k}\", \"part\": \"rod\", \"placement\": {{ \"translation\": [{}, 4, 9] }} }}",
            x + 4.0
        )
    };
    folder.write(
        "models/sub unit.json",
        format!("{{ \"version\": 1, {part},\n  \"instances\": [\n    {} ] }}", peg(3, 300.0)),
    );
    let pegs: Vec<_> = (0..3).map(|k| peg(k, 100.0 * k as f64)).collect();
    let ribs: Vec<_> = (0..5)
        .map(|k| {
            let at = format!("[{}, {}, 495]", 1.5 * f64::from(k), 0.5 * f64::from(k));
            let z = format!(
                "{{ \"translation\": {at}, \"rotation\": {{ \"axis\": [0, 0, 1], \"angle_deg\": {} }} }}",
                10 * k
            );
            format!("{{ \"id\": \"rib-{k}\", \"part\": \"rod\", \"placement\": {z} }}")
        })
        .collect();
    folder.write(
        "models/assembly.json",
        format!(
            "{{ \"version\": 1, {part},\n  \"instances\": [\n    {},\n    {{ \"id\": \"sub\", \"assembly\": \"sub unit.json\" }},\n    \
             {{ \"id\": \"plate\", \"part\": \"cube\", \"placement\": {{ \"translation\": [0, 0, 500] }} }},\n    {} ],\n  \
             \"rules\": [ {{ \"between\": [\"rib-*\", \"rib-*\"], \"ignore\": true, \"reason\": \"cast as one\" }} ] }}",
            pegs.join(",\n    "),
            ribs.join(",\n    ")
        ),
    );
}

#[test]
fn all_formats_of_one_run_show_equal_pairs() {
    let folder = Scratch::new();
    write_assembly(&folder);
    let formats =
        ["json=r.json", "sarif=r.sarif", "junit=r.xml", "csv=r.csv", "markdown=r.md", "github=r.txt", "table"];
    let flags: Vec<&str> = formats.iter().flat_map(|f| ["--format", f]).collect();
    let ran = interfere_in(folder.path(), &[&["check", "models/assembly.json"], &flags[..]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let json = parsed(&read("r.json"));
    let pairs = json["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 9, "{pairs:?}");

    let groups = json["groups"].as_array().unwrap();
    let told: Vec<_> = groups.iter().map(|g| (g["kind"].as_str().unwrap(), g["members"].as_u64().unwrap())).collect();
    assert_eq!(told, [("alike", 4), ("culprit", 5)], "{groups:?}");
    for g in groups {
        let members = pairs.iter().filter(|p| p["group"] == g["id"]).count();
        assert_eq!(members as u64, g["members"].as_u64().unwrap());
    }
    assert_eq!(ran.stdout.lines().filter(|l| l.starts_with("interference ")).count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("FAIL: 9 pairs fail"), "{}", ran.stdout);

    let sarif = parsed(&read("r.sarif"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 9);
    places_hold(&folder, results);
    let xml = read("r.xml");
    assert_eq!(xml.matches("<testcase ").count(), 9);
    assert_eq!(xml.matches("<failure ").count(), 9);
    assert_eq!(read("r.csv").matches("\r\n").count(), 10);
    let md = read("r.md");
    assert_eq!(md.lines().filter(|l| l.starts_with("| **interference**")).count(), 2, "{md}");
    let github = read("r.txt");
    assert_eq!(github.lines().filter(|l| l.starts_with("::error file=models/")).count(), 2, "{github}");
}

/// Tests the line of each result: it has the id of its instance, in the file of its sub-assembly if there is one.
fn places_hold(folder: &Scratch, results: &[serde_json::Value]) {
    let mut files = std::collections::BTreeSet::new();
    for result in results {
        for at in [&result["locations"][0], &result["relatedLocations"][0]] {
            let artifact = &at["physicalLocation"]["artifactLocation"];
            assert_eq!(artifact["uriBaseId"], "%SRCROOT%");
            let file = artifact["uri"].as_str().expect("a value").replace("%20", " ");
            let text = fs::read_to_string(folder.path().join(&file)).expect("the file is there");
            let line = at["physicalLocation"]["region"]["startLine"].as_u64().expect("a value") as usize;
            let name = at["logicalLocations"][0]["name"].as_str().expect("a value");
            let line = text.lines().nth(line - 1).expect("the line is there");
            assert!(line.contains(&format!("\"id\": \"{name}\"")), "{file}: {line}: {name}");
            files.insert(file);
        }
    }
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["models/assembly.json", "models/sub unit.json"]);
}

#[test]
fn every_format_has_equal_bytes_for_any_threads() {
    let folder = Scratch::new();
    write_assembly(&folder);
    for format in ["table", "json", "sarif", "junit", "github", "markdown", "csv"] {
        let run = |threads: &str| {
            let line = ["check", "models/assembly.json", "--format", format, "--threads", threads];
            interfere_in(folder.path(), &line)
        };
        let (one, four) = (run("1"), run("4"));
        assert!(one.stdout.len() > 100 && one.code == 1, "{one:?}");
        assert_eq!(one.stdout, four.stdout, "{format}");
        let colour =
            interfere_in(folder.path(), &["check", "models/assembly.json", "--format", format, "--color", "always"]);
        assert_eq!(colour.stdout.contains('\u{1b}'), format == "table", "{format}");
    }
}

#[test]
fn groups_do_not_depend_on_the_order_of_instances() {
    let folder = Scratch::new();
    write_assembly(&folder);
    let path = folder.path().join("models/assembly.json");
    let run = || interfere_in(folder.path(), &["check", "models/assembly.json", "--format", "json"]).stdout;
    let before = parsed(&run());
    let mut file = parsed(&fs::read_to_string(&path).unwrap());
    file["instances"].as_array_mut().unwrap().reverse();
    fs::write(&path, file.to_string()).unwrap();
    let after = parsed(&run());
    assert!(!before["groups"].as_array().unwrap().is_empty());
    assert_eq!((&before["groups"], &before["pairs"]), (&after["groups"], &after["pairs"]));
}

#[test]
fn expand_lists_every_pair_with_its_collisions() {
    let folder = Scratch::new();
    write_assembly(&folder);
    let ran = interfere_in(folder.path(), &["check", "models/assembly.json", "--expand"]);
    assert_eq!(ran.stdout.lines().filter(|l| l.starts_with("interference ")).count(), 9, "{}", ran.stdout);
    assert!(!ran.stdout.contains("not checked"), "{}", ran.stdout);
}

#[test]
fn clashing_outputs_are_refused_before_reading() {
    let folder = Scratch::new();
    folder.write("a.json", "not an assembly");
    for (flags, says) in [
        (&["--format", "json", "--format", "csv"][..], "--format json and --format csv both name no file"),
        (&["--format", "json=x", "--format", "csv=./x"], "./x: two --format write to this place"),
        (&["--format", "json=no/x"], "no/x: --format: its folder does not exist"),
        (&["--format", "json=a.json"], "a.json: --format would replace the assembly"),
        (&["--format", "xml"], "known formats: table, json"),
    ] {
        let ran = interfere_in(folder.path(), &[&["check", "a.json"], flags].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(says) && !ran.stderr.contains("JSON"), "{ran:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was left behind");
}

#[test]
fn outputs_replacing_inputs_are_refused() {
    let folder = Scratch::new();
    write_assembly(&folder);
    let inside = |name: &str| folder.path().join("models").join(name);
    let meshes: Vec<_> = fs::read_dir(folder.path().join("models"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e != "json"))
        .collect();
    assert!(!meshes.is_empty());
    assert_eq!(interfere_in(folder.path(), &["accept", "models/assembly.json"]).code, 0);
    let inputs = [inside("sub unit.json"), inside("interfere-baseline.json"), meshes[0].clone()];
    let before = inputs.each_ref().map(|p| fs::read(p).unwrap());
    let ran = interfere_in(folder.path(), &["check", "models/assembly.json", "--shard", "1/1", "-o", "part.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for (k, (path, what)) in
        inputs.iter().zip(["an assembly file", "the baseline", "a mesh of the assembly"]).enumerate()
    {
        let path = path.to_str().unwrap();
        let format = format!("json={path}");
        let mut lines = vec![
            vec!["check", "models/assembly.json", "-o", path],
            vec!["check", "models/assembly.json", "--format", &format],
            vec!["check", "models/assembly.json", "--timings", path],
            vec!["check", "models/assembly.json", "--shard", "1/2", "-o", path],
        ];
        if k == 1 {
            lines.push(vec!["merge", "part.json", "-o", path]);
        }
        for line in lines {
            let ran = interfere_in(folder.path(), &line);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line:?} {ran:?}");
            assert!(ran.stderr.contains(&format!("would replace {what}; name another file")), "{line:?} {ran:?}");
        }
    }
    assert_eq!(inputs.each_ref().map(|p| fs::read(p).unwrap()), before);
}

#[test]
fn an_absolute_path_is_a_file_uri() {
    let folder = Scratch::new();
    write_assembly(&folder);
    let path = fs::canonicalize(folder.path()).unwrap().join("models/assembly.json");
    let sarif =
        parsed(&finish(command(&[Path::new("check"), &path, Path::new("--format"), Path::new("sarif")])).stdout);
    let artifact = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert!(artifact["uri"].as_str().unwrap().starts_with("file:///") && artifact["uriBaseId"].is_null(), "{artifact}");
}
