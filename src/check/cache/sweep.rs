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
    /// Self-union result of each shape.
    overlaps: [u8; 2],
}

impl StoredSweep {
    /// Encodes an answer; `None` for a value without a code.
    pub(crate) fn of(answer: &SweepAnswer, [a, b]: [SelfUnion; 2]) -> Option<Self> {
        let why = answer.why.map(|why| code(&REASONS, &why));
        Some(Self {
            answer: answer.clone(),
            why: why.map_or(Some(None), |code| code.map(Some))?,
            overlaps: [overlaps_code(a)?, overlaps_code(b)?],
        })
    }

    /// Decodes the answer and the self-union results of both shapes; `None` for an unknown code.
    pub(crate) fn restored(&self) -> Option<(SweepAnswer, [SelfUnion; 2])> {
        let why = self.why.map(|code| decoded(&REASONS, code));
        let answer = SweepAnswer { why: why.map_or(Some(None), |why| why.map(Some))?, ..self.answer.clone() };
        let [a, b] = self.overlaps.map(overlaps_of);
        Some((answer, [a?, b?]))
    }
}
