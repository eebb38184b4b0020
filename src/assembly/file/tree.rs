//! Reads an assembly file and every file below it, each once.

use crate::assembly::file::paths::{BadPath, VersionedTree, problems_in, read};
use crate::assembly::file::{self, RawFile, RawInstance, Target};
use crate::error::Problem;
use crate::io::Loader;
use crate::json::position::{JsonPath, Source};
use crate::json::reader::decode;
use crate::json::syntax::parse;
use crate::json::wording::{nearest, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Largest nesting depth of assemblies.
pub(crate) const MAX_DEPTH: usize = 64;

/// A file after reading, with its part names and paths resolved.
pub(crate) struct File {
    pub source: Source,
    pub raw: RawFile,
    /// Path relative to the root assembly's folder.
    pub relative: String,
    /// Mesh file of each of `raw.parts`.
    pub meshes: Vec<Option<MeshPath>>,
    /// Target of each of `raw.instances`.
    pub targets: Vec<Option<FileTree>>,
    pub problems: Vec<Problem>,
}

/// A mesh file.
pub(crate) struct MeshPath {
    /// Path with symbolic links resolved.
    pub path: PathBuf,
    /// Path for reports.
    pub shown: String,
}

/// Resolved target of an instance.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileTree {
    /// Position in the file's `raw.parts`.
    Part(usize),
    /// Position in [`Files::list`].
    Assembly(usize),
}

/// The root file, at 0, and every file below it, in reading order.
pub(crate) struct Files<'l> {
    pub tree: VersionedTree,
    loader: &'l dyn Loader,
    pub list: Vec<File>,
    by_path: BTreeMap<PathBuf, usize>,
    /// Files on the path from the root to the current file, outermost first.
    open: Vec<usize>,
    /// Paths with a reported problem.
    bad: BTreeSet<PathBuf>,
}

impl<'l> Files<'l> {
    /// Reads the root file and everything below it. Keeps problems per file.
    pub fn read(tree: VersionedTree, loader: &'l dyn Loader, named: String) -> Self {
        let root = tree.root_file.clone();
        let mut files =
            Self { tree, loader, list: Vec::new(), by_path: BTreeMap::new(), open: Vec::new(), bad: BTreeSet::new() };
        files.visit(&root, named);
        files
    }

    /// Returns all problems, by file, then by position.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        let mut all = Vec::new();
        for file in &mut self.list {
            let mut problems = std::mem::take(&mut file.problems);
            problems.sort_by_key(|p| (p.at.line, p.at.column));
            all.append(&mut problems);
        }
        all
    }

    fn visit(&mut self, path: &Path, named: String) -> usize {
        let ix = self.list.len();
        let relative = self.tree.relative(path);
        let (source, raw, problems) = read_one(path, named, self.loader);
        self.by_path.insert(path.to_path_buf(), ix);
        self.list.push(File { source, raw, relative, meshes: Vec::new(), targets: Vec::new(), problems });
        self.open.push(ix);
        let folder = path.parent().unwrap_or(path);
        self.find_meshes(ix, folder);
        self.find_targets(ix, folder);
        self.open.pop();
        ix
    }

    fn find_meshes(&mut self, ix: usize, folder: &Path) {
        let file = &mut self.list[ix];
        for part in &file.raw.parts {
            let written = &part.mesh.value;
            let found = self.tree.find(folder, written, self.loader);
            file.meshes.push(match found {
                Ok(path) => Some(MeshPath { path, shown: self.tree.mesh_shown(folder, written) }),
                Err((what, fix)) => {
                    if self.bad.insert(folder.join(written)) {
                        file.problems.push(Problem::new(part.mesh.at.clone(), what, fix));
                    }
                    None
                }
            });
        }
    }

    fn find_targets(&mut self, ix: usize, folder: &Path) {
        let instances = std::mem::take(&mut self.list[ix].raw.instances);
        let raw = &self.list[ix].raw;
        let position: BTreeMap<&str, usize> = raw.parts.iter().map(|p| p.name.as_str()).zip(0..).collect();
        let parts: Vec<Option<usize>> = raw.part_names.iter().map(|n| position.get(n.as_str()).copied()).collect();
        let names: BTreeSet<String> = raw.part_names.iter().cloned().collect();
        let mut hints = 20;
        self.list[ix].targets.reserve(instances.len());
        for instance in &instances {
            let found = match &instance.target {
                // `None` means a problem of the part itself, reported there.
                Target::Part(name) => parts[*name].map(FileTree::Part).ok_or(None),
                Target::UnknownPart(name) => Err(Some(unknown_part(name, &names, &mut hints))),
                Target::Assembly(written) => self.find_assembly(folder, written).map(FileTree::Assembly),
            };
            let file = &mut self.list[ix];
            if let Err(Some((what, fix))) = &found {
                let key = match instance.target {
                    Target::Part(_) | Target::UnknownPart(_) => "part",
                    Target::Assembly(_) => "assembly",
                };
                let at = instance_at(&file.source, instance, key);
                file.problems.push(Problem::new(at, what, fix));
            }
            file.targets.push(found.ok());
        }
        self.list[ix].raw.instances = instances;
    }

    /// Finds the file of a sub-assembly and reads it at its first use. `Err(None)`: problem already reported.
    fn find_assembly(&mut self, folder: &Path, written: &str) -> Result<usize, Option<BadPath>> {
        let path = self
            .tree
            .find(folder, written, self.loader)
            .map_err(|bad| self.bad.insert(folder.join(written)).then_some(bad))?;
        let path = self.assembly_file(path, folder.join(written))?;
        if let Some(known) = self.by_path.get(&path) {
            if let Some(from) = self.open.iter().position(|ix| ix == known) {
                let names = self.open[from..].iter().chain([known]).map(|ix| self.list[*ix].relative.as_str());
                let cycle = names.collect::<Vec<_>>().join(" → ");
                let what = format!("sub-assembly cycle: {}", crate::json::wording::one_line_of(&cycle, 1000));
                return Err(Some((what, "an assembly cannot contain itself: remove this instance".to_owned())));
            }
            return Ok(*known);
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Some(too_deep()));
        }
        let named = self.tree.as_named(&path);
        Ok(self.visit(&path, named))
    }

    /// Assembly file of a resolved path, as the loader gives it. Keeps the problems of a file of another program, once.
    fn assembly_file(&mut self, path: PathBuf, written: PathBuf) -> Result<PathBuf, Option<BadPath>> {
        let failed = match self.loader.assembly_file(path) {
            Ok(path) => return Ok(path),
            Err(failed) => failed,
        };
        if !self.bad.insert(written) {
            return Err(None);
        }
        match problems_in(failed) {
            Ok(error) => {
                let ix = self.open.last().copied().unwrap_or_default();
                self.list[ix].problems.extend(error.problems);
                Err(None)
            }
            Err(e) => Err(Some((format!("cannot read the file: {e}"), "check the path".to_owned()))),
        }
    }
}

/// Problem of a nesting deeper than [`MAX_DEPTH`].
pub(crate) fn too_deep() -> BadPath {
    (format!("sub-assemblies nested deeper than {MAX_DEPTH}"), "flatten some of them".to_owned())
}

/// Location of a key of an instance.
pub(crate) fn instance_at(source: &Source, instance: &RawInstance, key: &str) -> crate::error::Location {
    let root = JsonPath::Root;
    let list = JsonPath::Key(&root, "instances");
    source.at(instance.target_offset, &JsonPath::Key(&JsonPath::Index(&list, instance.index), key))
}

fn unknown_part(name: &str, names: &BTreeSet<String>, hints: &mut u32) -> BadPath {
    let near = if *hints > 0 { nearest(name, names.iter().map(String::as_str)) } else { None };
    *hints = hints.saturating_sub(1);
    let fix = match near {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None if names.is_empty() => "this file has no `parts`: add it there".to_owned(),
        None if names.len() <= 8 => {
            let all: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("known here: {}", crate::json::wording::join_or(&all))
        }
        None => "add it to `parts`".to_owned(),
    };
    (format!("unknown part {}", quoted(name)), fix)
}

/// Reads one file and collects its own problems.
fn read_one(path: &Path, named: String, loader: &dyn Loader) -> (Source, RawFile, Vec<Problem>) {
    let failed =
        |named: String, problem: Problem| (Source::new(named, String::new()), RawFile::default(), vec![problem]);
    let bytes = match read(path, loader) {
        Ok(bytes) => bytes,
        Err((what, fix)) => {
            let problem = Problem::new(crate::error::Location::file(named.clone()), what, fix);
            return failed(named, problem);
        }
    };
    let text = match decode(&named, bytes) {
        Ok(text) => text,
        Err(problem) => return failed(named, *problem),
    };
    let source = Source::new(named, text);
    let (raw, problems) = match parse(&source) {
        Ok(document) => file::read(&source, &document),
        Err(problem) => (RawFile::default(), vec![*problem]),
    };
    (source, raw, problems)
}
