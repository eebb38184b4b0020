//! Makes the materials of a model, each on first use.

use crate::scene::colors::{CONTEXT, Color, OUTLINES, OVERLAP, PARTS};
use gltf_json::material::{AlphaMode, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf_json::validation::Checked;
use gltf_json::{Index, Material, Root};
use std::collections::BTreeMap;

/// Meaning of a surface or a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// An instance without a finding; true for a mesh without a definite inside.
    Context { open: bool },
    /// An instance with a finding, in the colour of A (0) or B (1); true for a mesh without a definite inside.
    Part { side: u8, open: bool },
    /// The overlap: common solid or crossing line.
    Overlap,
    /// The line between the closest points.
    Gap,
    /// The arrow of a part in the colour of A (0) or B (1).
    Arrow { side: u8 },
}

/// Opacity of instances (0 to 1): half transparent, so that overlaps show through.
const CONTEXT_ALPHA: f32 = 0.25;
const PART_ALPHA: f32 = 0.4;

/// Colour of the gap.
const GAP: Color = [20, 20, 20];

/// Materials of a document.
#[derive(Debug, Default)]
pub(crate) struct Materials(BTreeMap<Look, Index<Material>>);

impl Materials {
    /// Material of a look.
    pub(crate) fn of(&mut self, root: &mut Root, look: Look) -> Index<Material> {
        *self.0.entry(look).or_insert_with(|| root.push(material(look)))
    }
}

fn material(look: Look) -> Material {
    let named = |name: &str, open: bool| if open { format!("{name}, open mesh") } else { name.to_owned() };
    let (name, color, alpha, open) = match look {
        Look::Context { open } => (named("other part", open), CONTEXT, CONTEXT_ALPHA, open),
        Look::Part { side, open } => {
            (named(["part A", "part B"][usize::from(side)], open), PARTS[usize::from(side)], PART_ALPHA, open)
        }
        Look::Overlap => ("overlap".to_owned(), OVERLAP, 1.0, false),
        Look::Gap => ("gap".to_owned(), GAP, 1.0, false),
        Look::Arrow { side } => {
            (format!("move of part {}", ["A", "B"][usize::from(side)]), OUTLINES[usize::from(side)], 1.0, false)
        }
    };
    let [r, g, b] = color.map(linear);
    Material {
        name: Some(name),
        // Many viewers draw an opaque material without regard to its alpha.
        alpha_mode: Checked::Valid(if alpha < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque }),
        // Both sides of an open mesh are visible.
        double_sided: open,
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([r, g, b, alpha]),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.8),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    }
}

/// Converts a channel from sRGB to linear light (IEC 61966-2-1).
fn linear(channel: u8) -> f32 {
    let c = f64::from(channel) / 255.0;
    (if c <= 0.040_45 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }) as f32
}
