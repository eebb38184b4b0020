//! Resolves the paths in an assembly file, refuses files outside the allowed tree, and names files for messages.

use crate::error::{Error, Location};
use crate::io::Loader;
use crate::json::wording::{nearest, quoted};
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

/// Folders that mark the root of a version-controlled tree.
const VCS_FOLDERS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// Largest number of symbolic links followed in one path; operating systems refuse more.
const MAX_LINKS: usize = 40;

/// Location of the root assembly, and the tree of allowed files.
pub(crate) struct VersionedTree {
    /// Root assembly file, symbolic links resolved.
    pub root_file: PathBuf,
    /// Folder of the root assembly file.
    pub root_folder: PathBuf,
    /// The same folder as the user would name it; `None` if a symbolic link leads elsewhere.
    shown_folder: Option<PathBuf>,
    /// Files must lie below this folder; `None` allows all files.
    boundary: Option<PathBuf>,
}

/// Problem with a path, and its fix.
pub(crate) type BadPath = (String, String);

impl VersionedTree {
    /// Resolves the root assembly and finds the root of its version-controlled tree.
    pub fn new(path: &Path, loader: &dyn Loader, allow_outside: bool) -> Result<Self, Error> {
        let bad = |(what, fix): BadPath| Error::one(Location::file(shown(path)), what, fix);
        let unreadable = |e: io::Error| bad(unreadable(&e, "check the path of the assembly file"));
        let resolved = loader.canonical(path).map_err(unreadable)?;
        let root_file = loader.assembly_file(resolved).map_err(|e| problems_in(e).unwrap_or_else(unreadable))?;
        let given_folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let named_folder = loader.canonical(given_folder).map_err(unreadable)?;
        let root_folder = root_file.parent().unwrap_or(&named_folder).to_path_buf();
        let shown_folder = (root_folder == named_folder).then(|| path.parent().unwrap_or(path).to_path_buf());
        let boundary = (!allow_outside).then(|| {
            let holds_mark = |folder: &&Path| VCS_FOLDERS.iter().any(|mark| loader.exists(&folder.join(mark)));
            named_folder.ancestors().find(holds_mark).unwrap_or(&named_folder).to_path_buf()
        });
        let tree = Self { root_file, root_folder, shown_folder, boundary };
        if !tree.contains(&tree.root_file) {
            return Err(bad(tree.outside(&shown(path))));
        }
        Ok(tree)
    }

    /// Resolves the path `written` in a file of `folder`, symbolic links included. The file exists and lies in the
    /// allowed tree. A path out of the tree is refused before the loader is asked for anything outside, so the error
    /// does not tell if the file exists.
    pub fn find(&self, folder: &Path, written: &str, loader: &dyn Loader) -> Result<PathBuf, BadPath> {
        if written.is_empty() {
            return Err(("an empty path".to_owned(), "write the path of a file, relative to this one".to_owned()));
        }
        if self.boundary.as_ref().is_some_and(|boundary| !stays_inside(boundary, folder, written, loader)) {
            return Err(self.outside(written));
        }
        let found = loader.canonical(&folder.join(written)).map_err(|e| {
            if let Some(similar) = similar_path(folder, written, loader).filter(|_| e.kind() == io::ErrorKind::NotFound)
            {
                let what = format!("{}: cannot read the file: no such file", quoted(written));
                return (what, format!("did you mean {}?", quoted(&similar)));
            }
            let fix = if written.contains('\\') && std::path::MAIN_SEPARATOR == '/' {
                "separate folders by `/`"
            } else {
                "paths are relative to the file that names them"
            };
            let (why, fix) = unreadable(&e, fix);
            (format!("{}: {why}", quoted(written)), fix)
        })?;
        if self.contains(&found) { Ok(found) } else { Err(self.outside(written)) }
    }

    /// True if a resolved path lies in the allowed tree.
    pub fn contains(&self, path: &Path) -> bool {
        self.boundary.as_ref().is_none_or(|boundary| path.starts_with(boundary))
    }

    /// Problem of a path out of the tree, `named` as the user wrote it.
    fn outside(&self, named: &str) -> BadPath {
        let boundary = self.boundary.as_deref().unwrap_or(Path::new(""));
        let what = format!("{} lies outside {}", quoted(named), quoted(&shown(boundary)));
        (what, "move it there, or run with --allow-outside".to_owned())
    }

    /// Formats a resolved path relative to the root assembly's folder, with `/`.
    pub fn relative(&self, file: &Path) -> String {
        relative_to(&self.root_folder, file)
    }

    /// Formats a mesh path for reports: relative to the root assembly's folder and as written. Keeps symbolic links,
    /// since names of their targets may be meaningless.
    pub fn mesh_shown(&self, folder: &Path, written: &str) -> String {
        relative_to(&self.root_folder, &without_dots(&folder.join(written)))
    }

    /// Formats a resolved path as the user would name it, on one line for every file name.
    pub fn as_named(&self, file: &Path) -> String {
        let named = match &self.shown_folder {
            Some(folder) => shown(&without_dots(&folder.join(self.relative(file)))),
            None => shown(file),
        };
        crate::json::wording::one_line_of(&named, usize::MAX)
    }
}

/// Follows a path name by name and link by link. Returns true if it stays below `boundary`; asks the loader for links
/// below `boundary` only. `folder` and `boundary` are resolved.
fn stays_inside(boundary: &Path, folder: &Path, written: &str, loader: &dyn Loader) -> bool {
    let mut at = folder.to_path_buf();
    let names = |path: &Path| path.components().rev().map(|c| PathBuf::from(c.as_os_str())).collect::<Vec<_>>();
    let mut open = names(Path::new(written));
    let mut links = 0;
    while let Some(name) = open.pop() {
        match name.components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => drop(at.pop()),
            Some(Component::Prefix(_)) => at = on_disk_of(boundary, &name),
            Some(Component::RootDir) => at.push(&name),
            Some(Component::Normal(_)) => {
                at.push(&name);
                if at.starts_with(boundary) {
                    let Ok(target) = loader.link(&at) else { continue };
                    links += 1;
                    if links > MAX_LINKS {
                        // A circle of links: the error of the loader says so.
                        return true;
                    }
                    at.pop();
                    open.extend(names(&target));
                } else if !boundary.starts_with(&at) {
                    return false;
                }
            }
        }
    }
    at.starts_with(boundary)
}

/// Prefix of a path on Windows, spelt as in `boundary` if both are the same disk: a resolved path has another spelling.
fn on_disk_of(boundary: &Path, prefix: &Path) -> PathBuf {
    let disk = |path: &Path| match path.components().next() {
        Some(Component::Prefix(p)) => match p.kind() {
            Prefix::Disk(disk) | Prefix::VerbatimDisk(disk) => Some(disk.to_ascii_uppercase()),
            _ => None,
        },
        _ => None,
    };
    let same = disk(prefix).is_some() && disk(prefix) == disk(boundary);
    let own = boundary.components().next().filter(|_| same);
    own.map_or_else(|| prefix.to_path_buf(), |own| PathBuf::from(own.as_os_str()))
}

/// Largest number of names of a folder that take part in a search for a similar name.
const MAX_NAMES: usize = 10_000;

/// Path of an existing file with a similar name: each folder and file is spelt as written, in another case, or at last
/// with the nearest name.
fn similar_path(folder: &Path, written: &str, loader: &dyn Loader) -> Option<String> {
    let mut out = PathBuf::new();
    for component in Path::new(written).components() {
        let next = out.join(component);
        if !matches!(component, Component::Normal(_)) || loader.exists(&folder.join(&next)) {
            out = next;
            continue;
        }
        let name = component.as_os_str().to_str()?;
        let mut names = loader.names(&folder.join(&out));
        names.truncate(MAX_NAMES);
        // The order of a folder listing varies.
        names.sort_unstable();
        let same = |other: &&String| other.to_lowercase() == name.to_lowercase();
        let found = names.iter().find(same).map(String::as_str);
        out.push(found.or_else(|| nearest(name, names.iter().map(String::as_str)))?);
    }
    loader.exists(&folder.join(&out)).then(|| shown(&out))
}

/// Problems that a loader puts into an error of the operating system.
///
/// # Errors
/// Returns the error without problems.
pub(crate) fn problems_in(e: io::Error) -> Result<Error, io::Error> {
    e.downcast::<Error>()
}

/// Formats a path with `/`.
pub(crate) fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() }
}

/// Words an error of the operating system, without its number: numbers differ between systems.
fn unreadable(e: &io::Error, fix: &str) -> BadPath {
    let why = match e.kind() {
        io::ErrorKind::IsADirectory => return ("it is a folder".to_owned(), "name a file in it".to_owned()),
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => crate::json::wording::one_line(&e.to_string()),
    };
    (format!("cannot read the file: {why}"), fix.to_owned())
}

/// Reads a resolved file.
pub(crate) fn read(file: &Path, loader: &dyn Loader) -> Result<Vec<u8>, BadPath> {
    loader.read(file).map_err(|e| unreadable(&e, "check that the path is a readable file"))
}

/// Path of `file` relative to `folder`, both absolute; with `..` for a file outside the folder.
fn relative_to(folder: &Path, file: &Path) -> String {
    let (mut from, mut to) = (folder.components().peekable(), file.components().peekable());
    let mut common = 0;
    while let (Some(a), Some(b)) = (from.peek(), to.peek()) {
        if a != b {
            break;
        }
        from.next();
        to.next();
        common += 1;
    }
    if common == 0 {
        return shown(file);
    }
    let up = from.map(|_| "..".to_owned());
    let down = to.map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Removes `.` and `a/..` from a path, by name alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_go_up_and_down() {
        let of = |folder: &str, file: &str| relative_to(Path::new(folder), Path::new(file));
        assert_eq!(of("/a/b", "/a/b/c/d.json"), "c/d.json");
        assert_eq!(of("/a/b", "/a/x/d.json"), "../x/d.json");
        assert_eq!(of("/", "/d.json"), "d.json");
        assert_eq!(shown(&without_dots(Path::new("a/./b/../../../c"))), "../c");
    }
}
