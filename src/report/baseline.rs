//! Writes the console text of `interfere accept`.

use crate::findings::baseline::{Baseline, NewlyAccepted};
use crate::findings::{Judged, Severity};
use crate::geom::Bounds;
use crate::geom::unit::format_number;
use crate::report::number::count;
use crate::report::table::MAX_ROWS;
use crate::report::text::shown;

/// Text of `interfere accept`: newly accepted findings and totals. `file` and `assembly` are the user's names.
pub fn accepted_text(
    file: &str,
    assembly: &str,
    baseline: &Baseline,
    taken: &[NewlyAccepted],
    judged: &Judged,
) -> String {
    let mut lines = Vec::new();
    for t in taken.iter().take(MAX_ROWS) {
        let Some(e) = baseline.accepted.get(t.entry) else { continue };
        let unit = baseline.units.name();
        let number = match e.extent {
            Some(Severity::Depth(depth, _)) => format!(" {} {unit} deep", format_number(depth)),
            Some(Severity::Gap(gap)) => format!(" {} {unit} apart", format_number(gap)),
            Some(Severity::Largest(gap)) => format!(" {} {unit} apart", format_number(gap.lower)),
            Some(Severity::Bracket(Bounds { lower: low, upper: high })) => {
                format!(" {} to {} {unit}", format_number(low), format_number(high))
            }
            None => String::new(),
        };
        let (a, b) = (shown(&e.a), shown(&e.b));
        let run = e.run.as_ref().map(|run| format!(" in {}", shown(run))).unwrap_or_default();
        lines.push(format!("accepted, {}: {a} and {b}{run}: {}{number}", t.was.name(), e.status.name()));
    }
    if taken.len() > MAX_ROWS {
        lines.push(format!("and {} more", taken.len() - MAX_ROWS));
    }
    let (n, all) = (taken.len() as u64, baseline.accepted.len() as u64);
    lines.push(format!("{}: {} newly accepted, {all} in all", shown(file), count(n, "finding")));
    if judged.baseline.as_ref().is_some_and(|b| b.fixed() > 0) {
        lines.push(format!("some entries are fixed: `interfere accept {} --prune` removes them", shown(assembly)));
    }
    lines.join("\n") + "\n"
}
