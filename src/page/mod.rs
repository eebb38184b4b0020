//! Writes the page: one HTML file with the findings of a run, readable without scripts, in 3D with them.
//!
//! - `encode`: meshes as text
//! - `budget`: meshes within the largest size of a page
//! - `data`: JSON of the page
//! - `findings`: lines of findings in that JSON
//! - `motion`: joints, and findings of poses and sweeps, in that JSON
//! - `rows`: static table and pictures
//! - `template`: the document, with its policy against foreign scripts
//! - `viewer.js`, `viewer.css`: the program and the style of the page; the program is written without indentation and
//!   lines of comment

pub(crate) mod budget;
pub(crate) mod data;
pub(crate) mod encode;
pub(crate) mod findings;
pub(crate) mod motion;
pub(crate) mod rows;
pub(crate) mod template;

use crate::check::Progress;
use crate::findings::Judged;
use crate::geom::Vec3;
use crate::page::data::Data;
use crate::scene::{RunFinding, Scene, SceneFinding, Selection};

/// Largest number of findings in the list; the page counts the others.
pub const MAX_LISTED: usize = 10_000;

/// Largest number of findings with chosen views; the others open from above.
pub const MAX_VIEWS: usize = 1_000;

/// Largest number of rows in the static table.
pub const MAX_ROWS: usize = 500;

/// Largest number of pictures inside the page.
pub const MAX_PICTURES: usize = 20;

/// Largest size of a page (bytes), unless the user sets another.
pub const MAX_BYTES: usize = 20_000_000;

/// Settings of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Upward direction of the assembly.
    pub up: Vec3,
    /// Instances that the page shows; the others keep their names.
    pub selection: Selection,
    /// Number of pictures, at most [`MAX_PICTURES`].
    pub pictures: usize,
    /// Largest size (bytes).
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { up: Vec3::z(), selection: Selection::All, pictures: MAX_PICTURES, max_bytes: MAX_BYTES }
    }
}

/// Findings of a page.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// Findings of the drawing, those of [`crate::scene::findings()`].
    pub findings: &'a [SceneFinding],
    /// Findings of the poses and sweeps, those of [`crate::scene::run_findings()`].
    pub run_findings: &'a [RunFinding],
    /// Poses and sweeps as outcomes of their own, those of [`Judged::runs`].
    pub runs: &'a [Judged],
}

/// A page, and sentences about what it leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTML file.
    pub bytes: Vec<u8>,
    /// Sentences for the user; the page states the same.
    pub notes: Vec<String>,
}

/// Bytes of the notes and of longer numbers in a page with fewer triangles, at most.
const NOTES: usize = 4_096;

/// Writes the page of a run.
///
/// The same input gives the same bytes on every machine. A page beyond the largest size loses triangles first, then
/// parts (`budget`). Cost: linear in the triangles of the scene, and some 0.5 s of CPU time for each finding with
/// views.
pub fn write(scene: &Scene, judged: &Judged, found: &Found<'_>, options: &Options, progress: &dyn Progress) -> Page {
    let of_runs = found.run_findings.iter().map(|found| found.finding.clone());
    let findings: Vec<SceneFinding> = found.findings.iter().cloned().chain(of_runs).collect();
    let findings = findings.as_slice();
    let shown = options.selection.of(scene, findings);
    let mut used = vec![false; scene.shapes.len()];
    scene.instances.iter().zip(&shown).filter(|(_, shown)| **shown).for_each(|(i, _)| used[i.shape] = true);
    let tolerance = judged.outcome.settings.tolerance;
    let meshes = encode::all(scene, &used, tolerance);
    let mut data = Data::new(scene, judged, found, options, progress);
    let pictures = rows::pictures(scene, judged, found, options);
    data.show(scene, &meshes, &shown);
    let page = template::document(judged, found, &data, &meshes, &pictures, &[]);
    if page.len() <= options.max_bytes {
        return Page { bytes: page.into_bytes(), notes: Vec::new() };
    }
    let rest = page.len() - meshes.iter().map(|m| m.text.len()).sum::<usize>() + NOTES;
    drop(page);
    let limit = options.max_bytes.saturating_sub(rest);
    let budget::Fitted { meshes, shown, mut notes } = budget::fit(scene, findings, tolerance, (meshes, shown), limit);
    if rest > options.max_bytes {
        let size = rest as f64 / 1e6;
        notes.push(format!("the page has {size:.1} MB without any mesh, more than --max-page allows"));
    }
    data.show(scene, &meshes, &shown);
    Page { bytes: template::document(judged, found, &data, &meshes, &pictures, &notes).into_bytes(), notes }
}
