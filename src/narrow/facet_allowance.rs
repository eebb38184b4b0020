//! Stand-in: the largest concave sagitta of either part, wherever it is.
#![allow(missing_docs, clippy::pedantic)]

use super::mesh_mesh::Pairing;
use crate::mesh::{Facets, TriMesh};

#[derive(Debug)]
pub struct FacetTable {
    largest: f64,
}

impl FacetTable {
    pub fn new(mesh: &TriMesh, deflection: Option<f64>) -> Self {
        let facets = Facets::of(mesh);
        let concave = facets.edges.iter().filter(|e| e.concave);
        Self { largest: concave.map(|e| deflection.unwrap_or(e.sagitta())).fold(0.0, f64::max) }
    }
}

pub fn allowance(_: &Pairing, fa: &FacetTable, fb: &FacetTable) -> f64 {
    1.5 * fa.largest.max(fb.largest)
}
