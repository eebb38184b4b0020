//! Draws a pair: both parts in space, a section through the deepest point, and the place in the whole assembly.
//!
//! - `canvas`: pixels, lines, text
//! - `shade`: colours, shading, lines between faces
//! - `space`, `section`: the two large panels
//! - `marks`: scale bars, arrows, dimensions
//! - `encode`: PNG with the scale of each panel

pub(crate) mod canvas;
pub(crate) mod encode;
pub(crate) mod marks;
pub(crate) mod section;
pub(crate) mod shade;
pub(crate) mod space;
#[cfg(test)]
mod tests;

use crate::assembly::InstanceIx;
use crate::check::pair_id;
use crate::findings::Judged;
use crate::geom::{LengthUnit, Vec3};
use crate::picture::canvas::{BLACK, Canvas, GREY, LINE, Rect, text_width};
use crate::picture::section::Section;
use crate::picture::shade::NAMES;
use crate::report::caption::{caption, run_caption};
use crate::scene::{Focus, PairViews, RunFinding, Scene, SceneFinding, View, choose};

/// Height of the strip with names and sentence (pixels).
const STRIP: usize = 78;

/// Depth below which a section gets a magnifier, and the depth that the magnifier shows (pixels).
const THIN: f64 = 24.0;
const MAGNIFIED: f64 = 48.0;

/// Size of the overlap below which a ring marks it (pixels).
const TINY: usize = 36;

/// Contents of a picture beside the geometry.
#[derive(Debug, Clone)]
pub struct Caption {
    /// Pair's id in reports.
    pub id: String,
    /// Ids of the two instances.
    pub names: [String; 2],
    /// Sentences below the ids.
    pub lines: Vec<String>,
    /// Unit of the lengths in the picture.
    pub units: LengthUnit,
}

/// A pair to draw. Lengths in mm, root frame.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The two instances.
    pub pair: [InstanceIx; 2],
    /// Place of the pair.
    pub focus: Focus,
    /// Instance that moves in a proposal, and its translation.
    pub way_out: Option<(InstanceIx, Vec3)>,
    /// Gap required by a rule.
    pub demanded: Option<f64>,
}

impl From<&SceneFinding> for Subject {
    fn from(f: &SceneFinding) -> Self {
        Self { pair: f.pair, focus: f.focus, way_out: f.way_out, demanded: f.demanded }
    }
}

/// Size of the picture and direction of its top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Format {
    /// Width (pixels, 320 to 4096).
    pub width: usize,
    /// Height (pixels, 160 to 2048).
    pub height: usize,
    /// Upward direction of the assembly.
    pub up: Vec3,
}

impl Default for Format {
    fn default() -> Self {
        Self { width: 1280, height: 640, up: Vec3::z() }
    }
}

/// A panel with its view, as the picture's text chunk states it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    pub name: &'static str,
    pub rect: Rect,
    pub view: View,
}

impl Panel {
    /// Pixels per millimetre.
    pub(crate) fn scale(&self) -> f64 {
        self.rect.width as f64 / self.view.size[0]
    }

    /// Pixel of a point (root frame).
    pub(crate) fn at(&self, p: &Vec3) -> [f64; 2] {
        let [x, y, _] = self.view.coordinates(p);
        let Rect { x: left, y: top, width, height } = self.rect;
        [left as f64 + 0.5 * width as f64 + x * self.scale(), top as f64 + 0.5 * height as f64 - y * self.scale()]
    }
}

/// Draws a finding of a run as [`draw()`] does, with the sentences of the report.
pub fn of_finding(scene: &Scene, judged: &Judged, finding: &SceneFinding, format: &Format) -> Vec<u8> {
    let lines = caption(judged, finding.row, finding.rows, finding.pair.map(|i| scene.shape_of(i).solid));
    drawn(scene, judged, finding, lines, format)
}

/// Draws a finding of a pose or sweep at its worst pose. `scene` is the scene as drawn, `judged` the whole run, `one`
/// that pose or sweep alone.
pub fn of_run_finding(scene: &Scene, judged: &Judged, one: &Judged, found: &RunFinding, format: &Format) -> Vec<u8> {
    let (scene, finding) = (scene.at(&found.values), &found.finding);
    let solid = finding.pair.map(|i| scene.shape_of(i).solid);
    let lines = run_caption(judged, one, found.run, (finding.row, finding.rows), solid);
    drawn(&scene, one, finding, lines, format)
}

fn drawn(scene: &Scene, judged: &Judged, finding: &SceneFinding, lines: Vec<String>, format: &Format) -> Vec<u8> {
    let o = &judged.outcome;
    let names = finding.pair.map(|i| o.id(i).to_owned());
    let caption = Caption { id: pair_id(&names[0], &names[1]), lines, names, units: o.units };
    draw(scene, &Subject::from(finding), &caption, format)
}

/// Draws a pair and returns the bytes of the PNG file. The same input gives the same bytes on every machine.
///
/// Cost: linear in the triangles of the scene, some 0.2 s for a million triangles.
pub fn draw(scene: &Scene, subject: &Subject, caption: &Caption, format: &Format) -> Vec<u8> {
    let mut canvas = Canvas::new(format.width, format.height);
    let half = format.width / 2;
    let height = format.height.saturating_sub(STRIP).max(1);
    let left = Rect { x: 0, y: STRIP, width: half, height };
    let right = Rect { x: half, width: format.width - half, ..left };
    let ratio = half as f64 / height as f64;
    let PairViews { space, section, whole } =
        choose(scene, subject.pair, &subject.focus, subject.demanded, format.up, ratio);
    let mut panels =
        vec![Panel { name: "space", rect: left, view: space }, Panel { name: "section", rect: right, view: section }];
    let red = space::draw(&mut canvas, left, scene, subject.pair, &space);
    marks::space(&mut canvas, &panels[0], subject, caption.units, red < TINY);
    panels.push(draw_whole(&mut canvas, left, scene, subject, &whole));
    let drawn = Section::draw(&mut canvas, right, scene, subject.pair, &section);
    let magnifier = draw_magnifier(&mut canvas, &panels[1], scene, subject, &drawn);
    marks::section(&mut canvas, &panels[1], subject, caption.units, magnifier.is_none());
    if let Some(panel) = magnifier {
        marks::magnifier(&mut canvas, &panels[1], &panel, subject, caption.units);
        panels.push(panel);
    }
    canvas.fill(Rect { x: half - 1, y: STRIP, width: 2, height }, BLACK, 256);
    strip(&mut canvas, caption);
    encode::png(&canvas, caption, &panels)
}

/// Draws the small view of the whole assembly, with a ring at the place.
fn draw_whole(canvas: &mut Canvas, left: Rect, scene: &Scene, subject: &Subject, view: &View) -> Panel {
    let (width, height) = (left.width * 3 / 10, left.height * 3 / 10);
    let rect = Rect { x: left.x + left.width - width - 10, y: left.y + 8, width, height };
    let panel = Panel { name: "whole", rect, view: *view };
    space::draw_whole(canvas, rect, scene, subject.pair, view);
    canvas.outline(rect, GREY);
    canvas.ring(rect, panel.at(&subject.focus.point), 11.0, 2.0, marks::ring_color(&subject.focus));
    panel
}

/// Draws a magnifier where the depth, or the gap, is too thin to see; in the corner with the least overlap.
fn draw_magnifier(
    canvas: &mut Canvas,
    section: &Panel,
    scene: &Scene,
    subject: &Subject,
    drawn: &Section,
) -> Option<Panel> {
    let thin = subject.focus.depth.or_else(|| subject.focus.apart.map(|[a, b]| (b - a).norm()))?;
    let pixels = thin * section.scale();
    if pixels >= THIN || thin <= 0.0 {
        return None;
    }
    let outer = section.rect;
    let (width, height) = (outer.width * 2 / 5, outer.height * 2 / 5);
    let focus = section.at(&subject.focus.point);
    // The scale bar has the corner at the bottom left.
    let corners = [(true, true), (true, false), (false, false)];
    let near = |(right, bottom): &(bool, bool)| {
        let inside_x = (focus[0] > (outer.x + outer.width / 2) as f64) == *right;
        let inside_y = (focus[1] > (outer.y + outer.height / 2) as f64) == *bottom;
        inside_x && inside_y
    };
    let (right, bottom) = corners.into_iter().min_by_key(|c| (near(c), drawn.red_in(c.0, c.1))).unwrap_or((true, true));
    let x = if right { outer.x + outer.width - width - 6 } else { outer.x + 6 };
    let y = if bottom { outer.y + outer.height - height - 6 } else { outer.y + 6 };
    let rect = Rect { x, y, width, height };
    let mm = thin / MAGNIFIED;
    let size = [rect.width as f64 * mm, rect.height as f64 * mm];
    let view = View { centre: subject.focus.point, size, ..section.view };
    Section::draw(canvas, rect, scene, subject.pair, &view);
    canvas.outline(rect, BLACK);
    Some(Panel { name: "magnifier", rect, view })
}

/// Writes the names and the sentences above the panels.
fn strip(canvas: &mut Canvas, caption: &Caption) {
    let room = canvas.width.saturating_sub(2 * 10) / text_width("x", true).max(1);
    let each = room.saturating_sub(3) / 2;
    let [a, b] = caption.names.each_ref().map(|name| shortened(name, each));
    let x = canvas.text(10, 4, &a, NAMES[0], true);
    let x = canvas.text(x, 4, " x ", BLACK, false);
    canvas.text(x, 4, &b, NAMES[1], true);
    let lines = caption.lines.iter().flat_map(|line| folded(line, room));
    for (k, line) in lines.take((STRIP - 4) / LINE - 1).enumerate() {
        canvas.text(10, 4 + (k + 1) * LINE, &line, BLACK, false);
    }
}

/// Folds a text between words into lines of at most `most` characters.
fn folded(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let used = lines[last].chars().count();
        if used > 0 && used + 1 + word.chars().count() > most {
            lines.push(shortened(word, most));
        } else {
            let blank = if used > 0 { " " } else { "" };
            lines[last].push_str(blank);
            lines[last].push_str(&shortened(word, most));
        }
    }
    lines
}

/// Cuts the middle out of a long text.
fn shortened(text: &str, most: usize) -> String {
    let n = text.chars().count();
    if n <= most {
        return text.to_owned();
    }
    let keep = most.saturating_sub(3);
    let head: String = text.chars().take(keep / 2).collect();
    let tail: String = text.chars().skip(n - (keep - keep / 2)).collect();
    format!("{head}...{tail}")
}
