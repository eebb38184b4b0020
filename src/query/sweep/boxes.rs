//! Proves that two surfaces never come within a distance, over every combination of several parameters.
//!
//! The branch and bound of `prove`, with boxes of parameter values in place of intervals. It halves the parameter that
//! moves the nodes most. docs/explanation/motion.md, claim 5.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::query::sweep::judge::Judge;
use crate::query::sweep::prove::{Budget, Course, Judgement, Tested};
use crate::query::sweep::regions::{Regions, middle};

/// Largest number of boxes without a proof; beyond it the search ends.
const MAX_OPEN: usize = 4096;

/// Result of a proof over a box.
pub(crate) struct BoxProof {
    /// Box with surfaces within the distance in its middle, and the points there (A's frame, mm).
    pub violation: Option<(u32, [Vec3; 2])>,
    /// Boxes without a proof. Nothing is claimed after a violation.
    pub open: Vec<u32>,
}

impl Course<'_> {
    /// Tries to prove that the surfaces never come within `distance` (mm, >= 0) in box 0; ends at the first violation.
    pub(crate) fn prove_box(
        &self,
        regions: &mut Regions,
        distance: f64,
        budget: &mut Budget,
        judge: &mut Judge,
    ) -> BoxProof {
        if self.a.is_empty() || self.b.is_empty() {
            return BoxProof { violation: None, open: vec![0] };
        }
        let mut open: Vec<u32> = Vec::new();
        let mut stack: Vec<(u32, u32, u32)> = Vec::new();
        if self.a.is_active(0) && self.b.is_active(0) {
            stack.push((0, 0, 0));
        }
        let enough = distance + self.margin;
        while let Some((i, j, id)) = stack.pop() {
            if open.len() >= MAX_OPEN || !budget.take(1) {
                open.push(id);
                open.extend(stack.iter().map(|item| item.2));
                break;
            }
            let near = match self.test([i, j], &regions.get(id).frame, enough) {
                Tested::Apart => continue,
                Tested::Fast if self.split_region(regions, (i, j, id), &mut stack) => continue,
                Tested::Fast | Tested::Nodes => {
                    self.split_nodes([i, j], |[i, j]| stack.push((i, j, id)));
                    continue;
                }
                Tested::Surfaces(near) => near,
            };
            if near.is_within(distance, self.margin) {
                let region = regions.get(id);
                let judgement = if regions.is_settled(id) { Some(Judgement::Holds) } else { region.judged };
                let judgement = judgement
                    .unwrap_or_else(|| judge.judge(&region.frame.pose, region.displacement, near.points, budget));
                regions.judge(id, judgement);
                match judgement {
                    Judgement::Holds => continue,
                    Judgement::Broken | Judgement::Final => {
                        return BoxProof { violation: Some((id, near.points)), open };
                    }
                    Judgement::Open => {}
                }
            }
            if !self.split_region(regions, (i, j, id), &mut stack) {
                open.push(id);
            }
        }
        open.sort_unstable();
        open.dedup();
        BoxProof { violation: None, open }
    }

    /// Halves a box along the parameter that moves the nodes most; false at the floor.
    fn split_region(&self, regions: &mut Regions, item: (u32, u32, u32), stack: &mut Vec<(u32, u32, u32)>) -> bool {
        let (i, j, id) = item;
        let Some((_, halves)) = self.halves(regions, [i, j], id) else { return false };
        stack.extend(halves.map(|half| (i, j, half)));
        true
    }

    /// The parameter of a box that moves the nodes most, and both halves along it; `None` at the floor.
    pub(crate) fn halves(&self, regions: &mut Regions, [i, j]: [u32; 2], id: u32) -> Option<(usize, [u32; 2])> {
        let region = regions.get(id);
        if region.displacement <= self.floor {
            return None;
        }
        let center = region.frame.pose.point(&self.b.body(j).center());
        let radius = greater(self.a.radius(i), self.b.radius(j));
        let parameter = regions.widest(id, &center, radius)?;
        Some((parameter, regions.halves(id, parameter)?))
    }
}

/// Parts of a box outside some open boxes, the largest first: at most `most` pieces. Halves along the parameter with
/// the largest share of its range.
pub(crate) fn pieces_outside(regions: &Regions, open: &[u32], most: usize) -> Vec<Vec<[f64; 2]>> {
    let root = &regions.get(0).ends;
    let share = |ends: &[[f64; 2]], p: usize| {
        let range = root[p][1] - root[p][0];
        if range > 0.0 { (ends[p][1] - ends[p][0]) / range } else { 0.0 }
    };
    let meets = |ends: &[[f64; 2]], other: &[[f64; 2]]| {
        ends.iter().zip(other).all(|(x, y)| x[0] < y[1] && y[0] < x[1] || x == y)
    };
    let within =
        |ends: &[[f64; 2]], other: &[[f64; 2]]| ends.iter().zip(other).all(|(x, y)| y[0] <= x[0] && x[1] <= y[1]);
    let mut queue = std::collections::VecDeque::from([root.clone()]);
    let mut pieces = Vec::new();
    let mut looks = 0;
    while let Some(ends) = queue.pop_front() {
        looks += 1;
        if looks > 16 * most || pieces.len() >= most {
            break;
        }
        let mut near = open.iter().map(|id| &regions.get(*id).ends).filter(|o| meets(&ends, o)).peekable();
        if near.peek().is_none() {
            pieces.push(ends);
            continue;
        }
        if near.any(|o| within(&ends, o)) {
            continue;
        }
        let widest = (0..ends.len()).max_by(|x, y| share(&ends, *x).total_cmp(&share(&ends, *y)).then(y.cmp(x)));
        let Some((p, middle)) = widest.and_then(|p| Some((p, middle(ends[p])?))) else { continue };
        let [mut low, mut high] = [ends.clone(), ends];
        low[p][1] = middle;
        high[p][0] = middle;
        queue.extend([low, high]);
    }
    pieces
}

/// Volume of a part of a box, as a share of the whole (0 to 1). Parameters of one value count as covered.
pub(crate) fn share_of(ends: &[[f64; 2]], root: &[[f64; 2]]) -> f64 {
    let each = ends.iter().zip(root).filter(|(_, r)| r[1] > r[0]);
    each.map(|(e, r)| (e[1] - e[0]) / (r[1] - r[0])).product()
}
