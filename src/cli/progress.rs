//! Shows the progress on stderr in words, for work longer than half a second.

use crate::check::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time before the line appears.
const DELAY: Duration = Duration::from_millis(500);

/// Time of a stage before its rate and its remaining time appear: a rate of fewer steps is a guess.
const SETTLED: Duration = Duration::from_secs(1);

/// One line for all stages; disappears when dropped.
pub struct Bar {
    line: ProgressBar,
    started: Instant,
    shown: AtomicBool,
    /// Beginning of the line: the assembly of a run over several.
    label: String,
}

impl Bar {
    /// Creates a line on stderr, shown after `DELAY`, or never if `wanted` is false.
    pub fn new(wanted: bool) -> Self {
        Self::with_label(wanted, "")
    }

    /// Creates a line that begins with the name of an assembly.
    pub fn with_label(wanted: bool, label: &str) -> Self {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
        // An unwanted line counts as already shown.
        Self { line, started: Instant::now(), shown: AtomicBool::new(!wanted), label }
    }

    fn show_when_due(&self) {
        if !self.shown.load(Ordering::Relaxed)
            && self.started.elapsed() >= DELAY
            && !self.shown.swap(true, Ordering::Relaxed)
        {
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// Work of a stage, and the noun of its steps; no noun for a stage of one step.
fn words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Load => ("reading meshes", "mesh files"),
        Stage::Shape => ("preparing shapes", "shapes"),
        Stage::Broad => ("comparing boxes", ""),
        Stage::Narrow => ("checking pairs", "unique pairs"),
        Stage::Scene => ("placing shapes", ""),
        Stage::Draw => ("drawing", "pictures"),
        Stage::Page => ("making the page", "findings"),
        Stage::Report => ("writing reports", ""),
    }
}

/// Describes the count of a stage: `120 of 810 unique pairs, 45 per second, 15 s left`.
fn counted(done: u64, total: u64, noun: &str, elapsed: Duration) -> String {
    let mut text = format!("{done} of {total} {noun}");
    if elapsed >= SETTLED && done > 0 {
        let rate = done as f64 / elapsed.as_secs_f64();
        let left = total.saturating_sub(done) as f64 / rate;
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

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        let (work, noun) = words(stage);
        let now = Instant::now();
        let template = if noun.is_empty() { "{msg}" } else { "{msg} [{bar:20}] {counted}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let tell = move |state: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&counted(state.pos(), state.len().unwrap_or(0), noun, now.elapsed()));
            };
            self.line.set_style(style.progress_chars("=> ").with_key("counted", tell));
        }
        self.line.set_message(format!("{}{work}", self.label));
        self.line.set_length(total);
        self.line.set_position(0);
        self.show_when_due();
    }

    fn advance(&self, steps: u64) {
        self.line.inc(steps);
        self.show_when_due();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unwanted_line_never_shows() {
        let mut bar = Bar::new(false);
        bar.started = bar.started.checked_sub(2 * DELAY).expect("a clock past one second");
        bar.begin(Stage::Narrow, 10);
        bar.advance(3);
        assert!(bar.line.is_hidden());
        assert_eq!(bar.line.position(), 3);
    }

    #[test]
    fn a_short_run_shows_none() {
        let bar = Bar::with_label(true, "a.json");
        bar.begin(Stage::Load, 1);
        assert!(!bar.shown.load(Ordering::Relaxed));
        assert_eq!(bar.line.message(), "a.json: reading meshes");
    }

    #[test]
    fn count_has_rate_and_remaining_time_after_a_second() {
        let at = |done, seconds| counted(done, 810, "unique pairs", Duration::from_secs_f64(seconds));
        assert_eq!(at(40, 0.9), "40 of 810 unique pairs");
        assert_eq!(at(0, 9.0), "0 of 810 unique pairs");
        assert_eq!(at(90, 2.0), "90 of 810 unique pairs, 45 per second, 16 s left");
        assert_eq!(at(10, 4.0), "10 of 810 unique pairs, 2.5 per second, 5 min left");
        assert_eq!(at(1, 60.0), "1 of 810 unique pairs, 1.0 per minute, 13.5 h left");
        assert_eq!(at(810, 9.0), "810 of 810 unique pairs, 90 per second, 0 s left");
    }
}
