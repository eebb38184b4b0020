//! The runs of a check, chosen by globs.

use crate::assembly::motion::{Motion, NamedRun};
use crate::assembly::rules::glob::Glob;
use crate::error::{Error, Location, Problem};
use crate::json::wording::{join_or, nearest, quoted};
use crate::motion::AS_DRAWN;

/// Runs of a check.
#[derive(Debug)]
pub struct ChosenRuns<'a> {
    /// True if the drawing is one of them.
    pub drawing: bool,
    /// Poses and sweeps, in the order of the file.
    pub runs: Vec<&'a NamedRun>,
    /// Names of the other runs.
    pub left_out: Vec<String>,
}

impl Motion {
    /// Chooses the runs with a name that one of the globs matches; all runs without a glob.
    ///
    /// # Errors
    /// Refuses an invalid glob and a glob without a run, all at once.
    pub fn choose(&self, globs: &[String]) -> Result<ChosenRuns<'_>, Error> {
        let names: Vec<&str> = std::iter::once(AS_DRAWN).chain(self.runs.iter().map(|run| run.name.as_str())).collect();
        let mut compiled = Vec::new();
        let mut problems = Vec::new();
        for text in globs {
            let (what, fix) = match Glob::new(text) {
                Ok(glob) if names.iter().any(|name| glob.matches(name)) => {
                    compiled.push(glob);
                    continue;
                }
                Ok(_) => {
                    let near =
                        nearest(text, names.iter().copied()).map(|near| format!("did you mean {}?", quoted(near)));
                    let known = || format!("known runs: {}", join_or(&names));
                    (format!("--run {} matches no run", quoted(text)), near.unwrap_or_else(known))
                }
                Err(why) => (format!("--run {} is not a glob", quoted(text)), why),
            };
            problems.push(Problem::new(Location::default(), what, fix));
        }
        if !problems.is_empty() {
            return Err(Error { problems });
        }
        let is_chosen = |name: &str| globs.is_empty() || compiled.iter().any(|glob| glob.matches(name));
        Ok(ChosenRuns {
            drawing: is_chosen(AS_DRAWN),
            runs: self.runs.iter().filter(|run| is_chosen(&run.name)).collect(),
            left_out: names.iter().filter(|name| !is_chosen(name)).map(|name| (*name).to_owned()).collect(),
        })
    }
}
