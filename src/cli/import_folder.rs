//! Writes a generated folder: whole or not at all, unless it holds other files.

use crate::cli::baseline_flags::slashes;
use crate::cli::exit::Failure;
use crate::error::{Error, Location};
use crate::import::folder::IMPORT;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// Largest nesting depth of folders in a generated folder.
const MAX_DEPTH: usize = 3;

/// Path of the source for `import.json`: as given if relative, else its file name. Absolute paths differ from machine
/// to machine.
pub(crate) fn source_path(file: &Path) -> String {
    let is_relative = file.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if is_relative {
        return slashes(file.strip_prefix(".").unwrap_or(file));
    }
    file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Replaces the generated files in a folder. The new files are built in a folder beside it. Without other files, this
/// folder takes the place of the old one; else its files move there one by one, `import.json` last.
///
/// # Errors
/// Refuses a folder with files that no earlier import wrote, unless `force` is true; a failed write.
pub(crate) fn replace(folder: &Path, files: &BTreeMap<String, Vec<u8>>, force: bool) -> Result<(), Failure> {
    let failed = |source: io::Error| Failure::Output { file: slashes(folder), source };
    // Follows a link to the folder itself, so that the link stays.
    let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let others = other_files(folder)?;
    if let (Some(first), false) = (others.first(), force) {
        let what = format!("the folder holds other files, such as {}", crate::json::wording::quoted(&slashes(first)));
        let fix = "name a new folder, or add --force: it keeps them, unless the import writes a file of that name";
        return Err(Failure::Input(Error::one(Location::file(slashes(folder)), what, fix)));
    }
    let (new, old) = (beside(folder, "new"), beside(folder, "old"));
    let placed = build(&new, files)
        .and_then(|()| if others.is_empty() { swap(folder, &new, &old) } else { move_in(folder, &new, files) });
    // An error, and a move of its files, leave the new folder behind.
    let _ = fs::remove_dir_all(&new);
    placed.map_err(failed)
}

/// Files in a folder that no earlier import wrote, as relative paths, sorted.
fn other_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let at = || Location::file(slashes(folder));
    match fs::metadata(folder) {
        Err(_) => return Ok(Vec::new()),
        Ok(data) if !data.is_dir() => {
            return Err(Failure::Input(Error::one(at(), "a file, not a folder", "name another folder")));
        }
        Ok(_) => {}
    }
    let known = generated(folder);
    let mut found = Vec::new();
    walk(folder, Path::new(""), 0, &mut found)
        .map_err(|e| Error::one(at(), format!("cannot read the folder: {e}"), "check the path"))?;
    found.retain(|path| !known.contains(&slashes(path)));
    found.sort_unstable();
    Ok(found)
}

#[derive(Deserialize)]
struct Listed {
    key: Option<String>,
    files: BTreeMap<String, String>,
}

/// True if an earlier import with this key wrote the folder, and its files are untouched.
pub(crate) fn up_to_date(folder: &Path, key: &str) -> bool {
    let bytes = fs::read(folder.join(IMPORT)).unwrap_or_default();
    let Ok(listed) = serde_json::from_slice::<Listed>(&bytes) else { return false };
    let is_untouched = |(name, hash): (&String, &String)| {
        is_inside(name) && fs::read(folder.join(name)).is_ok_and(|b| blake3::hash(&b).to_hex().as_str() == hash)
    };
    listed.key.as_deref() == Some(key) && !listed.files.is_empty() && listed.files.iter().all(is_untouched)
}

/// Files of the earlier import, by its `import.json`.
fn generated(folder: &Path) -> BTreeSet<String> {
    let bytes = fs::read(folder.join(IMPORT)).unwrap_or_default();
    let Ok(Listed { files, .. }) = serde_json::from_slice(&bytes) else { return BTreeSet::new() };
    files.into_keys().chain([IMPORT.to_owned()]).collect()
}

/// Lists the files and the empty folders below a folder, as relative paths; a deep folder counts as one file.
fn walk(root: &Path, below: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let before = found.len();
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() && depth < MAX_DEPTH {
            walk(root, &path, depth + 1, found)?;
        } else {
            found.push(path);
        }
    }
    if found.len() == before && depth > 0 {
        found.push(below.to_owned());
    }
    Ok(())
}

/// Unused name of a folder beside another one.
fn beside(folder: &Path, mark: &str) -> PathBuf {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    folder.with_file_name(format!(".{name}-{mark}-{}-{now:x}", std::process::id()))
}

fn build(new: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for (path, bytes) in files {
        let path = new.join(path);
        fs::create_dir_all(path.parent().unwrap_or(new))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// Moves the new files into a folder with other files, and deletes those of the earlier import that are not among them.
fn move_in(folder: &Path, new: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let place = |name: &str| {
        let target = folder.join(name);
        fs::create_dir_all(target.parent().unwrap_or(folder))?;
        fs::rename(new.join(name), target)
    };
    let old = generated(folder);
    files.keys().filter(|name| *name != IMPORT).try_for_each(|name| place(name))?;
    for name in old.iter().filter(|name| !files.contains_key(*name) && is_inside(name)) {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    if files.contains_key(IMPORT) { place(IMPORT) } else { Ok(()) }
}

/// True for a relative path that does not leave its folder.
fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|c| matches!(c, Component::Normal(_)))
}

fn swap(folder: &Path, new: &Path, old: &Path) -> io::Result<()> {
    if fs::metadata(folder).is_err() {
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent)?;
        }
        return fs::rename(new, folder);
    }
    fs::rename(folder, old)?;
    if let Err(error) = fs::rename(new, folder) {
        fs::rename(old, folder)?;
        return Err(error);
    }
    // Ignores a failure: the new folder is in place.
    let _ = fs::remove_dir_all(old);
    Ok(())
}
