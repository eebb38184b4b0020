//! Disabled pairs and named poses of a robot, from its SRDF (MoveIt, "SRDF").

use crate::error::Error;
use crate::import::ImportOptions;
use crate::import::collect::Collector;
use crate::import::names::Siblings;
use crate::import::references::References;
use crate::import::robot::model::{Poses, Robot};
use crate::import::xml::{attribute, children, parse, text};
use crate::json::wording::quoted;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Semantic description of a robot; empty without a file.
#[derive(Debug, Default)]
pub(crate) struct Semantics {
    /// Path of the file for messages.
    pub(crate) shown: Option<String>,
    /// Pairs of links with the reason to disable them, in file order.
    pub(crate) disabled: Vec<([String; 2], Option<String>)>,
    /// Joint values of each pose.
    pub(crate) poses: Poses,
    /// Poses and joints with a value of several numbers.
    several: Vec<[String; 2]>,
}

/// Folders of an SRDF, relative to the folder of its robot.
const FOLDERS: [&str; 4] = ["", "srdf", "../srdf", "../config"];

impl Semantics {
    /// Finds and reads the SRDF: the given file, else the one beside the robot whose name is that of the robot's file,
    /// else the only one with the robot's name.
    ///
    /// # Errors
    /// Refuses a damaged file, and a given file that is missing. A damaged file of another name is left out.
    pub(crate) fn find(
        robot: &Robot,
        references: &References<'_>,
        options: &ImportOptions,
        collector: &mut Collector,
    ) -> Result<Self, Error> {
        let found = Self::chosen(robot, references, options, collector)?;
        // A joint of the SRDF alone moves the whole robot, and no part against another.
        for [pose, joint] in found.several.iter().filter(|[_, joint]| robot.joint_of.contains_key(joint)) {
            collector.leave_out("values of joints of several axes", 1, &format!("{pose}: {joint}"));
        }
        Ok(found)
    }

    fn chosen(
        robot: &Robot,
        references: &References<'_>,
        options: &ImportOptions,
        collector: &mut Collector,
    ) -> Result<Self, Error> {
        if let Some(given) = &options.srdf {
            let folder = std::path::Path::new(".");
            let parent = given.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(folder);
            let name = given.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let path = references.find_below(parent, &name, "--srdf")?;
            return Ok(Self::read(&path, references)?.1);
        }
        let mut same_file = Vec::new();
        let (mut same_robot, mut names) = (Vec::new(), Vec::new());
        for path in candidates(references) {
            let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
            let is_own = stem.as_deref() == Some(references.stem().as_str());
            let (name, found) = match Self::read(&path, references) {
                Ok(found) => found,
                Err(error) if is_own => return Err(error),
                Err(_) => {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                    collector.leave_out("damaged SRDF files", 1, &name);
                    continue;
                }
            };
            if is_own {
                same_file.push(found);
            } else if name.is_some() && name == robot.name && found.has_effect() {
                names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
                same_robot.push(found);
            }
        }
        if let Some(found) = same_file.into_iter().next() {
            return Ok(found);
        }
        let count = same_robot.len();
        let mut found = same_robot.into_iter();
        match (found.next(), count) {
            (Some(only), 1) => Ok(only),
            (Some(_), _) => {
                let what = "SRDF files of this robot's name (`interfere import --srdf` takes one)";
                collector.leave_out(what, count as u64, &names.join(", "));
                Ok(Self::default())
            }
            (None, _) => Ok(Self::default()),
        }
    }

    /// True if the file changes an assembly. `interfere never` writes files that do not.
    fn has_effect(&self) -> bool {
        let is_taken = |(_, reason): &([String; 2], Option<String>)| reason_of(reason.as_deref()).is_some();
        !self.poses.is_empty() || !self.several.is_empty() || self.disabled.iter().any(is_taken)
    }

    /// Disabled pairs of links that exist, with the reasons as they stand in rules.
    pub(crate) fn pairs(&self, robot: &Robot) -> Vec<([usize; 2], String)> {
        let pair = |([a, b], reason): &([String; 2], Option<String>)| {
            let (a, b) = (robot.link_of.get(a)?, robot.link_of.get(b)?);
            Some(([*a, *b], reason_of(reason.as_deref())?))
        };
        self.disabled.iter().filter_map(pair).collect()
    }

    /// Reads a file; returns the name of its robot, too.
    fn read(path: &std::path::Path, references: &References<'_>) -> Result<(Option<String>, Self), Error> {
        let (bytes, shown) = references.read(path)?;
        let document = text(&bytes, &shown)?;
        let document = parse(document, &shown)?;
        let root = document.root_element();
        let mut found = Self { shown: Some(shown.clone()), ..Self::default() };
        for node in children(root, "disable_collisions") {
            if let (Some(a), Some(b)) = (node.attribute("link1"), node.attribute("link2")) {
                let reason = node.attribute("reason").map(str::to_owned);
                found.disabled.push(([a.to_owned(), b.to_owned()], reason));
            }
        }
        let mut names = Siblings::default();
        children(root, "group_state").filter_map(|n| n.attribute("name")).for_each(|name| names.reserve(name));
        for node in children(root, "group_state") {
            let Some(name) = node.attribute("name") else { continue };
            let mut values = BTreeMap::new();
            for joint in children(node, "joint") {
                let Some(of) = joint.attribute("name") else { continue };
                // Joints of several axes have several values; they stay at their origin.
                let several = joint.attribute("value").is_some_and(|v| v.split_whitespace().count() > 1);
                if several {
                    found.several.push([name.to_owned(), of.to_owned()]);
                } else if let Some([value]) = attribute::<1>(joint, "value", &shown)? {
                    values.insert(of.to_owned(), value);
                }
            }
            // States of several groups with one name belong together, unless they differ at a joint.
            let known = found.poses.get(name);
            let differs = known.is_some_and(|k| values.iter().any(|(j, v)| k.get(j).is_some_and(|known| known != v)));
            let group = node.attribute("group").unwrap_or_default();
            let name = if differs { names.unique(format!("{name}-{group}")) } else { name.to_owned() };
            found.poses.entry(name).or_default().extend(values);
        }
        Ok((root.attribute("name").map(str::to_owned), found))
    }
}

fn candidates(references: &References<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for below in FOLDERS {
        let folder = references.folder().join(below);
        for name in references.names(&folder) {
            let is_srdf = name.to_ascii_lowercase().ends_with(".srdf");
            if let Some(path) = is_srdf.then(|| references.find(&folder, &name).ok()).flatten()
                && !found.contains(&path)
            {
                found.push(path);
            }
        }
    }
    found
}

/// Reason of a disabled pair as it stands in a rule; `None` for a pair that the checker keeps: `Never` says that
/// sampling found no collision, so the check costs nothing and finds later changes.
fn reason_of(reason: Option<&str>) -> Option<String> {
    match reason {
        Some(word) if word.trim().eq_ignore_ascii_case("never") => None,
        Some(word) if !word.trim().is_empty() => Some(format!("SRDF: {}", quoted(word.trim()).trim_matches('`'))),
        _ => Some("SRDF: disabled".to_owned()),
    }
}
