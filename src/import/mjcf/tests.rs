//! Traps of MJCF beside its places: contacts, states, words that are refused, hostile files.

use crate::import::urdf::tests::import_at;
use crate::import::{ImportOptions, Imported};

const OTHERS: [(&str, &str); 6] = [
    ("/repo/robot/part.xml", "<mujoco><worldbody><geom name='shelf' type='box' size='1 1 1'/></worldbody></mujoco>"),
    ("/repo/robot/loop.xml", "<mujoco><include file='loop.xml'/></mujoco>"),
    ("/repo/robot/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
    (
        "/repo/robot/kit/kid.xml",
        "<mujoco model='kid'><compiler angle='radian'/><default><geom size='2'/><default class='c'><geom size='3'/></default></default>\
         <asset><mesh name='flat' file='flat.obj'/></asset><worldbody childclass='c'><geom name='stand'/>\
         <frame name='f' pos='0 0 1' euler='0 0 1.5707963267948966'><body name='k' pos='1 0 0'><joint name='j'/><geom name='g'/>\
         <body name='l' pos='5 0 0'><joint name='m'/><geom class='main'/><geom type='mesh' mesh='flat'/></body></body></frame><body name='n'><geom/></body></worldbody>\
         <contact><exclude body1='k' body2='n'/></contact><equality><joint joint1='m' joint2='j'/></equality>\
         <keyframe><key qpos='1 2'/></keyframe></mujoco>",
    ),
    ("/repo/robot/kit/flat.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
    ("/repo/robot/ring.xml", "<mujoco><asset><model name='r' file='ring.xml'/></asset></mujoco>"),
];

fn import_with(content: &str, options: &ImportOptions) -> Result<Imported, crate::error::Error> {
    import_at("/repo/robot/model.xml", &format!("<mujoco model='m'>{content}</mujoco>"), &OTHERS, options)
}

/// Coarse facets, for speed.
fn coarse() -> ImportOptions {
    ImportOptions { deflection: 50.0, ..ImportOptions::default() }
}

pub(super) fn import(content: &str) -> Imported {
    import_with(content, &coarse()).unwrap_or_else(|e| panic!("{content}: {e}"))
}

pub(super) fn error(content: &str) -> String {
    import_with(content, &coarse()).expect_err(content).to_string()
}

pub(super) fn world(content: &str) -> String {
    format!("<worldbody>{content}</worldbody>")
}

pub(super) fn rules(imported: &Imported) -> Vec<String> {
    imported.rules.iter().map(|r| format!("{} {} {}", r.between[0], r.between[1], r.reason)).collect()
}

#[test]
fn bodies_touch_their_parents_but_not_the_world() {
    let text = world(
        "<geom name='table' size='1'/>\
         <body name='a'><joint name='j'/><geom size='1'/>\
         <body name='frame'><joint name='k'/><body name='b'><geom name='g' size='1'/><geom size='1'/></body></body>\
         <body name='c'><geom size='1'/></body></body>",
    );
    let imported = import(&text);
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!(ids, ["world.table", "a", "b.g", "b.2", "c"]);
    assert_eq!(rules(&imported), ["b.* b.* body b", "a b.* joint k", "a c body c fixed to a"]);
    assert_eq!(
        imported.left_out.iter().map(|l| (l.what.as_str(), l.count)).collect::<Vec<_>>(),
        [("bodies without geometry", 1)]
    );
}

#[test]
fn masks_become_rules_except_for_explicit_pairs() {
    let ball = |name: &str, masks: &str| format!("<body name='{name}'><geom name='{name}' size='1' {masks}/></body>");
    let bodies = [("a", ""), ("b", "conaffinity='0'"), ("c", "conaffinity='0'"), ("d", "contype='0'")];
    let text = world(&bodies.map(|(name, masks)| ball(name, masks)).concat());
    let masks = "contype 1, conaffinity 0";
    assert_eq!(rules(&import(&text)), [format!("{{b.b,c.c}} {{b.b,c.c}} {masks}")]);
    let paired = format!("{text}<contact><pair geom1='c' geom2='b'/></contact>");
    assert_eq!(rules(&import(&paired)), Vec::<String>::new());
    // More geometries than a glob holds.
    let many: String = (0..500).map(|k| ball(&format!("ball-with-a-name-{k}"), "conaffinity='0'")).collect();
    let imported = import(&world(&many));
    assert!(imported.rules.len() > 1 && imported.rules.iter().all(|r| r.between.iter().all(|g| g.len() < 1000)));
    let covered: usize = imported.rules.iter().filter(|r| r.between[0] == r.between[1]).count();
    assert_eq!(imported.rules.len(), covered * (covered + 1) / 2);
    // Each geometry of an explicit pair needs rules of its own.
    let pair = "<contact><pair geom1='a' geom2='b'/></contact>";
    let text = "<replicate count='500'><body><geom name='a' size='1' contype='0'/><body><geom name='b' size='1' contype='0'/></body></body>";
    let found = error(&format!("{}{pair}", world(&format!("{text}</replicate>"))));
    assert!(found.contains("more than 20000 rules of contact masks [too-large]"), "{found}");
}

#[test]
fn geometries_to_be_seen_alone_are_parts_where_a_body_has_no_others() {
    let seen = "contype='0' conaffinity='0'";
    let text = world(&format!(
        "<body name='a'><geom name='hull' size='1'/><geom name='skin' size='1' {seen}/></body>\
         <body name='b' pos='0 0 9'><geom name='skin_b' size='1' {seen}/></body>"
    ));
    let ids = |visual: bool| {
        let options = ImportOptions { visual, ..coarse() };
        let imported = import_with(&text, &options).unwrap();
        assert_eq!(imported.rules, []);
        imported.instances.into_iter().map(|i| i.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(false), ["a.hull", "b.skin_b"]);
    assert_eq!(ids(true), ["a.skin", "b.skin_b"]);
}

#[test]
fn keyframes_are_poses_and_equalities_followers() {
    let text = format!(
        "{}<equality><joint joint1='k' joint2='j' polycoef='0.1 2'/><joint joint1='j' joint2='k' polycoef='0 1 1'/>\
         <weld body1='a' body2='b'/></equality>\
         <keyframe><key name='up' qpos='9 9 9 1 0 0 0 0.5 0.25'/><key name='short' qpos='1'/></keyframe>",
        world(
            "<body name='a'><freejoint/><geom size='1'/><body name='b'><joint name='j' range='-90 90'/><geom size='1'/>\
             <body name='c' pos='0 0 3'><joint name='k' type='slide' axis='1 0 0' range='0 1'/><geom size='1'/></body></body></body>"
        )
    );
    let imported = import(&text);
    let follows = imported.joints.iter().find(|j| j.name == "k").and_then(|j| j.follows.clone()).unwrap();
    assert!((follows.ratio - 2000.0_f64.to_radians()).abs() < 1e-9 || (follows.ratio - 34.906_585).abs() < 1e-5);
    assert_eq!((follows.joint.as_str(), follows.offset), ("j", 100.0));
    assert_eq!(imported.poses.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["up"]);
    let left: Vec<_> = imported.left_out.iter().map(|l| format!("{} {}", l.count, l.what)).collect();
    let expected = [
        "2 equalities",
        "1 free and ball joints",
        "1 keyframes with another number of positions",
        "1 positions of free and ball joints",
        // The keyframe contradicts the equality.
        "1 values of fixed and following joints",
    ];
    assert_eq!(left, expected);
    let posed = ImportOptions { pose: Some("up".to_owned()), ..coarse() };
    let posed = import_with(&text, &posed).unwrap();
    // The keyframe gives the leader its value; the other joint follows.
    let placed = &posed.instances.iter().find(|i| i.id == "c").unwrap().placement;
    assert!((placed.linear[(1, 0)] - libm::sin(0.5)).abs() < 1e-12, "{placed:?}");
    assert!((placed.translation.x - 1100.0 * libm::cos(0.5)).abs() < 1e-9, "{placed:?}");
}

#[test]
fn included_files_stand_in_place() {
    let imported = import(&format!("<include file='part.xml'/>{}", world("<geom name='own' size='1'/>")));
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!(ids, ["world.shelf", "world.own"]);
    assert_eq!(imported.sources, ["part.xml"]);
    for (text, says) in [
        ("<include file='loop.xml'/>", "`loop.xml` is included twice"),
        ("<include file='gone.xml'/>", "[reference-missing]"),
        ("<include file='../../../etc/passwd'/>", "[reference-missing]"),
        ("<include file='http://x/y.xml'/>", "[reference-missing]"),
    ] {
        let found = error(text);
        assert!(found.contains(says) && found.contains("model.xml:1") || says.contains("twice"), "{found}");
    }
}

#[test]
fn words_without_support_are_refused_by_name() {
    let geom = |attributes: &str| world(&format!("<geom {attributes}/>"));
    let mesh = |attributes: &str| format!("<asset><mesh {attributes}/></asset>{}", geom("type='mesh' mesh='flat'"));
    for (text, says) in [
        (world("<composite type='rope'/><body><flexcomp/></body>"), "`composite` in a MuJoCo model [unsupported]"),
        (world("<body><flexcomp/></body>"), "`flexcomp` in a MuJoCo model"),
        ("<compiler coordinate='global'/>".to_owned(), "global coordinates [unsupported]"),
        ("<compiler eulerseq='xyw'/>".to_owned(), "`eulerseq`: expected three of xyzXYZ"),
        ("<compiler angle='grad'/>".to_owned(), "`angle`: expected degree or radian"),
        (geom("type='sdf' size='1'"), "geometry `sdf` of body world [unsupported]"),
        (geom("type='box' mesh='flat' size='1 1 1'"), "geometry `box fitted to a mesh` of body world [unsupported]"),
        (geom("type='mesh' mesh='gone'"), "no mesh `gone` [damaged]"),
        (geom("type='box' size='1 1'"), "`size` of a box is not above 0"),
        (geom("size='-1'"), "`size` of a sphere is not above 0"),
        (geom("size='1 2 3 4'"), "`size`: expected 3 numbers, found 4"),
        (geom("size='1' class='gone'"), "no default class `gone`"),
        (geom("size='1' quat='0 0 0 0'"), "a direction of length zero"),
        (geom("size='1' euler='1 2 3' zaxis='0 0 1'"), "two directions: `euler` and `zaxis`"),
        (geom("size='1' contype='x'"), "`contype`: expected a whole number, found `x`"),
        (geom("type='capsule' size='1' fromto='1 1 1 1 1 1'"), "`fromto` of length zero"),
        (geom("type='plane'"), "left out: 1 plane [no-geometry]"),
        (mesh("file='flat.msh'"), "[reference-missing]"),
        (mesh("name='flat' vertex='0 0 0 1 0 0 0 1 0 1 1 0'"), "`vertex`: points of one plane have no hull"),
        (mesh("name='flat' vertex='0 0 0 1'"), "`vertex` needs three numbers for each point"),
        (mesh("name='flat' vertex='0 0 0' face='0 0'"), "`face` needs three numbers for each triangle"),
        (mesh("name='flat' vertex='0 0 0' face='0 1 2'"), "`face`: a number that is no vertex"),
        (mesh("file='flat.obj' scale='1 0 1'"), "a scale of 0"),
        (world("<body name='a'/><body name='a'/>"), "two bodies with the name `a`"),
        (world("<body><joint type='screw'/></body>"), "unknown type of a joint: `screw`"),
        (world("<body><joint axis='0 0 0'/></body>"), "an axis of length zero"),
        ("<contact><exclude body1='a' body2='b'/></contact>".to_owned(), "`body1` names no body: `a`"),
        ("<default><default><geom/></default></default>".to_owned(), "a default class without a name"),
    ] {
        let found = error(&text);
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn the_nearest_direction_counts() {
    let turned = |defaults: &str, attributes: &str| {
        let body = format!("<body name='b'><geom class='inner' type='box' size='1 1 1' {attributes}/></body>");
        let text =
            format!("<default><geom {defaults}/><default class='inner'><geom euler='0 0 90'/></default></default>");
        text + &world(&body)
    };
    let found = import(&turned("axisangle='1 0 0 0'", ""));
    assert!((found.instances[0].placement.linear * crate::geom::Vec3::x() - crate::geom::Vec3::y()).norm() < 1e-12);
    let found = import(&turned("quat='0 1 0 0'", ""));
    assert!((found.instances[0].placement.linear * crate::geom::Vec3::x() - crate::geom::Vec3::y()).norm() < 1e-12);
    let says = "a direction by `quat`, and by `euler` of a class above it";
    assert!(error(&turned("", "quat='1 0 0 0'")).contains(says));
}

#[test]
fn bodies_driven_from_outside_are_told() {
    let content = world(
        "<body name='m' mocap='true'><geom size='1'/></body><body name='b'><joint name='j' range='0 90'/><geom size='1'/></body>",
    ) + "<keyframe><key name='grasp' qpos='0.5' mpos='1 0 0'/><key name='open' qpos='0.5'/></keyframe>";
    let found = import(&content);
    let left: Vec<String> = found.left_out.iter().map(|l| format!("{} {:?}", l.counted(), l.places)).collect();
    assert_eq!(left, [r#"1 keyframe of mocap bodies ["grasp"]"#, r#"1 mocap body ["m"]"#]);
    assert_eq!(found.poses.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["open"]);
    let many = "<geom size='1'/>".repeat(1001);
    assert!(
        error(&format!("<default>{many}</default>{}", world("<geom size='1'/>"))).contains("more than 1000 `geom`")
    );
}

/// A body with a sphere and these joints.
fn jointed(name: &str, joints: &str) -> String {
    format!("<body name='{name}'>{joints}<geom size='1'/></body>")
}

fn values(imported: &Imported, pose: &str) -> String {
    let pose = imported.poses.iter().find(|p| p.name == pose).unwrap_or_else(|| panic!("{pose}: {:?}", imported.poses));
    format!("{:?}", pose.values)
}

#[test]
fn names_that_the_reader_gives_replace_none_of_the_file() {
    // The first body has the name of the joint of the second one.
    let slide = |name: &str| format!("<joint {name} type='slide' axis='1 0 0' range='-5 5'/>");
    let bodies = jointed("b", &slide("")) + &jointed("c", &slide("name='b'"));
    let keys = "<keyframe><key qpos='1 2'/><key name='key-0' qpos='3 4'/></keyframe>";
    let found = import(&(world(&bodies) + keys));
    assert_eq!(values(&found, "key-0"), r#"{"b": 4000.0, "b-2": 3000.0}"#);
    assert_eq!(values(&found, "key-0-2"), r#"{"b": 2000.0, "b-2": 1000.0}"#);
    let others = jointed("", "") + &jointed("body", &slide("name='hip'")) + &jointed("hip", &slide(""));
    assert_eq!(import(&world(&others)).joints.len(), 2);
}

#[test]
fn positions_have_the_order_of_the_joints() {
    let joints = "<joint name='x' type='slide' axis='1 0 0' range='-5 5'/><joint name='y' type='slide' axis='0 1 0' range='-5 5'/><joint type='ball'/>";
    let found = import(&(world(&jointed("b", joints)) + "<keyframe><key name='k' qpos='1 2 1 0 0 0'/></keyframe>"));
    assert_eq!(values(&found, "k"), r#"{"x": 1000.0, "y": 2000.0}"#);
    let left: Vec<String> = found.left_out.iter().map(crate::import::LeftOut::counted).collect();
    assert_eq!(left, ["1 free and ball joint", "1 position of free and ball joints"]);
}

#[test]
fn an_inactive_equality_is_followed_by_none() {
    let slide = |name: &str| format!("<joint name='{name}' type='slide' axis='1 0 0' range='-5 5'/>");
    let bodies = world(&(jointed("a", &slide("j")) + &jointed("b", &slide("k"))));
    let equality = |attributes: &str| format!("<equality><joint joint1='k' joint2='j' {attributes}/></equality>");
    for (text, follows) in [
        (equality(""), true),
        (equality("active='false'"), false),
        (format!("<default><equality active='false'/></default>{}", equality("")), false),
        (format!("<option><flag equality='disable'/></option>{}", equality("")), false),
    ] {
        let found = import(&format!("{text}{bodies}"));
        assert_eq!(found.joints.iter().any(|j| j.follows.is_some()), follows, "{text}");
    }
}

#[test]
fn bodies_fixed_to_the_world_are_world_and_explicit_pairs_stay() {
    let hinge = "<joint name='j' range='0 90'/>";
    let geom = |name: &str| format!("<geom name='{name}' size='1'/>");
    let two = |joints: &str| {
        world(&format!("<body name='a'>{joints}{}<body name='b'>{hinge}{}</body></body>", geom("g"), geom("h")))
    };
    let reasons = |text: &str| import(text).rules.len();
    // A static base is checked against what moves on it; a moving one is not.
    assert_eq!((reasons(&two("")), reasons(&two("<joint name='i' range='0 90'/>"))), (0, 1));
    let all = "<option><flag filterparent='disable'/></option>".to_owned() + &two("<joint name='i' range='0 90'/>");
    assert_eq!(reasons(&all), 0);
    let exclude = "<exclude body1='a' body2='b'/>";
    let excluded = |pair: &str| two("") + &format!("<contact>{exclude}{pair}</contact>");
    assert_eq!((reasons(&excluded("")), reasons(&excluded("<pair geom1='g' geom2='h'/>"))), (1, 0));
}
