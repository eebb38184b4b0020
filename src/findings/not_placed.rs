//! Warns about an assembly whose instances were never placed.

use crate::check::{Outcome, Status};
use crate::error::{Location, Warning, WarningCode};
use std::collections::BTreeSet;

/// Warning about an assembly with one placement for all instances, if a part is placed twice, or most pairs interfere.
/// Meshes in the coordinates of their assembly have one placement, too, but their parts lie side by side.
pub(crate) fn not_placed(outcome: &Outcome) -> Option<Warning> {
    let n = outcome.instances.len() as u64;
    let first = outcome.instances.first()?;
    if n < 2 || outcome.instances.iter().any(|i| i.placement != first.placement) {
        return None;
    }
    let parts: BTreeSet<u32> = outcome.instances.iter().map(|i| i.part.0).collect();
    let twice = (parts.len() as u64) < n;
    let overlapping = outcome.counts.of(Status::Interference);
    let checked = outcome.possible_pairs - outcome.counts.of(Status::Ignored);
    // One part may interfere with each of the others; more than these pairs need another cause.
    if !twice && (overlapping < n || 2 * overlapping < checked) {
        return None;
    }
    let why = if twice {
        "a part lies twice in one place".to_owned()
    } else {
        format!("{overlapping} of {checked} pairs overlap")
    };
    let message = format!("all {n} instances have the same placement, and {why}; give each instance its `placement`");
    Some(Warning { at: Some(Location::file(&outcome.path)), ..Warning::new(WarningCode::NotPlaced, message) })
}
