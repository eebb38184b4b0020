//! Does each folder of `src` use only the floors allowed by the table in `docs/explanation/architecture.md`?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Words in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Allowed folders and effects of each folder by the table; `None` allows everything.
fn table() -> BTreeMap<String, (Option<BTreeSet<String>>, String)> {
    let text = fs::read_to_string(root().join("docs/explanation/architecture.md")).expect("the page is there");
    let rows = text.lines().skip_while(|l| !l.starts_with("| floor ")).skip(2).take_while(|l| l.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [_, folder, uses, effects] = cells[..] else { panic!("four cells: {line}") };
        let names = (uses != "everything").then(|| quoted(uses).into_iter().map(str::to_owned).collect());
        (quoted(folder)[0].to_owned(), (names, effects.to_owned()))
    })
    .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of src") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned();
        // Test files may use anything.
        if name == "tests" || name.ends_with("_tests") || name == "testkit" {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Code of a file without comments and inline tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("readable");
    let mut lines = Vec::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        let inline_tests = |next: &str| next.starts_with("mod ") && next.ends_with('{');
        if line == "#[cfg(test)]" && rest.peek().is_some_and(|next| inline_tests(next)) {
            break;
        }
        let comment = line.trim_start().starts_with("//");
        lines.push(if comment { "" } else { line });
    }
    lines.join("\n")
}

/// Modules of this crate named right after `crate::`, in `use` lines and in paths.
fn used(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = &list[..list.find('}').expect("a list ends")];
                found.extend(list.split(',').map(|item| word(item.trim())).filter(|w| !w.is_empty()));
            }
            None => {
                found.insert(word(rest));
            }
        }
    }
    found
}

#[test]
fn folders_use_only_lower_floors() {
    let table = table();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (folder, (allowed, _)) in &table {
        let mut files = Vec::new();
        sources(&root().join("src").join(folder), &mut files);
        assert!(!files.is_empty(), "{folder} has files");
        for file in files {
            for name in used(&code(&file)) {
                seen += 1;
                if name != *folder && allowed.as_ref().is_some_and(|a| !a.contains(&name)) {
                    wrong.push(format!("{} uses {name}", file.display()));
                }
            }
        }
    }
    assert!(seen > 100, "the uses were found: {seen}");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_source_folder_is_in_the_table() {
    let folders: BTreeSet<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
        .map(|p| p.file_name().unwrap().to_str().unwrap().to_owned())
        // Helps tests and benchmarks alone.
        .filter(|name| name != "testkit")
        .collect();
    assert_eq!(table().into_keys().collect::<BTreeSet<_>>(), folders);
}

#[test]
fn modules_beside_the_floors_use_none() {
    for file in ["error.rs", "io.rs", "parallel.rs"] {
        assert_eq!(used(&code(&root().join("src").join(file))), BTreeSet::new(), "{file}");
    }
}

#[test]
fn effects_stay_on_their_floors() {
    let effects = [
        ("rayon", "rayon", &["check/", "cli/", "page/", "query/", "scene/", "measure/", "shape/decompose"][..]),
        ("std::fs", "files", &["cli/", "check/cache/store.rs"]),
        ("std::time", "the clock", &["check/", "cli/"]),
        ("std::env", "the environment", &["cli/"]),
        ("println!", "printing", &[]),
    ];
    let mut held = 0;
    for folder in table().keys() {
        let mut files = Vec::new();
        sources(&root().join("src").join(folder), &mut files);
        for file in files {
            let code = code(&file);
            let place = file.strip_prefix(root().join("src")).unwrap().to_str().unwrap().replace('\\', "/");
            for (word, what, allowed) in &effects {
                let found = code.contains(word);
                held += usize::from(found);
                assert!(!found || allowed.iter().any(|a| place.starts_with(a)), "{place}: {what} is not for it");
            }
        }
    }
    assert!(held >= 5, "the effects were found where they belong: {held}");
}

#[test]
fn uses_are_found_outside_tests_and_comments() {
    let names = |code: &str| used(code).into_iter().collect::<Vec<_>>();
    assert_eq!(names("use crate::geom::{Vec3, Mat3};\nuse crate::{mesh, hull::Hull};"), ["geom", "hull", "mesh"]);
    assert_eq!(names("fn f() { crate::narrow::g() }"), ["narrow"]);
    let scratch = crate::support::scratch::Scratch::new();
    let file =
        scratch.write("a.rs", "use crate::geom;\n// crate::cli\n#[cfg(test)]\nmod tests {\n use crate::check;\n}\n");
    assert_eq!(names(&code(&file)), ["geom"]);
}
