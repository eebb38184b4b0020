//! Tests of whole runs, with a fixed outcome in place of the check.

use crate::check::{Outcome, Progress, RunStats};
use crate::cli::console::{Console, Terminal};
use crate::cli::exit::Exit;
use crate::cli::run::run_with;
use crate::cli::settings::{CheckSettings, ExplainSettings};
use crate::cli::work::{FinishedCheck, Work};
use crate::error::{Error, Location, Problem, Warning, WarningCode};
use crate::testkit::sample_outcome;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;

/// Exit and output of a run.
struct Ran {
    exit: Exit,
    stdout: String,
    stderr: String,
}

fn run_line(line: &str, terminal: Terminal, check: impl Fn() -> Result<Outcome, Error> + Sync) -> Ran {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let arguments = line.split(' ').map(OsString::from);
    let examine = |path: &Path| match path.to_str() {
        Some("good.stl") => Ok(crate::report::inspect::tests::bracket()),
        _ => Err(Error::one(Location::file(path.display().to_string()), "zero triangles", "")),
    };
    let explain = |_: &ExplainSettings, _: &dyn Progress| Ok(crate::report::explain::tests::explanation());
    let check = |_: &CheckSettings, _: &dyn Progress| {
        Ok(FinishedCheck { outcome: check()?, stats: RunStats::default(), drawn: None, proofs: None })
    };
    let work = Work { check: &check, explain: &explain, examine: &examine };
    let exit = run_with(arguments, &work, &mut Console { stdout: &mut stdout, stderr: &mut stderr, terminal });
    let text = |bytes| String::from_utf8(bytes).unwrap();
    // The time differs from run to run.
    let stderr = text(stderr).lines().filter(|l| !is_time(l)).fold(String::new(), |all, line| all + line + "\n");
    Ran { exit, stdout: text(stdout), stderr }
}

fn is_time(line: &str) -> bool {
    line.starts_with("checked ") && line.ends_with(" s")
}

fn plain(line: &str) -> Ran {
    run_line(line, Terminal::default(), || Ok(sample_outcome::outcome()))
}

fn passing() -> Outcome {
    let mut outcome = Outcome { warnings: Vec::new(), ..sample_outcome::outcome() };
    outcome.pairs.clear();
    outcome.counts = crate::check::Counts { clear: 10, ..Default::default() };
    outcome
}

#[test]
fn a_failing_gate_exits_1_with_report_and_warnings() {
    let ran = plain("interfere check a.json --format json");
    assert_eq!(ran.exit, Exit::Fail);
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap()["summary"]["verdict"], "fail");
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: part hood: 3 open edges [open-mesh]\n"), "{}", ran.stderr);
}

#[test]
fn passing_gate_exits_0_with_message() {
    let ran = run_line("interfere check a.json", Terminal::default(), || Ok(passing()));
    assert_eq!(ran.exit, Exit::Pass);
    assert!(ran.stdout.ends_with("PASS\n") && ran.stderr.is_empty());
}

#[test]
fn quiet_leaves_the_report_and_drops_the_warnings() {
    let ran = plain("interfere check a.json --quiet");
    assert!(ran.stdout.ends_with("FAIL: 6 pairs fail\n") && ran.stderr.is_empty());
}

#[test]
fn strict_makes_warnings_fail_and_writes_the_report() {
    let ran = plain("interfere check a.json --strict --quiet");
    assert_eq!(ran.exit, Exit::Fail);
    assert!(ran.stdout.ends_with("FAIL: 6 pairs fail, 2 warnings fail with --strict\n"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("error: part hood: 3 open edges [open-mesh]\n"), "{}", ran.stderr);
    let warned =
        || Ok(Outcome { warnings: vec![Warning::new(WarningCode::UnusedRule, "matches no pair")], ..passing() });
    let only = run_line("interfere check a.json --strict --format json", Terminal::default(), warned);
    let json: Value = serde_json::from_str(&only.stdout).unwrap();
    assert_eq!((only.exit, &json["summary"]["verdict"]), (Exit::Fail, &"fail".into()));
    assert_eq!(json["summary"]["strict"], true);
    let only = run_line("interfere check a.json --strict", Terminal::default(), warned);
    assert!(only.stdout.ends_with("FAIL: 1 warning fails with --strict\n"), "{}", only.stdout);
    let clean = run_line("interfere check a.json --strict", Terminal::default(), || Ok(passing()));
    assert_eq!(clean.exit, Exit::Pass);
}

#[test]
fn errors_leave_stdout_empty_and_stop_at_twenty() {
    let error = || Err(Error { problems: vec![Problem::new(Location::file("a.json"), "unknown key", ""); 25] });
    let ran = run_line("interfere check a.json", Terminal::default(), error);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::NotDecided, ""));
    assert!(ran.stderr.ends_with("error: a.json: unknown key\nerror: and 5 more errors\n"), "{}", ran.stderr);
}

#[test]
fn usage_goes_to_stderr_and_help_to_stdout() {
    let usage = plain("interfere check a.json --frob");
    assert_eq!((usage.exit, usage.stdout.as_str()), (Exit::NotDecided, ""));
    assert!(usage.stderr.contains("--frob"));
    let help = plain("interfere --help");
    assert_eq!((help.exit, help.stderr.as_str()), (Exit::Pass, ""));
    assert!(help.stdout.contains("Exit codes:"));
    assert!(plain("interfere --version").stdout.starts_with("interfere 0."));
}

#[test]
fn colour_on_terminals_and_on_request() {
    let terminal = Terminal { stdout: true, stderr: false, colour: None, columns: None };
    let run = |line: &str, terminal| run_line(line, terminal, || Ok(sample_outcome::outcome()));
    assert!(run("interfere check a.json", terminal).stdout.contains("\x1b[1;31mFAIL"));
    assert!(!run("interfere check a.json", terminal).stderr.contains('\x1b'));
    assert!(!run("interfere check a.json --color never", terminal).stdout.contains('\x1b'));
    assert!(!run("interfere check a.json --color always --format json", terminal).stdout.contains('\x1b'));
    assert!(run("interfere check a.json --color always", Terminal::default()).stderr.contains("\x1b[1;33mwarning:"));
}

#[test]
fn colour_of_usage_errors_heeds_the_flag() {
    let terminal = Terminal { stdout: true, stderr: true, colour: None, columns: None };
    let painted = |line: &str| run_line(line, terminal, || Ok(sample_outcome::outcome())).stderr.contains('\x1b');
    assert!(painted("interfere check a.json --frob"));
    assert!(!painted("interfere check a.json --frob --color never"));
    assert!(!painted("interfere --color=never check a.json --frob"));
    assert!(painted("interfere check a.json --color pink"));
    assert!(painted("interfere check --frob -- --color never"));
}

#[test]
fn files_for_report_and_timings() {
    let folder = std::env::temp_dir().join(format!("interfere-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (report, timings) = (folder.join("r.json"), folder.join("t.json"));
    let line = format!(
        "interfere check a.json --format json --threads 2 --output {} --timings {}",
        report.display(),
        timings.display()
    );
    let ran = plain(&line);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::Fail, ""));
    let read = |path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(read(&report)["version"], 1);
    let timings = read(&timings);
    assert_eq!(timings["threads"], 2);
    assert!(timings["wall_s"]["total"].as_f64() >= timings["wall_s"]["report"].as_f64());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn explain_exits_by_status_and_warns_of_its_parts() {
    let ran = plain("interfere explain a.json x y");
    assert_eq!(ran.exit, Exit::Fail);
    assert!(ran.stdout.contains("interference: ") && ran.stderr.starts_with("warning: part hood: "), "{}", ran.stderr);
    let json = plain("interfere explain a.json x y --format json --quiet");
    assert_eq!((json.exit, json.stderr.as_str()), (Exit::Fail, ""));
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap()["pair"]["status"], "interference");
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_exits_2_and_names_file() {
    let ran = plain("interfere check a.json --quiet --output /dev/full");
    assert_eq!((ran.exit, ran.stdout.as_str()), (Exit::NotDecided, ""));
    assert!(ran.stderr.starts_with("error: /dev/full: cannot write: "), "{}", ran.stderr);
}

#[test]
fn inspect_reports_meshes_and_names_invalid_files() {
    let all = plain("interfere inspect good.stl");
    assert_eq!((all.exit, all.stderr.as_str()), (Exit::Pass, ""));
    let some = plain("interfere inspect bad.stl good.stl worse.stl --format json");
    assert_eq!(some.exit, Exit::NotDecided);
    let json: Value = serde_json::from_str(&some.stdout).unwrap();
    assert_eq!(json["meshes"].as_array().unwrap().len(), 1);
    assert_eq!(some.stderr, "error: bad.stl: zero triangles\nerror: worse.stl: zero triangles\n");
}

#[test]
fn many_warnings_are_counted() {
    let outcome =
        || Ok(Outcome { warnings: vec![Warning::new(WarningCode::UnusedRule, "matches no pair"); 23], ..passing() });
    let ran = run_line("interfere check a.json", Terminal::default(), outcome);
    assert!(ran.stderr.ends_with("[unused-rule]\nwarning: and 3 more warnings\n"), "{}", ran.stderr);
}
