use crate::geom::triangle::distance::Feature;
use crate::geom::{Pose, Vec3};
use crate::shape::self_union::self_intersections::self_intersections_on;
use crate::shape::self_union::*;
use crate::shape::surface::winding_number::winding;
use crate::testkit::poses::about_z;
use crate::testkit::rng::Rng;
use crate::testkit::solids::{block, joined, moved, prism, reversed, squared_box, translated};

fn surface(mesh: &TriMesh) -> Surface {
    Surface::new(mesh, &Vec3::zeros(), Inside::Solid)
}

/// Asserts an unchanged solid, no boundary inside it, and a source in its plane for every piece.
fn assert_resolved(s: &Surface, rng: &mut Rng) {
    let solid = s.solid();
    assert!(solid.boundary_edges().is_empty() && solid.overlaps() == SelfUnion::None && !solid.triangles.is_empty());
    let size = s.bounds.max - s.bounds.min;
    for _ in 0..200 {
        let x = s.bounds.min + rng.in_unit_cube().component_mul(&size);
        let inside = winding(s, None, &x).unwrap() >= 1;
        assert_eq!(winding(solid, None, &x), Some(i32::from(inside)), "{x:?}");
        let near = solid.nearest(&x, f64::INFINITY).unwrap();
        // The winding number is constant around the point up to the boundary, and differs beyond.
        for _ in 0..20 {
            let y = x + (rng.in_unit_cube() - Vec3::repeat(0.5)).normalize() * (near.distance * (1.0 - 1e-9));
            assert_eq!(winding(s, None, &y).unwrap() >= 1, inside, "{x:?} {y:?} {near:?}");
        }
        // Beyond a sharp edge it may be the same.
        if near.feature == Feature::Face {
            let beyond = near.point + (near.point - x).normalize() * 1e-9 * size.norm();
            assert_eq!(winding(s, None, &beyond).unwrap() >= 1, !inside, "{x:?} {near:?}");
        }
    }
    for t in 0..solid.triangles.len() as u32 {
        let of = s.source.iter().position(|&k| k == solid.source[t as usize]).unwrap() as u32;
        assert!(
            solid.normal(t).dot(&s.normal(of)) > 0.9,
            "{:?} {:?} {:?}",
            solid.triangle(t),
            s.triangle(of),
            solid.triangles.len()
        );
        let [a, _, _] = s.triangle(of);
        assert!(solid.triangle(t).iter().all(|v| s.normal(of).dot(&(v - a)).abs() < 1e-13 * size.norm()));
    }
}

#[test]
fn sound_solids_stay_unchanged() {
    let cavity = |x: f64| reversed(&block([x; 3], [x + 1.0; 3]));
    let apart = |x: f64| block([x; 3], [x + 1.0; 3]);
    for mesh in [
        block([0.0; 3], [1.0; 3]),
        prism(40, 3.0, [0.0, 5.0]),
        joined(&[block([0.0; 3], [10.0; 3]), cavity(2.0), cavity(5.0)]),
        joined(&[block([0.0; 3], [10.0; 3]), apart(12.0), apart(15.0)]),
        joined(&[block([0.0; 3], [10.0; 3]), reversed(&block([1.0; 3], [9.0; 3])), apart(4.0)]),
    ] {
        let pose = Pose { rotation: Rng::new(5).rotation(), translation: Vec3::new(3.0, 50.0, -7.0) };
        for mesh in [mesh.clone(), moved(&mesh, &pose)] {
            let s = surface(&mesh);
            assert_eq!(s.overlaps(), SelfUnion::None);
            assert!(std::ptr::eq(s.solid(), &raw const s));
        }
    }
    // Two blocks with a common edge, and two with a common corner.
    for t in [Vec3::new(1.0, 1.0, 0.0), Vec3::repeat(1.0)] {
        let mut mesh = joined(&[block([0.0; 3], [1.0; 3]), translated(&block([0.0; 3], [1.0; 3]), t)]);
        for v in 8..16 {
            let first = mesh.vertices.iter().position(|p| *p == mesh.vertices[v]).unwrap();
            mesh.triangles.iter_mut().flatten().filter(|k| **k == v as u32).for_each(|k| *k = first as u32);
        }
        assert_eq!(surface(&mesh).overlaps(), SelfUnion::None);
    }
}

#[test]
fn a_shell_inside_the_solid_is_dropped_without_cutting() {
    let outer = block([0.0; 3], [10.0; 3]);
    let inner = prism(12, 2.0, [0.0, 4.0]);
    let inner = translated(&inner, Vec3::new(4.0, 4.0, 2.0));
    let hole = reversed(&block([3.5, 3.5, 3.0], [4.5, 4.5, 5.0]));
    // The outer block fills the hole of the inner one.
    let s = surface(&joined(&[outer.clone(), inner, hole]));
    assert_eq!(s.overlaps(), SelfUnion::Resolved);
    assert_eq!(s.solid().triangles.len(), 12);
    assert!(s.solid().source.iter().all(|t| *t < 12));
    assert_resolved(&s, &mut Rng::new(3));
    // The same cavity in two shells, one inside the other: the first cavity vanishes.
    let shells = [outer, block([1.0; 3], [9.0; 3]), reversed(&block([4.0; 3], [5.0; 3]))];
    let s = surface(&joined(&shells));
    assert_eq!((s.overlaps(), s.solid().triangles.len()), (SelfUnion::Resolved, 12));
}

#[test]
fn flush_shells_lose_the_wall_between_them() {
    let mesh = joined(&[block([0.0; 3], [10.0; 3]), block([10.0, 2.0, 2.0], [15.0, 8.0, 12.0])]);
    let quarter_turn = Pose { rotation: about_z(90.0), translation: Vec3::repeat(0.5) };
    for mesh in [mesh.clone(), moved(&mesh, &quarter_turn)] {
        let s = surface(&mesh);
        assert_eq!(s.overlaps(), SelfUnion::Resolved);
        let found = s.solid().nearest(&(s.solid().bounds.center()), f64::INFINITY).unwrap();
        assert!(found.distance > 1.0);
        assert_resolved(&s, &mut Rng::new(9));
    }
    // Neighbours with shared corners of the common wall.
    let mut mesh = joined(&[block([0.0; 3], [1.0; 3]), block([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])]);
    for (from, to) in [(8, 1), (10, 3), (12, 5), (14, 7)] {
        mesh.triangles.iter_mut().flatten().filter(|k| **k == from).for_each(|k| *k = to);
    }
    let s = surface(&mesh);
    assert_eq!(s.overlaps(), SelfUnion::Resolved);
    assert_resolved(&s, &mut Rng::new(10));
}

#[test]
fn a_shell_that_crosses_itself_is_cut() {
    // A bar bent back into itself: its end passes through its beginning.
    let loops = |x: f64| {
        let at = |k: u32| match k {
            0 => (0.0, 0.0),
            1 => (10.0, 0.0),
            2 => (10.0, 10.0),
            3 => (5.0, 10.0),
            _ => (5.0, x),
        };
        let across = [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, 0.0)];
        let mut vertices = Vec::new();
        for (k, (dx, dy)) in (0..5).zip(across) {
            let (px, py) = at(k);
            for (s, z) in [(1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
                vertices.push(Vec3::new(px + s * dx, py + s * dy, z));
            }
        }
        let mut triangles = vec![[0, 1, 2], [0, 2, 3], [16, 18, 17], [16, 19, 18]];
        for k in 0..4_u32 {
            for c in 0..4 {
                let (p, q) = (4 * k + c, 4 * k + (c + 1) % 4);
                triangles.extend([[p, p + 4, q + 4], [p, q + 4, q]]);
            }
        }
        reversed(&TriMesh { vertices, triangles })
    };
    assert_eq!(winding(&surface(&loops(3.0)), None, &Vec3::new(5.0, 0.0, 0.1)), Some(1));
    let clean = surface(&loops(3.0));
    assert_eq!(clean.overlaps(), SelfUnion::None);
    let pose = Pose { rotation: Rng::new(8).rotation(), translation: Vec3::new(30.0, 1.0, 2.0) };
    for x in [-4.0, 0.3, -1.0, 1.0] {
        for mesh in [loops(x), moved(&loops(x), &pose)] {
            let s = surface(&mesh);
            if x == 1.0 {
                // After a rotation, rounding decides if the flush end touches.
                assert!(!matches!(s.overlaps(), SelfUnion::Unresolved(_)));
            } else {
                assert_eq!(s.overlaps(), SelfUnion::Resolved, "{x}");
                assert_resolved(&s, &mut Rng::new(4));
            }
        }
    }
}

#[test]
fn self_touching_shell_is_cut_without_overlap() {
    // Two blocks in contact along part of an edge; a face cut beside its neighbour and closed by a triangle without
    // area.
    let touching = joined(&[block([0.0; 3], [2.0; 3]), block([2.0, 2.0, 1.0], [3.0, 3.0, 4.0])]);
    let mut healed = block([0.0; 3], [1.0; 3]);
    healed.vertices.push(Vec3::new(0.5, 0.0, 0.0));
    let front = healed.triangles.iter().position(|t| (0..3).any(|k| t[k] == 0 && t[(k + 1) % 3] == 1)).unwrap();
    let far = healed.triangles[front].into_iter().find(|v| *v > 1).unwrap();
    healed.triangles[front] = [0, 8, far];
    healed.triangles.extend([[8, 1, far], [0, 1, 8]]);
    for (mesh, same) in [(touching, 24), (healed, 14)] {
        let s = surface(&mesh);
        assert_eq!(s.overlaps(), SelfUnion::None);
        assert!(s.solid().triangles.len() >= same && !std::ptr::eq(s.solid(), &raw const s));
        assert_resolved(&s, &mut Rng::new(6));
    }
}

#[test]
fn random_unions_are_resolved() {
    let mut rng = Rng::new(21);
    let (mut resolved, mut clean) = (0, 0);
    for round in 0..60 {
        let count = 2 + rng.below(5);
        // In some rounds on a grid, to make faces and edges coincide.
        let grid = round % 3 == 0;
        let shells: Vec<TriMesh> = (0..count)
            .map(|_| {
                let pose = Pose { rotation: rng.rotation(), translation: rng.in_unit_cube() * 12.0 };
                if grid {
                    let min = [0, 1, 2].map(|_| rng.below(4) as f64);
                    block(min, min.map(|x| x + (1 + rng.below(3)) as f64))
                } else if rng.below(2) == 0 {
                    moved(&prism(3 + rng.below(9), rng.range(1.0, 4.0), [0.0, 6.0]), &pose)
                } else {
                    moved(&block([-2.0; 3], [1.0, 2.0, 5.0]), &pose)
                }
            })
            .collect();
        let mut mesh = joined(&shells);
        if round % 2 == 0 {
            mesh = moved(&mesh, &Pose { rotation: rng.rotation(), translation: rng.in_unit_cube() * 1e3 });
        }
        let s = surface(&mesh);
        match s.overlaps() {
            SelfUnion::None => clean += 1,
            SelfUnion::Resolved => {
                resolved += 1;
                // Rotated flush faces leave slits as wide as rounding.
                if !(grid && round % 2 == 0) {
                    assert_resolved(&s, &mut rng);
                }
            }
            SelfUnion::Unresolved(why) => panic!("{round} {why}"),
        }
    }
    assert!(resolved > 30 && clean > 0, "{resolved} {clean}");
}

#[test]
fn triangles_that_bound_the_solid_are_found_one_by_one_and_in_sets() {
    let mut rng = Rng::new(37);
    let (mut bounding, mut inner) = (0, 0);
    for round in 0..60 {
        let shells: Vec<TriMesh> = (0..2 + rng.below(4))
            .map(|_| {
                let pose = Pose { rotation: rng.rotation(), translation: rng.in_unit_cube() * 9.0 };
                // In every second round on a grid, to make faces and edges coincide; some shells lie in others.
                if round % 2 == 0 {
                    let min = [0, 1, 2].map(|_| rng.below(4) as f64);
                    block(min, min.map(|x| x + (1 + rng.below(4)) as f64))
                } else {
                    moved(&prism(3 + rng.below(9), rng.range(0.5, 4.0), [0.0, rng.range(1.0, 6.0)]), &pose)
                }
            })
            .collect();
        let mesh = joined(&shells);
        let whole = surface(&mesh);
        let fronts = Patches::of(&whole, &whole.self_intersections().crosses).in_front_of_triangles(&whole);
        let known: Vec<bool> = fronts.iter().map(|front| *front == Some(0)).collect();
        let n = known.len();
        let alone = surface(&mesh);
        for _ in 0..2 * n {
            let t = rng.below(n);
            assert_eq!(alone.is_bounding(t as u32), known[t], "{round} {t}");
        }
        // Sets of a new surface in turn, so that earlier results serve later ones.
        let in_sets = surface(&mesh);
        for _ in 0..8 {
            let asked: Vec<bool> = (0..n).map(|_| rng.below(4) == 0).collect();
            let some: Vec<bool> = asked.iter().zip(&known).map(|(asked, known)| *asked && *known).collect();
            assert!(in_sets.are_bounding(&some), "{round}");
            assert_eq!(in_sets.count_unknown(&some), 0, "{round}");
            assert_eq!(in_sets.are_bounding(&asked), some == asked, "{round}");
        }
        let share = known.iter().filter(|bounds| !**bounds).count() as f64 / n as f64;
        assert_eq!(surface(&mesh).inner_share(n), share, "{round}");
        bounding += known.iter().filter(|bounds| **bounds).count();
        inner += known.iter().filter(|bounds| !**bounds).count();
    }
    assert!(bounding > 500 && inner > 500, "{bounding} {inner}");
}

#[test]
fn triangles_without_crossings_stay_whole() {
    // Two prisms cross at one end each; most of their sides touch nothing.
    let bars =
        joined(&[prism(24, 3.0, [0.0, 40.0]), translated(&prism(24, 2.0, [0.0, 40.0]), Vec3::new(1.0, 0.5, 38.0))]);
    for mesh in [bars.clone(), moved(&bars, &Pose { rotation: Rng::new(9).rotation(), translation: Vec3::repeat(7.0) })]
    {
        let s = surface(&mesh);
        let crosses = &s.self_intersections().crosses;
        let in_front = Patches::of(&s, crosses).in_front_of_triangles(&s);
        assert_eq!(crosses.iter().zip(&in_front).filter(|(c, front)| **c == front.is_some()).count(), 0);
        let [quick, full] = [Known { crosses: crosses.clone(), in_front }, Known::nothing(crosses.len())]
            .map(|known| cut(&s, &known).unwrap());
        let [Resolution::Into { surface: quick, .. }, Resolution::Into { surface: full, .. }] = [quick, full] else {
            panic!("both are cut")
        };
        assert!((quick.volume() - full.volume()).abs() < 1e-11 * full.volume());
        let has = |of: &Surface, t: u32| (0..of.triangles.len() as u32).any(|k| of.triangle(k) == s.triangle(t));
        let mut whole = 0;
        for t in (0..s.triangles.len() as u32).filter(|t| !crosses[*t as usize]) {
            assert_eq!(has(&quick, t), has(&full, t), "{t}");
            whole += usize::from(has(&quick, t));
        }
        assert!(whole > 40, "{whole}");
    }
}

#[test]
fn several_threads_find_the_same_self_intersections() {
    let one = squared_box(30, |x| x.normalize() * 5.0);
    let two = moved(&one, &Pose { rotation: Rng::new(3).rotation(), translation: Vec3::new(4.0, 1.0, -2.0) });
    let s = surface(&joined(&[one, two]));
    let alone = self_intersections_on(1, &s, usize::MAX);
    assert!(alone.pairs > 100 && alone.crosses.iter().any(|c| !c), "{} pairs", alone.pairs);
    for threads in [2, 5] {
        let found = self_intersections_on(threads, &s, usize::MAX);
        assert_eq!((found.pairs, &found.crosses), (alone.pairs, &alone.crosses), "{threads} threads");
        assert_eq!(self_intersections_on(threads, &s, 17).pairs, 17);
    }
}

/// Random shells that overlap, touch, lie in each other, or have a narrow gap between two faces.
fn random_shells(rng: &mut Rng, round: usize) -> Vec<TriMesh> {
    let count = 2 + rng.below(4);
    let shell = |_| match round % 3 {
        0 => {
            let min = [0, 1, 2].map(|_| rng.below(4) as f64);
            let gap = if rng.below(2) == 0 { 1e-14 } else { 0.0 };
            block(min.map(|x| x + gap), min.map(|x| x + (1 + rng.below(4)) as f64 - gap))
        }
        1 => {
            let pose = Pose { rotation: rng.rotation(), translation: rng.in_unit_cube() * 9.0 };
            moved(&prism(3 + rng.below(9), rng.range(0.5, 4.0), [0.0, rng.range(1.0, 6.0)]), &pose)
        }
        _ => translated(&reversed_if(rng.below(4) == 0, block([0.0; 3], [3.0; 3])), rng.in_cube() * 4.0),
    };
    (0..count).map(shell).collect()
}

fn reversed_if(reverses: bool, mesh: TriMesh) -> TriMesh {
    if reverses { reversed(&mesh) } else { mesh }
}

#[test]
fn the_closest_triangle_shows_the_same_side_as_a_ray() {
    let mut rng = Rng::new(53);
    let (mut inside, mut outside, mut unshown) = (0, 0, 0);
    for round in 0..90 {
        let s = surface(&joined(&random_shells(&mut rng, round)));
        for t in 0..s.triangles.len() as u32 {
            s.is_bounding(t);
        }
        for _ in 0..400 {
            // Some points are close to a face.
            let x = if rng.below(3) == 0 {
                let [a, b, c] = s.triangle(rng.below(s.triangles.len()) as u32);
                let foot = (a + b + c) / 3.0 + (b - a) * rng.range(-0.2, 0.2);
                foot + rng.in_cube() * rng.scale(1e-13, 1e-1)
            } else {
                rng.in_unit_cube() * 9.0 - Vec3::repeat(1.0)
            };
            let found = s.nearest(&x, f64::INFINITY).expect("there are triangles");
            let shown = s.is_behind(&x, &found).filter(|_| s.is_known_to_bound(found.triangle));
            let Some(winding) = winding(&s, None, &x) else { continue };
            match shown {
                Some(is_behind) => {
                    assert_eq!(is_behind, winding >= 1, "{round} {x:?} {found:?}");
                    if is_behind { inside += 1 } else { outside += 1 }
                }
                None => unshown += 1,
            }
        }
    }
    assert!(inside > 3000 && outside > 3000 && unshown > 1000, "{inside} {outside} {unshown}");
}
