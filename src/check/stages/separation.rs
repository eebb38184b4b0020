//! Finds a separating translation of an overlapping pair.

use crate::check::stages::{AsGiven, PairQuery};
use crate::geom::{Pose, Vec3};
use crate::measure::separation::{SeparationInput, is_separating, separate};
use crate::query::convex::epa::EpaScratch;
use crate::query::depth::SolidRef;
use crate::query::depth::inner_triangles::only_bounding_triangles_reach;
use crate::query::triangles::pairing::Pairing;

impl PairQuery<'_> {
    /// Separating translation as by [`Self::separating_translation`], and true for each part if the self-unions of both
    /// were needed. `least` is a lower bound of the depth (mm). A surface as given is enough if only triangles that
    /// bound its solid reach the other one after the translation, too.
    pub(crate) fn separation(
        &self,
        bodies: [SolidRef; 2],
        normal: Option<Vec3>,
        [least, margin]: [f64; 2],
        given: &AsGiven,
    ) -> (Option<(Vec3, f64)>, [bool; 2]) {
        let found = self.separating_translation(bodies, normal, least, margin);
        if given.parts == [false; 2] || found.is_none_or(|(by, _)| self.holds_after(bodies, &by, given.reach)) {
            return (found, [false; 2]);
        }
        let [a, b] = bodies.map(|body| SolidRef { surface: body.surface.solid(), ..body });
        let found = found.filter(|(by, _)| is_separating(a, b, self.pose, margin, by));
        (found.or_else(|| self.separating_translation([a, b], normal, least, margin)), [true; 2])
    }

    /// True if only triangles that bound their solid are within `reach` of the other solid after a translation (mm).
    fn holds_after(&self, bodies: [SolidRef; 2], by: &Vec3, reach: f64) -> bool {
        let pose = Pose { translation: self.pose.translation + by, ..*self.pose };
        let [a, b] = bodies.map(|body| body.surface);
        only_bounding_triangles_reach(&Pairing { a, b, b_in_a: &pose }, reach)
    }

    /// Separating translation of the second part and its length (mm, first shape's centred frame). `least` is a lower
    /// bound of the depth (mm).
    pub(crate) fn separating_translation(
        &self,
        [a, b]: [SolidRef; 2],
        normal: Option<Vec3>,
        least: f64,
        margin: f64,
    ) -> Option<(Vec3, f64)> {
        let axes = [self.first.obb().axes, self.pose.rotation * self.second.obb().axes];
        let wanted = SeparationInput { margin, least, normal, axes };
        let t = separate(a, b, self.pose, &wanted, &mut EpaScratch::default())?;
        Some((t, t.norm()))
    }
}
