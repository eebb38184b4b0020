//! Links of a report to the pictures of its findings.

use std::collections::BTreeMap;

/// File names of pictures by outcome and row: outcome 0 is the drawing, outcome k its pose or sweep k, from 1; a row is
/// an index in [`Outcome::pairs`](crate::check::Outcome::pairs).
pub type PictureFiles = BTreeMap<(usize, usize), String>;

/// Pictures as a report links them.
#[derive(Debug, Clone, Copy, Default)]
pub struct PictureLinks<'a> {
    /// File names of the pictures; `None` for a report without links.
    files: Option<&'a PictureFiles>,
    /// Text before each file name: empty, or a path or an address that ends in `/`.
    prefix: &'a str,
    /// Outcome of the rows, as in [`PictureFiles`].
    outcome: usize,
}

impl<'a> PictureLinks<'a> {
    /// Links `prefix` + file name for each row with a picture.
    pub fn new(files: &'a PictureFiles, prefix: &'a str) -> Self {
        Self { files: Some(files), prefix, outcome: 0 }
    }

    /// Links of a pose or sweep, by its index.
    #[must_use]
    pub(crate) fn of_run(self, run: usize) -> Self {
        Self { outcome: run + 1, ..self }
    }

    /// Link of a row; `None` without a picture.
    pub(crate) fn of(&self, row: usize) -> Option<String> {
        let name = self.files?.get(&(self.outcome, row))?;
        Some(format!("{}{name}", self.prefix))
    }
}
