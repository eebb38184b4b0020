//! Finds the candidate pairs of a run: pairs of instances with touching grown boxes.

use crate::assembly::{InstanceIx, PairRule, RuleTable};
use crate::broad::{BoxTree, sorted_pairs};
use crate::check::prepare::shape::Shape;
use crate::check::prepare::shapes::Shapes;
use crate::geom::math::UNIT_ROUNDOFF;
use crate::geom::{Aabb, Mat3, Pose, Vec3};
use rayon::prelude::*;

/// A pair with touching grown boxes, and its first matching rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub a: u32,
    pub b: u32,
    pub rule: Option<u32>,
}

/// Finds the pairs with boxes at most `reach` apart (mm) or with a largest gap, without the ignored ones; sorted by
/// index.
pub(crate) fn candidates(shapes: &Shapes, reach: f64, rules: &RuleTable) -> Vec<Candidate> {
    let tree = BoxTree::new(&instance_boxes(shapes, 0.5 * reach));
    with_rules(close_pairs(&tree, shapes.placed.len()), rules)
}

/// Finds the pairs of meeting boxes among those of `instances` instances, sorted by index.
pub(crate) fn close_pairs(tree: &BoxTree, instances: usize) -> Vec<(u32, u32)> {
    // A fixed number of tasks keeps the result independent of the number of threads.
    let tasks = tree.tasks(if instances > 4096 { 256 } else { 16 });
    let found: Vec<Vec<(u32, u32)>> = tasks
        .par_iter()
        .map(|task| {
            let mut out = Vec::new();
            tree.join(*task, &mut out);
            out
        })
        .collect();
    sorted_pairs(found, instances)
}

/// Adds the pairs with a largest gap, and finds the rules of all pairs; drops the ignored ones.
pub(crate) fn with_rules(mut pairs: Vec<(u32, u32)>, rules: &RuleTable) -> Vec<Candidate> {
    // A rule with a largest gap has a say on its pairs at every distance.
    let limited = rules.limited_pairs();
    if !limited.is_empty() {
        pairs.extend(limited);
        pairs.sort_unstable();
        pairs.dedup();
    }
    pairs
        .into_iter()
        .filter_map(|(a, b)| match rules.of(InstanceIx(a), InstanceIx(b)) {
            PairRule::Ignored { .. } => None,
            PairRule::Rule(rule) => Some(Candidate { a, b, rule: Some(rule) }),
            PairRule::None => Some(Candidate { a, b, rule: None }),
        })
        .collect()
}

/// Number of candidates of each instance with boxes within the tolerance (mm). Farther candidates count nowhere: a
/// proposal must not depend on the distance up to which a report lists pairs.
pub(crate) fn neighbours(shapes: &Shapes, candidates: &[Candidate], tolerance: f64) -> Vec<u32> {
    let mut counts = vec![0; shapes.placed.len()];
    if candidates.is_empty() {
        return counts;
    }
    let boxes = instance_boxes(shapes, 0.5 * tolerance);
    for Candidate { a, b, .. } in candidates {
        let (a, b) = (*a as usize, *b as usize);
        if boxes[a].meets(&boxes[b]) {
            counts[a] += 1;
            counts[b] += 1;
        }
    }
    counts
}

/// Boxes of all instances, grown by `by` and the rounding bound (mm, root frame). Instances of one shape in one
/// orientation share the extents.
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated")]
pub(crate) fn instance_boxes(shapes: &Shapes, by: f64) -> Vec<Aabb> {
    let mut extents: std::collections::HashMap<(u32, [u64; 9]), Aabb, rapidhash::fast::RandomState> =
        std::collections::HashMap::default();
    shapes
        .placed
        .iter()
        .map(|p| {
            let shape = &shapes.all[p.shape as usize];
            let mut key = [0; 9];
            key.iter_mut().zip(p.pose.rotation.iter()).for_each(|(k, e)| *k = e.to_bits());
            let local = extents.entry((p.shape, key)).or_insert_with(|| turned_box(shape, &p.pose));
            let at = p.pose.point(&shape.inner().origin);
            let rounding = 16.0 * UNIT_ROUNDOFF * (at.amax() + shape.max_abs + shape.inner().diameter) + p.residual;
            Aabb { min: local.min + at, max: local.max + at }.inflated(by + rounding)
        })
        .collect()
}

/// Box of a shape's hull about its centred origin, rotated by a pose (mm).
pub(crate) fn turned_box(shape: &Shape, pose: &Pose) -> Aabb {
    if pose.rotation == Mat3::identity() {
        return shape.inner().aabb;
    }
    if let Some(bounds) = shape.turned_box_without_hull(pose) {
        return bounds;
    }
    let convex = shape.convex();
    let mut out = Aabb::EMPTY;
    for k in 0..3 {
        let d: Vec3 = pose.rotation.row(k).transpose();
        out.max[k] = convex.scan(&d).1;
        out.min[k] = -convex.scan(&-d).1;
    }
    out
}
