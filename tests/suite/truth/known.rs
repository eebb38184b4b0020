//! A pair with a known answer, and what families draw it from.

use crate::support::Rng;
use crate::support::solids::{between, block, cells, prism};
use crate::support::two::{about_z, placed};
use interfere::assembly::RuleAction;
use interfere::geom::{Affine, Mat3, Vec3};
use interfere::mesh::TriMesh;

/// How two solids lie to each other, the gap aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    /// Neither holds the other: the gap tells the rest.
    Beside,
    /// B lies inside A, with room around it.
    Within,
    /// B lies inside A, and their surfaces share faces.
    FlushWithin,
    /// One and the same.
    Same,
}

/// Concave facets that approximate a round hole.
#[derive(Clone, Copy, Debug)]
pub struct Bore {
    pub sagitta: f64,
    pub sides: usize,
    /// What the part's export is said to have deviated by.
    pub deflection: Option<f64>,
}

/// A pair and its answer, lengths in mm, in the frame of A.
#[derive(Clone, Debug)]
pub struct Known {
    pub parts: [TriMesh; 2],
    /// A as one shell, where it is several that meet.
    pub plain: Option<TriMesh>,
    pub b_in_a: Affine,
    /// Of the meshes, in closed form: clearance, or minus the diameter of the largest common ball.
    pub gap: f64,
    pub lie: Lie,
    /// In A.
    pub bore: Option<Bore>,
    pub verb: Option<RuleAction>,
    /// That coordinates and placements are to stay as they are, for answers that rounding would change.
    pub exact: bool,
    /// That walls which touch inside of a part are to stay in one plane: coordinates only round as their neighbours do.
    pub flush: bool,
}

impl Known {
    pub fn new(a: TriMesh, b: TriMesh, gap: f64) -> Self {
        let (b_in_a, lie) = (Affine::identity(), Lie::Beside);
        Self { parts: [a, b], plain: None, b_in_a, gap, lie, bore: None, verb: None, exact: false, flush: false }
    }

    /// The same with B placed there.
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

/// What a family draws its pairs from.
pub struct Draw {
    pub rng: Rng,
    /// What the pair will be held to, mm.
    pub tolerance: f64,
    /// The pair's usual length, mm; at least 200 tolerances.
    pub size: f64,
    /// About how many facets a round thing has at most.
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

    /// A gap of any sign: minus a depth, nothing, within the tolerance, up to a tenth of the size.
    pub fn gap(&mut self, deepest: f64) -> f64 {
        match self.rng.below(8) {
            0 => 0.0,
            1..=4 => -self.depth(deepest),
            5 => self.tolerance * self.rng.range(0.1, 0.95),
            _ => self.rng.scale(1.05 * self.tolerance, 0.1 * self.size),
        }
    }

    /// How many sides a polygon has.
    pub fn sides(&mut self, least: usize) -> usize {
        if self.chance(4) { least + self.rng.below(4) } else { least + self.rng.below(self.facets - least) }
    }

    /// The rotation about z by any angle.
    pub fn spin(&mut self) -> Mat3 {
        about_z(if self.chance(4) { 90.0 * self.rng.below(4) as f64 } else { self.rng.range(0.0, 360.0) })
    }

    /// A box or a prism on the plane z = 0, its section about the z axis; with the radius of the largest disc in that.
    pub fn block(&mut self, wide: [f64; 2], high: [f64; 2]) -> (TriMesh, f64) {
        let height = self.length(high[0], high[1]);
        let [x, y] = [0, 1].map(|_| self.length(wide[0], wide[1]));
        if self.chance(2) {
            (block([-x, -y, 0.0], [x, y, height]), x.min(y))
        } else {
            let sides = self.sides(3);
            (prism(sides, x, [0.0, height]), x * interfere::geom::math::sin_cos_deg(180.0 / sides as f64).1)
        }
    }
}

/// A ridge along x through the origin above a flat base: to `long` either way, `wide` to each side, `high`.
pub fn roof(long: f64, wide: f64, high: f64) -> TriMesh {
    let end = |x: f64| [Vec3::new(x, -wide, -high), Vec3::new(x, wide, -high), Vec3::new(x, 0.0, 0.0)];
    between(&end(-long), &end(long))
}

/// Boxes that share a grid, as one solid without inner walls.
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

/// The distance between two sets of boxes; 0 where two of them share anything.
pub fn room_between(a: &[[[f64; 3]; 2]], b: &[[[f64; 3]; 2]]) -> f64 {
    let apart = |p: &[[f64; 3]; 2], q: &[[f64; 3]; 2]| {
        (0..3).map(|k| (p[0][k] - q[1][k]).max(q[0][k] - p[1][k]).max(0.0)).map(|d| d * d).sum::<f64>().sqrt()
    };
    a.iter().flat_map(|p| b.iter().map(move |q| apart(p, q))).fold(f64::INFINITY, f64::min)
}
