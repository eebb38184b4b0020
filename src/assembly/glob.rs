//! Globs over instance ids: `*` any run of characters, `/` included; `?` one character; `[a-z]`, `[!a-z]` one of a class;
//! `{a,b}` either; a backslash makes the next character ordinary. Case-sensitive, over whole ids, by character and not
//! by byte, so `?` matches `ä`. No path semantics: `**` is `*`.

/// A compiled glob: it matches an id when one of its patterns does.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    /// Without alternatives, at least one.
    pub patterns: Vec<Pattern>,
}

/// A glob without alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Every id it matches begins with this.
    pub prefix: String,
    /// What follows.
    rest: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Char(char),
    AnyOne,
    AnyRun,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// A glob may have this many characters. Matching takes time in the product of both lengths.
const MAX_LENGTH: usize = 1000;

/// The alternatives of a glob, multiplied out, may be this many.
const MAX_PATTERNS: usize = 256;

/// Alternatives may be nested this deep.
const MAX_DEPTH: usize = 16;

impl Glob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// Why it is none, as a fragment such as "`[` is never closed".
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("it is empty; `*` matches every id".to_owned());
        }
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > MAX_LENGTH {
            return Err(format!("it has {} characters, more than {MAX_LENGTH}", characters.len()));
        }
        let mut parser = Parser { characters: &characters, next: 0 };
        let sequences = parser.sequences(0)?;
        Ok(Self { patterns: sequences.into_iter().map(Pattern::new).collect() })
    }
}

impl Pattern {
    fn new(tokens: Vec<Token>) -> Self {
        let mut prefix = String::new();
        let mut rest = Vec::new();
        for token in tokens {
            match token {
                Token::Char(c) if rest.is_empty() => prefix.push(c),
                Token::AnyRun if rest.last() == Some(&Token::AnyRun) => {}
                other => rest.push(other),
            }
        }
        Self { prefix, rest }
    }

    /// Whether it matches one id alone: its prefix.
    pub fn is_literal(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether it matches an id that begins with `prefix`, given what follows there. Greedy with one way back: on a
    /// mismatch the last run swallows one character more, which is enough, as an earlier run need never grow.
    pub fn matches_after_prefix(&self, tail: &str) -> bool {
        if self.rest.as_slice() == [Token::AnyRun] {
            return true;
        }
        let (mut token, mut at) = (0, 0);
        let mut back: Option<(usize, usize)> = None;
        loop {
            let next = tail[at..].chars().next();
            match (self.rest.get(token), next) {
                (Some(Token::AnyRun), _) => {
                    token += 1;
                    back = Some((token, at));
                    continue;
                }
                (Some(t), Some(c)) if t.matches(c) => {
                    token += 1;
                    at += c.len_utf8();
                    continue;
                }
                (None, None) => return true,
                _ => {}
            }
            let Some((after_run, from)) = back else { return false };
            let Some(swallowed) = tail[from..].chars().next() else { return false };
            let from = from + swallowed.len_utf8();
            (token, at) = (after_run, from);
            back = Some((after_run, from));
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

    /// Reads to the end, or inside braces to a `,` or `}`, which stays; alternatives multiplied out.
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
                        return Err(format!("its alternatives multiply to more than {MAX_PATTERNS}"));
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
                return Err(format!("it has more than {MAX_PATTERNS} alternatives"));
            }
            match self.bump() {
                Some(',') => {}
                Some(_) => return Ok(all),
                None => return Err("`{` is never closed; write `\\{` for the character itself".to_owned()),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        self.bump().ok_or_else(|| "a backslash at the end escapes nothing; write `\\\\` for a backslash".to_owned())
    }

    /// After `[`. A `]` right at the beginning is a member.
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
        let glob = Glob::new(glob).expect("a glob");
        glob.patterns.iter().any(|p| id.strip_prefix(&p.prefix).is_some_and(|tail| p.matches_after_prefix(tail)))
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
    fn bad_globs_say_why() {
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
        // globset is the oracle on what both mean the same by: ASCII, no `**`, no escapes inside classes.
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
        fn no_glob_panics(glob in "\\PC{0,12}", id in "\\PC{0,8}") {
            if let Ok(glob) = Glob::new(&glob) {
                for p in &glob.patterns {
                    let _ = id.strip_prefix(&p.prefix).map(|tail| p.matches_after_prefix(tail));
                }
            }
        }
    }
}
