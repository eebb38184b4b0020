//! Builds a SARIF log from an outcome.

use crate::assembly::{self, InstanceIx};
use crate::check::{Outcome, Relation, Status, pair_id};
use crate::error::{Error, Warning};
use crate::findings::{BaselineStatus, Entry, Groups, Judged, RowNumbers, rank};
use crate::report::number::{count, vector, volume};
use crate::report::rows::{self, by_status};
use crate::report::sarif::model::{
    ArtifactLocation, Attachment, AutomationDetails, Configuration, Descriptor, DescriptorReference, Driver,
    Invocation, Level, Location, Log, LogicalLocation, Notification, PhysicalLocation, Region, ResultProperties,
    ResultRow, Run, RunProperties, Suppression, Text, Tool,
};
use crate::report::sarif::{BASE, MAX_RESULTS};
use crate::report::sentence::sentence;
use crate::report::text::shown;
use crate::report::{PictureLinks, finding_help, location};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Rules of every run, in the order of their indices.
const FINDINGS: [Status; 3] = [Status::Interference, Status::TooClose, Status::Undecided];

/// Statuses of the findings that an outcome can have, in the order of their indices.
fn statuses(o: &Outcome) -> Vec<Status> {
    let limited = o.rules.iter().any(|rule| rule.max_gap.is_some());
    FINDINGS.into_iter().chain(limited.then_some(Status::Loose)).collect()
}

/// Code of the notification about omitted results.
const LEFT_OUT: &str = "too-many-results";

/// Code of the notification about an input without a verdict.
const UNREADABLE: &str = "no-verdict";

/// Unit of columns.
const COLUMN_KIND: &str = "unicodeCodePoints";

/// Builds a log of runs.
pub(crate) fn log(runs: Vec<Run>) -> Log {
    Log { schema: SCHEMA, version: "2.1.0", runs }
}

/// Names a run of a log by the path of its assembly.
pub(crate) fn named(path: &str, run: Run) -> Run {
    // Code scanning reads the part after the last `/` as the number of the run, so that part is empty.
    Run { automation_details: Some(AutomationDetails { id: format!("interfere/{path}/") }), ..run }
}

/// Builds the run of an assembly without a verdict: a notification for each problem.
pub(crate) fn failed_run(error: &Error) -> Run {
    let told = error.problems.iter().map(|problem| Notification {
        locations: place_of(Some(&problem.at)),
        message: message(&problem.to_string()),
        level: Level::Error,
        descriptor: DescriptorReference { id: UNREADABLE.to_owned(), index: 0 },
    });
    let notifications = vec![descriptor(UNREADABLE, Level::Error)];
    Run {
        tool: Tool { driver: driver(Vec::new(), notifications) },
        invocations: [Invocation {
            execution_successful: false,
            exit_code: 2,
            tool_execution_notifications: told.collect(),
        }],
        automation_details: None,
        original_uri_base_ids: bases(),
        column_kind: COLUMN_KIND,
        results: Vec::new(),
        properties: None,
    }
}

fn driver(rules: Vec<Descriptor>, notifications: Vec<Descriptor>) -> Driver {
    Driver { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION"), rules, notifications }
}

fn bases() -> BTreeMap<&'static str, ArtifactLocation> {
    let description = Some(Text { text: "The working directory of the check.".to_owned() });
    BTreeMap::from([(BASE, ArtifactLocation { uri: None, uri_base_id: None, description })])
}

/// Builds the run of an outcome: the worst results, at most [`MAX_RESULTS`].
pub(crate) fn run(judged: &Judged, links: PictureLinks<'_>) -> Run {
    let o = &judged.outcome;
    let findings = rows::in_groups(&rank::ranked(judged, |row| o.pairs[row].status.fails()), None);
    let (kept, left) = findings.split_at(findings.len().min(MAX_RESULTS));
    // A warning with a line becomes a result; the others become notifications of the run.
    let (placed, unplaced): (Vec<&Warning>, Vec<&Warning>) = o.warnings.iter().partition(|w| has_place(w));
    let (placed, more) = placed.split_at(placed.len().min(MAX_RESULTS - kept.len()));
    let codes: BTreeSet<&str> = placed.iter().map(|w| w.code.name()).collect();
    let statuses = statuses(o);
    let rules = statuses.iter().map(|s| descriptor(s.name(), Level::Error));
    let rules = rules.chain(codes.iter().map(|code| descriptor(code, Level::Warning))).collect();
    let groups = Groups::new(judged);
    let numbers = RowNumbers::new(judged, &groups);
    let mut results: Vec<_> = kept
        .iter()
        .enumerate()
        .map(|(k, e)| ResultRow {
            attachments: attachments(links, e.row),
            ..finding(judged, (&groups, &numbers), e, priority(k, findings.len()))
        })
        .collect();
    results.truncate(MAX_RESULTS - placed.len());
    let room = MAX_RESULTS - placed.len() - results.len();
    let of_runs: Vec<ResultRow> = run_results(judged, links);
    let unlisted = of_runs.len().saturating_sub(room);
    results.extend(of_runs.into_iter().take(room));
    results.extend(placed.iter().map(|w| {
        let index = statuses.len() + codes.iter().position(|code| *code == w.code.name()).unwrap_or(0);
        warning(judged, w, index)
    }));
    let (notifications, told) = notifications(o, &unplaced, left, more.len());
    Run {
        tool: Tool { driver: driver(rules, notifications) },
        invocations: [Invocation {
            execution_successful: true,
            exit_code: u8::from(judged.fails()),
            tool_execution_notifications: told,
        }],
        automation_details: None,
        original_uri_base_ids: bases(),
        column_kind: COLUMN_KIND,
        results,
        properties: Some(RunProperties {
            assembly: o.name.clone(),
            verdict: if judged.fails() { "fail" } else { "pass" },
            pairs: o.possible_pairs,
            counts: o.counts.named().map(|(status, n)| (status.name(), n)).collect(),
            left_out: (left.len() + more.len() + unlisted) as u64,
        }),
    }
}

/// Builds the results of the poses and sweeps, located at their lines.
fn run_results(judged: &Judged, links: PictureLinks<'_>) -> Vec<ResultRow> {
    let mut results = Vec::new();
    for (number, (run, one)) in judged.outcome.runs().iter().zip(judged.runs()).enumerate() {
        let findings = rows::in_groups(&rank::ranked(&one, |row| one.outcome.pairs[row].status.fails()), None);
        let groups = Groups::new(&one);
        for (k, entry) in findings.iter().enumerate() {
            let found = finding(&one, (&groups, &RowNumbers::default()), entry, priority(k, findings.len()));
            let said = format!("{}: {}", run.name, sentence(&one, entry.row));
            let p = &one.outcome.pairs[entry.row];
            let pair = pair_id(one.outcome.id(p.a), one.outcome.id(p.b));
            results.push(ResultRow {
                message: message(&said),
                locations: place_of(Some(&run.at)),
                partial_fingerprints: fingerprints(&format!("{pair}/{}", run.name), p.status.name()),
                attachments: attachments(links.of_run(number), entry.row),
                ..found
            });
        }
    }
    results
}

fn has_place(w: &Warning) -> bool {
    w.at.as_ref().is_some_and(|at| !at.file.is_empty() && at.line.is_some())
}

/// Rank of result `k` of `of`: from 100 down, to one decimal.
fn priority(k: usize, of: usize) -> f64 {
    (1000.0 * (of - k) as f64 / of as f64).round() / 10.0
}

fn finding(judged: &Judged, (groups, numbers): (&Groups, &RowNumbers), entry: &Entry<'_>, priority: f64) -> ResultRow {
    let o = &judged.outcome;
    let p = &o.pairs[entry.row];
    let pair = pair_id(o.id(p.a), o.id(p.b));
    let [a, b] = [p.a, p.b].map(|i| instance(o, i));
    ResultRow {
        rule_id: p.status.name().to_owned(),
        rule_index: statuses(o).iter().position(|s| *s == p.status).unwrap_or(0),
        level: match judged.severity_of(entry.row) {
            Some(assembly::Level::Warning) => Level::Warning,
            _ => Level::Error,
        },
        message: message(&sentence(judged, entry.row)),
        locations: vec![a],
        related_locations: vec![Location {
            id: Some(1),
            message: Some(message("the other instance of the pair")),
            ..b
        }],
        partial_fingerprints: fingerprints(&pair, p.status.name()),
        suppressions: suppressions(judged, entry.row),
        rank: Some(priority),
        attachments: Vec::new(),
        properties: Some(ResultProperties {
            pair,
            group: groups.of(entry.row).map(|g| g.id.clone()),
            row: numbers.of(entry.row).map(|n| n.row),
            relation: p.relation.map(Relation::name),
            overlap_volume: p.overlap_volume.map(|v| volume(v, o.units)),
            at: p.at().map(|at| vector(&at, o.units)),
        }),
    }
}

/// Picture of a row, if it has one.
fn attachments(links: PictureLinks<'_>, row: usize) -> Vec<Attachment> {
    let attachment = |path: String| {
        let (uri, relative) = location::uri(&path);
        Attachment {
            description: Text { text: "picture of the pair".to_owned() },
            artifact_location: ArtifactLocation {
                uri: Some(uri),
                uri_base_id: relative.then_some(BASE),
                description: None,
            },
        }
    };
    links.of(row).map(attachment).into_iter().collect()
}

/// Suppression of a finding, empty unless it is accepted; `None` for a run without a baseline.
fn suppressions(judged: &Judged, row: usize) -> Option<Vec<Suppression>> {
    let baseline = judged.baseline.as_ref()?;
    let accepted = Suppression {
        kind: "external",
        status: "accepted",
        justification: Some(format!("accepted in {}", shown(&baseline.file))),
    };
    Some((judged.status_of(row) == Some(BaselineStatus::Accepted)).then_some(accepted).into_iter().collect())
}

/// Fingerprints of a result, equal in different runs: made from its subject and kind, independent of its line. One has
/// the key of code scanning, one the program's own key.
fn fingerprints(subject: &str, kind: &str) -> BTreeMap<&'static str, String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(subject.as_bytes()).update(b" ").update(kind.as_bytes());
    let hash = hasher.finalize().to_hex().as_str()[..16].to_owned();
    BTreeMap::from([
        ("primaryLocationLineHash", format!("{hash}:1")),
        ("interfereFinding/v1", format!("{subject}-{kind}")),
    ])
}

fn instance(o: &Outcome, i: InstanceIx) -> Location {
    let id = o.id(i);
    let region = |line| Some(Region { start_line: line, start_column: None });
    Location {
        id: None,
        physical_location: location::of(o, i).map(|at| physical(at.file, region(at.line))),
        logical_locations: vec![LogicalLocation {
            name: id.rsplit('/').next().unwrap_or(id).to_owned(),
            fully_qualified_name: id.to_owned(),
            kind: "instance",
        }],
        message: None,
    }
}

fn physical(file: &str, region: Option<Region>) -> PhysicalLocation {
    let (uri, relative) = location::uri(file);
    let artifact_location =
        ArtifactLocation { uri: Some(uri), uri_base_id: relative.then_some(BASE), description: None };
    PhysicalLocation { artifact_location, region }
}

fn place_of(at: Option<&crate::error::Location>) -> Vec<Location> {
    let Some(at) = at.filter(|at| !at.file.is_empty()) else { return Vec::new() };
    let region = at.line.map(|line| Region { start_line: line, start_column: at.column });
    let physical_location = Some(physical(&at.file, region));
    vec![Location { id: None, physical_location, logical_locations: Vec::new(), message: None }]
}

fn said(w: &Warning) -> Text {
    let part = w.part.as_ref().map(|p| format!("part {p}: ")).unwrap_or_default();
    message(&format!("{part}{}", w.message))
}

fn warning(judged: &Judged, w: &Warning, rule_index: usize) -> ResultRow {
    let at = w.at.as_ref().and_then(|at| at.json_path.as_deref()).unwrap_or_default();
    let subject = format!("{}{at}{}", w.part.as_deref().unwrap_or_default(), w.message);
    let subject = &blake3::hash(subject.as_bytes()).to_hex().as_str()[..12].to_owned();
    ResultRow {
        rule_id: w.code.name().to_owned(),
        rule_index,
        level: Level::Warning,
        message: said(w),
        locations: place_of(w.at.as_ref()),
        related_locations: Vec::new(),
        partial_fingerprints: fingerprints(subject, w.code.name()),
        // All results have suppressions, or none: as for the findings.
        suppressions: judged.baseline.as_ref().map(|_| Vec::new()),
        rank: None,
        attachments: Vec::new(),
        properties: None,
    }
}

/// Notifications about the run, and their descriptors.
fn notifications(
    o: &Outcome,
    warnings: &[&Warning],
    left: &[Entry<'_>],
    more: usize,
) -> (Vec<Descriptor>, Vec<Notification>) {
    let mut codes: BTreeSet<&str> = warnings.iter().map(|w| w.code.name()).collect();
    if left.len() + more > 0 {
        codes.insert(LEFT_OUT);
    }
    let reference = |code: &str| DescriptorReference {
        id: code.to_owned(),
        index: codes.iter().position(|c| *c == code).unwrap_or(0),
    };
    let mut told: Vec<Notification> = Vec::new();
    if left.len() + more > 0 {
        let mut what = by_status(o, left);
        if more > 0 {
            let warnings = count(more as u64, "warning");
            what = if what.is_empty() { warnings } else { format!("{what}, {warnings}") };
        }
        let text = format!(
            "{} left out: {what}. Code scanning accepts {MAX_RESULTS} results per run, so the report keeps the worst; --format json lists all.",
            count((left.len() + more) as u64, "result")
        );
        told.push(Notification {
            locations: Vec::new(),
            message: message(&text),
            level: Level::Warning,
            descriptor: reference(LEFT_OUT),
        });
    }
    told.extend(warnings.iter().map(|w| Notification {
        locations: place_of(w.at.as_ref()),
        message: said(w),
        level: Level::Warning,
        descriptor: reference(w.code.name()),
    }));
    (codes.iter().map(|code| descriptor(code, Level::Warning)).collect(), told)
}

fn descriptor(code: &str, level: Level) -> Descriptor {
    let help = finding_help::of(code);
    Descriptor {
        id: code.to_owned(),
        short_description: help.as_ref().map(|h| message(&h.short)),
        full_description: help.as_ref().map(|h| message(&h.short)),
        help: help.map(|h| Text { text: inert(&h.text) }),
        default_configuration: Configuration { level },
    }
}

/// Builds a message with links and placeholders escaped.
fn message(text: &str) -> Text {
    Text { text: inert(&shown(text)) }
}

fn inert(text: &str) -> String {
    // Brackets form a link only before a parenthesis; elsewhere they stay, for readability.
    let link = text.contains("](");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '[' | ']' | '\\' if link => out.extend(['\\', c]),
            '{' | '}' => out.extend([c, c]),
            c => out.push(c),
        }
    }
    out
}
