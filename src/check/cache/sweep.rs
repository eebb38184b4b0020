//! Stores the answer of a pair over a sweep between runs.

use crate::check::cache::answer::{overlaps_code, overlaps_of};
use crate::check::cache::{code, decoded};
use crate::check::motion::sweep::{REASONS, SweepAnswer};
use crate::shape::self_union::SelfUnion;
use serde::{Deserialize, Serialize};

/// Stored form of a [`SweepAnswer`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredSweep {
    /// Answer without its reason.
    answer: SweepAnswer,
    /// Code of the reason of an undecided pair.
    why: Option<u8>,
    /// Self-union results of both shapes, if the answer depends on them.
    overlaps: Option<[u8; 2]>,
}

impl StoredSweep {
    /// Encodes an answer, with the self-union results of both shapes if it depends on them; `None` for a value without
    /// a code.
    pub(crate) fn of(answer: &SweepAnswer, overlaps: Option<[SelfUnion; 2]>) -> Option<Self> {
        let why = answer.why.map(|why| code(&REASONS, &why));
        let overlaps = overlaps.map(|[a, b]| overlaps_code(a).zip(overlaps_code(b)));
        Some(Self {
            answer: answer.clone(),
            why: why.map_or(Some(None), |code| code.map(Some))?,
            overlaps: overlaps.map_or(Some(None), |codes| codes.map(|(a, b)| Some([a, b])))?,
        })
    }

    /// Decodes the answer and the self-union results that it depends on; `None` for an unknown code.
    pub(crate) fn restored(&self) -> Option<(SweepAnswer, [Option<SelfUnion>; 2])> {
        let why = self.why.map(|code| decoded(&REASONS, code));
        let answer = SweepAnswer { why: why.map_or(Some(None), |why| why.map(Some))?, ..self.answer.clone() };
        let overlaps = match self.overlaps {
            None => [None; 2],
            Some([a, b]) => [Some(overlaps_of(a)?), Some(overlaps_of(b)?)],
        };
        Some((answer, overlaps))
    }
}
