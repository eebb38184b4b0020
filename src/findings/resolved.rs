//! Tests if a finding missing in a run is fixed or only unverified.

use crate::assembly::{FirstMatch, Glob, Rule, RuleAction};
use crate::check::{MotionOutcome, Outcome, Status};
use crate::findings::run_view::{PairRuling, RunView};
use crate::findings::severity::exceeds;
use crate::geom::LengthUnit;

/// Result for a missing finding, and the state of its pair in the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub fixed: bool,
    /// State of the pair in one line.
    pub why: String,
}

/// Judges a pair without a finding in the run `now`. `least_gap` (mm, signed) is the limit broken before.
///
/// The finding is fixed if both instances exist, the pair was checked, and it keeps the old limit. A more generous rule
/// or tolerance fixes nothing.
pub(crate) fn judge(now: &RunView<'_>, a: &str, b: &str, least_gap: f64) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    for id in [a, b] {
        if !now.instances.contains_key(id) {
            return unverified(format!("there is no instance `{id}`"));
        }
    }
    let asked = now.asked(a, b);
    match asked {
        PairRuling::InUnit(unit) => {
            return unverified(format!("not checked: both instances are in the `as_unit` sub-assembly `{unit}`"));
        }
        PairRuling::IgnoredBy(rule) => return unverified(format!("not checked: ignored by {}", place(rule))),
        PairRuling::ByRule(_) | PairRuling::ToleranceOnly => {}
    }
    let fixed = |why: String| Verdict { fixed: true, why };
    let Some(row) = now.row(a, b) else { return unlisted(now, asked, least_gap) };
    let status = row.status.name();
    match row.gap {
        Some(gap) if !exceeds(least_gap, gap) => fixed(format!("{status}: {}", gap_text(gap, now.units))),
        Some(gap) => {
            let limit = now.units.format_length(least_gap.abs());
            let limit = if least_gap < 0.0 {
                format!("more than the {limit} allowed at acceptance")
            } else {
                format!("less than the {limit} required at acceptance")
            };
            let why = if row.status == Status::Allowed { explained(asked) } else { String::new() };
            unverified(format!("{status}{why}: {}, {limit}", gap_text(gap, now.units)))
        }
        None => unverified(format!("{status}, but not measured")),
    }
}

/// Judges a pair without a finding in a run of `outcome`; `least_gap` (mm, signed) is the limit broken before.
///
/// The finding is fixed if the run was checked, both instances exist, and a row of the run keeps the old limit. A pair
/// without a row is clear in the run, ignored, or as drawn: fixed if the drawing was checked, has no finding of the pair,
/// and no rule ignores it.
pub(crate) fn judge_in_run(
    now: &RunView<'_>,
    outcome: &Outcome,
    [a, b]: [&str; 2],
    run: &str,
    least_gap: f64,
) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    let motion = outcome.motion.as_ref();
    let Some(checked) = outcome.runs().iter().find(|r| r.name == run) else {
        let left_out = motion.is_some_and(|motion| motion.left_out.iter().any(|name| name == run));
        let why = if left_out { "not checked: --run leaves out" } else { "there is no run" };
        return unverified(format!("{why} `{run}`"));
    };
    for id in [a, b] {
        if !now.instances.contains_key(id) {
            return unverified(format!("there is no instance `{id}`"));
        }
    }
    let row = checked.rows.iter().find(|p| (outcome.id(p.a), outcome.id(p.b)) == (a, b));
    let Some(row) = row else { return unlisted_in_run(now, outcome, [a, b], run, least_gap) };
    let status = row.status.name();
    let slack = row.swept.as_ref().map_or(0.0, |swept| 2.0 * swept.margin);
    let gap = if row.swept.is_some() { row.gap_bracket.map(|gap| gap.lower) } else { row.gap };
    match gap {
        Some(gap) if !exceeds(least_gap, gap + slack) => Verdict { fixed: true, why: status.to_owned() },
        Some(gap) => unverified(format!("{status}: {} at worst", gap_text(gap, now.units))),
        None => unverified(format!("{status}, but not measured")),
    }
}

/// Judges a pair without a row in a checked run.
fn unlisted_in_run(now: &RunView<'_>, outcome: &Outcome, [a, b]: [&str; 2], run: &str, least_gap: f64) -> Verdict {
    let unverified = |why: &str| Verdict { fixed: false, why: why.to_owned() };
    if outcome.motion.as_ref().is_some_and(MotionOutcome::is_without_drawing) {
        return unverified("no row, and --run leaves out the drawing");
    }
    let applies = |rule: &&Rule| {
        let during = rule.during.as_ref();
        during.is_none_or(|globs| globs.iter().any(|glob| Glob::new(glob).is_ok_and(|glob| glob.matches(run))))
            && FirstMatch::new(std::slice::from_ref(*rule)).of(a, b).is_some()
    };
    let rule = outcome.rules.iter().find(applies);
    if rule.is_some_and(|rule| rule.verb == RuleAction::Ignore) || matches!(now.asked(a, b), PairRuling::InUnit(_)) {
        return unverified("not checked: a rule or `as_unit` ignores the pair");
    }
    if now.row(a, b).is_some_and(|row| row.status.fails()) {
        return unverified("the pair fails as drawn");
    }
    let demanded = rule.and_then(|rule| rule.verb.min_clearance()).unwrap_or(0.0);
    if exceeds(least_gap, now.listed_within().max(demanded)) {
        return unverified("clear, but the limit required at acceptance is larger than every gap compared");
    }
    Verdict { fixed: true, why: "clear".to_owned() }
}

/// Judges a checked, clear pair without a row.
fn unlisted(now: &RunView<'_>, asked: PairRuling<'_>, least_gap: f64) -> Verdict {
    let demanded = match asked {
        PairRuling::ByRule(Rule { verb: RuleAction::MinClearance(gap), .. }) => *gap,
        _ => 0.0,
    };
    if exceeds(least_gap, now.listed_within().max(demanded)) {
        let limit = now.units.format_length(least_gap);
        return Verdict { fixed: false, why: format!("clear, but the rule that required {limit} is gone") };
    }
    Verdict { fixed: true, why: "clear".to_owned() }
}

fn explained(asked: PairRuling<'_>) -> String {
    match asked {
        PairRuling::ByRule(rule) => format!(" by {}", place(rule)),
        _ => String::new(),
    }
}

/// Position of a rule: file and index.
pub(crate) fn place(rule: &Rule) -> String {
    format!("{} rules[{}]", rule.file, rule.index)
}

fn gap_text(gap: f64, units: LengthUnit) -> String {
    if gap < 0.0 {
        format!("{} deep", units.format_length(-gap))
    } else {
        format!("{} apart", units.format_length(gap))
    }
}
