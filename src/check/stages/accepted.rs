//! Measures the overlap that an accepted separating translation leaves now.

use crate::assembly::Facets;
use crate::check::cache::{Kind, PairKey};
use crate::check::options::AcceptedTranslation;
use crate::check::pairs::candidates::Candidate;
use crate::check::pairs::distinct::canonical_at;
use crate::check::pairs::rotations::Rotations;
use crate::check::stages::PairQuery;
use crate::check::stages::answers::Checker;
use crate::check::stages::limits::Limits;
use crate::check::{Measure, PairOutcome, RemainingOverlap};
use crate::geom::Vec3;
use crate::query::convex::epa::EpaScratch;
use rayon::prelude::*;

impl Checker<'_> {
    /// Measures the overlap after the accepted translation of each row with a longer translation now. `accepted` is
    /// sorted by a, then b. Cost: one measured answer for each such row.
    pub(crate) fn measure_remaining(&self, rows: &mut [PairOutcome], accepted: &[AcceptedTranslation]) {
        if accepted.is_empty() {
            return;
        }
        rows.par_iter_mut().for_each(|row| {
            let Some(now) = row.penetration_depth.filter(|_| row.status.fails()) else { return };
            let id = |i: u32| self.assembly.instances[i as usize].id.as_str();
            let key = (id(row.a.0), id(row.b.0));
            let Ok(place) = accepted.binary_search_by(|t| (t.a.as_str(), t.b.as_str()).cmp(&key)) else { return };
            let translation = accepted[place].translation;
            if now > translation.norm() + self.settings.tolerance {
                row.remaining = Some(self.remaining(row, translation));
            }
        });
    }

    /// Measures a row with B moved by `translation` (mm, A's frame), without rule and facet allowance.
    fn remaining(&self, row: &PairOutcome, translation: Vec3) -> RemainingOverlap {
        let mut a = self.shapes.placed[row.a.0 as usize];
        a.pose.translation -= a.pose.direction(&translation);
        let candidate = Candidate { a: row.a.0, b: row.b.0, rule: None };
        let (_, distinct) = canonical_at(self.assembly, self.shapes, &candidate, &a);
        let limits = Limits { facets: Facets::Strict, report_within: None, ..self.limits(None) };
        let query = self.query(&distinct, &limits, Rotations::default());
        let query = PairQuery { measure: Measure::Depth, ..query };
        let key = PairKey { shapes: [distinct.first, distinct.second], query: &query, kind: Kind::Fixes };
        let known = self.cache.and_then(|cache| cache.find(&key));
        let answer = known.unwrap_or_else(|| self.computed(&key, &mut EpaScratch::default()));
        // A cleared pair has no measures.
        let depth = answer.measured.map_or(0.0, |m| m.gap.map_or(m.bracket.to_depth()[1], |gap| -gap));
        RemainingOverlap { translation, depth: Some(depth.max(0.0)).filter(|d| d.is_finite()) }
    }
}
