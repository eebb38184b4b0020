//! Collects vertices and indices of a glTF document in one binary buffer.

use crate::geom::{Aabb, Vec3};
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Buffer, Target, View};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Index, Root, Value};
use std::collections::BTreeMap;

/// Vertices and indices in the buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    positions: Index<Accessor>,
    indices: Option<Index<Accessor>>,
    mode: Mode,
    /// Centre of the vertices (mm): the coordinates in the buffer are relative to it.
    pub(crate) centre: Vec3,
}

impl Placed {
    /// Primitive with a material.
    pub(crate) fn primitive(&self, material: Index<gltf_json::Material>) -> Primitive {
        Primitive {
            attributes: BTreeMap::from([(Checked::Valid(Semantic::Positions), self.positions)]),
            indices: self.indices,
            material: Some(material),
            mode: Checked::Valid(self.mode),
            targets: None,
            extensions: None,
            extras: None,
        }
    }
}

/// The binary buffer.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) bytes: Vec<u8>,
}

impl Geometry {
    /// Adds triangles; `None` without a triangle. Vertices in single precision, relative to the centre of their box.
    pub(crate) fn triangles(&mut self, root: &mut Root, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Option<Placed> {
        let (positions, centre) = self.positions(root, vertices).filter(|_| !triangles.is_empty())?;
        let from = self.bytes.len();
        // 65 535 restarts a strip, so it is no index.
        let narrow = vertices.len() < usize::from(u16::MAX);
        for v in triangles.as_flattened() {
            if narrow {
                self.bytes.extend((*v as u16).to_le_bytes());
            } else {
                self.bytes.extend(v.to_le_bytes());
            }
        }
        let component = if narrow { ComponentType::U16 } else { ComponentType::U32 };
        let view = self.view(root, from, Target::ElementArrayBuffer);
        let accessor = accessor(view, 3 * triangles.len(), component, Type::Scalar);
        Some(Placed { positions, indices: Some(root.push(accessor)), mode: Mode::Triangles, centre })
    }

    /// Adds segments; `None` without a segment.
    pub(crate) fn lines(&mut self, root: &mut Root, segments: &[[Vec3; 2]]) -> Option<Placed> {
        let (positions, centre) = self.positions(root, segments.as_flattened())?;
        Some(Placed { positions, indices: None, mode: Mode::Lines, centre })
    }

    fn positions(&mut self, root: &mut Root, vertices: &[Vec3]) -> Option<(Index<Accessor>, Vec3)> {
        if vertices.is_empty() {
            return None;
        }
        let centre = Aabb::of_points(vertices).center();
        let from = self.bytes.len();
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for v in vertices {
            let v = v - centre;
            for k in 0..3 {
                // Adding zero turns −0 into 0.
                let x = v[k] as f32 + 0.0;
                min[k] = min[k].min(x);
                max[k] = max[k].max(x);
                self.bytes.extend(x.to_le_bytes());
            }
        }
        let view = self.view(root, from, Target::ArrayBuffer);
        let mut accessor = accessor(view, vertices.len(), ComponentType::F32, Type::Vec3);
        (accessor.min, accessor.max) = (Some(Value::from(min.to_vec())), Some(Value::from(max.to_vec())));
        Some((root.push(accessor), centre))
    }

    /// View of the bytes since `from`; pads the buffer to a multiple of 4.
    fn view(&mut self, root: &mut Root, from: usize, target: Target) -> Index<View> {
        let length = self.bytes.len() - from;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        root.push(View {
            buffer: Index::<Buffer>::new(0),
            byte_length: USize64::from(length),
            byte_offset: Some(USize64::from(from)),
            byte_stride: None,
            name: None,
            target: Some(Checked::Valid(target)),
            extensions: None,
            extras: None,
        })
    }
}

fn accessor(view: Index<View>, count: usize, component: ComponentType, type_: Type) -> Accessor {
    Accessor {
        buffer_view: Some(view),
        byte_offset: None,
        count: USize64::from(count),
        component_type: Checked::Valid(GenericComponentType(component)),
        type_: Checked::Valid(type_),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
        extensions: None,
        extras: None,
    }
}
