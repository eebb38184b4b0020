//! Rules from the filters of contacts of a model: excluded bodies, and geometries whose masks have no bit in common.

use crate::error::{Error, Problem};
use crate::import::ImportedRule;
use crate::import::element::Element;
use crate::import::folder::glob_of;
use crate::import::mjcf::bodies::Bodies;
use crate::import::mjcf::geoms::Filter;
use crate::import::robot::places::Placed;
use crate::json::wording::quoted;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of links by the `exclude` elements, with reasons. An explicit pair of geometries stays: such a pair of links
/// is left out.
///
/// # Errors
/// Refuses unknown bodies.
pub(crate) fn excluded(root: &Element, bodies: &Bodies) -> Result<Vec<([usize; 2], String)>, Error> {
    let mut found = Vec::new();
    let filters =
        bodies.filters.iter().enumerate().flat_map(|(link, kinds)| kinds.iter().flatten().map(move |f| (f, link)));
    let link_of: BTreeMap<&str, usize> = filters.filter_map(|(f, link)| Some((f.name.as_deref()?, link))).collect();
    let explicit: BTreeSet<[usize; 2]> = pairs(root, bodies)
        .iter()
        .filter_map(|[a, b]| {
            let (a, b) = (*link_of.get(a.as_str())?, *link_of.get(b.as_str())?);
            Some([a.min(b), a.max(b)])
        })
        .collect();
    for element in root.all("contact").flat_map(|c| c.all("exclude")) {
        let link = |key: &str| -> Result<usize, Problem> {
            let name = element.attribute(key).unwrap_or_default();
            let known = bodies.robot.link_of.get(name).copied();
            known.ok_or_else(|| element.bad(format!("`{key}` names no body: {}", quoted(name))))
        };
        let name = element.attribute("name").map(|n| format!(" {n}")).unwrap_or_default();
        let (a, b) = (link("body1")?, link("body2")?);
        if !explicit.contains(&[a.min(b), a.max(b)]) {
            found.push(([a, b], format!("exclude{name}")));
        }
    }
    Ok(found)
}

/// Largest sizes of a glob: below those of the assembly file.
const MAX_CHARACTERS: usize = 900;
const MAX_GLOBS: usize = 200;

/// Globs, each with its link.
type Globs = Vec<(usize, String)>;

/// Geometries with equal filters.
struct Group {
    filter: Filter,
    globs: Globs,
}

/// Largest number of rules from masks: they grow with the square of the geometries in explicit pairs. A rule takes at
/// most 2 kB.
const MAX_RULES: usize = 20_000;

/// Rules for geometries whose masks have no bit in common, except for explicit pairs.
///
/// # Errors
/// Refuses a model with too many rules.
pub(crate) fn masked(
    root: &Element,
    bodies: &Bodies,
    placed: &[Placed],
    visual: bool,
    known: &BTreeSet<(usize, usize)>,
) -> Result<Vec<ImportedRule>, Problem> {
    let pairs = pairs(root, bodies);
    let alone: BTreeSet<&str> = pairs.iter().flatten().map(String::as_str).collect();
    let groups = groups(bodies, placed, visual, &alone);
    let mut rules = Vec::new();
    for (k, a) in groups.iter().enumerate() {
        for (l, b) in groups.iter().enumerate().skip(k) {
            if a.filter.meets(&b.filter) {
                continue;
            }
            let names = [a, b].map(|g| g.filter.name.clone().unwrap_or_default());
            if pairs.contains(&names) || pairs.contains(&[names[1].clone(), names[0].clone()]) {
                continue;
            }
            let mask = |g: &Group| format!("contype {}, conaffinity {}", g.filter.contype, g.filter.conaffinity);
            let reason = if mask(a) == mask(b) { mask(a) } else { format!("{} and {}", mask(a), mask(b)) };
            let (first, second) = (chunks(&a.globs), chunks(&b.globs));
            for (m, some) in first.iter().enumerate() {
                let rest = if k == l { &second[m..] } else { &second };
                for others in rest.iter().filter(|others| has_new_pair(some, others, known)) {
                    if rules.len() >= MAX_RULES {
                        return Err(root.too_large(format!("more than {MAX_RULES} rules of contact masks")));
                    }
                    rules.push(ImportedRule { between: [glob(some), glob(others)], reason: reason.clone() });
                }
            }
        }
    }
    Ok(rules)
}

/// True if two lists have a pair of links without a rule.
fn has_new_pair(a: &[(usize, String)], b: &[(usize, String)], known: &BTreeSet<(usize, usize)>) -> bool {
    let is_new = |x: usize, y: usize| x != y && !known.contains(&(x.min(y), x.max(y)));
    a.iter().any(|(x, _)| b.iter().any(|(y, _)| is_new(*x, *y)))
}

/// Lists that fit a glob each.
fn chunks(globs: &[(usize, String)]) -> Vec<&[(usize, String)]> {
    let (mut out, mut start, mut size) = (Vec::new(), 0, 0);
    for (k, (_, glob)) in globs.iter().enumerate() {
        size += glob.chars().count() + 1;
        if k > start && (size > MAX_CHARACTERS || k - start >= MAX_GLOBS) {
            out.push(&globs[start..k]);
            (start, size) = (k, glob.chars().count() + 1);
        }
    }
    out.push(&globs[start..]);
    out
}

/// Names of the geometries of explicit pairs.
fn pairs(root: &Element, bodies: &Bodies) -> BTreeSet<[String; 2]> {
    let known: BTreeSet<&str> = bodies.filters.iter().flatten().flatten().filter_map(|f| f.name.as_deref()).collect();
    let mut found = BTreeSet::new();
    for element in root.all("contact").flat_map(|c| c.all("pair")) {
        let name = |key: &str| element.attribute(key).unwrap_or_default().to_owned();
        let pair = [name("geom1"), name("geom2")];
        // A plane has no filter: it is no part.
        if pair.iter().all(|n| known.contains(n.as_str())) {
            found.insert(pair);
        }
    }
    found
}

/// Groups of geometries with equal masks; the geometries of explicit pairs stand alone. Geometries without a mask are
/// in no group: they are parts for want of others.
fn groups(bodies: &Bodies, placed: &[Placed], visual: bool, alone: &BTreeSet<&str>) -> Vec<Group> {
    let mut by_mask: BTreeMap<(i32, i32, Option<&str>), Globs> = BTreeMap::new();
    for (k, placed) in placed.iter().enumerate() {
        let link = &bodies.robot.links[k];
        let [collisions, visuals] = &bodies.filters[k];
        let are_collisions = std::ptr::eq(link.geometries(visual), link.collisions.as_slice());
        let filters = if are_collisions { collisions } else { visuals };
        let key = |f: &'_ Filter| (f.contype, f.conaffinity);
        let name = |f: &Filter| f.name.as_deref().and_then(|n| alone.get(n).copied());
        if let Some(first) = filters.first()
            && filters.iter().all(|f| key(f) == key(first) && name(f).is_none())
        {
            if first.collides() {
                let globs = placed.globs().into_iter().map(|glob| (k, glob));
                by_mask.entry((first.contype, first.conaffinity, None)).or_default().extend(globs);
            }
            continue;
        }
        for (filter, id) in filters.iter().zip(&placed.ids).filter(|(f, _)| f.collides()) {
            let key = (filter.contype, filter.conaffinity, name(filter));
            by_mask.entry(key).or_default().push((k, glob_of(id)));
        }
    }
    let group = |((contype, conaffinity, name), globs): ((i32, i32, Option<&str>), Globs)| {
        let filter = Filter { name: name.map(str::to_owned), contype, conaffinity };
        Group { filter, globs }
    };
    by_mask.into_iter().map(group).collect()
}

fn glob(globs: &[(usize, String)]) -> String {
    match globs {
        [(_, one)] => one.clone(),
        several => format!("{{{}}}", several.iter().map(|(_, glob)| glob.as_str()).collect::<Vec<_>>().join(",")),
    }
}
