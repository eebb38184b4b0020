//! Margins and budget of one pair in a run.

use crate::geom::Vec3;
use crate::geom::math::{greater, lesser};
use crate::geom::tolerance::roundoff_mm;
use crate::motion::frame::SKEW;
use crate::motion::{Cell, Chain, Frame};
use crate::query::depth::SolidRef;
use crate::query::sweep::hulls::{MovingHulls, are_convex};
use crate::query::sweep::level::Level;
use crate::query::sweep::prove::Budget;
use crate::query::sweep::run::SweepLimits;
use crate::query::sweep::still::Still;
use crate::shape::polytope::Convex;
use crate::shape::surface::Surface;
use std::cell::OnceCell;

/// Slack of a limit over a run, as a share of the tolerance: a limit met with equality at one pose is not proved in the
/// neighbourhood of the pose otherwise.
const SLACK: f64 = 0.01;

/// Displacement of B, as a share of the tolerance, below which a cell is not split further.
const FLOOR: f64 = 0.001;

/// Margins of a run (mm).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margins {
    /// Rounding margin of every bound (> 0).
    pub margin: f64,
    /// Slack of a limit.
    pub slack: f64,
    /// Displacement below which a cell is not split.
    pub floor: f64,
}

impl Margins {
    /// Margins of two solids with these hulls on a chain, over a cell that contains the run. A ball (centre, radius)
    /// lies around B in its own frame; `residual` is the loss of the placements (mm, >= 0).
    pub(crate) fn of(
        [a, b]: [&Convex; 2],
        (center, radius): (Vec3, f64),
        chain: &Chain,
        run: &Cell,
        limits: &SweepLimits,
        residual: f64,
    ) -> Self {
        let frame = Frame::new(chain, run);
        let moved = frame.spread_of_ball(&frame.pose.point(&center), radius).displacement;
        let reach = frame.pose.translation.norm() + moved;
        let size = center.norm() + radius;
        // Twice the roundings of a static pair: first-order motion takes a second sum over the same coordinates.
        let margin = 2.0 * roundoff_mm(a.diameter, b.diameter, reach) + chain.rounding(run, size) + residual;
        Self {
            margin,
            slack: greater(SLACK * limits.tolerance, 16.0 * margin),
            floor: greater(FLOOR * limits.tolerance, 4.0 * margin),
        }
    }
}

/// Margins of a run (mm), and its budget.
pub(crate) struct Work<'a> {
    pub still: Still<'a>,
    /// Slack of a limit over a run.
    pub slack: f64,
    /// Displacement below which a cell is not split.
    pub floor: f64,
    pub budget: Budget,
    pub frames: usize,
    /// True if both solids are convex: their hulls then stand for all triangles. Found on demand.
    convex: OnceCell<bool>,
}

impl<'a> Work<'a> {
    /// Margins of two solids on a chain, over a cell that contains the run. `lost` holds the rounding of both files and
    /// the loss of the placements (mm, >= 0).
    pub(crate) fn new(
        [a, b]: [SolidRef<'a>; 2],
        chain: &Chain,
        run: &Cell,
        limits: &SweepLimits,
        [quantum, residual]: [f64; 2],
        tests: u64,
    ) -> Self {
        let [_, ball] = balls([a, b]);
        let Margins { margin, slack, floor } = Margins::of([a.convex, b.convex], ball, chain, run, limits, residual);
        Self {
            convex: OnceCell::new(),
            still: Still { a, b, margin, rounding: margin + quantum },
            slack,
            floor,
            budget: Budget::new(tests),
            frames: 0,
        }
    }

    fn is_convex(&self) -> bool {
        *self.convex.get_or_init(|| are_convex([self.still.a, self.still.b], self.still.margin))
    }

    /// Level of a distance of the surfaces (mm, >= 0).
    pub(crate) fn level(&self, chain: &Chain, distance: f64) -> Level<'a> {
        let solids = [self.still.a, self.still.b];
        let hulls = self.is_convex().then(|| MovingHulls::new(solids.map(|s| s.convex)));
        Level::apart(solids.map(|s| s.surface), chain, distance).with_hulls(hulls)
    }

    /// Level of a depth (mm, > 0) of convex solids, without insets; `None` for other solids.
    pub(crate) fn level_of_convex(&self, chain: &Chain, depth: f64) -> Option<Level<'a>> {
        let solids = [self.still.a, self.still.b];
        let hulls = self.is_convex().then(|| MovingHulls::new(solids.map(|s| s.convex)))?;
        Some(Level::convex_depth(solids.map(|s| s.surface), chain, hulls, depth))
    }

    /// Level of a depth (mm, > 0), with the insets for it.
    pub(crate) fn level_of_insets<'s>(&self, insets: &'s [Surface; 2], chain: &Chain, depth: f64) -> Level<'s> {
        let insets = insets.each_ref();
        let hulls = if self.is_convex() { MovingHulls::of_insets(insets) } else { None };
        Level::depth(insets, chain, depth).with_hulls(hulls)
    }
}

/// Spans of two solids on a chain, each in its own frame: centre, radius (mm). No point of the solid lies farther than
/// the radius from the centre or, if the axes of all joints that turn are parallel, from the line along them through
/// the centre. Only distances from axes that turn count for a displacement.
pub(crate) fn spans(solids: [SolidRef; 2], chain: &Chain) -> [(Vec3, f64); 2] {
    let balls = balls(solids);
    let Some(directions) = chain.turn_direction() else { return balls };
    [0, 1].map(|k| {
        let (center, radius) = balls[k];
        let half = solids[k].surface.bounds.max - center;
        let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let across = signs.map(|[y, z]| directions[k].cross(&Vec3::new(half.x, y * half.y, z * half.z)).norm());
        (center, lesser(across.into_iter().fold(0.0, greater) + SKEW * radius, radius))
    })
}

/// Balls around two solids, each in its own frame: centre, radius (mm).
pub(crate) fn balls(solids: [SolidRef; 2]) -> [(Vec3, f64); 2] {
    solids.map(|s| (s.surface.bounds.center(), 0.5 * s.surface.bounds.diagonal()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::motion::{ChainJoint, Joint, JointKind, Law};
    use crate::query::depth::tests::part_with;
    use crate::query::sweep::cells::displacement;
    use crate::shape::surface::Inside;
    use crate::testkit::poses::at;
    use crate::testkit::rng::Rng;
    use crate::testkit::solids::block;

    #[test]
    fn no_point_moves_farther_than_the_spans_say() {
        let mut rng = Rng::new(11);
        let [wall, shaft] = [block([-3.0; 3], [3.0; 3]), block([-1.0, -2.0, -40.0], [1.0, 2.0, 40.0])];
        let [wall, shaft] = [&wall, &shaft].map(|mesh| part_with(mesh, Inside::Solid));
        for (second, is_planar) in [(Vec3::z(), true), (Vec3::x(), false)] {
            for _ in 0..200 {
                let mut number = |size: f64| size * (2.0 * rng.unit() - 1.0);
                let joint = |axis, at| Joint { kind: JointKind::Revolute, axis, at };
                let joints = [joint(Vec3::z(), Vec3::new(number(5.0), number(5.0), 0.0)), joint(second, Vec3::zeros())];
                let rates = [number(1.0), number(1.0)].map(|rate| Law::linear(rate, 0.0));
                let joints = joints.into_iter().zip(rates).map(|(joint, law)| ChainJoint { joint, law }).collect();
                let chain = Chain { drawn: at(number(5.0), number(5.0), number(5.0)), joints };
                let solids = [wall.body(), shaft.body()];
                let spans = spans(solids, &chain);
                assert_eq!(spans[1].1 < 3.0, is_planar, "{spans:?}");
                let (middle, half) = (number(180.0), number(20.0).abs());
                let frame = Frame::new(&chain, &Cell { center: vec![middle], half: vec![half] });
                let most = displacement(&frame, &spans);
                let pose = chain.pose(&[middle + number(half)]);
                let farthest = |s: &SolidRef, moved: &dyn Fn(&Vec3) -> f64| {
                    s.surface.vertices.iter().map(moved).fold(0.0, greater)
                };
                let of_b = farthest(&solids[1], &|x| (pose.point(x) - frame.pose.point(x)).norm());
                let seen = |pose: &Pose, x: &Vec3| pose.rotation.tr_mul(&(x - pose.translation));
                let of_a = farthest(&solids[0], &|x| (seen(&pose, x) - seen(&frame.pose, x)).norm());
                assert!(of_b.min(of_a) <= most + 1e-12, "{of_b} {of_a} {most}");
            }
        }
    }
}
