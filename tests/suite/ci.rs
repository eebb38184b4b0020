//! Does docs/how-to/ci.md hold? Runs the GitHub Action's script as GitHub would, and the commands of the pages.

use crate::support::command::{Ran, finish};
use crate::support::scratch::Scratch;
use clap::Parser;
use interfere::internals::cli::args::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Files and exit code of the `check` step.
struct Step {
    ran: Ran,
    outputs: String,
    summary: String,
}

/// Runs the `check` step of the action on an assembly; `None` without bash.
fn step(scratch: &Scratch, assembly: &str, more: &[(&str, &str)]) -> Option<Step> {
    if Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_err() {
        return None;
    }
    let [outputs, summary] = ["outputs", "summary.md"].map(|name| scratch.write(name, ""));
    let mut command = Command::new("bash");
    command.arg(root().join(".ci/action.sh")).arg("check").current_dir(root()).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "RAYON_NUM_THREADS"] {
        command.env_remove(name);
    }
    command
        .env("INTERFERE", env!("CARGO_BIN_EXE_interfere"))
        .env("INTERFERE_ASSEMBLY", assembly)
        .env("RUNNER_TEMP", scratch.path())
        .env("GITHUB_OUTPUT", &outputs)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .envs(more.iter().copied());
    let ran = finish(command);
    let text = |path: &Path| fs::read_to_string(path).expect("a file");
    Some(Step { ran, outputs: text(&outputs), summary: text(&summary) })
}

#[test]
fn action_annotates_and_summarises_failures() {
    let scratch = Scratch::new();
    let sarif = scratch.path().join("interfere.sarif");
    let more =
        [("INTERFERE_SARIF", sarif.to_str().expect("a path")), ("INTERFERE_ARGS", "--report-within 1\n --threads 2")];
    let Some(step) = step(&scratch, "fixtures/cases/pivot/assembly.json", &more) else {
        return crate::support::skipped("bash is not installed");
    };
    assert_eq!(step.ran.code, 1, "{}", step.ran.stderr);
    let annotations: Vec<_> = step.ran.stdout.lines().filter(|l| l.starts_with("::error ")).collect();
    assert_eq!(annotations.len(), 1, "{}", step.ran.stdout);
    assert!(annotations[0].contains("file=fixtures/cases/pivot/assembly.json,line="), "{}", annotations[0]);
    assert!(annotations[0].contains("peg") && annotations[0].contains("stop"), "{}", annotations[0]);
    assert!(step.ran.stdout.contains("FAIL: 1 pair fails"), "{}", step.ran.stdout);
    assert!(step.summary.contains("interference") && step.summary.contains("peg"), "{}", step.summary);
    let report = scratch.path().join("interfere-report.json");
    assert_eq!(step.outputs, format!("exit-code=1\nreport={}\n", report.display()));
    assert!(report.is_file() && sarif.is_file());
}

#[test]
fn action_passes_without_findings() {
    let scratch = Scratch::new();
    let Some(step) = step(&scratch, "fixtures/cases/flush-boxes/assembly.json", &[("INTERFERE_CACHE", "false")]) else {
        return crate::support::skipped("bash is not installed");
    };
    assert_eq!(step.ran.code, 0, "{}", step.ran.stderr);
    assert!(step.ran.stdout.contains("PASS") && !step.ran.stdout.contains("::error "), "{}", step.ran.stdout);
    assert!(step.outputs.starts_with("exit-code=0\nreport="), "{}", step.outputs);
    assert!(!scratch.path().join("interfere-cache").exists());
}

#[test]
fn action_fails_on_errors_and_executes_no_names() {
    let scratch = Scratch::new();
    let marked = scratch.path().join("marked");
    let assembly = format!("$(touch {}).json", marked.display());
    let Some(step) = step(&scratch, &assembly, &[]) else { return crate::support::skipped("bash is not installed") };
    assert_eq!(step.ran.code, 2, "{}", step.ran.stderr);
    assert!(step.ran.stdout.contains("::error title=interfere::nothing was decided"), "{}", step.ran.stdout);
    assert_eq!((step.outputs.as_str(), step.summary.as_str()), ("exit-code=2\n", ""));
    assert!(!marked.exists());
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
    let declared = &action[action.find("inputs:").expect("inputs")..action.find("outputs:").expect("outputs")];
    let declared: Vec<_> = declared
        .lines()
        .filter_map(|l| l.strip_prefix("  ").filter(|l| !l.starts_with(' '))?.strip_suffix(':'))
        .collect();
    assert_eq!(declared, ["assembly", "args", "sarif", "junit", "cache"]);
    let used = names(&action, "inputs.");
    assert!(used.iter().all(|name| declared.contains(name)), "{used:?}");
    for name in declared {
        let variable = format!("INTERFERE_{}", name.to_uppercase());
        assert!(action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}")), "{variable}");
        assert!(script.contains(&format!("${{{variable}")) || script.contains(&format!("${variable}")), "{variable}");
    }
    for step in names(&action, ".ci/action.sh\" ") {
        assert!(script.contains(&format!("\n{step}() {{\n")), "{step}");
    }
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
