//! Identifies runs and the motion of a pair over a run, and measures its failing parts: the values that a baseline
//! compares.

use crate::assembly::{Motion, NamedRun};
use crate::check::motion::sweep::{Effort, SweepAnswer, SweepQuery, radius};
use crate::check::pairs::canonical_pose;
use crate::geom::{Pose, Vec3};
use crate::motion::loops::law::SolvedLaw;
use crate::motion::{Cell, Chain, ChainJoint, Frame, Joint, JointKind, Law, MechanismJoint, Segment};

/// Number of cells of a failing part for the length of its path: a turn in a few dozen chords.
const TRAVEL_CELLS: usize = 32;

/// Hash of the joint values that a run covers, in their order. The file's order of joints leaves it unchanged, and so
/// do joints at home.
pub(crate) fn definition(motion: &Motion, run: &NamedRun, segments: &[Segment]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let text = |hasher: &mut blake3::Hasher, text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    };
    text(&mut hasher, run.kind.name());
    for segment in segments {
        let joints = motion.joints.iter().zip(motion.mechanism.joints()).zip(&segment.laws);
        let mut away: Vec<(&str, &MechanismJoint, &Law)> =
            joints.map(|((named, own), law)| (named.name.as_str(), own, law)).collect();
        let is_away = |own: &MechanismJoint, law: &Law| law.offset != own.home || law.solved.is_some();
        away.retain(|(_, own, law)| is_away(own, law) || law.rates.iter().any(|rate| *rate != 0.0));
        away.sort_unstable_by_key(|(name, ..)| *name);
        hasher.update(&(away.len() as u64).to_le_bytes());
        for (name, own, law) in away {
            text(&mut hasher, name);
            text(&mut hasher, own.follows.map_or("", |f| motion.joints[f.leader.0 as usize].name.as_str()));
            let rates = law.rates.iter().zip(&segment.ranges).filter(|(rate, _)| **rate != 0.0);
            let terms = rates.flat_map(|(rate, [from, to])| [*rate, *from, *to]);
            let solved = law.solved.iter().flat_map(SolvedLaw::numbers);
            for x in [law.offset].into_iter().chain(terms).chain(solved) {
                hasher.update(&(x + 0.0).to_le_bytes());
            }
        }
    }
    first_bytes(&hasher)
}

/// First eight bytes of a hash, the most significant one first.
fn first_bytes(hasher: &blake3::Hasher) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_be_bytes(first)
}

/// Fingerprint of the pair in the run: a hash of both shapes and of their motion, rounded. Equal for pairs of the same
/// two parts with the same relative motion, elsewhere in the assembly.
pub(crate) fn fingerprint(query: &SweepQuery<'_>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for shape in [query.first, query.second] {
        shape.identify(&mut hasher);
    }
    let size = query.first.max_abs + query.second.max_abs;
    for (chain, segment) in &query.segments {
        let (drawn, joints) = rounded(chain, size);
        // Lengths and angles of a loop are those of parts and turns of a common size.
        let round = |x: f64| canonical_pose::rounded_point(&Vec3::new(x, 0.0, 0.0), size + x.abs()).x;
        let numbers = numbers_of(&drawn, &joints, round).into_iter().chain(segment.ranges.iter().flatten().copied());
        numbers.for_each(|x| {
            hasher.update(&(x + 0.0).to_le_bytes());
        });
    }
    first_bytes(&hasher)
}

/// The pose as drawn and the joints of a chain between parts of a size (mm), without the rounding of their place in the
/// assembly. The point of an axis is the one nearest the origin.
fn rounded(chain: &Chain, size: f64) -> (Pose, Vec<ChainJoint>) {
    let joints = chain.joints.iter().map(|j| {
        let Joint { axis, at, .. } = j.joint;
        let axis = axis.map(canonical_pose::rounded_entry);
        let nearest = at - axis * at.dot(&axis);
        let at = canonical_pose::rounded_point(&nearest, size + at.norm());
        ChainJoint { joint: Joint { axis, at, ..j.joint }, law: j.law.clone() }
    });
    (canonical_pose::rounded(&chain.drawn, size), joints.collect())
}

/// All numbers of a pose as drawn and of the joints of a chain; `rounded` rounds those of loops.
pub(crate) fn numbers_of(drawn: &Pose, joints: &[ChainJoint], rounded: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut numbers = canonical_pose::numbers(drawn).to_vec();
    for joint in joints {
        let kind = match joint.joint.kind {
            JointKind::Revolute => [0.0, 0.0],
            JointKind::Prismatic => [1.0, 0.0],
            JointKind::Screw { lead } => [2.0, lead],
            JointKind::Fixed => [3.0, 0.0],
        };
        numbers.extend(joint.joint.axis.iter().chain(joint.joint.at.iter()).copied().chain(kind));
        numbers.extend(joint.law.numbers(&rounded));
    }
    numbers
}

/// Bounds the path of the second shape over the failing parts, seen from the first one (mm, >= 0): twice the
/// displacement from the middle of each of some equal cells. A measured part counts up to the outer ends of its
/// brackets; without measures, these are unknown.
pub(crate) fn failing_travel(query: &SweepQuery<'_>, answer: &SweepAnswer) -> f64 {
    let mut travel = 0.0;
    for (found, (chain, _)) in answer.segments.iter().zip(&query.segments) {
        for part in found.failing.iter().flatten() {
            let outer = query.effort == Effort::All;
            let [from, to] = if outer { [&part.from[0], &part.to[1]] } else { [&part.from[1], &part.to[0]] };
            if from == to {
                continue;
            }
            let at = |k: usize, p: usize| from[p] + (to[p] - from[p]) * (k as f64 / TRAVEL_CELLS as f64);
            for k in 0..TRAVEL_CELLS {
                let ranges: Vec<[f64; 2]> = (0..from.len()).map(|p| [at(k, p), at(k + 1, p)]).collect();
                let frame = Frame::new(chain, &Cell::around(&ranges));
                travel += 2.0 * frame.spread_of_ball(&frame.pose.translation, radius(query.second)).displacement;
            }
        }
    }
    travel
}
