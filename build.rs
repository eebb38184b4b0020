//! Hashes the sources of all results into the program. A build accepts cached results only from a build of the same
//! sources.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders that decide the results for a part or a pair, and the versions of their dependencies.
const SOURCES: [&str; 8] =
    ["src/geom", "src/mesh", "src/shape", "src/broad", "src/query", "src/measure", "src/check", "Cargo.lock"];

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
