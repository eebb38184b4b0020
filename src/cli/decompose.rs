//! Runs `interfere decompose`: covers a mesh with convex pieces and writes them to files.

use crate::check::{self, EPSILON_OF_DIAGONAL};
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{GEOMETRY, MAX_PIECES, MOST_PIECES, REPORT, TextChoice, mesh_length};
use crate::cli::target::Target;
use crate::error::{Error, Location, Warning, WarningCode};
use crate::geom::tolerance::roundoff_mm;
use crate::geom::unit::format_number;
use crate::geom::{Aabb, Vec3};
use crate::io::{FsLoader, Loader};
use crate::mesh::{self, LoadedMesh, TriMesh};
use crate::report::Format;
use crate::report::decompose::{DecomposeReport, PieceMesh, f32_growth, piece_name, render, write_obj, write_stl};
use crate::shape::decompose::verify::boundary_of_cover;
use crate::shape::decompose::{Decomposition, Limits, decompose};
use crate::shape::hull::{self, Hull};
use crate::shape::polytope::Convex;
use crate::shape::self_union::SelfUnion;
use crate::shape::surface::{Inside, Surface};
use clap::{Args as ClapArgs, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Covers the mesh, writes the pieces and prints a report.
///
/// # Errors
/// Refuses an unreadable mesh, a mesh without an inside (unless `--hull`), a failed cover and an unwritable output.
pub fn run(args: &DecomposeArgs, quiet: bool, colour: bool, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let place = Place::of(&args.output, &args.mesh)?;
    let shown = slashes(&args.mesh);
    let loaded = read(&args.mesh, &shown)?;
    let covered = cover(args, &shown, loaded)?;
    let grown = place.write(&shown, &covered.pieces, console)?;
    if !quiet {
        console.warnings(&covered.report.warnings, colour);
    }
    let report = DecomposeReport { output: slashes(&args.output), grown, ..covered.report };
    let format = match args.format {
        TextChoice::Text => Format::Table,
        TextChoice::Json => Format::Json,
    };
    Target::Stdout.write(console.stdout, |out| render(&report, format, out))?;
    Ok(Exit::Pass)
}

pub(crate) fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn refuse(path: &str, what: impl Into<String>, fix: &str) -> Failure {
    Failure::Input(Error::one(Location::file(path), what, fix))
}

fn read(path: &Path, shown: &str) -> Result<LoadedMesh, Error> {
    let bytes = FsLoader
        .read(path)
        .map_err(|e| Error::one(Location::file(shown), format!("cannot read the file: {e}"), "check the path"))?;
    Ok(mesh::load_owned(bytes).map_err(|e| check::locate(e, shown))?)
}

/// Pieces and their report; `output` and `grown` are set later.
struct Covered {
    pieces: Vec<Hull>,
    report: DecomposeReport,
}

fn cover(args: &DecomposeArgs, shown: &str, loaded: LoadedMesh) -> Result<Covered, Failure> {
    let LoadedMesh { mesh, health, warnings, .. } = loaded;
    let mut warnings: Vec<Warning> = warnings.into_iter().map(|w| Warning::new(w.code, w.message)).collect();
    let bounds = Aabb::of_points(&mesh.vertices);
    let asked = args.epsilon.unwrap_or(EPSILON_OF_DIAGONAL * bounds.diagonal());
    let inside = if health.enclosing { Inside::Solid } else { Inside::Undefined };
    let started = Instant::now();
    // Stays in the mesh's frame, so that written coordinates equal the coordinates read.
    let surface = Surface::new(&mesh, &Vec3::zeros(), inside);
    let (found, volume) = if health.enclosing {
        (covered(surface.solid(), shown, args, asked, bounds.diagonal())?, volume(&surface))
    } else if args.hull {
        warnings.push(Warning::new(
            WarningCode::NotDecomposed,
            "the mesh has no definite inside; the output is its convex hull",
        ));
        (its_hull(&mesh, shown)?, None)
    } else {
        let edges = match health.open_edges {
            0 => String::new(),
            1 => " (1 open edge)".to_owned(),
            n => format!(" ({n} open edges)"),
        };
        let what = format!("the mesh has no definite inside{edges}, so it has no solid to cover");
        return Err(refuse(
            shown,
            what,
            "close it (`interfere inspect` shows the defects), or write its convex hull with --hull",
        ));
    };
    let Found { of: found, union_volume, at } = found;
    let epsilon = Some(found.epsilon).filter(|e| e.is_finite());
    if epsilon.is_some_and(|e| e > asked) {
        let message = format!(
            "the pieces overshoot the mesh by up to {}, more than the requested {}; raise --max-pieces or --epsilon",
            format_number(found.epsilon),
            format_number(asked)
        );
        warnings.push(Warning::new(WarningCode::EpsilonNotReached, message));
    }
    let report = DecomposeReport {
        mesh: shown.to_owned(),
        output: String::new(),
        triangles: health.triangles,
        pieces: found.pieces.len() as u64,
        epsilon,
        asked,
        volume,
        pieces_volume: found.pieces.iter().map(|h| hull::measure(h).volume).sum(),
        union_volume,
        grown: None,
        seconds: at.duration_since(started).as_secs_f64(),
        warnings,
    };
    Ok(Covered { pieces: found.pieces, report })
}

/// Decomposition of a mesh.
struct Found {
    of: Decomposition,
    /// Volume of the union of the pieces (cube of the mesh's unit, >= 0); `None` if its computation failed.
    union_volume: Option<f64>,
    /// End of the decomposition and its check.
    at: Instant,
}

/// Covers the mesh and checks the cover.
fn covered(
    surface: &Surface,
    shown: &str,
    args: &DecomposeArgs,
    epsilon: f64,
    diagonal: f64,
) -> Result<Found, Failure> {
    // Cells overlap by rounding only: here a ball may span several pieces.
    let inflation = roundoff_mm(diagonal, surface.bounds.max_abs(), 0.0);
    let limits = Limits { epsilon, max_pieces: args.max_pieces as usize, inflation };
    let Some(found) = decompose(surface, &limits) else {
        return Err(refuse(shown, "the mesh encloses too little volume for convex pieces", "check its units"));
    };
    let Some(boundary) = boundary_of_cover(surface, &found) else {
        return Err(refuse(
            shown,
            "the pieces do not pass the check that they cover the mesh",
            "this is an error of the program: please report it",
        ));
    };
    Ok(Found { of: found, union_volume: boundary.volume(), at: Instant::now() })
}

/// Takes the convex hull as the only piece; its overshoot is unknown (infinite).
fn its_hull(mesh: &TriMesh, shown: &str) -> Result<Found, Failure> {
    let hull = hull::convex_hull(&mesh.vertices);
    if hull.rank == 3 {
        let union_volume = Some(hull::measure(&hull).volume);
        let of = Decomposition { pieces: vec![hull], epsilon: f64::INFINITY };
        Ok(Found { of, union_volume, at: Instant::now() })
    } else {
        Err(refuse(shown, "the mesh is flat and has no volume to cover", "name a solid mesh"))
    }
}

/// Volume of a closed surface's solid (cube of its unit, >= 0); `None` if its self-union failed.
fn volume(surface: &Surface) -> Option<f64> {
    if matches!(surface.overlaps(), SelfUnion::Unresolved(_)) {
        return None;
    }
    Some(surface.solid().volume())
}

/// True if a mesh has the place of a piece in a folder.
fn is_piece_in(mesh: &Path, folder: &Path) -> bool {
    let is_piece = mesh.file_name().is_some_and(|name| piece_number(&name.to_string_lossy()).is_some());
    let (Ok(mesh), Ok(folder)) = (mesh.canonicalize(), folder.canonicalize()) else { return false };
    is_piece && mesh.parent() == Some(&folder)
}

/// Output of the pieces.
enum Place {
    /// One OBJ file.
    Obj(PathBuf),
    /// Folder with one STL file for each piece.
    Folder(PathBuf),
}

impl Place {
    fn of(output: &Path, mesh: &Path) -> Result<Self, Failure> {
        let shown = slashes(output);
        let extension = output.extension().map(|e| e.to_string_lossy().to_lowercase());
        let is_folder = output.is_dir() || shown.ends_with('/') || extension.is_none();
        if is_folder {
            return match (output.exists() && !output.is_dir(), shown == "-") {
                (true, _) => Err(refuse(&shown, "the path is a file", "name a folder, or a file that ends in `.obj`")),
                (_, true) => Err(refuse(
                    &shown,
                    "the command writes no pieces to stdout",
                    "name a folder, or a file that ends in `.obj`",
                )),
                _ if is_piece_in(mesh, output) => {
                    Err(refuse(&shown, "the pieces would replace the mesh", "name another folder"))
                }
                _ => Ok(Self::Folder(output.to_owned())),
            };
        }
        if extension.as_deref() != Some("obj") {
            let fix = "end it in `.obj` for one file of all pieces, or in `/` for a folder of STL files";
            return Err(refuse(&shown, "the name is neither an OBJ file nor a folder", fix));
        }
        if let Some((what, _)) = Target::obstacle(output) {
            return Err(refuse(&shown, what, "choose another place"));
        }
        if let (Ok(from), Ok(to)) = (mesh.canonicalize(), output.canonicalize())
            && from == to
        {
            return Err(refuse(&shown, "the pieces would replace the mesh", "choose another name"));
        }
        Ok(Self::Obj(output.to_owned()))
    }

    /// Writes the pieces. Returns the largest growth of a piece (mesh's unit, >= 0), `None` for an OBJ file.
    fn write(&self, mesh: &str, pieces: &[Hull], console: &mut Console<'_>) -> Result<Option<f64>, Failure> {
        match self {
            Self::Obj(path) => {
                let all = pieces.iter().map(|h| PieceMesh { vertices: &h.vertices, triangles: &h.triangles });
                Target::File(path.clone()).write(console.stdout, |out| write_obj(mesh, all, out))?;
                Ok(None)
            }
            Self::Folder(folder) => write_folder(folder, pieces, console).map(Some),
        }
    }
}

/// Writes a binary STL file for each piece, grown so that it covers the piece after rounding. Returns the largest
/// growth (mesh's unit, >= 0).
fn write_folder(folder: &Path, pieces: &[Hull], console: &mut Console<'_>) -> Result<f64, Failure> {
    let shown = slashes(folder);
    let mut grown = Vec::with_capacity(pieces.len());
    let mut most = 0.0_f64;
    for (number, hull) in (1..).zip(pieces) {
        let Some((vertices, by)) = grown_for_f32(hull) else {
            let what = format!("{} is too thin for the single precision of STL", piece_name(number));
            return Err(refuse(&shown, what, "write a file that ends in `.obj`"));
        };
        most = most.max(by);
        grown.push(vertices);
    }
    let failed = |source| Failure::Output { file: shown.clone(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    if let Some(stale) = left_over(folder, pieces.len()).map_err(failed)? {
        let what = format!("the folder holds {stale} of an earlier run");
        return Err(refuse(&shown, what, "remove the file, or choose another folder"));
    }
    for (number, (hull, vertices)) in (1..).zip(pieces.iter().zip(&grown)) {
        let path = folder.join(format!("{}.stl", piece_name(number)));
        let piece = PieceMesh { vertices, triangles: &hull.triangles };
        Target::File(path).write(console.stdout, |out| write_stl(piece, out))?;
    }
    Ok(most)
}

/// Number of the piece in a file of this name, such as `piece-001.stl`; `None` for another file.
fn piece_number(name: &str) -> Option<usize> {
    name.strip_prefix("piece-")?.strip_suffix(".stl")?.parse().ok()
}

/// Finds a piece file of an earlier run, numbered beyond the last piece.
fn left_over(folder: &Path, pieces: usize) -> std::io::Result<Option<String>> {
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        left.extend(piece_number(&name).filter(|n| *n > pieces).map(|_| name));
    }
    left.sort_unstable();
    Ok(left.into_iter().next())
}

/// Grows a piece about the centre of its largest ball. Returns its vertices and the largest displacement (mesh's unit,
/// >= 0); `None` if the piece is too thin.
fn grown_for_f32(hull: &Hull) -> Option<(Vec<Vec3>, f64)> {
    let convex = Convex::new(hull, &hull::facets(hull));
    let center = convex.origin + convex.inner_center;
    let k = f32_growth(Aabb::of_points(&hull.vertices).max_abs(), convex.inner_radius)?;
    let farthest = hull.vertices.iter().map(|v| (v - center).norm()).fold(0.0, f64::max);
    Some((hull.vertices.iter().map(|v| v + (v - center) * k).collect(), k * farthest))
}

const EXIT_CODES_OF_DECOMPOSE: &str = "\
Exit codes:
  0  the pieces are written
  2  no file written: usage, not a mesh, a mesh without an inside, output not written

Examples:
  interfere decompose bracket.stl -o bracket.obj         write all pieces to one file
  interfere decompose bracket.stl -o pieces/ --epsilon 0.2";

/// The flags of `decompose`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = EXIT_CODES_OF_DECOMPOSE)]
pub struct DecomposeArgs {
    /// A mesh file: STL (binary or ASCII), OBJ, PLY or OFF.
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,

    /// Output: a file that ends in `.obj`, or a folder of STL files.
    ///
    /// A name that ends in `.obj` is one file with an object per piece; any other name is a folder with a binary STL
    /// file per piece. The command replaces existing files of these names.
    #[arg(long, short, value_name = "OUT", help_heading = REPORT)]
    pub output: PathBuf,

    /// Overshoot of the pieces [default: 2 % of the mesh's diagonal].
    ///
    /// The largest distance of a piece from the mesh, in the mesh's own unit. The diagonal is that of the mesh's box.
    #[arg(long, value_name = "LENGTH", value_parser = mesh_length, allow_negative_numbers = true, help_heading = GEOMETRY)]
    pub epsilon: Option<f64>,

    /// Number of pieces, at most [default: 64].
    ///
    /// If the pieces overshoot the mesh by more than --epsilon, a warning gives the distance.
    #[arg(long, value_name = "N", default_value_t = MAX_PIECES, value_parser = clap::value_parser!(u32).range(1..=MOST_PIECES))]
    #[arg(hide_default_value = true, help_heading = GEOMETRY)]
    pub max_pieces: u32,

    /// Write the hull as one piece if the mesh has no definite inside.
    #[arg(long, help_heading = GEOMETRY)]
    pub hull: bool,

    /// `text` for people, `json` for programs [default: text].
    #[arg(long, value_enum, default_value = "text", help_heading = REPORT)]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub format: TextChoice,
}

/// Values of `--format` of `inspect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatChoice {
    /// For people: a table
    Table,
    /// For programs: every number
    Json,
}
