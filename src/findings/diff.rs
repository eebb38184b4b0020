//! Compares two reports: new, worse, better and resolved findings, and the other differences of these pairs.

use crate::assembly::Level;
use crate::check::Status;
use crate::findings::report_reader::Report;
use crate::findings::resolved;
use crate::findings::run_view::{PairRuling, Row, RunView};
use crate::findings::severity::{Metric, Penetration, Severity, Slack, exceeds, is_farther_in, worse_in};
use std::collections::BTreeMap;

/// Change of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Missing in the older report.
    New,
    /// Worse kind or severity, larger depth, common volume, separating translation or failing travel, or a gap farther
    /// beyond its limit.
    Worse,
    /// In both reports, but unmeasured in one.
    Unmeasured,
    /// Missing in the newer report, without proof of a fix (unverified).
    Unverified,
    /// Less deep, farther apart, with a smaller common volume or a shorter separating translation, or of a better kind.
    Better,
    /// Missing in the newer report, with proof of the fix.
    Fixed,
    /// In both reports, neither worse nor better.
    Same,
}

impl Change {
    /// Every change, failing ones first.
    pub const ALL: [Self; 7] =
        [Self::New, Self::Worse, Self::Unmeasured, Self::Unverified, Self::Better, Self::Fixed, Self::Same];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::Unmeasured => "unmeasured",
            Self::Unverified => "unverified",
            Self::Better => "better",
            Self::Fixed => "fixed",
            Self::Same => "same",
        }
    }

    /// Returns true if the newer report is worse, or may be.
    pub fn fails(self) -> bool {
        matches!(self, Self::New | Self::Worse | Self::Unmeasured)
    }
}

/// Another difference between the two reports for a changed pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Instance A exists in one report only.
    InstanceA,
    /// Instance B exists in one report only.
    InstanceB,
    /// Mesh of A.
    MeshA,
    /// Mesh of B.
    MeshB,
    /// Placement of A.
    PlacementA,
    /// Placement of B.
    PlacementB,
    /// First matching rule.
    Rule,
    /// Tolerance of the run.
    Tolerance,
    /// Joint values of the pose or sweep.
    Run,
    /// Joints of the assembly.
    Joints,
    /// Values of `--facets`.
    Facets,
    /// `--geometry`, `--epsilon` or `--max-pieces`.
    Geometry,
    /// Version of the program.
    Program,
}

impl Cause {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::InstanceA => "instance_a",
            Self::InstanceB => "instance_b",
            Self::MeshA => "mesh_a",
            Self::MeshB => "mesh_b",
            Self::PlacementA => "placement_a",
            Self::PlacementB => "placement_b",
            Self::Rule => "rule",
            Self::Tolerance => "tolerance",
            Self::Run => "run",
            Self::Joints => "joints",
            Self::Facets => "facets",
            Self::Geometry => "geometry",
            Self::Program => "program",
        }
    }

    /// Name for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::InstanceA => "a is in one report only",
            Self::InstanceB => "b is in one report only",
            Self::MeshA => "mesh of a",
            Self::MeshB => "mesh of b",
            Self::PlacementA => "placement of a",
            Self::PlacementB => "placement of b",
            Self::Rule => "rule",
            Self::Tolerance => "tolerance",
            Self::Run => "joint values",
            Self::Joints => "joints",
            Self::Facets => "facets",
            Self::Geometry => "geometry",
            Self::Program => "version of interfere",
        }
    }
}

/// A pair with a finding in at least one of two reports: in the drawing, or in a pose or sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared<'a> {
    /// Full ids of the instances, sorted in byte order.
    pub ids: [&'a str; 2],
    /// Pose or sweep of the finding; `None` for the drawing.
    pub run: Option<&'a str>,
    /// Change of the finding.
    pub change: Change,
    /// Worse metrics, of those in both reports; for a better finding, the better ones.
    pub measures: Vec<Metric>,
    /// Other differences; empty without any.
    pub causes: Vec<Cause>,
    /// State of the pair in the newer report, for a finding missing there.
    pub note: Option<String>,
    /// Row of the pair in the older report, if listed.
    pub old: Option<Row<'a>>,
    /// Row of the pair in the newer report, if listed.
    pub new: Option<Row<'a>>,
}

impl Compared<'_> {
    /// Returns true if the finding is worse, or may be, and is no warning in the newer report.
    pub fn fails(&self) -> bool {
        self.change.fails() && self.new.as_ref().is_none_or(|row| row.level != Some(Level::Warning))
    }
}

/// Comparison of two reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff<'a> {
    /// Older report.
    pub old: &'a Report,
    /// Newer report.
    pub new: &'a Report,
    /// Pairs with a finding in either report, sorted by a, then b, then run.
    pub pairs: Vec<Compared<'a>>,
}

impl Diff<'_> {
    /// Number of pairs with this change.
    pub fn count(&self, change: Change) -> usize {
        self.pairs.iter().filter(|p| p.change == change).count()
    }

    /// True if a change, other than an equal finding, is in a pose or sweep.
    pub fn names_runs(&self) -> bool {
        self.pairs.iter().any(|p| p.change != Change::Same && p.run.is_some())
    }

    /// Returns true if the newer report is worse, or may be.
    pub fn fails(&self) -> bool {
        self.pairs.iter().any(Compared::fails)
    }
}

/// Compares two reports. Differences up to the smaller tolerance count as equal.
pub fn diff<'a>(old: &'a Report, new: &'a Report) -> Diff<'a> {
    let (before, now) = (old.view(), new.view());
    let both = Both { old, new, before, now, of_program: causes_of_program(old, new) };
    let mut keys: BTreeMap<Key<'a>, [Option<Row<'a>>; 2]> = BTreeMap::new();
    for (k, view) in [&both.before, &both.now].into_iter().enumerate() {
        for (run, row) in view.all_rows().filter(|(_, row)| row.status.fails()) {
            keys.entry((row.a, row.b, run)).or_default()[k] = Some(*row);
        }
    }
    let pairs = keys.into_iter().map(|(key, rows)| both.compared(key, &rows)).collect();
    Diff { old, new, pairs }
}

/// Ids of a pair, and the pose or sweep of its row.
type Key<'a> = (&'a str, &'a str, Option<&'a str>);

/// Two reports and their views.
struct Both<'a> {
    old: &'a Report,
    new: &'a Report,
    before: RunView<'a>,
    now: RunView<'a>,
    /// Differences of options and program.
    of_program: Vec<Cause>,
}

impl<'a> Both<'a> {
    /// Compares the findings of a pair.
    fn compared(&self, (a, b, run): Key<'a>, rows: &[Option<Row<'a>>; 2]) -> Compared<'a> {
        let Self { before, now, .. } = self;
        let mut measures = Vec::new();
        let (change, note) = match rows {
            [Some(then), Some(row)] => {
                let change;
                (change, measures) = self.compare_measured(then, row);
                (change, None)
            }
            [Some(then), None] => {
                let broken = before.broken_limit(run, a, b, then.status);
                let definition = run.and_then(|run| before.motion.run(run)?.definition);
                let verdict = resolved::judge(now, [a, b], run, definition, broken);
                (if verdict.fixed { Change::Fixed } else { Change::Unverified }, Some(verdict.why))
            }
            [None, _] => (Change::New, None),
        };
        let causes = if change == Change::Same { Vec::new() } else { self.causes((a, b, run)) };
        let listed = |view: &RunView<'a>, finding: Option<Row<'a>>| finding.or_else(|| view.row(run, a, b).copied());
        Compared {
            ids: [a, b],
            run,
            change,
            measures,
            causes,
            note,
            old: listed(before, rows[0]),
            new: listed(now, rows[1]),
        }
    }

    /// Compares a finding of both reports; unmeasured if the reports have different numbers.
    fn compare_measured(&self, then: &Row<'a>, row: &Row<'a>) -> (Change, Vec<Metric>) {
        // Differences up to the smaller tolerance count as equal.
        let length = self.old.settings.tolerance.min(self.new.settings.tolerance);
        let mesh = |view: &RunView<'a>, id| view.instances.get(id).map(|i| i.mesh);
        let same_meshes = [row.a, row.b].iter().all(|id| mesh(&self.before, id) == mesh(&self.now, id));
        let (change, by) = compare(then, row, length, same_meshes);
        let same_measure = self.old.settings.measure == self.new.settings.measure;
        if then.level == Some(Level::Warning) && row.level == Some(Level::Error) && change != Change::Worse {
            return (Change::Worse, Vec::new());
        }
        let comparable = same_measure || change == Change::Worse || has_equal_values(then, row);
        if comparable { (change, by) } else { (Change::Unmeasured, Vec::new()) }
    }

    /// Other differences between the reports for a pair.
    fn causes(&self, (a, b, run): Key<'a>) -> Vec<Cause> {
        let Self { before, now, .. } = self;
        let mut causes = Vec::new();
        let names = [
            (a, Cause::InstanceA, Cause::MeshA, Cause::PlacementA),
            (b, Cause::InstanceB, Cause::MeshB, Cause::PlacementB),
        ];
        for (id, instance, mesh, placement) in names {
            match (before.instances.get(id), now.instances.get(id)) {
                (Some(then), Some(is)) => {
                    causes.extend((then.mesh != is.mesh).then_some(mesh));
                    causes.extend((then.placement != is.placement).then_some(placement));
                }
                _ => causes.push(instance),
            }
        }
        causes.sort_unstable();
        let there = !causes.iter().any(|c| matches!(c, Cause::InstanceA | Cause::InstanceB));
        if there && !is_same_rule(&before.asked(run, a, b), &now.asked(run, a, b)) {
            causes.push(Cause::Rule);
        }
        if let Some(run) = run {
            let definition = |view: &RunView<'a>| view.motion.run(run)?.definition;
            // A run that was left out has the same values as before.
            let is_known = |view: &RunView<'a>| !view.motion.leaves_out(run);
            let differs = is_known(before) && is_known(now) && definition(before) != definition(now);
            causes.extend(differs.then_some(Cause::Run));
            causes.extend((self.old.motion.joints != self.new.motion.joints).then_some(Cause::Joints));
        }
        causes.extend(&self.of_program);
        causes
    }
}

/// Compares a finding of both reports; also returns the changed metrics. Lengths that differ by `length` (mm) count as
/// equal.
fn compare(old: &Row<'_>, new: &Row<'_>, length: f64, same_meshes: bool) -> (Change, Vec<Metric>) {
    let kind = |change: Change| (change, Vec::new());
    match (old.status, new.status) {
        (was, is) if was == is => {}
        // A former interference or undecided pair now only keeps a wrong distance.
        (Status::Interference | Status::Undecided, Status::TooClose | Status::Loose) => return kind(Change::Better),
        _ => return kind(Change::Worse),
    }
    let (was, is) = match (old.extent, new.extent) {
        (Some(was), Some(is)) => (was, is),
        // Neither report has a number: the status alone is known, and equal.
        (None, None) => return kind(Change::Same),
        _ => return kind(Change::Unmeasured),
    };
    if old.status != Status::TooClose && old.relation != new.relation {
        return kind(Change::Worse);
    }
    let worse = |now: &Row<'_>, before: &Row<'_>, is: Severity, was: Severity| {
        let slack = Slack::against(before.uncertainty, before.travel.is_some(), same_meshes, length);
        let lengths = now.penetration.zip(before.penetration).filter(|_| new.status == Status::Interference);
        let farther = lengths.is_some_and(|(now, before)| {
            is_farther_in(Penetration { now, before, facets: 0.0, remaining: None }, slack)
        });
        let longer = now.travel.zip(before.travel).is_some_and(|(now, before)| exceeds(now, before + length));
        let others = [farther.then_some(Metric::Penetration), longer.then_some(Metric::Travel)].into_iter().flatten();
        worse_in(is, was, slack).map(|m| m.into_iter().chain(others).collect::<Vec<_>>())
    };
    match (worse(new, old, is, was), worse(old, new, was, is)) {
        (Some(worse), Some(better)) if worse.is_empty() => {
            (if better.is_empty() { Change::Same } else { Change::Better }, better)
        }
        (worse, _) => (Change::Worse, worse.unwrap_or_default()),
    }
}

/// Returns true if two findings of one status have a volume and a translation in both reports or in neither.
fn has_equal_values(old: &Row<'_>, new: &Row<'_>) -> bool {
    let values = |row: &Row<'_>| (matches!(row.extent, Some(Severity::Depth(_, Some(_)))), row.penetration.is_some());
    old.status != new.status || values(old) == values(new)
}

fn causes_of_program(old: &Report, new: &Report) -> Vec<Cause> {
    let (s, t) = (&old.settings, &new.settings);
    let geometry = |s: &crate::check::Settings| (s.geometry, s.epsilon.map(f64::to_bits), s.max_pieces);
    let causes = [
        (Cause::Tolerance, s.tolerance != t.tolerance),
        (Cause::Facets, s.facets != t.facets),
        (Cause::Geometry, geometry(s) != geometry(t)),
        (Cause::Program, old.program != new.program),
    ];
    causes.into_iter().filter(|(_, is)| *is).map(|(cause, _)| cause).collect()
}

/// Returns true if both rules have equal content, independent of their position.
fn is_same_rule(x: &PairRuling<'_>, y: &PairRuling<'_>) -> bool {
    match (x, y) {
        (PairRuling::ByRule(x), PairRuling::ByRule(y)) | (PairRuling::IgnoredBy(x), PairRuling::IgnoredBy(y)) => {
            (&x.scope, &x.between, x.verb, x.max_gap, x.severity)
                == (&y.scope, &y.between, y.verb, y.max_gap, y.severity)
        }
        (PairRuling::InUnit(x), PairRuling::InUnit(y)) => x == y,
        (PairRuling::ToleranceOnly, PairRuling::ToleranceOnly) => true,
        _ => false,
    }
}
