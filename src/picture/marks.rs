//! Draws scale bars, arrows and dimensions over the panels.

use crate::geom::unit::format_number;
use crate::geom::{LengthUnit, Vec3};
use crate::picture::canvas::{BLACK, Canvas, Color, Rect, text_width};
use crate::picture::shade::{OUTLINES, OVERLAP};
use crate::picture::{Panel, Subject};
use crate::scene::Focus;

/// Shortest and longest arrow of a translation (pixels).
const ARROW: [f64; 2] = [36.0, 170.0];

/// Distance of an arrow beside a dimension line (pixels), and the cosine of the angle below which it moves there.
const ASIDE: f64 = 34.0;
const BESIDE: f64 = 0.9;

/// Radius of the ring around a tiny overlap (pixels).
const RING: f64 = 22.0;

/// Marks the panel in space.
pub(crate) fn space(canvas: &mut Canvas, panel: &Panel, subject: &Subject, units: LengthUnit, tiny: bool) {
    if tiny {
        canvas.ring(panel.rect, panel.at(&subject.focus.point), RING, 2.5, ring_color(&subject.focus));
    }
    way_out(canvas, panel, subject);
    scale_bar(canvas, panel, units);
}

/// Marks the section; `dimensioned` is false if a magnifier shows the depth.
pub(crate) fn section(canvas: &mut Canvas, panel: &Panel, subject: &Subject, units: LengthUnit, dimensioned: bool) {
    way_out(canvas, panel, subject);
    if dimensioned {
        dimension(canvas, panel, subject, units);
    }
    scale_bar(canvas, panel, units);
}

/// Marks the magnifier, and its place in the section.
pub(crate) fn magnifier(canvas: &mut Canvas, section: &Panel, panel: &Panel, subject: &Subject, units: LengthUnit) {
    dimension(canvas, panel, subject, units);
    scale_bar(canvas, panel, units);
    let factor = panel.scale() / section.scale();
    let text = format!("x{}", format_number(libm::round(factor)));
    canvas.label(panel.rect, [panel.rect.x as f64 + 4.0, panel.rect.y as f64 + 3.0], &text, BLACK);
    let at = section.at(&subject.focus.point);
    let half = (0.5 * panel.rect.width as f64 / factor).max(5.0);
    let tall = (0.5 * panel.rect.height as f64 / factor).max(5.0);
    let corner = |sx: f64, sy: f64| [at[0] + sx * half, at[1] + sy * tall];
    for (from, to) in
        [((-1.0, -1.0), (1.0, -1.0)), ((1.0, -1.0), (1.0, 1.0)), ((1.0, 1.0), (-1.0, 1.0)), ((-1.0, 1.0), (-1.0, -1.0))]
    {
        canvas.line(section.rect, corner(from.0, from.1), corner(to.0, to.1), 1.5, BLACK);
    }
    let inner = panel.rect;
    let middle = [(inner.x + inner.width / 2) as f64, (inner.y + inner.height / 2) as f64];
    let side = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    let (sx, sy) = (side(middle[0] - at[0]), side(middle[1] - at[1]));
    let to = [middle[0] - sx * 0.5 * inner.width as f64, middle[1] - sy * 0.5 * inner.height as f64];
    canvas.line(section.rect, corner(sx, sy), to, 1.0, BLACK);
}

/// Colour of the rings around the place: red for an overlap or a gap, dark for a pair that proves neither.
pub(crate) fn ring_color(focus: &Focus) -> Color {
    if focus.depth.is_some() || focus.apart.is_some() { OVERLAP } else { BLACK }
}

/// Draws the proposed translation as an arrow from the focus, in the colour of the moving part, if it is not seen
/// end-on. An arrow along the dimension line stands beside it.
fn way_out(canvas: &mut Canvas, panel: &Panel, subject: &Subject) {
    let Some((moving, t)) = subject.way_out else { return };
    let from = panel.at(&subject.focus.point);
    let tip = panel.at(&(subject.focus.point + t));
    let d = [tip[0] - from[0], tip[1] - from[1]];
    let seen = libm::sqrt(d[0] * d[0] + d[1] * d[1]);
    let whole = t.norm() * panel.scale();
    // Seen end-on the arrow has no direction.
    if whole <= 0.0 || seen < 0.3 * whole {
        return;
    }
    let length = seen.clamp(ARROW[0], ARROW[1]);
    let along = [d[0] / seen, d[1] / seen];
    let beside = subject.focus.thin.filter(|_| panel.name != "space").and_then(|thin| {
        let [x, y] = [thin.dot(&panel.view.right), -thin.dot(&panel.view.up)];
        let cosine = (x * along[0] + y * along[1]).abs() / libm::sqrt(x * x + y * y).max(f64::MIN_POSITIVE);
        (cosine > BESIDE).then_some([-along[1] * ASIDE, along[0] * ASIDE])
    });
    let [dx, dy] = beside.unwrap_or_default();
    let from = [from[0] + dx, from[1] + dy];
    let to = [from[0] + d[0] / seen * length, from[1] + d[1] / seen * length];
    canvas.arrow(panel.rect, from, to, OUTLINES[usize::from(moving == subject.pair[1])]);
}

/// Draws the depth, or the gap and the required gap, as dimension lines with their lengths.
fn dimension(canvas: &mut Canvas, panel: &Panel, subject: &Subject, units: LengthUnit) {
    let focus = &subject.focus;
    if let (Some(depth), Some(thin)) = (focus.depth, focus.thin) {
        let half = thin * (0.5 * depth);
        measure(canvas, panel, [focus.point - half, focus.point + half], &units.format_length(depth), Line::Alone);
    } else if let Some([a, b]) = focus.apart {
        let gap = units.format_length((b - a).norm());
        let required = subject.demanded.zip(focus.thin);
        measure(canvas, panel, [a, b], &gap, if required.is_some() { Line::First } else { Line::Alone });
        if let Some((demanded, thin)) = required {
            let text = format!("required {}", units.format_length(demanded));
            measure(canvas, panel, [a, a + thin * demanded], &text, Line::Second);
        }
    }
}

/// Place of a dimension line: alone, or one of two beside each other, each with its text on the outer side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Alone,
    First,
    Second,
}

/// Draws a dimension line between two points.
fn measure(canvas: &mut Canvas, panel: &Panel, [from, to]: [Vec3; 2], text: &str, line: Line) {
    let (mut p, mut q) = (panel.at(&from), panel.at(&to));
    let d = [q[0] - p[0], q[1] - p[1]];
    let length = libm::sqrt(d[0] * d[0] + d[1] * d[1]);
    if length <= 0.0 {
        return;
    }
    let across = [-d[1] / length, d[0] / length];
    let aside = if line == Line::Second { 14.0 } else { 0.0 };
    for end in [&mut p, &mut q] {
        *end = [end[0] + across[0] * aside, end[1] + across[1] * aside];
    }
    canvas.line(panel.rect, p, q, 1.5, BLACK);
    for end in [p, q] {
        let tick = [across[0] * 6.0, across[1] * 6.0];
        canvas.line(panel.rect, [end[0] - tick[0], end[1] - tick[1]], [end[0] + tick[0], end[1] + tick[1]], 1.5, BLACK);
    }
    let middle = [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])];
    // The second line lies beside the first one along `across`.
    let is_after = |across: f64, alone: bool| match line {
        Line::Alone => alone,
        Line::First => across < 0.0,
        Line::Second => across >= 0.0,
    };
    let width = text_width(text, false) as f64;
    let at = if d[0].abs() > d[1].abs() {
        [middle[0] - 0.5 * width, middle[1] + if is_after(across[1], false) { 10.0 } else { -28.0 }]
    } else {
        [middle[0] + if is_after(across[0], true) { 12.0 } else { -12.0 - width }, middle[1] - 9.0]
    };
    canvas.label(panel.rect, at, text, BLACK);
}

/// Draws the scale bar: 1, 2 or 5 times a power of ten, about a sixth of the panel.
fn scale_bar(canvas: &mut Canvas, panel: &Panel, units: LengthUnit) {
    let Rect { x, y, width, height } = panel.rect;
    let room = width as f64 / 5.0 / panel.scale() / units.mm();
    let power = libm::floor(libm::log10(room));
    let base = libm::pow(10.0, power);
    let step = [5.0, 2.0, 1.0].into_iter().map(|k| k * base).find(|s| *s <= room).unwrap_or(base);
    let pixels = step * units.mm() * panel.scale();
    let from = [x as f64 + 14.0, (y + height) as f64 - 12.0];
    let to = [from[0] + pixels, from[1]];
    let text = format!("{} {}", format_number(step), units.name());
    canvas.label(panel.rect, [to[0] + 8.0, from[1] - 10.0], &text, BLACK);
    canvas.line(panel.rect, from, to, 2.0, BLACK);
    for end in [from, to] {
        canvas.line(panel.rect, [end[0], end[1] - 5.0], [end[0], end[1] + 5.0], 2.0, BLACK);
    }
}
