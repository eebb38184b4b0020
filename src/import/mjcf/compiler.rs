//! Settings of a model that change the meaning of its numbers and paths.

use crate::error::{Error, Problem};
use crate::import::element::Element;
use crate::import::refusal::{Refusal, problem};
use crate::json::wording::quoted;

/// Settings of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compiler {
    /// True for angles in degrees.
    pub(crate) degrees: bool,
    /// Axes of the three turns of `euler`: capital letters for fixed axes.
    pub(crate) order: [u8; 3],
    /// True if a range limits a joint without a word about it.
    pub(crate) limits_by_range: bool,
    /// Folder of meshes, relative to the model.
    meshes: String,
    /// True to take the name of a mesh file without its folders.
    strips_paths: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        let meshes = String::new();
        Self { degrees: true, order: *b"xyz", limits_by_range: true, meshes, strips_paths: false }
    }
}

impl Compiler {
    /// Reads the settings; later ones replace earlier ones.
    ///
    /// # Errors
    /// Refuses unknown values, and the removed global coordinates.
    pub(crate) fn read(root: &Element) -> Result<Self, Error> {
        let mut compiler = Self::default();
        let mut meshes = None;
        for section in root.all("compiler") {
            let flag = |name: &str, known: bool| match section.attribute(name) {
                None => Ok(known),
                Some("true") => Ok(true),
                Some("false") => Ok(false),
                Some(other) => Err(section.bad(format!("`{name}`: expected true or false, found {}", quoted(other)))),
            };
            compiler.degrees = match section.attribute("angle") {
                None => compiler.degrees,
                Some("degree") => true,
                Some("radian") => false,
                Some(other) => {
                    return Err(section.bad(format!("`angle`: expected degree or radian: {}", quoted(other))).into());
                }
            };
            if let Some(order) = section.attribute("eulerseq") {
                compiler.order = axes(section, order)?;
            }
            compiler.limits_by_range = flag("autolimits", compiler.limits_by_range)?;
            compiler.strips_paths = flag("strippath", compiler.strips_paths)?;
            meshes = section.attribute("meshdir").or(section.attribute("assetdir")).or(meshes);
            if section.attribute("coordinate").is_some_and(|c| c != "local") {
                let (what, fix) = ("global coordinates", "save the model with MuJoCo 2.3.3, in local ones");
                return Err(problem(section.place(), Refusal::Unsupported, what, fix).into());
            }
        }
        meshes.unwrap_or_default().clone_into(&mut compiler.meshes);
        Ok(compiler)
    }

    /// Angle in radians.
    pub(crate) fn radians(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }

    /// Angle in degrees.
    pub(crate) fn in_degrees(&self, angle: f64) -> f64 {
        if self.degrees { angle } else { angle.to_degrees() }
    }

    /// Path of a mesh file from the folder of the model.
    pub(crate) fn mesh_path(&self, written: &str) -> String {
        let name = if self.strips_paths { written.rsplit(['/', '\\']).next().unwrap_or_default() } else { written };
        let folder = self.meshes.trim_end_matches('/');
        if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
    }
}

fn axes(section: &Element, order: &str) -> Result<[u8; 3], Problem> {
    let found: Option<[u8; 3]> = order.as_bytes().try_into().ok();
    let is_axis = |axis: &u8| b"xyzXYZ".contains(axis);
    let found = found.filter(|axes| axes.iter().all(is_axis));
    found.ok_or_else(|| section.bad(format!("`eulerseq`: expected three of xyzXYZ, found {}", quoted(order))))
}
