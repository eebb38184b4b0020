//! Names the CAD files that `init` cannot use, with the way to a mesh of each kind.

use crate::report::number::count_of;
use std::collections::BTreeMap;

/// A kind of CAD file.
struct Kind {
    name: &'static str,
    endings: &'static [&'static str],
    /// Way to a mesh: the rest of a sentence after the count.
    way: &'static str,
}

const FROM_CAD: &str = "open in CAD and export each part as STL";
const IMPORT: &str = "read with `interfere import`";
const CONVERT: &str = "convert to STL or OBJ, one file for each part";

const KINDS: [Kind; 12] = [
    Kind { name: "STEP", endings: &["step", "stp", "p21"], way: IMPORT },
    Kind { name: "IGES", endings: &["iges", "igs"], way: IMPORT },
    Kind { name: "Parasolid", endings: &["x_t", "x_b"], way: FROM_CAD },
    Kind { name: "SolidWorks", endings: &["sldprt", "sldasm"], way: "export each part as STL from SolidWorks" },
    Kind { name: "Inventor", endings: &["ipt", "iam"], way: "export each part as STL from Inventor" },
    Kind { name: "CATIA", endings: &["catpart", "catproduct"], way: "export each part as STL from CATIA" },
    Kind { name: "Fusion", endings: &["f3d", "f3z"], way: "export each part as STL from Fusion" },
    Kind { name: "FreeCAD", endings: &["fcstd"], way: "export each part as STL from FreeCAD" },
    Kind { name: "OpenSCAD", endings: &["scad"], way: "write each part with `openscad -o PART.stl`" },
    Kind { name: "3MF", endings: &["3mf"], way: IMPORT },
    Kind { name: "glTF", endings: &["gltf", "glb"], way: IMPORT },
    Kind { name: "other mesh", endings: &["wrl", "vrml", "dae", "x3d", "amf", "fbx", "blend"], way: CONVERT },
];

/// Counts of CAD files by kind.
#[derive(Debug, Default)]
pub(crate) struct CadFiles(BTreeMap<usize, u64>);

impl CadFiles {
    /// Counts a file if its ending is that of a kind.
    pub(crate) fn note(&mut self, name: &str) {
        let Some((_, ending)) = name.rsplit_once('.') else { return };
        let ending = ending.to_ascii_lowercase();
        if let Some(kind) = KINDS.iter().position(|kind| kind.endings.contains(&ending.as_str())) {
            *self.0.entry(kind).or_default() += 1;
        }
    }

    /// One sentence for each kind: `2 STEP files: open in CAD and export each part as STL`.
    pub(crate) fn ways(&self) -> Vec<String> {
        let files = |name: &str, n| count_of(n, &format!("{name} file"), &format!("{name} files"));
        self.0.iter().map(|(kind, n)| format!("{}: {}", files(KINDS[*kind].name, *n), KINDS[*kind].way)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_kind_in_any_case() {
        let mut files = CadFiles::default();
        for name in ["a.STEP", "b.stp", "c.glb", "notes.txt", "step", "d.3mf"] {
            files.note(name);
        }
        assert_eq!(
            files.ways(),
            [
                "2 STEP files: read with `interfere import`",
                "1 3MF file: read with `interfere import`",
                "1 glTF file: read with `interfere import`",
            ]
        );
        assert!(CadFiles::default().ways().is_empty());
    }
}
