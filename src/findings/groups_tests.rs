//! Tests the grouping of rows.

use crate::assembly::{InstanceIx, PartIx};
use crate::check::{InstanceOutcome, Outcome, PairOutcome, Status};
use crate::findings::Judged;
use crate::findings::groups::*;
use crate::testkit::sample_outcome;

fn groups(outcome: &Outcome) -> Groups {
    Groups::new(&Judged::from(outcome.clone()))
}

fn names(o: &Outcome, g: &Group) -> [String; 2] {
    g.patterns(o, &o.pairs[g.worst as usize])
}

#[test]
fn equal_rows_and_a_culprits_rows_form_groups() {
    let o = sample_outcome::grouped();
    let groups = groups(&o);
    let told: Vec<_> = groups.all.iter().map(|g| (g.kind, g.members.len(), names(&o, g))).collect();
    let text = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    assert_eq!(told, [(Kind::Alike, 40, text("bolt-*", "hole-*")), (Kind::Culprit, 6, text("plate", "*"))]);
    let culprit = &groups.all[1];
    assert_eq!(culprit.culprits.iter().map(|c| o.id(*c)).collect::<Vec<_>>(), ["plate"]);
    assert_eq!(o.pairs[culprit.worst as usize].overlap_depth, Some(5.0));
    let alone: Vec<_> = (0..o.pairs.len()).filter(|k| groups.of(*k).is_none()).map(|k| o.id(o.pairs[k].b)).collect();
    assert_eq!(alone, ["rib-0"]);
    for (k, g) in groups.all.iter().enumerate() {
        assert!(g.members.iter().all(|m| groups.of(*m as usize) == Some(&groups.all[k])));
    }
}

#[test]
fn grouping_ignores_instance_order() {
    let o = sample_outcome::grouped();
    let turned = |mut o: Outcome| {
        let n = o.instances.len() as u32;
        o.instances.reverse();
        o.pairs.iter_mut().for_each(|p| (p.a.0, p.b.0) = (n - 1 - p.a.0, n - 1 - p.b.0));
        o
    };
    let turned = turned(o.clone());
    let (here, there) = (groups(&o), groups(&turned));
    let told = |o: &Outcome, g: &Groups| -> Vec<_> {
        g.all.iter().map(|g| (g.id.clone(), g.members.clone(), g.worst, names(o, g))).collect()
    };
    assert_eq!(told(&o, &here), told(&turned, &there));
}

#[test]
fn group_id_is_stable_and_unique() {
    let o = sample_outcome::grouped();
    let ids = |o: &Outcome| -> Vec<String> { groups(o).all.into_iter().map(|g| g.id).collect() };
    let all = ids(&o);
    assert!(all[0] != all[1] && all.iter().all(|id| id.len() == 12));
    let mut fewer = o.clone();
    fewer.pairs.retain(|p| o.id(p.a) != "bolt-7" && o.id(p.b) != "rib-4");
    assert_eq!(ids(&fewer), all);
    let mut other = o;
    other.pairs.iter_mut().for_each(|p| p.status = Status::TooClose);
    assert!(ids(&other).iter().all(|id| !all.contains(id)));
}

#[test]
fn two_culprit_rows_or_contacts_form_no_group() {
    let mut o = sample_outcome::grouped();
    let plates = |p: &PairOutcome| o.instances[p.a.0 as usize].id == "plate";
    let mut pairs: Vec<_> = o.pairs.iter().filter(|p| plates(p)).take(2).cloned().collect();
    pairs.extend(o.pairs.iter().filter(|p| p.alike == 7).map(|p| PairOutcome { status: Status::Contact, ..p.clone() }));
    o.pairs = pairs;
    assert_eq!(groups(&o).all, []);
}

#[test]
fn equal_rows_are_grouped_by_rule() {
    let mut o = sample_outcome::grouped();
    o.pairs.retain(|p| p.alike == 7);
    o.pairs.iter_mut().zip(0..).for_each(|(p, k)| p.rule = Some(k % 2));
    let sizes = |o: &Outcome| groups(o).all.iter().map(|g| g.members.len()).collect::<Vec<_>>();
    assert_eq!(sizes(&o), [20, 20]);
    o.rules[1] = o.rules[0].clone();
    assert_eq!(sizes(&o), [40]);
}

#[test]
fn worst_culprit_comes_first_and_rest_is_recounted() {
    // Two culprits fail with each other and with many: their common row belongs to the larger one.
    let mut o = sample_outcome::findings(0);
    let ids: Vec<String> = ["a", "b"].into_iter().map(str::to_owned).chain((0..7).map(|k| format!("x{k}"))).collect();
    let proto = sample_outcome::outcome().instances[0].clone();
    let part = |id: &str| PartIx(u32::from(id == "a"));
    o.parts[0].hash = "another mesh".to_owned();
    o.instances = ids.iter().map(|id| InstanceOutcome { id: id.clone(), part: part(id), ..proto.clone() }).collect();
    let row = |a: u32, b: u32| sample_outcome::bare_pair(InstanceIx(a), InstanceIx(b), Status::Interference);
    o.pairs = vec![row(0, 1), row(0, 2), row(0, 3), row(0, 4), row(1, 5), row(1, 6), row(1, 7), row(1, 8)];
    let groups = groups(&o);
    let told: Vec<_> =
        groups.all.iter().map(|g| (g.culprits.iter().map(|c| o.id(*c)).collect::<Vec<_>>(), g.members.len())).collect();
    assert_eq!(told, [(vec!["b"], 5), (vec!["a"], 3)]);
}

/// Boards, each with interference with its own three chips, and two boards with each other.
fn boards() -> Outcome {
    let mut o = sample_outcome::findings(0);
    let ids: Vec<String> = (1..=4).flat_map(|k| [format!("board-{k}"), format!("board-{k}/chip")]).collect();
    let ids: Vec<String> = ids
        .into_iter()
        .flat_map(|id| if id.ends_with("chip") { (1..=3).map(|n| format!("{id}-{n}")).collect() } else { vec![id] })
        .collect();
    let proto = sample_outcome::outcome().instances[0].clone();
    o.parts[0].hash = "board".to_owned();
    o.parts[1].hash = "chip".to_owned();
    let part = |id: &str| PartIx(u32::from(id.contains('/')));
    o.instances = ids.iter().map(|id| InstanceOutcome { id: id.clone(), part: part(id), ..proto.clone() }).collect();
    let row = |a: usize, b: usize, depth: f64| PairOutcome {
        overlap_depth: Some(depth),
        ..sample_outcome::bare_pair(InstanceIx(a as u32), InstanceIx(b as u32), Status::Interference)
    };
    o.pairs = (0..4).flat_map(|k| (1..=3).map(move |n| row(4 * k, 4 * k + n, (4 * k + n) as f64))).collect();
    o
}

#[test]
fn equal_culprits_are_one_group() {
    let o = boards();
    let groups = groups(&o);
    let [board] = &groups.all[..] else { panic!("{groups:?}") };
    let culprits: Vec<_> = board.culprits.iter().map(|c| o.id(*c)).collect();
    assert_eq!((board.kind, board.members.len()), (Kind::Culprit, 12));
    assert_eq!(culprits, ["board-1", "board-2", "board-3", "board-4"]);
    assert_eq!(names(&o, board), ["board-*", "board-*"].map(str::to_owned));
    let entries = groups.entries(&(0..12).collect::<Vec<_>>());
    assert_eq!(super::groups::names(&o, &entries, ""), [["board-* (4)", "board-*"].map(str::to_owned)]);
    assert!(board.members.iter().all(|m| board.culprit_of(&o.pairs[*m as usize]) == Some(o.pairs[*m as usize].a)));
}

#[test]
fn culprits_with_other_parts_or_rules_are_apart() {
    let mut o = boards();
    o.pairs[0].rule = Some(1);
    assert_eq!(groups(&o).all.iter().map(|g| g.culprits.len()).collect::<Vec<_>>(), [1, 3]);
    let mut o = boards();
    o.parts.push(o.parts[0].clone());
    o.parts[2].hash = "other board".to_owned();
    o.instances[4].part = PartIx(2);
    assert_eq!(groups(&o).all.iter().map(|g| g.culprits.len()).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn rows_that_read_alike_are_told_apart() {
    let mut o = boards();
    // Two equal boards fail with another part each.
    for (k, hash) in [(4, "left"), (8, "left"), (0, "right"), (12, "right")] {
        o.parts.push(crate::check::PartOutcome { hash: hash.to_owned(), ..o.parts[1].clone() });
        o.instances[k + 1].part = PartIx(o.parts.len() as u32 - 1);
    }
    let groups = groups(&o);
    let entries = groups.entries(&(0..12).rev().collect::<Vec<_>>());
    let told = super::groups::names(&o, &entries, "board-");
    assert_eq!(
        told,
        [["* (2, as 4)", "* (as 4/chip-3)"].map(str::to_owned), ["* (2, as 3)", "* (as 3/chip-3)"].map(str::to_owned)]
    );
}
