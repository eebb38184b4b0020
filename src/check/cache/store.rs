//! Stores results of earlier runs in a folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// Keeps entries by name. The reader verifies every entry: a store may lose, confuse or damage entries at the cost of
/// time, never of correctness.
pub trait Store: std::fmt::Debug + Send + Sync {
    /// Reads an entry; `None` if it is missing or unreadable. A name is a word, a slash and 64 hexadecimal digits.
    fn read(&self, name: &str) -> Option<Vec<u8>>;

    /// Writes an entry, replacing an older one of the same name.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()>;
}

/// A shared store for [`Options`](crate::check::Options); two are equal if they share the same store.
#[derive(Debug, Clone)]
pub struct Cache(Arc<dyn Store>);

impl Cache {
    /// Wraps a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.0
    }
}

impl PartialEq for Cache {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Content of the tag file: marks the folder as a cache of this program (equal in all versions), so that backups skip
/// it (<https://bford.info/cachedir/>).
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # Results of `interfere check`, kept for the next run. The folder may be deleted at any time.\n";

/// Kinds of entries, the first word of a name.
pub const KINDS: [&str; 4] = ["parts", "shapes", "pairs", "sweeps"];

/// Folder of imports by other programs: a folder of files for each entry.
pub const IMPORTS: &str = "imports";

/// Largest age of an unused entry; the sweep deletes older ones.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Largest age of a temporary file; an older one belongs to a killed run.
const MAX_TEMPORARY_AGE: Duration = Duration::from_secs(24 * 3600);

/// Shortest interval between two use marks of an entry.
const MARK_AFTER: Duration = Duration::from_secs(3600);

/// A folder of entries, for several runs at once. Each entry is written to a temporary file and renamed: readers see
/// whole entries only, and the later of two writers wins.
#[derive(Debug)]
pub struct FsStore {
    folder: PathBuf,
    /// Largest size of all entries (bytes).
    limit: Option<u64>,
    /// Result of preparing the folder, after the first write.
    ready: OnceLock<Result<(), String>>,
    writes: AtomicU32,
}

impl FsStore {
    /// Uses a folder, created with the first entry.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::with_limit(folder, None)
    }

    /// Uses a folder, and limits the size of all entries together (bytes). [`FsStore::sweep`] keeps the limit.
    pub fn with_limit(folder: impl Into<PathBuf>, limit: Option<u64>) -> Self {
        Self { folder: folder.into(), limit, ready: OnceLock::new(), writes: AtomicU32::new(0) }
    }

    /// Creates the folder, for further files in it.
    ///
    /// # Errors
    /// Refuses a folder with other files; returns the error of the operating system.
    pub fn make_folder(&self) -> io::Result<()> {
        self.ready.get_or_init(|| self.prepare()).clone().map_err(io::Error::other)
    }

    /// Creates the folder. Refuses a folder with other files.
    fn prepare(&self) -> Result<(), String> {
        let say = |e: io::Error| e.to_string();
        let tag = self.folder.join("CACHEDIR.TAG");
        let is_ours = || fs::read_to_string(&tag).is_ok_and(|text| text == TAG);
        if is_ours() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(say)?;
        // Another run may be creating the folder: accept its files.
        let other = |e: fs::DirEntry| e.file_name() != ".gitignore" && !is_entry(&e.path());
        if fs::read_dir(&self.folder).map_err(say)?.flatten().any(other) && !is_ours() {
            return Err("the folder holds other files".to_owned());
        }
        fs::write(self.folder.join(".gitignore"), "*\n").map_err(say)?;
        self.replace(&tag, TAG.as_bytes()).map_err(say)
    }

    /// Writes a temporary file beside the entry and renames it.
    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        // Process ids may be equal in different containers: add the clock, and never open an existing file.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = self.writes.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!("{}-{count}-{now:x}.tmp", std::process::id()));
        let mut file = File::create_new(&beside)?;
        let written = file.write_all(content).and_then(|()| {
            drop(file);
            fs::rename(&beside, path)
        });
        if written.is_err() {
            // Ignore a failure: the sweep deletes the file by age.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// Deletes entries of parts, shapes and pairs unused for 30 days, and temporary files of killed runs. With a limit,
    /// deletes the entries with the oldest use, imports too, until the others keep it. Works only after a
    /// successful write; ignores files it cannot delete. Several runs may sweep at once: a reader takes a deleted entry
    /// for a missing one.
    pub fn sweep(&self) {
        if !matches!(self.ready.get(), Some(Ok(()))) {
            return;
        }
        let folders = KINDS.iter().filter_map(|kind| fs::read_dir(self.folder.join(kind)).ok());
        let mut kept = Vec::new();
        for entry in folders.flatten().flatten().filter(|e| is_entry(&e.path())) {
            let Ok(metadata) = entry.metadata() else { continue };
            let is_temporary = entry.path().extension().is_some();
            let max_age = if is_temporary { MAX_TEMPORARY_AGE } else { MAX_AGE };
            if is_older(&metadata, max_age) {
                let _ = fs::remove_file(entry.path());
            } else if !is_temporary {
                kept.push(Used { at: modified(&metadata), path: entry.path(), size: metadata.len(), is_folder: false });
            }
        }
        if let Some(limit) = self.limit {
            kept.extend(imports(&self.folder.join(IMPORTS)));
            evict(kept, limit);
        }
    }
}

/// An entry with its last use and its size (bytes).
struct Used {
    at: SystemTime,
    path: PathBuf,
    size: u64,
    is_folder: bool,
}

/// Deletes the entries with the oldest use until the others have at most `limit` bytes.
fn evict(mut entries: Vec<Used>, limit: u64) {
    let mut size: u64 = entries.iter().map(|e| e.size).sum();
    entries.sort_by(|x, y| (x.at, &x.path).cmp(&(y.at, &y.path)));
    for entry in entries {
        if size <= limit {
            return;
        }
        let _ = if entry.is_folder { fs::remove_dir_all(&entry.path) } else { fs::remove_file(&entry.path) };
        size -= entry.size;
    }
}

/// Imports in a folder; the newest file of each tells its last use.
fn imports(folder: &Path) -> Vec<Used> {
    let import = |path: PathBuf| {
        let (mut at, mut size) = (SystemTime::UNIX_EPOCH, 0);
        let mut folders = vec![path.clone()];
        while let Some(entries) = folders.pop().map(fs::read_dir) {
            for entry in entries.ok()?.flatten() {
                let metadata = entry.metadata().ok()?;
                if metadata.is_dir() {
                    folders.push(entry.path());
                } else {
                    (at, size) = (at.max(modified(&metadata)), size + metadata.len());
                }
            }
        }
        Some(Used { at, path, size, is_folder: true })
    };
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| is_entry(path) && path.is_dir()).filter_map(import).collect()
}

/// Marks an entry as used now, if its last mark is old. Ignores a failure: an unmarked entry is computed again after
/// the sweep.
pub(crate) fn mark(path: &Path) {
    if fs::metadata(path).is_ok_and(|m| is_older(&m, MARK_AFTER)) {
        let _ = File::options().append(true).open(path).and_then(|f| f.set_modified(SystemTime::now()));
    }
}

impl Store for FsStore {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let content = fs::read(&path).ok()?;
        mark(&path);
        Some(content)
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", self.folder.display()));
        self.make_folder().map_err(named)?;
        self.replace(&self.folder.join(name), content)
    }
}

/// Time of the last change, which tells the last use; the epoch if it is unknown.
fn modified(metadata: &fs::Metadata) -> SystemTime {
    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn is_older(metadata: &fs::Metadata, than: Duration) -> bool {
    metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > than))
}

/// Returns true if the file name has the form of this store's names.
fn is_entry(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_hexdigit());
    match name.strip_suffix(".tmp") {
        Some(stem) => stem.splitn(3, '-').filter(|s| digits(s)).count() == 3,
        None => name.len() == 64 && digits(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_deletes_only_its_own_names() {
        let hash = "0123456789abcdef".repeat(4);
        for (name, own) in [
            (hash.as_str(), true),
            ("4711-0-17b3c8d2a9e4f001.tmp", true),
            ("CACHEDIR.TAG", false),
            ("plate.stl", false),
            ("a-b.tmp", false),
            ("notes.tmp", false),
            (&hash[1..], false),
        ] {
            assert_eq!(is_entry(Path::new("cache/parts").join(name).as_path()), own, "{name}");
        }
    }
}
