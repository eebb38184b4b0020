//! Adds joints, poses and sweeps to assemblies in memory.

use crate::assembly::Instance;
use crate::assembly::file::joints::{bad_name, is_outside};
use crate::assembly::motion::loops::{driven_too_far, in_ring, planar_ring};
use crate::assembly::motion::{Motion, NamedJoint, NamedRun};
use crate::assembly::rules::glob::Glob;
use crate::error::{Location, Problem};
use crate::geom::{LengthUnit, Vec3};
use crate::json::wording::{nearest, quoted};
use crate::motion::{AS_DRAWN, Follow, Joint, JointIx, JointKind, Loop, Mechanism, MechanismJoint, RunKind};
use std::collections::{BTreeMap, BTreeSet};

/// A joint for [`AssemblyBuilder::joint`](crate::AssemblyBuilder::joint). Values are degrees for turns and screws, mm
/// for slides; points and lengths are in mm, in the frame of the assembly as drawn. Turns follow the right hand.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJoint {
    kind: JointKind,
    axis: Vec3,
    at: Vec3,
    moves: Vec<String>,
    on: Option<String>,
    home: f64,
    range: Option<[f64; 2]>,
    follows: Option<(String, [f64; 2])>,
}

impl NewJoint {
    fn new(kind: JointKind, axis: Vec3, at: Vec3) -> Self {
        Self { kind, axis, at, moves: Vec::new(), on: None, home: 0.0, range: None, follows: None }
    }

    /// A turn about the axis through a point.
    #[must_use]
    pub fn revolute(axis: Vec3, at: Vec3) -> Self {
        Self::new(JointKind::Revolute, axis, at)
    }

    /// A slide along a direction. It has no natural end: [`Self::range`] gives its limits, unless it follows another
    /// joint.
    #[must_use]
    pub fn prismatic(axis: Vec3) -> Self {
        Self::new(JointKind::Prismatic, axis, Vec3::zeros())
    }

    /// A screw about the axis through a point; `lead` is the travel for one turn (mm, signed).
    #[must_use]
    pub fn screw(axis: Vec3, at: Vec3, lead: f64) -> Self {
        Self::new(JointKind::Screw { lead }, axis, at)
    }

    /// Moves the instances that match a glob over ids, too.
    #[must_use]
    pub fn moves(mut self, glob: impl Into<String>) -> Self {
        self.moves.push(glob.into());
        self
    }

    /// Stands on another joint, which carries this one.
    #[must_use]
    pub fn on(mut self, joint: impl Into<String>) -> Self {
        self.on = Some(joint.into());
        self
    }

    /// Sets the value as drawn (default 0).
    #[must_use]
    pub fn home(mut self, value: f64) -> Self {
        self.home = value;
        self
    }

    /// Sets the least and the largest value.
    #[must_use]
    pub fn range(mut self, from: f64, to: f64) -> Self {
        self.range = Some([from, to]);
        self
    }

    /// Follows another joint: value = `ratio` · (value of that joint) + `offset`.
    #[must_use]
    pub fn follows(mut self, joint: impl Into<String>, ratio: f64, offset: f64) -> Self {
        self.follows = Some((joint.into(), [ratio, offset]));
        self
    }
}

/// A pin that closes a loop of joints, for [`AssemblyBuilder::pin`](crate::AssemblyBuilder::pin). Points are in mm, in
/// the frame of the assembly as drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPin {
    links: [String; 2],
    at: Vec3,
    axis: Vec3,
    solves: [String; 2],
}

impl NewPin {
    /// A pin about the axis through a point, between the parts that two joints carry. The loop sets the values of the
    /// joints `solves`, two of its ring; they take no value of their own. Turns of the ring have the axis of the pin,
    /// and slides go across it.
    pub fn new(links: [&str; 2], at: Vec3, axis: Vec3, solves: [&str; 2]) -> Self {
        Self { links: links.map(str::to_owned), at, axis, solves: solves.map(str::to_owned) }
    }
}

/// Values of joints by name.
pub(crate) type NamedValues = Vec<(String, f64)>;

/// A pose or a sweep, with the names of its joints.
#[derive(Debug, Clone)]
pub(crate) enum NewRun {
    Pose(NamedValues),
    Sweep(Vec<(String, [f64; 2])>),
    Path(Vec<NamedValues>),
}

/// Joints, poses and sweeps of a builder.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewMotion {
    pub joints: Vec<(String, NewJoint)>,
    pub pins: Vec<NewPin>,
    pub runs: Vec<(String, NewRun)>,
}

fn place(list: &str, name: &str) -> Location {
    let path = format!("{list}.{}", crate::json::wording::one_line(name));
    Location { json_path: Some(path), ..Location::default() }
}

impl NewMotion {
    /// Builds the joints and runs, and sets the joint of each instance.
    pub(crate) fn build(self, instances: &mut [Instance], problems: &mut Vec<Problem>) -> Motion {
        let mut names: BTreeMap<&str, JointIx> = BTreeMap::new();
        for ((name, _), k) in self.joints.iter().zip(0..) {
            let refused = bad_name(name, "joint");
            let doubled = names.insert(name, JointIx(k)).is_some();
            let doubled =
                doubled.then(|| (format!("duplicate joint {}", quoted(name)), "rename one of them".to_owned()));
            problems.extend(
                refused.into_iter().chain(doubled).map(|(what, fix)| Problem::new(place("joints", name), what, fix)),
            );
        }
        let solved = self.pins.iter().flat_map(|pin| pin.solves.each_ref().map(String::as_str)).collect();
        let mut reader = Named { names: &names, joints: &self.joints, solved, problems };
        let joints: Vec<Option<MechanismJoint>> =
            self.joints.iter().map(|(name, new)| reader.joint(name, new)).collect();
        reader.assign(instances);
        let Some(joints) = joints.into_iter().collect::<Option<Vec<_>>>() else { return Motion::default() };
        let runs = reader.runs(&self.runs);
        let named = |(name, _): &(String, NewJoint)| NamedJoint { name: name.clone(), at: place("joints", name) };
        let mechanism = match Mechanism::new(joints) {
            Ok(mechanism) => reader.close(mechanism, &self.pins),
            Err(cycle) => {
                let (name, _) = &self.joints[cycle.first().map_or(0, |k| *k as usize)];
                let what = format!("the joint {} stands on itself or follows itself", quoted(name));
                reader.note(&place("joints", name), what, "break the cycle");
                None
            }
        };
        let Some(mechanism) = mechanism else { return Motion::default() };
        let joint_names: Vec<&str> = self.joints.iter().map(|(name, _)| name.as_str()).collect();
        for run in &runs {
            for (what, fix) in driven_too_far(&joint_names, &mechanism, &run.kind, LengthUnit::Mm) {
                reader.note(&run.at, what, fix);
            }
        }
        Motion { joints: self.joints.iter().map(named).collect(), mechanism, runs }
    }
}

/// Finds joints by name, and records problems.
struct Named<'a> {
    names: &'a BTreeMap<&'a str, JointIx>,
    joints: &'a [(String, NewJoint)],
    /// Names of the joints that loops solve.
    solved: BTreeSet<&'a str>,
    problems: &'a mut Vec<Problem>,
}

impl Named<'_> {
    fn note(&mut self, at: &Location, what: String, fix: impl Into<String>) {
        self.problems.push(Problem::new(at.clone(), what, fix));
    }

    fn find(&mut self, at: &Location, name: &str) -> Option<JointIx> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            let near = nearest(name, self.names.keys().copied());
            let fix = near.map_or_else(|| "add the joint".to_owned(), |n| format!("did you mean {}?", quoted(n)));
            self.note(at, format!("unknown joint {}", quoted(name)), fix);
        }
        found
    }

    fn joint(&mut self, name: &str, new: &NewJoint) -> Option<MechanismJoint> {
        let at = place("joints", name);
        let axis = new.axis.try_normalize(0.0).filter(|axis| axis.iter().all(|x| x.is_finite()));
        if axis.is_none() {
            self.note(&at, "the axis has no direction".to_owned(), "give a vector of finite length above 0");
        }
        let lead = if let JointKind::Screw { lead } = new.kind { lead } else { 0.0 };
        let follows = new.follows.as_ref().map_or([0.0; 2], |(_, numbers)| *numbers);
        let numbers =
            new.range.into_iter().flatten().chain(follows).chain([new.home, lead]).chain(new.at.iter().copied());
        let all_finite = numbers.into_iter().all(f64::is_finite);
        if !all_finite {
            self.note(&at, "a number of the joint is not finite".to_owned(), "give finite numbers");
        }
        let outside = new.range.is_some_and(|[from, to]| from > to || new.home < from || new.home > to);
        if outside {
            self.note(
                &at,
                format!("home is {}, outside the range", new.home),
                "give a range that holds the value as drawn",
            );
        }
        let endless = new.kind == JointKind::Prismatic
            && new.range.is_none()
            && new.follows.is_none()
            && !self.solved.contains(name);
        if endless {
            let what = "a slide without limits has no end".to_owned();
            self.note(&at, what, "give its least and largest value with `range` (mm)");
        }
        let on = new.on.as_ref().map(|on| self.find(&at, on));
        let follows = new.follows.as_ref().map(|(leader, [ratio, offset])| {
            Some(Follow { leader: self.find(&at, leader)?, ratio: *ratio, offset: *offset })
        });
        let joint = Joint { kind: new.kind, axis: axis?, at: new.at };
        let whole = MechanismJoint {
            joint,
            home: new.home,
            range: new.range,
            on: on.map_or(Some(None), |on| on.map(Some))?,
            follows: follows.map_or(Some(None), |follows| follows.map(Some))?,
        };
        (all_finite && !outside && !endless).then_some(whole)
    }

    /// Closes the loops of a mechanism; `None` with a problem.
    fn close(&mut self, mechanism: Mechanism, pins: &[NewPin]) -> Option<Mechanism> {
        let at = |k: usize| Location { json_path: Some(format!("loops[{k}]")), ..Location::default() };
        let joints = self.joints;
        let name = |j: JointIx| joints[j.0 as usize].0.as_str();
        let mut loops: Vec<Loop> = Vec::with_capacity(pins.len());
        for (k, pin) in pins.iter().enumerate() {
            let axis =
                pin.axis.try_normalize(0.0).filter(|axis| axis.iter().chain(pin.at.iter()).all(|x| x.is_finite()));
            if axis.is_none() {
                self.note(&at(k), "the pin has no place or no direction".to_owned(), "give finite numbers");
            }
            let [links, solves] = [&pin.links, &pin.solves].map(|two| two.each_ref().map(|n| self.find(&at(k), n)));
            let ([Some(a), Some(b)], [Some(c), Some(d)], Some(axis)) = (links, solves, axis) else { return None };
            let one = Loop { links: [a, b], at: pin.at, axis, solves: [c, d] };
            let solves = planar_ring(&mechanism, &one, name).and_then(|ring| in_ring(&mechanism, &ring, [c, d], name));
            let solves = match solves {
                Ok(solves) => solves,
                Err((what, fix)) => {
                    self.note(&at(k), what, fix);
                    return None;
                }
            };
            if let Some(twice) = solves.iter().find(|j| loops.iter().any(|l| l.solves.contains(j))) {
                let what = format!("another loop solves {}, too", quoted(name(*twice)));
                self.note(&at(k), what, "let each loop solve two joints of its own");
                return None;
            }
            loops.push(Loop { solves, ..one });
        }
        mechanism
            .with_loops(loops)
            .map_err(|open| {
                let what =
                    "the loop needs the value of a joint that another loop solves, and that one waits for this one";
                let first = open.first().map_or(0, |k| *k as usize);
                self.note(&at(first), what.to_owned(), "let each loop have a joint that drives it");
            })
            .ok()
    }

    /// Sets the joint of each instance.
    fn assign(&mut self, instances: &mut [Instance]) {
        for ((name, new), k) in self.joints.iter().zip(0..) {
            let at = place("joints", name);
            for text in &new.moves {
                let glob = match Glob::new(text) {
                    Ok(glob) => glob,
                    Err(why) => {
                        self.note(&at, format!("{} is not a glob", quoted(text)), why);
                        continue;
                    }
                };
                let mut hits = 0;
                for instance in instances.iter_mut().filter(|i| glob.matches(&i.id)) {
                    hits += 1;
                    if instance.joint.is_some_and(|joint| joint != JointIx(k)) {
                        self.note(
                            &at,
                            format!("two joints move {}", quoted(&instance.id)),
                            "let one stand on the other",
                        );
                    }
                    instance.joint = Some(JointIx(k));
                }
                if hits == 0 {
                    self.note(&at, format!("{} matches no instance", quoted(text)), "correct the glob");
                }
            }
        }
    }

    fn runs(&mut self, new: &[(String, NewRun)]) -> Vec<NamedRun> {
        let mut seen: BTreeSet<&str> = BTreeSet::from([AS_DRAWN]);
        let mut runs = Vec::with_capacity(new.len());
        for (name, run) in new {
            let at = place(if matches!(run, NewRun::Pose(_)) { "poses" } else { "sweeps" }, name);
            if let Some((what, fix)) = bad_name(name, "run") {
                self.note(&at, what, fix);
            }
            if !seen.insert(name) {
                self.note(&at, format!("duplicate run {}", quoted(name)), "rename one of them");
            }
            if let Some(kind) = self.run(&at, run) {
                runs.push(NamedRun { name: name.clone(), at, kind });
            }
        }
        // Poses come first, as in a file.
        runs.sort_by_key(|run| !matches!(run.kind, RunKind::Pose { .. }));
        runs
    }

    fn run(&mut self, at: &Location, run: &NewRun) -> Option<RunKind> {
        match run {
            NewRun::Pose(values) => Some(RunKind::Pose { set: self.values(at, values)? }),
            NewRun::Sweep(ranges) => {
                if ranges.is_empty() {
                    self.note(at, "a sweep of no joint".to_owned(), "name a joint with its range");
                }
                let mut swept = Vec::with_capacity(ranges.len());
                for (name, range) in ranges {
                    let set: NamedValues = range.iter().map(|value| (name.clone(), *value)).collect();
                    let values = self.values(at, &set)?;
                    if range[0] >= range[1] {
                        self.note(at, format!("the range of {} is empty", quoted(name)), "give the least value first");
                        return None;
                    }
                    swept.push((values.first()?.0, *range));
                }
                (!swept.is_empty()).then_some(RunKind::Box { swept, rest: Vec::new() })
            }
            NewRun::Path(raw) => {
                if raw.len() < 2 {
                    self.note(at, "a path of fewer than two configurations".to_owned(), "add a configuration");
                    return None;
                }
                let all: Vec<Option<_>> = raw.iter().map(|values| self.values(at, values)).collect();
                Some(RunKind::Path { configurations: all.into_iter().collect::<Option<_>>()? })
            }
        }
    }

    /// Values of joints with values of their own, within their ranges.
    fn values(&mut self, at: &Location, raw: &NamedValues) -> Option<Vec<(JointIx, f64)>> {
        let mut values = Vec::with_capacity(raw.len());
        for (name, value) in raw {
            let joint = self.find(at, name)?;
            let new = &self.joints[joint.0 as usize].1;
            if new.follows.is_some() {
                self.note(
                    at,
                    format!("{} follows another joint: it has no value of its own", quoted(name)),
                    "remove it",
                );
                return None;
            }
            if self.solved.contains(name.as_str()) {
                let what = format!("{} closes a loop: it has no value of its own", quoted(name));
                self.note(at, what, "set the joints that drive the loop");
                return None;
            }
            if !value.is_finite() || new.range.is_some_and(|range| is_outside(*value, range)) {
                self.note(
                    at,
                    format!("{value} is outside the range of {}", quoted(name)),
                    "give a value within the range",
                );
                return None;
            }
            values.push((joint, *value));
        }
        Some(values)
    }
}
