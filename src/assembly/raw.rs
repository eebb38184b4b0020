//! An assembly file as written: one struct per object, keys checked, numbers in mm, places kept. What refers to something
//! else (parts by name, files by path) is looked up later, in `files` and `resolve`.

use super::glob::Glob;
use super::json::{Fields, Reader, start};
use super::locate::{Source, Trail};
use super::words::{either, quoted};
use super::{Facets, Geometry, Verb, placement};
use crate::error::{Location, Problem};
use crate::geom::{Affine, LengthUnit};
use jsonc_parser::ast::{ObjectProp, Value};
use std::collections::BTreeMap;

/// One file. Parts, instances and rules with a problem are left out.
#[derive(Debug, Default)]
pub(crate) struct RawFile {
    pub name: Option<String>,
    pub units: Option<LengthUnit>,
    pub tolerance: Option<Placed<f64>>,
    pub facets: Option<Placed<Facets>>,
    pub parts: Vec<RawPart>,
    pub instances: Vec<RawInstance>,
    pub rules: Vec<RawRule>,
    /// Names of all parts, with a problem or not.
    pub part_names: Vec<String>,
    /// Where an empty list of instances is to be blamed.
    pub instances_at: Location,
}

/// A value and where it stands.
#[derive(Debug)]
pub(crate) struct Placed<T> {
    pub value: T,
    pub at: Location,
}

/// A value of `parts`.
#[derive(Debug)]
pub(crate) struct RawPart {
    pub name: String,
    pub at: Location,
    /// The path as written.
    pub mesh: Placed<String>,
    pub units: Option<LengthUnit>,
    pub deflection: Option<f64>,
    pub geometry: Option<Geometry>,
}

/// An element of `instances`.
#[derive(Debug)]
pub(crate) struct RawInstance {
    pub id: String,
    /// Its position in the list, problems counted.
    pub index: usize,
    pub target: Target,
    /// Byte offset of the target's value.
    pub target_offset: usize,
    pub as_unit: bool,
    pub placement: Affine,
}

/// What an instance places.
#[derive(Debug)]
pub(crate) enum Target {
    /// A part by name.
    Part(String),
    /// An assembly file by path.
    Assembly(String),
}

/// An element of `rules`.
#[derive(Debug)]
pub(crate) struct RawRule {
    pub between: [String; 2],
    pub verb: Verb,
    pub reason: Option<String>,
    pub index: u32,
    pub at: Location,
}

const PART_KEYS: [&str; 4] = ["mesh", "units", "deflection", "geometry"];
const TOP_KEYS: [&str; 8] = ["version", "name", "units", "tolerance", "facets", "parts", "instances", "rules"];
const INSTANCE_KEYS: [&str; 5] = ["id", "part", "assembly", "as_unit", "placement"];
const VERBS: [&str; 3] = ["ignore", "allow_depth", "min_clearance"];

/// Reads a document and all that is wrong with it.
pub(crate) fn read(source: &Source, document: &Value<'_>) -> (RawFile, Vec<Problem>) {
    let mut reader = Reader::new(source);
    let file = read_file(&mut reader, document).unwrap_or_default();
    (file, reader.problems)
}

fn read_file<'s>(reader: &mut Reader<'s>, document: &Value<'s>) -> Option<RawFile> {
    let root = Trail::Root;
    let noted = reader.problems.len();
    let fields = reader.fields(document, &root, &TOP_KEYS, "an object: an assembly file, version 1")?;
    let in_keys = reader.problems.split_off(noted);
    match fields.get("version") {
        None => reader.problem(start(document), &root, "no `version`", "add \"version\": 1"),
        Some(Value::NumberLit(n)) if n.value.parse() == Ok(1.0) => {}
        Some(other) => {
            // Another version has other keys: nothing else is worth saying.
            let trail = Trail::Key(&root, "version");
            match other {
                Value::NumberLit(n) => {
                    let what = format!("version {} is not known to this release", super::words::one_line(n.value));
                    reader.problem(start(other), &trail, what, "expected 1");
                }
                _ => reader.wrong_kind(other, &trail, "the number 1"),
            }
            return None;
        }
    }
    reader.problems.extend(in_keys);
    let text = |reader: &mut Reader<'s>, key: &str| {
        let value = fields.get(key)?;
        reader.text(value, &Trail::Key(&root, key), "a text").map(str::to_owned)
    };
    let name = text(reader, "name");
    let units = read_units(reader, &fields, &root);
    let unit = units.unwrap_or(LengthUnit::Mm);
    let tolerance = fields.get("tolerance").and_then(|v| {
        let trail = Trail::Key(&root, "tolerance");
        Some(Placed { value: reader.length(v, &trail, unit)?, at: reader.source.at(start(v), &trail) })
    });
    let facets = fields.get("facets").and_then(|v| {
        let trail = Trail::Key(&root, "facets");
        Some(Placed { value: read_facets(reader, v, &trail)?, at: reader.source.at(start(v), &trail) })
    });
    let (parts, part_names) = read_parts(reader, &fields, unit);
    let instances = read_instances(reader, &fields, unit);
    let rules = read_rules(reader, &fields, unit);
    let blamed = fields.get("instances").map_or(start(document), start);
    let instances_at = reader.source.at(blamed, &Trail::Key(&root, "instances"));
    Some(RawFile { name, units, tolerance, facets, parts, instances, rules, part_names, instances_at })
}

fn read_units<'s>(reader: &mut Reader<'s>, fields: &Fields<'_, 's>, trail: &Trail<'_>) -> Option<LengthUnit> {
    let names = LengthUnit::ALL.map(LengthUnit::name);
    reader.word(fields.get("units")?, &Trail::Key(trail, "units"), &names, LengthUnit::from_name)
}

fn read_facets<'s>(reader: &mut Reader<'s>, value: &Value<'s>, trail: &Trail<'_>) -> Option<Facets> {
    reader.word(value, trail, &["allow", "strict"], |word| match word {
        "allow" => Some(Facets::Allow),
        "strict" => Some(Facets::Strict),
        _ => None,
    })
}

fn read_geometry<'s>(reader: &mut Reader<'s>, value: &Value<'s>, trail: &Trail<'_>) -> Option<Geometry> {
    let all = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];
    reader.word(value, trail, &all.map(Geometry::name), |word| all.into_iter().find(|g| g.name() == word))
}

fn read_parts<'s>(reader: &mut Reader<'s>, fields: &Fields<'_, 's>, unit: LengthUnit) -> (Vec<RawPart>, Vec<String>) {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "parts");
    let expected = "an object of parts by name";
    let Some(entries) = fields.get("parts").and_then(|v| reader.entries(v, &trail, expected)) else {
        return Default::default();
    };
    let names = entries.iter().map(|p| p.name.as_str().to_owned()).collect();
    (entries.into_iter().filter_map(|entry| read_part(reader, entry, &trail, unit)).collect(), names)
}

fn read_part<'s>(
    reader: &mut Reader<'s>,
    entry: &ObjectProp<'s>,
    parts: &Trail<'_>,
    unit: LengthUnit,
) -> Option<RawPart> {
    let name = entry.name.as_str();
    let trail = Trail::Key(parts, name);
    let offset = start(&entry.value);
    if name.is_empty() {
        reader.problem(offset, &trail, "an empty part name", "name the part");
    }
    let fields = reader.fields(&entry.value, &trail, &PART_KEYS, "an object with `mesh`")?;
    let units = read_units(reader, &fields, &trail);
    let deflection = fields.get("deflection").map(|v| reader.length(v, &Trail::Key(&trail, "deflection"), unit));
    let geometry = fields.get("geometry").map(|v| read_geometry(reader, v, &Trail::Key(&trail, "geometry")));
    let Some(mesh) = fields.get("mesh") else {
        reader.problem(offset, &trail, "no `mesh`", "add \"mesh\" with the path of an STL or OBJ file");
        return None;
    };
    let mesh_trail = Trail::Key(&trail, "mesh");
    let path = reader.text(mesh, &mesh_trail, "the path of an STL or OBJ file")?;
    Some(RawPart {
        name: name.to_owned(),
        at: reader.source.at(offset, &trail),
        mesh: Placed { value: path.to_owned(), at: reader.source.at(start(mesh), &mesh_trail) },
        units,
        deflection: deflection.flatten(),
        geometry: geometry.flatten(),
    })
}

fn read_instances<'s>(reader: &mut Reader<'s>, fields: &Fields<'_, 's>, unit: LengthUnit) -> Vec<RawInstance> {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "instances");
    let Some(list) = read_list(reader, fields, &trail, "instances", "a list of instances") else {
        return Vec::new();
    };
    let mut first: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut out = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let trail = Trail::Index(&trail, index);
        let Some(fields) = reader.fields(value, &trail, &INSTANCE_KEYS, "an object with `id` and `part`") else {
            continue;
        };
        let id = read_id(reader, &fields, value, &trail);
        if let Some((id, offset)) = id {
            if let Some((earlier, earlier_offset)) = first.get(id) {
                let (line, column) = reader.source.position(*earlier_offset);
                let fix = format!("the first is instances[{earlier}] at {line}:{column}: rename one of them");
                reader.problem(offset, &Trail::Key(&trail, "id"), format!("duplicate id {}", quoted(id)), fix);
            } else {
                first.insert(id, (index, offset));
            }
        }
        let target = read_target(reader, &fields, value, &trail);
        let as_unit = fields.get("as_unit").map(|v| reader.boolean(v, &Trail::Key(&trail, "as_unit")));
        if let (Some(v), Some((Target::Part(_), _))) = (fields.get("as_unit"), &target) {
            let trail = Trail::Key(&trail, "as_unit");
            reader.problem(start(v), &trail, "`as_unit` on a part", "remove it: it is for sub-assemblies");
        }
        let placement = match fields.get("placement") {
            Some(v) => placement::read(reader, v, &Trail::Key(&trail, "placement"), unit),
            None => Some(Affine::identity()),
        };
        if let (Some((id, _)), Some((target, target_offset)), Some(placement)) = (id, target, placement) {
            let as_unit = as_unit.flatten().unwrap_or(false);
            out.push(RawInstance { id: id.to_owned(), index, target, target_offset, as_unit, placement });
        }
    }
    out
}

/// Why a text cannot be an instance id, with the fix.
pub(crate) fn bad_id(id: &str) -> Option<(String, String)> {
    if id.is_empty() {
        return Some(("an empty id".to_owned(), "give the instance an id".to_owned()));
    }
    id.contains('/').then(|| {
        let fix = "`/` is reserved for instances inside sub-assemblies: use another character";
        (format!("`/` in the id {}", quoted(id)), fix.to_owned())
    })
}

fn read_id<'v, 's>(
    reader: &mut Reader<'s>,
    fields: &Fields<'v, 's>,
    instance: &Value<'s>,
    trail: &Trail<'_>,
) -> Option<(&'v str, usize)> {
    let Some(value) = fields.get("id") else {
        reader.problem(start(instance), trail, "no `id`", "add \"id\" with a name unique in this file");
        return None;
    };
    let trail = Trail::Key(trail, "id");
    let id = reader.text(value, &trail, "an id as a text")?;
    if let Some((what, fix)) = bad_id(id) {
        reader.problem(start(value), &trail, what, fix);
        return None;
    }
    Some((id, start(value)))
}

fn read_target<'s>(
    reader: &mut Reader<'s>,
    fields: &Fields<'_, 's>,
    instance: &Value<'s>,
    trail: &Trail<'_>,
) -> Option<(Target, usize)> {
    match (fields.get("part"), fields.get("assembly")) {
        (Some(value), None) => {
            let name = reader.text(value, &Trail::Key(trail, "part"), "the name of a part")?;
            Some((Target::Part(name.to_owned()), start(value)))
        }
        (None, Some(value)) => {
            let path = reader.text(value, &Trail::Key(trail, "assembly"), "the path of an assembly file")?;
            Some((Target::Assembly(path.to_owned()), start(value)))
        }
        (None, None) => {
            let fix = "add \"part\" with a key of `parts`, or \"assembly\" with the path of an assembly file";
            reader.problem(start(instance), trail, "neither `part` nor `assembly`", fix);
            None
        }
        (Some(_), Some(value)) => {
            reader.problem(start(value), trail, "both `part` and `assembly`", "keep one of them");
            None
        }
    }
}

fn read_rules<'s>(reader: &mut Reader<'s>, fields: &Fields<'_, 's>, unit: LengthUnit) -> Vec<RawRule> {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "rules");
    let list = read_list(reader, fields, &trail, "rules", "a list of rules").unwrap_or_default();
    let read = |(k, v): (usize, &Value<'s>)| read_rule(reader, v, &Trail::Index(&trail, k), k, unit);
    list.iter().enumerate().filter_map(read).collect()
}

fn read_rule<'s>(
    reader: &mut Reader<'s>,
    value: &Value<'s>,
    trail: &Trail<'_>,
    index: usize,
    unit: LengthUnit,
) -> Option<RawRule> {
    let known = ["between", "ignore", "allow_depth", "min_clearance", "reason"];
    let fields = reader.fields(value, trail, &known, "an object with `between` and a verb")?;
    let between = read_between(reader, &fields, value, trail);
    let verb = read_verb(reader, &fields, value, trail, unit);
    let reason = fields.get("reason").map(|v| reader.text(v, &Trail::Key(trail, "reason"), "a text"));
    Some(RawRule {
        between: between?,
        verb: verb?,
        reason: reason.flatten().map(str::to_owned),
        index: u32::try_from(index).unwrap_or(u32::MAX),
        at: reader.source.at(start(value), trail),
    })
}

fn read_between<'s>(
    reader: &mut Reader<'s>,
    fields: &Fields<'_, 's>,
    rule: &Value<'s>,
    trail: &Trail<'_>,
) -> Option<[String; 2]> {
    let Some(value) = fields.get("between") else {
        reader.problem(start(rule), trail, "no `between`", "add \"between\" with two globs over instance ids");
        return None;
    };
    let trail = Trail::Key(trail, "between");
    let globs = reader.list::<2>(value, &trail, "a list of two globs over instance ids")?;
    let [a, b] = [0, 1].map(|k: usize| read_glob(reader, &globs[k], &Trail::Index(&trail, k)));
    Some([a?, b?])
}

fn read_glob<'s>(reader: &mut Reader<'s>, value: &Value<'s>, trail: &Trail<'_>) -> Option<String> {
    let text = reader.text(value, trail, "a glob over instance ids")?;
    if let Err(why) = Glob::new(text) {
        reader.problem(start(value), trail, format!("{} is no glob", quoted(text)), why);
        return None;
    }
    Some(text.to_owned())
}

fn read_verb<'s>(
    reader: &mut Reader<'s>,
    fields: &Fields<'_, 's>,
    rule: &Value<'s>,
    trail: &Trail<'_>,
    unit: LengthUnit,
) -> Option<Verb> {
    let given: Vec<&str> = VERBS.into_iter().filter(|v| fields.has(v)).collect();
    if given.len() != 1 {
        let what = if given.is_empty() {
            "a rule without a verb".to_owned()
        } else {
            format!("{} verbs in one rule", given.len())
        };
        reader.problem(start(rule), trail, what, format!("give exactly one of {}", either(&VERBS)));
    }
    let mut verb = None;
    for name in &given {
        let Some(value) = fields.get(name) else { continue };
        let trail = Trail::Key(trail, name);
        verb = match *name {
            "ignore" => match reader.boolean(value, &trail) {
                Some(true) => Some(Verb::Ignore),
                Some(false) => {
                    let fix = "write `true`, or remove the rule";
                    reader.problem(start(value), &trail, "`ignore: false` says nothing", fix);
                    None
                }
                None => None,
            },
            "allow_depth" => reader.length(value, &trail, unit).map(Verb::AllowDepth),
            _ => reader.length(value, &trail, unit).map(Verb::MinClearance),
        };
    }
    if given.len() == 1 { verb } else { None }
}

/// The elements of a list that may be absent.
fn read_list<'v, 's>(
    reader: &mut Reader<'s>,
    fields: &Fields<'v, 's>,
    trail: &Trail<'_>,
    key: &str,
    expected: &str,
) -> Option<&'v [Value<'s>]> {
    match fields.get(key)? {
        Value::Array(array) => Some(&array.elements),
        other => {
            reader.wrong_kind(other, trail, expected);
            None
        }
    }
}
