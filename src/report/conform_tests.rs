//! Validates documents against their published schemas (fixtures/README.md).

use roxmltree::{Document, Node};
use serde_json::Value;
use std::collections::BTreeMap;

fn schema(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Errors of documents under the JSON Schema of SARIF 2.1.0.
pub(crate) fn sarif_errors(documents: &[&Value]) -> Vec<String> {
    // Repairs a pattern with a bracket too many, invalid as a regular expression here. It belongs to `language`, a key
    // absent from the report.
    let text = schema("sarif-schema-2.1.0.json").replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}?$");
    let schema = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::draft7::options().should_validate_formats(true).build(&schema).unwrap();
    let said = documents.iter().flat_map(|d| validator.iter_errors(d));
    said.map(|e| format!("{}: {e}", e.instance_path())).collect()
}

const XS: &str = "http://www.w3.org/2001/XMLSchema";

/// Errors of a document under junit-10.xsd: names, nesting, counts, required and known attributes. Supports only the
/// parts of XML Schema used in this file.
pub(crate) fn junit_errors(text: &str) -> Vec<String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(e) => return vec![e.to_string()],
    };
    let source = schema("junit-10.xsd");
    let xsd = Document::parse(&source).unwrap();
    let mut elements = BTreeMap::new();
    let mut types = BTreeMap::new();
    for node in xsd.root_element().children().filter(Node::is_element) {
        let name = node.attribute("name").unwrap();
        match node.tag_name().name() {
            "element" => elements.insert(name, node),
            "complexType" | "simpleType" => types.insert(name, node),
            other => panic!("a part of XML Schema that is not known here: {other}"),
        };
    }
    let mut errors = Vec::new();
    let rules = Rules { elements, types };
    rules.element(document.root_element(), &mut errors);
    errors
}

struct Rules<'d> {
    elements: BTreeMap<&'d str, Node<'d, 'd>>,
    types: BTreeMap<&'d str, Node<'d, 'd>>,
}

/// Children of a schema node with this tag.
fn parts<'d>(node: Node<'d, 'd>, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(move |n| n.has_tag_name((XS, name)))
}

impl Rules<'_> {
    fn element(&self, node: Node<'_, '_>, errors: &mut Vec<String>) {
        let name = node.tag_name().name();
        let Some(rule) = self.elements.get(name) else {
            errors.push(format!("unknown element {name}"));
            return;
        };
        let named = rule.attribute("type").and_then(|t| self.types.get(t)).copied();
        let Some(kind) = parts(*rule, "complexType").next().or(named) else {
            // Text content only.
            if node.children().any(|c| c.is_element()) || node.attributes().len() > 0 {
                errors.push(format!("{name} holds more than text"));
            }
            return;
        };
        attributes(node, kind, errors);
        content(node, kind, errors);
        node.children().filter(Node::is_element).for_each(|child| self.element(child, errors));
    }
}

fn attributes<'d>(node: Node<'_, '_>, kind: Node<'d, 'd>, errors: &mut Vec<String>) {
    let name = node.tag_name().name();
    let known: BTreeMap<&str, Node<'d, 'd>> =
        parts(kind, "attribute").map(|a| (a.attribute("name").unwrap(), a)).collect();
    for a in node.attributes() {
        match known.get(a.name()).map(|k| k.attribute("type")) {
            None => errors.push(format!("unknown attribute {name}.{}", a.name())),
            // The report writes no times, so every time is an error.
            Some(Some("SUREFIRE_TIME")) => errors.push(format!("a time: {name}.{}", a.name())),
            Some(_) => {}
        }
    }
    for (k, a) in known {
        if a.attribute("use") == Some("required") && !node.has_attribute(k) {
            errors.push(format!("no attribute {name}.{k}"));
        }
    }
}

/// Checks the children of a node. Each group in this schema is a choice, or a sequence of one element, so the counts
/// hold for each child by itself.
fn content<'d>(node: Node<'_, '_>, kind: Node<'d, 'd>, errors: &mut Vec<String>) {
    let name = node.tag_name().name();
    let mut allowed: BTreeMap<&str, bool> = BTreeMap::new();
    let many = |n: Node<'_, '_>| n.attribute("maxOccurs") == Some("unbounded");
    let mut open: Vec<(Node<'d, 'd>, bool)> =
        parts(kind, "sequence").chain(parts(kind, "choice")).map(|n| (n, many(n))).collect();
    while let Some((group, any)) = open.pop() {
        for child in group.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "element" => {
                    let named = child.attribute("ref").or(child.attribute("name")).unwrap();
                    allowed.insert(named, any || many(child));
                }
                "choice" | "sequence" => open.push((child, any || many(child))),
                other => panic!("a part of XML Schema that is not known here: {other}"),
            }
        }
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for child in node.children().filter(Node::is_element) {
        *seen.entry(child.tag_name().name()).or_default() += 1;
    }
    for (child, n) in seen {
        match allowed.get(child) {
            None => errors.push(format!("{child} in {name}")),
            Some(false) if n > 1 => errors.push(format!("{n} {child} in {name}")),
            Some(_) => {}
        }
    }
    let mixed = kind.attribute("mixed") == Some("true");
    if !mixed && node.children().any(|c| c.is_text() && !c.text().unwrap_or("").trim().is_empty()) {
        errors.push(format!("text in {name}"));
    }
}

#[test]
fn validators_find_faults() {
    let suite = |inner: &str| {
        format!(
            "<testsuites><testsuite name=\"s\" tests=\"1\" failures=\"0\" errors=\"0\">{inner}</testsuite></testsuites>"
        )
    };
    assert_eq!(junit_errors(&suite("<testcase name=\"a\"/>")), Vec::<String>::new());
    for (text, error) in [
        (suite("<testcase/>"), "no attribute testcase.name"),
        (suite("<testcase name=\"a\" line=\"1\"/>"), "unknown attribute testcase.line"),
        (suite("<case name=\"a\"/>"), "case in testsuite"),
        (suite("<testcase name=\"a\"><properties/></testcase>"), "properties in testcase"),
        (suite("text"), "text in testsuite"),
        ("<testsuites><testcase name=\"a\"/></testsuites>".to_owned(), "testcase in testsuites"),
        (suite("<testcase name=\"a\" time=\"1\"/>"), ""),
        (suite("<system-out><a/></system-out>"), "system-out holds more than text"),
        ("<a>".to_owned(), "root node was opened but never closed"),
    ] {
        let errors = junit_errors(&text).join("; ");
        assert!(errors.contains(error) && errors.is_empty() == error.is_empty(), "{text}: {errors}");
    }
    let mut log: Value = serde_json::json!({ "version": "2.1.0", "runs": [] });
    assert_eq!(sarif_errors(&[&log]), Vec::<String>::new());
    log["runs"] = serde_json::json!([{ "results": [] }]);
    assert!(sarif_errors(&[&log])[0].contains("tool"));
    log["runs"] = serde_json::json!([{ "tool": { "driver": { "name": "x" } }, "results": [{ "message": { "text": "a" }, "rank": 101 }] }]);
    assert!(sarif_errors(&[&log])[0].starts_with("/runs/0/results/0/rank: "));
    log["runs"][0]["results"] = serde_json::json!([{ "message": { "text": "a" }, "level": "fatal" }]);
    assert!(!sarif_errors(&[&log]).is_empty());
}
