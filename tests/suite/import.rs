//! Does `import` write a folder that `check` takes, and nothing for a file that it refuses?

use crate::support::command::{Ran, command, finish, interfere};
use crate::support::scratch::Scratch;
use crate::support::skipped;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Two cubes of 10 mm as glTF text; the second one is 0.5 mm inside the first.
fn gltf() -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"byteLength": {}, "uri": "cubes.bin"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 96}}, {{"buffer": 0, "byteOffset": 96, "byteLength": 36}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"}},
                      {{"bufferView": 1, "componentType": 5121, "count": 36, "type": "SCALAR"}}],
        "meshes": [{{"name": "cube", "primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "nodes": [{{"name": "left", "mesh": 0}}, {{"name": "right", "mesh": 0, "translation": [0.0095, 0, 0]}}]}}"#,
        96 + 36
    )
}

fn cubes(scratch: &Scratch) -> PathBuf {
    let mut bytes: Vec<u8> = Vec::new();
    for k in 0..8u32 {
        for axis in 0..3 {
            bytes.extend((if k >> axis & 1 == 0 { 0f32 } else { 0.01 }).to_le_bytes());
        }
    }
    for quad in [[0u8, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        bytes.extend([quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]);
    }
    scratch.write("cubes.bin", bytes);
    scratch.write("cubes.gltf", gltf())
}

fn run_in(folder: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Ran {
    let mut command = command(arguments);
    command.current_dir(folder).env_remove("INTERFERE_CAD").env_remove("ROS_PACKAGE_PATH");
    for (name, value) in variables {
        command.env(name, value);
    }
    finish(command)
}

/// Files of a folder with their bytes.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.insert(path.strip_prefix(folder).expect("below").to_owned(), fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {} {}", ran.stdout, ran.stderr))
}

#[test]
fn an_import_a_file_and_a_sub_assembly_give_the_same_verdict() {
    let scratch = Scratch::new();
    cubes(&scratch);
    let ran = run_in(scratch.path(), &["import", "cubes.gltf", "-o", "design"], &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    insta::assert_snapshot!(ran.stdout, @"
    cubes.gltf (glTF)
      parts        1
      instances    2
      triangles    12
      deflection   not known
      written      design/assembly.json
    ");
    scratch.write("above.json", r#"{"version": 1, "instances": [{"id": "d", "assembly": "cubes.gltf"}]}"#);
    let gap = |arguments: &[&str]| {
        let ran = run_in(scratch.path(), &[&["check", "--format", "json"], arguments].concat(), &[]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let report = json(&ran);
        let pair = &report["pairs"][0];
        assert_eq!(pair["status"], "interference");
        (pair["a"].as_str().unwrap().to_owned(), pair["depth"].clone())
    };
    let (id, depth) = gap(&["design"]);
    assert_eq!((id.as_str(), gap(&["cubes.gltf"])), ("left", ("left".to_owned(), depth.clone())));
    assert_eq!(gap(&["above.json"]), ("d/left".to_owned(), depth));
    assert!(!scratch.path().join("cubes.gltf/parts").exists());
    let explained = run_in(scratch.path(), &["explain", "cubes.gltf", "left", "right"], &[]);
    assert_eq!((explained.code, explained.stderr.as_str()), (1, ""), "{explained:?}");
}

#[test]
fn two_imports_have_the_same_bytes_and_the_second_replaces_the_first() {
    let scratch = Scratch::new();
    cubes(&scratch);
    let import = |arguments: &[&str]| run_in(scratch.path(), &[&["import", "cubes.gltf"], arguments].concat(), &[]);
    assert_eq!(import(&["-o", "a"]).code, 0);
    assert_eq!(import(&["-o", "b"]).code, 0);
    let a = content(&scratch.path().join("a"));
    assert_eq!(a, content(&scratch.path().join("b")));
    assert_eq!(a.len(), 3);
    let record: serde_json::Value = serde_json::from_slice(&a[Path::new("import.json")]).unwrap();
    assert_eq!(record["source"]["path"], "cubes.gltf");
    assert_eq!(record["parts"]["cube"]["triangles"], 12);
    // Another unit: the old files go.
    assert_eq!(import(&["-o", "a", "--units", "inch"]).code, 0);
    let changed = content(&scratch.path().join("a"));
    assert!(changed != a && changed.len() == 3);
    let names: Vec<_> = fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|n| !n.to_string_lossy().starts_with(".a")), "{names:?}");
}

#[test]
fn other_files_in_the_folder_are_safe() {
    let scratch = Scratch::new();
    cubes(&scratch);
    scratch.write("mine/notes.txt", "keep");
    scratch.write("mine/parts/own.stl", "keep");
    let before = content(&scratch.path().join("mine"));
    let ran = run_in(scratch.path(), &["import", "cubes.gltf", "-o", "mine"], &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the folder holds other files, such as `notes.txt`"), "{}", ran.stderr);
    assert_eq!(content(&scratch.path().join("mine")), before);
    let ran = run_in(scratch.path(), &["import", "cubes.gltf", "-o", "mine", "--force"], &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let after = content(&scratch.path().join("mine"));
    assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)) && after.len() == 5);
    // Deep and empty folders of the user stay, and files of the earlier import go.
    scratch.write("mine/a/b/c/d/e.txt", "keep");
    fs::create_dir_all(scratch.path().join("mine/empty/inner")).expect("made");
    let old = fs::read_to_string(scratch.path().join("mine/import.json")).expect("read");
    let listed = old.replacen("\"files\": {", "\"files\": { \"parts/gone.stl\": \"0\",", 1);
    assert_ne!(listed, old);
    scratch.write("mine/import.json", listed);
    scratch.write("mine/parts/gone.stl", "old");
    let ran = run_in(scratch.path(), &["import", "cubes.gltf", "-o", "mine", "--force"], &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mine = scratch.path().join("mine");
    assert!(mine.join("a/b/c/d/e.txt").is_file() && mine.join("empty/inner").is_dir());
    assert!(!mine.join("parts/gone.stl").exists() && mine.join("parts/own.stl").is_file());
    let beside = fs::read_dir(scratch.path())
        .expect("read")
        .filter(|e| e.as_ref().is_ok_and(|e| e.file_name().to_string_lossy().starts_with(".mine")));
    let beside: Vec<_> = beside.map(|e| e.expect("read").file_name()).collect();
    assert!(beside.is_empty(), "{beside:?}");
    let file = run_in(scratch.path(), &["import", "cubes.gltf", "-o", "cubes.bin"], &[]);
    assert!(file.code == 2 && file.stderr.contains("a file, not a folder"), "{file:?}");
}

#[test]
fn a_refused_file_leaves_no_folder() {
    let scratch = Scratch::new();
    scratch.write("a.gltf", gltf());
    scratch.write("b.urdf", "<robot name='r'><link name='a'/></robot>");
    scratch.write("c.json", "{\"version\": 1}");
    scratch.write("d.xml", "<mujocoinclude/>");
    for (file, says) in [
        ("a.gltf", "`cubes.bin`: cannot read the file: no such file [reference-missing]"),
        ("b.urdf", "left out: 1 link without geometry [no-geometry]"),
        ("c.json", "[unsupported]"),
        ("d.xml", "a part of a MuJoCo model: name the model that includes it [unsupported]"),
        ("e.glb", "no such file"),
    ] {
        let ran = run_in(scratch.path(), &["import", file, "-o", "out"], &[]);
        assert!(ran.code == 2 && ran.stderr.contains(says) && ran.stdout.is_empty(), "{file}: {ran:?}");
        assert!(!scratch.path().join("out").exists());
    }
    let ran = run_in(scratch.path(), &["check", "a.gltf"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("[reference-missing]"), "{ran:?}");
    scratch.write("above.json", r#"{"version": 1, "instances": [{"id": "d", "assembly": "a.gltf"}]}"#);
    let ran = run_in(scratch.path(), &["check", "above.json"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("[reference-missing]"), "{ran:?}");
}

#[test]
fn a_robot_is_in_metres() {
    let scratch = Scratch::new();
    let solid = "<geometry><box size='1 1 1'/></geometry>";
    scratch.write("b.urdf", format!("<robot name='r'><link name='a'><collision>{solid}</collision></link></robot>"));
    let ran = run_in(scratch.path(), &["import", "b.urdf", "-o", "out", "--units", "mm"], &[]);
    let says = "b.urdf: --units has no meaning for URDF: its lengths are metres";
    assert!(ran.code == 2 && ran.stderr.contains(says) && !scratch.path().join("out").exists(), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn files_outside_the_tree_stay_unread() {
    let scratch = Scratch::new();
    let outside = Scratch::new();
    cubes(&outside);
    scratch.write("a.gltf", gltf().replace("cubes.bin", "link.bin"));
    std::os::unix::fs::symlink(outside.path().join("cubes.bin"), scratch.path().join("link.bin")).unwrap();
    let ran = run_in(scratch.path(), &["import", "a.gltf", "-o", "out"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("lies outside"), "{ran:?}");
    let ran = run_in(scratch.path(), &["import", "a.gltf", "-o", "out", "--allow-outside"], &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn robots_stand_in_their_poses() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/inputs/urdf");
    if !shared.is_dir() {
        return skipped("no ../shared/inputs/urdf");
    }
    let scratch = Scratch::new();
    let out = scratch.path().join("out");
    let robots = [("bolt_description/robots/bolt.urdf", "standing"), ("ur_description/urdf/ur5_robot.urdf", "")];
    for (robot, pose) in robots {
        let mut arguments: Vec<String> = vec!["import".into(), shared.join(robot).display().to_string(), "-o".into()];
        arguments.extend([out.display().to_string(), "--allow-outside".into()]);
        if !pose.is_empty() {
            arguments.extend(["--pose".into(), pose.into()]);
        }
        let ran = interfere(&arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        let folder = out.display().to_string();
        let report = json(&interfere(&["check", &folder, "--format", "json", "--run", "as-drawn"]));
        let rules = fs::read_to_string(out.join("assembly.json")).unwrap();
        assert!(rules.contains("\"reason\": \"joint ") && !rules.to_lowercase().contains("never"), "{robot}");
        assert!(report["summary"]["counts"]["ignored"].as_u64().unwrap() > 0);
    }
}

/// A program with the protocol that runs these lines; `$1` to `$5` are flags, `$in` and `$out` the paths.
#[cfg(unix)]
fn importer(scratch: &Scratch, lines: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let key = "0".repeat(64);
    let text = format!(
        "#!/bin/sh\n[ \"$1 $2 $3 $4 $5\" = '--protocol 1 --deflection 0.05 --angle' ] || exit 9\n\
         for a in \"$@\"; do in=$out; out=$a; case $a in --key) echo {key}; exit 0;; esac; done\n{lines}\n"
    );
    let path = scratch.write("bin/cad", text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    path
}

/// Lines that write a folder with one part; `mesh` is the path in the assembly file, `triangles` the stated count.
#[cfg(unix)]
fn writes(mesh: &str, triangles: u32) -> String {
    format!(
        "mkdir -p \"$out/parts\"\ncp {mesh} \"$out/parts/001.stl\" 2>/dev/null || :\n\
         echo '{{\"version\": 1, \"parts\": {{\"p\": {{\"mesh\": \"parts/001.stl\", \"deflection\": 0.04, \"units\": \"m\"}}}}, \"instances\": \
         [{{\"id\": \"a\", \"part\": \"p\"}}, {{\"id\": \"b\", \"part\": \"p\", \"placement\": {{\"translation\": [9.5, 0, 0]}}}}]}}' > \"$out/assembly.json\"\n\
         echo '{{\"version\": 1, \"key\": \"{}\", \"source\": {{\"format\": \"step\"}}, \"parts\": {{\"p\": {{\"triangles\": {triangles}}}}}, \
         \"left_out\": [{{\"what\": \"wire\", \"count\": 2, \"where\": [\"a\"]}}]}}' > \"$out/import.json\"",
        "0".repeat(64)
    )
}

#[cfg(unix)]
#[test]
fn a_program_reads_step_and_its_folder_is_checked() {
    let scratch = Scratch::new();
    cubes(&scratch);
    assert_eq!(run_in(scratch.path(), &["import", "cubes.gltf", "-o", "cube"], &[]).code, 0);
    let mesh = scratch.path().join("cube/parts/cube.stl").display().to_string();
    scratch.write("d.step", "ISO-10303-21;\n");
    let program = importer(&scratch, &format!("{}\necho 'warning: open-shell: 2 shells' >&2", writes(&mesh, 12)));
    let with = |arguments: &[&str]| run_in(scratch.path(), arguments, &[("INTERFERE_CAD", &program)]);
    let ran = with(&["import", "d.step", "-o", "out"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stderr, "warning: d.step: 2 shells [open-shell]\n");
    assert!(
        ran.stdout.contains("d.step (STEP)") && ran.stdout.contains("instances    2") && ran.stdout.contains("2 wire")
    );
    let ran = with(&["check", "d.step", "--format", "json"]);
    assert_eq!((ran.code, json(&ran)["summary"]["counts"]["interference"].as_u64()), (1, Some(1)), "{ran:?}");
    assert!(ran.stderr.contains("[open-shell]"), "{}", ran.stderr);
    let cached = ["check", "d.step", "--format", "json", "--cache", "cache"];
    let reports = [with(&cached), with(&cached)].map(|ran| ran.stdout);
    assert!(reports[0] == reports[1] && reports[0] == ran.stdout);
    assert!(scratch.path().join("cache/imports").join("0".repeat(64)).join("assembly.json").exists());
    let ran = with(&["import", "d.step", "-o", "out", "--units", "mm"]);
    assert!(ran.code == 2 && ran.stderr.contains("--units has no meaning for STEP"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_failing_program_ends_without_folder_and_verdict() {
    let scratch = Scratch::new();
    cubes(&scratch);
    assert_eq!(run_in(scratch.path(), &["import", "cubes.gltf", "-o", "cube"], &[]).code, 0);
    let mesh = scratch.path().join("cube/parts/cube.stl").display().to_string();
    scratch.write("d.step", "ISO-10303-21;\n");
    scratch.write("secret.stl", "secret");
    let good = writes(&mesh, 12);
    let outside =
        good.replace("parts/001.stl\\\"", "../secret.stl\\\"").replace("\"parts/001.stl\"", "\"../secret.stl\"");
    for (lines, says) in [
        ("echo 'error: no-geometry: FOOT has no solid' >&2; exit 2".to_owned(), "FOOT has no solid [no-geometry]"),
        ("kill -SEGV $$".to_owned(), "the program crashed [importer-failed]"),
        ("echo oops >&2; exit 3".to_owned(), "exit code 3: oops [importer-failed]"),
        ("sleep 60".to_owned(), "took longer than 1 s [importer-limit]"),
        ("exit 0".to_owned(), "cannot read its folder"),
        ("mkdir -p \"$out\"".to_owned(), "the program wrote no assembly.json [importer-failed]"),
        (outside, "[importer-failed]"),
        (format!("{good}\nln -s /etc/passwd \"$out/parts/x\""), "is a link [importer-failed]"),
        (writes("/dev/null", 12), "[importer-failed]"),
        (writes(&mesh, 11), "has 12 triangles, not 11 [importer-failed]"),
        (good.replace("\"version\": 1, \"key\"", "\"version\": 2, \"key\""), "has version 2 [importer-failed]"),
        (good.replace("\"left_out\"", "\"files\": {\"assembly.json\": \"00\"}, \"left_out\""), "differs from its hash"),
    ] {
        let program = importer(&scratch, &lines);
        for arguments in [&["import", "d.step", "-o", "out", "--import-timeout", "1"][..], &["check", "d.step"]] {
            if arguments[0] == "check" && lines.starts_with("sleep") {
                continue;
            }
            let ran = run_in(scratch.path(), arguments, &[("INTERFERE_CAD", &program)]);
            assert!(ran.code == 2 && ran.stderr.contains(says) && ran.stdout.is_empty(), "{says}: {ran:?}");
            assert!(!scratch.path().join("out").exists());
        }
    }
    // The children of a program that takes too long end with it.
    let child = scratch.path().join("child");
    let program = importer(&scratch, &format!("sleep 600 &\necho $! > {}\nsleep 600", child.display()));
    let ran = run_in(
        scratch.path(),
        &["import", "d.step", "-o", "out", "--import-timeout", "1"],
        &[("INTERFERE_CAD", &program)],
    );
    assert!(ran.stderr.contains("[importer-limit]"), "{ran:?}");
    let child = fs::read_to_string(child).expect("the child began");
    let is_alive = || {
        let status = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        // A zombie waits for its new parent to count it.
        !status.is_empty() && !status.contains(") Z ")
    };
    for _ in 0..100 {
        if !is_alive() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!is_alive(), "the child of the program runs on");
    let none = scratch.path().join("bin/none");
    let ran = run_in(scratch.path(), &["import", "d.step", "-o", "out"], &[("INTERFERE_CAD", &none)]);
    assert!(ran.code == 2 && ran.stderr.contains("[importer-missing]"), "{ran:?}");
    // A program of the working folder is not on the absolute part of PATH.
    let empty = Path::new(".:bin");
    let ran = run_in(scratch.path(), &["import", "d.step", "-o", "out"], &[("PATH", empty)]);
    assert!(ran.stderr.contains("no program `interfere-cad`"), "{ran:?}");
}
