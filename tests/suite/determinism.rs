//! Is the report a function of the assembly alone? Threads, order of instances and names must not change it.

use crate::generate::folders;
use crate::support::Rng;
use crate::support::command::interfere;
use crate::support::report::{assert_sound, json_of, parsed};
use crate::support::scratch::Scratch;
use crate::support::solids::{hull_of, obj};
use interfere::internals::assembly::{self, Assembly, LoadOptions, RuleAction};
use interfere::internals::check::{NoProgress, Options, Outcome, PairOutcome, Relation, check};
use interfere::internals::geom::{Affine, LengthUnit, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn solids(rng: &mut Rng, n: usize) -> Vec<TriMesh> {
    let mut out = Vec::new();
    while out.len() < n {
        let size = rng.scale(3.0, 12.0);
        out.extend(hull_of(&rng.cloud(size)));
    }
    out
}

/// Random placements, many of them quarter turns on a grid: pairs repeat and touch.
fn placements(rng: &mut Rng, n: usize, reach: f64) -> Vec<Affine> {
    (0..n)
        .map(|k| {
            if k % 2 == 0 {
                let pose = rng.pose(reach);
                Affine { linear: pose.rotation, translation: pose.translation }
            } else {
                Affine { translation: rng.in_ball().map(|x| (x * reach / 5.0).round() * 5.0), ..Affine::identity() }
            }
        })
        .collect()
}

/// A crowd of 200 instances with rules, as files.
pub fn crowd(scratch: &Scratch) -> PathBuf {
    let mut rng = Rng::new(20);
    let mut parts = serde_json::Map::new();
    for (k, solid) in solids(&mut rng, 6).iter().enumerate() {
        scratch.write(&format!("parts/{k}.obj"), obj(solid));
        parts.insert(format!("part-{k}"), json!({ "mesh": format!("parts/{k}.obj") }));
    }
    let instances: Vec<Value> = placements(&mut rng, 200, 24.0)
        .iter()
        .enumerate()
        .map(|(k, p)| {
            let (l, t) = (p.linear, p.translation);
            let row = |i: usize| json!([l[(i, 0)], l[(i, 1)], l[(i, 2)], t[i]]);
            let matrix = json!([row(0), row(1), row(2), [0, 0, 0, 1]]);
            json!({ "id": format!("i{k}"), "part": format!("part-{}", k % 6), "placement": { "matrix": matrix } })
        })
        .collect();
    let rules = json!([
        { "between": ["i1*", "i1*"], "allow_depth": 4.0 },
        { "between": ["i4*", "i4*"], "ignore": true },
        { "between": ["*[02468]", "*[13579]"], "min_clearance": 2.0 }
    ]);
    let file = json!({ "version": 1, "parts": parts, "instances": instances, "rules": rules });
    scratch.write("assembly.json", file.to_string())
}

fn report(path: &Path, threads: &str, format: &str) -> String {
    let path = path.to_str().expect("UTF-8");
    let ran = interfere(&["check", path, "--threads", threads, "--format", format, "--report-within", "1"]);
    assert!(ran.code != 2, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn one_two_and_seven_threads_write_the_same_bytes() {
    let scratch = Scratch::new();
    let crowd = crowd(&scratch);
    let files: Vec<PathBuf> =
        folders().iter().map(|f| f.join("assembly.json")).chain(std::iter::once(crowd.clone())).collect();
    for file in &files {
        for format in ["json", "table"] {
            let one = report(file, "1", format);
            for threads in ["2", "7"] {
                assert!(report(file, threads, format) == one, "{}: {threads} threads, {format}", file.display());
            }
        }
    }
    // The crowd contains pairs of most kinds.
    let counts = &parsed(&report(&crowd, "1", "json"))["summary"]["counts"];
    for status in ["interference", "too_close", "allowed", "clear", "ignored"] {
        assert!(counts[status].as_u64() > Some(20), "{counts}");
    }
}

pub fn load(path: &Path) -> Assembly {
    assembly::load(path, &FsLoader, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn run(assembly: &Assembly) -> Outcome {
    let options = Options { report_within: Some(1.0), ..Options::default() };
    check(assembly, &options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
}

pub fn shuffle<T>(rng: &mut Rng, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
}

#[test]
fn the_order_of_instances_changes_no_byte_of_the_report() {
    let scratch = Scratch::new();
    let crowd = crowd(&scratch);
    let mut rng = Rng::new(21);
    let mut rows = 0;
    let files: Vec<PathBuf> = folders().iter().map(|f| f.join("assembly.json")).chain([crowd]).collect();
    for file in files {
        let mut assembly = load(&file);
        let before = json_of(&run(&assembly));
        assert_sound(&parsed(&before));
        rows += parsed(&before)["pairs"].as_array().unwrap().len();
        for _ in 0..3 {
            shuffle(&mut rng, &mut assembly.instances);
            // The report is sorted by id, so it stays the same.
            let after = json_of(&run(&assembly));
            let differs = before.lines().zip(after.lines()).find(|(x, y)| x != y);
            assert!(after == before, "{}: {differs:?}", file.display());
        }
    }
    assert!(rows > 500, "{rows}");
}

/// Treats −0 as 0.
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

fn vector_bits(v: Vec3) -> [u64; 3] {
    [bits(v.x), bits(v.y), bits(v.z)]
}

/// A row's content, seen from the instance first named `a`. Coincident copies look the same from either side: names
/// decide the sign of their vectors, so the vectors are left out.
fn seen(p: &PairOutcome, flipped: bool) -> impl PartialEq + std::fmt::Debug + use<> {
    let apart = p.relation != Some(Relation::Coincident);
    let turn = |v: Option<Vec3>| v.filter(|_| apart).map(|v| vector_bits(if flipped { -v } else { v }));
    let numbers = [p.gap, p.overlap_depth, p.penetration_depth, p.facet_allowance].map(|x| x.map(bits));
    let points = p.closest_points.map(|[a, b]| if flipped { [b, a] } else { [a, b] });
    (
        (p.status, p.certainty, p.relation.map(|r| if flipped { r.swapped() } else { r })),
        (numbers, p.gap_bracket.map(|b| <[f64; 2]>::from(b).map(bits))),
        (turn(p.separating_translation), turn(p.normal), points.map(|p| p.map(vector_bits)), p.rule),
    )
}

#[test]
fn names_change_only_signs_and_order() {
    let mut rng = Rng::new(22);
    let (mut flips, mut rows) = (0, 0);
    for _ in 0..6 {
        let meshes = solids(&mut rng, 4);
        let places = placements(&mut rng, 40, 16.0);
        let run_named = |names: &[String]| {
            let mut builder = Assembly::builder("named", LengthUnit::Mm);
            for (k, mesh) in meshes.iter().enumerate() {
                builder = builder.part(format!("part-{k}"), mesh.clone());
            }
            for (k, place) in places.iter().enumerate() {
                builder = builder.instance(names[k].clone(), format!("part-{}", k % 4), *place);
            }
            run(&builder.rule("*", "*", RuleAction::MinClearance(0.5), None).build().unwrap_or_else(|e| panic!("{e}")))
        };
        let names: Vec<String> = (0..40).map(|k| format!("n{k:02}")).collect();
        let mut others = names.clone();
        shuffle(&mut rng, &mut others);
        let (first, second) = (run_named(&names), run_named(&others));
        assert_eq!((first.counts, first.cleared_by), (second.counts, second.cleared_by));
        let by_index: BTreeMap<_, _> = second.pairs.iter().map(|p| ((p.a.min(p.b), p.a.max(p.b)), p)).collect();
        for p in &first.pairs {
            let q = by_index[&(p.a.min(p.b), p.a.max(p.b))];
            let flipped = p.a != q.a;
            assert_eq!(seen(p, false), seen(q, flipped));
            flips += usize::from(flipped);
        }
        assert_eq!(first.pairs.len(), second.pairs.len());
        rows += first.pairs.len();
    }
    assert!(rows > 200 && flips * 4 > rows && flips * 4 < rows * 3, "{flips} of {rows} rows were flipped");
}
