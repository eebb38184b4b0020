//! Reads the triangles of a COLLADA file (Khronos Group, "COLLADA 1.4.1 Specification", 2008), in metres: the instances
//! of the visual scene, or all geometries without one. Ignores `up_axis`, as the viewers of robots do; the number of
//! `unit` counts, its name has no meaning.

use crate::error::Problem;
use crate::geom::{Affine, Mat3, Vec3};
use crate::import::collect::Collector;
use crate::import::refusal::{Refusal, problem};
use crate::import::xml::{attribute, child, children, content, numbers, parse, place, text};
use crate::mesh::TriMesh;
use crate::mesh::read::coordinate_range::accept_point;
use crate::mesh::read::triangulate::EarClipper;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Largest number of triangles after the instances of nodes.
const MAX_TRIANGLES: usize = 50_000_000;

/// Largest number of nodes after the instances of nodes.
const MAX_NODES: usize = 1_000_000;

/// Largest nesting depth of nodes.
const MAX_DEPTH: usize = 256;

/// Reads all triangles of a file as one mesh (m).
///
/// # Errors
/// Refuses damaged XML, a document type, skins and splines, indices without a vertex, a cycle of nodes.
pub(crate) fn read(bytes: &[u8], file: &str, collector: &mut Collector) -> Result<TriMesh, Problem> {
    let text = text(bytes, file)?;
    let document = parse(text, file)?;
    let root = document.root_element();
    let by_id: BTreeMap<&str, Node<'_, '_>> =
        root.descendants().filter_map(|n| Some((n.attribute("id")?, n))).collect();
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let unit = unit.map(|unit| attribute::<1>(unit, "meter", file)).transpose()?.flatten().map_or(1.0, |[m]| m);
    if unit <= 0.0 {
        return Err(problem(
            place(root, file),
            Refusal::Damaged,
            "a unit that is not above 0",
            "export the file again",
        ));
    }
    for other in root.descendants().filter(|n| n.is_element() && n.tag_name().name() == "unit") {
        if attribute::<1>(other, "meter", file)?.is_some_and(|[m]| m != unit) {
            let (what, fix) = ("a part of the file in another unit", "export the file in one unit");
            return Err(problem(place(other, file), Refusal::Unsupported, what, fix));
        }
    }
    let scale = Affine { linear: Mat3::identity() * unit, ..Affine::identity() };
    let mut reader = Reader {
        file,
        by_id,
        meshes: BTreeMap::new(),
        out: TriMesh::default(),
        nodes: 0,
        collector,
        cutter: EarClipper::default(),
    };
    let scene = child(root, "scene").and_then(|s| child(s, "instance_visual_scene"));
    let scene = scene.map(|scene| reader.referenced(scene)).transpose()?;
    let scene = scene.or_else(|| child(root, "library_visual_scenes").and_then(|l| child(l, "visual_scene")));
    match scene {
        Some(scene) => {
            for node in children(scene, "node") {
                reader.node(node, &scale, 0)?;
            }
        }
        None => {
            for library in children(root, "library_geometries") {
                for geometry in children(library, "geometry") {
                    reader.geometry(geometry, &scale)?;
                }
            }
        }
    }
    if reader.out.triangles.is_empty() {
        return Err(problem(
            place(root, file),
            Refusal::NoGeometry,
            "no triangles",
            "export the part again, as a mesh",
        ));
    }
    Ok(reader.out)
}

struct Reader<'a, 't, 'c> {
    file: &'a str,
    by_id: BTreeMap<&'a str, Node<'a, 't>>,
    /// Triangles of each geometry, by the byte offset of its element.
    meshes: BTreeMap<usize, TriMesh>,
    out: TriMesh,
    nodes: usize,
    collector: &'c mut Collector,
    cutter: EarClipper,
}

impl<'a, 't> Reader<'a, 't, '_> {
    /// Element of a reference such as `#mesh`.
    fn target(&self, url: &str) -> Option<Node<'a, 't>> {
        self.by_id.get(url.strip_prefix('#')?).copied()
    }

    fn bad(&self, node: Node<'_, '_>, what: impl AsRef<str>) -> Problem {
        problem(place(node, self.file), Refusal::Damaged, what, "export the file again")
    }

    fn referenced(&self, node: Node<'a, 't>) -> Result<Node<'a, 't>, Problem> {
        let url = node.attribute("url").unwrap_or_default();
        self.target(url).ok_or_else(|| {
            let what = format!("no element {} in this file", crate::json::wording::quoted(url));
            problem(place(node, self.file), Refusal::ReferenceMissing, what, "export one file")
        })
    }

    fn node(&mut self, node: Node<'a, 't>, above: &Affine, depth: usize) -> Result<(), Problem> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            let what = "nodes that contain themselves, or too many";
            return Err(problem(place(node, self.file), Refusal::TooLarge, what, "export one shape"));
        }
        let placement = self.placement(node, above)?;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "node" => self.node(child, &placement, depth + 1)?,
                "instance_node" => {
                    let target = self.referenced(child)?;
                    self.node(target, &placement, depth + 1)?;
                }
                "instance_geometry" => {
                    let target = self.referenced(child)?;
                    self.geometry(target, &placement)?;
                }
                "instance_controller" => {
                    let what = "a skin or morph controller";
                    let fix = "export rigid parts";
                    return Err(problem(place(child, self.file), Refusal::Unsupported, what, fix));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Product of the transforms of a node, in their order.
    fn placement(&self, node: Node<'_, '_>, above: &Affine) -> Result<Affine, Problem> {
        let mut placement = *above;
        for step in node.children().filter(Node::is_element) {
            let name = step.tag_name().name();
            if !matches!(name, "matrix" | "translate" | "rotate" | "scale" | "lookat" | "skew") {
                continue;
            }
            let n = numbers(&content(step)).map_err(|why| self.bad(step, why))?;
            let own = match (name, n.as_slice()) {
                ("matrix", [a, b, c, x, d, e, f, y, g, h, i, z, ..]) if n.len() == 16 => {
                    Affine { linear: Mat3::new(*a, *b, *c, *d, *e, *f, *g, *h, *i), translation: Vec3::new(*x, *y, *z) }
                }
                ("translate", [x, y, z]) => Affine { translation: Vec3::new(*x, *y, *z), ..Affine::identity() },
                ("scale", [x, y, z]) => {
                    Affine { linear: Mat3::from_diagonal(&Vec3::new(*x, *y, *z)), ..Affine::identity() }
                }
                ("rotate", [x, y, z, degrees]) => {
                    let axis = crate::assembly::file::rotation::unit_vector(&Vec3::new(*x, *y, *z));
                    let turn = axis.map(|axis| crate::assembly::file::rotation::about(&axis, *degrees));
                    Affine { linear: turn.unwrap_or_else(Mat3::identity), ..Affine::identity() }
                }
                _ => return Err(self.bad(step, format!("a `{name}` of {} numbers", n.len()))),
            };
            placement = placement.after(&own);
        }
        Ok(placement)
    }

    /// Appends the triangles of a geometry.
    fn geometry(&mut self, geometry: Node<'a, 't>, placement: &Affine) -> Result<(), Problem> {
        let key = geometry.range().start;
        if !self.meshes.contains_key(&key) {
            let mesh = self.mesh(geometry)?;
            self.meshes.insert(key, mesh);
        }
        let Some(mesh) = self.meshes.get(&key) else { return Ok(()) };
        if self.out.triangles.len() + mesh.triangles.len() > MAX_TRIANGLES {
            let what = format!("more than {MAX_TRIANGLES} triangles");
            return Err(problem(place(geometry, self.file), Refusal::TooLarge, what, "simplify the mesh"));
        }
        let base = self.out.vertices.len() as u32;
        for v in &mesh.vertices {
            let Some(p) = accept_point(&(placement.linear * v + placement.translation)) else {
                let what = "a coordinate that is not finite or too large";
                return Err(problem(place(geometry, self.file), Refusal::Damaged, what, "export the file again"));
            };
            self.out.vertices.push(p);
        }
        self.out.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| base + i)));
        // A mirror turns the winding of its triangles back.
        if placement.linear.determinant() < 0.0 {
            let start = self.out.triangles.len() - mesh.triangles.len();
            self.out.triangles[start..].iter_mut().for_each(|t| t.swap(1, 2));
        }
        Ok(())
    }

    fn mesh(&mut self, geometry: Node<'a, 't>) -> Result<TriMesh, Problem> {
        let name = geometry.attribute("name").or(geometry.attribute("id")).unwrap_or_default();
        let Some(mesh) = child(geometry, "mesh") else {
            let what = "a geometry without a mesh: a spline or a convex hull";
            return Err(problem(place(geometry, self.file), Refusal::Unsupported, what, "export triangles"));
        };
        let mut out = TriMesh::default();
        // Vertices of each source, from this index on.
        let mut sources: BTreeMap<usize, (u32, usize)> = BTreeMap::new();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            match kind {
                "triangles" | "polylist" | "polygons" | "trifans" | "tristrips" => {
                    let positions = self.positions(primitive)?;
                    let key = positions.range().start;
                    let (base, count) = if let Some(known) = sources.get(&key) {
                        *known
                    } else {
                        let base = out.vertices.len() as u32;
                        out.vertices.extend(self.points(positions)?);
                        let known = (base, out.vertices.len() - base as usize);
                        sources.insert(key, known);
                        known
                    };
                    self.faces(primitive, kind, (base, count), &mut out)?;
                }
                "lines" | "linestrips" => self.collector.leave_out("sets of lines", 1, name),
                _ => {}
            }
        }
        Ok(out)
    }

    /// Float array of the positions of a primitive.
    fn positions(&self, primitive: Node<'a, 't>) -> Result<Node<'a, 't>, Problem> {
        let source = |node: Node<'a, 't>, semantic: &str| {
            let input = children(node, "input").find(|i| i.attribute("semantic") == Some(semantic))?;
            self.target(input.attribute("source")?)
        };
        let vertices = source(primitive, "VERTEX");
        let positions =
            vertices.and_then(|v| if v.tag_name().name() == "vertices" { source(v, "POSITION") } else { Some(v) });
        let named = positions.and_then(accessor).and_then(|a| self.target(a.attribute("source")?));
        let array = positions.and_then(|p| child(p, "float_array"));
        if let (Some(named), Some(own)) = (named, array)
            && named != own
        {
            let (what, fix) = ("positions in the array of another source", "export the file again");
            return Err(problem(place(named, self.file), Refusal::Unsupported, what, fix));
        }
        array.ok_or_else(|| self.bad(primitive, "a primitive without positions"))
    }

    fn points(&self, array: Node<'_, '_>) -> Result<Vec<Vec3>, Problem> {
        let values = numbers(&content(array)).map_err(|why| self.bad(array, why))?;
        let accessor = array.parent().and_then(accessor);
        let stride = accessor.map(|a| attribute::<1>(a, "stride", self.file)).transpose()?.flatten();
        let stride = stride.map_or(3, |[s]| s as usize);
        let offset = accessor.map(|a| attribute::<1>(a, "offset", self.file)).transpose()?.flatten();
        let offset = offset.map_or(0, |[o]| o as usize);
        // A parameter without a name takes a place, and no value.
        let named = |a: Node<'_, '_>| -> Vec<usize> {
            let parameters = children(a, "param").enumerate();
            parameters.filter(|(_, p)| p.attribute("name").is_some()).map(|(k, _)| k).collect()
        };
        let places = accessor.map(named).filter(|places| !places.is_empty()).unwrap_or_else(|| vec![0, 1, 2]);
        let [x, y, z] = match places.as_slice() {
            [x, y, z, ..] if *z < stride => [*x, *y, *z],
            _ => return Err(self.bad(array, "positions of fewer than 3 numbers")),
        };
        let values = values.get(offset..).unwrap_or_default();
        // After the last coordinate, a point needs no further numbers.
        let points = values.chunks(stride).filter(|p| p.len() > z);
        Ok(points.map(|p| Vec3::new(p[x], p[y], p[z])).collect())
    }

    /// Appends the triangles of a primitive over `count` vertices from `base` on.
    fn faces(
        &mut self,
        primitive: Node<'a, 't>,
        kind: &str,
        (base, count): (u32, usize),
        out: &mut TriMesh,
    ) -> Result<(), Problem> {
        let (mut stride, mut offset) = (1, 0);
        for input in children(primitive, "input") {
            let at = attribute::<1>(input, "offset", self.file)?.map_or(0, |[o]| o as usize);
            stride = stride.max(at.saturating_add(1));
            if input.attribute("semantic") == Some("VERTEX") {
                offset = at;
            }
        }
        if stride > 64 {
            return Err(self.bad(primitive, "more than 64 values for a corner"));
        }
        let lists: Vec<Node<'_, '_>> =
            primitive.children().filter(|n| n.is_element() && matches!(n.tag_name().name(), "p" | "ph")).collect();
        let counts: Option<Vec<usize>> = child(primitive, "vcount").map(|v| self.whole(v)).transpose()?;
        for list in lists {
            // A polygon with holes has its outline first.
            let holes = list.tag_name().name() == "ph";
            if holes {
                let what = "a polygon with holes";
                return Err(problem(
                    place(list, self.file),
                    Refusal::Unsupported,
                    what,
                    "triangulate the mesh on export",
                ));
            }
            let values = self.whole(list)?;
            let corners: Vec<u32> = values
                .chunks_exact(stride)
                .map(|corner| corner[offset])
                .map(|i| (i < count).then_some(base + i as u32))
                .collect::<Option<_>>()
                .ok_or_else(|| self.bad(list, format!("an index beyond {count} vertices")))?;
            self.cut(list, kind, &corners, counts.as_deref(), out)?;
        }
        Ok(())
    }

    fn cut(
        &mut self,
        list: Node<'_, '_>,
        kind: &str,
        corners: &[u32],
        counts: Option<&[usize]>,
        out: &mut TriMesh,
    ) -> Result<(), Problem> {
        let fan = |out: &mut TriMesh, t: [u32; 3]| {
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                out.triangles.push(t);
            }
        };
        match kind {
            "triangles" => {
                let (whole, rest) = corners.as_chunks::<3>();
                if !rest.is_empty() {
                    return Err(self.bad(list, format!("{} corners are no whole triangles", corners.len())));
                }
                out.triangles.extend_from_slice(whole);
            }
            "trifans" => corners.windows(2).skip(1).for_each(|w| fan(out, [corners[0], w[0], w[1]])),
            "tristrips" => corners.windows(3).enumerate().for_each(|(k, w)| {
                fan(out, if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
            }),
            _ => {
                let single = [corners.len()];
                let counts = if kind == "polylist" { counts.unwrap_or_default() } else { &single };
                let mut at = 0usize;
                for count in counts {
                    let end = at.checked_add(*count).filter(|end| *end <= corners.len());
                    let Some(end) = end else { return Err(self.bad(list, "fewer corners than `vcount`")) };
                    let polygon = &corners[at..end];
                    at = end;
                    if polygon.len() < 3 {
                        return Err(self.bad(list, format!("a face with {} corners", polygon.len())));
                    }
                    if self.cutter.cut(&out.vertices, polygon, &mut out.triangles).is_err() {
                        return Err(self.bad(list, "a face that is too complex to triangulate"));
                    }
                }
                if at != corners.len() {
                    return Err(self.bad(list, "more corners than `vcount`"));
                }
            }
        }
        Ok(())
    }

    fn whole(&self, list: Node<'_, '_>) -> Result<Vec<usize>, Problem> {
        let values: Result<Vec<usize>, _> = content(list).split_ascii_whitespace().map(str::parse).collect();
        values.map_err(|_| self.bad(list, "expected whole numbers"))
    }
}

/// Accessor of a source.
fn accessor<'a, 't>(source: Node<'a, 't>) -> Option<Node<'a, 't>> {
    child(source, "technique_common").and_then(|common| child(common, "accessor"))
}
