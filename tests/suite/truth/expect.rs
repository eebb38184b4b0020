//! Expected report for a known number (docs/explanation/gap.md, docs/reference/report.md).

use super::dress::{Asked, Dressed};
use super::known::{Known, Lie};
use interfere::internals::assembly::{Facets, RuleAction};
use interfere::internals::check::{Relation, Status};
use interfere::internals::geom::math::UNIT_ROUNDOFF;
use interfere::internals::geom::tolerance::{DEFAULT_TOLERANCE_MM, f32_quantum};
use interfere::internals::mesh::TriMesh;

/// Least and greatest possible value of a number.
pub type Range = [f64; 2];

/// Expected values of the report.
pub struct Expected {
    pub gap: Range,
    /// `None` if a threshold is too close to the known number.
    pub status: Option<Status>,
    pub relations: Vec<Relation>,
    /// Least and greatest possible rounding margin η of the pair (mm).
    pub margin: Range,
    /// Tolerance of the pair (mm).
    pub tolerance: f64,
    pub allowance: Range,
}

/// True if `x` exceeds the limit; equality keeps it. `None` if rounding decides.
fn beyond(x: Range, limit: Range, margin: Range) -> Option<bool> {
    if x[0] > limit[1] + margin[1] {
        Some(true)
    } else if x[1] <= limit[0] + margin[0] {
        Some(false)
    } else {
        None
    }
}

impl Expected {
    pub fn of(known: &Known, dressed: &Dressed, asked: &Asked) -> Self {
        let reach = dressed.reach();
        let sides = dressed.sides();
        let scale = sides[0].norm() + sides[1].norm();
        // Moving each surface by δ changes the gap by at most 2δ; the closed form itself has rounded a few times.
        let slack = if known.exact { 0.0 } else { 2.0 * dressed.moved + 16.0 * UNIT_ROUNDOFF * scale };
        let gap = [known.gap - slack, known.gap + slack];
        // Margin by docs/explanation/numerics.md: at least the diameter term, at most all terms.
        let apart = known.gap.max(0.0) + scale;
        let most = 32.0 * UNIT_ROUNDOFF * (scale + apart) + 64.0 * UNIT_ROUNDOFF * (reach[0] + reach[1]);
        let margin = [8.0 * UNIT_ROUNDOFF * scale, 4.0 * most];
        let tolerance = asked.tolerance.max(dressed.floor());
        let allowance = allowance(known, dressed, asked);
        let status = status(gap, tolerance, allowance, known.verb, margin);
        Self { gap, status, relations: relations(known, dressed, gap, margin), margin, tolerance, allowance }
    }
}

/// Least height of the part's triangles, degenerate ones excluded.
fn least_height(mesh: &TriMesh) -> f64 {
    let height = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        (b - a).cross(&(c - a)).norm() / longest
    };
    mesh.triangles.iter().map(height).filter(|h| *h > 0.0).fold(f64::INFINITY, f64::min)
}

/// Facet allowance (docs/explanation/gap.md).
fn allowance(known: &Known, dressed: &Dressed, asked: &Asked) -> Range {
    if asked.facets == Facets::Strict {
        return [0.0; 2];
    }
    let sides = dressed.sides();
    let cap = 0.01 * sides[0].max().min(sides[1].max());
    let capped = |s: f64| (1.5 * s).min(0.25).min(cap);
    // An edge between 10⁻⁴ and 0.65 rad counts as part of a curved surface.
    let bend = |sides: usize| 2.0 * std::f64::consts::PI / sides as f64;
    let meant = known
        .bore
        .filter(|b| bend(b.sides) < 0.65)
        .map_or(0.0, |b| b.deflection.map_or(b.sagitta, |d| d.min(b.sagitta)));
    // Rounding bends flat faces, and changes the angles between a bore's facets.
    let bent = [0, 1].map(|k| 4.0 * dressed.moved / least_height(&dressed.meshes[k])).into_iter().fold(0.0, f64::max);
    if bent < 2e-5 {
        let off = if bent < 1e-9 { 1e-6 } else { 0.02 };
        return [capped(meant * (1.0 - off)) * (1.0 - 1e-12), capped(meant * (1.0 + off)) * (1.0 + 1e-12)];
    }
    let widest = sides[0].max().max(sides[1].max());
    [0.0, capped(1.02 * meant.max(widest * bent.min(0.65))) * (1.0 + 1e-9)]
}

/// Status by the first matching row of the status table.
fn status(gap: Range, t: f64, f: Range, verb: Option<RuleAction>, margin: Range) -> Option<Status> {
    let depth = [(-gap[1]).max(0.0), (-gap[0]).max(0.0)];
    let (allowed, clearance) = match verb {
        Some(RuleAction::AllowDepth(mm)) => (Some(mm), None),
        Some(RuleAction::MinClearance(mm)) => (None, Some(mm)),
        _ => (None, None),
    };
    let deepest = [t + f[0], t + f[1]].map(|x| x.max(allowed.unwrap_or(0.0)));
    if beyond(depth, deepest, margin)? {
        return Some(Status::Interference);
    }
    if let Some(mm) = allowed
        && beyond(depth, [t; 2], margin)?
        && !beyond(depth, [mm; 2], margin)?
    {
        return Some(Status::Allowed);
    }
    if let Some(mm) = clearance
        && beyond([mm - gap[1], mm - gap[0]], [0.0; 2], margin)?
    {
        return Some(Status::TooClose);
    }
    Some(if beyond(gap, [t; 2], margin)? { Status::Clear } else { Status::Contact })
}

fn relations(known: &Known, dressed: &Dressed, gap: Range, margin: Range) -> Vec<Relation> {
    let quanta: f64 = dressed.quanta().iter().sum();
    // Rounding tolerated for certain, and rounding tolerated at most.
    let (sure, open) = (margin[0] + quanta, margin[1] + 2.0 * quanta);
    // A report may also grant single-precision rounding to double-precision parts.
    let open = open + 2.0 * f32_quantum(dressed.reach()[0].max(dressed.reach()[1]));
    let same = 2.0 * dressed.moved <= sure;
    match known.lie {
        Lie::Within => vec![Relation::AContainsB],
        Lie::FlushWithin if same => vec![Relation::AContainsB],
        Lie::FlushWithin => vec![Relation::AContainsB, Relation::Overlap],
        Lie::Same if same => vec![Relation::Coincident],
        Lie::Same => {
            vec![Relation::Coincident, Relation::AContainsB, Relation::BContainsA, Relation::Overlap]
        }
        Lie::Beside if gap[0] > open => vec![Relation::Apart],
        Lie::Beside if gap[1] < -open => vec![Relation::Overlap],
        Lie::Beside if gap[0].abs().max(gap[1].abs()) <= sure => vec![Relation::Touch],
        Lie::Beside if gap[0] > sure => vec![Relation::Apart, Relation::Touch],
        Lie::Beside if gap[1] < -sure => vec![Relation::Overlap, Relation::Touch],
        Lie::Beside => vec![Relation::Touch, Relation::Apart, Relation::Overlap],
    }
}

#[test]
fn statuses_follow_the_table() {
    let margin = [1e-13, 1e-12];
    let at = |gap: f64, f: f64, verb| status([gap, gap], DEFAULT_TOLERANCE_MM, [f, f], verb, margin);
    assert_eq!(at(-0.01, 0.0, None), Some(Status::Contact));
    assert_eq!(at(-0.02, 0.0, None), Some(Status::Interference));
    assert_eq!(at(-0.02, 0.02, None), Some(Status::Contact));
    assert_eq!(at(-0.02, 0.0, Some(RuleAction::AllowDepth(0.03))), Some(Status::Allowed));
    assert_eq!(at(-0.02, 0.02, Some(RuleAction::AllowDepth(0.015))), Some(Status::Contact));
    assert_eq!(at(-0.005, 0.0, Some(RuleAction::MinClearance(0.0))), Some(Status::TooClose));
    assert_eq!(at(0.02, 0.0, Some(RuleAction::MinClearance(0.02))), Some(Status::Clear));
    assert_eq!(at(-0.01 - 5e-13, 0.0, None), None);
}
