//! Tree of a surface for sweeps: boxes in double precision, and triangles as its leaves.

use crate::geom::Vec3;
use crate::motion::{Orbit, OrbitAxis};
use crate::query::sweep::body::Body;
use crate::shape::surface::{Below, SKEW, Surface};
use std::cell::OnceCell;
use std::ops::Range;

/// Tree over the triangles of a surface. An id below the number of boxes is a box, the others are triangles.
pub(crate) struct SweepTree<'a> {
    surface: &'a Surface,
    bodies: Vec<Body>,
    radii: Vec<f64>,
    orbits: Vec<Orbit>,
    /// True for nodes with a triangle that a proof must look at; all without a list.
    active: OnceCell<Vec<bool>>,
}

impl<'a> SweepTree<'a> {
    /// Copies the boxes of the surface's tree. O(n).
    pub(crate) fn new(surface: &'a Surface) -> Self {
        let boxes = surface.tree().nodes.iter().map(|node| {
            let (axes, half) = (node.axes(), node.half().map(f64::from));
            let arms = [0, 1, 2].map(|k| axes.column(k) * half[k]);
            Body::Box { center: node.center(), arms, skew: SKEW * (half[0] + half[1] + half[2]) }
        });
        let triangles = (0..surface.triangles.len() as u32).map(|t| Body::Triangle(surface.triangle(t)));
        let bodies: Vec<Body> = boxes.chain(triangles).collect();
        let radii = bodies.iter().map(Body::radius).collect();
        Self { surface, bodies, radii, orbits: Vec::new(), active: OnceCell::new() }
    }

    /// Adds the orbits of all nodes about an axis; `placed` maps a point to A's frame at the pose of the axis. O(n).
    pub(crate) fn with_orbits(mut self, axis: &OrbitAxis, placed: impl Fn(&Vec3) -> Vec3) -> Self {
        let boxes = self.surface.tree().nodes.len();
        let of = |t: u32| axis.orbit(&self.surface.triangle(t).each_ref().map(&placed));
        let mut orbits: Vec<Option<Orbit>> = vec![None; boxes];
        let triangles: Vec<Orbit> = (0..self.surface.triangles.len() as u32).map(of).collect();
        let join = |x: Option<Orbit>, y: Orbit| Some(x.map_or(y, |x| x.union(&y)));
        // Children follow their parents.
        for (i, node) in self.surface.tree().nodes.iter().enumerate().rev() {
            orbits[i] = match node.below() {
                Below::Triangles(range) => range.fold(None, |sum, t| join(sum, triangles[t as usize])),
                Below::Children(c) => c.iter().filter_map(|&c| orbits[c as usize]).fold(None, join),
            };
        }
        // Every box holds a triangle; without its orbit nothing is claimed.
        if let Some(orbits) = orbits.into_iter().collect::<Option<Vec<Orbit>>>() {
            self.orbits = orbits.into_iter().chain(triangles).collect();
        }
        self
    }

    /// Restricts proofs to some triangles, and to the nodes above them. O(n).
    pub(crate) fn restrict(&self, triangles: &[bool]) {
        let nodes = &self.surface.tree().nodes;
        let mut active = vec![false; nodes.len()];
        active.extend(triangles);
        // Children follow their parents.
        for i in (0..nodes.len()).rev() {
            active[i] = self.children(i as u32).any(|c| active[c as usize]);
        }
        self.active.get_or_init(|| active);
    }

    /// True unless proofs leave out all triangles below a node.
    #[inline]
    pub(crate) fn is_active(&self, id: u32) -> bool {
        self.active.get().is_none_or(|active| active[id as usize])
    }

    /// Number of nodes, boxes and triangles.
    pub(crate) fn count(&self) -> usize {
        self.bodies.len()
    }

    /// True without triangles.
    pub(crate) fn is_empty(&self) -> bool {
        self.surface.triangles.is_empty()
    }

    pub(crate) fn surface(&self) -> &'a Surface {
        self.surface
    }

    pub(crate) fn body(&self, id: u32) -> &Body {
        &self.bodies[id as usize]
    }

    pub(crate) fn radius(&self, id: u32) -> f64 {
        self.radii[id as usize]
    }

    /// Orbit of a node, if the chain has a single axis.
    pub(crate) fn orbit(&self, id: u32) -> Option<&Orbit> {
        self.orbits.get(id as usize)
    }

    /// Orbits of the triangles, in their order; none without a single axis.
    pub(crate) fn triangle_orbits(&self) -> &[Orbit] {
        self.orbits.get(self.surface.tree().nodes.len()..).unwrap_or_default()
    }

    /// Corners of a triangle, `None` for a box.
    pub(crate) fn triangle(&self, id: u32) -> Option<&[Vec3; 3]> {
        match &self.bodies[id as usize] {
            Body::Triangle(t) => Some(t),
            Body::Box { .. } => None,
        }
    }

    /// Position of the first triangle below a node, in the order of the surface. O(depth).
    pub(crate) fn first_triangle(&self, mut id: u32) -> u32 {
        loop {
            let children = self.children(id);
            if children.is_empty() {
                return id - self.surface.tree().nodes.len() as u32;
            }
            id = children.start;
        }
    }

    /// Ids of the children of a box; empty for a triangle.
    pub(crate) fn children(&self, id: u32) -> Range<u32> {
        let nodes = &self.surface.tree().nodes;
        let first_triangle = nodes.len() as u32;
        match nodes.get(id as usize).map(crate::shape::surface::Node::below) {
            None => 0..0,
            Some(Below::Children([left, right])) => left..right + 1,
            Some(Below::Triangles(range)) => first_triangle + range.start..first_triangle + range.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::surface::Inside;
    use crate::testkit::solids::ring;

    #[test]
    fn every_triangle_is_reached_once_and_lies_in_the_boxes_above() {
        let mesh = ring(&[[5.0, 0.0], [8.0, 0.0], [8.0, 3.0], [5.0, 3.0]], 24);
        let surface = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
        let tree = SweepTree::new(&surface);
        let mut seen = vec![0; surface.triangles.len()];
        let mut stack: Vec<(u32, Vec<u32>)> = vec![(0, Vec::new())];
        while let Some((id, above)) = stack.pop() {
            if let Some(t) = tree.triangle(id) {
                seen[tree.first_triangle(id) as usize] += 1;
                for &up in &above {
                    let center = tree.body(up).center();
                    assert!(t.iter().all(|x| (x - center).norm() <= tree.radius(up)));
                }
            }
            // Siblings hold the triangles of their parent in order.
            let starts: Vec<u32> = tree.children(id).map(|c| tree.first_triangle(c)).collect();
            assert!(starts.is_sorted() && starts.first().is_none_or(|first| *first == tree.first_triangle(id)));
            let above = [above, vec![id]].concat();
            stack.extend(tree.children(id).map(|c| (c, above.clone())));
        }
        assert!(seen.iter().all(|n| *n == 1));
    }
}
