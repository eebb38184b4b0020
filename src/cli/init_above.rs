//! Runs `interfere init FILE`: writes an assembly file above another one, with a sweep for each joint.

use crate::assembly::{self, Assembly, LoadOptions};
use crate::cli::assembly_files::with_advice;
use crate::cli::console::Console;
use crate::cli::exit::{Exit, Failure};
use crate::cli::init::{InitArgs, place_of, refuse, unreadable, way, write};
use crate::cli::input_files::InputFiles;
use crate::motion::{AS_DRAWN, sweep_name};
use crate::report::number::count;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Writes a file that places the assembly of `args.folder` once.
///
/// # Errors
/// Refuses what `check` refuses to read, an existing file, and a file on another drive.
pub(crate) fn run(args: &InitArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let file = args.folder.as_path();
    if args.units.is_some() {
        let what = "--units is the unit of the meshes of a folder, and this is a file";
        return Err(refuse(file, what, "remove the flag; the file has its own unit"));
    }
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let target = args.target(folder);
    let from = place_of(&target)?;
    let resolved = fs::canonicalize(folder).map_err(|e| unreadable(folder, &e))?;
    let name = |name: Option<&std::ffi::OsStr>| name.and_then(|n| n.to_str()).map(str::to_owned);
    let (Some(own), Some(stem)) = (name(file.file_name()), name(file.file_stem())) else {
        return Err(refuse(file, "its name is not UTF-8", "rename it"));
    };
    let mut path = way(&from, &resolved)
        .ok_or_else(|| refuse(&from, "on another drive than the assembly", "write the file beside it"))?;
    path.push(own);
    let id = if stem == "assembly" { name(resolved.file_name()).unwrap_or(stem) } else { stem };
    let files = InputFiles::new(false, None);
    let loaded = assembly::load(file, &files, &LoadOptions::default());
    let assembly = loaded.map_err(|error| with_advice(file, &files, error))?;
    let sweeps = sweeps(&assembly, &id);
    let content = format!("{}, {}", count(1, "instance"), count(sweeps.len() as u64, "sweep"));
    write(&target, &text(&id, &path.join("/"), &sweeps), &content, console)?;
    Ok(Exit::Pass)
}

/// Names of the sweeps and of their joints.
fn sweeps(assembly: &Assembly, id: &str) -> Vec<(String, String)> {
    let mut names = BTreeSet::from([AS_DRAWN.to_owned()]);
    let sweep = |joint: &String| {
        let name = sweep_name(joint, |name| names.contains(name));
        names.insert(name.clone());
        (name, format!("{id}/{joint}"))
    };
    let joints = assembly.joints_to_sweep();
    joints.iter().map(|ix| &assembly.motion.joints[ix.0 as usize].name).map(sweep).collect()
}

fn text(id: &str, path: &str, sweeps: &[(String, String)]) -> String {
    let text = |t: &str| serde_json::Value::from(t).to_string();
    let sweep = |(name, joint): &(String, String)| {
        let comment = "REVIEW: this joint alone, over its whole range; the others stay as drawn";
        format!("    {}: {{ \"comment\": \"{comment}\", \"joints\": {{ {}: \"range\" }} }}", text(name), text(joint))
    };
    let sweeps: Vec<String> = sweeps.iter().map(sweep).collect();
    let sweeps =
        if sweeps.is_empty() { String::new() } else { format!(",\n  \"sweeps\": {{\n{}\n  }}", sweeps.join(",\n")) };
    let (id, path) = (text(id), text(path));
    format!(
        "{{\n  \"version\": 1,\n  \"name\": {id},\n  \"instances\": [\n    {{ \"id\": {id}, \"assembly\": {path} }}\n  ]{sweeps}\n}}\n"
    )
}
