//! Finds the assembly files that a command line names: files, folders with an `assembly.json`, and globs.

use crate::assembly::rules::glob::Glob;
use crate::cli::baseline_flags::slashes;
use crate::error::{Error, Location};
use crate::findings::baseline::FILE_NAME as BASELINE;
use crate::import::recognise::{Kind, kind_of};
use crate::io::Loader;
use crate::json::reader::is_utf16;
use crate::mesh::read::detect::described;
use crate::mesh::read::mesh_format::MeshFormat;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Name of an assembly file in its folder.
pub(crate) const FILE_NAME: &str = "assembly.json";

/// Largest nesting depth of folders below a glob. A link cannot form a cycle, since the walk follows none.
const MAX_DEPTH: usize = 64;

/// The assembly files of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AssemblyFiles {
    /// The files, each once; at least one.
    pub files: Vec<PathBuf>,
    /// True if the command line names several, or has a glob: the report then holds several assemblies.
    pub several: bool,
}

/// File of an argument: a folder means the `assembly.json` in it.
pub(crate) fn assembly_file(argument: PathBuf) -> PathBuf {
    if !argument.is_dir() {
        return argument;
    }
    let file = argument.join(FILE_NAME);
    file.strip_prefix(".").map(Path::to_owned).unwrap_or(file)
}

/// Finds the files of all arguments; without arguments, the `assembly.json` of the working folder.
///
/// # Errors
/// Refuses a glob without a matching file, and an invalid glob.
pub(crate) fn assembly_files(arguments: &[PathBuf]) -> Result<AssemblyFiles, Error> {
    if arguments.is_empty() {
        return default_file();
    }
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    let mut several = arguments.len() > 1;
    for argument in arguments {
        match glob_of(argument) {
            None => files.push(assembly_file(argument.clone())),
            Some(text) => {
                several = true;
                match matching(&text) {
                    Ok(found) => files.extend(found),
                    Err(error) => problems.extend(error.problems),
                }
            }
        }
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    Ok(AssemblyFiles { files, several })
}

fn default_file() -> Result<AssemblyFiles, Error> {
    let file = PathBuf::from(FILE_NAME);
    if file.exists() {
        return Ok(AssemblyFiles { files: vec![file], several: false });
    }
    let fix = "name an assembly file or its folder, or write a file with `interfere init FOLDER`";
    Err(Error::one(Location::default(), format!("no {FILE_NAME} in this folder"), fix))
}

/// Text of a glob with `/`; `None` for a plain path. A path that exists is plain, whatever its characters.
fn glob_of(argument: &Path) -> Option<String> {
    let text = slashes(argument);
    (text.contains(['*', '?', '[', '{']) && !argument.exists()).then_some(text)
}

/// Finds the assembly files that match a glob, in the order of their paths: JSON files, and folders with an
/// `assembly.json`. Skips hidden folders and baselines.
fn matching(text: &str) -> Result<Vec<PathBuf>, Error> {
    let invalid = |what: String| Error::one(Location::file(text), what, "correct the glob, or quote it for the shell");
    let mut start = PathBuf::new();
    let mut segments = Vec::new();
    for component in Path::new(text).components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        let is_plain = !name.contains(['*', '?', '[', '{']);
        if segments.is_empty() && (is_plain || !matches!(component, Component::Normal(_))) {
            start.push(component);
        } else if name == "**" {
            segments.push(None);
        } else {
            segments.push(Some(Segment { glob: Glob::new(&name).map_err(invalid)?, hidden: name.starts_with('.') }));
        }
    }
    let mut found = BTreeSet::new();
    walk(&start, &segments, 0, &mut found);
    if found.is_empty() {
        let what = "no assembly file matches";
        return Err(Error::one(Location::file(text), what, "check the path; `**` stands for any number of folders"));
    }
    Ok(found.into_iter().collect())
}

/// Glob for one name in a path.
struct Segment {
    glob: Glob,
    /// True if it begins with a dot: only then it matches hidden names.
    hidden: bool,
}

/// Collects the files below a folder whose path matches the segments; `None` stands for any number of folders.
fn walk(folder: &Path, segments: &[Option<Segment>], depth: usize, found: &mut BTreeSet<PathBuf>) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some((first, rest)) = segments.split_first() else {
        let file = folder.join(FILE_NAME);
        if file.is_file() {
            found.insert(file);
        }
        return;
    };
    if first.is_none() {
        walk(folder, rest, depth + 1, found);
    }
    // An unreadable folder has no files for this user.
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(shown).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let names_hidden = first.as_ref().is_some_and(|segment| segment.hidden);
        if name.starts_with('.') && !names_hidden {
            continue;
        }
        let (path, is_folder) = (folder.join(&name), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        match first {
            None if is_folder => walk(&path, segments, depth + 1, found),
            Some(segment) if segment.glob.matches(&name) && is_folder => walk(&path, rest, depth + 1, found),
            Some(segment) if segment.glob.matches(&name) && rest.is_empty() && is_assembly(&path, &name) => {
                found.insert(path);
            }
            _ => {}
        }
    }
}

fn is_assembly(path: &Path, name: &str) -> bool {
    let is_json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    is_json && name != BASELINE && path.is_file()
}

/// Replaces the error of a file that is no assembly file: a mesh, another CAD format, a missing `assembly.json`.
pub(crate) fn with_advice(path: &Path, loader: &dyn Loader, error: Error) -> Error {
    let shown = slashes(path);
    let at = || Location::file(&shown);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !path.exists() {
        let is_default = path.file_name().is_some_and(|name| name == FILE_NAME) && folder.is_dir();
        if !is_default {
            return error;
        }
        let fix = format!("write one with `interfere init {}`, or name another file", slashes(folder));
        return Error::one(at(), "no such file", fix);
    }
    let Ok(bytes) = loader.read(path) else { return error };
    let can_be_imported = kind_of(&bytes).is_ok_and(Kind::is_assembly);
    let is_json = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(&bytes).trim_ascii_start().starts_with(b"{");
    if can_be_imported || is_json || is_utf16(&bytes) {
        return error;
    }
    let init = format!("`interfere init {}` writes an assembly file for the meshes of a folder", slashes(folder));
    match described(&bytes) {
        Some(Ok(MeshFormat::StlBinary | MeshFormat::StlAscii)) => {
            Error::one(at(), "an STL mesh, not an assembly file", init)
        }
        Some(Ok(MeshFormat::Obj | MeshFormat::Memory)) => Error::one(at(), "an OBJ mesh, not an assembly file", init),
        Some(Ok(MeshFormat::Ply)) => Error::one(at(), "a PLY mesh, not an assembly file", init),
        Some(Ok(MeshFormat::Off)) => Error::one(at(), "an OFF mesh, not an assembly file", init),
        Some(Err(what)) => {
            let what = what.split(", not").next().unwrap_or(&what);
            Error::one(at(), format!("{what}, not an assembly file"), format!("export its parts as STL or OBJ; {init}"))
        }
        None => error,
    }
}
