//! How to get the parts of an overlapping pair apart.

use crate::check::stages::PairQuery;
use crate::geom::Vec3;
use crate::query::convex::epa::EpaScratch;
use crate::query::depth::SolidRef;
use crate::query::separation::{SeparationInput, separate};

impl PairQuery<'_> {
    /// A translation of the second part that separates the two, and its length (mm). `least` is the depth of a common ball.
    pub(crate) fn separating_translation(
        &self,
        [a, b]: [SolidRef; 2],
        normal: Option<Vec3>,
        least: f64,
        margin: f64,
    ) -> Option<(Vec3, f64)> {
        let axes = [self.first.obb.axes, self.pose.rotation * self.second.obb.axes];
        let wanted = SeparationInput { margin, least, normal, axes };
        let t = separate(a, b, self.pose, &wanted, &mut EpaScratch::default())?;
        Some((t, t.norm()))
    }
}
