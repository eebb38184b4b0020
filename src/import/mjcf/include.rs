//! A model with the elements of included files in place.

use crate::error::{Error, Problem};
use crate::import::element::{Element, read as read_element};
use crate::import::references::References;
use crate::json::wording::quoted;
use std::path::{Path, PathBuf};

/// Largest nesting depth of elements, included files counted.
pub(crate) const MAX_DEPTH: usize = 256;

/// Reads models, and counts their elements.
pub(crate) struct Reader<'r, 'l> {
    references: &'r References<'l>,
    elements: usize,
    /// Folder of the model.
    folder: PathBuf,
    /// Files that the model includes.
    included: Vec<PathBuf>,
    /// Paths of all files but the first one, for messages.
    pub(crate) sources: Vec<String>,
}

impl<'r, 'l> Reader<'r, 'l> {
    pub(crate) fn new(references: &'r References<'l>) -> Self {
        let folder = references.folder().to_owned();
        Self { references, elements: 0, folder, included: Vec::new(), sources: Vec::new() }
    }

    /// Reads a model with the elements of the files that it includes, by their paths from `folder`.
    ///
    /// # Errors
    /// Refuses damaged XML and a document type, a file that is missing or included twice, too many or too deep
    /// elements.
    pub(crate) fn read(&mut self, bytes: &[u8], file: &str, folder: &Path) -> Result<Element, Error> {
        folder.clone_into(&mut self.folder);
        self.included.clear();
        let mut root = read_element(bytes, file, &mut self.elements)?;
        self.expand(&mut root, 0)?;
        Ok(root)
    }

    /// Replaces the `include` elements below an element.
    fn expand(&mut self, element: &mut Element, depth: usize) -> Result<(), Problem> {
        if depth > MAX_DEPTH {
            return Err(element.too_large(format!("elements nested deeper than {MAX_DEPTH}")));
        }
        for mut child in std::mem::take(&mut element.children) {
            if child.name == "include" {
                element.children.extend(self.include(&child, depth)?);
            } else {
                self.expand(&mut child, depth + 1)?;
                element.children.push(child);
            }
        }
        Ok(())
    }

    /// Elements of an included file.
    fn include(&mut self, at: &Element, depth: usize) -> Result<Vec<Element>, Problem> {
        let written = at.attribute("file").unwrap_or_default();
        let found = self.references.find(&self.folder, written);
        let path = found.map_err(|p| Problem { at: at.place(), ..p })?;
        if self.included.contains(&path) {
            return Err(at.bad(format!("{} is included twice", quoted(written))));
        }
        self.included.push(path.clone());
        let (bytes, shown) = self.references.read(&path)?;
        self.sources.push(shown.clone());
        let mut root = read_element(&bytes, &shown, &mut self.elements)?;
        self.expand(&mut root, depth)?;
        Ok(root.children)
    }
}
