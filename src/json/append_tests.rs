//! Tests appending to lists of JSON files.

use crate::json::append::append_to_list;

fn appended(text: &str, elements: &[&str]) -> String {
    let elements: Vec<String> = elements.iter().map(|e| (*e).to_owned()).collect();
    let out = append_to_list(text.as_bytes(), "rules", &elements).expect("an object");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn appended_elements_follow_the_layout() {
    for (before, after) in [
        (
            "{\n  \"rules\": [\n    { \"a\": \"]\" }\n  ],\n  \"z\": 1\n}\n",
            "{\n  \"rules\": [\n    { \"a\": \"]\" },\n    1,\n    2\n  ],\n  \"z\": 1\n}\n",
        ),
        ("{\n\t\"rules\": []\n}", "{\n\t\"rules\": [\n\t\t1,\n\t\t2\n\t]\n}"),
        ("{\r\n  \"rules\": [ 0 ]\r\n}", "{\r\n  \"rules\": [ 0,\r\n    1,\r\n    2\r\n  ]\r\n}"),
        ("{ \"a\": 1 }", "{ \"a\": 1,\n  \"rules\": [\n    1,\n    2\n  ]\n}"),
        ("{}", "{\n  \"rules\": [\n    1,\n    2\n  ]\n}"),
        (
            "{\n    \"a\": [\n        3\n    ]\n}\n",
            "{\n    \"a\": [\n        3\n    ],\n    \"rules\": [\n        1,\n        2\n    ]\n}\n",
        ),
        ("{\"x\": \"rules\", \"rules\": [\"\\\"]\"]}", "{\"x\": \"rules\", \"rules\": [\"\\\"]\",\n  1,\n  2\n]}"),
    ] {
        assert_eq!(appended(before, &["1", "2"]), after);
    }
}

#[test]
fn the_rest_of_the_file_keeps_its_bytes() {
    let marked = b"\xEF\xBB\xBF{ \"rules\": [] }".to_vec();
    let out = append_to_list(&marked, "rules", &["1".to_owned()]).expect("an object");
    assert_eq!(out, b"\xEF\xBB\xBF{ \"rules\": [\n  1\n] }");
    for damaged in ["[]", "{ \"rules\": 3 }", "{ \"rules\": [ }", "", "{ \"a\": \"", "\"rules\""] {
        assert_eq!(append_to_list(damaged.as_bytes(), "rules", &["1".to_owned()]), None, "{damaged}");
    }
}
