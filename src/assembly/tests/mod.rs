//! Tests of the assembly reader against files: the fixtures, and small trees in memory.

pub(crate) mod building;
mod loops;
pub(crate) mod motion;
pub(crate) mod rules;
pub(crate) mod settings;

use crate::assembly::*;
use crate::error::Error;
use crate::geom::math::sin_cos_deg;
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::io::{FsLoader, Loader};
use crate::testkit::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

const FIXTURES: &str = "fixtures/assemblies";

fn load_file(path: &str) -> Result<Assembly, Error> {
    load(Path::new(path), &FsLoader, &LoadOptions { allow_outside: true })
}

fn files_in(folder: &str) -> Vec<String> {
    let list = std::fs::read_dir(folder).expect("the fixtures are there");
    let paths = list.map(|e| e.expect("readable").path().to_string_lossy().replace('\\', "/"));
    let mut paths: Vec<String> = paths.filter(|p| Path::new(p).is_file()).collect();
    paths.sort();
    paths
}

/// Files in memory; `links` maps paths to their targets. Records the files read.
#[derive(Default)]
struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
    links: BTreeMap<PathBuf, PathBuf>,
    read: Mutex<Vec<PathBuf>>,
    /// Paths about which the loader was asked.
    asked: Mutex<Vec<PathBuf>>,
}

impl Memory {
    fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(p, t)| (PathBuf::from(p), t.as_bytes().to_vec())).collect();
        Self { files, ..Self::default() }
    }

    fn link(mut self, from: &str, to: &str) -> Self {
        self.links.insert(from.into(), to.into());
        self
    }

    fn load(&self, path: &str) -> Result<Assembly, Error> {
        load(Path::new(path), self, &LoadOptions::default())
    }

    fn error(&self, path: &str) -> String {
        self.load(path).expect_err("must be refused").to_string()
    }
}

impl Loader for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read.lock().expect("not poisoned").push(path.to_path_buf());
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.asked.lock().expect("not poisoned").push(path.to_path_buf());
        let mut out = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => drop(out.pop()),
                Component::CurDir => {}
                other => out.push(other),
            }
            if let Some(target) = self.links.get(&out) {
                out.clone_from(target);
            }
        }
        if self.exists(&out) { Ok(out) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn exists(&self, path: &Path) -> bool {
        self.asked.lock().expect("not poisoned").push(path.to_path_buf());
        self.files.keys().any(|f| f.starts_with(path))
    }

    fn link(&self, path: &Path) -> io::Result<PathBuf> {
        self.asked.lock().expect("not poisoned").push(path.to_path_buf());
        self.links.get(path).cloned().ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

#[test]
fn every_invalid_file_gives_error_location_and_fix() {
    let mut all = String::new();
    for path in files_in(&format!("{FIXTURES}/invalid")) {
        let error = load_file(&path).map(|_| ()).expect_err(&path);
        let name = path.rsplit('/').next().unwrap_or(&path);
        writeln!(all, "# {name}").expect("text");
        for problem in &error.problems {
            assert!(!problem.fix.is_empty(), "{problem}");
            assert!(!problem.to_string().contains('\n'), "{problem}");
            writeln!(all, "{problem}").expect("text");
        }
        all.push('\n');
    }
    insta::assert_snapshot!("invalid", all.replace(&format!("{FIXTURES}/invalid/"), ""));
}

#[test]
fn every_valid_file_is_read() {
    for path in files_in(&format!("{FIXTURES}/valid")) {
        let assembly = load_file(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(assembly.warnings, [], "{path}");
        assert_eq!(assembly.path, path);
    }
}

#[test]
fn placements_have_their_closed_forms() {
    let assembly = load_file(&format!("{FIXTURES}/valid/placements.json")).expect("valid");
    let of = |id: &str| assembly.instances.iter().find(|i| i.id == id).expect("there").placement;
    let rz = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let turned = |linear: Mat3| Affine { linear, translation: Vec3::zeros() };
    assert_eq!(of("nothing"), Affine::identity());
    assert_eq!(of("empty"), Affine::identity());
    assert_eq!(of("translation"), Affine { linear: Mat3::identity(), translation: Vec3::new(1.0, 2.0, 3.0) });
    assert_eq!(of("axis-quarter"), turned(rz));
    assert_eq!(of("quaternion"), turned(rz));
    assert_eq!(of("matrix"), Affine { linear: rz, translation: Vec3::new(7.0, 8.0, 9.0) });
    assert_eq!(of("mirror"), turned(Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0))));
    assert_eq!(of("shear"), turned(Mat3::new(1.0, 0.5, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.25)));
    // Roll takes y to z, then yaw takes x to y: Rz(90)·Rx(90).
    assert_eq!(of("rpy"), turned(Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)));
    let (s, c) = sin_cos_deg(30.0);
    let axis_30 = of("axis-30");
    assert_eq!(axis_30.linear, Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c));
    assert_eq!(axis_30.translation, Vec3::x());
    let cycle = Mat3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
    assert!((of("axis-diagonal").linear - cycle).abs().max() < 1e-15);
    // URDF's matrix of roll 30°, pitch 45°, yaw 60°.
    let ((sr, cr), (sp, cp), (sy, cy)) = (sin_cos_deg(30.0), sin_cos_deg(45.0), sin_cos_deg(60.0));
    let urdf = Mat3::new(
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    );
    assert!((of("rpy-general").linear - urdf).abs().max() < 1e-15);
}

#[test]
fn every_length_is_converted_once() {
    let assembly = load_file(&format!("{FIXTURES}/valid/units.json")).expect("valid");
    assert_eq!((assembly.units, assembly.facets), (LengthUnit::Inch, Facets::Strict));
    assert_eq!(assembly.tolerance, 0.001 * 25.4);
    let parts: Vec<_> = assembly.parts.iter().map(|p| (p.key.as_str(), p.units, p.deflection, p.geometry)).collect();
    assert_eq!(
        parts,
        [
            ("cm", LengthUnit::Cm, None, Some(Geometry::Hull)),
            ("ft", LengthUnit::Ft, None, Some(Geometry::Decomposition)),
            ("inch", LengthUnit::Inch, Some(12.7), Some(Geometry::Exact)),
            ("m", LengthUnit::M, None, None),
            ("mm", LengthUnit::Mm, None, None),
        ]
    );
    assert_eq!(assembly.instances[1].placement.translation, Vec3::new(254.0, 0.0, -25.4));
    assert_eq!(assembly.instances[2].placement.translation, Vec3::new(1.0, 2.0, 3.0) * 25.4);
    assert_eq!(assembly.rules[0].verb, RuleAction::MinClearance(50.8));
    assert_eq!(
        (assembly.rules[1].verb, assembly.rules[1].reason.as_deref()),
        (RuleAction::AllowDepth(12.7), Some("press fit"))
    );
}

#[test]
fn a_length_with_a_unit_equals_the_number() {
    let read = |name: &str| load_file(&format!("{FIXTURES}/valid/{name}.json")).expect("valid");
    let [numbers, texts] = ["units", "lengths-with-unit"].map(read);
    assert_eq!(texts.tolerance.to_bits(), numbers.tolerance.to_bits());
    let deflections = |a: &Assembly| a.parts.iter().map(|p| p.deflection.map(f64::to_bits)).collect::<Vec<_>>();
    assert_eq!(deflections(&texts), deflections(&numbers));
    let rules = |a: &Assembly| a.rules.iter().map(|r| r.verb).collect::<Vec<_>>();
    assert_eq!(rules(&texts), rules(&numbers));
}

#[test]
fn sub_assemblies_are_expanded_in_place() {
    let assembly = load_file(&format!("{FIXTURES}/valid/nested/machine.json")).expect("valid");
    assert_eq!((assembly.name.as_str(), assembly.tolerance), ("machine", 0.01));
    let keys: Vec<&str> = assembly.parts.iter().map(|p| p.key.as_str()).collect();
    let motor = ["drive/motor.json#rotor", "drive/motor.json#stator"];
    assert_eq!(keys, ["drive/assembly.json#shaft", motor[0], motor[1], "plate", "spare"]);
    assert_eq!(assembly.parts[2].units, LengthUnit::Cm);
    let listed: Vec<_> = assembly.instances.iter().map(|i| (i.id.as_str(), i.unit)).collect();
    let expected = [
        ("plate", None),
        ("left/shaft", None),
        ("left/motor/rotor", Some(0)),
        ("left/motor/stator", Some(0)),
        ("right/shaft", None),
        ("right/motor/rotor", Some(1)),
        ("right/motor/stator", Some(1)),
        ("motor/rotor", Some(2)),
        ("motor/stator", Some(2)),
    ];
    assert_eq!(listed, expected);
    // 100 mm, 1 inch up, then 1, 2 and 3 cm.
    assert_eq!(assembly.instances[2].placement.translation, Vec3::new(110.0, 20.0, 25.4 + 30.0));
    // The same, rotated by a quarter turn about z and moved by 200 mm.
    assert_eq!(assembly.instances[5].placement.translation, Vec3::new(-20.0, 210.0, 55.4));
    let rules: Vec<_> = assembly.rules.iter().map(|r| (r.scope.as_str(), r.file.as_str(), r.index)).collect();
    let expected = [
        ("", "machine.json", 0),
        ("", "machine.json", 1),
        ("left/", "drive/assembly.json", 0),
        ("right/", "drive/assembly.json", 0),
        ("motor/", "drive/motor.json", 0),
        ("left/motor/", "drive/motor.json", 0),
        ("right/motor/", "drive/motor.json", 0),
    ];
    assert_eq!(rules, expected);
    let warnings: Vec<String> = assembly.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n").replace(&format!("{FIXTURES}/valid/nested/"), ""));
}

const BOX: &str = r#""parts": { "box": { "mesh": "box.stl" } }"#;

fn tree(files: &[(&str, String)]) -> Memory {
    let texts: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
    Memory::of(&texts)
}

#[test]
fn a_file_used_often_is_read_once() {
    let leaf = format!(r#"{{ "version": 1, {BOX}, "instances": [{{ "id": "a", "part": "box" }}] }}"#);
    let uses = |n: usize| {
        let list: Vec<String> = (0..n).map(|k| format!(r#"{{ "id": "s{k}", "assembly": "leaf.json" }}"#)).collect();
        format!(r#"{{ "version": 1, "instances": [{}] }}"#, list.join(","))
    };
    let files = tree(&[
        ("/p/.git/x", String::new()),
        ("/p/leaf.json", leaf),
        ("/p/box.stl", String::new()),
        ("/p/root.json", uses(3)),
    ]);
    let assembly = files.load("/p/root.json").expect("valid");
    assert_eq!((assembly.instances.len(), assembly.parts.len()), (3, 1));
    assert_eq!(files.read.lock().expect("not poisoned").len(), 2);
}

#[test]
fn oversized_nesting_is_refused_before_expansion() {
    let mut files: Vec<(String, String)> = (0..30)
        .map(|k| {
            let below = k + 1;
            let text = format!(
                r#"{{ "version": 1, "instances": [{{ "id": "a", "assembly": "{below}.json" }}, {{ "id": "b", "assembly": "{below}.json" }}] }}"#
            );
            (format!("/p/{k}.json"), text)
        })
        .collect();
    let leaf = format!(r#"{{ "version": 1, {BOX}, "instances": [{{ "id": "a", "part": "box" }}] }}"#);
    files.push(("/p/30.json".to_owned(), leaf));
    files.push(("/p/box.stl".to_owned(), String::new()));
    let list: Vec<(&str, String)> = files.iter().map(|(p, t)| (p.as_str(), t.clone())).collect();
    insta::assert_snapshot!(tree(&list).error("/p/0.json"), @"/p/0.json:1:30: instances: sub-assemblies expand to 1073741824 instances, more than 10000000; look for files that place each other many times, or split the assembly");
}

#[test]
fn chains_beyond_depth_limit_are_refused() {
    let mut files: Vec<(String, String)> = (0..100)
        .map(|k| {
            let text = format!(r#"{{ "version": 1, "instances": [{{ "id": "a", "assembly": "{}.json" }}] }}"#, k + 1);
            (format!("/p/{k}.json"), text)
        })
        .collect();
    let leaf = format!(r#"{{ "version": 1, {BOX}, "instances": [{{ "id": "a", "part": "box" }}] }}"#);
    files.push(("/p/100.json".to_owned(), leaf));
    files.push(("/p/box.stl".to_owned(), String::new()));
    // Reads the middle of the chain first: every single visit is within the limit, the whole chain is beyond it.
    let both =
        r#"{ "version": 1, "instances": [{ "id": "a", "assembly": "50.json" }, { "id": "b", "assembly": "0.json" }] }"#;
    files.push(("/p/both.json".to_owned(), both.to_owned()));
    let list: Vec<(&str, String)> = files.iter().map(|(p, t)| (p.as_str(), t.clone())).collect();
    let files = tree(&list);
    insta::assert_snapshot!(files.error("/p/0.json"), @"/p/63.json:1:56: instances[0].assembly: sub-assemblies nested deeper than 64; flatten some of them");
    insta::assert_snapshot!(files.error("/p/both.json"), @"/p/both.json:1:30: instances: sub-assemblies nested deeper than 64; flatten some of them");
    assert_eq!(files.load("/p/40.json").expect("valid").instances[0].id, "a/".repeat(60) + "a");
}

fn one(mesh: &str) -> String {
    format!(
        r#"{{ "version": 1, "parts": {{ "b": {{ "mesh": "{mesh}" }} }}, "instances": [{{ "id": "a", "part": "b" }}] }}"#
    )
}

#[test]
fn files_outside_the_tree_are_refused() {
    let base = |mesh: &str| {
        tree(&[
            ("/ci/repo/.git/HEAD", String::new()),
            ("/ci/repo/cad/a/assembly.json", one(mesh)),
            ("/ci/repo/cad/box.stl", String::new()),
            ("/ci/secret.stl", String::new()),
        ])
    };
    let root = "/ci/repo/cad/a/assembly.json";
    assert!(base("../box.stl").load(root).is_ok());
    assert!(base("/ci/repo/cad/box.stl").load(root).is_ok());
    insta::assert_snapshot!(base("../../../secret.stl").error(root), @"/ci/repo/cad/a/assembly.json:1:43: parts.b.mesh: `../../../secret.stl` lies outside `/ci/repo`; move it there, or run with --allow-outside");
    let linked = base("../innocent.stl").link("/ci/repo/cad/innocent.stl", "/ci/secret.stl");
    assert!(linked.error(root).contains("`../innocent.stl` lies outside `/ci/repo`"));
    assert!(load(Path::new(root), &linked, &LoadOptions { allow_outside: true }).is_ok());
    let root_link = base("x").link("/ci/repo/link.json", "/ci/secret.stl");
    assert!(root_link.error("/ci/repo/link.json").contains("lies outside"));
}

#[test]
fn nothing_is_asked_about_paths_outside_the_tree() {
    for (mesh, target) in [
        ("../../../secret.stl", ""),
        ("/ci/secret.stl", ""),
        ("../../../other/../repo/cad/box.stl", ""),
        ("link.stl", "/ci/secret.stl"),
        ("link.stl", "../../../secret.stl"),
        ("folder/secret.stl", "../../.."),
    ] {
        let error = |secret: &[(&str, &str)]| {
            let root = one(mesh);
            let mut files = vec![("/ci/repo/.git/HEAD", ""), ("/ci/repo/cad/a/assembly.json", root.as_str())];
            files.extend(secret);
            let link = format!("/ci/repo/cad/a/{}", mesh.split('/').next().unwrap_or(mesh));
            let files = if target.is_empty() { Memory::of(&files) } else { Memory::of(&files).link(&link, target) };
            let error = files.error("/ci/repo/cad/a/assembly.json");
            // The search for the tree asks for marks in the folders above.
            let asked = files.asked.into_inner().expect("not poisoned");
            let inside = |p: &PathBuf| p.starts_with("/ci/repo") && !p.components().any(|c| c == Component::ParentDir);
            assert!(asked.iter().all(inside), "{mesh}: {asked:?}");
            error
        };
        let there = error(&[("/ci/secret.stl", ""), ("/ci/other/x", ""), ("/ci/repo/cad/box.stl", "")]);
        assert_eq!(there, error(&[]), "{mesh}");
        assert!(there.contains(&format!("`{mesh}` lies outside `/ci/repo`")), "{there}");
    }
    let circle =
        Memory::of(&[("/r/.git/HEAD", ""), ("/r/assembly.json", &one("a"))]).link("/r/a", "b").link("/r/b", "a");
    assert!(circle.error("/r/assembly.json").contains("`a`: cannot read the file"));
}

#[test]
fn without_version_control_own_folder_is_the_limit() {
    let files = tree(&[("/w/a/assembly.json", one("../box.stl")), ("/w/box.stl", String::new())]);
    assert!(files.error("/w/a/assembly.json").contains("`../box.stl` lies outside `/w/a`"));
    for mark in [".git", ".hg", ".jj", ".svn"] {
        let marked = tree(&[
            ("/w/a/assembly.json", one("../box.stl")),
            ("/w/box.stl", String::new()),
            (&format!("/w/{mark}"), String::new()),
        ]);
        assert!(marked.load("/w/a/assembly.json").is_ok(), "{mark}");
    }
}

#[test]
fn mesh_links_keep_their_written_name() {
    let files = tree(&[("/w/.git/objects/9f3a", String::new()), ("/w/a.json", one("parts/box.stl"))])
        .link("/w/parts/box.stl", "/w/.git/objects/9f3a");
    let assembly = files.load("/w/a.json").expect("valid");
    let MeshSource::File { path, shown } = &assembly.parts[0].source else { panic!("a file") };
    assert_eq!((path.as_path(), shown.as_str()), (Path::new("/w/.git/objects/9f3a"), "parts/box.stl"));
}

#[test]
fn a_composed_placement_can_be_singular() {
    let sub = |z: &str, below: &str| {
        format!(
            r#"{{ "version": 1, {BOX}, "instances": [{{ "id": "s", {below}, "placement": {{ "matrix": [[1,0,0,0],[0,1,0,0],[0,0,{z},0],[0,0,0,1]] }} }}] }}"#
        )
    };
    let files = tree(&[
        ("/p/a.json", sub("1e-5", r#""assembly": "b.json""#)),
        ("/p/b.json", sub("1e-5", r#""part": "box""#)),
        ("/p/box.stl", String::new()),
    ]);
    insta::assert_snapshot!(files.error("/p/a.json"), @"/p/b.json:1:95: instances[0].part: the composed placement of `s/s` is singular: the condition number is 1.4e10, the limit is 1e9; correct one of the placements above it");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let files = tree(&[("/p/a.json", format!("\u{FEFF}{}", one("b.stl"))), ("/p/b.stl", String::new())]);
    assert!(files.load("/p/a.json").is_ok());
}

#[test]
fn a_missing_root_file_is_one_problem() {
    insta::assert_snapshot!(Memory::default().error("cad/a.json"), @"cad/a.json: cannot read the file: no such file; check the path of the assembly file");
}

#[test]
fn colliding_part_keys_are_refused() {
    let root = r#"{ "version": 1, "parts": { "s.json#b": { "mesh": "b.stl" } },
        "instances": [{ "id": "a", "part": "s.json#b" }, { "id": "s", "assembly": "s.json" }] }"#;
    let files = tree(&[("/p/a.json", root.to_owned()), ("/p/s.json", one("b.stl")), ("/p/b.stl", String::new())]);
    assert!(files.error("/p/a.json").contains("`s.json#b` is also the key of a sub-assembly's part"));
}

#[test]
fn mangled_files_never_panic() {
    let whole = std::fs::read_to_string(format!("{FIXTURES}/valid/units.json")).expect("there");
    let load = |bytes: Vec<u8>| {
        let mut files = Memory::default();
        files.files.insert("/a.json".into(), bytes);
        let _ = files.load("/a.json");
    };
    let mut rng = Rng::new(1);
    for cut in 0..whole.len() {
        load(whole.as_bytes()[..cut].to_vec());
        let mut bytes = whole.clone().into_bytes();
        let tokens: [&[u8]; 8] =
            [b"null", b"[", b"-0.0", b"{}", "\"\u{e4}\"".as_bytes(), b"1e308", b"\\ud83d", b"\xff"];
        let token = tokens[rng.below(tokens.len())];
        bytes.splice(cut..(cut + rng.below(5)).min(bytes.len()), token.iter().copied());
        load(bytes);
    }
}
