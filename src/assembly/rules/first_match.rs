//! Finds the rule for single pairs of ids, for few queries on ids and rules alone.

use crate::assembly::Rule;
use crate::assembly::rules::glob::Glob;

/// Compiled rules of a run. [`RuleTable`](crate::assembly::RuleTable) serves all pairs of an assembly.
#[derive(Debug)]
pub struct FirstMatch<'r> {
    rules: Vec<(&'r str, [Option<Glob>; 2])>,
}

impl<'r> FirstMatch<'r> {
    /// Compiles the globs. An invalid glob, already refused on loading, matches nothing.
    pub fn new(rules: &'r [Rule]) -> Self {
        let glob = |text: &String| Glob::new(text).ok();
        let compiled = |r: &'r Rule| (r.scope.as_str(), [glob(&r.between[0]), glob(&r.between[1])]);
        Self { rules: rules.iter().map(compiled).collect() }
    }

    /// Returns the index of the first rule for two full ids, in either order. Takes time in the number of rules.
    pub fn of(&self, a: &str, b: &str) -> Option<usize> {
        self.of_where(a, b, |_| true)
    }

    /// Returns the index of the first rule for two full ids among those that `applies` accepts by their index.
    pub fn of_where(&self, a: &str, b: &str, applies: impl Fn(usize) -> bool) -> Option<usize> {
        let mut rules = self.rules.iter().enumerate();
        let found = rules.find(|(k, (scope, [first, second]))| {
            let (Some(a), Some(b)) = (a.strip_prefix(*scope), b.strip_prefix(*scope)) else { return false };
            let both = |x: &str, y: &str| {
                first.as_ref().is_some_and(|g| matches(g, x)) && second.as_ref().is_some_and(|g| matches(g, y))
            };
            (both(a, b) || both(b, a)) && applies(*k)
        });
        found.map(|(k, _)| k)
    }
}

fn matches(glob: &Glob, id: &str) -> bool {
    let is = |p: &crate::assembly::rules::glob::Pattern| {
        id.strip_prefix(p.prefix.as_str())
            .is_some_and(|rest| if p.is_literal() { rest.is_empty() } else { p.matches_after_prefix(rest) })
    };
    glob.patterns.iter().any(is)
}
