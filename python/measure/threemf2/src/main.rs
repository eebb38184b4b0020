//! Prints the volume of every placed mesh of 3MF files (mm³, with the sign of the winding): a line for each file, the
//! numbers in order of the build. The crate `threemf2` reads the files; the transforms and volumes are computed here.
//! A line begins with `error:` for a file that the crate refuses.

use std::fs::File;
use threemf2::model::domain::component::Component;
use threemf2::model::domain::mesh::Mesh;
use threemf2::model::domain::model::{Model, Unit};
use threemf2::model::domain::object::ObjectKind;
use threemf2::model::domain::transform::Transform;
use threemf2::package::ThreemfPackage;

/// Rows of a transform of row vectors: three axes and the origin.
type Rows = [[f64; 3]; 4];

const IDENTITY: Rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];

fn rows(transform: Option<&Transform>) -> Rows {
    transform.map_or(IDENTITY, |t| std::array::from_fn(|row| std::array::from_fn(|column| t.0[3 * row + column])))
}

fn point(p: [f64; 3], to: &Rows) -> [f64; 3] {
    std::array::from_fn(|k| p[0] * to[0][k] + p[1] * to[1][k] + p[2] * to[2][k] + to[3][k])
}

/// The transform `inner`, then the transform `outer`.
fn after(inner: &Rows, outer: &Rows) -> Rows {
    let linear = Rows::from([outer[0], outer[1], outer[2], [0.0; 3]]);
    std::array::from_fn(|row| if row < 3 { point(inner[row], &linear) } else { point(inner[row], outer) })
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// True for a transform within 10⁻⁶ of a rotation or a mirror: it counts as one, since files round their numbers.
fn is_rigid(to: &Rows) -> bool {
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    (0..3).all(|i| (0..3).all(|j| (dot(to[i], to[j]) - f64::from(u8::from(i == j))).abs() <= 2e-6))
}

/// Volume of a closed mesh (units³), about its first point: rounding then follows the size of the mesh.
fn volume(mesh: &Mesh) -> f64 {
    let points: Vec<[f64; 3]> = mesh.vertices.vertex.iter().map(|v| [v.x.value(), v.y.value(), v.z.value()]).collect();
    let corner = |index: u32| std::array::from_fn(|k| points[index as usize][k] - points[0][k]);
    mesh.triangles.triangle.iter().map(|t| determinant([corner(t.v1), corner(t.v2), corner(t.v3)]) / 6.0).sum()
}

/// Adds the volumes of an object and of all objects below it.
fn add(package: &ThreemfPackage, path: Option<&str>, id: u32, to: &Rows, found: &mut Vec<f64>) -> Option<()> {
    let model = path.map_or(Some(&package.root), |path| part(package, path))?;
    match model.resources.object.iter().find(|object| object.id == id)?.kind.as_ref()? {
        ObjectKind::Mesh(mesh) => {
            let factor = determinant([to[0], to[1], to[2]]);
            found.push(volume(mesh) * if is_rigid(to) { factor.signum() } else { factor });
        }
        ObjectKind::Components(components) => {
            for Component { objectid, transform, path: other, .. } in &components.component {
                let path = other.as_ref().map(|p| p.as_str()).or(path);
                add(package, path, *objectid, &after(&rows(transform.as_ref()), to), found)?;
            }
        }
        _ => return None,
    }
    Some(())
}

fn part<'p>(package: &'p ThreemfPackage, path: &str) -> Option<&'p Model> {
    package.sub_models.iter().find(|(known, _)| known.as_str().eq_ignore_ascii_case(path)).map(|(_, model)| model)
}

fn volumes(file: &str) -> Result<Vec<f64>, String> {
    let file = File::open(file).map_err(|e| e.to_string())?;
    let package = ThreemfPackage::from_reader_with_memory_optimized_deserializer(file, true);
    let package = package.map_err(|e| format!("{e:?}"))?;
    let unit = match package.root.unit.as_ref().unwrap_or(&Unit::Millimeter) {
        Unit::Micron => 0.001,
        Unit::Millimeter => 1.0,
        Unit::Centimeter => 10.0,
        Unit::Inch => 25.4,
        Unit::Foot => 304.8,
        Unit::Meter => 1000.0,
    };
    let mut found = Vec::new();
    for item in &package.root.build.item {
        let path = item.path.as_ref().map(|p| p.as_str());
        add(&package, path, item.objectid, &rows(item.transform.as_ref()), &mut found).ok_or("no such object")?;
    }
    Ok(found.into_iter().map(|v| v * f64::powi(unit, 3)).collect())
}

fn main() {
    for file in std::env::args().skip(1) {
        match volumes(&file) {
            Ok(found) => println!("{}", found.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")),
            Err(why) => println!("error: {}", why.replace('\n', " ")),
        }
    }
}
