//! Decides a run of one parameter, from the cheapest proof to the dearest one.

use crate::geom::math::{greater, lesser};
use crate::geom::{Bounds, Vec3};
use crate::query::sweep::cells::{Cells, merged};
use crate::query::sweep::inset::{DIVIDED, WHOLE, insets_of_run};
use crate::query::sweep::level::{Level, Scan};
use crate::query::sweep::run::{Failing, Sweep, SweepAnswer, SweepStatus, Worst};
use crate::query::sweep::scan::DepthScan;
use crate::query::sweep::widest::{GapLimit, Widest, widest};
use crate::query::sweep::work::Work;

/// Width of the bracket of a least gap: a share of the gap, and of the tolerance; the larger one counts.
const WIDTH: [f64; 2] = [0.01, 0.1];

impl Sweep<'_> {
    /// Decides the run; `approach` receives the bracket of the first pose within tolerance and clearance.
    pub(super) fn decide(&self, work: &mut Work, approach: &mut Option<[f64; 2]>) -> SweepAnswer {
        let answer = self.decide_from_below(work, approach);
        let passes = matches!(answer.status, SweepStatus::Clear | SweepStatus::Contact | SweepStatus::Allowed);
        match self.limits.max_gap.filter(|_| passes) {
            Some(largest) => self.decide_from_above(work, largest, answer, approach),
            None if passes => answer,
            None => self.with_other_parts(work, answer),
        }
    }

    /// Decides the run by the limits that the gap must not fall below.
    fn decide_from_below(&self, work: &mut Work, approach: &mut Option<[f64; 2]>) -> SweepAnswer {
        let limits = &self.limits;
        let wanted = greater(limits.tolerance, limits.min_clearance.unwrap_or(0.0));
        let apart = work.level(self.chain, greater(wanted - work.slack, 0.0));
        let near = self.scan(&apart, work, self.range, false);
        *approach = near.first.filter(|_| near.nested.is_empty());
        if near.is_complete() {
            let worst = (self.measured && self.measures_clear).then(|| self.least_gap(&apart, work, &[])).flatten();
            return SweepAnswer { worst, ..self.bare(SweepStatus::Clear, Vec::new()) };
        }
        if let Some(answer) = self.too_deep(work, &near) {
            return answer;
        }
        if let Some(clearance) = limits.min_clearance
            && let Some(answer) = self.clearance(work, clearance, &apart, near)
        {
            return answer;
        }
        self.touching(work, &apart)
    }

    /// The answer of a run that is deeper than its limits, or may be; `None` if no pose is. `near` is the scan of the
    /// larger of tolerance and clearance.
    fn too_deep(&self, work: &mut Work, near: &Scan) -> Option<SweepAnswer> {
        let limits = &self.limits;
        if limits.allow_depth.is_some_and(|depth| self.thickest() <= depth) {
            return None;
        }
        let status_alone = !self.measured && !self.first_failing;
        let poses = self.first_poses().into_iter().filter(|q| !near.is_kept_at(*q));
        let shown = self.broken_pose(work, poses.chain(middles(&near.nested)));
        let contact = near.violation.filter(|_| status_alone);
        let shown = shown.or_else(|| self.overlap_behind(work, contact?.at));
        if let Some(denied) = shown.and_then(|at| self.denied(at)) {
            return Some(denied);
        }
        if let Some(at) = shown.filter(|_| status_alone) {
            let failing = vec![self.failing_somewhere(SweepStatus::Interference, at)];
            return Some(SweepAnswer { failing, ..self.bare(SweepStatus::Interference, Vec::new()) });
        }
        let hard = match shown {
            Some(_) => self.depth_scan_of_broken(work),
            None => self.depth_scan(work, limits.deepest(), self.confirms),
        };
        let violation = hard.as_ref().and_then(|(_, scan)| scan.violation);
        if let Some(v) = violation.filter(|_| hard.as_ref().is_some_and(|(_, scan)| scan.denied)) {
            return Some(self.unconfirmed(v.at));
        }
        let is_confirmed = shown.is_some() || violation.is_some();
        let nested = hard.iter().flat_map(|(_, scan)| middles(&scan.nested)).collect::<Vec<f64>>();
        let shown = shown.or_else(|| self.broken_pose(work, nested.into_iter()));
        if let Some(at) = shown.or(violation.map(|v| v.at)) {
            let denied = if is_confirmed { None } else { self.denied(at) };
            return Some(denied.unwrap_or_else(|| self.interference(work, hard.as_ref(), shown)));
        }
        let Some((_, hard)) = hard else {
            // No upper bound of a depth exists: only the distance of the surfaces counts.
            let beyond = near.violation.map(|v| [v.at, self.range[1]]);
            let unproved = near.open.iter().chain(&near.nested).copied().chain(beyond).collect();
            return Some(self.bare(SweepStatus::Undecided, merged(unproved)));
        };
        (!hard.is_complete()).then(|| self.bare(SweepStatus::Undecided, merged([hard.open, hard.nested].concat())))
    }

    /// The answer of a run that interferes: `hard` is the scan for the depth, `shown` a broken pose known otherwise.
    fn interference(&self, work: &mut Work, hard: Option<&DepthScan>, shown: Option<f64>) -> SweepAnswer {
        let mut answer = self.bare(SweepStatus::Interference, Vec::new());
        answer.failing = match hard {
            Some(hard) => self.parts_too_deep(work, hard, shown),
            None => shown.map(|at| self.failing_somewhere(SweepStatus::Interference, at)).into_iter().collect(),
        };
        if self.measured {
            let seed = answer.failing.first().map_or(self.range[0], |f| f.from[1]);
            answer.worst = Some(self.largest_depth(work, seed, &answer.failing));
        }
        answer
    }

    /// The parts deeper than the limits. Insets follow where an end is wide, then those with divided edges. `hard` and
    /// `shown` as in [`Self::interference`].
    pub(super) fn parts_too_deep(
        &self,
        work: &mut Work,
        (surfaces, scan): &DepthScan,
        shown: Option<f64>,
    ) -> Vec<Failing> {
        let deepest = self.limits.deepest();
        let level = match surfaces {
            Some(surfaces) => Some(work.level_of_insets(surfaces, self.chain, deepest)),
            None => work.level_of_convex(self.chain, deepest),
        };
        let are_large = !self.divides_edges();
        let level = level.map(|level| level.for_ends(are_large));
        let mut found = level.map_or_else(Vec::new, |level| self.failing(&level, work, -deepest, scan, shown));
        let width = |parts: &[Failing]| parts.iter().flat_map(|f| [f.from, f.to]).map(|e| e[1] - e[0]).sum::<f64>();
        let whole = surfaces.is_none().then_some(WHOLE);
        let divided = self.divides_edges_of_ends().then_some(DIVIDED[0]);
        for divides in whole.into_iter().chain(divided) {
            if !self.measured || self.wide_ends(&found, work.floor).is_empty() {
                break;
            }
            let Some(surfaces) = insets_of_run(self, &work.still, deepest, divides) else { break };
            let level = work.level_of_insets(&surfaces, self.chain, deepest);
            let level = if divides == WHOLE { level.for_ends(are_large) } else { level.without_queries() };
            let scan = self.scan(&level, work, self.range, false);
            let other = self.failing(&level, work, -deepest, &scan, shown);
            if !other.is_empty() && width(&other) <= width(&found) {
                found = other;
            }
        }
        found
    }

    /// The answer of a run that fails or leaves open a clearance (mm); `None` if all poses keep it. `near` is the scan
    /// of the larger of tolerance and clearance.
    fn clearance(&self, work: &mut Work, clearance: f64, apart: &Level, near: Scan) -> Option<SweepAnswer> {
        let larger = clearance > self.limits.tolerance;
        let scan = if larger { Some(near) } else { self.clearance_scan(work, clearance) };
        let Some(scan) = scan else { return Some(self.bare(SweepStatus::Undecided, vec![self.range])) };
        if scan.violation.is_some() {
            let failing = self.parts_too_close(work, clearance, scan.violation.map(|v| v.at));
            // The bracket of the least gap may hold the clearance: its upper end must come from a broken pose.
            let middle = |f: &Failing| f.from[1] + 0.5 * (f.to[0] - f.from[1]);
            let broken: Vec<f64> = scan.violation.iter().map(|v| v.at).chain(failing.iter().map(middle)).collect();
            let deepest = self.limits.deepest();
            let worst = self.measured.then(|| self.least_signed_gap(apart, work, deepest, &broken)).flatten();
            return Some(SweepAnswer { worst, failing, ..self.bare(SweepStatus::TooClose, Vec::new()) });
        }
        let open = merged([scan.open.as_slice(), &scan.nested].concat());
        (!scan.is_complete()).then(|| self.bare(SweepStatus::Undecided, open))
    }

    /// The parts closer than a clearance (mm), overlaps included; `shown` is a pose known to be too close. Where the
    /// gap equals the clearance over some length, the slack is granted.
    pub(super) fn parts_too_close(&self, work: &mut Work, clearance: f64, shown: Option<f64>) -> Vec<Failing> {
        if clearance <= 0.0 {
            let level = work.level(self.chain, 0.0);
            let scan = self.clearance_scan(work, clearance);
            return scan.map(|scan| self.failing(&level, work, clearance, &scan, shown)).unwrap_or_default();
        }
        let (exact, is_sharp) = self.parts_below(work, clearance, shown);
        let granted = clearance - work.slack;
        if is_sharp || granted <= work.still.margin {
            return exact;
        }
        let (parts, is_sharp) = self.parts_below(work, granted, shown);
        let is_better = match (exact.first(), parts.first()) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(_), Some(_)) if self.measured => is_sharp,
            // Between the two first poses, a gap that equals the clearance breaks nothing for certain.
            (Some(x), Some(y)) => {
                let middle = x.from[1] + 0.5 * (y.from[1] - x.from[1]);
                self.slack(work, clearance, middle, 0.0) <= 0.0
            }
        };
        if is_better { parts } else { exact }
    }

    /// The parts below a gap (mm, > 0), and true if their ends are as narrow as promised and every pose inside is
    /// known; without measures, if the first pose is certain.
    fn parts_below(&self, work: &mut Work, gap: f64, shown: Option<f64>) -> (Vec<Failing>, bool) {
        let level = work.level(self.chain, gap);
        let scan = self.scan(&level, work, self.range, false);
        let parts = self.failing(&level, work, gap, &scan, shown);
        let is_sharp = if self.measured {
            parts.iter().all(|f| f.throughout) && self.wide_ends(&parts, work.floor).is_empty()
        } else {
            scan.open.is_empty() && scan.violation.is_none_or(|v| self.slack(work, gap, v.at, 0.0) > 0.0)
        };
        (parts, is_sharp)
    }

    /// The answer of a run that keeps all limits from below, and comes within the tolerance.
    fn touching(&self, work: &mut Work, apart: &Level) -> SweepAnswer {
        let deepest = self.limits.deepest();
        let mut answer = self.bare(SweepStatus::Contact, Vec::new());
        if !self.tells_allowed {
            return answer;
        }
        let mut deeper = None;
        if deepest > self.limits.tolerance {
            let contact = self.depth_scan(work, self.limits.tolerance, None).map(|(_, scan)| scan);
            if !contact.as_ref().is_some_and(Scan::is_complete) {
                answer.status = SweepStatus::Allowed;
                deeper = contact.and_then(|scan| scan.violation).map(|v| v.at);
            }
        }
        if self.measured {
            let deepest = deeper.and_then(|at| self.deepest_allowed(work, at));
            let limit =
                if answer.status == SweepStatus::Contact { self.limits.tolerance } else { self.limits.deepest() };
            answer.worst = deepest.or_else(|| self.least_signed_gap(apart, work, limit, &[]));
        }
        answer
    }

    /// The worst pose of a run with overlaps that a rule allows, from the first pose deeper than the tolerance on;
    /// `None` without an overlap at the poses tried.
    fn deepest_allowed(&self, work: &mut Work, first: f64) -> Option<Worst> {
        let rest =
            Failing { status: SweepStatus::Allowed, from: [first; 2], to: [self.range[1]; 2], throughout: false };
        let worst = self.largest_depth(work, first, &[rest]);
        // The proof of the status is an upper bound, too.
        let lower = greater(worst.gap.lower, -(self.limits.deepest() + work.slack));
        let gap = Bounds { lower: lesser(lower, worst.gap.upper), upper: worst.gap.upper };
        (gap.upper < 0.0).then_some(Worst { gap, ..worst })
    }

    /// Decides a run that keeps all other limits by the largest gap of a rule (mm).
    fn decide_from_above(
        &self,
        work: &mut Work,
        largest: f64,
        passing: SweepAnswer,
        approach: &mut Option<[f64; 2]>,
    ) -> SweepAnswer {
        let limit = GapLimit { largest, measured: self.measured };
        let found = widest(work, self.chain, &[self.range], limit, self.width(work.still.margin));
        if found.exceeds(largest + work.slack) {
            return self.loose(work, largest, &found, approach);
        }
        if found.open.is_empty() {
            return passing;
        }
        let open = merged(found.open.iter().map(|ends| ends[0]).collect());
        self.bare(SweepStatus::Undecided, open)
    }

    /// The answer of a run with a gap above the largest one of a rule (mm).
    fn loose(&self, work: &mut Work, largest: f64, found: &Widest, approach: &mut Option<[f64; 2]>) -> SweepAnswer {
        let mut answer = self.bare(SweepStatus::Loose, Vec::new());
        if let (Some(pose), Some(gap)) = (&found.pose, found.bounds()) {
            let at = pose.at[0];
            answer.failing = if self.measured || self.first_failing {
                self.parts_too_far(work, largest, at)
            } else {
                vec![self.failing_somewhere(SweepStatus::Loose, at)]
            };
            answer.worst = self.measured.then_some(Worst { at, gap, points: pose.points });
        }
        *approach = answer.failing.first().map(|f| f.from);
        answer
    }

    /// A broken pose, with unknown ends.
    pub(super) fn failing_somewhere(&self, status: SweepStatus, at: f64) -> Failing {
        Failing { status, from: [self.range[0], at], to: [at, self.range[1]], throughout: false }
    }

    /// Width of the bracket of a gap that is not an overlap (mm), before the margin is added at both ends.
    fn width(&self, margin: f64) -> impl Fn(f64) -> f64 {
        let tolerance = self.limits.tolerance;
        let asked = self.gap_width.map_or(f64::INFINITY, |asked| greater(asked - 2.0 * margin, 0.0));
        move |best: f64| {
            let promised = greater(WIDTH[0] * best, WIDTH[1] * tolerance);
            lesser(greater(promised - 2.0 * margin, 0.5 * promised), asked)
        }
    }

    /// Bracket of the least gap of a run without a depth beyond `limit` (mm): surfaces that may touch may also overlap
    /// as deep as that. `poses` are judged first.
    fn least_signed_gap(&self, apart: &Level, work: &mut Work, limit: f64, poses: &[f64]) -> Option<Worst> {
        let deepest = limit + work.slack;
        self.least_gap(apart, work, poses).map(|w| {
            let lower = if w.gap.lower > 0.0 { w.gap.lower } else { -deepest };
            Worst { gap: Bounds { lower, upper: w.gap.upper }, ..w }
        })
    }

    /// Bracket of the least distance of the surfaces; the search starts from `poses` and a few more. `None` for a
    /// surface without triangles.
    fn least_gap(&self, level: &Level, work: &mut Work, poses: &[f64]) -> Option<Worst> {
        let mut known: Option<(f64, f64, [Vec3; 2])> = None;
        for q in self.first_poses().into_iter().chain(poses.iter().copied()) {
            let limit = known.map_or(f64::INFINITY, |k| k.0);
            if let Some((d, points)) = work.still.distance(&self.chain.pose(&[q]), limit)
                && d < limit
            {
                known = Some((d, q, points));
            }
        }
        let mut cells = Cells::new(self.chain, self.range, self.spans());
        let course = level.course(&work.still, work.floor);
        let least = course.least_distance(&mut cells, known?, self.width(work.still.margin), &mut work.budget);
        work.frames += cells.count();
        Some(Worst { at: least.at, gap: least.distance, points: least.points })
    }
}

/// Middles of some intervals.
fn middles(intervals: &[[f64; 2]]) -> Vec<f64> {
    intervals.iter().map(|n| n[0] + 0.5 * (n[1] - n[0])).collect()
}
