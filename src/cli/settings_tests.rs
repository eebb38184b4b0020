use crate::assembly::Facets;
use crate::check::{Measure, Options};
use crate::cli::args::{Args, Command};
use crate::cli::cache_flag::CacheEnvironment;
use crate::cli::report_flags::OutputFormat;
use crate::cli::settings::{CheckSettings, ExplainSettings};
use crate::cli::target::Target;
use crate::error::Error;
use crate::geom::LengthUnit;
use crate::report::Format;
use clap::Parser;
use std::path::PathBuf;

fn settings(line: &str) -> Result<CheckSettings, Error> {
    match Args::try_parse_from(line.split(' ')).expect(line).command {
        Command::Check(args) => CheckSettings::of_all(args, &CacheEnvironment::default()).map(|mut all| all.remove(0)),
        _ => panic!("{line}"),
    }
}

#[test]
fn defaults() {
    let s = settings("interfere check a.json").unwrap();
    let q = &s.question;
    assert_eq!((q.geometry, q.facets, q.threads), (None, None, 0));
    assert_eq!((places(&s), s.outputs.expand), (vec![(Format::Table, Target::Stdout)], false));
    assert_eq!(s.outputs.timings, None);
    assert_eq!(s.question.options(LengthUnit::M).unwrap(), Options::default());
}

#[test]
fn lengths_are_in_the_assembly_s_unit() {
    let s = settings("interfere check a.json --tolerance 0.5 --report-within 2 --verdict-only").unwrap();
    let options = s.question.options(LengthUnit::Inch).unwrap();
    assert_eq!((options.tolerance, options.report_within, options.measure), (Some(12.7), Some(50.8), Measure::None));
}

#[test]
fn a_unit_of_a_length_comes_before_the_assembly_s() {
    let s = settings("interfere check a.json --tolerance 25.4mm --report-within 2in --epsilon 10um").unwrap();
    let options = |units| s.question.options(units).unwrap();
    for units in LengthUnit::ALL {
        let mut o = options(units);
        // A number of micrometres is rounded once more.
        for length in [&mut o.tolerance, &mut o.report_within, &mut o.epsilon].into_iter().flatten() {
            *length = (*length * 1e12).round() / 1e12;
        }
        assert_eq!((o.tolerance, o.report_within, o.epsilon), (Some(25.4), Some(50.8), Some(0.01)), "{units:?}");
    }
}

#[test]
fn explain_shares_the_question_flags() {
    let line = "--geometry hull --facets strict --tolerance 0.5 --report-within 2 --allow-outside --threads 3 --epsilon 0.1 --max-pieces 7";
    let check = settings(&format!("interfere check a.json {line}")).unwrap();
    let args = format!("interfere explain a.json x y {line} --format json");
    let Command::Explain(args) = Args::try_parse_from(args.split(' ')).unwrap().command else { panic!("explain") };
    let explain = ExplainSettings::new(args);
    assert_eq!(explain.question, check.question);
    assert_eq!((explain.pair.pair, explain.format), (vec!["x".to_owned(), "y".to_owned()], Format::Json));
    assert_eq!(check.question.facets, Some(Facets::Strict));
    let options = check.question.options(LengthUnit::Cm).unwrap();
    assert_eq!((options.epsilon, options.max_pieces), (Some(1.0), 7));
}

#[test]
fn length_overflow_is_an_error() {
    let s = settings("interfere check a.json --report-within 1e15").unwrap();
    assert!(s.question.options(LengthUnit::Mm).is_ok());
    assert_eq!(
        s.question.options(LengthUnit::M).unwrap_err().to_string(),
        "--report-within is beyond 1e15 mm; write a smaller length"
    );
}

#[test]
fn invalid_outputs_are_refused_before_the_run() {
    for (line, error) in [
        (
            "--output /no/such/folder/r.json",
            "/no/such/folder/r.json: --output: its folder does not exist; create the folder, or name another one",
        ),
        ("--timings src", "src: --timings: the path is a folder; name a file in it"),
        ("--output Cargo.toml", "Cargo.toml: --output would replace the assembly; name another file"),
        ("--output x --timings x", "x: --output and --timings write to this place; choose two places"),
        ("--timings -", "stdout: --output and --timings write to this place; choose two places"),
        (
            "--format json --format csv",
            "--format json and --format csv both name no file; give one of them a file, as in --format csv=FILE",
        ),
        ("--format table --format json=-", "stdout: --output and --format write to this place; choose two places"),
        ("--format junit=x --format csv=./x", "./x: two --format write to this place; choose two places"),
        (
            "--format csv=x -o y",
            "--output needs a --format without a file; remove --output, or add a --format without a file",
        ),
        ("--format sarif=src", "src: --format: the path is a folder; name a file in it"),
        (
            "--format sarif=/no/such/folder/s",
            "/no/such/folder/s: --format: its folder does not exist; create the folder, or name another one",
        ),
        (
            "--format markdown=src/../Cargo.toml",
            "src/../Cargo.toml: --format would replace the assembly; name another file",
        ),
    ] {
        let e = settings(&format!("interfere check Cargo.toml {line}")).unwrap_err();
        assert_eq!(e.to_string(), error);
    }
    let stdout = settings("interfere check Cargo.toml --output -").unwrap();
    assert_eq!(places(&stdout), [(Format::Table, Target::Stdout)]);
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_folders_are_refused_before_the_run() {
    let e = settings("interfere check Cargo.toml --format json=/proc/report.json").unwrap_err().to_string();
    assert!(e.starts_with("/proc/report.json: --format: cannot write to this place: "), "{e}");
    assert!(settings("interfere check Cargo.toml --format json=/dev/null").is_ok());
}

fn places(s: &CheckSettings) -> Vec<(Format, Target)> {
    let format = |format: OutputFormat| match format {
        OutputFormat::Report(format) => format,
        other => panic!("{} is no report", other.name()),
    };
    s.outputs.reports.iter().map(|r| (format(r.format), r.target.clone())).collect()
}

#[test]
fn several_reports_each_have_their_place() {
    let line = "--format sarif=a.sarif --format github --format junit=a.xml --format markdown=a.md --format csv=a.csv --format \
                json=a.json --format table=a.txt --expand";
    let s = settings(&format!("interfere check Cargo.toml {line}")).unwrap();
    let file = |name: &str| Target::File(PathBuf::from(name));
    let expected = [
        (Format::Sarif, file("a.sarif")),
        (Format::Github, Target::Stdout),
        (Format::Junit, file("a.xml")),
        (Format::Markdown, file("a.md")),
        (Format::Csv, file("a.csv")),
        (Format::Json, file("a.json")),
        (Format::Table, file("a.txt")),
    ];
    assert_eq!((places(&s), s.outputs.expand), (expected.to_vec(), true));
    let o = settings("interfere check Cargo.toml --format sarif=a.sarif --format json -o b.json").unwrap();
    assert_eq!(places(&o), [(Format::Sarif, file("a.sarif")), (Format::Json, file("b.json"))]);
    let only = settings("interfere check Cargo.toml --format sarif=a.sarif").unwrap();
    assert_eq!((places(&only).len(), only.outputs.shows_fixes()), (1, false));
}
