//! Writes the report as comma-separated values (RFC 4180), for spreadsheets and scripts: a row for each listed pair.

use crate::assembly::{InstanceIx, Level};
use crate::check::{Outcome, pair_id};
use crate::findings::{BaselineStatus, Groups, Judged, RowNumbers};
use crate::geom::Vec3;
use crate::report::location;
use crate::report::motion::span;
use crate::report::number::{length, vector, volume};
use crate::report::rows::verb_text;
use crate::report::text::shown;
use std::io::{self, BufWriter, Write};

const HEADINGS: &str = "id,status,severity,baseline,a,b,part_a,part_b,file_a,line_a,file_b,line_b,relation,certainty,geometry,gap,gap_low,gap_high,\
    overlap_depth,penetration_depth,move_b_x,move_b_y,move_b_z,overlap_volume,at_x,at_y,at_z,facet_allowance,within_facet_error,\
    rule,rule_file,rule_index,reason,group,group_kind,group_pairs,row,member";

/// Last columns of a report with poses or sweeps.
const RUN_HEADING: &str = ",run,worst_at,from_to,proved";

/// Name of the drawing in this column.
const AS_DRAWN: &str = "as-drawn";

/// Writes the report.
///
/// # Errors
/// Returns the writer's error.
pub fn render(judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let runs = has_runs(judged);
    write!(out, "{HEADINGS}{}\r\n", if runs { RUN_HEADING } else { "" })?;
    rows(judged, runs, &mut out)?;
    out.flush()
}

/// Writes the rows of several assemblies under one line of headings; a first column names the assembly.
///
/// # Errors
/// Returns the writer's error.
pub(crate) fn render_several<'a>(
    all: impl Iterator<Item = (&'a str, &'a Judged)> + Clone,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let runs = all.clone().any(|(_, judged)| has_runs(judged));
    write!(out, "assembly,{HEADINGS}{}\r\n", if runs { RUN_HEADING } else { "" })?;
    for (path, judged) in all {
        let mut lines = Vec::new();
        rows(judged, runs, &mut lines)?;
        let mut first = Row::default();
        first.name(path);
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            write!(out, "{},", first.0)?;
            out.write_all(line)?;
        }
    }
    out.flush()
}

/// True if the report has a column for the run of a row.
fn has_runs(judged: &Judged) -> bool {
    !judged.outcome.runs().is_empty()
}

/// Writes the rows of the drawing, then those of the runs; `with_run` adds the name of the run to each row.
fn rows(judged: &Judged, with_run: bool, out: &mut impl Write) -> io::Result<()> {
    let groups = Groups::new(judged);
    let numbers = RowNumbers::new(judged, &groups);
    let mut write = |judged: &Judged, groups: &Groups, numbers: &RowNumbers, run: &str| {
        (0..judged.outcome.pairs.len()).try_for_each(|k| {
            let mut fields = row(judged, (groups, numbers), k);
            if with_run {
                let (o, p) = (&judged.outcome, &judged.outcome.pairs[k]);
                fields.name(run).name(&span::worst_at(o, p)).name(&span::parts(o, p));
                fields.number(p.swept.as_ref().map(|swept| swept.proved));
            }
            write!(out, "{}\r\n", fields.0)
        })
    };
    write(judged, &groups, &numbers, AS_DRAWN)?;
    for (run, one) in judged.outcome.runs().iter().zip(judged.runs()) {
        // Numbers name pairs of the drawing.
        write(&one, &Groups::new(&one), &RowNumbers::default(), &run.name)?;
    }
    Ok(())
}

fn row(judged: &Judged, (groups, numbers): (&Groups, &RowNumbers), k: usize) -> Row {
    let o = &judged.outcome;
    let p = &o.pairs[k];
    let [a, b] = [o.id(p.a), o.id(p.b)];
    let mut row = Row::default();
    let baseline_status = judged.status_of(k).map_or("", BaselineStatus::name);
    row.word(&pair_id(a, b)).word(p.status.name()).word(judged.severity_of(k).map_or("", Level::name));
    row.word(baseline_status).name(a).name(b);
    row.name(part(o, p.a)).name(part(o, p.b));
    for at in [location::of(o, p.a), location::of(o, p.b)] {
        row.name(at.map_or("", |at| at.file)).word(&at.map(|at| at.line.to_string()).unwrap_or_default());
    }
    row.word(p.relation.map_or("", crate::check::Relation::name)).word(p.certainty.name()).word(p.geometry.name());
    let mm = |x: Option<f64>| x.map(|mm| length(mm, o.units));
    row.number(mm(p.gap)).number(mm(p.gap_bracket.map(|b| b.lower))).number(mm(p.gap_bracket.map(|b| b.upper)));
    row.number(mm(p.overlap_depth)).number(mm(p.penetration_depth));
    let vector = |v: Option<Vec3>| v.map(|v| vector(&v, o.units));
    row.vector(vector(p.separating_translation)).number(p.overlap_volume.map(|v| volume(v, o.units)));
    row.vector(vector(p.at())).number(mm(p.facet_allowance));
    row.word(if p.within_facet_error { "true" } else { "false" });
    match p.rule.and_then(|r| o.rules.get(r as usize)) {
        Some(rule) => row
            .name(&verb_text(rule, o.units))
            .name(&rule.file)
            .word(&rule.index.to_string())
            .name(rule.reason.as_deref().unwrap_or_default()),
        None => row.word("").word("").word("").word(""),
    };
    match groups.of(k) {
        Some(group) => row.word(&group.id).word(group.kind.name()).word(&group.members.len().to_string()),
        None => row.word("").word("").word(""),
    };
    let number = numbers.of(k);
    for n in [number.map(|n| n.row), number.and_then(|n| n.member)] {
        row.word(&n.map(|n| n.to_string()).unwrap_or_default());
    }
    row
}

fn part(o: &Outcome, i: InstanceIx) -> &str {
    o.parts.get(o.instances[i.0 as usize].part.0 as usize).map_or("", |p| &p.key)
}

/// Row under construction; its fields are free of line breaks.
#[derive(Default)]
struct Row(String);

impl Row {
    /// Appends a field with program text.
    fn word(&mut self, word: &str) -> &mut Self {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(word);
        self
    }

    /// Appends a field with user text. A leading apostrophe keeps it text in spreadsheets: they read a field as a
    /// formula if it begins with one of a few characters, even after a quote or spaces.
    fn name(&mut self, name: &str) -> &mut Self {
        let name = shown(name);
        let formula =
            name.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
        let guard = if formula { "'" } else { "" };
        if name.contains(['"', ',', ';']) || name.starts_with(' ') || name.ends_with(' ') {
            self.word(&format!("\"{guard}{}\"", name.replace('"', "\"\"")))
        } else {
            self.word(&format!("{guard}{name}"))
        }
    }

    /// Appends a number with every digit; the field is empty if the number was not computed.
    fn number(&mut self, x: Option<f64>) -> &mut Self {
        self.word(&x.map(digits).unwrap_or_default())
    }

    /// Appends three numbers.
    fn vector(&mut self, v: Option<[f64; 3]>) -> &mut Self {
        (0..3).fold(self, |row, k| row.number(v.map(|v| v[k])))
    }
}

/// All digits of a number; very small and very large ones with an exponent, as spreadsheets read and write them.
fn digits(x: f64) -> String {
    // The addition turns −0 into 0.
    let text = format!("{:?}", x + 0.0);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
