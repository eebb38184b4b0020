//! Families of solids with hollows: cavities, pockets, hooks, links, combs; and solids paired with themselves.

use super::known::{Bore, Draw, Known, Lie, blocks, room_between};
use super::meeting::ball_inner_radius;
use crate::support::solids::{ball, block, joined, prism, reversed, tube};
use crate::support::two::about_z;
use interfere::internals::geom::math::sin_cos_deg;
use interfere::internals::geom::{Mat3, Vec3};
use interfere::internals::mesh::TriMesh;

type Block = [[f64; 3]; 2];

/// Both parts as solids of boxes; `gap` is the known number of overlapping parts.
fn of_blocks(a: &[Block], b: &[Block], gap: f64) -> Known {
    let gap = if gap < 0.0 { gap } else { room_between(a, b) };
    Known::new(blocks(a), blocks(b), gap)
}

/// A part in a hollow: clear of its walls, on one of them, or through it.
pub fn cavity(d: &mut Draw) -> Known {
    if d.chance(4) {
        return ball_in_ball(d);
    }
    let half = [0, 1, 2].map(|_| d.length(0.3, 1.0));
    let wall = d.length(0.2, 0.5);
    let gap = d.gap(0.1 * d.size);
    let outer = half.map(|h| h + wall);
    let minus = |v: [f64; 3]| v.map(|x| -x);
    let shell = joined(&[block(minus(outer), outer), reversed(&block(minus(half), half))]);
    // Clearance on all sides except below.
    let play = 1.1 * gap.max(0.0) + d.length(0.02, 0.1);
    let [x, y, z] = half.map(|h| h - play);
    let (high, low) = (z, -half[2] + gap);
    let part = match d.rng.below(3) {
        0 => block([-x, -y, low], [x, y, high]),
        1 => {
            // A hollow part; its overlap with the wall is solid.
            let thick = 0.5 * x.min(y).min(high);
            let room = [[-x + thick, -y + thick, 0.5 * low], [x - thick, y - thick, high - 0.5 * thick]];
            joined(&[block([-x, -y, low], [x, y, high]), reversed(&block(room[0], room[1]))])
        }
        _ => {
            let sides = d.sides(4);
            prism(sides, x.min(y), [low, high])
        }
    };
    let known = Known::new(shell, part, gap);
    if d.chance(2) { known } else { known.at(about_z(180.0), Vec3::zeros()) }
}

/// A ball centred in a hollow ball: their faces are parallel.
fn ball_in_ball(d: &mut Draw) -> Known {
    let levels = 1 + d.rng.below(2);
    let gap = d.rng.scale(0.2 * d.tolerance, 0.5 * d.size);
    let part = ball(d.size, levels);
    let hollow = d.size * (1.0 + gap / ball_inner_radius(&part));
    let shell = joined(&[ball(2.0 * hollow, levels), reversed(&ball(hollow, levels))]);
    Known::new(shell, part, gap)
}

/// A block in a blind hole: with play, flush all round, pressed to the bottom or between two walls.
pub fn pocket(d: &mut Draw) -> Known {
    let [x, y, deep] = [0, 1, 2].map(|_| d.length(0.3, 1.0));
    let (wall, floor) = (d.length(0.2, 0.5), d.length(0.2, 0.5));
    let top = deep + if d.chance(3) { 0.0 } else { d.length(0.01, 1.0) };
    let [wide, long] = [x + wall, y + wall];
    let plate = [
        [[-wide, -long, -floor], [wide, long, 0.0]],
        [[-wide, -long, 0.0], [-x, long, deep]],
        [[x, -long, 0.0], [wide, long, deep]],
        [[-x, -long, 0.0], [x, -y, deep]],
        [[-x, y, 0.0], [x, long, deep]],
    ];
    let play = |d: &mut Draw| if d.chance(4) { 0.0 } else { d.rng.scale(0.3 * d.tolerance, 0.1 * d.size) };
    let mut room = [[play(d), play(d), play(d)], [play(d), play(d), 0.0]];
    let mut depth = 0.0;
    match d.rng.below(4) {
        0 => {}
        1 => room = [[0.0; 3]; 2],
        2 => {
            depth = d.depth((0.9 * floor).min(0.3 * d.size));
            room[0][2] = -depth;
        }
        _ => {
            // Between two walls, the deeper side decides.
            let sides = [d.depth(0.15 * d.size), d.depth(0.15 * d.size)];
            (room[0][0], room[1][0]) = (-sides[0], -sides[1]);
            depth = sides[0].max(sides[1]);
        }
    }
    let block = [[-x + room[0][0], -y + room[0][1], room[0][2]], [x - room[1][0], y - room[1][1], top]];
    of_blocks(&plate, &[block], -depth)
}

/// Interlocked hooks: pulled tight they touch lip on lip.
pub fn brackets(d: &mut Draw) -> Known {
    let (w, play, depth) = (d.length(0.1, 0.3), d.length(0.05, 0.15), d.length(0.2, 1.0));
    let gap = d.gap(0.9 * play.min(w));
    let (slot, tall) = (w + play.max(gap + 0.1 * play), 6.0 * w);
    let under = w * d.rng.range(0.1, 0.4);
    let hook = [
        [[0.0, 0.0, 0.0], [w, depth, tall]],
        [[w, 0.0, 0.0], [2.0 * w + slot, depth, w]],
        [[w + slot, 0.0, w], [2.0 * w + slot, depth, 2.5 * w]],
    ];
    // The other hook is reversed, its lip between this one's stem and lip.
    let shift = [2.0 * (w + slot) - gap, 0.3 * depth, 3.5 * w + under];
    let turned = hook.map(|[low, high]| {
        let [x, y, z] = shift;
        [[x - high[0], low[1] + y, z - high[2]], [x - low[0], high[1] + y, z - low[2]]]
    });
    of_blocks(&hook, &turned, gap)
}

/// Two square chain links: slack, tight or overlapping.
pub fn chain(d: &mut Draw) -> Known {
    let (wire, clear, room) = (d.length(0.05, 0.2), d.length(0.3, 1.0), d.length(0.02, 0.1));
    let gap = d.gap(0.9 * wire);
    let outer = clear + wire;
    let thick = 0.5 * (2.0 * clear - room).min(wire);
    let link = |middle: f64, flat: bool| {
        let bars = [
            [[-outer, -outer], [-clear, outer]],
            [[clear, -outer], [outer, outer]],
            [[-clear, -outer], [clear, -clear]],
            [[-clear, clear], [clear, outer]],
        ];
        bars.map(|bar| {
            let [low, high] = bar.map(|[p, q]| [p + middle, q]);
            let across = |p: [f64; 2], z: f64| if flat { [p[0], p[1], z] } else { [p[0], z, p[1]] };
            [across(low, -thick), across(high, thick)]
        })
    };
    // The common part is as wide as the wires and as deep as the pull.
    of_blocks(&link(0.0, true), &link(2.0 * clear - gap, false), gap.max(-2.0 * thick))
}

/// Combs with interlocking teeth.
pub fn comb(d: &mut Draw) -> Known {
    let teeth = 2 + d.rng.below(4);
    let (wide, play, long) = (d.length(0.05, 0.2), d.length(0.02, 0.1), d.length(0.3, 1.0));
    let gap = d.gap(0.9 * play.min(wide));
    let pitch = 2.0 * wide + play + gap.max(0.0);
    let depth = d.length(0.3, 1.0);
    let comb = |first: f64, back: f64, to: [f64; 2]| {
        let spine = [[-pitch, 0.0, back], [pitch * (teeth as f64 + 1.0), depth, back + wide]];
        let tooth = |k: usize| {
            let x = first + pitch * k as f64;
            [[x, 0.0, to[0]], [x + wide, depth, to[1]]]
        };
        std::iter::once(spine).chain((0..teeth).map(tooth)).collect::<Vec<Block>>()
    };
    let end = 2.0 * gap.max(0.0) + d.length(0.01, 0.1);
    let a = comb(0.0, -wide, [0.0, long]);
    let b = comb(wide + gap, long + end, [end, long + end]);
    of_blocks(&a, &b, gap)
}

/// A bracket with its foot on, above or in a plate.
pub fn bracket_on_plate(d: &mut Draw) -> Known {
    let (thick, long, tall, deep) = (d.length(0.1, 0.2), d.length(0.5, 1.0), d.length(0.5, 1.0), d.length(0.3, 1.0));
    let gap = d.gap(0.9 * thick);
    let bracket = blocks(&[[[0.0, 0.0, 0.0], [long, deep, thick]], [[0.0, 0.0, thick], [thick, deep, thick + tall]]]);
    let wide = 3.0 * d.size;
    let plate = block([-wide, -wide, -d.size], [wide, wide, 0.0]);
    let deepest = long.min(deep);
    Known::new(plate, bracket, gap.max(-deepest)).at(d.spin(), Vec3::z() * gap)
}

/// A solid, the width of its largest ball, and its bore, if any.
fn any_solid(d: &mut Draw) -> (TriMesh, f64, Option<Bore>) {
    let [x, y, z] = [0, 1, 2].map(|_| d.length(0.2, 1.0));
    match d.rng.below(5) {
        0 => (block([0.0; 3], [x, y, z]), x.min(y).min(z), None),
        1 => {
            let sides = d.sides(3);
            (prism(sides, x, [0.0, z]), z.min(2.0 * x * sin_cos_deg(180.0 / sides as f64).1), None)
        }
        2 => {
            let ball = ball(x, 1 + d.rng.below(2));
            let inner = ball_inner_radius(&ball);
            (ball, 2.0 * inner, None)
        }
        3 => {
            // In the corner of an L: equally far from both outer walls and the inner edge, unless one arm is much
            // wider.
            let (u, v) = (0.3 * x, 0.2 * y);
            let deep = 2.0 * (u + v);
            let arms = [[[0.0; 3], [x.max(4.0 * v), u, deep]], [[0.0, u, 0.0], [v, y.max(4.0 * u), deep]]];
            let corner = u + v - libm::sqrt(2.0 * u * v);
            (blocks(&arms), if u.max(v) > 2.0 * u.min(v) { u.max(v) } else { 2.0 * corner }, None)
        }
        _ => {
            let sides = d.sides(3);
            let inner = x * d.rng.range(0.2, 0.9);
            let c = sin_cos_deg(180.0 / sides as f64).1;
            let bore = Bore { sagitta: inner * (1.0 - c), sides, deflection: None };
            (tube(sides, x, inner, [0.0, z]), z.min(2.0 * (x - inner) * c / (1.0 + c)), Some(bore))
        }
    }
}

/// The same solid twice in one place.
pub fn twice(d: &mut Draw) -> Known {
    let (solid, thick, bore) = any_solid(d);
    Known { bore, ..Known::new(solid.clone(), solid, -thick).lying(Lie::Same) }
}

/// A small block inside a concave bracket.
pub fn within_bracket(d: &mut Draw) -> Known {
    let (thick, long, deep) = (d.length(0.2, 0.4), d.length(0.6, 1.0), d.length(0.5, 1.0));
    let arms = [[[0.0; 3], [long, thick, deep]], [[0.0, thick, 0.0], [thick, long, deep]]];
    let [x, y, z] = [0, 1, 2].map(|_| 0.9 * thick * d.rng.range(0.2, 0.5));
    let small = block([-x, -y, -z], [x, y, z]);
    // In either arm or in the corner.
    let arm = d.rng.below(3);
    let mut at = Vec3::new(0.5 * thick, 0.5 * thick, 0.5 * deep);
    if arm < 2 {
        at[arm] = d.rng.range(0.5 * thick, long - 0.5 * thick);
    }
    Known::new(blocks(&arms), small, -2.0 * x.min(y).min(z)).at(Mat3::identity(), at).lying(Lie::Within)
}
