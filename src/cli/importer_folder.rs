//! Reads the folder of an importer as untrusted input: closed to itself, every mesh read again, every count computed
//! again.

use crate::assembly::{self, LoadOptions, MeshSource};
use crate::cli::importer::failed;
use crate::error::Error;
use crate::import::folder::{ASSEMBLY, Folder, IMPORT, LeftOutEntry, Summary};
use crate::io::Loader;
use crate::json::wording::quoted;
use crate::mesh;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Largest number of files.
const MAX_FILES: usize = 100_000;

/// Largest size of all files (bytes).
const MAX_BYTES: u64 = 4 << 30;

/// Largest nesting depth of folders.
const MAX_DEPTH: usize = 3;

type Files = BTreeMap<String, Vec<u8>>;

/// Reads all files of a folder.
///
/// # Errors
/// Describes links, too many files, and unreadable ones.
pub(crate) fn read_folder(folder: &Path) -> Result<Files, String> {
    let mut files = BTreeMap::new();
    let mut size = 0;
    read_below(folder, "", 0, &mut files, &mut size)?;
    Ok(files)
}

fn read_below(folder: &Path, prefix: &str, depth: usize, files: &mut Files, size: &mut u64) -> Result<(), String> {
    let unreadable = |e: io::Error| format!("cannot read its folder: {e}");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        let name = entry.file_name().into_string().map_err(|_| "a file name that is not UTF-8".to_owned())?;
        let name = format!("{prefix}{name}");
        if kind.is_symlink() {
            return Err(format!("{} is a link", quoted(&name)));
        }
        if kind.is_dir() {
            if depth >= MAX_DEPTH {
                return Err(format!("{} is nested too deep", quoted(&name)));
            }
            read_below(&entry.path(), &format!("{name}/"), depth + 1, files, size)?;
            continue;
        }
        *size += entry.metadata().map_err(unreadable)?.len();
        if files.len() >= MAX_FILES || *size > MAX_BYTES {
            return Err("its folder is too large".to_owned());
        }
        files.insert(name, fs::read(entry.path()).map_err(unreadable)?);
    }
    Ok(())
}

/// The part of `import.json` that the check needs.
#[derive(Deserialize)]
struct ImportFile {
    version: u32,
    source: Option<SourceEntry>,
    #[serde(default)]
    parts: BTreeMap<String, PartFacts>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct SourceEntry {
    format: Option<String>,
}

#[derive(Deserialize)]
struct PartFacts {
    triangles: Option<u64>,
}

#[derive(Deserialize)]
struct LeftOut {
    what: String,
    count: u64,
    #[serde(default, rename = "where")]
    places: Vec<String>,
}

/// Files of a folder as `/`.
struct InMemory<'a>(&'a Files);

impl InMemory<'_> {
    fn name_of(path: &Path) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for component in path.components() {
            match component {
                Component::RootDir | Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str()?),
                Component::ParentDir => {
                    names.pop()?;
                }
                Component::Prefix(_) => return None,
            }
        }
        Some(names.join("/"))
    }
}

impl Loader for InMemory<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let found = Self::name_of(path).and_then(|name| self.0.get(&name));
        found.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let name = Self::name_of(path).filter(|name| name.is_empty() || self.0.contains_key(name));
        name.map(|name| Path::new("/").join(name)).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn exists(&self, path: &Path) -> bool {
        Self::name_of(path).is_some_and(|name| self.0.contains_key(&name))
    }
}

/// Checks the files of an importer; keeps the assembly file, the meshes and `import.json`.
///
/// # Errors
/// Refuses a missing or invalid file, a path out of the folder, a mesh without triangles, a wrong count or hash.
pub(crate) fn verified(mut files: Files, shown: &str) -> Result<Folder, Error> {
    for name in [ASSEMBLY, IMPORT] {
        if !files.contains_key(name) {
            return Err(failed(shown, format!("the program wrote no {name}")));
        }
    }
    let import: ImportFile = serde_json::from_slice(files.get(IMPORT).map(Vec::as_slice).unwrap_or_default())
        .map_err(|e| failed(shown, format!("its {IMPORT}: {e}")))?;
    if import.version != 1 {
        return Err(failed(shown, format!("its {IMPORT} has version {}", import.version)));
    }
    for (name, hash) in &import.files {
        let found = files.get(name).map(|bytes| blake3::hash(bytes).to_hex().to_string());
        if found.as_ref() != Some(hash) {
            return Err(failed(shown, format!("{} differs from its hash in {IMPORT}", quoted(name))));
        }
    }
    let path = Path::new("/").join(ASSEMBLY);
    let assembly = assembly::load(&path, &InMemory(&files), &LoadOptions::default())
        .map_err(|e| failed(shown, format!("its assembly file: {e}")))?;
    let mut kept: BTreeSet<String> = [ASSEMBLY, IMPORT].map(str::to_owned).into();
    let mut summary = Summary {
        format: import.source.and_then(|s| s.format).unwrap_or_default().to_uppercase(),
        parts: assembly.parts.len() as u64,
        instances: assembly.instances.len() as u64,
        rules: assembly.rules.len() as u64,
        ..Summary::default()
    };
    for part in &assembly.parts {
        let MeshSource::File { path, .. } = &part.source else { continue };
        let name = InMemory::name_of(path).unwrap_or_default();
        let bytes = files.get(&name).map(Vec::as_slice).unwrap_or_default();
        let health = mesh::load(bytes).map_err(|e| failed(shown, format!("{}: {e}", quoted(&name))))?.health;
        let stated = import.parts.get(&part.key).and_then(|facts| facts.triangles);
        if let Some(stated) = stated.filter(|count| *count != health.triangles) {
            let what = format!("part {} has {} triangles, not {stated}", quoted(&part.key), health.triangles);
            return Err(failed(shown, what));
        }
        summary.triangles += health.triangles;
        summary.open_parts += u64::from(!health.enclosing);
        summary.deflection =
            part.deflection.map_or(summary.deflection, |d| Some(summary.deflection.map_or(d, |s| s.max(d))));
        kept.insert(name);
    }
    summary.left_out =
        import.left_out.into_iter().map(|l| LeftOutEntry { what: l.what, count: l.count, places: l.places }).collect();
    // A sub-assembly in the folder has a name of its own.
    let is_assembly = |name: &str| Path::new(name).extension().is_some_and(|e| e == "json");
    files.retain(|name, _| kept.contains(name) || is_assembly(name));
    Ok(Folder { files, summary, warnings: Vec::new(), links: Vec::new() })
}
