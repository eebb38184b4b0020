//! Is the cache folder selected as documented, bounded in size, and valid after a killed run?

use crate::support::command::{Ran, command, finish};
use crate::support::scratch::Scratch;
use crate::support::solids::obj;
use interfere::internals::check::cache::store::{FsStore, Store};
use interfere::testkit::solids::ring;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

/// Writes a row of overlapping rings, each of its own mesh, and returns the path of the assembly.
fn rings(scratch: &Scratch, count: usize, sides: usize) -> String {
    let (mut parts, mut instances) = (Vec::new(), Vec::new());
    for k in 0..count {
        let inner = 4.0 + 0.01 * k as f64;
        let profile = [[inner, 0.0], [6.0, 0.0], [6.0, 2.0], [inner, 2.0]];
        scratch.write(&format!("parts/r{k}.obj"), obj(&ring(&profile, sides)));
        parts.push(format!(r#""r{k}": {{ "mesh": "parts/r{k}.obj" }}"#));
        let x = 5.0 * k as f64;
        instances.push(format!(r#"{{ "id": "r{k}", "part": "r{k}", "placement": {{ "translation": [{x}, 0, 0] }} }}"#));
    }
    let (parts, instances) = (parts.join(", "), instances.join(", "));
    let file = format!(r#"{{ "version": 1, "parts": {{ {parts} }}, "instances": [ {instances} ] }}"#);
    scratch.write("assembly.json", file).to_str().expect("UTF-8").to_owned()
}

fn run(file: &str, flags: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = command(&[&["check", file, "--format", "json"], flags].concat());
    command.envs(variables.iter().copied());
    finish(command)
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn variable_names_the_folder_and_flags_precede_it() {
    let scratch = Scratch::new();
    let file = rings(&scratch, 2, 12);
    let folder = |name: &str| scratch.path().join(name);
    let text = |name: &str| folder(name).to_str().expect("UTF-8").to_owned();
    let (mine, other) = (text("mine"), text("other"));
    let plain = run(&file, &[], &[]);
    for (flags, variables) in [
        (&["--no-cache"][..], &[("INTERFERE_CACHE", mine.as_str())][..]),
        (&[], &[("INTERFERE_CACHE", "off")]),
        (&[], &[("INTERFERE_CACHE", ""), ("XDG_CACHE_HOME", mine.as_str())]),
        (&[], &[("INTERFERE_CACHE", mine.as_str()), ("CI", "true")]),
    ] {
        let ran = run(&file, flags, variables);
        assert_eq!((ran.code, &ran.stdout, &ran.stderr), (plain.code, &plain.stdout, &plain.stderr));
        assert!(!folder("mine").exists(), "{flags:?} {variables:?}");
    }
    let ran = run(&file, &["--cache", &other], &[("INTERFERE_CACHE", &mine), ("CI", "true")]);
    assert_eq!((&ran.stdout, folder("mine").exists(), folder("other").exists()), (&plain.stdout, false, true));
    for _ in 0..2 {
        let ran = run(&file, &[], &[("INTERFERE_CACHE", &mine)]);
        assert_eq!((&ran.stdout, ran.stderr.as_str()), (&plain.stdout, ""));
    }
    assert_eq!((count(&folder("mine/parts")), count(&folder("mine/pairs"))), (2, 1));
    let both = run(&file, &["--cache", &other, "--no-cache"], &[]);
    assert_eq!(both.code, 2, "{both:?}");
    // A path through a file: one warning, the same report.
    let through = format!("{file}/cache");
    let ran = run(&file, &[], &[("INTERFERE_CACHE", &through)]);
    assert_eq!((ran.code, &ran.stdout), (plain.code, &plain.stdout));
    assert!(ran.stderr.lines().count() == 1 && ran.stderr.contains("use --no-cache"), "{ran:?}");
}

#[test]
fn entries_with_the_oldest_use_are_deleted_beyond_the_limit() {
    let scratch = Scratch::new();
    let folder = scratch.path().join("cache");
    let store = FsStore::with_limit(&folder, Some(1000));
    let names: Vec<String> = ["parts", "shapes", "pairs", "parts"]
        .into_iter()
        .enumerate()
        .map(|(k, kind)| format!("{kind}/{k:064x}"))
        .collect();
    let import = format!("imports/{:064x}", 9);
    for name in &names {
        store.write(name, &[7; 300]).expect("written");
    }
    scratch.write(&format!("cache/{import}/parts/plate.stl"), [7; 300]);
    let age = |name: &str, hours: u64| {
        let at = SystemTime::now() - Duration::from_secs(hours * 3600);
        let file = File::options().append(true).open(folder.join(name)).expect("an entry");
        file.set_modified(at).expect("a time");
    };
    for (k, name) in names.iter().enumerate() {
        age(name, 40 - 10 * k as u64);
    }
    age(&format!("{import}/parts/plate.stl"), 35);
    // The oldest entry is in use.
    assert_eq!(store.read(&names[0]).map(|content| content.len()), Some(300));
    store.sweep();
    let there: Vec<bool> = names.iter().chain([&import]).map(|name| folder.join(name).exists()).collect();
    assert_eq!(there, [true, false, true, true, false], "300 bytes each, 1000 in all");
    // Without a limit, only age counts.
    let store = FsStore::new(&folder);
    store.write(&names[1], &[7; 5000]).expect("written");
    store.sweep();
    assert!(names.iter().all(|name| folder.join(name).exists()));
}

#[test]
fn runs_that_evict_at_once_give_equal_reports() {
    let scratch = Scratch::new();
    let folder = scratch.path().join("cache");
    let names: Vec<String> = (0..20).map(|k| format!("shapes/{k:064x}")).collect();
    let content = |k: usize| vec![k as u8; 200 + k];
    std::thread::scope(|scope| {
        for first in 0..4 {
            let (names, folder) = (&names, &folder);
            scope.spawn(move || {
                let store = FsStore::with_limit(folder, Some(2000));
                for round in 0..40 {
                    let k = (first * 5 + round * 3) % names.len();
                    assert!(store.read(&names[k]).is_none_or(|found| found == content(k)), "no half of an entry");
                    store.write(&names[k], &content(k)).expect("written");
                    store.sweep();
                }
            });
        }
    });
    let sizes = fs::read_dir(folder.join("shapes")).expect("a folder");
    let size: u64 = sizes.flatten().map(|entry| entry.metadata().expect("a file").len()).sum();
    assert!(size <= 2000, "{size}");
}

/// Starts a run and waits until its cache has some entries, or until it ends.
fn start(file: &str, cache: &Path, entries: usize) -> Child {
    let mut command = command(&["check", file, "--cache", cache.to_str().expect("UTF-8"), "--threads", "2"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    while count(&cache.join("parts")) + count(&cache.join("shapes")) < entries
        && child.try_wait().expect("a state").is_none()
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn killed_run_leaves_a_valid_cache() {
    let scratch = Scratch::new();
    let file = rings(&scratch, 12, 100);
    let cache = scratch.path().join("cache");
    let with_cache = ["--measure", "none", "--cache", cache.to_str().expect("UTF-8")];
    let plain = run(&file, &with_cache[..2], &[]);
    let mut killed = 0;
    for entries in [1, 7, 13, 20] {
        let mut child = start(&file, &cache, entries);
        child.kill().expect("killed");
        killed += usize::from(child.wait().expect("ended").code().is_none());
        let ran = run(&file, &with_cache, &[]);
        assert_eq!((ran.code, &ran.stdout, &ran.stderr), (plain.code, &plain.stdout, &plain.stderr));
        fs::remove_dir_all(&cache).expect("a cache");
    }
    assert!(cfg!(windows) || killed > 0, "no run was killed on its way");
}

#[cfg(unix)]
#[test]
fn interrupt_ends_the_run() {
    use std::os::unix::process::ExitStatusExt;
    let scratch = Scratch::new();
    let file = rings(&scratch, 12, 100);
    let mut child = start(&file, &scratch.path().join("cache"), 1);
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let ended = child.wait().expect("ended");
    assert!(ended.signal() == Some(2) || ended.code().is_some(), "{ended:?}");
}
