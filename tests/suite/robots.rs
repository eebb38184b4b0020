//! Do imported robots stand where the programs of their languages say?

use crate::support::command::interfere;
use crate::support::scratch::Scratch;
use crate::support::skipped;
use interfere::internals::assembly::MeshSource;
use interfere::internals::geom::Vec3;
use interfere::internals::motion::{JointIx, JointKind};
use interfere::testkit::rng::Rng;
use interfere::{Assembly, LoadOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest distance of a facet in these imports (mm).
const DEFLECTION: f64 = 0.005;

/// Largest difference that counts as rounding of coordinates in single precision (mm).
const ROUNDING: f64 = 1e-3;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/imports")
}

fn imported(scratch: &Scratch, file: &Path, arguments: &[&str]) -> Assembly {
    let out = scratch.path().join("out");
    let mut all: Vec<String> = vec!["import".into(), file.display().to_string(), "-o".into()];
    all.extend([out.display().to_string(), format!("--deflection={DEFLECTION}")]);
    all.extend(arguments.iter().map(|a| (*a).to_owned()));
    let ran = interfere(&all);
    assert_eq!(ran.code, 0, "{ran:?}");
    interfere::load(out.join("assembly.json"), &LoadOptions::default()).expect("an assembly")
}

fn numbers(value: &Value) -> Option<[f64; 3]> {
    serde_json::from_value(value.clone()).ok()
}

/// Compares the placed box of each instance with the recorded one, and the centres of primitives.
fn against_truth(assembly: &Assembly, truth: &Path) -> usize {
    let text = std::fs::read_to_string(truth).expect("a truth");
    let truth: Vec<(String, Value, Value, Value)> = serde_json::from_str(&text).expect("a list");
    assert_eq!(truth.len(), assembly.instances.len());
    for (instance, (body, centre, low, high)) in assembly.instances.iter().zip(&truth) {
        assert!(body.is_empty() || instance.id.starts_with(body.as_str()), "{} {body}", instance.id);
        let part = &assembly.parts[instance.part.0 as usize];
        let MeshSource::File { path, .. } = &part.source else { panic!("a mesh file") };
        let mesh = interfere::internals::mesh::load(&std::fs::read(path).expect("a mesh")).expect("a mesh").mesh;
        let placement = &instance.placement;
        if let Some(centre) = numbers(centre) {
            let far = (placement.translation - Vec3::from(centre) * 1000.0).norm();
            assert!(far <= 1e-9, "{}: {far} mm", instance.id);
        }
        let allowed = ROUNDING + if centre.is_null() { 0.0 } else { DEFLECTION };
        for axis in 0..3 {
            let places = mesh.vertices.iter().map(|v| {
                let v = v * part.units.mm();
                (placement.linear * v + placement.translation)[axis]
            });
            let (least, greatest) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, g), x| (l.min(x), g.max(x)));
            let (low, high) = (numbers(low).expect("a corner"), numbers(high).expect("a corner"));
            let far = (least - 1000.0 * low[axis]).abs().max((greatest - 1000.0 * high[axis]).abs());
            assert!(far <= allowed, "{} along {axis}: {far} mm", instance.id);
        }
    }
    truth.len()
}

/// The truth comes from `MuJoCo` 4.0.0: `python/measure/against_mujoco.py --truth`.
#[test]
fn bodies_stand_where_mujoco_places_them() {
    let scratch = Scratch::new();
    let mut compared = 0;
    for model in ["arm", "fixed_axes", "copies"] {
        let assembly = imported(&scratch, &fixtures().join(format!("mjcf/{model}.xml")), &[]);
        compared += against_truth(&assembly, &fixtures().join(format!("mjcf/{model}.truth.json")));
    }
    assert_eq!(compared, 88);
}

/// The truth comes from a forward kinematics of its own: `python/measure/against_sdf.py --truth`.
#[test]
fn links_stand_where_the_frames_of_sdf_place_them() {
    let scratch = Scratch::new();
    let assembly = imported(&scratch, &fixtures().join("sdf/cell.sdf"), &[]);
    assert_eq!(against_truth(&assembly, &fixtures().join("sdf/cell.truth.json")), 10);
}

/// Moves all joints of an imported robot to random values, and compares the places of its links with those of an import
/// at the same values. Returns the numbers of moved instances, of screws and of followers.
fn move_joints(file: &Path, rng: &mut Rng) -> [usize; 3] {
    let scratch = Scratch::new();
    let drawn = imported(&scratch, file, &["--allow-outside"]);
    let motion = &drawn.motion;
    let [mut moved, mut screws, mut followers] = [0; 3];
    let (mut set, mut arguments) = (Vec::new(), vec!["--allow-outside".to_owned()]);
    for (k, joint) in motion.mechanism.joints().iter().enumerate() {
        let kind = joint.joint.kind;
        screws += usize::from(kind != JointKind::Prismatic && kind != JointKind::Revolute);
        if joint.follows.is_some() {
            followers += 1;
            continue;
        }
        let [low, high] = joint.range.unwrap_or([-180.0, 180.0]);
        let value = rng.range(low, high);
        set.push((JointIx(k as u32), value));
        let si = if kind == JointKind::Prismatic { value / 1000.0 } else { value.to_radians() };
        arguments.push(format!("--joint={}={si:e}", motion.joints[k].name.replace("__", "::")));
    }
    let motions = motion.mechanism.motions(&motion.mechanism.values(&set));
    let posed = imported(&scratch, file, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(drawn.instances.len(), posed.instances.len());
    for (drawn, posed) in drawn.instances.iter().zip(&posed.instances) {
        let Some(joint) = drawn.joint else {
            assert_eq!(drawn.placement, posed.placement, "{}", drawn.id);
            continue;
        };
        moved += 1;
        let by = motions[joint.0 as usize];
        let linear = by.rotation * drawn.placement.linear - posed.placement.linear;
        let translation = by.point(&drawn.placement.translation) - posed.placement.translation;
        assert!(linear.norm() < 1e-9 && translation.norm() < 1e-6, "{}: {linear} {translation}", drawn.id);
    }
    [moved, screws, followers]
}

#[test]
fn joints_of_models_move_their_links() {
    let mut rng = Rng::new(11);
    let files = ["mjcf/arm.xml", "mjcf/fixed_axes.xml", "mjcf/copies.xml", "sdf/cell.sdf"];
    let counts = files.map(|file| move_joints(&fixtures().join(file), &mut rng));
    assert_eq!(counts, [[6, 0, 1], [3, 0, 0], [63, 0, 18], [7, 1, 1]]);
}

#[test]
fn joints_of_real_robots_move_their_links() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/inputs/urdf");
    if !shared.is_dir() {
        return skipped("no ../shared/inputs/urdf");
    }
    let mut rng = Rng::new(7);
    let files = [
        "bolt_description/robots/bolt.urdf",
        "ur_description/urdf/ur5_robot.urdf",
        "finger_edu_description/robots/finger_edu.urdf",
        "double_pendulum_description/urdf/double_pendulum.urdf",
    ];
    let moved: usize = files.iter().map(|file| move_joints(&shared.join(file), &mut rng)[0]).sum();
    assert!(moved > 15, "{moved} links move");
}

/// `check` also checks every pose of the SRDF. Pairs that it calls `Never` stay in the check. The sweeps of the six
/// joints take a while: the test leaves them out.
#[test]
fn robots_with_an_srdf_have_no_findings_in_any_pose() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/inputs/urdf");
    if !shared.is_dir() {
        return skipped("no ../shared/inputs/urdf");
    }
    let scratch = Scratch::new();
    let out = scratch.path().join("out").display().to_string();
    let (bolt, ur5) = ("bolt_description/robots/bolt.urdf", "ur_description/urdf/ur5_robot.urdf");
    for (robot, srdf, runs, ignored, clear) in [
        (bolt, "bolt_description/srdf/bolt.srdf", &["as-drawn", "standing"][..], 8, 28),
        (ur5, "ur_description/srdf/ur5.srdf", &["as-drawn"], 11, 17),
        (ur5, "ur_description/srdf/ur5_gripper.srdf", &["as-drawn"], 13, 15),
    ] {
        let [robot, srdf] = [robot, srdf].map(|file| shared.join(file).display().to_string());
        let ran = interfere(&["import", &robot, "--srdf", &srdf, "-o", &out, "--allow-outside"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let runs: Vec<&str> = runs.iter().flat_map(|run| ["--run", run]).collect();
        let ran = interfere(&[&["check", &out, "--format", "json"], &runs[..]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        let report: Value = serde_json::from_str(&ran.stdout).expect("a report");
        let counts = &report["summary"]["counts"];
        assert_eq!((counts["ignored"].as_u64(), counts["clear"].as_u64()), (Some(ignored), Some(clear)), "{srdf}");
        let count = |key: &str| report["motion"][key].as_array().map_or(0, Vec::len);
        assert_eq!((2 * count("runs") + 2, count("left_out")), (runs.len(), 6), "{srdf}");
    }
}

/// A model is an assembly as it is: `check` takes it.
#[test]
fn a_model_can_be_checked_at_once() {
    let ran = interfere(&["check".to_owned(), fixtures().join("mjcf/arm.xml").display().to_string()]);
    assert!(ran.code == 1 && ran.stdout.contains("11 instances"), "{ran:?}");
}
