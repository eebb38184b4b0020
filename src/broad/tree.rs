//! Candidate pairs from boxes: an implicit tree over boxes in Morton order, joined with itself.
//!
//! The boxes are sorted by a coarse size class and the Morton code of their centre (Morton 1966; Lauterbach et al.,
//! "Fast BVH Construction on GPUs", 2009, §4.1). Groups of four neighbours are the leaves. Each level halves the number
//! of nodes, so the tree needs no pointers, and the join always refines two nodes of one level together. The size class
//! keeps frame-size boxes out of the nodes of thousands of screws, and thereby those nodes small.

use crate::broad::radix_sort::sort_keyed;
use crate::geom::{Aabb, Vec3};

/// Boxes per leaf.
const LEAF: usize = 4;

/// Box in single precision, rounded outward: half the memory traffic, and it always contains the exact box.
#[derive(Debug, Clone, Copy)]
struct BoxF32 {
    min: [f32; 3],
    max: [f32; 3],
}

impl BoxF32 {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    fn outward(b: &Aabb, origin: &Vec3) -> Self {
        let down = |x: f64| {
            let f = x as f32;
            if f64::from(f) > x { f.next_down() } else { f }
        };
        Self {
            min: std::array::from_fn(|k| down(b.min[k] - origin[k]).next_down()),
            max: std::array::from_fn(|k| -(down(-(b.max[k] - origin[k])).next_down())),
        }
    }

    fn union(&self, o: &Self) -> Self {
        let pick = |a: f32, b: f32, less: bool| if (a < b) == less { a } else { b };
        Self {
            min: std::array::from_fn(|k| pick(self.min[k], o.min[k], true)),
            max: std::array::from_fn(|k| pick(self.max[k], o.max[k], false)),
        }
    }

    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "without branches six comparisons run at once")]
    fn meets(&self, o: &Self) -> bool {
        (self.min[0] <= o.max[0])
            & (o.min[0] <= self.max[0])
            & (self.min[1] <= o.max[1])
            & (o.min[1] <= self.max[1])
            & (self.min[2] <= o.max[2])
            & (o.min[2] <= self.max[2])
    }
}

/// Independent task of the self-join: two nodes of one level, or one node with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinTask {
    level: u32,
    a: u32,
    b: u32,
}

/// Tree over boxes.
#[derive(Debug)]
pub struct BoxTree {
    /// Input index of each box, in tree order.
    order: Vec<u32>,
    /// Boxes in tree order.
    boxes: Vec<BoxF32>,
    /// Nodes of each level: `levels[0]` are the leaves, the last level is the root.
    levels: Vec<Vec<BoxF32>>,
}

impl BoxTree {
    /// Builds the tree. O(n), mostly for sorting. Empty boxes overlap nothing.
    pub fn new(boxes: &[Aabb]) -> Self {
        let scene = boxes.iter().fold(Aabb::EMPTY, |s, b| s.union(b));
        let origin = if boxes.is_empty() { Vec3::zeros() } else { scene.center() };
        let mut keys: Vec<(u64, u32)> = boxes.iter().zip(0..).map(|(b, i)| (sort_key(b, &scene), i)).collect();
        sort_keyed(&mut keys);
        let order: Vec<u32> = keys.iter().map(|k| k.1).collect();
        let sorted: Vec<BoxF32> = order.iter().map(|&i| BoxF32::outward(&boxes[i as usize], &origin)).collect();
        let union = |of: &[BoxF32]| of.iter().fold(BoxF32::EMPTY, |u, b| u.union(b));
        let mut levels: Vec<Vec<BoxF32>> = vec![sorted.chunks(LEAF).map(union).collect()];
        while let Some(last) = levels.last().filter(|l| l.len() > 1) {
            let up = last.chunks(2).map(union).collect();
            levels.push(up);
        }
        Self { order, boxes: sorted, levels }
    }

    /// Splits the self-join into independent tasks: at least `pieces` if the tree has as many leaves, plus one for each
    /// pair of overlapping nodes.
    pub fn tasks(&self, pieces: usize) -> Vec<JoinTask> {
        let Some(level) = self.levels.iter().rposition(|l| l.len() >= pieces).or(Some(0)) else { return Vec::new() };
        let Some(nodes) = self.levels.get(level) else { return Vec::new() };
        let mut tasks = Vec::new();
        for (i, a) in nodes.iter().enumerate() {
            tasks.push(JoinTask { level: level as u32, a: i as u32, b: i as u32 });
            for (j, b) in nodes.iter().enumerate().skip(i + 1) {
                if a.meets(b) {
                    tasks.push(JoinTask { level: level as u32, a: i as u32, b: j as u32 });
                }
            }
        }
        tasks
    }

    /// Appends the overlapping pairs of one task to `out`: lesser index first, in arbitrary order.
    pub fn join(&self, task: JoinTask, out: &mut Vec<(u32, u32)>) {
        let (level, a, b) = (task.level as usize, task.a as usize, task.b as usize);
        if a == b { self.join_self(level, a, out) } else { self.join_two(level, a, b, out) }
    }

    fn join_self(&self, level: usize, node: usize, out: &mut Vec<(u32, u32)>) {
        if level == 0 {
            let range = self.leaf(node);
            for i in range.clone() {
                for j in i + 1..range.end {
                    self.emit(i, j, out);
                }
            }
            return;
        }
        let (left, right) = (2 * node, 2 * node + 1);
        self.join_self(level - 1, left, out);
        if right < self.levels[level - 1].len() {
            self.join_self(level - 1, right, out);
            self.join_two(level - 1, left, right, out);
        }
    }

    fn join_two(&self, level: usize, a: usize, b: usize, out: &mut Vec<(u32, u32)>) {
        let nodes = &self.levels[level];
        if !nodes[a].meets(&nodes[b]) {
            return;
        }
        if level == 0 {
            for i in self.leaf(a) {
                if self.boxes[i].meets(&nodes[b]) {
                    for j in self.leaf(b) {
                        self.emit(i, j, out);
                    }
                }
            }
            return;
        }
        let below = self.levels[level - 1].len();
        for i in 2 * a..(2 * a + 2).min(below) {
            for j in 2 * b..(2 * b + 2).min(below) {
                self.join_two(level - 1, i, j, out);
            }
        }
    }

    fn leaf(&self, node: usize) -> std::ops::Range<usize> {
        node * LEAF..(node * LEAF + LEAF).min(self.boxes.len())
    }

    #[inline]
    fn emit(&self, i: usize, j: usize, out: &mut Vec<(u32, u32)>) {
        if self.boxes[i].meets(&self.boxes[j]) {
            let (p, q) = (self.order[i], self.order[j]);
            out.push(if p < q { (p, q) } else { (q, p) });
        }
    }
}

/// Sort key: three bits of size class, then 60 bits of the Morton code of the centre.
fn sort_key(b: &Aabb, scene: &Aabb) -> u64 {
    let extent = (scene.max - scene.min).max();
    let size = (b.max - b.min).max();
    if !(extent > 0.0 && size >= 0.0) {
        return 0;
    }
    // Classes a factor of eight apart, the largest boxes first.
    let class = libm::floor(libm::log2((extent / size).clamp(1.0, 1e9)) / 3.0).clamp(0.0, 7.0) as u64;
    let cells = f64::from(1 << 20);
    let morton = (0..3).fold(0, |code, k| {
        let at = (b.center()[k] - scene.min[k]) / extent * cells;
        code | spread(at.clamp(0.0, cells - 1.0) as u64) << k
    });
    class << 60 | morton
}

/// Spaces the low 20 bits three apart.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::rng::Rng;

    fn pairs(boxes: &[Aabb], pieces: usize) -> Vec<(u32, u32)> {
        let tree = BoxTree::new(boxes);
        let mut out = Vec::new();
        for task in tree.tasks(pieces) {
            tree.join(task, &mut out);
        }
        out.sort_unstable();
        out
    }

    #[test]
    fn every_overlapping_pair_is_found_once() {
        let mut rng = Rng::new(7);
        let mut found = 0;
        for (n, offset) in [(0, 0.0), (1, 0.0), (2, 0.0), (37, 0.0), (400, 1e6), (1000, -3.0)] {
            let boxes: Vec<Aabb> = (0..n)
                .map(|_| {
                    let c = rng.in_unit_cube() * 100.0 + Vec3::repeat(offset);
                    // Half sizes from screws to frames.
                    let h = Vec3::from_fn(|_, _| libm::pow(10.0, rng.range(-2.5, 1.5)));
                    Aabb { min: c - h, max: c + h }
                })
                .collect();
            let truth: Vec<(u32, u32)> = (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
                .filter(|&(i, j)| boxes[i as usize].meets(&boxes[j as usize]))
                .collect();
            found += truth.len();
            for pieces in [1, 8, 1000] {
                let got = pairs(&boxes, pieces);
                let mut once = got.clone();
                once.dedup();
                assert_eq!(once.len(), got.len(), "a pair twice among {n}");
                let missing = truth.iter().filter(|p| got.binary_search(p).is_err()).count();
                assert_eq!(missing, 0, "of {} pairs among {n} boxes", truth.len());
                assert!(offset.abs() > 1e5 || got.len() == truth.len() || got.len() < truth.len() + 3);
            }
        }
        assert!(found > 1000, "the sample must hold meeting pairs: {found}");
    }
}
