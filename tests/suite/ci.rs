//! Does docs/how-to/ci.md hold? Runs the GitHub Action as GitHub would, and the commands of the pages.

use crate::support::actions::yaml::Yaml;
use crate::support::actions::{Host, Job, copy, has_bash};
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use clap::Parser;
use interfere::internals::cli::args::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A compiler that notes each call and delivers the program of the tests.
pub const CARGO: &str = r#"
printf '%s\n' "$*" >>"$(dirname "$0")/cargo.log"
[[ "$*" == "install --locked --path "*" --root "* ]]
while [[ $1 != --root ]]; do shift; done
mkdir -p "$2/bin"
cp "$PROGRAM" "$2/bin/"
"#;

/// A host with a checkout of this repository.
fn host(scratch: &Scratch) -> Option<Host> {
    if !has_bash() {
        return None;
    }
    let host = Host::new(scratch.path(), &root());
    host.program("cargo", CARGO);
    Some(host)
}

/// Number of builds so far.
pub fn builds(host: &Host) -> usize {
    fs::read_to_string(host.programs.join("cargo.log")).map_or(0, |log| log.lines().count())
}

/// Exit code of the check, and the paths of its reports.
fn result(job: &Job) -> (&str, Vec<&str>) {
    (&job.outputs["gate.exit-code"], job.outputs["gate.report"].lines().collect())
}

const PIVOT: &str = "fixtures/cases/pivot/assembly.json";

#[test]
fn action_annotates_and_summarises_failures() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let sarif = scratch.path().join("interfere.sarif");
    let sarif = sarif.to_str().expect("a path");
    let job = host.action(&[("assembly", PIVOT), ("sarif", sarif), ("args", "--report-within '1 mm'\n --threads 2")]);
    assert_eq!(job.failed, ["gate/Verdict", "gate"], "{}", job.log);
    let annotations: Vec<_> = job.log.lines().filter(|l| l.starts_with("::error ")).collect();
    assert_eq!(annotations.len(), 1, "{}", job.log);
    assert!(annotations[0].contains("file=fixtures/cases/pivot/assembly.json,line="), "{}", annotations[0]);
    assert!(annotations[0].contains("peg") && annotations[0].contains("stop"), "{}", annotations[0]);
    assert!(job.log.contains("FAIL: 1 pair fails"), "{}", job.log);
    assert!(job.summary.contains("interference") && job.summary.contains("peg"), "{}", job.summary);
    let (code, reports) = result(&job);
    assert_eq!((code, reports.len()), ("1", 1));
    assert!(Path::new(reports[0]).is_file() && Path::new(sarif).is_file());
}

/// The page is an artifact without an archive, named by its assembly; without `page`, and for several assemblies, there
/// is none.
#[test]
fn action_keeps_the_page_and_writes_pictures() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let pictures = scratch.path().join("pictures");
    let uploads = |job: &Job| -> Vec<_> {
        job.used.iter().filter(|(name, _)| name == "actions/upload-artifact").map(|(_, with)| with.clone()).collect()
    };
    let job = host.action(&[("assembly", PIVOT), ("pictures", pictures.to_str().expect("a path"))]);
    assert_eq!(job.failed, ["gate/Verdict", "gate"], "{}", job.log);
    let kept = uploads(&job);
    assert!(kept.len() == 1 && kept[0]["path"].ends_with("/interfere-pivot.html"), "{kept:?}: {}", job.log);
    assert!(Path::new(&kept[0]["path"]).is_file() && kept[0]["archive"] == "false");
    assert_eq!(fs::read_dir(&pictures).expect("a folder").count(), 1);
    assert!(!job.summary.contains(".png"), "{}", job.summary);
    let both = format!("{PIVOT}\nfixtures/cases/flush-boxes/assembly.json");
    for inputs in [[("assembly", PIVOT), ("page", "false")], [("assembly", &both), ("page", "true")]] {
        assert!(uploads(&host.action(&inputs)).is_empty());
    }
}

#[test]
fn a_red_run_leaves_binary_and_answers_for_the_next_run() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let mut hits = Vec::new();
    for run in 0..3 {
        let timings = scratch.path().join(format!("{run}.json"));
        let args = format!("--timings '{}'", timings.display());
        let job = host.action(&[("assembly", PIVOT), ("args", &args)]);
        assert_eq!(job.failed, ["gate/Verdict", "gate"], "{}", job.log);
        assert_eq!(result(&job).0, "1");
        let pairs = parsed(&fs::read_to_string(&timings).expect("timings"))["cache"]["pairs"].clone();
        let number = |name: &str| pairs[name].as_u64().expect("a count");
        hits.push((number("hits"), number("misses")));
    }
    assert_eq!((hits[0].0, builds(&host)), (0, 1), "the first run builds and computes");
    assert!(hits[0].1 > 0, "{hits:?}");
    for later in &hits[1..] {
        assert!(later.0 * 10 >= (later.0 + later.1) * 9, "{hits:?}");
    }
    // The third run had nothing to save.
    let keys = host.keys();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys[0].starts_with("interfere-") && keys[1].starts_with("interfere-answers-"), "{keys:?}");
}

#[test]
fn another_image_or_compiler_builds_anew() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    for (compiler, builds_by_then) in [("printf 'rustc 1.89.0'", 1), ("printf 'rustc 1.90.0'", 2), ("exit 1", 3)] {
        host.program("rustc", compiler);
        host.action(&[("assembly", PIVOT), ("cache", "false")]);
        assert_eq!(builds(&host), builds_by_then);
    }
    host.program("uname", "printf 'other-machine'");
    fs::write(host.programs.join("sed"), "").expect("a file");
    host.action(&[("assembly", PIVOT), ("cache", "false")]);
    assert_eq!((builds(&host), host.keys().len()), (4, 4), "{:?}", host.keys());
}

/// A Python that notes each environment, with an importer that takes the pivot for every file but `broken.step`.
pub const PYTHON: &str = r#"
[[ "$1 $2" == "-m venv" ]]
mkdir -p "$3/bin"
printf 'venv\n' >>"$(dirname "$0")/python.log"
cat >"$3/bin/pip" <<'END'
#!/usr/bin/env bash
set -e
[[ "$1 $2" == "install --quiet" && $3 == */python"[occt]" ]]
cat >"$(dirname "$0")/interfere-cad" <<'STOP'
#!/usr/bin/env bash
set -e
if [[ $1 == *broken.step ]]; then printf 'error: no-geometry: nothing\n' >&2; exit 2; fi
mkdir -p "$(dirname "$2")"
cp -R fixtures/cases/pivot "$2"
printf '{}' >"$2/import.json"
STOP
chmod +x "$(dirname "$0")/interfere-cad"
END
chmod +x "$3/bin/pip"
"#;

#[test]
fn action_imports_a_step_file_once_for_equal_content() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    host.workspace = scratch.path().join("checkout");
    copy(&root().join("fixtures/cases/pivot"), &host.workspace.join("fixtures/cases/pivot"));
    host.program("python3", PYTHON);
    let environments =
        |host: &Host| fs::read_to_string(host.programs.join("python.log")).map_or(0, |log| log.lines().count());
    let inputs = [("assembly", "cad/robot.v2/assembly.json"), ("cad", "\n cad/robot.v2.step\n")];
    for (content, by_then) in [("ISO-10303-21; one", 1), ("ISO-10303-21; one", 1), ("ISO-10303-21; two", 2)] {
        scratch.write("checkout/cad/robot.v2.step", content);
        let job = host.action(&inputs);
        assert_eq!(job.failed, ["gate/Verdict", "gate"], "{}", job.log);
        assert!(job.log.contains("imported cad/robot.v2.step into cad/robot.v2"), "{}", job.log);
        assert_eq!((result(&job).0, environments(&host)), ("1", by_then));
    }
    scratch.write("checkout/broken.step", "ISO-10303-21;");
    scratch.write("checkout/mine/notes.txt", "mine");
    scratch.write("checkout/mine.step", "ISO-10303-21;");
    for (file, message) in [
        ("broken.step", "no import of broken.step"),
        ("mine.step", "the folder mine for the import of mine.step holds other files"),
        ("absent.step", "the input cad names absent.step"),
        ("cad/robot", "the input cad names cad/robot"),
    ] {
        let job = host.action(&[("assembly", "cad/robot.v2/assembly.json"), ("cad", file)]);
        assert!(job.failed.contains(&"gate/Import".to_owned()), "{:?}: {}", job.failed, job.log);
        assert!(job.log.contains(message), "{}", job.log);
        assert!(job.outputs.get("gate.exit-code").is_none_or(|code| code != "0"), "{}", job.log);
    }
}

#[test]
fn action_passes_without_findings() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let job = host.action(&[("assembly", "fixtures/cases/flush-boxes/assembly.json"), ("cache", "false")]);
    assert_eq!((&job.failed[..], result(&job).0), (&[][..], "0"), "{}", job.log);
    assert!(job.log.contains("PASS") && !job.log.contains("::error "), "{}", job.log);
    assert!(host.keys().iter().all(|key| !key.contains("answers")), "{:?}", host.keys());
}

#[test]
fn action_fails_on_errors_and_executes_no_names() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let marked = scratch.path().join("marked");
    for inject in [format!("$(touch {}).json", marked.display()), format!("`touch {0}`;touch {0}", marked.display())] {
        let job = host.action(&[("assembly", &inject), ("args", &format!("--threads '{inject}'"))]);
        assert_eq!((result(&job), job.failed.len()), (("2", vec![]), 2), "{}", job.log);
        assert!(job.log.contains("nothing was decided"), "{}", job.log);
        assert!(job.summary.is_empty() && !marked.exists());
    }
    for (inputs, message) in [
        (&[("assembly", " \n")][..], "the input assembly is empty"),
        (&[("assembly", "fixtures/**/no-such-*.json")], "fixtures/**/no-such-*.json"),
        (&[("assembly", PIVOT), ("args", "--threads '2")], "the input args has an open quote"),
    ] {
        let job = host.action(inputs);
        assert_eq!((result(&job).0, job.failed.len()), ("2", 2), "{}", job.log);
        assert!(job.log.contains(message), "{}", job.log);
    }
}

#[test]
fn action_checks_several_assemblies_and_ends_with_the_worst_code() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    host.workspace = scratch.path().join("checkout");
    let case = |name: &str, target: &str| {
        copy(&root().join("fixtures/cases").join(name), &host.workspace.join(target));
    };
    case("flush-boxes", "designs/one");
    case("flush-boxes", "designs/deep/two (copy)");
    case("flush-boxes", "three");
    case("pivot", "designs/red");
    let globs = "designs/**/assembly.json\n  three/assembly.json\n\n designs/red/assembly.json";
    let sarif = ("sarif", "out.sarif");
    let job = host.action(&[("assembly", globs), sarif]);
    let count = |job: &Job| {
        let (code, reports) = result(job);
        let report = parsed(&fs::read_to_string(reports[0]).expect("a report"));
        (code.to_owned(), report["assemblies"].as_array().expect("assemblies").len())
    };
    assert_eq!(count(&job), ("1".to_owned(), 4), "{}", job.log);
    for name in ["designs/one/", "designs/deep/two (copy)/", "designs/red/", "three/"] {
        assert!(job.log.contains(&format!("{name}assembly.json")), "{name}: {}", job.log);
    }
    let runs = parsed(&fs::read_to_string(host.workspace.join("out.sarif")).expect("SARIF"))["runs"].clone();
    assert_eq!(runs.as_array().map(Vec::len), Some(4));
    let job = host.action(&[("assembly", "designs/*/assembly.json")]);
    assert_eq!(count(&job), ("1".to_owned(), 2), "a star stays within a folder: {}", job.log);
    scratch.write("checkout/designs/broken/assembly.json", "{");
    let job = host.action(&[("assembly", globs)]);
    assert_eq!(count(&job), ("2".to_owned(), 5), "{}", job.log);
    assert!(job.log.contains("designs/broken/assembly.json"), "{}", job.log);
}

#[test]
fn action_inputs_reach_the_program() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let assembly = "fixtures/cases/pivot/assembly.json";
    let code = |host: &mut Host, more: &[(&str, &str)]| {
        let job = host.action(&[&[("assembly", assembly)], more].concat());
        (job.outputs["gate.exit-code"].clone(), job.log)
    };
    assert_eq!(code(&mut host, &[("fail-on", "never")]).0, "0");
    let baseline = scratch.path().join("accepted.json");
    let baseline = baseline.to_str().expect("a path");
    let ran = crate::support::command::interfere_in(
        &root(),
        &["accept", assembly, "--reason", "before the gate", "--baseline", baseline],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(code(&mut host, &[("baseline", baseline)]).0, "0");
    assert_eq!(code(&mut host, &[("baseline", baseline), ("fail-on", "any")]).0, "1");
    let junit = scratch.path().join("out.xml");
    assert_eq!(code(&mut host, &[("baseline", "none"), ("junit", junit.to_str().expect("a path"))]).0, "1");
    assert!(junit.is_file());
    let warned = ("assembly", "fixtures/cases/thin-part/assembly.json");
    let strict = |value| host.action(&[warned, ("strict", value)]).outputs["gate.exit-code"] == "0";
    assert_eq!(["false", "true"].map(strict), [true, false]);
    // Two uses in one job share no report.
    let text = "steps:\n  - id: first\n    uses: ./\n    with: { assembly: fixtures/cases/pivot/assembly.json, fail-on: never }\n  - id: second\n    uses: ./\n    with: { assembly: fixtures/cases/flush-boxes/assembly.json }\n";
    let job = host.job(Yaml::read(text).get("steps").expect("steps").items());
    let names = ["first", "second"].map(|id| {
        let report = fs::read_to_string(&job.outputs[&format!("{id}.report")]).expect("a report");
        parsed(&report)["assembly"]["name"].clone()
    });
    assert_eq!(names, ["pivot", "assembly"], "{}", job.log);
}

/// Names following each `before` in a text.
fn names<'t>(text: &'t str, before: &str) -> Vec<&'t str> {
    let end = |rest: &'t str| rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
    text.match_indices(before).map(|(at, _)| &text[at + before.len()..]).map(|rest| &rest[..end(rest)]).collect()
}

#[test]
fn action_inputs_reach_the_script() {
    let action = fs::read_to_string(root().join("action.yml")).expect("action.yml");
    let script = fs::read_to_string(root().join(".ci/action.sh")).expect("action.sh");
    let yaml = Yaml::read(&action);
    let declared: Vec<_> =
        yaml.get("inputs").expect("inputs").entries().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        declared,
        ["assembly", "cad", "fail-on", "strict", "baseline", "args", "sarif", "junit", "pictures", "page", "cache"]
    );
    let page = fs::read_to_string(root().join("docs/how-to/ci.md")).expect("the page");
    for name in declared {
        // The program itself has a variable INTERFERE_CACHE.
        let variable = match name {
            "cache" => "INTERFERE_KEEP_ANSWERS".to_owned(),
            _ => format!("INTERFERE_{}", name.to_uppercase().replace('-', "_")),
        };
        assert!(action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}")), "{variable}");
        assert!(script.contains(&format!("${{{variable}")) || script.contains(&format!("${variable}")), "{variable}");
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    for step in names(&action, ".ci/action.sh\" ") {
        assert!(script.contains(&format!("\n{step}() {{\n")), "{step}");
    }
}

/// Packs a release of the program of the tests, as `.ci/package.sh` does on a tag; returns the address of its
/// repository.
fn release(scratch: &Scratch) -> (String, PathBuf) {
    let bash = |script: &str| {
        let ran = Command::new("bash").arg("-c").arg(script).current_dir(root()).output().expect("bash");
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("text").trim().to_owned()
    };
    let target = bash("source=$PWD; . .ci/install.sh; target");
    let version = env!("CARGO_PKG_VERSION");
    let folder = scratch.path().join(format!("host/OWNER/interfere/releases/download/v{version}"));
    bash(&format!(".ci/package.sh {target} '{}' '{}'", env!("CARGO_BIN_EXE_interfere"), folder.display()));
    (format!("file://{}/host", scratch.path().display()), folder.join(format!("interfere-{target}.tar.gz")))
}

#[test]
fn action_takes_the_release_of_its_own_sources() {
    let scratch = Scratch::new();
    let Some(mut host) = host(&scratch) else { return };
    let (server, archive) = release(&scratch);
    host.event.insert("server_url".to_owned(), server);
    host.event.insert("action_repository".to_owned(), "OWNER/interfere".to_owned());
    let inputs = [("assembly", PIVOT), ("cache", "false")];
    let job = host.action(&inputs);
    assert_eq!((result(&job).0, builds(&host), host.keys().len()), ("1", 0, 0), "{}", job.log);
    // A damaged archive and a release of other sources are left alone.
    let good = fs::read(&archive).expect("an archive");
    fs::write(&archive, [&good[..], b"x"].concat()).expect("written");
    let job = host.action(&inputs);
    assert_eq!((result(&job).0, builds(&host)), ("1", 1), "{}", job.log);
    let repack = "cd \"$1\"; n=$(basename \"$2\" .tar.gz); tar -xzf \"$n.tar.gz\"; echo other >\"$n/sources\"; \
                  tar -czf \"$n.tar.gz\" \"$n\"; sha256sum \"$n.tar.gz\" >\"$n.tar.gz.sha256\"";
    fs::write(&archive, &good).expect("written");
    let folder = archive.parent().expect("a folder");
    let ran = Command::new("bash").args(["-ec", repack, "bash"]).args([folder, &archive]).status().expect("bash");
    assert!(ran.success());
    scratch.write("programs/rustc", "");
    host.program("rustc", "printf other");
    let job = host.action(&inputs);
    assert_eq!((result(&job).0, builds(&host)), ("1", 2), "{}", job.log);
}

/// Commands in a page's code: from `interfere` to the end of the line.
fn commands(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let code = if fenced || line.starts_with("    ") {
            line.trim()
        } else {
            continue;
        };
        let code = code.strip_prefix("- ").unwrap_or(code);
        let code = code.strip_prefix("$ ").unwrap_or(code);
        let program = code.split(' ').next().unwrap_or("");
        if program == "interfere" || (program.ends_with("/interfere") && !program.contains('=')) {
            found.push(code.split(" #").next().unwrap_or(code).trim().to_owned());
        }
    }
    found
}

/// Splits a command line like a shell, with quotes only: no escapes, pipes or variables. `None` otherwise.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '>' | '<' | ';' | '&' | '$' | '*' | '{' | '[' | '(' | '\\') => return None,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// Adds every file below a folder.
fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of docs") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_pages(&path, pages);
        } else {
            pages.push(path);
        }
    }
}

#[test]
fn documented_commands_are_valid() {
    let mut pages = vec![root().join("README.md")];
    add_pages(&root().join("docs"), &mut pages);
    let mut tried = 0;
    for page in pages.iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(page).expect("a page");
        for line in commands(&text) {
            // Skips shell syntax and synopses with named arguments.
            let Some(words) = words(&line).filter(|w| !w.iter().any(|w| w.ends_with("..."))) else { continue };
            if let Err(e) = Args::try_parse_from(&words) {
                assert!(!e.use_stderr(), "{}: {line}: {e}", page.display());
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried} commands");
}
