//! Writes the proposals of `interfere suggest`: rules for review, and the pairs left out.

use crate::assembly::Rule;
use crate::check::{Outcome, pair_id};
use crate::findings::{Proposal, Suggestions, Unproposed};
use crate::json::wording::is_json_path;
use crate::json::write::write_json;
use crate::report::number::{count, length, length_text};
use crate::report::text::shown;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::io;

/// Largest number of left-out pairs in the text; a last line counts the rest.
const MAX_LEFT_OUT: usize = 50;

/// Writes the proposals for an outcome as JSON.
///
/// # Errors
/// Returns the writer's error.
pub fn render_json(suggestions: &Suggestions, outcome: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
    let unit = outcome.units;
    let rule = |p: &'_ Proposal| ProposalRow {
        fit: p.fit.name(),
        pairs: p.pairs,
        others: p.others,
        deepest: length(p.deepest, unit),
        rule: AsWritten(p.rule.clone()),
    };
    let left = |l: &Unproposed| LeftOutRow {
        id: pair_id(outcome.id(l.a), outcome.id(l.b)),
        a: outcome.id(l.a).to_owned(),
        b: outcome.id(l.b).to_owned(),
        status: l.status.name(),
        why: l.why,
    };
    let document = Document {
        version: 1,
        assembly: crate::report::json::Assembly { name: &outcome.name, path: &outcome.path, units: unit.name() },
        rules: suggestions.rules.iter().map(rule).collect(),
        left_out: suggestions.left_out.iter().map(left).collect(),
    };
    write_json(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    assembly: crate::report::json::Assembly<'a>,
    rules: Vec<ProposalRow>,
    left_out: Vec<LeftOutRow>,
}

#[derive(Serialize)]
struct ProposalRow {
    fit: &'static str,
    pairs: u64,
    others: u64,
    deepest: f64,
    rule: AsWritten,
}

#[derive(Serialize)]
struct LeftOutRow {
    id: String,
    a: String,
    b: String,
    status: &'static str,
    why: &'static str,
}

/// Rule with only the keys of an assembly file.
struct AsWritten(Rule);

impl Serialize for AsWritten {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(rule) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("between", &rule.between)?;
        match rule.verb.length() {
            Some(mm) => map.serialize_entry(rule.verb.key(), &rule.units.as_given(mm))?,
            None => map.serialize_entry(rule.verb.key(), &true)?,
        }
        if let Some(reason) = &rule.reason {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}

/// Writes the lines for the assembly file, with the place that they belong to.
fn write_rules(
    rules: &[Proposal],
    head: &str,
    outcome: &Outcome,
    written: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let path = shown(&outcome.path);
    let has_rules = outcome.rules.iter().any(|rule| rule.scope.is_empty());
    let place = if written {
        format!("Now in {path}. Review each, and replace its reason")
    } else if !is_json_path(&outcome.path) {
        format!(
            "{path} has no place for rules. `interfere init {path} -o cell.json` writes a file above it, and \
             `interfere suggest cell.json` prints these rules with the ids of that file"
        )
    } else if has_rules {
        format!("Review each, then add it after the rules of {path}")
    } else {
        format!("Review each, then add this to {path}")
    };
    writeln!(out, "{head}. {place}:\n")?;
    let is_key = !written && !has_rules;
    let indent = if is_key { "      " } else { "    " };
    if is_key {
        writeln!(out, "    \"rules\": [")?;
    }
    for (k, p) in rules.iter().enumerate() {
        let comma = if k + 1 < rules.len() { "," } else { "" };
        writeln!(out, "{indent}{}{comma}", shown(&p.rule.as_line()))?;
    }
    if is_key { writeln!(out, "    ]") } else { Ok(()) }
}

/// Writes the proposals for an outcome for people: lines for the assembly file, the pairs of each, then the pairs left
/// out. `written` tells that the lines are in the file.
///
/// # Errors
/// Returns the writer's error.
pub fn render_text(
    suggestions: &Suggestions,
    outcome: &Outcome,
    written: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Suggestions { rules, left_out } = suggestions;
    let covered: u64 = rules.iter().map(|p| p.pairs).sum();
    if rules.is_empty() && left_out.is_empty() {
        return writeln!(out, "No pair fails as drawn, so no rule is proposed.");
    }
    let all = covered + left_out.len() as u64;
    let proposed = count(rules.len() as u64, "rule");
    let failing = format!("{} that {}", count(all, "pair"), if all == 1 { "fails" } else { "fail" });
    let of = if covered == 0 || covered == all {
        format!("for the {failing}")
    } else {
        format!("for {covered} of the {failing}")
    };
    if rules.is_empty() {
        writeln!(out, "No rule is proposed {of}.")?;
    } else {
        write_rules(rules, &format!("{proposed} proposed {of}"), outcome, written, out)?;
        writeln!(out, "\nPurpose of each rule:\n")?;
    }
    for p in rules {
        let [a, b] = &p.rule.between;
        let deepest = length_text(p.deepest, outcome.units);
        let others = match p.others {
            0 => String::new(),
            n => format!(
                "; also matches {} of these parts that {} already",
                count(n, "pair"),
                if n == 1 { "passes" } else { "pass" }
            ),
        };
        let pairs = count(p.pairs, "pair");
        writeln!(out, "    {} and {}: {}, {pairs}, up to {deepest} deep{others}", shown(a), shown(b), p.fit.name())?;
    }
    if !left_out.is_empty() {
        writeln!(out, "\nLeft out, {}:\n", count(left_out.len() as u64, "pair"))?;
    }
    for l in left_out.iter().take(MAX_LEFT_OUT) {
        let (a, b) = (shown(outcome.id(l.a)), shown(outcome.id(l.b)));
        writeln!(out, "    {a} and {b}: {}, {}", l.status.name(), l.why)?;
    }
    match left_out.len().saturating_sub(MAX_LEFT_OUT) {
        0 => Ok(()),
        n => writeln!(out, "    and {n} more"),
    }
}
