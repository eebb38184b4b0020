//! Lays out the rows of the table within a width: columns side by side while they fit, the rest on lines below.
//!
//! Names stand side by side if most rows have room for them, else one below the other. The numbers follow on a line of
//! the names. Values without a column are folded: they follow below, each after its heading.

use crate::check::Status;
use crate::report::rows::{self, Cells, HEADINGS};
use crate::report::text::within;
use crate::report::wrap::{columns, filled, padded};

/// Blanks between two columns.
const BETWEEN: usize = 2;

/// Least room for names (columns); below it, numbers leave their columns.
const MIN_NAMES: usize = 24;

/// Least room for folded values (columns); with less, they start at [`LEFT`].
const MIN_FOLDED: usize = 40;

/// Blanks before a line below its row that needs much room.
const LEFT: usize = 4;

/// Columns before the names.
const LEAD: [&str; 3] = ["status", "baseline", "#"];

/// Columns after the names, in the order in which a narrow table drops them from the end.
const NUMBERS: [&str; 4] = ["depth", "pairs", "volume", "gap"];

/// Largest width of a column after the names in a narrow table (columns); bounds of a gap are wider.
const MAX_NUMBER: usize = 16;

/// Columns after the names in a wide table, in the order in which they appear; those of a set appear together.
const WIDE: [&[&str]; 5] = [&["worst at", "from … to", "proved"], &["at"], &["move", "along"], &["relation"], &["id"]];

/// Layout of a table.
pub(crate) struct Layout {
    lead: Vec<usize>,
    /// Columns after the names, in the order of [`HEADINGS`].
    numbers: Vec<usize>,
    folded: Vec<usize>,
    widths: [usize; HEADINGS.len()],
    /// First column of the names.
    start: usize,
    /// Room for the names before the numbers.
    room: usize,
    width: usize,
}

fn index(heading: &str) -> usize {
    HEADINGS.iter().position(|h| *h == heading).unwrap_or(0)
}

/// Text of a lead column; the part after `: ` is folded.
fn lead_text(text: &str) -> (&str, Option<&str>) {
    text.split_once(": ").map_or((text, None), |(head, rest)| (head, Some(rest)))
}

impl Layout {
    /// Layout of these rows in a table of `width` columns.
    pub(crate) fn new(cells: &[Cells], width: usize) -> Self {
        let used = rows::used(cells);
        let of = |names: &[&str]| -> Vec<usize> {
            names.iter().map(|name| index(name)).filter(|k| used.contains(k)).collect()
        };
        let lead = of(&LEAD);
        let mut widths = HEADINGS.map(columns);
        for row in cells {
            for (k, width) in widths.iter_mut().enumerate() {
                let text = if lead.contains(&k) { lead_text(&row[k]).0 } else { &row[k] };
                *width = columns(text).max(*width);
            }
        }
        let start = lead.iter().map(|k| widths[*k] + BETWEEN).sum();
        let room = |numbers: &[usize]| {
            let taken: usize = numbers.iter().map(|k| BETWEEN + widths[*k]).sum();
            width.saturating_sub(start + taken)
        };
        let (mut numbers, large): (Vec<usize>, Vec<usize>) =
            of(&NUMBERS).into_iter().partition(|k| widths[*k] <= MAX_NUMBER);
        while room(&numbers) < MIN_NAMES && numbers.pop().is_some() {}
        let names = Names::new(cells);
        let least = names.longest.max(names.room_for_most());
        for set in large.iter().map(|k| vec![*k]).chain(WIDE.map(of)) {
            let more = [&numbers[..], &set].concat();
            if room(&more) < least {
                break;
            }
            numbers = more;
        }
        let [a, b] = names.side_by_side(room(&numbers));
        let below = names.longest.min(room(&numbers));
        numbers.sort_unstable();
        let folded = used.into_iter().filter(|k| !lead.contains(k) && !numbers.contains(k) && !is_name(*k)).collect();
        widths[index("a")] = a;
        widths[index("b")] = b;
        let room = if b > 0 { (a + BETWEEN + b).max(below) } else { below };
        Self { lead, numbers, folded, widths, start, room, width }
    }

    /// Headings of the columns.
    pub(crate) fn heading(&self) -> String {
        let mut line: String = self.lead.iter().map(|k| padded(HEADINGS[*k], self.widths[*k] + BETWEEN)).collect();
        let [a, b] = [self.widths[index("a")], self.widths[index("b")]];
        let names = if b > 0 { format!("{}b", padded("a", a + BETWEEN)) } else { "a, b".to_owned() };
        line.push_str(&padded(&names, self.room));
        self.numbers.iter().for_each(|k| line.push_str(&self.cell(*k, HEADINGS[*k])));
        within(line.trim_end(), self.width).into_owned()
    }

    /// Lines of a row; the first begins with the status.
    pub(crate) fn lines(&self, row: &Cells) -> Vec<String> {
        let names = self.names(row);
        let lead = |k: usize| if k == 0 { self.lead_of(row) } else { " ".repeat(self.start) };
        let mut lines: Vec<String> = names.iter().enumerate().map(|(k, name)| lead(k) + name).collect();
        let numbers: String = self.numbers.iter().map(|k| self.cell(*k, &row[*k])).collect();
        if !numbers.trim().is_empty() {
            let place = names.iter().position(|name| columns(name) <= self.room);
            let line = place.unwrap_or(lines.len());
            if place.is_none() {
                lines.push(String::new());
            }
            lines[line] = padded(&lines[line], self.start + self.room) + &numbers;
        }
        if names.len() == 1 && names[0].is_empty() {
            let below = |k| " ".repeat(LEFT) + &within(&row[index(k)], self.width - LEFT);
            lines.extend(["a", "b"].map(below));
        }
        let indent = if self.width < self.start + MIN_FOLDED { LEFT } else { self.start };
        let pieces = self.pieces(row);
        if !pieces.is_empty() {
            lines.extend(filled(&pieces, indent, self.width));
        }
        lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
    }

    fn lead_of(&self, row: &Cells) -> String {
        self.lead.iter().map(|k| padded(lead_text(&row[*k]).0, self.widths[*k] + BETWEEN)).collect()
    }

    /// Both names on one line, or on two; an empty line if a name is too long for these, so that both follow below.
    fn names(&self, row: &Cells) -> Vec<String> {
        let [a, b] = [index("a"), index("b")];
        if self.widths[b] > 0 && columns(&row[a]) <= self.widths[a] && columns(&row[b]) <= self.widths[b] {
            return vec![padded(&row[a], self.widths[a] + BETWEEN) + &row[b]];
        }
        if [a, b].iter().any(|k| columns(&row[*k]) > self.width - self.start) {
            return vec![String::new()];
        }
        vec![row[a].clone(), row[b].clone()]
    }

    /// Text of a column after the names, with the blanks before it.
    fn cell(&self, column: usize, text: &str) -> String {
        let blanks = " ".repeat(self.widths[column].saturating_sub(columns(text)));
        let between = " ".repeat(BETWEEN);
        if rows::is_number(column) { between + &blanks + text } else { between + text + &blanks }
    }

    /// Folded values, each after its heading.
    fn pieces(&self, row: &Cells) -> Vec<String> {
        let rests = self.lead.iter().filter_map(|k| lead_text(&row[*k]).1.map(str::to_owned));
        let mut pieces: Vec<String> = rests.collect();
        for k in self.folded.iter().filter(|k| !row[**k].is_empty()) {
            let (heading, text) = (HEADINGS[*k], &row[*k]);
            match (heading, pieces.last_mut()) {
                ("relation", _) => pieces.push(text.clone()),
                ("from … to", _) if row[index("status")] == Status::Undecided.name() => {
                    pieces.push(format!("no proof for {text}"));
                }
                ("from … to", _) => pieces.push(format!("fails {text}")),
                ("moves into", _) if text == rows::UNKNOWN => pieces.push(format!("move {text}")),
                ("along", Some(last)) if last.starts_with("move ") => {
                    last.push_str(" along ");
                    last.push_str(text);
                }
                _ => pieces.push(format!("{heading} {text}")),
            }
        }
        pieces
    }
}

fn is_name(column: usize) -> bool {
    matches!(HEADINGS[column], "a" | "b")
}

/// Widths of the names of all rows.
struct Names {
    /// Widths of a and b.
    rows: Vec<[usize; 2]>,
    longest: usize,
}

impl Names {
    fn new(cells: &[Cells]) -> Self {
        let [a, b] = [index("a"), index("b")];
        let rows: Vec<[usize; 2]> = cells.iter().map(|row| [columns(&row[a]), columns(&row[b])]).collect();
        let longest = rows.iter().flatten().copied().max().unwrap_or(0);
        Self { rows, longest }
    }

    /// Room in which three of four rows have their names side by side.
    fn room_for_most(&self) -> usize {
        let quantile = |side: usize| {
            let mut widths: Vec<usize> = self.rows.iter().map(|r| r[side]).collect();
            widths.sort_unstable();
            widths.get((widths.len().saturating_sub(1) * 7).div_ceil(8)).copied().unwrap_or(0)
        };
        // At most an eighth of the rows exceeds either width.
        quantile(0) + BETWEEN + quantile(1)
    }

    /// Widths of the two name columns with most names side by side within `room`; both 0 if no row fits.
    fn side_by_side(&self, room: usize) -> [usize; 2] {
        let mut best = (0, [0, 0]);
        let mut tried: Vec<usize> = self.rows.iter().map(|r| r[0]).collect();
        tried.sort_unstable();
        tried.dedup();
        for a in tried.into_iter().filter(|a| a + BETWEEN < room) {
            let fitting = self.rows.iter().filter(|r| r[0] <= a && r[1] <= room - a - BETWEEN);
            let (count, b) = fitting.fold((0, 0), |(count, b), r| (count + 1, r[1].max(b)));
            if count > best.0 {
                best = (count, [a, b]);
            }
        }
        best.1
    }
}
