//! Builds the JSON of the page: `interfere schema page` describes it.

use crate::check::Progress;
use crate::findings::Judged;
use crate::json::wording::is_unsafe_char;
use crate::page::encode::Encoded;
use crate::page::findings::{Line, direction, lines};
use crate::page::motion::{ClosedLoop, Joint, joints, loops, placement, run_lines};
use crate::page::{Found, MAX_LISTED, Options};
use crate::report::json;
use crate::report::sentence::verdict;
use crate::scene::Scene;
use serde::Serialize;
use std::fmt::Write as _;

/// Contents of the page's element `report`. Points and vectors in mm, root frame.
#[derive(Serialize)]
pub(crate) struct Data<'a> {
    version: u32,
    tool: Tool,
    assembly: json::Assembly<'a>,
    /// Length of the assembly's unit (mm).
    mm: f64,
    tolerance: f64,
    up: [f64; 3],
    verdict: &'static str,
    verdict_text: String,
    counts: Vec<(&'static str, u64)>,
    warnings: json::Warnings<'a>,
    pub findings: Vec<Line>,
    /// Number of findings beyond the list.
    not_listed: usize,
    instances: Vec<Instance<'a>>,
    /// Joints of the sliders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<Joint<'a>>,
    loops: Vec<ClosedLoop>,
    meshes: Vec<Mesh>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Instance<'a> {
    id: &'a str,
    part: &'a str,
    /// `None` for an instance that the page leaves out.
    mesh: Option<usize>,
    /// Three rows of the map from the mesh's frame to the root frame.
    placement: [[f64; 4]; 3],
    /// Index of the joint that moves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<u32>,
}

#[derive(Serialize)]
struct Mesh {
    vertices: usize,
    triangles: usize,
    step: f64,
    origin: [f64; 3],
    /// True if the mesh has a definite inside.
    solid: bool,
}

impl<'a> Data<'a> {
    /// Collects everything but the meshes. Cost: that of choosing the views.
    pub(crate) fn new(
        scene: &Scene,
        judged: &'a Judged,
        found: &Found<'_>,
        options: &Options,
        progress: &dyn Progress,
    ) -> Self {
        let o = &judged.outcome;
        let mut listed = lines(scene, judged, found.findings, options, progress);
        let room = MAX_LISTED - listed.len();
        let of_runs = &found.run_findings[..found.run_findings.len().min(room)];
        listed.extend(run_lines(scene, judged, found.runs, of_runs, options));
        let all = found.findings.len() + found.run_findings.len();
        let instance = |(k, i): (usize, &crate::scene::SceneInstance)| {
            let named = &o.instances[k];
            let part = o.parts.get(named.part.0 as usize).map_or("", |p| p.key.as_str());
            let joint = scene.kinematics.joint_of(k);
            Instance { id: &named.id, part, mesh: None, placement: placement(&i.pose), joint }
        };
        Self {
            version: 1,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            assembly: json::Assembly { name: &o.name, path: &o.path, units: o.units.name() },
            mm: o.units.mm(),
            tolerance: o.settings.tolerance,
            up: direction(&options.up),
            verdict: if judged.fails() { "fail" } else { "pass" },
            verdict_text: verdict(judged),
            counts: o.counts.named().map(|(status, n)| (status.name(), n)).collect(),
            warnings: json::Warnings(&o.warnings),
            not_listed: all - listed.len(),
            findings: listed,
            instances: scene.instances.iter().enumerate().map(instance).collect(),
            joints: joints(scene, judged),
            loops: loops(scene),
            meshes: Vec::new(),
        }
    }

    /// Sets the meshes, and the instances that the page shows.
    pub(crate) fn show(&mut self, scene: &Scene, meshes: &[Encoded], shown: &[bool]) {
        let mesh = |(e, shape): (&Encoded, &crate::check::DrawnShape)| Mesh {
            vertices: e.vertices,
            triangles: e.triangles,
            step: e.step,
            origin: [e.origin.x, e.origin.y, e.origin.z],
            solid: shape.solid,
        };
        self.meshes = meshes.iter().zip(scene.shapes.iter()).map(mesh).collect();
        for ((listed, instance), shown) in self.instances.iter_mut().zip(&scene.instances).zip(shown) {
            listed.mesh = shown.then_some(instance.shape);
        }
    }

    /// The contents as JSON that cannot end its element. `<` and characters that hide or turn text occur in strings
    /// only, and are written as `\u003c` and the like.
    pub(crate) fn json(&self) -> String {
        // Strings, numbers and lists always convert.
        let plain = serde_json::to_string(self).unwrap_or_default();
        let mut out = String::with_capacity(plain.len() + 64);
        for c in plain.chars() {
            if c == '<' || is_unsafe_char(c) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            } else {
                out.push(c);
            }
        }
        out
    }
}
