//! Where results of earlier runs are kept.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// Keeps entries by name. What it gives back is checked before anything is taken from it, so it may lose entries, mix them up or
/// damage them: that costs time and changes no result.
pub trait Store: std::fmt::Debug + Send + Sync {
    /// The entry of that name; `None` where there is none, or where it cannot be read. A name is a word, a slash and 64 hexadecimal
    /// digits.
    fn read(&self, name: &str) -> Option<Vec<u8>>;

    /// Puts an entry in place of what is there under its name, if anything is.
    ///
    /// # Errors
    /// As the operating system says.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()>;
}

/// A store as [`Options`](crate::check::Options) hand it on; two are equal if they are one.
#[derive(Debug, Clone)]
pub struct Cache(Arc<dyn Store>);

impl Cache {
    /// Keeps results in a store.
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

/// Marks a folder as this program's, the same in every version, and as one whose content can be made again, so that backups leave it out (<https://bford.info/cachedir/>).
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # Results of `interfere check`, kept for the next run. The folder may be deleted at any time.\n";

/// The words that names begin with.
pub const KINDS: [&str; 3] = ["parts", "shapes", "pairs"];

/// Entries that no run has used for this long are deleted.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// An entry in use is marked as used no more often than this.
const MARK_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A folder. Several runs may use it at once: entries are written under other names and renamed, so that none is ever seen half
/// written, and of two that write one entry the later wins.
#[derive(Debug)]
pub struct FsStore {
    folder: PathBuf,
    /// Whether the folder is there and may be written to, once that was asked.
    ready: OnceLock<Result<(), String>>,
    writes: AtomicU32,
}

impl FsStore {
    /// In a folder, which is made with the first entry.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ready: OnceLock::new(), writes: AtomicU32::new(0) }
    }

    /// Makes the folder. One that is there and has other things in it is left alone.
    fn prepare(&self) -> Result<(), String> {
        let say = |e: io::Error| e.to_string();
        let tag = self.folder.join("CACHEDIR.TAG");
        let is_ours = || fs::read_to_string(&tag).is_ok_and(|text| text == TAG);
        if is_ours() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(say)?;
        // Another run may be about to make it.
        let other = |e: fs::DirEntry| e.file_name() != ".gitignore" && !is_entry(&e.path());
        if fs::read_dir(&self.folder).map_err(say)?.flatten().any(other) && !is_ours() {
            return Err("the folder has other files in it; name one that is empty or does not exist".to_owned());
        }
        fs::write(self.folder.join(".gitignore"), "*\n").map_err(say)?;
        self.replace(&tag, TAG.as_bytes()).map_err(say)
    }

    /// Writes beside the entry and renames.
    fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        // Of processes in different containers the ids may be equal: the clock tells these apart, and nobody's file is opened.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = self.writes.fetch_add(1, Ordering::Relaxed);
        let beside = folder.join(format!("{}-{count}-{now:x}.tmp", std::process::id()));
        let mut file = File::create_new(&beside)?;
        let written = file.write_all(content).and_then(|()| {
            drop(file);
            fs::rename(&beside, path)
        });
        if written.is_err() {
            // A leftover is deleted by age.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// Deletes entries that were not used for 30 days: older versions' and those of parts and poses that are gone. Only where
    /// entries were written, and what cannot be deleted stays.
    pub fn sweep(&self) {
        if !matches!(self.ready.get(), Some(Ok(()))) {
            return;
        }
        let folders = KINDS.iter().filter_map(|kind| fs::read_dir(self.folder.join(kind)).ok());
        for entry in folders.flatten().flatten() {
            if is_entry(&entry.path()) && entry.metadata().is_ok_and(|m| is_older(&m, MAX_AGE)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Store for FsStore {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let content = fs::read(&path).ok()?;
        if fs::metadata(&path).is_ok_and(|m| is_older(&m, MARK_AFTER)) {
            // Where that is not allowed, the entry is made again some day.
            let _ = File::options().append(true).open(&path).and_then(|f| f.set_modified(SystemTime::now()));
        }
        Some(content)
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.ready.get_or_init(|| self.prepare()).as_ref().map_err(|why| io::Error::other(why.clone()))?;
        self.replace(&self.folder.join(name), content)
    }
}

fn is_older(metadata: &fs::Metadata, than: Duration) -> bool {
    metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > than))
}

/// Whether a file has a name that only this store gives.
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
    fn only_names_that_the_store_gives_are_ever_deleted() {
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
