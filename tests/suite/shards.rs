//! Is a run merged from shards equal to the whole run? The merge must refuse everything except all shards of one run.

use crate::determinism::{crowd, load, shuffle};
use crate::generate::{cases, folders};
use crate::shared::shared;
use crate::support::Rng;
use crate::support::command::{Ran, command, interfere_in};
use crate::support::report::{assert_sound, json_of, parsed};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, obj};
use interfere::Measure;
use interfere::internals::assembly::Assembly;
use interfere::internals::assembly::model::Geometry;
use interfere::internals::check::{Curves, NoProgress, Options, Outcome, Shard, ShardOutcome, check, check_shard};
use interfere::internals::error::Error;
use interfere::internals::findings::{Partial, merge};
use interfere::internals::geom::LengthUnit;
use interfere::internals::geom::math::Vec3;
use interfere::internals::geom::pose::Affine;
use interfere::internals::io::FsLoader;
use interfere::internals::motion::RunKind;
use interfere::internals::report::table::MAX_ROWS;
use interfere::report::{Format, Style, render};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn options() -> Options {
    Options { report_within: Some(1.0), fixes: MAX_ROWS, ..Options::default() }
}

fn shard_of(assembly: &Assembly, options: &Options, shard: Shard) -> ShardOutcome {
    check_shard(assembly, options, shard, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"))
}

/// Files of all shards: name and text.
fn files(assembly: &Assembly, options: &Options, of: u32) -> Vec<(String, String)> {
    (1..=of)
        .map(|index| {
            let partial = Partial::new(shard_of(assembly, options, Shard { index, of }));
            let mut text = Vec::new();
            interfere::internals::findings::shards::write::render(&partial, &mut text).expect("memory takes all");
            (format!("p{index}.json"), String::from_utf8(text).expect("UTF-8"))
        })
        .collect()
}

fn joined(files: &[(String, String)]) -> Result<Outcome, Error> {
    let read: Result<Vec<_>, Error> =
        files.iter().map(|(name, text)| Ok((name.clone(), Partial::read(name, text)?))).collect();
    merge(read?, MAX_ROWS)
}

fn table_of(outcome: &Outcome) -> String {
    let mut bytes = Vec::new();
    render(&outcome.clone().into(), Format::Table, Style::default(), &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("UTF-8")
}

/// Asserts equality of the whole run and its shards, merged in a random order; returns the number of rows.
#[track_caller]
fn assert_joins(assembly: &Assembly, options: &Options, of: u32) -> usize {
    let whole = check(assembly, options, &FsLoader, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
    let mut files = files(assembly, options, of);
    shuffle(&mut Rng::new(u64::from(of)), &mut files);
    let joined = joined(&files).unwrap_or_else(|e| panic!("{e}"));
    let (expected, found) = (json_of(&whole), json_of(&joined));
    let differs = expected.lines().zip(found.lines()).find(|(x, y)| x != y);
    assert!(expected == found, "{}, {of} shards: {differs:?}", assembly.path);
    assert_eq!(table_of(&whole), table_of(&joined), "{}, {of} shards", assembly.path);
    // Fields absent from all formats are equal, too.
    assert_eq!(joined, whole);
    assert_sound(&parsed(&found));
    whole.pairs.len()
}

fn case(name: &str) -> Assembly {
    load(&cases().join(name).join("assembly.json"))
}

#[test]
fn one_two_seven_and_100_shards_equal_the_run() {
    let scratch = Scratch::new();
    let crowd = load(&crowd(&scratch));
    for of in [1, 2, 7, 100] {
        let rows = assert_joins(&crowd, &options(), of);
        assert!(rows > 200, "{rows}");
        // Most of a hundred shards of so few pairs are empty.
        assert!(assert_joins(&case("nested-gearbox"), &options(), of) > 0);
    }
    let whole = |f: &PathBuf| load(&f.join("assembly.json"));
    let rows: usize = folders().iter().map(whole).map(|a| assert_joins(&a, &options(), 3)).sum();
    assert!(rows > 100, "{rows}");
}

#[test]
fn shards_split_the_pairs_of_poses_and_sweeps() {
    for name in ["hinged-box", "sliding-doors", "pivot"] {
        for (of, measure) in [(1, Measure::All), (2, Measure::All), (7, Measure::None), (40, Measure::All)] {
            assert_joins(&case(name), &Options { measure, ..options() }, of);
        }
    }
    let rows = |shard: Option<u32>| -> usize {
        let options = options();
        let outcome = match shard {
            Some(index) => shard_of(&case("sliding-doors"), &options, Shard { index, of: 5 }).outcome,
            None => check(&case("sliding-doors"), &options, &FsLoader, &NoProgress).expect("checked"),
        };
        outcome.motion.expect("motion").runs.iter().map(|run| run.rows.len()).sum()
    };
    let each: Vec<usize> = (1..=5).map(|index| rows(Some(index))).collect();
    assert_eq!(each.iter().sum::<usize>(), rows(None), "{each:?}");
    assert!(each.iter().filter(|n| **n > 0).count() > 1, "one shard has all rows: {each:?}");
    assert_joins(&case("sliding-doors"), &Options { curves: Curves::Listed, ..options() }, 3);
    let some = Options { runs: vec!["as-drawn".to_owned(), "open*".to_owned()], ..options() };
    assert_joins(&case("sliding-doors"), &some, 3);
}

#[test]
fn shards_split_several_sweeps_and_the_sweep_of_all_joints() {
    for name in ["hinged-box", "sliding-doors"] {
        let mut assembly = case(name);
        assert!(assembly.motion.sweep_all(), "{name} has joints");
        let options = Options { sweep_cells: 200_000, ..options() };
        for of in [2, 5] {
            assert_joins(&assembly, &options, of);
        }
    }
}

/// The sweep of a part of the range has another hash.
#[test]
fn the_candidates_of_shards_include_those_of_the_sweeps() {
    let options = Options { sweep_cells: 200_000, ..options() };
    let drawing = Options { runs: vec!["as-drawn".to_owned()], ..options.clone() };
    let mut assembly = case("hinged-box");
    assert!(assembly.motion.sweep_all(), "hinged-box has a joint");
    let [first, last] = [1, 3].map(|index| shard_of(&assembly, &options, Shard { index, of: 3 }).candidates);
    assert_eq!(first, last);
    let as_drawn = shard_of(&assembly, &drawing, Shard { index: 1, of: 3 }).candidates;
    assert!(first.count > as_drawn.count, "{first:?} {as_drawn:?}");
    for run in &mut assembly.motion.runs {
        if let RunKind::Box { swept, .. } = &mut run.kind {
            for (_, range) in swept {
                range[1] -= 1e-3 * (range[1] - range[0]);
            }
        }
    }
    let other = shard_of(&assembly, &options, Shard { index: 1, of: 3 }).candidates;
    assert!(other.hash != first.hash, "{first:?} {other:?}");
}

#[test]
fn shards_of_a_real_assembly_equal_the_run() {
    let Some(shared) = shared() else { return crate::support::skipped("../shared is not here") };
    let assembly = load(&shared.join("cases/as1-oc-214/assembly.json"));
    for of in [1, 2, 7, 100] {
        assert!(assert_joins(&assembly, &options(), of) > 5);
    }
    let robot = load(&shared.join("cases/so100-folded/assembly.json"));
    assert!(assert_joins(&robot, &Options { geometry: Some(Geometry::Hull), ..options() }, 7) > 5);
}

#[test]
fn merge_works_for_every_geometry_and_verdict_only() {
    let scratch = Scratch::new();
    let crowd = load(&crowd(&scratch));
    for geometry in [Geometry::Exact, Geometry::Decomposition, Geometry::Hull] {
        for measure in [Measure::All, Measure::Depth, Measure::None] {
            for name in ["nested-gearbox", "mixed-geometry", "open-mesh", "welded-bar"] {
                assert_joins(&case(name), &Options { geometry: Some(geometry), measure, ..options() }, 3);
            }
        }
    }
    assert_joins(&crowd, &Options { measure: Measure::None, ..options() }, 5);
    assert_joins(&crowd, &Options { report_within: None, tolerance: Some(0.5), ..options() }, 5);
}

#[test]
fn the_order_of_instances_changes_no_byte_and_no_shard() {
    let scratch = Scratch::new();
    let mut assembly = load(&crowd(&scratch));
    let place = |assembly: &Assembly| -> BTreeMap<(String, String), u32> {
        let mut found = BTreeMap::new();
        for index in 1..=7 {
            let o = shard_of(assembly, &options(), Shard { index, of: 7 }).outcome;
            found.extend(o.pairs.iter().map(|p| ((o.id(p.a).to_owned(), o.id(p.b).to_owned()), index)));
        }
        found
    };
    let whole = json_of(&check(&assembly, &options(), &FsLoader, &NoProgress).unwrap());
    let before = place(&assembly);
    shuffle(&mut Rng::new(23), &mut assembly.instances);
    assert!(json_of(&joined(&files(&assembly, &options(), 7)).unwrap()) == whole);
    assert_eq!(place(&assembly), before);
    // Renamed pairs stay in their shard: the shard depends on geometry alone.
    assembly.instances.iter_mut().for_each(|i| i.id.insert_str(0, "x-"));
    let renamed = place(&assembly);
    let same = |(a, b): &(String, String)| renamed.get(&(format!("x-{a}"), format!("x-{b}"))).copied();
    // Other names match other rules, and so list other clear pairs.
    assert!(before.iter().filter_map(|(ids, index)| Some((index, same(ids)?))).all(|(x, y)| *x == y));
    // The pairs are spread evenly.
    for index in 1..=7 {
        let n = before.values().filter(|i| **i == index).count();
        assert!(n * 7 > before.len() / 2 && n * 7 < before.len() * 3 / 2, "{n} of {} in shard {index}", before.len());
    }
}

#[test]
fn pairs_of_one_unique_pair_share_a_shard() {
    let mut builder = Assembly::builder("grid", LengthUnit::Mm).part("cube", block([0.0; 3], [10.0; 3]));
    let grid: Vec<[i32; 3]> = (0..64).map(|k| [k % 4, k / 4 % 4, k / 16]).collect();
    for (k, at) in grid.iter().enumerate() {
        let translation = Vec3::from(at.map(|x| 10.0 * f64::from(x)));
        builder = builder.instance(format!("c{k:02}"), "cube", Affine { translation, ..Affine::identity() });
    }
    let assembly = builder.build().unwrap_or_else(|e| panic!("{e}"));
    let (mut shards, mut rows) = (BTreeMap::new(), 0);
    for index in 1..=50 {
        let found = shard_of(&assembly, &options(), Shard { index, of: 50 });
        for p in &found.outcome.pairs {
            let [a, b] = [p.a, p.b].map(|i| grid[i.0 as usize]);
            // Equal cubes: both directions are the same unique pair.
            let step = [0, 1, 2].map(|k| b[k] - a[k]);
            let step = step.max(step.map(|x| -x));
            assert_eq!(*shards.entry(step).or_insert(index), index, "{step:?}");
            rows += 1;
        }
    }
    // Neighbours by face, edge and corner.
    assert_eq!((shards.len(), rows), (13, 144 + 2 * 108 + 4 * 27));
    assert!(shards.values().collect::<std::collections::BTreeSet<_>>().len() > 5);
}

/// A folder with an assembly of three cubes, the first two overlapping, and its shards.
struct Row(Scratch);

impl Row {
    fn new() -> Self {
        let row = Self(Scratch::new());
        row.0.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
        row.write("assembly.json", 9.0, "");
        row
    }

    /// Writes the assembly, with the second cube `at` mm from the first.
    fn write(&self, name: &str, at: f64, rules: &str) {
        let text = format!(
            r#"{{ "version": 1, "parts": {{ "cube": {{ "mesh": "cube.obj" }} }},
  "instances": [
    {{ "id": "one", "part": "cube" }},
    {{ "id": "two", "part": "cube", "placement": {{ "translation": [{at}, 0, 0] }} }},
    {{ "id": "three", "part": "cube", "placement": {{ "translation": [{at}, 10, 0] }} }} ],
  "rules": [{rules}] }}"#
        );
        self.0.write(name, text);
    }

    fn run(&self, line: &str) -> Ran {
        interfere_in(self.0.path(), &line.split(' ').collect::<Vec<_>>())
    }

    /// Writes shard `i` of `n` to `pI.json`.
    fn shard(&self, i: u32, n: u32, flags: &str) {
        let ran = self.run(&format!("check assembly.json --shard {i}/{n} -o p{i}.json{flags}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    }

    #[track_caller]
    fn assert_refused(&self, files: &str, errors: &[&str]) {
        let ran = self.run(&format!("merge {files}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        let expected: Vec<String> = errors.iter().map(|e| format!("error: {e}")).collect();
        assert_eq!(ran.stderr.lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn shard_exits_0_and_merge_exits_like_the_run() {
    let row = Row::new();
    let whole = row.run("check assembly.json --format json");
    assert_eq!(whole.code, 1);
    let mut notes = Vec::new();
    for i in 1..=3 {
        let ran = row.run(&format!("check assembly.json --shard {i}/3 --output p{i}.json"));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
        notes.push(ran.stderr);
        let quiet = row.run(&format!("check assembly.json --shard {i}/3 -o q{i}.json --quiet"));
        assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
        let read = |name: String| fs::read(row.0.path().join(name)).unwrap();
        assert!(read(format!("p{i}.json")) == read(format!("q{i}.json")));
    }
    let note = |i: u32, found: &str| {
        format!(
            "note: shard {i} of 3 is written to p{i}.json: it has {found}findings; run `interfere merge` on all 3 for the verdict\n"
        )
    };
    assert!((1..).zip(&notes).all(|(i, n)| *n == note(i, "") || *n == note(i, "no ")), "{notes:?}");
    assert_eq!(notes.iter().filter(|n| n.contains("it has findings")).count(), 1, "{notes:?}");
    for format in ["json", "table"] {
        let whole = row.run(&format!("check assembly.json --format {format}"));
        let merged = row.run(&format!("merge p3.json p1.json p2.json --format {format}"));
        assert_eq!((whole.code, &whole.stdout, &whole.stderr), (merged.code, &merged.stdout, &merged.stderr));
        let to_file = row.run(&format!("merge p3.json p1.json p2.json --format {format} -o r"));
        assert_eq!((to_file.code, to_file.stdout.as_str()), (1, ""));
        assert_eq!(fs::read_to_string(row.0.path().join("r")).unwrap(), whole.stdout);
    }
    assert_eq!(row.run("merge p1.json p2.json p3.json -o p1.json").code, 2);
    // A passing run.
    row.write("assembly.json", 10.0, "");
    (1..=3).for_each(|i| row.shard(i, 3, ""));
    assert_eq!(row.run("merge p1.json p2.json p3.json").code, 0);
    // A run with a warning: with `--strict`, it fails the merge.
    row.write("assembly.json", 10.0, r#"{ "between": ["one", "four"], "min_clearance": 1 }"#);
    (1..=3).for_each(|i| row.shard(i, 3, ""));
    let (merged, strict) =
        (row.run("merge p1.json p2.json p3.json"), row.run("merge p1.json p2.json p3.json --strict"));
    assert_eq!((merged.code, strict.code), (0, 1));
    assert_eq!(merged.stderr, row.run("check assembly.json").stderr);
    assert_eq!(strict.stderr, row.run("check assembly.json --strict").stderr);
    assert_eq!(merged.stderr.matches("warning: ").count(), 1, "told once: {}", merged.stderr);
}

#[test]
fn merge_flags_and_invalid_shards_are_refused() {
    let row = Row::new();
    for flags in [
        "--shard 0/3 -o p.json",
        "--shard 4/3 -o p.json",
        "--shard 1/0 -o p.json",
        "--shard 1 -o p.json",
        "--shard +1/3 -o p.json",
        "--shard 1/100001 -o p.json",
        "--shard a/b -o p.json",
        "--shard 1/3",
        "--shard 1/3 -o p.json --format json",
        "--shard 1/3 -o p.json --strict",
    ] {
        let ran = row.run(&format!("check assembly.json {flags}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags}: {ran:?}");
    }
    assert!(!row.0.path().join("p.json").exists());
    let ran = row.run("check assembly.json --shard 4/3 -o p.json");
    assert!(ran.stderr.contains("must be I/N with I from 1 to N, and N at most 100000"), "{}", ran.stderr);
    assert_eq!(row.run("merge").code, 2);
    let assembly = load(&row.0.path().join("assembly.json"));
    let none = check_shard(&assembly, &options(), Shard { index: 2, of: 1 }, &FsLoader, &NoProgress);
    assert!(none.is_err_and(|e| e.to_string().starts_with("shard 2 of 1 does not exist; ")));
}

#[test]
fn missing_and_doubled_shards_are_named() {
    let row = Row::new();
    (1..=4).for_each(|i| row.shard(i, 4, ""));
    fs::copy(row.0.path().join("p2.json"), row.0.path().join("copy.json")).unwrap();
    row.assert_refused("p1.json p2.json p3.json", &["shard 4 of 4 is missing; merge the reports of all shards"]);
    row.assert_refused("p3.json p2.json", &["shards 1 and 4 of 4 are missing; merge the reports of all shards"]);
    row.assert_refused(
        "p1.json p2.json p3.json copy.json",
        &[
            "copy.json: shard 2 of 4 is given twice, first in p2.json; name each shard once",
            "shard 4 of 4 is missing; merge the reports of all shards",
        ],
    );
    row.assert_refused(
        "p1.json p2.json p3.json p4.json p1.json",
        &["p1.json: shard 1 of 4 is given twice, first in p1.json; name each shard once"],
    );
    row.shard(1, 100, "");
    row.assert_refused("p1.json", &["shards 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 87 more of 100 are missing; merge the reports of all shards"]);
    let gone = row.run("merge p1.json gone.json");
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.starts_with("error: gone.json: cannot read: ") && gone.stderr.lines().count() == 1, "{gone:?}");
}

#[test]
fn foreign_shards_are_named_with_their_difference() {
    let row = Row::new();
    row.shard(1, 2, "");
    let refused = |what: &str| {
        row.assert_refused("p1.json p2.json", &[&format!("p2.json: {what}; merge the shards of one run")]);
    };
    row.shard(2, 3, "");
    refused("shard 2 of 3, but p1.json is shard 1 of 2");
    row.shard(2, 2, " --tolerance 0.02");
    refused("the run had `tolerance` = 0.02, but p1.json has 0.01 (lengths in mm)");
    row.shard(2, 2, " --geometry hull");
    refused("the run had `geometry` = \"hull\", but p1.json has \"exact\" (lengths in mm)");
    row.shard(2, 2, " --measure depth");
    refused("the run had `measure` = \"depth\", but p1.json has \"all\" (lengths in mm)");
    row.shard(2, 2, " --report-within 1");
    refused("the run had `report_within` = 1.0, but p1.json has null (lengths in mm)");
    row.write("other.json", 9.0, "");
    assert_eq!(row.run("check other.json --shard 2/2 -o p2.json").code, 0);
    refused("its assembly is other (other.json), but that of p1.json is assembly (assembly.json)");
    row.write("assembly.json", 9.0, r#"{ "between": ["one", "two"], "allow_depth": 2 }"#);
    row.shard(2, 2, "");
    refused("its rules differ from those in p1.json");
    row.write("assembly.json", 9.0, "");
    let inches = fs::read_to_string(row.0.path().join("assembly.json")).expect("written");
    row.0.write("assembly.json", inches.replacen("\"version\": 1", "\"version\": 1, \"units\": \"inch\"", 1));
    row.shard(2, 2, "");
    refused("the unit of its assembly is inch, but that of p1.json is mm");
    row.write("assembly.json", 9.5, "");
    row.shard(2, 2, "");
    refused("instances, their order or placements differ from p1.json");
    row.write("assembly.json", 9.0, "");
    row.0.write("cube.obj", obj(&block([0.0; 3], [10.0, 10.0, 9.0])));
    row.shard(2, 2, "");
    refused("the mesh of its part `cube` differs from that in p1.json");
    row.0.write("cube.obj", obj(&block([0.0; 3], [10.0; 3])));
    row.shard(2, 2, "");
    row.assert_refused(
        "p1.json p2.json -o cube.obj",
        &["cube.obj: --output would replace a mesh of the assembly; name another file"],
    );
    assert_eq!(row.run("merge p1.json p2.json").code, 1);
}

/// Edits a text and renews its seal, as a program would.
fn rewritten(text: &str, from: &str, to: &str) -> String {
    let (content, _) = text.rsplit_once(",\n  \"hash\"").expect("a hash");
    assert!(content.contains(from), "{from} in {content}");
    Partial::with_hash(content.replacen(from, to, 1) + "\n}\n")
}

#[test]
fn non_partial_or_outdated_files_are_identified() {
    let row = Row::new();
    row.shard(1, 1, "");
    row.run("check assembly.json --format json -o whole.json");
    let give = "name a file from `interfere check --shard I/N -o FILE`";
    row.assert_refused(
        "whole.json assembly.json cube.obj",
        &[
            &format!("whole.json: a complete report, not a partial one; {give}"),
            &format!("assembly.json: not a partial report; {give}"),
            &format!("cube.obj:1:1: not a partial report: expected value; {give}"),
        ],
    );
    let text = fs::read_to_string(row.0.path().join("p1.json")).unwrap();
    let own = env!("CARGO_PKG_VERSION");
    let one_version = "use one version for all shards and the merge";
    let old = rewritten(&text, &format!("\"version\": \"{own}\""), "\"version\": \"0.0.9\"");
    row.0.write("old.json", &old);
    row.0.write("key.json", rewritten(&old, "\"candidates\"", "\"candidate_pairs\""));
    row.0.write("odd.json", rewritten(&text, "\"candidates\"", "\"candidate_pairs\""));
    let written = format!("written by interfere 0.0.9, but this is interfere {own}; {one_version}");
    row.assert_refused("old.json key.json", &[&format!("old.json: {written}"), &format!("key.json: {written}")]);
    let ran = row.run("merge odd.json");
    assert!(
        ran.stderr.starts_with("error: odd.json:11:19: not a partial report: unknown field `candidate_pairs`"),
        "{ran:?}"
    );
}

#[test]
fn damage_is_found_anywhere() {
    let assembly = case("fan-clearance");
    let files = files(&assembly, &options(), 2);
    for (name, text) in &files {
        assert!(Partial::read(name, text).is_ok());
        let refused = |damaged: &str, how: String| {
            let error = Partial::read(name, damaged).err().unwrap_or_else(|| panic!("{how} goes unnoticed"));
            assert!(error.problems.len() == 1 && error.problems[0].at.file == *name, "{how}: {error}");
            error.problems[0].clone()
        };
        for length in (0..text.len()).filter(|n| text.is_char_boundary(*n)) {
            let problem = refused(&text[..length], format!("{length} of {} bytes", text.len()));
            let place = problem.at.line.is_some() || length + 2 > text.len();
            assert!(place || length == 0, "{length} of {} bytes: {problem}", text.len());
        }
        for (at, byte) in text.bytes().enumerate() {
            for bit in [1, 4, 32] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = byte ^ bit;
                if let Ok(damaged) = String::from_utf8(bytes) {
                    refused(&damaged, format!("bit {bit} of byte {at}"));
                }
            }
        }
    }
    // Invalid UTF-8, through a file.
    let row = Row::new();
    row.shard(1, 1, "");
    let path = row.0.path().join("p1.json");
    let mut bytes = fs::read(&path).unwrap();
    bytes[40] = 0xFF;
    fs::write(&path, bytes).unwrap();
    row.assert_refused("p1.json", &["p1.json: byte 40: not UTF-8; run the shard again, or copy the file again"]);
}

#[test]
fn sealed_file_with_dangling_references_is_refused() {
    let assembly = case("fan-clearance");
    let files = files(&assembly, &options(), 1);
    let text = &files[0].1;
    let row = text.lines().find(|l| l.contains("\"status\":")).expect("a row").trim();
    let forged = |from: &str, to: &str| {
        let forged = [("p1.json".to_owned(), rewritten(text, from, to))];
        joined(&forged).expect_err("is refused").to_string()
    };
    let unlike = "contradicts the rest of the file; run the shard again; report the error if it persists";
    let other = |key: &str, to: &str| {
        let (before, rest) = row.split_once(&format!("\"{key}\": ")).expect("the key");
        let end = rest.find([',', '}']).expect("the value ends");
        format!("{before}\"{key}\": {to}{}", &rest[end..])
    };
    for (from, to, at) in [
        (row, other("a", "4000000000").as_str(), "outcome.pairs[0]"),
        (row, other("b", "77").as_str(), "outcome.pairs[0]"),
        (row, other("rule", "9").as_str(), "outcome.pairs[0]"),
        ("\"part\": 0", "\"part\": 1", "instances_hash"),
        ("\"of\": 1", "\"of\": 0", "shard"),
        ("\"index\": 1", "\"index\": 2", "shard"),
    ] {
        assert_eq!(forged(from, to), format!("p1.json: {at}: {unlike}"), "{to}");
    }
    let sums = "p1.json: the counts of all shards do not add up to the number of pairs; run the shards again; report the error if it persists";
    for (from, to) in [("\"clear\": ", "\"clear\": 1"), ("\"aabb\": ", "\"aabb\": 18446744073709551615, \"x\": ")] {
        let error = forged(from, to);
        assert!(error == sums || error.contains("unknown field `x`"), "{error}");
    }
    assert_eq!(forged("\"ignored\": ", "\"ignored\": 1"), sums);
}

#[test]
fn sealed_file_with_unknown_joints_is_refused() {
    let assembly = case("sliding-doors");
    let files = files(&assembly, &options(), 1);
    let forged = |from: &str, to: &str| {
        let forged = [("p1.json".to_owned(), rewritten(&files[0].1, from, to))];
        joined(&forged).expect_err("is refused").to_string()
    };
    for (from, to, at) in [
        ("\"follows\": 0", "\"follows\": 2", "outcome.motion.joints[1]"),
        ("\"joint\": 1", "\"joint\": 9", "outcome.motion.runs[0]"),
    ] {
        assert!(forged(from, to).starts_with(&format!("p1.json: {at}: contradicts")), "{}", forged(from, to));
    }
    assert!(forged("\"cleared_by_swept_balls\": ", "\"cleared_by_swept_balls\": 1").contains("do not add up"));
}

#[test]
fn partial_report_has_equal_bytes_for_any_threads() {
    let scratch = Scratch::new();
    crowd(&scratch);
    for shard in ["1/3", "2/3"] {
        let run = |threads: &str| {
            let line = ["check", "assembly.json", "--shard", shard, "-o", "-", "--threads", threads, "--quiet"];
            let ran = interfere_in(scratch.path(), &line);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
            ran.stdout
        };
        let one = run("1");
        assert!(one.lines().filter(|l| l.contains("\"status\":")).count() > 50);
        for threads in ["2", "7"] {
            assert!(run(threads) == one, "{threads} threads");
        }
    }
}

/// Runs a line of docs/how-to/many-machines.md in the shell, in a folder with the crowd, with the given variables.
fn shell(folder: &Path, line: &str, variables: &[(&str, String)]) -> Output {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_interfere"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = binary.parent().map(Path::to_owned);
    let paths = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path))).expect("paths");
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", paths).current_dir(folder);
    command.envs(variables.iter().map(|(name, value)| (name, value))).output().expect("a shell")
}

/// Lines of docs/how-to/many-machines.md from the one with `first` to the one with `last`.
fn documented(first: &str, last: &str) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/how-to/many-machines.md"))
        .expect("the page");
    let lines: Vec<&str> = page.lines().map(str::trim).collect();
    let start = lines.iter().position(|l| l.contains(first)).unwrap_or_else(|| panic!("{first}"));
    let end = start + lines[start..].iter().position(|l| l.contains(last)).unwrap_or_else(|| panic!("{last}"));
    lines[start..=end].join("\n")
}

#[track_caller]
fn assert_as_whole(folder: &Path, ran: &Output) {
    let whole =
        command(&["check", "assembly.json", "--format", "json"]).current_dir(folder).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.stdout == whole.stdout, "{stderr}");
    assert_eq!((ran.status.code(), whole.status.code()), (Some(1), Some(1)), "{stderr}");
}

#[test]
fn gnu_parallel_job_array_equals_the_whole_run() {
    let said = Command::new("parallel").arg("--version").output();
    if !said.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).starts_with("GNU parallel")) {
        return crate::support::skipped("GNU parallel is not installed");
    }
    let scratch = Scratch::new();
    crowd(&scratch);
    let ran = shell(scratch.path(), &documented("parallel --halt", "merge"), &[]);
    assert_as_whole(scratch.path(), &ran);
}

#[cfg(unix)]
#[test]
fn documented_job_arrays_equal_the_whole_run() {
    let gitlab = documented("$CI_NODE_TOTAL", "$CI_NODE_TOTAL").replacen("script: ", "", 1);
    let slurm = documented("interfere check assembly.json --threads 4", "$SLURM_ARRAY_TASK_ID.json");
    let kubernetes = documented("JOB_COMPLETION_INDEX + 1", "/20").replacen("- i=", "i=", 1);
    for (line, index, total, from, of) in [
        (&gitlab, "CI_NODE_INDEX", Some("CI_NODE_TOTAL"), 1, 4),
        (&slurm, "SLURM_ARRAY_TASK_ID", Some("SLURM_ARRAY_TASK_COUNT"), 1, 3),
        (&kubernetes, "JOB_COMPLETION_INDEX", None, 0, 20),
    ] {
        let scratch = Scratch::new();
        crowd(&scratch);
        for i in from..from + of {
            let total = total.map(|name| (name, of.to_string()));
            let variables: Vec<_> = std::iter::once((index, i.to_string())).chain(total).collect();
            let ran = shell(scratch.path(), line, &variables);
            assert!(ran.status.success() && ran.stdout.is_empty(), "{line}: {ran:?}");
        }
        let ran = shell(scratch.path(), "interfere merge shard-*.json --format json", &[]);
        assert_as_whole(scratch.path(), &ran);
    }
}
