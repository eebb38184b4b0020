//! Is a growing overlap found if its depth stays the same? A pin driven through a block is never deeper than its own
//! thickness; the common volume shows the growth.

use crate::baseline::{FILE, accept, baseline, check, run, standing};
use crate::support::report::{number, row};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj, prism, tube};
use interfere::internals::mesh::TriMesh;
use serde_json::Value;

/// Placement and unit of the written assembly.
#[derive(Clone, Copy)]
pub struct As {
    unit: &'static str,
    /// Length of one unit (mm).
    mm: f64,
    turn: &'static str,
}

pub const PLAIN: As = As { unit: "mm", mm: 1.0, turn: r#""axis": [0, 0, 1], "angle_deg": 0"# };

/// Writes two parts, the second moved up by `z` mm, and the whole assembly turned.
fn write(scratch: &Scratch, [a, b]: [&TriMesh; 2], z: f64, how: As) {
    scratch.write("block.obj", obj(a));
    scratch.write("pin.obj", obj(b));
    let part = |id: &str| format!(r#""{id}": {{ "mesh": "{id}.obj", "units": "mm" }}"#);
    let inner = format!(
        r#"{{ "version": 1, "units": "{}", "parts": {{ {}, {} }}, "instances": [ {{ "id": "block", "part": "block" }},
    {{ "id": "pin", "part": "pin", "placement": {{ "translation": [0, 0, {}] }} }} ] }}"#,
        how.unit,
        part("block"),
        part("pin"),
        z / how.mm
    );
    scratch.write("inner.json", inner);
    let text = format!(
        r#"{{ "version": 1, "units": "{}", "instances": [
    {{ "id": "all", "assembly": "inner.json", "placement": {{ "rotation": {{ {} }} }} }} ] }}"#,
        how.unit, how.turn
    );
    scratch.write("assembly.json", text);
}

/// Writes a pin of 2 mm, `depth` (mm) deep in a block of 10 mm. The block has a hole elsewhere and round sides of few
/// facets.
pub fn driven(scratch: &Scratch, depth: f64, how: As) {
    let block = tube(48, 40.0, 10.0, [0.0, 10.0]);
    let mut pin = prism(48, 1.0, [0.0, 20.0]);
    pin.vertices.iter_mut().for_each(|v| v.x += 25.0);
    write(scratch, [&block, &pin], 10.0 - depth, how);
}

fn depth_and_volume(report: &Value) -> [f64; 2] {
    let row = row(report, "all/block", "all/pin").expect("a row");
    ["overlap_depth", "overlap_volume"].map(|key| number(&row[key]).expect("a number"))
}

#[test]
fn driven_pin_is_worse_by_volume() {
    let scratch = Scratch::new();
    driven(&scratch, 2.5, PLAIN);
    let [depth, volume] = depth_and_volume(&check(&scratch, &[]).1);
    accept(&scratch, &[]);
    let entry = &baseline(&scratch)["accepted"][0];
    assert_eq!([&entry["depth"], &entry["volume"]].map(number), [Some(depth), Some(volume)]);
    for through in [5.0, 10.0] {
        driven(&scratch, through, PLAIN);
        let (code, report) = check(&scratch, &[]);
        assert_eq!((code, standing(&report, "all/block", "all/pin")), (1, "worse"));
        let [now, shared] = depth_and_volume(&report);
        assert!((now - depth).abs() < 0.01 && (shared - volume * through / 2.5).abs() < 1e-6, "{now} {shared}");
        let accepted = &row(&report, "all/block", "all/pin").expect("a row")["accepted"];
        assert_eq!(accepted["worse_in"], serde_json::json!(["overlap_volume", "penetration_depth"]));
        assert_eq!(number(&accepted["overlap_volume"]), Some(volume));
    }
    let table = run(&scratch, &["check", "assembly.json"]).stdout;
    assert!(table.contains("volume 31.33 mm³, 7.832 mm³ accepted;") && table.contains("worse  "), "{table}");
    for format in ["sarif", "github", "junit"] {
        let said = run(&scratch, &["check", "assembly.json", "--format", format]).stdout;
        assert!(said.contains("; the common volume is 31.33 mm³, accepted: 7.832 mm³"), "{said}");
    }
    // Pulled back, the pin is accepted again.
    driven(&scratch, 2.5, PLAIN);
    assert_eq!(check(&scratch, &[]).0, 0);
}

#[test]
fn turned_or_converted_overlap_stays_accepted() {
    let scratch = Scratch::new();
    driven(&scratch, 2.5, PLAIN);
    accept(&scratch, &["--tolerance", "0.001"]);
    let turns = [r#""axis": [0, 0, 1], "angle_deg": 90"#, r#""axis": [1, 2, 3], "angle_deg": 77.7"#];
    let turned = turns.map(|turn| As { turn, ..PLAIN });
    let units = [("inch", 25.4), ("m", 1000.0)].map(|(unit, mm)| As { unit, mm, ..PLAIN });
    let ways: Vec<(As, f64)> = turned.into_iter().chain(units).map(|how| (how, 2.5)).collect();
    for (how, depth) in ways.into_iter().chain([(PLAIN, 2.501), (PLAIN, 2.499)]) {
        driven(&scratch, depth, how);
        for threads in ["1", "3"] {
            let tolerance = format!("{}", 0.001 / how.mm);
            let (code, report) = check(&scratch, &["--threads", threads, "--tolerance", &tolerance]);
            assert_eq!((code, standing(&report, "all/block", "all/pin")), (0, "accepted"), "{} {}", how.unit, how.turn);
        }
    }
    let as_inch = As { unit: "inch", mm: 25.4, ..PLAIN };
    driven(&scratch, 10.0, as_inch);
    assert_eq!(check(&scratch, &[]).0, 1);
}

#[test]
fn finer_facets_are_not_growth() {
    // A film of 0.01 mm around a shaft, and a key 3 mm deep: the film decides the change of the volume with the facets,
    // the key decides the depth.
    let hub = tube(64, 30.0, 5.0, [0.0, 20.0]);
    let key = block([7.0, -1.5, 5.0], [10.0, 1.5, 8.0]);
    let shaft = |sides| joined(&[prism(sides, 5.01, [-5.0, 25.0]), key.clone()]);
    let scratch = Scratch::new();
    write(&scratch, [&hub, &shaft(64)], 0.0, PLAIN);
    accept(&scratch, &[]);
    let before = depth_and_volume(&check(&scratch, &[]).1);
    for sides in [96, 128] {
        write(&scratch, [&hub, &shaft(sides)], 0.0, PLAIN);
        let (code, report) = check(&scratch, &[]);
        let now = depth_and_volume(&report);
        assert!(now[1] > 1.02 * before[1], "more than a hundredth, which is more than the tolerance is of the depth");
        assert_eq!((code, standing(&report, "all/block", "all/pin")), (0, "accepted"), "{before:?} {now:?}");
    }
    // A larger key is no facet error.
    let other = block([7.0, -5.0, 2.0], [10.0, 5.0, 17.0]);
    write(&scratch, [&hub, &joined(&[shaft(64), other])], 0.0, PLAIN);
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "all/block", "all/pin")), (1, "worse"));
}

#[test]
fn without_volumes_the_depth_decides() {
    let scratch = Scratch::new();
    driven(&scratch, 2.5, PLAIN);
    accept(&scratch, &[]);
    let whole = std::fs::read_to_string(scratch.path().join(FILE)).expect("a baseline");
    let (head, tail) = whole.split_once(", \"volume\"").expect("a volume");
    let without = format!("{head}{}", &tail[tail.find(", \"limit\"").expect("a limit")..]);
    scratch.write(FILE, &without);
    driven(&scratch, 10.0, PLAIN);
    let (code, report) = check(&scratch, &[]);
    assert_eq!((code, standing(&report, "all/block", "all/pin")), (0, "accepted"));
    assert_eq!(row(&report, "all/block", "all/pin").expect("a row")["accepted"]["overlap_volume"], Value::Null);
    // Accepting again adds the missing volume.
    accept(&scratch, &[]);
    assert!(number(&baseline(&scratch)["accepted"][0]["volume"]).is_some_and(|v| v > 30.0));
    // An entry needs both keys or neither.
    let (head, tail) = whole.split_once(", \"volume_slack\"").expect("a slack");
    scratch.write(FILE, format!("{head}{}", &tail[tail.find(", \"limit\"").expect("a limit")..]));
    let ran = run(&scratch, &["check", "assembly.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`volume` without `volume_slack`"), "{ran:?}");
}

#[test]
fn diff_judges_like_the_baseline() {
    let scratch = Scratch::new();
    for (name, depth) in [("old.json", 2.5), ("new.json", 10.0)] {
        driven(&scratch, depth, PLAIN);
        run(&scratch, &["check", "assembly.json", "--format", "json", "-o", name]);
    }
    let ran = run(&scratch, &["diff", "old.json", "new.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains(" deep, common volume 7.832 mm³") && ran.stdout.contains(" deep, common volume 31.33 mm³"),
        "{ran:?}"
    );
    let ran = run(&scratch, &["diff", "new.json", "old.json", "--format", "json"]);
    let json = crate::support::report::parsed(&ran.stdout);
    assert_eq!((ran.code, &json["pairs"][0]["change"]), (0, &"better".into()));
    assert_eq!(json["pairs"][0]["measures"], serde_json::json!(["overlap_volume", "penetration_depth"]));
}
