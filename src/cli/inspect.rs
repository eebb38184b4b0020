//! Runs `interfere inspect`: measures mesh files.

use crate::check;
use crate::cli::decompose::FormatChoice;
use clap::Args as ClapArgs;
use std::path::PathBuf;

use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::REPORT;
use crate::cli::settings::format;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use crate::io::{FsLoader, Loader};
use crate::mesh::{self, LoadedMesh};
use crate::report::inspect::{HullReport, MeshReport, render};
use crate::shape::hull;
use std::io;
use std::path::Path;

/// Examines each file, reports the meshes and prints an error for each other file.
///
/// # Errors
/// Returns the error of a failed write.
pub fn run(
    args: &InspectArgs,
    examine: &dyn Fn(&Path) -> Result<MeshReport, Error>,
    console: &mut Console<'_>,
    colours: (bool, bool),
) -> Result<Exit, Failure> {
    let (mut meshes, mut errors) = (Vec::new(), Vec::new());
    for path in &args.meshes {
        match examine(path) {
            Ok(mesh) => meshes.push(mesh),
            Err(error) => errors.push(error),
        }
    }
    Target::Stdout.write(console.stdout, |out| render(&meshes, format(args.format), colours.0, out))?;
    // One call for each file, so that the limit of printed messages never hides one.
    for error in &errors {
        console.errors(error, colours.1);
    }
    Ok(if errors.is_empty() { Exit::Pass } else { Exit::NotDecided })
}

/// Reads and measures one mesh file.
///
/// # Errors
/// Refuses a file without a readable mesh; the error names the file.
pub fn examine(path: &Path) -> Result<MeshReport, Error> {
    let shown = path.to_string_lossy().replace('\\', "/");
    let bytes = FsLoader.read(path).map_err(|e| match e.kind() {
        io::ErrorKind::IsADirectory => {
            let fix = format!("name the mesh files in it, as in `interfere inspect {shown}/*.stl`");
            Error::one(Location::file(&shown), "a folder, not a mesh", fix)
        }
        io::ErrorKind::NotFound => Error::one(Location::file(&shown), "no such file", "check the path"),
        _ => Error::one(Location::file(&shown), format!("cannot read the file: {e}"), "check the path"),
    })?;
    let loaded = mesh::load(&bytes).map_err(|e| Error::from(check::locate(e, &shown)))?;
    drop(bytes);
    Ok(measured(shown, loaded))
}

fn measured(path: String, loaded: LoadedMesh) -> MeshReport {
    let rounding = loaded.rounding();
    let LoadedMesh { format, solids, mesh, health, warnings, .. } = loaded;
    let hull = hull::convex_hull(&mesh.vertices);
    let facets = hull::facets(&hull);
    let hull_volume = hull::measure(&hull).volume;
    MeshReport {
        path,
        format: format.name().to_owned(),
        solids: solids.into(),
        triangles: health.triangles,
        vertices: health.vertices,
        shells: health.shells.into(),
        closed: health.closed,
        open_edges: health.open_edges,
        non_manifold_edges: health.non_manifold_edges,
        misoriented_edges: health.misoriented_edges,
        degenerate_triangles: health.degenerate_triangles,
        duplicate_triangles: health.duplicate_triangles,
        inside_out: health.inside_out,
        volume: health.volume,
        area: health.area,
        bounds: health.bounds,
        obb: hull::fit_obb(&hull, &facets, hull::Tried::Large),
        hull: HullReport {
            vertices: hull.vertices.len() as u64,
            facets: if hull.rank == 3 { facets.len() as u64 } else { 0 },
            volume: hull_volume,
        },
        convexity: health.volume.filter(|_| hull_volume > 0.0).map(|v| v / hull_volume),
        facet_error: mesh::facet_error(&mesh, rounding),
        warnings: warnings.into_iter().map(|w| (w.code, w.message)).collect(),
    }
}

const END: &str = "\
Exit codes:
  0  every file is a mesh
  2  a file is not a readable mesh; the others are in the report

Examples:
  interfere inspect parts/*.stl                  size, volume and defects of each mesh
  interfere inspect bracket.stl --format json    every number";

/// The flags of `inspect`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct InspectArgs {
    /// Mesh files: STL (binary or ASCII), OBJ, PLY or OFF.
    #[arg(value_name = "MESH", required = true)]
    pub meshes: Vec<PathBuf>,

    /// `table` for people, `json` for programs [default: table].
    #[arg(long, value_enum, default_value = "table", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: FormatChoice,
}
