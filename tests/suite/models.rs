//! Does a model hold the scene and the findings of the run? An independent reader, the crate `gltf`, reads it back.

use crate::generate::folders;
use crate::support::report::{json_of, parsed};
use crate::support::solids::{block, joined, translated, tube};
use crate::support::two::{about_z, placed};
use interfere::internals::assembly::{Assembly, InstanceIx, LoadOptions, load};
use interfere::internals::check::{self, NoProgress, Options};
use interfere::internals::findings::Judged;
use interfere::internals::geom::{LengthUnit, Mat3, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh;
use interfere::internals::model::{Model, glb, stl};
use interfere::internals::scene::{Overlaps, Scene, SceneFinding, Selection, findings};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector4};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A run with the content of its model.
pub struct Run {
    pub judged: Judged,
    pub scene: Scene,
    pub findings: Vec<SceneFinding>,
    pub overlaps: Overlaps,
}

impl Run {
    pub fn of(assembly: &Assembly) -> Self {
        Self::with(assembly, &Options::default())
    }

    pub fn with(assembly: &Assembly, options: &Options) -> Self {
        let (outcome, _, drawn) =
            check::check_and_draw(assembly, options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
        let (judged, scene) = (Judged::from(outcome), Scene::new(drawn));
        let findings = findings(&scene, &judged);
        let overlaps = Overlaps::new(&scene, &findings);
        Self { judged, scene, findings, overlaps }
    }

    fn of_folder(folder: &Path) -> Self {
        Self::of(&load(&folder.join("assembly.json"), &FsLoader, &LoadOptions::default()).expect("a fixture"))
    }

    fn model(&self, up: Vec3, selection: Selection) -> Model<'_> {
        let Self { judged, scene, findings, overlaps } = self;
        Model { scene, judged, findings, overlaps, up, selection }
    }

    fn read(&self, up: Vec3, selection: Selection) -> Vec<Node> {
        nodes(&glb(&self.model(up, selection)).expect("a small model"))
    }
}

/// A node of a read model.
struct Node {
    name: String,
    /// Index of the parent, unless root.
    parent: Option<usize>,
    extras: Value,
    /// Map to the model's frame (m).
    world: Matrix4<f64>,
    /// Corners of the triangles, or ends of the segments, in the model's frame (m).
    points: Vec<Vec3>,
    lines: bool,
    alpha: Option<gltf::material::AlphaMode>,
}

/// Nodes of a model in depth-first order.
fn nodes(bytes: &[u8]) -> Vec<Node> {
    let read = gltf::Gltf::from_slice(bytes).expect("a valid model");
    let scene = read.default_scene().expect("a scene");
    let mut found = Vec::new();
    let mut stack: Vec<(gltf::Node<'_>, Option<usize>)> = scene.nodes().map(|n| (n, None)).collect();
    while let Some((node, parent)) = stack.pop() {
        let local = local(&node.transform());
        let world = parent.map_or(local, |p: usize| {
            let above: &Node = &found[p];
            above.world * local
        });
        let (mut points, mut lines, mut alpha) = (Vec::new(), false, None);
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            let reader = primitive.reader(|_| read.blob.as_deref());
            let place = |p: [f32; 3]| {
                let [x, y, z] = p.map(f64::from);
                (world * Vector4::new(x, y, z, 1.0)).xyz()
            };
            let positions: Vec<Vec3> = reader.read_positions().expect("positions").map(place).collect();
            match reader.read_indices() {
                Some(indices) => points.extend(indices.into_u32().map(|v| positions[v as usize])),
                None => points.extend(positions),
            }
            lines |= primitive.mode() == gltf::mesh::Mode::Lines;
            alpha = Some(primitive.material().alpha_mode());
        }
        let extras = node.extras().as_ref().map_or(Value::Null, |text| parsed(text.get()));
        let name = node.name().expect("every node has a name").to_owned();
        let index = found.len();
        found.push(Node { name, parent, extras, world, points, lines, alpha });
        stack.extend(node.children().map(|child| (child, Some(index))));
    }
    found
}

fn local(transform: &gltf::scene::Transform) -> Matrix4<f64> {
    match transform {
        gltf::scene::Transform::Matrix { matrix } => Matrix4::from_fn(|row, column| f64::from(matrix[column][row])),
        gltf::scene::Transform::Decomposed { translation, rotation, scale } => {
            let [x, y, z, w] = rotation.map(f64::from);
            let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)).to_homogeneous();
            Matrix4::new_translation(&Vec3::from(translation.map(f64::from)))
                * rotation
                * Matrix4::new_nonuniform_scaling(&Vec3::from(scale.map(f64::from)))
        }
    }
}

/// Point of the assembly (mm) in the model (m, y up).
fn upright(p: &Vec3, origin: &Vec3) -> Vec3 {
    let p = (p - origin) * 1e-3;
    Vec3::new(p.x, p.z, -p.y)
}

fn origin(nodes: &[Node]) -> Vec3 {
    let at: [f64; 3] = serde_json::from_value(nodes[0].extras["origin"].clone()).expect("the origin");
    Vec3::from(at)
}

/// Equal values; 1 and 1.0 are.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}

/// Asserts that the model has every instance at its place and a node for every finding.
fn assert_holds(run: &Run, what: &str) {
    let nodes = run.read(Vec3::z(), Selection::All);
    let origin = origin(&nodes);
    let instances: BTreeMap<&str, &Node> =
        nodes.iter().filter(|n| n.extras["instance"].is_string()).map(|n| (n.name.as_str(), n)).collect();
    assert_eq!(instances.len(), run.scene.instances.len(), "{what}");
    let size = run.scene.bounds.diagonal() * 1e-3;
    for (k, instance) in (0..).zip(&run.judged.outcome.instances) {
        let node = instances[instance.id.as_str()];
        assert_eq!((node.parent, node.extras["instance"].as_str()), (Some(0), Some(instance.id.as_str())), "{what}");
        let mut expected = Vec::new();
        run.scene.for_each_face(InstanceIx(k), |face| expected.extend(face.map(|p| upright(&p, &origin))));
        assert_eq!(node.points.len(), expected.len(), "{what}");
        let off = node.points.iter().zip(&expected).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max);
        assert!(off <= 1e-6 * size, "{what}: {}: {off} of {size}", instance.id);
    }
    let found: Vec<&Node> = nodes.iter().filter(|n| n.extras["finding"].is_object()).collect();
    assert_eq!(found.len(), run.findings.len(), "{what}");
    assert_eq!(nodes.iter().filter(|n| n.parent == Some(0)).count(), instances.len() + found.len(), "{what}");
    let report = parsed(&json_of(&run.judged.outcome));
    for (k, finding) in run.findings.iter().enumerate() {
        let row = &report["pairs"][finding.row];
        let node = found.iter().find(|n| n.extras["finding"]["id"] == row["id"]).expect("a node for the finding");
        for key in ["status", "overlap_depth", "gap", "separating_translation", "baseline", "row"] {
            assert!(same(&node.extras["finding"][key], &row[key]), "{what}: {key}");
        }
        let focus = (node.world * Vector4::new(0.0, 0.0, 0.0, 1.0)).xyz();
        assert!((focus - upright(&finding.focus.point, &origin)).norm() <= 1e-6 * size, "{what}");
        let children = nodes.iter().filter(|n| n.parent.is_some_and(|p| std::ptr::eq(&raw const nodes[p], *node)));
        let children: BTreeMap<&str, &Node> = children.map(|n| (n.name.as_str(), n)).collect();
        assert_eq!(children.contains_key("overlap"), run.overlaps.solid(k).is_ok(), "{what}");
        assert_eq!(children.contains_key("overlap"), node.extras["no_solid"].is_null(), "{what}");
        assert_eq!(children.contains_key("move"), finding.way_out.is_some(), "{what}");
        assert_eq!(children.contains_key("gap"), finding.focus.apart.is_some(), "{what}");
        assert_eq!(children.get("crossing line").is_some_and(|n| n.lines), {
            run.overlaps.solid(k).is_err() && !run.overlaps.crossing(k).is_empty()
        });
        if let Some(arrow) = children.get("move") {
            let along = (arrow.world * Vector4::new(0.0, 0.0, 1.0, 0.0)).xyz().normalize();
            let way = upright(&finding.way_out.expect("a move").1, &Vec3::zeros()).normalize();
            assert!((along - way).norm() < 1e-5, "{what}");
        }
        if let Some(overlap) = children.get("overlap") {
            assert_eq!(overlap.alpha, Some(gltf::material::AlphaMode::Opaque));
            let mesh = run.overlaps.solid(k).expect("a solid");
            let corners = mesh.triangles.as_flattened().iter().map(|v| upright(&mesh.vertices[*v as usize], &origin));
            let off = overlap.points.iter().zip(corners).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max);
            assert!(off <= 1e-6 * size, "{what}: {off}");
        }
    }
}

#[test]
fn every_case_reads_back() {
    for folder in folders() {
        assert_holds(&Run::of_folder(&folder), &folder.display().to_string());
    }
}

/// Two overlapping blocks and a third one, all moved by `by`; names from `ids`.
fn blocks(ids: [&str; 3], by: Vec3) -> Assembly {
    let turn = about_z(30.0);
    Assembly::builder("blocks", LengthUnit::Mm)
        .part("block", block([0.0; 3], [10.0, 6.0, 4.0]))
        .part("open", {
            let mut open = block([0.0; 3], [3.0; 3]);
            open.triangles.pop();
            open
        })
        .instance(ids[0], "block", placed(Mat3::identity(), by))
        .instance(ids[1], "block", placed(turn, by + Vec3::new(7.0, 1.0, 0.5)))
        .instance(ids[2], "open", placed(Mat3::identity(), by + Vec3::new(-1.0, -1.0, -1.0)))
        .build()
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn positions_stay_exact_a_kilometre_out() {
    let run = Run::of(&blocks(["a", "b", "c"], Vec3::new(1e6, -1e6, 1e6)));
    assert!(run.findings.len() >= 2 && run.scene.bounds.diagonal() < 50.0);
    assert_holds(&run, "far out");
}

#[test]
fn any_id_is_a_name() {
    let long = "x".repeat(10_000);
    let ids = ["<script>\"'\\ {}", "\u{202e}\u{0}\u{7f}\n螺", long.as_str()];
    let run = Run::of(&blocks(ids, Vec3::zeros()));
    assert_holds(&run, "hostile ids");
}

#[test]
fn threads_leave_the_bytes() {
    let assembly = blocks(["a", "b", "c"], Vec3::zeros());
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| glb(&Run::of(&assembly).model(Vec3::z(), Selection::All)).expect("a small model"))
    };
    assert!(bytes(1) == bytes(8));
}

#[test]
fn selections_keep_findings_and_their_neighbours() {
    let far = placed(Mat3::identity(), Vec3::new(500.0, 0.0, 0.0));
    let near = placed(Mat3::identity(), Vec3::new(0.0, 0.0, 6.0));
    let beside = placed(Mat3::identity(), Vec3::new(9.0, 0.0, 0.0));
    let assembly = Assembly::builder("four", LengthUnit::Mm)
        .part("block", block([0.0; 3], [10.0, 6.0, 4.0]))
        .instance("a", "block", placed(Mat3::identity(), Vec3::zeros()))
        .instance("b", "block", beside)
        .instance("near", "block", near)
        .instance("far", "block", far)
        .build()
        .expect("an assembly");
    let run = Run::of(&assembly);
    let shown = |selection| {
        let mut names: Vec<String> = run.read(Vec3::z(), selection).into_iter().map(|n| n.name).collect();
        names.retain(|n| ["a", "b", "near", "far"].contains(&n.as_str()));
        names.sort();
        names.join(" ")
    };
    let all = [Selection::All, Selection::Near, Selection::Pairs].map(shown);
    assert_eq!(all, ["a b far near", "a b near", "a b"]);
}

#[test]
fn the_upward_axis_becomes_y() {
    let run = Run::of(&blocks(["a", "b", "c"], Vec3::zeros()));
    for up in [Vec3::x(), Vec3::y(), Vec3::z()] {
        let root = run.read(up, Selection::All)[0].world;
        let turned = (root * Vector4::new(up.x, up.y, up.z, 0.0)).xyz();
        assert!((turned - Vec3::y() * 1e-3).norm() < 1e-9, "{up:?}");
        assert!((root.fixed_view::<3, 3>(0, 0).determinant() - 1e-9).abs() < 1e-15);
    }
}

/// Volumes of the STL file against closed forms and against the report.
#[test]
fn common_solids_have_the_volume_of_the_report() {
    let turned = about_z(45.0);
    let bar = block([-5.0, -0.5, -0.5], [5.0, 0.5, 0.5]);
    let cases = [
        ("blocks", block([0.0; 3], [10.0; 3]), block([0.0; 3], [10.0; 3]), Mat3::identity(), [8.0, 1.0, 2.0], 144.0),
        ("crossed bars at 45°", bar.clone(), bar.clone(), turned, [0.0; 3], 2.0_f64.sqrt()),
        ("inside", block([0.0; 3], [10.0; 3]), block([0.0; 3], [2.0; 3]), Mat3::identity(), [4.0; 3], 8.0),
        (
            "two shells",
            joined(&[bar.clone(), translated(&bar, Vec3::new(2.0, 0.0, 0.0))]),
            block([-9.0, -9.0, 0.0], [9.0, 9.0, 9.0]),
            Mat3::identity(),
            [0.0; 3],
            6.0,
        ),
        // A tube of 64 sides around a core of 64 sides: a ring.
        ("ring", tube(64, 10.0, 5.0, [0.0, 4.0]), tube(64, 6.0, 2.0, [-1.0, 5.0]), Mat3::identity(), [0.0; 3], {
            let area = |r: f64| 32.0 * r * r * libm::sin(std::f64::consts::TAU / 64.0);
            4.0 * (area(6.0) - area(5.0))
        }),
    ];
    for unit in [LengthUnit::Mm, LengthUnit::M] {
        for (name, a, b, rotation, at, volume) in &cases {
            let assembly = Assembly::builder("two", unit)
                .part("a", a.clone())
                .part("b", b.clone())
                .instance("a", "a", placed(Mat3::identity(), Vec3::zeros()))
                .instance("b", "b", placed(*rotation, Vec3::from(*at) * unit.mm()))
                .build()
                .expect("an assembly");
            let run = Run::of(&assembly);
            assert_eq!(run.findings.len(), 1, "{name}");
            let reported = run.judged.outcome.pairs[0].overlap_volume.expect("a volume") / unit.mm3();
            assert!((reported - volume).abs() <= 1e-9 * volume, "{name}: {reported}, not {volume}");
            let file = stl(&[run.overlaps.solid(0).expect("a solid")], unit).expect("a small file");
            let read = mesh::load(&file).expect("a mesh");
            assert!(read.health.enclosing, "{name}");
            let six: f64 = read
                .mesh
                .triangles
                .iter()
                .map(|t| {
                    let [p, q, r] = t.map(|v| read.mesh.vertices[v as usize]);
                    p.dot(&q.cross(&r))
                })
                .sum();
            // Coordinates in single precision.
            assert!((six / 6.0 - volume).abs() <= 1e-5 * volume, "{name}: {}", six / 6.0);
        }
    }
}

#[test]
fn a_file_without_a_solid_has_no_triangle() {
    let bytes = stl(&[], LengthUnit::Mm).expect("an empty file");
    assert_eq!((bytes.len(), &bytes[80..84]), (84, &[0; 4][..]));
}
