//! What the events that `unfold` found are, in words.

use selvedge_base::{Id, Location, ThreadId};
use selvedge_explore::unfold::{Shown, Twin, Unfolding};
use selvedge_model::{Choice, Describe, Machine, Op, Outcome, Undo};
use selvedge_vm::Vm;

/// The text of an event.
pub(crate) struct Text {
    pub(crate) action: String,
    pub(crate) location: Location,
    pub(crate) outcome: String,
}

/// Executes the causes of each event, and then the event, to get its text.
pub(crate) fn describe(mut vm: Vm, unfolding: &Unfolding) -> Result<Vec<Text>, String> {
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
        Outcome::Value(_) if matches!(action.op, Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait) => {
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
pub(crate) fn number(twin: Twin) -> usize {
    match twin {
        Twin::Initial => 0,
        Twin::Event(event) => event + 1,
    }
}
