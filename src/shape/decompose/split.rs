//! Splits the hull of a solid into convex pieces within ε.

use crate::geom::Vec3;
use crate::shape::decompose::cell::Plane;
use crate::shape::decompose::cell_hull::Region;
use crate::shape::decompose::choose_cut::{best_cuts, middle_cut};
use crate::shape::decompose::kdop::{Directions, KDop};
use crate::shape::decompose::merge::merge;
use crate::shape::decompose::overshoot::{Goal, overshoot};
use crate::shape::decompose::polygon_sample::{PolygonSample, long, thinned};
use crate::shape::decompose::quads::TrianglePairs;
use crate::shape::decompose::void_samples::{VoidRay, sample, sample_more};
use crate::shape::decompose::{Decomposition, Limits};
use crate::shape::hull::{Hull, Tried, convex_hull, facets, fit_obb, hull_within};
use crate::shape::surface::{Inside, Surface};
use rayon::prelude::*;
use std::cmp;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Share of ε up to which the corners of a neighbouring triangle may leave a plane and still count as in it. The bound
/// includes it.
const PATCH: f64 = 0.01;

/// Number of cuts per allowed piece. Cuts with one empty side give no additional piece.
const CUTS: usize = 8;

/// Share of ε up to which the sides of a triangle are short: while cuts are compared, a corner represents it.
const SHORT_SHARE: f64 = 0.5;

/// Share of ε by which points may lie outside the hull of a thinned sample while cuts are compared.
const SAMPLE_HULL_SLACK: f64 = 0.05;

/// Share of ε available for pieces with fewer vertices.
const SIMPLIFY_SHARE: f64 = 0.05;

/// Factor on the deepest known overshoot of a final piece: below their product, the bound is not refined.
const FINAL_BOUND_FACTOR: f64 = 1.1;

/// Number of consecutive cuts without progress after which cutting ends, if cells overlap by more than ε.
const CUTS_WITHOUT_PROGRESS: usize = 8;

/// A cut is progress if it leaves less than this share of the overshoot beyond ε.
const PROGRESS_RATIO: f64 = 0.99;

/// Finished piece.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub hull: Hull,
    /// Upper bound of its overshoot beyond the solid (mm).
    pub reach: f64,
}

/// Cell, possibly to be cut.
#[derive(Clone)]
struct OpenCell {
    region: Region,
    soup: PolygonSample,
    /// Void rays along which the cell's hull overshoots too far, each with its overshoot (mm).
    reached: Vec<(u32, f64)>,
    /// Largest overshoot in `reached` (mm).
    worst: f64,
    /// Fate of the cell if it was computed ahead.
    fate: Option<Fate>,
}

/// Content of one side of a cut.
struct Side {
    soup: PolygonSample,
    reached: Vec<(u32, f64)>,
}

/// Data shared by all cells.
struct Solid<'a> {
    surface: &'a Surface,
    patches: TrianglePairs<'a>,
    limits: &'a Limits,
    lines: Directions,
    /// Triangles always kept in a polygon sample.
    long: Vec<bool>,
    gaps: Vec<VoidRay>,
}

/// Planes of a hull's facets.
pub(crate) fn planes_of(hull: &Hull) -> Vec<Plane> {
    facets(hull).into_iter().map(|f| Plane { normal: f.normal, offset: f.offset }).collect()
}

/// Covers the solid of a surface by convex pieces, as few as it can. `None` if the surface has no definite inside, or
/// no volume. The result depends on the surface and the limits only.
///
/// Each cut uses the plane with the least remaining excess: overshoot beyond ε along the void rays, summed over both
/// halves. Pieces with a common hull within ε become one. For any choice of cuts, the pieces contain the solid, and
/// their overshoot is bounded afterwards (docs/explanation/numerics.md, Convex pieces). Cost: some milliseconds a
/// piece.
///
/// Sources: X. Wei, M. Liu, Z. Ling & H. Su, "Approximate Convex Decomposition for 3D Meshes with Collision-Aware
/// Concavity and Tree Search", 2022 (cuts by planes, then merges); K. Mamou & F. Ghorbel, "A Simple and Efficient
/// Approach for 3D Mesh Approximate Convex Decomposition", 2009.
pub fn decompose(surface: &Surface, limits: &Limits) -> Option<Decomposition> {
    if surface.inside != Inside::Solid || surface.triangles.is_empty() {
        return None;
    }
    let (solid, root) = begin(surface, limits)?;
    let mut pieces = cut(solid, root)?;
    pieces.sort_by(|p, q| by_coordinates(&first_vertex(&p.hull), &first_vertex(&q.hull)));
    let epsilon = pieces.iter().map(|p| p.reach).fold(0.0, f64::max);
    Some(Decomposition { pieces: pieces.into_iter().map(|p| p.hull).collect(), epsilon })
}

fn first_vertex(hull: &Hull) -> Vec3 {
    hull.vertices.first().copied().unwrap_or_default()
}

/// Compares by the first differing coordinate.
pub(crate) fn by_coordinates(p: &Vec3, q: &Vec3) -> cmp::Ordering {
    p.iter().zip(q.iter()).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(cmp::Ordering::Equal)
}

fn begin<'a>(surface: &'a Surface, limits: &'a Limits) -> Option<(Solid<'a>, OpenCell)> {
    let region = Region::all(surface);
    let long = long(surface);
    // The axes need only a sample of the vertices.
    let corners = |t: u32| surface.triangle(t);
    let hull = convex_hull(&thinned(&region.triangles, &long).into_iter().flat_map(corners).collect::<Vec<_>>());
    if hull.rank < 3 {
        return None;
    }
    let of_hull = facets(&hull);
    let lines = Directions::of(&fit_obb(&hull, &of_hull, Tried::Many).axes, &of_hull);
    let gaps = sample(surface, &planes_of(&hull), &lines, limits.epsilon);
    let reached: Vec<(u32, f64)> = (0..).zip(&gaps).map(|(k, g)| (k, g.depth)).collect();
    let worst = reached.iter().map(|r| r.1).fold(0.0, f64::max);
    let root = OpenCell {
        soup: PolygonSample::of(surface, &region.triangles, (&long, SHORT_SHARE * limits.epsilon), &[], &lines),
        region,
        reached,
        worst,
        fate: None,
    };
    let patches = TrianglePairs::new(surface, PATCH * limits.epsilon);
    Some((Solid { surface, patches, limits, lines, long, gaps }, root))
}

/// Cuts until every piece is within ε or their number reaches the limit.
fn cut(mut solid: Solid, root: OpenCell) -> Option<Vec<Piece>> {
    let mut open = vec![root];
    let mut pieces: Vec<Piece> = Vec::new();
    let mut cuts = 0;
    let mut progress = Progress::default();
    while let Some(at) = next(&open, solid.limits.epsilon) {
        let vain = progress.ends(&solid, &mut open, &mut pieces, cuts);
        // `ends` may have replaced the open cells.
        let at = if vain { 0 } else { at };
        let count = open.len() + pieces.len();
        let last = vain || count >= solid.limits.max_pieces || cuts >= CUTS * solid.limits.max_pieces;
        // The fate of these cells is independent of the other cells, so they are examined in parallel.
        if !last && open[at].fate.is_none() && count + open.len() <= solid.limits.max_pieces {
            let ahead = AtomicUsize::new(count + open.len());
            open.par_iter_mut().for_each(|c| solid.score_ahead(c, &ahead));
        }
        let mut cell = open.swap_remove(at);
        let fate = cell.fate.take().filter(|_| !last).unwrap_or_else(|| solid.fate(&cell, last));
        let halves = match fate {
            Fate::Empty => continue,
            Fate::Piece(piece) => {
                pieces.push(piece);
                continue;
            }
            Fate::TooFar(points) => {
                solid.refine_score(&mut cell, points);
                solid.halves(&cell)
            }
            Fate::Cut(halves) => halves,
        };
        cuts += 1;
        open.extend(halves);
    }
    merge(&solid.patches, &mut pieces, &mut solid.gaps, &solid.lines, solid.limits.epsilon);
    (!pieces.is_empty()).then_some(pieces)
}

/// Tracks the progress of cutting. If cells overlap by more than ε, each piece must contain a thick ball, and even many
/// pieces may exceed ε. Further cuts would then only add pieces with the same overshoot.
#[derive(Default)]
struct Progress {
    best: Option<Checkpoint>,
    ended: bool,
}

/// State at the last progress.
struct Checkpoint {
    /// Sum of the overshoot beyond ε over all open cells (mm).
    beyond: f64,
    /// Number of cuts up to then.
    cuts: usize,
    open: Vec<OpenCell>,
    pieces: Vec<Piece>,
}

impl Progress {
    /// Returns true if cutting must end; in that case restores the cells and pieces of the last progress.
    fn ends(&mut self, solid: &Solid, open: &mut Vec<OpenCell>, pieces: &mut Vec<Piece>, cuts: usize) -> bool {
        let epsilon = solid.limits.epsilon;
        if self.ended || solid.limits.inflation <= epsilon {
            return self.ended;
        }
        let beyond = |c: &OpenCell| c.reached.iter().map(|r| (r.1 - epsilon).max(0.0)).sum::<f64>();
        let beyond = open.iter().map(beyond).sum::<f64>();
        if self.best.as_ref().is_none_or(|best| beyond < PROGRESS_RATIO * best.beyond) {
            self.best = Some(Checkpoint { beyond, cuts, open: open.clone(), pieces: pieces.clone() });
        } else if let Some(best) = self.best.take_if(|best| cuts - best.cuts >= CUTS_WITHOUT_PROGRESS) {
            (*open, *pieces) = (best.open, best.pieces);
            self.ended = true;
        }
        self.ended
    }
}

/// Chooses the next cell: first one within ε on the samples, to bound its overshoot, else the one with the largest
/// overshoot.
fn next(open: &[OpenCell], epsilon: f64) -> Option<usize> {
    let unseen = open.iter().position(|c| c.worst <= epsilon);
    unseen.or_else(|| (0..open.len()).max_by(|&i, &j| open[i].worst.total_cmp(&open[j].worst).then(j.cmp(&i))))
}

/// Fate of a cell.
#[derive(Clone)]
enum Fate {
    /// The cell contains nothing of the solid.
    Empty,
    Piece(Piece),
    /// The piece overshoots: closest surface point, and a point of the piece farther than ε from it.
    TooFar([Vec3; 2]),
    /// The cell is cut.
    Cut(Vec<OpenCell>),
}

impl Solid<'_> {
    /// Computes the fate of a cell and of its descendants ahead, as long as they are certain to be needed under the
    /// limit of pieces. `count` is the number of cells and pieces plus the number of unexamined cells. The results are
    /// independent of how far this goes.
    fn score_ahead(&self, cell: &mut OpenCell, count: &AtomicUsize) {
        if cell.fate.is_some() {
            return;
        }
        let mut fate = self.fate(cell, false);
        if let Fate::Cut(halves) = &mut fate {
            // One more cell, and two unexamined cells in place of one.
            let now = count.fetch_add(2, Ordering::Relaxed);
            // With `Progress` active, open cells are copied; stopping here keeps the copies small.
            if now < self.limits.max_pieces && self.limits.inflation <= self.limits.epsilon {
                halves.par_iter_mut().for_each(|c| self.score_ahead(c, count));
            }
        } else {
            count.fetch_sub(1, Ordering::Relaxed);
        }
        cell.fate = Some(fate);
    }

    /// Computes the fate of a cell. A cell with too large an overshoot is cut. Any other becomes its piece, if the
    /// bound is within ε; with `last` set, any cell becomes its piece.
    fn fate(&self, cell: &OpenCell, last: bool) -> Fate {
        if cell.worst > self.limits.epsilon && !last {
            return Fate::Cut(self.halves(cell));
        }
        let Some(hull) = cell.region.cell_hull(self.surface, SIMPLIFY_SHARE * self.limits.epsilon) else {
            return Fate::Empty;
        };
        let planes = planes_of(&hull);
        let epsilon = self.limits.epsilon;
        let goal = if last {
            Goal { allowed: f64::INFINITY, enough: epsilon.max(FINAL_BOUND_FACTOR * cell.worst) }
        } else {
            Goal { allowed: epsilon, enough: epsilon }
        };
        let found = overshoot(&self.patches, &hull.vertices, &planes, goal);
        match found.beyond {
            Some(points) => Fate::TooFar(points),
            None if found.upper <= epsilon || last => Fate::Piece(Piece { hull, reach: found.upper }),
            None => Fate::Cut(self.halves(cell)),
        }
    }

    /// Adds void rays around a cell's piece, because the samples of the whole surface missed some.
    fn refine_score(&mut self, cell: &mut OpenCell, [near, point]: [Vec3; 2]) {
        let depth = (point - near).norm();
        let planes = self.planes_around(&cell.soup);
        let mut more = sample_more(self.surface, &cell.region.triangles, &planes, &self.lines, self.limits.epsilon);
        more.push(VoidRay::new(near, (point - near) / depth, depth, &self.lines));
        for gap in more {
            cell.reached.push((self.gaps.len() as u32, gap.depth));
            self.gaps.push(gap);
        }
        cell.worst = depth;
    }

    /// Cuts a cell into two halves, without empty ones.
    fn halves(&self, cell: &OpenCell) -> Vec<OpenCell> {
        let mut extent = KDop::NONE;
        cell.soup.points.iter().for_each(|x| extent.add(&self.lines.along(x)));
        let mut cuts = best_cuts(&cell.soup, &extent, &self.lines, &self.gaps, &cell.reached, self.limits);
        if cuts.is_empty() {
            cuts.push(middle_cut(&extent, &self.lines));
        }
        let sides_of = |cut: Plane| {
            let side = |plane: Plane| self.side(cell, &plane.moved(self.limits.inflation));
            let (behind, before) = rayon::join(|| side(cut), || side(cut.turned()));
            ([behind, before], cut)
        };
        let sides: Vec<([Side; 2], Plane)> = cuts.into_par_iter().map(sides_of).collect();
        let mut best: Option<(f64, [Side; 2], Plane)> = None;
        for (sides, cut) in sides {
            let over = |s: &Side| s.reached.iter().map(|r| r.1 - self.limits.epsilon).sum::<f64>();
            let excess = over(&sides[0]) + over(&sides[1]);
            if best.as_ref().is_none_or(|b| excess < b.0) {
                best = Some((excess, sides, cut));
            }
        }
        let Some((_, [behind, before], cut)) = best else { return Vec::new() };
        let open = |side, plane: Plane| self.open(cell, side, &plane.moved(self.limits.inflation));
        let (behind, before) = rayon::join(|| open(behind, cut), || open(before, cut.turned()));
        [behind, before].into_iter().flatten().collect()
    }

    /// Content of a cell behind a plane.
    fn side(&self, cell: &OpenCell, plane: &Plane) -> Side {
        let soup = cell.soup.behind(plane, &self.lines);
        let reached = self.reached(&soup, &cell.reached);
        Side { soup, reached }
    }

    /// Void rays among `of` along which the hull of a sample overshoots by more than ε.
    fn reached(&self, soup: &PolygonSample, of: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let planes = self.planes_around(soup);
        let reach_of = |r: &(u32, f64)| (r.0, self.gaps[r.0 as usize].reached(&planes));
        of.iter().map(reach_of).filter(|r| r.1 > self.limits.epsilon).collect()
    }

    /// Planes of the hull of a sample; approximate if the sample is thinned anyway.
    fn planes_around(&self, soup: &PolygonSample) -> Vec<Plane> {
        let spare = if soup.is_whole() { 0.0 } else { SAMPLE_HULL_SLACK * self.limits.epsilon };
        planes_of(&hull_within(&soup.points, spare).0)
    }

    /// Makes a cell of the half behind a plane; `None` if it contains nothing of the solid.
    fn open(&self, cell: &OpenCell, side: Side, plane: &Plane) -> Option<OpenCell> {
        let region = cell.region.behind(plane, self.surface);
        let Side { mut soup, mut reached } = side;
        if !soup.is_whole() {
            // Sample anew: the half has fewer triangles.
            let short = SHORT_SHARE * self.limits.epsilon;
            soup = PolygonSample::of(self.surface, &region.triangles, (&self.long, short), &region.planes, &self.lines);
            soup = soup.clipped(&region.planes, &self.lines);
            if soup.points.is_empty() {
                // The triangles left out may be the only ones here.
                soup = PolygonSample::all(self.surface, &region.triangles, &self.lines)
                    .clipped(&region.planes, &self.lines);
            }
        }
        if !(region.inner.is_empty() && cell.soup.is_whole()) {
            soup.add_points(&region.inner, &self.lines);
            reached = self.reached(&soup, &cell.reached);
        }
        let worst = reached.iter().map(|r| r.1).fold(0.0, f64::max);
        (!soup.points.is_empty()).then_some(OpenCell { region, soup, reached, worst, fate: None })
    }
}
