//! Reads a baseline file strictly: a damaged or misspelt entry must not hide a finding.

use crate::check::{Relation, Status};
use crate::error::Error;
use crate::findings::baseline::{Baseline, Entry, EntryTranslation};
use crate::findings::severity::{CommonVolume, Severity};
use crate::geom::LengthUnit;
use crate::json::document::{Json, Value};
use crate::json::document_kind::DocumentKind;
use crate::json::position::{JsonPath, Source};
use crate::json::reader::{Fields, Reader, decode, document_kind};
use crate::json::syntax::parse;
use std::collections::BTreeMap;

const TOP_KEYS: [&str; 5] = ["version", "assembly", "units", "accepted", "$schema"];
const ENTRY_KEYS: [&str; 20] = [
    "a",
    "b",
    "status",
    "relation",
    "depth",
    "volume",
    "volume_slack",
    "volume_facets",
    "translation_in_a",
    "translation_facets",
    "meshes",
    "gap",
    "bracket",
    "uncertainty",
    "limit",
    "inputs",
    "run",
    "travel",
    "motion",
    "reason",
];
const FINDINGS: [Status; 4] = [Status::Interference, Status::TooClose, Status::Loose, Status::Undecided];

/// Reads a baseline; `shown` is the file as named in messages. Entries may be in any order.
///
/// # Errors
/// Returns all problems of the file, each with its position and a fix.
pub fn read(shown: &str, bytes: Vec<u8>) -> Result<Baseline, Error> {
    let text = decode(shown, bytes).map_err(|p| Error::from(*p))?;
    let source = Source::new(shown.to_owned(), text);
    let document = parse(&source).map_err(|p| Error::from(*p))?;
    let mut reader = Reader::new(&source);
    match (read_file(&mut reader, document.root()), reader.problems) {
        (Some(baseline), problems) if problems.is_empty() => Ok(baseline),
        (_, problems) => Err(Error { problems }),
    }
}

fn read_file(reader: &mut Reader<'_>, document: Value<'_>) -> Option<Baseline> {
    let root = JsonPath::Root;
    if let Some(kind) = document_kind(document).filter(|kind| *kind != DocumentKind::Baseline) {
        let fix = "name a baseline: `interfere accept` writes one";
        reader.problem(document.start(), &root, format!("{}, not a baseline", kind.name()), fix);
        return None;
    }
    let fields = reader.fields(document, &root, &TOP_KEYS, "an object: a baseline, version 1")?;
    let version = required(reader, &fields, document, &root, "version", "the number 1")?;
    if !matches!(version.json(), Json::Number(1.0)) {
        // Another version has other keys: report the version only.
        reader.problems.clear();
        reader.wrong_kind(version, &JsonPath::Key(&root, "version"), "the number 1");
        return None;
    }
    let text = |reader: &mut Reader<'_>, key: &'static str, expected: &str| {
        let value = required(reader, &fields, document, &root, key, expected)?;
        reader.text(value, &JsonPath::Key(&root, key), expected).map(str::to_owned)
    };
    let assembly = text(reader, "assembly", "the name of the assembly file");
    let schema =
        fields.get("$schema").map(|v| reader.text(v, &JsonPath::Key(&root, "$schema"), "a text").map(str::to_owned));
    let names = LengthUnit::ALL.map(LengthUnit::name);
    let units = required(reader, &fields, document, &root, "units", "a length unit")
        .and_then(|v| reader.word(v, &JsonPath::Key(&root, "units"), &names, LengthUnit::from_name));
    let trail = JsonPath::Key(&root, "accepted");
    let list = required(reader, &fields, document, &root, "accepted", "a list of accepted findings")?;
    let Json::List(items) = list.json() else {
        reader.wrong_kind(list, &trail, "a list of accepted findings");
        return None;
    };
    let mut accepted: BTreeMap<(String, String, Option<String>), (Entry, usize)> = BTreeMap::new();
    for (k, item) in items.enumerate() {
        let trail = JsonPath::Index(&trail, k);
        let Some(entry) = read_entry(reader, item, &trail) else { continue };
        let key = (entry.a.clone(), entry.b.clone(), entry.run.clone());
        if let Some((_, earlier)) = accepted.get(&key) {
            let fix = format!("accepted[{earlier}] has the same pair: keep one entry");
            reader.problem(item.start(), &trail, "the pair is accepted twice", fix);
        } else {
            accepted.insert(key, (entry, k));
        }
    }
    let accepted = accepted.into_values().map(|(entry, _)| entry).collect();
    Some(Baseline { schema: schema.flatten(), assembly: assembly?, units: units?, accepted })
}

fn required<'d>(
    reader: &mut Reader<'_>,
    fields: &Fields<'d>,
    object: Value<'_>,
    trail: &JsonPath<'_>,
    key: &'static str,
    expected: &str,
) -> Option<Value<'d>> {
    let value = fields.get(key);
    if value.is_none() {
        reader.problem(object.start(), trail, format!("no `{key}`"), format!("add \"{key}\": {expected}"));
    }
    value
}

fn read_entry(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<Entry> {
    let fields = reader.fields(value, trail, &ENTRY_KEYS, "an object: an accepted finding")?;
    let id = |reader: &mut Reader<'_>, key: &'static str| {
        let id = required(reader, &fields, value, trail, key, "the full id of an instance")?;
        Some((reader.text(id, &JsonPath::Key(trail, key), "the full id of an instance")?.to_owned(), id.start()))
    };
    let (a, b) = (id(reader, "a"), id(reader, "b"));
    let names = FINDINGS.map(Status::name);
    let status = required(reader, &fields, value, trail, "status", "the kind of finding").and_then(|v| {
        reader.word(v, &JsonPath::Key(trail, "status"), &names, |word| FINDINGS.into_iter().find(|s| s.name() == word))
    });
    let relation = fields.get("relation").filter(|v| !is_null(*v)).map(|v| {
        let names = Relation::ALL.map(Relation::name);
        reader.word(v, &JsonPath::Key(trail, "relation"), &names, |word| {
            Relation::ALL.into_iter().find(|r| r.name() == word)
        })
    });
    let reason = fields.get("reason").filter(|v| !is_null(*v));
    let reason = reason.map(|v| reader.text(v, &JsonPath::Key(trail, "reason"), "a text").map(str::to_owned));
    let run = fields.get("run").filter(|v| !is_null(*v));
    let run = run.map(|v| reader.text(v, &JsonPath::Key(trail, "run"), "the name of a run").map(str::to_owned));
    let mut length = |key| fields.get(key).map(|_| read_amount(reader, &fields, trail, key, "a length")).transpose();
    let [travel, uncertainty] = ["travel", "uncertainty"].map(&mut length);
    let motion = fields.get("motion").map(|v| read_hash(reader, v, &JsonPath::Key(trail, "motion")));
    let limit = required(reader, &fields, value, trail, "limit", "the broken limit")
        .and_then(|v| reader.number(v, &JsonPath::Key(trail, "limit"), "a length"));
    let inputs = fields.get("inputs").map(|v| read_hash(reader, v, &JsonPath::Key(trail, "inputs")));
    let status = status?;
    let mut group = |keys: &[&'static str]| read_group(reader, &fields, value, trail, status, keys);
    let (volume, translation) = (group(&VOLUME_KEYS).ok()?, group(&TRANSLATION_KEYS).ok()?);
    let shared = volume.map(|()| read_shared(reader, &fields, trail)).transpose().ok()?;
    let translation = translation.map(|()| read_translation(reader, &fields, trail)).transpose().ok()?;
    let meshes = read_meshes(reader, &fields, value, trail, shared.is_some() || translation.is_some()).ok()?;
    let extent = read_extent(reader, &fields, value, trail, status, shared);
    let needs_inputs = status == Status::Undecided || matches!(extent, Ok(None));
    if needs_inputs && inputs.is_none() {
        reader.problem(value.start(), trail, "no `inputs`: the hash of the solids and their pose", REWRITE_ADVICE);
        return None;
    }
    let ((a, a_at), (b, _)) = (a?, b?);
    if a >= b {
        reader.problem(
            a_at,
            &JsonPath::Key(trail, "a"),
            "`a` does not come before `b` in byte order",
            "swap `a` and `b`",
        );
        return None;
    }
    Some(Entry {
        a,
        b,
        status,
        relation: relation.map_or(Some(None), |r| r.map(Some))?,
        extent: extent.ok()?,
        limit: limit?,
        translation,
        meshes,
        inputs: inputs.map_or(Some(None), |i| i.map(Some))?,
        run: run.map_or(Some(None), |r| r.map(Some))?,
        travel: travel.ok()?,
        uncertainty: uncertainty.ok()?,
        motion: motion.map_or(Some(None), |m| m.map(Some))?,
        reason: reason.map_or(Some(None), |r| r.map(Some))?,
    })
}

fn is_null(value: Value<'_>) -> bool {
    matches!(value.json(), Json::Null)
}

/// Marks a refused value; its problem is already recorded.
struct Refused;

/// Reads the severity of an entry; refuses the key of another kind.
fn read_extent(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    entry: Value<'_>,
    trail: &JsonPath<'_>,
    status: Status,
    shared: Option<CommonVolume>,
) -> Result<Option<Severity>, Refused> {
    let own = match status {
        Status::Interference => "depth",
        Status::TooClose => "gap",
        _ => "bracket",
    };
    if let Some(other) = ["depth", "gap", "bracket"].into_iter().find(|k| *k != own && fields.has(k)) {
        let what = format!("`{other}` of a finding with status {}", status.name());
        reader.problem(entry.start(), &JsonPath::Key(trail, other), what, format!("replace it by `{own}`"));
        return Err(Refused);
    }
    let Some(value) = fields.get(own) else { return Ok(None) };
    let trail = JsonPath::Key(trail, own);
    let extent = match status {
        Status::Interference => reader.number(value, &trail, "a depth").map(|depth| Severity::Depth(depth, shared)),
        Status::TooClose => reader.number(value, &trail, "a gap").map(Severity::Gap),
        _ => reader.numbers::<2>(value, &trail, "a list of two gaps").map(|bounds| match status {
            Status::Loose => Severity::Largest(bounds.into()),
            _ => Severity::Bracket(bounds.into()),
        }),
    };
    extent.map(Some).ok_or(Refused)
}

/// Advice for an incomplete entry.
const REWRITE_ADVICE: &str = "run `interfere accept` again to write it";

/// Keys of a volume: all of them, or none for an unknown volume.
const VOLUME_KEYS: [&str; 3] = ["volume", "volume_slack", "volume_facets"];

/// Keys of a separating translation: both of them, or none.
const TRANSLATION_KEYS: [&str; 2] = ["translation_in_a", "translation_facets"];

/// Tells if an entry has the keys of a group. Refuses a part of the group, and the group of another kind of finding.
fn read_group(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    entry: Value<'_>,
    trail: &JsonPath<'_>,
    status: Status,
    keys: &[&'static str],
) -> Result<Option<()>, Refused> {
    let Some(there) = keys.iter().find(|k| fields.has(k)) else { return Ok(None) };
    let (what, fix) = if status != Status::Interference {
        (format!("`{there}` of a finding with status {}", status.name()), "remove it")
    } else if let Some(missing) = keys.iter().chain(&["meshes"]).find(|k| !fields.has(k)) {
        (format!("`{there}` without `{missing}`"), REWRITE_ADVICE)
    } else {
        return Ok(Some(()));
    };
    reader.problem(entry.start(), &JsonPath::Key(trail, there), what, fix);
    Err(Refused)
}

/// Reads a number of at least 0; `what` names it with an article.
fn read_amount(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    trail: &JsonPath<'_>,
    key: &'static str,
    what: &str,
) -> Result<f64, Refused> {
    let value = fields.get(key).ok_or(Refused)?;
    let trail = JsonPath::Key(trail, key);
    let number = reader.number(value, &trail, what).ok_or(Refused)?;
    if number < 0.0 {
        reader.problem(value.start(), &trail, format!("{what} below 0"), REWRITE_ADVICE);
        return Err(Refused);
    }
    Ok(number)
}

/// Reads the common volume of an entry and its uncertainties.
fn read_shared(reader: &mut Reader<'_>, fields: &Fields<'_>, trail: &JsonPath<'_>) -> Result<CommonVolume, Refused> {
    let [volume, slack, facets] = VOLUME_KEYS.map(|key| read_amount(reader, fields, trail, key, "a volume"));
    Ok(CommonVolume { volume: volume?, slack: slack?, facets: facets? })
}

/// Reads the separating translation of an entry and its uncertainty.
fn read_translation(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    trail: &JsonPath<'_>,
) -> Result<EntryTranslation, Refused> {
    let [vector, facets] = TRANSLATION_KEYS;
    let given = fields.get(vector).ok_or(Refused)?;
    let read = reader.numbers::<3>(given, &JsonPath::Key(trail, vector), "a list of three lengths");
    let facets = read_amount(reader, fields, trail, facets, "a length")?;
    Ok(EntryTranslation { vector: read.ok_or(Refused)?, facets })
}

/// Reads the hash of the meshes; refuses it in an entry that compares nothing by it.
fn read_meshes(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    entry: Value<'_>,
    trail: &JsonPath<'_>,
    is_used: bool,
) -> Result<Option<u64>, Refused> {
    let Some(value) = fields.get("meshes") else { return Ok(None) };
    let trail = JsonPath::Key(trail, "meshes");
    if !is_used {
        reader.problem(entry.start(), &trail, "`meshes` without `volume`", REWRITE_ADVICE);
        return Err(Refused);
    }
    read_hash(reader, value, &trail).map(Some).ok_or(Refused)
}

fn read_hash(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<u64> {
    let expected = "16 hexadecimal digits";
    let text = reader.text(value, trail, expected)?;
    let hash = (text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten();
    if hash.is_none() {
        reader.problem(value.start(), trail, "not a hash", format!("expected {expected}"));
    }
    hash
}
