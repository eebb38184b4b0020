//! Warns about rules: no effect, contradiction, missing reason, or an allowance wider than measured.

use crate::assembly::{Geometry, Level, Overlap, Rule, RuleAction, RuleCoverage};
use crate::check::{Certainty, Measure, Outcome, PairOutcome};
use crate::error::{Warning, WarningCode};
use crate::findings::not_placed::not_placed;
use crate::findings::round_up::up_to_two_digits;
use crate::geom::Bounds;
use crate::geom::tolerance::EXCESSIVE_ALLOWANCE_RATIO;
use std::collections::BTreeMap;

/// Warnings about rules, in the order of the rules, then about missing placements; each code at most once per rule as
/// written, even if its file is placed several times. The reader of the assembly already warns with `unused-rule`.
///
/// Needs the outcome of the whole run: in one shard, allowances would seem too large.
pub fn lint(outcome: &Outcome) -> Vec<Warning> {
    let needs = needs(outcome);
    let mut written: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
    for (r, rule) in outcome.rules.iter().enumerate().take(outcome.rule_uses.len()) {
        written.entry((&rule.file, rule.index)).or_default().push(r);
    }
    let mut all: Vec<WrittenRule<'_>> =
        written.into_values().filter_map(|uses| WrittenRule::new(outcome, &needs, uses)).collect();
    all.sort_unstable_by_key(|w| w.uses[0]);
    all.iter().flat_map(WrittenRule::warnings).chain(not_placed(outcome)).collect()
}

/// Largest depth of the pairs under a rule.
#[derive(Debug, Clone, Copy)]
enum MeasuredDepth {
    /// Upper bound of the depth (mm); 0 if no pair exceeds the tolerance.
    Depth(f64),
    /// Unmeasured, or measured on other solids than the parts.
    Unknown,
}

/// Depths for each rule.
fn needs(outcome: &Outcome) -> Vec<MeasuredDepth> {
    let without_pairs = |rule: &Rule| {
        let is_unknown = outcome.settings.measure == Measure::None || outcome.leaves_out_run_of(rule);
        if is_unknown { MeasuredDepth::Unknown } else { MeasuredDepth::Depth(0.0) }
    };
    let mut needs: Vec<MeasuredDepth> = outcome.rules.iter().map(without_pairs).collect();
    for pair in outcome.pairs.iter().chain(outcome.runs().iter().flat_map(|run| &run.rows)) {
        if let Some(need) = pair.rule.and_then(|r| needs.get_mut(r as usize)) {
            *need = match (*need, need_of(pair, outcome.settings.tolerance)) {
                (MeasuredDepth::Depth(known), MeasuredDepth::Depth(own)) => MeasuredDepth::Depth(known.max(own)),
                _ => MeasuredDepth::Unknown,
            };
        }
    }
    needs
}

/// Depth of one pair under its rule.
fn need_of(pair: &PairOutcome, tolerance: f64) -> MeasuredDepth {
    let Some([_, most]) = pair.gap_bracket.map(Bounds::to_depth) else { return MeasuredDepth::Unknown };
    // A hull or pieces enclose their part: a small depth is proved, a large one is not.
    if most <= tolerance {
        return MeasuredDepth::Depth(0.0);
    }
    let measured = pair.geometry == Geometry::Exact && pair.certainty != Certainty::NoInside;
    // A failing pair, or a contact by its facets, exceeds the allowance: the allowance is not too large.
    if measured && !pair.status.fails() && !pair.within_facet_error {
        MeasuredDepth::Depth(most)
    } else {
        MeasuredDepth::Unknown
    }
}

/// A rule as written, with all uses of its file.
struct WrittenRule<'a> {
    outcome: &'a Outcome,
    rule: &'a Rule,
    uses: Vec<usize>,
    need: MeasuredDepth,
}

impl<'a> WrittenRule<'a> {
    /// Collects the uses of a rule; `None` if all of them are in `as_unit` sub-assemblies.
    fn new(outcome: &'a Outcome, needs: &[MeasuredDepth], uses: Vec<usize>) -> Option<Self> {
        let uses: Vec<usize> = uses.into_iter().filter(|r| !outcome.rule_uses[*r].in_unit).collect();
        let rule = &outcome.rules[*uses.first()?];
        let worst = |known, r: &usize| match (known, needs[*r]) {
            (MeasuredDepth::Depth(x), MeasuredDepth::Depth(y)) => MeasuredDepth::Depth(x.max(y)),
            _ => MeasuredDepth::Unknown,
        };
        let need = uses.iter().fold(MeasuredDepth::Depth(0.0), worst);
        Some(Self { outcome, rule, uses, need })
    }

    fn rule_uses(&self) -> impl Iterator<Item = &'a RuleCoverage> {
        self.uses.iter().map(|r| &self.outcome.rule_uses[*r])
    }

    fn warnings(&self) -> Vec<Warning> {
        // A rule without pairs already has a warning, to be fixed first.
        let Some(own) = self.rule_uses().find(|u| u.pairs > 0) else { return Vec::new() };
        let effect = self.against_others(own).or_else(|| self.allowance());
        effect.into_iter().chain(self.reason()).collect()
    }

    fn warning(&self, code: WarningCode, message: String) -> Warning {
        Warning { at: Some(self.rule.at.clone()), ..Warning::new(code, message) }
    }

    /// Warning about earlier rules; the rules of one file relate to each other equally at every use.
    fn against_others(&self, own: &RuleCoverage) -> Option<Warning> {
        if !own.known {
            return None;
        }
        let demands = |rule: &Rule| matches!(rule.verb, RuleAction::MinClearance(_));
        let verb_of = |t: &Overlap| &self.outcome.rules[t.rule as usize];
        let does = self.rule.effect_alone();
        let line = self.rule.as_line();
        if own.shadowed {
            let first = verb_of(own.taken_by.first()?);
            let above = name(first);
            let opposes = |t: &Overlap| {
                let grades = [verb_of(t), self.rule].iter().any(|r| r.verb == RuleAction::Grade);
                !grades && demands(verb_of(t)) != demands(self.rule)
            };
            let opposite = own.taken_by.iter().all(opposes);
            return Some(if opposite {
                let message = format!(
                    "this rule {does}, but earlier rules with the opposite effect decide all its pairs, first {above}; \
                     remove this rule, or move it above: {line}"
                );
                self.warning(WarningCode::ContradictingRules, message)
            } else {
                let message = format!(
                    "this rule {does}, but earlier rules decide all its pairs, first {above}; remove this rule, or move it above: {line}"
                );
                self.warning(WarningCode::ShadowedRule, message)
            });
        }
        let against = own.taken_by.iter().find(|t| !t.is_exception)?;
        let (earlier, pairs) = (verb_of(against), against.pairs);
        let count = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
        let keep = between(earlier, self.rule).map_or_else(
            || "add a rule for these pairs above both".to_owned(),
            |rule| format!("add above both: {}", rule.as_line()),
        );
        let message = format!(
            "{} {} {count} for which this rule {does}; to apply this rule, move it above: {line}; to keep the order, {keep}",
            name(earlier),
            earlier.verb.effect()
        );
        Some(self.warning(WarningCode::ContradictingRules, message))
    }

    /// Cure of a useless allowance: a rule with a largest gap keeps it.
    fn without_allowance(&self) -> &'static str {
        if self.rule.max_gap.is_some() { "remove `allow_depth` from the rule" } else { "remove the rule" }
    }

    /// Warning about an allowance below the tolerance, or above the measured depth.
    fn allowance(&self) -> Option<Warning> {
        let RuleAction::AllowDepth(allowed) = self.rule.verb else { return None };
        // An exception to a later rule has an effect at any depth. Pairs taken by rules of other files were not
        // measured.
        if self.rule_uses().any(|u| !u.known || u.guards || u.overruled) {
            return None;
        }
        let text = |mm: f64| format!("{} {}", self.rule.units.as_given(mm), self.rule.units.name());
        let tolerance = self.outcome.settings.tolerance;
        if allowed <= tolerance {
            let message = format!(
                "this rule allows {}, and the tolerance of {} already allows that; {}",
                text(allowed),
                text(tolerance),
                self.without_allowance()
            );
            return Some(self.warning(WarningCode::AllowanceBelowTolerance, message));
        }
        let MeasuredDepth::Depth(need) = self.need else { return None };
        if need == 0.0 {
            let message = format!(
                "this rule allows {}, but no pair of the rule overlaps by more than the tolerance; {}: {}",
                text(allowed),
                self.without_allowance(),
                self.rule.as_line()
            );
            return Some(self.warning(WarningCode::UnneededAllowance, message));
        }
        let enough = up_to_two_digits(need / self.rule.units.mm()) * self.rule.units.mm();
        if allowed <= EXCESSIVE_ALLOWANCE_RATIO * enough {
            return None;
        }
        let line = Rule { verb: RuleAction::AllowDepth(enough), ..self.rule.clone() }.as_line();
        let message = format!(
            "this rule allows {}, and its deepest pair needs only {}; replace the rule by {line}",
            text(allowed),
            text(enough)
        );
        Some(self.warning(WarningCode::AllowanceTooLarge, message))
    }

    /// Warning about a missing reason of a rule. A rule that makes the gate stricter needs none: a required clearance,
    /// or the severity `error`.
    fn reason(&self) -> Option<Warning> {
        let given = self.rule.reason.as_ref().is_some_and(|r| !r.trim().is_empty());
        let is_strict = matches!(self.rule.verb, RuleAction::MinClearance(_) | RuleAction::Grade);
        if given || (is_strict && self.rule.severity == Level::Error) {
            return None;
        }
        let line = Rule { reason: Some("why".to_owned()), ..self.rule.clone() }.as_line();
        Some(self.warning(
            WarningCode::MissingReason,
            format!("this rule {} without a reason; replace it by {line}", self.rule.effect_alone()),
        ))
    }
}

/// Name of a rule for a reader of its file.
fn name(rule: &Rule) -> String {
    let line = rule.at.line.map_or_else(String::new, |l| format!(" (line {l})"));
    format!("rules[{}]{line}", rule.index)
}

/// Earlier rule, narrowed to the pairs of both, if globs can express it: one side of each must be `*` or equal.
fn between(earlier: &Rule, later: &Rule) -> Option<Rule> {
    let common = |p: &String, q: &String| match (p.as_str(), q.as_str()) {
        ("*", _) => Some(q.clone()),
        (_, "*") => Some(p.clone()),
        _ => (p == q).then(|| p.clone()),
    };
    let [p, q] = &earlier.between;
    // If both ways of pairing the sides give globs, each covers a part of the pairs only, unless they are equal.
    let pairs = |r: &String, s: &String| Some([common(p, r)?, common(q, s)?]);
    let [r, s] = &later.between;
    let between = match (pairs(r, s), pairs(s, r)) {
        (Some(one), None) | (None, Some(one)) => one,
        (Some(one), Some(other)) if one == other => one,
        _ => return None,
    };
    Some(Rule { between, ..earlier.clone() })
}
