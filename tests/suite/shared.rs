//! Do real assemblies and meshes agree with facts from other programs? They lie beside the project (`../shared`, or the
//! folder of `INTERFERE_SHARED`). The same questions as in its `tools/judge.py --geometry hull` and
//! `tools/judge_meshes.py`, in fewer words.

use crate::support::command::{Ran, interfere, interfere_in};
use crate::support::report::{assert_sound, length, parsed, row, vector};
use interfere::internals::geom::LengthUnit;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("INTERFERE_SHARED").map(PathBuf::from);
    let named_and_missing = named.as_ref().is_some_and(|p| !p.is_dir());
    assert!(!named_and_missing, "INTERFERE_SHARED names a folder that is not there");
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    folder.is_dir().then_some(folder)
}

fn json_file(path: &Path) -> Value {
    parsed(&fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Ground truth in mm, in either form.
struct Truth {
    a: String,
    b: String,
    /// Diameter of the largest known common ball and distance of the meshes; `None` for broken meshes.
    thickness: Option<f64>,
    distance: Option<f64>,
    /// Distance and penetration depth of the convex hulls.
    hulls: Option<(f64, f64)>,
}

fn truths(folder: &Path, mm: f64) -> Vec<Truth> {
    let truth = json_file(&folder.join("truth.json"));
    let text = |v: &Value| v.as_str().expect("an id").to_owned();
    let length = |v: &Value, unit: f64| v.as_f64().map(|x| x * unit);
    if let Some(rows) = truth.as_array() {
        return rows
            .iter()
            .map(|r| {
                let known = r["verdict"] != "open";
                let hulls =
                    length(&r["hull_distance"], mm).map(|d| (d, length(&r["hull_penetration"], mm).unwrap_or(0.0)));
                Truth {
                    a: text(&r["a"]),
                    b: text(&r["b"]),
                    thickness: length(&r["overlap_inradius"], 2.0 * mm).filter(|_| known),
                    distance: length(&r["mesh_distance"], mm).filter(|_| known),
                    hulls,
                }
            })
            .collect();
    }
    let rows = truth["pairs"].as_array().expect("pairs");
    rows.iter()
        .map(|r| {
            let mesh = &r["mesh"];
            let failed = mesh["status"] == "failed";
            Truth {
                a: text(&r["a"]),
                b: text(&r["b"]),
                thickness: length(&mesh["thickness_mm"], 1.0).filter(|_| !failed),
                distance: length(&mesh["distance_mm"], 1.0).filter(|_| !failed),
                hulls: None,
            }
        })
        .collect()
}

#[derive(Default, Debug)]
struct Held {
    thick: usize,
    near: usize,
    hulls_apart: usize,
    hulls_overlapping: usize,
}

impl Held {
    /// Compares one pair with its row in the report, if listed.
    fn hold(&mut self, t: &Truth, row: Option<&Value>, mm: f64, tolerance: f64) {
        let at = format!("{} and {}", t.a, t.b);
        let of = |key: &str| row.and_then(|r| r[key].as_f64()).map(|x| x * mm);
        if let Some(thickness) = t.thickness.filter(|x| *x > 1.03 * tolerance) {
            // A hull contains its part: no overlap is missed, and no depth is smaller.
            assert_eq!(row.map(|r| &r["status"]), Some(&"interference".into()), "{at}: {thickness} mm deep");
            assert!(of("overlap_depth") >= Some(0.97 * thickness), "{at}: {thickness} mm deep: {row:?}");
            let translation = row.and_then(|r| vector(&r["separating_translation"])).map(|v| length(v) * mm);
            assert!(translation >= Some(0.97 * thickness), "{at}: {row:?}");
            self.thick += 1;
        }
        if let Some(distance) = t.distance.filter(|d| *d <= 0.99) {
            let gap = of("gap").unwrap_or_else(|| panic!("{at}: {distance} mm apart and not listed"));
            assert!(gap <= distance + 1e-6, "{at}: the hulls are no further apart than the parts: {gap}, {distance}");
            self.near += 1;
        }
        match t.hulls {
            Some((_, penetration)) if penetration > 1e-5 => {
                let found =
                    of("penetration_depth").unwrap_or_else(|| panic!("{at}: {penetration} mm and not reported"));
                assert!((found - penetration).abs() <= 1e-3 * penetration + 1e-6, "{at}: {found}, truth {penetration}");
                self.hulls_overlapping += 1;
            }
            Some((distance, _)) if distance <= 0.99 => {
                let found = of("gap").unwrap_or_else(|| panic!("{at}: {distance} mm apart and not listed"));
                assert!((found - distance).abs() <= 2e-6 + 1e-6 * distance, "{at}: {found}, truth {distance}");
                self.hulls_apart += 1;
            }
            _ => {}
        }
    }
}

fn hold_case(folder: &Path, held: &mut Held) {
    let path = folder.join("assembly.json");
    let assembly = json_file(&path);
    let unit = assembly["units"].as_str().unwrap_or("mm");
    let mm = LengthUnit::from_name(unit).expect("a unit").mm();
    let tolerance = assembly["tolerance"].as_f64().map_or(0.01, |t| t * mm);
    let within = (1.0 / mm).to_string();
    let path = path.to_str().expect("UTF-8");
    let ran = interfere(&["check", path, "--format", "json", "--geometry", "hull", "--report-within", &within]);
    assert!(ran.code < 2, "{}", ran.stderr);
    let report = parsed(&ran.stdout);
    assert_sound(&report);
    let truths = truths(folder, mm);
    for t in &truths {
        let (a, b) = if t.a < t.b { (&t.a, &t.b) } else { (&t.b, &t.a) };
        held.hold(t, row(&report, a, b), mm, tolerance);
    }
    // Pairs without a truth have boxes more than 1 mm apart; hulls lie inside the boxes.
    for found in report["pairs"].as_array().expect("rows") {
        let known = truths
            .iter()
            .any(|t| (found["a"] == *t.a && found["b"] == *t.b) || (found["a"] == *t.b && found["b"] == *t.a));
        assert!(known || found["status"] == "clear", "their boxes are over 1 mm apart: {found}");
    }
}

#[test]
fn real_assemblies_agree_with_their_truth() {
    let Some(shared) = shared() else { return crate::support::skipped("../shared is not here") };
    let mut held = Held::default();
    let mut cases = 0;
    let mut folders: Vec<PathBuf> = fs::read_dir(shared.join("cases")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|f| f.join("truth.json").is_file() && f.join("assembly.json").is_file()) {
        println!("{}", folder.display());
        hold_case(&folder, &mut held);
        cases += 1;
    }
    println!("{cases} cases: {held:?}");
    assert!(cases >= 10 && held.thick > 100 && held.near > 500, "{cases} cases: {held:?}");
    assert!(held.hulls_apart >= 5 && held.hulls_overlapping >= 20, "{held:?}");
}

fn refused(entry: &Value, ran: &Ran) {
    let file = entry["file"].as_str().expect("a name");
    assert_eq!(ran.code, 2, "{file}: {ran:?}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines.len() == 1 && lines[0].contains(file) && !lines[0].contains("panicked"), "{file}: {ran:?}");
    if !ran.stdout.is_empty() {
        assert_eq!(parsed(&ran.stdout)["meshes"].as_array().map(Vec::len), Some(0), "{file}");
    }
}

fn agrees(entry: &Value, ran: &Ran) {
    let (file, facts) = (&entry["file"], &entry["facts"]);
    assert_eq!(ran.code, 0, "{file}: {}", ran.stderr);
    let report = parsed(&ran.stdout);
    let mesh = &report["meshes"][0];
    for (key, fact) in [("format", "format"), ("triangles", "triangles")] {
        assert!(facts[fact].is_null() || mesh[key] == facts[fact], "{file}: {key} is {}", mesh[key]);
    }
    let (Some(low), Some(high)) = (vector(&facts["bbox"][0]), vector(&facts["bbox"][1])) else { return };
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    for (key, corner) in [("min", low), ("max", high)] {
        let found = vector(&mesh["bounds"][key]).expect("a corner");
        assert!((0..3).all(|k| (found[k] - corner[k]).abs() <= 1e-6 * size), "{file}: bounds {}", mesh["bounds"]);
    }
    // A closed mesh of one shell without defects encloses one volume.
    let simple = facts["watertight"] == true
        && facts["components"] == 1
        && ["duplicate_faces", "repeated_vertex_faces", "zero_area_faces"].iter().all(|k| facts[*k] == 0)
        && !facts["flags"].to_string().contains("n-gons");
    if simple {
        assert_eq!(mesh["closed"], true, "{file}");
        let (found, signed) =
            (mesh["volume"].as_f64().expect("closed"), facts["signed_volume"].as_f64().expect("a fact"));
        assert!((found - signed.abs()).abs() <= 1e-5 * signed.abs(), "{file}: volume {found}, {signed}");
        assert_eq!(mesh["inside_out"], signed < 0.0, "{file}");
        assert!(mesh["hull"]["volume"].as_f64() >= Some(found * (1.0 - 1e-6)), "{file}: a hull is no smaller");
    }
    assert!(mesh["closed"] == true || mesh["volume"].is_null(), "{file}: an open mesh has no volume");
}

#[test]
fn real_meshes_match_their_manifest() {
    let Some(shared) = shared() else { return crate::support::skipped("../shared is not here") };
    let folder = shared.join("meshes");
    let manifest = json_file(&folder.join("MANIFEST.json"));
    let (mut loaded, mut rejected) = (0, 0);
    for entry in manifest.as_array().unwrap() {
        let ran = interfere_in(&folder, &["inspect", entry["file"].as_str().unwrap(), "--format", "json"]);
        let expect = entry["expect"].as_str().unwrap();
        if expect == "reject" || (expect == "either" && ran.code == 2) {
            refused(entry, &ran);
            rejected += 1;
        } else {
            agrees(entry, &ran);
            loaded += 1;
        }
    }
    assert!(loaded >= 20 && rejected >= 5, "{loaded} read, {rejected} refused");
}
