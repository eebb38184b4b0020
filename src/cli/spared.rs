//! Refuses outputs that a run cannot write, and outputs over the files that it reads.

use crate::assembly::{Assembly, MeshSource};
use crate::cli::input_files::InputFiles;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use std::path::{Path, PathBuf};

/// Refuses outputs (flag and target) at a folder, or in a missing one.
///
/// # Errors
/// Returns the first problem.
pub(crate) fn check_places<'a>(outputs: impl IntoIterator<Item = (&'static str, &'a Target)>) -> Result<(), Error> {
    for (flag, target) in outputs {
        let Target::File(path) = target else { continue };
        if let Some((obstacle, fix)) = Target::obstacle(path) {
            return Err(refused(path, format!("{flag}: {obstacle}"), fix));
        }
    }
    Ok(())
}

/// Refuses outputs over a file or mesh of the assembly, or over another one of the `files` read so far.
///
/// # Errors
/// Returns the first problem.
pub(crate) fn spare_files_of<'a>(
    outputs: impl IntoIterator<Item = (&'static str, &'a Target)>,
    assembly: &Assembly,
    files: &InputFiles,
) -> Result<(), Error> {
    let read = files.files_read();
    let others = read.iter().map(|path| (path.as_path(), "a file that this run reads"));
    let files = assembly.files.iter().map(|file| (Path::new(file), "an assembly file"));
    let meshes = assembly.parts.iter().filter_map(|part| match &part.source {
        MeshSource::File { path, .. } => Some((path.as_path(), "a mesh of the assembly")),
        MeshSource::Memory(_) => None,
    });
    spare(outputs, files.chain(meshes).chain(others))
}

/// Refuses outputs over one of the `inputs` (path and description).
///
/// # Errors
/// Returns the first problem.
pub(crate) fn spare<'a, 'b>(
    outputs: impl IntoIterator<Item = (&'static str, &'a Target)>,
    inputs: impl IntoIterator<Item = (&'b Path, &'b str)>,
) -> Result<(), Error> {
    // A missing file cannot be an input.
    let mut existing: Vec<(&str, &Path, PathBuf)> = Vec::new();
    for (flag, target) in outputs {
        if let Target::File(path) = target
            && let Ok(there) = path.canonicalize()
        {
            existing.push((flag, path, there));
        }
    }
    if existing.is_empty() {
        return Ok(());
    }
    for (input, what) in inputs {
        let input = input.canonicalize().ok();
        if let Some((flag, path, _)) = existing.iter().find(|(_, _, to)| input.as_ref() == Some(to)) {
            return Err(refused(path, format!("{flag} would replace {what}"), "name another file"));
        }
    }
    Ok(())
}

/// Error about the path of an output.
pub(crate) fn refused(path: &Path, what: String, fix: &str) -> Error {
    Error::one(Location::file(path.display().to_string()), what, fix)
}
