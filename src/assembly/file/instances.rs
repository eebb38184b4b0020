//! Reads the `instances` of a file: id, target and placement of each; ids are unique.

use crate::assembly::file::{RawInstance, Target, placement, read_comment, read_list};
use crate::geom::{Affine, LengthUnit};
use crate::json::document::Value;
use crate::json::position::JsonPath;
use crate::json::reader::{Fields, Reader};
use crate::json::wording::quoted;
use rapidhash::fast::RandomState;
use std::collections::BTreeMap;

const INSTANCE_KEYS: [&str; 6] = ["id", "part", "assembly", "as_unit", "placement", "comment"];

pub(crate) fn read_instances(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    part_names: &[String],
    unit: LengthUnit,
) -> Vec<RawInstance> {
    let root = JsonPath::Root;
    let trail = JsonPath::Key(&root, "instances");
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
        let trail = JsonPath::Index(&trail, index);
        let Some(fields) = reader.fields(value, &trail, &INSTANCE_KEYS, "an object with `id` and `part`") else {
            continue;
        };
        read_comment(reader, &fields, &trail);
        let id = read_id(reader, &fields, value, &trail);
        if let Some((id, offset)) = id {
            if let Some((earlier, earlier_offset)) = first.get(id) {
                let (line, column) = reader.source.position(*earlier_offset);
                let fix = format!("the first is instances[{earlier}] at {line}:{column}: rename one of them");
                reader.problem(offset, &JsonPath::Key(&trail, "id"), format!("duplicate id {}", quoted(id)), fix);
            } else {
                first.insert(id, (index, offset));
            }
        }
        let target = read_target(reader, &fields, value, &trail, &parts);
        let as_unit = fields.get("as_unit").map(|v| reader.boolean(v, &JsonPath::Key(&trail, "as_unit")));
        if let (Some(v), Some((Target::Part(_) | Target::UnknownPart(_), _))) = (fields.get("as_unit"), &target) {
            let trail = JsonPath::Key(&trail, "as_unit");
            reader.problem(v.start(), &trail, "`as_unit` on a part", "remove it: `as_unit` applies to sub-assemblies");
        }
        let placement = match fields.get("placement") {
            Some(v) => placement::read(reader, v, &JsonPath::Key(&trail, "placement"), unit),
            None => Some(Affine::identity()),
        };
        if let (Some((id, id_offset)), Some((target, target_offset)), Some(placement)) = (id, target, placement) {
            let as_unit = as_unit.flatten().unwrap_or(false);
            out.push(RawInstance { id: id.to_owned(), id_offset, index, target, target_offset, as_unit, placement });
        }
    }
    out
}

/// Explains an invalid instance id, with the fix; `None` for a valid one.
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
    trail: &JsonPath<'_>,
) -> Option<(&'d str, usize)> {
    let Some(value) = fields.get("id") else {
        reader.problem(instance.start(), trail, "no `id`", "add \"id\" with a name unique in this file");
        return None;
    };
    let trail = JsonPath::Key(trail, "id");
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
    trail: &JsonPath<'_>,
    parts: &BTreeMap<&str, usize>,
) -> Option<(Target, usize)> {
    match (fields.get("part"), fields.get("assembly")) {
        (Some(value), None) => {
            let name = reader.text(value, &JsonPath::Key(trail, "part"), "the name of a part")?;
            let target = parts.get(name).map_or_else(|| Target::UnknownPart(name.to_owned()), |k| Target::Part(*k));
            Some((target, value.start()))
        }
        (None, Some(value)) => {
            let path = reader.text(value, &JsonPath::Key(trail, "assembly"), "the path of an assembly file")?;
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
