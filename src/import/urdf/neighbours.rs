//! Rules for links that touch by design: links that a joint connects, and pairs that an SRDF disables.

use crate::import::ImportedRule;
use crate::import::folder::glob_of;
use crate::import::urdf::robot::Robot;
use crate::import::urdf::semantics::{Semantics, reason_of};
use std::collections::{BTreeMap, BTreeSet};

/// Builds the rules. `ids` are the instances of each link.
pub(crate) fn rules(robot: &Robot, semantics: &Semantics, ids: &[Vec<String>]) -> Vec<ImportedRule> {
    let mut rules = Rules { ids, known: BTreeSet::new(), out: Vec::new() };
    for (k, link) in ids.iter().enumerate() {
        if link.len() > 1 {
            rules.add(k, k, format!("link {}", robot.links[k].name));
        }
    }
    let above: BTreeMap<usize, usize> = robot.joints.iter().enumerate().map(|(k, j)| (j.child, k)).collect();
    for joint in &robot.joints {
        if ids[joint.child].is_empty() {
            continue;
        }
        // Links without geometry only divide a joint into several.
        let (mut names, mut parent) = (vec![joint.name.as_str()], joint.parent);
        while ids[parent].is_empty() {
            let Some(next) = above.get(&parent).map(|k| &robot.joints[*k]) else { break };
            names.push(&next.name);
            parent = next.parent;
        }
        names.reverse();
        let word = if names.len() == 1 { "joint" } else { "joints" };
        rules.add(parent, joint.child, format!("{word} {}", names.join(", ")));
    }
    for ([a, b], reason) in &semantics.disabled {
        let links = (robot.link_of.get(a), robot.link_of.get(b));
        if let ((Some(a), Some(b)), Some(reason)) = (links, reason_of(reason.as_deref())) {
            rules.add(*a, *b, reason);
        }
    }
    rules.out
}

struct Rules<'a> {
    ids: &'a [Vec<String>],
    /// Pairs of links with a rule.
    known: BTreeSet<(usize, usize)>,
    out: Vec<ImportedRule>,
}

impl Rules<'_> {
    /// Adds a rule for all instances of two links. The first rule of a pair counts.
    fn add(&mut self, a: usize, b: usize, reason: String) {
        let (Some(first), Some(second)) = (self.glob(a), self.glob(b)) else { return };
        if self.known.insert((a.min(b), a.max(b))) {
            self.out.push(ImportedRule { between: [first, second], reason });
        }
    }

    /// Glob of all instances of a link; `None` without instances.
    fn glob(&self, link: usize) -> Option<String> {
        match self.ids[link].as_slice() {
            [] => None,
            [one] => Some(glob_of(one)),
            [first, ..] => {
                let first = glob_of(first);
                Some(format!("{{{first},{first}.*}}"))
            }
        }
    }
}
