//! Do the convex pieces of real meshes cover each solid and stay within epsilon? Tested on samples. The meshes lie
//! beside the project (`../shared`); without them the test prints a note. `INTERFERE_FULL=1` takes all of them, else
//! the small ones.

use crate::decomposition::objects;
use crate::support::Rng;
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use interfere::internals::geom::Vec3;
use interfere::internals::mesh::load;
use interfere::internals::shape::decompose::{Limits, decompose};
use interfere::internals::shape::hull::{Facet, Hull, convex_hull, encloses, facets};
use interfere::internals::shape::surface::winding_number::winding;
use interfere::internals::shape::surface::{Inside, Surface};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Size limit of a file outside the full run (bytes).
const SMALL: u64 = 60_000;

fn meshes() -> Option<Vec<PathBuf>> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let full = std::env::var_os("INTERFERE_FULL").is_some();
    let mut folders = vec![shared.join("meshes")];
    folders.extend(std::fs::read_dir(shared.join("cases")).ok()?.flatten().map(|e| e.path().join("parts")));
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let is_mesh = |p: &PathBuf| {
            let ending = p.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            ["stl", "obj"].contains(&ending.as_str())
        };
        let small = |p: &PathBuf| full || p.metadata().is_ok_and(|m| m.len() <= SMALL);
        found.extend(entries.flatten().map(|e| e.path()).filter(is_mesh).filter(small));
    }
    found.sort();
    Some(found)
}

/// Draws a point of a triangle, every point equally likely.
fn on_triangle(rng: &mut Rng, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (u, v) = (rng.unit(), rng.unit());
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    a + (b - a) * u + (c - a) * v
}

/// Distance of a point beyond the solid (mm, >= 0).
fn beyond(s: &Surface, x: &Vec3) -> f64 {
    if winding(s, None, x).is_none_or(|w| w >= 1) {
        return 0.0;
    }
    s.nearest(x, f64::INFINITY).map_or(f64::INFINITY, |n| n.distance)
}

/// Largest sampled overshoot of the pieces beyond the solid (mm, >= 0).
fn sampled_reach(s: &Surface, pieces: &[Hull], each: usize) -> f64 {
    let mut rng = Rng::new(5);
    let mut worst: f64 = 0.0;
    for piece in pieces {
        for _ in 0..each {
            let t = piece.triangles[rng.below(piece.triangles.len())];
            let x = on_triangle(&mut rng, t.map(|v| piece.vertices[v as usize]));
            let y = piece.vertices[rng.below(piece.vertices.len())];
            let z = x + (y - x) * (rng.unit() * rng.unit());
            worst = worst.max(beyond(s, &z));
        }
    }
    worst
}

/// Solid left uncovered by the pieces: the share of sampled points outside all pieces, and the largest height of the
/// surface above them (mm).
fn left_out(s: &Surface, pieces: &[Hull], samples: usize) -> (f64, f64) {
    let planes: Vec<_> = pieces.iter().map(facets).collect();
    // Lower bound of the distance from a piece.
    let height = |x: &Vec3| {
        let above = |p: &Vec<Facet>| p.iter().map(|f| f.normal.dot(x) - f.offset).fold(f64::NEG_INFINITY, f64::max);
        planes.iter().map(above).fold(f64::INFINITY, f64::min)
    };
    let mut rng = Rng::new(11);
    let span = s.bounds.max - s.bounds.min;
    let (mut inside, mut out, mut depth) = (0, 0, 0.0_f64);
    for _ in 0..samples {
        let x = s.bounds.min + rng.in_unit_cube().component_mul(&span);
        if winding(s, None, &x).is_some_and(|w| w >= 1) {
            inside += 1;
            out += usize::from(height(&x) > 0.0);
        }
        let t = rng.below(s.triangles.len()) as u32;
        depth = depth.max(height(&on_triangle(&mut rng, s.triangle(t))));
    }
    (f64::from(out as u32) / f64::from(inside.max(1)), depth)
}

/// Tests the pieces of a mesh: the number of pieces or the fault; `None` if the mesh has no inside.
fn held(path: &Path) -> Option<Result<usize, String>> {
    let mesh = load(&std::fs::read(path).ok()?).ok().filter(|m| m.health.enclosing)?.mesh;
    let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
    let size = s.bounds.diagonal();
    let limits = Limits { epsilon: 0.02 * size, max_pieces: 64, inflation: 1e-4 * size };
    let Some(found) = decompose(&s, &limits) else { return Some(Err("no pieces".to_owned())) };
    let planes: Vec<_> = found.pieces.iter().map(facets).collect();
    let inside = |x: &Vec3| planes.iter().any(|p| p.iter().all(|f| f.normal.dot(x) <= f.offset));
    let vertices = s.triangles.iter().flatten().map(|&v| s.vertices[v as usize]);
    let out = vertices.filter(|v| !found.pieces.iter().any(|p| encloses(p, &[*v]))).count();
    if out > 0 {
        return Some(Err(format!("{out} vertices are outside")));
    }
    let mut rng = Rng::new(7);
    for _ in 0..5000 {
        let t = rng.below(s.triangles.len()) as u32;
        let x = on_triangle(&mut rng, s.triangle(t));
        if !inside(&x) {
            return Some(Err(format!("a point of the surface is outside: {x}")));
        }
        let span = s.bounds.max - s.bounds.min;
        let y = s.bounds.min + rng.in_unit_cube().component_mul(&span);
        if winding(&s, None, &y).is_some_and(|w| w >= 1) && !inside(&y) {
            return Some(Err(format!("a point of the solid is outside: {y}")));
        }
    }
    let worst = sampled_reach(&s, &found.pieces, 300);
    if worst > found.epsilon {
        return Some(Err(format!("a piece reaches {worst}, certified {}", found.epsilon)));
    }
    Some(Ok(found.pieces.len()))
}

#[test]
fn pieces_of_real_meshes_hold_them_and_keep_to_epsilon() {
    let Some(paths) = meshes() else {
        crate::support::skipped("no ../shared beside this folder");
        return;
    };
    let seen: Vec<_> = paths.par_iter().map(|p| (p, held(p))).collect();
    let solids = seen.iter().filter(|s| s.1.is_some()).count();
    let pieces: usize = seen.iter().filter_map(|s| s.1.as_ref()?.as_ref().ok()).sum();
    println!("{} meshes, {solids} of them solids, in {pieces} pieces", seen.len());
    let wrong: Vec<String> = seen
        .iter()
        .filter_map(|(p, found)| Some(format!("{}: {}", p.display(), found.as_ref()?.as_ref().err()?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(solids > 10 && pieces > solids, "{solids} solids, {pieces} pieces");
}

/// Tests a fixture as written by `interfere decompose`. `INTERFERE_MESH` and `INTERFERE_PIECES` (an OBJ with an `o`
/// line before each piece) name pieces of another program instead; then the test only prints their overshoot, for
/// comparisons.
#[test]
fn written_pieces_reach_as_far_as_it_says() {
    let named = |name: &str| std::env::var(name).ok();
    let scratch = Scratch::new();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cases/pivot/parts/lever.obj").to_owned();
    let out = scratch.path().join("pieces.obj").to_str().expect("a path").to_owned();
    let given = named("INTERFERE_MESH").zip(named("INTERFERE_PIECES"));
    let (mesh, pieces, epsilon) = if let Some((mesh, pieces)) = given {
        (mesh, pieces, None)
    } else {
        let ran = interfere(&["decompose", &own, "-o", &out, "--epsilon", "0.5", "--format", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (own, out, parsed(&ran.stdout)["epsilon"].as_f64())
    };
    let mesh = load(&std::fs::read(mesh).expect("a mesh")).expect("a mesh").mesh;
    let s = Surface::new(&mesh, &Vec3::zeros(), Inside::Solid);
    let groups = objects(&std::fs::read_to_string(pieces).expect("pieces"));
    let hulls: Vec<Hull> = groups.iter().map(|g| convex_hull(g)).collect();
    let reach = sampled_reach(&s, &hulls, 20_000);
    println!("{} pieces reach {reach:.4} beyond the mesh at least", hulls.len());
    let (share, depth) = left_out(&s, &hulls, 100_000);
    println!(
        "of the solid they leave out {:.2} %, of its surface what lies up to {depth:.4} beyond them at least",
        100.0 * share
    );
    if let Some(epsilon) = epsilon {
        assert!(share == 0.0 && depth <= 0.0, "{share} left out, {depth} beyond");
        assert!(hulls.len() > 4 && reach <= epsilon && reach > 0.5 * epsilon, "{reach} of {epsilon}");
    } else {
        assert!(reach.is_finite() && !hulls.is_empty(), "not pieces of this mesh");
    }
}
