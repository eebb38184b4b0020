//! Draws the staircase of a row as a line of bars, for a terminal.

use crate::check::{CurvePart, Outcome, SweptPair};
use crate::geom::math::{greater, lesser};
use crate::geom::unit::format_number;
use crate::report::motion::span;
use crate::report::number::{length, length_text};

/// Bars of a gap between the least and the largest bound of a row.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Bar of a part that overlaps for certain, and of one without a lower bound.
const OVERLAP: char = '×';
const UNKNOWN: char = '?';

/// Lines of the plot: one bar for the lower bound of each part with the joint values at both ends, a mark below the
/// part with the least gap, and the range of the bounds. `None` for a row without a staircase.
pub(crate) fn plot(o: &Outcome, swept: &SweptPair) -> Option<Vec<String>> {
    let curve = swept.curve.as_deref()?;
    let (first, last) = (curve.first()?, curve.last()?);
    let bars: String = bars(curve).into_iter().collect();
    let from = span::end_of(o, swept, &first.span, |t| t.from);
    let to = span::end_of(o, swept, &last.span, |t| t.to);
    let mut lines = vec![format!("{bars}  {from} … {to}")];
    if let Some(worst) = worst(curve) {
        let part = &curve[worst];
        let (from, to) = (span::end_of(o, swept, &part.span, |t| t.from), span::end_of(o, swept, &part.span, |t| t.to));
        lines.push(format!("{}^ nearest part: {}, at {from} … {to}", " ".repeat(worst), range_text(o, part)));
    }
    let lower = curve.iter().filter_map(|part| part.lower);
    let [least, most] = [lower.clone().fold(f64::INFINITY, lesser), lower.fold(f64::NEG_INFINITY, greater)];
    if least <= most {
        let least = format_number(length(least, o.units));
        lines.push(format!("bars: lower bounds of the gap, {least} to {}", length_text(most, o.units)));
    }
    Some(lines)
}

/// Index of the part with the least upper bound of the gap.
pub(crate) fn worst(curve: &[CurvePart]) -> Option<usize> {
    let upper = curve.iter().enumerate().filter_map(|(k, part)| part.upper.map(|upper| (k, upper)));
    upper.min_by(|(_, x), (_, y)| x.total_cmp(y)).map(|(k, _)| k)
}

/// One bar for each part.
fn bars(curve: &[CurvePart]) -> Vec<char> {
    let lower = |part: &CurvePart| part.lower.map_or(0.0, |lower| greater(lower, 0.0));
    let most = curve.iter().map(lower).fold(0.0, greater);
    let bar = |part: &CurvePart| match (part.lower, part.upper) {
        (_, Some(upper)) if upper < 0.0 => OVERLAP,
        (None, _) => UNKNOWN,
        _ if most <= 0.0 => BARS[0],
        _ => BARS[(lower(part) / most * (BARS.len() - 1) as f64 + 0.5) as usize],
    };
    curve.iter().map(bar).collect()
}

/// Bounds of the gap of a part: `between -0.3 and 0.1 mm`.
fn range_text(o: &Outcome, part: &CurvePart) -> String {
    match (part.lower, part.upper) {
        (Some(lower), Some(upper)) => {
            let lower = format_number(length(lower, o.units));
            format!("gap between {lower} and {}", length_text(upper, o.units))
        }
        (Some(lower), None) => format!("gap of at least {}", length_text(lower, o.units)),
        (None, Some(upper)) => format!("gap of at most {}", length_text(upper, o.units)),
        (None, None) => "gap unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::JointSpan;

    fn part(lower: Option<f64>, upper: Option<f64>) -> CurvePart {
        CurvePart { span: JointSpan { segment: 0, joints: Vec::new() }, lower, upper }
    }

    #[test]
    fn bars_grow_with_the_gap_and_mark_overlaps() {
        let gaps = [(Some(7.0), Some(8.0)), (Some(3.0), Some(3.5)), (Some(-1.0), Some(0.5)), (Some(-2.0), Some(-1.5))];
        let mut curve: Vec<CurvePart> = gaps.into_iter().map(|(lower, upper)| part(lower, upper)).collect();
        curve.push(part(None, None));
        assert_eq!(bars(&curve).into_iter().collect::<String>(), "█▄▁×?");
        assert_eq!(worst(&curve), Some(3));
        assert_eq!(worst(&curve[4..]), None);
    }

    #[test]
    fn a_curve_without_a_gap_has_low_bars() {
        let curve = [part(Some(-0.1), Some(0.0)), part(Some(-0.2), None)];
        assert_eq!(bars(&curve).into_iter().collect::<String>(), "▁▁");
        assert_eq!(worst(&curve), Some(0));
    }
}
