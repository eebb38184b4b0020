//! Explains the status of one pair with the numbers of the run itself.

use crate::assembly::{Assembly, Geometry, InstanceIx, Level, PairRule, Rule, RuleTable};
use crate::check::outcome::fix::is_fixable;
use crate::check::outcome::part_rows::describe_parts;
use crate::check::outcome::warnings::collect_warnings;
use crate::check::pairs::candidates::Candidate;
use crate::check::prepare::load::PartMesh;
use crate::check::stages::answers::Checker;
use crate::check::stages::fixes::FixSearch;
use crate::check::stages::trace::{Step, Trace};
use crate::check::{Fix, PairOutcome, PartOutcome, Settings, Status};
use crate::error::{Error, Location, Problem, Warning};
use crate::geom::LengthUnit;
use crate::json::wording::{nearest, quoted};
use std::sync::Arc;

/// Number of instances that a message names.
const MAX_NAMED: usize = 8;

/// Trace of one pair through the stages. Lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Name of the assembly.
    pub name: String,
    /// Path of the assembly as given.
    pub path: String,
    /// Unit of the report.
    pub units: LengthUnit,
    /// Settings of the run.
    pub settings: Settings,
    /// Both instances in the order of the row, lesser id first.
    pub sides: [ExplainedInstance; 2],
    /// True if both instances are in one `as_unit` sub-assembly, which precedes every rule.
    pub in_one_unit: bool,
    /// First matching rule.
    pub rule: Option<Rule>,
    /// Limits of the pair; `None` for an ignored pair.
    pub asked: Option<PairLimits>,
    /// Finding of each stage, in order.
    pub steps: Vec<Step>,
    /// Row of the pair, as in a report of the run.
    pub pair: PairOutcome,
    /// Fix by a translation, for an interference.
    pub fix: Option<Fix>,
    /// Ids of the instances in [`Fix::moves_into`].
    pub moves_into: Vec<String>,
    /// Warnings of the run about these two parts.
    pub warnings: Vec<Warning>,
}

/// One of the two instances.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedInstance {
    /// Full id.
    pub id: String,
    /// Part of the instance, as in a report.
    pub part: PartOutcome,
    /// Geometry of its solid.
    pub geometry: Geometry,
    /// True if the mesh has a definite inside.
    pub solid: bool,
    /// True if the mesh is convex: the hull is the solid.
    pub convex: bool,
}

/// Limits of a pair. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLimits {
    /// Largest depth of a contact (mm): the run's tolerance, or the larger floor from the rounding of the two meshes.
    pub tolerance: f64,
    /// Distance beyond which the pair is clear and unlisted (mm).
    pub reach: f64,
    /// Rounding margin η of the pair (mm).
    pub margin: f64,
}

impl Explanation {
    /// Severity of the finding by its rule; `None` for a pair without a finding.
    pub fn severity(&self) -> Option<Level> {
        self.pair.status.fails().then(|| self.rule.as_ref().map(|r| r.severity).unwrap_or_default())
    }

    /// Name of the clearing stage; `None` for a pair with another status.
    pub fn cleared_by(&self) -> Option<&'static str> {
        let last = self.steps.last().filter(|_| self.pair.status == Status::Clear)?;
        Some(last.stage())
    }
}

/// Result of rules and boxes for the pair.
pub(crate) enum PairFound {
    Ignored {
        rule: Option<u32>,
    },
    /// Distance of the two boxes (mm), and the candidate if the grown boxes meet.
    Checked {
        distance: f64,
        candidate: Option<Candidate>,
    },
}

/// Finds two instances by id.
///
/// # Errors
/// Refuses unknown ids and one id given twice.
pub(crate) fn find_pair(assembly: &Assembly, ids: [&str; 2]) -> Result<[InstanceIx; 2], Error> {
    let mut problems = Vec::new();
    let found = ids.map(|id| {
        let place = assembly.instances.iter().position(|i| i.id == id);
        if place.is_none() {
            problems.push(unknown(assembly, id));
        }
        InstanceIx(place.unwrap_or(0) as u32)
    });
    if problems.is_empty() && found[0] == found[1] {
        let what = format!("`{}` is one instance", ids[0]);
        problems.push(Problem::new(Location::file(&assembly.path), what, "name two"));
    }
    if problems.is_empty() { Ok(found) } else { Err(Error { problems }) }
}

fn unknown(assembly: &Assembly, id: &str) -> Problem {
    let ids = || assembly.instances.iter().map(|i| i.id.as_str());
    let fix = nearest(id, ids()).map_or_else(
        || {
            let more = if assembly.instances.len() > MAX_NAMED { ", …" } else { "" };
            format!("its ids are {}{more}", ids().take(MAX_NAMED).map(quoted).collect::<Vec<_>>().join(", "))
        },
        |near| format!("did you mean {}?", quoted(near)),
    );
    Problem::new(Location::file(&assembly.path), format!("no instance has the id `{id}`"), fix)
}

impl Checker<'_> {
    /// Builds the explanation of a pair.
    pub(crate) fn explanation(
        &self,
        pair: [InstanceIx; 2],
        found: &PairFound,
        rules: &RuleTable,
        meshes: &[Arc<PartMesh>],
        reach: f64,
    ) -> Explanation {
        let [a, b] = self.by_id(pair);
        let mut steps = Trace::kept();
        let row = match found {
            PairFound::Ignored { rule } => self.bare([a, b], Status::Ignored, *rule),
            PairFound::Checked { distance, candidate } => {
                steps.note(Step::Aabb { distance: *distance, cleared: candidate.is_none() });
                let rule = if let PairRule::Rule(r) = rules.of(a, b) { Some(r) } else { None };
                match candidate {
                    Some(candidate) => self.explain(candidate, &mut steps),
                    None => self.bare([a, b], Status::Clear, rule),
                }
            }
        };
        let parts = describe_parts(self.assembly, meshes, self.shapes);
        let sides = [a, b].map(|i| self.side(i, &parts));
        let of_sides = |w: &Warning| w.part.as_ref().is_some_and(|p| sides.iter().any(|s| s.part.key == *p));
        let warnings = collect_warnings(self.assembly, meshes, self.shapes, self.settings);
        let warnings = warnings.into_iter().map(|w| w.warning).filter(of_sides).collect();
        let fix = is_fixable(&row).then(|| FixSearch::new(self, rules, reach).fix(&row)).flatten();
        let into = fix.as_ref().and_then(|f| f.moves_into.as_deref()).unwrap_or_default();
        Explanation {
            moves_into: into.iter().map(|c| self.assembly.instances[c.0 as usize].id.clone()).collect(),
            fix,
            name: self.assembly.name.clone(),
            path: self.assembly.path.clone(),
            units: self.assembly.units,
            settings: self.settings.clone(),
            in_one_unit: matches!(found, PairFound::Ignored { rule: None }),
            rule: row.rule.and_then(|r| self.assembly.rules.get(r as usize)).cloned(),
            asked: (row.status != Status::Ignored).then(|| self.asked([a, b], row.rule)),
            steps: steps.into_vec(),
            pair: row,
            sides,
            warnings,
        }
    }

    /// Orders the pair, lesser id first.
    fn by_id(&self, [a, b]: [InstanceIx; 2]) -> [InstanceIx; 2] {
        let id = |i: InstanceIx| &self.assembly.instances[i.0 as usize].id;
        if id(b) < id(a) { [b, a] } else { [a, b] }
    }

    fn side(&self, i: InstanceIx, parts: &[PartOutcome]) -> ExplainedInstance {
        let instance = &self.assembly.instances[i.0 as usize];
        let shape = &self.shapes.all[self.shapes.placed[i.0 as usize].shape as usize];
        ExplainedInstance {
            id: instance.id.clone(),
            part: parts[instance.part.0 as usize].clone(),
            geometry: shape.geometry,
            solid: shape.is_solid(),
            convex: shape.is_hull && shape.geometry != Geometry::Hull,
        }
    }

    /// Row of an ignored pair, or of a pair cleared by its boxes.
    fn bare(&self, pair: [InstanceIx; 2], status: Status, rule: Option<u32>) -> PairOutcome {
        let of = |i: InstanceIx| self.shapes.all[self.shapes.placed[i.0 as usize].shape as usize].geometry;
        PairOutcome { rule, ..PairOutcome::bare(pair, status, of(pair[0]).max(of(pair[1]))) }
    }
}
