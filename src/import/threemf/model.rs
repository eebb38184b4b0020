//! One model file of a 3MF archive: its unit, objects and items. Reads the XML as a stream: a mesh has millions of
//! elements.

use crate::error::{Error, Location};
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::import::refusal::{Refusal, damaged, problem, refuse};
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::accept_point;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// Largest nesting depth of elements.
const MAX_DEPTH: usize = 256;

/// Largest number of triangles of an object.
const MAX_TRIANGLES: usize = 1 << 29;

/// Beginnings of the name spaces of extensions that leave the meshes as they are.
const HARMLESS: [&str; 8] = [
    "http://schemas.microsoft.com/3dmanufacturing/core/",
    "http://schemas.microsoft.com/3dmanufacturing/production/",
    "http://schemas.microsoft.com/3dmanufacturing/material/",
    "http://schemas.microsoft.com/3dmanufacturing/slice/",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/",
    "http://schemas.microsoft.com/3dmanufacturing/content-types",
    "http://schemas.3mf.io/3dmanufacturing/trianglesets/",
];

/// Elements of extensions that change or replace a mesh.
const GEOMETRY_OF_EXTENSIONS: [&str; 6] =
    ["beamlattice", "booleanshape", "displacementmesh", "levelset", "implicitfunction", "volumedata"];

/// A model file.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) unit: LengthUnit,
    pub(crate) objects: BTreeMap<u32, Object>,
    pub(crate) items: Vec<Placed>,
    /// Metadata by name.
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) slices: u64,
}

/// An object: a mesh, or components.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub(crate) kind: String,
    pub(crate) name: Option<String>,
    pub(crate) part_number: Option<String>,
    pub(crate) mesh: TriMesh,
    pub(crate) components: Vec<Placed>,
}

/// A placed object: an item of the build, or a component.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) object: u32,
    /// Model file of the object, if it is another one.
    pub(crate) path: Option<String>,
    pub(crate) part_number: Option<String>,
    /// Map to the frame around; lengths in the unit of the file.
    pub(crate) transform: Affine,
}

/// Parses a model file. `file` names the archive, `path` the model in it.
///
/// # Errors
/// Refuses damaged XML, a document type, unknown required extensions, indices without a vertex, values out of range.
pub(crate) fn parse(bytes: &[u8], file: &str, path: &str) -> Result<Model, Error> {
    let mut parser = Parser {
        at: format!("{file}/{path}"),
        model: Model {
            unit: LengthUnit::Mm,
            objects: BTreeMap::new(),
            items: Vec::new(),
            metadata: BTreeMap::new(),
            slices: 0,
        },
        object: None,
        metadata: None,
    };
    let text = crate::import::xml::text(bytes, &parser.at)?;
    let mut reader = Reader::from_str(text);
    let mut depth = 0usize;
    loop {
        let event = reader.read_event();
        let at = reader.buffer_position();
        match event {
            Ok(Event::Start(element)) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let what = format!("elements nested deeper than {MAX_DEPTH}");
                    return Err(refuse(&parser.at, Refusal::TooLarge, what, "save the file again"));
                }
                parser.start(&element, at)?;
            }
            Ok(Event::Empty(element)) => {
                parser.start(&element, at)?;
                parser.end(element.local_name().as_ref(), at)?;
            }
            Ok(Event::End(element)) => {
                depth = depth.saturating_sub(1);
                parser.end(element.local_name().as_ref(), at)?;
            }
            Ok(Event::Text(text)) => parser.text(&text),
            Ok(Event::DocType(_)) => return Err(parser.bad(at, "a document type in XML")),
            Ok(Event::Eof) if depth == 0 => break,
            Ok(Event::Eof) => return Err(parser.bad(at, "the XML ends inside an element")),
            Ok(_) => {}
            Err(e) => return Err(parser.bad(at, format!("not valid XML: {e}"))),
        }
    }
    Ok(parser.model)
}

struct Parser {
    at: String,
    model: Model,
    /// Object inside which the parser is, and its number.
    object: Option<(u32, Object)>,
    /// Name of the metadata inside which the parser is.
    metadata: Option<String>,
}

/// Attributes of an element by local name, decoded.
type Attributes = BTreeMap<String, String>;

impl Parser {
    fn bad(&self, at: u64, what: impl AsRef<str>) -> Error {
        let at = Location { byte: Some(at), ..Location::file(&self.at) };
        let what = crate::json::wording::one_line_of(what.as_ref(), 200);
        Error::from(problem(at, Refusal::Damaged, what, "save the file again"))
    }

    fn start(&mut self, element: &BytesStart<'_>, at: u64) -> Result<(), Error> {
        match element.local_name().as_ref() {
            "vertex" => {
                let [x, y, z] = self.numbers(element, ["x", "y", "z"], at)?;
                let Some(p) = accept_point(&Vec3::new(x, y, z)) else {
                    return Err(self.bad(at, "a coordinate that is not finite or too large"));
                };
                if let Some((_, object)) = &mut self.object {
                    if object.mesh.vertices.len() >= 3 * MAX_TRIANGLES {
                        return Err(self.bad(at, "too many vertices"));
                    }
                    object.mesh.vertices.push(p);
                }
            }
            "triangle" => {
                let corners = self.indices(element, at)?;
                if let Some((_, object)) = &mut self.object {
                    if object.mesh.triangles.len() >= MAX_TRIANGLES {
                        return Err(self.bad(at, "too many triangles"));
                    }
                    object.mesh.triangles.push(corners);
                }
            }
            "model" => self.start_model(&self.attributes(element, at)?, at)?,
            "object" => {
                let attributes = self.attributes(element, at)?;
                let id = self.number_of(&attributes, "id", at)?;
                let get = |name: &str| attributes.get(name).cloned();
                let kind = get("type").unwrap_or_else(|| "model".to_owned());
                if get("meshresolution").as_deref() == Some("lowres") {
                    let what = format!("object {id} is a rough mesh for slices");
                    return Err(refuse(&self.at, Refusal::Unsupported, what, "save the full mesh"));
                }
                let object = Object { kind, name: get("name"), part_number: get("partnumber"), ..Object::default() };
                self.object = Some((id, object));
            }
            "component" | "item" => {
                let attributes = self.attributes(element, at)?;
                let placed = Placed {
                    object: self.number_of(&attributes, "objectid", at)?,
                    path: attributes.get("path").map(|p| p.trim_start_matches('/').to_lowercase()),
                    part_number: attributes.get("partnumber").cloned(),
                    transform: self.transform(attributes.get("transform").map(String::as_str), at)?,
                };
                match &mut self.object {
                    Some((_, object)) => object.components.push(placed),
                    None => self.model.items.push(placed),
                }
            }
            "metadata" if self.object.is_none() => {
                self.metadata = self.attributes(element, at)?.remove("name");
            }
            "slicestack" => self.model.slices += 1,
            name => {
                if let Some(known) = GEOMETRY_OF_EXTENSIONS.iter().find(|k| **k == name) {
                    let what = format!("geometry of an extension: `{known}`");
                    return Err(refuse(&self.at, Refusal::Unsupported, what, "save plain meshes"));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str, at: u64) -> Result<(), Error> {
        if name == "metadata" {
            self.metadata = None;
        }
        if name == "object"
            && let Some((id, object)) = self.object.take()
        {
            let count = object.mesh.vertices.len();
            if let Some(bad) = object.mesh.triangles.iter().flatten().find(|i| **i as usize >= count) {
                return Err(self.bad(at, format!("object {id} names vertex {bad} of {count}")));
            }
            if !object.mesh.triangles.is_empty() && !object.components.is_empty() {
                return Err(self.bad(at, format!("object {id} has a mesh and components")));
            }
            if self.model.objects.insert(id, object).is_some() {
                return Err(self.bad(at, format!("two objects with the number {id}")));
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(name) = &self.metadata
            && self.model.metadata.len() < 100
        {
            let value = text.trim().chars().take(200).collect();
            self.model.metadata.insert(name.clone(), value);
        }
    }

    fn start_model(&mut self, attributes: &Attributes, at: u64) -> Result<(), Error> {
        self.model.unit = match attributes.get("unit").map_or("millimeter", String::as_str) {
            "micron" => LengthUnit::Um,
            "millimeter" => LengthUnit::Mm,
            "centimeter" => LengthUnit::Cm,
            "meter" => LengthUnit::M,
            "inch" => LengthUnit::Inch,
            "foot" => LengthUnit::Ft,
            other => return Err(self.bad(at, format!("unknown unit {}", crate::json::wording::quoted(other)))),
        };
        let required = attributes.get("requiredextensions").map(String::as_str).unwrap_or_default();
        for prefix in required.split_ascii_whitespace() {
            let space = attributes.get(&format!("xmlns:{prefix}")).map_or(prefix, String::as_str);
            if !HARMLESS.iter().any(|start| space.starts_with(start)) {
                let what = format!("the required extension {}", crate::json::wording::quoted(space));
                return Err(refuse(&self.at, Refusal::Unsupported, what, "save the file without this extension"));
            }
        }
        Ok(())
    }

    /// Attributes by local name; declarations of name spaces keep their prefix.
    fn attributes(&self, element: &BytesStart<'_>, at: u64) -> Result<Attributes, Error> {
        let (mut out, mut prefixed) = (BTreeMap::new(), Vec::new());
        for attribute in element.attributes() {
            let attribute = attribute.map_err(|e| self.bad(at, format!("not valid XML: {e}")))?;
            let key = attribute.key.as_ref().to_owned();
            let value = quick_xml::escape::unescape(&attribute.value)
                .map(std::borrow::Cow::into_owned)
                .map_err(|e| self.bad(at, format!("not valid XML: {e}")))?;
            match key.split_once(':') {
                // The production extension gives the path of an object; other extensions change nothing here.
                Some((prefix, local)) if prefix != "xmlns" => {
                    if local == "path" {
                        prefixed.push((local.to_owned(), value));
                    }
                }
                _ => {
                    out.insert(key, value);
                }
            }
        }
        for (local, value) in prefixed {
            out.entry(local).or_insert(value);
        }
        Ok(out)
    }

    fn numbers<const N: usize>(&self, element: &BytesStart<'_>, names: [&str; N], at: u64) -> Result<[f64; N], Error> {
        let mut out = [f64::NAN; N];
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| self.bad(at, format!("not valid XML: {e}")))?;
            if let Some(k) = names.iter().position(|n| *n == attribute.key.as_ref()) {
                out[k] = attribute.value.trim().parse().unwrap_or(f64::NAN);
            }
        }
        match out.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(self.bad(at, format!("`{}` is no number", names[k]))),
            None => Ok(out),
        }
    }

    fn indices(&self, element: &BytesStart<'_>, at: u64) -> Result<[u32; 3], Error> {
        let mut out = [None; 3];
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| self.bad(at, format!("not valid XML: {e}")))?;
            let k = match attribute.key.as_ref() {
                "v1" => 0,
                "v2" => 1,
                "v3" => 2,
                _ => continue,
            };
            out[k] = attribute.value.trim().parse().ok();
        }
        match out {
            [Some(a), Some(b), Some(c)] => Ok([a, b, c]),
            _ => Err(self.bad(at, "a triangle without three vertices")),
        }
    }

    fn number_of(&self, attributes: &Attributes, name: &str, at: u64) -> Result<u32, Error> {
        let value = attributes.get(name).and_then(|v| v.trim().parse().ok());
        value.ok_or_else(|| self.bad(at, format!("`{name}` is no whole number")))
    }

    /// Reads a transform: 12 numbers for row vectors, so the rows of the file are the columns here.
    fn transform(&self, written: Option<&str>, at: u64) -> Result<Affine, Error> {
        let Some(written) = written else { return Ok(Affine::identity()) };
        let numbers =
            crate::import::xml::numbers(written).map_err(|why| self.bad(at, format!("`transform`: {why}")))?;
        let Ok(m) = <[f64; 12]>::try_from(numbers) else {
            return Err(self.bad(at, "`transform` has not 12 numbers"));
        };
        Ok(Affine {
            linear: Mat3::new(m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]),
            translation: Vec3::new(m[9], m[10], m[11]),
        })
    }
}

/// Error of a missing object.
pub(crate) fn missing(file: &str, path: &str, object: u32) -> Error {
    damaged(file, format!("no object {object} in {}", crate::json::wording::quoted(path)))
}
