//! Do `stl_io` and `tobj` read the same triangles? They read every mesh of the project, the meshes beside it
//! (`../shared`) and random ones. docs/decisions/0001-mesh-reading.md lists each difference with its reason.
//! `INTERFERE_FULL=1` reads 10 000 random meshes of each format.

use crate::shared::shared;
use crate::support::Rng;
use interfere::internals::mesh::read::{MeshFormat, detect, read_and_merge};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

type Triangles = Vec<[[f64; 3]; 3]>;

/// Steps of single precision between two equal coordinates of an ASCII STL: the project rounds the text to double
/// precision, `stl_io` to single precision.
const SINGLE_STEPS: u32 = 1;

fn own(bytes: &[u8]) -> Result<Triangles, String> {
    let mesh = read_and_merge(bytes).map_err(|e| e.what)?;
    let corner = |v: u32| mesh.vertices[v as usize].into();
    Ok(mesh.triangles.iter().map(|t| t.map(corner)).collect())
}

fn by_stl_io(bytes: &[u8]) -> Result<Triangles, String> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let corner = |v: usize| [0, 1, 2].map(|k| f64::from(mesh.vertices[v][k]));
    Ok(mesh.faces.iter().map(|f| f.vertices.map(corner)).collect())
}

fn by_tobj(bytes: &[u8]) -> Result<Triangles, String> {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    let none = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, none).map_err(|e| e.to_string())?;
    let mut all = Triangles::new();
    for mesh in models.iter().map(|m| &m.mesh) {
        let corner = |v: u32| [0, 1, 2].map(|k| mesh.positions[3 * v as usize + k]);
        all.extend(mesh.indices.chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]));
    }
    Ok(all)
}

/// Number of representable single-precision numbers between two numbers.
fn steps(x: f64, y: f64) -> u32 {
    let place = |x: f64| {
        let bits = (x as f32).to_bits();
        if bits >> 31 == 1 { -i64::from(bits & 0x7fff_ffff) } else { i64::from(bits) }
    };
    u32::try_from((place(x) - place(y)).abs()).unwrap_or(u32::MAX)
}

/// Returns true if both have the same corners in the same order; `steps_apart` is the permitted difference.
fn same(ours: &Triangles, theirs: &Triangles, steps_apart: Option<u32>) -> bool {
    let equal = |x: f64, y: f64| x == y || steps_apart.is_some_and(|most| steps(x, y) <= most);
    let flat = |t: &Triangles| t.iter().flatten().flatten().copied().collect::<Vec<_>>();
    ours.len() == theirs.len() && flat(ours).iter().zip(flat(theirs)).all(|(x, y)| equal(*x, y))
}

/// First words of a result, for the table of the decision record.
fn told(result: &Result<Triangles, String>) -> String {
    match result {
        Ok(triangles) if triangles.is_empty() => "no triangles".to_owned(),
        Ok(triangles) => format!("{} triangles", triangles.len()),
        Err(e) => format!("refused: {}", e.lines().next().unwrap_or("").replace('|', "/").trim()),
    }
}

/// Results of both readers, if they differ.
fn difference(bytes: &[u8]) -> Option<[String; 2]> {
    let ours = own(bytes);
    let format = detect(bytes).ok();
    let (theirs, steps_apart) = match format {
        Some(MeshFormat::StlBinary) => (caught(by_stl_io, bytes), None),
        Some(MeshFormat::StlAscii) => (caught(by_stl_io, bytes), Some(SINGLE_STEPS)),
        Some(MeshFormat::Obj) => (caught(by_tobj, bytes), None),
        // Neither format: both libraries must refuse the file, or find nothing in it.
        _ => [by_stl_io, by_tobj].map(|read| (caught(read, bytes), None)).into_iter().max_by_key(|(r, _)| found(r))?,
    };
    let alike = match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => same(ours, theirs, steps_apart),
        // A file without triangles is an error of the project alone.
        (Err(_), theirs) => found(theirs) == 0,
        (Ok(_), Err(_)) => false,
    };
    (!alike).then(|| {
        let [ours_told, mut theirs_told] = [told(&ours), told(&theirs)];
        if ours_told == theirs_told {
            theirs_told += ", others";
        }
        [ours_told, theirs_told]
    })
}

fn found(result: &Result<Triangles, String>) -> usize {
    result.as_ref().map_or(0, Vec::len)
}

fn caught(read: fn(&[u8]) -> Result<Triangles, String>, bytes: &[u8]) -> Result<Triangles, String> {
    catch_unwind(AssertUnwindSafe(|| read(bytes))).unwrap_or_else(|_| Err("a panic".to_owned()))
}

fn meshes_below(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        if path.is_dir() {
            meshes_below(&path, into);
        } else if matches!(ending.as_deref(), Some("stl" | "obj")) {
            into.push(path);
        }
    }
}

/// Small files for the differences that no file of the project has, so that each shows without `../shared`.
fn made() -> Vec<(&'static str, Vec<u8>)> {
    let facet = |normal: &str, at: usize| {
        let corners = format!("vertex {at} 0 0\nvertex 1 {at} 1\nvertex 0 1 {at}");
        format!("facet normal {normal}\nouter loop\n{corners}\nendloop\nendfacet\n")
    };
    let (one, two) = (facet("0 0 1", 2), facet("0 0 1", 3));
    let mut binary = b"solid part, exported as binary".to_vec();
    binary.resize(80, 0);
    binary.extend(1_u32.to_le_bytes());
    binary.extend([0_f32, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0].map(f32::to_le_bytes).concat());
    binary.extend([0; 2]);
    let text = |text: String| text.into_bytes();
    vec![
        ("made/binary-with-a-title.stl", binary),
        ("made/two-solids.stl", text(format!("solid a\n{one}endsolid a\nsolid b\n{two}endsolid b\n"))),
        ("made/upper-case.stl", text(format!("solid a\n{one}endsolid a\n").to_uppercase())),
        ("made/carriage-returns.stl", text(format!("solid a\n{one}endsolid a\n").replace('\n', "\r"))),
        ("made/without-a-name.stl", text(format!("solid\n{one}endsolid\n"))),
        ("made/name-in-latin-1.stl", [b"solid h\xfclse\n", one.as_bytes(), b"endsolid h\xfclse\n"].concat()),
        ("made/nan-normal.stl", text(format!("solid a\n{}endsolid a\n", facet("nan nan nan", 2)))),
        ("made/without-endsolid.stl", text(format!("solid a\n{one}"))),
        ("made/more-digits.stl", text(format!("solid a\n{}endsolid a\n", one.replace("2 0 0", "0.123456789012 0 0")))),
        (
            "made/two-vertices-a-line.stl",
            text(format!("solid a\n{}endsolid a\n", one.replace("0\nvertex", "0 vertex"))),
        ),
        ("made/concave-polygon.obj", b"v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 2 3 4 1\nf 1 2 3 4\nf 4 1 2 3\n".to_vec()),
        ("made/continued-line.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n".to_vec()),
        ("made/vertex-weight.obj", b"v 0 0 0 2\nv 1 0 0 2\nv 0 1 0 2\nf 1 2 3\n".to_vec()),
        ("made/comment-after-a-face.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 # first\n".to_vec()),
        ("made/line-of-three.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2 3\n".to_vec()),
        ("made/material-without-a-name.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl\nf 1 2 3\n".to_vec()),
    ]
}

/// Rows of the decision record: file, result here, result of the library.
fn recorded() -> BTreeMap<String, [String; 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/decisions/0001-mesh-reading.md")).expect("the record");
    let rows = text.lines().filter(|l| l.starts_with("| `"));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|c| c.trim().to_owned()).collect::<Vec<_>>();
    rows.map(|line| {
        let [file, ours, theirs, reason] = &cells(line)[..] else { panic!("four cells: {line}") };
        assert!(reason.len() > 8, "no reason: {line}");
        (file.trim_matches('`').to_owned(), [ours.clone(), theirs.clone()])
    })
    .collect()
}

#[test]
fn every_difference_on_a_file_is_in_the_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    meshes_below(&root.join("fixtures"), &mut files);
    assert!(files.len() > 90, "{}", files.len());
    let mut names: Vec<(String, PathBuf)> = Vec::new();
    let slashes = |path: &Path| path.to_string_lossy().replace('\\', "/");
    names.extend(files.drain(..).map(|f| (slashes(f.strip_prefix(root).expect("below the root")), f)));
    let there = shared().map(|folder| folder.join("meshes"));
    if let Some(folder) = &there {
        meshes_below(folder, &mut files);
        names.extend(
            files.drain(..).map(|f| (format!("meshes/{}", slashes(f.strip_prefix(folder).expect("below"))), f)),
        );
    }
    let mut recorded = recorded();
    if there.is_none() {
        recorded.retain(|file, _| !file.starts_with("meshes/"));
    }
    let mut found = BTreeMap::new();
    let read = names.into_iter().map(|(name, path)| (name, fs::read(path).expect("readable")));
    for (name, bytes) in read.chain(made().into_iter().map(|(name, bytes)| (name.to_owned(), bytes))) {
        if let Some(difference) = difference(&bytes) {
            found.insert(name, difference);
        }
    }
    let rows = |of: &BTreeMap<String, [String; 2]>| {
        of.iter().fold(String::new(), |mut text, (file, [ours, theirs])| {
            let _ = writeln!(text, "| `{file}` | {ours} | {theirs} |");
            text
        })
    };
    assert_eq!(rows(&found), rows(&recorded), "the table of the decision record lists the differences");
}

/// A random coordinate: a small integer, a decimal, or any number up to 1e12; often one of those before.
fn coordinate(rng: &mut Rng, known: &mut Vec<f32>) -> f32 {
    if !known.is_empty() && rng.below(3) > 0 {
        return known[rng.below(known.len())];
    }
    let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
    let x = match rng.below(4) {
        0 => rng.below(20) as f64,
        1 => rng.below(100_000) as f64 / 1000.0,
        _ => rng.scale(1e-12, 1e12),
    };
    known.push((sign * x) as f32);
    (sign * x) as f32
}

fn random_mesh(rng: &mut Rng) -> Vec<[[f32; 3]; 3]> {
    let mut known = Vec::new();
    let count = 1 + rng.below(12);
    (0..count).map(|_| [0; 3].map(|_| [0; 3].map(|_| coordinate(rng, &mut known)))).collect()
}

fn binary_stl(mesh: &[[[f32; 3]; 3]], rng: &mut Rng) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..80).map(|_| b' ' + rng.below(15) as u8).collect();
    bytes.extend((mesh.len() as u32).to_le_bytes());
    for t in mesh {
        bytes.extend([0; 12]);
        bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A number in one of the usual forms; every form reads back exactly.
fn number(x: f32, rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("{x:?}"),
        1 => format!("{x:e}"),
        _ => format!("{:.12e}", f64::from(x)),
    }
}

fn ascii_stl(mesh: &[[[f32; 3]; 3]], rng: &mut Rng) -> Vec<u8> {
    let mut text = "solid part\n".to_owned();
    for t in mesh {
        text += " facet normal 0 0 1\n  outer loop\n";
        for v in t {
            let [x, y, z] = v.map(|x| number(x, rng));
            let _ = writeln!(text, "   vertex {x} {y} {z}");
        }
        text += "  endloop\n endfacet\n";
    }
    (text + "endsolid part\n").into_bytes()
}

fn obj(mesh: &[[[f32; 3]; 3]], rng: &mut Rng) -> Vec<u8> {
    let mut text = "# random\nvn 0 0 1\n".to_owned();
    let mut written = 0;
    for t in mesh {
        if rng.below(4) == 0 {
            let _ = writeln!(text, "{} n{written}", ["o", "g", "usemtl", "s"][rng.below(3)]);
        }
        for v in t {
            let [x, y, z] = v.map(|x| number(x, rng));
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        written += 3;
        let index = |k: usize| if rng.below(2) == 0 { format!("{}", written - k) } else { format!("-{}", k + 1) };
        let ends = ["", "//1"][written % 2];
        let [a, b, c] = [2, 1, 0].map(index);
        let _ = writeln!(text, "f {a}{ends} {b}{ends} {c}{ends}");
    }
    text.into_bytes()
}

/// Writes triangles as a file.
type Writer = fn(&[[[f32; 3]; 3]], &mut Rng) -> Vec<u8>;

#[test]
fn random_meshes_read_alike() {
    let count = if std::env::var_os("INTERFERE_FULL").is_some() { 10_000 } else { 300 };
    let writers: [(&str, Writer); 3] = [("binary STL", binary_stl), ("ASCII STL", ascii_stl), ("OBJ", obj)];
    for (format, write) in writers {
        let mut rng = Rng::new(19);
        for k in 0..count {
            let mesh = random_mesh(&mut rng);
            let bytes = write(&mesh, &mut rng);
            let ours = own(&bytes).unwrap_or_else(|e| panic!("{format} {k}: {e}"));
            assert_eq!(ours.len(), mesh.len(), "{format} {k}");
            let difference = difference(&bytes);
            assert_eq!(difference, None, "{format} {k}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}
