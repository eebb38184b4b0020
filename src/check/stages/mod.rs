//! Answers one unique pair: the stages in order, the measures, the status.
//!
//! [`PairQuery::answer`] has the order: inscribed balls, oriented boxes, hulls, convex pieces, triangles. A pair of two
//! hulls ends with the hulls. An undecided pair with one decomposed part tries the pieces one by one. A verdict on
//! parts that defer their hulls starts with the triangles where their inner hulls meet.
//!
//! - `answers`: all unique pairs of a run, from the cache or through the stages
//! - `limits`: thresholds, and the status of a bracket
//! - `hulls`: pairs whose hulls are the solids
//! - `pieces`: convex pieces
//! - `triangles`: triangles and the facet allowance
//! - `intersection`: volume and box of the intersection
//! - `separation`: separating translation
//! - `accepted`: overlap after the separating translation of a baseline
//! - `trace`: findings of each stage for `explain`
pub(crate) mod accepted;
pub(crate) mod answers;
pub(crate) mod fixes;
pub(crate) mod hulls;
pub(crate) mod intersection;
pub(crate) mod limits;
pub(crate) mod pieces;
pub(crate) mod separation;
pub(crate) mod trace;
pub(crate) mod triangles;

use crate::assembly::Geometry;
use crate::check::pairs::rotations::Rotations;
use crate::check::prepare::shape::Shape;
use crate::check::prepare::solid::Hulls;
use crate::check::stages::intersection::CommonSolid;
use crate::check::stages::limits::Limits;
use crate::check::stages::pieces::PiecesAnswer;
use crate::check::stages::trace::{ExitStage, Step, Trace};
use crate::check::{Certainty, Measure, Relation, Status};
use crate::geom::tolerance::{roundoff_mm, shared_pose_mm};
use crate::geom::{Bounds, Pose, Vec3};
use crate::query::convex::InnerBalls;
use crate::query::convex::epa::EpaScratch;
use crate::query::convex::gjk::{self, GjkEnd, HullPair};
use crate::query::convex::sat::obb_obb;

/// Answer of a unique pair.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: Status,
    pub exit_stage: ExitStage,
    pub certainty: Certainty,
    /// Coarser geometry of the two parts.
    pub geometry: Geometry,
    /// Depth explained by the concave facets at the overlap (mm, >= 0), if computed.
    pub facet_allowance: Option<f64>,
    /// True if the facet allowance made the pair a contact.
    pub within_facet_error: bool,
    /// True for each shape with a self-union result that the answer depends on.
    pub used_self_union: [bool; 2],
    /// Measures; `None` for a cleared pair and a run that measures nothing. Boxed, since most answers have none.
    pub measured: Option<Box<Measured>>,
}

/// Measures of a pair; lengths in mm, points and directions in the first shape's centred frame.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// Relation of the solids. As the gap, unknown for crossing surfaces without an inside.
    pub relation: Option<Relation>,
    pub gap: Option<f64>,
    /// Certified bounds of the gap, with the rounding margin.
    pub bracket: Bounds,
    pub witness: [Vec3; 2],
    /// Centre of the largest common ball found; `None` without a common ball.
    pub deepest_point: Option<Vec3>,
    pub normal: Option<Vec3>,
    /// Shortest separating translation of the second shape found, and its length.
    pub penetration: Option<(Vec3, f64)>,
    /// Intersection of the solids.
    pub common: Option<CommonSolid>,
}

impl Answer {
    /// Answer of a pair settled by its hulls, without measures.
    pub(crate) fn bare(status: Status, certainty: Certainty, geometry: Geometry) -> Self {
        Self {
            status,
            exit_stage: ExitStage::HullMeasured,
            certainty,
            geometry,
            facet_allowance: None,
            within_facet_error: false,
            used_self_union: [false; 2],
            measured: None,
        }
    }
}

/// Surfaces taken as given, without a self-union.
pub(crate) struct AsGiven {
    /// True for each part of which only triangles that bound its solid lie within `reach` of the other solid.
    pub parts: [bool; 2],
    /// Distance from the other solid (mm).
    pub reach: f64,
}

impl AsGiven {
    /// Neither surface.
    pub(crate) const NONE: Self = Self { parts: [false; 2], reach: 0.0 };
}

/// Query of a unique pair: two shapes, the pose of the second one's centred frame in the first one's, and the limits.
#[derive(Clone, Copy)]
pub(crate) struct PairQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    pub pose: &'a Pose,
    pub limits: &'a Limits,
    /// Largest displacement of points by rounding of the placements (mm).
    pub residual: f64,
    /// Rotations of the first shape in the rows of the pair.
    pub turns: Rotations<'a>,
    /// Values beyond the status.
    pub measure: Measure,
}

impl PairQuery<'_> {
    /// Rounding margin η of the pair (mm).
    pub(crate) fn margin(&self) -> f64 {
        let (a, b) = (self.first.inner(), self.second.inner());
        let distance = self.pose.translation.norm();
        roundoff_mm(a.diameter, b.diameter, distance)
            + shared_pose_mm(a.diameter, b.diameter, distance)
            // Recentring cancels the offset of the part from its own origin.
            + roundoff_mm(self.first.max_abs, self.second.max_abs, 0.0) * 0.25
            + self.residual
            + self.first.outside_pieces()
            + self.second.outside_pieces()
    }

    /// Returns true if the status is all that the query wants.
    pub(crate) fn verdict_only(&self) -> bool {
        self.measure == Measure::None
    }

    /// Coarser geometry of the two parts.
    pub(crate) fn geometry(&self) -> Geometry {
        self.first.geometry.max(self.second.geometry)
    }

    /// Largest distance between surfaces designed to coincide (mm): rounding of the pair and of both files.
    pub(crate) fn rounding(&self, margin: f64) -> f64 {
        margin + self.first.quantum + self.second.quantum
    }

    /// Uncertainty of the common volume (mm³): first from tolerance and rounding, second from the facets. Each is the
    /// surface area of the common solid (`area`, mm²) times the possible offset of the surface.
    ///
    /// A translation of B by t changes the volume by at most t/2 times that area: only the part of the surface that
    /// comes from B moves, and its area vector is minus that of the other part. Half the tolerance covers a translation
    /// between two runs, and their two values together leave as much again for a rotation.
    pub(crate) fn volume_slack(&self, area: f64) -> [f64; 2] {
        [0.5 * self.limits.tolerance + self.rounding(self.margin()), self.surface_error()].map(|off| off * area)
    }

    /// Largest facet errors of both parts together (mm, >= 0).
    pub(crate) fn surface_error(&self) -> f64 {
        self.first.surface_error() + self.second.surface_error()
    }

    /// Runs the stages.
    pub(crate) fn answer(&self, scratch: &mut EpaScratch, steps: &mut Trace) -> Answer {
        let margin = self.margin();
        let limits = self.own_limits();
        if !steps.on() && self.inner_hulls_meet() {
            let answer = self.by_triangles(&limits, margin, None, Hulls::Inner, steps);
            // The whole hulls may know a closer bound of the depth.
            if answer.status != Status::Undecided {
                return answer;
            }
        }
        let (a, b) = (self.first.convex(), self.second.convex());
        let reach = limits.max_distance();
        let q = HullPair { a, b, b_in_a: self.pose };
        let by_hulls = self.first.is_hull && self.second.is_hull;
        let hurry = by_hulls && self.verdict_only();
        // For a verdict, a deep common ball settles the pair fastest.
        let deep = limits.goal(margin).above + margin;
        let balls = InnerBalls::of(&q);
        let settled = |status| Answer::bare(status, Certainty::Certified, self.geometry());
        if hurry && balls.thickness > deep {
            return settled(Status::Interference);
        }
        // The boxes contain the inscribed balls: if the balls nearly meet, no box test can separate the pair.
        let apart = (!balls.near).then(|| obb_obb(self.first.obb(), self.second.obb(), self.pose, reach + margin));
        let cleared = apart.is_some_and(|d| d > reach + margin);
        steps.note(Step::Obb { distance: apart, cleared });
        if cleared {
            return Answer { exit_stage: ExitStage::Obb, ..settled(Status::Clear) };
        }
        if hurry && balls.near && balls.common_ball(&q) > deep {
            return settled(Status::Interference);
        }
        if by_hulls {
            return self.by_hulls(&q, &limits, margin, scratch, steps);
        }
        let hulls = gjk::separation(&q, reach, margin);
        let cleared = hulls.ending == GjkEnd::BeyondLimit;
        steps.note(Step::Hull { gap: Bounds { lower: hulls.lower.max(0.0), upper: hulls.upper }, cleared });
        if cleared {
            return Answer { exit_stage: ExitStage::Hull, ..settled(Status::Clear) };
        }
        let mut ball = None;
        if self.first.pieces().is_some() || self.second.pieces().is_some() {
            match self.by_pieces(&limits, margin, steps) {
                PiecesAnswer::Settled(answer) => return *answer,
                PiecesAnswer::Meet(center) => ball = center,
            }
        }
        if self.has_triangles() {
            let answer = self.by_triangles(&limits, margin, ball, Hulls::Whole, steps);
            return if answer.status == Status::Undecided {
                self.piece_by_piece(&limits, margin, answer, steps)
            } else {
                answer
            };
        }
        let answer = self.by_hulls(&q, &limits, margin, scratch, &mut Trace::default());
        Answer { certainty: Certainty::NoInside, geometry: Geometry::Hull, ..answer }
    }

    /// True if the inner hulls show that neither boxes nor hulls can clear the pair: its verdict needs no whole hull.
    /// False if no hull of the pair is deferred.
    pub(crate) fn inner_hulls_meet(&self) -> bool {
        let shapes = [self.first, self.second];
        // A part without an inside or in pieces needs its hull in any case.
        let is_exact = |s: &Shape| s.is_solid() && s.pieces().is_none();
        if !self.verdict_only() || !shapes.iter().any(|s| s.defers_hull()) || !shapes.into_iter().all(is_exact) {
            return false;
        }
        let (margin, reach) = (self.margin(), self.own_limits().max_distance());
        let q = HullPair { a: self.first.inner(), b: self.second.inner(), b_in_a: self.pose };
        // The distance of whole hulls, and of the boxes around them, is at most that of the inner ones.
        gjk::separation(&q, reach, margin).upper <= reach
    }

    /// Limits with the tolerance of the pair.
    pub(crate) fn own_limits(&self) -> Limits {
        Limits { tolerance: self.tolerance(), ..*self.limits }
    }

    /// Tolerance of the pair (mm): at least the floor from the coordinates of either mesh.
    pub(crate) fn tolerance(&self) -> f64 {
        self.limits.tolerance.max(self.first.tolerance_floor()).max(self.second.tolerance_floor())
    }
}
