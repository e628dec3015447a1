//! The events that `unfold` found, as a graph for Graphviz, as JSON, or as a page
//! (docs/unfolding.md, docs/json.md).

use crate::unfolding_page::page;
use crate::unfolding_text::{Text, describe, number};
use selvedge_explore::Report;
use selvedge_explore::unfold::Unfolding;
use selvedge_vm::Vm;
use serde_json::{Value, json};
use std::fmt::Write;

/// The maximum number of events in a picture.
pub const MOST_EVENTS: u32 = 2000;

/// The form of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For Graphviz.
    Dot,
    /// As docs/json.md says.
    Json,
    /// A page for a browser.
    Html,
}

/// The unfolding of a run, if it was kept; it is not kept if it has too many events.
/// `vm`: a machine as the exploration had, in the initial state.
pub(crate) fn text(vm: Vm, report: &Report, form: Form) -> Result<Option<String>, String> {
    let Some(unfolding) = &report.unfolding else {
        return Ok(None);
    };
    let texts = describe(vm, unfolding)?;
    Ok(Some(match form {
        Form::Dot => dot(unfolding, &texts),
        Form::Json => json(unfolding, &texts),
        Form::Html => page(unfolding, &texts),
    }))
}

fn json(unfolding: &Unfolding, texts: &[Text]) -> String {
    let numbers = |list: &[usize]| list.iter().map(|n| n + 1).collect::<Vec<_>>();
    let events = unfolding.events.iter().zip(texts).enumerate();
    let events: Vec<Value> = events
        .map(|(position, (shown, text))| {
            let at = &text.location;
            json!({
                "id": position + 1,
                "thread": shown.thread,
                "position": shown.depth,
                "action": text.action,
                "location": {"file": at.file, "line": at.line, "column": at.column, "function": at.function},
                "outcome": text.outcome,
                "causes": numbers(&shown.causes),
                "conflicts": numbers(&shown.conflicts),
                "same_state_as": shown.cutoff.map(number),
            })
        })
        .collect();
    let value = json!({"selvedge-unfolding": 1, "events": events});
    format!("{value:#}\n")
}

/// Causes are arrows, conflicts are red lines without arrows. From a cutoff, which is drawn with a
/// double border, a dotted line leads to the event with the same state.
fn dot(unfolding: &Unfolding, texts: &[Text]) -> String {
    let mut out = String::from("digraph unfolding {\n  node [shape=box, fontname=monospace];\n");
    let _ = writeln!(out, "  0 [label=\"the beginning\", shape=plaintext];");
    for (position, (shown, text)) in unfolding.events.iter().zip(texts).enumerate() {
        let id = position + 1;
        let mut lines = vec![
            format!("{id}: thread {}, line {}", shown.thread, text.location.line),
            text.action.clone(),
            text.outcome.clone(),
        ];
        lines.retain(|line| !line.is_empty());
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let double = if shown.cutoff.is_some() {
            ", peripheries=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  {id} [label=\"{}\"{double}];", lines.join("\\n"));
        for cause in &shown.causes {
            let _ = writeln!(out, "  {} -> {id};", cause + 1);
        }
        if shown.causes.is_empty() {
            let _ = writeln!(out, "  0 -> {id};");
        }
        for &other in shown.conflicts.iter().filter(|&&other| other > position) {
            let other = other + 1;
            let _ = writeln!(
                out,
                "  {id} -> {other} [dir=none, color=red, style=dashed, constraint=false];"
            );
        }
        if let Some(twin) = shown.cutoff {
            let _ = writeln!(
                out,
                "  {id} -> {} [dir=none, style=dotted, constraint=false];",
                number(twin)
            );
        }
    }
    out.push_str("}\n");
    out
}

/// For a quoted string of Graphviz.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
