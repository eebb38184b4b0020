//! Tests of shorthands, and of settings in the file.

use crate::assembly::tests::*;

#[test]
fn shorthands_have_the_meaning_of_the_long_forms() {
    let assembly = load_file(&format!("{FIXTURES}/valid/shorthands.json")).expect("valid");
    let first = assembly.instances[0].placement;
    assert_eq!(first.translation, Vec3::new(5.0, 6.0, 7.0) * 25.4);
    for instance in &assembly.instances {
        assert_eq!(instance.placement, first, "{}", instance.id);
    }
    let units: Vec<LengthUnit> = assembly.parts.iter().map(|p| p.units).collect();
    assert_eq!((assembly.units, units), (LengthUnit::Inch, vec![LengthUnit::Inch, LengthUnit::Mm]));
    assert_eq!(assembly.parts[0].source.shown(), assembly.parts[1].source.shown());
    let settings = FileSettings {
        geometry: Some(Geometry::Decomposition),
        epsilon: Some(0.2),
        report_within: Some(0.5),
        strict: true,
    };
    assert_eq!(assembly.settings, settings);
    let rules: Vec<_> = assembly.rules.iter().map(|r| (r.verb, r.severity)).collect();
    assert_eq!(rules, [(RuleAction::Grade, Level::Warning), (RuleAction::MinClearance(25.4), Level::Warning)]);
    let lines: Vec<String> = assembly.rules.iter().map(Rule::as_line).collect();
    assert_eq!(
        lines,
        [
            r#"{ "between": ["rows", "*"], "severity": "warning", "reason": "copies in one place" }"#,
            r#"{ "between": ["*", "xyzw"], "min_clearance": 1, "severity": "warning", "reason": "wanted, not needed" }"#,
        ]
    );
}

#[test]
fn settings_of_a_sub_assembly_warn_if_they_differ() {
    let sub = r#"{"version": 1, "geometry": "hull", "epsilon": 1, "report_within": 2, "strict": true,
        "parts": {"p": "m.stl"}, "instances": [{"id": "a", "part": "p"}]}"#;
    let root = |keys: &str| format!(r#"{{"version": 1, {keys} "instances": [{{"id": "s", "assembly": "sub.json"}}]}}"#);
    let warned = |keys: &str| {
        let root = root(keys);
        let files = Memory::of(&[("/p/root.json", &root), ("/p/sub.json", sub), ("/p/m.stl", "")]);
        let assembly = files.load("/p/root.json").expect("valid");
        assembly
            .warnings
            .iter()
            .map(|w| w.at.clone().and_then(|at| at.json_path).unwrap_or_default())
            .collect::<Vec<_>>()
    };
    assert_eq!(warned(""), ["geometry", "epsilon", "report_within", "strict"]);
    let same = r#""geometry": "hull", "epsilon": 1, "report_within": 2, "strict": true,"#;
    assert_eq!(warned(same), Vec::<String>::new());
}
