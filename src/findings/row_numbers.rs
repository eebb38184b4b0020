//! Numbers the rows of a report, as handles for people: `#3` is the third row, `#3.2` the second pair in it.

use crate::findings::groups::Groups;
use crate::findings::judged::Judged;
use crate::findings::rank;
use std::collections::BTreeMap;
use std::fmt;

/// Handle of a pair within one report; printed as `#3` or `#3.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowNumber {
    /// Row of the table with groups, from 1 (worst first).
    pub row: u32,
    /// Position of the pair in its group, from 1 (worst first); `None` for a pair without a group.
    pub member: Option<u32>,
}

impl fmt::Display for RowNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.row)?;
        self.member.map_or(Ok(()), |member| write!(f, ".{member}"))
    }
}

impl RowNumber {
    /// Reads `#3` or `#3.2`; `None` for other text.
    pub fn read(text: &str) -> Option<Self> {
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok()).flatten();
        let number = text.strip_prefix('#')?;
        match number.split_once('.') {
            Some((row, member)) => Some(Self { row: digits(row)?, member: Some(digits(member)?) }),
            None => Some(Self { row: digits(number)?, member: None }),
        }
    }
}

/// Numbers of all rows of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowNumbers(Vec<Option<RowNumber>>);

impl RowNumbers {
    /// Numbers the reported rows. A group takes one number, at its worst row; its members count from its worst row.
    pub fn new(judged: &Judged, groups: &Groups) -> Self {
        let mut numbers = vec![None; judged.outcome.pairs.len()];
        let mut of_group: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let mut rows = 0;
        for row in rank::reported(judged) {
            let mut next = || {
                rows += 1;
                rows
            };
            numbers[row] = Some(match groups.of(row) {
                None => RowNumber { row: next(), member: None },
                Some(group) => {
                    let (number, members) = of_group.entry(group.members[0]).or_insert_with(|| (next(), 0));
                    *members += 1;
                    RowNumber { row: *number, member: Some(*members) }
                }
            });
        }
        Self(numbers)
    }

    /// Number of a row, given its index in [`Outcome::pairs`](crate::check::Outcome::pairs); `None` for an unreported
    /// row.
    pub fn of(&self, row: usize) -> Option<RowNumber> {
        self.0.get(row).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::sample_outcome;

    #[test]
    fn members_count_within_the_row_of_their_group() {
        let judged = Judged::from(sample_outcome::grouped());
        let o = &judged.outcome;
        let groups = Groups::new(&judged);
        let numbers = RowNumbers::new(&judged, &groups);
        let of = |a: &str, b: &str| {
            let row = o.pairs.iter().position(|p| (o.id(p.a), o.id(p.b)) == (a, b)).unwrap();
            numbers.of(row).unwrap().to_string()
        };
        assert_eq!(of("plate", "rib-4"), "#1.1");
        assert_eq!(of("plate", "rib-0"), "#1.5");
        assert_eq!(of("bolt-0", "plate"), "#1.6");
        assert_eq!(of("bolt-0", "hole-0"), "#2.1");
        assert_eq!(of("bolt-0", "rib-0"), "#3");
    }

    #[test]
    fn a_number_is_read_as_printed() {
        for (text, row, member) in [("#3", 3, None), ("#12.40", 12, Some(40))] {
            let number = RowNumber { row, member };
            assert_eq!((RowNumber::read(text), number.to_string().as_str()), (Some(number), text));
        }
        for text in ["3", "#", "#3.", "#.3", "#-1", "#+1", "# 3", "#99999999999"] {
            assert_eq!(RowNumber::read(text), None, "{text}");
        }
    }
}
