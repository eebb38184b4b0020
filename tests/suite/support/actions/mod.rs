//! Runs jobs as GitHub would: steps of workflows and of this project's action, with caches between runs.

pub mod expression;
pub mod yaml;

use crate::support::command::finish;
use expression::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use yaml::Yaml;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns true if the scripts can run here; else reports the test as skipped. On Windows, `bash` may start another
/// system.
pub fn has_bash() -> bool {
    let found = !cfg!(windows) && Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        crate::support::skipped("needs bash on Linux or macOS");
    }
    found
}

/// Copies a folder with everything below it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// The host: caches between runs, and values of the event.
pub struct Host {
    /// Folder of the host's own state, and of each job.
    pub folder: PathBuf,
    /// Checkout in which the jobs run.
    pub workspace: PathBuf,
    /// Values of `github.…`.
    pub event: BTreeMap<String, String>,
    /// Folders that `actions/checkout` copies to a `path` of the workspace.
    pub checkouts: BTreeMap<String, PathBuf>,
    /// Programs that replace those of the system: a folder in front of PATH.
    pub programs: PathBuf,
    /// Saved caches: key and folder, oldest first.
    caches: Vec<(String, PathBuf)>,
}

/// One run of a job.
#[derive(Debug, Default)]
pub struct Job {
    /// Streams of all steps, in order.
    pub log: String,
    /// Summary of the job.
    pub summary: String,
    /// Outputs, `STEP.NAME`; those of the action's own steps are `STEP/OWN.NAME`.
    pub outputs: BTreeMap<String, String>,
    /// Names of the failed steps.
    pub failed: Vec<String>,
    /// Other actions that ran, with their inputs.
    pub used: Vec<(String, BTreeMap<String, String>)>,
    /// Folder of the runner for this job.
    pub temp: PathBuf,
    path: Vec<String>,
}

impl Host {
    pub fn new(folder: &Path, workspace: &Path) -> Self {
        let programs = folder.join("programs");
        fs::create_dir_all(&programs).expect("a folder");
        let [folder, workspace] = [folder, workspace].map(Path::to_owned);
        let (event, checkouts) = (BTreeMap::new(), BTreeMap::new());
        Self { folder, workspace, event, checkouts, programs, caches: Vec::new() }
    }

    /// Installs a bash script in front of the programs of the system.
    pub fn program(&self, name: &str, script: &str) {
        let path = self.programs.join(name);
        fs::write(&path, format!("#!/usr/bin/env bash\nset -euo pipefail\n{script}\n")).expect("a script");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }

    /// Runs the steps of a job on a fresh runner. The folder of the runner keeps its place: it is part of a cache's
    /// name.
    pub fn job(&mut self, steps: &[Yaml]) -> Job {
        let temp = self.folder.join("temp");
        let _ = fs::remove_dir_all(&temp);
        fs::create_dir_all(&temp).expect("a folder");
        let mut job = Job { temp, ..Job::default() };
        self.steps(steps, "", &BTreeMap::new(), &mut job);
        job
    }

    /// Runs the action as the only step of a job.
    pub fn action(&mut self, inputs: &[(&str, &str)]) -> Job {
        let with = inputs.iter().map(|(k, v)| ((*k).to_owned(), Yaml::Text((*v).to_owned()))).collect();
        let step = [("id", Yaml::Text("gate".into())), ("uses", Yaml::Text("./".into())), ("with", Yaml::Map(with))];
        self.job(&[Yaml::Map(step.map(|(k, v)| (k.to_owned(), v)).to_vec())])
    }

    fn steps(&mut self, steps: &[Yaml], prefix: &str, inputs: &BTreeMap<String, String>, job: &mut Job) -> bool {
        let before = job.failed.len();
        for step in steps {
            let id = step.text("id").or(step.text("name")).or(step.text("uses")).unwrap_or("run");
            let id = format!("{prefix}{id}");
            let event = self.event.clone();
            let temp = job.temp.display().to_string();
            let outputs = job.outputs.clone();
            let lookup = |name: &str| -> String {
                let found = match name.split_once('.') {
                    Some(("inputs", input)) => inputs.get(input),
                    Some(("github", rest)) => event.get(rest),
                    Some(("steps", rest)) => outputs.get(&(prefix.to_owned() + &rest.replacen(".outputs.", ".", 1))),
                    _ if name == "runner.temp" => Some(&temp),
                    _ => panic!("unknown name {name}"),
                };
                found.cloned().unwrap_or_default()
            };
            let workspace = self.workspace.clone();
            let context = Context { lookup: &lookup, success: job.failed.len() == before, workspace: &workspace };
            if !context.condition(step.text("if")) {
                continue;
            }
            let values = |key: &str| -> BTreeMap<String, String> {
                let entries = step.get(key).map_or(&[][..], Yaml::entries);
                let filled = |value: &Yaml| match value {
                    Yaml::Text(text) => context.filled(text),
                    other => panic!("{key}: {other:?}"),
                };
                entries.iter().map(|(k, value)| (k.clone(), filled(value))).collect()
            };
            let passed = match (step.text("run"), step.text("uses")) {
                (Some(script), None) => self.script(&context.filled(script), values("env"), &id, job),
                (None, Some(action)) => self.uses(action, values("with"), &id, job),
                _ => panic!("{id}: neither run nor uses"),
            };
            if !passed && step.text("continue-on-error") != Some("true") {
                job.failed.push(id);
            }
        }
        job.failed.len() == before
    }

    /// Runs a script as `shell: bash` does.
    fn script(&self, script: &str, env: BTreeMap<String, String>, id: &str, job: &mut Job) -> bool {
        let files = ["script", "outputs", "summary", "path"].map(|name| job.temp.join(format!("_{name}")));
        let [script_file, outputs, summary, path] = &files;
        for file in &files {
            fs::write(file, "").expect("a file");
        }
        fs::write(script_file, script).expect("a script");
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(script_file);
        command.current_dir(&self.workspace).stdin(Stdio::null());
        for name in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "RAYON_NUM_THREADS", "RUSTFLAGS", "ImageOS"] {
            command.env_remove(name);
        }
        let mut paths: Vec<_> = job.path.iter().map(PathBuf::from).collect();
        paths.push(self.programs.clone());
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        command
            .env("PATH", std::env::join_paths(paths).expect("a path"))
            .env("RUNNER_TEMP", &job.temp)
            .env("GITHUB_ACTION_PATH", root())
            .env("GITHUB_OUTPUT", outputs)
            .env("GITHUB_STEP_SUMMARY", summary)
            .env("GITHUB_PATH", path)
            .env("GITHUB_REPOSITORY", self.event.get("repository").map_or("", String::as_str))
            .env("PROGRAM", env!("CARGO_BIN_EXE_interfere"))
            .envs(env);
        let ran = finish(command);
        job.log.push_str(&ran.stdout);
        job.log.push_str(&ran.stderr);
        let text = |file: &Path| fs::read_to_string(file).expect("a file");
        job.summary += &text(summary);
        job.path.splice(0..0, text(path).lines().map(str::to_owned));
        for (name, value) in outputs_of(&text(outputs)) {
            job.outputs.insert(format!("{id}.{name}"), value);
        }
        ran.code == 0
    }

    fn uses(&mut self, action: &str, with: BTreeMap<String, String>, id: &str, job: &mut Job) -> bool {
        let name = action.split('@').next().expect("a name");
        let folder = with.get("path").map(PathBuf::from);
        match name {
            "actions/cache/restore" => {
                let wanted = [Some(&with["key"]), with.get("restore-keys")];
                let exact = self.caches.iter().find(|(key, _)| Some(key) == wanted[0]);
                let by_prefix = |prefix: &&String| self.caches.iter().rev().find(|(key, _)| key.starts_with(*prefix));
                let found = exact.or_else(|| wanted[1].as_ref().and_then(by_prefix));
                if let Some((key, content)) = found {
                    copy(content, &folder.expect("a path"));
                    job.outputs.insert(format!("{id}.cache-matched-key"), key.clone());
                    job.outputs.insert(format!("{id}.cache-hit"), (exact.is_some()).to_string());
                }
                true
            }
            "actions/cache/save" => {
                let key = with["key"].clone();
                if !self.caches.iter().any(|(k, _)| *k == key) {
                    let content = self.folder.join(format!("cache-{}", self.caches.len()));
                    copy(&folder.expect("a path"), &content);
                    self.caches.push((key, content));
                }
                true
            }
            "actions/checkout" => {
                if let Some(path) = with.get("path") {
                    copy(&self.checkouts[path], &self.workspace.join(path));
                }
                true
            }
            "./" | "OWNER/interfere" => self.own(with, id, job),
            _ => {
                job.used.push((name.to_owned(), with));
                true
            }
        }
    }

    /// Runs this project's action.
    fn own(&mut self, mut with: BTreeMap<String, String>, id: &str, job: &mut Job) -> bool {
        let action = Yaml::read(&fs::read_to_string(root().join("action.yml")).expect("action.yml"));
        for (input, about) in action.get("inputs").expect("inputs").entries() {
            with.entry(input.clone()).or_insert_with(|| about.text("default").expect("a default").to_owned());
        }
        let steps = action.get("runs").and_then(|runs| runs.get("steps")).expect("steps").items();
        let prefix = format!("{id}/");
        let passed = self.steps(steps, &prefix, &with, job);
        for (name, output) in action.get("outputs").expect("outputs").entries() {
            let outputs = job.outputs.clone();
            let own = |name: &str| {
                let name = name.strip_prefix("steps.").expect("a step").replacen(".outputs.", ".", 1);
                outputs.get(&(prefix.clone() + &name)).cloned().unwrap_or_default()
            };
            let context = Context { lookup: &own, success: true, workspace: &self.workspace };
            let value = context.filled(output.text("value").expect("a value"));
            job.outputs.insert(format!("{id}.{name}"), value);
        }
        passed
    }

    /// Keys of the saved caches, oldest first.
    pub fn keys(&self) -> Vec<&str> {
        self.caches.iter().map(|(key, _)| key.as_str()).collect()
    }
}

/// Outputs of a step: `NAME=VALUE`, or `NAME<<END`, lines, `END`.
fn outputs_of(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some((name, end)) = line.split_once("<<") {
            let value: Vec<&str> = lines.by_ref().take_while(|l| *l != end).collect();
            found.push((name.to_owned(), value.join("\n")));
        } else {
            let (name, value) = line.split_once('=').expect("an output");
            found.push((name.to_owned(), value.to_owned()));
        }
    }
    found
}
