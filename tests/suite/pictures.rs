//! Does `interfere render` draw what the documents show, with the same bytes for every number of threads?

use crate::support::command::interfere;
use crate::support::scratch::Scratch;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn render(assembly: &Path, pair: &[&str], flags: &[&str], folder: &Scratch, name: &str) -> Vec<u8> {
    let file = folder.path().join(name);
    let ran = interfere(&[&["render", text(assembly)], pair, flags, &["-o", text(&file)]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::read(file).expect("a written picture")
}

/// Draws the picture of the documents anew. `INTERFERE_UPDATE_PAGES=1` replaces the file.
#[test]
fn the_picture_of_the_documents_is_current() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/pivot/assembly.json");
    let drawn = render(&assembly, &["peg", "stop"], &[], &folder, "clash.png");
    let file = root().join("docs/pictures/peg-and-stop.png");
    if std::env::var_os("INTERFERE_UPDATE_PAGES").is_some() {
        std::fs::write(&file, &drawn).unwrap();
    }
    assert!(std::fs::read(&file).unwrap() == drawn, "run INTERFERE_UPDATE_PAGES=1 cargo test --test suite pictures::");
}

#[test]
fn threads_and_spellings_leave_the_bytes() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/thin-pierce/assembly.json");
    let one = render(&assembly, &["bracket", "needle"], &["--threads", "1"], &folder, "one.png");
    let more = render(&assembly, &["needle,bracket"], &["--threads", "8"], &folder, "more.png");
    assert!(one == more);
    let wide = render(&assembly, &["bracket", "needle"], &["--size", "640x320", "--up", "y"], &folder, "wide.png");
    assert!(wide != one && wide.starts_with(b"\x89PNG"));
}

/// Every pair of the fixtures has a picture, whatever its status.
#[test]
fn every_case_has_a_picture() {
    let folder = Scratch::new();
    for (case, a, b) in [
        ("fan-clearance", "fan", "wall"),
        ("open-mesh", "cover", "through"),
        ("coincident", "finer", "first"),
        ("mirrored-and-scaled", "leaning", "sheared"),
        ("pin-inside-block", "a-pin", "block"),
    ] {
        let assembly = root().join("fixtures/cases").join(case).join("assembly.json");
        for geometry in ["exact", "hull", "decomposition"] {
            let flags = ["--geometry", geometry, "--size", "320x160"];
            assert!(render(&assembly, &[a, b], &flags, &folder, "p.png").len() > 500, "{case}");
        }
    }
}

#[test]
fn wrong_outputs_and_pairs_are_refused() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/pivot/assembly.json");
    let assembly = assembly.to_str().unwrap();
    let file = folder.path().join("p.png");
    let file = file.to_str().unwrap();
    for (args, says) in [
        (vec!["render", assembly, "peg", "stop", "-o", "p.jpg"], "the name does not end in `.png`"),
        (vec!["render", assembly, "peg", "nail", "-o", file], "nail"),
        (vec!["render", assembly, "peg", "stop", "-o", file, "--size", "10x10"], "from 320x160 to 4096x2048"),
        (vec!["render", assembly, "peg", "stop", "-o", "no/such/folder/p.png"], "no/such/folder/p.png"),
    ] {
        let ran = interfere(&args);
        assert_eq!((ran.code, ran.stderr.contains(says)), (2, true), "{}", ran.stderr);
    }
    assert!(!Path::new(file).exists());
}
