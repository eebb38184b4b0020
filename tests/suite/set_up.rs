//! The first steps: an assembly file from a folder of meshes, completions, man pages.

use crate::support::command::{interfere, interfere_in};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj, stl};
use std::fs;

fn folder() -> Scratch {
    let scratch = Scratch::new();
    let cube = |x: f64| block([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
    scratch.write("parts/plate.stl", stl(&cube(0.0)));
    scratch.write("parts/left/jaw.OBJ", obj(&cube(2.0)));
    scratch.write("parts/right/jaw.obj", obj(&cube(4.0)));
    scratch.write("parts/.hidden/old.stl", "not a mesh");
    scratch.write("parts/notes.txt", "not a mesh");
    scratch
}

#[test]
fn a_folder_of_meshes_becomes_an_assembly_that_is_checked() {
    let scratch = folder();
    let ran = interfere_in(scratch.path(), &["init", "parts"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let text = fs::read_to_string(scratch.path().join("parts/assembly.json")).expect("written");
    insta::assert_snapshot!(text, @r#"
    {
      "version": 1,
      "name": "parts",
      "units": "mm",
      "parts": {
        "left-jaw": { "mesh": "left/jaw.OBJ" },
        "plate": { "mesh": "plate.stl" },
        "right-jaw": { "mesh": "right/jaw.obj" }
      },
      "instances": [
        { "id": "left-jaw", "part": "left-jaw" },
        { "id": "plate", "part": "plate" },
        { "id": "right-jaw", "part": "right-jaw" }
      ]
    }
    "#);
    let checked = interfere_in(scratch.path(), &["check", "parts/assembly.json", "--format", "json"]);
    assert_eq!((checked.code, checked.stderr.as_str()), (0, ""), "{checked:?}");
    let report = parsed(&checked.stdout);
    assert_eq!((&report["summary"]["instances"], &report["summary"]["counts"]["clear"]), (&3.into(), &3.into()));
}

#[test]
fn existing_file_is_kept() {
    let scratch = folder();
    scratch.write("parts/assembly.json", "mine");
    let ran = interfere_in(scratch.path(), &["init", "parts"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let says = "parts/assembly.json: the folder has an assembly file already";
    assert!(ran.stderr.contains(says) && ran.stderr.contains("`interfere check parts/assembly.json`"), "{ran:?}");
    // A named output is no mistake.
    for (code, says) in [(0, ""), (2, "second.json: is there already")] {
        let ran = interfere_in(scratch.path(), &["init", "parts", "-o", "second.json"]);
        assert!(ran.code == code && ran.stderr.contains(says), "{ran:?}");
    }
    assert_eq!(fs::read_to_string(scratch.path().join("parts/assembly.json")).expect("still there"), "mine");
}

#[test]
fn mesh_paths_are_relative_to_the_assembly_file() {
    let scratch = folder();
    fs::create_dir(scratch.path().join("ci")).expect("a folder");
    for (output, at) in [("all.json", "parts/plate.stl"), ("ci/all.json", "../parts/plate.stl")] {
        let ran = interfere_in(scratch.path(), &["init", "parts/", "-o", output, "--units", "cm"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let file = parsed(&fs::read_to_string(scratch.path().join(output)).expect("written"));
        assert_eq!((&file["parts"]["plate"]["mesh"], &file["units"]), (&at.into(), &"cm".into()));
        assert_eq!(interfere_in(scratch.path(), &["check", output]).code, 0);
    }
    let ran = interfere_in(scratch.path(), &["init", "parts", "--output", "-"]);
    assert_eq!(parsed(&ran.stdout)["parts"]["plate"]["mesh"], "parts/plate.stl");
    for (units, name) in [("um", "um"), ("inches", "inch")] {
        let ran = interfere_in(scratch.path(), &["init", "parts", "-o", "-", "--units", units]);
        assert_eq!(parsed(&ran.stdout)["units"], name);
    }
}

#[test]
fn missing_or_meshless_folder_is_refused() {
    let scratch = Scratch::new();
    scratch.write("parts/notes.txt", "not a mesh");
    for (folder, says) in
        [("parts", "no STL, OBJ, PLY or OFF file"), ("none", "cannot read the folder"), ("parts/notes.txt", "not JSON")]
    {
        let ran = interfere_in(scratch.path(), &["init", folder]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(says), "{ran:?}");
    }
    assert!(!scratch.path().join("parts/assembly.json").exists());
}

/// Every command, from the program's own help.
fn commands() -> Vec<String> {
    let help = interfere(&["--help"]).stdout;
    let list = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let name = |l: &str| {
        l.strip_prefix("  ").filter(|l| !l.starts_with(' ')).and_then(|l| l.split(' ').next()).map(str::to_owned)
    };
    list.filter_map(name).filter(|n| n != "help").collect()
}

#[test]
fn completions_know_every_command() {
    assert!(commands().len() >= 9, "{:?}", commands());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = interfere(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        for command in commands() {
            assert!(ran.stdout.contains(&command), "{shell}: {command}");
        }
        assert!(ran.stdout.contains("report-within"), "{shell} knows flags");
    }
    assert_eq!(interfere(&["completions", "tcsh"]).code, 2);
    // The formats are offered, in place of file names.
    let bash = interfere(&["completions", "bash"]).stdout;
    let offered = bash.split("--format)").nth(1).and_then(|rest| rest.lines().nth(1)).expect("the flag");
    assert!(bash.contains("compgen -W \"table json sarif junit github markdown csv html glb stl\""), "{offered}");
}

#[test]
fn the_program_and_every_command_have_a_man_page() {
    let page = interfere(&["man"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    let scratch = Scratch::new();
    assert_eq!(interfere_in(scratch.path(), &["man", "-o", "man"]).code, 0);
    let read = |name: &str| {
        fs::read_to_string(scratch.path().join("man").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    assert_eq!(read("interfere.1"), page.stdout);
    for command in commands() {
        assert!(page.stdout.contains(&format!("interfere\\-{command}")), "{command}");
        let own = read(&format!("interfere-{command}.1"));
        assert!(own.contains(".TH") && own.contains(&format!("interfere {command}").replace('-', "\\-")), "{own}");
    }
    let check = read("interfere-check.1");
    assert!(check.contains("report\\-within") && check.contains("[ASSEMBLY]..."), "{check}");
    for heading in ["SYNOPSIS", "GEOMETRY", "EXIT STATUS", "EXAMPLES"] {
        assert!(check.contains(heading), "{heading}");
    }
    assert!(!check.contains("EXTRA"));
    assert!(commands().iter().all(|command| read(&format!("interfere-{command}.1")).contains("EXAMPLES")));
    let file = scratch.write("file", "");
    let ran = interfere(&["man", "-o", file.to_str().expect("UTF-8")]);
    assert!(ran.code == 2 && ran.stderr.contains("the path is a file"), "{ran:?}");
}

#[test]
fn rule_prints_the_page_of_a_code() {
    let page = interfere(&["rule", "unused-rule"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(page.stdout, @r#"
    unused-rule

    A rule matches no pair.

    **Cause:** Mostly a typing error in a glob; the message names the nearest id and the corrected rule. A glob may also
    name a part, though globs match the ids of instances, or be a regular expression. A `min_clearance` in such a rule
    demands nothing until the correction.

    **Cure:** Correct the glob, or remove the rule. Consider `--strict` in CI.
    "#);
    let list = interfere(&["rule"]).stdout;
    assert!(list.lines().any(|l| l.starts_with("interference  ")) && list.contains("unused-rule"), "{list}");
    let unknown = interfere(&["rule", "unused-rul"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("'unused-rule'"), "{unknown:?}");
}

#[test]
fn version_may_name_the_commit() {
    let text = interfere(&["--version"]).stdout;
    let rest = text.trim_end().strip_prefix(concat!("interfere ", env!("CARGO_PKG_VERSION"))).expect("the version");
    let commit = rest.strip_prefix(" (").and_then(|r| r.strip_suffix(')'));
    let is_hash = |c: &str| c.len() == 10 && c.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(rest.is_empty() || commit.is_some_and(is_hash), "{text}");
    assert_eq!(interfere(&["-V"]).stdout, text);
}
