//! A pair with a known answer, and the random source of the families.

use crate::support::Rng;
use crate::support::solids::{between, block, cells, prism};
use crate::support::two::{about_z, placed};
use interfere::internals::assembly::RuleAction;
use interfere::internals::geom::{Affine, Mat3, Vec3};
use interfere::internals::mesh::TriMesh;

/// Relation of two solids, apart from the gap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    /// Neither contains the other: the gap decides the rest.
    Beside,
    /// B lies inside A, with room around it.
    Within,
    /// B lies inside A, and their surfaces share faces.
    FlushWithin,
    /// Identical solids.
    Same,
}

/// Concave facets approximating a round hole.
#[derive(Clone, Copy, Debug)]
pub struct Bore {
    pub sagitta: f64,
    pub sides: usize,
    /// Deflection stated for the part (mm).
    pub deflection: Option<f64>,
}

/// A pair and its answer, lengths in mm, in the frame of A.
#[derive(Clone, Debug)]
pub struct Known {
    pub parts: [TriMesh; 2],
    /// A as one shell, if its mesh has several connected ones.
    pub plain: Option<TriMesh>,
    pub b_in_a: Affine,
    /// Gap of the meshes in closed form (mm): the clearance, or minus the diameter of the largest common ball.
    pub gap: f64,
    pub lie: Lie,
    /// Bore in A, if any.
    pub bore: Option<Bore>,
    pub verb: Option<RuleAction>,
    /// True if coordinates and placements must stay exact: rounding would change the answer.
    pub exact: bool,
    /// True if touching inner walls must stay in one plane: equal coordinates must round alike.
    pub flush: bool,
}

impl Known {
    pub fn new(a: TriMesh, b: TriMesh, gap: f64) -> Self {
        let (b_in_a, lie) = (Affine::identity(), Lie::Beside);
        Self { parts: [a, b], plain: None, b_in_a, gap, lie, bore: None, verb: None, exact: false, flush: false }
    }

    /// The same pair with B placed.
    #[must_use]
    pub fn at(self, linear: Mat3, translation: Vec3) -> Self {
        Self { b_in_a: placed(linear, translation), ..self }
    }

    /// A without inner walls.
    pub fn plain(&self) -> &TriMesh {
        self.plain.as_ref().unwrap_or(&self.parts[0])
    }

    #[must_use]
    pub fn lying(self, lie: Lie) -> Self {
        Self { lie, ..self }
    }
}

/// Random source of a family.
pub struct Draw {
    pub rng: Rng,
    /// Tolerance of the pair (mm).
    pub tolerance: f64,
    /// Typical length of the pair (mm); at least 200 tolerances.
    pub size: f64,
    /// Approximate largest number of facets of a round thing.
    pub facets: usize,
}

impl Draw {
    pub fn new(seed: u64, facets: usize) -> Self {
        let mut rng = Rng::new(seed);
        let tolerance = if rng.below(2) == 0 { 0.01 } else { rng.scale(0.002, 0.1) };
        let size = rng.scale(2.0_f64.max(200.0 * tolerance), 200.0);
        Self { rng, tolerance, size, facets }
    }

    /// A length between two fractions of the size.
    pub fn length(&mut self, low: f64, high: f64) -> f64 {
        self.size * self.rng.range(low, high)
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.rng.below(one_in) == 0
    }

    /// A depth near the tolerance or far beyond it, up to `deepest`.
    pub fn depth(&mut self, deepest: f64) -> f64 {
        let t = self.tolerance;
        let depth = match self.rng.below(5) {
            0 | 1 => t * self.rng.range(0.2, 0.95),
            2 | 3 => t * self.rng.range(1.05, 1.2),
            _ => self.rng.scale(1.2 * t, deepest.max(1.3 * t)),
        };
        depth.min(deepest)
    }

    /// A gap of any sign: minus a depth, zero, within the tolerance, or up to a tenth of the size.
    pub fn gap(&mut self, deepest: f64) -> f64 {
        match self.rng.below(8) {
            0 => 0.0,
            1..=4 => -self.depth(deepest),
            5 => self.tolerance * self.rng.range(0.1, 0.95),
            _ => self.rng.scale(1.05 * self.tolerance, 0.1 * self.size),
        }
    }

    /// Number of sides of a polygon.
    pub fn sides(&mut self, least: usize) -> usize {
        if self.chance(4) { least + self.rng.below(4) } else { least + self.rng.below(self.facets - least) }
    }

    /// Rotation about z by any angle.
    pub fn spin(&mut self) -> Mat3 {
        about_z(if self.chance(4) { 90.0 * self.rng.below(4) as f64 } else { self.rng.range(0.0, 360.0) })
    }

    /// A box or a prism on the plane z = 0, its section about the z axis; and the radius of the largest disc in the
    /// section.
    pub fn block(&mut self, wide: [f64; 2], high: [f64; 2]) -> (TriMesh, f64) {
        let height = self.length(high[0], high[1]);
        let [x, y] = [0, 1].map(|_| self.length(wide[0], wide[1]));
        if self.chance(2) {
            (block([-x, -y, 0.0], [x, y, height]), x.min(y))
        } else {
            let sides = self.sides(3);
            (prism(sides, x, [0.0, height]), x * interfere::internals::geom::math::sin_cos_deg(180.0 / sides as f64).1)
        }
    }
}

/// A ridge along x through the origin above a flat base: `long` either way, `wide` to each side, `high`.
pub fn roof(long: f64, wide: f64, high: f64) -> TriMesh {
    let end = |x: f64| [Vec3::new(x, -wide, -high), Vec3::new(x, wide, -high), Vec3::new(x, 0.0, 0.0)];
    between(&end(-long), &end(long))
}

/// Boxes on a common grid, as one solid without inner walls.
pub fn blocks(boxes: &[[[f64; 3]; 2]]) -> TriMesh {
    let planes: [Vec<f64>; 3] = std::array::from_fn(|k| {
        let mut list: Vec<f64> = boxes.iter().flat_map(|b| [b[0][k], b[1][k]]).collect();
        list.sort_by(f64::total_cmp);
        list.dedup();
        list
    });
    cells([&planes[0], &planes[1], &planes[2]], |at| {
        boxes.iter().any(|b| (0..3).all(|k| b[0][k] <= planes[k][at[k]] && planes[k][at[k]] < b[1][k]))
    })
}

/// Distance between two sets of boxes; 0 if any two overlap or touch.
pub fn room_between(a: &[[[f64; 3]; 2]], b: &[[[f64; 3]; 2]]) -> f64 {
    let apart = |p: &[[f64; 3]; 2], q: &[[f64; 3]; 2]| {
        (0..3).map(|k| (p[0][k] - q[1][k]).max(q[0][k] - p[1][k]).max(0.0)).map(|d| d * d).sum::<f64>().sqrt()
    };
    a.iter().flat_map(|p| b.iter().map(move |q| apart(p, q))).fold(f64::INFINITY, f64::min)
}
