//! Shows a progress bar on stderr, for work longer than half a second.

use crate::check::{Progress, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time before the bar appears.
const DELAY: Duration = Duration::from_millis(500);

/// One bar for all stages; disappears when dropped.
pub struct Bar {
    line: ProgressBar,
    started: Instant,
    shown: AtomicBool,
}

impl Bar {
    /// Creates a bar on stderr, shown after `DELAY`, or never if `wanted` is false.
    pub fn new(wanted: bool) -> Self {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg:>6} [{bar:30}] {human_pos}/{human_len}") {
            line.set_style(style.progress_chars("=> "));
        }
        // An unwanted bar counts as already shown.
        Self { line, started: Instant::now(), shown: AtomicBool::new(!wanted) }
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

impl Progress for Bar {
    fn begin(&self, stage: Stage, total: u64) {
        self.line.set_message(match stage {
            Stage::Load => "load",
            Stage::Shape => "shape",
            Stage::Broad => "broad",
            Stage::Narrow => "narrow",
            Stage::Report => "report",
        });
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
    fn an_unwanted_bar_never_shows() {
        let mut bar = Bar::new(false);
        bar.started = bar.started.checked_sub(2 * DELAY).expect("a clock past one second");
        bar.begin(Stage::Narrow, 10);
        bar.advance(3);
        assert!(bar.line.is_hidden());
        assert_eq!(bar.line.position(), 3);
    }

    #[test]
    fn a_short_run_shows_none() {
        let bar = Bar::new(true);
        bar.begin(Stage::Load, 1);
        assert!(!bar.shown.load(Ordering::Relaxed));
    }
}
