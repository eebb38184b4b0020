//! A model with the elements of included files in place.

use crate::error::{Error, Problem};
use crate::import::element::{Element, read as read_element};
use crate::import::references::References;
use crate::json::wording::quoted;
use std::path::PathBuf;

/// Largest nesting depth of elements, included files counted.
const MAX_DEPTH: usize = 256;

/// Reads a model; returns its root, and the paths of included files.
///
/// # Errors
/// Refuses damaged XML and a document type, a file that is missing or included twice, too many or too deep elements.
pub(crate) fn read(bytes: &[u8], file: &str, references: &References<'_>) -> Result<(Element, Vec<String>), Error> {
    let mut reader = Reader { references, elements: 0, included: Vec::new(), shown: Vec::new() };
    let mut root = read_element(bytes, file, &mut reader.elements)?;
    reader.expand(&mut root, 0)?;
    Ok((root, reader.shown))
}

struct Reader<'r, 'l> {
    references: &'r References<'l>,
    elements: usize,
    included: Vec<PathBuf>,
    shown: Vec<String>,
}

impl Reader<'_, '_> {
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
        let found = self.references.find(self.references.folder(), written);
        let path = found.map_err(|p| Problem { at: at.place(), ..p })?;
        if self.included.contains(&path) {
            return Err(at.bad(format!("{} is included twice", quoted(written))));
        }
        self.included.push(path.clone());
        let (bytes, shown) = self.references.read(&path)?;
        self.shown.push(shown.clone());
        let mut root = read_element(&bytes, &shown, &mut self.elements)?;
        self.expand(&mut root, depth)?;
        Ok(root.children)
    }
}
