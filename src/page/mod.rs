//! Writes the page: one HTML file with the findings of a run, readable without scripts, in 3D with them.
//!
//! - `encode`: meshes as text
//! - `data`: JSON of the page
//! - `findings`: lines of findings in that JSON
//! - `rows`: static table and pictures
//! - `template`: the document, with its policy against foreign scripts
//! - `viewer.js`, `viewer.css`: the program and the style of the page, as they are in the file

pub(crate) mod data;
pub(crate) mod encode;
pub(crate) mod findings;
pub(crate) mod rows;
pub(crate) mod template;

use crate::findings::Judged;
use crate::geom::Vec3;
use crate::page::data::Data;
use crate::scene::{Scene, SceneFinding, Selection};

/// Largest number of findings in the list; the page counts the others.
pub const MAX_LISTED: usize = 10_000;

/// Largest number of findings with chosen views; the others open from above.
pub const MAX_VIEWS: usize = 1_000;

/// Largest number of rows in the static table.
pub const MAX_ROWS: usize = 500;

/// Largest number of pictures inside the page.
pub const MAX_PICTURES: usize = 20;

/// Settings of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Upward direction of the assembly.
    pub up: Vec3,
    /// Instances that the page shows; the others keep their names.
    pub selection: Selection,
    /// Number of pictures, at most [`MAX_PICTURES`].
    pub pictures: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { up: Vec3::z(), selection: Selection::All, pictures: MAX_PICTURES }
    }
}

/// Writes the page of a run. `findings` are those of [`crate::scene::findings()`], worst first.
///
/// The same input gives the same bytes on every machine. Cost: linear in the triangles of the scene, and some 0.5 s of
/// CPU time for each finding with views.
pub fn write(scene: &Scene, judged: &Judged, findings: &[SceneFinding], options: &Options) -> Vec<u8> {
    let shown = options.selection.of(scene, findings);
    let mut used = vec![false; scene.shapes.len()];
    scene.instances.iter().zip(&shown).filter(|(_, shown)| **shown).for_each(|(i, _)| used[i.shape] = true);
    let meshes = encode::all(scene, &used, judged.outcome.settings.tolerance);
    let data = Data::new(scene, judged, findings, &meshes, &shown, options);
    template::document(scene, judged, findings, &data, &meshes, options).into_bytes()
}
