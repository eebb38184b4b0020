//! Do the workflows work? Runs the documented ones as GitHub would, and the scripts of the project's own.

use crate::support::actions::yaml::Yaml;
use crate::support::actions::{Host, Job, copy, has_bash};
use crate::support::command::{Ran, finish};
use crate::support::scratch::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Runs a script of `.ci`.
fn script(name: &str, arguments: &[&str], env: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("bash");
    command.arg(root().join(".ci").join(name)).args(arguments).current_dir(root()).stdin(Stdio::null());
    command.envs(env.iter().copied());
    finish(command)
}

/// Steps of the workflow in docs/how-to/ci.md with this text.
fn documented(mark: &str) -> Vec<Yaml> {
    let page = read("docs/how-to/ci.md");
    let block = page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().expect("a block"));
    let block = block.into_iter().find(|block| block.contains(mark)).expect("a workflow");
    let workflow = Yaml::read(block);
    let job = workflow.get("jobs").and_then(|jobs| jobs.get("interfere")).expect("a job");
    job.get("steps").expect("steps").items().to_vec()
}

/// A substitute for the program `gh`: it stores the last comment.
const GH: &str = r#"
here=$(dirname "$0")
printf '%s\n' "$*" >>"$here/gh.log"
case "$*" in
*--paginate*) cat "$here/numbers" 2>/dev/null || true ;;
*"-F body=@"*) last=${!#}; cp "${last#*@}" "$here/comment"; echo 71 >"$here/numbers" ;;
*) exit 1 ;;
esac
"#;

/// A host with a pull request: the peg of the head is in the stop, that of the base is not.
fn pull_request(scratch: &Scratch) -> Host {
    let mut host = Host::new(scratch.path(), &scratch.path().join("checkout"));
    host.program("cargo", "while [[ $1 != --root ]]; do shift; done; mkdir -p \"$2/bin\"; cp \"$PROGRAM\" \"$2/bin/\"");
    host.program("gh", GH);
    for (key, value) in [
        ("event_name", "pull_request"),
        ("repository", "me/robot"),
        ("event.pull_request.head.repo.full_name", "me/robot"),
        ("event.pull_request.number", "12"),
    ] {
        host.event.insert(key.to_owned(), value.to_owned());
    }
    let base = scratch.path().join("base");
    copy(&root().join("fixtures/cases/pivot"), &base);
    let text = fs::read_to_string(base.join("assembly.json")).expect("an assembly");
    let apart = text.replace("\"id\": \"stop\"", "\"id\": \"old-stop\"");
    assert_ne!(text, apart);
    fs::write(base.join("assembly.json"), apart).expect("written");
    host.checkouts.insert("base".to_owned(), base);
    host
}

/// Runs the workflow on a fresh checkout.
fn run(host: &mut Host, steps: &[Yaml]) -> Job {
    let _ = fs::remove_dir_all(&host.workspace);
    copy(&root().join("fixtures/cases/pivot"), &host.workspace);
    host.job(steps)
}

fn calls(host: &Host) -> Vec<String> {
    let log = fs::read_to_string(host.programs.join("gh.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn a_pull_request_gets_one_comment_which_later_runs_update() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let mut host = pull_request(&scratch);
    let steps = documented("Comment on the pull request");
    let job = run(&mut host, &steps);
    assert_eq!(job.failed, ["gate/Verdict", "gate"], "{}", job.log);
    assert_eq!(job.outputs["gate.exit-code"], "1");
    let comment = fs::read_to_string(host.programs.join("comment")).expect("a comment");
    assert!(comment.starts_with("<!-- interfere -->\n## interfere: changes of <code>pivot</code>\n"), "{comment}");
    assert!(comment.contains("| **new** | <code>peg</code> | <code>stop</code> |"), "{comment}");
    assert!(
        job.summary.contains("interfere: changes of") && job.summary.contains("interfere: FAIL"),
        "{}",
        job.summary
    );
    assert!(calls(&host)[1].starts_with("api --method POST repos/me/robot/issues/12/comments "), "{:?}", calls(&host));
    let kept: Vec<_> = job.used.iter().filter(|(name, _)| name == "actions/upload-artifact").collect();
    assert!(Path::new(&kept[0].1["path"]).is_file(), "{kept:?}");
    run(&mut host, &steps);
    let log = calls(&host);
    assert!(log.len() == 4 && log[3].starts_with("api --method PATCH repos/me/robot/issues/comments/71 "), "{log:?}");
}

#[test]
fn forks_pushes_and_new_assemblies_get_no_comment() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let mut host = pull_request(&scratch);
    let steps = documented("Comment on the pull request");
    host.event.insert("event.pull_request.head.repo.full_name".to_owned(), "you/robot".to_owned());
    let fork = run(&mut host, &steps);
    assert!(fork.summary.contains("interfere: changes of"), "{}", fork.summary);
    host.event.insert("event.pull_request.head.repo.full_name".to_owned(), "me/robot".to_owned());
    fs::remove_file(scratch.path().join("base/assembly.json")).expect("removed");
    let new = run(&mut host, &steps);
    assert_eq!(new.failed, ["gate/Verdict", "gate"], "{}", new.log);
    host.event.insert("event_name".to_owned(), "push".to_owned());
    let push = run(&mut host, &steps);
    for job in [new, push] {
        assert!(!job.summary.contains("changes of") && job.summary.contains("interfere: FAIL"), "{}", job.summary);
    }
    assert_eq!(calls(&host), Vec::<String>::new());
}

#[test]
fn alerts_are_uploaded_after_a_red_run_only_where_that_is_possible() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let mut host = pull_request(&scratch);
    let steps = documented("upload-sarif");
    let uploads = |job: &Job| job.used.iter().filter(|(name, _)| name.contains("upload-sarif")).count();
    let red = run(&mut host, &steps);
    assert_eq!((&red.outputs["OWNER/interfere@v0.1.0.exit-code"][..], uploads(&red)), ("1", 1), "{}", red.log);
    host.event.insert("event.pull_request.head.repo.fork".to_owned(), "true".to_owned());
    assert_eq!(uploads(&run(&mut host, &steps)), 0);
    host.event.remove("event.pull_request.head.repo.fork");
    fs::remove_dir_all(&host.workspace).expect("removed");
    fs::create_dir_all(host.workspace.join(".git")).expect("a checkout without an assembly");
    let broken = host.job(&steps);
    assert_eq!((&broken.outputs["OWNER/interfere@v0.1.0.exit-code"][..], uploads(&broken)), ("2", 0), "{}", broken.log);
}

/// Each `uses:` of the project and its pages: action and version.
fn actions() -> BTreeMap<String, BTreeSet<String>> {
    let mut files = vec!["action.yml".to_owned(), "README.md".to_owned(), "docs/tutorial.md".to_owned()];
    for folder in ["docs/how-to", ".github/workflows"] {
        let names = fs::read_dir(root().join(folder)).expect("a folder").map(|e| e.expect("an entry").file_name());
        files.extend(names.map(|name| format!("{folder}/{}", name.to_str().expect("a name"))));
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for line in read(&file).lines() {
            let Some((_, action)) = line.split_once("uses: ") else { continue };
            let Some((name, version)) = action.split_once('@') else { continue };
            let name = name.split('/').take(2).collect::<Vec<_>>().join("/");
            found.entry(name).or_default().insert(version.to_owned());
        }
    }
    found
}

#[test]
fn each_action_has_one_version_everywhere() {
    let found = actions();
    assert!(found.len() > 8, "{found:?}");
    for (name, versions) in &found {
        assert_eq!(versions.len(), 1, "{name}: {versions:?}");
    }
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(found["OWNER/interfere"], BTreeSet::from([version]));
}

#[test]
fn workflows_of_the_project_call_existing_scripts() {
    let mut called = 0;
    for file in [".github/workflows/ci.yml", ".github/workflows/release.yml"] {
        let workflow = Yaml::read(&read(file));
        for (name, job) in workflow.get("jobs").expect("jobs").entries() {
            for step in job.get("steps").expect("steps").items() {
                let script = step.text("run").unwrap_or(if step.text("uses").is_some() { "" } else { "none" });
                assert_ne!(script, "none", "{file}: {name}");
                for (at, _) in script.match_indices("bash .ci/") {
                    let path = script[at + 5..].split_whitespace().next().expect("a path");
                    assert!(root().join(path).is_file(), "{file}: {name}: {path}");
                    called += 1;
                }
            }
            if let Some(needed) = job.text("needs") {
                assert!(workflow.get("jobs").expect("jobs").get(needed).is_some(), "{file}: {name} needs {needed}");
            }
        }
    }
    assert!(called >= 7, "{called}");
}

#[test]
fn reports_of_two_systems_are_compared_byte_by_byte() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let [one, two] = ["one", "two"].map(|name| scratch.path().join(name).display().to_string());
    let cases = ["fixtures/cases/coincident", "fixtures/cases/flush-boxes"];
    for folder in [&one, &two] {
        let ran = script("reports.sh", &[folder, env!("CARGO_BIN_EXE_interfere"), cases[0], cases[1]], &[]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let ran = script("same.sh", &[&one, &two], &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, &format!("48 files, 2 folders, 0 differ from {one}\n")[..]));
    assert_eq!(fs::read_to_string(Path::new(&one).join("coincident/exact/exit")).expect("a file"), "1\n");
    let report = Path::new(&two).join("flush-boxes/hull/csv");
    let text = fs::read_to_string(&report).expect("a report");
    fs::write(&report, text + " ").expect("written");
    let ran = script("same.sh", &[&one, &two], &[]);
    assert!(ran.code == 1 && ran.stdout.contains("flush-boxes/hull/csv"), "{ran:?}");
    assert_eq!(script("same.sh", &[&one], &[]).code, 2);
    fs::remove_dir_all(&one).expect("removed");
    fs::create_dir(&one).expect("a folder");
    assert_eq!(script("same.sh", &[&one, &one], &[]).code, 2);
}

#[test]
fn a_release_needs_version_account_and_dated_changes() {
    if !has_bash() {
        return;
    }
    let scratch = Scratch::new();
    let write = |package: &str, changes: &str| {
        scratch.write("Cargo.toml", package);
        scratch.write("CHANGELOG.md", changes);
    };
    let package = "[package]\nversion = \"1.2.3\"\nrepository = \"https://github.com/me/interfere\"\n";
    let changes = "# Changes\n\n## 1.2.3, 1 May\n\n- one\n\n## 1.2.2\n\n- zero\n";
    let folder = scratch.path().to_str().expect("a path");
    write(package, changes);
    let ran = script("release.sh", &["v1.2.3", folder], &[]);
    assert_eq!((ran.code, ran.stdout.trim()), (0, "- one"), "{ran:?}");
    for (tag, package, changes, why) in [
        ("v1.2.4", package, changes, "Cargo.toml has 1.2.3"),
        ("v1.2.3", &package.replace("me/", "OWNER/")[..], changes, "OWNER"),
        ("v1.2.3", package, "## 1.2.2\n", "no section 1.2.3"),
        ("v1.2.3", package, "## 1.2.3, not yet released\n", "not yet released"),
    ] {
        write(package, changes);
        let ran = script("release.sh", &[tag, folder], &[]);
        assert!((ran.code, &ran.stdout[..]) == (1, "") && ran.stderr.contains(why), "{why}: {ran:?}");
    }
}

#[test]
fn hook_fires_on_assemblies_and_meshes_and_locks_dependencies() {
    if !has_bash() {
        return;
    }
    let hooks = Yaml::read(&read(".pre-commit-hooks.yaml"));
    let hook = &hooks.items()[0];
    let pattern = hook.text("files").and_then(|files| files.strip_prefix("(?i)")).expect("a pattern");
    for (name, fires) in [
        ("assembly.json", true),
        ("designs/left.assembly.json", true),
        ("a/Gripper_Assembly.JSON", true),
        ("interfere-baseline.json", true),
        ("parts/box.STL", true),
        ("box.obj", true),
        ("package.json", false),
        ("assembly.json.bak", false),
        ("a/my-interfere-baseline.json", false),
        ("object", false),
        ("stl/readme.md", false),
    ] {
        let mut grep = Command::new("bash");
        grep.args(["-c", "printf '%s\\n' \"$1\" | grep -qiE -e \"$2\"", "bash", name, pattern]);
        assert_eq!(finish(grep).code == 0, fires, "{name}");
    }
    // A copy of the sources: the hook keeps the program beside them.
    let scratch = Scratch::new();
    for file in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        scratch.write(&format!("hook/{file}"), read(file));
    }
    for folder in [".ci", "src", "docs"] {
        copy(&root().join(folder), &scratch.path().join("hook").join(folder));
    }
    let host = Host::new(scratch.path(), &root());
    host.program(
        "cargo",
        "[[ $* == *--locked* ]] && touch \"$(dirname \"$0\")/locked-$RANDOM\"; while [[ $1 != --root ]]; do shift; done; \
         mkdir -p \"$2/bin\"; cp \"$PROGRAM\" \"$2/bin/\"",
    );
    let mut paths = vec![host.programs.clone()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let entry = scratch.path().join("hook").join(hook.text("entry").expect("an entry"));
    for _ in 0..2 {
        let mut command = Command::new("bash");
        command.arg(&entry).args(["fixtures/cases/pivot/assembly.json", "--fail-on", "any"]).current_dir(root());
        command
            .env("PATH", std::env::join_paths(&paths).expect("a path"))
            .env("PROGRAM", env!("CARGO_BIN_EXE_interfere"));
        let ran = finish(command);
        assert!(ran.code == 1 && ran.stdout.contains("FAIL: 1 pair fails"), "{ran:?}");
    }
    let built = fs::read_dir(&host.programs).expect("a folder");
    let built = built.filter(|e| e.as_ref().expect("an entry").file_name().to_string_lossy().starts_with("locked-"));
    assert_eq!(built.count(), 1, "the first run builds, with locked dependencies");
}
