//! Reads the `rules` of a file: two globs, an action and a severity each.

use crate::assembly::file::joints::read_globs;
use crate::assembly::file::{Located, RawRule, read_comment, read_list};
use crate::assembly::rules::glob::Glob;
use crate::assembly::{Level, RuleAction};
use crate::geom::LengthUnit;
use crate::json::document::Value;
use crate::json::position::JsonPath;
use crate::json::reader::{Fields, Reader};
use crate::json::wording::{join_or, quoted};

const RULE_KEYS: [&str; 9] =
    ["between", "ignore", "allow_depth", "min_clearance", "max_gap", "during", "severity", "reason", "comment"];

/// Returns the fix for another word with the meaning of a key.
fn advice(key: &str) -> Option<&'static str> {
    Some(match key {
        "min_gap" | "gap" | "clearance" | "min_distance" => "did you mean `min_clearance`?",
        "max_clearance" | "max_distance" => "did you mean `max_gap`?",
        "max_depth" | "max_overlap" | "max_penetration" | "depth" | "allow" => "did you mean `allow_depth`?",
        "pair" | "parts" | "instances" => "did you mean `between`?",
        "level" => "did you mean `severity`?",
        _ => return None,
    })
}

pub(crate) fn read_rules(reader: &mut Reader<'_>, fields: &Fields<'_>, unit: LengthUnit) -> Vec<RawRule> {
    let root = JsonPath::Root;
    let trail = JsonPath::Key(&root, "rules");
    let list = read_list(reader, fields, &trail, "rules", "a list of rules");
    let read = |(k, v): (usize, Value<'_>)| read_rule(reader, v, &JsonPath::Index(&trail, k), k, unit);
    list.into_iter().flatten().enumerate().filter_map(read).collect()
}

fn read_rule(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    trail: &JsonPath<'_>,
    index: usize,
    unit: LengthUnit,
) -> Option<RawRule> {
    let expected = "an object with `between` and an action";
    let fields = reader.fields_with_advice(value, trail, &RULE_KEYS, expected, advice)?;
    let between = read_between(reader, &fields, value, trail);
    let severity = read_severity(reader, &fields, trail);
    let verb = read_verb(reader, &fields, value, trail, unit);
    let max_gap = fields.get("max_gap").map(|v| reader.length(v, &JsonPath::Key(trail, "max_gap"), unit));
    if let (Some(RuleAction::MinClearance(least)), Some(Some(most)), Some(at)) = (verb, max_gap, fields.get("max_gap"))
        && most < least
    {
        let what = "a `max_gap` below `min_clearance`: no gap can keep both";
        reader.problem(at.start(), &JsonPath::Key(trail, "max_gap"), what, "raise `max_gap`, or lower `min_clearance`");
    }
    let during = fields.get("during").map(|v| read_during(reader, v, &JsonPath::Key(trail, "during")));
    read_comment(reader, &fields, trail);
    let reason = fields.get("reason").map(|v| reader.text(v, &JsonPath::Key(trail, "reason"), "a text"));
    Some(RawRule {
        between: between?,
        verb: verb?,
        severity: severity?,
        reason: reason.flatten().map(str::to_owned),
        max_gap: max_gap.map_or(Some(None), |read| read.map(Some))?,
        during,
        index: u32::try_from(index).unwrap_or(u32::MAX),
        at: reader.source.at(value.start(), trail),
    })
}

/// Reads the runs of a rule, one glob or more.
fn read_during(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Vec<Located<String>> {
    let noted = reader.problems.len();
    let globs = read_globs(reader, value, trail, "a list of globs over the names of runs");
    if globs.is_empty() && reader.problems.len() == noted {
        reader.problem(value.start(), trail, "a rule for no run", "name runs, or remove `during`");
    }
    globs
}

fn read_between(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    rule: Value<'_>,
    trail: &JsonPath<'_>,
) -> Option<[String; 2]> {
    let Some(value) = fields.get("between") else {
        reader.problem(rule.start(), trail, "no `between`", "add \"between\" with two globs over instance ids");
        return None;
    };
    let trail = JsonPath::Key(trail, "between");
    let globs = reader.list::<2>(value, &trail, "a list of two globs over instance ids")?;
    let [a, b] = [0, 1].map(|k: usize| read_glob(reader, globs[k], &JsonPath::Index(&trail, k)));
    Some([a?, b?])
}

fn read_glob(reader: &mut Reader<'_>, value: Value<'_>, trail: &JsonPath<'_>) -> Option<String> {
    let text = reader.text(value, trail, "a glob over instance ids")?;
    if let Err(why) = Glob::new(text) {
        reader.problem(value.start(), trail, format!("{} is not a glob", quoted(text)), why);
        return None;
    }
    Some(text.to_owned())
}

/// Reads the severity of a rule, by default `error`; `None` after a problem.
fn read_severity(reader: &mut Reader<'_>, fields: &Fields<'_>, trail: &JsonPath<'_>) -> Option<Level> {
    let Some(value) = fields.get("severity") else { return Some(Level::Error) };
    let trail = JsonPath::Key(trail, "severity");
    if fields.has("ignore") {
        reader.problem(
            value.start(),
            &trail,
            "`severity` of ignored pairs",
            "remove it: ignored pairs have no findings",
        );
        return None;
    }
    reader.word(value, &trail, &Level::ALL.map(Level::name), Level::from_name)
}

fn read_verb(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    rule: Value<'_>,
    trail: &JsonPath<'_>,
    unit: LengthUnit,
) -> Option<RuleAction> {
    let given: Vec<&str> = RuleAction::KEYS.into_iter().filter(|v| fields.has(v)).collect();
    if given.is_empty() && (fields.has("severity") || fields.has("max_gap")) {
        return Some(RuleAction::Grade);
    }
    if given.len() != 1 {
        let what = if given.is_empty() {
            "a rule without an action".to_owned()
        } else {
            format!("{} actions in one rule", given.len())
        };
        reader.problem(
            rule.start(),
            trail,
            what,
            format!("give exactly one of {}, or `max_gap` or `severity` alone", join_or(&RuleAction::KEYS)),
        );
    }
    let mut verb = None;
    for name in &given {
        let Some(value) = fields.get(name) else { continue };
        let trail = JsonPath::Key(trail, name);
        verb = match *name {
            "ignore" => match reader.boolean(value, &trail) {
                Some(true) if fields.has("max_gap") => {
                    let fix = "keep one of them: the check computes no gap of ignored pairs";
                    reader.problem(value.start(), &trail, "both `ignore` and `max_gap`", fix);
                    None
                }
                Some(true) => Some(RuleAction::Ignore),
                Some(false) => {
                    let fix = "write `true`, or remove the rule";
                    reader.problem(value.start(), &trail, "`ignore: false` has no effect", fix);
                    None
                }
                None => None,
            },
            _ => reader.length(value, &trail, unit).map(|mm| RuleAction::of_key(name, Some(mm))),
        };
    }
    if given.len() == 1 { verb } else { None }
}
