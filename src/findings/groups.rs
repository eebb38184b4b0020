//! Groups rows with one cause: equal bolts in equal holes, or one part that overlaps many.

use crate::assembly::{InstanceIx, Level};
use crate::check::{Outcome, PairOutcome, Status};
use crate::findings::baseline::status::BaselineStatus;
use crate::findings::judged::Judged;
use crate::findings::rank::worse_first;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Smallest number of findings of a culprit.
pub const MIN_CULPRIT_ROWS: usize = 3;

/// Common property of a group's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Same two parts, relative pose, status and rule.
    Alike,
    /// One instance, failing in the same way with all others.
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
    /// Common instance of a [`Kind::Culprit`].
    pub culprit: Option<InstanceIx>,
}

/// Groups of an outcome; each row is in at most one.
#[derive(Debug, Clone, PartialEq)]
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

impl Groups {
    /// Groups the failing and allowed rows. Alike rows come first. Among the remaining failing rows, the instance with
    /// most rows is the next culprit, down to [`MIN_CULPRIT_ROWS`] rows; of equal ones, the lesser id. Independent of
    /// the order of rows. Cost: n log n for n rows.
    pub fn new(judged: &Judged) -> Self {
        let mut groups = Self { all: Vec::new(), of_row: vec![NO_GROUP; judged.outcome.pairs.len()] };
        groups.find_alike(judged);
        groups.find_culprits(judged);
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
        let mut rows: Vec<u32> = (0..o.pairs.len() as u32).filter(|k| of_interest(&o.pairs[*k as usize])).collect();
        rows.sort_by_key(|row| key(*row));
        for members in rows.chunk_by(|x, y| key(*x) == key(*y)).filter(|m| m.len() > 1) {
            let p = &o.pairs[members[0] as usize];
            let rule = p.rule.map(|r| &o.rules[r as usize]);
            let texts = rule.map_or([""; 3], |r| [r.file.as_str(), &r.between[0], &r.between[1]]);
            let id = group_id(Kind::Alike, p, &p.alike.to_le_bytes(), &texts);
            self.add(judged, Group { id, kind: Kind::Alike, members: members.to_vec(), worst: 0, culprit: None });
        }
    }

    /// Groups by culprit the failing rows without a group.
    fn find_culprits(&mut self, judged: &Judged) {
        let o = &judged.outcome;
        let mut rows: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (p, k) in o.pairs.iter().zip(0..) {
            if p.status.fails() && self.of_row[k as usize] == NO_GROUP {
                for i in [p.a, p.b] {
                    rows.entry((common(judged, k), i)).or_default().push(k);
                }
            }
        }
        let mut left: BTreeMap<_, usize> = rows.iter().map(|(key, rows)| (*key, rows.len())).collect();
        let turn = |key: (SharedStatus, InstanceIx), n: usize| (n, Reverse(o.id(key.1)), key);
        let mut most: BinaryHeap<_> = left.iter().map(|(key, n)| turn(*key, *n)).collect();
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
            self.add(judged, Group { id, kind: Kind::Culprit, members, worst: 0, culprit: Some(culprit) });
        }
    }
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

impl Group {
    /// Patterns of the members' ids, one a side, with sides as in the member `row`.
    pub fn patterns(&self, o: &Outcome, row: &PairOutcome) -> [String; 2] {
        let part = |i: InstanceIx| o.instances[i.0 as usize].part;
        let turned = |p: &PairOutcome| match self.culprit {
            Some(culprit) => (p.a == culprit) != (row.a == culprit),
            // With two equal parts, the sides cannot be distinguished.
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

/// Common prefix and suffix of names.
#[derive(Default)]
pub(crate) struct Pattern<'n> {
    first: Option<&'n str>,
    /// Length of the shortest name, once two differ (bytes).
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

    /// Text of one name, or the common parts of several with `*` between. The digits beside it belong to the `*`:
    /// `bolt-*` for `bolt-11` and `bolt-12`.
    pub(crate) fn text(&self) -> String {
        let Some(shortest) = self.shortest else { return self.first.unwrap_or_default().to_owned() };
        let digit = |c: char| c.is_ascii_digit();
        let begin = self.begin.trim_end_matches(digit);
        // For "ab" and "aab", prefix and suffix would share the same "a": cut the suffix.
        let mut end = self.end;
        while end.len() + self.begin.len() > shortest {
            let cut = end.chars().next().map_or(1, char::len_utf8);
            end = &end[cut..];
        }
        format!("{begin}*{}", end.trim_start_matches(digit))
    }
}
