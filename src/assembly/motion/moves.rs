//! Finds the joint that moves each instance.
//!
//! If joints of two files name an instance, that of the inner file moves it, and stands on that of the outer one: a
//! sub-assembly brings its joints along.

use crate::assembly::file::tree::File;
use crate::assembly::motion::joints::{JointTree, raw_joint};
use crate::assembly::motion::scope::{Report, Scope};
use crate::assembly::rules::glob::Glob;
use crate::error::Location;
use crate::json::wording::{nearest, quoted};
use crate::motion::JointIx;
use std::collections::{BTreeMap, BTreeSet};

/// A glob of a joint that matches an instance.
struct Claim<'f> {
    joint: JointIx,
    /// Index of the use of the joint's file.
    used: usize,
    at: &'f Location,
}

/// Returns the joint that moves each instance, and lets the joints of sub-assemblies stand on those that carry them.
pub(crate) fn instances(
    files: &[File],
    scope: &Scope,
    tree: &mut JointTree,
    clean: bool,
    report: &mut Report,
) -> Vec<Option<JointIx>> {
    if tree.joints.is_empty() {
        return vec![None; scope.ids.len()];
    }
    let claims = claims(files, scope, tree, clean, report);
    for (of_one, id) in claims.iter().zip(&scope.ids) {
        for pair in of_one.windows(2).filter(|pair| pair[0].used == pair[1].used && pair[0].joint != pair[1].joint) {
            refuse(scope, tree, id, [&pair[0], &pair[1]], report);
        }
    }
    carry(files, tree, &claims, report);
    claims.iter().map(|of_one| of_one.last().map(|claim| claim.joint)).collect()
}

/// Finds the joints that match each instance, those of outer files first.
fn claims<'f>(
    files: &'f [File],
    scope: &Scope,
    tree: &JointTree,
    clean: bool,
    report: &mut Report,
) -> Vec<Vec<Claim<'f>>> {
    let mut sorted: Vec<(&str, usize)> = scope.ids.iter().map(String::as_str).zip(0..).collect();
    sorted.sort_unstable();
    let mut claims: Vec<Vec<Claim<'f>>> = scope.ids.iter().map(|_| Vec::new()).collect();
    for (joint, placed) in (0..).map(JointIx).zip(&tree.joints) {
        let place = &scope.uses[placed.used];
        let from = sorted.partition_point(|(id, _)| *id < place.prefix.as_str());
        let inside = sorted[from..].iter().take_while(|(id, _)| id.starts_with(&place.prefix));
        let inside: Vec<(&str, usize)> = inside.map(|(id, k)| (&id[place.prefix.len()..], *k)).collect();
        for glob in &raw_joint(files, place.file, placed.index).raw.moves {
            let Ok(compiled) = Glob::new(&glob.value) else { continue };
            let mut any = false;
            for (_, k) in inside.iter().filter(|(id, _)| compiled.matches(id)) {
                any = true;
                if claims[*k].last().is_none_or(|last| last.joint != joint) {
                    claims[*k].push(Claim { joint, used: placed.used, at: &glob.at });
                }
            }
            // Instances with a problem of their own are missing here.
            if !any && clean {
                let inner = |id: &&String| id.strip_prefix(&place.prefix).is_some_and(|id| compiled.matches(id));
                let fix = match scope.sub_assemblies.iter().find(inner) {
                    Some(_) => format!("{0} is a sub-assembly: write `{0}/*`", glob.value),
                    None => nearest(&glob.value, inside.iter().map(|(id, _)| *id)).map_or_else(
                        || "give globs over instance ids; [] for a joint without a part".to_owned(),
                        |near| format!("did you mean {}?", quoted(near)),
                    ),
                };
                report.add(place.file, &glob.at, format!("{} matches no instance", quoted(&glob.value)), fix);
            }
        }
    }
    claims
}

/// Reports an instance that two joints of one file move.
fn refuse(scope: &Scope, tree: &JointTree, id: &str, [first, second]: [&Claim<'_>; 2], report: &mut Report) {
    let [a, b] = [first, second].map(|c| quoted(tree.name(c.joint)));
    let fix = "remove it from one of them; a joint that stands `on` another one is carried along";
    report.add(scope.uses[second.used].file, second.at, format!("two joints move {}: {a} and {b}", quoted(id)), fix);
}

/// Lets each tree of joints of a file stand on the joint of an outer file that moves all of its instances.
fn carry(files: &[File], tree: &mut JointTree, claims: &[Vec<Claim<'_>>], report: &mut Report) {
    // Roots by following `on` inside the same use; a cycle ends after as many steps as joints.
    let root_of = |joint: JointIx| {
        let used = tree.joints[joint.0 as usize].used;
        let mut root = joint;
        for _ in 0..tree.joints.len() {
            match tree.joints[root.0 as usize].joint.on {
                Some(on) if tree.joints[on.0 as usize].used == used => root = on,
                _ => break,
            }
        }
        root
    };
    let mut carriers: BTreeMap<JointIx, BTreeSet<Option<JointIx>>> = BTreeMap::new();
    for of_one in claims {
        for (k, claim) in of_one.iter().enumerate() {
            let outer = of_one[..k].iter().rev().find(|c| c.used != claim.used).map(|c| c.joint);
            carriers.entry(root_of(claim.joint)).or_default().insert(outer);
        }
    }
    for (root, by) in carriers {
        let mut by = by.into_iter();
        match (by.next().flatten(), by.next()) {
            (carrier, None) => {
                let on = &mut tree.joints[root.0 as usize].joint.on;
                *on = on.or(carrier);
            }
            (first, second) => {
                let Some(outer) = first.or(second.flatten()) else { continue };
                let placed = &tree.joints[outer.0 as usize];
                let file = tree.file_of[placed.used];
                let moves = &raw_joint(files, file, placed.index).raw.moves;
                let what = format!(
                    "{} moves some of the instances that {} moves, or that stand on it",
                    quoted(&placed.name),
                    quoted(tree.name(root))
                );
                let at = moves.first().map_or(&placed.at, |glob| &glob.at);
                report.add(file, at, what, "move the whole sub-assembly, or none of it");
            }
        }
    }
}
