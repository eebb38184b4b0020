//! Finds globs for a set of ids of an assembly, without other matches.

use crate::assembly::{Glob, escaped};
use std::collections::BTreeMap;

/// Largest number of globs in a rule, alternatives counted: a reader must see at a glance what the rule covers.
pub(crate) const MAX_GLOBS_A_RULE: usize = 3;

/// Limit of a glob (bytes), below the format's limit of 1000 characters.
const MOST_BYTES: usize = 900;

/// Ids of an assembly, sorted, to test globs.
pub(crate) struct Ids<'a> {
    sorted: Vec<&'a str>,
}

impl<'a> Ids<'a> {
    pub fn new(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<&str> = ids.collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// Finds globs that match each of `wanted` (nonempty) and no other id, each of at most `most` alternatives.
    pub fn globs(&self, wanted: &[&str], most: usize) -> Vec<String> {
        if let Some(glob) = self.single_glob(wanted) {
            return vec![glob];
        }
        // Group ids with the same stem: bolt-1, bolt-2; nut-1, nut-2.
        let mut by_stem: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for id in wanted {
            by_stem.entry(id.trim_end_matches(|c: char| c.is_ascii_digit())).or_default().push(id);
        }
        let alternatives = by_stem.into_values().flat_map(|ids| {
            self.single_glob(&ids).map_or_else(|| ids.iter().map(|id| escaped(id)).collect(), |glob| vec![glob])
        });
        let mut globs: Vec<Vec<String>> = Vec::new();
        let mut bytes = 0;
        for alternative in alternatives {
            bytes += alternative.len() + 1;
            if let Some(glob) = globs.last_mut().filter(|g| g.len() < most && bytes < MOST_BYTES) {
                glob.push(alternative);
            } else {
                bytes = alternative.len() + 1;
                globs.push(vec![alternative]);
            }
        }
        globs.iter().map(|g| if let [one] = &g[..] { one.clone() } else { format!("{{{}}}", g.join(",")) }).collect()
    }

    /// Finds a single glob from the common prefix and suffix; `None` if it matches other ids.
    fn single_glob(&self, wanted: &[&str]) -> Option<String> {
        let (first, rest) = wanted.split_first()?;
        if rest.is_empty() {
            return Some(escaped(first));
        }
        let prefix = rest.iter().fold(*first, |p, id| common_prefix(p, id));
        // Search the suffix after the prefix: each character counts once.
        let suffix = rest.iter().fold(&first[prefix.len()..], |s, id| common_suffix(s, &id[prefix.len()..]));
        let is_digit = |c: char| c.is_ascii_digit();
        let (short, tail) = (prefix.trim_end_matches(is_digit), suffix.trim_start_matches(is_digit));
        let lengths = wanted.iter().map(|id| id.chars().count());
        let same_length = lengths.clone().min() == lengths.max();
        let held = first.chars().count() - prefix.chars().count() - suffix.chars().count();
        let marks = if same_length { "?".repeat(held) } else { "*".to_owned() };
        // Try whole words first: cut prefix and suffix back to word boundaries.
        let is_letter = |c: char| c.is_alphanumeric();
        let (word, words_end) = (prefix.trim_end_matches(is_letter), suffix.trim_start_matches(is_letter));
        let candidates = [
            (word, "*", words_end),
            (short, "*", tail),
            (prefix, "*", tail),
            (prefix, "*", suffix),
            (prefix, marks.as_str(), suffix),
        ];
        candidates.into_iter().filter(|(p, _, s)| !(p.is_empty() && s.is_empty())).find_map(|(p, run, s)| {
            let glob = format!("{}{run}{}", escaped(p), escaped(s));
            self.matches_only(&glob, p, wanted).then_some(glob)
        })
    }

    /// Returns true if the glob matches every wanted id and no other.
    fn matches_only(&self, glob: &str, prefix: &str, wanted: &[&str]) -> bool {
        let Ok(glob) = Glob::new(glob) else { return false };
        let from = self.sorted.partition_point(|id| *id < prefix);
        let near = self.sorted[from..].iter().take_while(|id| id.starts_with(prefix));
        near.filter(|id| glob.matches(id)).count() == wanted.len() && wanted.iter().all(|id| glob.matches(id))
    }
}

fn common_prefix<'t>(a: &'t str, b: &str) -> &'t str {
    let end = a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map(|((k, _), _)| k);
    &a[..end.unwrap_or(a.len().min(b.len()))]
}

fn common_suffix<'t>(a: &'t str, b: &str) -> &'t str {
    let same = a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y);
    &a[a.len() - same.map(|(x, _)| x.len_utf8()).sum::<usize>()..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn globs(all: &[&str], wanted: &[&str]) -> Vec<String> {
        Ids::new(all.iter().copied()).globs(wanted, 3)
    }

    #[test]
    fn similar_ids_make_one_natural_glob() {
        let all = [
            "plate",
            "bolt-1",
            "bolt-2",
            "bolt-10",
            "nut-1",
            "nut-2",
            "drive/bolt-1",
            "lid,[old]",
            "left-jaw",
            "right-jaw",
        ];
        for (wanted, globs_expected) in [
            (&["bolt-1", "bolt-2", "bolt-10"][..], &["bolt-*"][..]),
            (&["bolt-1", "bolt-10"], &["bolt-1*"]),
            (&["bolt-1", "bolt-2"], &["bolt-?"]),
            (&["left-jaw", "right-jaw"], &["*-jaw"]),
            (&["lid,[old]"], &["lid\\,\\[old]"]),
            (&["bolt-1", "bolt-2", "bolt-10", "nut-1", "nut-2"], &["{bolt-*,nut-*}"]),
            (&["bolt-2", "bolt-10", "plate"], &["{bolt-2,bolt-10,plate}"]),
        ] {
            assert_eq!(globs(&all, wanted), globs_expected);
        }
    }

    #[test]
    fn many_ids_without_a_pattern_make_several_globs() {
        let all: Vec<String> = (0..700).map(|k| format!("p{k}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let wanted: Vec<&str> = all.iter().copied().step_by(2).collect();
        let found: Vec<Glob> = globs(&all, &wanted).iter().map(|g| Glob::new(g).expect("a glob")).collect();
        assert!(found.len() > 1);
        for (k, id) in all.iter().enumerate() {
            assert_eq!(found.iter().filter(|g| g.matches(id)).count(), usize::from(k % 2 == 0), "{id}");
        }
    }

    proptest! {
        #[test]
        fn globs_match_exactly_the_wanted_ids(
            ids in prop::collection::btree_set("[ab12,*ä]{1,5}", 2..12), bits in any::<u16>(),
        ) {
            let all: Vec<&str> = ids.iter().map(String::as_str).collect();
            let wanted: Vec<&str> = all.iter().copied().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, id)| id).collect();
            prop_assume!(!wanted.is_empty());
            let found: Vec<Glob> = globs(&all, &wanted).iter().map(|g| Glob::new(g).expect("a glob")).collect();
            for id in all {
                prop_assert_eq!(found.iter().any(|g| g.matches(id)), wanted.contains(&id), "{}", id);
            }
        }
    }
}
