//! Certificates: proofs over a run in steps that another program can check (docs/reference/proof-file.md).
//!
//! A certificate divides (triangles of A) × (triangles of B) × (box of parameters) by cuts, until a plane or orbits
//! keep each part of it apart. The steps stand in the order of a depth-first walk, so no part can be left out.

use crate::geom::math::greater;
use crate::motion::OrbitAxis;
use crate::query::depth::inset::surface::InsetSurface;
use crate::query::depth::inset::vertex_offset::SolidSide;
use crate::query::sweep::body::{Body, MovingPair};
use crate::query::sweep::box_run::BoxSweep;
use crate::query::sweep::inset::{boundary, inset_distance};
use crate::query::sweep::judge::price;
use crate::query::sweep::level::Level;
use crate::query::sweep::prove::{Budget, Course, Near};
use crate::query::sweep::regions::{Regions, cell_of, middle};
use crate::query::sweep::run::SweepStatus;
use crate::query::sweep::work::{Work, spans};
use crate::shape::surface::{Inside, Surface};
use std::ops::Range;

pub use crate::query::sweep::body::SeparatingPlane;

/// A step of a certificate, about the part of the walk on top of a stack. A cut replaces it by two parts, the first one
/// on top; a plane or orbits remove it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProofStep {
    /// Cuts the triangles of A before this one.
    CutA(u32),
    /// Cuts the triangles of B before this one.
    CutB(u32),
    /// Cuts a parameter at a value: its index, the value.
    CutParameter(u32, f64),
    /// A plane keeps the triangles apart over the box of parameters (claim 4).
    Plane(SeparatingPlane),
    /// The orbits of the triangles are apart (claim 7).
    Orbits,
}

/// Statement of a certificate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProofClaim {
    /// The gap exceeds this distance at all values (mm, >= 0).
    Apart(f64),
    /// No overlap is deeper than this at any value (mm, > 0).
    Shallow(f64),
}

/// Proof of a claim.
#[derive(Debug)]
pub struct Certificate {
    /// Claim that the steps prove.
    pub claim: ProofClaim,
    /// Surfaces moved inward, for [`ProofClaim::Shallow`]; vertex k comes from vertex k of the solid's boundary.
    pub insets: Option<[Surface; 2]>,
    /// The walk. It starts with all triangles and all parameters, and ends with an empty stack.
    pub steps: Vec<ProofStep>,
}

/// Reason of a missing certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    /// A surface has no definite inside, so no depth has an upper bound.
    NoInside,
    /// The walk met two triangles that no plane separates, or the budget ended.
    Search,
    /// One solid lies in the other, or may do so.
    Nested,
}

impl BoxSweep<'_> {
    /// Finds certificates for a run with a passing status: one for each limit that the gap must not fall below. The
    /// largest gap of a rule has none.
    ///
    /// Cost: up to the budget for each, and a static query.
    ///
    /// # Errors
    /// Returns the reason of the first claim without a certificate.
    pub fn certificates(&self, status: SweepStatus) -> Result<Vec<Certificate>, Unproved> {
        let root = cell_of(self.ranges);
        let work =
            Work::new([self.a, self.b], self.chain, &root, &self.limits, [self.quantum, self.residual], self.tests);
        let limits = &self.limits;
        let clearance = limits.min_clearance;
        match status {
            SweepStatus::Clear => {
                let wanted = greater(limits.tolerance, clearance.unwrap_or(0.0));
                Ok(vec![self.apart(&work, greater(wanted - work.slack, 0.0))?])
            }
            SweepStatus::Contact | SweepStatus::Allowed => {
                let depth = if status == SweepStatus::Contact { limits.tolerance } else { limits.deepest() };
                let mut found = vec![self.shallow(&work, depth)?];
                if let Some(least) = clearance.map(|clearance| clearance - work.slack) {
                    found.push(if least > work.still.margin {
                        self.apart(&work, least)?
                    } else {
                        self.shallow(&work, greater(-least, 0.5 * work.slack))?
                    });
                }
                Ok(found)
            }
            _ => Err(Unproved::Search),
        }
    }

    /// Proves that the gap exceeds a distance (mm, >= 0).
    fn apart(&self, work: &Work, distance: f64) -> Result<Certificate, Unproved> {
        let level = self.level([self.a.surface, self.b.surface], distance);
        Ok(Certificate { claim: ProofClaim::Apart(distance), insets: None, steps: self.walk(work, &level, distance)? })
    }

    /// Proves that no overlap is deeper than a depth (mm, > 0); grants the slack where the depth itself has no proof.
    fn shallow(&self, work: &Work, depth: f64) -> Result<Certificate, Unproved> {
        let solids = [self.a, self.b].map(|solid| boundary(solid.surface));
        let [Some(a), Some(b)] = solids else { return Err(Unproved::NoInside) };
        let mut reason = Unproved::Search;
        for granted in [depth, depth + work.slack] {
            let tau = inset_distance(&work.still, granted);
            let (true, Some(a), Some(b)) = (tau > 0.0, checkable_inset(a, tau), checkable_inset(b, tau)) else {
                continue;
            };
            let level = self.level([&a, &b], 0.0).of_depth(granted);
            match self.walk(work, &level, 0.0) {
                Ok(steps) => {
                    let claim = ProofClaim::Shallow(granted);
                    return Ok(Certificate { claim, insets: Some([a, b]), steps });
                }
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// Level of two surfaces. The orbits of a screw are not part of a certificate.
    fn level<'s>(&self, surfaces: [&'s Surface; 2], distance: f64) -> Level<'s> {
        let axis = OrbitAxis::of(self.chain).filter(|axis| !axis.is_screw());
        Level::about(surfaces, axis, distance)
    }

    fn walk(&self, work: &Work, level: &Level, distance: f64) -> Result<Vec<ProofStep>, Unproved> {
        let mut budget = Budget::new(self.tests);
        budget.charge(price([self.a.surface, self.b.surface]));
        level.narrow(work.still.margin, &mut budget);
        let mut regions = Regions::new(self.chain, self.ranges, spans([self.a, self.b], self.chain));
        let pose = regions.get(0).frame.pose;
        let course = level.course(&work.still, work.floor);
        let steps = course.certificate(&mut regions, distance, &mut budget).ok_or(Unproved::Search)?;
        if level.is_nested(&work.still, &pose) { Err(Unproved::Nested) } else { Ok(steps) }
    }
}

/// Moves the boundary of a solid inward by `tau` (mm, > 0): every vertex stays one vertex, and within `tau` of all its
/// triangles. `None` if a moved triangle has no area.
///
/// A careful inset splits vertices, and moves more faces by all of τ. This one is easy to check: the straight path from
/// a triangle to the moved one stays within τ of the triangle, because the distance from it is convex.
fn checkable_inset(boundary: &Surface, tau: f64) -> Option<Surface> {
    let moved = InsetSurface::new(boundary, None, SolidSide::Inside, tau, 0.0);
    let mut vertices = boundary.vertices.clone();
    for v in boundary.triangles.iter().flatten() {
        vertices[*v as usize] = moved.at(*v);
    }
    let surface = Surface::of(vertices, &boundary.triangles, Inside::Solid);
    (!moved.parts() && surface.triangles.len() == boundary.triangles.len()).then_some(surface)
}

/// Part of a walk: sibling nodes of A, sibling nodes of B, the id of a box of parameters.
type Part = (Range<u32>, Range<u32>, u32);

impl Course<'_> {
    /// Walks until planes or orbits keep all surfaces more than `distance` (mm, >= 0) apart in box 0. `None` if two
    /// triangles stay without a proof, or the budget ends.
    fn certificate(&self, regions: &mut Regions, distance: f64, budget: &mut Budget) -> Option<Vec<ProofStep>> {
        if self.a.is_empty() || self.b.is_empty() {
            return None;
        }
        let enough = distance + self.margin;
        let mut steps = Vec::new();
        let mut stack: Vec<Part> = vec![(0..1, 0..1, 0)];
        while let Some((a, b, id)) = stack.pop() {
            let (i, j) = (a.start, b.start);
            if a.len() > 1 {
                steps.push(ProofStep::CutA(self.a.first_triangle(i + 1)));
                stack.extend([(i + 1..a.end, b.clone(), id), (i..i + 1, b, id)]);
            } else if b.len() > 1 {
                steps.push(ProofStep::CutB(self.b.first_triangle(j + 1)));
                stack.extend([(a.clone(), j + 1..b.end, id), (a, j..j + 1, id)]);
            } else if !budget.take(1) {
                return None;
            } else {
                match self.settled([i, j], regions, id, enough) {
                    Ok(step) => steps.push(step),
                    Err(Unsettled::Cell) if self.cut(regions, (i, j, id), &mut steps, &mut stack) => {}
                    Err(_) if self.splits_a([i, j]) => stack.push((self.a.children(i), b, id)),
                    Err(_) if self.b.triangle(j).is_none() => stack.push((a, self.b.children(j), id)),
                    Err(_) => return None,
                }
            }
        }
        Some(steps)
    }

    /// The step that settles two nodes over a box, or the part to split.
    fn settled(&self, [i, j]: [u32; 2], regions: &Regions, id: u32, enough: f64) -> Result<ProofStep, Unsettled> {
        let by_orbits = self.a.orbit(i).zip(self.b.orbit(j)).is_some_and(|(x, y)| x.distance_bound(y) > enough);
        if by_orbits || !self.a.is_active(i) || !self.b.is_active(j) {
            return Ok(ProofStep::Orbits);
        }
        let pair = MovingPair::new(self.a.body(i), self.b.body(j), &regions.get(id).frame);
        // Readers of a proof file know no direction of the remainder.
        let moving = pair.with_full_remainder();
        let closest = match &moving.bodies {
            [Body::Triangle(s), Body::Triangle(t)] => {
                let [p, q] = Near::of(s, t).points;
                Some(q - p)
            }
            _ => None,
        };
        match moving.separating_plane(enough, closest) {
            Some(plane) => Ok(ProofStep::Plane(plane)),
            None if closest.is_some() || self.is_fast([i, j], &moving) => Err(Unsettled::Cell),
            None => Err(Unsettled::Nodes),
        }
    }

    /// Cuts a box along the parameter that moves two nodes most; false at the floor.
    fn cut(
        &self,
        regions: &mut Regions,
        (i, j, id): (u32, u32, u32),
        steps: &mut Vec<ProofStep>,
        stack: &mut Vec<Part>,
    ) -> bool {
        let Some((parameter, [low, high])) = self.halves(regions, [i, j], id) else { return false };
        let Some(at) = middle(regions.get(id).ends[parameter]) else { return false };
        steps.push(ProofStep::CutParameter(parameter as u32, at));
        stack.extend([(i..i + 1, j..j + 1, high), (i..i + 1, j..j + 1, low)]);
        true
    }
}

/// The part to split if no step settles two nodes.
enum Unsettled {
    /// The box of parameters.
    Cell,
    /// A node.
    Nodes,
}
