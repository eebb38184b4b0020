//! Assemblies from memory.

use crate::assembly::tests::*;
use crate::mesh::TriMesh;

#[test]
fn builder_and_reader_refuse_the_same_input() {
    let open = TriMesh { vertices: vec![Vec3::zeros()], triangles: vec![[0, 1, 2]] };
    let error = Assembly::builder("t", LengthUnit::Mm)
        .tolerance(f64::NAN)
        .part("box", open)
        .part("box", TriMesh::default())
        .instance("", "box", Affine::identity())
        .instance("a/b", "bax", Affine { linear: Mat3::zeros(), translation: Vec3::x() * f64::INFINITY })
        .rule("[", "*", RuleAction::MinClearance(-1.0), None)
        .build()
        .expect_err("wrong");
    insta::assert_snapshot!(error, @r"
    tolerance: not a finite number; expected a length, zero or more
    parts.box: triangle 0 names a vertex beyond the last of 1; give a mesh with valid triangles
    parts.box: duplicate part `box`; rename one of them
    instances[0]: an empty id; give the instance an id
    instances[1]: `/` in the id `a/b`; `/` is reserved for instances inside sub-assemblies: use another character
    instances[1]: the translation is not finite or beyond 1e15 mm; correct it
    instances[1]: singular: the condition number is infinite, the limit is 1e9; give an invertible matrix
    instances[1]: unknown part `bax`; did you mean `box`?
    rules[0]: `[` is not a glob; `[` is never closed; write `\[` for the character itself
    rules[0]: -1 mm is negative or too large; expected a length, zero or more
    ");
}

#[test]
fn the_builder_warns_as_the_reader_does() {
    let mesh = TriMesh { vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y()], triangles: vec![[0, 1, 2]] };
    let assembly = Assembly::builder("t", LengthUnit::Mm)
        .part("a", mesh.clone())
        .part("b", mesh)
        .instance("plate-1", "a", Affine::identity())
        .rule("plate-1", "plate-2", RuleAction::Ignore, Some("none"))
        .build()
        .expect("valid");
    let codes: BTreeSet<&str> = assembly.warnings.iter().map(|w| w.code.name()).collect();
    assert_eq!(codes, BTreeSet::from(["unused-part", "unused-rule"]));
    insta::assert_snapshot!(assembly.warnings[1], @"rules[0]: the rule between `plate-1` and `plate-2` matches no pair; `plate-2` matches no instance, the nearest is `plate-1` [unused-rule]");
}
