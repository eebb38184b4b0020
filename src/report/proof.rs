//! Writes the proofs of sweeps for another program to check (docs/reference/proof-file.md). All lengths are mm.

use crate::check::{LeftOut, Outcome, PairProof, ProofClaim, ProofJoint, ProofShape, ProofStep, SweepProofs};
use crate::geom::Vec3;
use crate::json::write::write_json;
use serde::Serialize;
use serde::ser::Serializer;
use std::io::{self, Write};

/// Writes the proofs of an outcome's sweeps.
///
/// # Errors
/// Returns the writer's error.
pub fn render(proofs: &SweepProofs, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        version: 1,
        assembly: Assembly { name: &outcome.name, path: &outcome.path },
        shapes: proofs.shapes.iter().map(|shape| ShapeRow { shape, outcome }).collect(),
        proofs: proofs.proofs.iter().map(|proof| ProofRow { proof, outcome }).collect(),
        left_out: proofs.left_out.iter().map(|left| LeftOutRow::new(left, outcome)).collect(),
    };
    write_json(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    assembly: Assembly<'a>,
    shapes: Vec<ShapeRow<'a>>,
    proofs: Vec<ProofRow<'a>>,
    left_out: Vec<LeftOutRow<'a>>,
}

#[derive(Serialize)]
struct Assembly<'a> {
    name: &'a str,
    path: &'a str,
}

/// A surface.
struct ShapeRow<'a> {
    shape: &'a ProofShape,
    outcome: &'a Outcome,
}

impl Serialize for ShapeRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            part: &'a str,
            mesh: &'a str,
            hash: &'a str,
            geometry: &'static str,
            solid: bool,
            inset_of: Option<u32>,
            origin: [f64; 3],
            vertices: Vec<[f64; 3]>,
            triangles: &'a [[u32; 3]],
        }
        let Self { shape, outcome } = self;
        let part = &outcome.parts[shape.part.0 as usize];
        Row {
            part: &part.key,
            mesh: &part.mesh,
            hash: &part.hash,
            geometry: shape.geometry.name(),
            solid: shape.solid,
            inset_of: shape.inset_of,
            origin: shape.origin.into(),
            vertices: shape.vertices.iter().map(|v| (*v).into()).collect(),
            triangles: &shape.triangles,
        }
        .serialize(serializer)
    }
}

/// A proof.
struct ProofRow<'a> {
    proof: &'a PairProof,
    outcome: &'a Outcome,
}

impl Serialize for ProofRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            run: &'a str,
            segment: u32,
            a: &'a str,
            b: &'a str,
            status: &'static str,
            distance: f64,
            depth: Option<f64>,
            shapes: [u32; 2],
            drawn: PoseRow,
            joints: Vec<JointRow<'a>>,
            ranges: &'a [[f64; 2]],
            steps: Vec<StepRow>,
        }
        let Self { proof, outcome } = self;
        let [a, b] = proof.pair.map(|i| outcome.instances[i.0 as usize].id.as_str());
        let (distance, depth) = match proof.claim {
            ProofClaim::Apart(distance) => (distance, None),
            ProofClaim::Shallow(depth) => (0.0, Some(depth)),
        };
        let rotation = &proof.drawn.rotation;
        Row {
            run: &proof.run,
            segment: proof.segment,
            a,
            b,
            status: proof.status.name(),
            distance,
            depth,
            shapes: proof.shapes,
            drawn: PoseRow {
                rotation: [0, 1, 2].map(|row| [0, 1, 2].map(|column| rotation[(row, column)])),
                translation: proof.drawn.translation.into(),
            },
            joints: proof.joints.iter().map(JointRow::new).collect(),
            ranges: &proof.ranges,
            steps: proof.steps.iter().map(StepRow::new).collect(),
        }
        .serialize(serializer)
    }
}

/// Motion of B's frame into A's frame, with the rows of the rotation.
#[derive(Serialize)]
struct PoseRow {
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

#[derive(Serialize)]
struct JointRow<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    axis: [f64; 3],
    at: [f64; 3],
    lead: Option<f64>,
    rates: &'a [f64],
    offset: f64,
}

impl<'a> JointRow<'a> {
    fn new(joint: &'a ProofJoint) -> Self {
        let ProofJoint { kind, axis, at, lead, rates, offset } = joint;
        let array = |v: &Vec3| <[f64; 3]>::from(*v);
        Self { kind, axis: array(axis), at: array(at), lead: *lead, rates, offset: *offset }
    }
}

/// A step as an array: its kind, then its values.
#[derive(Serialize)]
#[serde(untagged)]
enum StepRow {
    CutTriangles(&'static str, u32),
    CutParameter(&'static str, u32, f64),
    Plane(&'static str, &'static str, [f64; 3]),
    Orbit([&'static str; 1]),
}

impl StepRow {
    fn new(step: &ProofStep) -> Self {
        match *step {
            ProofStep::CutA(at) => Self::CutTriangles("a", at),
            ProofStep::CutB(at) => Self::CutTriangles("b", at),
            ProofStep::CutParameter(parameter, at) => Self::CutParameter("q", parameter, at),
            ProofStep::Plane(plane) => {
                Self::Plane("plane", if plane.moves_b { "b" } else { "a" }, plane.direction.into())
            }
            ProofStep::Orbits => Self::Orbit(["orbit"]),
        }
    }
}

#[derive(Serialize)]
struct LeftOutRow<'a> {
    run: &'a str,
    a: Option<&'a str>,
    b: Option<&'a str>,
    status: Option<&'static str>,
    pairs: Option<u64>,
    reason: &'static str,
}

impl<'a> LeftOutRow<'a> {
    fn new(left: &'a LeftOut, outcome: &'a Outcome) -> Self {
        let ids = left.pair.map(|pair| pair.map(|i| outcome.instances[i.0 as usize].id.as_str()));
        Self {
            run: &left.run,
            a: ids.map(|ids| ids[0]),
            b: ids.map(|ids| ids[1]),
            status: left.status.map(crate::check::Status::name),
            pairs: left.pairs,
            reason: left.reason,
        }
    }
}
