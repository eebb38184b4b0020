//! Surfaces of proofs, each once.

use crate::assembly::{Assembly, Geometry, PartIx};
use crate::check::prepare::shapes::Shapes;
use crate::geom::Vec3;
use crate::query::sweep::solid_boundary;
use crate::shape::surface::{Inside, Surface};
use std::collections::BTreeMap;

/// A surface of a proof. Triangles are counter-clockwise seen from outside.
#[derive(Debug)]
pub struct ProofShape {
    /// Part with this surface.
    pub part: PartIx,
    /// Geometry in place of the part.
    pub geometry: Geometry,
    /// True if the surface has a definite inside.
    pub solid: bool,
    /// Index of the surface that this one was before it moved inward; vertices have the same indices.
    pub inset_of: Option<u32>,
    /// Point of the part's frame (mm, stretched as the placement says) that is the origin of the vertices.
    pub origin: Vec3,
    /// Vertices (mm).
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Identity of a surface: the shape, true for the boundary of its solid, hash of the vertices moved inward.
type Key = (u32, bool, Option<[u8; 32]>);

/// All surfaces so far.
pub(crate) struct ProofShapes<'a> {
    assembly: &'a Assembly,
    pub all: Vec<ProofShape>,
    known: BTreeMap<Key, u32>,
}

impl<'a> ProofShapes<'a> {
    pub(crate) fn new(assembly: &'a Assembly) -> Self {
        Self { assembly, all: Vec::new(), known: BTreeMap::new() }
    }

    /// Indices of the surfaces of a pair: those of the parts, or `insets` of their boundaries.
    pub(crate) fn of_pair(&mut self, shapes: &Shapes, pair: [u32; 2], insets: Option<[Surface; 2]>) -> [u32; 2] {
        match insets {
            None => pair.map(|i| self.of_instance(shapes, i, false)),
            Some([a, b]) => [(pair[0], a), (pair[1], b)].map(|(i, inset)| self.of_inset(shapes, i, &inset)),
        }
    }

    /// The surface of an instance, or the boundary of its solid.
    fn of_instance(&mut self, shapes: &Shapes, instance: u32, boundary: bool) -> u32 {
        let index = shapes.placed[instance as usize].shape;
        let raw = &shapes.all[index as usize].exact().surface;
        let solid = solid_boundary(raw).filter(|solid| boundary && !std::ptr::eq(*solid, raw));
        self.add((index, solid.is_some(), None), shapes, instance, solid.unwrap_or(raw), None)
    }

    fn of_inset(&mut self, shapes: &Shapes, instance: u32, inset: &Surface) -> u32 {
        let before = self.of_instance(shapes, instance, true);
        let mut hasher = blake3::Hasher::new();
        for x in inset.vertices.iter().flat_map(|v| v.iter()) {
            hasher.update(&x.to_le_bytes());
        }
        let key = (shapes.placed[instance as usize].shape, true, Some(*hasher.finalize().as_bytes()));
        self.add(key, shapes, instance, inset, Some(before))
    }

    fn add(&mut self, key: Key, shapes: &Shapes, instance: u32, surface: &Surface, inset_of: Option<u32>) -> u32 {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let shape = &shapes.all[key.0 as usize];
        self.all.push(ProofShape {
            part: self.assembly.instances[instance as usize].part,
            geometry: shape.geometry,
            solid: surface.inside == Inside::Solid,
            inset_of,
            origin: shape.inner().origin,
            vertices: surface.vertices.clone(),
            triangles: surface.triangles.clone(),
        });
        let index = self.all.len() as u32 - 1;
        self.known.insert(key, index);
        index
    }
}
