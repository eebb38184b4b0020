//! Traps of SDFormat beside its places: names, loops, links that do not meet, included models, hostile files.

use crate::geom::Vec3;
use crate::import::urdf::tests::import_at;
use crate::import::{ImportOptions, Imported};

const BOX: &str = "<collision name='c'><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision>";

const OTHERS: [(&str, &str); 4] = [
    (
        "/repo/models/pin/model.sdf",
        "<sdf version='1.7'><model name='pin'><link name='l'><pose>0 0 1 0 0 0</pose>\
         <collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>",
    ),
    ("/repo/models/self/model.sdf", "<sdf><model name='a'><include><uri>model://self</uri></include></model></sdf>"),
    ("/repo/models/empty/model.sdf", "<sdf version='1.7'/>"),
    ("/etc/passwd", "root"),
];

fn import_with(content: &str, options: &ImportOptions) -> Result<Imported, crate::error::Error> {
    import_at("/repo/cell/cell.sdf", &format!("<sdf version='1.9'>{content}</sdf>"), &OTHERS, options)
}

fn import(content: &str) -> Imported {
    import_with(content, &ImportOptions::default()).unwrap_or_else(|e| panic!("{content}: {e}"))
}

fn error(content: &str) -> String {
    import_with(content, &ImportOptions::default()).expect_err(content).to_string()
}

fn model(name: &str, content: &str) -> String {
    format!("<model name='{name}'>{content}</model>")
}

fn link(name: &str, content: &str) -> String {
    format!("<link name='{name}'>{BOX}{content}</link>")
}

fn joint(name: &str, kind: &str, [parent, child]: [&str; 2], content: &str) -> String {
    format!("<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{content}</joint>")
}

fn ids(imported: &Imported) -> Vec<&str> {
    imported.instances.iter().map(|i| i.id.as_str()).collect()
}

fn rules(imported: &Imported) -> Vec<String> {
    imported.rules.iter().map(|r| format!("{} {} {}", r.between[0], r.between[1], r.reason)).collect()
}

fn at(imported: &Imported, id: &str) -> Vec3 {
    imported.instances.iter().find(|i| i.id == id).unwrap_or_else(|| panic!("{id}")).placement.translation
}

#[test]
fn a_single_model_adds_no_level_and_several_do() {
    let one = import(&model("arm", &link("a", "")));
    assert_eq!((one.name.as_str(), ids(&one)), ("arm", vec!["a.c"]));
    let nested = model("hand", &link("palm", ""));
    let two = import(&format!("{}{}", model("arm", &(link("a", "") + &nested)), model("post", &link("a", ""))));
    assert_eq!(ids(&two), ["arm.a.c", "arm.hand.palm.c", "post.a.c"]);
}

#[test]
fn a_loop_keeps_its_links_together_and_is_counted() {
    let links = ["a", "b", "c"].map(|n| link(n, "")).concat();
    let pin = "<axis><xyz>0 0 1</xyz></axis>";
    let joints = [("j", ["a", "b"]), ("k", ["b", "c"]), ("l", ["c", "a"])];
    let text = model("loop", &(links + &joints.map(|(name, ends)| joint(name, "revolute", ends, pin)).concat()));
    let imported = import(&text);
    assert_eq!(rules(&imported), ["a.c b.c joint j", "b.c c.c joint k", "c.c a.c joint l"]);
    assert_eq!(imported.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["j", "k"]);
    assert_eq!(imported.left_out[0].what, "joints of a closed loop");
}

#[test]
fn links_of_a_model_meet_unless_it_says_not() {
    let links = ["a", "b"].map(|n| link(n, "")).concat();
    assert_eq!(rules(&import(&model("m", &links))), Vec::<String>::new());
    assert_eq!(rules(&import(&model("m", &format!("<self_collide>true</self_collide>{links}")))), Vec::<String>::new());
    let apart = import(&model("m", &format!("<self_collide>false</self_collide>{links}")));
    assert_eq!(rules(&apart), ["a.c b.c self_collide false, model m"]);
    let third = link("c", "<self_collide>0</self_collide>");
    assert_eq!(
        rules(&import(&model("m", &(links + &third)))),
        ["a.c c.c self_collide false, model m", "b.c c.c self_collide false, model m"]
    );
}

#[test]
fn axes_of_old_versions_lie_in_the_model() {
    let text = |version: &str, more: &str| {
        let pin = format!("<pose>0 0 0 0 0 1.5707963267948966</pose><axis><xyz>1 0 0</xyz>{more}</axis>");
        let links = link("a", "") + &link("b", "");
        let model = model("m", &(links + &joint("j", "revolute", ["a", "b"], &pin)));
        let text = format!("<sdf version='{version}'>{model}</sdf>");
        import_at("/repo/cell/cell.sdf", &text, &[], &ImportOptions::default()).unwrap().joints[0].axis
    };
    assert_eq!(text("1.4", ""), Vec3::x());
    assert_eq!(text("1.5", ""), Vec3::y());
    assert_eq!(text("1.6", "<use_parent_model_frame>1</use_parent_model_frame>"), Vec3::x());
    assert_eq!(text("1.10", ""), Vec3::y());
}

#[test]
fn screws_have_a_lead_in_both_spellings() {
    let lead = |content: &str| {
        let links = link("a", "") + &link("b", "");
        let axis = "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>";
        let pitch = joint("j", "screw", ["a", "b"], &format!("{axis}{content}"));
        import(&model("m", &(links + &pitch))).joints[0].lead.unwrap()
    };
    assert_eq!(lead("<screw_thread_pitch>0.002</screw_thread_pitch>"), 2.0);
    let endless = joint("j", "screw", ["a", "b"], "<axis><xyz>0 0 1</xyz></axis>");
    let endless = import(&model("m", &(link("a", "") + &link("b", "") + &endless)));
    assert_eq!((endless.joints.len(), endless.left_out[0].what.as_str()), (0, "sliding joints without limits"));
    assert!((lead("<thread_pitch>-3141.592653589793</thread_pitch>") - 2.0).abs() < 1e-12);
}

#[test]
fn included_models_have_the_name_and_the_pose_of_the_inclusion() {
    let include = |content: &str| format!("<world name='w'><include>{content}</include></world>");
    let plain = import(&include("<uri>model://pin</uri>"));
    assert_eq!((ids(&plain), at(&plain, "l.c")), (vec!["l.c"], Vec3::new(0.0, 0.0, 1000.0)));
    assert_eq!(plain.sources, ["../models/pin/model.sdf"]);
    let placed = import(&include(
        "<uri>../models/pin</uri><name>first</name><pose>1 2 3 0 0 0</pose><placement_frame>l</placement_frame>",
    ));
    assert_eq!(placed.name, "first");
    assert_eq!(at(&placed, "l.c"), Vec3::new(1000.0, 2000.0, 3000.0));
    for (content, says) in [
        ("<uri>https://fuel.gazebosim.org/1.0/a/models/b</uri>", "an address of the network"),
        ("<uri>file:///etc/passwd</uri>", "a `file:` address"),
        ("<uri>model://gone</uri>", "no package `gone`"),
        ("<uri>model://../../etc</uri>", "[reference-missing]"),
        ("<uri>../../../etc/passwd</uri>", "[reference-missing]"),
        ("<uri>model://self</uri>", "[too-large]"),
        ("<uri>model://empty</uri>", "`model://empty` has no model"),
        ("<name>a</name>", "an inclusion without an address"),
        ("<uri>model://pin</uri><params/>", "an included model with changes"),
    ] {
        let found = error(&include(content));
        assert!(found.contains(says), "{says}: {found}");
    }
    let merged = error("<model name='m'><include merge='true'><uri>model://pin</uri></include></model>");
    assert!(merged.contains("a merged model [unsupported]"), "{merged}");
}

#[test]
fn broken_descriptions_are_refused() {
    let links = link("a", "") + &link("b", "");
    let shape = |geometry: &str| {
        model("m", &format!("<link name='l'><collision name='c'><geometry>{geometry}</geometry></collision></link>"))
    };
    let frames = "<frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='f'/></frame>";
    let with = |content: &str| model("m", &format!("{links}{content}"));
    let hung = |to: &str| model("m", &format!("{frames}{}", link("a", &format!("<pose relative_to='{to}'/>"))));
    for (text, says) in [
        (hung("f"), "frames that relate to each other in a cycle"),
        (hung("gone"), "no frame `gone`"),
        (model("m", &link("a", "<pose>1 2 3</pose>")), "`pose`: expected 6 numbers, found 3"),
        (model("m", &link("a", "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>")), "quaternion of length zero"),
        (with(&joint("j", "hinge", ["a", "b"], "")), "unknown type of a joint: `hinge`"),
        (with(&joint("j", "revolute", ["a", "gone"], "")), "no frame `gone`"),
        (with(&joint("j", "revolute", ["gone", "b"], "")), "`parent` of joint `j` names no link: `gone`"),
        (with(&joint("j", "fixed", ["a", "world"], "")), "a joint whose child is the world"),
        (with(&joint("j", "revolute", ["a", "b"], "<axis><xyz>0 0 0</xyz></axis>")), "an axis of length zero"),
        (model("m", "<link><pose/></link>"), "a link without a name"),
        (shape("<box><size>1 0 1</size></box>"), "`size` is not above 0"),
        (shape("<sphere/>"), "`radius` is not above 0"),
        (shape("<mesh/>"), "a mesh without an address"),
        (shape("<mesh><uri>gone.stl</uri></mesh>"), "[reference-missing]"),
        (shape("<mesh><uri>a.stl</uri><submesh><name>b</name></submesh></mesh>"), "geometry `submesh` of link l"),
        (shape("<polyline/>"), "geometry `polyline` of link l [unsupported]"),
        (shape("<plane/>"), "1 plane [no-geometry]"),
        ("<world name='a'/><world name='b'/>".to_owned(), "a second world [unsupported]"),
        (model("m", ""), "[no-geometry]"),
    ] {
        let found = error(&text);
        assert!(found.contains(says), "{says}: {found}");
    }
}

#[test]
fn comments_and_capital_letters_change_no_value() {
    let there = |pose: &str| at(&import(&(link("a", "") + &link("b", pose))), "b.c");
    let plain = there("<pose>1 2 3 0 0 0</pose>");
    assert_eq!(plain, Vec3::new(1000.0, 2000.0, 3000.0));
    for pose in [
        "<pose><!-- x y z roll pitch yaw -->1 2 3 0 0 0</pose>",
        "<pose>1 2 <!-- up -->3 0 0 0</pose>",
        "<pose degrees='True'>1 2 3 0 0 0</pose>",
    ] {
        assert_eq!(there(pose), plain, "{pose}");
    }
    let turned = |degrees: &str| {
        let pose = format!("<pose degrees='{degrees}'>0 0 0 0 0 90</pose>");
        let imported = import(&model("m", &(link("a", "") + &link("b", &pose))));
        imported.instances.iter().find(|i| i.id == "b.c").expect("an instance").placement.linear * Vec3::x()
    };
    for degrees in ["true", "True", "TRUE", " 1 "] {
        assert!((turned(degrees) - Vec3::y()).norm() < 1e-12, "{degrees}");
    }
    let links = link("a", "") + &link("b", "");
    for (written, ignored) in [("true", 0), ("True", 0), ("<!-- yes -->true", 0), ("false", 1)] {
        let imported = import(&model("m", &format!("<self_collide>{written}</self_collide>{links}")));
        assert_eq!(imported.rules.len(), ignored, "{written}: {:?}", rules(&imported));
    }
}

#[test]
fn the_rule_of_a_link_leaves_a_nested_model_with_its_name_below() {
    let geometry = "<geometry><box><size>1 1 1</size></box></geometry>";
    let both = format!("<collision name='c1'>{geometry}</collision><collision name='c2'>{geometry}</collision>");
    let nested = model("arm!", &link("x", ""));
    let imported = import(&model("m", &format!("<link name='arm_'>{both}</link>{nested}{}", link("far", ""))));
    assert!(ids(&imported).contains(&"arm_.x.c"), "{:?}", ids(&imported));
    assert_eq!(rules(&imported)[0], "{arm_.c1,arm_.c2} {arm_.c1,arm_.c2} link arm_");
}

#[test]
fn one_link_that_collides_is_enough() {
    let word =
        |text: &str| if text.is_empty() { String::new() } else { format!("<self_collide>{text}</self_collide>") };
    for (of_model, of_a, of_b, ignored) in [
        ("false", "", "", 1),
        ("false", "true", "", 0),
        ("false", "true", "true", 0),
        ("true", "false", "", 0),
        ("true", "false", "false", 1),
        ("", "false", "", 1),
        ("", "false", "true", 0),
    ] {
        let links = link("a", &word(of_a)) + &link("b", &word(of_b));
        let imported = import(&model("m", &(word(of_model) + &links)));
        assert_eq!(imported.rules.len(), ignored, "{of_model} {of_a} {of_b}: {:?}", rules(&imported));
    }
}

#[test]
fn elements_of_other_programs_change_nothing() {
    let own = "<pose>1 0 0 0 0 0</pose>";
    let other = "<my:pose xmlns:my='http://example.org/my'>5 0 0 0 0 0</my:pose>";
    let content = |pose: &str| model("m", &(link("a", "") + &link("b", pose)));
    assert_eq!(at(&import(&content(&format!("{other}{own}"))), "b.c"), Vec3::new(1000.0, 0.0, 0.0));
    assert_eq!(at(&import(&content(other)), "b.c"), Vec3::zeros());
    let beside = format!("<world name='w'>{}</world>{}", model("n", &link("a", "")), model("m", &link("a", "")));
    assert!(error(&beside).contains("a model beside a world"));
}
