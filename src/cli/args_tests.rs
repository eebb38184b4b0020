//! Tests of the flags. The short help leaves out rare flags of pictures, so that it fits on a screen.

use crate::cli::args::*;
use crate::cli::check_args::CheckArgs;
use crate::cli::flags::{ColorChoice, FacetsChoice, GeometryChoice, TextChoice};
use crate::cli::report_flags::{OutputFormat, ReportArg};
use crate::geom::LengthUnit;
use crate::geom::length::Length;
use crate::report::Format;
use clap::{CommandFactory, Parser};

fn parse(line: &str) -> Result<Args, clap::Error> {
    Args::try_parse_from(line.split(' '))
}

fn check(line: &str) -> CheckArgs {
    match parse(&format!("interfere check a.json {line}")).expect(line).command {
        Command::Check(args) => args,
        _ => panic!("{line}"),
    }
}

fn help(path: &[&str]) -> String {
    let mut command = Args::command().term_width(100);
    command.build();
    let found = path.iter().fold(&mut command, |c, name| c.find_subcommand_mut(name).unwrap());
    found.render_help().to_string()
}

#[test]
fn the_definition_is_sound() {
    Args::command().debug_assert();
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(help(&[]), @r"
    The design-rule check for mechanical assemblies: finds overlapping parts, measures overlaps and gaps

    Usage: interfere [OPTIONS] <COMMAND>

    Commands:
      check        Check every pair of parts of an assembly; the exit code is the verdict
      accept       Record current findings in a baseline; they fail again only if they get worse
      diff         Compare two JSON reports
      merge        Merge the partial reports of all shards of a run into its report
      explain      Explain the verdict of one pair: the result of each stage and the deciding limit
      range        Measure how far joints can move from the drawing, and what stops them
      never        Find the pairs that never meet, over all values of all joints
      render       Draw a pair or all findings: the parts in space, and a section through the overlap
      inspect      Describe mesh files: size, volume, hull and defects
      decompose    Cover a mesh with convex pieces and write them to files
      import       Write an assembly folder for a file of CAD or of a robot
      init         Write an assembly file for a folder of meshes
      suggest      Propose rules for overlaps that look intended
      rule         Print the page of a status or a warning
      schema       Print the JSON Schema of a file format
      completions  Print the completion script of a shell
      man          Print the man page, or write one for each command
      help         Print this message or the help of the given subcommand(s)

    General:
      -q, --quiet         Print only errors on stderr: no progress, no warnings, no time
          --color <WHEN>  Colour: auto, always or never [default: auto]
      -h, --help          Print the flags, a line each; --help explains them
      -V, --version       Print the version and its commit

    Exit codes: 0 no pair fails, 1 a pair fails, 2 no verdict
    ");
}

#[test]
fn help_of_check() {
    insta::assert_snapshot!(help(&["check"]), @r"
    Check every pair of parts of an assembly; the exit code is the verdict

    Usage: interfere check [OPTIONS] [ASSEMBLY]...

    Arguments:
      [ASSEMBLY]...  Assembly files, their folders, or globs [default: assembly.json]

    Input:
          --allow-outside  Read meshes from outside the version-controlled tree

    Geometry:
          --geometry <GEOMETRY>  Solid of a part: exact, decomposition or hull [default: exact]
          --facets <FACETS>      Overlap within the facet error: allow or strict [default: allow]
          --tolerance <LENGTH>   Overlap depth that counts as contact [default: 0.01 mm]
          --epsilon <LENGTH>     Overshoot of convex pieces [default: 2 % of the part's diagonal]
          --max-pieces <N>       Number of convex pieces per part, at most [default: 64]

    Report:
          --report-within <LENGTH>  List clear pairs up to this gap, too
          --format <FORMAT[=FILE]>  table, json, sarif, junit, markdown, html, ...; repeat for more
      -o, --output <FILE>           Write the report without a file to this file
          --expand                  Give each pair its own row in the table, without groups
          --limit <N>               Rows of the table, 0 for all [default: 50; with --expand: all]
          --pictures <DIR>          Write a PNG picture of each finding to this folder
          --run <GLOB>              Check these poses and sweeps only; `as-drawn` is the drawing
          --measure <MEASURE>       Values beyond the statuses: all, depth, none [default: all]
          --verdict-only            Decide each pair and measure nothing: --measure none

    Performance:
      -j, --threads <N>     Number of threads [default: one per core]
          --cache <DIR>     Reuse results of earlier runs from this folder
          --no-cache        Keep and reuse no results
          --timings <FILE>  Write the times of the stages to this file (JSON)
          --shard <I/N>     Check one of N shares of the pairs; `merge` combines them

    Gate:
          --baseline <FILE>         Let findings accepted in this file pass until they get worse
          --no-baseline             Use no baseline, even if one exists
          --fail-on <WHAT>          Findings that fail: new, any, never [default: new with a baseline]
          --severity <STATUS=WORD>  Severity of a status, as in undecided=warning
          --strict                  Let warnings fail the run, too: exit 1
          --no-strict               Let warnings pass, even if the file is strict

    General:
      -v, --verbose       Print the pairs and the time of each stage on stderr
      -q, --quiet         Print only errors on stderr: no progress, no warnings, no time
          --color <WHEN>  Colour: auto, always or never [default: auto]
      -h, --help          Print the flags, a line each; --help explains them

    Exit codes: 0 no pair fails, 1 a pair fails, 2 no verdict
    ");
}

#[test]
fn help_of_explain() {
    insta::assert_snapshot!(help(&["explain"]), @r"
    Explain the verdict of one pair: the result of each stage and the deciding limit

    Usage: interfere explain [OPTIONS] <ASSEMBLY> <PAIR>...

    Arguments:
      <ASSEMBLY>  The assembly file (JSON), or its folder
      <PAIR>...   The pair: A B, A,B, its id, or '#3' of --report

    Input:
          --report <FILE.json>  JSON report of `check` for rows like '#3'
          --allow-outside       Read meshes from outside the version-controlled tree
          --run <NAME>          Explain the pair in this pose or sweep; `as-drawn` is the drawing

    Geometry:
          --geometry <GEOMETRY>  Solid of a part: exact, decomposition or hull [default: exact]
          --facets <FACETS>      Overlap within the facet error: allow or strict [default: allow]
          --tolerance <LENGTH>   Overlap depth that counts as contact [default: 0.01 mm]
          --epsilon <LENGTH>     Overshoot of convex pieces [default: 2 % of the part's diagonal]
          --max-pieces <N>       Number of convex pieces per part, at most [default: 64]

    Report:
          --report-within <LENGTH>  List clear pairs up to this gap, too
          --format <FORMAT>         `text` for people, `json` for programs [default: text]

    Performance:
      -j, --threads <N>      Number of threads [default: one per core]
          --sweep-cells <N>  Tests for the pair over a sweep, at most [default: 16000000]

    General:
      -q, --quiet         Print only errors on stderr: no progress, no warnings, no time
          --color <WHEN>  Colour: auto, always or never [default: auto]
      -h, --help          Print the flags, a line each; --help explains them
    ");
}

#[test]
fn help_of_inspect() {
    insta::assert_snapshot!(help(&["inspect"]), @r"
    Describe mesh files: size, volume, hull and defects

    Usage: interfere inspect [OPTIONS] <MESH>...

    Arguments:
      <MESH>...  Mesh files: STL (binary or ASCII), OBJ, PLY or OFF

    Report:
          --format <FORMAT>  `table` for people, `json` for programs [default: table]

    General:
      -q, --quiet         Print only errors on stderr: no progress, no warnings, no time
          --color <WHEN>  Colour: auto, always or never [default: auto]
      -h, --help          Print the flags, a line each; --help explains them
    ");
}

#[test]
fn short_help_is_one_screen_with_a_line_for_each_flag() {
    let mut program = Args::command();
    program.build();
    let names: Vec<String> = program.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        let text = help(&[name]);
        assert!(text.lines().count() <= 50, "{name}: {} lines", text.lines().count());
        assert!(!text.contains("\nOptions:"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
            // A continued line begins below the texts of its section.
            let begins = line.trim_start();
            let indent = line.len() - begins.len();
            assert!(indent <= 6 && (indent < 6 || begins.starts_with("--")) || begins.is_empty(), "{name}: {line}");
        }
    }
}

#[test]
fn long_help_explains_flags_and_has_examples() {
    let mut program = Args::command().term_width(100);
    program.build();
    for command in program.get_subcommands_mut().filter(|c| c.get_name() != "help") {
        let text = command.render_long_help().to_string();
        assert!(text.contains("\nExamples:\n  interfere "), "{text}");
    }
    let check = program.find_subcommand_mut("check").unwrap().render_long_help().to_string();
    for says in ["concavities count as solid", "you may delete it at any time", "Exit codes:\n  0  every pair"] {
        assert!(check.contains(says), "{says}");
    }
}

#[test]
fn short_names_of_common_flags() {
    let args = parse("interfere check -q a.json -j 3 -v").unwrap();
    let Command::Check(check) = args.command else { panic!("check") };
    assert_eq!((args.quiet, check.verbose, check.question.threads), (true, true, Some(3)));
}

#[test]
fn every_flag_of_check() {
    let line = "--geometry hull --facets strict --format json -o r.json --tolerance 0.02 --report-within 0 --verdict-only --strict \
                --allow-outside --threads 4 --timings t.json";
    let a = check(line);
    let q = &a.question;
    assert_eq!(
        (q.geometry, q.facets, a.outputs.format),
        (
            Some(GeometryChoice::Hull),
            Some(FacetsChoice::Strict),
            vec![ReportArg { format: OutputFormat::Report(Format::Json), file: None }]
        )
    );
    assert_eq!((a.outputs.output, a.timings), (Some("r.json".into()), Some("t.json".into())));
    assert_eq!((&q.tolerance, &q.report_within), (&Some(Length::Bare(0.02)), &Some(Length::Bare(0.0))));
    assert!(a.verdict_only && a.strict && q.allow_outside);
    assert_eq!(q.threads, Some(4));
}

#[test]
fn global_flags_go_before_or_after_command() {
    for line in ["interfere --quiet --color never check a.json", "interfere inspect --color never a.stl --quiet"] {
        let args = parse(line).expect(line);
        assert!(args.quiet && args.color == ColorChoice::Never, "{line}");
    }
}

#[test]
fn lengths_are_finite_and_not_negative() {
    for (flag, why) in [
        ("--tolerance -1", "must not be negative"),
        ("--tolerance=-0.5", "must not be negative"),
        ("--tolerance nan", "must be finite"),
        ("--tolerance 1e999", "must be finite"),
        ("--report-within=-inf", "must be finite"),
        ("--report-within=-1mm", "must not be negative"),
        ("--report-within 1e999mm", "must be finite"),
        ("--report-within 1nm", "unknown unit `nm`; expected `um`, `mm`,"),
        ("--report-within 1milimeter", "unknown unit `milimeter`; did you mean `mm`?"),
        ("--report-within .5mm", "`.5mm` has no digit before the point; write a 0 there"),
        ("--tolerance thin", "`thin` does not begin with a number; expected a length such as `0.5 mm`"),
        ("--threads 0", "0 is not in 1..=1024"),
        ("--geometry spheres", "invalid value 'spheres'"),
        ("--epsilon=-1", "must not be negative"),
        ("--epsilon 1%", "unknown unit `%`; expected `um`,"),
        ("--max-pieces 0", "0 is not in 1..=10000"),
        ("--max-pieces 10001", "10001 is not in 1..=10000"),
        ("--facets loose", "invalid value 'loose'"),
        ("--format xml", "known formats: table, json, sarif, junit, github, markdown, csv"),
        ("--format sarif=", "no file after `=`; write sarif=FILE or sarif"),
    ] {
        let error = parse(&format!("interfere check a.json {flag}")).expect_err(flag);
        assert!(error.to_string().contains(why), "{flag}: {error}");
        assert_eq!(error.exit_code(), 2);
    }
    let Some(Length::Bare(zero)) = check("--tolerance -0").question.tolerance else { panic!("a bare number") };
    assert_eq!(zero.to_bits(), 0);
}

#[test]
fn lengths_carry_a_unit_in_every_command_that_takes_the_question() {
    let expected = Length::parse("0.5thou").unwrap();
    for line in [
        "interfere check a.json",
        "interfere accept a.json",
        "interfere suggest a.json",
        "interfere explain a.json x y",
    ] {
        let question =
            match parse(&format!("{line} --tolerance 0.5thou --epsilon 1mm --report-within .5")).unwrap().command {
                Command::Check(a) => a.question,
                Command::Accept(a) => a.question,
                Command::Suggest(a) => a.question,
                Command::Explain(a) => a.question,
                _ => panic!("{line}"),
            };
        assert_eq!(question.tolerance.as_ref(), Some(&expected), "{line}");
        assert_eq!(question.epsilon.unwrap().to_mm(LengthUnit::Ft), 1.0, "{line}");
        assert_eq!(question.report_within, Some(Length::Bare(0.5)), "{line}");
    }
    let quoted = ["interfere", "check", "a.json", "--tolerance", "0.5 thou"];
    let Command::Check(args) = Args::try_parse_from(quoted).unwrap().command else { panic!("check") };
    assert_eq!(args.question.tolerance, Some(expected));
}

#[test]
fn a_length_of_decompose_is_a_number_alone() {
    for (epsilon, why) in [
        ("0.2mm", "a mesh file names no unit; write a number alone, in the mesh's own unit"),
        ("0.2mn", "a mesh file names no unit"),
        ("thin", "not a number"),
        ("inf", "must be finite"),
        ("-1", "must not be negative"),
    ] {
        let error = parse(&format!("interfere decompose a.stl -o b.obj --epsilon {epsilon}")).expect_err(epsilon);
        assert!(error.to_string().contains(why), "{epsilon}: {error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn explain_takes_one_pair() {
    for line in ["interfere explain", "interfere explain a.json", "interfere explain a.json x y z"] {
        assert_eq!(parse(line).expect_err(line).exit_code(), 2);
    }
    let Command::Explain(args) = parse("interfere explain a.json #3 --report r.json").unwrap().command else {
        panic!("explain")
    };
    assert_eq!((args.pair.pair, args.pair.report), (vec!["#3".to_owned()], Some("r.json".into())));
    let Command::Explain(args) = parse("interfere explain a.json drive/x y --format json").unwrap().command else {
        panic!("explain")
    };
    assert_eq!((args.pair.pair, args.format), (vec!["drive/x".to_owned(), "y".to_owned()], TextChoice::Json));
}

#[test]
fn inspect_needs_a_file() {
    assert_eq!(parse("interfere inspect").expect_err("no file").exit_code(), 2);
    let Command::Inspect(args) = parse("interfere inspect a.stl b.obj --format json").unwrap().command else {
        panic!("inspect")
    };
    assert_eq!(args.meshes.len(), 2);
}

#[test]
fn decompose_needs_a_mesh_and_a_place() {
    for line in ["interfere decompose", "interfere decompose a.stl", "interfere decompose a.stl b.stl -o c.obj"] {
        assert_eq!(parse(line).expect_err(line).exit_code(), 2);
    }
    let Command::Decompose(args) =
        parse("interfere decompose a.stl -o b.obj --epsilon 0.1 --max-pieces 9 --format json").unwrap().command
    else {
        panic!("decompose")
    };
    assert_eq!((args.epsilon, args.max_pieces, args.format, args.hull), (Some(0.1), 9, TextChoice::Json, false));
    let Command::Decompose(args) = parse("interfere decompose a.stl --output b --hull").unwrap().command else {
        panic!("decompose")
    };
    assert_eq!((args.epsilon, args.max_pieces, args.hull), (None, 64, true));
}

#[test]
fn default_epsilon_follows_part_size() {
    let args = check("--geometry decomposition");
    assert_eq!((args.question.epsilon, args.question.max_pieces), (None, 64));
    let args = check("--geometry decomposition --epsilon 0.25 --max-pieces 10000");
    assert_eq!((args.question.epsilon, args.question.max_pieces), (Some(Length::Bare(0.25)), 10_000));
}

#[test]
fn formats_are_repeated_and_carry_their_files() {
    let reports = |line: &str| -> Vec<(OutputFormat, Option<String>)> {
        let path = |p: std::path::PathBuf| p.to_str().unwrap().to_owned();
        check(line).outputs.format.into_iter().map(|r| (r.format, r.file.map(path))).collect()
    };
    let file = |name: &str| Some(name.to_owned());
    assert_eq!(
        reports("--format table --format sarif=out.sarif --format=junit=a=b.xml --format csv=-"),
        [
            (OutputFormat::Report(Format::Table), None),
            (OutputFormat::Report(Format::Sarif), file("out.sarif")),
            (OutputFormat::Report(Format::Junit), file("a=b.xml")),
            (OutputFormat::Report(Format::Csv), file("-")),
        ]
    );
    assert_eq!(reports("--expand"), []);
    assert!(check("--expand").outputs.expand && !check("--quiet").outputs.expand);
}
