//! Proposes rules for overlaps with the look of a design intent: press fits, seats, fasteners. The user reviews them.

use crate::assembly::{Assembly, Geometry, InstanceIx, Level, PairRule, PartIx, Rule, RuleAction, RuleTable};
use crate::check::{Certainty, Outcome, PairOutcome, Relation, Status};
use crate::error::Location;
use crate::findings::glob_for::{Ids, MAX_GLOBS_A_RULE};
use crate::findings::round_up::up_to_two_digits;
use crate::geom::Bounds;
use crate::geom::tolerance::{FASTENER_DEPTH_MM, FIT_DEPTH_MM};
use std::collections::{BTreeMap, BTreeSet};

/// Number of rules for two parts above which one rule for all their instances is tried.
const MAX_SEPARATE_RULES: usize = 4;

/// Largest number of pairs tested for such a rule.
const MAX_TESTED_PAIRS: usize = 1 << 20;

/// Likely intent of an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// No deeper than a press fit or a seat.
    Fit,
    /// No deeper than a thread, and all round: the surfaces of both parts face each other on every side.
    Fastener,
}

impl Fit {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fit => "press fit or seat",
            Self::Fastener => "fastener",
        }
    }
}

/// A proposed rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Rule for the root file, after its existing rules.
    pub rule: Rule,
    /// Likely intent of the overlaps.
    pub fit: Fit,
    /// Number of failing pairs that the rule passes, and that no earlier proposal matches; at least one.
    pub pairs: u64,
    /// Number of other matched pairs of the same two parts; none of them fails.
    pub others: u64,
    /// Upper bound of the deepest overlap of `pairs` (mm).
    pub deepest: f64,
}

/// A failing pair without a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproposed {
    /// Instance A, as in the outcome.
    pub a: InstanceIx,
    /// Instance B, as in the outcome.
    pub b: InstanceIx,
    /// Failing status.
    pub status: Status,
    /// Reason, and advice to the user.
    pub why: &'static str,
}

/// Proposals and failing pairs without one: together all failing pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suggestions {
    /// Proposals in the order of intent and parts.
    pub rules: Vec<Proposal>,
    /// Failing pairs without a proposal, in the outcome's order.
    pub left_out: Vec<Unproposed>,
}

/// Proposes rules for the failing pairs of an outcome of `assembly`. Appended to the root file, the rules pass these
/// pairs. They match no other pair except passing pairs of the same two parts ([`Proposal::others`]).
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
        table: RuleTable::of_drawing(assembly),
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

/// Likely intent of a failing pair and an upper bound of its depth (mm).
///
/// # Errors
/// Returns the reason against a proposal.
fn fit_of(outcome: &Outcome, pair: &PairOutcome) -> Result<(Fit, f64), &'static str> {
    match pair.status {
        Status::TooClose => {
            return Err("the gap is below the `min_clearance` of a rule: move a part, or correct the rule");
        }
        Status::Loose => return Err("the gap is above the `max_gap` of a rule: move a part, or correct the rule"),
        Status::Undecided => return Err("undecided, so the intent is unknown: `interfere explain` shows the reason"),
        _ => {}
    }
    let rule = pair.rule.and_then(|r| outcome.rules.get(r as usize));
    match rule.map(|r| r.verb) {
        Some(RuleAction::AllowDepth(_)) => return Err("deeper than a rule allows: move a part, or correct the rule"),
        Some(RuleAction::MinClearance(_)) => {
            return Err("a rule requires a clearance: move a part, or correct the rule");
        }
        // A rule of a sub-assembly comes after those of the root file.
        Some(RuleAction::Grade) if rule.is_some_and(|r| r.scope.is_empty()) => {
            return Err("a rule without an allowance decides the pair: add `allow_depth` to that rule");
        }
        _ => {}
    }
    if pair.geometry != Geometry::Exact {
        return Err("measured on hulls or convex pieces, which are larger than the parts: use `--geometry exact`");
    }
    if pair.certainty == Certainty::NoInside {
        return Err("a part has no definite inside: close its mesh");
    }
    if matches!(pair.relation, Some(Relation::AContainsB | Relation::BContainsA | Relation::Coincident)) {
        return Err("one part is inside the other or in the same place: look for a duplicate, or for a missing hollow");
    }
    let Some([_, depth]) = pair.gap_bracket.map(Bounds::to_depth) else {
        return Err("the run did not measure the depth");
    };
    if depth <= FIT_DEPTH_MM {
        return Ok((Fit::Fit, depth));
    }
    if is_all_round(pair) {
        if depth <= FASTENER_DEPTH_MM.min(thread_depth(pair)) {
            return Ok((Fit::Fastener, depth));
        }
        return Err("all round, but deeper than a thread: the hole is too narrow");
    }
    Err("deeper than a press fit or a seat: probably a fault")
}

/// Largest one-sidedness of a thread in its hole. A ring cut into facets has some hundredths, half a ring 0.6, a flat
/// contact 1. A larger value would take an overlap in a corner for a thread.
const MAX_THREAD_ONE_SIDEDNESS: f64 = 0.3;

/// Depth of a thread as a share of the middle extent of the overlap's box, at most. The middle extent of a ring is its
/// diameter; the thread of M1.6 has 0.13 of it, self-tapping screws up to 0.25.
const MAX_THREAD_SHARE: f64 = 0.25;

/// Returns true if the surfaces of both parts face each other on every side, as a screw and its hole do. For a pin
/// without a hole, the other part has flat faces only inside the pin.
fn is_all_round(pair: &PairOutcome) -> bool {
    pair.one_sidedness.is_some_and(|share| share <= MAX_THREAD_ONE_SIDEDNESS)
}

/// Largest depth of a thread for the size of the overlap (mm); 0 without a box.
fn thread_depth(pair: &PairOutcome) -> f64 {
    pair.overlap_box.map_or(0.0, |b| {
        let size = b.max - b.min;
        let mut extents = [size.x, size.y, size.z];
        extents.sort_by(f64::total_cmp);
        MAX_THREAD_SHARE * extents[1]
    })
}

fn ordered(a: InstanceIx, b: InstanceIx) -> (InstanceIx, InstanceIx) {
    (a.min(b), a.max(b))
}

/// Pairs of two parts with the same intent.
#[derive(Default)]
struct Group {
    /// Overlapping instances of the second part, for each instance of the first.
    edges: BTreeMap<InstanceIx, BTreeSet<InstanceIx>>,
    depth: BTreeMap<(InstanceIx, InstanceIx), f64>,
}

/// All pairs between two sets of instances.
type Block = (BTreeSet<InstanceIx>, BTreeSet<InstanceIx>);

/// Globs of a rule, and the pairs that they match.
type Candidate = ([String; 2], Pairs);

/// Pairs of instances, the lesser index first.
type Pairs = BTreeSet<(InstanceIx, InstanceIx)>;

impl Group {
    /// Partition of the pairs into blocks: instances with equal partners share a block.
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
    failing: Pairs,
}

impl Writer<'_> {
    fn rules(&self, fit: Fit, group: &Group) -> Vec<Proposal> {
        let blocks = group.blocks();
        let exact = self.proposals(fit, group, blocks.iter().flat_map(|block| self.candidates(block)));
        let all = (group.edges.keys().copied().collect(), group.edges.values().flatten().copied().collect());
        if exact.len() > MAX_SEPARATE_RULES && self.may_match(group, &all) {
            let one = self.proposals(fit, group, self.candidates(&all).into_iter());
            if one.len() < exact.len() {
                return one;
            }
        }
        exact
    }

    /// Proposes the candidates with a failing pair that no earlier proposal decides.
    fn proposals(&self, fit: Fit, group: &Group, candidates: impl Iterator<Item = Candidate>) -> Vec<Proposal> {
        let mut decided = Pairs::new();
        candidates.filter_map(|candidate| self.proposal(fit, group, candidate, &mut decided)).collect()
    }

    /// Returns true if one rule may match a block of at most `MAX_TESTED_PAIRS` pairs. Every failing pair of the block
    /// must be in the group. For its other pairs, no rule of a sub-assembly may hold, since the new rule would overrule
    /// it.
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

    /// Candidates that match exactly the pairs of a block.
    fn candidates(&self, (one, other): &Block) -> Vec<Candidate> {
        let names = |side: &BTreeSet<InstanceIx>, most: usize| -> Vec<(String, BTreeSet<InstanceIx>)> {
            let id = |i: &InstanceIx| self.assembly.instances[i.0 as usize].id.as_str();
            let globs = self.ids.globs(&side.iter().map(id).collect::<Vec<_>>(), most);
            let matched = |g: &String| {
                let glob = crate::assembly::Glob::new(g).ok();
                side.iter().filter(|i| glob.as_ref().is_some_and(|g| g.matches(id(i)))).copied().collect()
            };
            globs.into_iter().map(|g| (g.clone(), matched(&g))).collect()
        };
        // One glob on one side leaves two for the other.
        let longer = MAX_GLOBS_A_RULE - 1;
        let [of_one, of_other] = if names(other, 1).len() == 1 { [longer, 1] } else { [1, longer] };
        let others = names(other, of_other);
        let pairs_of = |own: &BTreeSet<InstanceIx>, theirs: &BTreeSet<InstanceIx>| {
            let all = own.iter().flat_map(|a| theirs.iter().map(move |b| (*a, *b)));
            all.filter(|(a, b)| a != b).map(|(a, b)| ordered(a, b)).collect()
        };
        let sides = names(one, of_one).into_iter().flat_map(|p| others.iter().map(move |q| (p.clone(), q)));
        sides.map(|((glob, own), (other, theirs))| ([glob, other.clone()], pairs_of(&own, theirs))).collect()
    }

    /// Proposes a rule for the failing pairs outside `decided`, and adds them there; `None` without such a pair.
    fn proposal(
        &self,
        fit: Fit,
        group: &Group,
        (between, matched): Candidate,
        decided: &mut Pairs,
    ) -> Option<Proposal> {
        let of_group = group.depth.iter().map(|((a, b), depth)| (ordered(*a, *b), *depth));
        let failing: Vec<_> = of_group.filter(|(pair, _)| matched.contains(pair)).collect();
        let others = (matched.len() - failing.len()) as u64;
        let own: Vec<f64> =
            failing.into_iter().filter(|(pair, _)| decided.insert(*pair)).map(|(_, depth)| depth).collect();
        if own.is_empty() {
            return None;
        }
        let deepest = own.iter().copied().fold(0.0, f64::max);
        let unit = self.assembly.units.mm();
        let verb = RuleAction::AllowDepth(up_to_two_digits(deepest / unit) * unit);
        let reason = Some(format!("REVIEW: looks like a {}", fit.name()));
        let rule = Rule {
            severity: Level::Error,
            between,
            verb,
            reason,
            max_gap: None,
            during: None,
            scope: String::new(),
            file: self.assembly.path.clone(),
            index: 0,
            units: self.assembly.units,
            at: Location::default(),
        };
        Some(Proposal { rule, fit, pairs: own.len() as u64, others, deepest })
    }
}
