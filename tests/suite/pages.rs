//! The README and the pages of docs: links resolve, cited pages exist, printed runs are real runs.
//!
//! `INTERFERE_UPDATE_PAGES=1 cargo test --test suite pages::` writes the present outputs into the pages.

use crate::support::command::{Ran, interfere_in};
use crate::support::scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Lists the files below a folder with one of these endings.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
}

/// The READMEs, the changes, and every page below docs.
fn pages() -> Vec<PathBuf> {
    let mut found =
        ["README.md", "fixtures/README.md", "python/README.md", "CHANGELOG.md"].map(|p| root().join(p)).to_vec();
    files(&root().join("docs"), &["md"], &mut found);
    found.sort();
    found
}

/// A line of a page, and true if the line is inside a fenced block.
fn lines_with_fences(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut inside = false;
    text.lines().map(move |line| {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            return (true, line);
        }
        (inside, line)
    })
}

/// Anchors of a page: its headings as a code host spells them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = lines_with_fences(text).filter(|(fenced, line)| !fenced && line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let heading = line.trim_start_matches('#').trim();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        })
        .collect()
}

/// Targets of the inline links of a page.
fn links(text: &str) -> Vec<String> {
    let plain: Vec<&str> = lines_with_fences(text).filter(|(fenced, _)| !fenced).map(|(_, line)| line).collect();
    let plain = plain.join("\n");
    let targets = plain.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

#[test]
fn links_between_pages_resolve() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            if link.starts_with("http") || link.starts_with("mailto:") {
                continue;
            }
            tried += 1;
            let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(p, a)| (p, Some(a)));
            let target = if path.is_empty() { page.clone() } else { page.parent().expect("a folder").join(path) };
            let known = match anchor {
                None => target.exists(),
                Some(anchor) => fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor)),
            };
            if !known {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(tried > 50, "{tried} links");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn pages_that_the_source_cites_exist() {
    let mut sources = vec![root().join("build.rs"), root().join("Cargo.toml"), root().join("action.yml")];
    for folder in ["src", "tests", "benches", "fuzz", ".ci"] {
        files(&root().join(folder), &["rs", "toml", "sh"], &mut sources);
    }
    let mut wrong = Vec::new();
    let mut tried = 0;
    for source in sources {
        let text = fs::read_to_string(&source).expect("a source file");
        for (at, _) in text.match_indices("docs/") {
            let name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
            let cited: String = text[at..].chars().take_while(name).collect();
            let Some(end) = cited.find(".md") else { continue };
            tried += 1;
            if !root().join(&cited[..end + 3]).exists() {
                wrong.push(format!("{}: {cited}", source.display()));
            }
        }
    }
    assert!(tried > 10, "{tried} citations");
    assert_eq!(wrong, Vec::<String>::new());
}

/// Splits a command line at spaces outside double quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let mut words = vec![String::new()];
    for (k, part) in parts {
        let mut pieces = if k % 2 == 1 { vec![part] } else { part.split(' ').collect() };
        words.last_mut().expect("a word").push_str(pieces.remove(0));
        words.extend(pieces.into_iter().map(str::to_owned));
    }
    words.retain(|w| !w.is_empty());
    words
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// A page that is run from its first line to its last, in a folder with a copy of the fixtures.
struct Walk {
    scratch: Scratch,
    /// Output and exit code of the last run of each command line.
    runs: BTreeMap<String, (String, i32)>,
    wrong: Vec<String>,
}

impl Walk {
    fn new() -> Self {
        let scratch = Scratch::new();
        for folder in ["fixtures/cases", "fixtures/imports"] {
            copy_folder(&root().join(folder), &scratch.path().join(folder));
        }
        Self { scratch, runs: BTreeMap::new(), wrong: Vec::new() }
    }

    /// Runs a line of the tutorial.
    fn run(&mut self, line: &str) -> i32 {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["mkdir", name] => fs::create_dir(self.scratch.path().join(name)).map_or(1, |()| 0),
            ["cp", "-r", from, to] => {
                copy_folder(&self.scratch.path().join(from), &self.scratch.path().join(to));
                0
            }
            ["interfere", ref arguments @ ..] => {
                let Ran { code, stdout, .. } = interfere_in(self.scratch.path(), arguments);
                self.runs.insert(line.to_owned(), (stdout, code));
                code
            }
            _ => panic!("no command of a page: {line}"),
        }
    }

    /// The block with the outputs of today; runs what was not run before.
    fn printed(&mut self, block: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        let mut code: Option<i32> = None;
        for line in block.iter().filter_map(|l| l.strip_prefix("$ ")) {
            if line == "echo $?" {
                out.extend([format!("$ {line}"), code.expect("a run before its exit code").to_string()]);
                continue;
            }
            if !self.runs.contains_key(line) {
                self.run(line);
            }
            let (text, exit) = &self.runs[line];
            code = Some(*exit);
            out.push(format!("$ {line}"));
            out.extend(text.lines().map(str::to_owned));
        }
        out
    }
}

/// A line without the seconds in it.
fn without_times(line: &str) -> String {
    let words = line.split(' ').collect::<Vec<_>>();
    let timed = |k: usize| words.get(k + 1) == Some(&"s") && words[k].parse::<f64>().is_ok();
    (0..words.len()).map(|k| if timed(k) { "N" } else { words[k] }).collect::<Vec<_>>().join(" ")
}

/// Walks a page: commands of `sh` blocks only if the page is a tutorial; `text` blocks that begin with a command
/// always.
fn walk(page: &Path, is_tutorial: bool) -> (usize, Vec<String>) {
    let text = fs::read_to_string(page).expect("a page");
    let lines: Vec<&str> = text.lines().collect();
    let mut walk = Walk::new();
    let mut new: Vec<String> = Vec::new();
    let (mut at, mut blocks) = (0, 0);
    while at < lines.len() {
        new.push(lines[at].to_owned());
        let Some(kind) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let end = (at + 1..lines.len()).find(|&k| lines[k] == "```").expect("a block ends");
        let block = &lines[at + 1..end];
        // Files that the reader would have: reports of other days.
        let is_run =
            kind == "text" && block.first().is_some_and(|l| l.starts_with("$ interfere ") && !l.contains("old.json"));
        if is_run {
            let printed = walk.printed(block);
            let plain = |lines: &[String]| lines.iter().map(|l| without_times(l)).collect::<Vec<_>>();
            let before: Vec<String> = block.iter().map(|l| (*l).to_owned()).collect();
            if plain(&printed) == plain(&before) {
                new.extend(before);
            } else {
                walk.wrong.push(format!("{}: {}", page.display(), block[0]));
                new.extend(printed);
            }
            blocks += 1;
        } else {
            new.extend(block.iter().map(|l| (*l).to_owned()));
        }
        if is_tutorial && kind == "sh" {
            for line in block {
                let (command, expected) = line.split_once(" # exits with ").unwrap_or((line, "0"));
                let code = walk.run(command);
                if code.to_string() != expected {
                    walk.wrong.push(format!("{}: {command}: exit {code}, not {expected}", page.display()));
                }
            }
        }
        if is_tutorial && kind == "json" {
            let name =
                lines[at - 2].strip_prefix("Write `").and_then(|l| l.strip_suffix("`:")).expect("the file's name");
            walk.scratch.write(name, block.join("\n"));
        }
        new.push("```".to_owned());
        at = end + 1;
    }
    if std::env::var_os("INTERFERE_UPDATE_PAGES").is_some() {
        fs::write(page, new.join("\n") + "\n").expect("the page is written");
    }
    (blocks, walk.wrong)
}

#[test]
fn the_tutorial_runs_as_printed() {
    let (blocks, wrong) = walk(&root().join("docs/tutorial.md"), true);
    assert!(blocks >= 8, "{blocks} printed runs");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn printed_runs_of_the_other_pages_are_real() {
    let mut all = (0, Vec::new());
    for page in pages().iter().filter(|p| !p.ends_with("tutorial.md")) {
        let (blocks, wrong) = walk(page, false);
        all.0 += blocks;
        all.1.extend(wrong);
    }
    assert!(all.0 >= 4, "{} printed runs", all.0);
    assert_eq!(all.1, Vec::<String>::new());
}
