//! Does `interfere render` draw what the documents show, with the same bytes for every number of threads?

use crate::generate::folders;
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use std::fmt::Write as _;
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

/// Draws every finding of the fixtures: each picture has its recorded hash, on every machine.
/// `INTERFERE_UPDATE_PAGES=1` records the present hashes.
#[test]
fn pictures_of_the_fixtures_have_the_recorded_bytes() {
    let mut drawn = String::new();
    for case in folders() {
        let folder = Scratch::new();
        let pictures = folder.path().join("pictures");
        let ran = interfere(&[
            "render",
            text(&case.join("assembly.json")),
            "--allow-outside",
            "--size",
            "640x320",
            "-o",
            text(&pictures),
        ]);
        assert_eq!(ran.code, 0, "{case:?}: {}", ran.stderr);
        let name = case.file_name().and_then(|n| n.to_str()).expect("a name");
        for picture in names(&pictures) {
            let hash = blake3::hash(&std::fs::read(pictures.join(&picture)).expect("a picture"));
            writeln!(drawn, "{name}/{picture} {}", hash.to_hex()).expect("text");
        }
    }
    let file = root().join("fixtures/pictures.txt");
    if std::env::var_os("INTERFERE_UPDATE_PAGES").is_some() {
        std::fs::write(&file, &drawn).expect("the recorded hashes");
    }
    let recorded = std::fs::read_to_string(&file).expect("the recorded hashes");
    let changed: Vec<&str> = drawn.lines().filter(|line| !recorded.lines().any(|r| r == *line)).collect();
    assert!(
        changed.is_empty(),
        "changed: {changed:?}; look at them, then INTERFERE_UPDATE_PAGES=1 cargo test --test suite pictures::"
    );
    assert_eq!(drawn, recorded, "pictures are missing");
    assert!(drawn.lines().count() > 20, "{drawn}");
}

#[test]
fn wrong_outputs_and_pairs_are_refused() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/pivot/assembly.json");
    let assembly = assembly.to_str().unwrap();
    let file = folder.path().join("p.png");
    let file = file.to_str().unwrap();
    for (args, says) in [
        (vec!["render", assembly, "peg", "stop", "-o", "p.jpg"], "the name ends in none of `.png`, `.glb` and `.stl`"),
        (vec!["render", assembly, "peg", "nail", "-o", file], "nail"),
        (vec!["render", assembly, "peg", "stop", "-o", file, "--size", "10x10"], "from 320x160 to 4096x2048"),
        (vec!["render", assembly, "peg", "stop", "-o", "no/such/folder/p.png"], "no/such/folder/p.png"),
    ] {
        let ran = interfere(&args);
        assert_eq!((ran.code, ran.stderr.contains(says)), (2, true), "{}", ran.stderr);
    }
    assert!(!Path::new(file).exists());
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("an entry").file_name().into_string().expect("a name in UTF-8")).collect();
    names.sort();
    names
}

/// A check writes a picture for each line, links it, and deletes the pictures of former findings.
#[test]
fn a_check_writes_linked_pictures() {
    let folder = Scratch::new();
    let pictures = folder.path().join("out/pictures");
    let file = |name: &str| folder.path().join(name);
    let assembly = root().join("fixtures/cases/pivot/assembly.json");
    let stale = pictures.join("0123456789ab.png");
    std::fs::create_dir_all(&pictures).unwrap();
    std::fs::write(&stale, "old").unwrap();
    let run = |extra: &[&str]| {
        let formats = ["markdown=r.md", "junit=r.xml", "sarif=r.sarif", "json=r.json", "csv=r.csv", "table=r.txt"];
        let formats = formats.map(|f| format!("--format={}", f.replace("r.", &format!("{}/r.", text(folder.path())))));
        let formats: Vec<&str> = formats.iter().map(String::as_str).collect();
        let ran = interfere(&[&["check", text(&assembly)], &formats[..], extra].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let read = |ending: &str| std::fs::read_to_string(file(&format!("r.{ending}"))).unwrap();
        (["md", "xml", "sarif"].map(read), ["json", "csv", "txt"].map(read))
    };
    let (plain, other) = run(&[]);
    let (linked, same) = run(&["--pictures", text(&pictures)]);
    assert_eq!(other, same);
    let found = names(&pictures);
    assert!(!stale.exists() && !found.is_empty());
    for name in &found {
        assert!(linked[0].contains(&format!("](out/pictures/{name})")), "{}", linked[0]);
        assert!(linked[1].contains(&format!("[[ATTACHMENT|{}/{name}]]", text(&pictures))), "{}", linked[1]);
        assert!(linked[2].contains(&format!("out/pictures/{name}\"")), "{}", linked[2]);
    }
    for (k, text) in plain.iter().enumerate() {
        assert!(!text.contains(".png") && linked[k].len() > text.len());
    }
    let (addressed, _) = run(&["--pictures", text(&pictures), "--picture-url", "https://example.org/p"]);
    assert!(addressed[0].contains(&format!("](https://example.org/p/{})", found[0])), "{}", addressed[0]);
    // One picture of several.
    let (_, _) = run(&["--pictures", text(&pictures), "--max-pictures", "0"]);
    assert_eq!(names(&pictures), Vec::<String>::new());
}

/// Findings of poses and sweeps have pictures of their worst poses, with the same bytes for every number of threads.
#[test]
fn a_check_draws_the_worst_poses_of_runs() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/sliding-doors/assembly.json");
    let draw = |name: &str, threads: &str| {
        let pictures = folder.path().join(name);
        let file = |ending: &str| folder.path().join(format!("{name}.{ending}"));
        let formats = ["markdown", "junit", "sarif", "json"].map(|f| format!("--format={f}={}", text(&file(f))));
        let formats: Vec<&str> = formats.iter().map(String::as_str).collect();
        let flags = ["--pictures", text(&pictures), "--threads", threads];
        let ran = interfere(&[&["check", text(&assembly), "--quiet"], &flags[..], &formats[..]].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let read = |ending: &str| std::fs::read_to_string(file(ending)).expect("a report");
        let reports = ["markdown", "junit", "sarif", "json"].map(read);
        let bytes = |name: &String| std::fs::read(pictures.join(name)).expect("a picture");
        let pictures: Vec<(String, Vec<u8>)> = names(&pictures).iter().map(|n| (n.clone(), bytes(n))).collect();
        (pictures, reports)
    };
    let (pictures, [markdown, junit, sarif, json]) = draw("one", "1");
    let report = parsed(&json);
    let rows = report["motion"]["rows"].as_array().expect("rows");
    let failing: Vec<_> = rows.iter().filter(|r| !r["severity"].is_null()).collect();
    assert_eq!((pictures.len(), failing.len()), (2, 2));
    for (name, bytes) in &pictures {
        assert!(name.starts_with(failing[0]["id"].as_str().expect("an id")) && name.len() == 12 + 1 + 12 + 4, "{name}");
        assert!(bytes.len() > 1000);
        for (linked, report) in [("markdown", &markdown), ("junit", &junit), ("sarif", &sarif)] {
            assert_eq!(report.matches(name.as_str()).count(), 1, "{linked}: {report}");
        }
    }
    assert_ne!(pictures[0].1, pictures[1].1);
    let of_pair = |run: &str| {
        let ran = render(&assembly, &["stop", "right"], &["--run", run], &folder, &format!("{run}.png"));
        pictures.iter().position(|(_, bytes)| *bytes == ran)
    };
    let (opening, cycle) = (of_pair("opening"), of_pair("cycle"));
    assert!(opening.is_some() && cycle.is_some() && opening != cycle, "{opening:?} {cycle:?}");
    assert_eq!(draw("more", "7").0, pictures);
}

#[test]
fn pictures_are_refused_before_the_run() {
    let folder = Scratch::new();
    let assembly = root().join("fixtures/cases/pivot/assembly.json");
    let pictures = folder.path().join("pictures");
    let report = pictures.join("r.json");
    let refused = |args: &[&str], says: &str| {
        let ran = interfere(&[&["check", text(&assembly), "--pictures", text(&pictures)], args].concat());
        assert_eq!((ran.code, ran.stderr.contains(says)), (2, true), "{}", ran.stderr);
    };
    refused(&["--verdict-only"], "--pictures and --verdict-only exclude each other");
    refused(&["--shard", "1/2", "-o", text(&folder.path().join("s.json"))], "interfere render ASSEMBLY --report");
    refused(&["--picture-url", "a b"], "without spaces");
    refused(&["--open"], "--open starts a browser, and ");
    assert!(!pictures.exists());
    std::fs::create_dir(&pictures).unwrap();
    refused(&["--format", "json", "-o", text(&report)], "lies in the folder of the pictures");
    std::fs::write(pictures.join("notes.txt"), "mine").unwrap();
    refused(&[], "the folder holds `notes.txt`");
    assert_eq!(names(&pictures), ["notes.txt"]);
}

/// Pairs of two assemblies may have equal ids; their pictures have names of their own.
#[test]
fn several_assemblies_share_a_folder() {
    let folder = Scratch::new();
    let pictures = folder.path().join("pictures");
    let page = folder.path().join("r.md");
    let cases = ["pivot", "thin-pierce"].map(|case| root().join("fixtures/cases").join(case).join("assembly.json"));
    let markdown = format!("--format=markdown={}", text(&page));
    let ran = interfere(&["check", text(&cases[0]), text(&cases[1]), "--pictures", text(&pictures), &markdown]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let found = names(&pictures);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(found.len() >= 2 && found.iter().all(|name| page.contains(&format!("](pictures/{name})"))), "{page}");
    let firsts: std::collections::BTreeSet<&str> = found.iter().map(|name| &name[..12]).collect();
    assert_eq!(firsts.len(), 2, "{found:?}");
}
