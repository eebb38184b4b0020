//! An assembly file as written: one struct per object, keys checked, numbers in mm, places kept. What refers to something
//! else (parts by name, files by path) is looked up later, in `files` and `resolve`.

use super::document::{Document, Json, List, Member, Value};
use super::glob::Glob;
use super::json::{Fields, Reader};
use super::locate::{Source, Trail};
use super::words::{either, quoted};
use super::{Facets, Geometry, Verb, placement};
use crate::error::{Location, Problem};
use crate::geom::{Affine, LengthUnit};
use rapidhash::fast::RandomState;
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
    /// Byte offset of the id's value.
    pub id_offset: usize,
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
    /// A part with an entry in this file: its position in [`RawFile::part_names`].
    Part(usize),
    /// A part by a name that no entry has.
    UnknownPart(String),
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
const TOP_KEYS: [&str; 9] =
    ["version", "name", "units", "tolerance", "facets", "parts", "instances", "rules", "$schema"];
const INSTANCE_KEYS: [&str; 5] = ["id", "part", "assembly", "as_unit", "placement"];
const RULE_KEYS: [&str; 5] = ["between", "ignore", "allow_depth", "min_clearance", "reason"];
const VERBS: [&str; 3] = ["ignore", "allow_depth", "min_clearance"];

/// Reads a document and all that is wrong with it.
pub(crate) fn read(source: &Source, document: &Document<'_>) -> (RawFile, Vec<Problem>) {
    let mut reader = Reader::new(source);
    let file = read_file(&mut reader, document.root()).unwrap_or_default();
    (file, reader.problems)
}

fn read_file(reader: &mut Reader<'_>, document: Value<'_>) -> Option<RawFile> {
    let root = Trail::Root;
    let noted = reader.problems.len();
    let fields = reader.fields(document, &root, &TOP_KEYS, "an object: an assembly file, version 1")?;
    let in_keys = reader.problems.split_off(noted);
    match fields.get("version").map(|v| (v, v.json())) {
        None => reader.problem(document.start(), &root, "no `version`", "add \"version\": 1"),
        Some((_, Json::Number(1.0))) => {}
        Some((other, json)) => {
            // Another version has other keys: nothing else is worth saying.
            let trail = Trail::Key(&root, "version");
            if let Json::Number(_) = json {
                let written = super::words::one_line(other.number_as_written());
                let what = format!("version {written} is not known to this release");
                reader.problem(other.start(), &trail, what, "expected 1");
            } else {
                reader.wrong_kind(other, &trail, "the number 1");
            }
            return None;
        }
    }
    reader.problems.extend(in_keys);
    let text = |reader: &mut Reader<'_>, key: &str| {
        let value = fields.get(key)?;
        reader.text(value, &Trail::Key(&root, key), "a text").map(str::to_owned)
    };
    // For editors; where it leads is not our business.
    text(reader, "$schema");
    let name = text(reader, "name");
    let units = read_units(reader, &fields, &root);
    let unit = units.unwrap_or(LengthUnit::Mm);
    let tolerance = fields.get("tolerance").and_then(|v| {
        let trail = Trail::Key(&root, "tolerance");
        Some(Placed { value: reader.length(v, &trail, unit)?, at: reader.source.at(v.start(), &trail) })
    });
    let facets = fields.get("facets").and_then(|v| {
        let trail = Trail::Key(&root, "facets");
        Some(Placed { value: read_facets(reader, v, &trail)?, at: reader.source.at(v.start(), &trail) })
    });
    let (parts, part_names) = read_parts(reader, &fields, unit);
    let instances = read_instances(reader, &fields, &part_names, unit);
    let rules = read_rules(reader, &fields, unit);
    let blamed = fields.get("instances").map_or(document.start(), Value::start);
    let instances_at = reader.source.at(blamed, &Trail::Key(&root, "instances"));
    Some(RawFile { name, units, tolerance, facets, parts, instances, rules, part_names, instances_at })
}

fn read_units(reader: &mut Reader<'_>, fields: &Fields<'_>, trail: &Trail<'_>) -> Option<LengthUnit> {
    let names = LengthUnit::ALL.map(LengthUnit::name);
    reader.word(fields.get("units")?, &Trail::Key(trail, "units"), &names, LengthUnit::from_name)
}

fn read_facets(reader: &mut Reader<'_>, value: Value<'_>, trail: &Trail<'_>) -> Option<Facets> {
    reader.word(value, trail, &["allow", "strict"], |word| match word {
        "allow" => Some(Facets::Allow),
        "strict" => Some(Facets::Strict),
        _ => None,
    })
}

fn read_geometry(reader: &mut Reader<'_>, value: Value<'_>, trail: &Trail<'_>) -> Option<Geometry> {
    let all = [Geometry::Exact, Geometry::Decomposition, Geometry::Hull];
    reader.word(value, trail, &all.map(Geometry::name), |word| all.into_iter().find(|g| g.name() == word))
}

fn read_parts(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> (Vec<RawPart>, Vec<String>) {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "parts");
    let expected = "an object of parts by name";
    let Some(entries) = fields.get("parts").and_then(|v| reader.entries(v, &trail, expected)) else {
        return Default::default();
    };
    let names = entries.iter().map(|p| p.key.to_owned()).collect();
    (entries.into_iter().filter_map(|entry| read_part(reader, entry, &trail, unit)).collect(), names)
}

fn read_part(reader: &mut Reader<'_>, entry: Member<'_>, parts: &Trail<'_>, unit: LengthUnit) -> Option<RawPart> {
    let name = entry.key;
    let trail = Trail::Key(parts, name);
    let offset = entry.value.start();
    if name.is_empty() {
        reader.problem(offset, &trail, "an empty part name", "name the part");
    }
    let fields = reader.fields(entry.value, &trail, &PART_KEYS, "an object with `mesh`")?;
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
        mesh: Placed { value: path.to_owned(), at: reader.source.at(mesh.start(), &mesh_trail) },
        units,
        deflection: deflection.flatten(),
        geometry: geometry.flatten(),
    })
}

fn read_instances(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    part_names: &[String],
    unit: LengthUnit,
) -> Vec<RawInstance> {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "instances");
    let Some(list) = read_list(reader, fields, &trail, "instances", "a list of instances") else {
        return Vec::new();
    };
    let parts: BTreeMap<&str, usize> = part_names.iter().map(String::as_str).zip(0..).collect();
    let count = list.clone().count();
    #[expect(clippy::disallowed_types, reason = "never iterated: nothing depends on its order")]
    let mut first: std::collections::HashMap<&str, (usize, usize), RandomState> =
        std::collections::HashMap::with_capacity_and_hasher(count, RandomState::default());
    let mut out = Vec::with_capacity(count);
    for (index, value) in list.enumerate() {
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
        let target = read_target(reader, &fields, value, &trail, &parts);
        let as_unit = fields.get("as_unit").map(|v| reader.boolean(v, &Trail::Key(&trail, "as_unit")));
        if let (Some(v), Some((Target::Part(_) | Target::UnknownPart(_), _))) = (fields.get("as_unit"), &target) {
            let trail = Trail::Key(&trail, "as_unit");
            reader.problem(v.start(), &trail, "`as_unit` on a part", "remove it: it is for sub-assemblies");
        }
        let placement = match fields.get("placement") {
            Some(v) => placement::read(reader, v, &Trail::Key(&trail, "placement"), unit),
            None => Some(Affine::identity()),
        };
        if let (Some((id, id_offset)), Some((target, target_offset)), Some(placement)) = (id, target, placement) {
            let as_unit = as_unit.flatten().unwrap_or(false);
            out.push(RawInstance { id: id.to_owned(), id_offset, index, target, target_offset, as_unit, placement });
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

fn read_id<'d>(
    reader: &mut Reader<'_>,
    fields: &Fields<'d>,
    instance: Value<'_>,
    trail: &Trail<'_>,
) -> Option<(&'d str, usize)> {
    let Some(value) = fields.get("id") else {
        reader.problem(instance.start(), trail, "no `id`", "add \"id\" with a name unique in this file");
        return None;
    };
    let trail = Trail::Key(trail, "id");
    let id = reader.text(value, &trail, "an id as a text")?;
    if let Some((what, fix)) = bad_id(id) {
        reader.problem(value.start(), &trail, what, fix);
        return None;
    }
    Some((id, value.start()))
}

fn read_target(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    instance: Value<'_>,
    trail: &Trail<'_>,
    parts: &BTreeMap<&str, usize>,
) -> Option<(Target, usize)> {
    match (fields.get("part"), fields.get("assembly")) {
        (Some(value), None) => {
            let name = reader.text(value, &Trail::Key(trail, "part"), "the name of a part")?;
            let target = parts.get(name).map_or_else(|| Target::UnknownPart(name.to_owned()), |k| Target::Part(*k));
            Some((target, value.start()))
        }
        (None, Some(value)) => {
            let path = reader.text(value, &Trail::Key(trail, "assembly"), "the path of an assembly file")?;
            Some((Target::Assembly(path.to_owned()), value.start()))
        }
        (None, None) => {
            let fix = "add \"part\" with a key of `parts`, or \"assembly\" with the path of an assembly file";
            reader.problem(instance.start(), trail, "neither `part` nor `assembly`", fix);
            None
        }
        (Some(_), Some(value)) => {
            reader.problem(value.start(), trail, "both `part` and `assembly`", "keep one of them");
            None
        }
    }
}

fn read_rules(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> Vec<RawRule> {
    let root = Trail::Root;
    let trail = Trail::Key(&root, "rules");
    let list = read_list(reader, fields, &trail, "rules", "a list of rules");
    let read = |(k, v): (usize, Value<'_>)| read_rule(reader, v, &Trail::Index(&trail, k), k, unit);
    list.into_iter().flatten().enumerate().filter_map(read).collect()
}

fn read_rule(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &Trail<'_>,
    index: usize,
    unit: LengthUnit,
) -> Option<RawRule> {
    let fields = reader.fields(value, trail, &RULE_KEYS, "an object with `between` and a verb")?;
    let between = read_between(reader, &fields, value, trail);
    let verb = read_verb(reader, &fields, value, trail, unit);
    let reason = fields.get("reason").map(|v| reader.text(v, &Trail::Key(trail, "reason"), "a text"));
    Some(RawRule {
        between: between?,
        verb: verb?,
        reason: reason.flatten().map(str::to_owned),
        index: u32::try_from(index).unwrap_or(u32::MAX),
        at: reader.source.at(value.start(), trail),
    })
}

fn read_between(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    rule: Value<'_>,
    trail: &Trail<'_>,
) -> Option<[String; 2]> {
    let Some(value) = fields.get("between") else {
        reader.problem(rule.start(), trail, "no `between`", "add \"between\" with two globs over instance ids");
        return None;
    };
    let trail = Trail::Key(trail, "between");
    let globs = reader.list::<2>(value, &trail, "a list of two globs over instance ids")?;
    let [a, b] = [0, 1].map(|k: usize| read_glob(reader, globs[k], &Trail::Index(&trail, k)));
    Some([a?, b?])
}

fn read_glob(reader: &mut Reader<'_>, value: Value<'_>, trail: &Trail<'_>) -> Option<String> {
    let text = reader.text(value, trail, "a glob over instance ids")?;
    if let Err(why) = Glob::new(text) {
        reader.problem(value.start(), trail, format!("{} is no glob", quoted(text)), why);
        return None;
    }
    Some(text.to_owned())
}

fn read_verb(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    rule: Value<'_>,
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
        reader.problem(rule.start(), trail, what, format!("give exactly one of {}", either(&VERBS)));
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
                    reader.problem(value.start(), &trail, "`ignore: false` says nothing", fix);
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
fn read_list<'d>(
    reader: &mut Reader<'_>,
    fields: &Fields<'d>,
    trail: &Trail<'_>,
    key: &str,
    expected: &str,
) -> Option<List<'d>> {
    let value = fields.get(key)?;
    if let Json::List(items) = value.json() {
        return Some(items);
    }
    reader.wrong_kind(value, trail, expected);
    None
}
