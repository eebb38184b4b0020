//! Selects pairs by the user's names: `A,B` in either order, or the pair's id.

use crate::check::pair_id;
use crate::error::{Error, Location, Problem};
use crate::json::wording::nearest;
use std::collections::BTreeSet;

/// Finds the indices in `pairs` of the named pairs. For the message about an unknown name, `what` is the kind of the
/// pairs and `instead` the advice.
///
/// # Errors
/// Refuses all names that match no pair, or several.
pub fn select_pairs(
    names: &[String],
    pairs: &[(&str, &str)],
    what: &str,
    instead: &str,
) -> Result<BTreeSet<usize>, Error> {
    if let [a, b] = names
        && [a, b].iter().all(|id| pairs.iter().any(|(x, y)| x == *id || y == *id))
    {
        let what = format!("`{a}` and `{b}` are two instances, not two pairs");
        return Err(Error::one(Location::default(), what, format!("write the pair as `{a},{b}`")));
    }
    let mut picked = BTreeSet::new();
    let mut problems = Vec::new();
    for name in names {
        let fits = |(a, b): &(&str, &str)| is_name(name, a, b) || is_name(name, b, a) || *name == pair_id(a, b);
        let mut fitting = pairs.iter().enumerate().filter(|(_, pair)| fits(pair)).map(|(k, _)| k);
        match (fitting.next(), fitting.next()) {
            (Some(k), None) => {
                picked.insert(k);
            }
            (Some(one), Some(other)) => {
                let ids = [one, other].map(|k| pair_id(pairs[k].0, pairs[k].1));
                let fix = format!("use the id: {} or {}", ids[0], ids[1]);
                problems.push(Problem::new(Location::default(), format!("`{name}` matches several {what}s"), fix));
            }
            (None, _) => {
                let known: Vec<String> =
                    pairs.iter().flat_map(|(a, b)| [[*a, *b], [*b, *a]]).map(|p| p.join(",")).collect();
                let fix = nearest(name, known.iter().map(String::as_str))
                    .map_or_else(|| instead.to_owned(), |near| format!("did you mean `{near}`?"));
                problems.push(Problem::new(Location::default(), format!("no {what} matches `{name}`"), fix));
            }
        }
    }
    if problems.is_empty() { Ok(picked) } else { Err(Error { problems }) }
}

/// Returns true if the name is `first,second`.
fn is_name(name: &str, first: &str, second: &str) -> bool {
    name.strip_prefix(first).and_then(|rest| rest.strip_prefix(',')) == Some(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(name: &str) -> Result<Vec<usize>, String> {
        let pairs = [("a", "b,c"), ("a,b", "c"), ("drive/shaft", "Bolt:1")];
        let names = [name.to_owned()];
        select_pairs(&names, &pairs, "finding", "see the report")
            .map(|p| p.into_iter().collect())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn pair_is_selected_by_both_ids_or_its_own() {
        assert_eq!(picked("drive/shaft,Bolt:1"), Ok(vec![2]));
        assert_eq!(picked("Bolt:1,drive/shaft"), Ok(vec![2]));
        assert_eq!(picked(&pair_id("Bolt:1", "drive/shaft")), Ok(vec![2]));
        assert_eq!(picked("b,c,a"), Ok(vec![0]));
    }

    #[test]
    fn two_ids_in_two_words_get_one_error() {
        let names = ["Bolt:1".to_owned(), "drive/shaft".to_owned()];
        let error = select_pairs(&names, &[("drive/shaft", "Bolt:1")], "finding", "").unwrap_err().to_string();
        assert_eq!(
            error,
            "`Bolt:1` and `drive/shaft` are two instances, not two pairs; write the pair as `Bolt:1,drive/shaft`"
        );
    }

    #[test]
    fn unmatched_or_ambiguous_selector_gives_helpful_error() {
        assert_eq!(
            picked("drive/shaft,Bolt1"),
            Err("no finding matches `drive/shaft,Bolt1`; did you mean `drive/shaft,Bolt:1`?".into())
        );
        assert_eq!(picked("x"), Err("no finding matches `x`; see the report".into()));
        let several = picked("a,b,c").unwrap_err();
        assert!(several.contains(&pair_id("a", "b,c")) && several.contains(&pair_id("a,b", "c")), "{several}");
    }
}
