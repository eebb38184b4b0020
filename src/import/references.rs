//! Files that a file names: found and read under the rules for files of an assembly.

use crate::assembly::file::paths::{VersionedTree, read, shown};
use crate::error::{Location, Problem};
use crate::import::refusal::{Refusal, problem};
use crate::io::Loader;
use crate::json::wording::quoted;
use std::path::{Path, PathBuf};

/// Finds and reads the files that one file names.
pub(crate) struct References<'l> {
    tree: VersionedTree,
    loader: &'l dyn Loader,
    file: String,
}

/// Largest number of folders to search for packages.
const MAX_FOLDERS: usize = 20_000;

/// Largest depth of a package below a folder of packages.
const MAX_DEPTH: usize = 6;

impl<'l> References<'l> {
    pub(crate) fn new(tree: VersionedTree, loader: &'l dyn Loader, file: &str) -> Self {
        Self { tree, loader, file: file.to_owned() }
    }

    /// Folder of the file.
    pub(crate) fn folder(&self) -> &Path {
        &self.tree.root_folder
    }

    /// Name of the file without its ending.
    pub(crate) fn stem(&self) -> String {
        self.tree.root_file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Folders from the one of the file up to the root of the version-controlled tree.
    pub(crate) fn folders_above(&self) -> Vec<PathBuf> {
        let inside = |folder: &&Path| self.tree.contains(folder);
        self.folder().ancestors().take_while(inside).map(Path::to_owned).collect()
    }

    /// Finds a file by its path relative to `folder`.
    ///
    /// # Errors
    /// Returns the problem of a missing file, of a file outside the tree, and of an address that no design may use.
    pub(crate) fn find(&self, folder: &Path, written: &str) -> Result<PathBuf, Problem> {
        if let Some(what) = foreign(written) {
            return Err(
                self.missing(format!("{} is {what}", quoted(written)), "name a file beside this one".to_owned())
            );
        }
        self.tree.find(folder, written, self.loader).map_err(|(what, fix)| self.missing(what, fix))
    }

    /// Finds a file below a folder that the user named with the flag `flag`: it may lie outside the tree.
    pub(crate) fn find_below(&self, folder: &Path, written: &str, flag: &str) -> Result<PathBuf, Problem> {
        let allowed = self.loader.canonical(folder).ok();
        let found = self.loader.canonical(&folder.join(written)).ok();
        match (allowed, found) {
            (Some(allowed), Some(found)) if found.starts_with(&allowed) => Ok(found),
            (Some(_), Some(_)) => {
                Err(self.missing(format!("{} lies outside its package", quoted(written)), "move it there".to_owned()))
            }
            _ => {
                let what = format!("{}: cannot read the file: no such file", quoted(&shown(&folder.join(written))));
                Err(self.missing(what, format!("correct {flag}")))
            }
        }
    }

    /// Reads a file that [`Self::find`] returned; returns its path for messages, too.
    pub(crate) fn read(&self, path: &Path) -> Result<(Vec<u8>, String), Problem> {
        let bytes = read(path, self.loader);
        let bytes = bytes.map_err(|(what, fix)| self.missing(format!("{}: {what}", quoted(&shown(path))), fix))?;
        Ok((bytes, self.shown(path)))
    }

    /// Path of a found file for messages.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.tree.relative(path)
    }

    /// Problem of a reference.
    pub(crate) fn missing(&self, what: String, fix: String) -> Problem {
        problem(Location::file(&self.file), Refusal::ReferenceMissing, what, fix)
    }

    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.loader.exists(path)
    }

    /// Names in a folder, sorted.
    pub(crate) fn names(&self, folder: &Path) -> Vec<String> {
        let mut names = self.loader.names(folder);
        names.sort_unstable();
        names
    }

    /// Folders below `folder` that hold a file of this name, by path. Skips hidden folders.
    pub(crate) fn folders_with(&self, folder: &Path, name: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut waiting = vec![(folder.to_owned(), 0)];
        let mut visited = 0;
        while let Some((next, depth)) = waiting.pop() {
            visited += 1;
            if visited > MAX_FOLDERS {
                break;
            }
            let names = self.names(&next);
            if names.iter().any(|n| n == name) {
                found.push(next);
                continue;
            }
            if depth < MAX_DEPTH {
                // A name with a full stop is rarely a folder; a listing of a file is empty in any case.
                let folders = names.iter().rev().filter(|n| !n.contains('.'));
                waiting.extend(folders.map(|n| (next.join(n), depth + 1)));
            }
        }
        found
    }
}

/// Kind of a reference that no file of a design may use, for the message; `None` for a relative path.
pub(crate) fn foreign(written: &str) -> Option<&'static str> {
    let lower = written.to_ascii_lowercase();
    let drive = written.as_bytes().get(1) == Some(&b':') && written.as_bytes()[0].is_ascii_alphabetic();
    if lower.starts_with("http:") || lower.starts_with("https:") || lower.starts_with("ftp:") {
        Some("an address of the network")
    } else if lower.starts_with("file:") {
        Some("a `file:` address")
    } else if written.starts_with("//") || written.starts_with("\\\\") {
        Some("a path of another machine")
    } else if drive {
        Some("a path with a drive")
    } else {
        None
    }
}

/// Decodes `%20` and the like; keeps other text.
pub(crate) fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| uri.get(at + 1..at + 3)).flatten();
        if let Some(byte) = code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded_and_foreign_ones_known() {
        assert_eq!(decoded("my%20part%2B%zz.bin"), "my part+%zz.bin");
        assert_eq!(decoded("ä%C3%A4%"), "ää%");
        for (text, is_foreign) in [
            ("a/b.stl", false),
            ("HTTP://x/y", true),
            ("file:///etc/passwd", true),
            ("\\\\server\\x", true),
            ("C:\\x", true),
            ("//server/x", true),
            ("../x", false),
        ] {
            assert_eq!(foreign(text).is_some(), is_foreign, "{text}");
        }
    }
}
