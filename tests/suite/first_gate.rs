//! Does the workflow for a STEP file in docs/how-to/ci.md gate a repository that holds nothing else? Runs it as GitHub
//! would. With `INTERFERE_FULL=1` and `../shared`, also with the real build, the real importer and a gripper of 36
//! parts; then it prints the time of each run.

use crate::ci::{CARGO, PYTHON, builds};
use crate::support::actions::yaml::Yaml;
use crate::support::actions::{Host, Job, has_bash};
use crate::support::command::finish;
use crate::support::scratch::Scratch;
use crate::support::skipped;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const WORKFLOW: &str = ".github/workflows/interfere.yml";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Block of a page in a language, with a mark in it.
fn block(language: &str, mark: &str) -> String {
    let page = fs::read_to_string(root().join("docs/how-to/ci.md")).expect("a page");
    let start = format!("```{language}\n");
    let blocks = page.split(&start).skip(1).map(|rest| rest.split("```").next().expect("a block"));
    blocks.into_iter().find(|block| block.contains(mark)).expect("the block").to_owned()
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=me", "-c", "user.email=me@example.com"]).args(arguments);
    let ran = finish(command);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// A repository with a STEP file, an assembly file without a rule, and the workflow of the page; its only commit.
fn repository(scratch: &Scratch, step: &[u8]) -> PathBuf {
    let workflow = block("yaml", "cad: design.step");
    assert_eq!(workflow.lines().count(), 10, "{workflow}");
    scratch.write(&format!("repository/{WORKFLOW}"), workflow);
    scratch.write("repository/design.step", step);
    let instance = r#"{ "id": "design", "assembly": "design/assembly.json" }"#;
    assert!(block("json", "design/assembly.json").contains(instance));
    scratch.write("repository/assembly.json", format!("{{ \"version\": 1, \"instances\": [ {instance} ] }}"));
    let repository = scratch.path().join("repository");
    git(&repository, &["init", "--quiet"]);
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "--message", "a design"]);
    repository
}

/// Runs the workflow of a repository on a fresh runner: its checkout has the files of the commit alone.
fn run(host: &mut Host, repository: &Path) -> Job {
    let _ = fs::remove_dir_all(&host.workspace);
    let [from, to] = [repository, &host.workspace].map(|path| path.display().to_string());
    git(repository, &["clone", "--quiet", &from, &to]);
    let workflow = Yaml::read(&fs::read_to_string(host.workspace.join(WORKFLOW)).expect("a workflow"));
    let job = workflow.get("jobs").and_then(|jobs| jobs.get("interfere")).expect("a job");
    host.job(job.get("steps").expect("steps").items())
}

/// A red job: the verdict alone fails it, after a report.
fn assert_red(job: &Job) {
    let gate = format!("OWNER/interfere@v{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(job.failed, [format!("{gate}/Verdict"), gate.clone()], "{}", job.log);
    assert_eq!(job.outputs[&format!("{gate}.exit-code")], "1", "{}", job.log);
    assert!(job.log.contains("imported design.step into design") && job.log.contains("FAIL: "), "{}", job.log);
    assert!(job.summary.contains("interference"), "{}", job.summary);
}

#[test]
fn ten_lines_gate_a_step_file() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let repository = repository(&scratch, b"ISO-10303-21; a design");
    let mut host = Host::new(scratch.path(), &scratch.path().join("checkout"));
    host.program("cargo", CARGO);
    // The importer of the simulated Python copies this folder.
    host.program("python3", &PYTHON.replace("fixtures/cases", &root().join("fixtures/cases").display().to_string()));
    for _ in 0..2 {
        assert_red(&run(&mut host, &repository));
        assert_eq!(builds(&host), 1, "the second run takes the program of the first");
    }
    let keys = host.keys();
    assert!(keys.iter().any(|key| key.starts_with("interfere-design-")), "{keys:?}");
}

/// The real cargo, without the settings of the tests, with a target folder that nothing filled before.
const REAL_CARGO: &str = r#"
for name in $(compgen -e CARGO_); do [[ $name == CARGO_HOME ]] || unset "$name"; done
unset RUSTFLAGS
export CARGO_TARGET_DIR="$(dirname "$0")/target"
printf '%s\n' "$*" >>"$(dirname "$0")/cargo.log"
exec "$REAL_CARGO" "$@"
"#;

#[test]
fn ten_lines_gate_the_gripper_with_the_real_programs() {
    let step = root().join("../shared/inputs/step/gripper.step");
    if std::env::var_os("INTERFERE_FULL").is_none() || !step.is_file() {
        return skipped("needs INTERFERE_FULL=1, ../shared, and a registry of Python packages");
    }
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let repository = repository(&scratch, &fs::read(step).expect("a file"));
    let mut host = Host::new(scratch.path(), &scratch.path().join("checkout"));
    let cargo = std::env::var("CARGO").expect("cargo runs the tests");
    host.program("cargo", &REAL_CARGO.replace("$REAL_CARGO", &cargo));
    let mut summaries = Vec::new();
    for name in ["from nothing", "cached", "cached again"] {
        let start = Instant::now();
        let job = run(&mut host, &repository);
        println!("{name}: {:.0} s", start.elapsed().as_secs_f64());
        assert_red(&job);
        assert_eq!(builds(&host), 1);
        summaries.push(job.summary);
    }
    assert_eq!(summaries[0], summaries[2]);
}
