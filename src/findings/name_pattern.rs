//! Finds the common pattern of several names.

/// Common prefix and suffix of names.
#[derive(Default)]
pub(crate) struct NamePattern<'n> {
    first: Option<&'n str>,
    /// Length of the shortest name, once two differ (bytes).
    shortest: Option<usize>,
    begin: &'n str,
    end: &'n str,
}

impl<'n> NamePattern<'n> {
    pub(crate) fn add(&mut self, name: &'n str) {
        let Some(first) = self.first else {
            (self.first, self.begin, self.end) = (Some(name), name, name);
            return;
        };
        if name == first {
            return;
        }
        self.shortest = Some(self.shortest.unwrap_or(first.len()).min(name.len()));
        let same = |x: &mut dyn Iterator<Item = (char, char)>| {
            x.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
        };
        let begin = same(&mut self.begin.chars().zip(name.chars()));
        let end = same(&mut self.end.chars().rev().zip(name.chars().rev()));
        self.begin = &first[..begin];
        self.end = &first[first.len() - end..];
    }

    /// Text of one name, or the common parts of several with `*` between. The digits beside it belong to the `*`:
    /// `bolt-*` for `bolt-11` and `bolt-12`.
    pub(crate) fn text(&self) -> String {
        let Some(shortest) = self.shortest else { return self.first.unwrap_or_default().to_owned() };
        let digit = |c: char| c.is_ascii_digit();
        let begin = self.begin.trim_end_matches(digit);
        // For "ab" and "aab", prefix and suffix would share the same "a": cut the suffix.
        let mut end = self.end;
        while end.len() + self.begin.len() > shortest {
            let cut = end.chars().next().map_or(1, char::len_utf8);
            end = &end[cut..];
        }
        format!("{begin}*{}", end.trim_start_matches(digit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_common_prefix_and_suffix() {
        for (names, pattern) in [
            (&["bolt-1"][..], "bolt-1"),
            (&["bolt-1", "bolt-1"], "bolt-1"),
            (&["bolt-11", "bolt-12"], "bolt-*"),
            (&["a/nut", "b/nut"], "*/nut"),
            (&["left-arm-1", "left-leg-1"], "left-*-1"),
            (&["ab", "abxab"], "ab*"),
            (&["aaa", "aa"], "aa*"),
            (&["aa", "aaa"], "aa*"),
            (&["ä1x", "ä2x"], "ä*x"),
            (&["x", "y"], "*"),
            (&["bolt", "bolt", "bolt-1"], "bolt*"),
        ] {
            let mut p = NamePattern::default();
            for name in names {
                p.add(name);
            }
            assert_eq!(p.text(), pattern, "{names:?}");
        }
    }
}
