//! Shows the progress on stderr in words, for work longer than half a second.

use crate::check::{Measure, Progress, Stage};
use crate::cli::console::Terminal;
use crate::cli::flags::ColorChoice;
use crate::cli::pair_watch::{PairTime, PairWatch, hint};
use crate::report::text::{Paint, painted, shown};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::ffi::OsStr;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Time before the line appears.
const DELAY: Duration = Duration::from_millis(500);

/// Time of a stage before its rate and its remaining time appear: a rate of fewer steps is a guess.
const SETTLED: Duration = Duration::from_secs(1);

/// Time of a pair before the line names it.
const LONG_PAIR: Duration = Duration::from_secs(2);

/// Time of a run before its hint.
const HINT_AFTER: Duration = Duration::from_secs(10);

/// Hint of a long run, printed once while it checks pairs.
pub(crate) struct Hint {
    measure: Measure,
    /// Beginning of the hint, coloured if wanted.
    prefix: String,
    /// Prints a line, such as the hint.
    print: Box<dyn Fn(&str) + Send + Sync>,
    said: AtomicBool,
}

impl Hint {
    /// Hint of a run on a terminal or in CI; `None` elsewhere, and with `quiet`. `ci` is the value of the variable
    /// `CI`.
    pub(crate) fn of_check(
        measure: Measure,
        quiet: bool,
        color: ColorChoice,
        terminal: Terminal,
        ci: Option<&OsStr>,
    ) -> Option<Self> {
        let is_read = terminal.stderr || ci.is_some_and(|v| !v.is_empty());
        let print = Box::new(|line: &str| {
            use std::io::Write as _;
            // Ignores a closed stderr.
            let _ = std::io::stderr().write_all(line.as_bytes());
        });
        let prefix = painted("note:", Paint::Bold, terminal.paints(color, terminal.stderr));
        (is_read && !quiet).then(|| Self { measure, prefix, print, said: AtomicBool::new(false) })
    }
}

/// State of the line, shared with the thread that refreshes it.
struct State {
    line: ProgressBar,
    /// True for a line that may show: another one has no words.
    wanted: bool,
    started: Instant,
    shown: AtomicBool,
    /// Beginning of the line: the assembly of a run over several.
    label: String,
    pairs: Arc<PairWatch>,
    /// True while the run checks pairs.
    checks_pairs: AtomicBool,
    hint: Option<Hint>,
}

impl State {
    /// Words the line for a stage of some steps.
    fn describe(&self, stage: Stage, total: u64) {
        let (work, noun) = words(stage);
        let now = Instant::now();
        let checks_pairs = stage == Stage::Narrow;
        let template = if noun.is_empty() { "{msg}" } else { "{msg} [{bar:20}] {counted}{longest}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let tell = move |state: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&counted(state.pos(), state.len().unwrap_or(0), noun, now.elapsed()));
            };
            let watch = self.pairs.clone();
            let name = move |_: &ProgressState, out: &mut dyn Write| {
                let pair = if checks_pairs { watch.longest() } else { None };
                let _ = out.write_str(&longest(pair));
            };
            self.line.set_style(style.progress_chars("=> ").with_key("counted", tell).with_key("longest", name));
        }
        self.line.set_message(format!("{}{work}", self.label));
        self.line.set_length(total);
        self.line.set_position(0);
    }

    fn show_when_due(&self) {
        if !self.shown.load(Ordering::Relaxed)
            && self.started.elapsed() >= DELAY
            && !self.shown.swap(true, Ordering::Relaxed)
        {
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Prints the hint if it is due, once.
    fn say_hint_when_due(&self) {
        let elapsed = self.started.elapsed();
        let Some(told) = self.hint.as_ref().filter(|_| elapsed >= HINT_AFTER) else { return };
        if !self.checks_pairs.load(Ordering::Relaxed) || told.said.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(text) = hint(elapsed, &self.pairs.slowest(), told.measure) {
            self.line.suspend(|| (told.print)(&format!("{} {text}\n", told.prefix)));
        }
    }

    fn refresh(&self) {
        self.show_when_due();
        self.say_hint_when_due();
        self.line.tick();
    }
}

/// Thread that refreshes a line until its sender is gone.
struct Refresher {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// One line for all stages; disappears when dropped.
pub struct Bar {
    state: Arc<State>,
    refresher: Mutex<Option<Refresher>>,
}

impl Bar {
    /// Creates a line on stderr, shown after `DELAY`, or never if `wanted` is false.
    pub fn new(wanted: bool) -> Self {
        Self::with_label(wanted, "")
    }

    /// Creates a line that begins with the name of an assembly.
    pub fn with_label(wanted: bool, label: &str) -> Self {
        Self::with_hint(wanted, label, None)
    }

    /// Creates a line with a label and a hint.
    pub(crate) fn with_hint(wanted: bool, label: &str, hint: Option<Hint>) -> Self {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
        // An unwanted line counts as already shown.
        let shown = AtomicBool::new(!wanted);
        let pairs = Arc::default();
        let checks_pairs = AtomicBool::new(false);
        let state = State { line, wanted, started: Instant::now(), shown, label, pairs, checks_pairs, hint };
        Self { state: Arc::new(state), refresher: Mutex::new(None) }
    }

    /// Starts the thread that refreshes the line while a long pair keeps every worker.
    fn refresh_from_now_on(&self) {
        let mut refresher = self.refresher.lock().unwrap_or_else(PoisonError::into_inner);
        if refresher.is_some() {
            return;
        }
        let (stop, stopped) = channel();
        let state = self.state.clone();
        let work = move || {
            while stopped.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                state.refresh();
            }
        };
        // Without a thread, the line changes with each finished step only.
        let thread = Builder::new().name("progress".to_owned()).spawn(work).ok();
        *refresher = Some(Refresher { stop: Some(stop), thread });
    }
}

/// Work of a stage, and the noun of its steps; no noun for a stage of one step.
fn words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Load => ("reading meshes", "mesh files"),
        Stage::Shape => ("preparing shapes", "shapes"),
        Stage::Broad => ("comparing boxes", ""),
        Stage::Narrow => ("checking pairs", "unique pairs"),
        Stage::Runs => ("checking runs", "pairs"),
        Stage::Scene => ("placing shapes", ""),
        Stage::Draw => ("drawing", "pictures"),
        Stage::Page => ("making the page", "findings"),
        Stage::Report => ("writing reports", ""),
    }
}

/// Describes the count of a stage: `690 of 810 unique pairs remain, 45 per second, 15 s left`.
fn counted(done: u64, total: u64, noun: &str, elapsed: Duration) -> String {
    let remain = total.saturating_sub(done);
    let mut text = format!("{remain} of {total} {noun} remain");
    if elapsed >= SETTLED && done > 0 {
        let rate = done as f64 / elapsed.as_secs_f64();
        let left = remain as f64 / rate;
        // Writing to a String cannot fail.
        let _ = match rate {
            rate if rate >= 10.0 => write!(text, ", {rate:.0} per second"),
            rate if rate >= 1.0 => write!(text, ", {rate:.1} per second"),
            rate => write!(text, ", {:.1} per minute", 60.0 * rate),
        };
        let _ = match left {
            left if left < 120.0 => write!(text, ", {left:.0} s left"),
            left if left < 7200.0 => write!(text, ", {:.0} min left", left / 60.0),
            left => write!(text, ", {:.1} h left", left / 3600.0),
        };
    }
    text
}

/// Names a pair that has been under way for long: `, longest: motor and housing, 12 s`.
fn longest(pair: Option<PairTime>) -> String {
    pair.filter(|p| p.time >= LONG_PAIR).map_or_else(String::new, |p| {
        let [a, b] = [0, 1].map(|k| shown(&p.ids[k]));
        format!(", longest: {a} and {b}, {} s", p.time.as_secs())
    })
}

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        let checks_pairs = stage == Stage::Narrow;
        if self.state.wanted {
            self.state.describe(stage, total);
        }
        self.state.show_when_due();
        self.state.checks_pairs.store(checks_pairs, Ordering::Relaxed);
        if checks_pairs && self.follows_pairs() {
            self.state.pairs.start();
            self.refresh_from_now_on();
        }
    }

    fn advance(&self, steps: u64) {
        if self.state.wanted {
            self.state.line.inc(steps);
            self.state.show_when_due();
        }
    }

    fn follows_pairs(&self) -> bool {
        self.state.hint.is_some() || !self.state.line.is_hidden() || !self.state.shown.load(Ordering::Relaxed)
    }

    fn begin_pair(&self, worker: usize, ids: [&str; 2]) {
        self.state.pairs.begin(worker, ids);
    }

    fn end_pair(&self, worker: usize) {
        self.state.pairs.end(worker);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let refresher = self.refresher.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Refresher { stop, thread }) = refresher {
            drop(stop);
            // A thread that panicked has nothing to say.
            let _ = thread.map(JoinHandle::join);
        }
        self.state.line.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unwanted_line_never_shows_and_has_no_words() {
        let bar = early(None);
        bar.begin(Stage::Narrow, 10);
        bar.advance(3);
        assert!(bar.state.line.is_hidden() && !bar.follows_pairs());
        assert!(bar.state.line.message().is_empty());
    }

    /// Hidden line of a run that began before the hint is due.
    fn early(hint: Option<Hint>) -> Bar {
        let mut bar = Bar::with_hint(false, "", hint);
        let state = Arc::get_mut(&mut bar.state).expect("no thread yet");
        state.started = state.started.checked_sub(2 * HINT_AFTER).expect("a clock past some seconds");
        bar
    }

    #[test]
    fn hint_comes_once_and_only_while_pairs_are_checked() {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = lines.clone();
        let print = Box::new(move |line: &str| kept.lock().unwrap().push(line.to_owned()));
        let told = Hint { measure: Measure::All, prefix: "note:".to_owned(), print, said: AtomicBool::new(false) };
        let bar = early(Some(told));
        bar.begin(Stage::Load, 1);
        bar.state.refresh();
        assert_eq!(lines.lock().unwrap().len(), 0, "no pair is under way");
        bar.begin(Stage::Narrow, 10);
        bar.begin_pair(0, ["motor", "housing"]);
        bar.state.refresh();
        bar.state.refresh();
        drop(bar);
        let lines = lines.lock().unwrap();
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("note: 20 s: slowest pairs so far: motor and housing (0.0 s, under way); --measure ")
        );
    }

    #[test]
    fn hint_is_for_a_terminal_or_ci_and_not_for_quiet() {
        let terminal = Terminal { stderr: true, ..Terminal::default() };
        let given = |quiet, terminal, ci: Option<&str>| {
            Hint::of_check(Measure::All, quiet, ColorChoice::Never, terminal, ci.map(OsStr::new)).is_some()
        };
        assert!(given(false, terminal, None) && given(false, Terminal::default(), Some("true")));
        assert!(!given(true, terminal, Some("true")));
        assert!(!given(false, Terminal::default(), None) && !given(false, Terminal::default(), Some("")));
    }

    #[test]
    fn line_names_a_pair_after_two_seconds() {
        let pair = |seconds| {
            let time = Duration::from_secs(seconds);
            Some(PairTime { ids: ["motor".to_owned(), "a\nb".to_owned()], time, runs: true })
        };
        assert_eq!(longest(pair(1)), "");
        assert_eq!(longest(pair(12)), ", longest: motor and a\\nb, 12 s");
        assert_eq!(longest(None), "");
    }

    #[test]
    fn a_short_run_shows_none() {
        let bar = Bar::with_label(true, "a.json");
        bar.begin(Stage::Load, 1);
        assert!(!bar.state.shown.load(Ordering::Relaxed));
        assert_eq!(bar.state.line.message(), "a.json: reading meshes");
    }

    #[test]
    fn count_has_rate_and_remaining_time_after_a_second() {
        let at = |done, seconds| counted(done, 810, "unique pairs", Duration::from_secs_f64(seconds));
        assert_eq!(at(40, 0.9), "770 of 810 unique pairs remain");
        assert_eq!(at(0, 9.0), "810 of 810 unique pairs remain");
        assert_eq!(at(90, 2.0), "720 of 810 unique pairs remain, 45 per second, 16 s left");
        assert_eq!(at(10, 4.0), "800 of 810 unique pairs remain, 2.5 per second, 5 min left");
        assert_eq!(at(1, 60.0), "809 of 810 unique pairs remain, 1.0 per minute, 13.5 h left");
        assert_eq!(at(810, 9.0), "0 of 810 unique pairs remain, 90 per second, 0 s left");
    }
}
