//! Fixed outcomes for the tests of every format.

use crate::assembly::{Facets, FileLine, Geometry, InstanceIx, Level, PartIx, Rule, RuleAction};
use crate::check::{
    Certainty, ClearedBy, Counts, InstanceOutcome, Measure, Mover, MoverReason, Outcome, PairOutcome, PartOutcome,
    Relation, Settings, Side, Status,
};
use crate::error::{Location, Warning, WarningCode};
use crate::geom::{Aabb, Bounds, LengthUnit, Vec3};

/// Instances in the assembly's order, different from the order of ids; the last name tries to colour the terminal.
pub(crate) const IDS: [&str; 5] =
    ["shaft", "drive/bearing-1", "gehäuse \"links\"", "fan", "x\u{1b}[31mred\nline\u{202e}"];

/// Index of an id in [`IDS`].
fn ix(id: &str) -> InstanceIx {
    InstanceIx(IDS.iter().position(|i| *i == id).expect("a known id") as u32)
}

/// A pair with a status and nothing else.
pub(crate) fn bare_pair(a: InstanceIx, b: InstanceIx, status: Status) -> PairOutcome {
    let alike = u64::from(a.0) << 32 | u64::from(b.0);
    PairOutcome { alike, ..PairOutcome::bare([a, b], status, Geometry::Hull) }
}

fn pair(a: &str, b: &str, status: Status) -> PairOutcome {
    assert!(a < b);
    bare_pair(ix(a), ix(b), status)
}

fn pairs() -> Vec<PairOutcome> {
    let overlap = |depth: f64, direction: Vec3| PairOutcome {
        relation: Some(Relation::Overlap),
        gap: Some(-depth),
        gap_bracket: Some(Bounds { lower: -depth * 1.001, upper: -depth * 0.999 }),
        overlap_depth: Some(depth),
        penetration_depth: Some(depth * 2.0),
        separating_translation: Some(direction * (depth * 2.0)),
        mover: Some(Mover { moves: Side::B, why: MoverReason::Smaller }),
        translation_in_a: Some(direction * (depth * 2.0)),
        translation_facets: Some(0.008),
        closest_points: Some([Vec3::new(1.0, 2.0, 3.25), Vec3::new(1.0, -0.0, 3.0)]),
        deepest_point: Some(Vec3::new(1.0, 1.0, 3.125)),
        normal: Some(direction),
        overlap_volume: Some(31.2),
        overlap_volume_slack: Some(0.4),
        overlap_volume_facets: Some(1.5),
        overlap_box: Some(Aabb { min: Vec3::zeros(), max: Vec3::new(1.0, 1.0, 1.0) }),
        ..bare_pair(InstanceIx(0), InstanceIx(0), Status::Interference)
    };
    let apart = |gap: f64| PairOutcome {
        relation: Some(Relation::Apart),
        gap: Some(gap),
        gap_bracket: Some(Bounds::exact(gap)),
        overlap_depth: Some(0.0),
        closest_points: Some([Vec3::zeros(), Vec3::new(gap, 0.0, 0.0)]),
        normal: Some(Vec3::x()),
        ..bare_pair(InstanceIx(0), InstanceIx(0), Status::Clear)
    };
    let named = |a: &str, b: &str, status, p: PairOutcome| {
        let alike = bare_pair(ix(a), ix(b), status).alike;
        PairOutcome { a: ix(a), b: ix(b), status, alike, ..p }
    };
    vec![
        named("drive/bearing-1", "fan", Status::TooClose, PairOutcome { rule: Some(1), ..apart(1.25) }),
        named(IDS[1], IDS[2], Status::Interference, overlap(0.25, -Vec3::z())),
        named(IDS[1], "shaft", Status::Allowed, PairOutcome { rule: Some(0), ..overlap(0.015, Vec3::x()) }),
        PairOutcome {
            gap_bracket: Some(Bounds { lower: -0.5, upper: 0.5 }),
            certainty: Certainty::NoInside,
            ..pair(IDS[1], IDS[4], Status::Undecided)
        },
        named("fan", IDS[2], Status::TooClose, PairOutcome { rule: Some(1), ..apart(0.5) }),
        named("fan", "shaft", Status::Clear, apart(4.0)),
        pair("fan", IDS[4], Status::Interference),
        named(IDS[2], "shaft", Status::Interference, overlap(9.8, Vec3::new(0.6, 0.8, 0.0))),
        named(
            "shaft",
            IDS[4],
            Status::Contact,
            PairOutcome { within_facet_error: true, facet_allowance: Some(0.02), ..overlap(0.0125, Vec3::y()) },
        ),
    ]
}

fn rule(between: [&str; 2], verb: RuleAction, reason: Option<&str>, index: u32) -> Rule {
    Rule {
        between: between.map(str::to_owned),
        verb,
        severity: Level::Error,
        reason: reason.map(str::to_owned),
        max_gap: None,
        during: None,
        scope: String::new(),
        file: "assembly.json".to_owned(),
        index,
        units: LengthUnit::Mm,
        at: Location::default(),
    }
}

fn part(key: &str, instances: u64) -> PartOutcome {
    PartOutcome {
        key: key.to_owned(),
        mesh: format!("parts/{key}.stl"),
        triangles: 1200,
        closed: key != "hood",
        facet_error: (key != "hood").then_some(0.004),
        instances,
        pieces: None,
        epsilon: None,
        hash: "9b1d6c0e".to_owned(),
    }
}

/// A failing outcome with every status.
pub(crate) fn outcome() -> Outcome {
    let pairs = pairs();
    let mut counts = Counts { clear: 1, ignored: 0, ..Counts::default() };
    for p in &pairs {
        *counts.of_mut(p.status) += 1;
    }
    Outcome {
        fixes: Vec::new(),
        name: "gear\u{1b}box".to_owned(),
        path: "assembly.json".to_owned(),
        files: vec!["assembly.json".to_owned(), "sub/drive one.json".to_owned()],
        units: LengthUnit::Mm,
        strict: false,
        alike_by_group: false,
        settings: Settings {
            tolerance: 0.01,
            geometry: Geometry::Hull,
            facets: Facets::Allow,
            report_within: Some(5.0),
            gap_width: None,
            epsilon: None,
            max_pieces: 64,
            measure: Measure::All,
        },
        possible_pairs: 10,
        counts,
        cleared_by: ClearedBy { aabb: 1, hull: 1, ..ClearedBy::default() },
        pairs,
        parts: vec![part("bearing", 1), part("hood", 4)],
        instances: IDS
            .iter()
            .enumerate()
            .map(|(k, id)| InstanceOutcome {
                unit: None,
                id: (*id).to_owned(),
                part: PartIx(u32::from(k != 1)),
                placement: format!("77ac20f{k}"),
                at: Some(FileLine { file: u32::from(k == 1), line: 10 + k as u32 }),
            })
            .collect(),
        rules: vec![
            rule(["shaft", "drive/bearing-*"], RuleAction::AllowDepth(0.03), Some("H7/p6 press fit"), 0),
            rule(["fan", "*"], RuleAction::MinClearance(2.0), None, 1),
            rule(["*", "cable-*"], RuleAction::Ignore, Some("flexible \u{7} part"), 2),
        ],
        rule_uses: Vec::new(),
        motion: None,
        warnings: vec![
            Warning { part: Some("hood".to_owned()), ..Warning::new(WarningCode::OpenMesh, "3 open edges") },
            Warning {
                at: Some(Location { line: Some(7), column: Some(5), ..Location::file("assembly.json") }),
                ..Warning::new(WarningCode::UnusedRule, "rules[2] matches no pair")
            },
        ],
    }
}

/// An outcome of `n` findings with three statuses in turn; each pair is a group of its own.
pub(crate) fn findings(n: usize) -> Outcome {
    let statuses = [Status::Interference, Status::TooClose, Status::Undecided];
    let mut o = outcome();
    o.instances = (0..2 * n)
        .map(|k| InstanceOutcome {
            unit: None,
            id: format!("part-{k:05}"),
            part: PartIx((k % 2) as u32),
            placement: format!("{k:016x}"),
            at: Some(FileLine { file: 0, line: k as u32 + 1 }),
        })
        .collect();
    o.pairs = (0..n)
        .map(|k| PairOutcome {
            // All depths differ; the deepest lies in the middle.
            overlap_depth: Some(1.0 + (k * 7919 % n) as f64 / n as f64),
            gap: Some(-1.0 - (k * 7919 % n) as f64 / n as f64),
            ..bare_pair(InstanceIx(2 * k as u32), InstanceIx(2 * k as u32 + 1), statuses[k % 3])
        })
        .collect();
    o.counts = Counts::default();
    for p in &o.pairs {
        *o.counts.of_mut(p.status) += 1;
    }
    o.possible_pairs = n as u64;
    o.cleared_by = ClearedBy::default();
    o.warnings.clear();
    o
}

/// Names with a meaning for a terminal, a parser, a page or a spreadsheet.
pub(crate) const HOSTILE: [&str; 12] = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2",
    "a|b`c`<script>alert(1)</script>",
    "]]><!-- & \"quoted\" 'x'",
    "::error file=x,line=1::y%0A",
    "[click](http://evil) {0} \\",
    "@everyone #1 www.evil.com *b* _i_ ~s~",
    "nul\0 esc\u{1b}[31m bell\u{7} \u{fffe}\u{ffff}",
    "two\r\nlines, comma; semicolon",
    "rtl\u{202e} zero\u{200b} \u{2028}",
];

/// An outcome with such names for instances, parts, rules, files and warnings.
pub(crate) fn hostile() -> Outcome {
    let mut o = outcome();
    let id = |k: usize| format!("{k:02}{}", HOSTILE[k]);
    o.name = HOSTILE.concat();
    o.path = HOSTILE[5].to_owned();
    o.files = HOSTILE.iter().map(|n| format!("{n}.json")).collect();
    o.parts.iter_mut().zip(HOSTILE).for_each(|(p, n)| n.clone_into(&mut p.key));
    let names = (0..HOSTILE.len()).map(|k| if k < 4 { HOSTILE[k].to_owned() } else { id(k) });
    o.instances = names
        .enumerate()
        .map(|(k, id)| InstanceOutcome {
            unit: None,
            id,
            part: PartIx((k % 2) as u32),
            placement: format!("{k:016x}"),
            at: Some(FileLine { file: k as u32, line: 1 }),
        })
        .collect();
    o.rules = HOSTILE
        .iter()
        .zip(0..)
        .map(|(n, k)| Rule { file: format!("{n}.json"), ..rule([n, n], RuleAction::AllowDepth(0.5), Some(n), k) })
        .collect();
    let pair = |k: usize| PairOutcome {
        rule: Some(k as u32),
        overlap_depth: Some(2.0),
        gap: Some(-2.0),
        ..bare_pair(InstanceIx(k as u32), InstanceIx((k + 1) as u32 % 12), Status::Interference)
    };
    o.pairs = (0..HOSTILE.len()).map(pair).collect();
    o.pairs[3].status = Status::Allowed;
    o.pairs[4].status = Status::Undecided;
    o.counts = Counts::default();
    for p in &o.pairs {
        *o.counts.of_mut(p.status) += 1;
    }
    o.possible_pairs = 12;
    o.cleared_by = ClearedBy::default();
    o.warnings = HOSTILE
        .iter()
        .map(|n| Warning {
            part: Some((*n).to_owned()),
            at: Some(Location { line: Some(3), ..Location::file(*n) }),
            ..Warning::new(WarningCode::UnusedRule, *n)
        })
        .collect();
    o
}

/// Forty bolts in forty equal holes of a bracket, a plate in interference with five ribs, and two more pairs.
pub(crate) fn grouped() -> Outcome {
    let mut o = outcome();
    let mut ids: Vec<String> = (0..40).flat_map(|k| [format!("bolt-{k}"), format!("hole-{k}")]).collect();
    ids.extend((0..5).map(|k| format!("rib-{k}")));
    ids.push("plate".to_owned());
    o.instances = ids
        .iter()
        .enumerate()
        .map(|(k, id)| InstanceOutcome {
            unit: None,
            id: id.clone(),
            part: PartIx(u32::from(id.starts_with("bolt") || id == "plate")),
            placement: format!("{k:016x}"),
            at: Some(FileLine { file: 0, line: k as u32 + 1 }),
        })
        .collect();
    let at = |id: &str| InstanceIx(ids.iter().position(|i| i == id).expect("known") as u32);
    let fails = |a: &str, b: &str, depth: f64| PairOutcome {
        overlap_depth: Some(depth),
        gap: Some(-depth),
        ..bare_pair(at(a), at(b), Status::Interference)
    };
    let bolt = |k: usize| PairOutcome { alike: 7, ..fails(&format!("bolt-{k}"), &format!("hole-{k}"), 0.5) };
    o.pairs = (0..40).map(bolt).collect();
    o.pairs.extend((0..5).map(|k| fails("plate", &format!("rib-{k}"), 1.0 + f64::from(k))));
    o.pairs.push(fails("bolt-0", "plate", 0.25));
    o.pairs.push(fails("bolt-0", "rib-0", 0.125));
    let id = |i: InstanceIx| ids[i.0 as usize].clone();
    o.pairs.sort_by_key(|p| (id(p.a), id(p.b)));
    o.counts = Counts::default();
    for p in &o.pairs {
        *o.counts.of_mut(p.status) += 1;
    }
    o.possible_pairs = o.pairs.len() as u64;
    o.cleared_by = ClearedBy::default();
    o.warnings.clear();
    o
}
