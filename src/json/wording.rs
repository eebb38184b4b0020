//! Quotes and spelling suggestions for messages.

/// Upper limit of quoted characters of the user's text.
const MAX_QUOTED_CHARS: usize = 80;

/// Characters of a word compared with candidates, and a quarter of the bytes of a candidate; longer ones are skipped.
/// The edit distance takes time in the product of both lengths.
const MAX_COMPARED_CHARS: usize = 100;

/// Puts the user's text on one line: escapes control characters, cuts off long text.
pub(crate) fn one_line(text: &str) -> String {
    one_line_of(text, MAX_QUOTED_CHARS)
}

/// [`one_line`], cut off after `at_most` characters.
pub(crate) fn one_line_of(text: &str, at_most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(at_most));
    for (k, c) in text.chars().enumerate() {
        if k == at_most {
            out.push('…');
            break;
        }
        if is_unsafe_char(c) {
            out.extend(c.escape_debug());
        } else {
            out.push(c);
        }
    }
    out
}

/// Puts the user's text in backquotes, on one line.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", one_line(text))
}

/// Joins names in backquotes: "`a`, `b` or `c`".
pub(crate) fn join_or(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|n| quoted(n)).collect();
    match all.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => all.concat(),
    }
}

/// True for the path of a file with the extension `json`.
pub(crate) fn is_json_path(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Finds the known word nearest to a misspelt one, if at most a third of its letters differ; the first of equally near
/// ones. Takes time in the product of the lengths, per candidate of similar length.
pub(crate) fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let length = word.chars().count();
    if length > MAX_COMPARED_CHARS {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let limit = best.map_or(length.max(3).div_ceil(3), |(distance, _)| distance.saturating_sub(1));
        if candidate.len() > 4 * MAX_COMPARED_CHARS {
            continue;
        }
        // A different case or a truncated word counts as one error, for any number of letters.
        let is_slip = word.eq_ignore_ascii_case(candidate) || (length >= 3 && candidate.starts_with(word));
        if !is_slip && candidate.chars().count().abs_diff(length) > limit {
            continue;
        }
        let distance = if is_slip { 1 } else { strsim::osa_distance(word, candidate) };
        if distance <= limit && (best.is_none() || distance < best.map_or(0, |(d, _)| d)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// True for characters that steer a terminal or hide text: control characters, line separators, invisible and
/// direction-changing characters.
pub fn is_unsafe_char(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// True if a text contains a character with [`is_unsafe_char`]; returns early for plain ASCII, the usual case.
pub fn has_unsafe_char(text: &str) -> bool {
    !text.bytes().all(|b| (b' '..=b'~').contains(&b)) && text.contains(is_unsafe_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_close_or_none() {
        let known = ["version", "tolerance", "units", "parts"];
        assert_eq!(nearest("tolerence", known), Some("tolerance"));
        assert_eq!(nearest("part", known), Some("parts"));
        assert_eq!(nearest("UNITS", known), Some("units"));
        assert_eq!(nearest("tol", known), Some("tolerance"));
        assert_eq!(nearest("gravity", known), None);
        assert_eq!(nearest(&"x".repeat(500), known), None);
        assert_eq!(nearest("", known), None);
    }

    #[test]
    fn quoted_text_stays_on_its_line() {
        assert_eq!(quoted("a\nb\u{1b}[31m"), "`a\\nb\\u{1b}[31m`");
        assert_eq!(one_line(&"é".repeat(90)).chars().count(), 81);
        assert_eq!(join_or(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(join_or(&["a"]), "`a`");
    }
}
