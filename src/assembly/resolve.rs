//! Expands the files to one flat assembly: sub-assemblies in place, ids joined, placements composed.

use crate::assembly::file::paths::{VersionedTree, shown};
use crate::assembly::file::placement;
use crate::assembly::file::tree::{File, FileTree, Files, MAX_DEPTH, instance_at, too_deep};
use crate::assembly::motion::{self, Motion};
use crate::assembly::rules::table::RuleTable;
use crate::assembly::{Assembly, Facets, FileLine, FileSettings, Geometry, Instance, MeshSource, Part, PartIx, Rule};
use crate::error::{Error, Problem, Warning, WarningCode};
use crate::geom::tolerance::{DEFAULT_TOLERANCE_MM, MAX_COORDINATE};
use crate::geom::{Affine, LengthUnit};
use crate::io::Loader;
use crate::json::wording::quoted;
use std::collections::BTreeSet;
use std::path::Path;

/// Options for reading an assembly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Allow files outside the root assembly's version-controlled tree.
    pub allow_outside: bool,
}

/// Largest number of instances after expanding sub-assemblies; a few nested files can expand to any number.
pub const MAX_INSTANCES: u64 = 10_000_000;

/// Largest number of rules after expansion, counted once per use of their sub-assembly.
pub const MAX_RULES: u64 = 1_000_000;

/// Largest size of ids and rule texts after expansion (bytes).
pub const MAX_TEXT: u64 = 1 << 30;

/// Reads an assembly file, and every file below it once, through `loader`. Resolves mesh paths; reads no mesh.
///
/// # Errors
/// Returns every problem of every file at once, each with file, line, column, JSON path and fix.
pub fn load(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Result<Assembly, Error> {
    let tree = VersionedTree::new(path, loader, options.allow_outside)?;
    let mut files = Files::read(tree, loader, shown(path));
    let beyond = limits(&files.list);
    let clean = files.list.iter().all(|f| f.problems.is_empty());
    let (motion, joints) = if beyond.is_none() { motion::resolve(&mut files.list, clean) } else { Default::default() };
    let mut problems = files.take_problems();
    if problems.is_empty() {
        problems.extend(beyond);
    }
    if !problems.is_empty() {
        return Err(Error { problems });
    }
    let mut flat = Expansion::new(&files.list);
    flat.expand(
        0,
        &ExpansionContext { prefix: String::new(), placement: Affine::identity(), rigid: true, unit: None, depth: 0 },
    );
    if !flat.problems.is_empty() {
        return Err(Error { problems: flat.problems });
    }
    for (instance, joint) in flat.instances.iter_mut().zip(joints) {
        instance.joint = joint;
    }
    Ok(flat.finish(path, motion))
}

/// Size of a file after expansion.
#[derive(Clone, Copy, Default)]
struct Totals {
    instances: u64,
    rules: u64,
    text: u64,
    depth: usize,
}

/// Computes the sizes before the expansion, once per file. Follows the path of the reader, so its recursion is no
/// deeper than the reader's.
fn totals(files: &[File], ix: usize, known: &mut Vec<Option<Totals>>) -> Totals {
    if let Some(done) = known[ix] {
        return done;
    }
    let file = &files[ix];
    let mut sum = Totals { rules: file.raw.rules.len() as u64, ..Totals::default() };
    let rule_text = |r: &crate::assembly::file::RawRule| {
        r.between[0].len() + r.between[1].len() + r.reason.as_ref().map_or(0, String::len) + file.relative.len()
    };
    sum.text = file.raw.rules.iter().map(|r| rule_text(r) as u64).sum();
    for (instance, target) in file.raw.instances.iter().zip(&file.targets) {
        let id = instance.id.len() as u64;
        let Some(FileTree::Assembly(inner)) = target else {
            sum.instances = sum.instances.saturating_add(1);
            sum.text = sum.text.saturating_add(id);
            continue;
        };
        let inner = totals(files, *inner, known);
        let prefixed = inner.instances.saturating_add(inner.rules).saturating_mul(id + 1);
        sum.instances = sum.instances.saturating_add(inner.instances);
        sum.rules = sum.rules.saturating_add(inner.rules);
        sum.text = sum.text.saturating_add(inner.text).saturating_add(prefixed);
        sum.depth = sum.depth.max(inner.depth + 1);
    }
    known[ix] = Some(sum);
    sum
}

fn limits(files: &[File]) -> Option<Problem> {
    let root = files.first()?;
    let sum = totals(files, 0, &mut vec![None; files.len()]);
    let at = root.raw.instances_at.clone();
    let expands_to = |count: u64, limit: u64, what: &str| {
        let what = format!("sub-assemblies expand to {count} {what}, more than {limit}");
        Some(Problem::new(at.clone(), what, "look for files that place each other many times, or split the assembly"))
    };
    if sum.instances == 0 {
        return Some(Problem::new(at, "no instances to check", "add parts to `instances`"));
    }
    if sum.depth >= MAX_DEPTH {
        let (what, fix) = too_deep();
        return Some(Problem::new(at, what, fix));
    }
    if sum.instances > MAX_INSTANCES {
        return expands_to(sum.instances, MAX_INSTANCES, "instances");
    }
    if sum.rules > MAX_RULES {
        return expands_to(sum.rules, MAX_RULES, "rules");
    }
    if sum.text > MAX_TEXT {
        return expands_to(sum.text, MAX_TEXT, "bytes of ids and rules");
    }
    None
}

/// Context of a file during the expansion.
struct ExpansionContext {
    /// Empty, or ending in `/`.
    prefix: String,
    placement: Affine,
    /// True if all placements from the root to here are rigid.
    rigid: bool,
    unit: Option<u32>,
    depth: u32,
}

/// The assembly under construction.
struct Expansion<'f> {
    files: &'f [File],
    /// Index in `parts` for each part of each file.
    part_ix: Vec<Vec<PartIx>>,
    parts: Vec<Part>,
    instances: Vec<Instance>,
    /// Rules with the depth of their file.
    rules: Vec<(u32, Rule)>,
    unit_ids: Vec<String>,
    problems: Vec<Problem>,
    /// Instances with a reported problem, by file and position.
    blamed: BTreeSet<(usize, usize)>,
}

impl<'f> Expansion<'f> {
    fn new(files: &'f [File]) -> Self {
        let mut flat = Self {
            files,
            part_ix: Vec::new(),
            parts: Vec::new(),
            instances: Vec::new(),
            rules: Vec::new(),
            unit_ids: Vec::new(),
            problems: Vec::new(),
            blamed: BTreeSet::new(),
        };
        flat.collect_parts();
        flat
    }

    fn collect_parts(&mut self) {
        let mut keyed: Vec<(String, usize, usize)> = Vec::new();
        for (f, file) in self.files.iter().enumerate() {
            for (p, part) in file.raw.parts.iter().enumerate() {
                let key = if f == 0 { part.name.clone() } else { format!("{}#{}", file.relative, part.name) };
                keyed.push((key, f, p));
            }
        }
        keyed.sort();
        self.part_ix = self.files.iter().map(|f| vec![PartIx(0); f.raw.parts.len()]).collect();
        for (k, (key, f, p)) in keyed.iter().enumerate() {
            let (file, raw) = (&self.files[*f], &self.files[*f].raw.parts[*p]);
            if k > 0 && keyed[k - 1].0 == *key {
                let what = format!("the part name {} is also the key of a sub-assembly's part", quoted(key));
                self.problems.push(Problem::new(raw.at.clone(), what, "rename it"));
            }
            self.part_ix[*f][*p] = PartIx(k as u32);
            let Some(Some(mesh)) = file.meshes.get(*p) else { continue };
            self.parts.push(Part {
                key: key.clone(),
                source: MeshSource::File { path: mesh.path.clone(), shown: mesh.shown.clone() },
                units: raw.units.or(file.raw.units).unwrap_or(LengthUnit::Mm),
                deflection: raw.deflection,
                geometry: raw.geometry,
                at: raw.at.clone(),
            });
        }
    }

    fn expand(&mut self, ix: usize, place: &ExpansionContext) {
        let files = self.files;
        let file = &files[ix];
        let name = || match (ix, Path::new(&file.relative).file_name()) {
            (0, Some(name)) => name.to_string_lossy().into_owned(),
            _ => file.relative.clone(),
        };
        for rule in &file.raw.rules {
            let rule = Rule {
                between: rule.between.clone(),
                verb: rule.verb,
                severity: rule.severity,
                reason: rule.reason.clone(),
                max_gap: rule.max_gap,
                during: rule.during.as_ref().map(|globs| globs.iter().map(|g| g.value.clone()).collect()),
                scope: place.prefix.clone(),
                file: name(),
                index: rule.index,
                units: file.raw.units.unwrap_or(LengthUnit::Mm),
                at: rule.at.clone(),
            };
            self.rules.push((place.depth, rule));
        }
        for (k, (instance, target)) in file.raw.instances.iter().zip(&file.targets).enumerate() {
            let id = format!("{}{}", place.prefix, instance.id);
            let rigid = place.rigid && placement::is_rigid(&instance.placement.linear);
            let placement = place.placement.after(&instance.placement);
            match *target {
                Some(FileTree::Part(part)) => {
                    self.check(&placement, rigid, (ix, k), &id);
                    let part = self.part_ix[ix][part];
                    let at = Some(FileLine { file: ix as u32, line: file.source.line(instance.id_offset) });
                    self.instances.push(Instance { id, part, placement, unit: place.unit, at, joint: None });
                }
                Some(FileTree::Assembly(inner)) => {
                    let mut unit = place.unit;
                    if instance.as_unit && unit.is_none() {
                        unit = Some(self.unit_ids.len() as u32);
                        self.unit_ids.push(id.clone());
                    }
                    let inside = ExpansionContext { prefix: id + "/", placement, rigid, unit, depth: place.depth + 1 };
                    self.expand(inner, &inside);
                }
                None => {}
            }
        }
    }

    /// Checks a composed placement: it can be singular or out of range even if all its factors are valid.
    fn check(&mut self, placement: &Affine, rigid: bool, (file, instance): (usize, usize), id: &str) {
        let far = placement.translation.iter().any(|t| t.is_nan() || t.abs() > MAX_COORDINATE);
        let why = if far {
            Some(format!("beyond {MAX_COORDINATE:e} mm"))
        } else if rigid {
            None
        } else {
            placement::singular(&placement.linear)
        };
        if let Some(why) = why
            && self.blamed.insert((file, instance))
        {
            let File { source, raw, .. } = &self.files[file];
            let what = format!("the composed placement of {} is {why}", quoted(id));
            let at = instance_at(source, &raw.instances[instance], "part");
            self.problems.push(Problem::new(at, what, "correct one of the placements above it"));
        }
    }

    fn finish(mut self, path: &Path, motion: Motion) -> Assembly {
        let root = &self.files[0].raw;
        let raw = &root.settings;
        let tolerance = raw.tolerance.as_ref().map_or(DEFAULT_TOLERANCE_MM, |t| t.value);
        let facets = raw.facets.as_ref().map_or(Facets::default(), |f| f.value);
        let settings = FileSettings {
            geometry: raw.geometry.as_ref().map(|g| g.value),
            epsilon: raw.epsilon.as_ref().map(|e| e.value),
            report_within: raw.report_within.as_ref().map(|r| r.value),
            strict: raw.strict.as_ref().is_some_and(|s| s.value),
        };
        self.rules.sort_by_key(|(depth, _)| *depth);
        let stem = || path.file_stem().map_or_else(|| shown(path), |s| s.to_string_lossy().into_owned());
        let mut assembly = Assembly {
            name: root.name.clone().unwrap_or_else(stem),
            path: shown(path),
            files: self.files.iter().map(|f| f.source.shown.clone()).collect(),
            units: root.units.unwrap_or(LengthUnit::Mm),
            tolerance,
            facets,
            settings,
            parts: self.parts,
            instances: self.instances,
            unit_ids: self.unit_ids,
            rules: self.rules.into_iter().map(|(_, rule)| rule).collect(),
            motion,
            warnings: ignored_settings(&self.files[1..], tolerance, facets, &settings),
        };
        assembly.warn();
        assembly
    }
}

/// Warns about settings of sub-assemblies overridden by the root's.
fn ignored_settings(files: &[File], tolerance: f64, facets: Facets, root: &FileSettings) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for file in files {
        let own = &file.raw.settings;
        let geometry = root.geometry.unwrap_or(Geometry::Exact);
        let differing = [
            ("tolerance", own.tolerance.as_ref().filter(|t| t.value != tolerance).map(|t| &t.at)),
            ("facets", own.facets.as_ref().filter(|f| f.value != facets).map(|f| &f.at)),
            ("geometry", own.geometry.as_ref().filter(|g| g.value != geometry).map(|g| &g.at)),
            ("epsilon", own.epsilon.as_ref().filter(|e| Some(e.value) != root.epsilon).map(|e| &e.at)),
            (
                "report_within",
                own.report_within.as_ref().filter(|r| Some(r.value) != root.report_within).map(|r| &r.at),
            ),
            ("strict", own.strict.as_ref().filter(|s| s.value != root.strict).map(|s| &s.at)),
        ];
        for (key, at) in differing {
            let Some(at) = at else { continue };
            let message =
                format!("this `{key}` differs from the root assembly's, which applies; remove it or make both equal");
            warnings.push(Warning { at: Some(at.clone()), ..Warning::new(WarningCode::IgnoredSubSetting, message) });
        }
    }
    warnings
}

impl Assembly {
    /// Adds the warnings about the whole assembly: unused parts and rules.
    pub(crate) fn warn(&mut self) {
        let mut used = vec![false; self.parts.len()];
        for instance in &self.instances {
            used[instance.part.0 as usize] = true;
        }
        for (part, used) in self.parts.iter().zip(used) {
            if !used {
                let message = "no instance places the part; remove the part or add an instance";
                self.warnings.push(Warning {
                    part: Some(part.key.clone()),
                    at: Some(part.at.clone()),
                    ..Warning::new(WarningCode::UnusedPart, message)
                });
            }
        }
        let unused = RuleTable::new(self).unused(self);
        self.warnings.extend(unused);
    }

    /// Finds the part of a key.
    pub fn part_ix(&self, key: &str) -> Option<PartIx> {
        self.parts.binary_search_by(|p| p.key.as_str().cmp(key)).ok().map(|k| PartIx(k as u32))
    }
}
