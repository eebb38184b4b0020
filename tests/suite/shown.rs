//! Do pictures show what is there? Pixels of the section against closed forms, by the scale in the text chunk.

use crate::generate::folders;
use crate::models::Run;
use crate::shared::shared;
use crate::support::report::parsed;
use crate::support::solids::{block, cells, prism, tube};
use crate::support::two::{about_z, placed};
use interfere::internals::assembly::{Assembly, Geometry, LoadOptions, load};
use interfere::internals::check::{Options, Status};
use interfere::internals::geom::{Affine, LengthUnit, Mat3, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;
use interfere::internals::picture::{Caption, Format, Subject, draw, of_finding};
use interfere::internals::scene::{Focus, SceneFinding};
use interfere::testkit::poses::oblique;
use serde_json::Value;
use std::path::Path;

/// A read picture.
struct Picture {
    pixels: Vec<[u8; 3]>,
    width: usize,
    panels: Vec<Value>,
}

/// A panel of a picture: rectangle (pixels), view (mm).
struct Panel<'a> {
    picture: &'a Picture,
    rect: [usize; 4],
    centre: Vec3,
    right: Vec3,
    up: Vec3,
    mm: f64,
}

impl Picture {
    fn read(bytes: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("one frame");
        let info = reader.info();
        let chunk = info.utf8_text.iter().find(|c| c.keyword == "interfere").expect("the text chunk");
        let text = parsed(&chunk.get_text().expect("UTF-8"));
        let panels = text["panels"].as_array().expect("panels").clone();
        Self { pixels: pixels.as_chunks::<3>().0.to_vec(), width: info.width as usize, panels }
    }

    fn of(run: &Run, finding: &SceneFinding) -> Self {
        Self::read(&of_finding(&run.scene, &run.judged, finding, &Format::default()))
    }

    fn panel(&self, name: &str) -> Option<Panel<'_>> {
        let panel = self.panels.iter().find(|p| p["name"] == name)?;
        let vector = |key: &str| {
            let v: [f64; 3] = serde_json::from_value(panel[key].clone()).expect("a vector");
            Vec3::from(v)
        };
        let rect = ["x", "y", "width", "height"].map(|key| panel[key].as_u64().expect("a number") as usize);
        let mm = panel["mm_per_pixel"].as_f64().expect("a scale");
        Some(Panel { picture: self, rect, centre: vector("centre"), right: vector("right"), up: vector("up"), mm })
    }
}

impl Panel<'_> {
    /// Colour of the pixel at a column and a row of the panel; `None` outside.
    fn color(&self, [x, y]: [f64; 2]) -> Option<[u8; 3]> {
        let [left, top, width, height] = self.rect;
        let inside = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
        inside.then(|| self.picture.pixels[(top + y as usize) * self.picture.width + left + x as usize])
    }

    /// Column and row of a point.
    fn at(&self, p: &Vec3) -> [f64; 2] {
        let (d, [_, _, width, height]) = (p - self.centre, self.rect);
        [0.5 * width as f64 + d.dot(&self.right) / self.mm, 0.5 * height as f64 - d.dot(&self.up) / self.mm]
    }

    /// Point at the centre of a pixel.
    fn point(&self, x: usize, y: usize) -> Vec3 {
        let [_, _, width, height] = self.rect.map(|v| v as f64);
        self.centre
            + self.right * ((x as f64 + 0.5 - 0.5 * width) * self.mm)
            + self.up * ((0.5 * height - y as f64 - 0.5) * self.mm)
    }

    fn count(&self, is: impl Fn([u8; 3]) -> bool) -> usize {
        let [left, top, width, height] = self.rect;
        let rows = (top..top + height).map(|y| &self.picture.pixels[y * self.picture.width + left..][..width]);
        rows.flatten().filter(|c| is(**c)).count()
    }
}

fn is_red(c: [u8; 3]) -> bool {
    c[0] > 100 && c[1] < 40 && c[2] < 60
}

/// Share of red pixels in a disc of 24 pixels around a point, in the panel that shows the depth larger than that.
fn disc(picture: &Picture, point: &Vec3, depth: f64) -> f64 {
    let panels = ["section", "magnifier"].into_iter().filter_map(|name| picture.panel(name));
    let large = panels.filter(|p| depth / p.mm >= 24.0 - 1e-6);
    let share = |p: Panel<'_>| {
        let [x, y] = p.at(point);
        let around = (-12..=12).flat_map(|dx| (-12..=12).map(move |dy| [f64::from(dx), f64::from(dy)]));
        let inside: Vec<[f64; 2]> = around.filter(|d| d[0] * d[0] + d[1] * d[1] <= 11.0 * 11.0).collect();
        let red = inside.iter().filter(|d| p.color([x + d[0], y + d[1]]).is_some_and(is_red)).count();
        red as f64 / inside.len() as f64
    };
    large.map(share).fold(0.0, f64::max)
}

/// Every interference shows red around its deepest point, in the section and in space. Returns their number and the
/// least share of red in the disc.
fn assert_seen(run: &Run, what: &str) -> (usize, f64) {
    let (mut seen, mut least) = (0, 1.0_f64);
    for finding in &run.findings {
        let row = &run.judged.outcome.pairs[finding.row];
        let (Some(point), Some(depth)) = (row.deepest_point, row.overlap_depth) else { continue };
        if row.status != Status::Interference || depth <= 0.0 {
            continue;
        }
        let picture = Picture::of(run, finding);
        let share = disc(&picture, &point, depth);
        // The dimension line and the arrow of the move cross the disc.
        assert!(share >= 0.6, "{what}: row {}: {share} of the disc is red", finding.row);
        let space = picture.panel("space").expect("the view in space").count(is_red);
        assert!(space >= 20, "{what}: row {}: {space} red pixels in space", finding.row);
        (seen, least) = (seen + 1, least.min(share));
    }
    (seen, least)
}

#[test]
fn every_interference_of_the_cases_is_red() {
    let mut seen = 0;
    for folder in folders() {
        let assembly = load(&folder.join("assembly.json"), &FsLoader, &LoadOptions::default()).expect("a fixture");
        seen += assert_seen(&Run::of(&assembly), &folder.display().to_string()).0;
    }
    assert!(seen >= 15, "{seen} interferences");
}

/// Real assemblies, some seconds to minutes each: with `INTERFERE_FULL=1`, where the shared folder is.
#[test]
fn every_interference_of_real_assemblies_is_red() {
    let (Some(shared), Some(_)) = (shared(), std::env::var_os("INTERFERE_FULL")) else {
        println!("skipped: needs INTERFERE_FULL=1 and the shared cases");
        return;
    };
    let asked = std::env::var("INTERFERE_CASE").unwrap_or_default();
    for name in ["bolt-crossed", "gripper", "mykroscope", "paradasat", "so100-folded", "panda-visual"] {
        if !asked.is_empty() && asked != name {
            continue;
        }
        let file = shared.join("cases").join(name).join("assembly.json");
        let run = Run::of(&load(&file, &FsLoader, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")));
        let (seen, least) = assert_seen(&run, name);
        let unclaimed = assert_nothing_claimed(&run, name);
        println!("{name}: {seen} interferences, least share {least:.2}; {unclaimed} pairs without an inside");
    }
}

/// Pictures of findings with a mesh without an inside have no red and no filled area of that mesh in the section.
/// Returns their number.
fn assert_nothing_claimed(run: &Run, what: &str) -> usize {
    let mut seen = 0;
    for finding in &run.findings {
        let open = finding.pair.map(|i| !run.scene.shape_of(i).solid);
        if open == [false; 2] {
            continue;
        }
        let picture = Picture::of(run, finding);
        for panel in ["section", "magnifier"].into_iter().filter_map(|name| picture.panel(name)) {
            assert_eq!(panel.count(is_red), 0, "{what}: row {}", finding.row);
            let filled = [
                panel.count(|c| c[0] > 120 && c[2] > 200 && c[2].saturating_sub(c[0]) > 25),
                panel.count(|c| c[0] > 220 && c[1] > 170 && c[0].saturating_sub(c[2]) > 60),
            ];
            for side in 0..2 {
                assert!(!open[side] || filled[side] == 0, "{what}: row {}: {filled:?}", finding.row);
            }
        }
        seen += 1;
    }
    seen
}

#[test]
fn meshes_without_an_inside_claim_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/open-mesh/assembly.json");
    let run = Run::of(&load(&folder, &FsLoader, &LoadOptions::default()).expect("a fixture"));
    assert!(assert_nothing_claimed(&run, "open-mesh") >= 1);
}

/// Closed form of a solid in its own frame.
type Inside = fn(&Vec3) -> bool;

/// Meshes of A and B with their closed forms.
type Solids<'a> = [(&'a TriMesh, Inside); 2];

/// True in a regular polygon with a corner on the x axis.
fn in_polygon(p: &Vec3, sides: u32, radius: f64) -> bool {
    let turn = std::f64::consts::TAU / f64::from(sides);
    (0..sides).all(|k| {
        let at = turn * (f64::from(k) + 0.5);
        p.x * libm::cos(at) + p.y * libm::sin(at) <= radius * libm::cos(0.5 * turn)
    })
}

fn in_block(p: &Vec3) -> bool {
    (0.0..=10.0).contains(&p.x) && (0.0..=8.0).contains(&p.y) && (0.0..=6.0).contains(&p.z)
}

fn in_pin(p: &Vec3) -> bool {
    (-8.0..=8.0).contains(&p.z) && in_polygon(p, 64, 3.0)
}

fn in_ring(p: &Vec3) -> bool {
    (0.0..=4.0).contains(&p.z) && in_polygon(p, 64, 8.0) && !in_polygon(p, 64, 2.5)
}

/// The block without the quarter at large x and y.
fn in_corner(p: &Vec3) -> bool {
    in_block(p) && !(p.x > 4.0 && p.y > 3.0)
}

/// Compares the red area of the section with the closed form, pixel by pixel. Both sides are in mm. Returns the
/// difference of the areas in outlines of one pixel.
fn area_error(what: &str, unit: LengthUnit, solids: Solids<'_>, placements: [Affine; 2], options: &Options) -> f64 {
    let builder = Assembly::builder("two", unit).part("a", solids[0].0.clone()).part("b", solids[1].0.clone());
    let placements = placements.map(|p| Affine { translation: p.translation * unit.mm(), ..p });
    let assembly = builder.instance("a", "a", placements[0]).instance("b", "b", placements[1]).build();
    let run = Run::with(&assembly.unwrap_or_else(|e| panic!("{what}: {e}")), options);
    let [finding] = &run.findings[..] else { panic!("{what}: {} findings", run.findings.len()) };
    // Without a depth and a move, the section has no marks but its scale.
    let focus = Focus { depth: None, ..finding.focus };
    let subject = Subject { pair: finding.pair, focus, way_out: None, demanded: None };
    let caption = Caption { id: String::new(), names: ["a".into(), "b".into()], lines: Vec::new(), units: unit };
    let picture = Picture::read(&draw(&run.scene, &subject, &caption, &Format::default()));
    let section = picture.panel("section").expect("the section");
    let [_, _, width, height] = section.rect;
    let back = placements.map(|p| p.linear.try_inverse().expect("a placement"));
    let expected = |x: usize, y: usize| {
        let p = section.point(x, y);
        (0..2).all(|k| solids[k].1(&(back[k] * (p - placements[k].translation) / unit.mm())))
    };
    let inside: Vec<bool> = (0..width * height).map(|k| expected(k % width, k / width)).collect();
    let (mut red, mut area, mut outline, mut far) = (0_usize, 0_usize, 0_usize, 0_usize);
    for (k, is) in inside.iter().enumerate() {
        let (x, y) = (k % width, k / width);
        // The scale bar, and the frame of the panel.
        if x < 3 || y < 3 || x + 3 >= width || y + 3 >= height || (x < 240 && y + 30 > height) {
            continue;
        }
        let shown = section.color([x as f64, y as f64]).is_some_and(is_red);
        let edge = [k - 1, k + 1, k - width, k + width].iter().any(|n| inside[*n] != *is);
        let near = (x - 2..=x + 2).any(|x| (y - 2..=y + 2).any(|y| inside[y * width + x] != *is));
        (red, area) = (red + usize::from(shown), area + usize::from(*is));
        outline += usize::from(edge && *is);
        far += usize::from(shown != *is && !near);
    }
    assert_eq!(far, 0, "{what}: wrong pixels away from the outline");
    assert!(area > 500, "{what}: {area} pixels");
    (red as f64 - area as f64).abs() / outline as f64
}

#[test]
fn areas_equal_their_closed_forms() {
    let box_ = block([0.0; 3], [10.0, 8.0, 6.0]);
    let (pin, ring) = (prism(64, 3.0, [-8.0, 8.0]), tube(64, 8.0, 2.5, [0.0, 4.0]));
    let corner = cells([&[0.0, 4.0, 10.0], &[0.0, 3.0, 8.0], &[0.0, 6.0]], |[i, j, _]| !(i == 1 && j == 1));
    let at = |x: f64, y: f64, z: f64| placed(Mat3::identity(), Vec3::new(x, y, z));
    let far = Vec3::new(1e6, -2e6, 5e5);
    let mirror = Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0));
    let (b, p, r, c) = (
        (&box_, in_block as Inside),
        (&pin, in_pin as Inside),
        (&ring, in_ring as Inside),
        (&corner, in_corner as Inside),
    );
    let moved = |p: Affine, by: Vec3| Affine { translation: p.translation + by, ..p };
    let turned = |m: Mat3, x: f64, y: f64, z: f64| placed(m, Vec3::new(x, y, z));
    let mm = LengthUnit::Mm;
    let cases: Vec<(&str, LengthUnit, Solids<'_>, [Affine; 2])> = vec![
        ("blocks", mm, [b, b], [at(0.0, 0.0, 0.0), at(7.0, 1.0, 2.0)]),
        ("a thin overlap", mm, [b, b], [at(0.0, 0.0, 0.0), at(9.5, 1.0, 2.0)]),
        ("far from the origin", mm, [b, b], [moved(at(0.0, 0.0, 0.0), far), moved(at(7.0, 1.0, 2.0), far)]),
        ("45°", mm, [b, b], [at(0.0, 0.0, 0.0), turned(about_z(45.0), 8.0, 0.0, 1.0)]),
        ("oblique", mm, [b, b], [turned(oblique(), 0.0, 0.0, 0.0), turned(about_z(20.0), 3.0, 2.0, 1.0)]),
        ("mirrored", mm, [c, b], [turned(mirror, 10.0, 0.0, 0.0), at(-3.0, 1.0, 2.0)]),
        ("inches", LengthUnit::Inch, [b, b], [at(0.0, 0.0, 0.0), at(7.0, 1.0, 2.0)]),
        ("scaled", mm, [b, b], [turned(Mat3::from_diagonal_element(2.0), 0.0, 0.0, 0.0), at(17.0, 1.0, 2.0)]),
        ("press fit", mm, [r, p], [at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.0)]),
        ("pin through a block", mm, [b, p], [at(0.0, 0.0, 0.0), at(5.0, 4.0, 3.0)]),
        (
            "block in a block",
            mm,
            [b, b],
            [turned(Mat3::from_diagonal_element(3.0), -9.0, -9.0, -9.0), at(0.0, 0.0, 0.0)],
        ),
        ("an inner corner", mm, [c, b], [at(0.0, 0.0, 0.0), at(2.0, 1.0, 2.0)]),
    ];
    assert_eq!(cases.len(), 12);
    for (what, unit, solids, placements) in cases {
        let error = area_error(what, unit, solids, placements, &Options::default());
        println!("{what}: {error:.2} outlines of one pixel");
        assert!(error <= 1.0, "{what}: {error}");
    }
}

/// The hull decides, so the section fills the inner corner.
#[test]
fn hulls_are_drawn_where_they_decide() {
    let corner = cells([&[0.0, 4.0, 10.0], &[0.0, 3.0, 8.0], &[0.0, 6.0]], |[i, j, _]| !(i == 1 && j == 1));
    let stud = block([0.0; 3], [10.0, 8.0, 6.0]);
    // The hull of the corner: the block cut by the plane through its two outer edges.
    let in_hull: Inside = |p| in_block(p) && (p.x - 4.0) / 6.0 + (p.y - 3.0) / 5.0 <= 1.0;
    let placements = [placed(Mat3::identity(), Vec3::zeros()), placed(Mat3::identity(), Vec3::new(4.5, 3.5, 2.0))];
    let solids: Solids<'_> = [(&corner, in_hull), (&stud, in_block)];
    let options = Options { geometry: Some(Geometry::Hull), ..Options::default() };
    let error = area_error("hull", LengthUnit::Mm, solids, placements, &options);
    assert!(error <= 1.0, "{error}");
}

/// Length of the dark line through a point of a panel, along a direction of the panel (pixels).
fn dark_run(panel: &Panel<'_>, from: [f64; 2], along: [f64; 2]) -> f64 {
    let is_dark = |t: f64| {
        let at = [from[0] + along[0] * t, from[1] + along[1] * t];
        // Outlines of parts are blue or amber, not grey.
        panel.color(at).is_some_and(|c| c.iter().max() < Some(&128) && c[2].abs_diff(c[0]) < 40)
    };
    let reach =
        |sign: f64| (0..4000).map(|k| f64::from(k) * 0.25).take_while(|t| is_dark(sign * t)).count() as f64 * 0.25;
    reach(1.0) + reach(-1.0)
}

/// The dimension lines of a clearance have the lengths of the gap and of the required gap.
#[test]
fn gap_and_required_gap_are_drawn_to_scale() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases/fan-clearance/assembly.json");
    let run = Run::of(&load(&file, &FsLoader, &LoadOptions::default()).expect("a fixture"));
    let mut measured = 0;
    for finding in &run.findings {
        let (Some([a, b]), Some(demanded)) = (finding.focus.apart, finding.demanded) else { continue };
        let picture = Picture::of(&run, finding);
        let panel = picture.panel("magnifier").or_else(|| picture.panel("section")).expect("a section");
        let thin = (b - a).normalize();
        let flat = [thin.dot(&panel.right), -thin.dot(&panel.up)];
        // The line of the required gap begins at the same point, 14 pixels aside.
        for (length, aside) in [((b - a).norm(), 0.0), (demanded, 14.0)] {
            let [x, y] = panel.at(&(a + thin * (0.5 * length)));
            let middle = [x - flat[1] * aside, y + flat[0] * aside];
            let pixels = length / panel.mm;
            // The ticks at both ends are 1.5 pixels thick.
            let drawn = dark_run(&panel, middle, flat) - 1.5;
            assert!((drawn - pixels).abs() <= 1.0, "row {}: {drawn} pixels, not {pixels}", finding.row);
            measured += 1;
        }
    }
    assert!(measured >= 2, "{measured}");
}

#[test]
fn instance_order_and_threads_leave_the_pictures() {
    let mesh = block([0.0; 3], [10.0, 8.0, 6.0]);
    let places =
        [("a", 0.0), ("b", 7.0), ("c", 30.0)].map(|(id, x)| (id, placed(Mat3::identity(), Vec3::new(x, 0.5 * x, 0.0))));
    let pictures = |order: [usize; 3], threads: usize| {
        let mut builder = Assembly::builder("three", LengthUnit::Mm).part("p", mesh.clone());
        for k in order {
            builder = builder.instance(places[k].0, "p", places[k].1);
        }
        let assembly = builder.build().expect("an assembly");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let run = Run::of(&assembly);
            let bytes = |f: &SceneFinding| of_finding(&run.scene, &run.judged, f, &Format::default());
            run.findings.iter().map(bytes).collect::<Vec<_>>()
        })
    };
    let one = pictures([0, 1, 2], 1);
    assert_eq!(one.len(), 1);
    for (order, threads) in [([0, 1, 2], 2), ([0, 1, 2], 8), ([2, 1, 0], 2), ([1, 2, 0], 1)] {
        assert!(pictures(order, threads) == one, "{order:?} with {threads} threads");
    }
}
