//! Do the boxes over a sweep keep every pair that comes close? Random machines: each pair that fails or touches in a
//! pose of the sweep has a row of the sweep.

use crate::motion::report;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use interfere::testkit::rng::Rng;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Number of poses of each sweep.
const POSES: usize = 12;

/// Bars on a random chain of joints, and others at rest, with a sweep and some poses of it.
fn machine(scratch: &Scratch, rng: &mut Rng, instances: usize) -> PathBuf {
    scratch.write("bar.obj", obj(&block([-6.0, -1.0, -1.0], [6.0, 1.0, 1.0])));
    let vector = |rng: &mut Rng, size: f64| json!([0, 1, 2].map(|_| rng.signed() * size));
    let placed: Vec<Value> = (0..instances)
        .map(|k| {
            let rotation = json!({ "axis": vector(rng, 1.0), "angle_deg": rng.signed() * 180.0 });
            let placement = json!({ "rotation": rotation, "translation": vector(rng, 16.0) });
            json!({ "id": format!("bar-{k:02}"), "part": "bar", "placement": placement })
        })
        .collect();
    let mut joints = Map::new();
    let mut names: Vec<String> = Vec::new();
    for k in 0..4 {
        let moves = [format!("bar-{:02}", 2 * k), format!("bar-{:02}", 2 * k + 1)];
        let mut joint = match rng.below(3) {
            0 => json!({ "type": "prismatic", "range": [-20, 20] }),
            1 => json!({ "type": "screw", "at": vector(rng, 20.0), "lead": 9, "range_deg": [-200, 200] }),
            _ => json!({ "type": "revolute", "at": vector(rng, 20.0), "range_deg": [-120, 120] }),
        };
        joint["axis"] = vector(rng, 1.0);
        joint["moves"] = json!(moves);
        if rng.below(2) == 0 && !names.is_empty() {
            joint["on"] = json!(names[rng.below(names.len())]);
        }
        names.push(format!("joint-{k}"));
        joints.insert(format!("joint-{k}"), joint);
    }
    let ends = names.iter().map(|name| (name.clone(), rng.signed() * 20.0, rng.signed() * 20.0)).collect::<Vec<_>>();
    let at = |share: f64| -> Value {
        let value = |(name, from, to): &(String, f64, f64)| (name.clone(), json!(from + (to - from) * share));
        Value::Object(ends.iter().map(value).collect())
    };
    let poses = (0..POSES).map(|k| (format!("pose-{k}"), at(k as f64 / (POSES - 1) as f64)));
    let poses: Map<String, Value> = poses.collect();
    let file = json!({
        "version": 1, "parts": { "bar": "bar.obj" }, "instances": placed, "joints": joints,
        "poses": poses, "sweeps": { "travel": { "path": [at(0.0), at(1.0)] } }
    });
    scratch.write("assembly.json", file.to_string());
    scratch.path().join("assembly.json")
}

/// Pairs of a run with a row that is not clear.
fn close(report: &Value, run: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let rows = report["motion"]["rows"].as_array().expect("rows").iter();
    let of_run = rows.filter(|r| run(r["run"].as_str().expect("a name")) && r["status"] != "clear");
    of_run.map(|r| format!("{} {}", r["a"], r["b"])).collect()
}

#[test]
fn a_sweep_has_each_pair_that_is_close_in_one_of_its_poses() {
    let mut rng = Rng::new(31);
    let (mut seen, mut by_boxes) = (0, 0);
    for _ in 0..4 {
        let scratch = Scratch::new();
        let path = machine(&scratch, &mut rng, 16);
        let (found, _) = report(&path, &["--measure", "none"]);
        let in_sweep = close(&found, |run| run == "travel");
        let in_poses = close(&found, |run| run.starts_with("pose-"));
        let lost: Vec<&String> = in_poses.difference(&in_sweep).collect();
        assert!(lost.is_empty(), "{lost:?}");
        seen += in_poses.len();
        let runs = found["motion"]["runs"].as_array().expect("runs");
        let travel = runs.iter().find(|run| run["name"] == "travel").expect("a sweep");
        by_boxes += travel["cleared_by"]["aabb"].as_u64().expect("a number");
        let total: u64 = travel["counts"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(total), travel["pairs"].as_u64(), "{travel}");
    }
    assert!(seen > 10 && by_boxes > 50, "{seen} {by_boxes}");
}
