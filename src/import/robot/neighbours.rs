//! Rules for links that touch by design: the two links of each joint, and the disabled pairs of the description.

use crate::import::ImportedRule;
use crate::import::robot::model::Robot;
use crate::import::robot::places::Placed;
use std::collections::{BTreeMap, BTreeSet};

/// Builds the rules, and the set of their pairs of links, the lower index first. `disabled` are further pairs of links,
/// each with its reason. The first rule of a pair counts.
pub(crate) fn rules(
    robot: &Robot,
    placed: &[Placed],
    disabled: &[([usize; 2], String)],
) -> (Vec<ImportedRule>, BTreeSet<(usize, usize)>) {
    let mut rules = Rules { placed, known: BTreeSet::new(), out: Vec::new() };
    for (k, link) in placed.iter().enumerate() {
        if link.ids.len() > 1 {
            rules.add(k, k, format!("{} {}", robot.word, robot.links[k].name));
        }
    }
    let above: BTreeMap<usize, usize> = robot.joints.iter().enumerate().map(|(k, j)| (j.child, k)).collect();
    let is_grounded = |link: usize| robot.grounded.get(link).copied().unwrap_or_default();
    for joint in robot.joints.iter().filter(|_| !robot.checks_neighbours) {
        if placed[joint.child].ids.is_empty() {
            continue;
        }
        // Links without geometry only divide a joint into several.
        let (mut names, mut parent) = (vec![joint.name.as_str()], joint.parent);
        while placed[parent].ids.is_empty() {
            let Some(next) = above.get(&parent).map(|k| &robot.joints[*k]) else { break };
            names.push(&next.name);
            parent = next.parent;
        }
        if robot.ground == Some(parent) || (is_grounded(parent) && !is_grounded(joint.child)) {
            continue;
        }
        names.retain(|name| !name.is_empty());
        names.reverse();
        let reason = match names.as_slice() {
            [] => format!("{} {} fixed to {}", robot.word, robot.links[joint.child].name, robot.links[parent].name),
            [one] => format!("joint {one}"),
            several => format!("joints {}", several.join(", ")),
        };
        rules.add(parent, joint.child, reason);
    }
    for ([a, b], reason) in disabled {
        rules.add(*a, *b, reason.clone());
    }
    (rules.out, rules.known)
}

struct Rules<'a> {
    placed: &'a [Placed],
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
        self.placed[link].glob()
    }
}
