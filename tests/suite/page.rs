//! Is the page complete, within its budgets, equal for every number of threads, and without effect on other reports?

use crate::generate::folders;
use crate::schema::{assert_valid, closed, schema, validator};
use crate::shared::shared;
use crate::support::command::interfere;
use crate::support::report::parsed;
use crate::support::scratch::Scratch;
use crate::support::skipped;
use crate::support::solids::stl;
use interfere::testkit::solids::ball;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name).join("assembly.json")
}

/// Page of an assembly.
fn page(assembly: &Path, flags: &[&str]) -> String {
    let scratch = Scratch::new();
    let format = format!("html={}", text(&scratch.path().join("page.html")));
    let ran = interfere(&[&["check", text(assembly), "--allow-outside", "--format", &format], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
    assert_eq!(ran.stdout, "");
    std::fs::read_to_string(scratch.path().join("page.html")).expect("a page")
}

/// Data of a page.
fn data(html: &str) -> Value {
    let (_, after) = html.split_once("id=\"report\">").expect("the data");
    let (json, _) = after.split_once("</script>").expect("its end");
    parsed(json)
}

#[test]
fn the_data_of_every_case_has_the_keys_of_its_schema() {
    let validator = validator(&closed(&schema("page")));
    let mut findings = 0;
    for folder in folders() {
        let html = page(&folder.join("assembly.json"), &["--no-baseline"]);
        let data = data(&html);
        assert_valid(&validator, &data, text(&folder));
        let listed = data["findings"].as_array().expect("a list").len();
        findings += listed;
        assert_eq!(html.matches("<img ").count(), listed.min(20), "{folder:?}");
        assert_eq!(html.matches(" data-mesh=").count(), data["meshes"].as_array().expect("a list").len());
    }
    assert!(findings > 20, "{findings}");
}

#[test]
fn the_page_has_the_staircase_of_a_finding_of_a_sweep() {
    let data = data(&page(&case("sliding-doors"), &[]));
    let findings = data["findings"].as_array().expect("a list");
    let opening = findings.iter().find(|f| f["run"]["name"] == "opening").expect("a finding of the sweep");
    let curve = &opening["run"]["curve"];
    let gaps: Vec<[f64; 2]> = serde_json::from_value(curve["gaps"].clone()).expect("bounds");
    assert_eq!((&curve["from"], &curve["to"], gaps.len()), (&"left 0".into(), &"left 20".into(), 48));
    // The door moves by 20 mm towards a stop 18 mm away.
    assert!(gaps[0][0] > 16.0 && gaps[0][1] > 17.0 && (gaps[47][1] + 2.0).abs() < 0.2, "{gaps:?}");
    assert_eq!((&curve["worst"]["part"], &curve["worst"]["to"]), (&47.into(), &"left 20".into()));
    assert!(findings.iter().all(|f| f["run"].is_null() == f["run"]["curve"].is_null() || f["run"]["kind"] == "pose"));
}

#[test]
fn the_policy_comes_first_and_nothing_is_inline() {
    let html = page(&case("pivot"), &[]);
    let head = html.split("<title>").next().expect("a head");
    assert!(head.contains("default-src 'none'; script-src 'sha256-") && head.contains("base-uri 'none'"), "{head}");
    assert!(head.find("Content-Security-Policy") < head.find("viewport"));
    let markup = html.split("<script").next().expect("the markup");
    let markup = &markup[markup.find("</style>").expect("a style")..];
    assert!(!markup.contains(" style=") && !markup.contains(" onclick") && !markup.contains(" onerror"));
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(!html.contains("http://") && !html.contains("https://"), "the page names no address");
}

#[test]
fn viewer_style_and_template_keep_their_budget() {
    let html = page(&case("thin-pierce"), &[]);
    let between = |begin: &str, end: &str| {
        let text = &html[html.rfind(begin).expect("a begin") + begin.len()..];
        text[..text.find(end).expect("an end")].len()
    };
    let (program, style) = (between("<script>", "</script>"), between("<style>", "</style>"));
    assert!(program > 40_000 && style > 5_000, "{program}, {style} bytes");
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/app.html");
    let all = program + style + std::fs::metadata(template).expect("a file").len() as usize;
    assert!(all <= 80_000, "{all} bytes");
}

#[test]
fn hostile_names_stay_text() {
    let scratch = Scratch::new();
    // A slash in an id separates sub-assemblies.
    let id = "<script><img src=x onerror=alert(1)>'\\\"&\\u202e\\u0007";
    let part = format!("<!--</script></title></style>{id}");
    let cube = text(&case("thin-pierce").with_file_name("parts")).to_owned();
    let mesh = std::fs::read_dir(cube).expect("parts").next().expect("a part").expect("an entry").path();
    std::fs::copy(&mesh, scratch.path().join("a.obj")).expect("a copy");
    let assembly = format!(
        r#"{{"version": 1, "name": "{part}", "parts": {{"{part}": {{"mesh": "a.obj"}}}}, "instances": [
        {{"id": "{id}", "part": "{part}"}}, {{"id": "b", "part": "{part}", "placement": {{"translation": [0.5, 0.25, 0.125]}}}}]}}"#
    );
    let file = scratch.write("assembly.json", &assembly);
    let html = page(&file, &[]);
    let style_end = html.find("</style>").expect("a style");
    assert!(!html[style_end..].contains("<img src=x"), "an escape is missing");
    assert!(!html.contains('\u{202e}') && !html.contains('\u{7}'));
    assert_eq!(html.matches("</script>").count(), html.matches("<script").count());
    assert_eq!(data(&html)["instances"][0]["id"], "<script><img src=x onerror=alert(1)>'\"&\u{202e}\u{7}");
}

#[test]
fn threads_leave_the_bytes_and_other_reports_stay() {
    for name in ["pivot", "open-mesh"] {
        let one = page(&case(name), &["--threads", "1"]);
        assert!(one == page(&case(name), &["--threads", "8"]), "{name}");
        let scratch = Scratch::new();
        let html = format!("html={}", text(&scratch.path().join("p.html")));
        for format in ["table", "json", "sarif", "junit", "github", "markdown", "csv"] {
            let path = case(name);
            let alone = interfere(&["check", text(&path), "--format", format]);
            let both = interfere(&["check", text(&path), "--format", format, "--format", &html]);
            assert_eq!((alone.code, alone.stdout), (both.code, both.stdout), "{name} {format}");
        }
    }
}

#[test]
fn a_page_is_refused_where_nothing_is_drawn() {
    let (pivot, nested) = (case("pivot"), case("press-fit"));
    for (args, says) in [
        (vec!["check", text(&pivot), text(&nested), "--format", "html=p.html"], "html"),
        (vec!["check", text(&pivot), "--verdict-only", "--format", "html=p.html"], "--verdict-only"),
        (vec!["check", text(&pivot), "--format", "html=no/such/folder/p.html"], "no/such/folder"),
    ] {
        let ran = interfere(&args);
        assert_eq!((ran.code, ran.stderr.contains(says)), (2, true), "{}", ran.stderr);
    }
}

#[test]
fn render_writes_the_page_of_a_check_and_of_its_report() {
    let scratch = Scratch::new();
    let file = |name: &str| scratch.path().join(name);
    let (path, report, html) = (case("many-copies"), file("report.json"), file("page.html"));
    interfere(&["check", text(&path), "--format", "json", "-o", text(&report)]);
    let whole = page(&path, &[]);
    for more in [&[][..], &["--report", text(&report)]] {
        let ran = interfere(&[&["render", text(&path), "-o", text(&html)], more].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(std::fs::read_to_string(&html).expect("a page") == whole, "{more:?}");
    }
    let ran = interfere(&["render", text(&path), "a", "b", "-o", text(&html)]);
    assert!(ran.code == 2 && ran.stderr.contains("a page shows all findings"), "{}", ran.stderr);
}

#[test]
fn a_page_of_pairs_holds_no_other_mesh() {
    let html = page(&case("pivot"), &["--scene", "pairs"]);
    let data = data(&html);
    let shown = |id: &str| {
        let instances = data["instances"].as_array().expect("a list");
        instances.iter().any(|i| i["id"] == id && i["mesh"].is_u64())
    };
    assert_eq!(["peg", "stop", "bush", "lever"].map(shown), [true, true, false, false]);
    let meshes = data["meshes"].as_array().expect("a list");
    assert_eq!(meshes.iter().filter(|m| m["triangles"].as_u64() > Some(0)).count(), 2);
    assert_valid(&validator(&closed(&schema("page"))), &data, "pairs");
}

/// Triangles of each mesh of a page.
fn triangles(data: &Value) -> Vec<u64> {
    data["meshes"].as_array().expect("a list").iter().map(|m| m["triangles"].as_u64().expect("a count")).collect()
}

#[test]
fn a_page_beyond_its_largest_size_loses_triangles_then_parts() {
    let scratch = Scratch::new();
    // Different sizes: no two parts share a mesh.
    for (name, radius, levels) in [("a", 10.0, 5), ("b", 11.0, 5), ("far", 12.0, 5), ("farther", 13.0, 5)] {
        std::fs::write(scratch.path().join(format!("{name}.stl")), stl(&ball(radius, levels))).expect("a mesh");
    }
    let at = |name: &str, x: f64| {
        format!(r#"{{"id": "{name}", "part": "{name}", "placement": {{"translation": [{x}, 0, 0]}}}}"#)
    };
    let part = |name: &str| format!(r#""{name}": "{name}.stl""#);
    let file = scratch.write(
        "assembly.json",
        format!(
            r#"{{"version": 1, "parts": {{{}}}, "instances": [{}]}}"#,
            ["a", "b", "far", "farther"].map(part).join(","),
            [at("a", 0.0), at("b", 20.9), at("far", 100.0), at("farther", 200.0)].join(",")
        ),
    );
    let (report, html) = (scratch.path().join("report.json"), scratch.path().join("page.html"));
    assert_eq!(interfere(&["check", text(&file), "--format", "json", "-o", text(&report)]).code, 1);
    let drawn = |megabytes: &str| {
        let flags = ["render", text(&file), "--report", text(&report), "-o", text(&html), "--max-page", megabytes];
        let ran = interfere(&flags);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (std::fs::read_to_string(&html).expect("a page"), ran.stderr)
    };
    let (whole, silent) = drawn("20");
    assert_eq!(silent, "");
    let all = triangles(&data(&whole));
    let of = |name: &str| {
        let listed = &data(&whole)["instances"];
        let instance = listed.as_array().expect("a list").iter().find(|i| i["id"] == name).cloned();
        usize::try_from(instance.expect("an instance")["mesh"].as_u64().expect("a mesh")).expect("an index")
    };
    let meshes = whole.split(" data-mesh=").skip(1).map(|m| m.split("</script>").next().map_or(0, str::len));
    let bytes: usize = meshes.sum();
    let rest = whole.len() - bytes;
    // Room for the pair, and for a part of the others.
    let limit = |share: f64| (rest as f64 + share * bytes as f64) / 1e6;
    let (some, said) = drawn(&format!("{:.6}", limit(0.85)));
    assert!(some.len() as f64 <= limit(0.85) * 1e6, "{}", some.len());
    let fewer = triangles(&data(&some));
    for name in ["a", "b"] {
        assert_eq!(fewer[of(name)], all[of(name)], "{name}");
    }
    for name in ["far", "farther"] {
        assert!(fewer[of(name)] > 500 && fewer[of(name)] < all[of(name)], "{name}: {fewer:?}");
    }
    assert!(said.contains("note: 2 parts with fewer triangles in the page: vertices moved by up to"), "{said}");
    let paragraph = said.trim().trim_start_matches("note: ").to_owned();
    assert!(some.contains(&format!("<p id=\"less\">{paragraph}</p>")), "{paragraph}");
    assert_valid(&validator(&closed(&schema("page"))), &data(&some), "fewer triangles");
    // Room for less than the pair.
    let (few, said) = drawn(&format!("{:.6}", limit(0.3)));
    assert!(few.len() as f64 <= limit(0.3) * 1e6, "{}", few.len());
    assert!(said.contains("the surroundings of the findings keep all"), "{said}");
    assert!(triangles(&data(&few))[of("a")] < all[of("a")]);
    // Room for no mesh but the smallest.
    let (none, said) = drawn(&format!("{:.6}", limit(0.05)));
    assert!(none.len() as f64 <= limit(0.05) * 1e6, "{}", none.len());
    assert!(said.contains("left out of the page"), "{said}");
    let instances = data(&none)["instances"].clone();
    assert!(instances.as_array().expect("a list").iter().any(|i| i["id"] == "farther" && i["mesh"].is_null()));
    // Room for nothing at all.
    let (_, said) = drawn("0.01");
    assert!(said.contains("without any mesh, more than --max-page allows"), "{said}");
    let ran = interfere(&["render", text(&file), "--report", text(&report), "-o", text(&html), "--max-page", "0"]);
    assert!(ran.code == 2 && ran.stderr.contains("a number of MB above 0"), "{}", ran.stderr);
}

#[test]
fn the_page_of_a_real_assembly_keeps_its_budget() {
    let Some(shared) = shared() else { return skipped("../shared is not here") };
    let html = page(&shared.join("cases/gripper/assembly.json"), &["--no-baseline"]);
    assert!(html.len() <= 3_000_000, "{} bytes", html.len());
    let data = data(&html);
    assert_valid(&validator(&closed(&schema("page"))), &data, "gripper");
    let open = data["findings"].as_array().expect("a list").iter().filter(|f| f["crossing"].is_array()).count();
    assert!(open > 0, "pairs with open meshes have crossing lines");
}
