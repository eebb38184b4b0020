//! Are separating translations the shortest ones? For solids made of axis-aligned blocks the shortest is known by
//! enumeration: a translation separates them if it lies outside all open boxes `A's block − B's block`. The shortest
//! one has each coordinate at 0 or at a side of one of these boxes.

use crate::support::Rng;
use crate::support::solids::{ball, block, cells, finer, hull_of, joined, prism, tube};
use crate::support::two::Two;
use interfere::internals::assembly::{Assembly, Geometry, RuleAction};
use interfere::internals::check::{NoProgress, Options, PairOutcome, Relation, check};
use interfere::internals::error::WarningCode;
use interfere::internals::geom::{Affine, LengthUnit, Pose, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;

type Block = [[f64; 3]; 2];

/// Relative rounding error of a length (share of the parts' size).
const ROUNDING: f64 = 1e-11;

fn solid(blocks: &[Block]) -> TriMesh {
    let planes = [0, 1, 2].map(|k| {
        let mut at: Vec<f64> = blocks.iter().flat_map(|[low, high]| [low[k], high[k]]).collect();
        at.sort_by(f64::total_cmp);
        at.dedup();
        at
    });
    cells(planes.each_ref().map(Vec::as_slice), |at| {
        let middle = [0, 1, 2].map(|k| 0.5 * (planes[k][at[k]] + planes[k][at[k] + 1]));
        blocks.iter().any(|[low, high]| (0..3).all(|k| low[k] < middle[k] && middle[k] < high[k]))
    })
}

/// Length of the shortest translation of B separating all blocks.
fn shortest(a: &[Block], b: &[Block]) -> f64 {
    let mut open: Vec<Block> = Vec::new();
    for [low, high] in a {
        for [from, to] in b {
            open.push([[0, 1, 2].map(|k| low[k] - to[k]), [0, 1, 2].map(|k| high[k] - from[k])]);
        }
    }
    let values = [0, 1, 2].map(|k| {
        let mut at: Vec<f64> = open.iter().flat_map(|[low, high]| [low[k], high[k]]).chain([0.0]).collect();
        at.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
        at
    });
    let mut best = f64::INFINITY;
    for &x in &values[0] {
        for &y in &values[1] {
            for &z in &values[2] {
                let t = [x, y, z];
                let length = Vec3::from(t).norm();
                if length >= best {
                    break;
                }
                // The sides are summed in another order: a point inside by rounding only counts as outside.
                let inside = |[low, high]: &Block| (0..3).all(|k| low[k] + 1e-12 < t[k] && t[k] < high[k] - 1e-12);
                if !open.iter().any(inside) {
                    best = length;
                }
            }
        }
    }
    best
}

fn extent(low: [f64; 3], high: [f64; 3]) -> Block {
    [low, high]
}

/// A plate with a square hole, and a pin in the hole, too thick on one side or on all.
fn pin(r: &mut Rng) -> [Vec<Block>; 2] {
    let (hole, wall, tall) = (r.range(2.0, 4.0), r.range(8.0, 12.0), r.range(1.0, 5.0));
    let out = hole + wall;
    let plate = vec![
        extent([-out, -out, 0.0], [out, -hole, tall]),
        extent([-out, hole, 0.0], [out, out, tall]),
        extent([-out, -hole, 0.0], [-hole, hole, tall]),
        extent([hole, -hole, 0.0], [out, hole, tall]),
    ];
    let thick = hole + r.range(0.001, 0.3);
    let low = r.range(-3.0, 0.5) * tall;
    (plate, vec![extent([-thick, -thick, low], [thick, thick, low + r.range(1.0, 4.0) * tall])]).into()
}

/// An L, and a second L in its corner, pressed into one wall or both, or beyond the corner.
fn corner(r: &mut Rng) -> [Vec<Block>; 2] {
    let (long, deep) = (r.range(5.0, 10.0), r.range(2.0, 6.0));
    let angle = |x: f64, z: f64, thick: f64, long: f64, y: [f64; 2]| {
        vec![
            extent([x, y[0], z], [x + long, y[1], z + thick]),
            extent([x, y[0], z + thick], [x + thick, y[1], z + long]),
        ]
    };
    let (x, z) = (r.range(0.2, 1.4), r.range(0.2, 1.4));
    let y = r.range(-0.5, 0.5) * deep;
    [angle(0.0, 0.0, 1.0, long, [0.0, deep]), angle(x, z, r.range(0.5, 1.5), r.range(2.0, 6.0), [y, y + deep])]
}

/// Combs with interlocking teeth, shifted into each other.
fn combs(r: &mut Rng) -> [Vec<Block>; 2] {
    let (teeth, wide, long) = (2 + r.below(3), r.range(0.5, 1.0), r.range(1.0, 8.0));
    let pitch = 2.0 * wide + r.range(0.0, 0.4);
    let depth = r.range(1.0, 6.0);
    let comb = |x: f64, back: f64, from: f64| {
        let spine = extent([x - 0.3, 0.0, back], [x + pitch * teeth as f64, depth, back + 1.0]);
        let tooth = |k: usize| {
            let x = x + pitch * k as f64;
            extent([x, 0.0, from], [x + wide, depth, from + long])
        };
        std::iter::once(spine).chain((0..teeth).map(tooth)).collect::<Vec<_>>()
    };
    let end = r.range(-0.3, 0.5);
    [comb(0.0, -1.0, 0.0), comb(wide - r.range(0.0, 0.4), long + end, end)]
}

/// Two interlocked hooks.
fn hooks(r: &mut Rng) -> [Vec<Block>; 2] {
    let (w, slot, depth) = (r.range(0.8, 1.2), r.range(1.0, 1.6), r.range(1.0, 6.0));
    let hook = [
        extent([0.0, 0.0, 0.0], [w, depth, 6.0 * w]),
        extent([w, 0.0, 0.0], [2.0 * w + slot, depth, w]),
        extent([w + slot, 0.0, w], [2.0 * w + slot, depth, 2.5 * w]),
    ];
    let shift = [2.0 * (w + slot) + r.range(-0.3, 0.3), r.range(-0.4, 0.4) * depth, 3.5 * w + r.range(-0.3, 0.5)];
    let turned = hook.map(|[low, high]| {
        let [x, y, z] = shift;
        [[x - high[0], low[1] + y, z - high[2]], [x - low[0], high[1] + y, z - low[2]]]
    });
    [hook.to_vec(), turned.to_vec()]
}

/// Two linked square rings, pulled too tight.
fn chain(r: &mut Rng) -> [Vec<Block>; 2] {
    let (wire, clear) = (r.range(0.5, 1.5), r.range(1.5, 4.0));
    let (outer, thick) = (clear + wire, r.range(0.3, 0.9));
    let link = |middle: [f64; 3], flat: bool| {
        let bars = [
            [[-outer, -outer], [-clear, outer]],
            [[clear, -outer], [outer, outer]],
            [[-clear, -outer], [clear, -clear]],
            [[-clear, clear], [clear, outer]],
        ];
        let place = |p: [f64; 2], z: f64| {
            let [x, y, z] = if flat { [p[0], p[1], z] } else { [p[0], z, p[1]] };
            [x + middle[0], y + middle[1], z + middle[2]]
        };
        bars.map(|[low, high]| [place(low, -thick), place(high, thick)]).to_vec()
    };
    let other = [2.0 * clear + r.range(-0.3, 0.4), r.range(-0.3, 0.3) * clear, r.range(-0.3, 0.3) * clear];
    [link([0.0; 3], true), link(other, false)]
}

/// A box in a pocket open at the top, through its floor or into one or two of its walls.
fn pocket(r: &mut Rng) -> [Vec<Block>; 2] {
    let (half, wall, deep) = (r.range(2.0, 5.0), r.range(1.0, 4.0), r.range(0.5, 6.0));
    let out = half + wall;
    let a = vec![
        extent([-out, -out, -wall], [out, out, 0.0]),
        extent([-out, -out, 0.0], [out, -half, deep]),
        extent([-out, half, 0.0], [out, out, deep]),
        extent([-out, -half, 0.0], [-half, half, deep]),
        extent([half, -half, 0.0], [out, half, deep]),
    ];
    let side = |r: &mut Rng| half * r.range(0.9, 1.05);
    let low = r.range(-0.5, 0.3);
    let b = extent([-side(r), -side(r), low], [side(r), side(r), low + r.range(1.0, 6.0)]);
    [a, vec![b]]
}

/// A tongue with a head in a T-shaped groove, pushed in from one end.
fn groove(r: &mut Rng) -> [Vec<Block>; 2] {
    let (neck, head, long) = (r.range(1.0, 2.0), r.range(2.5, 4.0), r.range(6.0, 12.0));
    let (low, high, out) = (r.range(1.0, 2.0), r.range(1.0, 2.0), 7.0);
    let top = low + high;
    let a = vec![
        extent([-out, 0.0, -2.0], [out, long, 0.0]),
        extent([-out, 0.0, 0.0], [-head, long, low]),
        extent([head, 0.0, 0.0], [out, long, low]),
        extent([-out, 0.0, low], [-neck, long, top]),
        extent([neck, 0.0, low], [out, long, top]),
    ];
    let (play, y) = (r.range(-0.2, 0.1), r.range(0.05, 0.9) * long);
    let b = vec![
        extent([-head + play, y, play], [head - play, y + long, low - 0.1]),
        extent([-neck + play, y, low - 0.1], [neck - play, y + long, top + 3.0]),
    ];
    [a, b]
}

/// Heaps of blocks through a middle one.
fn heaps(r: &mut Rng) -> [Vec<Block>; 2] {
    let heap = |r: &mut Rng, at: [f64; 3]| {
        let mut blocks = Vec::new();
        for _ in 0..4 {
            // All contain the middle.
            let mut span = || [0, 1, 2].map(|k| at[k] + r.range(0.2, 4.0));
            let (high, low) = (span(), span());
            blocks.push([[0, 1, 2].map(|k| 2.0 * at[k] - low[k]), high]);
        }
        blocks
    };
    let at = [0, 1, 2].map(|_| r.range(-2.0, 2.0));
    [heap(r, [0.0; 3]), heap(r, at)]
}

fn translation(row: &PairOutcome) -> (Vec3, f64) {
    let (Some(t), Some(length)) = (row.separating_translation, row.penetration_depth) else {
        panic!("no translation: {row:?}")
    };
    assert!((t.norm() - length).abs() <= 1e-12 * length);
    let Some(n) = row.normal else { panic!("no normal") };
    assert!((n - t / length).norm() < 1e-9, "{n:?} {t:?}");
    (t, length)
}

/// Depth of the overlap remaining after moving B (mm).
fn left_over(two: &Two, by: Vec3) -> f64 {
    let moved = Two { report_within: Some(1e3), ..two.with_second_moved(by) };
    let outcome = moved.check();
    outcome.pairs.first().and_then(|p| p.gap).map_or(0.0, |gap| (-gap).max(0.0))
}

/// Reported length, checked: the translation separates, and if it is the shortest, a smaller multiple of it does not.
fn verified(two: &Two, known: f64) -> Option<f64> {
    let row = Two { report_within: Some(1e3), ..two.clone() }.row();
    if row.gap.is_some_and(|g| g >= 0.0) {
        assert!(row.separating_translation.is_none() && row.penetration_depth.is_none());
        return None;
    }
    let (t, length) = translation(&row);
    let rounding = ROUNDING * two.size();
    let depth = row.overlap_depth.expect("it overlaps");
    assert!(length >= depth * (1.0 - 1e-12), "{length} is shorter than the overlap is deep, {depth}");
    assert!(length >= known - rounding, "{length}, but the shortest is {known}");
    let left = left_over(two, t * (1.0 + 1e-9));
    assert!(left <= rounding, "{left} is left in common after {t:?}");
    if length <= known * (1.0 + 1e-6) + rounding && length > 1e3 * rounding {
        assert!(left_over(two, t * 0.98) > 0.0, "0.98 of the shortest, {t:?}, separates");
    }
    Some(length)
}

type Family = fn(&mut Rng) -> [Vec<Block>; 2];

const FAMILIES: [(&str, Family); 8] = [
    ("pin", pin),
    ("corner", corner),
    ("combs", combs),
    ("hooks", hooks),
    ("chain", chain),
    ("pocket", pocket),
    ("groove", groove),
    ("heaps", heaps),
];

#[test]
fn translations_separate_and_are_almost_shortest() {
    let pairs = if std::env::var_os("INTERFERE_FULL").is_some() { 200 } else { 10 };
    let (mut all, mut good, mut exact, mut longer) = (0, 0, 0, Vec::new());
    for (f, (name, make)) in FAMILIES.into_iter().enumerate() {
        for k in 0..pairs {
            let mut r = Rng::new(7919 * f as u64 + k);
            let [a, b] = make(&mut r);
            let known = shortest(&a, &b);
            let plain = Two::new(solid(&a), solid(&b));
            for two in [plain.moved(&r.pose(30.0)), plain] {
                let Some(length) = verified(&two, known) else { continue };
                let ratio = length / known;
                all += 1;
                good += usize::from(ratio <= 1.05);
                exact += usize::from(length <= known * (1.0 + 1e-6) + ROUNDING * two.size());
                if ratio > 1.05 {
                    longer.push(format!("{name} {k}: {length} for {known}"));
                }
            }
        }
    }
    println!("{all} pairs, {good} within 5 %, {exact} the shortest; longer:\n{}", longer.join("\n"));
    assert!(all >= 10 * pairs as usize, "{all}");
    assert!(good * 100 >= all * 95, "{good} of {all}:\n{}", longer.join("\n"));
}

/// All blocks as overlapping shells of one part.
fn shells(blocks: &[Block]) -> TriMesh {
    joined(&blocks.iter().map(|[low, high]| block(*low, *high)).collect::<Vec<_>>())
}

#[test]
fn overlapping_shells_are_measured_as_their_union() {
    let pairs = if std::env::var_os("INTERFERE_FULL").is_some() { 60 } else { 4 };
    // Two shells across each other, far from every other block.
    let far = [extent([90.0, -9.0, -1.0], [99.0, 9.0, 1.0]), extent([94.0, -1.0, -9.0], [95.0, 1.0, 9.0])];
    let depths = |row: &PairOutcome| row.gap_bracket.expect("it has bounds").to_depth();
    let (mut all, mut warned) = (0, [0; 2]);
    for (f, (name, make)) in FAMILIES.into_iter().enumerate() {
        for k in 0..pairs {
            let mut r = Rng::new(104_729 * f as u64 + k);
            let [a, b] = make(&mut r);
            let (known, pose) = (shortest(&a, &b), r.pose(30.0));
            let united = Two { report_within: Some(1e3), ..Two::new(solid(&a), solid(&b)).moved(&pose) }.row();
            // Few triangles of the first one do not bound its solid.
            let given = [joined(&[finer(&finer(&solid(&a))), shells(&far)]), shells(&a)];
            for (one, warned) in given.into_iter().zip(&mut warned) {
                let two = Two { report_within: Some(1e3), ..Two::new(one, solid(&b)).moved(&pose) };
                if verified(&two, known).is_none() {
                    continue;
                }
                all += 1;
                let outcome = two.check();
                *warned += usize::from(outcome.warnings.iter().any(|w| w.code == WarningCode::OverlappingShells));
                let (row, of) = (two.row(), |row: &PairOutcome| row.overlap_volume.expect("it has a volume"));
                let (volume, expected) = (of(&row), of(&united));
                // Rounded positions, some 1e-13 mm off, over an area of some 100 mm².
                let rounding = 1e-9 * expected + 1e-10;
                assert!((volume - expected).abs() <= rounding, "{name} {k}: {volume} for {expected}");
                let ([low, high], [least, most]) = (depths(&row), depths(&united));
                assert!(low <= most + 1e-9 && least <= high + 1e-9, "{name} {k}: {low} {high}, {least} {most}");
            }
        }
    }
    assert!(all >= 8 * pairs as usize, "{all}");
    // Far shells need no self-union, those of the overlap do.
    assert!(warned[0] == 0 && warned[1] > pairs as usize, "{warned:?}");
}

#[test]
fn a_dovetail_comes_out_along_its_groove() {
    let mut r = Rng::new(11);
    for slide in [0.3, 1.0, 2.5] {
        // A trapezium prism in a groove of its shape, 0.05 too large for it.
        let groove = slanted(
            &[[-8.0, -3.0], [8.0, -3.0], [8.0, 3.0], [3.0, 3.0], [5.0, 0.0], [-5.0, 0.0], [-3.0, 3.0], [-8.0, 3.0]],
            [0.0, 12.0],
        );
        let tail = slanted(&[[-5.1, -0.05], [5.1, -0.05], [3.1, 2.95], [-3.1, 2.95]], [12.0 - slide, 24.0]);
        let plain = Two::new(groove, tail);
        for two in [plain.moved(&r.pose(20.0)), plain] {
            let length = verified(&two, slide.min(3.05)).expect("it overlaps");
            assert!(length <= slide * 1.05 + 1e-9, "{length} for {slide}");
        }
    }
}

/// A prism along y over a polygon of the xz plane, counter-clockwise seen from −y. Its ends are fans around a corner in
/// sight of the whole polygon, or cut by ears.
fn slanted(polygon: &[[f64; 2]], y: [f64; 2]) -> TriMesh {
    let n = polygon.len() as u32;
    let vertices = y.iter().flat_map(|&y| polygon.iter().map(move |p| Vec3::new(p[0], y, p[1]))).collect();
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    let mut left: Vec<u32> = (0..n).collect();
    let turn = |a: u32, b: u32, c: u32| {
        let [p, q, r] = [a, b, c].map(|v| polygon[v as usize]);
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    while left.len() > 2 {
        let m = left.len();
        let ear = (0..m)
            .find(|&k| {
                let [a, b, c] = [left[(k + m - 1) % m], left[k], left[(k + 1) % m]];
                let holds = |v: &u32| {
                    ![a, b, c].contains(v) && turn(a, b, *v) >= 0.0 && turn(b, c, *v) >= 0.0 && turn(c, a, *v) >= 0.0
                };
                turn(a, b, c) > 0.0 && !left.iter().any(holds)
            })
            .expect("a polygon has ears");
        let [a, b, c] = [left[(ear + m - 1) % m], left[ear], left[(ear + 1) % m]];
        triangles.extend([[a, c, b], [n + a, n + b, n + c]]);
        left.remove(ear);
    }
    // Seen from −y the winding of the polygon is opposite to that of a prism along z.
    let triangles = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
    TriMesh { vertices, triangles }
}

/// Rays of a thread's mesh around the axis.
const RAYS: i32 = 16;

/// Profile of a thread: flats at two radii, flanks between them; four rows of points in a pitch.
#[derive(Clone, Copy)]
struct Thread {
    pitch: f64,
    radii: [f64; 2],
    /// Position of each row in pitches: begin and end of the outer flat, then of the inner one.
    rows: [f64; 4],
}

impl Thread {
    /// Thread with flanks of a quarter of the pitch, `play` (mm) thinner than a groove of parallel flanks.
    fn new(pitch: f64, radii: [f64; 2], play: f64) -> Self {
        let p = 0.5 * play / pitch;
        Self { pitch, radii, rows: [p, 0.25 - p, 0.5 - p, 0.75 + p] }
    }

    fn at(&self, k: i32, j: i32) -> Vec3 {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(RAYS);
        let row = j.rem_euclid(4) as usize;
        let r = self.radii[usize::from(row > 1)];
        let turns = f64::from(j.div_euclid(4)) + self.rows[row] + f64::from(k) / f64::from(RAYS);
        Vec3::new(r * libm::cos(angle), r * libm::sin(angle), self.pitch * turns)
    }
}

/// Surfaces winding around an axis.
#[derive(Default)]
struct Winding {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Winding {
    /// Adds a band between two rows; returns the index of each of its points.
    fn band(&mut self, rows: [i32; 2], thread: &Thread, outward: bool) -> impl Fn(i32, i32) -> u32 + use<> {
        let first = self.vertices.len() as u32;
        let tall = rows[1] - rows[0] + 5;
        for k in 0..RAYS {
            // One turn is four rows up: the first ray's points extend that far.
            self.vertices.extend((0..tall).map(|j| thread.at(k, rows[0] + j)));
        }
        let low = rows[0];
        let at = move |k: i32, j: i32| {
            let (k, j) = if k == RAYS { (0, j + 4) } else { (k, j) };
            first + (k * tall + j - low) as u32
        };
        for (k, j) in (0..RAYS).flat_map(|k| (rows[0]..rows[1]).map(move |j| (k, j))) {
            self.quad([at(k, j), at(k + 1, j), at(k + 1, j + 1), at(k, j + 1)], outward);
        }
        at
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4], forward: bool) {
        for [x, y, z] in [[a, b, c], [a, c, d]] {
            self.triangles.push(if forward { [x, y, z] } else { [x, z, y] });
        }
    }

    /// Mesh without unused points.
    fn mesh(self) -> TriMesh {
        let mut used = vec![None; self.vertices.len()];
        let mut vertices = Vec::new();
        let mut number = |v: u32| {
            *used[v as usize].get_or_insert_with(|| {
                vertices.push(self.vertices[v as usize]);
                vertices.len() as u32 - 1
            })
        };
        let triangles = self.triangles.iter().map(|t| t.map(&mut number)).collect();
        TriMesh { vertices, triangles }
    }
}

/// A bolt, its ends closed by cones.
fn bolt(rows: [i32; 2], thread: &Thread) -> TriMesh {
    let mut w = Winding::default();
    let at = w.band(rows, thread, true);
    for (j, end) in [(rows[0], -2.0), (rows[1], 3.0)] {
        let tip = w.vertices.len() as u32;
        w.vertices.push(Vec3::new(0.0, 0.0, thread.at(0, j).z + end * thread.pitch));
        // Around, then down the step back to the start.
        let around =
            (0..RAYS).map(|k| [at(k, j), at(k + 1, j)]).chain((0..4).rev().map(|s| [at(0, j + s + 1), at(0, j + s)]));
        let cone: Vec<[u32; 3]> = around.map(|[a, b]| if end < 0.0 { [b, a, tip] } else { [a, b, tip] }).collect();
        w.triangles.extend(cone);
    }
    w.mesh()
}

/// A nut with the thread inside.
fn nut(rows: [i32; 2], thread: &Thread, outer: f64) -> TriMesh {
    let mut w = Winding::default();
    let inside = w.band(rows, thread, false);
    let outside = w.band(rows, &Thread { radii: [outer; 2], ..*thread }, true);
    for (j, top) in [(rows[0], false), (rows[1], true)] {
        for k in 0..RAYS {
            w.quad([inside(k, j), outside(k, j), outside(k + 1, j), inside(k + 1, j)], top);
        }
        for j in j..j + 4 {
            w.quad([inside(0, j + 1), outside(0, j + 1), outside(0, j), inside(0, j)], top);
        }
    }
    w.mesh()
}

#[test]
fn a_bolt_comes_free_of_its_nut_along_its_thread() {
    let mut r = Rng::new(17);
    let fits = [
        (1.0, [3.0, 2.45], 0.05, 0.02),
        (2.0, [8.0, 6.9], 0.2, -0.3),
        (1.0, [3.0, 2.45], 0.1, -0.15),
        (1.25, [4.0, 3.3], 0.02, 0.1),
        (0.5, [1.5, 1.2], 0.04, 0.004),
    ];
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let (mut all, mut good, mut told) = (0, 0, Vec::new());
    for (k, (pitch, radii, play, press)) in fits.into_iter().take(if full { fits.len() } else { 2 }).enumerate() {
        // The bolt presses on one flank of its thread, all around. The normals of the touching facets add up to the
        // axis, so the translation along the axis is the shortest.
        let turns = if full { 4 } else { 2 };
        let thread = bolt([-4, 4 * turns + 4], &Thread::new(pitch, radii, play));
        let shift = press + f64::copysign(0.5 * play, press);
        let wrong = crate::support::solids::translated(&thread, Vec3::new(0.0, 0.0, shift));
        let plain = Two::new(nut([0, 4 * turns], &Thread::new(pitch, radii, 0.0), 2.0 * radii[0]), wrong);
        let poses = [plain.moved(&r.pose(30.0)), plain];
        for two in if full { &poses[..] } else { &poses[k..=k] } {
            let length = verified(two, press.abs()).expect("it overlaps");
            all += 1;
            good += usize::from(length <= 1.05 * press.abs());
            told.push(format!("pitch {pitch}: {length} for {}", press.abs()));
        }
    }
    println!("{}", told.join("\n"));
    assert!(all == if full { 10 } else { 2 } && good == all, "{good} of {all}:\n{}", told.join("\n"));
}

#[test]
fn a_press_fit_comes_out_of_its_bore_axially() {
    let mut r = Rng::new(5);
    for (sides, over) in [(12, 0.02), (24, 0.005), (36, 0.1)] {
        let bushing = tube(sides, 30.0, 4.0, [0.0, 5.0]);
        let stick_out = 1.5;
        let pin = prism(sides, 4.0 + over, [-20.0, 5.0 - stick_out]);
        // The far end is the shorter exit: 20 + 5 through the near end, 5 − 1.5 through the far end.
        let known = 5.0 - stick_out;
        let plain = Two::new(bushing, pin);
        for two in [plain.moved(&r.pose(50.0)), plain] {
            let length = verified(&two, known).expect("it overlaps");
            assert!(length <= known * 1.05, "{length} for {known}");
        }
    }
}

#[test]
fn enclosed_ball_has_a_separating_translation() {
    let big = ball(10.0, 2);
    let small = ball(2.0, 2);
    let two = Two::new(big, crate::support::solids::translated(&small, Vec3::new(3.0, 1.0, 0.5)));
    let row = two.row();
    assert_eq!(row.relation, Some(Relation::AContainsB));
    let (t, _) = translation(&row);
    assert!(left_over(&two, t * (1.0 + 1e-9)) <= ROUNDING * two.size());
}

#[test]
fn convex_pairs_have_almost_shortest_translation() {
    let mut r = Rng::new(3);
    let (mut pairs, mut within) = (0, 0);
    for _ in 0..24 {
        let (Some(a), Some(b)) = (hull_of(&r.cloud(5.0)), hull_of(&r.cloud(5.0))) else { continue };
        let pose = Pose { rotation: r.rotation(), translation: r.in_ball() * 3.0 };
        let two = Two::new(a.clone(), b).moved(&r.pose(10.0));
        let mut two = two;
        two.placements[1] = Affine { linear: pose.rotation, translation: pose.translation };
        two.placements[0] = Affine::identity();
        two.report_within = Some(1e3);
        let row = two.row();
        if row.gap.is_none_or(|g| g > -1e-6) {
            continue;
        }
        let (_, exact) = translation(&row);
        // A distant speck makes the first part concave and leaves the answer unchanged.
        let speck = block([60.0, 60.0, 60.0], [60.1, 60.1, 60.1]);
        let spoilt =
            Two { meshes: [crate::support::solids::joined(&[a, speck]), two.meshes[1].clone()], ..two.clone() };
        let length = verified(&spoilt, exact - 1e-9).expect("it overlaps");
        pairs += 1;
        within += usize::from(length <= 1.05 * exact);
    }
    println!("{within} of {pairs} within 5 %");
    assert!(pairs >= 10 && within * 100 >= 95 * pairs, "{within} of {pairs}");
}

#[test]
fn swapping_parts_negates_the_translation() {
    let mut r = Rng::new(23);
    for (f, (_, make)) in FAMILIES.into_iter().enumerate() {
        let [a, b] = make(&mut Rng::new(100 + f as u64));
        let two = Two { report_within: Some(1e3), ..Two::new(solid(&a), solid(&b)).moved(&r.pose(10.0)) };
        let swapped = Two { ids: ["b", "a"], ..two.clone() };
        let (row, other) = (two.row(), swapped.row());
        let (Some(t), Some(s)) = (row.separating_translation, other.separating_translation) else {
            assert!(row.gap >= Some(0.0));
            continue;
        };
        assert!((t + s).norm() <= 1e-3 * t.norm(), "{t:?} {s:?}");
    }
}

#[test]
fn fix_lists_collisions_of_the_moved_part() {
    let fixes = |room: f64, verb: Option<RuleAction>| {
        let at = |x: f64| Affine { translation: Vec3::new(x, 0.0, 0.0), ..Affine::identity() };
        let mut builder = Assembly::builder("row", LengthUnit::Mm)
            .part("box", block([0.0, 0.0, 0.0], [2.0, 9.0, 9.0]))
            .instance("a", "box", at(0.0))
            .instance("b", "box", at(1.75))
            .instance("c", "box", at(3.75 + room))
            // With these, b is not beside most others, so b moves and not a.
            .instance("d", "box", at(100.0))
            .instance("e", "box", at(200.0));
        if let Some(verb) = verb {
            builder = builder.rule("b", "c", verb, None);
        }
        let assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
        let options = Options { fixes: 5, ..Options::default() };
        let outcome = check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
        assert!(outcome.fixes.len() <= 5);
        let row = outcome.pairs.iter().find(|p| outcome.id(p.a) == "a" && outcome.id(p.b) == "b").expect("listed");
        let fix = outcome.fix_of(row).expect("a and b interfere");
        assert!((fix.translation - Vec3::new(0.25, 0.0, 0.0)).norm() < 1e-9);
        let into = fix.moves_into.clone().expect("there are few");
        into.into_iter().map(|c| outcome.id(c).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fixes(1.0, None), Vec::<String>::new());
    assert_eq!(fixes(0.1, None), ["c"]);
    // A flush end position is contact, a growing overlap counts, and rules of the pair still apply.
    assert_eq!(fixes(0.25, None), Vec::<String>::new());
    assert_eq!(fixes(-0.05, None), ["c"]);
    assert_eq!(fixes(0.1, Some(RuleAction::Ignore)), Vec::<String>::new());
    assert_eq!(fixes(0.1, Some(RuleAction::AllowDepth(0.2))), Vec::<String>::new());
    assert_eq!(fixes(1.0, Some(RuleAction::MinClearance(0.9))), ["c"]);
}

#[test]
fn a_growing_overlap_counts_however_deep_it_was() {
    let at = |x: f64| Affine { translation: Vec3::new(x, 0.0, 0.0), ..Affine::identity() };
    let moves_into = |c: f64| {
        let assembly = Assembly::builder("row", LengthUnit::Mm)
            .part("box", block([0.0, 0.0, 0.0], [40.0, 90.0, 90.0]))
            .instance("a", "box", at(0.0))
            .instance("b", "box", at(39.75))
            .instance("c", "box", at(c))
            .instance("d", "box", at(1000.0))
            .instance("e", "box", at(2000.0))
            .build()
            .unwrap_or_else(|e| panic!("{e}"));
        let options = Options { fixes: 5, ..Options::default() };
        let outcome = check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
        let row = outcome.pairs.iter().find(|p| outcome.id(p.a) == "a" && outcome.id(p.b) == "b").expect("listed");
        outcome.fix_of(row).expect("a and b interfere").moves_into.clone().expect("there are few").len()
    };
    // The move by 0.25 mm deepens the overlap with c from 20 to 20.25 mm, or lessens it.
    assert_eq!(moves_into(59.75), 1);
    assert_eq!(moves_into(19.75), 0);
}

#[test]
fn no_translation_is_longer_than_that_of_the_hulls() {
    // Rounded to single precision, a sphere is not convex any more, and its triangles decide.
    let rounded = |rng: &mut Rng| {
        let turn = rng.rotation();
        let mut mesh = ball(10.0, 3);
        mesh.vertices.iter_mut().for_each(|v| *v = (turn * *v).map(|x| f64::from(x as f32)));
        mesh
    };
    let mut rng = Rng::new(9);
    for _ in 0..12 {
        let [a, b] = [rounded(&mut rng), rounded(&mut rng)];
        let way = rng.direction() * rng.range(16.0, 19.5);
        let lengths = [Geometry::Exact, Geometry::Hull].map(|geometry| {
            let place = Affine { translation: way, ..Affine::identity() };
            let assembly = Assembly::builder("balls", LengthUnit::Mm)
                .part("a", a.clone())
                .part("b", b.clone())
                .instance("a", "a", Affine::identity())
                .instance("b", "b", place)
                .build()
                .unwrap_or_else(|e| panic!("{e}"));
            let options = Options { geometry: Some(geometry), ..Options::default() };
            let outcome = check(&assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
            outcome.pairs[0].separating_translation.expect("they overlap").norm()
        });
        assert!(lengths[0] <= lengths[1] * (1.0 + 1e-6), "{lengths:?}");
    }
}

#[test]
fn nearly_equal_brackets_leave_each_other_through_the_open_corner() {
    let bracket = solid(&[extent([-10.0, -6.0, 0.0], [10.0, 6.0, 2.0]), extent([-10.0, -6.0, 2.0], [-8.0, 6.0, 15.0])]);
    let mut r = Rng::new(3);
    for turn in [0.5_f64, 1.0, 2.0].map(f64::to_radians) {
        let mut turned = bracket.clone();
        let (s, c) = (libm::sin(turn), libm::cos(turn));
        turned.vertices.iter_mut().for_each(|v| *v = Vec3::new(c * v.x - s * v.y, s * v.x + c * v.y, v.z));
        let plain = Two::new(bracket.clone(), turned);
        // Up by the base, and aside by the wall with its turn.
        let known = f64::hypot(2.0, 2.0 + 12.0 * s);
        for two in [plain.moved(&r.pose(20.0)), plain] {
            let (by, length) = translation(&two.row());
            assert!(length <= known && left_over(&two, by * (1.0 + 1e-9)) <= ROUNDING * two.size(), "{length} {known}");
        }
    }
}
