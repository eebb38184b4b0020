//! Selects the instances that a page or a model shows.

use crate::geom::{Aabb, Vec3};
use crate::scene::{Scene, SceneFinding, half_frame};

/// Instances of a page or a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// All instances.
    #[default]
    All,
    /// Instances with a box that meets the frame of a finding.
    Near,
    /// Instances of findings.
    Pairs,
}

impl Selection {
    /// Returns true for each selected instance. Cost: findings times instances.
    pub fn of(self, scene: &Scene, findings: &[SceneFinding]) -> Vec<bool> {
        let mut selected = vec![self == Self::All; scene.instances.len()];
        for finding in findings {
            finding.pair.iter().for_each(|i| selected[i.0 as usize] = true);
            if self == Self::Near {
                let half = Vec3::repeat(half_frame(scene, finding.pair, &finding.focus));
                let frame = Aabb { min: finding.focus.point - half, max: finding.focus.point + half };
                for (kept, instance) in selected.iter_mut().zip(&scene.instances) {
                    *kept |= instance.bounds.meets(&frame);
                }
            }
        }
        selected
    }
}
