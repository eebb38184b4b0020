//! Patches of a surface: connected triangles with one winding number in front of all.

use crate::parallel;
use crate::shape::surface::Surface;
use crate::shape::surface::adjacency::Adjacency;
use crate::shape::surface::winding_number::winding_in_front;

/// Patches of a surface: triangles without crossings, connected across edges of exactly two such triangles in opposite
/// directions. The winding number is constant along either side of a patch: nothing crosses it, and it ends at edges
/// of more than two triangles.
pub(crate) struct Patches {
    /// Patch of each triangle, numbered by first triangle; `u32::MAX` for a triangle with crossings.
    pub(crate) patch_of: Vec<u32>,
    /// Largest triangle of each patch.
    largest: Vec<u32>,
}

impl Patches {
    /// Finds the patches, O(n). `crosses` is true for each triangle with crossings.
    pub(crate) fn of(s: &Surface, crosses: &[bool]) -> Self {
        let adjacency = s.adjacency_for_a_pass();
        let neighbors = adjacency.neighbors(&s.triangles, parallel::threads());
        Self::of_triangles(s, |t| !crosses[t as usize], |t| neighbors[t as usize])
    }

    /// Finds the patches of the chosen triangles, none of which has crossings, O(n). With `adjacency`, it lists the
    /// neighbours of all triangles.
    pub(crate) fn among(s: &Surface, chosen: &[bool], adjacency: Option<&Adjacency>) -> Self {
        let is_chosen = |t: u32| chosen[t as usize];
        if let Some(adjacency) = adjacency {
            let neighbors = adjacency.neighbors(&s.triangles, parallel::threads());
            Self::of_triangles(s, is_chosen, |t| neighbors[t as usize])
        } else {
            Self::of_triangles(s, is_chosen, |t| [0, 1, 2].map(|k| s.neighbor_of(t, k)))
        }
    }

    fn of_triangles(s: &Surface, chosen: impl Fn(u32) -> bool, neighbors: impl Fn(u32) -> [u32; 3]) -> Self {
        let n = s.triangles.len();
        let mut out = Self { patch_of: vec![u32::MAX; n], largest: Vec::new() };
        let mut stack = Vec::new();
        for seed in 0..n as u32 {
            if !chosen(seed) || out.patch_of[seed as usize] != u32::MAX {
                continue;
            }
            let patch = out.largest.len() as u32;
            let mut largest = (f64::NEG_INFINITY, seed);
            out.patch_of[seed as usize] = patch;
            stack.push(seed);
            while let Some(t) = stack.pop() {
                let [a, b, c] = s.triangle(t);
                let area = (b - a).cross(&(c - a)).norm_squared();
                // A tie goes to the first triangle, independent of the order of visits.
                if area > largest.0 || (area == largest.0 && t < largest.1) {
                    largest = (area, t);
                }
                for other in neighbors(t).into_iter().filter(|o| *o != u32::MAX) {
                    if chosen(other) && out.patch_of[other as usize] == u32::MAX {
                        out.patch_of[other as usize] = patch;
                        stack.push(other);
                    }
                }
            }
            out.largest.push(largest.1);
        }
        out
    }

    /// True if all triangles form one patch without crossings: a sphere with handles, wound outward.
    pub(crate) fn is_one_without_crossings(&self) -> bool {
        self.largest.len() <= 1 && !self.patch_of.contains(&u32::MAX)
    }

    /// Computes the winding number in front of each patch, exactly, by one ray; `None` if no ray decides.
    pub(crate) fn in_front(&self, s: &Surface) -> Vec<Option<i32>> {
        self.largest.iter().map(|&t| winding_in_front(s, t)).collect()
    }

    /// Computes the winding number in front of each triangle; `None` for a triangle with crossings, or if no ray
    /// decides.
    pub(crate) fn in_front_of_triangles(&self, s: &Surface) -> Vec<Option<i32>> {
        let fronts = self.in_front(s);
        self.patch_of.iter().map(|&p| *fronts.get(p as usize)?).collect()
    }
}
