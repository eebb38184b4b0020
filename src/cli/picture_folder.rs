//! Writes pictures to a folder that holds pictures alone, and deletes those of earlier runs.

use crate::cli::baseline_flags::slashes;
use crate::cli::exit::Failure;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PictureFolder(PathBuf);

impl PictureFolder {
    /// Takes a missing folder, or one with pictures alone.
    ///
    /// # Errors
    /// Refuses a path that is no folder, and a folder with any other file.
    pub(crate) fn new(path: &Path) -> Result<Self, Error> {
        let folder = Self(path.to_owned());
        folder.names().map(|_| folder)
    }

    /// Path as given.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Path as given, with `/` as separator and at the end.
    pub(crate) fn prefix(&self) -> String {
        let path = slashes(&self.0);
        if path.ends_with('/') { path } else { format!("{path}/") }
    }

    /// Refuses an output inside the folder: the next run would refuse the folder.
    ///
    /// # Errors
    /// Returns the refusal.
    pub(crate) fn spare(&self, output: &Path) -> Result<(), Error> {
        let parent = output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let same = match (parent.canonicalize(), self.0.canonicalize()) {
            (Ok(parent), Ok(folder)) => parent.starts_with(folder),
            _ => parent == self.0,
        };
        if same {
            let what = "the file lies in the folder of the pictures".to_owned();
            return Err(Error::one(Location::file(slashes(output)), what, "name a file outside of it"));
        }
        Ok(())
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub(crate) fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.0).map_err(|source| failure(&self.0, source))
    }

    /// Writes a picture.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        Target::File(self.0.join(name)).write(&mut io::sink(), |out| out.write_all(bytes))
    }

    /// Deletes every picture without a name in `kept`.
    ///
    /// # Errors
    /// Refuses a folder with any other file, and returns the error of the system.
    pub(crate) fn sweep<'a>(&self, kept: impl IntoIterator<Item = &'a String>) -> Result<(), Failure> {
        let kept: BTreeSet<&String> = kept.into_iter().collect();
        for name in self.names()?.iter().filter(|name| !kept.contains(name)) {
            let path = self.0.join(name);
            fs::remove_file(&path).map_err(|source| failure(&path, source))?;
        }
        Ok(())
    }

    /// Names of the pictures in the folder.
    fn names(&self) -> Result<Vec<String>, Error> {
        let refuse = |what: String, fix: &str| Err(Error::one(Location::file(slashes(&self.0)), what, fix));
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return refuse(format!("cannot read the folder: {e}"), "name a folder for the pictures"),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => return refuse(format!("cannot read the folder: {e}"), "name another folder"),
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_picture(&name) || entry.path().is_dir() {
                let what = format!("the folder holds `{name}`, and pictures need a folder of their own");
                return refuse(what, "name an empty or missing folder, or the folder of an earlier run");
            }
            names.push(name);
        }
        names.sort_unstable();
        Ok(names)
    }
}

fn failure(path: &Path, source: io::Error) -> Failure {
    Failure::Output { file: path.display().to_string(), source }
}

/// Name of a pair's picture. With several assemblies in a run, a hash of the assembly's path comes first: their pairs
/// may have equal ids. A hash of the name of a pose or sweep comes last.
pub(crate) fn picture_name(pair_id: &str, run: Option<&str>, assembly: Option<&str>) -> String {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..12].to_owned();
    let words = assembly.map(hash).into_iter().chain([pair_id.to_owned()]).chain(run.map(hash));
    words.collect::<Vec<_>>().join("-") + ".png"
}

/// Returns true for a name of [`picture_name`], and for the temporary file of an interrupted run.
fn is_picture(name: &str) -> bool {
    let whole = name.strip_prefix('.').and_then(|rest| {
        let (name, process) = rest.strip_suffix(".tmp")?.rsplit_once('.')?;
        process.bytes().all(|b| b.is_ascii_digit()).then_some(name)
    });
    let Some(stem) = whole.unwrap_or(name).strip_suffix(".png") else { return false };
    let is_id = |t: &str| t.len() == 12 && t.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    stem.split('-').count() <= 3 && stem.split('-').all(is_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pictures_are_known() {
        let id = "0123456789ab";
        let (of_run, of_both) =
            (picture_name(id, Some("open"), None), picture_name(id, Some("open"), Some("a/b.json")));
        let plain = [picture_name(id, None, None), picture_name(id, None, Some("a/b.json")), of_run, of_both];
        for name in plain.into_iter().chain([format!(".{id}.png.17.tmp")]) {
            assert!(is_picture(&name), "{name}");
        }
        for name in ["a.png", "0123456789AB.png", "0123456789ab.jpg", "0123456789ab-.png", ".gitignore", ".x.png.1.tmp"]
        {
            assert!(!is_picture(name), "{name}");
        }
        assert_ne!(picture_name(id, None, Some("a.json")), picture_name(id, None, Some("b.json")));
        assert_ne!(picture_name(id, Some("open"), None), picture_name(id, Some("closed"), None));
    }
}
