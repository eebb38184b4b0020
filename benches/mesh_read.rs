//! Reading meshes and joining their vertices, compared with `stl_io` and `tobj` on the same bytes: one thread, no disk.
//! `cargo bench --bench mesh_read` first prints a table (unless given a filter): the readers take turns, measured as
//! CPU time of this thread. Divan's figures follow, in wall-clock time. `INTERFERE_BENCH_MESHES=DIR` takes `bin.stl`,
//! `ascii.stl` and `mesh.obj` of a folder instead of generated meshes.

use cpu_time::ThreadTime;
use divan::{Bencher, black_box};
use interfere::internals::mesh::load;
use interfere::internals::mesh::read::read_and_merge;
use interfere::testkit::rng::Rng;
use std::fmt::{self, Write as _};
use std::io::Cursor;
use std::sync::LazyLock;

/// Runs of each reader for the table.
const RUNS: usize = 11;

#[derive(Clone, Copy)]
enum Kind {
    Binary,
    /// The same facets in another order.
    Shuffled,
    Ascii,
    Obj,
}

const KINDS: [Kind; 4] = [Kind::Binary, Kind::Shuffled, Kind::Ascii, Kind::Obj];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["binary", "shuffled", "ascii", "obj"][*self as usize])
    }
}

static FILES: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
    let [binary, ascii, obj] = std::env::var_os("INTERFERE_BENCH_MESHES").map_or_else(made, |folder| {
        ["bin.stl", "ascii.stl", "mesh.obj"]
            .map(|name| std::fs::read(std::path::Path::new(&folder).join(name)).expect(name))
    });
    let shuffled = shuffled(&binary);
    [binary, shuffled, ascii, obj]
});

/// A million triangles as binary STL, half a million as ASCII STL and as OBJ.
fn made() -> [Vec<u8>; 3] {
    let (large, small) = (Torus { rings: 1000, sides: 500 }, Torus { rings: 1000, sides: 250 });
    [large.binary(), small.ascii(), small.obj()]
}

fn file(kind: Kind) -> &'static [u8] {
    &FILES[kind as usize]
}

fn main() {
    if std::env::args().skip(1).all(|a| a == "--bench") {
        compare();
    }
    divan::main();
}

/// A bumpy torus of `rings` × `sides` quads, two triangles each: closed, in single precision.
struct Torus {
    rings: u32,
    sides: u32,
}

impl Torus {
    fn vertex(&self, ring: u32, side: u32) -> [f32; 3] {
        let turn =
            |k: u32, n: u32| interfere::internals::geom::math::sin_cos_deg(360.0 * f64::from(k % n) / f64::from(n));
        let ((s, c), (t, d)) = (turn(ring, self.rings), turn(side, self.sides));
        let (wave, _) = turn(ring * 7 % self.rings, self.rings);
        let tube = 10.0 + wave * t;
        [(40.0 + tube * d) * c, (40.0 + tube * d) * s, tube * t].map(|x| x as f32)
    }

    fn vertices(&self) -> Vec<[f32; 3]> {
        (0..self.rings * self.sides).map(|k| self.vertex(k / self.sides, k % self.sides)).collect()
    }

    fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let (rings, sides) = (self.rings, self.sides);
        (0..rings * sides).flat_map(move |k| {
            let (ring, side) = (k / sides, k % sides);
            let at = |r: u32, s: u32| (ring + r) % rings * sides + (side + s) % sides;
            [[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]]
        })
    }

    fn facets(&self) -> impl Iterator<Item = [[f32; 3]; 3]> {
        let vertices = self.vertices();
        self.triangles().map(move |t| t.map(|i| vertices[i as usize]))
    }

    fn binary(&self) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes.extend((2 * self.rings * self.sides).to_le_bytes());
        for corners in self.facets() {
            let numbers = std::iter::once([0.0; 3]).chain(corners).flatten();
            bytes.extend(numbers.flat_map(f32::to_le_bytes).chain([0, 0]));
        }
        bytes
    }

    fn ascii(&self) -> Vec<u8> {
        let mut text = String::from("solid torus\n");
        for [a, b, c] in self.facets() {
            let point = |p: [f32; 3]| p.map(exponential).join(" ");
            let (n, [a, b, c]) = (point([0.577_350_3, -0.577_350_3, 0.577_350_3]), [a, b, c].map(point));
            let _ = write!(
                text,
                "facet normal {n}\n outer loop\n  vertex {a}\n  vertex {b}\n  vertex {c}\n endloop\nendfacet\n"
            );
        }
        text.push_str("endsolid torus\n");
        text.into_bytes()
    }

    fn obj(&self) -> Vec<u8> {
        let mut text = String::new();
        for p in self.vertices() {
            let _ = writeln!(text, "v {} {} {}", p[0], p[1], p[2]);
        }
        for t in self.triangles() {
            let _ = writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
        }
        text.into_bytes()
    }
}

/// Formats as C's `%.6e`, the form of most writers.
fn exponential(x: f32) -> String {
    let text = format!("{x:.6e}");
    let (mantissa, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The facets of a binary STL in a random order, the same in every run.
fn shuffled(binary: &[u8]) -> Vec<u8> {
    let mut facets: Vec<&[u8]> = binary[84..].chunks_exact(50).collect();
    let mut rng = Rng::new(1);
    for k in (1..facets.len()).rev() {
        facets.swap(k, rng.below(k + 1));
    }
    let mut bytes = binary[..84].to_vec();
    bytes.extend(facets.into_iter().flatten());
    bytes
}

/// Triangles and vertices.
type Counts = (usize, usize);

fn ours(kind: Kind) -> Counts {
    let mesh = read_and_merge(black_box(file(kind))).expect("a mesh");
    (mesh.triangles.len(), mesh.vertices.len())
}

fn ours_whole(kind: Kind) -> Counts {
    let mesh = load(black_box(file(kind))).expect("a mesh").mesh;
    (mesh.triangles.len(), mesh.vertices.len())
}

fn library(kind: Kind) -> Counts {
    if let Kind::Obj = kind {
        let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
        let none = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
        let (models, _) = tobj::load_obj_buf(&mut black_box(file(kind)), &options, none).expect("a mesh");
        let count = |f: fn(&tobj::Mesh) -> usize| models.iter().map(|m| f(&m.mesh)).sum();
        (count(|m| m.indices.len() / 3), count(|m| m.positions.len() / 3))
    } else {
        let mesh = stl_io::read_stl(&mut Cursor::new(black_box(file(kind)))).expect("a mesh");
        (mesh.faces.len(), mesh.vertices.len())
    }
}

/// Prints medians of readers taking turns: a busy machine then affects all alike.
#[expect(clippy::print_stdout, reason = "a benchmark reports")]
fn compare() {
    println!("{:<10}{:>10}{:>10}  medians of {RUNS}, ms of CPU", "", "triangles", "vertices");
    for kind in KINDS {
        let readers: [fn(Kind) -> Counts; 3] = [ours, ours_whole, library];
        let counts = readers.map(|f| f(kind));
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..RUNS {
            for (f, times) in readers.iter().zip(&mut times) {
                let start = ThreadTime::now();
                black_box(f(kind));
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        let [join, whole, library] = times.map(|mut t| {
            t.sort_by(f64::total_cmp);
            t[RUNS / 2]
        });
        println!(
            "{:<10}{:>10}{:>10}  read+join {join:.1} ({:.3}), load {whole:.1} ({:.3}), library {library:.1}, {} vertices",
            kind.to_string(),
            counts[0].0,
            counts[0].1,
            join / library,
            whole / library,
            counts[2].1,
        );
    }
}

#[divan::bench(args = KINDS, sample_count = 10)]
fn read_and_join_ours(bencher: Bencher, kind: Kind) {
    bencher.bench_local(|| ours(kind));
}

#[divan::bench(args = KINDS, sample_count = 10)]
fn load_ours(bencher: Bencher, kind: Kind) {
    bencher.bench_local(|| ours_whole(kind));
}

#[divan::bench(args = KINDS, sample_count = 5)]
fn read_library(bencher: Bencher, kind: Kind) {
    bencher.bench_local(|| library(kind));
}
