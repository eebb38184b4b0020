//! What each rule is there for among the others: whether earlier ones leave it a pair, whether later ones would take its pairs. Found for
//! classes of instances, as everything about rules; nothing of it is measured.

use crate::assembly::model::RuleAction;
use crate::assembly::rules::glob::escaped;
use crate::assembly::rules::table::{IdIndex, Matched, RuleTable};
use crate::assembly::{Assembly, Rule};
use crate::error::Warning;
use crate::json::wording::{nearest, quoted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// So many pairs of classes are looked at in all; what is not known by then stays so ([`RuleUse::known`]). A few dozen rules over a few
/// dozen classes take thousands.
const MAX_VISITS: u64 = 1 << 24;

/// What a rule is there for in one use of its file, whatever places the parts have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent findings, each asked for by itself")]
pub struct RuleCoverage {
    /// Pairs that its globs match; earlier rules make no difference here.
    pub pairs: u64,
    /// Whether what follows was found out; else it was too much work, and is as for a rule of which there is nothing to say.
    pub known: bool,
    /// Whether earlier rules of its own file match each of its pairs.
    pub shadowed: bool,
    /// The earlier rules of its file that do, where it is shadowed; else, where it demands a clearance, those that ignore or allow
    /// instead. Ascending.
    pub taken_by: Vec<Overlap>,
    /// Of a rule that allows: whether a later rule matches a pair for which this is the first.
    pub guards: bool,
    /// Of a rule that allows: whether rules of the files above hold for some of its pairs instead.
    pub overruled: bool,
    /// Whether all of it lies inside one `as_unit` sub-assembly.
    pub in_unit: bool,
}

/// A rule that takes pairs from a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Index in [`Assembly::rules`].
    pub rule: u32,
    /// How many pairs; at least one.
    pub pairs: u64,
    /// Whether the later rule matches all that this one does: then this is an exception from it.
    pub is_exception: bool,
}

impl RuleTable {
    /// What each rule of the assembly that the table was made of is there for.
    pub fn uses(&self, assembly: &Assembly) -> Vec<RuleCoverage> {
        if assembly.rules.is_empty() {
            return Vec::new();
        }
        let matched = Matched::new(self, &self.all_members());
        let index = assembly.rules.iter().any(|r| !r.scope.is_empty()).then(|| IdIndex::new(assembly));
        let mut search = Search { table: self, matched: &matched, visits: MAX_VISITS };
        let mut uses = Vec::with_capacity(assembly.rules.len());
        // The rules of one use of a file stand together.
        for own in assembly.rules.chunk_by(|p, q| p.scope == q.scope && p.file == q.file) {
            let first = uses.len() as u32;
            // Of the root file there is nothing to check otherwise.
            let is_below = index.as_ref().filter(|_| !own[0].scope.is_empty());
            let in_unit = is_below.is_some_and(|index| self.one_unit(index, &own[0].scope));
            for r in first..first + own.len() as u32 {
                let pairs = matched.pairs_of(r as usize);
                let found = search.found(first..r, &assembly.rules);
                let known = found.is_some();
                let (taken_by, shadowed, guards, overruled) = found.unwrap_or_default();
                let shadowed = shadowed && pairs > 0;
                uses.push(RuleCoverage { pairs, known, shadowed, taken_by, guards, overruled, in_unit });
            }
        }
        uses
    }

    /// Whether all instances of a scope lie in one `as_unit` sub-assembly.
    fn one_unit(&self, index: &IdIndex<'_>, scope: &str) -> bool {
        let mut units = index.beginning_with(scope).iter().map(|(_, i)| self.unit[*i as usize]);
        let first = units.next().flatten();
        first.is_some() && units.all(|u| u == first)
    }

    /// The first rule from `from` on between members of two classes.
    fn first_from(&self, from: u32, a: u32, b: u32) -> Option<u32> {
        let side = |class: u32| {
            let all = &self.matches[class as usize];
            &all[all.partition_point(|(rule, _)| *rule < from)..]
        };
        crate::assembly::rules::table::first_of(side(a), side(b))
    }

    /// Warnings for rules that match no pair: one per rule as written, when none of the places its file is used at has a
    /// pair for it.
    pub(crate) fn unused(&self, assembly: &Assembly) -> Vec<Warning> {
        let mut uses: BTreeMap<(&str, u32), (u32, bool)> = BTreeMap::new();
        let mut unmatched = self.unmatched_rules().into_iter().peekable();
        for (r, rule) in assembly.rules.iter().enumerate() {
            let is_unused = unmatched.next_if_eq(&(r as u32)).is_some();
            let entry = uses.entry((&rule.file, rule.index)).or_insert((r as u32, true));
            entry.1 &= is_unused;
        }
        let mut unused: Vec<u32> = uses.into_values().filter(|(_, is)| *is).map(|(r, _)| r).collect();
        unused.sort_unstable();
        if unused.is_empty() {
            return Vec::new();
        }
        let index = IdIndex::new(assembly);
        let warn = |(k, r): (usize, &u32)| unused_warning(&assembly.rules[*r as usize], &index, k < 20);
        unused.iter().enumerate().map(warn).collect()
    }
}

/// `taken_by`, `shadowed`, `guards`, `overruled`.
type CoverageParts = (Vec<Overlap>, bool, bool, bool);

/// Looks at pairs of classes while it may.
struct Search<'t> {
    table: &'t RuleTable,
    matched: &'t Matched,
    visits: u64,
}

impl Search<'_> {
    /// What is to be found of the rule after `earlier`, the rules of its file before it; `None` where that takes too long.
    fn found(&mut self, earlier: std::ops::Range<u32>, rules: &[Rule]) -> Option<CoverageParts> {
        let (first, rule) = (earlier.start, earlier.end);
        let (table, verb) = (self.table, rules[rule as usize].verb);
        let leads = |c, d| table.first_from(first, c, d) == Some(rule);
        let mut found = CoverageParts::default();
        found.1 = !self.any(rule, leads)?;
        let weakens = |q: u32| !matches!(rules[q as usize].verb, RuleAction::MinClearance(_));
        for q in earlier {
            if found.1 || (matches!(verb, RuleAction::MinClearance(_)) && weakens(q)) {
                let both = |c, d| table.first_from(first, c, d) == Some(q) && table.rule_matches(rule, c, d);
                self.charge(q)?;
                let pairs = self.matched.class_pairs(q as usize, both);
                if pairs > 0 {
                    let is_exception = !self.any(q, |c, d| !table.rule_matches(rule, c, d))?;
                    found.0.push(Overlap { rule: q, pairs, is_exception });
                }
            }
        }
        if matches!(verb, RuleAction::AllowDepth(_)) {
            let later = |c, d| table.first_from(rule + 1, c, d).is_some();
            found.2 = self.any(rule, |c, d| table.first_known(c, d) == Some(rule) && later(c, d))?;
            let above = |c, d| table.first_known(c, d).is_some_and(|q| q < first);
            found.3 = first > 0 && self.any(rule, above)?;
        }
        Some(found)
    }

    /// Whether `is` holds for a pair that a rule matches.
    fn any(&mut self, rule: u32, is: impl Fn(u32, u32) -> bool) -> Option<bool> {
        for (c, d, _) in self.matched.each_class_pair(rule as usize) {
            self.visits = self.visits.checked_sub(1)?;
            if is(c, d) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// For all pairs of classes of a rule.
    fn charge(&mut self, rule: u32) -> Option<()> {
        self.visits = self.visits.checked_sub(self.matched.cost(rule as usize))?;
        Some(())
    }
}

fn unused_warning(rule: &Rule, index: &IdIndex<'_>, look_for_near: bool) -> Warning {
    let [a, b] = &rule.between;
    let mut message = format!("the rule between {} and {} matches no pair", quoted(a), quoted(b));
    let is_without = |g: &String| index.matching(&rule.scope, g).is_empty();
    let mut corrected = rule.between.clone();
    let mut told = Vec::new();
    for (glob, corrected) in rule.between.iter().zip(&mut corrected).filter(|(g, _)| is_without(g)) {
        let ids = index.beginning_with(&rule.scope).iter().map(|(id, _)| &id[rule.scope.len()..]);
        let near = nearest(glob, ids).filter(|_| look_for_near);
        if let Some(near) = near {
            *corrected = escaped(near);
        }
        if told.contains(&glob) {
            continue;
        }
        told.push(glob);
        message.extend(["; ", &quoted(glob), " matches no instance"]);
        if let Some(near) = near {
            message.extend([", the nearest is ", &quoted(near)]);
        }
    }
    // Only where it then has pairs: one instance is no pair.
    if corrected != rule.between && corrected.iter().all(|g| !is_without(g)) && corrected[0] != corrected[1] {
        let line = Rule { between: corrected, ..rule.clone() }.as_line();
        message.extend(["; perhaps: ", &line]);
    }
    Warning { at: Some(rule.at.clone()), ..Warning::new("unused-rule", message) }
}
