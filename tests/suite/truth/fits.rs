//! Families of round things: pegs in bores, with and without facet errors.

use super::known::{Bore, Draw, Known};
use super::polygon::Regular;
use crate::support::solids::{prism, tube};
use crate::support::two::about_z;
use interfere::internals::geom::Vec3;

/// Bore of a plate, and its peg.
struct Fit {
    bore: Regular,
    peg: Regular,
    /// Thickness of the plate; at each end the peg is longer, or flush with it.
    thick: f64,
}

impl Fit {
    /// A bore with `sides` sides and a peg of the same radius.
    fn new(d: &mut Draw, sides: usize, others: usize) -> Self {
        let bore = Regular { sides, radius: d.length(0.2, 1.0), degrees: 0.0, centre: [0.0; 2] };
        let degrees = if d.chance(2) { 0.0 } else { d.rng.range(0.0, 360.0) };
        Self { bore, peg: Regular { sides: others, degrees, ..bore }, thick: d.length(0.3, 1.0) }
    }

    /// Closed form of the pair: the clearance around the peg, or the widest disc of the common section.
    fn known(&self, d: &mut Draw) -> Known {
        let room = self.bore.room_around(&self.peg);
        let gap = if room >= 0.0 { room } else { -self.peg.widest_outside(&self.bore).min(self.thick) };
        let plate = tube(self.bore.sides, 4.0 * self.bore.radius, self.bore.radius, [0.0, self.thick]);
        let [below, above] = [0, 1].map(|_| if d.chance(4) { 0.0 } else { d.length(0.1, 2.0) });
        let peg = prism(self.peg.sides, self.peg.radius, [-below, self.thick + above]);
        let [x, y] = self.peg.centre;
        let mut known = Known::new(plate, peg, gap).at(about_z(self.peg.degrees), Vec3::new(x, y, 0.0));
        // A polygon by design has no deflection.
        let deflection = (self.bore.sides >= 10 && d.chance(4)).then(|| d.rng.scale(1e-4, 2e-2));
        known.bore = Some(Bore { sagitta: self.bore.sagitta(), sides: self.bore.sides, deflection });
        known
    }

    /// Moves the peg off centre within its play.
    fn eccentric(mut self, d: &mut Draw) -> Self {
        let play = self.bore.room_around(&self.peg).max(0.0);
        let (far, to) = (play * d.rng.range(0.0, 0.95), d.rng.range(0.0, 360.0));
        let (s, c) = interfere::internals::geom::math::sin_cos_deg(to);
        self.peg.centre = [far * c, far * s];
        self
    }
}

/// A peg with play.
pub fn peg(d: &mut Draw) -> Known {
    let sides = d.sides(6);
    let others = if d.chance(2) { sides } else { d.sides(6) };
    let mut fit = Fit::new(d, sides, others);
    // Inside the inscribed circle, at any angle of the peg.
    fit.peg.radius = fit.bore.inner_radius() - d.rng.scale(0.3 * d.tolerance, 0.1 * fit.bore.radius);
    fit.eccentric(d).known(d)
}

/// A press fit or a nominal one, facet on facet.
pub fn press_alike(d: &mut Draw) -> Known {
    let sides = d.sides(6);
    let mut fit = Fit::new(d, sides, sides);
    fit.peg.degrees = 0.0;
    let c = fit.bore.cosine();
    // The largest ball sits in the corners and is almost twice as wide as the excess of the radius.
    fit.peg.radius += if d.chance(8) { 0.0 } else { d.depth(0.05 * d.size) * 0.5 * (1.0 + c) / c };
    fit.known(d)
}

/// A press fit, a nominal one or a little play, at any angle between the facets.
pub fn press_unlike(d: &mut Draw) -> Known {
    let (sides, others) = (d.sides(6), d.sides(6));
    let mut fit = Fit::new(d, sides, others);
    fit.peg.radius += match d.rng.below(4) {
        0 => 0.0,
        1 => -d.rng.range(0.0, fit.bore.sagitta()),
        _ => d.depth(0.05 * d.size),
    };
    if d.chance(3) {
        let far = d.rng.range(0.0, 0.5) * d.tolerance;
        fit.peg.centre = [far, -0.3 * far];
    }
    fit.known(d)
}

/// Overlaps between the tolerance and slightly more than the facet allowance of the bore.
pub fn facet_error(d: &mut Draw) -> Known {
    let sides = d.sides(10);
    let others = if d.chance(2) { sides } else { d.sides(10) };
    let mut fit = Fit::new(d, sides, others);
    d.tolerance = d.tolerance.min(0.5 * fit.bore.sagitta());
    // Corner on corner, the overlap is almost the excess of the radius; side on corner, it is less by the peg's
    // sagitta.
    fit.peg.radius += d.tolerance + d.rng.range(-0.5, 2.5) * fit.bore.sagitta();
    fit.known(d)
}

/// Equal nominal radii with different facets: the overlap is pure facet error.
pub fn nominal(d: &mut Draw) -> Known {
    let (sides, others) = (d.sides(10), d.sides(10));
    let fit = Fit::new(d, sides, others);
    d.tolerance = d.tolerance.min(fit.bore.sagitta() * d.rng.range(0.3, 1.5));
    fit.known(d)
}
