//! Overlaps over a sweep that the facets of curved surfaces explain.
//!
//! A pose with such an overlap is a contact within the facet error. A sweep has the same status if a proof shows it for
//! every pose (`query::sweep::explained`).

use crate::assembly::Facets;
use crate::check::motion::segment::{OneParameter, still};
use crate::check::motion::sweep::{NO_PROOF, SweepQuery};
use crate::check::stages::limits::Limits;
use crate::check::stages::triangles::{allowance_at_most, largest_allowance};
use crate::check::{Measure, Status};
use crate::geom::Bounds;
use crate::geom::math::greater;
use crate::query::sweep::{ConcaveSurfaces, Explained, Failing, Sweep, SweepAnswer, SweepLimits, SweepStatus, Worst};

/// Reason of an undecided pair.
pub(crate) const FACETS: &str = "facets may explain the overlap of a pair; no proof shows that at every pose";

/// Number of poses behind the first broken one that may confirm an interference: each twice as far as the one before.
const LATER_POSES: i32 = 12;

/// Number of poses of a segment that may confirm an interference in the end.
const SPREAD: i32 = 33;

/// Divisor of the budget of the last search for an interference.
const LAST_SHARE: u64 = 8;

/// A segment with its status.
pub(crate) struct Decided {
    pub status: Status,
    /// Reason of an undecided pair.
    pub why: Option<&'static str>,
    /// True if the facets explain an overlap.
    pub within_facet_error: bool,
    pub answer: SweepAnswer,
}

impl Decided {
    /// The status of an answer that no facets change.
    pub(crate) fn plain(answer: SweepAnswer) -> Self {
        let why = (answer.status == SweepStatus::Undecided).then_some(NO_PROOF);
        Self { status: status_of(answer.status), why, within_facet_error: false, answer }
    }

    /// A segment without a proof anywhere.
    fn open(mut answer: SweepAnswer, range: [f64; 2]) -> Self {
        (answer.open, answer.proved, answer.worst) = (vec![range], 0.0, None);
        Self { status: Status::Undecided, why: Some(FACETS), within_facet_error: false, answer }
    }

    /// The same, with the tests of a search before it.
    fn after(mut self, other: &Self) -> Self {
        self.answer.tests += other.answer.tests;
        self
    }

    /// Leaves the parts of an interference open that no static check confirms.
    fn unexplained(mut answer: SweepAnswer) -> Self {
        let is_known = |f: &Failing| matches!(f.status, SweepStatus::TooClose | SweepStatus::Loose);
        let (others, open): (Vec<_>, Vec<_>) = answer.failing.drain(..).partition(is_known);
        answer.open = open.iter().map(|f| [f.from[0], f.to[1]]).collect();
        answer.failing = others;
        answer.proved = 0.0;
        Self { status: Status::Undecided, why: Some(FACETS), within_facet_error: false, answer }
    }
}

/// The status of a pair for the status of its sweep.
pub(crate) fn status_of(status: SweepStatus) -> Status {
    match status {
        SweepStatus::Clear => Status::Clear,
        SweepStatus::TooClose => Status::TooClose,
        SweepStatus::Loose => Status::Loose,
        SweepStatus::Contact => Status::Contact,
        SweepStatus::Allowed => Status::Allowed,
        SweepStatus::Interference => Status::Interference,
        SweepStatus::Undecided => Status::Undecided,
    }
}

/// Decides a segment, with the facets of curved surfaces. The answer counts the tests of all searches.
pub(crate) fn decide(query: &SweepQuery<'_>, limits: &Limits, one: &OneParameter, sweep: Sweep) -> Decided {
    let mut tests = 0;
    let mut decided = decide_counting(query, limits, one, sweep, &mut tests);
    decided.answer.tests += tests;
    decided
}

/// The same; adds the tests of all searches but the last one to `tests`.
fn decide_counting(
    query: &SweepQuery<'_>,
    limits: &Limits,
    one: &OneParameter,
    sweep: Sweep,
    tests: &mut u64,
) -> Decided {
    let most = allowance_at_most(query.first, query.second);
    if limits.facets == Facets::Strict || most <= 0.0 {
        return Decided::plain(sweep.answer());
    }
    // A pose that overlaps by its facets alone asks for their proof at once.
    let is_asked = sweep.overlapping_pose().is_some_and(|at| !interferes_at(query, one, at));
    if !is_asked {
        let confirms = |at| interferes_at(query, one, at) || interferes_somewhere(query, one);
        let answer = Sweep { confirms: Some(&confirms), ..sweep }.answer();
        if answer.unconfirmed.is_none() {
            return Decided::plain(answer);
        }
        *tests += answer.tests;
    }
    with_facets(query, limits, one, sweep, tests)
}

/// Looks for an interference beyond the facets in the end: the answer of `sweep` if a pose interferes, else `undecided`.
fn interference_or(query: &SweepQuery<'_>, one: &OneParameter, sweep: Sweep, undecided: Decided) -> Decided {
    let decided = if interferes_somewhere(query, one) {
        Decided::plain(sweep.answer())
    } else {
        confirmed(query, one, &Sweep { tests: sweep.tests / LAST_SHARE, ..sweep })
    };
    let [kept, dropped] =
        if decided.status == Status::Interference { [decided, undecided] } else { [undecided, decided] };
    kept.after(&dropped)
}

/// The status of a segment that facets may explain. A static check must confirm an interference.
fn confirmed(query: &SweepQuery<'_>, one: &OneParameter, sweep: &Sweep) -> Decided {
    let answer = sweep.answer();
    let overlaps = || answer.failing.iter().filter(|f| f.status == SweepStatus::Interference);
    let poses = overlaps().flat_map(|f| [f.from[1], f.from[1] + 0.5 * (f.to[0] - f.from[1]), f.to[0]]);
    // A verdict knows the first broken pose alone, as deep as the limits. Deeper poses follow, soon or late.
    let first = overlaps().next().filter(|_| !sweep.measured);
    let later = first.into_iter().flat_map(|f| {
        let rest = f.to[1] - f.from[1];
        (1..=LATER_POSES).rev().map(move |k| f.from[1] + rest * f64::from(-k).exp2())
    });
    let interferes = answer.status == SweepStatus::Interference;
    if interferes && !poses.chain(later).any(|at| interferes_at(query, one, at)) {
        return Decided::unexplained(answer);
    }
    Decided::plain(answer)
}

/// Decides a segment with an overlap that facets may explain. Adds the tests of all searches but the last one to
/// `tests`.
fn with_facets(query: &SweepQuery<'_>, limits: &Limits, one: &OneParameter, sweep: Sweep, tests: &mut u64) -> Decided {
    let (a, b) = (query.first.exact(), query.second.exact());
    let facets = ConcaveSurfaces {
        tables: [a.facets(query.first, false), b.facets(query.second, false)],
        most: largest_allowance(query.first, query.second),
    };
    let deepest = |allowance: f64| greater(limits.tolerance + allowance, limits.allow_depth.unwrap_or(0.0));
    let allowing = |depth: f64| Sweep {
        limits: SweepLimits { allow_depth: Some(depth), ..sweep.limits },
        // The facets bound an explained overlap.
        tells_allowed: false,
        ..sweep
    };
    let Some(explained) = sweep.explained(facets, tests) else {
        // Without a proof of the facets, an interference beyond every allowance is certain, and nothing else.
        let most = allowance_at_most(query.first, query.second);
        let decided = confirmed(query, one, &allowing(deepest(most)));
        if decided.status == Status::Interference {
            return decided;
        }
        return interference_or(query, one, sweep, Decided::open(decided.answer, one.range));
    };
    let [least, largest] = explained.allowances().unwrap_or([facets.most; 2]);
    let confirms = |at| interferes_at(query, one, at);
    let of_least = Sweep { confirms: Some(&confirms), ..allowing(deepest(least)) }.answer();
    if of_least.unconfirmed.is_none() {
        return with_explained(Decided::plain(of_least), &explained, deepest(least), sweep.measured);
    }
    // The parts of the run have allowances of their own.
    if sweep.keeps_allowances(&explained, tests) {
        let depth = deepest(largest);
        let decided = with_explained(Decided::plain(allowing(depth).answer()), &explained, depth, sweep.measured);
        if decided.status == Status::Contact {
            *tests += of_least.tests;
            return decided;
        }
        *tests += decided.answer.tests;
    }
    interference_or(query, one, allowing(deepest(least)), Decided::open(of_least, one.range))
}

/// The status of a segment with explained overlaps of at most `depth` (mm).
fn with_explained(decided: Decided, explained: &Explained, depth: f64, measured: bool) -> Decided {
    match decided.status {
        Status::Contact | Status::Allowed => within_facet_error(decided, explained, depth, measured),
        _ => decided,
    }
}

/// A segment with overlaps of at most `depth` (mm), explained at every pose.
fn within_facet_error(decided: Decided, explained: &Explained, depth: f64, measured: bool) -> Decided {
    let mut answer = decided.answer;
    let Worst { at, gap, points } = explained.deepest;
    let lower = -(depth + answer.slack);
    answer.worst = measured.then_some(Worst { at, gap: Bounds { lower, upper: gap.upper }, points });
    Decided { status: Status::Contact, why: None, within_facet_error: true, answer }
}

/// True if a static check calls a pose an interference.
fn interferes_at(query: &SweepQuery<'_>, one: &OneParameter, at: f64) -> bool {
    still(query, one, at, Measure::None).status == Status::Interference
}

/// True if a static check calls one of some poses, spread evenly over the segment, an interference.
fn interferes_somewhere(query: &SweepQuery<'_>, one: &OneParameter) -> bool {
    let [from, to] = one.range;
    let mut poses = (0..SPREAD).map(|k| from + (to - from) * f64::from(k) / f64::from(SPREAD - 1));
    poses.any(|at| interferes_at(query, one, at))
}
