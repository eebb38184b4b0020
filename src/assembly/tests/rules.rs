//! Compares the table of rules with the wording of the format, pair by pair.

use crate::assembly::tests::*;
use proptest::prelude::*;

fn assembly(ids: &[(&str, Option<u32>)], rules: &[(&str, &str, &str, RuleAction)]) -> Assembly {
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
            severity: Level::Error,
            between: [(*a).to_owned(), (*b).to_owned()],
            verb: *verb,
            reason: None,
            max_gap: None,
            during: None,
            scope: (*scope).to_owned(),
            file: "t.json".to_owned(),
            index: k as u32,
            units: LengthUnit::Mm,
            at: crate::error::Location::file("t.json"),
        });
    }
    assembly
}

/// Asserts equal answers from ids alone and from the table for every pair, units aside.
fn first_rule_agrees(assembly: &Assembly, table: &RuleTable) {
    let first = FirstMatch::new(&assembly.rules);
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

/// Applies the wording of the format, pair by pair and rule by rule.
fn oracle(assembly: &Assembly, a: usize, b: usize) -> PairRule {
    let (a, b) = (&assembly.instances[a], &assembly.instances[b]);
    if a.unit.is_some() && a.unit == b.unit {
        return PairRule::Ignored { rule: None };
    }
    let first = assembly.rules.iter().position(|r| matches_pair(r, &a.id, &b.id));
    match first {
        Some(r) if assembly.rules[r].verb == RuleAction::Ignore => PairRule::Ignored { rule: Some(r as u32) },
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
fn first_matching_rule_applies_in_either_order() {
    let ids = [("shaft", None), ("drive/bearing-1", None), ("drive/bearing-2", None), ("cable-1", None)];
    let rules = [
        ("", "drive/*", "shaft", RuleAction::AllowDepth(0.03)),
        ("", "*", "cable-*", RuleAction::Ignore),
        ("", "shaft", "*", RuleAction::MinClearance(2.0)),
        ("drive/", "bearing-*", "bearing-*", RuleAction::MinClearance(0.5)),
        ("", "fan", "shaft", RuleAction::MinClearance(9.0)),
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
                prop::sample::select(vec![RuleAction::Ignore, RuleAction::Ignore, RuleAction::AllowDepth(1.0)]),
            ), 0..9),
    ) {
        let ids: Vec<(&str, Option<u32>)> = ids.iter().map(|(id, unit)| (id.as_str(), *unit)).collect();
        agrees(&assembly(&ids, &rules));
    }
}

/// Computes the coverage of each rule pair by pair and run by run, and compares it with `uses`. The rules of one scope
/// are adjacent.
fn uses_agree(assembly: &Assembly) {
    let ids: Vec<&str> = assembly.instances.iter().map(|i| i.id.as_str()).collect();
    let pairs = || ids.iter().enumerate().flat_map(|(k, a)| ids[k + 1..].iter().map(move |b| (*a, *b)));
    let is = |r: usize, (a, b): (&str, &str)| matches_pair(&assembly.rules[r], a, b);
    let named = assembly.motion.runs.iter().map(|run| run.name.as_str());
    let runs: Vec<&str> = named.chain(["as-drawn"]).collect();
    let applies = |r: usize, run: &str| assembly.rules[r].applies_in(run);
    let first =
        |from: usize, run: &str, p: (&str, &str)| (from..assembly.rules.len()).find(|r| applies(*r, run) && is(*r, p));
    let weakens = |r: usize| !matches!(assembly.rules[r].verb, RuleAction::MinClearance(_));
    let uses = RuleTable::new(assembly).uses(assembly);
    assert_eq!(uses.len(), assembly.rules.len());
    for (r, found) in uses.iter().enumerate() {
        let rule = &assembly.rules[r];
        let begin = assembly.rules.iter().position(|q| q.scope == rule.scope).expect("itself");
        let own: Vec<_> = pairs().filter(|p| is(r, *p)).collect();
        assert_eq!(found.pairs, own.len() as u64);
        let mut inside = assembly.instances.iter().filter(|i| i.id.starts_with(&rule.scope)).map(|i| i.unit);
        let unit = inside.next().flatten();
        assert_eq!(found.in_unit, !rule.scope.is_empty() && unit.is_some() && inside.all(|u| u == unit));
        let is_limited = |q: &Rule| q.scope == rule.scope && q.during.is_some();
        let lacks_runs = !rule.scope.is_empty() && assembly.rules.iter().any(is_limited);
        assert_eq!(found.known, !lacks_runs);
        if lacks_runs {
            assert_eq!((found.shadowed, found.guards, found.overruled, found.taken_by.len()), (false, false, false, 0));
            continue;
        }
        let runs: Vec<&str> = runs.iter().copied().filter(|run| applies(r, run)).collect();
        let in_some_run = |is: &dyn Fn(&str) -> bool| runs.iter().any(|run| is(run));
        let decides = |q: usize, p: (&str, &str)| in_some_run(&|run| first(begin, run, p) == Some(q));
        let is_shadowed = !own.is_empty() && !runs.is_empty() && !own.iter().any(|p| decides(r, *p));
        assert_eq!(found.shadowed, is_shadowed, "{rule:?}");
        let taken = |q: usize| own.iter().filter(|p| decides(q, **p)).count() as u64;
        let counts = |q: usize| found.shadowed || (weakens(q) && !weakens(r));
        let takers = (begin..r).filter(|q| counts(*q) && taken(*q) > 0).map(|q| Overlap {
            rule: q as u32,
            pairs: taken(q),
            is_exception: pairs().filter(|p| is(q, *p)).all(|p| is(r, p)),
        });
        if !own.is_empty() {
            assert_eq!(found.taken_by, takers.collect::<Vec<_>>());
        }
        let allows = matches!(rule.verb, RuleAction::AllowDepth(_));
        let guards_in = |run: &str, p| first(0, run, p) == Some(r) && first(r + 1, run, p).is_some();
        let guards = own.iter().any(|p| in_some_run(&|run| guards_in(run, *p)));
        let overruled = own.iter().any(|p| in_some_run(&|run| first(0, run, *p).is_some_and(|q| q < begin)));
        assert_eq!((found.guards, found.overruled), (allows && guards, allows && overruled), "{rule:?}");
    }
}

fn pose_at_home(name: &str) -> NamedRun {
    let at = crate::error::Location::file("t.json");
    NamedRun { name: name.to_owned(), at, kind: crate::motion::RunKind::Pose { set: Vec::new() } }
}

proptest! {
    #[test]
    fn uses_agree_with_pairs_one_by_one(
        ids in prop::collection::btree_map("(s/|s/t/|)[ab]{1,2}", prop::option::of(0..2_u32), 1..12),
        rules in prop::collection::vec(
            (
                prop::sample::select(vec!["", "", "s/"]),
                prop::sample::select(vec!["*", "a*", "*b", "a", "ab", "s/*", "{a,b}*", "t/?", "[!a]*"]),
                prop::sample::select(vec!["*", "a*", "*b*", "b", "ba", "s/t/*", "?"]),
                prop::sample::select(vec![RuleAction::Ignore, RuleAction::AllowDepth(1.0), RuleAction::MinClearance(1.0)]),
            ), 0..7),
        runs in prop::collection::vec(
            prop::sample::select(vec!["", "", "as-drawn", "shut", "as-drawn shut", "open", "*"]), 7),
    ) {
        let ids: Vec<(&str, Option<u32>)> = ids.iter().map(|(id, unit)| (id.as_str(), *unit)).collect();
        let mut rules = rules;
        rules.sort_by_key(|r| r.0);
        let mut assembly = assembly(&ids, &rules);
        uses_agree(&assembly);
        for (rule, runs) in assembly.rules.iter_mut().zip(runs) {
            rule.during = (!runs.is_empty()).then(|| runs.split(' ').map(str::to_owned).collect());
        }
        assembly.motion.runs = ["shut", "open"].map(pose_at_home).into();
        uses_agree(&assembly);
    }
}

#[test]
fn a_hundred_thousand_instances_make_few_classes() {
    let names: Vec<String> = (0..100_000).map(|k| format!("sub-{}/bolt-{}/part-{k}", k % 97, k % 1009)).collect();
    let ids: Vec<(&str, Option<u32>)> =
        names.iter().enumerate().map(|(k, id)| (id.as_str(), (k % 10 == 0).then_some(k as u32 % 300))).collect();
    let globs: Vec<String> = (0..25).flat_map(|k| [format!("*bolt-{k}*/part-*{k}"), format!("sub-{k}/*")]).collect();
    let rules: Vec<(&str, &str, &str, RuleAction)> = (0..50)
        .map(|k| {
            (
                "",
                globs[k].as_str(),
                globs[(k + 7) % 50].as_str(),
                if k % 2 == 0 { RuleAction::Ignore } else { RuleAction::AllowDepth(1.0) },
            )
        })
        .collect();
    let assembly = assembly(&ids, &rules);
    let table = RuleTable::new(&assembly);
    assert!(table.ignored_pairs() > 0);
    // The table visits pairs of classes instead of pairs of instances.
    assert!((50..5000).contains(&table.classes()), "{} classes", table.classes());
}

#[test]
fn thousands_of_named_rules_are_counted_without_pairs() {
    let names: Vec<String> = (0..20_000).map(|k| format!("p{k}")).collect();
    let ids: Vec<(&str, Option<u32>)> = names.iter().map(|id| (id.as_str(), None)).collect();
    let mut rules: Vec<(&str, &str, &str, RuleAction)> =
        (0..10_000).map(|k| ("", ids[2 * k].0, ids[2 * k + 1].0, RuleAction::AllowDepth(1.0))).collect();
    rules.push(("", "*", "*", RuleAction::Ignore));
    let assembly = assembly(&ids, &rules);
    let table = RuleTable::new(&assembly);
    assert_eq!(table.ignored_pairs(), 20_000 * 19_999 / 2 - 10_000);
    let uses = table.uses(&assembly);
    assert!(uses.iter().all(|u| u.known && !u.shadowed), "nothing is too much of this");
    assert_eq!(table.classes(), 20_000);
}

#[test]
fn a_hundred_thousand_instances_are_read() {
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
    let assembly = files.load("/p/a.json").expect("valid");
    assert_eq!(assembly.instances.len(), 100_000);
    let last = &assembly.instances[99_999];
    assert_eq!((last.id.as_str(), last.placement.translation.x), ("part-99999", 99_999.0));
}
