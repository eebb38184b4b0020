//! Groups rows with one cause: equal bolts in equal holes, or one part that overlaps many.

use crate::assembly::{InstanceIx, Level};
use crate::check::{Outcome, PairOutcome, Status};
use crate::findings::baseline::status::BaselineStatus;
use crate::findings::judged::Judged;
use crate::findings::name_pattern::NamePattern;
use crate::findings::rank::worse_first;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Smallest number of findings of a culprit.
pub const MIN_CULPRIT_ROWS: usize = 3;

/// Common property of a group's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Same two parts, relative pose, status and rule.
    Alike,
    /// One instance, failing in the same way with all others; or several equal instances of this kind.
    Culprit,
}

impl Kind {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alike => "alike",
            Self::Culprit => "culprit",
        }
    }
}

/// At least two rows with one cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Hash of the common properties (12 hexadecimal digits); independent of single members.
    pub id: String,
    /// Common property.
    pub kind: Kind,
    /// Indices in [`Outcome::pairs`], ascending.
    pub members: Vec<u32>,
    /// Index of the worst row.
    pub worst: u32,
    /// Common instances of a [`Kind::Culprit`], most rows first: one, or several of the same part that fail with the
    /// same parts. A row belongs to the first of its two instances in this list. Empty for [`Kind::Alike`].
    pub culprits: Vec<InstanceIx>,
}

/// Groups of an outcome; each row is in at most one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Groups {
    /// Groups in the order of their first members.
    pub all: Vec<Group>,
    /// Index in `all` of each row's group, or [`NO_GROUP`].
    of_row: Vec<u32>,
}

const NO_GROUP: u32 = u32::MAX;

/// A line of a report: a row, or a group with its worst row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<'g> {
    /// Index in [`Outcome::pairs`].
    pub row: usize,
    /// Group of the line.
    pub group: Option<&'g Group>,
}

impl Entry<'_> {
    /// Number of rows in the line.
    pub fn rows(&self) -> usize {
        self.group.map_or(1, |g| g.members.len())
    }

    /// Names of the two instances: ids, or patterns of the group's ids, with sides as in the row.
    pub fn names(&self, o: &Outcome) -> [String; 2] {
        let row = &o.pairs[self.row];
        match self.group {
            Some(group) => group.patterns(o, row),
            None => [row.a, row.b].map(|i| o.id(i).to_owned()),
        }
    }
}

/// Names of each entry without the common `prefix`, told apart: a pattern of several equal culprits has their number,
/// and of entries with equal status and names, each has the ids of its row.
pub fn names(o: &Outcome, entries: &[Entry<'_>], prefix: &str) -> Vec<[String; 2]> {
    let short = |name: &str| name.strip_prefix(prefix).unwrap_or(name).to_owned();
    let plain: Vec<[String; 2]> = entries.iter().map(|e| e.names(o)).collect();
    let mut seen: BTreeMap<(Status, &[String; 2]), usize> = BTreeMap::new();
    for (entry, names) in entries.iter().zip(&plain) {
        *seen.entry((o.pairs[entry.row].status, names)).or_default() += 1;
    }
    let told = |(entry, names): (&Entry<'_>, &[String; 2])| {
        let row = &o.pairs[entry.row];
        let twice = seen[&(row.status, names)] > 1;
        let side = |name: &String, i: InstanceIx| {
            let culprits = entry.group.filter(|g| g.culprit_of(row) == Some(i)).map_or(0, |g| g.culprits.len());
            let number = (culprits > 1).then(|| culprits.to_string());
            let tells = name != o.id(i) && (twice || short(name) == "*");
            let example = tells.then(|| format!("as {}", short(o.id(i))));
            let notes: Vec<String> = number.into_iter().chain(example).collect();
            if notes.is_empty() { short(name) } else { format!("{} ({})", short(name), notes.join(", ")) }
        };
        [side(&names[0], row.a), side(&names[1], row.b)]
    };
    entries.iter().zip(&plain).map(told).collect()
}

impl Groups {
    /// Groups the failing and allowed rows. Culprits come first: the instance with most failing rows is the next
    /// culprit, down to [`MIN_CULPRIT_ROWS`] rows; of equal ones, the lesser id. Culprits of the same part that fail
    /// with the same parts under the same rules are one group. Among the remaining rows, alike ones are groups.
    /// Independent of the order of rows. Cost: n log n for n rows.
    pub fn new(judged: &Judged) -> Self {
        let mut groups = Self { all: Vec::new(), of_row: vec![NO_GROUP; judged.outcome.pairs.len()] };
        groups.find_culprits(judged);
        groups.find_alike(judged);
        groups.all.sort_by_key(|g| g.members[0]);
        for (group, k) in groups.all.iter().zip(0..) {
            group.members.iter().for_each(|m| groups.of_row[*m as usize] = k);
        }
        groups
    }

    /// Group of a row, given its index in [`Outcome::pairs`].
    pub fn of(&self, row: usize) -> Option<&Group> {
        self.all.get(*self.of_row.get(row)? as usize)
    }

    /// Lines of a report with these rows, worst first; each group once, at its first row.
    pub fn entries(&self, rows: &[usize]) -> Vec<Entry<'_>> {
        let mut told = vec![false; self.all.len()];
        let mut entries = Vec::new();
        for &row in rows {
            let k = self.of_row[row] as usize;
            match told.get_mut(k) {
                Some(told) if *told => continue,
                Some(told) => *told = true,
                None => {}
            }
            entries.push(Entry { row, group: self.all.get(k) });
        }
        entries
    }

    fn add(&mut self, judged: &Judged, mut group: Group) {
        group.members.sort_unstable();
        let worse = |x: &&u32, y: &&u32| worse_first(judged, **x as usize, **y as usize);
        // The first of equal rows.
        group.worst = group.members.iter().min_by(worse).copied().unwrap_or(0);
        group.members.iter().for_each(|m| self.of_row[*m as usize] = 0);
        self.all.push(group);
    }

    fn find_alike(&mut self, judged: &Judged) {
        let o = &judged.outcome;
        let rules = same_rules(o);
        let key = |row: u32| {
            let p = &o.pairs[row as usize];
            (common(judged, row), p.rule.map(|r| rules[r as usize]), p.alike)
        };
        let of_interest = |p: &PairOutcome| p.status.fails() || p.status == Status::Allowed;
        let is_free = |row: u32| self.of_row[row as usize] == NO_GROUP && of_interest(&o.pairs[row as usize]);
        let mut rows: Vec<u32> = (0..o.pairs.len() as u32).filter(|row| is_free(*row)).collect();
        rows.sort_by_key(|row| key(*row));
        for members in rows.chunk_by(|x, y| key(*x) == key(*y)).filter(|m| m.len() > 1) {
            let p = &o.pairs[members[0] as usize];
            let rule = p.rule.map(|r| &o.rules[r as usize]);
            let texts = rule.map_or([""; 3], |r| [r.file.as_str(), &r.between[0], &r.between[1]]);
            let id = if o.alike_by_group {
                id_of_number(p.alike)
            } else {
                group_id(Kind::Alike, p, &p.alike.to_le_bytes(), &texts)
            };
            self.add(
                judged,
                Group { id, kind: Kind::Alike, members: members.to_vec(), worst: 0, culprits: Vec::new() },
            );
        }
    }

    /// Groups failing rows by their culprits.
    fn find_culprits(&mut self, judged: &Judged) {
        let o = &judged.outcome;
        let rules = same_rules(o);
        let mut equal: BTreeMap<_, Vec<Culprit>> = BTreeMap::new();
        for culprit in culprits(judged) {
            equal.entry(culprit.traits(o, &rules)).or_default().push(culprit);
        }
        let mut ids = BTreeSet::new();
        for (((_, status, level), part, failing_with), found) in equal {
            let first = &o.pairs[found[0].rows[0] as usize];
            let id = if let [culprit] = &found[..] {
                group_id(Kind::Culprit, first, &[], &[o.id(culprit.instance)])
            } else {
                let parts: Vec<&str> = [part].into_iter().chain(failing_with.iter().map(|with| with.0)).collect();
                group_id(Kind::Culprit, first, &[], &parts)
            };
            // One culprit may have accepted and new findings, or errors and warnings: a group of each.
            let id = Some(id).filter(|id| ids.insert(id.clone())).unwrap_or_else(|| {
                let instances: Vec<&str> = found.iter().map(|c| o.id(c.instance)).collect();
                let state = status.map_or("", BaselineStatus::name);
                group_id(Kind::Culprit, first, &[], &[&[state, level.map_or("", Level::name)], &instances[..]].concat())
            });
            let culprits = found.iter().map(|c| c.instance).collect();
            let members = found.into_iter().flat_map(|c| c.rows).collect();
            self.add(judged, Group { id, kind: Kind::Culprit, members, worst: 0, culprits });
        }
    }
}

/// An instance with several failing rows.
struct Culprit {
    instance: InstanceIx,
    shared: SharedStatus,
    /// Indices in [`Outcome::pairs`], without those of an earlier culprit.
    rows: Vec<u32>,
}

/// Common properties of equal culprits: status, mesh of their part, meshes of the parts that they fail with, each with
/// its rule.
type Traits<'o> = (SharedStatus, &'o str, BTreeSet<(&'o str, Option<u32>)>);

impl Culprit {
    fn traits<'o>(&self, o: &'o Outcome, rules: &[u32]) -> Traits<'o> {
        let mesh = |i: InstanceIx| o.parts[o.instances[i.0 as usize].part.0 as usize].hash.as_str();
        let with = |row: &u32| {
            let p = &o.pairs[*row as usize];
            let other = if p.a == self.instance { p.b } else { p.a };
            (mesh(other), p.rule.map(|r| rules[r as usize]))
        };
        (self.shared, mesh(self.instance), self.rows.iter().map(with).collect())
    }
}

/// Culprits of the failing rows, most rows first.
fn culprits(judged: &Judged) -> Vec<Culprit> {
    let o = &judged.outcome;
    let mut rows: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (p, k) in o.pairs.iter().zip(0..).filter(|(p, _)| p.status.fails()) {
        for i in [p.a, p.b] {
            rows.entry((common(judged, k), i)).or_default().push(k);
        }
    }
    let mut free = vec![true; o.pairs.len()];
    let mut left: BTreeMap<_, usize> = rows.iter().map(|(key, rows)| (*key, rows.len())).collect();
    let turn = |key: (SharedStatus, InstanceIx), n: usize| (n, Reverse(o.id(key.1)), key);
    let mut most: BinaryHeap<_> = left.iter().map(|(key, n)| turn(*key, *n)).collect();
    let mut found = Vec::new();
    while let Some((n, _, key)) = most.pop() {
        let now = left[&key];
        if now < n {
            // An earlier culprit took some of its rows: count again.
            most.push(turn(key, now));
            continue;
        }
        if n < MIN_CULPRIT_ROWS {
            break;
        }
        let own: Vec<u32> = rows[&key].iter().copied().filter(|k| free[*k as usize]).collect();
        for row in &own {
            free[*row as usize] = false;
            let p = &o.pairs[*row as usize];
            for i in [p.a, p.b] {
                left.entry((key.0, i)).and_modify(|n| *n -= 1);
            }
        }
        found.push(Culprit { instance: key.1, shared: key.0, rows: own });
    }
    found
}

/// Common properties of all rows in a group.
type SharedStatus = (Status, Option<BaselineStatus>, Option<Level>);

fn common(judged: &Judged, row: u32) -> SharedStatus {
    let row = row as usize;
    (judged.outcome.pairs[row].status, judged.status_of(row), judged.severity_of(row))
}

/// First rule from the same position in a file, for each rule: a sub-assembly placed several times repeats its rules.
fn same_rules(o: &Outcome) -> Vec<u32> {
    let mut first: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    o.rules.iter().zip(0..).map(|(rule, k)| *first.entry((&rule.file, rule.index)).or_insert(k)).collect()
}

fn group_id(kind: Kind, row: &PairOutcome, content: &[u8], texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.name().as_bytes()).update(row.status.name().as_bytes()).update(content);
    for text in texts {
        // The length prefix distinguishes ("ab","c") from ("a","bc").
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().as_str()[..12].to_owned()
}

/// Number of a group by its id of 48 bits.
pub(crate) fn number_of_id(id: &str) -> Option<u64> {
    u64::from_str_radix(id, 16).ok()
}

/// Id of a group by its number.
fn id_of_number(number: u64) -> String {
    format!("{number:012x}")
}

impl Group {
    /// Patterns of the members' ids, one a side, with sides as in the member `row`.
    pub fn patterns(&self, o: &Outcome, row: &PairOutcome) -> [String; 2] {
        let part = |i: InstanceIx| o.instances[i.0 as usize].part;
        let order = self.culprit_order();
        let is_first =
            |p: &PairOutcome| order.get(&p.a).map_or(usize::MAX, |k| *k) < *order.get(&p.b).unwrap_or(&usize::MAX);
        let turned = |p: &PairOutcome| match self.kind {
            Kind::Culprit => is_first(p) != is_first(row),
            // With two equal parts, the sides cannot be distinguished.
            Kind::Alike => part(row.a) != part(row.b) && part(p.a) == part(row.b) && part(p.b) == part(row.a),
        };
        let mut sides = [NamePattern::default(), NamePattern::default()];
        for member in &self.members {
            let p = &o.pairs[*member as usize];
            let [a, b] = if turned(p) { [p.b, p.a] } else { [p.a, p.b] };
            sides[0].add(o.id(a));
            sides[1].add(o.id(b));
        }
        sides.map(|s| s.text())
    }

    /// Culprit of a member.
    pub fn culprit_of(&self, row: &PairOutcome) -> Option<InstanceIx> {
        let order = self.culprit_order();
        [row.a, row.b].into_iter().filter_map(|i| Some((order.get(&i)?, i))).min().map(|(_, i)| i)
    }

    /// Position of each culprit among all.
    fn culprit_order(&self) -> BTreeMap<InstanceIx, usize> {
        self.culprits.iter().copied().zip(0..).collect()
    }
}
