//! Kinds of the JSON documents of this program, for messages about one in place of another.

/// Kind of a document, by the keys of its outermost object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    PartialReport,
    Report,
    SeveralReports,
    Assembly,
    Baseline,
    Comparison,
    Explanation,
    Rules,
    Inspection,
    Sarif,
}

/// Kinds with their keys and their names. The first one with all its keys counts: a report has instances, too.
const KINDS: [(DocumentKind, &[&str], &str); 10] = [
    (DocumentKind::PartialReport, &["partial", "shard"], "a partial report of one shard"),
    (DocumentKind::Report, &["tool", "pairs"], "a report of `interfere check`"),
    (DocumentKind::SeveralReports, &["verdict", "assemblies"], "a report of several assemblies"),
    (DocumentKind::Assembly, &["instances"], "an assembly file"),
    (DocumentKind::Baseline, &["accepted"], "a baseline"),
    (DocumentKind::Comparison, &["old", "new", "summary"], "a comparison of two reports"),
    (DocumentKind::Explanation, &["steps", "why"], "an explanation of one pair"),
    (DocumentKind::Rules, &["rules", "left_out"], "a list of proposed rules"),
    (DocumentKind::Inspection, &["meshes"], "an inspection of mesh files"),
    (DocumentKind::Sarif, &["runs"], "a SARIF log"),
];

impl DocumentKind {
    /// Kind of a document; `has` tells if its outermost object has a key. `None` for another document.
    pub(crate) fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        KINDS.iter().find(|(_, keys, _)| keys.iter().all(|key| has(key))).map(|(kind, ..)| *kind)
    }

    /// Name with an article.
    pub(crate) fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., name)| name)
    }
}
