//! Resolves the pairs that a user names: `A B`, `A,B`, the pair's id, or a row of a report as `#3` or `#3.2`.

use crate::assembly::Assembly;
use crate::check::pair_id;
use crate::cli::baseline_flags::slashes;
use crate::cli::flags::INPUT;
use crate::error::{Error, Location, Problem};
use crate::findings::{Report, RowNumber};
use crate::io::Loader;
use crate::json::wording::nearest;
use clap::Args as ClapArgs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Largest number of pairs searched for an id: about ten seconds of hashing.
const MAX_SEARCHED: usize = 50_000_000;

const SPELLINGS: &str =
    "name a pair as `A B`, as `A,B`, by its id (12 hexadecimal digits), or as `#3` with --report FILE.json";

/// The arguments that name one pair.
#[derive(Debug, Clone, PartialEq, Eq, ClapArgs)]
pub struct PairArgs {
    /// The pair: A B, A,B, its id, or '#3' of --report.
    ///
    /// Names the pair by the full ids of its two instances, by its id in the reports, or by its row in --report.
    #[arg(value_name = "PAIR", required = true, num_args = 1..=2)]
    pub pair: Vec<String>,

    /// JSON report of `check` for rows like '#3'.
    #[arg(long, value_name = "FILE.json", help_heading = INPUT)]
    pub report: Option<PathBuf>,
}

impl PairArgs {
    /// Ids of the pair in an assembly.
    ///
    /// # Errors
    /// Refuses an unreadable report, and words that name no pair or several.
    pub(crate) fn ids(&self, assembly: &Assembly, loader: &dyn Loader) -> Result<[String; 2], Error> {
        let report = self.report.as_deref().map(|path| read_report(path, loader)).transpose()?;
        let ids = assembly.instances.iter().map(|i| i.id.as_str());
        PairNames::new(ids, report.as_ref(), &assembly.path).one(&self.pair)
    }
}

/// Pairs of an assembly, to be named.
pub(crate) struct PairNames<'a> {
    ids: BTreeSet<&'a str>,
    report: Option<&'a Report>,
    /// Assembly file, for messages.
    assembly: &'a str,
}

impl<'a> PairNames<'a> {
    /// Pairs of these instance ids; `report` numbers its rows.
    pub(crate) fn new(ids: impl IntoIterator<Item = &'a str>, report: Option<&'a Report>, assembly: &'a str) -> Self {
        Self { ids: ids.into_iter().collect(), report, assembly }
    }

    /// Ids of the one pair that one or two words name. Two words are two ids; the caller checks them.
    ///
    /// # Errors
    /// Refuses a word that names no pair or several, and a missing row.
    pub(crate) fn one(&self, words: &[String]) -> Result<[String; 2], Error> {
        match words {
            [a, b] => Ok([a.clone(), b.clone()]),
            [word] => self.of_word(word),
            _ => Err(self.refuse(format!("{} words name no pair", words.len()), SPELLINGS)),
        }
    }

    fn of_word(&self, word: &str) -> Result<[String; 2], Error> {
        if let Some(number) = RowNumber::read(word) {
            // The first pair of a row is its worst one.
            let pairs = self.of_row(word, number)?;
            return pairs.into_iter().next().ok_or_else(|| self.refuse(format!("`{word}` has no pair"), SPELLINGS));
        }
        let mut pairs: Vec<[String; 2]> = self.splits(word).into_iter().map(|p| p.map(str::to_owned)).collect();
        pairs.extend(self.of_id(word)?);
        match pairs.len() {
            1 => Ok(pairs.swap_remove(0)),
            0 => match word.split_once(',') {
                // The caller names the unknown id.
                Some((a, b)) if !a.is_empty() && !b.is_empty() => Ok([a.to_owned(), b.to_owned()]),
                _ => Err(self.refuse(format!("`{word}` names no pair"), SPELLINGS)),
            },
            _ => {
                let ids: Vec<String> = pairs.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect();
                Err(self
                    .refuse(format!("`{word}` names several pairs: {}", ids.join("; ")), "write the ids as two words"))
            }
        }
    }

    /// One name for each pair that the words name, as `A,B` or as an id. A word that is the id of an instance takes the
    /// next word as the other one. Leaves all other words as they are.
    ///
    /// # Errors
    /// Refuses an instance without a second one, and a missing row.
    pub(crate) fn all(&self, words: &[String]) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if let Some(number) = RowNumber::read(word) {
                names.extend(self.of_row(word, number)?.iter().map(name_of));
            } else if self.ids.contains(word.as_str()) && self.splits(word).is_empty() {
                let other = rest.next().ok_or_else(|| {
                    self.refuse(format!("`{word}` is one instance"), "name the other instance of the pair after it")
                })?;
                if !self.ids.contains(other.as_str()) {
                    return Err(self.unknown(other));
                }
                names.push(name_of(&[word.clone(), other.clone()]));
            } else {
                names.push(word.clone());
            }
        }
        Ok(names)
    }

    /// Pairs of known ids whose names, joined by a comma, are the word.
    fn splits<'w>(&self, word: &'w str) -> Vec<[&'w str; 2]> {
        let pairs = word.match_indices(',').map(|(at, _)| [&word[..at], &word[at + 1..]]);
        pairs.filter(|pair| pair.iter().all(|id| self.ids.contains(id))).collect()
    }

    /// Pair with an id; searches all pairs.
    fn of_id(&self, word: &str) -> Result<Option<[String; 2]>, Error> {
        if word.len() != 12 || !word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return Ok(None);
        }
        if let Some([a, b]) = self.report.and_then(|r| r.pair_of_id(word)) {
            return Ok(Some([a.to_owned(), b.to_owned()]));
        }
        let n = self.ids.len();
        if n * n.saturating_sub(1) / 2 > MAX_SEARCHED {
            let fix = "add --report FILE.json, a report that lists the pair, or name the two instances";
            return Err(self.refuse(format!("{n} instances have too many pairs to search for the id `{word}`"), fix));
        }
        let mut firsts = self.ids.iter();
        while let Some(a) = firsts.next() {
            if let Some(b) = firsts.clone().find(|b| pair_id(a, b) == word) {
                return Ok(Some([(*a).to_owned(), (*b).to_owned()]));
            }
        }
        Ok(None)
    }

    /// Pairs of a row of the report, worst first.
    fn of_row(&self, word: &str, number: RowNumber) -> Result<Vec<[String; 2]>, Error> {
        let Some(report) = self.report else {
            let what = format!("`{word}` is a row of a report, and no report is named");
            return Err(self.refuse(what, "add --report FILE.json, written by `interfere check --format json`"));
        };
        self.check_assembly(report)?;
        let pairs: Vec<_> = report.pairs_of_row(number).into_iter().map(|pair| pair.map(str::to_owned)).collect();
        if pairs.is_empty() {
            let fix = match (report.rows(), report.motion.failing_run()) {
                (0, Some(run)) => format!(
                    "its findings are in poses and sweeps: name the two instances; `explain` also needs the run, as in --run {run}"
                ),
                (0, None) => "write the report again with this release, and see that it has findings".to_owned(),
                (n, _) => format!("its rows are #1 to #{n}, as in the table"),
            };
            return Err(Error::one(Location::file(&report.file), format!("no row `{word}`"), fix));
        }
        Ok(pairs)
    }

    /// Refuses a report of another assembly: its rows are other pairs.
    fn check_assembly(&self, report: &Report) -> Result<(), Error> {
        let refused = |what: String| {
            let fix = format!("name a report of {}, written by `interfere check --format json`", self.assembly);
            Err(Error::one(Location::file(&report.file), what, fix))
        };
        // Its path may stand for no file here: a report of another machine or folder.
        let file = |path: &str| Path::new(path).canonicalize().ok();
        if let (Some(of_report), Some(own)) = (file(&report.path), file(self.assembly))
            && of_report.is_file()
            && own.is_file()
            && of_report != own
        {
            return refused(format!("a report of another assembly, {}", report.path));
        }
        match report.ids().find(|id| !self.ids.contains(id)) {
            Some(id) => refused(format!("a report with the instance `{id}`, which {} has not", self.assembly)),
            None => Ok(()),
        }
    }

    fn unknown(&self, id: &str) -> Error {
        let fix =
            nearest(id, self.ids.iter().copied()).map_or(SPELLINGS.to_owned(), |n| format!("did you mean `{n}`?"));
        self.refuse(format!("no instance has the id `{id}`"), &fix)
    }

    fn refuse(&self, what: String, fix: &str) -> Error {
        Error { problems: vec![Problem::new(Location::file(self.assembly), what, fix)] }
    }
}

/// Name of a pair: its ids, or its hash if a comma in an id would split it elsewhere.
fn name_of([a, b]: &[String; 2]) -> String {
    if a.contains(',') || b.contains(',') { pair_id(a, b) } else { format!("{a},{b}") }
}

/// Reads a JSON report of `check`.
///
/// # Errors
/// Refuses an unreadable file, and a file other than a report.
pub(crate) fn read_report(path: &Path, loader: &dyn Loader) -> Result<Report, Error> {
    read_report_bytes(path, loader).map(|(report, _)| report)
}

/// Reads a JSON report of `check`; also returns its bytes.
///
/// # Errors
/// Returns the errors of [`read_report`].
pub(crate) fn read_report_bytes(path: &Path, loader: &dyn Loader) -> Result<(Report, Vec<u8>), Error> {
    let shown = slashes(path);
    let bytes = loader
        .read(path)
        .map_err(|e| Error::one(Location::file(&shown), format!("cannot read the file: {e}"), "check the path"))?;
    Ok((Report::read(&shown, &bytes)?, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Judged;
    use crate::testkit::sample_outcome;

    const IDS: [&str; 5] = ["drive/shaft", "bolt:1", "a", "b,c", "a,b"];

    fn report() -> Report {
        let mut bytes = Vec::new();
        crate::report::json::render(&Judged::from(sample_outcome::grouped()), &mut bytes).unwrap();
        Report::read("r.json", &bytes).unwrap()
    }

    fn one(words: &[&str]) -> Result<[String; 2], String> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let report = report();
        let ids = IDS.into_iter().chain(["c"]).chain(report.ids());
        PairNames::new(ids, Some(&report), "x.json").one(&words).map_err(|e| e.to_string())
    }

    fn all(words: &[&str], report: Option<&Report>) -> Result<Vec<String>, String> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let ids = IDS.into_iter().chain(report.into_iter().flat_map(Report::ids));
        PairNames::new(ids, report, "x.json").all(&words).map_err(|e| e.to_string())
    }

    fn pair(a: &str, b: &str) -> [String; 2] {
        [a, b].map(str::to_owned)
    }

    #[test]
    fn every_spelling_names_the_same_pair() {
        let id = pair_id("drive/shaft", "bolt:1");
        assert_eq!(one(&["drive/shaft", "bolt:1"]).unwrap(), pair("drive/shaft", "bolt:1"));
        assert_eq!(one(&["drive/shaft,bolt:1"]).unwrap(), pair("drive/shaft", "bolt:1"));
        assert_eq!(one(&[&id]).unwrap(), pair("bolt:1", "drive/shaft"));
        assert_eq!(one(&["#1"]).unwrap(), pair("plate", "rib-4"));
        assert_eq!(one(&["#1.2"]).unwrap(), pair("plate", "rib-3"));
        assert_eq!(one(&["#3"]).unwrap(), pair("bolt-0", "rib-0"));
        // The caller names the unknown id.
        assert_eq!(one(&["drive/shaft,bolt:2"]).unwrap(), pair("drive/shaft", "bolt:2"));
    }

    #[test]
    fn ambiguous_and_unknown_names_have_a_fix() {
        assert_eq!(
            one(&["a,b,c"]).unwrap_err(),
            "x.json: `a,b,c` names several pairs: `a` and `b,c`; `a,b` and `c`; write the ids as two words"
        );
        assert!(one(&["shaft"]).unwrap_err().starts_with("x.json: `shaft` names no pair; name a pair as `A B`"));
        assert!(one(&["0123456789ab"]).unwrap_err().contains("names no pair"));
        assert_eq!(one(&["#9"]).unwrap_err(), "r.json: no row `#9`; its rows are #1 to #3, as in the table");
        assert!(all(&["#1"], None).unwrap_err().contains("add --report FILE.json"));
        assert_eq!(
            all(&["a"], None).unwrap_err(),
            "x.json: `a` is one instance; name the other instance of the pair after it"
        );
        assert_eq!(
            all(&["a", "bolt:2"], None).unwrap_err(),
            "x.json: no instance has the id `bolt:2`; did you mean `bolt:1`?"
        );
    }

    #[test]
    fn words_form_pairs() {
        let names = |words: &[&str]| all(words, None).unwrap();
        assert_eq!(names(&["drive/shaft,bolt:1", "a", "bolt:1"]), ["drive/shaft,bolt:1", "a,bolt:1"]);
        assert_eq!(names(&["a", "b,c"]), [pair_id("a", "b,c")]);
        assert_eq!(names(&["0123456789ab"]), ["0123456789ab"]);
        let report = report();
        let rows = all(&["#1", "#3"], Some(&report)).unwrap();
        assert_eq!((rows.len(), rows[0].as_str(), rows[6].as_str()), (7, "plate,rib-4", "bolt-0,rib-0"));
    }
}
