//! Builds assemblies without files, for users of the library.

use crate::assembly::builder_motion::{NamedValues, NewJoint, NewMotion, NewPin, NewRun};
use crate::assembly::file::{bad_id, placement};
use crate::assembly::resolve::MAX_INSTANCES;
use crate::assembly::rules::glob::Glob;
use crate::assembly::{Assembly, Facets, FileSettings, Instance, Level, MeshSource, Part, PartIx, Rule, RuleAction};
use crate::error::{Error, Location, Problem};
use crate::geom::tolerance::{DEFAULT_TOLERANCE_MM, MAX_COORDINATE};
use crate::geom::{Affine, LengthUnit};
use crate::json::wording::{nearest, quoted};
use crate::mesh::TriMesh;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Builds an assembly in memory. Mesh coordinates are in the builder's unit; placements, rules and the tolerance are in
/// mm, like everywhere in the library.
///
/// ```
/// use interfere::{Affine, Assembly, LengthUnit, RuleAction, TriMesh, Vec3};
///
/// let tetrahedron = TriMesh {
///     vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
///     triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
/// };
/// let aside = Affine { translation: Vec3::new(2.0, 0.0, 0.0), ..Affine::identity() };
/// let assembly = Assembly::builder("pair", LengthUnit::Mm)
///     .part("corner", tetrahedron)
///     .instance("left", "corner", Affine::identity())
///     .instance("right", "corner", aside)
///     .rule("left", "right", RuleAction::MinClearance(0.5), None)
///     .build()?;
/// assert_eq!(assembly.instances.len(), 2);
/// # Ok::<(), interfere::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AssemblyBuilder {
    name: String,
    units: LengthUnit,
    tolerance: f64,
    facets: Facets,
    parts: Vec<(String, TriMesh)>,
    instances: Vec<(String, String, Affine)>,
    rules: Vec<([String; 2], RuleAction, Option<String>)>,
    motion: NewMotion,
}

impl Assembly {
    /// Begins an assembly in memory; `units` is the unit of its meshes and of its report.
    pub fn builder(name: impl Into<String>, units: LengthUnit) -> AssemblyBuilder {
        AssemblyBuilder {
            name: name.into(),
            units,
            tolerance: DEFAULT_TOLERANCE_MM,
            facets: Facets::default(),
            parts: Vec::new(),
            instances: Vec::new(),
            rules: Vec::new(),
            motion: NewMotion::default(),
        }
    }
}

impl AssemblyBuilder {
    /// Adds a part; coordinates in the builder's unit.
    #[must_use]
    pub fn part(mut self, key: impl Into<String>, mesh: TriMesh) -> Self {
        self.parts.push((key.into(), mesh));
        self
    }

    /// Places a part; the translation is in mm.
    #[must_use]
    pub fn instance(mut self, id: impl Into<String>, part: impl Into<String>, placement: Affine) -> Self {
        self.instances.push((id.into(), part.into(), placement));
        self
    }

    /// Adds a rule between two globs over instance ids, after the earlier ones (lengths in mm).
    #[must_use]
    pub fn rule(
        mut self,
        first: impl Into<String>,
        second: impl Into<String>,
        verb: RuleAction,
        reason: Option<&str>,
    ) -> Self {
        self.rules.push(([first.into(), second.into()], verb, reason.map(str::to_owned)));
        self
    }

    /// Adds a joint; its name is unique.
    ///
    /// ```
    /// use interfere::{Affine, Assembly, LengthUnit, NewJoint, Options, Status, TriMesh, Vec3};
    ///
    /// let tetrahedron = TriMesh {
    ///     vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
    ///     triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    /// };
    /// let aside = Affine { translation: Vec3::new(3.0, 0.0, 0.0), ..Affine::identity() };
    /// let assembly = Assembly::builder("drawer", LengthUnit::Mm)
    ///     .part("corner", tetrahedron)
    ///     .instance("left", "corner", Affine::identity())
    ///     .instance("right", "corner", aside)
    ///     .joint("slide", NewJoint::prismatic(-Vec3::x()).moves("right").range(0.0, 4.0))
    ///     .pose("near", [("slide", 1.5)])
    ///     .sweep("closing", [("slide", [0.0, 2.5])])
    ///     .path("in-and-out", [vec![("slide", 0.0)], vec![("slide", 1.5)], vec![("slide", 0.5)]])
    ///     .build()?;
    /// let outcome = interfere::check(&assembly, &Options::default())?;
    /// let found = |run: &str| {
    ///     let run = outcome.runs().iter().find(|known| known.name == run);
    ///     run.map(|run| run.counts.of(Status::Interference))
    /// };
    /// assert_eq!([found("near"), found("closing"), found("in-and-out")], [Some(0), Some(1), Some(0)]);
    /// # Ok::<(), interfere::Error>(())
    /// ```
    #[must_use]
    pub fn joint(mut self, name: impl Into<String>, joint: NewJoint) -> Self {
        self.motion.joints.push((name.into(), joint));
        self
    }

    /// Adds a pin that closes a loop of joints, as drawn.
    ///
    /// ```
    /// use interfere::{Affine, Assembly, LengthUnit, NewJoint, NewPin, Options, Status, TriMesh, Vec3};
    ///
    /// let tetrahedron = TriMesh {
    ///     vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
    ///     triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    /// };
    /// let at = |x: f64| Affine { translation: Vec3::new(x, 0.0, 0.0), ..Affine::identity() };
    /// // A crank of 30 mm, a rod of 85 mm: the piston pin goes 60 mm back.
    /// let assembly = Assembly::builder("slider-crank", LengthUnit::Mm)
    ///     .part("corner", tetrahedron)
    ///     .instance("piston", "corner", at(115.0))
    ///     .instance("stop", "corner", at(60.0))
    ///     .joint("crank", NewJoint::revolute(Vec3::z(), Vec3::zeros()))
    ///     .joint("rod", NewJoint::revolute(Vec3::z(), Vec3::x() * 30.0).on("crank"))
    ///     .joint("piston", NewJoint::prismatic(Vec3::x()).moves("piston"))
    ///     .pin(NewPin::new(["rod", "piston"], Vec3::x() * 115.0, Vec3::z(), ["rod", "piston"]))
    ///     .sweep("turn", [("crank", [0.0, 360.0])])
    ///     .build()?;
    /// let outcome = interfere::check(&assembly, &Options::default())?;
    /// assert_eq!(outcome.runs()[0].counts.of(Status::Interference), 1);
    /// # Ok::<(), interfere::Error>(())
    /// ```
    #[must_use]
    pub fn pin(mut self, pin: NewPin) -> Self {
        self.motion.pins.push(pin);
        self
    }

    /// Adds a pose: values of joints (degrees, or mm for slides); the others are at home.
    #[must_use]
    pub fn pose<'n>(self, name: impl Into<String>, values: impl IntoIterator<Item = (&'n str, f64)>) -> Self {
        self.run(name, NewRun::Pose(named(values)))
    }

    /// Adds a sweep of every combination of the values of some joints; the others are at home.
    #[must_use]
    pub fn sweep<'n>(self, name: impl Into<String>, ranges: impl IntoIterator<Item = (&'n str, [f64; 2])>) -> Self {
        let ranges = ranges.into_iter().map(|(joint, range)| (joint.to_owned(), range));
        self.run(name, NewRun::Sweep(ranges.collect()))
    }

    /// Adds a sweep through two or more configurations; joints move linearly between them.
    #[must_use]
    pub fn path<'n, C: IntoIterator<Item = (&'n str, f64)>>(
        self,
        name: impl Into<String>,
        configurations: impl IntoIterator<Item = C>,
    ) -> Self {
        self.run(name, NewRun::Path(configurations.into_iter().map(named).collect()))
    }

    fn run(mut self, name: impl Into<String>, run: NewRun) -> Self {
        self.motion.runs.push((name.into(), run));
        self
    }

    /// Sets the tolerance: overlap up to this depth is contact (mm, default 0.01).
    #[must_use]
    pub fn tolerance(mut self, mm: f64) -> Self {
        self.tolerance = mm;
        self
    }

    /// Sets the handling of facet allowances.
    #[must_use]
    pub fn facets(mut self, facets: Facets) -> Self {
        self.facets = facets;
        self
    }

    /// Builds the assembly.
    ///
    /// # Errors
    /// Returns all problems at once: every problem known to the file reader, and invalid meshes.
    pub fn build(self) -> Result<Assembly, Error> {
        let mut problems = Vec::new();
        if let Some((what, fix)) = bad_length(self.tolerance) {
            problems.push(Problem::new(place("tolerance"), what, fix));
        }
        let (parts, names) = build_parts(self.parts, self.units, &mut problems);
        let mut instances = build_instances(self.instances, &names, &mut problems);
        let motion = self.motion.build(&mut instances, &mut problems);
        let rules = build_rules(self.rules, self.units, &mut problems);
        if !problems.is_empty() {
            return Err(Error { problems });
        }
        let mut assembly = Assembly {
            name: self.name,
            path: String::new(),
            files: Vec::new(),
            units: self.units,
            tolerance: self.tolerance,
            facets: self.facets,
            settings: FileSettings::default(),
            parts,
            instances,
            unit_ids: Vec::new(),
            rules,
            motion,
            warnings: Vec::new(),
        };
        assembly.warn();
        Ok(assembly)
    }
}

fn named<'n>(values: impl IntoIterator<Item = (&'n str, f64)>) -> NamedValues {
    values.into_iter().map(|(joint, value)| (joint.to_owned(), value)).collect()
}

fn place(path: impl Into<String>) -> Location {
    Location { json_path: Some(path.into()), ..Location::default() }
}

fn bad_length(mm: f64) -> Option<(String, String)> {
    let fix = "expected a length, zero or more".to_owned();
    if !mm.is_finite() {
        return Some(("not a finite number".to_owned(), fix));
    }
    (!(0.0..=MAX_COORDINATE).contains(&mm)).then(|| (format!("{mm} mm is negative or too large"), fix))
}

/// Explains an invalid mesh, as a fragment; `None` for a valid one.
fn bad_mesh(mesh: &TriMesh) -> Option<String> {
    let count = mesh.vertices.len();
    if mesh.triangles.is_empty() {
        return Some("a mesh without triangles".to_owned());
    }
    if let Some(k) = mesh.vertices.iter().position(|v| v.iter().any(|x| x.is_nan() || x.abs() > MAX_COORDINATE)) {
        return Some(format!("vertex {k} is not finite or beyond {MAX_COORDINATE:e}"));
    }
    let outside = |t: &[u32; 3]| t.iter().any(|v| *v as usize >= count);
    let k = mesh.triangles.iter().position(outside)?;
    Some(format!("triangle {k} names a vertex beyond the last of {count}"))
}

fn build_parts(
    given: Vec<(String, TriMesh)>,
    units: LengthUnit,
    problems: &mut Vec<Problem>,
) -> (Vec<Part>, BTreeMap<String, PartIx>) {
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    for (key, mesh) in given {
        let at = place(format!("parts.{}", crate::json::wording::one_line(&key)));
        if key.is_empty() {
            problems.push(Problem::new(at.clone(), "an empty part name", "name the part"));
        }
        if parts.contains_key(&key) {
            problems.push(Problem::new(at, format!("duplicate part {}", quoted(&key)), "rename one of them"));
            continue;
        }
        if let Some(why) = bad_mesh(&mesh) {
            problems.push(Problem::new(at.clone(), why, "give a mesh with valid triangles"));
        }
        let source = MeshSource::Memory(Arc::new(mesh));
        parts.insert(key.clone(), Part { key, source, units, deflection: None, geometry: None, at });
    }
    let names = parts.keys().cloned().zip((0..).map(PartIx)).collect();
    (parts.into_values().collect(), names)
}

fn build_instances(
    given: Vec<(String, String, Affine)>,
    names: &BTreeMap<String, PartIx>,
    problems: &mut Vec<Problem>,
) -> Vec<Instance> {
    if given.is_empty() || given.len() as u64 > MAX_INSTANCES {
        let what = format!("{} instances", given.len());
        problems.push(Problem::new(place("instances"), what, format!("add between 1 and {MAX_INSTANCES}")));
    }
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let mut out = Vec::with_capacity(given.len());
    for (k, (id, part, affine)) in given.into_iter().enumerate() {
        let mut note = |what: String, fix: String| {
            problems.push(Problem::new(place(format!("instances[{k}]")), what, fix));
        };
        if let Some((what, fix)) = bad_id(&id) {
            note(what, fix);
        }
        if !ids.insert(id.clone()) {
            note(format!("duplicate id {}", quoted(&id)), "rename one of them".to_owned());
        }
        if affine.translation.iter().any(|t| t.is_nan() || t.abs() > MAX_COORDINATE) {
            note(format!("the translation is not finite or beyond {MAX_COORDINATE:e} mm"), "correct it".to_owned());
        }
        if let Some(why) = placement::singular(&affine.linear) {
            note(why, "give an invertible matrix".to_owned());
        }
        let Some(part) = names.get(&part).copied() else {
            let near = nearest(&part, names.keys().map(String::as_str));
            let fix = near.map_or_else(|| "add the part".to_owned(), |n| format!("did you mean {}?", quoted(n)));
            note(format!("unknown part {}", quoted(&part)), fix);
            continue;
        };
        out.push(Instance { id, part, placement: affine, unit: None, at: None, joint: None });
    }
    out
}

fn build_rules(
    given: Vec<([String; 2], RuleAction, Option<String>)>,
    units: LengthUnit,
    problems: &mut Vec<Problem>,
) -> Vec<Rule> {
    let mut out = Vec::with_capacity(given.len());
    for (k, (between, verb, reason)) in given.into_iter().enumerate() {
        let at = place(format!("rules[{k}]"));
        for glob in &between {
            if let Err(why) = Glob::new(glob) {
                problems.push(Problem::new(at.clone(), format!("{} is not a glob", quoted(glob)), why));
            }
        }
        if let RuleAction::AllowDepth(mm) | RuleAction::MinClearance(mm) = verb
            && let Some((what, fix)) = bad_length(mm)
        {
            problems.push(Problem::new(at.clone(), what, fix));
        }
        let (scope, file) = (String::new(), String::new());
        let (severity, index) = (Level::Error, k as u32);
        let rule = Rule { between, verb, severity, reason, max_gap: None, during: None, scope, file, index, units, at };
        out.push(rule);
    }
    out
}
