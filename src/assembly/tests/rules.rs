//! The table of rules against the format's words, pair by pair.

use super::*;
use proptest::prelude::*;

fn assembly(ids: &[(&str, Option<u32>)], rules: &[(&str, &str, &str, Verb)]) -> Assembly {
    let mut assembly = Assembly::builder("t", LengthUnit::Mm)
        .part("t", tetrahedron())
        .instance("x", "t", Affine::identity())
        .build()
        .expect("valid");
    let proto = assembly.instances.remove(0);
    for (id, unit) in ids {
        assembly.instances.push(Instance { id: (*id).to_owned(), unit: *unit, ..proto.clone() });
    }
    for (k, (scope, a, b, verb)) in rules.iter().enumerate() {
        assembly.rules.push(Rule {
            between: [(*a).to_owned(), (*b).to_owned()],
            verb: *verb,
            reason: None,
            scope: (*scope).to_owned(),
            file: "t.json".to_owned(),
            index: k as u32,
            at: crate::error::Location::file("t.json"),
        });
    }
    assembly
}

/// Every pair asked by ids alone says what the table says, units aside.
fn first_rule_agrees(assembly: &Assembly, table: &RuleTable) {
    let first = FirstRule::new(&assembly.rules);
    let n = assembly.instances.len();
    for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let by_ids = first.of(&assembly.instances[a].id, &assembly.instances[b].id).map(|r| r as u32);
        match table.of(InstanceIx(a as u32), InstanceIx(b as u32)) {
            PairRule::Ignored { rule: None } => {}
            PairRule::Ignored { rule } => assert_eq!(by_ids, rule),
            PairRule::Rule(rule) => assert_eq!(by_ids, Some(rule)),
            PairRule::None => assert_eq!(by_ids, None),
        }
    }
}

fn tetrahedron() -> crate::mesh::TriMesh {
    crate::mesh::TriMesh {
        vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    }
}

/// What the format says, pair by pair and rule by rule.
fn oracle(assembly: &Assembly, a: usize, b: usize) -> PairRule {
    let (a, b) = (&assembly.instances[a], &assembly.instances[b]);
    if a.unit.is_some() && a.unit == b.unit {
        return PairRule::Ignored { rule: None };
    }
    let first = assembly.rules.iter().position(|r| matches_pair(r, &a.id, &b.id));
    match first {
        Some(r) if assembly.rules[r].verb == Verb::Ignore => PairRule::Ignored { rule: Some(r as u32) },
        Some(r) => PairRule::Rule(r as u32),
        None => PairRule::None,
    }
}

fn matches_pair(rule: &Rule, a: &str, b: &str) -> bool {
    let (Some(a), Some(b)) = (a.strip_prefix(&rule.scope), b.strip_prefix(&rule.scope)) else { return false };
    let is = |glob: &str, id: &str| globset::Glob::new(glob).expect("a glob").compile_matcher().is_match(id);
    let [first, second] = &rule.between;
    (is(first, a) && is(second, b)) || (is(first, b) && is(second, a))
}

fn agrees(assembly: &Assembly) {
    let table = RuleTable::new(assembly);
    let (mut ignored, n) = (0, assembly.instances.len());
    for a in 0..n {
        for b in (0..n).filter(|b| *b != a) {
            let expected = oracle(assembly, a, b);
            for _ in 0..2 {
                assert_eq!(table.of(InstanceIx(a as u32), InstanceIx(b as u32)), expected);
            }
            ignored += u64::from(a < b && matches!(expected, PairRule::Ignored { .. }));
        }
    }
    assert_eq!(table.ignored_pairs(), ignored);
    first_rule_agrees(assembly, &table);
    let matched = |r: &Rule| {
        let ids = || assembly.instances.iter().map(|i| &i.id);
        ids().any(|a| ids().any(|b| a != b && matches_pair(r, a, b)))
    };
    let unmatched: Vec<u32> =
        assembly.rules.iter().enumerate().filter(|(_, r)| !matched(r)).map(|(k, _)| k as u32).collect();
    assert_eq!(table.unmatched_rules(), unmatched);
}

#[test]
fn the_first_matching_rule_holds_in_either_order() {
    let ids = [("shaft", None), ("drive/bearing-1", None), ("drive/bearing-2", None), ("cable-1", None)];
    let rules = [
        ("", "drive/*", "shaft", Verb::AllowDepth(0.03)),
        ("", "*", "cable-*", Verb::Ignore),
        ("", "shaft", "*", Verb::MinClearance(2.0)),
        ("drive/", "bearing-*", "bearing-*", Verb::MinClearance(0.5)),
        ("", "fan", "shaft", Verb::MinClearance(9.0)),
    ];
    let assembly = assembly(&ids, &rules);
    agrees(&assembly);
    let table = RuleTable::new(&assembly);
    assert_eq!(table.of(InstanceIx(0), InstanceIx(1)), PairRule::Rule(0));
    assert_eq!(table.of(InstanceIx(1), InstanceIx(2)), PairRule::Rule(3));
    assert_eq!(table.of(InstanceIx(3), InstanceIx(0)), PairRule::Ignored { rule: Some(1) });
    assert_eq!((table.unmatched_rules(), table.max_clearance()), (vec![4], 9.0));
}

proptest! {
    #[test]
    fn tables_agree_with_pairs_one_by_one(
        ids in prop::collection::btree_map("(s/|s/t/|)[ab]{1,3}", prop::option::of(0..2_u32), 1..14),
        rules in prop::collection::vec(
            (
                prop::sample::select(vec!["", "", "s/", "s/t/"]),
                prop::sample::select(vec!["*", "a*", "*b", "a", "ab", "s/*", "{a,b}*", "t/?", "[!a]*"]),
                prop::sample::select(vec!["*", "a*", "*b*", "b", "ba", "s/t/*", "?"]),
                prop::sample::select(vec![Verb::Ignore, Verb::Ignore, Verb::AllowDepth(1.0)]),
            ), 0..9),
    ) {
        let ids: Vec<(&str, Option<u32>)> = ids.iter().map(|(id, unit)| (id.as_str(), *unit)).collect();
        agrees(&assembly(&ids, &rules));
    }
}

#[test]
fn a_hundred_thousand_instances_take_no_time() {
    let names: Vec<String> = (0..100_000).map(|k| format!("sub-{}/bolt-{}/part-{k}", k % 97, k % 1009)).collect();
    let ids: Vec<(&str, Option<u32>)> =
        names.iter().enumerate().map(|(k, id)| (id.as_str(), (k % 10 == 0).then_some(k as u32 % 300))).collect();
    let globs: Vec<String> = (0..25).flat_map(|k| [format!("*bolt-{k}*/part-*{k}"), format!("sub-{k}/*")]).collect();
    let rules: Vec<(&str, &str, &str, Verb)> = (0..50)
        .map(|k| {
            (
                "",
                globs[k].as_str(),
                globs[(k + 7) % 50].as_str(),
                if k % 2 == 0 { Verb::Ignore } else { Verb::AllowDepth(1.0) },
            )
        })
        .collect();
    let assembly = assembly(&ids, &rules);
    let begun = std::time::Instant::now();
    let table = RuleTable::new(&assembly);
    let built = begun.elapsed();
    assert!(table.ignored_pairs() > 0);
    println!("{} classes, table {built:?}, with count {:?}", table.classes(), begun.elapsed());
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn thousands_of_rules_by_name_and_a_catch_all_are_counted_without_pairs() {
    let names: Vec<String> = (0..20_000).map(|k| format!("p{k}")).collect();
    let ids: Vec<(&str, Option<u32>)> = names.iter().map(|id| (id.as_str(), None)).collect();
    let mut rules: Vec<(&str, &str, &str, Verb)> =
        (0..10_000).map(|k| ("", ids[2 * k].0, ids[2 * k + 1].0, Verb::AllowDepth(1.0))).collect();
    rules.push(("", "*", "*", Verb::Ignore));
    let assembly = assembly(&ids, &rules);
    let begun = std::time::Instant::now();
    let table = RuleTable::new(&assembly);
    assert_eq!(table.ignored_pairs(), 20_000 * 19_999 / 2 - 10_000);
    println!("{} classes, {:?}", table.classes(), begun.elapsed());
    assert!(begun.elapsed().as_secs() < 10);
}

#[test]
fn a_hundred_thousand_instances_are_read_quickly() {
    let list: Vec<String> = (0..100_000)
        .map(|k| {
            format!(
                r#"{{ "id": "part-{k}", "part": "b", "placement": {{ "translation": [{k}, 0.25, -1e3], "rotation": {{ "rpy_deg": [0, 0, {k}] }} }} }}"#
            )
        })
        .collect();
    let text =
        format!(r#"{{ "version": 1, "parts": {{ "b": {{ "mesh": "b.stl" }} }}, "instances": [{}] }}"#, list.join(", "));
    let files = tree(&[("/p/a.json", text), ("/p/b.stl", String::new())]);
    let begun = std::time::Instant::now();
    assert_eq!(files.load("/p/a.json").expect("valid").instances.len(), 100_000);
    println!("read in {:?}", begun.elapsed());
    assert!(begun.elapsed().as_secs() < 20);
}
