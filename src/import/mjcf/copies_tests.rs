//! Copies by `replicate` and `attach`: places, names, references, settings, refusals.

use crate::geom::Vec3;
use crate::import::Imported;
use crate::import::mjcf::tests::{error, import, rules, world};

/// Ids and places (m) of the instances.
fn places(imported: &Imported) -> Vec<(&str, [f64; 3])> {
    let place = |v: Vec3| (v / 1000.0).map(|x| libm::round(x * 1e9) / 1e9 + 0.0).into();
    imported.instances.iter().map(|i| (i.id.as_str(), place(i.placement.translation))).collect()
}

#[test]
fn each_replica_stands_in_the_frame_of_the_one_before_it() {
    let text = world(
        "<replicate count='3' sep='-' offset='1 0 0' euler='0 0 90'><body name='a' pos='0 0 2'><geom size='1'/></body></replicate>",
    );
    let expected = [("a-0", [0.0, 0.0, 2.0]), ("a-1", [1.0, 0.0, 2.0]), ("a-2", [1.0, 1.0, 2.0])];
    assert_eq!(places(&import(&text)), expected);
}

#[test]
fn suffixes_have_the_digits_of_the_count_and_stand_inside_out() {
    let text = world(
        "<replicate count='10' offset='0 0 1'><replicate count='2' sep='_' offset='1 0 0'><body name='a'><geom size='1'/></body>\
         </replicate></replicate>",
    );
    let imported = import(&text);
    let places = places(&imported);
    assert_eq!(places[..3], [("a_000", [0.0; 3]), ("a_100", [1.0, 0.0, 0.0]), ("a_001", [0.0, 0.0, 1.0])]);
    assert_eq!(places.last(), Some(&("a_109", [1.0, 0.0, 9.0])));
}

#[test]
fn references_to_replicas_are_copied() {
    let text = format!(
        "{}<contact><exclude body1='a' body2='c'/><exclude body1='o' body2='c'/></contact>\
         <equality><joint joint1='k' joint2='j'/><joint joint1='k' joint2='outside'/></equality>",
        world(
            "<body name='o'><joint name='outside'/><geom size='1'/></body><replicate count='2'><body name='a'><joint name='j'/>\
             <geom size='1'/><body name='b'><geom size='1'/><body name='c'><joint name='k'/><geom size='1'/></body></body></body></replicate>"
        )
    );
    let imported = import(&text);
    let found = rules(&imported);
    for rule in ["a0 c0 exclude", "a1 c1 exclude", "o c0 exclude", "o c1 exclude"] {
        assert!(found.iter().any(|r| r == rule), "{rule}: {found:?}");
    }
    assert_eq!(found.iter().filter(|r| r.ends_with("exclude")).count(), 4);
    let follows = |name: &str| {
        let joint = imported.joints.iter().find(|j| j.name == name).expect(name);
        joint.follows.as_ref().map(|f| f.joint.clone())
    };
    assert_eq!([follows("k0"), follows("k1")], [Some("j0".to_owned()), Some("j1".to_owned())]);
    assert_eq!(imported.left_out.iter().map(|l| (l.what.as_str(), l.count)).collect::<Vec<_>>(), [("equalities", 1)]);
}

#[test]
fn attached_models_keep_their_settings_and_files() {
    let asset = "<default><geom size='9'/></default><asset><model file='kit/kid.xml'/></asset>";
    let attach = |what: &str| format!("{asset}{}", world(&format!("<body name='top' childclass='main'>{what}</body>")));
    let imported = import(&attach("<attach model='kid' prefix='x_'/>"));
    let expected = [[0.0; 3], [0.0, 1.0, 1.0], [0.0, 6.0, 1.0], [0.0, 6.0, 1.0], [0.0; 3]];
    let placed = places(&imported);
    assert_eq!(placed.iter().map(|(_, at)| *at).collect::<Vec<_>>(), expected, "{placed:?}");
    let radius = |k: usize| {
        let points = &imported.parts[imported.instances[k].part].mesh.vertices;
        libm::round(points.iter().map(Vec3::norm).fold(0.0, f64::max) * 1e9) / 1e9
    };
    // Classes of the child, not of the body around it; its mesh beside it.
    assert_eq!([0, 1, 2, 3, 4].map(radius), [3.0, 3.0, 2.0, 2.0, 3.0]);
    assert!(rules(&imported).contains(&"x_k.x_g x_n exclude".to_owned()), "{:?}", rules(&imported));
    let follower = imported.joints.iter().find(|j| j.name == "x_m").expect("a joint");
    assert_eq!(follower.follows.as_ref().map(|f| f.joint.as_str()), Some("x_j"));
    assert_eq!(imported.sources, ["kit/kid.xml"]);
    let left: Vec<_> = imported.left_out.iter().map(|l| format!("{} {}", l.count, l.what)).collect();
    assert_eq!(left, ["1 keyframes of attached models"]);
    // A body keeps its place in its parent, a frame brings its own.
    assert_eq!(places(&import(&attach("<attach model='kid' body='l' prefix=''/>")))[0].1, [5.0, 0.0, 0.0]);
    assert_eq!(places(&import(&attach("<attach model='kid' frame='f' prefix=''/>")))[0], ("k.g", [0.0, 1.0, 1.0]));
    let cut = import(&attach("<attach model='kid' body='l' prefix=''/>"));
    let left: Vec<_> = cut.left_out.iter().map(|l| format!("{} {}", l.count, l.what)).collect();
    let what = "2 contacts and equalities of attached models with other elements";
    assert!(left.contains(&what.to_owned()), "{left:?}");
}

#[test]
fn points_without_faces_are_their_hull() {
    let asset = "<asset><mesh name='h' scale='1 1 -1' vertex='0 0 0 1 0 0 0 1 0 0 0 1 0.1 0.1 0.1'/></asset>";
    let imported = import(&format!("{asset}{}", world("<geom type='mesh' mesh='h'/>")));
    let mesh = &imported.parts[0].mesh;
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    let volume: f64 = mesh
        .triangles
        .iter()
        .map(|t| t.map(|k| mesh.vertices[k as usize]))
        .map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0)
        .sum();
    assert!((volume - 1.0 / 6.0).abs() < 1e-12, "{volume}");
}

#[test]
fn copies_in_error_are_refused_by_name() {
    let replicate =
        |what: &str| world(&format!("<replicate {what}><body name='a'><geom size='1'/></body></replicate>"));
    let attach = |what: &str| format!("<asset><model name='m' file='kit/kid.xml'/></asset>{}", world(what));
    let long = "n".repeat(100_000);
    for (text, says) in [
        (replicate(""), "`count` of a `replicate` is no whole number above 0"),
        (replicate("count='0'"), "`count` of a `replicate` is no whole number above 0"),
        (replicate("count='1.5'"), "`count` of a `replicate` is no whole number above 0"),
        (replicate("count='2' offset='1 2'"), "`offset`: expected 3 numbers, found 2"),
        (replicate("count='2' euler='x 0 0'"), "`euler`"),
        (replicate("count='18446744073709551615'"), "more than 100000 copied elements [too-large]"),
        (
            world("<replicate count='400'><replicate count='400'><geom size='1'/></replicate></replicate>"),
            "[too-large]",
        ),
        (world(&format!("<replicate count='1000'><geom name='{long}'/></replicate>")), "[too-large]"),
        (world("<body><replicate count='2'><frame><joint/></frame></replicate></body>"), "a joint of a `replicate`"),
        (world("<attach body='a' prefix=''/>"), "`attach` without `model` [unsupported]"),
        (attach("<attach model='m'/>"), "`attach` without `prefix`"),
        (attach("<attach model='n' prefix=''/>"), "no model `n`"),
        (attach("<attach model='m' body='z' prefix=''/>"), "no body `z` in `m`"),
        (attach("<attach model='m' frame='k' prefix=''/>"), "no frame `k` in `m`"),
        (attach("<attach model='m' body='k' frame='f' prefix=''/>"), "`attach` with `body` and `frame`"),
        (attach("<attach model='m' prefix=''/><attach model='m' prefix=''/>"), "two bodies with the name `k`"),
        ("<asset><model name='r' file='ring.xml'/></asset>".to_owned(), "`ring.xml` attaches itself"),
        ("<asset><model name='r' file='flat.obj'/></asset>".to_owned(), "[damaged]"),
        ("<asset><model name='r' file='../../../etc/passwd'/></asset>".to_owned(), "[reference-missing]"),
    ] {
        let found = error(&text);
        assert!(found.contains(says), "{says}: {found}");
    }
}
