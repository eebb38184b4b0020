//! Writes the explanation of a pair in a pose or a sweep.

use crate::check::{ExplainedRun, JointTravel, MotionOutcome, PairOutcome, RunOutcome, Status};
use crate::findings::Judged;
use crate::geom::unit::format_number;
use crate::json::write::write_json;
use crate::report::Format;
use crate::report::explain::document::Document;
use crate::report::explain::text;
use crate::report::motion::json::RunOfPair;
use crate::report::motion::{self, curve, span};
use crate::report::number::{count, length, length_text};
use crate::report::text::{Paint, painted, shown};
use std::io::{self, Write};

/// Writes the explanation; [`Format::Table`] is the text.
///
/// # Errors
/// Returns the writer's error.
pub fn render_run(e: &ExplainedRun, format: Format, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let judged = Judged::from(e.outcome.clone());
    let Some((motion, run, row)) = parts(&judged) else { return Ok(()) };
    if format == Format::Json {
        let of_run = RunOfPair::new(&judged, motion, run, row, e);
        let mut document = Document::new(&e.explanation);
        document.run = Some(of_run);
        return write_json(&document, out);
    }
    let o = &judged.outcome;
    let [a, b] = e.explanation.sides.each_ref().map(|side| shown(&side.id));
    let (name, path) = (shown(&o.name), shown(&o.path));
    writeln!(out, "{a} and {b} in {name} ({path}), {}", motion::values(o, run))?;
    writeln!(out)?;
    for (head, line) in lines(e, &judged, motion, row) {
        writeln!(out, "{}  {line}", painted(&format!("{head:>9}"), Paint::Bold, colour))?;
    }
    let verdict = painted(row.status.name(), if row.status.fails() { Paint::Bad } else { Paint::Good }, colour);
    writeln!(out, "\n{verdict} over the run\n")?;
    let at = at_text(&judged, motion, &e.at);
    writeln!(out, "At {}:", if at.is_empty() { "home".to_owned() } else { at })?;
    writeln!(out)?;
    text::text(&e.explanation, colour, out)
}

fn parts(judged: &Judged) -> Option<(&MotionOutcome, &RunOutcome, &PairOutcome)> {
    let motion = judged.outcome.motion.as_ref()?;
    let run = motion.runs.first()?;
    Some((motion, run, run.rows.first()?))
}

/// Values of the joints at the trace.
fn at_text(judged: &Judged, motion: &MotionOutcome, at: &[JointTravel]) -> String {
    let value = |t: &JointTravel| {
        let joint = motion.joints.get(t.joint as usize).filter(|joint| joint.has_own_value())?;
        Some(format!(
            "{} {}",
            shown(&joint.name),
            span::value_text(motion::in_units(joint, t.from, judged.outcome.units), 0.0)
        ))
    };
    at.iter().filter_map(value).collect::<Vec<_>>().join(", ")
}

/// Heads and lines about the whole run.
fn lines(e: &ExplainedRun, judged: &Judged, motion: &MotionOutcome, row: &PairOutcome) -> Vec<(&'static str, String)> {
    let o = &judged.outcome;
    let [a, b] = e.explanation.sides.each_ref().map(|side| shown(&side.id));
    let names: Vec<_> = e.between.iter().map(|j| shown(&motion.joints[*j as usize].name).into_owned()).collect();
    let joints = if names.is_empty() {
        format!("none between them: {b} keeps its place, seen from {a}")
    } else {
        format!("{} between them, nearest {b} first", names.join(", "))
    };
    let mut lines = vec![("joints", joints)];
    let Some(swept) = row.swept.as_deref() else { return lines };
    let most = length_text(e.displacement, o.units);
    lines.push((
        "motion",
        format!("seen from {a}, no point of {b} is farther than {most} from its place in the middle"),
    ));
    if e.by_balls {
        lines.push(("proof", "the balls around the parts stay farther apart than every limit".to_owned()));
        return lines;
    }
    let tests = format!("{} and {} of joint values", count(swept.tests, "test"), count(swept.cells, "cell"));
    lines.push(("proof", format!("{} proved, by {tests}", span::proved(row))));
    if let Some(first) = &swept.first {
        let what = if row.status == Status::Loose { "gap beyond the rule" } else { "contact or broken limit" };
        lines.push(("first", format!("{what} at {}", span::bracket(o, swept, first))));
    }
    if row.status == Status::Undecided {
        let parts = span::parts(o, row);
        lines.extend((!parts.is_empty()).then_some(("open", parts)));
    }
    for (k, part) in swept.failing.iter().flatten().enumerate() {
        let text = format!("{}  {}", span::failing_text(o, swept, part), part.status.name());
        lines.push((if k == 0 { "fails" } else { "" }, text));
    }
    if let Some(gap) = row.gap_bracket {
        let (low, high) = (format_number(length(gap.lower, o.units)), length_text(gap.upper, o.units));
        let at = span::worst_at(o, row);
        let which = if row.status == Status::Loose { "largest" } else { "least" };
        lines.push(("worst", format!("at {at}; the {which} gap of the run is between {low} and {high}")));
    }
    if let Some(plot) = curve::plot(o, swept) {
        lines.extend(plot.into_iter().enumerate().map(|(k, line)| (if k == 0 { "gap" } else { "" }, line)));
    }
    lines
}
