//! Upper bounds of the depth in one solid over a cell, from the triangles that can be nearest.
//!
//! For the points `x` of a cell, the depth `s(x)` in the solid is the distance to the nearest surface point. Every such point lies
//! within the cell's reach of its centre, in the convex ball N; the triangles that meet N fall into connected patches. Two
//! kinds of bound hold for all `x` of the cell whose nearest point is on a given patch:
//!
//! - *Patch bound.* A half-space that holds the patch, with void on its far side, holds every ball of the solid inside N that
//!   touches the patch: the ball cannot cross the patch, and what lies beyond the half-space within N is connected and does
//!   not meet the patch. So `s(x) ≤ offset − n·x`. One element with all such planes bounds a convex patch.
//! - *Feature bound.* The nearest point is on a face, then `s(x)` is the height under its plane and the foot lies in the
//!   triangle; or on a reflex edge or a vertex with reflex edges, then the direction to it lies in the cone of the adjacent
//!   normals, and with half angle β around their mean m, `s(x) ≤ m·(x − p)/cos β`. A ball inside cannot touch a convex edge.
//!
//! The depth is then at most the largest element's bound. docs/numerics.md has the proofs.

use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::query::depth::inset::surface::height;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::feature_bounds::FLAT;
use crate::shape::surface::Surface;
use crate::shape::surface::placed::PlacedSurface;

/// With more candidates than this a cell is bounded without elements.
const MAX_CANDIDATES: usize = 96;

/// With more elements than this a cell is bounded without.
pub(crate) const MAX_ITEMS: usize = 64;

/// Sheets no farther apart than this many roundings count as one.
pub(crate) const SAME_SHEET: f64 = 4.0;

/// Triangles whose normals are this much against another's (cosine) may be the far side of a crack.
const OTHER_WAY: f64 = 0.5;

/// A cell and what is known of it; A's frame.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub center: Vec3,
    pub half: Vec3,
    /// Every nearest surface point of the cell's points lies within this of the centre.
    pub reach: f64,
    /// Planes may be moved outward by this much and still serve as the patch's (mm).
    pub slack: f64,
    /// Rounding: coordinates are not better than this (mm).
    pub rounding: f64,
    /// Elements that stay below this are of no interest.
    pub floor: f64,
    /// No depth above this is possible: bounds that stay above it say nothing.
    pub ceiling: f64,
    /// The triangle nearest to the centre.
    pub nearest: u32,
    /// Signed depth of the centre.
    pub depth: f64,
}

/// Alternatives: the depth is bounded by the largest of the items, each of which is the minimum of its rows.
#[derive(Debug, Default)]
pub(crate) struct LocalBounds {
    rows: Vec<Row>,
    pub(crate) items: Vec<Alternative>,
    /// Bounds of every point of the cell.
    pub(crate) common: Vec<Row>,
    /// Planes that hold a patch: normal and offset from the centre (solid's frame), and the patch.
    pub(crate) planes: Vec<(Vec3, f64, u32)>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Alternative {
    first: u32,
    end: u32,
    /// Largest value any of its bounds leaves over the cell.
    pub(crate) highest: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) candidates: Vec<u32>,
    pub(crate) patch: Vec<u32>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) patch_of: Vec<u32>,
    pub(crate) stack: Vec<u32>,
    /// Planes that hold the whole patch.
    pub(crate) shared: Vec<Row>,
    /// Whether the patch's triangles, in its order, are held by one of those.
    pub(crate) held: Vec<bool>,
    /// Vertices of reflex edges between triangles that are not held, and of all their edges.
    pub(crate) reflex: Vec<u32>,
    pub(crate) corners: Vec<u32>,
    /// The patch's vertices and where they are.
    pub(crate) points: Vec<(u32, Vec3)>,
    /// Features that are nearest to some point of the cell, on triangles that are not held: rows, and of each feature where
    /// they end and which points it bounds.
    pub(crate) rows: Vec<Row>,
    pub(crate) features: Vec<(usize, Role)>,
}

/// Which points of the cell a feature bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Those to which it is the nearest of all, from the inside.
    Nearest,
    /// Those to which it is the nearest of the triangles that are not held.
    Among,
    /// Both.
    Both,
}

impl LocalBounds {
    /// How many items there are.
    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }

    /// The largest value of an item over the cell.
    pub(crate) fn height(&self, item: usize) -> f64 {
        self.items[item].highest
    }

    /// The rows of an item, in A's frame, about the cell's centre.
    pub(crate) fn rows(&self, item: usize) -> &[Row] {
        let i = &self.items[item];
        &self.rows[i.first as usize..i.end as usize]
    }

    /// The rows that hold beside those of any item.
    pub(crate) fn common(&self) -> &[Row] {
        &self.common
    }

    /// Fills in the elements of a region. False where there are too many candidates or the surface is not regular there: then
    /// nothing is known.
    pub(crate) fn gather(&mut self, side: &PlacedSurface, region: &Region) -> bool {
        self.rows.clear();
        self.items.clear();
        self.common.clear();
        self.planes.clear();
        let center = side.local(&region.center);
        let candidates = &mut self.scratch.candidates;
        candidates.clear();
        side.surface.within(&center, region.reach * (1.0 + 1e-9) + region.rounding, |t| {
            candidates.push(t);
            candidates.len() <= MAX_CANDIDATES
        });
        if candidates.len() > MAX_CANDIDATES {
            return false;
        }
        candidates.sort_unstable();
        candidates.dedup();
        // Rounding turns the normal of a sliver any way it likes, and with it what its edges are.
        let thinnest = region.rounding / FLAT;
        if candidates.iter().any(|&t| height(&side.surface.triangle(t)) < thinnest) {
            return false;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let turn = side.pose.map_or_else(Mat3::identity, |p| p.rotation);
        let mut work = BoundBuilder { surface: side.surface, center, turn, region, out: self };
        let regular = work.patches(&mut scratch);
        self.scratch = scratch;
        regular
    }
}

pub(crate) struct BoundBuilder<'w> {
    pub(crate) surface: &'w Surface,
    /// In the solid's frame.
    pub(crate) center: Vec3,
    pub(crate) turn: Mat3,
    pub(crate) region: &'w Region,
    pub(crate) out: &'w mut LocalBounds,
}

impl BoundBuilder<'_> {
    /// Splits the candidates into patches and bounds each, or only the one that counts. False where an edge inside is not shared
    /// by two triangles.
    fn patches(&mut self, s: &mut Scratch) -> bool {
        s.normals.clear();
        s.normals.extend(s.candidates.iter().map(|&t| self.surface.cached_normal(t)));
        if !self.label(s) {
            return false;
        }
        let only = self.enclosing_patch(s);
        for seed in 0..s.candidates.len() as u32 {
            if s.patch_of[seed as usize] != seed || only.is_some_and(|o| o != seed) {
                continue;
            }
            s.patch.clear();
            s.patch.extend((seed..s.candidates.len() as u32).filter(|&i| s.patch_of[i as usize] == seed));
            if !self.patch(s) || self.out.items.len() > MAX_ITEMS {
                return false;
            }
        }
        if only.is_none() {
            self.common_planes(s);
        }
        true
    }

    /// Whether a segment comes into the ball.
    pub(crate) fn reaches(&self, p: &Vec3, q: &Vec3) -> bool {
        let (d, w) = (q - p, self.center - p);
        let along = lesser(greater(w.dot(&d), 0.0), d.norm_squared());
        let foot = if along > 0.0 { d * (along / d.norm_squared()) } else { Vec3::zeros() };
        (w - foot).norm() <= self.region.reach * (1.0 + 1e-9) + self.region.rounding
    }

    /// One element of all the planes that hold the patch, or more where they do not hold every triangle; false where that would
    /// be too many.
    fn patch(&mut self, s: &mut Scratch) -> bool {
        s.shared.clear();
        s.held.clear();
        s.points.clear();
        for &i in &s.patch {
            let t = s.candidates[i as usize];
            s.points.extend(self.surface.triangles[t as usize].into_iter().zip(self.surface.triangle(t)));
        }
        s.points.sort_unstable_by_key(|p| p.0);
        s.points.dedup_by_key(|p| p.0);
        let mut all = true;
        for (k, &i) in s.patch.iter().enumerate() {
            let n = s.normals[i as usize];
            let corner = self.surface.triangle(s.candidates[i as usize])[0];
            let repeated = s.patch[..k].iter().position(|&j| {
                let m = &s.normals[j as usize];
                // One number at a time: nearly all differ in the first.
                m.x == n.x && m.y == n.y && m.z == n.z && {
                    let first = self.surface.triangle(s.candidates[j as usize])[0];
                    n.dot(&(first - corner)).abs() <= self.region.rounding
                }
            });
            if let Some(j) = repeated {
                s.held.push(s.held[j]);
                continue;
            }
            let Some(offset) = self.support(s, &n, &corner) else {
                all = false;
                s.held.push(false);
                continue;
            };
            s.shared.push(Row::bound(-n, offset));
            self.out.planes.push((n, offset, s.patch_of[i as usize]));
            // Only where the plane was not moved has the triangle no reflex edge.
            s.held.push(offset - n.dot(&(corner - self.center)) <= SAME_SHEET * self.region.rounding);
        }
        if all {
            self.push(&[], &s.shared);
            true
        } else {
            self.features(s)
        }
    }

    /// How far beyond the centre a plane of normal `n` must lie to hold the patch; `None` where that is too far beyond the
    /// triangle itself, or where what lies beyond may not be void.
    fn support(&self, s: &Scratch, n: &Vec3, corner: &Vec3) -> Option<f64> {
        let own = n.dot(&(corner - self.center));
        let most = own + greater(self.region.slack, self.region.rounding);
        let (mut offset, mut at) = (own, None);
        for (v, p) in &s.points {
            let height = n.dot(&(p - self.center));
            if height > offset {
                if height > most {
                    return None;
                }
                (offset, at) = (height, Some(*v));
            }
        }
        let Some(highest) = at else { return Some(offset) };
        // Nothing fits between two sheets that rounding cannot tell apart, unless one may be the far side of a crack.
        if offset - own <= SAME_SHEET * self.region.rounding
            && !s.patch.iter().any(|&i| self.is_other_side(s, i, n, own))
        {
            return Some(offset);
        }
        // At the highest vertex the patch is a graph over the plane, void above it.
        let upward = |i: &u32| {
            let t = s.candidates[*i as usize];
            !self.surface.triangles[t as usize].contains(&highest) || s.normals[*i as usize].dot(n) > 1e-9
        };
        (self.reaches_point(highest) && s.patch.iter().all(upward)).then_some(offset)
    }

    /// Whether a triangle that faces the other way comes as high as a plane.
    fn is_other_side(&self, s: &Scratch, i: u32, n: &Vec3, height: f64) -> bool {
        let low = height - 2.0 * SAME_SHEET * self.region.rounding;
        s.normals[i as usize].dot(n) < -OTHER_WAY
            && self.surface.triangle(s.candidates[i as usize]).iter().any(|p| n.dot(&(p - self.center)) >= low)
    }

    pub(crate) fn reaches_point(&self, v: u32) -> bool {
        (self.surface.vertices[v as usize] - self.center).norm() <= self.region.reach
    }

    /// An element of own rows (solid's frame, about the centre) and shared ones, unless it is out of the cell or below the
    /// floor.
    pub(crate) fn push(&mut self, own: &[Row], shared: &[Row]) {
        let first = self.out.rows.len();
        let half = &self.region.half;
        let mut highest = f64::INFINITY;
        for row in own.iter().chain(shared) {
            let row = Row { slope: self.turn * row.slope, ..*row };
            let value = row.highest(half);
            if row.bounds_r {
                highest = lesser(highest, value);
                if highest <= self.region.floor {
                    break;
                }
                // Above the ceiling all over the cell.
                if row.value - (value - row.value) >= self.region.ceiling {
                    continue;
                }
            } else if value < 0.0 {
                highest = f64::NEG_INFINITY;
                break;
            } else if row.value - (value - row.value) >= 0.0 {
                continue;
            }
            self.out.rows.push(row);
        }
        if highest <= self.region.floor {
            self.out.rows.truncate(first);
            return;
        }
        self.out.items.push(Alternative { first: first as u32, end: self.out.rows.len() as u32, highest });
    }
}
