//! Do outputs spare the files of a robot, and does its SRDF name the links of its file?

use crate::support::command::interfere_in;
use crate::support::scratch::Scratch;
use crate::support::solids::{block, stl};

/// A box of 10 mm for each link.
fn link(name: &str, mesh: &str) -> String {
    format!("<link name='{name}'><collision><geometry>{mesh}</geometry></collision></link>")
}

const BOX: &str = "<box size='0.01 0.01 0.01'/>";

fn fixed(name: &str, child: &str, x: f64) -> String {
    let ends = format!("<parent link='base'/><child link='{child}'/>");
    format!("<joint name='{name}' type='fixed'>{ends}<origin xyz='{x} 0 0'/></joint>")
}

/// An arm that slides by 40 mm onto `post_1`; `post.1` stands 1 m away.
fn arm(scratch: &Scratch) {
    let slide = "<joint name='j' type='prismatic'><parent link='base'/><child link='arm'/><origin xyz='0.02 0 0'/>\
                 <axis xyz='1 0 0'/><limit lower='0' upper='0.04'/></joint>";
    let mesh = "<mesh filename='box.stl' scale='0.001 0.001 0.001'/>";
    let parts = [
        link("base", BOX),
        link("arm", mesh),
        link("post.1", BOX),
        link("post_1", BOX),
        fixed("far", "post.1", -1.0),
        fixed("near", "post_1", 0.06),
    ];
    scratch.write("arm.urdf", format!("<robot name='arm'>{}{slide}</robot>", parts.concat()));
    scratch.write("box.stl", stl(&block([-5.0; 3], [5.0; 3])));
    scratch.write(
        "arm.srdf",
        "<robot name='arm'><group_state name='out' group='g'><joint name='j' value='0.01'/></group_state></robot>",
    );
}

#[test]
fn outputs_spare_the_files_of_a_robot() {
    let scratch = Scratch::new();
    arm(&scratch);
    let runs: [(&[&str], &str); 5] = [
        (&["never", "arm.urdf", "--srdf", "arm.srdf"], "arm.srdf"),
        (&["check", "arm.urdf", "--format", "json=box.stl"], "box.stl"),
        (&["check", "arm.urdf", "--timings", "arm.srdf"], "arm.srdf"),
        (&["check", "arm.urdf", "--shard", "1/1", "-o", "arm.srdf"], "arm.srdf"),
        (&["render", "arm.urdf", "-o", "box.stl"], "box.stl"),
    ];
    for (words, file) in runs {
        let before = std::fs::read(scratch.path().join(file)).expect("a file");
        let ran = interfere_in(scratch.path(), words);
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.stderr.contains("would replace a file that this run reads; name another file"), "{ran:?}");
        assert_eq!(std::fs::read(scratch.path().join(file)).expect("a file"), before, "{words:?}");
    }
}

#[test]
fn an_srdf_has_the_names_of_the_links() {
    let scratch = Scratch::new();
    arm(&scratch);
    let ran = interfere_in(scratch.path(), &["never", "arm.urdf", "--srdf", "never.srdf"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = std::fs::read_to_string(scratch.path().join("never.srdf")).expect("a file");
    let pairs: Vec<&str> = written.lines().filter(|line| line.contains("Never")).map(str::trim).collect();
    let expected = [["arm", "post.1"], ["post.1", "post_1"]]
        .map(|[a, b]| format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"Never\"/>"));
    assert_eq!(pairs, expected, "{}", ran.stdout);
    // The file is a result: it takes no place from the SRDF of the robot, and a later run may replace it.
    let path = |name: &str| scratch.path().join(name);
    std::fs::rename(path("arm.srdf"), path("moveit.srdf")).expect("moved");
    let checked = interfere_in(scratch.path(), &["check", "arm.urdf"]);
    assert!(checked.stdout.contains("pose out: ") && !checked.stderr.contains("left out"), "{checked:?}");
    let again = interfere_in(scratch.path(), &["never", "arm.urdf", "--srdf", "never.srdf"]);
    assert_eq!(again.code, 0, "{again:?}");
    // The check takes none of two SRDF files with an effect.
    std::fs::copy(path("moveit.srdf"), path("second.srdf")).expect("copied");
    let checked = interfere_in(scratch.path(), &["check", "arm.urdf"]);
    let says = "2 SRDF files of this robot's name (`interfere import --srdf` takes one): moveit.srdf, second.srdf";
    assert!(checked.stderr.contains(says), "{checked:?}");
}

#[test]
fn flags_of_robots_are_refused_for_other_files() {
    let scratch = Scratch::new();
    arm(&scratch);
    let runs: [(&[&str], &str); 6] = [
        (&["import", "box.stl", "-o", "out", "--pose", "home"], "--pose has no meaning for"),
        (&["import", "box.stl", "-o", "out", "--joint", "j=0"], "--joint has no meaning for"),
        (&["import", "box.stl", "-o", "out", "--srdf", "gone.srdf"], "--srdf has no meaning for"),
        (
            &["import", "arm.urdf", "-o", "out", "--srdf", "gone.srdf"],
            "no such file [reference-missing]; correct --srdf",
        ),
        (&["init", "arm.urdf", "--units", "inch", "-o", "-"], "--units is the unit of the meshes of a folder"),
        (&["init", "box.stl", "-o", "-"], "box.stl: an STL mesh, not an assembly file"),
    ];
    for (words, says) in runs {
        let ran = interfere_in(scratch.path(), words);
        assert!(ran.code == 2 && ran.stderr.contains(says) && ran.stdout.is_empty(), "{words:?}: {ran:?}");
    }
    assert!(!scratch.path().join("out").exists());
    scratch.write("above.json", r#"{ "version": 1, "instances": [ { "id": "x", "assembly": "box.stl" } ] }"#);
    let ran = interfere_in(scratch.path(), &["check", "above.json"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("a mesh, not an assembly; name it as the `mesh` of a part"),
        "{ran:?}"
    );
}
