//! Ids and file names from names of any characters.

use std::collections::{BTreeMap, BTreeSet};

/// Largest number of characters of a level of an id.
const MAX_CHARACTERS: usize = 80;

/// Names without meaning of devices on Windows.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Replaces every character except letters, digits, `_`, `+` and `-` by `_`. `None` for a name without letters and
/// digits.
pub(crate) fn clean(name: &str) -> Option<String> {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '+' | '-') { c } else { '_' };
    let text: String = name.trim().chars().take(MAX_CHARACTERS).map(kept).collect();
    text.chars().any(char::is_alphanumeric).then_some(text)
}

/// Names in use on one level; equal names get a number in their order.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    used: BTreeSet<String>,
    next: BTreeMap<String, u64>,
    /// Number of names with a number.
    pub(crate) numbered: u64,
}

impl Siblings {
    /// Makes a name unique: `pin`, `pin-2`, `pin-3`.
    /// Keeps a name from being given.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }

    pub(crate) fn unique(&mut self, name: String) -> String {
        if self.used.insert(name.clone()) {
            return name;
        }
        self.numbered += 1;
        let next = self.next.entry(name.clone()).or_insert(2);
        loop {
            let numbered = format!("{name}-{next}");
            *next += 1;
            if self.used.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// File name of a part, without its ending: ASCII, unique without regard to case, no device of Windows.
pub(crate) fn file_stem(name: &str, used: &mut Siblings) -> String {
    let ascii: String = name.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { '_' }).collect();
    let is_port = |text: &str| text.len() == 4 && (text.starts_with("com") || text.starts_with("lpt"));
    let first = ascii.split('.').next().unwrap_or_default();
    let mark = if RESERVED.contains(&first) || is_port(first) || ascii.starts_with(['-', '.']) { "_" } else { "" };
    used.unique(format!("{mark}{ascii}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_letters_and_digits() {
        for (name, expected) in [
            ("M3x8 screw", Some("M3x8_screw")),
            ("a/b.c*[d]", Some("a_b_c__d_")),
            ("\u{202e}evil\u{1b}[2J", Some("_evil__2J")),
            (" Schräge:1 ", Some("Schräge_1")),
            ("軸", Some("軸")),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(clean(name).as_deref(), expected);
        }
        assert_eq!(clean(&"x".repeat(1000)).map(|n| n.len()), Some(MAX_CHARACTERS));
    }

    #[test]
    fn equal_names_get_numbers_and_stay_unique() {
        let mut siblings = Siblings::default();
        let names: Vec<String> =
            ["pin", "pin-2", "pin", "pin", "cap"].map(|n| siblings.unique(n.to_owned())).into_iter().collect();
        assert_eq!(names, ["pin", "pin-2", "pin-3", "pin-4", "cap"]);
        assert_eq!(siblings.numbered, 2);
    }

    #[test]
    fn file_names_suit_every_system() {
        let mut used = Siblings::default();
        let stems: Vec<String> =
            ["Pin", "pin", "CON", "com1", "軸", "-x", "nul.a"].map(|n| file_stem(n, &mut used)).into_iter().collect();
        assert_eq!(stems, ["pin", "pin-2", "_con", "_com1", "_", "_-x", "_nul.a"]);
    }
}
