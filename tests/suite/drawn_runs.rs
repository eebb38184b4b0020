//! Does `render --report` draw the rows of poses and sweeps as the check does?

use crate::generate::cases;
use crate::motion::changed;
use crate::support::command::interfere;
use crate::support::scratch::Scratch;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Files of a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read(&path).expect("a file"))).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn pictures_from_a_report_have_the_bytes_of_the_check() {
    let scratch = Scratch::new();
    for case in ["sliding-doors", "hinged-box", "slider-crank"] {
        let assembly = cases().join(case).join("assembly.json");
        let place = |name: &str| scratch.path().join(format!("{case}-{name}"));
        let (report, of_check, of_report) = (place("r.json"), place("check"), place("render"));
        let format = format!("json={}", text(&report));
        let ran = interfere(&["check", text(&assembly), "--format", &format, "--pictures", text(&of_check), "-q"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let ran = interfere(&["render", text(&assembly), "--report", text(&report), "-o", text(&of_report), "-q"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let (expected, found) = (files(&of_check), files(&of_report));
        assert!(!expected.is_empty() && expected.keys().eq(found.keys()), "{case}: {:?}", found.keys());
        for (name, bytes) in &expected {
            assert!(found[name] == *bytes, "{case}: {name}");
        }
    }
}

#[test]
fn a_pair_of_a_run_is_drawn_from_its_row() {
    let scratch = Scratch::new();
    let doors = cases().join("sliding-doors/assembly.json");
    let [report, all, one, model] = ["r.json", "all", "one.png", "one.glb"].map(|name| scratch.path().join(name));
    let format = format!("json={}", text(&report));
    interfere(&["check", text(&doors), "--format", &format, "--pictures", text(&all), "-q"]);
    let pair = ["render", text(&doors), "right", "stop", "--report", text(&report)];
    let drawn = |out: &Path, run: &str| interfere(&[&pair[..], &["--run", run, "-o", text(out), "-q"]].concat());
    let known = files(&all);
    let mut names = BTreeSet::new();
    for run in ["opening", "cycle"] {
        assert_eq!(drawn(&one, run).code, 0, "{run}");
        let picture = fs::read(&one).expect("a picture");
        let same = known.iter().find(|(_, bytes)| **bytes == picture).map(|(name, _)| name.clone());
        names.insert(same.unwrap_or_else(|| panic!("{run}: {:?}", known.keys())));
    }
    // Each run has a picture of its own.
    assert_eq!((names.len(), known.len()), (2, 2), "{names:?}");
    assert_eq!(drawn(&model, "opening").code, 0);
    assert!(fs::read(&model).expect("a model").starts_with(b"glTF"));
    let unknown = drawn(&one, "openin");
    assert!(unknown.code == 2 && unknown.stderr.contains("no run `openin`; did you mean `opening`?"), "{unknown:?}");
    let clear = interfere(&[
        "render",
        text(&doors),
        "left",
        "stop",
        "--report",
        text(&report),
        "--run",
        "opening",
        "-o",
        text(&one),
    ]);
    assert!(clear.code == 2 && clear.stderr.contains("`left` and `stop` in `opening`"), "{clear:?}");
}

#[test]
fn a_report_of_other_joints_is_refused() {
    let scratch = Scratch::new();
    let report = scratch.path().join("r.json");
    let format = format!("json={}", text(&report));
    let path = changed(&scratch, "sliding-doors", |_| ());
    interfere(&["check", text(&path), "--format", &format, "-q"]);
    let render = |path: &Path| {
        let folder = scratch.path().join("pictures");
        interfere(&["render", text(path), "--report", text(&report), "-o", text(&folder), "-q"])
    };
    assert_eq!(render(&path).code, 0);
    let other = changed(&scratch, "sliding-doors", |file| file["joints"]["left"]["axis"] = json!([-1, 0.001, 0]));
    let refused = render(&other);
    assert!(refused.code == 2 && refused.stderr.contains("the joint `left` changed after the report"), "{refused:?}");
    let fewer = changed(&scratch, "sliding-doors", |file| {
        for key in ["joints", "poses", "sweeps", "rules"] {
            file.as_object_mut().expect("an object").remove(key);
        }
    });
    let refused = render(&fewer);
    assert!(refused.code == 2 && refused.stderr.contains("the assembly has other joints"), "{refused:?}");
}

#[test]
fn the_page_of_a_report_has_the_findings_of_its_runs() {
    let scratch = Scratch::new();
    let doors = cases().join("sliding-doors/assembly.json");
    let [report, of_check, of_report] = ["r.json", "a.html", "b.html"].map(|name| scratch.path().join(name));
    let (json, html) = (format!("json={}", text(&report)), format!("html={}", text(&of_check)));
    interfere(&["check", text(&doors), "--curves", "--format", &json, "--format", &html, "-q"]);
    let ran = interfere(&["render", text(&doors), "--report", text(&report), "-o", text(&of_report), "-q"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let [expected, found] = [&of_check, &of_report].map(|path| fs::read_to_string(path).expect("a page"));
    for run in ["opening", "cycle"] {
        let count = |page: &str| page.matches(&format!("\"{run}\"")).count();
        assert!(count(&expected) > 0 && count(&expected) == count(&found), "{run}");
    }
}
