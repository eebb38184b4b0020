//! Does the table fit its width, and do the handles of its rows name the pairs everywhere?

use crate::shared::shared;
use crate::support::command::{Ran, command, finish, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use std::fs;
use std::path::{Path, PathBuf};

/// Table of an assembly at a width, with stdout in a pipe.
fn table(assembly: &Path, columns: usize, flags: &[&str]) -> String {
    let path = assembly.to_str().expect("UTF-8");
    let mut command = command(&[&["check", path, "--no-baseline"], flags].concat());
    command.env("COLUMNS", columns.to_string());
    let ran = finish(command);
    assert!(ran.code < 2, "{ran:?}");
    ran.stdout
}

fn assert_fits(assembly: &Path, flags: &[&str]) -> usize {
    let mut rows = 0;
    for width in [80, 100, 160] {
        let text = table(assembly, width, flags);
        // The ids of these assemblies are ASCII: a character takes one column.
        let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > width).collect();
        assert_eq!(wide, Vec::<&str>::new(), "{}: {width} columns", assembly.display());
        rows = text.lines().filter(|l| l.contains("  #") && !l.starts_with("status ")).count();
        assert!(rows <= 50, "{text}");
    }
    rows
}

/// Assembly files below a folder, one per case.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path().join("assembly.json"));
    let mut all: Vec<PathBuf> = folders.filter(|f| f.is_file()).collect();
    all.sort();
    all
}

#[test]
fn tables_of_the_fixtures_fit_their_width() {
    let cases = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases"));
    assert!(cases.len() >= 15, "{cases:?}");
    let rows: usize = cases.iter().map(|c| assert_fits(c, &["--allow-outside"])).sum();
    assert!(rows > 20, "{rows} rows");
}

#[test]
fn tables_of_real_assemblies_fit_their_width() {
    let Some(shared) = shared() else { return crate::support::skipped("../shared is not here") };
    let scratch = Scratch::new();
    let cache = scratch.path().join("cache");
    let cache = cache.to_str().expect("UTF-8");
    let mut rows = 0;
    for case in cases(&shared.join("cases")) {
        println!("{}", case.display());
        // The layout is the same for every geometry, and hulls have more findings in less time.
        rows += assert_fits(&case, &["--geometry", "hull", "--cache", cache]);
    }
    assert!(rows > 100, "{rows} rows");
}

/// Writes four boards that each cut their three chips, and a rod through two walls.
fn write_boards(folder: &Scratch) {
    folder.write("board.obj", obj(&block([0.0; 3], [40.0, 30.0, 2.0])));
    folder.write("chip.obj", obj(&block([0.0; 3], [5.0, 5.0, 1.0])));
    folder.write("wall.obj", obj(&block([0.0; 3], [1.0, 10.0, 10.0])));
    let mut instances = Vec::new();
    let mut place = |id: String, part: &str, at: [f64; 3]| {
        instances.push(format!(
            "{{ \"id\": \"{id}\", \"part\": \"{part}\", \"placement\": {{ \"translation\": [{}, {}, {}] }} }}",
            at[0], at[1], at[2]
        ));
    };
    for k in 0..4 {
        let z = 50.0 * f64::from(k);
        place(format!("stack.board-{k}"), "board", [0.0, 0.0, z]);
        for n in 0..3 {
            // Each chip lies deeper in its board than the last one.
            place(format!("stack.chip-{k}{n}"), "chip", [10.0 * f64::from(n), 3.0, z + 1.9 - 0.1 * f64::from(n + k)]);
        }
    }
    place("stack.wall-1".to_owned(), "wall", [100.0, 0.0, 0.0]);
    place("stack.wall-2".to_owned(), "wall", [100.2, 2.0, 2.0]);
    let part = |name: &str| format!("\"{name}\": {{ \"mesh\": \"{name}.obj\" }}");
    let parts = ["board", "chip", "wall"].map(part).join(", ");
    folder.write(
        "assembly.json",
        format!(
            "{{ \"version\": 1, \"parts\": {{ {parts} }},\n  \"instances\": [\n    {} ] }}",
            instances.join(",\n    ")
        ),
    );
}

#[test]
fn equal_boards_are_one_row() {
    let folder = Scratch::new();
    write_boards(&folder);
    let text = interfere_in(folder.path(), &["check", "assembly.json"]).stdout;
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("interference ")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(text.contains("ids begin with `stack.`\n"), "{text}");
    assert!(text.contains("  board-* (4)  ") && text.contains("stands for N equal parts"), "{text}");
    let all = interfere_in(folder.path(), &["check", "assembly.json", "--expand"]).stdout;
    assert_eq!(all.lines().filter(|l| l.starts_with("interference ")).count(), 13, "{all}");
    let few = interfere_in(folder.path(), &["check", "assembly.json", "--expand", "--limit", "3"]).stdout;
    assert_eq!(few.lines().filter(|l| l.starts_with("interference ")).count(), 3, "{few}");
    assert!(few.contains("and 10 more: 10 interference (--limit 0 lists them)\n"), "{few}");
}

#[test]
fn handles_name_the_same_pair_everywhere() {
    let folder = Scratch::new();
    write_boards(&folder);
    let run = |arguments: &[&str]| interfere_in(folder.path(), arguments);
    run(&["check", "assembly.json", "--format", "json=r.json"]);
    let report = parsed(&fs::read_to_string(folder.path().join("r.json")).expect("the report"));
    let row = |row: u64, member: Option<u64>| {
        let mut pairs = report["pairs"].as_array().expect("pairs").iter();
        pairs.find(|p| p["row"] == row && p["member"].as_u64() == member).expect("a pair").clone()
    };
    for (handle, pair) in [("#1", row(1, None)), ("#2", row(2, Some(1))), ("#2.4", row(2, Some(4)))] {
        let [a, b, id] = ["a", "b", "id"].map(|key| pair[key].as_str().expect("a text"));
        let by_handle = run(&["explain", "assembly.json", handle, "--report", "r.json"]);
        assert!(by_handle.code == 1 && by_handle.stdout.starts_with(&format!("{a} and {b} in ")), "{by_handle:?}");
        for words in [&[b, a][..], &[&format!("{a},{b}")], &[id]] {
            let explained = run(&[&["explain", "assembly.json"], words].concat());
            assert_eq!(explained.stdout, by_handle.stdout, "{words:?}");
        }
    }
    let group = report["groups"].as_array().expect("groups");
    assert_eq!((group.len(), &group[0]["row"], &group[0]["members"]), (1, &2.into(), &12.into()), "{group:?}");
    assert_eq!(group[0]["culprits"].as_array().map(Vec::len), Some(4));

    let count = |ran: &Ran| ran.stdout.lines().filter(|l| l.starts_with("accepted, new: ")).count();
    let accept = |words: &[&str]| run(&[&["accept", "assembly.json"], words].concat());
    assert_eq!(count(&accept(&["#2", "--report", "r.json"])), 12);
    assert_eq!(count(&accept(&["stack.wall-1", "stack.wall-2"])), 1);
    assert_eq!(run(&["check", "assembly.json"]).code, 0);
}

/// The rows of another assembly are other pairs, even if instances have the same names.
#[test]
fn rows_of_another_assembly_are_refused() {
    let folder = Scratch::new();
    write_boards(&folder);
    let run = |arguments: &[&str]| interfere_in(folder.path(), arguments);
    run(&["check", "assembly.json", "--format", "json=r.json"]);
    let own = fs::read_to_string(folder.path().join("assembly.json")).expect("written");
    folder.write("same.json", &own);
    for command in ["explain", "accept"] {
        let ran = run(&[command, "same.json", "#1", "--report", "r.json"]);
        let says = "r.json: a report of another assembly, assembly.json; name a report of same.json";
        assert!(ran.code == 2 && ran.stderr.contains(says), "{ran:?}");
    }
    // A report that moved knows the assembly by its instances alone.
    fs::rename(folder.path().join("assembly.json"), folder.path().join("moved.json")).expect("moved");
    assert_eq!(run(&["explain", "same.json", "#1", "--report", "r.json"]).code, 1);
    folder.write("other.json", own.replace("stack.wall-1", "stack.wall-one"));
    let ran = run(&["explain", "other.json", "#1", "--report", "r.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("a report with the instance `stack.wall-1`, which"), "{ran:?}");
}

#[test]
fn wrong_handles_are_refused_with_a_fix() {
    let folder = Scratch::new();
    write_boards(&folder);
    interfere_in(folder.path(), &["check", "assembly.json", "--format", "json=r.json"]);
    for (arguments, says) in [
        (&["explain", "assembly.json", "#3", "--report", "r.json"][..], "r.json: no row `#3`; its rows are #1 to #2"),
        (&["explain", "assembly.json", "#1"], "`#1` is a row of a report, and no report is named; add --report"),
        (&["explain", "assembly.json", "ffffffffffff"], "`ffffffffffff` names no pair; name a pair as `A B`"),
        (&["explain", "assembly.json", "stack.wall-1,stack.wall-3"], "no instance has the id `stack.wall-3`"),
        (&["explain", "assembly.json", "#1", "--report", "no.json"], "no.json: cannot read the file"),
        (&["accept", "assembly.json", "stack.wall-1"], "`stack.wall-1` is one instance; name the other"),
        (&["accept", "assembly.json", "stack.wall-1", "stack.wall-3"], "no instance has the id `stack.wall-3`"),
        (&["accept", "assembly.json", "#9", "--report", "r.json"], "r.json: no row `#9`"),
    ] {
        let ran = interfere_in(folder.path(), arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(says) && ran.stderr.lines().count() == 1, "{arguments:?}: {ran:?}");
    }
}

#[test]
fn no_number_is_rounding_dust() {
    let folder = Scratch::new();
    folder.write("box.obj", obj(&block([0.0; 3], [10.0; 3])));
    // A third of a turn about the diagonal and back again leaves rounding in every coordinate.
    let turned = |id: &str, angle: f64, at: f64| {
        format!(
            "{{ \"id\": \"{id}\", \"part\": \"box\", \"placement\": {{ \"translation\": [{at}, 0.3, 0], \"rotation\": {{ \"axis\": [1, 1, 1], \"angle_deg\": {angle} }} }} }}"
        )
    };
    let instances = [turned("a", 120.0, 0.1), turned("b", 240.0, 7.4), turned("c", 0.0, 17.4)].join(", ");
    folder.write(
        "assembly.json",
        format!("{{ \"version\": 1, \"parts\": {{ \"box\": {{ \"mesh\": \"box.obj\" }} }}, \"instances\": [ {instances} ] }}"),
    );
    let ran = interfere_in(folder.path(), &["check", "assembly.json", "--format", "csv"]);
    let mut lines = ran.stdout.lines();
    let headings: Vec<&str> = lines.next().expect("headings").split(',').collect();
    let mut numbers = 0;
    for line in lines {
        for (heading, field) in headings.iter().zip(line.split(',')) {
            // A bound is never rounded towards the inside.
            if matches!(*heading, "gap_low" | "gap_high" | "id" | "group") {
                continue;
            }
            let Ok(x) = field.parse::<f64>() else { continue };
            numbers += 1;
            assert!(x == 0.0 || x.abs() > 1e-9, "{heading}: {field}\n{}", ran.stdout);
        }
    }
    assert!(numbers > 20, "{}", ran.stdout);
}
