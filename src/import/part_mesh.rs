//! A mesh file as a part.

use crate::error::{Error, Location, Problem};
use crate::geom::{Affine, LengthUnit};
use crate::import::collect::{Collector, Source};
use crate::import::names::clean;
use crate::import::recognise::{Kind, kind_of};
use crate::import::refusal::{Refusal, problem};
use crate::import::{FileFacts, ImportOptions, collada};
use crate::mesh::TriMesh;
use crate::mesh::read;

/// Triangles of a file and their unit, if the file states one.
pub(crate) struct PartMesh {
    pub(crate) mesh: TriMesh,
    pub(crate) units: Option<LengthUnit>,
}

/// Reads STL, OBJ, PLY, OFF or COLLADA; the content decides.
///
/// # Errors
/// Returns the problem of a damaged file and of another format, with the place in the file.
pub(crate) fn read_mesh(bytes: &[u8], file: &str, collector: &mut Collector) -> Result<PartMesh, Problem> {
    if kind_of(bytes) == Ok(Kind::Collada) {
        let mesh = collada::read(bytes, file, collector)?;
        return Ok(PartMesh { mesh, units: Some(LengthUnit::M) });
    }
    let parsed = read::parse(bytes).map_err(|e| {
        let at = Location { line: e.line, column: e.column, byte: e.byte, ..Location::file(file) };
        let known = read::detect(bytes).is_ok();
        problem(at, if known { Refusal::Damaged } else { Refusal::Unsupported }, e.what, e.fix)
    })?;
    for warning in &parsed.warnings {
        collector.warnings.push(crate::error::Warning {
            at: Some(Location::file(file)),
            ..crate::error::Warning::new(warning.code, warning.message.clone())
        });
    }
    Ok(PartMesh { mesh: parsed.mesh, units: None })
}

/// Reads a mesh file as an assembly of one part.
pub(crate) fn read_alone(
    bytes: &[u8],
    file: &str,
    stem: &str,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<FileFacts, Error> {
    let PartMesh { mesh, units } = read_mesh(bytes, file, collector)?;
    let units = options.units.or(units).unwrap_or(LengthUnit::Mm);
    let name = stem.to_owned();
    let ix = collector.source(Source { mesh, units, name, deflection: None, colour: None });
    collector.instance(clean(stem).unwrap_or_else(|| "part".to_owned()), ix, &Affine::identity());
    Ok(FileFacts::default())
}
