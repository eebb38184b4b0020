//! Parts and instances of the links of a robot.

use crate::error::Error;
use crate::geom::Affine;
use crate::import::collect::Collector;
use crate::import::folder::glob_of;
use crate::import::gltf::nodes::refuse_singular;
use crate::import::names::{Siblings, clean};
use crate::import::references::References;
use crate::import::robot::model::{Geometry, Link, Robot};
use crate::import::robot::shapes::Shapes;
use crate::import::{ImportOptions, ImportedLink};

/// Instances of a link.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// First levels of the ids.
    base: String,
    /// Id of each geometry, in their order.
    pub(crate) ids: Vec<String>,
    /// True if an instance of another link has an id below `base`: no glob of all levels then names this link alone.
    pub(crate) has_others_below: bool,
}

impl Placed {
    /// Glob of all instances; `None` without instances.
    pub(crate) fn glob(&self) -> Option<String> {
        match self.globs().as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(format!("{{{}}}", several.join(","))),
        }
    }

    /// Globs of all instances, and of no others.
    pub(crate) fn globs(&self) -> Vec<String> {
        let base = glob_of(&self.base);
        match self.ids.as_slice() {
            [] => Vec::new(),
            [one] => vec![glob_of(one)],
            several if self.has_others_below => several.iter().map(|id| glob_of(id)).collect(),
            several if several.contains(&self.base) => vec![base.clone(), format!("{base}.*")],
            _ => vec![format!("{base}.*")],
        }
    }
}

/// Places the geometries of all links. Returns the instances of each link, in the order of the links.
///
/// # Errors
/// Returns the problems of all meshes at once.
pub(crate) fn place(
    robot: &Robot,
    placements: &[Affine],
    file: &str,
    references: &References<'_>,
    options: &ImportOptions,
    collector: &mut Collector,
) -> Result<Vec<Placed>, Error> {
    let mut shapes = Shapes::new(references, options, robot.word);
    let mut siblings = Siblings::default();
    let mut all = Vec::with_capacity(robot.links.len());
    for (link, placement) in robot.links.iter().zip(placements) {
        let geometries = link.geometries(options.visual);
        if geometries.is_empty() {
            if !link.is_frame {
                collector.leave_out(&format!("{} without geometry", plural(robot.word)), 1, &link.name);
            }
            all.push(Placed::default());
            continue;
        }
        let base = siblings.unique(base_of(link, robot.word));
        let mut levels = Siblings::default();
        let mut placed = Placed { base, ids: Vec::new(), has_others_below: false };
        for (k, geometry) in geometries.iter().enumerate() {
            let Some(found) = shapes.source(geometry, &link.name, collector) else { continue };
            let id = id_of(&placed.base, geometry, k, &mut levels);
            let at = placement.after(&geometry.origin).after(&found.map);
            refuse_singular(&at, &id, file)?;
            placed.ids.push(collector.instance(id, found.source, &at));
            found.name.into_iter().for_each(|name| collector.name_last(name));
        }
        collector.numbered += levels.numbered;
        all.push(placed);
    }
    mark_others(&mut all);
    collector.numbered += siblings.numbered;
    collector.warnings.extend(shapes.guesses());
    if shapes.problems.is_empty() { Ok(all) } else { Err(Error { problems: shapes.problems }) }
}

/// Links with their instances.
pub(crate) fn links(robot: &Robot, placed: &[Placed], visual: bool) -> Vec<ImportedLink> {
    let link = |(link, placed): (&Link, &Placed)| ImportedLink {
        name: link.name.clone(),
        instances: placed.ids.clone(),
        is_complete: placed.ids.len() == link.geometries(visual).len(),
    };
    robot.links.iter().zip(placed).map(link).collect()
}

/// Marks the links with instances of other links below their own base. Cost: a sort, and a search for each link.
fn mark_others(all: &mut [Placed]) {
    let mut ids: Vec<(String, usize)> =
        all.iter().enumerate().flat_map(|(k, placed)| placed.ids.iter().map(move |id| (id.clone(), k))).collect();
    ids.sort_unstable();
    for (k, placed) in all.iter_mut().enumerate().filter(|(_, placed)| placed.ids.len() > 1) {
        let below = format!("{}.", placed.base);
        let start = ids.partition_point(|(id, _)| *id < below);
        placed.has_others_below =
            ids[start..].iter().take_while(|(id, _)| id.starts_with(&below)).any(|(_, of)| *of != k);
    }
}

fn plural(word: &str) -> String {
    if let Some(start) = word.strip_suffix('y') { format!("{start}ies") } else { format!("{word}s") }
}

/// First levels of the ids of a link.
fn base_of(link: &Link, word: &str) -> String {
    let level = |name: &String| clean(name).unwrap_or_else(|| word.to_owned());
    link.path.iter().map(level).collect::<Vec<_>>().join(".")
}

/// Id of a geometry: with its name as the last level, else with its number from the second one on.
fn id_of(base: &str, geometry: &Geometry, k: usize, levels: &mut Siblings) -> String {
    match geometry.level.as_deref().and_then(clean) {
        Some(level) => format!("{base}.{}", levels.unique(level)),
        None if k == 0 => base.to_owned(),
        None => format!("{base}.{}", levels.unique((k + 1).to_string())),
    }
}
