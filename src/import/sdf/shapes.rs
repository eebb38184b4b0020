//! Geometries of links.

use crate::error::Problem;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::collect::Collector;
use crate::import::element::Element;
use crate::import::references::decoded;
use crate::import::robot::model::{Address, Shape};
use std::path::Path;

/// Reads the shape of a `geometry`; `None` for one without an extent, which counts as left out. `folder` is the folder
/// of the file.
///
/// # Errors
/// Refuses sizes that are not above 0, a mesh without an address, and numbers that are none.
pub(crate) fn shape(
    geometry: &Element,
    folder: Option<&Path>,
    place: &str,
    collector: &mut Collector,
) -> Result<Option<Shape>, Problem> {
    let Some(element) = geometry.children.first() else { return Ok(None) };
    let size = |name: &str| number_above_zero(element, name);
    let shape = match element.name.as_str() {
        "empty" => return Ok(None),
        "plane" | "heightmap" => {
            collector.leave_out(if element.name == "plane" { "planes" } else { "height fields" }, 1, place);
            return Ok(None);
        }
        "box" => Shape::Box(sizes(element, "size")?),
        "sphere" => Shape::Sphere(size("radius")?),
        "ellipsoid" => Shape::Ellipsoid(sizes(element, "radii")?),
        "cylinder" => Shape::Cylinder { radius: size("radius")?, length: size("length")? },
        "capsule" => Shape::Capsule { radius: size("radius")?, length: size("length")? },
        "cone" => Shape::Cone { radius: size("radius")?, length: size("length")? },
        "mesh" if element.child("submesh").is_some() => Shape::Other("submesh".to_owned()),
        "mesh" => mesh(element, folder)?,
        other => Shape::Other(other.to_owned()),
    };
    Ok(Some(shape))
}

fn number_above_zero(element: &Element, name: &str) -> Result<f64, Problem> {
    let found = element.child(name).map(|e| e.exactly::<1>(name, &e.text)).transpose()?;
    let found = found.map(|[x]| x).filter(|x| *x > 0.0);
    found.ok_or_else(|| element.bad(format!("`{name}` is not above 0")))
}

fn sizes(element: &Element, name: &str) -> Result<[f64; 3], Problem> {
    let found = element.child(name).map(|e| e.exactly::<3>(name, &e.text)).transpose()?;
    let found = found.filter(|s| s.iter().all(|x| *x > 0.0));
    found.ok_or_else(|| element.bad(format!("`{name}` is not above 0")))
}

/// A mesh by its address: of a package, or relative to the file.
fn mesh(element: &Element, folder: Option<&Path>) -> Result<Shape, Problem> {
    let uri = element.child("uri").map(|e| e.text.as_str()).filter(|u| !u.is_empty());
    let uri = uri.ok_or_else(|| element.bad("a mesh without an address"))?;
    let scale = element.child("scale").map(|e| e.exactly::<3>("scale", &e.text)).transpose()?.unwrap_or([1.0; 3]);
    if scale.contains(&0.0) {
        return Err(element.bad("a scale of 0"));
    }
    let file = match folder {
        Some(folder) if !uri.contains("://") => Address::Beside(folder.to_owned(), decoded(uri)),
        _ => Address::Uri(uri.to_owned()),
    };
    let linear = Mat3::from_diagonal(&Vec3::from(scale));
    Ok(Shape::Mesh { file, map: Affine { linear, ..Affine::identity() } })
}
