//! One distinct pair of shapes: the stages in order, the measures, the status.
pub(crate) mod answers;
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
use crate::check::stages::intersection::CommonSolid;
use crate::check::stages::limits::Limits;
use crate::check::stages::pieces::PiecesAnswer;
use crate::check::stages::trace::{Step, Trace};
use crate::check::{Certainty, Relation, Status};
use crate::geom::tolerance::{roundoff_mm, shared_pose_mm};
use crate::geom::{Pose, Vec3};
use crate::query::convex::InnerBalls;
use crate::query::convex::epa::EpaScratch;
use crate::query::convex::gjk::{self, GjkEnd, HullPair};
use crate::query::convex::sat::obb_obb;

/// Where a pair left the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStage {
    /// Its boxes are beyond everything asked of it.
    Obb,
    /// Its hulls are.
    Hull,
    /// Its hulls were measured: they are the solids.
    HullMeasured,
    /// Its convex pieces were asked.
    Pieces,
    /// Its triangles were asked.
    Exact,
}

/// What is known of a pair.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub status: Status,
    pub exit_stage: ExitStage,
    pub certainty: Certainty,
    /// What the solids were taken to be, the coarser of the two.
    pub geometry: Geometry,
    /// What the concave facets at the overlap allow (mm), where it was asked for.
    pub facet_allowance: Option<f64>,
    /// Whether that allowance made it a contact.
    pub within_facet_error: bool,
    /// Absent where the pair was cleared or only a verdict was asked for: most answers are small.
    pub measured: Option<Box<Measured>>,
}

/// The numbers of a pair; lengths in mm, points and directions in the first shape's centred frame.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// Unknown, as the gap, where surfaces without an inside cross.
    pub relation: Option<Relation>,
    pub gap: Option<f64>,
    pub bracket: [f64; 2],
    pub witness: [Vec3; 2],
    pub normal: Option<Vec3>,
    /// Shortest translation of the second shape that separates the two, and its length.
    pub penetration: Option<(Vec3, f64)>,
    /// What the solids have in common.
    pub common: Option<CommonSolid>,
}

impl Answer {
    /// Of a pair whose hulls settled it, without numbers.
    pub(crate) fn bare(status: Status, certainty: Certainty, geometry: Geometry) -> Self {
        Self {
            status,
            exit_stage: ExitStage::HullMeasured,
            certainty,
            geometry,
            facet_allowance: None,
            within_facet_error: false,
            measured: None,
        }
    }
}

/// A pair to be answered: two shapes, the second one's centred frame in the first one's, and what is asked.
#[derive(Clone, Copy)]
pub(crate) struct PairQuery<'a> {
    pub first: &'a Shape,
    pub second: &'a Shape,
    pub pose: &'a Pose,
    pub limits: &'a Limits,
    /// How far rounding of the placements may have moved points (mm).
    pub residual: f64,
    /// In which rotations the first shape stands.
    pub turns: Rotations<'a>,
    pub verdict_only: bool,
}

impl PairQuery<'_> {
    /// The rounding margin η of the pair (mm).
    pub(crate) fn margin(&self) -> f64 {
        let (a, b) = (&self.first.convex, &self.second.convex);
        let distance = self.pose.translation.norm();
        roundoff_mm(a.diameter, b.diameter, distance)
            + shared_pose_mm(a.diameter, b.diameter, distance)
            // Recentring cancels what the part's own frame put far out.
            + roundoff_mm(self.first.max_abs, self.second.max_abs, 0.0) * 0.25
            + self.residual
            + self.first.outside_pieces()
            + self.second.outside_pieces()
    }

    /// The coarser geometry of the two parts.
    pub(crate) fn geometry(&self) -> Geometry {
        self.first.geometry.max(self.second.geometry)
    }

    /// By how much two surfaces may differ that coincide by design (mm): the pair's rounding and that of both files.
    pub(crate) fn rounding(&self, margin: f64) -> f64 {
        margin + self.first.quantum + self.second.quantum
    }

    /// By how much the volume that both share may be off (mm³): for the tolerance and rounding, and for the facets. The smaller surface,
    /// times how far it may lie elsewhere.
    ///
    /// A part that moves by t sweeps at most t/2 times the area of its surface: half the tolerance is what two runs together
    /// have to leave open, so that there is as much again for a turn.
    pub(crate) fn volume_slack(&self) -> [f64; 2] {
        let area = self.first.area().min(self.second.area());
        let facets = self.first.surface_error() + self.second.surface_error();
        [0.5 * self.limits.tolerance + self.rounding(self.margin()), facets].map(|off| off * area)
    }

    /// Runs the stages.
    pub(crate) fn answer(&self, scratch: &mut EpaScratch, steps: &mut Trace) -> Answer {
        let margin = self.margin();
        let (a, b) = (&self.first.convex, &self.second.convex);
        let limits = Limits { tolerance: self.tolerance(), ..*self.limits };
        let reach = limits.max_distance();
        let q = HullPair { a, b, b_in_a: self.pose };
        let by_hulls = self.first.is_hull && self.second.is_hull;
        let hurry = by_hulls && self.verdict_only;
        // What lies deep in both is found quickest, where only the verdict is asked for.
        let deep = limits.goal(margin).above + margin;
        let balls = InnerBalls::of(&q);
        let settled = |status| Answer::bare(status, Certainty::Certified, self.geometry());
        if hurry && balls.thickness > deep {
            return settled(Status::Interference);
        }
        // Boxes hold the inner balls: where those nearly meet, no box test separates.
        let apart = (!balls.near).then(|| obb_obb(&self.first.obb, &self.second.obb, self.pose, reach + margin));
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
        steps.note(Step::Hull { gap: [hulls.lower.max(0.0), hulls.upper], cleared });
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
            let answer = self.by_triangles(&limits, margin, ball, steps);
            return if answer.status == Status::Undecided {
                self.piece_by_piece(&limits, margin, answer, steps)
            } else {
                answer
            };
        }
        let answer = self.by_hulls(&q, &limits, margin, scratch, &mut Trace::default());
        Answer { certainty: Certainty::NoInside, geometry: Geometry::Hull, ..answer }
    }

    /// Never below the rounding of the coordinates of either mesh.
    pub(crate) fn tolerance(&self) -> f64 {
        self.limits.tolerance.max(self.first.tolerance_floor()).max(self.second.tolerance_floor())
    }
}
