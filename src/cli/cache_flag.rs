//! Selects and opens the cache folder of a run: by `--cache`, by the variable `INTERFERE_CACHE`, or the user's.

use crate::check::cache::store::{Cache, FsStore};
use crate::check::{Measure, Options};
use crate::cli::console::Terminal;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest size of the user's cache folder (bytes).
const USER_LIMIT: u64 = 512 * 1024 * 1024;

/// A cache folder and its largest size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFolder {
    /// The folder.
    pub path: PathBuf,
    /// Largest size of all entries together (bytes); `None` without a limit.
    pub limit: Option<u64>,
}

impl CacheFolder {
    /// Folder named by the user, without a limit.
    pub(crate) fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), limit: None }
    }
}

/// Facts about the process that select the cache folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CacheEnvironment {
    /// Value of `INTERFERE_CACHE`: a folder, or `off`; `None` if it is missing or empty.
    pub variable: Option<OsString>,
    /// True if `CI` is set to a text.
    pub ci: bool,
    /// True if stdout or stderr is a terminal.
    pub terminal: bool,
    /// The user's cache folder for this program.
    pub user: Option<PathBuf>,
}

impl CacheEnvironment {
    /// Reads the environment of this process.
    pub(crate) fn detect(terminal: Terminal) -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        Self {
            variable: variable("INTERFERE_CACHE"),
            ci: variable("CI").is_some(),
            terminal: terminal.stdout || terminal.stderr,
            user: user_folder(std::env::consts::OS, variable),
        }
    }

    /// Cache folder of a check: `named` by `--cache`; none with `off`, the flag `--no-cache`; in CI, none. Else that of
    /// the variable; else, on a terminal and unless the run measures nothing, the user's.
    pub(crate) fn folder(&self, named: Option<&Path>, off: bool, measure: Measure) -> Option<CacheFolder> {
        if named.is_some() || off || self.ci {
            return named.map(CacheFolder::named);
        }
        match &self.variable {
            Some(word) if word == "off" => None,
            Some(folder) => Some(CacheFolder::named(folder)),
            None => {
                let user = self.user.as_ref().filter(|_| self.terminal && measure != Measure::None)?;
                Some(CacheFolder { path: user.clone(), limit: Some(USER_LIMIT) })
            }
        }
    }
}

/// The user's cache folder for this program on an operating system; `None` if the variables name none.
fn user_folder(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from);
    let caches = match system {
        "windows" => folder("LOCALAPPDATA")?,
        "macos" => folder("HOME")?.join("Library").join("Caches"),
        // The XDG Base Directory Specification demands an absolute path, and to ignore others.
        _ => match folder("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
            Some(caches) => caches,
            None => folder("HOME")?.join(".cache"),
        },
    };
    caches.is_absolute().then(|| caches.join(OsStr::new("interfere")))
}

/// Opens the cache folder of a run. Sweep the returned store after the run.
pub(crate) fn open_cache(folder: Option<&CacheFolder>, options: &mut Options) -> Option<Arc<FsStore>> {
    let store = folder.map(|folder| Arc::new(FsStore::with_limit(&folder.path, folder.limit)));
    options.cache = store.clone().map(|store| Cache::new(store));
    store
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_terminal() -> CacheEnvironment {
        CacheEnvironment { terminal: true, user: Some("/home/u/.cache/interfere".into()), ..Default::default() }
    }

    #[test]
    fn user_folder_is_used_on_a_terminal_outside_of_ci() {
        let user = CacheFolder { path: "/home/u/.cache/interfere".into(), limit: Some(USER_LIMIT) };
        let of = |environment: CacheEnvironment| environment.folder(None, false, Measure::All);
        assert_eq!(of(at_terminal()), Some(user));
        assert_eq!(of(CacheEnvironment { ci: true, ..at_terminal() }), None);
        assert_eq!(of(CacheEnvironment { terminal: false, ..at_terminal() }), None);
        assert_eq!(of(CacheEnvironment { user: None, ..at_terminal() }), None);
        assert_eq!(at_terminal().folder(None, true, Measure::All), None);
        assert_eq!(at_terminal().folder(None, false, Measure::None), None);
    }

    #[test]
    fn flag_precedes_variable_and_variable_precedes_terminal() {
        let with = |word: &str| CacheEnvironment { variable: Some(word.into()), ..at_terminal() };
        let mine = Some(CacheFolder::named("mine"));
        assert_eq!(with("off").folder(Some(Path::new("mine")), false, Measure::All), mine);
        assert_eq!(with("off").folder(None, false, Measure::All), None);
        assert_eq!(with("mine").folder(None, false, Measure::All), mine);
        assert_eq!(CacheEnvironment { terminal: false, ..with("mine") }.folder(None, false, Measure::None), mine);
        assert_eq!(with("mine").folder(None, true, Measure::All), None);
        let ci = CacheEnvironment { ci: true, ..with("other") };
        assert_eq!(ci.folder(None, false, Measure::All), None);
        assert_eq!(ci.folder(Some(Path::new("mine")), false, Measure::All), mine);
    }

    #[cfg(unix)]
    #[test]
    fn user_folder_is_that_of_the_platform() {
        let given = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        };
        let home = given(&[("HOME", "/home/u")]);
        assert_eq!(user_folder("linux", home), Some("/home/u/.cache/interfere".into()));
        assert_eq!(user_folder("macos", home), Some("/home/u/Library/Caches/interfere".into()));
        assert_eq!(user_folder("windows", home), None);
        assert_eq!(user_folder("windows", given(&[("LOCALAPPDATA", "/l")])), Some("/l/interfere".into()));
        let both = given(&[("HOME", "/home/u"), ("XDG_CACHE_HOME", "/x")]);
        assert_eq!(user_folder("linux", both), Some("/x/interfere".into()));
        let relative = given(&[("HOME", "/home/u"), ("XDG_CACHE_HOME", "x")]);
        assert_eq!(user_folder("linux", relative), Some("/home/u/.cache/interfere".into()));
        assert_eq!(user_folder("linux", given(&[])), None);
    }
}
