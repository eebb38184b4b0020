//! What changed from one report to another: findings that are new, worse, better or gone, and what else changed with them.

use crate::check::{Metric, Status};
use crate::findings::report_reader::Report;
use crate::findings::resolved;
use crate::findings::run_view::{PairRuling, Row, RunView};
use crate::findings::severity::{Slack, worse_in};
use std::collections::BTreeMap;

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The older report does not have it.
    New,
    /// Deeper, nearer, with a larger volume in common, or of a worse kind.
    Worse,
    /// In both, and one of them did not measure it.
    Unmeasured,
    /// Gone, and the newer report does not show that it is mended.
    Unproved,
    /// Less deep, farther apart, with less volume in common, or of a better kind.
    Better,
    /// Gone and mended.
    Fixed,
    /// In both, no worse and no better.
    Same,
}

impl Change {
    /// Every change, what fails first.
    pub const ALL: [Self; 7] =
        [Self::New, Self::Worse, Self::Unmeasured, Self::Unproved, Self::Better, Self::Fixed, Self::Same];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::Unmeasured => "unmeasured",
            Self::Unproved => "unproved",
            Self::Better => "better",
            Self::Fixed => "fixed",
            Self::Same => "same",
        }
    }

    /// Whether the newer report is worse for it, or may be.
    pub fn fails(self) -> bool {
        matches!(self, Self::New | Self::Worse | Self::Unmeasured)
    }
}

/// What else differs between the two reports where a pair changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Only one of the reports has instance A.
    InstanceA,
    /// Only one of the reports has instance B.
    InstanceB,
    /// A's mesh.
    MeshA,
    /// B's mesh.
    MeshB,
    /// Where A stands.
    PlacementA,
    /// Where B stands.
    PlacementB,
    /// The rule that holds between them.
    Rule,
    /// The tolerance of the run.
    Tolerance,
    /// `--facets`.
    Facets,
    /// `--geometry`, `--epsilon` or `--max-pieces`.
    Geometry,
    /// The version of the program.
    Program,
}

impl Cause {
    /// The name in reports.
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
            Self::Facets => "facets",
            Self::Geometry => "geometry",
            Self::Program => "program",
        }
    }

    /// The same for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::InstanceA => "a is in one of the reports only",
            Self::InstanceB => "b is in one of the reports only",
            Self::MeshA => "mesh of a",
            Self::MeshB => "mesh of b",
            Self::PlacementA => "placement of a",
            Self::PlacementB => "placement of b",
            Self::Rule => "rule",
            Self::Tolerance => "tolerance",
            Self::Facets => "facets",
            Self::Geometry => "geometry",
            Self::Program => "version of interfere",
        }
    }
}

/// A pair that is a finding in at least one of two reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared<'a> {
    /// Full ids of its instances, the one that comes first in byte order before the other.
    pub ids: [&'a str; 2],
    /// What became of it.
    pub change: Change,
    /// In what it is worse, of what both reports have measured; of one that is better in what it is better.
    pub measures: Vec<Metric>,
    /// What else changed; empty where the reports show nothing.
    pub causes: Vec<Cause>,
    /// Of a finding that is gone: what the newer report knows of the pair.
    pub note: Option<String>,
    /// The pair in the older report, where it is listed there.
    pub old: Option<Row<'a>>,
    /// The pair in the newer report, where it is listed there.
    pub new: Option<Row<'a>>,
}

/// Two reports compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff<'a> {
    /// The older report.
    pub old: &'a Report,
    /// The newer one.
    pub new: &'a Report,
    /// Every pair that is a finding in one of them, sorted by a, then b.
    pub pairs: Vec<Compared<'a>>,
}

impl Diff<'_> {
    /// How many pairs changed in this way.
    pub fn count(&self, change: Change) -> usize {
        self.pairs.iter().filter(|p| p.change == change).count()
    }

    /// Whether the newer report is worse, or may be.
    pub fn fails(&self) -> bool {
        self.pairs.iter().any(|p| p.change.fails())
    }
}

/// Compares two reports. What differs by no more than the smaller of their tolerances is the same.
pub fn diff<'a>(old: &'a Report, new: &'a Report) -> Diff<'a> {
    let (before, now) = (old.view(), new.view());
    let length = old.settings.tolerance.min(new.settings.tolerance);
    let of_run = causes_of_run(old, new);
    let mut keys: BTreeMap<(&str, &str), [Option<Row<'a>>; 2]> = BTreeMap::new();
    for (k, view) in [&before, &now].into_iter().enumerate() {
        for row in view.rows.iter().filter(|r| r.status.fails()) {
            keys.entry((row.a, row.b)).or_default()[k] = Some(*row);
        }
    }
    let compared = keys.into_iter().map(|((a, b), rows)| {
        let mut measures = Vec::new();
        let (change, note) = match rows {
            [Some(then), Some(row)] => {
                let mesh = |view: &RunView<'a>, id| view.instances.get(id).map(|i| i.mesh);
                let same_meshes = [a, b].iter().all(|id| mesh(&before, id) == mesh(&now, id));
                let (change, by) = compare(&then, &row, Slack { length, same_meshes });
                measures = by;
                (change, None)
            }
            [Some(then), None] => {
                let verdict = resolved::judge(&now, a, b, before.passing_gap(a, b, then.status));
                (if verdict.fixed { Change::Fixed } else { Change::Unproved }, Some(verdict.why))
            }
            [None, _] => (Change::New, None),
        };
        let causes = if change == Change::Same { Vec::new() } else { causes(&before, &now, a, b, &of_run) };
        let listed = |view: &RunView<'a>, finding: Option<Row<'a>>| finding.or_else(|| view.row(a, b).copied());
        Compared {
            ids: [a, b],
            change,
            measures,
            causes,
            note,
            old: listed(&before, rows[0]),
            new: listed(&now, rows[1]),
        }
    });
    let pairs = compared.collect();
    Diff { old, new, pairs }
}

/// A finding of both reports, and in what it changed.
fn compare(old: &Row<'_>, new: &Row<'_>, slack: Slack) -> (Change, Vec<Metric>) {
    let kind = |change: Change| (change, Vec::new());
    match (old.status, new.status) {
        (was, is) if was == is => {}
        // What shared space, or could not be told from that, is only too near now.
        (_, Status::TooClose) => return kind(Change::Better),
        _ => return kind(Change::Worse),
    }
    let (Some(was), Some(is)) = (old.extent, new.extent) else { return kind(Change::Unmeasured) };
    if old.status != Status::TooClose && old.relation != new.relation {
        return kind(Change::Worse);
    }
    match (worse_in(is, was, slack), worse_in(was, is, slack)) {
        (Some(worse), Some(better)) if worse.is_empty() => {
            (if better.is_empty() { Change::Same } else { Change::Better }, better)
        }
        (worse, _) => (Change::Worse, worse.unwrap_or_default()),
    }
}

fn causes_of_run(old: &Report, new: &Report) -> Vec<Cause> {
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

fn causes(before: &RunView<'_>, now: &RunView<'_>, a: &str, b: &str, of_run: &[Cause]) -> Vec<Cause> {
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
    if there && !is_same_rule(&before.asked(a, b), &now.asked(a, b)) {
        causes.push(Cause::Rule);
    }
    causes.extend(of_run);
    causes
}

/// Whether two rules say the same of the same ids, wherever they stand.
fn is_same_rule(x: &PairRuling<'_>, y: &PairRuling<'_>) -> bool {
    match (x, y) {
        (PairRuling::ByRule(x), PairRuling::ByRule(y)) | (PairRuling::IgnoredBy(x), PairRuling::IgnoredBy(y)) => {
            (&x.scope, &x.between, x.verb) == (&y.scope, &y.between, y.verb)
        }
        (PairRuling::InUnit(x), PairRuling::InUnit(y)) => x == y,
        (PairRuling::ToleranceOnly, PairRuling::ToleranceOnly) => true,
        _ => false,
    }
}
