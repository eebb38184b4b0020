//! Merges the shards of a run into the outcome of the whole run.

use crate::assembly::{InstanceIx, RuleCoverage};
use crate::check::{
    Candidates, ClearedBy, Counts, Fix, InstanceOutcome, Outcome, PairOutcome, PlacedWarning, RunOutcome, Shard,
    fixable_rows,
};
use crate::error::{Error, Location, Problem, Warning};
use crate::findings::shards::partial::{Partial, inconsistent};
use crate::findings::shards::runs;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::mem;

/// Largest number of missing shards in a message.
const MAX_NAMED: usize = 12;

/// A partial report, split into its own and the common data.
struct ShardParts {
    file: String,
    shard: Shard,
    candidates: Candidates,
    instances_hash: String,
    warnings: Vec<PlacedWarning>,
    own: Own,
    /// Data common to all shards of a run: everything outside `own`.
    common: Outcome,
}

/// Data of one shard.
struct Own {
    counts: Counts,
    cleared_by: ClearedBy,
    pairs: Vec<PairOutcome>,
    fixes: Vec<Fix>,
    /// Instances, for shard 1 only.
    instances: Vec<InstanceOutcome>,
    /// Results of the poses and sweeps, without their definitions.
    runs: Vec<RunOutcome>,
}

impl ShardParts {
    fn new((file, partial): (String, Partial)) -> Self {
        let Partial { shard, candidates, instances_hash, mut outcome, warnings, .. } = partial;
        let own = Own {
            counts: mem::take(&mut outcome.counts),
            cleared_by: mem::take(&mut outcome.cleared_by),
            pairs: mem::take(&mut outcome.pairs),
            fixes: mem::take(&mut outcome.fixes),
            instances: mem::take(&mut outcome.instances),
            runs: outcome.motion.iter_mut().flat_map(|motion| &mut motion.runs).map(runs::take_results).collect(),
        };
        Self { file, shard, candidates, instances_hash, warnings, own, common: outcome }
    }
}

/// Merges partial reports, in any order, each with its file. The outcome equals that of the whole run.
/// `fixes` is the number of deepest interferences that keep their fixes, as in a run.
///
/// # Errors
/// Refuses shards of different runs, repeated shards and missing shards, each with its file. Also refuses inconsistent
/// content.
pub fn merge(partials: Vec<(String, Partial)>, fixes: usize) -> Result<Outcome, Error> {
    let mut shares: Vec<ShardParts> = partials.into_iter().map(ShardParts::new).collect();
    let mut problems = other_run_problems(&shares);
    if problems.is_empty() {
        problems = duplicate_problems(&shares);
        problems.extend(missing(&shares));
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    // Shard 1 exists here, and lists the instances.
    shares.sort_by_key(|s| s.shard.index);
    let ids: Vec<&str> = shares[0].own.instances.iter().map(|i| i.id.as_str()).collect();
    shares.iter().try_for_each(|share| check_indices(share, &ids))?;
    let mut rest = shares.into_iter();
    let Some(ShardParts { file, warnings: told, mut own, common, .. }) = rest.next() else { return Err(none_given()) };
    let mut warnings = Warnings::default();
    warnings.add(told, &file)?;
    for share in rest {
        runs::add(&mut own.counts, &share.own.counts);
        own.cleared_by.add(&share.own.cleared_by);
        own.pairs.extend(share.own.pairs);
        own.fixes.extend(share.own.fixes);
        own.runs.iter_mut().zip(share.own.runs).for_each(|(run, more)| runs::add_results(run, more));
        warnings.add(share.warnings, &share.file)?;
    }
    sort(&mut own);
    let Own { counts, cleared_by, pairs, fixes: known, instances, runs: of_runs } = own;
    let warnings = warnings.in_order();
    let mut outcome = Outcome { counts, cleared_by, pairs, fixes: known, instances, warnings, ..common };
    for (run, results) in outcome.motion.iter_mut().flat_map(|motion| &mut motion.runs).zip(of_runs) {
        runs::add_results(run, results);
    }
    let rows = fixable_rows(&outcome.pairs, fixes);
    outcome.fixes = rows.into_iter().filter_map(|row| outcome.fix_of(&outcome.pairs[row]).cloned()).collect();
    check_counts(&outcome, &file)?;
    Ok(outcome)
}

fn none_given() -> Error {
    Error::one(Location::default(), "no partial report", "name the reports of all shards")
}

/// Problems of shards from another run than the first one.
fn other_run_problems(shares: &[ShardParts]) -> Vec<Problem> {
    let Some((first, rest)) = shares.split_first() else { return none_given().problems };
    let differs = |share: &ShardParts| {
        let what = difference(first, share)?;
        Some(Problem::new(Location::file(&share.file), what, "merge the shards of one run"))
    };
    rest.iter().filter_map(differs).collect()
}

/// Difference of a shard from the first one, as a sentence without a full stop; `None` for the same run.
fn difference(first: &ShardParts, other: &ShardParts) -> Option<String> {
    let (a, b, file) = (first.shard, other.shard, &first.file);
    if a.of != b.of {
        return Some(format!("shard {} of {}, but {file} is shard {} of {}", b.index, b.of, a.index, a.of));
    }
    let (x, y) = (&first.common, &other.common);
    if (&x.name, &x.path) != (&y.name, &y.path) {
        return Some(format!("its assembly is {} ({}), but that of {file} is {} ({})", y.name, y.path, x.name, x.path));
    }
    if let Some((key, mine, their)) = differing(&x.settings, &y.settings) {
        return Some(format!("the run had `{key}` = {their}, but {file} has {mine} (lengths in mm)"));
    }
    if x.rules != y.rules {
        return Some(format!("its rules differ from those in {file}"));
    }
    if x.units != y.units {
        let [own, first] = [y, x].map(|o| o.units.name());
        return Some(format!("the unit of its assembly is {own}, but that of {file} is {first}"));
    }
    let hashes =
        |o: &Outcome| -> BTreeMap<String, String> { o.parts.iter().map(|p| (p.key.clone(), p.hash.clone())).collect() };
    if let Some((key, mine, their)) = differing(&hashes(x), &hashes(y)) {
        return Some(match (mine, their) {
            (Value::Null, _) => format!("it has a part `{key}`, but {file} has none"),
            (_, Value::Null) => format!("it has no part `{key}`, but {file} has one"),
            _ => format!("the mesh of its part `{key}` differs from that in {file}"),
        });
    }
    if first.instances_hash != other.instances_hash {
        return Some(format!("instances, their order or placements differ from {file}"));
    }
    if let Some((key, ..)) = differing(x, y) {
        return Some(format!("its `{key}` differ from those in {file}"));
    }
    (first.candidates != other.candidates).then(|| {
        format!("its candidate pairs differ from those in {file}, with the same input: the two machines computed differently")
    })
}

/// First key with different values, and both values; null for a missing one.
fn differing<T: Serialize + PartialEq>(x: &T, y: &T) -> Option<(String, Value, Value)> {
    if x == y {
        return None;
    }
    let [x, y] = [x, y].map(|v| serde_json::to_value(v).unwrap_or_default());
    let keys = [&x, &y].into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys);
    keys.filter(|k| x.get(k.as_str()) != y.get(k.as_str()))
        .map(|k| (k.clone(), x.get(k).cloned().unwrap_or_default(), y.get(k).cloned().unwrap_or_default()))
        .next()
}

fn duplicate_problems(shares: &[ShardParts]) -> Vec<Problem> {
    let mut files: BTreeMap<u32, &str> = BTreeMap::new();
    let mut problems = Vec::new();
    for ShardParts { file, shard: Shard { index, of }, .. } in shares {
        if let Some(earlier) = files.get(index) {
            let what = format!("shard {index} of {of} is given twice, first in {earlier}");
            problems.push(Problem::new(Location::file(file), what, "name each shard once"));
        } else {
            files.insert(*index, file);
        }
    }
    problems
}

fn missing(shares: &[ShardParts]) -> Option<Problem> {
    let of = shares.first()?.shard.of;
    let mut given = vec![false; of as usize];
    for share in shares {
        given[share.shard.index as usize - 1] = true;
    }
    let missing: Vec<String> = (1..=of).zip(given).filter(|(_, given)| !given).map(|(i, _)| i.to_string()).collect();
    let (named, rest) = missing.split_at(missing.len().min(MAX_NAMED));
    let list = match (named, rest.len()) {
        ([], _) => return None,
        ([one], _) => format!("shard {one} of {of} is"),
        ([most @ .., last], 0) => format!("shards {} and {last} of {of} are", most.join(", ")),
        (named, n) => format!("shards {} and {n} more of {of} are", named.join(", ")),
    };
    Some(Problem::new(Location::default(), format!("{list} missing"), "merge the reports of all shards"))
}

/// Refuses rows and fixes with unknown instances, parts or rules.
fn check_indices(share: &ShardParts, ids: &[&str]) -> Result<(), Error> {
    let (own, common) = (&share.own, &share.common);
    let id = |ix: InstanceIx| ids.get(ix.0 as usize);
    let refuse = |list: &str, k: usize| Err(inconsistent(&share.file, &format!("outcome.{list}[{k}]")));
    let is_known = |row: &PairOutcome| {
        let ordered = matches!((id(row.a), id(row.b)), (Some(a), Some(b)) if a < b);
        ordered && row.rule.is_none_or(|r| (r as usize) < common.rules.len())
    };
    if let Some(k) = own.pairs.iter().position(|row| !is_known(row)) {
        return refuse("pairs", k);
    }
    if let Some(motion) = &common.motion {
        if let Some(k) = motion.joints.iter().position(|joint| !runs::is_joint_known(joint, motion)) {
            return refuse("motion.joints", k);
        }
        let wrong = |(run, own): (&RunOutcome, &RunOutcome)| {
            !runs::are_joints_known(run, motion)
                || !own.rows.iter().all(&is_known)
                || !runs::are_joints_known(own, motion)
        };
        if let Some(k) = motion.runs.iter().zip(&own.runs).position(wrong) {
            return refuse("motion.runs", k);
        }
    }
    for (k, fix) in own.fixes.iter().enumerate() {
        if fix.pair.iter().chain(fix.moves_into.iter().flatten()).any(|ix| id(*ix).is_none()) {
            return refuse("fixes", k);
        }
    }
    let taken = |u: &RuleCoverage| u.taken_by.iter().all(|t| (t.rule as usize) < common.rules.len());
    if common.rule_uses.len() != common.rules.len() || !common.rule_uses.iter().all(taken) {
        return Err(inconsistent(&share.file, "outcome.rule_uses"));
    }
    let nowhere = |i: &InstanceOutcome| {
        i.part.0 as usize >= common.parts.len() || i.at.is_some_and(|at| at.file as usize >= common.files.len())
    };
    let lost = own.instances.iter().position(nowhere);
    lost.map_or(Ok(()), |k| refuse("instances", k))
}

/// Sorts the rows as in a report: by id of a, then b.
fn sort(own: &mut Own) {
    let mut order: Vec<usize> = (0..own.instances.len()).collect();
    order.sort_unstable_by(|&i, &j| own.instances[i].id.cmp(&own.instances[j].id));
    let mut rank = vec![0_u32; order.len()];
    (0..).zip(order).for_each(|(r, i)| rank[i] = r);
    let key = |p: &PairOutcome| (rank[p.a.0 as usize], rank[p.b.0 as usize]);
    own.pairs.sort_unstable_by_key(key);
    own.runs.iter_mut().for_each(|run| run.rows.sort_unstable_by_key(key));
}

/// Verifies the counts: every pair once, and every required row present.
fn check_counts(o: &Outcome, file: &str) -> Result<(), Error> {
    let drawing = runs::Tally {
        pairs: o.possible_pairs,
        counts: &o.counts,
        cleared: runs::total(&o.cleared_by.named().map(|(_, n)| n)),
        rows: &o.pairs,
    };
    if drawing.is_whole() && o.runs().iter().all(|run| runs::Tally::of(run).is_whole()) {
        return Ok(());
    }
    let what = "the counts of all shards do not add up to the number of pairs";
    Err(Error::one(Location::file(file), what, "run the shards again; report the error if it persists"))
}

/// Warnings of all shards, by their position.
#[derive(Default)]
struct Warnings(BTreeMap<[u32; 3], Warning>);

impl Warnings {
    fn add(&mut self, more: Vec<PlacedWarning>, file: &str) -> Result<(), Error> {
        for PlacedWarning { place, warning } in more {
            if self.0.get(&place).is_some_and(|known| *known != warning) {
                return Err(inconsistent(file, "warnings"));
            }
            self.0.insert(place, warning);
        }
        Ok(())
    }

    fn in_order(self) -> Vec<Warning> {
        self.0.into_values().collect()
    }
}
