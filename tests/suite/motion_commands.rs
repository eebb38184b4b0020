//! Do `explain --run` and `range` give the closed-form answers of moving cases, with the keys of their schemas?

use crate::generate::cases;
use crate::motion::{assert_close, hinged_box, holds};
use crate::schema::{assert_valid, closed, schema, validator};
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use serde_json::{Value, json};

const DOORS: &str = "sliding-doors/assembly.json";

fn doors() -> String {
    cases().join(DOORS).to_str().expect("UTF-8").to_owned()
}

/// Output of a command as JSON, with its exit code.
fn printed(of: &str, arguments: &[&str]) -> (Value, i32) {
    let ran = interfere(&[arguments, &["--format", "json", "--quiet"]].concat());
    assert!(ran.code != 2, "{ran:?}");
    let value = parsed(&ran.stdout);
    assert_valid(&validator(&closed(&schema(of))), &value, of);
    (value, ran.code)
}

#[test]
fn explain_follows_a_pair_over_a_sweep() {
    let (found, code) = printed("explain", &["explain", &doors(), "stop", "right", "--run", "opening"]);
    let run = &found["run"];
    assert_eq!((code, &run["between"], &run["at"]), (1, &json!(["right"]), &json!({ "left": 20, "right": 20 })));
    // The middle of the slide of 20 mm is 10 mm from both ends.
    assert!((run["displacement"].as_f64().expect("a number") - 10.0).abs() < 1e-6);
    assert_eq!((&run["row"]["status"], &found["pair"]["status"]), (&json!("interference"), &json!("interference")));
    assert_close(&found["pair"]["overlap_depth"], 2.0);
    assert!(holds(&run["row"]["intervals"][0]["from"]["left"], 18.01));
    let text = interfere(&["explain", &doors(), "stop", "right", "--run", "opening"]).stdout;
    for line in ["sweep opening: left 0 to 20, right 0 to 20", "fails  18.01 … 20", "At left 20:", "hulls overlap"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn explain_knows_pairs_at_rest_poses_and_far_pairs() {
    let (posed, code) =
        printed("explain", &["explain", &doors(), "right", "stop", "--run", "open", "--report-within", "1"]);
    assert_eq!((code, &posed["run"]["kind"], &posed["run"]["row"]["intervals"]), (0, &json!("pose"), &Value::Null));
    assert_close(&posed["pair"]["gap"], 0.5);
    let (far, code) = printed("explain", &["explain", &doors(), "left", "stop", "--run", "cycle"]);
    assert_eq!((code, &far["run"]["by_swept_balls"], &far["run"]["row"]["status"]), (0, &json!(true), &json!("clear")));
    let drawn = interfere(&["explain", &doors(), "left", "right", "--run", "as-drawn"]);
    assert_eq!(drawn.stdout, interfere(&["explain", &doors(), "left", "right"]).stdout);
    let unknown = interfere(&["explain", &doors(), "left", "right", "--run", "opning"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("no run has the name `opning`; did you mean `opening`?"), "{}", unknown.stderr);
}

#[test]
fn range_brackets_the_first_failing_value() {
    let (found, code) = printed("range", &["range", &doors()]);
    let left = &found["joints"][0];
    assert_eq!(
        (code, &left["name"], &left["down"]),
        (0, &json!("left"), &json!({ "limit": 0, "free": 0, "stop": null }))
    );
    let stop = &left["up"]["stop"];
    assert_eq!((&stop["a"], &stop["b"], &stop["status"]), (&json!("right"), &json!("stop"), &json!("interference")));
    assert!(holds(&stop["bracket"], 18.01), "{stop}");
    assert_eq!((&left["up"]["free"], &left["line"]), (&stop["bracket"][0], &json!("\"range\": [0, 18.0099]")));
    let text = interfere(&["range", &doors(), "left"]).stdout;
    assert!(text.contains("up  to 18.0099; right and stop interfere from 18.01 on"), "{text}");
}

#[test]
fn range_turns_both_ways_from_home() {
    let scratch = Scratch::new();
    let path = hinged_box(&scratch, |file| {
        file["joints"]["hinge"] = json!({ "type": "revolute", "axis": "-y", "at": [0, 0, 20], "moves": ["lid"], "range_deg": [-30, 95], "home": 5 });
        file["poses"] = json!({});
        file["rules"] = json!([]);
    });
    let (found, _) = printed("range", &["range", path.to_str().expect("UTF-8"), "hinge"]);
    let hinge = &found["joints"][0];
    assert_eq!((&hinge["up"]["stop"], &hinge["up"]["free"]), (&Value::Null, &json!(95)));
    let stop = &hinge["down"]["stop"];
    assert_eq!((&stop["a"], &stop["b"]), (&json!("case"), &json!("lid")));
    // Drawn at 5, the lid sinks into the case as soon as it turns back.
    let free = hinge["down"]["free"].as_f64().expect("a number");
    assert!((4.9..5.0).contains(&free), "{free}");
}

#[test]
fn range_names_the_unit_of_a_slide_in_another_file() {
    let scratch = Scratch::new();
    scratch.write("p.obj", obj(&block([0.0; 3], [10.0; 3])));
    let sub = json!({ "version": 1, "units": "inch", "parts": { "p": { "mesh": "p.obj", "units": "mm" } },
        "instances": [{ "id": "x", "part": "p" }, { "id": "y", "part": "p", "placement": { "translation": [2, 0, 0] } }],
        "joints": { "j": { "type": "prismatic", "axis": "x", "moves": ["x"], "range": [0, 1] } } });
    scratch.write("sub.json", sub.to_string());
    scratch.write("a.json", r#"{ "version": 1, "instances": [{ "id": "m", "assembly": "sub.json" }] }"#);
    let line = |file: &str| {
        let ran = interfere(&["range", scratch.path().join(file).to_str().expect("UTF-8")]);
        ran.stdout.lines().last().expect("a line").to_owned()
    };
    assert_eq!(
        (line("a.json"), line("sub.json")),
        (
            "  \"range\": [0, 25.4], in mm; in a sweep of this file: \"m/j\": [0, 25.4]".into(),
            "  \"range\": [0, 1]".into()
        )
    );
}

#[test]
fn range_refuses_joints_without_a_value_of_their_own() {
    for (joint, message) in [
        ("right", "the joint `right` has no value of its own; name the joint that it follows, `left`"),
        ("lft", "no joint has the name `lft`; did you mean `left`?"),
    ] {
        let ran = interfere(&["range", &doors(), joint]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    let pivot = cases().join("pivot/assembly.json");
    let ran = interfere(&["range", pivot.to_str().expect("UTF-8")]);
    assert!(ran.code == 2 && ran.stderr.contains("no joint with a value of its own"), "{}", ran.stderr);
}

#[test]
fn never_proves_or_shows_each_pair() {
    let (found, code) = printed("never", &["never", &doors()]);
    let pairs: Vec<_> =
        found["pairs"].as_array().expect("pairs").iter().map(|p| (&p["a"], &p["b"], &p["verdict"])).collect();
    let told = json!([["left", "right", "touches"], ["left", "stop", "never"], ["right", "stop", "meets"]]);
    assert_eq!((code, json!(pairs)), (0, told));
    assert_eq!(found["joints"], json!({ "left": [0, 20], "right": [0, 20] }));
    let at = &found["pairs"][2]["at"]["left"];
    assert!(at.as_f64().is_some_and(|q| (18.01..=20.0).contains(&q)), "{at}");
}

/// A slide that leads another one at twice its way. The follower meets the post only beyond its own limits.
fn led(scratch: &Scratch, limit: f64) -> String {
    for (name, at) in [("post", 0.0), ("lead", 50.0), ("follower", 25.0)] {
        let cube = block([at, 0.0, 0.0], [at + 10.0, 10.0, 10.0]);
        std::fs::write(scratch.path().join(format!("{name}.obj")), obj(&cube)).expect("written");
    }
    let slide =
        |part: &str, range: [f64; 2]| json!({ "type": "prismatic", "axis": "x", "moves": [part], "range": range });
    let mut follows = slide("follower", [-limit, 30.0]);
    follows["follows"] = json!({ "joint": "l", "ratio": 2 });
    let id = |name: &str| json!({ "id": name, "part": name });
    let file = json!({
        "version": 1,
        "parts": { "post": "post.obj", "lead": "lead.obj", "follower": "follower.obj" },
        "instances": [id("post"), id("lead"), id("follower")],
        "joints": { "l": slide("lead", [-9.0, 9.0]), "f": follows }
    });
    let path = scratch.path().join("led.json");
    std::fs::write(&path, file.to_string()).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn all_joints_keep_the_limits_of_their_followers() {
    let scratch = Scratch::new();
    // The follower stands 15 mm from the post.
    for (limit, verdict, code) in [(14.0, "never", 0), (16.0, "meets", 1)] {
        let path = led(&scratch, limit);
        let (found, _) = printed("never", &["never", &path]);
        let [low, high] = [0, 1].map(|k| found["joints"]["l"][k].as_f64().expect("a value"));
        assert_eq!([low, high], [-limit / 2.0, 9.0], "{limit}");
        let pair = found["pairs"].as_array().expect("pairs").iter().find(|p| p["a"] == "follower" && p["b"] == "post");
        assert_eq!(pair.expect("a pair")["verdict"], verdict, "{limit}");
        assert_eq!(interfere(&["check", &path, "--sweep-all", "--quiet"]).code, code, "{limit}");
        let (found, _) = printed("range", &["range", &path]);
        let down = found["joints"][0]["down"]["free"].as_f64().expect("a value");
        assert!((down + (limit / 2.0).min(7.5)).abs() < 0.01, "{found}");
    }
}

#[test]
fn never_writes_proved_pairs_alone() {
    let scratch = Scratch::new();
    let srdf = scratch.path().join("never.srdf");
    let ran = interfere(&["never", &doors(), "--srdf", srdf.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("3 pairs: 1 meets, 0 undecided, 1 touches, 1 never, 0 ignored"), "{}", ran.stdout);
    // An output never replaces a file that the run reads.
    let own = hinged_box(&scratch, |_| {});
    let before = std::fs::read(&own).expect("a file");
    for (target, what) in [("assembly.json", "an assembly file"), ("lid.obj", "a mesh of the assembly")] {
        let target = scratch.path().join(target);
        let ran = interfere(&["never", own.to_str().expect("UTF-8"), "--srdf", target.to_str().expect("UTF-8")]);
        assert!(ran.code == 2 && ran.stderr.contains(&format!("--srdf would replace {what}; name")), "{ran:?}");
    }
    assert_eq!(std::fs::read(&own).expect("a file"), before);
    // It replaces its own file.
    let again = interfere(&["never", &doors(), "--srdf", srdf.to_str().expect("UTF-8")]);
    assert_eq!(again.code, 0, "{again:?}");
    let expected = "<?xml version=\"1.0\"?>\n<!-- written by interfere never -->\n<robot name=\"sliding-doors\">\n  \
        <disable_collisions link1=\"left\" link2=\"stop\" reason=\"Never\"/>\n</robot>\n";
    assert_eq!(std::fs::read_to_string(srdf).expect("a file"), expected);
    // The hinge and the slide move lid and post at once, and some combination lets them meet.
    let path = hinged_box(&scratch, |file| {
        file["poses"] = json!({});
        file["rules"] = json!([]);
        file["joints"]["shift"] = json!({ "type": "prismatic", "axis": "x", "moves": ["post"], "range": [-1, 5] });
    });
    let (found, _) = printed("never", &["never", path.to_str().expect("UTF-8")]);
    let pair = found["pairs"].as_array().expect("pairs").iter().find(|p| p["a"] == "lid" && p["b"] == "post");
    assert_eq!(pair.expect("a pair")["verdict"], "meets");
}

#[test]
fn range_of_a_joint_that_fails_as_drawn_is_none() {
    let scratch = Scratch::new();
    scratch.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    let file = json!({
        "version": 1,
        "parts": { "cube": "cube.obj" },
        "instances": [
            { "id": "a", "part": "cube" },
            { "id": "b", "part": "cube", "placement": { "translation": [5, 0, 0] } }
        ],
        "joints": { "x": { "type": "prismatic", "axis": [1, 0, 0], "range": [-2, 2], "moves": ["a"] } }
    });
    let path = scratch.write("assembly.json", file.to_string());
    let path = path.to_str().expect("UTF-8");
    let (found, _) = printed("range", &["range", path, "x"]);
    assert_eq!(found["joints"][0]["line"], Value::Null, "{found}");
    let text = interfere(&["range", path, "x"]).stdout;
    assert!(text.ends_with("  no range: a pair fails as drawn\n"), "{text}");
}
