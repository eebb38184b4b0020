//! Help text of a status or a warning: its section in docs/reference/findings.md.

const FINDINGS: &str = include_str!("../../docs/reference/findings.md");

/// Help text of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Help {
    /// First sentence.
    pub short: String,
    /// Whole section, as plain text.
    pub text: String,
}

/// Help of a code; `None` without a section of its name.
pub(crate) fn of(code: &str) -> Option<Help> {
    let body = section(code)?;
    let paragraphs: Vec<String> = body.split("\n\n").map(|p| plain(&p.replace('\n', " "))).collect();
    let text = paragraphs.join("\n\n").trim().to_owned();
    let end = [". ", ".\n"].iter().filter_map(|end| text.find(end)).min().map_or(text.len(), |k| k + 1);
    Some(Help { short: text[..end].to_owned(), text })
}

/// Every code with a section, in the order of the page: statuses, then warnings.
pub(crate) fn codes() -> Vec<&'static str> {
    let headings = FINDINGS.lines().filter_map(|line| line.strip_prefix("### "));
    headings.filter(|code| code.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_'))).collect()
}

/// Page of a code for a terminal: the section as written, with the texts of its links alone.
pub(crate) fn page(code: &str) -> Option<String> {
    Some(format!("{code}\n\n{}\n", without(section(code)?, &['['])))
}

fn section(code: &str) -> Option<&'static str> {
    let heading = format!("\n### {code}\n");
    let start = FINDINGS.find(&heading)? + heading.len();
    let body = &FINDINGS[start..];
    let end = ["\n### ", "\n## "].iter().filter_map(|next| body.find(next)).min().unwrap_or(body.len());
    Some(body[..end].trim())
}

/// Removes emphasis, code marks and link targets; the targets are valid only inside the documentation.
fn plain(markdown: &str) -> String {
    without(markdown, &['[', '`', '*'])
}

/// Removes the marks that begin with these characters; `[` stands for link targets.
fn without(markdown: &str, marks: &[char]) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(marks) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let link = rest.strip_prefix('[').and_then(|r| {
            let (text, target) = r.split_once("](")?;
            let (_, after) = target.split_once(')')?;
            (!text.contains(']')).then_some((text, after))
        });
        match link {
            Some((text, after)) => {
                out.push_str(&without(text, marks));
                rest = after;
            }
            None if rest.starts_with('[') => {
                out.push('[');
                rest = &rest[1..];
            }
            None => rest = rest.trim_start_matches(['`', '*']),
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Status;
    use crate::error::WarningCode;
    use std::collections::BTreeSet;

    #[test]
    fn every_status_and_every_warning_has_help() {
        for status in Status::ALL {
            let help = of(status.name()).unwrap();
            assert!(help.short.ends_with('.') && help.text.starts_with(&help.short), "{help:?}");
            assert!(!help.short.contains('\n') && !help.short.contains(". "), "{help:?}");
        }
        let warnings = FINDINGS.split_once("\n## Warnings\n").expect("a chapter").1;
        let codes: Vec<&str> = warnings.lines().filter_map(|l| l.strip_prefix("### ")).collect();
        let known: Vec<&str> = WarningCode::ALL.iter().map(|c| c.name()).collect();
        let sections: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(sections, known.iter().copied().collect());
        assert_eq!(sections.len(), codes.len(), "one section for each code");
        for code in codes {
            assert!(of(code).is_some_and(|h| h.short.len() > 10), "{code}");
        }
        assert_eq!(of("no-such-code"), None);
    }

    #[test]
    fn every_code_has_a_page_without_link_targets() {
        let codes = codes();
        assert!(Status::ALL.iter().all(|status| codes.contains(&status.name())), "{codes:?}");
        assert!(WarningCode::ALL.iter().all(|code| codes.contains(&code.name())), "{codes:?}");
        for code in codes {
            let page = page(code).unwrap();
            assert!(page.starts_with(&format!("{code}\n\n")) && !page.contains("]("), "{page}");
        }
        assert_eq!(page("no-such-code"), None);
    }

    #[test]
    fn help_omits_markup_and_link_targets() {
        assert_eq!(plain("a `b` **c** [d `e`](f.md#g) rules[0] (h)"), "a b c d e rules[0] (h)");
        let help = of("welded").unwrap();
        assert!(!help.text.contains(['`', '*']), "{help:?}");
        assert!(!help.text.replace("\n\n", "").contains('\n'), "a paragraph is one line: {help:?}");
    }
}
