//! Mesh files of a robot by their addresses: `package://NAME/…`, relative paths.

use crate::error::{Problem, Warning, WarningCode};
use crate::import::ImportOptions;
use crate::import::references::{References, decoded, foreign};
use crate::import::xml::{child, content, parse};
use crate::json::wording::quoted;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File that marks a package.
const MARK: &str = "package.xml";

/// Places of packages.
pub(crate) struct Packages<'a> {
    options: &'a ImportOptions,
    /// Folder of each package in the version-controlled tree and in `ROS_PACKAGE_PATH`; filled on first use.
    found: RefCell<Option<BTreeMap<String, PathBuf>>>,
    /// A file of each package that was found without its folder.
    guessed: RefCell<BTreeMap<String, String>>,
}

impl<'a> Packages<'a> {
    pub(crate) fn new(options: &'a ImportOptions) -> Self {
        Self { options, found: RefCell::new(None), guessed: RefCell::new(BTreeMap::new()) }
    }

    /// Finds a mesh by its address.
    ///
    /// # Errors
    /// Returns the problem of a missing package or file, and of an address that no design may use.
    pub(crate) fn find(&self, written: &str, references: &References<'_>) -> Result<PathBuf, Problem> {
        let rest = ["package://", "model://"].iter().find_map(|start| written.strip_prefix(start));
        let Some(rest) = rest else {
            return references.find(references.folder(), &decoded(written));
        };
        let rest = decoded(rest);
        let (name, path) = rest.split_once('/').unwrap_or((rest.as_str(), ""));
        if path.starts_with('/') || foreign(path).is_some() {
            return Err(references.missing(format!("{} is no path in a package", quoted(written)), String::new()));
        }
        if name.is_empty() {
            // An exporter without a package writes `package:///meshes/a.stl`, beside the robot.
            return references.find(references.folder(), path);
        }
        if let Some((_, folder)) = self.options.packages.iter().find(|(known, _)| known == name) {
            return references.find_below(folder, path, "--package");
        }
        if let Some(folder) = self.folder_of(name, references) {
            return references.find(&folder, path);
        }
        let found = self.by_rest(name, path, references);
        let what = match found.as_slice() {
            [only] => return Ok(only.clone()),
            [] => format!("{}: no package {} in the version-controlled tree", quoted(written), quoted(name)),
            [first, second, ..] => format!(
                "{}: no package {}, and several files have this end of the path, such as {} and {}",
                quoted(written),
                quoted(name),
                quoted(&references.shown(first)),
                quoted(&references.shown(second))
            ),
        };
        Err(references.missing(what, cure(name)))
    }

    /// Folder of a package: by its `package.xml`, else by the name of a folder above the robot.
    fn folder_of(&self, name: &str, references: &References<'_>) -> Option<PathBuf> {
        let mut found = self.found.borrow_mut();
        let found = found.get_or_insert_with(|| self.all(references));
        if let Some(folder) = found.get(name) {
            return Some(folder.clone());
        }
        let above = references.folders_above();
        let named = above.iter().find(|folder| folder.file_name().is_some_and(|n| n == name));
        named.cloned().or_else(|| models_folder(name, &above, references))
    }

    /// Finds the files of a package without a `package.xml` by the longest end of the path that a folder above the
    /// robot holds, at least the last folder and the file.
    fn by_rest(&self, name: &str, path: &str, references: &References<'_>) -> Vec<PathBuf> {
        let names: Vec<&str> = path.split('/').collect();
        let folders = references.folders_above();
        for skip in 0..names.len().saturating_sub(1) {
            let rest = names[skip..].join("/");
            let mut found: Vec<PathBuf> = folders.iter().filter_map(|f| references.find(f, &rest).ok()).collect();
            found.sort_unstable();
            found.dedup();
            if let [only] = found.as_slice() {
                let mut guessed = self.guessed.borrow_mut();
                guessed.entry(name.to_owned()).or_insert_with(|| references.shown(only));
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Warnings about packages whose files were found by the ends of their paths.
    pub(crate) fn guesses(&self) -> Vec<Warning> {
        let guess = |(name, file): (&String, &String)| {
            let message = format!(
                "no package {}: its files are those with the same end of their path, such as {}; {}",
                quoted(name),
                quoted(file),
                cure(name)
            );
            Warning::new(WarningCode::PackageGuessed, message)
        };
        self.guessed.borrow().iter().map(guess).collect()
    }

    /// Every package above the robot, in the tree and in the given folders; the nearest of a name counts.
    fn all(&self, references: &References<'_>) -> BTreeMap<String, PathBuf> {
        let mut out = BTreeMap::new();
        let mut add = |folder: &Path| {
            if let Some(name) = name_of(folder, references) {
                out.entry(name).or_insert_with(|| folder.to_owned());
            }
        };
        let above = references.folders_above();
        for folder in &above {
            add(folder);
        }
        if let Some(root) = above.last() {
            for folder in references.folders_with(root, MARK) {
                add(&folder);
            }
        }
        for root in &self.options.package_folders {
            for folder in references.folders_with(root, MARK) {
                add(&folder);
            }
        }
        out
    }
}

/// Ways to name the folder of a package: `import` has a flag, other commands read the environment.
fn cure(name: &str) -> String {
    format!(
        "name its folder by `interfere import` with --package {name}=DIR, or have ROS_PACKAGE_PATH name a folder above its \
         package.xml"
    )
}

/// Folder of a model of SDFormat: of this name, in a folder above or in its `models`, with one of the model's files.
fn models_folder(name: &str, above: &[PathBuf], references: &References<'_>) -> Option<PathBuf> {
    let places = above.iter().flat_map(|folder| [folder.join(name), folder.join("models").join(name)]);
    let is_model = |folder: &PathBuf| ["model.config", "model.sdf"].iter().any(|f| references.exists(&folder.join(f)));
    // A name with `..` is no name.
    places.into_iter().find(|folder| folder.file_name().is_some_and(|n| n == name) && is_model(folder))
}

/// Name in the `package.xml` of a folder.
fn name_of(folder: &Path, references: &References<'_>) -> Option<String> {
    if !references.exists(&folder.join(MARK)) {
        return None;
    }
    let path = references.find(folder, MARK).ok()?;
    let (bytes, _) = references.read(&path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let document = parse(&text, MARK).ok()?;
    let name = content(child(document.root_element(), "name")?).trim().to_owned();
    Some(name)
}
