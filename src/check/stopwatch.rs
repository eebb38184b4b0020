//! Measures wall and CPU time of each stage.

use crate::check::{Stage, StageSeconds, Timings};
use cpu_time::ProcessTime;
use std::time::Instant;

/// Measures one stage; [`Stopwatch::stop`] adds the time since its start.
#[derive(Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<ProcessTime>,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        // A system without a process clock reports zero CPU time.
        Self { wall: Instant::now(), cpu: ProcessTime::try_now().ok() }
    }

    /// Adds the time since the start, or since the last stop, to a stage.
    pub fn stop(&mut self, stage: Stage, timings: &mut Timings) {
        let now = Self::start();
        let wall = now.wall.duration_since(self.wall).as_secs_f64();
        let cpu = match (now.cpu, self.cpu) {
            (Some(now), Some(then)) => now.duration_since(then).as_secs_f64(),
            _ => 0.0,
        };
        *slot(&mut timings.wall, stage) += wall;
        *slot(&mut timings.cpu, stage) += cpu;
        *self = now;
    }
}

fn slot(seconds: &mut StageSeconds, stage: Stage) -> &mut f64 {
    match stage {
        Stage::Load => &mut seconds.load,
        Stage::Shape => &mut seconds.shape,
        Stage::Broad => &mut seconds.broad,
        Stage::Narrow => &mut seconds.narrow,
        Stage::Runs => &mut seconds.runs,
        Stage::Scene => &mut seconds.scene,
        Stage::Draw | Stage::Page => &mut seconds.draw,
        Stage::Report => &mut seconds.report,
    }
}
