//! Finds a separating translation of an overlapping pair.

use crate::check::stages::PairQuery;
use crate::geom::Vec3;
use crate::measure::separation::{SeparationInput, separate};
use crate::query::convex::epa::EpaScratch;
use crate::query::depth::SolidRef;

impl PairQuery<'_> {
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
