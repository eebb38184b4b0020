//! Triangles during the build of a tree: their boxes in single precision, four lanes wide.

use crate::geom::Vec3;
use crate::geom::math::{max3, min3};

/// Three coordinates and a fourth number.
pub(crate) type Quad = [f32; 4];

#[inline]
fn least(a: Quad, b: Quad) -> Quad {
    let pick = |k: usize| if a[k] < b[k] { a[k] } else { b[k] };
    [pick(0), pick(1), pick(2), pick(3)]
}

#[inline]
fn greatest(a: Quad, b: Quad) -> Quad {
    let pick = |k: usize| if a[k] > b[k] { a[k] } else { b[k] };
    [pick(0), pick(1), pick(2), pick(3)]
}

#[inline]
fn sum(a: Quad, b: Quad) -> Quad {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// Triangles of a mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Triangles<'a> {
    pub vertices: &'a [Vec3],
    pub indices: &'a [[u32; 3]],
}

impl Triangles<'_> {
    /// Corners of a triangle.
    #[inline]
    pub(crate) fn corners(&self, t: u32) -> [&Vec3; 3] {
        self.indices[t as usize].map(|v| &self.vertices[v as usize])
    }

    /// Makes the entry of a triangle.
    #[inline]
    pub(crate) fn entry(&self, t: u32) -> Entry {
        Entry::new(t, self.corners(t))
    }
}

/// Triangle during the build: its box in three lanes, and its index in the fourth lanes, as two halves exact in single
/// precision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub min: Quad,
    pub max: Quad,
}

impl Entry {
    pub(crate) const EMPTY: Self = Self { min: [0.0; 4], max: [0.0; 4] };

    #[inline]
    fn new(t: u32, [a, b, c]: [&Vec3; 3]) -> Self {
        let (min, max) = (min3(min3(*a, *b), *c), max3(max3(*a, *b), *c));
        Self {
            min: [min.x as f32, min.y as f32, min.z as f32, (t >> 16) as f32],
            max: [max.x as f32, max.y as f32, max.z as f32, (t & 0xffff) as f32],
        }
    }

    pub(crate) fn triangle(&self) -> u32 {
        (self.min[3] as u32) << 16 | self.max[3] as u32
    }

    /// Twice the centre of the box.
    #[inline]
    pub(crate) fn center(&self) -> Quad {
        sum(self.min, self.max)
    }

    /// Twice the centre of the box along an axis.
    #[inline]
    pub(crate) fn at(&self, k: usize) -> f32 {
        self.min[k] + self.max[k]
    }
}

/// Axis-parallel box, or range of doubled centres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub min: Quad,
    pub max: Quad,
}

impl Extent {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    #[inline]
    pub(crate) fn add(&mut self, min: Quad, max: Quad) {
        self.min = least(min, self.min);
        self.max = greatest(max, self.max);
    }

    /// Range around both.
    pub(crate) fn joined(mut self, other: &Self) -> Self {
        self.add(other.min, other.max);
        self
    }

    /// Half the surface area; 0 if empty.
    #[inline]
    pub(crate) fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.max[k] - self.min[k]);
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }

    /// The longest axis.
    pub(crate) fn longest(&self) -> usize {
        let width = [0, 1, 2].map(|k| self.max[k] - self.min[k]);
        (0..3).fold(0, |l, k| if width[k] > width[l] { k } else { l })
    }
}
