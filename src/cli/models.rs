//! Makes the models of a run: GLB for 3D viewers, STL of the common solids for CAD programs.

use crate::cli::drawing_flags::SceneSettings;
use crate::cli::report_flags::OutputFormat;
use crate::error::{Error, Location};
use crate::findings::Judged;
use crate::mesh::TriMesh;
use crate::model::{self, Model};
use crate::scene::{Overlaps, Scene, SceneFinding};
use std::slice;

/// Bytes of the GLB file of findings and their overlaps.
///
/// # Errors
/// Refuses a model of more than 4 GiB.
pub(crate) fn glb(
    scene: &Scene,
    judged: &Judged,
    findings: &[SceneFinding],
    overlaps: &Overlaps,
    settings: &SceneSettings,
) -> Result<Vec<u8>, Error> {
    let model = Model { scene, judged, findings, overlaps, up: settings.format.up, selection: settings.selection };
    model::glb(&model).map_err(|_| {
        let what = "the model has more than 4 GiB, the limit of a GLB file";
        Error::one(Location::default(), what, "leave out other parts with --scene near or --scene pairs")
    })
}

/// Bytes of the STL file of all common solids, and the number of findings without one.
///
/// # Errors
/// Refuses solids that STL cannot hold.
pub(crate) fn stl(judged: &Judged, overlaps: &Overlaps) -> Result<(Vec<u8>, usize), Error> {
    let findings = overlaps.of.len();
    let solids: Vec<_> = (0..findings).filter_map(|k| overlaps.solid(k).ok()).collect();
    Ok((stl_of(&solids, judged)?, findings - solids.len()))
}

/// Bytes of the model of one pair; call it in the thread pool of the run.
///
/// # Errors
/// Returns the errors of the format; refuses STL of a pair without a common solid, with the reason.
pub(crate) fn of_pair(
    format: OutputFormat,
    scene: &Scene,
    judged: &Judged,
    finding: &SceneFinding,
    settings: &SceneSettings,
) -> Result<Vec<u8>, Error> {
    let findings = slice::from_ref(finding);
    let overlaps = Overlaps::new(scene, findings);
    if format == OutputFormat::Glb {
        return glb(scene, judged, findings, &overlaps, settings);
    }
    let solid = overlaps.solid(0).map_err(|reason| {
        let [a, b] = finding.pair.map(|i| judged.outcome.id(i));
        let what = format!("`{a}` and `{b}` have no common solid: {}", reason.reason());
        let fix = "write the pair as a picture (.png) or as a model (.glb)";
        Error::one(Location::file(&judged.outcome.path), what, fix)
    })?;
    stl_of(&[solid], judged)
}

fn stl_of(solids: &[TriMesh], judged: &Judged) -> Result<Vec<u8>, Error> {
    model::stl(solids, judged.outcome.units).map_err(|e| {
        Error::one(Location::default(), format!("STL cannot hold the common solids: {e}"), "write a GLB file")
    })
}
