//! Rules for the overlaps that look as if they were meant: press fits, seats, fasteners. Proposals, to be looked at.

use crate::assembly::{Assembly, Geometry, InstanceIx, PairRule, PartIx, Rule, RuleAction, RuleTable};
use crate::check::{Certainty, Outcome, PairOutcome, Relation, Status};
use crate::error::Location;
use crate::findings::glob_for::Ids;
use crate::findings::round_up::up_to_two_digits;
use crate::geom::tolerance::{FASTENER_DEPTH_MM, FIT_DEPTH_MM};
use std::collections::{BTreeMap, BTreeSet};

/// More rules than this for two parts are made one that matches all their instances, where nothing speaks against it.
const MAX_SEPARATE_RULES: usize = 4;

/// As many pairs of one such rule are looked at.
const MAX_TESTED_PAIRS: usize = 1 << 20;

/// What an overlap looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// No deeper than a press fit or a seat.
    Fit,
    /// No deeper than a thread, and a part is called a screw, a bolt, a nut or the like.
    Fastener,
}

impl Fit {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fit => "press fit or seat",
            Self::Fastener => "fastener",
        }
    }
}

/// A rule to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// For the root assembly's file, after the rules that are there.
    pub rule: Rule,
    /// What the overlaps look like.
    pub fit: Fit,
    /// Failing pairs that it lets pass.
    pub pairs: u64,
    /// Other pairs of the same two parts that it matches, none of which fails.
    pub others: u64,
    /// Upper bound of the deepest overlap, mm.
    pub deepest: f64,
}

/// A failing pair for which nothing is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproposed {
    /// As in the outcome.
    pub a: InstanceIx,
    /// As in the outcome.
    pub b: InstanceIx,
    /// Why it fails.
    pub status: Status,
    /// Why nothing is proposed, and what to do.
    pub why: &'static str,
}

/// What is proposed and what is not: together all pairs that fail.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suggestions {
    /// In the order of kinds and parts.
    pub rules: Vec<Proposal>,
    /// In the outcome's order.
    pub left_out: Vec<Unproposed>,
}

/// Proposes rules for the failing pairs of an outcome of `assembly`. Put after the rules of the root file, they let pass the pairs they
/// are for; they match no other pair, but for pairs of the same two parts none of which fails ([`Proposal::others`]).
pub fn suggest(assembly: &Assembly, outcome: &Outcome) -> Suggestions {
    let mut left_out = Vec::new();
    let mut groups: BTreeMap<(Fit, PartIx, PartIx), Group> = BTreeMap::new();
    for pair in outcome.pairs.iter().filter(|p| p.status.fails()) {
        match fit_of(outcome, pair) {
            Ok((fit, depth)) => {
                let part = |i: InstanceIx| outcome.instances[i.0 as usize].part;
                let (a, b) = if part(pair.a) <= part(pair.b) { (pair.a, pair.b) } else { (pair.b, pair.a) };
                let group = groups.entry((fit, part(a), part(b))).or_default();
                group.edges.entry(a).or_default().insert(b);
                group.depth.insert((a, b), depth);
            }
            Err(why) => left_out.push(Unproposed { a: pair.a, b: pair.b, status: pair.status, why }),
        }
    }
    let writer = Writer {
        assembly,
        ids: Ids::new(outcome.instances.iter().map(|i| i.id.as_str())),
        table: RuleTable::new(assembly),
        failing: outcome.pairs.iter().filter(|p| p.status.fails()).map(|p| ordered(p.a, p.b)).collect(),
    };
    let mut rules: Vec<Proposal> = Vec::new();
    for ((fit, _, _), group) in &groups {
        rules.extend(writer.rules(*fit, group));
    }
    for (k, proposal) in (assembly.rules.iter().filter(|r| r.scope.is_empty()).count()..).zip(&mut rules) {
        proposal.rule.index = k as u32;
    }
    Suggestions { rules, left_out }
}

/// What a failing pair looks like and how deep it is at most (mm), or why nothing is proposed.
fn fit_of(outcome: &Outcome, pair: &PairOutcome) -> Result<(Fit, f64), &'static str> {
    match pair.status {
        Status::TooClose => return Err("closer than a rule demands: move a part, or correct the rule"),
        Status::Undecided => return Err("not decided, so nothing is known to be meant: `interfere explain` says why"),
        _ => {}
    }
    let rule = pair.rule.and_then(|r| outcome.rules.get(r as usize));
    match rule.map(|r| r.verb) {
        Some(RuleAction::AllowDepth(_)) => return Err("deeper than a rule allows: move a part, or correct the rule"),
        Some(RuleAction::MinClearance(_)) => {
            return Err("a rule demands a clearance: move a part, or correct the rule");
        }
        _ => {}
    }
    if pair.geometry != Geometry::Exact {
        return Err(
            "measured on hulls or convex pieces, which are larger than the parts: check with `--geometry exact`",
        );
    }
    if pair.certainty == Certainty::NoInside {
        return Err("a part has no definite inside: close its mesh");
    }
    if matches!(pair.relation, Some(Relation::AContainsB | Relation::BContainsA | Relation::Coincident)) {
        return Err(
            "one part lies within the other or in its place: is it drawn twice, or the other without its hollow?",
        );
    }
    let Some([low, _]) = pair.gap_bracket else { return Err("not measured") };
    let depth = -low;
    if depth <= FIT_DEPTH_MM {
        return Ok((Fit::Fit, depth));
    }
    if [pair.a, pair.b].into_iter().any(|i| is_fastener(outcome, i)) {
        if depth <= FASTENER_DEPTH_MM {
            return Ok((Fit::Fastener, depth));
        }
        return Err("deeper than a thread: a hole is missing, or not where the fastener is");
    }
    Err("deeper than a press fit or a seat: looks like a fault")
}

/// Whether an instance or its part is called one.
fn is_fastener(outcome: &Outcome, instance: InstanceIx) -> bool {
    let instance = &outcome.instances[instance.0 as usize];
    let part = &outcome.parts[instance.part.0 as usize].key;
    // Of a path the last name: what lies in a folder of screws need be none.
    let names = [&instance.id, part].map(|n| n.rsplit(['/', '#']).next().unwrap_or(n).to_lowercase());
    let words = names.iter().flat_map(|n| n.split(|c: char| !c.is_alphabetic()));
    let is = |word: &str| {
        ["screw", "bolt", "rivet", "fastener"].iter().any(|w| word.contains(w))
            || ["nut", "nuts", "stud", "studs", "insert", "inserts", "standoff", "standoffs"].contains(&word)
    };
    words.into_iter().any(is)
}

fn ordered(a: InstanceIx, b: InstanceIx) -> (InstanceIx, InstanceIx) {
    (a.min(b), a.max(b))
}

/// Pairs of two parts that look alike.
#[derive(Default)]
struct Group {
    /// Of each instance of the first part, those of the second that it overlaps.
    edges: BTreeMap<InstanceIx, BTreeSet<InstanceIx>>,
    depth: BTreeMap<(InstanceIx, InstanceIx), f64>,
}

/// All of the first with all of the second.
type Block = (BTreeSet<InstanceIx>, BTreeSet<InstanceIx>);

impl Group {
    /// The pairs as blocks, each pair in one: instances that overlap the same others stand together.
    fn blocks(&self) -> Vec<Block> {
        let mut turned: BTreeMap<InstanceIx, BTreeSet<InstanceIx>> = BTreeMap::new();
        for (a, others) in &self.edges {
            for b in others {
                turned.entry(*b).or_default().insert(*a);
            }
        }
        let (one, other) = (alike(&self.edges), alike(&turned));
        if one.len() <= other.len() { one } else { other.into_iter().map(|(b, a)| (a, b)).collect() }
    }
}

fn alike(edges: &BTreeMap<InstanceIx, BTreeSet<InstanceIx>>) -> Vec<Block> {
    let mut blocks: BTreeMap<&BTreeSet<InstanceIx>, BTreeSet<InstanceIx>> = BTreeMap::new();
    for (a, others) in edges {
        blocks.entry(others).or_default().insert(*a);
    }
    let mut blocks: Vec<Block> = blocks.into_iter().map(|(others, own)| (own, others.clone())).collect();
    blocks.sort();
    blocks
}

/// Writes rules for groups.
struct Writer<'a> {
    assembly: &'a Assembly,
    ids: Ids<'a>,
    table: RuleTable,
    failing: BTreeSet<(InstanceIx, InstanceIx)>,
}

impl Writer<'_> {
    fn rules(&self, fit: Fit, group: &Group) -> Vec<Proposal> {
        let exact: Vec<Proposal> = group.blocks().iter().flat_map(|block| self.block(fit, group, block)).collect();
        let all = (group.edges.keys().copied().collect(), group.edges.values().flatten().copied().collect());
        if exact.len() > MAX_SEPARATE_RULES && self.may_match(group, &all) {
            let one = self.block(fit, group, &all);
            if one.len() < exact.len() {
                return one;
            }
        }
        exact
    }

    /// Whether no pair of a block fails that is not of the group, and the rules below the root file hold for none: these would be overruled.
    fn may_match(&self, group: &Group, (one, other): &Block) -> bool {
        let below = |r: u32| !self.assembly.rules[r as usize].scope.is_empty();
        let is_free = |a: InstanceIx, b: InstanceIx| {
            let own = group.depth.contains_key(&(a, b)) || group.depth.contains_key(&(b, a));
            let held = match self.table.of(a, b) {
                PairRule::Ignored { rule: Some(r) } | PairRule::Rule(r) => below(r),
                PairRule::Ignored { rule: None } | PairRule::None => false,
            };
            a == b || own || !(self.failing.contains(&ordered(a, b)) || held)
        };
        one.len().saturating_mul(other.len()) <= MAX_TESTED_PAIRS
            && one.iter().all(|a| other.iter().all(|b| is_free(*a, *b)))
    }

    /// Rules that match the pairs of a block and no others.
    fn block(&self, fit: Fit, group: &Group, (one, other): &Block) -> Vec<Proposal> {
        let names = |side: &BTreeSet<InstanceIx>| -> Vec<(String, BTreeSet<InstanceIx>)> {
            let id = |i: &InstanceIx| self.assembly.instances[i.0 as usize].id.as_str();
            let globs = self.ids.globs(&side.iter().map(id).collect::<Vec<_>>());
            let matched = |g: &String| {
                let glob = crate::assembly::Glob::new(g).ok();
                side.iter().filter(|i| glob.as_ref().is_some_and(|g| g.matches(id(i)))).copied().collect()
            };
            globs.into_iter().map(|g| (g.clone(), matched(&g))).collect()
        };
        let others = names(other);
        let pairs = names(one).into_iter().flat_map(|p| others.iter().map(move |q| (p.clone(), q)));
        pairs
            .filter_map(|((glob, own), (other, theirs))| {
                self.proposal(fit, group, [glob, other.clone()], (&own, theirs))
            })
            .collect()
    }

    fn proposal(
        &self,
        fit: Fit,
        group: &Group,
        between: [String; 2],
        (one, other): (&BTreeSet<InstanceIx>, &BTreeSet<InstanceIx>),
    ) -> Option<Proposal> {
        let mut matched = BTreeSet::new();
        for a in one {
            matched.extend(other.iter().filter(|b| *b != a).map(|b| ordered(*a, *b)));
        }
        let depths =
            group.depth.iter().filter(|((a, b), _)| matched.contains(&ordered(*a, *b))).map(|(_, depth)| *depth);
        let pairs = depths.clone().count() as u64;
        let deepest = depths.fold(0.0, f64::max);
        let unit = self.assembly.units.mm();
        let verb = RuleAction::AllowDepth(up_to_two_digits(deepest / unit) * unit);
        let reason = Some(format!("REVIEW: looks like a {}", fit.name()));
        let rule = Rule {
            between,
            verb,
            reason,
            scope: String::new(),
            file: self.assembly.path.clone(),
            index: 0,
            units: self.assembly.units,
            at: Location::default(),
        };
        (pairs > 0).then(|| Proposal { rule, fit, pairs, others: matched.len() as u64 - pairs, deepest })
    }
}
