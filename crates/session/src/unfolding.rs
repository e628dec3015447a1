//! The events that `unfold` found, as a graph for Graphviz or as JSON
//! (docs/unfolding.md, docs/json.md).

use crate::machines::canonical_machine;
use selvedge_base::{Id, Location, ThreadId};
use selvedge_explore::Report;
use selvedge_explore::unfold::{Shown, Twin, Unfolding};
use selvedge_model::{Choice, Describe, Machine, Op, Outcome, Undo};
use selvedge_vm::{Program, Vm};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// The maximum number of events in a picture.
pub const MOST_EVENTS: u32 = 2000;

/// The form of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For Graphviz.
    Dot,
    /// As docs/json.md says.
    Json,
}

/// The unfolding of a run, if it was kept; it is not kept if it has too many events.
pub(crate) fn text(program: &Arc<Program>, report: &Report, form: Form) -> Result<Option<String>, String> {
    let Some(unfolding) = &report.unfolding else {
        return Ok(None);
    };
    let texts = describe(program, unfolding)?;
    Ok(Some(match form {
        Form::Dot => dot(unfolding, &texts),
        Form::Json => json(unfolding, &texts),
    }))
}

/// The text of an event.
struct Text {
    action: String,
    location: Location,
    outcome: String,
}

/// Executes the causes of each event, and then the event, to get its text.
fn describe(program: &Arc<Program>, unfolding: &Unfolding) -> Result<Vec<Text>, String> {
    let (mut vm, _) = canonical_machine(program);
    let beginning = vm.mark();
    let mut texts = Vec::with_capacity(unfolding.events.len());
    for shown in &unfolding.events {
        vm.undo(beginning);
        texts.push(event_text(&mut vm, shown).ok_or("an event of the unfolding cannot be executed again")?);
    }
    Ok(texts)
}

fn event_text(vm: &mut Vm, shown: &Shown) -> Option<Text> {
    let (&last, before) = shown.choices.split_last()?;
    let offers = |vm: &Vm, choice: Choice| {
        let pending = vm.pending().get(choice.thread.index());
        pending.is_some_and(|p| p.is_enabled() && choice.alternative < p.alternatives)
    };
    for &choice in before {
        if !offers(vm, choice) {
            return None;
        }
        vm.step(choice);
    }
    if !offers(vm, last) {
        return None;
    }
    let action = vm.pending()[last.thread.index()].action;
    let described = vm.action_text(&action);
    let event = vm.step(last);
    let names = |threads: &[ThreadId]| {
        let names: Vec<String> = threads.iter().map(|&t| vm.thread_name(t)).collect();
        names.join(", ")
    };
    let outcome = match event.outcome {
        Outcome::Done if event.alternatives > 1 => {
            format!("alternative {} of {}", event.alternative + 1, event.alternatives)
        }
        Outcome::Done => String::new(),
        Outcome::Failed if action.op == Op::Signal => "nobody waits".to_owned(),
        Outcome::Failed => "fails".to_owned(),
        Outcome::Incomplete => "has its effect with what is chosen next".to_owned(),
        Outcome::Thread(new) if action.op == Op::Spawn => format!("thread {}", names(&[new])),
        Outcome::Thread(woken) => format!("wakes {}", names(&[woken])),
        Outcome::Threads(set) => format!("releases {}", names(vm.waiters(set))),
        Outcome::Value(_) if matches!(action.op, Op::WaitRelease | Op::FutexWait) => {
            "ended without a signal".to_owned()
        }
        Outcome::Value(value) => format!("value {value}"),
    };
    Some(Text {
        action: described,
        location: vm.location(action.stmt),
        outcome,
    })
}

/// Events count from 1; 0 is the initial state.
fn number(twin: Twin) -> usize {
    match twin {
        Twin::Initial => 0,
        Twin::Event(event) => event + 1,
    }
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
