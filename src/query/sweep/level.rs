//! Proves that the gap never falls below a level during a part of a run.
//!
//! Levels above 0 are distances of the surfaces. Levels below 0 are depths: the insets of both solids must stay apart,
//! and the static pipeline judges the poses where they do not.

use crate::geom::Pose;
use crate::motion::{Chain, OrbitAxis};
use crate::query::sweep::boxes::BoxProof;
use crate::query::sweep::cells::{Cells, Interval, RunPart, merged, outside};
use crate::query::sweep::hull_run::HullCourse;
use crate::query::sweep::hulls::MovingHulls;
use crate::query::sweep::inset::nested;
use crate::query::sweep::judge::{Judge, price};
use crate::query::sweep::orbits::{OrbitTree, unresolved};
use crate::query::sweep::prove::{Budget, Course, Judgement, Proof, Violation};
use crate::query::sweep::regions::Regions;
use crate::query::sweep::run::Sweep;
use crate::query::sweep::still::Still;
use crate::query::sweep::tree::SweepTree;
use crate::shape::surface::Surface;
use std::cell::{Cell, OnceCell};

/// Divisor of a box's budget: the hulls of two insets may use this part of it.
const HULLS_SHARE: u64 = 8;

/// Largest number of full static queries of one scan, and of those without an answer. Where a depth nearly equals the
/// limit, each may take seconds.
const MAX_QUERIES: [u32; 2] = [256, 2];

/// Largest number of static queries of a proof that counts only if it is complete.
const QUERIES_OF_COMPLETE: u32 = 8;

/// Largest number of static queries of a scan for the end of a failing part, and of those without an answer. Where
/// the depth changes slowly, each further one shortens the bracket by little.
const QUERIES_OF_ENDS: [u32; 2] = [16, 2];

/// The same for large parts. The rest of the bracket stays open: some tenths of the tolerance of motion, instead of
/// seconds of work.
const QUERIES_OF_LARGE_ENDS: [u32; 2] = [4, 2];

/// Number of poses of one scan at which the hulls of convex solids are measured, and of open intervals after which it
/// ends: where two solids touch over a long way, insets prove as much with fewer tests.
const LIMITS_OF_CONVEX: [u32; 2] = [512, 8];

/// Surfaces of one level, ready for proofs.
pub(crate) struct Level<'a> {
    /// Surfaces at the level: those of the parts, or their insets.
    surfaces: [&'a Surface; 2],
    /// Axis of their orbits.
    axis: Option<OrbitAxis>,
    /// Their trees, made on first use: hulls need none.
    trees: OnceCell<[SweepTree<'a>; 2]>,
    /// Their hulls, if both are convex.
    hulls: Option<MovingHulls<'a>>,
    /// True once the orbits have restricted the trees.
    narrowed: Cell<bool>,
    /// Distance of these surfaces that proves the level (mm, >= 0).
    distance: f64,
    /// Depth below which the static pipeline judges a pose broken (mm); `None` for distances.
    depth: Option<f64>,
    /// Number of open intervals after which the whole run counts as open; unlimited without one.
    patience: Option<u32>,
    /// Largest number of full static queries of one scan, and of those without an answer.
    queries: [u32; 2],
    /// Largest number of poses judged in one scan, for hulls that stand for insets.
    poses: Option<u32>,
    /// Static check of the broken poses, as [`Sweep::confirms`].
    confirms: Option<&'a dyn Fn(f64) -> bool>,
}

/// A proof over a part of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scan {
    /// Interval that holds the first broken pose; its end is broken.
    pub first: Option<[f64; 2]>,
    /// The broken pose itself.
    pub violation: Option<Violation>,
    /// Intervals before it without a proof.
    pub open: Vec<[f64; 2]>,
    /// Intervals where the solids may be nested in each other while their surfaces stay apart.
    pub nested: Vec<[f64; 2]>,
    /// Number of intervals made.
    pub frames: usize,
    /// True if the scan ended at the violation, which a static check denies.
    pub denied: bool,
}

impl Scan {
    /// True if the level is kept everywhere.
    pub(crate) fn is_complete(&self) -> bool {
        self.violation.is_none() && self.open.is_empty() && self.nested.is_empty()
    }

    /// True if the level is known to be kept at a value of the run.
    pub(crate) fn is_kept_at(&self, at: f64) -> bool {
        let open = [&self.open, &self.nested].into_iter().flatten();
        self.violation.is_none_or(|v| at < v.at) && open.clone().all(|o| at < o[0] || o[1] < at)
    }
}

impl<'a> Level<'a> {
    /// Level of a distance of the surfaces (mm, >= 0).
    pub(crate) fn apart(surfaces: [&'a Surface; 2], chain: &Chain, distance: f64) -> Self {
        Self::about(surfaces, OrbitAxis::of(chain), distance)
    }

    /// Level of a distance (mm, >= 0), with orbits about an axis.
    pub(crate) fn about(surfaces: [&'a Surface; 2], axis: Option<OrbitAxis>, distance: f64) -> Self {
        Self {
            surfaces,
            axis,
            trees: OnceCell::new(),
            hulls: None,
            narrowed: Cell::new(false),
            distance,
            depth: None,
            patience: None,
            queries: MAX_QUERIES,
            poses: None,
            confirms: None,
        }
    }

    /// Level of a depth (mm, > 0), with the insets for it.
    pub(crate) fn depth(insets: [&'a Surface; 2], chain: &Chain, depth: f64) -> Self {
        Self::apart(insets, chain, 0.0).of_depth(depth)
    }

    /// The same surfaces as insets for a depth (mm, > 0).
    pub(crate) fn of_depth(self, depth: f64) -> Self {
        Self { depth: Some(depth), ..self }
    }

    /// Level of a depth (mm, > 0) of convex solids without insets: the hulls at single poses bound the depth. Its
    /// proofs end early where they would need many poses.
    pub(crate) fn convex_depth(solids: [&'a Surface; 2], chain: &Chain, hulls: MovingHulls<'a>, depth: f64) -> Self {
        let [poses, patience] = LIMITS_OF_CONVEX.map(Some);
        let level = Self::apart(solids, chain, 0.0).of_depth(depth).with_hulls(Some(hulls));
        Self { patience, poses, ..level }
    }

    /// The same level with hulls that stand for its surfaces, if both are convex.
    pub(crate) fn with_hulls(self, hulls: Option<MovingHulls<'a>>) -> Self {
        Self { hulls, ..self }
    }

    /// A level whose proofs end early, once more than `patience` intervals are open: nothing but a complete proof
    /// counts.
    pub(crate) fn complete_or_open(self, patience: u32) -> Self {
        Self { patience: Some(patience), queries: [QUERIES_OF_COMPLETE; 2], ..self }
    }

    /// A level for the ends of failing parts alone: few static queries, and fewer between large parts.
    pub(crate) fn for_ends(self, are_large: bool) -> Self {
        Self { queries: if are_large { QUERIES_OF_LARGE_ENDS } else { QUERIES_OF_ENDS }, ..self }
    }

    /// A level whose proofs ask no static query.
    pub(crate) fn without_queries(self) -> Self {
        Self { queries: [0; 2], ..self }
    }

    /// A level whose scans ask a static check about the first broken pose that they find. If it denies the pose, the
    /// scan ends. Scans from the start of a run alone.
    pub(crate) fn confirmed_by(self, confirms: Option<&'a dyn Fn(f64) -> bool>) -> Self {
        Self { confirms, ..self }
    }

    /// True if the surfaces are insets.
    fn has_insets(&self) -> bool {
        self.depth.is_some() && self.poses.is_none()
    }

    fn trees(&self) -> &[SweepTree<'a>; 2] {
        self.trees.get_or_init(|| trees(self.surfaces, self.axis.as_ref()))
    }

    /// Restricts proofs to the triangles that orbits leave open, once.
    pub(crate) fn narrow(&self, margin: f64, budget: &mut Budget) {
        // The proof itself compares the orbit of a single triangle with those of the other part's nodes.
        let is_small = self.surfaces.iter().any(|s| s.triangles.len() == 1);
        if self.narrowed.replace(true) || is_small {
            return;
        }
        let trees = self.trees();
        let [a, b] = trees.each_ref().map(|tree| OrbitTree::new(tree.triangle_orbits()));
        if let (Some(mut a), Some(mut b)) = (a, b)
            && let Some(open) = unresolved([&mut a, &mut b], self.distance + margin, budget)
        {
            trees.iter().zip(&open).for_each(|(tree, open)| tree.restrict(open));
        }
    }

    /// The branch and bound of this level.
    pub(crate) fn course(&self, still: &Still, floor: f64) -> Course<'_> {
        let [a, b] = self.trees();
        Course { a, b, hulls: self.hulls.as_ref(), margin: still.margin, floor, patience: self.patience }
    }

    /// Scans a part of a run, from its start, or from its end if `backward`.
    pub(crate) fn scan(
        &self,
        sweep: &Sweep,
        still: &Still,
        floor: f64,
        range: [f64; 2],
        backward: bool,
        budget: &mut Budget,
    ) -> Scan {
        if !backward {
            return self.scan_forward(sweep.chain, sweep, still, floor, range, budget);
        }
        let found = self.scan_forward(&sweep.chain.reversed(), sweep, still, floor, [-range[1], -range[0]], budget);
        let flipped = |i: [f64; 2]| [-i[1], -i[0]];
        let all = |list: Vec<[f64; 2]>| list.into_iter().rev().map(flipped).collect();
        Scan {
            first: found.first.map(flipped),
            violation: found.violation.map(|v| Violation { at: -v.at, ..v }),
            open: all(found.open),
            nested: all(found.nested),
            frames: found.frames,
            denied: found.denied,
        }
    }

    fn scan_forward(
        &self,
        chain: &Chain,
        sweep: &Sweep,
        still: &Still,
        floor: f64,
        range: [f64; 2],
        budget: &mut Budget,
    ) -> Scan {
        let price = price([sweep.a.surface, sweep.b.surface]);
        if let Some(at_start) = self.broken_start(chain, still, range[0], price, budget) {
            return at_start;
        }
        let run = RunPart { chain, range, spans: sweep.spans() };
        let mut found = match &self.hulls {
            Some(hulls) => self.proof_by_hulls(hulls, &run, still, floor, budget),
            None => self.proof(&run, still, floor, budget),
        };
        let mut frames = found.frames;
        // The hull of an inset may be larger than the inset: the triangles decide what it leaves open.
        if self.hulls.is_some() && self.has_insets() && found.proof.leaves_open() {
            found = self.proof(&run, still, floor, budget);
            frames += found.frames;
        }
        let LevelProof { proof: Proof { violation, open }, settled, denied, .. } = found;
        let until = violation.map_or(range[1], |v| v.at);
        let settled = merged(settled);
        let unproved = merged([open.clone(), settled].concat());
        let pieces = outside([range[0], until], &unproved);
        let mut nested = Vec::new();
        for piece in pieces {
            budget.charge(price);
            let pose = chain.pose(&[piece[0] + 0.5 * (piece[1] - piece[0])]);
            if self.is_nested(still, &pose) {
                nested.push(piece);
            }
        }
        let proof = Proof { violation, open };
        Scan { first: proof.first(), violation, open: proof.open, nested, frames, denied }
    }

    /// Proof of the level that asks no static query: a pose with surfaces within the distance counts as broken. Solids
    /// nested in each other are left out. Returns the number of intervals made, too.
    pub(crate) fn strict_proof(&self, run: &RunPart, still: &Still, floor: f64, budget: &mut Budget) -> (Proof, usize) {
        self.narrow(still.margin, budget);
        let course = Course { hulls: None, ..self.course(still, floor) };
        let mut cells = Cells::new(run.chain, run.range, run.spans);
        let proof = course.prove(&mut cells, self.distance, budget, |_, _, _| Judgement::Broken);
        (proof, cells.count())
    }

    fn judge<'s>(&'s self, still: &'s Still) -> Judge<'s> {
        Judge::new(self.depth, self.queries, still).within_poses(self.poses).confirmed_by(self.confirms)
    }

    /// Proof of the level over a run by the triangles.
    fn proof(&self, run: &RunPart, still: &Still, floor: f64, budget: &mut Budget) -> LevelProof {
        self.narrow(still.margin, budget);
        let course = Course { hulls: None, ..self.course(still, floor) };
        let mut cells = Cells::new(run.chain, run.range, run.spans);
        let (mut judge, mut settled) = (self.judge(still), Vec::new());
        let decide = |cell: &Interval, points, budget: &mut Budget| judge.interval(cell, points, budget, &mut settled);
        let proof = course.prove(&mut cells, self.distance, budget, decide);
        LevelProof { proof, settled, frames: cells.count(), denied: judge.denied }
    }

    /// Proof of the level over a run by the hulls.
    fn proof_by_hulls(
        &self,
        hulls: &MovingHulls,
        run: &RunPart,
        still: &Still,
        floor: f64,
        budget: &mut Budget,
    ) -> LevelProof {
        // The hulls at one pose tell more about solids that nearly touch than a bound of their distance.
        let judged_within = self.depth.filter(|_| !self.has_insets()).unwrap_or(self.distance);
        let course = HullCourse { hulls, judged_within, margin: still.margin, floor, patience: self.patience };
        let by_orbits = |budget: &mut Budget| {
            if self.poses.is_some() {
                return None;
            }
            self.narrow(still.margin, budget);
            self.course(still, floor).prove_by_orbits(run.range, self.distance)
        };
        let (mut judge, mut settled) = (self.judge(still), Vec::new());
        let decide = |cell: &Interval, points, budget: &mut Budget| judge.interval(cell, points, budget, &mut settled);
        let (proof, frames) = course.prove(run, self.distance, budget, by_orbits, decide);
        LevelProof { proof, settled, frames, denied: judge.denied }
    }
}

/// Proof of a level over a run.
struct LevelProof {
    proof: Proof,
    /// Intervals that a judged pose settles.
    settled: Vec<[f64; 2]>,
    /// Number of intervals made.
    frames: usize,
    /// True if the proof ended at the violation, which a static check denies.
    denied: bool,
}

impl Level<'_> {
    /// Proves the level over a box, or shows a violation. A box of several parameters has no orbits.
    pub(crate) fn prove_box(&self, regions: &mut Regions, still: &Still, floor: f64, budget: &mut Budget) -> BoxProof {
        let mut judge = self.judge(still);
        let course = self.course(still, floor);
        if course.hulls.is_none() || self.depth.is_none() {
            return course.prove_box(regions, self.distance, budget, &mut judge);
        }
        let mut share = budget.share(HULLS_SHARE);
        let found = course.prove_box(regions, self.distance, &mut share, &mut judge);
        budget.give_back(share);
        if found.violation.is_some() || found.open.is_empty() {
            return found;
        }
        // The triangles decide what the hulls of the insets leave open, as in a scan.
        Course { hulls: None, ..course }.prove_box(regions, self.distance, budget, &mut judge)
    }

    /// True unless the solids of the level, with surfaces apart at this pose, lie outside each other.
    pub(crate) fn is_nested(&self, still: &Still, pose: &Pose) -> bool {
        match self.depth {
            None => still.nested(pose),
            Some(_) => nested(self.surfaces[0], self.surfaces[1], pose),
        }
    }

    /// Scan of a run whose first pose breaks the level already, for levels of a distance.
    fn broken_start(&self, chain: &Chain, still: &Still, at: f64, price: u64, budget: &mut Budget) -> Option<Scan> {
        if self.depth.is_some() || !budget.charge(price) {
            return None;
        }
        let limit = if self.distance > 0.0 { self.distance } else { still.margin };
        let (distance, points) = still.distance(&chain.pose(&[at]), limit)?;
        if self.distance > 0.0 && distance + still.margin >= self.distance {
            // The surfaces may keep the distance with equality.
            return None;
        }
        let violation = Some(Violation { at, points });
        Some(Scan { first: Some([at; 2]), violation, open: Vec::new(), nested: Vec::new(), frames: 1, denied: false })
    }
}

/// Trees of two surfaces, with orbits about an axis.
fn trees<'a>([a, b]: [&'a Surface; 2], axis: Option<&OrbitAxis>) -> [SweepTree<'a>; 2] {
    let [of_a, of_b] = [SweepTree::new(a), SweepTree::new(b)];
    match axis {
        None => [of_a, of_b],
        Some(axis) => [of_a.with_orbits(axis, |x| *x), of_b.with_orbits(axis, |x| axis.pose.point(x))],
    }
}
