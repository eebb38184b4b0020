use crate::json::document::{Document, Json, Value};
use crate::json::syntax;
use crate::testkit::rng::Rng;

/// Converts the value as `serde_json` would: the last of equal keys, no positions.
fn plain(value: Value<'_>) -> serde_json::Value {
    match value.json() {
        Json::Null => serde_json::Value::Null,
        Json::Bool(b) => b.into(),
        Json::Number(x) => {
            // The standard parser's number for the same digits.
            let theirs: f64 = value.number_as_written().parse().expect("a number");
            assert_eq!(x.to_bits(), theirs.to_bits(), "{}", value.number_as_written());
            serde_json::from_str(value.number_as_written()).expect("a number")
        }
        Json::Text(t) => t.into(),
        Json::List(items) => items.map(plain).collect(),
        Json::Object(members) => members.map(|m| (m.key.to_owned(), plain(m.value))).collect(),
    }
}

/// True if both readers accept the text, after asserting equal values; false if both refuse it. `serde_json` reads the
/// text without comments and trailing commas.
fn agree(text: &str) -> bool {
    let theirs = serde_json::from_str::<serde_json::Value>(&syntax::plain(text));
    let Some(ours) = Document::new(text) else {
        assert!(theirs.is_err(), "only serde_json takes {text:?}");
        return false;
    };
    match theirs {
        Ok(theirs) => assert_eq!(plain(ours.root()), theirs, "{text:?}"),
        Err(e) => assert!(ours.has_large && e.to_string().starts_with("number out of range"), "{e}: {text:?}"),
    }
    true
}

#[test]
fn valid_json_is_read_and_invalid_json_refused() {
    for good in [
        "null",
        " [ ] ",
        "{\"a\":[1,-2.5e3,0.1,{}],\"b\":{\"c\":true,\"d\":false}}\n",
        r#""a\u00e9\ud83e\udd80\n\/\"\\\b\f\r\t""#,
        "[0,-0,0.0,1E+2,1e-400,123456789012345,1234567890123456789012,0.30000000000000004,1e308,1e999]",
        "{\"a\":1,\"a\":2}",
        "\"\u{7f} é\u{2028}\"",
        "[1,]",
        "{\"a\":1,}",
        "// é\n[ // one\n1 //\n, // two\r\n2, // three\n ] // end",
        "{//\n\"a\"//\n://\n\"//,]\"//\n,//\n}",
    ] {
        assert!(agree(good), "{good}");
    }
    for bad in [
        "",
        " ",
        "[,]",
        "{,}",
        "[1,,]",
        "{\"a\":1,,}",
        "{\"a\":,}",
        "[1],",
        "[1 /* no */]",
        "[1 / 2]",
        "[1 // 2]",
        "[1 2]",
        "{a:1}",
        "{\"a\" 1}",
        "01",
        "-",
        "1.",
        ".5",
        "+1",
        "1e",
        "1e+",
        "nul",
        "tru",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\n\"",
        "[",
        "{",
        "{\"a\"",
        "{\"a\":",
        "[1",
        "1 2",
        "'a'",
        "//",
        "NaN",
        "\u{feff}1",
        "[1}",
        "-a",
        "\"\\u+123\"",
    ] {
        assert!(!agree(bad), "{bad}");
    }
}

#[test]
fn nesting_limit_equals_serde_json() {
    for (levels, fits) in [(126, true), (127, true), (128, false), (5000, false)] {
        assert_eq!(agree(&format!("{}{}", "[".repeat(levels), "]".repeat(levels))), fits);
        let objects = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
        assert_eq!(agree(&objects), fits);
    }
}

#[test]
fn damaged_texts_are_judged_like_serde_json() {
    let whole =
        r#"{"version": 1, "n\u0061me": "é\n", "list": [-1.5e-3, 0, 12, true, null, {}], "p": {"a": [[], "x"]}}"#;
    let pool: Vec<char> = "{}[]\":,,,//\\ \n0123456789.-+eEunrtfalse\u{e9}\u{1}".chars().collect();
    let mut rng = Rng::new(11);
    let mut taken = 0;
    for round in 0..40_000 {
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..=round % 3 {
            let at = rng.below(text.len());
            match rng.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, pool[rng.below(pool.len())]),
                _ => text[at] = pool[rng.below(pool.len())],
            }
        }
        taken += u32::from(agree(&text.into_iter().collect::<String>()));
    }
    assert!((2000..38_000).contains(&taken), "{taken}");
}

#[test]
fn short_numbers_are_rounded_once() {
    for k in 0..20_000_u64 {
        let digits = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 10_u64.pow(1 + (k % 17) as u32);
        let (front, places) = (digits / 10_u64.pow((k % 7) as u32), (k % 13) as usize);
        assert!(agree(&format!("[{front}.{digits:0>places$}, -{digits}, {front}.{digits}e{}]", k % 40)));
    }
}

#[test]
fn values_have_start_positions() {
    let text = "{\"é\": [ 1 ,\"x\"], \"b\": null}";
    let document = Document::new(text).expect("JSON");
    let Json::Object(members) = document.root().json() else { panic!("an object") };
    let found: Vec<_> = members.map(|m| (m.key, m.start, m.value.start())).collect();
    assert_eq!(found, [("é", 1, 7), ("b", text.find("\"b\"").expect("there"), text.len() - 5)]);
}
