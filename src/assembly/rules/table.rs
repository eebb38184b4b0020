//! Finds the rule for two instances, by classes of instances instead of pairs. Instances matched by the same globs form
//! a class; an assembly of 10⁵ instances has a few dozen classes.

use crate::assembly::rules::glob::{Glob, Pattern};
use crate::assembly::{Assembly, InstanceIx, Rule, RuleAction};
use crate::motion::AS_DRAWN;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Decision of the rules for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairRule {
    /// Skip the pair: by a rule, or (`None`) because both lie inside one `as_unit` sub-assembly.
    Ignored {
        /// Index in [`Assembly::rules`].
        rule: Option<u32>,
    },
    /// First matching rule, an index in [`Assembly::rules`]; it does not ignore the pair.
    Rule(u32),
    /// No rule matches.
    None,
}

/// Bit for a match of the first glob of a rule.
const FIRST_GLOB: u8 = 1;
/// Bit for a match of the second glob of a rule.
const SECOND_GLOB: u8 = 2;

/// Largest number of classes with a table of answers per pair of classes, 4 bytes each.
const TABLE_CLASSES: usize = 1024;

/// Largest number of cached glob matches, 4 bytes each: rules share globs, `*` above all.
const CACHED_MATCHES: usize = 10_000_000;

/// The first matching rule of every pair of instances. Built in time linear in the matches of all globs, without
/// enumerating pairs.
#[derive(Debug)]
pub struct RuleTable {
    /// Class of each instance.
    class: Vec<u32>,
    pub(super) unit: Vec<Option<u32>>,
    /// Rules matched by the members of each class within their scope, ascending, with [`FIRST_GLOB`] and
    /// [`SECOND_GLOB`].
    pub(super) matches: Vec<Vec<(u32, u8)>>,
    /// Number of members of each class.
    size: Vec<u64>,
    /// True for each rule that ignores.
    ignores: Vec<bool>,
    /// True for each rule with a largest gap.
    max_gaps: Vec<bool>,
    max_clearance: f64,
    /// Answer per pair of classes: 0 unknown, 1 no rule, `r + 2` rule r. Empty above [`TABLE_CLASSES`] classes.
    known: Vec<AtomicU32>,
}

/// Number of members by class.
type Members = BTreeMap<u32, u64>;

impl RuleTable {
    /// Sorts the instances of an assembly into classes, by the rules of all runs. An invalid glob, already refused on
    /// loading, matches nothing.
    pub fn new(assembly: &Assembly) -> Self {
        Self::of_rules(assembly, |_| true)
    }

    /// Sorts the instances as [`RuleTable::new`] does, by the rules of the drawing.
    pub fn of_drawing(assembly: &Assembly) -> Self {
        Self::of_run(assembly, AS_DRAWN)
    }

    /// Sorts the instances as [`RuleTable::new`] does, by the rules of one run; the other rules match nothing.
    pub fn of_run(assembly: &Assembly, run: &str) -> Self {
        Self::of_rules(assembly, |rule| rule.applies_in(run))
    }

    fn of_rules(assembly: &Assembly, applies: impl Fn(&Rule) -> bool) -> Self {
        let index = IdIndex::new(assembly);
        let mut classes = Classes::new(assembly.instances.len());
        let mut cache: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        let mut cached = 0;
        for (r, rule) in assembly.rules.iter().enumerate().filter(|(_, rule)| applies(rule)) {
            for (glob, side) in rule.between.iter().zip([FIRST_GLOB, SECOND_GLOB]) {
                if cached > CACHED_MATCHES {
                    cache.clear();
                    cached = 0;
                }
                let matched = cache.entry((&rule.scope, glob)).or_insert_with(|| {
                    let matched = index.matching(&rule.scope, glob);
                    cached += matched.len();
                    matched
                });
                classes.refine(matched, r as u32, side);
            }
        }
        let table = if classes.matches.len() <= TABLE_CLASSES { classes.matches.len().pow(2) } else { 0 };
        let clearance = |r: &Rule| if let RuleAction::MinClearance(c) = r.verb { c } else { 0.0 };
        Self {
            class: classes.of,
            unit: assembly.instances.iter().map(|i| i.unit).collect(),
            matches: classes.matches,
            size: classes.size,
            ignores: assembly.rules.iter().map(|r| r.verb == RuleAction::Ignore).collect(),
            max_gaps: assembly.rules.iter().map(|r| r.max_gap.is_some() && applies(r)).collect(),
            max_clearance: assembly.rules.iter().map(clearance).fold(0.0, crate::geom::math::greater),
            known: (0..table).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Returns the decision for two instances, in either order. Constant time, except for the first pair of two
    /// classes.
    ///
    /// # Panics
    /// Panics for an index outside the assembly.
    pub fn of(&self, a: InstanceIx, b: InstanceIx) -> PairRule {
        let (a, b) = (a.0 as usize, b.0 as usize);
        if self.unit[a].is_some() && self.unit[a] == self.unit[b] {
            return PairRule::Ignored { rule: None };
        }
        match self.first_known(self.class[a], self.class[b]) {
            Some(r) if self.ignores[r as usize] => PairRule::Ignored { rule: Some(r) },
            Some(r) => PairRule::Rule(r),
            None => PairRule::None,
        }
    }

    /// Counts the ignored pairs among all pairs: pairs inside one `as_unit` sub-assembly, and pairs with an ignoring
    /// rule as their first match.
    pub fn ignored_pairs(&self) -> u64 {
        self.ignored_of(0..self.class.len() as u32)
    }

    /// Counts the ignored pairs among some instances, each given once.
    ///
    /// # Panics
    /// Panics for an index outside the assembly.
    pub fn ignored_among(&self, instances: &[u32]) -> u64 {
        self.ignored_of(instances.iter().copied())
    }

    /// True if no pair is ignored: no rule ignores, and no instance belongs to a unit.
    pub(crate) fn ignores_none(&self) -> bool {
        !self.ignores.contains(&true) && self.unit.iter().all(Option::is_none)
    }

    fn ignored_of(&self, instances: impl Iterator<Item = u32>) -> u64 {
        if self.ignores_none() {
            return 0;
        }
        let mut all = Members::new();
        let mut units: BTreeMap<u32, Members> = BTreeMap::new();
        for instance in instances {
            let (class, unit) = (self.class[instance as usize], self.unit[instance as usize]);
            *all.entry(class).or_default() += 1;
            if let Some(unit) = unit {
                *units.entry(unit).or_default().entry(class).or_default() += 1;
            }
        }
        // Pairs inside a unit count here, whatever rule they match.
        let by_unit = |members: &Members| pairs(members.values().sum()) - self.ignored_by_rule(members);
        self.ignored_by_rule(&all) + units.values().map(by_unit).sum::<u64>()
    }

    /// Lists the rules without a matching pair, in order, regardless of earlier rules.
    pub fn unmatched_rules(&self) -> Vec<u32> {
        let matched = Matched::new(self, &self.all_members());
        (0..self.ignores.len()).filter(|r| matched.pairs_of(*r) == 0).map(|r| r as u32).collect()
    }

    /// Largest `min_clearance` of all rules (mm, >= 0); 0 without one.
    pub fn max_clearance(&self) -> f64 {
        self.max_clearance
    }

    /// Lists the pairs whose rule limits the gap from above, as ascending pairs of indices, sorted.
    pub fn limited_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for r in (0..self.max_gaps.len()).filter(|r| self.max_gaps[*r]) {
            let rule = r as u32;
            let side = |bit: u8| {
                let has =
                    |class: u32| self.matches[class as usize].iter().any(|(q, side)| *q == rule && side & bit != 0);
                (0_u32..).zip(&self.class).filter(|(_, class)| has(**class)).map(|(i, _)| i).collect::<Vec<u32>>()
            };
            let (first, second) = (side(FIRST_GLOB), side(SECOND_GLOB));
            let all = first.iter().flat_map(|a| second.iter().map(move |b| (*a.min(b), *a.max(b))));
            pairs
                .extend(all.filter(|(a, b)| a != b && self.of(InstanceIx(*a), InstanceIx(*b)) == PairRule::Rule(rule)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Number of classes of instances distinguished by the rules.
    pub fn classes(&self) -> usize {
        self.size.iter().filter(|n| **n > 0).count()
    }

    pub(super) fn all_members(&self) -> Members {
        (0..).zip(&self.size).filter(|(_, n)| **n > 0).map(|(class, n)| (class, *n)).collect()
    }

    pub(super) fn first_known(&self, a: u32, b: u32) -> Option<u32> {
        let Some(slot) = self.known.get(a as usize * self.matches.len() + b as usize) else {
            return self.first(a, b);
        };
        // The answer depends on the classes alone; any thread may write it.
        match slot.load(Ordering::Relaxed) {
            0 => {
                let first = self.first(a, b);
                slot.store(first.map_or(1, |r| r + 2), Ordering::Relaxed);
                first
            }
            1 => None,
            r => Some(r - 2),
        }
    }

    /// Finds the first rule between members of two classes.
    fn first(&self, a: u32, b: u32) -> Option<u32> {
        first_of(&self.matches[a as usize], &self.matches[b as usize], |_| true)
    }

    pub(super) fn rule_matches(&self, rule: u32, a: u32, b: u32) -> bool {
        let side = |class: u32| {
            let matches = &self.matches[class as usize];
            matches.binary_search_by_key(&rule, |(r, _)| *r).map_or(0, |k| matches[k].1)
        };
        joins(side(a), side(b))
    }

    /// Counts the pairs among `members` with an ignoring rule as their first match. For each ignoring rule, visits
    /// either its own pairs of classes or those of all earlier rules, whichever are fewer: a final catch-all rule costs
    /// no more than the rules before it.
    fn ignored_by_rule(&self, members: &Members) -> u64 {
        let matched = Matched::new(self, members);
        let mut total = 0;
        let mut cost_before = 0_u64;
        for r in 0..self.ignores.len() {
            let rule = r as u32;
            if self.ignores[r] {
                total += if matched.cost(r) <= cost_before {
                    matched.class_pairs(r, |c, d| self.first_known(c, d) == Some(rule))
                } else {
                    let taken = (0..r).map(|q| {
                        let is = |c, d| self.first_known(c, d) == Some(q as u32) && self.rule_matches(rule, c, d);
                        matched.class_pairs(q, is)
                    });
                    matched.pairs_of(r) - taken.sum::<u64>()
                };
            }
            cost_before = cost_before.saturating_add(matched.cost(r));
        }
        total
    }
}

/// Finds the first rule with its two globs matched by two classes, among those that `applies` accepts.
pub(super) fn first_of(a: &[(u32, u8)], b: &[(u32, u8)], applies: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some((rule_a, side_a)), Some((rule_b, side_b))) = (a.peek(), b.peek()) {
        if rule_a == rule_b && joins(*side_a, *side_b) && applies(*rule_a) {
            return Some(*rule_a);
        }
        if rule_a <= rule_b {
            a.next();
        } else {
            b.next();
        }
    }
    None
}

/// True if one side matches the first glob and the other the second.
fn joins(a: u8, b: u8) -> bool {
    (a & FIRST_GLOB != 0 && b & SECOND_GLOB != 0) || (a & SECOND_GLOB != 0 && b & FIRST_GLOB != 0)
}

/// Number of unordered pairs among n.
fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Classes that match a side of each rule, with their number of members.
pub(super) struct Matched {
    by_rule: Vec<Vec<(u32, u8, u64)>>,
}

impl Matched {
    pub(crate) fn new(table: &RuleTable, members: &Members) -> Self {
        let mut by_rule = vec![Vec::new(); table.ignores.len()];
        for (class, n) in members {
            for (rule, side) in &table.matches[*class as usize] {
                by_rule[*rule as usize].push((*class, *side, *n));
            }
        }
        Self { by_rule }
    }

    fn sum(&self, rule: usize, sides: u8) -> u64 {
        self.by_rule[rule].iter().filter(|(_, side, _)| side & sides == sides).map(|(_, _, n)| n).sum()
    }

    /// Number of unordered pairs of members matched by a rule.
    pub(crate) fn pairs_of(&self, rule: usize) -> u64 {
        let (a, b, both) =
            (self.sum(rule, FIRST_GLOB), self.sum(rule, SECOND_GLOB), self.sum(rule, FIRST_GLOB | SECOND_GLOB));
        // a·b ordered choices, minus an instance with itself, minus the second order of pairs matching both ways.
        a * b - both - pairs(both)
    }

    /// Number of pairs of classes visited by [`Matched::class_pairs`].
    pub(crate) fn cost(&self, rule: usize) -> u64 {
        let count = |bit: u8| self.by_rule[rule].iter().filter(|(_, side, _)| side & bit != 0).count() as u64;
        count(FIRST_GLOB).saturating_mul(count(SECOND_GLOB))
    }

    /// Number of unordered pairs of members in the pairs of classes of a rule accepted by `is`.
    pub(crate) fn class_pairs(&self, rule: usize, is: impl Fn(u32, u32) -> bool) -> u64 {
        self.each_class_pair(rule).filter(|(c, d, _)| is(*c, *d)).map(|(_, _, n)| n).sum()
    }

    /// Iterates over the pairs of classes of a rule, each once, with their number of pairs of members (>= 1).
    pub(crate) fn each_class_pair(&self, rule: usize) -> impl Iterator<Item = (u32, u32, u64)> {
        let list = &self.by_rule[rule];
        let seconds = |one: &(u32, u8, u64)| {
            let (c, side_c, n_c) = *one;
            list.iter().filter(|(_, side, _)| side & SECOND_GLOB != 0).filter_map(move |(d, side_d, n_d)| {
                let both_ways = side_c & SECOND_GLOB != 0 && side_d & FIRST_GLOB != 0;
                let n = if c == *d { pairs(n_c) } else { n_c * n_d };
                (n > 0 && !(both_ways && c > *d)).then_some((c, *d, n))
            })
        };
        list.iter().filter(|(_, side, _)| side & FIRST_GLOB != 0).flat_map(seconds)
    }
}

/// Classes under refinement: each glob splits the classes with both matched and other members.
struct Classes {
    of: Vec<u32>,
    pub(super) matches: Vec<Vec<(u32, u8)>>,
    size: Vec<u64>,
    /// For each class during the refinement by one glob: its number of matched members, and the class they move to.
    /// Zero and the class itself between globs.
    hits: Vec<u64>,
    becomes: Vec<u32>,
}

impl Classes {
    fn new(instances: usize) -> Self {
        let size = vec![instances as u64];
        Self { of: vec![0; instances], matches: vec![Vec::new()], size, hits: vec![0], becomes: vec![0] }
    }

    fn refine(&mut self, matched: &[u32], rule: u32, side: u8) {
        let mut touched = Vec::new();
        for i in matched {
            let class = self.of[*i as usize];
            if self.hits[class as usize] == 0 {
                touched.push(class);
            }
            self.hits[class as usize] += 1;
        }
        for class in &touched {
            let to = self.split(*class as usize);
            match self.matches[to].last_mut() {
                Some((r, sides)) if *r == rule => *sides |= side,
                _ => self.matches[to].push((rule, side)),
            }
        }
        for i in matched {
            let class = &mut self.of[*i as usize];
            *class = self.becomes[*class as usize];
        }
        for class in touched {
            self.becomes[class as usize] = class;
        }
    }

    /// Returns the class for the matched members of a class: the class itself if all match, else a new one.
    fn split(&mut self, class: usize) -> usize {
        let hits = std::mem::take(&mut self.hits[class]);
        if hits == self.size[class] {
            return class;
        }
        let new = self.size.len();
        self.size[class] -= hits;
        self.size.push(hits);
        self.matches.push(self.matches[class].clone());
        self.hits.push(0);
        self.becomes.push(new as u32);
        self.becomes[class] = new as u32;
        new
    }
}

/// Index of the instances by id; ids with a common prefix are adjacent.
pub(super) struct IdIndex<'a> {
    /// Id and instance, sorted.
    sorted: Vec<(&'a str, u32)>,
}

impl<'a> IdIndex<'a> {
    pub(crate) fn new(assembly: &'a Assembly) -> Self {
        // An assembly without rules needs no index.
        let asked = if assembly.rules.is_empty() { &[][..] } else { &assembly.instances };
        let mut sorted: Vec<(&str, u32)> = asked.iter().map(|i| i.id.as_str()).zip(0..).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    pub(crate) fn beginning_with(&self, prefix: &str) -> &[(&'a str, u32)] {
        let from = self.sorted.partition_point(|(id, _)| *id < prefix);
        let count = self.sorted[from..].partition_point(|(id, _)| id.starts_with(prefix));
        &self.sorted[from..from + count]
    }

    /// Finds the instances with an id, relative to a scope, matched by a glob; each once.
    pub(crate) fn matching(&self, scope: &str, glob: &str) -> Vec<u32> {
        let Ok(glob) = Glob::new(glob) else { return Vec::new() };
        let mut found = Vec::new();
        for pattern in &glob.patterns {
            self.matching_pattern(scope, pattern, &mut found);
        }
        if glob.patterns.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    fn matching_pattern(&self, scope: &str, pattern: &Pattern, found: &mut Vec<u32>) {
        let prefix = format!("{scope}{}", pattern.prefix);
        if pattern.is_literal() {
            let is = self.sorted.binary_search_by(|(id, _)| (*id).cmp(prefix.as_str()));
            found.extend(is.ok().map(|k| self.sorted[k].1));
            return;
        }
        let within = self.beginning_with(&prefix);
        let matches = |(id, _): &&(&str, u32)| pattern.matches_after_prefix(&id[prefix.len()..]);
        found.extend(within.iter().filter(matches).map(|(_, i)| *i));
    }
}
