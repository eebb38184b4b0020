//! Loader of the command line: reads files, and imports files of other programs that stand for an assembly. Such a file
//! appears as a folder with its `assembly.json` and its parts, in memory.

use crate::check::cache::store::{FsStore, IMPORTS, mark};
use crate::cli::baseline_flags::slashes;
use crate::cli::cache_flag::CacheFolder;
use crate::cli::import_folder::{replace, up_to_date};
use crate::cli::importer::{Importer, ImporterSettings};
use crate::cli::importer_folder::{read_folder, verified};
use crate::error::{Error, Location, Warning};
use crate::import::folder::{ASSEMBLY, Folder, generate};
use crate::import::recognise::{Kind, kind_of};
use crate::import::{ImportOptions, ImportedLink, import_content};
use crate::io::{FsLoader, Loader, OpenFile};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// File of the warnings of an import in the cache.
const WARNINGS: &str = "warnings.json";

/// Files of a run.
#[derive(Debug)]
pub(crate) struct InputFiles {
    options: ImportOptions,
    /// Folder for imports by other programs; without it, a run imports each time.
    cache: Option<CacheFolder>,
    /// Imported files, by resolved path.
    imported: Mutex<BTreeMap<PathBuf, Arc<Folder>>>,
    warnings: Mutex<Vec<Warning>>,
    disk: Disk,
}

impl InputFiles {
    pub(crate) fn new(allow_outside: bool, cache: Option<&CacheFolder>) -> Self {
        Self {
            options: ImportOptions { allow_outside, ..crate::cli::import::defaults() },
            cache: cache.cloned(),
            imported: Mutex::default(),
            warnings: Mutex::default(),
            disk: Disk::default(),
        }
    }

    /// Files read so far, those named in imported files included.
    pub(crate) fn files_read(&self) -> BTreeSet<PathBuf> {
        self.disk.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the warnings of all imports.
    pub(crate) fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Links of a robot whose file stands for an assembly, once it is read; none for other files.
    pub(crate) fn links_of(&self, assembly: &Path) -> Vec<ImportedLink> {
        let resolved = FsLoader.canonical(assembly).ok();
        resolved.and_then(|path| Some(self.known().get(&path)?.links.clone())).unwrap_or_default()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<Folder>>> {
        self.imported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Imported file above a path, its resolved path, and the path from there on with `/`.
    fn inside(&self, path: &Path) -> Option<(Arc<Folder>, PathBuf, String)> {
        let known = self.known();
        if known.is_empty() {
            return None;
        }
        for above in path.ancestors().skip(1) {
            let Ok(resolved) = FsLoader.canonical(above) else { continue };
            let folder = known.get(&resolved)?;
            let mut names: Vec<String> = Vec::new();
            for component in path.strip_prefix(above).ok()?.components() {
                match component {
                    Component::CurDir => {}
                    Component::Normal(name) => names.push(name.to_str()?.to_owned()),
                    Component::ParentDir => {
                        names.pop()?;
                    }
                    _ => return None,
                }
            }
            return Some((Arc::clone(folder), resolved, names.join("/")));
        }
        None
    }

    /// Imports a file with this content.
    fn import(&self, path: &Path, bytes: Vec<u8>, needs_program: bool) -> Result<Folder, Error> {
        let shown = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
        let shown = shown.as_deref().unwrap_or(path);
        let source = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if needs_program {
            drop(bytes);
            return self.import_by_program(path, &slashes(shown));
        }
        let imported = import_content(shown, &bytes, &self.disk, &self.options)?;
        drop(bytes);
        generate(&imported, &self.options, &source)
    }

    /// Imports a file by another program; keeps its folder in the cache, under its key.
    fn import_by_program(&self, path: &Path, shown: &str) -> Result<Folder, Error> {
        let importer = Importer::find(shown, &self.options, ImporterSettings::default())?;
        let Some(cache) = &self.cache else { return importer.import(path, shown) };
        let key = importer.key(path, shown)?;
        let place = cache.path.join(IMPORTS).join(&key);
        if up_to_date(&place, &key)
            && let Ok(files) = read_folder(&place)
            && let Some(warnings) = files.get(WARNINGS).and_then(|text| serde_json::from_slice(text).ok())
            && let Ok(folder) = verified(files, shown)
        {
            mark(&place.join(WARNINGS));
            return Ok(Folder { warnings, ..folder });
        }
        let folder = importer.import(path, shown)?;
        let mut files = folder.files.clone();
        files.insert(WARNINGS.to_owned(), serde_json::to_vec(&folder.warnings).unwrap_or_default());
        // A cache that cannot be written costs time only.
        let _ = FsStore::new(&cache.path).make_folder().is_ok_and(|()| replace(&place, &files, true).is_ok());
        Ok(folder)
    }
}

impl Loader for InputFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.inside(path) {
            Some((folder, _, rest)) => folder.files.get(&rest).cloned().ok_or_else(|| io::ErrorKind::NotFound.into()),
            None => self.disk.read(path),
        }
    }

    fn open(&self, path: &Path) -> Option<OpenFile> {
        if self.inside(path).is_some() { None } else { self.disk.open(path) }
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        FsLoader.canonical(path).or_else(|error| match self.inside(path) {
            Some((folder, resolved, rest)) if folder.files.contains_key(&rest) => Ok(resolved.join(rest)),
            _ => Err(error),
        })
    }

    fn exists(&self, path: &Path) -> bool {
        FsLoader.exists(path) || self.inside(path).is_some_and(|(folder, _, rest)| folder.files.contains_key(&rest))
    }

    fn assembly_file(&self, path: PathBuf) -> io::Result<PathBuf> {
        if self.known().contains_key(&path) {
            return Ok(path.join(ASSEMBLY));
        }
        // A file that cannot be read fails later, with a better message.
        let Ok(bytes) = self.disk.read(&path) else { return Ok(path) };
        let kind = kind_of(&bytes).ok();
        if matches!(kind, Some(Kind::Mesh | Kind::Collada)) {
            let name = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
            let fix = "name it as the `mesh` of a part, or write an assembly for it with `interfere import`";
            let error = Error::one(Location::file(name), "a mesh, not an assembly", fix);
            return Err(io::Error::other(error));
        }
        let Some(kind) = kind.filter(|kind| kind.is_assembly()) else { return Ok(path) };
        let folder = self.import(&path, bytes, kind.needs_program()).map_err(io::Error::other)?;
        let at = |w: &Warning| w.at.clone().or_else(|| Some(Location::file(path.file_name()?.to_string_lossy())));
        // The check itself warns of open meshes.
        let told = folder.warnings.iter().filter(|w| w.code != crate::error::WarningCode::NotClosed);
        let told: Vec<Warning> = told.map(|w| Warning { at: at(w), ..w.clone() }).collect();
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(told);
        self.known().insert(path.clone(), Arc::new(folder));
        Ok(path.join(ASSEMBLY))
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        FsLoader.link(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        FsLoader.names(folder)
    }
}

/// Files of the disk; records those that were read.
#[derive(Debug, Default)]
struct Disk {
    read: Mutex<BTreeSet<PathBuf>>,
}

impl Disk {
    fn record(&self, path: &Path) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
    }
}

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.record(path);
        FsLoader.read(path)
    }

    fn open(&self, path: &Path) -> Option<OpenFile> {
        self.record(path);
        FsLoader.open(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        FsLoader.canonical(path)
    }

    fn exists(&self, path: &Path) -> bool {
        FsLoader.exists(path)
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        FsLoader.link(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        FsLoader.names(folder)
    }
}
