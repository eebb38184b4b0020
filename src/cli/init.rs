//! Runs `interfere init`: writes an assembly file for a folder of meshes, or above a file of an assembly.

use crate::cli::cad_files::CadFiles;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::flags::{ColorChoice, INPUT, REPORT, unit};
use crate::cli::init_above;
use crate::cli::target::Target;
use crate::error::{Error, Location};
use crate::geom::LengthUnit;
use crate::report::number::count;
use clap::Args as ClapArgs;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

/// Writes an assembly file with every mesh below a folder as a part, placed once at its own coordinates; or above the
/// file of an assembly, with a sweep for each joint.
///
/// # Errors
/// Refuses an unreadable assembly, an unreadable folder, a folder without meshes, a folder with an assembly file if no
/// output is named, a name unfit for an assembly file, and an existing or unwritable file.
pub fn run(args: &InitArgs, quiet: bool, color: ColorChoice, console: &mut Console<'_>) -> Result<Exit, Failure> {
    if args.folder.is_file() {
        return init_above::run(args, console);
    }
    if args.output.is_none() {
        refuse_second_assembly(&args.folder)?;
    }
    let target = args.target(&args.folder);
    let mut found = Found::default();
    find(&args.folder, &mut Vec::new(), &mut found)?;
    let Found { mut meshes, cad } = found;
    // The order of a folder listing varies.
    meshes.sort_unstable();
    let ways = cad.ways();
    if meshes.is_empty() {
        let what = "no STL, OBJ, PLY or OFF file in it or below it";
        if ways.is_empty() {
            return Err(refuse(&args.folder, what, "name the folder of the meshes"));
        }
        let fix = format!("{}; docs/how-to/export-from-cad.md shows the steps", ways.join("; "));
        return Err(refuse(&args.folder, what, &fix));
    }
    let from = place_of(&target)?;
    let folder = fs::canonicalize(&args.folder).map_err(|e| unreadable(&args.folder, &e))?;
    let prefix = way(&from, &folder)
        .ok_or_else(|| refuse(&from, "on another drive than the meshes", "write the file beside them"))?;
    let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or("assembly").to_owned();
    let text = file(&name, args.units.unwrap_or(LengthUnit::Mm).name(), &prefix, &meshes);
    let n = meshes.len() as u64;
    write(&target, &text, &format!("{}, {}", count(n, "part"), count(n, "instance")), console)?;
    if !quiet {
        let colour = console.terminal.paints(color, console.terminal.stderr);
        for way in ways {
            console.note(format_args!("left out: {way}"), colour);
        }
    }
    Ok(Exit::Pass)
}

/// Writes the text of a new file; prints its content in short, unless it goes to stdout.
pub(crate) fn write(target: &Target, text: &str, content: &str, console: &mut Console<'_>) -> Result<(), Failure> {
    let Target::File(path) = target else {
        return target.write(console.stdout, |out| out.write_all(text.as_bytes()));
    };
    create(path, text)?;
    Target::Stdout.write(console.stdout, |out| writeln!(out, "{content}: {}", path.display()))
}

/// Name of the assembly file in a folder.
const ASSEMBLY: &str = "assembly.json";

/// Endings of mesh files, in lower case.
pub(crate) const MESH_ENDINGS: [&str; 4] = ["stl", "obj", "ply", "off"];

/// Refuses a folder with an assembly file, unless the output is named: a second one would forget its placements and
/// rules.
fn refuse_second_assembly(folder: &Path) -> Result<(), Failure> {
    let file = folder.join(ASSEMBLY);
    if fs::symlink_metadata(&file).is_err() {
        return Ok(());
    }
    let shown = file.display();
    let what = "the folder has an assembly file already, which is kept";
    let fix = format!(
        "`interfere check {shown}` checks it; `interfere init {shown} -o FILE` writes a file above it; \
         `-o FILE` writes another one from the meshes"
    );
    Err(refuse(&file, what, &fix))
}

/// Files below a folder.
#[derive(Default)]
struct Found {
    /// Names from the folder down to each mesh.
    meshes: Vec<Vec<String>>,
    /// CAD files of other kinds.
    cad: CadFiles,
}

pub(crate) fn refuse(path: &Path, what: impl Into<String>, fix: &str) -> Failure {
    Failure::Input(Error::one(Location::file(path.display().to_string()), what, fix))
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    refuse(path, format!("cannot read the folder: {error}"), "check the path")
}

/// Collects the meshes of a folder and of all folders below it, as names from `folder` down. Skips hidden entries, and
/// links to folders, since they could form a cycle.
fn find(folder: &Path, names: &mut Vec<String>, found: &mut Found) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(|e| unreadable(folder, &e))? {
        let entry = entry.map_err(|e| unreadable(folder, &e))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|e| unreadable(&path, &e))?;
        let is_mesh =
            path.extension().is_some_and(|e| MESH_ENDINGS.iter().any(|ending| e.eq_ignore_ascii_case(ending)));
        let is_file = kind.is_file() || (kind.is_symlink() && path.is_file());
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        if is_file && !is_mesh {
            found.cad.note(&name.to_string_lossy());
        }
        if !(kind.is_dir() || (is_file && is_mesh)) {
            continue;
        }
        let Some(name) = name.to_str().filter(|n| !n.contains('\\')) else {
            return Err(refuse(&path, "its name is not UTF-8 or has a backslash in it", "rename it"));
        };
        names.push(name.to_owned());
        if kind.is_dir() {
            find(&path, names, found)?;
        } else {
            found.meshes.push(names.clone());
        }
        names.pop();
    }
    Ok(())
}

/// Base folder of the paths in the file. Refuses an existing file.
pub(crate) fn place_of(target: &Target) -> Result<PathBuf, Failure> {
    let folder = match target {
        Target::Stdout => PathBuf::from("."),
        Target::File(path) => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(refuse(
                    path,
                    "is there already, and is kept",
                    "remove it, or name another file with --output",
                ));
            }
            if let Some((what, _)) = Target::obstacle(path) {
                return Err(refuse(path, what, "choose another place"));
            }
            path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
        }
    };
    fs::canonicalize(&folder).map_err(|e| unreadable(&folder, &e))
}

/// Relative path from one canonical folder to another, as names; `None` across drives.
pub(crate) fn way(from: &Path, to: &Path) -> Option<Vec<String>> {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| Some("..".to_owned()));
    let down = to[common..].iter().map(|c| match c {
        Component::Normal(name) => name.to_str().filter(|n| !n.contains('\\')).map(str::to_owned),
        _ => None,
    });
    up.chain(down).collect()
}

/// Builds a name from the path of a mesh.
type Naming<'a> = &'a dyn Fn(&[String]) -> String;

/// Unique id of each mesh, without `/`: its file's stem; else its folders and stem; else its whole path, with `+` added
/// until unique.
fn ids(meshes: &[Vec<String>]) -> Vec<String> {
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let ways: [Naming<'_>; 3] =
        [&|names| names.last().map_or_else(String::new, |n| stem(n)), &|names| stem(&names.join("-")), &|names| {
            names.join("-")
        }];
    let mut ids: Vec<Option<String>> = vec![None; meshes.len()];
    let mut used = BTreeSet::new();
    for way in &ways {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (k, mesh) in meshes.iter().enumerate().filter(|(k, _)| ids[*k].is_none()) {
            by_name.entry(way(mesh)).or_default().push(k);
        }
        for (name, with_it) in by_name {
            if let [k] = with_it[..]
                && used.insert(name.clone())
            {
                ids[k] = Some(name);
            }
        }
    }
    let mut marked = |mesh: &[String]| {
        let mut name = mesh.join("-");
        while !used.insert(name.clone()) {
            name.push('+');
        }
        name
    };
    ids.into_iter().zip(meshes).map(|(id, mesh)| id.unwrap_or_else(|| marked(mesh))).collect()
}

/// The text of the assembly file.
fn file(name: &str, units: &str, prefix: &[String], meshes: &[Vec<String>]) -> String {
    let text = |t: &str| serde_json::Value::from(t).to_string();
    let mut parts = String::new();
    let mut instances = String::new();
    for (k, (id, mesh)) in ids(meshes).iter().zip(meshes).enumerate() {
        let comma = if k + 1 < meshes.len() { "," } else { "" };
        let path: Vec<&str> = prefix.iter().chain(mesh).map(String::as_str).collect();
        let (id, path) = (text(id), text(&path.join("/")));
        // Writing to a String cannot fail.
        let _ = writeln!(parts, "    {id}: {{ \"mesh\": {path} }}{comma}");
        let _ = writeln!(instances, "    {{ \"id\": {id}, \"part\": {id} }}{comma}");
    }
    let (name, units) = (text(name), text(units));
    format!(
        "{{\n  \"version\": 1,\n  \"name\": {name},\n  \"units\": {units},\n  \"parts\": {{\n{parts}  }},\n  \"instances\": [\n{instances}  ]\n}}\n"
    )
}

/// Writes a new file; refuses an existing one.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |source| Failure::Output { file: path.display().to_string(), source };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(|source| {
        // Removes the partial file: it would block the next try.
        let _ = fs::remove_file(path);
        failed(source)
    })
}

const END: &str = "\
Exit codes:
  0  the assembly file is written
  2  no file written: usage, no mesh in the folder, an assembly file in it, output not written

Examples:
  interfere init meshes                    write meshes/assembly.json
  interfere init arm.urdf                  write assembly.json above it, with a sweep for each joint
  interfere init meshes --units inch -o -  print it, for meshes in inches";

/// The flags of `init`.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = END)]
pub struct InitArgs {
    /// Folder of the meshes, or the file of an assembly.
    ///
    /// Takes every STL, OBJ, PLY and OFF file in the folder and below it.
    ///
    /// For the file of an assembly (JSON, glTF, 3MF, URDF, MJCF, SDF, STEP), the new file places it once, and sweeps
    /// each of its joints alone over its whole range.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The file to write, `-` for stdout [default: FOLDER/assembly.json].
    ///
    /// The command fails if the file exists.
    #[arg(long, short, value_name = "FILE", help_heading = REPORT)]
    pub output: Option<PathBuf>,

    /// The unit of the meshes: um, mm, cm, m, inch or ft [default: mm].
    #[arg(long, value_name = "UNIT", value_parser = unit, help_heading = INPUT)]
    pub units: Option<LengthUnit>,
}

impl InitArgs {
    /// The file to write; without one, `assembly.json` in a folder.
    pub(crate) fn target(&self, folder: &Path) -> Target {
        self.output.clone().map_or_else(|| Target::File(folder.join(ASSEMBLY)), Target::of_argument)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids_of(meshes: &[&str]) -> Vec<String> {
        ids(&meshes.iter().map(|m| m.split('/').map(str::to_owned).collect()).collect::<Vec<_>>())
    }

    #[test]
    fn ids_are_file_names_if_distinct() {
        for (meshes, expected) in [
            (&["a.stl", "b.obj"][..], &["a", "b"][..]),
            (&["left/jaw.stl", "right/jaw.stl", "key.stl"], &["left-jaw", "right-jaw", "key"]),
            (&["a.obj", "a.stl"], &["a.obj", "a.stl"]),
            (&["a-b.stl", "a/b.stl", "c/b.stl"], &["a-b", "a-b.stl", "c-b"]),
            (&["a-b.stl", "a/b.stl", "c/a-b.stl"], &["a-b", "b", "c-a-b"]),
            (&["v1.2.stl", "v1.3.stl"], &["v1.2", "v1.3"]),
        ] {
            assert_eq!(ids_of(meshes), expected);
        }
    }

    #[test]
    fn ids_are_unique_for_any_file_names() {
        let names = [
            "a.stl",
            "a.obj",
            "a/a.stl",
            "a-a.stl",
            "a/a-a.stl",
            "a-a-a.stl",
            "a-a.stl.stl",
            "a/a.stl.obj",
            "a-a.stl-2.stl",
        ];
        let ids = ids_of(&names);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), names.len(), "{ids:?}");
        assert!(ids.iter().all(|id| !id.is_empty() && !id.contains('/')));
    }

    #[test]
    fn relative_path_between_folders() {
        let way = |a: &str, b: &str| way(Path::new(a), Path::new(b)).expect("one drive").join("/");
        assert_eq!(way("/a/b", "/a/b/c/d"), "c/d");
        assert_eq!(way("/a/b/c", "/a/d"), "../../d");
        assert_eq!(way("/a", "/a"), "");
    }
}
