//! The events that `unfold` found, as a page for a browser: a column for each thread, causes above
//! their effects, and what belongs to an event marked when it is chosen.

use crate::unfolding_text::{Text, number};
use selvedge_explore::unfold::{Twin, Unfolding};
use selvedge_report::harmless;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Width and height of an event with the room around it, and the room for the names of threads.
const BOX: (usize, usize) = (190, 54);
const TOP: usize = 34;

const HEAD: &str = include_str!("unfolding_page.html");

/// The page, which needs no other file and no network.
pub(crate) fn page(unfolding: &Unfolding, texts: &[Text]) -> String {
    let Places { places, width, lanes } = Places::of(unfolding);
    let rows = places.iter().map(|place| place.1 + 1).max().unwrap_or(0);
    let mut out = HEAD.to_owned();
    let _ = writeln!(
        out,
        "<svg width=\"{}\" height=\"{}\" role=\"img\"><defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>",
        width * BOX.0,
        TOP + rows * BOX.1
    );
    for (thread, column) in &lanes {
        let x = column * BOX.0 + 8;
        let _ = writeln!(
            out,
            "<text class=\"name\" x=\"{x}\" y=\"18\">thread {}</text>",
            escaped(thread)
        );
    }
    let middle = |event: usize| {
        let (column, row) = places[event];
        (column * BOX.0 + 84, TOP + row * BOX.1)
    };
    for (event, shown) in unfolding.events.iter().enumerate() {
        let (x, y) = middle(event);
        for &cause in &shown.causes {
            let (from, above) = middle(cause);
            line(&mut out, "cause", (cause, event), (from, above + 42), (x, y - 1));
        }
        for &other in shown.conflicts.iter().filter(|&&other| other > event) {
            line(&mut out, "conflict", (event, other), (x, y + 21), {
                let (x, y) = middle(other);
                (x, y + 21)
            });
        }
        if let Some(Twin::Event(twin)) = shown.cutoff {
            let (to, above) = middle(twin);
            line(&mut out, "same", (event, twin), (x, y + 21), (to, above + 21));
        }
    }
    for (event, (shown, text)) in unfolding.events.iter().zip(texts).enumerate() {
        let (x, y) = middle(event);
        let id = event + 1;
        let at = &text.location;
        let mut title = format!("{id}: thread {}: {}", shown.thread, text.action);
        if !text.outcome.is_empty() {
            let _ = write!(title, " ({})", text.outcome);
        }
        let _ = write!(title, "\n{}:{} in {}", at.file, at.line, at.function);
        if let Some(twin) = shown.cutoff {
            let _ = match number(twin) {
                0 => write!(title, "\ncutoff: leads to the initial state"),
                twin => write!(title, "\ncutoff: leads to the same state as event {twin}"),
            };
        }
        let class = if shown.cutoff.is_some() {
            "event cutoff"
        } else {
            "event"
        };
        let below = match text.outcome.is_empty() {
            true => format!("line {}", at.line),
            false => text.outcome.clone(),
        };
        let _ = writeln!(
            out,
            "<g class=\"{class}\" id=\"e{id}\" tabindex=\"0\"><title>{}</title><rect x=\"{}\" y=\"{y}\" width=\"168\" \
             height=\"42\" rx=\"4\"/><text x=\"{}\" y=\"{}\">{id}: {}</text><text class=\"soft\" x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(&title),
            x - 84,
            x - 78,
            y + 17,
            escaped(&short(&text.action)),
            x - 78,
            y + 34,
            escaped(&short(&below)),
        );
    }
    out.push_str("</svg>\n</main>\n</body>\n</html>\n");
    out
}

/// Where events are.
struct Places<'a> {
    /// Column and row of each event.
    places: Vec<(usize, usize)>,
    /// The number of columns.
    width: usize,
    /// The first column of each thread.
    lanes: Vec<(&'a str, usize)>,
}

impl<'a> Places<'a> {
    fn of(unfolding: &'a Unfolding) -> Places<'a> {
        // Causes come before their effects in the list.
        let mut rows: Vec<usize> = Vec::new();
        for shown in &unfolding.events {
            let above = shown.causes.iter().filter_map(|&cause| rows.get(cause));
            rows.push(above.max().map_or(0, |row| row + 1));
        }
        let mut beside: BTreeMap<(&str, usize), usize> = BTreeMap::new();
        let mut widths: BTreeMap<&str, usize> = BTreeMap::new();
        let mut within = Vec::new();
        for (shown, &row) in unfolding.events.iter().zip(&rows) {
            let count = beside.entry((&shown.thread, row)).or_insert(0);
            within.push(*count);
            *count += 1;
            let width = widths.entry(&shown.thread).or_insert(1);
            *width = (*width).max(*count);
        }
        let mut lanes = Vec::new();
        let mut column = 0;
        for (thread, width) in &widths {
            lanes.push((*thread, column));
            column += width;
        }
        let first: BTreeMap<&str, usize> = lanes.iter().copied().collect();
        let places = unfolding.events.iter().zip(within).zip(rows);
        let places = places.map(|((shown, within), row)| (first[shown.thread.as_str()] + within, row));
        Places {
            places: places.collect(),
            width: column,
            lanes,
        }
    }
}

/// A line between two events.
fn line(
    out: &mut String,
    class: &str,
    (a, b): (usize, usize),
    (x, y): (usize, usize),
    (to, at): (usize, usize),
) {
    let head = if class == "cause" {
        " marker-end=\"url(#head)\""
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<path class=\"{class}\" data-a=\"e{}\" data-b=\"e{}\" d=\"M{x} {y}L{to} {at}\"{head}/>",
        a + 1,
        b + 1
    );
}

/// What fits into an event.
fn short(text: &str) -> String {
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// As text within HTML.
fn escaped(text: &str) -> String {
    harmless(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
