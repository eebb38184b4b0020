//! Does a cache change the time of a run and no byte of its report, whatever its content or damage?

use crate::generate::folders;
use crate::motion::changed;
use crate::support::Rng;
use crate::support::command::interfere;
use crate::support::report::{json_of, parsed};
use crate::support::scratch::Scratch;
use crate::support::solids::{block, joined, obj, translated, tube};
use interfere::Measure;
use interfere::internals::assembly::{self, Assembly, Facets, Geometry, LoadOptions};
use interfere::internals::check::cache::store::{Cache, FsStore, Store};
use interfere::internals::check::{CacheUse, Curves, Hits, NoProgress, Options, Outcome, RunStats, check_with_stats};
use interfere::internals::error::WarningCode;
use interfere::internals::geom::{Affine, LengthUnit, Vec3};
use interfere::internals::io::FsLoader;
use interfere::internals::mesh::TriMesh;
use interfere::report::{Format, Style, render};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// Entries in memory.
#[derive(Debug, Default, Clone)]
struct Memory(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Memory {
    fn entries(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.lock().expect("nobody panicked").clone()
    }

    fn with(entries: &BTreeMap<String, Vec<u8>>) -> Self {
        Self(Arc::new(Mutex::new(entries.clone())))
    }
}

impl Store for Memory {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().expect("nobody panicked").get(name).cloned()
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.0.lock().expect("nobody panicked").insert(name.to_owned(), content.to_vec());
        Ok(())
    }
}

fn load(path: &Path) -> Assembly {
    let options = LoadOptions { allow_outside: true };
    assembly::load(path, &FsLoader, &options).unwrap_or_else(|e| panic!("{e}"))
}

fn run(assembly: &Assembly, options: &Options, store: Option<&Memory>, threads: usize) -> Outcome {
    run_with_stats(assembly, options, store, threads).0
}

fn run_with_stats(
    assembly: &Assembly,
    options: &Options,
    store: Option<&Memory>,
    threads: usize,
) -> (Outcome, RunStats) {
    let cache = store.map(|store| Cache::new(Arc::new(store.clone())));
    let options = Options { cache, ..options.clone() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| check_with_stats(assembly, &options, &FsLoader, &NoProgress)).unwrap_or_else(|e| panic!("{e}"))
}

/// Both forms of the report.
fn reports(outcome: &Outcome) -> String {
    let mut table = Vec::new();
    render(&outcome.clone().into(), Format::Table, Style::default(), &mut table).expect("memory takes all");
    json_of(outcome) + &String::from_utf8(table).expect("the table is UTF-8")
}

fn used(stats: &RunStats) -> CacheUse {
    stats.timings.cache.expect("there was a cache")
}

fn misses(used: &CacheUse) -> u64 {
    [used.parts, used.shapes, used.pairs, used.fixes, used.sweeps].iter().map(|h| h.misses).sum()
}

/// Options with different questions about the same parts.
fn choices() -> Vec<Options> {
    let default = Options::default();
    let by = |geometry| Options { geometry, fixes: 20, report_within: Some(1.0), ..Options::default() };
    vec![
        by(Some(Geometry::Exact)),
        Options { tolerance: Some(0.25), ..default.clone() },
        Options { report_within: Some(3.0), ..default.clone() },
        Options { facets: Some(Facets::Strict), ..default.clone() },
        Options { measure: Measure::None, ..default },
        by(Some(Geometry::Hull)),
        by(Some(Geometry::Decomposition)),
        Options { epsilon: Some(2.0), ..by(Some(Geometry::Decomposition)) },
        Options { max_pieces: 2, ..by(Some(Geometry::Decomposition)) },
    ]
}

/// Compares runs without a cache, with an empty one and with a full one, at different thread counts.
fn assert_same(assembly: &Assembly, choices: &[Options], what: &str) {
    // One store for all choices: no choice may reuse another's answers.
    let store = Memory::default();
    for options in choices {
        let none = reports(&run(assembly, options, None, 4));
        let cold = run(assembly, options, Some(&store), 4);
        assert!(reports(&cold) == none, "{what}, cold, {options:?}");
        let (warm, stats) = run_with_stats(assembly, options, Some(&store), 1);
        let differs = none.lines().zip(reports(&warm).lines()).find(|(x, y)| x != y).map(|(x, y)| format!("{x}\n{y}"));
        assert!(reports(&warm) == none, "{what}, warm, {options:?}: {differs:?}");
        assert_eq!(misses(&used(&stats)), 0, "{what}, {options:?}: {:?}", used(&stats));
    }
}

#[test]
fn no_cold_and_warm_cache_give_equal_reports() {
    for folder in folders() {
        assert_same(&load(&folder.join("assembly.json")), &choices(), &folder.display().to_string());
    }
}

#[test]
fn caches_give_equal_reports_of_real_assemblies() {
    let shared = std::env::var_os("INTERFERE_SHARED").map_or(Path::new("../shared").to_owned(), Into::into);
    let quick =
        [Options { fixes: 20, ..Options::default() }, Options { geometry: Some(Geometry::Hull), ..Options::default() }];
    for name in ["as1-oc-214", "gripper-coarse", "ur5e-pair", "bolt-crossed"] {
        let file = shared.join("cases").join(name).join("assembly.json");
        if file.is_file() {
            assert_same(&load(&file), &quick, name);
        }
    }
}

/// A box with a corner cut out: not convex.
fn notched(size: f64) -> TriMesh {
    let planes = [0.0, 0.6 * size, size];
    crate::support::solids::cells([&planes; 3], |c| c != [1, 1, 1])
}

fn at(x: f64, y: f64, z: f64) -> Affine {
    Affine { translation: Vec3::new(x, y, z), ..Affine::identity() }
}

/// A row of 1000 instances of 20 parts with the given `sizes`, each turned its own way: neighbours overlap, and all
/// pairs differ.
fn row_of_1000(sizes: &[f64], places: &[Affine]) -> Assembly {
    let mut builder = Assembly::builder("row", LengthUnit::Mm);
    for (k, size) in sizes.iter().enumerate() {
        builder = builder.part(format!("p{k:02}"), notched(*size));
    }
    for (i, place) in places.iter().enumerate() {
        builder = builder.instance(format!("i{i:03}"), format!("p{:02}", i % sizes.len()), *place);
    }
    builder.build().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn changes_recompute_only_their_own_pairs() {
    let mut rng = Rng::new(31);
    let mut sizes: Vec<f64> = (0..20).map(|k| 6.0 + 0.05 * f64::from(k)).collect();
    let mut places: Vec<Affine> =
        (0..1000).map(|i| Affine { linear: rng.rotation(), ..at(7.0 * f64::from(i), 0.0, 0.0) }).collect();
    let options = Options { measure: Measure::None, ..Options::default() };
    let of = |sizes: &[f64], places: &[Affine], store: &Memory| {
        let assembly = row_of_1000(sizes, places);
        let none = run(&assembly, &options, None, 4);
        let (with, stats) = run_with_stats(&assembly, &options, Some(store), 4);
        assert_eq!(json_of(&none), json_of(&with));
        stats
    };
    let store = Memory::default();
    let cold = of(&sizes, &places, &store);
    let pairs = cold.timings.pairs.distinct;
    assert!(pairs > 900, "{pairs}");
    assert_eq!(used(&cold).pairs, Hits { hits: 0, misses: pairs });
    let pairs_of = |sizes: &[f64], places: &[Affine], is: &dyn Fn(usize) -> bool| {
        // Counts the pairs of the chosen instances: all others are ignored.
        let mut assembly = row_of_1000(sizes, places);
        assembly.instances = assembly.instances.into_iter().enumerate().filter(|(i, _)| !is(*i)).map(|i| i.1).collect();
        let distinct = |assembly: &Assembly| run_with_stats(assembly, &options, None, 4).1.timings.pairs.distinct;
        distinct(&row_of_1000(sizes, places)) - distinct(&assembly)
    };

    sizes[7] += 0.01;
    let touched = of(&sizes, &places, &store);
    let own = pairs_of(&sizes, &places, &|i| i % 20 == 7);
    assert!(own >= 50 && own * 5 < pairs, "{own} of {pairs}");
    let expected = Hits { hits: touched.timings.pairs.distinct - own, misses: own };
    assert_eq!(used(&touched).pairs, expected);
    assert_eq!([used(&touched).parts, used(&touched).shapes], [Hits { hits: 19, misses: 1 }; 2]);

    places[500].translation.x += 0.125;
    let moved = of(&sizes, &places, &store);
    let own = pairs_of(&sizes, &places, &|i| i == 500);
    assert!(own >= 1 && own * 100 < pairs, "{own} of {pairs}");
    assert_eq!(used(&moved).pairs, Hits { hits: moved.timings.pairs.distinct - own, misses: own });
    assert_eq!([used(&moved).parts, used(&moved).shapes], [Hits { hits: 20, misses: 0 }; 2]);
}

#[test]
fn other_options_miss_the_cache() {
    let mut builder = Assembly::builder("two", LengthUnit::Mm).part("a", notched(10.0)).part("b", notched(9.0));
    builder = builder.instance("a", "a", at(0.0, 0.0, 0.0)).instance("b", "b", at(4.0, 0.0, 0.0));
    let assembly = builder.build().unwrap();
    let default = Options::default();
    let pieces = Options { geometry: Some(Geometry::Decomposition), ..default.clone() };
    // First options, second options, and true if the shapes (hulls or pieces) differ, too.
    let changes = [
        (&default, Options { tolerance: Some(0.02), ..default.clone() }, false),
        (&default, Options { report_within: Some(0.5), ..default.clone() }, false),
        (&default, Options { facets: Some(Facets::Strict), ..default.clone() }, false),
        (&default, Options { measure: Measure::None, ..default.clone() }, false),
        (&default, Options { geometry: Some(Geometry::Hull), ..default.clone() }, true),
        (&default, pieces.clone(), true),
        (&pieces, Options { epsilon: Some(0.5), ..pieces.clone() }, true),
        (&pieces, Options { max_pieces: 3, ..pieces.clone() }, true),
        (&pieces, Options { tolerance: Some(0.02), ..pieces.clone() }, true),
    ];
    for (first, then, shapes) in changes {
        let store = Memory::default();
        run(&assembly, first, Some(&store), 1);
        let (second, stats) = run_with_stats(&assembly, &then, Some(&store), 1);
        assert_eq!(json_of(&second), json_of(&run(&assembly, &then, None, 1)));
        let used = used(&stats);
        assert_eq!(used.pairs, Hits { hits: 0, misses: 1 }, "{then:?}");
        assert_eq!(used.shapes.hits, if shapes { 0 } else { 2 }, "{then:?}");
        assert_eq!(used.parts, Hits { hits: 2, misses: 0 }, "{then:?}");
    }
}

/// A change of an assembly file.
type Change<'c> = &'c dyn Fn(&mut Value);

#[test]
fn sweeps_are_cached_until_their_motion_or_a_limit_changes() {
    let scratch = Scratch::new();
    let load_with = |change: Change<'_>| load(&changed(&scratch, "sliding-doors", change));
    let options = Options::default();
    let store = Memory::default();
    let cold = run_with_stats(&load_with(&|_| {}), &options, Some(&store), 2).1;
    let all = used(&cold).sweeps;
    assert!(all.hits == 0 && all.misses >= 4, "{all:?}");
    let second = |options: &Options, change: Change<'_>| {
        let assembly = load_with(change);
        let copy = Memory::with(&store.entries());
        let (warm, stats) = run_with_stats(&assembly, options, Some(&copy), 2);
        assert_eq!(reports(&warm), reports(&run(&assembly, options, None, 2)));
        used(&stats).sweeps
    };
    let hits = Hits { hits: all.misses, misses: 0 };
    assert_eq!(second(&options, &|_| {}), hits);
    assert_eq!(second(&options, &|file| file["rules"][0]["reason"] = json!("other words")), hits);
    let renamed = |file: &mut Value| {
        let sweeps = file["sweeps"].as_object_mut().expect("sweeps");
        let opening = sweeps.remove("opening").expect("a sweep");
        sweeps.insert("apart".to_owned(), opening);
    };
    assert_eq!(second(&options, &renamed), hits);
    let changes: [(&str, Change<'_>); 5] = [
        ("a joint", &|file| file["joints"]["left"]["axis"] = json!([-1, 0.01, 0])),
        ("a follower", &|file| file["joints"]["right"]["follows"]["ratio"] = json!(0.99)),
        ("a home", &|file| file["joints"]["left"]["home"] = json!(0.25)),
        ("the range", &|file| {
            file["joints"]["left"]["range"] = json!([0, 19.5]);
            file["sweeps"]["cycle"]["path"][0] = json!({ "left": 5.5 });
            file["sweeps"]["cycle"]["path"][2] = json!({ "left": 0.5 });
        }),
        ("the tolerance", &|file| file["tolerance"] = json!(0.02)),
    ];
    for (what, change) in changes {
        let found = second(&options, change);
        // Pairs without this joint, and worst poses at an unchanged place, stay known.
        assert!(found.misses > 0 && (what != "the tolerance" || found.hits == 0), "{what}: {found:?}");
    }
    let fewer = second(&Options { sweep_cells: 1_000_000, ..options.clone() }, &|_| {});
    // The worst poses stay known.
    assert!(fewer.misses > 0 && fewer.hits > 0, "{fewer:?}");
    let curves = second(&Options { curves: Curves::Listed, ..options.clone() }, &|_| {});
    assert!(curves.misses > 0 && curves.hits > 0, "{curves:?}");
    let limit = second(&options, &|file| file["rules"][0]["min_clearance"] = json!(1.5));
    assert!(limit.misses > 0 && limit.hits > 0, "{limit:?}");
}

/// A bar of two overlapping shells, a plug in the bar and an open box beside it: all kinds of rows and warnings.
fn bars() -> Assembly {
    let bar = joined(&[block([0.0; 3], [6.0, 2.0, 2.0]), block([4.0, 0.0, 0.0], [10.0, 2.0, 2.0])]);
    let open = {
        let mut mesh = block([0.0; 3], [3.0; 3]);
        mesh.triangles.pop();
        mesh
    };
    let builder = Assembly::builder("bars", LengthUnit::Mm)
        .part("bar", bar)
        .part("plug", block([0.0; 3], [3.0, 1.0, 1.0]))
        .part("open", open);
    let builder = builder.instance("bar", "bar", at(0.0, 0.0, 0.0)).instance("plug", "plug", at(4.0, 0.5, 1.5));
    builder.instance("open", "open", at(9.5, 0.0, 0.5)).build().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn damaged_entries_change_only_the_time() {
    let assembly = bars();
    let options = Options { report_within: Some(1.0), fixes: 3, ..Options::default() };
    let store = Memory::default();
    let expected = reports(&run(&assembly, &options, Some(&store), 1));
    assert!(expected.contains("overlapping-shells") && expected.contains("open-mesh"), "{expected}");
    let entries = store.entries();
    let kinds: Vec<&str> = entries.keys().filter_map(|name| name.split('/').next()).collect();
    assert!(["parts", "shapes", "pairs"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // A shared pool: some thousand runs follow.
    let assert_recomputed = |entries: &BTreeMap<String, Vec<u8>>, what: &dyn Fn() -> String| {
        let cache = Some(Cache::new(Arc::new(Memory::with(entries))));
        let options = Options { cache, ..options.clone() };
        let (outcome, stats) = pool.install(|| check_with_stats(&assembly, &options, &FsLoader, &NoProgress)).unwrap();
        assert!(reports(&outcome) == expected, "{}", what());
        assert!(misses(&used(&stats)) > 0, "{}", what());
    };
    let mut bytes = 0;
    for (name, content) in &entries {
        let mut damaged = entries.clone();
        let mut put = |content: Vec<u8>, what: &dyn Fn() -> String| {
            damaged.insert(name.clone(), content);
            assert_recomputed(&damaged, what);
        };
        for at in 0..content.len() {
            let mut other = content.clone();
            other[at] ^= 1 << (at % 8);
            put(other, &|| format!("{name}, byte {at}"));
            put(content[..at].to_vec(), &|| format!("{name}, {at} bytes"));
            bytes += 1;
        }
        put(content.iter().copied().chain([0]).collect(), &|| format!("{name}, a byte more"));
        // Whole entries of another name, and of another format version.
        for (_, content) in entries.iter().filter(|(n, _)| *n != name) {
            put(content.clone(), &|| format!("{name}, another entry"));
        }
        let mut foreign = content[..content.len() - 32].to_vec();
        foreign[7] = b'0';
        foreign.extend(*blake3::hash(&foreign).as_bytes());
        put(foreign, &|| format!("{name}, another version"));
    }
    assert!(bytes > 3000, "{bytes}");
}

#[test]
fn cached_pairs_keep_their_own_self_union_warnings() {
    // The plug's pair needs the bar's self-union, the far box's pair does not: without the plug the warning is absent.
    let bars = bars();
    let only = |ids: &[&str]| {
        let mut assembly = bars.clone();
        assembly.instances.retain(|i| ids.contains(&i.id.as_str()));
        assembly.instances.iter_mut().filter(|i| i.id == "open").for_each(|i| i.placement.translation.x = 10.5);
        assembly
    };
    let options = Options { report_within: Some(1.0), ..Options::default() };
    let store = Memory::default();
    let told = |outcome: &Outcome| outcome.warnings.iter().any(|w| w.code == WarningCode::OverlappingShells);
    for _ in 0..2 {
        for (ids, tells) in [(&["bar", "plug", "open"][..], true), (&["bar", "open"], false), (&["bar", "plug"], true)]
        {
            let assembly = only(ids);
            let outcome = run(&assembly, &options, Some(&store), 4);
            assert_eq!(told(&outcome), tells, "{ids:?}");
            assert_eq!(json_of(&outcome), json_of(&run(&assembly, &options, None, 1)), "{ids:?}");
        }
    }
}

/// A bar of two overlapping shells that slides by `end` (mm) toward a box 4 mm away. A lid of the box lies over the
/// bar, so that the boxes of the parts meet.
fn sliding_bar(scratch: &Scratch, end: f64) -> Assembly {
    let bar = joined(&[block([0.0; 3], [6.0, 2.0, 2.0]), block([4.0, 0.0, 0.0], [10.0, 2.0, 2.0])]);
    let lidded = joined(&[block([14.0, -1.0, -1.0], [18.0, 3.0, 3.0]), block([0.0, 0.0, 4.0], [18.0, 2.0, 5.0])]);
    for (name, mesh) in [("bar.obj", bar), ("box.obj", lidded)] {
        std::fs::write(scratch.path().join(name), obj(&mesh)).expect("written");
    }
    let file = json!({
        "version": 1,
        "parts": { "bar": "bar.obj", "box": "box.obj" },
        "instances": [{ "id": "bar", "part": "bar" }, { "id": "box", "part": "box" }],
        "joints": { "slide": { "type": "prismatic", "axis": [1, 0, 0], "range": [0, end], "moves": ["bar"] } },
        "sweeps": { "in": { "joints": { "slide": "range" } } }
    });
    let path = scratch.path().join("assembly.json");
    std::fs::write(&path, file.to_string()).expect("written");
    load(&path)
}

#[test]
fn cached_sweeps_keep_their_own_self_union_warnings() {
    // A sweep that stays clear needs no self-union; one that ends in contact or in the box does.
    let scratch = Scratch::new();
    let store = Memory::default();
    for round in 0..2 {
        for (end, tells, fails) in [(3.0, false, false), (4.0, true, false), (4.5, true, true), (3.5, false, false)] {
            let assembly = sliding_bar(&scratch, end);
            let (outcome, stats) = run_with_stats(&assembly, &Options::default(), Some(&store), 2);
            let told = outcome.warnings.iter().any(|w| w.code == WarningCode::OverlappingShells);
            let failed =
                outcome.motion.iter().flat_map(|m| &m.runs).flat_map(|run| &run.rows).any(|row| row.status.fails());
            assert_eq!((told, failed), (tells, fails), "{end}");
            let Hits { hits, misses } = used(&stats).sweeps;
            assert_eq!([hits > 0, misses > 0], [round == 1, round == 0], "{end}");
            assert_eq!(json_of(&outcome), json_of(&run(&assembly, &Options::default(), None, 1)), "{end}");
        }
    }
}

#[test]
fn turned_instances_get_correct_boxes_from_cache() {
    // Boxes lie along the root axes: the pose of a pair matters although its two parts stay unchanged.
    let mut rng = Rng::new(33);
    let store = Memory::default();
    let options = Options::default();
    for k in 0..8 {
        let (linear, b) = (rng.rotation(), Vec3::new(4.0, 0.0, 0.0));
        let mut builder = Assembly::builder("turned", LengthUnit::Mm).part("a", notched(10.0)).part("b", notched(9.0));
        for n in 0..=k % 3 {
            let linear = if n == 0 { linear } else { rng.rotation() };
            let origin = Vec3::new(0.0, 0.0, 64.0 * f64::from(n));
            builder = builder.instance(format!("a{n}"), "a", Affine { linear, translation: origin }).instance(
                format!("b{n}"),
                "b",
                Affine { linear, translation: origin + linear * b },
            );
        }
        let assembly = builder.build().unwrap();
        let outcome = run(&assembly, &options, Some(&store), 1);
        assert_eq!(json_of(&outcome), json_of(&run(&assembly, &options, None, 1)));
        assert!(outcome.pairs.iter().all(|p| p.overlap_box.is_some()));
        let (again, stats) = run_with_stats(&assembly, &options, Some(&store), 1);
        assert_eq!((json_of(&again), misses(&used(&stats))), (json_of(&outcome), 0));
    }
}

#[test]
fn unused_answers_are_dropped_eventually() {
    let store = Memory::default();
    let size =
        |store: &Memory| store.entries().iter().filter(|e| e.0.starts_with("pairs/")).map(|e| e.1.len()).sum::<usize>();
    let mut largest = 0;
    for k in 0..40 {
        let builder = Assembly::builder("two", LengthUnit::Mm).part("a", notched(10.0)).part("b", notched(9.0));
        let builder =
            builder.instance("a", "a", at(0.0, 0.0, 0.0)).instance("b", "b", at(4.0 + 0.01 * f64::from(k), 0.0, 0.0));
        run(&builder.build().unwrap(), &Options::default(), Some(&store), 1);
        if k == 12 {
            largest = size(&store);
        }
    }
    assert!(largest > 0 && size(&store) <= largest + 64, "{largest} {}", size(&store));
}

/// Writes two nested tubes as files; returns the path of the assembly.
fn tubes(scratch: &Scratch) -> String {
    scratch.write("parts/a.obj", obj(&tube(12, 5.0, 3.0, [0.0, 10.0])));
    scratch.write("parts/b.obj", obj(&translated(&tube(12, 3.5, 2.0, [0.0, 10.0]), Vec3::new(0.0, 0.0, 2.0))));
    let file = r#"{"version":1,"parts":{"a":{"mesh":"parts/a.obj"},"b":{"mesh":"parts/b.obj"}},
        "instances":[{"id":"a","part":"a"},{"id":"b","part":"b"}]}"#;
    scratch.write("assembly.json", file).to_str().expect("UTF-8").to_owned()
}

#[test]
fn program_uses_a_cache_folder() {
    let scratch = Scratch::new();
    let file = tubes(&scratch);
    let folder = scratch.path().join("kept/cache");
    let (folder_arg, timings) = (folder.to_str().unwrap(), scratch.path().join("t.json"));
    let none = interfere(&["check", &file]);
    assert_eq!(none.code, 1, "{}", none.stderr);
    for hits in [0, 1] {
        let arguments = ["check", &file, "--cache", folder_arg, "--timings", timings.to_str().unwrap()];
        let ran = interfere(&arguments);
        assert_eq!((ran.code, &ran.stdout, &ran.stderr), (1, &none.stdout, &none.stderr));
        let timings = parsed(&std::fs::read_to_string(&timings).unwrap());
        assert_eq!(timings["cache"]["pairs"], serde_json::json!({ "hits": hits, "misses": 1 - hits }));
        assert_eq!(timings["cache"]["parts"], serde_json::json!({ "hits": 2 * hits, "misses": 2 - 2 * hits }));
    }
    assert!(
        std::fs::read_to_string(folder.join("CACHEDIR.TAG"))
            .unwrap()
            .starts_with("Signature: 8a477f597d28d172789f06886806bc55\n")
    );
    assert_eq!(std::fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
    let leftovers = std::fs::read_dir(folder.join("pairs")).unwrap().filter(|e| {
        let name = e.as_ref().unwrap().file_name();
        name.to_str().unwrap().len() != 64
    });
    assert_eq!(leftovers.count(), 0, "what was written beside is renamed");
}

#[test]
fn unusable_cache_folder_only_gives_a_warning() {
    let scratch = Scratch::new();
    let file = tubes(&scratch);
    let none = interfere(&["check", &file, "--format", "json", "--strict"]);
    let parts = scratch.path().join("parts");
    let before = std::fs::read_dir(&parts).unwrap().count();
    // A folder with foreign files, and a path through a file.
    for (folder, why) in [(parts.clone(), "the folder holds other files"), (parts.join("a.obj/cache"), "")] {
        let ran = interfere(&["check", &file, "--format", "json", "--strict", "--cache", folder.to_str().unwrap()]);
        assert_eq!((ran.code, &ran.stdout), (none.code, &none.stdout));
        let told = |text: &str| ran.stderr.contains(text);
        assert!(told("[cache-not-written]") && told(why) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    }
    assert_eq!(std::fs::read_dir(&parts).unwrap().count(), before);
}

#[test]
fn only_old_unused_entries_are_deleted() {
    let scratch = Scratch::new();
    let (store, old) =
        (FsStore::new(scratch.path().join("cache")), SystemTime::now() - Duration::from_secs(40 * 24 * 3600));
    let names: Vec<String> = (0..3).map(|k| format!("parts/{k:064x}")).collect();
    for name in &names {
        store.write(name, b"content").unwrap();
    }
    let path = |name: &str| scratch.path().join("cache").join(name);
    std::fs::write(path("parts/notes.txt"), "").unwrap();
    let age = |name: &str| File::options().append(true).open(path(name)).unwrap().set_modified(old).unwrap();
    for name in [&names[0], &names[1], "parts/notes.txt"] {
        age(name);
    }
    // Reading an old entry counts as use.
    assert_eq!(store.read(&names[1]).as_deref(), Some(&b"content"[..]));
    store.sweep();
    let there = ["parts/notes.txt", &names[0], &names[1], &names[2]].map(|name| path(name).exists());
    assert_eq!(there, [true, false, true, true]);
}

#[test]
fn concurrent_runs_can_share_a_cache_folder() {
    let scratch = Scratch::new();
    let mut rng = Rng::new(32);
    let sizes: Vec<f64> = (0..4).map(|k| 6.0 + 0.05 * f64::from(k)).collect();
    let places: Vec<Affine> =
        (0..60).map(|i| Affine { linear: rng.rotation(), ..at(13.0 * f64::from(i), 0.0, 0.0) }).collect();
    let options = Options { measure: Measure::None, ..Options::default() };
    let assembly = row_of_1000(&sizes, &places);
    let expected = json_of(&run(&assembly, &options, None, 1));
    let with_folder = || {
        let cache = Some(Cache::new(Arc::new(FsStore::new(scratch.path().join("cache")))));
        check_with_stats(&assembly, &Options { cache, ..options.clone() }, &FsLoader, &NoProgress).unwrap()
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let (outcome, stats) = with_folder();
                    assert_eq!(json_of(&outcome), expected);
                    assert_eq!(stats.cache_warning, None);
                }
            });
        }
    });
    assert_eq!(misses(&used(&with_folder().1)), 0);
}
