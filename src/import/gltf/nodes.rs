//! Placements and names of the nodes of a glTF scene.

use crate::error::Error;
use crate::geom::{Affine, LengthUnit, Mat3, Vec3};
use crate::import::collect::{Collector, MAX_DEPTH};
use crate::import::gltf::Reader;
use crate::import::gltf::document::{Document, Node};
use crate::import::names::{Siblings, clean};
use crate::import::near_rotation::without_rounding;
use crate::import::refusal::{Refusal, damaged, refuse};

/// Way through the nodes of the default scene.
pub(crate) struct Walk<'a> {
    document: &'a Document,
    file: &'a str,
    roots: Vec<usize>,
    scene: Option<String>,
}

impl<'a> Walk<'a> {
    /// Finds the roots of the default scene, and checks that the nodes form trees.
    ///
    /// # Errors
    /// Refuses a missing scene or node, a cycle, a node with two parents, and too many levels.
    pub(crate) fn new(document: &'a Document, file: &'a str) -> Result<Self, Error> {
        let parents = parents(document, file)?;
        let (roots, scene) = match (document.scene, document.scenes.as_slice()) {
            (Some(k), scenes) => {
                let Some(scene) = scenes.get(k) else {
                    return Err(damaged(file, format!("scene {k} of {} does not exist", scenes.len())));
                };
                (scene.nodes.clone(), scene.name.clone())
            }
            (None, [first, ..]) => (first.nodes.clone(), first.name.clone()),
            (None, []) => {
                let roots = (0..document.nodes.len()).filter(|k| parents[*k].is_none()).collect();
                (roots, None)
            }
        };
        if let Some(bad) = roots.iter().find(|k| **k >= document.nodes.len()) {
            return Err(damaged(file, format!("the scene names node {bad} of {}", document.nodes.len())));
        }
        refuse_cycles(document, &parents, file)?;
        Ok(Self { document, file, roots, scene })
    }

    /// Places the meshes of all nodes; returns the name of the assembly, if the scene has one.
    pub(crate) fn place(&self, reader: &mut Reader<'_>, collector: &mut Collector) -> Result<Option<String>, Error> {
        // A single root without a mesh names the assembly.
        let single = match self.roots.as_slice() {
            [root] if self.document.nodes[*root].mesh.is_none() => Some(*root),
            _ => None,
        };
        let name = single.and_then(|root| self.document.nodes[root].name.clone()).or_else(|| self.scene.clone());
        let mut siblings = Siblings::default();
        let mut reached = vec![false; self.document.nodes.len()];
        let mut waiting: Vec<Waiting> = Vec::new();
        for root in self.roots.iter().rev() {
            waiting.push(Waiting { node: *root, path: None, placement: Affine::identity(), depth: 0 });
        }
        while let Some(next) = waiting.pop() {
            if next.depth > MAX_DEPTH {
                let what = format!("nodes nested deeper than {MAX_DEPTH}");
                return Err(refuse(self.file, Refusal::TooLarge, what, "flatten some of them"));
            }
            let node = &self.document.nodes[next.node];
            reached[next.node] = true;
            let placement = next.placement.after(&own_placement(node, next.node, self.file, reader.units)?);
            let named = node.name.as_deref().and_then(clean);
            let mesh = node.mesh.and_then(|m| self.document.meshes.get(m)?.name.as_deref()).and_then(clean);
            let own = match (named, node.mesh) {
                (Some(name), _) => Some(name),
                (None, Some(_)) => Some(mesh.unwrap_or_else(|| format!("node-{}", next.node))),
                // A node without name and mesh adds no level.
                (None, None) => None,
            };
            let path = if Some(next.node) == single {
                None
            } else {
                match (next.path, own) {
                    (Some(above), Some(own)) => Some(siblings.unique(format!("{above}.{own}"))),
                    (None, Some(own)) => Some(siblings.unique(own)),
                    (above, None) => above,
                }
            };
            if let Some(mesh) = node.mesh {
                if node.skin.is_some() {
                    let what = format!("node {}: a skin", crate::json::wording::one_line(&node_name(node, next.node)));
                    return Err(refuse(self.file, Refusal::Unsupported, what, "export rigid parts, without a skin"));
                }
                if let Some(source) = reader.source(mesh, collector)? {
                    let id = path.clone().unwrap_or_else(|| format!("node-{}", next.node));
                    refuse_singular(&placement, &id, self.file)?;
                    collector.instance(id, source, &placement);
                }
            }
            for child in node.children.iter().rev() {
                waiting.push(Waiting { node: *child, path: path.clone(), placement, depth: next.depth + 1 });
            }
        }
        let nodes = self.document.nodes.iter().zip(&reached).enumerate();
        for (k, (node, _)) in nodes.filter(|(_, (node, reached))| !**reached && node.mesh.is_some()) {
            collector.leave_out("nodes outside the default scene", 1, &node_name(node, k));
        }
        collector.numbered += siblings.numbered;
        Ok(name)
    }
}

struct Waiting {
    node: usize,
    path: Option<String>,
    placement: Affine,
    depth: usize,
}

fn node_name(node: &Node, index: usize) -> String {
    node.name.clone().unwrap_or_else(|| index.to_string())
}

/// Refuses a placement without an inverse, since such a part has no volume.
pub(crate) fn refuse_singular(placement: &Affine, id: &str, file: &str) -> Result<(), Error> {
    let why = crate::assembly::file::placement::singular(&placement.linear);
    let is_near = |x: &f64| x.abs() <= crate::geom::tolerance::MAX_COORDINATE;
    // No number is near if it is none.
    let is_far = !placement.translation.iter().all(is_near);
    let why = why.or_else(|| is_far.then(|| "too far away".to_owned()));
    match why {
        Some(why) => Err(damaged(file, format!("the placement of {id} is {why}"))),
        None => Ok(()),
    }
}

/// Parent of each node.
fn parents(document: &Document, file: &str) -> Result<Vec<Option<usize>>, Error> {
    let mut parents = vec![None; document.nodes.len()];
    for (k, node) in document.nodes.iter().enumerate() {
        for child in &node.children {
            let Some(parent) = parents.get_mut(*child) else {
                return Err(damaged(file, format!("node {k} names child {child} of {}", document.nodes.len())));
            };
            if let Some(first) = parent.replace(k) {
                let what = format!("node {child} is a child of node {first} and of node {k}");
                return Err(damaged(file, what));
            }
        }
    }
    Ok(parents)
}

/// Refuses a cycle, and prints it.
fn refuse_cycles(document: &Document, parents: &[Option<usize>], file: &str) -> Result<(), Error> {
    let mut state = vec![0u32; parents.len()];
    for start in 0..parents.len() {
        let mark = start as u32 + 1;
        let mut at = Some(start);
        while let Some(k) = at.filter(|k| state[*k] == 0) {
            state[k] = mark;
            at = parents[k];
        }
        if let Some(k) = at.filter(|k| state[*k] == mark) {
            let mut names = vec![node_name(&document.nodes[k], k)];
            let mut next = parents[k];
            while let Some(n) = next.filter(|_| names.len() < 20) {
                names.push(node_name(&document.nodes[n], n));
                if n == k {
                    break;
                }
                next = parents[n];
            }
            names.reverse();
            let cycle = crate::json::wording::one_line_of(&names.join(" → "), 400);
            return Err(damaged(file, format!("node cycle: {cycle}")));
        }
    }
    Ok(())
}

/// Placement of a node in its parent's frame, translation in mm. Quaternions are normalised in double precision; one of
/// length zero is refused.
fn own_placement(node: &Node, index: usize, file: &str, units: LengthUnit) -> Result<Affine, Error> {
    if let Some(m) = &node.matrix {
        // Column-major.
        let linear = Mat3::new(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]);
        let translation = Vec3::new(m[12], m[13], m[14]) * units.mm();
        return Ok(without_rounding(Affine { linear, translation }));
    }
    let rotation = match node.rotation {
        Some(quaternion) => crate::assembly::file::rotation::from_quaternion(quaternion).ok_or_else(|| {
            let name = crate::json::wording::one_line(&node_name(node, index));
            damaged(file, format!("node {name}: a rotation by a quaternion of length zero"))
        })?,
        None => Mat3::identity(),
    };
    let scale = node.scale.map_or_else(Mat3::identity, |s| Mat3::from_diagonal(&Vec3::from(s)));
    let translation = node.translation.map_or_else(Vec3::zeros, |t| Vec3::from(t) * units.mm());
    Ok(Affine { linear: rotation * scale, translation })
}
