//! Writes the scene and the findings as one GLB file (glTF 2.0, no extension).
//!
//! ```text
//! root: y up, metres, extras.origin ─┬─ instance, one for each instance of the selection
//!                                    └─ finding ─┬─ overlap, or the line in which the surfaces cross, or the gap
//!                                                └─ move
//! ```

use crate::check::pair_id;
use crate::findings::{Groups, RowNumbers};
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::model::Model;
use crate::model::arrow::{from_z, unit_arrow};
use crate::model::geometry::{Geometry, Placed};
use crate::model::materials::{Look, Materials};
use crate::report::json::pair::Pair;
use crate::scene::{SceneFinding, half_frame};
use gltf_json::buffer::Buffer;
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::USize64;
use gltf_json::{Extras, Index, Mesh, Node, Root, Scene};
use nalgebra::{Rotation3, UnitQuaternion as Rotation};
use serde::Serialize;
use serde_json::value::to_raw_value;
use std::collections::BTreeMap;

/// Metres in a millimetre.
const METRES: f32 = 0.001;

/// Shortest and longest drawn arrow, as shares of the finding's frame in pictures.
const ARROW: [f64; 2] = [0.2, 1.0];

/// The model has more bytes than a GLB file can hold, 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Data of the root node.
#[derive(Serialize)]
struct RootExtras<'a> {
    /// Point of the assembly at the origin of the model (mm, root frame).
    origin: [f64; 3],
    /// Version of the JSON report that defines the keys of the findings.
    report: u32,
    tool: &'static str,
    version: &'static str,
    assembly: &'a str,
    /// Unit of the lengths in the findings.
    units: &'static str,
    verdict: &'static str,
}

/// Data of an instance.
#[derive(Serialize)]
struct InstanceExtras<'a> {
    instance: &'a str,
    part: &'a str,
    mesh: &'a str,
}

/// Data of a finding.
#[derive(Serialize)]
struct FindingExtras<'a> {
    /// The pair, with the keys and units of the JSON report.
    finding: Pair<'a>,
    /// Number of pairs in its line of the report.
    pairs: usize,
    /// Reason for a missing common solid.
    no_solid: Option<&'static str>,
}

/// Writes the model as a GLB file. The same input gives the same bytes for every number of threads and on every
/// machine. Cost: linear in the triangles of the scene.
///
/// # Errors
/// Refuses a model of more than 4 GiB.
pub fn glb(model: &Model) -> Result<Vec<u8>, TooLarge> {
    let mut document = Document {
        model,
        root: Root::default(),
        geometry: Geometry::default(),
        materials: Materials::default(),
        shapes: BTreeMap::new(),
        meshes: BTreeMap::new(),
        origin: if model.scene.instances.is_empty() { Vec3::zeros() } else { model.scene.bounds.center() },
        sides: sides(model),
    };
    let mut children = document.instances();
    children.extend(document.findings());
    document.finish(children)
}

/// Side of each instance: 0 for the colour of A, 1 for that of B, `None` without a finding. The worst finding of an
/// instance decides; in later findings the other part takes the other colour if it is free.
fn sides(model: &Model) -> Vec<Option<u8>> {
    let mut sides = vec![None; model.scene.instances.len()];
    for finding in model.findings {
        let [a, b] = finding.pair.map(|i| i.0 as usize);
        let (of_a, of_b) = match (sides[a], sides[b]) {
            (None, None) => (0, 1),
            (None, Some(b)) => (1 - b, b),
            (Some(a), None) => (a, 1 - a),
            (Some(a), Some(b)) => (a, b),
        };
        (sides[a], sides[b]) = (Some(of_a), Some(of_b));
    }
    sides
}

/// Key of a glTF mesh: its geometry and its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MeshKey {
    Shape(usize, Look),
    Overlap(usize),
    Arrow(u8),
}

struct Document<'a> {
    model: &'a Model<'a>,
    root: Root,
    geometry: Geometry,
    materials: Materials,
    /// Geometry of each shape in the buffer.
    shapes: BTreeMap<usize, Option<Placed>>,
    meshes: BTreeMap<MeshKey, (Index<Mesh>, Vec3)>,
    /// Point of the assembly at the origin of the model (mm).
    origin: Vec3,
    sides: Vec<Option<u8>>,
}

impl Document<'_> {
    fn instances(&mut self) -> Vec<Index<Node>> {
        let Model { scene, judged, findings, selection, .. } = *self.model;
        let selected = selection.of(scene, findings);
        let mut nodes = Vec::new();
        for (k, instance) in scene.instances.iter().enumerate().filter(|(k, _)| selected[*k]) {
            let open = !scene.shapes[instance.shape].solid;
            let look = self.sides[k].map_or(Look::Context { open }, |side| Look::Part { side, open });
            let named = &judged.outcome.instances[k];
            let part = judged.outcome.parts.get(named.part.0 as usize);
            let data = InstanceExtras {
                instance: &named.id,
                part: part.map_or("", |p| &p.key),
                mesh: part.map_or("", |p| &p.mesh),
            };
            let mesh = self.shape(instance.shape, look);
            let mut node = placed(mesh, &instance.pose, &self.origin);
            (node.name, node.extras) = (Some(named.id.clone()), extras(&data));
            nodes.push(self.root.push(node));
        }
        nodes
    }

    fn findings(&mut self) -> Vec<Index<Node>> {
        let model = self.model;
        let groups = Groups::new(model.judged);
        let numbers = RowNumbers::new(model.judged, &groups);
        let node = |(k, finding): (usize, &SceneFinding)| {
            let o = &model.judged.outcome;
            let pair = &o.pairs[finding.row];
            let ids = [o.id(pair.a), o.id(pair.b)];
            let rule = pair.rule.and_then(|r| o.rules.get(r as usize));
            let group = groups.of(finding.row).map(|g| g.id.as_str());
            let row = Pair::new(ids, o.units, rule, pair);
            let data = FindingExtras {
                finding: row.in_run(model.judged, finding.row, group, numbers.of(finding.row)),
                pairs: finding.rows,
                no_solid: model.overlaps.missing_solid(k).map(crate::scene::NoOverlap::reason),
            };
            let children = self.marks(k, finding);
            let node = Node {
                name: Some(format!("{} {} x {}", pair_id(ids[0], ids[1]), ids[0], ids[1])),
                translation: Some(single(&(finding.focus.point - self.origin))),
                children: Some(children).filter(|c| !c.is_empty()),
                extras: extras(&data),
                ..Node::default()
            };
            self.root.push(node)
        };
        model.findings.iter().enumerate().map(node).collect()
    }

    /// Children of a finding, placed relative to its focus.
    fn marks(&mut self, k: usize, finding: &SceneFinding) -> Vec<Index<Node>> {
        let focus = finding.focus.point;
        let mut nodes = Vec::new();
        if let Ok(overlap) = self.model.overlaps.of[k] {
            let mesh = self.overlap(overlap.unique);
            if mesh.is_some() {
                let solid = self.model.overlaps.unique[overlap.unique].solid.is_ok();
                let name = if solid { "overlap" } else { "crossing line" };
                let node = Node { name: Some(name.to_owned()), ..placed(mesh, &overlap.pose, &focus) };
                nodes.push(self.root.push(node));
            }
        }
        if let Some(points) = finding.focus.apart {
            let line = self.geometry.lines(&mut self.root, &[points]);
            let mesh = line.map(|line| self.mesh(&line, Look::Gap, "gap"));
            let node = Node { name: Some("gap".to_owned()), ..placed(mesh, &Pose::identity(), &focus) };
            nodes.push(self.root.push(node));
        }
        nodes.extend(self.arrow(finding));
        nodes
    }

    /// Arrow of the proposed move, from the focus, in the colour of the moving part. Its length is that of the move
    /// within the limits of visibility.
    fn arrow(&mut self, finding: &SceneFinding) -> Option<Index<Node>> {
        let (mover, way) = finding.way_out?;
        let length = way.norm();
        let direction = way.try_normalize(0.0)?;
        let frame = half_frame(self.model.scene, finding.pair, &finding.focus);
        let length = length.clamp(ARROW[0] * frame, ARROW[1] * frame) as f32;
        let side = self.sides[mover.0 as usize].unwrap_or(0);
        let mesh = if let Some((mesh, _)) = self.meshes.get(&MeshKey::Arrow(side)) {
            *mesh
        } else {
            let TriMesh { vertices, triangles } = unit_arrow();
            let placed = self.geometry.triangles(&mut self.root, &vertices, &triangles)?;
            let (mesh, centre) = self.mesh(&placed, Look::Arrow { side }, "move");
            self.meshes.insert(MeshKey::Arrow(side), (mesh, centre));
            mesh
        };
        // The vertices are relative to the middle of the arrow.
        let translation = single(&(direction * (0.5 * f64::from(length))));
        Some(self.root.push(Node {
            name: Some("move".to_owned()),
            mesh: Some(mesh),
            translation: Some(translation),
            rotation: Some(from_z(&direction)),
            scale: Some([length; 3]),
            ..Node::default()
        }))
    }

    /// Mesh of a shape in a look; `None` for a shape without triangles.
    fn shape(&mut self, shape: usize, look: Look) -> Option<(Index<Mesh>, Vec3)> {
        if let Some(mesh) = self.meshes.get(&MeshKey::Shape(shape, look)) {
            return Some(*mesh);
        }
        let (root, geometry) = (&mut self.root, &mut self.geometry);
        let mesh = &self.model.scene.shapes[shape].mesh;
        let add = || geometry.triangles(root, &mesh.vertices, &mesh.triangles);
        let placed = (*self.shapes.entry(shape).or_insert_with(add))?;
        let found = self.mesh(&placed, look, &format!("shape {shape}"));
        self.meshes.insert(MeshKey::Shape(shape, look), found);
        Some(found)
    }

    /// Mesh of the common solid of a unique pair, else of its crossing line; `None` without both.
    fn overlap(&mut self, unique: usize) -> Option<(Index<Mesh>, Vec3)> {
        if let Some(mesh) = self.meshes.get(&MeshKey::Overlap(unique)) {
            return Some(*mesh);
        }
        let overlap = &self.model.overlaps.unique[unique];
        let placed = match &overlap.solid {
            Ok(mesh) => self.geometry.triangles(&mut self.root, &mesh.vertices, &mesh.triangles),
            Err(_) => self.geometry.lines(&mut self.root, &overlap.crossing),
        }?;
        let found = self.mesh(&placed, Look::Overlap, &format!("overlap {unique}"));
        self.meshes.insert(MeshKey::Overlap(unique), found);
        Some(found)
    }

    fn mesh(&mut self, placed: &Placed, look: Look, name: &str) -> (Index<Mesh>, Vec3) {
        let material = self.materials.of(&mut self.root, look);
        let mesh = Mesh {
            name: Some(name.to_owned()),
            primitives: vec![placed.primitive(material)],
            weights: None,
            extensions: None,
            extras: None,
        };
        (self.root.push(mesh), placed.centre)
    }

    /// Adds the root node and packs the file.
    fn finish(mut self, children: Vec<Index<Node>>) -> Result<Vec<u8>, TooLarge> {
        let Model { judged, up, .. } = *self.model;
        let data = RootExtras {
            origin: self.origin.into(),
            report: 1,
            tool: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            assembly: &judged.outcome.name,
            units: judged.outcome.units.name(),
            verdict: if judged.fails() { "fail" } else { "pass" },
        };
        let node = Node {
            name: Some(judged.outcome.name.clone()),
            matrix: Some(upright(&up)),
            children: Some(children).filter(|c| !c.is_empty()),
            extras: extras(&data),
            ..Node::default()
        };
        let node = self.root.push(node);
        let scene = Scene { name: None, nodes: vec![node], extensions: None, extras: None };
        self.root.scene = Some(self.root.push(scene));
        self.root.asset.generator = Some(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned());
        if !self.geometry.bytes.is_empty() {
            let byte_length = USize64::from(self.geometry.bytes.len());
            self.root.push(Buffer { byte_length, name: None, uri: None, extensions: None, extras: None });
        }
        pack(&self.root, &self.geometry.bytes)
    }
}

/// Node of a mesh with a centre; `pose` maps its frame to the root frame, `from` is the origin of the parent.
fn placed(mesh: Option<(Index<Mesh>, Vec3)>, pose: &Pose, from: &Vec3) -> Node {
    let centre = mesh.map_or_else(Vec3::zeros, |(_, centre)| centre);
    Node {
        mesh: mesh.map(|(mesh, _)| mesh),
        // The difference of the translations comes first: it is small far from the origin.
        translation: Some(single(&(pose.translation - from + pose.rotation * centre))),
        rotation: rotation(&pose.rotation),
        ..Node::default()
    }
}

/// Column-major map from the assembly to the model: y up, metres.
fn upright(up: &Vec3) -> [f32; 16] {
    let s = METRES;
    let [x, y, z] = if up.x > 0.5 {
        [[0.0, s, 0.0], [0.0, 0.0, s], [s, 0.0, 0.0]]
    } else if up.y > 0.5 {
        [[s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s]]
    } else {
        [[s, 0.0, 0.0], [0.0, 0.0, -s], [0.0, s, 0.0]]
    };
    [x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, 0.0, 0.0, 0.0, 1.0]
}

/// Container of the document: header, JSON chunk, binary chunk (glTF 2.0, "GLB File Format").
fn pack(root: &Root, bytes: &[u8]) -> Result<Vec<u8>, TooLarge> {
    // Every value of a document converts.
    let mut json = gltf_json::serialize::to_vec(root).map_err(|_| TooLarge)?;
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunks = [(b"JSON", &json[..]), (b"BIN\0", bytes)];
    let chunks = chunks.iter().filter(|(_, content)| !content.is_empty());
    let length: usize = 12 + chunks.clone().map(|(_, content)| 8 + content.len()).sum::<usize>();
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2_u32.to_le_bytes());
    file.extend(u32::try_from(length).map_err(|_| TooLarge)?.to_le_bytes());
    for (kind, content) in chunks {
        file.extend(u32::try_from(content.len()).map_err(|_| TooLarge)?.to_le_bytes());
        file.extend(*kind);
        file.extend(*content);
    }
    Ok(file)
}

fn extras(data: &impl Serialize) -> Extras {
    to_raw_value(data).ok()
}

/// Single precision; −0 becomes 0.
fn single(v: &Vec3) -> [f32; 3] {
    [v.x, v.y, v.z].map(|x| x as f32 + 0.0)
}

/// Quaternion of a rotation; `None` for the identity.
fn rotation(m: &Mat3) -> Option<UnitQuaternion> {
    let q = Rotation::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*m));
    let turned = *m != Mat3::identity();
    turned.then(|| UnitQuaternion([q.i, q.j, q.k, q.w].map(|x| x as f32 + 0.0)))
}
