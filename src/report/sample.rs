//! One fixed outcome that every format is tested with.

use crate::assembly::{Facets, Geometry, InstanceIx, PartIx, Rule, Verb};
use crate::check::{
    Certainty, ClearedBy, Counts, FailOn, InstanceOutcome, Outcome, PairFunnel, PairOutcome, PartOutcome, Relation,
    Settings, StageSeconds, Status, Timings,
};
use crate::error::{Location, Warning};
use crate::geom::{Aabb, LengthUnit, Vec3};

/// Instances in the assembly's order, which is not the order of their ids; the last name tries to paint the terminal.
pub(crate) const IDS: [&str; 5] =
    ["shaft", "drive/bearing-1", "gehäuse \"links\"", "fan", "x\u{1b}[31mred\nline\u{202e}"];

/// Index of an id in [`IDS`].
fn ix(id: &str) -> InstanceIx {
    InstanceIx(IDS.iter().position(|i| *i == id).expect("a known id") as u32)
}

/// A pair of which nothing but the status is known.
pub(crate) fn bare_pair(a: InstanceIx, b: InstanceIx, status: Status) -> PairOutcome {
    PairOutcome {
        a,
        b,
        status,
        relation: None,
        certainty: Certainty::Certified,
        geometry: Geometry::Hull,
        gap: None,
        gap_bracket: None,
        overlap_depth: None,
        penetration_depth: None,
        separating_translation: None,
        closest_points: None,
        normal: None,
        overlap_volume: None,
        overlap_box: None,
        facet_allowance: None,
        within_facet_error: false,
        rule: None,
        inputs: None,
        standing: None,
    }
}

fn pair(a: &str, b: &str, status: Status) -> PairOutcome {
    assert!(a < b);
    bare_pair(ix(a), ix(b), status)
}

fn pairs() -> Vec<PairOutcome> {
    let overlap = |depth: f64, direction: Vec3| PairOutcome {
        relation: Some(Relation::Overlap),
        gap: Some(-depth),
        gap_bracket: Some([-depth * 1.001, -depth * 0.999]),
        overlap_depth: Some(depth),
        penetration_depth: Some(depth * 2.0),
        separating_translation: Some(direction * (depth * 2.0)),
        closest_points: Some([Vec3::new(1.0, 2.0, 3.25), Vec3::new(1.0, -0.0, 3.0)]),
        normal: Some(direction),
        overlap_volume: Some(31.2),
        overlap_box: Some(Aabb { min: Vec3::zeros(), max: Vec3::new(1.0, 1.0, 1.0) }),
        ..bare_pair(InstanceIx(0), InstanceIx(0), Status::Interference)
    };
    let apart = |gap: f64| PairOutcome {
        relation: Some(Relation::Apart),
        gap: Some(gap),
        gap_bracket: Some([gap, gap]),
        overlap_depth: Some(0.0),
        closest_points: Some([Vec3::zeros(), Vec3::new(gap, 0.0, 0.0)]),
        normal: Some(Vec3::x()),
        ..bare_pair(InstanceIx(0), InstanceIx(0), Status::Clear)
    };
    let named = |a: &str, b: &str, status, p: PairOutcome| PairOutcome { a: ix(a), b: ix(b), status, ..p };
    vec![
        named("drive/bearing-1", "fan", Status::Clearance, PairOutcome { rule: Some(1), ..apart(1.25) }),
        named(IDS[1], IDS[2], Status::Interference, overlap(0.25, -Vec3::z())),
        named(IDS[1], "shaft", Status::Allowed, PairOutcome { rule: Some(0), ..overlap(0.015, Vec3::x()) }),
        PairOutcome {
            gap_bracket: Some([-0.5, 0.5]),
            certainty: Certainty::Surface,
            ..pair(IDS[1], IDS[4], Status::Undecided)
        },
        named("fan", IDS[2], Status::Clearance, PairOutcome { rule: Some(1), ..apart(0.5) }),
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

fn rule(between: [&str; 2], verb: Verb, reason: Option<&str>, index: u32) -> Rule {
    Rule {
        between: between.map(str::to_owned),
        verb,
        reason: reason.map(str::to_owned),
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

/// The outcome; a failing one with every status.
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
        units: LengthUnit::Mm,
        settings: Settings {
            tolerance: 0.01,
            geometry: Geometry::Hull,
            facets: Facets::Allow,
            report_within: Some(5.0),
            epsilon: None,
            max_pieces: 64,
            verdict_only: false,
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
                id: (*id).to_owned(),
                part: PartIx(u32::from(k != 1)),
                placement: "77ac20f1".to_owned(),
                unit: None,
            })
            .collect(),
        rules: vec![
            rule(["shaft", "drive/bearing-*"], Verb::AllowDepth(0.03), Some("H7/p6 press fit"), 0),
            rule(["fan", "*"], Verb::MinClearance(2.0), None, 1),
            rule(["*", "cable-*"], Verb::Ignore, Some("flexible \u{7} part"), 2),
        ],
        rule_uses: Vec::new(),
        warnings: vec![
            Warning { part: Some("hood".to_owned()), ..Warning::new("open-mesh", "3 open edges") },
            Warning {
                at: Some(Location { line: Some(7), column: Some(5), ..Location::file("assembly.json") }),
                ..Warning::new("unused-rule", "rules[2] matches no pair")
            },
        ],
        baseline: None,
        fail_on: FailOn::Any,
        timings: Timings {
            threads: 1,
            wall: StageSeconds::default(),
            cpu: StageSeconds::default(),
            pairs: PairFunnel { possible: 10, aabb: 9, obb: 9, hull: 8, confirmed: 8, distinct: 9 },
            cache: None,
        },
        not_kept: None,
    }
}
