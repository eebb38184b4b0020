//! Tests if a finding missing in a run is fixed or only unverified.

use crate::assembly::{Rule, RuleAction};
use crate::check::{AS_DRAWN, Status};
use crate::findings::run_view::{BrokenLimit, PairRuling, RunRows, RunView};
use crate::findings::severity::exceeds;
use crate::geom::LengthUnit;

/// Result for a missing finding, and the state of its pair in the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub fixed: bool,
    /// State of the pair in one line.
    pub why: String,
}

/// Judges a pair without a finding in `now`: in the drawing (`None`), or in a pose or sweep. `definition` is the hash
/// of the joint values that the pose or sweep covered before, if known. `broken` is the limit broken before.
///
/// The finding is fixed if both instances exist, the pair was checked at the same joint values, and it keeps the old
/// limit. A more generous rule or tolerance fixes nothing.
pub(crate) fn judge(
    now: &RunView<'_>,
    [a, b]: [&str; 2],
    run: Option<&str>,
    definition: Option<u64>,
    broken: BrokenLimit,
) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    let Some(run) = run else {
        if now.motion.leaves_out(AS_DRAWN) {
            return unverified("not checked: --run leaves out the drawing".to_owned());
        }
        return match broken {
            BrokenLimit::Least(gap) => judge_as_drawn(now, a, b, gap),
            BrokenLimit::Largest(gap) => judge_largest(now, None, [a, b], gap),
        };
    };
    let Some(checked) = now.motion.run(run) else {
        let why = if now.motion.leaves_out(run) { "not checked: --run leaves out" } else { "there is no run" };
        return unverified(format!("{why} `{run}`"));
    };
    if checked.definition.zip(definition).is_some_and(|(now, before)| now != before) {
        return unverified(format!("`{run}` covers other joint values now"));
    }
    match broken {
        BrokenLimit::Least(gap) => judge_in_run(now, checked, [a, b], gap),
        BrokenLimit::Largest(gap) => judge_largest(now, Some(run), [a, b], gap),
    }
}

/// Reason of a pair that a checked run may leave as drawn.
const UNSEEN: &str = "no row, and --run leaves out the drawing";

/// Judges a pair that was farther apart than `largest` (mm), in the drawing or in a checked run. One pose has one gap;
/// over a sweep, a rule must still keep the limit.
fn judge_largest(now: &RunView<'_>, run: Option<&str>, [a, b]: [&str; 2], largest: f64) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    if let Some(missing) = missing_instance(now, [a, b]) {
        return missing;
    }
    let limit = || now.units.format_length(largest);
    let asked = now.asked(run, a, b);
    if matches!(asked, PairRuling::IgnoredBy(_) | PairRuling::InUnit(_)) {
        return unverified("not checked: a rule or `as_unit` ignores the pair".to_owned());
    }
    let row = now.row(run, a, b);
    // A pair that the run leaves as drawn has no row there.
    if run.is_some() && row.is_none() && now.motion.leaves_out(AS_DRAWN) {
        return unverified(UNSEEN.to_owned());
    }
    if run.is_some() && now.row(None, a, b).is_some_and(|row| row.status.fails()) {
        return unverified("the pair fails as drawn".to_owned());
    }
    if let PairRuling::ByRule(Rule { max_gap: Some(now), .. }) = asked
        && !exceeds(*now, largest)
    {
        return Verdict { fixed: true, why: "within the largest gap of its rule".to_owned() };
    }
    match row.filter(|row| row.travel.is_none()).and_then(|row| row.gap) {
        Some(gap) if !exceeds(gap, largest) => Verdict { fixed: true, why: gap_text(gap, now.units) },
        Some(gap) => {
            unverified(format!("{}, more than the {} allowed at acceptance", gap_text(gap, now.units), limit()))
        }
        None => unverified(format!("not measured, and no rule keeps the largest gap of {}", limit())),
    }
}

/// Judges a pair without a finding in the drawing.
fn judge_as_drawn(now: &RunView<'_>, a: &str, b: &str, least_gap: f64) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    if let Some(missing) = missing_instance(now, [a, b]) {
        return missing;
    }
    let asked = now.asked(None, a, b);
    match asked {
        PairRuling::InUnit(unit) => {
            return unverified(format!("not checked: both instances are in the `as_unit` sub-assembly `{unit}`"));
        }
        PairRuling::IgnoredBy(rule) => return unverified(format!("not checked: ignored by {}", place(rule))),
        PairRuling::ByRule(_) | PairRuling::ToleranceOnly => {}
    }
    let fixed = |why: String| Verdict { fixed: true, why };
    let Some(row) = now.row(None, a, b) else { return unlisted(now, asked, least_gap) };
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

/// Verdict on a pair of which an instance is missing.
fn missing_instance(now: &RunView<'_>, pair: [&str; 2]) -> Option<Verdict> {
    let id = pair.into_iter().find(|id| !now.instances.contains_key(id))?;
    Some(Verdict { fixed: false, why: format!("there is no instance `{id}`") })
}

/// Judges a pair without a finding in a checked pose or sweep.
///
/// A pair without a row is clear there, ignored, or as drawn: fixed if the drawing was checked, has no finding of the
/// pair, and no rule ignores it.
fn judge_in_run(now: &RunView<'_>, run: &RunRows<'_>, [a, b]: [&str; 2], least_gap: f64) -> Verdict {
    let unverified = |why: String| Verdict { fixed: false, why };
    if let Some(missing) = missing_instance(now, [a, b]) {
        return missing;
    }
    let Some(row) = run.row(a, b) else { return unlisted_in_run(now, [a, b], run.name, least_gap) };
    let status = row.status.name();
    match row.least {
        Some(gap) if !exceeds(least_gap, gap) => Verdict { fixed: true, why: status.to_owned() },
        Some(gap) => unverified(format!("{status}: {} at worst", gap_text(gap, now.units))),
        None => unverified(format!("{status}, but not measured")),
    }
}

/// Judges a pair without a row in a checked run.
fn unlisted_in_run(now: &RunView<'_>, [a, b]: [&str; 2], run: &str, least_gap: f64) -> Verdict {
    let unverified = |why: &str| Verdict { fixed: false, why: why.to_owned() };
    if now.motion.leaves_out(AS_DRAWN) {
        return unverified(UNSEEN);
    }
    let asked = now.asked(Some(run), a, b);
    if matches!(asked, PairRuling::IgnoredBy(_) | PairRuling::InUnit(_)) {
        return unverified("not checked: a rule or `as_unit` ignores the pair");
    }
    if now.row(None, a, b).is_some_and(|row| row.status.fails()) {
        return unverified("the pair fails as drawn");
    }
    if exceeds(least_gap, now.listed_within().max(demanded(asked))) {
        return unverified("clear, but the limit required at acceptance is larger than every gap compared");
    }
    Verdict { fixed: true, why: "clear".to_owned() }
}

/// Clearance that a rule demands (mm, >= 0).
fn demanded(asked: PairRuling<'_>) -> f64 {
    match asked {
        PairRuling::ByRule(Rule { verb: RuleAction::MinClearance(gap), .. }) => *gap,
        _ => 0.0,
    }
}

/// Judges a checked, clear pair without a row.
fn unlisted(now: &RunView<'_>, asked: PairRuling<'_>, least_gap: f64) -> Verdict {
    if exceeds(least_gap, now.listed_within().max(demanded(asked))) {
        let limit = now.units.format_length(least_gap);
        let why = match demanded(asked) {
            less if less > 0.0 => {
                format!("clear, but the rule requires {} in place of {limit}", now.units.format_length(less))
            }
            _ => format!("clear, but the rule that required {limit} is gone"),
        };
        return Verdict { fixed: false, why };
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
