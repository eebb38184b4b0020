//! Tests if a finding missing in a run is fixed or only unverified.

use crate::assembly::{Rule, RuleAction};
use crate::check::Status;
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
