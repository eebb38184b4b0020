//! Pairs with a surface without a definite inside.

use crate::geom::tolerance::roundoff_mm;
use crate::geom::{Mat3, Pose, Vec3};
use crate::mesh::TriMesh;
use crate::query::depth::tests::{Part, part_with, placed, quad};
use crate::query::depth::*;
use crate::shape::surface::Inside;
use crate::testkit::poses::{about_axis, oblique};
use crate::testkit::solids::{block, joined, moved, prism, translated};

const TOLERANCE: f64 = 0.01;

/// Verdicts for a pair with a surface, after docs/explanation/gap.md.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    /// Decided by the distance of the surfaces (mm).
    Distance(f64),
    /// A common ball is thicker than the tolerance: lower bound of the depth (mm).
    Interference(f64),
    /// The hulls overlap by at most the tolerance.
    Contact,
    Undecided,
}

fn verdict(a: &Part, b: &Part) -> Verdict {
    let pose = placed(a, b);
    let margin = roundoff_mm(a.convex.diameter, b.convex.diameter, pose.translation.norm());
    let ask = OverlapQuery { margin, rounding: margin, reach: TOLERANCE, deep: None };
    match classify(a.body(), b.body(), &pose, &ask).relation {
        PairRelation::Beyond(d) => Verdict::Distance(d),
        PairRelation::Apart(apart) => Verdict::Distance(apart.distance),
        PairRelation::Meets(mut m) => {
            m.decide_threshold(TOLERANCE);
            m.refine_to(&Precision::new(0.01, 0.001));
            assert!(m.is_surface() && m.gap_bounds().to_depth()[0] > f64::NEG_INFINITY);
            let [least, most] = m.gap_bounds().to_depth();
            if least > TOLERANCE {
                Verdict::Interference(least)
            } else if most <= TOLERANCE + margin {
                Verdict::Contact
            } else {
                Verdict::Undecided
            }
        }
    }
}

/// Verdicts in both orders, in two orientations.
fn verdicts(a: &TriMesh, a_inside: Inside, b: &TriMesh, b_inside: Inside) -> Vec<Verdict> {
    let mut out = Vec::new();
    for rotation in [Mat3::identity(), oblique()] {
        let pose = Pose { rotation, ..Pose::identity() };
        let (p, q) = (part_with(&moved(a, &pose), a_inside), part_with(&moved(b, &pose), b_inside));
        out.extend([verdict(&p, &q), verdict(&q, &p)]);
    }
    out
}

/// A box of sheets without its lid.
fn open_box(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let mut mesh = block(min, max);
    mesh.triangles.retain(|t| t.iter().any(|&v| mesh.vertices[v as usize].z != max[2]));
    mesh
}

fn all(found: &[Verdict], expected: impl Fn(Verdict) -> bool) -> bool {
    found.iter().all(|v| expected(*v))
}

use Verdict::{Contact, Distance, Interference, Undecided};

#[test]
fn a_block_and_an_open_box() {
    let open = open_box([0.0; 3], [10.0; 3]);
    let against = |b: &TriMesh| verdicts(&open, Inside::Undefined, b, Inside::Solid);
    let found = against(&block([12.0, 2.0, 2.0], [15.0, 5.0, 5.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d > TOLERANCE)), "beside {found:?}");
    let found = against(&block([2.0, 2.0, 12.0], [5.0, 5.0, 15.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d > TOLERANCE)), "above the opening {found:?}");
    let found = against(&block([10.0, 2.0, 2.0], [15.0, 5.0, 5.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d < 1e-12)), "flush {found:?}");
    let found = against(&block([2.0, 2.0, 10.0], [5.0, 5.0, 15.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d > TOLERANCE)), "in the plane of the opening {found:?}");
    let found = against(&block([-1.0, -1.0, 10.0], [11.0, 11.0, 15.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d < 1e-12)), "as a lid {found:?}");
    let found = against(&block([2.0; 3], [5.0; 3]));
    assert!(all(&found, |v| matches!(v, Interference(d) if d > 2.97 && d < 3.0 + 1e-9)), "inside {found:?}");
    let found = against(&block([2.0, 2.0, 2.0], [15.0, 5.0, 5.0]));
    assert!(all(&found, |v| matches!(v, Interference(d) if d > 2.97 && d < 3.0 + 1e-9)), "through a wall {found:?}");
    let found = against(&block([3.0, -5.0, 3.0], [5.0, 15.0, 5.0]));
    assert!(all(&found, |v| matches!(v, Interference(d) if d > 1.98 && d < 2.0 + 1e-9)), "through {found:?}");
    let found = against(&block([9.995, 2.0, 2.0], [15.0, 5.0, 5.0]));
    assert!(all(&found, |v| v == Contact), "pressed by less than the tolerance {found:?}");
    let found = against(&block([9.9, 2.0, 2.0], [15.0, 5.0, 5.0]));
    assert!(all(&found, |v| matches!(v, Interference(d) if d > 0.098 && d < 0.1 + 1e-9)), "pressed {found:?}");
}

#[test]
fn coincident_copies_never_get_a_distance() {
    let (closed, open) = (block([0.0; 3], [10.0; 3]), open_box([0.0; 3], [10.0; 3]));
    let mut l = joined(&[block([0.0; 3], [9.0, 2.0, 1.0]), block([0.0, 3.0, 0.0], [2.0, 9.0, 1.0])]);
    l.triangles.pop();
    for (a, b) in [(&open, &open), (&open, &closed), (&closed, &open), (&l, &l)] {
        let found = verdicts(a, Inside::Undefined, b, Inside::Undefined);
        assert!(all(&found, |v| matches!(v, Undecided | Interference(_))), "{found:?}");
    }
    // Side by side they share planes and face the same way, but have no common area.
    let beside = block([10.0, 0.0, 0.0], [20.0, 10.0, 10.0]);
    let found = verdicts(&open, Inside::Undefined, &beside, Inside::Undefined);
    assert!(all(&found, |v| matches!(v, Distance(d) if d < 1e-12)), "{found:?}");
}

/// A strip around the z axis with half a twist, on a circle of radius 10, width 2.
fn moebius() -> TriMesh {
    let n = 48_u32;
    let vertices = (0..n)
        .flat_map(|k| {
            let a = std::f64::consts::TAU * f64::from(k) / f64::from(n);
            [-1.0, 1.0].map(|s| {
                let r = 10.0 + s * libm::cos(0.5 * a);
                Vec3::new(r * libm::cos(a), r * libm::sin(a), s * libm::sin(0.5 * a))
            })
        })
        .collect();
    let mut triangles = Vec::new();
    for k in 0..n {
        let (p, q) = (2 * k, 2 * k + 1);
        let (r, s) = if k + 1 < n { (p + 2, q + 2) } else { (1, 0) };
        quad(&mut triangles, p, r, s, q);
    }
    TriMesh { vertices, triangles }
}

#[test]
fn a_strip_with_one_side() {
    let strip = moebius();
    let against = |b: &TriMesh| verdicts(&strip, Inside::Undefined, b, Inside::Solid);
    let found = against(&block([-3.0; 3], [3.0; 3]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d > TOLERANCE)), "in the middle {found:?}");
    let found = against(&block([-30.0, -30.0, 1.5], [30.0, 30.0, 4.0]));
    assert!(all(&found, |v| matches!(v, Distance(d) if d > TOLERANCE)), "above {found:?}");
    // The triangles' winding decides if some corner near the seam is enclosed by more than half.
    let found = against(&block([5.0, -2.0, -2.0], [15.0, 2.0, 2.0]));
    assert!(all(&found, |v| matches!(v, Undecided | Interference(_))), "through {found:?}");
    let found = against(&block([-30.0; 3], [30.0; 3]));
    assert!(all(&found, |v| matches!(v, Undecided | Interference(_))), "inside {found:?}");
}

/// A sheet of squares in the plane z = 0, each of this width.
fn sheet(columns: u32, rows: u32, width: f64) -> TriMesh {
    let at = |i: u32, j: u32| Vec3::new(f64::from(i) * width, f64::from(j) * width, 0.0);
    let vertices = (0..=rows).flat_map(|j| (0..=columns).map(move |i| at(i, j))).collect();
    let mut triangles = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let p = j * (columns + 1) + i;
            quad(&mut triangles, p, p + 1, p + columns + 2, p + columns + 1);
        }
    }
    TriMesh { vertices, triangles }
}

/// A sheet bent along the line `x = width · at`, so that its hull has a volume.
fn bent(columns: u32, rows: u32, width: f64, at: u32) -> TriMesh {
    let mut mesh = sheet(columns, rows, width);
    let x = f64::from(at) * width;
    for v in &mut mesh.vertices {
        if v.x > x {
            *v = Vec3::new(x + 0.6 * (v.x - x), v.y, 0.8 * (v.x - x));
        }
    }
    mesh
}

#[test]
fn touching_sheets_do_not_cross() {
    // A flat half continues into a slope: the hulls overlap deeply, triangles are large and touch on edges.
    let a = bent(2, 2, 10.0, 1);
    let against = |b: &TriMesh| verdicts(&a, Inside::Undefined, b, Inside::Undefined);
    let touching = |found: &[Verdict]| all(found, |v| matches!(v, Distance(d) if d < 1e-12));
    let shifted = |m: &TriMesh, t: [f64; 3]| translated(m, Vec3::from(t));
    assert!(touching(&against(&a)), "itself");
    assert!(touching(&against(&shifted(&sheet(3, 3, 4.0), [-5.0, 3.0, 0.0]))), "flush");
    // Upright sheets: on top of it and below it.
    let upright =
        |t: [f64; 3]| moved(&bent(2, 2, 3.0, 1), &Pose { rotation: about_axis(0, 90.0), translation: Vec3::from(t) });
    assert!(touching(&against(&upright([1.0, 7.0, 0.0]))), "standing on it");
    assert!(touching(&against(&upright([1.0, 7.0, -6.0]))), "hanging from it");
    // Edges of one sheet run along edges and diagonals of the other at their intersection.
    for (name, t) in [
        ("row on its middle", [1.0, 7.0, -3.0]),
        ("between", [1.0, 7.0, -2.0]),
        ("row on row", [1.0, 10.0, -3.0]),
        ("on a row", [1.0, 10.0, -2.0]),
    ] {
        let found = against(&upright(t));
        assert!(all(&found, |v| v == Undecided), "{name} {found:?}");
    }
}

#[test]
fn sheet_cutting_solid_along_edges_crosses_it() {
    // Diagonal cut through opposite edges, along the diagonals of the ends, all vertices outside.
    let solid = block([0.0; 3], [10.0; 3]);
    let sheet = |p: [f64; 3], q: [f64; 3]| TriMesh {
        vertices: [p, q]
            .iter()
            .flat_map(|v| [-40.0, 50.0].map(|z| Vec3::new(v[0], v[1], z)))
            .chain([Vec3::new(30.0, 0.0, 0.0)])
            .collect(),
        triangles: vec![[0, 2, 3], [0, 3, 1], [2, 4, 3]],
    };
    for (p, q) in [([-5.0, -5.0, 0.0], [15.0, 15.0, 0.0]), ([-5.0, 15.0, 0.0], [15.0, -5.0, 0.0])] {
        let found = verdicts(&sheet(p, q), Inside::Undefined, &solid, Inside::Solid);
        assert!(all(&found, |v| matches!(v, Undecided | Interference(_))), "{found:?}");
    }
    // A sheet inside the solid, its corners in the solid's faces.
    let inner = bent(2, 2, 5.0, 1);
    let found = verdicts(&inner, Inside::Undefined, &block([0.0, 0.0, -4.0], [8.0, 10.0, 4.0]), Inside::Solid);
    assert!(all(&found, |v| matches!(v, Undecided | Interference(_))), "{found:?}");
    let through = prism(24, 2.0, [-20.0, 30.0]);
    let found = verdicts(&open_box([-10.0; 3], [10.0; 3]), Inside::Undefined, &through, Inside::Solid);
    assert!(all(&found, |v| matches!(v, Interference(d) if d > 3.9)), "{found:?}");
}
