//! `explain`: why one pair ended as it did, in the numbers of the run itself.

use crate::assembly::{Assembly, Geometry, InstanceIx, PairRule, Rule, RuleTable};
use crate::check::outcome::fix::{FixSearch, is_fixable};
use crate::check::outcome::part_rows::describe_parts;
use crate::check::outcome::warnings::collect_warnings;
use crate::check::pairs::candidates::Candidate;
use crate::check::prepare::load::PartMesh;
use crate::check::stages::answers::Checker;
use crate::check::stages::trace::{Step, Trace};
use crate::check::{Fix, PairOutcome, PartOutcome, Settings, Status};
use crate::error::{Error, Location, Problem, Warning};
use crate::geom::LengthUnit;
use std::sync::Arc;

/// The way of one pair through the stages. Lengths in mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The assembly's name.
    pub name: String,
    /// Its path as given.
    pub path: String,
    /// Unit of the report.
    pub units: LengthUnit,
    /// The options as settled.
    pub settings: Settings,
    /// The two instances in the order of the row: the lesser id first.
    pub sides: [ExplainedInstance; 2],
    /// Whether both lie inside one `as_unit` sub-assembly, which comes before every rule.
    pub in_one_unit: bool,
    /// The first rule that matches.
    pub rule: Option<Rule>,
    /// What is held against the pair; `None` where it is ignored.
    pub asked: Option<PairLimits>,
    /// What each stage found, in order.
    pub steps: Vec<Step>,
    /// The row, as a report of the run has it.
    pub pair: PairOutcome,
    /// How to mend it, where it interferes and a translation does.
    pub fix: Option<Fix>,
    /// The ids of [`Fix::moves_into`].
    pub moves_into: Vec<String>,
    /// What the run warns of in these two parts.
    pub warnings: Vec<Warning>,
}

/// One of the two instances.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedInstance {
    /// Full id.
    pub id: String,
    /// Its part, as in a report.
    pub part: PartOutcome,
    /// What its solid is taken to be.
    pub geometry: Geometry,
    /// Whether inside and outside are defined.
    pub solid: bool,
    /// Whether its mesh is convex, so that hull and triangles are one.
    pub convex: bool,
}

/// What is held against a pair. Lengths in mm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairLimits {
    /// Overlap no deeper than this is contact: the run's, or what the rounding of the two meshes raises it to.
    pub tolerance: f64,
    /// Nothing is asked of a pair that is farther apart than this.
    pub reach: f64,
    /// What rounding may change.
    pub margin: f64,
}

impl Explanation {
    /// The stage that proved the pair clear.
    pub fn cleared_by(&self) -> Option<&'static str> {
        let last = self.steps.last().filter(|_| self.pair.status == Status::Clear)?;
        Some(match last {
            Step::Aabb { .. } => "aabb",
            Step::Obb { .. } => "obb",
            Step::Hull { .. } => "hull",
            Step::Pieces { .. } => "pieces",
            _ => "exact",
        })
    }
}

/// What the rules and the boxes say of the pair.
pub(crate) enum PairFound {
    Ignored {
        rule: Option<u32>,
    },
    /// The distance of the two boxes (mm), and the candidate where they come within reach.
    Checked {
        distance: f64,
        candidate: Option<Candidate>,
    },
}

/// The two instances of these ids.
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
    let nearest = assembly.instances.iter().min_by_key(|i| strsim::osa_distance(id, &i.id));
    let fix = nearest.map_or(String::new(), |i| format!("the nearest is `{}`", i.id));
    Problem::new(Location::file(&assembly.path), format!("no instance has the id `{id}`"), fix)
}

impl Checker<'_> {
    /// What is found of the pair, and how.
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

    /// The pair, the lesser id first.
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

    /// The row of a pair that was not asked.
    fn bare(&self, pair: [InstanceIx; 2], status: Status, rule: Option<u32>) -> PairOutcome {
        let of = |i: InstanceIx| self.shapes.all[self.shapes.placed[i.0 as usize].shape as usize].geometry;
        PairOutcome { rule, ..PairOutcome::bare(pair, status, of(pair[0]).max(of(pair[1]))) }
    }
}
