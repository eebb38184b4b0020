//! Finds a separating translation of an overlapping pair.

use crate::check::stages::{AsGiven, PairQuery};
use crate::geom::{Pose, Vec3};
use crate::measure::separation::{SeparationInput, is_separating, separate};
use crate::query::convex::epa::EpaScratch;
use crate::query::depth::SolidRef;
use crate::query::depth::inner_triangles::only_boundaries_reach;
use crate::query::triangles::pairing::Pairing;

/// Largest share of triangles that do not bound the solid, for a search with the surface as given: the faces of others
/// lead it astray.
const FEW_INNER: f64 = 0.1;

/// Number of triangles to estimate this share from.
const INNER_SAMPLES: usize = 16;

impl PairQuery<'_> {
    /// Separating translation as by [`Self::separating_translation`], and true for each part whose self-union was
    /// needed. `least` is a lower bound of the depth (mm). `crossing` are pairs of crossing triangles, if known. A surface
    /// as given is enough if few of its triangles do not bound its solid, and if none of them reaches the other one after
    /// the translation.
    pub(crate) fn separation(
        &self,
        mut bodies: [SolidRef; 2],
        normal: Option<Vec3>,
        [least, margin]: [f64; 2],
        given: &AsGiven,
        crossing: &[[u32; 2]],
    ) -> (Option<(Vec3, f64)>, [bool; 2]) {
        let mut used = [false; 2];
        for k in 0..2 {
            if given.parts[k] && bodies[k].surface.inner_share(INNER_SAMPLES) > FEW_INNER {
                bodies[k].surface = bodies[k].surface.solid();
                used[k] = true;
            }
        }
        let crossing = if used == [false; 2] { crossing } else { &[] };
        let found = self.separating_translation(bodies, normal, [least, margin], crossing);
        let is_given = [0, 1].map(|k| given.parts[k] && !used[k]);
        if is_given == [false; 2] || found.is_none_or(|(by, _)| self.holds_after(bodies, &by, given.reach)) {
            return (found, used);
        }
        let [a, b] = bodies.map(|body| SolidRef { surface: body.surface.solid(), ..body });
        let found = found.filter(|(by, _)| is_separating(a, b, self.pose, margin, by));
        (found.or_else(|| self.separating_translation([a, b], normal, [least, margin], &[])), [true; 2])
    }

    /// True if only triangles that bound their solid are within `reach` of the other solid after a translation (mm).
    fn holds_after(&self, bodies: [SolidRef; 2], by: &Vec3, reach: f64) -> bool {
        let pose = Pose { translation: self.pose.translation + by, ..*self.pose };
        let [a, b] = bodies.map(|body| body.surface);
        only_boundaries_reach(&Pairing { a, b, b_in_a: &pose }, reach).0 == [true; 2]
    }

    /// Separating translation of the second part and its length (mm, first shape's centred frame). `least` is a lower
    /// bound of the depth (mm). `crossing` are pairs of crossing triangles, if known.
    pub(crate) fn separating_translation(
        &self,
        [a, b]: [SolidRef; 2],
        normal: Option<Vec3>,
        [least, margin]: [f64; 2],
        crossing: &[[u32; 2]],
    ) -> Option<(Vec3, f64)> {
        let axes = [self.first.obb().axes, self.pose.rotation * self.second.obb().axes];
        let wanted = SeparationInput { margin, least, normal, axes };
        let t = separate(a, b, self.pose, &wanted, crossing, &mut EpaScratch::default())?;
        Some((t, t.norm()))
    }
}
