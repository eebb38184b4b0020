//! Coverage of the rules: pairs of each rule, and pairs lost to earlier or protected from later rules, over all runs.
//! Computed for classes of instances, without geometry.

use crate::assembly::model::RuleAction;
use crate::assembly::rules::glob::escaped;
use crate::assembly::rules::table::{IdIndex, Matched, RuleTable, first_of};
use crate::assembly::{Assembly, Instance, Rule};
use crate::error::{Warning, WarningCode};
use crate::json::wording::{nearest, quoted};
use crate::motion::{ALL_JOINTS, AS_DRAWN};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Upper limit of visited pairs of classes; the rest stays unknown ([`RuleCoverage::known`]). A few dozen rules over a
/// few dozen classes take thousands.
const MAX_VISITS: u64 = 1 << 24;

/// Coverage of a rule in one use of its file, independent of the placements. The runs are the drawing, all poses and
/// sweeps of the root file, and the sweep of all joints, checked or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent findings, each asked for by itself")]
pub struct RuleCoverage {
    /// Number of pairs matched by its globs, regardless of earlier rules.
    pub pairs: u64,
    /// True if the fields from `shadowed` to `overruled` are known. Otherwise they are empty or false: the search ran
    /// out of budget, or the file of a sub-assembly limits rules to runs of its own.
    pub known: bool,
    /// True if earlier rules of its own file decide all of its pairs in each of its runs.
    pub shadowed: bool,
    /// Earlier rules of its file that take its pairs in some run, in ascending order: for a shadowed rule all of them,
    /// for a rule with a clearance the ignoring and allowing ones, else none.
    pub taken_by: Vec<Overlap>,
    /// For an allowing rule: true if a later rule of some run matches one of the pairs decided by this rule there.
    pub guards: bool,
    /// For an allowing rule: true if rules of files above decide some of its pairs in some run.
    pub overruled: bool,
    /// True if all its pairs lie inside one `as_unit` sub-assembly.
    pub in_unit: bool,
}

/// A rule that takes pairs from a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Index in [`Assembly::rules`].
    pub rule: u32,
    /// Number of pairs taken in some run, at least one.
    pub pairs: u64,
    /// True if the later rule matches all pairs of this one, so this one is an exception from it.
    pub is_exception: bool,
}

impl RuleTable {
    /// Computes the coverage of each rule; `assembly` is the one of [`RuleTable::new`].
    pub fn uses(&self, assembly: &Assembly) -> Vec<RuleCoverage> {
        if assembly.rules.is_empty() {
            return Vec::new();
        }
        let matched = Matched::new(self, &self.all_members());
        let index = assembly.rules.iter().any(|r| !r.scope.is_empty()).then(|| IdIndex::new(assembly));
        let rule_sets = rule_sets(assembly);
        let mut search = Search { table: self, matched: &matched, rule_sets: &rule_sets, visits: MAX_VISITS };
        let mut uses = Vec::with_capacity(assembly.rules.len());
        // Rules of one use of a file are adjacent.
        for own in assembly.rules.chunk_by(|p, q| p.scope == q.scope && p.file == q.file) {
            let first = uses.len() as u32;
            // The root file needs no test for a unit.
            let is_below = index.as_ref().filter(|_| !own[0].scope.is_empty());
            let in_unit = is_below.is_some_and(|index| self.one_unit(index, &own[0].scope));
            // The runs of a sub-assembly's file are unknown here.
            let lacks_runs = is_below.is_some() && own.iter().any(|rule| rule.during.is_some());
            for r in first..first + own.len() as u32 {
                let pairs = matched.pairs_of(r as usize);
                let found = if lacks_runs { None } else { search.found(first..r, &assembly.rules) };
                let known = found.is_some();
                let (taken_by, shadowed, guards, overruled) = found.unwrap_or_default();
                let shadowed = shadowed && pairs > 0;
                uses.push(RuleCoverage { pairs, known, shadowed, taken_by, guards, overruled, in_unit });
            }
        }
        uses
    }

    /// True if all instances of a scope lie in one `as_unit` sub-assembly.
    fn one_unit(&self, index: &IdIndex<'_>, scope: &str) -> bool {
        let mut units = index.beginning_with(scope).iter().map(|(_, i)| self.unit[*i as usize]);
        let first = units.next().flatten();
        first.is_some() && units.all(|u| u == first)
    }

    /// Finds the first rule from `from` on between members of two classes, among the rules of a run.
    fn first_from(&self, from: u32, rules: &RuleSet, a: u32, b: u32) -> Option<u32> {
        let side = |class: u32| {
            let all = &self.matches[class as usize];
            &all[all.partition_point(|(rule, _)| *rule < from)..]
        };
        first_of(side(a), side(b), |rule| rules[rule as usize])
    }

    /// Warns about rules without a pair: once per rule as written, if no use of its file has a pair for it.
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
        let warn = |(k, r): (usize, &u32)| unused_warning(&assembly.rules[*r as usize], assembly, &index, k < 20);
        unused.iter().enumerate().map(warn).collect()
    }
}

/// Rules of a run: true for each rule that applies.
type RuleSet = Vec<bool>;

/// Distinct sets of rules of all runs.
fn rule_sets(assembly: &Assembly) -> Vec<RuleSet> {
    let named = assembly.motion.runs.iter().map(|run| run.name.as_str());
    let all_joints = (!assembly.motion.joints.is_empty()).then_some(ALL_JOINTS);
    let of_run = |name: &str| assembly.rules.iter().map(|rule| rule.applies_in(name)).collect();
    let sets: BTreeSet<RuleSet> = named.chain([AS_DRAWN]).chain(all_joints).map(of_run).collect();
    sets.into_iter().collect()
}

/// `taken_by`, `shadowed`, `guards`, `overruled`.
type CoverageParts = (Vec<Overlap>, bool, bool, bool);

/// Visits pairs of classes within a budget.
struct Search<'t> {
    table: &'t RuleTable,
    matched: &'t Matched,
    rule_sets: &'t [RuleSet],
    visits: u64,
}

impl Search<'_> {
    /// Computes the coverage of the rule after `earlier`, the preceding rules of its file; `None` beyond the budget.
    fn found(&mut self, earlier: Range<u32>, rules: &[Rule]) -> Option<CoverageParts> {
        let (first, rule) = (earlier.start, earlier.end);
        let (table, verb) = (self.table, rules[rule as usize].verb);
        let runs: Vec<&RuleSet> = self.rule_sets.iter().filter(|set| set[rule as usize]).collect();
        let mut found = CoverageParts::default();
        if runs.is_empty() {
            return Some(found);
        }
        let decides = |q: u32, c, d| runs.iter().any(|run| table.first_from(first, run, c, d) == Some(q));
        found.1 = !self.any(rule, |c, d| decides(rule, c, d))?;
        let weakens = |q: u32| !matches!(rules[q as usize].verb, RuleAction::MinClearance(_));
        for q in earlier {
            if found.1 || (matches!(verb, RuleAction::MinClearance(_)) && weakens(q)) {
                self.charge(q)?;
                let both = |c, d| table.rule_matches(rule, c, d) && decides(q, c, d);
                let pairs = self.matched.class_pairs(q as usize, both);
                if pairs > 0 {
                    let is_exception = !self.any(q, |c, d| !table.rule_matches(rule, c, d))?;
                    found.0.push(Overlap { rule: q, pairs, is_exception });
                }
            }
        }
        if matches!(verb, RuleAction::AllowDepth(_)) {
            let guards = |run: &RuleSet, c, d| {
                table.first_from(0, run, c, d) == Some(rule) && table.first_from(rule + 1, run, c, d).is_some()
            };
            found.2 = self.any(rule, |c, d| runs.iter().any(|run| guards(run, c, d)))?;
            let above = |run: &RuleSet, c, d| table.first_from(0, run, c, d).is_some_and(|q| q < first);
            found.3 = first > 0 && self.any(rule, |c, d| runs.iter().any(|run| above(run, c, d)))?;
        }
        Some(found)
    }

    /// True if `is` accepts some pair of classes of a rule. Each pair counts as a visit for each set of rules.
    fn any(&mut self, rule: u32, is: impl Fn(u32, u32) -> bool) -> Option<bool> {
        for (c, d, _) in self.matched.each_class_pair(rule as usize) {
            self.visits = self.visits.checked_sub(self.rule_sets.len() as u64)?;
            if is(c, d) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Pays for a visit to all pairs of classes of a rule.
    fn charge(&mut self, rule: u32) -> Option<()> {
        let cost = self.matched.cost(rule as usize).saturating_mul(self.rule_sets.len() as u64);
        self.visits = self.visits.checked_sub(cost)?;
        Some(())
    }
}

/// Marks of a regular expression.
const REGEX_MARKS: [&str; 6] = [".*", ".+", "\\d", "\\w", "^", "|"];

/// Explains a glob with the name of a part, and a regular expression in place of a glob.
fn misread(glob: &str, rule: &Rule, assembly: &Assembly) -> Option<String> {
    let named = |key: &str| key.rsplit_once('#').map_or(key, |(_, name)| name) == glob;
    let of_part = |i: &&Instance| assembly.parts.get(i.part.0 as usize).is_some_and(|part| named(&part.key));
    let id = assembly.instances.iter().filter(of_part).find_map(|i| i.id.strip_prefix(&rule.scope));
    if let Some(id) = id {
        return Some(format!("it is a part, and globs match the ids of instances, such as {}", quoted(id)));
    }
    let is_regex = REGEX_MARKS.iter().any(|mark| glob.contains(mark)) || glob.ends_with('$');
    is_regex.then(|| "globs are not regular expressions: `*` is any run of characters, `?` is one".to_owned())
}

fn unused_warning(rule: &Rule, assembly: &Assembly, index: &IdIndex<'_>, look_for_near: bool) -> Warning {
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
        if let Some(why) = misread(glob, rule, assembly) {
            message.extend([": ", &why]);
        } else if let Some(near) = near {
            message.extend([", the nearest is ", &quoted(near)]);
        }
    }
    // Suggest the rule only if it then has pairs; a single instance has none.
    if corrected != rule.between && corrected.iter().all(|g| !is_without(g)) && corrected[0] != corrected[1] {
        let line = Rule { between: corrected, ..rule.clone() }.as_line();
        message.extend(["; perhaps: ", &line]);
    }
    Warning { at: Some(rule.at.clone()), ..Warning::new(WarningCode::UnusedRule, message) }
}
