//! Traps of URDF: rotations, limits, mimics, packages, rules, hostile files.

use crate::assembly::file::paths::VersionedTree;
use crate::error::Error;
use crate::geom::{Affine, LengthUnit, Vec3};
use crate::import::{ImportOptions, Imported, ImportedRule, import_bytes};
use crate::io::Loader;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Files in memory, in a version-controlled tree `/repo`.
struct Files(BTreeMap<PathBuf, Vec<u8>>);

fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

impl Loader for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let path = plain(path);
        if self.exists(&path) { Ok(path) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn exists(&self, path: &Path) -> bool {
        let path = plain(path);
        path == Path::new("/repo/.git") || self.0.keys().any(|known| known.starts_with(&path))
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let below = self.0.keys().filter_map(|p| p.strip_prefix(plain(folder)).ok()?.components().next());
        let mut names: Vec<String> = below.map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        names.dedup();
        names
    }
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

pub(super) const BOX: &str = "<collision><geometry><box size='0.1 0.2 0.3'/></geometry></collision>";

/// Imports a text as the file at a path of `/repo`, with other files.
pub(crate) fn import_at(
    path: &str,
    text: &str,
    others: &[(&str, &str)],
    options: &ImportOptions,
) -> Result<Imported, Error> {
    let path = Path::new(path);
    let mut files: BTreeMap<PathBuf, Vec<u8>> =
        others.iter().map(|(p, t)| (PathBuf::from(p), t.as_bytes().to_vec())).collect();
    files.insert(path.to_owned(), text.as_bytes().to_vec());
    let files = Files(files);
    let tree = VersionedTree::new(path, &files, options.allow_outside)?;
    import_bytes(path, text.as_bytes(), tree, &files, options)
}

pub(super) fn import_with(urdf: &str, others: &[(&str, &str)], options: &ImportOptions) -> Result<Imported, Error> {
    import_at("/repo/arm_description/urdf/arm.urdf", urdf, others, options)
}

fn import(urdf: &str) -> Result<Imported, Error> {
    import_with(urdf, &[], &ImportOptions::default())
}

fn error(urdf: &str) -> String {
    import(urdf).expect_err(urdf).to_string()
}

pub(super) fn link(name: &str, content: &str) -> String {
    format!("<link name='{name}'>{content}</link>")
}

pub(super) fn joint(name: &str, kind: &str, [parent, child]: [&str; 2], content: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{content}</joint>")
}

pub(super) fn robot(content: &[String]) -> String {
    format!("<?xml version='1.0'?><robot name='arm'>{}</robot>", content.concat())
}

pub(super) fn placed<'a>(imported: &'a Imported, id: &str) -> &'a Affine {
    &imported.instances.iter().find(|i| i.id == id).unwrap_or_else(|| panic!("{id}")).placement
}

fn three_links(joint_content: &str) -> String {
    let links = ["base", "upper", "lower"].map(|n| link(n, BOX));
    let shoulder = joint("shoulder", "revolute", ["base", "upper"], joint_content);
    let elbow = joint(
        "elbow",
        "prismatic",
        ["upper", "lower"],
        "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/>",
    );
    robot(&[links.concat(), shoulder, elbow])
}

#[test]
fn links_stand_where_their_joints_say() {
    let text = three_links(
        "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><axis xyz='0 1 0'/><limit lower='-1' upper='2'/>",
    );
    let imported = import(&text).unwrap();
    assert_eq!(placed(&imported, "upper").translation, Vec3::new(1000.0, 0.0, 0.0));
    assert_eq!(placed(&imported, "lower").translation, Vec3::new(1000.0, 0.0, 1000.0));
    let joints = vec![("shoulder".to_owned(), std::f64::consts::FRAC_PI_2), ("elbow".to_owned(), 0.5)];
    let imported = import_with(&text, &[], &ImportOptions { joints, ..ImportOptions::default() }).unwrap();
    // The shoulder turns z to its own x, which is y of the base.
    assert!((placed(&imported, "lower").translation - Vec3::new(1000.0, 1500.0, 0.0)).norm() < 1e-9);
    assert_eq!(imported.name, "arm");
    let joints = vec![("sholder".to_owned(), 0.0)];
    let wrong = import_with(&text, &[], &ImportOptions { joints, ..ImportOptions::default() });
    assert!(wrong.expect_err("unknown").to_string().contains("did you mean `shoulder`?"));
}

#[test]
fn values_outside_limits_and_crossed_limits_are_refused() {
    let text = three_links("<axis xyz='0 1 0'/><limit lower='-1' upper='2'/>");
    let at = |value: f64| {
        let joints = vec![("shoulder".to_owned(), value)];
        import_with(&text, &[], &ImportOptions { joints, ..ImportOptions::default() })
    };
    assert!(at(-1.0).is_ok() && at(2.0 + 1e-12).is_ok());
    let said = at(9.0).expect_err("outside").to_string();
    assert!(said.contains("--joint shoulder=9 lies outside the limits of the joint, -1 to 2 rad; name"), "{said}");
    let crossed = error(&three_links("<axis xyz='0 1 0'/><limit lower='1' upper='-1'/>"));
    assert!(crossed.contains("joint `shoulder`: the lower limit 1 is above the upper limit -1"), "{crossed}");
    // A fixed joint has no limits.
    let fixed = three_links("<limit lower='1' upper='-1'/>").replace("revolute", "fixed");
    assert!(import(&fixed).is_ok());
}

#[test]
fn zero_outside_limits_is_told_and_mimics_follow() {
    let imported = import(&three_links("<axis xyz='0 0 1'/><limit lower='0.5' upper='1'/>")).unwrap();
    assert!(imported.warnings[0].message.contains("1 joints (shoulder)"), "{:?}", imported.warnings);
    let (s, c) = (libm::sin(0.5), libm::cos(0.5));
    assert!((placed(&imported, "upper").linear * Vec3::x() - Vec3::new(c, s, 0.0)).norm() < 1e-12);
    let mimic = "<axis xyz='1 0 0'/><mimic joint='elbow' multiplier='2' offset='0.1'/>";
    let text = three_links("<axis xyz='0 0 1'/>").replace(
        "</robot>",
        &format!("{}{}</robot>", link("finger", BOX), joint("follow", "prismatic", ["base", "finger"], mimic)),
    );
    let options = ImportOptions { joints: vec![("elbow".to_owned(), 0.25)], ..ImportOptions::default() };
    let imported = import_with(&text, &[], &options).unwrap();
    assert!((placed(&imported, "finger").translation.x - 600.0).abs() < 1e-9);
    let lost = import(&text.replace("joint='elbow'", "joint='gone'")).unwrap();
    assert_eq!(lost.left_out[0].what, "mimics of missing joints");
    assert!(error(&text.replace("joint='elbow'", "joint='follow'")).contains("in a cycle"));
}

#[test]
fn primitives_and_meshes_become_parts() {
    let geometry = |shape: &str| format!("<collision><origin xyz='0 0 1'/><geometry>{shape}</geometry></collision>");
    let text = robot(&[link(
        "base",
        &[
            geometry("<sphere radius='0.1'/>"),
            geometry("<cylinder radius='0.1' length='1'/>"),
            geometry("<mesh filename='package://arm/meshes/a%20b.obj' scale='0.001 -0.001 0.001'/>"),
            geometry("<mesh filename='../meshes/a b.obj' scale='2'/>"),
        ]
        .concat(),
    )]);
    let others = [
        ("/repo/arm_description/package.xml", "<package><name> arm </name></package>"),
        ("/repo/arm_description/meshes/a b.obj", CUBE),
    ];
    let imported = import_with(&text, &others, &ImportOptions::default()).unwrap();
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!(ids, ["base", "base.2", "base.3", "base.4"]);
    let units: Vec<_> = imported.parts.iter().map(|p| p.units).collect();
    assert_eq!(units, [LengthUnit::M, LengthUnit::M, LengthUnit::Mm, LengthUnit::M]);
    assert!(imported.parts[0].deflection.unwrap() <= 0.05 && imported.parts[2].deflection.is_none());
    assert_eq!(placed(&imported, "base.3").linear.determinant(), -1.0);
    assert_eq!(placed(&imported, "base.4").linear.determinant(), 8.0);
    assert_eq!(
        imported.rules,
        [ImportedRule {
            between: ["{base,base.*}".to_owned(), "{base,base.*}".to_owned()],
            reason: "link base".to_owned()
        }]
    );
}

#[test]
fn joints_and_semantics_become_rules_except_never() {
    let text = robot(&[
        ["a", "b", "c", "d"].map(|n| link(n, BOX)).concat(),
        link("dummy", ""),
        joint("j1", "fixed", ["a", "dummy"], ""),
        joint("j2", "fixed", ["dummy", "b"], ""),
        joint("j3", "fixed", ["a", "c"], ""),
        joint("j4", "fixed", ["c", "d"], ""),
    ]);
    let srdf = "<robot name='arm'><disable_collisions link1='a' link2='d' reason='Never'/>\
                <disable_collisions link1='b' link2='c' reason='Adjacent'/><disable_collisions link1='d' link2='b'/>\
                <disable_collisions link1='a' link2='c' reason='Default'/>\
                <group_state name='home' group='all'><joint name='j1' value='0'/></group_state></robot>";
    let others = [("/repo/arm_description/srdf/arm.srdf", srdf)];
    let imported = import_with(&text, &others, &ImportOptions::default()).unwrap();
    let rules: Vec<_> =
        imported.rules.iter().map(|r| format!("{} {} {}", r.between[0], r.between[1], r.reason)).collect();
    assert_eq!(
        rules,
        ["a b joints j1, j2", "a c joint j3", "c d joint j4", "b c SRDF: Adjacent", "d b SRDF: disabled"]
    );
    assert_eq!(imported.sources, ["../srdf/arm.srdf"]);
    assert_eq!(imported.left_out[0].what, "links without geometry");
    let pose = |name: &str| ImportOptions { pose: Some(name.to_owned()), ..ImportOptions::default() };
    assert!(import_with(&text, &others, &pose("home")).is_ok());
    let wrong = import_with(&text, &others, &pose("hme")).expect_err("unknown").to_string();
    assert!(wrong.contains("did you mean `home`?"), "{wrong}");
}

#[test]
fn missing_files_are_listed_in_one_error() {
    let mesh = |name: &str| format!("<collision><geometry><mesh filename='{name}'/></geometry></collision>");
    let names = [
        "package://arm/a.stl",
        "package:///b.stl",
        "c.stl",
        "http://x/d.stl",
        "file:///etc/passwd",
        "../../../etc/passwd",
        "package://arm/../../../etc/passwd",
        "package://arm//etc/passwd",
        "C:\\x.stl",
    ];
    let text = robot(&[link("base", &names.map(mesh).concat())]);
    let others =
        [("/repo/arm_description/package.xml", "<package><name>arm</name></package>"), ("/etc/passwd", "root")];
    let error = import_with(&text, &others, &ImportOptions::default()).expect_err("missing");
    assert_eq!(error.problems.len(), names.len(), "{error}");
    assert!(error.problems.iter().all(|p| p.what.contains("[reference-missing]") && p.at.line.is_some()), "{error}");
    let options =
        ImportOptions { packages: vec![("arm".to_owned(), PathBuf::from("/opt/arm"))], ..ImportOptions::default() };
    let others = [("/opt/arm/a.stl", CUBE), ("/opt/secret", CUBE)];
    let found = |name: &str| import_with(&robot(&[link("base", &mesh(name))]), &others, &options);
    assert!(found("package://arm/a.stl").is_ok());
    assert!(found("package://arm/../secret").expect_err("outside").to_string().contains("outside its package"));
}

#[test]
fn a_package_without_its_mark_is_found_by_the_end_of_the_path_and_told() {
    let mesh = "<collision><geometry><mesh filename='package://all/robots/arm_description/meshes/a.obj'/></geometry></collision>";
    let others = [("/repo/arm_description/meshes/a.obj", CUBE), ("/repo/meshes/a.obj", "v")];
    let imported = import_with(&robot(&[link("base", mesh)]), &others, &ImportOptions::default()).unwrap();
    assert_eq!(imported.warnings[0].code.name(), "package-guessed");
    assert!(imported.warnings[0].message.contains("--package all=DIR"), "{}", imported.warnings[0]);
    // Two files with the same end: neither is taken.
    let others = [("/repo/arm_description/meshes/b.obj", CUBE), ("/repo/meshes/b.obj", CUBE)];
    let mesh = mesh.replace("arm_description/meshes/a.obj", "other/meshes/b.obj");
    let error = import_with(&robot(&[link("base", &mesh)]), &others, &ImportOptions::default());
    let error = error.expect_err("two files").to_string();
    assert!(
        error.contains("several files have this end of the path") && error.contains("--package all=DIR"),
        "{error}"
    );
}

#[test]
fn broken_robots_are_refused() {
    let one = link("a", BOX);
    for (text, says) in [
        (robot(&[link("a", BOX), link("b", BOX)]), "2 links without a joint above them: `a`, `b`"),
        (robot(&[]), "a robot without links"),
        (
            robot(&[
                one.clone(),
                link("b", BOX),
                joint("j", "fixed", ["a", "b"], ""),
                joint("k", "fixed", ["b", "a"], ""),
            ]),
            "joint cycle: a → b → a",
        ),
        (
            robot(&[
                one.clone(),
                link("b", BOX),
                link("c", BOX),
                joint("j", "fixed", ["b", "c"], ""),
                joint("k", "fixed", ["c", "b"], ""),
            ]),
            "joint cycle",
        ),
        (
            robot(&[
                one.clone(),
                link("b", BOX),
                joint("j", "fixed", ["a", "b"], ""),
                joint("k", "fixed", ["a", "b"], ""),
            ]),
            "child of two joints, `j` and `k`",
        ),
        (robot(&[one.clone(), one.clone()]), "two links with the name `a`"),
        (robot(&[one.clone(), link("b", ""), joint("j", "screw", ["a", "b"], "")]), "unknown type `screw`"),
        (robot(&[one.clone(), joint("j", "fixed", ["z", "a"], "")]), "names no link: `z`"),
        (robot(&[link("a", &BOX.replace("0.1 ", "-0.1 "))]), "`size` of a box is not above 0"),
        (robot(&[link("a", &BOX.replace("0.1 ", "x "))]), "expected a number, found `x`"),
        (robot(&[link("a", &BOX.replace("0.1 ", ""))]), "expected 3 numbers, found 2"),
        (robot(&[link("a", "<collision><geometry><capsule/></geometry></collision>")]), "geometry `capsule` of link a"),
        (robot(&[link("a", "<collision/>")]), "[no-geometry]"),
        ("<!DOCTYPE robot [<!ENTITY x 'y'>]><robot/>".to_owned(), "[damaged]"),
        (robot(&[link("${name}", BOX)]), "xacro"),
        (
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:macro/></robot>".to_owned(),
            "a xacro file [unsupported]",
        ),
    ] {
        let found = error(&text);
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn a_file_with_known_content_is_not_read_again() {
    let path = Path::new("/repo/arm.urdf");
    let files = Files(BTreeMap::from([(path.to_owned(), b"another content".to_vec())]));
    let text = robot(&[link("a", BOX)]);
    let imported = crate::import::import_content(path, text.as_bytes(), &files, &ImportOptions::default()).unwrap();
    assert_eq!(imported.instances.len(), 1);
}

#[test]
fn a_quaternion_turns_as_its_angles_do() {
    let of =
        |origin: &str| *placed(&import(&three_links(&format!("<origin xyz='0 0 1' {origin}/>"))).unwrap(), "upper");
    let [turned, same] =
        ["rpy='0 0 1.5707963267948966'", "quat_xyzw='0 0 0.7071067811865476 0.7071067811865476'"].map(of);
    assert!((turned.linear - same.linear).norm() < 1e-12 && turned.translation == same.translation, "{same:?}");
    for (origin, says) in [("quat_xyzw='0 0 0 0'", "length zero"), ("rpy='0 0 0' quat_xyzw='0 0 0 1'", "both")] {
        let found = error(&three_links(&format!("<origin {origin}/>")));
        assert!(found.contains(says), "{found}");
    }
}

#[test]
fn joints_without_a_single_value_and_long_chains_of_mimics_are_told() {
    let text = robot(&[link("a", BOX), link("b", BOX), joint("j", "floating", ["a", "b"], "")]);
    let left: Vec<String> = import(&text).unwrap().left_out.iter().map(crate::import::LeftOut::counted).collect();
    assert_eq!(left, ["1 floating and planar joint"]);
    let mut content = vec![link("l0", BOX)];
    for k in 1..=150 {
        let mimic = if k > 1 { format!("<mimic joint='j{}'/>", k - 1) } else { String::new() };
        content.push(link(&format!("l{k}"), BOX));
        let limit = format!("<limit lower='-1' upper='1'/>{mimic}");
        content.push(joint(&format!("j{k}"), "revolute", [&format!("l{}", k - 1), &format!("l{k}")], &limit));
    }
    assert_eq!(import(&robot(&content)).unwrap().joints.len(), 150);
}
