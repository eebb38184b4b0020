//! Chooses the views of a pair: a view in space, a section, and a view of the whole assembly.
//!
//! All candidates are tried in a fixed order, and the first of equals wins. The score of a view is its viewpoint
//! entropy (Vázquez, Feixas, Sbert and Heidrich, "Viewpoint Selection using Viewpoint Entropy", 2001, §3) over what the
//! picture tells apart.

use crate::assembly::InstanceIx;
use crate::geom::Vec3;
use crate::scene::raster::{Raster, View};
use crate::scene::{Focus, Scene, cut, layers};

/// Samples of a candidate's small picture.
const TRIAL: [usize; 2] = [160, 140];

/// Sine of the largest angle between a section plane and the thin direction: 15°. The foreshortening stays below 4 %.
const LARGEST_TILT: f64 = 0.2588;

/// Bonus of a plane across an axis of the assembly or of a part: people read these best.
const NATURAL: f64 = 0.6;

/// Bonus of the plane through the ball's points on both surfaces: it shows the depth in true length. A plane along an
/// axis may cut a ring beside its middle, where it looks thicker.
const TRUE_DEPTH: f64 = 1.2;

/// Bonus of a section seen from the side of the view in space.
const SAME_SIDE: f64 = 0.05;

/// Views of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairViews {
    /// The pair in space.
    pub space: View,
    /// The section through the focus; its plane lies across the sight, through the centre.
    pub section: View,
    /// The whole assembly, from the side of `space`.
    pub whole: View,
}

/// Chooses the views of a pair for panels of the given ratio of width to height. `demanded` is the gap required by a
/// rule (mm).
pub fn choose(
    scene: &Scene,
    pair: [InstanceIx; 2],
    focus: &Focus,
    demanded: Option<f64>,
    up: Vec3,
    ratio: f64,
) -> PairViews {
    let space = space(scene, pair, focus, up, ratio);
    let section = section(scene, pair, focus, demanded, up, ratio, &space.into);
    let bounds = &scene.bounds;
    let side = bounds.diagonal().max(f64::MIN_POSITIVE);
    let mut whole = View::new(space.into, up, bounds.center(), [side * ratio, side]);
    // The smallest rectangle around the box, and a margin.
    let half = (bounds.max - bounds.min) * 0.5;
    let reach = |axis: &Vec3| 2.2 * half.dot(&axis.abs());
    let height = reach(&whole.up).max(reach(&whole.right) / ratio).max(f64::MIN_POSITIVE);
    whole.size = [height * ratio, height];
    PairViews { space, section, whole }
}

/// Twelve directions of sight: four isometric ones, four along the axes, two steep ones, two from below.
fn directions(up: &Vec3) -> Vec<Vec3> {
    let (east, north) = if up.x.abs() > 0.5 {
        (Vec3::y(), Vec3::z())
    } else if up.y.abs() > 0.5 {
        (Vec3::x(), -Vec3::z())
    } else {
        (Vec3::x(), Vec3::y())
    };
    let from = |azimuth: f64, elevation: f64| {
        let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
        let flat = east * libm::cos(azimuth) + north * libm::sin(azimuth);
        -(flat * libm::cos(elevation) + up * libm::sin(elevation))
    };
    let isometric = [-45.0, 45.0, 135.0, 225.0].map(|a| from(a, 30.0));
    let axial = [-90.0, 0.0, 90.0, 180.0].map(|a| from(a, 25.0));
    let others = [from(-60.0, 60.0), from(30.0, 60.0), from(-45.0, -25.0), from(135.0, -25.0)];
    isometric.into_iter().chain(axial).chain(others).collect()
}

/// Half the height of a pair's frame in space (mm, > 0): 2.5 times the overlap or 10 times the gap, between 6 % and 75
/// % of the pair.
pub fn half_frame(scene: &Scene, pair: [InstanceIx; 2], focus: &Focus) -> f64 {
    let diagonal = scene.bounds_of(pair).diagonal().max(f64::MIN_POSITIVE);
    let overlap =
        focus.overlap.map_or_else(|| focus.apart.map_or(0.0, |[a, b]| 4.0 * (b - a).norm()), |b| b.diagonal());
    (2.5 * overlap).clamp(0.06 * diagonal, 0.75 * diagonal)
}

fn space(scene: &Scene, pair: [InstanceIx; 2], focus: &Focus, up: Vec3, ratio: f64) -> View {
    let half = half_frame(scene, pair, focus);
    let candidates = directions(&up).into_iter().map(|into| {
        let view = View::new(into, up, focus.point, [2.0 * half * ratio, 2.0 * half]);
        let raster = Raster { view, width: TRIAL[0], height: TRIAL[1] };
        (score_of_space(scene, &raster, pair, focus, &up), view)
    });
    best(candidates).unwrap_or_else(|| View::new(-up, up, focus.point, [2.0 * half * ratio, 2.0 * half]))
}

fn score_of_space(scene: &Scene, raster: &Raster, pair: [InstanceIx; 2], focus: &Focus, up: &Vec3) -> f64 {
    let layers = layers::of_pair(scene, raster, pair);
    let mut counts = [0_u32; 4];
    let mut hidden = 0_u32;
    for ((a, b), red) in layers.a.iter().zip(&layers.b).zip(&layers.overlap) {
        let seen = if red.is_some() {
            hidden += u32::from(a.z.min(b.z) < red.z);
            2
        } else if a.is_some() && a.z <= b.z {
            0
        } else if b.is_some() {
            1
        } else {
            3
        };
        counts[seen] += 1;
    }
    let into = &raster.view.into;
    let across = focus.thin.map_or(0.0, |t| into.cross(&t).norm());
    let hidden = if counts[2] > 0 { f64::from(hidden) / f64::from(counts[2]) } else { 0.0 };
    let below = if into.dot(up) > 0.0 { 0.15 } else { 0.0 };
    entropy(&counts[..3]) + 0.3 * across - 0.2 * hidden - below
}

fn section(
    scene: &Scene,
    pair: [InstanceIx; 2],
    focus: &Focus,
    demanded: Option<f64>,
    up: Vec3,
    ratio: f64,
    space: &Vec3,
) -> View {
    let normals = normals(scene, pair, focus);
    let candidates = normals.into_iter().map(|(normal, bonus)| {
        // Seen from the side of the view in space.
        let into = if normal.dot(space) < 0.0 { -normal } else { normal };
        let view = framed(scene, pair, focus, demanded, View::new(into, up, focus.point, [ratio, 1.0]), ratio);
        let raster = Raster { view, width: TRIAL[0], height: TRIAL[1] };
        let [a, b] = pair.map(|i| cut::windings(scene, &raster, [i]));
        let mut counts = [0_u32; 4];
        a.iter().zip(&b).for_each(|(a, b)| counts[usize::from(*a > 0) + 2 * usize::from(*b > 0)] += 1);
        (entropy(&counts) + bonus + SAME_SIDE * into.dot(space), view)
    });
    best(candidates).unwrap_or_else(|| View::new(*space, up, focus.point, [ratio, 1.0]))
}

/// Candidates for the normal of the section, each with its bonus.
fn normals(scene: &Scene, pair: [InstanceIx; 2], focus: &Focus) -> Vec<(Vec3, f64)> {
    let thin = focus.thin;
    let mut axes = vec![Vec3::x(), Vec3::y(), Vec3::z()];
    for i in [pair[1], pair[0]] {
        let linear = &scene.instances[i.0 as usize].pose.rotation;
        axes.extend((0..3).filter_map(|k| linear.column(k).into_owned().try_normalize(0.0)));
    }
    let mut natural: Vec<Vec3> = Vec::new();
    for axis in axes {
        let straight = thin.is_none_or(|t| axis.dot(&t).abs() <= LARGEST_TILT);
        if straight && natural.iter().all(|n| n.dot(&axis).abs() < 0.999) {
            natural.push(axis);
        }
    }
    let is_section = |n: &Vec3| focus.section.is_some_and(|s| s.dot(n).abs() > 0.999);
    let best = if focus.depth.is_some() { TRUE_DEPTH } else { NATURAL };
    let own = focus.section.filter(|_| !natural.iter().any(is_section)).map(|s| (s, best));
    if own.is_some() || !natural.is_empty() {
        let bonus = |n: Vec3| (n, if is_section(&n) { best } else { NATURAL });
        return natural.into_iter().map(bonus).chain(own).collect();
    }
    // No axis is across the thin direction: twelve planes that contain it.
    let t = thin.unwrap_or_else(Vec3::z);
    let side = [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().find_map(|e| {
        let v = e - t * t.dot(&e);
        (v.norm() > 0.5).then(|| v / v.norm())
    });
    let u = side.unwrap_or_else(Vec3::x);
    let v = t.cross(&u);
    let angle = |k: u32| std::f64::consts::PI * f64::from(k) / 12.0;
    (0..12).map(|k| (u * libm::cos(angle(k)) + v * libm::sin(angle(k)), 0.0)).collect()
}

/// Frames a section: the overlap with a margin, at least three depths, at most 0.8 of the pair; the focus inside.
fn framed(scene: &Scene, pair: [InstanceIx; 2], focus: &Focus, demanded: Option<f64>, view: View, ratio: f64) -> View {
    let diagonal = scene.bounds_of(pair).diagonal().max(f64::MIN_POSITIVE);
    let (mut low, mut high) = ([0.0_f64; 2], [0.0_f64; 2]);
    for corner in focus.corners() {
        let at = view.coordinates(&corner);
        for k in 0..2 {
            low[k] = low[k].min(at[k]);
            high[k] = high[k].max(at[k]);
        }
    }
    let [width, height] = [0, 1].map(|k| 1.35 * (high[k] - low[k]));
    let gap = focus.apart.map_or(0.0, |[a, b]| (b - a).norm()).max(demanded.unwrap_or(0.0));
    let least = (3.0 * focus.depth.unwrap_or(0.0)).max(8.0 * gap).max(0.02 * diagonal);
    let height = height.max(width / ratio).max(least).min(0.8 * diagonal);
    // A frame smaller than the overlap keeps the focus in its inner half.
    let shift = |k: usize, size: f64| {
        let room = 0.25 * size;
        (0.5 * (low[k] + high[k])).clamp(-room, room)
    };
    let centre = view.centre + view.right * shift(0, height * ratio) + view.up * shift(1, height);
    View { centre, size: [height * ratio, height], ..view }
}

/// Entropy of shares (bits): the more evenly the picture is divided, the more it tells.
fn entropy(counts: &[u32]) -> f64 {
    let all = f64::from(counts.iter().sum::<u32>()).max(1.0);
    let shares = counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all);
    shares.map(|s| -s * libm::log2(s)).sum()
}

/// The first view of the highest score.
fn best(candidates: impl Iterator<Item = (f64, View)>) -> Option<View> {
    let mut best: Option<(f64, View)> = None;
    for (score, view) in candidates {
        if best.is_none_or(|(found, _)| score > found) {
            best = Some((score, view));
        }
    }
    best.map(|(_, view)| view)
}
