//! Regular polygons in the plane: pegs and bores seen from above.

use interfere::internals::geom::math::sin_cos_deg;

type Point = [f64; 2];

/// Regular polygon.
#[derive(Clone, Copy)]
pub struct Regular {
    pub sides: usize,
    /// Radius of the circumscribed circle.
    pub radius: f64,
    /// Angle of the first corner from the x axis (degrees).
    pub degrees: f64,
    pub centre: Point,
}

fn to_segment(p: Point, a: Point, b: Point) -> f64 {
    let (d, w) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let s = ((w[0] * d[0] + w[1] * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
    libm::hypot(w[0] - s * d[0], w[1] - s * d[1])
}

impl Regular {
    /// Cosine of half the angle between neighbouring corners.
    pub fn cosine(&self) -> f64 {
        sin_cos_deg(180.0 / self.sides as f64).1
    }

    /// Radius of the inscribed circle.
    pub fn inner_radius(&self) -> f64 {
        self.radius * self.cosine()
    }

    /// Largest distance between a side and its arc.
    pub fn sagitta(&self) -> f64 {
        self.radius * (1.0 - self.cosine())
    }

    fn corner(&self, k: usize, radius: f64) -> Point {
        let (s, c) = sin_cos_deg(self.degrees + 360.0 * k as f64 / self.sides as f64);
        [self.centre[0] + radius * c, self.centre[1] + radius * s]
    }

    /// Signed distance of a point from the line of side `k`; negative inside.
    fn above(&self, k: usize, p: Point) -> f64 {
        let (s, c) = sin_cos_deg(self.degrees + 360.0 * (k as f64 + 0.5) / self.sides as f64);
        (p[0] - self.centre[0]) * c + (p[1] - self.centre[1]) * s - self.inner_radius()
    }

    /// Distance of a point from the polygon; 0 inside.
    fn distance(&self, p: Point) -> f64 {
        if (0..self.sides).all(|k| self.above(k, p) <= 0.0) {
            return 0.0;
        }
        let corner = |k: usize| self.corner(k % self.sides, self.radius);
        (0..self.sides).map(|k| to_segment(p, corner(k), corner(k + 1))).fold(f64::INFINITY, f64::min)
    }

    /// Clearance around `inner`: the smallest distance between a corner of `inner` and a side. Negative if a corner
    /// lies beyond the line of a side.
    pub fn room_around(&self, inner: &Self) -> f64 {
        let beyond = |j: usize| {
            let corner = inner.corner(j, inner.radius);
            (0..self.sides).map(|k| self.above(k, corner)).fold(f64::NEG_INFINITY, f64::max)
        };
        -(0..inner.sides).map(beyond).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Diameter of the largest disc inside this polygon and outside `hole`.
    ///
    /// A disc of radius r fits if its centre lies in this polygon with all sides moved inward by r, and at least r away
    /// from `hole`. The distance from `hole` is convex, so over the smaller polygon it is largest at a corner. Both
    /// fall as r grows: bisection.
    pub fn widest_outside(&self, hole: &Self) -> f64 {
        let fits = |r: f64| {
            let radius = self.radius - r / self.cosine();
            (0..self.sides).any(|k| hole.distance(self.corner(k, radius)) >= r)
        };
        let (mut low, mut high) = (0.0, self.inner_radius());
        while low < 0.5 * (low + high) && 0.5 * (low + high) < high {
            let middle = 0.5 * (low + high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low + high
    }
}

#[test]
fn equal_polygons_have_closed_form_room() {
    for sides in [3, 4, 7, 24, 60] {
        let at = |radius| Regular { sides, radius, degrees: 11.0, centre: [1.0, -2.0] };
        let (peg, bore) = (at(5.1), at(5.0));
        let c = peg.cosine();
        // The centre lies on the ray through a corner, equally far from the bore's corner and the peg's sides.
        assert!((peg.widest_outside(&bore) - 0.2 * c / (1.0 + c)).abs() < 1e-12, "{sides}");
        assert!((at(5.1).room_around(&at(5.0)) - 0.1 * c).abs() < 1e-12, "{sides}");
        assert!((at(5.0).room_around(&at(5.1)) + 0.1 * c).abs() < 1e-12, "{sides}");
    }
}

#[test]
fn widest_disc_matches_grid_search() {
    let peg = Regular { sides: 7, radius: 5.0, degrees: 5.0, centre: [0.1, 0.0] };
    let bore = Regular { sides: 10, radius: 5.0, degrees: 0.0, centre: [0.0, 0.0] };
    let inside = |p: Point| -(0..7).map(|k| peg.above(k, p)).fold(f64::NEG_INFINITY, f64::max);
    let step = 0.004;
    let best = (-1300..1300)
        .flat_map(|i| (-1300..1300).map(move |j| [f64::from(i) * step, f64::from(j) * step]))
        .map(|p| if p[0] * p[0] + p[1] * p[1] < 20.0 { 0.0 } else { inside(p).min(bore.distance(p)) })
        .fold(0.0, f64::max);
    let widest = peg.widest_outside(&bore);
    assert!(2.0 * best <= widest && widest <= 2.0 * best + 2.0 * step, "{best} {widest}");
}
