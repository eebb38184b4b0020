use crate::json::position::Source;
use crate::json::syntax::{parse, plain};

/// Problem of a text, without the name of its file.
fn problem(text: &str) -> String {
    let source = Source::new("f".to_owned(), text.to_owned());
    parse(&source).map(|_| ()).expect_err(text).to_string()
}

#[test]
fn comments_and_trailing_commas_become_blanks_of_the_same_length() {
    for (text, expected) in [
        ("[1, 2]", "[1, 2]"),
        ("[1,2,]", "[1,2 ]"),
        ("{\"a\": 1, // é\n}", "{\"a\": 1       \n}"),
        ("[\"a//b,]\", // x\n]", "[\"a//b,]\"      \n]"),
        ("[\"\\\"//\"]", "[\"\\\"//\"]"),
        ("[,]", "[,]"),
        ("{,}", "{,}"),
        ("[1,,]", "[1,,]"),
        ("1//", "1  "),
        ("\"\\", "\"\\"),
        ("[1] / 2", "[1] / 2"),
    ] {
        assert_eq!((plain(text).as_ref(), plain(text).len()), (expected, text.len()), "{text}");
    }
}

#[test]
fn a_syntax_error_states_what_to_write() {
    insta::assert_snapshot!(
        [
            "{\"a\": NaN}",
            "{\"a\": -Infinity}",
            "{\"a\": True}",
            "{\"a\": None}",
            "{\"a\": 1 // one\n \"b\": 2}",
            "{version: 1}",
            "{\"a\": mm}",
            "{\"a\": .5}",
            "{\"a\": 01}",
            "{\"a\": }",
            "[1 2]",
            "{\"a\" 1}",
            "{'a': 1}",
            "{\"a\": 1 /* one */}",
            "{\"a\": \"C:\\dir\"}",
            "{\"a\": \"b\nc\"}",
            "[,]",
            "[1,,2]",
            "# settings\nversion: 1\nparts:\n",
            "---\n- a\n",
            "solid box\n  facet normal 0 0 1\n",
            "# Blender\nv 0 0 0\nv 1 0 0\n",
            "ISO-10303-21;\nHEADER;\n",
            "<!DOCTYPE html>",
            "{\"a\": 1} x",
            "{\"a\": [1,",
            "",
        ]
        .map(problem)
        .join("\n"),
        @r#"
        f:1:7: not JSON: `NaN`; write a finite number
        f:1:8: not JSON: invalid number; write a number such as 0.5, -3 or 1e-3
        f:1:7: not JSON: `True`; write true
        f:1:7: not JSON: `None`; write null, or remove the key
        f:2:2: not JSON: expected `,` or `}`; write a comma between two members, and } after the last
        f:1:2: not JSON: `version`; write it in quotes
        f:1:7: not JSON: `mm`; write it in quotes
        f:1:7: not JSON: expected value; write a text in quotes, a number, true, false, null, a list or an object
        f:1:8: not JSON: invalid number; write a number such as 0.5, -3 or 1e-3
        f:1:7: not JSON: expected value; write a text in quotes, a number, true, false, null, a list or an object
        f:1:4: not JSON: expected `,` or `]`; write a comma between two elements, and ] after the last
        f:1:6: not JSON: expected `:`; write a colon between the key and its value
        f:1:2: not JSON: key must be a string; quote with " instead of '
        f:1:9: not JSON: expected `,` or `}`; begin each line of the comment with //
        f:1:11: not JSON: invalid escape; write \\ for a backslash, or / between folders
        f:2:1: not JSON: control character (\u0000-\u001F) found while parsing a string; close the text with " on its line, or write \n for a line break
        f:1:2: not JSON: expected value; remove this comma
        f:1:4: not JSON: expected value; remove this comma
        f:1:1: YAML, not JSON; write the file in JSON: { "version": 1, … }
        f:1:1: YAML, not JSON; write the file in JSON: { "version": 1, … }
        f:1:1: a mesh (STL), not an assembly file; name an assembly file; `interfere init FOLDER` writes one for a folder of meshes
        f:1:1: a mesh (OBJ), not an assembly file; name an assembly file; `interfere init FOLDER` writes one for a folder of meshes
        f:1:1: a STEP file, not an assembly file; export its parts as STL or OBJ; then run `interfere init FOLDER`
        f:1:1: XML or HTML, not JSON; name an assembly file in JSON
        f:1:10: not JSON: trailing characters; remove the text after the document
        f:1:9: not JSON: EOF while parsing a value; the file ends too early: close the open brackets
        f:1:1: not JSON: EOF while parsing a value; the file is empty
        "#
    );
}
