//! Traps of glTF: units, rounding, sharing, mirrors, counts that lie.

use crate::assembly::file::paths::VersionedTree;
use crate::error::Error;
use crate::geom::{LengthUnit, Mat3, Vec3};
use crate::import::{ImportOptions, Imported, import_bytes};
use crate::io::Loader;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// A loader without files beside the assembly.
struct Alone;

impl Loader for Alone {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        let known = path == Path::new("/d/a.gltf") || path == Path::new("/d");
        if known { Ok(path.to_owned()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

fn read(text: &str, options: &ImportOptions) -> Result<Imported, Error> {
    let path = Path::new("/d/a.gltf");
    let tree = VersionedTree::new(path, &Alone, false)?;
    import_bytes(path, text.as_bytes(), tree, &Alone, options)
}

fn error(text: &str) -> String {
    read(text, &ImportOptions::default()).expect_err(text).to_string()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let b = [chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)];
        let n = u32::from_be_bytes([0, b[0], b[1], b[2]]);
        for k in 0..4 {
            let digit = char::from(BASE64[(n >> (18 - 6 * k) & 63) as usize]);
            out.push(if k <= chunk.len() { digit } else { '=' });
        }
    }
    out
}

/// A tetrahedron of 10 mm as buffer, views and accessors: positions 0, indices 1.
fn tetrahedron() -> String {
    let mut bytes: Vec<u8> = Vec::new();
    for p in [[0f32; 3], [0.01, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]] {
        bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
    }
    for i in [0u16, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3] {
        bytes.extend(i.to_le_bytes());
    }
    format!(
        r#""asset": {{"version": "2.0", "generator": "hand"}},
        "buffers": [{{"byteLength": 72, "uri": "data:application/octet-stream;base64,{}"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
                      {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
        "meshes": [{{"name": "tet", "primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}]"#,
        base64(&bytes)
    )
}

/// A file with these nodes and roots.
fn file(nodes: &str, roots: &str) -> String {
    format!(r#"{{{}, "nodes": [{nodes}], "scene": 0, "scenes": [{{"nodes": [{roots}]}}]}}"#, tetrahedron())
}

#[test]
fn nodes_are_placed_and_named_by_their_path() {
    let text = file(
        r#"{"name": "top", "children": [1, 3]}, {"name": "arm/1", "translation": [0, 0, 1], "children": [2]},
           {"mesh": 0, "rotation": [0, 0, 0.70710677, 0.70710677], "translation": [1, 0, 0]}, {"name": "pin", "mesh": 0}"#,
        "0",
    );
    let imported = read(&text, &ImportOptions::default()).unwrap();
    let ids: Vec<_> = imported.instances.iter().map(|i| i.id.as_str()).collect();
    assert_eq!((imported.name.as_str(), ids), ("top", vec!["arm_1.tet", "pin"]));
    assert_eq!((imported.parts.len(), imported.parts[0].units), (1, LengthUnit::M));
    let placed = &imported.instances[0].placement;
    assert_eq!(placed.translation, Vec3::new(1000.0, 0.0, 1000.0));
    assert_eq!(placed.linear, Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0));
    assert_eq!(imported.generator.as_deref(), Some("hand"));
}

#[test]
fn matrices_within_rounding_become_rotations_and_mirrors_stay() {
    let (s, c) = (0.5f32.to_string(), 0.866_025_4_f32.to_string());
    let text = file(
        &format!(
            r#"{{"name": "a", "mesh": 0, "matrix": [{c}, {s}, 0, 0, -{s}, {c}, 0, 0, 0, 0, 1.0000001, 0, 0.1, 0, 0, 1]}},
               {{"name": "b", "mesh": 0, "scale": [1, 1, -1]}}, {{"name": "c", "mesh": 0, "scale": [2, 2, 2]}}"#
        ),
        "0, 1, 2",
    );
    let imported = read(&text, &ImportOptions::default()).unwrap();
    let linear = imported.instances[0].placement.linear;
    assert!((linear.transpose() * linear - Mat3::identity()).abs().max() < 1e-15);
    assert_eq!(imported.instances[1].placement.linear.determinant(), -1.0);
    assert_eq!(imported.instances[2].placement.linear, Mat3::identity() * 2.0);
}

#[test]
fn units_can_be_given_and_a_doubtful_one_is_told() {
    let text = file(r#"{"name": "a", "mesh": 0, "translation": [100, 0, 0]}, {"name": "b", "mesh": 0}"#, "0, 1");
    let codes = |imported: &Imported| imported.warnings.iter().map(|w| w.code.name()).collect::<Vec<_>>();
    let imported = read(&text, &ImportOptions::default()).unwrap();
    assert_eq!(codes(&imported), ["unit-doubtful"]);
    assert!(imported.warnings[0].message.contains("written by `hand`"));
    let options = ImportOptions { units: Some(LengthUnit::Mm), ..ImportOptions::default() };
    let imported = read(&text, &options).unwrap();
    assert!(codes(&imported).is_empty());
    assert_eq!((imported.parts[0].units, imported.instances[0].placement.translation.x), (LengthUnit::Mm, 100.0));
}

#[test]
fn repeated_meshes_are_shared_and_primitives_belong_together() {
    let nodes = r#"{"name": "a", "mesh": 0}, {"name": "b", "mesh": 1}, {"name": "c", "mesh": 2}"#;
    let primitive = r#"{"attributes": {"POSITION": 0}, "indices": 1}"#;
    let lines = r#"{"attributes": {"POSITION": 0}, "mode": 1}"#;
    let meshes = format!(
        r#""meshes": [{{"primitives": [{primitive}]}}, {{"primitives": [{primitive}, {lines}]}},
           {{"primitives": [{primitive}, {primitive}]}}]"#
    );
    let text = file(nodes, "0, 1, 2");
    let start = text.find("\"meshes\"").unwrap();
    let end = text.find(", \"nodes\"").unwrap();
    let imported = read(&[&text[..start], &meshes, &text[end..]].concat(), &ImportOptions::default()).unwrap();
    assert_eq!(imported.instances.iter().map(|i| i.part).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(imported.parts[1].mesh.triangles.len(), 8);
    assert_eq!((imported.left_out[0].what.as_str(), imported.left_out[0].count), ("sets of lines", 1));
}

#[test]
fn strips_and_fans_keep_their_winding() {
    let mesh = |mode: u32, indices: &[u16]| {
        let mut bytes: Vec<u8> = Vec::new();
        for p in [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]] {
            bytes.extend(p.iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"byteLength": {}, "uri": "data:;base64,{}"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": {}}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
                          {{"bufferView": 1, "componentType": 5123, "count": {}, "type": "SCALAR"}}],
            "meshes": [{{"primitives": [{{"mode": {mode}, "attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "nodes": [{{"mesh": 0}}]}}"#,
            bytes.len(),
            base64(&bytes),
            2 * indices.len(),
            indices.len()
        );
        read(&text, &ImportOptions::default()).unwrap().parts[0].mesh.clone()
    };
    for (mode, indices) in [(4, &[0, 1, 2, 0, 2, 3][..]), (5, &[0, 1, 3, 2]), (5, &[0, 1, 3, 2, 2]), (6, &[0, 1, 2, 3])]
    {
        let mesh = mesh(mode, indices);
        assert_eq!(mesh.triangles.len(), 2, "{mode}");
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
            assert_eq!((b - a).cross(&(c - a)), Vec3::z(), "{mode}: {t:?}");
        }
    }
}

#[test]
fn content_without_support_is_named() {
    let node = r#"{"mesh": 0}"#;
    let with = |from: &str, to: &str| error(&file(node, "0").replacen(from, to, 1));
    for (from, to, says) in [
        ("\"version\": \"2.0\"", "\"version\": \"1.0\"", "glTF 1.0 [unsupported]"),
        ("\"asset\"", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"asset\"", "Draco compression"),
        ("\"asset\"", "\"extensionsRequired\": [\"EXT_meshopt_compression\"], \"asset\"", "meshopt compression"),
        ("\"asset\"", "\"extensionsUsed\": [\"EXT_mesh_gpu_instancing\"], \"asset\"", "EXT_mesh_gpu_instancing"),
        ("\"asset\"", "\"extensionsRequired\": [\"ACME_shape\"], \"asset\"", "the extension `ACME_shape`"),
        ("\"indices\": 1", "\"indices\": 1, \"targets\": [{}]", "morph targets"),
        ("{\"mesh\": 0}", "{\"mesh\": 0, \"skin\": 0}", "a skin"),
        ("\"count\": 4", "\"sparse\": {}, \"count\": 4", "sparse values"),
        ("data:application/octet-stream;base64,", "x.bin?", "cannot read the file: no such file [reference-missing]"),
        ("data:application/octet-stream;base64,", "http://x/", "an address of the network [reference-missing]"),
        ("data:application/octet-stream;base64,", "file:///", "a `file:` address [reference-missing]"),
        ("data:application/octet-stream;base64,", "../../../etc/passwd?", "[reference-missing]"),
    ] {
        assert!(with(from, to).contains(says), "{says}: {}", with(from, to));
    }
    let harmless =
        file(node, "0").replacen("\"asset\"", "\"extensionsRequired\": [\"KHR_materials_unlit\"], \"asset\"", 1);
    assert!(read(&harmless, &ImportOptions::default()).is_ok());
}

#[test]
fn lying_counts_and_broken_trees_are_damaged() {
    let with = |from: &str, to: &str| error(&file(r#"{"mesh": 0}"#, "0").replacen(from, to, 1));
    for (from, to, says) in [
        ("\"count\": 4", "\"count\": 4294967296", "passes the end of its buffer"),
        ("\"count\": 12", "\"count\": 18446744073709551615", "passes the end of its buffer"),
        ("\"count\": 12", "\"count\": 11", "no whole triangles"),
        ("\"byteOffset\": 48", "\"byteOffset\": 18446744073709551615", "passes the end of its buffer"),
        ("\"byteLength\": 48", "\"byteLength\": 18446744073709551615", "passes the end of its buffer"),
        ("\"byteLength\": 48", "\"byteStride\": 4, \"byteLength\": 48", "a stride of 4 bytes"),
        ("\"byteLength\": 72", "\"byteLength\": 73", "fewer than its length 73"),
        ("\"componentType\": 5123", "\"componentType\": 5124", "unknown component type"),
        ("\"componentType\": 5123", "\"componentType\": 5126", "passes the end"),
        ("\"POSITION\": 0", "\"POSITION\": 7", "accessor 7 of 2 does not exist"),
        ("\"POSITION\": 0", "\"NORMAL\": 0", "has no positions"),
        ("{\"mesh\": 0}", "{\"mesh\": 3}", "names mesh 3 of 1"),
        ("{\"mesh\": 0}", "{\"mesh\": 0, \"children\": [0]}", "node cycle: 0 → 0"),
        ("{\"mesh\": 0}", "{\"children\": [1]}, {\"children\": [0], \"mesh\": 0}", "node cycle"),
        (
            "{\"mesh\": 0}",
            "{\"children\": [2]}, {\"children\": [2]}, {\"mesh\": 0}",
            "is a child of node 0 and of node 1",
        ),
        (
            "{\"mesh\": 0}",
            "{\"mesh\": 0, \"rotation\": [0, 0, 0, 0]}",
            "node 0: a rotation by a quaternion of length zero",
        ),
        ("{\"mesh\": 0}", "{\"mesh\": 0, \"scale\": [1, 0, 1]}", "singular"),
        ("{\"mesh\": 0}", "{\"mesh\": 0, \"translation\": [1e300, 0, 0]}", "too far away"),
        ("[0]", "[5]", "names node 5 of 1"),
        ("\"scene\": 0", "\"scene\": 9", "scene 9 of 1"),
        ("\"scene\": 0", "\"scene\": \"x\"", "invalid type"),
    ] {
        let found = with(from, to);
        assert!(found.contains(says), "{from} {to}: {found}");
    }
    // A chain of nodes deeper than any design.
    let mut nodes = String::new();
    for k in 1..400 {
        write!(nodes, r#"{{"name": "n", "children": [{k}]}}, "#).unwrap();
    }
    assert!(error(&file(&format!(r#"{nodes}{{"mesh": 0}}"#), "0")).contains("nested deeper"));
}

#[test]
fn broken_containers_are_damaged() {
    let glb = |chunks: &[(&[u8; 4], &[u8])]| {
        let mut body = Vec::new();
        for (kind, content) in chunks {
            body.extend((content.len() as u32).to_le_bytes());
            body.extend(*kind);
            body.extend(*content);
        }
        [b"glTF\x02\0\0\0".as_slice(), &(12 + body.len() as u32).to_le_bytes(), &body].concat()
    };
    let of = |bytes: &[u8]| {
        let path = Path::new("/d/a.gltf");
        let tree = VersionedTree::new(path, &Alone, false).unwrap();
        import_bytes(path, bytes, tree, &Alone, &ImportOptions::default())
    };
    let json = file(r#"{"mesh": 0}"#, "0");
    assert!(of(&glb(&[(b"JSON", json.as_bytes()), (b"ABCD", b"1234")])).is_ok());
    let whole = glb(&[(b"JSON", json.as_bytes())]);
    for (bytes, says) in [
        (whole[..10].to_vec(), "truncated GLB"),
        (whole[..whole.len() - 1].to_vec(), "truncated GLB: the header announces"),
        (glb(&[(b"ABCD", b"1234")]), "without its JSON chunk"),
        ([b"glTF\x01\0\0\0", &whole[8..]].concat(), "binary glTF 1 [unsupported]"),
        ([&whole[..12], &u32::MAX.to_le_bytes(), &whole[16..]].concat(), "passes the end"),
    ] {
        let found = of(&bytes).expect_err(says).to_string();
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn nodes_outside_the_default_scene_are_told() {
    let nodes = r#"{"name":"in","mesh":0},{"name":"out","mesh":0},{"name":"empty"}"#;
    let imported = read(&file(nodes, "0"), &ImportOptions::default()).unwrap();
    let left: Vec<String> = imported.left_out.iter().map(|l| format!("{} {:?}", l.counted(), l.places)).collect();
    assert_eq!(left, [r#"1 node outside the default scene ["out"]"#]);
}
