//! Rows that are one problem: forty equal bolts in forty equal holes, or one part that stands in the way of many.

use crate::assembly::InstanceIx;
use crate::check::{BaselineStatus, Outcome, PairOutcome, Status};
use crate::findings::rank::worse_first;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An instance is the culprit of no fewer findings than this.
pub const MIN_CULPRIT_ROWS: usize = 3;

/// What the rows of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The same two parts in the same relative pose, with the same status under the same rule.
    Alike,
    /// One instance, which fails in the same way with each of the others.
    Culprit,
}

impl Kind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alike => "alike",
            Self::Culprit => "culprit",
        }
    }
}

/// Rows that are one problem; at least two.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// 12 hexadecimal digits: a hash of what the members have in common, so that it stays when a member comes or goes.
    pub id: String,
    /// What that is.
    pub kind: Kind,
    /// Indices in [`Outcome::pairs`], ascending.
    pub members: Vec<u32>,
    /// The worst of them.
    pub worst: u32,
    /// The instance that all have, of a [`Kind::Culprit`].
    pub culprit: Option<InstanceIx>,
}

/// The groups of an outcome. A row is in one at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// In the order of their first members.
    pub all: Vec<Group>,
    /// Of each row: its place in `all`, or [`NONE`].
    of_row: Vec<u32>,
}

const NO_GROUP: u32 = u32::MAX;

/// A line of a report for people: a row, or a group shown by its worst row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<'g> {
    /// Index in [`Outcome::pairs`].
    pub row: usize,
    /// The group that it stands for.
    pub group: Option<&'g Group>,
}

impl Entry<'_> {
    /// How many rows the line stands for.
    pub fn rows(&self) -> usize {
        self.group.map_or(1, |g| g.members.len())
    }

    /// What stands for the two instances: their ids, or a pattern over those of the group, turned as the row is.
    pub fn names(&self, o: &Outcome) -> [String; 2] {
        let row = &o.pairs[self.row];
        match self.group {
            Some(group) => group.patterns(o, row),
            None => [row.a, row.b].map(|i| o.id(i).to_owned()),
        }
    }
}

impl Groups {
    /// Groups the rows that fail or are allowed: alike ones first, and of the failing rest the most of one instance, then the most of
    /// another, as long as there are [`LEAST_OF_A_CULPRIT`]; the lesser id among equals. Depends on no order.
    /// Cost: n log n for n rows.
    pub fn new(o: &Outcome) -> Self {
        let mut groups = Self { all: Vec::new(), of_row: vec![NO_GROUP; o.pairs.len()] };
        groups.find_alike(o);
        groups.find_culprits(o);
        groups.all.sort_by_key(|g| g.members[0]);
        for (group, k) in groups.all.iter().zip(0..) {
            group.members.iter().for_each(|m| groups.of_row[*m as usize] = k);
        }
        groups
    }

    /// The group of a row, an index in [`Outcome::pairs`].
    pub fn of(&self, row: usize) -> Option<&Group> {
        self.all.get(*self.of_row.get(row)? as usize)
    }

    /// The lines of a report that lists these rows, worst first: each group once, in the place of the first of its rows.
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

    fn add(&mut self, o: &Outcome, mut group: Group) {
        group.members.sort_unstable();
        let worse = |x: &&u32, y: &&u32| worse_first(o, &o.pairs[**x as usize], &o.pairs[**y as usize]);
        // The first of equals.
        group.worst = group.members.iter().min_by(worse).copied().unwrap_or(0);
        group.members.iter().for_each(|m| self.of_row[*m as usize] = 0);
        self.all.push(group);
    }

    fn find_alike(&mut self, o: &Outcome) {
        let rules = same_rules(o);
        let key = |row: u32| {
            let p = &o.pairs[row as usize];
            (common(p), p.rule.map(|r| rules[r as usize]), p.alike)
        };
        let of_interest = |p: &PairOutcome| p.status.fails() || p.status == Status::Allowed;
        let mut rows: Vec<u32> = (0..o.pairs.len() as u32).filter(|k| of_interest(&o.pairs[*k as usize])).collect();
        rows.sort_by_key(|row| key(*row));
        for members in rows.chunk_by(|x, y| key(*x) == key(*y)).filter(|m| m.len() > 1) {
            let p = &o.pairs[members[0] as usize];
            let rule = p.rule.map(|r| &o.rules[r as usize]);
            let texts = rule.map_or([""; 3], |r| [r.file.as_str(), &r.between[0], &r.between[1]]);
            let id = group_id(Kind::Alike, p, &p.alike.to_le_bytes(), &texts);
            self.add(o, Group { id, kind: Kind::Alike, members: members.to_vec(), worst: 0, culprit: None });
        }
    }

    /// Among the failing rows that are in no group.
    fn find_culprits(&mut self, o: &Outcome) {
        let mut rows: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (p, k) in o.pairs.iter().zip(0..) {
            if p.status.fails() && self.of_row[k as usize] == NO_GROUP {
                for i in [p.a, p.b] {
                    rows.entry((common(p), i)).or_default().push(k);
                }
            }
        }
        let mut left: BTreeMap<_, usize> = rows.iter().map(|(key, rows)| (*key, rows.len())).collect();
        let turn = |key: (SharedStatus, InstanceIx), n: usize| (n, Reverse(o.id(key.1)), key);
        let mut most: BinaryHeap<_> = left.iter().map(|(key, n)| turn(*key, *n)).collect();
        while let Some((n, _, key)) = most.pop() {
            let now = left[&key];
            if now < n {
                // Some of them went to another culprit since.
                most.push(turn(key, now));
                continue;
            }
            if n < MIN_CULPRIT_ROWS {
                break;
            }
            let members: Vec<u32> =
                rows[&key].iter().copied().filter(|k| self.of_row[*k as usize] == NO_GROUP).collect();
            for row in &members {
                let p = &o.pairs[*row as usize];
                for i in [p.a, p.b] {
                    left.entry((key.0, i)).and_modify(|n| *n -= 1);
                }
            }
            let culprit = key.1;
            let first = &o.pairs[members[0] as usize];
            let id = group_id(Kind::Culprit, first, &[], &[o.id(culprit)]);
            self.add(o, Group { id, kind: Kind::Culprit, members, worst: 0, culprit: Some(culprit) });
        }
    }
}

/// What all rows of a group share, whatever its kind.
type SharedStatus = (Status, Option<BaselineStatus>);

fn common(p: &PairOutcome) -> SharedStatus {
    (p.status, p.standing)
}

/// Of each rule, the first that was read from the same place: a sub-assembly that is placed often brings its rules each time.
fn same_rules(o: &Outcome) -> Vec<u32> {
    let mut first: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    o.rules.iter().zip(0..).map(|(rule, k)| *first.entry((&rule.file, rule.index)).or_insert(k)).collect()
}

fn group_id(kind: Kind, row: &PairOutcome, content: &[u8], texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(kind.name().as_bytes()).update(row.status.name().as_bytes()).update(content);
    for text in texts {
        // The length in front keeps ("ab","c") and ("a","bc") apart.
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().as_str()[..12].to_owned()
}

impl Group {
    /// Of each side a pattern over the ids of the members, turned as `row`, one of them, is.
    pub fn patterns(&self, o: &Outcome, row: &PairOutcome) -> [String; 2] {
        let part = |i: InstanceIx| o.instances[i.0 as usize].part;
        let turned = |p: &PairOutcome| match self.culprit {
            Some(culprit) => (p.a == culprit) != (row.a == culprit),
            // Of two equal parts neither is the one or the other.
            None => part(row.a) != part(row.b) && part(p.a) == part(row.b) && part(p.b) == part(row.a),
        };
        let mut sides = [Pattern::default(), Pattern::default()];
        for member in &self.members {
            let p = &o.pairs[*member as usize];
            let [a, b] = if turned(p) { [p.b, p.a] } else { [p.a, p.b] };
            sides[0].add(o.id(a));
            sides[1].add(o.id(b));
        }
        sides.map(|s| s.text())
    }
}

/// What names have in common: how they begin and how they end.
#[derive(Default)]
pub(crate) struct Pattern<'n> {
    first: Option<&'n str>,
    /// Bytes of the shortest name, where two differ.
    shortest: Option<usize>,
    begin: &'n str,
    end: &'n str,
}

impl<'n> Pattern<'n> {
    pub(crate) fn add(&mut self, name: &'n str) {
        let Some(first) = self.first else {
            (self.first, self.begin, self.end) = (Some(name), name, name);
            return;
        };
        if name == first {
            return;
        }
        self.shortest = Some(self.shortest.unwrap_or(first.len()).min(name.len()));
        let same = |x: &mut dyn Iterator<Item = (char, char)>| {
            x.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
        };
        let begin = same(&mut self.begin.chars().zip(name.chars()));
        let end = same(&mut self.end.chars().rev().zip(name.chars().rev()));
        self.begin = &first[..begin];
        self.end = &first[first.len() - end..];
    }

    /// One name as it is; of several what they share, with `*` for what differs. Digits next to it belong to it: `bolt-*`
    /// of `bolt-11` and `bolt-12`.
    pub(crate) fn text(&self) -> String {
        let Some(shortest) = self.shortest else { return self.first.unwrap_or_default().to_owned() };
        let digit = |c: char| c.is_ascii_digit();
        let begin = self.begin.trim_end_matches(digit);
        // Of "ab" and "aab" begin and end both have the same "a".
        let mut end = self.end;
        while end.len() + self.begin.len() > shortest {
            let cut = end.chars().next().map_or(1, char::len_utf8);
            end = &end[cut..];
        }
        format!("{begin}*{}", end.trim_start_matches(digit))
    }
}
