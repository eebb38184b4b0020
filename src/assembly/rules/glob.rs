//! Globs over instance ids: `*` any run of characters, `/` included; `?` one character; `[a-z]`, `[!a-z]` one of a
//! class; `{a,b}` alternatives; a backslash makes the next character ordinary. Case-sensitive, over whole ids, by
//! character instead of by byte, so `?` matches `ä`. No path semantics: `**` is `*`.

/// A compiled glob: matches an id if one of its patterns does.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    /// Patterns without alternatives, at least one.
    pub patterns: Vec<Pattern>,
}

/// A glob without alternatives, split at its runs (`*`).
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    /// Common beginning of all matching ids.
    pub prefix: String,
    /// The rest up to the first run.
    head: Segment,
    /// Segments between runs, in order. The first match of each is as good as any later one.
    middle: Vec<Segment>,
    /// Segment after the last run; `None` without a run.
    tail: Option<Segment>,
}

/// A segment without runs: matches a fixed number of characters.
#[derive(Debug, Clone)]
enum Segment {
    Literal(String),
    Mixed(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Char(char),
    AnyOne,
    AnyRun,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// Largest number of characters of a glob. Matching takes time in the product of both lengths.
const MAX_LENGTH: usize = 1000;

/// Largest number of patterns after multiplying out the alternatives.
const MAX_PATTERNS: usize = 256;

/// Largest nesting depth of alternatives.
const MAX_DEPTH: usize = 16;

impl Glob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// Explains an invalid glob by a fragment such as "`[` is never closed".
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the glob is empty; `*` matches every id".to_owned());
        }
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > MAX_LENGTH {
            return Err(format!("the glob has {} characters, more than {MAX_LENGTH}", characters.len()));
        }
        let mut parser = Parser { characters: &characters, next: 0 };
        let sequences = parser.sequences(0)?;
        Ok(Self { patterns: sequences.iter().map(|tokens| Pattern::new(tokens)).collect() })
    }
}

impl Glob {
    /// Tests if the glob matches a whole id.
    pub fn matches(&self, id: &str) -> bool {
        self.patterns.iter().any(|p| id.strip_prefix(&p.prefix).is_some_and(|rest| p.matches_after_prefix(rest)))
    }
}

/// Escapes a text to a glob for this text alone, also between braces.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | '{' | '}' | ',' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Pattern {
    fn new(tokens: &[Token]) -> Self {
        let literal = |t: &Token| if let Token::Char(c) = t { Some(*c) } else { None };
        let prefix: String = tokens.iter().map_while(literal).collect();
        let rest = &tokens[prefix.chars().count()..];
        let mut segments = rest.split(|t| *t == Token::AnyRun).map(Segment::new);
        let head = segments.next().unwrap_or_else(|| Segment::new(&[]));
        let mut middle: Vec<Segment> = segments.collect();
        let tail = middle.pop();
        middle.retain(|m| !m.is_empty());
        Self { prefix, head, middle, tail }
    }

    /// True if the pattern matches a single id: its prefix.
    pub fn is_literal(&self) -> bool {
        self.head.is_empty() && self.tail.is_none()
    }

    /// Tests if the pattern matches an id that begins with `prefix`, given the rest of the id.
    pub fn matches_after_prefix(&self, rest: &str) -> bool {
        let Some(mut rest) = self.head.strip(rest) else { return false };
        let Some(tail) = &self.tail else { return rest.is_empty() };
        for segment in &self.middle {
            let Some(after) = segment.find(rest) else { return false };
            rest = after;
        }
        tail.ends(rest)
    }
}

impl Segment {
    fn new(tokens: &[Token]) -> Self {
        let literal: Option<String> =
            tokens.iter().map(|t| if let Token::Char(c) = t { Some(*c) } else { None }).collect();
        literal.map_or_else(|| Self::Mixed(tokens.to_vec()), Self::Literal)
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Literal(text) if text.is_empty())
    }

    /// Returns the rest of a text after this segment at its beginning.
    fn strip<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(own) => text.strip_prefix(own.as_str()),
            Self::Mixed(tokens) => {
                let mut characters = text.chars();
                let all = tokens.iter().all(|t| characters.next().is_some_and(|c| t.matches(c)));
                all.then_some(characters.as_str())
            }
        }
    }

    /// Returns the rest of a text after the first match of this segment.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        if let Self::Literal(own) = self
            && let Some(first) = own.bytes().next()
        {
            // Ids are short: looking for the first byte beats setting up a search.
            let own = own.as_bytes();
            let is = |k: &usize| text.as_bytes()[*k] == first && text.as_bytes()[*k..].starts_with(own);
            return (0..text.len()).find(is).and_then(|k| text.get(k + own.len()..));
        }
        text.char_indices().find_map(|(k, _)| self.strip(&text[k..]))
    }

    /// True if a text ends with this segment.
    fn ends(&self, text: &str) -> bool {
        match self {
            Self::Literal(own) => text.ends_with(own.as_str()),
            Self::Mixed(tokens) => {
                let mut characters = text.chars().rev();
                tokens.iter().rev().all(|t| characters.next().is_some_and(|c| t.matches(c)))
            }
        }
    }
}

impl Token {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::AnyOne => true,
            Self::AnyRun => false,
            Self::Class { negated, ranges } => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated,
        }
    }
}

struct Parser<'t> {
    characters: &'t [char],
    next: usize,
}

impl Parser<'_> {
    fn bump(&mut self) -> Option<char> {
        let c = self.characters.get(self.next).copied();
        self.next += usize::from(c.is_some());
        c
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.next).copied()
    }

    /// Reads to the end, or inside braces up to a `,` or `}`, left unread; multiplies out the alternatives.
    fn sequences(&mut self, depth: usize) -> Result<Vec<Vec<Token>>, String> {
        let mut all: Vec<Vec<Token>> = vec![Vec::new()];
        while let Some(c) = self.peek() {
            if depth > 0 && matches!(c, ',' | '}') {
                break;
            }
            self.next += 1;
            let token = match c {
                '*' => Token::AnyRun,
                '?' => Token::AnyOne,
                '[' => self.class()?,
                '}' => return Err("`}` without `{`; write `\\}` for the character itself".to_owned()),
                '{' => {
                    let alternatives = self.alternatives(depth + 1)?;
                    if all.len() * alternatives.len() > MAX_PATTERNS {
                        return Err(format!("the alternatives multiply to more than {MAX_PATTERNS}"));
                    }
                    all = all.iter().flat_map(|a| alternatives.iter().map(|b| [a.as_slice(), b].concat())).collect();
                    continue;
                }
                '\\' => Token::Char(self.escaped()?),
                other => Token::Char(other),
            };
            for sequence in &mut all {
                sequence.push(token.clone());
            }
        }
        Ok(all)
    }

    fn alternatives(&mut self, depth: usize) -> Result<Vec<Vec<Token>>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("`{{` nested deeper than {MAX_DEPTH}"));
        }
        let mut all = Vec::new();
        loop {
            all.append(&mut self.sequences(depth)?);
            if all.len() > MAX_PATTERNS {
                return Err(format!("the glob has more than {MAX_PATTERNS} alternatives"));
            }
            match self.bump() {
                Some(',') => {}
                Some(_) => return Ok(all),
                None => return Err("`{` is never closed; write `\\{` for the character itself".to_owned()),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        self.bump()
            .ok_or_else(|| "a backslash at the end has no character to escape; write `\\\\` for a backslash".to_owned())
    }

    /// Reads a class after its `[`. A `]` right at the beginning is a member.
    fn class(&mut self) -> Result<Token, String> {
        let negated = matches!(self.peek(), Some('!' | '^'));
        self.next += usize::from(negated);
        let mut ranges = Vec::new();
        loop {
            let low = match self.bump() {
                Some(']') if !ranges.is_empty() => return Ok(Token::Class { negated, ranges }),
                Some('\\') => self.escaped()?,
                Some(c) => c,
                None => return Err("`[` is never closed; write `\\[` for the character itself".to_owned()),
            };
            let is_range = self.peek() == Some('-') && self.characters.get(self.next + 1).is_some_and(|c| *c != ']');
            if !is_range {
                ranges.push((low, low));
                continue;
            }
            self.next += 1;
            let high = match self.bump() {
                Some('\\') => self.escaped()?,
                Some(c) => c,
                None => low,
            };
            if low > high {
                return Err(format!("the range `{low}-{high}` is empty"));
            }
            ranges.push((low, high));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(glob: &str, id: &str) -> bool {
        Glob::new(glob).expect("a glob").matches(id)
    }

    #[test]
    fn globs_match_whole_ids() {
        for (glob, yes, no) in [
            ("shaft", "shaft", "shaft-1"),
            ("*", "a/b/c", ""),
            ("drive/bearing-*", "drive/bearing-12", "bearing-1"),
            ("*bolt*", "drive/bolt/m3", "drive/bol/t"),
            ("*-?", "a-b-ä", "a-b-äö"),
            ("[ä-ö]x", "öx", "ax"),
            ("[!0-9]*", "x1", "1x"),
            ("[]a]", "]", "b"),
            ("[a-]", "-", "b"),
            ("{left,right}-{a,b}*", "right-b7", "right-c"),
            ("{a,{b,c}d}", "cd", "c"),
            ("\\*\\?", "*?", "ab"),
            ("a**b", "ab", "abc"),
            ("a*[ab]?*?c", "axbacc", "aabc"),
            ("*ä*?ö", "xäxö", "xäö"),
            ("ab*ba", "abba", "aba"),
            ("a/*", "a/b/c", "a"),
            ("{,x-}y", "y", "-y"),
            ("Shaft", "Shaft", "shaft"),
            ("a,b", "a,b", "a"),
        ] {
            assert!(matches(glob, yes), "{glob} should match {yes}");
            if glob != "*" {
                assert!(!matches(glob, no), "{glob} should not match {no}");
            }
        }
    }

    #[test]
    fn invalid_globs_give_reason() {
        for (glob, why) in [
            ("", "empty"),
            ("[ab", "`[` is never closed"),
            ("[]", "`[` is never closed"),
            ("{a,b", "`{` is never closed"),
            ("a}", "`}` without `{`"),
            ("a\\", "backslash at the end"),
            ("[z-a]", "`z-a` is empty"),
            (&"{a,b}".repeat(9), "more than 256"),
            (&"{".repeat(99), "nested deeper"),
            (&"a".repeat(1001), "1001 characters"),
        ] {
            let said = Glob::new(glob).expect_err(glob);
            assert!(said.contains(why), "{glob}: {said}");
        }
    }

    proptest! {
        // globset is the oracle for the common syntax: ASCII, no `**`, no escapes inside classes.
        #[test]
        fn agrees_with_globset(
            tokens in prop::collection::vec(
                prop::sample::select(vec!["a", "b", "/", "-", "?", "[ab]", "[!a]", "{a,b/}", "\\*", "*a", "*/"]), 1..7),
            id in "[ab/*-]{0,8}",
        ) {
            let glob = tokens.concat();
            let theirs = globset::GlobBuilder::new(&glob).backslash_escape(true).build().expect("a glob");
            prop_assert_eq!(matches(&glob, &id), theirs.compile_matcher().is_match(&id), "{} on {}", glob, id);
        }

        #[test]
        fn escaped_text_matches_only_itself(text in "[a*?{},\\[\\]!^\\\\-]{1,6}", other in "[a*?{},\\[\\]!^\\\\-]{1,6}") {
            for glob in [escaped(&text), format!("{{{},}}", escaped(&text))] {
                prop_assert!(matches(&glob, &text), "{} {}", glob, text);
                prop_assert_eq!(matches(&glob, &other), other == text);
            }
        }

        #[test]
        fn no_glob_panics(glob in "\\PC{0,12}", id in "\\PC{0,8}") {
            if let Ok(glob) = Glob::new(&glob) {
                for p in &glob.patterns {
                    let _ = id.strip_prefix(&p.prefix).map(|tail| p.matches_after_prefix(tail));
                }
            }
        }
    }
}
