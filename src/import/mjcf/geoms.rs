//! Geometries of a model: primitives by their sizes, meshes of the assets.

use crate::assembly::file::rotation::{from_quaternion, unit_vector};
use crate::error::{Error, Problem};
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::element::Element;
use crate::import::mjcf::compiler::Compiler;
use crate::import::mjcf::defaults::{Defaults, Styled};
use crate::import::mjcf::frame::{frame, from_z};
use crate::import::robot::model::{Address, Geometry, Shape};
use crate::import::xml::numbers;
use crate::json::wording::quoted;
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::accept_point;
use crate::shape::hull::convex_hull;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// Filter of the contacts of a geometry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) name: Option<String>,
    pub(crate) contype: i32,
    pub(crate) conaffinity: i32,
}

impl Filter {
    /// Reads the filter of a geometry.
    ///
    /// # Errors
    /// Refuses words that are no whole numbers.
    pub(crate) fn read(styled: Styled<'_>) -> Result<Self, Problem> {
        let name = styled.element.attribute("name").map(str::to_owned);
        Ok(Self { name, contype: styled.bits("contype", 1)?, conaffinity: styled.bits("conaffinity", 1)? })
    }

    /// False for a geometry that meets no other: it is to be seen alone.
    pub(crate) fn collides(&self) -> bool {
        self.contype != 0 || self.conaffinity != 0
    }

    /// True if two geometries can meet.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.contype & other.conaffinity != 0 || other.contype & self.conaffinity != 0
    }
}

/// Meshes of a model by name.
#[derive(Debug)]
pub(crate) struct Assets(BTreeMap<String, Shape>);

impl Assets {
    /// Reads the meshes of the assets of a model. `folder` is the folder of an attached model.
    ///
    /// # Errors
    /// Refuses a mesh without a name and a file, faces that are none, points without a hull, and numbers that are none.
    pub(crate) fn read(
        root: &Element,
        compiler: &Compiler,
        defaults: &Defaults,
        folder: Option<&Path>,
    ) -> Result<Self, Error> {
        let mut assets = BTreeMap::new();
        for element in root.all("asset").flat_map(|section| section.all("mesh")) {
            let styled = defaults.styled(element, None, compiler)?;
            let file = styled.get("file");
            let stem = file.map(|f| f.rsplit(['/', '\\']).next().unwrap_or_default());
            let stem = stem.map(|s| s.rsplit_once('.').map_or(s, |(stem, _)| stem));
            let name = element.attribute("name").or(stem).filter(|n| !n.is_empty());
            let name = name.ok_or_else(|| element.bad("a mesh without a name"))?;
            let map = map_of(styled)?;
            let shape = match file {
                Some(file) => {
                    let path = compiler.mesh_path(file);
                    let file = match folder {
                        Some(folder) => Address::Beside(folder.to_owned(), path),
                        None => Address::Path(path),
                    };
                    Shape::Mesh { file, map }
                }
                None => points(styled, &map)?,
            };
            assets.insert(name.to_owned(), shape);
        }
        Ok(Self(assets))
    }

    /// Reads a geometry; `at` maps its surroundings to the frame of its link.
    ///
    /// # Errors
    /// Refuses unknown types and meshes, sizes that are not above 0, and numbers that are none.
    pub(crate) fn geometry(&self, styled: Styled<'_>, kind: &str, at: &Affine) -> Result<Geometry, Problem> {
        let element = styled.element;
        let mesh = styled.get("mesh");
        let (shape, own) = match (kind, mesh) {
            ("mesh", None) => return Err(element.bad("a geometry of the type mesh without one")),
            ("mesh", Some(name)) => {
                let shape = self.0.get(name).cloned();
                let shape = shape.ok_or_else(|| element.bad(format!("no mesh {}", quoted(name))))?;
                (shape, frame(styled)?)
            }
            ("sphere" | "capsule" | "ellipsoid" | "cylinder" | "box", None) => primitive(styled, kind)?,
            (kind, Some(_)) => (Shape::Other(format!("{kind} fitted to a mesh")), Affine::identity()),
            (kind, None) => (Shape::Other(kind.to_owned()), Affine::identity()),
        };
        let name = element.attribute("name").map(str::to_owned);
        Ok(Geometry { level: name.clone(), name, origin: at.after(&own), shape, at: element.place() })
    }
}

/// Map of the points of a mesh: the reference pose is taken off, then the scale applies (m).
fn map_of(styled: Styled<'_>) -> Result<Affine, Problem> {
    let scale = Vec3::from(styled.numbers::<3>("scale")?.unwrap_or([1.0; 3]));
    if scale.iter().any(|s| *s == 0.0) {
        return Err(styled.element.bad("a scale of 0"));
    }
    let [w, x, y, z] = styled.numbers::<4>("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let turn = from_quaternion([x, y, z, w]).ok_or_else(|| styled.element.bad("a `refquat` of length zero"))?;
    let linear = Mat3::from_diagonal(&scale) * turn.transpose();
    let shift = Vec3::from(styled.numbers::<3>("refpos")?.unwrap_or_default());
    Ok(Affine { linear, translation: -(linear * shift) })
}

/// A mesh by the numbers in its element: triangles, or the convex hull of points without triangles.
fn points(styled: Styled<'_>, map: &Affine) -> Result<Shape, Problem> {
    let element = styled.element;
    let Some(points) = styled.get("vertex") else { return Ok(Shape::Other("mesh without a file".to_owned())) };
    let read = |what: &str, text: &str| numbers(text).map_err(|why| element.bad(format!("`{what}`: {why}")));
    let points = read("vertex", points)?;
    let placed = |p: &[f64; 3]| accept_point(&(map.linear * Vec3::from(*p) + map.translation));
    let vertices: Option<Vec<Vec3>> = points.as_chunks().0.iter().map(placed).collect();
    let vertices = vertices.ok_or_else(|| element.bad("`vertex`: a coordinate that is too large"))?;
    if points.len() % 3 != 0 {
        return Err(element.bad("`vertex` needs three numbers for each point"));
    }
    let Some(faces) = styled.get("face") else { return hull_of(&vertices, element) };
    let index = |x: &f64| (x.fract() == 0.0 && *x >= 0.0 && *x < vertices.len() as f64).then_some(*x as u32);
    let corners: Option<Vec<u32>> = read("face", faces)?.iter().map(index).collect();
    let corners = corners.ok_or_else(|| element.bad("`face`: a number that is no vertex"))?;
    let (whole, rest) = corners.as_chunks::<3>();
    if !rest.is_empty() || whole.is_empty() {
        return Err(element.bad("`face` needs three numbers for each triangle"));
    }
    let mut mesh = TriMesh { triangles: whole.to_vec(), vertices };
    // A mirror turns the winding of its triangles back.
    if map.linear.determinant() < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Ok(Shape::Triangles(Rc::new(mesh)))
}

/// The convex hull of points. MuJoCo refuses points of one plane, too.
fn hull_of(points: &[Vec3], element: &Element) -> Result<Shape, Problem> {
    let hull = convex_hull(points);
    if hull.rank < 3 {
        return Err(element.bad("`vertex`: points of one plane have no hull with a volume"));
    }
    Ok(Shape::Triangles(Rc::new(TriMesh { triangles: hull.triangles, vertices: hull.vertices })))
}

/// A primitive and its place. `fromto` replaces the place, and the length along z.
fn primitive(styled: Styled<'_>, kind: &str) -> Result<(Shape, Affine), Problem> {
    let element = styled.element;
    let [a, mut b, mut c] = styled.overlaid::<3>("size")?;
    let ends = styled.numbers::<6>("fromto")?.filter(|_| kind != "sphere");
    let own = match ends {
        None => frame(styled)?,
        Some([x, y, z, u, v, w]) => {
            let (from, to) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
            let axis = unit_vector(&(from - to)).ok_or_else(|| element.bad("`fromto` of length zero"))?;
            let half = Some(0.5 * (from - to).norm());
            (b, c) = if matches!(kind, "box" | "ellipsoid") { (a, half) } else { (half, c) };
            Affine { linear: from_z(&axis), translation: (from + to) * 500.0 }
        }
    };
    let above_zero = |value: Option<f64>| {
        let found = value.filter(|x| *x > 0.0);
        found.ok_or_else(|| element.bad(format!("`size` of a {kind} is not above 0")))
    };
    let radius = above_zero(a)?;
    let shape = match kind {
        "sphere" => Shape::Sphere(radius),
        "cylinder" => Shape::Cylinder { radius, length: 2.0 * above_zero(b)? },
        "capsule" => Shape::Capsule { radius, length: 2.0 * above_zero(b)? },
        "ellipsoid" => Shape::Ellipsoid([radius, above_zero(b)?, above_zero(c)?]),
        _ => Shape::Box([2.0 * radius, 2.0 * above_zero(b)?, 2.0 * above_zero(c)?]),
    };
    Ok((shape, own))
}
