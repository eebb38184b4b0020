use crate::geom::Vec3;
use crate::geom::math::greater;
use crate::mesh::TriMesh;
use crate::mesh::facets::errors::{FacetErrors, concave_error_over, facet_error, facet_errors_over};
use crate::mesh::facets::{ConcaveFacets, FacetEdge, Facets};
use crate::mesh::topology::HalfEdges;
use crate::testkit::solids::{block, hull_of, joined, prism, reversed, ring as ring_of, translated};

#[test]
fn the_sagitta_of_a_cylinder_of_64_facets() {
    // r·(1 − cos(π/64)) = 0.01204 for r = 10; w/2·tan(θ/4) with w = 2·r·sin(π/64), θ = 2π/64 gives the same number.
    let exact = 10.0 * (1.0 - libm::cos(std::f64::consts::PI / 64.0));
    let error = facet_error(&prism(64, 10.0, [0.0, 30.0]), 0.0);
    assert!((error - exact).abs() < 1e-9, "{error} {exact}");
}

#[test]
fn facets_of_a_prism_are_its_sides_and_caps() {
    let facets = Facets::of(&prism(64, 10.0, [0.0, 30.0]), 0.0);
    assert_eq!((facets.count, facets.edges.len()), (66, 64));
    assert!(facets.edges.iter().all(|e| !e.concave));
    let bore = Facets::of(&reversed(&prism(64, 10.0, [0.0, 30.0])), 0.0);
    assert!(bore.edges.iter().all(|e| e.concave) && bore.edges.len() == 64);
}

#[test]
fn polygons_by_design_have_no_facet_error() {
    assert_eq!(facet_error(&block([0.0; 3], [1.0, 2.0, 3.0]), 0.0), 0.0);
    assert_eq!(facet_error(&prism(8, 10.0, [0.0, 5.0]), 0.0), 0.0);
    assert_eq!(Facets::of(&block([0.0; 3], [1.0, 2.0, 3.0]), 0.0).count, 6);
}

#[test]
fn rounding_dents_are_not_facets() {
    // A square with its middle slightly off the plane, towards the inside.
    let hair = 1e-5;
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let vertices =
        vec![at(0.0, 0.0, 0.0), at(10.0, 0.0, 0.0), at(10.0, 10.0, 0.0), at(0.0, 10.0, 0.0), at(5.0, 0.01, -hair)];
    let mesh = TriMesh { vertices, triangles: vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]] };
    let largest = |rounding: f64| ConcaveFacets::of(&mesh, rounding, 1).sagitta.into_iter().fold(0.0, greater);
    assert!(largest(0.0) > 1e-6, "{}", largest(0.0));
    assert_eq!(largest(hair), 0.0);
    assert_eq!((facet_error(&mesh, hair), Facets::of(&mesh, hair).count), (0.0, 1));
    // A bore keeps its sagittas at any rounding of the coordinates.
    let bore = reversed(&prism(16, 3.0, [0.0, 5.0]));
    let of = |rounding: f64| ConcaveFacets::of(&bore, rounding, 1).sagitta;
    assert_eq!(of(hair), of(0.0));
}

#[test]
fn concave_and_convex_edges_are_distinguished() {
    // A coarse bore beside a finer one, in a convex prism coarser than both.
    let at = |m: &TriMesh, x: f64| translated(m, Vec3::new(x, 0.0, 0.0));
    let [coarse, fine] = [(16, 3.0), (48, 3.0)].map(|(sides, r)| reversed(&prism(sides, r, [0.0, 30.0])));
    let mesh = joined(&[prism(12, 10.0, [0.0, 30.0]), at(&coarse, 3.5), at(&fine, -3.5)]);
    let sagitta = |sides: f64, r: f64| r * (1.0 - libm::cos(std::f64::consts::PI / sides));
    let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    let errors = facet_errors_over(&mesh, &HalfEdges::of(&mesh.triangles, mesh.vertices.len()), 0.0, 1);
    is(errors.largest, sagitta(12.0, 10.0));
    is(errors.concave, sagitta(16.0, 3.0));
    let concave = ConcaveFacets::of(&mesh, 0.0, 1);
    let facets = Facets::of(&mesh, 0.0);
    assert_eq!(concave.facet, facets.facet);
    let mut expected = vec![0.0; facets.count as usize];
    for e in facets.edges.iter().filter(|e| e.concave) {
        for t in e.triangles {
            let f = facets.facet[t as usize] as usize;
            expected[f] = greater(expected[f], e.sagitta());
        }
    }
    assert_eq!(concave.sagitta, expected);
    assert_eq!(expected.iter().filter(|&&s| s > 0.0).count(), 16 + 48);
}

#[test]
fn narrower_of_two_facets_counts() {
    // Two strips of width 10 and 1, joined at 0.1 rad along the y axis.
    let (s, c) = (libm::sin(0.1), libm::cos(0.1));
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let mesh = TriMesh {
        vertices: vec![
            v(-10.0, 0.0, 0.0),
            v(0.0, 0.0, 0.0),
            v(0.0, 5.0, 0.0),
            v(-10.0, 5.0, 0.0),
            v(c, 0.0, s),
            v(c, 5.0, s),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]],
    };
    let facets = Facets::of(&mesh, 0.0);
    assert_eq!((facets.count, facets.edges.len()), (2, 1));
    let edge = facets.edges[0];
    assert!(edge.concave && (edge.theta - 0.1).abs() < 1e-12 && (edge.width - 1.0).abs() < 1e-12);
}

#[test]
fn errors_of_facets_of_one_and_of_several_triangles_are_the_largest_over_all_edges() {
    // Triangles around the poles, quadrilaterals between them.
    let at = |k: usize, steps: usize| 2.0 * std::f64::consts::PI * k as f64 / steps as f64;
    for (meridians, parallels) in [(20, 8), (12, 30), (16, 16)] {
        let circle = |p: usize| {
            let (radius, z) = (5.0 * libm::sin(at(p, 2 * parallels)), 5.0 * libm::cos(at(p, 2 * parallels)));
            (0..meridians)
                .map(move |m| Vec3::new(radius * libm::cos(at(m, meridians)), radius * libm::sin(at(m, meridians)), z))
        };
        let poles = [Vec3::z() * 5.0, Vec3::z() * -5.0];
        let sphere = hull_of(&(1..parallels).flat_map(circle).chain(poles).collect::<Vec<_>>()).expect("a solid");
        for mesh in [joined(&[sphere.clone(), reversed(&prism(16, 1.0, [-1.0, 1.0]))]), reversed(&sphere)] {
            let facets = Facets::of(&mesh, 1e-9);
            let singles = (0..facets.count).filter(|f| facets.facet.iter().filter(|g| *g == f).count() == 1).count();
            assert!(singles >= 2 * meridians && singles < facets.count as usize, "{singles} of {}", facets.count);
            let largest = |concave: bool| {
                let edges = facets.edges.iter().filter(|e| e.concave || !concave);
                edges.map(FacetEdge::sagitta).fold(0.0, greater)
            };
            let expected = FacetErrors { largest: largest(false), concave: largest(true) };
            let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
            assert_eq!(facet_errors_over(&mesh, &half_edges, 1e-9, 1), expected);
            assert_eq!(concave_error_over(&mesh, &half_edges, 1e-9, 1), expected.concave);
            assert!(expected.concave > 0.0);
        }
    }
}

#[test]
fn facets_without_lists_are_the_same() {
    // Cells of two triangles, facets of one triangle, and a bore of unequal strips.
    let wavy: Vec<Vec3> = (0..400_u32)
        .map(|k| (f64::from(k) * 0.7, f64::from(k) / 200.0 - 1.0))
        .map(|(turn, z)| Vec3::new(libm::cos(turn), libm::sin(turn), z) * (1.0 + 0.1 * z))
        .collect();
    let ball = hull_of(&wavy).expect("a solid");
    let ring = ring_of(&[[3.0, 0.0], [9.0, 0.0], [9.0, 5.0], [3.4, 5.0], [3.1, 2.0]], 60);
    let mesh = joined(&[ring, translated(&reversed(&ball), Vec3::new(20.0, 0.0, 0.0))]);
    let [listed, in_turns] = [true, false].map(|keeps| ConcaveFacets::with_lists(&mesh, 1e-6, 1, keeps));
    assert!(listed.sagitta.iter().any(|s| *s > 0.0) && listed.wide.len() == listed.sagitta.len());
    assert!(listed.facet == in_turns.facet && listed.sagitta == in_turns.sagitta && listed.wide == in_turns.wide);
}

#[test]
fn several_threads_find_the_same_facets() {
    // Strips of unequal widths around a bore, and many triangles.
    let ring: Vec<[f64; 2]> = (0..40).map(|k| [3.0 + 0.5 * libm::sin(0.7 * f64::from(k)), f64::from(k)]).collect();
    let outline: Vec<[f64; 2]> = [[9.0, -1.0], [9.0, 40.0]].into_iter().chain(ring.into_iter().rev()).collect();
    let mesh = ring_of(&outline, 2000);
    assert!(mesh.vertices.len() > 80_000);
    let alone = ConcaveFacets::of(&mesh, 1e-6, 1);
    assert!(alone.sagitta.iter().filter(|s| **s > 0.0).count() > 10_000);
    let half_edges = HalfEdges::of(&mesh.triangles, mesh.vertices.len());
    let errors = |threads: usize| facet_errors_over(&mesh, &half_edges, 1e-6, threads);
    assert!(errors(1).concave > 0.0, "{:?}", errors(1));
    for threads in [2, 5] {
        assert!(HalfEdges::in_parallel(&mesh.triangles, mesh.vertices.len(), threads) == half_edges);
        assert_eq!(errors(threads), errors(1));
        let found = ConcaveFacets::of(&mesh, 1e-6, threads);
        assert!(found.facet == alone.facet && found.sagitta == alone.sagitta && found.wide == alone.wide, "{threads}");
    }
}
