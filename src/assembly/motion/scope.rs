//! The tree of files with joints, with the ids of all instances, in the order of the expansion.

use crate::assembly::file::placement::is_rigid;
use crate::assembly::file::tree::{File, FileTree, instance_at};
use crate::error::{Location, Problem};
use crate::geom::Affine;
use std::collections::BTreeSet;

/// A use of a file by the root or by a sub-assembly.
pub(crate) struct Use {
    /// Index of the file.
    pub file: usize,
    /// Empty, or ending in `/`.
    pub prefix: String,
    /// Map from the file's coordinates to the root's.
    pub placement: Affine,
    /// True if every placement from the root to here is a rotation, mirrored or not.
    pub rigid: bool,
    /// File of the instance that places it, and location of that instance; `None` for the root.
    pub placed_at: Option<(usize, Location)>,
}

/// All uses of files, and the ids of all instances.
#[derive(Default)]
pub(crate) struct Scope {
    /// Uses, each before those inside it.
    pub uses: Vec<Use>,
    /// Ids of the placed parts, in the order of the expansion.
    pub ids: Vec<String>,
    /// Ids of the sub-assemblies.
    pub sub_assemblies: Vec<String>,
}

impl Scope {
    pub(crate) fn of(files: &[File]) -> Self {
        let mut scope = Self::default();
        let root = Use { file: 0, prefix: String::new(), placement: Affine::identity(), rigid: true, placed_at: None };
        scope.visit(files, root);
        scope
    }

    /// Visits a file and the files below it. Its recursion is as deep as the reader's.
    fn visit(&mut self, files: &[File], here: Use) {
        let file = &files[here.file];
        let (prefix, placement, rigid, ix) = (here.prefix.clone(), here.placement, here.rigid, here.file);
        self.uses.push(here);
        for (instance, target) in file.raw.instances.iter().zip(&file.targets) {
            let id = format!("{prefix}{}", instance.id);
            match *target {
                Some(FileTree::Part(_)) => self.ids.push(id),
                Some(FileTree::Assembly(inner)) => {
                    let at = instance_at(&file.source, instance, "assembly");
                    let inside = Use {
                        file: inner,
                        prefix: format!("{id}/"),
                        placement: placement.after(&instance.placement),
                        rigid: rigid && is_rigid(&instance.placement.linear),
                        placed_at: Some((ix, at)),
                    };
                    self.sub_assemblies.push(id);
                    self.visit(files, inside);
                }
                None => {}
            }
        }
    }
}

/// Problems by file; each once, however many times its file is used.
#[derive(Default)]
pub(crate) struct Report {
    pub problems: Vec<(usize, Problem)>,
    seen: BTreeSet<(usize, Option<u32>, Option<u32>, String)>,
}

impl Report {
    pub(crate) fn add(&mut self, file: usize, at: &Location, what: impl Into<String>, fix: impl Into<String>) {
        let what = what.into();
        if self.seen.insert((file, at.line, at.column, what.clone())) {
            self.problems.push((file, Problem::new(at.clone(), what, fix)));
        }
    }
}
