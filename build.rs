//! Puts two texts into the program: a hash of the sources of all results, since a build accepts cached results only
//! from a build of the same sources, and the version with its commit.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders that decide the results for a part or a pair, and the versions of their dependencies.
const SOURCES: [&str; 9] = [
    "src/geom",
    "src/mesh",
    "src/motion",
    "src/shape",
    "src/broad",
    "src/query",
    "src/measure",
    "src/check",
    "Cargo.lock",
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        let before = files.len();
        collect(&root.join(source), &mut files);
        // A missing folder must fail: counted as empty, it would make caches of other sources valid.
        assert!(files.len() > before, "build.rs: {source} does not exist; name its new place in SOURCES");
    }
    files.sort_unstable();
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        hash.feed(name.as_bytes());
        hash.feed(&fs::read(&file).unwrap_or_default());
    }
    println!("cargo::rustc-env=INTERFERE_SOURCES={:016x}", hash.0);
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = commit(&root).map(|commit| format!(" ({commit})")).unwrap_or_default();
    println!("cargo::rustc-env=INTERFERE_VERSION={version}{commit}");
}

/// Number of hexadecimal digits of a commit in the version: enough for a repository of any size.
const COMMIT_DIGITS: usize = 10;

/// Commit of the sources: from a package's own note, else from the clone. `None` without both.
///
/// A development build names no commit: it would compile everything again after each commit.
fn commit(root: &Path) -> Option<String> {
    if env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        return None;
    }
    let note = root.join(".cargo_vcs_info.json");
    let hash = if note.is_file() { packaged(&note) } else { checked_out(&root.join(".git")) }?;
    let known = hash.len() >= COMMIT_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit());
    known.then(|| hash[..COMMIT_DIGITS].to_owned())
}

/// Commit in the note that `cargo package` puts beside the sources.
fn packaged(note: &Path) -> Option<String> {
    watch(note);
    let text = fs::read_to_string(note).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    Some(after.split('"').nth(1)?.to_owned())
}

/// Commit of a clone or of a worktree, read from git's own files.
fn checked_out(git: &Path) -> Option<String> {
    let folder = if git.is_file() {
        let link = fs::read_to_string(git).ok()?;
        git.parent()?.join(link.strip_prefix("gitdir:")?.trim())
    } else {
        git.to_owned()
    };
    let head = folder.join("HEAD");
    let text = fs::read_to_string(&head).ok()?;
    watch(&head);
    let Some(name) = text.strip_prefix("ref:").map(str::trim) else { return Some(text.trim().to_owned()) };
    // A worktree keeps its branches in the folder of the clone.
    let shared = fs::read_to_string(folder.join("commondir")).ok();
    let shared = shared.map_or_else(|| folder.clone(), |path| folder.join(path.trim()));
    // Grows with each commit, also while the branch exists only in `packed-refs`.
    watch(&folder.join("logs/HEAD"));
    let branch = shared.join(name);
    if let Ok(hash) = fs::read_to_string(&branch) {
        watch(&branch);
        return Some(hash.trim().to_owned());
    }
    let packed = shared.join("packed-refs");
    watch(&packed);
    let text = fs::read_to_string(packed).ok()?;
    let line = text.lines().find(|line| line.split(' ').nth(1) == Some(name))?;
    line.split(' ').next().map(str::to_owned)
}

/// Runs this script again after a change of the file. A missing file would run it at each build.
fn watch(file: &Path) {
    if file.is_file() {
        println!("cargo::rerun-if-changed={}", file.display());
    }
}

/// Collects the files below a folder, or the file itself.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|e| collect(&e.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

/// FNV-1a over lengths and bytes.
struct Hash(u64);

impl Hash {
    fn feed(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
