//! Do facets explain the overlap of round parts over a sweep, as they do in each pose? A pin turns and slides in a
//! bore of its nominal radius.

use crate::motion::{report, row};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj, prism, tube};
use interfere::internals::geom::Vec3;
use interfere::internals::geom::math::sin_cos_deg;
use interfere::internals::mesh::TriMesh;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

const RADIUS: f64 = 5.0;

/// Sagitta of the facets of a bore (mm).
fn sagitta(facets: usize) -> f64 {
    RADIUS * (1.0 - sin_cos_deg(180.0 / facets as f64).1)
}

/// A pin in a bore of its radius, each with some facets; one edge of the pin is higher than the others (mm).
fn pin_in_bore(scratch: &Scratch, facets: usize, higher: f64) -> PathBuf {
    let mut pin: TriMesh = prism(facets, RADIUS, [-15.0, 15.0]);
    for vertex in &mut pin.vertices {
        if vertex.x > RADIUS - 1e-9 {
            vertex.x += higher;
        }
    }
    scratch.write("hub.obj", obj(&tube(facets, 9.0, RADIUS, [-10.0, 10.0])));
    scratch.write("pin.obj", obj(&pin));
    let pitch = 360.0 / facets as f64;
    let file = json!({
        "version": 1,
        "parts": { "hub": "hub.obj", "pin": "pin.obj" },
        "instances": [ { "id": "hub", "part": "hub" }, { "id": "pin", "part": "pin" } ],
        "joints": {
            "turn": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": [], "range_deg": "full" },
            "slide": { "type": "prismatic", "axis": "z", "on": "turn", "moves": ["pin"], "range": [0, 4] }
        },
        "poses": { "half": { "turn": 0.5 * pitch }, "third": { "turn": pitch / 3.0 } },
        "sweeps": {
            "turning": { "joints": { "turn": [0, 1.25 * pitch] } },
            "sliding": { "joints": { "slide": "range" }, "rest": "half" },
            "screwing": { "path": ["half", { "turn": pitch, "slide": 4 }] }
        }
    });
    let path = scratch.path().join("assembly.json");
    scratch.write("assembly.json", file.to_string());
    path
}

#[test]
fn a_pin_turns_in_a_bore_of_its_radius() {
    for facets in [16, 32, 64] {
        let scratch = Scratch::new();
        let path = pin_in_bore(&scratch, facets, 0.0);
        let (found, code) = report(&path, &[]);
        assert_eq!(code, 0, "{facets}: {}", found["motion"]["rows"]);
        let needed = sagitta(facets) > 0.01;
        for run in ["half", "third", "turning", "sliding", "screwing"] {
            let row = row(&found, run, "hub", "pin");
            assert_eq!(row["status"], "contact", "{facets} {run}: {row}");
            let explained = needed && run != "third";
            assert!(!explained || row["worst"]["within_facet_error"] == json!(true), "{facets} {run}: {row}");
        }
        let row = row(&found, "turning", "hub", "pin");
        assert_eq!((&row["proved"], &row["open_count"]), (&json!(1), &json!(0)), "{facets}");
        if needed {
            // Half a pitch away from the drawing, an edge is a sagitta deep in a facet.
            let depth = row["worst"]["overlap_depth"].as_f64().expect("a depth");
            assert!(depth > 0.01 && depth <= sagitta(facets), "{facets}: {row}");
            let low = row["worst"]["gap_bracket"][0].as_f64().expect("a bound");
            assert!(low <= -depth && low >= -(0.011 + 1.5 * sagitta(facets)), "{facets}: {row}");
        }
        let strict = report(&path, &["--facets", "strict", "--run", "turning", "--measure", "none"]);
        let status = if needed { "interference" } else { "contact" };
        assert_eq!(row_status(&strict.0), status, "{facets}");
        assert_eq!(row_status(&report(&path, &["--run", "turning", "--measure", "none"]).0), "contact", "{facets}");
    }
}

#[test]
fn a_flush_pin_turns_once_around() {
    [16, 32].into_iter().for_each(turns_once_around);
}

/// Checks a full turn of a pin in its bore. The end faces of pin and hub lie in the same planes, and each facet explains
/// the overlap in turn.
fn turns_once_around(facets: usize) {
    let scratch = Scratch::new();
    scratch.write("hub.obj", obj(&tube(facets, 9.0, RADIUS, [-10.0, 10.0])));
    scratch.write("pin.obj", obj(&prism(facets, RADIUS, [-10.0, 10.0])));
    let file = json!({
        "version": 1,
        "parts": { "hub": "hub.obj", "pin": "pin.obj" },
        "instances": [ { "id": "hub", "part": "hub" }, { "id": "pin", "part": "pin" } ],
        "joints": { "turn": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["pin"], "range_deg": "full" } },
        "sweeps": { "turning": { "joints": { "turn": "range" } } }
    });
    let path = scratch.path().join("assembly.json");
    scratch.write("assembly.json", file.to_string());
    let (found, code) = report(&path, &["--run", "turning"]);
    let row = row(&found, "turning", "hub", "pin");
    assert_eq!((row["status"].as_str(), code, &row["proved"]), (Some("contact"), 0, &json!(1)), "{row}");
    assert_eq!(row["worst"]["within_facet_error"], json!(true), "{row}");
    let depth = row["worst"]["overlap_depth"].as_f64().expect("a depth");
    assert!(depth > 0.01 && depth <= sagitta(facets), "{row}");
    assert!(row["tests"].as_u64().expect("a number") <= 100_000, "{row}");
}

#[test]
fn an_octagon_in_a_round_bore_is_a_contact_at_every_pose() {
    // A turned pin with one longer edge, and a plain one: a random search once found both `undecided`.
    let [facets, of_bore] = [8, 32];
    let turned = |radius: f64, half: f64, by: f64, aside: f64| {
        let mut pin: TriMesh = prism(facets, radius, [-half, half]);
        let (sin, cos) = sin_cos_deg(by);
        for v in &mut pin.vertices {
            (v.x, v.y) = (cos * v.x - sin * v.y + aside, sin * v.x + cos * v.y);
        }
        pin
    };
    let mut raised = turned(4.97, 12.0, 14.65, 0.003);
    let higher = |v: &mut Vec3| (v.x, v.y) = (v.x * 1.004_42, v.y * 1.004_42);
    raised.vertices.iter_mut().filter(|v| v.x > 4.0 && v.y > 0.0 && v.z > 0.0).for_each(higher);
    for (pin, to) in [(raised, 83.7), (turned(RADIUS, 10.0, 0.0, 0.0), 39.4)] {
        let scratch = Scratch::new();
        scratch.write("hub.obj", obj(&tube(of_bore, 8.0, RADIUS, [-10.0, 10.0])));
        scratch.write("pin.obj", obj(&pin));
        let poses: BTreeMap<String, Value> =
            (0..=20).map(|k| (format!("p{k}"), json!({ "turn": to * f64::from(k) / 20.0 }))).collect();
        let file = json!({
            "version": 1,
            "parts": { "hub": "hub.obj", "pin": "pin.obj" },
            "instances": [ { "id": "hub", "part": "hub" }, { "id": "pin", "part": "pin" } ],
            "joints": { "turn": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["pin"], "range_deg": [0, to] } },
            "poses": poses,
            "sweeps": { "turning": { "joints": { "turn": "range" } } }
        });
        let path = scratch.path().join("assembly.json");
        scratch.write("assembly.json", file.to_string());
        let (found, code) = report(&path, &[]);
        let rows = found["motion"]["rows"].as_array().expect("rows");
        assert!(rows.iter().all(|row| row["status"] == "contact"), "{rows:?}");
        assert_eq!((row_status(&found), code), (&json!("contact"), 0), "{to}");
    }
}

#[test]
fn an_interference_behind_explained_poses_is_found() {
    // Facets explain the pin in its bore. Out of the bore, it ends 0.03 mm deep in a wall of the hub.
    let facets = 16;
    let scratch = Scratch::new();
    let wall = block([-6.0, -6.0, 40.97], [6.0, 6.0, 45.0]);
    scratch.write("hub.obj", obj(&joined(&[tube(facets, 9.0, RADIUS, [-10.0, 10.0]), wall])));
    let mut pin: TriMesh = prism(facets, RADIUS, [-15.0, 15.0]);
    // Half a pitch: an edge of the pin meets the middle of each facet.
    let (sin, cos) = sin_cos_deg(180.0 / facets as f64);
    for v in &mut pin.vertices {
        (v.x, v.y) = (cos * v.x - sin * v.y, sin * v.x + cos * v.y);
    }
    scratch.write("pin.obj", obj(&pin));
    let file = json!({
        "version": 1,
        "parts": { "hub": "hub.obj", "pin": "pin.obj" },
        "instances": [ { "id": "hub", "part": "hub" }, { "id": "pin", "part": "pin" } ],
        "joints": { "slide": { "type": "prismatic", "axis": "z", "moves": ["pin"], "range": [0, 26] } },
        "poses": { "start": { "slide": 1 }, "end": { "slide": 26 } },
        "sweeps": { "turning": { "joints": { "slide": "range" } } }
    });
    let path = scratch.path().join("assembly.json");
    scratch.write("assembly.json", file.to_string());
    for measure in ["none", "depth"] {
        let (found, code) = report(&path, &["--measure", measure]);
        let status = |run: &str| row(&found, run, "hub", "pin")["status"].as_str().map(str::to_owned);
        assert_eq!(["start", "end"].map(status), ["contact", "interference"].map(|s| Some(s.to_owned())), "{measure}");
        assert_eq!((row_status(&found).as_str(), code), (Some("interference"), 1), "{measure}");
    }
}

/// Status of the pair over the turn.
fn row_status(report: &Value) -> &Value {
    &row(report, "turning", "hub", "pin")["status"]
}

#[test]
fn an_edge_beyond_the_allowance_fails_with_its_interval() {
    let facets = 32;
    let scratch = Scratch::new();
    // The edge is 0.02 mm beyond tolerance and allowance.
    let beyond = 0.01 + 1.5 * sagitta(facets) + 0.02 - sagitta(facets);
    for (higher, status) in [(beyond, "interference"), (0.5 * (beyond - 0.02), "contact")] {
        let path = pin_in_bore(&scratch, facets, higher);
        let (found, code) = report(&path, &["--run", "turning", "--measure", "none"]);
        assert_eq!((row_status(&found), code), (&json!(status), u8::from(status == "interference")), "{found}");
        let (found, code) = report(&path, &["--run", "turning"]);
        assert_eq!((row_status(&found), code), (&json!(status), u8::from(status == "interference")), "{found}");
        let row = row(&found, "turning", "hub", "pin");
        let failing = row["intervals"].as_array().expect("intervals");
        assert_eq!(failing.is_empty(), status == "contact", "{row}");
        if let Some(part) = failing.first() {
            // The edge meets the middle of a facet half a pitch from the drawing, and all others after it.
            let [from, to] = [&part["from"]["turn"], &part["to"]["turn"]].map(crate::motion::bracket);
            let half = 180.0 / facets as f64;
            assert!(from[0] <= half && to[1] >= half && from[0] > 0.0, "{part}");
        }
    }
}

#[test]
fn a_verdict_confirms_a_shallow_interference_behind_its_first_pose() {
    // A bar of 100 by 10 mm turns past a wall. Its corners reach 0.001 mm into it, at the middle of their way.
    let scratch = Scratch::new();
    let wall = 100.0_f64.hypot(5.0) - 1e-3;
    scratch.write("bar.obj", obj(&block([0.0, -5.0, -5.0], [100.0, 5.0, 5.0])));
    scratch.write("wall.obj", obj(&block([-300.0, wall, -50.0], [300.0, wall + 20.0, 50.0])));
    let file = json!({
        "version": 1,
        "tolerance": 1e-4,
        "parts": { "bar": "bar.obj", "wall": "wall.obj" },
        "instances": [ { "id": "bar", "part": "bar" }, { "id": "wall", "part": "wall" } ],
        "joints": {
            "turn": { "type": "revolute", "axis": "z", "at": [0, 0, 0], "moves": ["bar"], "range_deg": [0, 2.0_f64.to_degrees()] }
        },
        "sweeps": { "turning": { "joints": { "turn": "range" } } }
    });
    let path = scratch.path().join("assembly.json");
    scratch.write("assembly.json", file.to_string());
    for measure in ["none", "depth"] {
        let (found, code) = report(&path, &["--run", "turning", "--measure", measure]);
        assert_eq!(
            (row(&found, "turning", "bar", "wall")["status"].as_str(), code),
            (Some("interference"), 1),
            "{measure}"
        );
    }
}
