//! Families of touching and overlapping convex solids: face on face, edge on edge, corner on face, through each other.

use super::known::{Draw, Known, Lie, roof};
use crate::support::Rng;
use crate::support::solids::{ball, block, prism};
use crate::support::two::about_z;
use interfere::internals::geom::math::sin_cos_deg;
use interfere::internals::geom::{Mat3, Vec3};

/// Rotation about x.
pub fn about_x(degrees: f64) -> Mat3 {
    let (s, c) = sin_cos_deg(degrees);
    Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
}

/// Half turn about x: upside down.
fn over() -> Mat3 {
    Mat3::from_diagonal(&Vec3::new(1.0, -1.0, -1.0))
}

/// A block on a block, `gap` above it: their sections share a disc wider than the depth of any overlap.
fn stacked(d: &mut Draw, gap: f64) -> Known {
    let (below, room) = d.block([0.3, 1.0], [0.3, 1.0]);
    let (above, _) = d.block([0.3, 1.0], [0.3, 1.0]);
    let (angle, far) = (d.rng.range(0.0, 360.0), d.rng.range(0.0, 0.5 * room));
    let aside = about_z(angle) * Vec3::x() * far;
    let spin = d.spin();
    Known::new(below, above, gap).at(spin, aside + Vec3::z() * gap).upside_down()
}

impl Known {
    /// Turns A to hang below the plane z = 0.
    fn upside_down(mut self) -> Self {
        let a = &mut self.parts[0];
        a.vertices.iter_mut().for_each(|v| *v = Vec3::new(v.x, -v.y, -v.z));
        self
    }
}

/// Faces in one plane; half of them whole faces of one size.
pub fn flush(d: &mut Draw) -> Known {
    if d.chance(2) {
        let [x, y, z] = [0, 1, 2].map(|_| d.length(0.2, 1.0));
        let axis = d.rng.below(3);
        let mut by = Vec3::zeros();
        by[axis] = [x, y, z][axis];
        return Known::new(block([0.0; 3], [x, y, z]), block([0.0; 3], [x, y, z]), 0.0).at(Mat3::identity(), by);
    }
    stacked(d, 0.0)
}

/// Faces with an overlap or a gap.
pub fn faces(d: &mut Draw) -> Known {
    // Half of the narrowest section's disc is at least 0.075 of the size.
    let gap = d.gap(0.05 * d.size);
    stacked(d, gap)
}

/// Boxes shifted along all three axes: they share a box, a face, an edge, a corner or nothing.
pub fn shifted(d: &mut Draw) -> Known {
    let [a, b] = [0, 1].map(|_| [0, 1, 2].map(|_| d.length(0.2, 1.0)));
    let gaps: [f64; 3] = std::array::from_fn(|k| d.gap(0.9 * a[k].min(b[k])));
    let apart = gaps.map(|g| g.max(0.0) * g.max(0.0)).iter().sum::<f64>().sqrt();
    let gap = if apart > 0.0 { apart } else { gaps.into_iter().fold(f64::NEG_INFINITY, f64::max) };
    let by = Vec3::from(std::array::from_fn(|k| a[k] + gaps[k]));
    Known::new(block([0.0; 3], a), block([0.0; 3], b), gap).at(Mat3::identity(), by)
}

/// Two ridges overlapping by p, a roof of half angle α below and one of half angle β above. The largest common ball has
/// its centre on the line through both ridges: r = h·sin α = (p − h)·sin β.
pub fn edge_on_edge(d: &mut Draw) -> Known {
    let gap = d.gap(0.04 * d.size);
    let [a, b] = [0, 1].map(|_| [d.length(0.2, 0.6), d.length(0.3, 1.0)]);
    let sine = |[wide, high]: [f64; 2]| wide / libm::hypot(wide, high);
    let turn = if d.chance(4) { 0.0 } else { d.rng.range(25.0, 155.0) };
    let depth = 2.0 * -gap * sine(a) * sine(b) / (sine(a) + sine(b));
    let long = d.length(1.0, 2.0);
    Known::new(roof(long, a[0], a[1]), roof(long, b[0], b[1]), if gap > 0.0 { gap } else { -depth })
        .at(about_z(turn) * over(), Vec3::z() * gap)
}

/// A box's corner or edge pushed p into a plate. The ball touching the box's sides there and the plate's face has the
/// radius p/(1 + a + b + c), with the cosines a, b, c between the plate's normal and the box's axes.
pub fn corner_on_face(d: &mut Draw) -> Known {
    let gap = d.gap(0.03 * d.size);
    let box_ = [0, 1, 2].map(|_| d.length(0.6, 1.0));
    let mut up = [0.0, 1.0, 2.0].map(|_| d.rng.range(0.3, 1.0));
    if d.chance(3) {
        // An edge along x.
        up[0] = 0.0;
    }
    let up = Vec3::from(up).normalize();
    let spin = d.spin();
    // A frame with `up` as its last axis: the rotation maps `up` to z.
    let side = if up.x == 0.0 { Vec3::x() } else { up.cross(&Vec3::x()).normalize() };
    let turn = spin * Mat3::from_columns(&[side, up.cross(&side), up]).transpose();
    let aside = Vec3::new(d.length(-0.5, 0.5), d.length(-0.5, 0.5), gap);
    let wide = 4.0 * d.size;
    let plate = block([-wide, -wide, -d.size], [wide, wide, 0.0]);
    let depth = 2.0 * -gap / (1.0 + up.sum());
    Known::new(plate, block([0.0; 3], box_), if gap > 0.0 { gap } else { -depth }).at(turn, aside)
}

/// A pin through a plate, at any angle up to 40°: the ball is as wide as the pin or the plate's thickness.
pub fn pierce(d: &mut Draw) -> Known {
    let (wide, thick) = (d.length(1.0, 2.0), if d.chance(2) { d.length(0.01, 0.1) } else { d.length(0.2, 0.5) });
    let radius = if d.chance(3) { d.length(0.003, 0.02) } else { d.length(0.05, 0.3) };
    let sides = d.sides(3);
    let half = 3.0 * d.size;
    let (pin, inner) = if d.chance(2) {
        let other = radius * d.rng.range(1.0, 2.0);
        (block([-radius, -other, -half], [radius, other, half]), radius)
    } else {
        (prism(sides, radius, [-half, half]), radius * sin_cos_deg(180.0 / sides as f64).1)
    };
    let (spin, tilt, turn) = (d.spin(), d.rng.range(0.0, 40.0), d.spin());
    let aside = Vec3::new(d.length(-0.2, 0.2), d.length(-0.2, 0.2), d.length(-0.2, 0.2));
    let tilt = if d.chance(3) { 0.0 } else { tilt };
    let plate = block([-wide, -wide, -0.5 * thick], [wide, wide, 0.5 * thick]);
    Known::new(plate, pin, -(2.0 * inner).min(thick)).at(spin * about_x(tilt) * turn, aside)
}

/// Two bars of one section on one axis: end to end, overlapping, or nested.
pub fn bars(d: &mut Draw) -> Known {
    let radius = d.length(0.1, 0.4);
    let sides = d.sides(3);
    let (cornered, other) = (d.chance(2), d.rng.range(1.0, 2.0));
    let inner = if cornered { radius } else { radius * sin_cos_deg(180.0 / sides as f64).1 };
    let bar = |z: [f64; 2]| {
        if cornered {
            block([-radius, -other * radius, z[0]], [radius, other * radius, z[1]])
        } else {
            prism(sides, radius, z)
        }
    };
    let (long, short) = (d.length(2.0, 4.0), d.length(0.5, 1.9));
    if d.chance(4) {
        let at = if d.chance(2) { 0.0 } else { d.rng.range(0.0, long - short) };
        return Known::new(bar([0.0, long]), bar([at, at + short]), -(2.0 * inner).min(short)).lying(Lie::FlushWithin);
    }
    let gap = d.gap(0.9 * short);
    Known::new(bar([0.0, long]), bar([long + gap, long + gap + short]), gap.max(-2.0 * inner))
}

/// Two crossed bars, face on face.
pub fn crossing(d: &mut Draw) -> Known {
    let [a, b] = [0, 1].map(|_| [d.length(0.1, 0.4), d.length(0.1, 0.4)]);
    let long = d.length(2.0, 4.0);
    let gap = d.gap(0.9 * a[1].min(b[1]));
    let turn = if d.chance(3) { 90.0 } else { d.rng.range(25.0, 155.0) };
    let bar = |[half, thick]: [f64; 2]| block([-long, -half, 0.0], [long, half, thick]);
    // The common section is a rhombus; its heights are the widths.
    let deepest = 2.0 * a[0].min(b[0]);
    Known::new(bar(a), bar(b), gap.max(-deepest)).at(about_z(turn), Vec3::z() * (a[1] + gap))
}

/// A solid with room to spare around a box, a prism, a ball or a bar.
pub fn containment(d: &mut Draw) -> Known {
    let (small, thick, reach) = inner_solid(d);
    let place = d.rng.in_ball() * (0.3 * reach);
    let hold = 1.4 * reach;
    let outer = match d.rng.below(3) {
        0 => block([-hold, -hold * 1.5, -hold], [hold, hold, hold * 2.0]),
        1 => {
            let sides = d.sides(4);
            prism(sides, hold / sin_cos_deg(180.0 / sides as f64).1, [-hold, hold])
        }
        _ => ball(1.5 * hold, 3),
    };
    Known::new(outer, small, -thick).at(d.rng.rotation(), place).lying(Lie::Within)
}

/// A solid about the origin, the width of its largest ball, and the radius of a ball around it.
fn inner_solid(d: &mut Draw) -> (interfere::internals::mesh::TriMesh, f64, f64) {
    let [x, y, z] = [0, 1, 2].map(|_| d.length(0.05, 0.5));
    match d.rng.below(3) {
        0 => (block([-x, -y, -z], [x, y, z]), 2.0 * x.min(y).min(z), Vec3::new(x, y, z).norm()),
        1 => {
            let sides = d.sides(3);
            let inner = x * sin_cos_deg(180.0 / sides as f64).1;
            (prism(sides, x, [-z, z]), 2.0 * inner.min(z), libm::hypot(x, z))
        }
        _ => {
            let ball = ball(x, 1 + d.rng.below(2));
            let inner = ball_inner_radius(&ball);
            (ball, 2.0 * inner, x)
        }
    }
}

/// Least distance of a face plane from the centre: the radius of the largest ball in a centrally symmetric solid.
pub fn ball_inner_radius(ball: &interfere::internals::mesh::TriMesh) -> f64 {
    let plane = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| ball.vertices[i as usize]);
        let n = (b - a).cross(&(c - a)).normalize();
        n.dot(&a)
    };
    ball.triangles.iter().map(plane).fold(f64::INFINITY, f64::min)
}

/// Sheets of 0.05 mm: stacked, pushed into each other, crossed.
pub fn sheets(d: &mut Draw) -> Known {
    let thick = 0.05;
    let [x, y] = [0, 1].map(|_| d.rng.range(10.0, 100.0));
    let sheet = |x: f64, y: f64| block([-x, -y, -0.5 * thick], [x, y, 0.5 * thick]);
    match d.rng.below(4) {
        0 => {
            // Crossed sheets: the section is a rhombus with the thickness as its heights.
            let tilt = d.rng.range(30.0, 150.0);
            Known::new(sheet(x, y), sheet(0.8 * x, 0.9 * y), -thick).at(about_x(tilt), Vec3::zeros())
        }
        1 => Known::new(sheet(x, y), sheet(0.8 * x, 0.9 * y), -thick).lying(Lie::FlushWithin),
        _ => {
            let gap = d.gap(0.95 * thick);
            let aside = Vec3::new(0.3 * x, -0.2 * y, thick + gap);
            Known::new(sheet(x, y), sheet(y, x), gap).at(d.spin(), aside)
        }
    }
}

/// A needle a thousandth as large as its partner.
pub fn needle(d: &mut Draw) -> Known {
    let giant = d.rng.range(300.0, 1000.0);
    let (radius, long) = (1e-3 * giant * d.rng.range(0.1, 0.5), 1e-3 * giant * d.rng.range(1.0, 10.0));
    d.tolerance = d.tolerance.min(0.05 * radius);
    let sides = 3 + d.rng.below(6);
    let inner = radius * sin_cos_deg(180.0 / sides as f64).1;
    let needle = prism(sides, radius, [0.0, long]);
    let base = block([-giant, -giant, -giant], [giant, giant, 0.0]);
    let at = Vec3::new(d.rng.range(-0.9, 0.9), d.rng.range(-0.9, 0.9), 0.0) * giant;
    if d.chance(4) {
        let deep = Vec3::z() * -giant * d.rng.range(0.1, 0.9);
        let thick = (2.0 * inner).min(long);
        return Known::new(base, needle, -thick).at(d.rng.rotation(), at + deep).lying(Lie::Within);
    }
    let gap = d.gap(0.9 * long);
    Known::new(base, needle, gap.max(-2.0 * inner)).at(d.spin(), at + Vec3::z() * gap)
}

/// A multiple of 1/1024, exact in double precision.
fn dyadic(rng: &mut Rng, low: usize, high: usize) -> f64 {
    (low + rng.below(high - low)) as f64 / 1024.0
}

/// Gaps and depths equal to their threshold to the last bit: equality keeps it.
pub fn equality(d: &mut Draw) -> Known {
    use interfere::internals::assembly::RuleAction::{AllowDepth, MinClearance};
    d.tolerance = dyadic(&mut d.rng, 4, 100);
    let more = d.tolerance + dyadic(&mut d.rng, 4, 100);
    let (gap, verb) = match d.rng.below(4) {
        0 => (-d.tolerance, None),
        1 => (d.tolerance, None),
        2 => (-more, Some(AllowDepth(more))),
        _ => (more, Some(MinClearance(more))),
    };
    let [x, y, z] = [0, 1, 2].map(|_| dyadic(&mut d.rng, 1024, 40_000));
    let by = Vec3::new(0.5 * x, 0.25 * y, z + gap);
    let mut known = Known::new(block([0.0; 3], [x, y, z]), block([0.0; 3], [x, y, z]), gap).at(Mat3::identity(), by);
    (known.verb, known.exact) = (verb, true);
    known
}
