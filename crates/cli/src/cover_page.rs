//! `selvedge cover --html`: a page that draws each schedule of a set, with an input that has it. A
//! lane for each thread, its operations in their order, and an arrow for each operation of another
//! thread that one waits for.

use selvedge_report::harmless;
use selvedge_schedule::cover::{Cover, Order, Outcome, Witness};
use std::collections::BTreeMap;
use std::fmt::Write;

/// So many schedules are drawn.
const MOST_SCHEDULES: usize = 100;
/// So many operations of each.
const MOST_OPERATIONS: usize = 500;

const LANE: usize = 210;
const ROW: usize = 26;

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<title>Selvedge: schedules</title>
<style>
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #626b76; --line: #d5dae1; --box: #f5f7f9; --arrow: #8a94a0; }
@media (prefers-color-scheme: dark) { :root { --back: #14171b; --text: #e4e8ec; --soft: #97a1ad; --line: #323941; --box: #1d2228; --arrow: #77818d; } }
body { margin: 0 auto; padding: 16px; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 16px; } summary { font-size: 14px; font-weight: 600; padding: 8px 0; cursor: pointer; overflow-wrap: anywhere; }
svg { font: 12px system-ui, sans-serif; } text { fill: var(--text); } text.soft { fill: var(--soft); } text.head { font-weight: 600; }
line { stroke: var(--line); stroke-width: 2; } rect { fill: var(--box); stroke: var(--line); }
path { fill: none; stroke: var(--arrow); stroke-width: 1.4; } marker path { fill: var(--arrow); stroke: none; }
</style>
</head>
<body>
";

/// The page, which needs no other file. `refused`: what `build` refuses.
pub(crate) fn page(cover: &Cover, refused: &[String]) -> String {
    let mut out = HEAD.to_owned();
    let _ = writeln!(
        out,
        "<h1>{}: {} schedules</h1>",
        escaped(&cover.inputs.join(" ")),
        cover.schedules.len()
    );
    out.push_str("<p>An arrow: the operation at its head waits for the one at its tail.</p>\n");
    for what in refused {
        let _ = writeln!(out, "<p><code>build</code> refuses: {}</p>", escaped(what));
    }
    for (index, order) in cover.schedules.iter().take(MOST_SCHEDULES).enumerate() {
        let open = if index < 3 { " open" } else { "" };
        let _ = writeln!(
            out,
            "<details{open}><summary>Schedule {}{}: {}</summary>",
            index + 1,
            way(cover, order),
            escaped(&inputs(order))
        );
        drawn(cover, order, &mut out);
        out.push_str("</details>\n");
    }
    if cover.schedules.len() > MOST_SCHEDULES {
        let left = cover.schedules.len() - MOST_SCHEDULES;
        let _ = writeln!(out, "<p>{left} more schedules are not drawn.</p>");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// One schedule.
fn drawn(cover: &Cover, order: &Order, out: &mut String) {
    let steps = &order.steps[..order.steps.len().min(MOST_OPERATIONS)];
    let mut names: Vec<&str> = Vec::new();
    for step in steps {
        if !names.contains(&step.thread.as_str()) {
            names.push(&step.thread);
        }
    }
    let lane = |thread: &str| names.iter().position(|name| *name == thread).unwrap_or(0);
    let (width, height) = (LANE * names.len(), ROW * (steps.len() + 2));
    let _ = writeln!(
        out,
        "<svg width=\"{width}\" height=\"{height}\" role=\"img\"><defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>"
    );
    for (number, name) in names.iter().enumerate() {
        let (x, x1) = (LANE * number, LANE * number + 14);
        let _ = writeln!(
            out,
            "<text class=\"head\" x=\"{}\" y=\"15\">thread {}</text><line x1=\"{x1}\" y1=\"22\" x2=\"{x1}\" y2=\"{height}\"/>",
            x + 6,
            escaped(name),
        );
    }
    // Where each operation of each thread is.
    let mut rows: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut arrows = String::new();
    for (row, step) in steps.iter().enumerate() {
        let number = counts.entry(&step.thread).or_insert(0);
        *number += 1;
        rows.insert((&step.thread, *number), row);
        let (x, y) = (LANE * lane(&step.thread) + 4, ROW * (row + 1));
        let outcome = match step.outcome {
            Outcome::Done => "",
            Outcome::Failed => " (fails)",
            Outcome::Serial => " (last)",
        };
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"4\"><title>{}</title></rect>\
             <text x=\"{}\" y=\"{}\">{}{outcome}</text>",
            LANE - 34,
            ROW - 6,
            escaped(&format!("{}:{number} {}", step.thread, step.place)),
            x + 6,
            y + 14,
            escaped(&cover.text(&step.label)),
        );
        for (other, count) in &step.after {
            let Some(&from) = rows.get(&(other.as_str(), *count)) else {
                continue;
            };
            let (mine, theirs) = (lane(&step.thread), lane(other));
            let side = |of: usize, towards: usize| LANE * of + if towards > of { LANE - 30 } else { 4 };
            let _ = writeln!(
                arrows,
                "<path d=\"M{} {}L{} {}\" marker-end=\"url(#head)\"/>",
                side(theirs, mine),
                ROW * (from + 1) + 10,
                side(mine, theirs),
                y + 10
            );
        }
    }
    out.push_str(&arrows);
    out.push_str("</svg>\n");
    if order.steps.len() > steps.len() {
        let left = order.steps.len() - steps.len();
        let _ = writeln!(out, "<p>{left} more operations are not drawn.</p>");
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

/// The part that a schedule begins with, and the one that it leads to.
pub(crate) fn way(cover: &Cover, order: &Order) -> String {
    match (cover.parts.is_empty(), order.to) {
        (true, _) => String::new(),
        (false, Some(to)) => format!(" (part {} to part {to})", order.from),
        (false, None) => format!(" (part {} to the end)", order.from),
    }
}

/// For which inputs a schedule is.
pub(crate) fn inputs(order: &Order) -> String {
    let one = |witness: &Witness| format!("{} = {:?}", witness.name, String::from_utf8_lossy(&witness.bytes));
    let witness: Vec<String> = order.witness.iter().map(one).collect();
    match (order.classes, witness.is_empty()) {
        (_, true) if order.from > 0 => "whatever came before".to_owned(),
        (_, true) => "all inputs".to_owned(),
        (1, false) => format!("1 class of inputs, such as {}", witness.join(", ")),
        (classes, false) => format!("{classes} classes of inputs, such as {}", witness.join(", ")),
    }
}
