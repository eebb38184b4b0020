//! From one hull to pieces that keep to ε.

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
use crate::shape::hull::{Hull, convex_hull, facets, fit_obb, hull_within};
use crate::shape::surface::{Inside, Surface};
use rayon::prelude::*;
use std::cmp;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Triangles that leave a plane by no more than this part of ε count as lying in it; the bound takes it into account.
const PATCH: f64 = 0.01;

/// Cuts for each piece that is allowed: those that leave one side empty make no piece.
const CUTS: usize = 8;

/// Triangles with no side longer than this part of ε are as good as points while cuts are compared.
const SHORT_SHARE: f64 = 0.5;

/// While cuts are compared, hulls of what was thinned out may leave points outside by this part of ε.
const SAMPLE_HULL_SLACK: f64 = 0.05;

/// This part of ε is spent on pieces of fewer vertices.
const SIMPLIFY_SHARE: f64 = 0.05;

/// Of a piece that is not cut further, what is below so many times the deepest gap that is known need not be known better.
const FINAL_BOUND_FACTOR: f64 = 1.1;

/// Where cells overlap by more than ε: the cuts that may follow each other without leading on.
const CUTS_WITHOUT_PROGRESS: usize = 8;

/// A cut leads on that leaves less than this share of what reaches beyond ε.
const PROGRESS_RATIO: f64 = 0.99;

/// A finished piece.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub hull: Hull,
    /// How far it reaches beyond the solid at most (mm).
    pub reach: f64,
}

/// A cell that may have to be cut.
#[derive(Clone)]
struct OpenCell {
    region: Region,
    soup: PolygonSample,
    /// The gaps that it reaches into too far, and how far (mm).
    reached: Vec<(u32, f64)>,
    /// The farthest.
    worst: f64,
    /// What becomes of it, where that was found out before its turn.
    fate: Option<Fate>,
}

/// What lies on one side of a cut.
struct Side {
    soup: PolygonSample,
    reached: Vec<(u32, f64)>,
}

/// What all cells share.
struct Solid<'a> {
    surface: &'a Surface,
    patches: TrianglePairs<'a>,
    limits: &'a Limits,
    lines: Directions,
    /// Triangles that no soup leaves out.
    long: Vec<bool>,
    gaps: Vec<VoidRay>,
}

/// The planes of a hull's facets.
pub(crate) fn planes_of(hull: &Hull) -> Vec<Plane> {
    facets(hull).into_iter().map(|f| Plane { normal: f.normal, offset: f.offset }).collect()
}

/// Covers the solid that a surface bounds by convex pieces, few where it can; `None` where the surface has no definite inside, or no
/// volume. A function of the surface and the limits alone.
///
/// Cells are cut by the plane that leaves least of the gaps in front of the surface too deep inside hulls; pieces that together
/// keep to ε become one. Whatever is chosen, the pieces hold the solid, and their reach is bounded afterwards (docs/numerics.md, Convex
/// pieces). Cost: some milliseconds a piece.
///
/// Sources: X. Wei, M. Liu, Z. Ling & H. Su, "Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and Tree Search",
/// 2022 (cuts by planes, then merges); K. Mamou & F. Ghorbel, "A Simple and Efficient Approach for 3D Mesh Approximate Convex
/// Decomposition", 2009.
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

/// By coordinates, the first that differs.
pub(crate) fn by_coordinates(p: &Vec3, q: &Vec3) -> cmp::Ordering {
    p.iter().zip(q.iter()).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(cmp::Ordering::Equal)
}

fn begin<'a>(surface: &'a Surface, limits: &'a Limits) -> Option<(Solid<'a>, OpenCell)> {
    let region = Region::all(surface);
    let long = long(surface);
    // The axes need not be those of all vertices.
    let corners = |t: u32| surface.triangle(t);
    let hull = convex_hull(&thinned(&region.triangles, &long).into_iter().flat_map(corners).collect::<Vec<_>>());
    if hull.rank < 3 {
        return None;
    }
    let of_hull = facets(&hull);
    let lines = Directions::of(&fit_obb(&hull, &of_hull).axes, &of_hull);
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

/// Cuts until every piece keeps to ε or there are as many as allowed.
fn cut(mut solid: Solid, root: OpenCell) -> Option<Vec<Piece>> {
    let mut open = vec![root];
    let mut pieces: Vec<Piece> = Vec::new();
    let mut cuts = 0;
    let mut progress = Progress::default();
    while let Some(at) = next(&open, solid.limits.epsilon) {
        let vain = progress.ends(&solid, &mut open, &mut pieces, cuts);
        // What is open may have changed.
        let at = if vain { 0 } else { at };
        let count = open.len() + pieces.len();
        let last = vain || count >= solid.limits.max_pieces || cuts >= CUTS * solid.limits.max_pieces;
        // What is cut at last depends on no other cell, so that cells are looked at together.
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

/// Whether cuts lead on. Where cells overlap by more than ε, because a piece has to hold a thick ball, no number of them may keep to ε: cuts
/// then only make more pieces that reach as far.
#[derive(Default)]
struct Progress {
    best: Option<Checkpoint>,
    ended: bool,
}

/// What there was when a cut last led on.
struct Checkpoint {
    /// How far what was open reached beyond ε in all (mm).
    beyond: f64,
    /// Cuts made until then.
    cuts: usize,
    open: Vec<OpenCell>,
    pieces: Vec<Piece>,
}

impl Progress {
    /// Whether nothing is to be cut any more; then what is open is what it was before cuts ceased to lead on.
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

/// What to do next: first look for gaps that the samples missed, then cut what reaches farthest.
fn next(open: &[OpenCell], epsilon: f64) -> Option<usize> {
    let unseen = open.iter().position(|c| c.worst <= epsilon);
    unseen.or_else(|| (0..open.len()).max_by(|&i, &j| open[i].worst.total_cmp(&open[j].worst).then(j.cmp(&i))))
}

/// What becomes of a cell.
#[derive(Clone)]
enum Fate {
    /// Nothing of the solid is in the cell.
    Empty,
    Piece(Piece),
    /// A closest surface point, and a point of the piece farther than ε from it.
    TooFar([Vec3; 2]),
    /// It is cut.
    Cut(Vec<OpenCell>),
}

impl Solid<'_> {
    /// Finds out what becomes of a cell, and of those it is cut into, as far as they are sure to be cut: until there are as many as
    /// pieces are allowed. `count` is how many there are, and how many of them were not looked at, together. No result depends on how far.
    fn score_ahead(&self, cell: &mut OpenCell, count: &AtomicUsize) {
        if cell.fate.is_some() {
            return;
        }
        let mut fate = self.fate(cell, false);
        if let Fate::Cut(halves) = &mut fate {
            // One more, and two in place of one that is not looked at.
            let now = count.fetch_add(2, Ordering::Relaxed);
            // Where cuts may not lead on, what is open is copied: it is kept small.
            if now < self.limits.max_pieces && self.limits.inflation <= self.limits.epsilon {
                halves.par_iter_mut().for_each(|c| self.score_ahead(c, count));
            }
        } else {
            count.fetch_sub(1, Ordering::Relaxed);
        }
        cell.fate = Some(fate);
    }

    /// What becomes of a cell: the halves of one that reaches too far; else its piece, its reach bounded, or if it is the `last` word,
    /// however far it reaches.
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

    /// Takes more samples of the gaps that a cell's piece reaches into, since those of the whole missed some.
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

    /// The two halves of a cell, those that hold something.
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

    /// What of a cell lies behind a plane.
    fn side(&self, cell: &OpenCell, plane: &Plane) -> Side {
        let soup = cell.soup.behind(plane, &self.lines);
        let reached = self.reached(&soup, &cell.reached);
        Side { soup, reached }
    }

    /// The gaps that the hull of a soup reaches into too far, of those given.
    fn reached(&self, soup: &PolygonSample, of: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let planes = self.planes_around(soup);
        let reach_of = |r: &(u32, f64)| (r.0, self.gaps[r.0 as usize].reached(&planes));
        of.iter().map(reach_of).filter(|r| r.1 > self.limits.epsilon).collect()
    }

    /// The planes of the hull of a soup; roughly, where something was left out anyway.
    fn planes_around(&self, soup: &PolygonSample) -> Vec<Plane> {
        let spare = if soup.is_whole() { 0.0 } else { SAMPLE_HULL_SLACK * self.limits.epsilon };
        planes_of(&hull_within(&soup.points, spare).0)
    }

    /// The half of a cell behind a plane as a cell; nothing where nothing of the solid is in it.
    fn open(&self, cell: &OpenCell, side: Side, plane: &Plane) -> Option<OpenCell> {
        let region = cell.region.behind(plane, self.surface);
        let Side { mut soup, mut reached } = side;
        if !soup.is_whole() {
            // Thinned out anew: there are fewer now.
            let short = SHORT_SHARE * self.limits.epsilon;
            soup = PolygonSample::of(self.surface, &region.triangles, (&self.long, short), &region.planes, &self.lines);
            soup = soup.clipped(&region.planes, &self.lines);
            if soup.points.is_empty() {
                // What was left out may be all that is here.
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
