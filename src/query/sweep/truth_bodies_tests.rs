//! Solids over plane polygons, and cases whose truth follows from those polygons.

use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::motion::{ChainJoint, JointKind};
use crate::query::sweep::SweepLimits;
use crate::query::sweep::truth_cases_tests::Case;
use crate::query::sweep::truth_plane_tests::{Outline, gap_of_unions, shifted, truth_of, turned};
use crate::testkit::solids::{extruded, joined};

/// A solid over some convex polygons, in the plane of the motion.
#[derive(Clone)]
pub(crate) struct Plate {
    pub pieces: Vec<Outline>,
    pub mesh: TriMesh,
}

impl Plate {
    /// A prism over a convex polygon from −`half` to `half`.
    pub(crate) fn convex(outline: Outline, half: f64) -> Self {
        let mesh = extruded(&outline, [-half, half]);
        Self { pieces: vec![outline], mesh }
    }

    /// Prisms over separate convex polygons.
    pub(crate) fn several(outlines: Vec<Outline>, half: f64) -> Self {
        let meshes: Vec<TriMesh> = outlines.iter().map(|o| extruded(o, [-half, half])).collect();
        Self { pieces: outlines, mesh: joined(&meshes) }
    }

    /// A prism over a polygon of three convex quadrangles: between a polyline of four points outside and one of four
    /// points inside, both counter-clockwise about the middle of the channel.
    pub(crate) fn channel(outer: [[f64; 2]; 4], inner: [[f64; 2]; 4], half: f64) -> Self {
        let quads: Vec<Outline> = (0..3).map(|k| vec![outer[k], outer[k + 1], inner[k + 1], inner[k]]).collect();
        let row = |z: f64| outer.iter().chain(&inner).map(|p| Vec3::new(p[0], p[1], z)).collect::<Vec<_>>();
        Self { pieces: quads, mesh: swept(&[row(-half), row(half)], &channel_outline(), &channel_caps()) }
    }
}

/// The corners of a channel in order around it.
pub(crate) fn channel_outline() -> [usize; 8] {
    [0, 1, 2, 3, 7, 6, 5, 4]
}

/// The quadrangles of a channel.
pub(crate) fn channel_caps() -> [[usize; 4]; 3] {
    [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6]]
}

/// The solid that a section sweeps through some rows of its corners. `outline` is the order around the section,
/// counter-clockwise seen against the direction of the sweep, `caps` its convex quadrangles.
pub(crate) fn swept(rows: &[Vec<Vec3>], outline: &[usize], caps: &[[usize; 4]]) -> TriMesh {
    let n = rows[0].len();
    let mut triangles = Vec::new();
    let mut quad = |[p, q, r, s]: [usize; 4]| {
        let t = |a: usize, b: usize, c: usize| [a as u32, b as u32, c as u32];
        triangles.extend([t(p, q, r), t(p, r, s)]);
    };
    for k in 0..rows.len() - 1 {
        for i in 0..outline.len() {
            let [a, b] = [outline[i], outline[(i + 1) % outline.len()]];
            quad([k * n + a, k * n + b, (k + 1) * n + b, (k + 1) * n + a]);
        }
    }
    let last = (rows.len() - 1) * n;
    for [p, q, r, s] in caps {
        quad([*s, *r, *q, *p]);
        quad([last + p, last + q, last + r, last + s]);
    }
    TriMesh { vertices: rows.concat(), triangles }
}

/// Moves a polygon by the joints of its part, nearest the part first.
fn placed(outline: &Outline, joints: &[ChainJoint], q: f64) -> Outline {
    joints.iter().fold(outline.clone(), |o, j| {
        let value = j.law.rates[0] * q + j.law.offset;
        match j.joint.kind {
            JointKind::Prismatic => shifted(&o, [j.joint.axis.x * value, j.joint.axis.y * value]),
            _ => turned(&o, value, [j.joint.at.x, j.joint.at.y]),
        }
    })
}

/// Signed gap of two plates at a value of the parameter (mm).
pub(crate) fn gap_at(plates: &[Plate; 2], joints: &[Vec<ChainJoint>; 2], q: f64) -> f64 {
    let at = |side: usize| plates[side].pieces.iter().map(|o| placed(o, &joints[side], q)).collect::<Vec<_>>();
    gap_of_unions(&at(0), &at(1))
}

/// A case whose truth follows from the polygons.
pub(crate) fn plane_case(
    name: &'static str,
    plates: &[Plate; 2],
    joints: [Vec<ChainJoint>; 2],
    range: [f64; 2],
    limits: SweepLimits,
) -> Case {
    let truth = truth_of(range, &limits, |q| gap_at(plates, &joints, q));
    Case { name, parts: plates.each_ref().map(|p| p.mesh.clone()), joints, range, limits, truth }
}
