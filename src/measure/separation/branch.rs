//! Branch and bound over the faces of single pairs of triangles: the last step of the search for a separating
//! translation.

use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::measure::separation::contact_planes::exit_directions;
use crate::measure::separation::directions::SAME_DIRECTION_COSINE;
use crate::measure::separation::inset_pair::ContactPair;
use crate::measure::separation::min_norm::{Plane, min_norm_point};
use crate::measure::separation::search::{MAX_PLANES, PUSHED_PAIRS, Search};

/// Number of known pairs of triangles that intersect at a node for the node to need no crossing test.
const ENOUGH_KNOWN: usize = 8;

/// Number of nodes after which slow progress ends the branch and bound.
const FIRST_NODES: usize = 8;

/// Maximum number of known pairs of triangles tested at a node, the last found first.
const MAX_TESTED: usize = 192;

/// Node of the branch and bound: a translation beyond some planes.
struct Node {
    planes: Vec<Plane>,
    at: Vec3,
    length: f64,
}

/// Translations of all nodes so far.
struct SeenTranslations {
    /// Length and translation of each node (mm), sorted by length.
    sorted: Vec<(f64, Vec3)>,
    /// Distance within which two translations count as equal (mm).
    hair: f64,
}

impl SeenTranslations {
    /// Adds the translation of a node; false if a known one is equal. Compares those of about the same length.
    fn add(&mut self, node: &Node) -> bool {
        // The length of a translation is its norm up to rounding.
        let window = 2.0 * self.hair;
        let first = self.sorted.partition_point(|seen| seen.0 < node.length - window);
        let mut near = self.sorted[first..].iter().take_while(|seen| seen.0 <= node.length + window);
        if near.any(|seen| (seen.1 - node.at).norm() <= self.hair) {
            return false;
        }
        let place = self.sorted.partition_point(|seen| seen.0 < node.length);
        self.sorted.insert(place, (node.length, node.at));
        true
    }
}

impl Search<'_> {
    /// Explores the choices of [`Search::push`]: each pair of triangles may separate along several faces. The node with
    /// the shortest translation comes first. Ends early if the lengths grow too slowly to reach the best translation:
    /// parts that hold each other all around, such as a screw in its thread, have many short nodes. `first` are the
    /// pairs intersecting before any translation.
    pub(super) fn branch(&mut self, first: Vec<ContactPair>, nodes: usize) {
        let mut known = first;
        let mut open = vec![Node { planes: Vec::new(), at: Vec3::zeros(), length: 0.0 }];
        let mut seen = SeenTranslations { sorted: Vec::new(), hair: self.hair };
        for explored in 0..nodes {
            let shortest = (0..open.len()).min_by(|&i, &j| open[i].length.total_cmp(&open[j].length).then(i.cmp(&j)));
            let Some(node) = shortest.map(|k| open.remove(k)).filter(|n| n.length < self.limit()) else { return };
            let pace = node.length * nodes as f64 / explored as f64;
            let is_slow = explored >= FIRST_NODES && pace < self.limit();
            if is_slow || self.done() || self.blockers.budget == 0 {
                return;
            }
            let directions = match self.exits(&node, &mut known) {
                Exits::Free if self.slim.nested(&node.at).is_none() => {
                    self.best = node.at;
                    return;
                }
                Exits::Free => continue,
                Exits::Planes(planes) => planes,
            };
            if node.planes.len() > 1 {
                self.directions.add(&node.at);
            }
            for plane in directions {
                let Some(next) = self.child(&node, &plane) else { continue };
                if seen.add(&next) {
                    open.push(next);
                }
            }
        }
    }

    /// Finds the planes that separate pairs of triangles intersecting at a node. Most nodes need no crossing test: pairs
    /// found before intersect there, too. Adds the pairs of a crossing test to `known`.
    fn exits(&mut self, node: &Node, known: &mut Vec<ContactPair>) -> Exits {
        let limit = self.limit();
        if node.planes.is_empty() {
            return Exits::Planes(exit_directions(known.iter(), &node.at, limit));
        }
        let tested = known.iter().rev().take(MAX_TESTED);
        let met: Vec<&ContactPair> = tested.filter(|c| c.intersects(&node.at)).take(PUSHED_PAIRS).collect();
        if met.len() >= ENOUGH_KNOWN {
            return Exits::Planes(exit_directions(met.into_iter(), &node.at, limit));
        }
        self.blockers.budget -= 1;
        let met = self.slim.met(&node.at, PUSHED_PAIRS);
        if met.is_empty() {
            return Exits::Free;
        }
        let planes = exit_directions(met.iter(), &node.at, limit);
        known.extend(met);
        Exits::Planes(planes)
    }

    /// Adds a plane to a node; `None` if the resulting translation is not shorter than the best.
    fn child(&self, node: &Node, plane: &Plane) -> Option<Node> {
        let mut planes = node.planes.clone();
        match planes.iter_mut().find(|p| p.normal.dot(&plane.normal) > SAME_DIRECTION_COSINE) {
            Some(p) => p.least = greater(p.least, plane.least),
            None => planes.push(*plane),
        }
        let next = min_norm_point(&planes, self.shortfall()).filter(|_| planes.len() <= MAX_PLANES)?;
        let length = greater(next.norm(), self.least) + self.hair;
        let at = next.try_normalize(0.0)? * length;
        (length < self.limit()).then_some(Node { planes, at, length })
    }
}

/// Surfaces at a node.
enum Exits {
    /// No triangles intersect.
    Free,
    /// Planes, each separating some intersecting triangles.
    Planes(Vec<Plane>),
}
