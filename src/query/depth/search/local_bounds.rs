//! Bounds the depth in one solid from above over a cell, by the triangles possibly nearest to its points.
//!
//! For a point `x` of the cell, the depth `s(x)` in the solid is the distance to the nearest surface point. Every such
//! surface point lies within the search radius of the cell's centre, in the convex ball N. The triangles in N form
//! connected patches. Two kinds of bound hold for every `x` with its nearest point on a given patch:
//!
//! - *Patch bound.* Take a half-space around the patch with void beyond it. It contains every ball of the solid inside
//!   N touching the patch: the ball cannot cross the patch, and the region of N beyond the half-space is connected and
//!   disjoint from the patch. So `s(x) ≤ offset − n·x`. One element with all such planes bounds a convex patch.
//! - *Feature bound.* The nearest point may lie on a face. Then `s(x)` is the height below the face's plane, and the
//!   foot lies in the triangle. Otherwise it lies on a reflex edge or on a vertex with reflex edges: a ball inside
//!   cannot touch a convex edge. Then the direction to it lies in the cone of the adjacent normals, and with half angle
//!   β around their mean m, `s(x) ≤ m·(x − p)/cos β`.
//!
//! The depth is then at most the largest bound of an element. docs/explanation/numerics.md has the proofs.

use crate::geom::math::{greater, lesser};
use crate::geom::{Mat3, Vec3};
use crate::query::depth::inset::coplanar_extent::triangle_height;
use crate::query::depth::search::cell_lp::Row;
use crate::query::depth::search::feature_bounds::FLAT;
use crate::shape::surface::Surface;
use crate::shape::surface::placed::PlacedSurface;

/// Upper limit of candidate triangles; beyond it the cell has no elements.
const MAX_CANDIDATES: usize = 20;

/// Upper limit of elements; beyond it the cell has none.
pub(crate) const MAX_ITEMS: usize = 64;

/// Largest distance of two sheets counted as one (roundings).
pub(crate) const SAME_SHEET: f64 = 4.0;

/// Least opposition of two normals (negated cosine) for a triangle on the far side of a crack.
const OTHER_WAY: f64 = 0.5;

/// A cell and the known bounds (A's frame, mm).
#[derive(Clone, Copy)]
pub(crate) struct Region {
    pub center: Vec3,
    pub half: Vec3,
    /// Search radius: largest distance of the nearest surface points from the centre, over all points of the cell.
    pub reach: f64,
    /// Largest outward shift of a plane to support a patch.
    pub slack: f64,
    /// Rounding of the coordinates.
    pub rounding: f64,
    /// Elements up to this bound are irrelevant.
    pub floor: f64,
    /// Known upper bound of the depth: higher bounds are useless.
    pub ceiling: f64,
    /// Triangle nearest to the centre.
    pub nearest: u32,
    /// Signed depth of the centre (> 0 inside).
    pub depth: f64,
}

/// Alternative bounds: the depth is at most the largest item, and each item is the minimum of its rows.
#[derive(Debug, Default)]
pub(crate) struct LocalBounds {
    rows: Vec<Row>,
    pub(crate) items: Vec<Alternative>,
    /// Bounds for every point of the cell.
    pub(crate) common: Vec<Row>,
    /// Supporting planes: normal and offset from the centre (solid's frame, mm), and the patch.
    pub(crate) planes: Vec<(Vec3, f64, u32)>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Alternative {
    first: u32,
    end: u32,
    /// Largest value of the item over the cell (mm).
    pub(crate) highest: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) candidates: Vec<u32>,
    pub(crate) patch: Vec<u32>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) patch_of: Vec<u32>,
    pub(crate) stack: Vec<u32>,
    /// Supporting planes of the whole patch.
    pub(crate) shared: Vec<Row>,
    /// First triangle of the patch in each plane, by its place in the patch: first component of the normal, and place.
    pub(crate) distinct: Vec<(f64, u32)>,
    /// True for each supported triangle of the patch, in the patch's order.
    pub(crate) held: Vec<bool>,
    /// Vertices of the reflex edges between unsupported triangles (`reflex`), and of all their edges (`corners`).
    pub(crate) reflex: Vec<u32>,
    pub(crate) corners: Vec<u32>,
    /// Vertices of the patch with their positions.
    pub(crate) points: Vec<(u32, Vec3)>,
    /// Features of unsupported triangles, each nearest to some point of the cell: their rows, and for each feature the
    /// end of its rows and its role.
    pub(crate) rows: Vec<Row>,
    pub(crate) features: Vec<(usize, Role)>,
}

/// Points of the cell bounded by a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Points with this feature as the nearest of all, from the inside.
    Nearest,
    /// Points with this feature as the nearest of the unsupported triangles.
    Among,
    /// Both kinds of points.
    Both,
}

impl LocalBounds {
    /// Number of items.
    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }

    /// Largest value of an item over the cell (mm).
    pub(crate) fn height(&self, item: usize) -> f64 {
        self.items[item].highest
    }

    /// Rows of an item, relative to the cell's centre (A's frame).
    pub(crate) fn rows(&self, item: usize) -> &[Row] {
        let i = &self.items[item];
        &self.rows[i.first as usize..i.end as usize]
    }

    /// Rows valid in addition to those of every item.
    pub(crate) fn common(&self) -> &[Row] {
        &self.common
    }

    /// Collects the elements of a region. Returns false, with nothing known, if there are too many candidates, if one
    /// of them does not bound the solid (asked if `may_have_inner`), or if the surface is irregular there.
    pub(crate) fn gather(&mut self, side: &PlacedSurface, may_have_inner: bool, region: &Region) -> bool {
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
        if may_have_inner && !candidates.iter().all(|&t| side.surface.is_bounding(t)) {
            return false;
        }
        // Rounding makes the normal of a sliver arbitrary, and with it the kind of its edges.
        let thinnest = region.rounding / FLAT;
        if candidates.iter().any(|&t| triangle_height(&side.surface.triangle(t)) < thinnest) {
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
    /// Divides the candidates into patches and bounds each patch, or only the enclosing one. Returns false if an edge
    /// inside the ball lacks its second triangle, or if there are too many elements.
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

    /// Tests if a segment meets the ball.
    pub(crate) fn reaches(&self, p: &Vec3, q: &Vec3) -> bool {
        let (d, w) = (q - p, self.center - p);
        let along = lesser(greater(w.dot(&d), 0.0), d.norm_squared());
        let foot = if along > 0.0 { d * (along / d.norm_squared()) } else { Vec3::zeros() };
        (w - foot).norm() <= self.region.reach * (1.0 + 1e-9) + self.region.rounding
    }

    /// Adds one element with all supporting planes of the patch, or several if some triangle has none. Returns false if
    /// there are too many.
    fn patch(&mut self, s: &mut Scratch) -> bool {
        s.shared.clear();
        s.held.clear();
        s.distinct.clear();
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
            // Nearly all normals differ in the first component.
            let repeated = s.distinct.iter().filter(|(x, _)| *x == n.x).find(|(_, j)| {
                let j = s.patch[*j as usize] as usize;
                let first = self.surface.triangle(s.candidates[j])[0];
                s.normals[j] == n && n.dot(&(first - corner)).abs() <= self.region.rounding
            });
            if let Some((_, j)) = repeated {
                s.held.push(s.held[*j as usize]);
                continue;
            }
            s.distinct.push((n.x, k as u32));
            let Some(offset) = self.support(s, &n, &corner) else {
                all = false;
                s.held.push(false);
                continue;
            };
            s.shared.push(Row::bound(-n, offset));
            self.out.planes.push((n, offset, s.patch_of[i as usize]));
            // Without a shift of its plane the triangle has no reflex edge.
            s.held.push(offset - n.dot(&(corner - self.center)) <= SAME_SHEET * self.region.rounding);
        }
        if all {
            self.push(&[], &s.shared);
            true
        } else {
            self.features(s)
        }
    }

    /// Offset from the centre for a plane of normal `n` to support the patch (mm). `None` if this is too far beyond the
    /// triangle itself, or if the region beyond may be solid.
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
        // Two sheets closer than rounding leave no room between them, unless one may be the far side of a crack.
        if offset - own <= SAME_SHEET * self.region.rounding
            && !s.patch.iter().any(|&i| self.is_other_side(s, i, n, own))
        {
            return Some(offset);
        }
        // At the highest vertex the patch must be a graph over the plane, with void above it.
        let upward = |i: &u32| {
            let t = s.candidates[*i as usize];
            !self.surface.triangles[t as usize].contains(&highest) || s.normals[*i as usize].dot(n) > 1e-9
        };
        (self.reaches_point(highest) && s.patch.iter().all(upward)).then_some(offset)
    }

    /// Tests if an opposed triangle reaches the height of a plane.
    fn is_other_side(&self, s: &Scratch, i: u32, n: &Vec3, height: f64) -> bool {
        let low = height - 2.0 * SAME_SHEET * self.region.rounding;
        s.normals[i as usize].dot(n) < -OTHER_WAY
            && self.surface.triangle(s.candidates[i as usize]).iter().any(|p| n.dot(&(p - self.center)) >= low)
    }

    pub(crate) fn reaches_point(&self, v: u32) -> bool {
        (self.surface.vertices[v as usize] - self.center).norm() <= self.region.reach
    }

    /// Adds an element of its own rows and shared ones (solid's frame, relative to the centre). Skips it outside the
    /// cell or below the floor.
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
                // Above the ceiling in the whole cell.
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
