//! One binary for all tests of the crate from outside.

mod baseline;
mod broken_inputs;
mod cache;
mod cache_folder;
mod cases;
mod ci;
mod cli;
mod common;
mod concave;
mod corpus;
mod decomposition;
mod determinism;
mod diff;
mod drawn_reports;
mod drawn_runs;
mod driven;
mod first_gate;
mod floors;
mod formats;
mod generate;
mod hulls;
mod import;
mod lengths;
mod lint;
mod mesh_oracles;
mod mistakes;
mod model_files;
mod models;
mod motion;
mod motion_baseline;
mod motion_boxes;
mod motion_commands;
mod motion_curves;
mod motion_diff;
mod motion_facets;
mod motion_gaps;
mod motion_loops;
mod motion_parts;
mod motion_proofs;
mod mutations;
mod one_verdict;
mod oracle;
mod page;
mod pages;
mod pictures;
mod pieces;
mod properties;
mod robot_files;
mod robot_sweeps;
mod robots;
mod schema;
mod schemas_of_outputs;
mod separation;
mod set_up;
mod several;
mod severity;
mod shards;
mod shared;
mod shown;
mod suggest;
mod support;
mod table;
mod travel;
mod truth;
mod workflows;

#[test]
fn every_suite_file_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    for (folder, root) in
        [(folder.clone(), "main.rs"), (folder.join("support"), "mod.rs"), (folder.join("truth"), "mod.rs")]
    {
        let listed = std::fs::read_to_string(folder.join(root)).unwrap();
        let mut files = 0;
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.file_name().unwrap() == root {
                continue;
            }
            let named = |line: &str| line.trim_start_matches("pub ") == format!("mod {name};");
            assert!(listed.lines().any(named), "{} is in no `mod` line of {root}", path.display());
            files += 1;
        }
        assert!(files >= 5, "{}", folder.display());
    }
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    // The tests of the page in `browser` run in node.
    let is_other = |name: &std::ffi::OsString| name != "suite" && name != "browser";
    let others = std::fs::read_dir(tests).unwrap().map(|e| e.unwrap().file_name()).filter(is_other);
    assert_eq!(others.collect::<Vec<_>>(), Vec::<std::ffi::OsString>::new(), "one test binary, not several");
}
