//! Tests of the assembly files of a command line.

use crate::cli::assembly_files::{AssemblyFiles, assembly_file, assembly_files, with_advice};
use crate::error::{Error, Location};
use crate::io::FsLoader;
use std::fs;
use std::path::{Path, PathBuf};

/// Temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[&str]) -> Self {
        let path = std::env::temp_dir().join(format!("interfere-files-{name}-{}", std::process::id()));
        for file in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        Self(path)
    }

    /// Files of the arguments, relative to the folder.
    fn find(&self, arguments: &[&str]) -> Result<(Vec<String>, bool), Error> {
        let arguments: Vec<PathBuf> = arguments.iter().map(|a| self.0.join(a)).collect();
        let AssemblyFiles { files, several } = assembly_files(&arguments)?;
        let name = |file: &PathBuf| file.strip_prefix(&self.0).unwrap().to_string_lossy().replace('\\', "/");
        Ok((files.iter().map(name).collect(), several))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn folders_and_globs_become_files() {
    let folder = Folder::new(
        "globs",
        &[
            "assembly.json",
            "b/assembly.json",
            "b/c/assembly.json",
            "b/other.json",
            "b/interfere-baseline.json",
            ".x/assembly.json",
        ],
    );
    let found = |arguments: &[&str]| folder.find(arguments).unwrap();
    let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    assert_eq!(found(&["."]), (owned(&["assembly.json"]), false));
    assert_eq!(found(&["b"]), (owned(&["b/assembly.json"]), false));
    assert_eq!(found(&["none.json"]), (owned(&["none.json"]), false));
    assert_eq!(found(&["**/assembly.json"]), (owned(&["assembly.json", "b/assembly.json", "b/c/assembly.json"]), true));
    assert_eq!(found(&["b/*"]), (owned(&["b/assembly.json", "b/c/assembly.json", "b/other.json"]), true));
    assert_eq!(found(&["b/o?her.json"]), (owned(&["b/other.json"]), true));
    // Each file once, in the order of the arguments.
    assert_eq!(found(&["b", ".", "b/assembly.json"]), (owned(&["b/assembly.json", "assembly.json"]), true));
    let error = folder.find(&["x*/assembly.json"]).unwrap_err().to_string();
    assert!(error.contains("x*/assembly.json: no assembly file matches"), "{error}");
    let error = folder.find(&["[/assembly.json"]).unwrap_err().to_string();
    assert!(error.contains("never closed"), "{error}");
}

#[test]
fn folder_argument_means_the_file_in_it() {
    assert_eq!(assembly_file(PathBuf::from("src")), Path::new("src/assembly.json"));
    assert_eq!(assembly_file(PathBuf::from(".")), Path::new("assembly.json"));
    assert_eq!(assembly_file(PathBuf::from("src/lib.rs")), Path::new("src/lib.rs"));
}

#[test]
fn advice_replaces_the_error_of_another_kind_of_file_only() {
    let folder = Folder::new("advice", &["a.json"]);
    fs::write(folder.0.join("box.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let advised = |name: &str| {
        let error = Error::one(Location::default(), "as before", "");
        with_advice(&folder.0.join(name), &FsLoader, error).to_string()
    };
    assert_eq!(advised("a.json"), "as before");
    assert_eq!(advised("none.json"), "as before");
    assert!(
        advised("box.obj").contains("an OBJ mesh, not an assembly file; `interfere init "),
        "{}",
        advised("box.obj")
    );
    assert!(advised("assembly.json").contains("no such file; write one with `interfere init "));
}
