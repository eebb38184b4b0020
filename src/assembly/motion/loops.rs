//! Loops of all files: the pins in the coordinates of the root, and the joints that each one solves.

use crate::assembly::file::joints::{is_outside, shown_value};
use crate::assembly::file::loops::RawLoop;
use crate::assembly::file::rotation::unit_vector;
use crate::assembly::file::tree::File;
use crate::assembly::motion::joints::{JointTree, raw_joint};
use crate::assembly::motion::scope::{Report, Scope};
use crate::assembly::motion::{Motion, NamedJoint};
use crate::geom::LengthUnit;
use crate::json::wording::quoted;
use crate::motion::{JointIx, JointKind, Loop, LoopStop, Mechanism, RunKind};

/// Largest angle between a joint's axis and the direction that its loop demands (radians): more than the rounding of
/// axes written with seven digits.
pub(crate) const PLANAR: f64 = 1e-6;

/// Adds the loops to a mechanism; reports loops that cannot be solved, and joints without a range outside every loop.
pub(crate) fn with_loops(
    mechanism: Mechanism,
    files: &[File],
    scope: &Scope,
    tree: &JointTree,
    report: &mut Report,
) -> Mechanism {
    let mut loops = Vec::new();
    let mut places = Vec::new();
    let mut whole = true;
    for place in &scope.uses {
        whole &= !files[place.file].raw.loops.broken;
        for raw in &files[place.file].raw.loops.read {
            let found = raw.pin.each_ref().map(|name| tree.find(place.file, &place.prefix, name, report));
            let [Some(first), Some(second)] = found else {
                whole = false;
                continue;
            };
            let axis = unit_vector(&(place.placement.linear * raw.axis)).unwrap_or(raw.axis);
            let at = place.placement.linear * raw.point + place.placement.translation;
            let (at, axis) = if place.prefix.is_empty() { (raw.point, raw.axis) } else { (at, axis) };
            let one = Loop { links: [first, second], at, axis, solves: [first, second] };
            let chosen =
                raw.solves.as_ref().map(|two| two.each_ref().map(|n| tree.find(place.file, &place.prefix, n, report)));
            let chosen = match chosen {
                Some([Some(first), Some(second)]) => Some([first, second]),
                Some(_) => {
                    whole = false;
                    continue;
                }
                None => None,
            };
            match solved(&mechanism, files, tree, &one, chosen) {
                Ok(solves) => {
                    loops.push(Loop { solves, ..one });
                    places.push((place.file, raw));
                }
                Err((what, fix)) => {
                    whole = false;
                    report.add(place.file, &raw.at, what, fix);
                }
            }
        }
    }
    whole &= solved_once(&loops, &places, tree, report);
    // A loop with a problem may be the one that solves a joint.
    if whole {
        refuse_endless(&loops, files, tree, report);
    }
    if !whole {
        return mechanism;
    }
    mechanism.clone().with_loops(loops).unwrap_or_else(|open| {
        for l in open {
            let (file, raw) = places[l as usize];
            let what =
                "the loop needs the value of a joint that depends on this loop, or on a loop that needs this one";
            report.add(file, &raw.at, what, "give a range to a joint of each loop that drives it");
        }
        mechanism
    })
}

/// Finds the two joints that a loop solves: the chosen ones, or those without a range and without a leader.
fn solved(
    mechanism: &Mechanism,
    files: &[File],
    tree: &JointTree,
    one: &Loop,
    chosen: Option<[JointIx; 2]>,
) -> Result<[JointIx; 2], (String, String)> {
    let name = |j: JointIx| tree.name(j);
    let ring = planar_ring(mechanism, one, name)?;
    if let Some(chosen) = chosen {
        return in_ring(mechanism, &ring, chosen, name);
    }
    let names = |joints: &[JointIx]| joints.iter().map(|j| quoted(tree.name(*j))).collect::<Vec<_>>().join(", ");
    let open: Vec<JointIx> = ring.iter().copied().filter(|j| is_open(files, tree, *j)).collect();
    if let [first, second] = *open.as_slice() {
        return Ok([first, second]);
    }
    let what = match open.as_slice() {
        [] => "no joint of the loop is without a range".to_owned(),
        [one] => format!("only one joint of the loop is without a range, {}", quoted(tree.name(*one))),
        more => format!("{} joints of the loop are without a range: {}", more.len(), names(more)),
    };
    let fix = format!(
        "a loop solves two joints: leave out the range of two of {}, or name them as `solves`, and give the others one",
        names(&ring)
    );
    Err((what, fix))
}

/// The two joints that a loop solves, in the order of its ring.
///
/// # Errors
/// Refuses joints outside of the ring, a follower, and the same joint twice.
pub(crate) fn in_ring<'n>(
    mechanism: &Mechanism,
    ring: &[JointIx],
    chosen: [JointIx; 2],
    name: impl Fn(JointIx) -> &'n str,
) -> Result<[JointIx; 2], (String, String)> {
    let known = ring.iter().map(|j| quoted(name(*j))).collect::<Vec<_>>().join(", ");
    for j in chosen {
        if !ring.contains(&j) {
            let what = format!("{} is not in the ring of the loop", quoted(name(j)));
            return Err((what, format!("name two of {known}")));
        }
        if mechanism.joints()[j.0 as usize].follows.is_some() {
            let what = format!("{} follows another joint: no loop solves it", quoted(name(j)));
            return Err((what, format!("name two other joints of {known}")));
        }
    }
    let [first, second] = chosen;
    if first == second {
        return Err((format!("{} is named twice", quoted(name(first))), format!("name two of {known}")));
    }
    let place = |j: JointIx| ring.iter().position(|other| *other == j);
    Ok(if place(first) < place(second) { [first, second] } else { [second, first] })
}

/// The ring of a loop.
///
/// # Errors
/// Refuses a pin of one link, and joints that leave the plane across the pin.
pub(crate) fn planar_ring<'n>(
    mechanism: &Mechanism,
    one: &Loop,
    name: impl Fn(JointIx) -> &'n str,
) -> Result<Vec<JointIx>, (String, String)> {
    let ring: Vec<JointIx> = mechanism.ring(one).concat();
    if ring.is_empty() {
        let what = format!("the pin joins {} with itself", quoted(name(one.links[0])));
        return Err((what, "name two joints that carry different parts".to_owned()));
    }
    for j in &ring {
        let own = &mechanism.joints()[j.0 as usize].joint;
        let (along, across) = (own.axis.dot(&one.axis).abs(), own.axis.cross(&one.axis).norm());
        let name = quoted(name(*j));
        match own.kind {
            JointKind::Revolute if across > PLANAR => {
                let what = format!(
                    "the axis of {name} is {:.4}° off that of the pin",
                    libm::atan2(across, along).to_degrees()
                );
                return Err((what, "loops are planar: give both the same axis".to_owned()));
            }
            JointKind::Prismatic if along > PLANAR => {
                let what =
                    format!("{name} slides {:.4}° out of the plane across the pin", libm::asin(along).to_degrees());
                return Err((what, "loops are planar: slide across the pin".to_owned()));
            }
            JointKind::Screw { .. } => {
                return Err((format!("{name} is a screw in a loop"), "loops have turns and slides only".to_owned()));
            }
            _ => {}
        }
    }
    Ok(ring)
}

/// True for a joint without a range and without a leader.
fn is_open(files: &[File], tree: &JointTree, joint: JointIx) -> bool {
    let placed = &tree.joints[joint.0 as usize];
    raw_joint(files, tree.file_of[placed.used], placed.index).raw.without_range
}

/// Reports joints that two loops solve.
fn solved_once(loops: &[Loop], places: &[(usize, &RawLoop)], tree: &JointTree, report: &mut Report) -> bool {
    let mut once = true;
    for (k, one) in loops.iter().enumerate() {
        let twice = one.solves.iter().find(|j| loops[..k].iter().any(|before| before.solves.contains(j)));
        if let Some(joint) = twice {
            let (file, raw) = places[k];
            let what = format!("another loop solves {}, too", quoted(tree.name(*joint)));
            report.add(file, &raw.at, what, "give a joint of one of them a range: it drives both");
            once = false;
        }
    }
    once
}

/// Reports joints without a range that no loop solves.
fn refuse_endless(loops: &[Loop], files: &[File], tree: &JointTree, report: &mut Report) {
    for (joint, placed) in (0..).map(JointIx).zip(&tree.joints) {
        if is_open(files, tree, joint) && !loops.iter().any(|l| l.solves.contains(&joint)) {
            let file = tree.file_of[placed.used];
            let key = if tree.kind(joint) == JointKind::Prismatic { "range" } else { "range_deg" };
            let fix =
                format!("add \"{key}\": [from, to], the limits of the joint; only a joint that a loop solves has none");
            report.add(file, &placed.at, format!("no `{key}`"), fix);
        }
    }
}

/// Problems of a run that drives a loop beyond its motion, or a follower or a solved joint out of its range. `joints`
/// are the names by [`JointIx`]. Each has its fix.
pub(crate) fn driven_too_far(
    joints: &[&str],
    mechanism: &Mechanism,
    run: &RunKind,
    unit: LengthUnit,
) -> Vec<(String, String)> {
    let segments = match mechanism.segments(run) {
        Ok(segments) => segments,
        Err(stop) => return vec![beyond_motion(joints, mechanism, &stop, unit)],
    };
    let mut found = Vec::new();
    for (joint, own) in (0..).map(JointIx).zip(mechanism.joints()) {
        let Some(range) = own.range else { continue };
        let solved = mechanism.is_solved(joint);
        if own.follows.is_none() && !solved {
            continue;
        }
        let outside = if solved {
            segments.iter().find_map(|s| s.solved_outside(joint, range))
        } else {
            segments.iter().flat_map(|s| s.values_of(joint)).find(|v| is_outside(*v, range))
        };
        let Some(value) = outside else { continue };
        let shown = |value: f64| shown_value(own.joint.kind, value, unit);
        let name = quoted(joints[joint.0 as usize]);
        let [from, to] = range.map(shown);
        let what = format!("drives {name} to {}, outside its range {from} to {to}", shown(rounded(value, solved)));
        let change = match own.follows {
            Some(follow) => format!("change the values of {}", quoted(joints[follow.leader.0 as usize])),
            None => "change the values of the joints that drive its loop".to_owned(),
        };
        found.push((what, format!("{change}, or the range of {name}")));
    }
    found
}

/// A solved value to four decimals: its digits beyond depend on the rounding of its solution.
fn rounded(value: f64, solved: bool) -> f64 {
    if solved { (value * 1e4).round() / 1e4 } else { value }
}

/// Explains a run that drives a loop beyond its motion, with the fix. `joints` are the names by [`JointIx`].
pub(crate) fn beyond_motion(
    joints: &[&str],
    mechanism: &Mechanism,
    stop: &LoopStop,
    unit: LengthUnit,
) -> (String, String) {
    let shown = |(joint, value): &(JointIx, f64)| {
        let kind = mechanism.joints()[joint.0 as usize].joint.kind;
        let digits = |x: f64| (x * 1e4).round() / 1e4;
        let unit = if kind == JointKind::Prismatic { unit } else { LengthUnit::Mm };
        format!("{} {}", quoted(joints[joint.0 as usize]), shown_value(kind, digits(*value), unit))
    };
    if stop.values.is_empty() {
        let what = "a loop has a dead centre as drawn: it can move on in two ways".to_owned();
        return (what, "draw the loop in another position".to_owned());
    }
    let at = stop.values.iter().map(shown).collect::<Vec<_>>().join(", ");
    let what = format!("drives a loop too far: it is proved to close up to {at}, and not beyond");
    (what, "end the run before that value, or correct the loop".to_owned())
}

impl Motion {
    /// Names of the joints by [`JointIx`].
    pub(crate) fn joint_names(&self) -> Vec<&str> {
        self.joints.iter().map(|NamedJoint { name, .. }| name.as_str()).collect()
    }
}
