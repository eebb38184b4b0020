//! Does hostile input end in a value or an error? Each file of `fixtures/corpus` runs through the code of the fuzz
//! targets. Crashes found by fuzzing are minimised and stored there.

use interfere::internals::fuzzing;
use std::fs;
use std::path::Path;

fn replay_all(folder: &str, run: fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus").join(folder);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("readable");
        run(&bytes);
        // Truncated files must end cleanly, too; large files are cut in fewer places.
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 64) {
            run(&bytes[..end]);
        }
        count += 1;
    }
    count
}

#[test]
fn hostile_stl_files_give_value_or_error() {
    assert!(replay_all("stl", fuzzing::mesh) >= 8);
}

#[test]
fn hostile_obj_files_give_value_or_error() {
    assert!(replay_all("obj", fuzzing::mesh) >= 8);
}

#[test]
fn hostile_ply_and_off_files_give_value_or_error() {
    assert!(replay_all("ply", fuzzing::mesh) >= 8);
    assert!(replay_all("off", fuzzing::mesh) >= 8);
}

#[test]
fn hostile_files_of_other_programs_give_folder_or_error() {
    let run = |bytes: &[u8]| {
        fuzzing::import(bytes);
    };
    for folder in ["gltf", "threemf", "urdf", "dae", "mjcf", "sdf"] {
        assert!(replay_all(folder, run) >= 8, "{folder}");
    }
}

#[test]
fn sound_files_of_other_programs_replay_to_a_folder() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
    for file in [
        "gltf/text.gltf",
        "gltf/binary.glb",
        "threemf/one.3mf",
        "threemf/stored.3mf",
        "urdf/two.urdf",
        "dae/scene.dae",
        "mjcf/arm.xml",
        "mjcf/fixed_axes.xml",
        "mjcf/replicas.xml",
        "sdf/cell.sdf",
        "sdf/gripper.sdf",
        "sdf/post.sdf",
    ] {
        assert!(fuzzing::import(&fs::read(corpus.join(file)).expect("readable")), "{file}");
    }
}

#[test]
fn hostile_assemblies_give_value_or_error() {
    let run = |bytes: &[u8]| {
        fuzzing::assembly(bytes);
    };
    assert!(replay_all("assembly", run) >= 8);
}

#[test]
fn sound_assembly_replays_to_an_outcome() {
    // A sound assembly shows the fuzzer the code behind the first error.
    let sound = br#"{"version": 1, "parts": {"a": {"mesh": "a.obj"}, "b": {"mesh": "parts/b.obj"}}, "instances": [
        {"id": "a", "part": "a"}, {"id": "b", "part": "b"}, {"id": "s", "assembly": "sub.json"}]}"#;
    assert!(fuzzing::assembly(sound));
    assert!(!fuzzing::assembly(b"{}"));
}
