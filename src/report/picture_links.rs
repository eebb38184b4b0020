//! Links of a report to the pictures of its findings.

use std::collections::BTreeMap;

/// File names of pictures by row (index in [`Outcome::pairs`](crate::check::Outcome::pairs)).
pub type PictureFiles = BTreeMap<usize, String>;

/// Pictures as a report links them.
#[derive(Debug, Clone, Copy, Default)]
pub struct PictureLinks<'a> {
    /// File names of the pictures; `None` for a report without links.
    files: Option<&'a PictureFiles>,
    /// Text before each file name: empty, or a path or an address that ends in `/`.
    prefix: &'a str,
}

impl<'a> PictureLinks<'a> {
    /// Links `prefix` + file name for each row with a picture.
    pub fn new(files: &'a PictureFiles, prefix: &'a str) -> Self {
        Self { files: Some(files), prefix }
    }

    /// Link of a row; `None` without a picture.
    pub(crate) fn of(&self, row: usize) -> Option<String> {
        let name = self.files?.get(&row)?;
        Some(format!("{}{name}", self.prefix))
    }
}
