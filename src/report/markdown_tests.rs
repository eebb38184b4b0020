//! Tests of the Markdown report.

use crate::check::Outcome;
use crate::findings::Judged;
use crate::report::PictureLinks;
use crate::report::markdown::*;
use crate::testkit::sample_outcome;

fn text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    render(&Judged::from(outcome.clone()), PictureLinks::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_whole_page() {
    insta::assert_snapshot!(text(&sample_outcome::outcome()), @r"
    ## interfere: FAIL: <code>gear&#92;u&#123;1b&#125;box</code>

    6 of 10 pairs fail: 3 interference, 2 too_close, 1 undecided, 1 allowed, 1 contact, 2 clear, 0 ignored

    2 parts, 5 instances, geometry hull

    | status | # | a | b | depth | volume | gap | at | move | along | rule | id |
    | --- | --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- | --- | --- |
    | **interference** | &#35;1 | <code>gehäuse &#34;links&#34;</code> | <code>shaft</code> | 9.8 mm | 31.2 mm³ |  | (0.5, 0.5, 0.5) mm | b by 19.6 mm | (0.60, 0.80, 0.00) |  | <code>48006d4af234</code> |
    | **interference** | &#35;2 | <code>drive/bearing-1</code> | <code>gehäuse &#34;links&#34;</code> | 0.25 mm | 31.2 mm³ |  | (0.5, 0.5, 0.5) mm | b by 0.5 mm | -z |  | <code>1084c5c64e76</code> |
    | **interference** | &#35;3 | <code>fan</code> | <code>x&#92;u&#123;1b&#125;&#91;31mred&#92;nline&#92;u&#123;202e&#125;</code> |  |  |  |  |  |  |  | <code>33ee1045fdf0</code> |
    | **too_close** | &#35;4 | <code>fan</code> | <code>gehäuse &#34;links&#34;</code> |  |  | 0.5 mm | (0.25, 0, 0) mm |  | +x | <code>min&#95;clearance 2 mm (assembly.json rules&#91;1&#93;)</code> | <code>a2a020e8007a</code> |
    | **too_close** | &#35;5 | <code>drive/bearing-1</code> | <code>fan</code> |  |  | 1.25 mm | (0.625, 0, 0) mm |  | +x | <code>min&#95;clearance 2 mm (assembly.json rules&#91;1&#93;)</code> | <code>04f9614d4c7d</code> |
    | **undecided** | &#35;6 | <code>drive/bearing-1</code> | <code>x&#92;u&#123;1b&#125;&#91;31mred&#92;nline&#92;u&#123;202e&#125;</code> |  |  | -0.5 to 0.5 mm |  |  |  |  | <code>3ef75dd68a74</code> |
    | **allowed** | &#35;7 | <code>drive/bearing-1</code> | <code>shaft</code> | 0.015 mm | 31.2 mm³ |  | (0.5, 0.5, 0.5) mm | b by 0.03 mm | +x | <code>allow&#95;depth 0.03 mm, H7/p6 press fit (assembly.json rules&#91;0&#93;)</code> | <code>ce9c7ce76b14</code> |
    | **clear** | &#35;8 | <code>fan</code> | <code>shaft</code> |  |  | 4 mm | (2, 0, 0) mm |  | +x |  | <code>f06c5be0c088</code> |

    <details><summary>Pairs by status and stage</summary>

    | pairs | |
    | ---: | --- |
    | 10 | in all |
    | 0 | ignored |
    | 1 | cleared by aabb |
    | 1 | cleared by hull |
    | 3 | interference |
    | 2 | too_close |
    | 1 | undecided |
    | 1 | allowed |
    | 1 | contact |

    </details>

    <details><summary>2 warnings</summary>

    - <code>part hood&#58; 3 open edges &#91;open-mesh&#93;</code>
    - <code>assembly.json&#58;7&#58;5&#58; rules&#91;2&#93; matches no pair &#91;unused-rule&#93;</code>

    </details>
    ");
}

#[test]
fn groups_are_rows() {
    insta::assert_snapshot!(text(&sample_outcome::grouped()), @r#"
    ## interfere: FAIL: <code>gear&#92;u&#123;1b&#125;box</code>

    47 of 47 pairs fail: 47 interference, 0 too_close, 0 undecided, 0 allowed, 0 contact, 0 clear, 0 ignored

    2 parts, 86 instances, geometry hull

    | status | # | a | b | pairs | depth | id |
    | --- | --- | --- | --- | ---: | ---: | --- |
    | **interference** | &#35;1 | <code>plate</code> | <code>&#42; (as rib-4)</code> | 6 | 5 mm | <code>083c5b91c549</code> |
    | **interference** | &#35;2 | <code>bolt-&#42;</code> | <code>hole-&#42;</code> | 40 | 0.5 mm | <code>ddeb69db861a</code> |
    | **interference** | &#35;3 | <code>bolt-0</code> | <code>rib-0</code> |  | 0.125 mm | <code>e4f3d07d2c61</code> |

    Grouped rows show their worst pair.

    <details><summary>Pairs by status and stage</summary>

    | pairs | |
    | ---: | --- |
    | 47 | in all |
    | 0 | ignored |
    | 47 | interference |

    </details>
    "#);
}

#[test]
fn counts_are_kept() {
    for n in [0, 1, 40, 30_000] {
        let text = text(&sample_outcome::findings(n));
        let rows = text.lines().filter(|l| l.starts_with("| **")).count();
        let more = text.lines().find_map(|l| l.strip_prefix("and ")?.split(' ').next()?.parse::<usize>().ok());
        assert_eq!((rows + more.unwrap_or(0), rows), (n, n.min(MAX_ROWS)));
        let said = format!("{} interference, {} too_close, {} undecided", n.div_ceil(3), (n + 1) / 3, n / 3);
        assert!(text.contains(&said) && text.len() <= MAX_BYTES, "{said}");
    }
}

#[test]
fn page_fits_a_comment_for_any_names() {
    let mut outcome = sample_outcome::findings(200);
    for (k, i) in outcome.instances.iter_mut().enumerate() {
        i.id = format!("{k}{}", "|`<🦀>".repeat(2000));
    }
    let mut warnings = sample_outcome::hostile().warnings;
    for w in &mut warnings {
        w.message = "#".repeat(100_000);
    }
    outcome.warnings = warnings;
    let text = text(&outcome);
    assert!(text.len() <= MAX_BYTES, "{}", text.len());
    let rows = text.lines().filter(|l| l.starts_with("| **")).count();
    assert!(text.contains(&format!("\nand {} more: ", 200 - rows)), "{text}");
    assert!(rows > 5 && text.ends_with("</details>\n"));
}

#[test]
fn hostile_names_stay_plain_text() {
    let outcome = sample_outcome::hostile();
    let text = text(&outcome);
    let ours = ["<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"];
    // A status has an underscore between letters, which Markdown leaves alone.
    let rest = ours.iter().chain(&["too_close"]).fold(text.clone(), |t, own| t.replace(own, ""));
    assert!(!rest.contains(['<', '>', '`', '[', ']', '@', '_', '~', '"', '\\', '=', '$', '{']), "{rest}");
    assert!(!rest.to_lowercase().contains("www."), "{rest}");
    let bars: Vec<_> = text.lines().filter(|l| l.starts_with("| **")).map(|l| l.matches('|').count()).collect();
    assert_eq!(bars.len(), outcome.pairs.len());
    assert!(bars.iter().all(|n| *n == bars[0]), "{bars:?}");
    assert!(!text.chars().any(|c| c != '\n' && crate::json::wording::is_unsafe_char(c)));
}
