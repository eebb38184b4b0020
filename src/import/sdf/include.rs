//! A description with the models of included files in place.

use crate::error::{Error, Problem};
use crate::import::ImportOptions;
use crate::import::element::{Element, read as read_element};
use crate::import::references::References;
use crate::import::refusal::{Refusal, problem};
use crate::import::robot::packages::Packages;
use crate::import::sdf::frames::is_true;
use crate::json::wording::quoted;
use std::path::{Path, PathBuf};

/// Largest number of included models.
const MAX_INCLUDES: usize = 10_000;

/// Largest nesting depth of elements, included models counted.
const MAX_DEPTH: usize = 256;

/// Attribute of a model from an included file: the folder of the file. No XML name has a colon at its end.
pub(crate) const FOLDER: &str = "folder:";

/// Reads a description; returns its root, and the paths of included files.
///
/// # Errors
/// Refuses damaged XML and a document type, models of the network, merged models, missing files, too many or too deep
/// elements.
pub(crate) fn read(
    bytes: &[u8],
    file: &str,
    references: &References<'_>,
    options: &ImportOptions,
) -> Result<(Element, Vec<String>), Error> {
    let packages = Packages::new(options);
    let mut reader = Reader { references, packages, elements: 0, included: 0, shown: Vec::new() };
    let mut root = read_element(bytes, file, &mut reader.elements)?;
    let folder = references.folder().to_owned();
    reader.expand(&mut root, &folder, 0)?;
    Ok((root, reader.shown))
}

struct Reader<'r, 'l> {
    references: &'r References<'l>,
    packages: Packages<'r>,
    elements: usize,
    included: usize,
    shown: Vec<String>,
}

impl Reader<'_, '_> {
    /// Replaces the `include` elements below an element of a file in a folder.
    fn expand(&mut self, element: &mut Element, folder: &Path, depth: usize) -> Result<(), Problem> {
        if depth > MAX_DEPTH {
            return Err(element.too_large(format!("elements nested deeper than {MAX_DEPTH}")));
        }
        for mut child in std::mem::take(&mut element.children) {
            if child.name == "include" && matches!(element.name.as_str(), "world" | "model" | "sdf") {
                child = self.include(&child, folder, depth)?;
            } else {
                self.expand(&mut child, folder, depth + 1)?;
            }
            element.children.push(child);
        }
        Ok(())
    }

    /// Model of an included file, with the name and the pose of the inclusion.
    fn include(&mut self, at: &Element, folder: &Path, depth: usize) -> Result<Element, Problem> {
        self.included += 1;
        if self.included > MAX_INCLUDES {
            return Err(at.too_large(format!("more than {MAX_INCLUDES} included models")));
        }
        let fix = "write the model into the file";
        if at.attribute("merge").is_some_and(is_true) {
            return Err(problem(at.place(), Refusal::Unsupported, "a merged model", fix));
        }
        if at.child("params").is_some() {
            return Err(problem(at.place(), Refusal::Unsupported, "an included model with changes (`params`)", fix));
        }
        let uri = at.child("uri").map(|e| e.text.as_str()).unwrap_or_default();
        let path = self.model_file(at, uri, folder).map_err(|p| Problem { at: at.place(), ..p })?;
        let (bytes, shown) = self.references.read(&path)?;
        let root = read_element(&bytes, &shown, &mut self.elements)?;
        if !self.shown.contains(&shown) {
            self.shown.push(shown.clone());
        }
        let version = root.attribute("version").map(str::to_owned);
        let mut models = root.children.into_iter().filter(|e| e.name == "model");
        let Some(mut model) = models.next() else {
            return Err(at.bad(format!("{} has no model", quoted(uri))));
        };
        let inner = path.parent().unwrap_or(Path::new("")).to_owned();
        self.expand(&mut model, &inner, depth + 1)?;
        if let Some(name) = at.child("name") {
            model.set("name", &name.text);
        }
        if let Some(pose) = at.child("pose") {
            model.children.retain(|e| e.name != "pose");
            model.children.push(pose.clone());
        }
        if let Some(frame) = at.child("placement_frame") {
            model.set("placement_frame", &frame.text);
        }
        model.set(FOLDER, &inner.to_string_lossy());
        model.set("version:", version.as_deref().unwrap_or_default());
        Ok(model)
    }

    /// Path of the file of a model: the file that its address names, or the one of the folder.
    fn model_file(&self, at: &Element, uri: &str, folder: &Path) -> Result<PathBuf, Problem> {
        if uri.is_empty() {
            return Err(at.bad("an inclusion without an address"));
        }
        let is_file = [".sdf", ".world", ".xml"].iter().any(|ending| uri.ends_with(ending));
        let uri = uri.trim_end_matches('/');
        let find = |written: &str| {
            if written.contains("://") {
                self.packages.find(written, self.references)
            } else {
                self.references.find(folder, written)
            }
        };
        if is_file {
            return find(uri);
        }
        // The configuration names the file; without it, the usual name counts.
        let named = find(&format!("{uri}/model.config")).ok().and_then(|config| self.named_in(&config));
        find(&format!("{uri}/{}", named.as_deref().unwrap_or("model.sdf")))
    }

    /// File of the last version in a `model.config`.
    fn named_in(&self, config: &Path) -> Option<String> {
        let (bytes, _) = self.references.read(config).ok()?;
        let root = read_element(&bytes, "model.config", &mut 0).ok()?;
        let version = |e: &&Element| {
            let written = e.attribute("version").unwrap_or_default();
            written.split('.').map(|n| n.trim().parse().unwrap_or(0)).collect::<Vec<u32>>()
        };
        root.all("sdf").max_by_key(version).map(|e| e.text.clone()).filter(|text| !text.is_empty())
    }
}
