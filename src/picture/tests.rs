//! Tests of pictures: areas and lengths in closed form, no claim about open meshes, equal bytes.

use crate::assembly::InstanceIx;
use crate::check::{Drawn, DrawnShape, Kinematics};
use crate::geom::{Aabb, LengthUnit, Pose, Vec3};
use crate::picture::shade::OVERLAP;
use crate::picture::*;
use crate::testkit::solids;
use serde_json::Value;

/// Block from the origin.
fn block(size: [f64; 3]) -> crate::mesh::TriMesh {
    solids::block([0.0; 3], size)
}

/// Scene of two placed meshes.
fn scene(shapes: [(crate::mesh::TriMesh, bool); 2], moved: Vec3, origin: Vec3) -> Scene {
    let shapes = shapes.into_iter().map(|(mesh, solid)| DrawnShape { mesh, solid }).collect();
    let at = |translation: Vec3| Pose { translation, ..Pose::identity() };
    Scene::new(Drawn {
        shapes,
        instances: vec![(0, at(origin)), (1, at(origin + moved))],
        kinematics: Kinematics::default(),
    })
}

fn caption() -> Caption {
    Caption {
        id: "0123456789ab".into(),
        names: ["a".into(), "b".into()],
        lines: vec!["overlap".into()],
        units: LengthUnit::Mm,
    }
}

/// Pair with a common ball at a point; `size` is the size of the overlap around it.
fn subject(point: Vec3, depth: Option<f64>, size: [f64; 3]) -> Subject {
    let half = Vec3::from(size) * 0.5;
    let overlap = depth.map(|_| Aabb { min: point - half, max: point + half });
    let focus = Focus { point, thin: Some(Vec3::x()), depth, apart: None, overlap, section: None };
    Subject { pair: [InstanceIx(0), InstanceIx(1)], focus, way_out: None, demanded: None }
}

/// Pixels and text chunk of a picture.
fn decoded(bytes: &[u8]) -> (Vec<[u8; 3]>, usize, Value) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("one frame");
    let info = reader.info();
    let chunk = info.utf8_text.iter().find(|c| c.keyword == encode::KEYWORD).expect("the text chunk");
    let text = serde_json::from_str(&chunk.get_text().expect("UTF-8")).expect("JSON");
    (pixels.as_chunks::<3>().0.to_vec(), info.width as usize, text)
}

/// Area of the overlap in a panel (mm²).
fn red_area(bytes: &[u8], name: &str) -> (f64, f64) {
    let (pixels, width, text) = decoded(bytes);
    let panel = text["panels"].as_array().expect("panels").iter().find(|p| p["name"] == name).expect("the panel");
    let get = |key: &str| panel[key].as_u64().expect("a number") as usize;
    let mm = panel["mm_per_pixel"].as_f64().expect("a scale");
    let rows = get("y")..get("y") + get("height");
    let columns = get("x")..get("x") + get("width");
    let red = |c: &[u8; 3]| c[0] > 100 && c[1] < 40 && c[2] < 60;
    let n = rows.flat_map(|y| columns.clone().map(move |x| y * width + x)).filter(|k| red(&pixels[*k])).count();
    (n as f64 * mm * mm, mm)
}

#[test]
fn areas_of_overlaps_are_true() {
    // Two blocks of 10 mm that overlap by `w` in x: the section shows w by 10, or 10 by 10.
    for (width, origin) in [(2.0, Vec3::zeros()), (4.0, Vec3::repeat(1e5)), (7.5, Vec3::new(-3e4, 12.0, 0.5))] {
        let scene =
            scene([(block([10.0; 3]), true), (block([10.0; 3]), true)], Vec3::new(10.0 - width, 0.0, 0.0), origin);
        let point = origin + Vec3::new(10.0 - 0.5 * width, 5.0, 5.0);
        let bytes = draw(&scene, &subject(point, Some(width), [width, 10.0, 10.0]), &caption(), &Format::default());
        let (area, mm) = red_area(&bytes, "section");
        // Outline and marks take at most a line of pixels around the area, and the dimension line across it.
        let slack = 3.0 * mm * (2.0 * (width + 10.0) + width) + 20.0 * mm * 80.0 * mm;
        assert!((area - 10.0 * width).abs() <= slack, "{width}: {area} ± {slack}");
    }
}

#[test]
fn every_overlap_shows_red_in_space() {
    let scene = scene([(block([10.0; 3]), true), (block([2.0; 3]), true)], Vec3::repeat(4.0), Vec3::zeros());
    let bytes = draw(&scene, &subject(Vec3::repeat(5.0), Some(2.0), [2.0; 3]), &caption(), &Format::default());
    assert!(red_area(&bytes, "space").0 > 2.0);
}

#[test]
fn a_surface_without_an_inside_gets_no_red_area() {
    let mut open = block([10.0; 3]);
    open.triangles.pop();
    let scene = scene([(block([10.0; 3]), true), (open, false)], Vec3::repeat(4.0), Vec3::zeros());
    let bytes = draw(&scene, &subject(Vec3::repeat(7.0), None, [0.0; 3]), &caption(), &Format::default());
    assert_eq!(red_area(&bytes, "section").0, 0.0);
    // The ring around the place is the only red in space.
    let (area, mm) = red_area(&bytes, "space");
    assert!(area / (mm * mm) < 700.0, "{area}");
}

#[test]
fn a_thin_overlap_gets_a_magnifier() {
    let moved = Vec3::new(9.95, 0.0, 0.0);
    let scene = scene([(block([10.0; 3]), true), (block([10.0; 3]), true)], moved, Vec3::zeros());
    let bytes = draw(
        &scene,
        &subject(Vec3::new(9.975, 5.0, 5.0), Some(0.05), [0.05, 10.0, 10.0]),
        &caption(),
        &Format::default(),
    );
    let (_, mm) = red_area(&bytes, "magnifier");
    // The depth measures 48 pixels.
    assert!((0.05 / mm - 48.0).abs() < 1e-9, "{mm}");
    assert!(red_area(&bytes, "magnifier").0 > 0.05 * 100.0 * mm);
}

#[test]
fn same_scene_gives_same_bytes() {
    let shapes = || [(block([10.0; 3]), true), (block([3.0; 3]), true)];
    let draw_once = || {
        let scene = scene(shapes(), Vec3::new(8.0, 1.0, 2.0), Vec3::zeros());
        draw(&scene, &subject(Vec3::new(9.0, 2.0, 3.0), Some(2.0), [2.0; 3]), &caption(), &Format::default())
    };
    let bytes = draw_once();
    assert_eq!(bytes, draw_once());
    assert!(decoded(&bytes).0.contains(&OVERLAP));
}

#[test]
fn long_and_foreign_names_stay_inside() {
    let caption = Caption {
        names: ["x".repeat(10_000), "\u{202e}über \u{0}螺".to_owned()],
        lines: vec!["y ".repeat(5_000)],
        ..caption()
    };
    let scene = scene([(block([1.0; 3]), true), (block([1.0; 3]), true)], Vec3::x() * 0.5, Vec3::zeros());
    let format = Format { width: 320, height: 160, ..Format::default() };
    let bytes = draw(&scene, &subject(Vec3::repeat(0.7), Some(0.5), [0.5; 3]), &caption, &format);
    assert_eq!(decoded(&bytes).1, 320);
}
