//! Assemblies from memory.

use crate::assembly::tests::*;
use crate::mesh::TriMesh;

#[test]
fn builder_and_reader_refuse_the_same_input() {
    let open = TriMesh { vertices: vec![Vec3::zeros()], triangles: vec![[0, 1, 2]] };
    let error = Assembly::builder("t", LengthUnit::Mm)
        .tolerance(f64::NAN)
        .part("box", open)
        .part("box", TriMesh::default())
        .instance("", "box", Affine::identity())
        .instance("a/b", "bax", Affine { linear: Mat3::zeros(), translation: Vec3::x() * f64::INFINITY })
        .rule("[", "*", RuleAction::MinClearance(-1.0), None)
        .build()
        .expect_err("wrong");
    insta::assert_snapshot!(error, @r"
    tolerance: not a finite number; expected a length, zero or more
    parts.box: triangle 0 names a vertex beyond the last of 1; give a mesh with valid triangles
    parts.box: duplicate part `box`; rename one of them
    instances[0]: an empty id; give the instance an id
    instances[1]: `/` in the id `a/b`; `/` is reserved for instances inside sub-assemblies: use another character
    instances[1]: the translation is not finite or beyond 1e15 mm; correct it
    instances[1]: singular: the condition number is infinite, the limit is 1e9; give an invertible matrix
    instances[1]: unknown part `bax`; did you mean `box`?
    rules[0]: `[` is not a glob; `[` is never closed; write `\[` for the character itself
    rules[0]: -1 mm is negative or too large; expected a length, zero or more
    ");
}

#[test]
fn the_builder_warns_as_the_reader_does() {
    let mesh = TriMesh { vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y()], triangles: vec![[0, 1, 2]] };
    let assembly = Assembly::builder("t", LengthUnit::Mm)
        .part("a", mesh.clone())
        .part("b", mesh)
        .instance("plate-1", "a", Affine::identity())
        .rule("plate-1", "plate-2", RuleAction::Ignore, Some("none"))
        .build()
        .expect("valid");
    let codes: BTreeSet<&str> = assembly.warnings.iter().map(|w| w.code.name()).collect();
    assert_eq!(codes, BTreeSet::from(["unused-part", "unused-rule"]));
    insta::assert_snapshot!(assembly.warnings[1], @"rules[0]: the rule between `plate-1` and `plate-2` matches no pair; `plate-2` matches no instance, the nearest is `plate-1` [unused-rule]");
}

fn corner() -> TriMesh {
    TriMesh {
        vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    }
}

#[test]
fn the_builder_adds_joints_and_runs_as_the_reader_does() {
    let assembly = Assembly::builder("t", LengthUnit::Mm)
        .part("p", corner())
        .instance("case", "p", Affine::identity())
        .instance("lid", "p", Affine::identity())
        .instance("latch-1", "p", Affine::identity())
        .joint("hinge", NewJoint::revolute(-Vec3::y() * 2.0, Vec3::z() * 20.0).moves("lid").range(0.0, 110.0))
        .joint(
            "latch",
            NewJoint::prismatic(Vec3::x()).on("hinge").moves("latch-*").home(1.0).follows("hinge", 0.5, 1.0),
        )
        .sweep("travel", [("hinge", [0.0, 90.0])])
        .path("there", [[("hinge", 0.0)], [("hinge", 110.0)]])
        .pose("open", [("hinge", 90.0)])
        .build()
        .expect("valid");
    let motion = &assembly.motion;
    let joints = motion.mechanism.joints();
    let names: Vec<_> = motion.joints.iter().map(|j| j.name.as_str()).collect();
    let runs: Vec<_> = motion.runs.iter().map(|run| (run.name.as_str(), run.kind.name())).collect();
    assert_eq!(names, ["hinge", "latch"]);
    assert_eq!(runs, [("open", "pose"), ("travel", "box"), ("there", "path")]);
    assert_eq!(assembly.instances.iter().map(|i| i.joint.map(|j| j.0)).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    assert_eq!((joints[0].joint.axis, joints[1].home, joints[1].on.map(|j| j.0)), (-Vec3::y(), 1.0, Some(0)));
    assert_eq!(motion.mechanism.values(&[(crate::motion::JointIx(0), 90.0)]), [90.0, 46.0]);
}

#[test]
fn the_builder_refuses_wrong_joints_and_runs_at_once() {
    let error = Assembly::builder("t", LengthUnit::Mm)
        .part("p", corner())
        .instance("case", "p", Affine::identity())
        .instance("lid", "p", Affine::identity())
        .joint("hinge", NewJoint::revolute(Vec3::zeros(), Vec3::zeros()).moves("lit"))
        .joint("hinge", NewJoint::screw(Vec3::z(), Vec3::zeros(), f64::NAN).moves("lid").moves("["))
        .joint("a/b", NewJoint::prismatic(Vec3::x()).moves("lid").on("hinges").range(1.0, 2.0))
        .joint("last", NewJoint::prismatic(Vec3::x()).follows("hinge", 1.0, 0.0))
        .joint("rail", NewJoint::prismatic(Vec3::x()))
        .build()
        .expect_err("wrong");
    insta::assert_snapshot!(error, @r"
    joints.hinge: duplicate joint `hinge`; rename one of them
    joints.a/b: `/` in the name `a/b`; `/` is reserved for joints inside sub-assemblies: use another character
    joints.hinge: the axis has no direction; give a vector of finite length above 0
    joints.hinge: a number of the joint is not finite; give finite numbers
    joints.a/b: home is 0, outside the range; give a range that holds the value as drawn
    joints.a/b: unknown joint `hinges`; did you mean `hinge`?
    joints.rail: a slide without limits has no end; give its least and largest value with `range` (mm)
    joints.hinge: `lit` matches no instance; correct the glob
    joints.hinge: `[` is not a glob; `[` is never closed; write `\[` for the character itself
    joints.a/b: two joints move `lid`; let one stand on the other
    ");
    let build = |joint: NewJoint, run: &dyn Fn(AssemblyBuilder) -> AssemblyBuilder| {
        let builder = Assembly::builder("t", LengthUnit::Mm)
            .part("p", corner())
            .instance("case", "p", Affine::identity())
            .joint("slide", joint)
            .joint("other", NewJoint::prismatic(Vec3::y()).follows("slide", 1.0, 0.0).on("slide"));
        run(builder).build().expect_err("wrong").to_string()
    };
    let slide = || NewJoint::prismatic(Vec3::x()).range(-1.0, 4.0).moves("case");
    let all = [
        build(slide().on("other"), &|b| b),
        build(slide(), &|b| b.pose("as-drawn", [("slide", 5.0)])),
        build(slide(), &|b| {
            b.sweep("s", [("slide", [1.0, 1.0])]).sweep("s", [("other", [0.0, 1.0])]).sweep("none", [])
        }),
        build(slide(), &|b| {
            b.path("p", [[("slid", 0.0)], [("slide", f64::INFINITY)]]).path("short", [[("slide", 0.0)]])
        }),
    ];
    insta::assert_snapshot!(all.join("\n--\n"), @r"
    joints.slide: the joint `slide` stands on itself or follows itself; break the cycle
    --
    poses.as-drawn: duplicate run `as-drawn`; rename one of them
    poses.as-drawn: 5 is outside the range of `slide`; give a value within the range
    --
    sweeps.s: the range of `slide` is empty; give the least value first
    sweeps.s: duplicate run `s`; rename one of them
    sweeps.s: `other` follows another joint: it has no value of its own; remove it
    sweeps.none: a sweep of no joint; name a joint with its range
    --
    sweeps.p: unknown joint `slid`; did you mean `slide`?
    sweeps.p: inf is outside the range of `slide`; give a value within the range
    sweeps.short: a path of fewer than two configurations; add a configuration
    ");
}
